//! Resolution: many facts of many sources become one item each, and disagreement stays visible.
//!
//! First [`plan`], which looks at all facts: [`group`] decides which of them speak of the same item, [`ids`] what each item is called.
//! Then [`item`], one at a time: [`mod@merge`] decides whose word stands in each field, [`model`] how offers of a model find their model,
//! [`price`] which prices are believed. Pure and deterministic: the same facts give the same items in the same order.

pub mod group;
pub mod ids;
pub mod keys;
pub mod merge;
pub mod model;
pub mod price;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::fact::{SourceInfo, StaleReason, StoredFact};
use crate::item::{McpVersion, Status, TrustTier};
use crate::{Kind, Stamp, pace};

pub use self::keys::ExactKey;

/// An item as it is shown: one source's or many sources' facts about the same thing.
#[derive(Debug, Clone)]
pub struct ResolvedItem {
    /// Kind of the item.
    pub kind: Kind,
    /// Its id, unique within the kind.
    pub id: String,
    /// `display_name` or `title`.
    pub name: String,
    /// Maker or publisher.
    pub vendor: Option<String>,
    /// Where it stands in its life.
    pub status: Status,
    /// How far it can be relied on.
    pub trust_tier: TrustTier,
    /// Every upstream spelling.
    pub aliases: Vec<String>,
    /// The exact upstream keys of its facts.
    pub keys: Vec<ExactKey>,
    /// BCP 47 tag.
    pub language: Option<String>,
    /// Merged kind-specific fields.
    pub fields: Map<String, Value>,
    /// Index of the fact that leads: its evidence is the item's evidence.
    pub lead: usize,
    /// All facts of the item, the lead first.
    pub facts: Vec<usize>,
    /// For each leaf of `fields` that is stated: its dotted path and the fact that states it.
    pub field_evidence: Vec<(String, usize)>,
    /// What other sources say instead.
    pub conflicts: Vec<Conflict>,
    /// The fact whose body is shown, if any has one.
    pub body: Option<usize>,
}

/// What another source says of a field.
#[derive(Debug, Clone, PartialEq)]
pub struct Conflict {
    /// Dotted path of the field.
    pub path: String,
    /// The other value.
    pub value: Value,
    /// The fact that states it.
    pub fact: usize,
    /// Why it was held back, when it was.
    pub reason: Option<String>,
}

/// A price that was held back because another source's price for the same seller is far off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldBack {
    /// The source whose price was held back.
    pub source_id: Arc<str>,
    /// The upstream key of the fact.
    pub key: String,
    /// Dotted path of the price.
    pub path: String,
    /// Why, for people.
    pub reason: String,
}

/// Everything that resolution makes of the stored facts.
#[derive(Debug, Default)]
pub struct Resolution {
    /// Items by kind and id.
    pub items: Vec<ResolvedItem>,
    /// Prices held back against another source.
    pub held_back: Vec<HeldBack>,
}

/// Sources by id.
pub type Sources = BTreeMap<Arc<str>, SourceInfo>;

/// Why a fact is stale at `now`, or `None` when it is fresh.
pub fn stale_reason(fact: &StoredFact, sources: &Sources, now: Stamp) -> Option<StaleReason> {
    let stale_after = sources.get(&fact.source_id).map_or(0, |source| source.stale_after_secs);
    fact.standing.stale_reason(stale_after, now)
}

/// An item before its fields are merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// Kind of the item.
    pub kind: Kind,
    /// Its id, unique within the kind.
    pub id: String,
    /// Indices of its facts, the lead first.
    pub facts: Vec<usize>,
}

/// Which items the facts make, by kind and id.
pub fn plan(facts: &[StoredFact], sources: &Sources) -> Vec<Planned> {
    let mut plan = Vec::with_capacity(facts.len());
    for kind in Kind::ALL {
        let of_kind: Vec<usize> = (0..facts.len()).filter(|at| facts[*at].kind == kind).collect();
        let members = pace::each(group::groups(kind, facts, &of_kind));
        let mut items: Vec<Planned> = members
            .map(|members| Planned {
                kind,
                id: String::new(),
                facts: merge::by_precedence(kind, facts, sources, members),
            })
            .collect();
        ids::assign(&mut items, facts);
        pace::sort_by(&mut items, |a, b| a.id.cmp(&b.id));
        plan.extend(items);
    }
    plan
}

/// Merges the facts of a planned item; prices that it holds back are added to `held_back`.
pub fn item(planned: &Planned, facts: &[StoredFact], sources: &Sources, held_back: &mut Vec<HeldBack>) -> ResolvedItem {
    merge::merge(planned, facts, sources, held_back)
}

/// Resolves all facts into items at once.
pub fn resolve(facts: &[StoredFact], sources: &Sources) -> Resolution {
    let mut resolution = Resolution::default();
    for planned in plan(facts, sources) {
        resolution.items.push(item(&planned, facts, sources, &mut resolution.held_back));
    }
    resolution
}

/// What stands for everything through which a fact can have to do with others: two facts without a common number never change each
/// other's items, nor do facts that are not linked by others.
pub fn meetings(fact: &StoredFact) -> Vec<u64> {
    let number = |what: &str, key: &str| {
        let mut hasher = DefaultHasher::new();
        (fact.kind.index(), what, key).hash(&mut hasher);
        hasher.finish()
    };
    let mut meetings: Vec<u64> = group::meeting_keys(fact).iter().map(|key| number("item", key)).collect();
    meetings.push(number("id", &crate::slug::slugify(ids::wanted_by(fact))));
    meetings
}

/// The registry versions that the facts of an item list, newest first.
pub fn versions(item: &ResolvedItem, facts: &[StoredFact]) -> Vec<McpVersion> {
    item.facts
        .iter()
        .find_map(|at| {
            let versions = &facts[*at].identity.versions;
            (!versions.is_empty()).then(|| versions.clone())
        })
        .unwrap_or_default()
}
