//! Yes-no questions about a line of models, or about a version of one: `is llama 4 open source`, `can claude see images`, `do the gemma
//! models run locally`. The models themselves answer them.

use super::{NAME_WORDS_MAX, called, called_alone, is_version_of_line};
use crate::snapshot::Snapshot;
use crate::understand::params::{Param, param};
use crate::understand::reading::Reading;
use crate::understand::rest::rest_of;
use crate::understand::things::{GONE, Relation};
use crate::understand::words::{self, Word, Words};
use crate::understand::{DESCRIBING, TELLING, apply, note_subjects};
use refdesk_core::Kind;
use refdesk_search::text::word_array;

/// What such a question begins with …
const ASKING: [&str; 13] = word_array("is are was does do did can could has have will should isn't");
/// … what stands before the name …
const BEFORE_NAME: [&str; 2] = ["the", "all"];
/// … and what behind it says nothing of what is asked.
const BEHIND_NAME: [&str; 11] = word_array("model models family series line version able to capable of actually");

/// Fields of the life of a model.
const LIFE: [&str; 3] = ["status", "retires_on", "deprecated_on"];

/// The models of the line that a question asks about so, if what it asks is told of models: whether `claude` can `book a flight` is none of it.
pub fn asked(snapshot: &Snapshot, words: &[Word<'_>]) -> Option<Relation> {
    if !words.is(0, &ASKING) {
        return None;
    }
    let start = 1 + usize::from(words.is(1, &BEFORE_NAME));
    let (name, value, version, end) = (1..=NAME_WORDS_MAX).rev().find_map(|taken| {
        let (name, value, version) = named(snapshot, words.get(start..start + taken)?)?;
        Some((name, value, version, start + taken))
    })?;
    let behind = words[end..].iter().take_while(|word| word.is(&BEHIND_NAME)).count();
    let told = words.get(end + behind..).filter(|told| !told.is_empty())?;
    let mut reading = Reading::new(snapshot, Kind::Model, told.to_vec(), Some(0));
    note_subjects(&mut reading);
    apply(&mut reading, &TELLING);
    apply(&mut reading, &DESCRIBING);
    // What is retired is told of each model by itself.
    let is_of_life = |(name, _): &Param| LIFE.iter().any(|field| name.starts_with(field));
    if reading.params.is_empty() || reading.params.iter().any(is_of_life) || !rest_of(&reading).is_empty() {
        return None;
    }
    let params = vec![param(name, &value), param("status__not", GONE), param("sort", "-offers")];
    Some(Relation { line: version, ..Relation::new(Kind::Model, 0..words.len(), params) })
}

/// The filter for the line that some words name, its value, and the words where they name a version of it.
fn named(snapshot: &Snapshot, said: &[Word<'_>]) -> Option<(&'static str, String, String)> {
    if let Some((name, value)) = called_alone(snapshot, said) {
        return Some((name, value, String::new()));
    }
    if !is_version_of_line(snapshot, said) {
        return None;
    }
    let line = said[0].folded.trim_end_matches(|c: char| !c.is_alphabetic());
    let (name, value) = called(snapshot, line.split('-').next()?)?;
    Some((name, value, words::text(said)))
}
