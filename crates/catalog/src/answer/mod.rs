//! Answers as JSON bytes, written out of a snapshot's rendered parts. Every surface (REST, MCP, command line) shows these.
//!
//! `docs/api.md` gives the shapes. Bodies are read by the caller and handed in; nothing here waits.

mod compare;
mod conflicts;
mod cost;
mod export;
mod frameworks;
mod lists;
mod offers;
mod resolution;

use bytes::Bytes;

use crate::json::{self, Object};
use crate::segment::render::{self, id_of};
use crate::segment::{EvidenceRecord, Found, ItemRecord};
use crate::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::query::{DetailQuery, SearchQuery};
use refdesk_search::{
    CosineSimilarities, MatchField, MatchKind, SearchHit, SearchOutcome, SearchRequest, SnippetGenerator,
};

pub use compare::{OtherKind, compare};
pub use conflicts::conflicts;
pub use cost::cost;
pub use export::Export;
pub use frameworks::{Routed, RouterEval, framework_search, route};
pub use lists::{ListAnswer, list};
pub use resolution::resolutions;

/// Most ids or names suggested in place of what was not found.
pub const SUGGESTIONS_MAX: usize = 5;
/// Suggestions are made when a search finds fewer hits than this.
pub const SUGGEST_BELOW: usize = 3;
/// Longest snippet of a hit, in characters of text.
pub const SNIPPET_CHARS_MAX: usize = 240;

/// What a detail shows beyond the row.
#[derive(Debug, Clone, Copy, Default)]
pub struct DetailExtras<'a> {
    /// The spelling that was asked for, when it is not the id.
    pub resolved_from: Option<&'a str>,
    /// Only what is fresh.
    pub fresh_only: bool,
    /// Models: the offers of the undated name and of all its snapshots, too.
    pub all_offers: bool,
    /// Frameworks: the prompt too.
    pub include_prompt: bool,
    /// The body, where the item has one and the caller read it.
    pub body: Option<&'a str>,
    /// Oddities of the request.
    pub warnings: &'a [String],
}

impl<'a> DetailExtras<'a> {
    /// What a query asks for of an item that was found under `resolved_from`.
    pub const fn new(
        query: DetailQuery,
        resolved_from: Option<&'a str>,
        body: Option<&'a str>,
        warnings: &'a [String],
    ) -> Self {
        let DetailQuery { fresh_only, all_offers, include_prompt } = query;
        Self { resolved_from, fresh_only, all_offers, include_prompt, body, warnings }
    }
}

/// The name under which a kind shows its body.
pub const fn body_key(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Document => Some("markdown"),
        Kind::Skill | Kind::Tutorial => Some("body_markdown"),
        _ => None,
    }
}

/// A detail answer.
pub fn detail(snapshot: &Snapshot, ordinal: u32, extras: &DetailExtras<'_>) -> Vec<u8> {
    let (segment, at) = snapshot.locate(ordinal);
    let (kind, item) = (segment.kind(), segment.item(at));
    let row = if extras.fresh_only { segment.fresh_row(at) } else { segment.row(at).into() };
    let body_bytes = extras.body.map_or(0, str::len);
    let mut out = Vec::with_capacity(2 * row.len() + item.detail_tail.len() + body_bytes + body_bytes / 8 + 2048);
    let mut object = Object::open(&mut out);
    if let Some(spelling) = extras.resolved_from {
        object.text("resolved_from", spelling);
    }
    let buffer = object.name(kind.singular());
    buffer.extend_from_slice(&row[..row.len() - 1]);
    let mut typed = Object::go_on(buffer);
    segment.write_field_evidence(&item, typed.name("field_evidence"));
    typed.members(if item.detail_tail.is_empty() { NO_CONFLICTS } else { item.detail_tail });
    body(&mut typed, kind, &item, extras.body);
    if extras.include_prompt && kind == Kind::Framework {
        typed.raw("prompt", item.prompt.unwrap_or("null"));
    }
    typed.close();
    if extras.all_offers && kind == Kind::Model {
        object.value("all_offers", &offers::all(snapshot, ordinal, extras.fresh_only));
    }
    segment.evidence_of(at).write(object.name("evidence"));
    object.members(RELATED);
    if !extras.warnings.is_empty() {
        object.value("warnings", extras.warnings);
    }
    object.close();
    out
}

const NO_CONFLICTS: &[u8] = br#""conflicts":[]"#;
/// Reserved for later joins; always empty in v1.
const RELATED: &[u8] = br#""related_models":[],"related_tools":[],"related_skills":[],"related_tutorials":[],"related_mcp_servers":[],"related_documents":[],"related_frameworks":[]"#;

fn body(typed: &mut Object<'_>, kind: Kind, item: &ItemRecord<'_>, body: Option<&str>) {
    let Some(key) = body_key(kind) else { return };
    typed.verbatim(key, body);
    if body.is_none() {
        typed.raw("body", "null");
        let reason = item.body_missing.unwrap_or("the source publishes no full text of this item");
        typed.text("body_missing", reason);
    }
}

/// What was found under an id or spelling.
#[derive(Debug, PartialEq, Eq)]
pub enum Resolved<'a> {
    /// The item, and the spelling when it was not the id.
    Item(u32, Option<&'a str>),
    /// Nothing; near ids, or all ids that an ambiguous spelling fits.
    Unknown(Vec<String>),
}

/// Finds the item that a detail path names.
pub fn resolve<'a>(snapshot: &'a Snapshot, kind: Kind, text: &'a str) -> Resolved<'a> {
    match snapshot.find(kind, text) {
        Found::Id(ordinal) => Resolved::Item(ordinal, None),
        Found::Alias(ordinal) => Resolved::Item(ordinal, Some(text)),
        Found::Ambiguous(ordinals) => {
            let ids = ordinals.iter().take(SUGGESTIONS_MAX).map(|ordinal| snapshot.id(*ordinal).to_owned());
            Resolved::Unknown(ids.collect())
        }
        Found::Unknown => {
            let text = refdesk_core::clean::excerpt(text, 200);
            Resolved::Unknown(snapshot.suggest(kind, &text, SUGGESTIONS_MAX).into_iter().map(str::to_owned).collect())
        }
    }
}

/// The member `url` of an item: `/v1/models/gpt-4o` behind the public URL.
fn url(object: &mut Object<'_>, base: &str, kind: Kind, id: &str) {
    object.joined("url", &[base, "/v1/", kind.path_segment(), "/", id]);
}

/// Runs a search. Separate from [`search`], so that a caller can read the bodies of the hits in between.
pub fn find(snapshot: &Snapshot, query: &SearchQuery, semantic: Option<&CosineSimilarities>) -> SearchOutcome {
    let groups = match query.kind {
        Some(kind) => 1 << kind.index(),
        None => Kind::SEARCHED.iter().fold(0, |mask, kind| mask | 1 << kind.index()),
    };
    let request =
        SearchRequest { text: &query.text, groups, fresh_only: query.fresh_only, limit: query.limit, semantic };
    snapshot.index().search(&request)
}

/// A search answer. `markdown` gives the body of a document hit, when it was asked for and read.
pub fn search(
    snapshot: &Snapshot,
    query: &SearchQuery,
    outcome: &SearchOutcome,
    markdown: &dyn Fn(u32) -> Option<Bytes>,
    base: &str,
    warnings: &[String],
) -> Vec<u8> {
    let snippets = SnippetGenerator::new(&query.text).with_corrected(&outcome.corrected);
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
    json::array(object.name("results"), &outcome.hits, |out, hit| {
        let text = markdown(hit.ordinal);
        let shown = ShownHit { hit, markdown: text.as_deref(), fresh_only: query.fresh_only };
        search_hit(snapshot, &snippets, &shown, base, out);
    });
    let groups = query.kind.map_or(0x3f, |kind| 1u8 << kind.index());
    object.value("suggestions", &suggestions(snapshot, &query.text, groups, outcome, &|_| true));
    object.count("excluded_stale", outcome.excluded_stale);
    object.value("warnings", warnings);
    object.text("catalog_revision", snapshot.revision());
    object.close();
    out
}

/// "Did you mean": names near the query, only of items that may be found, only when little was found and nothing of this name.
fn suggestions(
    snapshot: &Snapshot,
    text: &str,
    groups: u8,
    outcome: &SearchOutcome,
    allowed: &dyn Fn(u32) -> bool,
) -> Vec<String> {
    let named = |hit: &SearchHit| matches!(hit.matched.first(), Some((_, MatchKind::Exact | MatchKind::Alias)));
    if outcome.hits.len() >= SUGGEST_BELOW || outcome.hits.first().is_some_and(named) {
        return Vec::new();
    }
    let found: Vec<u32> = outcome.hits.iter().map(|hit| hit.ordinal).collect();
    let near = snapshot.index().similar_names(text, groups, SUGGESTIONS_MAX + found.len());
    let mut names: Vec<String> = Vec::new();
    for ordinal in near.into_iter().filter(|ordinal| !found.contains(ordinal) && allowed(*ordinal)) {
        let name = snapshot.name(ordinal).into_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.truncate(SUGGESTIONS_MAX);
    names
}

/// The members of a hit that do not depend on the question, from `id` to `summary`.
fn hit_head(item: &ItemRecord<'_>, row: &[u8], object: &mut Object<'_>) {
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
    markdown: Option<&'a [u8]>,
    fresh_only: bool,
}

fn search_hit(snapshot: &Snapshot, snippets: &SnippetGenerator, shown: &ShownHit<'_>, base: &str, out: &mut Vec<u8>) {
    let ShownHit { hit, markdown, fresh_only } = *shown;
    let (segment, at) = snapshot.locate(hit.ordinal);
    let (kind, item, row, evidence) = (segment.kind(), segment.item(at), segment.row(at), segment.evidence_of(at));
    let mut object = Object::open(out);
    object.text("type", kind.search_type());
    if fresh_only && item.partly_stale && render::is_description_stale(row) {
        object.members(&row[1..item.head_end as usize]);
        object.raw("summary", "null");
        object.raw("snippet", "null");
    } else {
        hit_head(&item, row, &mut object);
        object.optional("snippet", snippets.snippet(&segment.passage_of(&item, row), SNIPPET_CHARS_MAX).as_deref());
    }
    object.value("score", &rounded(hit.score));
    matched(&mut object, hit);
    url(&mut object, base, kind, id_of(row));
    standing(&mut object, &evidence);
    evidence.write(object.name("evidence"));
    if let Some(markdown) = markdown {
        object.text("markdown", &String::from_utf8_lossy(markdown));
    }
    object.close();
}

/// Where it is read, and how old it is.
fn standing(object: &mut Object<'_>, evidence: &EvidenceRecord<'_>) {
    object.text("source_url", evidence.source_url);
    object.plain("evidence_key", &evidence.key.written());
    let known = evidence.known();
    object.stamp("last_synced_at", known.last_synced_at);
    object.stamp("last_verified_at", known.last_verified_at);
    object.flag("stale", evidence.stale_reason.is_some());
}

fn matched(object: &mut Object<'_>, hit: &SearchHit) {
    json::array(object.name("matched"), &hit.matched, |out, (field, how)| {
        let mut entry = Object::open(out);
        entry.text("field", field_name(*field));
        entry.text("how", how_name(*how));
        entry.close();
    });
}

/// Four decimals: enough to compare within one answer, and the same on every machine.
fn rounded(score: f32) -> f64 {
    (f64::from(score) * 1e4).round() / 1e4
}

const fn field_name(field: MatchField) -> &'static str {
    match field {
        MatchField::Id => "id",
        MatchField::Name => "name",
        MatchField::Alias => "alias",
        MatchField::Title => "title",
        MatchField::Description => "description",
        MatchField::Keywords => "keywords",
        MatchField::Headings => "headings",
        MatchField::Body => "body",
        MatchField::Passage => "tools",
    }
}

const fn how_name(how: MatchKind) -> &'static str {
    match how {
        MatchKind::Exact => "exact",
        MatchKind::Alias => "alias",
        MatchKind::Fuzzy => "fuzzy",
        MatchKind::Text => "text",
        MatchKind::Semantic => "semantic",
    }
}

/// An evidence answer: the record itself.
pub fn evidence(snapshot: &Snapshot, key: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(512);
    snapshot.evidence(key)?.write(&mut out);
    Some(out)
}
