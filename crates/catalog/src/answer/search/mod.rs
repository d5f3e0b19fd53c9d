//! Searches: how hits are shown, with what was understood of the question and what may have been meant. [`mod@find`] finds them.

mod authors;
mod editions;
mod find;
mod hints;
mod listed;
mod manual;
mod matched;
mod passages;
mod placed;
mod titled;
mod tools;
mod words;

use serde_json::{Map, Value};

use super::lists::{PathSeen, RowView};
use super::{SNIPPET_CHARS_MAX, SUGGESTIONS_MAX, lists, standing, url};
use crate::json::{self, Object};
use crate::listing::{FacetValue, of_nothing};
use crate::resolve::model::bare_name;
use crate::segment::ItemRecord;
use crate::segment::render::{self, id_of};
use crate::snapshot::Snapshot;
use crate::understand::Understood;
use refdesk_core::Kind;
use refdesk_core::clean;
use refdesk_core::item::Status;
use refdesk_core::query::{Advice, KIND_FACET, SearchQuery, Selection, Warning};
use refdesk_core::text::numbers;
use refdesk_search::{MatchKind, SearchHit, SearchOutcome, SegmentSet, SnippetGenerator};

pub use editions::others as other_editions;
pub(super) use editions::{preferred, write_others};
pub use find::{find, restated};
pub(super) use hints::nothing_meets_filters;
pub use listed::Searched;
pub(super) use matched::{Typed, matched};
pub use passages::{HitTexts, PASSAGE_TEXTS_MAX};

/// Names near a query are suggested for queries of at most this many words: longer ones are questions.
const SUGGEST_WORDS_MAX: usize = 2;
/// Names near a query that are looked at, to suggest those in use first.
const SUGGESTIONS_LOOKED_AT: usize = 12;
/// The score of a hit that meets what was asked for and was not compared with words.
const LISTED_SCORE: f32 = 1.0;
/// Members that every hit has, whatever `fields` says.
const CHOSEN_ALWAYS: [&str; 6] = ["type", "id", "score", "evidence_key", "stale", "passages"];

/// A search answer.
#[derive(Debug)]
pub struct SearchAnswer {
    /// Its JSON.
    pub json: Vec<u8>,
    /// What the JSON tells as `warnings`.
    pub warnings: Vec<Warning>,
}

/// A search answer, with what is wanted of the full texts of its hits.
pub fn search(
    snapshot: &Snapshot,
    query: &SearchQuery,
    searched: &Searched,
    texts: &HitTexts,
    base: &str,
    warnings: &[Warning],
) -> SearchAnswer {
    let outcome = &searched.outcome;
    let snippets = SnippetGenerator::new(searched.wanted(query)).with_corrected(&outcome.corrected);
    let understood_names = searched.understood.compared.iter().chain(&searched.understood.about).map(String::as_str);
    let typed = [query.text.as_str(), searched.text(query), searched.understood.rest.as_str()].into_iter();
    let typed = Typed::new(typed.chain(understood_names).filter(|text| !text.is_empty()));
    let mut out = Vec::with_capacity(1024 + outcome.hits.len() * 1500);
    let mut object = Object::open(&mut out);
    object.verbatim("query", Some(&query.text));
    object.value("type", &query.kind.map(Kind::search_type));
    object.flag("fresh_only", query.fresh_only);
    object.flag("include_markdown", query.include_markdown);
    object.text("mode", query.mode.as_str());
    object.count("limit", query.limit);
    object.count("count", outcome.hits.len());
    object.count("total", outcome.total);
    object.text("total_relation", if outcome.total_is_exact { "eq" } else { "gte" });
    understood(&mut object, query, searched, base);
    // As the list that was understood shows its rows.
    let fresh_only = searched.fresh_only(query);
    let selection = searched.selection(query);
    let mut seen = vec![PathSeen::default(); query.selection.fields.len()];
    json::array(object.name("results"), &outcome.hits, |out, hit| {
        let is_listed = !searched.understood.params.is_empty();
        let shown = ShownHit { hit, typed: &typed, texts, fresh_only, is_listed };
        if query.selection.fields.is_empty() {
            return search_hit(snapshot, &snippets, &shown, base, out);
        }
        let mut whole = Vec::new();
        search_hit(snapshot, &snippets, &shown, base, &mut whole);
        json::write(out, &chosen_members(snapshot, (&selection, fresh_only), hit.ordinal, &whole, &mut seen));
    });
    let typed_name = name_typed(query, searched);
    let left_out = hints::named_left_out(snapshot, query, outcome);
    let is_told = searched.is_left_out || left_out.is_some();
    let suggestions = match &searched.unknown_version {
        // What was found is not what was typed, whatever else it is called.
        Some(name) if !is_told => names_near(snapshot, name, Kind::Model.into(), outcome, &|_| true),
        None if !is_told && !is_found(snapshot, typed_name, outcome) => {
            let segments = searched_segments(query.kind.or(searched.understood.kind));
            suggestions(snapshot, typed_name, segments, outcome, &|_| true)
        }
        _ => Vec::new(),
    };
    object.value("suggestions", &suggestions);
    object.count("excluded_stale", outcome.excluded_stale);
    if !query.selection.ids.is_empty() {
        object.value("unresolved", &searched.unresolved);
    }
    if !query.selection.facets.is_empty() {
        lists::facets(&mut object, &searched.facets);
    }
    if query.count_kinds {
        kinds(&mut object, outcome);
    }
    let unknown = unknown_version(&query.text, outcome).filter(|_| !suggestions.is_empty());
    let missing = lists::missing_fields(&query.selection, &seen, "hit");
    let warnings = warnings.iter().chain(&query.warnings).chain(&searched.warnings);
    let nothing = of_nothing(snapshot, query.kind.as_ref().map_or(&Kind::SEARCHED[..], std::slice::from_ref));
    let warnings: Vec<Warning> =
        warnings.cloned().chain(left_out).chain(unknown).chain(missing).chain(nothing).collect();
    object.value("warnings", &warnings.iter().map(|warning| warning.told(base)).collect::<Vec<_>>());
    object.text("catalog_revision", snapshot.revision());
    object.close();
    SearchAnswer { json: out, warnings }
}

/// The facet of a search of all kinds: how many hits are of each, the most frequent first.
fn kinds(object: &mut Object<'_>, outcome: &SearchOutcome) {
    let counts = Kind::ALL.into_iter().zip(&outcome.by_segment).filter(|(_, count)| **count > 0);
    let value = |(kind, count): (Kind, &usize)| FacetValue {
        value: kind.search_type().to_owned(),
        count: *count,
        selected: false,
    };
    let mut values: Vec<FacetValue> = counts.map(value).collect();
    values.sort_by_key(|value| std::cmp::Reverse(value.count));
    let mut facets = Object::open(object.name("facets"));
    lists::facet(&mut facets, KIND_FACET, &values, 0, false);
    facets.close();
}

/// Says that nothing has the name, where a name with a number was typed: `gpt-7` is no text to look for.
fn unknown_version(text: &str, outcome: &SearchOutcome) -> Option<Warning> {
    let has = |test: fn(&char) -> bool| text.chars().any(|c| test(&c));
    let is_name = !text.contains(char::is_whitespace) && has(char::is_ascii_digit) && has(|c| c.is_alphabetic());
    let is_found = outcome.hits.first().is_some_and(SearchHit::is_named);
    let told = || format!("nothing is named `{}`", clean::quoted(text));
    (is_name && !is_found).then(|| Warning::new(told(), Advice::Suggestions))
}

/// What was understood, with the list that it equals; null when nothing was.
fn understood(object: &mut Object<'_>, query: &SearchQuery, searched: &Searched, base: &str) {
    let understood = &searched.understood;
    if understood.is_empty() {
        return object.raw("understood", "null");
    }
    let mut shown = Object::open(object.name("understood"));
    shown.value("kind", &understood.kind.map(Kind::search_type));
    let mut filters = Object::open(shown.name("filters"));
    let filter_params = understood.params.iter().filter(|(name, _)| name != "sort");
    filter_params.for_each(|(name, value)| filters.text(name, value));
    filters.close();
    shown.value("sort", &understood.param("sort"));
    shown.value("compared", &understood.compared);
    // The line of a model whose successors are asked for only says which come first.
    shown.verbatim("rest", Some(if understood.is_rest_implied { "" } else { &understood.rest }));
    let list = understood.kind.filter(|_| !understood.params.is_empty() && query.selection.is_every_row());
    shown.value("list_url", &list.map(|kind| list_url(base, kind, understood, query)));
    shown.close();
}

/// The address of a list.
fn list_url(base: &str, kind: Kind, understood: &Understood, query: &SearchQuery) -> String {
    let mut list = form_urlencoded::Serializer::new(String::new());
    list.extend_pairs(query.collection.as_deref().map(|id| ("collection", id)));
    list.extend_pairs(&understood.params);
    if query.fresh_only && understood.param("fresh_only").is_none() {
        list.append_pair("fresh_only", "true");
    }
    // Beside an order, the words that are left only put some of the same rows first.
    if !understood.rest.is_empty() && understood.param("sort").is_none() {
        list.append_pair("q", &understood.rest);
    }
    format!("{base}/v1/{}/list?{}", kind.path_segment(), list.finish())
}

/// What may be a misspelt name of a question: what is left of it behind the word for a kind and filters, if something was understood; nothing
/// where what is searched for was not typed.
fn name_typed<'a>(query: &'a SearchQuery, searched: &'a Searched) -> &'a str {
    let understood = &searched.understood;
    match () {
        () if understood.is_rest_implied => "",
        () if understood.kind.is_some() && understood.compared.is_empty() => &understood.rest,
        () => &query.text,
    }
}

/// Whether the first hit is what was typed, so that nothing else may be meant; looking up what is near takes as long as the search. It is of
/// this name or one much like it, or has the only word as it was typed. A number is another matter: `gpt-7` is no `gpt-4`.
fn is_found(snapshot: &Snapshot, text: &str, outcome: &SearchOutcome) -> bool {
    let Some(first) = outcome.hits.first() else { return false };
    let has_number = text.contains(|c: char| c.is_ascii_digit());
    let is_word = !text.is_empty() && text.chars().all(char::is_alphabetic);
    let is_literal = |(_, how): &(_, MatchKind)| matches!(how, MatchKind::Exact | MatchKind::Alias | MatchKind::Text);
    (first.is_named() && (!has_number || begins_with_numbers(snapshot.id(first.ordinal), text)))
        || (is_word && outcome.corrected.is_empty() && first.matched.iter().any(is_literal))
        || is_variant_of(snapshot, text, first.ordinal)
}

/// Whether the numbers of an id begin with those of a text: `claude-sonnet-4-5` is what `sonnet 4.5` asks for, and `glm-4.7` no `gpt-7`.
fn begins_with_numbers(id: &str, text: &str) -> bool {
    let asked: Vec<&str> = numbers(text).collect();
    numbers(id).take(asked.len()).eq(asked)
}

/// Whether a text is the name of a model with what a seller writes behind it: `gpt-4o:batch`.
fn is_variant_of(snapshot: &Snapshot, text: &str, ordinal: u32) -> bool {
    text.contains(':') && snapshot.find(Kind::Model, &bare_name(text)).item() == Some(ordinal)
}

/// "Did you mean": names near what was typed, only of items that may be found, unless the first hit is of this name. Those in use come
/// before what is deprecated or gone.
pub(super) fn suggestions(
    snapshot: &Snapshot,
    text: &str,
    segments: SegmentSet,
    outcome: &SearchOutcome,
    allowed: &dyn Fn(u32) -> bool,
) -> Vec<String> {
    let named = |hit: &SearchHit| matches!(hit.matched.first(), Some((_, MatchKind::Exact | MatchKind::Alias)));
    let first = outcome.hits.first();
    if text.is_empty() || first.is_some_and(named) || text.split_whitespace().nth(SUGGEST_WORDS_MAX).is_some() {
        return Vec::new();
    }
    names_near(snapshot, text, segments, outcome, allowed)
}

/// Names near a text, other than that of the first hit.
fn names_near(
    snapshot: &Snapshot,
    text: &str,
    segments: SegmentSet,
    outcome: &SearchOutcome,
    allowed: &dyn Fn(u32) -> bool,
) -> Vec<String> {
    let first = outcome.hits.first();
    let compared = snapshot.names_compared(text, segments, SUGGESTIONS_MAX + 1);
    let mut near = snapshot.only_near(text, compared, SUGGESTIONS_LOOKED_AT);
    near.sort_by_key(|ordinal| is_outgoing(snapshot, *ordinal));
    let mut names: Vec<String> = Vec::new();
    for ordinal in near.into_iter().filter(|near| first.is_none_or(|hit| hit.ordinal != *near) && allowed(*near)) {
        let name = snapshot.name(ordinal).into_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.truncate(SUGGESTIONS_MAX);
    names
}

/// Whether an item is deprecated or gone.
fn is_outgoing(snapshot: &Snapshot, ordinal: u32) -> bool {
    let (segment, row) = snapshot.locate(ordinal);
    let status = segment.column("status").and_then(|column| column.value(row));
    status.and_then(Status::parse).is_some_and(Status::is_outgoing)
}

/// The members of a hit that do not depend on the question, from `id` to `summary`.
pub(super) fn hit_head(item: &ItemRecord<'_>, row: &[u8], object: &mut Object<'_>) {
    object.members(&row[1..item.head_end as usize]);
    if item.hit_tail.is_empty() {
        object.raw("summary", item.description.of(row));
    } else {
        object.members(item.hit_tail);
    }
}

/// A hit, and how it is shown.
struct ShownHit<'a> {
    hit: &'a SearchHit,
    typed: &'a Typed<'a>,
    texts: &'a HitTexts,
    fresh_only: bool,
    /// The question was understood as filters or an order, so the values of a hit say more than the words of its text.
    is_listed: bool,
}

/// What is known of a model in one line.
#[derive(Debug, Clone, Copy)]
pub struct KnownLine<'a> {
    /// The line.
    pub text: &'a str,
    /// Whether any value in it is stale.
    pub is_stale: bool,
}

/// The line of a model; none when nothing of it is known.
pub fn line_of(snapshot: &Snapshot, ordinal: u32) -> Option<KnownLine<'_>> {
    let (segment, at) = snapshot.locate(ordinal);
    let item = segment.item(at);
    let text = item.line?;
    Some(KnownLine { text, is_stale: item.partly_stale && render::is_line_stale(segment.row(at)) })
}

/// Whether the text that describes a fresh item is stale.
pub fn is_description_stale(snapshot: &Snapshot, ordinal: u32) -> bool {
    let (segment, at) = snapshot.locate(ordinal);
    segment.item(at).partly_stale && render::is_description_stale(segment.row(at))
}

fn search_hit(snapshot: &Snapshot, snippets: &SnippetGenerator, shown: &ShownHit<'_>, base: &str, out: &mut Vec<u8>) {
    let ShownHit { hit, typed, texts, fresh_only, is_listed } = *shown;
    let (segment, at) = snapshot.locate(hit.ordinal);
    let (kind, item, row) = (segment.kind(), segment.item(at), segment.row(at));
    let evidence = segment.all_evidence().get(item.lead);
    let mut object = Object::open(out);
    object.text("type", kind.search_type());
    let is_partly_stale = fresh_only && item.partly_stale;
    let fresh_line = || item.line.filter(|_| !is_partly_stale || !render::is_line_stale(row));
    let line = || fresh_line().map(refdesk_search::escaped_snippet);
    if is_partly_stale && render::is_description_stale(row) {
        object.members(&row[1..item.head_end as usize]);
        object.raw("summary", "null");
        object.optional("snippet", line().as_deref());
    } else {
        hit_head(&item, row, &mut object);
        let described = || snippets.snippet(&segment.passage_of(&item, row), SNIPPET_CHARS_MAX);
        let of_tools = || snippets.snippet(&tools::described(kind, hit, row)?, SNIPPET_CHARS_MAX);
        let passage = || described().or_else(of_tools);
        let snippet = if is_listed { line().or_else(passage) } else { passage().or_else(line) };
        object.optional("snippet", snippet.as_deref());
    }
    object.value("score", &rounded(hit.score));
    matched(&mut object, snapshot, hit, typed);
    url(&mut object, base, kind, id_of(row));
    standing(&mut object, &evidence);
    evidence.write(object.name("evidence"));
    if let Some(language) = segment.column("language").and_then(|column| column.value(at)) {
        object.text("language", language);
    }
    editions::write_others(snapshot, hit.ordinal, &mut object);
    texts.write(hit.ordinal, &mut object);
    object.close();
}

/// A hit with the members that `fields` names: its own, and those of the row. Notes which of them there are.
fn chosen_members(
    snapshot: &Snapshot,
    (selection, fresh_only): (&Selection, bool),
    ordinal: u32,
    hit: &[u8],
    seen: &mut [PathSeen],
) -> Value {
    let (segment, row) = snapshot.locate(ordinal);
    let mut rendered = Vec::new();
    let mut in_row = vec![PathSeen::default(); seen.len()];
    RowView::new(segment, selection, fresh_only).write(row, &mut rendered, &mut in_row);
    let (hit, row): (Value, Value) = (json::read_own(hit), json::read_own(&rendered));
    let mut shown = Map::new();
    let row_members = row.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), value.clone()));
    for path in CHOSEN_ALWAYS {
        lists::take(&hit, path, &mut shown, &mut PathSeen::default());
    }
    shown.extend(row_members);
    for ((path, seen), in_row) in selection.fields.iter().zip(seen).zip(in_row) {
        let mut in_hit = PathSeen::default();
        lists::take(&hit, path, &mut shown, &mut in_hit);
        seen.add(in_row.or(in_hit));
    }
    Value::Object(shown)
}

/// Four decimals: enough to compare within one answer, and the same on every machine.
pub(super) fn rounded(score: f32) -> f64 {
    (f64::from(score) * 1e4).round() / 1e4
}

/// The segments that are searched.
fn searched_segments(kind: Option<Kind>) -> SegmentSet {
    kind.map_or_else(|| Kind::SEARCHED.into_iter().collect(), SegmentSet::from)
}

/// The kinds that a search looks through for what is called, spelt or addressed so.
fn searched_kinds(wanted: Option<Kind>) -> impl Iterator<Item = Kind> {
    Kind::SEARCHED.into_iter().filter(move |kind| wanted.is_none_or(|wanted| wanted == *kind))
}
