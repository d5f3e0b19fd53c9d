//! The schedule: a sync that takes too long or breaks off is told, is tried again, and keeps no other source from its turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::engines::engines;
use crate::support::{HandClock, find_toy, page};
use refdesk_core::source_status::{SourceStatus, StatusWord};
use refdesk_ingest::config::{FetchSettings, SourceConfig, Span};
use refdesk_ingest::schedule::run_schedule;
use refdesk_ingest::store::Store;
use refdesk_ingest::sync::{Engine, EngineOptions, Progress, SyncEvent};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

/// Longest wait for something that a schedule does within seconds.
const PATIENCE: Duration = Duration::from_mins(1);

/// Breaks the task of a sync of `bad` off as long as it is set.
#[derive(Default)]
struct Breaks(AtomicBool);

impl Progress for Breaks {
    fn event(&self, event: SyncEvent<'_>) {
        if let SyncEvent::Started { source_id: "bad", .. } = event {
            assert!(!self.0.load(Ordering::SeqCst), "on purpose");
        }
    }
}

struct Desk {
    server: MockServer,
    engine: Engine,
}

impl Desk {
    /// Two sources that are always due, `bad` and `good`.
    async fn new(sync_time_max: Duration, breaks: &Arc<Breaks>) -> Self {
        let fetch = FetchSettings::default();
        Self::over(Store::open_in_memory().await.unwrap(), fetch, sync_time_max, breaks).await
    }

    async fn over(store: Store, fetch: FetchSettings, sync_time_max: Duration, breaks: &Arc<Breaks>) -> Self {
        let server = MockServer::start().await;
        let sources = ["bad", "good"].map(|id| {
            let mut source = SourceConfig::new(id, "toy", format!("{}/{id}", server.uri()));
            source.interval = Span::secs(1);
            source
        });
        let options = EngineOptions {
            fetch: FetchSettings { retries_max: 0, ..fetch },
            clock: HandClock::at(1_700_000_000).clock(),
            find: find_toy,
            progress: Arc::clone(breaks) as Arc<dyn Progress>,
            jitter_percent: 0,
            sync_time_max,
            ..EngineOptions::default()
        };
        let engine = Engine::new(store, sources.to_vec(), options).unwrap();
        let desk = Self { server, engine };
        desk.answers("good", Duration::ZERO).await;
        desk
    }

    async fn answers(&self, id: &str, after: Duration) {
        let answer = ResponseTemplate::new(200).set_body_json(page(&["a", "b"])).set_delay(after);
        Mock::given(method("GET")).and(path(format!("/{id}"))).respond_with(answer).mount(&self.server).await;
    }

    async fn status(&self, id: &str) -> SourceStatus {
        self.engine.statuses().await.unwrap().into_iter().find(|status| status.id == id).unwrap()
    }

    /// Waits until a source stands as wanted.
    async fn until(&self, id: &str, wanted: impl Fn(&SourceStatus) -> bool) -> SourceStatus {
        let began = Instant::now();
        loop {
            let status = self.status(id).await;
            if wanted(&status) {
                return status;
            }
            assert!(began.elapsed() < PATIENCE, "{status:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

fn has_error(status: &SourceStatus, code: &str) -> bool {
    status.error.as_ref().is_some_and(|error| error.code == code)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scheduled_sync_that_takes_too_long_is_given_up_told_and_tried_again() {
    let desk = Desk::new(Duration::from_secs(1), &Arc::default()).await;
    desk.answers("bad", PATIENCE * 2).await;
    let schedule = tokio::spawn(run_schedule(desk.engine.clone(), std::future::pending()));
    let told = desk.until("bad", |status| has_error(status, "sync_timeout")).await;
    let message = told.error.unwrap().message;
    assert!(message.contains("1 s") && message.contains("sync_time_max"), "{message}");
    assert_eq!(told.status, StatusWord::Failed);
    desk.until("good", |status| status.status == StatusWord::Ok).await;
    // Now it answers in time.
    desk.server.reset().await;
    desk.answers("bad", Duration::ZERO).await;
    desk.answers("good", Duration::ZERO).await;
    let well = desk.until("bad", |status| status.status == StatusWord::Ok).await;
    assert_eq!((well.error, well.counts.total), (None, 2));
    assert!(!schedule.is_finished());
    schedule.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scheduled_sync_that_breaks_off_is_told_and_tried_again_and_the_schedule_goes_on() {
    let breaks = Arc::new(Breaks(AtomicBool::new(true)));
    let desk = Desk::new(PATIENCE, &breaks).await;
    desk.answers("bad", Duration::ZERO).await;
    let schedule = tokio::spawn(run_schedule(desk.engine.clone(), std::future::pending()));
    let told = desk.until("bad", |status| has_error(status, "sync_broke_off")).await;
    assert_eq!(told.status, StatusWord::Failed);
    assert!(!told.error.unwrap().message.contains("on purpose"), "the inside is for the log");
    desk.until("good", |status| status.status == StatusWord::Ok).await;
    breaks.0.store(false, Ordering::SeqCst);
    let well = desk.until("bad", |status| status.status == StatusWord::Ok).await;
    assert_eq!((well.error, well.counts.total), (None, 2));
    assert!(!schedule.is_finished());
    schedule.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_scheduled_sync_waits_for_its_turn_does_not_count() {
    let one_at_once = FetchSettings { concurrency_max: 1, ..FetchSettings::default() };
    let store = Store::open_in_memory().await.unwrap();
    let desk = Desk::over(store, one_at_once, Duration::from_secs(5), &Arc::default()).await;
    desk.server.reset().await;
    for id in ["bad", "good"] {
        desk.answers(id, Duration::from_secs(3)).await;
    }
    let schedule = tokio::spawn(run_schedule(desk.engine.clone(), std::future::pending()));
    for id in ["bad", "good"] {
        let well = desk.until(id, |status| {
            assert_eq!(status.error, None, "{id}");
            status.status == StatusWord::Ok
        });
        well.await;
    }
    schedule.abort();
}

/// A row that stayed would show the source as being synced to all nodes, and to the one that leads, which would never sync it again.
#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_sync_that_was_given_up_or_broke_off_is_told_to_the_other_nodes() {
    for store in engines().await {
        let lease = store.take_lease("leader", "a", PATIENCE * 10).await.unwrap().unwrap();
        let breaks = Arc::new(Breaks(AtomicBool::new(true)));
        let desk = Desk::over(store.fenced(lease), FetchSettings::default(), Duration::from_secs(1), &breaks).await;
        desk.answers("bad", PATIENCE * 2).await;
        let schedule = tokio::spawn(run_schedule(desk.engine.clone(), std::future::pending()));
        for code in ["sync_broke_off", "sync_timeout"] {
            let told = desk.until("bad", |status| has_error(status, code) && status.status == StatusWord::Failed).await;
            assert_eq!(told.counts.total, 0);
            let began = Instant::now();
            while store.flights().await.unwrap().iter().any(|flight| flight.source_id == "bad") {
                assert!(began.elapsed() < PATIENCE, "{code}: its row is still there");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            breaks.0.store(false, Ordering::SeqCst);
        }
        desk.server.reset().await;
        desk.answers("bad", Duration::ZERO).await;
        desk.answers("good", Duration::ZERO).await;
        let well = desk.until("bad", |status| status.status == StatusWord::Ok).await;
        assert_eq!((well.error, well.counts.total), (None, 2));
        schedule.abort();
    }
}
