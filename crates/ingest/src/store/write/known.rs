//! What the store has of a source before a sync, as far as writing the sync depends on it.
//!
//! The commit gate has read all facts of the source already, so a commit takes over what it read. Another process may have written in
//! between; [`SourceState::changed`](crate::store::SourceState::changed) says whether: each transaction that changes facts of a source or
//! their times marks it, an import and a refdesk that writes no marks leave none. Without marks that are still the same, the facts are read
//! again within the transaction.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use refdesk_core::{Kind, Stamp};

use crate::store::sql::row::{kind_of, statement_number};
use crate::store::sql::{FACT, Operation, Row, Session, Unreadable};
use crate::store::types::{KnownFact, KnownFacts};
use crate::store::{Result, Store};

/// A standing that cannot be read begins anew. That a fact was synced is said by the pass that lists it, and by nothing before.
const STANDS_ANEW: &str = "UPDATE standings SET first_seen_at = $2, last_synced_at = 0, last_verified_at = NULL, \
    removed_at = CASE WHEN removed_at IS NULL THEN NULL ELSE $2 END, checked_on = NULL, restated = 1, changed_at = $2, rejected = 0 \
    WHERE fact_id = $1";

/// Which columns of a row of [`known_facts`] are of its standing. All are numbers.
const STANDING: Range<usize> = 4..12;

/// Reads the stored facts of a source as they are in a transaction. One of which anything but its key cannot be read is known as well, to be
/// written anew: written beside itself, as a new fact, the store would refuse it with all others.
pub(super) async fn known_facts(
    session: &mut Session,
    source_id: &str,
    now: Stamp,
    unreadable: &Unreadable,
) -> Result<KnownFacts> {
    let without_record = without_record(session, source_id).await?;
    let rows = session
        .rows(
            "SELECT f.id, f.kind, f.key, f.statement_hash, s.removed_at, s.last_synced_at, s.last_verified_at, \
             s.first_seen_at, s.checked_on, s.restated, s.changed_at, s.rejected \
             FROM facts f JOIN standings s ON s.fact_id = f.id WHERE f.source_id = $1",
            &[source_id.into()],
        )
        .await?;
    let (mut known, mut undated) = (BTreeMap::new(), Vec::new());
    for row in rows {
        let id: i64 = row.get(0)?;
        let was_read = !unreadable.has_fact(id);
        let key = || -> Result<(Kind, String)> { Ok((kind_of(row.get(1)?)?, row.get(2)?)) };
        let Some(key) = unreadable.pass_over(FACT, source_id, &id.to_string(), key()) else { continue };
        let times = times(&row).ok();
        if times.is_none() {
            undated.push(id);
        }
        let statement = row.get::<&str>(3).ok().and_then(statement_number);
        let (last_synced_at, last_verified_at) = times.unwrap_or_default();
        let before = KnownFact {
            row: id,
            statement: statement.filter(|_| was_read && times.is_some()),
            removed: row.has(4)?,
            last_synced_at,
            last_verified_at,
            without_record: without_record.contains(&id),
        };
        known.insert(key, before);
    }
    for id in undated {
        session.run(STANDS_ANEW, &[id.into(), now.0.into()]).await?;
    }
    Ok(KnownFacts(known))
}

/// When a fact was synced and verified last; an error where anything of its standing cannot be read.
fn times(row: &Row) -> Result<(i64, Option<i64>)> {
    for column in STANDING {
        row.get::<Option<i64>>(column)?;
    }
    Ok((row.get(5)?, row.get(6)?))
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
