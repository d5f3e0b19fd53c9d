//! Which values of a column meet a test: decided once for each distinct value or set, not for each row.

use super::{Column, UNKNOWN};
use refdesk_core::query::Test;

/// The numbers that are accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted(Vec<bool>);

impl Accepted {
    /// Whether a number is accepted.
    pub fn contains(&self, code: u32) -> bool {
        self.0.get(code as usize).copied().unwrap_or_default()
    }
}

impl Column {
    /// The numbers whose value meets a test.
    pub fn accepted(&self, test: &Test) -> Accepted {
        let meets = |value: &str| match test {
            Test::Is(flag) => value == if *flag { "true" } else { "false" },
            Test::Within(bound, side) => bound.admits(value, *side),
            Test::AnyOf(words) | Test::AllOf(words) | Test::NoneOf(words) => {
                let folded = value.to_lowercase();
                words.iter().any(|word| word.to_lowercase() == folded)
            }
            Test::IsNull(_) => false,
        };
        let unknown = matches!(test, Test::NoneOf(_) | Test::IsNull(true));
        let values: Vec<bool> = self.values.iter().map(meets).collect();
        let known: Vec<bool> = match (test, &self.sets) {
            (Test::IsNull(is_null), _) => vec![!is_null; self.codes.max() as usize],
            (Test::NoneOf(_), None) => values.iter().map(|met| !met).collect(),
            (_, None) => values,
            (Test::NoneOf(_), Some(sets)) => {
                sets.iter().map(|set| !set.iter().any(|value| values[*value as usize - 1])).collect()
            }
            (Test::AllOf(words), Some(sets)) => {
                let wanted: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
                let has = |set: &[u32], word: &String| {
                    set.iter().any(|value| self.values.get(*value as usize - 1).to_lowercase() == *word)
                };
                sets.iter().map(|set| wanted.iter().all(|word| has(set, word))).collect()
            }
            (_, Some(sets)) => sets.iter().map(|set| set.iter().any(|value| values[*value as usize - 1])).collect(),
        };
        debug_assert_eq!(UNKNOWN, 0);
        Accepted(std::iter::once(unknown).chain(known).collect())
    }
}
