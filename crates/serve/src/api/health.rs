//! Health, liveness, readiness, version and metrics. None of them calls an upstream or waits for the store.

#![expect(missing_docs, reason = "each field is described by its name in docs/api.md")]

use std::collections::BTreeMap;

use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use refdesk_catalog::snapshot::Stats;
use refdesk_core::{Kind, Stamp};
use serde::Serialize;

use crate::http::problem::Problem;
use crate::http::request::ApiRequest;
use crate::negotiation::JSON;
use crate::settings::LocalToken;
use crate::state::AppState;
use crate::state::rate_counter::CounterBackend;
use refdesk_core::source_status::StatusWord;

/// Their paths. Every node answers them, and they are valid for a moment only: they have no entity tag.
pub(crate) const PATHS: [&str; 5] = ["/health", "/livez", "/readyz", "/version", "/metrics"];

/// `GET /health`: `docs/api.md#health-and-sources`.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Health {
    pub service: String,
    /// `ok`, `degraded` or `unavailable`.
    #[schema(value_type = String)]
    pub status: HealthStatus,
    /// Why it is not `ok`.
    pub reasons: Vec<String>,
    pub version: String,
    pub uptime_seconds: i64,
    pub catalog_revision: String,
    pub data_quality: DataQuality,
    pub data_freshness: DataFreshness,
    pub runtime: Runtime,
}

/// Whether the service can answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum HealthStatus {
    Ok,
    Degraded,
    Unavailable,
}

/// How good the answers are.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct DataQuality {
    /// `fresh`, `partly_stale` or `stale`.
    pub freshness_status: String,
    /// `OK` or `NOT_RUN`.
    pub latest_eval_status: String,
    pub top1_accuracy: Option<f64>,
    pub top3_recall: Option<f64>,
    pub eval_n: Option<usize>,
    pub eval_at: Option<Stamp>,
}

/// How fresh the catalog is.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct DataFreshness {
    pub total_entities: usize,
    pub stale_entities: usize,
    pub source_errors: usize,
    pub oldest_verified_at: Option<Stamp>,
    pub by_type: BTreeMap<String, TypeFreshness>,
}

/// Freshness of one kind.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct TypeFreshness {
    pub total: usize,
    pub stale: usize,
}

/// How it runs.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Runtime {
    pub store: String,
    /// What this node does among several: `all`, `reader` or `syncer`.
    pub role: String,
    /// Whether this node syncs and builds.
    pub leader: bool,
    /// Epoch of the lease under which it does; null on a single machine and on nodes that do not sync.
    pub lease_epoch: Option<i64>,
    /// Seconds since its API keys were last confirmed to be those of the store.
    pub keys_age_seconds: i64,
    /// How search can rank: `lexical`, or `hybrid (available)` beside it with `mode=hybrid`.
    pub search_mode: String,
    /// The operator's model for `mode=hybrid`.
    pub embedding_model: Option<String>,
    pub rate_limit: RateLimitInfo,
}

/// The limits in force; 0 is off.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RateLimitInfo {
    #[schema(value_type = String)]
    pub mode: RateLimitMode,
    /// Where requests are counted: `local`, each node by itself, or `redis`, all nodes together.
    #[schema(value_type = String)]
    pub backend: CounterBackend,
    pub limit_per_minute: u32,
    pub key_limit_per_minute: u32,
}

/// Whether requests are limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RateLimitMode {
    Off,
    PerMinute,
}

fn rate_limit_info(state: &AppState) -> RateLimitInfo {
    let limits = state.limits();
    let has_limit = limits.anon_per_minute > 0 || limits.key_per_minute > 0;
    RateLimitInfo {
        mode: if has_limit { RateLimitMode::PerMinute } else { RateLimitMode::Off },
        backend: state.rate_counter.backend(),
        limit_per_minute: limits.anon_per_minute,
        key_limit_per_minute: limits.key_per_minute,
    }
}

/// The health of the service at this moment.
pub(crate) fn current_health(state: &AppState) -> (StatusCode, Health) {
    let snapshot = state.snapshot();
    let is_empty = snapshot.stats().total() == 0;
    let reasons = reasons(state, snapshot.stats());
    let status = match (is_empty, reasons.is_empty()) {
        (true, _) => HealthStatus::Unavailable,
        (false, false) => HealthStatus::Degraded,
        (false, true) => HealthStatus::Ok,
    };
    let health = Health {
        service: "refdesk".into(),
        status,
        reasons,
        version: env!("CARGO_PKG_VERSION").into(),
        uptime_seconds: state.started_at.elapsed().as_secs().cast_signed(),
        catalog_revision: snapshot.revision().to_owned(),
        data_quality: data_quality(state, snapshot.stats()),
        data_freshness: data_freshness(state, snapshot.stats()),
        runtime: runtime(state, snapshot.generation()),
    };
    (if is_empty { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK }, health)
}

/// Why it is not `ok`.
fn reasons(state: &AppState, stats: &Stats) -> Vec<String> {
    let mut reasons: Vec<String> = state.faults().iter().map(|(part, fault)| format!("{part}: {fault}")).collect();
    if let Some(fault) = state.rate_counter.fault() {
        reasons.push(format!("rate_limit: {fault}"));
    }
    for source in state.sources().iter() {
        if matches!(source.status, StatusWord::Failed | StatusWord::Quarantined) {
            let code = source.error.as_ref().map_or("failed", |error| error.code.as_str());
            reasons.push(format!("source {}: {code}", source.id));
        }
    }
    if stats.total() == 0 {
        reasons.push("the catalog is empty".to_owned());
    } else if stats.stale() == stats.total() {
        reasons.push("every fact is stale: sync the sources, or see /v1/sources/status for why they fail".to_owned());
    }
    reasons
}

fn data_quality(state: &AppState, stats: &Stats) -> DataQuality {
    let eval = state.evaluation();
    DataQuality {
        freshness_status: match (stats.stale(), stats.total()) {
            (0, _) => "fresh",
            (stale, total) if stale == total => "stale",
            _ => "partly_stale",
        }
        .into(),
        latest_eval_status: if eval.is_some() { "OK" } else { "NOT_RUN" }.into(),
        top1_accuracy: eval.as_ref().map(|eval| eval.top1),
        top3_recall: eval.as_ref().map(|eval| eval.top3),
        eval_n: eval.as_ref().map(|eval| eval.n),
        eval_at: eval.as_ref().map(|eval| eval.evaluated_at),
    }
}

fn data_freshness(state: &AppState, stats: &Stats) -> DataFreshness {
    let of_kind = |kind: &Kind| {
        let (total, stale) = stats.by_kind[kind.index()];
        (kind.singular().to_owned(), TypeFreshness { total, stale })
    };
    DataFreshness {
        total_entities: stats.total(),
        stale_entities: stats.stale(),
        source_errors: state.sources().iter().filter(|source| source.error.is_some() && source.enabled).count(),
        oldest_verified_at: stats.verified.oldest,
        by_type: Kind::ALL.iter().map(of_kind).collect(),
    }
}

fn runtime(state: &AppState, generation: u64) -> Runtime {
    Runtime {
        store: state.settings.store.into(),
        role: state.node.role().as_str().into(),
        leader: state.node.is_leader(),
        lease_epoch: state.node.lease_epoch(),
        keys_age_seconds: state.node.keys_age_secs().cast_signed(),
        search_mode: search_mode(state, generation),
        embedding_model: state.semantic().map(|semantic| semantic.name().to_owned()),
        rate_limit: rate_limit_info(state),
    }
}

/// How search can rank at this moment.
fn search_mode(state: &AppState, generation: u64) -> String {
    let Some(semantic) = state.semantic() else { return "lexical".into() };
    match semantic.vectors(generation).map(|vectors| (vectors.matrix.len(), vectors.wanted)) {
        Some((ready, wanted)) if ready > 0 && ready >= wanted => "hybrid (available)".into(),
        Some((ready, wanted)) if ready > 0 => format!("hybrid (available, {ready} of {wanted} vectors so far)"),
        _ => "lexical (vectors are being computed)".into(),
    }
}

/// Show the health of the service: whether it can answer, how fresh its data is, and the router's last evaluation.
#[utoipa::path(
    get, path = "/health", tag = "operations",
    responses(
        (status = 200, description = "`ok` or `degraded`.", body = Health),
        (status = 503, description = "It cannot answer from a catalog.", body = Health),
        super::schema::CommonErrors,
    )
)]
pub async fn health(request: ApiRequest) -> Result<Response, Problem> {
    let (status, health) = current_health(&request.state);
    uncached((status, [(header::CONTENT_TYPE, JSON)], refdesk_catalog::json::rendered(&health)))
}

/// Liveness: the process is running.
#[utoipa::path(get, path = "/livez", tag = "operations", responses((status = 200, description = "It runs.", body = String, content_type = "text/plain"), super::schema::CommonErrors))]
pub async fn livez(_: ApiRequest) -> Result<Response, Problem> {
    uncached("ok\n")
}

/// Readiness: a catalog is loaded, and the node is not about to stop.
#[utoipa::path(get, path = "/readyz", tag = "operations", responses((status = 200, description = "Ready.", body = String, content_type = "text/plain"), (status = 503, description = "No catalog yet, or about to stop.", body = String, content_type = "text/plain"), super::schema::CommonErrors))]
pub async fn readyz(request: ApiRequest) -> Result<Response, Problem> {
    if request.state.node.is_draining() {
        return uncached((StatusCode::SERVICE_UNAVAILABLE, "draining\n"));
    }
    if request.snapshot.stats().total() == 0 {
        return uncached((StatusCode::SERVICE_UNAVAILABLE, "no catalog yet\n"));
    }
    uncached("ready\n")
}

/// Name and version of the program.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Version {
    /// Always `refdesk`.
    pub name: String,
    /// Semantic version.
    pub version: String,
    /// Commit that the program was built from; `unknown` if there was no repository.
    pub commit: String,
    /// When that commit was made, or the time that the packager set; `unknown` if neither is known.
    pub commit_date: String,
    /// Revision of the catalog.
    pub catalog_revision: String,
    /// Number of the snapshot.
    pub generation: u64,
    /// SHA-256 of the token by which commands on the desk's own machine recognise their desk; `null` if there is none.
    pub local_token_sha256: Option<String>,
}

/// Show the versions of the program and the catalog.
#[utoipa::path(get, path = "/version", tag = "operations", responses((status = 200, description = "The version.", body = Version), super::schema::CommonErrors))]
pub async fn version(request: ApiRequest) -> Result<Response, Problem> {
    let snapshot = &request.snapshot;
    let version = Version {
        name: "refdesk".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        commit: request.state.settings.commit.into(),
        commit_date: request.state.settings.commit_date.into(),
        catalog_revision: snapshot.revision().to_owned(),
        generation: snapshot.generation(),
        local_token_sha256: request.state.settings.local_token.as_ref().map(|token| LocalToken::proof_of(token.text())),
    };
    uncached(axum::Json(version))
}

/// Metrics for Prometheus.
#[utoipa::path(get, path = "/metrics", tag = "operations", responses((status = 200, description = "Text exposition format.", body = String, content_type = "text/plain"), super::schema::CommonErrors))]
pub async fn metrics(request: ApiRequest) -> Result<Response, Problem> {
    // Ages are of the moment at which they are read.
    request.state.node.show_ages();
    let media_type = "text/plain; version=0.0.4; charset=utf-8";
    uncached(([(header::CONTENT_TYPE, media_type)], request.state.metrics.render()))
}

#[expect(clippy::unnecessary_wraps, reason = "the type that handlers return")]
fn uncached(answer: impl IntoResponse) -> Result<Response, Problem> {
    Ok(([(header::CACHE_CONTROL, "no-store")], answer).into_response())
}
