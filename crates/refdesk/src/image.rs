//! The catalog's image: a built snapshot in a file beside the store, so that a start reads it instead of building it again. It may be
//! deleted at any time.
//!
//! A line of JSON stands before the snapshot: the program that wrote it, since only the same program can read it, the sources it is of,
//! since two configurations may share a store, and the states of all sources at that time. From these follows what changed in the store
//! since; only that is read from the store.

use std::fs::{File, TryLockError};
use std::io::{BufRead, BufReader, BufWriter, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use anyhow::Context as _;
use refdesk_catalog::snapshot::{Snapshot, Texts};
use refdesk_ingest::store::SourceState;
use serde::{Deserialize, Serialize};

use crate::texts::FileTexts;

/// Name of the file.
const IMAGE_FILE: &str = "catalog.image";
/// Mode of the file: its owner's alone, as the store is.
#[cfg(unix)]
const FILE_MODE: u32 = 0o600;
/// Longest first line that is read: room for the states of thousands of sources.
const LABEL_BYTES_MAX: u64 = 64 << 20;
/// Buffer between the file and the snapshot.
const BUFFER_BYTES: usize = 1 << 16;

/// Every source and how its last sync went: what is the same as before has brought nothing new.
pub type Mark = Vec<(String, SourceState)>;

/// Ids of the sources whose states differ between two marks; `None` when one is gone, as after a store was replaced.
pub fn synced_since(before: &Mark, now: &Mark) -> Option<Vec<String>> {
    let still_there = |(id, _): &(String, SourceState)| now.iter().any(|(other, _)| other == id);
    let changed = now.iter().filter(|state| !before.contains(state)).map(|(id, _)| id.clone());
    before.iter().all(still_there).then(|| changed.collect())
}

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
struct Label {
    program: String,
    sources: String,
    mark: Mark,
}

impl Label {
    /// Of a file; `None` when another program wrote it.
    fn read(input: &mut BufReader<File>) -> anyhow::Result<Option<Self>> {
        Self::read_within(LABEL_BYTES_MAX, input)
    }

    fn read_within(bytes_max: u64, input: &mut impl BufRead) -> anyhow::Result<Option<Self>> {
        let mut line = String::new();
        input.take(bytes_max).read_line(&mut line)?;
        let label: Self = serde_json::from_str(&line).context("its first line")?;
        Ok((label.program == program()?).then_some(label))
    }
}

/// Where the image of a data directory is.
pub fn path(data_dir: &Path) -> PathBuf {
    data_dir.join(IMAGE_FILE)
}

/// Whether the image there is this program's, of other sources. A command leaves it alone: a server may start with it.
pub fn is_of_others(path: &Path, sources: &str) -> bool {
    let label = File::open(path).ok().map(|file| Label::read(&mut BufReader::new(file)));
    matches!(label, Some(Ok(Some(label))) if label.sources != sources)
}

/// Writes the image of a snapshot of sources that was built from the store as `mark` tells; the one before stays until it is whole. Does
/// nothing while another process writes one.
///
/// # Errors
/// When it cannot be written.
pub fn write(path: &Path, snapshot: &Snapshot, sources: &str, mark: &Mark) -> anyhow::Result<()> {
    let unfinished = path.with_extension("image.new");
    let mut options = File::options();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, FILE_MODE);
    let file = options.open(&unfinished)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => return Ok(()),
        locked => locked?,
    }
    let label = Label { program: program()?, sources: sources.to_owned(), mark: mark.clone() };
    let written = write_to(&file, &label, snapshot).and_then(|()| Ok(std::fs::rename(&unfinished, path)?));
    if written.is_err() {
        // A half-written one would only take up space; that it may not be there is no matter.
        let _ = std::fs::remove_file(&unfinished);
    }
    written
}

fn write_to(file: &File, label: &Label, snapshot: &Snapshot) -> anyhow::Result<()> {
    let label = serde_json::to_string(label)?;
    file.set_len(0)?;
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, file);
    writeln!(out, "{label}")?;
    snapshot.write_image(&mut out)?;
    out.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
    Ok(())
}

/// The snapshot of an image and the mark it was built at; `None` when there is no image of this program and these sources.
///
/// # Errors
/// When there is one and it cannot be read.
pub fn read(path: &Path, sources: &str) -> anyhow::Result<Option<(Snapshot, Mark)>> {
    let file = match File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut input = BufReader::with_capacity(BUFFER_BYTES, file);
    let label = match Label::read(&mut input)? {
        Some(label) if label.sources == sources => label,
        _ => return Ok(None),
    };
    let snapshot = Snapshot::read_image(input, 1, |mut rest, bytes| {
        let start = rest.stream_position()?;
        Ok(Some(Arc::new(FileTexts::open(rest.into_inner(), start, bytes)?) as Arc<dyn Texts>))
    })?;
    Ok(Some((snapshot, label.mark)))
}

/// Stands for this very program: another version may index or render otherwise, and so may another build of the same version.
fn program() -> anyhow::Result<String> {
    let file = std::fs::metadata(std::env::current_exe()?)?;
    let built = file.modified()?.duration_since(UNIX_EPOCH)?.as_nanos();
    Ok(format!("refdesk {} of {} bytes, {built}", env!("CARGO_PKG_VERSION"), file.len()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failing unwrap is a failing test")]

    use super::{Label, program};

    #[test]
    fn a_first_line_that_is_too_long_is_no_label() {
        let label = Label { program: program().unwrap(), sources: String::new(), mark: Vec::new() };
        let line = format!("{}\n", serde_json::to_string(&label).unwrap());
        let read = |bytes_max: usize| Label::read_within(bytes_max as u64, &mut line.as_bytes());
        assert!(read(line.len()).is_ok_and(|label| label.is_some()));
        assert!(read(line.len() - 2).is_err_and(|told| told.to_string().contains("its first line")));
    }
}
