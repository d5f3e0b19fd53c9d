//! What is typed as a whole: addresses and packages of servers, and commands that start them. `docs/api.md#search`.

use super::super::understanding::{asked, ids};
use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use crate::rest::searching::resolving;
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Document, Item, McpRepository, McpServer};
use serde_json::{Value, json};

/// A server with its repository, a folder there, a package and an endpoint, where it has them.
fn server(
    id: &str,
    repository: Option<(&str, Option<&str>)>,
    package: Option<&str>,
    remote: Option<&str>,
) -> StoredFact {
    let repository = repository.map(|(url, subfolder)| McpRepository {
        url: Some(url.to_owned()),
        subfolder: subfolder.map(str::to_owned),
        ..McpRepository::default()
    });
    let packages = package.map(|identifier| json!({"registryType": "npm", "identifier": identifier}));
    let remotes = remote.map(|url| json!({"type": "streamable-http", "url": url}));
    let server = McpServer {
        repository,
        packages: packages.into_iter().collect(),
        remotes: remotes.into_iter().collect(),
        ..McpServer::default()
    };
    fact(id, id, id, &Item::McpServer(server))
}

fn page(id: &str, says: &str) -> StoredFact {
    fact(id, id, id, &Item::Document(Document { summary: Some(says.to_owned()), ..Document::default() }))
}

/// Status and id of what a spelling resolves to, with the other meanings.
async fn resolved(bench: &Bench, spelling: &str) -> (String, Value, Vec<String>) {
    let spelling: String = url::form_urlencoded::byte_serialize(spelling.as_bytes()).collect();
    resolving::resolved(bench, &spelling).await
}

#[tokio::test]
async fn a_server_is_named_by_its_repository_and_by_where_it_runs() {
    let desk = "https://github.com/Acme/lamp-desk";
    let facts = [
        server("harbor", Some((desk, None)), None, Some("https://mcp.acme.example/mcp")),
        server("folder", Some(("https://github.com/acme/many", Some("src/folder"))), None, None),
        server("first", None, None, Some("https://shared.example/mcp")),
        server("second", None, None, Some("https://shared.example/mcp/")),
        page("telling", "The lamp desk of acme is at github.com, and mcp.acme.example/mcp runs it."),
    ];
    let bench = Bench::over(unlimited(), &facts);
    for address in [
        desk,
        "https://github.com/acme/lamp-desk.git",
        "github.com/acme/lamp-desk",
        "https://mcp.acme.example/mcp",
        "https://mcp.acme.example/mcp/",
    ] {
        let (status, id, _) = resolved(&bench, address).await;
        assert_eq!((status.as_str(), id), ("alias", json!("harbor")), "{address}");
        assert_eq!(ids(&asked(&bench, address).await)[0], "harbor", "{address}");
    }
    let (status, _, candidates) = resolved(&bench, "https://shared.example/mcp").await;
    assert_eq!((status.as_str(), candidates), ("ambiguous", vec!["first".to_owned(), "second".to_owned()]));
    assert_eq!(ids(&asked(&bench, "https://shared.example/mcp").await)[..2], ["first", "second"]);
    let (status, id, _) = resolved(&bench, "https://github.com/acme/many").await;
    assert_eq!((status.as_str(), id), ("unknown", Value::Null), "it is only a folder of that");
}

/// Servers whose packages are called otherwise than they are, beside what has the same words.
fn packed() -> Bench {
    Bench::over(
        unlimited(),
        &[
            server("harbor", None, Some("fattureincloud-mcp"), None),
            server("lamp-context", None, Some("gannet-developer-mcp"), None),
            server("postgres", None, Some("@acme/server-postgres"), None),
            server("vendor.postgres", None, None, None),
            server("echo-one", None, Some("plover-echo-server"), None),
            server("echo-two", None, Some("plover-echo-server"), None),
            server("board", None, Some("GameBoardMcp"), None),
            server("image", None, Some("ghcr.io/acme/mcp-okx:latest"), None),
            server("sheet", None, Some("Acme.Sheet.McpServer"), None),
            page("gannet", "Gannet for every developer of mcp: a server of postgres, echo and plover, okx and sheet."),
        ],
    )
}

#[tokio::test]
async fn a_whole_package_leads_to_its_servers() {
    let bench = packed();
    for (package, server) in [
        ("gannet-developer-mcp", "lamp-context"),
        ("Acme.Sheet.McpServer", "sheet"),
        ("@acme/server-postgres", "postgres"),
        ("GameBoardMcp", "board"),
        ("ghcr.io/acme/mcp-okx:latest", "image"),
        ("ghcr.io/acme/mcp-okx", "image"),
        ("ghcr.io/acme/mcp-okx:1.2", "image"),
    ] {
        let (status, id, _) = resolved(&bench, package).await;
        assert_eq!((status.as_str(), id), ("alias", json!(server)), "{package}");
        assert_eq!(ids(&asked(&bench, package).await)[0], server, "{package}");
    }
    assert_eq!(ids(&asked(&bench, "plover-echo-server").await)[..2], ["echo-one", "echo-two"]);
    // What is called so goes before whose package is.
    assert_eq!(ids(&asked(&bench, "postgres").await)[0], "postgres");
}

/// `npm:x` led to a server called `npm`.
#[tokio::test]
async fn a_registry_before_a_package_leads_to_the_server_that_comes_in_it_and_to_no_other() {
    let bench = packed();
    for (package, server) in [
        ("npm:@acme/server-postgres", json!("postgres")),
        ("npm:gannet-developer-mcp@1.2", json!("lamp-context")),
        ("pypi:gannet-developer-mcp", Value::Null),
        ("GameBoardMcp:m-a", Value::Null),
    ] {
        let (status, id, _) = resolved(&bench, package).await;
        let expected = if server.is_null() { "unknown" } else { "alias" };
        assert_eq!((status.as_str(), id), (expected, server), "{package}");
    }
}

#[tokio::test]
async fn a_command_leads_to_the_server_in_its_package_whatever_that_is_called() {
    let bench = packed();
    for (command, server) in [
        ("npx -y @acme/server-postgres", "postgres"),
        ("docker run -i --rm ghcr.io/acme/mcp-okx:2", "image"),
        ("uvx fattureincloud-mcp", "harbor"),
        ("dnx GameBoardMcp", "board"),
        ("dnx GameBoardMcp@1.0.0 --yes", "board"),
        ("dotnet tool install --global Acme.Sheet.McpServer", "sheet"),
    ] {
        let answer = asked(&bench, command).await;
        assert_eq!((ids(&answer)[0], &answer["warnings"]), (server, &json!([])), "{command}");
    }
    assert_eq!(ids(&asked(&bench, "npx plover-echo-server").await)[..2], ["echo-one", "echo-two"]);
}
