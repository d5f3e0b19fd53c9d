//! What was read of a question so far: its words, and the parameters of a list that they say.

use std::cell::OnceCell;
use std::ops::Range;

use super::gazetteer::{Gazetteer, Makers};
use super::words::{self, Word, Words};
use crate::snapshot::Snapshot;
use refdesk_core::field;
use refdesk_core::query::Warning;
use refdesk_core::{Kind, Stamp};
use refdesk_search::text::word_array;

/// Words that turn the meaning of the next ones …
const NEGATIONS: [&str; 11] =
    ["no", "without", "non", "except", "excluding", "exclude", "minus", "neither", "lack", "lacks", "lacking"];
/// … and of a verb: `not under $5`, `don't cost more than $2`.
pub const VERB_NEGATIONS: [&str; 33] = word_array(
    "not never don't dont don’t doesn't doesnt doesn’t can't cant can’t cannot isn't isnt isn’t aren't arent aren’t \
     won't wont won’t shouldn't shouldnt shouldn’t wouldn't wouldnt wouldn’t couldn't couldnt couldn’t mustn't mustnt mustn’t",
);
/// Most words that negate what stands behind them: `except those made by`.
const NEGATION_WORDS_MAX: usize = 5;
/// Words of a part of a list: `audio input, tool calling or vision`.
const LISTED_WORDS_MAX: usize = 3;
/// What is left out is named behind the second of these: `other than postgres`.
const OTHER: [&str; 2] = ["other", "rather"];
/// Whoever there is, before a `but` that leaves some out.
const ANY: [&str; 7] = ["anything", "anyone", "anybody", "all", "everything", "everyone", "any"];
/// Words that may stand between a negation and what it negates.
pub const BETWEEN: [&str; 53] = word_array(
    "made built published developed trained created released sold hosted models anything any a an need needing require \
     requiring from by for the of support supporting have having offer with accept those these ones that is are called \
     named about using use do be being get gets provide include come on over via through",
);
/// How something is not so, or how it is not there: `don't currently support`, `not yet deprecated`, `not available as open weights`.
const HOW: [&str; 14] = word_array(
    "currently yet really actually already officially natively fully available provided distributed able capable as",
);
/// The same behind a verb: `don't show me`, `without paying`.
const TOLD: [&str; 8] = ["want", "show", "me", "list", "see", "give", "paying", "spending"];
/// What tells somebody what to do without, at the beginning or behind the word for the kind: `skip preview models`, `models ignoring qwen`.
const OMITTING: [&str; 9] = ["skip", "hide", "ignore", "avoid", "omit", "skipping", "ignoring", "avoiding", "omitting"];

/// A question that is being read.
#[derive(Debug)]
pub struct Reading<'a> {
    /// The catalog, for the values it has.
    pub snapshot: &'a Snapshot,
    /// The kind that is asked for.
    pub kind: Kind,
    /// Words of the question.
    pub words: Vec<Word<'a>>,
    /// Whether any of them can be of an amount.
    pub speaks_of_amounts: bool,
    /// Whether any of them is for a state that things are in.
    pub speaks_of_states: bool,
    /// Where the words for the kind end.
    pub head_end: Option<usize>,
    /// Parameters of a list, in the order in which they were read.
    pub params: Vec<(String, String)>,
    /// Makers by how they are said, once they were looked up.
    pub vendors: OnceCell<Makers<'a>>,
    /// Sellers by how they are said, once they were looked up.
    pub sellers: OnceCell<Gazetteer<'a>>,
    /// The parameter that a price without a name sets beside `price_input`, which models without priced output do not have.
    pub implied: Option<String>,
    /// Words to search for in place of some that were read: how the index says it.
    pub instead: Vec<&'static str>,
    /// The day of the catalog, once it was asked for.
    today: OnceCell<Option<Today>>,
    /// A limit of tokens or prices or an order was read: only models have these.
    pub is_of_models: bool,
    /// Where the last phrase ends that was negated: what `or` joins to it is, too.
    pub negated_end: Option<usize>,
    /// The question without what it says is not wanted, where that was no filter.
    pub wanted: Option<String>,
    /// What it says is not wanted.
    pub unwanted: Vec<String>,
    /// What was not taken over, and why.
    pub warnings: Vec<Warning>,
    /// Words that warnings quote as not understood.
    pub not_understood: Vec<String>,
}

impl<'a> Reading<'a> {
    /// Whether the word at a position turns the meaning of the next ones.
    pub fn negates(&self, at: usize) -> bool {
        let begins = || at == 0 || self.words[at - 1].ends_clause || self.is(at - 1, &["please", "but"]);
        let is_told = || self.head_end.is_some_and(|end| end == at || begins()) && self.is(at, &OMITTING);
        self.words.get(at).is_some_and(|word| !word.used && (is_negation(&word.folded) || is_told()))
    }

    /// Nothing is read yet.
    pub const fn new(snapshot: &'a Snapshot, kind: Kind, words: Vec<Word<'a>>, head_end: Option<usize>) -> Self {
        Self {
            snapshot,
            kind,
            speaks_of_amounts: false,
            speaks_of_states: false,
            words,
            head_end,
            params: Vec::new(),
            vendors: OnceCell::new(),
            sellers: OnceCell::new(),
            implied: None,
            instead: Vec::new(),
            today: OnceCell::new(),
            is_of_models: false,
            negated_end: None,
            wanted: None,
            unwanted: Vec::new(),
            warnings: Vec::new(),
            not_understood: Vec::new(),
        }
    }

    /// Sets a parameter; one that takes several values gets another.
    pub fn set(&mut self, name: &str, value: &str) {
        let is_bound = name.ends_with("__gte") || name.ends_with("__lte");
        match self.params.iter_mut().find(|(known, _)| known == name) {
            None => self.params.push((name.to_owned(), value.to_owned())),
            Some((_, values)) if !is_bound && name != "sort" => {
                let known = field::split(values);
                for new in field::split(value).into_iter().filter(|new| !known.contains(new)) {
                    *values = format!("{values},{}", field::escaped(&new));
                }
            }
            Some(_) => {}
        }
    }

    /// Sets a bound; false where another one is set already, unless that was only implied.
    pub fn bound(&mut self, name: &str, value: &str) -> bool {
        if self.implied.as_deref() == Some(name) {
            self.implied = None;
            self.params.retain(|(known, _)| known != name);
        }
        self.set(name, value);
        self.params.iter().any(|(known, set)| known == name && set == value)
    }

    /// Reads something that sets several parameters: all of them, or none. Tells whether it did.
    pub fn all_or_none(&mut self, read: impl FnOnce(&mut Self) -> bool) -> bool {
        let before = (self.params.clone(), self.implied.clone());
        let is_read = read(self);
        if !is_read {
            (self.params, self.implied) = before;
        }
        is_read
    }

    /// Warns of something, once.
    pub fn warn(&mut self, warning: impl Into<Warning>) {
        let warning = warning.into();
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Warns that some words were not understood, and why.
    pub fn warn_of(&mut self, words: String, why: &str) {
        self.warn(format!("`{words}` was not understood: {why}"));
        self.not_understood.push(words);
    }

    /// Asks for the values of the catalog in a field, which may have commas, or for what has none of them.
    pub fn filter(&mut self, field: &str, is_left_out: bool, values: &[&str]) {
        let name = if is_left_out { format!("{field}__not") } else { field.to_owned() };
        values.iter().for_each(|value| self.set(&name, &field::escaped(value)));
    }

    /// Whether a parameter was set.
    pub fn has(&self, name: &str) -> bool {
        self.params.iter().any(|(known, _)| known == name)
    }

    /// Whether the word for the kind follows what ends before a position.
    pub fn is_before_kind(&self, end: usize) -> bool {
        self.words.get(end).is_some_and(|next| next.used) && self.head_end > Some(end)
    }

    /// Whether the word for the kind is of several things: `mcp servers`.
    pub fn is_of_several(&self) -> bool {
        let head = self.head_end.and_then(|end| self.words[..end].last());
        head.is_some_and(|word| word.folded.ends_with('s'))
    }

    /// Notes where a phrase ends that so many words negated: what is joined to it is negated, too.
    pub fn note_negated(&mut self, negation: usize, end: usize) {
        if negation > 0 {
            self.negated_end = Some(end);
        }
    }

    /// Marks words as understood.
    pub fn take(&mut self, range: Range<usize>) {
        words::take(&mut self.words, range);
    }

    /// The folded word at a position, if it was not read yet.
    pub fn word(&self, at: usize) -> Option<&str> {
        self.words.get(at).filter(|word| !word.used).map(|word| word.folded.as_str())
    }

    /// The start of the run of words from `any` that ends right before a position; the position itself without one.
    pub fn start_of(&self, at: usize, any: &[&str]) -> usize {
        (0..at).rev().take_while(|before| self.is(*before, any)).last().unwrap_or(at)
    }

    /// The end of the run of words from `any` that starts at a position; the position itself without one.
    pub fn end_of(&self, at: usize, any: &[&str]) -> usize {
        at + (at..self.words.len()).take_while(|next| self.is(*next, any)).count()
    }

    /// Whether an unused word at a position is one of some.
    pub fn is(&self, at: usize, any: &[&str]) -> bool {
        self.words.is(at, any)
    }

    /// Whether the unused words from a position on are those of a phrase.
    pub fn is_phrase(&self, at: usize, phrase: &[&str]) -> bool {
        self.words.is_phrase(at, phrase)
    }

    /// The same where a name stands, of which `and` joins others as well: `excluding qwen and deepseek`.
    pub fn negation_before_name(&self, at: usize) -> usize {
        match self.negation_before(at) {
            0 => self.joined_to_negated(at, &["and", "&"]),
            negation => negation,
        }
    }

    /// How many words in front of a position negate what stands there: `no`, `not from`, `without any`.
    pub fn negation_before(&self, at: usize) -> usize {
        for length in 1..=NEGATION_WORDS_MAX {
            let Some(first) = at.checked_sub(length) else { break };
            if self.negates(first) && (first + 1..at).all(|between| self.is_between(between)) {
                return length;
            }
        }
        // `other than OpenAI`, `anyone but Google`, `other than those from Google`
        for length in 2..=NEGATION_WORDS_MAX {
            let Some(first) = at.checked_sub(length) else { break };
            if self.is_excepting_pair(first) && (first + 2..at).all(|between| self.is(between, &BETWEEN)) {
                return length;
            }
        }
        // `without vision, audio or tools`; behind a comma alone another condition begins: `no reasoning, tool calling`.
        match self.joined_to_negated(at, &["or", "nor"]) {
            1 if !self.is_listed_with(at, &["or", "nor"]) => 0,
            joined => joined,
        }
    }

    /// Whether one of some words comes before the list ends of which what stands at a position is a part.
    fn is_listed_with(&self, at: usize, joining: &[&str]) -> bool {
        let mut part_words = 0;
        for next in at..self.words.len() {
            if next > at && self.is(next, joining) {
                return true;
            }
            part_words = if self.words[next].ends_clause { 0 } else { part_words + 1 };
            if part_words > LISTED_WORDS_MAX {
                return false;
            }
        }
        false
    }

    /// Whether a word may stand between a negation and what it negates; one that says whose that is may, too, and one for the kind:
    /// `not from china's alibaba`, `exclude models under $1`.
    pub fn is_between(&self, at: usize) -> bool {
        let is_of_whom = |word: &Word<'_>| !word.used && (word.folded.ends_with("'s") || word.folded.ends_with("’s"));
        let is_of_kind = |word: &Word<'_>| word.used && self.head_end.is_some_and(|end| at < end);
        let is_said = |word: &Word<'_>| is_of_whom(word) || is_of_kind(word);
        self.is(at, &BETWEEN)
            || self.is(at, &TOLD)
            || self.is(at, &HOW) && !self.words[at].ends_clause
            || self.words.get(at).is_some_and(is_said)
    }

    /// Whether two words at a position leave out what they are followed by: `other than`, `anything but`, `instead of`.
    pub fn is_excepting_pair(&self, at: usize) -> bool {
        let is_pair = |first: &[&str], second: &[&str]| self.is(at, first) && self.is(at + 1, second);
        is_pair(&OTHER, &["than"]) || is_pair(&ANY, &["but", "except"]) || is_pair(&["instead"], &["of"])
    }

    /// How many words join what stands at a position to the negated phrase before it, counted from that one's last word.
    fn joined_to_negated(&self, at: usize, joining: &[&str]) -> usize {
        let Some(end) = self.negated_end.filter(|end| *end <= at) else { return 0 };
        let is_joined = at > end || self.words[end - 1].ends_clause;
        if is_joined && (end..at).all(|between| self.is(between, joining)) { at - end + 1 } else { 0 }
    }

    /// The distinct values of a field.
    pub fn values(&self, name: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        self.snapshot.segment(self.kind).values(name)
    }

    /// The day of the catalog.
    pub fn today(&self) -> Option<&Today> {
        self.today.get_or_init(|| Today::new(self.snapshot.built_at())).as_ref()
    }
}

/// The day that periods are reckoned from.
#[derive(Debug)]
pub struct Today {
    stamp: Stamp,
    /// `YYYY-MM-DD`
    pub day: String,
    /// Its year.
    pub year: i32,
    /// Its month, counted from 1.
    pub month: i32,
}

impl Today {
    fn new(moment: Stamp) -> Option<Self> {
        let day = day(moment);
        Some(Self {
            stamp: Stamp::parse(&day)?,
            year: day.get(..4)?.parse().ok()?,
            month: day.get(5..7)?.parse().ok()?,
            day,
        })
    }

    /// The year of the next month of a number, or of the last.
    pub const fn year_of(&self, month: i32, is_future: bool) -> i32 {
        if is_future { self.year + (month < self.month) as i32 } else { self.year - (month > self.month) as i32 }
    }

    /// The day so many days later.
    pub fn plus(&self, days: i64) -> String {
        day(Stamp(self.stamp.0 + days * DAY_SECS))
    }

    /// The same day of another month, or the last that this month has.
    pub fn plus_months(&self, months: i32) -> String {
        let month = self.year * 12 + self.month - 1 + months;
        let (year, month) = (month.div_euclid(12), month.rem_euclid(12) + 1);
        let of_month: u32 = self.day.get("YYYY-MM-".len()..).and_then(|day| day.parse().ok()).unwrap_or(1);
        let days = (1..=of_month).rev().map(|day| format!("{year:04}-{month:02}-{day:02}"));
        days.into_iter().find(|day| Stamp::parse(day).is_some()).unwrap_or_else(|| self.day.clone())
    }
}

/// Seconds of a day.
pub const DAY_SECS: i64 = 86_400;

/// The day after a day, or after the last of a month or year: `2025-01-01` of `2024-12` and of `2024`.
pub fn day_after(date: &str) -> Option<String> {
    let passed = Stamp::date_passed_at(date)?;
    Some(day(if date.len() < "YYYY-MM-DD".len() { passed } else { Stamp(passed.0 + DAY_SECS) }))
}

/// The day before a day, or before the first of a month or year: `2023-12-31` of `2024-01` and of `2024`.
pub fn day_before(date: &str) -> Option<String> {
    const FIRST: &str = "0000-01-01";
    let whole = format!("{date}{}", FIRST.get(date.len()..)?);
    Some(day(Stamp(Stamp::parse(&whole)?.0 - DAY_SECS)))
}

/// The day of a moment, `YYYY-MM-DD`.
pub fn day(moment: Stamp) -> String {
    let mut text = moment.to_string();
    text.truncate("YYYY-MM-DD".len());
    text
}

/// Whether a folded word turns the meaning of the next ones.
pub fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(&word) || VERB_NEGATIONS.contains(&word)
}
