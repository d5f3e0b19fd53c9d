//! Scores the search index on labelled sets, and measures its speed on generated items.
//!
//! `score_sets DIR …` reads `corpus.jsonl`, `queries.jsonl` and `qrels.tsv` in each directory and prints nDCG@10, hit@1
//! (for each class of queries, where they have one), MRR@10 and queries per second on one core.
//! `score_sets --speed 10000 100000 1000000` does the same for items of random words with Zipf's distribution.

#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use refdesk_search::{Bitmap, DocInput, Field, IndexBuilder, NameKind, SearchIndex, SearchRequest};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

#[path = "../random.rs"]
mod random;

type Failure = Box<dyn std::error::Error>;

/// Results that are scored.
const DEPTH: usize = 10;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(("--speed", sizes)) = arguments.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        for size in sizes {
            speed::measure(size.parse()?);
        }
        return Ok(());
    }
    for directory in &arguments {
        score(Path::new(directory))?;
    }
    Ok(())
}

struct Query {
    text: String,
    class: Option<String>,
    relevant: HashMap<String, f64>,
}

fn score(directory: &Path) -> Result<(), Failure> {
    let (ids, index) = load_items(directory)?;
    let queries = load_queries(directory)?;
    let started = Instant::now();
    let answers: Vec<Vec<&str>> = queries
        .iter()
        .map(|query| {
            let found = index.search(&SearchRequest::new(&query.text, DEPTH));
            found.hits.iter().map(|hit| ids[hit.ordinal as usize].as_str()).collect()
        })
        .collect();
    let seconds = started.elapsed().as_secs_f64();
    let (mut gain, mut reciprocal, mut first) = (0.0, 0.0, 0.0);
    let mut classes: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (query, answer) in queries.iter().zip(&answers) {
        let hit = f64::from(u8::from(answer.first().is_some_and(|id| query.relevant.contains_key(*id))));
        gain += ndcg(answer, &query.relevant);
        reciprocal +=
            answer.iter().position(|id| query.relevant.contains_key(*id)).map_or(0.0, |at| 1.0 / (at + 1) as f64);
        first += hit;
        if let Some(class) = &query.class {
            let sum = classes.entry(class).or_default();
            sum.0 += hit;
            sum.1 += 1.0;
        }
        if hit == 0.0 && std::env::var_os("MISSES").is_some() {
            println!(
                "  miss {:?} {:?} wanted {:?} got {:?}",
                query.class,
                query.text,
                query.relevant.keys().take(3).collect::<Vec<_>>(),
                &answer[..answer.len().min(3)]
            );
        }
    }
    let count = queries.len() as f64;
    println!(
        "{}: {} items, {} queries, nDCG@10 {:.4}, hit@1 {:.4}, MRR@10 {:.4}, {:.1} µs/query, {:.0} queries/s, {} bytes/item",
        directory.file_name().unwrap_or_default().display(),
        ids.len(),
        queries.len(),
        gain / count,
        first / count,
        reciprocal / count,
        seconds * 1e6 / count,
        count / seconds,
        index.heap_bytes() / ids.len().max(1),
    );
    for (class, (hits, all)) in &classes {
        println!("  {class:<16} hit@1 {:.4} of {all}", hits / all);
    }
    if !classes.is_empty() {
        let mean = classes.values().map(|(hits, all)| hits / all).sum::<f64>() / classes.len() as f64;
        println!("  mean of classes  hit@1 {mean:.4}");
    }
    Ok(())
}

fn ndcg(answer: &[&str], relevant: &HashMap<String, f64>) -> f64 {
    let discount = |at: usize| 1.0 / ((at + 2) as f64).log2();
    let gained: f64 = answer.iter().enumerate().map(|(at, id)| relevant.get(*id).unwrap_or(&0.0) * discount(at)).sum();
    let mut ideal: Vec<f64> = relevant.values().copied().collect();
    ideal.sort_by(|a, b| b.total_cmp(a));
    let best: f64 = ideal.iter().take(DEPTH).enumerate().map(|(at, gain)| gain * discount(at)).sum();
    if best > 0.0 { gained / best } else { 0.0 }
}

fn field<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().unwrap_or_default()
}

fn load_items(directory: &Path) -> Result<(Vec<String>, SearchIndex), Failure> {
    let mut builder = IndexBuilder::new();
    let mut ids = Vec::new();
    for line in std::fs::read_to_string(directory.join("corpus.jsonl"))?.lines() {
        let row: Value = serde_json::from_str(line)?;
        let (id, title, text) = (field(&row, "_id"), field(&row, "title"), field(&row, "text"));
        let title = if title.is_empty() { id } else { title };
        let mut names = vec![(NameKind::Name, title)];
        if text.is_empty() {
            names.push((NameKind::Id, id));
        }
        let fields = vec![(Field::Title, title), (Field::Description, text)];
        builder.add(DocInput { demotion: 0, names, fields, passages: Vec::new() });
        ids.push(id.to_owned());
    }
    Ok((ids, one_segment(builder)))
}

/// An index of one segment in which all is fresh.
fn one_segment(builder: IndexBuilder) -> SearchIndex {
    SearchIndex::new([(Arc::new(builder.finish()), Bitmap::default())], None)
}

fn load_queries(directory: &Path) -> Result<Vec<Query>, Failure> {
    let mut relevant: HashMap<String, HashMap<String, f64>> = HashMap::new();
    for line in std::fs::read_to_string(directory.join("qrels.tsv"))?.lines().skip(1) {
        let mut columns = line.split('\t');
        if let (Some(query), Some(item), Some(gain)) = (columns.next(), columns.next(), columns.next()) {
            let gain: f64 = gain.trim().parse()?;
            if gain > 0.0 {
                relevant.entry(query.to_owned()).or_default().insert(item.to_owned(), gain);
            }
        }
    }
    let mut queries = Vec::new();
    for line in std::fs::read_to_string(directory.join("queries.jsonl"))?.lines() {
        let row: Value = serde_json::from_str(line)?;
        if let Some(relevant) = relevant.remove(field(&row, "_id")) {
            let class = row["class"].as_str().map(str::to_owned);
            queries.push(Query { text: field(&row, "text").to_owned(), class, relevant });
        }
    }
    Ok(queries)
}

/// Generated items and queries.
mod speed {
    use super::random::Random;
    use super::{Arc, Bitmap, DocInput, Field, IndexBuilder, Instant, NameKind, SearchIndex, SearchRequest};

    /// Different words of the generated language.
    const VOCABULARY: usize = 60_000;
    /// Repetitions of each kind of query.
    const QUERIES: usize = 400;

    /// Zipf's distribution over ranks, by the inverse of its continuous form.
    fn rank(random: &mut Random) -> usize {
        let unit = (random.next() >> 11) as f64 / (1_u64 << 53) as f64;
        ((VOCABULARY as f64).powf(unit) as usize).min(VOCABULARY - 1)
    }

    fn word(rank: usize) -> String {
        const ONSETS: [&str; 16] = ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "st", "tr", "ch"];
        const VOWELS: [&str; 5] = ["a", "e", "i", "o", "u"];
        let mut rest = rank + 80;
        let mut word = String::new();
        while rest > 0 {
            word.push_str(ONSETS[rest % 16]);
            rest /= 16;
            word.push_str(VOWELS[rest % 5]);
            rest /= 5;
        }
        word.push('n');
        word
    }

    fn text(random: &mut Random, words: &[String], count: usize) -> String {
        let picked: Vec<&str> = (0..count).map(|_| words[rank(random)].as_str()).collect();
        picked.join(" ")
    }

    fn build(size: usize, words: &[String]) -> SearchIndex {
        let mut random = Random(7);
        let mut builders: [IndexBuilder; 6] = Default::default();
        for at in 0..size {
            let count = 2 + random.below(3);
            let name = format!("{} {at}", text(&mut random, words, count));
            let id = format!("vendor{}/{}", random.below(500), name.replace(' ', "-"));
            let count = 12 + random.below(18);
            let description = text(&mut random, words, count);
            let body = if at % 10 == 0 {
                let count = 200 + random.below(1300);
                text(&mut random, words, count)
            } else {
                String::new()
            };
            builders[if at % 10 == 0 { 5 } else { at % 5 }].add(DocInput {
                demotion: 0,
                names: vec![(NameKind::Id, &id), (NameKind::Name, &name)],
                fields: vec![(Field::Title, &name), (Field::Description, &description), (Field::Body, &body)],
                passages: Vec::new(),
            });
        }
        let segments = builders.map(|builder| (Arc::new(builder.finish()), Bitmap::default()));
        SearchIndex::new(segments, None)
    }

    fn report(index: &SearchIndex, kind: &str, queries: &[String]) {
        for query in &queries[..queries.len() / 4] {
            std::hint::black_box(index.search(&SearchRequest::new(query, 10)));
        }
        let mut micros = Vec::new();
        let mut found = 0;
        for query in queries {
            let started = Instant::now();
            let answer = index.search(&SearchRequest::new(query, 10));
            micros.push(started.elapsed().as_secs_f64() * 1e6);
            found += usize::from(!answer.hits.is_empty());
        }
        micros.sort_by(f64::total_cmp);
        let mean = micros.iter().sum::<f64>() / micros.len() as f64;
        let at = |share: f64| micros[((micros.len() - 1) as f64 * share) as usize];
        println!(
            "  {kind:<22} mean {mean:>8.1} µs, p50 {:>8.1}, p99 {:>8.1}, found {found}/{}",
            at(0.5),
            at(0.99),
            queries.len()
        );
    }

    pub(super) fn measure(size: usize) {
        let words: Vec<String> = (0..VOCABULARY).map(word).collect();
        let started = Instant::now();
        let index = build(size, &words);
        let built = started.elapsed().as_secs_f64();
        println!("{size} items: built in {built:.2} s, {} bytes/item", index.heap_bytes() / size);
        let mut random = Random(99);
        let mut typo = |word: &str| {
            let at = 1 + random.below(word.len() - 2);
            format!("{}{}", &word[..at], &word[at + 1..])
        };
        let typos: Vec<String> = (0..QUERIES).map(|at| typo(&words[200 + at * 37])).collect();
        let mut random = Random(5);
        let mut some = |count: usize| (0..QUERIES).map(|_| text(&mut random, &words, count)).collect::<Vec<_>>();
        report(&index, "three words", &some(3));
        report(&index, "one word", &some(1));
        report(&index, "twenty words", &some(20));
        let broad: Vec<String> = (0..QUERIES).map(|at| words[1 + at % 40].clone()).collect();
        report(&index, "one broad word", &broad);
        let broad: Vec<String> = (0..QUERIES)
            .map(|at| format!("{} {} {}", words[1 + at % 40], words[1 + at % 37], words[1 + at % 31]))
            .collect();
        report(&index, "three broad words", &broad);
        report(&index, "typo", &typos);
        let prefixes: Vec<String> = (0..QUERIES).map(|at| words[1000 + at * 31][..3].to_owned()).collect();
        report(&index, "prefix of 3 letters", &prefixes);
    }
}
