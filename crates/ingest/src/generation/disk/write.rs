//! Writing into the catalog folder: one process at a time, the segments first and then the manifest that names them.

use std::fs::{File, TryLockError};
use std::io::{BufWriter, Write};
use std::time::Duration;

use refdesk_catalog::segment::{SEGMENT_FORMAT, Segment};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::{Kind, hash};

use super::{CatalogFolder, MANIFEST_FILE, has_hash};
use crate::files;
use crate::generation::manifest::{Known, Manifest, SEGMENT_SUFFIX, SegmentEntry, file_name};
use crate::generation::{BUFFER_BYTES, GenerationError, SourceStates};
use crate::segment_store::FETCHED_SUFFIX;

/// The file that a writer locks. It is never renamed, so that two writers always lock the same one.
const LOCK_FILE: &str = "writer.lock";
/// A file that was being fetched and that nobody wrote to for so long is what a process left that was killed.
const FETCHED_KEPT_FOR: Duration = Duration::from_hours(1);

/// Bytes that a disk takes of which is tried whether it can be written: more than is free on one that is full but for its last blocks.
const TRIED_BYTES: usize = 1 << 20;

impl CatalogFolder {
    /// Tries whether a catalog could be written here: whether the folder can be locked, and takes some bytes.
    ///
    /// # Errors
    /// When it could not.
    pub fn try_writing(&self) -> Result<(), GenerationError> {
        let lock = self.lock()?.ok_or(GenerationError::FolderBusy)?;
        self.unnamed_file(&vec![0; TRIED_BYTES])?;
        drop(lock);
        Ok(())
    }

    /// Writes a catalog that was built of the store as `states` tells: the segments that are not there yet, then the manifest. Until then the
    /// catalog before stays, and its segments until [`CatalogFolder::delete_unnamed`]. Does nothing while another process writes one, and
    /// gives no manifest.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, snapshot: &Snapshot, states: &SourceStates) -> Result<Option<Manifest>, GenerationError> {
        let Some(_lock) = self.lock()? else { return Ok(None) };
        let mut segments = Vec::with_capacity(Kind::ALL.len());
        for segment in snapshot.segments() {
            let (kind, built_at, times) = (segment.kind(), segment.built_at(), segment.times().clone());
            let known = Some(Known::from_segment(segment));
            segments.push(SegmentEntry { kind, file: self.write_segment(segment)?, built_at, times, known });
        }
        let (sources, revision) = (self.sources.clone(), snapshot.revision().to_owned());
        let manifest = Manifest { format: SEGMENT_FORMAT, revision, sources, states: states.clone(), segments };
        self.put_manifest(&manifest)?;
        Ok(Some(manifest))
    }

    /// Makes a manifest whose files are all in the folder the one that the next start begins with. Does nothing while another process
    /// writes one.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep_manifest(&self, manifest: &Manifest) -> Result<(), GenerationError> {
        let Some(_lock) = self.lock()? else { return Ok(()) };
        self.put_manifest(manifest)?;
        self.sweep(manifest);
        Ok(())
    }

    /// Deletes what the manifest in the folder does not name. Does nothing while another process writes one.
    ///
    /// # Errors
    /// When there is no place to lock, or the manifest cannot be read.
    pub fn delete_unnamed(&self) -> Result<(), GenerationError> {
        let Some(_lock) = self.lock()? else { return Ok(()) };
        if let Some(manifest) = self.manifest()? {
            self.sweep(&manifest);
        }
        Ok(())
    }

    /// The right to write into the folder, which one process has at a time, until the file is closed; `None` while another has it.
    fn lock(&self) -> Result<Option<File>, GenerationError> {
        self.make()?;
        let lock = files::create_private(&self.path.join(LOCK_FILE))?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => Ok(None),
            locked => Ok(locked.map(|()| Some(lock)).map_err(std::io::Error::from)?),
        }
    }

    /// Puts a manifest in place of the one before. Only for whoever has the lock.
    fn put_manifest(&self, manifest: &Manifest) -> Result<(), GenerationError> {
        let text = manifest.summed_text()?;
        files::write_whole(&self.path, MANIFEST_FILE, |mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            Ok::<_, GenerationError>(MANIFEST_FILE.to_owned())
        })
        .map(drop)
    }

    /// Writes a segment under the hash of its bytes, unless it is there; gives the name.
    fn write_segment(&self, segment: &Segment) -> Result<String, GenerationError> {
        if let Some(name) = segment.file().filter(|name| self.path.join(name).exists()) {
            return Ok(name.to_owned());
        }
        // A sync that only confirmed what was known gives the bytes that are there; unless the disk damaged them since.
        let (digest, _) = write_hashed(segment, std::io::sink())?;
        let known = file_name(segment.kind(), &digest);
        let is_there = has_hash(&self.path.join(&known), &digest);
        let name = if is_there {
            known
        } else {
            files::write_whole(&self.path, segment.kind().path_segment(), |file| {
                let (digest, file) = write_hashed(segment, file)?;
                file.sync_all()?;
                Ok::<_, GenerationError>(file_name(segment.kind(), &digest))
            })?
        };
        segment.set_file(&name);
        Ok(name)
    }

    /// Deletes segments that a manifest does not name, and half-fetched ones. One that cannot be deleted only takes up space, and the next time
    /// tries again.
    fn sweep(&self, manifest: &Manifest) {
        files::sweep(&self.path, |file| {
            let is_unnamed = |name: &str| name.ends_with(SEGMENT_SUFFIX) && !manifest.names(name);
            let is_left = |name: &str| name.ends_with(FETCHED_SUFFIX) && files::is_idle(file, FETCHED_KEPT_FOR);
            file.file_name().to_str().is_some_and(|name| is_unnamed(name) || is_left(name))
        });
    }
}

/// Writes a segment, and gives the SHA-256 of its bytes and where they went.
fn write_hashed<W: Write>(segment: &Segment, out: W) -> Result<([u8; 32], W), GenerationError> {
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, hash::HashingWriter::new(out));
    segment.write(&mut out)?;
    let hashed = out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    Ok(hashed.finish())
}
