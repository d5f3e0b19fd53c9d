//! Models: which maker and name an upstream id means, whether the seller is the maker, and the offers of everyone else.
//!
//! Identity is decided by the explicit rules of [`identify`], never by a sanitised file name: [`spelling`] takes an id apart,
//! [`makers`] knows who makes and sells what, [`mod@offers`] fills in the other sellers. The rules in words: `docs/model-identity.md`.

mod dated;
pub mod makers;
mod offers;
pub mod spelling;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use self::makers::{Channel, Seller};
use crate::fact::StoredFact;
use crate::slug::slugify;

pub use self::dated::undated;
pub use self::offers::{Stating, offers};

/// Who made a model and what it is called, as read from one source's id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelIdentity {
    /// Slug of the maker (`anthropic`), or `None` when no rule tells it.
    pub maker: Option<String>,
    /// Normalised name (`claude-sonnet-4.5`).
    pub name: String,
    /// Variant of the offer that is not part of the model: `free`, `batch`, a commitment, a region.
    pub variant: Option<String>,
    /// The seller is the maker, and the offer is the plain one.
    pub first_party: bool,
    /// The seller, the same for every spelling of it; `None` for a page that sells nothing.
    pub seller: Option<String>,
    /// What the seller is to this model.
    pub channel: Channel,
}

impl ModelIdentity {
    /// The keys under which facts of the same model meet. A name that no rule gives a maker meets its like across sellers only when
    /// it is telling (it has a digit): every second seller has a `search` or an `auto`.
    pub fn keys(&self) -> Vec<String> {
        let telling = self.name.len() >= 5 && self.name.bytes().any(|b| b.is_ascii_digit());
        let owner = match (&self.maker, &self.seller) {
            (Some(maker), _) => maker.clone(),
            (None, Some(seller)) if !telling => format!("?{seller}"),
            (None, _) => "?".to_owned(),
        };
        vec![format!("{owner}/{}", self.name)]
    }

    /// Who speaks first for the model: the maker's own API, its cloud platform, its published weights, a reseller's plain offer, and
    /// last the variants.
    pub const fn precedence(&self) -> u8 {
        match (self.first_party, self.channel, self.variant.is_some()) {
            (true, Channel::Maker, _) => 0,
            (true, Channel::Platform, _) => 1,
            (true, _, _) => 2,
            (false, _, false) => 3,
            (false, _, true) => 4,
        }
    }
}

/// What a source states of a model's identity.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stated<'a> {
    /// The seller, as the source calls it; `None` for a page that sells nothing.
    pub provider: Option<&'a str>,
    /// The id to send to the seller.
    pub id: &'a str,
    /// The maker, where the source states it.
    pub maker: Option<&'a str>,
    /// For an alias (`~vendor/x-latest`): the id of the model that the source says it stands for.
    pub target: Option<&'a str>,
}

/// Reads the identity of a model fact.
pub fn identify(fact: &StoredFact) -> ModelIdentity {
    let id = fact.identity.api_model_id.as_deref().filter(|id| !id.is_empty()).unwrap_or(&fact.key);
    read(Stated {
        provider: fact.identity.provider.as_deref(),
        id,
        maker: fact.identity.maker.as_deref(),
        target: id.starts_with('~').then(|| fact.identity.same_as.first().map(String::as_str)).flatten(),
    })
}

/// Reads an identity from what a source states.
pub fn read(stated: Stated<'_>) -> ModelIdentity {
    let mut parts = spelling::take_apart(stated.target.unwrap_or(stated.id));
    if stated.target.is_some() {
        parts.variant.push("alias".to_owned());
    }
    let seller = stated.provider.map(makers::seller);
    let name = spelling::normalise(&parts.bare);
    let maker = maker(stated, &parts, &name, seller.as_ref());
    let own = match (&seller, &maker) {
        (Some(seller), Some(maker)) => seller.maker == Some(maker.as_str()),
        (None, Some(maker)) => parts.vendor.as_deref().is_some_and(|vendor| maker_slug(vendor) == *maker),
        _ => false,
    };
    if let Some(variant) = seller.as_ref().and_then(|seller| seller.variant) {
        parts.variant.push(variant.to_owned());
    }
    let channel = match &seller {
        None => Channel::Listing,
        Some(seller) if own => seller.channel,
        Some(_) => Channel::Reseller,
    };
    let variant = (!parts.variant.is_empty()).then(|| parts.variant.join("/"));
    let first_party = own && variant.is_none();
    ModelIdentity { maker, name, variant, first_party, seller: seller.map(|seller| seller.name), channel }
}

/// The bare name in an id, as its source spells it but for case: what an item that is led by this fact would like to be called.
pub fn bare_name(id: &str) -> String {
    spelling::take_apart(id).bare
}

/// The maker: what the source states, the vendor part of the id, the family of the name, or the seller where it is a maker.
fn maker(stated: Stated<'_>, parts: &spelling::Parts, name: &str, seller: Option<&Seller>) -> Option<String> {
    if let Some(maker) = stated.maker.filter(|maker| !maker.is_empty()) {
        return Some(maker_slug(maker));
    }
    if let Some(vendor) = &parts.vendor {
        return Some(maker_slug(vendor));
    }
    let own = seller.and_then(|seller| makers::own_family(seller, &parts.bare));
    if let Some(maker) = own.or_else(|| makers::family(name)).or_else(|| makers::family(&parts.bare)) {
        return Some(maker.to_owned());
    }
    seller.filter(|seller| seller.channel == Channel::Maker).and_then(|seller| seller.maker).map(str::to_owned)
}

/// The slug of a maker in any spelling; an unknown one is its own slug.
fn maker_slug(spelling: &str) -> String {
    let folded = spelling.to_lowercase();
    if let Some(known) = makers::vendor(&folded) {
        return known.to_owned();
    }
    let slug = slugify(&folded);
    makers::vendor(&slug).map_or(slug, str::to_owned)
}

/// The maker's name for people, of the first of the facts that tells its maker.
pub fn vendor(facts: &[StoredFact], members: &[usize]) -> Option<String> {
    let maker = members.iter().find_map(|at| identify(&facts[*at]).maker)?;
    makers::display_name(&maker).map(str::to_owned)
}

/// The keys of the models that a fact may be part of: its own and those that it refers to.
pub fn meeting_keys(fact: &StoredFact) -> Vec<String> {
    let referred = fact.identity.same_as.iter().map(|id| read(Stated { id, ..Stated::default() }));
    std::iter::once(identify(fact)).chain(referred).flat_map(|identity| identity.keys()).collect()
}

/// The facts of each model: those whose keys are equal, and those that a source's own cross reference joins.
pub fn groups(facts: &[StoredFact], of_kind: &[usize]) -> Vec<Vec<usize>> {
    let identities: Vec<ModelIdentity> = of_kind.iter().map(|at| identify(&facts[*at])).collect();
    let mut by_key: HashMap<String, Vec<usize>> = HashMap::new();
    for (position, identity) in identities.iter().enumerate() {
        for key in identity.keys() {
            by_key.entry(key).or_default().push(position);
        }
    }
    follow_references(facts, of_kind, &identities, &mut by_key);
    let mut groups: Vec<Vec<usize>> = Vec::with_capacity(by_key.len());
    for (_, positions) in by_key {
        groups.extend(apart_by_case(facts, of_kind, positions));
    }
    groups.sort_unstable_by_key(|group| group[0]);
    groups
}

/// Joins a model that only resellers name to the one that its source says it is (an id on Hugging Face), where both have the same
/// maker and only one name refers to it. A name that the maker itself sells is a product of its own (`deepseek-chat` moves on).
fn follow_references(
    facts: &[StoredFact],
    of_kind: &[usize],
    identities: &[ModelIdentity],
    by_key: &mut HashMap<String, Vec<usize>>,
) {
    let mut referring: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (position, identity) in identities.iter().enumerate() {
        let fact = &facts[of_kind[position]];
        for id in fact.identity.same_as.iter().filter(|_| identity.variant.as_deref() != Some("alias")) {
            let target = read(Stated { id, ..Stated::default() });
            if target.maker == identity.maker
                && target.name != identity.name
                && !is_snapshot_of(&target.name, &identity.name)
            {
                referring.entry(target.keys().swap_remove(0)).or_default().extend(identity.keys());
            }
        }
    }
    for (target, names) in referring {
        let mut names = names.into_iter();
        let (Some(name), None) = (names.next(), names.next()) else { continue };
        let sold_by_maker = |positions: &Vec<usize>| positions.iter().any(|at| identities[*at].first_party);
        if !by_key.contains_key(&target) || by_key.get(&name).is_none_or(sold_by_maker) {
            continue;
        }
        let moved = by_key.remove(&name).unwrap_or_default();
        let joined = by_key.entry(target).or_default();
        joined.extend(moved);
        joined.sort_unstable();
    }
}

/// True when `dated` is `name` with a date behind it: snapshots stay apart from their alias.
fn is_snapshot_of(dated: &str, name: &str) -> bool {
    let date = dated.strip_prefix(name).and_then(|rest| rest.strip_prefix(['-', '.']));
    date.is_some_and(|date| date.len() >= 4 && date.bytes().all(|b| b.is_ascii_digit() || b == b'-' || b == b'.'))
}

/// One seller's ids that are equal but for case are two items: the spelling that sorts first stays with the others.
fn apart_by_case(facts: &[StoredFact], of_kind: &[usize], positions: Vec<usize>) -> Vec<Vec<usize>> {
    let mut spellings: HashMap<(&str, &str, String), BTreeMap<&str, Vec<usize>>> = HashMap::new();
    if positions.len() > 1 {
        for position in &positions {
            let fact = &facts[of_kind[*position]];
            let (provider, id) = (
                fact.identity.provider.as_deref().unwrap_or(""),
                fact.identity.api_model_id.as_deref().unwrap_or(&fact.key),
            );
            let spelled = spellings.entry((&fact.source_id, provider, id.to_lowercase())).or_default();
            spelled.entry(id).or_default().push(*position);
        }
    }
    let apart: Vec<Vec<usize>> = spellings
        .into_values()
        .filter(|spelled| spelled.len() > 1)
        .flat_map(|spelled| spelled.into_values().skip(1))
        .collect();
    let kept = positions.into_iter().filter(|position| !apart.iter().any(|group| group.contains(position))).collect();
    std::iter::once(kept)
        .chain(apart)
        .map(|group: Vec<usize>| group.into_iter().map(|position| of_kind[position]).collect())
        .collect()
}

/// The facts that speak for the model itself, of `members` in order of precedence. The maker's own API and its published weights;
/// where the maker sells nothing itself, its cloud platform; where nobody of the maker speaks, the best fact of each source.
pub fn voices(facts: &[StoredFact], members: &[usize]) -> Vec<usize> {
    if members.len() == 1 {
        return members.to_vec();
    }
    let identities: Vec<ModelIdentity> = members.iter().map(|at| identify(&facts[*at])).collect();
    let first_party =
        |channel: Channel| identities.iter().any(|identity| identity.first_party && identity.channel == channel);
    let speaks = if first_party(Channel::Maker) {
        Some(Channel::Maker)
    } else if first_party(Channel::Platform) {
        Some(Channel::Platform)
    } else {
        None
    };
    let mut heard: BTreeSet<&str> = BTreeSet::new();
    let voice = |(at, identity): (&usize, &ModelIdentity)| match speaks {
        Some(channel) => (identity.first_party
            && (identity.channel == channel || identity.channel == Channel::Listing))
            .then_some(*at),
        None => heard.insert(&facts[*at].source_id).then_some(*at),
    };
    members.iter().zip(&identities).filter_map(voice).collect()
}
