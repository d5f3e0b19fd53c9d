//! The status that an upstream tells in words only: a name or a description that says the thing itself is deprecated or archived.
//!
//! Only what speaks of the item counts, as far as its place and the words behind it tell: "Lists deprecated endpoints" and "Archived web
//! pages, searched" speak of something else.

use refdesk_core::item::Status;
use refdesk_core::text::words;

/// Words for what has ended.
const ENDED: [&str; 2] = ["deprecated", "archived"];
/// How reStructuredText, and so Python's documentation, says it.
const DIRECTIVE: &str = ".. deprecated::";
/// Words behind `deprecated` that say what to do instead.
const ADVICE: [&str; 4] = ["use", "please", "this", "see"];
/// What an item calls itself.
const ITSELF: [&str; 7] = ["server", "tool", "toolkit", "action", "endpoint", "integration", "version"];
/// Words that may stand before that.
const BEFORE_ITSELF: [&str; 3] = ["reference", "official", "mcp"];
/// Words that go on about an item that has been named.
const GOES_ON: [&str; 8] = ["for", "to", "of", "that", "which", "with", "by", "from"];

/// The status that a name and a description tell: deprecated, or active where they say nothing.
pub fn stated_status(name: &str, description: Option<&str>) -> Status {
    let has_ended = is_marked(&name.to_lowercase()) || description.is_some_and(|text| has_ended(&text.to_lowercase()));
    if has_ended { Status::Deprecated } else { Status::Active }
}

/// `Lamp (archived)`, `[Deprecated] Lamp`.
fn is_marked(name: &str) -> bool {
    let marks = ENDED.iter().flat_map(|word| [format!("({word})"), format!("[{word}]")]);
    marks.into_iter().any(|mark| name.trim().starts_with(&mark) || name.trim().ends_with(&mark))
}

fn has_ended(description: &str) -> bool {
    let own_words = description.trim_start_matches(is_opening);
    let behind = ENDED.iter().find_map(|word| own_words.strip_prefix(word));
    description.contains(DIRECTIVE) || behind.is_some_and(is_of_the_item) || advises(description)
}

/// What may stand before the first word: brackets, marks of emphasis, a warning sign.
fn is_opening(c: char) -> bool {
    c.is_whitespace() || "([<*_~⚠\u{fe0f}".contains(c)
}

/// Whether what stands behind the word at the beginning leaves it to the item.
fn is_of_the_item(behind: &str) -> bool {
    let is_closed = behind.is_empty() || behind.starts_with([':', '.', ';', '!', ')', ']', '>', '*', '~']);
    let is_dash = behind.trim_start().starts_with(['-', '–', '—', '|']) && behind.starts_with(char::is_whitespace);
    let goes_on = behind.starts_with([',', ' ', '\n']) && {
        let mut words = words(behind).skip_while(|word| BEFORE_ITSELF.contains(word));
        match words.next() {
            Some("since" | "as") => true,
            Some("in") => matches!(words.next(), Some("favor" | "favour")),
            Some(word) if ADVICE.contains(&word) => true,
            Some(word) if ITSELF.contains(&word) => {
                words.next().is_none_or(|next| GOES_ON.contains(&next) || next.ends_with("ing"))
            }
            _ => false,
        }
    };
    is_closed || is_dash || goes_on
}

/// A clause of its own that says what to use instead: `…; deprecated: use the other`.
fn advises(description: &str) -> bool {
    description.match_indices("deprecated").any(|(at, word)| {
        let before = description[..at].trim_end_matches(is_opening);
        let behind = &description[at + word.len()..];
        (before.is_empty() || before.ends_with(['.', ';', '!']))
            && behind.starts_with([':', ',', '.'])
            && words(behind).next().is_some_and(|next| ADVICE.contains(&next))
    })
}

#[cfg(test)]
mod tests {
    use refdesk_core::item::Status;

    use super::stated_status;

    #[test]
    fn only_words_about_the_item_itself_end_it() {
        for (description, has_ended) in [
            ("Deprecated: lights a lamp; use `kindle` instead.", true),
            ("(deprecated: use 'kindle' instead) lights a lamp.", true),
            ("[deprecated] lights a lamp.", true),
            ("**Deprecated** Lights a lamp.", true),
            ("DEPRECATED", true),
            ("Deprecated - lights a lamp.", true),
            ("Deprecated in favour of `kindle`.", true),
            ("Deprecated tool to light a lamp.", true),
            ("Lights a lamp; deprecated: use `kindle`.", true),
            ("Lights a lamp; deprecated, use `kindle` instead.", true),
            ("Lights a lamp. <<deprecated: this action is deprecated. use `kindle` instead.>>", true),
            ("Lights a lamp.\n\n.. deprecated:: 2.1\n   Use kindle.", true),
            ("Archived MCP server enabling lamps to be lit.", true),
            ("Archived reference MCP server for lamps", true),
            ("(Archived) Lights a lamp.", true),
            ("Lists deprecated endpoints.", false),
            ("Deprecated endpoints of an API, listed.", false),
            ("Archived web pages, searched by their words.", false),
            ("Archived, deleted and live mails, found.", false),
            ("Makes a rule for lamps; note: such rules are deprecated (sunset in autumn).", false),
            ("Lights a lamp by `wick` (deprecated: use `oil`).", false),
            ("Archives a room.", false),
            ("", false),
        ] {
            let status = if has_ended { Status::Deprecated } else { Status::Active };
            assert_eq!(stated_status("Lamp", Some(description)), status, "{description}");
        }
    }

    #[test]
    fn a_name_says_it_in_brackets() {
        for (name, status) in [
            ("Lamp (Archived)", Status::Deprecated),
            ("[Deprecated] Lamp", Status::Deprecated),
            ("Light a lamp (deprecated)", Status::Deprecated),
            ("Archived lamps", Status::Active),
        ] {
            assert_eq!(stated_status(name, None), status, "{name}");
        }
    }
}
