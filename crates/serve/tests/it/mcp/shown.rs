//! What hits and rows in their short form say beside the usual: what of them is stale, and what the question bounds or sorts by.

use super::tools::undescribed;
use super::{ask, structured};
use crate::common::{Bench, catalog, unlimited};
use crate::rest::items::prices_shown::priced;
use serde_json::{Value, json};

/// The first hit or row of a call, all of whose members the schema of the tool has.
async fn first(bench: &Bench, tool: &str, list: &str, arguments: Value) -> Value {
    let tools = ask(bench, "tools/list", json!({})).await["result"]["tools"].take();
    let schema = &tools.as_array().unwrap().iter().find(|known| known["name"] == tool).unwrap()["outputSchema"];
    let mut answer = structured(bench, tool, arguments.clone()).await;
    assert_eq!(undescribed(schema, &answer, ""), [""; 0], "{tool} {arguments}");
    answer[list][0].take()
}

/// An absent `stale` means false, and the price of `own` is stale.
#[tokio::test]
async fn hits_and_rows_say_which_of_their_values_are_stale() {
    let bench = Bench::over(unlimited(), &priced());
    let stale = json!(["pricing.input", "pricing.output"]);
    for (id, price_of, stale_fields) in
        [("own", "maker", &stale), ("own", "market", &Value::Null), ("sea", "maker", &Value::Null)]
    {
        let filters = json!({"ids": id, "price_of": price_of});
        let row = first(&bench, "list_items", "models", json!({"type": "MODEL", "filters": filters})).await;
        assert_eq!((&row["id"], &row["stale_fields"]), (&json!(id), stale_fields), "{price_of}: {row}");
        let asked = json!({"q": id, "type": "MODEL", "filters": {"price_of": price_of}});
        let hit = first(&bench, "search_catalog", "results", asked).await;
        assert_eq!((&hit["id"], &hit["stale_fields"]), (&json!(id), stale_fields), "{price_of}: {hit}");
    }
}

#[tokio::test]
async fn a_list_that_is_sorted_or_bounded_by_time_shows_the_times() {
    let mut facts = catalog::facts();
    for fact in &mut facts {
        let mut fields = fact.fields.read().into_owned();
        if fact.kind == refdesk_core::Kind::McpServer {
            fields.insert("updated_at".into(), json!("2026-09-01T00:00:00Z"));
        }
        fact.fields = fields.into();
    }
    let bench = Bench::over(unlimited(), &facts);
    for (kind, list, q, bound, sort, member) in [
        ("MODEL", "models", "nova", "updated_since", "-updated_at", "changed_at"),
        ("MODEL", "models", "nova", "verified_since", "-last_verified_at", "last_verified_at"),
        ("TOOL", "tools", "hammer", "updated_since", "updated_at", "changed_at"),
        ("MCP_SERVER", "mcp_servers", "files", "updated_since", "-updated_at", "updated_at"),
        ("TUTORIAL", "tutorials", "agent", "published_on__gte", "-published_on", "published_on"),
    ] {
        let path = kind.to_lowercase().replace('_', "-");
        let rest =
            bench.json(&format!("/v1/{path}s/list?{bound}=2020-01-01&sort={sort}&limit=1")).await[list][0].take();
        assert!(rest[member].is_string(), "{kind}: {rest}");
        let bounds = json!({bound: "2020-01-01"});
        for asked in [json!({"type": kind, "sort": sort}), json!({"type": kind, "filters": bounds})] {
            let row = first(&bench, "list_items", list, asked.clone()).await;
            assert!(row[member].is_string(), "{asked}: {row}");
        }
        let asked = json!({"type": kind, "q": q, "filters": bounds});
        let hit = first(&bench, "search_catalog", "results", asked).await;
        assert!(hit[member].is_string(), "{kind} {q}: {hit}");
    }
    for (q, member) in [("newest tutorials", "published_on"), ("newest mcp servers", "updated_at")] {
        let hit = first(&bench, "search_catalog", "results", json!({"q": q})).await;
        assert!(hit[member].is_string(), "{q}: {hit}");
    }
}

#[tokio::test]
async fn models_by_the_number_of_their_offers_show_it() {
    let bench = Bench::over(unlimited(), &priced());
    for (asked, id, count) in [
        (json!({"type": "MODEL", "sort": "-offers"}), "own", 1),
        (json!({"type": "MODEL", "filters": {"offers__lte": "0"}}), "sea", 0),
    ] {
        let row = first(&bench, "list_items", "models", asked).await;
        assert_eq!((&row["id"], &row["offer_count"]), (&json!(id), &json!(count)), "{row}");
        assert_eq!(row.get("offers"), None, "{row}");
    }
    let asked = json!({"type": "MODEL", "q": "own", "filters": {"offers__gte": "1"}});
    let hit = first(&bench, "search_catalog", "results", asked).await;
    assert_eq!((&hit["id"], &hit["offer_count"], hit.get("offers")), (&json!("own"), &json!(1), None), "{hit}");
    let unasked = first(&bench, "list_items", "models", json!({"type": "MODEL"})).await;
    assert_eq!(unasked.get("offer_count"), None, "{unasked}");
}

/// A quarter of a card was the evidence of each of its fields and members without a value.
#[tokio::test]
async fn a_card_comes_with_every_line_and_without_the_evidence_of_each() {
    let bench = Bench::new();
    let asked = json!({"id": "premortem", "include_prompt": true});
    let card = structured(&bench, "get_framework", asked).await;
    let whole = bench.json("/v1/frameworks/premortem?include_prompt=true").await;
    for member in ["id", "summary", "when_to_use", "example_questions", "steps", "inputs", "output", "prompt"] {
        assert!(!whole["framework"][member].is_null(), "{member}: {whole}");
        assert_eq!(card["framework"][member], whole["framework"][member], "{member}");
    }
    for member in ["field_evidence", "evidence_key", "conflicts"] {
        assert!(card["framework"].get(member).is_none(), "{member}: {card}");
    }
    assert!(
        card["related_tools"].is_null() && card["evidence"]["key"].is_string() && card["truncated"].is_null(),
        "{card}"
    );
    assert_eq!(card["evidence"]["source_url"], whole["evidence"]["source_url"]);
}
