//! Lists of models with their limits and prices.

pub mod huggingface;
pub mod litellm;
pub mod llm_prices;
pub mod models_dev;
pub mod openrouter;

use refdesk_core::Usd;
use refdesk_core::item::{OtherPrice, Pricing};

/// Adds a price by a meter that has no field of its own, where there is one.
fn push_other(pricing: &mut Pricing, meter: impl Into<String>, unit: &str, price: Option<Usd>) {
    if price.is_some() {
        pricing.other.push(OtherPrice { meter: meter.into(), unit: unit.to_owned(), price });
    }
}
