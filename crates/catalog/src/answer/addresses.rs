//! Addresses of items: of the API, of pages and of MCP. Hosts are not compared: a desk has several names, and not all of them are configured.

use refdesk_core::Kind;

/// What addresses of MCP resources begin with.
pub const RESOURCES: &str = "refdesk://";

/// The kind and the id that an address names: `https://desk.example.org/models/gpt-4o`, `/v1/models/gpt-4o`, `refdesk://model/gpt-4o`.
/// The API may be below a path of its host.
pub fn item_at(address: &str) -> Option<(Kind, String)> {
    let named = |kind: Option<Kind>, id: &str| kind.map(|kind| (kind, decoded(id))).filter(|(_, id)| !id.is_empty());
    if let Some((kind, id)) = address.strip_prefix(RESOURCES).and_then(|resource| resource.split_once('/')) {
        return named(Kind::parse(kind), id);
    }
    let address = address.split_once(['?', '#']).map_or(address, |(address, _)| address);
    let below = |path: &str| path.split_once('/').and_then(|(segment, id)| named(Kind::of_path_segment(segment), id));
    let page = || {
        let path = match address.split_once("://") {
            Some((_, below)) => below.split_once('/')?.1,
            None => address.strip_prefix('/')?,
        };
        below(path.strip_prefix("c/").and_then(|below| below.split_once('/')).map_or(path, |(_, path)| path))
    };
    address.split_once("/v1/").and_then(|(_, path)| below(path)).or_else(page)
}

/// A part of a path as it was meant. The signs between the pairs of a form mean nothing in a path.
fn decoded(part: &str) -> String {
    let part = part.replace('+', "%2B").replace('&', "%26").replace('=', "%3D");
    form_urlencoded::parse(part.as_bytes()).next().map(|(part, _)| part.into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::item_at;
    use refdesk_core::Kind;

    #[test]
    fn an_address_of_an_item_is_that_of_the_api_of_its_page_or_of_mcp() {
        for (address, kind, id) in [
            ("/v1/models/gpt-4o", Kind::Model, "gpt-4o"),
            ("/v1/models/openai%2fgpt-4o?fresh_only=true", Kind::Model, "openai/gpt-4o"),
            ("https://desk.example.org/models/openai/gpt-4o#cost", Kind::Model, "openai/gpt-4o"),
            ("https://desk.example.org/c/team/v1/mcp-servers/files", Kind::McpServer, "files"),
            ("refdesk://mcp_server/io.github.acme%2Ffiles", Kind::McpServer, "io.github.acme/files"),
            ("https://example.org/desk/v1/tools/ruff", Kind::Tool, "ruff"),
            ("/documents/c%2B%2B+notes", Kind::Document, "c+++notes"),
        ] {
            assert_eq!(item_at(address), Some((kind, id.to_owned())), "{address}");
        }
        for other in
            ["gpt-4o", "models/gpt-4o", "/models", "https://desk.example.org", "/sources/models-dev", "/models/", ""]
        {
            assert_eq!(item_at(other), None, "{other}");
        }
    }
}
