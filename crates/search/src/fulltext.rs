//! The full-text index: BM25 (Robertson et al. 1994) over stems, with field weights folded into the term frequency as BM25F does
//! (Robertson et al. 2004), and impacts quantised to one byte at build time.
//!
//! Titles count twice, the last word of a query also matches as a prefix, and a word that the vocabulary lacks is corrected. A passage
//! is a document of its own that also carries its parent's title; an item is as good as its best document (maximum passage score).
//! Not here: names and ids (`names`), merging (`fusion`).

use super::postings::dictionary::Dictionary;
use super::postings::doc_layout::ItemPriors;
use super::postings::doc_terms::DocTerms;
use super::postings::interner::{Interner, hash};
use super::postings::inverted_index::InvertedIndex;
use super::postings::top_k::QueryTerm;
use super::text::{Stemmers, query_words, tokenize};
use super::{Field, MatchField, NameKind};
use refdesk_core::codec::packed;
use serde::{Deserialize, Serialize};

/// Term frequency saturation of BM25.
const K1: f32 = 1.4;
/// Length normalisation of BM25.
const B: f32 = 0.75;
/// The highest impact: what a document gets for a term it holds without end.
const IMPACT_MAX: f32 = 255.0;
/// Part of a score that one step of demotion takes: less than the scores of most texts differ that are not equally good.
const DEMOTION_STEP: f32 = 0.02;
/// Integer steps in one unit of inverse document frequency.
const IDF_STEPS: f32 = 64.0;
/// Distinct words of a query that are looked up; the rarest are kept.
const WORDS_MAX: usize = 48;
/// Completions of the last word that are looked up; the most frequent are kept.
const COMPLETIONS_MAX: usize = 8;
/// Corrections of an unknown word that are looked up; the most frequent are kept.
const CORRECTIONS_MAX: usize = 4;
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
/// Weight of a correction by one edit, and by two.
const ONE_EDIT_WEIGHT: f32 = 0.75;
const TWO_EDITS_WEIGHT: f32 = 0.5;
/// What a word adds when the document has it in exactly the query's form, as a fraction of what its stem gives.
const EXACT_FORM_BONUS: f32 = 0.4;
/// Weight of a title (and of a passage's name) in the term frequency.
const TITLE_WEIGHT: u8 = 2;

const PASSAGE_BIT: u8 = 1 << 5;
const ID_BIT: u8 = 1 << 6;
const NAME_BIT: u8 = 1 << 7;

const fn field_bit(field: Field) -> u8 {
    1 << field as u8
}

/// The fields of a field mask, most telling first.
pub(super) fn match_fields(mask: u8) -> impl Iterator<Item = MatchField> {
    [
        (ID_BIT, MatchField::Id),
        (NAME_BIT, MatchField::Name),
        (field_bit(Field::Title), MatchField::Title),
        (PASSAGE_BIT, MatchField::Passage),
        (field_bit(Field::Description), MatchField::Description),
        (field_bit(Field::Keywords), MatchField::Keywords),
        (field_bit(Field::Headings), MatchField::Headings),
        (field_bit(Field::Body), MatchField::Body),
    ]
    .into_iter()
    .filter_map(move |(bit, field)| (mask & bit != 0).then_some(field))
}

/// The bit of a surface form, by hash: two forms of one stem seldom share it, and a collision only gives a small bonus.
fn surface_form_bit(word: &str) -> u8 {
    1 << (hash(word) >> 61)
}

/// A stem in a document before its occurrences are summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Occurrence {
    stem: u32,
    count: u8,
    field: u8,
    surface_form: u8,
}

/// Collects the texts of items.
#[derive(Debug, Default)]
pub(super) struct FullTextBuilder {
    vocabulary: Interner,
    stems: Interner,
    /// Stem of each word of the vocabulary, both in order of first appearance.
    stem_of: Vec<u32>,
    /// Surface-form bit of each word.
    surface_forms: Vec<u8>,
    stemmers: Stemmers,
    doc_terms: DocTerms,
    /// The document being added.
    doc: Vec<Occurrence>,
    /// The title of the item being added.
    title: Vec<Occurrence>,
}

impl FullTextBuilder {
    pub(super) fn add(&mut self, ordinal: u32, item: &super::DocInput<'_>) {
        self.doc.clear();
        let mut length = 0;
        for (field, text) in item.fields.iter().filter(|(field, _)| *field == Field::Title) {
            length += self.add_text(text, TITLE_WEIGHT, field_bit(*field));
        }
        self.title.clear();
        self.title.extend(self.doc.iter().map(|occurrence| Occurrence { count: 1, ..*occurrence }));
        let title_length = length / u32::from(TITLE_WEIGHT);
        for (field, text) in item.fields.iter().filter(|(field, _)| *field != Field::Title) {
            length += self.add_text(text, 1, field_bit(*field));
        }
        self.add_names(item);
        self.finish_doc(ordinal, length);
        for (name, text) in &item.passages {
            self.doc.clear();
            self.doc.extend_from_slice(&self.title);
            let name_length = self.add_text(name, TITLE_WEIGHT, PASSAGE_BIT);
            let length = title_length + name_length + self.add_text(text, 1, PASSAGE_BIT);
            self.finish_doc(ordinal, length);
        }
    }

    /// Makes the words of names searchable. They do not lengthen the document, and those that the title or another name has already add
    /// no frequency: an item with many aliases must not score higher for it.
    fn add_names(&mut self, item: &super::DocInput<'_>) {
        let start = self.doc.len();
        for (kind, name) in &item.names {
            let bit = if *kind == NameKind::Id { ID_BIT } else { NAME_BIT };
            self.add_text(name, 1, bit);
        }
        let names = self.doc.split_off(start);
        for mut occurrence in names {
            let in_title = self.title.iter().any(|other| other.stem == occurrence.stem);
            let in_names = self.doc[start..].iter().any(|other| other.stem == occurrence.stem);
            if in_title || in_names {
                occurrence.count = 0;
            }
            self.doc.push(occurrence);
        }
    }

    /// Adds the words of a text to the document; returns their weighted number.
    fn add_text(&mut self, text: &str, weight: u8, field: u8) -> u32 {
        let Self { vocabulary, stems, stem_of, surface_forms, stemmers, doc, .. } = self;
        let mut length = 0;
        tokenize(text, |word, _| {
            let (number, new) = vocabulary.intern(word);
            if new {
                stem_of.push(stems.intern(&stemmers.stem(word)).0);
                surface_forms.push(surface_form_bit(word));
            }
            let (stem, surface_form) = (stem_of[number as usize], surface_forms[number as usize]);
            doc.push(Occurrence { stem, count: weight, field, surface_form });
            length += u32::from(weight);
        });
        length
    }

    fn finish_doc(&mut self, ordinal: u32, length: u32) {
        self.doc.sort_unstable();
        for same in self.doc.chunk_by(|a, b| a.stem == b.stem) {
            self.doc_terms.terms.push(same[0].stem);
            self.doc_terms.counts.push(same.iter().fold(0_u8, |sum, occurrence| sum.saturating_add(occurrence.count)));
            self.doc_terms.fields.push(same.iter().fold(0, |mask, occurrence| mask | occurrence.field));
            self.doc_terms.surface_forms.push(same.iter().fold(0, |mask, occurrence| mask | occurrence.surface_form));
        }
        self.doc_terms.finish_doc(ordinal, length);
    }

    /// The finished index; as a delta segment it takes over the statistics of the `base` segment, so that scores compare.
    pub(super) fn finish(self, items: ItemPriors<'_>, base: Option<&FullTextIndex>) -> FullTextIndex {
        let Self { vocabulary, stems, stem_of, doc_terms, .. } = self;
        let (vocabulary, word_ranks) = vocabulary.finish();
        let (stems, stem_ranks) = stems.finish();
        let mut ranked_stem_of = vec![0; stem_of.len()];
        for (word, stem) in stem_of.into_iter().enumerate() {
            ranked_stem_of[word_ranks[word] as usize] = stem_ranks[stem as usize];
        }
        let docs = doc_terms.lengths.len().max(1) as f32;
        let total_length = doc_terms.lengths.iter().map(|length| u64::from(*length)).sum::<u64>();
        let mean_length = base.map_or((total_length as f32 / docs).max(1.0), |base| base.mean_length);
        let (mut index, _) = InvertedIndex::build(&doc_terms, &stem_ranks, items, |count, length, demotion| {
            let count = f32::from(count.max(1));
            let saturation = K1 * (1.0 - B + B * length as f32 / mean_length);
            let prior = 1.0 - DEMOTION_STEP * f32::from(demotion);
            (IMPACT_MAX * prior * count / (count + saturation)).round().clamp(1.0, IMPACT_MAX) as u8
        });
        if let Some(base) = base {
            index.add_doc_freqs(|term| base.stems.find(stems.word(term)).map_or(0, |term| base.index.doc_freq(term)));
        }
        let item_docs = item_docs(&index.layout.parents, items.classes.len());
        FullTextIndex {
            vocabulary,
            stem_of: ranked_stem_of.into_boxed_slice(),
            stems,
            stemmers: Stemmers::default(),
            index,
            items: items.classes.len() as u32 + base.map_or(0, |base| base.items),
            mean_length,
            item_docs,
        }
    }
}

/// Doc id of each item's own document: the first of its documents, which have adjacent ids.
fn item_docs(parents: &[u32], items: usize) -> Box<[u32]> {
    let mut docs = vec![u32::MAX; items].into_boxed_slice();
    for (doc_id, parent) in parents.iter().enumerate() {
        if let Some(slot) = docs.get_mut(*parent as usize) {
            *slot = (*slot).min(doc_id as u32);
        }
    }
    docs
}

/// The finished full-text index.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct FullTextIndex {
    /// All words in their surface form, folded.
    vocabulary: Dictionary,
    /// Stem of each word of the vocabulary.
    #[serde(with = "packed")]
    stem_of: Box<[u32]>,
    stems: Dictionary,
    #[serde(skip)]
    stemmers: Stemmers,
    pub index: InvertedIndex<[u8; 3]>,
    items: u32,
    /// Mean length of a document in words.
    mean_length: f32,
    /// Doc id of each item's own document (not a passage).
    #[serde(with = "packed")]
    item_docs: Box<[u32]>,
}

/// A word of the query and the terms that stand for it.
#[derive(Debug, Default)]
pub(super) struct PlannedWord {
    pub terms: Vec<u32>,
    /// The terms are corrections.
    pub fuzzy: bool,
}

/// A query, looked up.
#[derive(Debug, Default)]
pub(super) struct QueryPlan {
    pub terms: Vec<QueryTerm>,
    pub words: Vec<PlannedWord>,
    /// Upper bound of a score: every word with the highest impact.
    pub max_score: f32,
}

/// A looked-up word of a query.
struct WordLookup {
    /// Weight of the word in the query, by which the rarest words are chosen.
    weight: u32,
    terms: Vec<QueryTerm>,
    fuzzy: bool,
}

/// Whether a word may be completed.
#[derive(Clone, Copy)]
struct Completion {
    /// It ends the query: it may be half typed.
    last: bool,
    /// The query is short: even a known word is completed.
    short_query: bool,
}

impl FullTextIndex {
    /// Doc id of an item's own document.
    pub(super) fn item_doc(&self, ordinal: u32) -> u32 {
        self.item_docs[ordinal as usize]
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.vocabulary.heap_bytes()
            + self.stems.heap_bytes()
            + self.index.heap_bytes()
            + (self.stem_of.len() + self.item_docs.len()) * 4
    }

    /// Number of items whose text has the stem of a word, if the word occurs in exactly this form.
    pub(super) fn doc_freq(&self, word: &str) -> u32 {
        self.vocabulary.find(word).map_or(0, |word| self.index.doc_freq(self.stem_of[word as usize]))
    }

    /// Whether two known words have the same stem.
    pub(super) fn same_stem(&self, word: &str, other: &str) -> bool {
        let stem = |word: &str| self.vocabulary.find(word).map(|word| self.stem_of[word as usize]);
        stem(word).is_some_and(|known| stem(other) == Some(known))
    }

    /// The stems that misspelt words were corrected to.
    pub(super) fn corrections(&self, plan: &QueryPlan) -> Vec<String> {
        let fuzzy = plan.words.iter().filter(|word| word.fuzzy);
        fuzzy.flat_map(|word| &word.terms).map(|term| self.stems.word(*term).to_owned()).collect()
    }

    /// Inverse document frequency, in the form of Lucene's BM25 (never negative).
    fn idf(&self, doc_freq: u32) -> f32 {
        let (all, with) = (self.items as f32, doc_freq.min(self.items) as f32);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    /// The integer weight of a term.
    fn weight(&self, doc_freq: u32, factor: f32) -> u32 {
        (self.idf(doc_freq) * factor * IDF_STEPS).round().max(1.0) as u32
    }

    /// Looks up the words of a query. A word that another segment has, as `other_doc_freq` tells, is not corrected.
    pub(super) fn plan(&self, query: &str, other_doc_freq: &dyn Fn(&str) -> u32) -> QueryPlan {
        let query = query.trim_end();
        let words = query_words(query);
        let mut plan = QueryPlan::default();
        let short_query = words.len() <= COMPLETED_WORDS_MAX;
        let mut found: Vec<WordLookup> = Vec::new();
        for word in &words {
            // Repeated words count more, with the square root as in Lucene's classic similarity.
            let query_frequency = (word.count as f32).sqrt();
            let completion = Completion { last: word.range.end == query.len(), short_query };
            let lookup = self.look_up(&word.text, query_frequency, completion, other_doc_freq);
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
            plan.words.push(PlannedWord { terms, fuzzy: lookup.fuzzy });
            plan.terms.extend(lookup.terms);
        }
        plan
    }

    /// The terms of one word: itself, its completions, or, if there are neither, its corrections.
    fn look_up(
        &self,
        word: &str,
        query_frequency: f32,
        completion: Completion,
        other_doc_freq: &dyn Fn(&str) -> u32,
    ) -> WordLookup {
        let known = self.term(word);
        let mut terms = Vec::new();
        let mut fuzzy = false;
        if let Some(term) = known {
            let doc_freq = self.index.doc_freq(term);
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
        if terms.is_empty() && other_doc_freq(word) == 0 {
            let (edits, similar) = self.vocabulary.fuzzy(word);
            fuzzy = !similar.is_empty();
            self.most_frequent_stems(similar.into_iter(), CORRECTIONS_MAX, |term, doc_freq| {
                let factor = if edits == 1 { ONE_EDIT_WEIGHT } else { TWO_EDITS_WEIGHT } * query_frequency;
                // A rare word is seldom what a misspelt one stands for: cap its weight at that of a fairly common one.
                let doc_freq = doc_freq.max(self.items / CORRECTION_RARITY_MAX);
                terms.push(QueryTerm::any_form(term, self.weight(doc_freq, factor)));
            });
        }
        let weight = match known {
            Some(_) => terms[0].weight,
            None => self.weight(terms.iter().map(|term| self.index.doc_freq(term.term)).sum(), query_frequency),
        };
        WordLookup { weight, terms, fuzzy }
    }

    /// The stem of a word, if any document has it.
    fn term(&self, word: &str) -> Option<u32> {
        let stem = self.vocabulary.find(word).map(|word| self.stem_of[word as usize]);
        stem.or_else(|| self.stems.find(&self.stemmers.stem(word)))
    }

    /// Adds words that start with the last word, all weighted as one word that occurs wherever one of them does.
    fn add_completions(&self, word: &str, known: Option<u32>, factor: f32, terms: &mut Vec<QueryTerm>) {
        const SCANNED_MAX: usize = 512;
        let range = self.vocabulary.with_prefix(word).take(SCANNED_MAX);
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
        stems.sort_by_key(|stem| u32::MAX - self.index.doc_freq(*stem));
        for stem in stems.into_iter().take(limit) {
            take(stem, self.index.doc_freq(stem));
        }
    }
}
