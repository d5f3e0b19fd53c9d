//! Answers as JSON bytes, written out of a snapshot's rendered parts. Every surface (REST, MCP, command line) shows these.
//!
//! `docs/api.md` gives the shapes. Bodies are read by the caller and handed in; nothing here waits.

mod addresses;
mod cells;
mod compare;
mod conflicts;
mod cost;
mod export;
mod frameworks;
mod lists;
mod offers;
mod resolution;
mod search;

use rust_decimal::Decimal;
use serde_json::Value;

use crate::columns::Prices;
use crate::json::Object;
use crate::segment::{EvidenceRecord, Found, ItemRecord};
use crate::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::query::{DetailQuery, SearchQuery, Warning};
use refdesk_core::slug::RESERVED;
use refdesk_search::CosineSimilarities;

pub use crate::listing::{called, price_of_row, why_left_out};
pub use addresses::{RESOURCES, item_at};
pub use cells::CellValue;
pub use compare::{Incomparable, compare};
pub use conflicts::{at_conflict, conflict_count, conflicts, offer_at};
pub use cost::cost;
pub use export::Export;
pub use frameworks::{FrameworkAnswer, RouterEval, framework_search, route};
pub use lists::{ListAnswer, at, list};
pub use offers::{bills_no_tokens, has_token_price, makers_offer};
pub use resolution::resolutions;
pub use search::{
    HitTexts, KnownLine, PASSAGE_TEXTS_MAX, SearchAnswer, Searched, is_description_stale, line_of, other_editions,
    restated, search,
};

/// Most ids or names suggested in place of what was not found.
pub const SUGGESTIONS_MAX: usize = 5;
/// Longest snippet of a hit, in characters of text.
pub const SNIPPET_CHARS_MAX: usize = 240;

/// What a detail shows beyond the row.
#[derive(Debug, Clone, Copy, Default)]
pub struct DetailExtras<'a> {
    /// What was asked for.
    pub query: DetailQuery,
    /// The spelling that was asked for, when it is not the id.
    pub resolved_from: Option<&'a str>,
    /// The body, where the item has one and the caller read it.
    pub body: Option<&'a str>,
    /// Oddities of the request.
    pub warnings: &'a [Warning],
}

/// The name under which a kind shows its body.
pub const fn body_key(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Document => Some("markdown"),
        Kind::Skill | Kind::Tutorial => Some("body_markdown"),
        _ => None,
    }
}

/// The blended price of an object `pricing`, three parts of input and one of output; `None` where one is unknown.
pub fn blended(pricing: &Value) -> Option<Decimal> {
    Prices::new(Some(pricing)).blended()
}

/// Whether an offer in a row is of a plan whose subscription includes the model: prices of nothing, which are no bargain.
pub fn is_included_in_plan(offer: &Value) -> bool {
    crate::columns::is_included(crate::json::text_of(offer, "provider"), &offer["pricing"])
}

/// A detail answer.
pub fn detail(snapshot: &Snapshot, ordinal: u32, extras: &DetailExtras<'_>) -> Vec<u8> {
    let DetailQuery { fresh_only, all_offers, include_prompt } = extras.query;
    let (segment, at) = snapshot.locate(ordinal);
    let (kind, item) = (segment.kind(), segment.item(at));
    let row = if fresh_only { segment.fresh_row(at) } else { segment.row(at).into() };
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
    search::write_others(snapshot, ordinal, &mut typed);
    let preferred = search::preferred(snapshot, ordinal);
    if preferred != ordinal {
        typed.text("preferred_variant", snapshot.id(preferred));
    }
    if include_prompt && kind == Kind::Framework {
        typed.raw("prompt", item.prompt.unwrap_or("null"));
    }
    typed.close();
    if all_offers && kind == Kind::Model {
        object.value("all_offers", &offers::all(snapshot, ordinal, fresh_only));
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

/// What a spelling that names no item of some kinds may have been meant for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Unresolved {
    /// Near ids, or the ids that an ambiguous spelling fits.
    pub suggestions: Vec<String>,
    /// The spelling fits each of the suggestions.
    pub is_ambiguous: bool,
    /// Items of other kinds that the spelling names.
    pub of_other_kinds: Vec<(Kind, String)>,
}

impl Unresolved {
    /// Looks among some kinds for what a spelling that names nothing there may mean, and among the others for what it names.
    pub fn new(snapshot: &Snapshot, kinds: &[Kind], spelling: &str) -> Self {
        let mut suggestions: Vec<String> = Vec::new();
        for kind in kinds {
            if let Found::Ambiguous(ordinals) = snapshot.find(*kind, spelling) {
                suggestions.extend(ordinals.iter().map(|ordinal| snapshot.id(*ordinal).to_owned()));
            }
        }
        suggestions.truncate(SUGGESTIONS_MAX);
        let is_ambiguous = !suggestions.is_empty();
        if !is_ambiguous {
            let segments = kinds.iter().copied().collect();
            let near = snapshot.near(spelling, segments, SUGGESTIONS_MAX);
            let mut ordinals = resolution::meant(snapshot, spelling, kinds);
            for (near, _) in near {
                if !ordinals.contains(&near) {
                    ordinals.push(near);
                }
            }
            suggestions = ordinals.iter().map(|ordinal| snapshot.id(*ordinal).to_owned()).collect();
            suggestions.truncate(SUGGESTIONS_MAX);
        }
        let others = Kind::ALL.into_iter().filter(|kind| !kinds.contains(kind));
        let of_other_kinds =
            others.filter_map(|kind| Some((kind, snapshot.id(snapshot.find(kind, spelling).item()?).to_owned())));
        Self { suggestions, is_ambiguous, of_other_kinds: of_other_kinds.collect() }
    }
}

/// Finds the item that a detail path names, and the spelling when it was not the id.
///
/// # Errors
/// When the path names nothing of the kind.
pub fn resolve<'a>(snapshot: &Snapshot, kind: Kind, text: &'a str) -> Result<(u32, Option<&'a str>), Unresolved> {
    match snapshot.find(kind, text) {
        Found::Alias(_) if RESERVED.contains(&text) => Err(Unresolved::default()),
        Found::Id(ordinal) => Ok((ordinal, None)),
        Found::Alias(ordinal) => Ok((ordinal, Some(text))),
        // Words of paths are no ids, whatever is called so.
        Found::Unknown if !RESERVED.contains(&text) => match resolution::alias(snapshot, text, kind) {
            Some(ordinal) => Ok((ordinal, Some(text))),
            None => Err(Unresolved::new(snapshot, &[kind], text)),
        },
        Found::Ambiguous(_) | Found::Unknown => Err(Unresolved::new(snapshot, &[kind], text)),
    }
}

/// Runs a search. Separate from [`search()`], so that a caller can read the bodies of the hits in between.
pub fn find(snapshot: &Snapshot, query: &SearchQuery, semantic: Option<&CosineSimilarities>) -> Searched {
    let named = query.kind.and_then(|kind| resolution::with_ids(snapshot, kind, &query.selection));
    let named = named.map(|selection| SearchQuery { selection, ..query.clone() });
    search::find(snapshot, named.as_ref().unwrap_or(query), semantic)
}

/// The member `url` of an item: `/v1/models/gpt-4o` behind the public URL.
fn url(object: &mut Object<'_>, base: &str, kind: Kind, id: &str) {
    object.joined("url", &[base, "/v1/", kind.path_segment(), "/", id]);
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

/// An evidence answer: the record itself.
pub fn evidence(snapshot: &Snapshot, key: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(512);
    snapshot.evidence(key)?.write(&mut out);
    Some(out)
}
