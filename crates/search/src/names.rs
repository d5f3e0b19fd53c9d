//! The names channel: ids, names and aliases in every spelling. This file builds and holds it; `name_query` asks it.
//!
//! Each different name of an item is a unit in an inverted index of its pieces, versions (`4.5`) and trigrams; all
//! squashed names stand in one sorted list for whole and prefix look-up.

use super::NameKind;
use super::dictionary::{Dictionary, Interner};
use super::heads::{Heads, leading};
use super::inverted::{Forward, Inverted};
use super::layout::ItemPriors;
use super::spelling::{Spelling, dice, trigrams};
use refdesk_core::codec::packed::{self, Packed};
use refdesk_core::pace;
use serde::{Deserialize, Serialize};
use std::ops::{Deref, Range};

/// Marks trigrams in the dictionary of pieces.
pub(super) const TRIGRAM_MARK: char = '\u{1}';

/// A name as similar as this to another name of its item gets no trigrams of its own.
const ALIKE_MIN: f32 = 0.6;

/// What one step of demotion takes from the score of a name, 0 to 2.5. It decides between names that match alike; a better match of a name,
/// if only by a letter less to correct, differs by more.
const DEMOTION_STEP: f32 = 0.002;

/// A name. It is kept as [`Kept`]; the rest follows from where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct NameEntry {
    pub kept: Kept,
    pub ord: u32,
    /// First of its piece numbers.
    first_piece: u32,
}

/// What is kept of a name, in 16 bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kept {
    /// Where its separators stand, see [`Spelling::breaks`].
    pub breaks: u64,
    /// Bytes of the squashed name in the arena.
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

impl Kept {
    /// Start and length of the core within the squashed name.
    pub(super) const fn core_bytes(&self) -> (usize, usize) {
        (self.core_start as usize, self.core_length as usize)
    }

    /// What it takes of the arena and of the piece numbers.
    fn takes(&self) -> [u32; 2] {
        [u32::from(self.length), u32::from(self.pieces) + u32::from(self.versions)]
    }
}

impl Deref for NameEntry {
    type Target = Kept;

    fn deref(&self) -> &Kept {
        &self.kept
    }
}

impl Packed for Kept {
    const BYTES: usize = 16;

    fn pack(&self, out: &mut Vec<u8>) {
        let Self { breaks, length, core_start, core_length, pieces, lead, core_pieces, versions, kind } = *self;
        (breaks, [length, core_start, core_length, pieces, lead, core_pieces, versions, kind as u8]).pack(out);
    }

    fn unpack(bytes: &[u8]) -> Self {
        let (breaks, [length, core_start, core_length, pieces, lead, core_pieces, versions, kind]) =
            Packed::unpack(bytes);
        let kind = [NameKind::Id, NameKind::Name, NameKind::Alias][usize::from(kind).min(2)];
        Self { breaks, length, core_start, core_length, pieces, lead, core_pieces, versions, kind }
    }
}

/// Where every so many names begin in the arena and in the piece numbers is kept; between, lengths are added up.
const ENTRIES_PER_START: usize = 4;

/// A bisection of the sorted names ends among so many, each of which is read somewhere else.
const NAMES_PER_HEAD: usize = 8;

/// Collects names.
#[derive(Debug, Default)]
pub(super) struct NamesBuilder {
    interner: Interner,
    forward: Forward,
    /// With its item and the beginnings of its text and its pieces.
    entries: Vec<(Kept, u32, [u32; 2])>,
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
        let kept = Kept {
            breaks: spelling.breaks(),
            length: spelling.squashed.len() as u8,
            core_start: core_start as u8,
            core_length: core.len() as u8,
            pieces: spelling.pieces.len() as u8,
            lead: spelling.core.start as u8,
            core_pieces: spelling.core.len() as u8,
            versions: versions as u8,
            kind,
        };
        self.entries.push((kept, ord, [start, first_piece]));
    }

    /// Trigrams of a name, unless they would add little to those of another name of the item.
    fn add_trigrams(&mut self, ord: u32, squashed: &str, terms: &mut Vec<u32>) {
        let all = trigrams(squashed);
        let alike = |(kept, _, [start, _]): &(Kept, u32, [u32; 2])| {
            let start = *start as usize;
            dice(&all, &trigrams(&self.arena[start..start + usize::from(kept.length)])) >= ALIKE_MIN
        };
        if self.entries.iter().rev().take_while(|(_, other, _)| *other == ord).any(alike) {
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

    pub(super) fn finish(self, items: ItemPriors<'_>) -> Names {
        let Self { interner, forward, entries: added, arena, pieces } = self;
        let (dictionary, numbers) = interner.finish();
        // Short names first where everything else is equal.
        let (index, units) =
            Inverted::build(&forward, &numbers, items, |_, pieces, _| 255 - (6 * pieces.min(15)) as u8);
        let mut names = Names {
            dictionary,
            index,
            items: items.classes.len() as u32,
            demotions: items.demotions.into(),
            ..Names::default()
        };
        // Entries stand as their units are placed, their texts and pieces in the same order.
        let mut entries = Vec::with_capacity(added.len());
        let mut sorted_arena = String::with_capacity(arena.len());
        let mut sorted_pieces = Vec::with_capacity(pieces.len());
        for (kept, _, [start, first]) in pace::each(&units).filter_map(|unit| added.get(*unit as usize)) {
            let [length, count] = kept.takes();
            entries.push(*kept);
            sorted_arena.push_str(&arena[*start as usize..(start + length) as usize]);
            let own = &pieces[*first as usize..(first + count) as usize];
            sorted_pieces.extend(own.iter().map(|piece| numbers[*piece as usize]));
        }
        names.entries = entries.into();
        names.arena = sorted_arena.into();
        names.pieces = sorted_pieces.into();
        names.starts = names.sampled_starts();
        names.places = names.entry_places();
        names.sorted = names.sorted_texts();
        names.heads = Heads::of(names.sorted.iter().map(|name| names.sorted_text(*name)));
        names
    }
}

/// A text to be found whole or by its beginning: the whole name or its core. The number of the entry, and whether it is the core in the
/// lowest bit.
#[derive(Debug, Clone, Copy)]
pub(super) struct SortedName(u32);

impl SortedName {
    pub(super) const fn entry(self) -> u32 {
        self.0 >> 1
    }

    const fn is_core(self) -> bool {
        self.0 & 1 == 1
    }
}

impl Packed for SortedName {
    const BYTES: usize = 4;

    fn pack(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
    }

    fn unpack(bytes: &[u8]) -> Self {
        Self(Packed::unpack(bytes))
    }
}

/// The finished channel.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Names {
    pub dictionary: Dictionary,
    pub index: Inverted<u8>,
    #[serde(with = "packed")]
    entries: Box<[Kept]>,
    /// Where every [`ENTRIES_PER_START`]th entry begins in the arena and in the piece numbers.
    #[serde(with = "packed")]
    starts: Box<[[u32; 2]]>,
    /// All names squashed, in the order of the entries.
    arena: Box<str>,
    #[serde(with = "packed")]
    pieces: Box<[u32]>,
    /// First place and first entry of each run of entries that stand without a gap in the index.
    #[serde(with = "packed")]
    places: Box<[(u32, u32)]>,
    #[serde(with = "packed")]
    pub sorted: Box<[SortedName]>,
    heads: Heads<NAMES_PER_HEAD>,
    pub items: u32,
    /// See [`super::DocInput::demotion`], by item.
    #[serde(with = "packed")]
    demotions: Box<[u8]>,
}

impl Names {
    fn sampled_starts(&self) -> Box<[[u32; 2]]> {
        let mut next = [0; 2];
        let starts = self.entries.chunks(ENTRIES_PER_START).map(|some| {
            let start = next;
            some.iter().for_each(|kept| next = plus(next, kept.takes()));
            start
        });
        starts.collect()
    }

    /// Where an entry begins in the arena and in the piece numbers.
    fn start(&self, entry: u32) -> [usize; 2] {
        let (at, group) = (entry as usize, entry as usize / ENTRIES_PER_START);
        let before = &self.entries[group * ENTRIES_PER_START..at];
        before.iter().fold(self.starts[group], |start, kept| plus(start, kept.takes())).map(|start| start as usize)
    }

    /// A name by its number.
    pub(super) fn entry(&self, entry: u32) -> NameEntry {
        let at = self.places.partition_point(|(_, first)| *first <= entry) - 1;
        let place = self.places[at].0 + entry - self.places[at].1;
        let ord = self.index.layout.owners[place as usize];
        NameEntry { kept: self.entries[entry as usize], ord, first_piece: self.start(entry)[1] as u32 }
    }

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
            sorted.push(SortedName((at as u32) << 1));
            if entry.core_length != entry.length {
                sorted.push(SortedName((at as u32) << 1 | 1));
            }
        }
        let owners = self.index.layout.owners.iter().filter(|owner| **owner != super::layout::NOBODY);
        let demotions: Vec<u8> = owners.map(|owner| self.demotions[*owner as usize]).collect();
        let key = |name: &SortedName| (self.sorted_text(*name), demotions[name.entry() as usize], name.0);
        pace::sort_by(&mut sorted, |a, b| key(a).cmp(&key(b)));
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
        let [start, _] = self.start(entry);
        &self.arena[start..start + usize::from(self.entries[entry as usize].length)]
    }

    pub(super) fn sorted_text(&self, name: SortedName) -> &str {
        let whole = self.text(name.entry());
        if !name.is_core() {
            return whole;
        }
        let (start, length) = self.entries[name.entry() as usize].core_bytes();
        &whole[start..start + length]
    }

    /// Names (or cores) that begin with a squashed text, in order.
    pub(super) fn with_prefix(&self, squashed: &str) -> Range<usize> {
        let text_at = |at: usize| self.sorted_text(self.sorted[at]);
        let start = self.heads.lower_bound(squashed, self.sorted.len(), text_at);
        start..start + leading(&(start..self.sorted.len()), |at| text_at(at).starts_with(squashed))
    }

    /// Piece numbers of a name: pieces in order, then versions.
    pub(super) fn pieces(&self, entry: &NameEntry) -> (&[u32], &[u32]) {
        let first = entry.first_piece as usize;
        let middle = first + entry.pieces as usize;
        (&self.pieces[first..middle], &self.pieces[middle..middle + entry.versions as usize])
    }

    /// What the prior takes from the score of a name of an item.
    pub(super) fn demoted_by(&self, ord: u32) -> f32 {
        DEMOTION_STEP * f32::from(self.demotions[ord as usize])
    }

    pub(super) fn idf(&self, items: u32) -> f32 {
        let (all, with) = (self.items as f32, items.min(self.items) as f32);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.dictionary.heap_bytes()
            + self.index.heap_bytes()
            + self.entries.len() * size_of::<Kept>()
            + self.starts.len() * 8
            + self.arena.len()
            + self.pieces.len() * 4
            + self.sorted.len() * size_of::<SortedName>()
            + self.heads.heap_bytes()
            + self.demotions.len()
    }
}

fn plus(a: [u32; 2], b: [u32; 2]) -> [u32; 2] {
    [a[0] + b[0], a[1] + b[1]]
}
