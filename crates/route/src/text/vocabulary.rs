//! A vocabulary: distinct terms in byte order, joined in one text. The number of a term is its rank, so none is kept.

use std::collections::BTreeSet;

use refdesk_core::codec::packed;
use serde::{Deserialize, Serialize};

/// Sorted terms.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Vocabulary {
    joined: String,
    /// End of each term in `joined`.
    #[serde(with = "packed")]
    ends: Vec<u32>,
}

impl Vocabulary {
    pub(crate) fn new(terms: &BTreeSet<String>) -> Self {
        let mut vocabulary = Self::default();
        for term in terms {
            vocabulary.joined.push_str(term);
            vocabulary.ends.push(vocabulary.joined.len() as u32);
        }
        vocabulary
    }

    pub(crate) const fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn term(&self, number: u32) -> &str {
        let at = number as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.joined[start as usize..self.ends[at] as usize]
    }

    /// All terms with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, u32)> {
        (0..self.len() as u32).map(|number| (self.term(number), number))
    }

    pub(crate) fn find(&self, term: &str) -> Option<u32> {
        let (mut from, mut to) = (0, self.len() as u32);
        while from < to {
            let middle = from.midpoint(to);
            match self.term(middle).cmp(term) {
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        None
    }

    /// Whether every term is where its end says.
    pub(crate) fn is_sound(&self) -> bool {
        self.ends.is_sorted()
            && self.ends.last().is_none_or(|end| *end as usize == self.joined.len())
            && self.ends.iter().all(|end| self.joined.is_char_boundary(*end as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::Vocabulary;

    #[test]
    fn terms_are_found_by_their_rank() {
        let terms = ["a", "ab", "b", "é"].map(str::to_owned).into();
        let vocabulary = Vocabulary::new(&terms);
        for (term, rank) in [("a", 0), ("ab", 1), ("b", 2), ("é", 3)] {
            assert_eq!((vocabulary.find(term), vocabulary.term(rank)), (Some(rank), term));
        }
        assert!(["", "aa", "c", "ê"].iter().all(|other| vocabulary.find(other).is_none()));
        assert_eq!(Vocabulary::default().find("a"), None);
        assert!(vocabulary.is_sound());
    }
}
