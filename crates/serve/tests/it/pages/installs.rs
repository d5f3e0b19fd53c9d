//! How servers and skills are installed: what their sources state, for every client.

use super::Page;
use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use refdesk_core::item::{Item, McpSecret, McpServer, Skill, SkillRepository};
use serde_json::{Value, json};

/// The page of a server.
async fn server(packages: Vec<Value>, remotes: Vec<Value>) -> Page {
    server_named("x/desk", packages, remotes).await
}

async fn server_named(name: &str, packages: Vec<Value>, remotes: Vec<Value>) -> Page {
    let item = Item::McpServer(McpServer { name: Some(name.into()), packages, remotes, ..McpServer::default() });
    let bench = Bench::over(unlimited(), &[fact(name, "desk", "Desk", &item)]);
    let id = bench.json("/v1/mcp-servers/list").await["mcp_servers"][0]["id"].as_str().unwrap().to_owned();
    Page::of(&bench, &format!("/mcp-servers/{id}")).await
}

#[tokio::test]
async fn a_header_keeps_the_words_around_what_its_owner_fills_in() {
    let headers = json!([{"name": "Authorization", "value": "Bearer {token}"}, {"name": "X-Note"}]);
    let remote = json!({"type": "streamable-http", "url": "https://desk.example/mcp", "headers": headers});
    let page = server(vec![], vec![remote]).await;
    let line =
        "claude mcp add --transport http desk https://desk.example/mcp --header 'Authorization: Bearer <your token>'";
    assert!(page.words().contains(line), "{}", page.words());
    assert!(!page.words().contains("<your X-Note>"), "it may be left out: {}", page.words());
}

#[tokio::test]
async fn headers_of_an_address_are_no_environment_variables() {
    let package =
        |name: &str| json!({"registryType": "npm", "identifier": name, "environmentVariables": [{"name": "DESK_KEY"}]});
    let remote = json!({"type": "streamable-http", "url": "https://desk.example/mcp", "headers": [{"name": "X-Desk"}]});
    let html = server(vec![package("a"), package("b")], vec![remote]).await.html();
    let below =
        |title: &str| html.split_once(&format!("<h2>{title}</h2>")).unwrap().1.split_once("</table>").unwrap().0;
    let (variables, headers) = (below("Environment variables"), below("Headers"));
    assert_eq!(variables.matches("DESK_KEY").count(), 1, "each package names it again: {variables}");
    assert!(headers.contains("X-Desk") && !variables.contains("X-Desk") && !headers.contains("DESK_KEY"), "{headers}");
}

#[tokio::test]
async fn a_package_that_listens_is_started_first_and_a_bundle_is_opened() {
    let listens = json!({"registryType": "npm", "identifier": "desk", "transport": {"type": "sse", "url": "http://localhost:{port}/sse"},
        "packageArguments": [{"type": "named", "name": "--port", "isRequired": true, "default": "8089"}]});
    let bundle = json!({"registryType": "mcpb", "identifier": "https://desk.example/desk.mcpb", "fileSha256": "0123", "transport": {"type": "stdio"}});
    let page = server(vec![listens, bundle], vec![]).await;
    let words = page.words();
    assert!(words.contains("npm package desk, over SSE at http://localhost:8089/sse Start it first"), "{words}");
    assert!(
        words.contains("npx -y desk --port 8089") && words.contains("--transport sse desk http://localhost:8089/sse")
    );
    assert!(!words.contains("claude mcp add desk --"), "no client starts it: {words}");
    assert!(page.links().contains(&"https://desk.example/desk.mcpb".to_owned()) && words.contains("0123"), "{words}");
    let html = page.html();
    let ways = html.split_once("id=\"install\"").unwrap().1.split_once("<h2").unwrap().0;
    assert_eq!((ways.matches("<details").count(), ways.matches("<details open>").count()), (2, 1), "the first is open");
    assert!(page.links().contains(&"#install".to_owned()));
}

/// Another source than that of the lines may know what the server asks for.
#[tokio::test]
async fn a_secret_that_no_package_has_in_its_environment_is_told() {
    let secret = |name: &str, env: Option<&str>| McpSecret {
        name: name.into(),
        env: env.map(Into::into),
        description: Some("Made in the console".into()),
        ..McpSecret::default()
    };
    let item = McpServer {
        packages: vec![
            json!({"registryType": "npm", "identifier": "desk", "environmentVariables": [{"name": "DESK_KEY"}]}),
        ],
        secrets: vec![
            secret("desk.key", Some("DESK_KEY")),
            secret("desk.token", Some("DESK_TOKEN")),
            secret("desk.login", None),
        ],
        ..McpServer::default()
    };
    let bench = Bench::over(unlimited(), &[fact("desk", "desk", "Desk", &Item::McpServer(item))]);
    let html = Page::of(&bench, "/mcp-servers/desk").await.html();
    let table = html.split_once("aria-label=\"Secrets\"").unwrap().1.split_once("</table>").unwrap().0;
    for told in ["<code>DESK_TOKEN</code>", "<code>desk.login</code>", "Made in the console"] {
        assert!(table.contains(told), "{told}: {table}");
    }
    assert!(!table.contains("DESK_KEY"), "it is among the environment variables: {table}");
}

/// The file of Claude Desktop takes programs only: a block with `url` in it is refused.
#[tokio::test]
async fn claude_desktop_is_given_no_block_for_an_address() {
    let at = |url: &str, headers: Value| vec![json!({"type": "streamable-http", "url": url, "headers": headers})];
    let key = json!([{"name": "X-Key", "isRequired": true}]);
    for (remote, told) in [
        (at("https://desk.example/mcp", json!([])), "Add custom connector, with the address https://desk.example/mcp"),
        (at("https://desk.example/mcp", key), "cannot send your header, and this server needs X-Key"),
        (at("http://localhost:8089/mcp", json!([])), "they reach public HTTPS addresses only"),
    ] {
        let words = server(vec![], remote).await.words();
        assert!(words.contains(" Cursor { \"mcpServers\"") && words.contains(told), "{told}: {words}");
        assert!(!words.contains("Claude Desktop and Cursor"), "{words}");
    }
    let package = json!({"registryType": "npm", "identifier": "desk", "transport": {"type": "stdio"}});
    let words = server(vec![package], vec![]).await.words();
    assert!(words.contains("Claude Desktop and Cursor { \"mcpServers\""), "{words}");
}

/// Clients keep one server for each name: two that are called `mcp` would push each other out.
#[tokio::test]
async fn a_server_that_is_only_called_mcp_installs_under_the_name_of_its_publisher() {
    for (name, line) in [
        ("com.stripe/mcp", "claude mcp add --transport http stripe https://desk.example/mcp"),
        ("com.figma.mcp/mcp", "claude mcp add --transport http figma https://desk.example/mcp"),
        ("io.github.user/server-x", "claude mcp add --transport http server-x https://desk.example/mcp"),
    ] {
        let remote = json!({"type": "streamable-http", "url": "https://desk.example/mcp"});
        let words = server_named(name, vec![], vec![remote]).await.words();
        assert!(words.contains(line), "{line}: {words}");
    }
}

#[tokio::test]
async fn a_server_without_a_package_and_an_address_says_so() {
    let words = server(vec![], vec![]).await.words();
    assert!(words.contains("Its source states neither a package nor an address to connect to."), "{words}");
}

#[tokio::test]
async fn a_skill_has_lines_that_put_its_folder_where_clients_look() {
    let repository = SkillRepository {
        url: Some("https://forge.example/acme/skills".into()),
        reference: Some("main".into()),
        path: Some("skills/pdf-forms".into()),
        ..SkillRepository::default()
    };
    let skill = Skill { repository: Some(repository), ..Skill::default() };
    let facts =
        [fact("a", "pdf", "PDF", &Item::Skill(skill)), fact("b", "bare", "Bare", &Item::Skill(Skill::default()))];
    let bench = Bench::over(unlimited(), &facts);
    let page = Page::of(&bench, "/skills/pdf").await;
    for line in [
        "git clone --filter=blob:none --no-checkout --depth 1 --branch=main https://forge.example/acme/skills skill-source",
        "git -C skill-source checkout HEAD -- skills/pdf-forms",
        "mkdir -p ~/.claude/skills && cp -R skill-source/skills/pdf-forms ~/.claude/skills/pdf-forms",
        "mkdir -p .agents/skills && cp -R skill-source/skills/pdf-forms .agents/skills/pdf-forms",
    ] {
        assert!(page.words().contains(line), "{line}: {}", page.words());
    }
    for anchor in ["#install", "#text", "#evidence"] {
        assert!(page.links().contains(&anchor.to_owned()), "{anchor}: {:?}", page.links());
    }
    let bare = Page::of(&bench, "/skills/bare").await;
    assert!(!bare.words().contains("git clone") && !bare.links().contains(&"#install".to_owned()), "{}", bare.words());
}
