//! Which kind of thing a question means: `mcp server to read mail`, `vision model tutorial`.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::words::{self, Phrases, Word, is_unspaced, table};
use refdesk_core::Kind;

/// Kinds by what they are called; none for phrases that say nothing.
static KINDS: LazyLock<Phrases<Option<Kind>>> = LazyLock::new(|| {
    let rows = table(include_str!("kinds.txt"));
    Phrases::new(rows.flat_map(|row| {
        let kind = Kind::ALL.into_iter().find(|kind| kind.search_type() == row[0]);
        row[1].split(',').map(move |phrase| (phrase.trim(), kind))
    }))
});

/// Words of scripts that have no blanks between words; they are looked for within longer ones.
static UNSPACED: LazyLock<Vec<(&str, Kind)>> = LazyLock::new(|| {
    let unspaced = KINDS.single_words().filter(|(word, _)| word.chars().any(is_unspaced));
    let mut words: Vec<(&str, Kind)> = unspaced.filter_map(|(word, kind)| Some((word, (*kind)?))).collect();
    words.sort_unstable_by_key(|(word, _)| (std::cmp::Reverse(word.len()), *word));
    words
});

/// What comes after these words of a question says more about the thing, and is not the thing itself.
static AFTER_HEAD: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    words::set(
        "for to about on with without that which who of in into from using under over by via as at like and or \
         para con sin sobre de del da do das dos que pour avec sans sur du des qui fur mit ohne uber von zum zur das die der \
         для с без о об из на который которая per senza con su",
    )
});

/// A question that starts so asks for knowledge and not for a thing of a kind.
static ASKS_FOR_KNOWLEDGE: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    words::set(
        "how why explain build building create creating write writing make develop install configure setup deploy train test \
         testing debug publish",
    )
});

/// A kind, and the words that say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The kind that is meant.
    pub kind: Kind,
    /// Position of the first word that says so.
    pub at: usize,
    /// How many words say it; none when it is a part of a longer word.
    pub taken: usize,
}

/// The kind that a question means: its head noun, which is the last before the words that only describe it.
pub fn head(words: &[Word<'_>]) -> Option<Head> {
    if words.first().is_some_and(|word| ASKS_FOR_KNOWLEDGE.contains(&word.folded.as_str())) {
        return None;
    }
    let (mut head, mut at, mut described) = (None, 0, false);
    while at < words.len() {
        if let Some((taken, kind)) = KINDS.at(words, at, |_| true) {
            if let Some(kind) = kind
                && (!described || head.is_none())
            {
                head = Some(Head { kind: *kind, at, taken });
            }
            at += taken;
            continue;
        }
        described |= AFTER_HEAD.contains(words[at].folded.as_str());
        at += 1;
    }
    head.or_else(|| {
        let (at, kind) = words.iter().enumerate().find_map(|(at, word)| {
            let word = word.folded.as_str();
            UNSPACED.iter().find(|(part, _)| word.contains(part)).map(|(_, kind)| (at, *kind))
        })?;
        Some(Head { kind, at, taken: 0 })
    })
}
