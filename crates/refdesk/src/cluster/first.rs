//! What a node begins with: the newest generation that was told, else the last that it has here, else, while the database is down, the newest
//! of the segment store. Where nothing was told yet or the segment store does not give it, one that may lead builds what the database has, and
//! begins with the bundled cards while that is empty.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_ingest::generation::{CatalogFolder, GenerationError, Generations};
use refdesk_ingest::segment_store::SegmentStoreError;
use refdesk_ingest::store::Store;

use super::Cluster;
use crate::app::{self, App};
use crate::output;

/// Longest time that a node with a catalog waits for the segment store before it begins with that one.
const FIRST_FETCH_MAX: Duration = Duration::from_secs(10);
/// What `/health` says of a node that began with what it had.
const LAST_HERE: &str = "at the start the newest generation could not be had, so the catalog that this node had is shown; the newest follows";
/// The same of one that began with what the segment store had.
const OF_SEGMENT_STORE: &str = "at the start the database did not answer, so the newest catalog of the segment store is shown; the newest of the database follows";

impl Cluster {
    /// The catalog to begin with. A node that has one waits for nothing long: what is newer is taken up later.
    ///
    /// # Errors
    /// When not even the bundled cards can be read, or the database does not answer and there is no catalog from before anywhere.
    pub async fn first(&self, app: &App) -> anyhow::Result<Arc<Snapshot>> {
        match self.newest(app).await {
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
                tracing::warn!(error = %output::told(&error), "beginning with what the database has");
                if let Some(built) = self.of_database_beside_others(app).await? {
                    return Ok(built);
                }
            }
            Err(error) => {
                tracing::warn!(error = %output::told(&error), "cannot get the newest generation; starting with an earlier one");
                if let Some(snapshot) = self.earlier(&error).await {
                    return Ok(Arc::new(snapshot));
                }
                if is_of_database(&error) {
                    // Bundled cards in place of the catalog would be worse than no answer: another node has it.
                    return Err(error.context(
                        "neither this node nor the segment store has a catalog to begin with; start it again when the database answers",
                    ));
                }
                // Bundled cards would be worse here, too: the database has what the whole catalog is built of.
                if self.role.is_candidate()
                    && let Some(built) = self.of_database_beside_others(app).await?
                {
                    return Ok(built);
                }
            }
        }
        if self.role.is_candidate() { of_bundled_cards(app).await } else { Ok(Arc::new(Snapshot::empty(app::now()))) }
    }

    /// The catalog built of the database, under the number of what the other nodes show: numbers of generations never fall.
    async fn of_database_beside_others(&self, app: &App) -> anyhow::Result<Option<Arc<Snapshot>>> {
        let Some(built) = of_database(app).await? else { return Ok(None) };
        let told = self.shared.newest().await?.map_or(1, |told| told.id.unsigned_abs());
        Ok(Some(Arc::new(built.numbered(told))))
    }

    /// The catalog that is here, else, where the database does not answer, the newest that the segment store has. `/health` says so.
    async fn earlier(&self, error: &anyhow::Error) -> Option<Snapshot> {
        let unread = |error: GenerationError| -> Option<Snapshot> {
            tracing::warn!(%error, "an earlier catalog cannot be read");
            None
        };
        let (snapshot, fault) = match self.shared.last_here().await.unwrap_or_else(unread) {
            None if is_of_database(error) => {
                (self.shared.newest_in_segment_store().await.unwrap_or_else(unread), OF_SEGMENT_STORE)
            }
            here => (here, LAST_HERE),
        };
        if snapshot.is_some() {
            self.began_late.get_or_init(|| fault);
        }
        snapshot
    }

    async fn newest(&self, app: &App) -> anyhow::Result<Option<Arc<Snapshot>>> {
        let Some(told) = self.shared.newest().await? else { return Ok(None) };
        if CatalogFolder::is_there(&app.config.data_dir()?) {
            let fetched = tokio::time::timeout(FIRST_FETCH_MAX, self.shared.fetch(&told)).await;
            fetched.with_context(|| {
                format!("the segment store did not give its files within {} s", FIRST_FETCH_MAX.as_secs())
            })??;
        }
        let taken = self.shared.take_up(&told, None).await?;
        self.shown.begin(told.id);
        Ok(Some(Arc::new(taken.snapshot)))
    }
}

/// The catalog built of the database; `None` while that is empty.
async fn of_database(app: &App) -> anyhow::Result<Option<Arc<Snapshot>>> {
    let first = app.generations().with_router().first().await?;
    Ok((first.snapshot.item_count() > 0).then_some(first.snapshot))
}

fn is_of_another_format(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref::<GenerationError>(), Some(GenerationError::Format { .. }))
}

fn is_of_database(error: &anyhow::Error) -> bool {
    matches!(
        error.downcast_ref::<GenerationError>(),
        Some(GenerationError::Store(_) | GenerationError::Segments(SegmentStoreError::Database(_)))
    )
}

/// The catalog of the cards in the binary, in memory: nothing of it is written anywhere.
async fn of_bundled_cards(app: &App) -> anyhow::Result<Arc<Snapshot>> {
    let alone = App { config: app.config.clone(), store: Store::open_in_memory().await? };
    alone.sync_bundled().await?;
    let generations = Generations::new(alone.store.clone(), alone.config.sources.clone(), None);
    Ok(generations.first().await?.snapshot)
}

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::unwrap_used, reason = "a failing unwrap is a failing test")]
mod tests {
    use std::time::Instant;

    use refdesk_ingest::generation::SharedGenerations;
    use refdesk_ingest::segment_store::SegmentStore;
    use refdesk_ingest::store::Accept;
    use refdesk_ingest::sync::Silent;
    use refdesk_serve::Role;
    use rustix::fs::{CWD, Mode, mkfifoat};

    use super::*;
    use crate::cluster::bench;
    use crate::config::{Config, Given, key};

    /// Before, it began with the bundled cards: `/readyz` said 200, and most of the catalog was a 404.
    #[tokio::test]
    async fn a_node_that_may_lead_builds_what_the_segment_store_does_not_give() {
        let folder = tempfile::tempdir().unwrap();
        let [cards, data_dir, file] = ["cards", "data", "refdesk.toml"].map(|name| folder.path().join(name));
        std::fs::create_dir(&cards).unwrap();
        let card = "kind: tool\nid: lamp\ndisplay_name: Lamp\nsource_url: https://lamp.example/lamp\ncategory: test\ndescription: Gives light.\n";
        std::fs::write(cards.join("lamp.yaml"), card).unwrap();
        let source = format!("[[sources]]\nid = \"mine\"\nconnector = \"cards\"\nurl = \"{}\"\n", cards.display());
        std::fs::write(&file, format!("default_sources = false\n{source}")).unwrap();
        let config =
            Config::load(Some(&file), &[Given::by_set(key::DATA_DIR.row, data_dir.to_str().unwrap())]).unwrap();
        let store = Store::open_in_memory().await.unwrap();
        let cluster = bench::cluster(&store, folder.path(), &config, Duration::from_mins(1));
        let app = App { config, store: store.clone() };
        app.engine(Arc::new(Silent)).unwrap().sync_source("mine", &Accept::No).await.unwrap();

        let segments = folder.path().join("segments");
        let [leader_dir, node_dir] = [folder.path().join("leader"), data_dir];
        for dir in [&leader_dir, &node_dir] {
            std::fs::create_dir_all(dir).unwrap();
        }
        let files = SegmentStore::open(segments.to_str().unwrap(), &store).unwrap();
        let leader = SharedGenerations::new(store.clone(), files, CatalogFolder::of(&leader_dir, &app.config.sources));
        let told = leader.tell(of_database(&app).await.unwrap().unwrap(), Vec::new()).await.unwrap();
        std::fs::remove_dir_all(&segments).unwrap();

        let first = cluster.first(&app).await.unwrap();
        assert_eq!((first.item_count(), first.generation()), (1, told.unsigned_abs()), "the lamp of the database");
        let reader = Cluster { role: Role::Reader, ..cluster };
        assert_eq!(reader.first(&app).await.unwrap().item_count(), 0, "a reader never builds");
    }

    /// The segment store itself is given up only minutes later, and until then nobody would be answered.
    #[tokio::test]
    async fn a_node_that_has_a_catalog_does_not_wait_long_for_a_segment_store_that_hangs() {
        let folder = tempfile::tempdir().unwrap();
        let (config, segments) = (bench::config(folder.path()), folder.path().join("segments"));
        let store = Store::open_in_memory().await.unwrap();
        let cluster = bench::cluster(&store, folder.path(), &config, Duration::from_mins(1));
        std::fs::create_dir(config.data_dir().unwrap()).unwrap();
        cluster.shared.tell(Arc::new(Snapshot::empty(app::now())), Vec::new()).await.unwrap();

        let other = folder.path().join("other");
        std::fs::create_dir(&other).unwrap();
        let files = SegmentStore::open(segments.to_str().unwrap(), &store).unwrap();
        let leader = SharedGenerations::new(store.clone(), files, CatalogFolder::of(&other, &config.sources));
        let app = App { config, store };
        leader.tell(of_bundled_cards(&app).await.unwrap(), Vec::new()).await.unwrap();
        let told = leader.newest().await.unwrap().unwrap();
        // A pipe that nobody writes to: reading it never ends.
        let pipe = segments.join(&told.manifest.segments[0].file);
        std::fs::remove_file(&pipe).unwrap();
        mkfifoat(CWD, &pipe, Mode::RUSR | Mode::WUSR).unwrap();

        let begun = Instant::now();
        let first = cluster.first(&app).await.unwrap();
        assert_eq!(first.item_count(), 0, "it is the catalog from before");
        assert!(begun.elapsed() < FIRST_FETCH_MAX * 2, "{:?}", begun.elapsed());
        let files = std::fs::read_dir(app.config.data_dir().unwrap().join("catalog")).unwrap();
        let mut names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        assert!(!names.any(|name| name.ends_with(".fetched")), "before, what was half fetched stayed for good");
        // Lets the thread go that waits for a writer: the runtime waits for it.
        std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    }
}
