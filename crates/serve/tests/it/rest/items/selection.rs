//! Lists with filters, an order, chosen members, counts and formats. `docs/api.md#filters`.

use crate::common::catalog::{fact, facts};
use crate::common::{Bench, ids, unlimited};
use refdesk_core::Usd;
use refdesk_core::fact::{Identity, StoredFact};
use refdesk_core::item::{Capabilities, Item, Limits, Model, Pricing, Status, Tool};
use serde_json::{Value, json};

fn model(id: &str, context: Option<u64>, prices: Option<(&str, &str)>, tool_call: Option<bool>) -> StoredFact {
    let model = Model {
        limits: Limits { context_tokens: context, ..Limits::default() },
        pricing: prices.map(|(input, output)| Pricing {
            input: Usd::parse(input),
            output: Usd::parse(output),
            ..Pricing::default()
        }),
        capabilities: Capabilities { tool_call, ..Capabilities::default() },
        released_on: Some("2026-05".to_owned()).filter(|_| context.is_some()),
        ..Model::default()
    };
    let mut stored = fact(&format!("acme/{id}"), id, id, &Item::Model(model));
    stored.identity = Identity {
        provider: Some("acme".into()),
        api_model_id: Some(format!("acme/{id}")),
        maker: Some("acme".into()),
        ..Identity::default()
    };
    stored
}

/// The same model at a seller's price.
fn offered(id: &str, seller: &str, prices: (&str, &str)) -> StoredFact {
    let mut stored = model(id, None, Some(prices), None);
    stored.key = format!("{seller}/{id}").as_str().into();
    stored.source_id = "second".into();
    stored.identity.provider = Some(seller.to_owned());
    stored
}

/// Four models: a cheap small one, a dear large one that others sell for less, one whose prices nobody states, one that is deprecated.
fn bench() -> Bench {
    let mut old = model("delta", Some(32_000), Some(("0.5", "1")), Some(false));
    old.head.status = Status::Deprecated;
    old.head.vendor = Some("Borealis".into());
    let facts = [
        model("alpha", Some(128_000), Some(("0.10", "0.4")), Some(true)),
        model("beta", Some(1_000_000), Some(("3", "15")), Some(true)),
        offered("beta", "market", ("2", "9")),
        model("gamma", Some(200_000), None, None),
        old,
    ];
    Bench::over(unlimited(), &facts)
}

#[tokio::test]
async fn filters_keep_what_is_known_to_meet_them() {
    let bench = bench();
    for (query, found) in [
        ("context_tokens__gte=128k", vec!["alpha", "beta", "gamma"]),
        ("context_tokens__gte=128001", vec!["beta", "gamma"]),
        ("context_tokens__gte=128.001", vec!["beta", "gamma"]),
        ("price_input__lte=0.1", vec!["alpha"]),
        ("price_input__isnull=true", vec!["gamma"]),
        ("price_input__gte=0.5&price_input__lte=3", vec!["beta", "delta"]),
        ("capability=tool_call", vec!["alpha", "beta"]),
        ("capability=!tool_call", vec!["delta"]),
        ("vendor=borealis", vec!["delta"]),
        ("vendor__not=Acme", vec!["delta"]),
        ("status=active,deprecated&context_tokens__lte=100k", vec!["delta"]),
        ("seller=MARKET", vec!["beta"]),
        ("released_on__gte=2026-05-02", vec![]),
        ("released_on__gte=2026-05&released_on__lte=2026-05", vec!["alpha", "beta", "delta", "gamma"]),
        ("ids=delta,nobody,alpha", vec!["alpha", "delta"]),
        ("q=gamma", vec!["gamma"]),
        ("price_of=cheapest&price_output__lte=10", vec!["alpha", "beta", "delta"]),
        ("price_of=Cheapest&price_output__lte=10", vec!["alpha", "beta", "delta"]),
        ("price_of=MAKER&price_output__lte=10", vec!["alpha", "delta"]),
        ("price_of=market&price_output__lte=10", vec!["beta"]),
    ] {
        let page = bench.json(&format!("/v1/models/list?{query}")).await;
        assert_eq!(ids(&page["models"]), found, "{query}");
        assert_eq!(page["total"], found.len(), "{query}");
    }
    let page = bench.json("/v1/models/list?ids=delta,nobody").await;
    assert_eq!(page["unresolved"], json!(["nobody"]));
}

#[tokio::test]
async fn what_is_unknown_is_last_in_every_order_and_ties_go_by_id() {
    let bench = bench();
    for (sort, found) in [
        ("price_input", ["alpha", "delta", "beta", "gamma"]),
        ("-price_input", ["beta", "delta", "alpha", "gamma"]),
        ("-context_tokens", ["beta", "gamma", "alpha", "delta"]),
        ("price_blended", ["alpha", "delta", "beta", "gamma"]),
        ("-vendor,-id", ["delta", "gamma", "beta", "alpha"]),
        ("released_on", ["alpha", "beta", "delta", "gamma"]),
        ("-offers", ["beta", "alpha", "delta", "gamma"]),
    ] {
        let page = bench.json(&format!("/v1/models/list?sort={sort}")).await;
        assert_eq!(ids(&page["models"]), found, "{sort}");
    }
    let second = bench.get("/v1/models/list?sort=-price_input&limit=1&offset=1&vendor__not=x").await;
    assert_eq!(ids(&second.json()["models"]), ["delta"]);
    let link = second.header("link");
    assert_eq!(link, "</v1/models/list?limit=1&offset=2&sort=-price_input&vendor__not=x>; rel=\"next\"");
}

#[tokio::test]
async fn a_row_can_be_cut_to_chosen_members_and_shown_with_another_sellers_prices() {
    let bench = bench();
    let page = bench.json("/v1/models/list?ids=beta&fields=pricing.input,limits.context_tokens,nothing").await;
    let row = &page["models"][0];
    let names: Vec<&String> = row.as_object().unwrap().keys().collect();
    assert_eq!(names, ["id", "evidence_key", "stale", "pricing", "limits"]);
    assert_eq!((&row["pricing"], &row["limits"]), (&json!({"input": 3}), &json!({"context_tokens": 1_000_000})));
    assert_eq!(page["warnings"], json!(["no row of this page has `nothing`"]));
    let named = bench.json("/v1/models/list?ids=beta&fields=price_input").await;
    let told = "no row of this page has `price_input`: that value stands at `pricing.input`";
    assert_eq!(named["warnings"], json!([told]));
    let row = &bench.json("/v1/models/list?ids=beta&price_of=cheapest").await["models"][0];
    assert_eq!((&row["pricing"]["input"], &row["priced_by"]["seller"]), (&json!(2), &json!("market")));
    let row = &bench.json("/v1/models/list?ids=alpha&price_of=market").await["models"][0];
    assert_eq!((&row["pricing"], &row["priced_by"]["seller"]), (&json!(null), &json!(null)));
}

#[tokio::test]
async fn hits_can_be_cut_to_chosen_members_and_written_as_rows() {
    let bench = bench();
    let search = "/v1/search?q=beta&type=MODEL&limit=1";
    let answer = bench.json(&format!("{search}&fields=display_name,pricing.input,url,nothing")).await;
    let hit = &answer["results"][0];
    let mut names: Vec<&String> = hit.as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(names, ["display_name", "evidence_key", "id", "pricing", "score", "stale", "type", "url"]);
    assert_eq!((&hit["pricing"], &hit["url"]), (&json!({"input": 3}), &json!("/v1/models/beta")));
    assert_eq!(answer["warnings"], json!(["no hit has `nothing`"]));
    let cheapest = bench.json(&format!("{search}&fields=pricing.input&price_of=cheapest")).await;
    let hit = &cheapest["results"][0];
    assert_eq!((&hit["pricing"]["input"], &hit["priced_by"]["seller"]), (&json!(2), &json!("market")));

    let row = bench.get(&format!("{search}&format=ndjson")).await;
    assert_eq!(row.header("content-type"), "application/x-ndjson");
    let listed = bench.json("/v1/models/list?ids=beta").await;
    assert_eq!(serde_json::from_str::<serde_json::Value>(&row.text()).unwrap(), listed["models"][0]);
    let csv = bench.get_with(&format!("{search}&fields=pricing.input"), &[("accept", "text/csv")]).await;
    assert!(csv.text().split("\r\n").nth(1).unwrap().starts_with("beta,3,https://acme.example/"), "{}", csv.text());
    let of_all = bench.get_with("/v1/search?q=beta", &[("accept", "text/csv")]).await;
    assert_eq!(of_all.header("content-type"), "application/json", "hits of several kinds have no columns");
}

#[tokio::test]
async fn facets_count_under_all_other_filters() {
    let bench = bench();
    let page = bench.json("/v1/models/list?vendor=borealis&facets=vendor,status,capability&facet_size=1").await;
    assert_eq!(page["total"], 1);
    assert_eq!(
        page["facets"]["vendor"],
        json!({"results": [{"value": "Acme", "label": "Acme", "count": 3, "selected": false}], "missing": 0, "truncated": true})
    );
    assert_eq!(page["facets"]["status"]["results"][0]["value"], "deprecated");
    assert_eq!(page["facets"]["capability"]["results"], json!([]), "known not to have it is nothing to count");
    assert_eq!(page["facets"]["capability"]["missing"], 0);
}

#[tokio::test]
async fn wrong_filters_are_refused_and_the_nearest_is_named() {
    let bench = bench();
    for (query, param, nearest) in [
        ("vendr=acme", "vendr", Some("vendor")),
        ("price_inptu__lte=3", "price_inptu__lte", Some("price_input__lte")),
        ("anything__at_all=1", "anything__at_all", None),
        ("context_tokens__gte=big", "context_tokens__gte", None),
        ("price_input__lte=-1", "price_input__lte", None),
        ("released_on__gte=2026-13", "released_on__gte", None),
        ("open_weights=perhaps", "open_weights", None),
        ("vendor=,", "vendor", None),
        ("sort=weight", "sort", None),
        ("facets=price_input", "facets", None),
        ("format=xml", "format", None),
        ("facet_size=0", "facet_size", None),
    ] {
        let problem = bench.get(&format!("/v1/models/list?{query}")).await.problem(400, "invalid_query");
        assert_eq!(problem["param"], param, "{query}");
        let detail = problem["detail"].as_str().unwrap();
        assert!(nearest.is_none_or(|nearest| detail.contains(&format!("`{nearest}`"))), "{query}: {detail}");
        assert!(problem["hint"].as_str().is_some_and(|hint| hint.starts_with("Send ")), "{query}: {problem}");
    }
}

#[tokio::test]
async fn filters_that_nothing_can_meet_together_give_an_empty_list_and_say_so() {
    let bench = bench();
    let no_value = |asked: &str, unknown: &str| {
        format!("`{unknown}` asks for what is unknown, and `{asked}` for a value: nothing can be left")
    };
    for (query, told) in [
        (
            "price_input__gte=3&price_input__lte=1",
            "`price_input__gte` is above `price_input__lte`: nothing can be in that range".to_owned(),
        ),
        ("price_input__lte=1&price_input__isnull=true", no_value("price_input__lte", "price_input__isnull")),
        ("released_on__isnull=true&released_on__gte=2026", no_value("released_on__gte", "released_on__isnull")),
        ("vendor=acme&vendor__isnull=1", no_value("vendor", "vendor__isnull")),
        ("capability=!tool_call&capability__isnull=true", no_value("capability", "capability__isnull")),
        (
            "status=removed&include_removed=false",
            "`include_removed` leaves out all that `status` asks for: nothing can be left".to_owned(),
        ),
    ] {
        let page = bench.json(&format!("/v1/models/list?{query}")).await;
        assert_eq!((&page["total"], &page["warnings"]), (&json!(0), &json!([told])), "{query}");
    }
    for query in [
        "price_input__isnull=true&price_output__lte=1",
        "price_input__isnull=false&price_input__lte=0.1",
        "vendor__not=acme&vendor__isnull=true",
        "status=removed,active&include_removed=false",
    ] {
        let page = bench.json(&format!("/v1/models/list?{query}")).await;
        assert!(page.get("warnings").is_none(), "{query}: {page}");
    }
}

/// A search compares a bounded number of names. They have to be those of what meets the filters.
#[tokio::test]
async fn a_text_and_filters_find_what_meets_both_however_much_else_is_called_so() {
    let tool = |at: usize| {
        let category = Some(format!("group-{}", at / 5));
        let (id, name) = (format!("orca-4b-{at:02}"), format!("Orca 4B {at:02}"));
        fact(&format!("t/{at}"), &id, &name, &Item::Tool(Tool { category, ..Tool::default() }))
    };
    let facts: Vec<StoredFact> = (0..80).map(tool).collect();
    let bench = Bench::over(unlimited(), &facts);
    for group in 0..16 {
        let expected: Vec<String> = (group * 5..group * 5 + 5).map(|at| format!("orca-4b-{at:02}")).collect();
        let query = format!("q=orca4b&category=group-{group}&sort=id");
        let page = bench.json(&format!("/v1/tools/list?{query}&facets=vendor")).await;
        assert_eq!(ids(&page["tools"]), expected, "{query}");
        assert_eq!(page["facets"]["vendor"]["results"][0]["count"], 5, "{query}");
        let ordered = bench.json(&format!("/v1/search?type=TOOL&understand=false&{query}")).await;
        assert_eq!(ids(&ordered["results"]), expected, "{query}");
    }
}

#[tokio::test]
async fn more_of_anything_than_a_list_takes_is_refused() {
    let bench = bench();
    let filters = refdesk_core::query::filters(refdesk_core::Kind::Model).iter().map(|filter| &filter.name);
    let unknown: Vec<&String> = filters.filter(|name| name.ends_with("__isnull")).take(21).collect();
    let list = |what: &str, times: usize| vec![what; times].join(",");
    for (query, param) in [
        (unknown.iter().map(|name| format!("{name}=true")).collect::<Vec<_>>().join("&"), "filters"),
        (format!("vendor={}", list("x", 201)), "vendor"),
        (format!("ids={}", list("x", 201)), "ids"),
        (format!("sort={}", list("id", 11)), "sort"),
        (format!("facets={}", list("vendor", 11)), "facets"),
        (format!("fields={}", list("id", 101)), "fields"),
    ] {
        let problem = bench.get(&format!("/v1/models/list?{query}")).await.problem(400, "invalid_query");
        assert_eq!(problem["param"], param);
        assert!(problem["hint"].as_str().unwrap().starts_with("Send at most "), "{problem}");
    }
}

#[tokio::test]
async fn more_matches_than_a_list_takes_are_told() {
    let facts: Vec<StoredFact> = (0..10_001)
        .map(|at| fact(&format!("t/{at}"), &format!("t-{at}"), "Gizmo", &Item::Tool(Tool::default())))
        .collect();
    let bench = Bench::over(unlimited(), &facts);
    let page = bench.json("/v1/tools/list?q=gizmo&limit=1").await;
    assert_eq!(page["total"], 10_000);
    assert_eq!(page["warnings"], json!(["more than 10000 items match the text; the best 10000 are listed"]));
}

#[tokio::test]
async fn a_whole_list_is_written_as_lines_or_cells() {
    let bench = bench();
    let answer = bench.get("/v1/models/list?format=ndjson&sort=-price_input").await;
    assert_eq!(answer.header("content-type"), "application/x-ndjson");
    let text = answer.text();
    let rows: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let found: Vec<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(found, ["beta", "delta", "alpha", "gamma"]);
    let answer = bench.get_with("/v1/models/list?sort=id&limit=2", &[("accept", "text/csv")]).await;
    let text = answer.text();
    let lines: Vec<&str> = text.split("\r\n").collect();
    assert!(
        lines[0].starts_with("id,display_name,vendor,status,trust_tier,source,license,family,series,mode,seller,"),
        "{text}"
    );
    assert!(lines[0].ends_with(",source_url,evidence_key,stale"), "{text}");
    assert_eq!((lines.len(), lines[3]), (4, ""), "two rows were asked for");
    assert!(lines[1].starts_with("alpha,alpha,Acme,active,") && lines[1].contains(",0.1,0.4,"), "{text}");
    let chosen = bench.get("/v1/models/list?format=csv&ids=beta&fields=pricing.input,modalities.input").await.text();
    let row = chosen.split("\r\n").nth(1).unwrap();
    assert!(row.starts_with("beta,3,,https://acme.example/acme/beta,"), "{chosen}");
}

#[tokio::test]
async fn a_table_tells_its_warnings_in_a_header() {
    let bench = Bench::over(unlimited(), &facts());
    let told = async |query: &str| -> Value {
        let answer = bench.get(&format!("/v1/models/list?format=csv&{query}")).await;
        serde_json::from_str(answer.header("refdesk-warnings")).unwrap()
    };
    let three = told("ids=nova-2,n%C3%B6pe&vendor=Acme,Nobody&colour=red").await;
    assert!(three[0].as_str().unwrap().starts_with("unknown query parameter `colour` was ignored"), "{three}");
    assert_eq!(three[1], "`vendor`: nothing has the value `Nobody`");
    assert_eq!(three[2], "`ids`: no model has the id or alias `nöpe`");
    let long: Vec<String> = (0..200).map(|at| format!("{}{at}", "x".repeat(60))).collect();
    let of_many = told(&format!("ids={}", long.join(","))).await;
    assert!(of_many.to_string().len() <= 4_096 && of_many.as_array().is_some_and(|told| told.len() > 10), "{of_many}");
    assert_eq!(told("facets=vendor").await[0], "`facets`: a table has no place for counts; `format=json` shows them");
    assert_eq!(bench.get("/v1/models/list?format=csv").await.header("refdesk-warnings"), "");
    // So does one of a search, however often it is asked for.
    for _ in 0..2 {
        let found = bench.get("/v1/search?q=cheapest+model+zebra&type=MODEL&format=csv").await;
        let told: Vec<String> = serde_json::from_str(found.header("refdesk-warnings")).unwrap();
        assert!(told.iter().any(|warning| warning.contains("all words of `zebra`")), "{told:?}");
    }
}

/// Its columns were empty, and nothing told why.
#[tokio::test]
async fn a_table_tells_which_members_no_row_has() {
    let bench = Bench::over(unlimited(), &facts());
    for asked in ["/v1/models/list?fields=nosuch,pricing.input", "/v1/search?q=nova-2&type=MODEL&fields=nosuch,id"] {
        for format in ["csv", "ndjson"] {
            let answer = bench.get(&format!("{asked}&format={format}")).await;
            assert_eq!(answer.header("refdesk-warnings"), r#"["no row has `nosuch`"]"#, "{asked} as {format}");
        }
    }
    // A field is a column of CSV even where rows have no member of its name; a hit's own members are those of no row.
    let told = async |query: &str| bench.get(query).await.header("refdesk-warnings").to_owned();
    assert_eq!(told("/v1/models/list?fields=series&format=csv").await, "");
    let snippet = told("/v1/search?q=nova-2&type=MODEL&fields=snippet&format=csv").await;
    assert_eq!(snippet, r#"["no row has `snippet`"]"#);
}

#[tokio::test]
async fn an_export_ends_where_the_operator_says_and_tells_so() {
    let settings = refdesk_serve::Settings { export_rows_max: 2, ..unlimited() };
    let bench = Bench::over(settings, &facts());
    let text = bench.get("/v1/models/list?format=ndjson").await.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[2]), (3, r#"{"truncated":true,"left_out":3}"#));
    let text = bench.get("/v1/models/list?format=csv").await.text();
    assert!(text.trim_end().rsplit("\r\n").next().unwrap().starts_with("truncated,3,"), "{text}");
}

#[tokio::test]
async fn a_cell_runs_nothing_in_a_spreadsheet() {
    let mut hostile = model("alpha", None, None, None);
    hostile.head.name = "=HYPERLINK(\"https://evil.example\",\"x\")".into();
    let text = Bench::over(unlimited(), &[hostile]).get("/v1/models/list?format=csv").await.text();
    assert!(text.contains("\r\nalpha,\"'=HYPERLINK(\"\"https://evil.example\"\",\"\"x\"\")\","), "{text}");
}

#[tokio::test]
async fn a_removed_item_is_left_out_on_request() {
    let bench = Bench::over(unlimited(), &facts());
    let all = bench.json("/v1/models/list").await;
    let listed = bench.json("/v1/models/list?include_removed=false").await;
    assert!(ids(&all["models"]).contains(&"pulsar-1") && !ids(&listed["models"]).contains(&"pulsar-1"));
}

/// Every field of the table can be asked for in every way that it says, on every kind that has it.
#[tokio::test]
async fn every_field_of_the_table_is_taken_by_the_lists_of_its_kinds() {
    use refdesk_core::field::{self, Shape};
    use refdesk_core::query::{Operator, filters};
    let bench = Bench::new();
    for kind in refdesk_core::Kind::ALL {
        let list = format!("/v1/{}/list", kind.path_segment());
        for filter in filters(kind) {
            let value = match (filter.operator, filter.field.shape) {
                (Operator::IsNull, _) | (_, Shape::Flag) => "true",
                (_, Shape::Count) => "1k",
                (_, Shape::Price) => "0.5",
                (_, Shape::Date | Shape::Time) => "2026-05-01",
                _ => filter.field.allowed.first().copied().unwrap_or("anything"),
            };
            let page = bench.json(&format!("{list}?{}={value}", filter.name)).await;
            let told = page["warnings"].as_array().map_or(&[][..], Vec::as_slice);
            let is_of_value = |told: &serde_json::Value| {
                value == "anything"
                    && told.as_str().is_some_and(|told| told.contains("nothing has the value `anything`"))
            };
            assert!(told.iter().all(is_of_value), "{}: {page}", filter.name);
        }
        for field in field::of_kind(kind) {
            if field.is_sort_key() {
                bench.json(&format!("{list}?sort=-{}", field.name)).await;
            }
            if field.is_facet() {
                let page = bench.json(&format!("{list}?facets={}", field.name)).await;
                assert!(page["facets"][field.name]["results"].is_array(), "{kind} {}", field.name);
            }
        }
    }
}
