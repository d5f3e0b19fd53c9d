//! What a node begins with: the newest generation that was told, else the last that it has here, else the bundled cards.

use std::sync::Arc;

use refdesk_catalog::snapshot::Snapshot;
use refdesk_ingest::generation::{GenerationError, Generations};
use refdesk_ingest::store::Store;

use super::Cluster;
use crate::app::{self, App};

impl Cluster {
    /// The catalog to begin with. It waits for nothing: what is newer is taken up later.
    ///
    /// # Errors
    /// When not even the bundled cards can be read.
    pub async fn first(&self, app: &App) -> anyhow::Result<Arc<Snapshot>> {
        match self.newest().await {
            Ok(Some(snapshot)) => return Ok(snapshot),
            // Nothing was told yet: it shows what the database has, as the first to lead will.
            Ok(None) if self.role.is_candidate() => {
                if let Some(built) = of_database(app).await? {
                    return Ok(built);
                }
            }
            Ok(None) => {}
            // In an upgrade the others still tell what this version does not read; until one of this version leads, it builds its own.
            Err(error) if self.role.is_candidate() && is_of_another_format(&error) => {
                tracing::warn!(error = %app::told(&error), "beginning with what the database has");
                if let Some(built) = of_database(app).await? {
                    // Under the number of what the others show: numbers of generations never fall.
                    let told = self.shared.newest().await?.map_or(1, |told| told.id.unsigned_abs());
                    return Ok(Arc::new(built.numbered(told)));
                }
            }
            Err(error) => {
                tracing::warn!(error = %app::told(&error), "cannot get the newest generation; starting with the last local one");
                match self.shared.last_here().await {
                    Ok(Some(snapshot)) => return Ok(Arc::new(snapshot)),
                    Ok(None) => {}
                    Err(error) => tracing::warn!(%error, "nor can the one that is here be read"),
                }
            }
        }
        if self.role.is_candidate() { of_bundled_cards(app).await } else { Ok(Arc::new(Snapshot::empty(app::now()))) }
    }

    async fn newest(&self) -> anyhow::Result<Option<Arc<Snapshot>>> {
        let Some(told) = self.shared.newest().await? else { return Ok(None) };
        let taken = self.shared.take_up(&told, None).await?;
        self.shown.begin(told.id);
        Ok(Some(Arc::new(taken.snapshot)))
    }
}

/// The catalog built of the database; `None` while that is empty.
async fn of_database(app: &App) -> anyhow::Result<Option<Arc<Snapshot>>> {
    let first = app.generations().first().await?;
    Ok((first.snapshot.item_count() > 0).then_some(first.snapshot))
}

fn is_of_another_format(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref::<GenerationError>(), Some(GenerationError::Format { .. }))
}

/// The catalog of the cards in the binary, in memory: nothing of it is written anywhere.
async fn of_bundled_cards(app: &App) -> anyhow::Result<Arc<Snapshot>> {
    let alone = App { config: app.config.clone(), store: Store::open_in_memory().await? };
    alone.sync_bundled().await?;
    let generations = Generations::new(alone.store.clone(), alone.config.sources.clone(), None);
    Ok(generations.first().await?.snapshot)
}
