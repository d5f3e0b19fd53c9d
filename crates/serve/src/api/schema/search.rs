//! Answers of `/v1/search`.

use refdesk_core::Stamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::evidence::Evidence;

/// How a hit matched.
#[derive(Serialize, ToSchema)]
pub struct Matched {
    /// `id`, `name`, `alias`, `title`, `description`, `keywords`, `headings`, `body` or `tools`.
    pub field: String,
    /// `exact`, `alias`, `fuzzy`, `text` or `semantic`.
    pub how: String,
}

/// A search hit.
#[derive(Serialize, ToSchema)]
pub struct SearchHit {
    #[schema(rename = "type")]
    pub r#type: String,
    pub id: String,
    #[schema(required = false)]
    pub display_name: String,
    #[schema(required = false)]
    pub title: String,
    pub vendor: Option<String>,
    pub status: refdesk_core::item::Status,
    pub trust_tier: refdesk_core::item::TrustTier,
    /// Null when it is stale and `fresh_only` was asked for.
    pub summary: Option<String>,
    /// The best passage, escaped, with the terms in `<mark>`.
    pub snippet: Option<String>,
    /// Comparable within one answer only.
    pub score: f64,
    pub matched: Vec<Matched>,
    pub url: String,
    pub source_url: String,
    pub evidence_key: String,
    pub last_synced_at: Option<Stamp>,
    pub last_verified_at: Option<Stamp>,
    pub stale: bool,
    pub evidence: Evidence,
    #[schema(required = false)]
    pub markdown: String,
}

/// Hits, best first.
#[derive(Serialize, ToSchema)]
pub struct SearchAnswer {
    pub query: String,
    #[schema(rename = "type")]
    pub r#type: Option<String>,
    pub fresh_only: bool,
    pub include_markdown: bool,
    pub mode: String,
    /// The size applied.
    pub limit: usize,
    pub count: usize,
    pub total: usize,
    pub results: Vec<SearchHit>,
    /// "Did you mean": near names, when little was found.
    pub suggestions: Vec<String>,
    pub excluded_stale: usize,
    pub warnings: Vec<String>,
    pub catalog_revision: String,
}
