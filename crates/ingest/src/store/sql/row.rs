//! Rows of the tables as values, and words of the tables as enums.

use std::sync::Arc;

use refdesk_core::fact::{Fields, HashBasis, Provenance, RecordWithheld, Standing, StoredFact, Text};
use refdesk_core::{Kind, StaleReason, Stamp};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::value::Row;
use crate::store::error::StoreError;
use crate::store::{BodyState, FactRow, Result};

pub(in crate::store) fn json<T: Serialize + ?Sized>(value: &T) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| StoreError::Prepare { what: "a value".into(), reason: error.to_string() })
}

pub(in crate::store) fn parse_json<T: DeserializeOwned>(what: &str, text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| StoreError::value(what, &error))
}

pub(in crate::store) fn kind_of(word: &str) -> Result<Kind> {
    known("kind", word, Kind::ALL.into_iter().find(|kind| kind.singular() == word))
}

pub(in crate::store) fn basis_of(word: &str) -> Result<HashBasis> {
    known("hash basis", word, HashBasis::parse(word))
}

pub(in crate::store) fn body_state_of(word: &str) -> Result<BodyState> {
    known("body state", word, BodyState::parse(word))
}

/// What a word of a table stands for.
fn known<T>(what: &str, word: &str, found: Option<T>) -> Result<T> {
    found.ok_or_else(|| StoreError::value(what, &format!("`{word}` is unknown")))
}

/// Why a fact with this provenance may not be given out.
pub(in crate::store) fn withheld_of(provenance: &str) -> Result<Option<RecordWithheld>> {
    if provenance == "{}" {
        return Ok(None);
    }
    Ok(parse_json::<Provenance>("provenance", provenance)?.record_withheld)
}

fn held_back_of(word: &str) -> Result<StaleReason> {
    let held_back = |reason: &StaleReason| matches!(reason, StaleReason::ParseFailed | StaleReason::Quarantined);
    known("held_back", word, StaleReason::parse(word).filter(held_back))
}

/// The columns of [`fact_row`], in its order, of `facts f` and `standings s`.
macro_rules! fact_columns {
    () => {
        "f.id, f.source_id, f.kind, f.key, f.head, f.fields, f.identity, f.pending, f.source_url, f.provenance, f.content_hash, f.hash_basis, \
         f.body_state, f.body_missing, f.statement_hash, s.first_seen_at, s.last_synced_at, s.last_verified_at, s.removed_at, \
         s.held_back, s.checked_on, s.restated, s.changed_at, s.rejected"
    };
}
pub(in crate::store) use fact_columns;
pub(in crate::store) const FACT_COLUMNS: usize = 24;

pub(in crate::store) fn fact_row(row: &Row) -> Result<FactRow> {
    Ok(FactRow {
        id: row.get(0)?,
        source_id: row.get(1)?,
        kind: row.get(2)?,
        key: row.get(3)?,
        head: row.get(4)?,
        fields: row.get(5)?,
        identity: row.get(6)?,
        pending: row.get(7)?,
        source_url: row.get(8)?,
        provenance: row.get(9)?,
        content_hash: row.get(10)?,
        hash_basis: row.get(11)?,
        body_state: row.get(12)?,
        body_missing: row.get(13)?,
        statement_hash: row.get(14)?,
        first_seen_at: row.get(15)?,
        last_synced_at: row.get(16)?,
        last_verified_at: row.get(17)?,
        removed_at: row.get(18)?,
        held_back: row.get(19)?,
        checked_on: row.get(20)?,
        restated: row.get(21)?,
        changed_at: Some(row.get(22)?),
        rejected: Some(row.get(23)?),
    })
}

/// The first 16 of the digits of a statement hash, as [`StoredFact::statement`] has them.
pub(in crate::store) fn statement_number(hash: &str) -> Option<u64> {
    u64::from_str_radix(hash.get(..16)?, 16).ok()
}

/// The fact of a row, with an empty text. `source_id` is shared among the facts of a source.
pub(in crate::store) fn stored_fact(row: FactRow, source_id: Arc<str>) -> Result<StoredFact> {
    let body_state = body_state_of(&row.body_state)?;
    let provenance: Provenance =
        if row.provenance == "{}" { Provenance::default() } else { parse_json("provenance", &row.provenance)? };
    let changed_at = Stamp(row.changed());
    // What may not be given out has no text for anybody, whatever lies in the store.
    let withheld = provenance.record_withheld;
    Ok(StoredFact {
        row: row.id,
        statement: statement_number(&row.statement_hash)
            .ok_or_else(|| StoreError::value("statement hash", &format!("`{}` is none", row.statement_hash)))?,
        source_id,
        kind: kind_of(&row.kind)?,
        head: parse_json("head", &row.head)?,
        fields: Fields::of_json(row.fields).map_err(|error| StoreError::value("fields", &error))?,
        source_url: row.source_url,
        content_hash: row.content_hash,
        hash_basis: basis_of(&row.hash_basis)?,
        has_body: withheld.is_none() && matches!(body_state, BodyState::Record | BodyState::Markdown),
        body_missing: row
            .body_missing
            .or_else(|| withheld.filter(|_| body_state != BodyState::None).map(|reason| reason.as_str().to_owned())),
        body_text: Text::default(),
        identity: parse_json("identity", &row.identity)?,
        pending: if row.pending == "[]" { Vec::new() } else { parse_json("pending", &row.pending)? },
        provenance,
        standing: Standing {
            first_seen_at: Stamp(row.first_seen_at),
            last_synced_at: Stamp(row.last_synced_at),
            last_verified_at: row.last_verified_at.map(Stamp),
            removed_at: row.removed_at.map(Stamp),
            changed_at,
            held_back: row.held_back.as_deref().map(held_back_of).transpose()?,
            restated: row.restated != 0,
        },
        key: row.key,
    })
}

/// Fails when a stored fact cannot be read, so that it is passed over.
///
/// # Errors
/// What cannot be read, and why.
pub fn check_readable(row: &FactRow) -> Result<()> {
    stored_fact(row.clone(), "".into()).map(drop)
}
