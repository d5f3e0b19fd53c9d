//! A programming language that is called by a stop word: `mcp servers in go`, `go library for agents`. No field says it, and it is searched for.

use crate::understand::reading::Reading;
use refdesk_search::text::is_language;

/// How the language is searched for, so that it is none of the words that say nothing.
const IN_LANGUAGE: &str = "in go";

/// Reads the name of such a language at a position, with the preposition before it.
pub fn parse(reading: &mut Reading<'_>, at: usize) -> bool {
    let folded = |at: Option<usize>| at.and_then(|at| reading.words.get(at)).map_or("", |word| word.folded.as_str());
    // `not in go` is no reason to look for it.
    if !is_language(folded(at.checked_sub(1)), folded(Some(at)), folded(Some(at + 1)))
        || (0..at).any(|before| reading.negates(before))
    {
        return false;
    }
    let is_introduced = reading.is_behind(at, &["in", "with", "using"]);
    reading.instead.push(IN_LANGUAGE);
    reading.take(at - usize::from(is_introduced)..at + 1);
    true
}
