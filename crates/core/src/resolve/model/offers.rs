//! Offers: what everyone who is not the maker asks for a model, and which prices cannot be.
//!
//! A price that is ten times or more off the same seller's price in a better-ranked source is taken out, kept as a conflict with its
//! reason and counted; a zero against a price is a conflict only. The maker's own price stays on top, or none does.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::super::merge::is_stated;
use super::super::price::{PRICE_RATIO_MAX, far_off};
use super::super::{Conflict, HeldBack, Sources};
use super::{ModelIdentity, identify};
use crate::Usd;
use crate::fact::StoredFact;
use crate::item::Offer;

/// Prices of [`crate::item::Pricing`] that are one number.
const METERS: [&str; 9] = [
    "input",
    "output",
    "cache_read",
    "cache_write",
    "reasoning",
    "input_audio",
    "output_audio",
    "batch_input",
    "batch_output",
];

/// A fact of the model with its fields read.
#[derive(Debug, Clone, Copy)]
pub struct Stating<'a> {
    /// Its index.
    pub at: usize,
    /// The fact.
    pub fact: &'a StoredFact,
    /// What it states.
    pub fields: &'a Map<String, Value>,
}

/// One fact of the model with what the comparison needs.
struct Voice<'a> {
    fact: &'a StoredFact,
    at: usize,
    fields: &'a Map<String, Value>,
    identity: ModelIdentity,
    rank: i32,
    /// Its prices, less those that were held back.
    pricing: Option<Map<String, Value>>,
}

/// Turns every fact of the model that is not the maker's own offer into an entry of `offers`, and keeps the maker's price on top.
/// `own` are the facts that speak for the model itself.
pub fn offers(
    members: &[Stating<'_>],
    own: &[usize],
    sources: &Sources,
    fields: &mut Map<String, Value>,
    conflicts: &mut Vec<Conflict>,
    held_back: &mut Vec<HeldBack>,
) {
    let mut all: Vec<Voice<'_>> = members
        .iter()
        .map(|Stating { at, fact, fields }| Voice {
            fact,
            at: *at,
            fields,
            identity: identify(fact),
            rank: sources.get(&fact.source_id).map_or(i32::MAX, |source| source.rank),
            pricing: fields.get("pricing").and_then(Value::as_object).cloned(),
        })
        .collect();
    let sold_by_maker =
        |voice: &Voice<'_>| own.contains(&voice.at) && voice.identity.first_party && voice.identity.seller.is_some();
    if !all.iter().any(sold_by_maker) {
        fields.insert("pricing".to_owned(), Value::Null);
        conflicts.retain(|conflict| conflict.path != "pricing" && !conflict.path.starts_with("pricing."));
    }
    let on_top: Vec<bool> = all.iter().map(sold_by_maker).collect();
    check_prices(&mut all, &on_top, conflicts, held_back);
    take_down(fields, conflicts);
    let live = |voice: &&Voice<'_>| voice.fact.standing.removed_at.is_none();
    let mut by_offer: BTreeMap<(&str, &str), Vec<&Voice<'_>>> = BTreeMap::new();
    for (voice, _) in all.iter().zip(&on_top).filter(|(_, on_top)| !**on_top) {
        if let Some(seller) = &voice.identity.seller {
            by_offer.entry((seller, api_id(voice.fact))).or_default().push(voice);
        }
    }
    let any_live = all.iter().any(|voice| live(&voice));
    let mut shown: Vec<(&Voice<'_>, Value)> = Vec::new();
    for stated in by_offer.values_mut() {
        stated.sort_by(|a, b| (a.rank, &a.fact.source_id, &a.fact.key).cmp(&(b.rank, &b.fact.source_id, &b.fact.key)));
        // An offer that no source lists any more is shown only on a model that is itself gone.
        let Some(best) = stated.iter().copied().find(|voice| !any_live || live(voice)) else { continue };
        for other in stated.iter().filter(|other| other.at != best.at) {
            compare(best, other, conflicts);
        }
        shown.push((best, offer(best)));
    }
    shown.sort_by(|(a, _), (b, _)| {
        (provider(a.fact), api_id(a.fact), a.rank).cmp(&(provider(b.fact), api_id(b.fact), b.rank))
    });
    fields.insert("offers".to_owned(), Value::Array(shown.into_iter().map(|(_, offer)| offer).collect()));
}

fn provider(fact: &StoredFact) -> &str {
    fact.identity.provider.as_deref().unwrap_or("")
}

fn api_id(fact: &StoredFact) -> &str {
    fact.identity.api_model_id.as_deref().unwrap_or(&fact.key)
}

/// Takes out the prices that are far off the same seller's price of the same variant in a better-ranked source.
fn check_prices(all: &mut [Voice<'_>], on_top: &[bool], conflicts: &mut Vec<Conflict>, held_back: &mut Vec<HeldBack>) {
    let mut by_seller: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    for (place, voice) in all.iter().enumerate() {
        if let (Some(seller), Some(_)) = (&voice.identity.seller, &voice.pricing) {
            let variant = voice.identity.variant.clone().unwrap_or_default();
            by_seller.entry((seller.clone(), variant)).or_default().push(place);
        }
    }
    for mut places in by_seller.into_values().filter(|places| places.len() > 1) {
        places.sort_by(|a, b| (all[*a].rank, &all[*a].fact.source_id).cmp(&(all[*b].rank, &all[*b].fact.source_id)));
        for meter in METERS {
            check_meter(all, &places, meter, on_top, conflicts, held_back);
        }
    }
}

/// A price that was held back does not stand on top either: it can only when the source it was measured by no longer lists the model.
fn take_down(fields: &mut Map<String, Value>, conflicts: &[Conflict]) {
    let Some(Value::Object(pricing)) = fields.get_mut("pricing") else { return };
    for conflict in conflicts.iter().filter(|conflict| conflict.reason.is_some()) {
        if let Some(price) = conflict.path.strip_prefix("pricing.").and_then(|meter| pricing.get_mut(meter))
            && *price == conflict.value
        {
            *price = Value::Null;
        }
    }
}

/// One meter of one seller: the best-ranked source that states it is what the others are measured by.
fn check_meter(
    all: &mut [Voice<'_>],
    places: &[usize],
    meter: &str,
    on_top: &[bool],
    conflicts: &mut Vec<Conflict>,
    held_back: &mut Vec<HeldBack>,
) {
    let price = |voice: &Voice<'_>| voice.pricing.as_ref()?.get(meter).and_then(Usd::from_json);
    let Some(reference) = places.iter().find(|place| price(&all[**place]).is_some()).copied() else { return };
    let Some(measure) = price(&all[reference]) else { return };
    let measured_by = all[reference].fact.source_id.clone();
    for place in places {
        let Some(stated) = price(&all[*place]) else { continue };
        if all[*place].fact.source_id == measured_by || !far_off(stated, measure) {
            continue;
        }
        let voice = &mut all[*place];
        let value = voice
            .pricing
            .as_mut()
            .and_then(|pricing| pricing.insert(meter.to_owned(), Value::Null))
            .unwrap_or(Value::Null);
        let path = if on_top[*place] { format!("pricing.{meter}") } else { offer_path(voice.fact, meter) };
        let reason = format!(
            "{stated} is {PRICE_RATIO_MAX} times or more off {measure}, the price of the same seller in {measured_by}; it is held back"
        );
        held_back.push(HeldBack {
            source_id: voice.fact.source_id.clone(),
            key: voice.fact.key.clone(),
            path: path.clone(),
            reason: reason.clone(),
        });
        match conflicts.iter_mut().find(|conflict| conflict.fact == voice.at && conflict.path == path) {
            Some(conflict) => conflict.reason = Some(reason),
            None => conflicts.push(Conflict { path, value, fact: voice.at, reason: Some(reason) }),
        }
    }
}

fn offer_path(fact: &StoredFact, meter: &str) -> String {
    format!("offers.{}.{}.pricing.{meter}", provider(fact), api_id(fact))
}

/// What another source says of the same offer.
fn compare(best: &Voice<'_>, other: &Voice<'_>, conflicts: &mut Vec<Conflict>) {
    let (Some(shown), Some(stated)) = (&best.pricing, &other.pricing) else { return };
    for meter in METERS {
        let (Some(ours), Some(value)) = (shown.get(meter).and_then(Usd::from_json), stated.get(meter)) else {
            continue;
        };
        if Usd::from_json(value).is_some_and(|theirs| theirs != ours) {
            let path = offer_path(best.fact, meter);
            conflicts.push(Conflict { path, value: value.clone(), fact: other.at, reason: None });
        }
    }
}

/// The offer as it is shown.
fn offer(voice: &Voice<'_>) -> Value {
    let fact = voice.fact;
    let pricing = voice.pricing.clone().filter(|pricing| {
        // Prices that were all held back are unknown: null, not an object of nulls.
        pricing.iter().any(|(key, value)| !matches!(key.as_str(), "currency" | "unit") && is_stated(value))
    });
    let offer = Offer {
        provider: provider(fact).to_owned(),
        api_model_id: api_id(fact).to_owned(),
        source_url: (!fact.source_url.is_empty()).then(|| fact.source_url.clone()),
        last_synced_at: Some(fact.standing.last_synced_at),
        source_id: Some(fact.source_id.to_string()),
        evidence_key: Some(fact.evidence_key().to_string()),
        ..Offer::default()
    };
    let mut shown = serde_json::to_value(offer).unwrap_or_default();
    // Limits and prices are already JSON of this very shape: moved over as they are, digit for digit.
    if let Some(limits) = voice.fields.get("limits") {
        shown["limits"] = limits.clone();
    }
    shown["pricing"] = pricing.map_or(Value::Null, Value::Object);
    shown
}
