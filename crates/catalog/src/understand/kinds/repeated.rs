//! A word for the kind that is said a second time: `anthropic models or models under $1`.

use super::{Head, said_at};
use crate::understand::vocabulary;
use crate::understand::words::{self, Word, Words};

/// What joins what is said of things to what else is said of them.
const JOINING: [&str; 3] = ["or", "and", "nor"];

/// Marks such words as understood, which say nothing more. Behind another word they belong to that: `mcp servers for web and game servers`.
pub fn take_repeated(words: &mut [Word<'_>], head: Head) {
    for at in head.at + head.taken.max(1)..words.len() {
        if !words.is(at - 1, &JOINING) || vocabulary::knows(head.kind, words, at) {
            continue;
        }
        let Some((taken, said)) = said_at(words, at) else { continue };
        if said.kind == head.kind && !said.topical && !said.leading {
            words::take(words, at..at + taken);
        }
    }
}
