//! The rules of the search, each as data, through the public interface.

#![allow(clippy::unwrap_used, reason = "a failing test may panic")]

mod golden;
mod highlight;

use std::sync::Arc;

use super::{
    CosineSimilarities, DocInput, Field, IndexBuilder, MatchField, MatchKind, NameKind, SearchHit, SearchIndex,
    SearchOutcome, SearchRequest, SnippetGenerator,
};

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
struct Row(&'static str, usize, bool);

fn index(rows: &[Row]) -> SearchIndex {
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

fn fresh(rows: &[&'static str]) -> SearchIndex {
    index(&rows.iter().map(|row| Row(row, 0, false)).collect::<Vec<_>>())
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

#[test]
fn every_spelling_of_a_name_finds_it() {
    check_first(
        &models(),
        &[
            ("acme/orca-mini-4.5", 1),
            ("orcamini45", 1),
            ("orca mini 4.5", 1),
            ("orca-mini-4-5", 1),
            ("mini 4.5 orca", 1),
            ("ORCA_MINI_4.1", 0),
            ("mini 4.1", 0),
            ("orca-large-4-5@20250929", 2),
            ("orca-large-4.5", 2),
            ("heron3.1:70b", 3),
            ("heron 70b", 3),
            ("hreon 3.1 70b", 3),
            ("haron 4o audio", 5),
            ("former stork", 4),
            ("heron-4", 5),
            ("price of orca mini 4.1", 0),
            ("is heron 3.1 8b multimodal?", 4),
        ],
    );
}

#[test]
fn a_number_is_never_corrected() {
    let index = models();
    assert_eq!(ords(&index, "4.7"), [] as [u32; 0]);
    check_first(&index, &[("orca mini 4.1", 0), ("orca mini 4.5", 1), ("heron 3.1 8b", 4), ("heron 3.1 70b", 3)]);
}

#[test]
fn hits_report_where_and_how_they_matched() {
    let index = models();
    let how = |query: &str| first(&index, query).matched[0];
    assert_eq!(how("acme/orca-mini-4.5"), (MatchField::Id, MatchKind::Exact));
    assert_eq!(how("Heron 3.1 8B"), (MatchField::Name, MatchKind::Exact));
    assert_eq!(how("former-stork"), (MatchField::Alias, MatchKind::Alias));
    assert_eq!(how("heron 4o adio").1, MatchKind::Fuzzy);
    assert_eq!(how("speech"), (MatchField::Description, MatchKind::Text));
}

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
fn texts_match_stems_and_the_prefix_of_the_last_word_only() {
    let index = fresh(&[
        "a | Ferry | | converts speech into text",
        "b | Pier | | a database of harbours",
        "c | Mole | | transcription of recordings",
    ]);
    check(
        &index,
        &[
            ("converting speeches", &[0]),
            ("how do I convert speech", &[0]),
            ("harb", &[1]),
            ("harb data", &[1]),
            ("abase", &[]),
            ("scription", &[]),
            ("transcri", &[2]),
        ],
    );
}

#[test]
fn unknown_words_are_corrected_by_their_length() {
    let index = fresh(&[
        "a | One | | postgres database",
        "b | Two | | authentication service",
        "c | Three | | tame animals",
        "d | Four | | game engine",
        "e | Five | | sun",
    ]);
    check(
        &index,
        &[
            ("postgers", &[0]),
            ("databse", &[0]),
            ("authentcatoin", &[1]),
            ("servxxe", &[]),
            ("tame", &[2]),
            ("gmae", &[3]),
            ("snu", &[]),
        ],
    );
}

#[test]
fn a_word_is_corrected_where_all_the_rest_of_a_name_agrees() {
    let index = fresh(&[
        "five-whys | Five Whys | | asks for the cause of a cause",
        "orca-opus | Orca Opus | | whales are what whales were",
        "create-refund | create_refund | | creates one",
        "create-card | create_card | | a card for a wall of cards",
        "cosign | cosign | | signs",
        "ing-cos | ing cos | | two words",
        "manual | Manual | | shows that ocra finds orca, too",
    ]);
    let how = |query: &str| (first(&index, query).ordinal, first(&index, query).matched[0].1);
    // Three letters are enough beside a word that stands.
    assert_eq!(how("five wys"), (0, MatchKind::Fuzzy));
    assert_eq!(ords(&index, "wys"), [] as [u32; 0]);
    // One slip is likelier than two names without a blank.
    assert_eq!(how("cosing"), (4, MatchKind::Fuzzy));
    // Numbers and other places are not corrected.
    assert_ne!(how("wys five").1, MatchKind::Fuzzy);
    assert_eq!(how("crate refund"), (2, MatchKind::Fuzzy));
}

#[test]
fn a_misspelt_vendor_tells_equal_base_names_apart() {
    let index = fresh(&[
        "com.cloudmeadow-mcp | com.cloudmeadow/mcp | | answers",
        "io.haystack.mcp-mcp | io.haystack.mcp/mcp | | answers",
        "acorn-mcp | MCP | | answers",
        // The id glues two pieces that the name tells apart.
        "astercart-mcp | @aster/cart-mcp | | answers",
        "probe.dev | Probe.dev | | answers",
        "lingo.dev | Lingo.dev | | answers",
    ]);
    check_first(
        &index,
        &[
            ("com.cluodmeadow/mcp", 0),
            ("io.hasytack.mcp/mcp", 1),
            ("@astre/cart-mcp", 3),
            ("aster cart mcp", 3),
            ("Porbe.dev", 4),
            ("Lingo.dev", 5),
        ],
    );
}

#[test]
fn a_misspelling_that_texts_have_too_is_corrected_in_its_place() {
    let index = fresh(&[
        "a | Context Engineering Guide | | how to",
        "b | Context Window | | enginering of context, a guide by a hasty writer",
        "c | Guide | | engineering",
    ]);
    check_first(&index, &[("Context Enginering Guide", 0)]);
}

#[test]
fn a_completion_in_a_question_is_no_name_match() {
    let index = fresh(&["morningstar | Morningstar | | prices of shares", "b | Atlas | | a walk in the morning"]);
    assert_eq!(first(&index, "morning").matched[0], (MatchField::Id, MatchKind::Text));
    assert_eq!(first(&index, "good morning").ordinal, 1);
}

#[test]
fn a_half_typed_word_completes_to_the_more_common_name() {
    let index = fresh(&[
        "claudinio | Claudinio | | one",
        "orca-api | Orca API | | two",
        "claude-chat | Claude Chat | | three",
        "claude-code | Claude Code | | four",
        "bybit | Bybit | | five",
        "bybit-mcp | Bybit MCP | | six",
    ]);
    check_first(&index, &[("clau", 2), ("bybit m", 5), ("bybit", 4)]);
}

#[test]
fn corrected_words_are_reported_and_marked() {
    let index = fresh(&["heron | Heron | | the heron is a bird of rivers and harbours"]);
    for (query, marked) in [("hreon", "the <mark>heron</mark> is"), ("harbuors", "and <mark>harbours</mark>")] {
        let corrected = index.search(&SearchRequest::new(query, 10)).corrected;
        let text = "the heron is a bird of rivers and harbours";
        let snippet = SnippetGenerator::new(query).with_corrected(&corrected).snippet(text, 200).unwrap();
        assert!(snippet.contains(marked), "{query:?}: {snippet}");
    }
    assert_eq!(index.search(&SearchRequest::new("heron", 10)).corrected, [] as [String; 0]);
}

#[test]
fn nothing_relevant_means_no_hits() {
    let index = models();
    check(&index, &[("zebra crossing", &[]), ("", &[]), ("   ", &[]), ("?!*\"()", &[]), ("\u{0}\u{202e}", &[])]);
}

#[test]
fn everything_in_a_query_is_data() {
    let index = fresh(&["a | Ferry | | cats and dogs", "b | Pier | | dogs only"]);
    for query in
        ["dogs AND cats", "\"cats\"", "cats*", "+cats -dogs", "(cats) OR [x]", "title:cats", "cats\u{0}", "😀 cats"]
    {
        assert_eq!(first(&index, query).ordinal, 0, "for {query:?}");
    }
    let long = "cats and the other animals ".repeat(2_000);
    assert_eq!(first(&index, &long).ordinal, 0);
}

#[test]
fn stop_words_are_dropped_unless_nothing_else_is_there() {
    let index = fresh(&["a | Ferry | | what is this", "b | Pier | | streams"]);
    check(&index, &[("what is streams", &[1]), ("what is", &[0])]);
}

#[test]
fn identifiers_are_found_by_their_parts_and_whole() {
    let index =
        fresh(&["a | Ferry | | createPullRequest", "b | Pier | | list_open_issues", "c | Mole | | PyTorch and C++"]);
    check(
        &index,
        &[("pull request", &[0]), ("createpullrequest", &[0]), ("open issues", &[1]), ("pytorch", &[2]), ("c++", &[2])],
    );
}

#[test]
fn other_scripts_are_found() {
    let index = fresh(&[
        "a | Ferry | | 大規模言語モデルの使い方",
        "b | Pier | | обучение больших языковых моделей",
        "c | Mole | | 프롬프트 엔지니어링 가이드",
        "d | Quay | | résumé über Straße",
    ]);
    check(
        &index,
        &[("言語モデル", &[0]), ("языковая модель", &[1]), ("엔지니어링", &[2]), ("resume", &[3]), ("strasse", &[3])],
    );
}

#[test]
fn an_item_scores_by_its_best_passage() {
    let mut segments = Segments::default();
    let mut add = |name: &'static str, passages: &[(&'static str, &'static str)]| {
        let fields = vec![(Field::Title, name), (Field::Description, "a server")];
        segments.add(
            4,
            false,
            DocInput { demotion: 0, names: vec![(NameKind::Name, name)], fields, passages: passages.to_vec() },
        );
    };
    add("Harbour", &[("open_ticket", "opens a ticket in the tracker"), ("list_tickets", "lists tickets")]);
    add("Lighthouse", &[("create_issue", "creates an issue"), ("close", "closes it")]);
    add("Breakwater", &[]);
    let index = segments.finish();
    check(&index, &[("create an issue", &[1]), ("tickets", &[0]), ("harbour tickets", &[0])]);
    assert!(first(&index, "create an issue").matched.contains(&(MatchField::Passage, MatchKind::Text)));
    let outcome = index.search(&SearchRequest::new("ticket", 10));
    assert_eq!((outcome.hits.len(), outcome.total), (1, 1));
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
fn groups_are_selected_by_their_bits() {
    let index =
        index(&[Row("a | A | | blue", 0, false), Row("b | B | | blue", 3, false), Row("c | C | | blue", 6, true)]);
    let found = |groups: u8| {
        let outcome = index.search(&SearchRequest { groups, ..SearchRequest::new("blue", 10) });
        assert_eq!(outcome.total, outcome.hits.len());
        outcome.hits.iter().map(|hit| hit.ordinal).collect::<Vec<_>>()
    };
    assert_eq!(found(0b000_0001), [0]);
    assert_eq!(found(0b000_1000), [1]);
    assert_eq!(found(0b100_1000), [1, 2]);
    assert_eq!(found(0), [] as [u32; 0]);
    assert_eq!(found(SearchRequest::ALL_GROUPS), [0, 1, 2]);
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
fn a_rare_word_is_found_among_very_many_items() {
    let mut segments = Segments::default();
    let rare = [777_usize, 20_011, 29_999];
    for at in 0..30_000 {
        let text = format!("common words {} {}", if rare.contains(&at) { "needle" } else { "hay" }, at % 97);
        let fields = vec![(Field::Description, text.as_str())];
        segments.add(0, false, DocInput { demotion: 0, names: Vec::new(), fields, passages: Vec::new() });
    }
    let index = segments.finish();
    let outcome = index.search(&SearchRequest::new("common words needle", 5));
    assert_eq!(outcome.hits.iter().take(3).map(|hit| hit.ordinal as usize).collect::<Vec<_>>(), rare);
    assert!(outcome.total >= 25_000, "{}", outcome.total);
    assert_eq!(index.search(&SearchRequest::new("needle", 5)).total, 3);
}

#[test]
fn similar_names_are_offered_when_a_name_is_not_found() {
    let index = models();
    assert_eq!(index.similar_names("heronn-3.1-80b", SearchRequest::ALL_GROUPS, &[], 1), [4]);
    assert_eq!(index.similar_names("zzzzzz", SearchRequest::ALL_GROUPS, &[], 3), [] as [u32; 0]);
    assert_eq!(index.similar_names("orca-mini", 0b10, &[], 3), [] as [u32; 0]);
}

#[test]
fn vector_similarity_is_fused_with_text_behind_names() {
    let index =
        fresh(&["a | Ferry | | boats", "b | Pier | | boats and ships", "c | Mole | | vessels", "boats | boats | | x"]);
    let near = CosineSimilarities { nearest: vec![(2, 0.9), (1, 0.8)], compared: vec![(0, 0.1), (1, 0.8), (2, 0.9)] };
    let request = SearchRequest { semantic: Some(&near), ..SearchRequest::new("boats", 10) };
    let hits = index.search(&request).hits;
    assert_eq!(hits.iter().map(|hit| hit.ordinal).collect::<Vec<_>>(), [3, 1, 0, 2]);
    assert!(hits[3].matched.contains(&(MatchField::Description, MatchKind::Semantic)));
}

#[test]
fn text_weighs_more_the_more_of_a_question_it_has() {
    let index = fresh(&["a | Ferry | | boats on a lake", "b | Pier | | vessels"]);
    let near = CosineSimilarities { nearest: vec![(1, 0.8)], compared: vec![(0, 0.1), (1, 0.8)] };
    let first =
        |text| index.search(&SearchRequest { semantic: Some(&near), ..SearchRequest::new(text, 10) }).hits[0].ordinal;
    assert_eq!(first("boats lake"), 0, "a text that has all of it");
    assert_eq!(first("boats whose sails sway under steady wind"), 1, "one word of many");
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
    let near = CosineSimilarities {
        nearest: vec![(2, 0.9), (3, 0.7), (1, 0.6)],
        compared: vec![(0, 0.1), (1, 0.6), (2, 0.9), (3, 0.7)],
    };
    let placed = |segments: [usize; 6], stale: u32| {
        let rows = rows.iter().zip(segments).zip(0..);
        index(&rows.map(|((row, segment), at)| Row(row, segment, at == stale)).collect::<Vec<_>>())
    };
    for text in ["boats", "vessels by night", "pier", "ships", "vesels", "boats and ships", "old pier", "qua", "quai"] {
        for semantic in [None, Some(&near)] {
            for fresh_only in [false, true] {
                let request = SearchRequest { fresh_only, semantic, ..SearchRequest::new(text, 10) };
                let found = |split| SearchOutcome { by_segment: Vec::new(), ..placed(split, 1).search(&request) };
                let whole = found([0; 6]);
                for split in [[0, 0, 0, 1, 1, 1], [0, 1, 2, 3, 4, 5], [2, 2, 5, 5, 5, 6]] {
                    assert_eq!(found(split), whole, "{text:?} {split:?}");
                }
            }
        }
        assert_eq!(
            placed([0, 0, 3, 3, 3, 3], 0).similar_names(text, 0x7f, &[], 3),
            placed([0; 6], 0).similar_names(text, 0x7f, &[], 3)
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
    let all_fresh = || segments.iter().map(|index| (Arc::clone(index), super::Bitmap::default()));
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
fn an_empty_index_answers() {
    let index = Segments::default().finish();
    assert_eq!(index.search(&SearchRequest::new("anything", 10)).total, 0);
    assert_eq!(index.similar_names("anything", SearchRequest::ALL_GROUPS, &[], 3), [] as [u32; 0]);
    assert!(index.is_empty());
}

#[test]
fn names_are_found_by_their_prefix_in_a_long_list() {
    // Many have the same first eight bytes, others fewer.
    let letter = |at: usize| char::from(b'a' + (at % 26) as u8);
    let start = |at: usize| ["al", "alphabet", "alphabetical"][at % 3];
    let ids: Vec<String> = (0..676).map(|at| format!("{}{}{}", start(at), letter(at), letter(at / 26))).collect();
    let rows: Vec<String> = ids.iter().map(|id| format!("{id} | {id} | | text")).collect();
    let rows: Vec<Row> = rows.into_iter().map(|row| Row(row.leak(), 0, false)).collect();
    let index = index(&rows);
    for (at, id) in ids.iter().enumerate() {
        assert_eq!(ords(&index, id)[0], at as u32, "{id}");
        let prefix = &id[..id.len() - 1];
        let found = ords(&index, prefix);
        let first = &ids[found[0] as usize];
        assert!(first.starts_with(prefix), "{prefix}: {first}");
    }
}
