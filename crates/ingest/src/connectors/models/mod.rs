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

/// Words of single sources for a modality, and what it is called here: `OpenRouter`'s files are those that others call by their format.
const MODALITIES: [(&str, &str); 2] = [("file", "pdf"), ("embeddings", "embedding")];

/// What a list says that a model takes or gives, in the words that filters know, which are of lower case.
fn modalities(record: &Map<String, Value>, field: &str, left_out: &LeftOut) -> Vec<String> {
    let words = texts_or_counted(record, field, left_out);
    distinct(words.iter().map(|word| {
        let word = word.to_lowercase();
        let known = MODALITIES.iter().find(|(own, _)| *own == word);
        known.map_or(word, |(_, known)| (*known).to_owned())
    }))
}

/// Beginnings of words in names of models that do neither chat nor complete texts, and their modes.
const NAMED_MODES: [(&str, &str); 2] = [("embed", "embedding"), ("rerank", "rerank")];

/// The mode that a name of a model says, where its source has no field for it: `nv-embed-v1`, `qwen3-reranker-8b`.
fn mode_in_name(name: &str) -> Option<String> {
    let name = name.to_lowercase();
    let mut words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.starts_with("embedded"));
    let mode = words.find_map(|word| NAMED_MODES.iter().find(|(front, _)| word.starts_with(front)));
    mode.map(|(_, mode)| (*mode).to_owned())
}
