//! `search_catalog`: searches as `/v1/search` does, and truncates full texts and hits that are too long for a model.

use refdesk_catalog::answer::{self as catalog, HitTexts, Searched};
use refdesk_catalog::json::read_own;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::query::{Advice, PriceOf, SearchQuery, Warning};
use serde_json::Value;

use super::answer::{Citations, ToolAnswer};
use super::arguments::Arguments;
use super::projection::Projection;
use super::{TEXT_MARGIN_BYTES, filters, truncation};
use crate::api::full_texts;
use crate::http::problem::Problem;
use crate::http::request::shown;
use crate::mcp::CATALOG_BYTES_MAX;
use crate::mcp::protocol::request::McpRequest;
use crate::state::hybrid::HybridPlan;
use crate::state::metrics::SearchKind;

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
    let base = request.base;
    let render = |searched: &Searched, texts: &HitTexts| {
        catalog::search(snapshot, &query, searched, texts, base, &params.warnings).json
    };
    let mut texts = full_texts::of_hits(request.state, snapshot, &query, &searched).await?;
    let mut json = render(&searched, &texts);
    let mut continuations = Vec::new();
    if json.len() > CATALOG_BYTES_MAX && !texts.markdown.is_empty() {
        let without = render(&searched, &texts.without_markdown()).len();
        let each = CATALOG_BYTES_MAX.saturating_sub(without + TEXT_MARGIN_BYTES) / texts.markdown.len();
        for (ordinal, text) in &mut texts.markdown {
            let (end, chars) = truncation::prefix(text, usize::MAX, each);
            if end < text.len() {
                text.truncate(end);
                let id = snapshot.id(*ordinal);
                continuations
                    .push(format!("read_document with id={id} and offset={chars} gives the rest of that text"));
            }
        }
        continuations.sort();
        json = render(&searched, &texts);
    }
    let found = searched.outcome.hits.len();
    // The projection of hits has a bound of its own for each of them.
    let is_full = arguments.flag("full")?;
    while (is_full || !texts.markdown.is_empty()) && json.len() > CATALOG_BYTES_MAX && searched.outcome.hits.len() > 1 {
        let keep = searched.outcome.hits.len() * CATALOG_BYTES_MAX / json.len();
        searched.outcome.hits.truncate(keep.clamp(1, searched.outcome.hits.len() - 1));
        json = render(&searched, &texts);
    }
    if searched.outcome.hits.len() < found {
        let shown = searched.outcome.hits.len();
        continuations.push(format!("only the best {shown} hits are shown; narrow the question or set type for others"));
    }
    let items = searched.outcome.hits.iter().map(|hit| hit.ordinal).collect();
    let mut answer = ToolAnswer::new(&json, items, Citations::Each("results")).with_continuations(continuations);
    let mut asked = filters::asked_paths(&query.selection);
    asked.extend(searched.understood.list().iter().flat_map(|list| filters::asked_paths(&list.selection)));
    if !is_full {
        let selection = searched.selection(&query);
        add_row_values(&mut answer, snapshot, selection.price_of(), searched.fresh_only(&query), &asked);
    }
    let answer = answer.projected(Projection::Hits { list: "results", asked: &asked }, snapshot, arguments)?;
    Ok(answer.bounded("get_item gives one of them in full"))
}

/// Gives hits that are models what their rows show: limits, prices, and what is asked for, by its path.
fn add_row_values(
    answer: &mut ToolAnswer,
    snapshot: &Snapshot,
    price_of: &PriceOf,
    fresh_only: bool,
    asked: &[&'static str],
) {
    let hits = answer.value["results"].as_array_mut().into_iter().flatten().zip(&answer.items);
    for (hit, ordinal) in hits.filter(|(_, ordinal)| snapshot.kind_of(**ordinal) == Kind::Model) {
        let row = if fresh_only { snapshot.fresh_row(*ordinal) } else { snapshot.row(*ordinal).into() };
        let mut row: Value = read_own(&row);
        hit["limits"] = row["limits"].take();
        match catalog::price_of_row(&row, price_of) {
            None => hit["pricing"] = row["pricing"].take(),
            Some(price) => {
                hit["priced_by"] = price.priced_by;
                hit["pricing"] = price.pricing;
            }
        }
        for path in asked {
            let name = path.split_once('.').map_or(*path, |(name, _)| name);
            if hit.get(name).is_none() {
                hit[name] = row[name].take();
            }
        }
    }
}

/// Names the call that gives what REST has at a path, and the arguments that REST has as parameters.
fn name_call(warning: &mut Warning) {
    let call = match &warning.advice {
        Some(Advice::Framework(id)) => format!(" get_framework with id={id}"),
        Some(Advice::Router(_)) => " route_framework".to_owned(),
        Some(Advice::Cost { model, usage }) => {
            let usage: String = usage.iter().map(|(name, value)| format!(", {name}={value}")).collect();
            format!(" estimate_cost with model={model}{usage}")
        }
        Some(Advice::LeaveOut(params)) => {
            format!(": add {} to leave such items out", filters::as_arguments(params).join(" and "))
        }
        _ => return,
    };
    *warning = format!("{}{call}", warning.text).into();
}
