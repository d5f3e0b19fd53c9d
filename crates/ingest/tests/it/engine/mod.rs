//! The sync engine over a made-up upstream: what each kind of day leaves behind, and that no fact is ever lost.

mod days;
mod quarantine;
mod states;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::{HandClock, find_toy, page};
use refdesk_core::source_status::StatusWord;
use refdesk_core::{Kind, StaleReason};
use refdesk_ingest::config::{FetchSettings, SourceConfig, Span};
use refdesk_ingest::store::{Accept, Store};
use refdesk_ingest::sync::{Engine, EngineOptions, Progress, SyncEvent, SyncReport};
use serde_json::Value;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

struct Desk {
    server: MockServer,
    engine: Engine,
    clock: HandClock,
    events: Arc<Events>,
}

#[derive(Default)]
struct Events(Mutex<Vec<String>>);

impl Progress for Events {
    fn event(&self, event: SyncEvent<'_>) {
        let word = match event {
            SyncEvent::Started { .. } => "started",
            SyncEvent::Fetched { .. } => "fetched",
            SyncEvent::Parsed { .. } => "parsed",
            SyncEvent::Finished(_) => "finished",
        };
        self.0.lock().unwrap().push(word.to_owned());
    }
}

const START: i64 = 1_700_000_000;

const HOUR: i64 = 3_600;

impl Desk {
    async fn new() -> Self {
        Self::tuned(|_, _| {}).await
    }

    /// With other settings of the source and the engine.
    async fn tuned(tune: impl FnOnce(&mut SourceConfig, &mut EngineOptions)) -> Self {
        let server = MockServer::start().await;
        let clock = HandClock::at(START);
        let mut source = SourceConfig::new("toys", "toy", format!("{}/models", server.uri()));
        source.interval = Span::secs(6 * 3_600);
        let events = Arc::new(Events::default());
        let mut options = EngineOptions {
            fetch: FetchSettings {
                retries_max: 1,
                backoff_base: Duration::from_millis(1),
                total_timeout: Duration::from_millis(500),
                ..FetchSettings::default()
            },
            clock: clock.clock(),
            find: find_toy,
            progress: Arc::clone(&events) as Arc<dyn Progress>,
            ..EngineOptions::default()
        };
        tune(&mut source, &mut options);
        let engine = Engine::new(Store::open_in_memory().await.unwrap(), vec![source], options).unwrap();
        Self { server, engine, clock, events }
    }

    /// From now on `/models` answers so.
    async fn upstream(&self, answer: ResponseTemplate) {
        self.server.reset().await;
        Mock::given(method("GET")).and(path("/models")).respond_with(answer).mount(&self.server).await;
    }

    async fn lists(&self, value: &Value) {
        self.upstream(ResponseTemplate::new(200).set_body_json(value)).await;
    }

    async fn sync(&self) -> SyncReport {
        self.clock.pass(HOUR);
        self.engine.sync_source("toys", &Accept::No).await.unwrap()
    }

    async fn force(&self) -> SyncReport {
        self.clock.pass(HOUR);
        self.engine.sync_source("toys", &Accept::Any).await.unwrap()
    }

    /// `key=standing` of each fact, in order.
    async fn standings(&self) -> Vec<String> {
        let facts = self.engine.store().facts(&Kind::ALL).await.unwrap();
        let word = |reason: Option<StaleReason>| reason.map_or("fresh", StaleReason::as_str);
        facts
            .iter()
            .map(|fact| format!("{}={}", fact.key, word(fact.standing.stale_reason(14 * 86_400, self.clock.now()))))
            .collect()
    }

    async fn status(&self) -> (StatusWord, Option<String>, u32) {
        let status = self.engine.statuses().await.unwrap().remove(0);
        (status.status, status.error.map(|error| error.code), status.consecutive_failures)
    }
}

fn ids(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("m{n:02}")).collect()
}

fn listing(ids: &[String]) -> Value {
    page(&ids.iter().map(String::as_str).collect::<Vec<_>>())
}

const DAY: i64 = 86_400;
