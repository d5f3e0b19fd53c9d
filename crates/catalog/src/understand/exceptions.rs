//! Exceptions that no filter says, `other than postgres`: what they name is not wanted, and searching for it would find just that.

use super::leaning::leans;
use super::params::Param;
use super::reading::{BETWEEN, Reading, is_negation, negates_being};
use super::rest::is_filling;
use super::words::{self, Word, Words as _, is_participle};
use super::{is_name, rarity};
use crate::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::query::Warning;
use refdesk_search::SegmentSet;
use refdesk_search::text::{is_stop_word, word_array};

/// Words that leave out whatever follows …
const LEAVING_OUT: [&str; 7] = ["without", "lack", "lacks", "lacking", "except", "excluding", "exclude"];
/// … and verbs behind the others, which negate what things have: `do not support`. Not in `non profit`.
const VERBS_OF_HAVING: [&str; 10] =
    ["support", "supporting", "have", "having", "need", "needing", "require", "requiring", "offer", "accept"];
/// Those of them that say it of all that is asked for, whatever else is: `except` names what is not wanted, `without` may name how.
const EXCEPTING: [&str; 3] = ["except", "excluding", "exclude"];
/// Words behind which a negation turns what follows alone: `but not deepseek`.
const BEFORE_EXCEPTION: [&str; 4] = ["but", "just", "and", "or"];
/// A word that more than one in so many items has is no name of one thing to leave out: `without code`.
const ORDINARY_SHARE: usize = 20;

/// Words that something else begins with than what a negation of a verb is of.
const SEPARATING: [&str; 9] = ["and", "but", "that", "which", "who", "whose", "because", "if", "so"];

/// Reads something at a position by a rule. Filters of what a verb is said not to do or to be, in words that no rule knows, `that don't have to
/// be hosted on azure`, may be the opposite of what is meant: they are taken back, with a warning.
pub fn unless_denied(reading: &mut Reading<'_>, at: usize, rule: impl FnOnce(&mut Reading<'_>, usize) -> bool) {
    let (params, words) = (reading.params.clone(), reading.words.clone());
    rule(reading, at);
    let mut taken = (0..words.len()).filter(|at| reading.words[*at].used && !words[*at].used);
    let Some(first) = taken.next() else { return };
    let end = taken.next_back().unwrap_or(first) + 1;
    let wants = |(name, value): &&Param| !(name == "sort" || name.ends_with("__not") || value.starts_with('!'));
    let is_wanted = reading.params.iter().filter(wants).any(|param| !params.contains(param));
    let Some(negation) = denied_by(reading, first).filter(|_| is_wanted) else { return };
    reading.params = params;
    reading.said.iter_mut().for_each(|said| said.forget_words(&(first..end)));
    reading.take(negation..end);
    reading.is_taken_back = true;
    reading.warn_of_words(negation..end, "say `not` directly in front of what is not wanted");
}

/// The negation of what a thing does or is, in front of a position, with nothing between but verbs and words that hold a question together.
fn denied_by(reading: &Reading<'_>, at: usize) -> Option<usize> {
    let holds_together = |word: &Word<'_>| {
        let folded = word.folded.as_str();
        is_filling(word) || is_participle(folded) || BETWEEN.contains(&folded) || is_stop_word(folded)
    };
    let start = reading.head_end.unwrap_or(1);
    for before in (start..at).rev() {
        let word = &reading.words[before];
        if word.used || word.ends_clause || word.is(&SEPARATING) {
            return None;
        }
        if reading.denies(before) {
            return Some(before);
        }
        if !holds_together(word) {
            return None;
        }
    }
    None
}

/// What a question of no kind says beside what it does not want: the text without that, and the words for that. None where it says no such
/// thing.
pub fn split(snapshot: &Snapshot, words: Vec<Word<'_>>) -> Option<(String, Vec<String>, Vec<Warning>)> {
    let mut reading = Reading::new(snapshot, Kind::Model, words, None);
    let may_except = |at: usize| is_negation(&reading.words[at].folded) || reading.is_excepting_pair(at);
    if !(0..reading.words.len()).any(may_except) {
        return None;
    }
    leave_out(&mut reading, true);
    let wanted = words::text(reading.words.iter().filter(|word| !word.used));
    if wanted.is_empty() {
        reading.warn("the question says only what is not wanted: say what to look for, too");
    }
    (!reading.unwanted.is_empty()).then_some((wanted, reading.unwanted, reading.warnings))
}

/// Takes negations that were not understood out of the words to search for, each with what it negates: that is not wanted. Says so. Only
/// those that say what is not wanted, `other than postgres`, where others may say how: `without an account`.
pub fn leave_out(reading: &mut Reading<'_>, only_exceptions: bool) {
    leave_out_joined(reading);
    for at in 0..reading.words.len() {
        let Some((object, is_exception)) = negated_at(reading, at) else { continue };
        let end = object_end(reading, object, is_exception);
        if end > object && (is_exception || !only_exceptions) {
            let start = reading.back(at, &["do", "does", "can", "did", "are", "is", "just"]);
            let start = reading.back(start, &["that", "which", "but"]);
            let shown = words::text(&reading.words[start..end]);
            reading.warnings.push(left_out(&shown, is_exception));
            if is_exception {
                let named = reading.words[object..end].iter().filter(|word| !is_stop_word(&word.folded));
                reading.unwanted.extend(named.map(|word| word.folded.clone()));
            }
            reading.take(start..end);
        }
    }
}

/// Takes out what is joined to a name that a filter leaves out, and that no filter names: `not ollama or llama.cpp`.
fn leave_out_joined(reading: &mut Reading<'_>) {
    let Some(end) = reading.negated_end.filter(|end| reading.is(*end, &["or", "nor", "and"])) else { return };
    let object_end = object_end(reading, end + 1, true);
    if object_end == end + 2 && is_name(reading.snapshot, reading.words[end + 1].text, SegmentSet::ALL) {
        let word = reading.words[end + 1].folded.clone();
        reading.warnings.push(left_out(&word, true));
        reading.unwanted.push(word);
        reading.take(end..object_end);
    }
}

fn left_out(words: &str, is_unwanted: bool) -> Warning {
    let why = if is_unwanted { "names what is not wanted" } else { "was not understood" };
    format!("`{words}` {why}: its words are not searched for").into()
}

/// Where the words end that name what is left out: `brave or tavily`; `and` joins what something is called: `postgres and mysql`.
fn object_end(reading: &Reading<'_>, object: usize, is_exception: bool) -> usize {
    let is_named = |at: usize| {
        let word = reading.words.get(at).map_or("", |word| word.text);
        is_exception && is_name(reading.snapshot, word, SegmentSet::ALL)
    };
    let says_something = |word: &Word<'_>| !word.used && !is_stop_word(&word.folded) && word.folded != "please";
    let is_of_object = |at: usize| reading.words.get(at).is_some_and(says_something);
    let mut end = object;
    while is_of_object(end)
        || end > object && reading.is(end, &["or", "nor"]) && is_of_object(end + 1)
        || end > object && reading.is(end, &["and"]) && is_of_object(end + 1) && is_named(end + 1)
    {
        end += 1;
        if reading.words[end - 1].ends_clause {
            break;
        }
    }
    end
}

/// Where what a negation at a position negates begins, and whether it says what is not wanted.
fn negated_at(reading: &Reading<'_>, at: usize) -> Option<(usize, bool)> {
    let is_pair = reading.is_excepting_pair(at) && !is_reported(reading, at);
    let is_bare = |next: usize| reading.negates(next) || reading.is(next, &BETWEEN);
    let object = (at + 1 + usize::from(is_pair)..reading.words.len()).find(|next| !is_bare(*next))?;
    // `not made in china`
    let object = object + usize::from(reading.is(object, &["in", "at"]) && reading.is(object - 1, &BETWEEN));
    let word = reading.words.get(object)?.folded.as_str();
    // What is `not working`, `not supported` or `not expensive` is wanted all the same.
    let is_state = leans(word) || ["ing", "ed", "able"].iter().any(|ending| word.ends_with(ending));
    let is_of_having = reading.is(at + 1, &VERBS_OF_HAVING);
    let is_not = reading.denies(at) && is_said_of_things(reading, at) && !is_state && !is_of_having;
    // `no docker please`, `without using gmail`, `vector db not pinecone`: what is called so is left out; `without code` says how.
    let is_named = |at: usize| is_name(reading.snapshot, reading.words[at].text, SegmentSet::ALL);
    let ends = || {
        (object + 1..reading.words.len())
            .all(|next| reading.is(next, &["please", "or", "nor", "and"]) || is_named(next))
    };
    let is_said = reading.is(at, &["no"]) && opens_clause(reading, at) || reading.is(at, &["without", "neither"]);
    let may_be_thing = is_said || at > 0 && reading.is(at, &["no", "not"]) && ends();
    let is_thing = may_be_thing && is_thing(reading, word) && !is_said_before(reading, at, word);
    let is_exception = is_pair || reading.is(at, &EXCEPTING) || is_not || is_thing;
    let is_lack = reading.is(at, &LEAVING_OUT) || reading.negates(at) && is_of_having;
    (is_exception || is_lack).then_some((object, is_exception))
}

/// What something does of which people report that it is wrong …
const REPORTED: [&str; 24] = word_array(
    "shows showed returns returned outputs prints printed gives gave gets got sends sent contains contained displays \
     displayed renders rendered answers writes produces generates throws",
);
/// … and what says before such a verb that it is what is looked for.
const SOUGHT: [&str; 6] = ["that", "which", "who", "what", "something", "anything"];

/// Whether `instead of` tells what is wrong, and not what is not wanted: `my chat shows undefined instead of text`.
fn is_reported(reading: &Reading<'_>, at: usize) -> bool {
    // `tv shows instead of films` has nothing that is shown.
    let is_verb = |verb: &usize| reading.is(*verb, &REPORTED);
    let verb = (1..at.saturating_sub(1)).find(is_verb).filter(|_| reading.is(at, &["instead"]));
    verb.is_some_and(|verb| !(0..verb).any(|before| reading.words[before].is(&SOUGHT)))
}

/// Whether a negation begins what is said: `but not deepseek`, `, no docker please`.
fn opens_clause(reading: &Reading<'_>, at: usize) -> bool {
    at > 0 && (reading.words[at - 1].ends_clause || reading.is(at - 1, &BEFORE_EXCEPTION))
}

/// Whether a `not` says of the things that are asked for what they are not: `that are not opus`, `not about kubernetes`. Without a kind,
/// `is not a function` may be said of anything.
fn is_said_of_things(reading: &Reading<'_>, at: usize) -> bool {
    let is_relative = |at: Option<usize>| at.is_some_and(|at| reading.is(at, &["that", "which", "who"]));
    let names_kind = reading.head_end.is_some();
    let is_be = reading.is_behind(at, &["are", "is"]) && (names_kind || is_relative(at.checked_sub(2)));
    let is_short = reading.word(at).is_some_and(negates_being);
    opens_clause(reading, at)
        || is_be
        || is_short && is_relative(at.checked_sub(1))
        || names_kind && reading.is(at + 1, &BETWEEN)
}

/// Whether a word stands before a place, too: who wants to `edit excel sheets without excel` says how.
fn is_said_before(reading: &Reading<'_>, at: usize, word: &str) -> bool {
    reading.words[..at].iter().any(|before| before.folded == word)
}

/// Whether something is called by a word that is no ordinary one.
fn is_thing(reading: &Reading<'_>, word: &str) -> bool {
    let segments = SegmentSet::ALL;
    is_name(reading.snapshot, word, segments) && rarity(reading.snapshot, word, segments) >= ORDINARY_SHARE
}
