//! Collections: parts of the catalog under addresses of their own. `docs/api.md#collections`.

mod surfaces;

use crate::common::catalog::{fact, facts};
use crate::common::{Bench, NOW, ids, snapshot, unlimited};
use refdesk_catalog::collections::{Collection, CollectionConfig};
use refdesk_core::item::{Document, Item, MANUAL_ID, McpServer};
use refdesk_serve::Settings;
use serde_json::{Value, json};

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

fn collection(config: CollectionConfig) -> Collection {
    Collection::new(config).unwrap()
}

/// `team`: one model and one server by id, one tool by a filter that the other tool does not meet; `none`: nothing.
fn bench() -> Bench {
    let team = CollectionConfig {
        id: "team".into(),
        title: "What the team may use".into(),
        ids: texts(&["nova-2", "files", "premortem", "guide-start"]),
        ..CollectionConfig::default()
    };
    let tools = CollectionConfig {
        id: "tools".into(),
        kinds: texts(&["tool", "mcp-server"]),
        filter: "vendor=acme".into(),
        exclude: texts(&["saw"]),
        ..CollectionConfig::default()
    };
    let none = CollectionConfig { id: "none".into(), filter: "vendor=nobody".into(), ..CollectionConfig::default() };
    let collections = [team, tools, none].map(collection).to_vec();
    Bench::with(Settings { collections, base_url: "https://desk.example".into(), ..unlimited() })
}

#[tokio::test]
async fn the_page_of_each_collection_is_in_the_sitemap_as_they_are_defined_now() {
    let settings = Settings { base_url: "https://desk.example".into(), web_index: true, ..unlimited() };
    let bench = Bench::with(settings);
    let before = bench.get("/sitemap-desk.xml").await;
    assert!(!before.text().contains("/c/"), "{}", before.text());
    let team = CollectionConfig { id: "team".into(), ids: texts(&["nova-2"]), ..CollectionConfig::default() };
    bench.desk.set_collections(vec![collection(team)]);
    let after = bench.get_with("/sitemap-desk.xml", &[("if-none-match", before.header("etag"))]).await;
    assert_eq!(after.status, 200, "it changed without a new generation");
    assert_eq!(after.text().matches("<loc>https://desk.example/c/team</loc>").count(), 1, "{}", after.text());
    let same = bench.get_with("/sitemap-desk.xml", &[("if-none-match", after.header("etag"))]).await;
    assert_eq!(same.status, 304);
}

#[tokio::test]
async fn everything_below_a_collection_shows_its_members_alone() {
    let bench = bench();
    for (path, list, members) in [
        ("models", "models", vec!["nova-2"]),
        ("mcp-servers", "mcp_servers", vec!["files"]),
        ("frameworks", "frameworks", vec!["premortem"]),
        ("documents", "documents", vec!["guide-start"]),
        ("tools", "tools", vec![]),
    ] {
        let answer = bench.json(&format!("/c/team/v1/{path}/list")).await;
        assert_eq!((ids(&answer[list]), &answer["total"]), (members.clone(), &json!(members.len())), "{path}");
    }
    let found = bench.json("/c/team/v1/search?q=nova").await;
    assert_eq!((ids(&found["results"]), &found["total"]), (vec!["nova-2"], &json!(1)));
    assert_eq!(found["results"][0]["url"], "https://desk.example/c/team/v1/models/nova-2");
    assert!(ids(&bench.json("/v1/search?q=nova").await["results"]).len() > 1, "the whole catalog has more");
    assert_eq!(bench.json("/c/team/v1/models/nova-2").await["model"]["id"], "nova-2");
    bench.get("/v1/models/orbit-1").await.json();
    let missing = bench.get("/c/team/v1/models/orbit-1").await.problem(404, "not_found");
    assert!(!missing["suggestions"].to_string().contains("orbit-1"), "{missing}");
    let compared = bench.json("/c/team/v1/models/compare?ids=nova-2,orbit-1").await;
    assert_eq!((&compared["ids"], &compared["unresolved"]), (&json!(["nova-2"]), &json!(["orbit-1"])));
    let resolved = bench.json("/c/team/v1/resolve?ids=nova-2,orbit-1").await;
    assert_eq!([&resolved["results"][0]["status"], &resolved["results"][1]["id"]], [&json!("exact"), &Value::Null]);
    assert_eq!(bench.get("/c/team/v1/cost?model=orbit-1&input_tokens=1").await.status, 404);
    assert_eq!(bench.json("/c/none/v1/conflicts").await["total"], 0);
    assert_ne!(bench.json("/c/team/v1/conflicts").await["total"], 0);
    let routed = bench.json("/c/tools/v1/frameworks/route?q=What+could+go+wrong+with+our+launch").await;
    assert_eq!(routed["decision"], "no_match");
    let routed = bench.json("/c/team/v1/frameworks/route?q=What+could+go+wrong+with+our+launch").await;
    assert_eq!((&routed["selected"]["id"], &routed["router"]["eval"]), (&json!("premortem"), &Value::Null));
}

#[tokio::test]
async fn a_value_that_no_member_has_is_told_as_one_that_nothing_has() {
    let bench = bench();
    let warnings = async |path: &str| bench.json(path).await["warnings"].clone();
    assert_eq!(warnings("/v1/tools/list?category=coding-agent").await, Value::Null);
    assert_eq!(warnings("/c/tools/v1/tools/list?category=coding-agent").await, Value::Null);
    let misspelt = json!(["`category`: nothing has the value `coding-agnt`; the nearest is `coding-agent`"]);
    assert_eq!(warnings("/c/tools/v1/tools/list?category=coding-agnt").await, misspelt);
    for value in ["coding-agent", "coding-agnt"] {
        let told = json!([format!("`category`: nothing has the value `{value}`")]);
        assert_eq!(warnings(&format!("/c/none/v1/tools/list?category={value}")).await, told, "no member is a tool");
    }
}

#[tokio::test]
async fn members_meet_the_filter_or_are_named_and_are_not_excluded() {
    let bench = bench();
    assert_eq!(ids(&bench.json("/c/tools/v1/tools/list").await["tools"]), ["hammer"]);
    assert_eq!(ids(&bench.json("/v1/tools/list?collection=tools").await["tools"]), ["hammer"]);
    assert_eq!(ids(&bench.json("/v1/tools/list").await["tools"]), ["hammer", "saw"]);
    let found = bench.json("/v1/search?q=nova&collection=team").await;
    assert_eq!(ids(&found["results"]), ["nova-2"]);
    assert_eq!(found["results"][0]["url"], "https://desk.example/v1/models/nova-2");
    assert_eq!(
        bench.json("/c/none/v1/tools/list").await,
        json!({"tools": [], "limit": 100, "offset": 0, "total": 0, "next_offset": null})
    );
}

#[tokio::test]
async fn the_next_page_of_a_collection_is_below_it_once() {
    let ids = texts(&["nova-2", "orbit-1", "alto-1"]);
    let team = collection(CollectionConfig { id: "team".into(), ids, ..CollectionConfig::default() });
    for base in ["", "https://desk.example"] {
        let settings = Settings { collections: vec![team.clone()], base_url: base.into(), ..unlimited() };
        let bench = Bench::with(settings);
        let link = bench.get("/c/team/v1/models/list?limit=2").await.header("link").to_owned();
        assert_eq!(link, format!("<{base}/c/team/v1/models/list?limit=2&offset=2>; rel=\"next\""));
        let target = link.trim_start_matches('<').trim_start_matches(base).split('>').next().map(str::to_owned);
        let next = bench.json(&target.unwrap_or_default()).await;
        assert_eq!(self::ids(&next["models"]), ["orbit-1"]);
    }
}

#[tokio::test]
async fn evidence_is_that_of_members() {
    let bench = bench();
    let key = |answer: &Value| answer["evidence"]["key"].as_str().map(str::to_owned);
    let of_member = bench.json("/v1/models/nova-2").await;
    let of_other = bench.json("/v1/models/orbit-1").await;
    let (member, other) = (key(&of_member).unwrap(), key(&of_other).unwrap());
    assert_eq!(bench.get(&format!("/c/team/v1/evidence/{member}")).await.status, 200);
    bench.get(&format!("/c/team/v1/evidence/{other}")).await.problem(404, "not_found");
    assert_eq!(bench.get(&format!("/v1/evidence/{other}")).await.status, 200);
    let offer = of_member["model"]["offers"][0]["evidence_key"].as_str().unwrap().to_owned();
    assert_eq!(bench.get(&format!("/c/team/v1/evidence/{offer}")).await.status, 200, "of an offer of a member");
}

#[tokio::test]
async fn an_unknown_collection_is_told_with_those_that_there_are() {
    let bench = bench();
    for target in [
        "/c/teams/v1/models/list",
        "/v1/models/list?collection=teams",
        "/v1/search?q=x&collection=teams",
        "/c/team/v1/models/list?collection=tools",
    ] {
        let problem = bench.get(target).await.problem(404, "not_found");
        assert_eq!(problem["error"], "collection not found", "{target}");
        assert!(problem["suggestions"].to_string().contains("team"), "{target}: {problem}");
    }
    bench.get("/c/team/health").await.problem(404, "unknown_endpoint");
    let of_none = Bench::new().get("/c/team/v1/models/list").await.problem(404, "not_found");
    assert!(of_none["hint"].as_str().unwrap().contains("defines no collection"), "{of_none}");
}

#[tokio::test]
async fn entity_tags_are_of_the_collection() {
    let bench = bench();
    let tag = async |target: &str| bench.get(target).await.header("etag").to_owned();
    let (whole, part) = (tag("/v1/models/nova-2").await, tag("/c/team/v1/models/nova-2").await);
    assert!(whole != part && !part.is_empty(), "{whole} {part}");
    let again = bench.get_with("/c/team/v1/models/nova-2", &[("if-none-match", &part)]).await;
    assert_eq!(again.status, 304);
    let head = bench.send(http::Method::HEAD, "/c/team/v1/models/nova-2", &[]).await;
    assert_eq!((head.status.as_u16(), head.body.len()), (200, 0));
}

/// The tag of what is shown, not of the catalog that it is a part of.
#[tokio::test]
async fn a_collection_of_other_members_has_another_entity_tag_wherever_it_is_named() {
    let bench = bench();
    for (target, path) in [
        ("/v1/models/list?collection=team", "models"),
        ("/v1/models/list?fields=id&collection=+team+", "models"),
        ("/v1/search?q=1&type=MODEL&sort=id&collection=team", "results"),
        ("/c/team/v1/models/list", "models"),
    ] {
        let set = |ids: &[&str]| {
            let config = CollectionConfig { id: "team".into(), ids: texts(ids), ..CollectionConfig::default() };
            bench.desk.set_collections(vec![collection(config)]);
        };
        set(&["orbit-1"]);
        let before = bench.get(target).await;
        assert_eq!(ids(&before.json()[path]), ["orbit-1"], "{target}");
        let tag = before.header("etag").to_owned();
        assert_eq!(bench.get_with(target, &[("if-none-match", &tag)]).await.status, 304, "{target}");
        set(&["alto-1"]);
        let after = bench.get_with(target, &[("if-none-match", &tag)]).await;
        assert_eq!(after.status, 200, "{target}: it shows another item by now");
        assert_eq!(ids(&after.json()[path]), ["alto-1"], "{target}");
    }
}

/// A new generation and other collections come from different tasks of a node.
#[tokio::test]
async fn neither_a_generation_nor_collections_are_lost_when_both_come_at_once() {
    let bench = bench();
    for turn in 0..20 {
        let id = format!("turn-{turn}");
        let config = CollectionConfig { id: id.clone(), ids: texts(&["nova-2"]), ..CollectionConfig::default() };
        let next = snapshot(&facts(), NOW, 2 + turn);
        std::thread::scope(|scope| {
            scope.spawn(|| bench.desk.publish(next));
            scope.spawn(|| bench.desk.set_collections(vec![collection(config)]));
        });
        assert_eq!(bench.desk.snapshot().generation(), 2 + turn);
        assert_eq!(bench.get(&format!("/c/{id}/v1/models/list")).await.status, 200, "{id}");
    }
}

#[tokio::test]
async fn health_tells_of_collections_that_are_empty_or_name_nothing() {
    let health = bench().json("/health").await;
    assert!(health["reasons"].to_string().contains("collections: `none` is empty"), "{health}");
    let wrong =
        CollectionConfig { id: "team".into(), ids: texts(&["nova2x", "hammer"]), ..CollectionConfig::default() };
    let bench = Bench::with(Settings { collections: vec![collection(wrong)], ..unlimited() });
    let unknown: Vec<String> = bench.desk.unknown_members().iter().map(ToString::to_string).collect();
    assert_eq!(unknown, ["collection `team` names `nova2x`, but there is no such item (did you mean `nova-2`?)"]);
    assert!(bench.json("/health").await["reasons"].to_string().contains("names `nova2x`"));
    assert_eq!(ids(&bench.json("/c/team/v1/tools/list").await["tools"]), ["hammer"]);
}

/// A list of what is allowed takes ids, which no other publisher can take; a short name gets the id that it stands for.
#[tokio::test]
async fn a_short_name_in_a_collection_gets_the_id_that_it_means() {
    let server = |name: &str| fact(name, name, name, &Item::McpServer(McpServer::default()));
    let team = CollectionConfig { id: "team".into(), ids: texts(&["lamp-mcp-server"]), ..CollectionConfig::default() };
    let settings = Settings { collections: vec![collection(team)], ..unlimited() };
    let bench = Bench::over(settings, &[server("io.github.acme/lamp-mcp-server"), server("clamp-mcp-server")]);
    let unknown: Vec<String> = bench.desk.unknown_members().iter().map(ToString::to_string).collect();
    let meant = "(did you mean `io.github.acme-lamp-mcp-server`?)";
    assert_eq!(unknown, [format!("collection `team` names `lamp-mcp-server`, but there is no such item {meant}")]);
}

#[test]
fn a_wrong_definition_says_what_to_mend() {
    let error = |config: CollectionConfig| Collection::new(config).unwrap_err().to_string();
    let named = |id: &str| CollectionConfig { id: id.into(), ..CollectionConfig::default() };
    assert_eq!(error(named("My Team")), "`id` is \"My Team\"; it takes 1 to 64 of a-z, 0-9 and -");
    assert!(error(named(&"x".repeat(65))).ends_with("it takes 1 to 64 of a-z, 0-9 and -"));
    assert_eq!(
        error(named("team")),
        "collection `team`: it does not say what its members are; set `filter`, `ids` or `kinds`"
    );
    let kinds = error(CollectionConfig { kinds: texts(&["modell"]), ..named("team") });
    assert!(kinds.starts_with("collection `team`: `kinds` has \"modell\"; it takes model, tool, skill"), "{kinds}");
    let filter = |filter: &str, kinds: &[&str]| {
        error(CollectionConfig { filter: filter.into(), kinds: texts(kinds), ..named("team") })
    };
    assert_eq!(
        filter("price_inptu__lte=3", &["model"]),
        "collection `team`: `filter`: `price_inptu__lte` is not a parameter here; the nearest is `price_input__lte`."
    );
    assert!(filter("price_input__lte=cheap", &["model"]).contains("`price_input__lte` is \"cheap\""));
    assert_eq!(
        filter("sort=vendor", &["tool"]),
        "collection `team`: `filter`: `sort` is not a filter of a list of tools"
    );
    assert!(filter("nonsense=1", &[]).contains("`nonsense` is not a filter of a list of"));
}

/// `lumen-2` is left out and `lumen-2-2025` is called "Lumen 2": who asks for the one must not get the other.
#[tokio::test]
async fn the_id_of_an_item_that_is_left_out_means_no_other() {
    let document = |key, id, name| fact(key, id, name, &Item::Document(Document::default()));
    let facts = [document("a", "lumen-2", "Lumen 2 (latest)"), document("b", "lumen-2-2025", "Lumen 2")];
    let bench = Bench::over(unlimited(), &facts);
    let config = CollectionConfig { id: "team".into(), ids: texts(&["lumen-2-2025"]), ..CollectionConfig::default() };
    bench.desk.set_collections(vec![collection(config)]);
    bench.get("/c/team/v1/documents/lumen-2").await.problem(404, "not_found");
    let resolved = bench.json("/c/team/v1/resolve?ids=lumen-2,lumen+2").await;
    let ids = [0_usize, 1].map(|at| &resolved["results"][at]["id"]);
    assert_eq!(ids, [&Value::Null, &json!("lumen-2-2025")], "a name that only the member has is still its");
}

/// A page of the manual is put among hits by its place, not by words, and is no member for that.
#[tokio::test]
async fn a_page_of_the_manual_is_put_into_no_collection_that_lacks_it() {
    let manual = format!("{MANUAL_ID}operations");
    let page = Document { summary: Some("How to back up and restore.".to_owned()), ..Document::default() };
    let facts = [
        fact("a", &manual, "Operations", &Item::Document(page)),
        fact("b", "backup", "Backup", &Item::Document(Document::default())),
    ];
    let bench = Bench::over(unlimited(), &facts);
    let config = CollectionConfig { id: "team".into(), ids: texts(&["backup"]), ..CollectionConfig::default() };
    bench.desk.set_collections(vec![collection(config)]);
    let found = async |target: &str| {
        let answer = bench.json(target).await;
        ids(&answer["results"]).contains(&manual.as_str())
    };
    assert!(found("/v1/search?q=how+do+i+back+up").await);
    assert!(!found("/v1/search?q=how+do+i+back+up&collection=team").await);
}
