//! Rows and the parts of hits and details, rendered once per generation.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::json::{self, Object};
use super::record::EvidenceRecord;
use crate::clean;
use crate::fact::StoredFact;
use crate::resolve::{ResolvedItem, versions};
use crate::{Kind, SourceInfo};

/// Longest `summary` of a search hit, in characters.
pub const HIT_SUMMARY_CHARS_MAX: usize = 300;

/// The row of an item: contract section 2.
pub fn row(item: &ResolvedItem, facts: &[StoredFact], evidence: &EvidenceRecord, out: &mut Vec<u8>) {
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
        object.value(name, value);
    }
    let first_seen = item.facts.iter().map(|at| facts[*at].standing.first_seen_at).min();
    object.text("source_url", &evidence.source_url);
    object.text("evidence_key", &evidence.key);
    object.stamp("first_seen_at", first_seen);
    object.stamp("last_synced_at", Some(evidence.last_synced_at));
    object.stamp("last_verified_at", evidence.last_verified_at);
    object.flag("stale", evidence.stale_reason.is_some());
    object.close();
}

/// `id`, the name under the kind's key, `vendor`, `status`, `trust_tier`.
fn head(item: &ResolvedItem, object: &mut Object<'_>) {
    object.text("id", &item.id);
    object.text(item.kind.name_key(), &clean::line(&item.name));
    object.optional("vendor", item.vendor.as_deref());
    object.text("status", item.status.as_str());
    object.text("trust_tier", item.trust_tier.as_str());
}

/// The members of a search hit that do not depend on the query, from `type` to `summary`, without braces.
pub fn hit_head(item: &ResolvedItem) -> Box<[u8]> {
    let mut out = Vec::with_capacity(256);
    let mut object = Object::open(&mut out);
    if item.kind == Kind::Framework {
        head(item, &mut object);
        for name in ["domain", "secondary_domains"] {
            object.value(name, item.fields.get(name).unwrap_or(&Value::Null));
        }
        object.text("summary", text_of(item, "summary"));
    } else {
        object.text("type", item.kind.search_type());
        head(item, &mut object);
        object.text("summary", &clean::excerpt(description(item), HIT_SUMMARY_CHARS_MAX));
    }
    out.remove(0);
    out.into_boxed_slice()
}

/// The prose that describes an item.
pub fn description(item: &ResolvedItem) -> &str {
    let text = text_of(item, "description");
    if text.is_empty() { text_of(item, "summary") } else { text }
}

fn text_of<'a>(item: &'a ResolvedItem, name: &str) -> &'a str {
    item.fields.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// What the detail adds to the row, without braces: `field_evidence`, `conflicts`, `versions`.
pub fn detail_extra(
    item: &ResolvedItem,
    facts: &[StoredFact],
    sources: &BTreeMap<Arc<str>, Arc<SourceInfo>>,
) -> Box<[u8]> {
    let mut out = Vec::with_capacity(512);
    let mut object = Object::open(&mut out);
    let buffer = object.name("field_evidence");
    let mut fields = Object::open(buffer);
    for (path, at) in &item.field_evidence {
        if item.kind == Kind::Framework && path == "prompt" {
            continue;
        }
        let mut name = Vec::new();
        json::write(&mut name, path);
        let fact = &facts[*at];
        let unquoted = String::from_utf8_lossy(&name[1..name.len() - 1]).into_owned();
        let mut entry = Object::open(fields.name(&unquoted));
        entry.text("evidence_key", &fact.evidence_key());
        entry.text("source_id", &fact.source_id);
        entry.close();
    }
    fields.close();
    json::array(object.name("conflicts"), &item.conflicts, |out, conflict| {
        let fact = &facts[conflict.fact];
        let mut entry = Object::open(out);
        entry.text("path", &conflict.path);
        entry.value("value", &conflict.value);
        entry.text("source_id", &fact.source_id);
        entry.optional("source_name", sources.get(&fact.source_id).map(|source| source.name.as_str()));
        entry.text("source_url", &fact.source_url);
        entry.text("evidence_key", &fact.evidence_key());
        if let Some(reason) = &conflict.reason {
            entry.text("reason", reason);
        }
        entry.close();
    });
    if item.kind == Kind::McpServer {
        object.value("versions", &versions(item, facts));
    }
    out.remove(0);
    out.into_boxed_slice()
}
