//! What was read of a question so far: its words, and the parameters of a list that they say.

mod negations;
mod said;
mod today;

use std::cell::OnceCell;
use std::ops::Range;

use super::params::{self, Param, is_bound, param};
use super::words::{self, Word, Words};
use crate::snapshot::Snapshot;
pub use negations::{BETWEEN, VERBS, is_negation, negates_being, negates_verb};
use refdesk_core::Kind;
use refdesk_core::field;
use refdesk_core::query::Warning;
pub use said::{Provisional, Said};
pub use today::{Today, day, day_after, day_before};

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
    /// Whether any of them can be of a time.
    pub speaks_of_periods: bool,
    /// Whether any of them is for a state that things are in.
    pub speaks_of_states: bool,
    /// Where the words for the kind end.
    pub head_end: Option<usize>,
    /// Parameters of a list, in the order in which they were read.
    pub params: Vec<Param>,
    /// The parameter that a price without a name sets beside `price_input`, which models without priced output do not have.
    pub implied: Option<String>,
    /// Bounds that go without saying, unless words in front of them turn out to say something else.
    pub presumed: Vec<Provisional>,
    /// Words to search for in place of some that were read: how the index says it.
    pub instead: Vec<&'static str>,
    /// The day of the catalog, once it was asked for.
    today: OnceCell<Option<Today>>,
    /// A limit of tokens or prices or an order was read: only models have these.
    pub is_of_models: bool,
    /// The first period that was read without a word for what happened in it.
    pub bare_period: Option<Provisional>,
    /// Where the last phrase ends that was negated: what `or` joins to it is, too.
    pub negated_end: Option<usize>,
    /// A filter was taken back: what it was read of is negated in a way that was not read, or said to be either way.
    pub is_taken_back: bool,
    /// Which words set which fields, where `or` is one of the words.
    pub said: Option<Said>,
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
    /// Nothing is read yet.
    pub const fn new(snapshot: &'a Snapshot, kind: Kind, words: Vec<Word<'a>>, head_end: Option<usize>) -> Self {
        Self {
            snapshot,
            kind,
            speaks_of_amounts: false,
            speaks_of_periods: false,
            speaks_of_states: false,
            words,
            head_end,
            params: Vec::new(),
            implied: None,
            presumed: Vec::new(),
            instead: Vec::new(),
            today: OnceCell::new(),
            is_of_models: false,
            bare_period: None,
            negated_end: None,
            is_taken_back: false,
            said: None,
            wanted: None,
            unwanted: Vec::new(),
            warnings: Vec::new(),
            not_understood: Vec::new(),
        }
    }

    /// Sets a parameter; one that takes several values gets another.
    pub fn set(&mut self, name: &str, value: &str) {
        if let Some(said) = &mut self.said {
            said.set(name);
        }
        match self.params.iter_mut().find(|(known, _)| known == name) {
            None => self.params.push(param(name, value)),
            Some((_, values)) if !is_bound(name) && name != "sort" => {
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
        self.param(name) == Some(value)
    }

    /// Reads something that sets several parameters: all of them, or none. Tells whether it did.
    pub fn all_or_none(&mut self, read: impl FnOnce(&mut Self) -> bool) -> bool {
        let before = (self.params.clone(), self.implied.clone());
        let is_read = read(self);
        if !is_read {
            (self.params, self.implied) = before;
            self.said.iter_mut().for_each(Said::forget);
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

    /// The same of the words at some positions.
    pub fn warn_of_words(&mut self, range: Range<usize>, why: &str) {
        self.warn_of(words::text(&self.words[range]), why);
    }

    /// Asks for the values of the catalog in a field, which may have commas, or for what has none of them.
    pub fn filter(&mut self, field: &str, is_left_out: bool, values: &[&str]) {
        let name = if is_left_out { format!("{field}__not") } else { field.to_owned() };
        values.iter().for_each(|value| self.set(&name, &field::escaped(value)));
    }

    /// The same of values that some words say, which are taken with what negates them.
    pub fn filter_by(&mut self, field: &str, values: &[&str], said: Range<usize>) {
        let negation = self.negation_before(said.start);
        self.filter(field, negation > 0, values);
        self.take(said.start - negation..said.end);
    }

    /// Whether a parameter was set.
    pub fn has(&self, name: &str) -> bool {
        self.param(name).is_some()
    }

    /// The value of a parameter.
    pub fn param(&self, name: &str) -> Option<&str> {
        params::value(&self.params, name)
    }

    /// Whether one of the values of a parameter is asked for.
    pub fn asks_for(&self, name: &str, value: &str) -> bool {
        self.params.iter().any(|(known, values)| known == name && values.split(',').any(|one| one == value))
    }

    /// Whether the word for the kind follows what ends before a position.
    pub fn is_before_kind(&self, end: usize) -> bool {
        self.words.get(end).is_some_and(|next| next.used) && self.head_end > Some(end)
    }

    /// Whether the words for the kind stand behind a position, and all from there to their end `are` so.
    pub fn leads_to_kind(&self, at: usize, are: impl Fn(&Word<'a>) -> bool) -> bool {
        self.head_end.is_some_and(|end| at < end && self.words[at..end].iter().all(are))
    }

    /// Whether the word for the kind is of several things: `mcp servers`.
    pub fn is_of_several(&self) -> bool {
        let head = self.head_end.and_then(|end| self.words[..end].last());
        head.is_some_and(|word| word.folded.ends_with('s'))
    }

    /// Whether what is said ends in front of a position: with a comma, with the question, or where a word `ends` it that follows.
    pub fn ends_at(&self, at: usize, ends: impl Fn(&Word<'a>) -> bool) -> bool {
        at > 0 && self.words[at - 1].ends_clause || self.words.get(at).is_none_or(ends)
    }

    /// Marks words as understood.
    pub fn take(&mut self, range: Range<usize>) {
        if let Some(said) = &mut self.said {
            said.take(range.clone());
        }
        words::take(&mut self.words, range);
    }

    /// The folded word at a position, if it was not read yet.
    pub fn word(&self, at: usize) -> Option<&str> {
        self.words.get(at).filter(|word| !word.used).map(|word| word.folded.as_str())
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

impl Words for Reading<'_> {
    fn is(&self, at: usize, any: &[&str]) -> bool {
        self.words.is(at, any)
    }
}
