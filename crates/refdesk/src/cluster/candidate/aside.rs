//! Standing aside: a node that cannot write its own data directory leaves the lease to others until it can, and leads less and less often while
//! it turns out that it still cannot. The node goes on answering, and takes up what others tell as far as its disk lets it.

use std::time::Duration;

use refdesk_ingest::generation::NodeFault;

use super::Candidate;
use crate::background::Pulse;

/// How long a node stands aside at least, and between two looks at its disk.
const WAIT_MIN: Duration = Duration::from_secs(10);
/// How long it does before it tries to lead again, however often that failed: the wait doubles until then.
const WAIT_MAX: Duration = Duration::from_mins(10);
/// Looking at a disk may take so long before the task is taken for stuck.
const LOOK_MAX: Duration = Duration::from_mins(10);
/// What `/health` says fails meanwhile.
pub const PART: &str = "data_dir";

/// How often a node stood aside already.
pub struct Aside {
    wait: Duration,
}

impl Default for Aside {
    fn default() -> Self {
        Self { wait: WAIT_MIN }
    }
}

impl Aside {
    /// Waits after `led`, in which nothing could be written at last because of `fault`, until the lease may be taken again.
    pub async fn wait(&mut self, node: &Candidate, fault: NodeFault, led: Duration, pulse: &Pulse) {
        let Candidate { desk, cluster, .. } = node;
        let wait = self.next(led);
        let told = |fault: NodeFault| desk.set_fault(PART, Some(in_words(fault).to_owned()));
        tracing::error!(
            seconds = wait.as_secs(),
            fault = in_words(fault),
            "this node leaves leading to others until it can write its data directory"
        );
        told(fault);
        let written = async {
            pulse.work_for(wait * 2);
            tokio::time::sleep(wait).await;
            loop {
                pulse.work_for(LOOK_MAX);
                match cluster.shared.try_writing().await {
                    Ok(()) => break,
                    Err(error) => {
                        told(error.node_fault().unwrap_or(NodeFault::Unwritten));
                        tracing::debug!(%error, "the data directory still cannot be written");
                    }
                }
                tokio::time::sleep(WAIT_MIN).await;
            }
        };
        tokio::select! {
            () = written => tracing::info!("the data directory can be written again; this node may lead"),
            () = cluster.resigned.cancelled() => {}
        }
        desk.set_fault(PART, None);
    }

    /// How long to wait now. Who led for long before could write then.
    fn next(&mut self, led: Duration) -> Duration {
        let wait = if led > WAIT_MAX { WAIT_MIN } else { self.wait };
        self.wait = (wait * 2).min(WAIT_MAX);
        wait
    }
}

/// What `/health` says of the data directory, and what to do about it.
const fn in_words(fault: NodeFault) -> &'static str {
    match fault {
        NodeFault::Unwritten => {
            "it cannot be written, so this node does not lead: make room on its disk, or let refdesk write there"
        }
        NodeFault::FolderBusy => {
            "another process writes the catalog in it, so this node does not lead: end that process, or give each node a directory of its own"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_fails_again_and_again_leads_less_and_less_often() {
        let mut aside = Aside::default();
        let waits: Vec<u64> = (0..8).map(|_| aside.next(Duration::from_secs(12)).as_secs()).collect();
        assert_eq!(waits, [10, 20, 40, 80, 160, 320, 600, 600]);
        assert_eq!(aside.next(Duration::from_hours(1)), WAIT_MIN, "it could write for an hour");
        assert_eq!(aside.next(Duration::from_secs(12)), WAIT_MIN * 2);
    }
}
