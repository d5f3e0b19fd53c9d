//! `GET /v1/search`. The entity tag is known before the search, so neither a client that has the answer nor one that is kept costs a search.

use axum::response::Response;
use bytes::Bytes;
use refdesk_catalog::answer::{self, Export};
use refdesk_core::query::{Format, SearchQuery};

use super::catalog::{accepted_format, table};
use super::full_texts;
use crate::http::problem::Problem;
use crate::http::request::ApiRequest;
use crate::negotiation::JSON;
use crate::state::hybrid::HybridPlan;
use crate::state::metrics::SearchKind;

/// Search models, tools, skills, tutorials, MCP servers and documents by name or by need.
#[utoipa::path(
    get, path = "/v1/search", tag = "search",
    responses(
        (status = 200, description = "Hits, best first. Nothing relevant: an empty `results` with `suggestions`.", body = super::schema::SearchAnswer),
        super::schema::CommonErrors,
    )
)]
pub async fn search(request: ApiRequest) -> Result<Response, Problem> {
    answer(&request, request.pairs()).await
}

/// The answer to the parameters `pairs`, which are all or some of those of the request.
pub(crate) async fn answer<'r>(
    request: &'r ApiRequest,
    pairs: impl Iterator<Item = (&'r str, &'r str)>,
) -> Result<Response, Problem> {
    let mut params = SearchQuery::params(pairs);
    let mut query = SearchQuery::parse(&params)?;
    let snapshot = request.shown(query.collection.as_deref())?;
    if query.kind.is_some() && params.get("format").is_none() {
        query.selection.format = accepted_format(request);
    }
    let media_type = Export::media_type(query.selection.format);
    let plan = HybridPlan::new(&request.state, &snapshot, query.mode);
    let part = [&*plan.entity_tag_part(), request.links_part()].concat();
    if let Some(ready) = request.respond().ready(media_type, &part)? {
        return Ok(ready);
    }
    let similarities = plan.item_similarities(&snapshot, &mut query, &mut params.warnings).await?;
    request.state.metrics.search(SearchKind::Catalog);
    let searched = answer::find(&snapshot, &query, similarities.as_ref());
    if let Some(kind) = query.kind.filter(|_| query.selection.format != Format::Json) {
        let export = Export::of_hits(snapshot, kind, &query, &searched);
        return table(request, media_type, &part, export, &params.warnings);
    }
    let texts = full_texts::of_hits(&request.state, &snapshot, &query, &searched).await?;
    let answer = answer::search(&snapshot, &query, &searched, &texts, request.base(), &params.warnings);
    request.respond().computed(JSON, &part, vec![Bytes::from(answer.json)])
}
