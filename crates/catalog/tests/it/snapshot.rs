//! Snapshots through their public surface: facts in, answers out.

use crate::common::{DAY, NOW, build_at, stored};
use refdesk_catalog::answer;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::fact::{Identity, SourceInfo, StoredFact};
use refdesk_core::item::{Head, Status, TrustTier};
use refdesk_core::query::{ListQuery, Params};
use refdesk_core::{Kind, Stamp};
use refdesk_search::SearchRequest;
use serde_json::{Value, json};

fn source(id: &str, rank: i32) -> SourceInfo {
    SourceInfo { license: Some("MIT".into()), ..crate::common::source(id, rank, 7 * DAY) }
}

fn server(source: &str, key: &str, verified: Stamp, fields: Value, identity: Identity) -> StoredFact {
    StoredFact {
        head: Head { id: key.into(), name: key.to_uppercase(), status: Status::Active, ..Head::default() },
        source_url: format!("https://{source}.example/{key}"),
        identity,
        ..stored(source, Kind::McpServer, key, fields, verified)
    }
}

fn at(repository: &str) -> Identity {
    Identity { repository: Some(repository.into()), ..Identity::default() }
}

fn build(facts: &[StoredFact], now: Stamp) -> Snapshot {
    build_at(facts, vec![source("first", 1), source("second", 2)], now)
}

fn detail(snapshot: &Snapshot, text: &str) -> Value {
    let Ok((ordinal, spelling)) = answer::resolve(snapshot, Kind::McpServer, text) else {
        return Value::Null;
    };
    let extras = answer::DetailExtras { resolved_from: spelling, ..Default::default() };
    serde_json::from_slice(&answer::detail(snapshot, ordinal, &extras)).unwrap()
}

#[test]
fn two_sources_of_one_repository_are_one_item_and_disagree_in_the_open() {
    let facts = [
        server(
            "second",
            "b-name",
            NOW,
            json!({"version": "2", "website_url": "https://w.example"}),
            at("https://github.com/o/r"),
        ),
        server("first", "a-name", NOW, json!({"version": "1", "website_url": null}), at("https://github.com/O/R.git")),
    ];
    let answer = detail(&build(&facts, NOW), "a-name");
    let item = &answer["mcp_server"];
    assert_eq!(item["version"], "1", "the better-ranked source wins");
    assert_eq!(item["website_url"], "https://w.example", "a field comes from the best source that states it");
    assert_eq!(item["field_evidence"]["version"]["source_id"], "first");
    assert_eq!(item["field_evidence"]["website_url"]["source_id"], "second");
    assert_eq!(item["conflicts"][0]["path"], "version");
    assert_eq!(item["conflicts"][0]["value"], "2");
    assert_eq!(item["conflicts"][0]["source_id"], "second");
    assert_eq!(answer["evidence"]["source_id"], "first");
    assert_eq!(answer["evidence"]["key"], item["evidence_key"]);
    assert_eq!(answer["related_models"], json!([]));
}

#[test]
fn an_alias_answers_with_the_canonical_item_and_says_so() {
    let mut fact = server("first", "io.github.o/r", NOW, json!({}), Identity::default());
    fact.head.aliases = vec!["O/R Server".into()];
    let snapshot = build(&[fact], NOW);
    assert_eq!(detail(&snapshot, "io.github.o-r")["resolved_from"], Value::Null);
    assert_eq!(detail(&snapshot, "io.github.o/r")["mcp_server"]["id"], "io.github.o-r");
    assert_eq!(detail(&snapshot, "io.github.o/r")["resolved_from"], "io.github.o/r");
    assert_eq!(detail(&snapshot, "o/r server")["resolved_from"], "o/r server");
}

#[test]
fn colliding_slugs_stay_two_items() {
    let facts = [
        server("first", "a/b", NOW, json!({}), Identity::default()),
        server("first", "A-B", NOW, json!({}), Identity::default()),
    ];
    let snapshot = build(&facts, NOW);
    let listed = snapshot.segment(Kind::McpServer).listed(false, false);
    assert_eq!(listed.len(), 2);
    let ids: Vec<&str> = listed.page(0, 9).map(|row| snapshot.segment(Kind::McpServer).id(row)).collect();
    assert_eq!(ids, ["a-b", "first-a-b"]);
}

#[test]
fn a_fact_turns_stale_at_its_hour_and_the_snapshot_knows_the_hour() {
    let facts = [server("first", "x", NOW, json!({}), Identity::default())];
    let fresh = build(&facts, NOW.plus_secs(7 * DAY - 1));
    assert_eq!(detail(&fresh, "x")["evidence"]["stale"], false);
    assert_eq!(fresh.next_change_at(), Some(NOW.plus_secs(7 * DAY)));
    let stale = build(&facts, NOW.plus_secs(7 * DAY));
    assert_eq!(detail(&stale, "x")["evidence"]["stale_reason"], "expired");
    assert_eq!(detail(&stale, "x")["mcp_server"]["stale"], true);
    assert_eq!(stale.stats().stale(), 1);
}

#[test]
fn lists_are_pages_in_the_order_of_ids_with_a_next_offset() {
    let facts: Vec<_> =
        ["c", "a", "b"].iter().map(|key| server("first", key, NOW, json!({}), Identity::default())).collect();
    let snapshot = build(&facts, NOW);
    let page = |offset: &str| -> Value {
        let params = Params::new([("limit", "2"), ("offset", offset)], ListQuery::names(Kind::McpServer));
        let query = ListQuery::parse(Kind::McpServer, &params).unwrap();
        let bytes: Vec<u8> =
            answer::list(&snapshot, Kind::McpServer, &query, &[]).pieces.iter().flatten().copied().collect();
        serde_json::from_slice(&bytes).unwrap()
    };
    let first = page("0");
    assert_eq!(first["mcp_servers"][0]["id"], "a");
    assert_eq!(first["mcp_servers"][1]["id"], "b");
    assert_eq!((&first["total"], &first["next_offset"]), (&json!(3), &json!(2)));
    assert_eq!(page("2")["next_offset"], Value::Null);
    assert_eq!(page("9")["mcp_servers"], json!([]));
}

#[test]
fn the_same_facts_give_the_same_revision_in_any_order() {
    let mut facts: Vec<_> =
        ["c", "a", "b"].iter().map(|key| server("first", key, NOW, json!({}), Identity::default())).collect();
    let one = build(&facts, NOW).revision().to_owned();
    facts.reverse();
    let two = build(&facts, NOW).revision().to_owned();
    assert_eq!(one, two);
    facts[0] = server("first", "b", NOW, json!({"version": "9"}), Identity::default());
    assert_ne!(one, build(&facts, NOW).revision());
}

#[test]
fn of_servers_of_one_name_the_official_and_installable_and_living_stand_first() {
    let named = |source: &str, key: &str, status: Status, tier: TrustTier, fields: Value| {
        let mut fact = server(source, key, NOW, fields, at(&format!("https://github.com/{key}/tickets")));
        fact.head = Head { name: "Tickets".into(), status, trust_tier: Some(tier), ..fact.head };
        fact
    };
    let installable = || json!({"description": "Opens tickets", "packages": [{"identifier": "tickets"}]});
    let link = || json!({"description": "Opens tickets"});
    let facts = [
        named("first", "a-removed-long-ago", Status::Deprecated, TrustTier::Official, installable()),
        named("first", "b-link", Status::Active, TrustTier::Community, link()),
        named("first", "c-installable", Status::Active, TrustTier::Community, installable()),
        named("first", "d-official", Status::Active, TrustTier::Official, installable()),
    ];
    let snapshot = build(&facts, NOW);
    for question in ["tickets", "opens tickets", "how do I open a ticket"] {
        let found = snapshot.search(&SearchRequest::new(question, 10));
        let ids: Vec<&str> = found.hits.iter().map(|hit| snapshot.id(hit.ordinal)).collect();
        assert_eq!(ids, ["d-official", "c-installable", "b-link", "a-removed-long-ago"], "{question}");
    }
}

#[test]
fn a_server_that_its_maker_publishes_under_its_own_name_stands_before_others_of_that_name() {
    let called = |key: &str, name: &str, official: bool| {
        let fields =
            json!({"description": "Switches things on", "official": official, "packages": [{"identifier": key}]});
        let mut fact = server("first", key, NOW, fields, at(&format!("https://github.com/{key}")));
        fact.head.name = name.into();
        fact
    };
    let facts = [
        called("com.lamp.mcp/mcp", "com.lamp.mcp/mcp", false),
        called("ai.gateway/lamp", "lamp", false),
        called("jane/lamp", "Lamp", false),
        called("io.github.lamp-fan/lamp-mcp", "lamp-mcp", false),
        called("io.github.kettle-js/kettle-mcp-server", "kettle-mcp-server", true),
        called("jane/kettle", "Kettle", false),
        called("io.github.toaster-fan/toaster-mcp", "toaster-mcp", false),
        called("jane/toaster", "Toaster", false),
        called("com.fan/fan.com", "fan.com", false),
        called("jane/fan", "Fan", false),
    ];
    let snapshot = build(&facts, NOW);
    for (question, first, field) in [
        ("lamp", "com.lamp.mcp-mcp", "alias"),
        ("Kettle", "io.github.kettle-js-kettle-mcp-server", "alias"),
        // Somebody whose name begins with what they sell is not its maker.
        ("toaster", "jane-toaster", "name"),
        ("fan", "com.fan-fan.com", "alias"),
    ] {
        let found = snapshot.search(&SearchRequest::new(question, 10));
        let best = &found.hits[0];
        assert_eq!((snapshot.id(best.ordinal), best.matched[0].0.as_str()), (first, field), "{question}");
    }
}

#[test]
fn no_text_of_an_answer_holds_a_hidden_character() {
    let hidden = "\u{1b}[2J\u{7}\u{9b}31m\u{202e}\u{200b}\u{e0041}\u{7f}";
    let fields = json!({
        "description": format!("opens{hidden} tickets"), "license": format!("M{hidden}IT"), "category": hidden,
        "tags": [format!("a{hidden}b")], "repository": {"source": format!("git{hidden}hub")},
    });
    let mut fact = server("first", "acme", NOW, fields, Identity::default());
    fact.head.vendor = Some(format!("Ac{hidden}me"));
    fact.head.aliases = vec![format!("acme{hidden}/mcp")];
    fact.provenance.license = Some(format!("MIT{hidden}"));
    let shown = detail(&build(&[fact], NOW), "acme").to_string();
    assert!(!shown.contains(refdesk_core::clean::is_hidden), "{shown}");
    for text in ["opens[2J31m tickets", "\"Ac[2J31mme\"", "acme[2J31m/mcp", "\"a[2J31mb\""] {
        assert!(shown.contains(text), "{text} in {shown}");
    }
}

#[test]
fn joiners_stay_in_the_words_and_emoji_that_need_them() {
    let name = "\u{1f469}\u{200d}\u{1f4bb} \u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}";
    let fields = json!({"description": format!("{name}: pass\u{200d}word \"\u{200d}\u{1f469}\"")});
    let mut fact = server("first", "acme", NOW, fields, Identity::default());
    fact.head.name = name.to_owned();
    let shown = detail(&build(&[fact], NOW), "acme");
    assert_eq!(shown["mcp_server"]["display_name"], name);
    assert_eq!(shown["mcp_server"]["description"], format!("{name}: password \"\u{1f469}\""));
}

#[test]
fn only_web_addresses_are_shown_as_addresses_and_others_as_text() {
    let fields = json!({
        "website_url": "javascript:alert(1)",
        "repository": {"url": "data:text/html,x", "source": "github"},
        "remotes": [{"type": "sse", "url": "JavaScript:alert(2)"}, {"url": "{base}/mcp"}, {"url": "https://a.example/mcp"}],
        "packages": [{"registryBaseUrl": "file:///etc/passwd", "identifier": "x"}],
    });
    let mut fact = server("first", "acme", NOW, fields, at("https://github.com/acme/mcp"));
    fact.provenance.references = vec!["https://acme.example/docs".into(), "javascript:alert(3)".into()];
    let better = json!({"website_url": "https://acme.example"});
    let facts = [fact, server("second", "acme", NOW, better, at("https://github.com/acme/mcp"))];
    let answer = detail(&build(&facts, NOW), "acme");
    let shown = &answer["mcp_server"];
    assert_eq!(shown["website_url"], "https://acme.example", "another source is heard");
    assert_eq!(shown["repository"]["url"], Value::Null);
    let urls: Vec<&Value> = shown["remotes"].as_array().unwrap().iter().map(|remote| &remote["url"]).collect();
    assert_eq!(urls, [&Value::Null, &json!("{base}/mcp"), &json!("https://a.example/mcp")]);
    assert_eq!(
        shown["rejected_urls"],
        json!([
            {"path": "website_url", "value": "javascript:alert(1)"},
            {"path": "repository.url", "value": "data:text/html,x"},
            {"path": "remotes.0.url", "value": "JavaScript:alert(2)"},
            {"path": "packages.0.registryBaseUrl", "value": "file:///etc/passwd"},
            {"path": "references", "value": "javascript:alert(3)"},
        ])
    );
    assert_eq!(answer["evidence"]["references"], json!(["https://acme.example/docs"]));
}

#[test]
fn a_framework_that_is_no_card_any_more_is_listed_and_not_routed_to() {
    let framework = |id: &str, summary: Value| {
        let fields = json!({"domain": "problem-solving", "summary": summary});
        StoredFact {
            head: Head { id: id.into(), name: id.into(), status: Status::Published, ..Head::default() },
            ..stored("first", Kind::Framework, id, fields, NOW)
        }
    };
    // As an older release may have stored it, whose cards were of another shape.
    let snapshot = build(&[framework("five-whys", json!("Ask why five times.")), framework("old", json!(5))], NOW);
    let cards: Vec<&str> = snapshot.router().cards().iter().map(|card| card.id.as_str()).collect();
    assert_eq!(cards, ["five-whys"]);
    assert_eq!(snapshot.segment(Kind::Framework).len(), 2);
}
