//! What models take and give, said with a verb: `that reads pdfs`, `generates images`.

mod before_kind;

use super::joined::warn_of_both;
use super::params::{Param, param};
use super::reading::Reading;
use super::words::{self, Word, Words as _};
use super::{ParseRule, are_there};
use refdesk_core::Kind;
use refdesk_core::field::escaped;
use refdesk_search::text::{is_stop_word, word_array};
use serde_json::Value;

use before_kind::before_kind;

/// Verbs of taking and of giving, without endings.
const TAKES: [&str; 16] = word_array(
    "accept tak read see understand hear listen watch process handl analys analyz support ingest interpret receiv",
);
/// Of these, the one that stands before `to`.
const LISTENS: [&str; 3] = ["listen", "listens", "listening"];
/// What models do by themselves, without a word for what they take or give: `that can hear`.
const SENSES: [(&[&str], &str, &str); 3] = [
    (&["hear", "hears", "hearing", "listen", "listens"], "input_modalities", "audio"),
    (&["see", "sees"], "input_modalities", "image"),
    (&["speak", "speaks", "talk", "talks"], "output_modalities", "audio"),
];
/// What stands before such a verb …
const BEFORE_SENSE: [&str; 8] = ["that", "which", "can", "could", "to", "and", "or", "also"];
/// … and what a question goes on with behind it, where it names no object.
const BEHIND_SENSE: [&str; 9] = ["and", "or", "but", "with", "without", "under", "over", "from", "by"];
const GIVES: [&str; 8] = ["generat", "produc", "mak", "creat", "draw", "output", "render", "return"];
/// What is written is text: of the other modalities it is the description, `writes image captions`.
const WRITES: [&str; 1] = ["writ"];
/// Nouns, without a plural, and what they are called among the modalities.
const NOUNS: [(&str, &str); 10] = [
    ("image", "image"),
    ("picture", "image"),
    ("photo", "image"),
    ("screenshot", "image"),
    ("video", "video"),
    ("audio", "audio"),
    ("speech", "audio"),
    ("voice", "audio"),
    ("sound", "audio"),
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

/// The same of a noun in the singular or in the plural.
fn singular_modality(noun: &str) -> Option<&'static str> {
    modality_of(noun.trim_end_matches('s'))
}

/// Whether a word is a noun for a modality, `pictures`: it names no line of models by itself.
pub fn is_noun(word: &str) -> bool {
    word.trim_end_matches('s') == TEXT || singular_modality(word).is_some()
}

/// The parameter of models that answer in the mode of one.
pub fn of_mode(model: &Value) -> Param {
    match model.get("mode").and_then(Value::as_str).unwrap_or("chat") {
        "chat" | "completion" => param("model_mode__not", OTHER_THAN_CHAT),
        mode => param("model_mode", &escaped(mode)),
    }
}

/// The ways in which it is said, one after another.
const RULES: [ParseRule; 9] =
    [before_kind, lacked, before_read, behind_read, text_behind_read, sense, joined_to_taken, sound_of_videos, by_verb];

/// Reads it at a position.
pub fn parse(reading: &mut Reading<'_>, at: usize) -> bool {
    reading.kind == Kind::Model && RULES.iter().any(|rule| rule(reading, at))
}

/// What stands between a verb and its object.
const BEFORE_OBJECT: [&str; 12] = word_array("a an the and both either also short long my your for");

/// Reads a verb and its object at a position: `that reads pdfs`, `generates images`.
fn by_verb(reading: &mut Reading<'_>, at: usize) -> bool {
    let Some(verb) = reading.words.get(at) else { return false };
    let is_form_of = |stems: &[&str]| {
        let endings = stems.iter().filter_map(|stem| verb.folded.strip_prefix(stem));
        endings.into_iter().any(|ending| matches!(ending, "" | "e" | "s" | "es" | "ing" | "ed" | "ze" | "zes"))
    };
    let (takes, writes) = (is_form_of(&TAKES), is_form_of(&WRITES));
    let gives = writes || is_form_of(&GIVES);
    if !takes && !gives {
        return false;
    }
    // `listen to audio`
    let to = usize::from(reading.is(at, &LISTENS) && reading.is(at + 1, &["to"]));
    let object = reading.end_of(at + 1 + to, &BEFORE_OBJECT);
    let json = reading.end_of(object, &["valid", "strict", "only"]);
    if gives && reading.is(json, &["json"]) {
        return structured(reading, at, json + 1);
    }
    let named = reading.word(object).and_then(singular_modality).filter(|_| !writes);
    let is_text = || is_text_object(reading, at, object, gives);
    let Some(modality) = named.or_else(|| is_text().then_some(TEXT)) else { return false };
    // `supports audio output`
    let is_output = reading.is(object + 1, &["output", "outputs", "generation"]);
    if !takes && modality == PDF || takes && is_output {
        return false;
    }
    let negation = reading.negation_before(at);
    // Not by their mode: of many that give images or videos no source tells one, and that of speech is also of those that only listen.
    let name = if takes { "input_modalities" } else { "output_modalities" };
    // All but a few take text, and not each source says so.
    let counts = |modality: &str| !(takes && modality == TEXT);
    if counts(modality) {
        reading.filter(name, negation > 0, &[modality]);
    }
    let mut end = if is_output { object + 2 } else { behind_noun(reading, object + 1) };
    // `accepts pdf and images`; of what is given, only text goes with something else: what it is beside that is seldom given together.
    let is_both = |other: &str| takes || [modality, other].contains(&TEXT);
    while negation == 0
        && let Some((other, next)) = joined_noun(reading, end, true).filter(|&(other, _)| is_both(other))
    {
        if reading.is(end, &["or"]) {
            warn_of_both(reading, end + 1..next);
        }
        if counts(other) {
            reading.set(name, other);
        }
        end = next;
    }
    reading.take(at - negation..end);
    true
}

/// Whether the object of a verb is text: `output text`, `return text under $1`, `output text and audio`, but not `generate text embeddings`, nor
/// `do not output text`: what gives other things as well gives it, too.
fn is_text_object(reading: &Reading<'_>, verb: usize, object: usize, gives: bool) -> bool {
    let goes_on = |next: &Word<'_>| is_stop_word(&next.folded) && !next.is(&JOINING);
    let is_text = reading.word(object).is_some_and(|noun| noun.trim_end_matches('s') == TEXT) && object == verb + 1;
    let is_last = || gives && reading.ends_at(object + 1, goes_on);
    let is_joined = || joined_noun(reading, object + 1, false).is_some_and(|(_, end)| ends_list(reading, end));
    is_text && (is_last() || is_joined()) && reading.negation_before(verb) == 0
}

/// Reads what gives JSON, up to a position: `returns valid json`.
fn structured(reading: &mut Reading<'_>, at: usize, end: usize) -> bool {
    let negation = reading.negation_before(at);
    reading.set("capability", if negation > 0 { "!structured_output" } else { "structured_output" });
    reading.take(at - negation..end);
    true
}

/// What a modality comes in, behind its name.
const COMING_IN: [&str; 7] = ["input", "inputs", "file", "files", "document", "documents", "uploads"];

/// Where the words behind a modality end that belong to it: `accepts audio input`, `reads pdf documents`, `takes pictures as input`.
fn behind_noun(reading: &Reading<'_>, at: usize) -> usize {
    let end = reading.past(at, &COMING_IN);
    if reading.is(end, &["as"]) && reading.is(end + 1, &INPUT) { end + 2 } else { end }
}

/// Whether a list of modalities ends in front of a position, and not in front of what is made of them: `text and image embeddings`.
fn ends_list(reading: &Reading<'_>, end: usize) -> bool {
    reading.ends_at(end, |next| !next.used && is_stop_word(&next.folded))
}

/// Reads `text` at a position, joined to what was read as given: `output images and text`.
fn text_behind_read(reading: &mut Reading<'_>, at: usize) -> bool {
    let Some(link) = at.checked_sub(1).filter(|link| *link > 0 && reading.is(*link, &ADDING)) else { return false };
    let before = &reading.words[link - 1];
    let given = singular_modality(&before.folded).filter(|_| before.used);
    let is_given = given.is_some_and(|given| reading.asks_for("output_modalities", given));
    if !is_given || reading.has("output_modalities__not") || !reading.is(at, &[TEXT]) || !ends_list(reading, at + 1) {
        return false;
    }
    reading.set("output_modalities", TEXT);
    reading.take(link..at + 1);
    true
}

/// What joins modalities.
const JOINING: [&str; 4] = ["and", "plus", "&", "or"];

/// Reads a modality that is joined to one which was read with the word for both: `image and audio input`.
fn before_read(reading: &mut Reading<'_>, at: usize) -> bool {
    let Some(modality) = reading.word(at).and_then(singular_modality) else { return false };
    let is_joined = reading.is(at + 1, &JOINING);
    let goes_on = is_joined || reading.words[at].ends_clause;
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

/// Words for the direction of a modality.
const INPUT: [&str; 2] = ["input", "inputs"];
const OUTPUT: [&str; 2] = ["output", "outputs"];
/// What joins things that are all wanted.
const ADDING: [&str; 3] = ["and", "plus", "&"];

/// Reads a verb without an object: `models that can hear`, `that speak and listen`, `that cannot see`.
fn sense(reading: &mut Reading<'_>, at: usize) -> bool {
    let Some((_, name, modality)) = SENSES.iter().find(|(verbs, ..)| reading.is(at, verbs)) else { return false };
    let negation = reading.negation_before(at);
    let is_done = negation > 0 || reading.is_behind(at, &BEFORE_SENSE);
    if !is_done
        || !reading.ends_at(at + 1, |next| next.is(&BEHIND_SENSE))
        || reading.head_end.is_none_or(|end| end > at)
    {
        return false;
    }
    reading.filter(name, negation > 0, &[*modality]);
    reading.take(at - negation..at + 1);
    reading.note_negated(negation, at + 1);
    true
}

/// Reads what goes on behind a verb and its object that were read as a phrase: `understand video and audio`.
fn joined_to_taken(reading: &mut Reading<'_>, at: usize) -> bool {
    let Some(verb) = at.checked_sub(3).filter(|_| reading.is(at - 1, &ADDING)) else { return false };
    let noun = |at: usize| singular_modality(&reading.words[at].folded);
    let is_verb = TAKES.iter().any(|stem| reading.words[verb].folded.starts_with(stem));
    let is_read = || noun(at - 2).is_some_and(|noun| reading.asks_for("input_modalities", noun));
    let is_object = reading.words[verb].used && reading.words[at - 2].used && is_read();
    let Some(modality) = noun(at).filter(|_| is_verb && is_object && ends_list(reading, at + 1)) else { return false };
    reading.set("input_modalities", modality);
    reading.take(at - 1..at + 1);
    true
}

/// Reads what videos come with: `video models with sound`. Where no source states that of any of them, it is searched for in their texts.
fn sound_of_videos(reading: &mut Reading<'_>, at: usize) -> bool {
    let is_sound = reading.word(at).and_then(singular_modality) == Some("audio");
    let is_with = reading.is_behind(at, &["with", "and", "plus", "including"]);
    if !is_sound || !is_with || !ends_list(reading, at + 1) || !reading.asks_for("output_modalities", "video") {
        return false;
    }
    let before = reading.params.clone();
    reading.set("output_modalities", "audio");
    if !are_there(reading) {
        reading.params = before;
        reading.instead.push("sound audio");
        let shown = words::text(&reading.words[at - 1..=at]);
        reading.warn(format!(
            "`{shown}`: no source states which of these models give sound, too; their texts were searched"
        ));
    }
    reading.take(at - 1..at + 1);
    true
}

/// Reads what goes on behind a modality that was read with the word for its direction: `audio input and output`, `audio input and video`.
fn behind_read(reading: &mut Reading<'_>, at: usize) -> bool {
    let Some(link) = at.checked_sub(1).filter(|link| *link > 1 && reading.is(*link, &ADDING)) else { return false };
    let (noun, direction) = (&reading.words[link - 2], &reading.words[link - 1]);
    let Some(modality) = singular_modality(&noun.folded).filter(|_| noun.used && direction.used) else { return false };
    let takes = direction.is(&INPUT) && reading.asks_for("input_modalities", modality);
    let gives = direction.is(&OUTPUT) && reading.asks_for("output_modalities", modality);
    let said = reading.words[at].folded.trim_end_matches('s');
    let (name, value) = match modality_of(said) {
        _ if !reading.ends_at(at + 1, Word::goes_on) => return false,
        Some(other) if takes => ("input_modalities", other),
        None if takes && modality != PDF && OUTPUT.contains(&said) => ("output_modalities", modality),
        None if gives && INPUT.contains(&said) => ("input_modalities", modality),
        _ => return false,
    };
    reading.set(name, value);
    reading.take(link..at + 1);
    true
}

/// The modality that goes on a list which ends in front of a position, and where its words end: `and images`; `text`, where that counts.
fn joined_noun(reading: &Reading<'_>, end: usize, with_text: bool) -> Option<(&'static str, usize)> {
    let at = reading.past(end, &JOINING);
    let goes_on = at > end || reading.words[end - 1].ends_clause;
    let noun = reading.words.get(at).filter(|word| goes_on && !word.used)?.folded.trim_end_matches('s');
    let text = (with_text && noun == TEXT && ends_list(reading, at + 1)).then_some(TEXT);
    let modality = modality_of(noun).or(text)?;
    Some((modality, behind_noun(reading, at + 1)))
}

/// What says in front of a noun that things have none of it, even where the word for them follows: `without image models`.
const LACKING: [&str; 4] = ["without", "lack", "lacks", "lacking"];

/// Reads such a noun at a position: what has none of it neither takes nor gives any. Text is told only of what is given.
fn lacked(reading: &mut Reading<'_>, at: usize) -> bool {
    let Some(noun) = reading.word(at).map(|word| word.trim_end_matches('s')) else { return false };
    let is_text = noun == TEXT && reading.is(at + 1, &OUTPUT);
    let Some(modality) = modality_of(noun).or(is_text.then_some(TEXT)) else { return false };
    let end = at + 1 + usize::from(is_text);
    // `no speech to text`
    let is_of_more = |next: &Word<'_>| !next.used && (!is_stop_word(&next.folded) || next.is(&["to", "into"]));
    if reading.words.get(end).is_some_and(is_of_more) && !reading.words[end - 1].ends_clause {
        return false;
    }
    let negation = reading.negation_before(at);
    if negation == 0 {
        return false;
    }
    if modality != TEXT {
        reading.set("input_modalities__not", modality);
    }
    if modality != PDF {
        reading.set("output_modalities__not", modality);
    }
    reading.take(at - negation..end);
    reading.note_negated(negation, end);
    true
}
