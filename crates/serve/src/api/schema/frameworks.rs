//! Answers of the framework search and of the framework router.

use refdesk_catalog::answer::RouterEval;
use refdesk_core::Stamp;
use refdesk_core::item::Prompt;
use serde::Serialize;
use utoipa::ToSchema;

use super::search::Matched;

/// A card in short.
#[derive(Serialize, ToSchema)]
pub struct CardSummary {
    pub id: String,
    pub display_name: String,
    pub vendor: Option<String>,
    pub status: refdesk_core::item::Status,
    pub trust_tier: refdesk_core::item::TrustTier,
    pub domain: refdesk_core::item::Domain,
    pub secondary_domains: Vec<refdesk_core::item::Domain>,
    pub summary: String,
    pub url: String,
    pub source_url: String,
    pub evidence_key: String,
    pub last_synced_at: Option<Stamp>,
    pub last_verified_at: Option<Stamp>,
    pub stale: bool,
    /// Comparable within one answer only.
    pub score: f64,
}

/// A card found by a framework search.
#[derive(Serialize, ToSchema)]
pub struct FrameworkHit {
    #[serde(flatten)]
    pub card: CardSummary,
    pub matched: Vec<Matched>,
    pub snippet: Option<String>,
    #[schema(required = false)]
    pub prompt: Option<Prompt>,
}

/// Card summaries, best first.
#[derive(Serialize, ToSchema)]
pub struct FrameworkSearchAnswer {
    pub query: String,
    pub domain: Option<refdesk_core::item::Domain>,
    pub include_candidates: bool,
    pub include_prompt: bool,
    pub limit: usize,
    pub count: usize,
    pub total: usize,
    pub frameworks: Vec<FrameworkHit>,
    pub suggestions: Vec<String>,
    pub warnings: Vec<String>,
    pub catalog_revision: String,
}

/// Words of the question that a field of the card answers to.
#[derive(Serialize, ToSchema)]
pub struct RouteReason {
    pub field: String,
    pub terms: Vec<String>,
}

/// The card that fits.
#[derive(Serialize, ToSchema)]
pub struct RouteSelected {
    #[serde(flatten)]
    pub card: CardSummary,
    /// Calibrated: of answers with 0.8 about 8 in 10 are right.
    pub confidence: f64,
    pub reasons: Vec<RouteReason>,
}

/// A card that fits less.
#[derive(Serialize, ToSchema)]
pub struct RouteAlternative {
    pub id: String,
    pub display_name: String,
    pub domain: refdesk_core::item::Domain,
    pub score: f64,
    pub why_not: Option<String>,
    pub stale: bool,
    pub url: String,
}

/// How the question was routed.
#[derive(Serialize, ToSchema)]
pub struct RouteMeta {
    pub algorithm: String,
    pub mode: String,
    pub catalog_revision: String,
    /// The last evaluation of exactly this set of cards; null when there is none.
    pub eval: Option<RouterEval>,
}

/// The router's answer.
#[derive(Serialize, ToSchema)]
pub struct RouteAnswer {
    pub query: String,
    pub domain: Option<refdesk_core::item::Domain>,
    pub include_candidates: bool,
    /// `match`, `ambiguous` or `no_match`.
    pub decision: String,
    pub selected: Option<RouteSelected>,
    pub alternatives: Vec<RouteAlternative>,
    pub clarifying_question: Option<String>,
    pub router: RouteMeta,
    #[schema(required = false)]
    pub warnings: Vec<String>,
}
