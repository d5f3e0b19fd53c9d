//! How many files this process may have open, of which each connection is one.

/// Files that connections leave to the store, to upstreams and to the rest of the process.
#[cfg(unix)]
const OTHER_FILES: usize = 256;

/// As many of the connections that are wanted as the system allows, after raising what it allows as far as it can be raised.
pub fn connections(wanted: usize) -> usize {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        let needed = (wanted + OTHER_FILES) as u64;
        let raised = maximum.map_or(needed, |maximum| needed.min(maximum));
        let allowed = match current {
            Some(current) if current < needed => {
                let limit = Rlimit { current: Some(raised), maximum };
                let is_raised = current < raised && setrlimit(Resource::Nofile, limit).is_ok();
                if is_raised { raised } else { current }
            }
            _ => needed,
        };
        if allowed < needed {
            let possible = usize::try_from(allowed).unwrap_or(usize::MAX).saturating_sub(OTHER_FILES).max(1);
            tracing::warn!(
                connections_max = wanted,
                possible,
                "the system allows too few open files; raise its limit (ulimit -n, LimitNOFILE), or lower connections_max"
            );
            return possible.min(wanted);
        }
    }
    wanted
}
