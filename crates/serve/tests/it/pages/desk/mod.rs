//! The pages that are of no kind.

mod collections;
mod compare;
mod search;

use super::Page;
use super::sources::source;
use crate::common::{Bench, DAY, NOW, unlimited};
use crate::rest::items::prices_shown::priced;
use http::StatusCode;
use refdesk_core::source_status::StatusWord;

#[tokio::test]
async fn the_first_page_counts_every_kind_and_tells_how_fresh_all_is() {
    let bench = Bench::new();
    let page = Page::of(&bench, "/").await;
    let (words, stats) = (page.words(), bench.desk.snapshot().stats().clone());
    assert!(words.contains(&format!("{} items, ", stats.total())), "{words}");
    let percent = (stats.total() - stats.stale()) * 100 / stats.total();
    assert!(words.contains("Why the others are stale"), "the sources tell it: {words}");
    assert!(percent < 100 && words.contains(&format!("{percent} % of them fresh")), "{words}");
    let stale = "/models?sort=-offers&stale=true";
    assert!(page.links().contains(&stale.to_owned()), "{:?}", page.links());
    let listed = Page::of(&bench, stale).await.words();
    assert!(listed.contains("Orbit 1") && !listed.contains("Nova 2"), "the number leads to what it counts: {listed}");
    for path in [
        "/models?sort=-offers",
        "/mcp-servers",
        "/frameworks/route",
        "/compare",
        "/conflicts",
        "/sources",
        "/connect",
        "/docs",
    ] {
        assert!(page.links().contains(&path.to_owned()), "{path}");
    }
}

/// The price of `own` was checked a month ago, by another source than the one that knows the model best.
#[tokio::test]
async fn the_oldest_check_of_the_first_page_is_that_of_an_item() {
    let bench = Bench::over(unlimited(), &priced());
    let words = Page::of(&bench, "/").await.words();
    let day = |days: i64| NOW.plus_secs(-days * DAY).to_string()[..10].to_owned();
    assert!(words.contains(&format!("the oldest check was on {}", day(1))), "{words}");
    let of_facts = bench.json("/health").await["data_freshness"]["oldest_verified_at"].take();
    assert_eq!(of_facts.as_str().unwrap()[..10], day(30), "that of all facts stays there");
}

/// In the order of ids the first models are names that hardly anybody looks for.
#[tokio::test]
async fn navigation_leads_to_the_models_that_most_sellers_offer_and_an_address_without_an_order_stays_that_of_rest() {
    let bench = Bench::new();
    let ids = |answer: &serde_json::Value| -> Vec<String> {
        answer["models"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    };
    let shown = |page: &Page| -> Vec<String> {
        let html = page.html();
        let boxes = html.split("name=\"ids\" value=\"").skip(1);
        boxes.map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
    };
    for (target, is_cleared) in [("/models", true), ("/models?sort=-offers", true), ("/models?vendor=acme", false)] {
        let page = Page::of(&bench, target).await;
        let answer = bench.json(&target.replace("/models", "/v1/models/list")).await;
        assert_eq!(shown(&page), ids(&answer), "{target}");
        assert_eq!(page.words().contains("Clear"), !is_cleared, "{target}");
    }
    let first = shown(&Page::of(&bench, "/models?sort=-offers").await).swap_remove(0);
    assert!(ids(&bench.json("/v1/models/list?offers__gte=1").await).contains(&first), "{first}");
}

/// Who sees the desk for the first time learns what to ask and what each kind is.
#[tokio::test]
async fn the_first_page_and_an_empty_search_give_examples_and_cards_say_what_a_kind_is() {
    let bench = Bench::new();
    for target in ["/", "/search"] {
        let page = Page::of(&bench, target).await;
        assert!(page.links().contains(&"/search?q=cheapest+vision+model".to_owned()), "{target}: {:?}", page.links());
    }
    let words = Page::of(&bench, "/").await.words();
    assert!(words.contains("Prices, limits and capabilities, from the maker and from every seller."), "{words}");
}

#[tokio::test]
async fn every_link_of_the_desk_leads_somewhere() {
    let bench = Bench::new();
    bench.desk.set_sources(["first", "second"].map(|id| source(id, StatusWord::Ok)).into());
    let mut open = vec!["/".to_owned()];
    let mut seen = std::collections::BTreeSet::new();
    while let Some(target) = open.pop() {
        let path = target.split('#').next().unwrap().to_owned();
        if seen.len() > 400 || !path.starts_with('/') || !seen.insert(path.clone()) {
            continue;
        }
        let answer = bench.get_with(&path, &[super::BROWSER]).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        if answer.header("content-type").starts_with("text/html") {
            open.extend(Page(answer).links());
        }
    }
    assert!(seen.len() > 100, "{}", seen.len());
}

#[tokio::test]
async fn a_search_shows_the_hits_of_rest_with_a_tab_for_each_kind() {
    let bench = Bench::new();
    let page = Page::of(&bench, "/search?q=nova").await;
    let answer = bench.json("/v1/search?q=nova&limit=20").await;
    let hits: Vec<String> = page.links().into_iter().filter(|link| link.starts_with("/models/")).collect();
    let listed: Vec<String> = answer["results"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|hit| hit["type"] == "MODEL")
        .map(|hit| format!("/models/{}", hit["id"].as_str().unwrap()))
        .collect();
    assert!(!listed.is_empty());
    assert_eq!(hits, listed);
    assert!(page.links().contains(&"/search?q=nova&type=FRAMEWORK".to_owned()));
    assert!(page.html().contains("name=\"q\" value=\"nova\""), "the words stay in the box");
    let of_tools = Page::of(&bench, "/search?q=hammer&type=TOOL").await;
    assert!(of_tools.links().contains(&"/tools?q=hammer".to_owned()), "the table with filters is one click away");
    let frameworks = Page::of(&bench, "/search?q=5+whys&type=FRAMEWORK").await;
    assert!(frameworks.links().contains(&"/frameworks/five-whys".to_owned()), "{:?}", frameworks.links());
    let titled = Page::of(&bench, "/search?q=getting+started&type=DOC").await;
    assert!(titled.words().contains("Getting started document guide-start"), "{}", titled.words());
    let nothing = Page::of(&bench, "/search?q=xqzyyv").await;
    assert!(nothing.words().contains("Nothing was found."));
    for target in ["/frameworks/route?q=xqzyyv", "/mcp-servers"] {
        assert!(nothing.links().contains(&target.to_owned()), "{target}: {:?}", nothing.links());
    }
    let filtered = "/search?q=nova&type=MODEL&context_tokens__gte=1k";
    let page = Page::of(&bench, filtered).await;
    assert!(
        page.html().contains("name=\"type\" value=\"MODEL\"") && page.html().contains("value=\"1k\""),
        "{}",
        page.html()
    );
    assert_eq!(page.links().iter().filter(|link| link.starts_with("/models/")).count(), 1, "{:?}", page.links());
    let wrong =
        Page::refused(&bench, "/search?q=nova&type=MODEL&context_tokens__gte=big", StatusCode::BAD_REQUEST).await;
    assert!(wrong.html().contains("value=\"big\" placeholder=\"at least\""), "{}", wrong.html());
    let wrong = Page::refused(&bench, "/search?q=nova&type=CHAIR", StatusCode::BAD_REQUEST).await;
    assert!(wrong.words().contains("Kind : type is \"CHAIR\""), "{}", wrong.words());
}

#[tokio::test]
async fn conflicts_show_both_values_and_whose_they_are() {
    let bench = Bench::new();
    let page = Page::of(&bench, "/conflicts?type=MODEL").await;
    let answer = bench.json("/v1/conflicts?type=MODEL").await;
    assert!(page.words().contains(&format!("of {}", answer["total"])), "{}", page.words());
    assert!(page.words().contains("200,000") && page.words().contains("180,000"), "{}", page.words());
    let wrong = Page::refused(&bench, "/conflicts?min_percent=much&path=pricing", StatusCode::BAD_REQUEST).await;
    assert!(wrong.html().contains("value=\"much\"") && wrong.html().contains("value=\"pricing\""));
}

#[tokio::test]
async fn the_router_says_what_fits_why_and_gives_the_prompt() {
    let bench = Bench::new();
    let question = "imagine+the+project+has+failed+before+it+starts+and+list+the+risks";
    let answer = bench.json(&format!("/v1/frameworks/route?q={question}")).await;
    let page = Page::of(&bench, &format!("/frameworks/route?q={question}")).await;
    let words = page.words();
    assert!(words.contains(match answer["decision"].as_str().unwrap() {
        "match" => "It fits:",
        "ambiguous" => "More than one may fit",
        _ => "None fits",
    }));
    assert_eq!(answer["selected"]["id"], "premortem", "{answer}");
    assert!(page.html().contains("id=\"prompt\"") && words.contains("Why"), "{words}");
    let none = Page::of(&bench, "/frameworks/route?q=xqzyyv").await;
    assert!(none.words().contains("None fits"));
    assert!(Page::of(&bench, "/frameworks/route").await.words().contains("Describe the problem"));
    let other_spelling = Page::of(&bench, "/frameworks/route?q=xqzyyv&domain=RISK").await.html();
    assert!(other_spelling.contains("<option value=\"risk\" selected>"), "{other_spelling}");
    let wrong = Page::refused(&bench, "/frameworks/route?q=xqzyyv&domain=cooking", StatusCode::BAD_REQUEST).await;
    assert!(wrong.html().contains("<option value=\"cooking\" selected>"), "what was sent stays: {}", wrong.html());
}

#[tokio::test]
async fn what_was_understood_is_told_in_words_and_no_tab_counts_otherwise() {
    let bench = Bench::new();
    let page = Page::of(&bench, "/search?q=free+models").await;
    let words = page.words();
    assert!(words.contains("Understood as: Models; Input price at most $0; Output price at most $0;"), "{words}");
    assert!(
        words.contains("; sorted by Offers, the most first. Which of these to leave out"),
        "nothing is free here: {words}"
    );
    assert!(!words.contains("include removed") && !words.contains("lte"), "{words}");
    assert!(!words.contains("Leave one of the filters out") && !words.contains("Nothing was found."), "{words}");
    let dear = Page::of(&bench, "/search?q=models+with+at+least+100k+context+under+%240.1+input").await.words();
    let less = "Leave one of the filters out: without “Input price at most $0.1” , 1 model";
    assert!(dear.contains(less), "{dear}");
    let html = page.html();
    let (_, told) = html.split_once("<div class=\"notice quiet\">").unwrap();
    let (asked, left_out) = told.split_once("<details class=\"fold\">").unwrap();
    assert!(!asked.contains(" not "), "what is left out is told behind what is asked for: {asked}");
    assert!(left_out.starts_with("<summary>Also left out: by Output modalities, Mode, Status</summary>"), "{left_out}");
    assert!(left_out.contains("Output modalities not audio, image or video; Mode not "), "{left_out}");
    assert!(left_out.contains("; without what its source removed."), "{left_out}");
    let some = Page::of(&bench, "/search?q=models+with+at+least+100k+context").await.words();
    assert!(some.contains("All of them as a table") && !some.contains("to leave out"), "{some}");
    let kind = Page::of(&bench, "/search?q=tutorial+on+agents").await;
    let told = "Understood as a question about Tutorials; other kinds are shown too. Only Tutorials";
    assert!(kind.words().contains(told), "{}", kind.words());
    let only = "/search?q=tutorial+on+agents&type=TUTORIAL";
    assert!(kind.links().contains(&only.to_owned()), "{:?}", kind.links());
    assert!(!Page::of(&bench, only).await.words().contains("Understood as"));
    let counts = |page: &Page| {
        let html = page.html();
        let tabs = html.split_once("<nav class=\"tabs\"").unwrap().1.split_once("</nav>").unwrap().0;
        tabs.matches("<span class=\"soft\">").count()
    };
    assert_eq!(counts(&page), 1, "only the tab that is shown: the others are counted by words alone");
    assert_eq!(counts(&Page::of(&bench, "/search?q=nova").await), 8, "words alone are counted in one way");
    let versus = Page::of(&bench, "/search?q=nova-2+vs+orbit-1").await;
    assert!(versus.links().contains(&"/compare?ids=nova-2%2Corbit-1".to_owned()), "{:?}", versus.links());
    assert!(!versus.words().contains("Understood as: ,"), "{}", versus.words());
}
