//! Servers of which an entry states nothing by which it could meet others: no package, no address, no repository. Lists copy each other's
//! words and lose the links, so it is the server that is called alike and described in the same words.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::super::names::telling_words;
use super::KeyedFact;
use refdesk_core::cooperative;
use refdesk_search::text::{Stemmers, folded, is_stop_word};

/// Fewest words that two descriptions have in common, besides the name.
const WORDS_MIN: usize = 4;
/// Of so many words of the shorter description the other has at least so many.
const OF_WORDS: usize = 6;
const SHARED_OF_WORDS: usize = 5;

/// Most entries of one name whose words are compared, each with each other. What more are called tells none of them from another.
const NAMESAKES_MAX: usize = 200;

/// Each entry without a key, with the entry that it is one with. `item` tells which entries are one already. Those with a key come first,
/// and then those that share the most words; where two items do, it is none of them.
pub(super) fn described_alike(entries: &[KeyedFact<'_>], item: impl Fn(usize) -> usize) -> Vec<(usize, usize)> {
    let mut called: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (position, entry) in cooperative::yielding(entries).enumerate() {
        let name = folded(&entry.fact.head.name);
        called.entry(telling_words(&name).join(" ")).or_default().push(position);
    }
    let is_keyless = |position: &usize| entries[*position].keys.is_empty();
    called.retain(|name, alike| {
        !name.is_empty() && (2..=NAMESAKES_MAX).contains(&alike.len()) && alike.iter().any(is_keyless)
    });
    let stemmers = Stemmers::default();
    let mut found = Vec::new();
    for alike in cooperative::yielding(called.values()) {
        let said: Vec<BTreeSet<String>> =
            alike.iter().map(|position| description(&entries[*position], &stemmers)).collect();
        for (keyless, own) in alike.iter().zip(&said).filter(|(position, _)| is_keyless(position)) {
            let others = alike.iter().zip(&said).filter(|(other, _)| *other != keyless);
            let mut others: Vec<_> = others
                .filter_map(|(other, words)| {
                    let shared = own.intersection(words).count();
                    let least = own.len().min(words.len());
                    (shared >= WORDS_MIN && shared * OF_WORDS >= least * SHARED_OF_WORDS)
                        .then(|| (is_keyless(other), Reverse(shared), *other))
                })
                .collect();
            others.sort_unstable();
            let Some((is_as_keyless, shared, best)) = others.first().copied() else { continue };
            let is_rival = |(keyless, as_many, other): &(bool, Reverse<usize>, usize)| {
                !*keyless && *as_many == shared && item(*other) != item(best)
            };
            if is_as_keyless || !others.iter().any(is_rival) {
                found.push((*keyless, best));
            }
        }
    }
    found
}

/// The stems of the words of a description that tell it from others, besides those of the name.
fn description(entry: &KeyedFact<'_>, stemmers: &Stemmers) -> BTreeSet<String> {
    let stems = |text: &str| -> BTreeSet<String> {
        let told = telling_words(text).into_iter().filter(|word| !is_stop_word(word));
        told.map(|word| stemmers.stem(word).into_owned()).collect()
    };
    let description = entry.fact.fields.top_level_text("description").unwrap_or_default();
    let (description, name) = (stems(&folded(&description)), stems(&folded(&entry.fact.head.name)));
    description.difference(&name).cloned().collect()
}
