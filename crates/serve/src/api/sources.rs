//! `GET /v1/sources/status`: the status of all sources, for operators. `docs/api.md#health-and-sources`.

use axum::response::Response;
use refdesk_catalog::snapshot::Stats;
use refdesk_core::Stamp;
use serde::Serialize;

use super::catalog::tell_ignored;
use crate::http::problem::Problem;
use crate::http::request::ApiRequest;
use crate::negotiation::JSON;
use crate::state::AppState;
use refdesk_core::source_status::{SourceStatus, StatusWord};

/// All sources and a summary.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct SourcesAnswer {
    /// Every configured source, and every other that has facts.
    pub sources: Vec<SourceStatus>,
    /// Number of sources by status.
    pub summary: SourcesSummary,
    /// The oldest check among the facts that are shown.
    pub oldest_verified_at: Option<Stamp>,
    /// When a source was last found to state what is shown.
    pub last_verified_at: Option<Stamp>,
    /// How the facts are brought up to date, in a sentence.
    pub refreshing: String,
}

/// Number of sources by status.
#[derive(Debug, Default, Serialize, utoipa::ToSchema)]
#[expect(missing_docs, reason = "each field is described by its name in docs/api.md")]
pub struct SourcesSummary {
    pub ok: usize,
    pub failed: usize,
    pub due: usize,
    pub never: usize,
    pub syncing: usize,
    pub quarantined: usize,
    pub disabled: usize,
    /// Sources that are not configured and have facts.
    pub orphaned: usize,
    /// Prices that are withheld, of all sources.
    pub withheld: usize,
}

/// The answer at this moment; what is due and what is stale depends on the clock.
pub(crate) fn answer(state: &AppState) -> SourcesAnswer {
    let (sources, refreshing) = (state.sources().as_ref().clone(), state.refreshing());
    sources_answer(sources, state.snapshot().stats(), &refreshing, state.now())
}

/// The answer for given statuses; the command line has no [`AppState`].
pub fn sources_answer(mut sources: Vec<SourceStatus>, stats: &Stats, refreshing: &str, now: Stamp) -> SourcesAnswer {
    let mut summary = SourcesSummary::default();
    for source in &mut sources {
        source.refresh_due = source.enabled && source.next_due_at.is_none_or(|due| due <= now);
        if let Some(stats) = stats.by_source.get(source.id.as_str()) {
            source.counts.stale = stats.stale;
            source.counts.withheld = stats.withheld;
        }
        summary.withheld += source.counts.withheld;
        summary.due += usize::from(source.refresh_due);
        *match source.status {
            StatusWord::Never => &mut summary.never,
            StatusWord::Syncing => &mut summary.syncing,
            StatusWord::Ok => &mut summary.ok,
            StatusWord::Failed => &mut summary.failed,
            StatusWord::Quarantined => &mut summary.quarantined,
            StatusWord::Disabled => &mut summary.disabled,
            StatusWord::Orphaned => &mut summary.orphaned,
        } += 1;
    }
    let last_verified_at = sources.iter().filter_map(|source| source.last_verified_at).max();
    let (oldest_verified_at, refreshing) = (stats.verified.oldest, refreshing.to_owned());
    SourcesAnswer { sources, summary, oldest_verified_at, last_verified_at, refreshing }
}

/// Show where every source stands: last sync, next due, errors, counts.
#[utoipa::path(
    get, path = "/v1/sources/status", tag = "operations",
    responses(
        (status = 200, description = "All sources.", body = SourcesAnswer),
        super::schema::CommonErrors,
    )
)]
pub async fn sources_status(request: ApiRequest) -> Result<Response, Problem> {
    let json = refdesk_catalog::json::rendered(&answer(&request.state));
    let hash = refdesk_core::hash::content_hash(&json);
    let mut response = request.respond().content(JSON, &hash, json.into())?;
    // It changes with every sync, without a new revision of the catalog: clients revalidate it each time, and mostly get a 304.
    let cache_control = if request.caller.has_key() { "private, no-cache" } else { "no-cache" };
    response.headers_mut().insert(http::header::CACHE_CONTROL, http::HeaderValue::from_static(cache_control));
    tell_ignored(&mut response, &request)?;
    Ok(response)
}
