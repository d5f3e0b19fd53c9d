//! The rules of the search, each as data, through the public interface.

mod golden;
mod highlight;
mod names;
mod ranking;
mod texts;

use std::sync::Arc;

use super::{DocInput, Field, IndexBuilder, NameKind, SearchHit, SearchIndex, SearchRequest, SegmentSet};

/// Collects items in seven segments.
#[derive(Default)]
struct Segments {
    builders: [IndexBuilder; 7],
    counts: [u32; 7],
    stale: [Vec<u32>; 7],
}

impl Segments {
    fn add(&mut self, segment: usize, stale: bool, item: DocInput<'_>) {
        if stale {
            self.stale[segment].push(self.counts[segment]);
        }
        self.counts[segment] += 1;
        self.builders[segment].add(item);
    }

    fn finish(self) -> SearchIndex {
        let built = self.builders.into_iter().map(|builder| Arc::new(builder.finish()));
        SearchIndex::new(built.zip(self.stale.into_iter().map(FromIterator::from_iter)), None)
    }
}

/// An item of a test: `id | name | aliases, … | text`, with segment and staleness.
#[derive(Clone, Copy)]
struct Row<'a>(&'a str, usize, bool);

fn index(rows: &[Row<'_>]) -> SearchIndex {
    let mut segments = Segments::default();
    for Row(text, segment, stale) in rows {
        let parts: Vec<&str> = text.split('|').map(str::trim).collect();
        let mut names = vec![(NameKind::Id, parts[0]), (NameKind::Name, parts[1])];
        names
            .extend(parts[2].split(',').map(str::trim).filter(|alias| !alias.is_empty()).map(|a| (NameKind::Alias, a)));
        let fields = vec![(Field::Title, parts[1]), (Field::Description, parts[3])];
        segments.add(*segment, *stale, DocInput { demotion: 0, names, fields, passages: Vec::new() });
    }
    segments.finish()
}

fn fresh(rows: &[&str]) -> SearchIndex {
    index(&rows.iter().map(|row| Row(row, 0, false)).collect::<Vec<_>>())
}

/// The most similar names of some segments.
fn similar_names(index: &SearchIndex, text: &str, segments: SegmentSet, limit: usize) -> Vec<u32> {
    let mut names = index.names_compared(text, segments, &[], limit);
    names.truncate(limit);
    names
}

fn ords(index: &SearchIndex, query: &str) -> Vec<u32> {
    index.search(&SearchRequest::new(query, 10)).hits.iter().map(|hit| hit.ordinal).collect()
}

fn first(index: &SearchIndex, query: &str) -> SearchHit {
    index
        .search(&SearchRequest::new(query, 10))
        .hits
        .into_iter()
        .next()
        .unwrap_or_else(|| panic!("nothing for {query:?}"))
}

/// Each query with the items that must be found, in this order, and no others.
fn check(index: &SearchIndex, cases: &[(&str, &[u32])]) {
    for (query, wanted) in cases {
        assert_eq!(ords(index, query), *wanted, "for {query:?}");
    }
}

/// Each query with the item that must come first.
fn check_first(index: &SearchIndex, cases: &[(&str, u32)]) {
    for (query, wanted) in cases {
        assert_eq!(first(index, query).ordinal, *wanted, "for {query:?}");
    }
}

fn models() -> SearchIndex {
    fresh(&[
        "acme/orca-mini-4.1 | Acme: Orca Mini 4.1 | | a small model", // 0
        "acme/orca-mini-4.5 | Acme: Orca Mini 4.5 | | a small model", // 1
        "acme/orca-large-4.5-20250929 | Acme: Orca Large 4.5 | | a large model", // 2
        "bolt/heron3.1-70b | Heron 3.1 70B | | an open model",        // 3
        "bolt/heron3.1-8b | Heron 3.1 8B | former-stork | an open model", // 4
        "bolt/heron-4o-audio | Heron 4o Audio | | speech in and out", // 5
    ])
}
