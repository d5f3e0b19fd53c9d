//! Questions about a kind of thing, which ask for none of it: `mcp vs function calling`, `do I need a skill`.

use super::guide::{introduced, only_explains};
use super::said_at;
use crate::understand::words::{PhraseRows, Word, Words};
use refdesk_core::Kind;

/// What asks about a kind of thing that follows …
static BEFORE_KIND: PhraseRows<()> =
    PhraseRows::new(&[("when should i use,when to use,should i use,do i need,pros and cons of", ())]);
/// … and what does so within a question.
static DIFFERENCES: PhraseRows<()> = PhraseRows::new(&[("difference between,differences between", ())]);
/// What stands between things that are weighed against each other.
const AGAINST: [&str; 2] = ["vs", "versus"];

/// Where the word for a kind stands that a question weighs or introduces.
pub fn weighed(words: &[Word<'_>]) -> Option<usize> {
    let differs = || (0..words.len()).find_map(|at| DIFFERENCES.end_at(words, at));
    let before = BEFORE_KIND.end_at(words, 0).or_else(|| introduced(words)).or_else(differs);
    if let Some((at, ..)) = before.and_then(|at| kind_at(words, at)) {
        return Some(at);
    }
    // `mcp explained`; `models overview` is a list.
    if let Some((at, end, kind)) = kind_at(words, 0)
        && kind != Kind::Model
        && end < words.len()
        && only_explains(words, end)
    {
        return Some(at);
    }
    // `mcp prompts vs resources vs tools`
    (0..words.len()).filter(|at| words.is(*at, &AGAINST)).find_map(|against| {
        let before = (0..against).find_map(|at| kind_at(words, at).filter(|(_, end, _)| *end == against));
        before.or_else(|| kind_at(words, against + 1)).map(|(at, ..)| at)
    })
}

/// Where words for a kind begin and end at a position, or behind an article there, and which they say.
fn kind_at(words: &[Word<'_>], at: usize) -> Option<(usize, usize, Kind)> {
    let at = words.past(at, &["a", "an", "the"]);
    let (taken, said) = said_at(words, at)?;
    Some((at, at + taken, said.kind))
}
