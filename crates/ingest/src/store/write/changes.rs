//! Facts that the store has already and that a pass states otherwise, brings back or does not list: collected, then written many to a
//! statement where the engine can.

use refdesk_core::{StaleReason, Stamp};

use crate::store::sql::{Column, Session};
use crate::store::types::KnownFact;
use crate::store::{FactContents, PreparedFact, Result, SyncCommit};

/// Changed facts that wait to be written at once, at most.
const WAITING_MAX: usize = 1_000;

/// The times of a fact that changed or came back.
struct NewTimes {
    id: i64,
    synced: i64,
    verified: Option<i64>,
    checked_on: Option<i64>,
    restated: i64,
    changed_at: Option<i64>,
}

/// Changes that wait to be written.
#[derive(Default)]
pub(super) struct FactChanges<'a> {
    replaced: Vec<(i64, &'a PreparedFact)>,
    contents: Vec<(i64, &'a FactContents)>,
    standings: Vec<NewTimes>,
    /// Facts that the pass did not bring, each with when it was removed.
    left: Vec<(KnownFact, Option<i64>)>,
}

impl<'a> FactChanges<'a> {
    /// A fact states something else than before.
    pub(super) fn replace(&mut self, id: i64, fact: &'a PreparedFact) {
        self.replaced.push((id, fact));
        self.contents.push((id, &fact.contents));
    }

    /// A fact gets the contents that it came without.
    pub(super) fn give_contents(&mut self, id: i64, fact: &'a PreparedFact) {
        self.contents.push((id, &fact.contents));
    }

    /// A fact is listed as of this pass; `changed_at` when it states something else than before, or was not listed.
    pub(super) fn stand(&mut self, id: i64, fact: &PreparedFact, commit: &SyncCommit, changed_at: Option<Stamp>) {
        self.standings.push(NewTimes {
            id,
            synced: fact.row.checked_on.unwrap_or(commit.now.0),
            verified: fact.verified_at(commit.now).map(|at| at.0),
            checked_on: fact.row.checked_on,
            restated: i64::from(commit.new_bytes),
            changed_at: changed_at.map(|at| at.0),
        });
    }

    /// A fact that the pass did not bring: removed, or with no such time still listed in a form that could not be read. Its other times stay
    /// as they were.
    pub(super) fn leave_behind(&mut self, before: &KnownFact, removed_at: Option<Stamp>) {
        self.left.push((*before, removed_at.map(|at| at.0)));
    }

    /// Writes what waits once it is much.
    pub(super) async fn write_if_many(&mut self, session: &mut Session) -> Result<()> {
        let waiting = self.contents.len().max(self.standings.len());
        if waiting < WAITING_MAX { Ok(()) } else { self.write(session).await }
    }

    pub(super) async fn write(&mut self, session: &mut Session) -> Result<()> {
        self.write_statements(session).await?;
        put_contents(session, &self.contents).await?;
        self.write_standings(session).await?;
        self.write_left(session).await?;
        *self = Self::default();
        Ok(())
    }

    async fn write_statements(&self, session: &mut Session) -> Result<()> {
        let rows = || self.replaced.iter().map(|(_, fact)| &fact.row);
        session
            .for_each(
                "UPDATE facts SET head = $2, fields = $3, identity = $4, pending = $5, source_url = $6, provenance = $7, \
                 content_hash = $8, hash_basis = $9, body_state = $10, body_missing = $11, statement_hash = $12 WHERE id = $1",
                "UPDATE facts SET head = n.head, fields = n.fields, identity = n.identity, pending = n.pending, \
                 source_url = n.source_url, provenance = n.provenance, content_hash = n.content_hash, \
                 hash_basis = n.hash_basis, body_state = n.body_state, body_missing = n.body_missing, \
                 statement_hash = n.statement_hash FROM {rows} AS n (id, head, fields, identity, pending, source_url, \
                 provenance, content_hash, hash_basis, body_state, body_missing, statement_hash) WHERE facts.id = n.id",
                &[
                    Column::ints(self.replaced.iter().map(|(id, _)| *id)),
                    Column::texts(rows().map(|row| row.head.as_str())),
                    Column::texts(rows().map(|row| row.fields.as_str())),
                    Column::texts(rows().map(|row| row.identity.as_str())),
                    Column::texts(rows().map(|row| row.pending.as_str())),
                    Column::texts(rows().map(|row| row.source_url.as_str())),
                    Column::texts(rows().map(|row| row.provenance.as_str())),
                    Column::texts(rows().map(|row| row.content_hash.as_str())),
                    Column::texts(rows().map(|row| row.hash_basis.as_str())),
                    Column::texts(rows().map(|row| row.body_state.as_str())),
                    Column::Texts(rows().map(|row| row.body_missing.as_deref()).collect()),
                    Column::texts(rows().map(|row| row.statement_hash.as_str())),
                ],
            )
            .await?;
        let without = |has: fn(&FactContents) -> bool| {
            let gone = self.replaced.iter().filter(move |(_, fact)| !has(&fact.contents));
            [Column::ints(gone.map(|(id, _)| *id))]
        };
        session
            .for_each(
                "DELETE FROM bodies WHERE fact_id = $1",
                "DELETE FROM bodies WHERE fact_id IN (SELECT * FROM {rows})",
                &without(|contents| contents.body.is_some()),
            )
            .await?;
        session
            .for_each(
                "DELETE FROM texts WHERE fact_id = $1",
                "DELETE FROM texts WHERE fact_id IN (SELECT * FROM {rows})",
                &without(|contents| contents.text.is_some()),
            )
            .await
    }

    async fn write_standings(&self, session: &mut Session) -> Result<()> {
        session
            .for_each(
                "UPDATE standings SET last_synced_at = $2, last_verified_at = $3, removed_at = NULL, held_back = NULL, rejected = 0, \
                 checked_on = $4, restated = MAX(restated, $5), changed_at = COALESCE($6, changed_at) WHERE fact_id = $1",
                "UPDATE standings SET last_synced_at = n.synced, last_verified_at = n.verified, removed_at = NULL, held_back = NULL, \
                 rejected = 0, checked_on = n.checked_on, restated = GREATEST(standings.restated, n.restated), \
                 changed_at = COALESCE(n.changed_at, standings.changed_at) \
                 FROM {rows} AS n (id, synced, verified, checked_on, restated, changed_at) WHERE fact_id = n.id",
                &[
                    Column::ints(self.standings.iter().map(|standing| standing.id)),
                    Column::ints(self.standings.iter().map(|standing| standing.synced)),
                    Column::Ints(self.standings.iter().map(|standing| standing.verified).collect()),
                    Column::Ints(self.standings.iter().map(|standing| standing.checked_on).collect()),
                    Column::ints(self.standings.iter().map(|standing| standing.restated)),
                    Column::Ints(self.standings.iter().map(|standing| standing.changed_at).collect()),
                ],
            )
            .await
    }

    async fn write_left(&self, session: &mut Session) -> Result<()> {
        let parse_failed = StaleReason::ParseFailed.as_str();
        let still_listed = || self.left.iter().map(|(_, removed_at)| removed_at.is_none());
        session
            .for_each(
                "UPDATE standings SET last_synced_at = $2, last_verified_at = $3, removed_at = $4, held_back = $5, \
                 rejected = $6 WHERE fact_id = $1",
                "UPDATE standings SET last_synced_at = n.synced, last_verified_at = n.verified, removed_at = n.removed, \
                 held_back = n.held, rejected = n.rejected \
                 FROM {rows} AS n (id, synced, verified, removed, held, rejected) WHERE fact_id = n.id",
                &[
                    Column::ints(self.left.iter().map(|(before, _)| before.row)),
                    Column::ints(self.left.iter().map(|(before, _)| before.last_synced_at)),
                    Column::Ints(self.left.iter().map(|(before, _)| before.last_verified_at).collect()),
                    Column::Ints(self.left.iter().map(|(_, removed_at)| *removed_at).collect()),
                    Column::Texts(still_listed().map(|is_listed| is_listed.then_some(parse_failed)).collect()),
                    Column::ints(still_listed().map(i64::from)),
                ],
            )
            .await
    }
}

/// One of the contents of a fact, if it has it.
type ContentOf = fn(&FactContents) -> Option<&[u8]>;

/// The tables of contents, each with what stands in it.
const CONTENT_TABLES: [(&str, ContentOf); 3] = [
    // Archives may come without the record of a fact.
    ("records", |contents| Some(contents.record.as_slice()).filter(|record| !record.is_empty())),
    ("bodies", |contents| contents.body.as_deref()),
    ("texts", |contents| contents.text.as_deref()),
];

/// Writes the contents of facts into their tables, replacing those that are there.
pub(super) async fn put_contents(session: &mut Session, facts: &[(i64, &FactContents)]) -> Result<()> {
    for (table, content_of) in CONTENT_TABLES {
        let there = facts.iter().filter_map(|(id, contents)| Some((Some(*id), content_of(contents)?)));
        let (ids, contents): (Vec<Option<i64>>, Vec<&[u8]>) = there.unzip();
        session
            .insert(
                table,
                &[("fact_id", Column::Ints(ids)), ("content", Column::Blobs(contents))],
                "ON CONFLICT (fact_id) DO UPDATE SET content = excluded.content",
            )
            .await?;
    }
    Ok(())
}
