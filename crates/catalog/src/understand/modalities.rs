//! What models take and give, said with a verb: `that reads pdfs`, `generates images`.

use std::ops::Range;

use super::reading::Reading;
use super::words::{self, Word};
use refdesk_core::Kind;
use refdesk_core::field::escaped;

/// Verbs of taking and of giving, without endings.
const TAKES: [&str; 11] =
    ["accept", "take", "read", "see", "understand", "hear", "watch", "process", "handle", "analys", "support"];
const GIVES: [&str; 8] = ["generat", "produc", "mak", "creat", "draw", "output", "render", "return"];
/// Nouns, without a plural, and what they are called among the modalities.
const NOUNS: [(&str, &str); 8] = [
    ("image", "image"),
    ("picture", "image"),
    ("photo", "image"),
    ("screenshot", "image"),
    ("video", "video"),
    ("audio", "audio"),
    ("speech", "audio"),
    ("pdf", PDF),
];
/// Models read these, and none gives any.
const PDF: &str = "pdf";
/// Most models read and give it: it counts where it is all that they give.
const TEXT: &str = "text";

/// Modes of models that do not answer in text. Many that do have no mode.
pub const OTHER_THAN_CHAT: &str = "audio,embedding,image,moderation,ocr,realtime,rerank,search,vector_store,video";

/// What a noun in the singular is called among the modalities.
fn modality_of(noun: &str) -> Option<&'static str> {
    NOUNS.iter().find(|(name, _)| *name == noun).map(|(_, modality)| *modality)
}

/// The parameter of models that answer as those of a mode do.
pub fn of_mode(mode: Option<&str>) -> (String, String) {
    match mode.unwrap_or("chat") {
        "chat" | "completion" => ("model_mode__not".to_owned(), OTHER_THAN_CHAT.to_owned()),
        mode => ("model_mode".to_owned(), escaped(mode)),
    }
}

/// Reads a verb and its object at a position.
pub fn parse(reading: &mut Reading<'_>, at: usize) -> bool {
    if reading.kind != Kind::Model {
        return false;
    }
    if before_kind(reading, at) || before_read(reading, at) {
        return true;
    }
    let Some(verb) = reading.words.get(at) else { return false };
    let is_form_of = |stems: &[&str]| {
        let endings = stems.iter().filter_map(|stem| verb.folded.strip_prefix(stem));
        endings.into_iter().any(|ending| matches!(ending, "" | "e" | "s" | "es" | "ing" | "ed" | "ze" | "zes"))
    };
    let (takes, gives) = (is_form_of(&TAKES), is_form_of(&GIVES));
    if !takes && !gives {
        return false;
    }
    let between = ["a", "an", "the", "and", "both", "either", "also", "short", "long", "my", "your", "for"];
    let object = reading.end_of(at + 1, &between);
    let Some(noun) = reading.words.get(object).filter(|word| !word.used) else { return false };
    let noun = noun.folded.trim_end_matches('s');
    let known = modality_of(noun);
    // `output text`, but not `generate text embeddings`, nor `do not output text`: what gives other things as well gives it, too.
    let is_text = || {
        let is_last = reading.words.len() == object + 1;
        gives && noun == TEXT && object == at + 1 && is_last && reading.negation_before(at) == 0
    };
    let Some(modality) = known.or_else(|| is_text().then_some(TEXT)) else { return false };
    let negation = reading.negation_before(at);
    // `supports audio output`
    let is_output = reading.is(object + 1, &["output", "outputs", "generation"]);
    if !takes && modality == PDF || takes && is_output {
        return false;
    }
    // Not by their mode: of many that give images or videos no source tells one, and that of speech is also of those that only listen.
    let name = if takes { "input_modalities" } else { "output_modalities" };
    let name = if negation > 0 { format!("{name}__not") } else { name.to_owned() };
    reading.set(&name, modality);
    // `accepts audio input`
    let tail = usize::from(is_output || reading.is(object + 1, &["input", "inputs", "file", "files"]));
    let mut end = object + 1 + tail;
    // `accepts pdf and images`
    while let Some((modality, next)) = joined_noun(reading, end).filter(|_| takes && negation == 0) {
        if reading.is(end, &["or"]) {
            warn_of_both(reading, end + 1..next);
        }
        reading.set(&name, modality);
        end = next;
    }
    reading.take(at - negation..end);
    true
}

/// Warns that what `or` joins, in some words, is asked for together.
pub fn warn_of_both(reading: &mut Reading<'_>, joined: Range<usize>) {
    let joined = words::text(&reading.words[joined]);
    reading.warn(format!("`or {joined}` is read as `and`: no filter asks for either"));
}

/// What joins modalities.
const JOINING: [&str; 4] = ["and", "plus", "&", "or"];

/// Reads a modality that is joined to one which was read with the word for both: `image and audio input`.
fn before_read(reading: &mut Reading<'_>, at: usize) -> bool {
    let Some(noun) = reading.words.get(at).filter(|word| !word.used) else { return false };
    let singular = noun.folded.trim_end_matches('s');
    let Some(modality) = modality_of(singular) else { return false };
    let is_joined = reading.is(at + 1, &JOINING);
    let goes_on = is_joined || noun.ends_clause;
    let other = at + 1 + usize::from(is_joined);
    let is_read = |at: usize, any: &[&str]| reading.words.get(at).is_some_and(|word| word.used && word.is(any));
    let is_modality = |word: &Word<'_>| word.used && modality_of(&word.folded).is_some();
    let is_noun = reading.words.get(other).is_some_and(is_modality);
    let name = if is_read(other + 1, &["input", "inputs"]) { "input_modalities" } else { "output_modalities" };
    let is_named = name == "input_modalities" || is_read(other + 1, &["output", "outputs"]) && modality != PDF;
    if !goes_on || !is_noun || !is_named || !reading.has(name) || reading.negation_before(at) > 0 {
        return false;
    }
    if reading.is(at + 1, &["or"]) {
        warn_of_both(reading, other..other + 2);
    }
    reading.set(name, modality);
    reading.take(at..other);
    true
}

/// The modality that goes on a list which ends in front of a position, and where its words end: `and images`.
fn joined_noun(reading: &Reading<'_>, end: usize) -> Option<(&'static str, usize)> {
    let at = end + usize::from(reading.is(end, &JOINING));
    let goes_on = at > end || reading.words[end - 1].ends_clause;
    let noun = reading.words.get(at).filter(|word| goes_on && !word.used)?.folded.trim_end_matches('s');
    let modality = modality_of(noun)?;
    Some((modality, at + 1 + usize::from(reading.is(at + 1, &["input", "inputs", "file", "files"]))))
}

/// Reads what models are called by in front of the word for them: `image models`, `chat model`.
fn before_kind(reading: &mut Reading<'_>, at: usize) -> bool {
    let is_before_kind = reading.is_before_kind(at + 1);
    let Some(word) = reading.words.get(at).filter(|word| is_before_kind && !word.used) else { return false };
    // `image to text models`
    if at > 0 && reading.is(at - 1, &["to", "into"]) {
        return false;
    }
    // What embeds or ranks does not answer: the word says what it does that with, `text embedding models`.
    if reading.has("model_mode") {
        if word.folded != "text" {
            return false;
        }
    } else if matches!(word.folded.as_str(), "chat" | "text" | "conversational") {
        reading.set("model_mode__not", OTHER_THAN_CHAT);
    } else {
        match modality_of(&word.folded) {
            // Those that listen are meant as well as those that speak.
            Some("audio") => reading.set("model_mode", "audio"),
            Some(PDF) | None => return false,
            Some(modality) => reading.set("output_modalities", modality),
        }
    }
    reading.take(at..at + 1);
    true
}
