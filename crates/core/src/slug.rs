//! Ids: lower case `[a-z0-9]` with single `-`, `.`, `_`, `:` inside; never a `/`.

use unicode_normalization::UnicodeNormalization;

/// Words that stand in place of an id in a path and so cannot be one.
pub const RESERVED: [&str; 4] = ["list", "search", "route", "compare"];

/// The longest id that is made or accepted, in characters.
pub const ID_CHARS_MAX: usize = 200;

/// True when `text` already has the form of an id.
pub fn is_id(text: &str) -> bool {
    !text.is_empty() && text.len() <= ID_CHARS_MAX && !RESERVED.contains(&text) && slugify(text) == text
}

/// Makes an id of any spelling: folds case and accents, turns everything else into single separators.
/// A text without a single letter or digit of ASCII gives `x` and a hash of what can be seen of it, so that no item is lost to its script.
pub fn slugify(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut pending: Option<char> = None;
    for c in text.nfkd().flat_map(char::to_lowercase) {
        match c {
            'a'..='z' | '0'..='9' => {
                let separator = pending.take().filter(|_| !out.is_empty());
                if separator.is_some() && out.len() + 1 == ID_CHARS_MAX {
                    // An id does not end with a separator.
                    break;
                }
                out.extend(separator);
                out.push(c);
            }
            '.' | '_' | ':' => pending = pending.or(Some(c)),
            '\u{300}'..='\u{36f}' => {}
            _ => pending = Some('-'),
        }
        if out.len() >= ID_CHARS_MAX {
            break;
        }
    }
    if out.is_empty() {
        let seen: String = text.chars().filter(|c| !crate::clean::is_hidden(*c)).collect();
        return crate::hash::short_key("x", &[&seen]);
    }
    if RESERVED.contains(&out.as_str()) {
        out.push_str("-item");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{is_id, slugify};

    #[test]
    fn every_spelling_becomes_a_valid_id() {
        for (text, id) in [
            ("anthropic/claude-sonnet-4.5", "anthropic-claude-sonnet-4.5"),
            ("  GPT--4o  (mini) ", "gpt-4o-mini"),
            ("llama3.1:70b", "llama3.1:70b"),
            ("_21risk", "21risk"),
            ("Crème Brûlée", "creme-brulee"),
            ("list", "list-item"),
            ("a._b", "a.b"),
        ] {
            assert_eq!(slugify(text), id);
            assert!(is_id(id), "{id}");
        }
        assert!(is_id(&slugify("日本語")));
        assert_eq!(slugify("\u{6cc}\u{200c}\u{62e}"), slugify("\u{6cc}\u{62e}"), "what nobody sees makes no other id");
        assert!(!is_id("a/b") && !is_id("A") && !is_id("-a") && !is_id("search"));
    }
}
