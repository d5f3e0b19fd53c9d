//! Addresses of items: of the API, of pages and of MCP, and those that other sites have for them. Hosts are not compared: a desk has several
//! names, and not all of them are configured, and what is called so on one site is so on another.

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

/// What other sites have in front of the name of a model or a server: `/docs/models/gpt-4o`, `/package/@acme/lamp`, `/r/acme/lamp`.
const FOLDERS: [(&str, Kind); 6] = [
    ("models", Kind::Model),
    ("package", Kind::McpServer),
    ("project", Kind::McpServer),
    ("r", Kind::McpServer),
    ("server", Kind::McpServer),
    ("servers", Kind::McpServer),
];
/// What stands behind the name of a thing and in front of a part of it: a revision, a file, a version.
const PARTS: [&str; 6] = ["/tree/", "/blob/", "/resolve/", "/raw/", "/v/", "/versions/"];
/// The host of images whose name begins with none.
const IMAGE_HOST: &str = "docker.io";
/// What stands before the name of an image.
const IMAGE_SCHEMES: [&str; 3] = ["docker://", "pkg:docker/", "pkg:oci/"];

/// What a page of another site may be about, the likeliest first: what stands behind a folder for things of a kind, or a model by its maker and
/// its name, `https://hub.example.org/acme/heron-4/tree/main`. Of an image or a package URL it is the package, `npm:@acme/lamp` of
/// `pkg:npm/%40acme/lamp`.
pub fn named_elsewhere(address: &str) -> Vec<(Kind, String)> {
    let address = address.split_once(['?', '#']).map_or(address, |(address, _)| address);
    let image = IMAGE_SCHEMES.iter().find_map(|scheme| address.strip_prefix(scheme)).map(decoded);
    let package = || {
        let (registry, name) = address.strip_prefix("pkg:")?.split_once('/')?;
        Some(format!("{registry}:{}", decoded(name)))
    };
    if let Some(package) = image.or_else(package) {
        return vec![(Kind::McpServer, package)];
    }
    let bare = address.split_once("://").map_or(address, |(_, bare)| bare);
    let Some((host, path)) = bare.split_once('/').filter(|(host, _)| host.contains('.')) else { return Vec::new() };
    let end = PARTS.iter().filter_map(|part| path.find(part)).min().unwrap_or(path.len());
    let page = path[..end].trim_end_matches('/');
    let behind_folder = page.match_indices('/').filter_map(|(at, _)| {
        let folder = page[..at].rsplit('/').next()?;
        let (_, kind) = FOLDERS.iter().find(|(known, _)| *known == folder)?;
        Some((*kind, decoded(&page[at + 1..])))
    });
    let image = (host == IMAGE_HOST).then_some(Kind::McpServer);
    let whole = image.into_iter().chain([Kind::Model]).filter(|_| page.contains('/')).map(|kind| (kind, decoded(page)));
    behind_folder.chain(whole).collect()
}

/// A part of a path as it was meant. The signs between the pairs of a form mean nothing in a path.
fn decoded(part: &str) -> String {
    let part = part.replace('+', "%2B").replace('&', "%26").replace('=', "%3D");
    form_urlencoded::parse(part.as_bytes()).next().map(|(part, _)| part.into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{item_at, named_elsewhere};
    use refdesk_core::Kind;

    #[test]
    fn a_page_of_another_site_is_about_what_its_path_calls() {
        let (model, server) = (Kind::Model, Kind::McpServer);
        for (address, named) in [
            ("https://hub.example.org/acme/heron-4", &[(model, "acme/heron-4")][..]),
            ("hub.example.org/acme/heron-4/tree/main/src?x=1", &[(model, "acme/heron-4")]),
            ("https://acme.example/docs/models/heron-4/", &[(model, "heron-4"), (model, "docs/models/heron-4")]),
            ("https://npm.example/package/@acme/lamp/v/1.2", &[(server, "@acme/lamp"), (model, "package/@acme/lamp")]),
            (
                "https://r.example/v0/servers/io.acme%2Flamp",
                &[(server, "io.acme/lamp"), (model, "v0/servers/io.acme/lamp")],
            ),
            ("docker.io/acme/lamp", &[(server, "acme/lamp"), (model, "acme/lamp")]),
            ("pkg:npm/%40acme/lamp@1.2?os=any", &[(server, "npm:@acme/lamp@1.2")]),
            ("pkg:docker/acme/lamp", &[(server, "acme/lamp")]),
            ("docker://ghcr.io/acme/lamp", &[(server, "ghcr.io/acme/lamp")]),
            ("openrouter:acme/lamp", &[]),
            ("https://acme.example/heron-4", &[]),
            ("acme/heron-4/x", &[]),
            ("heron-4.5", &[]),
        ] {
            let found = named_elsewhere(address);
            assert_eq!(found.iter().map(|(kind, id)| (*kind, id.as_str())).collect::<Vec<_>>(), named, "{address}");
        }
    }

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
