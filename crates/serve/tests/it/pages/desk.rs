//! The pages that are of no kind.

use super::{BROWSER, Page};
use crate::common::{Bench, NOW, key, unlimited};
use http::StatusCode;
use refdesk_core::fact::{EvidenceKey, HashBasis, RecordWithheld};
use refdesk_serve::Settings;
use refdesk_serve::state::{
    RecordRead, SourceCounts, SourceFault, SourceHistory, SourceReject, SourceRun, SourceState, SourceStatus,
};

#[tokio::test]
async fn the_first_page_counts_every_kind_and_tells_how_fresh_all_is() {
    let bench = Bench::new();
    let page = Page::of(&bench, "/").await;
    let (words, stats) = (page.words(), bench.desk.snapshot().stats().clone());
    assert!(words.contains(&format!("{} items, ", stats.total())), "{words}");
    let percent = (stats.total() - stats.stale()) * 100 / stats.total();
    assert!(percent < 100 && words.contains(&format!("{percent} % of them fresh")), "{words}");
    for path in
        ["/models", "/mcp-servers", "/frameworks/route", "/compare", "/conflicts", "/sources", "/connect", "/docs"]
    {
        assert!(page.links().contains(&path.to_owned()), "{path}");
    }
}

#[tokio::test]
async fn every_link_of_the_desk_leads_somewhere() {
    let bench = Bench::new();
    bench.desk.set_sources(["first", "second"].map(|id| source(id, SourceState::Ok)).into());
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
    let page = Page::of(&bench, "/search?q=nova&type=").await;
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
    assert!(wrong.words().contains("Kind : `type` is \"CHAIR\""), "{}", wrong.words());
}

#[tokio::test]
async fn suggestions_have_the_rights_of_a_page() {
    let settings = Settings { require_key: true, web_open: true, ..unlimited() };
    let bench = Bench::with(settings);
    assert_eq!(bench.get("/v1/search?q=nova").await.status, StatusCode::UNAUTHORIZED);
    let suggested = bench.get("/search?suggest=1&limit=8&q=nova").await;
    assert_eq!(suggested.status, StatusCode::OK);
    assert_eq!(suggested.json()["results"][0]["id"], "nova-2");
    assert_eq!(suggested.json()["warnings"], serde_json::json!([]));
    let page = Page::of(&bench, "/models").await;
    assert!(page.html().contains("data-suggest=\"/search?suggest=1"));
    assert!(!page.html().contains("This page as") && !page.html().contains("rel=\"alternate\""), "links to refusals");
}

#[tokio::test]
async fn a_comparison_marks_in_words_what_differs() {
    let bench = Bench::new();
    let page = Page::of(&bench, "/compare?kind=models&ids=nova-2,orbit-1").await;
    let answer = bench.json("/v1/models/compare?ids=nova-2,orbit-1").await;
    let rows = answer["rows"].as_array().unwrap();
    let differing = rows.iter().filter(|row| row["differs"] == true).count();
    assert!(page.words().contains(&format!("{differing} of {} fields differ.", rows.len())), "{}", page.words());
    assert_eq!(page.html().matches("<td>differs</td>").count(), differing);
    let fresh = |id: &str| {
        let evidence = &answer["evidence"][id];
        let word = if evidence["stale"] == true { "stale" } else { "fresh" };
        format!("{word} {}", &evidence["last_verified_at"].as_str().unwrap()[..10])
    };
    let head = format!("Field Nova 2 nova-2 {} Orbit 1 orbit-1 {} Differs", fresh("nova-2"), fresh("orbit-1"));
    assert!(head.contains("fresh") && head.contains("stale") && page.words().contains(&head), "{}", page.words());
    assert!(page.words().contains("Tool call ") && !page.words().contains("1M_tokens"), "{}", page.words());
    let only = Page::of(&bench, "/compare?kind=models&ids=nova-2&ids=orbit-1&diff=1").await;
    assert_eq!(only.html().matches("<tr class=\"differs\">").count(), differing);
    assert!(!only.html().contains("<span class=\"soft\">same</span>"));
}

#[tokio::test]
async fn what_cannot_be_compared_is_told_and_the_rest_is_shown() {
    let bench = Bench::new();
    for (target, told, is_table) in [
        ("/compare", "What to compare", false),
        ("/compare?ids=nova-2", "One item is no comparison", false),
        ("/compare?ids=nova-2,nova-2", "One item is no comparison", false),
        ("/compare?ids=nova-2,orbit-1", "fields differ", true),
        ("/compare?ids=nova-2,orbit-1,alto-1,zenith-9,nova-2,a,b", "compares up to 5", true),
        ("/compare?ids=nova-2,orbit-1,hammer", "of another kind (tool) and was left out", true),
        ("/compare?kind=models&ids=nova-2,orbit-1,nothing", "has the id “nothing”; it was left out", true),
        ("/compare?kind=chairs&ids=nova-2,orbit-1", "There is no kind “chairs”", false),
        ("/compare?ids=x-none,y-none", "Nothing here has the id", false),
        ("/compare?ids=nova-2,acme/nova-2", "These ids name one item", false),
    ] {
        let page = Page::of(&bench, target).await;
        assert!(page.words().contains(told), "{target}: {}", page.words());
        let is_one = told.starts_with("These");
        assert_eq!(page.words().contains("name one item"), is_one, "{target}: {}", page.words());
        assert_eq!(page.html().contains("aria-label=\"Comparison\""), is_table, "{target}");
    }
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
    let page = Page::of(&bench, &format!("/frameworks/route?q={question}&domain=")).await;
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
}

pub fn source(id: &str, status: SourceState) -> SourceStatus {
    SourceStatus {
        id: id.into(),
        name: format!("Source {id}"),
        kind: "cards".into(),
        url: "https://first.example/".into(),
        license: Some("MIT".into()),
        types: vec!["MODEL".into()],
        enabled: true,
        disabled_reason: None,
        status,
        last_attempt_at: Some(NOW),
        last_synced_at: Some(NOW),
        last_verified_at: None,
        next_due_at: Some(NOW.plus_secs(60)),
        refresh_due: false,
        interval_seconds: 7 * 86_400,
        consecutive_failures: 3,
        content_hash: None,
        http_status: Some(500),
        error: Some(SourceFault { code: "status".into(), message: "the upstream answered 500".into(), at: Some(NOW) }),
        counts: SourceCounts { total: 1234, rejects: 1, ..SourceCounts::default() },
    }
}

#[tokio::test]
async fn a_source_shows_its_last_runs_its_error_and_what_it_could_not_take() {
    let bench = Bench::new();
    bench.desk.set_sources(vec![source("first", SourceState::Failed)]);
    let run = |outcome, minutes: i64| SourceRun {
        started_at: NOW.plus_secs(-60 * minutes),
        duration_ms: 1234,
        outcome,
        added: 5,
        changed: 6,
        removed: 7,
        error: (outcome == "failed").then(|| SourceFault {
            code: "status".into(),
            message: "the upstream answered 500".into(),
            at: None,
        }),
        note: None,
    };
    let runs: Vec<SourceRun> = ["failed", "confirmed", "updated", "quarantined"]
        .into_iter()
        .cycle()
        .zip(0..40)
        .map(|(outcome, minutes)| run(outcome, minutes))
        .collect();
    let reject = SourceReject {
        key: "line 12".into(),
        reason: "`input` is no price".into(),
        excerpt: "{\"input\":\"<b>\"}".into(),
    };
    bench.bodies.histories.lock().unwrap().insert("first".into(), SourceHistory { runs, rejects: vec![reject] });
    let list = Page::of(&bench, "/sources").await;
    assert!(
        list.words().contains("✗ failed") && list.words().contains("the upstream answered 500"),
        "{}",
        list.words()
    );
    let page = Page::of(&bench, "/sources/first").await;
    let words = page.words();
    assert!(words.contains("License MIT Attribution unknown"), "{words}");
    bench.desk.set_sources(vec![source("first", SourceState::Failed), source("second", SourceState::Ok)]);
    bench.bodies.histories.lock().unwrap().insert("second".into(), SourceHistory::default());
    let second = Page::of(&bench, "/sources/second").await.words();
    assert!(second.contains("Attribution Data of second"), "{second}");
    assert_eq!(page.html().matches("<li title=").count(), 30, "the strip has the last 30 runs");
    for part in ["1,234", "7 days", "1.234", "line 12", "`input` is no price", "{\"input\":\"<b>\"}"] {
        assert!(words.contains(part), "{part}: {words}");
    }
    let bare = SourceReject { key: "line 13".into(), reason: "nothing is there".into(), excerpt: " ".into() };
    let history = SourceHistory { runs: Vec::new(), rejects: vec![bare] };
    bench.bodies.histories.lock().unwrap().insert("first".into(), history);
    let words = Page::of(&bench, "/sources/first?bare").await.words();
    assert!(words.contains("line 13 nothing is there unknown"), "{words}");
    let due = SourceStatus { next_due_at: None, refresh_due: true, ..source("first", SourceState::Ok) };
    bench.desk.set_sources(vec![due]);
    let words = Page::of(&bench, "/sources").await.words();
    assert!(words.contains(" due ") && !words.contains("not scheduled"), "{words}");
    let unknown = Page::refused(&bench, "/sources/frist", StatusCode::NOT_FOUND).await;
    assert!(unknown.words().contains("Near ids: first"), "{}", unknown.words());
    bench.bodies.set(crate::common::Mood::Fails);
    let failed = Page::refused(&bench, "/sources/first", StatusCode::INTERNAL_SERVER_ERROR).await;
    failed.0.tells_nothing_of_the_inside();
}

#[tokio::test]
async fn evidence_tells_how_to_recompute_its_hash() {
    let bench = Bench::new();
    let key = bench.json("/v1/models/nova-2").await["evidence"]["key"].as_str().unwrap().to_owned();
    let page = Page::of(&bench, &format!("/evidence/{key}")).await;
    assert!(
        page.words().contains(&format!("curl -s http://localhost/v1/evidence/{key}/record | sha256sum")),
        "{}",
        page.words()
    );
    assert!(!page.links().contains(&format!("/evidence/{key}")), "no link leads to the page itself");
    let record = format!("/v1/evidence/{key}/record");
    assert!(!page.links().contains(&record), "the store has none");
    let set = |read| {
        let key = EvidenceKey::parse(&key).unwrap();
        bench.bodies.records.lock().unwrap().insert(key, read);
    };
    set(RecordRead::Found { bytes: "{}".into(), basis: HashBasis::Record, content_hash: "sha256:0".into() });
    assert!(Page::of(&bench, &format!("/evidence/{key}")).await.links().contains(&record));
    set(RecordRead::Withheld(RecordWithheld::Secret));
    let withheld = Page::of(&bench, &format!("/evidence/{key}?again=1")).await;
    assert!(withheld.words().contains("may not pass the record itself on (secret)"), "{}", withheld.words());
    assert!(!withheld.links().contains(&record) && !withheld.words().contains("sha256sum"), "{}", withheld.words());
    let none = Page::refused(&bench, "/evidence/ev_none", StatusCode::NOT_FOUND).await;
    assert!(none.words().contains("The page of an item leads to each record"), "{}", none.words());
    assert!(!none.words().contains("evidence_key"), "{}", none.words());
}

#[tokio::test]
async fn evidence_tells_the_item_and_the_fields_that_rest_on_it() {
    let bench = Bench::new();
    let answer = bench.json("/v1/models/nova-2").await;
    let stated = answer["model"]["field_evidence"]["limits.context_tokens"]["evidence_key"].as_str().unwrap();
    let page = Page::of(&bench, &format!("/evidence/{stated}?kind=models&id=nova-2")).await;
    assert!(page.links().contains(&"/models/nova-2".to_owned()), "{:?}", page.links());
    assert!(page.words().contains("Limits, context tokens 200,000"), "{}", page.words());
    // Who comes with the key alone, or with an item that does not rest on it, is told all the same.
    for query in ["", "?kind=tools&id=hammer", "?kind=models&id=orbit-1"] {
        let page = Page::of(&bench, &format!("/evidence/{stated}{query}")).await;
        assert!(page.words().contains("It speaks of the model Nova 2"), "{query}: {}", page.words());
    }
}

#[tokio::test]
async fn what_was_understood_is_told_in_words_and_no_tab_counts_otherwise() {
    let bench = Bench::new();
    let page = Page::of(&bench, "/search?q=free+models").await;
    let words = page.words();
    assert!(words.contains("Understood as: Models; Input price at most $0; Output price at most $0;"), "{words}");
    assert!(words.contains("; sorted by Offers, the most first. All of them as a table"), "{words}");
    assert!(!words.contains("include removed") && !words.contains("lte"), "{words}");
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
            for block in blocks {
                assert!(block.contains("https://desk.example"), "{client}: {block}");
                let names_key =
                    ["rdk_…", "REFDESK_API_KEY", "${input:refdesk-key}"].iter().any(|key| block.contains(key));
                assert_eq!(names_key, require_key, "{client}: {block}");
            }
        }
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
    let robots = open.get("/robots.txt").await.text();
    assert!(robots.contains("Sitemap: https://desk.example/sitemap.xml"), "{robots}");
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
