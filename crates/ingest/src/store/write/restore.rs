//! What an import writes: whole sources in one transaction. Dropped without a commit, the store is as it was.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::missing::forget_missing;
use super::new_facts::NewFacts;
use super::states::{put_run, replace_rejects};
use crate::store::cluster::bump_revision;
use crate::store::error::StoreError;
use crate::store::last_write::LastWrite;
use crate::store::sql::row::json;
use crate::store::sql::{Operation, Session, Unreadable, Writes};
use crate::store::{FactContents, FactRow, Result, SourceRow, SourceState, Store};

/// An open replacement of sources, in one transaction; dropped, it leaves the store as it was.
pub struct Restore {
    session: Session,
    unreadable: Arc<Unreadable>,
    last_write: Arc<LastWrite>,
    sources: Vec<String>,
    new: NewFacts,
}

impl Store {
    /// Begins to replace sources by those of an archive. Nothing shows before [`Restore::commit`].
    pub async fn restore(&self) -> Result<Restore> {
        let session = self.writing(Operation::Import, Writes::Import).await?;
        Ok(Restore {
            session,
            unreadable: Arc::clone(&self.unreadable),
            last_write: Arc::clone(&self.last_write),
            sources: Vec::new(),
            new: NewFacts::default(),
        })
    }
}

impl Restore {
    /// Takes a source with its facts out and puts the archive's state of it in. `imported` marks it as not synced here.
    pub async fn source(&mut self, row: &SourceRow, imported: bool) -> Result<()> {
        self.write_waiting().await?;
        let source_id = row.source_id.as_str();
        // Standings and contents go with their fact.
        self.session.run("DELETE FROM facts WHERE source_id = $1", &[source_id.into()]).await?;
        self.session.run("DELETE FROM runs WHERE source_id = $1", &[source_id.into()]).await?;
        // Marks of another store say nothing of this one.
        let state = SourceState { changed: BTreeMap::new(), ..row.state.clone() };
        let (state, validators) = (json(&state)?, json(&row.validators)?);
        let info = row.info.as_ref().map(json).transpose()?;
        self.session
            .run(
                "INSERT INTO source_states (source_id, state, validators, info, imported) VALUES ($1, $2, $3, $4, $5) \
                 ON CONFLICT (source_id) DO UPDATE SET state = excluded.state, validators = excluded.validators, \
                 info = excluded.info, imported = excluded.imported",
                &[
                    source_id.into(),
                    (&state).into(),
                    (&validators).into(),
                    info.as_deref().into(),
                    i64::from(imported).into(),
                ],
            )
            .await?;
        self.sources.push(row.source_id.clone());
        forget_missing(&mut self.session, source_id).await?;
        replace_rejects(&mut self.session, source_id, &row.rejects).await?;
        for run in &row.runs {
            put_run(&mut self.session, run).await?;
        }
        Ok(())
    }

    /// Puts a fact in; its source must have been given before.
    ///
    /// # Errors
    /// Also when a text of it has a NUL, which `PostgreSQL` does not take: archives of a version that let such facts in may have one.
    pub async fn fact(&mut self, row: FactRow, contents: FactContents) -> Result<()> {
        let texts = [row.key.as_str(), &row.source_url, row.body_missing.as_deref().unwrap_or_default()];
        if self.session.is_postgres() && texts.iter().any(|text| text.contains('\0')) {
            let what = format!("{} `{}` of {}", row.kind, row.key.escape_debug(), row.source_id);
            let reason =
                "its key or address has a NUL character, which PostgreSQL does not take; sync its source anew".into();
            return Err(StoreError::Prepare { what, reason });
        }
        self.new.add(&mut self.session, row, contents).await
    }

    /// Writes the facts that wait for others to be written with.
    pub async fn write_waiting(&mut self) -> Result<()> {
        self.new.write(&mut self.session).await
    }

    /// Makes all of it show at once.
    pub async fn commit(mut self) -> Result<()> {
        self.write_waiting().await?;
        bump_revision(&mut self.session).await?;
        let done = self.session.commit().await;
        self.last_write.ended(&done);
        done?;
        self.sources.iter().for_each(|source_id| self.unreadable.forget_source(source_id));
        Ok(())
    }
}
