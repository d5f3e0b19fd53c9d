//! Entries of a repository's tarball, by their names, and what the listings among them list.
//!
//! Every regular file and every link is one entry. Where the items are what a file lists (rows of a table, elements of a JSON list),
//! they are counted beside the entries, as the connector counts the file under a name of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use serde::de::IgnoredAny;

use super::CensusCount;
use super::json::{Elements, Of, count};
use crate::connectors::formats::tarball::{PATH_BYTES_MAX, UnreadableEntry, broken, each};
use crate::connectors::formats::tree::FILE_BYTES_MAX;
use crate::connectors::{Answer, ParseError, Step, TarballRule, Target};
use crate::memory_budget::charge;

/// What folders are counted as of which nothing could be read.
const UNREADABLE_FOLDERS: &str = "folders that cannot be read";

impl TarballRule {
    /// Counts what an answer holds.
    pub(super) fn count(self, target: &Target, answer: &Answer) -> CensusCount {
        let mut counted = CensusCount::default();
        if self == Self::Tables && ending(answer.url.path()) == "csv" {
            counted.add("files", 1);
            counted.add("rows", rows(&answer.body));
        } else {
            self.count_archive(target, &Archive::read(&answer.body, self), &mut counted);
        }
        counted
    }

    fn count_archive(self, target: &Target, archive: &Archive, counted: &mut CensusCount) {
        if matches!(self, Self::Files | Self::Skills | Self::Tables | Self::Patterns) {
            counted.add("links", archive.links);
            counted.add("files", archive.entries - archive.links);
        }
        if self != Self::Cards {
            counted.add(UNREADABLE_FOLDERS, archive.unreadable_folders.len());
        }
        let contents = || archive.listings.values().map(Vec::as_slice);
        match self {
            Self::Files => {}
            Self::Skills => counted.add("entries of listings", contents().map(plugins).sum()),
            Self::Tables => counted.add("rows", contents().map(rows).sum()),
            Self::Patterns => counted.add("descriptions", contents().map(descriptions).sum()),
            Self::Cards => count_cards(target, archive, counted),
            Self::Cookbook => count_cookbook(target, archive, counted),
            Self::Toctrees => count_toctrees(archive, counted),
            Self::Servers => count_servers(target, archive, counted),
            Self::Entries => {
                let below = format!("{}/", option(target, "folder", "data"));
                let files = archive.files.iter().filter(|path| path.starts_with(&below));
                counted.add("files", files.filter(|path| matches!(ending(path), "yml" | "yaml")).count());
            }
        }
    }
}

/// What an archive holds: its entries, and the contents of the listings among them.
#[derive(Default)]
struct Archive {
    /// Paths of all files and links below the top folder.
    entries: usize,
    links: usize,
    files: BTreeSet<String>,
    /// Folders of which nothing could be read.
    unreadable_folders: BTreeSet<String>,
    listings: BTreeMap<String, Vec<u8>>,
}

impl Archive {
    /// Reads an archive as far as it can be read.
    fn read(body: &[u8], rule: TarballRule) -> Self {
        let mut read = Self::default();
        // What breaks an archive off is the connector's to report; here only the number is off, which is told.
        if let Err(error) = each(body, |entry| read.add(entry, rule)) {
            tracing::debug!(reason = error.message, "the accountant could not read an archive to its end");
        }
        read
    }

    fn add<R: Read>(&mut self, entry: &mut tar::Entry<'_, R>, rule: TarballRule) -> Result<(), ParseError> {
        let kind = entry.header().entry_type();
        let unreadable = UnreadableEntry::of(kind);
        let is_file = kind.is_file() || unreadable == Some(UnreadableEntry::File);
        self.links += usize::from(kind.is_symlink() || kind.is_hard_link());
        self.entries += usize::from(is_file || kind.is_symlink() || kind.is_hard_link());
        let raw = entry.path_bytes();
        if !(is_file || unreadable.is_some()) || raw.len() > PATH_BYTES_MAX {
            return Ok(());
        }
        let path = String::from_utf8_lossy(&raw).into_owned();
        drop(raw);
        let path = path.trim_start_matches("./").split_once('/').map_or(path.as_str(), |(_, path)| path).to_owned();
        charge(2 * path.len() as u64)?;
        if unreadable == Some(UnreadableEntry::Folder) {
            self.unreadable_folders.insert(path);
            return Ok(());
        }
        if kind.is_file() && is_listing(&path, rule) && entry.size() <= FILE_BYTES_MAX {
            charge(entry.size())?;
            let mut content = Vec::new();
            entry.read_to_end(&mut content).map_err(|error| broken(&error))?;
            // A byte order mark is no part of the text.
            if content.starts_with(b"\xef\xbb\xbf") {
                content.drain(..3);
            }
            self.listings.insert(path.clone(), content);
        }
        self.files.insert(path);
        Ok(())
    }
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn ending(path: &str) -> &str {
    name(path).rsplit_once('.').map_or("", |(_, ending)| ending)
}

fn is_listing(path: &str, rule: TarballRule) -> bool {
    match rule {
        TarballRule::Skills => path.ends_with(".claude-plugin/marketplace.json"),
        TarballRule::Tables => path.ends_with("methods.csv"),
        TarballRule::Patterns => path.ends_with("pattern_descriptions.json"),
        TarballRule::Cookbook => matches!(ending(path), "yaml" | "yml"),
        TarballRule::Toctrees => name(path) == "_toctree.yml",
        TarballRule::Servers => matches!(name(path), "server.yaml" | "tools.json"),
        TarballRule::Files | TarballRule::Cards | TarballRule::Entries => false,
    }
}

fn is_tutorial(path: &str) -> bool {
    matches!(ending(path), "ipynb" | "md" | "mdx")
}

/// An option of the source that names a path.
fn option(target: &Target, key: &str, otherwise: &str) -> String {
    let value = target.option(key).map(|value| value.trim_matches('/'));
    value.filter(|value| !value.is_empty()).unwrap_or(otherwise).to_owned()
}

fn count_cards(target: &Target, archive: &Archive, counted: &mut CensusCount) {
    let include = option(target, "include", "");
    let folders: Vec<&str> =
        include.split([',', ' ', '\n']).map(|part| part.trim_matches('/')).filter(|part| !part.is_empty()).collect();
    let is_included = |path: &str| {
        folders.is_empty()
            || folders.iter().any(|folder| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
    };
    let is_hidden = |path: &str| path.starts_with('.') || path.contains("/.");
    let is_card = |path: &&String| {
        ["yaml", "yml", "md"].iter().any(|known| ending(path).eq_ignore_ascii_case(known)) && !is_hidden(path)
    };
    counted.add("files", archive.files.iter().filter(is_card).filter(|path| is_included(path)).count());
    // One may be an included folder, lie in one, or have one in it.
    let may_hold_cards = |path: &&String| {
        let leads_to = |folder: &&str| folder.strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with('/'));
        let is_one = folders.contains(&path.as_str()) || folders.iter().any(leads_to);
        !is_hidden(path) && (is_one || is_included(path))
    };
    counted.add(UNREADABLE_FOLDERS, archive.unreadable_folders.iter().filter(may_hold_cards).count());
}

fn count_cookbook(target: &Target, archive: &Archive, counted: &mut CensusCount) {
    let listing = archive.listings.get(&option(target, "registry", "registry.yaml"));
    let listing = listing.map(|bytes| String::from_utf8_lossy(bytes)).unwrap_or_default();
    let (entries, named) = keyed(&listing).unwrap_or_else(|| (items(&listing), paths(&listing)));
    counted.add("entries of the registry", entries);
    let others = archive.files.iter().filter(|path| is_tutorial(path)).filter(|path| !named.contains(path.as_str()));
    counted.add("tutorials that the registry does not list", others.count());
}

fn count_servers(target: &Target, archive: &Archive, counted: &mut CensusCount) {
    let below = format!("{}/", option(target, "folder", "servers"));
    let is_ours = |path: &str| path.strip_prefix(&below).is_some_and(|rest| rest.split('/').count() == 2);
    for (path, content) in archive.listings.iter().filter(|(path, _)| is_ours(path)) {
        if name(path) == "server.yaml" {
            counted.add("servers", 1);
            counted.add("tools", inline_tools(content));
        } else {
            // A list that cannot be read to its end is one item.
            let (tools, is_whole) = count(content, &[], Of::Elements);
            counted.add("tools", if is_whole { tools } else { 1 });
        }
    }
}

/// Items of a YAML list, by its lines: the first item tells how far the list is indented.
fn items(listing: &str) -> usize {
    let indent = listing.lines().find_map(|line| line.find("- ").filter(|at| line[..*at].trim().is_empty()));
    let is_item =
        |line: &&str| indent.is_some_and(|at| line.get(at..at + 2) == Some("- ") && line[..at].trim().is_empty());
    listing.lines().filter(is_item).count()
}

/// What a registry lists: an entry that names no file hides no other.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Listed {
    File { path: String },
    Other(IgnoredAny),
}

impl Listed {
    fn path(&self) -> Option<String> {
        match self {
            Self::File { path } => Some(inside(path)),
            Self::Other(_) => None,
        }
    }
}

fn inside(path: &str) -> String {
    path.trim().trim_start_matches("./").trim_start_matches('/').to_owned()
}

/// Counts the entries in the lists below the keys of a registry, and collects their paths. A list without any path is no list of entries.
fn keyed(listing: &str) -> Option<(usize, BTreeSet<String>)> {
    #[derive(serde::Deserialize)]
    #[serde(untagged)]
    enum Member {
        Entries(Vec<Listed>),
        Other(IgnoredAny),
    }
    let mut found = (0, BTreeSet::new());
    for member in serde_saphyr::from_str::<BTreeMap<String, Member>>(listing).ok()?.into_values() {
        let Member::Entries(entries) = member else { continue };
        let named: Vec<String> = entries.iter().filter_map(Listed::path).collect();
        found.0 += if named.is_empty() { 0 } else { entries.len() };
        found.1.extend(named);
    }
    Some(found)
}

/// The paths that a registry names; YAML may fold them over several lines.
fn paths(listing: &str) -> BTreeSet<String> {
    // Of a registry that is not valid as a whole each entry is read by itself, and names its file in a line.
    serde_saphyr::from_str::<Vec<Listed>>(listing).map_or_else(
        |_| listing.lines().filter_map(|line| value_of(line, "path")).map(inside).collect(),
        |entries| entries.iter().filter_map(Listed::path).collect(),
    )
}

/// Lines `local: name`, and tutorials that none of them means. A toctree that cannot be read is one item and means none.
fn count_toctrees(archive: &Archive, counted: &mut CensusCount) {
    let mut meant: BTreeSet<String> = BTreeSet::new();
    for (path, content) in &archive.listings {
        let folder = path.strip_suffix(name(path)).unwrap_or_default();
        let text = std::str::from_utf8(content).ok();
        let Some(text) = text.filter(|text| serde_saphyr::from_str::<IgnoredAny>(text).is_ok()) else {
            counted.add("toctrees that cannot be read", 1);
            continue;
        };
        for local in text.lines().filter_map(|line| value_of(line, "local")) {
            counted.add("pages of toctrees", 1);
            let files = ["ipynb", "md", "mdx"].map(|ending| format!("{folder}{local}.{ending}"));
            meant.extend(files.into_iter().find(|path| archive.files.contains(path)));
        }
    }
    let others = archive.files.iter().filter(|path| is_tutorial(path)).filter(|path| !meant.contains(path.as_str()));
    counted.add("tutorials that no toctree lists", others.count());
}

/// The value of `key: value` in a line of YAML, without quotes and comment.
fn value_of<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let line = line.trim_start().trim_start_matches("- ").trim_start();
    let value = line.strip_prefix(key)?.strip_prefix(':')?;
    let value = value.split(" #").next().unwrap_or(value).trim();
    Some(value.trim_matches(['"', '\''])).filter(|value| !value.is_empty())
}

/// Rows of a table below its header.
fn rows(table: &[u8]) -> usize {
    csv::ReaderBuilder::new().flexible(true).from_reader(table).into_byte_records().count()
}

/// Elements of `patterns`; a table that has none is one item by itself, which the entries count.
fn descriptions(table: &[u8]) -> usize {
    #[derive(serde::Deserialize)]
    struct Table {
        patterns: Option<IgnoredAny>,
    }
    let is_table = serde_json::from_slice::<Table>(table).is_ok_and(|table| table.patterns.is_some());
    if is_table { count(table, &[Step::Key("patterns")], Of::Elements).0 } else { 0 }
}

/// Plugins of a marketplace and the skills of each; what is no JSON is one item.
fn plugins(listing: &[u8]) -> usize {
    #[derive(serde::Deserialize)]
    struct Marketplace {
        #[serde(default)]
        plugins: Vec<Box<serde_json::value::RawValue>>,
    }
    #[derive(serde::Deserialize, Default)]
    struct Plugin {
        #[serde(default)]
        skills: Elements,
    }
    let Ok(listing) = serde_json::from_slice::<Marketplace>(listing) else {
        return usize::from(serde_json::from_slice::<IgnoredAny>(listing).is_err());
    };
    // A plugin of another shape is one item without skills, as the tests have it.
    let skills = |plugin: &serde_json::value::RawValue| {
        serde_json::from_str::<Plugin>(plugin.get()).unwrap_or_default().skills.count()
    };
    listing.plugins.iter().map(|plugin| 1 + skills(plugin)).sum()
}

/// Elements of `tools` in a server's own file.
fn inline_tools(server: &[u8]) -> usize {
    #[derive(serde::Deserialize)]
    struct ServerFile {
        #[serde(default)]
        tools: Elements,
    }
    let text = String::from_utf8_lossy(server);
    serde_saphyr::from_str::<ServerFile>(&text).map_or(0, |server| server.tools.count())
}

#[cfg(test)]
mod tests {
    use super::{plugins, rows, value_of};

    #[test]
    fn listings_are_counted_without_being_read() {
        assert_eq!(rows(b"a,b\n\"x\ny\",1\n2,3\n"), 2);
        assert_eq!(plugins(br#"{"plugins": [{"skills": ["a", "b"]}, {"skills": "c"}, 1]}"#), 5);
        assert_eq!((plugins(b"{"), plugins(b"[]"), plugins(b"{}")), (1, 0, 0));
        assert_eq!(value_of("  - path: \"a b.md\" # the first", "path"), Some("a b.md"));
        assert_eq!(value_of("    pathology: x", "path"), None);
    }
}
