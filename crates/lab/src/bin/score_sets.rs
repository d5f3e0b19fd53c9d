//! Scores the search index alone on labelled sets, and measures its speed on generated items.
//!
//! `score_sets DIR …` prints what `refdesk eval search` does, but of the index by itself: without a catalog, names that mean an item, and what is
//! understood of a question. `score_sets --speed 10000 100000 1000000` measures items of random words with Zipf's distribution.

#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use refdesk::commands::evaluate::search::{DEPTH, Document, Report, Set, show};
use refdesk_search::{Bitmap, DocInput, Field, IndexBuilder, NameKind, SearchIndex, SearchRequest};

#[path = "../random.rs"]
mod random;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(("--speed", sizes)) = arguments.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        for size in sizes {
            speed::measure(size.parse()?);
        }
        return Ok(());
    }
    let sets = arguments.iter().map(|directory| Set::read(Path::new(directory)));
    let sets = sets.collect::<anyhow::Result<Vec<Set>>>()?;
    show(&sets.iter().map(score).collect::<Vec<_>>(), false)
}

fn score(set: &Set) -> Report {
    let index = index_of(&set.corpus);
    let found = |text: &str| {
        let hits = index.search(&SearchRequest::new(text, DEPTH)).hits;
        hits.iter().map(|hit| set.corpus[hit.ordinal as usize].id.clone()).collect()
    };
    Report::new(set, "index alone", set.queries.iter().map(|query| (query, found(&query.text))).collect())
}

/// An index of one segment in which all is fresh.
fn index_of(corpus: &[Document]) -> SearchIndex {
    let mut builder = IndexBuilder::new();
    for document in corpus {
        let title = document.shown_title();
        let mut names = vec![(NameKind::Name, title)];
        if document.text.is_empty() {
            names.push((NameKind::Id, &document.id));
        }
        let fields = vec![(Field::Title, title), (Field::Description, &document.text)];
        builder.add(DocInput { demotion: 0, names, fields, passages: Vec::new() });
    }
    SearchIndex::new([(Arc::new(builder.finish()), Bitmap::default())], None)
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
