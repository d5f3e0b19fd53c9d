//! What models call the arguments of tools, and what they are told of a name that a tool does not know. Only the canonical names are in the
//! schemas, which are strict.

use std::iter::once;

use refdesk_core::Kind;
use refdesk_core::query::meant_filter;
use refdesk_core::text::enumerated;
use serde_json::{Map, Value, json};

use super::{filter_text, invalid};
use crate::http::problem::Problem;
use crate::mcp::tools::filters::filter_names;
use crate::mcp::tools::{TOOLS, Tool};

/// Characters of the value of a filter that an error repeats.
const FILTER_SHOWN_CHARS: usize = 60;

/// The other names that models send for an argument.
pub(super) fn other_names(argument: &str) -> &'static [&'static str] {
    match argument {
        "q" => &[
            "query",
            "text",
            "question",
            "task",
            "problem",
            "search",
            "search_query",
            "keywords",
            "input",
            "situation",
        ],
        "id" => &[
            "model_id",
            "name",
            "slug",
            "item_id",
            "uri",
            "url",
            "document_id",
            "doc_id",
            "framework_id",
            "framework",
            "skill_id",
            "tool_id",
        ],
        "type" => &["kind", "item_type", "types"],
        "limit" => &["max_results", "top_k", "count", "page_size", "size", "max_chars"],
        "offset" => &["start", "from", "skip"],
        "fresh_only" => &["fresh", "exclude_stale"],
        "all_offers" => &["offers"],
        "include_markdown" => &["markdown", "include_body", "full_text"],
        "passages" => &["sections", "chunks"],
        "include_candidates" => &["candidates"],
        "include_prompt" => &["with_prompt", "prompt"],
        "domain" => &["domains", "category"],
        "mode" => &["ranking"],
        "full" => &["verbose", "complete"],
        "filters" => &["filter", "where"],
        "sort" => &["order_by", "order", "sort_by"],
        "ids" => &["items", "models", "names"],
        "heading" => &["section"],
        "budget_tokens" => &["budget", "max_tokens"],
        "model" => &["id", "model_id", "name"],
        "input_tokens" => &["prompt_tokens", "input"],
        "output_tokens" => &["completion_tokens", "output"],
        "cache_read_tokens" => &["cached_tokens"],
        "requests" => &["calls"],
        "seller" => &["provider"],
        _ => &[],
    }
}

/// The error of an argument that a tool does not have: says which is meant, which tool takes it, or which filter it is.
pub(super) fn unknown(known: &[&'static str], name: &str, sent: &Map<String, Value>) -> Problem {
    let shown = refdesk_core::clean::quoted(name);
    let only = format!("Send only: {}.", known.join(", "));
    let hint = if let Some(filters) = meant_as_filters(known, name, sent) {
        format!("It is a filter: send {filters}.")
    } else if let Some(tools) = takers(name) {
        format!("{only} {tools} {shown}.")
    } else if let Some(meant) = meant_argument(known, &shown) {
        format!("Send {meant} instead.")
    } else if let Some(filter) =
        sent_kind(sent).filter(|_| known.contains(&"filters")).and_then(|kind| near_filter(kind, &shown))
    {
        format!("{only} As a filter, send filters={filter}.")
    } else {
        only
    };
    let detail = format!("This tool has no argument `{shown}`.");
    invalid(&shown, format!("unknown argument {shown}"), detail, hint).with("allowed_arguments", known.to_vec())
}

/// `search_catalog and route_framework take`: the tools that take an argument; none where no tool does.
pub(super) fn takers(name: &str) -> Option<String> {
    let takes = |tool: &&Tool| tool.arguments().any(|argument| argument == name);
    let tools: Vec<&str> = TOOLS.iter().filter(takes).map(|tool| tool.name).collect();
    let verb = if tools.len() == 1 { "takes" } else { "take" };
    (!tools.is_empty()).then(|| format!("{} {verb}", enumerated(&tools, "and")))
}

/// The argument that is meant by a misspelt name: its own, or another that models send for it.
fn meant_argument(known: &[&'static str], name: &str) -> Option<&'static str> {
    let names = || {
        known
            .iter()
            .flat_map(|known| once((*known, *known)).chain(other_names(known).iter().map(|other| (*other, *known))))
    };
    let meant = refdesk_core::nearest::meant(name, names().map(|(written, _)| written))?;
    names().find(|(written, _)| *written == meant).map(|(_, known)| known)
}

/// The kind that was sent as `type`, by any name.
fn sent_kind(sent: &Map<String, Value>) -> Option<Kind> {
    let is_type = |name: &str| name == "type" || other_names("type").contains(&name);
    sent.iter().filter(|(name, _)| is_type(name)).find_map(|(_, value)| Kind::parse(value.as_str()?))
}

/// `filters` with the filter of a kind that a name is near to.
pub(super) fn near_filter(kind: Kind, name: &str) -> Option<Value> {
    meant_filter(kind, name).map(|meant| json!({(meant.name): meant.value.unwrap_or("…")}))
}

/// What must be sent when an unknown argument is a filter: `filters` with all that were sent so, and the type, if that is missing.
fn meant_as_filters(known: &[&str], name: &str, sent: &Map<String, Value>) -> Option<String> {
    let kind = sent_kind(sent);
    // Without a type, a filter of what a search finds.
    let kinds: &[Kind] = kind.as_ref().map_or(&Kind::SEARCHED, std::slice::from_ref);
    let is_filter = |name: &str| kinds.iter().any(|kind| filter_names(*kind).any(|filter| filter == name));
    let is_known = |name: &str| known.iter().any(|known| *known == name || other_names(known).contains(&name));
    if !is_filter(name) || !known.contains(&"filters") {
        return None;
    }
    let in_place = sent.get("filters").and_then(Value::as_object).into_iter().flatten();
    let misplaced = sent.iter().filter(|(name, _)| !is_known(name));
    let filters = in_place.chain(misplaced).filter(|(name, _)| is_filter(name)).filter_map(|(name, value)| {
        let text = filter_text(name, value).ok()??;
        Some((name.clone(), refdesk_core::clean::excerpt(&text, FILTER_SHOWN_CHARS).into()))
    });
    let filters = Value::Object(filters.collect());
    Some(if kind.is_some() { format!("filters={filters}") } else { format!("type, and filters={filters}") })
}

#[cfg(test)]
mod tests {
    use super::{TOOLS, filter_names, other_names};
    use refdesk_core::Kind;

    /// A filter that is sent outside of `filters` is refused with where it belongs, not taken for another argument.
    #[test]
    fn no_other_name_of_an_argument_is_a_filter() {
        let filters: Vec<&str> = Kind::ALL.into_iter().flat_map(filter_names).collect();
        for tool in TOOLS.iter().filter(|tool| tool.arguments().any(|name| name == "filters")) {
            for name in tool.arguments().flat_map(other_names) {
                assert!(!filters.contains(name), "{name} of {}", tool.name);
            }
        }
    }
}
