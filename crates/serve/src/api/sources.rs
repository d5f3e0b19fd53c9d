//! `GET /v1/sources/status`: the status of all sources, for operators. `docs/api.md#health-and-sources`.

use axum::response::Response;
use refdesk_catalog::snapshot::Stats;
use refdesk_core::Stamp;
use serde::Serialize;

use crate::http::problem::Problem;
use crate::http::request::ApiRequest;
use crate::negotiation::JSON;
use crate::state::{AppState, SourceState, SourceStatus};

/// All sources and a summary.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct SourcesAnswer {
    /// Every configured source, and every other that has facts.
    pub sources: Vec<SourceStatus>,
    /// How many stand where.
    pub summary: SourcesSummary,
}

/// How many sources stand where.
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
    sources_answer(state.sources().as_ref().clone(), state.snapshot().stats(), state.now())
}

/// The answer for given statuses; the command line has no [`AppState`].
pub fn sources_answer(mut sources: Vec<SourceStatus>, stats: &Stats, now: Stamp) -> SourcesAnswer {
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
            SourceState::Never => &mut summary.never,
            SourceState::Syncing => &mut summary.syncing,
            SourceState::Ok => &mut summary.ok,
            SourceState::Failed => &mut summary.failed,
            SourceState::Quarantined => &mut summary.quarantined,
            SourceState::Disabled => &mut summary.disabled,
            SourceState::Orphaned => &mut summary.orphaned,
        } += 1;
    }
    SourcesAnswer { sources, summary }
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
    let mut json = Vec::new();
    refdesk_catalog::json::write(&mut json, &answer(&request.state));
    let hash = refdesk_core::hash::content_hash(&json);
    let mut response = request.respond().content(JSON, &hash, json.into())?;
    // It changes with every sync, without a new revision of the catalog: clients revalidate it each time, and mostly get a 304.
    response.headers_mut().insert(http::header::CACHE_CONTROL, http::HeaderValue::from_static("no-cache"));
    Ok(response)
}
