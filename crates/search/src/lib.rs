//! The in-memory search index: compact, immutable, built once per snapshot, and without any knowledge of facts.
//!
//! Two channels are merged into one ranking: [`names`] (ids, names, aliases in every spelling) and [`needs`] (what a
//! text is about). A true name hit stands before text results. Everything in a query is data, there is no query syntax.
//! Not here: rows, rendering and snippets' sources (the caller keeps the texts; [`mod@snippet`] only marks one).
//! Read on at [`build`], then [`inverted`].

mod analyze;
mod beginnings;
mod build;
mod collect;
mod dictionary;
mod field_bits;
mod heads;
mod inverted;
mod layered;
mod layout;
mod name_judge;
mod name_query;
mod name_question;
mod names;
mod needs;
mod posting;
mod rank;
mod snippet;
mod spelling;
mod stop;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use build::IndexBuilder;
pub use layered::Layered;
pub use snippet::{Snippets, snippet};

/// What the caller tells about one searchable item. Texts are plain (no Markdown), in any language.
#[derive(Debug, Clone, Hash)]
pub struct DocInput<'a> {
    /// The kind's position in [`refdesk_core::Kind::ALL`], 0 to 6; selected by the bits of [`Request::groups`].
    pub group: u8,
    /// Stale items rank below equal fresh ones and can be left out.
    pub stale: bool,
    /// Steps by which the item ranks behind an equal one: 0 for none, [`DEMOTION_MAX`] counts as most. A prior that decides between
    /// matches that are about as good (a deprecated server and an active one of the same name), and never against a better match.
    pub demotion: u8,
    /// What the item is called: ids, display names, aliases, former names.
    pub names: Vec<(NameKind, &'a str)>,
    /// What the item says about itself; a field may occur several times.
    pub fields: Vec<(Field, &'a str)>,
    /// Parts that are scored one by one and lift the item by their best: (name, text).
    pub children: Vec<(&'a str, &'a str)>,
}

/// The highest [`DocInput::demotion`] that counts.
pub const DEMOTION_MAX: u8 = 8;

/// Which kind of name a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum NameKind {
    /// The id that addresses the item.
    Id,
    /// The name that is shown.
    Name,
    /// Another or a former name.
    Alias,
}

/// A text field of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// Counts twice.
    Title,
    /// A summary or description.
    Description,
    /// Tags, modalities, providers and the like.
    Keywords,
    /// The headings of a body.
    Headings,
    /// The full text.
    Body,
}

/// One look-up.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// What the caller typed: 0 to 2,000 characters, any content.
    pub text: &'a str,
    /// Bit mask of [`DocInput::group`]: bit 0 is group 0. [`Request::ALL_GROUPS`] for all.
    pub groups: u8,
    /// Leaves stale items out and counts them in [`Outcome::excluded_stale`].
    pub fresh_only: bool,
    /// The most hits to return.
    pub limit: usize,
    /// Hybrid: how near items are by meaning; fused with the text channel.
    pub semantic: Option<&'a Near>,
}

/// How near items are to a question by meaning: cosines, -1 to 1.
#[derive(Debug, Clone, Default)]
pub struct Near {
    /// The nearest items, (ordinal, cosine), best first: they are found whatever words they have.
    pub nearest: Vec<(u32, f32)>,
    /// All items that were compared, in the order of their ordinals.
    pub compared: Vec<(u32, f32)>,
}

impl Near {
    /// The cosine of an item; `None` when it has no vector.
    pub fn cosine(&self, ordinal: u32) -> Option<f32> {
        let at = self.compared.binary_search_by_key(&ordinal, |(other, _)| *other).ok()?;
        Some(self.compared[at].1)
    }
}

impl<'a> Request<'a> {
    /// Every group.
    pub const ALL_GROUPS: u8 = 0x7f;

    /// A lexical look-up in all groups, fresh and stale.
    pub const fn new(text: &'a str, limit: usize) -> Self {
        Self { text, groups: Self::ALL_GROUPS, fresh_only: false, limit, semantic: None }
    }
}

/// How a field matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum How {
    /// The whole id or name, in any spelling.
    Exact,
    /// By an alias.
    Alias,
    /// A word was matched with one or two edits.
    Fuzzy,
    /// Whole words, stems, or a prefix of the last word.
    Text,
    /// By meaning (hybrid).
    Semantic,
}

/// Where a query matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the variants are the names of the fields")]
pub enum MatchField {
    Id,
    Name,
    Alias,
    Title,
    Description,
    Keywords,
    Headings,
    Body,
    Child,
}

/// One found item.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Position of the item in the order of [`IndexBuilder::add`].
    pub ord: u32,
    /// Above 1 for name hits, 0 to 1 for the others; comparable within one answer only.
    pub score: f32,
    /// What matched and how, best first.
    pub matched: Vec<(MatchField, How)>,
}

/// What a look-up found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// Best first; ties by freshness, then group, then the shorter text.
    pub hits: Vec<Hit>,
    /// Items that match.
    pub total: usize,
    /// Stale items that match and were left out by [`Request::fresh_only`].
    pub excluded_stale: usize,
    /// The words that misspelt words of the query were taken for, for [`Snippets::with_words`].
    pub corrected: Vec<String>,
}

/// The immutable index; cheap to share behind an `Arc`.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Index {
    names: names::Names,
    needs: needs::Needs,
    /// Class (freshness × group) of each item.
    #[serde(with = "refdesk_core::codec::packed")]
    classes: Box<[u8]>,
}

impl Index {
    /// Number of items.
    pub const fn len(&self) -> usize {
        self.classes.len()
    }

    /// True when nothing was added.
    pub const fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// Bytes the index holds on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.names.heap_bytes() + self.needs.heap_bytes() + self.classes.len()
    }
}
