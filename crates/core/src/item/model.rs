//! Models: limits, modalities, capabilities, exact prices, and the offers of other sellers.

use serde::{Deserialize, Serialize};

use super::Status;
use crate::{Stamp, Usd};

/// A model as one source states it, or as resolution merged it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Model {
    /// Family of models, such as `claude-sonnet`.
    pub family: Option<String>,
    /// What it is, in a sentence or two.
    pub description: Option<String>,
    /// `YYYY-MM-DD` or `YYYY-MM`.
    pub released_on: Option<String>,
    /// When it was or will be deprecated.
    pub deprecated_on: Option<String>,
    /// When it stops answering.
    pub retires_on: Option<String>,
    /// Last month or day of its training data.
    pub knowledge_cutoff: Option<String>,
    /// Whether the weights can be downloaded.
    pub open_weights: Option<bool>,
    /// License of the weights.
    pub license: Option<String>,
    /// Token limits.
    pub limits: Limits,
    /// What goes in and what comes out.
    pub modalities: Modalities,
    /// What it can do; null where no source says.
    pub capabilities: Capabilities,
    /// The maker's own first-party price; null where the maker sells none or no source tells it.
    pub pricing: Option<Pricing>,
    /// The same model sold by other providers.
    pub offers: Vec<Offer>,
    /// `chat`, `embedding`, `image`, `audio`, `rerank`, …
    pub mode: Option<String>,
}

/// Token limits.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Whole context window.
    pub context_tokens: Option<u64>,
    /// Most tokens in the input.
    pub input_tokens: Option<u64>,
    /// Most tokens in the output.
    pub output_tokens: Option<u64>,
}

/// What goes in and what comes out, in the words of [`Modalities::WORDS`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Modalities {
    /// Accepted inputs; empty when unknown.
    pub input: Vec<String>,
    /// Produced outputs; empty when unknown.
    pub output: Vec<String>,
}

impl Modalities {
    /// The words for modalities, as filters take them.
    pub const WORDS: [&'static str; 8] = ["text", "image", "audio", "video", "pdf", "file", "code", "embedding"];

    /// The word that a modality is compared, filtered and counted by: what `OpenRouter` calls files, others call by their format.
    pub fn in_one_word(word: &str) -> &str {
        if word == "file" { "pdf" } else { word }
    }
}

/// What a model can do: `true`, `false`, or null where no source says.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Capabilities {
    /// Thinks before it answers.
    pub reasoning: Option<bool>,
    /// Calls tools.
    pub tool_call: Option<bool>,
    /// Answers in a given JSON schema.
    pub structured_output: Option<bool>,
    /// Takes files or images.
    pub attachments: Option<bool>,
    /// Reuses a cached prefix at a lower price.
    pub prompt_caching: Option<bool>,
    /// Takes batches.
    pub batch: Option<bool>,
    /// Streams its answer.
    pub streaming: Option<bool>,
    /// Takes a temperature.
    pub temperature: Option<bool>,
}

impl Capabilities {
    /// The names of the fields, as filters take them.
    pub const WORDS: [&'static str; 8] = [
        "reasoning",
        "tool_call",
        "structured_output",
        "attachments",
        "prompt_caching",
        "batch",
        "streaming",
        "temperature",
    ];
}

/// Exact prices in USD per 1,000,000 tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Pricing {
    /// Always `USD`.
    pub currency: String,
    /// Always `1M_tokens`; other meters stand in `other`.
    pub unit: String,
    /// Input tokens.
    pub input: Option<Usd>,
    /// Output tokens.
    pub output: Option<Usd>,
    /// Input tokens read from the cache.
    pub cache_read: Option<Usd>,
    /// Input tokens written to the cache.
    pub cache_write: Option<Usd>,
    /// Reasoning tokens where priced apart.
    pub reasoning: Option<Usd>,
    /// Audio input tokens.
    pub input_audio: Option<Usd>,
    /// Audio output tokens.
    pub output_audio: Option<Usd>,
    /// Input tokens in a batch.
    pub batch_input: Option<Usd>,
    /// Output tokens in a batch.
    pub batch_output: Option<Usd>,
    /// Prices above a size of context, smallest first.
    pub tiers: Vec<PriceTier>,
    /// Prices by another meter: an image, a second, a query.
    pub other: Vec<OtherPrice>,
}

impl Default for Pricing {
    fn default() -> Self {
        Self {
            currency: "USD".into(),
            unit: "1M_tokens".into(),
            input: None,
            output: None,
            cache_read: None,
            cache_write: None,
            reasoning: None,
            input_audio: None,
            output_audio: None,
            batch_input: None,
            batch_output: None,
            tiers: Vec::new(),
            other: Vec::new(),
        }
    }
}

impl Pricing {
    /// True when no price at all is stated.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// `None` when no price at all is stated: unknown is null, not an object of nulls.
    pub fn or_unknown(self) -> Option<Self> {
        (!self.is_empty()).then_some(self)
    }
}

/// Prices that hold above a size of context.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PriceTier {
    /// The tier holds for requests with more tokens of context than this.
    pub above_context_tokens: u64,
    /// Input tokens.
    pub input: Option<Usd>,
    /// Output tokens.
    pub output: Option<Usd>,
    /// Input tokens read from the cache.
    pub cache_read: Option<Usd>,
    /// Input tokens written to the cache.
    pub cache_write: Option<Usd>,
}

/// A price by a meter other than tokens.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OtherPrice {
    /// What is metered: `input_image`, `output_video`, `web_search`, …
    pub meter: String,
    /// The unit: `image`, `second`, `character`, `query`, `request`, `page`, `1M_tokens`, …
    pub unit: String,
    /// Price per unit.
    pub price: Option<Usd>,
}

/// The same model sold by another provider.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Offer {
    /// The seller, as its source calls it.
    pub provider: String,
    /// The id to send to the seller's API, verbatim.
    pub api_model_id: String,
    /// The seller's limits.
    pub limits: Limits,
    /// The seller's prices.
    pub pricing: Option<Pricing>,
    /// Where the source says so.
    pub source_url: Option<String>,
    /// The lifecycle status of the offer, by its own source's word and dates.
    pub status: Status,
    /// When the seller deprecates it, where its source says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub deprecated_on: Option<String>,
    /// When the seller stops serving it, where its source says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub retires_on: Option<String>,
    /// When the source stopped listing it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub removed_at: Option<Stamp>,
    /// When these bytes were last taken from the source.
    pub last_synced_at: Option<Stamp>,
    /// When the source was last seen to say so.
    pub last_verified_at: Option<Stamp>,
    /// Whether that is too long ago, or the source no longer says so.
    pub stale: bool,
    /// The source that states the offer.
    pub source_id: Option<String>,
    /// Key of its evidence.
    pub evidence_key: Option<String>,
}
