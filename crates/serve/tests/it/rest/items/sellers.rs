//! Who sells a model: the maker at its own price, and everyone with an offer, under one rule. `docs/api.md#filters`.

use crate::common::catalog::fact;
use crate::common::{Bench, ids, unlimited};
use refdesk_core::Usd;
use refdesk_core::fact::{Identity, StoredFact};
use refdesk_core::item::{Item, Model, OtherPrice, Pricing, Status};
use serde_json::{Value, json};

pub fn sold(id: &str, seller: &str, input: &str, status: Status) -> StoredFact {
    let pricing = Pricing { input: Usd::parse(input), output: Usd::parse(input), ..Pricing::default() };
    let model = Model { pricing: Some(pricing), ..Model::default() };
    let mut stored = fact(&format!("{seller}/{id}"), id, id, &Item::Model(model));
    stored.head.status = status;
    stored.identity = Identity {
        provider: Some(seller.into()),
        api_model_id: Some(format!("{seller}/{id}")),
        maker: Some("acme".into()),
        ..Identity::default()
    };
    if seller != "acme" {
        stored.source_id = "second".into();
    }
    stored
}

/// `own` of the maker and of `market`, dearer; `old`, which its maker has retired and sold for less than `market` does; `over`, which
/// nobody sells any more.
fn bench() -> Bench {
    let mut old = sold("old", "acme", "1", Status::Retired);
    old.head.vendor = Some("Acme".into());
    let facts = [
        sold("own", "acme", "2", Status::Active),
        sold("own", "market", "3", Status::Active),
        old,
        sold("old", "market", "4", Status::Active),
        sold("over", "acme", "5", Status::Retired),
    ];
    Bench::over(unlimited(), &facts)
}

async fn listed(bench: &Bench, query: &str) -> (Vec<String>, Value) {
    let page = bench.json(&format!("/v1/models/list?sort=id&{query}")).await;
    (ids(&page["models"]).iter().map(ToString::to_string).collect(), page)
}

#[tokio::test]
async fn the_maker_sells_what_it_has_a_price_of() {
    let bench = bench();
    for (query, found) in [
        ("seller=acme", vec!["own"]),
        ("seller=ACME", vec!["own"]),
        ("seller=market", vec!["old", "own"]),
        ("price_of=acme&price_input__lte=2", vec!["own"]),
        ("price_of=Acme&price_input__lte=9", vec!["own"]),
    ] {
        assert_eq!(listed(&bench, query).await.0, found, "{query}");
    }
    let (_, page) = listed(&bench, "ids=own&price_of=acme").await;
    let row = &page["models"][0];
    assert_eq!((&row["pricing"]["input"], &row["priced_by"]["seller"]), (&json!(2), &json!("Acme")));
    assert_eq!((&row["priced_by"]["api_model_id"], page.get("warnings")), (&json!("acme/own"), None));
    let cost = bench.json("/v1/cost?model=own&input_tokens=1m&seller=acme").await;
    assert_eq!((&cost["sellers"][0]["total"], &cost["sellers"][0]["first_party"]), (&json!(2), &json!(true)));
}

/// `price_of` told no price of such a seller and no reason; `cost` left it out.
#[tokio::test]
async fn a_seller_has_one_name_in_any_case_and_with_any_blanks() {
    let mut offered = sold("own", "market", "3", Status::Active);
    offered.identity.provider = Some("Öst  Süd".into());
    let bench = Bench::over(unlimited(), &[sold("own", "acme", "2", Status::Active), offered]);
    for name in ["%C3%96st++S%C3%BCd", "%C3%96st+S%C3%BCd", "%C3%B6st+S%C3%9CD"] {
        let (found, page) = listed(&bench, &format!("price_of={name}&price_input__gte=3")).await;
        assert_eq!((found, page.get("warnings")), (vec!["own".to_owned()], None), "{name}");
        assert_eq!(page["models"][0]["pricing"]["input"], json!(3), "{name}");
        assert_eq!(listed(&bench, &format!("seller={name}")).await.0, ["own"], "{name}");
        let cost = bench.json(&format!("/v1/cost?model=own&input_tokens=1m&seller={name}")).await;
        assert_eq!((&cost["sellers"][0]["total"], &cost["warnings"]), (&json!(3), &json!([])), "{name}");
    }
}

#[tokio::test]
async fn the_price_of_a_retired_maker_is_nobodys() {
    let bench = bench();
    let (_, page) = listed(&bench, "ids=old&price_of=cheapest").await;
    let row = &page["models"][0];
    assert_eq!((&row["pricing"]["input"], &row["priced_by"]["seller"]), (&json!(4), &json!("market")));
    let (found, _) = listed(&bench, "price_of=cheapest&price_input__lte=1").await;
    assert_eq!(found, [""; 0]);
    let cost = bench.json("/v1/cost?model=old&input_tokens=1m").await;
    let sellers: Vec<&Value> = cost["sellers"].as_array().unwrap().iter().map(|seller| &seller["seller"]).collect();
    assert_eq!(sellers, [&json!("market")], "as the cheapest of a list");
}

#[tokio::test]
async fn a_model_that_nobody_sells_says_so() {
    let cost = bench().json("/v1/cost?model=over&input_tokens=1m").await;
    assert_eq!(cost["sellers"], json!([]));
    assert_eq!(cost["warnings"], json!(["no source knows a seller of this model; its status is `retired`"]));
}

/// The product of tokens, requests and price had more digits than a decimal, and the price was said to be missing.
#[tokio::test]
async fn the_most_tokens_at_the_dearest_price_have_a_cost() {
    let bench = Bench::over(unlimited(), &[sold("dear", "acme", "1000000", Status::Active)]);
    let most = "1000000000000";
    let text = bench.get(&format!("/v1/cost?model=dear&input_tokens={most}&requests={most}")).await.text();
    assert!(text.contains(r#""total":1000000000000000000000000,"#), "{text}");
    assert!(text.contains(r#""missing":[],"comparable":true"#), "{text}");
}

/// A model whose queries cost something beside its tokens.
pub fn with_queries(input: &str, seller: &str) -> StoredFact {
    let mut stated = sold("ranker", seller, input, Status::Active);
    let query = OtherPrice { meter: "query".into(), unit: "query".into(), price: Usd::parse("0.002") };
    let pricing =
        Pricing { input: Usd::parse(input), output: Usd::parse("0"), other: vec![query], ..Pricing::default() };
    let model = Item::Model(Model { pricing: Some(pricing), ..Model::default() });
    stated.fields = fact("x", "x", "x", &model).fields;
    stated
}

#[tokio::test]
async fn what_is_billed_by_another_meter_than_tokens_costs_not_nothing() {
    let bench = Bench::over(unlimited(), &[with_queries("0", "acme"), with_queries("1", "market")]);
    let cost = bench.json("/v1/cost?model=ranker&input_tokens=1000000").await;
    let sellers: Vec<_> = cost["sellers"].as_array().unwrap().iter().collect();
    assert_eq!((&sellers[0]["total"], &sellers[0]["missing"]), (&json!(1), &json!([])), "tokens cost something");
    assert_eq!((&sellers[1]["total"], &sellers[1]["missing"]), (&Value::Null, &json!(["query"])));
    assert_eq!(sellers[1]["comparable"], false);
    let free = Bench::over(unlimited(), &[with_queries("0", "acme")]);
    let answer = free.json("/v1/search?q=free+models").await;
    let told = "`ranker` is billed by something else than tokens: see `pricing.other`";
    assert!(answer["warnings"].as_array().unwrap().contains(&json!(told)), "{answer}");
    let hit = &answer["results"][0];
    assert!(hit["snippet"].as_str().unwrap().contains("$0.002 per query"), "{hit}");
}

/// The price of a request was left out of the total, which was said to be comparable.
#[tokio::test]
async fn what_every_request_costs_is_a_line_of_its_own() {
    let priced = |id: &str, meter: &str| {
        let mut stated = sold(id, "acme", "1", Status::Active);
        let other = OtherPrice { meter: meter.into(), unit: "request".into(), price: Usd::parse("0.005") };
        let pricing =
            Pricing { input: Usd::parse("1"), output: Usd::parse("2"), other: vec![other], ..Pricing::default() };
        stated.fields = fact("x", "x", "x", &Item::Model(Model { pricing: Some(pricing), ..Model::default() })).fields;
        stated
    };
    let facts = [priced("asked", "request"), priced("searched", "web_search")];
    let bench = Bench::over(unlimited(), &facts);
    let cost = async |query: &str| bench.json(&format!("/v1/cost?{query}")).await["sellers"][0].take();
    let asked = cost("model=asked&input_tokens=1000&output_tokens=100&requests=2").await;
    assert_eq!((&asked["total"], &asked["missing"]), (&json!(0.0124), &json!([])), "{asked}");
    let line = json!({"meter": "request", "tokens": 2, "price_per_1m": 5_000, "amount": 0.01});
    assert_eq!(asked["lines"][2], line);
    let batch = cost("model=asked&input_tokens=1000&batch=true").await;
    assert_eq!((&batch["total"], &batch["missing"]), (&Value::Null, &json!(["batch_input", "request"])));
    let searched = cost("model=searched&input_tokens=1000").await;
    assert_eq!((&searched["total"], &searched["missing"]), (&json!(0.001), &json!([])), "not every request searches");
}

/// A plan's prices of 0 made it the cheapest seller of models that everyone else charges for.
#[tokio::test]
async fn a_plan_that_includes_a_model_is_no_free_seller() {
    let facts = [
        sold("own", "acme", "2", Status::Active),
        sold("own", "market", "3", Status::Active),
        sold("own", "market-coding-plan", "0", Status::Active),
        sold("paid", "acme", "2", Status::Active),
        sold("paid", "market-coding-plan", "1", Status::Active),
        sold("gift", "acme", "2", Status::Active),
        sold("gift", "market", "0", Status::Active),
        sold("bound", "market-coding-plan", "0", Status::Active),
    ];
    let bench = Bench::over(unlimited(), &facts);
    let page = bench.json("/v1/models/list?price_of=cheapest&sort=price_input").await;
    assert_eq!(
        ids(&page["models"]),
        ["gift", "paid", "own", "bound"],
        "what nobody charges for by itself has no price"
    );
    let sellers: Vec<&Value> =
        page["models"].as_array().unwrap().iter().map(|row| &row["priced_by"]["seller"]).collect();
    assert_eq!(sellers, [&json!("market"), &json!("market-coding-plan"), &json!("Acme"), &Value::Null]);
    assert_eq!(listed(&bench, "price_of=cheapest&price_input__lte=0").await.0, ["gift"]);
    assert_eq!(listed(&bench, "price_of=market-coding-plan&price_input__lte=9").await.0, ["paid"]);
    let own = listed(&bench, "ids=own").await.1["models"][0].take();
    let included =
        own["offers"].as_array().unwrap().iter().find(|offer| offer["provider"] == "market-coding-plan").unwrap();
    assert_eq!(included["pricing"]["input"], 0, "the offer is shown as its source states it");

    let cost = bench.json("/v1/cost?model=own&input_tokens=1m").await;
    let lines: Vec<_> =
        cost["sellers"].as_array().unwrap().iter().map(|line| (&line["seller"], &line["total"])).collect();
    let (acme, market, plan) = (json!("Acme"), json!("market"), json!("market-coding-plan"));
    assert_eq!(lines, [(&acme, &json!(2)), (&market, &json!(3)), (&plan, &Value::Null)]);
    let line = &cost["sellers"][2];
    assert_eq!((&line["comparable"], &line["missing"]), (&json!(false), &json!(["subscription"])));
    let told = "`market-coding-plan`: the price is 0 because a subscription includes the model";
    assert_eq!(cost["warnings"], json!([told]));
    let paid = bench.json("/v1/cost?model=paid&input_tokens=1m&seller=market_coding_plan").await;
    assert_eq!((&paid["sellers"][0]["total"], &paid["warnings"]), (&json!(1), &json!([])));
}

/// A fact with other members than its own.
fn with(mut stated: StoredFact, name: &str, value: Value) -> StoredFact {
    let mut fields = stated.fields.read().into_owned();
    fields.insert(name.to_owned(), value);
    stated.fields = fields.into();
    stated
}

/// A seller that takes less than the prompt was the cheapest without a word, and one that takes it was told not to, by the limit of another.
#[tokio::test]
async fn what_a_request_may_have_is_told_of_the_sellers_that_take_less() {
    let sold = |seller: &str, price: &str| sold("own", seller, price, Status::Active);
    let facts = [
        with(sold("acme", "2"), "limits", json!({"context_tokens": 200_000, "output_tokens": 64_000})),
        with(sold("market", "1"), "limits", json!({"context_tokens": 100_000})),
        sold("other", "3"),
    ];
    let bench = Bench::over(unlimited(), &facts);
    let warnings = async |query: &str| bench.json(&format!("/v1/cost?model=own&{query}")).await["warnings"].take();
    assert_eq!(warnings("input_tokens=100k&output_tokens=64000").await, json!([]));
    let at_market = "150,000 tokens are more than one request takes at `market`; `requests` counts several";
    assert_eq!(warnings("input_tokens=150k").await, json!([at_market]));
    assert_eq!(warnings("input_tokens=150k&seller=market").await, json!([at_market]));
    assert_eq!(warnings("input_tokens=150k&seller=acme").await, json!([]));
    let nowhere =
        "250,000 tokens are more than the 200,000 that this model takes in one request; `requests` counts several";
    assert_eq!(warnings("input_tokens=250k").await, json!([nowhere]), "who states no limit has the model's");
}

/// Where somebody asks nothing for what others charge for, its line is the first, and which of the others is the cheapest was to be found out.
#[tokio::test]
async fn beside_what_is_free_the_lowest_price_is_told() {
    let facts = [
        sold("own", "acme", "2", Status::Active),
        sold("own", "market", "0", Status::Active),
        sold("own", "hub", "0", Status::Active),
        sold("own", "other", "1.5", Status::Active),
        sold("gift", "acme", "0", Status::Active),
        sold("gift", "market", "0", Status::Active),
    ];
    let bench = Bench::over(unlimited(), &facts);
    let own = bench.json("/v1/cost?model=own&input_tokens=1m").await;
    assert_eq!((&own["sellers"][0]["seller"], &own["sellers"][0]["total"]), (&json!("hub"), &json!(0)));
    let told = "a price of 0 is stated for `hub`, `market`; the lowest total above 0 is 1.5 at `other`";
    assert_eq!(own["warnings"], json!([told]));
    assert_eq!(bench.json("/v1/cost?model=gift&input_tokens=1m").await["warnings"], json!([]), "nobody charges for it");
    assert_eq!(bench.json("/v1/cost?model=own&input_tokens=1m&seller=hub").await["warnings"], json!([]));
}

/// A model that nobody bills by tokens.
fn painter(id: &str, others: &[(&str, &str, &str)]) -> StoredFact {
    let other = |&(meter, unit, price): &(&str, &str, &str)| OtherPrice {
        meter: meter.into(),
        unit: unit.into(),
        price: Usd::parse(price),
    };
    let pricing = Pricing { other: others.iter().map(other).collect(), ..Pricing::default() };
    let mut stated = sold(id, "acme", "1", Status::Active);
    stated.fields = fact("x", "x", "x", &Item::Model(Model { pricing: Some(pricing), ..Model::default() })).fields;
    stated
}

/// The cost said that the price of tokens is missing, and the search advised to ask for that cost.
#[tokio::test]
async fn a_model_that_is_billed_by_images_says_so_and_is_compared_by_their_price() {
    let facts = [
        painter("painter", &[("output_image", "image", "0.04")]),
        painter("listener", &[("input", "second", "0.0001")]),
        painter("sketcher", &[("output_image", "image", "0.02"), ("output_image", "1M_tokens", "30")]),
    ];
    let bench = Bench::over(unlimited(), &facts);
    let line = bench.json("/v1/cost?model=painter&input_tokens=1000").await["sellers"][0].take();
    assert_eq!((&line["total"], &line["missing"]), (&Value::Null, &json!(["input", "output_image"])), "{line}");
    let listener = bench.json("/v1/cost?model=listener&input_tokens=1000").await["sellers"][0].take();
    assert_eq!(listener["missing"], json!(["input"]), "once, although it is billed by seconds of it");
    let found = bench.json("/v1/search?q=price+of+painter").await;
    let told = "`painter` is billed by output image per image and not by tokens: see `pricing.other` of it and of its `offers`";
    assert_eq!(found["warnings"], json!([told]));

    let compared = bench.json("/v1/models/compare?ids=painter,sketcher").await;
    let row = |path: &str| {
        compared["rows"].as_array().unwrap().iter().find(|row| row["path"] == path).cloned().unwrap_or_default()
    };
    assert_eq!(
        row("pricing.other.output_image/image"),
        json!({"path": "pricing.other.output_image/image", "label": "Output image", "unit": "USD per image",
               "group": "Prices", "values": [0.04, 0.02], "differs": true, "best": [1], "stale": []})
    );
    let by_token = row("pricing.other.output_image/1M_tokens");
    assert_eq!((&by_token["unit"], &by_token["values"]), (&json!("USD per 1M tokens"), &json!([null, 30])));
}
