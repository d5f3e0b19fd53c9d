//! Lines of models. Who types the name of one alone, `claude` or `sonnet`, means those of it that many know today; in a question it says that
//! models are meant.

mod asked;
mod by_word;

pub use asked::asked;
pub use by_word::by_word;

use std::ops::RangeInclusive;

use by_word::families_by_word;

use crate::resolve::model::makers::{self, is_family};
use crate::snapshot::Snapshot;
use crate::understand::kinds::Head;
use crate::understand::measures::{is_amount, is_attribute};
use crate::understand::params::{self, param};
use crate::understand::rest::{is_measure, is_said_anyway};
use crate::understand::things::{GONE, Relation, about};
use crate::understand::values::is_seller;
use crate::understand::words::{self, Word, Words};
use crate::understand::{amounts, rarity, vocabulary};
use refdesk_core::Kind;
use refdesk_core::field::escaped;
use refdesk_core::query::{ListQuery, Warning};
use refdesk_core::text::{self, numbers};
use refdesk_search::text::folded;
use refdesk_search::{SearchHit, SegmentSet};

/// The current models of the line that a text names, those first that most sell; none where it is no single word for one line.
pub fn line(snapshot: &Snapshot, text: &str) -> Option<ListQuery> {
    let word = folded(text.trim());
    if word.is_empty() || word.contains(char::is_whitespace) {
        return None;
    }
    let (name, value) = called(snapshot, &word)?;
    let pairs = [(name, value.as_str()), ("status__not", GONE), ("include_removed", "false"), ("sort", "-offers")];
    params::list(Kind::Model, pairs)
}

/// Whether a text names a line of models or a version of one, and no single one: `opus`, `claude opus`, `llama 3.3`, `qwen3`.
pub fn is_line(snapshot: &Snapshot, text: &str) -> bool {
    let words = words::words(text);
    let is_named = match &words[..] {
        [word] => called(snapshot, &word.folded).is_some() && !is_ordinary(snapshot, &word.folded),
        several => several.len() <= NAME_WORDS_MAX && called_by_several(snapshot, several).is_some(),
    };
    is_named || is_version_of_line(snapshot, &words)
}

/// Whether some words name a line and a version that models of it have.
fn is_version_of_line(snapshot: &Snapshot, words: &[Word<'_>]) -> bool {
    let said = words::hyphenated(words);
    let Some(at) = said.find(|c: char| c.is_ascii_digit()) else { return false };
    let (line, version) = (said[..at].trim_end_matches('-'), &said[at..]);
    // `qwen 2.5 72b`: the parameters behind the version.
    let sized = version.split_once('-').and_then(|(version, size)| Some((version, size.strip_suffix('b')?)));
    let (version, size) = sized.map_or((version, None), |(version, size)| (version, Some(size)));
    let asked: Vec<&str> = version.split('.').chain(size).collect();
    is_family(line) && is_version(version) && {
        let (_, ids) = snapshot.ids_with_prefix(Kind::Model, line, usize::MAX);
        ids.into_iter().any(|id| numbers(id).take(asked.len()).eq(asked.iter().copied()))
    }
}

/// The filter for the models of the line that one folded word names, and its value.
fn called(snapshot: &Snapshot, word: &str) -> Option<(&'static str, String)> {
    if is_family(word) {
        return Some((
            "series",
            escaped(snapshot.segment(Kind::Model).values("series").find(|series| *series == word)?),
        ));
    }
    // `sonnet` is of the Claudes alone, `flash` of several.
    let end = format!("-{word}");
    let is_of_word = |family: &&str| {
        let start = family.len().checked_sub(end.len());
        start.and_then(|start| family.get(start..)).is_some_and(|tail| tail.eq_ignore_ascii_case(&end))
    };
    let families: Vec<&str> = snapshot.segment(Kind::Model).values("family").filter(is_of_word).collect();
    let first = |family: &str| family.split('-').next().map(str::to_lowercase);
    let is_one_line = families.first().is_some_and(|one| families.iter().all(|family| first(family) == first(one)));
    is_one_line.then(|| ("family", listed(&families)))
}

/// The same for several words, of which the first is that of a line: `claude haiku`, and with its light ones `gemini flash`.
fn called_by_several(snapshot: &Snapshot, words: &[Word<'_>]) -> Option<(&'static str, String)> {
    if !is_family(&words.first()?.folded) {
        return None;
    }
    let said = words::hyphenated(words);
    let families = families_of(snapshot, &said);
    (!families.is_empty()).then(|| ("family", listed(&families)))
}

/// The families that are called so, with their light ones: `gemini-flash`, `gemini-flash-lite`.
fn families_of<'s>(snapshot: &'s Snapshot, said: &str) -> Vec<&'s str> {
    let lighter = format!("{said}-");
    let is_of_line = |family: &&str| {
        let family = family.to_lowercase();
        family == said || family.starts_with(&lighter)
    };
    snapshot.segment(Kind::Model).values("family").filter(is_of_line).collect()
}

/// Values as a filter takes them.
fn listed(values: &[&str]) -> String {
    values.iter().map(|value| escaped(value)).collect::<Vec<_>>().join(",")
}

/// Most words that a line of models is named by.
const NAME_WORDS_MAX: usize = 3;
/// What is said of a price beside words that are asked of all things.
const OF_PRICE: [&str; 7] = ["per", "1m", "1k", "mtok", "usd", "dollars", "current"];
/// What is asked of a thing that may be gone: `does gemini 1.0 still exist`.
const OF_EXISTENCE: [&str; 9] =
    ["still", "anymore", "exist", "exists", "existing", "available", "alive", "around", "gone"];

/// A word that servers, tools and skills have more often than one in so many items is not only that of a line: `router`, `image`.
const UNCOMMON_SHARE: usize = 1_000;

/// Whether a word that is no line's own stands for many other things as well: what they cost is no question for models.
fn is_ordinary(snapshot: &Snapshot, word: &str) -> bool {
    let others: SegmentSet = [Kind::McpServer, Kind::Tool, Kind::Skill].into_iter().collect();
    !is_family(word) && rarity(snapshot, word, others) < UNCOMMON_SHARE
}

/// The models of a line whose prices a question asks for and nothing else: `sonnet price`, `how much does claude haiku cost`. Whoever names no
/// version wants those of its current models.
pub fn priced(snapshot: &Snapshot, words: &[Word<'_>]) -> Option<Relation> {
    let is_asked = |word: &Word<'_>| is_attribute(&word.folded) || is_said_anyway(word) || word.is(&OF_PRICE);
    if !about::are_of_price(words) {
        return None;
    }
    let start = words.iter().position(|word| !is_asked(word))?;
    let last = words.iter().rposition(|word| !is_asked(word))?;
    // `qwen max price`: a word that is asked of other things may end the name.
    let mut ends = (last + 1..=words.len().min(start + NAME_WORDS_MAX)).rev();
    let (name, value) = ends.find_map(|end| called_alone(snapshot, &words[start..end]))?;
    Some(current_models(name, &value, words))
}

/// The filter for the models of the line that some words name which are of no other thing, and its value.
fn called_alone(snapshot: &Snapshot, words: &[Word<'_>]) -> Option<(&'static str, String)> {
    match words {
        [word] if !is_ordinary(snapshot, &word.folded) => called(snapshot, &word.folded),
        [_] => None,
        several => called_by_several(snapshot, several),
    }
}

/// The current models of a line, of which all words of a question ask.
fn current_models(name: &str, value: &str, words: &[Word<'_>]) -> Relation {
    Relation::new(Kind::Model, 0..words.len(), vec![param(name, value), param("status__not", GONE)])
}

/// What the maker of something does …
const MAKING: [&str; 11] =
    ["makes", "made", "develops", "developed", "creates", "created", "builds", "built", "trains", "trained", "owns"];
/// … and is called.
const MAKERS: [&str; 5] = ["maker", "vendor", "developer", "creator", "company"];

/// The models of a line of which a question asks who makes it, and nothing else: `who makes kimi`, `maker of grok`. Each says who that is.
pub fn made(snapshot: &Snapshot, words: &[Word<'_>]) -> Option<Relation> {
    let start = if words.is(0, &["who"]) && words.is(1, &MAKING) {
        2
    } else {
        let maker = (0..words.len()).find(|at| words.is(*at, &MAKERS))?;
        let link = words.past(maker + 1, &["is"]);
        let is_asked = words.is(link, &["of", "behind"]) && words[..maker].iter().all(is_said_anyway);
        is_asked.then_some(link + 1)?
    };
    let start = words.past(start, &["the"]);
    let end = words.len() - usize::from(words.last().is_some_and(|last| last.is(&["model", "models"])));
    let named = words.get(start..end).filter(|named| (1..=NAME_WORDS_MAX).contains(&named.len()))?;
    let (name, value) = called_alone(snapshot, named)?;
    Some(current_models(name, &value, words))
}

/// How many digits a part of a version has: `2025` is a year.
const VERSION_DIGITS: RangeInclusive<usize> = 1..=2;

/// A version that no model of a line has.
#[derive(Debug)]
pub struct UnknownVersion {
    /// The line and its version as one name: `claude-opus-9`.
    pub name: String,
    /// Says that it is unknown.
    pub warning: Warning,
}

/// The version of a line that a text names and no model has, if the text names both and asks only what can be asked of any model:
/// `gpt-9 price`, `claude opus 9`. What is found then are other versions.
pub fn unknown_version(snapshot: &Snapshot, text: &str, hits: &[SearchHit]) -> Option<UnknownVersion> {
    if !words::has_digit(text) {
        return None;
    }
    let words = words::words(text);
    let is_asked = |word: &Word<'_>| {
        is_attribute(&word.folded)
            || is_measure(word)
            || is_said_anyway(word)
            || word.is(&OF_PRICE)
            || word.is(&OF_EXISTENCE)
    };
    let start = words.iter().position(|word| !is_asked(word))?;
    let last = words.iter().rposition(|word| !is_asked(word))?;
    // `claude 10 million tokens` asks for an amount.
    if words.get(last + 1).is_some_and(|next| is_amount(&next.folded) || next.folded.starts_with("token")) {
        return None;
    }
    let name = words.get(start..=last).filter(|name| name.len() <= NAME_WORDS_MAX)?;
    let parts: Vec<&str> = name.iter().flat_map(|word| word.folded.split('-')).collect();
    let (line, behind) = parts.split_first()?;
    let at = behind.iter().position(|part| is_version(part))?;
    let end = at + behind[at..].iter().take_while(|part| is_version(part)).count();
    let typed = behind[at..end].join(".");
    let version = typed.trim_end_matches(".0");
    let is_first_of_major = version != typed;
    // `opus` of `claude opus 9`
    let variant: Vec<&str> = behind[..at].iter().chain(&behind[end..]).copied().collect();
    let said: Vec<&str> = std::iter::once(line).chain(&variant).copied().collect();
    let is_line = is_family(line)
        && match variant.as_slice() {
            [] => called(snapshot, line).is_some(),
            _ => !families_of(snapshot, &said.join("-")).is_empty(),
        };
    if !is_line {
        return None;
    }
    let asked: Vec<&str> = version.split('.').collect();
    let is_it = |id: &str| {
        let is_there = |word: &&str| id.split(|c: char| !c.is_alphabetic()).any(|part| part == *word);
        variant.iter().all(is_there) && has_version(id, &asked, is_first_of_major)
    };
    // Some begin with who makes or sells them.
    let is_found = |hit: &SearchHit| {
        let name = folded(&snapshot.name(hit.ordinal));
        let is_of_line = name.split(|c: char| !c.is_alphabetic()).any(|part| part == *line);
        snapshot.kind_of(hit.ordinal) == Kind::Model && is_of_line && is_it(&name)
    };
    let (_, ids) = snapshot.ids_with_prefix(Kind::Model, line, usize::MAX);
    let name = format!("{}-{version}", said.join("-"));
    let is_known = ids.into_iter().any(is_it)
        || hits.iter().any(is_found)
        || [name.as_str(), &parts.join("-")].iter().any(|name| snapshot.find(Kind::Model, name).item().is_some());
    let told = || format!("no model of `{}` has the version `{typed}`", said.join(" "));
    (!is_known).then(|| UnknownVersion { warning: told().into(), name })
}

/// Whether a name has the version that is asked for by its parts, of which a zero behind the first may have been left out. The `7` of
/// `claude-3-7-sonnet` makes no Claude 7; that of `llama-2-7b` is what some ask for without its letter.
fn has_version(id: &str, asked: &[&str], is_first_of_major: bool) -> bool {
    let numbers: Vec<&str> = numbers(id).collect();
    match asked {
        // `gemini-1.5` is no Gemini 1.0; the date of `claude-4-20250514` is no version.
        [_] if is_first_of_major && numbers.get(1).is_some_and(|next| *next != "0" && next.len() <= 2) => false,
        [major] => {
            // `45` is how some write `4.5`.
            numbers.first() == Some(major)
                || numbers.iter().take(2).copied().collect::<String>() == *major
                || text::words(id).any(|part| part.strip_suffix('b') == Some(*major))
        }
        asked => numbers.windows(asked.len()).any(|found| found == asked),
    }
}

/// Whether a part of a name is a version, `4` or `4.5`.
fn is_version(part: &str) -> bool {
    part.split('.').all(|number| VERSION_DIGITS.contains(&number.len()) && words::only_digits(number))
}

/// What a line of models is called behind its name.
const LINES: [&str; 8] = ["family", "members", "series", "lineup", "versions", "variants", "family's", "line"];
/// What says that models of the line are told apart by what follows.
const TELLING_APART: [&str; 5] = ["with", "that", "which", "having", "supporting"];
/// What is asked of the models of a line, beside what all things are asked.
const SIZES: [&str; 8] = ["long", "large", "big", "high", "low", "bigger", "longer", "many"];

/// What is asked of when a model came.
const RELEASE: [&str; 6] = ["release", "released", "launch", "launched", "come", "came"];

/// What stands between a model and who sells it.
const SOLD_ON: [&str; 4] = ["on", "via", "through", "at"];

/// Whether a question without a word for the kind begins with a line of models, and tells its models apart, says who sells them, or asks of a
/// version of it only what models are measured by, or when it came: `gemma family members with image input`, `qwen3 on openrouter`,
/// `llama 4 context`, `license of llama 4`, `when was llama 4 released`.
pub fn is_asked_for(snapshot: &Snapshot, words: &[Word<'_>]) -> bool {
    // `open source qwen with vision`, `license of llama 4`
    let mut at = 0;
    let described = |at: usize| vocabulary::taken_at(Kind::Model, words, at);
    let is_of_any = |word: &Word<'_>| is_measure(word) || word.is(&RELEASE);
    let passed = |word: &Word<'_>, at: usize| {
        if is_said_anyway(word) { Some(1) } else { described(at).or_else(|| is_of_any(word).then_some(1)) }
    };
    while let Some(taken) = words.get(at).and_then(|word| passed(word, at)) {
        at += taken;
    }
    let name = at;
    if is_sold_on(snapshot, &words[name..]) {
        return true;
    }
    // `qwen3`
    let glued = |word: &str| is_family(word.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-')));
    let is_called = words.get(name).is_some_and(|word| is_family(&word.folded));
    let is_glued = !is_called && words.get(name).is_some_and(|word| glued(&word.folded));
    if !is_called && !is_glued {
        // `sonnet with vision`, and not `sonnet with rhymes`
        let has_value = words.is(name + 1, &TELLING_APART) && described(name + 2).is_some();
        return has_value && families_by_word(snapshot, &words[name].folded).is_some();
    }
    let is_of_line = |word: &&Word<'_>| amounts::is_numeric(&word.folded) || word.is(&LINES);
    let behind = name + 1 + words[name + 1..].iter().take_while(is_of_line).count();
    if words.is(behind, &TELLING_APART) {
        return true;
    }
    let rest = &words[behind..];
    let says_no_more = |word: &Word<'_>| is_of_any(word) || is_said_anyway(word) || word.is(&SIZES);
    let is_measured = words[..name].iter().chain(rest).any(is_of_any);
    (is_glued || behind > name + 1) && is_measured && rest.iter().all(says_no_more)
}

/// Whether some words name a model by its line and who sells it, and ask no more than what models are measured by: `gpt-5 on azure price`.
fn is_sold_on(snapshot: &Snapshot, words: &[Word<'_>]) -> bool {
    let Some(line) = words.first().and_then(|first| first.folded.split('-').next()) else { return false };
    let line = line.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let Some(link) = words.iter().position(|word| word.is(&SOLD_ON)) else { return false };
    let is_of_family = is_family(line);
    // `opus on bedrock`
    let is_by_word = || link == 1 && families_by_word(snapshot, &words[0].folded).is_some();
    (1..=NAME_WORDS_MAX + 1).contains(&link)
        && (is_of_family || link == 1)
        && names_seller(snapshot, &words[link + 1..])
        && (is_of_family || is_by_word())
}

/// Whether some words name a maker and who sells its models, and say no more than what models are measured by: `openai at azure`.
pub fn are_made_and_sold(snapshot: &Snapshot, words: &[Word<'_>]) -> bool {
    let Some(link) = words.iter().position(|word| word.is(&SOLD_ON)) else { return false };
    let maker: String = words[..link].iter().map(|word| word.folded.as_str()).collect();
    (1..=NAME_WORDS_MAX).contains(&link)
        && makers::vendor(&maker).is_some()
        && names_seller(snapshot, &words[link + 1..])
}

/// Whether the words behind what links a model with its seller name one, and ask no more than what models are measured by.
fn names_seller(snapshot: &Snapshot, behind: &[Word<'_>]) -> bool {
    let last = behind.iter().rposition(|word| !is_measure(word) && !is_said_anyway(word));
    last.is_some_and(|last| is_seller(snapshot, &words::text(&behind[..=last])))
}

/// What the models of a line are called that is named before: the word for the kind.
const MEMBERS: [&str; 7] = ["family", "members", "series", "lineup", "versions", "variants", "sizes"];
/// What may follow, beside what tells them apart. In `qwen series rename script` it is about something else.
const BEHIND_MEMBERS: [&str; 10] =
    ["sorted", "ordered", "ranked", "under", "below", "over", "from", "on", "released", "without"];

/// The word for the kind of a question that names a line of models and its members: `all claude versions`, `gpt-5 family sorted by price`.
pub fn members(snapshot: &Snapshot, words: &[Word<'_>]) -> Option<Head> {
    let is_member = |word: &Word<'_>| word.is(&MEMBERS);
    let at = words.iter().position(is_member)?;
    let taken = words[at..].iter().take_while(|word| is_member(word)).count();
    let is_end = at + taken == words.len() || words[at + taken - 1].ends_clause;
    let follows = |any: &[&str]| words.is(at + taken, any);
    if !is_end && !follows(&TELLING_APART) && !follows(&BEHIND_MEMBERS) {
        return None;
    }
    let start = words[..at].iter().position(|word| !is_said_anyway(word) && word.folded != "all")?;
    let last = words[start..at].iter().rposition(|word| !amounts::is_numeric(&word.folded))?;
    let is_line = match &words[start..=start + last] {
        [word] => {
            let (line, version) = word.folded.split_once('-').unwrap_or((word.folded.as_str(), "0"));
            is_family(line) && amounts::is_numeric(version)
                || called(snapshot, &word.folded).is_some() && !is_ordinary(snapshot, &word.folded)
        }
        several => several.len() <= NAME_WORDS_MAX && called_by_several(snapshot, several).is_some(),
    };
    is_line.then_some(Head { kind: Kind::Model, at, taken, topical: false })
}
