//! Query expansion with a thesaurus (Voorhees 1994): what people say of a need, in the words of the field.

use std::sync::LazyLock;

use crate::understand::words::{self, Phrases, table};

static SYNONYMS: LazyLock<Phrases<&str>> =
    LazyLock::new(|| Phrases::listed(table(include_str!("synonyms.txt")).map(|row| (row[0], row[1]))));

/// What the field calls what a need speaks of; nothing for words that the need has itself.
pub fn expansions(need: &str) -> String {
    let words = words::words(need);
    let is_new = |word: &&str| !words.iter().any(|said| said.folded == *word);
    let mut added: Vec<&str> = Vec::new();
    // Where the phrases end that were found: of phrases that overlap both count, but not one within another.
    let mut end = 0;
    for at in 0..words.len() {
        if let Some((taken, field_words)) = SYNONYMS.at(&words, at).filter(|(taken, _)| at + taken > end) {
            end = at + taken;
            added.extend(field_words.split(' ').filter(is_new));
        }
    }
    added.sort_unstable();
    added.dedup();
    added.join(" ")
}

#[cfg(test)]
mod tests {
    use super::expansions;
    use crate::understand::words::table;

    #[test]
    fn a_need_is_told_in_the_words_of_the_field() {
        assert_eq!(expansions("my agent forgets everything between sessions"), "memory persistent");
        assert_eq!(expansions("turn a recording into a transcription"), "audio speech");
        assert_eq!(expansions("count the words of a file"), "");
        // One phrase overlaps the other: `ping my phone`, `phone call`.
        assert_eq!(expansions("ping my phone call"), "notification push telephony voice");
    }

    #[test]
    fn no_phrase_is_listed_twice() {
        let mut seen = foldhash::HashSet::default();
        for row in table(include_str!("synonyms.txt")) {
            assert_eq!(row.len(), 2, "{row:?}");
            for phrase in row[0].split(',') {
                assert!(seen.insert(phrase.trim()), "{phrase} is listed twice");
            }
        }
    }
}
