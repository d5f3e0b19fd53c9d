//! What a search says beside its hits: where an answer is that is none of them, and what to know about those that are.

use std::collections::HashSet;

use super::placed::snapshots_of;
use super::searched_kinds;
use super::words::by_words;
use crate::columns::{Prices, Sold};
use crate::json::{self, text_of};
use crate::listing;
use crate::snapshot::Snapshot;
use crate::understand::{
    TokensAsked, Understood, asks_for_price, asks_for_status, asks_of_sellers, content_words, meters_asked,
    tokens_asked,
};
use refdesk_core::query::{Advice, ListQuery, SearchQuery, Warning};
use refdesk_core::slug::slugify;
use refdesk_core::text::{enumerated, words};
use refdesk_core::{Kind, Usd};
use refdesk_core::{clean, field_names};
use refdesk_search::SearchOutcome;
use serde_json::Value;

/// What people call a framework behind its name.
const METHODS: [&str; 9] =
    ["method", "framework", "technique", "matrix", "analysis", "principle", "model", "rule", "exercise"];
/// Words for software to build on, and for ways of thinking.
const FRAMEWORKS: [&str; 2] = ["framework", "frameworks"];
/// The parameter for prices of batches, as people say it.
const BATCH: &str = "batch";
/// Words that leave less than one in so many of what meets the filters may have been meant to say nothing more.
const FEW_OF: usize = 10;
/// Hits in whose place somebody looks for a bargain.
const FIRST_HITS: usize = 10;

/// The parameters of models that somebody beside their maker sells.
static SOLD_MODELS: [(&str, &str); 2] = [("type", "MODEL"), ("offers__gte", "1")];

/// Says where a framework is found whose id was typed, in words or as it is: frameworks are not among what is searched. Their other names
/// are not looked up: that took 3 % of the instructions of a search.
pub(super) fn framework_named(snapshot: &Snapshot, query: &SearchQuery) -> Option<Warning> {
    if query.kind.is_some() || query.fresh_only {
        return None;
    }
    let (name, frameworks) = (query.text.trim(), snapshot.segment(Kind::Framework));
    // `five whys method`
    let of_method =
        name.rsplit_once(' ').filter(|(_, last)| METHODS.iter().any(|word| last.eq_ignore_ascii_case(word)));
    let is_shown = |id: &String| frameworks.by_id(id).is_some_and(|row| snapshot.shows(Kind::Framework, row));
    let id = [Some(name), of_method.map(|(name, _)| name)].into_iter().flatten().map(slugify).find(is_shown)?;
    let told = format!("`{}` is a framework: look at", clean::quoted(name));
    Some(Warning::new(told, Advice::Framework(id)))
}

/// Says who finds a way of thinking, when a question asks for a framework and not for which software: `prioritise features framework`. Of
/// `agent framework` the word is searched for, and where the first hit is software that has all words, `framework for rag`, it answers.
pub(super) fn framework_asked_for(
    snapshot: &Snapshot,
    query: &SearchQuery,
    understood: &Understood,
    outcome: &SearchOutcome,
) -> Option<Warning> {
    let is_said = |text: &str| words(text).any(|word| FRAMEWORKS.iter().any(|name| word.eq_ignore_ascii_case(name)));
    let is_of_tools = query.kind.is_none() && understood.kind == Some(Kind::Tool) && understood.params.is_empty();
    if !is_of_tools || !is_said(&query.text) || is_said(&understood.rest) {
        return None;
    }
    let first = outcome.hits.first().map(|hit| hit.ordinal);
    if first.is_some_and(|ordinal| snapshot.kind_of(ordinal) == Kind::Tool && has_words(snapshot, ordinal, understood))
    {
        return None;
    }
    let told = "`framework` was read as software; for a way to think a problem through, describe it to";
    Some(Warning::new(told, Advice::Router(query.text.clone())))
}

/// Whether the row of an item has every word that was searched for.
fn has_words(snapshot: &Snapshot, ordinal: u32, understood: &Understood) -> bool {
    let row = String::from_utf8_lossy(snapshot.row(ordinal)).to_lowercase();
    let words: HashSet<&str> = words(&row).collect();
    let rest = understood.rest.to_lowercase();
    content_words(&rest).all(|word| words.contains(word))
}

/// Says where the prices of all sellers are, when a question asks about them and names a model; of one that nobody bills by tokens, what it is
/// billed by.
pub(super) fn sellers_asked_for(
    snapshot: &Snapshot,
    query: &SearchQuery,
    is_about: bool,
    outcome: &SearchOutcome,
) -> Option<Warning> {
    let first = outcome.hits.first().filter(|hit| hit.is_named())?;
    if snapshot.kind_of(first.ordinal) != Kind::Model || !query.understand {
        return None;
    }
    let id = snapshot.id(first.ordinal);
    let mut usage: Vec<(&'static str, String)> = match tokens_asked(snapshot, &query.text) {
        Some(TokensAsked { input, output, requests }) => {
            let input = Some(input.unwrap_or_default());
            let asked = [("input_tokens", input), ("output_tokens", output), ("requests", requests)];
            asked.into_iter().filter_map(|(name, number)| Some((name, number?.to_string()))).collect()
        }
        None if asks_of_sellers(&query.text) || is_about && asks_for_price(&query.text) => {
            million_of_each(&meters_asked(&query.text))
        }
        None => return None,
    };
    if let Some(told) = not_by_tokens(snapshot, first.ordinal) {
        return Some(told);
    }
    if words(&query.text).any(|word| word.eq_ignore_ascii_case(BATCH)) {
        usage.push((BATCH, "true".to_owned()));
    }
    let told = format!("for the prices of every seller of `{id}`:");
    Some(Warning::new(told, Advice::Cost { model: id.to_owned(), usage }))
}

/// By what a model is billed whose tokens cost nothing anywhere, or have no price: no cost of tokens tells it.
fn not_by_tokens(snapshot: &Snapshot, ordinal: u32) -> Option<Warning> {
    let row: Value = json::read_own(snapshot.row(ordinal));
    let prices: Vec<Prices<'_>> = Sold::of_row(&row).sellers().map(|seller| Prices::new(seller.pricing)).collect();
    let mut meters: Vec<String> = prices
        .iter()
        .flat_map(|of| of.charged_others())
        .map(|other| field_names::words(&format!("{} per {}", text_of(other, "meter"), text_of(other, "unit"))))
        .collect();
    meters.sort();
    meters.dedup();
    if meters.is_empty() || prices.iter().any(|of| of.charges_tokens()) {
        return None;
    }
    let (id, meters) = (snapshot.id(ordinal), enumerated(&meters, "and"));
    Some(
        format!("`{id}` is billed by {meters} and not by tokens: see `pricing.other` of it and of its `offers`").into(),
    )
}

/// What a cost is asked of where no number of tokens is said: a million of each meter that is named, and no input where others are.
fn million_of_each(meters: &[&'static str]) -> Vec<(&'static str, String)> {
    let input = if meters.is_empty() { "1M" } else { "0" };
    let named = meters.iter().map(|meter| (*meter, "1M".to_owned()));
    let unnamed = (!meters.contains(&"input_tokens")).then(|| ("input_tokens", input.to_owned()));
    unnamed.into_iter().chain(named).collect()
}

/// Says how long a model is still there, when a question asks for it: what no line of its description tells.
pub(super) fn standing_asked_for(snapshot: &Snapshot, query: &SearchQuery, outcome: &SearchOutcome) -> Option<Warning> {
    if query.fresh_only || !asks_for_status(&query.text) {
        return None;
    }
    let first = outcome.hits.first().filter(|hit| snapshot.kind_of(hit.ordinal) == Kind::Model)?;
    let of_snapshots = snapshots_of(snapshot, first.ordinal)
        .into_iter()
        .map(|ordinal| format!("its snapshot {}", standing(snapshot, ordinal)));
    let all: Vec<String> = std::iter::once(standing(snapshot, first.ordinal)).chain(of_snapshots).collect();
    Some(all.join("; ").into())
}

/// The status of a model, and the days of its end that are known.
fn standing(snapshot: &Snapshot, ordinal: u32) -> String {
    let row: Value = json::read_own(snapshot.row(ordinal));
    let status = match row["status"].as_str() {
        Some("unknown") | None => "of unknown status",
        Some(status) => status,
    };
    let day = |name: &str, said: &str| row.get(name).and_then(Value::as_str).map(|day| format!("{said} {day}"));
    let days: Vec<String> =
        [day("deprecated_on", "deprecation"), day("retires_on", "retirement")].into_iter().flatten().collect();
    let days = if days.is_empty() { "no end date known".to_owned() } else { days.join(", ") };
    format!("`{}` is {status} ({days})", snapshot.id(ordinal))
}

/// Says that models which come first by their price cost nothing as their source says, and no seller beside their maker is known.
pub(super) fn free_of_few(
    snapshot: &Snapshot,
    query: &SearchQuery,
    understood: &Understood,
    outcome: &SearchOutcome,
) -> Option<Warning> {
    let is_by_price = understood.param("sort").is_some_and(|sort| sort.starts_with("price_"));
    if !is_by_price || understood.kind != Some(Kind::Model) || understood.param("offers__gte").is_some() {
        return None;
    }
    let is_free_of_few = |ordinal: u32| {
        let row: Value = json::read_own(snapshot.row(ordinal));
        let has_sellers = row["offers"].as_array().is_some_and(|offers| !offers.is_empty());
        let is_free = |meter: &str| Usd::from_json(&row["pricing"][meter]).is_some_and(Usd::is_zero);
        !has_sellers && is_free("input") && is_free("output")
    };
    let which = which_of_first(snapshot, outcome, is_free_of_few)?;
    // A filter of models needs the type that is searched.
    let sold: &'static [_] = if query.kind.is_some() { &SOLD_MODELS[1..] } else { &SOLD_MODELS };
    Some(Warning::new(format!("{which} listed as free, with no other seller known"), Advice::LeaveOut(sold)))
}

/// Those of the first hits that some test admits, as the subject of a sentence: "`a` and 2 more of these are".
fn which_of_first(snapshot: &Snapshot, outcome: &SearchOutcome, admits: impl Fn(u32) -> bool) -> Option<String> {
    let first = outcome.hits.iter().take(FIRST_HITS).map(|hit| hit.ordinal);
    let found: Vec<u32> = first.filter(|ordinal| admits(*ordinal)).collect();
    let named = format!("`{}`", snapshot.id(*found.first()?));
    Some(match found.len() - 1 {
        0 => format!("{named} is"),
        1 => format!("{named} and another of these are"),
        more => format!("{named} and {more} more of these are"),
    })
}

/// Says that models whose tokens cost nothing are billed by something else, where prices were asked for.
pub(super) fn billed_otherwise(
    snapshot: &Snapshot,
    understood: &Understood,
    outcome: &SearchOutcome,
) -> Option<Warning> {
    let asks = |(name, value): &(String, String)| name.starts_with("price_") || value.starts_with("price_");
    if understood.kind != Some(Kind::Model) || !understood.params.iter().any(asks) {
        return None;
    }
    let is_billed = |ordinal: u32| {
        let row: Value = json::read_own(snapshot.row(ordinal));
        Prices::new(row.get("pricing")).billed_otherwise().is_some()
    };
    let which = which_of_first(snapshot, outcome, is_billed)?;
    Some(format!("{which} billed by something else than tokens: see `pricing.other`").into())
}

/// That few of what meets the filters of a question have its other words, which may have been meant to say nothing more.
pub(super) fn few_mention(words: &str, met: usize, outcome: &SearchOutcome) -> Option<Warning> {
    let found = outcome.total;
    let is_told = found > 0 && found * FEW_OF < met;
    let shown = clean::quoted(words);
    is_told.then(|| format!("`{shown}` leaves {found} of the {met} that meet the filters").into())
}

/// Says that only the filters of the request leave nothing, and how much has the words without them: who has no hit does not know which of the
/// two to change.
pub(super) fn left_out_by_filters(
    snapshot: &Snapshot,
    query: &SearchQuery,
    understood: &Understood,
    outcome: &SearchOutcome,
) -> Option<Warning> {
    let has_filters = !query.selection.conditions.is_empty() && query.selection.ids.is_empty();
    if !outcome.hits.is_empty() || !has_filters || !understood.params.is_empty() {
        return None;
    }
    let without = by_words(snapshot, query, understood, None);
    nothing_meets_filters(without.total, without.total_is_exact)
}

/// Says how much there would be without the filters, which leave nothing; nothing where there is none anyway.
pub(in crate::answer) fn nothing_meets_filters(total: usize, is_exact: bool) -> Option<Warning> {
    let least = if is_exact { "" } else { "at least " };
    let results = if total == 1 { "1 result".to_owned() } else { format!("{total} results") };
    (total > 0).then(|| format!("nothing meets the filters; without them there would be {least}{results}").into())
}

/// Says that the item which was named is left out, and why: it is there, so no other name was meant.
pub(super) fn named_left_out(snapshot: &Snapshot, query: &SearchQuery, outcome: &SearchOutcome) -> Option<Warning> {
    let leaves_out = query.fresh_only || !query.selection.conditions.is_empty();
    if !leaves_out || !query.selection.ids.is_empty() {
        return None;
    }
    let named = searched_kinds(query.kind).filter_map(|kind| snapshot.find(kind, &query.text).item());
    let named: Vec<u32> = named.collect();
    let ordinal = *named.first()?;
    if outcome.hits.iter().any(|hit| named.contains(&hit.ordinal)) {
        return None;
    }
    let (fresh_only, selection) = (query.fresh_only, query.selection.clone());
    listing::why_left_out(snapshot, ordinal, &ListQuery { fresh_only, selection, ..ListQuery::default() })
}
