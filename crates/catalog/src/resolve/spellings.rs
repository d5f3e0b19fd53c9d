//! Who owns a spelling: a text by which items can be asked for names one of them or none, and every item knows which of its spellings
//! are another's.
//!
//! A spelling is an upstream key, an alias, or the id that an item would like to have. Where several items have one, it belongs to the
//! item that stands best ([`standing`]): a first-party spelling to the first party, and never to a third party's record that happens to
//! spell itself so. Between items that stand alike a key beats a wished-for id, and that beats an alias; an alias that then fits several
//! items names none. The undated name of a dated snapshot is a spelling of that snapshot only where no model is called so.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use foldhash::{HashMap, HashMapExt as _};

use super::model::{ModelIdentity, StatedIdentity, parse_identity, undated};
use super::{FactSet, Planned, keys};
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Status, TrustTier};
use refdesk_core::{Kind, Stamp, cooperative};

/// How an item has a spelling, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum How {
    Key,
    Id,
    Alias,
    /// An alias that is the undated name of its model, a dated snapshot.
    Undated,
}

impl How {
    const fn is_alias(self) -> bool {
        matches!(self, Self::Alias | Self::Undated)
    }
}

/// One item that has a spelling, through one of its facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Claim {
    /// Hash of the spelling.
    spelling: u64,
    item: u32,
    how: How,
    fact: u32,
}

/// How claims to one spelling are ordered, member after member; the smallest wins.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct ClaimOrder<'a> {
    /// Gone after living.
    is_gone: bool,
    /// An undated name is a snapshot's only where no model is called so.
    is_undated: bool,
    /// See [`standing`].
    standing: u8,
    how: How,
    /// What has ended after what has not: `sentry` is not the archived server of two that sources call so. An id of a model stays.
    is_ended: bool,
    /// Keys go by the rank of their source.
    precedence: u16,
    /// An id that people use stays what it names.
    first_seen: Option<Stamp>,
    facts: Reverse<usize>,
    source_id: &'a str,
    key: &'a str,
}

/// Who owns the spellings of the items of one kind.
pub struct Owners {
    /// The item that owns a spelling, by its hash, where several have it; `None` where it names none of them.
    contested: HashMap<u64, Option<u32>>,
    /// All claims, in their order.
    claims: Vec<Claim>,
}

impl Owners {
    /// Settles who owns what; `wanted` are the ids that the items would like to have.
    pub fn new(items: &[Planned], wanted: &[String], set: FactSet<'_>) -> Self {
        let facts = set.facts;
        let mut claims: Vec<Claim> = Vec::with_capacity(items.len() * 4);
        for ((item, planned), id) in cooperative::yielding((0..).zip(items).zip(wanted)) {
            claims.push(Claim { spelling: hash(id), item, how: How::Id, fact: planned.facts[0] as u32 });
            for at in &planned.facts {
                let claim = |text: &str, how| Claim { spelling: hash(text), item, how, fact: *at as u32 };
                claims.push(claim(&facts[*at].key, How::Key));
                let undated = set.identities.get(*at).and_then(|identity| Some((identity, undated(identity)?.0)));
                claims.extend(facts[*at].head.aliases.iter().map(|alias| match &undated {
                    Some((identity, name)) if is_spelt(alias, identity, name) => claim(alias, How::Undated),
                    _ => claim(alias, How::Alias),
                }));
            }
        }
        cooperative::sort(&mut claims);
        let mut standings = Standings { items, set, known: HashMap::new() };
        let contested = claims
            .chunk_by(|a, b| a.spelling == b.spelling)
            .filter(|same| same.iter().any(|claim| claim.item != same[0].item))
            .map(|same| (same[0].spelling, standings.owner(same)))
            .collect();
        Self { contested, claims }
    }

    /// True when a text is a spelling of another item, and not of this one.
    pub fn is_of_another(&self, text: &str, item: usize) -> bool {
        let spelling = hash(text);
        if let Some(owner) = self.contested.get(&spelling) {
            return *owner != Some(item as u32);
        }
        let first = self.claims.partition_point(|claim| claim.spelling < spelling);
        let claim = self.claims.get(first).filter(|claim| claim.spelling == spelling);
        claim.is_some_and(|claim| claim.item != item as u32)
    }

    /// The spellings of the facts of an item that name another item, in order and without repetitions.
    pub fn lost(&self, item: usize, planned: &Planned, facts: &[StoredFact]) -> Vec<String> {
        let spellings =
            planned.facts.iter().flat_map(|at| std::iter::once(&facts[*at].key).chain(&facts[*at].head.aliases));
        let is_lost = |text: &&String| {
            self.contested.get(&hash(text)).is_some_and(|owner| owner.is_some_and(|owner| owner != item as u32))
        };
        let lost: BTreeSet<&String> = spellings.filter(is_lost).collect();
        lost.into_iter().cloned().collect()
    }
}

/// The standing of items, worked out where it matters.
struct Standings<'a> {
    items: &'a [Planned],
    set: FactSet<'a>,
    known: HashMap<u32, u8>,
}

impl<'a> Standings<'a> {
    /// The item that owns a spelling that several have. Aliases of equal standing name none, unless somebody has it as a key or id: an
    /// upstream key always names something. A word that models share by chance (`search`) is no maker's own: whoever has it for an alias
    /// has it as well as the maker.
    fn owner(&mut self, claims: &[Claim]) -> Option<u32> {
        let (order, best) = claims.iter().map(|claim| (self.order(*claim), *claim)).min()?;
        let is_by_chance = self.set.identities.get(best.fact as usize).is_some_and(|identity| !identity.is_telling());
        let rivals = |claim: &&Claim| claim.how.is_alias() && claim.item != best.item;
        let is_tied = order.how.is_alias()
            && claims.iter().filter(rivals).any(|claim| {
                let other = self.order(*claim);
                (other.is_gone, other.is_undated) == (order.is_gone, order.is_undated)
                    && (is_by_chance || other.standing == order.standing)
            });
        if !is_tied {
            return Some(best.item);
        }
        let stronger = claims.iter().filter(|claim| !claim.how.is_alias());
        stronger.map(|claim| (self.order(*claim), claim.item)).min().map(|(_, item)| item)
    }

    fn order(&mut self, claim: Claim) -> ClaimOrder<'a> {
        let (set, planned) = (self.set, &self.items[claim.item as usize]);
        let fact = &set.facts[claim.fact as usize];
        ClaimOrder {
            is_gone: fact.standing.removed_at.is_some(),
            is_undated: claim.how == How::Undated,
            standing: *self.known.entry(claim.item).or_insert_with(|| standing(set, &planned.facts)),
            how: claim.how,
            is_ended: is_ended(&set.facts[planned.facts[0]]),
            precedence: if claim.how == How::Key { keys::precedence(set, claim.fact as usize) } else { 0 },
            first_seen: planned.facts.iter().map(|at| set.facts[*at].standing.first_seen_at).min(),
            facts: Reverse(planned.facts.len()),
            source_id: &fact.source_id,
            key: &fact.key,
        }
    }
}

/// Whether an alias of a model is a spelling of the name with some key ([`ModelIdentity::key`]) of the same maker.
fn is_spelt(alias: &str, of: &ModelIdentity, key: &str) -> bool {
    let stated = StatedIdentity { id: alias, maker: of.maker.as_deref(), ..StatedIdentity::default() };
    of.maker.is_some() && parse_identity(stated).key() == key
}

/// How well an item stands among others that share a spelling with it; the lowest stands best. A model by whether its maker speaks of it,
/// everything else by the trust in what its first source says, and what nobody lists any more behind all.
fn standing(set: FactSet<'_>, members: &[usize]) -> u8 {
    const GONE: u8 = 9;
    let mut live = members.iter().filter(|at| set.facts[**at].standing.removed_at.is_none()).peekable();
    let Some(lead) = live.peek().map(|at| &set.facts[**at]) else { return GONE };
    if lead.kind == Kind::Model {
        return u8::from(!live.any(|at| set.identities[*at].first_party));
    }
    match set.tier_of(lead) {
        TrustTier::Official => 0,
        TrustTier::Verified => 1,
        TrustTier::Community => 2,
        TrustTier::Unverified => 3,
    }
}

/// What the first source of an item says of its status, unless it is a model.
fn is_ended(lead: &StoredFact) -> bool {
    lead.kind != Kind::Model && matches!(lead.head.status, Status::Deprecated | Status::Retired)
}

/// 64 bits are enough: of ten million spellings two share them with a chance of one in four hundred thousand.
fn hash(spelling: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    spelling.hash(&mut hasher);
    hasher.finish()
}
