//! The watchdog: sees that the tasks of a running desk go on, and starts one again that has stopped.
//!
//! A task beats each time it has done a round (the heartbeat of a software watchdog timer). One that has panicked, returned or not beaten for
//! long is told by `/health` and a metric, and is ended and started anew. What it was doing is lost, as with a kill: every write is a
//! transaction, and a generation is published whole.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use refdesk_core::cooperative;
use refdesk_serve::AppState;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// A task that has not beaten for so long is told of, unless it asked for more time.
pub const SILENT_MAX: Duration = Duration::from_secs(30);
/// How often is looked whether long work goes on.
const BEAT_EVERY: Duration = Duration::from_secs(1);
/// A silent task is started again after so many times the silence that it is granted.
const RESTART_FACTOR: u32 = 2;

/// How patient the watchdog is.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// How often is looked after the tasks.
    look: Duration,
    /// How long a task may be silent when it starts.
    silent_max: Duration,
    /// Wait before a task that stopped is started again; doubles while it stops at once.
    restart_wait: Duration,
    /// Longest wait before that.
    restart_wait_max: Duration,
    /// A task that ran for so long did not stop at once; that it stopped before is told no longer.
    settled: Duration,
}

/// How patient it is with a desk.
pub const PATIENCE: Patience = Patience {
    look: Duration::from_secs(1),
    silent_max: SILENT_MAX,
    restart_wait: Duration::from_secs(1),
    restart_wait_max: Duration::from_secs(30),
    settled: Duration::from_secs(30),
};

/// The heartbeat of a task. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Pulse {
    beat: Arc<Beat>,
}

#[derive(Debug)]
struct Beat {
    since: Instant,
    /// When it beat last, in milliseconds since `since`.
    at_ms: AtomicU64,
    /// How long it may be silent from then on, in milliseconds.
    granted_ms: AtomicU64,
}

impl Pulse {
    fn new(silent_max: Duration) -> Self {
        let granted_ms = AtomicU64::new(millis(silent_max));
        Self { beat: Arc::new(Beat { since: Instant::now(), at_ms: AtomicU64::new(0), granted_ms }) }
    }

    /// A round is done.
    pub fn beat(&self) {
        self.work_for(SILENT_MAX);
    }

    /// Work goes on, and may be silent for as long as was granted before.
    fn go_on(&self) {
        self.beat.at_ms.store(millis(self.beat.since.elapsed()), Ordering::Relaxed);
    }

    /// A round is done, and the next may take so long.
    pub fn work_for(&self, longest: Duration) {
        self.beat.granted_ms.store(millis(longest), Ordering::Relaxed);
        self.go_on();
    }

    /// Waits for long work that gives way to requests, and beats for as long as it goes on: a catalog of a million items takes minutes on a
    /// core that answers requests. A part of it that waits for others, which nobody sees going on, asks for its time by [`Pulse::work_for`].
    pub async fn beat_during<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = std::pin::pin!(work);
        let mut seen = cooperative::turns();
        self.beat();
        loop {
            tokio::select! {
                done = &mut work => return done,
                () = tokio::time::sleep(BEAT_EVERY) => {
                    let turns = cooperative::turns();
                    if turns != seen {
                        self.go_on();
                    }
                    seen = turns;
                }
            }
        }
    }

    /// How long it may be silent.
    #[cfg(test)]
    pub fn granted(&self) -> Duration {
        self.silence().1
    }

    /// How long it has been silent, and how long it may be.
    fn silence(&self) -> (Duration, Duration) {
        let at = Duration::from_millis(self.beat.at_ms.load(Ordering::Relaxed));
        let granted = Duration::from_millis(self.beat.granted_ms.load(Ordering::Relaxed));
        (self.beat.since.elapsed().saturating_sub(at), granted)
    }
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A task that never ends by itself, and how to start it.
pub struct Task {
    name: &'static str,
    start: Box<dyn FnMut(Pulse) -> Work + Send>,
}

impl Task {
    /// `name` is the part of the service in `/health` and metrics; `start` is called for every start.
    pub fn new<F: Future<Output = ()> + Send + 'static>(
        name: &'static str,
        mut start: impl FnMut(Pulse) -> F + Send + 'static,
    ) -> Self {
        Self { name, start: Box::new(move |pulse| Box::pin(start(pulse))) }
    }
}

/// A task that runs, or waits to be started again.
struct Watched {
    task: Task,
    patience: Patience,
    state: State,
    /// Wait before the next restart.
    wait: Duration,
    /// Why it was started again, and when.
    restarted: Option<(String, Instant)>,
}

enum State {
    Running { handle: JoinHandle<()>, pulse: Pulse, since: Instant },
    Waiting { until: Instant },
}

/// Runs tasks until it is dropped, which ends them.
pub async fn run(tasks: Vec<Task>, desk: Arc<AppState>, patience: Patience) {
    let mut watched: Vec<Watched> = tasks.into_iter().map(|task| Watched::start(task, &desk, patience)).collect();
    loop {
        tokio::time::sleep(patience.look).await;
        for task in &mut watched {
            task.look(&desk).await;
        }
    }
}

impl Watched {
    fn start(mut task: Task, desk: &AppState, patience: Patience) -> Self {
        desk.metrics.task_started(task.name);
        let state = State::start(&mut task, patience);
        Self { task, patience, state, wait: patience.restart_wait, restarted: None }
    }

    /// Tells how the task is, and ends it or starts it again where that is due.
    async fn look(&mut self, desk: &AppState) {
        match &mut self.state {
            State::Waiting { until } if *until <= Instant::now() => {
                self.state = State::start(&mut self.task, self.patience);
                desk.metrics.task_restarted(self.task.name);
            }
            State::Waiting { .. } => {}
            State::Running { handle, since, .. } if handle.is_finished() => {
                let why = match handle.await {
                    Ok(()) => "it ended".to_owned(),
                    Err(error) if error.is_panic() => "it panicked".to_owned(),
                    Err(_) => "it was ended".to_owned(),
                };
                let ran = since.elapsed();
                self.restart_later(why, ran);
            }
            State::Running { handle, pulse, since } => {
                let (silent, granted) = pulse.silence();
                if silent > granted * RESTART_FACTOR {
                    // One that never waits goes on until it does; what it writes then is a transaction like any other.
                    handle.abort();
                    let ran = since.elapsed();
                    self.restart_later(format!("it hung for {} s", silent.as_secs()), ran);
                }
            }
        }
        desk.set_fault(self.task.name, self.fault());
    }

    fn restart_later(&mut self, why: String, ran: Duration) {
        let Patience { restart_wait, restart_wait_max, settled, .. } = self.patience;
        let wait = if ran >= settled { restart_wait } else { self.wait };
        self.wait = (wait * 2).min(restart_wait_max);
        tracing::error!(task = self.task.name, why, "a task of the service stopped; it is started again");
        self.restarted = Some((why, Instant::now()));
        self.state = State::Waiting { until: Instant::now() + wait };
    }

    /// What `/health` says of it.
    fn fault(&self) -> Option<String> {
        match (&self.state, &self.restarted) {
            (State::Running { pulse, .. }, _) if pulse.silence().0 > pulse.silence().1 => {
                Some(format!("it has done nothing for {} s; it is started again soon", pulse.silence().0.as_secs()))
            }
            (State::Waiting { .. }, Some((why, _))) => Some(format!("{why}; it is started again")),
            (State::Running { since, .. }, Some((why, _))) if since.elapsed() < self.patience.settled => {
                Some(format!("{why}, and was started again just now"))
            }
            _ => None,
        }
    }
}

impl State {
    fn start(task: &mut Task, patience: Patience) -> Self {
        let pulse = Pulse::new(patience.silent_max);
        let handle = tokio::spawn((task.start)(pulse.clone()));
        Self::Running { handle, pulse, since: Instant::now() }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let State::Running { handle, .. } = &self.state {
            handle.abort();
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failing unwrap is a failing test")]
pub(super) mod tests;
