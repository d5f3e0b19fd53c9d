//! A snapshot written to disk and read again: what a build made of the store, without the build.
//!
//! Written are the parts that cost time to make; figures, the revision and the router are made of them again.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::record::{EvidenceRecord, ItemRecord};
use super::stated::{By, Paths, Stated};
use super::{Assembled, Lookup, Snapshot, Table, make, sources};
use crate::image::{ImageError, ImageReader, ImageWriter, List};
use crate::item::Framework;
use crate::resolve::HeldBack;
use crate::route::{Card, Router};
use crate::search::{Index, Layered};
use crate::{SourceInfo, Stamp};

/// Records that are written or read at once.
const RECORDS: usize = 4_096;

/// What stands before all else.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    built_at: Stamp,
    sources: Vec<SourceInfo>,
    items: usize,
    evidence: usize,
    /// Each different list of stated paths.
    paths: Vec<Paths>,
    held_back: Vec<HeldBack>,
}

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
        let lists = PathLists::of(&self.items);
        image.put(&Head {
            built_at: self.built_at,
            sources: self.sources.values().map(|source| SourceInfo::clone(source)).collect(),
            items: self.items.len(),
            evidence: self.evidence.len(),
            paths: lists.paths.clone(),
            held_back: self.held_back.clone(),
        })?;
        for some in self.evidence.chunks(RECORDS) {
            image.put(&some.iter().map(|record| (&record.source.id, &**record)).collect::<Vec<_>>())?;
        }
        for some in self.items.chunks(RECORDS) {
            image.put(
                &some.iter().map(|item| (lists.number(item), item.stated.parts().1, &**item)).collect::<Vec<_>>(),
            )?;
        }
        image.put(&List(self.evidence_by_key.as_slice()))?;
        image.put(&List(self.meetings.as_slice()))?;
        image.put(&self.lookup)?;
        image.put(&self.tables)?;
        image.put(&List(self.card_ordinals.as_slice()))?;
        image.put(&self.router.cards().iter().map(CardImage::of).collect::<Result<Vec<_>, _>>()?)?;
        image.put(index)?;
        image.finish()?;
        Ok(())
    }

    /// Reads what [`Snapshot::write_image`] wrote: the snapshot as it was, under a new generation number.
    ///
    /// # Errors
    /// When it cannot be read, is damaged, cut off or of another program.
    pub fn read_image(input: impl Read, generation: u64) -> Result<Self, ImageError> {
        let mut image = ImageReader::new(input);
        let head: Head = image.take()?;
        let (_, shared) = sources(&head.sources);
        let evidence = read_evidence(&mut image, head.evidence, &shared)?;
        let items = read_items(&mut image, head.items, &head.paths)?;
        let List(evidence_by_key) = image.take()?;
        let List(meetings) = image.take()?;
        let lookup: Lookup = image.take()?;
        let tables: [Table; 7] = image.take()?;
        let List(card_ordinals) = image.take()?;
        let cards = image.take::<Vec<CardImage>>()?.into_iter().map(CardImage::read).collect::<Result<Vec<_>, _>>()?;
        let index: Index = image.take()?;
        image.finish()?;
        let router = (Arc::new(Router::build(cards)), card_ordinals);
        let (index, held_back) = (Layered::whole(index), head.held_back);
        let assembled = Assembled { items, evidence, evidence_by_key, lookup, tables, index, held_back };
        Ok(assembled.finish(shared, Arc::new(meetings), router, generation, head.built_at))
    }
}

fn read_evidence(
    image: &mut ImageReader<impl Read>,
    count: usize,
    sources: &make::Shared,
) -> Result<Vec<Arc<EvidenceRecord>>, ImageError> {
    let mut evidence = Vec::with_capacity(count);
    while evidence.len() < count {
        for (source, mut record) in image.take::<Vec<(String, EvidenceRecord)>>()? {
            record.source = make::source(sources, &source);
            evidence.push(Arc::new(record));
        }
    }
    Ok(evidence)
}

fn read_items(
    image: &mut ImageReader<impl Read>,
    count: usize,
    paths: &[Paths],
) -> Result<Vec<Arc<ItemRecord>>, ImageError> {
    let mut items = Vec::with_capacity(count);
    while items.len() < count {
        for (list, by, mut item) in image.take::<Vec<(usize, By, ItemRecord)>>()? {
            item.stated = Stated::new(Arc::clone(&paths[list]), by);
            items.push(Arc::new(item));
        }
    }
    Ok(items)
}

/// The different lists of stated paths and their numbers, by address: items of a snapshot share them.
#[derive(Debug, Default)]
struct PathLists {
    paths: Vec<Paths>,
    numbers: HashMap<*const [Box<str>], usize>,
}

impl PathLists {
    fn of(items: &[Arc<ItemRecord>]) -> Self {
        let mut lists = Self::default();
        for item in items {
            let (paths, _) = item.stated.parts();
            lists.numbers.entry(Arc::as_ptr(paths)).or_insert_with(|| {
                lists.paths.push(Arc::clone(paths));
                lists.paths.len() - 1
            });
        }
        lists
    }

    fn number(&self, item: &ItemRecord) -> usize {
        self.numbers[&Arc::as_ptr(item.stated.parts().0)]
    }
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
