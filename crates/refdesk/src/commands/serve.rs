//! `serve`: open the store, publish a snapshot, answer; [`crate::background`] then syncs, and publishes again when something changed.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;

use anyhow::Context as _;
use refdesk_catalog::segment::BodyRef;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::fact::EvidenceKey;
use refdesk_ingest::store::{RecordAt, Store};
use refdesk_ingest::sync::Silent;
use refdesk_serve::state::{BodyError, RecordRead};
use refdesk_serve::{AppState, BodyReader, ServerLimits, Settings};
use tokio::net::{TcpListener, TcpSocket};
use tokio_util::sync::CancellationToken;

use super::open_files;
use crate::app::{self, App};
use crate::background::{self, Background, Published};
use crate::cli;
use crate::config::{Config, Given};
use crate::exit::Exit;
use crate::output;
use crate::semantic;

/// Connections that may wait to be accepted; the system may allow fewer.
const LISTEN_QUEUE: u32 = 4096;

/// The flags of `serve` as settings.
pub fn settings(flags: &cli::Serve) -> Vec<Given> {
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
    given.into_iter().filter_map(|(key, value)| value.map(|value| Given::by_flag(key, value))).collect()
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
    if let Err(error) = super::sync::bundled(&app).await {
        // What the store has is served all the same; the schedule tries them again.
        tracing::error!(error = %app::told(&error), "the bundled cards cannot be taken into the store");
    }
    // The first generation is of this moment or a later one.
    let begun = app::now();
    let first = app.generations().first().await?;
    let desk = open_desk(&app, first.snapshot, address.ip().is_loopback()).await?;
    let engine = app.engine(Arc::new(Silent))?;
    background::look_once(&desk, &app.store, app.config.count("disk_free_bytes_min") as u64).await;
    background::tell_sources(&desk, &engine).await;
    let shutdown = CancellationToken::new();
    let published = Published { states: first.states, clock: begun, kept: !first.built };
    let work = Background { app: Arc::clone(&app), desk: Arc::clone(&desk), engine, published };
    let tasks = background::start(work, &shutdown);
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
    tasks.abort();
    background::keep_uses(&desk, &app.store, &mut HashMap::new()).await;
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
pub async fn open_desk(app: &App, snapshot: Arc<Snapshot>, on_loopback: bool) -> anyhow::Result<Arc<AppState>> {
    let settings = desk_settings(&app.config, on_loopback)?;
    if settings.any_host {
        tracing::warn!(
            "listening beyond loopback without base_url, api_url or allowed_hosts: any Host is answered, links stay relative"
        );
    }
    let bodies = Arc::new(StoreBodies { store: app.store.clone() });
    let desk = Arc::new(AppState::new(snapshot, bodies, Arc::new(app::now), settings));
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
        refdesk_serve::parse_origin(origin).map_err(|error| anyhow::anyhow!("cors_origins: {error}"))?;
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

/// Number of the signal for a file beyond the limit of its size, on Linux, macOS and the BSDs.
#[cfg(unix)]
const SIGXFSZ: i32 = 25;

/// Listens from now on for Ctrl-C and the termination signal; the future completes with the first.
fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        // A file that would grow beyond the limit of its size ends the process unless the signal is taken; then it is an error of the write.
        let too_large = signal(SignalKind::from_raw(SIGXFSZ))?;
        Ok(async move {
            let _too_large = too_large;
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
