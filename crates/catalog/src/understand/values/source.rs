//! Where something is taken from, which may be called as a maker is: `server that reads issues from github`.

use crate::understand::reading::Reading;
use crate::understand::words::Word;
use refdesk_core::Kind;
use refdesk_search::text::is_stop_word;

/// What says behind the word for a kind what a thing of it does …
const DOING: [&str; 3] = ["to", "that", "which"];
/// … where this does not say what it is: `servers that come from google`.
const BEING: [&str; 3] = ["come", "comes", "came"];
/// What takes something from one place to another, directly before the first.
const MOVING: [&str; 17] = [
    "migrate",
    "migrating",
    "migration",
    "move",
    "moving",
    "switch",
    "switching",
    "port",
    "porting",
    "import",
    "importing",
    "export",
    "exporting",
    "convert",
    "converting",
    "upgrade",
    "upgrading",
];

/// Whether `from` at a position says where something is taken from, and not who makes what takes it: `server that reads issues from github`,
/// `tutorial on migrating from openai`. Models take nothing from anywhere.
pub fn is_source(reading: &Reading<'_>, from: usize) -> bool {
    let is_said = reading.is(from, &["from"]) && reading.kind != Kind::Model;
    if !is_said || from == 0 || reading.words[from - 1].ends_clause {
        return false;
    }
    let is_verb = |word: &Word<'_>| !word.used && !word.is(&BEING) && !is_stop_word(&word.folded);
    let does = |at: usize| reading.is(at, &DOING) && at + 1 < from && is_verb(&reading.words[at + 1]);
    let acts = matches!(reading.kind, Kind::McpServer | Kind::Tool | Kind::Skill);
    let is_purpose = acts && reading.head_end.is_some_and(|end| (end..from).any(does));
    is_purpose || reading.is(from - 1, &MOVING)
}
