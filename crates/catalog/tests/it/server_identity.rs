//! Which entries of registries and lists are one MCP server, and what an upstream's exact key finds.

use std::sync::Arc;

use crate::common::{DAY, NOW, build_at, source, stored};
use refdesk_catalog::answer::{self, DetailExtras};
use refdesk_catalog::resolve::{plan, sources_by_id};
use refdesk_catalog::segment::Found;
use refdesk_core::fact::{Identity, SourceInfo, StatedBy, StoredFact};
use refdesk_core::item::{Head, McpVersion, Status, TrustTier};
use refdesk_core::{Kind, Stamp};
use serde_json::{Value, json};

/// Source, key and what it states: repository, packages, addresses.
fn server(source: &str, key: &str, repository: &str, packages: &[&str], remotes: &[&str]) -> StoredFact {
    let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
    let identity = Identity {
        repository: (!repository.is_empty()).then(|| format!("https://github.com/{repository}")),
        packages: texts(packages),
        remotes: texts(remotes),
        ..Identity::default()
    };
    fact(source, Kind::McpServer, key, key, identity)
}

fn fact(source: &str, kind: Kind, key: &str, name: &str, identity: Identity) -> StoredFact {
    let head = Head { id: name.into(), name: name.into(), status: Status::Active, ..Head::default() };
    StoredFact { head, identity, ..stored(source, kind, key, json!({}), NOW) }
}

fn sources(ids: &[&str]) -> Vec<SourceInfo> {
    (1..).zip(ids).map(|(rank, id)| source(id, rank, DAY)).collect()
}

/// Keys by item.
fn items(facts: &[StoredFact]) -> Vec<Vec<&str>> {
    let sources = sources_by_id(&sources(&["registry", "docker", "list"]));
    let mut items: Vec<Vec<&str>> = plan(Kind::McpServer, facts, &sources)
        .items
        .iter()
        .map(|item| {
            let mut keys: Vec<&str> = item.facts.iter().map(|at| facts[*at].key.as_str()).collect();
            keys.sort_unstable();
            keys
        })
        .collect();
    items.sort();
    items
}

#[test]
fn servers_meet_by_repository_package_or_address() {
    let facts = [
        server("registry", "com.acme/mcp", "", &["npm:@acme/mcp"], &["https://mcp.acme.com/mcp"]),
        server("docker", "acme", "", &[], &["https://mcp.acme.com/sse"]),
        server("list", "Acme", "acme/mcp", &["npm:@acme/mcp"], &[]),
        server("list", "Other", "other/mcp", &["npm:@other/mcp"], &["https://mcp.other.com/mcp"]),
        server("docker", "bridge", "", &["npm:mcp-remote"], &[]),
        server("registry", "io.github.b/bridge", "", &["npm:mcp-remote"], &[]),
    ];
    assert_eq!(
        items(&facts),
        [vec!["Acme", "acme", "com.acme/mcp"], vec!["Other"], vec!["bridge"], vec!["io.github.b/bridge"]],
        "a bridge that many servers start with tells nothing"
    );
}

#[test]
fn of_two_sources_of_one_rank_the_more_trusted_one_names_the_item() {
    let facts = [server("a-list", "Squatter", "acme/mcp", &[], &[]), server("operator", "Acme", "acme/mcp", &[], &[])];
    let trusted = |tier| {
        let mut sources = sources(&["a-list", "operator"]);
        sources.iter_mut().for_each(|source| source.rank = 50);
        sources[1].trust_tier = tier;
        let snapshot = build_at(&facts, sources, NOW);
        match snapshot.find(Kind::McpServer, "squatter") {
            Found::Id(at) | Found::Alias(at) => snapshot.id(at).to_owned(),
            Found::Ambiguous(_) | Found::Unknown => "nothing".to_owned(),
        }
    };
    assert_eq!(trusted(TrustTier::Community), "squatter", "by their names");
    assert_eq!(trusted(TrustTier::Official), "acme");
}

#[test]
fn a_repository_with_a_folder_is_that_without_only_where_nothing_else_is_in_it() {
    let one = [
        server("registry", "io.github.acme/a", "acme/tools#packages/mcp", &[], &[]),
        server("list", "Acme", "acme/tools", &[], &[]),
    ];
    assert_eq!(items(&one).len(), 1);
    let mono = [
        server("registry", "io.github.acme/a", "acme/tools#packages/a", &[], &[]),
        server("registry", "io.github.acme/b", "acme/tools#packages/b", &[], &[]),
        server("list", "Acme", "acme/tools", &[], &[]),
        server("list", "A", "acme/tools#packages/a", &[], &[]),
    ];
    assert_eq!(items(&mono), [vec!["A", "io.github.acme/a"], vec!["Acme"], vec!["io.github.acme/b"]]);
}

#[test]
fn a_folder_of_an_archive_is_the_folder_of_the_same_path_before() {
    let facts = [
        server("docker", "lamp", "acme/servers#src/lamp", &["oci:docker.io/acme/lamp"], &[]),
        server("list", "Lamp", "acme/servers-archived#src/lamp", &[], &[]),
        server("list", "Wick", "acme/servers-archived#src/wick", &[], &[]),
        server("docker", "all", "other/servers", &[], &[]),
        server("list", "Archive", "other/servers-archived", &[], &[]),
    ];
    assert_eq!(items(&facts), [vec!["Archive"], vec!["Lamp", "lamp"], vec!["Wick"], vec!["all"]]);
}

#[test]
fn one_sources_second_entry_of_a_server_joins_and_entries_that_run_something_else_stay_apart() {
    let twice = [
        server("registry", "ai.gateway/acme-mcp", "acme/mcp", &[], &["https://gateway.example/acme/mcp"]),
        server("registry", "io.github.acme/mcp", "acme/mcp", &["npm:acme-mcp"], &[]),
    ];
    assert_eq!(items(&twice).len(), 1);
    let sources = sources(&["registry"]).into_iter().map(|s| (s.id.clone(), Arc::new(s))).collect();
    assert_eq!(
        twice[plan(Kind::McpServer, &twice, &sources).items[0].facts[0]].key,
        "io.github.acme/mcp",
        "the owner's entry speaks first"
    );
    let two = [
        server("registry", "io.github.acme/a", "acme/mcp", &["npm:acme-a"], &[]),
        server("registry", "io.github.acme/b", "acme/mcp", &["npm:acme-b"], &[]),
    ];
    assert_eq!(items(&two).len(), 2);
    let collection: Vec<StoredFact> =
        ["Alpha", "Beta MCP", "Beta Server"].iter().map(|name| server("list", name, "acme/mcp", &[], &[])).collect();
    assert_eq!(items(&collection), [vec!["Alpha"], vec!["Beta MCP", "Beta Server"]]);
}

/// The same entry of a registry with its latest version, and the day on which that was published.
fn published(mut fact: StoredFact, version: &str, day: &str) -> StoredFact {
    let at = format!("{day}T00:00:00Z");
    let mut fields = fact.fields.read().into_owned();
    fields.insert("version".into(), json!(version));
    fields.insert("published_at".into(), json!(at));
    fields.insert("is_latest".into(), json!(true));
    fact.fields = fields.into();
    let published_at = Stamp::parse(&at);
    let version = version.to_owned();
    fact.identity.versions = vec![McpVersion { version, published_at, is_latest: Some(true), ..McpVersion::default() }];
    fact
}

/// The detail of the server that an entry of the registry is in.
fn detail(facts: &[StoredFact], key: &str) -> Value {
    let snapshot = build_at(facts, sources(&["registry", "docker", "list"]), NOW);
    let (Found::Id(at) | Found::Alias(at)) = snapshot.find(Kind::McpServer, key) else { panic!("{key} is there") };
    let answer = answer::detail(&snapshot, at, &DetailExtras::default());
    serde_json::from_slice::<Value>(&answer).unwrap()["mcp_server"].take()
}

#[test]
fn of_two_entries_of_the_owner_the_newest_leads() {
    let entry = |key: &str| server("registry", key, "acme/lamp", &["nuget:acme.lamp"], &[]);
    let older = published(entry("io.github.acme/lamp"), "0.7.0", "2026-06-12");
    let newer = published(entry("com.acme.mcp/lamp"), "0.10.0", "2026-07-27");
    for facts in [[older.clone(), newer.clone()], [newer, older]] {
        let shown = detail(&facts, "io.github.acme/lamp");
        assert_eq!((&shown["version"], &shown["is_latest"]), (&json!("0.10.0"), &json!(true)));
        let versions = shown["versions"].as_array().unwrap().iter();
        let versions: Vec<_> = versions.map(|version| (&version["version"], &version["is_latest"])).collect();
        let expected = [(json!("0.10.0"), json!(true)), (json!("0.7.0"), json!(false))];
        assert_eq!(versions, expected.each_ref().map(|(version, is_latest)| (version, is_latest)));
    }
}

/// A gateway lists the servers of many owners, each with a date of its own.
#[test]
fn who_says_that_a_server_has_ended_is_told_where_another_source_leads() {
    let of = |source: &str, key: &str, status: Status| {
        let mut fact = server(source, key, "acme/lamp", &[], &[]);
        fact.head.status = status;
        fact
    };
    let leads = of("registry", "io.github.acme/lamp", Status::Active);
    let statuses = |other: Status| {
        let shown = detail(&[leads.clone(), of("list", "lamp", other)], "lamp");
        let conflicts = shown["conflicts"].as_array().cloned().unwrap_or_default();
        let told = conflicts.into_iter().filter(|conflict| conflict["path"] == "status");
        let told: Vec<Value> = told.map(|conflict| json!([conflict["value"], conflict["source_id"]])).collect();
        (shown["status"].clone(), shown["field_evidence"]["status"]["source_id"].clone(), told)
    };
    let ended = (json!("active"), json!("registry"), vec![json!(["deprecated", "list"])]);
    assert_eq!(statuses(Status::Deprecated), ended);
    let silent = |other: Status| assert_eq!(statuses(other), (json!("active"), Value::Null, Vec::new()));
    silent(Status::Active);
    silent(Status::Unknown);
}

#[test]
fn a_version_that_is_published_far_ahead_is_a_slip_and_makes_no_other_old() {
    let entry = |key: &str, version: &str, day: &str| {
        published(server("registry", key, "acme/lamp", &["nuget:acme.lamp"], &[]), version, day)
    };
    let slip = entry("com.acme.mcp/lamp", "0.1.0", "2089-01-01");
    let alone = detail(std::slice::from_ref(&slip), "com.acme.mcp/lamp");
    let told: Vec<&Value> =
        alone["conflicts"].as_array().unwrap().iter().filter(|told| told["path"] == "published_at").collect();
    assert_eq!((&alone["published_at"], told.len()), (&Value::Null, 1));
    assert_eq!(told[0]["value"], "2089-01-01T00:00:00Z");
    assert!(told[0]["reason"].as_str().unwrap().contains("more than a year ahead"), "{}", told[0]);
    let both = detail(&[slip, entry("io.github.acme/lamp", "0.7.0", "2026-06-12")], "com.acme.mcp/lamp");
    assert_eq!((&both["version"], &both["is_latest"]), (&json!("0.7.0"), &json!(true)));
}

#[test]
fn an_entry_of_a_gateway_goes_last_and_a_newer_version_there_is_the_latest() {
    let remote = "https://gateway.example/lamp/mcp";
    let gateway =
        |name: &str, repository: &str| server("registry", &format!("ai.gateway/{name}"), repository, &[], &[]);
    let facts = [
        published(server("registry", "ai.gateway/lamp", "acme/lamp", &[], &[remote]), "2.0.0", "2026-08-01"),
        published(server("registry", "dev.lampworks/lamp", "acme/lamp", &["npm:lamp"], &[]), "1.0.0", "2026-07-01"),
        gateway("a", "one/a"),
        gateway("b", "two/b"),
    ];
    let shown = detail(&facts, "ai.gateway/lamp");
    assert_eq!((&shown["display_name"], &shown["version"]), (&json!("dev.lampworks/lamp"), &json!("1.0.0")));
    assert_eq!(shown["is_latest"], false, "the gateway has a newer one");
    let conflicts = shown["conflicts"].as_array().unwrap();
    let stated = conflicts.iter().find(|conflict| conflict["path"] == "is_latest").unwrap();
    assert_eq!(stated["value"], true);
    assert_eq!(shown["versions"].as_array().unwrap().len(), 2);
    assert_eq!((&shown["versions"][0]["version"], &shown["versions"][0]["is_latest"]), (&json!("2.0.0"), &json!(true)));
    // Of two owners it is no gateway, and the newest leads.
    assert_eq!(detail(&facts[..3], "ai.gateway/lamp")["version"], "2.0.0");
}

#[test]
fn the_vendor_of_an_entry_of_a_gateway_is_the_owner_of_its_repository_where_it_states_one() {
    let by = |vendor: &str, key: &str, repository: &str| {
        let mut fact = server("registry", key, repository, &[], &[]);
        fact.head.vendor = Some(vendor.into());
        fact
    };
    let gateway = |name: &str, repository: &str| by("gateway.ai", &format!("ai.gateway/{name}"), repository);
    let facts = [
        gateway("lamp", "Acme/lamp"),
        gateway("a", "one/a"),
        gateway("b", "two/b"),
        gateway("own", ""),
        by("other.dev", "dev.other/lamp", "Acme/wick"),
    ];
    let vendor = |facts: &[StoredFact], key: &str| detail(facts, key)["vendor"].clone();
    assert_eq!(vendor(&facts, "ai.gateway/lamp"), "Acme");
    assert_eq!(vendor(&facts, "ai.gateway/own"), "gateway.ai", "nobody else is stated");
    assert_eq!(vendor(&facts, "dev.other/lamp"), "other.dev", "one who publishes a server of somebody is no gateway");
    assert_eq!(vendor(&facts[..2], "ai.gateway/lamp"), "gateway.ai", "nor is one with servers of two owners");
}

/// An entry of one repository, in a source, with its version and how it is run.
fn run(source: &str, version: Option<&str>, packages: &Value, remotes: &Value) -> StoredFact {
    let mut fact = server(source, &format!("{source}/lamp"), "acme/lamp", &[], &[]);
    let fields = [("version", json!(version)), ("packages", packages.clone()), ("remotes", remotes.clone())];
    let mut all = fact.fields.read().into_owned();
    all.extend(fields.map(|(name, value)| (name.to_owned(), value)));
    fact.fields = all.into();
    fact
}

/// A gateway's address is no way to reach the version of the maker, which never stated it.
#[test]
fn a_version_and_how_it_is_run_are_of_one_source_and_the_others_stay_conflicts() {
    let (package, remote) = (json!([{"identifier": "lamp"}]), json!([{"url": "https://gateway.example/lamp"}]));
    let none = json!([]);
    let told = |facts: [StoredFact; 2]| {
        let shown = detail(&facts, "registry/lamp");
        let conflicts = shown["conflicts"].as_array().unwrap().iter();
        let paths: Vec<String> = conflicts.map(|conflict| conflict["path"].as_str().unwrap().to_owned()).collect();
        (shown["version"].clone(), shown["packages"].clone(), shown["remotes"].clone(), paths.join(" "))
    };
    let conflicts = |paths: &str| paths.to_owned();
    assert_eq!(
        told([run("registry", Some("1.0"), &package, &none), run("docker", None, &none, &remote)]),
        (json!("1.0"), package.clone(), none.clone(), conflicts("remotes"))
    );
    assert_eq!(
        told([run("registry", Some("1.0"), &none, &none), run("docker", Some("2.0"), &none, &remote)]),
        (json!("2.0"), none.clone(), remote.clone(), conflicts("version")),
        "the lead states no way to run it"
    );
    assert_eq!(
        told([run("registry", Some("1.0"), &none, &none), run("docker", None, &package, &none)]),
        (json!("1.0"), package.clone(), none.clone(), conflicts("")),
        "nobody else states a version"
    );
    let mut stale = run("registry", Some("1.0"), &package, &none);
    stale.standing.last_verified_at = Some(NOW.plus_secs(-30 * 86_400));
    stale.standing.last_synced_at = NOW.plus_secs(-30 * 86_400);
    assert_eq!(
        told([stale, run("docker", Some("0.9"), &none, &none)]),
        (json!("1.0"), package, none, conflicts("version")),
        "a source that is down takes nothing away"
    );
}

/// Anybody may publish an entry that states somebody's repository.
#[test]
fn an_entry_that_somebody_else_publishes_about_a_repository_neither_leads_nor_says_how_the_server_is_run() {
    let evil = json!([{"identifier": "evil"}]);
    let with = |fact: StoredFact, fields: Value| {
        let mut all = fact.fields.read().into_owned();
        all.extend(fields.as_object().unwrap().clone());
        StoredFact { fields: all.into(), ..fact }
    };
    let squatter = |key: &str| {
        let entry = published(server("registry", key, "acme/lamp", &[], &[]), "9.9.9", "2026-08-01");
        with(entry, json!({"packages": evil, "description": "Evil."}))
    };
    let owner = published(server("registry", "io.github.acme/lamp", "acme/lamp", &[], &[]), "1.0.0", "2026-07-01");
    let card = |same_as: &[&str], at: Stamp| {
        let mut card = server("list", "lamp", "acme/lamp", &[], &[]);
        card.head.vendor = Some("Acme Inc".into());
        card.provenance.stated_by = Some(StatedBy::Card);
        card.identity.same_as = same_as.iter().map(ToString::to_string).collect();
        (card.standing.last_synced_at, card.standing.last_verified_at) = (at, Some(at));
        with(card, json!({"official": true, "packages": [{"identifier": "lamp"}], "description": "Lights."}))
    };
    let shown = |facts: &[StoredFact]| {
        let shown = detail(facts, "com.evil/lamp");
        let conflicts = shown["conflicts"].as_array().unwrap().clone();
        let is_told = conflicts.iter().any(|conflict| conflict["path"] == "packages" && conflict["value"] == evil)
            && conflicts.iter().any(|conflict| conflict["path"] == "description" && conflict["value"] == "Evil.");
        let packages =
            shown["packages"].as_array().map(|all| all.iter().map(|one| one["identifier"].clone()).collect());
        (shown["id"].clone(), packages.unwrap_or_default(), shown["description"].clone(), is_told)
    };
    let none: Vec<Value> = Vec::new();
    let (evils, names) = (squatter("com.evil/lamp"), |id: &str| json!(id));
    assert_eq!(
        shown(&[evils.clone(), owner.clone()]),
        (names("io.github.acme-lamp"), none, Value::Null, true),
        "the owner's entry states neither a package nor a description"
    );
    let latest = detail(&[evils.clone(), owner], "com.evil/lamp");
    assert_eq!(
        (&latest["version"], &latest["is_latest"]),
        (&json!("1.0.0"), &json!(true)),
        "nobody else has a newer one"
    );
    let versions: Vec<&Value> = latest["versions"].as_array().unwrap().iter().map(|of| &of["version"]).collect();
    assert_eq!(versions, [&json!("1.0.0")]);
    let lamp = vec![json!("lamp")];
    for at in [NOW, NOW.plus_secs(-30 * DAY)] {
        let facts = [evils.clone(), card(&[], at)];
        assert_eq!(shown(&facts), (names("lamp"), lamp.clone(), json!("Lights."), true), "a card of the vendor's own");
    }
    let named = shown(&[evils, card(&["mcp:com.evil/lamp"], NOW)]);
    assert_eq!((named.0, named.1), (names("com.evil-lamp"), vec![json!("evil")]), "the card names the entry");
    let facts = [squatter("com.acme-inc/lamp"), card(&[], NOW)];
    assert_eq!(detail(&facts, "com.acme-inc/lamp")["version"], "9.9.9", "the namespace is called as the vendor");
}

#[test]
fn a_gateway_with_the_addresses_of_several_servers_is_none_of_them() {
    let facts = [
        server("registry", "com.acme/all", "", &[], &["https://a.acme.com/sse", "https://b.acme.com/sse"]),
        server("docker", "acme-a", "", &[], &["https://a.acme.com/sse"]),
        server("docker", "acme-b", "", &[], &["https://b.acme.com/sse"]),
    ];
    assert_eq!(items(&facts).len(), 3);
}

#[test]
fn an_exact_upstream_key_always_resolves_and_a_markdown_link_is_no_alias() {
    let model = |source: &str, key: &str, name: &str| {
        let identity = Identity { provider: Some(name.into()), api_model_id: Some(name.into()), ..Identity::default() };
        let mut fact = fact(source, Kind::Model, key, name, identity);
        fact.head.aliases = vec!["shared".into()];
        fact
    };
    let link = "[Acme](https://github.com/acme/mcp)";
    let facts = [
        model("second", "key", "item-2"),
        model("first", "key", "item-1"),
        model("first", "other", "item-3"),
        server("list", link, "acme/mcp", &[], &[]),
        server("list", "https://lamp.example/mcp", "", &[], &[]),
    ];
    let snapshot = build_at(&facts, sources(&["first", "second", "list"]), NOW);
    let id = |found: Found| match found {
        Found::Id(ordinal) | Found::Alias(ordinal) => snapshot.id(ordinal).to_owned(),
        Found::Ambiguous(_) => "several".to_owned(),
        Found::Unknown => "none".to_owned(),
    };
    assert_eq!(
        id(snapshot.find(Kind::Model, "key")),
        "item-1",
        "two items have the key: the better-ranked source's is meant"
    );
    assert_eq!(id(snapshot.find(Kind::Model, "other")), "item-3");
    assert_eq!(id(snapshot.find(Kind::Model, "item-2")), "item-2", "an id comes before any key");
    assert_eq!(
        id(snapshot.find(Kind::Model, "shared")),
        "several",
        "a softer alias that fits several resolves to none"
    );
    let lamp = id(snapshot.find(Kind::McpServer, "https://lamp.example/mcp"));
    assert_eq!(id(snapshot.find(Kind::McpServer, "https://lamp.example/mcp/")), lamp, "a closing slash does not count");
    assert_ne!(lamp, "none");
    assert_eq!(id(snapshot.find(Kind::Model, "item-2/")), "none", "that of an address");
    let Found::Alias(acme) = snapshot.find(Kind::McpServer, link) else { panic!("the key of a list's entry resolves") };
    let row = String::from_utf8(snapshot.row(acme).to_vec()).unwrap();
    assert!(row.contains(r#""aliases":[]"#), "{row}");
}
