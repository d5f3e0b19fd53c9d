//! The fields of a model's card, and what only hand-written ones get wrong in them.

use refdesk_core::item::{Modalities, Model, OtherPrice, PriceTier, Pricing};
use refdesk_core::nearest::did_you_mean;
use refdesk_core::{Kind, Usd, clean};
use serde_json::{Map, Value};

use super::explain;

/// Reads them.
///
/// # Errors
/// A sentence that names the key and says what to do.
pub(super) fn model(map: Map<String, Value>, vendor: Option<&str>) -> Result<Model, String> {
    map.get("pricing").map_or(Ok(()), |pricing| no_negative_price("pricing", pricing))?;
    if map.get("offers").and_then(Value::as_array).is_some_and(|offers| !offers.is_empty()) {
        return Err("`offers` has the prices of other sellers, which no card states; state the maker's own in `pricing`, and leave `offers` out".to_owned());
    }
    let model: Model = explain::fields(Kind::Model, map)?;
    let Modalities { input, output } = &model.modalities;
    for (key, words) in [("modalities.input", input), ("modalities.output", output)] {
        if let Some(word) = words.iter().find(|word| !Modalities::WORDS.contains(&word.as_str())) {
            let hint = did_you_mean(word, Modalities::WORDS);
            return Err(format!("`{key}` has `{word}`, which is not one of {}{hint}", Modalities::WORDS.join(", ")));
        }
    }
    model.pricing.as_ref().map_or(Ok(()), |pricing| {
        only_dollars_per_million(pricing)?;
        tiers_that_differ(&pricing.tiers)?;
        meters_with_units(&pricing.other)
    })?;
    if model.pricing.is_some() && vendor.is_none() {
        // Nobody would be shown to ask it.
        return Err("`pricing` is what the maker asks, and the card names no maker; add `vendor`".to_owned());
    }
    Ok(model)
}

/// A price in anything else would be compared with others as if it were in this.
fn only_dollars_per_million(pricing: &Pricing) -> Result<(), String> {
    let always = Pricing::default();
    for (key, stated, always) in
        [("currency", &pricing.currency, &always.currency), ("unit", &pricing.unit, &always.unit)]
    {
        if stated != always {
            return Err(format!(
                "`pricing.{key}` is `{stated}`; prices are USD per 1,000,000 tokens: convert them, and leave the key out"
            ));
        }
    }
    Ok(())
}

/// Of two prices for the same requests nobody could tell which one holds.
fn tiers_that_differ(tiers: &[PriceTier]) -> Result<(), String> {
    for (at, tier) in tiers.iter().enumerate() {
        let above = tier.above_context_tokens;
        if above == 0 {
            return Err(format!(
                "`pricing.tiers.{at}.above_context_tokens` is missing or 0; what holds for every request is no tier: state it in `pricing`"
            ));
        }
        if [tier.input, tier.output, tier.cache_read, tier.cache_write].iter().all(Option::is_none) {
            return Err(format!("`pricing.tiers.{at}` states no price; fill it in or leave it out"));
        }
        if tiers[..at].iter().any(|before| before.above_context_tokens == above) {
            return Err(format!("`pricing.tiers` has two tiers above {above} tokens; leave one out"));
        }
    }
    Ok(())
}

/// A price without its unit says nothing, and units are not guessed.
fn meters_with_units(prices: &[OtherPrice]) -> Result<(), String> {
    for (at, OtherPrice { meter, unit, price }) in prices.iter().enumerate() {
        let path = format!("pricing.other.{at}");
        for (key, text, such_as) in [("meter", meter, "output_image"), ("unit", unit, "image")] {
            if clean::line(text).is_empty() {
                return Err(format!("missing key `{path}.{key}`; add it, such as {such_as}"));
            }
        }
        if price.is_none() {
            return Err(format!("missing key `{path}.price`; add it"));
        }
        if prices[..at].iter().any(|before| (&before.meter, &before.unit) == (meter, unit)) {
            return Err(format!("`pricing.other` has two prices of `{meter}` for each `{unit}`; leave one out"));
        }
    }
    Ok(())
}

/// A negative price would make a model the cheapest of all.
fn no_negative_price(path: &str, value: &Value) -> Result<(), String> {
    let below = |key: &str| format!("{path}.{key}");
    match value {
        Value::Object(members) => members.iter().try_for_each(|(key, value)| no_negative_price(&below(key), value)),
        Value::Array(entries) => {
            entries.iter().enumerate().try_for_each(|(at, entry)| no_negative_price(&below(&at.to_string()), entry))
        }
        price => match Usd::from_json(price).filter(|price| price.is_negative()) {
            Some(price) => Err(format!("`{path}` is {price}; a price is 0 or more: leave out what is unknown")),
            None => Ok(()),
        },
    }
}
