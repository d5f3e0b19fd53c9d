//! Periods of a state though other words stand between: `retired anthropic models in 2025`, `models deprecated by openai this year`.

use std::ops::Range;

use super::{PeriodRelation, event_at, open_end, period, relation_at, set, taken, takes, turned};
use crate::understand::reading::Reading;
use crate::understand::words::{Word, Words as _};
use refdesk_search::text::word_array;

/// What the words for a state of things begin with; without a period, the status tells it.
const STATES: [&str; 9] = word_array("retired discontinued gone shut turned switched phased taken deprecated");
/// What stands before who put things into a state …
const BY: [&str; 3] = ["by", "from", "at"];
/// … which is named in so many words.
const MAKER_WORDS_MAX: usize = 3;
/// Words between a period and the state behind it.
const BEING: [&str; 5] = ["were", "was", "got", "being", "been"];

/// Whether a question speaks of states at all. Most do not, and none of their periods is of one.
pub fn are_said(words: &[Word<'_>]) -> bool {
    words.iter().any(|word| word.is(&STATES))
}

/// Reads a period at a position that is of such a state. What is `from 2024` came out then, whatever became of it.
pub(super) fn parse(reading: &mut Reading<'_>, at: usize) -> bool {
    if !reading.speaks_of_states {
        return false;
    }
    let (relation, after) = relation_at(reading, at);
    let range = period::range_at(reading, at, false).map(|range| (PeriodRelation::Within, at + range.taken, range));
    let single = || {
        let period = period::at(reading, after, false).filter(|_| !reading.is(at, &["from", "of"]))?;
        let end = after + period.taken;
        let (relation, end) =
            open_end(reading, end, false).unwrap_or((relation.unwrap_or(PeriodRelation::Within), end));
        Some((relation, end, period))
    };
    let Some((relation, end, period)) = range.or_else(single) else { return false };
    let Some((field, said)) = in_front(reading, at).or_else(|| behind(reading, end)) else { return false };
    if !takes(reading.kind, field) {
        let kind = reading.kind.label();
        reading.warn_of_words(at..end, &format!("{kind} lists cannot be filtered by the day of a state"));
        return taken(reading, at, end);
    }
    let Some((relation, negation)) = turned(reading, relation, at, end) else { return false };
    set(reading, field, relation, &period) && taken(reading, said.start, said.end) && taken(reading, at - negation, end)
}

/// The state that words at a position say.
fn state_at(reading: &Reading<'_>, at: usize) -> Option<(&'static str, Range<usize>)> {
    let (field, taken) = event_at(reading, at).filter(|_| reading.is(at, &STATES))?;
    (reading.negation_before(at) == 0).then_some((field, at..at + taken))
}

/// In front of the word for the kind, or with nothing between but whose doing it was.
fn in_front(reading: &Reading<'_>, at: usize) -> Option<(&'static str, Range<usize>)> {
    let start = (0..at).rev().find(|start| event_at(reading, *start).is_some())?;
    let (field, said) = state_at(reading, start)?;
    let is_before_kind = reading.head_end.is_some_and(|end| (said.end + 1..=at).contains(&end));
    let by_whom = at.saturating_sub(said.end + 1);
    let is_by = reading.is(said.end, &BY) && (1..=MAKER_WORDS_MAX).contains(&by_whom);
    (is_before_kind || is_by).then_some((field, said))
}

/// `which models in 2025 were retired`
fn behind(reading: &Reading<'_>, end: usize) -> Option<(&'static str, Range<usize>)> {
    let start = reading.end_of(end, &BEING);
    let (field, said) = state_at(reading, start).filter(|_| start > end)?;
    Some((field, end..said.end))
}
