//! The prices of an offer as a flat list: `pricing.input`, `pricing.tiers.200000.input`, `pricing.other.web_search/query`.

use serde_json::{Map, Value};

use crate::json::text_of;
use refdesk_core::Usd;
use refdesk_search::text::word_array;

/// Members of [`refdesk_core::item::Pricing`] that are one price.
const PLAIN: [&str; 9] =
    word_array("input output cache_read cache_write reasoning input_audio output_audio batch_input batch_output");
/// Members of [`refdesk_core::item::PriceTier`] that are one price.
pub const TIER_PRICES: [&str; 4] = ["input", "output", "cache_read", "cache_write"];

/// One stated price of an offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeterPrice {
    /// Dotted path below the offer: `pricing.input`.
    pub path: String,
    /// The price.
    pub price: Usd,
    /// Whether it is a price per million tokens.
    pub per_million_tokens: bool,
}

/// All prices that a `pricing` object states.
pub fn all(pricing: &Map<String, Value>) -> Vec<MeterPrice> {
    let mut meters = Vec::new();
    let mut push = |path: String, value: Option<&Value>, per_million_tokens: bool| {
        if let Some(price) = value.and_then(Usd::from_json) {
            meters.push(MeterPrice { path, price, per_million_tokens });
        }
    };
    for name in PLAIN {
        push(format!("pricing.{name}"), pricing.get(name), true);
    }
    for tier in list(pricing, "tiers") {
        for name in TIER_PRICES {
            push(format!("pricing.tiers.{}.{name}", size_of(tier)), tier.get(name), true);
        }
    }
    for other in list(pricing, "other") {
        let unit = text_of(other, "unit");
        push(format!("pricing.other.{}/{unit}", text_of(other, "meter")), other.get("price"), unit == "1M_tokens");
    }
    meters
}

/// Whether prices are stated and all of them are zero.
pub fn are_zero(pricing: &Map<String, Value>) -> bool {
    let meters = all(pricing);
    !meters.is_empty() && meters.iter().all(|meter| meter.price.is_zero())
}

/// Takes the price at a path of [`all`] out of a `pricing` object: null takes its place.
pub fn take_out(pricing: &mut Map<String, Value>, path: &str) -> Option<Value> {
    let path = path.strip_prefix("pricing.")?;
    let slot = if let Some(rest) = path.strip_prefix("tiers.") {
        let (size, name) = rest.split_once('.')?;
        let tiers = pricing.get_mut("tiers")?.as_array_mut()?;
        tiers.iter_mut().find(|tier| size_of(tier) == size)?.get_mut(name)?
    } else if let Some(rest) = path.strip_prefix("other.") {
        let (meter, unit) = rest.rsplit_once('/')?;
        let other = pricing.get_mut("other")?.as_array_mut()?;
        other
            .iter_mut()
            .find(|other| text_of(other, "meter") == meter && text_of(other, "unit") == unit)?
            .get_mut("price")?
    } else {
        pricing.get_mut(path)?
    };
    Some(std::mem::take(slot))
}

/// Puts the price at a path of [`all`] into a `pricing` object as `from` states it, with the tier or the meter that it belongs to.
pub fn put(pricing: &mut Map<String, Value>, path: &str, from: &Map<String, Value>) {
    if pricing.is_empty() {
        pricing.extend(from.iter().map(|(name, value)| (name.clone(), without_prices(name, value))));
    }
    let Some(path) = path.strip_prefix("pricing.") else { return };
    if let Some((size, name)) = path.strip_prefix("tiers.").and_then(|rest| rest.split_once('.')) {
        let Some(theirs) = list(from, "tiers").find(|tier| size_of(tier) == size) else { return };
        let Some(tiers) = array(pricing, "tiers") else { return };
        if let Some(tier) = tiers.iter_mut().find(|tier| size_of(tier) == size) {
            tier[name] = theirs[name].clone();
        } else {
            tiers.push(theirs.clone());
            tiers.sort_by_key(|tier| tier["above_context_tokens"].as_u64());
        }
    } else if let Some((meter, unit)) = path.strip_prefix("other.").and_then(|rest| rest.rsplit_once('/')) {
        let is_meant = |other: &Value| text_of(other, "meter") == meter && text_of(other, "unit") == unit;
        let theirs = list(from, "other").find(|other| is_meant(other));
        if let (Some(theirs), Some(others)) = (theirs, array(pricing, "other"))
            && !others.iter().any(is_meant)
        {
            others.push(theirs.clone());
        }
    } else {
        pricing.insert(path.to_owned(), from.get(path).cloned().unwrap_or_default());
    }
}

/// A member of `pricing` as it is where no price is stated.
fn without_prices(name: &str, value: &Value) -> Value {
    match value {
        Value::Array(_) => Value::Array(Vec::new()),
        _ if PLAIN.contains(&name) => Value::Null,
        other => other.clone(),
    }
}

/// A list of `pricing`, made where it is missing.
fn array<'a>(pricing: &'a mut Map<String, Value>, name: &str) -> Option<&'a mut Vec<Value>> {
    let list = pricing.entry(name).or_insert(Value::Null);
    if list.is_null() {
        *list = Value::Array(Vec::new());
    }
    list.as_array_mut()
}

fn list<'a>(pricing: &'a Map<String, Value>, name: &str) -> impl Iterator<Item = &'a Value> {
    pricing.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn size_of(tier: &Value) -> String {
    tier.get("above_context_tokens").map(Value::to_string).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{all, take_out};

    #[test]
    fn every_price_of_an_offer_has_a_path_and_can_be_taken_out() {
        let Value::Object(mut pricing) = json!({
            "currency": "USD", "input": 3, "output": null,
            "tiers": [{"above_context_tokens": 200_000, "input": 6, "output": null}],
            "other": [{"meter": "web_search", "unit": "query", "price": 0.01}]
        }) else {
            return;
        };
        let paths: Vec<String> = all(&pricing).into_iter().map(|meter| meter.path).collect();
        assert_eq!(paths, ["pricing.input", "pricing.tiers.200000.input", "pricing.other.web_search/query"]);
        assert_eq!(take_out(&mut pricing, "pricing.tiers.200000.input"), Some(json!(6)));
        assert_eq!(take_out(&mut pricing, "pricing.other.web_search/query"), Some(json!(0.01)));
        assert_eq!(take_out(&mut pricing, "pricing.nothing"), None);
        assert_eq!(all(&pricing).len(), 1);
    }
}
