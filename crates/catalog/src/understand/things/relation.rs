//! Things that are asked for by how they stand to one that is named: what came after it, what there is in its place. The relation gives a
//! list, which the rest of the question narrows or puts into another order.

use std::cmp::Ordering;
use std::ops::Range;

use rust_decimal::Decimal;

use crate::understand::params::{self, Param, field_of, is_bound};
use crate::understand::reading::Reading;
use crate::understand::rest::is_said_anyway;
use crate::understand::words::{self, DETERMINERS, Phrases, Word, Words, is_more_than_a_word};
use refdesk_core::Kind;
use refdesk_core::query::Warning;
use refdesk_search::text::is_stop_word;

/// Longer names are none.
const NAME_WORDS_MAX: usize = 6;
/// What may stand behind a name and is no part of it.
const BEHIND_NAME: [&str; 3] = ["model", "now", "today"];
/// What is said of others behind it: `cheaper than gpt-4o released in 2025`.
const OUT: [&str; 2] = ["released", "launched"];
/// Words that ask for such things and say nothing of them: `what should I use instead of …`.
const ASKING: [&str; 6] = ["use", "try", "switch", "migrate", "upgrade", "better"];

/// The statuses that models of today do not have.
pub const GONE: &str = "deprecated,retired";

/// How the things that are asked for stand to a named one.
#[derive(Debug)]
pub struct Relation {
    /// The kind of both.
    pub kind: Kind,
    /// The words that say it, the name among them.
    pub taken: Range<usize>,
    /// Parameters of the list, as far as the question says nothing else of their fields.
    pub params: Vec<Param>,
    /// The named thing, where the list has to leave it out.
    pub beside: Option<u32>,
    /// What is searched for, where the question names no order, no other maker and nothing to look for.
    pub line: String,
    /// How the name was read, where it names several.
    pub warning: Option<Warning>,
}

impl Relation {
    /// A relation whose list has some parameters, and nothing else to say.
    pub const fn new(kind: Kind, taken: Range<usize>, params: Vec<Param>) -> Self {
        Self { kind, taken, params, beside: None, line: String::new(), warning: None }
    }

    /// Marks what it was read of.
    pub fn take(&self, words: &mut [Word<'_>]) {
        words::take(words, self.taken.clone());
        words.iter_mut().filter(|word| word.is(&ASKING)).for_each(|word| word.used = true);
    }

    /// Adds what another relation of the same question says: of two bounds on one side the narrower, and of another field what is said first.
    pub fn add(&mut self, other: Self) {
        for (name, value) in other.params {
            match self
                .params
                .iter_mut()
                .find(|(known, _)| field_of(known) == field_of(&name) && (*known == name || !is_bound(&name)))
            {
                None => self.params.push((name, value)),
                Some((known, own)) if *known == name && is_bound(&name) && is_narrower(&name, &value, own) => {
                    *own = value;
                }
                Some(_) => {}
            }
        }
        self.warning = self.warning.take().or(other.warning);
    }

    /// Adds its parameters to what was read of the rest of the question, and gives the words to search for if nothing else is.
    pub fn complete(mut self, reading: &mut Reading<'_>) -> String {
        // `Anthropic models instead of gpt-4o`: the day is all that the named one says of another maker's.
        if let (Some(own), Some(said)) = (params::value(&self.params, "vendor"), reading.param("vendor"))
            && own != said
        {
            self.params.retain(|(name, _)| name == "released_on__gte");
            self.line.clear();
        }
        if reading.has("sort") {
            self.line.clear();
        }
        let said: Vec<String> = reading.params.iter().map(|(name, _)| name.clone()).collect();
        for (name, value) in self.params {
            // A bound on the other side goes on: `newer than gpt-5 but before june 2026`.
            let says = |said: &String| {
                *said == name || field_of(said) == field_of(&name) && !(is_bound(said) && is_bound(&name))
            };
            let is_said = said.iter().any(says);
            // What is left out of the same field twice is left out of both.
            if !is_said || (name.ends_with("__not") && reading.has(&name)) {
                reading.set(&name, &value);
            }
        }
        self.line
    }
}

/// Whether a bound leaves less than another one of its name.
fn is_narrower(name: &str, value: &str, other: &str) -> bool {
    let number = |text: &str| text.parse::<Decimal>().ok();
    let order = match (number(value), number(other)) {
        (Some(value), Some(other)) => value.cmp(&other),
        _ => value.cmp(other),
    };
    order == if name.ends_with("__gte") { Ordering::Greater } else { Ordering::Less }
}

/// What is named behind one of some phrases, or in front of one of some words, with the words that say so; `find` tells what a text names.
pub fn named(
    words: &[Word<'_>],
    before: &Phrases<()>,
    behind: &[&str],
    find: impl Fn(&str) -> Option<u32>,
) -> Option<(u32, Range<usize>)> {
    let phrase = (0..words.len()).find_map(|at| Some(at..before.end_at(words, at)?));
    let behind_phrase = || {
        let phrase = phrase?;
        let (item, end) = name_from(words, phrase.end, &find)?;
        Some((item, phrase.start..end))
    };
    let before_word = || {
        let at = (0..words.len()).find(|at| words.is(*at, behind))?;
        let (item, start) = name_until(words, at, &find)?;
        Some((item, start..at + 1))
    };
    behind_phrase().or_else(before_word)
}

/// The item that is named from a position on, and where its name ends: the longest. It is all that is left, or the sentence goes on with a word that binds.
pub fn name_from(words: &[Word<'_>], at: usize, find: &impl Fn(&str) -> Option<u32>) -> Option<(u32, usize)> {
    let start = words.past(at, &DETERMINERS);
    let longest = words.start_of(words.len(), &BEHIND_NAME).max(start);
    let ends = (start + 1..=longest.min(start + NAME_WORDS_MAX)).rev();
    let goes_on = |end: &usize| {
        *end == longest
            || words[*end - 1].ends_clause
            || words[*end].goes_on()
            || words.is(*end, &OUT)
            || words.is(*end, &BEHIND_NAME)
    };
    let (item, end) = ends.filter(goes_on).find_map(|end| Some((find(&words::text(&words[start..end]))?, end)))?;
    Some((item, words.end_of(end, &BEHIND_NAME)))
}

/// The longest name up to a position, and where it begins. After other words it must look like a name:
/// `docker compose alternative` does not ask for one to `compose`.
pub fn name_until(words: &[Word<'_>], end: usize, find: &impl Fn(&str) -> Option<u32>) -> Option<(u32, usize)> {
    (end.saturating_sub(NAME_WORDS_MAX)..end).find_map(|start| {
        if is_stop_word(&words[start].folded) {
            return None;
        }
        let text = words::text(&words[start..end]);
        let text = words::without_possessive(&text);
        let is_whole = words[..start].iter().all(is_said_anyway);
        let item = if is_whole || is_more_than_a_word(text) { find(text) } else { None };
        Some((item?, start))
    })
}
