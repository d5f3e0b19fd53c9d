//! The distinct values of a column in one text.

use serde::{Deserialize, Serialize};

use refdesk_core::codec::packed;

/// Texts by position.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ValueDictionary {
    text: String,
    /// End of each text, in bytes.
    #[serde(with = "packed")]
    ends: Vec<u32>,
}

impl<'a> FromIterator<&'a str> for ValueDictionary {
    fn from_iter<I: IntoIterator<Item = &'a str>>(values: I) -> Self {
        let mut dictionary = Self::default();
        for value in values {
            dictionary.text.push_str(value);
            dictionary.ends.push(dictionary.text.len() as u32);
        }
        dictionary
    }
}

impl ValueDictionary {
    /// Number of texts.
    pub const fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes in memory.
    pub const fn bytes(&self) -> usize {
        self.text.len() + self.ends.len() * 4
    }

    /// The text at a position.
    pub fn get(&self, at: usize) -> &str {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.text[start..self.ends[at] as usize]
    }

    /// All texts in their order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|at| self.get(at))
    }
}
