//! Generations that several machines share. Whoever leads puts the segment files into the segment store and then tells the manifest to the
//! database, under its fence; readers fetch the files that they lack, check them, and take the generation up. So readers never build, and
//! all of them show the same revision.

mod lost;
mod without_database;

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::TryStreamExt as _;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::{Kind, Stamp, hash};
use tokio::sync::Mutex;

use super::disk::{CatalogFolder, has_hash};
use super::manifest::{Manifest, stated_hash};
use super::{GenerationError, SourceStates, background, content};
use crate::clock;
use crate::config::SourceConfig;
use crate::segment_store::{SegmentStore, SegmentStoreError};
use crate::store::{Store, StoredGeneration};

/// Generations that are kept for readers that are behind, whatever their age.
const GENERATIONS_KEPT: u32 = 3;
/// Files of a generation that are fetched at once.
const FETCHED_AT_ONCE: usize = 3;
/// How long an older one is kept, in seconds: a reader that began to fetch its files must find all of them.
const GENERATIONS_KEPT_FOR_SECS: i64 = 3_600;

/// The generations that nodes over one database share.
#[derive(Debug, Clone)]
pub struct SharedGenerations {
    store: Store,
    files: SegmentStore,
    folder: CatalogFolder,
    /// Held while files are put and named, and while files are deleted: one that is there already and about to be named again looks like one
    /// that nobody needs.
    changing: Arc<Mutex<()>>,
}

/// A generation that a leader told.
#[derive(Debug, Clone)]
pub struct ToldGeneration {
    /// Counts up.
    pub id: i64,
    /// What it is made of.
    pub manifest: Manifest,
}

/// What taking a generation up brought.
#[derive(Debug)]
pub struct TakenUp {
    /// The catalog.
    pub snapshot: Snapshot,
    /// Files that were fetched, and how long that took.
    pub fetched: usize,
    /// Time that fetching took.
    pub fetch_time: Duration,
}

impl SharedGenerations {
    /// The generations of a database whose files are in a segment store; files that were fetched are kept in the data directory.
    pub fn new(store: Store, files: SegmentStore, folder: CatalogFolder) -> Self {
        Self { store, files, folder, changing: Arc::default() }
    }

    /// The same for whoever leads: what is told stands under the fence of this store.
    #[must_use]
    pub fn under(&self, store: &Store) -> Self {
        let files = match &self.files {
            SegmentStore::Database(_) => SegmentStore::Database(store.clone()),
            other => other.clone(),
        };
        Self { store: store.clone(), files, ..self.clone() }
    }

    /// The same for a node whose configuration says this of its sources by now.
    #[must_use]
    pub fn with_sources(&self, sources: &[SourceConfig]) -> Self {
        Self { folder: self.folder.with_sources(sources), ..self.clone() }
    }

    /// Stands for what the configuration of this node says of its sources.
    pub fn sources(&self) -> &str {
        self.folder.sources()
    }

    /// Tells a catalog to all readers that was built of the store as `states` tells: files first, then the manifest. Its id. Once the
    /// database has it, the manifest goes into the segment store as well, for starts without the database.
    ///
    /// # Errors
    /// When a file or the manifest cannot be written, or another leads by now.
    pub async fn tell(&self, snapshot: Arc<Snapshot>, states: SourceStates) -> Result<i64, GenerationError> {
        let (folder, told) = (self.folder.clone(), Arc::clone(&snapshot));
        let skipped = self.store.unreadable_facts();
        let written = background::behind_requests(async move {
            folder.keep_skipped(&skipped)?;
            folder.write(&told, &states)
        });
        let written = written.await?;
        let written = written.map_err(|error| GenerationError::Unwritten(Box::new(error)))?;
        let manifest = written.ok_or(GenerationError::FolderBusy)?;
        let _changing = self.changing.lock().await;
        for entry in &manifest.segments {
            self.files.put(&entry.file, &self.folder.path_of(&entry.file)).await?;
        }
        let text = serde_json::to_string(&manifest).map_err(|error| content(error.to_string()))?;
        let now = clock::now();
        let id = self.store.put_generation(snapshot.revision(), &text, now).await?;
        if let Err(error) = self.put_manifest(&manifest, id, now).await {
            tracing::warn!(%error, "the segment store does not have the newest generation; a node that starts without the database begins with an older one");
        }
        // Not before: until it is told, the segments of the one before are what lost files of the segment store are put back from.
        let folder = self.folder.clone();
        if let Err(error) = background::behind_requests(async move { folder.delete_unnamed() }).await? {
            tracing::warn!(%error, "segment files that no generation needs could not be deleted here");
        }
        Ok(id)
    }

    /// Tries whether this node could write a generation into its data directory.
    ///
    /// # Errors
    /// When it could not.
    pub async fn try_writing(&self) -> Result<(), GenerationError> {
        let folder = self.folder.clone();
        background::behind_requests(async move { folder.try_writing() }).await?
    }

    /// The newest generation that was told; `None` before the first.
    ///
    /// # Errors
    /// When the database cannot be read, or holds something else.
    pub async fn newest(&self) -> Result<Option<ToldGeneration>, GenerationError> {
        self.store.latest_generation().await?.map(parse_generation).transpose()
    }

    /// Fetches the files of a generation that are not here yet or are damaged here, and reads it; segments that `before` has are shared with
    /// it. It is what the next start begins with when there is no database.
    ///
    /// # Errors
    /// When its segments are of another format, a file cannot be fetched or is damaged, or the files do not make what was told.
    pub async fn take_up(
        &self,
        told: &ToldGeneration,
        before: Option<Arc<Snapshot>>,
    ) -> Result<TakenUp, GenerationError> {
        let manifest = &told.manifest;
        let begun = Instant::now();
        let mut fetched = self.fetch(told).await?;
        let mut fetch_time = begun.elapsed();
        let snapshot = match self.open(told, before.clone()).await {
            Ok(snapshot) => snapshot,
            Err(error) => {
                let damaged = self.damaged(manifest).await?;
                if damaged.is_empty() {
                    return Err(error);
                }
                tracing::warn!(%error, "a segment file is damaged here; it is fetched again");
                let begun = Instant::now();
                fetched += self.fetch_files(&damaged).await?;
                fetch_time += begun.elapsed();
                self.open(told, before).await?
            }
        };
        Ok(TakenUp { snapshot, fetched, fetch_time })
    }

    /// Reads a generation whose files are all here.
    async fn open(&self, told: &ToldGeneration, before: Option<Arc<Snapshot>>) -> Result<Snapshot, GenerationError> {
        let (folder, manifest, generation) = (self.folder.clone(), told.manifest.clone(), told.id.unsigned_abs());
        background::behind_requests(async move {
            let snapshot = folder.open(&manifest, generation, before.as_deref())?;
            if snapshot.revision() != manifest.revision {
                return Err(content(format!("its segments make {}, not {}", snapshot.revision(), manifest.revision)));
            }
            if let Err(error) = folder.keep_manifest(&manifest) {
                // A full disk must not keep a node from showing it.
                tracing::warn!(%error, "what is shown cannot be kept here; a start without the database begins with an older generation");
            }
            Ok(snapshot)
        })
        .await?
    }

    /// The files of a generation that cannot be read here or have other bytes than their names state: a disk damaged them since. In the place
    /// of each comes what is fetched; until then it stays, for a process that has too many files open can read none of them for a moment.
    async fn damaged(&self, manifest: &Manifest) -> Result<Vec<String>, GenerationError> {
        let (folder, manifest) = (self.folder.clone(), manifest.clone());
        background::behind_requests(async move {
            let files = manifest.segments.into_iter().map(|entry| entry.file);
            let is_whole = |file: &String| {
                stated_hash(file).and_then(hash::unhex).is_some_and(|stated| has_hash(&folder.path_of(file), &stated))
            };
            files.filter(|file| !is_whole(file)).collect()
        })
        .await
    }

    /// Fetches the files of a generation that are not here yet, some at once: one is written while another is held against its name. How many
    /// these were.
    ///
    /// # Errors
    /// As [`SharedGenerations::take_up`].
    pub async fn fetch(&self, told: &ToldGeneration) -> Result<usize, GenerationError> {
        let manifest = &told.manifest;
        if !manifest.is_readable() {
            return Err(GenerationError::Format { found: manifest.format });
        }
        self.folder.make()?;
        let files = Kind::ALL.into_iter().map(|kind| Ok(manifest.entry(kind)?.file.clone()));
        let mut missing = files.collect::<Result<Vec<String>, GenerationError>>()?;
        missing.retain(|file| !self.folder.path_of(file).exists());
        self.fetch_files(&missing).await
    }

    async fn fetch_files(&self, files: &[String]) -> Result<usize, GenerationError> {
        let fetched = futures::stream::iter(files.iter().map(Ok::<_, GenerationError>))
            .try_for_each_concurrent(FETCHED_AT_ONCE, |file| async move {
                let hash = stated_hash(file).ok_or_else(|| content(format!("{file}: its name states no hash")))?;
                Ok(self.files.fetch(file, hash, &self.folder.path_of(file)).await?)
            })
            .await;
        // Said once, and not by each file: of two that say it, one would wait for the other, and be given up with the rest half-way.
        if let Err(GenerationError::Segments(SegmentStoreError::Damaged(file) | SegmentStoreError::Missing(file))) =
            &fetched
        {
            self.report_lost(file).await;
        }
        fetched?;
        Ok(files.len())
    }

    /// Deletes generations that no reader needs any more, and the files that only they named. Of the database also files that no generation
    /// names: nobody but the leader of these nodes puts files there, and one that was ended had put them before it could tell of them.
    ///
    /// # Errors
    /// When the database or the segment store cannot be written.
    pub async fn sweep(&self, now: Stamp) -> Result<(), GenerationError> {
        let older_than = now.plus_secs(-GENERATIONS_KEPT_FOR_SECS);
        let _changing = self.changing.lock().await;
        let gone = self.store.generations_before(GENERATIONS_KEPT, older_than).await?;
        let last = gone.last().map(|stored| stored.id);
        let all = self.store.generations().await?.into_iter().map(parse_generation).collect::<Result<Vec<_>, _>>()?;
        let kept: Vec<&ToldGeneration> = all.iter().filter(|told| last.is_none_or(|last| told.id > last)).collect();
        let is_kept = |file: &str| kept.iter().any(|told| told.manifest.names(file));
        let mut files = Vec::new();
        if matches!(self.files, SegmentStore::Database(_)) {
            files = self.files.names().await?;
            files.retain(|file| !is_kept(file));
        } else if last.is_some() {
            files = self.old_manifest_files(now, |id| kept.iter().any(|told| told.id == id)).await?;
            for told in gone.into_iter().map(parse_generation) {
                files.extend(told?.manifest.segments.into_iter().map(|entry| entry.file).filter(|file| !is_kept(file)));
            }
        }
        // Rows go last: they alone say which files are to be deleted, also after a run that got stuck half-way.
        for file in &files {
            // Each by itself: whoever was stopped between two of them, and deposed, must not delete what the next leader names again.
            self.store.check_lease().await?;
            self.files.delete(std::slice::from_ref(file)).await?;
        }
        if let Some(last) = last {
            self.store.delete_generations_until(last).await?;
        }
        Ok(())
    }
}

fn parse_generation(stored: StoredGeneration) -> Result<ToldGeneration, GenerationError> {
    let manifest = serde_json::from_str(&stored.manifest);
    let manifest = manifest.map_err(|error| content(format!("the manifest of generation {}: {error}", stored.id)))?;
    Ok(ToldGeneration { id: stored.id, manifest })
}
