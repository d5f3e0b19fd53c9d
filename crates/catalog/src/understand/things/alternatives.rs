//! What else there is: `alternatives to langchain`, `gpt-5 alternative`. Tools of the same category, models of the same mode that others make.
//! `tools similar to langchain` are of its category, too.

use std::ops::Range;

use serde_json::Value;

use super::beyond::joined_bounds;
use super::called::with_kind;
use super::comparative::LIKE;
use super::relation::{GONE, Relation, named};
use super::successor::model_named;
use crate::json;
use crate::snapshot::Snapshot;
use crate::understand::kinds::{self, Head};
use crate::understand::modalities::of_mode;
use crate::understand::params::param;
use crate::understand::reading::is_negation;
use crate::understand::rest::is_said_anyway;
use crate::understand::words::{self, PhraseRows, Word, Words};
use crate::understand::{Understood, is_telling_name, rarity};
use refdesk_core::Kind;
use refdesk_core::clean;
use refdesk_core::field::escaped;
use refdesk_search::SegmentSet;
use refdesk_search::text::{WordSet, is_stop_word};

/// Words for another thing of the kind, behind its name …
const ALTERNATIVES: [&str; 2] = ["alternative", "alternatives"];
/// … and phrases before what there is another of.
static BEFORE: PhraseRows<()> =
    PhraseRows::new(&[("alternative to,alternatives to,alternatives for,competitors of,competitors to", ())]);
/// Phrases before what a tool is to be like. What is like a model may be of the same maker, and is no list.
static SIMILAR: PhraseRows<()> =
    PhraseRows::new(&[("similar to,comparable to,something like,anything like,tools like,libraries like", ())]);
/// The same before a server that things are to be like.
static LIKE_SERVER: PhraseRows<()> = PhraseRows::new(&[("mcp like,server like,servers like", ())]);

/// Words of a description that are searched for.
const DESCRIBED_WORDS: usize = 12;
/// Fewer of them say little of a thing, and its category is searched for, too.
const DESCRIBED_WORDS_FEW: usize = 3;
/// More words than these beside the thing and the words that ask for others tell of something else.
const DESCRIBING_WORDS: usize = 4;
/// What descriptions say of any server or program, and not of what it is for: of their words these are among the most frequent.
static OF_ANY: WordSet = WordSet::new(
    "mcp server servers model models context protocol ai agent agents assistant assistants llm llms claude client clients api apis tool tools sdk \
     official community project implementation implements implementing integration integrates integrating interface service services platform \
     access connect connects connecting interact interacts interacting interaction interactions enable enables enabling allow allows allowing \
     provide provides providing support supports supporting facilitates compatible based powered comprehensive seamless seamlessly \
     capabilities features functionality using use natural language stdio streamable http sse transport transports remote local \
     typescript python node.js e.g",
);

/// What else there is, if a question asks for that.
pub fn parse(snapshot: &Snapshot, words: &[Word<'_>], segments: SegmentSet) -> Option<Relation> {
    // Of tools alone.
    let find_tool = |name: &str| snapshot.whole_name(name, segments.intersection(Kind::Tool.into()));
    // A server for a program is called as that is, and no field says what else there is in its place.
    let find = |name: &str| {
        let found = snapshot.whole_name(name, segments)?;
        let is_listed = matches!(snapshot.kind_of(found), Kind::Tool | Kind::Model);
        Some(if is_listed { found } else { find_tool(name).unwrap_or(found) })
    };
    let others = named(words, &BEFORE, &ALTERNATIVES, find);
    let of_another = || {
        let end = of_another_maker(words)?;
        let (ordinal, taken) = named(words, &SIMILAR, &[], find)?;
        Some((ordinal, taken.start..end.max(taken.end)))
    };
    let (ordinal, mut taken) = others.or_else(of_another).or_else(|| named(words, &SIMILAR, &[], find_tool))?;
    let kind = snapshot.kind_of(ordinal);
    let item: Value = json::read_own(snapshot.row(ordinal));
    let text = |field: &str| item.get(field).and_then(Value::as_str);
    let mut params = match kind {
        Kind::Tool => vec![param("category", &escaped(text("category")?))],
        Kind::Model => vec![
            param("vendor__not", &escaped(text("vendor")?)),
            of_mode(&item),
            param("status__not", GONE),
            param("sort", "-offers"),
        ],
        _ => return None,
    };
    // `alternatives to gpt-4o with a larger context`
    while let Some((bounds, end)) = (kind == Kind::Model).then(|| joined_bounds(&item, words, taken.end)).flatten() {
        params.extend(bounds);
        taken.end = end;
    }
    Some(Relation { beside: Some(ordinal), ..Relation::new(kind, taken, params) })
}

/// Models of the mode of a named one that differ from it in what stands behind `but`: `like gpt-4o but open source`. What else makes them alike,
/// no field says.
pub fn alike_but(snapshot: &Snapshot, words: &[Word<'_>]) -> Option<Relation> {
    let (ordinal, taken) = named(words, &LIKE, &[], |name| model_named(snapshot, name))?;
    if !words.is(taken.end, &["but"]) {
        return None;
    }
    let model: Value = json::read_own(snapshot.row(ordinal));
    let params = vec![of_mode(&model), param("status__not", GONE)];
    Some(Relation { beside: Some(ordinal), ..Relation::new(Kind::Model, taken.start..taken.end + 1, params) })
}

/// Where the words end that ask for what others make: `from another vendor`.
fn of_another_maker(words: &[Word<'_>]) -> Option<usize> {
    let is_said = |at: &usize| {
        words.is(*at, &["another", "different", "other"])
            && words.is(*at + 1, &["vendor", "vendors", "maker", "makers", "company", "companies", "lab", "labs"])
    };
    (0..words.len()).find(is_said).map(|at| at + 2)
}

/// The thing that a text names, by its name alone or with the word for its kind behind.
fn called(snapshot: &Snapshot, text: &str, segments: SegmentSet) -> Option<u32> {
    snapshot.whole_name(text, segments).or_else(|| with_kind(snapshot, text, segments))
}

/// Whether the words left over say what the others are to be, in front of the words that ask for them or behind: `open source alternatives to
/// firecrawl that run locally`. What they are not to be is no text to look for.
fn describe_others(words: &[Word<'_>], asked: &Range<usize>, left_over: &[usize]) -> bool {
    let in_front = (0..asked.start).rev().take_while(|at| !is_said_anyway(&words[*at])).last();
    let start = in_front.unwrap_or(asked.start);
    let is_negated = || words.iter().any(|word| is_negation(&word.folded));
    left_over.is_empty()
        || left_over.len() <= DESCRIBING_WORDS && left_over.iter().all(|at| *at >= start) && !is_negated()
}

/// What else there is where no field says it: what has words of the named thing's description, and not its name. What is like a server is
/// meant as well.
pub fn by_description(snapshot: &Snapshot, words: &[Word<'_>], segments: SegmentSet) -> Option<Understood> {
    let servers = segments.intersection(Kind::McpServer.into());
    let like = || {
        // `something like a database` names none.
        let is_telling = |name: &str| words::is_more_than_a_word(name) || is_telling_name(snapshot, name, servers);
        let find = |name: &str| called(snapshot, name, servers).filter(|_| is_telling(name));
        named(words, &SIMILAR, &[], find).or_else(|| named(words, &LIKE_SERVER, &[], find))
    };
    let others = named(words, &BEFORE, &ALTERNATIVES, |name| called(snapshot, name, segments));
    let (ordinal, taken) = others.or_else(like)?;
    let kind = snapshot.kind_of(ordinal);
    // People call servers tools.
    let is_of_kind = |head: &Head| head.kind == kind || (head.kind, kind) == (Kind::Tool, Kind::McpServer);
    let head = kinds::head(words).filter(is_of_kind).map_or(0..0, |head| head.at..head.at + head.taken);
    let is_read = |at: usize| taken.contains(&at) || head.contains(&at) || is_said_anyway(&words[at]);
    let left_over: Vec<usize> = (0..words.len()).filter(|at| !is_read(*at)).collect();
    if kind == Kind::Model || !describe_others(words, &taken, &left_over) {
        return None;
    }
    let (segment, row) = snapshot.locate(ordinal);
    let name = segment.name(row);
    let of_name = words::words(&name);
    let named = of_name.iter().filter(|word| !is_stop_word(&word.folded));
    let name_word = named.max_by_key(|word| rarity(snapshot, &word.folded, segments))?;
    let passage = segment.passage(row);
    let says = |word: &&Word<'_>| {
        let folded = word.folded.as_str();
        !is_stop_word(folded) && !OF_ANY.contains(folded) && of_name.iter().all(|own| own.folded != folded)
    };
    let item: Value = json::read_own(segment.row(row));
    let category = words::words(json::text_of(&item, "category"));
    let described = words::words(&passage);
    let mut telling: Vec<&Word<'_>> = described.iter().filter(says).take(DESCRIBED_WORDS).collect();
    if telling.len() < DESCRIBED_WORDS_FEW {
        telling.extend(category.iter().filter(says));
    }
    let likeness = words::text(telling);
    let warning = format!(
        "no field says what the alternatives to `{name}` are: these have words of its description or category, `{}`",
        clean::quoted(&likeness)
    );
    let said = words::text(left_over.iter().map(|at| &words[*at]));
    let wanted = if said.is_empty() { likeness.clone() } else { format!("{said} {likeness}") };
    (!likeness.is_empty()).then(|| Understood {
        kind: Some(kind),
        rest: wanted.clone(),
        wanted: Some(wanted),
        unwanted: vec![name_word.folded.clone()],
        warnings: vec![warning.into()],
        ..Understood::default()
    })
}
