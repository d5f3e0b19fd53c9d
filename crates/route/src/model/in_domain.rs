//! An in-domain classifier: naive Bayes log-odds of whether a question is one that a way of working answers, or an everyday request.
//!
//! In-domain are the cards' own example questions and short requests of their kind (`in_domain.txt`), out of domain the background requests
//! of `out_of_domain.txt`. Features are unigrams and bigrams, stop words included: the form of asking says most. Not a list of topics, nor of
//! cards: a question that names a card is weighed by what it says beside the name (`naming_in_domain.txt`, `naming_out_of_domain.txt`), in
//! which all names are one word. `run a premortem on our launch` asks for what some card does, `who invented the premortem` for a fact about it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use refdesk_core::codec::{TextList, packed};
use refdesk_core::text::listed_lines;
use serde::{Deserialize, Serialize};

use crate::Card;
use crate::cards::names::{NameMention, is_clear};
use crate::data::{IN_DOMAIN, NAMING_IN_DOMAIN, NAMING_OUT_OF_DOMAIN, OUT_OF_DOMAIN};
use crate::text::{TokenizedText, is_stop_word, tokenize};

/// Additive (Lidstone) smoothing.
const SMOOTHING: f32 = 0.5;
/// Most that one feature adds.
const LOG_ODDS_MAX: f32 = 2.0;
/// Features with smaller log-odds are left out: both sides use them about alike, and they would only take memory.
const LOG_ODDS_MIN: f32 = 0.1;
/// Keeps the ratio of both sides defined where there is next to nothing on one of them.
const RATIO_MIN: f32 = 1e-3;

/// A published card with fewer examples, such as an operator's own, is also known by so many of its situations as are missing: the words of
/// its subject would else be those of everyday requests, as `dog` and `cat` are for a veterinary clinic.
const EXAMPLES_MIN: usize = 6;

/// Stands for the name of any card, in the training requests and among the features. Stems are in lower case.
const ANY_NAME: &str = "NAME";

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct InDomainClassifier {
    /// For questions that name no card.
    plain: LogOdds,
    /// For those that do.
    naming: LogOdds,
}

/// Log-odds of the features of some texts.
#[derive(Debug, Default, Serialize, Deserialize)]
struct LogOdds {
    /// Sorted.
    features: TextList,
    /// Of each feature: positive for in-domain questions.
    #[serde(with = "packed")]
    log_odds: Vec<f32>,
}

/// The features of a text, whether it names a card, and whether it is in-domain.
struct TrainingText {
    features: Vec<String>,
    is_naming: bool,
    in_domain: bool,
}

impl InDomainClassifier {
    /// The training requests that come with the program, each with whether it is in-domain: first those that name no card, then those that do.
    pub(crate) fn requests() -> impl Iterator<Item = (&'static str, bool)> {
        let of = |list: &'static str, in_domain: bool| listed_lines(list).map(move |line| (line, in_domain));
        of(OUT_OF_DOMAIN, false)
            .chain(of(IN_DOMAIN, true))
            .chain(of(NAMING_OUT_OF_DOMAIN, false))
            .chain(of(NAMING_IN_DOMAIN, true))
    }

    /// The words of everyday requests, as the stemmer leaves them.
    pub(crate) fn everyday_words() -> BTreeSet<String> {
        listed_lines(OUT_OF_DOMAIN).flat_map(|line| tokenize(line).tokens).map(|token| token.stem).collect()
    }

    /// Trains on the cards' examples and on those requests that `keep` selects.
    pub(crate) fn train(cards: &[Card], keep: &dyn Fn(usize) -> bool) -> Self {
        let mut texts: Vec<TrainingText> = Vec::new();
        let mut add = |line: &str, in_domain: bool| {
            let text = tokenize(line);
            let stands_for_name = |at: &usize| line.get(text.tokens[*at].start..text.tokens[*at].end) == Some(ANY_NAME);
            let names: Vec<Range<usize>> =
                (0..text.tokens.len()).filter(stands_for_name).map(|at| at..at + 1).collect();
            texts.push(TrainingText { features: features(&text, &names), is_naming: !names.is_empty(), in_domain });
        };
        for card in cards {
            let framework = &card.framework;
            let missing =
                if card.published { EXAMPLES_MIN.saturating_sub(framework.example_questions.len()) } else { 0 };
            let situations = framework.when_to_use.iter().take(missing);
            let anti = framework.anti_examples.iter().map(|anti| &anti.question);
            framework.example_questions.iter().chain(situations).chain(anti).for_each(|text| add(text, true));
        }
        for (_, (line, in_domain)) in Self::requests().enumerate().filter(|(at, _)| keep(*at)) {
            add(line, in_domain);
        }
        let naming = LogOdds::new(&texts);
        texts.retain(|text| !text.is_naming);
        Self { plain: LogOdds::new(&texts), naming }
    }

    /// Log-odds of a text, normalised by the square root of its length: above zero for in-domain questions.
    pub(crate) fn score(&self, text: &TokenizedText, mentions: &[NameMention]) -> f32 {
        let names: Vec<Range<usize>> =
            mentions.iter().filter(|mention| is_clear(mention)).map(|mention| mention.from..mention.to).collect();
        let log_odds = if names.is_empty() { &self.plain } else { &self.naming };
        log_odds.score(&features(text, &names))
    }

    /// Whether the training requests or examples have a word: it is not a misspelt one.
    pub(crate) fn knows(&self, stem: &str) -> bool {
        self.plain.features.find(stem).is_some()
    }

    /// Whether each feature has its log-odds.
    pub(crate) fn is_sound(&self) -> bool {
        [&self.plain, &self.naming]
            .iter()
            .all(|part| part.features.is_sound() && part.features.len() == part.log_odds.len())
    }
}

impl LogOdds {
    fn new(texts: &[TrainingText]) -> Self {
        let mut counts: BTreeMap<&str, [f32; 2]> = BTreeMap::new();
        let (mut all, mut naming) = ([0.0_f32; 2], [0.0_f32; 2]);
        for text in texts {
            let side = usize::from(!text.in_domain);
            all[side] += 1.0;
            naming[side] += f32::from(u8::from(text.is_naming));
            for feature in &text.features {
                counts.entry(feature).or_default()[side] += 1.0;
            }
        }
        // Features count by the share of texts that have them, those with a name by the share of the texts that name a card, since the
        // examples of cards do not; smoothing draws rare ones to zero.
        let ratio_of = |texts: [f32; 2]| (texts[0].max(1.0) / texts[1].max(1.0)).max(RATIO_MIN);
        let (ratio_of_all, ratio_of_naming) = (ratio_of(all), ratio_of(naming));
        let log_odds: BTreeMap<&str, f32> = counts
            .into_iter()
            .map(|(feature, [inside, outside])| {
                let has_name = feature.split(' ').any(|word| word == ANY_NAME);
                let ratio = if has_name { ratio_of_naming } else { ratio_of_all };
                let odds = ((inside + SMOOTHING * ratio) / (ratio * (outside + SMOOTHING))).ln();
                (feature, odds.clamp(-LOG_ODDS_MAX, LOG_ODDS_MAX))
            })
            .filter(|(_, odds)| odds.abs() > LOG_ODDS_MIN)
            .collect();
        let features = log_odds.keys().copied().collect();
        Self { features, log_odds: log_odds.into_values().collect() }
    }

    fn score(&self, features: &[String]) -> f32 {
        let count = features.len().max(1) as f32;
        let sum: f32 =
            features.iter().filter_map(|feature| Some(self.log_odds[self.features.find(feature)? as usize])).sum();
        sum / count.sqrt()
    }
}

/// Unigrams, bigrams and the first word; all numbers are one word, and so are all names of cards.
fn features(text: &TokenizedText, names: &[Range<usize>]) -> Vec<String> {
    let name_at = |at: usize| names.iter().find(|name| name.contains(&at));
    let word = |at: usize| -> &str {
        let folded = text.tokens[at].folded.as_str();
        if name_at(at).is_some() {
            ANY_NAME
        } else if folded.bytes().any(|byte| byte.is_ascii_digit()) {
            "0"
        } else {
            text.tokens[at].stem.as_str()
        }
    };
    // Function words of another language that have no translation would weigh languages, not forms.
    let is_read = |at: &usize| {
        let token = &text.tokens[*at];
        match name_at(*at) {
            Some(name) => name.start == *at,
            None => !text.foreign || !token.stop || is_stop_word(&token.folded),
        }
    };
    let read: Vec<usize> = (0..text.tokens.len()).filter(is_read).collect();
    let mut out = Vec::with_capacity(read.len() * 2 + 2);
    out.extend(read.iter().map(|at| word(*at).to_owned()));
    for pair in read.windows(2) {
        if text.tokens[pair[0]].sentence == text.tokens[pair[1]].sentence {
            out.push(format!("{} {}", word(pair[0]), word(pair[1])));
        }
    }
    if let Some(first) = read.first() {
        out.push(format!("^ {}", word(*first)));
    }
    out.sort_unstable();
    out.dedup();
    out
}
