//! The global term dictionary of the full-text index (Lucene's `OrdinalMap` and `CollectionStatistics`): the words of all segments' texts,
//! merged with their document frequencies. A query is planned against these, so that every segment weighs a word alike.

use super::builder::IMPACT_MAX;
use super::{FullTextIndex, surface_form_bit};
use crate::postings::dictionary::{Dictionary, WordList};
use crate::postings::term_map::{TermMap, merge};
use crate::postings::top_k::QueryTerm;
use crate::term_weight::{
    COMPLETIONS_MAX, COMPLETIONS_SCANNED_MAX, CORRECTION_FREQUENCY_RATIO, CORRECTIONS_MAX, ONE_EDIT_WEIGHT,
    TWO_EDITS_WEIGHT, idf, term_weight,
};
use crate::text::{Stemmers, WORDS_MAX, query_words};

/// A correction weighs at most as much as a word that one in this many items has.
const CORRECTION_RARITY_MAX: u32 = 100;
/// Known words are completed only in queries of at most this many words: in longer ones the last word is rarely half typed.
const COMPLETED_WORDS_MAX: usize = 3;
/// From this many letters on an unknown (or a known) last word is completed.
const COMPLETED_CHARS_MIN: usize = 2;
const COMPLETED_KNOWN_CHARS_MIN: usize = 3;
/// Weight of the completions of an unknown word and, less, of a word that is one already.
const COMPLETION_WEIGHT: f32 = 0.7;
const KNOWN_COMPLETION_WEIGHT: f32 = 0.3;
/// What a word adds when the document has it in exactly the query's form, as a fraction of what its stem gives.
const EXACT_FORM_BONUS: f32 = 0.4;

/// What the text scores of preferred items gain, see [`crate::SearchRequest::preferred`].
pub(crate) const PREFERRED_PERCENT: u32 = 200;

/// A word of the query and the terms that stand for it.
#[derive(Debug, Default)]
pub(crate) struct PlannedWord {
    pub terms: Vec<u32>,
    /// So many of the terms are what was typed, or complete it; those behind are corrections.
    pub typed: usize,
}

/// A query, looked up.
#[derive(Debug, Default)]
pub(crate) struct QueryPlan {
    pub terms: Vec<QueryTerm>,
    pub words: Vec<PlannedWord>,
    /// Terms of words that mean the same as typed ones.
    pub synonyms: Vec<u32>,
    /// Upper bound of a score: every word with the highest impact.
    pub max_score: f32,
}

impl QueryPlan {
    /// Raises the weight of every term by some percent.
    pub(crate) fn raise(&mut self, percent: u32) {
        for term in &mut self.terms {
            term.weight += term.weight * percent / 100;
            term.exact_form_bonus += term.exact_form_bonus * percent / 100;
        }
    }

    /// Adds the terms of another plan at some percent of their weight. They are none of the words that were typed.
    pub(crate) fn add_weaker(&mut self, other: &Self, percent: u32) {
        let weaker = |term: &QueryTerm| QueryTerm {
            weight: (term.weight * percent / 100).max(1),
            exact_form_bonus: term.exact_form_bonus * percent / 100,
            ..*term
        };
        let is_new = |term: &&QueryTerm| !self.terms.iter().any(|known| known.term == term.term);
        let added: Vec<QueryTerm> = other.terms.iter().filter(is_new).map(weaker).collect();
        self.synonyms.extend(added.iter().map(|term| term.term));
        self.terms.extend(added);
    }

    /// The plan in the terms of a segment; what it lacks is left out.
    pub(crate) fn in_segment(&self, map: &TermMap) -> Self {
        let local = |term: &QueryTerm| Some(QueryTerm { term: map.local(term.term)?, ..*term });
        let word = |word: &PlannedWord| {
            let (typed, corrections) = word.terms.split_at(word.typed);
            let locals = |terms: &[u32]| terms.iter().filter_map(|term| map.local(*term)).collect::<Vec<u32>>();
            let mut terms = locals(typed);
            let typed = terms.len();
            terms.extend(locals(corrections));
            PlannedWord { terms, typed }
        };
        Self {
            terms: self.terms.iter().filter_map(local).collect(),
            words: self.words.iter().map(word).collect(),
            synonyms: self.synonyms.iter().filter_map(|term| map.local(*term)).collect(),
            max_score: self.max_score,
        }
    }
}

/// A looked-up word of a query.
struct WordLookup {
    /// Weight of the word in the query, by which the rarest words are chosen.
    weight: u32,
    terms: Vec<QueryTerm>,
    /// See [`PlannedWord::typed`].
    typed: usize,
}

/// Whether a word may be completed.
#[derive(Clone, Copy)]
struct Completion {
    /// It ends the query: it may be half typed.
    last: bool,
    /// The query is short: even a known word is completed.
    short_query: bool,
}

/// The merged terms of all segments, with their statistics.
#[derive(Debug, Default)]
pub(crate) struct TextTerms {
    vocabulary: Dictionary,
    /// Stem of each word of the vocabulary.
    stem_of: Box<[u32]>,
    stems: Dictionary,
    /// Document frequency of each stem, counted in items.
    doc_freqs: Box<[u32]>,
    /// Number of items.
    items: u32,
    stemmers: Stemmers,
}

impl TextTerms {
    /// Merges the terms of segments; returns with it the stems of each segment as merged ones.
    pub(crate) fn merge(segments: &[&FullTextIndex]) -> (Self, Vec<TermMap>) {
        let stems: Vec<&WordList> = segments.iter().map(|segment| &segment.stems).collect();
        let (stems, stem_maps) = merge(&stems);
        let words: Vec<&WordList> = segments.iter().map(|segment| &segment.vocabulary).collect();
        let (vocabulary, word_maps) = merge(&words);
        // Only words are corrected, and their stems follow.
        let (vocabulary, stems) = (Dictionary::new(vocabulary), Dictionary::without_fuzzy(stems));
        let mut doc_freqs = vec![0; stems.len()].into_boxed_slice();
        let mut stem_of = vec![0; vocabulary.len()].into_boxed_slice();
        for ((segment, stem_map), word_map) in segments.iter().zip(&stem_maps).zip(&word_maps) {
            for (stem, merged) in stem_map.iter() {
                doc_freqs[merged as usize] += segment.index.doc_freq(stem);
            }
            for (word, merged) in word_map.iter() {
                stem_of[merged as usize] = stem_map.merged(segment.stem_of[word as usize]);
            }
        }
        let items = segments.iter().map(|segment| segment.items() as u32).sum();
        (Self { vocabulary, stem_of, stems, doc_freqs, items, stemmers: Stemmers::default() }, stem_maps)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.vocabulary.heap_bytes() + self.stems.heap_bytes() + (self.stem_of.len() + self.doc_freqs.len()) * 4
    }

    fn stem_doc_freq(&self, stem: u32) -> u32 {
        self.doc_freqs[stem as usize]
    }

    /// Number of items whose text has the stem of a word, if the word occurs in exactly this form.
    pub(crate) fn doc_freq(&self, word: &str) -> u32 {
        self.vocabulary.find(word).map_or(0, |word| self.stem_doc_freq(self.stem_of[word as usize]))
    }

    /// Whether two known words have the same stem.
    pub(crate) fn same_stem(&self, word: &str, other: &str) -> bool {
        let stem = |word: &str| self.vocabulary.find(word).map(|word| self.stem_of[word as usize]);
        stem(word).is_some_and(|known| stem(other) == Some(known))
    }

    /// The stems that misspelt words were corrected to.
    pub(crate) fn corrections(&self, plan: &QueryPlan) -> Vec<String> {
        let corrections = plan.words.iter().flat_map(|word| &word.terms[word.typed..]);
        corrections.map(|term| self.stems.word(*term).to_owned()).collect()
    }

    fn weight(&self, doc_freq: u32, factor: f32) -> u32 {
        term_weight(idf(self.items, doc_freq), factor)
    }

    /// Looks up the words of a query, of which the last may be half typed.
    pub(crate) fn plan(&self, query: &str) -> QueryPlan {
        self.plan_words(query, true)
    }

    /// Looks up whole words.
    pub(crate) fn plan_whole(&self, words: &str) -> QueryPlan {
        self.plan_words(words, false)
    }

    fn plan_words(&self, query: &str, is_typed: bool) -> QueryPlan {
        let words = query_words(query);
        let mut plan = QueryPlan::default();
        let short_query = words.len() <= COMPLETED_WORDS_MAX;
        let mut found: Vec<WordLookup> = Vec::new();
        for word in &words {
            // Repeated words count more, with the square root as in Lucene's classic similarity.
            let query_frequency = (word.count as f32).sqrt();
            let completion = Completion { last: is_typed && word.is_last, short_query };
            let lookup = self.look_up(&word.text, query_frequency, completion);
            plan.max_score += lookup.weight as f32 * IMPACT_MAX;
            if !lookup.terms.is_empty() {
                found.push(lookup);
            }
        }
        if found.len() > WORDS_MAX {
            found.sort_by_key(|lookup| u32::MAX - lookup.weight);
            found.truncate(WORDS_MAX);
        }
        for lookup in found {
            let terms = lookup.terms.iter().map(|term| term.term).collect();
            plan.words.push(PlannedWord { terms, typed: lookup.typed });
            plan.terms.extend(lookup.terms);
        }
        plan
    }

    /// The terms of one word: itself, its completions, or, if there are neither, its corrections. A form that no text has may be misspelt, too,
    /// where its stem is that of another word: `summerize`, which is none of `summer`.
    fn look_up(&self, word: &str, query_frequency: f32, completion: Completion) -> WordLookup {
        let known = self.term(word);
        let mut terms = Vec::new();
        if let Some(term) = known {
            let doc_freq = self.stem_doc_freq(term);
            let exact_form_bonus = self.weight(doc_freq, query_frequency * EXACT_FORM_BONUS);
            let weight = self.weight(doc_freq, query_frequency);
            terms.push(QueryTerm { term, weight, exact_form_bonus, surface_form: surface_form_bit(word) });
        }
        let (chars_min, weight) = match known {
            Some(_) => (COMPLETED_KNOWN_CHARS_MIN, KNOWN_COMPLETION_WEIGHT),
            None => (COMPLETED_CHARS_MIN, COMPLETION_WEIGHT),
        };
        let long_enough = word.chars().nth(chars_min - 1).is_some();
        if completion.last && long_enough && (known.is_none() || completion.short_query) {
            self.add_completions(word, known, weight * query_frequency, &mut terms);
        }
        let typed = terms.len();
        let is_unseen = known.is_some() && completion.short_query && self.vocabulary.find(word).is_none();
        if terms.is_empty() || is_unseen {
            let least = known.map_or(0, |known| self.stem_doc_freq(known) * CORRECTION_FREQUENCY_RATIO);
            let (edits, similar) = self.vocabulary.fuzzy(word);
            self.most_frequent_stems(similar.into_iter(), CORRECTIONS_MAX, |term, doc_freq| {
                if doc_freq < least || is_unseen && edits > 1 {
                    return;
                }
                let factor = if edits == 1 { ONE_EDIT_WEIGHT } else { TWO_EDITS_WEIGHT } * query_frequency;
                // A rare word is seldom what a misspelt one stands for: cap its weight at that of a fairly common one.
                let doc_freq = doc_freq.max(self.items / CORRECTION_RARITY_MAX);
                terms.push(QueryTerm::any_form(term, self.weight(doc_freq, factor)));
            });
            // What is likely misspelt says no more than its correction does.
            if let Some(correction) = terms.get(typed).filter(|_| is_unseen).map(|correction| correction.weight) {
                for term in &mut terms[..typed] {
                    (term.weight, term.exact_form_bonus) = (term.weight.min(correction), 0);
                }
            }
        }
        let weight = match known {
            Some(_) => terms[0].weight,
            None => self.weight(terms.iter().map(|term| self.stem_doc_freq(term.term)).sum(), query_frequency),
        };
        WordLookup { weight, terms, typed }
    }

    /// The stem of a word, if any document has it.
    fn term(&self, word: &str) -> Option<u32> {
        let stem = self.vocabulary.find(word).map(|word| self.stem_of[word as usize]);
        stem.or_else(|| self.stems.find(&self.stemmers.stem(word)))
    }

    /// Adds words that start with the last word, all weighted as one word that occurs wherever one of them does.
    fn add_completions(&self, word: &str, known: Option<u32>, factor: f32, terms: &mut Vec<QueryTerm>) {
        let range = self.vocabulary.with_prefix(word).take(COMPLETIONS_SCANNED_MAX);
        let mut found = Vec::new();
        self.most_frequent_stems(range, COMPLETIONS_MAX, |term, doc_freq| {
            if Some(term) != known {
                found.push((term, doc_freq));
            }
        });
        let total_doc_freq = found.iter().map(|(_, doc_freq)| *doc_freq).sum();
        let weight = self.weight(total_doc_freq, factor);
        terms.extend(found.into_iter().map(|(term, _)| QueryTerm::any_form(term, weight)));
    }

    /// Calls `take` with the stems of some words and their document frequencies, the most frequent first, at most `limit`.
    fn most_frequent_stems(&self, words: impl Iterator<Item = u32>, limit: usize, mut take: impl FnMut(u32, u32)) {
        let mut stems: Vec<u32> = words.map(|word| self.stem_of[word as usize]).collect();
        stems.sort_unstable();
        stems.dedup();
        stems.sort_by_key(|stem| u32::MAX - self.stem_doc_freq(*stem));
        for stem in stems.into_iter().take(limit) {
            take(stem, self.stem_doc_freq(stem));
        }
    }
}
