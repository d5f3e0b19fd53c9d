//! Three baselines to evaluate the router against: plain BM25 (Robertson et al. 1994) over the whole card, names only, and chance.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::Card;
use crate::text::tokenize;

/// The usual parameters of BM25.
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// Ranks cards for a question: their positions, best first; cards without a score are left out.
pub(super) type Ranking = Box<dyn Fn(&str) -> Vec<usize>>;

fn published(cards: &[Card]) -> impl Iterator<Item = (usize, &Card)> {
    cards.iter().enumerate().filter(|(_, card)| card.published)
}

/// The whole card as one text.
fn whole(card: &Card) -> String {
    let framework = &card.framework;
    let aliases = card.aliases.join(" ");
    let mut out = vec![card.name.as_str(), &aliases];
    out.extend(framework.texts());
    out.extend(framework.output.as_ref().map(|output| output.artifact.as_str()));
    out.join("\n")
}

/// Plain BM25 over stems of the whole card, stop words kept, as a search engine does by default.
pub(super) fn plain_bm25(cards: &[Card]) -> Ranking {
    let mut bags: Vec<(usize, BTreeMap<String, f32>)> = Vec::new();
    for (at, card) in published(cards) {
        let mut bag = BTreeMap::new();
        for token in whole(card).lines().flat_map(|line| tokenize(line).tokens) {
            *bag.entry(token.stem).or_insert(0.0_f32) += 1.0;
        }
        bags.push((at, bag));
    }
    let length_of = |bag: &BTreeMap<String, f32>| bag.values().sum::<f32>();
    let total = bags.len() as f32;
    let mean = (bags.iter().map(|(_, bag)| length_of(bag)).sum::<f32>() / total.max(1.0)).max(1.0);
    let mut postings: HashMap<String, Vec<(usize, f32)>> = HashMap::new();
    for (at, bag) in bags {
        let length = length_of(&bag);
        for (stem, count) in bag {
            let value = count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length / mean));
            postings.entry(stem).or_default().push((at, value));
        }
    }
    for list in postings.values_mut() {
        let idf = (1.0 + (total - list.len() as f32 + 0.5) / (list.len() as f32 + 0.5)).ln();
        for (_, value) in list {
            *value *= idf;
        }
    }
    Box::new(move |question: &str| {
        let mut scores: BTreeMap<usize, f32> = BTreeMap::new();
        for token in tokenize(question).tokens {
            for (card, value) in postings.get(&token.stem).into_iter().flatten() {
                *scores.entry(*card).or_default() += value;
            }
        }
        by_score(scores)
    })
}

fn by_score(scores: BTreeMap<usize, f32>) -> Vec<usize> {
    let mut out: Vec<(usize, f32)> = scores.into_iter().collect();
    out.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    out.into_iter().map(|(card, _)| card).collect()
}

/// Cards by the share of their name's words that the question holds.
pub(super) fn name_match(cards: &[Card]) -> Ranking {
    let stems_of =
        |text: &str| -> HashSet<String> { tokenize(text).tokens.into_iter().map(|token| token.stem).collect() };
    let mut names: Vec<(usize, HashSet<String>)> = Vec::new();
    for (at, card) in published(cards) {
        let of_card = std::iter::once(&card.name).chain(&card.aliases).map(|name| (at, stems_of(name)));
        names.extend(of_card.filter(|(_, stems)| !stems.is_empty()));
    }
    Box::new(move |question: &str| {
        let stems = stems_of(question);
        let mut scores: BTreeMap<usize, f32> = BTreeMap::new();
        for (card, name) in &names {
            let share = name.iter().filter(|stem| stems.contains(*stem)).count() as f32 / name.len() as f32;
            // Half of a name is no name.
            if share > 0.5 {
                let slot = scores.entry(*card).or_default();
                *slot = slot.max(share);
            }
        }
        by_score(scores)
    })
}

/// A shuffle seeded by the question: the same each run.
pub(super) fn chance(cards: &[Card]) -> Ranking {
    let cards: Vec<usize> = published(cards).map(|(at, _)| at).collect();
    Box::new(move |question: &str| {
        let digest = refdesk_core::hash::content_hash(question.as_bytes());
        let mut state = digest
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let mut out = cards.clone();
        for at in (1..out.len()).rev() {
            // xorshift64
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            out.swap(at, (state % (at as u64 + 1)) as usize);
        }
        out
    })
}
