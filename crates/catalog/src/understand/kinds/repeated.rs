//! The word for the kind, said a second time: `anthropic models or models under $1`.

use super::Head;
use crate::understand::words::{self, Word, Words};

/// What joins what is said of things to what else is said of them.
const JOINING: [&str; 3] = ["or", "and", "nor"];

/// Marks it as understood where it says nothing more. Behind another word it belongs to that: `mcp servers for web and game servers`.
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
