//! What upstreams and clients write stays text on every page.

use super::{BROWSER, Page};
use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use crate::xss::{PAYLOADS, no_attribute_runs, poisoned};
use http::StatusCode;
use refdesk_core::item::{Item, Model, Pricing};
use refdesk_core::{Kind, Usd};

/// Elements that run, load, or take what a person types.
const ACTIVE: [&str; 19] = [
    "script", "style", "link", "meta", "base", "form", "input", "button", "select", "textarea", "iframe", "object",
    "embed", "img", "svg", "math", "video", "template", "noscript",
];

/// The names of the elements of a page, outside the text of an upstream.
fn elements(html: &str) -> Vec<String> {
    let inside = html.split_once("<article").map_or(html.to_owned(), |(before, rest)| {
        format!("{before}{}", rest.split_once("</article>").map_or("", |(_, after)| after))
    });
    let names = inside
        .split('<')
        .skip(1)
        .map(|tag| tag.split(|c: char| c.is_whitespace() || c == '>').next().unwrap_or_default());
    names.filter(|name| !name.starts_with('/')).map(str::to_owned).collect()
}

/// How many of each active element there are.
fn active(elements: &[String]) -> Vec<usize> {
    ACTIVE.iter().map(|active| elements.iter().filter(|name| name == active).count()).collect()
}

#[tokio::test]
async fn no_text_of_an_upstream_becomes_an_element_of_a_page() {
    let targets = [
        "/models",
        "/documents",
        "/skills",
        "/tutorials",
        "/models/bad",
        "/documents/bad",
        "/skills/bad",
        "/tutorials/bad",
        "/search?q=needle",
        "/compare?kind=models&ids=bad,other",
    ];
    let pages = async |payload: &str| {
        let (facts, body) = poisoned(payload);
        let bench = Bench::over(unlimited(), &facts);
        for kind in [Kind::Document, Kind::Skill, Kind::Tutorial] {
            bench.bodies.put(kind, &format!("bad-{kind}"), &body, body.as_bytes());
        }
        let mut pages = Vec::new();
        for target in targets {
            pages.push(Page::of(&bench, target).await.html());
        }
        pages
    };
    let harmless: Vec<Vec<String>> = pages("harmless").await.iter().map(|page| elements(page)).collect();
    for payload in PAYLOADS {
        for ((page, expected), target) in pages(payload).await.iter().zip(&harmless).zip(targets) {
            let found = elements(page);
            assert_eq!(active(&found), active(expected), "{payload} on {target}: {page}");
            let new = found.iter().find(|name| !expected.contains(name));
            assert!(new.is_none(), "{payload} on {target}: <{new:?}> in {page}");
            let lower = page.to_lowercase();
            for scheme in
                ["href=\"javascript:", "href=\"data:", "href=\"vbscript:", "src=\"data:", " onerror=\"", " onload=\""]
            {
                assert!(!lower.contains(scheme), "{payload} on {target}: {scheme}");
            }
            // Where a text of an upstream is rendered, everything in it that runs is gone.
            let article = lower.split_once("<article").map_or("", |(_, rest)| rest.split_once("</article>").unwrap().0);
            for tag in [
                "<script", "<img", "<svg", "<iframe", "<form", "<input", "<style", "<math", "<base", "<link", "<meta",
                " style=",
            ] {
                assert!(!article.contains(tag), "{payload} on {target}: {tag} in {article}");
            }
            no_attribute_runs(article, &format!("{payload} on {target}"));
        }
    }
}

#[tokio::test]
async fn hidden_and_bidirectional_characters_are_not_shown() {
    let (facts, _) = poisoned("a\u{202e}b\u{200b}c");
    let bench = Bench::over(unlimited(), &facts);
    for target in ["/documents", "/models/bad", "/search?q=needle"] {
        let page = Page::of(&bench, target).await;
        assert!(!page.html().contains(['\u{202e}', '\u{200b}']), "{target}");
    }
}

#[tokio::test]
async fn every_parameter_may_be_hostile_on_every_page() {
    let bench = Bench::new();
    let values = [
        "<script>alert(1)</script>",
        "\"><svg onload=alert(1)>",
        "%00",
        "a%FFb",
        "\u{202e}",
        "-1",
        "99999999999999999999",
        "' OR 1=1",
        "../../etc/passwd",
        "{{7*7}}",
        "${7*7}",
    ];
    let pages = [
        "/",
        "/models",
        "/models/nova-2",
        "/search",
        "/compare",
        "/conflicts",
        "/frameworks/route",
        "/sources",
        "/connect",
        "/documents/guide-start",
        "/evidence/ev_none",
        "/docs",
    ];
    let names = [
        "q",
        "type",
        "kind",
        "ids",
        "sort",
        "columns",
        "limit",
        "offset",
        "vendor",
        "price_input__lte",
        "offers",
        "input_tokens",
        "domain",
        "path",
        "min_percent",
        "collection",
        "suggest2",
        "<b>",
    ];
    for page in pages {
        for name in names {
            for value in values {
                let query = url::form_urlencoded::Serializer::new(String::new())
                    .append_pair(name, value)
                    .append_pair("q", value)
                    .finish();
                let answer = bench.get_with(&format!("{page}?{query}"), &[BROWSER]).await;
                let html = answer.text();
                let status = answer.status;
                assert!(
                    [StatusCode::OK, StatusCode::BAD_REQUEST, StatusCode::NOT_FOUND].contains(&status),
                    "{page}?{query}: {status}"
                );
                assert!(
                    !html.contains("<script>alert") && !html.contains("<svg onload") && !html.contains("<b>\""),
                    "{page}?{query}"
                );
                answer.tells_nothing_of_the_inside();
            }
        }
    }
}

#[tokio::test]
async fn ids_of_any_spelling_are_answered() {
    let bench = Bench::new();
    for id in ["a/b/c", "100%25", "%E2%80%AEx", "a%2Fb", "%2e%2e%2fetc", "%00", "%FF", "x?y", "x#y", "%3Cscript%3E"] {
        for segment in ["models", "documents", "sources", "evidence"] {
            let answer = bench.get_with(&format!("/{segment}/{id}"), &[BROWSER]).await;
            assert_eq!(answer.status, StatusCode::NOT_FOUND, "/{segment}/{id}");
            assert!(!answer.text().contains("<script>") && !answer.text().contains('\u{202e}'), "/{segment}/{id}");
        }
    }
}

#[tokio::test]
async fn a_document_of_three_megabytes_is_shown_as_it_was_written() {
    let bench = Bench::new();
    let text = "word & <b>word</b>\n".repeat(3 * 1024 * 1024 / 19);
    bench.bodies.put(Kind::Document, "guide/start.md", &text, text.as_bytes());
    let page = Page::of(&bench, "/documents/guide-start").await;
    assert!(page.words().contains("This text is shown as it was written."));
    assert!(page.html().contains("word &amp; &lt;b&gt;word"));
}

#[tokio::test]
async fn a_price_beyond_all_measure_is_shown_and_breaks_nothing() {
    // Three times as much is more than a decimal of 96 bits holds.
    let pricing =
        Pricing { input: Usd::parse("39614081257132168796771975168"), output: Usd::parse("1"), ..Pricing::default() };
    assert!(pricing.input.is_some());
    let mut stored = fact("m", "m", "Dear", &Item::Model(Model { pricing: Some(pricing), ..Model::default() }));
    stored.identity.provider = Some("market".into());
    stored.identity.api_model_id = Some("m".into());
    let bench = Bench::over(unlimited(), &[stored]);
    for target in ["/models", "/models/m", "/models/m?input_tokens=1M"] {
        Page::of(&bench, target).await;
    }
    let offer = &bench.json("/v1/models/m").await["model"]["offers"][0];
    assert!(offer["pricing"]["input"].as_f64().is_some_and(|price| price > 3.9e28), "it is not withheld: {offer}");
}
