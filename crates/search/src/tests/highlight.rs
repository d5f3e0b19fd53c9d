//! Snippets: which words are marked, and that everything else is escaped.

use crate::SnippetGenerator;

fn snippet(text: &str, query: &str, chars_max: usize) -> Option<String> {
    SnippetGenerator::new(query).snippet(text, chars_max)
}

#[test]
fn snippets_mark_words_wherever_they_begin() {
    let text = "gpt4.5 It's Re-run,  USING_streams; (caching) cached2\t unCached a C++ café";
    let cases: &[(&str, &str)] = &[
        ("run", "gpt4.5 It&#39;s Re-<mark>run</mark>, USING_streams; (caching) cached2 unCached a C++ café"),
        ("stream", "gpt4.5 It&#39;s Re-run, USING_<mark>streams</mark>; (caching) cached2 unCached a C++ café"),
        (
            "cach",
            "gpt4.5 It&#39;s Re-run, USING_streams; (<mark>caching</mark>) <mark>cached2</mark> un<mark>Cached</mark> a C++ café",
        ),
        ("c++", "gpt4.5 It&#39;s Re-run, USING_streams; (caching) cached2 unCached a <mark>C++</mark> café"),
        ("cafe", "gpt4.5 It&#39;s Re-run, USING_streams; (caching) cached2 unCached a C++ <mark>café</mark>"),
    ];
    for (query, wanted) in cases {
        assert_eq!(snippet(text, query, 400).as_deref(), Some(*wanted), "for {query:?}");
    }
    for query in ["5", "s", "4"] {
        assert_eq!(snippet(text, query, 400), None, "for {query:?}");
    }
}

#[test]
fn a_passage_is_the_first_with_the_only_word_and_the_best_of_several() {
    let far = "z ".repeat(600);
    let text = format!("one kiln here {far} kiln kiln glaze there");
    let first = snippet(&text, "kiln", 40).unwrap();
    assert!(first.starts_with("one <mark>kiln</mark> here"), "{first}");
    let best = snippet(&text, "kiln glaze", 40).unwrap();
    assert!(best.contains("<mark>kiln</mark> <mark>kiln</mark> <mark>glaze</mark> there"), "{best}");
}

#[test]
fn snippets_find_a_word_wherever_it_stands_in_a_long_text() {
    let words = ["plain", "re", "res", "rest-of", "dé", "a\u{300}", "REST", "(x)", "it's", "v4.5", "日本", "e\nf"];
    let found = [("RESUMED", "RESUMED"), ("canResume", "Resume"), ("«résumé»", "résumé"), ("x.resuming", "resuming")];
    for (at, (text, marked)) in (0..400).zip(found.into_iter().cycle()) {
        let before: String = (0..at % 97).map(|word| format!("{} ", words[(at + word * word) % words.len()])).collect();
        let after = "z ".repeat(at / 4);
        let made = snippet(&format!("{before}{}{text} {after}", ".".repeat(at % 3)), "resume", 60).unwrap();
        assert!(made.contains(&format!("<mark>{marked}</mark>")), "{at}: {made}");
        assert_eq!(snippet(&format!("{before}{after}"), "resume", 60), None, "{at}");
    }
}

#[test]
fn snippets_mark_words_and_escape_everything_else() {
    let text = "First line.\nUse <b>streams</b> & resume a cancelled\u{202e} stream with \"resume()\".";
    let cases: &[(&str, usize, Option<&str>)] = &[
        (
            "how do I resume streams",
            200,
            Some(
                "… Use &lt;b&gt;<mark>streams</mark>&lt;/b&gt; &amp; <mark>resume</mark> a cancelled <mark>stream</mark> with &quot;<mark>resume</mark>()&quot;.",
            ),
        ),
        ("canc", 14, Some("… <mark>cancelled</mark> …")),
        ("zebra", 200, None),
        ("", 200, None),
    ];
    for (query, chars_max, wanted) in cases {
        assert_eq!(snippet(text, query, *chars_max).as_deref(), *wanted, "for {query:?}");
    }
    assert_eq!(snippet("東京の言語モデル", "言語", 50).as_deref(), Some("東京の<mark>言語</mark>モデル"));
    assert_eq!(
        snippet("<script>alert(1)</script>", "script", 50).as_deref(),
        Some("&lt;<mark>script</mark>&gt;alert(1)&lt;/<mark>script</mark>&gt;")
    );
}

#[test]
fn of_a_question_as_long_as_they_may_be_the_longest_words_are_marked() {
    let short: String = (0..300).map(|word| format!("{}{} ", char::from(b'a' + (word % 26) as u8), word)).collect();
    let marked = snippet("a1 text of b1 and harbours", &format!("{short} harbour b1"), 60);
    assert_eq!(marked.as_deref(), Some("… text of b1 and <mark>harbours</mark>"));
    let twice = snippet("one one two", "two two one", 60);
    assert_eq!(twice.as_deref(), Some("<mark>one</mark> <mark>one</mark> <mark>two</mark>"));
}
