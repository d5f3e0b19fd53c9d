//! Who speaks for a model: its maker's own API, its maker's cloud platform, its published weights, or those who sell it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::super::choose::ConsideredFact;
use super::super::leaves::leaf;
use super::super::rules::Role;
use super::super::{Context, Planned};
use super::ModelIdentity;
use super::makers::Channel;
use refdesk_core::Stamp;
use refdesk_core::fact::{EndOfLife, StoredFact};
use refdesk_core::item::Status;

/// What the fact behind an identity is to its model.
pub const fn role_of(identity: &ModelIdentity) -> Role {
    match (identity.first_party, identity.channel, identity.variant.is_some()) {
        (true, Channel::Maker, _) => Role::Maker,
        (true, Channel::Platform, _) => Role::Platform,
        (true, _, _) => Role::Weights,
        (false, _, false) => Role::Seller,
        (false, _, true) => Role::Variant,
    }
}

/// The id to send to the seller.
pub fn api_id(fact: &StoredFact) -> &str {
    fact.identity.api_model_id.as_deref().unwrap_or(&fact.key)
}

/// True when a source is its seller's own list.
pub fn is_own_list(context: Context<'_>, fact: &StoredFact, seller: &str) -> bool {
    let own = context.source_of(fact).and_then(|source| source.own_list_of.as_deref());
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

/// Tells each fact that is considered what it is to the model; a copy of a seller's own list is considered after that list.
pub fn assign_roles<'a>(context: Context<'a>, considered: &mut [ConsideredFact<'a>]) {
    for considered in considered.iter_mut() {
        let identity = &context.identities[considered.at];
        considered.role = role_of(identity);
        considered.seller = identity.seller.as_deref();
        let fact = &context.facts[considered.at];
        let is_own = considered.seller.is_some_and(|seller| is_own_list(context, fact, seller));
        considered.standing = (!is_own, context.rank_of(fact));
        // A list that says where a model's weights are has looked for them.
        considered.names_weights = considered.fields.get("open_weights") == Some(&Value::Bool(true))
            && fact.identity.same_as.iter().any(|id| id.contains('/'));
    }
    considered.sort_by_key(|considered| (considered.stale, considered.role, considered.standing.0));
    let has = |role: Role| considered.iter().any(|considered| considered.role == role);
    let (maker, platform, weights) = (has(Role::Maker), has(Role::Platform), has(Role::Weights));
    let mut sources = BTreeSet::new();
    for considered in considered.iter_mut() {
        considered.speaks = match considered.role {
            Role::Maker | Role::Weights => true,
            Role::Platform => !maker,
            _ => !(maker || platform || weights) && sources.insert(context.facts[considered.at].source_id.clone()),
        };
    }
}

/// What the maker says of the limits under the undated name of a snapshot, where a list has the input limit of that name for the context of
/// the snapshot: the limits of both are the same.
pub fn of_undated<'a>(
    planned: &Planned,
    context: Context<'a>,
    considered: &[ConsideredFact<'a>],
) -> Vec<ConsideredFact<'a>> {
    let tokens = |fields: &Map<String, Value>, path: &str| leaf(fields, path).and_then(Value::as_u64);
    let limits = |at: usize| {
        let fact = &context.facts[at];
        let is_makers = matches!(role_of(&context.identities[at]), Role::Maker | Role::Platform);
        let fields = (is_makers && fact.standing.removed_at.is_none()).then(|| fact.fields.read())?;
        let stale = context.stale_reason(fact).is_some();
        let input = tokens(&fields, "limits.input_tokens")?;
        let is_part = tokens(&fields, "limits.context_tokens").is_some_and(|whole| input < whole);
        let is_taken = |own: &ConsideredFact<'_>| tokens(&own.fields, "limits.context_tokens") == Some(input);
        let is_met = considered.iter().any(|own| own.stale >= stale && is_taken(own));
        let limits = fields.get("limits").filter(|_| is_part && is_met)?.clone();
        Some(ConsideredFact {
            at,
            fields: Cow::Owned([("limits".to_owned(), limits)].into_iter().collect()),
            stale,
            role: Role::Undated,
            standing: (true, context.rank_of(fact)),
            stated_at: fact.standing.changed_at,
            ..ConsideredFact::default()
        })
    };
    planned.undated.iter().filter_map(|at| limits(*at)).collect()
}

/// Where a model stands: by its maker's word and dates; where the maker says nothing, or its weights [outlive its API](outlives_api), as its
/// most living offer.
pub fn status(considered: &[ConsideredFact<'_>], fields: &Map<String, Value>, context: Context<'_>) -> Status {
    const MOST_LIVING: [Status; 5] =
        [Status::Active, Status::Preview, Status::Unknown, Status::Deprecated, Status::Retired];
    let by_maker = status_by_maker(considered, fields, context);
    if by_maker != Status::Unknown && !outlives_api(considered, fields, context) {
        return by_maker;
    }
    let offered: Vec<Status> = offered(considered, context).map(|(_, status)| status).collect();
    // Only its maker ends a model: the end of one seller's offer says nothing of it, that of all offers of several does.
    let sellers: BTreeSet<Option<&str>> = considered.iter().map(|considered| considered.seller).collect();
    let most_living = MOST_LIVING.into_iter().find(|status| offered.contains(status)).unwrap_or_default();
    let is_over = matches!(most_living, Status::Deprecated | Status::Retired);
    let is_of_one = sellers.len() == 1 && !sellers.contains(&None);
    if is_over && is_of_one { Status::Unknown } else { most_living }
}

/// Whether the published weights of a model outlive the API of its maker, which is over while others sell the model. Nobody can end what is
/// published: the maker's is an offer like others then.
pub fn outlives_api(considered: &[ConsideredFact<'_>], fields: &Map<String, Value>, context: Context<'_>) -> bool {
    let is_sold = |(of, status): (&ConsideredFact<'_>, Status)| of.role.is_of_sellers() && !status.ends_sale();
    fields.get("open_weights") == Some(&Value::Bool(true))
        && status_by_maker(considered, fields, context).ends_sale()
        && offered(considered, context).any(is_sold)
}

/// Where the maker's word and dates leave a model; unknown where it has neither.
fn status_by_maker(considered: &[ConsideredFact<'_>], fields: &Map<String, Value>, context: Context<'_>) -> Status {
    let of_maker = considered.iter().filter(|considered| matches!(considered.role, Role::Maker | Role::Platform));
    let mut stated = of_maker.map(|considered| context.facts[considered.at].head.status);
    let stated = stated.find(|status| *status != Status::Unknown).unwrap_or_default();
    let date = |name: &str| fields.get(name).and_then(Value::as_str).and_then(Stamp::date_passed_at);
    let dates = EndOfLife { deprecated_at: date("deprecated_on"), retires_at: date("retires_on") };
    dates.status(stated, context.now)
}

/// What is fresh of the facts that are considered, with the status of each; all of them where nothing is.
fn offered<'c, 'a>(
    considered: &'c [ConsideredFact<'a>],
    context: Context<'c>,
) -> impl Iterator<Item = (&'c ConsideredFact<'a>, Status)> {
    let any_fresh = considered.iter().any(|considered| !considered.stale);
    let counts = considered.iter().filter(move |considered| considered.stale != any_fresh);
    counts.map(move |considered| (considered, context.status_of(&context.facts[considered.at])))
}
