//! An in-memory search index: immutable, compact, in segments that are built whole, and without any knowledge of facts.
//!
//! Two indexes make one ranking: known-item search over [`names`] (ids, names, aliases in every spelling) and BM25 [`fulltext`] search.
//! Both stand on the inverted index of [`postings`]; [`fusion`] merges them over all segments, name hits first. Everything in a query is data: there is no
//! query syntax. Not here: rows, rendering, and the texts that snippets are cut from, which the caller keeps.
//! Read on at [`builder`], then [`postings`], then [`search_index`]; a query begins as an [`analysed_query`].

mod analysed_query;
mod best_docs;
mod builder;
mod fulltext;
mod fusion;
mod names;
mod postings;
mod search_index;
mod segment_set;
mod similar;
mod term_weight;
#[cfg(test)]
mod tests;
pub mod text;

use serde::{Deserialize, Serialize};

pub use analysed_query::{AnalysedQuery, QueryText};
pub use builder::IndexBuilder;
pub use fusion::Coverage;
pub use names::NormalForm;
pub use postings::bitmap::Bitmap;
pub use search_index::SearchIndex;
pub use segment_set::SegmentSet;
pub use text::highlight::{SnippetGenerator, escaped as escaped_snippet, plain_text};
pub use text::passages::{Passage, score_passages};

/// A searchable item. Texts are plain (no Markdown), in any language.
#[derive(Debug, Clone, Hash)]
pub struct DocInput<'a> {
    /// Steps by which the item ranks behind an equal one: 0 for none, at most [`DEMOTION_MAX`]. A query-independent prior that decides
    /// between about equal matches (a deprecated server and an active one of the same name), and never against a better match.
    pub demotion: u8,
    /// Ids, display names, aliases, former names.
    pub names: Vec<(NameKind, &'a str)>,
    /// Texts by field; a field may occur several times.
    pub fields: Vec<(Field, &'a str)>,
    /// Passages (tools of a server, commands), as (name, text): scored one by one, the best of them counts for the item.
    pub passages: Vec<(&'a str, &'a str)>,
}

/// Scores of hits by name are above this.
pub const NAME_SCORE_MIN: f32 = 1.0;
/// Scores of hits whose whole name was typed are above this.
pub const WHOLE_NAME_SCORE_MIN: f32 = 1.5;
/// The highest [`DocInput::demotion`] that counts.
pub const DEMOTION_MAX: u8 = 12;

/// The kind of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum NameKind {
    /// The id that addresses the item.
    Id,
    /// The name that is shown.
    Name,
    /// The name of its maker, where that is what the item is called: it ranks as the name that is shown, and is told as an alias.
    Brand,
    /// Another or a former name.
    Alias,
    /// An id that is made of a path or an address: found whole or by its beginning, for the words in it say little of the item.
    Path,
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

/// A search request.
#[derive(Debug, Clone, Copy)]
pub struct SearchRequest<'a> {
    /// What the caller typed.
    pub text: QueryText<'a>,
    /// The segments that are searched.
    pub segments: SegmentSet,
    /// Leaves out stale items and counts them in [`SearchOutcome::excluded_stale`].
    pub fresh_only: bool,
    /// By segment: the items that may be found. Empty when all may.
    pub only: &'a [Bitmap],
    /// The segments whose items are meant rather than others: they rank before about equal ones.
    pub preferred: SegmentSet,
    /// By segment: percent that its texts count more, where nothing says which is meant and some are likelier. Empty for none.
    pub gains: &'a [u32],
    /// How much what has the words where they tell what it is comes before what has them in passing.
    pub telling: Telling,
    /// The text without the words that only say what is meant (`mcp server`). Names of the preferred segments are looked up by it, too.
    pub subject: Option<QueryText<'a>>,
    /// Words that mean what the text says in others: they count less.
    pub expansions: &'a str,
    /// The most hits to return.
    pub limit: usize,
    /// Hybrid search: similarities by embedding, combined with the text scores.
    pub semantic: Option<&'a CosineSimilarities>,
}

/// How much it counts where a text has the words: in its title, description, keywords or headings, or in passing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Telling {
    /// Not beyond what each field weighs.
    #[default]
    None,
    /// Some: a question in a sentence has words that any long text has.
    Question,
    /// Much, and how many of the words it has: what is to be done, said in a sentence.
    Need,
    /// The same among hits of one segment, too: of things that say in a line what they are for, and in a long text whatever else.
    Described,
}

/// Cosine similarities, -1 to 1, of items to a question.
#[derive(Debug, Clone, Default)]
pub struct CosineSimilarities {
    /// All compared items by rising ordinal. The nearest of those that may be found are hits whatever words they have.
    pub compared: Vec<(u32, f32)>,
}

impl CosineSimilarities {
    /// The cosine of an item; `None` when it has no vector.
    pub fn cosine(&self, ordinal: u32) -> Option<f32> {
        let at = self.compared.binary_search_by_key(&ordinal, |(other, _)| *other).ok()?;
        Some(self.compared[at].1)
    }
}

impl<'a> SearchRequest<'a> {
    /// A lexical search in all segments, fresh and stale.
    pub fn new(text: impl Into<QueryText<'a>>, limit: usize) -> Self {
        Self {
            text: text.into(),
            segments: SegmentSet::ALL,
            fresh_only: false,
            only: &[],
            preferred: SegmentSet::EMPTY,
            gains: &[],
            telling: Telling::None,
            expansions: "",
            subject: None,
            limit,
            semantic: None,
        }
    }
}

refdesk_core::closed_set! {
    /// How a field matched.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum MatchKind {
        /// The whole id or name, in any spelling.
        Exact => "exact",
        /// By an alias.
        Alias => "alias",
        /// A word was matched with one or two edits.
        Fuzzy => "fuzzy",
        /// Whole words, stems, or a prefix of the last word.
        Text => "text",
        /// By vector similarity (hybrid).
        Semantic => "semantic",
        /// Words that mean the same: [`SearchRequest::expansions`].
        Synonym => "synonym",
    }
}

refdesk_core::closed_set! {
    /// Where a query matched.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[expect(missing_docs, reason = "the variants are the names of the fields")]
    pub enum MatchField {
        Id => "id",
        Name => "name",
        Alias => "alias",
        Title => "title",
        Description => "description",
        Keywords => "keywords",
        Headings => "headings",
        Body => "body",
        Passage => "tools",
    }
}

/// A found item.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchHit {
    /// Position of the item among all of all segments.
    pub ordinal: u32,
    /// Above 1 for name hits, 0 to 1 for the others; comparable within one answer only.
    pub score: f32,
    /// What matched and how, best first.
    pub matched: Vec<(MatchField, MatchKind)>,
}

impl SearchHit {
    /// Whether its name was typed, or a name much like it.
    pub fn is_named(&self) -> bool {
        self.score > NAME_SCORE_MIN
    }
}

/// The result of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchOutcome {
    /// Best first; ties by freshness, then segment, then the shorter text.
    pub hits: Vec<SearchHit>,
    /// Items that match; at least so many when it is not exact.
    pub total: usize,
    /// The same by segment; 0 for those that were not searched.
    pub by_segment: Vec<usize>,
    /// [`SearchOutcome::total`] and [`SearchOutcome::by_segment`] count every match.
    pub total_is_exact: bool,
    /// The items of each segment that match, where all matches were counted; else nothing.
    pub matched: Vec<Bitmap>,
    /// Stale items that match and were left out by [`SearchRequest::fresh_only`].
    pub excluded_stale: usize,
    /// What misspelt words of the query were corrected to, for [`SnippetGenerator::with_corrected`].
    pub corrected: Vec<String>,
}

/// The immutable index of one segment; cheap to share behind an `Arc`. It knows neither the clock nor other segments.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct SegmentIndex {
    names: names::NameIndex,
    fulltext: fulltext::FullTextIndex,
}

impl SegmentIndex {
    /// Number of items.
    pub const fn len(&self) -> usize {
        self.fulltext.items()
    }

    /// True when nothing was added.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes the index holds on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.names.heap_bytes() + self.fulltext.heap_bytes()
    }
}
