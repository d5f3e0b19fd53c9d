//! The catalog with its evidence as one file, to be carried to a machine without network.
//!
//! A zstd-compressed tar, so that any machine can look inside: `manifest.json`, `sources.jsonl` (states, validators, rejects, runs),
//! then for each chunk of facts `records/N`, `bodies/N`, `texts/N` (verbatim) and `facts/CHUNK.jsonl`, at last `end.json` with the
//! counts and the checksum of every part; the checksum of the whole stands behind it ([`sums`]). An import is one transaction, checks every
//! hash and every sum, and refuses what is damaged, cut off or newer. Keys are not carried. Contents that may
//! not be given out are left out, unless the operator says otherwise: such a fact keeps its hash and its provenance.

mod sums;
pub mod tables;

use std::collections::BTreeMap;
use std::io::{self, Read, Write};

use refdesk_core::fact::Provenance;
use refdesk_core::{SourceInfo, Stamp};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::store::pack::{CONTENT_BYTES_MAX, Packer, unpack};
use crate::store::{FactContents, FactRow, SourceRow, Store, StoreError};
use sums::{PartSums, Parts, Summed, Unframed, Whole};

/// Version of the format that this build writes, and the newest it reads.
pub const FORMAT_VERSION: u32 = 3;
/// From this version on an archive has checksums.
const SUMMED_VERSION: u32 = 3;

const FORMAT: &str = "refdesk-archive";
const LEVEL: i32 = 6;
/// Facts of one chunk.
const CHUNK_ROWS: u32 = 256;
/// Chunks between the store and the file at once.
const CHUNKS_WAITING_MAX: usize = 2;
/// Largest list (`sources.jsonl`, `facts/CHUNK.jsonl`).
const LIST_BYTES_MAX: u64 = 1 << 30;
/// Most entries of an archive.
const ENTRIES_MAX: u64 = 100_000_000;

/// How much of an archive is read.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Bytes of a list.
    pub list_bytes_max: u64,
    /// Bytes of a record, body or text.
    pub content_bytes_max: u64,
    /// Entries of the whole.
    pub entries_max: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { list_bytes_max: LIST_BYTES_MAX, content_bytes_max: CONTENT_BYTES_MAX as u64, entries_max: ENTRIES_MAX }
    }
}

/// What an archive holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Summary {
    /// Sources with a state.
    pub sources: usize,
    /// Facts, removed ones included.
    pub facts: usize,
    /// Facts whose record, body and text were left out, because they may not be given out.
    #[serde(default)]
    pub withheld: usize,
}

/// What goes into an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExportOptions {
    /// Records, bodies and texts that may not be given out, too.
    pub with_withheld: bool,
}

/// Why an archive cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// Reading or writing the file failed.
    #[error("the archive cannot be read or written: {0}")]
    Io(#[from] io::Error),
    /// It is no archive, or is damaged or cut off.
    #[error("not a complete refdesk archive: {0}; nothing was imported")]
    Damaged(String),
    /// A later refdesk wrote it.
    #[error(
        "the archive has format {found}, this refdesk reads up to {FORMAT_VERSION}; import it with the refdesk that wrote it; nothing was imported"
    )]
    Newer {
        /// Its format.
        found: u32,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[derive(Serialize, Deserialize)]
struct Manifest {
    format: String,
    version: u32,
    created_at: Stamp,
    created_by: String,
}

/// The last entry: what was carried, and the checksums of the parts before.
#[derive(Serialize, Deserialize)]
struct End {
    #[serde(flatten)]
    summary: Summary,
    #[serde(default)]
    parts: Parts,
}

/// A fact's row in a chunk: `n` names its contents.
#[derive(Serialize, Deserialize)]
struct Line {
    n: usize,
    #[serde(flatten)]
    row: FactRow,
}

type Chunk = Vec<(FactRow, FactContents)>;

// ---- export ----

/// Writes the catalog. `sources` is what evidence records say of the configured sources; it is carried along for a machine that does
/// not configure them. The writer is flushed, not closed.
///
/// # Errors
/// When the store cannot be read or the file cannot be written.
pub async fn export<W: Write + Send + 'static>(
    store: &Store,
    sources: &[SourceInfo],
    writer: W,
    now: Stamp,
    options: ExportOptions,
) -> Result<Summary, ArchiveError> {
    let infos: BTreeMap<&str, &SourceInfo> = sources.iter().map(|source| (&*source.id, source)).collect();
    let mut rows = store.source_rows().await?;
    for row in &mut rows {
        if let Some(info) = infos.get(row.source_id.as_str()) {
            row.info = Some((*info).clone());
        }
    }
    let (sender, receiver) = mpsc::channel::<Chunk>(CHUNKS_WAITING_MAX);
    let writing = tokio::task::spawn_blocking(move || write(writer, &rows, receiver, now, options));
    let mut after = 0;
    loop {
        let chunk = store.fact_rows(after, CHUNK_ROWS).await?;
        let Some((last, _)) = chunk.last() else { break };
        after = last.id;
        // The writer is gone when it failed; its error is told below.
        if sender.send(chunk).await.is_err() {
            break;
        }
    }
    drop(sender);
    writing.await.map_err(|error| ArchiveError::Io(io::Error::other(error)))?
}

fn write<W: Write>(
    writer: W,
    sources: &[SourceRow],
    mut chunks: mpsc::Receiver<Chunk>,
    now: Stamp,
    options: ExportOptions,
) -> Result<Summary, ArchiveError> {
    let mut encoder = zstd::Encoder::new(Summed::new(writer), LEVEL)?;
    encoder.include_checksum(true)?;
    let mut tar = Tar { out: tar::Builder::new(encoder), sums: PartSums::default(), now };
    let manifest = Manifest {
        format: FORMAT.into(),
        version: FORMAT_VERSION,
        created_at: now,
        created_by: concat!("refdesk ", env!("CARGO_PKG_VERSION")).into(),
    };
    tar.append("manifest.json", &json(&manifest)?)?;
    tar.append("sources.jsonl", &lines(sources)?)?;
    let mut summary = Summary { sources: sources.len(), ..Summary::default() };
    let mut number = 0_usize;
    while let Some(chunk) = chunks.blocking_recv() {
        let mut list = Vec::with_capacity(chunk.len());
        for (row, contents) in chunk {
            let n = summary.facts;
            let left_out = contents.record.is_empty() || (!options.with_withheld && may_lack_record(&row));
            let contents = if left_out { FactContents::default() } else { contents };
            summary.withheld += usize::from(left_out);
            if !left_out {
                tar.append(&format!("records/{n}"), &unpack(&contents.record)?)?;
            }
            if let Some(body) = &contents.body {
                tar.append(&format!("bodies/{n}"), &unpack(body)?)?;
            }
            if let Some(text) = &contents.text {
                tar.append(&format!("texts/{n}"), &unpack(text)?)?;
            }
            list.push(Line { n, row });
            summary.facts += 1;
        }
        tar.append(&format!("facts/{number:06}.jsonl"), &lines(&list)?)?;
        number += 1;
    }
    let end = End { summary, parts: tar.sums.parts().clone() };
    tar.append("end.json", &json(&end)?)?;
    tar.out.into_inner()?.finish()?.finish()?;
    Ok(summary)
}

/// Whether the contents of a fact may not be given out.
fn may_lack_record(row: &FactRow) -> bool {
    serde_json::from_str::<Provenance>(&row.provenance).is_ok_and(|said| said.record_withheld.is_some())
}

/// A tar that is being written, with the sums of its parts.
struct Tar<W: Write> {
    out: tar::Builder<W>,
    sums: PartSums,
    now: Stamp,
}

impl<W: Write> Tar<W> {
    fn append(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        self.sums.add(name, content);
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(u64::try_from(self.now.0).unwrap_or(0));
        self.out.append_data(&mut header, name, content)
    }
}

fn json<T: Serialize>(value: &T) -> Result<Vec<u8>, ArchiveError> {
    serde_json::to_vec(value).map_err(|error| ArchiveError::Io(io::Error::other(error)))
}

fn lines<T: Serialize>(values: &[T]) -> Result<Vec<u8>, ArchiveError> {
    let mut out = Vec::new();
    for value in values {
        out.extend(json(value)?);
        out.push(b'\n');
    }
    Ok(out)
}

// ---- import ----

enum Part {
    Source(Box<SourceRow>),
    Facts(Chunk),
    End(Summary),
}

/// Replaces the sources of the archive in the store by the archive's state of them; other sources stay. All or nothing.
///
/// # Errors
/// When the archive is damaged, cut off or newer, or the store fails. Then the store is as it was.
pub async fn import<R: Read + Send + 'static>(store: &Store, reader: R) -> Result<Summary, ArchiveError> {
    import_within(store, reader, Bounds::default()).await
}

/// The same within other bounds.
///
/// # Errors
/// As [`import`], and when the archive holds more than they say.
pub async fn import_within<R: Read + Send + 'static>(
    store: &Store,
    reader: R,
    bounds: Bounds,
) -> Result<Summary, ArchiveError> {
    let (sender, mut receiver) = mpsc::channel::<Part>(CHUNKS_WAITING_MAX);
    let reading = tokio::task::spawn_blocking(move || read(reader, &sender, bounds));
    let mut restore = store.restore().await?;
    let mut told = None;
    let mut seen = Summary::default();
    while let Some(part) = receiver.recv().await {
        match part {
            Part::Source(row) => {
                seen.sources += 1;
                restore.source(&row, true).await.map_err(refused)?;
            }
            Part::Facts(chunk) => {
                seen.facts += chunk.len();
                for (row, contents) in chunk {
                    seen.withheld += usize::from(contents.record.is_empty());
                    restore.fact(row, contents).await.map_err(refused)?;
                }
            }
            Part::End(summary) => told = Some(summary),
        }
    }
    reading.await.map_err(|error| ArchiveError::Io(io::Error::other(error)))??;
    if told != Some(seen) {
        return Err(ArchiveError::Damaged("it ends too early".into()));
    }
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

fn read<R: Read>(reader: R, parts: &mpsc::Sender<Part>, bounds: Bounds) -> Result<(), ArchiveError> {
    let damaged = |error: &dyn std::fmt::Display| ArchiveError::Damaged(error.to_string());
    let decoder = zstd::Decoder::new(Unframed::new(reader)).map_err(|error| damaged(&error))?;
    let mut archive = tar::Archive::new(decoder);
    let mut contents: BTreeMap<usize, FactContents> = BTreeMap::new();
    let mut packer = Packer::new();
    let (mut sums, mut version) = (PartSums::default(), 0);
    let mut entries = 0_u64;
    for entry in archive.entries().map_err(|error| damaged(&error))? {
        // What another program wrote fails at once, and what the decoder says of it helps nobody.
        let foreign = || ArchiveError::Damaged("it does not begin as a file of `refdesk export` does".into());
        let mut entry = entry.map_err(|error| if entries == 0 { foreign() } else { damaged(&error) })?;
        let name = entry.path().map_err(|error| damaged(&error))?.to_string_lossy().into_owned();
        entries += 1;
        if entries > bounds.entries_max {
            return Err(ArchiveError::Damaged("it has too many entries".into()));
        }
        if (entries == 1) != (name == "manifest.json") {
            return Err(ArchiveError::Damaged("it does not begin with manifest.json".into()));
        }
        let part = match name.split_once('/') {
            None if name == "manifest.json" => {
                let content = take(&mut entry, bounds.list_bytes_max)?;
                sums.add(&name, &content);
                version = check_manifest(&content)?;
                continue;
            }
            None if name == "sources.jsonl" => {
                let content = take(&mut entry, bounds.list_bytes_max)?;
                sums.add(&name, &content);
                for row in parse_lines::<SourceRow>(&content)? {
                    send(parts, Part::Source(Box::new(row)))?;
                }
                continue;
            }
            None if name == "end.json" => {
                let end: End = serde_json::from_slice(&take(&mut entry, bounds.list_bytes_max)?)
                    .map_err(|error| damaged(&error))?;
                let differs = sums.first_difference(&end.parts).filter(|_| version >= SUMMED_VERSION);
                if let Some(part) = differs {
                    return Err(ArchiveError::Damaged(format!("the checksum of `{part}` is another")));
                }
                Part::End(end.summary)
            }
            Some(("facts", _)) => {
                let content = take(&mut entry, bounds.list_bytes_max)?;
                sums.add(&name, &content);
                let list = parse_lines::<Line>(&content)?;
                Part::Facts(chunk(list, std::mem::take(&mut contents))?)
            }
            Some((folder @ ("records" | "bodies" | "texts"), n)) => {
                let n: usize = n.parse().map_err(|_| ArchiveError::Damaged(format!("`{name}` has no number")))?;
                let content = take(&mut entry, bounds.content_bytes_max)?;
                sums.add(&name, &content);
                let content = packer.pack(&content);
                let of_fact = contents.entry(n).or_default();
                match folder {
                    "records" => of_fact.record = content,
                    "bodies" => of_fact.body = Some(content),
                    _ => of_fact.text = Some(content),
                }
                if contents.len() > CHUNK_ROWS as usize * 4 {
                    return Err(ArchiveError::Damaged("contents without their facts".into()));
                }
                continue;
            }
            _ => return Err(ArchiveError::Damaged(format!("unknown entry `{name}`"))),
        };
        send(parts, part)?;
    }
    check_whole(archive.into_inner(), version)
}

/// The version of the format.
fn check_manifest(text: &[u8]) -> Result<u32, ArchiveError> {
    let manifest: Manifest = serde_json::from_slice(text)
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
            if !may_lack_record(&row) {
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

fn send(parts: &mpsc::Sender<Part>, part: Part) -> Result<(), ArchiveError> {
    // The receiver is gone when the store failed; that error is told instead of this one.
    parts.blocking_send(part).map_err(|_| ArchiveError::Damaged("the store took no more".into()))
}
