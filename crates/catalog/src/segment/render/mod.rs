//! Rows and the parts of hits and details, rendered once per segment; what is read out of a row again.

mod model_line;

use std::borrow::Cow;

use serde::Deserialize as _;
use serde_json::Value;

use super::evidence::times::{ShownTime, Which};
use super::evidence::{Evidence, EvidenceRecord};
use super::record::Span;
use crate::broken::broken;
use crate::json::{self, Object};
use crate::resolve::model::ShownOffer;
use crate::resolve::{Context, ResolvedItem, versions};
use refdesk_core::fact::KnownTimes;
use refdesk_core::{Kind, clean};

pub use model_line::{is_line_stale, model_line};

/// Longest `summary` of a search hit, in characters.
pub const HIT_SUMMARY_CHARS_MAX: usize = 300;

/// Offsets of parts of a row, and what else is known once it is written.
#[derive(Debug, Default)]
pub struct Places {
    /// The description, as JSON.
    pub description: Span,
    /// The times at which facts were confirmed.
    pub times: Vec<ShownTime>,
    /// Whether the item is stale.
    pub stale: bool,
}

/// Evidence by fact.
#[derive(Debug, Clone, Copy)]
pub struct Slots<'a> {
    /// The evidence.
    pub evidence: &'a Evidence,
    /// Where in it that of each fact stands.
    pub slots: &'a [u32],
}

impl<'a> Slots<'a> {
    /// Where the evidence of a fact stands.
    pub fn slot(self, fact: usize) -> u32 {
        self.slots[fact]
    }

    /// The evidence of a fact.
    pub fn of_fact(self, fact: usize) -> EvidenceRecord<'a> {
        self.evidence.get(self.slot(fact))
    }
}

/// Writes the row of an item: `docs/api.md#rows-and-fields`.
pub fn row(item: &ResolvedItem, context: Context<'_>, evidence: Slots<'_>, out: &mut Vec<u8>) -> Places {
    let mut places = Places::default();
    let description = description_name(item);
    let mut object = Object::open(out);
    head(item, &mut object);
    object.value("aliases", &item.aliases);
    if item.language.is_some() || matches!(item.kind, Kind::Document | Kind::Tutorial) {
        object.optional("language", item.language.as_deref());
    }
    for (name, value) in &item.fields {
        if item.kind == Kind::Framework && name == "prompt" {
            continue;
        }
        let out = object.name(name);
        let start = out.len() as u32;
        if item.kind == Kind::Model && name == "offers" {
            json::array(out, &item.offers, |out, offer| self::offer(offer, context, evidence, out, &mut places.times));
        } else {
            json::write(out, value);
        }
        if name == description {
            places.description = Span { start, end: out.len() as u32 };
        }
    }
    let lead = evidence.slot(item.lead);
    let record = evidence.evidence.get(lead);
    let known = |at: &usize| context.facts[*at].standing.known_at(context.now).first_seen_at;
    let first_seen = item.live.iter().filter_map(known).min();
    object.text("source_url", record.source_url);
    object.plain("evidence_key", &record.key.written());
    object.stamp("first_seen_at", first_seen);
    object.stamp("changed_at", item.changed_at);
    confirmed(record.known(), lead, &mut object, &mut places.times);
    places.stale = record.stale_reason.is_some();
    object.flag("stale", places.stale);
    seldom(item, &mut object);
    object.close();
    places
}

/// Writes an offer, [`refdesk_core::item::Offer`] in the documentation of the API, and notes where it shows times.
fn offer(offer: &ShownOffer, context: Context<'_>, evidence: Slots<'_>, out: &mut Vec<u8>, times: &mut Vec<ShownTime>) {
    let (fact, slot) = (&context.facts[offer.fact], evidence.slot(offer.fact));
    let known = fact.standing.known_at(context.now);
    let mut object = Object::open(out);
    object.text("provider", &offer.provider);
    object.text("api_model_id", &offer.api_model_id);
    object.value("limits", &offer.limits);
    object.value("pricing", &offer.pricing);
    object.optional("source_url", Some(&*fact.source_url).filter(|url| !url.is_empty()));
    object.text("status", offer.status.as_str());
    for (name, date) in [("deprecated_on", &offer.deprecated_on), ("retires_on", &offer.retires_on)] {
        if let Some(date) = date {
            object.text(name, date);
        }
    }
    if let Some(removed_at) = known.removed_at {
        object.stamp("removed_at", Some(removed_at));
    }
    confirmed(known, slot, &mut object, times);
    object.flag("stale", offer.stale);
    object.text("source_id", &fact.source_id);
    object.plain("evidence_key", &evidence.evidence.key(slot).written());
    object.close();
}

/// Writes when a fact was confirmed, and notes where.
fn confirmed(known: KnownTimes, slot: u32, object: &mut Object<'_>, times: &mut Vec<ShownTime>) {
    for (which, stamp) in [(Which::Synced, known.last_synced_at), (Which::Verified, known.last_verified_at)] {
        let out = object.name(which.as_str());
        let start = out.len() as u32;
        json::stamp(out, stamp);
        times.extend(ShownTime::within(out, start, slot, which));
    }
}

/// What most rows have nothing of.
fn seldom(item: &ResolvedItem, object: &mut Object<'_>) {
    if !item.stale_fields.is_empty() {
        object.value("stale_fields", &item.stale_fields);
    }
    if let Some(removed_at) = item.removed_at {
        object.stamp("removed_at", Some(removed_at));
    }
    if let Some(alias) = &item.dated.snapshot_of {
        object.text("snapshot_of", alias);
    }
    if !item.dated.snapshots.is_empty() {
        object.value("snapshots", &item.dated.snapshots);
    }
    if !item.warnings.is_empty() {
        object.value("warnings", &item.warnings);
    }
    if !item.rejected_urls.is_empty() {
        object.value("rejected_urls", &item.rejected_urls);
    }
}

/// Whether anything of an item's row is stale, beside the item itself.
pub fn is_partly_stale(item: &ResolvedItem) -> bool {
    !item.stale_fields.is_empty() || item.offers.iter().any(|offer| offer.stale)
}

/// Whether the text that describes an item is among its stale fields.
pub fn is_description_stale(row: &[u8]) -> bool {
    is_stale_where(row, |path| path == "description" || path == "summary")
}

/// Whether one of such paths is among the stale fields of a row.
pub fn is_stale_where(row: &[u8], is_meant: impl Fn(&str) -> bool) -> bool {
    stale_fields(&json::read_own(row)).any(is_meant)
}

/// The paths of what is stale in a row though the item is not.
pub fn stale_fields(row: &Value) -> impl Iterator<Item = &str> {
    row.get("stale_fields").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// A row as it is shown to those who only want what is fresh: a stale field is null, its path still stands in `stale_fields`; stale offers
/// are left out and counted.
pub fn fresh_row(row: &[u8]) -> Vec<u8> {
    let mut shown: Value = json::read_own(row);
    let stale: Vec<String> = stale_fields(&shown).map(str::to_owned).collect();
    for path in &stale {
        if let Some(slot) = path.split('.').try_fold(&mut shown, |slot, name| slot.get_mut(name)) {
            *slot = Value::Null;
        }
    }
    // An object of which nothing is left is unknown.
    if let Some(pricing) = shown.get_mut("pricing")
        && pricing.as_object().is_some_and(|prices| prices.iter().all(|(name, price)| says_no_price(name, price)))
    {
        *pricing = Value::Null;
    }
    let offers = shown.get_mut("offers").and_then(Value::as_array_mut);
    let excluded = offers.map_or(0, |offers| {
        let before = offers.len();
        offers.retain(|offer| offer.get("stale") != Some(&Value::Bool(true)));
        before - offers.len()
    });
    if excluded > 0 {
        shown["stale_offers_excluded"] = excluded.into();
    }
    let mut out = Vec::with_capacity(row.len());
    json::write(&mut out, &shown);
    out
}

/// Whether a member of the prices of a model says no price: what all are stated in, and lists of nothing, say none.
pub fn says_no_price(name: &str, price: &Value) -> bool {
    matches!(name, "currency" | "unit") || price.is_null() || price.as_array().is_some_and(Vec::is_empty)
}

/// `id`, the name under the kind's key, `vendor`, `status`, `trust_tier`.
fn head(item: &ResolvedItem, object: &mut Object<'_>) {
    object.text("id", &item.id);
    object.text(item.kind.name_key(), &clean::line(&item.name));
    object.optional("vendor", item.vendor.as_deref());
    object.text("status", item.status.as_str());
    object.text("trust_tier", item.trust_tier.as_str());
}

/// What every row begins with.
const BEFORE_ID: &[u8] = br#"{"id":""#;

/// Whether a row is that of an id.
pub fn has_id(row: &[u8], id: &str) -> bool {
    let behind = row.strip_prefix(BEFORE_ID).and_then(|row| row.strip_prefix(id.as_bytes()));
    behind.is_some_and(|rest| rest.starts_with(b"\""))
}

/// The id in a row, which is its first member; an id has nothing that JSON escapes.
pub fn id_of(row: &[u8]) -> &str {
    let id = row.strip_prefix(BEFORE_ID).unwrap_or_else(|| broken("a row", "it does not begin with its id"));
    let end = id.iter().position(|byte| *byte == b'"').unwrap_or(id.len());
    std::str::from_utf8(&id[..end]).unwrap_or_else(|error| broken("the id of a row", error))
}

/// The name in a row, which is its second member.
pub fn name_of(row: &[u8], kind: Kind) -> Cow<'_, str> {
    let before = BEFORE_ID.len() + id_of(row).len() + br#"","":"#.len() + kind.name_key().len();
    text_at(row.get(before..).unwrap_or_else(|| broken("a row", "it has no name behind its id")))
}

/// The text that JSON begins with, empty where that is null; borrowed where nothing in it is escaped.
pub fn text_at(json: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = Option::<&str>::deserialize(&mut serde_json::Deserializer::from_slice(json)) {
        return Cow::Borrowed(text.unwrap_or_default());
    }
    let text = Option::<String>::deserialize(&mut serde_json::Deserializer::from_slice(json));
    Cow::Owned(text.unwrap_or_else(|error| broken("a text of a row", error)).unwrap_or_default())
}

/// Where the first members of a row end, which a search hit begins with too.
pub fn head_end(row: &[u8], item: &ResolvedItem) -> usize {
    let mut alone = Vec::with_capacity(256);
    let mut object = Object::open(&mut alone);
    head(item, &mut object);
    alone.len().min(row.len())
}

/// The members of a search hit that do not depend on the query, from behind the head to `summary`, without braces. Nothing when that
/// is the description as it stands in the row.
pub fn hit_tail(item: &ResolvedItem) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    let mut object = Object::open(&mut out);
    if item.kind == Kind::Framework {
        for name in ["domain", "secondary_domains"] {
            object.value(name, item.fields.get(name).unwrap_or(&Value::Null));
        }
        object.optional("summary", Some(text_of(item, "summary")).filter(|summary| !summary.is_empty()));
    } else {
        let summary = clean::excerpt(description(item), HIT_SUMMARY_CHARS_MAX);
        if !summary.is_empty() && summary == description(item) {
            return Vec::new();
        }
        // Without a description the row says null, and so does the hit.
        object.optional("summary", Some(&*summary).filter(|summary| !summary.is_empty()));
    }
    out.remove(0);
    out
}

/// The prose that describes an item.
pub fn description(item: &ResolvedItem) -> &str {
    text_of(item, description_name(item))
}

/// The field that has it.
fn description_name(item: &ResolvedItem) -> &'static str {
    if text_of(item, "description").is_empty() { "summary" } else { "description" }
}

fn text_of<'a>(item: &'a ResolvedItem, name: &str) -> &'a str {
    item.fields.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// What the detail adds behind `field_evidence`, without braces: `conflicts`, `versions`; nothing when it has neither.
pub fn detail_tail(item: &ResolvedItem, context: Context<'_>, evidence: Slots<'_>) -> Vec<u8> {
    if item.conflicts.is_empty() && item.kind != Kind::McpServer {
        return Vec::new();
    }
    let mut out = Vec::with_capacity(512);
    let mut object = Object::open(&mut out);
    object.objects("conflicts", &item.conflicts, |entry, conflict| {
        let stated = evidence.of_fact(conflict.fact);
        entry.text("path", &conflict.path);
        entry.value("value", &conflict.value);
        entry.text("source_id", &stated.source.id);
        entry.text("source_name", &stated.source.name);
        entry.text("source_url", stated.source_url);
        entry.plain("evidence_key", &stated.key.written());
        if stated.stale_reason.is_some() {
            entry.flag("stale", true);
        }
        if let Some(since) = conflict.withheld_since {
            entry.flag("withheld", true);
            if since.is_some() {
                entry.stamp("since", since);
            }
        }
        if let Some(reason) = &conflict.reason {
            entry.text("reason", reason);
        }
    });
    if item.kind == Kind::McpServer {
        object.value("versions", &versions(item, context.facts));
    }
    out.remove(0);
    out
}
