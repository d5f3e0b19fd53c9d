//! Which values of a column meet a test: decided once for each distinct value or set, not for each row.

use super::{Column, UNKNOWN};
use refdesk_core::codec::partition_point;
use refdesk_core::field::{ParsedValue, Side};
use refdesk_core::query::Test;

/// The numbers that are accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted(Vec<bool>);

impl Accepted {
    /// Whether a number is accepted; one that no value has is not.
    pub fn contains(&self, code: u32) -> bool {
        self.0.get(code as usize).copied().unwrap_or_default()
    }
}

impl Column {
    /// For each value, whether it meets a test.
    fn meeting(&self, test: &Test) -> Vec<bool> {
        match test {
            Test::Is(flag) => {
                let wanted = if *flag { "true" } else { "false" };
                self.values.iter().map(|value| value == wanted).collect()
            }
            // Numbers are sorted, so one border divides those within the bound from the others. (Dates are not divided so: a month is
            // within a range only when all its days are.)
            Test::Within(bound @ (ParsedValue::Count(_) | ParsedValue::Price(_)), side) => {
                let count = self.values.len();
                let is_before = |value: &str| bound.admits(value, *side) != (*side == Side::Least);
                let border = partition_point(0..count, |at| is_before(self.values.get(at)));
                (0..count).map(|at| (at < border) == (*side == Side::Most)).collect()
            }
            Test::Within(bound, side) => self.values.iter().map(|value| bound.admits(value, *side)).collect(),
            Test::AnyOf(words) | Test::AllOf(words) | Test::NoneOf(words) => {
                let folded = |word: &String| -> String { word.chars().flat_map(char::to_lowercase).collect() };
                let words: Vec<String> = words.iter().map(folded).collect();
                let is_meant = |value: &str| {
                    let mut lower = value.chars().flat_map(char::to_lowercase).peekable();
                    let first = lower.peek().copied();
                    let mut candidates = words.iter().filter(|word| word.chars().next() == first).peekable();
                    candidates.peek().is_some() && {
                        let folded: String = lower.collect();
                        candidates.any(|word| *word == folded)
                    }
                };
                self.values.iter().map(is_meant).collect()
            }
            Test::IsNull(_) => vec![false; self.values.len()],
        }
    }

    /// The numbers whose value meets a test.
    pub fn accepted(&self, test: &Test) -> Accepted {
        let unknown = matches!(test, Test::NoneOf(_) | Test::IsNull(true));
        let values = self.meeting(test);
        let known: Vec<bool> = match (test, &self.sets) {
            (Test::IsNull(is_null), _) => vec![!is_null; self.codes.max() as usize],
            (Test::NoneOf(_), None) => values.iter().map(|met| !met).collect(),
            (_, None) => values,
            (Test::NoneOf(_), Some(sets)) => {
                sets.iter().map(|set| !set.iter().any(|value| values[*value as usize - 1])).collect()
            }
            (Test::AllOf(words), Some(sets)) => {
                let has =
                    |set: &[u32], word: &String| set.iter().any(|value| is_same_word(self.numbered(*value), word));
                sets.iter().map(|set| words.iter().all(|word| has(set, word))).collect()
            }
            (_, Some(sets)) => sets.iter().map(|set| set.iter().any(|value| values[*value as usize - 1])).collect(),
        };
        debug_assert_eq!(UNKNOWN, 0);
        Accepted(std::iter::once(unknown).chain(known).collect())
    }
}

/// Whether the words of one row meet a test. For few rows: [`Column::accepted`] decides for all of them.
pub fn meets(words: &[String], test: &Test) -> bool {
    let has = |wanted: &String| words.iter().any(|word| is_same_word(word, wanted));
    match test {
        Test::AnyOf(wanted) => wanted.iter().any(has),
        Test::AllOf(wanted) => wanted.iter().all(has),
        Test::NoneOf(unwanted) => !unwanted.iter().any(has),
        Test::IsNull(is_null) => words.is_empty() == *is_null,
        Test::Is(_) | Test::Within(..) => false,
    }
}

/// Whether two words are one to a filter: without regard to case, character by character, because `str::to_lowercase` writes a sigma as its
/// place in the word has it.
pub fn is_same_word(a: &str, b: &str) -> bool {
    let folded = |word| str::chars(word).flat_map(char::to_lowercase);
    a == b || folded(a).eq(folded(b))
}
