//! Words that are nothing but those for a kind, the same said a second time, and what is said of the thing that a question asks for:
//! `which mcp server has a tool to merge pdfs`.

use super::{Head, said_at};
use crate::understand::vocabulary;
use crate::understand::words::{self, Word, Words};
use refdesk_core::Kind;
use std::ops::Range;

/// What things have, behind the one that is asked for.
const HAVING: [&str; 10] =
    ["has", "have", "offers", "offer", "provides", "provide", "exposes", "expose", "includes", "include"];

/// Whether a verb says of the thing that a question begins with what it has: `which mcp server has a tool to merge pdfs` asks for no tool.
pub fn is_said_of(words: &[Word<'_>], at: usize, head: Option<Head>) -> bool {
    let is_asked = |head: &Head| head.at == 1 && words.is(0, &["which", "what"]);
    words[at].is(&HAVING) && head.filter(is_asked).is_some_and(|head| head.at + head.taken == at)
}

/// The kind that some words say which say nothing else: `MCP servers`.
pub fn kind_of(words: &[Word<'_>]) -> Option<Kind> {
    said_at(words, 0).filter(|(taken, _)| *taken == words.len()).map(|(_, said)| said.kind)
}

/// Whether a text is nothing but a word for a kind: `MCP servers` names no single one, whatever is called so.
pub fn is_kind(text: &str) -> bool {
    kind_of(&words::words(text)).is_some()
}

/// What servers are called by the name of their protocol, one or several.
const PROTOCOL: &str = "mcp";
/// Kinds of which a word in the plural asks for all: pages have one by such a name, `docs`.
const LISTED: [Kind; 5] = [Kind::Model, Kind::McpServer, Kind::Skill, Kind::Tutorial, Kind::Tool];

/// Whether a question is one word for several things of a kind: `skills`, `mcp`. In the singular it may be a name.
pub fn is_of_several(words: &[Word<'_>]) -> bool {
    let is_plural = |word: &Word<'_>| word.folded.ends_with('s') || word.folded == PROTOCOL;
    words.len() == 1 && is_plural(&words[0]) && kind_of(words).is_some_and(|kind| LISTED.contains(&kind))
}

/// Where the words for the kind stand in front of a position that say nothing else: `models` of `all models except image models`.
pub fn named_before(words: &[Word<'_>], end: usize, kind: Kind) -> Option<Range<usize>> {
    (0..end).find_map(|at| {
        let (taken, said) = said_at(words, at)?;
        let is_plain = said.kind == kind && !said.topical && !said.leading && !vocabulary::knows(kind, words, at);
        (is_plain && at + taken <= end).then_some(at..at + taken)
    })
}

/// What joins what is said of things to what else is said of them.
const JOINING: [&str; 3] = ["or", "and", "nor"];

/// Marks the word for the kind as understood where it is said a second time, `anthropic models or models under $1`. Behind another word it belongs
/// to that: `mcp servers for web and game servers`.
pub fn take_repeated(words: &mut [Word<'_>], head: Head) {
    let end = head.at + head.taken;
    let Some(said) = words[head.at..end].last().filter(|_| !head.topical).map(|word| word.folded.clone()) else {
        return;
    };
    for at in end + 1..words.len() {
        if words.is(at - 1, &JOINING) && words.is(at, &[&said]) {
            words::take(words, at..at + 1);
        }
    }
}
