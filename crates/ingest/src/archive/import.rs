//! Reading an archive into a store, in one transaction: what is damaged, cut off or newer leaves the store as it was.

use std::collections::BTreeMap;
use std::io::{self, Read};

use tokio::sync::mpsc;

use super::sums::{PartSums, Unframed, Whole};
use super::{
    ArchiveBounds, ArchiveEnd, ArchiveError, ArchiveManifest, CHUNK_ROWS, CHUNKS_WAITING_MAX, Chunk, FORMAT,
    FORMAT_VERSION, Line, Summary,
};
use crate::store::pack::{Packer, unpack};
use crate::store::{FactContents, SourceRow, Store, StoreError};

/// From this version on an archive has checksums.
const SUMMED_VERSION: u32 = 3;

/// Largest manifest of an archive that comes from elsewhere than a disk.
const MANIFEST_BYTES_MAX: u64 = 1 << 20;

enum ArchivePart {
    Source(Box<SourceRow>),
    Facts(Chunk),
    End(Summary),
}

/// Replaces the sources of the archive in the store by the archive's state of them; other sources stay. All or nothing.
///
/// # Errors
/// When the archive is damaged, cut off or newer, or the store fails. Then the store is as it was.
pub async fn import<R: Read + Send + 'static>(store: &Store, reader: R) -> Result<Summary, ArchiveError> {
    import_within(store, reader, ArchiveBounds::default()).await
}

/// The same within other bounds.
///
/// # Errors
/// As [`import`], and when the archive holds more than they say.
pub async fn import_within<R: Read + Send + 'static>(
    store: &Store,
    reader: R,
    bounds: ArchiveBounds,
) -> Result<Summary, ArchiveError> {
    let (sender, mut receiver) = mpsc::channel::<ArchivePart>(CHUNKS_WAITING_MAX);
    let reading = tokio::task::spawn_blocking(move || read(reader, &sender, bounds));
    let mut open = None;
    let mut told = None;
    let mut seen = Summary::default();
    while let Some(part) = receiver.recv().await {
        // Not before something came: nobody else writes meanwhile, not even to revoke a key, and an archive may be waited for (`ssh` that asks
        // for a password).
        let restore = match &mut open {
            Some(restore) => restore,
            None => open.insert(store.restore().await?),
        };
        match part {
            ArchivePart::Source(row) => {
                seen.sources += 1;
                restore.source(&row, true).await.map_err(refused)?;
            }
            ArchivePart::Facts(chunk) => {
                seen.facts += chunk.len();
                for (row, contents) in chunk {
                    seen.withheld += usize::from(contents.record.is_empty());
                    restore.fact(row, contents).await.map_err(refused)?;
                }
            }
            ArchivePart::End(summary) => told = Some(summary),
        }
    }
    reading.await.map_err(|error| ArchiveError::Io(io::Error::other(error)))??;
    let Some(mut restore) = open.filter(|_| told == Some(seen)) else {
        return Err(ArchiveError::Damaged("it ends too early".into()));
    };
    restore.write_waiting().await.map_err(refused)?;
    restore.commit().await?;
    Ok(seen)
}

/// Rows that the store does not take contradict each other, which no archive does that was written whole.
fn refused(error: StoreError) -> ArchiveError {
    match error {
        StoreError::Database { source, .. } => {
            ArchiveError::Damaged(format!("its rows contradict each other: {source}"))
        }
        error => ArchiveError::Store(error),
    }
}

/// Content after the end of the tar: more than its padding is no part of an archive.
const PADDING_BYTES_MAX: u64 = 1 << 20;

/// Reads to the very end, because only there the sum of the whole can be compared.
fn check_whole<R: Read>(
    decoder: zstd::Decoder<'_, io::BufReader<Unframed<R>>>,
    version: u32,
) -> Result<(), ArchiveError> {
    let damaged = |error: io::Error| ArchiveError::Damaged(error.to_string());
    let mut decoder = decoder;
    let rest = io::copy(&mut (&mut decoder).take(PADDING_BYTES_MAX + 1), &mut io::sink()).map_err(damaged)?;
    if rest > PADDING_BYTES_MAX {
        return Err(ArchiveError::Damaged("something follows its end".into()));
    }
    match decoder.finish().into_inner().finish().map_err(damaged)? {
        Whole::Wrong => Err(ArchiveError::Damaged("its checksum is another: it was changed on its way".into())),
        Whole::Absent if version >= SUMMED_VERSION => Err(ArchiveError::Damaged("its checksum is missing".into())),
        Whole::Right | Whole::Absent => Ok(()),
    }
}

fn read<R: Read>(reader: R, parts: &mpsc::Sender<ArchivePart>, bounds: ArchiveBounds) -> Result<(), ArchiveError> {
    let damaged = |error: &dyn std::fmt::Display| ArchiveError::Damaged(error.to_string());
    let decoder = zstd::Decoder::new(Unframed::new(reader)).map_err(|error| damaged(&error))?;
    let mut archive = tar::Archive::new(decoder);
    let mut reading =
        Reading { parts, contents: BTreeMap::new(), packer: Packer::new(), sums: PartSums::default(), version: 0 };
    let mut entries = 0_u64;
    for entry in archive.entries().map_err(|error| damaged(&error))? {
        let mut entry = entry.map_err(|error| if entries == 0 { foreign() } else { damaged(&error) })?;
        let name = entry.path().map_err(|error| damaged(&error))?.to_string_lossy().into_owned();
        entries += 1;
        if entries > bounds.entries_max {
            return Err(ArchiveError::Damaged("it has too many entries".into()));
        }
        if (entries == 1) != (name == "manifest.json") {
            return Err(foreign());
        }
        let is_content = matches!(name.split_once('/'), Some(("records" | "bodies" | "texts", _)));
        let bytes_max = if is_content { bounds.content_bytes_max } else { bounds.list_bytes_max };
        reading.take_entry(&name, &take(&mut entry, bytes_max)?)?;
    }
    check_whole(archive.into_inner(), reading.version)
}

/// What was read of an archive so far.
struct Reading<'a> {
    parts: &'a mpsc::Sender<ArchivePart>,
    /// Contents that came before their facts, by the numbers of these in their chunk.
    contents: BTreeMap<usize, FactContents>,
    packer: Packer,
    sums: PartSums,
    version: u32,
}

impl Reading<'_> {
    fn take_entry(&mut self, name: &str, content: &[u8]) -> Result<(), ArchiveError> {
        if name != "end.json" {
            self.sums.add(name, content);
        }
        match name.split_once('/') {
            None if name == "manifest.json" => self.version = check_manifest(content)?,
            None if name == "sources.jsonl" => {
                for row in parse_lines::<SourceRow>(content)? {
                    send(self.parts, ArchivePart::Source(Box::new(row)))?;
                }
            }
            None if name == "end.json" => self.take_end(content)?,
            Some(("facts", _)) => {
                let facts = chunk(parse_lines(content)?, std::mem::take(&mut self.contents))?;
                send(self.parts, ArchivePart::Facts(facts))?;
            }
            Some((folder @ ("records" | "bodies" | "texts"), n)) => {
                let n: usize = n.parse().map_err(|_| ArchiveError::Damaged(format!("`{name}` has no number")))?;
                let content = self.packer.pack(content);
                let of_fact = self.contents.entry(n).or_default();
                match folder {
                    "records" => of_fact.record = content,
                    "bodies" => of_fact.body = Some(content),
                    _ => of_fact.text = Some(content),
                }
                if self.contents.len() > CHUNK_ROWS as usize * 4 {
                    return Err(ArchiveError::Damaged("contents without their facts".into()));
                }
            }
            _ => return Err(ArchiveError::Damaged(format!("unknown entry `{name}`"))),
        }
        Ok(())
    }

    fn take_end(&self, content: &[u8]) -> Result<(), ArchiveError> {
        let end: ArchiveEnd =
            serde_json::from_slice(content).map_err(|error| ArchiveError::Damaged(error.to_string()))?;
        let differs = self.sums.first_difference(&end.parts).filter(|_| self.version >= SUMMED_VERSION);
        match differs {
            Some(part) => Err(ArchiveError::Damaged(format!("the checksum of `{part}` is another"))),
            None => send(self.parts, ArchivePart::End(end.summary)),
        }
    }
}

/// Looks whether something begins as an archive does that this version reads, without reading it to its end.
///
/// # Errors
/// When it does not, or ends too early.
pub fn check_beginning<R: Read>(reader: R) -> Result<(), ArchiveError> {
    let decoder = zstd::Decoder::new(Unframed::new(reader)).map_err(|_| foreign())?;
    let mut archive = tar::Archive::new(decoder);
    let first = archive.entries().map_err(|_| foreign())?.next();
    let mut first = first.ok_or_else(foreign)?.map_err(|_| foreign())?;
    if first.path().map_err(|_| foreign())?.as_os_str() != "manifest.json" {
        return Err(foreign());
    }
    check_manifest(&take(&mut first, MANIFEST_BYTES_MAX)?).map(drop)
}

/// What another program wrote fails at once, and what the decoder says of it helps nobody.
fn foreign() -> ArchiveError {
    ArchiveError::Damaged("it does not begin as a file of `refdesk export` does".into())
}

/// The version of the format.
fn check_manifest(text: &[u8]) -> Result<u32, ArchiveError> {
    let manifest: ArchiveManifest = serde_json::from_slice(text)
        .map_err(|error| ArchiveError::Damaged(format!("its manifest cannot be read: {error}")))?;
    if manifest.format != FORMAT {
        return Err(ArchiveError::Damaged(format!("it is a `{}`", manifest.format)));
    }
    if manifest.version > FORMAT_VERSION {
        return Err(ArchiveError::Newer { found: manifest.version });
    }
    Ok(manifest.version)
}

/// Joins rows with their contents; every record must have the hash that its row states.
fn chunk(list: Vec<Line>, mut contents: BTreeMap<usize, FactContents>) -> Result<Chunk, ArchiveError> {
    let mut chunk = Vec::with_capacity(list.len());
    for Line { n, row } in list {
        let of_fact = contents.remove(&n).unwrap_or_default();
        if of_fact.record.is_empty() {
            if !row.is_withheld() {
                return Err(ArchiveError::Damaged(format!("the record of `{}` is missing", row.key)));
            }
            // Without its record a fact has no text either.
            chunk.push((row, FactContents::default()));
            continue;
        }
        if refdesk_core::hash::content_hash(&unpack(&of_fact.record)?) != row.content_hash {
            return Err(ArchiveError::Damaged(format!("the record of `{}` has another hash", row.key)));
        }
        chunk.push((row, of_fact));
    }
    Ok(chunk)
}

fn take(entry: &mut impl Read, bytes_max: u64) -> Result<Vec<u8>, ArchiveError> {
    let mut content = Vec::new();
    entry.take(bytes_max + 1).read_to_end(&mut content).map_err(|error| ArchiveError::Damaged(error.to_string()))?;
    if content.len() as u64 > bytes_max {
        return Err(ArchiveError::Damaged(format!("an entry is larger than {bytes_max} bytes")));
    }
    Ok(content)
}

fn parse_lines<T: serde::de::DeserializeOwned>(text: &[u8]) -> Result<Vec<T>, ArchiveError> {
    text.split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).map_err(|error| ArchiveError::Damaged(error.to_string())))
        .collect()
}

fn send(parts: &mpsc::Sender<ArchivePart>, part: ArchivePart) -> Result<(), ArchiveError> {
    // The receiver is gone when the store failed; that error is told instead of this one.
    parts.blocking_send(part).map_err(|_| ArchiveError::Damaged("the store took no more".into()))
}
