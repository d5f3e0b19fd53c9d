//! How much two cards say in the same words: sentences that stand in both, and the share of word triples they have in common.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::Finding;

/// Shorter sentences (headings, table heads, labels) may stand in several cards.
const SENTENCE_WORDS_MIN: usize = 4;

/// Largest share of one card's runs of [`RUN_WORDS`] words that may also stand in another card.
/// The nearest pair of the bundled cards shares 1.4 per cent (turns of phrase, names of other cards); a copied paragraph lifts a
/// pair well above five.
const OVERLAP_MAX: f64 = 0.05;

/// How many words in a row count as said alike.
const RUN_WORDS: usize = 4;

/// Lower-case words of a text; marks, variables' braces and punctuation separate.
pub(super) fn words(text: &str) -> Vec<String> {
    let separated = text.split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '’'));
    separated.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// Sentences of a text: ended by `.`, `!`, `?` before white space, by the end of a line or list item,
/// and by the bars of a table.
fn sentences(text: &str) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for line in text.lines().flat_map(|line| line.split('|')) {
        let mut rest = line;
        while let Some(end) = rest.char_indices().find_map(|(at, c)| {
            let next = rest[at + c.len_utf8()..].chars().next();
            (matches!(c, '.' | '!' | '?') && next.is_none_or(char::is_whitespace)).then_some(at + c.len_utf8())
        }) {
            all.push(words(&rest[..end]));
            rest = &rest[end..];
        }
        all.push(words(rest));
    }
    all.retain(|sentence| sentence.len() >= SENTENCE_WORDS_MIN);
    all
}

/// A finding for every sentence of [`SENTENCE_WORDS_MIN`] or more words that stands in two cards.
pub(super) fn shared_sentences(cards: &[(&str, Vec<&str>)]) -> Vec<Finding> {
    let mut holders: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (file, texts) in cards {
        let own: HashSet<String> =
            texts.iter().flat_map(|text| sentences(text)).map(|sentence| sentence.join(" ")).collect();
        for sentence in own {
            holders.entry(sentence).or_default().push(file);
        }
    }
    let shared = holders.into_iter().filter(|(_, files)| files.len() > 1);
    shared
        .map(|(sentence, files)| Finding {
            file: files[1].to_owned(),
            message: format!("shares the sentence \"{sentence}\" with {}{}", files[0], more(files.len())),
        })
        .collect()
}

fn more(files: usize) -> String {
    if files > 2 { format!(" and {} more", files - 2) } else { String::new() }
}

fn runs(texts: &[&str]) -> HashSet<String> {
    let mut runs = HashSet::new();
    for sentence in texts.iter().flat_map(|text| sentences(text)) {
        runs.extend(sentence.windows(RUN_WORDS).map(|run| run.join(" ")));
    }
    runs
}

/// A finding for every pair of cards whose common runs exceed [`OVERLAP_MAX`] of the shorter card's.
pub(super) fn overlapping_pairs(cards: &[(&str, Vec<&str>)]) -> Vec<Finding> {
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let sets: Vec<HashSet<u32>> = cards
        .iter()
        .map(|(_, texts)| {
            runs(texts)
                .into_iter()
                .map(|run| {
                    let next = numbers.len() as u32;
                    *numbers.entry(run).or_insert(next)
                })
                .collect()
        })
        .collect();
    let mut findings = Vec::new();
    for (at, a) in sets.iter().enumerate() {
        for (other, b) in sets.iter().enumerate().skip(at + 1) {
            let found = a.intersection(b).count() as f64 / a.len().min(b.len()).max(1) as f64;
            if found > OVERLAP_MAX {
                findings.push(Finding {
                    file: cards[other].0.to_owned(),
                    message: format!(
                        "says {:.1} % of its runs of {RUN_WORDS} words as {} does; at most {:.0} % may be alike",
                        found * 100.0,
                        cards[at].0,
                        OVERLAP_MAX * 100.0
                    ),
                });
            }
        }
    }
    findings
}
