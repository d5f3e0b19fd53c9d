//! What upstream text must lose before it is shown: invisible and bidirectional control characters.
//! Stored bytes stay verbatim; every text of a JSON answer passes the `json` of the catalog, and everything that is printed `output` of the program.

use std::borrow::Cow;

/// True for control, zero-width, tag and bidirectional formatting characters, which can hide or reorder text.
pub fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{61c}'
        | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The text without hidden characters.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|c| !is_hidden(*c)).collect())
}

/// One line of visible text: hidden characters removed, runs of white space folded, trimmed.
pub fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let before = out.len();
        if before > 0 {
            out.push(' ');
        }
        out.extend(word.chars().filter(|c| !is_hidden(*c)));
        if out.len() == before + usize::from(before > 0) {
            out.truncate(before);
        }
    }
    out
}

/// Characters that a message repeats of what was sent.
const QUOTED_CHARS_MAX: usize = 60;

/// As much of what was sent as a message repeats.
pub fn quoted(text: &str) -> String {
    excerpt(text, QUOTED_CHARS_MAX)
}

/// The first `chars_max` characters, cut at a word where possible, with an ellipsis when something was cut.
pub fn excerpt(text: &str, chars_max: usize) -> String {
    let line = line(text);
    let Some((cut, _)) = line.char_indices().nth(chars_max) else { return line };
    let head = &line[..cut];
    let end = head.rfind(' ').filter(|at| *at > cut / 2).unwrap_or(cut);
    format!("{}…", head[..end].trim_end())
}

#[cfg(test)]
mod tests {
    use super::{excerpt, line, visible};

    #[test]
    fn hidden_characters_are_removed() {
        assert_eq!(visible("ab\u{202e}c\u{200b}\u{e0041}"), "abc");
        assert_eq!(line(" a\u{200b}\n\t b \u{200b} "), "a b");
        assert_eq!(excerpt("one two three", 9), "one two…");
        assert_eq!(excerpt("short", 9), "short");
    }
}
