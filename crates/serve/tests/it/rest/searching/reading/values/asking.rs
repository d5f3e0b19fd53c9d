//! Words that only ask, and those that hold a filter together with what it is said of: neither is searched for. `docs/api.md#search`.

use super::super::understanding::{asked, ids, made_by};
use super::super::wording::{check, read};
use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Document, Item, McpServer, Model, Skill, Tutorial};
use serde_json::json;

/// A server that comes as a package of a registry, or is reached by a transport.
fn server(id: &str, registry: Option<&str>, transport: Option<&str>) -> StoredFact {
    let packages = registry.map(|registry| json!({"registryType": registry, "identifier": id}));
    let remotes = transport.map(|transport| json!({"type": transport, "url": format!("https://{id}.example")}));
    let server = McpServer {
        packages: packages.into_iter().collect(),
        remotes: remotes.into_iter().collect(),
        ..McpServer::default()
    };
    let mut stored = fact(id, id, id, &Item::McpServer(server));
    stored.head.vendor = Some("Acme".to_owned());
    stored
}

/// A page in a language.
fn page(id: &str, language: &str) -> StoredFact {
    let mut stored = fact(id, id, id, &Item::Document(Document::default()));
    stored.head.language = Some(language.to_owned());
    stored
}

fn everything() -> Bench {
    let mut skill = fact("plover", "plover", "Plover", &Item::Skill(Skill::default()));
    skill.head.vendor = Some("Acme".to_owned());
    let mut gull = server("gull", Some("npm"), None);
    gull.head.name = "Gull to see and feed logs and let's encrypt".to_owned();
    Bench::over(
        unlimited(),
        &[
            gull,
            server("tern", Some("oci"), None),
            server("knot", Some("nuget"), None),
            server("rail", None, Some("sse")),
            server("stilt", None, Some("streamable-http")),
            page("nest", "de"),
            page("egg", "en"),
            fact("song", "song", "Song", &Item::Tutorial(Tutorial::default())),
            skill,
        ],
    )
}

#[tokio::test]
async fn words_of_asking_are_not_searched_for() {
    let on_npm = json!({"registry_type": "npm"});
    check(
        &everything(),
        &[
            ("I'm looking for mcp servers on npm", on_npm.clone()),
            ("I’m looking for mcp servers on npm", on_npm.clone()),
            ("im looking for mcp servers on npm", on_npm.clone()),
            ("we've been searching for mcp servers on npm", on_npm.clone()),
            ("I am searching for mcp servers on npm", on_npm.clone()),
            ("I would like to see mcp servers on npm", on_npm.clone()),
            ("let's see mcp servers on npm", on_npm.clone()),
            ("I'd like mcp servers on npm", on_npm.clone()),
            ("mcp servers that I can deploy on npm", on_npm),
        ],
    )
    .await;
    // What one wants to do is searched for, as is what is done with something.
    for (question, left) in [
        ("I want to see logs mcp servers on npm", "see logs"),
        ("mcp servers on npm that I can feed logs", "feed logs"),
        ("let's encrypt mcp servers on npm", "let's encrypt"),
    ] {
        let (filters, _, rest) = read(&everything(), question).await;
        assert_eq!((filters, rest), (json!({"registry_type": "npm"}), json!(left)), "{question}");
    }
}

#[tokio::test]
async fn a_verb_between_the_kind_and_a_filter_belongs_to_that() {
    let of_acme = json!({"vendor": "Acme"});
    check(
        &everything(),
        &[
            ("what skills does Acme publish", of_acme.clone()),
            ("what mcp servers does Acme offer", of_acme.clone()),
            ("skills that acme maintains", of_acme.clone()),
            ("skills authored by acme", of_acme.clone()),
            ("skills that were written by acme", of_acme.clone()),
            ("mcp servers provided by acme", of_acme.clone()),
            ("mcp servers hosted by Acme", of_acme),
            ("mcp servers hosted by a third party", json!({"install_type": "remote"})),
            ("documents written in german", json!({"language": "de"})),
            ("documents about birds in german", json!({"language": "de"})),
            ("mcp servers shipped as docker containers", json!({"registry_type": "oci"})),
        ],
    )
    .await;
    // What is no maker's is what they are about.
    let (filters, _, rest) = read(&everything(), "skills authored by nobody else").await;
    assert_eq!((filters, rest), (json!({}), json!("authored by nobody")));
}

#[tokio::test]
async fn a_noun_of_the_field_belongs_to_a_value_behind_a_preposition() {
    check(
        &everything(),
        &[
            ("mcp servers available as npm package", json!({"registry_type": "npm"})),
            ("mcp servers published as npm packages", json!({"registry_type": "npm"})),
            ("mcp servers distributed as nuget packages", json!({"registry_type": "nuget"})),
            ("mcp servers with a remote endpoint", json!({"install_type": "remote"})),
            ("mcp server with a remote endpoint", json!({"install_type": "remote"})),
            ("mcp servers with an sse url", json!({"transport": "sse"})),
        ],
    )
    .await;
    let (_, _, rest) = read(&everything(), "npm package mcp server").await;
    assert_eq!(rest, json!("npm package"), "without a preposition it is what the server is about");
}

#[tokio::test]
async fn both_values_of_one_field_are_read_as_either_with_a_warning() {
    let answer = asked(&everything(), "mcp servers with both sse and http transport").await;
    assert_eq!(answer["understood"]["filters"]["transport"], "sse,streamable-http", "{answer}");
    assert_eq!(
        answer["warnings"],
        json!(["`both` is read as either: no filter asks for several values of `transport`"])
    );
    let answer = asked(&everything(), "mcp servers with sse and http transport").await;
    assert_eq!(answer["warnings"], json!([]));
}

#[tokio::test]
async fn what_has_no_licence_is_asked_for_of_each_kind_that_has_the_field() {
    for kind in ["mcp servers", "skills", "tutorials", "models"] {
        let bench = everything();
        let filters = json!({"license__isnull": "true"});
        check(&bench, &[(&format!("{kind} without a license"), filters)]).await;
    }
    let (filters, ..) = read(&everything(), "skill to find missing license headers").await;
    assert_eq!(filters, json!({}));
}

#[tokio::test]
async fn words_that_leave_little_are_told_of_each_kind() {
    let mut facts: Vec<StoredFact> = (0..24).map(|at| server(&format!("gull-{at}"), Some("npm"), None)).collect();
    facts[7].head.name = "Falconry".to_owned();
    let answer = asked(&Bench::over(unlimited(), &facts), "mcp servers on npm about falconry").await;
    assert_eq!(ids(&answer), ["gull-7"], "{answer}");
    assert_eq!(answer["warnings"], json!(["`falconry` leaves 1 of the 24 that meet the filters"]));
}

#[tokio::test]
async fn documents_are_asked_for_behind_words_of_asking_where_a_filter_follows() {
    let in_german = json!({"language": "de"});
    for question in [
        "list documents in german",
        "find documents in german",
        "give me documents in german",
        "are there any documents in german",
        "do you have documents in german",
        "do you have any pages written in german",
    ] {
        check(&everything(), &[(question, in_german.clone())]).await;
        assert_eq!(asked(&everything(), question).await["understood"]["kind"], "DOC", "{question}");
    }
    for question in ["give me documents", "sign documents in german", "search documents in german"] {
        let understood = asked(&everything(), question).await["understood"].take();
        assert_ne!(understood["kind"], "DOC", "{question}");
    }
}

#[tokio::test]
async fn a_mode_in_front_of_models_is_one_where_it_is_not_the_first_word() {
    let of_mode = |mode: &str| made_by("Acme Labs", mode, Model { mode: Some(mode.to_owned()), ..Model::default() });
    let bench = Bench::over(unlimited(), &["chat", "search"].map(of_mode));
    check(
        &bench,
        &[
            ("list search models", json!({"model_mode": "search"})),
            ("search models from acme labs", json!({"vendor": "Acme Labs"})),
            ("please search models from acme labs", json!({"vendor": "Acme Labs"})),
        ],
    )
    .await;
    let cheap = asked(&bench, "cheap search models").await["understood"].take();
    assert_eq!((&cheap["filters"]["model_mode"], &cheap["sort"]), (&json!("search"), &json!("price_blended,-offers")));
    // No field says which models look something up.
    assert_eq!(read(&bench, "models with search").await.2, json!("search"));
}
