//! The needs channel: what items say about themselves, ranked by BM25 over stems.
//!
//! Titles count twice, question words are dropped from the query only, the last word also matches as a prefix, and a
//! word that the vocabulary lacks is corrected. A child is a unit of its own that also carries its parent's title; an
//! item is as good as its best unit. Not here: names and ids (`names`), merging (`rank`).

use super::analyze::{Stems, words};
use super::collect::Clause;
use super::dictionary::{Dictionary, Interner, hash};
use super::inverted::{Forward, Inverted};
use super::layout::ItemPriors;
use super::stop::is_question_word;
use super::{Field, MatchField, NameKind};
use refdesk_core::codec::packed;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Term frequency saturation of BM25.
const K1: f32 = 1.4;
/// Length normalisation of BM25.
const B: f32 = 0.75;
/// Share of a score that one step of demotion takes: less than most texts differ by that are not equally good.
const DEMOTION_STEP: f32 = 0.02;
/// Integer steps in one unit of inverse document frequency.
const IDF_STEPS: f32 = 64.0;
/// Different words of a query that are looked up; the rarest are kept.
const WORDS_MAX: usize = 48;
/// Completions of the last word that are looked up; the most frequent are kept.
const COMPLETIONS_MAX: usize = 8;
/// Corrections of an unknown word that are looked up; the most frequent are kept.
const CORRECTIONS_MAX: usize = 4;
/// A correction weighs at most as much as a word that one of so many items has.
const CORRECTED_SHARE: u32 = 100;
/// Known words are completed only in queries of at most so many words.
const COMPLETED_WORDS_MAX: usize = 3;

const CHILD: u8 = 1 << 5;
const ID: u8 = 1 << 6;
const NAME: u8 = 1 << 7;

const fn field_bit(field: Field) -> u8 {
    1 << field as u8
}

/// The fields of a posting's bits, most telling first.
pub(super) fn match_fields(bits: u8) -> impl Iterator<Item = MatchField> {
    [
        (ID, MatchField::Id),
        (NAME, MatchField::Name),
        (field_bit(Field::Title), MatchField::Title),
        (CHILD, MatchField::Child),
        (field_bit(Field::Description), MatchField::Description),
        (field_bit(Field::Keywords), MatchField::Keywords),
        (field_bit(Field::Headings), MatchField::Headings),
        (field_bit(Field::Body), MatchField::Body),
    ]
    .into_iter()
    .filter_map(move |(bit, field)| (bits & bit != 0).then_some(field))
}

/// What a word adds when the unit has it in exactly the form of the query, as a share of what its stem gives.
const EXACT_SHARE: f32 = 0.4;

/// A stem in a unit before its occurrences are summed: (stem, count, field bit, form bit).
type Occurrence = (u32, u8, u8, u8);

/// The bit that stands for a form of a stem; forms of one stem seldom share one.
fn form_bit(word: &str) -> u8 {
    1 << (hash(word) >> 61)
}

/// Collects the texts of items.
#[derive(Debug, Default)]
pub(super) struct NeedsBuilder {
    surfaces: Interner,
    stems: Interner,
    /// Stem of each surface, both in order of first sight.
    stem_of: Vec<u32>,
    /// Form bit of each surface.
    forms: Vec<u8>,
    stemmer: Stems,
    forward: Forward,
    unit: Vec<Occurrence>,
    title: Vec<Occurrence>,
}

impl NeedsBuilder {
    pub(super) fn add(&mut self, ord: u32, doc: &super::DocInput<'_>) {
        self.unit.clear();
        let mut length = 0;
        for (field, text) in doc.fields.iter().filter(|(field, _)| *field == Field::Title) {
            length += self.read(text, 2, field_bit(*field));
        }
        self.title.clear();
        self.title.extend(self.unit.iter().map(|(stem, _, bit, form)| (*stem, 1, *bit, *form)));
        let title_length = length / 2;
        for (field, text) in doc.fields.iter().filter(|(field, _)| *field != Field::Title) {
            length += self.read(text, 1, field_bit(*field));
        }
        self.read_names(doc);
        self.end_unit(ord, length);
        for (name, text) in &doc.children {
            self.unit.clear();
            self.unit.extend_from_slice(&self.title);
            let length = title_length + self.read(name, 2, CHILD) + self.read(text, 1, CHILD);
            self.end_unit(ord, length);
        }
    }

    /// Words of names that the title does not have are found too; they do not lengthen the unit.
    fn read_names(&mut self, doc: &super::DocInput<'_>) {
        let start = self.unit.len();
        for (kind, name) in &doc.names {
            let bit = if *kind == NameKind::Id { ID } else { NAME };
            self.read(name, 1, bit);
        }
        let names = self.unit.split_off(start);
        for (stem, count, bit, form) in names {
            let said = self.title.iter().any(|(other, ..)| *other == stem);
            let twice = self.unit[start..].iter().any(|(other, ..)| *other == stem);
            self.unit.push((stem, if said || twice { 0 } else { count }, bit, form));
        }
    }

    /// Adds the words of a text to the unit; returns their weighted number.
    fn read(&mut self, text: &str, weight: u8, bit: u8) -> u32 {
        let Self { surfaces, stems, stem_of, forms, stemmer, unit, .. } = self;
        let mut length = 0;
        words(text, |word, _| {
            let (surface, new) = surfaces.intern(word);
            if new {
                stem_of.push(stems.intern(&stemmer.stem(word)).0);
                forms.push(form_bit(word));
            }
            unit.push((stem_of[surface as usize], weight, bit, forms[surface as usize]));
            length += u32::from(weight);
        });
        length
    }

    fn end_unit(&mut self, ord: u32, length: u32) {
        self.unit.sort_unstable();
        for same in self.unit.chunk_by(|a, b| a.0 == b.0) {
            let count = same.iter().fold(0_u8, |sum, (_, count, ..)| sum.saturating_add(*count));
            self.forward.terms.push(same[0].0);
            self.forward.counts.push(count);
            self.forward.fields.push(same.iter().fold(0, |bits, (_, _, bit, _)| bits | bit));
            self.forward.forms.push(same.iter().fold(0, |bits, (.., form)| bits | form));
        }
        self.forward.end_unit(ord, length);
    }

    /// The finished channel; as a layer over another one it takes over the other's statistics.
    pub(super) fn finish(self, items: ItemPriors<'_>, base: Option<&Needs>) -> Needs {
        let Self { surfaces, stems, stem_of, forward, .. } = self;
        let (surfaces, surface_numbers) = surfaces.finish();
        let (stems, stem_numbers) = stems.finish();
        let mut sorted_stem_of = vec![0; stem_of.len()];
        for (surface, stem) in stem_of.into_iter().enumerate() {
            sorted_stem_of[surface_numbers[surface] as usize] = stem_numbers[stem as usize];
        }
        let units = forward.lengths.len().max(1) as f32;
        let own_mean = (forward.lengths.iter().map(|length| u64::from(*length)).sum::<u64>() as f32 / units).max(1.0);
        let mean = base.map_or(own_mean, |base| base.mean_length);
        let (mut index, _) = Inverted::build(&forward, &stem_numbers, items, |count, length, demotion| {
            let count = f32::from(count.max(1));
            let damping = K1 * (1.0 - B + B * length as f32 / mean);
            let prior = 1.0 - DEMOTION_STEP * f32::from(demotion);
            (255.0 * prior * count / (count + damping)).round().clamp(1.0, 255.0) as u8
        });
        if let Some(base) = base {
            index.count_more(|term| base.stems.find(stems.word(term)).map_or(0, |term| base.index.items(term)));
        }
        Needs {
            surfaces,
            stem_of: sorted_stem_of.into_boxed_slice(),
            stems,
            stemmer: Stems::default(),
            index,
            items: items.classes.len() as u32 + base.map_or(0, |base| base.items),
            mean_length: mean,
            own_places: vec![u32::MAX; items.classes.len()].into_boxed_slice(),
        }
        .with_own_places()
    }
}

/// The finished channel.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Needs {
    surfaces: Dictionary,
    #[serde(with = "packed")]
    stem_of: Box<[u32]>,
    stems: Dictionary,
    #[serde(skip)]
    stemmer: Stems,
    pub index: Inverted<[u8; 3]>,
    items: u32,
    /// Mean length of a unit in words.
    mean_length: f32,
    /// Place of each item's own unit.
    #[serde(with = "packed")]
    own_places: Box<[u32]>,
}

/// A word of the query and the terms that stand for it.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    pub terms: Vec<u32>,
    pub fuzzy: bool,
}

/// What a query looks for.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub clauses: Vec<Clause>,
    pub wanted: Vec<Wanted>,
    /// The score of an item that has every word to the full.
    pub ideal: f32,
}

/// A word of the query before it is looked up.
pub(super) struct Word {
    pub text: String,
    /// Its bytes in the query (the last time it occurs).
    pub range: Range<usize>,
    times: u32,
}

impl Needs {
    fn with_own_places(mut self) -> Self {
        let places = &mut self.own_places;
        for (place, owner) in self.index.layout.owners.iter().enumerate() {
            if let Some(slot) = places.get_mut(*owner as usize) {
                *slot = (*slot).min(place as u32);
            }
        }
        self
    }

    pub(super) fn own_place(&self, ord: u32) -> u32 {
        self.own_places[ord as usize]
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.surfaces.heap_bytes()
            + self.stems.heap_bytes()
            + self.index.heap_bytes()
            + (self.stem_of.len() + self.own_places.len()) * 4
    }

    /// Number of items whose text has a word, in exactly this form.
    pub(super) fn items_with(&self, word: &str) -> u32 {
        self.surfaces.find(word).map_or(0, |surface| self.index.items(self.stem_of[surface as usize]))
    }

    /// Whether two known words have the same stem.
    pub(super) fn same_stem(&self, word: &str, other: &str) -> bool {
        let stem = |word: &str| self.surfaces.find(word).map(|surface| self.stem_of[surface as usize]);
        stem(word).is_some_and(|known| stem(other) == Some(known))
    }

    /// The stems that misspelt words were taken for.
    pub(super) fn corrected(&self, plan: &Plan) -> Vec<String> {
        let fuzzy = plan.wanted.iter().filter(|wanted| wanted.fuzzy);
        fuzzy.flat_map(|wanted| &wanted.terms).map(|term| self.stems.word(*term).to_owned()).collect()
    }

    fn idf(&self, items: u32) -> f32 {
        let (all, with) = (self.items as f32, items.min(self.items) as f32);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    fn weight(&self, items: u32, factor: f32) -> u32 {
        (self.idf(items) * factor * IDF_STEPS).round().max(1.0) as u32
    }

    /// Looks the words of a query up. A word that `others_with` knows in another layer is not corrected.
    pub(super) fn plan(&self, text: &str, others_with: &dyn Fn(&str) -> u32) -> Plan {
        let text = text.trim_end();
        let words = content_words(text);
        let mut plan = Plan::default();
        let few = words.len() <= COMPLETED_WORDS_MAX;
        let mut rated: Vec<(u32, Vec<Clause>, Wanted)> = Vec::new();
        for word in &words {
            let times = (word.times as f32).sqrt();
            let last = word.range.end == text.len();
            let (weight, clauses, wanted) = self.look_up(&word.text, times, (last, few), others_with);
            plan.ideal += weight as f32 * 255.0;
            if !clauses.is_empty() {
                rated.push((weight, clauses, wanted));
            }
        }
        if rated.len() > WORDS_MAX {
            rated.sort_by_key(|(weight, ..)| u32::MAX - weight);
            rated.truncate(WORDS_MAX);
        }
        for (_, clauses, wanted) in rated {
            plan.clauses.extend(clauses);
            plan.wanted.push(wanted);
        }
        plan
    }

    /// The clauses of one word, with what the word weighs in the query.
    fn look_up(
        &self,
        word: &str,
        times: f32,
        (last, few): (bool, bool),
        others_with: &dyn Fn(&str) -> u32,
    ) -> (u32, Vec<Clause>, Wanted) {
        let known = self.term(word);
        let mut clauses = Vec::new();
        let mut fuzzy = false;
        if let Some(term) = known {
            let items = self.index.items(term);
            let exact = self.weight(items, times * EXACT_SHARE);
            clauses.push(Clause { term, weight: self.weight(items, times), exact, form: form_bit(word) });
        }
        if last && word.chars().nth(if known.is_some() { 2 } else { 1 }).is_some() && (known.is_none() || few) {
            self.complete(word, known, if known.is_some() { 0.3 } else { 0.7 } * times, &mut clauses);
        }
        if clauses.is_empty() && others_with(word) == 0 {
            let (edits, near) = self.surfaces.near(word);
            fuzzy = !near.is_empty();
            self.most_frequent(near.into_iter(), CORRECTIONS_MAX, |term, items| {
                let factor = if edits == 1 { 0.75 } else { 0.5 } * times;
                // A rare word is seldom what a misspelt one is meant for: it weighs no more than a common one.
                let common = items.max(self.items / CORRECTED_SHARE);
                clauses.push(Clause::plain(term, self.weight(common, factor)));
            });
        }
        let weight = match known {
            Some(_) => clauses[0].weight,
            None => self.weight(clauses.iter().map(|c| self.index.items(c.term)).sum(), times),
        };
        let terms = clauses.iter().map(|clause| clause.term).collect();
        (weight, clauses, Wanted { terms, fuzzy })
    }

    fn term(&self, word: &str) -> Option<u32> {
        let surface = self.surfaces.find(word).map(|surface| self.stem_of[surface as usize]);
        surface.or_else(|| self.stems.find(&self.stemmer.stem(word)))
    }

    /// Words that begin with the last word, all rated as one word would be that stands for them all.
    fn complete(&self, word: &str, known: Option<u32>, factor: f32, clauses: &mut Vec<Clause>) {
        const SCANNED_MAX: usize = 512;
        let range = self.surfaces.with_prefix(word).take(SCANNED_MAX);
        let mut found = Vec::new();
        self.most_frequent(range, COMPLETIONS_MAX, |term, items| {
            if Some(term) != known {
                found.push((term, items));
            }
        });
        let together = found.iter().map(|(_, items)| *items).sum();
        let weight = self.weight(together, factor);
        clauses.extend(found.into_iter().map(|(term, _)| Clause::plain(term, weight)));
    }

    /// The stems of some surfaces, the most frequent first, at most `limit`.
    fn most_frequent(&self, surfaces: impl Iterator<Item = u32>, limit: usize, mut take: impl FnMut(u32, u32)) {
        let mut terms: Vec<u32> = surfaces.map(|surface| self.stem_of[surface as usize]).collect();
        terms.sort_unstable();
        terms.dedup();
        terms.sort_by_key(|term| u32::MAX - self.index.items(*term));
        for term in terms.into_iter().take(limit) {
            take(term, self.index.items(term));
        }
    }
}

/// The words of a query without question words (unless nothing else is there), each once, in order.
pub(super) fn content_words(text: &str) -> Vec<Word> {
    let mut all: Vec<Word> = Vec::new();
    words(text, |word, range| {
        all.push(Word { text: word.to_owned(), range, times: 1 });
    });
    // A single character of an unspaced script says less than the pairs it is part of.
    let pairs: Vec<Range<usize>> =
        all.iter().filter(|w| !w.text.is_ascii() && w.text.chars().count() == 2).map(|w| w.range.clone()).collect();
    all.retain(|word| {
        word.text.is_ascii()
            || word.text.chars().count() != 1
            || !pairs.iter().any(|pair| pair.start <= word.range.start && word.range.end <= pair.end)
    });
    if all.iter().any(|word| !is_question_word(&word.text)) {
        all.retain(|word| !is_question_word(&word.text));
    }
    let mut words: Vec<Word> = Vec::with_capacity(all.len());
    for word in all {
        match words.iter_mut().find(|other| other.text == word.text) {
            Some(other) => {
                other.times += 1;
                other.range = word.range;
            }
            None => words.push(word),
        }
    }
    words
}
