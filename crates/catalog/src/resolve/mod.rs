//! Resolution: many facts of many sources become one item each, and disagreement stays visible.
//!
//! First [`plan`], which looks at all facts of a kind: [`group`] decides which of them speak of the same item, [`ids`] what each item is called,
//! [`dated`] which models are snapshots of others. Then [`merge::merge`], one at a time: [`rules`] says whose statement wins in which field,
//! [`choose`] keeps to it, [`mod@merge`] does what has no rule, [`model`] knows makers, sellers and offers, [`price`] which prices are
//! believed. Pure and deterministic: the same facts and the same `now` give the same items in the same order.

mod agreement;
mod choose;
mod dated;
pub mod group;
pub mod ids;
pub mod keys;
mod leaves;
pub mod merge;
pub mod model;
pub mod names;
pub mod price;
pub mod repository;
pub mod rules;
mod server;
mod spellings;
pub mod urls;

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use self::dated::{Dated, DatedSnapshot};
pub use self::keys::ExactKey;
pub use self::leaves::{is_stated, leaf};
use self::model::ModelIdentity;
pub use self::model::ShownOffer;
pub use self::names::letters;
use self::server::Servers;
pub use self::server::{CODE_HOSTS, registry_name, versions};
pub use self::urls::RejectedUrl;
use refdesk_core::fact::{EndOfLife, SourceInfo, StaleReason, StoredFact};
use refdesk_core::item::{Status, TrustTier};
use refdesk_core::{Kind, Stamp, cooperative, parallel};

/// What a plan is made from: nothing in it depends on the clock.
#[derive(Debug, Clone, Copy)]
pub struct FactSet<'a> {
    /// All facts.
    pub facts: &'a [StoredFact],
    /// Models: who makes and sells what each fact speaks of. Empty for every other kind.
    pub identities: &'a [ModelIdentity],
    /// MCP servers: what their entries tell of each other. Empty for every other kind.
    pub servers: &'a Servers,
    /// Whose facts they are.
    pub sources: &'a Sources,
}

impl<'a> FactSet<'a> {
    fn source_of(self, fact: &StoredFact) -> Option<&'a SourceInfo> {
        self.sources.get(&fact.source_id).map(|source| &**source)
    }

    /// The rank of the source of a fact; the lowest stands first.
    fn rank_of(self, fact: &StoredFact) -> i32 {
        self.source_of(fact).map_or(i32::MAX, |source| source.rank)
    }

    /// How far the source of a fact can be relied on.
    fn source_tier(self, fact: &StoredFact) -> TrustTier {
        self.source_of(fact).map_or(TrustTier::Unverified, |source| source.trust_tier)
    }

    /// How far a fact can be relied on: by its own word, or else as far as its source.
    fn tier_of(self, fact: &StoredFact) -> TrustTier {
        fact.head.trust_tier.unwrap_or_else(|| self.source_tier(fact))
    }
}

/// What items are resolved from.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// What they were planned from.
    pub set: FactSet<'a>,
    /// The clock: staleness, status and dates follow it.
    pub now: Stamp,
}

impl<'a> Deref for Context<'a> {
    type Target = FactSet<'a>;

    fn deref(&self) -> &FactSet<'a> {
        &self.set
    }
}

impl<'a> Context<'a> {
    /// The source of the fact that leads an item.
    pub fn lead_source(self, item: &ResolvedItem) -> &'a str {
        &self.facts[item.lead].source_id
    }

    /// Why a fact is stale; `None` when it is fresh.
    fn stale_reason(self, fact: &StoredFact) -> Option<StaleReason> {
        let stale_after = self.source_of(fact).map_or(0, |source| source.stale_after_secs);
        fact.standing.stale_reason(stale_after, self.now)
    }

    /// The status of a fact at the time that it is.
    fn status_of(self, fact: &StoredFact) -> Status {
        if fact.standing.removed_at.is_some() {
            return Status::Removed;
        }
        EndOfLife::from_fact(fact).status(fact.head.status, self.now)
    }
}

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
    /// Its status.
    pub status: Status,
    /// How far it can be relied on.
    pub trust_tier: TrustTier,
    /// Every upstream spelling.
    pub aliases: Vec<String>,
    /// The exact upstream keys of its facts, and of offers that are shown as removed.
    pub keys: Vec<ExactKey>,
    /// BCP 47 tag.
    pub language: Option<String>,
    /// When the last source stopped listing it, for an item that is gone.
    pub removed_at: Option<Stamp>,
    /// When the last of its facts was changed or removed, as far as that can be known.
    pub changed_at: Option<Stamp>,
    /// Merged kind-specific fields.
    pub fields: Map<String, Value>,
    /// Models: what its sellers ask, the maker's own price aside. They stand in the row where `fields` has `offers`, which is empty.
    pub offers: Vec<ShownOffer>,
    /// Index of the fact that leads: its evidence is the item's evidence.
    pub lead: usize,
    /// All facts of the item, removed ones included.
    pub facts: Vec<usize>,
    /// The facts that are considered, the lead first: live ones; all of them on an item that is gone.
    pub live: Vec<usize>,
    /// Who states each stated leaf of `fields`.
    pub field_evidence: Vec<FieldEvidence>,
    /// Paths of the fields whose evidence is stale.
    pub stale_fields: Vec<String>,
    /// What other sources say instead.
    pub conflicts: Vec<Conflict>,
    /// What a reader of the row has to know: what is withheld.
    pub warnings: Vec<String>,
    /// Addresses that are none.
    pub rejected_urls: Vec<RejectedUrl>,
    /// The fact whose body is shown, if any has one.
    pub body: Option<usize>,
    /// Models: the undated name that it is a snapshot of, and its own snapshots.
    pub dated: Dated,
}

/// Which fact states a field, and why its word stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldEvidence {
    /// Dotted path of the field.
    pub path: String,
    /// The fact that states it.
    pub fact: usize,
    /// The role, of the [`rules`], of the fact whose word stands.
    pub rule: &'static str,
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
    /// Why it is not the one that is shown, where that is no matter of rank.
    pub reason: Option<String>,
    /// Set when it is withheld: since when its source states it.
    pub withheld_since: Option<Option<Stamp>>,
}

impl Conflict {
    /// A source that says something else.
    pub const fn plain(path: String, value: Value, fact: usize) -> Self {
        Self { path, value, fact, reason: None, withheld_since: None }
    }

    /// The same, with why it is not the one that is shown.
    #[must_use]
    pub fn because(self, reason: impl Into<String>) -> Self {
        Self { reason: Some(reason.into()), ..self }
    }
}

/// A price that is withheld: its source states it, and it is not believed yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withheld {
    /// The source that states it.
    pub source_id: Arc<str>,
    /// Kind of the fact.
    pub kind: Kind,
    /// The upstream key of the fact.
    pub key: String,
    /// The item that it would stand in.
    pub item_id: String,
    /// Dotted path of the price in the fact.
    pub path: String,
    /// The price, in USD.
    pub value: String,
    /// The price that was believed before.
    pub before: Option<String>,
    /// The median of other sellers' prices.
    pub siblings: Option<String>,
    /// The price of the same seller in the best other source.
    pub others: Option<String>,
    /// Since when the source states it.
    pub since: Option<Stamp>,
    /// Whether an operator refused it.
    pub refused: bool,
    /// Why, for people.
    pub reason: String,
}

/// Sources by id, shared among all that names them.
pub type Sources = BTreeMap<Arc<str>, Arc<SourceInfo>>;

/// Sources by their ids.
pub fn sources_by_id(sources: &[SourceInfo]) -> Sources {
    sources.iter().map(|source| (Arc::clone(&source.id), Arc::new(source.clone()))).collect()
}

/// An item before its fields are merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// Kind of the item.
    pub kind: Kind,
    /// Its id, unique within the kind.
    pub id: String,
    /// Indices of its facts in the order of their precedence.
    pub facts: Vec<usize>,
    /// Spellings of its facts that name another item.
    pub lost: Vec<String>,
    /// See [`ResolvedItem::dated`].
    pub dated: Dated,
    /// Models: the facts of the undated name that this is a snapshot of.
    pub undated: Vec<usize>,
}

/// The items that the facts of a kind make.
#[derive(Debug)]
pub struct Plan {
    /// By id.
    pub items: Vec<Planned>,
    /// See [`FactSet::identities`].
    pub identities: Vec<ModelIdentity>,
    /// See [`FactSet::servers`].
    pub servers: Servers,
}

/// Which items the facts of a kind make. Facts of other kinds are passed over.
pub fn plan(kind: Kind, facts: &[StoredFact], sources: &Sources) -> Plan {
    let of_kind: Vec<usize> = (0..facts.len()).filter(|at| facts[*at].kind == kind).collect();
    // Worked out once: every step after asks for them.
    let of_models = if kind == Kind::Model { facts } else { &[] };
    let identities: Vec<ModelIdentity> = parallel::map(of_models, model::identify);
    let entries = of_kind.iter().filter(|_| kind == Kind::McpServer).map(|at| &facts[*at]);
    let servers = Servers::new(&entries.collect::<Vec<_>>());
    let set = FactSet { facts, identities: &identities, servers: &servers, sources };
    let mut items = parallel::map(&group::groups(kind, set, &of_kind), |members| Planned {
        kind,
        id: String::new(),
        facts: merge::by_precedence(set, members.clone()),
        lost: Vec::new(),
        dated: Dated::default(),
        undated: Vec::new(),
    });
    ids::assign(&mut items, set);
    if kind == Kind::Model {
        dated::link(&mut items, set);
    }
    cooperative::sort_by(&mut items, |a, b| a.id.cmp(&b.id));
    Plan { items, identities, servers }
}
