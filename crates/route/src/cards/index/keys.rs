//! Terms of a text as they are indexed: stems, concepts of the thesaurus, and pairs of neighbouring words (bigrams over stop words).

use super::CardIndex;
use crate::text::TokenizedText;
use crate::text::concepts::{CONCEPTS, ConceptMatch};

/// Part of a setting's weight that its concept has beside its words: a setting says where somebody asks, not what for.
const SETTING_SHARE: f32 = 0.5;
/// Words are a pair that are no further apart than this, with at most two stop words between them: `order of the steps`.
const PAIR_DISTANCE_MAX: usize = 3;

#[derive(Debug)]
pub(super) struct TextKey {
    /// As the vocabulary has it.
    pub key: String,
    /// Weight by kind of term.
    pub weight: f32,
    /// First token.
    pub from: usize,
    /// Token after the last.
    pub to: usize,
}

/// What the thesaurus knows of a token.
#[derive(Debug, Clone, Copy, Default)]
struct TokenMeaning {
    /// It is part of a setting.
    setting: bool,
    /// It is part of another concept.
    concept: bool,
}

/// Key of a concept in the vocabulary: no stem holds a tilde.
pub(super) fn concept_key(concept: u16) -> String {
    format!("~{concept}")
}

impl CardIndex {
    /// Keys of a text: stems, concepts and pairs.
    pub(super) fn keys(&self, text: &TokenizedText) -> Vec<TextKey> {
        let hyperparameters = self.hyperparameters;
        let concepts = &*CONCEPTS;
        let mut out = Vec::new();
        let found: Vec<ConceptMatch> = concepts.find(text);
        let mut known = vec![TokenMeaning::default(); text.tokens.len()];
        for hit in &found {
            let setting = concepts.setting[usize::from(hit.concept)];
            for token in &mut known[hit.from..hit.to] {
                if setting { token.setting = true } else { token.concept = true }
            }
            let weight = if setting {
                hyperparameters.concept * hyperparameters.setting * SETTING_SHARE
            } else {
                hyperparameters.concept
            };
            out.push(TextKey { key: concept_key(hit.concept), weight, from: hit.from, to: hit.to });
        }
        let mut before: Option<usize> = None;
        for (at, token) in text.tokens.iter().enumerate() {
            if token.stop {
                continue;
            }
            let weight = match (known[at].setting, known[at].concept) {
                (true, false) => hyperparameters.setting,
                (_, true) => hyperparameters.known_stem,
                (false, false) => 1.0,
            };
            out.push(TextKey { key: token.stem.clone(), weight, from: at, to: at + 1 });
            if let Some(previous) = before
                && at - previous <= PAIR_DISTANCE_MAX
            {
                let key = format!("{} {}", text.tokens[previous].stem, token.stem);
                out.push(TextKey { key, weight: hyperparameters.pair, from: previous, to: at + 1 });
            }
            before = Some(at);
        }
        out
    }
}
