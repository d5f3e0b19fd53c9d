//! How to connect: the line or the block of configuration of each MCP client, and the addresses for programs.

use axum::response::Response;
use maud::{Markup, html};
use serde_json::json;

use crate::http::problem::Problem;
use crate::http::request::ApiRequest;
use crate::pages::layout::table::{copied, copied_lines, facts};
use crate::pages::layout::target::Target;
use crate::pages::layout::{Page, Section, values};
use crate::pages::respond_live;

/// What stands where a key has to be filled in.
const KEY_PLACEHOLDER: &str = "Bearer rdk_…";

/// The page.
pub(crate) fn connect(request: &ApiRequest) -> Result<Response, Problem> {
    // It holds the host by which the client came, which is no part of the address.
    respond_live(request, || Ok(page(request)))
}

fn page(request: &ApiRequest) -> Page {
    let origin = request.origin();
    let mcp = format!("{origin}/mcp");
    let needs_key = request.state.settings.require_key;
    let body = html! {
        h1 { "Connect" }
        p { "An agent asks over MCP, a program over REST; both get the answers that these pages show." }
        @if needs_key { p.notice { "This desk asks for a key. Its operator makes one with " code { "refdesk keys create" } "; it takes the place of " code { "rdk_…" } " below." } }
        h2 #mcp { "MCP clients" }
        (client("Claude Code", &claude_code(&mcp, needs_key), "Run this once:"))
        (client("Claude Desktop", &values::pretty(&json!({"mcpServers": {"refdesk": {"command": "refdesk", "args": stdio(&origin)}}})), "claude_desktop_config.json (Settings, Developer, Edit Config):"))
        (client("Cursor", &values::pretty(&json!({"mcpServers": {"refdesk": with_key(json!({"url": mcp}), needs_key)}})), "~/.cursor/mcp.json, or .cursor/mcp.json in a project:"))
        (client("VS Code", &values::pretty(&json!({"servers": {"refdesk": with_key(json!({"type": "http", "url": mcp}), needs_key)}})), ".vscode/mcp.json:"))
        (client("Codex", &codex(&mcp, needs_key), "~/.codex/config.toml:"))
        (client("Gemini CLI", &values::pretty(&json!({"mcpServers": {"refdesk": with_key(json!({"httpUrl": mcp}), needs_key)}})), "~/.gemini/settings.json:"))
        (client("opencode", &values::pretty(&json!({"mcp": {"refdesk": with_key(json!({"type": "remote", "url": mcp, "enabled": true}), needs_key)}})), "opencode.json:"))
        h2 #stdio { "Clients that start a program" }
        p { "Where refdesk is installed, " code { "refdesk mcp" } " answers over standard input and output, from the local store or from this desk:" }
        (copied_lines(&format!("refdesk {}", stdio(&origin).join(" "))))
        h2 #rest { "Programs" }
        (facts("Addresses", &[
            ("REST".to_owned(), copied(&format!("{origin}/v1"))),
            ("MCP".to_owned(), copied(&mcp)),
            ("OpenAPI".to_owned(), copied(&format!("{origin}/openapi.json"))),
            ("For agents without MCP".to_owned(), copied(&format!("{origin}/llms.txt"))),
        ]))
        (copied_lines(&curl(&origin, needs_key)))
        p { "Every path and parameter is on the page " a href="/docs" { "API" } "." }
    };
    let mut page = Page::new(Section::Connect, "Connect", body);
    page.description = "How to connect MCP clients and programs to this desk.".to_owned();
    page.canonical = Some(Target::new("/connect"));
    page
}

fn client(name: &str, lines: &str, place: &str) -> Markup {
    html! {
        h3 { (name) }
        p { (place) }
        (copied_lines(lines))
    }
}

fn claude_code(mcp: &str, needs_key: bool) -> String {
    let header = if needs_key { format!(" --header \"Authorization: {KEY_PLACEHOLDER}\"") } else { String::new() };
    format!("claude mcp add --transport http refdesk {mcp}{header}")
}

fn codex(mcp: &str, needs_key: bool) -> String {
    let key = if needs_key { "\nbearer_token_env_var = \"REFDESK_API_KEY\"" } else { "" };
    format!("[mcp_servers.refdesk]\nurl = \"{mcp}\"{key}")
}

fn curl(origin: &str, needs_key: bool) -> String {
    let header = if needs_key { format!(" -H 'Authorization: {KEY_PLACEHOLDER}'") } else { String::new() };
    format!("curl -s{header} '{origin}/v1/search?q=postgres'")
}

fn stdio(origin: &str) -> [String; 3] {
    ["mcp".to_owned(), "--url".to_owned(), origin.to_owned()]
}

fn with_key(mut server: serde_json::Value, needs_key: bool) -> serde_json::Value {
    if needs_key {
        server["headers"] = json!({"Authorization": KEY_PLACEHOLDER});
    }
    server
}
