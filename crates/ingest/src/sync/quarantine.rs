//! When a good-looking pass is not believed: it would remove too much, brings nothing, or lost a field that nearly all had.
//! `sync --force SOURCE` takes it all the same.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use refdesk_core::Kind;
use refdesk_core::fact::StoredFact;
use serde_json::{Map, Value};

use crate::store::PreparedFact;

/// A source with fewer live facts may lose any number of them, but not all.
pub const LIVE_FACTS_MIN: usize = 5;
/// More than this share of the live facts may not go in one sync, in percent, unless the setting says otherwise.
pub const REMOVED_PERCENT_MAX: usize = 20;
/// The shape of fewer facts of a kind is not judged.
pub const SHAPE_FACTS_MIN: usize = 20;
/// A field that at least this share of the facts stated must not vanish from all, in percent.
pub const SHAPE_STATED_PERCENT_MIN: usize = 50;

/// Why a pass is held back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suspicion {
    /// `zero_rows`, `mass_removal` or `shape_changed`.
    pub code: &'static str,
    /// For people, with the command that accepts it.
    pub message: String,
}

/// Compares a pass with the stored facts of its source. `same_parser` tells that connector and options are those of the last pass;
/// `removed_percent_max` is the share of the live facts that may go.
pub fn suspect(
    source_id: &str,
    stored: &[StoredFact],
    new: &[PreparedFact],
    same_parser: bool,
    removed_percent_max: usize,
) -> Option<Suspicion> {
    let live: Vec<&StoredFact> = stored.iter().filter(|fact| fact.standing.removed_at.is_none()).collect();
    if live.is_empty() {
        return None;
    }
    let accept = format!("the last good facts stay; `refdesk sync --force {source_id}` accepts the new state");
    if new.is_empty() {
        let message = format!("the source lists nothing any more, it had {}; {accept}", live.len());
        return Some(Suspicion { code: "zero_rows", message });
    }
    let listed: BTreeSet<(Kind, &str)> = new.iter().map(|fact| (fact.kind, fact.key.as_str())).collect();
    let gone = live.iter().filter(|fact| !listed.contains(&(fact.kind, fact.key.as_str()))).count();
    if live.len() >= LIVE_FACTS_MIN && gone * 100 > live.len() * removed_percent_max {
        let message = format!("{gone} of {} facts would go, more than {removed_percent_max} %; {accept}", live.len());
        return Some(Suspicion { code: "mass_removal", message });
    }
    if !same_parser {
        return None;
    }
    lost_field(&live, new).map(|(kind, path, before, facts)| Suspicion {
        code: "shape_changed",
        message: format!("none of {facts} {} states `{path}` any more, {before} did; {accept}", kind.collection()),
    })
}

/// A field that most facts of a kind stated and none states now.
fn lost_field(live: &[&StoredFact], new: &[PreparedFact]) -> Option<(Kind, String, usize, usize)> {
    Kind::ALL.into_iter().find_map(|kind| {
        let old: Vec<Cow<'_, Map<String, Value>>> =
            live.iter().filter(|fact| fact.kind == kind).map(|fact| fact.fields.read()).collect();
        let now: Vec<Cow<'_, Map<String, Value>>> =
            new.iter().filter(|fact| fact.kind == kind).map(|fact| Cow::Borrowed(&fact.fields)).collect();
        if old.len() < SHAPE_FACTS_MIN || now.len() < SHAPE_FACTS_MIN {
            return None;
        }
        let stated_now = stated(&now);
        stated(&old)
            .into_iter()
            .find(|(path, count)| count * 100 >= old.len() * SHAPE_STATED_PERCENT_MIN && !stated_now.contains_key(path))
            .map(|(path, count)| (kind, path, count, now.len()))
    })
}

/// How many facts state each field, one level deep (`pricing.input`).
fn stated(facts: &[Cow<'_, Map<String, Value>>]) -> BTreeMap<String, usize> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for fields in facts {
        for (name, value) in fields.iter() {
            if let Value::Object(inner) = value {
                for (inner_name, _) in inner.iter().filter(|(_, value)| is_stated(value)) {
                    *counts.entry(format!("{name}.{inner_name}")).or_default() += 1;
                }
            } else if is_stated(value) {
                *counts.entry(name.clone()).or_default() += 1;
            }
        }
    }
    counts
}

fn is_stated(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        Value::String(text) => !text.is_empty(),
        _ => true,
    }
}
