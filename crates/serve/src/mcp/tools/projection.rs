//! What of an answer is put into a model's context: a projection of the REST answer. Members are left out and long lists and texts are cut;
//! nothing is renamed and nothing changes its type. What is absent is unknown, does not apply, or is the usual case (`stale` false, `status`
//! active). `full: true` gives the whole.

use refdesk_core::clean::excerpt;
use refdesk_search::plain_text;
use serde_json::{Map, Value};

/// Characters of the snippet of a hit, and of the description of a row.
const SNIPPET_CHARS: usize = 160;
const DESCRIPTION_CHARS: usize = 100;
/// Entries of a list inside an item, and characters of a text inside one.
const ENTRIES_MAX: usize = 8;
const TEXT_CHARS: usize = 400;
/// Characters of the full text of an item; `read_document` gives the rest.
pub(super) const BODY_CHARS: usize = 4_000;
/// Members of an item that hold its full text.
const BODIES: [&str; 2] = ["markdown", "body_markdown"];

/// Members of a hit.
const HIT: [&str; 14] = [
    "type",
    "id",
    "display_name",
    "title",
    "vendor",
    "status",
    "snippet",
    "limits",
    "pricing",
    "evidence_key",
    "stale",
    "cite_as",
    "markdown",
    "passages",
];
/// Members of a row of a list.
const ROW: [&str; 13] = [
    "id",
    "display_name",
    "title",
    "vendor",
    "status",
    "description",
    "summary",
    "limits",
    "pricing",
    "license",
    "priced_by",
    "evidence_key",
    "stale",
];
/// Limits and prices of a model in hits, rows and offers.
const LIMITS: [&str; 1] = ["context_tokens"];
const PRICES: [&str; 2] = ["input", "output"];
/// Members of an offer.
const OFFER: [&str; 5] = ["provider", "api_model_id", "pricing", "limits", "stale"];
/// Members of an item that its evidence says, too, or that only a program reads.
const LEFT_OUT_OF_ITEM: [&str; 6] =
    ["field_evidence", "first_seen_at", "last_synced_at", "source_url", "evidence_key", "headings"];
/// Members of an evidence record.
const EVIDENCE: [&str; 7] =
    ["evidence_key", "source_id", "source_url", "license", "last_verified_at", "stale", "stale_reason"];
/// Members of a source; the first so many when it is well.
const SOURCE: [&str; 7] =
    ["id", "status", "last_synced_at", "last_verified_at", "last_attempt_at", "refresh_due", "error"];
const SOURCE_IN_BRIEF: usize = 3;
/// Members of the answer to a search that repeat the question.
const ECHOED: [&str; 6] = ["query", "type", "fresh_only", "include_markdown", "mode", "limit"];

/// The shape of a tool's answer in a model's context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Projection {
    /// Hits of a search.
    Hits,
    /// The rows under this name.
    Rows(&'static str),
    /// One item.
    Item,
    /// Items side by side.
    Comparison,
    /// What requests cost at the first so many sellers.
    Cost {
        /// How many.
        sellers: usize,
    },
    /// The state of sources.
    Sources,
}

impl Projection {
    /// Projects an answer. Tells what of it was cut.
    pub(super) fn apply(self, answer: &mut Value) -> Vec<String> {
        let mut cut = Vec::new();
        let Some(object) = answer.as_object_mut() else { return cut };
        match self {
            Self::Hits => {
                object.retain(|name, value| !ECHOED.contains(&name.as_str()) && *value != 0);
                each(object.get_mut("results"), hit);
            }
            Self::Rows(list) => each(object.get_mut(list), row),
            Self::Item => item(object, &mut cut),
            Self::Comparison => {
                keep_evidence(object.get_mut("evidence"));
                // What nobody states tells nothing apart.
                if let Some(Value::Array(rows)) = object.get_mut("rows") {
                    rows.retain(|row| {
                        row["values"].as_array().is_some_and(|values| values.iter().any(|value| !value.is_null()))
                    });
                    each_of(rows, |row| {
                        row.remove("group");
                    });
                }
                return cut;
            }
            Self::Cost { sellers } => cost(object, sellers, &mut cut),
            Self::Sources => sources(object),
        }
        let kept = ["results", "offset", "suggestions", "sources"];
        let unset = object.iter_mut().filter(|(name, _)| !kept.contains(&name.as_str()));
        unset.for_each(|(_, value)| drop_unset(value));
        if let Some(Value::Array(list)) = object.get_mut("results") {
            list.iter_mut().for_each(drop_unset);
        }
        object.retain(|name, value| kept.contains(&name.as_str()) || is_set(value));
        cut
    }
}

fn each(list: Option<&mut Value>, change: impl Fn(&mut Map<String, Value>)) {
    if let Some(Value::Array(list)) = list {
        each_of(list, change);
    }
}

fn each_of(list: &mut [Value], change: impl Fn(&mut Map<String, Value>)) {
    list.iter_mut().filter_map(Value::as_object_mut).for_each(change);
}

fn keep(object: Option<&mut Value>, names: &[&str]) {
    if let Some(Value::Object(object)) = object {
        object.retain(|name, _| names.contains(&name.as_str()));
    }
}

/// Leaves out a name that only repeats the id, and what is the usual case.
fn drop_usual(object: &mut Map<String, Value>) {
    let id = object.get("id").cloned();
    object.retain(|name, value| match name.as_str() {
        "display_name" => Some(&*value) != id.as_ref(),
        "status" => value != "active",
        "stale" => *value != false,
        _ => true,
    });
}

fn hit(hit: &mut Map<String, Value>) {
    if !hit.get("snippet").is_some_and(Value::is_string)
        && let Some(summary) = hit.get("summary").cloned()
    {
        hit.insert("snippet".to_owned(), summary);
    }
    hit.retain(|name, _| HIT.contains(&name.as_str()));
    if let Some(Value::String(snippet)) = hit.get_mut("snippet") {
        *snippet = excerpt(&plain_text(snippet), SNIPPET_CHARS);
    }
    keep(hit.get_mut("limits"), &LIMITS);
    keep(hit.get_mut("pricing"), &PRICES);
    drop_usual(hit);
}

fn row(row: &mut Map<String, Value>) {
    row.retain(|name, _| ROW.contains(&name.as_str()));
    for text in ["description", "summary"] {
        if let Some(Value::String(text)) = row.get_mut(text) {
            *text = excerpt(text, DESCRIPTION_CHARS);
        }
    }
    if row.contains_key("pricing") {
        row.remove("description");
    }
    keep(row.get_mut("limits"), &LIMITS);
    keep(row.get_mut("pricing"), &PRICES);
    drop_usual(row);
}

fn item(answer: &mut Map<String, Value>, cut: &mut Vec<String>) {
    answer.retain(|name, _| !name.starts_with("related_"));
    if let Some(Value::Object(evidence)) = answer.get_mut("evidence") {
        evidence.retain(|name, _| EVIDENCE.contains(&name.as_str()));
        drop_usual(evidence);
    }
    let names = ["evidence", "all_offers", "warnings", "resolved_from"];
    for (name, item) in answer.iter_mut().filter(|(name, _)| !names.contains(&name.as_str())) {
        let Some(item) = item.as_object_mut() else { continue };
        item.retain(|name, _| !LEFT_OUT_OF_ITEM.contains(&name.as_str()));
        each(item.get_mut("offers"), |offer| {
            offer.retain(|name, _| OFFER.contains(&name.as_str()));
            keep(offer.get_mut("limits"), &LIMITS);
            keep(offer.get_mut("pricing"), &PRICES);
            drop_usual(offer);
        });
        drop_usual(item);
        for (member, value) in item.iter_mut() {
            shorten(value, &format!("{name}.{member}"), BODIES.contains(&member.as_str()), cut);
        }
    }
    if let Some(offers) = answer.get_mut("all_offers") {
        shorten(offers, "all_offers", false, cut);
    }
}

/// Cuts long lists and texts.
fn shorten(value: &mut Value, path: &str, is_body: bool, cut: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            let most = if is_body { BODY_CHARS } else { TEXT_CHARS };
            if let Some((end, _)) = text.char_indices().nth(most) {
                text.truncate(end);
                cut.push(path.to_owned());
            }
        }
        Value::Array(list) => {
            if list.len() > ENTRIES_MAX {
                cut.push(format!("{path} ({ENTRIES_MAX} of {})", list.len()));
                list.truncate(ENTRIES_MAX);
            }
            let mut within = Vec::new();
            list.iter_mut().for_each(|entry| shorten(entry, path, false, &mut within));
            if cut.last().is_none_or(|last| !last.starts_with(path)) {
                cut.extend(within.into_iter().next());
            }
        }
        Value::Object(object) => {
            for (name, value) in object.iter_mut() {
                shorten(value, &format!("{path}.{name}"), false, cut);
            }
        }
        _ => {}
    }
}

/// The first sellers, which are the cheapest, and how to get the others.
fn cost(answer: &mut Map<String, Value>, shown: usize, cut: &mut Vec<String>) {
    let Some(Value::Array(sellers)) = answer.get_mut("sellers") else { return };
    let all = sellers.len();
    if all > shown {
        sellers.truncate(shown);
        cut.push(format!("sellers (the first {shown} of {all}; limit={all} gives all of them, seller=<name> one)"));
    }
    each_of(sellers, drop_usual);
}

fn keep_evidence(evidence: Option<&mut Value>) {
    let Some(Value::Object(by_id)) = evidence else { return };
    for record in by_id.values_mut() {
        keep(Some(record), &["evidence_key", "source_url", "last_verified_at", "stale"]);
    }
}

/// The summary, and every source: in brief when it is well, with what failed and what is due when it is not.
fn sources(answer: &mut Map<String, Value>) {
    if let Some(Value::Array(sources)) = answer.get_mut("sources") {
        each_of(sources, |source| {
            let is_well = matches!(source.get("status").and_then(Value::as_str), Some("ok" | "disabled"));
            let shown = if is_well { &SOURCE[..SOURCE_IN_BRIEF] } else { &SOURCE };
            source.retain(|name, value| shown.contains(&name.as_str()) && !value.is_null());
        });
    }
}

/// Leaves out nulls, empty lists and empty objects, at any depth.
fn drop_unset(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.values_mut().for_each(drop_unset);
            object.retain(|_, value| is_set(value));
        }
        Value::Array(list) => list.iter_mut().for_each(drop_unset),
        _ => {}
    }
}

fn is_set(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(list) => !list.is_empty(),
        Value::Object(object) => !object.is_empty(),
        _ => true,
    }
}
