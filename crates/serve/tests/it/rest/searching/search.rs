//! `GET /v1/search`. `docs/api.md#search`. How well it ranks is measured elsewhere; here stands what every answer holds.

use crate::common::catalog::{GUIDE, fact};
use crate::common::socket::metric;
use crate::common::{Bench, ids, unlimited};
use refdesk_core::item::{Item, Model, Status, Tool};
use refdesk_serve::{LocalToken, Settings};
use serde_json::{Value, json};

const GZIP: [(&str, &str); 1] = [("accept-encoding", "gzip")];

#[tokio::test]
async fn an_exact_name_comes_first_with_its_evidence() {
    let bench = Bench::new();
    for (q, id, kind) in [
        ("nova-2", "nova-2", "MODEL"),
        ("Nova%202", "nova-2", "MODEL"),
        ("acme/nova-2", "nova-2", "MODEL"),
        ("HAMMER", "hammer", "TOOL"),
        ("io.github.acme/files", "files", "MCP_SERVER"),
        ("pdf-forms", "pdf-forms", "SKILL"),
        ("Getting%20started", "guide-start", "DOC"),
        ("first-agent", "first-agent", "TUTORIAL"),
    ] {
        let answer = bench.json(&format!("/v1/search?q={q}")).await;
        let hit = &answer["results"][0];
        assert_eq!((&hit["id"], &hit["type"]), (&json!(id), &json!(kind)), "{q}: {answer}");
        assert_eq!(hit["evidence"]["key"], hit["evidence_key"], "{q}");
        assert_eq!(hit["evidence"]["source_url"], hit["source_url"], "{q}");
        let detail = bench.json(hit["url"].as_str().unwrap()).await;
        assert_eq!(detail["evidence"], hit["evidence"], "{q}: the url leads to the item");
        let how = hit["matched"][0]["how"].as_str().unwrap();
        assert!(["exact", "alias"].contains(&how), "{q}: {}", hit["matched"]);
        assert!(hit.get("markdown").is_none(), "{q}");
    }
}

#[tokio::test]
async fn the_answer_repeats_the_question_as_it_was_understood() {
    let bench = Bench::new();
    let answer = bench
        .json("/v1/search?q=%20nova%20&type=model&fresh_only=1&include_markdown=true&limit=999&mode=Lexical")
        .await;
    assert_eq!(answer["query"], "nova");
    assert_eq!(answer["type"], "MODEL");
    assert_eq!((&answer["fresh_only"], &answer["include_markdown"]), (&json!(true), &json!(true)));
    assert_eq!(answer["limit"], 50);
    assert_eq!(answer["mode"], "lexical");
    for word in ["TRUE", "True", "yes", "on", "2", "FALSE"] {
        let problem = bench.get(&format!("/v1/search?q=nova&fresh_only={word}")).await.problem(400, "invalid_query");
        assert_eq!(problem["error"], "invalid fresh_only", "{word}");
    }
    assert_eq!(answer["count"], answer["results"].as_array().unwrap().len());
    assert_eq!(answer["catalog_revision"], bench.desk.snapshot().revision());
    let plain = bench.json("/v1/search?q=nova").await;
    assert_eq!((&plain["type"], &plain["limit"], &plain["warnings"]), (&Value::Null, &json!(10), &json!([])));
}

#[tokio::test]
async fn each_type_finds_only_its_kind_and_frameworks_never_stand_here() {
    let bench = Bench::new();
    for kind in ["DOC", "MCP_SERVER", "MODEL", "SKILL", "TOOL", "TUTORIAL"] {
        for spelling in [kind.to_owned(), kind.to_lowercase()] {
            let answer = bench.json(&format!("/v1/search?q=acme&type={spelling}")).await;
            assert_eq!(answer["type"], kind);
            assert!(answer["results"].as_array().unwrap().iter().all(|hit| hit["type"] == kind), "{answer}");
        }
    }
    let answer = bench.json("/v1/search?q=premortem").await;
    assert!(!ids(&answer["results"]).contains(&"premortem"), "{answer}");
    let problem = bench.get("/v1/search?q=x&type=FRAMEWORK").await.problem(400, "invalid_query");
    assert_eq!(problem["error"], "invalid type");
    assert_eq!(problem["allowed_types"], json!(["DOC", "MCP_SERVER", "MODEL", "SKILL", "TOOL", "TUTORIAL"]));
    assert!(problem["hint"].as_str().unwrap().contains("/v1/frameworks/search"), "{problem}");
}

#[tokio::test]
async fn fresh_only_leaves_stale_facts_out_and_counts_them() {
    let bench = Bench::new();
    let all = bench.json("/v1/search?q=orbit-1").await;
    assert_eq!((&all["results"][0]["id"], &all["results"][0]["stale"]), (&json!("orbit-1"), &json!(true)));
    assert_eq!(all["excluded_stale"], 0);
    let fresh = bench.json("/v1/search?q=orbit-1&fresh_only=true").await;
    assert!(!ids(&fresh["results"]).contains(&"orbit-1"), "{fresh}");
    assert!(fresh["excluded_stale"].as_u64().unwrap() >= 1, "{fresh}");
    let stale = "`orbit-1` is stale, and `fresh_only` leaves it out";
    assert_eq!((&fresh["warnings"], &fresh["suggestions"]), (&json!([stale]), &json!([])), "it is there");
}

#[tokio::test]
async fn include_markdown_loads_the_text_of_documents_only() {
    let bench = Bench::new();
    let answer = bench.json("/v1/search?q=started%20agent%20forms&include_markdown=true").await;
    let hits = answer["results"].as_array().unwrap();
    assert!(hits.iter().any(|hit| hit["id"] == "guide-start"), "{answer}");
    for hit in hits {
        match hit["id"].as_str().unwrap() {
            "guide-start" => assert_eq!(hit["markdown"], GUIDE),
            _ => assert!(hit.get("markdown").is_none(), "{hit}"),
        }
    }
}

#[tokio::test]
async fn nothing_relevant_is_an_empty_result_and_near_names_are_suggested() {
    let bench = Bench::new();
    let nothing = bench.json("/v1/search?q=zzqx%20wqpv").await;
    assert_eq!((&nothing["results"], &nothing["count"], &nothing["total"]), (&json!([]), &json!(0), &json!(0)));
    let near = bench.json("/v1/search?q=hammr&type=MODEL").await;
    assert_eq!(near["results"], json!([]), "{near}");
    assert!(near["suggestions"].is_array());
}

#[tokio::test]
async fn snippets_are_escaped_and_mark_what_matched() {
    let bench = Bench::new();
    let answer = bench.json("/v1/search?q=long%20documents&type=MODEL").await;
    let hit = &answer["results"][0];
    assert_eq!(hit["id"], "nova-2", "{answer}");
    let snippet = hit["snippet"].as_str().unwrap();
    assert!(
        snippet.contains("<mark>documents</mark>") && snippet.contains("&lt;b&gt;") && !snippet.contains("<b>"),
        "{snippet}"
    );
}

/// Who asks for values sees them, even where the description has one of the words.
#[tokio::test]
async fn a_list_that_was_understood_shows_the_values_of_its_models() {
    let bench = Bench::new();
    let snippet = async |path: &str| {
        let answer = bench.json(path).await;
        assert_eq!(answer["results"][0]["id"], "nova-2", "{answer}");
        answer["results"][0]["snippet"].as_str().unwrap().to_owned()
    };
    let values = "200,000 tokens of context";
    let listed = snippet("/v1/search?q=models%20for%20documents%20with%20at%20least%20150k%20context").await;
    assert!(listed.contains(values), "{listed}");
    let words = snippet("/v1/search?q=long%20documents").await;
    assert!(words.contains("<mark>documents</mark>") && !words.contains(values), "{words}");
    let page = bench.get_with("/search?q=long%20documents", &[("accept", "text/html")]).await.text();
    assert!(page.contains("<mark>documents</mark>") && page.contains(values), "a page shows both: {page}");
}

#[tokio::test]
async fn what_is_known_of_a_model_in_a_line_is_escaped_as_snippets_are() {
    let hostile = "<meta http-equiv=refresh content=\"0;url=//x\">";
    let model = Model { mode: Some(hostile.into()), ..Model::default() };
    let bench =
        Bench::over(Settings::default(), &[fact("evilzonk-3", "evilzonk-3", "evilzonk-3", &Item::Model(model))]);
    let answer = bench.json("/v1/search?q=evilzonk-3").await;
    let snippet = answer["results"][0]["snippet"].as_str().unwrap();
    assert!(snippet.contains("&lt;meta http-equiv=refresh") && !snippet.contains('<'), "{snippet}");
    let page = bench.get_with("/search?q=evilzonk-3", &[("accept", "text/html")]).await.text();
    assert!(page.contains("&lt;meta http-equiv=refresh") && !page.contains("<meta http-equiv"), "{page}");
}

#[tokio::test]
async fn wrong_values_are_400_with_the_parameter_and_a_hint() {
    let bench = Bench::new();
    for (query, error, param) in [
        ("", "q is required", "q"),
        ("q=", "q is required", "q"),
        ("q=%20%09%0A", "q is required", "q"),
        ("Q=nova", "q is required", "q"),
        ("q=&q=nova", "q is required", "q"),
        ("q=a&type=", "invalid type", "type"),
        ("q=a&type=PAGE", "invalid type", "type"),
        ("q=a&fresh_only=yes", "invalid fresh_only", "fresh_only"),
        ("q=a&fresh_only=", "invalid fresh_only", "fresh_only"),
        ("q=a&include_markdown=2", "invalid include_markdown", "include_markdown"),
        ("q=a&limit=0", "invalid limit", "limit"),
        ("q=a&limit=-5", "invalid limit", "limit"),
        ("q=a&limit=many", "invalid limit", "limit"),
        ("q=a&mode=vector", "invalid mode", "mode"),
        ("q=a&understand=perhaps", "invalid understand", "understand"),
        ("q=a&price_input__lte=1", "type is required", "type"),
        ("q=a&facets=vendor", "type is required", "type"),
        ("q=a&type=TOOL&facets=type", "invalid facets", "facets"),
        ("q=a&fields=id", "type is required", "type"),
        ("q=a&type=TOOL&format=xml", "invalid format", "format"),
        ("q=a&type=MODEL&price_input__lte=cheap", "invalid price_input__lte", "price_input__lte"),
        ("q=a&type=MODEL&price_inptu__lte=1", "unknown filter", "price_inptu__lte"),
    ] {
        let problem = bench.get(&format!("/v1/search?{query}")).await.problem(400, "invalid_query");
        assert_eq!((&problem["error"], &problem["param"]), (&json!(error), &json!(param)), "{query}");
        assert!(problem["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{query}");
    }
    // Every kind has `vendor`: the error must not claim that some lack it.
    let of_all_kinds = bench.get("/v1/search?q=a&vendor=Acme").await.problem(400, "invalid_query");
    assert_eq!(of_all_kinds["detail"], "`vendor` needs a `type`, and this search covers all kinds.");
    let longest = format!("/v1/search?q=%20{}%20", "%C3%A9".repeat(2_001));
    assert_eq!(
        bench.json(&longest).await["query"].as_str().unwrap().chars().count(),
        2_000,
        "2,000 characters, not bytes"
    );
}

#[tokio::test]
async fn unknown_and_repeated_parameters_are_named() {
    let bench = Bench::new();
    let answer = bench.json("/v1/search?q=nova&q=hammer&kind=MODEL").await;
    assert_eq!(answer["query"], "nova");
    let warnings = answer["warnings"].to_string();
    assert!(warnings.contains("`q` was given more than once") && warnings.contains("`kind`"), "{warnings}");
}

#[tokio::test]
async fn hits_link_to_the_public_url() {
    let bench = Bench::with(Settings { base_url: "https://desk.example.org".into(), ..unlimited() });
    assert_eq!(
        bench.json("/v1/search?q=nova-2").await["results"][0]["url"],
        "https://desk.example.org/v1/models/nova-2"
    );
}

#[tokio::test]
async fn the_limit_bounds_the_hits_and_total_counts_them_all() {
    let bench = Bench::new();
    let one = bench.json("/v1/search?q=acme&limit=1").await;
    assert_eq!((&one["count"], &one["limit"]), (&json!(1), &json!(1)));
    assert!(one["total"].as_u64().unwrap() > 1, "{one}");
}

/// How many searches of a kind the service ran.
async fn searches(bench: &Bench, kind: &str) -> u64 {
    metric(&bench.get("/metrics").await.text(), &format!("refdesk_searches_total{{search=\"{kind}\"}}"))
}

#[tokio::test]
async fn a_client_that_has_the_answer_costs_no_search() {
    let bench = Bench::new();
    for (kind, target) in [
        ("catalog", "/v1/search?q=nova"),
        ("catalog", "/v1/search?q=start&type=DOC&include_markdown=true"),
        ("catalog", "/v1/search?q=nova&mode=hybrid"),
        ("frameworks", "/v1/frameworks/search?q=premortem"),
        ("route", "/v1/frameworks/route?q=what+could+go+wrong+with+our+launch"),
    ] {
        let before = searches(&bench, kind).await;
        let first = bench.get(target).await;
        let tag = first.header("etag").to_owned();
        assert_eq!((searches(&bench, kind).await, first.status.as_u16()), (before + 1, 200), "{target}");
        let reads = bench.bodies.reads();
        let again = bench.get_with(target, &[("if-none-match", &tag)]).await;
        assert_eq!((again.status.as_u16(), again.header("etag")), (304, &*tag), "{target}");
        assert_eq!((searches(&bench, kind).await, bench.bodies.reads()), (before + 1, reads), "{target}: a 304");
        let other = bench.get_with(target, &[("if-none-match", "\"other\"")]).await;
        assert_eq!((other.status.as_u16(), other.body == first.body), (200, true), "{target}: another tag");
        assert_eq!(searches(&bench, kind).await, before + 1, "{target}: the answer is kept");
        let [made, kept] = [bench.get_with(target, &GZIP).await, bench.get_with(target, &GZIP).await];
        assert_eq!((made.header("content-encoding"), &made.body), ("gzip", &kept.body), "{target}");
        assert_eq!(searches(&bench, kind).await, before + 1, "{target}: it is compressed without another search");
    }
}

/// Links are relative for the command line, and begin with the public address for everyone else.
#[tokio::test]
async fn an_answer_to_the_command_line_is_not_kept_for_others() {
    let token = LocalToken::random();
    let bearer = format!("Bearer {}", token.text());
    let settings = Settings { base_url: "https://desk.example".into(), local_token: Some(token), ..unlimited() };
    let bench = Bench::with(settings);
    for (target, found) in [("/v1/search?q=nova", "results"), ("/v1/frameworks/search?q=premortem", "frameworks")] {
        let local = bench.get_from("127.0.0.1", target, &[("authorization", &bearer)]).await;
        let other = bench.get_from("127.0.0.1", target, &[]).await;
        let link = |answer: &[u8]| serde_json::from_slice::<Value>(answer).unwrap()[found][0]["url"].clone();
        let (local_link, other_link) = (link(&local.body), link(&other.body));
        assert_eq!(other_link, format!("https://desk.example{}", local_link.as_str().unwrap()), "{target}");
        assert_ne!(local.header("etag"), other.header("etag"), "{target}");
    }
}

/// What is asked for without being counted leaves the room of the cache to others.
#[tokio::test]
async fn no_uncounted_address_fills_the_cache_of_answers() {
    let bench = Bench::with(Settings { encoded_cache_bytes: 256 * 1024, ..unlimited() });
    for at in 0..50 {
        for target in ["/openapi.json", "/docs", "/llms.txt"] {
            let answer = bench.get_with(&format!("{target}?{at}"), &GZIP).await;
            assert_eq!(answer.header("content-encoding"), "gzip", "{target}");
        }
    }
    let before = searches(&bench, "catalog").await;
    for _ in 0..2 {
        bench.get_with("/v1/search?q=nova", &GZIP).await;
    }
    assert_eq!(searches(&bench, "catalog").await, before + 1, "it is kept");
}

#[tokio::test]
async fn a_wrong_search_is_told_even_to_a_client_that_has_an_answer() {
    let bench = Bench::new();
    let any = [("if-none-match", "*")];
    bench.get_with("/v1/search?q=nova&limit=0", &any).await.problem(400, "invalid_query");
    assert_eq!(bench.get_with("/v1/search?q=nova", &any).await.status.as_u16(), 304);
}

#[tokio::test]
async fn a_search_of_all_kinds_counts_the_hits_of_each() {
    let bench = Bench::new();
    let all = bench.json("/v1/search?q=acme&facets=type&limit=50").await;
    let counted = all["facets"]["type"]["results"].as_array().unwrap();
    assert!(counted.len() > 1, "{all}");
    let mut sum = 0;
    for value in counted {
        let kind = value["value"].as_str().unwrap();
        let of_kind = bench.json(&format!("/v1/search?q=acme&type={kind}&limit=50")).await;
        assert_eq!((&value["count"], &value["label"]), (&of_kind["total"], &json!(kind)), "{kind}");
        sum += value["count"].as_u64().unwrap();
    }
    assert_eq!((all["total"].as_u64(), &all["total_relation"]), (Some(sum), &json!("eq")));
    let misspelt = bench.json("/v1/search?q=nvoa&facets=type").await;
    assert_eq!(misspelt["facets"]["type"]["results"][0]["value"], "MODEL", "{misspelt}");
    let nothing = bench.json("/v1/search?q=zzzzzzzzzz&facets=type").await;
    assert_eq!(nothing["facets"]["type"]["results"], json!([]), "{nothing}");
}

#[tokio::test]
async fn a_name_matched_exactly_only_when_all_of_it_was_typed() {
    let named = |id: &str, name: &str, alias: &str| {
        let mut stored = fact(id, id, name, &Item::Tool(Tool::default()));
        stored.head.aliases = vec![alias.to_owned()];
        stored
    };
    let bench = Bench::over(
        unlimited(),
        &[
            named("gpt-9", "GPT-9", "openai/gpt-9"),
            named("gpt-9-mini", "GPT-9 mini", "openai/gpt-9-mini"),
            named("gpt-9-2026-08-06", "GPT-9 (2026-08-06)", "openai/gpt-9-2026-08-06"),
        ],
    );
    for (q, whole, how) in
        [("openai/gpt-9", "gpt-9", "alias"), ("gpt-9", "gpt-9", "exact"), ("Gpt 9 Mini", "gpt-9-mini", "exact")]
    {
        let answer = bench.get(&format!("/v1/search?q={}", q.replace(' ', "+"))).await.json();
        for hit in answer["results"].as_array().into_iter().flatten() {
            let matched = hit["matched"].as_array().cloned().unwrap_or_default();
            let hows: Vec<&str> = matched.iter().filter_map(|one| one["how"].as_str()).collect();
            let is_whole = hows.iter().any(|how| ["exact", "alias"].contains(how));
            assert_eq!(is_whole, hit["id"] == whole, "{q}: {} {matched:?}", hit["id"]);
            assert!(!is_whole || hows[0] == how, "{q}: {matched:?}");
            let fields: Vec<&str> = matched.iter().filter_map(|one| one["field"].as_str()).collect();
            assert!(!(fields.contains(&"name") && fields.contains(&"title")), "{q}: {fields:?}");
        }
        assert_eq!(answer["results"][0]["id"], whole, "{q}");
        assert_eq!(answer["suggestions"], json!([]), "{q}");
    }
}

#[tokio::test]
async fn nothing_else_is_suggested_where_the_name_was_found_unless_it_has_another_number() {
    let named = |name: &str| fact(name, name, name, &Item::Model(Model::default()));
    let bench = Bench::over(unlimited(), &["copper-lantern", "copper-lanterns", "copper-lantern-4"].map(named));
    for (q, suggestions) in [
        ("coper+lantern", json!([])),
        ("copper+lant", json!([])),
        ("copper-lantern-5", json!(["copper-lantern-4", "copper-lanterns"])),
    ] {
        let answer = bench.json(&format!("/v1/search?q={q}")).await;
        assert_eq!(
            (&answer["results"][0]["id"], &answer["suggestions"]),
            (&json!("copper-lantern"), &suggestions),
            "{q}"
        );
    }
    // The numbers that were typed are those of what was found.
    let bench = Bench::over(unlimited(), &["claude-sonnet-4-5", "claude-sonnet-4-6"].map(named));
    let of_version = bench.json("/v1/search?q=sonnet+4.5").await;
    assert_eq!(
        (&of_version["results"][0]["id"], &of_version["suggestions"]),
        (&json!("claude-sonnet-4-5"), &json!([]))
    );
    let bench = Bench::over(unlimited(), &["gpt-9", "batch"].map(named));
    let of_seller = bench.json("/v1/search?q=gpt-9:batch").await;
    assert_eq!((&of_seller["results"][0]["id"], &of_seller["suggestions"]), (&json!("gpt-9"), &json!([])));
}

#[tokio::test]
async fn names_in_use_are_suggested_before_those_that_are_retired() {
    let named = |name: &str, status: Status| {
        let mut stored = fact(name, name, name, &Item::Model(Model::default()));
        stored.head.status = status;
        stored
    };
    let facts = [
        named("orca-opus-3", Status::Retired),
        named("orca-opus-4-large", Status::Active),
        named("orca-opus-5-large", Status::Active),
    ];
    let answer = Bench::over(unlimited(), &facts).json("/v1/search?q=orca-opus-9").await;
    assert_eq!(answer["results"][0]["id"], "orca-opus-4-large");
    assert_eq!(answer["suggestions"], json!(["orca-opus-5-large", "orca-opus-3"]), "the nearest is gone");
    let of_kind = Bench::over(unlimited(), &facts).json("/v1/search?q=7b+models").await;
    assert_eq!((&of_kind["understood"]["kind"], &of_kind["suggestions"]), (&json!("MODEL"), &json!([])));
}
