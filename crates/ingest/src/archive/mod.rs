//! The catalog with its evidence as one file, to be carried to a machine without network.
//!
//! A zstd-compressed tar, so that any machine can look inside: `manifest.json`, `sources.jsonl` (states, validators, rejects, runs),
//! then for each chunk of facts `records/N`, `bodies/N`, `texts/N` (verbatim) and `facts/CHUNK.jsonl`, at last `end.json` with the
//! counts and the checksum of every part; the checksum of the whole stands behind it ([`sums`]). An import is one transaction, checks every
//! hash and every sum, and refuses what is damaged, cut off or newer. Keys are not carried. Contents that may
//! not be given out are left out, unless the operator says otherwise: such a fact keeps its hash and its provenance.

mod export;
mod import;
mod sums;
pub mod tables;

use std::io;

use refdesk_core::Stamp;
use serde::{Deserialize, Serialize};

pub use export::export;
pub use import::{check_beginning, import, import_within};

use crate::store::pack::CONTENT_BYTES_MAX;
use crate::store::{FactContents, FactRow, StoreError};
use sums::PartChecksums;

/// Version of the format that this build writes, and the newest it reads.
pub const FORMAT_VERSION: u32 = 3;

const FORMAT: &str = "refdesk-archive";
const CHUNK_ROWS: u32 = 256;
/// Chunks between the store and the file at once.
const CHUNKS_WAITING_MAX: usize = 2;
/// Largest list (`sources.jsonl`, `facts/CHUNK.jsonl`).
const LIST_BYTES_MAX: u64 = 1 << 30;
/// Most entries of an archive.
const ENTRIES_MAX: u64 = 100_000_000;

refdesk_core::with_defaults! {
    /// How much of an archive is read.
    #[derive(Debug, Clone, Copy)]
    pub struct ArchiveBounds {
        /// Bytes of a list.
        pub list_bytes_max: u64 = LIST_BYTES_MAX,
        /// Bytes of a record, body or text.
        pub content_bytes_max: u64 = CONTENT_BYTES_MAX as u64,
        /// Entries of the whole.
        pub entries_max: u64 = ENTRIES_MAX,
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
struct ArchiveManifest {
    format: String,
    version: u32,
    created_at: Stamp,
    created_by: String,
}

/// The last entry: what was carried, and the checksums of the parts before.
#[derive(Serialize, Deserialize)]
struct ArchiveEnd {
    #[serde(flatten)]
    summary: Summary,
    #[serde(default)]
    parts: PartChecksums,
}

/// A fact's row in a chunk: `n` names its contents.
#[derive(Serialize, Deserialize)]
struct Line {
    n: usize,
    #[serde(flatten)]
    row: FactRow,
}

type Chunk = Vec<(FactRow, FactContents)>;
