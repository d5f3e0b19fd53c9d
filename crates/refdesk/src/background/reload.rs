//! Reading the configuration anew while the desk runs: what of it can be taken over is in force at once, also while long work goes on.

use std::pin::pin;

use refdesk_serve::AppState;
use tokio::sync::Notify;

use super::live_config::LiveConfig;
use crate::config::Config;
use crate::config::reload::Reloaded;
use crate::desk;
use crate::output;

/// Reads the configuration anew, gives the desk what it can take over, puts it in force for all tasks, and says what takes a restart; false
/// where it is not valid, which is told.
pub fn reload(desk: &AppState, live: &LiveConfig) -> bool {
    let seen = live.get();
    let Some(config) = reloaded(desk, &seen) else { return false };
    live.replace(&seen, config);
    true
}

/// Does long work, and each time that it is `wanted` meanwhile, what has to be done then: a build may take minutes, and who sets a limit
/// does so for a reason.
pub async fn heeding<T>(work: impl Future<Output = T>, wanted: &Notify, mut then: impl FnMut()) -> T {
    let mut work = pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return done,
            () = wanted.notified() => then(),
        }
    }
}

fn reloaded(desk: &AppState, config: &Config) -> Option<Config> {
    let Reloaded { config, said, taken, restart } = match config.reloaded() {
        Ok(reloaded) => reloaded,
        Err(error) => return refuse(&error.into()),
    };
    // What a start would refuse is not taken over in part either.
    let checked = crate::log::check(&said).and_then(|()| desk::check(&said));
    if let Err(error) = checked.and_then(|()| desk::check_collections(desk, &said.collections)) {
        return refuse(&error);
    }
    let list = |names: &[String]| if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
    // Told before the log falls silent, or after it is opened, whichever is heard.
    let tell = || tracing::info!(applied = list(&taken), needs_a_restart = list(&restart), "configuration reloaded");
    let was_heard = tracing::enabled!(tracing::Level::INFO);
    if was_heard {
        tell();
    }
    if let Err(error) = crate::log::reload(&config) {
        tracing::error!(error = %output::told(&error), "logging is unchanged");
    }
    if !was_heard {
        tell();
    }
    desk.set_limits(desk::rate_limits(&config));
    if taken.iter().any(|name| name == "[[collections]]") {
        desk.set_collections(config.collections.clone());
    }
    Some(config)
}

fn refuse(error: &anyhow::Error) -> Option<Config> {
    tracing::error!(error = %output::told(error), "the new configuration was not applied; the one in force stays");
    None
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::sync::{Notify, oneshot};

    use super::heeding;

    /// A catalog of a million items is built for minutes, and a limit that was set meanwhile was in force after that.
    #[tokio::test]
    async fn what_is_wanted_during_long_work_is_done_before_that_ends() {
        let (wanted, mut asked) = (Notify::new(), 0);
        let (end, ended) = oneshot::channel::<()>();
        let mut end = Some(end);
        let work = async {
            wanted.notify_one();
            tokio::time::timeout(Duration::from_secs(10), ended).await.map(|_| "built")
        };
        let done = heeding(work, &wanted, || {
            asked += 1;
            drop(end.take());
        })
        .await;
        assert_eq!((done, asked), (Ok("built"), 1), "the work waits for what is done meanwhile");
    }
}
