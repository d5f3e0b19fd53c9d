//! Compounds of German and Dutch, which no dictionary lists, by their parts: `Datenbankmigration` is `Datenbank` and `Migration`, and
//! `Rechnungs-Vorlage` has an `s` between. Dictionary-based decompounding, as in cross-language retrieval (Monz and de Rijke 2001).

use super::WordPiece;
use super::dictionary::DICTIONARY;

/// Letters of the shortest part: shorter words are in many others by chance.
const PART_BYTES_MIN: usize = 4;
/// Letters that may follow a form which goes on, as endings do: `abfrage*` of `Abfragen`.
const ENDING_BYTES_MAX: usize = 3;
/// What stands between two parts, before a hyphen or not, the endings of nouns that are made of verbs among them.
const LINKS: [&str; 9] = ["", "s", "n", "e", "en", "es", "er", "ung", "ungs"];

/// The parts of a folded word that is no form of the dictionary, where each of them is one or a word of English, and not all are English.
pub fn parts(word: &str) -> Option<Vec<WordPiece<'_>>> {
    let may_be_cut =
        word.len() >= 2 * PART_BYTES_MIN && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    if !may_be_cut || DICTIONARY.word(word, ENDING_BYTES_MAX).is_some() {
        return None;
    }
    cut(word).filter(|parts| parts.iter().any(|part| matches!(part, WordPiece::Known(_))))
}

/// The parts of a word, of which the first is as long as can be.
fn cut(word: &str) -> Option<Vec<WordPiece<'_>>> {
    let mut ends = (PART_BYTES_MIN..=word.len().saturating_sub(PART_BYTES_MIN)).rev();
    let cut_at = |end: usize| {
        let (first, rest) = word.split_at(end);
        let first = part(first, 0)?;
        let behind_link = |link: &str| rest.strip_prefix(link).map(|rest| rest.strip_prefix('-').unwrap_or(rest));
        let others = LINKS.into_iter().find_map(|link| behind_link(link).and_then(behind))?;
        Some([vec![first], others].concat())
    };
    ends.find_map(cut_at)
}

/// The parts that follow the first.
fn behind(word: &str) -> Option<Vec<WordPiece<'_>>> {
    if word.len() < PART_BYTES_MIN {
        return None;
    }
    part(word, ENDING_BYTES_MAX).map(|last| vec![last]).or_else(|| cut(word))
}

/// A word of the dictionary, in either language.
fn part(word: &str, ending_bytes_max: usize) -> Option<WordPiece<'_>> {
    let of_other_language = DICTIONARY.word(word, ending_bytes_max).map(WordPiece::Known);
    of_other_language.or_else(|| DICTIONARY.english.contains(word).then_some(WordPiece::Unknown(word)))
}
