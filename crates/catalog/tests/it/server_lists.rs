//! What lists of MCP servers say of servers that they do not know well: folders that are not there, and entries without any link to a
//! server.

use crate::common::{DAY, NOW, build_at, source, stored};
use refdesk_catalog::answer::{self, DetailExtras};
use refdesk_catalog::resolve::{plan, sources_by_id};
use refdesk_catalog::segment::Found;
use refdesk_core::Kind;
use refdesk_core::fact::{SourceInfo, StatedBy, StoredFact};
use serde_json::{Value, json};

const WORDS: &str = "Turns every lamp of a house on or off, by room or by scene.";

/// Source, key, which is the name, too, and the description; and the repository with its folder, behind a `#`.
fn entry(source: &str, key: &str, description: &str, repository: &str) -> StoredFact {
    let (url, folder) = repository.split_once('#').map_or((repository, None), |(url, folder)| (url, Some(folder)));
    let url = (!url.is_empty()).then(|| format!("https://github.com/{url}"));
    let shown = url.as_ref().map(|url| json!({"url": url, "source": "github", "subfolder": folder}));
    let fields = json!({"description": description, "repository": shown});
    let mut fact = stored(source, Kind::McpServer, key, fields, NOW);
    fact.identity.repository = url.map(|url| folder.map_or(url.clone(), |folder| format!("{url}#{folder}")));
    fact
}

fn keyless(source: &str, name: &str, description: &str) -> StoredFact {
    entry(source, name, description, "")
}

/// The README of a repository of lamps, read as a list.
fn own_list() -> Vec<StoredFact> {
    ["acme/lamps#src/wick", "acme/lamps#src/oil", "acme/lamps-archived#src/gas"]
        .iter()
        .map(|repository| {
            let name = repository.rsplit('/').next().unwrap_or_default();
            let mut fact = entry("own", name, name, repository);
            fact.source_url = "https://github.com/acme/lamps/blob/main/README.md#lamps".into();
            fact
        })
        .collect()
}

fn sources() -> Vec<SourceInfo> {
    (1..).zip(["registry", "own", "list"]).map(|(rank, id)| source(id, rank, DAY)).collect()
}

/// Sources and keys by item.
fn items(facts: &[StoredFact]) -> Vec<String> {
    let items = plan(Kind::McpServer, facts, &sources_by_id(&sources())).items;
    let named = |at: &usize| format!("{} {}", facts[*at].source_id, facts[*at].key);
    let mut items: Vec<String> = items
        .iter()
        .map(|item| {
            let mut named: Vec<String> = item.facts.iter().map(named).collect();
            named.sort();
            named.join(", ")
        })
        .collect();
    items.sort();
    items
}

fn detail(facts: &[StoredFact], key: &str) -> Value {
    let snapshot = build_at(facts, sources(), NOW);
    let (Found::Id(at) | Found::Alias(at)) = snapshot.find(Kind::McpServer, key) else { panic!("{key} is there") };
    let answer = answer::detail(&snapshot, at, &DetailExtras::default());
    serde_json::from_slice::<Value>(&answer).unwrap()["mcp_server"].take()
}

/// Of the folders of a list, one is there, one is called as one that is there, and three are made up.
fn made_up() -> Vec<StoredFact> {
    let folders = ["src/wick", "servers/oil", "src/hue", "src/lux", "src/glow"];
    let entries = folders.map(|folder| entry("list", folder, folder, &format!("acme/lamps#{folder}")));
    own_list().into_iter().chain(entries).collect()
}

#[test]
fn a_folder_that_the_own_list_of_its_repository_does_not_have_is_no_place() {
    let mut facts = made_up();
    facts.push(entry("registry", "hue", "hue", "acme/lamps#src/hue"));
    assert_eq!(
        items(&facts),
        [
            "list servers/oil, own oil",
            "list src/glow",
            "list src/hue",
            "list src/lux",
            "list src/wick, own wick",
            "own gas",
            "registry hue",
        ],
        "who errs once is believed"
    );
    let glow = detail(&facts, "src/glow");
    assert_eq!(glow["repository"], Value::Null);
    let conflicts = glow["conflicts"].as_array().unwrap();
    let told: Vec<[&Value; 3]> =
        conflicts.iter().map(|told| [&told["path"], &told["value"], &told["source_id"]]).collect();
    let of = |path: &str, value: &str| [json!(path), json!(value), json!("list")];
    let expected = [
        of("repository.source", "github"),
        of("repository.subfolder", "src/glow"),
        of("repository.url", "https://github.com/acme/lamps"),
    ];
    assert_eq!(told.len(), 3);
    assert!(expected.iter().all(|[a, b, c]| told.contains(&[a, b, c])), "{told:?}");
    assert!(conflicts.iter().all(|told| told["reason"] == "the repository's own list has no such folder"));
    assert_eq!(detail(&facts, "hue")["repository"]["subfolder"], "src/hue");
    assert_eq!(detail(&facts, "src/wick")["repository"]["subfolder"], "src/wick");
}

#[test]
fn a_folder_is_believed_where_no_list_of_the_repository_says_what_is_there() {
    let is_shown = |facts: &[StoredFact]| detail(facts, "src/glow")["repository"]["subfolder"] == "src/glow";
    assert!(!is_shown(&made_up()));
    let mut elsewhere = made_up();
    elsewhere.iter_mut().for_each(|fact| fact.source_url = "https://github.com/other/list/blob/main/README.md".into());
    assert!(is_shown(&elsewhere), "a list of somebody else");
    let mut cards = made_up();
    cards.iter_mut().for_each(|fact| fact.provenance.stated_by = Some(StatedBy::Card));
    assert!(is_shown(&cards), "cards that name the page of the repository");
    let short: Vec<StoredFact> = made_up().into_iter().filter(|fact| fact.key != "gas").collect();
    assert!(is_shown(&short), "a list of two folders");
    let mut right = made_up();
    for folder in ["src/oil", "src/gas"] {
        right.push(entry("list", folder, folder, &format!("acme/lamps#{folder}")));
    }
    assert!(!is_shown(&right), "four of seven are not there");
    right.retain(|fact| fact.key != "src/lux");
    assert!(is_shown(&right), "three of six are not there");
}

#[test]
fn a_server_of_which_nothing_else_is_stated_meets_the_one_with_its_name_and_words() {
    let known = entry("own", "Lamp", WORDS, "acme/lamp-mcp");
    let longer = format!("{WORDS} Lets assistants dim them through plain sentences.");
    let joined = ["list Lamp MCP Server, own Lamp"];
    assert_eq!(items(&[known.clone(), keyless("list", "Lamp MCP Server", &longer)]), joined, "it says more");
    let reworded = "Turning on and off the lamps of houses, by rooms or scenes";
    assert_eq!(items(&[known.clone(), keyless("list", "Lamp MCP Server", reworded)]), joined, "in other forms");
    let apart = |other: StoredFact, why: &str| assert_eq!(items(&[known.clone(), other]).len(), 2, "{why}");
    apart(keyless("list", "Lamp MCP Server", "Lists the lamps of a shop with their prices."), "other words");
    apart(keyless("list", "Lamp MCP Server", "Turns lamps on."), "too few words");
    apart(keyless("list", "Lamp MCP Server", ""), "no words");
    apart(keyless("list", "Wick MCP Server", WORDS), "another name");
    apart(keyless("list", "MCP Server", WORDS), "a name that says nothing");
    apart(entry("list", "Lamp MCP Server", WORDS, "other/lamp"), "another repository");
    let copy = entry("registry", "Lamp", WORDS, "other/lamp");
    let facts = [known.clone(), copy, keyless("list", "Lamp MCP Server", WORDS)];
    assert_eq!(items(&facts).len(), 3, "two servers have its words");
    let twice = [keyless("list", "Lamp", WORDS), known, keyless("list", "Lamp MCP Server", WORDS)];
    assert_eq!(items(&twice), ["list Lamp, list Lamp MCP Server, own Lamp"], "a list has it twice");
}

/// Comparing each of many entries with each other would take hours, and a name that so many have tells nothing.
#[test]
fn a_name_that_more_than_two_hundred_entries_have_tells_none_of_them_from_another() {
    let called_lamp = |count: usize| {
        let others = (0..count - 2).map(|at| {
            let mut other = entry("registry", &format!("lamp-{at}"), "Sells lamps.", &format!("seller-{at}/lamps"));
            other.head.name = "Lamp".into();
            other
        });
        let pair = [entry("own", "Lamp", WORDS, "acme/lamp-mcp"), keyless("list", "Lamp", WORDS)];
        items(&others.chain(pair).collect::<Vec<_>>()).len()
    };
    assert_eq!((called_lamp(200), called_lamp(201)), (199, 201));
}

#[test]
fn who_is_called_as_a_repository_of_one_server_is_that_server() {
    let of = |source: &str, key: &str, folder: &str| entry(source, key, "", &format!("acme/lamp-mcp{folder}"));
    let mut facts: Vec<StoredFact> =
        ["Lamp MCP", "Lamp Pro Server", "Headlamps", "Light"].map(|name| of("list", name, "")).into();
    assert_eq!(items(&facts), ["list Headlamps, list Lamp MCP, list Lamp Pro Server", "list Light"]);
    let of_folder = ["Lamp MCP", "Lamp Pro Server", "Light"].map(|name| entry("list", name, "", "acme/all#src/lamp"));
    assert_eq!(items(&of_folder), ["list Lamp MCP, list Lamp Pro Server", "list Light"]);
    let package = |key: &str, package: &str| {
        let mut fact = of("registry", key, "");
        fact.identity.packages = vec![package.to_owned()];
        fact
    };
    let apart = [&facts[..], &[package("a", "npm:a"), package("b", "npm:b")]].concat();
    assert!(items(&apart).contains(&"list Lamp Pro Server".to_owned()), "a source has two servers of it");
    facts.push(of("own", "wick", "#src/wick"));
    assert!(items(&facts).contains(&"list Lamp Pro Server".to_owned()), "it has folders");
}

/// Otherwise the item would be called as one of them and install the other.
#[test]
fn of_two_servers_in_a_repository_another_source_means_the_one_that_is_called_as_it_is() {
    let package = |key: &str, package: &str| {
        let mut fact = entry("registry", key, "", "acme/lamps");
        fact.identity.packages = vec![package.to_owned()];
        fact
    };
    let list = |name: &str| entry("list", name, "", "acme/lamps");
    let two = [package("Wick", "npm:wick"), package("Oil", "npm:oil")];
    for (name, expected) in [
        ("Oil MCP Server", ["list Oil MCP Server, registry Oil", "registry Wick"]),
        ("Wick MCP", ["list Wick MCP, registry Wick", "registry Oil"]),
    ] {
        assert_eq!(items(&[&two[..], &[list(name)]].concat()), expected);
        assert_eq!(items(&[&[list(name)], &two[..]].concat()), expected, "in any order");
    }
}

#[test]
fn neither_a_copy_of_the_words_nor_a_folder_that_is_not_there_says_anything_about_trust() {
    let tier = |facts: &[StoredFact]| detail(facts, "Lamp")["trust_tier"].clone();
    let known = entry("own", "Lamp", WORDS, "acme/lamp-mcp");
    let copy = keyless("list", "Lamp MCP Server", WORDS);
    assert_eq!(tier(&[known.clone(), copy.clone()]), "community");
    let confirmed = entry("registry", "Lamp server", "Lights lamps.", "acme/lamp-mcp");
    assert_eq!(tier(&[known.clone(), confirmed.clone()]), "verified");
    assert_eq!(tier(&[known.clone(), confirmed.clone(), copy]), "verified");
    let mut facts = made_up();
    facts.extend([known, confirmed, entry("list", "Lamp MCP Server", WORDS, "acme/lamps#src/lamp")]);
    assert!(items(&facts).contains(&"list Lamp MCP Server, own Lamp, registry Lamp server".to_owned()));
    assert_eq!(tier(&facts), "verified");
}

#[test]
fn where_a_server_answers_and_how_it_is_started_are_one_server_where_another_source_says_so() {
    let reached = |source: &str, key: &str, remote: &str| {
        let mut fact = keyless(source, key, "");
        fact.identity.remotes = vec![remote.to_owned()];
        fact
    };
    let started = |key: &str, package: &str| {
        let mut fact = entry("list", key, "", "acme/lamp");
        fact.identity.packages = vec![package.to_owned()];
        fact
    };
    let both = |remote: &str| {
        let mut fact = reached("registry", "com.acme/lamp", remote);
        fact.identity.repository = Some("https://github.com/acme/lamp".into());
        fact
    };
    let (remote, image) = ("https://mcp.acme.com/mcp", "oci:docker.io/acme/lamp");
    let pair = [started("lamp", image), reached("list", "lamp-remote", remote)];
    assert_eq!(items(&pair).len(), 2, "nobody says that they are one");
    let facts = [&pair[..], &[both(remote)]].concat();
    assert_eq!(items(&facts), ["list lamp, list lamp-remote, registry com.acme/lamp"]);
    let two = [started("lamp", image), started("lamp-cli", "npm:lamp-cli"), both(remote)];
    assert_eq!(items(&two).len(), 2, "two packages of one source");
}
