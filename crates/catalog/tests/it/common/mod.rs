//! What the tests of several files share.

use std::sync::Arc;

use refdesk_catalog::resolve::model::bare_name;
use refdesk_catalog::snapshot::{Input, Snapshot};
use refdesk_core::fact::{Identity, Provenance, SourceInfo, Standing, StoredFact, Text};
use refdesk_core::item::{Head, Status, TrustTier};
use refdesk_core::{HashBasis, Kind, Stamp};
use serde_json::Value;

/// 2026-09-21T13:33:20Z.
pub const NOW: Stamp = Stamp(1_790_000_000);
pub const DAY: i64 = 86_400;

/// What facts are at a time.
pub fn build_at(facts: &[StoredFact], sources: Vec<SourceInfo>, now: Stamp) -> Snapshot {
    Snapshot::build(&Input { facts, sources, now, generation: 1, before: None, texts: None })
}

/// A source without a licence, of the community.
pub fn source(id: &str, rank: i32, stale_after_secs: i64) -> SourceInfo {
    SourceInfo {
        id: id.into(),
        name: id.to_uppercase(),
        trust_tier: TrustTier::Community,
        rank,
        stale_after_secs,
        ..SourceInfo::default()
    }
}

/// A living fact that was seen first, synced and verified at one time; its key is its id and name too, and `fields` is an object.
pub fn stored(source: &str, kind: Kind, key: &str, fields: Value, at: Stamp) -> StoredFact {
    let Value::Object(fields) = fields else { unreachable!("fields are an object") };
    StoredFact {
        row: 0,
        statement: 0,
        source_id: Arc::from(source),
        kind,
        key: key.to_owned(),
        head: Head { id: key.into(), name: key.into(), status: Status::Active, ..Head::default() },
        fields: fields.into(),
        source_url: format!("https://{source}.example/list"),
        content_hash: refdesk_core::hash::content_hash(key.as_bytes()),
        hash_basis: HashBasis::Record,
        has_body: false,
        body_missing: None,
        body_text: Text::default(),
        identity: Identity::default(),
        pending: Vec::new(),
        provenance: Provenance::default(),
        standing: Standing {
            first_seen_at: at,
            last_synced_at: at,
            last_verified_at: Some(at),
            removed_at: None,
            changed_at: at,
            held_back: None,
            restated: true,
        },
    }
}

/// A fact of a model: source, seller (none for published weights), id, fields. It was verified at [`NOW`].
pub fn model(source: &str, seller: Option<&str>, id: &str, fields: Value) -> StoredFact {
    StoredFact {
        head: Head { id: bare_name(id), name: id.into(), status: Status::Active, ..Head::default() },
        identity: Identity { provider: seller.map(Into::into), api_model_id: Some(id.into()), ..Identity::default() },
        ..stored(source, Kind::Model, &format!("{}/{id}", seller.unwrap_or("-")), fields, NOW)
    }
}
