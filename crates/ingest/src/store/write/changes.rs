//! Facts that the store has already and that a pass states otherwise, brings back or does not list: collected, then written many to a
//! statement where the engine can.

use refdesk_core::{StaleReason, Stamp};

use crate::store::sql::{Column, Session};
use crate::store::types::KnownFact;
use crate::store::{FactContents, FactRow, PreparedFact, Result, SyncCommit};

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
        let mut columns = vec![("id", Column::ints(self.replaced.iter().map(|(id, _)| *id)))];
        columns.extend(statement(self.replaced.iter().map(|(_, fact)| &fact.row)));
        let stated = STATEMENT.map(|(name, _)| format!("{name} = n.{name}")).join(", ");
        session.run_with(&columns, &format!("UPDATE facts SET {stated} FROM n WHERE facts.id = n.id")).await?;
        // Every fact keeps its record.
        for (table, content_of) in CONTENT_TABLES.into_iter().skip(1) {
            let gone = self.replaced.iter().filter(|(_, fact)| content_of(&fact.contents).is_none());
            let ids = [("id", Column::ints(gone.map(|(id, _)| *id)))];
            session.run_with(&ids, &format!("DELETE FROM {table} WHERE fact_id IN (SELECT id FROM n)")).await?;
        }
        Ok(())
    }

    async fn write_standings(&self, session: &mut Session) -> Result<()> {
        let standings = || self.standings.iter();
        session
            .run_with(
                &[
                    ("id", Column::ints(standings().map(|standing| standing.id))),
                    ("synced", Column::ints(standings().map(|standing| standing.synced))),
                    ("verified", Column::Ints(standings().map(|standing| standing.verified).collect())),
                    ("checked_on", Column::Ints(standings().map(|standing| standing.checked_on).collect())),
                    ("restated", Column::ints(standings().map(|standing| standing.restated))),
                    ("changed_at", Column::Ints(standings().map(|standing| standing.changed_at).collect())),
                ],
                "UPDATE standings SET last_synced_at = n.synced, last_verified_at = n.verified, removed_at = NULL, held_back = NULL, \
                 rejected = 0, checked_on = n.checked_on, \
                 restated = CASE WHEN n.restated > standings.restated THEN n.restated ELSE standings.restated END, \
                 changed_at = COALESCE(n.changed_at, standings.changed_at) FROM n WHERE fact_id = n.id",
            )
            .await
    }

    async fn write_left(&self, session: &mut Session) -> Result<()> {
        let parse_failed = StaleReason::ParseFailed.as_str();
        let still_listed = || self.left.iter().map(|(_, removed_at)| removed_at.is_none());
        session
            .run_with(
                &[
                    ("id", Column::ints(self.left.iter().map(|(before, _)| before.row))),
                    ("synced", Column::ints(self.left.iter().map(|(before, _)| before.last_synced_at))),
                    ("verified", Column::Ints(self.left.iter().map(|(before, _)| before.last_verified_at).collect())),
                    ("removed", Column::Ints(self.left.iter().map(|(_, removed_at)| *removed_at).collect())),
                    ("held", Column::Texts(still_listed().map(|is_listed| is_listed.then_some(parse_failed)).collect())),
                    ("rejected", Column::ints(still_listed().map(i64::from))),
                ],
                "UPDATE standings SET last_synced_at = n.synced, last_verified_at = n.verified, removed_at = n.removed, \
                 held_back = n.held, rejected = n.rejected FROM n WHERE fact_id = n.id",
            )
            .await
    }
}

/// One of the texts of a row, if it has it.
type TextOf = fn(&FactRow) -> Option<&str>;

/// What a fact states, by the columns of `facts` that change when it states something else.
const STATEMENT: [(&str, TextOf); 11] = [
    ("head", |row| Some(&row.head)),
    ("fields", |row| Some(&row.fields)),
    ("identity", |row| Some(&row.identity)),
    ("pending", |row| Some(&row.pending)),
    ("source_url", |row| Some(&row.source_url)),
    ("provenance", |row| Some(&row.provenance)),
    ("content_hash", |row| Some(&row.content_hash)),
    ("hash_basis", |row| Some(&row.hash_basis)),
    ("body_state", |row| Some(&row.body_state)),
    ("body_missing", |row| row.body_missing.as_deref()),
    ("statement_hash", |row| Some(&row.statement_hash)),
];

/// What facts state, by columns.
pub(super) fn statement<'a>(
    rows: impl Iterator<Item = &'a FactRow> + Clone,
) -> impl Iterator<Item = (&'static str, Column<'a>)> {
    STATEMENT.into_iter().map(move |(name, of)| (name, Column::Texts(rows.clone().map(of).collect())))
}

/// One of the contents of a fact, if it has it.
type ContentOf = fn(&FactContents) -> Option<&[u8]>;

/// The tables of contents and what each holds. Records come first.
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
