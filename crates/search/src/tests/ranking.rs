//! Order: what goes before what, ties, segments, and that nothing which makes it fast changes it.

use std::sync::Arc;

use super::{Row, Segments, check, check_first, fresh, index, ords, similar_names};
use crate::{
    Bitmap, CosineSimilarities, DocInput, Field, IndexBuilder, MatchField, MatchKind, NameKind, SearchIndex,
    SearchOutcome, SearchRequest, SegmentSet, Telling,
};
use refdesk_core::Kind;

#[test]
fn an_exact_name_comes_before_texts_that_say_more_of_it() {
    let index = fresh(&[
        "a | Guide to search | | search search search the web with a search engine and search again",
        "b | search | | finds things",
        "c | Other | search-engine | nothing",
    ]);
    check_first(&index, &[("search", 1), ("search engine", 2), ("how to search the web", 0)]);
}

#[test]
fn a_common_word_as_a_name_does_not_outrank_a_need() {
    let index = fresh(&[
        "search | search | | finds lines in files",
        "b | Atlas | | search the web for images and pictures",
        "c | Quill | | writes letters",
        "d | Files | | search in files",
    ]);
    check_first(&index, &[("I want to search the web for images", 1), ("search for pictures on the web", 1)]);
}

#[test]
fn a_language_that_is_called_by_a_stop_word_is_searched_for() {
    let index = fresh(&[
        "a | Quay | | a library for parsing, parsing, parsing",
        "b | Jetty | | a library for parsing in Go",
        "c | Moor | | where to moor",
    ]);
    check_first(
        &index,
        &[("parsing in go", 1), ("Go library for parsing", 1), ("Go framework for parsing", 1), ("go parsing", 0)],
    );
}

#[test]
fn stale_items_rank_below_equal_fresh_ones_and_can_be_left_out() {
    let index = index(&[
        Row("a | A | | blue whale", 1, true),
        Row("b | B | | blue whale", 1, false),
        Row("c | C | | blue", 2, true),
    ]);
    check(&index, &[("blue whale", &[1, 0, 2])]);
    let outcome = index.search(&SearchRequest { fresh_only: true, ..SearchRequest::new("blue whale", 10) });
    assert_eq!((outcome.hits.len(), outcome.total, outcome.excluded_stale), (1, 1, 2));
    assert_eq!(outcome.hits[0].ordinal, 1);
}

#[test]
fn only_the_segments_that_are_asked_for_are_searched() {
    let index =
        index(&[Row("a | A | | blue", 0, false), Row("b | B | | blue", 3, false), Row("c | C | | blue", 6, true)]);
    let found = |segments: SegmentSet| {
        let outcome = index.search(&SearchRequest { segments, ..SearchRequest::new("blue", 10) });
        assert_eq!(outcome.total, outcome.hits.len());
        outcome.hits.iter().map(|hit| hit.ordinal).collect::<Vec<_>>()
    };
    assert_eq!(found(SegmentSet::of(0)), [0]);
    assert_eq!(found(SegmentSet::of(3)), [1]);
    assert_eq!(found([Kind::Tutorial, Kind::Framework].into_iter().collect()), [1, 2]);
    assert_eq!(found(SegmentSet::EMPTY), [] as [u32; 0]);
    assert_eq!(found(SegmentSet::ALL), [0, 1, 2]);
}

#[test]
fn ties_are_ordered_by_ordinal_and_limits_cut_without_changing_the_order() {
    let mut segments = Segments::default();
    for _ in 0..3_000 {
        let fields = vec![(Field::Description, "same words here")];
        segments.add(0, false, DocInput { demotion: 0, names: Vec::new(), fields, passages: Vec::new() });
    }
    let index = segments.finish();
    for limit in [1, 7, 50] {
        let outcome = index.search(&SearchRequest::new("same words", limit));
        assert_eq!(
            outcome.hits.iter().map(|hit| hit.ordinal).collect::<Vec<_>>(),
            (0..limit as u32).collect::<Vec<_>>()
        );
        assert_eq!(outcome.total, 3_000);
    }
}

#[test]
fn vector_similarity_is_fused_with_text_behind_names() {
    let index =
        fresh(&["a | Ferry | | boats", "b | Pier | | boats and ships", "c | Mole | | vessels", "boats | boats | | x"]);
    let near = CosineSimilarities { compared: vec![(0, 0.1), (1, 0.8), (2, 0.9)] };
    let request = SearchRequest { semantic: Some(&near), ..SearchRequest::new("boats", 10) };
    let hits = index.search(&request).hits;
    assert_eq!(hits.iter().map(|hit| hit.ordinal).collect::<Vec<_>>(), [3, 1, 0, 2]);
    assert!(hits[3].matched.contains(&(MatchField::Description, MatchKind::Semantic)));
}

#[test]
fn what_is_near_in_meaning_is_found_however_much_nearer_there_is_that_is_not_asked_for() {
    let mut segments = Segments::default();
    for at in 0..300 {
        let name = format!("pier-{at}");
        let fields = vec![(Field::Description, "vessels")];
        let names = vec![(NameKind::Id, name.as_str())];
        segments.add(0, false, DocInput { demotion: 0, names, fields, passages: Vec::new() });
    }
    let index = segments.finish();
    let compared = (0..300).map(|at| (at, if at == 299 { 0.5 } else { 0.9 })).collect();
    let near = CosineSimilarities { compared };
    let only = [Bitmap::from_iter([299_u32])];
    let request = SearchRequest { semantic: Some(&near), only: &only, ..SearchRequest::new("boats", 10) };
    let hits = index.search(&request).hits;
    assert_eq!(hits.iter().map(|hit| hit.ordinal).collect::<Vec<_>>(), [299]);
    assert!(hits[0].score > 0.9, "it is the nearest of what may be found: {}", hits[0].score);
}

/// All texts are equally long, so that they are in every segment as long as the mean.
#[test]
fn a_split_into_segments_changes_neither_scores_nor_order() {
    let rows = [
        "a | Ferry | | boats and lakes",
        "b | Pier | old-pier | boats and ships",
        "c | Mole | | vessels at night",
        "d | Quay | | boats by boats",
        "e | Dock | | vessels and ships",
        "pier/two | Pier | | ships of steel",
    ];
    let near = CosineSimilarities { compared: vec![(0, 0.1), (1, 0.6), (2, 0.9), (3, 0.7)] };
    let placed = |segments: [usize; 6], stale: u32| {
        let rows = rows.iter().zip(segments).zip(0..);
        index(&rows.map(|((row, segment), at)| Row(row, segment, at == stale)).collect::<Vec<_>>())
    };
    for text in ["boats", "vessels by night", "pier", "ships", "vesels", "boats and ships", "old pier", "qua", "quai"] {
        for semantic in [None, Some(&near)] {
            for fresh_only in [false, true] {
                let request = SearchRequest { fresh_only, semantic, ..SearchRequest::new(text, 10) };
                let found = |split: [usize; 6]| {
                    let outcome = placed(split, 1).search(&request);
                    let first = |segment: usize| split.iter().filter(|other| **other < segment).count() as u32;
                    let by_segment = outcome.matched.iter().enumerate();
                    let matched = by_segment.flat_map(|(at, items)| items.items().map(move |item| first(at) + item));
                    let matched: Vec<u32> = matched.collect();
                    (matched, SearchOutcome { by_segment: Vec::new(), matched: Vec::new(), ..outcome })
                };
                let whole = found([0; 6]);
                for split in [[0, 0, 0, 1, 1, 1], [0, 1, 2, 3, 4, 5], [2, 2, 5, 5, 5, 6]] {
                    assert_eq!(found(split), whole, "{text:?} {split:?}");
                }
            }
        }
        assert_eq!(
            similar_names(&placed([0, 0, 3, 3, 3, 3], 0), text, SegmentSet::ALL, 3),
            similar_names(&placed([0; 6], 0), text, SegmentSet::ALL, 3)
        );
    }
}

#[test]
fn merged_terms_are_taken_over_where_the_segments_are_the_same() {
    let segments: Vec<_> = ["boats", "ships"]
        .map(|text| {
            let mut builder = IndexBuilder::new();
            builder.add(DocInput {
                demotion: 0,
                names: vec![(NameKind::Id, "a")],
                fields: vec![(Field::Title, text)],
                passages: Vec::new(),
            });
            Arc::new(builder.finish())
        })
        .to_vec();
    let all_fresh = || segments.iter().map(|index| (Arc::clone(index), crate::Bitmap::default()));
    let before = SearchIndex::new(all_fresh(), None);
    let stale = segments.iter().map(|index| (Arc::clone(index), [0].into_iter().collect()));
    let after = SearchIndex::new(stale, Some(&before));
    assert!(Arc::ptr_eq(&before.terms, &after.terms));
    let fresh = SearchRequest { fresh_only: true, ..SearchRequest::new("boats", 5) };
    assert_eq!(
        (before.search(&fresh).total, after.search(&fresh).total, after.search(&fresh).excluded_stale),
        (1, 0, 1)
    );
    let one = SearchIndex::new(all_fresh().take(1), Some(&before));
    assert!(!Arc::ptr_eq(&before.terms, &one.terms));
    assert_eq!(
        (before.search(&SearchRequest::new("ships", 5)).total, one.search(&SearchRequest::new("ships", 5)).total),
        (1, 0)
    );
}

/// A list of all hits skips nothing; a short one must begin the same.
#[test]
fn skipping_blocks_loses_no_hit() {
    const ITEMS: u32 = 20_000;
    let mut segments = Segments::default();
    let mut state = 1_u64;
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    for item in 0..ITEMS {
        let length = 3 + below(40);
        // The lower the number of a word, the more texts have it.
        let words: Vec<String> = (0..length).map(|_| format!("w{}z", below(300) * below(300) / 300)).collect();
        let (id, text) = (format!("id-{item}"), words.join(" "));
        let stale = below(4) == 0;
        let names = vec![(NameKind::Id, id.as_str())];
        let fields = vec![(Field::Description, text.as_str())];
        segments.add(item as usize % 3, stale, DocInput { demotion: 0, names, fields, passages: Vec::new() });
    }
    let index = segments.finish();
    let ords = |text: &str, limit: usize| -> Vec<u32> {
        index.search(&SearchRequest::new(text, limit)).hits.iter().map(|hit| hit.ordinal).collect()
    };
    for text in ["w7z w90z w250z", "w120z w130z", "w40z w55z w61z w233z", "w299z w180z w12z", "w150z"] {
        let all = ords(text, ITEMS as usize);
        assert!(all.len() > 500, "{text}: {}", all.len());
        assert_eq!(ords(text, 10), all[..10], "{text}");
        assert_eq!(ords(text, 50), all[..50], "{text}");
    }
}

#[test]
fn a_prior_decides_between_equal_matches_however_many_and_never_against_a_better_one() {
    let mut segments = Segments::default();
    for item in 0..200_u8 {
        let (id, demotion) = (format!("id-{item}"), if item == 123 { 0 } else { 1 + item % 6 });
        let names = vec![(NameKind::Id, id.as_str()), (NameKind::Name, "Harbour")];
        let fields = vec![(Field::Title, "Harbour"), (Field::Description, "moors boats over night")];
        segments.add(0, false, DocInput { demotion, names, fields, passages: Vec::new() });
    }
    let names = vec![(NameKind::Id, "id-harbour-master"), (NameKind::Name, "Harbour Master")];
    let fields = vec![(Field::Title, "Harbour Master"), (Field::Description, "moors boats over night and by day")];
    segments.add(0, false, DocInput { demotion: 8, names, fields, passages: Vec::new() });
    let index = segments.finish();
    check_first(&index, &[("harbour", 123), ("moors boats over night", 123), ("harbour master", 200), ("by day", 200)]);
}

#[test]
fn within_a_segment_where_the_words_stand_counts_only_where_that_is_asked_for() {
    let mut segments = Segments::default();
    for (id, says, body) in [
        ("ledger", "keeps accounts of ports", "deploy app deploy app"),
        ("harbour", "deploy app", "boats moor here over night and by day all year"),
    ] {
        let fields = vec![(Field::Title, id), (Field::Description, says), (Field::Body, body)];
        segments.add(0, false, DocInput { demotion: 0, names: vec![(NameKind::Id, id)], fields, passages: Vec::new() });
    }
    let index = segments.finish();
    let found = |telling| index.search(&SearchRequest { telling, ..SearchRequest::new("deploy app", 10) }).hits;
    let best = found(Telling::None)[0].score;
    for (telling, order) in [(Telling::None, [0, 1]), (Telling::Need, [0, 1]), (Telling::Described, [1, 0])] {
        let hits = found(telling);
        assert_eq!(hits.iter().map(|hit| hit.ordinal).collect::<Vec<_>>(), order, "{telling:?}");
        assert!((hits[0].score - best).abs() < 1e-4, "{telling:?}: the first is as near as the first was");
    }
}

#[test]
fn an_empty_index_answers() {
    let index = Segments::default().finish();
    assert_eq!(index.search(&SearchRequest::new("anything", 10)).total, 0);
    assert_eq!(similar_names(&index, "anything", SegmentSet::ALL, 3), [] as [u32; 0]);
    assert!(index.is_empty());
}

/// Names of one family in several segments: those that go on after `heron`, and those that have it somewhere, some demoted and some stale.
fn herons() -> SearchIndex {
    let mut segments = Segments::default();
    for at in 0..600_u32 {
        let vendor = ["acme", "bolt", "zephyr"][at as usize % 3];
        let id = match at % 4 {
            0 => format!("heron-{vendor}-{at}"),
            1 => format!("{vendor}/heron-{at}-mini"),
            2 => format!("{vendor}/grey-heron-{at}"),
            _ => format!("heron{vendor}{at}"),
        };
        let names = vec![(NameKind::Id, id.as_str())];
        let fields = vec![(Field::Title, id.as_str()), (Field::Description, "a heron that wades")];
        let demotion = (at * 7 % 11) as u8;
        segments.add(at as usize % 5, at % 9 == 0, DocInput { demotion, names, fields, passages: Vec::new() });
    }
    segments.finish()
}

#[test]
fn a_short_list_begins_like_a_long_one() {
    let index = herons();
    let ordinals: Vec<(u32, f32)> = (0..index.len() as u32).map(|at| (at, (at * 37 % 100) as f32 / 100.0)).collect();
    let near = CosineSimilarities { compared: ordinals };
    for text in
        ["heron", "grey heron", "heron mini", "acme", "bolt/her", "a heron that wades", "heronn", "grae-heron-1"]
    {
        for semantic in [None, Some(&near)] {
            let gains = &[60, 0, 20, 0, 0, 0, 0][..];
            for (gains, telling) in [(&[][..], Telling::None), (&[][..], Telling::Question), (gains, Telling::Need)] {
                let found = |limit: usize| {
                    let request = SearchRequest { gains, telling, semantic, ..SearchRequest::new(text, limit) };
                    index.search(&request).hits
                };
                let all = found(50);
                assert!(!all.is_empty(), "{text}");
                for limit in [1, 2, 5, 10, 20, 49] {
                    assert_eq!(found(limit), all[..limit.min(all.len())], "{text:?} {limit}");
                }
            }
        }
    }
}

#[test]
fn of_many_names_that_begin_alike_those_in_use_and_short_ones_are_found_first() {
    let mut segments = Segments::default();
    let mut add = |id: &str, demotion: u8| {
        let fields = vec![(Field::Title, id)];
        segments.add(0, false, DocInput { demotion, names: vec![(NameKind::Id, id)], fields, passages: Vec::new() });
    };
    for at in 0..200 {
        add(&format!("orca-antique-model-of-{at}"), 20);
    }
    add("orca-zoom", 0);
    add("orca-zoom-of-another-vendor-with-a-long-name", 0);
    add("orca", 20);
    let index = segments.finish();
    assert_eq!(ords(&index, "orca")[..3], [202, 200, 201]);
}
