//! Parameters and values that no list takes: what would drop a restriction is refused. `docs/api.md#filters`.

use super::sellers::sold;
use crate::common::{Bench, ids, unlimited};
use refdesk_core::item::Status;
use serde_json::{Value, json};

#[tokio::test]
async fn a_value_that_is_not_in_its_closed_set_is_refused_with_those_that_are() {
    let bench = Bench::new();
    for (target, param, allowed) in [
        ("/v1/models/list?status=foo", "status", "active"),
        ("/v1/models/list?status__not=retired,foo", "status__not", "retired"),
        ("/v1/models/list?trust_tier=foo", "trust_tier", "official"),
        ("/v1/models/list?capability=vision", "capability", "tool_call"),
        ("/v1/models/list?capability=!", "capability", "tool_call"),
        ("/v1/models/list?input_modalities=picture", "input_modalities", "image"),
        ("/v1/models/list?output_modalities=words", "output_modalities", "text"),
        ("/v1/mcp-servers/list?auth=foo", "auth", "required"),
        ("/v1/mcp-servers/list?install_type=foo", "install_type", "remote"),
        ("/v1/search?q=nova&type=MODEL&status=foo", "status", "active"),
        ("/v1/search?q=nova&mode=vector", "mode", "hybrid"),
        ("/v1/frameworks/route?q=a&mode=vector", "mode", "lexical"),
        ("/v1/cost?model=nova-2&input_tokens=1&sort=price", "sort", "seller"),
        ("/v1/models/list?format=xml", "format", "csv"),
    ] {
        let problem = bench.get(target).await.problem(400, "invalid_query");
        assert_eq!(problem["param"], param, "{target}");
        assert_eq!(problem["error"], format!("invalid {param}"), "{target}");
        assert!(problem["allowed"].as_array().is_some_and(|all| all.contains(&json!(allowed))), "{target}: {problem}");
    }
    for (target, told) in [
        ("/v1/models/list?capability=vision", " `input_modalities=image` asks for it."),
        ("/v1/models/list?capability=Function%20calling", " `capability=tool_call` asks for it."),
        ("/v1/models/list?capability=open-weights", " `open_weights=true` asks for it."),
        ("/v1/tools/list?status=official", " `trust_tier=official` asks for it."),
        ("/v1/models/list?capability__not=vision", ""),
        ("/v1/tools/list?status=vision", ""),
        // Frameworks have other words for it than all others: each was told to send what it refuses.
        ("/v1/frameworks/list?status=active", ""),
        ("/v1/models/list?status=published", ""),
    ] {
        let detail = bench.get(target).await.problem(400, "invalid_query")["detail"].take();
        let detail = detail.as_str().unwrap();
        assert!(detail.ends_with(told), "{target}: {detail}");
        assert_eq!(detail.contains("asks for it"), !told.is_empty(), "{target}: {detail}");
    }
    for target in ["/v1/frameworks/list?domain=foo", "/v1/frameworks/search?q=a&domain=foo"] {
        let problem = bench.get(target).await.problem(400, "invalid_query");
        assert_eq!((&problem["param"], &problem["error"]), (&json!("domain"), &json!("invalid domain")), "{target}");
        assert!(problem["allowed_domains"].as_array().is_some_and(|all| all.contains(&json!("risk"))), "{target}");
    }
    for target in ["/v1/resolve?id=a&type=foo", "/v1/conflicts?type=foo"] {
        let problem = bench.get(target).await.problem(400, "invalid_query");
        let types = ["MODEL", "TOOL", "SKILL", "TUTORIAL", "MCP_SERVER", "DOC", "FRAMEWORK"];
        assert_eq!((&problem["error"], &problem["allowed_types"]), (&json!("invalid type"), &json!(types)), "{target}");
    }
    for (target, list, found) in [
        ("/v1/models/list?capability=TOOL_CALL,!Reasoning", "models", vec!["nova-2"]),
        ("/v1/models/list?capability=tool%20call,!Reasoning", "models", vec!["nova-2"]),
        ("/v1/models/list?capability=Tool-Call", "models", vec!["nova-2"]),
        ("/v1/models/list?input_modalities=Image", "models", vec!["nova-2"]),
        ("/v1/frameworks/list?domain=RISK", "frameworks", vec!["premortem"]),
    ] {
        assert_eq!(ids(&bench.json(target).await[list]), found, "{target}");
    }
    for path in ["search", "route"] {
        let answer = bench.json(&format!("/v1/frameworks/{path}?q=a&domain=Agent%20workflow")).await;
        assert_eq!(answer["domain"], "agent-workflow", "{path}: as lists take it");
    }
}

/// An unknown order named only the hundred fields that there are, although a misspelt filter was told with the nearest.
#[tokio::test]
async fn a_value_outside_its_set_is_told_with_the_nearest() {
    let bench = Bench::new();
    for (target, nearest) in [
        ("/v1/models/list?sort=prise_input", "price_input"),
        ("/v1/models/list?sort=name,-output_price", "-price_output"),
        ("/v1/models/list?facets=vendr", "vendor"),
        ("/v1/search?q=nova&type=MODEL&sort=contxt_tokens", "context_tokens"),
        ("/v1/models/list?status=activ", "active"),
        ("/v1/models/list?capability=!tool_cal", "!tool_call"),
        ("/v1/models/list?format=cvs", "csv"),
        ("/v1/search?q=nova&type=modle", "MODEL"),
        ("/v1/search?q=nova&mode=hybird", "hybrid"),
        ("/v1/resolve?id=a&type=framwork", "FRAMEWORK"),
        ("/v1/frameworks/route?q=a&domain=finnance", "finance"),
        ("/v1/cost?model=nova-2&input_tokens=1&sort=sellr", "seller"),
        ("/v1/cost?model=nova-2&input_tokens=1&sort=-total", "total"),
        ("/v1/models/list?sort=--id", "-id"),
    ] {
        let problem = bench.get(target).await.problem(400, "invalid_query");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.ends_with(&format!("; the nearest is `{nearest}`.")), "{target}: {detail}");
        assert_eq!(problem["suggestions"], json!([nearest]), "{target}");
    }
    for target in ["/v1/models/list?sort=zzzz", "/v1/models/list?status=foo", "/v1/models/list?capability=vision"] {
        let problem = bench.get(target).await.problem(400, "invalid_query");
        assert!(problem.get("suggestions").is_none(), "{target}: {problem}");
    }
}

#[tokio::test]
async fn a_misspelt_parameter_is_refused_by_every_endpoint() {
    let bench = Bench::new();
    for (target, nearest) in [
        ("/v1/search?q=nova&tpye=MODEL", "type"),
        ("/v1/search?q=nova&limt=3", "limit"),
        // `Vendor` was refused, and `VENDOR` passed over.
        ("/v1/models/list?VENDOR=Acme", "vendor"),
        ("/v1/search?q=nova&price_inptu__lte=1", "price_input__lte"),
        ("/v1/conflicts?min_percnt=50", "min_percent"),
        ("/v1/models/nova-2?fresh_onyl=true", "fresh_only"),
        ("/v1/frameworks/premortem?include_promt=true", "include_prompt"),
        ("/v1/frameworks/search?q=a&domian=risk", "domain"),
        ("/v1/frameworks/route?q=a&domian=risk", "domain"),
        ("/v1/models/compare?ids=nova-2,alto-1&idss=x__y", "ids"),
        ("/v1/resolve?id=nova-2&tpye=MODEL", "type"),
        ("/v1/cost?model=nova-2&input_token=1000000", "input_tokens"),
        // Answers call meters so, and what was sent under these names was left out of the total.
        ("/v1/cost?model=nova-2&input_tokens=1000&cache_read=500", "cache_read_tokens"),
        ("/v1/cost?model=nova-2&input_tokens=1000&output=500", "output_tokens"),
        ("/v1/cost?model=nova-2&output_tokens=1000&input=500", "input_tokens"),
    ] {
        let answer = bench.get(target).await;
        if target.contains("idss") {
            // A name of three letters has no misspelling.
            assert!(answer.json()["warnings"][0].as_str().is_some_and(|told| told.contains("`idss`")), "{target}");
            continue;
        }
        let problem = answer.problem(400, "invalid_query");
        let detail = problem["detail"].as_str().unwrap_or_default();
        assert!(detail.contains(&format!("the nearest is `{nearest}`")), "{target}: {detail}");
    }
    for target in
        ["/v1/search?q=nova&type=MODEL&offset=5", "/v1/mcp-servers/list?reachable=true", "/v1/resolve?id=a&page=2"]
    {
        let answer = bench.json(target).await;
        let warning = answer["warnings"][0].as_str().unwrap_or_default();
        assert!(warning.starts_with("unknown query parameter `"), "{target}: {warning}");
    }
}

#[tokio::test]
async fn a_value_outside_a_closed_set_is_refused_with_the_values_that_there_are() {
    let bench = Bench::new();
    let problem = bench.get("/v1/models/list?status=foo").await.problem(400, "invalid_query");
    let expected =
        "`status` is \"foo\"; it takes one or more of: active, preview, deprecated, retired, removed, unknown.";
    assert_eq!(problem["detail"], expected);
}

#[tokio::test]
async fn a_filter_of_another_kind_is_refused_and_not_passed_over() {
    let bench = Bench::new();
    for (target, kinds) in [
        ("/v1/tools/list?capability=tool_call", "MODEL"),
        ("/v1/tools/list?price_input__lte=3", "MODEL"),
        ("/v1/tools/list?price_of=cheapest", "MODEL"),
        ("/v1/models/list?transport=stdio", "MCP_SERVER"),
        ("/v1/search?q=nova&type=TOOL&open_weights=true", "MODEL"),
        // A search of all kinds covers no frameworks.
        ("/v1/search?q=nova&domain=strategy", "FRAMEWORK"),
    ] {
        let problem = bench.get(target).await.problem(400, "invalid_query");
        let name = target.rsplit(['?', '&']).next().unwrap().split_once('=').unwrap().0;
        assert_eq!((&problem["error"], &problem["param"]), (&json!("unknown filter"), &json!(name)), "{target}");
        let detail = format!("`{name}` filters only {kinds}.");
        assert_eq!(problem["detail"], detail, "{target}");
    }
}

#[tokio::test]
async fn an_unknown_seller_is_told_with_the_nearest() {
    let facts = [sold("own", "acme", "2", Status::Active), sold("own", "market", "3", Status::Active)];
    let bench = Bench::over(unlimited(), &facts);
    let search = bench.json("/v1/search?q=own&type=MODEL&price_of=markt").await;
    let told = "`price_of`: there is no seller `markt`, so no price is known; the nearest is `market`";
    assert_eq!(search["warnings"], json!([told]));
    let cost = bench.json("/v1/cost?model=own&input_tokens=1&seller=markt").await;
    let told =
        "no seller `markt` states a price of this model (did you mean `market`?); without `seller` all are listed";
    assert_eq!(cost["warnings"], json!([told]));
    let cost = bench.json("/v1/cost?model=own&input_tokens=1m&seller=acme,markt,market").await;
    let totals: Vec<_> =
        cost["sellers"].as_array().unwrap().iter().map(|line| (&line["seller"], &line["total"])).collect();
    assert_eq!(totals, [(&json!("Acme"), &json!(2)), (&json!("market"), &json!(3))]);
    assert_eq!(cost["warnings"], json!([told]), "the others are listed, and the one that is unknown is told");
}

#[tokio::test]
async fn a_blank_restriction_is_refused() {
    let bench = Bench::new();
    for (target, param) in [
        ("/v1/models/list?collection=", "collection"),
        ("/v1/search?q=nova&collection=+", "collection"),
        ("/v1/cost?model=nova-2&input_tokens=1&seller=", "seller"),
        ("/v1/models/list?seller=", "seller"),
        ("/v1/models/list?price_of=", "price_of"),
        ("/v1/conflicts?path=", "path"),
    ] {
        assert_eq!(bench.get(target).await.problem(400, "invalid_query")["param"], param, "{target}");
    }
}

#[tokio::test]
async fn a_size_that_is_reduced_is_told() {
    let bench = Bench::new();
    for (target, name, most) in [
        ("/v1/models/list?limit=501", "limit", 500),
        ("/v1/frameworks/list?limit=99999999999999999999", "limit", 500),
        ("/v1/models/list?facets=vendor&facet_size=1001", "facet_size", 1_000),
        ("/v1/search?q=nova&limit=51", "limit", 50),
        ("/v1/search?q=nova&passages=6", "passages", 5),
        ("/v1/search?q=nova&budget_tokens=20001", "budget_tokens", 20_000),
        ("/v1/frameworks/search?q=premortem&limit=51", "limit", 50),
        ("/v1/conflicts?limit=501", "limit", 500),
    ] {
        let answer = bench.json(target).await;
        assert_eq!(answer["warnings"], json!([format!("`{name}` was reduced to {most}, the maximum")]), "{target}");
        if name == "limit" {
            assert_eq!(answer["limit"], most, "{target}");
        }
        let most = target.rsplit_once('=').map(|(start, _)| format!("{start}={most}")).unwrap_or_default();
        let warnings = &bench.json(&most).await["warnings"];
        assert!(*warnings == Value::Null || *warnings == json!([]), "{most}: {warnings}");
    }
}

#[tokio::test]
async fn the_name_of_a_field_that_is_no_parameter_is_refused_with_its_filters() {
    let bench = Bench::new();
    for (target, name, forms) in [
        (
            "/v1/models/list?price_input=3",
            "price_input",
            json!(["price_input__gte", "price_input__lte", "price_input__isnull"]),
        ),
        (
            "/v1/models/list?context_tokens=200000",
            "context_tokens",
            json!(["context_tokens__gte", "context_tokens__lte", "context_tokens__isnull"]),
        ),
        (
            "/v1/search?q=nova&type=MODEL&released_on=2026",
            "released_on",
            json!(["released_on__gte", "released_on__lte", "released_on__isnull"]),
        ),
        ("/v1/tools/list?updated_at=2026-01-01", "updated_at", json!(["updated_since"])),
        // Members of rows whose filters have another name.
        ("/v1/models/list?mode=chat", "mode", json!(["model_mode", "model_mode__not", "model_mode__isnull"])),
        (
            "/v1/search?q=nova&type=MODEL&capabilities=reasoning",
            "capabilities",
            json!(["capability", "capability__not", "capability__isnull"]),
        ),
        ("/v1/mcp-servers/list?tools=search", "tools", json!(["has_tools", "has_tools__isnull"])),
        ("/v1/tools/list?changed_at=2026-01-01", "changed_at", json!(["updated_since"])),
    ] {
        let problem = bench.get(target).await.problem(400, "invalid_query");
        assert_eq!((&problem["param"], &problem["allowed"]), (&json!(name), &forms), "{target}");
    }
    let problem = bench.get("/v1/models/list?price_blended=3").await.problem(400, "invalid_query");
    assert_eq!(problem["detail"], "`price_blended` is a field to sort by, not a filter.");
    let problem = bench.get("/v1/models/list?modalities=image").await.problem(400, "invalid_query");
    assert!(
        problem["detail"].as_str().is_some_and(|detail| {
            detail.starts_with("`modalities` is a member of rows; its filters are input_modalities, ")
                && detail.ends_with(", output_modalities__isnull.")
        }),
        "{problem}"
    );
    let problem = bench.get("/v1/search?q=nova&price_input=3").await.problem(400, "invalid_query");
    assert_eq!(problem["param"], "type", "{problem}");
    assert_eq!(bench.get("/v1/models/list?page=3").await.status, 200, "what is no field is a warning as before");
    for (path, sent, told) in [
        ("/v1/models/list", "provider=market", "the filter is `seller`"),
        ("/v1/models/list", "vision=true", "`input_modalities=image` asks for it"),
        ("/v1/models/list", "tool_call=true", "`capability=tool_call` asks for it"),
        ("/v1/models/list", "max_price=3", "the filter is `price_input__lte`"),
        ("/v1/mcp-servers/list", "auth_required=false", "the filter is `auth`"),
        ("/v1/models/list", "per_page=2", "here it is called `limit`"),
        ("/v1/models/list", "order_by=id", "here it is called `sort`"),
        // It was refused as a misspelt `stale`.
        ("/v1/models/list", "start=1", "here it is called `offset`"),
        ("/v1/cost", "model=nova-2&input_tokens=1&provider=market", "the filter is `seller`"),
    ] {
        let warnings = bench.json(&format!("{path}?{sent}")).await["warnings"].take();
        let name = sent.rsplit('&').next().unwrap().split('=').next().unwrap();
        assert_eq!(warnings, json!([format!("unknown query parameter `{name}` was ignored; {told}")]), "{sent}");
    }
}

#[tokio::test]
async fn a_value_that_nothing_has_is_told_with_the_nearest() {
    let bench = Bench::new();
    let told = async |target: &str| bench.json(target).await["warnings"].clone();
    assert_eq!(
        told("/v1/models/list?vendor=Amce,acme").await,
        json!(["`vendor`: nothing has the value `Amce`; the nearest is `Acme`"])
    );
    assert_eq!(told("/v1/models/list?vendor=ACME").await, json!(null));
    assert_eq!(
        told("/v1/models/list?vendor__not=Amce").await,
        json!(["`vendor__not`: nothing has the value `Amce`; the nearest is `Acme`"])
    );
    // Each that is wrong, up to five of a filter.
    let all = told("/v1/models/list?vendor=Acme,Zq,Zr,Zs,Zt,Zu,Zv").await;
    let each = ["Zq", "Zr", "Zs", "Zt", "Zu"].map(|value| format!("`vendor`: nothing has the value `{value}`"));
    assert_eq!(all, json!(each));
    assert_eq!(
        told("/v1/models/list?seller=markt").await,
        json!(["`seller`: nothing has the value `markt`; the nearest is `market`"])
    );
}

#[tokio::test]
async fn a_search_without_hits_says_whether_only_its_filters_leave_nothing() {
    let bench = Bench::new();
    let asked = async |query: &str| bench.json(&format!("/v1/search?{query}")).await;
    let all = asked("q=nova&type=MODEL").await;
    let (total, least) = (&all["total"], if all["total_relation"] == "eq" { "" } else { "at least " });
    let results = if *total == 1 { "1 result".to_owned() } else { format!("{total} results") };
    let without = format!("nothing meets the filters; without them there would be {least}{results}");
    let filtered = asked("q=nova&type=MODEL&context_tokens__gte=900m").await;
    assert_eq!((&filtered["count"], &filtered["warnings"]), (&json!(0), &json!([without])), "{filtered}");
    assert_eq!(filtered["suggestions"], json!([]), "the words are not at fault");
    // Words that nothing has are another reason, and so is a value that nothing has.
    assert_eq!(asked("q=zyzzyva&type=MODEL&context_tokens__gte=900m").await["warnings"], json!([]));
    // What is named is there; before, this said that nothing has the name.
    let named = asked("q=nova-2&type=MODEL&vendor=Zq").await;
    assert_eq!(
        (&named["warnings"], &named["suggestions"]),
        (&json!(["`vendor`: nothing has the value `Zq`", "`nova-2` does not meet the filters"]), &json!([]))
    );
}

#[tokio::test]
async fn a_status_is_one_that_the_kind_can_have() {
    let bench = Bench::new();
    let models = bench.get("/v1/models/list?status=published").await.problem(400, "invalid_query");
    assert_eq!(models["allowed"], json!(["active", "preview", "deprecated", "retired", "removed", "unknown"]));
    let frameworks = bench.get("/v1/frameworks/list?status=active").await.problem(400, "invalid_query");
    assert_eq!(frameworks["allowed"], json!(["published", "candidate", "removed"]));
    assert_eq!(bench.json("/v1/frameworks/list?status=published").await["total"], 2);
}

#[tokio::test]
async fn a_seller_that_nobody_is_gives_no_price_and_a_warning() {
    let bench = Bench::new();
    let page = bench.json("/v1/models/list?price_of=markt").await;
    let warning = page["warnings"][0].as_str().unwrap_or_default();
    assert!(warning.contains("`markt`") && warning.ends_with("the nearest is `market`"), "{page}");
    assert!(bench.json("/v1/models/list?price_of=MARKET").await.get("warnings").is_none());
    let cost = bench.json("/v1/cost?model=nova-2&input_tokens=1&seller=markt").await;
    assert_eq!(cost["sellers"], json!([]));
    assert!(cost["warnings"][0].as_str().is_some_and(|warning| warning.contains("`markt`")), "{cost}");
}

/// `pricing..input` was answered with a member without a name.
#[tokio::test]
async fn a_path_with_an_empty_part_is_refused() {
    let bench = Bench::new();
    for (path, quoted) in [("id,pricing..input", "\"pricing..input\""), (".id", "\".id\""), ("offers.", "\"offers.\"")]
    {
        let problem = bench.get(&format!("/v1/models/list?fields={path}")).await.problem(400, "invalid_query");
        assert_eq!(problem["param"], "fields");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(quoted) && detail.contains("pricing.input"), "{detail}");
    }
}
