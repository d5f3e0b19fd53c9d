//! Writing an archive: one state of the store is read in chunks while the file is written.

use std::collections::BTreeMap;
use std::io::{self, Write};

use refdesk_core::Stamp;
use refdesk_core::hash::HashingWriter;
use serde::Serialize;
use tokio::sync::mpsc;

use super::sums::{PartSums, write_frame};
use super::{
    ArchiveEnd, ArchiveError, ArchiveManifest, CHUNK_ROWS, CHUNKS_WAITING_MAX, Chunk, ExportOptions, FORMAT,
    FORMAT_VERSION, Line, Summary,
};
use crate::config::SourceConfig;
use crate::connectors::repository::redact::holds_secret;
use crate::store::pack::unpack;
use crate::store::{FactContents, SourceRow, Store};

const LEVEL: i32 = 6;

/// Writes the catalog. What evidence records say of the configured `sources` is carried along for a machine that does not configure them,
/// and shows them by it; of those that are off it is left out. The writer is flushed, not closed.
///
/// # Errors
/// When the store cannot be read or the file cannot be written.
pub async fn export<W: Write + Send + 'static>(
    store: &Store,
    sources: &[SourceConfig],
    writer: W,
    now: Stamp,
    options: ExportOptions,
) -> Result<Summary, ArchiveError> {
    let sources: BTreeMap<&str, &SourceConfig> = sources.iter().map(|source| (&*source.id, source)).collect();
    let mut dump = store.dump().await?;
    let mut rows = dump.source_rows().await?;
    for row in &mut rows {
        // Whoever gets the archive asks without the secrets of whoever wrote it, so these requests cannot confirm anything there.
        if row.validators.requests.iter().any(|request| holds_secret(&request.url)) {
            row.validators.requests.clear();
        }
        if let Some(source) = sources.get(row.source_id.as_str()) {
            row.info = source.enabled.then(|| source.info());
        }
    }
    let (sender, receiver) = mpsc::channel::<Chunk>(CHUNKS_WAITING_MAX);
    let writing = tokio::task::spawn_blocking(move || write(writer, &rows, receiver, now, options));
    let mut after = 0;
    loop {
        let chunk = dump.fact_rows(after, CHUNK_ROWS).await?;
        let Some((last, _)) = chunk.last() else { break };
        after = last.id;
        // The writer is gone when it failed; its error is told below.
        if sender.send(chunk).await.is_err() {
            break;
        }
    }
    dump.end().await?;
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
    let mut encoder = zstd::Encoder::new(HashingWriter::new(writer), LEVEL)?;
    encoder.include_checksum(true)?;
    let mut tar = Tar { out: tar::Builder::new(encoder), sums: PartSums::default(), now };
    let manifest = ArchiveManifest {
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
            let left_out = contents.record.is_empty() || (!options.with_withheld && row.is_withheld());
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
    let end = ArchiveEnd { summary, parts: tar.sums.parts.clone() };
    tar.append("end.json", &json(&end)?)?;
    write_frame(tar.out.into_inner()?.finish()?)?;
    Ok(summary)
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
