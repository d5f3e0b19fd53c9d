//! Makers, in all spellings that the catalog has of each: `mcp servers by stripe`. A registry of servers knows a maker by the domain that its
//! namespace is (`stripe.com` of `com.stripe/mcp`), other sources by its name. Where something is taken from may be called as a maker is:
//! `server that reads issues from github`.

use super::{FROM, SOLD, VALUE_WORDS_MAX, done_behind, listed_behind, longest_at};
use crate::resolve::model::makers::{self, is_family};
use crate::snapshot::gazetteer::{compact, told_apart};
use crate::understand::reading::Reading;
use crate::understand::rest::{is_understood, says_no_more};
use crate::understand::vocabulary::is_part_of_topic;
use crate::understand::words::{Word, Words as _};
use refdesk_core::Kind;
use refdesk_search::text::{folded, is_stop_word, word_array};

/// What stands before a maker that is asked what it has …
const ASKING_OWNER: [&str; 3] = ["does", "do", "did"];
/// … and behind it, and what says so of the things in front of it: `skills that vercel publishes`.
const OWNING: [&str; 20] = word_array(
    "have has offer offers publish publishes provide provides maintain maintains make makes own owns develop develops write writes ship ships",
);

/// The maker that is named at a position, in all spellings of the catalog, and how many words name it.
pub fn vendor_at<'a>(reading: &Reading<'a>, at: usize) -> Option<(Vec<&'a str>, usize)> {
    let makers = reading.snapshot.makers(reading.kind);
    let known = |said: &str| Some(told_apart(makers.spellings(makers.key(said)?)));
    // `zhipu`, `facebook`: what the makers of models are called elsewhere.
    let by_spelling = |said: &str| {
        let slug = makers::vendor(said).filter(|_| reading.kind == Kind::Model && !is_family(said))?;
        known(&compact(&folded(makers::display_name(slug)?)))
    };
    longest_at(reading, at, |said| known(said).or_else(|| by_spelling(said)))
}

/// Reads a maker at a position, with the word in front that says so.
pub fn parse(reading: &mut Reading<'_>, at: usize) -> bool {
    let is_from = reading.is_behind(at, &FROM);
    // `how many skills does anthropic have`
    let is_asked = reading.is_behind(at, &ASKING_OWNER);
    let may_own = is_asked || may_own(reading, at);
    // Who sells a model need not make it: what is no seller either stays text.
    if reading.kind == Kind::Model && (is_from || is_asked) && at > 1 && reading.is(at - 2, &SOLD) {
        return false;
    }
    let negation = reading.negation_before_name(at);
    if is_from && negation == 0 && is_source(reading, at - 1) {
        return false;
    }
    // Among what other things are about, the name of a maker may be any word, and `servers without docker` do not need it.
    let is_left_out = negation > 0 && !reading.is(at - negation, &["without"]);
    let is_by_makers = matches!(reading.kind, Kind::Model | Kind::Skill | Kind::Tutorial | Kind::Document);
    if !(is_from || may_own || is_left_out || is_by_makers || is_owner(reading, at)) {
        return false;
    }
    let Some((mut makers, taken)) = vendor_at(reading, at) else { return false };
    // `Google, OpenAI or Anthropic`: what negates the first holds to the end.
    let (others, end) = listed_behind(reading, at + taken, &FROM, negation > 0, vendor_at);
    let owned = if may_own { owned_behind(reading, end) } else { None };
    let introduced = is_from || owned.is_some() || is_asked && reading.kind == Kind::Model;
    let is_said_of_kind = !introduced && !is_left_out;
    if !introduced && (is_asked || is_part_of_topic(reading, at))
        || is_said_of_kind && !is_beside_kind(reading, at, at + taken)
    {
        return false;
    }
    // `made by`, `released by`
    let made =
        introduced && at > 1 && reading.is(at - 2, &["made", "built", "published", "developed", "trained", "created"]);
    makers.extend(others.into_iter().flatten());
    let (end, is_not_owned) = owned.unwrap_or((end, false));
    reading.filter("vendor", negation > 0 || is_not_owned, &makers);
    reading.take(at - negation.max(usize::from(is_from || is_asked) + usize::from(made))..end);
    reading.note_negated(negation, end);
    true
}

/// Whether a maker from `at` to `end` without a word in front stands where it says whose the things are: `anthropic skills`, `vercel docs`; in
/// `skills to use anthropic` it is what they are about.
fn is_beside_kind(reading: &Reading<'_>, at: usize, end: usize) -> bool {
    // Who types `vercel docs` and nothing else rather looks for where they begin than for all of them.
    let is_topic_told = || !reading.words[..at].iter().chain(&reading.words[end..]).all(is_understood);
    reading.kind == Kind::Model || reading.is_before_kind(end) && (reading.kind != Kind::Document || is_topic_told())
}

/// Whether a name at a position is said to be that of whose the things behind it are: `microsoft's mcp servers`.
fn is_owner(reading: &Reading<'_>, at: usize) -> bool {
    let mut names = (at..reading.words.len()).take(VALUE_WORDS_MAX);
    names.any(|name| reading.words[name].is_possessive() && reading.is_before_kind(name + 1))
}

/// Whether a name at a position may be that of whose the things in front of it are: `skills that vercel publishes`.
fn may_own(reading: &Reading<'_>, at: usize) -> bool {
    let is_behind_kind = |at: usize| reading.head_end == Some(at);
    let is_told = is_behind_kind(at) || reading.is_behind(at, &["that", "which"]) && is_behind_kind(at - 1);
    let may_do = |verb: usize| reading.is(verb, &OWNING) || reading.denies(verb);
    is_told && (at + 1..=at + VALUE_WORDS_MAX + 1).any(may_do)
}

/// Where the words end that say whose things are, behind a name which ends at a position, and whether they deny it. Nothing where something else
/// is done: `servers that docker makes backups of`.
fn owned_behind(reading: &Reading<'_>, at: usize) -> Option<(usize, bool)> {
    done_behind(reading, at, &OWNING).filter(|(end, _)| reading.words.get(*end).is_none_or(says_no_more))
}

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
fn is_source(reading: &Reading<'_>, at: usize) -> bool {
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
