//! Case and accent folding: Unicode NFKC, lower case, and the base letter of accented Latin ones (what Lucene calls ASCII folding).

use refdesk_core::clean::is_hidden;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::decompose_canonical;

/// A text in lower case, without accents and hidden characters.
pub fn folded(text: &str) -> String {
    let mut folded = String::new();
    fold(text, &mut folded);
    folded
}

/// Writes the folded form of a word to `out`: NFKC, lower case, Latin letters without diacritics, hidden characters removed.
pub fn fold(word: &str, out: &mut String) {
    out.clear();
    if word.is_ascii() {
        out.push_str(word);
        out.make_ascii_lowercase();
        return;
    }
    for c in word.nfkc().filter(|c| !is_hidden(*c)).flat_map(char::to_lowercase) {
        match c {
            'ß' => out.push_str("ss"),
            'ё' => out.push('е'),
            '\u{300}'..='\u{36f}' => {}
            '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => {
                let mut base = None;
                decompose_canonical(c, |part| base = base.or(Some(part)));
                out.push(base.unwrap_or(c));
            }
            _ => out.push(c),
        }
    }
}
