//! The full-text index of one segment: an inverted index of stems with a field mask for each posting, and the vocabulary that leads to them.

use super::terms::PlannedWord;
use crate::postings::dictionary::WordList;
use crate::postings::inverted_index::InvertedIndex;
use refdesk_core::codec::packed;
use serde::{Deserialize, Serialize};

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct FullTextIndex {
    /// All words in their surface form, folded.
    pub(super) vocabulary: WordList,
    /// Stem of each word of the vocabulary.
    #[serde(with = "packed")]
    pub(super) stem_of: Box<[u32]>,
    pub(super) stems: WordList,
    pub index: InvertedIndex<[u8; 3]>,
    /// Doc id of each item's own document (not a passage).
    #[serde(with = "packed")]
    pub(super) item_docs: Box<[u32]>,
}

impl FullTextIndex {
    /// Doc id of an item's own document.
    pub(crate) fn item_doc(&self, item: u32) -> u32 {
        self.item_docs[item as usize]
    }

    /// Doc ids of all documents of an item, its own first.
    pub(crate) fn docs_of(&self, item: u32) -> impl Iterator<Item = u32> {
        let own = self.item_doc(item);
        let docs = self.index.layout.parents[own as usize..].iter().take_while(move |parent| **parent == item);
        (own..).zip(docs).map(|(doc_id, _)| doc_id)
    }

    pub(crate) const fn items(&self) -> usize {
        self.item_docs.len()
    }

    /// Masks of the fields in which a document has words of a query, literally and corrected; the words are of this segment.
    pub(crate) fn fields_with(&self, words: &[PlannedWord], doc_id: u32) -> (u8, u8) {
        let (mut literal, mut fuzzy) = (0, 0);
        let mask = |terms: &[u32]| terms.iter().fold(0, |mask, term| mask | self.index.fields_at(*term, doc_id));
        for word in words {
            let (typed, corrections) = word.terms.split_at(word.typed);
            literal |= mask(typed);
            fuzzy |= mask(corrections);
        }
        (literal, fuzzy)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.vocabulary.heap_bytes()
            + self.stems.heap_bytes()
            + self.index.heap_bytes()
            + (self.stem_of.len() + self.item_docs.len()) * 4
    }
}
