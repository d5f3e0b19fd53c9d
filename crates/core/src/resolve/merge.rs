//! Which source's word stands in each field of an item, and what the others say instead.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{Conflict, HeldBack, Planned, ResolvedItem, Sources, keys, model};
use crate::Kind;
use crate::fact::StoredFact;
use crate::item::{Status, TrustTier};

/// Fields in prose: sources always word them differently, which is no disagreement about a fact.
const PROSE: [&str; 2] = ["description", "summary"];

/// The facts of one item in the order in which they are heard: the best-ranked live source leads.
pub fn by_precedence(kind: Kind, facts: &[StoredFact], sources: &Sources, mut members: Vec<usize>) -> Vec<usize> {
    if members.len() > 1 {
        members.sort_by_cached_key(|at| precedence(kind, &facts[*at], sources));
    }
    members
}

/// The maker or publisher of the item that some facts make.
pub fn vendor(kind: Kind, facts: &[StoredFact], members: &[usize]) -> Option<String> {
    let maker = if kind == Kind::Model { model::vendor(facts, members) } else { None };
    maker.or_else(|| members.iter().find_map(|at| facts[*at].head.vendor.clone()))
}

/// Merges the facts of one item.
pub fn merge(
    planned: &Planned,
    facts: &[StoredFact],
    sources: &Sources,
    held_back: &mut Vec<HeldBack>,
) -> ResolvedItem {
    let Planned { kind, id, facts: members } = planned;
    let (kind, lead) = (*kind, members[0]);
    // Only facts about the item itself speak for its fields; a reseller's limits and prices stand in its offer.
    let voices: Vec<usize> = if kind == Kind::Model { model::voices(facts, members) } else { members.clone() };
    let read: Vec<Cow<'_, Map<String, Value>>> = members.iter().map(|at| facts[*at].fields.read()).collect();
    let mut merged = Merged::default();
    for (at, stated) in members.iter().zip(&read).filter(|(at, _)| voices.contains(at)) {
        merged.take(*at, stated, "");
    }
    let Merged { mut fields, mut evidence, mut conflicts } = merged;
    if kind == Kind::Model {
        let stated: Vec<model::Stating<'_>> = members
            .iter()
            .zip(&read)
            .map(|(at, fields)| model::Stating { at: *at, fact: &facts[*at], fields })
            .collect();
        model::offers(&stated, &voices, sources, &mut fields, &mut conflicts, held_back);
        // A price that does not stand on top has no evidence there.
        let unpriced = fields.get("pricing").is_none_or(Value::is_null);
        evidence.retain(|(path, _)| !(unpriced && path.starts_with("pricing.")));
    }
    let status = status(facts, members);
    let trust_tier = trust_tier(facts, sources, members, &conflicts);
    let head = &facts[lead].head;
    ResolvedItem {
        kind,
        id: id.clone(),
        name: if head.name.is_empty() { facts[lead].key.clone() } else { head.name.clone() },
        vendor: vendor(kind, facts, members),
        status,
        trust_tier,
        aliases: aliases(facts, members),
        keys: keys::exact_keys(kind, facts, members, sources),
        language: members.iter().find_map(|at| facts[*at].head.language.clone()),
        fields,
        lead,
        body: members.iter().copied().find(|at| facts[*at].has_body),
        facts: members.clone(),
        field_evidence: evidence,
        conflicts,
    }
}

/// Sort key: live before removed, the maker's own offer before resellers', then rank, source and key.
fn precedence(kind: Kind, fact: &StoredFact, sources: &Sources) -> (bool, u8, i32, String, String) {
    let reseller = if kind == Kind::Model { model::identify(fact).precedence() } else { 0 };
    let rank = sources.get(&fact.source_id).map_or(i32::MAX, |source| source.rank);
    (fact.standing.removed_at.is_some(), reseller, rank, fact.source_id.to_string(), fact.key.clone())
}

/// `removed` when no source lists the item any more, else what the best source says.
fn status(facts: &[StoredFact], members: &[usize]) -> Status {
    if members.iter().all(|at| facts[*at].standing.removed_at.is_some()) {
        return Status::Removed;
    }
    members.iter().map(|at| facts[*at].head.status).find(|status| *status != Status::Unknown).unwrap_or(Status::Unknown)
}

/// The lead's tier; `verified` when two independent sources agree on everything that both state.
fn trust_tier(facts: &[StoredFact], sources: &Sources, members: &[usize], conflicts: &[Conflict]) -> TrustTier {
    let tier_of = |at: usize| {
        let source_tier = sources.get(&facts[at].source_id).map_or(TrustTier::Unverified, |source| source.trust_tier);
        facts[at].head.trust_tier.unwrap_or(source_tier)
    };
    let lead = tier_of(members[0]);
    let mut live: Vec<&str> = members
        .iter()
        .filter(|at| facts[**at].standing.removed_at.is_none())
        .map(|at| facts[*at].source_id.as_ref())
        .collect();
    live.sort_unstable();
    live.dedup();
    let agree = conflicts.iter().all(|conflict| is_prose(&conflict.path));
    if live.len() >= 2 && agree { lead.max(TrustTier::Verified) } else { lead }
}

/// Every spelling of every source, in order of precedence, without repetitions.
fn aliases(facts: &[StoredFact], members: &[usize]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for at in members {
        let fact = &facts[*at];
        for alias in std::iter::once(&fact.key).chain(&fact.head.aliases) {
            if keys::is_spelling(alias) && seen.insert(alias.as_str()) {
                out.push(alias.clone());
            }
        }
    }
    out
}

/// True for a field in prose.
pub fn is_prose(path: &str) -> bool {
    PROSE.contains(&path)
}

/// Merged fields, with the fact that states each leaf and what the others say.
#[derive(Default)]
struct Merged {
    fields: Map<String, Value>,
    evidence: Vec<(String, usize)>,
    conflicts: Vec<Conflict>,
}

impl Merged {
    /// Takes what one fact states: the first to state a leaf wins, a later one that says otherwise is a conflict.
    fn take(&mut self, fact: usize, stated: &Map<String, Value>, prefix: &str) {
        let mut leaves = Vec::new();
        walk(stated, prefix, &mut leaves);
        for (path, value) in leaves {
            let slot = slot(&mut self.fields, &path);
            if !is_stated(value) {
                if slot.is_null() {
                    *slot = value.clone();
                }
            } else if !is_stated(slot) {
                *slot = value.clone();
                self.evidence.push((path, fact));
            } else if !same(slot, value) {
                self.conflicts.push(Conflict { path, value: value.clone(), fact, reason: None });
            }
        }
    }
}

/// The leaves of nested objects as dotted paths; arrays, scalars and empty objects are leaves.
fn walk<'a>(object: &'a Map<String, Value>, prefix: &str, out: &mut Vec<(String, &'a Value)>) {
    for (key, value) in object {
        let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        match value {
            Value::Object(inner) if !inner.is_empty() && !is_opaque(&path) => walk(inner, &path, out),
            _ => out.push((path, value)),
        }
    }
}

/// Objects whose keys are the upstream's own are one value, not fields of ours.
fn is_opaque(path: &str) -> bool {
    matches!(path, "metadata" | "input_schema" | "prompt" | "origin" | "output")
}

/// The place of a dotted path in nested objects, made where it is missing.
fn slot<'a>(fields: &'a mut Map<String, Value>, path: &str) -> &'a mut Value {
    match path.split_once('.') {
        None => fields.entry(path).or_insert(Value::Null),
        Some((head, rest)) => {
            let inner = fields.entry(head).or_insert(Value::Null);
            if !inner.is_object() {
                *inner = Value::Object(Map::new());
            }
            match inner {
                Value::Object(inner) => slot(inner, rest),
                _ => inner,
            }
        }
    }
}

/// Null, an empty text and an empty list state nothing.
pub fn is_stated(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => true,
    }
}

/// Equal values; numbers by value, texts without regard to surrounding blanks, lists without regard to order.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::String(a), Value::String(b)) => a.trim() == b.trim(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().all(|x| b.iter().any(|y| same(x, y))),
        _ => a == b,
    }
}
