//! No answer is longer than a model can read, and each says how to go on.

use super::{call, long_facts, mistake, structured};
use crate::common::{Bench, unlimited};
use refdesk_core::Kind;
use refdesk_serve::mcp::ANSWER_CHARS_MAX;
use serde_json::{Value, json};

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
async fn no_answer_is_longer_than_a_model_can_read_and_each_says_how_to_go_on() {
    let bench = Bench::over(unlimited(), &long_facts());
    let text = "\"Zeile\"\nmit ü ".repeat(40_000);
    bench.bodies.put(Kind::Document, "long.md", &text, text.as_bytes());
    for (tool, arguments) in [
        ("list_items", json!({"type": "MODEL", "limit": 500})),
        ("search_catalog", json!({"q": "long", "limit": 50, "include_markdown": true})),
        ("search_catalog", json!({"q": "long page", "type": "DOC", "include_markdown": true})),
        ("get_item", json!({"id": "long-page"})),
        ("read_document", json!({"id": "long-page", "limit": 50_000})),
    ] {
        let result = call(&bench, tool, arguments.clone()).await;
        let shown: usize = result["content"]
            .as_array()
            .unwrap()
            .iter()
            .map(|block| {
                block["text"].as_str().map_or_else(|| block.to_string().chars().count(), |text| text.chars().count())
            })
            .sum();
        assert!(shown <= ANSWER_CHARS_MAX, "{tool} {arguments}: {shown}");
        let answer = &result["structuredContent"];
        if shown > 50_000 || tool == "get_item" {
            assert_eq!(answer["truncated"], true, "{tool} {arguments}: {shown}");
            assert!(answer["how_to_continue"].as_str().is_some_and(|how| !how.is_empty()), "{tool}");
        }
        assert!(!result.to_string().contains('\u{202e}'), "{tool}: hidden characters are gone");
    }
    // The pages of a cut list are gapless.
    let (mut ids, mut offset) = (Vec::new(), json!(0));
    while !offset.is_null() {
        let page = structured(&bench, "list_items", json!({"type": "MODEL", "limit": 500, "offset": offset})).await;
        ids.extend(crate::common::ids(&page["models"]).into_iter().map(str::to_owned));
        offset = page["next_offset"].clone();
    }
    let rest = bench.json("/v1/models/list?limit=500").await;
    assert_eq!(ids, crate::common::ids(&rest["models"]));
}

#[tokio::test]
async fn long_lists_of_an_item_are_cut_and_say_so() {
    let mut many = crate::common::catalog::facts();
    let model = many.iter_mut().find(|fact| fact.kind == Kind::Model && fact.key.contains("nova-2")).unwrap();
    model.head.aliases = (0..9).map(|at| format!("nova-two-{at}")).collect();
    let bench = Bench::over(unlimited(), &many);
    let short = structured(&bench, "get_item", json!({"id": "nova-2", "type": "MODEL"})).await;
    assert_eq!(short["model"]["aliases"].as_array().map(Vec::len), Some(8));
    assert!(short["how_to_continue"].as_str().is_some_and(|how| how.contains("model.aliases (8 of ")), "{short}");
    let whole = structured(&bench, "get_item", json!({"id": "nova-2", "type": "MODEL", "full": true})).await;
    assert!(whole["model"]["aliases"].as_array().is_some_and(|all| all.len() >= 9) && whole["truncated"] != true);
}
