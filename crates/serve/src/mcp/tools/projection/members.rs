//! The members of answers that are put into a model's context.

use refdesk_core::text::word_array;

/// Members of an item that hold its full text.
pub(super) const BODIES: [&str; 2] = ["markdown", "body_markdown"];
/// Where the prompt of a framework stands.
pub(super) const PROMPT: &str = "/framework/prompt";
/// Members of a hit.
pub(super) const HIT: [&str; 18] = word_array(
    "type id display_name title vendor domain status snippet limits pricing priced_by evidence_key stale stale_fields \
     cite_as markdown passages prompt",
);
/// Members of a row of a list.
pub(super) const ROW: [&str; 14] = word_array(
    "id display_name title vendor status description summary limits pricing license priced_by evidence_key stale \
     stale_fields",
);
/// Members of hits and rows that have a budget of their own.
pub(super) const TEXTS: [&str; 3] = ["markdown", "passages", "prompt"];
/// Limits and prices of a model in hits and rows.
pub(super) const LIMITS: [&str; 1] = ["context_tokens"];
pub(super) const PRICES: [&str; 3] = ["input", "output", "other"];
/// What all prices of an item have in common.
pub(super) const SAME_IN_ALL_PRICES: [&str; 2] = ["currency", "unit"];
/// Whose prices a row shows, and what the model is called there, with which it is bought.
pub(super) const PRICED_BY: [&str; 3] = ["seller", "api_model_id", "evidence_key"];
/// Members of an offer.
pub(super) const OFFER: [&str; 6] = ["provider", "api_model_id", "status", "pricing", "limits", "stale"];
/// Members of an item that its evidence says, too, or that only a program reads.
pub(super) const LEFT_OUT_OF_ITEM: [&str; 7] =
    ["field_evidence", "first_seen_at", "changed_at", "last_synced_at", "source_url", "evidence_key", "headings"];
/// Members of a conflict that say more of its source than its id does.
pub(super) const LEFT_OUT_OF_CONFLICT: [&str; 3] = ["source_name", "source_url", "evidence_key"];
/// Members of an evidence record.
pub(super) const EVIDENCE: [&str; 7] =
    ["key", "source_id", "source_url", "license", "last_verified_at", "stale", "stale_reason"];
/// Members of a source; the first so many when it is well.
pub(super) const SOURCE: [&str; 7] =
    ["id", "status", "last_synced_at", "last_verified_at", "last_attempt_at", "refresh_due", "error"];
pub(super) const SOURCE_IN_BRIEF: usize = 3;
/// Numbers of a search that are told although they are zero.
pub(super) const COUNTS: [&str; 2] = ["count", "total"];
/// Members of the answer to a search that repeat the question.
pub(super) const ECHOED: [&str; 9] =
    word_array("query type domain fresh_only include_markdown include_candidates include_prompt mode limit");
