//! Answers of compare, cost, resolve and conflicts.

use std::collections::BTreeMap;

use refdesk_core::{Stamp, Usd};
use serde::Serialize;
use utoipa::ToSchema;

/// Items side by side.
#[derive(Serialize, ToSchema)]
pub struct CompareAnswer {
    #[serde(rename = "type")]
    pub kind: String,
    /// The items, in the order of the values.
    pub ids: Vec<String>,
    /// What names no item.
    pub unresolved: Vec<String>,
    pub rows: Vec<ComparedField>,
    /// By id.
    pub evidence: BTreeMap<String, ComparedEvidence>,
    pub warnings: Vec<String>,
}

/// A field of all compared items.
#[derive(Serialize, ToSchema)]
pub struct ComparedField {
    /// Dotted path in a row; the name of a field that is told from several, or of a price above a size of prompt
    /// (`pricing.tiers.200000.input`).
    pub path: String,
    pub label: String,
    pub unit: Option<String>,
    pub group: String,
    /// One for each id; null is unknown.
    pub values: Vec<serde_json::Value>,
    pub differs: bool,
    /// Positions of the lowest price or highest limit, where known values differ; never a stale value beside a fresh one.
    pub best: Vec<usize>,
    /// Positions of values that are stale though their items are not; `evidence` tells which items are.
    pub stale: Vec<usize>,
}

/// Where a compared item is read, and how old it is.
#[derive(Serialize, ToSchema)]
pub struct ComparedEvidence {
    pub source_url: String,
    pub evidence_key: String,
    pub last_synced_at: Option<Stamp>,
    pub last_verified_at: Option<Stamp>,
    pub stale: bool,
}

/// What requests cost.
#[derive(Serialize, ToSchema)]
pub struct CostAnswer {
    /// Id of the model.
    pub model: String,
    pub request: CostRequest,
    pub sellers: Vec<SellerCost>,
    pub warnings: Vec<String>,
}

/// The request that is priced, as it was understood.
#[derive(Serialize, ToSchema)]
pub struct CostRequest {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cache_read_tokens: u64,
    pub cache_write_tokens: u64,
    pub reasoning_tokens: u64,
    pub requests: u64,
    pub batch: bool,
}

/// What one seller asks for.
#[derive(Serialize, ToSchema)]
pub struct SellerCost {
    pub seller: Option<String>,
    pub api_model_id: Option<String>,
    /// The maker's own price.
    pub first_party: bool,
    /// Null when a price is missing.
    pub total: Option<Usd>,
    pub currency: String,
    pub lines: Vec<CostLine>,
    /// The tier whose prices count: that of the whole prompt.
    pub tier: Option<CostTier>,
    /// Meters of which no price is known; `subscription` where a plan includes the model, whose prices are then 0.
    pub missing: Vec<String>,
    /// No price is missing.
    pub comparable: bool,
    pub stale: bool,
    pub evidence_key: Option<String>,
}

/// What one meter costs.
#[derive(Serialize, ToSchema)]
pub struct CostLine {
    pub meter: String,
    /// Of all requests.
    pub tokens: u64,
    pub price_per_1m: Usd,
    pub amount: Usd,
}

/// A tier of prices.
#[derive(Serialize, ToSchema)]
pub struct CostTier {
    pub above_context_tokens: u64,
}

/// What spellings name.
#[derive(Serialize, ToSchema)]
pub struct ResolveAnswer {
    /// In the order asked.
    pub results: Vec<Resolution>,
    pub warnings: Vec<String>,
}

/// What a spelling names.
#[derive(Serialize, ToSchema)]
pub struct Resolution {
    pub query: String,
    /// `exact`, `alias`, `fuzzy`, `ambiguous` or `unknown`.
    pub status: String,
    /// 0 to 1.
    pub confidence: f64,
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub id: Option<String>,
    pub display_name: Option<String>,
    pub url: Option<String>,
    /// The seller that uses this id for the model, if only one does.
    pub seller: Option<String>,
    /// That id.
    pub api_model_id: Option<String>,
    /// The undated name that the model is a snapshot of.
    pub snapshot_of: Option<String>,
    /// The newest dated snapshot of the name.
    pub snapshot: Option<String>,
    /// The date of that snapshot: no source states since when, or whether, the name points to it.
    pub alias_since: Option<String>,
    /// What else it may name.
    pub candidates: Vec<Candidate>,
}

/// What a spelling may name.
#[derive(Serialize, ToSchema)]
pub struct Candidate {
    #[serde(rename = "type")]
    pub kind: String,
    pub id: String,
    /// 0 to 1.
    pub confidence: f64,
}

/// A page of disagreements.
#[derive(Serialize, ToSchema)]
pub struct ConflictsAnswer {
    pub conflicts: Vec<Disagreement>,
    pub limit: usize,
    pub offset: usize,
    pub total: usize,
    /// Null at the end.
    pub next_offset: Option<usize>,
    pub warnings: Vec<String>,
}

/// A field that sources disagree on.
#[derive(Serialize, ToSchema)]
pub struct Disagreement {
    #[serde(rename = "type")]
    pub kind: String,
    pub id: String,
    /// Dotted path in the row.
    pub path: String,
    /// The value shown.
    #[schema(value_type = Value, nullable)]
    pub value: serde_json::Value,
    /// Who states it.
    pub source_id: Option<String>,
    /// The rule that chose it.
    pub rule: Option<String>,
    pub evidence_key: Option<String>,
    pub last_verified_at: Option<Stamp>,
    pub stale: Option<bool>,
    pub others: Vec<OtherValue>,
}

/// What another source states.
#[derive(Serialize, ToSchema)]
pub struct OtherValue {
    #[schema(value_type = Value, nullable)]
    pub value: serde_json::Value,
    pub source_id: String,
    pub evidence_key: String,
    pub last_verified_at: Option<Stamp>,
    pub stale: Option<bool>,
    /// By how many percent a number differs from the value shown.
    pub percent: Option<f64>,
    /// It is not believed yet.
    pub withheld: bool,
    pub reason: Option<String>,
    /// Since when its source states it, where it is withheld.
    pub since: Option<Stamp>,
}
