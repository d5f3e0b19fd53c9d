//! An engine with one source, `lamps`, over a made-up upstream and a clock that each sync sets an hour ahead.

use std::time::Duration;

use refdesk_ingest::config::{FetchSettings, SourceConfig, Span};
use refdesk_ingest::connectors;
use refdesk_ingest::store::{Accept, Store};
use refdesk_ingest::sync::{Engine, EngineOptions, SyncReport};
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::{HandClock, find_toy};

pub struct Desk {
    pub server: MockServer,
    pub engine: Engine,
    pub clock: HandClock,
}

impl Desk {
    pub async fn new(connector: &str) -> Self {
        Self::tuned(connector, |_, _| {}).await
    }

    /// With other settings of the source and the engine.
    pub async fn tuned(connector: &str, tune: impl FnOnce(&mut SourceConfig, &mut EngineOptions)) -> Self {
        let server = MockServer::start().await;
        let clock = HandClock::at(1_700_000_000);
        let mut source = SourceConfig::new("lamps", connector, format!("{}/lamps", server.uri()));
        source.interval = Span::secs(6 * 3_600);
        let mut options = EngineOptions {
            fetch: FetchSettings { retries_max: 0, total_timeout: Duration::from_secs(20), ..FetchSettings::default() },
            clock: clock.clock(),
            find: |name| find_toy(name).or_else(|| connectors::find(name)),
            ..EngineOptions::default()
        };
        tune(&mut source, &mut options);
        let engine = Engine::new(Store::open_in_memory().await.unwrap(), vec![source], options).unwrap();
        Self { server, engine, clock }
    }

    /// From now on the upstream answers so.
    pub async fn upstream(&self, answer: ResponseTemplate) {
        self.server.reset().await;
        Mock::given(method("GET")).respond_with(answer).mount(&self.server).await;
    }

    pub async fn sends(&self, body: impl Into<Vec<u8>>) -> SyncReport {
        self.upstream(ResponseTemplate::new(200).set_body_bytes(body.into())).await;
        self.sync().await
    }

    pub async fn sync(&self) -> SyncReport {
        self.clock.pass(3_600);
        self.engine.sync_source("lamps", &Accept::No).await.unwrap()
    }
}
