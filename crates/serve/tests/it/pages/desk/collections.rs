//! The page of a collection, and the pages that show a part of the catalog.

use super::super::Page;
use crate::common::{Bench, unlimited};
use http::StatusCode;
use refdesk_catalog::collections::{Collection, CollectionConfig};
use refdesk_serve::Settings;

fn bench() -> Bench {
    let config = CollectionConfig {
        id: "team".into(),
        title: "What the team may use".into(),
        kinds: vec!["model".into(), "tool".into()],
        filter: "vendor=acme".into(),
        exclude: vec!["orbit-1".into()],
        ..CollectionConfig::default()
    };
    Bench::with(Settings { collections: vec![Collection::new(config).unwrap()], ..unlimited() })
}

#[tokio::test]
async fn a_collection_says_what_belongs_to_it_and_leads_to_its_members() {
    let bench = bench();
    let page = Page::of(&bench, "/c/team").await;
    let words = page.words();
    let total = bench.json("/c/team/v1/models/list").await["total"].as_u64().unwrap();
    for part in ["What the team may use", "Models, Tools", "Vendor acme", "orbit-1", &format!("Models {total} ")] {
        assert!(words.contains(part), "{part}: {words}");
    }
    assert!(words.contains("http://localhost/c/team/mcp"), "{words}");
    let list = "/models?collection=team".to_owned();
    assert!(page.links().contains(&list), "{:?}", page.links());
    let listed = Page::of(&bench, &list).await;
    assert!(listed.words().contains("Only the collection What the team may use"), "{}", listed.words());
    assert!(listed.html().contains("<title>Models of What the team may use"), "{}", listed.html());
    for link in ["/c/team", "/models"] {
        assert!(listed.links().contains(&link.to_owned()), "{link}");
    }
    assert!(Page::of(&bench, "/").await.links().contains(&"/c/team".to_owned()));
    assert!(Page::of(&bench, "/search?q=nova&collection=team").await.words().contains("Only the collection"));
}

#[tokio::test]
async fn no_page_is_of_a_collection_that_nobody_defined() {
    let bench = bench();
    assert!(Page::refused(&bench, "/c/nobody", StatusCode::NOT_FOUND).await.words().contains("team"));
    let led = bench.get("/c/team/models").await;
    assert_eq!((led.status, led.header("location")), (StatusCode::SEE_OTHER, "/models?collection=team"));
    assert_eq!(bench.get("/c/team/").await.status, StatusCode::PERMANENT_REDIRECT);
}
