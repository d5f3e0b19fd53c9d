//! `search_catalog`: searches as `/v1/search` does, and truncates full texts and hits that are too long for a model.

use std::collections::HashMap;

use bytes::Bytes;
use refdesk_catalog::answer as catalog;
use refdesk_core::Kind;
use refdesk_core::query::{Params, SearchQuery};
use refdesk_search::SearchOutcome;

use super::answer::{Citations, ToolAnswer};
use super::arguments::Arguments;
use super::{TEXT_MARGIN_BYTES, truncation};
use crate::api::full_texts;
use crate::api::hybrid::HybridPlan;
use crate::http::problem::Problem;
use crate::mcp::CATALOG_BYTES_MAX;
use crate::mcp::protocol::request::McpRequest;
use crate::state::metrics::SearchKind;

pub(super) async fn search_catalog(request: &McpRequest<'_>, arguments: &Arguments) -> Result<ToolAnswer, Problem> {
    let kind = arguments.kind(&Kind::SEARCHED)?.map(|kind| ("type", kind.search_type()));
    let mut params = Params::new(arguments.pairs_without(&["type"]).chain(kind), &SearchQuery::NAMES);
    let mut query = SearchQuery::read(&params)?;
    let snapshot = &request.snapshot;
    let mut plan = HybridPlan::new(request.state, snapshot, query.mode);
    let similarities = plan.item_similarities(snapshot, &mut query, &mut params.warnings).await;
    request.state.metrics.search(SearchKind::Catalog);
    let mut outcome = catalog::find(snapshot, &query, similarities.as_ref());
    let base = &request.state.settings.base_url;
    let render = |outcome: &SearchOutcome, texts: &HashMap<u32, Bytes>| {
        let markdown = |ordinal: u32| texts.get(&ordinal).cloned();
        catalog::search(snapshot, &query, outcome, &markdown, base, &params.warnings)
    };
    let mut texts = if query.include_markdown {
        full_texts::of_hits(request.state, snapshot, &outcome).await?
    } else {
        HashMap::new()
    };
    let mut json = render(&outcome, &texts);
    let mut continuations = Vec::new();
    if json.len() > CATALOG_BYTES_MAX && !texts.is_empty() {
        let without = render(&outcome, &HashMap::new()).len();
        let each = CATALOG_BYTES_MAX.saturating_sub(without + TEXT_MARGIN_BYTES) / texts.len();
        for (ordinal, text) in &mut texts {
            let whole = String::from_utf8_lossy(text).into_owned();
            let (end, chars) = truncation::prefix(&whole, usize::MAX, each);
            if end < whole.len() {
                *text = Bytes::from(whole[..end].to_owned());
                let id = snapshot.id(*ordinal);
                continuations
                    .push(format!("read_document with id={id} and offset={chars} gives the rest of that text"));
            }
        }
        continuations.sort();
        json = render(&outcome, &texts);
    }
    let found = outcome.hits.len();
    while json.len() > CATALOG_BYTES_MAX && outcome.hits.len() > 1 {
        let keep = outcome.hits.len() * CATALOG_BYTES_MAX / json.len();
        outcome.hits.truncate(keep.clamp(1, outcome.hits.len() - 1));
        json = render(&outcome, &texts);
    }
    if outcome.hits.len() < found {
        let shown = outcome.hits.len();
        continuations.push(format!("only the best {shown} hits are shown; narrow the question or set type for others"));
    }
    let items = outcome.hits.iter().map(|hit| hit.ordinal).collect();
    let how_to_continue = (!continuations.is_empty()).then(|| continuations.join("; "));
    let answer = ToolAnswer { json, items, citations: Citations::Each("results"), how_to_continue };
    answer.bounded("get_item gives one of them in full")
}
