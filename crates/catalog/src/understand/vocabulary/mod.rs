//! Words for values of fields: `vision`, `without login`, `open weights`.

mod together;

use std::ops::Range;
use std::sync::LazyLock;

use super::is_name;
use super::leaning::leans;
use super::params::field_of;
use super::reading::{Reading, is_negation};
use super::rest::{is_filling, is_measure, is_said_anyway};
use super::words::{self, Phrases, Word, Words as _, marked, table};
use crate::resolve::model::makers::is_family;
use refdesk_core::Kind;
use refdesk_search::SegmentSet;
use refdesk_search::text::{folded, is_stop_word, word_array};
use together::{either_way, is_alternative, leave_out_others, possible, warn_of_both_values};

/// Where a phrase says something of the thing that is asked for; elsewhere it may be what the thing is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// An adjective: anywhere.
    Any,
    /// A noun, marked `~`: behind a preposition or in a list of what was understood, or negated. Not in `secrets mcp server`.
    Introduced,
    /// Marked `<`: anywhere but directly behind the word for the kind. `MCP stdio` asks for the transport itself.
    NotBehindKind,
    /// Marked `^`: beside the word for the kind. Not in `local weather mcp server`.
    BesideKind,
    /// Marked `@`: anywhere but in front of a word that names nothing and the word for one thing. Not in `official statistics mcp`.
    OfName,
}

/// What a phrase says.
#[derive(Debug, Clone)]
struct Meaning {
    place: Place,
    kinds: Vec<Kind>,
    /// Parameters of a list.
    set: Vec<(&'static str, &'static str)>,
    /// The same when the phrase is negated; nothing when that has no meaning.
    negated: Vec<(&'static str, &'static str)>,
}

static VOCABULARY: LazyLock<Phrases<Meaning>> = LazyLock::new(|| {
    let params = |text: Option<&&'static str>| {
        let text = text.copied().unwrap_or_default();
        text.split('&').filter_map(|param| param.split_once('=')).collect::<Vec<_>>()
    };
    Phrases::new(table(include_str!("vocabulary.txt")).flat_map(|row| {
        let kinds: Vec<Kind> = row[0].split(',').filter_map(Kind::parse).collect();
        let (set, negated) = (params(row.get(2)), params(row.get(3)));
        marked(row[1], &['~', '<', '^', '@']).map(move |(phrase, mark)| {
            let place = match mark {
                Some('~') => Place::Introduced,
                Some('<') => Place::NotBehindKind,
                Some('^') => Place::BesideKind,
                Some(_) => Place::OfName,
                None => Place::Any,
            };
            (phrase, Meaning { place, kinds: kinds.clone(), set: set.clone(), negated: negated.clone() })
        })
    }))
});

/// Whether a phrase of the vocabulary of a kind is at a position.
pub fn knows(kind: Kind, words: &[Word<'_>], at: usize) -> bool {
    taken_at(kind, words, at).is_some()
}

/// How many words the phrase of the vocabulary of a kind takes that is at a position.
pub fn taken_at(kind: Kind, words: &[Word<'_>], at: usize) -> Option<usize> {
    VOCABULARY.admitted_at(words, at, |meaning| meaning.kinds.contains(&kind)).map(|(taken, _)| taken)
}

/// How many words the phrase of more than one takes that is at a position, of whatever kind.
pub fn length_at(words: &[Word<'_>], at: usize) -> Option<usize> {
    VOCABULARY.at(words, at).map(|(taken, _)| taken).filter(|taken| *taken > 1)
}

/// Whether a word is a value that can be negated.
pub fn can_be_negated(word: &Word<'_>) -> bool {
    VOCABULARY.admitted_at(std::slice::from_ref(word), 0, |meaning| !meaning.negated.is_empty()).is_some()
}

/// The language that words say texts are in: `few-shot prompting in french`.
pub fn language_said(words: &[Word<'_>]) -> Option<&'static str> {
    let is_of_texts = |meaning: &Meaning| meaning.place == Place::Any && is_value_of(Kind::Document, meaning);
    let negated = |at: usize| at.checked_sub(1).is_some_and(|before| is_negation(&words[before].folded));
    (0..words.len()).filter(|at| !negated(*at)).find_map(|at| {
        let (_, meaning) = VOCABULARY.admitted_at(words, at, is_of_texts)?;
        meaning.set.iter().find(|(name, _)| *name == "language").map(|(_, language)| *language)
    })
}

/// Fields of what models can do.
const ABILITIES: [&str; 3] = ["capability", "input_modalities", "output_modalities"];

/// Where words say what models can do, in whatever place.
pub fn abilities<'w>(words: &'w [Word<'_>]) -> impl Iterator<Item = usize> + 'w {
    let is_ability = |meaning: &Meaning| {
        let sets = |(name, _): &(&str, &str)| ABILITIES.contains(name);
        meaning.place == Place::Any && is_value_of(Kind::Model, meaning) && meaning.set.iter().any(sets)
    };
    (0..words.len()).filter(move |at| VOCABULARY.admitted_at(words, *at, is_ability).is_some())
}

/// Whether words say of several abilities which there should be and which not, as nobody does but of models: `no reasoning, tool calling`.
fn weighs_abilities(words: &[Word<'_>]) -> bool {
    words.iter().any(|word| is_negation(&word.folded)) && abilities(words).nth(1).is_some()
}

/// Whether words say what models do and what only models are, or what they take and what they give, so that no word for them is needed:
/// `open source tts`, `audio in and image out`.
pub fn tells_models(words: &[Word<'_>]) -> bool {
    if weighs_abilities(words) {
        return true;
    }
    let says = |is_meant: fn(&[(&str, &str)]) -> bool| {
        let is_said = |meaning: &Meaning| {
            meaning.place == Place::Any && is_value_of(Kind::Model, meaning) && is_meant(&meaning.set)
        };
        (0..words.len()).any(|at| VOCABULARY.admitted_at(words, at, is_said).is_some())
    };
    let is_of_output =
        |set: &[(&str, &str)]| set.iter().any(|(name, _)| ["model_mode", "output_modalities"].contains(name));
    says(is_of_output) && says(|set| set.iter().any(|(name, _)| *name == "open_weights"))
        || says(|set| matches!(set, [("input_modalities", _)])) && says(|set| matches!(set, [("output_modalities", _)]))
}

/// Reads a phrase of the vocabulary at a position.
pub fn parse(reading: &mut Reading<'_>, at: usize) -> bool {
    let kind = reading.kind;
    let Some((taken, meaning)) = VOCABULARY.admitted_at(&reading.words, at, |meaning| meaning.kinds.contains(&kind))
    else {
        return false;
    };
    if let Some(start) = possible(reading, at, &meaning.set) {
        reading.warn_of_words(start..at + taken, "no field says what can be done to a model");
        reading.take(start..at + taken);
        return true;
    }
    let negation = reading.negation_before(at);
    let end = own_noun_end(reading, at, at + taken, meaning);
    let is_in_place =
        negation > 0 || is_in_place(reading, at, taken, meaning) || leads_to_alternative(reading, at + taken, meaning);
    let is_of_another = is_part_of_topic(reading, at)
        || is_within_longer(reading, at)
        || negation == 0 && describes_another(reading, at, end, meaning);
    if !is_in_place || is_of_another {
        return false;
    }
    if let Some(start) = either_way(reading, at - negation) {
        reading.take(start..end);
        return true;
    }
    let params = if negation > 0 { &meaning.negated } else { &meaning.set };
    if params.is_empty() {
        return false;
    }
    if negation == 0 {
        warn_of_both_values(reading, at, params);
    }
    for (name, value) in params {
        if *name == "q" {
            reading.instead.push(value);
        } else {
            reading.set(name, value);
        }
    }
    let only = if negation == 0 { leave_out_others(reading, at, end, params) } else { None };
    reading.take(only.unwrap_or(at - negation..end));
    reading.note_negated(negation, end);
    true
}

/// Whether a phrase stands where it says something of the thing that is asked for.
fn is_in_place(reading: &Reading<'_>, at: usize, taken: usize, meaning: &Meaning) -> bool {
    match meaning.place {
        Place::Any => true,
        Place::Introduced => is_introduced(reading, at) || is_said_of_kind(reading, at, taken, meaning),
        Place::NotBehindKind => reading.head_end != Some(at),
        // `notebooks about rag`: it may be the word for the kind itself.
        Place::BesideKind => {
            reading.is_before_kind(at + taken)
                || reading.head_end.is_some_and(|end| end == at || end == at + taken)
                || is_alternative(reading, at)
        }
        Place::OfName => {
            reading.is_of_several() || !is_before_topic(reading, own_noun_end(reading, at, at + taken, meaning))
        }
    }
}

/// Whether `or` joins a value that ends in front of a position to another of the same field, `local` of `local or remote servers`, which stands
/// where it counts. `open` is one of those that are read otherwise.
fn leads_to_alternative(reading: &Reading<'_>, end: usize, meaning: &Meaning) -> bool {
    // `paid or free` are two bounds of a price.
    let sets = |name: &str| meaning.set.iter().any(|(set, _)| field_of(set) == field_of(name));
    let is_of_field =
        |other: &Meaning| other.kinds.contains(&reading.kind) && other.set.iter().any(|(name, _)| sets(name));
    let other = || VOCABULARY.admitted_at(&reading.words, end + 1, is_of_field);
    let counts = || other().is_some_and(|(taken, other)| is_in_place(reading, end + 1, taken, other));
    reading.is(end, &["or"]) && (counts() || sets("open_weights") && reading.is(end + 1, &["open"]))
}

/// The longest phrase that a value can be part of has one word more than this.
const PHRASE_WORDS: usize = 3;

/// Whether a longer phrase goes over a position that began before it and is no value where it stands: `hosted` in
/// `self hosted gitlab mcp server`.
fn is_within_longer(reading: &Reading<'_>, at: usize) -> bool {
    let goes_over = |from: usize| taken_at(reading.kind, &reading.words, from).is_some_and(|taken| from + taken > at);
    (at.saturating_sub(PHRASE_WORDS)..at).any(goes_over)
}

/// Fields whose values are adjectives, which may be said of any thing.
const OF_ADJECTIVES: [&str; 5] = ["status", "open_weights", "price_input__lte", "official", "install_type"];

/// Whether an adjective behind the word for the kind describes the word that follows it, and not what is asked for:
/// `server that finds deprecated packages`, `model trained on open source code`, `model for free text`.
fn describes_another(reading: &Reading<'_>, at: usize, end: usize, meaning: &Meaning) -> bool {
    let is_adjective = meaning.set.iter().any(|(name, _)| OF_ADJECTIVES.contains(name));
    let is_behind_kind = reading.head_end.is_some_and(|head_end| head_end <= at);
    if !is_adjective || !is_behind_kind || reading.words[end - 1].ends_clause || !says_more(reading, end) {
        return false;
    }
    let is_before = |back: usize, any: &[&str]| at.checked_sub(back).is_some_and(|at| reading.is(at, any));
    let is_object = is_before(2, &["that", "which", "who"]) && says_more(reading, at - 1);
    let is_purpose = reading.head_end == Some(at) && reading.is(at, &["for"]);
    is_object || is_purpose || is_before(1, &["on", "of", "from", "into"])
}

/// Whether a word at a position says something that no filter says: neither a value nor who makes or sells models, and no word that only
/// holds the question together.
fn says_more(reading: &Reading<'_>, at: usize) -> bool {
    let Some(word) = reading.words.get(at).filter(|word| !word.used) else { return false };
    let is_word = word.folded.chars().all(char::is_alphabetic);
    let says_nothing = is_said_anyway(word) || is_filling(word) || is_measure(word) || word.is(&AFTER_TOPIC);
    let is_value =
        || VOCABULARY.admitted_at(&reading.words, at, |meaning| is_value_of(reading.kind, meaning)).is_some();
    let is_named = || is_value_in(reading, "vendor", word) || is_value_in(reading, "seller", word);
    is_word && !says_nothing && !is_family(&word.folded) && !is_value() && !is_named()
}

/// Whether a phrase is a value of a kind, and not only where it is negated.
fn is_value_of(kind: Kind, meaning: &Meaning) -> bool {
    meaning.kinds.contains(&kind) && !meaning.set.is_empty()
}

/// Whether a word is a value that the catalog has of a field.
fn is_value_in(reading: &Reading<'_>, field: &str, word: &Word<'_>) -> bool {
    reading.values(field).any(|value| folded(value) == word.folded)
}

/// Most words of a name that is looked for.
const NAME_WORDS_MAX: usize = 3;

/// Whether a word stands at a position that names nothing: neither the kind, nor a value, nor a thing or who makes it.
fn is_before_topic(reading: &Reading<'_>, at: usize) -> bool {
    if at.checked_sub(1).is_some_and(|last| reading.words[last].ends_clause) {
        return false;
    }
    let Some(word) = reading.words.get(at).filter(|word| !word.used) else { return false };
    let is_said_anyway = is_stop_word(&word.folded) || knows(reading.kind, &reading.words, at);
    let is_of_maker = || is_value_in(reading, "vendor", word);
    let is_named = || {
        (1..=NAME_WORDS_MAX).any(|taken| {
            let words = reading.words.get(at..at + taken);
            words.is_some_and(|words| is_name(reading.snapshot, &words::text(words), SegmentSet::ALL))
        })
    };
    !is_said_anyway && !is_of_maker() && !is_named()
}

/// What things come as, or are reached by, behind a value of a field that says which.
const OWN_NOUNS: [(&str, &[&str]); 3] = [
    (
        "registry_type",
        &["package", "packages", "image", "images", "container", "containers", "bundle", "bundles", "registry"],
    ),
    ("transport", &REACHED_BY),
    ("install_type", &REACHED_BY),
];
const REACHED_BY: [&str; 6] = ["endpoint", "endpoints", "url", "urls", "transport", "transports"];

/// Where the words of a value from `at` to `end` end with the noun that it belongs to, behind a preposition: `as npm package`, `with an sse url`.
fn own_noun_end(reading: &Reading<'_>, at: usize, end: usize, meaning: &Meaning) -> usize {
    let nouns = OWN_NOUNS.iter().find(|(name, _)| meaning.set.iter().any(|(set, _)| set == name));
    end + usize::from(is_introduced(reading, at) && nouns.is_some_and(|(_, nouns)| reading.is(end, nouns)))
}

/// Words in front of a noun that things have.
const INTRODUCING: [&str; 19] = word_array(
    "with needs need needing requires require requiring on from as over via using use uses has have support supports",
);

/// Whether a noun is behind a preposition, or goes on what was understood: `with vision and tools`.
fn is_introduced(reading: &Reading<'_>, at: usize) -> bool {
    let before = reading.start_of(at, &["a", "an", "the", "and", "or", "plus", "&", "+", "their", "your"]);
    let Some(last) = before.checked_sub(1) else { return false };
    let is_behind_kind = reading.head_end.is_none_or(|end| end < before);
    reading.is(last, &INTRODUCING) || reading.words[last].used && is_behind_kind
}

/// Whether a noun without a preposition says all the same where servers come from: a phrase that ends the question behind the kind, as in
/// `mcp server docker image`, or a registry in front of several, as in `npm mcp servers`; an `npm mcp server` is about npm.
fn is_said_of_kind(reading: &Reading<'_>, at: usize, taken: usize, meaning: &Meaning) -> bool {
    let is_behind = taken > 1 && reading.head_end == Some(at) && at + taken == reading.words.len();
    let is_registry = meaning.set.iter().any(|(name, _)| *name == "registry_type");
    // `docker image mcp server` names what the server comes as.
    let is_package = taken > 1 && !reading.words[at + taken - 1].folded.ends_with('s');
    is_behind || is_registry && reading.is_before_kind(at + taken) && (is_package || reading.is_of_several())
}

/// Words behind the kind that a topic follows …
const BEFORE_TOPIC: [&str; 3] = ["for", "to", "about"];
/// … and words that end it.
const AFTER_TOPIC: [&str; 17] = word_array(
    "with without no that which under below over from by but as via available published packaged distributed",
);
/// Words between the phrases of a topic.
const IN_TOPIC: [&str; 8] = ["and", "or", "the", "a", "an", "my", "our", "some"];

/// Whether a phrase is only a part of what things are for: `models for legacy code migration`. What says all of it is a filter all the
/// same: `models for tool calling`.
pub fn is_part_of_topic(reading: &Reading<'_>, at: usize) -> bool {
    let Some(head_end) = reading.head_end.filter(|end| *end < at) else { return false };
    let words = &reading.words;
    let Some(preposition) = (head_end..at).rev().find(|at| words[*at].is(&BEFORE_TOPIC)) else { return false };
    // `docs about rag in german`
    let is_language = |meaning: &Meaning| meaning.set.iter().any(|(name, _)| *name == "language");
    let language = || VOCABULARY.admitted_at(words, at, is_language).filter(|(taken, _)| at + taken == words.len());
    if (preposition..at).any(|at| words[at].is(&AFTER_TOPIC)) || reading.is(at, &["in"]) && language().is_some() {
        return false;
    }
    let end = (at..words.len()).find(|at| words[*at].is(&AFTER_TOPIC)).unwrap_or(words.len());
    // `model for coding, open weights`: behind a comma, what says nothing but values goes on with the models.
    let clause = (preposition + 1..at).rev().find(|before| words[*before].ends_clause).map(|last| last + 1);
    let only_weighs = |word: &str| leans(word) || ["only", "ideally", "preferably", "please"].contains(&word);
    if clause.is_some_and(|clause| are_values(reading, clause..end, only_weighs)) {
        return false;
    }
    !are_values(reading, preposition + 1..end, |_| false)
}

/// Whether some words are nothing but values, what was read, and words between these; `or` says which others may be among them.
fn are_values(reading: &Reading<'_>, range: Range<usize>, or: impl Fn(&str) -> bool) -> bool {
    let mut next = range.start;
    while next < range.end {
        let word = &reading.words[next];
        match taken_at(reading.kind, &reading.words, next) {
            Some(taken) => next += taken,
            None if word.used || word.is(&IN_TOPIC) || or(&word.folded) => next += 1,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::words::table;
    use refdesk_core::Kind;
    use refdesk_core::query::{ListQuery, Params};

    #[test]
    fn every_word_stands_for_a_filter_of_its_kinds() {
        for row in table(include_str!("vocabulary.txt")) {
            for kind in row[0].split(',') {
                let Some(kind) = Kind::ALL.into_iter().find(|known| known.search_type() == kind.trim()) else {
                    panic!("{row:?} is of no kind")
                };
                for params in row[2..].iter().filter(|params| !params.is_empty()) {
                    let pairs: Vec<_> = params.split('&').filter_map(|param| param.split_once('=')).collect();
                    assert_eq!(pairs.len(), params.split('&').count(), "{row:?}");
                    let params = Params::new(pairs, ListQuery::names(kind));
                    assert!(params.warnings.is_empty(), "{row:?}: {:?}", params.warnings);
                    ListQuery::parse(kind, &params).unwrap_or_else(|error| panic!("{row:?}: {error:?}"));
                }
            }
        }
    }
}
