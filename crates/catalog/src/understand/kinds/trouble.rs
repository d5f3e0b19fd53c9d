//! What is wrong with a thing of a kind: `mcp server not found`, `tools are not showing up`, `mcp error -32602`. Who tells that
//! looks for what explains it, and not for such a thing.

use super::OWN;
use crate::understand::reading::negates_verb;
use crate::understand::words::{Word, Words};
use refdesk_search::text::word_array;

/// What asks which things are so, and reports of none.
const ASKING_WHICH: [&str; 5] = ["which", "what", "list", "show", "find"];
/// What stands between a thing and what it does not do.
const AUXILIARIES: [&str; 7] = ["is", "are", "was", "were", "do", "does", "did"];
/// What a thing should do and does not …
const WORKING: [&str; 26] = word_array(
    "found work works working respond responding recognized recognised show showing shown load loading start starting \
     connect connecting appear appearing detected invoked executed visible reachable exist existing",
);
/// … and what it does in place of that.
const FAILING: [&str; 10] =
    ["fails", "failed", "failing", "crashes", "crashed", "crashing", "hangs", "disconnects", "disconnected", "exits"];
/// What it ends with, if nothing follows that it is a part of: an `mcp error` is one, `mcp error handling` is a topic …
const ERRORS: [&str; 5] = ["error", "errors", "exception", "timeout", "timeouts"];
/// … as these do not.
const BEHIND_ERROR: [&str; 12] =
    ["code", "message", "when", "while", "after", "with", "on", "in", "from", "because", "but", "and"];

/// Whether what stands behind the words for a kind tells what is wrong with it.
pub fn is_in_trouble(words: &[Word<'_>], end: usize) -> bool {
    if words.is(0, &ASKING_WHICH) {
        return false;
    }
    let verb = words.past(end, &AUXILIARIES);
    let is_called = || words.is(verb + 1, &["called"]) && words.is(verb + 2, &["by"]);
    let is_idle = words.get(verb).is_some_and(|verb| !verb.used && negates_verb(&verb.folded))
        && (words.is(verb + 1, &WORKING) || is_called());
    let is_number = |word: &Word<'_>| word.folded.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    let ends = |next: Option<&Word<'_>>| next.is_none_or(|next| is_number(next) || next.is(&BEHIND_ERROR));
    let is_error = words.is(end, &ERRORS) && (words[end].ends_clause || ends(words.get(end + 1)));
    is_idle || words.is(verb, &FAILING) || is_error
}

/// Whether the words in front of a thing, the last of them first, say that one's own is not found: `does not see my`.
pub fn is_missed<'w>(mut before: impl Iterator<Item = &'w str>) -> bool {
    before.next().is_some_and(|word| OWN.contains(&word)) && before.nth(1).is_some_and(negates_verb)
}
