//! What models are called by in front of the word for them: `image models`, `non-chat models`, `realtime models`.

use super::{ADDING, LACKING, OTHER_THAN_CHAT, PDF, TEXT, modality_of};
use crate::understand::leaning::leans;
use crate::understand::reading::Reading;
use crate::understand::rest::is_said_anyway;
use crate::understand::words::Words as _;
use refdesk_search::text::word_array;

/// What asks for what stands behind it, where `please search` does that itself.
const ASKING_FOR: [&str; 11] = word_array("list find show me get the all any which what some");
/// What such models are called once more, `models that are not image models`: what they are not stands in front of it.
const MODELS: [&str; 2] = ["model", "models"];

/// Reads it at a position. Models that are not called so are those of all other modes, or without that modality.
pub(super) fn before_kind(reading: &mut Reading<'_>, at: usize) -> bool {
    let is_again = reading.is(at + 1, &MODELS);
    // `image to text models`
    let is_made_of_other = reading.is_behind(at, &["to", "into"]);
    if !(is_again || reading.is_before_kind(at + 1)) || is_made_of_other || reading.word(at).is_none() {
        return false;
    }
    let negation = reading.negation_before_name(at);
    let is_lacked = negation > 0 && reading.is(at - negation, &LACKING);
    if is_lacked || is_again && negation == 0 {
        return false;
    }
    // `vision and audio models` see and hear.
    let is_beside_vision =
        at > 1 && reading.is(at - 1, &ADDING) && reading.words[at - 2].used && reading.words[at - 2].is(&["vision"]);
    let seen = modality_of(&reading.words[at].folded).filter(|_| is_beside_vision);
    // What embeds or ranks does not answer: the word says what it does that with, `text embedding models`.
    let is_text_of_mode = seen.is_none() && reading.has("model_mode") && negation == 0;
    if is_text_of_mode {
        if !reading.is(at, &[TEXT]) {
            return false;
        }
    } else {
        let called = seen.map(|modality| ("input_modalities", modality)).or_else(|| called(reading, at));
        let Some((name, value)) = called else { return false };
        match (name, negation) {
            (_, 0) => reading.set(name, value),
            ("model_mode__not", _) if reading.is(at, &[TEXT]) => reading.set("output_modalities__not", TEXT),
            ("model_mode__not", _) => reading.set("model_mode", value),
            _ => reading.set(&format!("{name}__not"), value),
        }
    }
    let start = at - negation.max(usize::from(seen.is_some()));
    reading.take(start..at + 1 + usize::from(is_again));
    reading.note_negated(negation, at + 1);
    true
}

/// The parameter of models that are called by the word at a position.
fn called<'a>(reading: &Reading<'a>, at: usize) -> Option<(&'static str, &'a str)> {
    let word = reading.word(at)?;
    if ["chat", TEXT, "conversational"].contains(&word) {
        return Some(("model_mode__not", OTHER_THAN_CHAT));
    }
    match modality_of(word) {
        // A voice model is one to talk with as well, and tells that by its texts.
        Some("audio") if word.starts_with("voice") => None,
        // Those that listen are meant as well as those that speak.
        Some("audio") => Some(("model_mode", "audio")),
        Some(PDF) => None,
        Some(modality) => Some(("output_modalities", modality)),
        None => Some(("model_mode", mode(reading, at)?)),
    }
}

/// The mode that is called as the catalog calls it: `realtime models`. Some of them are words of asking where a question begins: `search
/// models from openai`, but `cheap search models`.
fn mode<'a>(reading: &Reading<'a>, at: usize) -> Option<&'a str> {
    let said = reading.word(at)?.replace('-', "");
    let is_noun = || {
        let before = at.checked_sub(1).map(|before| &reading.words[before]);
        before.is_some_and(|before| before.used || leans(&before.folded) || before.is(&ASKING_FOR))
            && reading.is_of_several()
    };
    reading.values("model_mode").find(|mode| *mode == said).filter(|_| !is_said_anyway(&reading.words[at]) || is_noun())
}
