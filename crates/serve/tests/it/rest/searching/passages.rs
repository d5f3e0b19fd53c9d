//! `passages` and `budget_tokens` of a search. `docs/api.md#search`.

use refdesk_catalog::answer::PASSAGE_TEXTS_MAX;
use refdesk_core::Kind;
use refdesk_core::item::{Document, Item};
use serde_json::{Value, json};

use crate::common::catalog::{self, SKILL};
use crate::common::{Bench, unlimited};

const TEXT: &str = "---\ntitle: Getting started\n---\nBefore all headings.\n\n# Getting started\n\nAsk it.\n\n## Certificates\n\nThey are files.\n\n\
### Rotate them\n\nReplace the files once a year, and send the server a signal.\n\n## Ports\n\nIt listens on one port.\n";

fn bench() -> Bench {
    let bench = Bench::new();
    bench.bodies.put(Kind::Document, "guide/start.md", TEXT, TEXT.as_bytes());
    bench
}

async fn hit(bench: &Bench, target: &str, id: &str) -> Value {
    let answer = bench.json(target).await;
    let results = answer["results"].as_array().unwrap();
    results.iter().find(|hit| hit["id"] == id).unwrap_or_else(|| panic!("{target}: {answer}")).clone()
}

/// What follows `offset` characters of the text.
fn from(offset: &Value) -> String {
    TEXT.chars().skip(usize::try_from(offset.as_u64().unwrap()).unwrap()).collect()
}

#[tokio::test]
async fn a_document_shows_the_section_that_fits_with_its_headings_and_where_it_starts() {
    let bench = bench();
    let q = "/v1/search?q=started+rotate+certificates&type=DOC";
    let hit = hit(&bench, &format!("{q}&passages=1"), "guide-start").await;
    let [passage] = hit["passages"].as_array().unwrap().as_slice() else { panic!("{hit}") };
    assert_eq!(passage["headings"], json!(["Getting started", "Certificates", "Rotate them"]));
    let text = passage["text"].as_str().unwrap();
    assert_eq!(text, "### Rotate them\n\nReplace the files once a year, and send the server a signal.");
    assert!(from(&passage["offset"]).starts_with(text));
    assert_eq!(passage["tokens"], text.chars().count().div_ceil(4));
    assert!(passage["score"].as_f64().unwrap() > 0.0);

    let read = json!({"id": "guide-start", "offset": passage["offset"], "limit": 10});
    let piece = crate::mcp::structured(&bench, "read_document", read).await;
    assert_eq!(piece["markdown"], "### Rotate", "the offset is that of read_document");

    let plain = bench.json(q).await;
    assert!(plain["results"][0].get("passages").is_none(), "nobody asked");
}

#[tokio::test]
async fn passages_are_as_many_and_as_long_as_was_asked_for() {
    let bench = bench();
    let q = "/v1/search?q=started+rotate+certificates&type=DOC";
    let shown = async |extra: &str| hit(&bench, &format!("{q}{extra}"), "guide-start").await["passages"].clone();
    let three = shown("&passages=3").await;
    let scores: Vec<f64> = three.as_array().unwrap().iter().map(|one| one["score"].as_f64().unwrap()).collect();
    assert_eq!(scores.len(), 3);
    assert!(scores.windows(2).all(|pair| pair[0] >= pair[1]), "{three}");
    assert_eq!(shown("&passages=99").await, shown("&passages=5").await, "more is clamped");
    assert_eq!(shown("&budget_tokens=1500").await, shown("&passages=1").await, "a budget asks for passages");
    for budget in 20..=60 {
        let tight = shown(&format!("&passages=5&budget_tokens={budget}")).await;
        let tokens: u64 = tight.as_array().unwrap().iter().map(|one| one["tokens"].as_u64().unwrap()).sum();
        assert!((1..=budget).contains(&tokens), "{tight}");
    }
    let begun = shown("&budget_tokens=3").await;
    assert_eq!(begun[0]["text"], "### Rotate t", "twelve characters of the best one");
    for (extra, error) in [("&passages=0", "invalid passages"), ("&budget_tokens=few", "invalid budget_tokens")] {
        let problem = bench.get(&format!("{q}{extra}")).await.problem(400, "invalid_query");
        assert_eq!(problem["error"], error);
    }
}

#[tokio::test]
async fn a_text_without_a_word_of_the_question_shows_how_it_begins_and_other_kinds_show_none() {
    let bench = bench();
    bench.bodies.put(Kind::Skill, "skills/pdf-forms", TEXT, TEXT.as_bytes());
    let named = hit(&bench, "/v1/search?q=pdf-forms&passages=2", "pdf-forms").await;
    assert_eq!(named["passages"][0]["headings"], json!([]));
    assert_eq!(named["passages"][0]["text"], "Before all headings.");
    assert_eq!(named["passages"].as_array().unwrap().len(), 1);
    bench.bodies.put(Kind::Skill, "skills/pdf-forms", SKILL, SKILL.as_bytes());
    let skill = hit(&bench, "/v1/search?q=pdf+fields&passages=1", "pdf-forms").await;
    assert_eq!(skill["passages"][0]["text"], "# PDF forms\n\nOpen the file, list its fields.");
    let model = hit(&bench, "/v1/search?q=nova-2&passages=1", "nova-2").await;
    assert!(model.get("passages").is_none(), "{model}");
    let chosen = bench.json("/v1/search?q=started&type=DOC&passages=1&fields=title").await;
    assert!(chosen["results"][0]["passages"].is_array(), "what was asked for stays beside the chosen fields: {chosen}");
}

#[tokio::test]
async fn an_agent_gets_passages_with_the_hits() {
    let bench = bench();
    let asked = json!({"q": "started rotate certificates", "type": "DOC", "passages": 1, "budget_tokens": 200});
    let answer = crate::mcp::structured(&bench, "search_catalog", asked).await;
    let rest = "/v1/search?q=started+rotate+certificates&type=DOC&passages=1&budget_tokens=200";
    assert_eq!(answer["results"][0]["passages"], bench.json(rest).await["results"][0]["passages"]);
}

#[tokio::test]
async fn only_the_texts_of_the_best_hits_are_read_for_passages() {
    let page = |number: usize| {
        let (key, id) = (format!("pages/{number}.md"), format!("page-{number}"));
        let mut page = catalog::fact(&key, &id, &format!("Lamp page {number}"), &Item::Document(Document::default()));
        page.has_body = true;
        page.body_text = "A lamp burns oil.".into();
        page
    };
    let pages: Vec<_> = (0..PASSAGE_TEXTS_MAX + 3).map(page).collect();
    let bench = Bench::over(unlimited(), &pages);
    for number in 0..pages.len() {
        bench.bodies.put(Kind::Document, &format!("pages/{number}.md"), "A lamp burns oil.", b"");
    }
    let answer = bench.json("/v1/search?q=lamp+oil&limit=50&passages=1").await;
    let hits = answer["results"].as_array().unwrap();
    assert_eq!((hits.len(), bench.bodies.reads()), (pages.len(), PASSAGE_TEXTS_MAX));
    assert!(hits[..PASSAGE_TEXTS_MAX].iter().all(|hit| hit["passages"][0]["text"] == "A lamp burns oil."), "{answer}");
    assert!(hits[PASSAGE_TEXTS_MAX..].iter().all(|hit| hit.get("passages").is_none()), "{answer}");
}

#[tokio::test]
async fn a_passage_of_mdx_is_what_a_reader_reads() {
    let text = "import { Tip } from 'lamp'\n\n# Getting started\n\n<Tip>\n  Rotate the certificates with <Snippet text=\"lamp rotate\" />.\n</Tip>\n";
    let bench = Bench::new();
    bench.bodies.put(Kind::Document, "guide/start.md", text, text.as_bytes());
    let q = "/v1/search?q=started+rotate+certificates&type=DOC&passages=5";
    let hit = hit(&bench, q, "guide-start").await;
    let [passage] = hit["passages"].as_array().unwrap().as_slice() else { panic!("{hit}") };
    assert_eq!(passage["text"], "# Getting started\n\n\nRotate the certificates with `lamp rotate`.");
    let read = json!({"id": "guide-start", "offset": passage["offset"], "limit": 17});
    let piece = crate::mcp::structured(&bench, "read_document", read).await;
    assert_eq!(piece["markdown"], "# Getting started", "the offset is that of the text as it is stored");
}
