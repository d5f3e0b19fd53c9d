//! Frameworks: search, route, list and detail. `docs/api.md#frameworks`.

use axum::response::Response;
use bytes::Bytes;
use refdesk_catalog::answer;
use refdesk_core::Kind;
use refdesk_core::query::{FrameworkSearchQuery, RouteQuery};

use super::{Call, catalog};
use crate::problem::Problem;
use crate::reply::JSON;
use crate::semantic;

/// Search frameworks by name, alias or topic.
#[utoipa::path(
    get, path = "/v1/frameworks/search", tag = "frameworks",
    params(super::schema::FrameworkSearchParams),
    responses(
        (status = 200, description = "Card summaries, best first.", body = super::schema::FrameworkSearchAnswer),
        super::schema::CommonErrors,
    )
)]
pub async fn search_frameworks(call: Call) -> Result<Response, Problem> {
    let params = call.params(&FrameworkSearchQuery::NAMES);
    let query = FrameworkSearchQuery::read(&params)?;
    Ok(call.asked().data(JSON, || {
        vec![Bytes::from(answer::framework_search(&call.snapshot, &query, call.base(), &params.warnings))]
    }))
}

/// Route a problem, in a person's own words, to the framework that fits.
#[utoipa::path(
    get, path = "/v1/frameworks/route", tag = "frameworks",
    params(super::schema::RouteParams),
    responses(
        (status = 200, description = "The card that fits, why, and the next best.", body = super::schema::RouteAnswer),
        super::schema::CommonErrors,
    )
)]
pub async fn route_framework(call: Call) -> Result<Response, Problem> {
    let mut params = call.params(&RouteQuery::NAMES);
    let mut query = RouteQuery::read(&params)?;
    let meaning = semantic::of_route(&call.desk, &call.snapshot, &mut query, &mut params.warnings).await;
    let eval = call.desk.evaluation();
    Ok(call.asked().data_with(JSON, &format!("{eval:?} {}", meaning.mark), || {
        let asked = answer::Routed { query: &query, near: meaning.near.as_deref(), eval: eval.as_ref() };
        vec![Bytes::from(answer::route(&call.snapshot, &asked, call.base(), &params.warnings))]
    }))
}

/// List frameworks, ordered by id.
#[utoipa::path(
    get, path = "/v1/frameworks/list", tag = "frameworks",
    params(super::schema::FrameworkListParams),
    responses(
        (status = 200, description = "A page. `limit` shows the size applied.", body = super::schema::FrameworkList),
        super::schema::CommonErrors,
    )
)]
pub async fn list_frameworks(call: Call) -> Result<Response, Problem> {
    catalog::list(&call, Kind::Framework)
}

/// Get one framework card by id or by any alias, with its evidence.
#[utoipa::path(
    get, path = "/v1/frameworks/{id}", tag = "frameworks",
    params(("id" = String, Path, description = "Id or alias."), super::schema::FrameworkDetailParams),
    responses(
        (status = 200, description = "The card.", body = super::schema::FrameworkDetail),
        (status = 404, description = "No such card; `suggestions` has near ids.", body = super::schema::ProblemDocument, content_type = "application/problem+json"),
        super::schema::CommonErrors,
    )
)]
pub async fn get_framework(call: Call) -> Result<Response, Problem> {
    catalog::detail(&call, Kind::Framework).await
}
