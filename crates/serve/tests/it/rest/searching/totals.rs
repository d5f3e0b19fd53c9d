//! Totals: what a search counts, and that it counts the same whatever number of hits is wanted. `docs/api.md#search`.

use crate::common::catalog::fact;
use crate::common::{Bench, ids, unlimited};
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Document, Item, Tool};
use serde_json::json;

fn page(path: &str, version: Option<&str>) -> StoredFact {
    let version = version.map(str::to_owned);
    let document = Document { path: Some(path.to_owned()), version, ..Document::default() };
    fact(path, &path.replace(['/', '.'], "-"), "Lifecycle of a connection", &Item::Document(document))
}

/// Regression: with many editions, an answer had fewer hits than wanted, and counted all editions unless one of them was shown.
#[tokio::test]
async fn a_document_with_many_editions_takes_no_place_of_others_and_counts_once() {
    let day = |day: usize| format!("{}-{:02}-{:02}", 2020 + day / 336, day % 336 / 28 + 1, day % 28 + 1);
    let versions: Vec<String> = (1..=250).map(day).collect();
    let editions = versions.iter().map(|version| page(&format!("docs/{version}/lifecycle.mdx"), Some(version)));
    let others = (1..=14).map(|number| page(&format!("zoo/other-{number:02}.mdx"), None));
    let facts: Vec<StoredFact> = editions.chain(others).collect();
    let bench = Bench::over(unlimited(), &facts);
    for of_type in ["", "&type=DOC"] {
        for limit in [1, 10, 50] {
            let target = format!("/v1/search?q=lifecycle+connection&limit={limit}{of_type}");
            let answer = bench.json(&target).await;
            assert_eq!(ids(&answer["results"]).len(), limit.min(15), "{target}: {answer}");
            assert_eq!((&answer["total"], &answer["total_relation"]), (&json!(15), &json!("eq")), "{target}");
        }
    }
    let by_kind = bench.json("/v1/search?q=lifecycle+connection&facets=type").await;
    assert_eq!(by_kind["facets"]["type"]["results"][0]["count"], 15, "{by_kind}");
}

/// Regression: of names that begin like the query 48 were looked at, and the total said that there were no more.
#[tokio::test]
async fn all_names_that_begin_like_the_query_are_counted_and_listed() {
    let named = |number: usize| {
        let name = format!("Quarkotron{number:03}");
        fact(&name, &name.to_lowercase(), &name, &Item::Tool(Tool::default()))
    };
    let facts: Vec<StoredFact> = (0..300).map(named).collect();
    let bench = Bench::over(unlimited(), &facts);
    for limit in [1, 10, 50] {
        let answer = bench.json(&format!("/v1/search?q=qu&limit={limit}")).await;
        assert_eq!((&answer["total"], &answer["total_relation"]), (&json!(300), &json!("eq")), "{limit}");
        assert_eq!(answer["count"], limit, "{answer}");
    }
    let list = bench.json("/v1/tools/list?q=qu&limit=500").await;
    assert_eq!((ids(&list["tools"]).len(), &list["total"]), (300, &json!(300)));
    let one = bench.json("/v1/tools/list?q=qu&ids=quarkotron299").await;
    assert_eq!(ids(&one["tools"]), ["quarkotron299"], "whatever else begins so");
}
