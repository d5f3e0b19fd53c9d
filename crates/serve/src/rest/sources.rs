//! `GET /v1/sources/status`: the operations view of all sources. `docs/api.md#health-and-sources`.

use axum::response::Response;
use refdesk_catalog::snapshot::Stats;
use refdesk_core::Stamp;
use serde::Serialize;

use super::Call;
use crate::desk::{Desk, SourceState, SourceStatus};
use crate::problem::Problem;
use crate::reply::JSON;

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
#[expect(missing_docs, reason = "the contract documents each by its name")]
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

/// The answer for the sources as they stand at `now`; due times and staleness follow the clock.
pub fn answer(desk: &Desk) -> SourcesAnswer {
    answer_of(desk.sources().as_ref().clone(), desk.snapshot().stats(), desk.now())
}

/// The same for the command line, which has no desk.
pub fn answer_of(mut sources: Vec<SourceStatus>, stats: &Stats, now: Stamp) -> SourcesAnswer {
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
pub async fn sources_status(call: Call) -> Result<Response, Problem> {
    let mut json = Vec::new();
    refdesk_catalog::json::write(&mut json, &answer(&call.desk));
    let hash = refdesk_core::hash::content_hash(&json);
    let mut response = call.asked().content(JSON, &hash, json.into());
    // It changes when a source does, which no revision of the catalog tells: to be asked each time, and answered with a 304 mostly.
    response.headers_mut().insert(http::header::CACHE_CONTROL, http::HeaderValue::from_static("no-cache"));
    Ok(response)
}
