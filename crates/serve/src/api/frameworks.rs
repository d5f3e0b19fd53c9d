//! Frameworks: search and route. `docs/api.md#frameworks`.

use axum::response::Response;
use bytes::Bytes;
use refdesk_catalog::answer;
use refdesk_core::query::{FrameworkSearchQuery, RouteQuery};

use crate::http::problem::Problem;
use crate::http::request::ApiRequest;
use crate::negotiation::JSON;
use crate::state::hybrid::HybridPlan;
use crate::state::metrics::SearchKind;

/// Search frameworks by name, alias or topic.
#[utoipa::path(
    get, path = "/v1/frameworks/search", tag = "frameworks",
    responses(
        (status = 200, description = "Card summaries, best first.", body = super::schema::FrameworkSearchAnswer),
        super::schema::CommonErrors,
    )
)]
pub async fn search_frameworks(request: ApiRequest) -> Result<Response, Problem> {
    let params = request.params(&FrameworkSearchQuery::NAMES);
    let query = FrameworkSearchQuery::parse(&params)?;
    let snapshot = request.shown(query.collection.as_deref())?;
    if let Some(ready) = request.respond().ready(JSON, request.links_part())? {
        return Ok(ready);
    }
    request.state.metrics.search(SearchKind::Frameworks);
    let body = answer::framework_search(&snapshot, &query, request.base(), &params.warnings).json;
    request.respond().computed(JSON, request.links_part(), vec![Bytes::from(body)])
}

/// Route a problem, in a person's own words, to the framework that fits.
#[utoipa::path(
    get, path = "/v1/frameworks/route", tag = "frameworks",
    responses(
        (status = 200, description = "The card that fits, why, and the next best.", body = super::schema::RouteAnswer),
        super::schema::CommonErrors,
    )
)]
pub async fn route_framework(request: ApiRequest) -> Result<Response, Problem> {
    let mut params = request.params(&RouteQuery::NAMES);
    let mut query = RouteQuery::parse(&params)?;
    let evaluation = request.state.evaluation_of(&request.snapshot);
    let plan = HybridPlan::new(&request.state, &request.snapshot, query.mode);
    let part = |plan: &HybridPlan| format!("{evaluation:?} {}{}", plan.entity_tag_part(), request.links_part());
    if let Some(ready) = request.respond().ready(JSON, &part(&plan))? {
        return Ok(ready);
    }
    let near = plan.card_similarities(&request.snapshot, &query.text, &mut query.mode, &mut params.warnings).await?;
    request.state.metrics.search(SearchKind::Route);
    let (near, eval) = (near.as_deref(), evaluation.as_ref());
    let body = answer::route(&request.snapshot, &query, near, eval, request.base(), &params.warnings).json;
    request.respond().computed(JSON, &part(&plan), vec![Bytes::from(body)])
}
