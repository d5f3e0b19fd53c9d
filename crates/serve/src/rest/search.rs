//! `GET /v1/search`.

use axum::response::Response;
use bytes::Bytes;
use refdesk_catalog::answer;
use refdesk_core::query::SearchQuery;

use super::{Call, documents};
use crate::problem::Problem;
use crate::reply::JSON;
use crate::semantic;

/// Search models, tools, skills, tutorials, MCP servers and documents by name or by need.
#[utoipa::path(
    get, path = "/v1/search", tag = "search",
    params(super::schema::SearchParams),
    responses(
        (status = 200, description = "Hits, best first. Nothing relevant: an empty `results` with `suggestions`.", body = super::schema::SearchAnswer,
         headers(("ETag" = String, description = "Strong entity tag."))),
        super::schema::CommonErrors,
    )
)]
pub async fn search(call: Call) -> Result<Response, Problem> {
    let mut params = call.params(&SearchQuery::NAMES);
    let mut query = SearchQuery::read(&params)?;
    let meaning = semantic::of_search(&call.desk, &call.snapshot, &mut query, &mut params.warnings).await;
    let outcome = answer::find(&call.snapshot, &query, meaning.near.as_ref());
    let texts = if query.include_markdown {
        documents::of_hits(&call.desk, &call.snapshot, &outcome).await?
    } else {
        std::collections::HashMap::new()
    };
    let markdown = |ordinal: u32| texts.get(&ordinal).cloned();
    Ok(call.asked().data_with(JSON, &meaning.mark, || {
        vec![Bytes::from(answer::search(&call.snapshot, &query, &outcome, &markdown, call.base(), &params.warnings))]
    }))
}
