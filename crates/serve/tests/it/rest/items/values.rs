//! Values of rows as filters, orders, counts and exports take them. `docs/api.md#filters`.

use std::slice;

use crate::common::catalog::{fact, facts};
use crate::common::{Bench, NOW, ids, unlimited};
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Item, McpSecret, McpServer, Model, Tool};
use serde_json::{Value, json};

fn tool(id: &str, category: Option<&str>, license: Option<&str>) -> StoredFact {
    let own = |text: Option<&str>| text.map(str::to_owned);
    fact(id, id, id, &Item::Tool(Tool { category: own(category), license: own(license), ..Tool::default() }))
}

fn server(id: &str, changed_secs_ago: Option<i64>, tags: &[&str]) -> StoredFact {
    let server = McpServer {
        updated_at: changed_secs_ago.map(|ago| NOW.plus_secs(-ago)),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        ..McpServer::default()
    };
    fact(&format!("io.github.acme/{id}"), id, id, &Item::McpServer(server))
}

#[tokio::test]
async fn an_export_has_as_many_rows_as_were_asked_for() {
    let all: Vec<StoredFact> = (0..700).map(|at| tool(&format!("t-{at:03}"), None, None)).collect();
    let bench = Bench::over(unlimited(), &all);
    for (query, lines) in [("format=ndjson&limit=600", 600), ("format=ndjson", 700), ("format=csv&limit=600", 601)] {
        assert_eq!(bench.get(&format!("/v1/tools/list?{query}")).await.text().lines().count(), lines, "{query}");
    }
    let by_header = bench.get_with("/v1/tools/list?limit=600", &[("accept", "application/x-ndjson")]).await;
    assert_eq!(by_header.text().lines().count(), 600);
    let settings = refdesk_serve::Settings { export_rows_max: 2, ..unlimited() };
    let text = Bench::over(settings, &all).get("/v1/tools/list?format=ndjson&limit=600").await.text();
    assert_eq!(text.lines().last(), Some(r#"{"truncated":true,"left_out":598}"#), "the operator's word counts");
}

/// The cells of lists were sorted, and that of a card's domain had its secondary ones too.
#[tokio::test]
async fn a_table_has_the_lists_of_its_rows() {
    let bench = Bench::over(unlimited(), &[server("a", None, &["work", "Air", "desk"]), server("b", None, &[])]);
    let text = bench.get("/v1/mcp-servers/list?format=csv&fields=tags").await.text();
    let cells: Vec<&str> = text.lines().map(|line| line.split(',').nth(1).unwrap_or_default()).collect();
    assert_eq!(cells, ["tags", "work|Air|desk", ""]);
    let bench = Bench::over(unlimited(), &facts());
    let text = bench.get("/v1/frameworks/list?format=csv&fields=domain,secondary_domains").await.text();
    assert!(text.contains("\r\npremortem,risk,decision,"), "{text}");
    let text = bench.get("/v1/frameworks/list?format=csv").await.text();
    assert!(text.lines().next().is_some_and(|names| names.contains(",domain,secondary_domains,")), "{text}");
}

/// A filter for a value as its row shows it found nothing.
#[tokio::test]
async fn a_filter_takes_a_value_as_its_row_shows_it() {
    let mut wide = tool("a", Some("dev  tools"), None);
    wide.head.vendor = Some("Acme  Works".into());
    let bench = Bench::over(unlimited(), &[wide]);
    let row = bench.json("/v1/tools/list").await["tools"][0].take();
    for name in ["vendor", "category"] {
        let value: String = url::form_urlencoded::byte_serialize(row[name].as_str().unwrap().as_bytes()).collect();
        let page = bench.json(&format!("/v1/tools/list?{name}={value}&facets={name}")).await;
        assert_eq!((&page["total"], page.get("warnings")), (&json!(1), None), "{name}={value}");
        assert_eq!(page["facets"][name]["results"][0]["selected"], json!(true), "{name}={value}");
    }
}

#[tokio::test]
async fn a_secret_is_asked_for_unless_it_is_said_to_be_optional() {
    let server = |id: &str, required: &[Option<bool>]| {
        let secret =
            |required: &Option<bool>| McpSecret { name: "key".into(), required: *required, ..McpSecret::default() };
        let package = json!({"registryType": "oci", "identifier": "acme/lamp"});
        let server = McpServer {
            packages: vec![package],
            secrets: required.iter().map(secret).collect(),
            ..McpServer::default()
        };
        fact(id, id, id, &Item::McpServer(server))
    };
    let all = [
        server("none", &[]),
        server("optional", &[Some(false)]),
        server("required", &[Some(false), Some(true)]),
        server("unsaid", &[None]),
    ];
    let bench = Bench::over(unlimited(), &all);
    for (word, expected) in [("none", ["none", "optional"]), ("required", ["required", "unsaid"])] {
        let page = bench.json(&format!("/v1/mcp-servers/list?auth={word}")).await;
        assert_eq!(ids(&page["mcp_servers"]), expected, "{word}");
    }
}

/// Gateways state the header with the key as a template, and registries mark a secret without saying that it is required.
#[tokio::test]
async fn a_server_needs_a_key_where_every_way_to_it_has_a_blank_to_fill_in() {
    let server = |id: &str, remotes: &[Value], packages: &[Value]| {
        let server = McpServer { remotes: remotes.to_vec(), packages: packages.to_vec(), ..McpServer::default() };
        fact(id, id, id, &Item::McpServer(server))
    };
    let url = "https://lamp.acme.example/mcp";
    let gateway = json!({"type": "streamable-http", "url": url,
        "headers": [{"name": "Authorization", "value": "Bearer {smithery_api_key}"}]});
    let open = json!({"type": "streamable-http", "url": url});
    let package = |input: &Value| json!({"registryType": "npm", "identifier": "lamp", "environmentVariables": [input]});
    let marked = package(&json!({"name": "LAMP_KEY", "isSecret": true}));
    let optional = package(&json!({"name": "LAMP_KEY", "isSecret": true, "isRequired": false}));
    let all = [
        server("either", slice::from_ref(&open), slice::from_ref(&marked)),
        server("gateway", slice::from_ref(&gateway), &[]),
        server("marked", &[gateway], &[marked]),
        server("open", &[open], &[]),
        server("optional", &[], &[optional]),
        server("unknown", &[], &[]),
    ];
    let bench = Bench::over(unlimited(), &all);
    for (query, expected) in [
        ("auth=none", vec!["either", "open", "optional"]),
        ("auth=required", vec!["gateway", "marked"]),
        ("auth__isnull=true", vec!["unknown"]),
    ] {
        let page = bench.json(&format!("/v1/mcp-servers/list?{query}")).await;
        assert_eq!(ids(&page["mcp_servers"]), expected, "{query}");
    }
}

#[tokio::test]
async fn a_change_is_the_one_that_the_row_shows() {
    let all = [server("a", Some(3_000), &[]), server("b", Some(1_000), &[]), server("c", None, &[])];
    let bench = Bench::over(unlimited(), &all);
    let page = bench.json("/v1/mcp-servers/list?sort=-updated_at").await;
    assert_eq!(ids(&page["mcp_servers"]), ["b", "a", "c"], "what is unknown is last");
    let since = NOW.plus_secs(-2_000).to_string();
    let page = bench.json(&format!("/v1/mcp-servers/list?updated_since={since}")).await;
    assert_eq!(ids(&page["mcp_servers"]), ["b"]);
    let shown = page["mcp_servers"][0]["updated_at"].as_str().unwrap_or_default().to_owned();
    assert!(shown > since, "{shown}");
    let with_offset = since.replace('Z', "+00:00");
    let page = bench.json(&format!("/v1/mcp-servers/list?updated_since={with_offset}")).await;
    assert_eq!(ids(&page["mcp_servers"]), ["b"], "`+` as it is, as isoformat() writes it: {with_offset}");
    let without_offset = since.trim_end_matches('Z');
    let page = bench.json(&format!("/v1/mcp-servers/list?updated_since={without_offset}")).await;
    assert_eq!(ids(&page["mcp_servers"]), ["b"], "the time of day counts: {without_offset}");
}

#[tokio::test]
async fn an_item_was_updated_when_a_source_last_changed_what_it_states() {
    let at = |id: &str, changed_secs_ago: i64| {
        let mut fact = tool(id, None, None);
        fact.standing.changed_at = NOW.plus_secs(-changed_secs_ago);
        fact
    };
    let mut removed = at("removed", 9_000);
    removed.standing.removed_at = Some(NOW.plus_secs(-100));
    let bench = Bench::over(unlimited(), &[at("old", 9_000), at("new", 1_000), removed, at("two", 9_000)]);
    let list = async |bench: &Bench, query: &str| {
        let page = bench.json(&format!("/v1/tools/list?sort=-updated_at&{query}")).await;
        (
            ids(&page["tools"]).iter().map(ToString::to_string).collect::<Vec<_>>(),
            page["tools"][0]["changed_at"].clone(),
        )
    };
    let (since, shown) = (NOW.plus_secs(-2_000), json!(NOW.plus_secs(-100).to_string()));
    // All of them were taken a day ago, which is no change.
    assert_eq!(
        list(&bench, &format!("updated_since={since}")).await,
        (vec!["removed".to_owned(), "new".to_owned()], shown)
    );
    assert_eq!(list(&bench, "limit=9").await.0, ["removed", "new", "old", "two"]);
    let stated = |source: &str, changed_secs_ago: i64| {
        let mut fact = fact(&format!("acme/old of {source}"), "old", "Old", &Item::Model(Model::default()));
        fact.source_id = source.into();
        fact.identity.api_model_id = Some("acme/old-1".into());
        fact.identity.maker = Some("acme".into());
        fact.standing.changed_at = NOW.plus_secs(-changed_secs_ago);
        fact
    };
    let of_two = Bench::over(unlimited(), &[stated("first", 9_000), stated("second", 500)]);
    let page = of_two.json(&format!("/v1/models/list?updated_since={since}")).await;
    assert_eq!(
        (&page["total"], &page["models"][0]["changed_at"]),
        (&json!(1), &json!(NOW.plus_secs(-500).to_string()))
    );
}

#[tokio::test]
async fn spellings_that_differ_in_case_are_one_value_of_a_facet() {
    let category = |id: &str, category: &str| tool(id, Some(category), None);
    let all = [category("a", "Dev Tools"), category("b", "dev tools"), category("c", "dev tools"), category("d", "X")];
    let bench = Bench::over(unlimited(), &all);
    let page = bench.json("/v1/tools/list?facets=category").await;
    let told = |value: &str, count: usize, selected: bool| json!({"value": value, "label": value, "count": count, "selected": selected});
    assert_eq!(page["facets"]["category"]["results"], json!([told("dev tools", 3, false), told("X", 1, false)]));
    let page = bench.json("/v1/tools/list?facets=category&category=DEV+tools").await;
    assert_eq!((&page["total"], &page["facets"]["category"]["results"][0]), (&json!(3), &told("dev tools", 3, true)));
    let all = [server("a", None, &["Maps", "maps"]), server("b", None, &["Maps"]), server("c", None, &["other"])];
    let page = Bench::over(unlimited(), &all).json("/v1/mcp-servers/list?facets=tag").await;
    let results = &page["facets"]["tag"]["results"];
    assert_eq!(results, &json!([told("Maps", 2, false), told("other", 1, false)]), "a row counts once");
}

#[tokio::test]
async fn a_value_with_a_comma_is_asked_for_as_its_facet_writes_it() {
    let both = "MIT (code), CC-BY-4.0 (docs)";
    let bench = Bench::over(unlimited(), &[tool("a", None, Some(both)), tool("b", None, Some("MIT"))]);
    let page = bench.json("/v1/tools/list?facets=license").await;
    let value = page["facets"]["license"]["results"].as_array().into_iter().flatten().find(|one| one["label"] == both);
    let value = value.map(|one| one["value"].as_str().unwrap_or_default().to_owned()).unwrap_or_default();
    assert_eq!(value, r"MIT (code)\, CC-BY-4.0 (docs)");
    for (asked, found) in [(value.clone(), vec!["a"]), (format!("{value},mit"), vec!["a", "b"]), (both.into(), vec![])]
    {
        let query: String = url::form_urlencoded::byte_serialize(asked.as_bytes()).collect();
        let page = bench.json(&format!("/v1/tools/list?license={query}")).await;
        assert_eq!(ids(&page["tools"]), found, "{asked}");
    }
}

#[tokio::test]
async fn a_hit_without_a_description_has_no_summary() {
    let bench = Bench::over(unlimited(), &facts());
    let hit = bench.json("/v1/search?q=saw&type=TOOL").await["results"][0].take();
    assert_eq!((&hit["id"], &hit["summary"]), (&json!("saw"), &Value::Null));
}
