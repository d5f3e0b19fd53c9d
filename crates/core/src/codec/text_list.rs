//! Many short texts as one: no allocation and no pointer for each, in memory and on disk.

use serde::{Deserialize, Serialize};

use super::{packed, partition_point};

/// Texts by position, joined in one string.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct TextList {
    joined: String,
    /// End of each text in `joined`.
    #[serde(with = "packed")]
    ends: Vec<u32>,
}

impl<'a> FromIterator<&'a str> for TextList {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Self {
        let mut list = Self::default();
        texts.into_iter().for_each(|text| list.push(text));
        list
    }
}

impl TextList {
    /// Adds a text at the end.
    #[inline]
    pub fn push(&mut self, text: &str) {
        self.joined.push_str(text);
        self.ends.push(self.joined.len() as u32);
    }

    /// Number of texts.
    #[inline]
    pub const fn len(&self) -> usize {
        self.ends.len()
    }

    /// True without texts.
    pub const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Bytes in memory.
    pub const fn bytes(&self) -> usize {
        self.joined.len() + self.ends.len() * 4
    }

    /// The text at a position.
    #[inline]
    pub fn get(&self, at: usize) -> &str {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.joined[start..self.ends[at] as usize]
    }

    /// All texts in their order.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|at| self.get(at))
    }

    /// The position of a text, where all are sorted.
    pub fn find(&self, text: &str) -> Option<u32> {
        let at = partition_point(0..self.len(), |at| self.get(at) < text);
        (at < self.len() && self.get(at) == text).then_some(at as u32)
    }

    /// Whether every text is where its end says.
    pub fn is_sound(&self) -> bool {
        self.ends.is_sorted()
            && self.ends.last().is_none_or(|end| *end as usize == self.joined.len())
            && self.ends.iter().all(|end| self.joined.is_char_boundary(*end as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::TextList;

    #[test]
    fn texts_are_found_by_their_position() {
        let terms: TextList = ["a", "ab", "b", "é"].into_iter().collect();
        for (term, at) in [("a", 0), ("ab", 1), ("b", 2), ("é", 3)] {
            assert_eq!((terms.find(term), terms.get(at as usize)), (Some(at), term));
        }
        assert!(["", "aa", "c", "ê"].iter().all(|other| terms.find(other).is_none()));
        assert_eq!(TextList::default().find("a"), None);
        assert!(terms.is_sound());
    }

    #[test]
    fn texts_that_end_out_of_order_within_a_character_or_outside_are_not_sound() {
        for (ends, is_sound) in
            [(vec![1, 3], true), (vec![3, 1], false), (vec![2, 3], false), (vec![1], false), (vec![1, 4], false)]
        {
            let list = TextList { joined: "aé".to_owned(), ends };
            assert_eq!(list.is_sound(), is_sound, "{:?}", list.ends);
        }
    }
}
