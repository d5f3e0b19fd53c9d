//! What a node begins with while the database is down: the generation that it has from before, else the newest whose manifest is in the
//! segment store.
//!
//! The database alone says which generation is the newest. Its manifest follows into the segment store once the database has it, as a file
//! that is named by its time, its number and its content: nothing there changes under its name, and the last name is the newest.

use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::{Stamp, hash};

use super::{GENERATIONS_KEPT, GENERATIONS_KEPT_FOR_SECS, SharedGenerations, ToldGeneration};
use crate::generation::manifest::Manifest;
use crate::generation::{GenerationError, background, content};
use crate::segment_store::SegmentStore;

/// What the names of manifests in the segment store end with.
const SUFFIX: &str = ".manifest";
/// Digits of times and numbers in names, so that their order is that of the names.
const DIGITS: usize = 12;

/// What the name of a manifest in the segment store says.
#[derive(Debug, Clone, Copy)]
struct ManifestName<'a> {
    told_at: Stamp,
    id: i64,
    hash: &'a str,
}

impl<'a> ManifestName<'a> {
    /// `None` when it is no such name.
    fn parse(name: &'a str) -> Option<Self> {
        let mut parts = name.strip_suffix(SUFFIX)?.splitn(3, '-');
        let mut number = || parts.next()?.parse::<i64>().ok();
        let (told_at, id) = (Stamp(number()?), number()?);
        let hash = parts.next()?;
        hash.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(Self { told_at, id, hash })
    }
}

impl SharedGenerations {
    /// The generation that this node took up or told last: what it starts with when there is no database.
    ///
    /// # Errors
    /// When there is one that cannot be read.
    pub async fn last_here(&self) -> Result<Option<Snapshot>, GenerationError> {
        let folder = self.folder.clone();
        background::on_a_thread(async move {
            let Some(manifest) = folder.manifest()?.filter(Manifest::is_readable) else { return Ok(None) };
            folder.open(&manifest, 1, None).map(Some)
        })
        .await?
    }

    /// The newest generation of the segment store that can be taken up, whether or not the database knows a newer one; `None` where there
    /// is none.
    ///
    /// # Errors
    /// When the segment store cannot be asked.
    pub async fn newest_in_segment_store(&self) -> Result<Option<Snapshot>, GenerationError> {
        for file in self.manifest_files().await?.iter().rev() {
            match self.take_up_file(file).await {
                Ok(Some(snapshot)) => return Ok(Some(snapshot)),
                // It is of another format: in an upgrade the versions take turns.
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!(%error, "a generation of the segment store cannot be taken up; the one before it is tried");
                }
            }
        }
        Ok(None)
    }

    async fn take_up_file(&self, file: &str) -> Result<Option<Snapshot>, GenerationError> {
        let Some(ManifestName { id, hash, .. }) = ManifestName::parse(file) else { return Ok(None) };
        self.folder.make()?;
        let path = self.folder.path_of(file);
        self.files.fetch(file, hash, &path).await?;
        let text = tokio::fs::read(&path).await;
        tokio::fs::remove_file(&path).await?;
        let manifest: Manifest =
            serde_json::from_slice(&text?).map_err(|error| content(format!("the manifest {file}: {error}")))?;
        if !manifest.is_readable() {
            return Ok(None);
        }
        let taken = self.take_up(&ToldGeneration { id, manifest }, None).await?;
        Ok(Some(taken.snapshot))
    }

    /// Puts the manifest of a generation that the database has into the segment store.
    ///
    /// Its name says a time that no generation before it has in its own, whatever their leaders' clocks said: the order of the names is that of
    /// the database, whichever of two writers comes last. And its bytes are its own: the file in the catalog folder may be another's by now.
    pub(super) async fn put_manifest(
        &self,
        manifest: &Manifest,
        id: i64,
        told_at: Stamp,
    ) -> Result<(), GenerationError> {
        if matches!(self.files, SegmentStore::Database(_)) {
            // Whoever reaches it reaches the generations.
            return Ok(());
        }
        let text = manifest.text()?;
        let names = self.manifest_files().await?;
        let before = names.iter().filter_map(|name| ManifestName::parse(name)).filter(|name| name.id < id);
        let told_before = before.map(|name| name.told_at).chain(self.store.generations_latest_time(id).await?);
        let told_at = told_before.fold(told_at, Stamp::max);
        let hash = hash::hex(&hash::sha256(text.as_bytes()));
        let file = format!("{:0DIGITS$}-{id:0DIGITS$}-{hash}{SUFFIX}", told_at.0);
        let path = self.folder.unnamed_file(text.as_bytes())?;
        Ok(self.files.put(&file, &path).await?)
    }

    /// The manifests in the segment store that nobody begins with any more: those that are old enough to be deleted, and those that a clock
    /// named that was ahead, once their generation is not among the `kept`.
    pub(super) async fn old_manifest_files(
        &self,
        now: Stamp,
        is_kept: impl Fn(i64) -> bool,
    ) -> Result<Vec<String>, GenerationError> {
        let is = |file: &String, of: &dyn Fn(ManifestName<'_>) -> bool| ManifestName::parse(file).is_some_and(of);
        let files = self.manifest_files().await?.into_iter();
        let (ahead, mut old): (Vec<_>, Vec<_>) =
            files.partition(|file| is(file, &|name| name.told_at.is_ahead_of(now)));
        old.truncate(old.len().saturating_sub(GENERATIONS_KEPT as usize));
        let older_than = now.plus_secs(-GENERATIONS_KEPT_FOR_SECS);
        old.retain(|file| is(file, &|name| name.told_at < older_than));
        old.extend(ahead.into_iter().filter(|file| is(file, &|name| !is_kept(name.id))));
        Ok(old)
    }

    /// The manifests in the segment store, the newest last.
    async fn manifest_files(&self) -> Result<Vec<String>, GenerationError> {
        if matches!(self.files, SegmentStore::Database(_)) {
            return Ok(Vec::new());
        }
        let mut files = self.files.names().await?;
        files.retain(|file| ManifestName::parse(file).is_some());
        files.sort_unstable();
        Ok(files)
    }
}
