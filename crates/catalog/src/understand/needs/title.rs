//! What a page on making something is called, whatever verb was typed: `write an mcp client` in `Build an MCP client`.

use crate::understand::words::{self, DETERMINERS, Word, Words};
use refdesk_search::text::word_array;

/// Verbs of making a program that titles put as `build`.
const MAKING: [&str; 7] = ["write", "create", "make", "develop", "code", "program", "implement"];
/// Who asks for the way to do something …
const ASKED: [&str; 6] = ["can", "could", "do", "should", "would", "to"];
/// … and who does it.
const ASKING: [&str; 5] = ["i", "we", "you", "one", "people"];

/// Where what is to be done begins in a question for the way to it: `how can I`, `how to`.
pub fn behind_how(words: &[Word<'_>]) -> Option<usize> {
    let is_asked = words.is(0, &["how"]) && words.is(1, &ASKED) && (words.is(1, &["to"]) || words.is(2, &ASKING));
    is_asked.then(|| 2 + usize::from(words.is(2, &ASKING)))
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
    words.is(verb, &MAKING).then(|| format!("build {}", words::text(made)))
}

/// Verbs of making as a question has them behind a word for what is read, and the words in front of them.
const MADE: [&str; 12] =
    word_array("build building write writing create creating make making develop developing implement implementing");
const BEFORE_MADE: [&str; 4] = ["to", "on", "for", "of"];

/// What is made in a text that a question asks for: `chatbot` of `tutorial on building a chatbot`. Every text of the kind makes something, and
/// only the thing is in their names. `rest` is what is searched for beside the kind.
pub fn made(question: &str, rest: &str) -> Option<String> {
    let (all, rest) = (words::words(question), words::words(rest));
    let verb = rest.first().filter(|_| rest.is(0, &MADE))?;
    let introduces = |at: usize| all[at].folded == verb.folded && all.is(at - 1, &BEFORE_MADE);
    let start = 1 + usize::from(rest.is(1, &DETERMINERS));
    (start < rest.len() && (1..all.len()).any(introduces)).then(|| words::text(&rest[start..]))
}

#[cfg(test)]
mod tests {
    use super::{made, title, way};
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
    fn what_a_tutorial_makes_is_told_without_the_verb() {
        for (question, rest, said) in [
            ("tutorial to build text to sql", "build text to sql", Some("text to sql")),
            ("tutorial on building a chatbot", "building a chatbot", Some("chatbot")),
            ("build pipeline tutorial", "build pipeline", None),
            ("notebook on building", "building", None),
        ] {
            assert_eq!(made(question, rest).as_deref(), said, "{question}");
        }
    }

    #[test]
    fn a_way_is_asked_for_by_how() {
        assert_eq!(way(&words("how do we stop leaks")).as_deref(), Some("stop leaks"));
        assert_eq!(way(&words("how to stop leaks")).as_deref(), Some("stop leaks"));
        assert_eq!(way(&words("how long does it take")), None);
    }
}
