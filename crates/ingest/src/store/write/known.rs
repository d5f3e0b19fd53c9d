//! What the store has of a source before a sync, as far as writing the sync depends on it.
//!
//! The commit gate has read all facts of the source already, so a commit takes over what it read. Another process may have written in
//! between; [`SourceState::changed`](crate::store::SourceState::changed) says whether: each transaction that changes facts of a source or
//! their times marks it, an import and a refdesk that writes no marks leave none. Without marks that are still the same, the facts are read
//! again within the transaction.

use std::collections::{BTreeMap, BTreeSet};

use refdesk_core::Kind;
use refdesk_core::fact::StoredFact;

use super::DOING;
use crate::store::error::StoreError;
use crate::store::sql::row::{kind_of, statement_number};
use crate::store::sql::{FACT, Session, Unreadable};
use crate::store::{Result, Store};

/// The stored facts of a source, by kind and key.
#[derive(Debug, Clone, Default)]
pub struct KnownFacts(pub(super) BTreeMap<(Kind, String), KnownFact>);

/// What the store has of a fact.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownFact {
    pub(super) row: i64,
    /// [`StoredFact::statement`]; `None` when the row cannot be read, so that it is written anew whatever it states.
    pub(super) statement: Option<u64>,
    pub(super) removed: bool,
    pub(super) last_synced_at: i64,
    pub(super) last_verified_at: Option<i64>,
    /// It came by an archive that left its contents out.
    pub(super) without_record: bool,
}

impl KnownFacts {
    /// Those that were read before; `without_record` as [`Store::facts_without_record`] gives them.
    pub fn new(stored: Vec<StoredFact>, without_record: &BTreeSet<i64>) -> Self {
        let known = stored.into_iter().map(|fact| {
            let standing = fact.standing;
            let known = KnownFact {
                row: fact.row,
                statement: Some(fact.statement),
                removed: standing.removed_at.is_some(),
                last_synced_at: standing.last_synced_at.0,
                last_verified_at: standing.last_verified_at.map(|at| at.0),
                without_record: without_record.contains(&fact.row),
            };
            ((fact.kind, fact.key), known)
        });
        Self(known.collect())
    }

    /// Reads them as they are in a transaction.
    pub(super) async fn read(session: &mut Session, source_id: &str, unreadable: &Unreadable) -> Result<Self> {
        let at = StoreError::at(DOING);
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
            let id = row.int(0).map_err(&at)?;
            let read = || -> Result<((Kind, String), KnownFact)> {
                let before = KnownFact {
                    row: id,
                    statement: statement_number(row.text(3).map_err(&at)?).filter(|_| !unreadable.has_fact(id)),
                    removed: row.int_if_any(4).map_err(&at)?.is_some(),
                    last_synced_at: row.int(5).map_err(&at)?,
                    last_verified_at: row.int_if_any(6).map_err(&at)?,
                    without_record: without_record.contains(&id),
                };
                Ok(((kind_of(row.text(1).map_err(&at)?)?, row.string(2).map_err(&at)?), before))
            };
            match read() {
                Ok((key, before)) => drop(known.insert(key, before)),
                error @ Err(_) => drop(unreadable.pass_over(FACT, source_id, &id.to_string(), error)),
            }
        }
        Ok(Self(known))
    }

    /// The kinds of those that the source still lists.
    pub(super) fn live_kinds(&self) -> impl Iterator<Item = Kind> {
        self.0.iter().filter(|(_, known)| !known.removed).map(|((kind, _), _)| *kind)
    }
}

impl Store {
    /// The numbers of the facts of a source that an archive brought without their record: mostly none.
    pub async fn facts_without_record(&self, source_id: &str) -> Result<BTreeSet<i64>> {
        without_record(&mut self.reading("reading facts without a record").await?, source_id).await
    }
}

async fn without_record(session: &mut Session, source_id: &str) -> Result<BTreeSet<i64>> {
    let at = StoreError::at(session.doing());
    let rows = session
        .rows(
            "SELECT f.id FROM facts f LEFT JOIN records r ON r.fact_id = f.id WHERE f.source_id = $1 AND r.fact_id IS NULL",
            &[source_id.into()],
        )
        .await?;
    rows.iter().map(|row| row.int(0).map_err(&at)).collect()
}
