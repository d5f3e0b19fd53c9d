//! `cookbook`: a repository of notebooks with a `registry.yaml` (and `authors.yaml`), as the cookbooks of Claude and `OpenAI` keep one.
//!
//! Every entry of the registry (a list, or lists below keys) is an item, read by itself where the whole is not valid YAML. Its body comes from
//! the notebook or page at its path; an entry whose file is absent is a fact with its body missing: its record is then the registry's entry,
//! and the page of its file is a reference. Notebooks and pages that the registry does not list are counted.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use percent_encoding::utf8_percent_encode;
use refdesk_core::fact::{Identity, Provenance};
use refdesk_core::item::{Head, Item, Status, Tutorial};
use refdesk_core::slug::slugify;
use refdesk_core::{Fact, Kind, Record, Reject, Stamp, clean};
use serde_json::{Map, Value, json};

use crate::connectors::documents::tutorial;
use crate::connectors::formats::yaml;
use crate::connectors::repository::license;
use crate::connectors::repository::public_url::PATH;
use crate::connectors::repository::repo::{self, Checkout, Tree, TreeReader, folder_of, open_tarball, without_ending};
use crate::connectors::{Batch, Connector, CountMethod, ParseError, Reread, StoredKey, TarballRule, Target};

/// What only the registry states of a tutorial whose file is there.
const OF_THE_REGISTRY: &[&str] = &["name", "status", "summary", "topics", "authors", "published_on"];

/// The connector.
pub const CONNECTOR: Connector = Connector {
    name: "cookbook",
    kinds: &[Kind::Tutorial],
    description: "A repository of notebooks listed in registry.yaml, as the Claude and OpenAI cookbooks keep one",
    options: &[
        repo::OPTIONS[0],
        repo::OPTIONS[1],
        ("registry", "path of the registry; default: registry.yaml"),
        ("authors", "path of the authors' names; default: authors.yaml"),
        ("site", "address of the public site: a tutorial's page is the site and the path without its ending"),
        ("language", "language of the tutorials, as a BCP 47 tag"),
        ("vendor", "publisher; default: the owner of the repository"),
    ],
    count: CountMethod::Tarball(TarballRule::Cookbook),
    open: |target| Ok(open_tarball(target, CookbookReader::from_target(target))),
    reread,
    ..Connector::ARCHIVE
};

fn reread(target: &Target, stored: StoredKey<'_>, record: &[u8]) -> Result<Reread, String> {
    let mut checkout = Checkout::unread(target);
    // An entry whose file is absent is its own record; else the record is the file, which knows nothing of the registry.
    let entry = serde_json::from_slice::<Value>(record).ok();
    let entry = entry.filter(|entry| path_of(entry).as_deref() == Some(stored.key));
    let (entry, not_in_record): (Value, &[&str]) = if let Some(entry) = entry {
        (entry, &["authors"])
    } else {
        checkout.tree.files.insert(stored.key.to_owned(), Bytes::copy_from_slice(record));
        (json!({"path": stored.key, "title": stored.key}), OF_THE_REGISTRY)
    };
    let read = CookbookReader::from_target(target).fact(&checkout, &Map::new(), &entry);
    read.map(|fact| Reread { fact, not_in_record })
}

struct CookbookReader {
    target: Target,
    registry: String,
    authors: String,
    site: Option<String>,
}

impl TreeReader for CookbookReader {
    fn wants(&self, path: &str) -> bool {
        path == self.registry || path == self.authors || tutorial::format(path).is_some() || license::is_file(path)
    }

    fn read(&self, checkout: &Checkout) -> Result<Batch, ParseError> {
        let tree = &checkout.tree;
        let entries = match tree.text(&self.registry).map(|text| yaml::value(text).map_err(|error| (error, text))) {
            Ok(Ok(registry)) => {
                let entries = entries_of(registry);
                if entries.is_empty() {
                    return Err(ParseError::new(format!(
                        "{} is not a list of entries, and none with a `path` stands below its keys",
                        self.registry
                    )));
                }
                entries.into_iter().map(|entry| (entry, None)).collect()
            }
            Ok(Err((error, text))) => {
                let items = yaml::items(text);
                if items.iter().all(|(_, error)| error.is_some()) {
                    return Err(ParseError::new(format!("{}: invalid YAML: {error}", self.registry)));
                }
                items
            }
            Err(reason) => {
                let reason =
                    reason.unwrap_or_else(|| "is not in the repository; name it with the option `registry`".into());
                return Err(ParseError::new(format!("{} {reason}", self.registry)));
            }
        };
        let authors = self.authors(tree);
        let mut batch = Batch::default();
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for (at, (entry, error)) in entries.iter().enumerate() {
            let key = path_of(entry).unwrap_or_else(|| format!("entry {}", at + 1));
            let fact = match (seen.get(&key), error) {
                (Some(first), _) => Err(format!("is listed twice; entry {first} counts")),
                (None, Some(error)) => Err(format!("is not valid YAML: {error}")),
                (None, None) => self.fact(checkout, &authors, entry),
            };
            if fact.is_ok() {
                seen.insert(key.clone(), at + 1);
            }
            batch.take(fact.map_err(|reason| {
                let shown = if seen.contains_key(&key) { format!("entry {}", at + 1) } else { key.clone() };
                Reject::new(shown, format!("`{key}` in {} {reason}", self.registry), &entry.to_string())
            }));
        }
        let paths: BTreeSet<String> = entries.iter().filter_map(|(entry, _)| path_of(entry)).collect();
        let unlisted = tree
            .files
            .keys()
            .chain(tree.refused.keys())
            .filter(|path| tutorial::format(path).is_some() && !paths.contains(path.as_str()));
        batch.leave_out("notebooks and pages that the registry does not list", unlisted.count());
        Ok(batch)
    }
}

impl CookbookReader {
    fn from_target(target: &Target) -> Self {
        Self {
            target: target.clone(),
            registry: target.text("registry").unwrap_or_else(|| "registry.yaml".into()),
            authors: target.text("authors").unwrap_or_else(|| "authors.yaml".into()),
            site: target.option("site").map(|site| site.trim_end_matches('/').to_owned()),
        }
    }

    /// Names by id; an unreadable or absent file only means that ids are shown.
    fn authors(&self, tree: &Tree) -> Map<String, Value> {
        tree.text(&self.authors).ok().and_then(|text| yaml::mapping(text).ok()).unwrap_or_default()
    }

    fn fact(&self, checkout: &Checkout, authors: &Map<String, Value>, entry: &Value) -> Result<Fact, String> {
        let Checkout { repository, tree, licences } = checkout;
        let text = |key: &str| yaml::scalar(&entry[key]).map(|text| clean::line(&text)).filter(|text| !text.is_empty());
        let path = path_of(entry).ok_or("has no `path`")?;
        let title = text("title").ok_or("has no `title`")?;
        let stem = without_ending(&path);
        let file = tutorial::file_of(tree, &path);
        let (record, body) = tutorial::content(tree, &file);
        // A registry may list what lies on another site.
        let is_elsewhere = path.starts_with("https://") || path.starts_with("http://");
        let blob = if is_elsewhere { path.clone() } else { repository.file_page_at_ref(&file) };
        // Without its file an entry is all that was read.
        let read = if record.is_some() { file.as_str() } else { self.registry.as_str() };
        let source_url = repository.file_page(read);
        let site = self.site.as_ref().filter(|_| !is_elsewhere);
        let page = site.map(|site| format!("{site}/{}", utf8_percent_encode(stem, PATH)));
        // Whoever wants to read it is not helped by the registry.
        let unread = Some(&blob).filter(|page| record.is_none() && page.starts_with("http")).cloned();
        let mut same_as = vec![format!("url:{blob}")];
        same_as.extend(page.as_ref().map(|page| format!("url:{page}")));
        let names = texts(&entry["authors"]);
        let mut topics = texts(&entry["categories"]);
        topics.extend(texts(&entry["tags"]));
        let mut aliases = vec![path.clone()];
        aliases.extend(texts(&entry["redirects"]));
        let licence = licences.of_item(folder_of(&file), yaml::words(&entry["license"]).as_deref());
        let fields = Tutorial {
            summary: text("description").or_else(|| text("summary")),
            topics,
            authors: names
                .into_iter()
                .map(|id| {
                    authors
                        .get(&id)
                        .and_then(|author| author["name"].as_str().or(author.as_str()))
                        .map_or(id, clean::line)
                })
                .collect(),
            published_on: text("date")
                .and_then(|date| date.get(..10).map(str::to_owned))
                .filter(|date| Stamp::from_date(date).is_some()),
            format: tutorial::format(&path).map(str::to_owned),
            path: Some(path.clone()),
            ..Tutorial::default()
        };
        let record = match record {
            Some(record) => record,
            None => Record::of_json(entry).map_err(|error| format!("has no canonical form: {error}"))?,
        };
        let fact = Fact {
            head: Head {
                id: slugify(&format!("{}-{stem}", self.target.source_id)),
                name: title,
                vendor: self.target.text("vendor").or_else(|| repository.owner()),
                status: if entry["archived"] == Value::Bool(true) { Status::Deprecated } else { Status::Active },
                aliases,
                language: self.target.text("language"),
                ..Head::default()
            },
            body,
            identity: Identity { same_as, ..Identity::default() },
            provenance: Provenance { references: unread.into_iter().chain(page).collect(), ..Provenance::default() },
            ..Fact::new(path, Item::Tutorial(fields), record, source_url)
        };
        Ok(license::applied(licence, fact, self.target.serve_restricted))
    }
}

/// The entries of a registry: all of a list, or of the lists that stand below keys (`recipes: […]`). Among those a list without any path is
/// another's, such as authors.
fn entries_of(registry: Value) -> Vec<Value> {
    match registry {
        Value::Array(entries) => entries,
        Value::Object(members) => {
            let lists = members.into_iter().filter_map(|(_, member)| match member {
                Value::Array(entries) if entries.iter().any(|entry| path_of(entry).is_some()) => Some(entries),
                _ => None,
            });
            lists.flatten().collect()
        }
        _ => Vec::new(),
    }
}

/// The path of an entry's file; one that starts in the folder of the registry (`./lamp.md`, `/lamp.md`) is the same without that.
fn path_of(entry: &Value) -> Option<String> {
    let path = clean::line(entry["path"].as_str()?);
    Some(path.trim_start_matches("./").trim_start_matches('/').to_owned()).filter(|path| !path.is_empty())
}

/// The texts of a list, and the names of what it holds else; also of a list in one line, separated by commas.
fn texts(value: &Value) -> Vec<String> {
    let listed: Vec<String> = match value {
        Value::Array(all) => all.iter().filter_map(yaml::words).collect(),
        one => yaml::words(one).iter().flat_map(|text| text.split(',')).map(str::to_owned).collect(),
    };
    listed.iter().map(|text| clean::line(text)).filter(|text| !text.is_empty()).collect()
}
