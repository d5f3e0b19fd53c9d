//! Values beside the name of their field: `category is monitoring`, `the linux platform`, `tagged database`; and the platform that something
//! runs on. Any field of the table whose values are words is read so. What stands behind the name of a field is read before all else: a
//! category may be called `Web Search MCP Servers`, and a tag `llm`.

use std::ops::Range;
use std::sync::LazyLock;

use foldhash::HashMap;

use super::vendor::vendor_at;
use super::{listed_behind, longest_at};
use crate::snapshot::Snapshot;
use crate::snapshot::gazetteer::{compact, told_apart};
use crate::understand::params::Param;
use crate::understand::reading::Reading;
use crate::understand::rest::is_understood;
use crate::understand::vocabulary::is_part_of_topic;
use crate::understand::words::{self, Phrases, Word, Words as _, without_possessive};
use refdesk_core::Kind;
use refdesk_core::field::{self, FIELDS, FieldDef, Shape};
use refdesk_search::text::folded;

/// Fields whose names are words of other things, and those that are read elsewhere: `open source`, `MIT licensed`, `in Chinese`.
const NOT_BY_LABEL: [&str; 4] = ["source", "license", "capability", "language"];
/// Other names of fields.
const ALSO: [(&str, &str); 3] = [("tagged", "tag"), ("format", "tutorial_format"), ("registry", "registry_type")];
/// Fields whose values are words, by what they are called.
static LABELS: LazyLock<Phrases<&FieldDef>> = LazyLock::new(|| {
    let is_said = |field: &&FieldDef| {
        let is_of_words = matches!(field.shape, Shape::Word | Shape::Words { .. });
        is_of_words && field.is_filter() && !NOT_BY_LABEL.contains(&field.name)
    };
    let mut labels: Vec<(String, &FieldDef)> = Vec::new();
    for field in FIELDS.iter().filter(is_said) {
        let also = ALSO.iter().filter(|(_, name)| *name == field.name).map(|(also, _)| (*also).to_owned());
        labels.extend(
            [folded(field.label), field.name.replace('_', " ")].into_iter().chain(also).map(|label| (label, field)),
        );
    }
    Phrases::new(labels.iter().map(|(label, field)| (label.as_str(), *field)))
});
/// What stands between the name of a field and its value.
const BETWEEN: [&str; 6] = ["is", "=", "of", "as", "with", "the"];
/// What is done on a platform, and what stands before that.
const RUNNING: [&str; 8] = ["run", "runs", "running", "work", "works", "working", "available", "installable"];
const BEFORE_RUNNING: [&str; 3] = ["that", "which", "can"];

/// Reads a value with the name of its field at a position.
pub fn parse(reading: &mut Reading<'_>, at: usize) -> bool {
    platform(reading, at)
        || system(reading, at)
        || behind_label(reading, at)
        || before_label(reading, at)
        || standing(reading, at)
        || edition(reading, at)
}

/// Reads values behind the names of their fields, of a kind or of the first that the other words are then for, as `kind_of` tells. Gives the words,
/// of which these are taken, and the parameters of a list.
pub fn ahead<'a>(
    snapshot: &'a Snapshot,
    words: &[Word<'a>],
    wanted: Option<Kind>,
    kind_of: impl Fn(&[Word<'_>]) -> Option<Kind>,
) -> Option<(Vec<Word<'a>>, Vec<Param>)> {
    if (0..words.len()).all(|at| LABELS.at(words, at).is_none()) {
        return None;
    }
    let kinds = Kind::ALL.into_iter().filter(|kind| wanted.is_none_or(|wanted| wanted == *kind));
    kinds.into_iter().find_map(|kind| {
        let mut reading = Reading::new(snapshot, kind, words.to_vec(), None);
        for at in 0..words.len() {
            behind_label(&mut reading, at);
        }
        let is_of_kind = wanted.is_some() || kind_of(&reading.words) == Some(kind);
        let is_said = is_of_kind && !reading.params.is_empty();
        is_said.then_some((reading.words, reading.params))
    })
}

/// The edition of documents that is called by its day, and so needs no name of a field: `mcp docs 2025-06-18`.
fn edition(reading: &mut Reading<'_>, at: usize) -> bool {
    let is_day = |word: &str| word.len() == "YYYY-MM-DD".len() && word.starts_with(|c: char| c.is_ascii_digit());
    let is_limit = reading.is_behind(at, &["since", "after", "before", "until", "till", "from"]);
    if reading.kind != Kind::Document || !is_day(&reading.words[at].folded) || is_limit {
        return false;
    }
    let Some(version) = reading.values("version").find(|version| *version == reading.words[at].folded) else {
        return false;
    };
    reading.filter_by("version", &[version], at..at + 1);
    true
}

/// The value of a field that is said at a position, and how many words say it.
fn value_at<'a>(reading: &Reading<'a>, field: &FieldDef, at: usize) -> Option<(&'a str, usize)> {
    longest_at(reading, at, |said| reading.values(field.name).find(|value| compact(&folded(value)) == said))
}

/// The field that is named at a position, and how many words name it.
fn label_at(reading: &Reading<'_>, at: usize) -> Option<(usize, &'static FieldDef)> {
    let (taken, field) = LABELS.admitted_at(&reading.words, at, |field| field.is_of(reading.kind))?;
    Some((taken, *field))
}

/// How a value is compared that may have any number of words and signs: `Database & Messaging` is said with `and` as well.
fn said_as(words: &[Word<'_>]) -> String {
    let telling = words.iter().filter(|word| !word.is(&["and"]));
    compact(without_possessive(&telling.map(|word| word.folded.as_str()).collect::<String>()))
}

/// The longest value of a field that is said from a position on, in all spellings, and how many words say it. Of a field of which an item has
/// to have all values that are asked for, it is one of them.
fn longest_value<'a>(reading: &Reading<'a>, field: &FieldDef, at: usize) -> Option<(Vec<&'a str>, usize)> {
    let said = &reading.words[at..];
    let unused = said.iter().take_while(|word| !word.used).count();
    let mut values: HashMap<String, Vec<&str>> = HashMap::default();
    for value in reading.values(field.name) {
        values.entry(said_as(&words::words(value))).or_default().push(value);
    }
    values.remove("");
    let mut ends = (1..=unused).rev().filter(|taken| !said[taken - 1].is(&["and"]));
    let (same, taken) = ends.find_map(|taken| Some((values.remove(&said_as(&said[..taken]))?, taken)))?;
    if !matches!(field.shape, Shape::Words { all: true }) {
        return Some((told_apart(same), taken));
    }
    let typed = words::text(&said[..taken]);
    let exact = same.iter().find(|value| value.eq_ignore_ascii_case(&typed));
    Some((vec![*exact.or(same.first())?], taken))
}

/// `category monitoring`, `category is monitoring`.
fn behind_label(reading: &mut Reading<'_>, at: usize) -> bool {
    let Some((label, field)) = label_at(reading, at) else { return false };
    let Some(next) = (at + label..reading.words.len()).find(|next| !reading.is(*next, &BETWEEN)) else { return false };
    // A maker has several spellings.
    let said = match field.name {
        "vendor" => vendor_at(reading, next),
        _ => longest_value(reading, field, next),
    };
    let Some((values, taken)) = said else { return false };
    set(reading, field, &values, at..next + taken);
    true
}

/// `the monitoring category`
fn before_label(reading: &mut Reading<'_>, at: usize) -> bool {
    let said = (1..=super::VALUE_WORDS_MAX).rev().find_map(|taken| {
        let (label, field) = label_at(reading, at + taken)?;
        let (value, _) = value_at(reading, field, at).filter(|(_, length)| *length == taken)?;
        (!is_part_of_topic(reading, at)).then_some((field, value, at + taken + label))
    });
    let Some((field, value, end)) = said else { return false };
    set(reading, field, &[value], at..end);
    true
}

/// Asks for any of the values that some words say with the name of their field.
fn set(reading: &mut Reading<'_>, field: &FieldDef, values: &[&str], said: Range<usize>) {
    let start = reading.start_of(said.start, &["the", "a", "in", "with", "of", "on", "whose"]);
    reading.filter_by(field.name, values, start..said.end);
}

/// Fields with a closed set of values, which are adjectives and need no name of a field in front of the word for several things.
const OF_STANDING: [&str; 2] = ["status", "trust_tier"];

/// `deprecated tools`, `official skills`, where the catalog has such: what else stands before may be what they are about.
fn standing(reading: &mut Reading<'_>, at: usize) -> bool {
    let is_of_kind = matches!(reading.kind, Kind::McpServer | Kind::Tool | Kind::Skill);
    if !is_of_kind || !reading.is_before_kind(at + 1) || !reading.is_of_several() {
        return false;
    }
    let negation = reading.negation_before(at);
    let begins = at.checked_sub(negation + 1).is_none_or(|before| {
        let before = &reading.words[before];
        before.ends_clause || is_understood(before)
    });
    let said = reading.words[at].folded.as_str();
    let value = |name: &'static str| Some((name, reading.values(name).find(|value| *value == said)?));
    let Some((name, value)) = OF_STANDING.into_iter().find_map(value).filter(|_| begins) else { return false };
    reading.filter_by(name, &[value], at..at + 1);
    true
}

/// Operating systems, which nothing else is called by in front of the word for a kind or behind `for`.
const SYSTEMS: [&str; 5] = ["linux", "macos", "mac", "windows", "osx"];

/// The platform that a system at a position is, and how many words name it.
fn system_at<'a>(reading: &Reading<'a>, at: usize) -> Option<(&'a str, usize)> {
    let said = reading.word(at).filter(|word| SYSTEMS.contains(word))?;
    let said = if ["mac", "osx"].contains(&said) { "macos" } else { said };
    Some((reading.values("platform").find(|value| folded(value) == said)?, 1))
}

/// `linux tools`, `command line tools for macos and linux`.
fn system(reading: &mut Reading<'_>, at: usize) -> bool {
    if field::named(reading.kind, "platform").is_none() {
        return false;
    }
    let Some((value, taken)) = system_at(reading, at) else { return false };
    let (others, end) = listed_behind(reading, at + taken, &["for"], false, system_at);
    let is_for = reading.head_end == Some(at.wrapping_sub(1)) && reading.is(at - 1, &["for"]);
    let is_end = reading.words.get(end).is_none_or(|next| next.used || reading.is(end, &["with", "that", "in"]));
    let start = at - usize::from(is_for);
    let negation = reading.negation_before(start);
    if !(reading.is_before_kind(end) || is_for && is_end || negation > 0) {
        return false;
    }
    reading.filter("platform", negation > 0, &[&[value], &others[..]].concat());
    reading.note_negated(negation, end);
    reading.take(start - negation..end);
    true
}

/// `that run on linux`, `not on windows`.
fn platform(reading: &mut Reading<'_>, at: usize) -> bool {
    let Some(field) = field::named(reading.kind, "platform").filter(|_| reading.is_behind(at, &["on"])) else {
        return false;
    };
    // In `a tool that draws icons on linux` it is said of what is done, and few tools tell theirs.
    let is_run = at > 1 && reading.is(at - 2, &RUNNING);
    if !(is_run || reading.head_end == Some(at - 1)) || is_part_of_topic(reading, at) {
        return false;
    }
    let Some((value, taken)) = value_at(reading, field, at) else { return false };
    let start = reading.start_of(at - 1 - usize::from(is_run), &BEFORE_RUNNING);
    let negation = reading.negation_before(start);
    // `on linux, macos or on windows`
    let (others, end) = listed_behind(reading, at + taken, &["on"], false, |reading, at| value_at(reading, field, at));
    reading.filter("platform", negation > 0, &[&[value], &others[..]].concat());
    reading.take(start - negation..end);
    reading.note_negated(negation, end);
    true
}
