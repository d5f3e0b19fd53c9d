//! Who speaks for a model: its maker's own API, its maker's cloud platform, its published weights, or those who sell it.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::super::Context;
use super::super::choose::Heard;
use super::super::rules::Voice;
use super::super::status::status_of;
use super::ModelIdentity;
use super::makers::Channel;
use refdesk_core::Stamp;
use refdesk_core::fact::{EndOfLife, StoredFact};
use refdesk_core::item::Status;

/// What the fact behind an identity is to its model.
pub const fn voice(identity: &ModelIdentity) -> Voice {
    match (identity.first_party, identity.channel, identity.variant.is_some()) {
        (true, Channel::Maker, _) => Voice::Maker,
        (true, Channel::Platform, _) => Voice::Platform,
        (true, _, _) => Voice::Weights,
        (false, _, false) => Voice::Seller,
        (false, _, true) => Voice::Variant,
    }
}

/// The id to send to the seller.
pub fn api_id(fact: &StoredFact) -> &str {
    fact.identity.api_model_id.as_deref().unwrap_or(&fact.key)
}

/// True when a source is its seller's own list.
pub fn is_own_list(context: Context<'_>, fact: &StoredFact, seller: &str) -> bool {
    let own = context.sources.get(&fact.source_id).and_then(|source| source.own_list_of.as_deref());
    own == Some(seller)
}

/// The members without copies of offers that the seller's own list does not have: it is told by the seller that there is no such offer.
pub fn listed(members: &[usize], context: Context<'_>) -> Vec<usize> {
    let with_own_list: BTreeSet<&str> =
        context.sources.values().filter_map(|source| source.own_list_of.as_deref()).collect();
    if with_own_list.is_empty() {
        return members.to_vec();
    }
    let seller_of = |at: usize| context.identities[at].seller.as_deref();
    let is_listed = |at: usize, seller: &str| {
        members.iter().filter(|other| seller_of(**other) == Some(seller)).any(|other| {
            let (fact, other) = (&context.facts[at], &context.facts[*other]);
            is_own_list(context, other, seller) && api_id(other).eq_ignore_ascii_case(api_id(fact))
        })
    };
    let stays = |at: &usize| match seller_of(*at) {
        Some(seller) if with_own_list.contains(seller) => is_listed(*at, seller),
        _ => true,
    };
    members.iter().copied().filter(stays).collect()
}

/// Tells each fact that is heard what it is to the model; a copy of a seller's own list is heard after that list.
pub fn voices<'a>(context: Context<'a>, heard: &mut [Heard<'a>]) {
    for heard in heard.iter_mut() {
        let identity = &context.identities[heard.at];
        heard.voice = voice(identity);
        heard.seller = identity.seller.as_deref();
    }
    heard.sort_by_cached_key(|heard| {
        let fact = &context.facts[heard.at];
        let is_own = heard.seller.is_some_and(|seller| is_own_list(context, fact, seller));
        (heard.stale, heard.voice, !is_own)
    });
    let has = |voice: Voice| heard.iter().any(|heard| heard.voice == voice);
    let (maker, platform, weights) = (has(Voice::Maker), has(Voice::Platform), has(Voice::Weights));
    let mut sources = BTreeSet::new();
    for heard in heard.iter_mut() {
        heard.speaks = match heard.voice {
            Voice::Maker | Voice::Weights => true,
            Voice::Platform => !maker,
            _ => !(maker || platform || weights) && sources.insert(context.facts[heard.at].source_id.clone()),
        };
    }
}

/// Where a model stands: by its maker's word and dates; where the maker says nothing, as its most living offer.
pub fn status(heard: &[Heard<'_>], fields: &Map<String, Value>, context: Context<'_>) -> Status {
    const MOST_LIVING: [Status; 5] =
        [Status::Active, Status::Preview, Status::Unknown, Status::Deprecated, Status::Retired];
    let of_maker = || heard.iter().filter(|heard| matches!(heard.voice, Voice::Maker | Voice::Platform));
    if of_maker().next().is_some() {
        let stated = of_maker().map(|heard| context.facts[heard.at].head.status);
        let stated = stated.into_iter().find(|status| *status != Status::Unknown).unwrap_or_default();
        let date = |name: &str| fields.get(name).and_then(Value::as_str).and_then(Stamp::date_passed_at);
        let dates = EndOfLife { deprecated_at: date("deprecated_on"), retires_at: date("retires_on") };
        return dates.status(stated, context.now);
    }
    let any_fresh = heard.iter().any(|heard| !heard.stale);
    let offered: Vec<Status> = heard
        .iter()
        .filter(|heard| heard.stale != any_fresh)
        .map(|heard| status_of(&context.facts[heard.at], context))
        .collect();
    MOST_LIVING.into_iter().find(|status| offered.contains(status)).unwrap_or_default()
}
