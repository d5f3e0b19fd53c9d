//! Evidence: where a fact comes from, who states a field, and what other sources state.

use refdesk_core::Stamp;
use serde::Serialize;
use utoipa::ToSchema;

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
    /// When the fact turns stale by age alone; null when it was never verified.
    pub stale_after: Option<Stamp>,
    pub source_id: String,
    /// The item's own license where it has one, else that of its source.
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
    /// Why no surface gives out the record and body.
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
    /// The rule that chose it: `maker`, `makers_platform`, `makers_weights`, `most_sellers`, `undated_name` or `best_source`.
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
    /// The source states it, but it is not believed yet.
    #[schema(required = false)]
    pub withheld: bool,
    /// Since when the source states a withheld value.
    #[schema(required = false)]
    pub since: Stamp,
    /// Why this value is not the one shown, unless rank alone decided.
    #[schema(required = false)]
    pub reason: String,
}
