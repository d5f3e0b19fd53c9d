//! The names channel: ids, names and aliases in every spelling. This file builds and holds it; `name_query` asks it.
//!
//! Each different name of an item is a unit in an inverted index of its pieces, versions (`4.5`) and trigrams; all
//! squashed names stand in one sorted list for whole and prefix look-up.

use super::NameKind;
use super::dictionary::{Dictionary, Interner};
use super::inverted::{Forward, Inverted};
use super::spelling::{Spelling, dice, trigrams};
use crate::image::packed;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Marks trigrams in the dictionary of pieces.
pub(super) const TRIGRAM_MARK: char = '\u{1}';

/// A name as similar as this to another name of its item gets no trigrams of its own.
const ALIKE_MIN: f32 = 0.6;

/// A name as it is kept.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct NameEntry {
    /// Where its separators stand, see [`Spelling::breaks`].
    pub breaks: u64,
    pub ord: u32,
    /// Bytes of the squashed name in the arena.
    start: u32,
    /// First of its piece numbers.
    first_piece: u32,
    length: u8,
    /// Bytes before the core (the provider) and length of the core.
    core_start: u8,
    core_length: u8,
    pub pieces: u8,
    /// Pieces before the core, and pieces of the core.
    pub lead: u8,
    pub core_pieces: u8,
    pub versions: u8,
    pub kind: NameKind,
}

impl NameEntry {
    /// Start and length of the core within the squashed name.
    pub(super) const fn core_bytes(&self) -> (usize, usize) {
        (self.core_start as usize, self.core_length as usize)
    }
}

/// Collects names.
#[derive(Debug, Default)]
pub(super) struct NamesBuilder {
    interner: Interner,
    forward: Forward,
    entries: Vec<NameEntry>,
    arena: String,
    pieces: Vec<u32>,
}

impl NamesBuilder {
    pub(super) fn add(&mut self, ord: u32, names: &[(NameKind, &str)]) {
        let mut names = names.to_vec();
        names.sort_by_key(|(kind, _)| *kind);
        let mut different: Vec<(NameKind, Spelling)> = Vec::with_capacity(names.len());
        for (kind, name) in names {
            let spelling = Spelling::of(name);
            match different.iter_mut().find(|(_, known)| known.squashed == spelling.squashed) {
                // Of one name in several spellings the one that tells most pieces apart says most: an id may have glued some.
                Some((_, known)) if spelling.pieces.len() > known.pieces.len() => *known = spelling,
                Some(_) => {}
                None if spelling.squashed.is_empty() => {}
                None => different.push((kind, spelling)),
            }
        }
        for (kind, spelling) in different {
            self.add_one(ord, kind, &spelling);
        }
    }

    fn add_one(&mut self, ord: u32, kind: NameKind, spelling: &Spelling) {
        let start = self.arena.len() as u32;
        self.arena.push_str(&spelling.squashed);
        let first_piece = self.pieces.len() as u32;
        let mut terms = Vec::with_capacity(32);
        for piece in &spelling.pieces {
            terms.push(self.interner.intern(spelling.text(piece)).0);
        }
        for version in spelling.versions() {
            terms.push(self.interner.intern(&version).0);
        }
        self.pieces.extend_from_slice(&terms);
        let versions = terms.len() - spelling.pieces.len();
        self.add_trigrams(ord, &spelling.squashed, &mut terms);
        terms.sort_unstable();
        terms.dedup();
        for term in terms {
            self.forward.terms.push(term);
            self.forward.counts.push(1);
            self.forward.forms.push(0);
        }
        self.forward.end_unit(ord, spelling.pieces.len() as u32);
        let core = spelling.core_text();
        let core_start = core.as_ptr() as usize - spelling.squashed.as_ptr() as usize;
        self.entries.push(NameEntry {
            breaks: spelling.breaks(),
            ord,
            start,
            first_piece,
            length: spelling.squashed.len() as u8,
            core_start: core_start as u8,
            core_length: core.len() as u8,
            pieces: spelling.pieces.len() as u8,
            lead: spelling.core.start as u8,
            core_pieces: spelling.core.len() as u8,
            versions: versions as u8,
            kind,
        });
    }

    /// Trigrams of a name, unless they would add little to those of another name of the item.
    fn add_trigrams(&mut self, ord: u32, squashed: &str, terms: &mut Vec<u32>) {
        let all = trigrams(squashed);
        let alike = |entry: &NameEntry| {
            let start = entry.start as usize;
            dice(&all, &trigrams(&self.arena[start..start + entry.length as usize])) >= ALIKE_MIN
        };
        if self.entries.iter().rev().take_while(|entry| entry.ord == ord).any(alike) {
            return;
        }
        let mut word = String::new();
        for trigram in all {
            word.clear();
            word.push(TRIGRAM_MARK);
            word.extend(trigram);
            terms.push(self.interner.intern(&word).0);
        }
    }

    pub(super) fn finish(self, classes: &[u8]) -> Names {
        let Self { interner, forward, entries, arena, pieces } = self;
        let (dictionary, numbers) = interner.finish();
        // Short names first where everything else is equal.
        let (index, units) = Inverted::build(&forward, &numbers, classes, |_, pieces| 255 - (6 * pieces.min(15)) as u8);
        let pieces = pieces.into_iter().map(|piece| numbers[piece as usize]).collect();
        // Entries stand as their units are placed.
        let entries: Box<[NameEntry]> = units.iter().filter_map(|unit| entries.get(*unit as usize)).copied().collect();
        let mut names = Names {
            dictionary,
            index,
            entries,
            arena: arena.into_boxed_str(),
            pieces,
            places: Box::default(),
            sorted: Box::default(),
            items: classes.len() as u32,
        };
        names.places = names.entry_places();
        names.sorted = names.sorted_texts();
        names
    }
}

/// A text to be found whole or by its beginning: the whole name or its core.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct SortedName {
    pub entry: u32,
    pub core: bool,
}

/// The finished channel.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Names {
    pub dictionary: Dictionary,
    pub index: Inverted,
    pub entries: Box<[NameEntry]>,
    arena: Box<str>,
    #[serde(with = "packed")]
    pieces: Box<[u32]>,
    /// First place and first entry of each run of entries that stand without a gap in the index.
    #[serde(with = "packed")]
    places: Box<[(u32, u32)]>,
    pub sorted: Box<[SortedName]>,
    pub items: u32,
}

impl Names {
    fn entry_places(&self) -> Box<[(u32, u32)]> {
        let mut places = Vec::new();
        let (mut entry, mut gap) = (0, true);
        for (place, owner) in self.index.layout.owners.iter().enumerate() {
            if *owner == super::layout::NOBODY {
                gap = true;
                continue;
            }
            if gap {
                places.push((place as u32, entry));
                gap = false;
            }
            entry += 1;
        }
        places.into_boxed_slice()
    }

    fn sorted_texts(&self) -> Box<[SortedName]> {
        let mut sorted = Vec::with_capacity(self.entries.len());
        for (at, entry) in self.entries.iter().enumerate() {
            sorted.push(SortedName { entry: at as u32, core: false });
            if entry.core_length != entry.length {
                sorted.push(SortedName { entry: at as u32, core: true });
            }
        }
        sorted.sort_by(|a, b| self.sorted_text(*a).cmp(self.sorted_text(*b)).then(a.entry.cmp(&b.entry)));
        sorted.into_boxed_slice()
    }

    /// Counts the items of another channel too, so that the weights of words are those of both.
    pub(super) fn count_with(&mut self, other: &Self) {
        let dictionary = &self.dictionary;
        self.index
            .count_more(|term| other.dictionary.find(dictionary.word(term)).map_or(0, |term| other.index.items(term)));
        self.items += other.items;
    }

    /// The entry at a place of the index.
    pub(super) fn entry_at(&self, place: u32) -> u32 {
        let at = self.places.partition_point(|(first, _)| *first <= place) - 1;
        self.places[at].1 + place - self.places[at].0
    }

    pub(super) fn text(&self, entry: u32) -> &str {
        let entry = &self.entries[entry as usize];
        &self.arena[entry.start as usize..entry.start as usize + entry.length as usize]
    }

    pub(super) fn sorted_text(&self, name: SortedName) -> &str {
        let whole = self.text(name.entry);
        let entry = &self.entries[name.entry as usize];
        if name.core {
            &whole[entry.core_start as usize..(entry.core_start + entry.core_length) as usize]
        } else {
            whole
        }
    }

    /// Names (or cores) that begin with a squashed text, in order.
    pub(super) fn with_prefix(&self, squashed: &str) -> Range<usize> {
        let start = self.sorted.partition_point(|name| self.sorted_text(*name) < squashed);
        let rest = &self.sorted[start..];
        start..start + rest.partition_point(|name| self.sorted_text(*name).starts_with(squashed))
    }

    /// Piece numbers of a name: pieces in order, then versions.
    pub(super) fn pieces(&self, entry: &NameEntry) -> (&[u32], &[u32]) {
        let first = entry.first_piece as usize;
        let middle = first + entry.pieces as usize;
        (&self.pieces[first..middle], &self.pieces[middle..middle + entry.versions as usize])
    }

    pub(super) fn idf(&self, items: u32) -> f32 {
        let (all, with) = (self.items as f32, items.min(self.items) as f32);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.dictionary.heap_bytes()
            + self.index.heap_bytes()
            + self.entries.len() * size_of::<NameEntry>()
            + self.arena.len()
            + self.pieces.len() * 4
            + self.sorted.len() * size_of::<SortedName>()
    }
}
