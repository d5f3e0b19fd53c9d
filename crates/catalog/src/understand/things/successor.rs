//! What came after a model: `what replaced claude-3-opus`, `successor of gpt-4o`. Nobody publishes successors, so these are the later
//! models of the same maker and mode that are not on their way out, those of the same line first.

use serde_json::Value;

use super::relation::{GONE, Relation, name_until, named};
use crate::json;
use crate::segment::{Found, Segment};
use crate::snapshot::Snapshot;
use crate::understand::modalities::of_mode;
use crate::understand::params::param;
use crate::understand::reading::day_after;
use crate::understand::words::{PhraseRows, Word, Words, has_digit};
use refdesk_core::Kind;
use refdesk_core::field::escaped;
use refdesk_search::text::folded;

/// Numbers in names from here on are days or sizes: `claude-3-opus-20240229`.
const VERSION_MAX: u32 = 20;

/// Families that people leave out in front of the line of a model.
const FAMILIES_LEFT_OUT: [&str; 3] = ["claude", "gemini", "gpt"];

/// Phrases before the model …
static BEFORE: PhraseRows<()> = PhraseRows::new(&[(
    "replaced,replaces,superseded,supersedes,successor of,successor to,successors of,successors to,replacement for,\
     replacement of,replacements for,came after,comes after,newer version of,newer versions of,instead of,upgrade from,\
     upgrading from,migrate from,migrating from,switch from,should replace,could replace,can replace,to replace",
    (),
)]);
/// … and words behind it.
const BEHIND: [&str; 3] = ["successor", "replacement", "successors"];

/// The later models that a question asks for, if it asks for any.
pub fn parse(snapshot: &Snapshot, words: &[Word<'_>]) -> Option<Relation> {
    let find = |name: &str| model_named(snapshot, name);
    let (ordinal, taken) = named(words, &BEFORE, &BEHIND, find)?;
    // `migrate from gpt-4 to gpt-5` says what comes after, and `opus 4.5 instead of sonnet 4.5` weighs both.
    if words.is(taken.end, &["to"])
        || words.is(taken.start, &["instead"]) && name_until(words, taken.start, &find).is_some()
    {
        return None;
    }
    let (segment, row) = snapshot.locate(ordinal);
    let model: Value = json::read_own(segment.row(row));
    let text = |name: &str| model.get(name).and_then(Value::as_str);
    // What came on the same day stands beside it.
    let released = day_after(text("released_on")?)?;
    let params = vec![
        param("vendor", &escaped(text("vendor")?)),
        of_mode(&model),
        param("released_on__gte", &released),
        param("status__not", GONE),
        param("sort", "-released_on"),
    ];
    Some(Relation { line: line(segment, row), ..Relation::new(Kind::Model, taken, params) })
}

/// The model that a text names, in whatever spelling.
pub fn model_named(snapshot: &Snapshot, name: &str) -> Option<u32> {
    if let Found::Id(ordinal) | Found::Alias(ordinal) = snapshot.find(Kind::Model, name) {
        return Some(ordinal);
    }
    snapshot.whole_name(name, Kind::Model.into()).or_else(|| model_called(snapshot, name))
}

/// The model whose name ends so behind that of its family: `sonnet 4.5` tells it all the same.
pub fn model_called(snapshot: &Snapshot, end: &str) -> Option<u32> {
    let is_version = has_digit(end) && end.contains([' ', '-']);
    let families = if is_version { &FAMILIES_LEFT_OUT[..] } else { &[] };
    families.iter().find_map(|family| snapshot.whole_name(&format!("{family} {end}"), Kind::Model.into()))
}

/// The words of a name without what counts versions: `claude opus` of `claude-3-opus`. Where nothing with all of them has a later version,
/// the line has ended and its family goes on: `gpt` of `gpt-4-turbo`.
fn line(segment: &Segment, row: u32) -> String {
    let words = folded_words(segment.id(row));
    let is_of_line = |word: &&String| word.len() > 1 && word.chars().all(char::is_alphabetic);
    let line: Vec<&String> = words.iter().filter(is_of_line).collect();
    let version = version(&words);
    let goes_on = |other: &str| {
        let other = folded_words(other);
        line.iter().all(|word| other.contains(word)) && self::version(&other) > version
    };
    let is_over = version.is_some() && !of_same_maker(segment, row).any(|row| goes_on(segment.id(row)));
    let kept = if is_over { 1 } else { line.len() };
    line.into_iter().take(kept).map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// The models whose maker is that of a row.
fn of_same_maker(segment: &Segment, row: u32) -> impl Iterator<Item = u32> {
    let vendors = segment.column("vendor").map(|column| (&column.codes, column.codes.get(row)));
    (0..segment.len()).filter(move |row| vendors.is_none_or(|(codes, vendor)| codes.get(*row) == vendor))
}

fn folded_words(text: &str) -> Vec<String> {
    folded(text).split(|c: char| !c.is_alphanumeric() && c != '.').map(str::to_owned).collect()
}

/// The version of a name: its first number that is none of parameters or days, with the next behind a hyphen (`3-5`).
fn version(words: &[String]) -> Option<(u32, u32)> {
    let number = |word: &String| word.parse::<u32>().ok().filter(|number| *number < VERSION_MAX);
    let with_point = |word: &String| {
        let (major, minor) = word.split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    };
    let at = words.iter().position(|word| number(word).is_some() || with_point(word).is_some())?;
    with_point(&words[at]).or_else(|| Some((number(&words[at])?, words.get(at + 1).and_then(number).unwrap_or(0))))
}
