//! A desk that answers: the state of the serving side over a generation, its settings, and its way to read full texts from the store.

use std::net::IpAddr;
use std::sync::Arc;

use refdesk_catalog::collections::{Collection, UnknownMember};
use refdesk_catalog::segment::BodyRef;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::fact::EvidenceKey;
use refdesk_core::source_status::{SourceFault, StatusWord};
use refdesk_ingest::store::{RecordAt, Run, Store, StoreError};
use refdesk_serve::state::rate_counter::{RateCounter, SharedRateCounter, SharedRates};
use refdesk_serve::state::{RecordRead, SourceHistory, SourceRun, StoreReadError};
use refdesk_serve::{AppState, LocalToken, RateLimits, Settings, StoreReader};

use crate::app::{self, App};
use crate::config::{Config, key, table::Key};
use crate::{evaluation, output, semantic};

/// The state of a desk that answers this process's own questions, over its first generation.
///
/// # Errors
/// When a setting is wrong, or the embedding model cannot be read.
pub async fn open(app: &App, snapshot: Arc<Snapshot>) -> anyhow::Result<Arc<AppState>> {
    complete(app, state(app, snapshot, true, None)?).await
}

/// The same for callers of the network: their limits are counted in Redis where one is configured. The command line of this machine has a
/// token instead.
///
/// # Errors
/// When a setting is wrong, or the embedding model cannot be read. A Redis that does not answer is a fault of `/health`.
pub async fn open_to_network(
    app: &App,
    snapshot: Arc<Snapshot>,
    on_loopback: bool,
    local_token: LocalToken,
) -> anyhow::Result<Arc<AppState>> {
    let mut state = state(app, snapshot, on_loopback, Some(local_token))?;
    if let Some(rates) = shared_rates(&app.config)? {
        refdesk_ingest::fetch::install_tls();
        let metrics = &state.metrics.serving;
        let (up, fallbacks) = (metrics.rate_backend_up.clone(), metrics.rate_fallbacks.clone());
        let counter = SharedRateCounter::new(rates, up, fallbacks)?;
        // One look, within a second: whoever asks first is counted with the other nodes, and a server that is down holds nobody up.
        counter.look().await;
        if let Some(fault) = counter.fault() {
            tracing::warn!(%fault, "redis_url does not count the limits yet; it is tried every second");
        }
        state.rate_counter = RateCounter::Shared(counter);
    }
    complete(app, state).await
}

fn state(
    app: &App,
    snapshot: Arc<Snapshot>,
    on_loopback: bool,
    local_token: Option<LocalToken>,
) -> anyhow::Result<AppState> {
    let settings = Settings { local_token, ..settings(&app.config, on_loopback)? };
    if settings.any_host {
        tracing::warn!(
            "listening beyond loopback without base_url, api_url or allowed_hosts: any Host is answered, links stay relative"
        );
    }
    Ok(over(app, snapshot, settings))
}

/// The state of a desk that answers from a snapshot, and from the store what the snapshot does not hold.
pub fn over(app: &App, snapshot: Arc<Snapshot>, settings: Settings) -> AppState {
    let reads = Arc::new(StoreReads { store: app.store.clone() });
    AppState::new(snapshot, reads, Arc::new(app::now), settings)
}

async fn complete(app: &App, state: AppState) -> anyhow::Result<Arc<AppState>> {
    let state = Arc::new(state);
    refuse_unknown_members(app, &state).await?;
    if let Some(semantic) = semantic::open(&app.config).await? {
        match semantic::vectors(&app.store, semantic.encoder(), &state.snapshot()).await {
            Ok(vectors) => semantic.put(vectors),
            // Until the store can be read, words alone decide.
            Err(error) => tracing::warn!(error = %output::told(&error), "the vectors of texts cannot be read"),
        }
        state.set_semantic(semantic);
    }
    state.set_evaluated(evaluation::last(&app.store, state.snapshot().router()).await);
    Ok(state)
}

/// A collection that names what is not in the catalog would silently show less than its author meant. While a source was never synced, it
/// may still bring it, and `/health` tells what is missing; so it does of what goes later.
async fn refuse_unknown_members(app: &App, state: &AppState) -> anyhow::Result<()> {
    let unknown = state.unknown_members();
    if unknown.is_empty() {
        return Ok(());
    }
    // What is in the catalog is shown, whether or not the store can say if more may come.
    let Ok(synced) = app.store.source_states().await else { return Ok(()) };
    let is_synced = |id: &str| synced.iter().any(|(known, state)| known == id && state.last_full_at.is_some());
    if app.config.sources.iter().any(|source| source.enabled && !is_synced(&source.id)) {
        return Ok(());
    }
    Err(names_unknown(&unknown))
}

/// The error of collections that name what is not in the catalog.
fn names_unknown(unknown: &[UnknownMember]) -> anyhow::Error {
    let all: Vec<String> = unknown.iter().map(ToString::to_string).collect();
    anyhow::anyhow!("{}; correct `ids` and `exclude` of [[collections]]", all.join("; "))
}

/// Checks the collections that a running desk is to take over.
///
/// # Errors
/// When they name what is not in the catalog, and no source may still bring it.
pub fn check_collections(desk: &AppState, collections: &[Collection]) -> anyhow::Result<()> {
    let unknown = desk.unknown_members_of(collections);
    let may_come = || desk.sources().iter().any(|source| source.enabled && source.status == StatusWord::Never);
    if unknown.is_empty() || may_come() { Ok(()) } else { Err(names_unknown(&unknown)) }
}

/// Checks the settings that decide what is answered, and to whom.
///
/// # Errors
/// When one is wrong.
pub fn check(config: &Config) -> anyhow::Result<()> {
    shared_rates(config)?;
    settings(config, true).map(drop)
}

/// Where limits are counted together, if `redis_url` says so.
///
/// # Errors
/// When a setting of it cannot be used; the message never holds the URL.
pub fn shared_rates(config: &Config) -> anyhow::Result<Option<SharedRates>> {
    let url = config.get(key::REDIS_URL).to_owned();
    if url.is_empty() {
        return Ok(None);
    }
    let rates = SharedRates {
        url,
        deployment: config.get(key::DEPLOYMENT).to_owned(),
        timeout: config.get(key::REDIS_TIMEOUT),
        on_failure: config.get(key::RATE_LIMIT_ON_FAILURE),
        callers_max: config.get(key::RATE_LIMIT_ADDRESSES_MAX),
    };
    rates.check()?;
    Ok(Some(rates))
}

/// A URL by which others reach the desk, without the slash at its end.
fn public_url(config: &Config, key: Key<String>) -> anyhow::Result<String> {
    let (text, key) = (config.get(key).trim_end_matches('/').to_owned(), key.row.key);
    if text.is_empty() {
        return Ok(text);
    }
    let shown = refdesk_ingest::fetch::redact_text(&text);
    let Ok(parsed) = url::Url::parse(&text) else {
        anyhow::bail!("{key}: {shown:?} is not a URL; write it as https://host");
    };
    let is_plain = parsed.query().is_none() && parsed.fragment().is_none();
    anyhow::ensure!(
        matches!(parsed.scheme(), "https" | "http") && is_plain,
        "{key}: {shown:?} is not a base URL; write it as https://host or https://host/path"
    );
    anyhow::ensure!(parsed.has_host(), "{key}: {shown:?} names no host; write it as https://host");
    let has_login = !parsed.username().is_empty() || parsed.password().is_some();
    anyhow::ensure!(!has_login, "{key}: {shown:?} holds a login, and it is public; write it as https://host");
    Ok(text)
}

/// What a Host header can hold; anything else would never be answered.
fn is_host(host: &str) -> bool {
    let parsed = url::Url::parse(&format!("http://{host}/"));
    let is_alone = parsed.is_ok_and(|parsed| parsed.path() == "/" && parsed.username().is_empty());
    is_alone && !host.contains(['/', '*', '?', '#'])
}

/// Checks the hosts, the proxy and the origins that the configuration names.
fn check_addresses(config: &Config) -> anyhow::Result<()> {
    if let Some(host) = config.get(key::ALLOWED_HOSTS).iter().find(|host| !is_host(host)) {
        anyhow::bail!("allowed_hosts: {host:?} is not a host name; write it as desk.example.org, each name by itself");
    }
    let proxy = config.get(key::PROXY);
    let is_proxy = proxy.is_empty() || url::Url::parse(proxy).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
    anyhow::ensure!(
        is_proxy,
        "proxy: {:?} is not an HTTP proxy; write it as http://proxy:3128",
        refdesk_ingest::fetch::redact_text(proxy)
    );
    for origin in config.get(key::CORS_ORIGINS).iter().filter(|origin| origin.trim() != "*") {
        refdesk_serve::parse_origin(origin).map_err(|error| anyhow::anyhow!("cors_origins: {error}"))?;
    }
    Ok(())
}

/// How the service answers.
///
/// # Errors
/// When a setting of it is wrong.
pub fn settings(config: &Config, on_loopback: bool) -> anyhow::Result<Settings> {
    let (base_url, api_url) = (public_url(config, key::BASE_URL)?, public_url(config, key::API_URL)?);
    let allowed_hosts = config.get(key::ALLOWED_HOSTS).to_vec();
    check_addresses(config)?;
    let trusted_proxies =
        config.get(key::TRUSTED_PROXIES).iter().map(|text| network(text)).collect::<anyhow::Result<Vec<_>>>()?;
    let web_index = config.get(key::WEB_INDEX);
    anyhow::ensure!(
        !web_index || !base_url.is_empty(),
        "web_index: search engines need whole addresses; set base_url to the public URL, or web_index to false"
    );
    Ok(Settings {
        role: config.get(key::ROLE),
        key_ring_age_max: config.get(key::KEY_RING_AGE_MAX),
        commit: crate::COMMIT,
        commit_date: crate::COMMIT_DATE,
        any_host: !on_loopback && base_url.is_empty() && api_url.is_empty() && allowed_hosts.is_empty(),
        collections: config.collections.clone(),
        base_url,
        api_url,
        allowed_hosts,
        trusted_proxies,
        cors_origins: config.get(key::CORS_ORIGINS).to_vec(),
        work_threads: config.get(key::WORK_THREADS),
        max_age_secs: u32::try_from(config.get(key::MAX_AGE).as_secs()).unwrap_or(u32::MAX),
        compress_from_bytes: config.get(key::COMPRESS_FROM_BYTES),
        export_rows_max: config.get(key::EXPORT_ROWS_MAX),
        encoded_cache_bytes: config.get(key::ENCODED_CACHE_BYTES),
        detail_cache_bytes: config.get(key::DETAIL_CACHE_BYTES),
        page_cache_bytes: config.get(key::PAGE_CACHE_BYTES),
        limits: rate_limits(config),
        callers_max: config.get(key::RATE_LIMIT_ADDRESSES_MAX),
        require_key: config.get(key::REQUIRE_KEY),
        access_log: config.get(key::ACCESS_LOG),
        web: config.get(key::WEB),
        web_open: config.get(key::WEB_OPEN),
        web_index,
        web_title: config.get(key::WEB_TITLE).to_owned(),
        mcp_body_bytes_max: config.get(key::MCP_BODY_BYTES_MAX),
        mcp_page_size: config.get(key::MCP_PAGE_SIZE),
        mcp_resources_max: config.get(key::MCP_RESOURCES_MAX),
        mcp_prompts_max: config.get(key::MCP_PROMPTS_MAX),
        body_timeout: config.get(key::BODY_TIMEOUT),
        store: if config.get(key::DATABASE_URL).is_empty() { "sqlite" } else { "postgres" },
        ..Settings::default()
    })
}

/// The limits of callers.
pub fn rate_limits(config: &Config) -> RateLimits {
    RateLimits {
        anon_per_minute: config.count32(key::RATE_LIMIT_ANON),
        // A limit that somebody wrote down is meant for everybody.
        loopback_unlimited: !config.is_set(key::RATE_LIMIT_ANON),
        key_per_minute: config.count32(key::RATE_LIMIT_KEY),
    }
}

/// A network, or a single address as the network of itself.
fn network(text: &str) -> anyhow::Result<ipnet::IpNet> {
    let parsed = text.parse::<ipnet::IpNet>().or_else(|_| text.parse::<IpAddr>().map(ipnet::IpNet::from));
    if let Ok(network) = parsed {
        return Ok(network);
    }
    if let Some((address, prefix)) = text.split_once('/')
        && let Ok(address) = address.parse::<IpAddr>()
    {
        let (version, longest) = if address.is_ipv4() { (4, 32) } else { (6, 128) };
        anyhow::bail!(
            "trusted_proxies: {text:?} has the prefix {prefix:?}; that of an IPv{version} network is a number from 0 to {longest}"
        );
    }
    anyhow::bail!("trusted_proxies: {text:?} is not a network; write it as 10.0.0.0/8")
}

struct StoreReads {
    store: Store,
}

#[async_trait::async_trait]
impl StoreReader for StoreReads {
    async fn markdown(&self, body: &BodyRef) -> Result<Option<String>, StoreReadError> {
        self.store.body(&body.source_id, body.kind, &body.key).await.map_err(unread)
    }

    async fn raw(&self, body: &BodyRef) -> Result<Option<bytes::Bytes>, StoreReadError> {
        let record = self.store.record(&body.source_id, body.kind, &body.key).await.map_err(unread)?;
        Ok(record.filter(|record| record.withheld.is_none()).map(|record| record.bytes.into()))
    }

    async fn record(&self, row: i64, key: EvidenceKey) -> Result<RecordRead, StoreReadError> {
        let found = self.store.record_at(row).await.map_err(unread)?;
        // Numbers are given anew when a catalog is imported; the key is not.
        let found = found.filter(|found| EvidenceKey::new(&found.source_id, found.kind, &found.key) == key);
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

    async fn history(&self, source_id: &str, runs: u32) -> Result<SourceHistory, StoreReadError> {
        let runs = self.store.runs(source_id, runs).await.map_err(unread)?;
        let rejects = self.store.rejects(source_id).await.map_err(unread)?;
        Ok(SourceHistory { runs: runs.into_iter().map(source_run).collect(), rejects })
    }
}

fn unread(error: StoreError) -> StoreReadError {
    StoreReadError(error.to_string())
}

fn source_run(run: Run) -> SourceRun {
    SourceRun {
        started_at: run.started_at,
        duration_ms: run.duration_ms,
        outcome: run.outcome.as_str(),
        added: run.counts.added,
        changed: run.counts.changed,
        removed: run.counts.removed,
        error: run.error.map(|fault| SourceFault { code: fault.code, message: fault.message, at: Some(fault.at) }),
        note: run.note,
    }
}
