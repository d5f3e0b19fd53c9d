//! Questions about several items, or one in depth: compare, cost, resolve, conflicts. `docs/api.md#compare-cost-resolve-conflicts`.

use axum::response::Response;
use bytes::Bytes;
use refdesk_catalog::answer::{self, Incomparable};
use refdesk_core::Kind;
use refdesk_core::query::{CompareQuery, ConflictsQuery, CostQuery, ResolveQuery};

use super::catalog;
use crate::http::problem::{Problem, ProblemCode};
use crate::http::request::ApiRequest;
use crate::negotiation::JSON;

/// Items of a kind side by side.
pub(crate) fn compare(request: &ApiRequest, kind: Kind) -> Result<Response, Problem> {
    let params = request.params(&CompareQuery::NAMES);
    let query = CompareQuery::parse(&params)?;
    let compared = answer::compare(&request.snapshot, kind, &query.ids, &params.warnings);
    let json = compared.map_err(|why| incomparable(kind, &query.ids, &why, "/v1/resolve"))?;
    request.respond().data(JSON, || vec![Bytes::from(json)])
}

/// Why items cannot be compared; `resolve` is what tells the kind of an id.
pub(crate) fn incomparable(kind: Kind, ids: &[String], why: &Incomparable, resolve: &str) -> Problem {
    let Incomparable::OtherKind { id, kind: of } = why else { return CompareQuery::too_few(ids).into() };
    let shown = refdesk_core::clean::excerpt(id, 100);
    let detail = format!("{shown:?} is of the kind {}, not {}.", of.label(), kind.label());
    Problem::new(ProblemCode::InvalidQuery, "mixed kinds", detail)
        .with("param", "ids")
        .hint(format!("Send ids of one kind only; {resolve} shows the kind of each."))
}

/// Estimate what requests to a model cost at every seller, cheapest first.
#[utoipa::path(
    get, path = "/v1/cost", tag = "questions",
    responses(
        (status = 200, description = "A line for each seller; those of which a price is missing are last.", body = super::schema::CostAnswer),
        (status = 404, description = "No such model; `suggestions` has near ids.", body = super::schema::ProblemDocument, content_type = "application/problem+json"),
        super::schema::CommonErrors,
    )
)]
pub async fn cost(request: ApiRequest) -> Result<Response, Problem> {
    let params = request.params(&CostQuery::NAMES);
    let query = CostQuery::parse(&params)?;
    let (ordinal, _) = request.item(Kind::Model, &query.model)?;
    let json = || vec![Bytes::from(answer::cost(&request.snapshot, ordinal, &query, &params.warnings))];
    request.respond().data(JSON, json)
}

/// Resolve spellings to items: id, kind, seller and dated snapshot, with a confidence.
#[utoipa::path(
    get, path = "/v1/resolve", tag = "questions",
    responses(
        (status = 200, description = "One result for each spelling, in the order asked.", body = super::schema::ResolveAnswer),
        super::schema::CommonErrors,
    )
)]
pub async fn resolve(request: ApiRequest) -> Result<Response, Problem> {
    let params = request.params(&ResolveQuery::NAMES);
    let query = ResolveQuery::parse(&params)?;
    let base = request.base();
    let json = || vec![Bytes::from(answer::resolutions(&request.snapshot, &query, base, &params.warnings))];
    request.respond().data(JSON, json)
}

/// List where sources disagree, widest apart first: the value shown, why, and what other sources state.
#[utoipa::path(
    get, path = "/v1/conflicts", tag = "questions",
    responses(
        (status = 200, description = "A page. `limit` shows the size applied.", body = super::schema::ConflictsAnswer),
        super::schema::CommonErrors,
    )
)]
pub async fn conflicts(request: ApiRequest) -> Result<Response, Problem> {
    let params = request.params(&ConflictsQuery::NAMES);
    let query = ConflictsQuery::parse(&params)?;
    if let Some(not_modified) = request.respond().not_modified(JSON, "")? {
        return Ok(not_modified);
    }
    let (json, next_offset) = answer::conflicts(&request.snapshot, &query, &params.warnings);
    catalog::page(&request, vec![Bytes::from(json)], query.limit, next_offset)
}
