//! How to connect: the line or the block of configuration of each MCP client, and the addresses for programs.

mod clients;

use maud::{Markup, html};

use self::clients::{Client, clients};
use crate::http::problem::Problem;
use crate::http::request::ApiRequest;
use crate::pages::layout::table::{copied, copied_lines, facts};
use crate::pages::layout::target::Target;
use crate::pages::layout::{Page, Section, values};

/// What stands where a key has to be filled in.
const KEY_PLACEHOLDER: &str = "Bearer rdk_…";

/// The page. It holds the host by which the client came, which is no part of the address.
pub(crate) fn page(request: &ApiRequest) -> Result<Page, Problem> {
    let clients = clients().map_err(|error| Problem::internal().because(error))?;
    let origin = request.origin();
    let mcp = format!("{origin}/mcp");
    let needs_key = request.state.settings.require_key;
    let body = html! {
        h1 { "Connect" }
        p { "Agents connect over MCP, programs over REST; both get the answers that these pages show." }
        @if needs_key { p.notice { "This desk asks for a key. Its operator makes one with " code { "refdesk keys create" } "; it takes the place of " code { "rdk_…" } " below." } }
        h2 #mcp { "MCP clients" }
        div.split {
            aside.toc aria-label="Clients" tabindex="0" {
                ul.anchors { @for client in clients { li { a href={ "#" (client.anchor()) } { (client.name) } } } }
            }
            div { @for client in clients { (section(client, &origin, needs_key)) } }
        }
        h2 #stdio { "Other clients" }
        p { "Every client takes one of two things: the address " (copied(&mcp)) " of the Streamable HTTP transport" @if needs_key { ", with the header " code { "Authorization: " (KEY_PLACEHOLDER) } }
            ", or a program to start. Where refdesk is installed, this one answers from this desk" @if needs_key { ", with the key in the variable " code { "REFDESK_API_KEY" } } ":" }
        (copied_lines(&format!("refdesk mcp --url {origin}")))
        h2 #rest { "Programs" }
        (facts("Addresses", &[
            ("REST", copied(&format!("{origin}/v1"))),
            ("MCP", copied(&mcp)),
            ("OpenAPI", copied(&format!("{origin}/openapi.json"))),
            ("For agents without MCP", copied(&format!("{origin}/llms.txt"))),
        ]))
        (copied_lines(&curl(&origin, needs_key)))
        p { "Every path and parameter is on the page " a href="/docs" { "API" } "." }
    };
    let mut page = Page::new(Section::Connect, "Connect", body);
    page.description = "How to connect MCP clients and programs to this desk.".to_owned();
    page.canonical = Some(Target::new("/connect"));
    Ok(page)
}

fn section(client: &Client, origin: &str, needs_key: bool) -> Markup {
    let http = client.http.as_ref().and_then(|way| Some((way, way.lines(origin, needs_key)?)));
    let stdio = client.stdio.as_ref().and_then(|way| Some((way, way.bridge(origin, needs_key)?)));
    html! {
        h3 id=(client.anchor()) { (client.name) }
        @if let Some((way, lines)) = &http {
            p { (values::coded(&way.place)) }
            (copied_lines(lines))
        }
        @if let Some((way, lines)) = &stdio {
            details open[http.is_none()] {
                summary { @if http.is_some() { "Or over stdio" } @else { "Over stdio" } ": the client starts a program" }
                p { (values::coded(&way.place)) }
                (copied_lines(lines))
            }
        }
        p {
            (values::coded(&client.check))
            @for note in client.note.iter().chain(client.note_keyed.iter().filter(|_| needs_key)) { " " (values::coded(note)) }
        }
    }
}

fn curl(origin: &str, needs_key: bool) -> String {
    let header = if needs_key { format!(" -H 'Authorization: {KEY_PLACEHOLDER}'") } else { String::new() };
    format!("curl -s{header} '{origin}/v1/search?q=postgres'")
}
