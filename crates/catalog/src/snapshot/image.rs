//! A snapshot written to disk and read again: what a build made of the store, without the build.
//!
//! Written are the parts that cost time to make; figures, the revision and the router are made of them again.

use std::io::{Read, Write};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::build::{Assembled, sources};
use super::{Snapshot, Texts};
use crate::resolve::Withheld;
use refdesk_core::codec::{ImageError, ImageReader, ImageWriter, List};
use refdesk_core::item::Framework;
use refdesk_core::{SourceInfo, Stamp, pace};
use refdesk_route::{Card, Router};
use refdesk_search::{Layered, SearchIndex};

/// What stands before all else.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    built_at: Stamp,
    sources: Vec<SourceInfo>,
    withheld: Vec<Withheld>,
    /// Bytes of texts that stand behind all else, as they are.
    text_bytes: u64,
}

/// Bytes of texts that are copied at once.
const COPIED: usize = 1 << 16;

/// A card of the router.
#[derive(Debug, Serialize, Deserialize)]
struct CardImage {
    id: String,
    name: String,
    aliases: Vec<String>,
    published: bool,
    /// Its fields as JSON: they leave out what is empty, which only a format with names can do.
    framework: String,
}

impl Snapshot {
    /// Writes the snapshot so that [`Snapshot::read_image`] of the same program makes it again.
    ///
    /// # Errors
    /// When it cannot be written, or the snapshot was updated and has a layer over its search index: write one that was built.
    pub fn write_image(&self, out: impl Write) -> Result<(), ImageError> {
        let Some(index) = self.index.as_whole() else {
            return Err(ImageError::Content("an updated snapshot; one that was built is needed".to_owned()));
        };
        let mut image = ImageWriter::new(out);
        image.put(&Head {
            built_at: self.built_at,
            sources: self.sources.values().map(|source| SourceInfo::clone(source)).collect(),
            withheld: self.withheld.clone(),
            text_bytes: self.texts.as_ref().map_or(0, |texts| texts.bytes()),
        })?;
        image.put(&self.items)?;
        image.put(&self.evidence)?;
        image.put(&self.lists)?;
        image.put(&self.lookup)?;
        image.put(&self.tables)?;
        image.put(&self.meetings)?;
        image.put(&List(self.card_ordinals.as_slice()))?;
        image.put(&self.router.cards().iter().map(CardImage::of).collect::<Result<Vec<_>, _>>()?)?;
        image.put(index)?;
        let mut out = image.finish()?;
        match &self.texts {
            Some(texts) => copy(&**texts, &mut out),
            None => Ok(()),
        }
    }

    /// Reads what [`Snapshot::write_image`] wrote: the snapshot as it was, under a new generation number. The texts are left: `texts`
    /// is given the input where they begin and their length in bytes.
    ///
    /// # Errors
    /// When it cannot be read, is damaged, cut off or of another program.
    pub fn read_image<R: Read>(
        input: R,
        generation: u64,
        texts: impl FnOnce(R, u64) -> std::io::Result<Option<Arc<dyn Texts>>>,
    ) -> Result<Self, ImageError> {
        let mut image = ImageReader::new(input);
        let head: Head = image.take()?;
        let (_, shared) = sources(&head.sources);
        let (items, evidence, lists) = (image.take()?, image.take()?, image.take()?);
        let (lookup, tables, meetings) = (image.take()?, image.take()?, image.take()?);
        let List(card_ordinals) = image.take()?;
        let cards = image.take::<Vec<CardImage>>()?.into_iter().map(CardImage::read).collect::<Result<Vec<_>, _>>()?;
        let index: SearchIndex = image.take()?;
        let texts = texts(image.finish()?, head.text_bytes)?;
        let router = (Arc::new(Router::build(cards)), card_ordinals);
        let (index, withheld) = (Layered::whole(index), head.withheld);
        let assembled = Assembled { items, evidence, lists, lookup, tables, meetings, router, index, withheld, texts };
        Ok(assembled.finish(shared, generation, head.built_at))
    }
}

/// Copies all texts.
fn copy(texts: &dyn Texts, out: &mut impl Write) -> Result<(), ImageError> {
    for at in (0..texts.bytes()).step_by(COPIED) {
        let wanted = (texts.bytes() - at).min(COPIED as u64) as usize;
        let bytes =
            texts.get(at, wanted).ok_or_else(|| std::io::Error::other("the texts of the catalog cannot be read"))?;
        out.write_all(&bytes)?;
        pace::give_way();
    }
    Ok(())
}

impl CardImage {
    fn of(card: &Card) -> Result<Self, ImageError> {
        let Card { id, name, aliases, framework, published } = card.clone();
        let framework = serde_json::to_string(&framework).map_err(|error| ImageError::Content(error.to_string()))?;
        Ok(Self { id, name, aliases, published, framework })
    }

    fn read(self) -> Result<Card, ImageError> {
        let Self { id, name, aliases, published, framework } = self;
        let framework: Framework =
            serde_json::from_str(&framework).map_err(|error| ImageError::Content(error.to_string()))?;
        Ok(Card { id, name, aliases, framework, published })
    }
}
