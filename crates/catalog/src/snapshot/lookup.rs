//! Finding an item by its id or by any upstream spelling, without the search index.

use std::collections::HashSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::resolve::ResolvedItem;
use refdesk_core::codec::packed;
use refdesk_core::{Kind, pace};

/// What a text on a detail path names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// The item with this id.
    Id(u32),
    /// The item with this spelling.
    Alias(u32),
    /// An alias that fits several items, which therefore resolves to none.
    Ambiguous(Vec<u32>),
    /// Nothing.
    Unknown,
}

/// A spelling as the first eight bytes of its SHA-256, and the item that has it. Three numbers of four bytes need no padding.
type Entry = [u32; 3];

/// Whether the item at an ordinal has an id: of ids too only hashes are kept here.
pub type HasId<'a> = &'a dyn Fn(u32, &str) -> bool;

/// Ordinals by kind, id and alias. Of the spellings only hashes are kept: a tenth of their size, and found without touching the items.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Lookup {
    /// First ordinal of each kind, in the order of [`Kind::ALL`]; one more at the end.
    firsts: [u32; 8],
    /// The spellings of each kind.
    kinds: [Spellings; 7],
}

/// Spellings of one kind, by hash.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Spellings {
    #[serde(with = "packed")]
    ids: Vec<Entry>,
    /// Exact upstream keys: of the lower number the upper half belongs to the hash, the lower is the precedence among items that have
    /// the same key.
    #[serde(with = "packed")]
    keys: Vec<Entry>,
    #[serde(with = "packed")]
    aliases: Vec<Entry>,
    /// The same with folded case, for spellings that no source uses.
    #[serde(with = "packed")]
    folded: Vec<Entry>,
}

/// Collects the spellings of items.
#[derive(Debug, Default)]
pub struct LookupBuilder {
    lookup: Lookup,
    counts: [u32; 7],
}

impl LookupBuilder {
    /// Adds the spellings of the item at an ordinal; further items of a lookup that is changed are added in any order.
    pub fn add(&mut self, item: &ResolvedItem, ordinal: u32) {
        let at = item.kind.index();
        self.counts[at] += 1;
        let spellings = &mut self.lookup.kinds[at];
        spellings.ids.push(entry(&item.id, ordinal));
        let keys: HashSet<&str> = item.keys.iter().map(|key| key.text.as_str()).collect();
        for key in &item.keys {
            spellings.keys.push(key_entry(&key.text, key.precedence, ordinal));
            spellings.fold(&key.text, ordinal);
        }
        for alias in item.aliases.iter().filter(|alias| **alias != item.id && !keys.contains(alias.as_str())) {
            spellings.aliases.push(entry(alias, ordinal));
            spellings.fold(alias, ordinal);
        }
    }

    /// The lookup of all items that were added.
    pub fn finish(mut self) -> Lookup {
        self.lookup.set_counts(self.counts);
        self.lookup.sort();
        self.lookup
    }

    /// The lookup of `before`, of whose items those that `renumbered` maps are kept, and of all items that were added. `counts` says
    /// how many items of each kind there are now.
    pub fn finish_after(
        mut self,
        before: &Lookup,
        renumbered: impl Fn(u32) -> Option<u32>,
        counts: [u32; 7],
    ) -> Lookup {
        for (now, before) in self.lookup.kinds.iter_mut().zip(&before.kinds) {
            let kept = |entries: &[Entry]| -> Vec<Entry> {
                pace::each(entries)
                    .filter_map(|[high, low, ordinal]| Some([*high, *low, renumbered(*ordinal)?]))
                    .collect()
            };
            now.ids.extend(kept(&before.ids));
            now.keys.extend(kept(&before.keys));
            now.aliases.extend(kept(&before.aliases));
            now.folded.extend(kept(&before.folded));
        }
        self.lookup.set_counts(counts);
        self.lookup.sort();
        self.lookup
    }
}

impl Lookup {
    fn set_counts(&mut self, counts: [u32; 7]) {
        for (kind, count) in counts.into_iter().enumerate() {
            self.firsts[kind + 1] = self.firsts[kind] + count;
        }
    }

    fn sort(&mut self) {
        let tables =
            self.kinds.iter_mut().flat_map(|kind| [&mut kind.ids, &mut kind.keys, &mut kind.aliases, &mut kind.folded]);
        for table in tables {
            pace::sort(table);
            table.dedup();
            table.shrink_to_fit();
        }
    }

    /// First ordinal of a kind.
    pub const fn first(&self, kind: Kind) -> u32 {
        self.firsts[kind.index()]
    }

    /// All ordinals of a kind.
    pub const fn range(&self, kind: Kind) -> Range<u32> {
        self.firsts[kind.index()]..self.firsts[kind.index() + 1]
    }

    /// The kind of an ordinal.
    pub fn kind_of(&self, ordinal: u32) -> Kind {
        let at = Kind::ALL.iter().rposition(|kind| self.first(*kind) <= ordinal).unwrap_or_default();
        Kind::ALL[at]
    }

    /// Finds by id, then by exact upstream key, then by alias verbatim, then by any of them in any case. A key always resolves; an alias
    /// that fits several items does not.
    pub fn find(&self, has_id: HasId<'_>, kind: Kind, text: &str) -> Found {
        if let Some(ordinal) = self.by_id(has_id, kind, text) {
            return Found::Id(ordinal);
        }
        let spellings = &self.kinds[kind.index()];
        if let Some(ordinal) = key_hits(&spellings.keys, text).next() {
            return Found::Alias(ordinal);
        }
        let lower = text.to_lowercase();
        let verbatim: Vec<u32> = hits(&spellings.aliases, text).collect();
        let found = if verbatim.is_empty() { self.in_any_case(kind, &lower) } else { verbatim };
        match found.as_slice() {
            [] => self.by_id(has_id, kind, &lower).map_or(Found::Unknown, Found::Alias),
            [ordinal] => Found::Alias(*ordinal),
            _ => Found::Ambiguous(found),
        }
    }

    /// True when a text is an upstream key or alias of an item.
    pub fn has_spelling(&self, kind: Kind, text: &str) -> bool {
        let spellings = &self.kinds[kind.index()];
        key_hits(&spellings.keys, text).chain(hits(&spellings.aliases, text)).next().is_some()
    }

    fn by_id(&self, has_id: HasId<'_>, kind: Kind, id: &str) -> Option<u32> {
        hits(&self.kinds[kind.index()].ids, id).find(|ordinal| has_id(*ordinal, id))
    }

    fn in_any_case(&self, kind: Kind, lower: &str) -> Vec<u32> {
        let spellings = &self.kinds[kind.index()];
        let mut found: Vec<u32> = hits(&spellings.aliases, lower).collect();
        found.extend(hits(&spellings.folded, lower));
        found.extend(key_hits(&spellings.keys, lower));
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn entry(spelling: &str, ordinal: u32) -> Entry {
    let hash = refdesk_core::hash::short_hash(spelling.as_bytes());
    [(hash >> 32) as u32, hash as u32, ordinal]
}

impl Spellings {
    /// Keeps a spelling with folded case, where that is another one.
    fn fold(&mut self, spelling: &str, ordinal: u32) {
        let lower = spelling.to_lowercase();
        if lower != spelling {
            self.folded.push(entry(&lower, ordinal));
        }
    }
}

/// Bits of the lower number that hold the precedence of a key.
const PRECEDENCE: u32 = 0xffff;

/// 48 bits of hash are enough: of a million keys two share them with a chance of one in five hundred.
fn key_entry(key: &str, precedence: u16, ordinal: u32) -> Entry {
    let [high, low, ordinal] = entry(key, ordinal);
    [high, (low & !PRECEDENCE) | u32::from(precedence), ordinal]
}

/// Ordinals of the items that have a key, the best first.
fn key_hits(table: &[Entry], key: &str) -> impl Iterator<Item = u32> {
    let [high, low, _] = key_entry(key, 0, 0);
    let start = table.partition_point(|entry| *entry < [high, low, 0]);
    table[start..]
        .iter()
        .take_while(move |entry| entry[0] == high && entry[1] & !PRECEDENCE == low)
        .map(|entry| entry[2])
}

/// Ordinals of the items that have a spelling.
fn hits(table: &[Entry], spelling: &str) -> impl Iterator<Item = u32> {
    let wanted = entry(spelling, 0);
    let start = table.partition_point(|entry| *entry < wanted);
    table[start..].iter().take_while(move |entry| entry[..2] == wanted[..2]).map(|entry| entry[2])
}
