//! `OpenRouter`'s prices: what each is for, and in which unit it is told.
//!
//! `image` is a price per token in some forms of the list and per image in others. Two things in the record itself tell which: a price
//! that equals the one of a text token is per token, and where `image_token` stands beside it, `image` is per image. Elsewhere the unit
//! is not told, so the price is counted and left to the record. Overrides by time of day are no prices of the model. Where a token costs
//! something, 0 for another meter says that it has no price of its own ([`Meters`]): reasoning is paid as output there, and not free.

use refdesk_core::Usd;
use refdesk_core::item::{PriceTier, Pricing};
use serde_json::{Map, Value};

use crate::connectors::formats::json_fields::{self as fields, LeftOut, Reason};
use crate::connectors::models::{ordered, push_other};

/// Fields per token that stand among the other meters: field, meter.
const TOKEN_METERS: [(&str, &str); 4] = [
    ("image_token", "input_image"),
    ("image_output", "output_image"),
    ("input_cache_write_1h", "cache_write_1h"),
    ("input_audio_cache", "cache_read_audio"),
];
/// Fields per token that have a field of their own, except in a batch: field, meter there.
const OWN_FIELDS: [(&str, &str); 5] = [
    ("input_cache_read", "cache_read"),
    ("input_cache_write", "cache_write"),
    ("internal_reasoning", "reasoning"),
    ("audio", "input_audio"),
    ("audio_output", "output_audio"),
];
/// Fields by the request.
const REQUEST_METERS: [&str; 2] = ["web_search", "request"];
const TOKENS: &str = "1M_tokens";
/// What a price of 0 is counted as where it stands for none.
const NO_OWN_PRICES: &str = "prices of 0 beside tokens that cost something: not priced separately, unknown";

/// Reads the prices of meters besides plain input and output.
struct Meters<'a> {
    /// Whether the record charges for plain input or output.
    charged: bool,
    left_out: &'a LeftOut,
}

impl<'a> Meters<'a> {
    fn of(prices: &Map<String, Value>, left_out: &'a LeftOut) -> Self {
        let price = |field: &str| prices.get(field).and_then(Usd::from_json);
        Self { charged: ["prompt", "completion"].into_iter().filter_map(price).any(|price| !price.is_zero()), left_out }
    }

    fn price(&self, prices: &Map<String, Value>, field: &str) -> Result<Option<Usd>, Reason> {
        Ok(self.own(fields::price(prices, field, self.left_out)?))
    }

    fn per_token(&self, prices: &Map<String, Value>, field: &str) -> Result<Option<Usd>, Reason> {
        Ok(self.own(fields::price_per_token(prices, field, self.left_out)?))
    }

    fn own(&self, price: Option<Usd>) -> Option<Usd> {
        let own = price.filter(|price| !self.charged || !price.is_zero());
        if own != price {
            self.left_out.count(NO_OWN_PRICES);
        }
        own
    }
}

/// Reads the `pricing` of a record.
pub fn parse(prices: &Map<String, Value>, batch: bool, left_out: &LeftOut) -> Result<Pricing, Reason> {
    let plain = |field: &str| fields::price_per_token(prices, field, left_out);
    let (input, output) = (plain("prompt")?, plain("completion")?);
    let meters = Meters::of(prices, left_out);
    let per_token = |field: &str| meters.per_token(prices, field);
    let mut pricing = if batch {
        Pricing { batch_input: input, batch_output: output, ..Pricing::default() }
    } else {
        Pricing {
            input,
            output,
            cache_read: per_token("input_cache_read")?,
            cache_write: per_token("input_cache_write")?,
            reasoning: per_token("internal_reasoning")?,
            input_audio: per_token("audio")?,
            output_audio: per_token("audio_output")?,
            ..Pricing::default()
        }
    };
    let mut other = |meter: &str, unit: &str, price: Option<Usd>| {
        let meter = if batch && unit == TOKENS { format!("batch_{meter}") } else { meter.to_owned() };
        push_other(&mut pricing, meter, unit, price);
    };
    if let Some((unit, price)) = image(prices, &meters)? {
        other("input_image", unit, Some(price));
    }
    for (field, meter) in OWN_FIELDS.into_iter().filter(|_| batch).chain(TOKEN_METERS) {
        other(meter, TOKENS, per_token(field)?);
    }
    for field in REQUEST_METERS {
        other(field, "request", meters.price(prices, field)?);
    }
    tiers(prices, batch, &mut pricing, &meters)?;
    count_unknown(prices, left_out);
    Ok(pricing)
}

/// The price of `image` with its unit, where the record tells the unit.
fn image(prices: &Map<String, Value>, meters: &Meters<'_>) -> Result<Option<(&'static str, Usd)>, Reason> {
    let Some(image) = meters.price(prices, "image")? else { return Ok(None) };
    let same_as = |field: &str| prices.get(field).and_then(Usd::from_json) == Some(image);
    if prices.get("image_token").is_some_and(|price| !price.is_null()) {
        // The same amount in both is one price, stated twice.
        return Ok((!same_as("image_token")).then_some(("image", image)));
    }
    if same_as("prompt") && !image.is_zero() {
        return Ok(meters.per_token(prices, "image")?.map(|price| (TOKENS, price)));
    }
    meters.left_out.count("image prices whose unit the record does not tell");
    Ok(None)
}

/// `overrides` by size of the prompt, smallest first; those of a batch are meters of their own.
fn tiers(prices: &Map<String, Value>, batch: bool, pricing: &mut Pricing, meters: &Meters<'_>) -> Result<(), Reason> {
    let left_out = meters.left_out;
    for record in prices.get("overrides").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default() {
        let record = record.as_object().ok_or("`overrides` holds something that is not an object")?;
        let least = fields::limit_or_zero(record, "min_prompt_tokens", left_out);
        let Some(above_context_tokens) = least.map_err(fields::inside("overrides"))? else {
            left_out.count("prices that hold by time of day or by another rule");
            continue;
        };
        let plain = |field: &str| fields::price_per_token(record, field, left_out).map_err(fields::inside("overrides"));
        let per_token = |field: &str| meters.per_token(record, field).map_err(fields::inside("overrides"));
        let above = |meter: &str| {
            let batch = if batch { "batch_" } else { "" };
            format!("{batch}{meter}_above_{above_context_tokens}")
        };
        let in_tier = ["input_cache_read", "input_cache_write"];
        let others = OWN_FIELDS.iter().filter(|(field, _)| batch || !in_tier.contains(field)).chain(&TOKEN_METERS);
        for (field, meter) in others {
            push_other(pricing, above(meter), TOKENS, per_token(field)?);
        }
        let (input, output) = (plain("prompt")?, plain("completion")?);
        if batch {
            push_other(pricing, above("input"), TOKENS, input);
            push_other(pricing, above("output"), TOKENS, output);
            continue;
        }
        let (cache_read, cache_write) = (per_token("input_cache_read")?, per_token("input_cache_write")?);
        pricing.tiers.push(PriceTier { above_context_tokens, input, output, cache_read, cache_write });
    }
    pricing.tiers = ordered(std::mem::take(&mut pricing.tiers), left_out);
    Ok(())
}

/// Counts fields that this connector does not know; the record keeps them.
fn count_unknown(prices: &Map<String, Value>, left_out: &LeftOut) {
    let known = |field: &str| {
        matches!(field, "prompt" | "completion" | "image" | "overrides")
            || OWN_FIELDS.iter().chain(&TOKEN_METERS).any(|(known, _)| *known == field)
            || REQUEST_METERS.contains(&field)
    };
    for field in prices.iter().filter(|(field, value)| !value.is_null() && !known(field)).map(|(field, _)| field) {
        left_out.count(format!("`pricing.{field}`, whose meter is not known"));
    }
}
