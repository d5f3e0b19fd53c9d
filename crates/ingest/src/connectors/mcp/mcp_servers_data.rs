//! `mcp-servers-data`: a repository with one YAML file for each MCP server, `data/<slug>/<slug>.yml`, as ever-works directories keep.
//!
//! Every such file is an item. Two entries of one repository stay two: the directory means them so. Categories are slugs of
//! `categories.yml` or titles, some of them broken in one known way, which is mended. `updated_at` is when the directory's entry was edited,
//! not the server, and is left to the record.

use std::collections::BTreeMap;

use refdesk_catalog::resolve::letters;
use refdesk_core::fact::Identity;
use refdesk_core::item::{Head, Item, McpServer, Status};
use refdesk_core::{Covers, Fact, Kind, Record, Reject, clean};
use serde_json::Value;

use crate::connectors::formats::json_fields::{LeftOut, count_others, required, text, texts_or_counted};
use crate::connectors::formats::stated_status::stated_status;
use crate::connectors::formats::yaml;
use crate::connectors::mcp::mcp_identity;
use crate::connectors::repository::code_host;
use crate::connectors::repository::repo::{self, Checkout, Repository, Tree, TreeReader, open_tarball, utf8};
use crate::connectors::{Batch, Connector, CountMethod, ParseError, Reread, StoredKey, TarballRule, Target};

/// The file that names the categories.
const CATEGORIES: &str = "categories.yml";

/// The connector.
pub const CONNECTOR: Connector = Connector {
    name: "mcp-servers-data",
    kinds: &[Kind::McpServer],
    description: "A repository with one YAML file for each MCP server, as ever-works directories keep them",
    options: &[repo::OPTIONS[0], repo::OPTIONS[1], ("folder", "folder of the entries; default: data")],
    count: CountMethod::Tarball(TarballRule::Entries),
    open: |target| {
        let folder = target.options.get("folder").map_or("data", |folder| folder.trim_matches('/')).to_owned();
        Ok(open_tarball(target, ServerPageReader { folder }))
    },
    reread,
    ..Connector::ARCHIVE
};

fn reread(target: &Target, stored: StoredKey<'_>, record: &[u8]) -> Result<Reread, String> {
    let bytes = bytes::Bytes::copy_from_slice(record);
    // A separate file has the names of the categories.
    let fact = fact(&Repository::from_target(target), &BTreeMap::new(), stored.key, &bytes, &LeftOut::default());
    fact.map(|fact| Reread { fact, not_in_record: &["category"] })
}

struct ServerPageReader {
    folder: String,
}

impl ServerPageReader {
    fn is_entry(&self, path: &str) -> bool {
        repo::is_below(path, &self.folder) && matches!(path.rsplit_once('.'), Some((_, "yml" | "yaml")))
    }
}

impl TreeReader for ServerPageReader {
    fn wants(&self, path: &str) -> bool {
        path == CATEGORIES || self.is_entry(path)
    }

    fn read(&self, checkout: &Checkout) -> Result<Batch, ParseError> {
        let Checkout { repository, tree, .. } = checkout;
        let categories = categories(tree);
        let mut batch = Batch::default();
        let left_out = LeftOut::default();
        for (path, bytes) in tree.files.iter().filter(|(path, _)| self.is_entry(path)) {
            let read = fact(repository, &categories, path, bytes, &left_out);
            batch.take(
                read.map_err(|reason| Reject::new(path, format!("{path}: {reason}"), &String::from_utf8_lossy(bytes))),
            );
        }
        tree.reject_refused(&mut batch, |path| self.is_entry(path).then_some(Covers::SameKey));
        left_out.add_to(&mut batch);
        let folder = &self.folder;
        batch.with_facts(format!("no entry could be read below {folder}/; expected {folder}/<name>/<name>.yml"))
    }
}

/// Names of the categories by id; an unreadable file leaves the ids as they are.
fn categories(tree: &Tree) -> BTreeMap<String, String> {
    let Ok(Ok(Value::Array(listed))) = tree.text(CATEGORIES).map(yaml::value) else { return BTreeMap::new() };
    let named = listed
        .iter()
        .filter_map(Value::as_object)
        .filter_map(|category| Some((text(category, "id")?, text(category, "name")?)));
    named.map(|(id, name)| (id.to_owned(), name.to_owned())).collect()
}

fn fact(
    repository: &Repository,
    categories: &BTreeMap<String, String>,
    path: &str,
    bytes: &bytes::Bytes,
    left_out: &LeftOut,
) -> Result<Fact, String> {
    let entry = yaml::mapping(utf8(bytes)?).map_err(|error| format!("invalid YAML: {error}"))?;
    let name = clean::line(required(&entry, "name")?);
    let link = required(&entry, "source_url")?;
    count_others(&entry, &["description", "category", "brand"], Value::is_string, left_out);
    let code = code_host::repository(link);
    let slug = repo::stem(path);
    let brand = text(&entry, "brand").map(clean::line);
    let description = text(&entry, "description").map(clean::line);
    let is_archive = code.as_ref().is_some_and(code_host::is_archived);
    let status = if is_archive { Status::Deprecated } else { stated_status(&name, description.as_deref()) };
    // Whoever owns a repository of many servers did not make each of them: the directory says nothing of who did.
    let owner = || code_host::owner(code.as_ref().filter(|code| code.subfolder.is_none())?.url.as_deref()?);
    let head = Head { id: slug.to_owned(), name, vendor: vendor(brand, owner()), status, ..Head::default() };
    let identity = Identity {
        repository: code.as_ref().and_then(code_host::identity),
        packages: mcp_identity::package_of_page(link).into_iter().collect(),
        remotes: mcp_identity::remote_of_link(link).into_iter().collect(),
        ..Identity::default()
    };
    let item = Item::McpServer(McpServer {
        description,
        website_url: code.is_none().then(|| link.to_owned()),
        repository: code,
        category: text(&entry, "category").map(|category| category_name(categories, category)),
        tags: texts_or_counted(&entry, "tags", left_out),
        ..McpServer::default()
    });
    Ok(Fact { head, identity, ..Fact::new(path, item, Record::Bytes(bytes.clone()), repository.file_page(path)) })
}

/// Who made a server. The brand is often that of the service which somebody else's server speaks to: it is the maker's only where the owner
/// of the code is called so, or unknown.
fn vendor(brand: Option<String>, owner: Option<String>) -> Option<String> {
    let is_owners = |brand: &String| {
        let (brand, owner) = (letters(brand), owner.as_deref().map(letters).unwrap_or_default());
        owner.starts_with(&brand) || brand.starts_with(&owner)
    };
    brand.filter(is_owners).or(owner)
}

/// The name of a category: by its id, or the title with a broken `&` mended (`A "A B"amp; B` was `A &amp; B`).
fn category_name(categories: &BTreeMap<String, String>, category: &str) -> String {
    if let Some(name) = categories.get(category) {
        return clean::line(name);
    }
    let mut title = category.replace("&amp;", "&");
    while let Some(end) = title.find("\"amp;") {
        let Some(start) = title[..end].find('"') else { break };
        title.replace_range(start..end + "\"amp;".len(), "&");
    }
    clean::line(&title)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::category_name;

    #[test]
    fn categories_are_named_and_mended() {
        let named = BTreeMap::from([("lamp-tools".to_owned(), "Lamp & Wick Tools".to_owned())]);
        for (category, name) in [
            ("lamp-tools", "Lamp & Wick Tools"),
            ("Oil &amp; Gas", "Oil & Gas"),
            ("Lamp Tools \"Lamp Tools Servers\"amp; Wick Servers", "Lamp Tools & Wick Servers"),
            ("Plain \"quoted\"", "Plain \"quoted\""),
        ] {
            assert_eq!(category_name(&named, category), name);
        }
    }
}
