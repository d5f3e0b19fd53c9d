//! What sources say differently and still agree on, and what is a disagreement: of MCP servers, which several catalogs describe.

use crate::common::{DAY, NOW, build_at, source, stored};
use refdesk_catalog::answer::{self, DetailExtras};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::fact::{Identity, StoredFact};
use refdesk_core::item::McpVersion;
use refdesk_core::{Kind, Stamp};
use serde_json::{Value, json};

/// An entry of one server in a catalog.
fn entry(catalog: &str, fields: Value) -> StoredFact {
    let repository = Some("https://github.com/acme/lamp".to_owned());
    let identity = Identity { repository, ..Identity::default() };
    StoredFact { identity, ..stored(catalog, Kind::McpServer, &format!("{catalog}/lamp"), fields, NOW) }
}

/// What two catalogs say of one server; `a` outranks `b`.
fn told(a: Value, b: Value) -> Snapshot {
    build_at(&[entry("a", a), entry("b", b)], vec![source("a", 1, DAY), source("b", 2, DAY)], NOW)
}

fn server(snapshot: &Snapshot) -> Value {
    let (ordinal, _) = answer::resolve(snapshot, Kind::McpServer, "a/lamp").unwrap();
    let detail: Value = serde_json::from_slice(&answer::detail(snapshot, ordinal, &DetailExtras::default())).unwrap();
    detail["mcp_server"].clone()
}

/// The paths of the other values in a detail.
fn others(server: &Value) -> Vec<&str> {
    let conflicts = server["conflicts"].as_array().unwrap().iter();
    let mut paths: Vec<&str> = conflicts.map(|conflict| conflict["path"].as_str().unwrap()).collect();
    paths.sort_unstable();
    paths
}

#[test]
fn what_each_catalog_puts_in_its_own_words_is_no_disagreement() {
    let (a, b) = (
        json!({"name": "lamp", "description": "Lights", "category": "devops", "tags": ["light"], "license": "MIT", "updated_at": "2026-01-01T00:00:00Z"}),
        json!({"name": "acme-lamp", "description": "A light", "category": "Community", "tags": ["led"], "license": "MIT", "updated_at": "2026-02-01T00:00:00Z"}),
    );
    let snapshot = told(a.clone(), b.clone());
    let shown = server(&snapshot);
    assert_eq!(shown["trust_tier"], "verified", "two sources agree on all that is a fact");
    assert_eq!(others(&shown), ["category", "description", "name", "tags", "updated_at"], "they are still told");

    let mut b = b;
    b["license"] = json!("Apache-2.0");
    assert_eq!(server(&told(a, b))["trust_tier"], "community", "a licence is a fact");
}

#[test]
fn files_of_one_source_are_the_pdfs_of_another() {
    let model = |source: &str, input: Value| {
        stored(source, Kind::Model, "acme/lamp-1", json!({"modalities": {"input": input, "output": ["text"]}}), NOW)
    };
    let conflicts = |input: Value| {
        let facts = [model("a", json!(["text", "pdf"])), model("b", input)];
        let snapshot = build_at(&facts, vec![source("a", 1, DAY), source("b", 2, DAY)], NOW);
        let (ordinal, _) = answer::resolve(&snapshot, Kind::Model, "acme/lamp-1").unwrap();
        let shown = answer::detail(&snapshot, ordinal, &DetailExtras::default());
        let shown: Value = serde_json::from_slice(&shown).unwrap();
        shown["model"]["conflicts"].as_array().unwrap().len()
    };
    let lists = [json!(["file", "text"]), json!(["text"]), json!(["text", "image"])];
    assert_eq!(lists.map(conflicts), [0, 1, 1]);
}

#[test]
fn packages_addresses_and_tools_of_which_a_source_says_less_are_no_disagreement() {
    let key = |name: &str| json!([{"name": name, "isSecret": true}]);
    let remote = |kind: &str, end: &str| json!({"type": kind, "url": format!("https://lamp.example{end}")});
    let (http, sse) = (remote("streamable-http", "/mcp"), remote("sse", "/sse"));
    let package =
        json!({"registryType": "oci", "identifier": "docker.io/acme/lamp", "environmentVariables": key("LAMP")});
    let tools = json!([{"name": "on", "description": "Lights it"}, {"name": "off"}]);
    let whole = json!({"packages": [package], "remotes": [http, sse], "tools": tools});
    let check = |b: Value, expected: &[&str]| {
        let snapshot = told(whole.clone(), b.clone());
        assert_eq!(others(&server(&snapshot)), expected, "{b}");
    };
    check(json!({"remotes": [sse]}), &[]);
    check(json!({"remotes": [remote("streamable-http", "/mcp/")]}), &[]);
    check(json!({"packages": [{"registryType": "oci", "identifier": "acme/lamp"}]}), &[]);
    check(json!({"tools": [{"name": "on", "description": "Turns it on"}]}), &[]);
    check(json!({"tools": [{"name": "dim"}]}), &["tools"]);
    check(json!({"remotes": [remote("streamable-http", "/v2/mcp")]}), &["remotes"]);
    let named = json!({"registryType": "oci", "identifier": "acme/lamp", "environmentVariables": key("OTHER")});
    check(json!({"packages": [named]}), &["packages"]);
    check(json!({"packages": [{"registryType": "npm", "identifier": "@acme/lamp"}]}), &["packages"]);
}

#[test]
fn of_several_versions_that_one_registry_calls_the_latest_the_newest_is() {
    let version = |version: &str, day: &str| McpVersion {
        version: version.to_owned(),
        published_at: Stamp::parse(&format!("{day}T00:00:00Z")),
        is_latest: Some(true),
        ..McpVersion::default()
    };
    let mut fact = entry("a", json!({"version": "0.9", "is_latest": true}));
    fact.identity.versions = vec![version("0.9", "2026-02-01"), version("1.0", "2026-01-01")];
    let shown = server(&build_at(&[fact], vec![source("a", 1, DAY)], NOW));
    let versions = shown["versions"].as_array().unwrap().iter();
    let latest: Vec<_> = versions.map(|version| (&version["version"], &version["is_latest"])).collect();
    assert_eq!(latest, [(&json!("0.9"), &json!(true)), (&json!("1.0"), &json!(false))]);
}
