//! What the store has of a source before a sync, as far as writing the sync depends on it.
//!
//! The commit gate has read all facts of the source already, so a commit takes over what it read. Another process may have written in
//! between; [`SourceState::changed`](crate::store::SourceState::changed) says whether: each transaction that changes facts of a source or
//! their times marks it, an import and a refdesk that writes no marks leave none. Without marks that are still the same, the facts are read
//! again within the transaction.

use std::collections::{BTreeMap, BTreeSet};

use refdesk_core::Kind;

use crate::store::sql::row::{kind_of, statement_number};
use crate::store::sql::{FACT, Operation, Session, Unreadable};
use crate::store::types::{KnownFact, KnownFacts};
use crate::store::{Result, Store};

/// Reads the stored facts of a source as they are in a transaction.
pub(super) async fn known_facts(session: &mut Session, source_id: &str, unreadable: &Unreadable) -> Result<KnownFacts> {
    let without_record = without_record(session, source_id).await?;
    let rows = session
        .rows(
            "SELECT f.id, f.kind, f.key, f.statement_hash, s.removed_at, s.last_synced_at, s.last_verified_at \
             FROM facts f JOIN standings s ON s.fact_id = f.id WHERE f.source_id = $1",
            &[source_id.into()],
        )
        .await?;
    let mut known = BTreeMap::new();
    for row in rows {
        let id = row.get(0)?;
        let read = || -> Result<((Kind, String), KnownFact)> {
            let before = KnownFact {
                row: id,
                statement: statement_number(row.get(3)?).filter(|_| !unreadable.has_fact(id)),
                removed: row.has(4)?,
                last_synced_at: row.get(5)?,
                last_verified_at: row.get(6)?,
                without_record: without_record.contains(&id),
            };
            Ok(((kind_of(row.get(1)?)?, row.get(2)?), before))
        };
        match read() {
            Ok((key, before)) => drop(known.insert(key, before)),
            error @ Err(_) => drop(unreadable.pass_over(FACT, source_id, &id.to_string(), error)),
        }
    }
    Ok(KnownFacts(known))
}

impl Store {
    /// The numbers of the facts of a source that an archive brought without their record: mostly none.
    pub async fn facts_without_record(&self, source_id: &str) -> Result<BTreeSet<i64>> {
        without_record(&mut self.engine.reading(Operation::ReadFactsWithoutRecord).await?, source_id).await
    }
}

async fn without_record(session: &mut Session, source_id: &str) -> Result<BTreeSet<i64>> {
    let rows = session
        .rows(
            "SELECT f.id FROM facts f LEFT JOIN records r ON r.fact_id = f.id WHERE f.source_id = $1 AND r.fact_id IS NULL",
            &[source_id.into()],
        )
        .await?;
    rows.iter().map(|row| row.get(0)).collect()
}
