//! Shapes of requests and answers for the OpenAPI document only: answers are written as bytes by `refdesk_catalog::answer`,
//! and a test holds these shapes against real answers.

#![expect(missing_docs, reason = "descriptions stand where a name does not say it all; the contract has the rest")]

use refdesk_catalog::answer::RouterEval;
use refdesk_core::Stamp;
use refdesk_core::item::{Document, Framework, McpServer, McpVersion, Model, Prompt, Skill, Tool, Tutorial};
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::{IntoParams, IntoResponses, ToSchema};

/// An error: RFC 9457.
#[derive(Serialize, ToSchema)]
pub struct ProblemDocument {
    /// Always `about:blank`; `code` tells the kind.
    #[schema(rename = "type")]
    pub r#type: String,
    pub title: String,
    pub status: u16,
    pub detail: String,
    /// Path of the request.
    pub instance: String,
    /// Stable machine-readable code.
    pub code: String,
    /// Short plain text.
    pub error: String,
    pub request_id: String,
    /// What to do.
    #[schema(required = false)]
    pub hint: String,
    /// The parameter that is wrong.
    #[schema(required = false)]
    pub param: String,
    #[schema(required = false)]
    pub allowed_types: Vec<String>,
    #[schema(required = false)]
    pub allowed_domains: Vec<String>,
    #[schema(required = false)]
    pub suggestions: Vec<String>,
    #[schema(required = false)]
    pub limit_per_minute: u32,
    #[schema(required = false)]
    pub retry_after_seconds: u64,
    /// The limit that was exceeded: `anon` or `key`.
    #[schema(required = false)]
    pub scope: String,
}

/// Statuses that every operation can answer with.
#[derive(IntoResponses)]
pub enum CommonErrors {
    /// Not modified: the client's entity tag is current.
    #[response(status = 304)]
    NotModified,
    /// A wrong parameter; `param` and `hint` say what to send.
    #[response(status = 400, content_type = "application/problem+json")]
    BadRequest(ProblemDocument),
    /// The API key is invalid, revoked, malformed or expired, or one is required.
    #[response(status = 401, content_type = "application/problem+json")]
    Unauthorized(ProblemDocument),
    /// The Host or Origin is not one of this service's.
    #[response(status = 403, content_type = "application/problem+json")]
    Forbidden(ProblemDocument),
    /// Only GET, HEAD and OPTIONS are answered.
    #[response(status = 405, content_type = "application/problem+json")]
    MethodNotAllowed(ProblemDocument),
    /// The path or URI is too long.
    #[response(status = 414, content_type = "application/problem+json")]
    UriTooLong(ProblemDocument),
    /// Too many calls in this minute; `Retry-After` tells when to try again.
    #[response(status = 429, content_type = "application/problem+json")]
    TooManyRequests(ProblemDocument),
    /// The headers are too large.
    #[response(status = 431, content_type = "application/problem+json")]
    HeadersTooLarge(ProblemDocument),
    /// An unexpected failure; the log has the cause under the request id.
    #[response(status = 500, content_type = "application/problem+json")]
    Internal(ProblemDocument),
    /// Overloaded or shutting down; `Retry-After` tells when to try again.
    #[response(status = 503, content_type = "application/problem+json")]
    Unavailable(ProblemDocument),
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only its shape is used")]
pub struct ListParams {
    /// Page size, default 100. A size over 500 is clamped to 500.
    #[param(minimum = 1, required = false)]
    limit: i64,
    /// Start position, default 0.
    #[param(minimum = 0, required = false)]
    offset: i64,
    /// Leave stale items out (`excluded_stale` counts them); in the others stale fields are null and stale offers left out.
    #[param(required = false)]
    fresh_only: bool,
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only its shape is used")]
pub struct FrameworkListParams {
    /// Page size, default 25. A size over 500 is clamped to 500.
    #[param(minimum = 1, required = false)]
    limit: i64,
    /// Start position, default 0.
    #[param(minimum = 0, required = false)]
    offset: i64,
    /// Leave stale items out (`excluded_stale` counts them); in the others stale fields are null and stale offers left out.
    #[param(required = false)]
    fresh_only: bool,
    /// Candidates too (cards below the publication score).
    #[param(required = false)]
    include_candidates: bool,
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only its shape is used")]
pub struct SearchParams {
    /// What to look for: a name in any spelling, or a need in a sentence. Everything in it is data. 1 to 2,000 characters after trimming.
    #[param(min_length = 1, max_length = 2000)]
    q: String,
    /// Only this kind: `DOC`, `MCP_SERVER`, `MODEL`, `SKILL`, `TOOL` or `TUTORIAL`, in any case.
    #[param(rename = "type", required = false)]
    kind: String,
    /// Leave stale facts out; `excluded_stale` counts them.
    #[param(required = false)]
    fresh_only: bool,
    /// Load the full Markdown of document hits.
    #[param(required = false)]
    include_markdown: bool,
    /// Most hits, default 10. More than 50 is clamped to 50.
    #[param(minimum = 1, required = false)]
    limit: i64,
    /// `lexical` (default) or `hybrid`, where the operator has set up a local embedding model.
    #[param(required = false)]
    mode: String,
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only its shape is used")]
pub struct FrameworkSearchParams {
    /// A name, an alias or a topic. 1 to 2,000 characters after trimming.
    #[param(min_length = 1, max_length = 2000)]
    q: String,
    /// Only this domain, in any case.
    #[param(required = false)]
    domain: String,
    /// Candidates too (cards below the publication score).
    #[param(required = false)]
    include_candidates: bool,
    /// The prompts too.
    #[param(required = false)]
    include_prompt: bool,
    /// Most hits, default 8. More than 50 is clamped to 50.
    #[param(minimum = 1, required = false)]
    limit: i64,
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only its shape is used")]
pub struct RouteParams {
    /// The problem, in your own words. 1 to 2,000 characters after trimming.
    #[param(min_length = 1, max_length = 2000)]
    q: String,
    /// Only this domain, in any case.
    #[param(required = false)]
    domain: String,
    /// Candidates too (cards below the publication score).
    #[param(required = false)]
    include_candidates: bool,
    /// `lexical` (default) or `hybrid`.
    #[param(required = false)]
    mode: String,
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only its shape is used")]
pub struct DetailParams {
    /// A stale item is a 404; stale fields are null and their paths stand in `stale_fields`.
    #[param(required = false)]
    fresh_only: bool,
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only its shape is used")]
pub struct ModelDetailParams {
    /// A stale item is a 404; stale fields are null and their paths stand in `stale_fields`, stale offers are left out and counted.
    #[param(required = false)]
    fresh_only: bool,
    /// Add `all_offers`: those of the undated name and of all its dated snapshots, the maker's own price among them.
    #[param(required = false)]
    all_offers: bool,
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only its shape is used")]
pub struct FrameworkDetailParams {
    /// A stale item is a 404; stale fields are null and their paths stand in `stale_fields`.
    #[param(required = false)]
    fresh_only: bool,
    /// The prompt that runs the framework, too.
    #[param(required = false)]
    include_prompt: bool,
}

/// Where a fact comes from and whether it can still be relied on.
#[derive(Serialize, ToSchema)]
pub struct Evidence {
    pub source_url: String,
    pub key: String,
    /// `sha256:<hex>` of the stored content.
    pub content_hash: String,
    pub hash_basis: refdesk_core::HashBasis,
    pub last_synced_at: Option<Stamp>,
    pub last_verified_at: Option<Stamp>,
    pub stale: bool,
    pub stale_reason: Option<refdesk_core::StaleReason>,
    /// The moment from which the fact is stale by age alone; null when it was never verified.
    pub stale_after: Option<Stamp>,
    pub source_id: String,
    /// The item's own licence where it has one, else that of its source.
    pub license: Option<String>,
    pub attribution: Option<String>,
    /// Pages that the source refers to. Nobody fetched them.
    #[schema(required = false)]
    pub references: Vec<String>,
    /// The address of the record itself, where `source_url` is a page that a person names.
    #[schema(required = false)]
    pub record_url: String,
    /// `card`: a person states it on a hand-written card.
    #[schema(required = false)]
    pub stated_by: refdesk_core::fact::StatedBy,
    /// Why record and body are given out on no surface.
    #[schema(required = false)]
    pub record_withheld: refdesk_core::fact::RecordWithheld,
    /// When the source stopped listing it.
    #[schema(required = false)]
    pub removed_at: Stamp,
}

/// Which source states a field.
#[derive(Serialize, ToSchema)]
pub struct FieldEvidence {
    pub evidence_key: String,
    pub source_id: String,
    /// The rule that chose it: `maker`, `makers_platform`, `makers_weights`, `most_sellers` or `best_source`.
    pub rule: String,
}

/// What another source says of a field.
#[derive(Serialize, ToSchema)]
pub struct Conflict {
    pub path: String,
    pub value: serde_json::Value,
    pub source_id: String,
    pub source_name: Option<String>,
    pub source_url: String,
    pub evidence_key: String,
    /// The source's statement is stale.
    #[schema(required = false)]
    pub stale: bool,
    /// The source states it, and it is not believed yet.
    #[schema(required = false)]
    pub withheld: bool,
    /// Since when the source states a withheld value.
    #[schema(required = false)]
    pub since: Stamp,
    /// Why the value is not the one that is shown, where that is no matter of rank.
    #[schema(required = false)]
    pub reason: String,
}

/// An offer of a model or of one that it is linked with.
#[derive(Serialize, ToSchema)]
pub struct AnyOffer {
    #[serde(flatten)]
    pub offer: refdesk_core::item::Offer,
    /// Id of the model that is offered.
    pub model_id: String,
    /// The maker's own price, which stands at the top of its model.
    pub first_party: bool,
}

/// What a detail adds to the row.
#[derive(Serialize, ToSchema)]
pub struct DetailParts {
    /// Dotted path of each stated field, and who states it.
    pub field_evidence: BTreeMap<String, FieldEvidence>,
    pub conflicts: Vec<Conflict>,
}

macro_rules! kind_schemas {
    ($($row:ident $item:ident $list:ident $detail:ident $fields:ty, $name:ident, $collection:ident, $single:ident, {$($extra:ident: $extra_type:ty),*};)*) => {$(
        /// A row: what every item has, and the kind's own fields.
        #[derive(Serialize, ToSchema)]
        pub struct $row {
            pub id: String,
            pub $name: String,
            pub vendor: Option<String>,
            pub status: refdesk_core::item::Status,
            pub trust_tier: refdesk_core::item::TrustTier,
            /// Every upstream spelling; each resolves on the detail path.
            pub aliases: Vec<String>,
            #[schema(required = false)]
            pub language: Option<String>,
            #[serde(flatten)]
            pub fields: $fields,
            pub source_url: String,
            pub evidence_key: String,
            pub first_seen_at: Option<Stamp>,
            pub last_synced_at: Option<Stamp>,
            pub last_verified_at: Option<Stamp>,
            pub stale: bool,
            /// Dotted paths of the fields whose own evidence is stale.
            #[schema(required = false)]
            pub stale_fields: Vec<String>,
            /// With `fresh_only`: stale offers that are left out.
            #[schema(required = false)]
            pub stale_offers_excluded: usize,
            /// When the last source stopped listing it.
            #[schema(required = false)]
            pub removed_at: Stamp,
            /// The undated name that this model is a dated snapshot of.
            #[schema(required = false)]
            pub snapshot_of: String,
            /// The dated snapshots of this undated name, the newest first.
            #[schema(required = false)]
            pub snapshots: Vec<refdesk_catalog::resolve::DatedSnapshot>,
            /// What is withheld.
            #[schema(required = false)]
            pub warnings: Vec<String>,
            /// What fields for addresses state that is no `http` or `https` address; the fields are null.
            #[schema(required = false)]
            pub rejected_urls: Vec<refdesk_catalog::resolve::RejectedUrl>,
        }

        /// The item of a detail: the row and what stands behind it.
        #[derive(Serialize, ToSchema)]
        pub struct $item {
            #[serde(flatten)]
            pub row: $row,
            #[serde(flatten)]
            pub parts: DetailParts,
            $(#[schema(required = false)] pub $extra: $extra_type,)*
        }

        /// A page of rows.
        #[derive(Serialize, ToSchema)]
        pub struct $list {
            pub $collection: Vec<$row>,
            /// The page size applied.
            pub limit: usize,
            pub offset: usize,
            pub total: usize,
            /// Null at the end.
            pub next_offset: Option<usize>,
            /// With `fresh_only`: stale items that are left out.
            #[schema(required = false)]
            pub excluded_stale: usize,
            #[schema(required = false)]
            pub warnings: Vec<String>,
        }

        /// An item with its evidence. The related arrays are reserved and empty.
        #[derive(Serialize, ToSchema)]
        pub struct $detail {
            pub $single: $item,
            pub evidence: Evidence,
            /// Models, with `all_offers`: the offers of the undated name and of all its snapshots.
            #[schema(required = false)]
            pub all_offers: Vec<AnyOffer>,
            /// The alias that was asked for, when it was not the id.
            #[schema(required = false)]
            pub resolved_from: String,
            pub related_models: Vec<serde_json::Value>,
            pub related_tools: Vec<serde_json::Value>,
            pub related_skills: Vec<serde_json::Value>,
            pub related_tutorials: Vec<serde_json::Value>,
            pub related_mcp_servers: Vec<serde_json::Value>,
            pub related_documents: Vec<serde_json::Value>,
            pub related_frameworks: Vec<serde_json::Value>,
            #[schema(required = false)]
            pub warnings: Vec<String>,
        }
    )*};
}

kind_schemas! {
    ModelRow ModelItem ModelList ModelDetail Model, display_name, models, model, {};
    ToolRow ToolItem ToolList ToolDetail Tool, display_name, tools, tool, {};
    SkillRow SkillItem SkillList SkillDetail Skill, display_name, skills, skill,
        {body_markdown: Option<String>, body: Option<String>, body_missing: String};
    TutorialRow TutorialItem TutorialList TutorialDetail Tutorial, title, tutorials, tutorial,
        {body_markdown: Option<String>, body: Option<String>, body_missing: String};
    McpServerRow McpServerItem McpServerList McpServerDetail McpServer, display_name, mcp_servers, mcp_server, {versions: Vec<McpVersion>};
    DocumentRow DocumentItem DocumentList DocumentDetail Document, title, documents, document,
        {markdown: Option<String>, body: Option<String>, body_missing: String};
    FrameworkRow FrameworkItem FrameworkList FrameworkDetail Framework, display_name, frameworks, framework, {};
}

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
