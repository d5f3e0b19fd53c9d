//! `search_catalog`: searches as `/v1/search` does, and truncates full texts and hits that are too long for a model.

use std::collections::HashMap;

use refdesk_catalog::answer::{self as catalog, HitTexts, Searched};
use refdesk_catalog::partial_json::read_members;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::query::{PriceOf, SearchQuery};

use super::answer::{ToolAnswer, name_call};
use super::arguments::Arguments;
use super::projection::{Projection, is_asked, read_from};
use super::{TEXT_MARGIN_BYTES, filters, json_size};
use crate::api::full_texts;
use crate::http::problem::Problem;
use crate::http::request::shown;
use crate::mcp::CATALOG_BYTES_MAX;
use crate::mcp::protocol::request::McpRequest;
use crate::state::hybrid::HybridPlan;
use crate::state::metrics::SearchKind;

/// A full text of which fewer bytes would be left is left out of a search.
const LEGIBLE_TEXT_BYTES: usize = 2_000;

pub(super) async fn search_catalog(request: &McpRequest<'_>, arguments: &Arguments) -> Result<ToolAnswer, Problem> {
    let kind = arguments.kind(&Kind::SEARCHED)?;
    let sent_filters = arguments.filters(kind)?;
    let named = kind.map(|kind| ("type", kind.search_type()));
    let pairs = arguments.pairs_without(&["type", "filters", "full"]).chain(named);
    let mut params =
        SearchQuery::params(pairs.chain(sent_filters.iter().map(|(name, value)| (name.as_str(), value.as_str()))));
    let mut query = SearchQuery::parse(&params).map_err(|error| filters::problem(error, &sent_filters))?;
    let snapshot = &shown(&request.generation, &request.snapshot, query.collection.as_deref())?;
    let plan = HybridPlan::new(request.state, snapshot, query.mode);
    let similarities = plan.item_similarities(snapshot, &mut query, &mut params.warnings).await?;
    request.state.metrics.search(SearchKind::Catalog);
    let mut searched = catalog::find(snapshot, &query, similarities.as_ref());
    searched.warnings.iter_mut().for_each(name_call);
    let mut texts = full_texts::of_hits(request.state, snapshot, &query, &searched).await?;
    let mut asked = filters::asked_paths(&query.selection);
    asked.extend(searched.understood.list().iter().flat_map(|list| filters::asked_paths(&list.selection)));
    let is_full = arguments.flag("full")?;
    let answer_of = |searched: &Searched, texts: &HitTexts| {
        let json = catalog::search(snapshot, &query, searched, texts, request.base, &params.warnings).json;
        let projection = Projection::Hits { list: "results", asked: &asked };
        let mut answer = ToolAnswer::of_list(&json, "results", ordinals(searched), projection, arguments)?;
        if !is_full {
            let selection = searched.selection(&query);
            add_row_values(&mut answer, snapshot, selection.price_of(), searched.fresh_only(&query), &asked);
        }
        answer.projected(projection, snapshot, arguments)
    };
    let texts_bytes = texts.markdown.values().map(String::len).sum::<usize>();
    let hits_bytes_max = CATALOG_BYTES_MAX - texts_bytes.min(CATALOG_BYTES_MAX / 2);
    let mut answer = answer_of(&searched, &texts.without_markdown())?;
    let fewer = answer.fit_list("results", hits_bytes_max);
    let mut continuations = Vec::new();
    if !texts.markdown.is_empty() {
        searched.outcome.hits.truncate(answer.items.len());
        let room = CATALOG_BYTES_MAX.saturating_sub(answer.bytes() + TEXT_MARGIN_BYTES);
        continuations = share_room(&mut texts.markdown, &ordinals(&searched), room, snapshot);
        answer = answer_of(&searched, &texts)?;
    }
    continuations.extend(
        fewer.map(|shown| format!("only the best {shown} hits are shown; narrow the question or set type for others")),
    );
    Ok(answer.with_continuations(continuations).bounded("get_item gives one of them in full"))
}

fn ordinals(searched: &Searched) -> Vec<u32> {
    searched.outcome.hits.iter().map(|hit| hit.ordinal).collect()
}

/// Shares what room there is among the full texts of hits, the best first. A text of which next to nothing would be left is left out: an
/// empty one would pass for all of it. Tells how to get the rest.
fn share_room(texts: &mut HashMap<u32, String>, hits: &[u32], room: usize, snapshot: &Snapshot) -> Vec<String> {
    let with_text: Vec<u32> = hits.iter().copied().filter(|ordinal| texts.contains_key(ordinal)).collect();
    let (mut left, mut shown, mut cut) = (room, HashMap::new(), Vec::new());
    for (at, ordinal) in with_text.iter().enumerate() {
        let is_worth_it = |text: &String| json_size::bytes(text).min(LEGIBLE_TEXT_BYTES) <= left;
        let Some(mut text) = texts.remove(ordinal).filter(is_worth_it) else { continue };
        let each = (left / (with_text.len() - at)).max(LEGIBLE_TEXT_BYTES);
        let (end, chars) = json_size::prefix(&text, usize::MAX, each);
        if end < text.len() {
            text.truncate(end);
            cut.push(format!("id={} and offset={chars}", snapshot.id(*ordinal)));
        }
        left = left.saturating_sub(json_size::bytes(&text));
        shown.insert(*ordinal, text);
    }
    let mut continuations = Vec::new();
    if !cut.is_empty() {
        continuations.push(format!("read_document with {} gives the rest of that text", cut.join(", or ")));
    }
    if shown.len() < with_text.len() {
        continuations.push("read_document gives the text of a document that has none here".to_owned());
    }
    *texts = shown;
    continuations
}

/// Gives hits what their rows show: what is stale and what is asked for, by its path; models their limits and prices, too.
fn add_row_values(
    answer: &mut ToolAnswer,
    snapshot: &Snapshot,
    price_of: &PriceOf,
    fresh_only: bool,
    asked: &[&'static str],
) {
    let hits = answer.value["results"].as_array_mut().into_iter().flatten().zip(&answer.items);
    for (hit, ordinal) in hits {
        let is_model = snapshot.kind_of(*ordinal) == Kind::Model;
        let shown: &[&str] =
            if is_model { &["stale_fields", "limits", "pricing", "priced_by"] } else { &["stale_fields"] };
        // The price of a seller is found among the offers.
        let needs_all = is_model && *price_of != PriceOf::Maker;
        let (segment, at) = snapshot.locate(*ordinal);
        if !is_model && asked.is_empty() && hit["stale"] != true && !segment.item(at).partly_stale {
            continue;
        }
        let is_wanted = |member: &str| needs_all || shown.contains(&member) || is_asked(asked, member);
        let row = if fresh_only { snapshot.fresh_row(*ordinal) } else { snapshot.row(*ordinal).into() };
        let mut row = read_members(&row, &is_wanted);
        if needs_all
            && let Some(price) = catalog::price_of_row(segment, at, &row, price_of)
            && let Some(row) = row.as_object_mut()
        {
            price.put_into(row);
        }
        for member in shown.iter().copied().chain(asked.iter().map(|path| read_from(path))) {
            if hit.get(member).is_none()
                && let Some(value) = row.get_mut(member)
            {
                hit[member] = value.take();
            }
        }
    }
}
