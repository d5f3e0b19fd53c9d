//! What people want most of things and no source measures: `best model`, `most popular mcp servers`, `top 10 skills`. So do questions that say
//! nothing but a kind, `mcp servers`: they mean what many know.

use std::ops::Range;

use crate::understand::reading::Reading;
use crate::understand::rest::{is_said_anyway, rest_of};
use crate::understand::words::{self, PhraseRows, Word, Words as _};
use crate::understand::{COUNTING, are_there};
use refdesk_core::Kind;
use refdesk_core::query::Warning;
use refdesk_search::text::{is_stop_word, word_array};

/// What people want most of a model …
const OF_MODELS: [&str; 11] =
    word_array("best fastest quickest slowest smartest strongest worst safest smallest biggest greatest");
/// … and of things of any kind, in front of the word for it …
const POPULAR: [&str; 6] = ["popular", "top", "trending", "famous", "favorite", "favourite"];
/// … behind `most` …
const MOST: [&str; 10] = word_array("popular used starred downloaded installed liked loved famous recommended trusted");
/// … or behind the word for the kind.
static BEHIND: PhraseRows<()> = PhraseRows::new(&[(
    "by popularity,by stars,by downloads,with most stars,with the most stars,with most downloads,with the most downloads,\
     with most users,with the most users,with most installs,with the most installs",
    (),
)]);
/// Of these, what an order of models goes by: what many sell.
const ORDERED: &str = "popular";
/// Words that ask for things and say nothing of them, beside stop words.
const LISTING: [&str; 11] = word_array("list show find give gimme get available best ones exist there");
/// What asks for every thing of a kind …
const EVERY: [&str; 3] = ["all", "every", "each"];
/// … and for ways of thinking, which are no programs.
const FRAMEWORKS: [&str; 2] = ["framework", "frameworks"];

/// What a question wants most of, and no source measures.
#[derive(Debug)]
pub struct Unmeasured {
    /// As it was said, with its verb: `is best`, `are most popular`.
    said: String,
    /// The words that say it.
    range: Range<usize>,
}

impl Unmeasured {
    /// Says so, and what comes first instead.
    pub fn told(&self, instead: &str) -> Warning {
        format!("no source measures which {}: {instead}", self.said).into()
    }

    /// A question without it.
    pub fn left(&self, reading: &Reading<'_>) -> String {
        let words = reading.words.iter().enumerate().filter(|(at, _)| !self.range.contains(at));
        words::text(words.map(|(_, word)| word))
    }
}

/// Takes such words: nothing is called so. Gives the first.
pub fn take(reading: &mut Reading<'_>) -> Option<Unmeasured> {
    let head_end = reading.head_end?;
    if let Some(range) = popular(reading, head_end) {
        let said = reading.words[range.clone()].iter().filter(|word| !is_count(word));
        let said = format!("are {}", words::text(said));
        reading.take(range.clone());
        return Some(Unmeasured { said, range });
    }
    let mut first = None;
    for at in 0..reading.words.len() {
        if reading.kind == Kind::Model && reading.is(at, &OF_MODELS) && is_of_kind(reading, at, head_end) {
            first = first
                .or_else(|| Some(Unmeasured { said: format!("is {}", reading.words[at].folded), range: at..at + 1 }));
            reading.take(at..at + 1);
        }
    }
    first
}

/// Whether a word is said of the things of the kind: `best coding model`, `which model is best for sql`, but neither
/// `best practices for model evaluation` nor `model selection best practices`.
fn is_of_kind(reading: &Reading<'_>, at: usize, head_end: usize) -> bool {
    if at < head_end {
        return !reading.words[at + 1..head_end].iter().any(|word| is_stop_word(&word.folded));
    }
    reading.ends_at(at + 1, Word::goes_on)
}

fn is_count(word: &Word<'_>) -> bool {
    words::only_digits(&word.folded)
}

/// Where words stand for what is used or liked most: directly before several things of a kind, at the beginning, or behind the word for it.
fn popular(reading: &Reading<'_>, head_end: usize) -> Option<Range<usize>> {
    if let Some((at, end)) =
        (head_end..reading.words.len()).find_map(|at| Some((at, BEHIND.end_at(&reading.words, at)?)))
    {
        return Some(at..end);
    }
    let at = reading.words[..head_end].iter().position(|word| word.folded == "most" || !is_said_anyway(word))?;
    let most = usize::from(reading.is(at, &["most"]));
    let is_said = reading.is(at + most, if most > 0 { &MOST[..] } else { &POPULAR[..] });
    let is_ordered = reading.kind == Kind::Model && reading.is(at + most, &[ORDERED]);
    // `top 10 skills`
    let end = at + most + 1;
    let end = end + usize::from(reading.words.get(end).is_some_and(is_count));
    let is_of_several = end < head_end && reading.words[head_end - 1].folded.ends_with('s');
    (is_said && !is_ordered && is_of_several).then_some(at..end)
}

/// Whether a question names a kind and says nothing else: `best model`, `show me models`, `mcp servers`. Of servers, nobody states what many
/// know: unless all are asked for, they are those that their makers publish.
pub fn asks_for_any(
    reading: &mut Reading<'_>,
    given: Option<Kind>,
    text: &str,
    unmeasured: Option<&Unmeasured>,
) -> bool {
    let says_nothing = given.is_none()
        && reading.head_end.is_some()
        && reading.params.is_empty()
        && reading.instead.is_empty()
        && rest_of(reading).is_empty();
    if !says_nothing || reading.kind == Kind::Model {
        return says_nothing;
    }
    // `mcp server search`
    let is_asking = |word: &Word<'_>| word.goes_on() || word.is(&LISTING);
    if !reading.words.iter().all(is_asking) {
        return false;
    }
    let typed = words::words(text);
    let asks_for_every = typed.iter().any(|word| word.is(&EVERY)) || COUNTING.end_at(&typed, 0).is_some();
    let is_alone = typed.len() == 1;
    if reading.kind != Kind::McpServer {
        let is_thinking = typed.iter().any(|word| word.is(&FRAMEWORKS));
        return !is_thinking && (asks_for_every || is_alone || unmeasured.is_some());
    }
    if !asks_for_every {
        reading.set("official", "true");
        if !are_there(reading) {
            reading.params.clear();
        } else if unmeasured.is_none() {
            reading.warn(
                "these are those that their makers publish, updated last first: `all mcp servers` lists every one",
            );
        }
    }
    true
}
