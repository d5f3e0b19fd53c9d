//! What of an answer is put into a model's context: a projection of the REST answer. Members are left out and long lists and texts are cut;
//! nothing is renamed and nothing changes its type. What is absent is unknown, does not apply, or is the usual case (`stale` false, `status`
//! active). `full: true` gives the whole.

mod asked;
mod members;

use refdesk_catalog::json::is_set;
use refdesk_core::clean::excerpt;
use refdesk_search::plain_text;
use serde_json::{Map, Value};

use self::asked::keeping;
use self::members::{
    BODIES, COUNTS, ECHOED, EVIDENCE, HIT, LEFT_OUT_OF_CONFLICT, LEFT_OUT_OF_ITEM, LIMITS, OFFER, PRICED_BY, PRICES,
    PROMPT, ROW, SOURCE, SOURCE_IN_BRIEF, TEXTS,
};

/// Characters of the snippet of a hit, and of the description of a row.
const SNIPPET_CHARS: usize = 160;
const DESCRIPTION_CHARS: usize = 100;
/// A text of fewer characters says nothing any more and is left out.
const LEGIBLE_CHARS: usize = 24;
/// Meters other than tokens that a row or a hit shows.
const ROW_METERS_MAX: usize = 1;
/// Characters of the full text of an item; `read_document` gives the rest.
pub(super) const BODY_CHARS: usize = 3_000;
/// How much of an item is shown: as much as fits in [`ITEM_CHARS_MAX`], or of a comparison in [`COMPARISON_CHARS_MAX`].
const EXTENTS: [Extent; 4] = [
    Extent { entries: 8, text_chars: 400 },
    Extent { entries: 6, text_chars: 240 },
    Extent { entries: 4, text_chars: 160 },
    Extent { entries: 2, text_chars: 100 },
];
/// Characters of an answer with one item, 1,500 tokens.
const ITEM_CHARS_MAX: usize = 6_000;
/// Characters of the rows of a comparison, 3,000 tokens, beyond which lists and texts are cut to fewer entries and characters.
const COMPARISON_CHARS_MAX: usize = 12_000;
/// Characters of ten hits, 1,400 tokens; more of them get as much each.
const HITS_CHARS_MAX: usize = 5_600;
/// Characters of twenty rows, 1,600 tokens; more of them get as much each.
const ROWS_CHARS_MAX: usize = 6_400;
const HITS_BUDGET: Budget = Budget { entries: 10, chars_max: HITS_CHARS_MAX };
const ROWS_BUDGET: Budget = Budget { entries: 20, chars_max: ROWS_CHARS_MAX };
/// What stands in an answer beside what is projected: the notice, how to go on, commas and quotes.
const BESIDE_CHARS: usize = 400;

/// How much of an item is shown.
#[derive(Debug, Clone, Copy)]
struct Extent {
    /// Entries of a list inside it.
    entries: usize,
    /// Characters of a text inside it.
    text_chars: usize,
}

/// Characters of an answer with a list.
#[derive(Debug, Clone, Copy)]
struct Budget {
    /// So many entries …
    entries: usize,
    /// … have so many characters together.
    chars_max: usize,
}

/// The shape of a tool's answer in a model's context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Projection<'a> {
    /// Hits of a search.
    Hits {
        /// The member that has them.
        list: &'static str,
        /// Paths of values that stay, because the question bounds or sorts by them.
        asked: &'a [&'static str],
    },
    /// Rows of a list.
    Rows {
        /// The member that has them.
        list: &'static str,
        /// As of hits.
        asked: &'a [&'static str],
    },
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

impl Projection<'_> {
    /// Projects an answer, beside which there are citations of so many characters. Tells what of it was cut.
    pub(super) fn apply(self, answer: &mut Value, cited_chars: usize) -> Vec<String> {
        let mut cut = Vec::new();
        let Some(object) = answer.as_object_mut() else { return cut };
        match self {
            Self::Hits { list, asked } => {
                object.retain(|name, value| {
                    !ECHOED.contains(&name.as_str()) && (*value != 0 || COUNTS.contains(&name.as_str()))
                });
                // The list of REST that was understood: list_items takes the filters and the order beside it.
                if let Some(Value::Object(understood)) = object.get_mut("understood") {
                    understood.shift_remove("list_url");
                }
                each(object.get_mut(list), |entry| keeping(entry, asked, hit));
            }
            Self::Rows { list, asked } => each(object.get_mut(list), |entry| keeping(entry, asked, row)),
            Self::Item => return item_within(answer, cited_chars),
            Self::Comparison => return comparison(object),
            Self::Cost { sellers } => cost(object, sellers, &mut cut),
            Self::Sources => sources(object),
        }
        drop_unset_members(object);
        let listed = match self {
            Self::Hits { list, .. } | Self::Rows { list, .. } => Some(list),
            Self::Cost { .. } => Some("sellers"),
            _ => None,
        };
        if let Some(list) = listed {
            // That there are none is the answer.
            object.entry(list).or_insert_with(|| Value::Array(Vec::new()));
        }
        match self {
            Self::Hits { list, .. } => share(answer, list, &["snippet"], HITS_BUDGET, cited_chars),
            Self::Rows { list, .. } => share(answer, list, &["description", "summary"], ROWS_BUDGET, cited_chars),
            _ => {}
        }
        cut
    }
}

/// Leaves out the members of an answer that say nothing.
fn drop_unset_members(object: &mut Map<String, Value>) {
    let kept = ["offset", "suggestions", "sources"];
    let unset = object.iter_mut().filter(|(name, _)| !kept.contains(&name.as_str()));
    unset.for_each(|(_, value)| drop_unset(value));
    object.retain(|name, value| kept.contains(&name.as_str()) || is_set(value));
}

/// Characters of a value as JSON.
fn chars(value: &Value) -> usize {
    value.to_string().chars().count()
}

/// Shortens the texts of a list until the answer is within its budget: all of them to the same length, so that the longest give first.
fn share(answer: &mut Value, list: &str, names: &[&str], budget: Budget, cited_chars: usize) {
    let all = chars(answer) + cited_chars + BESIDE_CHARS;
    let Some(Value::Array(entries)) = answer.get_mut(list) else { return };
    let whole: usize =
        entries.iter().flat_map(|entry| TEXTS.iter().filter_map(|name| entry.get(*name))).map(chars).sum();
    let most = budget.chars_max * entries.len().max(budget.entries) / budget.entries;
    let excess = (all - whole).saturating_sub(most);
    if excess == 0 {
        return;
    }
    let texts = |entry: &Value| -> Vec<usize> {
        names.iter().filter_map(|name| entry.get(*name)?.as_str()).map(|text| text.chars().count()).collect()
    };
    let mut lengths: Vec<usize> = entries.iter().flat_map(texts).collect();
    lengths.sort_unstable();
    let mut left = lengths.iter().sum::<usize>().saturating_sub(excess);
    let mut length = 0;
    for (at, own) in lengths.iter().enumerate() {
        length = left / (lengths.len() - at);
        if *own > length {
            break;
        }
        left -= own;
    }
    each_of(entries, |entry| {
        for name in names {
            match entry.get_mut(*name) {
                Some(Value::String(text)) if length >= LEGIBLE_CHARS => *text = excerpt(text, length),
                _ => drop(entry.remove(*name)),
            }
        }
    });
}

/// Items side by side, with as much of their lists and texts as there is room for. Tells in which rows something was cut.
fn comparison(answer: &mut Map<String, Value>) -> Vec<String> {
    keep_evidence(answer.get_mut("evidence"));
    let Some(Value::Array(rows)) = answer.get_mut("rows") else { return Vec::new() };
    // What nobody states tells nothing apart.
    rows.retain(|row| row["values"].as_array().is_some_and(|values| values.iter().any(|value| !value.is_null())));
    each_of(rows, |row| row.retain(|name, value| name != "group" && is_set(value)));
    let whole = rows.clone();
    let mut cut = Vec::new();
    for extent in EXTENTS {
        rows.clone_from(&whole);
        cut = shorten_rows(rows, extent);
        if rows.iter().map(chars).sum::<usize>() <= COMPARISON_CHARS_MAX {
            break;
        }
    }
    cut
}

/// Cuts the values of rows, which are as many as the items: `best` counts them. Gives the paths of the rows that were cut.
fn shorten_rows(rows: &mut [Value], extent: Extent) -> Vec<String> {
    let mut cut = Vec::new();
    each_of(rows, |row| {
        let path = row["path"].as_str().unwrap_or_default().to_owned();
        let mut within = Vec::new();
        let values = row["values"].as_array_mut().into_iter().flatten();
        values.for_each(|value| shorten(value, &path, extent, &mut within));
        if !within.is_empty() {
            cut.push(path);
        }
    });
    cut
}

/// An item with as much of its lists and texts as there is room for.
fn item_within(answer: &mut Value, cited_chars: usize) -> Vec<String> {
    let mut cut = Vec::new();
    let mut whole = std::mem::take(answer);
    // Who asks for a prompt asks for the whole of it.
    let prompt = whole.pointer_mut(PROMPT).map(|prompt| prompt["text"].take());
    for extent in EXTENTS {
        *answer = whole.clone();
        cut.clear();
        let Some(object) = answer.as_object_mut() else { return cut };
        item(object, extent, &mut cut);
        drop_unset_members(object);
        let how: usize = cut.iter().map(|path| path.chars().count() + 2).sum();
        if chars(answer) + how + cited_chars + BESIDE_CHARS <= ITEM_CHARS_MAX {
            break;
        }
    }
    if let Some((place, text)) = answer.pointer_mut(PROMPT).zip(prompt) {
        place["text"] = text;
    }
    cut
}

fn each(list: Option<&mut Value>, change: impl FnMut(&mut Map<String, Value>)) {
    if let Some(Value::Array(list)) = list {
        each_of(list, change);
    }
}

fn each_of(list: &mut [Value], change: impl FnMut(&mut Map<String, Value>)) {
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
    // A snippet that shows no match repeats figures or the beginning of a text.
    let shows_match = hit.get("snippet").and_then(Value::as_str).is_some_and(|text| text.contains("<mark>"));
    if !shows_match
        && let Some(summary) =
            hit.get("summary").filter(|summary| summary.as_str().is_some_and(|text| !text.is_empty())).cloned()
    {
        hit.insert("snippet".to_owned(), summary);
    }
    hit.retain(|name, _| HIT.contains(&name.as_str()));
    if let Some(Value::String(snippet)) = hit.get_mut("snippet") {
        *snippet = excerpt(&plain_text(snippet), SNIPPET_CHARS);
    }
    figures(hit);
    drop_usual(hit);
}

/// Keeps of limits and prices what tells models apart: what tokens cost, or else, also where these are free, the first meters of what is
/// billed otherwise.
fn figures(of: &mut Map<String, Value>) {
    keep(of.get_mut("limits"), &LIMITS);
    keep(of.get_mut("pricing"), &PRICES);
    if let Some(Value::Object(pricing)) = of.get_mut("pricing") {
        if pricing.get("input").and_then(Value::as_f64).is_some_and(|price| price > 0.0) {
            pricing.remove("other");
        } else if let Some(Value::Array(other)) = pricing.get_mut("other") {
            other.truncate(ROW_METERS_MAX);
        }
    }
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
    figures(row);
    keep(row.get_mut("priced_by"), &PRICED_BY);
    drop_usual(row);
}

fn item(answer: &mut Map<String, Value>, extent: Extent, cut: &mut Vec<String>) {
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
        each(item.get_mut("conflicts"), |conflict| {
            conflict.retain(|name, _| !LEFT_OUT_OF_CONFLICT.contains(&name.as_str()));
        });
        drop_usual(item);
        for (member, value) in item.iter_mut() {
            let is_body = BODIES.contains(&member.as_str());
            let text_chars = if is_body { BODY_CHARS } else { extent.text_chars };
            shorten(value, &format!("{name}.{member}"), Extent { text_chars, ..extent }, cut);
        }
    }
    if let Some(offers) = answer.get_mut("all_offers") {
        shorten(offers, "all_offers", extent, cut);
    }
}

/// Cuts long lists and texts.
fn shorten(value: &mut Value, path: &str, extent: Extent, cut: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            if let Some((end, _)) = text.char_indices().nth(extent.text_chars) {
                // The rest of a full text is read from there on.
                if BODIES.iter().any(|body| path.ends_with(body)) {
                    text.truncate(end);
                } else {
                    *text = excerpt(text, extent.text_chars);
                }
                cut.push(path.to_owned());
            }
        }
        Value::Array(list) => {
            if list.len() > extent.entries {
                cut.push(format!("{path} ({} of {})", extent.entries, list.len()));
                list.truncate(extent.entries);
            }
            let mut within = Vec::new();
            list.iter_mut().for_each(|entry| shorten(entry, path, extent, &mut within));
            if cut.last().is_none_or(|last| !last.starts_with(path)) {
                cut.extend(within.into_iter().next());
            }
        }
        Value::Object(object) => {
            for (name, value) in object.iter_mut() {
                shorten(value, &format!("{path}.{name}"), extent, cut);
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
