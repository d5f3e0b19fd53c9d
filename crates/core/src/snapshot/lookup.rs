//! Finding an item by its id or by any upstream spelling, without the search index.

use std::ops::Range;

use super::record::ItemRecord;
use crate::Kind;
use crate::resolve::ResolvedItem;

/// What a text on a detail path names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found<'a> {
    /// The item with this id.
    Id(u32),
    /// The item with this alias, verbatim as its source spells it.
    Alias(u32, &'a str),
    /// An alias that fits several items, which therefore resolves to none.
    Ambiguous(Vec<u32>),
    /// Nothing.
    Unknown,
}

/// Ordinals by kind, id and alias. Items stand in the order of kind and id, so an id is found by bisection.
#[derive(Debug)]
pub struct Lookup {
    /// First ordinal of each kind, in the order of [`Kind::ALL`]; one more at the end.
    firsts: [u32; 8],
    /// Aliases of each kind, in byte order.
    aliases: [Vec<(Box<str>, u32)>; 7],
    /// The same with folded case, for spellings that no source uses.
    folded: [Vec<(Box<str>, u32)>; 7],
}

impl Lookup {
    /// Builds the tables for items in the order of kind and id.
    pub fn build(items: &[ResolvedItem]) -> Self {
        let mut firsts = [items.len() as u32; 8];
        let mut aliases: [Vec<(Box<str>, u32)>; 7] = Default::default();
        let mut folded: [Vec<(Box<str>, u32)>; 7] = Default::default();
        for (ordinal, item) in items.iter().enumerate() {
            let kind = item.kind.index();
            firsts[kind] = firsts[kind].min(ordinal as u32);
            for alias in item.aliases.iter().filter(|alias| **alias != item.id) {
                let lower = alias.to_lowercase();
                if lower != *alias {
                    folded[kind].push((lower.into(), ordinal as u32));
                }
                aliases[kind].push((alias.as_str().into(), ordinal as u32));
            }
        }
        for table in aliases.iter_mut().chain(&mut folded) {
            table.sort();
            table.dedup();
            table.shrink_to_fit();
        }
        Self { firsts: bounded(firsts), aliases, folded }
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

    /// Finds by id, then by alias verbatim, then by alias or id in any case.
    pub fn find<'a>(&'a self, items: &'a [ItemRecord], kind: Kind, text: &str) -> Found<'a> {
        if let Some(ordinal) = self.by_id(items, kind, text) {
            return Found::Id(ordinal);
        }
        let lower = text.to_lowercase();
        let verbatim = hits(&self.aliases[kind.index()], text);
        let found = if verbatim.is_empty() { self.in_any_case(kind, &lower) } else { verbatim };
        match found.as_slice() {
            [] => self
                .by_id(items, kind, &lower)
                .map_or(Found::Unknown, |ordinal| Found::Alias(ordinal, &items[ordinal as usize].id)),
            [(alias, ordinal)] => Found::Alias(*ordinal, alias),
            several => Found::Ambiguous(several.iter().map(|(_, ordinal)| *ordinal).collect()),
        }
    }

    fn by_id(&self, items: &[ItemRecord], kind: Kind, id: &str) -> Option<u32> {
        let range = self.range(kind);
        let slice = &items[range.start as usize..range.end as usize];
        slice.binary_search_by(|item| (*item.id).cmp(id)).ok().map(|at| range.start + at as u32)
    }

    fn in_any_case(&self, kind: Kind, lower: &str) -> Vec<(&str, u32)> {
        let mut found = hits(&self.aliases[kind.index()], lower);
        found.extend(hits(&self.folded[kind.index()], lower));
        found.sort_by_key(|(_, ordinal)| *ordinal);
        found.dedup_by_key(|(_, ordinal)| *ordinal);
        found
    }
}

/// A kind without items begins where the next one does.
fn bounded(mut firsts: [u32; 8]) -> [u32; 8] {
    for kind in (0..7).rev() {
        firsts[kind] = firsts[kind].min(firsts[kind + 1]);
    }
    firsts
}

fn hits<'a>(table: &'a [(Box<str>, u32)], text: &str) -> Vec<(&'a str, u32)> {
    let start = table.partition_point(|(alias, _)| **alias < *text);
    table[start..].iter().take_while(|(alias, _)| **alias == *text).map(|(alias, at)| (&**alias, *at)).collect()
}
