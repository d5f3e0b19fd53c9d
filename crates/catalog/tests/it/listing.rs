//! Lists and their exports: what filters, order and cells take for unknown, and whose prices a table shows.

use std::sync::Arc;

use crate::common::{DAY, NOW, build_at, source, stored};
use refdesk_catalog::answer::{self, Export};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::fact::{Identity, StoredFact};
use refdesk_core::item::{Head, Status};
use refdesk_core::query::{ListQuery, Params};
use serde_json::{Value, json};

/// What a source says of a seller's model, named by the words of its id.
fn model(source: &str, seller: &str, id: &str, fields: Value) -> StoredFact {
    let fact = stored(source, Kind::Model, &format!("{seller}/{id}"), fields, NOW);
    StoredFact {
        head: Head { id: id.into(), name: id.into(), status: Status::Active, ..Head::default() },
        identity: Identity { provider: Some(seller.into()), api_model_id: Some(id.into()), ..Identity::default() },
        ..fact
    }
}

fn old(mut fact: StoredFact) -> StoredFact {
    fact.standing.first_seen_at = NOW.plus_secs(-200 * DAY);
    fact.standing.last_synced_at = NOW.plus_secs(-100 * DAY);
    fact.standing.last_verified_at = Some(NOW.plus_secs(-100 * DAY));
    fact
}

/// Source `a` outranks `b`; both are stale after a week.
fn build(facts: &[StoredFact]) -> Arc<Snapshot> {
    Arc::new(build_at(facts, vec![source("a", 1, 7 * DAY), source("b", 2, 7 * DAY)], NOW))
}

fn query(sent: &[(&'static str, &'static str)]) -> ListQuery {
    ListQuery::parse(Kind::Model, &Params::new(sent.iter().copied(), ListQuery::names(Kind::Model))).unwrap()
}

fn ids(snapshot: &Snapshot, sent: &[(&'static str, &'static str)]) -> Vec<String> {
    let page = answer::list(snapshot, Kind::Model, &query(sent), &[]).pieces.concat();
    let page: Value = serde_json::from_slice(&page).unwrap();
    page["models"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

/// The cells of a column of CSV.
fn cells(snapshot: &Arc<Snapshot>, sent: &[(&'static str, &'static str)], column: &str) -> Vec<String> {
    let csv = Export::new(Arc::clone(snapshot), Kind::Model, query(sent), usize::MAX).collect::<Vec<_>>().concat();
    let csv = String::from_utf8(csv).unwrap();
    let mut lines = csv.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let at = lines.next().unwrap().iter().position(|name| name == column).unwrap();
    lines.map(|line| line[at].clone()).collect()
}

#[test]
fn with_fresh_only_what_is_told_of_a_stale_value_is_unknown() {
    let told = |price: f64| json!({"pricing": {"input": price, "output": price}, "capabilities": {"reasoning": true}});
    let snapshot = build(&[
        old(model("a", "openai", "gpt-5", told(1.0))),
        model("b", "openai", "gpt-5", json!({"family": "gpt"})),
        model("b", "openai", "gpt-4o", told(2.0)),
    ]);
    let by_price = ("sort", "price_blended");
    assert_eq!(ids(&snapshot, &[by_price]), ["gpt-5", "gpt-4o"]);
    assert_eq!(ids(&snapshot, &[by_price, ("fresh_only", "true")]), ["gpt-4o", "gpt-5"]);
    assert_eq!(ids(&snapshot, &[("capability", "reasoning")]).len(), 2);
    assert_eq!(ids(&snapshot, &[("capability", "reasoning"), ("fresh_only", "true")]), ["gpt-4o"]);
    let counted = |sent: &[(&'static str, &'static str)]| {
        let page = answer::list(&snapshot, Kind::Model, &query(sent), &[]).pieces.concat();
        let page: Value = serde_json::from_slice(&page).unwrap();
        let facet = &page["facets"]["capability"];
        (facet["results"][0]["count"].as_u64(), facet["missing"].as_u64())
    };
    assert_eq!(counted(&[("facets", "capability")]), (Some(2), Some(0)));
    assert_eq!(counted(&[("facets", "capability"), ("fresh_only", "true")]), (Some(1), Some(1)));
    let csv = [("format", "csv"), ("fresh_only", "true"), ("sort", "id")];
    assert_eq!(cells(&snapshot, &csv, "price_blended"), ["2", ""]);
    assert_eq!(cells(&snapshot, &csv, "capability"), ["reasoning", ""]);
}

#[test]
fn with_fresh_only_a_list_of_parts_has_those_that_are_fresh() {
    let capabilities = |names: &[&str]| {
        let all: serde_json::Map<_, _> = names.iter().map(|name| ((*name).to_owned(), json!(true))).collect();
        json!({"capabilities": all})
    };
    let snapshot = build(&[
        old(model("a", "openai", "gpt-5", capabilities(&["reasoning"]))),
        model("b", "openai", "gpt-5", capabilities(&["tool_call"])),
        model("b", "openai", "gpt-4o", capabilities(&["reasoning", "tool_call"])),
    ]);
    let fresh = |capability: &'static str| {
        ids(&snapshot, &[("capability", capability), ("fresh_only", "true"), ("sort", "id")])
    };
    assert_eq!(fresh("tool_call"), ["gpt-4o", "gpt-5"], "what is stale beside it hides no fresh one");
    assert_eq!(fresh("reasoning"), ["gpt-4o"]);
    assert_eq!(fresh("tool_call,reasoning"), ["gpt-4o"]);
    assert_eq!(ids(&snapshot, &[("capability__not", "reasoning"), ("fresh_only", "true")]), ["gpt-5"]);
    let sent = [("facets", "capability"), ("fresh_only", "true")];
    let page: Value =
        serde_json::from_slice(&answer::list(&snapshot, Kind::Model, &query(&sent), &[]).pieces.concat()).unwrap();
    let counts = page["facets"]["capability"]["results"].as_array().unwrap();
    let counts: Vec<_> =
        counts.iter().map(|count| (count["value"].as_str().unwrap(), count["count"].as_u64())).collect();
    assert_eq!(counts, [("tool_call", Some(2)), ("reasoning", Some(1))]);
    let csv = [("format", "csv"), ("fresh_only", "true"), ("sort", "id")];
    assert_eq!(cells(&snapshot, &csv, "capability"), ["reasoning|tool_call", "tool_call"]);
}

#[test]
fn with_fresh_only_the_offers_are_counted_that_are_fresh() {
    let told = || json!({"pricing": {"input": 1, "output": 2}});
    let snapshot = build(&[
        model("b", "openai", "gpt-5", told()),
        old(model("a", "market", "openai/gpt-5", told())),
        old(model("a", "bazaar", "openai/gpt-5", told())),
        model("b", "shop", "openai/gpt-5", told()),
        model("b", "openai", "gpt-4o", told()),
        model("b", "shop", "openai/gpt-4o", told()),
        model("b", "kiosk", "openai/gpt-4o", told()),
    ]);
    let (by_offers, fresh) = (("sort", "-offers"), ("fresh_only", "true"));
    assert_eq!(ids(&snapshot, &[by_offers]), ["gpt-5", "gpt-4o"], "three and two");
    assert_eq!(ids(&snapshot, &[by_offers, fresh]), ["gpt-4o", "gpt-5"], "two and one");
    assert_eq!(ids(&snapshot, &[("offers__gte", "2")]).len(), 2);
    assert_eq!(ids(&snapshot, &[("offers__gte", "2"), fresh]), ["gpt-4o"]);
    assert_eq!(ids(&snapshot, &[("offers__lte", "1"), fresh]), ["gpt-5"]);
    let csv = |more: &[(&'static str, &'static str)]| {
        cells(&snapshot, &[&[("format", "csv"), ("sort", "id")][..], more].concat(), "offers")
    };
    assert_eq!((csv(&[]), csv(&[fresh])), (vec!["2".into(), "3".into()], vec!["2".into(), "1".into()]));
}

#[test]
fn a_table_with_the_prices_of_a_seller_has_its_blended_price() {
    let price = |input: u32, output: u32| json!({"pricing": {"input": input, "output": output}});
    let snapshot = build(&[
        model("a", "openai", "gpt-5", price(1, 2)),
        model("b", "reseller", "openai/gpt-5", price(2, 6)),
        model("b", "openai", "gpt-4o", price(5, 5)),
    ]);
    let csv = [("format", "csv"), ("sort", "-id")];
    assert_eq!(cells(&snapshot, &csv, "price_blended"), ["1.25", "5"]);
    let of_seller = [("format", "csv"), ("sort", "-id"), ("price_of", "reseller")];
    assert_eq!(cells(&snapshot, &of_seller, "pricing.input"), ["2", ""]);
    assert_eq!(cells(&snapshot, &of_seller, "price_blended"), ["3", ""]);
}

#[test]
fn a_word_is_found_in_capitals_whatever_letters_it_ends_with() {
    let snapshot = build(&[
        model("a", "openai", "gpt-5", json!({"family": "ΝΟΥΣ"})),
        model("a", "openai", "gpt-4o", json!({"family": "gpt"})),
    ]);
    for family in ["ΝΟΥΣ", "νουΣ"] {
        assert_eq!(ids(&snapshot, &[("family", family)]), ["gpt-5"], "{family}");
    }
}

#[test]
fn a_filter_by_a_seller_finds_it_in_the_spelling_of_every_source() {
    let price = |input: u32| json!({"pricing": {"input": input, "output": input}});
    let snapshot = build(&[
        model("a", "fireworks-ai", "gpt-oss-120b", price(2)),
        model("b", "fireworks_ai", "gpt-oss-20b", price(1)),
        model("b", "azure_ai", "gpt-5", price(3)),
        model("b", "azure-cognitive-services", "gpt-4o", price(4)),
    ]);
    let of = |sent: &[(&'static str, &'static str)]| ids(&snapshot, &[sent, &[("sort", "id")]].concat());
    for seller in ["fireworks-ai", "fireworks_ai", "Fireworks AI", "fireworks"] {
        assert_eq!(of(&[("seller", seller)]), ["gpt-oss-120b", "gpt-oss-20b"], "{seller}");
        assert_eq!(of(&[("seller__not", seller)]), ["gpt-4o", "gpt-5"], "{seller}");
        assert_eq!(of(&[("price_of", seller), ("price_input__lte", "1")]), ["gpt-oss-20b"], "{seller}");
        let page = answer::list(&snapshot, Kind::Model, &query(&[("seller", seller)]), &[]).pieces.concat();
        let page: Value = serde_json::from_slice(&page).unwrap();
        assert_eq!(page.get("warnings"), None, "{seller} is no unknown value");
    }
    assert_eq!(of(&[("seller", "azure")]), ["gpt-5"], "two services of one company are two sellers");
    let counted = |snapshot: &Snapshot| -> Vec<(String, u64, bool)> {
        let sent = query(&[("facets", "seller"), ("seller", "Fireworks AI")]);
        let told = answer::list(snapshot, Kind::Model, &sent, &[]).pieces.concat();
        let told: Value = serde_json::from_slice(&told).unwrap();
        let results = told["facets"]["seller"]["results"].as_array().unwrap().iter();
        let read = |result: &Value| {
            let value = result["value"].as_str().unwrap().to_owned();
            (value, result["count"].as_u64().unwrap(), result["selected"] == true)
        };
        results.map(read).collect()
    };
    let one = |value: &str, count: u64, selected: bool| (value.to_owned(), count, selected);
    let azure = [one("azure-cognitive-services", 1, false), one("azure_ai", 1, false)];
    let fireworks = [one("fireworks-ai", 2, true)];
    assert_eq!(counted(&snapshot), [&fireworks[..], &azure].concat(), "once, in a spelling of a source");
    let more = build(&[
        model("a", "fireworks-ai", "gpt-oss-120b", price(2)),
        model("b", "fireworks_ai", "gpt-5", price(2)),
        model("b", "fireworks_ai", "gpt-oss-20b", price(1)),
        // A seller of one model in two spellings is counted once.
        model("b", "fireworks_ai", "openai/gpt-oss-120b", price(2)),
    ]);
    let spelt = counted(&more);
    assert_eq!(spelt, [one("fireworks_ai", 3, true)], "in the most frequent spelling");
}

#[test]
fn files_and_pdfs_are_one_to_a_filter_and_stand_in_rows_as_sources_say() {
    let input = |word: &str| json!({"modalities": {"input": ["text", word], "output": ["text"]}});
    let snapshot = build(&[
        model("a", "openai", "gpt-5", input("file")),
        model("a", "openai", "gpt-4o", input("pdf")),
        model("a", "openai", "gpt-4", input("image")),
    ]);
    for word in ["pdf", "file"] {
        assert_eq!(ids(&snapshot, &[("input_modalities", word), ("sort", "id")]), ["gpt-4o", "gpt-5"], "{word}");
        assert_eq!(ids(&snapshot, &[("input_modalities__not", word)]), ["gpt-4"], "{word}");
    }
    let csv = [("format", "csv"), ("sort", "id")];
    assert_eq!(cells(&snapshot, &csv, "modalities.input"), ["text|image", "text|pdf", "text|file"]);
    let told = answer::list(&snapshot, Kind::Model, &query(&[("facets", "input_modalities")]), &[]).pieces.concat();
    let told: Value = serde_json::from_slice(&told).unwrap();
    let counts = told["facets"]["input_modalities"]["results"].as_array().unwrap();
    let counts: Vec<_> =
        counts.iter().map(|count| (count["value"].as_str().unwrap(), count["count"].as_u64())).collect();
    assert_eq!(counts, [("text", Some(3)), ("pdf", Some(2)), ("image", Some(1))]);
}
