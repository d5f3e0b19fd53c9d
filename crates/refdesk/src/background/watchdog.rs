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
pub(super) mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;
    use refdesk_catalog::segment::BodyRef;
    use refdesk_catalog::snapshot::Snapshot;
    use refdesk_core::Stamp;
    use refdesk_core::fact::EvidenceKey;
    use refdesk_serve::state::{RecordRead, SourceHistory, StoreReadError};
    use refdesk_serve::{Settings, StoreReader};

    struct NoBodies;

    #[async_trait::async_trait]
    impl StoreReader for NoBodies {
        async fn markdown(&self, _: &BodyRef) -> Result<Option<String>, StoreReadError> {
            Ok(None)
        }
        async fn raw(&self, _: &BodyRef) -> Result<Option<bytes::Bytes>, StoreReadError> {
            Ok(None)
        }
        async fn record(&self, _: i64, _: EvidenceKey) -> Result<RecordRead, StoreReadError> {
            Ok(RecordRead::Gone)
        }
        async fn history(&self, _: &str, _: u32) -> Result<SourceHistory, StoreReadError> {
            Ok(SourceHistory::default())
        }
    }

    pub(in super::super) fn desk() -> Arc<AppState> {
        let clock = Arc::new(|| Stamp(0));
        Arc::new(AppState::new(Snapshot::empty(Stamp(0)), Arc::new(NoBodies), clock, Settings::default()))
    }

    /// The heartbeat of a task that nobody watches.
    pub(in super::super) fn pulse() -> Pulse {
        Pulse::new(SILENT_MAX)
    }

    /// A thousandth of a second for a second.
    const HASTE: Patience = Patience {
        look: Duration::from_millis(5),
        silent_max: Duration::from_millis(300),
        restart_wait: Duration::from_millis(50),
        restart_wait_max: Duration::from_millis(200),
        settled: Duration::from_millis(300),
    };

    /// Waits until the desk says what is wanted of the task.
    async fn until(desk: &AppState, wanted: impl Fn(Option<&String>) -> bool) {
        let began = Instant::now();
        while !wanted(desk.faults().get("part")) {
            assert!(began.elapsed() < Duration::from_mins(1), "{:?}", desk.faults());
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// The first start does what is tried; every later one goes on for ever.
    async fn check(first: fn(Pulse) -> Work, told: &str) {
        let (desk, starts) = (desk(), Arc::new(AtomicUsize::new(0)));
        let counted = Arc::clone(&starts);
        let task = Task::new("part", move |pulse: Pulse| -> Work {
            if counted.fetch_add(1, Ordering::Relaxed) == 0 {
                return first(pulse);
            }
            Box::pin(async move {
                loop {
                    pulse.beat();
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            })
        });
        let watch = tokio::spawn(run(vec![task], Arc::clone(&desk), HASTE));
        until(&desk, |fault| fault.is_some_and(|fault| fault.contains(told))).await;
        let text = desk.metrics.render();
        assert!(text.contains("refdesk_fault{part=\"part\"} 1"), "{text}");
        until(&desk, |fault| fault.is_none()).await;
        assert_eq!(starts.load(Ordering::Relaxed), 2);
        let text = desk.metrics.render();
        assert!(text.contains("refdesk_task_restarts_total{task=\"part\"} 1"), "{text}");
        assert!(text.contains("refdesk_fault{part=\"part\"} 0"), "{text}");
        watch.abort();
    }

    /// The wait is doubled after its first use, not before it.
    #[tokio::test]
    async fn the_first_restart_waits_as_long_as_is_documented_and_the_next_twice_as_long() {
        let wait = Duration::from_millis(500);
        let patience = Patience { restart_wait: wait, restart_wait_max: wait * 4, ..HASTE };
        let starts = Arc::new(std::sync::Mutex::new(Vec::new()));
        let noted = Arc::clone(&starts);
        let task = Task::new("part", move |_| {
            noted.lock().unwrap().push(Instant::now());
            async {}
        });
        let watch = tokio::spawn(run(vec![task], desk(), patience));
        while starts.lock().unwrap().len() < 3 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        watch.abort();
        let starts = starts.lock().unwrap().clone();
        let (first, second) = (starts[1] - starts[0], starts[2] - starts[1]);
        assert!(first >= wait && first < wait * 2, "{first:?}");
        assert!(second >= wait * 2 && second < wait * 4, "{second:?}");
    }

    #[tokio::test]
    async fn a_task_that_panicked_is_told_and_started_again() {
        check(|_| Box::pin(async { assert!(std::env::args().count() > usize::MAX - 1, "on purpose") }), "panicked")
            .await;
    }

    #[tokio::test]
    async fn a_task_that_returned_is_told_and_started_again() {
        check(|_| Box::pin(async {}), "ended").await;
    }

    #[tokio::test]
    async fn a_task_that_hangs_is_told_and_started_again() {
        check(|_| Box::pin(std::future::pending()), "done nothing").await;
    }

    /// How much of the time that some work takes its task is silent at the end.
    async fn silent_share(work: fn(Instant)) -> f64 {
        let (pulse, begun) = (Pulse::new(SILENT_MAX), Instant::now());
        pulse.beat_during(tokio::task::spawn_blocking(move || work(begun + BEAT_EVERY * 4))).await.unwrap();
        pulse.silence().0.as_secs_f64() / begun.elapsed().as_secs_f64()
    }

    #[tokio::test]
    async fn long_work_beats_while_it_goes_on_and_not_while_it_hangs() {
        let going_on = |until: Instant| {
            while Instant::now() < until {
                cooperative::yield_now();
            }
        };
        let share = silent_share(going_on).await;
        assert!(share < 0.6, "{share}");
        let share = silent_share(|until| std::thread::sleep(until - Instant::now())).await;
        assert!(share > 0.9, "{share}");
    }

    /// Before, whatever else worked in the process took back what such a part had asked for.
    #[tokio::test]
    async fn a_part_of_long_work_that_asked_for_more_time_has_it_until_it_says_otherwise() {
        let pulse = Pulse::new(SILENT_MAX);
        let (asking, others) = (pulse.clone(), BEAT_EVERY * 3);
        let work = async move {
            asking.work_for(SILENT_MAX * 20);
            let others_work = move |until: Instant| {
                while Instant::now() < until {
                    cooperative::yield_now();
                }
            };
            let until = Instant::now() + others;
            tokio::task::spawn_blocking(move || others_work(until)).await.unwrap();
            let granted = asking.silence().1;
            asking.beat();
            granted
        };
        assert_eq!((pulse.beat_during(work).await, pulse.silence().1), (SILENT_MAX * 20, SILENT_MAX));
    }

    #[tokio::test]
    async fn a_task_that_asked_for_more_time_has_it_and_no_more() {
        let desk = desk();
        let task = Task::new("part", |pulse: Pulse| async move {
            pulse.work_for(Duration::from_secs(2));
            std::future::pending::<()>().await;
        });
        let began = Instant::now();
        let watch = tokio::spawn(run(vec![task], Arc::clone(&desk), HASTE));
        until(&desk, |fault| fault.is_some_and(|fault| fault.contains("done nothing"))).await;
        assert!(began.elapsed() >= Duration::from_secs(2), "{:?}", began.elapsed());
        watch.abort();
    }
}
