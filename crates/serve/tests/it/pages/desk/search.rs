//! Search: its suggestions and its tabs.

use super::super::Page;
use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use http::StatusCode;
use refdesk_core::item::{Item, Limits, Model, Status};
use refdesk_serve::Settings;
use serde_json::json;

#[tokio::test]
async fn suggestions_have_the_rights_of_a_page() {
    let settings = Settings { require_key: true, web_open: true, ..unlimited() };
    let bench = Bench::with(settings);
    assert_eq!(bench.get("/v1/search?q=nova").await.status, StatusCode::UNAUTHORIZED);
    let suggested = bench.get("/search?suggest=1&limit=8&q=nova").await;
    assert_eq!(suggested.status, StatusCode::OK);
    assert_eq!(suggested.json()["results"][0]["id"], "nova-2");
    let page = Page::of(&bench, "/models").await;
    assert!(page.html().contains("data-suggest=\"/search?suggest=1"));
    assert!(!page.html().contains("This page as") && !page.html().contains("rel=\"alternate\""), "links to refusals");
}

#[tokio::test]
async fn frameworks_are_suggested_and_kinds_are_called_as_on_pages() {
    let bench = Bench::new();
    let first = bench.json("/search?suggest=1&q=premor").await["results"][0].take();
    let card = json!({"kind": "framework", "id": "premortem", "name": "Pre-mortem", "path": "/frameworks/premortem"});
    assert_eq!((&first["kind"], &first["path"]), (&card["kind"], &card["path"]), "{first}");
    let all = bench.json("/search?suggest=1&q=files").await["results"].take();
    let kinds: Vec<&str> = all.as_array().unwrap().iter().map(|hit| hit["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"MCP server"), "{kinds:?}");
}

#[tokio::test]
async fn tabs_keep_the_question() {
    let page = Page::of(&Bench::new(), "/search?q=nova&fresh_only=true&understand=false&limit=5").await;
    let tab = "/search?q=nova&fresh_only=true&understand=false&limit=5&type=MODEL";
    assert!(page.links().contains(&tab.to_owned()), "{:?}", page.links());
    let tab = Page::of(&Bench::new(), tab).await;
    assert!(tab.links().contains(&"/search?q=nova&fresh_only=true&understand=false&limit=5".to_owned()));
    assert!(tab.links().contains(&"/search?q=nova&type=MODEL".to_owned()), "clears the filters");
}

/// A hundred hits of which nothing but a line is known are read faster in a line each.
#[tokio::test]
async fn a_hit_without_a_text_says_in_its_line_when_it_was_checked() {
    let limits = Limits { context_tokens: Some(1000), ..Limits::default() };
    let alone =
        fact("alone", "alone", "Lumen alone", &Item::Model(Model { limits: limits.clone(), ..Model::default() }));
    let described = Model { limits, description: Some("A lumen shines.".into()), ..Model::default() };
    let described = fact("described", "described", "Lumen described", &Item::Model(described));
    let html = Page::of(&Bench::over(unlimited(), &[alone, described]), "/search?q=lumen").await.html();
    let lines = |id: &str| {
        let (_, hit) = html.split_once(&format!("href=\"/models/{id}\"")).unwrap();
        let hit = hit.split_once("</li>").unwrap().0;
        (hit.matches("<p").count(), hit.contains("1,000 tokens of context") && hit.contains("fresh <time"))
    };
    assert_eq!((lines("alone"), lines("described")), ((1, true), (2, true)), "{html}");
}

#[tokio::test]
async fn a_hit_and_a_suggestion_that_are_over_say_so() {
    let mut old = fact("old", "old", "Lumen old", &Item::Model(Model::default()));
    old.head.status = Status::Retired;
    let kept = fact("new", "new", "Lumen new", &Item::Model(Model::default()));
    let bench = Bench::over(unlimited(), &[old, kept]);
    let html = Page::of(&bench, "/search?q=lumen").await.html();
    let of = |id: &str| html.split_once(&format!("href=\"/models/{id}\"")).unwrap().1.split_once("</li>").unwrap().0;
    assert!(of("old").contains("<span class=\"tag over\">retired</span>"), "{html}");
    assert!(!of("new").contains("tag over"), "{html}");
    let suggested = bench.json("/search?suggest=1&q=lumen").await["results"].take();
    let status = |id: &str| suggested.as_array().unwrap().iter().find(|hit| hit["id"] == id).unwrap()["status"].clone();
    assert_eq!((status("old"), status("new")), (json!("retired"), json!(null)), "{suggested}");
}

/// REST gives ten hits where no number is asked for, and eight cards.
#[tokio::test]
async fn the_json_of_the_page_has_the_hits_of_the_page() {
    let bench = Bench::new();
    for (asked, data) in [
        ("/search?q=nova", "/v1/search?q=nova&limit=20"),
        ("/search?q=nova&type=MODEL&limit=5", "/v1/search?q=nova&type=MODEL&limit=5"),
        ("/search?q=plan&type=FRAMEWORK", "/v1/frameworks/search?q=plan&limit=20"),
    ] {
        let page = Page::of(&bench, asked).await;
        assert!(page.links().contains(&data.to_owned()), "{asked}: {:?}", page.links());
        assert_eq!(bench.get(data).await.status, StatusCode::OK, "{data}");
    }
}

#[tokio::test]
async fn nothing_is_left_out_of_nothing() {
    let words = Page::of(&Bench::new(), "/search?q=xqzyyv").await.words();
    assert!(!words.contains("Only fresh items"), "{words}");
}

#[tokio::test]
async fn a_search_whose_filters_leave_nothing_leads_to_one_without_them() {
    let page = Page::of(&Bench::new(), "/search?q=nova&type=MODEL&context_tokens__gte=900m").await;
    let words = page.words();
    assert!(words.contains("Filters (1 set)") && words.contains("othing meets the filters; without them"), "{words}");
    assert!(words.contains("Look for the same words without the filters"), "{words}");
    assert!(page.links().contains(&"/search?q=nova&type=MODEL".to_owned()), "{:?}", page.links());
    let unfiltered = Page::of(&Bench::new(), "/search?q=xqzyyv&type=MODEL").await.words();
    assert!(unfiltered.contains("Nothing was found.") && !unfiltered.contains("without the filters"), "{unfiltered}");
}
