//! Rows and the parts of hits and details, rendered once per segment; what is read out of a row again.

mod model_line;

use std::borrow::Cow;

use serde::Deserialize as _;
use serde_json::Value;

use super::evidence::times::{ShownTime, Which};
use super::evidence::{Evidence, EvidenceRecord};
use super::record::Span;
use crate::json::{self, Object};
use crate::resolve::{Context, ResolvedItem, versions};
use refdesk_core::fact::EvidenceKey;
use refdesk_core::{Kind, clean};

pub(crate) use model_line::grouped;
pub use model_line::model_line;

/// Longest `summary` of a search hit, in characters.
pub const HIT_SUMMARY_CHARS_MAX: usize = 300;

/// Offsets of parts of a row.
#[derive(Debug, Default)]
pub struct Places {
    /// The description, as JSON.
    pub description: Span,
    /// The times at which facts were confirmed.
    pub times: Vec<ShownTime>,
}

/// Writes the row of an item: `docs/api.md#rows-and-fields`. `lead` is the place of the evidence of the fact that leads.
pub fn row(item: &ResolvedItem, context: Context<'_>, evidence: &Evidence, lead: u32, out: &mut Vec<u8>) -> Places {
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
        match value {
            Value::Array(offers) if name == "offers" => {
                json::array(out, offers, |out, offer| self::offer(offer, evidence, out, &mut places.times));
            }
            value => json::write(out, value),
        }
        if name == description {
            places.description = Span { start, end: out.len() as u32 };
        }
    }
    let record = evidence.get(lead);
    let known = |at: &usize| context.facts[*at].standing.known_at(context.now).first_seen_at;
    let first_seen = item.live.iter().filter_map(known).min();
    let known = record.known();
    object.text("source_url", record.source_url);
    object.plain("evidence_key", &record.key.written());
    object.stamp("first_seen_at", first_seen);
    for (which, stamp) in [(Which::Synced, known.last_synced_at), (Which::Verified, known.last_verified_at)] {
        let out = object.name(which.name());
        let start = out.len() as u32;
        json::stamp(out, stamp);
        places.times.extend(ShownTime::within(out, start, lead, which));
    }
    object.flag("stale", record.stale_reason.is_some());
    seldom(item, &mut object);
    object.close();
    places
}

/// Writes an offer, and notes where it shows times.
fn offer(offer: &Value, evidence: &Evidence, out: &mut Vec<u8>, times: &mut Vec<ShownTime>) {
    let Value::Object(members) = offer else { return json::write(out, offer) };
    let key = members.get("evidence_key").and_then(Value::as_str).and_then(EvidenceKey::parse);
    let slot = key.and_then(|key| evidence.slot(key));
    let mut object = Object::open(out);
    for (name, value) in members {
        let out = object.name(name);
        let start = out.len() as u32;
        json::write(out, value);
        if let (Some(slot), Some(which)) = (slot, Which::named(name)) {
            times.extend(ShownTime::within(out, start, slot, which));
        }
    }
    object.close();
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
    let offers = item.fields.get("offers").and_then(Value::as_array);
    !item.stale_fields.is_empty() || offers.into_iter().flatten().any(is_stale_offer)
}

/// Whether the text that describes an item is among its stale fields.
pub fn is_description_stale(row: &[u8]) -> bool {
    is_stale_where(row, |path| path == "description" || path == "summary")
}

/// Whether one of such paths is among the stale fields of a row.
pub fn is_stale_where(row: &[u8], is_meant: impl Fn(&str) -> bool) -> bool {
    let row: Value = json::read_own(row);
    let stale = row.get("stale_fields").and_then(Value::as_array);
    stale.into_iter().flatten().filter_map(Value::as_str).any(is_meant)
}

fn is_stale_offer(offer: &Value) -> bool {
    offer.get("stale") == Some(&Value::Bool(true))
}

/// A row as it is shown to those who only want what is fresh: a stale field is null, its path still stands in `stale_fields`; stale offers
/// are left out and counted.
pub fn fresh_row(row: &[u8]) -> Vec<u8> {
    let mut shown: serde_json::Map<String, Value> = json::read_own(row);
    let stale: Vec<String> = shown
        .get("stale_fields")
        .and_then(Value::as_array)
        .map(|paths| paths.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .unwrap_or_default();
    for path in &stale {
        let mut parts = path.split('.');
        let first = parts.next().and_then(|name| shown.get_mut(name));
        if let Some(slot) = parts.try_fold(first, |slot, name| slot.map(|slot| slot.get_mut(name))).flatten() {
            *slot = Value::Null;
        }
    }
    // An object of which nothing is left is unknown.
    if let Some(pricing) = shown.get_mut("pricing")
        && pricing.as_object().is_some_and(|prices| prices.values().all(Value::is_null))
    {
        *pricing = Value::Null;
    }
    let offers = shown.get_mut("offers").and_then(Value::as_array_mut);
    let excluded = offers.map_or(0, |offers| {
        let before = offers.len();
        offers.retain(|offer| !is_stale_offer(offer));
        before - offers.len()
    });
    if excluded > 0 {
        shown.insert("stale_offers_excluded".to_owned(), excluded.into());
    }
    serde_json::to_vec(&shown).unwrap_or_else(|_| row.to_vec())
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
    let id = row.strip_prefix(BEFORE_ID).unwrap_or_default();
    let end = id.iter().position(|byte| *byte == b'"').unwrap_or(id.len());
    std::str::from_utf8(&id[..end]).unwrap_or_default()
}

/// The name in a row, which is its second member.
pub fn name_of(row: &[u8], kind: Kind) -> Cow<'_, str> {
    let before = BEFORE_ID.len() + id_of(row).len() + br#"","":"#.len() + kind.name_key().len();
    text_at(row.get(before..).unwrap_or_default())
}

/// The text that JSON begins with; borrowed where nothing in it is escaped.
pub fn text_at(json: &[u8]) -> Cow<'_, str> {
    let mut reader = serde_json::Deserializer::from_slice(json);
    if let Ok(text) = <&str>::deserialize(&mut reader) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(String::deserialize(&mut serde_json::Deserializer::from_slice(json)).unwrap_or_default())
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
pub fn detail_tail<'a>(
    item: &ResolvedItem,
    context: Context<'_>,
    evidence_of: &dyn Fn(usize) -> EvidenceRecord<'a>,
) -> Vec<u8> {
    if item.conflicts.is_empty() && item.kind != Kind::McpServer {
        return Vec::new();
    }
    let mut out = Vec::with_capacity(512);
    let mut object = Object::open(&mut out);
    json::array(object.name("conflicts"), &item.conflicts, |out, conflict| {
        let stated = evidence_of(conflict.fact);
        let mut entry = Object::open(out);
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
        entry.close();
    });
    if item.kind == Kind::McpServer {
        object.value("versions", &versions(item, context.facts));
    }
    out.remove(0);
    out
}
