//! Compare, cost and conflicts. `docs/api.md#compare-cost-resolve-conflicts`.

use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use crate::pages::Page;
use refdesk_core::Usd;
use refdesk_core::fact::{Identity, StoredFact};
use refdesk_core::item::{Item, Limits, Model, PriceTier, Pricing, Skill};
use serde_json::{Value, json};

pub fn priced(provider: &str, id: &str, pricing: Pricing) -> StoredFact {
    let model = Model {
        limits: Limits { context_tokens: Some(1_000_000), ..Limits::default() },
        pricing: Some(pricing),
        ..Model::default()
    };
    let mut stored = fact(&format!("{provider}/{id}"), id, id, &Item::Model(model));
    stored.identity = Identity {
        provider: Some(provider.to_owned()),
        api_model_id: Some(format!("acme/{id}")),
        maker: Some("acme".into()),
        ..Identity::default()
    };
    if provider != "acme" {
        stored.source_id = "second".into();
    }
    stored
}

/// A model of a maker of no table, without prices.
pub fn named(id: &str) -> StoredFact {
    priced("acme", id, Pricing::default())
}

pub fn prices(input: &str, output: &str) -> Pricing {
    Pricing { input: Usd::parse(input), output: Usd::parse(output), ..Pricing::default() }
}

/// A maker with a tier, cache and batch prices; a cheap seller; one that does not say what output costs.
fn bench() -> Bench {
    let tier = PriceTier {
        above_context_tokens: 200_000,
        input: Usd::parse("6"),
        output: Usd::parse("22.5"),
        ..PriceTier::default()
    };
    let own = Pricing {
        cache_read: Usd::parse("0.3"),
        cache_write: Usd::parse("3.75"),
        reasoning: Usd::parse("30"),
        batch_input: Usd::parse("1.5"),
        batch_output: Usd::parse("7.5"),
        tiers: vec![tier],
        ..prices("3", "15")
    };
    let half = Pricing { input: Usd::parse("1"), ..Pricing::default() };
    Bench::over(
        unlimited(),
        &[
            priced("acme", "alpha", own),
            priced("market", "alpha", prices("2.5", "12")),
            priced("other", "alpha", half),
            priced("acme", "beta", prices("0.1", "0.4")),
        ],
    )
}

fn seller<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let sellers = answer["sellers"].as_array().unwrap();
    sellers.iter().find(|seller| seller["seller"] == name).unwrap_or_else(|| panic!("{name}: {answer}"))
}

#[tokio::test]
async fn a_cost_is_exact_and_what_has_no_price_is_missing_and_last() {
    let answer = bench().get("/v1/cost?model=alpha&input_tokens=100000&output_tokens=1000").await;
    let text = answer.text();
    let answer = answer.json();
    let sellers: Vec<&Value> = answer["sellers"].as_array().unwrap().iter().map(|seller| &seller["seller"]).collect();
    assert_eq!(sellers, ["market", "Acme", "other"]);
    assert_eq!(seller(&answer, "market")["total"], json!(0.262));
    assert_eq!(
        seller(&answer, "Acme")["lines"],
        json!([
            {"meter": "input", "tokens": 100_000, "price_per_1m": 3, "amount": 0.3},
            {"meter": "output", "tokens": 1_000, "price_per_1m": 15, "amount": 0.015},
        ])
    );
    assert!(text.contains(r#""total":0.315,"#), "the decimal that it is: {text}");
    let other = seller(&answer, "other");
    assert_eq!(
        (&other["total"], &other["missing"], &other["comparable"]),
        (&json!(null), &json!(["output"]), &json!(false))
    );
    assert_eq!(seller(&answer, "Acme")["first_party"], true);
}

#[tokio::test]
async fn the_tier_is_that_of_the_whole_prompt_and_counts_for_the_whole_request() {
    let bench = bench();
    let at = bench.json("/v1/cost?model=alpha&input_tokens=150k&cache_read_tokens=50000&output_tokens=1000").await;
    assert_eq!(seller(&at, "Acme")["tier"], Value::Null, "exactly at the tier is not above it");
    assert_eq!(seller(&at, "Acme")["total"], json!(0.48));
    let above = bench.json("/v1/cost?model=alpha&input_tokens=150k&cache_read_tokens=50001&output_tokens=1000").await;
    let own = seller(&above, "Acme");
    assert_eq!(own["tier"], json!({"above_context_tokens": 200_000}));
    assert_eq!(own["lines"][0]["amount"], json!(0.9));
    assert_eq!(
        (&own["lines"][1]["meter"], &own["missing"], &own["comparable"]),
        (&json!("output"), &json!(["cache_read"]), &json!(false)),
        "a price below the tier is none above it"
    );
    assert_eq!(own["total"], Value::Null);
    assert_eq!(seller(&above, "market")["missing"], json!(["cache_read"]), "no cache price is not the input price");
}

#[tokio::test]
async fn a_tier_without_batch_or_reasoning_prices_has_none() {
    let bench = bench();
    let batch = bench.json("/v1/cost?model=alpha&input_tokens=300k&output_tokens=1000&batch=true&seller=acme").await;
    let own = seller(&batch, "Acme");
    assert_eq!(own["tier"], json!({"above_context_tokens": 200_000}));
    assert_eq!((&own["missing"], &own["comparable"]), (&json!(["batch_input", "batch_output"]), &json!(false)));
    let thought = bench.json("/v1/cost?model=alpha&input_tokens=300k&output_tokens=2&reasoning_tokens=1").await;
    assert_eq!(seller(&thought, "Acme")["missing"], json!(["reasoning"]), "it has a price of its own below the tier");
    assert_eq!(seller(&thought, "market")["missing"], json!([]), "without tiers a price is for any prompt");
}

#[tokio::test]
async fn tokens_beyond_what_a_request_may_have_are_told() {
    let mut small = priced("acme", "gamma", prices("1", "2"));
    let mut fields = small.fields.read().into_owned();
    fields.insert("limits".to_owned(), json!({"context_tokens": 200_000, "output_tokens": 64_000}));
    small.fields = fields.into();
    let bench = Bench::over(unlimited(), &[small]);
    let cost = async |query: &str| bench.json(&format!("/v1/cost?model=gamma&{query}")).await["warnings"].clone();
    assert_eq!(cost("input_tokens=200000&output_tokens=64000").await, json!([]));
    assert_eq!(
        cost("input_tokens=150k&cache_read_tokens=100k&output_tokens=100k").await,
        json!([
            "250,000 tokens are more than the 200,000 that this model takes in one request; `requests` counts several",
            "100,000 tokens are more than the 64,000 that this model gives in one request; `requests` counts several",
        ])
    );
    let page = Page::of(&bench, "/models/gamma?input_tokens=250k").await.words();
    assert!(page.contains("250,000 tokens are more than the 200,000 that this model takes in one request"), "{page}");
}

#[tokio::test]
async fn a_cost_of_no_tokens_is_refused() {
    let bench = bench();
    for query in ["model=alpha", "model=alpha&requests=5", "model=alpha&seller=market&batch=true"] {
        let problem = bench.get(&format!("/v1/cost?{query}")).await.problem(400, "invalid_query");
        assert_eq!((&problem["param"], &problem["error"]), (&json!("input_tokens"), &json!("tokens are required")));
    }
    let problem = bench.get("/v1/cost?model=alpha&input_token=1000000").await.problem(400, "invalid_query");
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("`input_tokens`")), "{problem}");
}

#[tokio::test]
async fn batch_reasoning_and_many_requests_are_billed_as_stated() {
    let bench = bench();
    let batch = bench.json("/v1/cost?model=alpha&input_tokens=200k&output_tokens=1m&batch=true").await;
    assert_eq!(seller(&batch, "Acme")["total"], json!(7.8));
    assert_eq!(seller(&batch, "market")["missing"], json!(["batch_input", "batch_output"]));
    let reasoning = bench.json("/v1/cost?model=alpha&output_tokens=1000&reasoning_tokens=400&requests=10").await;
    let own = seller(&reasoning, "Acme");
    assert_eq!(own["lines"][0], json!({"meter": "output", "tokens": 6_000, "price_per_1m": 15, "amount": 0.09}));
    assert_eq!(own["lines"][1], json!({"meter": "reasoning", "tokens": 4_000, "price_per_1m": 30, "amount": 0.12}));
    assert_eq!(
        seller(&reasoning, "market")["lines"][1]["price_per_1m"],
        12,
        "at the price of output where it has none"
    );
    let one = bench.json("/v1/cost?model=acme/alpha&input_tokens=0&seller=market").await;
    assert_eq!((one["sellers"].as_array().unwrap().len(), &one["sellers"][0]["total"]), (1, &json!(0)));
}

#[tokio::test]
async fn wrong_numbers_are_refused() {
    let bench = bench();
    for (query, param) in [
        ("input_tokens=5", "model"),
        ("model=alpha&input_tokens=-1", "input_tokens"),
        ("model=alpha&input_tokens=1.5", "input_tokens"),
        ("model=alpha&input_tokens=1000000000001", "input_tokens"),
        ("model=alpha&output_tokens=5&reasoning_tokens=6", "reasoning_tokens"),
        ("model=alpha&requests=0", "requests"),
        ("model=alpha&batch=maybe", "batch"),
        ("model=alpha&sort=price", "sort"),
    ] {
        let problem = bench.get(&format!("/v1/cost?{query}")).await.problem(400, "invalid_query");
        assert_eq!(problem["param"], param, "{query}");
    }
    let problem = bench.get("/v1/cost?model=alphaa&input_tokens=1").await.problem(404, "not_found");
    assert_eq!(problem["suggestions"], json!(["alpha"]));
    let most = "1000000000000";
    let target = format!("/v1/cost?model=alpha&input_tokens={most}&output_tokens={most}&requests={most}");
    assert_eq!(seller(&bench.json(&target).await, "market")["total"], json!(14_500_000_000_000_000_000_u64));
}

/// The row of a comparison with a path.
fn compared(answer: &Value, path: &str) -> Value {
    let rows = answer["rows"].as_array().unwrap();
    rows.iter().find(|row| row["path"] == path).unwrap_or_else(|| panic!("{path}: {answer}")).clone()
}

#[tokio::test]
async fn items_stand_side_by_side_with_what_differs_and_what_is_best() {
    let bench = Bench::new();
    let answer = bench.json("/v1/models/compare?ids=nova-2,acme/alto-1,nobody").await;
    assert_eq!((&answer["ids"], &answer["unresolved"]), (&json!(["nova-2", "alto-1"]), &json!(["nobody"])));
    let row = |path: &str| compared(&answer, path);
    assert_eq!(
        row("limits.context_tokens"),
        json!({"path": "limits.context_tokens", "label": "Context", "unit": "tokens", "group": "Limits",
               "values": [200_000, null], "differs": true, "best": [], "stale": []}),
        "one known value is no best one"
    );
    assert_eq!((&row("family")["differs"], &row("family")["best"]), (&json!(false), &json!([])));
    assert_eq!(
        answer["evidence"]["nova-2"]["evidence_key"],
        "ev_".to_owned() + &answer["evidence"]["nova-2"]["evidence_key"].as_str().unwrap()[3..]
    );
    let answer = self::bench().json("/v1/models/compare?ids=alpha,beta").await;
    let input = answer["rows"].as_array().unwrap().iter().find(|row| row["path"] == "pricing.input").unwrap();
    assert_eq!((&input["values"], &input["best"], &input["group"]), (&json!([3, 0.1]), &json!([1]), &json!("Prices")));
    for (query, param) in [
        ("ids=nova-2", "ids"),
        ("ids=nova-2,nova-2", "ids"),
        ("ids=nova-2,acme/nova-2", "ids"),
        ("", "ids"),
        ("ids=1,2,3,4,5,6,7,8,9,10,11", "ids"),
        ("ids=nova-2,hammer", "ids"),
        ("ids=nova-2,io.github.acme/files", "ids"),
    ] {
        let problem = bench.get(&format!("/v1/models/compare?{query}")).await.problem(400, "invalid_query");
        assert_eq!(problem["param"], param, "{query}");
    }
    let problem = bench.get("/v1/models/compare?ids=nova-2&ids=alto-1").await.problem(400, "invalid_query");
    assert_eq!(
        problem["detail"],
        "`ids` is \"nova-2\"; it takes 2 to 10 ids of different items, separated by commas. It was sent more than once, and only \
         the first value counts."
    );
}

#[tokio::test]
async fn a_member_whose_name_has_a_dot_is_compared() {
    let skill = |id: &str, version: &str| {
        let metadata = Some(json!({"acme.version": version}));
        fact(id, id, id, &Item::Skill(Skill { metadata, ..Skill::default() }))
    };
    let bench = Bench::over(unlimited(), &[skill("one", "1"), skill("two", "2")]);
    let answer = bench.json("/v1/skills/compare?ids=one,two").await;
    assert_eq!(compared(&answer, "metadata.acme.version")["values"], json!(["1", "2"]));
}

/// What REST and MCP answer when too few ids are known: the answer with `unresolved`, and a warning that says it.
#[tokio::test]
async fn a_comparison_of_which_one_item_is_known_says_that_there_is_nothing_to_compare() {
    let bench = Bench::new();
    let answer = bench.json("/v1/models/compare?ids=nova-2,novaa-2").await;
    assert_eq!((&answer["ids"], &answer["unresolved"]), (&json!(["nova-2"]), &json!(["novaa-2"])));
    let unknown = "no model has the id or alias `novaa-2`; near it: nova-2";
    let left = "there is nothing to compare: of `ids`, only nova-2 is known";
    assert_eq!(answer["warnings"], json!([unknown, left]));
    let none = bench.json("/v1/models/compare?ids=zzz-8,zzz-9").await["warnings"].take();
    assert_eq!(none[2], "there is nothing to compare: of `ids`, none is known");
    let two = bench.json("/v1/models/compare?ids=nova-2,acme/alto-1,zzz-9").await["warnings"].take();
    assert_eq!(two, json!(["no model has the id or alias `zzz-9`"]), "two are compared");
}

#[tokio::test]
async fn a_comparison_has_what_the_rows_of_any_kind_say() {
    let bench = Bench::new();
    let answer = bench.json("/v1/frameworks/compare?ids=five-whys,premortem").await;
    let steps = json!(["Imagine the failure", "Write down the reasons", "Rank them", "Change the plan"]);
    assert_eq!(compared(&answer, "steps")["values"][1], steps);
    assert_eq!(compared(&answer, "domain")["values"][1], "risk");
    assert_eq!(compared(&answer, "inputs")["values"][1], json!(["plan"]), "of a list of objects their names");
    assert_eq!(compared(&answer, "origin.year")["values"][1], 2007);
    let answer = bench.json("/v1/mcp-servers/compare?ids=files,io.github.one/maps").await;
    assert_eq!(compared(&answer, "install_type")["values"], json!([["package"], []]));
    assert_eq!(compared(&answer, "packages")["values"], json!([["@acme/files"], []]));
    assert_eq!(compared(&answer, "tools")["values"], json!([["read_file"], []]));
    assert_eq!(
        (&compared(&answer, "version")["values"][0], &compared(&answer, "auth")["differs"]),
        (&json!("1.2.0"), &json!(true))
    );
    assert_eq!(compared(&answer, "repository.url")["values"][0], "https://github.com/acme/files");
}

#[tokio::test]
async fn a_price_that_rises_with_the_prompt_is_seen_in_a_comparison() {
    let tier =
        |above, input| PriceTier { above_context_tokens: above, input: Usd::parse(input), ..PriceTier::default() };
    let takes = |mut model: StoredFact, tokens: u64| {
        let mut fields = model.fields.read().into_owned();
        fields.insert("limits".to_owned(), json!({"context_tokens": tokens}));
        model.fields = fields.into();
        model
    };
    // Its price above the context is of one that has to be asked for; that of the small one holds as far as its context goes.
    let two_prices = priced("acme", "two-prices", Pricing { tiers: vec![tier(200_000, "6")], ..prices("3", "15") });
    let small = priced("acme", "small", Pricing { tiers: vec![tier(50_000, "4")], ..prices("1", "2") });
    let bench = Bench::over(
        unlimited(),
        &[takes(two_prices, 200_000), priced("acme", "one-price", prices("5", "10")), takes(small, 100_000)],
    );
    let answer = bench.json("/v1/models/compare?ids=two-prices,one-price,small").await;
    let above = compared(&answer, "pricing.tiers.200000.input");
    assert_eq!((&above["values"], &above["best"]), (&json!([6, 5, null]), &json!([1])), "as `cost` bills it");
    assert_eq!(
        (&above["label"], &above["unit"], &above["group"]),
        (&json!("Input above 200,000 tokens"), &json!("USD per 1M tokens"), &json!("Prices"))
    );
    assert_eq!(compared(&answer, "pricing.tiers.200000.output")["values"], json!([null, 10, null]));
    assert_eq!(compared(&answer, "pricing.input")["best"], json!([2]));
    assert_eq!(compared(&answer, "price_blended")["values"], json!([6, 6.25, 1.25]));
}

#[tokio::test]
async fn the_order_of_a_set_is_no_difference() {
    let takes = |id: &str, input: [&str; 2]| {
        let mut model = named(id);
        let mut fields = model.fields.read().into_owned();
        fields.insert("modalities".to_owned(), json!({"input": input, "output": ["text"]}));
        model.fields = fields.into();
        model
    };
    let bench = Bench::over(
        unlimited(),
        &[takes("a-1", ["text", "image"]), takes("b-1", ["image", "text"]), takes("c-1", ["text", "audio"])],
    );
    let same = bench.json("/v1/models/compare?ids=a-1,b-1").await;
    assert_eq!(compared(&same, "modalities.input")["differs"], false);
    let other = bench.json("/v1/models/compare?ids=a-1,c-1").await;
    assert_eq!(compared(&other, "modalities.input")["differs"], true);
}

#[tokio::test]
async fn disagreements_are_listed_with_the_widest_first() {
    let bench = Bench::new();
    let answer = bench.json("/v1/conflicts?type=MODEL").await;
    let conflict = &answer["conflicts"][0];
    assert_eq!((&conflict["id"], &conflict["path"]), (&json!("nova-2"), &json!("limits.context_tokens")));
    assert_eq!((&conflict["value"], &conflict["source_id"]), (&json!(200_000), &json!("first")));
    assert_eq!((&conflict["others"][0]["value"], &conflict["others"][0]["percent"]), (&json!(180_000), &json!(10)));
    for (query, total) in [
        ("path=limits", 1),
        ("path=limits.context", 0),
        ("path=context_tokens", 1),
        ("type=MODEL&path=Context&min_percent=10", 1),
        ("type=TOOL&path=Context", 0),
        ("path=limits.context_tokens&min_percent=10", 1),
        ("path=limits.context_tokens&min_percent=10.01", 0),
        ("type=TOOL", 0),
        ("type=MODEL&limit=1&offset=5000", answer["total"].as_u64().unwrap()),
    ] {
        assert_eq!(bench.json(&format!("/v1/conflicts?{query}")).await["total"], total, "{query}");
    }
    bench.get("/v1/conflicts?min_percent=many").await.problem(400, "invalid_query");
    for (path, warnings) in [
        (
            "limits.contxt",
            json!([
                "`path`: sources disagree on nothing at `limits.contxt`; the nearest path is `limits.context_tokens`"
            ]),
        ),
        ("zzz", json!(["`path`: sources disagree on nothing at `zzz`"])),
        ("limits.output_tokens", json!([])),
        ("pricing", json!([])),
    ] {
        assert_eq!(bench.json(&format!("/v1/conflicts?path={path}")).await["warnings"], warnings, "{path}");
    }
}

#[tokio::test]
async fn what_is_shown_as_nothing_is_the_furthest_from_anything() {
    let with = |key: &str, source: &str, context: u64, output: u64| {
        let mut stored = priced("acme", "alpha", prices("1", "2"));
        let limits = Limits { context_tokens: Some(context), output_tokens: Some(output), ..Limits::default() };
        let model = Item::Model(Model { limits, ..Model::default() });
        let Ok(Value::Object(fields)) = model.to_json() else { return stored };
        (stored.fields, stored.key, stored.source_id) = (fields.into(), key.into(), source.into());
        stored.identity.provider = None;
        stored
    };
    let bench = Bench::over(unlimited(), &[with("acme/alpha", "first", 100, 0), with("alpha-2", "second", 500, 10)]);
    let first = bench.get("/v1/conflicts?limit=1").await;
    assert_eq!(first.header("link"), "</v1/conflicts?limit=1&offset=1>; rel=\"next\"");
    for query in ["", "?min_percent=1000"] {
        let conflict = bench.json(&format!("/v1/conflicts{query}")).await["conflicts"][0].take();
        assert_eq!((&conflict["path"], &conflict["value"]), (&json!("limits.output_tokens"), &json!(0)), "{query}");
        assert_eq!(conflict["others"][0]["percent"], Value::Null, "{query}: no percentage of 0 is 10");
    }
}

#[tokio::test]
async fn a_filter_of_the_request_wins_over_what_the_question_says() {
    let bench = Bench::new();
    let answer = bench.json("/v1/search?q=models%20from%20Acme&type=MODEL&include_removed=true").await;
    let listed = bench.json("/v1/search?q=models%20from%20Acme&type=MODEL").await;
    assert_eq!(listed["understood"]["filters"]["include_removed"], "false");
    assert!(answer["total"].as_u64() > listed["total"].as_u64(), "{} and {}", answer["total"], listed["total"]);
}
