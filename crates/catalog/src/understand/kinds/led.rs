//! Words that name a kind only where a question begins, or is asked for such things: `documents in german`, but not `sign documents`.

use super::{SEEKING, is_superlative};
use crate::understand::vocabulary;
use crate::understand::words::{Word, Words, is_participle};
use refdesk_core::Kind;
use refdesk_search::text::is_stop_word;

/// Words before a kind where the question begins all the same. Verbs are none: `search documents` asks for what does it.
const LEADING: [&str; 3] = ["which", "all", "the"];
/// Verbs of asking that are also what a thing does with texts, and words for whom it does that.
const DOING: [&str; 8] = ["search", "searching", "ask", "asking", "compare", "for", "to", "with"];

/// Whether words like `documents` name a kind from `at` to `end`: only what may lead stands before them, or what asks for a thing, and a filter of
/// these texts behind them: `give me documents in german`. `search documents` asks for what does it.
pub fn is_led(words: &[Word<'_>], at: usize, end: usize, kind: Kind) -> bool {
    let asks =
        |word: &Word<'_>| (SEEKING.contains(&word.folded.as_str()) || is_stop_word(&word.folded)) && !word.is(&DOING);
    // `documents that are written in german`
    let links = |word: &Word<'_>| word.is(&["that", "which", "are", "available"]) || is_participle(&word.folded);
    let filter = end + words[end..].iter().take_while(|word| links(word)).count();
    (0..at).all(|before| may_lead(words, before, kind))
        || vocabulary::knows(kind, words, filter)
            && (0..at).all(|before| may_lead(words, before, kind) || asks(&words[before]))
}

/// Whether a word may come before one like `documents`, which names a kind only at the start of a question: `all documents`,
/// `japanese documents`, `newest documents`.
fn may_lead(words: &[Word<'_>], at: usize, kind: Kind) -> bool {
    words.is(at, &LEADING) || is_superlative(&words[at].folded) || vocabulary::knows(kind, words, at)
}
