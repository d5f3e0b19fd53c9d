//! A generation as a manifest: which immutable, content-addressed segment files make up the catalog, and what it was made of.
//!
//! One machine keeps it in its data directory; several share it through the store, and each reader fetches the files that it
//! lacks. Quickwit (splits and a metastore) and table formats publish alike.

use refdesk_catalog::segment::{SEGMENT_FORMAT, Segment, Times};
use refdesk_core::{Kind, SourceInfo, Stamp, hash};
use serde::{Deserialize, Serialize};

use super::{GenerationError, SourceStates, content};

/// What the names of segments end with.
pub(super) const SEGMENT_SUFFIX: &str = ".segment";
/// What a manifest on disk begins with, before the SHA-256 of what comes after it. Those of earlier versions begin with what they say.
const SUM_BEGINS: &str = "{\n  \"checksum\": \"";
const SUM_ENDS: &str = "\",";
/// Hexadecimal digits of the SHA-256 in the name of a file.
const HASH_CHARS: usize = 64;

/// Which segments make up a catalog.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`SEGMENT_FORMAT`].
    pub format: u32,
    /// Revision of the catalog that they make; empty in manifests of earlier versions.
    #[serde(default)]
    pub revision: String,
    /// Stands for what the configuration says of its sources.
    pub sources: String,
    /// Every source, and how its last sync went.
    pub states: SourceStates,
    /// A segment of each kind.
    pub segments: Vec<SegmentEntry>,
}

/// A segment of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentEntry {
    /// Its kind.
    pub kind: Kind,
    /// Name of its file: the kind, and the SHA-256 of the file's bytes.
    pub file: String,
    /// The clock that it was built with.
    pub built_at: Stamp,
    /// When its facts were confirmed: all that is new after a sync which found nothing else. Manifests of earlier formats lack it.
    #[serde(default)]
    pub times: Times,
    /// What is needed to know of it without reading it; catalogs of earlier versions lack it.
    #[serde(default)]
    pub(super) known: Option<Known>,
}

/// What makes it possible to leave a segment unread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Known {
    /// [`Segment::digest`], in hexadecimal digits.
    pub(super) digest: String,
    pub(super) next_change_at: Option<Stamp>,
    /// What its sources said of themselves.
    pub(super) sources: Vec<SourceInfo>,
}

impl Known {
    pub(super) fn from_segment(segment: &Segment) -> Self {
        Self {
            digest: hash::hex(segment.digest()),
            next_change_at: segment.next_change_at(),
            sources: segment.sources().iter().map(|source| (**source).clone()).collect(),
        }
    }
}

impl Manifest {
    /// Whether this version of refdesk reads its segments.
    pub const fn is_readable(&self) -> bool {
        self.format == SEGMENT_FORMAT
    }

    /// Whether it names a file.
    pub fn names(&self, file: &str) -> bool {
        self.segments.iter().any(|entry| entry.file == file)
    }

    /// What it is on disk: a disk that changes a digit of a time must not go unnoticed.
    pub(super) fn summed_text(&self) -> Result<String, GenerationError> {
        let text = self.text()?;
        let rest = text.strip_prefix('{').unwrap_or(&text);
        Ok(format!("{SUM_BEGINS}{}{SUM_ENDS}{rest}", hash::hex(&hash::sha256(rest.as_bytes()))))
    }

    /// One that was on disk.
    ///
    /// # Errors
    /// When it is none, or was changed since it was written.
    pub(super) fn parse(text: &str) -> Result<Self, GenerationError> {
        if let Some((sum, rest)) = text.strip_prefix(SUM_BEGINS).and_then(|summed| summed.split_once(SUM_ENDS))
            && hash::hex(&hash::sha256(rest.as_bytes())) != sum
        {
            return Err(content("manifest.json: its checksum is another: it was changed on disk".to_owned()));
        }
        serde_json::from_str(text).map_err(|error| content(format!("manifest.json: {error}")))
    }

    /// What it is where files are named by their content.
    pub(super) fn text(&self) -> Result<String, GenerationError> {
        serde_json::to_string_pretty(self).map_err(|error| content(error.to_string()))
    }

    /// The segment of a kind.
    ///
    /// # Errors
    /// When it names none, or its file by something that is no name of a segment.
    pub fn entry(&self, kind: Kind) -> Result<&SegmentEntry, GenerationError> {
        let entry = self.segments.iter().find(|entry| entry.kind == kind);
        let entry = entry.ok_or_else(|| content(format!("its manifest names no {}", kind.path_segment())))?;
        let is_name = entry.file.ends_with(SEGMENT_SUFFIX) && !entry.file.contains(['/', '\\']);
        if is_name { Ok(entry) } else { Err(content(format!("{}: no name of a segment", entry.file))) }
    }
}

/// Name of the file that has a segment, when `digest` is the SHA-256 of its bytes.
pub(super) fn file_name(kind: Kind, digest: &[u8; 32]) -> String {
    format!("{}-{}{SEGMENT_SUFFIX}", kind.path_segment(), hash::hex(digest))
}

/// The SHA-256 that the name of a file states, in hexadecimal digits.
pub(super) fn stated_hash(file: &str) -> Option<&str> {
    let (_, hash) = file.strip_suffix(SEGMENT_SUFFIX)?.rsplit_once('-')?;
    (hash.len() == HASH_CHARS && hash.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(hash)
}
