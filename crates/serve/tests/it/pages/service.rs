//! What the pages say of the service itself: how clients connect, the API, crawlers, what pages load.

use super::{BROWSER, Page};
use crate::common::{Bench, key, unlimited};
use http::StatusCode;
use refdesk_serve::Settings;

#[tokio::test]
async fn connecting_names_the_address_by_which_the_client_came_or_the_public_one() {
    let answer = Bench::new().get_with("/connect", &[super::BROWSER, ("host", "127.0.0.1:8787")]).await;
    let words = Page(answer).words();
    assert!(words.contains("claude mcp add --transport http refdesk http://127.0.0.1:8787/mcp"), "{words}");
    let settings =
        Settings { base_url: "https://desk.example/desk".into(), require_key: true, web_open: true, ..unlimited() };
    let page = Page::of(&Bench::with(settings), "/connect").await;
    let line = "claude mcp add --transport http refdesk https://desk.example/desk/mcp --header \"Authorization: Bearer rdk_…\"";
    assert!(page.words().contains(line), "{}", page.words());
    assert!(page.links().contains(&"/desk/docs".to_owned()), "links are below the path of the public URL");
    assert!(page.words().contains("refdesk mcp --url https://desk.example/desk"), "{}", page.words());
    // Every block of configuration is JSON.
    let blocks = page.html();
    let blocks: Vec<&str> = blocks.split("<code>{").skip(1).map(|rest| rest.split_once("</code>").unwrap().0).collect();
    assert_eq!(blocks.len(), 13);
    for block in blocks {
        let block = format!("{{{}", block.replace("&quot;", "\""));
        serde_json::from_str::<serde_json::Value>(&block).unwrap_or_else(|error| panic!("{error}: {block}"));
    }
}

#[tokio::test]
async fn every_client_is_told_of_the_desk_that_shows_the_page_and_of_no_other() {
    for require_key in [false, true] {
        let settings = Settings { base_url: "https://desk.example".into(), require_key, web_open: true, ..unlimited() };
        let page = Page::of(&Bench::with(settings), "/connect").await;
        let html = page.html();
        for client in [
            "claude-code",
            "claude-desktop",
            "cursor",
            "vs-code",
            "codex",
            "gemini-cli",
            "opencode",
            "windsurf",
            "zed",
            "copilot-cli",
            "mcporter",
            "python-sdk",
            "typescript-sdk",
            "langchain",
            "openai-agents",
            "pydantic-ai",
        ] {
            let (_, rest) =
                html.split_once(&format!("<h3 id=\"{client}\">")).unwrap_or_else(|| panic!("{client} is missing"));
            let section = rest.split("<h3").next().unwrap().split("<h2").next().unwrap();
            let blocks: Vec<&str> =
                section.split("<pre").skip(1).map(|rest| rest.split("</pre>").next().unwrap()).collect();
            assert!(!blocks.is_empty(), "{client} has lines");
            assert!(require_key || !section.contains(" key"), "there is none in the lines: {section}");
            for block in blocks {
                assert!(block.contains("https://desk.example"), "{client}: {block}");
                let names_key =
                    ["rdk_…", "REFDESK_API_KEY", "${input:refdesk-key}"].iter().any(|key| block.contains(key));
                assert_eq!(names_key, require_key, "{client}: {block}");
            }
        }
        assert_eq!(html.contains("VS Code asks for the key once"), require_key);
        assert!(!html.contains("127.0.0.1"), "the address of the example is left");
    }
}

#[tokio::test]
async fn the_page_of_the_api_shows_every_operation_with_a_line_that_answers() {
    let bench = Bench::new();
    let page = Page::of(&bench, "/docs").await;
    let document = bench.json("/openapi.json").await;
    for path in document["paths"].as_object().unwrap().keys() {
        assert!(page.html().contains(&format!("<code>GET {path}</code>")), "{path}");
    }
    let anchors: Vec<String> =
        page.links().iter().filter_map(|link| Some(link.strip_prefix('#')?.to_owned())).collect();
    for anchor in &anchors {
        assert_eq!(page.html().matches(&format!("id=\"{anchor}\"")).count(), 1, "#{anchor}");
    }
    assert!(anchors.contains(&"v1-evidence-key-record".to_owned()), "the contents lead to each: {anchors:?}");
    let told = |answer: &str| page.words().matches(answer).count();
    assert_eq!(told("405: Only GET, HEAD and OPTIONS are allowed."), 1, "what every operation answers is told once");
    assert_eq!(told("200: It runs."), 1, "{}", page.words());
    assert!(told("404: No such item") > 1, "what some answer stands with each of these: {}", page.words());
    assert!(page.html().find("GET /v1/search<") < page.html().find("GET /health<"), "what is asked first comes first");
    let key = bench.desk.snapshot().evidence_of(0).key.to_string();
    for line in [
        "/v1/search?q=cheapest+vision+model",
        "/v1/models/gpt-4o",
        "/v1/models/list?sort=price_input&capability=tool_call",
        &format!("/v1/documents/{}", bench.json("/v1/documents/list").await["documents"][0]["id"].as_str().unwrap()),
        &format!("/v1/evidence/{key}/record"),
    ] {
        assert!(page.words().contains(&format!("curl -s 'http://localhost{line}'")), "{line}: {}", page.words());
    }
    assert_eq!(page.0.header("cache-control"), "no-cache", "it holds the address by which the client came");
    assert!(!page.words().contains('`') && page.html().contains("<dd>"), "code is marked as such: {}", page.words());
    assert!(!page.html().contains("{origin}") && page.words().contains("1 parameter "), "{}", page.words());
    let other = bench.get_with("/docs", &[super::BROWSER, ("host", "127.0.0.1:8787"), ("accept-encoding", "br")]).await;
    assert_ne!(other.header("etag"), page.0.header("etag"));
    let other = Page(bench.get_with("/docs", &[super::BROWSER, ("host", "127.0.0.1:8787")]).await);
    assert!(other.words().contains("curl -s 'http://127.0.0.1:8787/v1/models/gpt-4o'"), "{}", other.words());
    let public = Bench::with(Settings { base_url: "https://desk.example/desk".into(), ..unlimited() });
    let words = Page::of(&public, "/docs").await.words();
    assert!(words.contains("curl -s 'https://desk.example/desk/v1/models/gpt-4o'"), "{words}");
    let bare = Page::of(&Bench::over(unlimited(), &[]), "/docs").await.words();
    assert!(bare.contains("/v1/documents/{id}'") && bare.contains("/v1/documents/compare?ids={ids}'"), "{bare}");
}

#[tokio::test]
async fn the_page_of_the_api_names_ids_to_who_may_read_them() {
    for base_url in ["", "https://desk.example"] {
        let settings = Settings { require_key: true, base_url: base_url.into(), ..unlimited() };
        let bench = Bench::with(settings);
        let secret = key(1);
        bench.admit(&secret);
        for encoding in ["identity", "gzip", "gzip"] {
            let with_key = [BROWSER, ("x-api-key", &*secret), ("accept-encoding", encoding)];
            let [keyed, open] =
                [bench.get_with("/docs", &with_key).await, bench.get_with("/docs", &[with_key[0], with_key[2]]).await];
            assert_ne!(keyed.header("etag"), open.header("etag"));
            assert_ne!(keyed.body, open.body, "{encoding}");
            if encoding == "identity" {
                let [keyed, open] = [Page(keyed).words(), Page(open).words()];
                assert!(keyed.contains("/v1/documents/guide-") && keyed.contains("/v1/evidence/ev_"), "{keyed}");
                assert!(open.contains("/v1/documents/{id}'") && open.contains("/v1/evidence/{key}'"), "{open}");
            }
        }
    }
}

#[tokio::test]
async fn crawlers_are_kept_out_until_the_operator_lets_them_in() {
    let closed = Bench::new();
    assert_eq!(closed.get("/robots.txt").await.text(), "User-agent: *\nDisallow: /\n");
    assert_eq!(Page::of(&closed, "/models").await.0.header("x-robots-tag"), "noindex");
    closed.get("/sitemap.xml").await.problem(404, "unknown_endpoint");
    let open = Bench::with(Settings { base_url: "https://desk.example".into(), web_index: true, ..unlimited() });
    let page = Page::of(&open, "/models?sort=name").await;
    assert_eq!(page.0.header("x-robots-tag"), "");
    assert!(page.html().contains("<meta property=\"og:image\" content=\"https://desk.example/assets/card-"));
    assert!(page.html().contains("<script type=\"application/ld+json\">{"));
    let filtered = Page::of(&open, "/models?vendor=Acme").await.html();
    assert!(!filtered.contains("\"Dataset\""), "the data set is told of all rows: {filtered}");
    let robots = open.get("/robots.txt").await.text();
    assert!(robots.contains("Sitemap: https://desk.example/sitemap.xml"), "{robots}");
    let refused: Vec<&str> = robots.lines().filter_map(|line| line.strip_prefix("Disallow: ")).collect();
    assert_eq!(refused, ["/v1/", "/mcp$", "/search"], "a rule without an end holds for all that begins with it");
    let located = |xml: &str| -> Vec<String> {
        xml.split("<loc>")
            .skip(1)
            .map(|rest| rest.split_once("</loc>").unwrap().0.replace("https://desk.example", ""))
            .collect()
    };
    let mut pages = 0;
    for file in located(&open.get("/sitemap.xml").await.text()) {
        let answer = open.get(&file).await;
        assert_eq!(answer.header("content-type"), "application/xml; charset=utf-8", "{file}");
        for target in located(&answer.text()) {
            let is_refused =
                |rule: &str| rule.strip_suffix('$').map_or(target.starts_with(rule), |path| target == path);
            assert_eq!(refused.iter().find(|rule| is_refused(rule)), None, "{target} is in the sitemap");
            Page::of(&open, &target).await;
            pages += 1;
        }
    }
    assert!(pages > 30, "{pages}");
    open.get("/sitemap-models-1.xml").await.problem(404, "unknown_endpoint");
    for (web_open, status) in [(false, 404), (true, 200)] {
        let settings = Settings { base_url: "https://desk.example".into(), web_index: true, ..unlimited() };
        let keyed = Bench::with(Settings { require_key: true, web_open, ..settings });
        for target in ["/sitemap.xml", "/sitemap-models-0.xml"] {
            assert_eq!(keyed.get(target).await.status, status, "{target}: crawlers have no key");
        }
        let robots = keyed.get("/robots.txt").await.text();
        assert_eq!(robots.contains("Sitemap:"), web_open, "{robots}");
    }
    let search = open.get("/opensearch.xml").await;
    assert!(search.text().contains("template=\"https://desk.example/search?q={searchTerms}\""), "{}", search.text());
}

#[tokio::test]
async fn assets_are_kept_for_ever_under_the_name_of_their_bytes() {
    let bench = Bench::new();
    let page = Page::of(&bench, "/").await;
    let html = page.html();
    let assets: Vec<&str> = html.split('"').filter(|part| part.starts_with("/assets/")).collect();
    assert_eq!(assets.len(), 3, "a sheet and two scripts: {assets:?}");
    for asset in assets {
        for coding in ["identity", "gzip", "br", "zstd"] {
            let answer = bench.get_with(asset, &[("accept-encoding", coding)]).await;
            assert_eq!(
                (answer.status, answer.header("cache-control")),
                (StatusCode::OK, "public, max-age=31536000, immutable")
            );
            assert!(coding != "br" || answer.body.len() < 8_000, "{asset}: {}", answer.body.len());
        }
        let other = asset.replace('-', "-0");
        bench.get(&other).await.problem(404, "unknown_endpoint");
    }
    assert_eq!(bench.get("/favicon.svg").await.header("content-type"), "image/svg+xml");
}
