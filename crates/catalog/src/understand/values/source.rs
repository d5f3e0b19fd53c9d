//! Where something is taken from, which may be called as a maker is: `server that reads issues from github`.

use crate::understand::reading::Reading;
use crate::understand::words::Word;
use refdesk_core::Kind;
use refdesk_search::text::{is_stop_word, word_array};

/// What says behind the word for a kind what a thing of it does …
const DOING: [&str; 3] = ["to", "that", "which"];
/// … where this does not say what it is: `servers that come from google`.
const BEING: [&str; 3] = ["come", "comes", "came"];
/// What takes something from one place to another, directly before the first.
const MOVING: [&str; 17] = word_array(
    "migrate migrating migration move moving switch switching port porting import importing export exporting convert \
     converting upgrade upgrading",
);

/// Whether a preposition at a position says where something is taken from, or whose something is, and not who makes the thing that is asked
/// for: `server that reads issues from github`, `tutorial on migrating from openai`, `server for the docs of stripe`. Models take
/// nothing from anywhere.
pub fn is_source(reading: &Reading<'_>, at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| &reading.words[before]) else { return false };
    if reading.kind == Kind::Model || before.ends_clause {
        return false;
    }
    let behind_kind = reading.head_end.filter(|end| *end < at);
    if reading.is(at, &["of"]) {
        return behind_kind.is_some() && !before.used;
    }
    let is_verb = |word: &Word<'_>| !word.used && !word.is(&BEING) && !is_stop_word(&word.folded);
    let does = |doing: usize| reading.is(doing, &DOING) && doing + 1 < at && is_verb(&reading.words[doing + 1]);
    let acts = matches!(reading.kind, Kind::McpServer | Kind::Tool | Kind::Skill);
    let is_purpose = acts && behind_kind.is_some_and(|end| (end..at).any(does));
    reading.is(at, &["from"]) && (is_purpose || reading.is(at - 1, &MOVING))
}
