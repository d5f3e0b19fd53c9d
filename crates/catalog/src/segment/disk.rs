//! A segment on disk: its parts in checked frames behind a header with the number of the format, the texts behind all else. The times at
//! which its facts were confirmed are not in it: whoever reads it has them from elsewhere.

use std::io::{Read, Write};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::record::is_record;
use super::{Segment, SegmentParts, Texts, Times};
use crate::resolve::Withheld;
use refdesk_core::codec::{List, SnapshotError, SnapshotReader, SnapshotWriter};
use refdesk_core::item::Framework;
use refdesk_core::{Kind, Stamp, cooperative};
use refdesk_route::Card;
use refdesk_search::SegmentIndex;

/// Number of the form in which segments are written. It counts up with every change of what is written or of what is rendered and
/// indexed; a test holds the bytes of a small segment against it.
pub const SEGMENT_FORMAT: u32 = 9;

/// What stands before all else.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    format: u32,
    kind: String,
    indexed: u64,
    withheld: Vec<Withheld>,
    cards: Vec<CardOnDisk>,
    /// Bytes of texts that stand behind all else, as they are.
    text_bytes: u64,
}

/// Bytes of texts that are copied at once.
const COPIED: usize = 1 << 16;

/// How much of a segment is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Whole,
    WithoutIndex,
}

/// A card of the router.
#[derive(Debug, Serialize, Deserialize)]
struct CardOnDisk {
    id: String,
    name: String,
    aliases: Vec<String>,
    published: bool,
    /// Its fields as JSON: they leave out what is empty, which only a format with names can do.
    framework: String,
}

impl Segment {
    /// Writes the segment so that [`Segment::read`] makes it again, together with its [`Segment::times`]. Segments that differ in nothing but
    /// these give equal bytes.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, out: impl Write) -> Result<(), SnapshotError> {
        let parts = &self.parts;
        let mut image = SnapshotWriter::new(out);
        image.put(&Header {
            format: SEGMENT_FORMAT,
            kind: parts.kind.path_segment().to_owned(),
            indexed: parts.indexed,
            withheld: parts.withheld.clone(),
            cards: parts.cards.iter().map(CardOnDisk::new).collect::<Result<Vec<_>, _>>()?,
            text_bytes: parts.texts.as_ref().map_or(0, |texts| texts.bytes()),
        })?;
        image.put(&List(parts.card_rows.as_slice()))?;
        image.put(&parts.items)?;
        image.put(&parts.evidence)?;
        image.put(&parts.stated_paths)?;
        image.put(&parts.lookup)?;
        image.put(&parts.rows)?;
        image.put(&parts.columns.without_moments(parts.kind))?;
        image.put(&*parts.index)?;
        let mut out = image.finish()?;
        match &parts.texts {
            Some(texts) => copy(&**texts, &mut out),
            None => Ok(()),
        }
    }

    /// Reads what [`Segment::write`] wrote of a segment with these times, as it was at `now`. The texts are left: `texts` is given the input
    /// where they begin and their length in bytes.
    ///
    /// # Errors
    /// When it cannot be read, is damaged, cut off, of another kind or format.
    pub fn read<R: Read>(
        input: R,
        kind: Kind,
        (times, now): (&Times, Stamp),
        texts: impl FnOnce(R, u64) -> std::io::Result<Option<Arc<dyn Texts>>>,
    ) -> Result<Self, SnapshotError> {
        Self::read_parts(input, kind, (times, now), Extent::Whole, texts)
    }

    /// The same without the search index, for answers that search nothing: `texts` is given the input somewhere before the texts. What
    /// is left unread is not checked either.
    ///
    /// # Errors
    /// As [`Segment::read`].
    pub fn read_without_index<R: Read>(
        input: R,
        kind: Kind,
        (times, now): (&Times, Stamp),
        texts: impl FnOnce(R, u64) -> std::io::Result<Option<Arc<dyn Texts>>>,
    ) -> Result<Self, SnapshotError> {
        Self::read_parts(input, kind, (times, now), Extent::WithoutIndex, texts)
    }

    fn read_parts<R: Read>(
        input: R,
        kind: Kind,
        (times, now): (&Times, Stamp),
        extent: Extent,
        texts: impl FnOnce(R, u64) -> std::io::Result<Option<Arc<dyn Texts>>>,
    ) -> Result<Self, SnapshotError> {
        let mut image = SnapshotReader::new(input);
        let Header { format, kind: named, indexed, withheld, cards, text_bytes } = image.take()?;
        if (format, &*named) != (SEGMENT_FORMAT, kind.path_segment()) {
            return Err(SnapshotError::Content(format!("format {format} of {named}")));
        }
        let List(card_rows) = image.take()?;
        let (items, evidence, stated_paths) = (image.take()?, image.take()?, image.take()?);
        let (lookup, rows, columns) = (image.take()?, image.take()?, image.take()?);
        let (index, rest) = match extent {
            Extent::Whole => (image.take()?, image.finish()?),
            Extent::WithoutIndex => (SegmentIndex::default(), image.leave()),
        };
        let (index, texts) = (Arc::new(index), texts(rest, text_bytes)?);
        let cards = cards.into_iter().map(CardOnDisk::card).collect::<Result<Arc<[Card]>, _>>()?;
        let parts = SegmentParts {
            kind,
            items,
            evidence,
            stated_paths,
            rows,
            columns,
            lookup,
            index,
            indexed,
            cards,
            card_rows,
            withheld,
            texts,
        };
        parts.check(extent, times)?;
        Ok(Self::new(parts.confirmed_at(times), now))
    }
}

impl SegmentParts {
    /// Refuses parts that do not fit together: a record that cannot be read would show as another item's evidence.
    fn check(&self, extent: Extent, times: &Times) -> Result<(), SnapshotError> {
        let rows = self.rows.len();
        let (slots, stated_paths) = (self.evidence.len(), self.stated_paths.len());
        let sound = self.items.len() == rows
            && times.len() == slots
            && self.rows.is_sound(slots)
            && (extent == Extent::WithoutIndex || self.index.len() == rows)
            && self.cards.len() == self.card_rows.len()
            && self.card_rows.iter().all(|row| (*row as usize) < rows)
            && self.columns.is_sound(self.kind, rows)
            && self.evidence.is_sound()
            && cooperative::yielding(self.items.iter()).all(|item| is_record(item, slots, stated_paths));
        if sound { Ok(()) } else { Err(SnapshotError::Content("parts that do not fit together".to_owned())) }
    }
}

/// Copies all texts.
fn copy(texts: &dyn Texts, out: &mut impl Write) -> Result<(), SnapshotError> {
    for at in (0..texts.bytes()).step_by(COPIED) {
        let wanted = (texts.bytes() - at).min(COPIED as u64) as usize;
        let bytes =
            texts.get(at, wanted).ok_or_else(|| std::io::Error::other("the texts of the catalog cannot be read"))?;
        out.write_all(&bytes)?;
        cooperative::yield_now();
    }
    Ok(())
}

impl CardOnDisk {
    fn new(card: &Card) -> Result<Self, SnapshotError> {
        let Card { id, name, aliases, framework, published } = card.clone();
        let framework = serde_json::to_string(&framework).map_err(|error| SnapshotError::Content(error.to_string()))?;
        Ok(Self { id, name, aliases, published, framework })
    }

    fn card(self) -> Result<Card, SnapshotError> {
        let Self { id, name, aliases, published, framework } = self;
        let framework: Framework =
            serde_json::from_str(&framework).map_err(|error| SnapshotError::Content(error.to_string()))?;
        Ok(Card { id, name, aliases, framework, published })
    }
}
