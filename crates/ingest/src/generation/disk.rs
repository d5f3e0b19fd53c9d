//! The catalog on disk: a folder beside the store with a file for each segment, named by its content, and a manifest that says which make
//! up the catalog. A start reads it instead of building everything; it is a cache, and may be deleted at any time.
//!
//! The manifest names the format of the segments, the sources that the catalog is of, since two configurations may share a store, and the
//! states of all sources at that time. From these follows which segments are still true; the others are built of the store.

mod skipped;
mod write;

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use refdesk_catalog::segment::{Extent, Segment, Texts};
use refdesk_catalog::snapshot::{RouterCache, Snapshot};
use refdesk_core::parallel::in_parallel;
use refdesk_core::{Kind, SourceInfo, Stamp, hash};

use super::manifest::{Manifest, SegmentEntry};
use super::passage_file::PassageFile;
use super::router_file::RouterFile;
use super::{BUFFER_BYTES, GenerationError, SourceStates, content};
use crate::config::SourceConfig;
use crate::files;
use crate::segment_store::FETCHED_SUFFIX;

/// How often the folder is deleted while a server writes into it.
const DELETE_TRIES_MAX: usize = 20;
/// Name of the folder in the data directory.
const FOLDER: &str = "catalog";
const MANIFEST_FILE: &str = "manifest.json";
/// Longest manifest that is read, in bytes: room for the states of thousands of sources.
const MANIFEST_BYTES_MAX: u64 = 64 << 20;

/// Threads that read segments.
const READERS: usize = 2;

/// What of a catalog one look-up needs.
#[derive(Debug, Clone, Copy)]
pub enum Part<'a> {
    /// Everything, to search it.
    Searched,
    /// The items of some kinds.
    Kinds(&'a [Kind]),
    /// The items of some kinds, when any of them has one of these ids or aliases.
    Naming(&'a [Kind], &'a [String]),
}

/// The catalog in a data directory, of the sources of one configuration.
#[derive(Debug, Clone)]
pub struct CatalogFolder {
    path: PathBuf,
    sources: String,
}

impl CatalogFolder {
    /// The folder in a data directory; `sources` stands for what the configuration says of its sources.
    pub fn new(data_dir: &Path, sources: String) -> Self {
        Self { path: data_dir.join(FOLDER), sources }
    }

    /// The folder in a data directory, of the sources that are configured.
    pub fn of(data_dir: &Path, sources: &[SourceConfig]) -> Self {
        Self::new(data_dir, super::sources_hash(sources))
    }

    /// The same folder for a configuration that says something else of its sources.
    #[must_use]
    pub fn with_sources(&self, sources: &[SourceConfig]) -> Self {
        Self { path: self.path.clone(), sources: super::sources_hash(sources) }
    }

    /// Whether a data directory has one.
    pub fn is_there(data_dir: &Path) -> bool {
        data_dir.join(FOLDER).join(MANIFEST_FILE).exists()
    }

    /// Stands for what the configuration says of its sources.
    pub fn sources(&self) -> &str {
        &self.sources
    }

    /// Deletes the folder in a data directory: it has what a source said that is shown no more. A server writes its own again.
    ///
    /// # Errors
    /// When there is one that cannot be deleted.
    pub fn delete(data_dir: &Path) -> std::io::Result<()> {
        let mut tries = 1;
        loop {
            match std::fs::remove_dir_all(data_dir.join(FOLDER)) {
                // A server wrote a file there while the others were deleted.
                Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty && tries < DELETE_TRIES_MAX => tries += 1,
                deleted => return files::if_there(deleted).map(drop),
            }
        }
    }

    /// Whether the catalog there is of other sources. A command leaves it alone: a server may start with it.
    pub fn is_of_others(&self) -> bool {
        matches!(self.manifest(), Ok(Some(manifest)) if manifest.sources != self.sources)
    }

    /// A place for the texts of a segment that is being built; `None` when no file can be made there, which is told.
    pub fn new_passages(&self) -> Option<Box<dyn Texts>> {
        let made = self.make().and_then(|()| PassageFile::new_in(&self.path));
        match made {
            Ok(texts) => Some(Box::new(texts)),
            Err(error) => {
                tracing::warn!(%error, "no file for the texts of the catalog; they stay in memory");
                None
            }
        }
    }

    /// The catalog and the states of the sources that it was built at; `None` when there is none of this format and these sources.
    ///
    /// # Errors
    /// When there is one and it cannot be read.
    pub fn read(&self) -> Result<Option<(Snapshot, SourceStates)>, GenerationError> {
        let Some(manifest) = self.own_manifest()? else { return Ok(None) };
        let snapshot = self.open(&manifest, 1, None)?;
        Ok(Some((snapshot, manifest.states)))
    }

    /// The catalog of a manifest whose files are all in the folder; segments that `before` has of the same files are shared with it.
    ///
    /// # Errors
    /// When a file is not there or cannot be read.
    pub fn open(
        &self,
        manifest: &Manifest,
        generation: u64,
        before: Option<&Snapshot>,
    ) -> Result<Snapshot, GenerationError> {
        let entries = Kind::ALL.into_iter().map(|kind| manifest.entry(kind));
        let entries = entries.collect::<Result<Vec<&SegmentEntry>, GenerationError>>()?;
        // There is an entry of each kind, so there is a latest.
        let now = entries.iter().map(|entry| entry.built_at).max().unwrap_or_default();
        let segments = read_all(entries, |entry| {
            let known = before.map(|before| &before.segments()[entry.kind.index()]);
            Ok(match known.filter(|known| known.file() == Some(&entry.file)) {
                Some(known) if known.built_at() == entry.built_at => Arc::clone(known),
                Some(known) => Arc::new(confirmed(known, entry)?),
                None => Arc::new(self.segment(entry, Extent::Whole)?),
            })
        })?;
        Ok(Snapshot::new(segments, now, generation, before).with_router_cache(self.router_cache()))
    }

    /// The segment of one kind, of which nothing is built anew: it may be older than the store. `None` as in [`CatalogFolder::read`].
    ///
    /// # Errors
    /// When there is one and it cannot be read.
    pub fn read_kind(&self, kind: Kind) -> Result<Option<Segment>, GenerationError> {
        self.own_manifest()?.map(|manifest| self.segment(manifest.entry(kind)?, Extent::Whole)).transpose()
    }

    /// A part of the catalog, its rows read when they are first asked for, and the other segments empty: when all of it still says what the
    /// store does at `now`, where the sources stand as `states` tell and `speaking` say of themselves what they do. Else `None`, and the
    /// whole is to be looked at.
    ///
    /// # Errors
    /// When there is one and it cannot be read.
    pub fn read_part(
        &self,
        part: Part<'_>,
        states: &SourceStates,
        speaking: &[SourceInfo],
        now: Stamp,
    ) -> Result<Option<Snapshot>, GenerationError> {
        let Some(manifest) = self.own_manifest()?.filter(|it| it.states == *states) else { return Ok(None) };
        let mut entries = Vec::with_capacity(Kind::ALL.len());
        for kind in Kind::ALL {
            let entry = manifest.entry(kind)?;
            let Some(known) = &entry.known else { return Ok(None) };
            let is_current = entry.built_at <= now
                && known.next_change_at.is_none_or(|at| at > now)
                && known.sources.iter().all(|source| speaking.contains(source));
            let Some(digest) = hash::unhex(&known.digest).filter(|_| is_current) else { return Ok(None) };
            entries.push((entry, digest));
        }
        let segments = read_all(entries, |(entry, digest)| {
            let extent = match part {
                Part::Searched => Some(Extent::OneSearch),
                Part::Kinds(kinds) => kinds.contains(&entry.kind).then_some(Extent::OneLookUp),
                Part::Naming(kinds, names) => {
                    let is_wanted = kinds.contains(&entry.kind) && self.may_name(entry, names)?;
                    is_wanted.then_some(Extent::OneLookUp)
                }
            };
            Ok(Arc::new(match extent {
                Some(extent) => self.segment(entry, extent)?,
                None => Segment::unread(entry.kind, entry.built_at, digest),
            }))
        })?;
        Ok(Some(Snapshot::new(segments, now, 1, None).with_router_cache(self.router_cache())))
    }

    /// A file of the folder that nothing names, with these bytes, on its disk. It is deleted when its path goes out of scope; one that was
    /// left behind goes with half-fetched ones.
    pub(super) fn unnamed_file(&self, bytes: &[u8]) -> std::io::Result<tempfile::TempPath> {
        let mut file = files::unfinished_in(&self.path, ".tmp", FETCHED_SUFFIX)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        Ok(file.into_temp_path())
    }

    /// Where the router of a catalog is kept.
    pub(super) fn router_cache(&self) -> Arc<dyn RouterCache> {
        Arc::new(RouterFile::new(&self.path))
    }

    pub(super) fn path_of(&self, file: &str) -> PathBuf {
        self.path.join(file)
    }

    /// The manifest in the folder, of whichever sources it is.
    ///
    /// # Errors
    /// When there is one that cannot be read.
    pub fn manifest(&self) -> Result<Option<Manifest>, GenerationError> {
        let Some(file) = files::if_there(files::open_regular(&self.path.join(MANIFEST_FILE)))? else { return Ok(None) };
        let mut text = String::new();
        file.take(MANIFEST_BYTES_MAX).read_to_string(&mut text)?;
        Manifest::parse(&text).map(Some)
    }

    /// The same if it is of a format that this version reads, and of these sources.
    fn own_manifest(&self) -> Result<Option<Manifest>, GenerationError> {
        Ok(self.manifest()?.filter(|manifest| manifest.is_readable() && manifest.sources == self.sources))
    }

    fn segment(&self, entry: &SegmentEntry, extent: Extent) -> Result<Segment, GenerationError> {
        let at = (&entry.times, entry.built_at);
        let segment = Segment::read(self.open_file(entry)?, entry.kind, at, extent, |mut rest, bytes| {
            let start = match extent {
                Extent::Whole | Extent::OneSearch => rest.stream_position()?,
                Extent::OneLookUp => {
                    rest.get_ref().metadata()?.len().checked_sub(bytes).ok_or(ErrorKind::UnexpectedEof)?
                }
            };
            Ok(Some(Arc::new(PassageFile::open(rest.into_inner(), start, bytes)?) as Arc<dyn Texts>))
        });
        let segment = segment.map_err(|error| content(format!("{}: {error}", entry.file)))?;
        segment.set_file(&entry.file);
        Ok(segment)
    }

    fn may_name(&self, entry: &SegmentEntry, spellings: &[String]) -> Result<bool, GenerationError> {
        let named = Segment::may_name(&mut self.open_file(entry)?, entry.kind, spellings);
        named.map_err(|error| content(format!("{}: {error}", entry.file)))
    }

    fn open_file(&self, entry: &SegmentEntry) -> Result<BufReader<File>, GenerationError> {
        Ok(BufReader::with_capacity(BUFFER_BYTES, files::open_regular(&self.path.join(&entry.file))?))
    }

    pub(super) fn make(&self) -> std::io::Result<()> {
        files::make_subfolder(&self.path)
    }
}

/// The segment of each entry, in the order of the kinds, some at a time: what it takes is the processor's time more than the disk's.
fn read_all<T: Send>(
    entries: Vec<T>,
    read: impl Fn(T) -> Result<Arc<Segment>, GenerationError> + Sync,
) -> Result<[Arc<Segment>; 7], GenerationError> {
    let segments = in_parallel(READERS, entries, read);
    let segments = segments.into_iter().collect::<Result<Vec<Arc<Segment>>, GenerationError>>()?;
    segments.try_into().map_err(|_| content("its manifest names no segment of each kind".to_owned()))
}

/// A segment whose file is that of an entry, with the times of the entry.
fn confirmed(known: &Segment, entry: &SegmentEntry) -> Result<Segment, GenerationError> {
    let segment = known.confirmed_at(&entry.times, entry.built_at);
    segment.ok_or_else(|| content(format!("{}: the manifest has the times of {} facts", entry.file, entry.times.len())))
}

/// Whether there is a file whose bytes have a SHA-256.
pub(super) fn has_hash(path: &Path, digest: &[u8; 32]) -> bool {
    files::open_regular(path).and_then(hash::sha256_of_reader).is_ok_and(|found| found == *digest)
}
