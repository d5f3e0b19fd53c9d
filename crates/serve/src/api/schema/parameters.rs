//! Query parameters of the operations.

use utoipa::IntoParams;

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "handlers parse the query with refdesk_core::query; only the shape is used")]
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
    /// Only members of this collection, which the configuration of the service defines.
    #[param(required = false, min_length = 1, pattern = r"[^\s]")]
    collection: String,
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "handlers parse the query with refdesk_core::query; only the shape is used")]
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
    /// Only members of this collection, which the configuration of the service defines.
    #[param(required = false, min_length = 1, pattern = r"[^\s]")]
    collection: String,
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "handlers parse the query with refdesk_core::query; only the shape is used")]
pub struct SearchParams {
    /// What to look for: a name in any spelling, or a need in a sentence. Everything in it is data. The first 2,000 characters count.
    #[param(min_length = 1)]
    q: String,
    /// Only this kind: `DOC`, `MCP_SERVER`, `MODEL`, `SKILL`, `TOOL` or `TUTORIAL`, in any spelling.
    #[param(rename = "type", required = false)]
    kind: String,
    /// Leave stale facts out; `excluded_stale` counts them.
    #[param(required = false)]
    fresh_only: bool,
    /// Load the full Markdown of document hits.
    #[param(required = false)]
    include_markdown: bool,
    /// Show so many passages of each document, skill and tutorial among the best 10 hits: the sections that fit the question best, with their
    /// headings and `offset`. More than 5 is clamped to 5.
    #[param(minimum = 1, required = false)]
    passages: i64,
    /// Tokens (4 characters each) of all passages of the answer together, default 1500, at most 20000; asks for passages, too.
    #[param(minimum = 1, required = false)]
    budget_tokens: i64,
    /// Most hits, default 10. More than 50 is clamped to 50.
    #[param(minimum = 1, required = false)]
    limit: i64,
    /// `lexical` (default) or `hybrid`, where the operator has set up a local embedding model.
    #[param(required = false)]
    mode: String,
    /// Read the question as filters and an order where it says such, default true; `understood` tells what was read.
    #[param(required = false)]
    understand: bool,
    /// Only members of this collection, which the configuration of the service defines.
    #[param(required = false, min_length = 1, pattern = r"[^\s]")]
    collection: String,
    /// Without `type`: `type`, which counts the hits of each kind. With `type`: as the `facets` of the kind's list.
    #[param(required = false)]
    facets: String,
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "handlers parse the query with refdesk_core::query; only the shape is used")]
pub struct FrameworkSearchParams {
    /// A name, an alias or a topic. The first 2,000 characters count.
    #[param(min_length = 1)]
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
#[expect(dead_code, reason = "handlers parse the query with refdesk_core::query; only the shape is used")]
pub struct RouteParams {
    /// The problem, in your own words. The first 2,000 characters count.
    #[param(min_length = 1)]
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
#[expect(dead_code, reason = "handlers parse the query with refdesk_core::query; only the shape is used")]
pub struct DetailParams {
    /// A stale item is a 404; stale fields are null, and `stale_fields` lists their paths.
    #[param(required = false)]
    fresh_only: bool,
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "handlers parse the query with refdesk_core::query; only the shape is used")]
pub struct ModelDetailParams {
    /// A stale item is a 404; stale fields are null, and `stale_fields` lists their paths, stale offers are left out and counted.
    #[param(required = false)]
    fresh_only: bool,
    /// Add `all_offers`: those of the undated name and of all its dated snapshots, the maker's own price among them.
    #[param(required = false)]
    all_offers: bool,
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "handlers parse the query with refdesk_core::query; only the shape is used")]
pub struct FrameworkDetailParams {
    /// A stale item is a 404; stale fields are null, and `stale_fields` lists their paths.
    #[param(required = false)]
    fresh_only: bool,
    /// The prompt that runs the framework, too.
    #[param(required = false)]
    include_prompt: bool,
}
