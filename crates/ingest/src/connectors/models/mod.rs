//! Lists of models with their limits and prices.

pub mod huggingface;
pub mod litellm;
pub mod llm_prices;
pub mod models_dev;
pub mod openrouter;

use refdesk_core::Usd;
use refdesk_core::item::{OtherPrice, PriceTier, Pricing};
use serde_json::{Map, Value};

use crate::connectors::formats::distinct;
use crate::connectors::formats::json_fields::{LeftOut, texts_or_counted};

/// Prices of tiers that are counted.
const OF_TIERS_UNSHOWN: &str = "prices of tiers that no field shows";

/// Adds a price by a meter that has no field of its own, where there is one.
fn push_other(pricing: &mut Pricing, meter: impl Into<String>, unit: &str, price: Option<Usd>) {
    if price.is_some() {
        pricing.other.push(OtherPrice { meter: meter.into(), unit: unit.to_owned(), price });
    }
}

/// The tiers by size of the prompt, smallest first, and one for each size: of two with different prices the first counts.
fn ordered(mut tiers: Vec<PriceTier>, left_out: &LeftOut) -> Vec<PriceTier> {
    tiers.sort_by_key(|tier| tier.above_context_tokens);
    tiers.dedup_by(|later, first| {
        let is_second = later.above_context_tokens == first.above_context_tokens;
        if is_second && later != first {
            left_out.count("second prices of a tier");
        }
        is_second
    });
    tiers
}

/// What a list says that a model takes or gives, in the lower case of the words that filters know.
fn modalities(record: &Map<String, Value>, field: &str, left_out: &LeftOut) -> Vec<String> {
    distinct(texts_or_counted(record, field, left_out).iter().map(|word| word.to_lowercase()))
}
