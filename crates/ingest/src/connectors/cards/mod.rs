//! `cards`: hand-written YAML and Markdown cards of any kind, from a folder, a repository or the bundled set.
//!
//! One card is one file: `*.yaml`, `*.yml`, or `*.md` with YAML front matter (the rest is the card's body). Keys are those of the
//! answers (`docs/api.md#rows-and-fields`), strictly: an unknown or missing key, a bad value or a second use of an id rejects that card, with a
//! reason that names file and key, and never hides another. [`card`] reads one card, [`explain`] words its errors.

mod card;
mod explain;
mod front_matter;
mod keys;
mod model;

use std::collections::BTreeMap;

use bytes::Bytes;
use refdesk_core::item::MANUAL_ID;
use refdesk_core::slug::slugify;
use refdesk_core::{Covers, Kind, Reject};
use url::Url;

use crate::bundled;
use crate::connectors::formats::tree::is_hidden;
use crate::connectors::repository::repo::{self, Checkout, Repository, TreeReader, open_tarball};
use crate::connectors::{
    Answer, Batch, Connector, CountMethod, FactFiles, FetchSession, ParseError, Request, Reread, StoredKey,
    TarballRule, Target,
};

use card::CardDefaults;
pub(in crate::connectors) use card::skill_key;
pub(crate) use card::variables;

/// The connector.
pub const CONNECTOR: Connector = Connector {
    name: "cards",
    kinds: &Kind::ALL,
    description: "Hand-written YAML and Markdown cards of any kind: a local folder, a repository, or the bundled starter catalog (`bundled:catalog`)",
    options: &[repo::OPTIONS[0], repo::OPTIONS[1], ("include", "folders to read, separated by commas; default: all")],
    count: CountMethod::Tarball(TarballRule::Cards),
    open,
    reread,
    ..Connector::ARCHIVE
};

fn open(target: &Target) -> Result<Box<dyn FetchSession>, ParseError> {
    if target.url.scheme() == "bundled" {
        if target.url.as_str() != bundled::URL {
            return Err(ParseError::new(format!(
                "unknown bundled set `{}`; the only one is `{}`",
                target.url,
                bundled::URL
            )));
        }
        return Ok(Box::new(BundledSession));
    }
    let include = repo::list_option(target, "include");
    let reader = CardsReader { include, may_be_empty: target.url.scheme() == repo::FOLDER_SCHEME };
    Ok(open_tarball(target, reader))
}

fn reread(target: &Target, stored: StoredKey<'_>, record: &[u8]) -> Result<Reread, String> {
    let is_bundled = target.url.scheme() == "bundled";
    let repository = if is_bundled { bundled_repository() } else { Repository::from_target(target) };
    // A document that states no `path` has that of its file.
    let not_in_record: &[&str] = if stored.kind == Kind::Document { &["path"] } else { &[] };
    let fact = card::reread(stored.key, &Bytes::copy_from_slice(record), &repository);
    fact.map(|fact| Reread { fact, not_in_record })
}

/// The bundled cards: nothing is fetched.
struct BundledSession;

impl FetchSession for BundledSession {
    fn first(&mut self) -> Vec<Request> {
        Vec::new()
    }

    fn accept(&mut self, _answer: Answer) -> Result<Vec<Request>, ParseError> {
        Ok(Vec::new())
    }

    fn finish(self: Box<Self>) -> Result<Batch, ParseError> {
        let files = bundled::files();
        Ok(batch(files.iter().map(|(path, bytes)| (path.as_str(), bytes)), &bundled_repository()))
    }
}

/// Where the bundled cards can be read.
fn bundled_repository() -> Repository {
    Repository {
        url: Some(bundled::REPOSITORY.into()),
        reference: "main".into(),
        commit: None,
        fallback: placeholder(),
    }
}

/// A repository with a url never shows its fallback.
fn placeholder() -> Url {
    Url::parse(bundled::URL).unwrap_or_else(|_| unreachable!("the constant is a url"))
}

struct CardsReader {
    include: Vec<String>,
    /// Whoever deletes the last card of a folder means it, once that is forced; a repository without one is the wrong repository.
    may_be_empty: bool,
}

impl TreeReader for CardsReader {
    fn wants(&self, path: &str) -> bool {
        is_card_path(path) && repo::is_below_any(path, &self.include)
    }

    fn read(&self, checkout: &Checkout) -> Result<Batch, ParseError> {
        let Checkout { repository, tree, .. } = checkout;
        let mut batch = batch(tree.files.iter().map(|(path, bytes)| (path.as_str(), bytes)), repository);
        tree.reject_refused(&mut batch, |path| {
            self.wants(path).then(|| stated_by(repository.file_page(path), [repo::stem(path).to_owned()]))
        });
        if batch.items_upstream == 0 && !self.may_be_empty {
            return Err(ParseError::new(
                "no card found: a card is a .yaml file, or an .md file with YAML front matter",
            ));
        }
        Ok(batch)
    }

    fn covers_folder(&self, repository: &Repository, path: &str) -> Option<Covers> {
        let may_be_included = |folder: &String| repo::is_below(path, folder) || repo::is_below(folder, path);
        let holds_cards = self.include.is_empty() || self.include.iter().any(may_be_included);
        (holds_cards && !is_hidden(path)).then(|| stated_by(repository.file_page(path), []))
    }
}

/// Card files by their extension, in any case; hidden files and folders (`.github`) are none.
pub(crate) fn is_card_path(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    ["yaml", "yml", "md"].iter().any(|known| extension.eq_ignore_ascii_case(known)) && !is_hidden(path)
}

/// The facts of a file or folder: those that were read from it, and those that it is known by.
fn stated_by<const N: usize>(page: String, keys: [String; N]) -> Covers {
    Covers::RecordsAt { url: page, keys: keys.into() }
}

/// Reads all cards, in the order of their paths.
fn batch<'a>(files: impl Iterator<Item = (&'a str, &'a Bytes)>, repository: &Repository) -> Batch {
    let mut batch = Batch::default();
    let mut used = FactFiles::new();
    for (path, bytes) in files.filter(|(path, _)| is_card_path(path)) {
        let defaults = CardDefaults::for_path(path, repository);
        let read = match card::parse(path, bytes, &defaults) {
            Ok(Some(fact)) => match used.get(&(fact.kind(), fact.key.clone())) {
                Some(first) => {
                    Err(format!("duplicate id `{}`: {first} has it already; give one of them another id", fact.key))
                }
                None => Ok(fact),
            },
            Ok(None) => {
                batch.leave_out("Markdown without front matter is not a card", 1);
                continue;
            }
            Err(reason) => Err(reason),
        };
        if let Ok(fact) = &read {
            used.insert((fact.kind(), fact.key.clone()), path.to_owned());
        }
        batch.take(read.map_err(|reason| {
            let excerpt = String::from_utf8_lossy(bytes);
            let covers = stated_by(defaults.page.clone(), [stated_id(path, &excerpt)]);
            Reject { covers, ..Reject::new(path, format!("{path}: {reason}"), &excerpt) }
        }));
    }
    batch.files = used;
    batch
}

/// The id of a card that cannot be read: what its line for it says, else the name of its file, by which most are called.
fn stated_id(path: &str, text: &str) -> String {
    let stated = text.lines().find_map(|line| line.strip_prefix("id:"));
    let stated = stated.map(|id| id.trim().trim_matches(['"', '\'']));
    let manual = path.strip_prefix(bundled::MANUAL_FOLDER).map(|_| format!("{MANUAL_ID}{}", slugify(repo::stem(path))));
    stated.map(str::to_owned).or(manual).unwrap_or_else(|| repo::stem(path).to_owned())
}

/// Reads every card of a set of files for the linter: path, and the fact or the reason why it is none. Second uses of an id are told.
pub(crate) fn read_frameworks(files: &[(String, Bytes)]) -> Vec<(String, Result<refdesk_core::Fact, String>)> {
    let repository = bundled_repository();
    let mut ids: BTreeMap<String, String> = BTreeMap::new();
    let mut cards = Vec::new();
    for (path, bytes) in files.iter().filter(|(path, _)| is_card_path(path)) {
        let read = match card::parse(path, bytes, &CardDefaults::for_path(path, &repository)) {
            Ok(None) => continue,
            Ok(Some(fact)) => match ids.insert(fact.key.clone(), path.clone()) {
                Some(first) if fact.kind() == Kind::Framework => {
                    Err(format!("has the id `{}`, which {first} has already", fact.key))
                }
                _ => Ok(fact),
            },
            Err(reason) => Err(reason),
        };
        cards.push((path.clone(), read));
    }
    cards
}
