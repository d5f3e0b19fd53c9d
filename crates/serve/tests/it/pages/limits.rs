//! What is long is cut and says so; what is large goes on elsewhere.

use super::Page;
use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use http::StatusCode;
use refdesk_core::Reject;
use refdesk_core::fact::{Identity, StoredFact};
use refdesk_core::item::{Item, Modalities, Model, Pricing, Tool};
use refdesk_core::source_status::StatusWord;
use refdesk_core::{Kind, Usd};
use refdesk_serve::Settings;
use refdesk_serve::state::SourceHistory;

/// A model that so many sellers offer, each dearer than the one before.
fn sold(sellers: u32) -> Vec<StoredFact> {
    let offer = |at: u32| {
        let model = Model {
            description: Some("needle ".repeat(200)),
            modalities: Modalities { input: (0..9).map(|at| format!("way{at}")).collect(), output: Vec::new() },
            pricing: Some(Pricing {
                input: Usd::parse(&format!("{}", at + 1)),
                output: Usd::parse("1"),
                ..Pricing::default()
            }),
            ..Model::default()
        };
        let mut stored = fact(&format!("seller-{at}/m"), "m", "Needle", &Item::Model(model));
        stored.identity = Identity {
            provider: Some(if at == 0 { "acme".into() } else { format!("seller-{at}") }),
            api_model_id: Some("m".into()),
            maker: Some("acme".into()),
            ..Identity::default()
        };
        stored
    };
    (0..sellers).map(offer).collect()
}

#[tokio::test]
async fn what_is_long_is_cut_and_says_so() {
    let bench = Bench::over(unlimited(), &sold(14));
    let list = Page::of(&bench, "/models?columns=input_modalities").await.words();
    assert!(list.contains("way4, way5 and 3 more"), "{list}");
    let filters = format!("/models?vendor={}&price_input__lte=3", "needle".repeat(30));
    let html = Page::of(&bench, &filters).await.html();
    let title = html.split_once("<title>").unwrap().1.split_once("</title>").unwrap().0.to_owned();
    assert!(title.starts_with("Models: Vendor needle") && title.ends_with("… · refdesk"), "{title}");
    assert!(title.chars().count() < 130 && title.len() > 100, "{title}");
    let item = Page::of(&bench, "/models/m?input_tokens=1M").await;
    assert!(item.words().contains("4 more that cost more or lack a price"), "{}", item.words());
    assert!(item.words().contains("Chart of the cheapest 12"), "{}", item.words());
    let description =
        item.html().split_once("name=\"description\" content=\"").unwrap().1.split_once('"').unwrap().0.to_owned();
    assert!(description.ends_with('…') && description.chars().count() <= 201, "{description}");

    let tool = Tool { description: Some("needle ".repeat(200)), ..Tool::default() };
    let tools = Bench::over(unlimited(), &[fact("t", "t", "Needle", &Item::Tool(tool))]);
    for target in ["/tools", "/search?q=needle"] {
        let words = Page::of(&tools, target).await.words();
        assert!(words.contains('…') && words.matches("needle").count() < 40, "{target}: {words}");
    }

    let bench = Bench::new();
    let text = "# One\n\n## Two\n\n## Three\n\n### Four\n";
    bench.bodies.put(Kind::Document, "guide/start.md", text, text.as_bytes());
    let links = Page::of(&bench, "/documents/guide-start").await.links();
    assert!(links.contains(&"#s-three".to_owned()) && !links.contains(&"#s-four".to_owned()), "{links:?}");

    let ids: Vec<String> = (0..9).map(|at| format!("source-{at}")).collect();
    bench.desk.set_sources(ids.iter().map(|id| super::sources::source(id, StatusWord::Ok)).collect());
    let reject = |at: usize| Reject::new(format!("line {at}"), "why", "x");
    let rejects = (0..250).map(reject).collect();
    bench.bodies.histories.lock().unwrap().insert("source-1".into(), SourceHistory { runs: Vec::new(), rejects });
    let words = Page::of(&bench, "/sources/source-1").await.words();
    assert!(
        words.contains("The first 200 of 250.") && words.contains("line 199") && !words.contains("line 200"),
        "{words}"
    );
    let near = Page::refused(&bench, "/sources/source-77", StatusCode::NOT_FOUND).await.words();
    assert_eq!(near.matches("source-").count(), 2, "what was asked for, and the nearest: {near}");
}

#[tokio::test]
async fn a_large_table_goes_on_by_pages_and_its_sitemap_by_files() {
    let tool =
        |at: u32| fact(&format!("t{at}"), &format!("t{at:05}"), &format!("Tool {at:05}"), &Item::Tool(Tool::default()));
    let facts: Vec<StoredFact> = (0..50_001).map(tool).collect();
    let bench = Bench::over(Settings { base_url: "https://d.example".into(), web_index: true, ..unlimited() }, &facts);
    let page = Page::of(&bench, "/tools?limit=1000").await;
    assert_eq!(page.html().matches("name=\"ids\"").count(), 500);
    assert!(page.words().contains("1–500 of 50,001"));
    assert!(page.links().contains(&"/tools?limit=1000&offset=500".to_owned()));
    let last = Page::of(&bench, "/tools?offset=50000").await;
    assert!(last.links().contains(&"/tools/t50000".to_owned()));
    let locations = async |file: &str| bench.get(file).await.text().matches("<loc>").count();
    assert_eq!(locations("/sitemap.xml").await, 3, "the desk, and two files of tools");
    assert_eq!((locations("/sitemap-tools-0.xml").await, locations("/sitemap-tools-1.xml").await), (50_000, 1));
}
