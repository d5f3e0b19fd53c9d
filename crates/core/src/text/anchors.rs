//! Anchors of headings as GitHub makes them (the rules of `github-slugger`): links within a text are written for these.

use std::collections::HashMap;

use unicode_normalization::char::is_combining_mark;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

/// The anchor of a heading of these words: lower case; letters with their accents, digits, `-` and `_` stay, a blank becomes `-`, and
/// everything else goes, `²` and `½` too.
pub fn anchor(words: &str) -> String {
    let mut anchor = String::with_capacity(words.len());
    // A final sigma has a lower case of its own, so the words are folded as a whole.
    for c in words.trim().to_lowercase().chars() {
        match c {
            ' ' => anchor.push('-'),
            '-' | '_' => anchor.push(c),
            c if c.is_alphabetic() || is_combining_mark(c) || is_digit(c) => anchor.push(c),
            _ => {}
        }
    }
    anchor
}

/// A decimal digit of any script; numbers of other forms that stay are letters (`Ⅷ`).
fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || c.general_category() == GeneralCategory::DecimalNumber
}

/// The anchors of one text, each given once.
#[derive(Debug, Default)]
pub struct Anchors {
    /// How often each was repeated.
    given: HashMap<String, usize>,
}

impl Anchors {
    /// The anchor of the next heading: that of its words, or with `-1`, `-2`, … behind it where it is taken.
    pub fn next(&mut self, words: &str) -> String {
        self.unique(anchor(words))
    }

    /// The same for an anchor that is made already.
    pub fn unique(&mut self, wanted: String) -> String {
        let mut anchor = wanted.clone();
        let mut repeated = self.given.get(&wanted).copied().unwrap_or(0);
        while self.given.contains_key(&anchor) {
            repeated += 1;
            anchor = format!("{wanted}-{repeated}");
        }
        self.given.insert(wanted, repeated);
        self.given.entry(anchor.clone()).or_insert(0);
        anchor
    }

    /// The anchor of the next heading, which the text may state itself.
    pub fn of_heading(&mut self, stated: Option<&str>, words: &str) -> String {
        match stated {
            Some(id) => {
                self.take(id);
                id.to_owned()
            }
            None => self.next(words),
        }
    }

    /// Notes an anchor that the text itself states.
    pub fn take(&mut self, stated: &str) {
        self.given.entry(stated.to_owned()).or_insert(0);
    }
}

#[cfg(test)]
mod tests {
    use super::{Anchors, anchor};

    #[test]
    fn accents_stay_punctuation_goes_and_repetitions_are_counted() {
        for (words, made) in [
            ("Résumé de texte", "résumé-de-texte"),
            ("Extraction d'informations", "extraction-dinformations"),
            ("1. Create an *Endpoint*", "1-create-an-endpoint"),
            ("Usage & limits", "usage--limits"),
            ("snake_case – und mehr", "snake_case--und-mehr"),
            ("हिन्दी परिचय", "हिन्दी-परिचय"),
            ("提示词", "提示词"),
            ("E = mc²", "e--mc"),
            ("½ or ① of H₂O", "-or--of-ho"),
            ("Part Ⅷ, ३ lamps", "part-ⅷ-३-lamps"),
            ("ΝΟΥΣ ΚΑΙ ΛΟΓΟΣ", "νους-και-λογος"),
        ] {
            assert_eq!(anchor(words), made);
        }
        let mut anchors = Anchors::default();
        anchors.take("oil");
        let made = ["Oil", "Oil", "Oil 1", "Wick", "oil"].map(|words| anchors.next(words));
        assert_eq!(made, ["oil-1", "oil-2", "oil-1-1", "wick", "oil-3"]);
    }
}
