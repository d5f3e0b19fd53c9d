//! What of an answer is put into a model's context: a projection of the REST answer. Members are left out and long lists and texts are cut;
//! nothing is renamed and nothing changes its type. What is absent is unknown, does not apply, or is the usual case (`stale` false, `status`
//! active). `full: true` gives the whole.

mod asked;
mod fit;
mod members;

use refdesk_catalog::json::is_set;
use refdesk_core::clean::excerpt;
use refdesk_search::plain_text;
use serde_json::{Map, Value};

use self::asked::{count_offers, keep_shown_stale, keeping};
pub(super) use self::asked::{is_asked, read_from};
use self::fit::{Extent, HITS_BUDGET, LONGEST, ROWS_BUDGET, comparison, item_within, share, shorten};
pub(super) use self::fit::{chars, within};
use self::members::{
    BODIES, COUNTS, ECHOED, EVIDENCE, HIT, LEFT_OUT_OF_CONFLICT, LEFT_OUT_OF_ITEM, LIMITS, OFFER, PRICED_BY, PRICES,
    ROW, SAME_IN_ALL_PRICES, SOURCE, SOURCE_IN_BRIEF,
};

/// Characters of the snippet of a hit, and of the description of a row.
const SNIPPET_CHARS: usize = 160;
const DESCRIPTION_CHARS: usize = 100;
/// Meters other than tokens that a row or a hit shows.
const ROW_METERS_MAX: usize = 1;
/// Characters of the full text of an item; `read_document` gives the rest.
pub(super) const BODY_CHARS: usize = 3_000;
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
        /// Paths of values that stay, for the same reasons.
        asked: &'a [&'static str],
    },
    /// One item.
    Item,
    /// One framework card, of which whoever works by it needs every line.
    Card,
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
    /// Whether a member of a hit or a row is shown, or what is shown depends on it.
    pub(super) fn reads(self, member: &str) -> bool {
        match self {
            Self::Hits { asked, .. } => HIT.contains(&member) || member == "summary" || is_asked(asked, member),
            Self::Rows { asked, .. } => ROW.contains(&member) || is_asked(asked, member),
            _ => true,
        }
    }

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
                each(object.get_mut(list), |entry| shortened(entry, asked, hit));
            }
            Self::Rows { list, asked } => each(object.get_mut(list), |entry| shortened(entry, asked, row)),
            Self::Item => return item_within(answer, cited_chars),
            Self::Card => item(object, LONGEST, &mut cut),
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

fn each(list: Option<&mut Value>, change: impl FnMut(&mut Map<String, Value>)) {
    if let Some(Value::Array(list)) = list {
        each_of(list, change);
    }
}

fn each_of(list: &mut [Value], change: impl FnMut(&mut Map<String, Value>)) {
    list.iter_mut().filter_map(Value::as_object_mut).for_each(change);
}

/// Shortens a hit or a row, but for what is asked for, and tells what of the rest is stale.
fn shortened(entry: &mut Map<String, Value>, asked: &[&str], shorten: fn(&mut Map<String, Value>)) {
    count_offers(entry, asked);
    keeping(entry, asked, shorten);
    keep_shown_stale(entry);
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
            if let Some(Value::Object(pricing)) = offer.get_mut("pricing") {
                pricing.retain(|name, _| !SAME_IN_ALL_PRICES.contains(&name.as_str()));
            }
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
