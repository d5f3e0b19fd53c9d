//! What people call an MCP server beside its names: the last part of its registry name, its repository's name, with its owner too, and address, its
//! packages (`github-mcp-server` of `io.github.github/github-mcp-server`) and where it runs or is downloaded from. No source states that
//! they are its names, and several servers may have one, so they are kept apart from aliases and are asked for last:
//! [`super::Segment::short_named`].

use std::borrow::Cow;

use serde_json::Value;

use crate::resolve::names::is_common_word;
use crate::resolve::{ResolvedItem, registry_name};
use refdesk_core::Kind;
use refdesk_core::item::Status;

/// The short names of an item, as [`written`], in order and each once.
pub fn of_item(item: &ResolvedItem) -> Vec<String> {
    // What is gone takes no name from what is there.
    if item.kind != Kind::McpServer || item.status == Status::Removed {
        return Vec::new();
    }
    let own = item.fields.get("name").and_then(Value::as_str);
    let stated = own.into_iter().chain(item.aliases.iter().map(String::as_str));
    let registry_names = stated.filter_map(registry_name).map(|(_, name)| name);
    let list = |field: &str| item.fields.get(field).and_then(Value::as_array).into_iter().flatten();
    let repository = item.fields.get("repository");
    let owned = repository.and_then(of_repository);
    let repository_name = owned.and_then(|owned| owned.rsplit_once('/')).map(|(_, name)| name);
    let names = registry_names.chain(repository_name).chain(list("packages").flat_map(of_package));
    let mut names: Vec<String> = names.map(written).collect();
    names.retain(|name| name.split('-').any(|word| !word.is_empty() && !is_common_word(word)));
    let texts = |field, member| list(field).filter_map(move |entry| entry.get(member).and_then(Value::as_str));
    let files = texts("packages", "identifier").filter(|identifier| identifier.contains("://"));
    let addresses = repository.and_then(whole_address).into_iter().chain(texts("remotes", "url")).chain(files);
    // Whose a repository is tells it, however common the words of its name are.
    names.extend(addresses.chain(owned).map(written));
    names.sort_unstable();
    names.dedup();
    names
}

/// A short name in the one way in which it is compared: in lower case, with `-` for every sign; of an address, what tells one from another.
pub fn written(name: &str) -> String {
    let name = name.trim().to_lowercase();
    let address = name.split_once("://").map(|(_, address)| address.strip_prefix("www.").unwrap_or(address));
    let bare = address.unwrap_or(&name);
    // `git@github.com:acme/lamp.git` is how git writes an address for SSH.
    let bare = bare.strip_prefix("git@").map_or(Cow::Borrowed(bare), |of_host| of_host.replacen(':', "/", 1).into());
    let bare = if bare.contains('/') { without_ending(&bare) } else { &bare };
    bare.chars().map(|c| if c.is_alphanumeric() || c == '/' { c } else { '-' }).collect()
}

/// An address of a repository without what it may end with: `.git`, a slash, a place on its page, a branch. A folder of a branch is not all of
/// the repository.
fn without_ending(address: &str) -> &str {
    let page = address.split_once('#').map_or(address, |(page, _)| page).trim_end_matches('/');
    let repository = match page.rsplit_once("/tree/") {
        Some((repository, branch)) if has_owner_and_name(repository) && !branch.contains('/') => {
            repository.strip_suffix("/-").unwrap_or(repository)
        }
        _ => page,
    };
    repository.strip_suffix(".git").unwrap_or(repository)
}

/// Whether an address goes on behind its host with an owner and a name.
fn has_owner_and_name(address: &str) -> bool {
    address.matches('/').count() >= 2
}

/// The address of a repository, unless the server is only a folder of it.
fn whole_address(repository: &Value) -> Option<&str> {
    let text = |name: &str| repository.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    if text("subfolder").is_none() { text("url") } else { None }
}

/// The owner and the name of a repository, `acme/lamp`, unless the server is only a folder of it.
fn of_repository(repository: &Value) -> Option<&str> {
    let (_, address) = whole_address(repository)?.split_once("://")?;
    let (_, path) = without_ending(address).split_once('/')?;
    (path.matches('/').count() == 1).then_some(path)
}

/// Where Docker looks for an image whose name begins with no host.
const DEFAULT_IMAGE_HOST: &str = "docker.io/";

/// The name of a package with and without its scope: `@acme/lamp` and `lamp`. An address of a file is no name.
fn of_package(package: &Value) -> impl Iterator<Item = &str> {
    let identifier = package.get("identifier").and_then(Value::as_str).filter(|text| !text.contains("://"));
    let whole = identifier.map(without_version);
    let image = whole.and_then(|name| name.strip_prefix(DEFAULT_IMAGE_HOST)).filter(|image| image.contains('/'));
    let last = whole.and_then(|name| name.rsplit_once('/')).map(|(_, last)| last);
    whole.into_iter().chain(image).chain(last)
}

/// What a version stands behind: the tag or the digest of an image, a version of npm, one that is pinned for `PyPI`.
const VERSION_SIGNS: [&str; 3] = [":", "@", "=="];

/// A package without its version: `@acme/lamp` of `@acme/lamp@latest`, `lamp-mcp` of `lamp-mcp==1.2`, `docker.io/acme/lamp` of
/// `docker.io/acme/lamp:1.2` and of `docker.io/acme/lamp@sha256:…`.
pub fn without_version(identifier: &str) -> &str {
    let last = identifier.rfind('/').map_or(0, |at| at + 1);
    let first = VERSION_SIGNS.iter().filter_map(|sign| identifier[last..].find(sign)).min();
    let end = first.filter(|at| last + at > 0);
    end.map_or(identifier, |at| &identifier[..last + at])
}

#[cfg(test)]
mod tests {
    use super::{of_package, of_repository, written};
    use serde_json::json;

    #[test]
    fn a_repository_names_a_server_that_is_all_of_it() {
        for (repository, expected) in [
            (json!({"url": "https://github.com/acme/lamp.git"}), Some("acme/lamp")),
            (json!({"url": "https://github.com/acme/lamp/"}), Some("acme/lamp")),
            (json!({"url": "https://github.com/acme/lamp/tree/main"}), Some("acme/lamp")),
            (json!({"url": "https://github.com/acme/lamps", "subfolder": "src/lamp"}), None),
            (json!({"url": "https://github.com/acme/lamps/tree/main/lamp"}), None),
            (json!({"url": "https://github.com/acme"}), None),
        ] {
            assert_eq!(of_repository(&repository), expected, "{repository}");
        }
    }

    #[test]
    fn a_package_is_called_with_and_without_its_scope_and_never_by_its_version() {
        for (identifier, expected) in [
            ("lamp-mcp", vec!["lamp-mcp"]),
            ("@acme/lamp", vec!["@acme/lamp", "lamp"]),
            ("@acme", vec!["@acme"]),
            ("lamp-mcp==1.2", vec!["lamp-mcp"]),
            ("docker.io/acme/lamp:1.2", vec!["docker.io/acme/lamp", "acme/lamp", "lamp"]),
            ("ghcr.io/acme/lamp@sha256:00", vec!["ghcr.io/acme/lamp", "lamp"]),
            ("https://github.com/acme/lamp/releases/lamp.mcpb", vec![]),
        ] {
            let package = json!({"identifier": identifier});
            assert_eq!(of_package(&package).collect::<Vec<_>>(), expected, "{identifier}");
        }
        assert_eq!(written(" Acme_Lamp.Server "), "acme-lamp-server");
    }

    #[test]
    fn an_address_is_compared_without_what_is_left_out_in_speech() {
        for address in [
            "https://github.com/Acme/lamp.git",
            "http://www.github.com/acme/lamp/",
            "github.com/acme/lamp",
            "HTTPS://GITHUB.COM/acme/lamp",
            "git@github.com:acme/lamp.git",
            "ssh://git@github.com/acme/lamp.git",
            "git+https://github.com/acme/lamp.git",
            "https://github.com/acme/lamp#readme",
            "https://github.com/acme/lamp/tree/main",
            "https://github.com/acme/lamp/-/tree/main/",
        ] {
            assert_eq!(written(address), "github-com/acme/lamp", "{address}");
        }
        assert_eq!(written("https://github.com/acme/lamp/tree/main/src"), "github-com/acme/lamp/tree/main/src");
    }
}
