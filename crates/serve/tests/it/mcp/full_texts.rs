//! Full texts: how those of the hits of a search share the room of an answer, and how one is read piece by piece.

use super::{mistake, structured};
use crate::common::{Bench, catalog, unlimited};
use refdesk_core::Kind;
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Document, Item};
use serde_json::{Value, json};

/// So many pages that what REST says of the hits nearly fills an answer.
const PAGES: usize = 45;

/// Pages that a question finds, each with a text of so many characters.
fn library(text_chars: usize) -> (Bench, String) {
    let page = |at: usize| {
        let (key, id) = (format!("lantern-{at:02}.md"), format!("lantern-{at:02}"));
        let mut page = catalog::fact(&key, &id, &format!("Lantern {at}"), &Item::Document(Document::default()));
        page.has_body = true;
        page.body_text = "lantern".into();
        page
    };
    let pages: Vec<StoredFact> = (0..PAGES).map(page).collect();
    let bench = Bench::over(unlimited(), &pages);
    let text: String = (0..)
        .map(|word| format!("word {word}, "))
        .flat_map(|word| word.chars().collect::<Vec<_>>())
        .take(text_chars)
        .collect();
    for page in &pages {
        bench.bodies.put(Kind::Document, &page.key, &text, text.as_bytes());
    }
    (bench, text)
}

async fn found(bench: &Bench) -> Value {
    let asked = json!({"q": "lantern", "type": "DOC", "limit": 50, "include_markdown": true});
    structured(bench, "search_catalog", asked).await
}

/// Before, what REST says of the hits left no room, and every text was empty.
#[tokio::test]
async fn the_best_hits_have_legible_texts_and_no_text_is_cut_to_nothing() {
    let (bench, text) = library(4_000);
    let answer = found(&bench).await;
    let results = answer["results"].as_array().unwrap();
    assert_eq!(results.len(), PAGES, "no hit gives way: {}", answer["how_to_continue"]);
    let texts: Vec<&str> = results.iter().map_while(|hit| hit.get("markdown")?.as_str()).collect();
    assert!((10..PAGES).contains(&texts.len()), "{} texts", texts.len());
    assert!(texts.iter().all(|part| part.len() >= 1_900 && text.starts_with(part)), "{texts:?}");
    assert!(results[texts.len()..].iter().all(|hit| hit.get("markdown").is_none()), "an empty text is no text");
    let how = answer["how_to_continue"].as_str().unwrap();
    assert!(how.ends_with("; read_document gives the text of a document that has none here"), "{how}");
    let (id, offset) = (results[0]["id"].as_str().unwrap(), texts[0].chars().count());
    assert!(how.starts_with(&format!("read_document with id={id} and offset={offset}, or id=")), "{how}");
    let rest = structured(&bench, "read_document", json!({"id": id, "offset": offset})).await;
    assert_eq!(format!("{}{}", texts[0], rest["markdown"].as_str().unwrap()), text);
}

#[tokio::test]
async fn texts_that_fit_beside_short_hits_are_whole() {
    let (bench, text) = library(300);
    let answer = found(&bench).await;
    let results = answer["results"].as_array().unwrap();
    assert_eq!((results.len(), &answer["truncated"]), (PAGES, &Value::Null), "{}", answer["how_to_continue"]);
    assert!(results.iter().all(|hit| hit["markdown"] == text.as_str()), "{answer}");
}

#[tokio::test]
async fn read_document_gives_the_text_of_the_detail_piece_by_piece() {
    let bench = Bench::new();
    for (kind, id, path, member) in [
        ("DOC", "guide-start", "/v1/documents/guide-start", "/document/markdown"),
        ("SKILL", "pdf-forms", "/v1/skills/pdf-forms", "/skill/body_markdown"),
        ("TUTORIAL", "first-agent", "/v1/tutorials/first-agent", "/tutorial/body_markdown"),
    ] {
        let rest = bench.json(path).await;
        let whole = rest.pointer(member).and_then(Value::as_str).unwrap();
        let (mut text, mut offset) = (String::new(), json!(0));
        while !offset.is_null() {
            let piece = structured(&bench, "read_document", json!({"id": id, "offset": offset, "limit": 7})).await;
            assert_eq!((&piece["type"], &piece["evidence"]), (&json!(kind), &rest["evidence"]));
            assert_eq!(piece["total_chars"], whole.chars().count());
            assert_eq!(piece["truncated"] == true, !piece["next_offset"].is_null());
            text.push_str(piece["markdown"].as_str().unwrap());
            offset = piece["next_offset"].clone();
        }
        assert_eq!(text, whole, "{id}");
    }
    let past = structured(&bench, "read_document", json!({"id": "guide-start", "offset": 9_999})).await;
    assert_eq!((&past["markdown"], &past["next_offset"]), (&json!(""), &Value::Null));
    assert_eq!(mistake(&bench, "read_document", json!({"id": "guide-bare"})).await["error"], "no full text");
    assert_eq!(
        mistake(&bench, "read_document", json!({"id": "guide-start", "offset": -1})).await["error"],
        "invalid offset"
    );
}

#[tokio::test]
async fn a_section_goes_on_as_a_section() {
    let bench = Bench::new();
    let first = json!({"id": "guide-start", "heading": "Getting started", "limit": 20});
    let part = structured(&bench, "read_document", first).await;
    let next = part["next_offset"].clone();
    assert!(next.is_number(), "{part}");
    let told = format!(
        "read_document with type=DOC, id=guide-start, heading=\"Getting started\", limit=20 and offset={next} reads on"
    );
    assert_eq!(part["how_to_continue"], told);
}

/// The schema's default of `offset` is 0, and some clients send every default.
#[tokio::test]
async fn a_section_begins_at_its_heading_also_for_an_offset_before_it() {
    let bench = Bench::new();
    let section = json!({"id": "guide-start", "heading": "Getting started", "limit": 20});
    let part = structured(&bench, "read_document", section.clone()).await;
    assert!(part["markdown"].as_str().unwrap().starts_with("# Getting started"), "{part}");
    let mut with_default = section;
    with_default["offset"] = json!(0);
    assert_eq!(structured(&bench, "read_document", with_default).await, part);
}
