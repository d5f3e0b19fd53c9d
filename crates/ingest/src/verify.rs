//! Recomputes every content hash from the stored content, so that anyone can see that the evidence is what it says.

use refdesk_core::Kind;
use refdesk_core::hash::{canonical_json, content_hash};

use crate::store::pack::unpack;
use crate::store::{Store, StoreError};

/// Facts that are read at once.
const CHUNK_ROWS: u32 = 500;

/// What was checked and what differs.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
pub struct Verification {
    /// Facts whose hash was recomputed.
    pub checked: usize,
    /// Those whose hash is not the one that is stored.
    pub differences: Vec<Difference>,
}

/// A fact whose stored content is not what its hash says.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Difference {
    /// The source.
    pub source_id: String,
    /// The kind of the fact.
    pub kind: String,
    /// The upstream key of the fact.
    pub key: String,
    /// The hash that is stored.
    pub stored: String,
    /// The hash of the content.
    pub computed: String,
    /// What is wrong, for people.
    pub reason: String,
}

/// Which facts to check.
#[derive(Debug, Clone, Copy)]
pub enum Scope<'a> {
    /// All.
    All,
    /// Those of a kind with this upstream key, of any source or of one.
    One {
        /// Their kind.
        kind: Kind,
        /// Their upstream key.
        key: &'a str,
        /// Their source, or any.
        source_id: Option<&'a str>,
    },
}

impl Scope<'_> {
    fn covers(&self, source: &str, kind: &str, fact_key: &str) -> bool {
        match self {
            Self::All => true,
            Self::One { kind: wanted, key, source_id } => {
                wanted.singular() == kind && *key == fact_key && source_id.is_none_or(|wanted| wanted == source)
            }
        }
    }
}

/// Recomputes the hashes of all facts in scope.
///
/// # Errors
/// When the store cannot be read; a damaged content is a difference, not an error.
pub async fn verify(store: &Store, scope: Scope<'_>) -> Result<Verification, StoreError> {
    let mut verification = Verification::default();
    let mut after = 0;
    loop {
        let rows = store.fact_rows(after, CHUNK_ROWS).await?;
        let Some((last, _)) = rows.last() else { return Ok(verification) };
        after = last.id;
        let rows: Vec<_> = rows
            .into_iter()
            .filter(|(row, _)| scope.covers(&row.source_id, &row.kind, &row.key))
            .map(|(row, contents)| (row, contents.record))
            .collect();
        verification.checked += rows.len();
        let found = tokio::task::spawn_blocking(move || {
            rows.into_iter()
                .filter_map(|(row, record)| {
                    let (computed, reason) = check(&row.content_hash, &row.hash_basis, &record)?;
                    Some(Difference {
                        source_id: row.source_id,
                        kind: row.kind,
                        key: row.key,
                        stored: row.content_hash,
                        computed,
                        reason,
                    })
                })
                .collect::<Vec<_>>()
        });
        match found.await {
            Ok(found) => verification.differences.extend(found),
            Err(error) => return Err(StoreError::Value { what: "content".into(), reason: error.to_string() }),
        }
    }
}

/// The hash of the content and what is wrong with it; `None` when it is the stored one.
fn check(stored: &str, basis: &str, record: &[u8]) -> Option<(String, String)> {
    let content = match unpack(record) {
        Ok(content) => content,
        Err(error) => return Some((String::new(), error.to_string())),
    };
    let computed = content_hash(&content);
    if computed != stored {
        return Some((computed, "the stored content has another hash".into()));
    }
    if basis == "record" {
        let canonical = serde_json::from_slice(&content).ok().and_then(|value| canonical_json(&value).ok());
        if canonical.as_deref().map(str::as_bytes) != Some(&content) {
            return Some((computed, "the stored record is not in canonical form (RFC 8785)".into()));
        }
    }
    None
}
