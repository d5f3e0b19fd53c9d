//! Tasks that stop, hang or take long; and what tests of other tasks need: a desk, and a heartbeat that nobody watches.

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
    // Much longer than a busy machine keeps a task waiting.
    let wait = Duration::from_secs(2);
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
    check(|_| Box::pin(async { assert!(std::env::args().count() > usize::MAX - 1, "on purpose") }), "panicked").await;
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
