//! Offers: what everyone who is not the maker asks for a model, and the maker's own price at the top.
//!
//! Prices that are not believed ([`crate::resolve::price`]) are taken out first; each stays as a conflict that says so. Of one seller's
//! one id in several sources the seller's own list counts, then the fresh and better-ranked source; [`merged`] adds what others alone state.

mod merged;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use self::merged::MergedOffer;
use super::ModelIdentity;
use super::considered::{api_id, is_own_list, role_of};
use crate::resolve::choose::{Chosen, ConsideredFact};
use crate::resolve::leaves::is_stated;
use crate::resolve::price::level::{self, Unbelieved};
use crate::resolve::price::meters::{self, MeterPrice};
use crate::resolve::price::{NEW_PRICE_RATIO_MAX, PRICE_PER_MILLION_MAX, PRICE_RATIO_MAX};
use crate::resolve::rules::Role;
use crate::resolve::{Conflict, Context, FieldEvidence, Planned, Withheld};
use refdesk_core::fact::{EndOfLife, StoredFact};
use refdesk_core::item::Status;
use refdesk_core::{Stamp, Usd};

/// What one seller asks for one id, as rows show it.
#[derive(Debug, Clone)]
pub struct ShownOffer {
    /// The fact that states it.
    pub fact: usize,
    /// The seller, as its source calls it.
    pub provider: String,
    /// The id to send to the seller.
    pub api_model_id: String,
    /// Its status.
    pub status: Status,
    /// Whether it is stale.
    pub stale: bool,
    /// When the seller deprecates it, where its source says so.
    pub deprecated_on: Option<String>,
    /// When the seller stops serving it, where its source says so.
    pub retires_on: Option<String>,
    /// The seller's limits as its source states them, in JSON digit for digit; without what cannot be.
    pub limits: Value,
    /// Its believed prices in the same way; null when there is none.
    pub pricing: Value,
}

/// One fact of the model with what the comparison needs.
struct StatedOffer<'a> {
    fact: &'a StoredFact,
    at: usize,
    fields: Cow<'a, Map<String, Value>>,
    identity: &'a ModelIdentity,
    /// Its prices, less those that are not believed.
    pricing: Option<Map<String, Value>>,
    /// Whether there were any of these: then another source of the same offer counts before it.
    is_doubted: bool,
    stale: bool,
    /// Its source is the seller's own list.
    own_list: bool,
    rank: i32,
    live: bool,
}

/// How statements of one offer are ordered, member after member.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct OfferOrder<'a> {
    is_gone: bool,
    is_doubted: bool,
    is_stale: bool,
    /// Its source is not the seller's own list.
    is_copy: bool,
    /// It states no price: what an offer is asked for first.
    is_unpriced: bool,
    rank: i32,
    source_id: &'a str,
    key: &'a str,
}

/// The offers of a model that is being merged.
pub struct Offers<'a> {
    context: Context<'a>,
    stated: Vec<StatedOffer<'a>>,
    conflicts: Vec<Conflict>,
    /// Whether the maker's own API is over, and the model is not: then its offer stands among the others.
    outlives_api: bool,
}

impl<'a> Offers<'a> {
    /// All facts of the model, those that are considered first and in their order.
    pub fn new(
        planned: &Planned,
        context: Context<'a>,
        considered: &'a [ConsideredFact<'a>],
        outlives_api: bool,
    ) -> Self {
        let others = planned.facts.iter().filter(|at| !considered.iter().any(|considered| considered.at == **at));
        let any_live = planned.facts.iter().any(|at| context.facts[*at].standing.removed_at.is_none());
        let new = |at: usize, fields: Cow<'a, Map<String, Value>>| {
            let fact = &context.facts[at];
            let identity = &context.identities[at];
            StatedOffer {
                fact,
                at,
                pricing: fields.get("pricing").and_then(Value::as_object).cloned(),
                is_doubted: false,
                fields,
                stale: context.stale_reason(fact).is_some(),
                own_list: identity.seller.as_deref().is_some_and(|seller| is_own_list(context, fact, seller)),
                identity,
                rank: context.rank_of(fact),
                live: !any_live || fact.standing.removed_at.is_none(),
            }
        };
        let mut stated: Vec<StatedOffer<'a>> =
            considered.iter().map(|considered| new(considered.at, Cow::Borrowed(&*considered.fields))).collect();
        stated.extend(others.map(|at| new(*at, context.facts[*at].fields.read())));
        Self { context, stated, conflicts: Vec::new(), outlives_api }
    }

    /// Takes the prices out that are not believed; gives a warning for each.
    pub fn take_prices(&mut self, item_id: &str, withheld: &mut Vec<Withheld>) -> Vec<String> {
        let live = self.stated.iter().enumerate().filter(|(_, stated)| stated.live);
        let (quoted, quotes): (Vec<usize>, Vec<level::Quote<'_>>) =
            live.filter_map(|(at, stated)| Some((at, stated.quote()?))).unzip();
        let unbelieved = level::judge(&quotes);
        let mut warnings = Vec::with_capacity(unbelieved.len());
        for found in unbelieved {
            let (place, reason) = (quoted[found.quote], reason(&found));
            let path = self.path(place, &found.path);
            let stated = &mut self.stated[place];
            stated.is_doubted = true;
            let value = stated.pricing.as_mut().and_then(|pricing| meters::take_out(pricing, &found.path));
            warnings.push(format!("{path}: {} of {} is withheld: {reason}", found.price, stated.fact.source_id));
            let told = |price: Option<Usd>| price.map(|price| price.to_string());
            withheld.push(Withheld {
                source_id: stated.fact.source_id.clone(),
                kind: stated.fact.kind,
                key: stated.fact.key.clone(),
                item_id: item_id.to_owned(),
                path: found.path.clone(),
                value: found.price.to_string(),
                before: told(found.doubt.before),
                siblings: told(found.siblings),
                others: told(found.others),
                since: found.doubt.since,
                refused: found.doubt.refused,
                reason: reason.clone(),
            });
            // Every path that is judged is one of this very object ([`meters::all`]).
            let conflict = Conflict::plain(path, value.unwrap_or_default(), stated.at);
            self.conflicts.push(Conflict { reason: Some(reason), withheld_since: Some(found.doubt.since), ..conflict });
        }
        warnings
    }

    /// Where a price of a fact would stand in the item.
    fn path(&self, place: usize, meter: &str) -> String {
        let stated = &self.stated[place];
        if self.on_top().contains(&place) { meter.to_owned() } else { offer_path(stated.fact, meter) }
    }

    /// The maker's own offers, best first: those of its API; without any, those of its cloud platform.
    fn on_top(&self) -> Vec<usize> {
        if self.outlives_api {
            return Vec::new();
        }
        let of = |wanted: Role| -> Vec<usize> {
            let is_so = |stated: &StatedOffer<'_>| {
                stated.live && stated.identity.seller.is_some() && role_of(stated.identity) == wanted
            };

            (0..self.stated.len()).filter(|at| is_so(&self.stated[*at])).collect()
        };
        let top = of(Role::Maker);
        let top = if top.is_empty() { of(Role::Platform) } else { top };
        // A free offer does not make a model free that others sell.
        let is_sold = |at: usize| self.stated[at].live && !top.contains(&at) && self.stated[at].charges();
        let is_sold = (0..self.stated.len()).any(is_sold);
        top.iter().copied().filter(|at| !(is_sold && self.stated[*at].is_free())).collect()
    }

    /// Puts the maker's price at the top, and gives all other offers. `listed` are the facts whose offers there are.
    pub fn put(mut self, listed: &[usize], chosen: &mut Chosen) -> Vec<ShownOffer> {
        let top: Vec<usize> = self.on_top().into_iter().filter(|at| listed.contains(&self.stated[*at].at)).collect();
        self.price(&top, chosen);
        // Sources write one id in another case; that one source has both is told apart before (`model::groups`).
        let mut by_offer: BTreeMap<(&str, String), Vec<&StatedOffer<'_>>> = BTreeMap::new();
        let beside_top = self.stated.iter().enumerate().filter(|(place, _)| !top.contains(place));
        for (_, stated) in beside_top {
            let Some(seller) = &stated.identity.seller else { continue };
            if stated.live && !listed.contains(&stated.at) {
                chosen.conflicts.push(stated.delisted(seller));
                continue;
            }
            by_offer.entry((seller, api_id(stated.fact).to_lowercase())).or_default().push(stated);
        }
        // What the maker's own id says at the top is no offer beside it, also where a source stopped listing it.
        let offer_of = |at: &usize| {
            let StatedOffer { identity, fact, .. } = &self.stated[*at];
            Some((identity.seller.as_deref()?, api_id(fact).to_lowercase()))
        };
        let at_top: Vec<(&str, String)> = top.iter().filter_map(offer_of).collect();
        by_offer.retain(|offer, stated| stated.iter().any(|stated| stated.live) || !at_top.contains(offer));
        let mut shown: Vec<MergedOffer<'_, '_>> = Vec::new();
        for stated in by_offer.values_mut() {
            stated.sort_by(|a, b| a.order().cmp(&b.order()));
            let Some((best, others)) = stated.split_first() else { continue };
            let mut offer = MergedOffer::new(best);
            for other in others.iter().filter(|other| other.live && best.live) {
                offer.add(other, &mut chosen.conflicts);
            }
            offer.take_impossible(&mut chosen.conflicts);
            shown.push(offer);
        }
        shown.sort_by(|a, b| a.best.place().cmp(&b.best.place()));
        // Where they stand in the row.
        chosen.fields.insert("offers".to_owned(), Value::Array(Vec::new()));
        chosen.evidence.extend(shown.iter_mut().flat_map(|offer| std::mem::take(&mut offer.evidence)));
        let offers = shown.into_iter().map(|offer| offer.shown(self.context)).collect();
        chosen.conflicts.append(&mut self.conflicts);
        offers
    }

    /// The price at the top: of the best of the maker's offers that states any; others add the meters that they alone state when they agree
    /// with it on every meter that both state.
    fn price(&self, top: &[usize], chosen: &mut Chosen) {
        let mut price: Map<String, Value> = Map::new();
        let mut evidence: Vec<FieldEvidence> = Vec::new();
        let mut best: Option<&StatedOffer<'_>> = None;
        for at in top {
            let stated = &self.stated[*at];
            let Some(pricing) = stated.pricing.as_ref().filter(|pricing| has_price(pricing)) else { continue };
            let differing = differing(&price, pricing);
            if !differing.is_empty() {
                let conflict = |meter: MeterPrice| Conflict::plain(meter.path, json!(meter.price), stated.at);
                chosen.conflicts.extend(differing.into_iter().map(conflict));
                continue;
            }
            let best = best.get_or_insert(stated);
            let rule = role_of(stated.identity).as_str();
            for path in add_prices(&mut price, pricing, best.stale == stated.stale) {
                evidence.push(FieldEvidence { path, fact: stated.at, rule });
            }
        }
        let price = if has_price(&price) { Value::Object(price) } else { Value::Null };
        if price.is_object() {
            chosen.evidence.append(&mut evidence);
        }
        chosen.fields.insert("pricing".to_owned(), price);
    }
}

impl StatedOffer<'_> {
    fn quote(&self) -> Option<level::Quote<'_>> {
        Some(level::Quote {
            fact: self.fact,
            seller: self.identity.seller.as_deref()?,
            variant: self.identity.variant.as_deref(),
            rank: self.rank,
            pricing: self.pricing.as_ref()?,
        })
    }

    fn charges(&self) -> bool {
        self.pricing.as_ref().is_some_and(|pricing| meters::all(pricing).iter().any(|meter| !meter.price.is_zero()))
    }

    fn is_free(&self) -> bool {
        self.pricing.as_ref().is_some_and(meters::are_zero)
    }

    /// Where the offer stands among those of the model.
    fn place(&self) -> (&str, &str, i32) {
        (provider(self.fact), api_id(self.fact), self.rank)
    }

    /// Which of several statements of one offer counts: the smallest.
    fn order(&self) -> OfferOrder<'_> {
        OfferOrder {
            is_gone: !self.live,
            is_doubted: self.is_doubted,
            is_stale: self.stale,
            is_copy: !self.own_list,
            is_unpriced: !self.pricing.as_ref().is_some_and(has_price),
            rank: self.rank,
            source_id: &self.fact.source_id,
            key: &self.fact.key,
        }
    }

    /// A copy of a seller's list has an offer that the seller's own list has not.
    fn delisted(&self, seller: &str) -> Conflict {
        let offer = format!("offers.{}.{}", provider(self.fact), api_id(self.fact));
        let value = self.pricing.clone().map_or(Value::Null, Value::Object);
        Conflict::plain(offer, value, self.at).because(format!("{seller}'s own list does not have this offer"))
    }
}

impl MergedOffer<'_, '_> {
    /// The offer as it is shown.
    fn shown(self, context: Context<'_>) -> ShownOffer {
        let StatedOffer { fact, at, stale, .. } = *self.best;
        let date = |name: &str| self.dates.get(name).and_then(Value::as_str).map(str::to_owned);
        let (deprecated_on, retires_on) = (date("deprecated_on"), date("retires_on"));
        let passed = |date: &Option<String>| date.as_deref().and_then(Stamp::date_passed_at);
        let end = EndOfLife { deprecated_at: passed(&deprecated_on), retires_at: passed(&retires_on) };
        ShownOffer {
            fact: at,
            provider: provider(fact).to_owned(),
            api_model_id: api_id(fact).to_owned(),
            status: end.status(context.status_of(fact), context.now),
            stale,
            deprecated_on,
            retires_on,
            limits: Value::Object(self.limits),
            // Prices that were all withheld are unknown: null, not an object of nulls.
            pricing: Some(self.pricing).filter(has_price).map_or(Value::Null, Value::Object),
        }
    }
}

fn provider(fact: &StoredFact) -> &str {
    fact.identity.provider.as_deref().unwrap_or("")
}

fn offer_path(fact: &StoredFact, meter: &str) -> String {
    format!("offers.{}.{}.{meter}", provider(fact), api_id(fact))
}

/// The meters of another statement that a price states otherwise.
fn differing(price: &Map<String, Value>, other: &Map<String, Value>) -> Vec<MeterPrice> {
    let known = meters::all(price);
    let differs = |meter: &MeterPrice| known.iter().any(|ours| ours.path == meter.path && ours.price != meter.price);
    meters::all(other).into_iter().filter(differs).collect()
}

/// Adds to a price what only another statement has; gives the paths. Single meters of lists that both state mix two sources in one list,
/// which can be marked as stale only as a whole: they must be equally fresh.
fn add_prices(price: &mut Map<String, Value>, other: &Map<String, Value>, is_as_fresh: bool) -> Vec<String> {
    let mut added = Vec::new();
    for (name, value) in other {
        let slot = price.entry(name).or_insert(Value::Null);
        if is_stated(value) && !is_stated(slot) {
            *slot = value.clone();
            added.push(format!("pricing.{name}"));
        } else if slot.is_null() {
            // An empty list states nothing, and is still a list.
            *slot = value.clone();
        }
    }
    let known = meters::all(price);
    let alone = meters::all(other).into_iter().filter(|meter| !known.iter().any(|ours| ours.path == meter.path));
    for meter in alone.filter(|_| is_as_fresh) {
        meters::put(price, &meter.path, other);
        added.push(meter.path);
    }
    added
}

/// True when any price is stated.
fn has_price(pricing: &Map<String, Value>) -> bool {
    !meters::all(pricing).is_empty()
}

/// Why a price is withheld, for people.
fn reason(found: &Unbelieved) -> String {
    if found.doubt.refused {
        return "an operator refused it; it is withheld for as long as the source states it".to_owned();
    }
    let measure = match (found.others, found.siblings, found.doubt.before_it_moved()) {
        (Some(others), ..) if !found.is_too_high => {
            format!("{PRICE_RATIO_MAX} times or more off {others}, the price of the same seller in another source")
        }
        (None, Some(siblings), before) if !found.is_too_high => {
            let ratio_max = if before.is_some() { PRICE_RATIO_MAX } else { NEW_PRICE_RATIO_MAX };
            format!("{ratio_max} times or more off {siblings}, the median of the other sellers")
        }
        (None, None, Some(before)) if !found.is_too_high => {
            format!("{PRICE_RATIO_MAX} times or more off {before}, the last price that was believed")
        }
        _ => format!("above {PRICE_PER_MILLION_MAX}, more than 1,000,000 tokens of nearly every model cost"),
    };
    format!("it is {measure}; it is shown when the source states it again, or after `refdesk sources review accept`")
}
