//! `serve`: open the store, publish a snapshot, answer; then sync in the background, and publish again when something changed.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use refdesk_core::fact::EvidenceKey;
use refdesk_core::snapshot::{BodyRef, Snapshot};
use refdesk_core::{Kind, Stamp};
use refdesk_ingest::store::{RecordAt, Store, StoreError};
use refdesk_ingest::sync::{Engine, Silent, StatusWord};
use refdesk_serve::desk::{BodyError, RecordRead, SourceCounts, SourceFault, SourceState, SourceStatus};
use refdesk_serve::keys::KeyRecord;
use refdesk_serve::{BodyReader, Desk, ServerLimits, Settings};
use tokio::net::{TcpListener, TcpSocket};
use tokio_util::sync::CancellationToken;

use super::open_files;
use super::switch::Watch;
use crate::app::{self, App};
use crate::cli;
use crate::config::Config;
use crate::exit::Exit;
use crate::image::{self, Mark};
use crate::output;
use crate::semantic;

/// A generation that was updated is built anew when nothing came for so long: then searches weigh words as on every other node.
const SETTLED: Duration = Duration::from_mins(5);
/// How often is looked whether another process synced.
const LOOK: Duration = Duration::from_millis(500);
/// How often keys, source states and the store's health are looked at. A revoked key works no longer than this.
const REFRESH: Duration = Duration::from_secs(2);
/// Connections that may wait to be accepted; the system may allow fewer.
const LISTEN_QUEUE: u32 = 4096;
/// A clock that goes back by more than this makes times of the catalog lie ahead of it: then it is looked at again.
const CLOCK_BACK_SECS: i64 = 5;
/// Looks in a row that find another process writing before that is a fault: a sync of some ten thousand facts is none.
const BUSY_LOOKS: u32 = 5;

/// The flags of `serve` as settings.
pub fn settings(flags: &cli::Serve) -> Vec<(&'static str, String)> {
    let given = [
        ("listen", flags.listen.clone()),
        ("base_url", flags.base_url.clone()),
        ("api_url", flags.api_url.clone()),
        ("allowed_hosts", flags.allowed_hosts.clone()),
        ("rate_limit_anon", flags.rate_limit_anon.map(|limit| limit.to_string())),
        ("rate_limit_key", flags.rate_limit_key.map(|limit| limit.to_string())),
        ("require_key", flags.require_key.then(|| "true".to_owned())),
        ("trusted_proxies", flags.trusted_proxies.clone()),
        ("cors_origins", flags.cors_origins.clone()),
    ];
    given.into_iter().filter_map(|(key, value)| value.map(|value| (key, value))).collect()
}

/// `refdesk serve`.
pub async fn run(config: Config) -> anyhow::Result<Exit> {
    crate::commands::log::init(&config)?;
    let listen = config.text("listen").to_owned();
    let listener = listening(&listen).await.with_context(|| {
        format!("cannot listen on {listen}; choose another address with --listen, REFDESK_LISTEN or listen in the configuration file (port 0 takes a free one)")
    })?;
    let address = listener.local_addr()?;
    let app = Arc::new(App::open(config).await?);
    super::sync::bundled(&app).await?;
    let first = app.first_generation().await?;
    let desk = open_desk(&app, first.snapshot, address.ip().is_loopback()).await?;
    let engine = app.engine(Arc::new(Silent))?;
    refresh(&desk, &app.store, &mut 0).await;
    tell_sources(&desk, &engine).await;
    let shutdown = CancellationToken::new();
    if first.built {
        keep_image(&app, &desk, &first.mark);
    }
    let watch = Watch::new(&app.config);
    let publisher = Publisher {
        app: Arc::clone(&app),
        desk: Arc::clone(&desk),
        engine,
        seen: first.mark,
        clock: app::now(),
        watch,
    };
    let tasks = background(publisher, &shutdown);
    let limits = limits(&app.config);
    // Before anybody can know that it runs: a signal from then on ends it in order.
    let stop = stop_signal()?;
    // Printed when the socket already queues connections, so whoever reads it is answered.
    output::line(&format!("listening on http://{address}"));
    let server = tokio::spawn(refdesk_serve::serve(listener, Arc::clone(&desk), limits, shutdown.clone()));
    stop.await;
    tracing::info!("stopping: finishing what runs");
    shutdown.cancel();
    server.await.context("the server task ended unexpectedly")?;
    for task in tasks {
        task.abort();
    }
    keep_uses(&desk, &app.store, &mut HashMap::new()).await;
    app.store.close().await;
    Ok(Exit::Done)
}

/// A socket that listens, with a queue long enough for a flood of connections.
async fn listening(listen: &str) -> std::io::Result<TcpListener> {
    let mut failed = std::io::Error::new(std::io::ErrorKind::NotFound, "the name has no address");
    for address in tokio::net::lookup_host(listen).await? {
        let bound = (|| {
            let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
            // Without it an address stays taken for a while after a restart; elsewhere than on Unix it would let others take it too.
            #[cfg(unix)]
            socket.set_reuseaddr(true)?;
            socket.bind(address)?;
            socket.listen(LISTEN_QUEUE)
        })();
        match bound {
            Ok(listener) => return Ok(listener),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

/// The desk over the first snapshot.
pub async fn open_desk(app: &App, snapshot: Arc<Snapshot>, on_loopback: bool) -> anyhow::Result<Arc<Desk>> {
    let settings = desk_settings(&app.config, on_loopback)?;
    if settings.any_host {
        tracing::warn!(
            "listening beyond loopback without base_url, api_url or allowed_hosts: any Host is answered, links stay relative"
        );
    }
    let bodies = Arc::new(StoreBodies { store: app.store.clone() });
    let desk = Arc::new(Desk::new(snapshot, bodies, Arc::new(app::now), settings));
    if let Some(semantic) = semantic::open(&app.config).await? {
        semantic.put(semantic::vectors(&app.store, semantic.encoder(), &desk.snapshot()).await?);
        desk.set_semantic(semantic);
    }
    desk.set_evaluated(super::evaluate::last(&app.store, desk.snapshot().router()).await);
    Ok(desk)
}

fn desk_settings(config: &Config, on_loopback: bool) -> anyhow::Result<Settings> {
    let url = |key: &str| -> anyhow::Result<String> {
        let text = config.text(key).trim_end_matches('/').to_owned();
        if !text.is_empty() {
            let shown = refdesk_ingest::fetch::redact_text(&text);
            let parsed = url::Url::parse(&text)
                .with_context(|| format!("{key}: {shown:?} is no URL; write it as https://host"))?;
            anyhow::ensure!(parsed.has_host(), "{key}: {shown:?} names no host; write it as https://host");
            let has_login = !parsed.username().is_empty() || parsed.password().is_some();
            anyhow::ensure!(!has_login, "{key}: {shown:?} holds a login, and it is public; write it as https://host");
        }
        Ok(text)
    };
    let (base_url, api_url, allowed_hosts) = (url("base_url")?, url("api_url")?, config.list("allowed_hosts"));
    let trusted_proxies =
        config.list("trusted_proxies").iter().map(|text| network(text)).collect::<anyhow::Result<Vec<_>>>()?;
    let cors_origins = config.list("cors_origins");
    for origin in cors_origins.iter().filter(|origin| origin.trim() != "*") {
        refdesk_serve::cors::origin(origin).map_err(|error| anyhow::anyhow!("cors_origins: {error}"))?;
    }
    Ok(Settings {
        any_host: !on_loopback && base_url.is_empty() && api_url.is_empty() && allowed_hosts.is_empty(),
        base_url,
        api_url,
        allowed_hosts,
        trusted_proxies,
        cors_origins,
        work_threads: config.count("work_threads"),
        max_age_secs: u32::try_from(config.duration("max_age").as_secs()).unwrap_or(u32::MAX),
        compress_from_bytes: config.count("compress_from_bytes"),
        encoded_cache_bytes: config.count("encoded_cache_bytes"),
        detail_cache_bytes: config.count("detail_cache_bytes"),
        page_cache_bytes: config.count("page_cache_bytes"),
        anon_per_minute: config.count32("rate_limit_anon"),
        key_per_minute: config.count32("rate_limit_key"),
        callers_max: config.count("rate_limit_addresses_max"),
        require_key: config.flag("require_key"),
        mcp_body_bytes_max: config.count("mcp_body_bytes_max"),
        mcp_page_size: config.count("mcp_page_size").max(1),
        mcp_resources_max: config.count("mcp_resources_max"),
        body_timeout: config.duration("body_timeout"),
        ..Settings::default()
    })
}

/// A network, or a single address as the network of itself.
fn network(text: &str) -> anyhow::Result<ipnet::IpNet> {
    let parsed = text.parse::<ipnet::IpNet>().or_else(|_| text.parse::<std::net::IpAddr>().map(ipnet::IpNet::from));
    parsed.with_context(|| format!("trusted_proxies: {text:?} is no network; write it as 10.0.0.0/8"))
}

fn limits(config: &Config) -> ServerLimits {
    ServerLimits {
        header_timeout: config.duration("header_timeout"),
        request_timeout: config.duration("request_timeout"),
        write_timeout: config.duration("write_timeout"),
        connections_max: open_files::connections(config.count("connections_max").max(1)),
        requests_in_flight_max: config.count("requests_in_flight_max").max(1),
        unfinished_per_address_max: config.count("unfinished_per_address_max").max(1),
        bodies_bytes_max: config.count("bodies_bytes_max"),
        drain: config.duration("drain"),
        shutdown_grace: config.duration("shutdown_grace"),
        ..ServerLimits::default()
    }
}

/// What runs beside the server: the schedule, the refresher, the publisher.
fn background(publisher: Publisher, shutdown: &CancellationToken) -> Vec<tokio::task::JoinHandle<()>> {
    let mut tasks = Vec::new();
    let Publisher { app, desk, engine, .. } = &publisher;
    if app.config.flag("sync") {
        let token = shutdown.clone();
        let engine = engine.clone();
        tasks.push(tokio::spawn(async move {
            refdesk_ingest::schedule::run_schedule(engine, token.cancelled_owned()).await;
        }));
    }
    let (refreshed, store) = (Arc::clone(desk), app.store.clone());
    tasks.push(tokio::spawn(async move {
        let mut busy_looks = 0;
        loop {
            tokio::time::sleep(REFRESH).await;
            refresh(&refreshed, &store, &mut busy_looks).await;
        }
    }));
    let (told, counted) = (Arc::clone(desk), engine.clone());
    tasks.push(tokio::spawn(async move {
        // Beside the refresher: counting the facts of a large source anew takes its time, and that is no fault of the store.
        loop {
            tokio::time::sleep(REFRESH).await;
            tell_sources(&told, &counted).await;
        }
    }));
    let (used_on, store) = (Arc::clone(desk), app.store.clone());
    tasks.push(tokio::spawn(async move {
        // Beside the refresher: a write may wait long for another process's lock, a revocation may not.
        let mut pending = HashMap::new();
        loop {
            tokio::time::sleep(REFRESH).await;
            keep_uses(&used_on, &store, &mut pending).await;
        }
    }));
    tasks.push(tokio::spawn(semantic::keep_up(app.store.clone(), Arc::clone(desk))));
    tasks.push(tokio::spawn(publisher.run()));
    tasks
}

/// Publishes a new generation whenever the store's catalog changed (by this process or another), what it says of the time is no longer
/// so, or the clock was set back.
struct Publisher {
    app: Arc<App>,
    desk: Arc<Desk>,
    engine: Engine,
    /// The states of the sources when they were looked at last.
    seen: Mark,
    /// What the clock said at that time.
    clock: Stamp,
    /// Looks for sources that are switched in the configuration file.
    watch: Watch,
}

impl Publisher {
    async fn run(mut self) {
        let mut changes = self.engine.changes();
        let (mut failed, mut switched, mut published) = (false, false, Instant::now());
        loop {
            let stale_in = self.desk.snapshot().next_change_at().map(|at| at.secs_since(app::now()));
            let until_stale =
                Duration::from_secs(stale_in.map_or(u64::MAX / 4, |secs| u64::try_from(secs).unwrap_or(0)));
            let turned = tokio::select! {
                changed = changes.changed() => { if changed.is_err() { return } false }
                () = tokio::time::sleep(until_stale.min(LOOK)) => until_stale <= LOOK,
            };
            let now = app::now();
            let set_back = self.clock.secs_since(now) > CLOCK_BACK_SECS;
            self.clock = now;
            switched |= self.follow_switches().await;
            // Whole states, not times alone: those have whole seconds, and two syncs may fall into one.
            let Ok(mark) = self.app.store.source_states().await else { continue };
            let is_due = self.desk.snapshot().next_change_at().is_some_and(|at| at <= now);
            let settled = published.elapsed() >= SETTLED && self.desk.snapshot().index().as_whole().is_none();
            let wanted = settled || switched || set_back || (turned && is_due);
            if self.seen == mark && !wanted {
                continue;
            }
            // After a failure it is not known what the generation lacks: then there is no telling which sources are to be looked at.
            let synced = if failed || settled || switched { None } else { image::synced_since(&self.seen, &mark) };
            let result = self.publish(synced, &mark).await;
            self.seen = mark;
            failed = result.is_err();
            match result {
                Ok(()) => (published, switched) = (Instant::now(), false),
                Err(error) => {
                    tracing::error!(error = %app::told(&error), "the catalog could not be rebuilt; the last generation stays");
                }
            }
        }
    }

    /// Takes over what the configuration file switches; the next generation is built of the sources that are on then.
    async fn follow_switches(&mut self) -> bool {
        let Some(config) = self.watch.look() else { return false };
        self.engine.switch(&config.sources);
        self.app = Arc::new(App { config, store: self.app.store.clone() });
        tell_sources(&self.desk, &self.engine).await;
        true
    }

    async fn publish(&self, synced: Option<Vec<String>>, mark: &Mark) -> anyhow::Result<()> {
        let begun = Instant::now();
        let Some(next) = self.app.next_generation(self.desk.snapshot(), synced).await? else { return Ok(()) };
        let snapshot = semantic::before_publishing(&self.app.store, &self.desk, next.snapshot).await?;
        tracing::info!(
            generation = snapshot.generation(),
            revision = snapshot.revision(),
            items = snapshot.stats().total(),
            seconds = begun.elapsed().as_secs_f64(),
            "published"
        );
        self.desk.publish(snapshot);
        if next.built {
            keep_image(&self.app, &self.desk, mark);
        }
        Ok(())
    }
}

/// Keeps the desk's generation on disk, beside all else.
fn keep_image(app: &Arc<App>, desk: &Desk, mark: &Mark) {
    let (app, snapshot, mark) = (Arc::clone(app), desk.snapshot(), mark.clone());
    tokio::spawn(async move { app.keep_image(snapshot, mark).await });
}

/// Gives the store the last uses of keys; those it cannot take now are kept for the next time.
async fn keep_uses(desk: &Desk, store: &Store, pending: &mut HashMap<String, refdesk_core::Stamp>) {
    pending.extend(desk.keys.take_used());
    if pending.is_empty() {
        return;
    }
    let uses: Vec<_> = pending.iter().map(|(id, at)| (id.clone(), *at)).collect();
    match store.touch_keys(&uses).await {
        Ok(()) => pending.clear(),
        Err(error) => tracing::warn!(%error, "the last uses of keys could not be kept yet"),
    }
}

/// Takes keys from the store, and tells the desk how the store is.
async fn refresh(desk: &Desk, store: &Store, busy_looks: &mut u32) {
    let read = match store.probe().await {
        Err(error) if !matches!(error, StoreError::Busy { .. }) => Err(Some(error)),
        probed => match tokio::time::timeout(REFRESH, store.keys()).await {
            Ok(Ok(keys)) => {
                desk.keys.replace(keys.iter().map(key_record).collect());
                *busy_looks = if probed.is_err() { *busy_looks + 1 } else { 0 };
                if *busy_looks < BUSY_LOOKS { Ok(()) } else { probed.map_err(Some) }
            }
            Ok(Err(error)) => Err(Some(error)),
            Err(_) => Err(None),
        },
    };
    let fault = match &read {
        Ok(()) => None,
        Err(Some(StoreError::Lost { .. })) => {
            Some("the store file is gone or overwritten: put it back, or restart to make a new one")
        }
        Err(Some(StoreError::Busy { .. }) | None) => Some("the store is locked by another process"),
        Err(Some(_)) => Some("the store cannot be read"),
    };
    if desk.store_fault().is_some() != fault.is_some() {
        match &read {
            Err(Some(StoreError::Busy { .. })) => {
                tracing::warn!(
                    "another process has been writing to the store for long; answers go on from the snapshot"
                );
            }
            Err(Some(error)) => {
                tracing::error!(code = error.code(), %error, "the store has a fault; answers go on from the snapshot");
            }
            Err(None) => tracing::error!("the store does not answer; answers go on from the snapshot"),
            Ok(()) => tracing::info!("the store is well again"),
        }
    }
    desk.set_store_fault(fault.map(|fault| format!("{fault}; answers go on from memory")));
}

/// Tells the desk where the sources stand. When the store cannot say, they stay as they were; `refresh` tells of its fault.
async fn tell_sources(desk: &Desk, engine: &Engine) {
    if let Ok(statuses) = engine.statuses().await {
        desk.set_sources(statuses.into_iter().map(source_status).collect());
    }
}

fn key_record(key: &refdesk_ingest::store::KeyRecord) -> KeyRecord {
    KeyRecord {
        id: key.id.clone(),
        fingerprint: key.fingerprint,
        expires_at: key.expires_at,
        revoked_at: key.revoked_at,
        limit_per_minute: key.limit_per_minute,
    }
}

/// What the desk shows of a source's status.
pub fn source_status(status: refdesk_ingest::sync::SourceStatus) -> SourceStatus {
    SourceStatus {
        id: status.id,
        name: status.name,
        kind: status.kind,
        url: status.url,
        license: status.license,
        types: status.kinds.iter().map(|kind| Kind::search_type(*kind).to_owned()).collect(),
        enabled: status.enabled,
        disabled_reason: status.disabled_reason,
        status: match status.status {
            StatusWord::Never => SourceState::Never,
            StatusWord::Syncing => SourceState::Syncing,
            StatusWord::Ok => SourceState::Ok,
            StatusWord::Failed => SourceState::Failed,
            StatusWord::Quarantined => SourceState::Quarantined,
            StatusWord::Disabled => SourceState::Disabled,
            StatusWord::Orphaned => SourceState::Orphaned,
        },
        last_attempt_at: status.last_attempt_at,
        last_synced_at: status.last_synced_at,
        last_verified_at: status.last_verified_at,
        next_due_at: status.next_due_at,
        refresh_due: status.refresh_due,
        interval_seconds: status.interval_seconds,
        consecutive_failures: status.consecutive_failures,
        content_hash: status.content_hash,
        http_status: status.http_status,
        error: status.error.map(|fault| SourceFault { code: fault.code, message: fault.message, at: Some(fault.at) }),
        counts: SourceCounts {
            total: status.counts.total,
            added: status.counts.added,
            changed: status.counts.changed,
            removed: status.counts.removed,
            quarantined: status.counts.quarantined,
            // These two the snapshot knows.
            withheld: 0,
            stale: 0,
            rejects: status.counts.rejects,
            rejected: status.counts.rejects,
            left_out: status.counts.left_out,
            uncounted: status.counts.uncounted,
        },
    }
}

/// Reads full texts from the store.
struct StoreBodies {
    store: Store,
}

#[async_trait::async_trait]
impl BodyReader for StoreBodies {
    async fn markdown(&self, body: &BodyRef) -> Result<Option<String>, BodyError> {
        self.store.body(&body.source_id, body.kind, &body.key).await.map_err(|error| BodyError(error.to_string()))
    }

    async fn raw(&self, body: &BodyRef) -> Result<Option<bytes::Bytes>, BodyError> {
        let record = self.store.record(&body.source_id, body.kind, &body.key).await;
        let record = record.map_err(|error| BodyError(error.to_string()))?;
        Ok(record.filter(|record| record.withheld.is_none()).map(|record| record.bytes.into()))
    }

    async fn record(&self, row: i64, key: EvidenceKey) -> Result<RecordRead, BodyError> {
        let found = self.store.record_at(row).await.map_err(|error| BodyError(error.to_string()))?;
        // Numbers are given anew when a catalog is imported; the key is not.
        let found = found.filter(|found| EvidenceKey::of(&found.source_id, found.kind, &found.key) == key);
        Ok(match found {
            Some(RecordAt { withheld: Some(reason), .. }) => RecordRead::Withheld(reason),
            Some(RecordAt { record: Some(record), .. }) => RecordRead::Found {
                bytes: record.bytes.into(),
                basis: record.hash_basis,
                content_hash: record.content_hash,
            },
            _ => RecordRead::Gone,
        })
    }
}

/// Listens from now on for Ctrl-C and the termination signal; the future completes with the first.
fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        Ok(async move {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        })
    }
    #[cfg(not(unix))]
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
