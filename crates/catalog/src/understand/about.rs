//! Questions about one named thing: `does ollama support gguf`, `which tools does the github mcp server offer`, `max output of gpt-4o`.
//! What they say beside the name is asked of the thing, and is no filter and no other thing to look for.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::words::{self, DETERMINERS, Word};
use refdesk_search::text::is_stop_word;

/// Longer names are none.
const NAME_WORDS_MAX: usize = 5;
/// Words between a question word and its verb: `which environment variables does …`.
const BEFORE_VERB_MAX: usize = 4;
/// Words that a question begins with …
const QUESTION_WORDS: [&str; 7] = ["which", "what", "how", "when", "where", "why", "who"];
/// … and verbs that stand before whom it is about.
const AUXILIARIES: [&str; 12] =
    ["does", "do", "did", "is", "are", "was", "were", "can", "could", "will", "has", "should"];
/// What is done to the thing that is named behind it.
const HANDLING: [&str; 14] = [
    "install", "uninstall", "configure", "setup", "use", "run", "deploy", "connect", "update", "upgrade", "start", "host",
    "access", "call",
];
/// Prepositions between what is asked and the name that ends the question.
const OF: [&str; 2] = ["of", "for"];
/// What is asked of a thing.
static ATTRIBUTES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    words::set(
        "license licence price prices pricing cost costs context window length size output input tokens token limit limits max \
         maximum released release date deprecated deprecation retired retirement status available install installation setup \
         support supports supported prompt caching cache env environment variables variable parameters knowledge cutoff cut-off \
         languages platforms transport auth authentication login api key keys version requirements vendor maker rate",
    )
});
/// Words for the end of a thing.
const STATUS_WORDS: [&str; 12] = [
    "deprecated", "deprecation", "retired", "retire", "retires", "retirement", "sunset", "discontinued", "eol", "available",
    "active", "status",
];
/// Words of a kind that ends a name, behind which `tools` are its own: `github mcp server tools`.
const SERVERS: [&str; 3] = ["server", "mcp", "servers"];

/// The name that a question asks something about, as it was typed; `is_name` tells what names something.
pub fn name(words: &[Word<'_>], is_name: impl Fn(&str) -> bool) -> Option<String> {
    let joined = |words: &[Word<'_>]| words.iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
    let named = |words: &[Word<'_>]| Some(joined(words)).filter(|name| is_name(name));
    // The longest name that begins at a position, behind `the`.
    let from = |at: usize| {
        let at = at + usize::from(words::is_one_of(words, at, &DETERMINERS));
        words.get(at).filter(|word| !is_stop_word(&word.folded))?;
        (1..=NAME_WORDS_MAX.min(words.len() - at)).rev().find_map(|taken| named(&words[at..at + taken]))
    };
    let is_listed = |word: &Word<'_>| is_asked(word) || matches!(word.folded.as_str(), "list" | "show" | "tools");
    let asks = words::is_one_of(words, 0, &QUESTION_WORDS) || words::is_one_of(words, 0, &AUXILIARIES);
    if asks || words.iter().any(|word| OF.contains(&word.folded.as_str())) {
        // `context window of gpt-4o`
        let of = words.iter().rposition(|word| OF.contains(&word.folded.as_str()));
        let is_end = |of: &usize| words.len() - of <= NAME_WORDS_MAX + 2;
        let behind = of.filter(is_end).filter(|of| asks || words[..*of].iter().all(is_listed)).map(|of| of + 1);
        let name = behind.and_then(|at| {
            let at = at + usize::from(words::is_one_of(words, at, &DETERMINERS));
            words.get(at..).filter(|name| !name.is_empty()).and_then(named)
        });
        if name.is_some() {
            return name;
        }
    }
    if asks {
        let reach = if words::is_one_of(words, 0, &AUXILIARIES) { 1 } else { BEFORE_VERB_MAX + 1 };
        let verb = (0..reach.min(words.len())).find(|at| words::is_one_of(words, *at, &AUXILIARIES));
        let name = verb.and_then(|verb| from(verb + 1));
        if name.is_some() {
            return name;
        }
    }
    if let Some(handled) = handled(words) {
        return from(handled);
    }
    // `llama 3.3 70b license`
    let end = words.iter().rposition(|word| !is_asked(word))? + 1;
    if words[end..].iter().any(|word| ATTRIBUTES.contains(word.folded.as_str())) {
        return named(&words[..end]);
    }
    let (tools, server) = words.split_last()?;
    let is_of_server = tools.folded == "tools" && words::is_one_of(server, server.len().wrapping_sub(1), &SERVERS);
    is_of_server.then(|| named(server)).flatten()
}

/// Whether a word is for what is asked of a thing, or says nothing.
fn is_asked(word: &Word<'_>) -> bool {
    ATTRIBUTES.contains(word.folded.as_str()) || is_stop_word(&word.folded)
}

/// Whether a question asks how long its thing is still there.
pub fn asks_for_status(text: &str) -> bool {
    words::words(text).iter().any(|word| STATUS_WORDS.contains(&word.folded.as_str()))
}

/// Where the name begins of what is handled: `how do I install …`, `install …`.
fn handled(words: &[Word<'_>]) -> Option<usize> {
    let mut at = 0;
    if words::is_one_of(words, 0, &["how"]) {
        at = 1;
        while words::is_one_of(words, at, &["do", "can", "to", "should", "i", "we", "you", "one"]) {
            at += 1;
        }
    } else if words::is_one_of(words, 0, &["can", "should"]) && words::is_one_of(words, 1, &["i", "we", "you"]) {
        at = 2;
    }
    if words::is_phrase(words, at, &["set", "up"]) {
        return Some(at + 2);
    }
    words::is_one_of(words, at, &HANDLING).then_some(at + 1)
}
