//! Details, aliases, evidence and full texts: `GET /v1/<kind>/:id`, `GET /v1/evidence/:key`. `docs/api.md#lists-and-details`.

use crate::common::catalog::{GUIDE, NOTEBOOK, SKILL, TUTORIAL, fact};
use crate::common::{Bench, Mood, NOW, catalog, unlimited};
use refdesk_core::item::{Item, Model};
use refdesk_core::{Kind, hash};
use serde_json::{Value, json};

const RELATED: [&str; 7] = [
    "related_models",
    "related_tools",
    "related_skills",
    "related_tutorials",
    "related_mcp_servers",
    "related_documents",
    "related_frameworks",
];

#[tokio::test]
async fn every_kind_answers_its_item_with_evidence_and_empty_related_arrays() {
    let bench = Bench::new();
    for (kind, id) in [
        (Kind::Model, "nova-2"),
        (Kind::Tool, "hammer"),
        (Kind::Skill, "pdf-forms"),
        (Kind::Tutorial, "first-agent"),
        (Kind::McpServer, "files"),
        (Kind::Document, "guide-start"),
        (Kind::Framework, "premortem"),
    ] {
        let answer = bench.json(&format!("/v1/{}/{id}", kind.path_segment())).await;
        let item = &answer[kind.singular()];
        assert_eq!(item["id"], id, "{kind}");
        assert_eq!(item["evidence_key"], answer["evidence"]["key"], "{kind}");
        assert_eq!(item["source_url"], answer["evidence"]["source_url"], "{kind}");
        assert!(item["field_evidence"].is_object() && item["conflicts"].is_array(), "{kind}");
        for related in RELATED {
            assert_eq!(answer[related], json!([]), "{kind} {related}");
        }
        assert!(answer.get("resolved_from").is_none() && answer.get("warnings").is_none(), "{kind}");
        let list = bench.json(&format!("/v1/{}/list", kind.path_segment())).await;
        let row = list[kind.collection()].as_array().unwrap().iter().find(|row| row["id"] == id).unwrap().clone();
        for (name, value) in row.as_object().unwrap() {
            assert_eq!(&item[name], value, "{kind}: the detail repeats the row's {name}");
        }
        let evidence = bench.json(&format!("/v1/evidence/{}", answer["evidence"]["key"].as_str().unwrap())).await;
        assert_eq!(evidence, answer["evidence"], "{kind}");
    }
}

#[tokio::test]
async fn evidence_tells_source_hash_and_times() {
    let bench = Bench::new();
    let evidence = bench.json("/v1/documents/guide-start").await["evidence"].clone();
    let key = refdesk_core::fact::EvidenceKey::new("first", Kind::Document, "guide/start.md").to_string();
    assert_eq!(
        evidence,
        json!({
            "source_url": "https://acme.example/guide/start.md",
            "key": key,
            "content_hash": hash::content_hash(GUIDE.as_bytes()),
            "hash_basis": "bytes",
            "last_synced_at": "2026-09-20T14:13:20Z",
            "last_verified_at": "2026-09-20T14:13:20Z",
            "stale": false,
            "stale_reason": null,
            "stale_after": "2026-09-27T14:13:20Z",
            "source_id": "first",
            "license": "MIT",
            "attribution": null,
        })
    );
    for (target, reason) in [
        ("/v1/models/orbit-1", "expired"),
        ("/v1/models/pulsar-1", "removed"),
        ("/v1/mcp-servers/io.github.one-maps", "parse_failed"),
    ] {
        let answer = bench.json(target).await;
        assert_eq!(
            (&answer["evidence"]["stale"], &answer["evidence"]["stale_reason"]),
            (&json!(true), &json!(reason)),
            "{target}"
        );
    }
}

#[tokio::test]
async fn an_unknown_evidence_key_is_404_with_a_hint() {
    let bench = Bench::new();
    for key in ["ev_0", "%2F", "a/b/c", "%00", "nova-2"] {
        let problem = bench.get(&format!("/v1/evidence/{key}")).await.problem(404, "not_found");
        assert_eq!(problem["error"], "evidence not found");
        assert!(problem["hint"].as_str().unwrap().contains("evidence_key"), "{problem}");
    }
}

#[tokio::test]
async fn an_alias_resolves_raw_and_encoded_and_is_named() {
    let bench = Bench::new();
    for (target, kind, id, from) in [
        ("/v1/models/acme/nova-2", "model", "nova-2", "acme/nova-2"),
        ("/v1/models/acme%2Fnova-2", "model", "nova-2", "acme/nova-2"),
        ("/v1/models/acme%2fnova-2", "model", "nova-2", "acme/nova-2"),
        ("/v1/models/ACME/Nova-2", "model", "nova-2", "ACME/Nova-2"),
        ("/v1/models/NOVA-2", "model", "nova-2", "NOVA-2"),
        ("/v1/models/market/acme/nova-2", "model", "nova-2", "market/acme/nova-2"),
        ("/v1/mcp-servers/io.github.acme/files", "mcp_server", "files", "io.github.acme/files"),
        ("/v1/mcp-servers/acme-files", "mcp_server", "files", "acme-files"),
        ("/v1/documents/guide/start.md", "document", "guide-start", "guide/start.md"),
        ("/v1/frameworks/pre-mortem%20analysis", "framework", "premortem", "pre-mortem analysis"),
    ] {
        let answer = bench.json(target).await;
        assert_eq!(answer[kind]["id"], id, "{target}");
        assert_eq!(answer["resolved_from"], from, "{target}");
    }
    assert!(bench.json("/v1/models/nova%2D2").await.get("resolved_from").is_none(), "an encoded id is the id");
}

#[tokio::test]
async fn an_alias_of_two_items_resolves_to_none_and_suggests_both() {
    let bench = Bench::new();
    let problem = bench.get("/v1/mcp-servers/Maps%20Server").await.problem(404, "not_found");
    assert_eq!(problem["suggestions"], json!(["io.github.one-maps", "io.github.two-maps"]));
}

#[tokio::test]
async fn an_unknown_id_is_404_with_near_ids() {
    let bench = Bench::new();
    for (target, error, suggestion) in [
        ("/v1/models/nova-3", "model not found", "nova-2"),
        ("/v1/tools/hamer", "tool not found", "hammer"),
        ("/v1/mcp-servers/file", "MCP server not found", "files"),
        ("/v1/frameworks/premortm", "framework not found", "premortem"),
        ("/v1/skills/pdf-form", "skill not found", "pdf-forms"),
    ] {
        let problem = bench.get(target).await.problem(404, "not_found");
        assert_eq!(problem["error"], error, "{target}");
        let suggestions = problem["suggestions"].as_array().unwrap();
        assert!(suggestions.contains(&json!(suggestion)) && suggestions.len() <= 5, "{target}: {problem}");
    }
    let problem = bench.get("/v1/documents/%E6%97%A5%E6%9C%AC").await.problem(404, "not_found");
    assert!(problem["suggestions"].is_array() && problem["detail"].as_str().unwrap().contains("日本"), "{problem}");
}

#[tokio::test]
async fn an_id_of_control_characters_is_quoted_as_it_was_sent() {
    let problem = Bench::new().get("/v1/models/%00").await.problem(404, "not_found");
    assert_eq!(problem["detail"], "No model has the id or alias \"\\0\".");
}

#[tokio::test]
async fn suggestions_are_alike_or_there_are_none() {
    let named = |id: &str| fact(id, id, id, &Item::Model(Model::default()));
    let ids = ["gpt-4o", "gpt-4o-mini", "gpt-5", "claude-opus-4-5", "openorca-7b", "gemini-2.5-pro", "uniprof", "o1"];
    let bench = Bench::over(unlimited(), &ids.map(named));
    for (target, suggestions) in [
        ("/v1/models/gtp-4o", &["gpt-4o", "gpt-4o-mini"][..]),
        ("/v1/models/gtp-5", &["gpt-5"]),
        ("/v1/models/opus", &["claude-opus-4-5"]),
        ("/v1/models/gemni%20pro", &["gemini-2.5-pro"]),
        ("/v1/models/nope-nope", &[]),
        ("/v1/models/opus45", &["claude-opus-4-5"]),
        ("/v1/models/o-1", &["o1"]),
        ("/v1/cost?input_tokens=1&model=gtp-5", &["gpt-5"]),
    ] {
        let problem = bench.get(target).await.problem(404, "not_found");
        assert_eq!(problem["suggestions"], json!(suggestions), "{target}");
    }
    for q in ["gemni%20pro", "nope-nope"] {
        let suggestions = bench.json(&format!("/v1/search?q={q}")).await["suggestions"].take();
        let names = suggestions.as_array().unwrap();
        assert!(!names.iter().any(|name| ["uniprof", "openorca-7b"].map(Value::from).contains(name)), "{q}: {names:?}");
    }
}

#[tokio::test]
async fn among_equally_near_names_the_id_that_is_near_itself_is_suggested_first() {
    let named = |(id, name): (&str, &str)| fact(id, id, name, &Item::Model(Model::default()));
    let bench = Bench::over(unlimited(), &[("a-gpt-52", "GPT-5.2"), ("gpt-5.1", "GPT-5.1")].map(named));
    let problem = bench.get("/v1/models/gpt-5.9").await.problem(404, "not_found");
    assert_eq!(problem["suggestions"], json!(["gpt-5.1", "a-gpt-52"]), "{problem}");
}

#[tokio::test]
async fn what_an_unknown_id_is_resolved_to_is_suggested_first() {
    let model = |id: &str| {
        let mut model = fact(id, id, id, &Item::Model(Model::default()));
        model.head.vendor = Some("Anthropic".into());
        model
    };
    let ids = ["claude-opus-4-1", "claude-opus-4-6", "claude-opus-4-5-20251101", "claude-opus-4-7", "claude-opus-4-8"];
    let bench = Bench::over(unlimited(), &ids.map(model));
    let spelt = bench.json("/v1/models/Claude%20Opus%204.1").await;
    assert_eq!(spelt["model"]["id"], "claude-opus-4-1", "signs between words are no other spelling: {spelt}");
    let problem = bench.get("/v1/models/Claude%20Opsu%204.1").await.problem(404, "not_found");
    assert_eq!(problem["suggestions"][0], "claude-opus-4-1", "{problem}");
    let resolved = bench.json("/v1/resolve?id=Claude%20Opsu%204.1").await;
    assert_eq!(resolved["results"][0]["id"], "claude-opus-4-1", "{resolved}");
}

#[tokio::test]
async fn an_id_of_another_kind_is_404_and_the_hint_names_the_kind() {
    let bench = Bench::new();
    for (target, hint, kind, id) in [
        ("/v1/tools/nova-2", "It names a model: /v1/models/nova-2.", "MODEL", "nova-2"),
        ("/v1/tools/acme%2Fnova-2", "It names a model: /v1/models/nova-2.", "MODEL", "nova-2"),
        ("/v1/models/files", "It names an MCP server: /v1/mcp-servers/files.", "MCP_SERVER", "files"),
        ("/v1/skills/premortem", "It names a framework: /v1/frameworks/premortem.", "FRAMEWORK", "premortem"),
        ("/v1/cost?input_tokens=1&model=hammer", "It names a tool: /v1/tools/hammer.", "TOOL", "hammer"),
    ] {
        let problem = bench.get(target).await.problem(404, "not_found");
        assert_eq!(
            (&problem["hint"], &problem["found_as"]),
            (&json!(hint), &json!([{"type": kind, "id": id}])),
            "{target}"
        );
    }
    assert_eq!(bench.get("/v1/tools/zzz-9").await.problem(404, "not_found").get("found_as"), None);
}

#[tokio::test]
async fn reserved_words_are_no_ids_and_an_empty_id_is_no_endpoint() {
    let bench = Bench::new();
    bench.get("/v1/models/route").await.problem(404, "not_found");
    bench.get("/v1/models/search").await.problem(404, "not_found");
    bench.get("/v1/models/").await.problem(404, "unknown_endpoint");
    bench.get("/v1/models").await.problem(404, "unknown_endpoint");
    bench.get("/v1/models/list/").await.problem(404, "unknown_endpoint");
}

#[tokio::test]
async fn two_sources_that_disagree_stand_in_conflicts_with_who_says_what() {
    let bench = Bench::new();
    let server = &bench.json("/v1/mcp-servers/files").await["mcp_server"];
    assert_eq!(server["version"], "1.2.0", "the better-ranked source's word");
    let second = refdesk_core::fact::EvidenceKey::new("second", Kind::McpServer, "acme-files").to_string();
    assert_eq!(
        server["conflicts"],
        json!([{
            "path": "version", "value": "1.1.0", "source_id": "second", "source_name": "Source second",
            "source_url": "https://second.example/acme-files", "evidence_key": second,
        }])
    );
    assert_eq!(server["field_evidence"]["version"]["source_id"], "first");
    let other = bench.json(&format!("/v1/evidence/{second}")).await;
    assert_eq!((&other["source_id"], &other["license"]), (&json!("second"), &Value::Null));
    assert_eq!(server["versions"][0]["version"], "1.2.0");
    assert_eq!(server["versions"][1]["version"], "1.1.0");
    let model = &bench.json("/v1/models/nova-2").await["model"];
    assert_eq!(model["limits"]["context_tokens"], 200_000);
    let said = model["conflicts"].as_array().unwrap().iter().find(|said| said["path"] == "limits.context_tokens");
    assert_eq!(said.unwrap()["value"], 180_000);
    assert_eq!(model["field_evidence"]["license"]["source_id"], "second", "a field comes from who states it");
}

#[tokio::test]
async fn details_hold_the_full_text_and_say_when_there_is_none() {
    let bench = Bench::new();
    let document = &bench.json("/v1/documents/guide-start").await["document"];
    assert_eq!(document["markdown"], GUIDE);
    assert!(document.get("body").is_none() && document.get("body_missing").is_none());
    assert_eq!(bench.json("/v1/skills/pdf-forms").await["skill"]["body_markdown"], SKILL);
    assert_eq!(bench.json("/v1/tutorials/first-agent").await["tutorial"]["body_markdown"], TUTORIAL);
    let without = &bench.json("/v1/tutorials/evals").await["tutorial"];
    assert_eq!((&without["body_markdown"], &without["body"]), (&Value::Null, &Value::Null));
    assert_eq!(without["body_missing"], "the source lists the page and does not carry it");
    let bare = &bench.json("/v1/documents/guide-bare").await["document"];
    assert_eq!((&bare["markdown"], &bare["body"]), (&Value::Null, &Value::Null));
    assert!(bare["body_missing"].as_str().is_some_and(|why| !why.is_empty()));
}

#[tokio::test]
async fn accept_markdown_gives_the_bytes_that_the_evidence_hashes() {
    let bench = Bench::new();
    for (target, text) in [("/v1/documents/guide-start", GUIDE), ("/v1/skills/pdf-forms", SKILL)] {
        let evidence = bench.json(target).await["evidence"].clone();
        for accept in [
            "text/markdown",
            "text/markdown;q=0.9, */*",
            "text/html;q=0, TEXT/MARKDOWN",
            "text/markdown, application/json;q=0.5",
        ] {
            let answer = bench.get_with(target, &[("accept", accept)]).await;
            assert_eq!(answer.header("content-type"), "text/markdown; charset=utf-8", "{target} {accept}");
            assert_eq!(answer.text(), text, "{target}");
            assert_eq!(hash::content_hash(&answer.body), evidence["content_hash"], "{target}");
            assert_eq!(answer.header("x-content-type-options"), "nosniff");
        }
    }
    for accept in ["application/json", "*/*", "application/json, text/markdown;q=0.5", "text/markdown;q=0", ""] {
        let answer = bench.get_with("/v1/documents/guide-start", &[("accept", accept)]).await;
        assert_eq!(answer.header("content-type"), "application/json", "{accept}");
    }
}

#[tokio::test]
async fn a_notebook_is_never_served_as_markdown_but_its_text_is() {
    let bench = Bench::new();
    let answer = bench.get_with("/v1/tutorials/first-agent", &[("accept", "text/markdown")]).await;
    assert_eq!(answer.header("content-type"), "text/markdown; charset=utf-8");
    assert_eq!(answer.text(), TUTORIAL);
    assert_ne!(answer.text(), NOTEBOOK);
}

#[tokio::test]
async fn accept_html_gives_a_page_without_front_matter() {
    let bench = Bench::new();
    let answer =
        bench.get_with("/v1/documents/guide-start", &[("accept", "text/html,application/xhtml+xml,*/*;q=0.8")]).await;
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
    let page = answer.text();
    assert!(
        page.contains("<h1>Getting started</h1>")
            && page.contains("<h2 id=\"s-getting-started\">")
            && page.contains("<em>desk</em>"),
        "{page}"
    );
    assert!(!page.contains("title: Getting started"), "front matter is not prose: {page}");
    assert!(
        answer.header("content-security-policy").contains("sandbox"),
        "{}",
        answer.header("content-security-policy")
    );
    let json = bench.get_with("/v1/documents/guide-bare", &[("accept", "text/html")]).await;
    assert_eq!(json.header("content-type"), "application/json", "without a body there is no page");
    let model = bench.get_with("/v1/models/nova-2", &[("accept", "text/html, text/markdown")]).await;
    assert_eq!(model.header("content-type"), "application/json", "a model has no body");
}

#[tokio::test]
async fn a_body_that_cannot_be_read_fails_that_answer_alone() {
    let bench = Bench::new();
    bench.bodies.set(Mood::Fails);
    for (target, accept) in [
        ("/v1/documents/guide-start", "*/*"),
        ("/v1/documents/guide-start", "text/markdown"),
        ("/v1/documents/guide-start", "text/html"),
        ("/v1/skills/pdf-forms", "*/*"),
        ("/v1/tutorials/first-agent", "*/*"),
        ("/v1/search?q=getting%20started&include_markdown=true", "*/*"),
    ] {
        let problem = bench.get_with(target, &[("accept", accept)]).await.problem(500, "document_store_unavailable");
        assert_eq!(problem["error"], "document store unavailable", "{target}");
        assert!(problem["hint"].as_str().unwrap().contains("/health"), "{problem}");
    }
    for target in [
        "/v1/documents/list",
        "/v1/documents/guide-bare",
        "/v1/search?q=getting%20started",
        "/v1/models/nova-2",
        "/v1/frameworks/premortem?include_prompt=true",
    ] {
        bench.json(target).await;
    }
    bench.bodies.set(Mood::Works);
    assert_eq!(bench.json("/v1/documents/guide-start").await["document"]["markdown"], GUIDE);
}

/// Within a generation a text does not change, so that an answer with it need not be made twice.
#[tokio::test]
async fn an_answer_with_a_full_text_is_cached_and_stays_negotiated() {
    let bench = Bench::new();
    let first = bench.json("/v1/documents/guide-start").await;
    bench.bodies.set(Mood::Fails);
    assert_eq!(bench.json("/v1/documents/guide-start").await, first, "no second reading of the store");
    let other_spelling = bench.get("/v1/documents/guide-start?fresh_only=false").await;
    other_spelling.problem(500, "document_store_unavailable");
    bench.bodies.set(Mood::Works);
    let raw = bench.get_with("/v1/documents/guide-start", &[("accept", "text/markdown")]).await;
    assert_eq!((raw.header("content-type"), raw.text()), ("text/markdown; charset=utf-8", GUIDE.to_owned()));
    let page = bench.get_with("/v1/documents/guide-start", &[("accept", "text/html, */*;q=0.1")]).await;
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
}

#[tokio::test]
async fn a_store_that_lost_a_body_shows_null_and_does_not_fail() {
    let bench = Bench::new();
    bench.bodies.texts.lock().unwrap().clear();
    let document = &bench.json("/v1/documents/guide-start").await["document"];
    assert_eq!((&document["markdown"], &document["body"]), (&Value::Null, &Value::Null));
    let answer = bench.get_with("/v1/documents/guide-start", &[("accept", "text/markdown")]).await;
    assert_eq!(answer.header("content-type"), "application/json");
}

#[tokio::test]
async fn staleness_follows_the_snapshot_that_is_published_at_its_hour() {
    let bench = Bench::new();
    assert_eq!(bench.json("/v1/tools/saw").await["tool"]["stale"], false);
    let later = NOW.plus_secs(7 * crate::common::DAY);
    bench.set_clock(later);
    bench.desk.publish(crate::common::snapshot(&catalog::facts(), later, 2));
    let answer = bench.json("/v1/tools/saw").await;
    assert_eq!((&answer["tool"]["stale"], &answer["evidence"]["stale_reason"]), (&json!(true), &json!("expired")));
}

#[tokio::test]
async fn unknown_parameters_of_a_detail_are_named() {
    let bench = Bench::new();
    let answer = bench.json("/v1/models/nova-2?verbose=1&include_prompt=maybe").await;
    assert_eq!(answer["warnings"].as_array().unwrap().len(), 2, "{}", answer["warnings"]);
    assert!(answer["warnings"][0].as_str().unwrap().contains("`verbose`"));
}
