//! Frameworks: search, route and cards. `docs/api.md#frameworks`. How well the router routes is measured elsewhere.

use crate::common::{Bench, NOW, ids};
use refdesk_catalog::answer::RouterEval;
use refdesk_serve::state::Evaluated;
use serde_json::{Value, json};

const LAUNCH: &str = "What%20could%20go%20wrong%20with%20our%20launch%3F";

#[tokio::test]
async fn search_knows_names_aliases_and_typos() {
    let bench = Bench::new();
    for q in ["premortem", "Premortem", "pre-mortem%20analysis", "premortm"] {
        let answer = bench.json(&format!("/v1/frameworks/search?q={q}")).await;
        let card = &answer["frameworks"][0];
        assert_eq!(card["id"], "premortem", "{q}: {answer}");
        assert_eq!((&card["domain"], &card["status"]), (&json!("risk"), &json!("published")));
        assert_eq!(card["secondary_domains"], json!(["decision"]));
        assert_eq!(card["url"], "/v1/frameworks/premortem");
        assert!(card["score"].is_number() && card["matched"].is_array(), "{card}");
        assert!(card.get("prompt").is_none() && card.get("type").is_none(), "{card}");
    }
    let answer = bench.json("/v1/frameworks/search?q=premortem").await;
    assert_eq!((&answer["limit"], &answer["domain"]), (&json!(8), &Value::Null));
    assert_eq!(answer["count"], ids(&answer["frameworks"]).len());
    assert_eq!(bench.json("/v1/frameworks/search?q=premortem&limit=51").await["limit"], 50);
}

#[tokio::test]
async fn search_filters_by_domain_candidates_and_shows_prompts_on_request() {
    let bench = Bench::new();
    let by = async |query: &str| bench.json(&format!("/v1/frameworks/search?q={query}")).await;
    assert_eq!(ids(&by("premortem&domain=risk").await["frameworks"]), ["premortem"]);
    assert_eq!(ids(&by("premortem&domain=DECISION").await["frameworks"]), ["premortem"], "a secondary domain counts");
    assert_eq!(by("premortem&domain=learning").await["frameworks"], json!([]));
    assert_eq!(by("draft%20canvas").await["frameworks"], json!([]), "a candidate is left out");
    let with = by("draft%20canvas&include_candidates=true").await;
    assert_eq!((&with["frameworks"][0]["status"], &with["warnings"]), (&json!("candidate"), &json!([])));
    let id = with["frameworks"][0]["id"].as_str().unwrap();
    let told = json!([format!(
        "`{id}` is a candidate and was left out: add `include_candidates=true`, or look at /v1/frameworks/{id}"
    )]);
    assert_eq!(by("draft%20canvas").await["warnings"], told);
    assert_eq!(bench.json("/v1/frameworks/route?q=draft%20canvas").await["warnings"], told);
    assert_eq!(bench.json(&format!("/v1/frameworks/list?ids={id}")).await["warnings"], told);
    let prompted = by("premortem&include_prompt=true").await;
    assert_eq!(prompted["frameworks"][0]["prompt"]["variables"], json!(["plan"]));
    assert_eq!(by("five-whys&include_prompt=true").await["frameworks"][0]["prompt"], Value::Null, "it has none");
}

/// As a search of the catalog says it of its filters.
#[tokio::test]
async fn a_card_that_is_named_and_left_out_is_told_with_the_reason_on_every_surface() {
    let bench = Bench::new();
    let without = async |q: &str| {
        let total = bench.json(&format!("/v1/frameworks/search?q={q}")).await["total"].as_u64().unwrap();
        let results = if total == 1 { "1 result".to_owned() } else { format!("{total} results") };
        format!("nothing meets the filters; without them there would be {results}")
    };
    let named = bench.json("/v1/frameworks/search?q=premortem&domain=learning").await;
    let told = json!([without("premortem").await, "`premortem` does not meet the filters"]);
    assert_eq!((&named["warnings"], &named["suggestions"]), (&told, &json!([])), "{named}");
    let words = bench.json("/v1/frameworks/search?q=root%20cause&domain=learning").await;
    assert_eq!(words["warnings"], json!([without("root%20cause").await]));
    let nothing = bench.json("/v1/frameworks/search?q=zyzzyva&domain=learning").await;
    assert_eq!(nothing["warnings"], json!([]), "the words are at fault");
    let unfinished = bench.json("/v1/frameworks/search?q=canvas").await;
    let told = json!(["no published card was found; 1 candidate was: add `include_candidates=true`"]);
    assert_eq!((&unfinished["total"], &unfinished["warnings"]), (&json!(0), &told), "{unfinished}");
    let with = bench.json("/v1/frameworks/search?q=canvas&include_candidates=true").await;
    assert_eq!((&with["total"], &with["warnings"]), (&json!(1), &json!([])), "{with}");
    let candidate = "`draft-canvas` is a candidate and was left out: add `include_candidates=true`, or look at /v1/frameworks/draft-canvas";
    for target in ["/v1/frameworks/list?q=draft-canvas", "/v1/frameworks/list?q=Draft%20canvas"] {
        assert_eq!(bench.json(target).await["warnings"], json!([candidate]), "{target}");
    }
    for target in [
        "/v1/frameworks/list?q=draft-canvas&include_candidates=true",
        "/v1/frameworks/list?q=draft-canvas&domain=risk",
        "/v1/frameworks/list?q=canvas",
    ] {
        assert_eq!(bench.json(target).await["warnings"], Value::Null, "{target}");
    }
}

#[tokio::test]
async fn wrong_values_are_400_and_a_wrong_domain_lists_the_domains() {
    let bench = Bench::new();
    for path in ["search", "route"] {
        for (query, error) in [
            ("", "q is required"),
            ("q=%20", "q is required"),
            ("q=a&domain=cooking", "invalid domain"),
            ("q=a&include_candidates=2", "invalid include_candidates"),
        ] {
            let problem = bench.get(&format!("/v1/frameworks/{path}?{query}")).await.problem(400, "invalid_query");
            assert_eq!(problem["error"], error, "{path} {query}");
            if error == "invalid domain" {
                assert_eq!(problem["allowed_domains"].as_array().unwrap().len(), 18);
                assert_eq!(problem["allowed_domains"][0], "agent-workflow");
            }
        }
        let answer = bench.json(&format!("/v1/frameworks/{path}?q={}", "x".repeat(2_001))).await;
        assert_eq!(answer["warnings"][0], "the text to look for has 2,001 characters; only the first 2,000 count");
    }
    bench.get("/v1/frameworks/search?q=a&limit=none").await.problem(400, "invalid_query");
    bench.get("/v1/frameworks/route?q=a&mode=vector").await.problem(400, "invalid_query");
}

#[tokio::test]
async fn route_answers_in_its_documented_shape_for_every_decision() {
    let bench = Bench::new();
    for q in [LAUNCH, "premortem", "best%20recipe%20for%20bread", "zzqx", "why"] {
        let answer = bench.json(&format!("/v1/frameworks/route?q={q}")).await;
        let members: Vec<&str> = answer.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(
            members,
            [
                "query",
                "domain",
                "include_candidates",
                "decision",
                "selected",
                "alternatives",
                "clarifying_question",
                "router"
            ]
        );
        let alternatives = answer["alternatives"].as_array().unwrap();
        match answer["decision"].as_str().unwrap() {
            "no_match" => {
                assert_eq!(answer["selected"], Value::Null, "{q}");
                assert!(alternatives.len() <= 3, "{q}");
                assert!(alternatives.iter().all(|card| card["why_not"].is_string()), "{q}: {answer}");
            }
            decision @ ("match" | "ambiguous") => {
                assert!(answer["selected"]["id"].is_string() && alternatives.len() <= 4, "{q}: {answer}");
                assert!(
                    answer["selected"]["confidence"].as_f64().is_some_and(|sure| (0.0..=1.0).contains(&sure)),
                    "{q}"
                );
                assert_eq!(answer["clarifying_question"].is_string(), decision == "ambiguous", "{q}: {answer}");
            }
            other => panic!("{q}: {other}"),
        }
        assert!(answer["router"]["algorithm"].is_string() && answer["router"]["eval"].is_null(), "{q}");
        assert_eq!(answer["router"]["catalog_revision"], bench.desk.snapshot().revision());
        let scores: Vec<f64> = alternatives.iter().map(|card| card["score"].as_f64().unwrap()).collect();
        assert!(scores.windows(2).all(|pair| pair[0] >= pair[1]), "{q}: {scores:?}");
    }
    let risks = bench.json(&format!("/v1/frameworks/route?q={LAUNCH}")).await;
    assert_eq!(risks["selected"]["id"], "premortem", "{risks}");
    assert!(risks["selected"]["reasons"][0]["terms"].is_array(), "{risks}");
}

#[tokio::test]
async fn the_evaluation_shows_only_for_exactly_its_set_of_cards_and_changes_the_entity_tag() {
    let bench = Bench::new();
    let target = format!("/v1/frameworks/route?q={LAUNCH}");
    let before = bench.get(&target).await;
    let figures = RouterEval { n: 10, top1: 0.9, top3: 1.0, evaluated_at: NOW };
    let cards_hash = bench.desk.snapshot().router().cards_hash().to_owned();
    bench.desk.set_evaluated(Some(Evaluated { cards_hash, figures: figures.clone() }));
    let after = bench.get(&target).await;
    assert_eq!(
        after.json()["router"]["eval"],
        json!({"n": 10, "top1": 0.9, "top3": 1.0, "evaluated_at": "2026-09-21T14:13:20Z"})
    );
    assert_ne!(before.header("etag"), after.header("etag"), "another answer has another tag");
    assert_eq!(bench.json("/health").await["data_quality"]["latest_eval_status"], "OK");
    bench.desk.set_evaluated(Some(Evaluated { cards_hash: "of other cards".into(), figures }));
    assert_eq!(bench.json(&target).await["router"]["eval"], Value::Null);
    assert_eq!(bench.json("/health").await["data_quality"]["latest_eval_status"], "NOT_RUN");
}

#[tokio::test]
async fn a_card_shows_its_prompt_only_on_request() {
    let bench = Bench::new();
    let plain = &bench.json("/v1/frameworks/premortem").await["framework"];
    assert!(plain.get("prompt").is_none() && plain["field_evidence"].get("prompt").is_none(), "{plain}");
    assert_eq!(plain["steps"].as_array().unwrap().len(), 4);
    assert_eq!(plain["anti_examples"], json!([{"question": "Why did it fail?", "better": "five-whys"}]));
    for yes in ["true", "1"] {
        let with = &bench.json(&format!("/v1/frameworks/premortem?include_prompt={yes}")).await["framework"];
        assert_eq!(with["prompt"]["text"], "Imagine that {{plan}} has failed. List why.");
    }
    assert!(bench.json("/v1/frameworks/premortem?include_prompt=0").await["framework"].get("prompt").is_none());
    bench.get("/v1/frameworks/premortem?include_prompt=perhaps").await.problem(400, "invalid_query");
}

#[tokio::test]
async fn a_candidate_answers_on_its_own_path_and_says_what_it_is() {
    let bench = Bench::new();
    assert_eq!(bench.json("/v1/frameworks/draft-canvas").await["framework"]["status"], "candidate");
    let route = bench.json("/v1/frameworks/route?q=draft%20canvas").await;
    assert!(route["selected"]["id"] != "draft-canvas", "{route}");
    let all: Vec<Value> = route["alternatives"].as_array().unwrap().clone();
    assert!(all.iter().all(|card| card["id"] != "draft-canvas"), "{route}");
    let with = bench.json("/v1/frameworks/route?q=draft%20canvas&include_candidates=true").await;
    assert_eq!(with["selected"]["id"], "draft-canvas", "{with}");
}

#[tokio::test]
async fn warnings_of_route_and_search_name_what_was_ignored() {
    let bench = Bench::new();
    for path in ["route", "search"] {
        let answer = bench.json(&format!("/v1/frameworks/{path}?q=premortem&offset=1")).await;
        assert!(answer["warnings"][0].as_str().unwrap().contains("`offset`"), "{path}: {answer}");
    }
}

#[tokio::test]
async fn a_question_in_a_script_that_the_router_does_not_read_is_told_so() {
    let bench = Bench::new();
    // 谁负责什么
    let unread = bench.json("/v1/frameworks/route?q=%E8%B0%81%E8%B4%9F%E8%B4%A3%E4%BB%80%E4%B9%88").await;
    let told = "no card has a word of this question: the router reads English and, word by word, German, French, Spanish, \
                Portuguese, Dutch and Italian";
    assert_eq!((&unread["decision"], &unread["warnings"]), (&json!("no_match"), &json!([told])));
    let read = bench.json("/v1/frameworks/route?q=translate%20this%20menu%20into%20Dutch").await;
    assert_eq!(read.get("warnings"), None, "{read}");
}
