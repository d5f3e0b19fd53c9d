//! `known-items`: does the real search find the items of this store by what they are called?
//!
//! Queries are generated from names and titles: whole, the beginning, and with one typing error. Asked is
//! `/v1/search` over all types (and `/v1/frameworks/search` for frameworks). An item is found where its id stands, or
//! an item of the same name: nobody can tell those apart by a name. For the same reason the beginning is typed on until
//! no other name begins so, and a typing error that makes another item's name is made again. What is left out by that
//! is scored beside it: the first 70 percent of any name (`any_prefix`), whatever else begins so.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use serde::Serialize;
use serde_json::Value;

use refdesk::app::App;
use refdesk::config::Config;
use refdesk::exit::Exit;
use refdesk::output;

use crate::random::Random;

/// Depth of the ranking that is scored.
const DEPTH: usize = 10;
/// Share of a name that a prefix query types, in percent.
const PREFIX_PERCENT: usize = 70;
/// Characters that a prefix query types at least.
const PREFIX_CHARS_MIN: usize = 4;
/// Letters of a word that may be mistyped, at least.
const TYPO_LETTERS_MIN: usize = 4;
/// Start of the pseudo-random sequence: the same store gives the same queries.
const SEED: u64 = 7;

/// How a query is made of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum Class {
    Exact,
    Prefix,
    OneTypo,
    AnyPrefix,
}

impl Class {
    const ALL: [Self; 4] = [Self::Exact, Self::Prefix, Self::OneTypo, Self::AnyPrefix];

    const fn label(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Prefix => "prefix",
            Self::OneTypo => "one typo",
            Self::AnyPrefix => "prefix of any name",
        }
    }
}

/// A query with the item it looks for.
#[derive(Debug)]
struct Known {
    class: Class,
    kind: Kind,
    id: String,
    name: String,
    text: String,
}

#[derive(Debug, Default, Serialize)]
struct Scores {
    queries: usize,
    mrr10: f64,
    hit1: f64,
    hit10: f64,
}

#[derive(Debug, Serialize)]
struct Miss {
    class: Class,
    query: String,
    id: String,
    /// From 1; none when it is not among the first ten.
    place: Option<usize>,
    first: Option<String>,
}

/// Generates, asks and scores.
pub async fn run(config: Config, queries: usize, misses: bool, json: bool) -> anyhow::Result<Exit> {
    let app = App::open(config).await?;
    app.sync_bundled().await?;
    let desk = refdesk::desk::open(&app, app.snapshot().await?).await?;
    let known = generate(&desk.snapshot(), queries);
    let items = desk.snapshot().item_count();
    let router = refdesk_serve::router(desk);
    let mut scores: BTreeMap<&str, Scores> = BTreeMap::new();
    let mut missed = Vec::new();
    for query in &known {
        let found = ask(&router, query).await?;
        let place = found.iter().position(|(id, name)| *id == query.id || squashed(name) == squashed(&query.name));
        let sum = scores.entry(query.class.label()).or_default();
        sum.queries += 1;
        sum.mrr10 += place.map_or(0.0, |at| 1.0 / (at + 1) as f64);
        sum.hit1 += f64::from(u8::from(place == Some(0)));
        sum.hit10 += f64::from(u8::from(place.is_some()));
        if place != Some(0) {
            missed.push(Miss {
                class: query.class,
                query: query.text.clone(),
                id: query.id.clone(),
                place: place.map(|at| at + 1),
                first: found.into_iter().next().map(|(id, _)| id),
            });
        }
    }
    for sum in scores.values_mut() {
        let n = sum.queries.max(1) as f64;
        (sum.mrr10, sum.hit1, sum.hit10) = (sum.mrr10 / n, sum.hit1 / n, sum.hit10 / n);
    }
    let shown = if misses { missed.as_slice() } else { &[] };
    if json {
        output::json(&serde_json::json!({"items": items, "scores": scores, "misses": shown}));
    } else {
        output::print(&table(items, &scores, shown));
    }
    Ok(Exit::Done)
}

fn table(items: u32, scores: &BTreeMap<&str, Scores>, missed: &[Miss]) -> String {
    let mut out = format!("{items} items\n\n| query | queries | MRR@10 | hit@1 | hit@10 |\n|---|---|---|---|---|\n");
    for class in Class::ALL {
        if let Some(Scores { queries, mrr10, hit1, hit10 }) = scores.get(class.label()) {
            let _ = writeln!(out, "| {} | {queries} | {mrr10:.4} | {hit1:.4} | {hit10:.4} |", class.label());
        }
    }
    for miss in missed {
        let place = miss.place.map_or_else(|| "not found".to_owned(), |place| format!("at {place}"));
        let first = miss.first.as_deref().unwrap_or("nothing");
        let _ = writeln!(out, "{}: {:?} wants {}: {place}, first is {first}", miss.class.label(), miss.query, miss.id);
    }
    out
}

fn letter(random: &mut Random) -> char {
    char::from(b'a' + random.below(26) as u8)
}

/// The squashed names of what is asked together: frameworks, and all the others.
struct Names([BTreeSet<String>; 2]);

impl Names {
    fn of(snapshot: &Snapshot) -> Self {
        let mut names = Self([BTreeSet::new(), BTreeSet::new()]);
        for ordinal in 0..snapshot.item_count() {
            let kind = snapshot.kind_of(ordinal);
            names.0[usize::from(kind == Kind::Framework)].insert(squashed(&snapshot.name(ordinal)));
        }
        names
    }

    /// The beginning of a name, typed on until no other name begins so; none when it is the beginning of another one.
    fn own_prefix(&self, kind: Kind, name: &str) -> Option<String> {
        let own = squashed(name);
        let names = &self.0[usize::from(kind == Kind::Framework)];
        let told = |typed: &String| {
            let typed = squashed(typed);
            let mut begins = names.range(typed.clone()..).take_while(|other| other.starts_with(&typed));
            begins.all(|other| *other == own)
        };
        let (from, chars) = (prefix(name).chars().count(), name.chars().count());
        (from..chars).map(|typed| name.chars().take(typed).collect::<String>().trim_end().to_owned()).find(told)
    }

    /// True when a text is what another item is called.
    fn is_another(&self, kind: Kind, name: &str, typed: &str) -> bool {
        let typed = squashed(typed);
        typed != squashed(name) && self.0[usize::from(kind == Kind::Framework)].contains(&typed)
    }
}

/// Queries for items drawn from the whole catalog, classes in turn. A name that a class cannot use is drawn again.
fn generate(snapshot: &Snapshot, queries: usize) -> Vec<Known> {
    const DRAWS_PER_QUERY: usize = 20;
    let mut random = Random(SEED);
    let names = Names::of(snapshot);
    let mut known = Vec::with_capacity(queries);
    if snapshot.item_count() == 0 {
        return known;
    }
    for _ in 0..queries * DRAWS_PER_QUERY {
        if known.len() == queries {
            break;
        }
        let class = Class::ALL[known.len() % Class::ALL.len()];
        let ordinal = random.below(snapshot.item_count() as usize) as u32;
        let name = snapshot.name(ordinal);
        let kind = snapshot.kind_of(ordinal);
        let text = match class {
            _ if squashed(&name).is_empty() => None,
            Class::Exact => Some(name.to_string()),
            Class::Prefix => names.own_prefix(kind, &name),
            Class::AnyPrefix => Some(prefix(&name)),
            Class::OneTypo => mistyped(&name, &mut random).filter(|typed| !names.is_another(kind, &name, typed)),
        };
        if let Some(text) = text {
            let (id, name) = (snapshot.id(ordinal).to_owned(), name.into_owned());
            known.push(Known { class, kind, id, name, text });
        }
    }
    known
}

/// Letters and digits in lower case.
fn squashed(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn prefix(name: &str) -> String {
    let chars = name.chars().count();
    let typed = (chars * PREFIX_PERCENT).div_ceil(100).max(PREFIX_CHARS_MIN);
    name.chars().take(typed).collect::<String>().trim_end().to_owned()
}

/// The name with one letter of a word of Latin letters missing, doubled by another, wrong, or swapped with the next.
fn mistyped(name: &str, random: &mut Random) -> Option<String> {
    let chars: Vec<char> = name.chars().collect();
    let mut words: Vec<std::ops::Range<usize>> = Vec::new();
    let mut start = 0;
    for end in 0..=chars.len() {
        if chars.get(end).is_some_and(|c| c.is_alphanumeric()) {
            continue;
        }
        if end - start >= TYPO_LETTERS_MIN && chars[start..end].iter().all(char::is_ascii_alphabetic) {
            words.push(start..end);
        }
        start = end + 1;
    }
    let word = words.get(random.below(words.len()))?.clone();
    let at = word.start + random.below(word.len());
    let mut typed = chars.clone();
    match random.below(4) {
        0 => {
            typed.remove(at);
        }
        1 => typed.insert(at, letter(random)),
        2 => typed[at] = letter(random),
        _ => typed.swap(at.min(word.end - 2), at.min(word.end - 2) + 1),
    }
    let same = typed.iter().map(char::to_ascii_lowercase).eq(chars.iter().map(char::to_ascii_lowercase));
    (!same).then(|| typed.into_iter().collect())
}

/// Ids and names of the hits of the real endpoint.
async fn ask(router: &axum::Router, known: &Known) -> anyhow::Result<Vec<(String, String)>> {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("q", &known.text).append_pair("limit", &DEPTH.to_string());
    let (path, results) = if known.kind == Kind::Framework {
        query.append_pair("include_candidates", "true");
        ("/v1/frameworks/search", "frameworks")
    } else {
        ("/v1/search", "results")
    };
    let answer = refdesk::commands::evaluate::answer_of(router, path, &query.finish()).await?;
    let text = |hit: &Value, key: &str| hit[key].as_str().map(str::to_owned);
    let hits = answer[results].as_array().into_iter().flatten();
    Ok(hits
        .filter_map(|hit| {
            let name = Kind::ALL.iter().find_map(|kind| text(hit, kind.name_key()));
            Some((text(hit, "id")?, name.unwrap_or_default()))
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use refdesk_core::Kind;

    use super::{Names, mistyped, prefix};
    use crate::random::Random;

    #[test]
    fn a_name_is_typed_until_no_other_begins_so_and_a_typo_is_no_other_name() {
        let names = ["harbour", "harbourmaster", "harbourside", "pier", "pear"].map(str::to_owned);
        let names = Names([BTreeSet::from(names), BTreeSet::new()]);
        let prefix = |name: &str| names.own_prefix(Kind::Tool, name);
        assert_eq!(prefix("Harbourmaster").as_deref(), Some("Harbourmas"));
        assert_eq!(prefix("Harbour-Side").as_deref(), Some("Harbour-S"));
        assert_eq!(prefix("Harbour"), None, "two other names begin so");
        assert!(names.is_another(Kind::Tool, "Pier", "pear") && !names.is_another(Kind::Tool, "Pier", "peir"));
        assert!(!names.is_another(Kind::Framework, "Pier", "pear"), "frameworks have a search of their own");
    }

    #[test]
    fn a_prefix_is_seven_tenths_of_a_name_and_at_least_four_characters() {
        for (name, typed) in [("abcdefghij", "abcdefg"), ("abcde", "abcd"), ("ab", "ab"), ("abcdef ghij", "abcdef g")] {
            assert_eq!(prefix(name), typed);
        }
    }

    #[test]
    fn a_typing_error_never_touches_digits_or_short_words() {
        let mut random = Random(1);
        for _ in 0..500 {
            let typed = mistyped("abc 4.5 harbour a1b2c3d4", &mut random);
            let typed = typed.as_deref().unwrap_or("abc 4.5 x a1b2c3d4");
            assert!(typed.starts_with("abc 4.5 ") && typed.ends_with(" a1b2c3d4"), "{typed}");
        }
        assert_eq!(mistyped("abc 4.5", &mut random), None);
    }
}
