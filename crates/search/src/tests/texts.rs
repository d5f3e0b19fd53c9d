//! Texts: stems, other scripts, stop words, passages.

use super::{Segments, check, first, fresh, models, ords};
use unicode_normalization::UnicodeNormalization as _;

use crate::{CosineSimilarities, DocInput, Field, MatchField, MatchKind, NameKind, SearchRequest};

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
fn both_spellings_of_english_find_both() {
    let index = fresh(&[
        "a | Ferry | | summarise long documents",
        "b | Pier | | visualize the behavior of a program",
        "c | Mole | | supervision of harbours",
    ]);
    check(
        &index,
        &[
            ("summarizing documents", &[0]),
            ("visualisation of behaviour", &[1]),
            ("supervised", &[2]),
            ("harbors", &[2]),
        ],
    );
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
fn stop_words_are_dropped_and_alone_find_no_text() {
    let index = fresh(&["a | Ferry | | what is this", "b | Pier | | streams"]);
    check(&index, &[("what is streams", &[1]), ("what is", &[])]);
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
    let decomposed: String = "엔지니어링".nfd().collect();
    let index = fresh(&[
        "a | Ferry | | 大規模言語モデルの使い方",
        "b | Pier | | обучение больших языковых моделей",
        "c | Mole | | 프롬프트 엔지니어링 가이드",
        "d | Quay | | résumé über Straße",
    ]);
    check(
        &index,
        &[
            ("言語モデル", &[0]),
            ("языковая модель", &[1]),
            ("엔지니어링", &[2]),
            (decomposed.as_str(), &[2]),
            ("resume", &[3]),
            ("strasse", &[3]),
        ],
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
fn what_matches_by_name_and_by_a_passage_is_counted_once() {
    let mut segments = Segments::default();
    segments.add(
        4,
        false,
        DocInput {
            demotion: 0,
            names: vec![(NameKind::Name, "Harbour"), (NameKind::Alias, "acme/quay")],
            fields: vec![(Field::Title, "Harbour"), (Field::Description, "a server")],
            passages: vec![("open_quay", "opens the quay")],
        },
    );
    let outcome = segments.finish().search(&SearchRequest::new("quay", 10));
    assert_eq!((outcome.hits.len(), outcome.total, outcome.total_is_exact), (1, 1, true));
    assert_eq!(outcome.by_segment.iter().sum::<usize>(), 1);
}

#[test]
fn what_matches_by_name_and_by_a_passage_is_counted_once_though_it_is_not_shown() {
    let mut segments = Segments::default();
    for name in ["Harbour", "Pier", "Mole"] {
        let alias = format!("acme/quay-{name}");
        let names = vec![(NameKind::Name, name), (NameKind::Path, alias.as_str())];
        let fields = vec![(Field::Title, name), (Field::Description, "a server")];
        segments.add(4, false, DocInput { demotion: 0, names, fields, passages: vec![("open", "opens acme quays")] });
    }
    let index = segments.finish();
    for limit in [1, 2, 10] {
        let outcome = index.search(&SearchRequest::new("acme/quay", limit));
        let counted =
            (outcome.total, outcome.total_is_exact, outcome.matched.iter().flat_map(crate::Bitmap::items).collect());
        assert_eq!(counted, (3, true, vec![0, 1, 2]), "{limit}");
    }
}

/// Documents are kept in blocks of 256, so the passages of some of these items are in two of them.
#[test]
fn an_item_with_passages_in_two_blocks_is_counted_once() {
    let mut segments = Segments::default();
    for at in 0..200 {
        let name = format!("Server {at}");
        let fields = vec![(Field::Title, name.as_str()), (Field::Description, "a ticket")];
        let passages = vec![("open", "opens a ticket"), ("close", "closes a ticket")];
        segments.add(4, false, DocInput { demotion: 0, names: vec![(NameKind::Name, &name)], fields, passages });
    }
    let outcome = segments.finish().search(&SearchRequest::new("ticket", 5));
    assert_eq!((outcome.total, outcome.total_is_exact), (200, true));
}

#[test]
fn stale_items_that_are_left_out_are_counted_among_very_many() {
    let mut segments = Segments::default();
    for at in 0..13_000_usize {
        let fields = vec![(Field::Description, if at.is_multiple_of(2) { "blue whales" } else { "red ants" })];
        let item = DocInput { demotion: 0, names: Vec::new(), fields, passages: Vec::new() };
        segments.add(0, at.is_multiple_of(1_000), item);
    }
    let request = SearchRequest { fresh_only: true, ..SearchRequest::new("whale", 5) };
    let outcome = segments.finish().search(&request);
    assert_eq!((outcome.total_is_exact, outcome.excluded_stale), (false, 13));
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
fn text_weighs_more_the_more_of_a_question_it_has() {
    let index = fresh(&["a | Ferry | | boats on a lake", "b | Pier | | vessels"]);
    let near = CosineSimilarities { compared: vec![(0, 0.1), (1, 0.8)] };
    let first =
        |text| index.search(&SearchRequest { semantic: Some(&near), ..SearchRequest::new(text, 10) }).hits[0].ordinal;
    assert_eq!(first("boats lake"), 0, "a text that has all of it");
    assert_eq!(first("boats whose sails sway under steady wind"), 1, "one word of many");
}

#[test]
fn texts_that_have_a_word_as_it_was_typed_again_and_again_score_no_more_than_1_and_less_than_one_another() {
    let says = ["whale ".repeat(8), "whale fish ".repeat(4), format!("whale {}", "fish ".repeat(7))];
    // Others, as long as these, make the word a rare one.
    let others = (0..10).map(|_| "fish ".repeat(8));
    let row = |(at, says): (usize, String)| format!("row-{at} | Row | | {says}");
    let rows: Vec<String> = says.into_iter().chain(others).enumerate().map(row).collect();
    let index = fresh(&rows.iter().map(String::as_str).collect::<Vec<_>>());
    let hits = index.search(&SearchRequest::new("whale", 10)).hits;
    assert_eq!(hits.iter().map(|hit| hit.ordinal).collect::<Vec<_>>(), [0, 1, 2]);
    // The first two have more than the highest score of a word: as typed it counts more.
    let scores: Vec<f32> = hits.iter().map(|hit| hit.score).collect();
    assert!(
        (scores[0] - 1.0).abs() < f32::EPSILON && scores.is_sorted_by(|better, worse| better > worse),
        "{scores:?}"
    );
    let two = index.search(&SearchRequest::new("whale", 2)).hits;
    assert_eq!(two, hits[..2], "whatever number is wanted");
}

#[test]
fn a_form_that_no_text_has_is_corrected_to_a_word_that_is_much_likelier() {
    let helpers = (0..9).map(|n| format!("h{n} | Helper {n} | | summarize text"));
    let others = ["beach | Beach | | warm summer days", "sky | Sky | | a planet", "bed | Bed | | plants"];
    let rows: Vec<String> = others.map(str::to_owned).into_iter().chain(helpers).collect();
    let index = fresh(&rows.iter().map(String::as_str).collect::<Vec<_>>());
    // `summerize` has the stem of `summer`.
    let found = ords(&index, "summerize");
    assert!(found.contains(&0) && found.contains(&11), "{found:?}");
    assert!(first(&index, "summerize text").ordinal >= 3);
    let matched = |query: &str, at: u32| {
        let hits = index.search(&SearchRequest::new(query, 12)).hits;
        hits.into_iter().find(|hit| hit.ordinal == at).map(|hit| hit.matched[0])
    };
    assert_eq!(matched("summerize", 11), Some((MatchField::Description, MatchKind::Fuzzy)));
    assert_eq!(matched("summerize", 0), Some((MatchField::Description, MatchKind::Text)));
    // An inflection is as it is typed, where nothing like it is much more frequent.
    assert_eq!(ords(&index, "planets"), [1]);
}
