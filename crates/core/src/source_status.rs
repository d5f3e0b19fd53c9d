//! The status of a source: what ingest makes of the stored state, the figures and the clock, and `/v1/sources/status`, the metrics and the
//! command line show.

use serde::Serialize;

use crate::Stamp;

/// State of a source, as `/v1/sources/status` shows it: `docs/api.md#health-and-sources`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[expect(missing_docs, reason = "each field is described by its name in docs/api.md")]
pub struct SourceStatus {
    pub id: String,
    pub name: String,
    /// The connector.
    pub kind: String,
    /// Without credentials.
    pub url: String,
    pub license: Option<String>,
    /// Search types of what it states.
    pub types: Vec<String>,
    pub enabled: bool,
    /// Why it is off, or what to do about it when it is not configured.
    pub disabled_reason: Option<String>,
    pub status: StatusWord,
    pub last_attempt_at: Option<Stamp>,
    pub last_synced_at: Option<Stamp>,
    pub last_verified_at: Option<Stamp>,
    pub next_due_at: Option<Stamp>,
    pub refresh_due: bool,
    pub interval_seconds: u64,
    pub consecutive_failures: u32,
    pub content_hash: Option<String>,
    pub http_status: Option<u16>,
    pub error: Option<SourceFault>,
    pub counts: SourceCounts,
}

crate::closed_set! {
    /// Where a source stands.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
    #[serde(rename_all = "snake_case")]
    #[expect(missing_docs, reason = "each field is described by its name in docs/api.md")]
    #[schema(as = SourceState)]
    pub enum StatusWord {
        Never => "never",
        Syncing => "syncing",
        Ok => "ok",
        Failed => "failed",
        Quarantined => "quarantined",
        Disabled => "disabled",
        /// Not configured, though the store has facts of it.
        Orphaned => "orphaned",
    }
}

/// Why the last attempt failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[expect(missing_docs, reason = "each field is described by its name in docs/api.md")]
pub struct SourceFault {
    pub code: String,
    pub message: String,
    pub at: Option<Stamp>,
}

/// Counts of a source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[expect(missing_docs, reason = "each field is described by its name in docs/api.md")]
pub struct SourceCounts {
    pub total: usize,
    pub added: usize,
    pub changed: usize,
    pub removed: usize,
    /// Facts that are held back because the source's new state could not be taken.
    pub quarantined: usize,
    /// Prices that are stated but not believed yet; `refdesk sources review` lists them.
    pub withheld: usize,
    pub stale: usize,
    /// Upstream records that could not become facts; `refdesk sources show ID --rejects` lists them.
    pub rejects: usize,
    /// The same number as `rejects`.
    pub rejected: usize,
    /// Entries of the upstream that are not items; `refdesk sources show ID` names them.
    pub left_out: usize,
    /// Values of facts that no field shows, such as a price below zero; `refdesk sources show ID` names them.
    pub unshown: usize,
    /// Items that an independent count of the upstream found, less all that is accounted for; 0 when nothing is missing.
    pub uncounted: i64,
}
