//! What a page on making something is called, whatever verb was typed: `write an mcp client` in `Build an MCP client`.

use crate::understand::words::{self, Word};

/// Verbs of making a program that titles put as `build`.
const MAKING: [&str; 7] = ["write", "create", "make", "develop", "code", "program", "implement"];
/// Who asks for the way to do something …
const ASKED: [&str; 6] = ["can", "could", "do", "should", "would", "to"];
/// … and who does it.
const ASKING: [&str; 5] = ["i", "we", "you", "one", "people"];

/// Where what is to be done begins in a question for the way to it: `how can I`, `how to`.
fn behind_how(words: &[Word<'_>]) -> Option<usize> {
    let is = |at: usize, any: &[&str]| words::is_one_of(words, at, any);
    let is_asked = is(0, &["how"]) && is(1, &ASKED) && (is(1, &["to"]) || is(2, &ASKING));
    is_asked.then(|| 2 + usize::from(is(2, &ASKING)))
}

/// What a question asks for the way to: `stop a bot from leaking data`.
pub fn way(words: &[Word<'_>]) -> Option<String> {
    let rest = &words[behind_how(words)?..];
    (!rest.is_empty()).then(|| words::text(rest))
}

/// The title of a page on making what a question asks how to make; it may be that none is called so.
pub fn title(words: &[Word<'_>]) -> Option<String> {
    let verb = behind_how(words).unwrap_or(0);
    let made = words.get(verb + 1..).filter(|made| !made.is_empty())?;
    words::is_one_of(words, verb, &MAKING).then(|| format!("build {}", words::text(made)))
}

#[cfg(test)]
mod tests {
    use super::{title, way};
    use crate::understand::words::words;

    #[test]
    fn what_is_to_be_made_is_what_a_page_calls_built() {
        for question in ["how can I write an mcp client", "create an mcp client", "how to develop an mcp client?"] {
            assert_eq!(title(&words(question)).as_deref(), Some("build an mcp client"), "{question}");
        }
        for question in ["build an mcp client", "write", "how can I stream", "how long to write a test"] {
            assert_eq!(title(&words(question)), None, "{question}");
        }
    }

    #[test]
    fn a_way_is_asked_for_by_how() {
        assert_eq!(way(&words("how do we stop leaks")).as_deref(), Some("stop leaks"));
        assert_eq!(way(&words("how to stop leaks")).as_deref(), Some("stop leaks"));
        assert_eq!(way(&words("how long does it take")), None);
    }
}
