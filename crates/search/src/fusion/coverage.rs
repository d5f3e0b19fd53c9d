//! How much of what is looked for items have, by the weight of its words (coordination, as in Lucene's classic similarity). A score does not
//! tell it: a common word that a text repeats scores like a rare one in passing.

use super::request::SearchedSegment;
use crate::{SearchIndex, SearchRequest};

/// How much some items have of the words of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Weight of the words that each item has, and of those that stand for them as far as they count.
    pub of_items: Vec<u32>,
    /// Weight of all words that any item has. No item has more.
    pub whole: u32,
}

impl Coverage {
    /// The weight of what the best item has.
    pub fn best(&self) -> u32 {
        self.of_items.iter().copied().max().unwrap_or_default()
    }
}

impl SearchIndex {
    /// How much of the words of a request some items have, in their own document and the best of their passages, in the order of the items.
    /// Only the text, the segments and the expansions of the request count.
    pub fn coverage(&self, request: &SearchRequest<'_>, items: impl IntoIterator<Item = u32>) -> Coverage {
        let (segments, expansions) = (request.segments, request.expansions);
        let request = SearchRequest { segments, expansions, ..SearchRequest::new(request.text, 0) };
        let query = self.prepared(&request);
        let weights = query.word_weights();
        let whole = weights.iter().sum();
        let covered = |ordinal: u32| {
            let (position, item) = self.locate(ordinal);
            let searched = query.segments.iter().find(|searched| searched.position == position);
            searched.map_or(0, |searched| covered(searched, item, &weights).min(whole))
        };
        Coverage { of_items: items.into_iter().map(covered).collect(), whole }
    }
}

/// The weight of what an item has of the words, and of their expansions.
fn covered(searched: &SearchedSegment<'_>, item: u32, weights: &[u32]) -> u32 {
    let (fulltext, plan) = (searched.fulltext(), &searched.plan);
    let own = fulltext.item_doc(item);
    let with_passage = |passage: u32| {
        let has = |term: &u32| [own, passage].iter().any(|doc| fulltext.index.fields_at(*term, *doc) != 0);
        let words = plan.words.iter().zip(weights).filter(|(word, _)| word.terms.iter().any(has));
        let expansions = plan.terms.iter().filter(|term| plan.synonyms.contains(&term.term) && has(&term.term));
        words.map(|(_, weight)| weight).sum::<u32>() + expansions.map(|term| term.weight).sum::<u32>()
    };
    fulltext.docs_of(item).map(with_passage).max().unwrap_or_default()
}
