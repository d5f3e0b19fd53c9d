//! Models by the day that a named one came: `newer than gpt-4o`, `what came out after claude opus 4.1`, `released before o3`, `released between
//! gpt-4o and gpt-5`.

use std::ops::Range;

use serde_json::Value;

use super::relation::{Relation, name_from, named};
use super::successor::model_named;
use crate::json;
use crate::snapshot::Snapshot;
use crate::understand::kinds;
use crate::understand::measures::Measure;
use crate::understand::modalities::of_mode;
use crate::understand::params::param;
use crate::understand::reading::{day_after, day_before};
use crate::understand::words::{PhraseRows, Word, Words};
use refdesk_core::Kind;

/// Phrases before the model that others are newer than …
static NEWER: PhraseRows<()> = PhraseRows::new(&[(
    "newer than,more recent than,later than,released after,launched after,came out after,come out after,out since,\
     released since,launched since",
    (),
)]);
/// … or older …
static OLDER: PhraseRows<()> =
    PhraseRows::new(&[("older than,earlier than,released before,launched before,came out before,come out before", ())]);
/// … and before the first of two.
static BETWEEN: PhraseRows<()> =
    PhraseRows::new(&[("released between,launched between,came out between,come out between", ())]);
/// What a later knowledge cutoff is called, and an earlier one.
static LATER: PhraseRows<Side> =
    PhraseRows::new(&[("later,newer,more recent", Side::Newer), ("earlier,older", Side::Older)]);
/// The day of a model that most relations are of …
const RELEASE: &str = "released_on";
/// … and the other …
const CUTOFF: &str = "knowledge_cutoff";
/// … which is called by at most so many words.
const CUTOFF_WORDS_MAX: usize = 3;
/// Where another relation was said before, and behind the word for models, these are of days: `released after gpt-5 but before gemini 3 pro`,
/// `models since gpt-5`.
const OF_DAYS: [(&str, Side); 3] = [("after", Side::Newer), ("since", Side::Newer), ("before", Side::Older)];
/// The conjunctions that join such a relation.
const JOINING: [&str; 3] = ["and", "but", "yet"];

/// On which side of a day models came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Newer,
    Older,
}

/// The models that a question asks for so, if it does.
pub fn parse(snapshot: &Snapshot, words: &[Word<'_>]) -> Option<Relation> {
    let find = |name: &str| model_named(snapshot, name);
    let newer = || named(words, &NEWER, &[], find).map(|(model, taken)| (model, taken, Side::Newer));
    let older = || named(words, &OLDER, &[], find).map(|(model, taken)| (model, taken, Side::Older));
    let dated = between(snapshot, words).or_else(|| taught(snapshot, words)).or_else(|| {
        let (model, taken, side) = newer().or_else(older)?;
        // `knowledge cutoff later than gpt-5`
        let is_cutoff = |at: &usize| Measure::at(words, *at) == Some((taken.start - at, Measure::KnowledgeCutoff));
        match (taken.start.saturating_sub(CUTOFF_WORDS_MAX)..taken.start).find(is_cutoff) {
            Some(start) => beside(snapshot, model, CUTOFF, side, start..taken.end),
            None => beside(snapshot, model, RELEASE, side, taken),
        }
    });
    let is_behind_kind = |at: usize| kinds::kind_of(&words[at - 1..at]) == Some(Kind::Model);
    dated.or_else(|| in_short(snapshot, words, is_behind_kind))
}

/// Those that know of later or of earlier times than one: `a later knowledge cutoff than gpt-5`.
fn taught(snapshot: &Snapshot, words: &[Word<'_>]) -> Option<Relation> {
    (0..words.len()).find_map(|start| {
        let (length, side) = LATER.at(words, start)?;
        let (named, _) = Measure::at(words, start + length).filter(|(_, of)| *of == Measure::KnowledgeCutoff)?;
        let than = start + length + named;
        let (model, end) = name_from(words, than + 1, &|name| model_named(snapshot, name))?;
        words.is(than, &["than"]).then(|| beside(snapshot, model, CUTOFF, *side, start..end))?
    })
}

/// The same behind another relation, where fewer words say it: `but before gemini 3 pro`.
pub fn joined(snapshot: &Snapshot, words: &[Word<'_>]) -> Option<Relation> {
    in_short(snapshot, words, |at| words.is(at - 1, &JOINING) || words[at - 1].used)
}

/// The same by one word, where what stands in front of it says that models are spoken of.
fn in_short(snapshot: &Snapshot, words: &[Word<'_>], is_in_place: impl Fn(usize) -> bool) -> Option<Relation> {
    (1..words.len()).find_map(|at| {
        let (_, side) = OF_DAYS.into_iter().find(|(word, _)| words.is(at, &[word]))?;
        let is_name = words.get(at + 1).is_some_and(|next| next.folded.starts_with(char::is_alphabetic));
        if !is_name || !is_in_place(at) {
            return None;
        }
        let (model, end) = name_from(words, at + 1, &|name| model_named(snapshot, name))?;
        beside(snapshot, model, RELEASE, side, at..end)
    })
}

/// The models between two, whichever of these came first.
fn between(snapshot: &Snapshot, words: &[Word<'_>]) -> Option<Relation> {
    let find = |name: &str| model_named(snapshot, name);
    let start = (0..words.len()).find(|at| BETWEEN.end_at(words, *at).is_some())?;
    let (one, and) = name_from(words, BETWEEN.end_at(words, start)?, &find)?;
    let (other, end) = name_from(words, and + 1, &find).filter(|_| words.is(and, &["and"]))?;
    let day = |model: u32| json::read_own::<Value>(snapshot.row(model)).get("released_on")?.as_str().map(str::to_owned);
    let (first, last) = if day(one)? <= day(other)? { (one, other) } else { (other, one) };
    let mut relation = beside(snapshot, first, RELEASE, Side::Newer, start..end)?;
    relation.add(beside(snapshot, last, RELEASE, Side::Older, start..end)?);
    Some(relation)
}

/// The models on one side of a day of one. One of the same day is neither newer nor older.
fn beside(snapshot: &Snapshot, ordinal: u32, field: &str, side: Side, taken: Range<usize>) -> Option<Relation> {
    let model: Value = json::read_own(snapshot.row(ordinal));
    let text = |name: &str| model.get(name).and_then(Value::as_str);
    let (operator, day) = match side {
        Side::Newer => ("gte", day_after(text(field)?)?),
        Side::Older => ("lte", day_before(text(field)?)?),
    };
    let bound = (format!("{field}__{operator}"), day);
    let params = vec![of_mode(&model), bound, param("sort", &format!("-{field}"))];
    Some(Relation { beside: Some(ordinal), ..Relation::new(Kind::Model, taken, params) })
}
