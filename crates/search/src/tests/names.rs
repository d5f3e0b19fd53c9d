//! Known items: every spelling of a name, corrections, completions, suggestions.

use super::{Row, check, check_first, first, fresh, index, models, ords, similar_names};
use crate::{Bitmap, MatchField, MatchKind, SearchRequest, SegmentSet, SnippetGenerator};

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
fn words_that_many_names_have_mention_none_of_them() {
    let others = (0..25).map(|n| format!("acme-{n} | Acme {n} | io.acme{n}/mcp-server | does things"));
    let mut rows: Vec<String> = others.collect();
    rows.push("rooms | Rooms | | an mcp server that finds hotels".to_owned());
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    check_first(&fresh(&rows), &[("mcp server for hotels", 25), ("io.acme7/mcp-server", 7)]);
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
fn a_dot_sets_a_vendor_apart_in_what_goes_on_behind_another_sign() {
    let index = fresh(&[
        "finch.js | Finch.js | | renders pages",
        "acme.heron-pro-v1:0 | Acme Heron | | a model",
        "com.acme/quail | com.acme/quail | | answers",
        "one | One | | the first",
        "two | Two | | the second",
        "three | Three | | the third",
    ]);
    let how = |query: &str| (first(&index, query).ordinal, first(&index, query).matched[0]);
    assert_eq!(how("heron-pro-v1:0"), (1, (MatchField::Id, MatchKind::Exact)));
    assert_eq!(how("quail"), (2, (MatchField::Id, MatchKind::Exact)));
    assert_eq!(how("finch js"), (0, (MatchField::Id, MatchKind::Exact)));
    assert_eq!(how("js"), (0, (MatchField::Id, MatchKind::Text)), "a part of the name is not all of it");
    assert!(first(&index, "pages of finch.js").is_named());
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
fn similar_names_are_offered_when_a_name_is_not_found() {
    let index = models();
    assert_eq!(similar_names(&index, "heronn-3.1-80b", SegmentSet::ALL, 1), [4]);
    assert_eq!(similar_names(&index, "zzzzzz", SegmentSet::ALL, 3), [] as [u32; 0]);
    assert_eq!(similar_names(&index, "orca-mini", SegmentSet::of(1), 3), [] as [u32; 0]);
}

#[test]
fn a_whole_name_is_one_in_any_spelling_and_no_beginning_or_part_of_one() {
    let index = models();
    let whole = |text: &str, segments: SegmentSet, only: &[Bitmap]| index.whole_name(text, segments, only);
    for (text, wanted) in [
        ("acme/orca-mini-4.1", Some(0)),
        ("Orca Mini 4.5", Some(1)),
        ("orcamini45", Some(1)),
        ("orca large 4.5", Some(2)),
        ("Former Stork", Some(4)),
        ("orca mini", None),
        ("orca", None),
        ("heron-4o-adio", None),
        ("a small model", None),
        ("", None),
    ] {
        assert_eq!(whole(text, SegmentSet::ALL, &[]), wanted, "{text}");
    }
    assert_eq!(whole("orca mini 4.5", SegmentSet::of(1), &[]), None, "of another segment");
    let others: [Bitmap; 1] = [[0, 2, 3].into_iter().collect()];
    assert_eq!(whole("orca mini 4.5", SegmentSet::ALL, &others), None, "not among those that may be found");
    assert_eq!(whole("orca mini 4.1", SegmentSet::ALL, &others), Some(0));
}

#[test]
fn a_word_for_a_kind_may_be_a_part_of_a_name() {
    let (begins, whole) =
        (Row("larkllm-box | Box | | runs code", 0, false), Row("lark/llm | Lark LLM | | writes", 0, false));
    let other = Row("larkllm | LarkLLM | | calls models", 1, false);
    for (rows, wanted) in [(&[begins, other][..], &[1, 0][..]), (&[begins, whole, other][..], &[1, 2, 0][..])] {
        let meant = SearchRequest {
            preferred: SegmentSet::of(0),
            subject: Some("lark".into()),
            ..SearchRequest::new("lark llm", 10)
        };
        let found: Vec<u32> = index(rows).search(&meant).hits.iter().map(|hit| hit.ordinal).collect();
        assert_eq!(found, wanted);
    }
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
