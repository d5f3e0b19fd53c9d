//! Finding an item by its id or by any upstream spelling, without the search index.

use foldhash::HashSet;
use serde::{Deserialize, Serialize};

use super::short_names;
use crate::resolve::ResolvedItem;
use refdesk_core::codec::packed;
use refdesk_core::cooperative;

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

impl Found {
    /// The one item that is named, by its id or by another spelling.
    pub const fn item(&self) -> Option<u32> {
        match self {
            Self::Id(item) | Self::Alias(item) => Some(*item),
            Self::Ambiguous(_) | Self::Unknown => None,
        }
    }
}

/// A spelling as the first eight bytes of its SHA-256, and the item that has it. Three numbers of four bytes need no padding.
type SpellingEntry = [u32; 3];

/// Whether the item at an row has an id: of ids too only hashes are kept here.
pub type HasId<'a> = &'a dyn Fn(u32, &str) -> bool;

/// The spellings of a segment's items. Only hashes are kept: a tenth of their size, and found without touching the items.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Lookup {
    #[serde(with = "packed")]
    ids: Vec<SpellingEntry>,
    /// Exact upstream keys: of the lower number the upper half belongs to the hash, the lower is the precedence among items that have
    /// the same key.
    #[serde(with = "packed")]
    keys: Vec<SpellingEntry>,
    #[serde(with = "packed")]
    aliases: Vec<SpellingEntry>,
    /// The same with folded case, for spellings that no source uses.
    #[serde(with = "packed")]
    folded: Vec<SpellingEntry>,
    /// What items are called for short: no spelling of any source.
    #[serde(with = "packed")]
    short_names: Vec<SpellingEntry>,
}

/// Collects the spellings of items.
#[derive(Debug, Default)]
pub struct LookupBuilder(Lookup);

impl LookupBuilder {
    /// Adds the spellings of the item in a row.
    pub fn add(&mut self, item: &ResolvedItem, row: u32) {
        let lookup = &mut self.0;
        lookup.ids.push(entry(&item.id, row));
        let keys: HashSet<&str> = item.keys.iter().map(|key| key.text.as_str()).collect();
        for key in &item.keys {
            lookup.keys.push(key_entry(&key.text, key.precedence, row));
            lookup.fold(&key.text, row);
        }
        for alias in item.aliases.iter().filter(|alias| **alias != item.id && !keys.contains(alias.as_str())) {
            lookup.aliases.push(entry(alias, row));
            lookup.fold(alias, row);
        }
        lookup.short_names.extend(short_names::of_item(item).iter().map(|name| entry(name, row)));
    }

    /// The lookup of all items that were added.
    pub fn finish(mut self) -> Lookup {
        let Lookup { ids, keys, aliases, folded, short_names } = &mut self.0;
        for table in [ids, keys, aliases, folded, short_names] {
            cooperative::sort(table);
            table.dedup();
            table.shrink_to_fit();
        }
        self.0
    }
}

impl Lookup {
    /// Finds by id, then by exact upstream key, then by alias verbatim, then by any of them in any case, and at last an address without its
    /// closing slash. A key always resolves; an alias that fits several items does not.
    pub fn find(&self, has_id: HasId<'_>, text: &str) -> Found {
        if let Some(row) = self.by_id(has_id, text) {
            return Found::Id(row);
        }
        if let Some(row) = key_hits(&self.keys, text).next() {
            return Found::Alias(row);
        }
        let lower = text.to_lowercase();
        let verbatim: Vec<u32> = hits(&self.aliases, text).collect();
        let found = if verbatim.is_empty() { self.in_any_case(&lower) } else { verbatim };
        match found.as_slice() {
            [] => match (self.by_id(has_id, &lower), text.strip_suffix('/')) {
                (Some(row), _) => Found::Alias(row),
                // Sources and people write an address with and without its closing slash.
                (None, Some(address)) if address.contains("://") => self.find(has_id, address),
                (None, _) => Found::Unknown,
            },
            [row] => Found::Alias(*row),
            _ => Found::Ambiguous(found),
        }
    }

    /// The rows of the items with a short name, [`short_names::written`].
    pub fn short_named(&self, name: &str) -> Vec<u32> {
        hits(&self.short_names, name).collect()
    }

    /// Whether [`Lookup::find`] may find something: without the rows, equal hashes pass for equal ids.
    pub fn may_find(&self, text: &str) -> bool {
        self.find(&|_, _| true, text) != Found::Unknown
    }

    /// Keeps a spelling with folded case, where that is another one.
    fn fold(&mut self, spelling: &str, row: u32) {
        // Most are in lower case already.
        if spelling.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
            return;
        }
        let lower = spelling.to_lowercase();
        if lower != spelling {
            self.folded.push(entry(&lower, row));
        }
    }

    /// The row with an id.
    pub fn by_id(&self, has_id: HasId<'_>, id: &str) -> Option<u32> {
        hits(&self.ids, id).find(|row| has_id(*row, id))
    }

    fn in_any_case(&self, lower: &str) -> Vec<u32> {
        let mut found: Vec<u32> = hits(&self.aliases, lower).collect();
        found.extend(hits(&self.folded, lower));
        found.extend(key_hits(&self.keys, lower));
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn entry(spelling: &str, row: u32) -> SpellingEntry {
    let hash = refdesk_core::hash::short_hash(spelling.as_bytes());
    [(hash >> 32) as u32, hash as u32, row]
}

/// Bits of the lower number that hold the precedence of a key.
const PRECEDENCE: u32 = 0xffff;

/// 48 bits of hash are enough: of a million keys two share them with a chance of one in five hundred.
fn key_entry(key: &str, precedence: u16, row: u32) -> SpellingEntry {
    let [high, low, row] = entry(key, row);
    [high, (low & !PRECEDENCE) | u32::from(precedence), row]
}

/// Rows of the items that have a key, the best first.
fn key_hits(table: &[SpellingEntry], key: &str) -> impl Iterator<Item = u32> {
    let [high, low, _] = key_entry(key, 0, 0);
    let start = table.partition_point(|entry| *entry < [high, low, 0]);
    table[start..]
        .iter()
        .take_while(move |entry| entry[0] == high && entry[1] & !PRECEDENCE == low)
        .map(|entry| entry[2])
}

/// Rows of the items that have a spelling.
fn hits(table: &[SpellingEntry], spelling: &str) -> impl Iterator<Item = u32> {
    let wanted = entry(spelling, 0);
    let start = table.partition_point(|entry| *entry < wanted);
    table[start..].iter().take_while(move |entry| entry[..2] == wanted[..2]).map(|entry| entry[2])
}
