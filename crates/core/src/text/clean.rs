//! What upstream text must lose before it is shown: invisible and bidirectional control characters.
//! Stored bytes stay verbatim; every text of a JSON answer passes the `json` of the catalog, and everything that is printed `output` of the program.
//!
//! A zero-width joiner or non-joiner stays where it is a part of writing, in the contexts of RFC 5892, appendix A.1 and A.2, and within an
//! emoji sequence (UTS #51, 1.4.6): without it, Persian and Hindi words are misspelt, and one emoji falls into several. Only letters that
//! need one may stand around it, and never two in a row, so that no text can be hidden in them.

use std::borrow::Cow;

/// True for control, zero-width, tag and bidirectional formatting characters, which can hide or reorder text. Joiners are, too:
/// [`is_needed_joiner`] tells those that stay.
pub fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{61c}'
        | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

const NON_JOINER: char = '\u{200c}';
const JOINER: char = '\u{200d}';

/// Whether a joiner stands at a byte of a text where the writing around it needs one.
pub fn is_needed_joiner(text: &str, at: usize) -> bool {
    let Some((before, from)) = text.split_at_checked(at) else { return false };
    let (before, mut from) = (before.chars().next_back(), from.chars());
    let Some((before, joiner @ (JOINER | NON_JOINER))) = before.zip(from.next()) else { return false };
    if is_virama(before) {
        return true;
    }
    from.next().is_some_and(|after| {
        is_of_joined_script(before) && is_of_joined_script(after)
            || joiner == JOINER && (before == EMOJI_SELECTOR || is_pictograph(before)) && is_pictograph(after)
    })
}

/// Asks for the coloured form of the character before it.
const EMOJI_SELECTOR: char = '\u{fe0f}';

/// True for a sign that takes the vowel from the letter before it: joiners tell whether it merges with the next one.
const fn is_virama(c: char) -> bool {
    matches!(
        c,
        '\u{94d}'
            | '\u{9cd}'
            | '\u{a4d}'
            | '\u{acd}'
            | '\u{b4d}'
            | '\u{bcd}'
            | '\u{c4d}'
            | '\u{ccd}'
            | '\u{d3b}'
            | '\u{d3c}'
            | '\u{d4d}'
            | '\u{dca}'
            | '\u{1039}'
            | '\u{103a}'
            | '\u{17d2}'
    )
}

/// True for letters and vowel signs of scripts whose letters join: Arabic to N'Ko, Indic, Myanmar, Khmer, Mongolian.
fn is_of_joined_script(c: char) -> bool {
    let is_of_block =
        matches!(c, '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{18af}');
    is_of_block && (c.is_alphabetic() || is_virama(c))
}

/// True for the blocks that the parts of emoji sequences are of: arrows, technical and other symbols, and the pictographs.
const fn is_pictograph(c: char) -> bool {
    matches!(c,
        '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

/// The characters of a text that are not hidden.
pub fn visible_chars(text: &str) -> impl Iterator<Item = char> {
    text.char_indices().filter(|(at, c)| !is_hidden(*c) || is_needed_joiner(text, *at)).map(|(_, c)| c)
}

/// Whether a text has a hidden character. Most texts are ASCII but for a dash or a dot, and none of its printable characters is hidden.
fn has_hidden(mut text: &str) -> bool {
    while let Some(at) = text.bytes().position(|byte| !(b' '..0x7f).contains(&byte)) {
        let mut from = text[at..].chars();
        if from.next().is_some_and(is_hidden) {
            return true;
        }
        text = from.as_str();
    }
    false
}

/// The text without hidden characters.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !has_hidden(text) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(visible_chars(text).collect())
}

/// One line of visible text: hidden characters removed, runs of white space folded, trimmed.
pub fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let before = out.len();
        if before > 0 {
            out.push(' ');
        }
        out.push_str(&visible(word));
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

    #[test]
    fn joiners_stay_where_writing_needs_them_and_go_where_they_hide() {
        for kept in [
            "\u{1f469}\u{200d}\u{1f4bb}",                                // woman technologist
            "\u{1f469}\u{1f3fd}\u{200d}\u{1f4bb}",                       // with a skin tone
            "\u{2764}\u{fe0f}\u{200d}\u{1f525}",                         // heart on fire
            "\u{1f3c3}\u{200d}\u{2640}\u{fe0f}\u{200d}\u{27a1}\u{fe0f}", // woman running to the right
            "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}", // Persian: I want
            "\u{915}\u{94d}\u{200d}\u{937}",                             // Hindi: half ka, sha
            "\u{d05}\u{d35}\u{d28}\u{d4d}\u{200d} said",                 // Malayalam: he, a word that ends in a joiner
            "\u{9b0}\u{200d}\u{9cd}\u{9af}\u{9be}\u{9ac}",               // Bengali: RAB
        ] {
            assert_eq!((visible(kept).as_ref(), line(kept).as_str()), (kept, kept));
        }
        for (text, shown) in [
            ("pass\u{200d}word", "password"),
            ("\u{200d}\u{1f469}\u{200d}", "\u{1f469}"),
            ("\u{1f469}\u{200c}\u{1f4bb}", "\u{1f469}\u{1f4bb}"),
            ("\u{1f469}\u{200d}a", "\u{1f469}a"),
            ("\u{6cc}\u{200c}\u{200c}\u{62e}", "\u{6cc}\u{62e}"),
            ("\u{94d}\u{200d}\u{200d}\u{200c}\u{937}", "\u{94d}\u{200d}\u{937}"),
            ("\u{6cc}\u{200c} \u{62e}", "\u{6cc} \u{62e}"),
            ("\u{661}\u{200c}\u{662}", "\u{661}\u{662}"),
        ] {
            assert_eq!((visible(text).as_ref(), line(text).as_str()), (shown, shown), "{text:?}");
        }
    }
}
