//! Questions about named things side by side: `compare A B and C`, `A vs B`, `difference between A and B`, `is A better than B`.

use crate::resolve::model::makers::is_family;
use crate::understand::measures::{Measure, is_attribute};
use crate::understand::words::{self, PhraseRows, Word, Words, has_digit, is_more_than_a_word};
use refdesk_search::text::{WordSet, folded, is_stop_word};

/// Most things that are compared.
const COMPARED_MAX: usize = 4;
/// Words that stand between two things.
const VERSUS: [&str; 4] = ["vs", "versus", "vs.", "compared"];
/// Phrases before two things with `and`, `with`, `or`, `to` between them.
static COMPARE: PhraseRows<()> = PhraseRows::new(&[(
    "difference between,differences between,comparison between,comparison of,comparing,compare",
    (),
)]);
/// Phrases behind things that are listed for a comparison.
static COMPARED_BEHIND: PhraseRows<()> =
    PhraseRows::new(&[("side by side,head to head,comparison,compared,difference,differences", ())]);
/// Words between the things of a comparison that a phrase introduces or ends.
const LISTING: [&str; 8] = ["and", "with", "to", "or", "against", "&", "compare", "compares"];
/// Words in front of what introduces a comparison, beside those for what is asked of things.
const ASKING: [&str; 13] = [
    "whats", "what's", "what’s", "show", "tell", "give", "explain", "please", "main", "key", "biggest", "exact",
    "quick",
];
/// Words between things that are weighed against each other, if they are nothing but names.
const WEIGHED: [&str; 7] = ["or", "oder", "ou", "over", "than", "instead", "against"];
/// Words between names that are only listed: `gpt-5, o3 and o4-mini`.
const LISTED: [&str; 5] = ["and", "und", "et", "y", "&"];
/// What else such a question has.
static WEIGHING: WordSet = WordSet::new(
    "how has have bigger longer costs less more smarter which what is are one better best cheaper faster newer larger smaller good should i \
     we use choose pick take prefer why when to with the a it of value worth cheap expensive money does do did still and pros cons",
);
/// Longer names are none.
const NAME_WORDS_MAX: usize = 4;

/// The things that are compared, as they were typed: names, with whatever else stands among these left out. Nothing when the question is no
/// comparison of named things.
pub fn things(words: &[Word<'_>], is_name: impl Fn(&str) -> bool) -> Vec<String> {
    let introduced = introduced(words).or_else(|| asked_how(words));
    let end = listing_end(words);
    let is_listing = introduced.is_some() || end < words.len();
    let is_between = |word: &Word<'_>| {
        let word = word.folded.as_str();
        VERSUS.contains(&word) || is_listing && LISTING.contains(&word)
    };
    let parts = words.get(introduced.unwrap_or_default()..end).unwrap_or_default().split(is_between);
    if !is_listing && parts.clone().count() < 2 {
        return Vec::new();
    }
    // `compare A, B and C`
    let listed = parts.flat_map(|part| part.split_inclusive(|word| word.ends_clause));
    let mut names: Vec<String> = Vec::new();
    for part in listed {
        let before = names.last().map(String::as_str);
        let said = name(begun(part), before, &is_name).or_else(|| name(trimmed(part), before, &is_name));
        match said {
            Some(said) => names.push(said),
            None if is_listing => names.extend(in_a_row(trimmed(part), &is_name)),
            None => {}
        }
    }
    several(names.into_iter())
}

/// Where the words end in front of a phrase that compares what they list: `A, B and C side by side`.
fn listing_end(words: &[Word<'_>]) -> usize {
    let is_end = |at: &usize| COMPARED_BEHIND.end_at(words, *at) == Some(words.len());
    (0..words.len()).find(is_end).unwrap_or(words.len())
}

/// Where the things begin of which a question asks how they compare: `how does A compare with B`.
fn asked_how(words: &[Word<'_>]) -> Option<usize> {
    let is_how = words.is_phrase(0, &["how"]) && words.is(1, &["do", "does", "did"]);
    let compares = |word: &Word<'_>| matches!(word.folded.as_str(), "compare" | "compares");
    (is_how && words.iter().any(compares)).then_some(2)
}

/// Names with nothing between them but blanks: `gpt-5 claude sonnet 4.5`. Nothing unless all words are of names with a number: each word of
/// `compare pdf files` and of `compare claude sonnet` may be what something is called, and so many are one name.
fn in_a_row(words: &[Word<'_>], is_name: impl Fn(&str) -> bool) -> Vec<String> {
    let mut rest = &words[..words.iter().position(goes_on).unwrap_or(words.len())];
    let mut names: Vec<String> = Vec::new();
    while !rest.is_empty() {
        let mut ends = (1..=rest.len().min(NAME_WORDS_MAX)).rev();
        let Some(end) = ends.find(|end| is_name(&words::text(&rest[..*end]))) else { return Vec::new() };
        names.push(words::text(&rest[..end]));
        rest = &rest[end..];
    }
    if names.iter().all(|name| has_digit(name)) { names } else { Vec::new() }
}

/// Whether a name is more than a word.
fn looks_like_name(name: &str) -> bool {
    is_more_than_a_word(name) || is_family(&folded(name))
}

/// Whether the sentence goes on with a word: no name does.
fn goes_on(word: &Word<'_>) -> bool {
    is_stop_word(&word.folded) || is_attribute(&word.folded)
}

/// A name of which only the end is said behind another: `nano` in `gpt-5 mini vs nano`, and from a word of the other on, `flash lite` in
/// `gemini 2.0 flash vs flash lite`.
fn completed(before: &str, said: &str) -> Option<String> {
    let words: Vec<&str> = before.split(' ').collect();
    let mut end = said.split(' ');
    let first = end.next()?;
    let same = words.iter().position(|word| word.eq_ignore_ascii_case(first));
    let shared = same.or_else(|| words.len().checked_sub(1 + end.count())).filter(|shared| *shared > 0)?;
    Some(format!("{} {said}", words[..shared].join(" ")))
}

/// Where the phrase ends that introduces a comparison, whatever it is of: `what's the context window difference between`.
fn introduced(words: &[Word<'_>]) -> Option<usize> {
    let is_asking = |word: &Word<'_>| goes_on(word) || word.is(&ASKING);
    let begin = words.iter().position(|word| !is_asking(word))?;
    COMPARE.end_at(words, begin)
}

/// The longest name that some words begin with, if the sentence ends or goes on behind it; behind another name the end of it may be meant.
fn name(words: &[Word<'_>], before: Option<&str>, is_name: impl Fn(&str) -> bool) -> Option<String> {
    let ends = (1..=words.len()).rev().filter(|end| words.get(*end).is_none_or(goes_on));
    ends.map(|end| words::text(&words[..end])).find_map(|said| {
        let whole = before.and_then(|before| completed(before, &said));
        whole.into_iter().chain([said]).find(|name| is_name(name))
    })
}

/// Whether a word only weighs, or is for what is asked of things.
fn is_weighing(word: &Word<'_>) -> bool {
    word.is_in(&WEIGHING) || is_attribute(&word.folded)
}

/// Some words without those at their beginning that only weigh. Those at their end may belong to a name: `qwen3 max`.
fn begun<'w, 'a>(words: &'w [Word<'a>]) -> &'w [Word<'a>] {
    let taken = |at: usize| {
        let weighs = || words.get(at).filter(|word| is_weighing(word)).map(|_| 1);
        Measure::at(words, at).map(|(taken, _)| taken).or_else(weighs)
    };
    let mut first = 0;
    while let Some(taken) = taken(first) {
        first += taken;
    }
    words.get(first..).unwrap_or_default()
}

/// Some words without those at either end that only weigh.
fn trimmed<'w, 'a>(words: &'w [Word<'a>]) -> &'w [Word<'a>] {
    let words = begun(words);
    let end = words.iter().rposition(|word| !is_weighing(word)).map_or(0, |last| last + 1);
    &words[..end]
}

/// The things that are weighed against each other: `is A better than B`, `A or B`; or of which the same is asked: `price of A and B`. Nothing
/// unless all are names. Of models the end of the name is enough behind another one.
pub fn weighed(words: &[Word<'_>], is_name: impl Fn(&str) -> bool, is_model: impl Fn(&str) -> bool) -> Vec<String> {
    let is_weighed = words.iter().any(|word| word.is(&WEIGHED));
    let asks_of = !is_weighed && words.windows(2).any(|pair| is_attribute(&pair[0].folded) && pair[1].folded == "of");
    let between: &[&str] = if asks_of { &["and"] } else { &WEIGHED };
    let is_between = |word: &Word<'_>| word.is(between);
    if !words.iter().any(is_between) {
        return Vec::new();
    }
    let whole_or_trimmed = |part| {
        let whole = begun(part);
        let is_whole = whole.len() > 1 && whole.last().is_some_and(is_weighing) && is_name(&words::text(whole));
        if is_whole { whole } else { trimmed(part) }
    };
    let parts: Vec<&[Word<'_>]> =
        words.split(is_between).map(before_purpose).map(whole_or_trimmed).filter(|part| !part.is_empty()).collect();
    if parts.iter().any(|part| part.len() > NAME_WORDS_MAX) {
        return Vec::new();
    }
    // `cost of research and development`
    let is_thing = |thing: &str| (!asks_of || looks_like_name(thing)) && is_name(thing);
    let mut things: Vec<String> = Vec::new();
    for said in several(parts.into_iter().map(words::text)) {
        // `gemini 2.5 pro or flash`
        let whole = things.last().and_then(|before| completed(before, &said)).filter(|whole| is_model(whole));
        if whole.is_none() && !is_thing(&said) {
            return Vec::new();
        }
        things.push(whole.unwrap_or(said));
    }
    things
}

/// Things that a text lists and says nothing of: `gpt-5, o3 and o4-mini`. Nothing unless all look like names.
pub fn listed(words: &[Word<'_>], is_name: impl Fn(&str) -> bool) -> Vec<String> {
    let parts = words.split(|word| word.is(&LISTED)).flat_map(|part| part.split_inclusive(|word| word.ends_clause));
    let names: Vec<String> = parts.map(words::text).collect();
    // Whether a whole question is a name is not looked up here: nearly all list nothing.
    let are_names = names.len() > 1 && names.iter().all(|name| looks_like_name(name) && is_name(name));
    if are_names { several(names.into_iter()) } else { Vec::new() }
}

/// Some words without what the things are weighed for: `puppeteer for my agent`, `gpt-5 at coding`.
fn before_purpose<'w, 'a>(words: &'w [Word<'a>]) -> &'w [Word<'a>] {
    // `llama on groq or cerebras` and `gpt-5 at azure or openai` weigh sellers.
    let is_before = |at: &usize| {
        let does = || words.get(at + 1).is_some_and(|next| next.folded.ends_with("ing"));
        words.is(*at, &["for"]) || words.is(*at, &["at"]) && does()
    };
    let end = (1..words.len()).find(is_before).unwrap_or(words.len());
    &words[..end]
}

/// Two things or more; one that is named twice is one.
fn several(named: impl Iterator<Item = String>) -> Vec<String> {
    let mut things: Vec<String> = Vec::new();
    for thing in named {
        if !things.iter().any(|known| known.eq_ignore_ascii_case(&thing)) {
            things.push(thing);
        }
    }
    if (2..=COMPARED_MAX).contains(&things.len()) { things } else { Vec::new() }
}
