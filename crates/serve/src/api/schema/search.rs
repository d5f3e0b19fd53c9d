//! Answers of `/v1/search`.

use std::collections::BTreeMap;

use refdesk_core::Stamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::evidence::Evidence;
use super::kinds::FacetCounts;

/// How a hit matched.
#[derive(Serialize, ToSchema)]
pub struct Matched {
    /// `id`, `name`, `alias`, `title`, `description`, `keywords`, `headings`, `body` or `tools`.
    pub field: String,
    /// `exact`, `alias`, `fuzzy`, `text`, `synonym` or `semantic`.
    pub how: String,
}

/// A search hit.
#[derive(Serialize, ToSchema)]
pub struct SearchHit {
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
    /// Documents and tutorials: the language that they are written in, where it is known.
    #[schema(required = false)]
    pub language: String,
    /// Documents: ids of the same one in other versions and languages.
    #[schema(required = false)]
    pub variants: Vec<String>,
    #[schema(required = false)]
    pub markdown: String,
    /// With `passages`: of hits that have a full text.
    #[schema(required = false)]
    pub passages: Vec<Passage>,
}

/// A section of a full text that fits the question, or a piece of a long one.
#[derive(Serialize, ToSchema)]
pub struct Passage {
    /// The headings that it is under, the outermost first.
    pub headings: Vec<String>,
    /// Characters of the text before it, as `offset` of the MCP tool `read_document`.
    pub offset: usize,
    /// Its size: a token is 4 characters.
    pub tokens: usize,
    /// Comparable within one answer only; 0 where no section has a word of the question.
    pub score: f64,
    /// Markdown.
    pub text: String,
}

/// What was understood of a question.
#[derive(Serialize, ToSchema)]
pub struct Understood {
    /// The `type` that is meant.
    pub kind: Option<String>,
    /// Parameters of the list of that kind.
    pub filters: BTreeMap<String, String>,
    /// Its order.
    pub sort: Option<String>,
    /// Names that are compared; their items come first.
    pub compared: Vec<String>,
    /// What is searched for beyond that.
    pub rest: String,
    /// The equivalent list; null when the question is not a list.
    pub list_url: Option<String>,
}

/// A search of which `fields` chose the members of the hits.
#[derive(Serialize, ToSchema)]
pub struct ChosenHits {
    pub query: String,
    pub r#type: Option<String>,
    pub limit: usize,
    pub count: usize,
    pub total: usize,
    pub total_relation: String,
    pub warnings: Vec<String>,
    pub catalog_revision: String,
}

/// Hits, best first.
#[derive(Serialize, ToSchema)]
pub struct SearchAnswer {
    pub query: String,
    pub r#type: Option<String>,
    pub fresh_only: bool,
    pub include_markdown: bool,
    pub mode: String,
    /// The size applied.
    pub limit: usize,
    pub count: usize,
    pub total: usize,
    /// `eq`, or `gte` when there are at least that many.
    pub total_relation: String,
    /// Null when nothing in the question was understood.
    pub understood: Option<Understood>,
    pub results: Vec<SearchHit>,
    /// "Did you mean": names near what was typed, unless the first hit has this name.
    pub suggestions: Vec<String>,
    pub excluded_stale: usize,
    /// With `ids`: those that name nothing.
    #[schema(required = false)]
    pub unresolved: Vec<String>,
    /// With `facets`.
    #[schema(required = false)]
    pub facets: BTreeMap<String, FacetCounts>,
    pub warnings: Vec<String>,
    pub catalog_revision: String,
}
