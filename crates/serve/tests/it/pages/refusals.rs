//! Refusals as pages where a browser asks, and as problem documents where a program does; keys, limits, the switch.

use super::{BROWSER, Page};
use crate::common::{Bench, Mood, key, limited, unlimited};
use http::StatusCode;
use refdesk_serve::Settings;

#[tokio::test]
async fn an_unknown_id_gives_a_page_with_suggestions_and_a_filled_search_box() {
    let bench = Bench::new();
    let page = Page::refused(&bench, "/models/nova-22", StatusCode::NOT_FOUND).await;
    assert!(page.links().contains(&"/models/nova-2".to_owned()), "{:?}", page.links());
    assert!(page.html().contains("name=\"q\" value=\"nova-22\""));
    assert!(!page.words().contains("/v1/"), "what a person can do: {}", page.words());
    let none = Page::refused(&bench, "/no/such%20page", StatusCode::NOT_FOUND).await;
    assert!(none.words().contains("Page not found"));
    assert!(none.html().contains("value=\"no such page\""));
    bench.get("/models/nova-22").await.problem(404, "not_found");
    bench.get_with("/v1/models/nova-22", &[BROWSER]).await.problem(404, "not_found");
}

#[tokio::test]
async fn an_id_of_another_kind_gives_a_page_that_leads_to_it() {
    let page = Page::refused(&Bench::new(), "/tools/nova-2", StatusCode::NOT_FOUND).await;
    assert!(page.words().contains("It names a model: nova-2"), "{}", page.words());
    assert!(page.links().contains(&"/models/nova-2".to_owned()), "{:?}", page.links());
}

#[tokio::test]
async fn pages_count_as_reads_and_the_429_says_when_to_come_back() {
    let bench = Bench::with(limited(2, 0));
    for target in ["/docs", "/favicon.svg", "/robots.txt", "/opensearch.xml", "/docs", "/favicon.svg"] {
        assert_eq!(
            bench.get_from("192.0.2.1", target, &[BROWSER]).await.status,
            StatusCode::OK,
            "{target} does not count"
        );
    }
    for target in ["/", "/models"] {
        assert_eq!(bench.get_from("192.0.2.1", target, &[BROWSER]).await.status, StatusCode::OK);
    }
    let refused = bench.get_from("192.0.2.1", "/models/nova-2", &[BROWSER]).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    let wait = refused.header("retry-after").to_owned();
    let page = Page(refused);
    assert!(page.words().contains(&format!("Come back in {wait} seconds")), "{}", page.words());
    assert!(!page.words().contains("Retry-After"), "{}", page.words());
}

#[tokio::test]
async fn a_slash_too_much_leads_to_the_page_without_it() {
    let bench = Bench::with(Settings { base_url: "https://desk.example/desk".into(), ..unlimited() });
    for (target, location) in [
        ("/models/", "/desk/models"),
        ("/mcp-servers/?q=a+b", "/desk/mcp-servers?q=a+b"),
        ("/sources/", "/desk/sources"),
        ("/docs/", "/desk/docs"),
        ("/models//", "/desk/models"),
        ("/models/nova-2/", "/desk/models/nova-2"),
        ("/frameworks/route/?q=a", "/desk/frameworks/route?q=a"),
    ] {
        let answer = bench.get_with(target, &[BROWSER]).await;
        assert_eq!((answer.status, answer.header("location")), (StatusCode::PERMANENT_REDIRECT, location), "{target}");
    }
    for target in
        ["//", "//evil.example/", "/nothing/", "/v1/search/", "/v1/models/nova-2/", "/assets/x/", "/c/team/models/"]
    {
        assert_ne!(bench.get_with(target, &[BROWSER]).await.status, StatusCode::PERMANENT_REDIRECT, "{target}");
    }
    let off = Bench::with(Settings { web: false, ..unlimited() });
    off.get_with("/models/", &[BROWSER]).await.problem(404, "unknown_endpoint");
}

#[tokio::test]
async fn a_private_desk_shows_no_page_without_a_key_unless_pages_are_open() {
    let private = Bench::with(Settings { require_key: true, ..unlimited() });
    for target in
        ["/", "/models", "/models/nova-2", "/search?q=nova", "/search?suggest=1&q=nova", "/sources", "/connect"]
    {
        let page = Page::refused(&private, target, StatusCode::UNAUTHORIZED).await;
        assert!(!page.html().contains("Nova 2"), "{target}");
        assert!(page.words().contains("answers only with an API key"), "{}", page.words());
        assert!(page.words().contains("web_open = true") && !page.words().contains("Bearer"), "{}", page.words());
        let main = page.html().split_once("<main").unwrap().1.to_owned();
        assert!(main.contains("href=\"/docs\"") && !main.contains("The first page"), "no link that is refused: {main}");
        assert!(page.html().contains("name=\"q\" value=\"\""), "an address is no question: {}", page.html());
    }
    let secret = key(1);
    private.admit(&secret);
    let with_key = private.get_with("/models", &[BROWSER, ("x-api-key", &secret)]).await;
    assert_eq!(with_key.status, StatusCode::OK);
    assert!(with_key.header("cache-control").starts_with("private"), "{}", with_key.header("cache-control"));
    let open = Bench::with(Settings { require_key: true, web_open: true, ..unlimited() });
    Page::of(&open, "/models/nova-2").await;
    open.get("/v1/models/nova-2").await.problem(401, "key_required");
}

#[tokio::test]
async fn the_store_that_is_gone_is_one_page_less() {
    let bench = Bench::new();
    bench.bodies.set(Mood::Fails);
    let page = Page::refused(&bench, "/documents/guide-start", StatusCode::INTERNAL_SERVER_ERROR).await;
    assert!(page.words().contains("under the request id"), "{}", page.words());
    page.0.tells_nothing_of_the_inside();
    for target in ["/", "/documents", "/models/nova-2", "/search?q=start"] {
        Page::of(&bench, target).await;
    }
}

#[tokio::test]
async fn pages_can_be_switched_off() {
    let bench = Bench::with(Settings { web: false, ..unlimited() });
    for target in [
        "/",
        "/models",
        "/models/nova-2",
        "/search?q=nova",
        "/search?suggest=1&q=nova",
        "/sources",
        "/sources/first",
        "/connect",
        "/robots.txt",
    ] {
        bench.get_with(target, &[BROWSER]).await.problem(404, "unknown_endpoint");
    }
    let docs = Page::of(&bench, "/docs").await;
    for target in ["/models", "/opensearch.xml"] {
        assert!(!docs.links().contains(&target.to_owned()), "{target}: no link leads nowhere");
    }
    assert_eq!(bench.get("/v1/models/list").await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_page_that_the_client_has_is_a_304_until_the_catalog_changes() {
    let bench = Bench::new();
    for target in ["/", "/models", "/models/nova-2", "/search?q=nova", "/documents/guide-start", "/sources"] {
        let tag = bench.get_with(target, &[BROWSER]).await.header("etag").to_owned();
        let again = bench.get_with(target, &[BROWSER, ("if-none-match", &tag)]).await;
        assert_eq!((again.status, again.body.len()), (StatusCode::NOT_MODIFIED, 0), "{target}");
        let any = bench.get_with(target, &[BROWSER, ("if-none-match", "*")]).await;
        assert_eq!(any.status, StatusCode::NOT_MODIFIED, "{target}");
    }
    for (target, status) in [("/models/no-such-model", 404), ("/models?limit=x", 400), ("/evidence/ev_none", 404)] {
        let any = bench.get_with(target, &[BROWSER, ("if-none-match", "*")]).await;
        assert_eq!(any.status, status, "{target}: there is none");
    }
}

#[tokio::test]
async fn a_program_is_told_in_its_own_way_what_of_a_page_could_not_be_read() {
    let bench = Bench::new();
    for target in [
        "/models?limit=x",
        "/conflicts?limit=x",
        "/search?q=nova&limit=0",
        "/frameworks/route?q=a&domain=x",
        "/models/nova-2?requests=x",
    ] {
        bench.get(target).await.problem(400, "invalid_query");
        bench.get_with(target, &[("accept", "application/json")]).await.problem(400, "invalid_query");
        Page::refused(&bench, target, StatusCode::BAD_REQUEST).await;
    }
}

#[tokio::test]
async fn what_no_field_of_the_page_can_correct_is_left_out_by_a_link() {
    let bench = Bench::new();
    for (target, told, without) in [
        (
            "/models?vendor=Acme&limit=x",
            "Rows of a page : limit is \"x\", not a whole number. It takes a whole number from 1 to 500. Go on without it",
            "/models?vendor=Acme",
        ),
        ("/models?offset=-1", "First row : offset is negative. It takes a whole number from 0. Go on", "/models"),
        ("/search?q=nova&mode=fast", "mode is \"fast\", not lexical or hybrid. Go on without it", "/search?q=nova"),
        ("/models?sort=nope", "Go on without it", "/models"),
        ("/models?price_input__isnull=x", "Go on without it", "/models"),
        ("/conflicts?path=pricing&limit=x", "Go on without it", "/conflicts?path=pricing"),
        ("/search?q=nova&limit=0", "Go on without it", "/search?q=nova"),
        ("/search?q=nova&type=NOPE", "Go on without it", "/search?q=nova"),
    ] {
        let page = Page::refused(&bench, target, StatusCode::BAD_REQUEST).await;
        assert!(page.words().contains(told) && !page.words().contains("in the form"), "{target}: {}", page.words());
        assert!(page.links().contains(&without.to_owned()), "{target}: {:?}", page.links());
        for wrong in ["name=\"limit\"", "name=\"sort\"", "name=\"price_input__isnull\""] {
            assert!(!page.html().contains(wrong), "{target}: no form sends it again");
        }
    }
}

/// Another name is meant by what is misspelt, and not by a filter that things of other kinds have.
#[tokio::test]
async fn a_filter_of_other_kinds_is_told_by_them_and_no_other_name_is_guessed() {
    let bench = Bench::new();
    for (target, told, without) in [
        (
            "/tools?vendor=Acme&price_input__lte=3",
            "is a filter of models, and nothing here has it.",
            "/tools?vendor=Acme",
        ),
        ("/tools?price_of=cheapest", "price_of is a filter of models, and nothing here has it.", "/tools"),
        ("/models?domain=risk", "Domain : domain is a filter of frameworks, and nothing here has it.", "/models"),
        ("/search?q=nova&type=TOOL&price_input__lte=3", "is a filter of models", "/search?q=nova&type=TOOL"),
        (
            "/conflicts?price_input__lte=3",
            "Input price, at most : price_input__lte is a filter of models",
            "/conflicts",
        ),
        ("/conflicts?trust_tier__not=official", "is a filter of lists, and nothing here has it.", "/conflicts"),
    ] {
        let page = Page::refused(&bench, target, StatusCode::BAD_REQUEST).await;
        assert!(page.words().contains(told) && !page.words().contains("Did you mean"), "{target}: {}", page.words());
        assert!(page.links().contains(&without.to_owned()), "{target}: {:?}", page.links());
    }
}

/// Without a kind it is the filter that cannot stay: a link that leaves out the kind, which nobody sent, would lead to the same page.
#[tokio::test]
async fn a_search_of_all_kinds_offers_those_that_have_the_filter_or_goes_on_without_it() {
    let bench = Bench::new();
    let target = "/search?q=nova&price_input__lte=3";
    let page = Page::refused(&bench, target, StatusCode::BAD_REQUEST).await;
    let main = page.html().split_once("<main").unwrap().1.to_owned();
    assert!(main.contains("href=\"/search?q=nova\">Go on without it"), "{main}");
    assert_eq!(main.matches("type=").count(), 1, "models alone have prices: {main}");
    let of_models = "/search?q=nova&price_input__lte=3&type=MODEL";
    assert!(page.links().contains(&of_models.to_owned()), "{:?}", page.links());
    assert!(!page.words().contains("Search for the words alone"), "one link is enough: {}", page.words());
    for target in [of_models, "/search?q=nova"] {
        Page::of(&bench, target).await;
    }
    let misspelt = Page::refused(&bench, "/search?q=nova&verndor=Acme", StatusCode::BAD_REQUEST).await;
    assert!(misspelt.links().contains(&"/search?q=nova&vendor=Acme".to_owned()), "{:?}", misspelt.links());
}

#[tokio::test]
async fn what_is_not_found_is_told_by_what_it_is() {
    let bench = Bench::new();
    let collection = Page::refused(&bench, "/models?collection=none", StatusCode::NOT_FOUND).await;
    assert!(collection.words().contains("Collection not found"), "{}", collection.words());
    assert!(!collection.words().contains("Search with the box above, by name"), "{}", collection.words());
    assert!(collection.html().contains("name=\"q\" value=\"\""), "the name of a page is no question");
    let source = Page::refused(&bench, "/sources/none", StatusCode::NOT_FOUND).await;
    let main = source.html().split_once("<main").unwrap().1.to_owned();
    assert!(main.contains("<a href=\"/sources\">All sources</a>"), "{main}");
}

#[tokio::test]
async fn what_means_nothing_on_a_page_is_passed_over_and_programs_alone_are_told_of_members() {
    let bench = Bench::new();
    for target in [
        "/models?utm_source=x",
        "/conflicts?utm_source=x",
        "/search?q=nova&utm_source=x",
        "/frameworks/route?q=nova&utm_source=x",
    ] {
        let page = Page::of(&bench, target).await;
        assert!(!page.words().contains("utm_source") && !page.words().contains("known:"), "{target}: {}", page.words());
    }
    let filtered = Page::of(&bench, "/models?min_percent=5").await.words();
    let told = "“Percent apart, at least” has no effect here and was ignored.";
    assert!(filtered.contains(told), "{filtered}");
    for (target, label) in [
        ("/models/nova-2?vendor=OpenAI", "Vendor"),
        ("/models/nova-2?input_tokens=1k&sort=name", "Order"),
        ("/tools/hammer?input_tokens__gte=5", "Most input, at least"),
        ("/compare?ids=nova-2,orbit-1&min_percent=5", "Percent apart, at least"),
        ("/sources?vendor=OpenAI", "Vendor"),
        ("/connect?fresh_only=true", "Only fresh items"),
        ("/?sort=name", "Order"),
    ] {
        let words = Page::of(&bench, target).await.words();
        let told = format!("“{label}” has no effect here and was ignored.");
        assert_eq!(words.matches(&told).count(), 1, "{target}: {words}");
    }
    for target in [
        "/models/nova-2?input_tokens=1k&batch=true",
        "/compare?kind=models&ids=nova-2,orbit-1&diff=1",
        "/sources?utm_source=x",
    ] {
        let words = Page::of(&bench, target).await.words();
        assert!(!words.contains("has no effect here"), "{target}: {words}");
    }
    let misspelt = Page::refused(&bench, "/models/nova-2?input_token=5", StatusCode::BAD_REQUEST).await;
    assert!(misspelt.words().contains("the nearest is input_tokens"), "{}", misspelt.words());
    let nothing = Page::of(&bench, "/search?q=free+models").await;
    assert!(nothing.words().contains("Look for the words as they are") && !nothing.words().contains("understand="));
    assert!(nothing.links().contains(&"/search?q=free+models&understand=false".to_owned()), "{:?}", nothing.links());
    let framework = Page::of(&bench, "/search?q=premortem").await;
    assert!(framework.words().contains("“premortem” is a framework: look at its page ."), "{}", framework.words());
    assert!(framework.links().contains(&"/frameworks/premortem".to_owned()) && !framework.words().contains("/v1/"));
}

#[tokio::test]
async fn what_was_meant_is_a_link_and_code_has_no_backticks() {
    let bench = Bench::new();
    for (target, meant) in [
        ("/models?vendro=Acme&limit=5", "/models?limit=5&vendor=Acme"),
        ("/models?price_inptu__lte=3", "/models?price_input__lte=3"),
        ("/search?q=nova&type=CHAIR", "/search?q=nova&type=MCP_SERVER"),
        ("/conflicts?type=foo", "/conflicts?type=TOOL"),
    ] {
        let page = Page::refused(&bench, target, StatusCode::BAD_REQUEST).await;
        assert!(page.links().contains(&meant.to_owned()), "{target}: {:?}", page.links());
        assert!(!page.words().contains('`'), "{target}: {}", page.words());
    }
}
