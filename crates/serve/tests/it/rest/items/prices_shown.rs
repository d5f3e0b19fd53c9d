//! Whose prices an answer shows, and whether they are fresh: the same in lists, hits, tables, comparisons and pages. `docs/api.md#filters`.

use super::sellers::{sold, with_queries};
use crate::common::catalog::fact;
use crate::common::{Bench, DAY, NOW, ids, unlimited};
use crate::mcp::structured;
use crate::pages::Page;
use refdesk_core::Usd;
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Item, Model, Pricing, Status};
use serde_json::{Value, json};

/// A fact that nobody has verified for a month.
pub fn stale(mut stored: StoredFact) -> StoredFact {
    let then = NOW.plus_secs(-30 * DAY);
    (stored.standing.last_synced_at, stored.standing.last_verified_at) = (then, Some(then));
    stored
}

/// `own`, whose maker's price of $1 is stale and which `market` sells at $3; `sea` of the same maker at $2.
fn bench() -> Bench {
    Bench::over(unlimited(), &priced())
}

/// The facts of [`bench`]: one source knows the model, another one what its maker charges.
pub fn priced() -> Vec<StoredFact> {
    let mut own = sold("own", "acme", "1", Status::Active);
    own.fields = fact("x", "x", "x", &Item::Model(Model::default())).fields;
    let mut priced = stale(sold("own", "acme", "1", Status::Active));
    priced.source_id = "second".into();
    let mut market = sold("own", "market", "3", Status::Active);
    market.source_id = "first".into();
    vec![own, priced, market, sold("sea", "acme", "2", Status::Active)]
}

#[tokio::test]
async fn only_what_is_fresh_is_filtered_and_ordered_by_the_prices_that_it_shows() {
    let bench = bench();
    for (query, found) in [
        ("price_of=market&price_input__lte=3", vec!["own"]),
        ("price_of=market&price_input__isnull=true", vec!["sea"]),
        ("price_of=cheapest&price_input__lte=1", vec![]),
        ("price_of=cheapest&price_input__lte=3", vec!["own", "sea"]),
        ("price_of=cheapest&sort=price_input", vec!["sea", "own"]),
        ("price_input__lte=3", vec!["sea"]),
    ] {
        let page = bench.json(&format!("/v1/models/list?fresh_only=true&{query}")).await;
        assert_eq!(ids(&page["models"]), found, "{query}");
    }
    let stale_too = bench.json("/v1/models/list?price_of=cheapest&sort=price_input").await;
    assert_eq!(ids(&stale_too["models"]), ["own", "sea"]);
    let row = &bench.json("/v1/models/list?ids=own&price_of=cheapest&fresh_only=true").await["models"][0];
    assert_eq!((&row["pricing"]["input"], &row["priced_by"]["seller"]), (&json!(3), &json!("market")));
    let row = &bench.json("/v1/models/list?ids=own&fresh_only=true").await["models"][0];
    assert_eq!(row["pricing"], Value::Null, "no price is left of it");
}

/// `seller=market&price_input__lte=1` gave what its maker sells for $1 and `market` for $3, and nothing said so.
#[tokio::test]
async fn a_list_by_seller_says_where_its_prices_are_the_makers() {
    let bench = bench();
    let told =
        json!(["prices are those of the makers, also of what `seller` sells: `price_of` chooses whose prices count"]);
    for (query, warnings) in [
        ("seller=market&price_input__lte=1", &told),
        ("seller=market&sort=price_input", &told),
        ("seller=market&sort=-price_blended", &told),
        ("seller=market&price_of=market&price_input__lte=3", &Value::Null),
        ("seller=market&price_of=maker&price_input__lte=3", &Value::Null),
        ("seller=market&price_input__isnull=false", &Value::Null),
        ("seller__not=market&sort=price_input", &Value::Null),
        ("seller=market&sort=name", &Value::Null),
        ("price_input__lte=1", &Value::Null),
    ] {
        assert_eq!(&bench.json(&format!("/v1/models/list?{query}")).await["warnings"], warnings, "{query}");
    }
}

#[tokio::test]
async fn what_is_left_out_as_stale_is_counted_among_what_was_asked_for() {
    let old = stale(sold("old", "acme", "1", Status::Active));
    let bench = Bench::over(unlimited(), &[old, sold("sea", "acme", "2", Status::Active)]);
    for (query, excluded) in [
        ("", 1),
        ("&price_input__lte=1", 1),
        ("&price_input__gte=2", 0),
        ("&ids=sea", 0),
        ("&ids=old,sea", 1),
        ("&q=sea", 0),
        ("&q=old", 1),
    ] {
        let page = bench.json(&format!("/v1/models/list?fresh_only=true{query}")).await;
        assert_eq!(page["excluded_stale"], excluded, "{query}");
    }
}

#[tokio::test]
async fn a_search_with_filters_counts_what_it_leaves_out_as_stale() {
    let old = stale(sold("old", "acme", "1", Status::Active));
    let bench = Bench::over(unlimited(), &[old, sold("sea", "acme", "2", Status::Active)]);
    for (query, excluded) in [
        ("&price_input__lte=1", 1),
        ("&price_input__lte=1&sort=id", 1),
        ("&price_input__gte=2", 0),
        ("&ids=old,sea", 1),
        ("&stale=false", 0),
    ] {
        let target = format!("/v1/search?type=MODEL&understand=false&q=old&fresh_only=true{query}");
        let answer = bench.json(&target).await;
        assert_eq!((&answer["results"], &answer["excluded_stale"]), (&json!([]), &json!(excluded)), "{query}");
    }
}

#[tokio::test]
async fn hits_show_the_prices_of_the_seller_that_a_question_names() {
    let bench = bench();
    let search = "/v1/search?q=models+on+market+under+%245&type=MODEL";
    let answer = bench.json(&format!("{search}&fields=pricing.input")).await;
    assert_eq!(answer["understood"]["filters"]["price_of"], "market");
    let hit = &answer["results"][0];
    assert_eq!((&hit["pricing"]["input"], &hit["priced_by"]["seller"]), (&json!(3), &json!("market")));
    let table = bench.get(&format!("{search}&format=csv&fields=pricing.input")).await.text();
    let mut lines = table.lines();
    assert_eq!(
        lines.next(),
        Some("id,pricing.input,priced_by.seller,priced_by.api_model_id,source_url,evidence_key,stale")
    );
    assert!(lines.next().is_some_and(|row| row.starts_with("own,3,market,market/own,")), "{table}");

    let told = structured(&bench, "search_catalog", json!({"q": "models on market under $5", "type": "MODEL"})).await;
    let hit = &told["results"][0];
    assert_eq!((&hit["pricing"]["input"], &hit["priced_by"]["seller"]), (&json!(3), &json!("market")));
    let filters = json!({"price_of": "cheapest", "price_input__lte": "1"});
    let told = structured(&bench, "search_catalog", json!({"q": "own", "type": "MODEL", "filters": filters})).await;
    assert_eq!(told["results"][0]["priced_by"]["seller"], "Acme");
}

/// `stale` is that of the item: beside it, an old price looked fresh to who asked for prices alone.
#[tokio::test]
async fn of_chosen_values_those_that_are_stale_are_named() {
    let bench = bench();
    for (id, fields, stale) in [
        ("own", "pricing.input", json!(["pricing.input"])),
        ("own", "pricing", json!(["pricing.currency", "pricing.unit", "pricing.input", "pricing.output"])),
        ("own", "vendor", json!(null)),
        ("sea", "pricing.input", json!(null)),
    ] {
        let row = bench.json(&format!("/v1/models/list?ids={id}&fields={fields}")).await["models"][0].take();
        assert_eq!((&row["stale"], &row["stale_fields"]), (&json!(false), &stale), "{fields}: {row}");
        let target = format!("/v1/search?q={id}&type=MODEL&understand=false&fields={fields}");
        let hit = bench.json(&target).await["results"][0].take();
        assert_eq!((&hit["id"], &hit["stale_fields"]), (&json!(id), &stale), "{fields}: {hit}");
    }
}

/// The evidence of the model was named, which states no price, and its times.
#[tokio::test]
async fn the_makers_price_rests_on_what_states_it() {
    let bench = bench();
    let own = bench.json("/v1/models/own?all_offers=true").await;
    let stated = &own["model"]["field_evidence"]["pricing.input"];
    let (key, then) = (&stated["evidence_key"], json!(NOW.plus_secs(-30 * DAY).to_string()));
    assert_eq!((&stated["source_id"], key == &own["evidence"]["key"]), (&json!("second"), false), "{own}");
    let offer = own["all_offers"].as_array().unwrap().iter().find(|offer| offer["first_party"] == true).unwrap();
    assert_eq!((&offer["evidence_key"], &offer["source_id"]), (key, &stated["source_id"]), "{offer}");
    assert_eq!((&offer["stale"], &offer["last_verified_at"]), (&json!(true), &then), "{offer}");
    let cost = bench.json("/v1/cost?model=own&input_tokens=1000&seller=acme").await["sellers"][0].take();
    assert_eq!((&cost["evidence_key"], &cost["stale"]), (key, &json!(true)), "{cost}");
    let row = bench.json("/v1/models/list?ids=own&price_of=acme").await["models"][0].take();
    assert_eq!(&row["priced_by"]["evidence_key"], key, "{row}");
    assert!(row["stale_fields"].as_array().unwrap().contains(&json!("pricing.input")), "{row}");
    let row = bench.json("/v1/models/list?ids=own&price_of=market").await["models"][0].take();
    assert!(!row["stale_fields"].to_string().contains("pricing"), "the price of the market is fresh: {row}");

    let told = structured(&bench, "estimate_cost", json!({"model": "own", "input_tokens": 1, "seller": "acme"})).await;
    assert_eq!((&told["sellers"][0]["evidence_key"], &told["sellers"][0]["stale"]), (key, &json!(true)), "{told}");
}

#[tokio::test]
async fn a_cost_rests_on_the_prices_that_it_bills_the_dearest_first() {
    let stating = |source: &str, pricing: Pricing| {
        let mut stated = sold("own", "acme", "1", Status::Active);
        stated.fields = fact("x", "x", "x", &Item::Model(Model { pricing: Some(pricing), ..Model::default() })).fields;
        stated.source_id = source.into();
        stated
    };
    let input = stating("first", Pricing { input: Usd::parse("1"), ..Pricing::default() });
    let output = stale(stating("second", Pricing { output: Usd::parse("10"), ..Pricing::default() }));
    let bench = Bench::over(unlimited(), &[input, output]);
    let stated = bench.json("/v1/models/own").await["model"]["field_evidence"].take();
    let [of_input, of_output] = ["pricing.input", "pricing.output"].map(|path| &stated[path]["evidence_key"]);
    assert_ne!(of_input, of_output, "{stated}");
    for (usage, key, stale) in [
        ("input_tokens=1000", of_input, false),
        ("input_tokens=1000&output_tokens=1000", of_output, true),
        ("input_tokens=100000&output_tokens=1000", of_input, true),
    ] {
        let cost = bench.json(&format!("/v1/cost?model=own&{usage}")).await["sellers"][0].take();
        assert_eq!((&cost["evidence_key"], &cost["stale"]), (key, &json!(stale)), "{usage}: {cost}");
    }
}

#[tokio::test]
async fn a_table_has_each_column_once() {
    let table = bench().get("/v1/models/list?format=csv&ids=sea&fields=stale,vendor,id,source_url,vendor").await.text();
    assert_eq!(table.lines().next(), Some("id,vendor,source_url,evidence_key,stale"));
}

#[tokio::test]
async fn a_comparison_tells_what_is_stale_and_calls_it_no_best_value() {
    let bench = Bench::over(unlimited(), &[priced(), vec![sold("sky", "acme", "4", Status::Active)]].concat());
    let line = |answer: &Value, path: &str| {
        answer["rows"].as_array().unwrap().iter().find(|row| row["path"] == path).unwrap().clone()
    };
    let compared = bench.json("/v1/models/compare?ids=own,sea,sky").await;
    for path in ["pricing.input", "price_blended"] {
        let row = line(&compared, path);
        assert_eq!((&row["values"], &row["stale"]), (&json!([1, 2, 4]), &json!([0])), "{path}");
        assert_eq!(row["best"], json!([1]), "{path}");
    }
    assert_eq!(line(&compared, "vendor")["stale"], json!([]));
    let old = stale(sold("old", "acme", "1", Status::Active));
    let facts = [old, sold("sea", "acme", "2", Status::Active), sold("sky", "acme", "4", Status::Active)];
    let with_old = Bench::over(unlimited(), &facts).json("/v1/models/compare?ids=old,sea,sky").await;
    assert_eq!(with_old["evidence"]["old"]["stale"], true);
    let row = line(&with_old, "pricing.input");
    assert_eq!((&row["best"], &row["stale"]), (&json!([1]), &json!([])), "all of `old` is stale");
    let two = bench.json("/v1/models/compare?ids=own,sea").await;
    assert_eq!(line(&two, "pricing.input")["best"], json!([]), "one fresh value is no best one");
    let page = Page::of(&bench, "/compare?ids=own,sea,sky").await;
    assert!(page.words().contains("$1 ; stale $2 best $4"), "{}", page.words());
}

#[tokio::test]
async fn the_maker_is_among_the_sellers_of_whom_one_is_the_cheapest() {
    let facts = [
        sold("own", "acme", "2", Status::Active),
        sold("own", "market", "3", Status::Active),
        sold("own", "gone", "1", Status::Retired),
        sold("own", "ending", "1.5", Status::Deprecated),
    ];
    let bench = Bench::over(unlimited(), &facts);
    let table = Page::of(&bench, "/models?columns=cheapest").await.words();
    assert!(table.contains("ending, $1.5 in, $1.5 out"), "{table}");
    let item = Page::of(&bench, "/models/own").await;
    let words = item.words();
    assert!(words.contains("Chart of the cheapest 3"), "who sells it no more is not charted: {words}");
    assert!(words.contains("1.5 cheapest"), "what is deprecated is still sold: {words}");
    let bench = Bench::over(unlimited(), &facts[..2]);
    let table = Page::of(&bench, "/models?columns=cheapest").await.words();
    assert!(table.contains("Acme, $2 in, $2 out"), "{table}");
    for price_of in ["cheapest", "market"] {
        let table = Page::of(&bench, &format!("/models?columns=cheapest&price_of={price_of}")).await.words();
        let cheapest = if price_of == "cheapest" { "Acme, $2 in" } else { "market, $3 in" };
        assert!(table.contains(cheapest), "{table}");
    }
}

#[tokio::test]
async fn a_model_reads_which_offers_have_ended_and_what_else_is_billed() {
    let facts = [sold("own", "acme", "2", Status::Active), sold("own", "gone", "1", Status::Retired)];
    let told = structured(&Bench::over(unlimited(), &facts), "get_item", json!({"id": "own"})).await;
    let offers = told["model"]["offers"].as_array().unwrap();
    assert_eq!((&offers[0]["provider"], &offers[0]["status"]), (&json!("gone"), &json!("retired")));

    let bench = Bench::over(unlimited(), &[with_queries("0", "acme")]);
    let told = structured(&bench, "search_catalog", json!({"q": "ranker", "type": "MODEL"})).await;
    let pricing = &told["results"][0]["pricing"];
    assert_eq!((&pricing["input"], &pricing["other"][0]["meter"]), (&json!(0), &json!("query")));
}
