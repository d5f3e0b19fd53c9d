//! A segment on disk: its parts in checked frames behind a header with the number of the format, behind them the texts and the rows, which
//! have checksums of their own and are read by position. The times at which its facts were confirmed are not in it: whoever reads it has them from elsewhere.

use std::io::{Read, Write};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::lookup::Lookup;
use super::record::is_record;
use super::rows::Rows;
use super::rows::on_disk::{ChunkOnDisk, RowsOnDisk};
use super::texts::pieces;
use super::{Segment, SegmentParts, Texts, Times};
use refdesk_core::codec::{ImageError, ImageReader, ImageWriter, List};
use refdesk_core::{Kind, Stamp, cooperative};
use refdesk_route::Card;
use refdesk_search::SegmentIndex;

/// Number of the form in which segments are written. It counts up with every change of what is written or of what is rendered and
/// indexed; a test holds the bytes of a small segment against it.
pub const SEGMENT_FORMAT: u32 = 27;

/// What stands before all else.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    format: u32,
    kind: String,
    indexed: u64,
    /// Bytes of texts that stand behind the frames, as they are.
    text_bytes: u64,
}

impl Header {
    /// Reads it, and refuses another format or kind.
    fn take(image: &mut ImageReader<'_>, kind: Kind) -> Result<Self, ImageError> {
        let header: Self = image.take()?;
        if (header.format, &*header.kind) == (SEGMENT_FORMAT, kind.path_segment()) {
            return Ok(header);
        }
        Err(ImageError::Content(format!("format {} of {}", header.format, header.kind)))
    }
}

/// How much of a segment is read at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of it, for a desk that runs.
    Whole,
    /// Rows are checked, and read when they are first asked for: one search shows a few. Without the router's cards, which no search asks.
    OneSearch,
    /// Rows as there, and no search index, which is not checked either: for one answer that searches nothing.
    OneLookUp,
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

/// A card of the router, read: of no other is the JSON in memory.
#[derive(Debug, Deserialize)]
#[serde(try_from = "CardOnDisk")]
struct CardRead(Card);

/// One that nobody asks for, read because the next part begins behind it.
#[derive(Debug, Deserialize)]
#[serde(from = "CardOnDisk")]
struct CardPassed;

impl Segment {
    /// Writes the segment so that [`Segment::read`] makes it again, together with its [`Segment::times`]. Segments that differ in nothing but
    /// these give equal bytes.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> Result<(), ImageError> {
        let parts = &self.parts;
        let mut image = ImageWriter::new(out);
        image.put(&Header {
            format: SEGMENT_FORMAT,
            kind: parts.kind.path_segment().to_owned(),
            indexed: parts.indexed,
            text_bytes: parts.text_bytes,
        })?;
        // Before all that is large: [`Segment::may_name`] reads no further.
        image.put(&parts.lookup)?;
        image.put(&parts.withheld)?;
        image.put(&parts.cards.iter().map(CardOnDisk::new).collect::<Result<Vec<_>, _>>()?)?;
        image.put(&List(parts.card_rows.as_slice()))?;
        image.put(&parts.items)?;
        image.put(&parts.evidence)?;
        image.put(&parts.stated_paths)?;
        image.put(&parts.rows.chunks_on_disk())?;
        image.put(&parts.columns.without_moments(parts.kind))?;
        image.put(&*parts.index)?;
        image.finish()?;
        if let Some(texts) = &parts.texts {
            copy(&**texts, parts.text_bytes, out)?;
        }
        Ok(parts.rows.write_bytes(out)?)
    }

    /// Reads what [`Segment::write`] wrote of a segment with these times, as it was at `now`. Texts and rows are read by position: `texts` is
    /// given the input where they begin, or somewhere before when no index is read, and the bytes from there to its end.
    ///
    /// # Errors
    /// When it cannot be read, is damaged, cut off, of another kind or format.
    pub fn read<R: Read>(
        mut input: R,
        kind: Kind,
        (times, now): (&Times, Stamp),
        extent: Extent,
        texts: impl FnOnce(R, u64) -> std::io::Result<Option<Arc<dyn Texts>>>,
    ) -> Result<Self, ImageError> {
        let framed = Framed::read(&mut input, kind, extent)?;
        let texts = texts(input, framed.bytes_behind())?;
        let parts = framed.with_texts(texts, (extent, times))?;
        parts.check(extent, times)?;
        Ok(Self::new(parts.confirmed_at(times), now))
    }

    /// Whether any of some texts may be an id or a spelling of an item of what [`Segment::write`] wrote: where not, [`Segment::find`] finds
    /// none of them there. Reads the beginning of the input, and checks only that.
    ///
    /// # Errors
    /// As [`Segment::read`].
    pub fn may_name<S: AsRef<str>>(input: &mut dyn Read, kind: Kind, texts: &[S]) -> Result<bool, ImageError> {
        let mut image = ImageReader::new(input);
        Header::take(&mut image, kind)?;
        let lookup: Lookup = image.take()?;
        Ok(texts.iter().any(|text| lookup.may_find(text.as_ref())))
    }
}

/// What frames hold of a segment: all but the texts and the rows, which stand behind them.
struct Framed {
    parts: SegmentParts,
    rows: Vec<ChunkOnDisk>,
}

impl Framed {
    fn read(input: &mut dyn Read, kind: Kind, extent: Extent) -> Result<Self, ImageError> {
        let mut image = ImageReader::new(input);
        let Header { indexed, text_bytes, .. } = Header::take(&mut image, kind)?;
        let (lookup, withheld) = (image.take()?, image.take()?);
        let (cards, List(mut card_rows)) = match extent {
            Extent::Whole | Extent::OneLookUp => (image.take::<Vec<CardRead>>()?, image.take()?),
            Extent::OneSearch => (image.take::<Vec<CardPassed>>().map(|_| Vec::new())?, image.take()?),
        };
        if cards.is_empty() {
            card_rows.clear();
        }
        let (items, evidence, stated_paths) = (image.take()?, image.take()?, image.take()?);
        let (rows, columns) = (image.take()?, image.take()?);
        let mut index = SegmentIndex::default();
        if extent != Extent::OneLookUp {
            index = image.take()?;
            image.finish()?;
        }
        let parts = SegmentParts {
            kind,
            items,
            evidence,
            stated_paths,
            rows: Rows::default(),
            columns,
            lookup,
            index: Arc::new(index),
            indexed,
            cards: cards.into_iter().map(|CardRead(card)| card).collect(),
            card_rows,
            withheld,
            texts: None,
            text_bytes,
        };
        Ok(Self { parts, rows })
    }

    /// Bytes of texts and rows.
    fn bytes_behind(&self) -> u64 {
        let rows = self.rows.iter().map(ChunkOnDisk::bytes).sum::<usize>();
        self.parts.text_bytes.saturating_add(rows as u64)
    }

    /// All parts, the rows read or only checked.
    fn with_texts(
        self,
        texts: Option<Arc<dyn Texts>>,
        (extent, times): (Extent, &Times),
    ) -> Result<SegmentParts, ImageError> {
        let Self { mut parts, rows } = self;
        if let Some(texts) = texts.as_ref().filter(|_| !rows.is_empty()) {
            let on_disk = RowsOnDisk::new(Arc::clone(texts), parts.text_bytes, rows);
            let rows = if extent == Extent::Whole { on_disk.read() } else { Arc::new(on_disk).checked(times) };
            parts.rows = rows.ok_or_else(|| ImageError::Content("the rows are damaged".to_owned()))?;
        }
        parts.texts = texts;
        Ok(parts)
    }
}

impl SegmentParts {
    /// Refuses parts that do not fit together: a record that cannot be read would show as another item's evidence.
    fn check(&self, extent: Extent, times: &Times) -> Result<(), ImageError> {
        let rows = self.rows.len();
        let (slots, stated_paths) = (self.evidence.len(), self.stated_paths.len());
        let sound = self.items.len() == rows
            && times.len() == slots
            && self.rows.is_sound(slots)
            && (extent == Extent::OneLookUp || self.index.len() == rows)
            && self.cards.len() == self.card_rows.len()
            && self.card_rows.iter().all(|row| (*row as usize) < rows)
            && self.columns.is_sound(self.kind, rows)
            && self.evidence.is_sound()
            && cooperative::yielding(self.items.iter()).all(|item| is_record(item, slots, stated_paths));
        if sound { Ok(()) } else { Err(ImageError::Content("parts that do not fit together".to_owned())) }
    }
}

/// Copies the texts, so many bytes.
fn copy(texts: &dyn Texts, bytes: u64, out: &mut dyn Write) -> Result<(), ImageError> {
    cooperative::yielding(pieces(texts, 0, bytes)).try_for_each(|piece| {
        let piece = piece.ok_or_else(|| std::io::Error::other("the texts of the catalog cannot be read"))?;
        Ok(out.write_all(&piece)?)
    })
}

impl CardOnDisk {
    fn new(card: &Card) -> Result<Self, ImageError> {
        let Card { id, name, aliases, framework, published } = card.clone();
        let framework = serde_json::to_string(&framework).map_err(|error| ImageError::Content(error.to_string()))?;
        Ok(Self { id, name, aliases, published, framework })
    }
}

impl From<CardOnDisk> for CardPassed {
    fn from(_: CardOnDisk) -> Self {
        Self
    }
}

impl TryFrom<CardOnDisk> for CardRead {
    type Error = serde_json::Error;

    fn try_from(card: CardOnDisk) -> Result<Self, Self::Error> {
        let CardOnDisk { id, name, aliases, published, framework } = card;
        Ok(Self(Card { id, name, aliases, framework: serde_json::from_str(&framework)?, published }))
    }
}
