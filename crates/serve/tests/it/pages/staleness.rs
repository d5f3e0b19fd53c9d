//! A value from a stale source is marked beside it, wherever a page shows it. `docs/web.md`.

use super::Page;
use super::lists::between;
use crate::common::catalog::{self, fact};
use crate::common::{Bench, unlimited};
use crate::rest::items::prices_shown::{priced, stale};
use crate::rest::items::sellers::with_queries;
use refdesk_core::Kind;
use refdesk_core::item::{Item, Model};

#[tokio::test]
async fn the_offer_of_a_maker_whose_price_is_stale_is_not_fresh() {
    let page = Page::of(&Bench::over(unlimited(), &priced()), "/models/own").await;
    let words = page.words();
    let offers = between(&words, "Freshness", "Chart of");
    let (own, market) = offers.split_once("market").unwrap();
    assert!(own.contains("maker") && own.contains("stale") && !own.contains("fresh"), "{offers}");
    assert!(market.contains("fresh") && !market.contains("stale"), "{offers}");
}

/// What most come for stays at the top, as in the hits of a search.
#[tokio::test]
async fn the_line_of_a_model_is_marked_where_any_of_it_is_stale() {
    let bench = Bench::over(unlimited(), &priced());
    for (target, price, is_stale) in [("/models/own", "$1 in", true), ("/models/sea", "$2 in", false)] {
        let html = Page::of(&bench, target).await.html();
        let line = between(&html, "<p class=\"gist\">", "</p>");
        assert!(line.contains(price), "{target}: {line}");
        assert_eq!(line.contains("stale"), is_stale, "{target}: {line}");
    }
}

#[tokio::test]
async fn a_cell_of_a_table_marks_what_is_stale_and_no_more() {
    let bench = Bench::over(unlimited(), &priced());
    for (target, shown, marks) in [
        ("/models?ids=own", "$1 ; stale", 2),
        ("/models?ids=own&columns=price_blended", "$1 ; stale", 1),
        ("/models?ids=own&columns=cheapest", "$1 in, $1 out ; stale", 1),
        ("/models?ids=own&columns=price_input&price_of=market", "$3", 0),
        ("/models?ids=own&columns=vendor,context_tokens", "Acme", 0),
        ("/models?ids=sea", "$2", 0),
    ] {
        let words = Page::of(&bench, target).await.words();
        let table = between(&words, "Compare selected", "Compare selected");
        assert!(table.contains(shown), "{target}: {table}");
        assert_eq!(table.matches("; stale").count(), marks, "{target}: {table}");
    }
}

/// A row that is stale as a whole says so once, in its column.
#[tokio::test]
async fn a_stale_row_says_so_once_where_its_freshness_is_shown() {
    let mut old: Vec<_> = priced().into_iter().map(stale).collect();
    old.truncate(2);
    let bench = Bench::over(unlimited(), &old);
    for (target, marks) in [("/models?ids=own", 0), ("/models?ids=own&columns=price_input", 1)] {
        let words = Page::of(&bench, target).await.words();
        let table = between(&words, "Compare selected", "Compare selected");
        assert_eq!(table.matches("; stale").count(), marks, "{target}: {table}");
    }
}

#[tokio::test]
async fn a_hit_marks_the_line_or_the_text_that_is_stale() {
    let mut facts = priced();
    let bench = Bench::over(unlimited(), &facts);
    let hit = |words: &str, name: &str| between(words, &format!("{name} model"), "fresh").to_owned();
    let words = Page::of(&bench, "/search?q=own").await.words();
    assert!(hit(&words, "own").contains("1 offer ; stale"), "{words}");
    assert!(!Page::of(&bench, "/search?q=sea").await.words().contains("; stale"));

    let described = Model { description: Some("A gull over the sea.".into()), ..Model::default() };
    let mut told = stale(facts[3].clone());
    told.source_id = "second".into();
    told.fields = fact("x", "x", "x", &Item::Model(described)).fields;
    facts.push(told);
    let words = Page::of(&Bench::over(unlimited(), &facts), "/search?q=gull").await.words();
    assert!(words.contains("sea. ; stale") && words.contains("$2 out per 1M tokens ·"), "{words}");
}

#[tokio::test]
async fn a_section_that_is_made_of_one_value_is_marked_at_its_heading() {
    let mut servers = catalog::facts();
    servers.retain(|fact| fact.kind == Kind::McpServer && fact.key.contains("files"));
    let whole = servers[1].clone();
    for member in ["packages", "tools"] {
        let mut fields = servers[0].fields.read().into_owned();
        fields.shift_remove(member);
        servers[0].fields = fields.into();
    }
    servers[1] = stale(whole);
    let words = Page::of(&Bench::over(unlimited(), &servers), "/mcp-servers/files").await.words();
    assert!(words.contains("Install ; stale") && words.contains("Tools (1) ; stale Tool "), "{words}");
    let words = Page::of(&Bench::new(), "/mcp-servers/files").await.words();
    assert!(!words.contains("; stale"), "{words}");

    let mut bare = with_queries("1", "acme");
    bare.fields = fact("x", "x", "x", &Item::Model(Model::default())).fields;
    let mut priced = stale(with_queries("1", "acme"));
    priced.source_id = "second".into();
    let words = Page::of(&Bench::over(unlimited(), &[bare, priced]), "/models/ranker").await.words();
    assert!(words.contains("Other meters ; stale"), "{words}");
}
