//! The packages and remotes by which MCP servers meet across sources, each in one spelling.
//!
//! A package is `ecosystem:name` without version, tag or digest. A remote is an address that answers on the public internet; one of the
//! reader's own machine, or with a host to be filled in, tells nothing of which server it is.

use percent_encoding::percent_decode_str;
use refdesk_core::text::word_array;
use serde_json::{Map, Value};
use url::{Host, Url};

use crate::connectors::formats::distinct;
use crate::connectors::formats::json_fields::text;
use crate::connectors::repository::code_host;
use crate::connectors::repository::public_host::names_private_host;

/// Registries that need no mention in a package's key, and what they hold.
const HOME_HOSTS: [&str; 10] = word_array(
    "registry.npmjs.org npmjs.com registry.npmjs.com pypi.org nuget.org api.nuget.org docker.io crates.io github.com \
     gitlab.com",
);
/// Names of Docker's own registry.
const DOCKER_HUB: [&str; 4] = ["index.docker.io", "registry-1.docker.io", "hub.docker.com", "registry.hub.docker.com"];

/// The keys of packages in the registry's shape.
pub fn packages(stated: &[Value]) -> Vec<String> {
    distinct(stated.iter().filter_map(Value::as_object).filter_map(package))
}

/// The keys of remotes in the registry's shape.
pub fn remotes(stated: &[Value]) -> Vec<String> {
    distinct(stated.iter().filter_map(|remote| remote_key(remote.get("url")?.as_str()?)))
}

/// The package that a page of a package registry shows.
pub fn package_of_page(link: &str) -> Option<String> {
    let url = Url::parse(link.trim()).ok()?;
    let path = percent_decode_str(url.path()).decode_utf8().ok()?.into_owned();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match (url.host_str()?.trim_start_matches("www."), parts.as_slice()) {
        ("npmjs.com", ["package", scope, name, ..]) if scope.starts_with('@') => {
            key("npm", &format!("{scope}/{name}"), None)
        }
        ("npmjs.com", ["package", name, ..]) => key("npm", name, None),
        ("pypi.org", ["project", name, ..]) => key("pypi", name, None),
        ("nuget.org", ["packages", name, ..]) => key("nuget", name, None),
        ("crates.io", ["crates", name, ..]) => key("cargo", name, None),
        ("hub.docker.com", ["r", owner, name, ..]) => key("oci", &format!("{owner}/{name}"), None),
        _ => None,
    }
}

/// The remote that a link leads to. Its form tells: another link leads to a page about a server, which may be about many, and one to a code
/// host to a repository or a folder that is called so.
pub fn remote_of_link(link: &str) -> Option<String> {
    let key = remote_key(link).filter(|_| code_host::repository(link).is_none())?;
    let has_own_host = || Url::parse(&key).ok()?.host_str().map(|host| host.starts_with("mcp."));
    let is_endpoint = key.ends_with("/mcp") || key.ends_with("/sse") || has_own_host().unwrap_or_default();
    is_endpoint.then_some(key)
}

fn package(stated: &Map<String, Value>) -> Option<String> {
    let of = |keys: &[&str]| keys.iter().find_map(|key| text(stated, key));
    let kind = of(&["registryType", "registry_type", "registry_name"])?.to_lowercase();
    let name = of(&["identifier", "name"])?;
    key(&kind, name, of(&["registryBaseUrl", "registry_base_url"]))
}

/// One spelling of a package; the registry stands before the name where it is not the usual one.
fn key(kind: &str, name: &str, registry: Option<&str>) -> Option<String> {
    let kind = match kind {
        "docker" | "docker-hub" | "oci" => return image(name, registry),
        "crates" | "crates.io" | "cargo" => "cargo",
        other => other,
    };
    let name = match kind {
        "npm" | "nuget" | "cargo" => without_version(name, '@').to_lowercase(),
        "pypi" => python_name(name),
        _ => remote_key(name).unwrap_or_else(|| name.to_owned()),
    };
    if name.is_empty() || name.contains(['{', ' ']) {
        return None;
    }
    let host = registry.and_then(|url| Url::parse(url).ok()).and_then(|url| url.host_str().map(str::to_owned));
    let host = host.filter(|host| !HOME_HOSTS.contains(&host.trim_start_matches("www.")));
    Some(host.map_or_else(|| format!("{kind}:{name}"), |host| format!("{kind}:{host}/{name}")))
}

/// `@scope/name@1.2` → `@scope/name`.
fn without_version(name: &str, sign: char) -> &str {
    match name.rfind(sign) {
        Some(at) if at > 0 => &name[..at],
        _ => name,
    }
}

/// PEP 503: case and runs of `-`, `_` and `.` do not matter; extras and versions are no part of the name.
fn python_name(name: &str) -> String {
    let bare = name.split(['[', '=', '<', '>', '~', '!', ';', ' ', '@']).next().unwrap_or(name).to_lowercase();
    bare.split(['-', '_', '.']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

/// `oci:registry/image` without tag and digest; Docker's registry is the usual one.
fn image(name: &str, registry: Option<&str>) -> Option<String> {
    let name = name.trim_start_matches("docker://").trim_start_matches("https://").to_lowercase();
    let name = name.split('@').next().unwrap_or_default();
    let bare = match name.rsplit_once(':') {
        Some((front, tag)) if !tag.contains('/') => front,
        _ => name,
    };
    if bare.is_empty() || bare.contains(['{', ' ']) {
        return None;
    }
    let first = bare.split('/').next().unwrap_or_default();
    let has_host = bare.contains('/') && (first.contains(['.', ':']) || first == "localhost");
    let home = registry.and_then(|url| Url::parse(url).ok()).and_then(|url| url.host_str().map(str::to_owned));
    let (host, path) = match bare.split_once('/') {
        Some((host, path)) if has_host => (host.to_owned(), path),
        _ => (home.unwrap_or_else(|| "docker.io".to_owned()), bare),
    };
    if !DOCKER_HUB.contains(&host.as_str()) && host != "docker.io" {
        return Some(format!("oci:{host}/{path}"));
    }
    let owner = if path.contains('/') { "" } else { "library/" };
    Some(format!("oci:docker.io/{owner}{path}"))
}

/// One spelling of an address; of the query stays what is neither a secret nor to be filled in, for it may tell servers apart.
fn remote_key(address: &str) -> Option<String> {
    let address = address.trim();
    let (_, rest) = address.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.contains(['{', '$', '<']) {
        return None;
    }
    let mut url = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let is_of_local_network = match url.host()? {
        Host::Domain(name) => {
            let top = name.trim_end_matches('.').rsplit_once('.').map(|(_, top)| top);
            top.is_none_or(|top| matches!(top, "local" | "internal"))
        }
        Host::Ipv4(_) | Host::Ipv6(_) => false,
    };
    if is_of_local_network || names_private_host(&url) {
        return None;
    }
    let kept: Vec<(String, String)> = url
        .query_pairs()
        .filter(|(name, value)| {
            !value.contains(['{', '$', '<']) && !crate::connectors::repository::literal_secret::names_secret(name)
        })
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    url.set_fragment(None);
    url.set_query(None);
    if !kept.is_empty() {
        url.query_pairs_mut().extend_pairs(kept);
    }
    let text = url.as_str().replacen("/?", "?", 1);
    Some(text.trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{package_of_page, packages, remote_of_link, remotes};

    #[test]
    fn packages_have_one_spelling_without_version_and_tag() {
        for (kind, identifier, base, key) in [
            ("npm", "@Lamp/lantern@1.2.3", None, "npm:@lamp/lantern"),
            ("npm", "lantern", Some("https://registry.npmjs.org"), "npm:lantern"),
            ("npm", "lantern", Some("https://npm.lamp.example"), "npm:npm.lamp.example/lantern"),
            ("pypi", "Lamp_Candle[all]==0.3", None, "pypi:lamp-candle"),
            ("oci", "mcp/lamp", None, "oci:docker.io/mcp/lamp"),
            ("oci", "docker.io/mcp/lamp:1.0", None, "oci:docker.io/mcp/lamp"),
            ("oci", "ghcr.io/Lamp/torch:1@sha256:00", None, "oci:ghcr.io/lamp/torch"),
            ("oci", "localhost:5000/lamp", None, "oci:localhost:5000/lamp"),
            ("docker", "redis", Some("https://docker.io"), "oci:docker.io/library/redis"),
            ("mcpb", "https://Lamp.example/a.mcpb", None, "mcpb:https://lamp.example/a.mcpb"),
        ] {
            let stated = json!({ "registryType": kind, "identifier": identifier, "registryBaseUrl": base });
            assert_eq!(packages(&[stated]), [key], "{identifier}");
        }
        assert_eq!(packages(&[json!({ "registry_name": "pypi", "name": "lamp" })]), ["pypi:lamp"], "the first API");
        assert_eq!(package_of_page("https://www.npmjs.com/package/@lamp/x"), Some("npm:@lamp/x".to_owned()));
        assert_eq!(package_of_page("https://lamp.example/package/x"), None);
    }

    #[test]
    fn remotes_have_one_spelling_and_those_of_nobody_are_left_out() {
        for (url, key) in [
            ("HTTPS://Lamp.Example:443/mcp/", Some("https://lamp.example/mcp")),
            ("https://lamp.example/#top", Some("https://lamp.example")),
            ("https://lamp.example/mcp?app=x&key={key}", Some("https://lamp.example/mcp?app=x")),
            ("https://{tenant}.lamp.example/mcp", None),
            ("http://localhost:3000/mcp", None),
            ("http://localhost.:3000/mcp", None),
            ("http://lamp/mcp", None),
            ("http://lamp.internal./mcp", None),
            ("http://192.168.0.7/mcp", None),
            ("http://100.64.0.7/mcp", None),
            ("http://203.0.113.7/mcp", None),
            ("http://[::ffff:10.0.0.7]/mcp", None),
            ("http://[fd00::7]/mcp", None),
            ("http://[fe80::7]/mcp", None),
            ("https://8.8.8.8/mcp", Some("https://8.8.8.8/mcp")),
            ("lamp", None),
        ] {
            assert_eq!(remotes(&[json!({ "url": url })]).first().map(String::as_str), key, "{url}");
        }
    }

    #[test]
    fn a_link_is_a_remote_only_where_its_form_says_so() {
        for (link, key) in [
            ("https://mcp.lamp.example/", Some("https://mcp.lamp.example")),
            ("https://lamp.example/api/mcp/", Some("https://lamp.example/api/mcp")),
            ("https://lamp.example/v1/sse", Some("https://lamp.example/v1/sse")),
            ("https://lamp.example", None),
            ("https://lamp.example/docs/mcp-server", None),
            ("https://github.com/lamp/mcp", None),
            ("https://gitlab.com/lamp/wick/-/tree/main/src/mcp", None),
            ("http://localhost:3000/mcp", None),
            ("src/lantern", None),
        ] {
            assert_eq!(remote_of_link(link).as_deref(), key, "{link}");
        }
    }
}
