//! `skills-repo`: a repository of `SKILL.md` trees (<https://agentskills.io>), read from its tarball.
//!
//! Every `SKILL.md` is an item: a fact, or a reject with its reason (templates to copy are rejects too); of copies in several
//! places the most visible, and none of vendored packages. So is everything that a
//! `.claude-plugin/marketplace.json` lists: what the repository does not hold is a reject, the rest is counted under a name, and so is
//! every other file. The tier comes from the path where it has one.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use refdesk_core::fact::Identity;
use refdesk_core::item::{Head, Item, SkillFile, SkillRepository, Status, TrustTier};
use refdesk_core::{Body, Covers, Fact, Kind, Record, Reject};

use crate::connectors::formats::json_text;
use crate::connectors::formats::tree;
use crate::connectors::repository::license;
use crate::connectors::repository::repo::{self, Checkout, Tree, TreeReader, folder_of, open_tarball};
use crate::connectors::skills::skill;
use crate::connectors::{Batch, Connector, CountMethod, ParseError, Reread, StoredKey, TarballRule, Target, cards};

/// Most files that are listed of one skill.
const FILES_MAX: usize = 1_000;
/// Folders whose skills are patterns to copy.
const TEMPLATE_FOLDERS: [&str; 4] = ["template", "templates", "_template", "skill-template"];
/// Parts of names that stand for a name.
const TEMPLATE_NAMES: [&str; 5] = ["template", "skill-name", "your-", "my-skill", "placeholder"];
/// Folders that tell how far a repository stands behind its skills.
const TIERS: [(&str, TrustTier, Status); 3] = [
    (".system", TrustTier::Official, Status::Active),
    (".curated", TrustTier::Verified, Status::Active),
    (".experimental", TrustTier::Community, Status::Preview),
];

/// The connector.
pub const CONNECTOR: Connector = Connector {
    name: "skills-repo",
    kinds: &[Kind::Skill],
    description: "A repository of agent skills: every folder with a SKILL.md, as one tarball",
    options: &[
        repo::OPTIONS[0],
        repo::OPTIONS[1],
        ("include", "folders to read, separated by commas; default: all"),
        ("vendor", "publisher of the skills; default: the owner of the repository"),
    ],
    count: CountMethod::Tarball(TarballRule::Skills),
    open: |target| Ok(open_tarball(target, SkillReader::from_target(target))),
    reread,
    ..Connector::ARCHIVE
};

fn reread(target: &Target, stored: StoredKey<'_>, record: &[u8]) -> Result<Reread, String> {
    let folder = if stored.key == "." { "" } else { stored.key };
    let read =
        SkillReader::from_target(target).fact(&Checkout::unread(target), folder, &Bytes::copy_from_slice(record));
    read.map(|fact| Reread { fact, not_in_record: &["files", "repository"] })
}

struct SkillReader {
    target: Target,
    include: Vec<String>,
}

/// End of the path of a listing of plugins.
const MARKETPLACE: &str = ".claude-plugin/marketplace.json";

impl TreeReader for SkillReader {
    fn wants(&self, path: &str) -> bool {
        !path.starts_with(".git/") && (self.covers(path) || is_marketplace(path) || license::is_file(path))
    }

    fn read(&self, checkout: &Checkout) -> Result<Batch, ParseError> {
        let tree = &checkout.tree;
        let mut batch = Batch::default();
        let is_skill = |path: &str| self.is_item(path);
        // Repositories put copies where each agent looks for its skills (`.claude/skills/lamp`).
        let mut by_place: Vec<_> = tree.files.iter().filter(|(path, _)| is_skill(path)).collect();
        by_place.sort_by_key(|(path, _)| (tree::is_hidden(path), path.len()));
        let mut seen = BTreeSet::new();
        by_place.retain(|(path, bytes)| !seen.insert((directory(folder_of(path)), &bytes[..])));
        let copies: BTreeSet<&String> = by_place.into_iter().map(|(path, _)| path).collect();
        batch.leave_out("copies of skills", copies.len());
        for (path, bytes) in tree.files.iter().filter(|(path, _)| is_skill(path) && !copies.contains(path)) {
            let read = self.fact(checkout, folder_of(path), bytes);
            batch.take(read.map_err(|reason| {
                let reject = Reject::new(path, format!("{path} {reason}"), &String::from_utf8_lossy(bytes));
                reject.of(Some(key(folder_of(path))))
            }));
        }
        tree.reject_refused(&mut batch, |path| is_skill(path).then(|| Covers::Fact(key(folder_of(path)))));
        if batch.items_upstream == 0 {
            return Err(ParseError::new("no SKILL.md found; is this a repository of agent skills?"));
        }
        for path in tree.files.keys().filter(|path| is_marketplace(path)) {
            listed(path, tree, &mut batch);
        }
        let folders: BTreeSet<&str> =
            tree.files.keys().filter(|path| is_skill(path)).map(|path| folder_of(path)).collect();
        let name_of = |path: &str| match path {
            _ if is_marketplace(path) => "listings of plugins",
            _ if !self.covers(path) => "files outside of the folders that are read",
            _ if tree::with_ancestors(folder_of(path)).any(|folder| folders.contains(folder)) => {
                "files that belong to a skill"
            }
            _ => "files outside of skills",
        };
        tree.leave_out(&mut batch, is_skill, "symbolic links to skills", name_of);
        Ok(batch)
    }
}

fn key(folder: &str) -> String {
    if folder.is_empty() { ".".into() } else { folder.to_owned() }
}

/// The name of a folder without those above it.
fn directory(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or("")
}

fn is_marketplace(path: &str) -> bool {
    path == MARKETPLACE || path.strip_suffix(MARKETPLACE).is_some_and(|above| above.ends_with('/'))
}

impl SkillReader {
    fn from_target(target: &Target) -> Self {
        Self { target: target.clone(), include: repo::list_option(target, "include") }
    }

    fn covers(&self, path: &str) -> bool {
        repo::is_below_any(path, &self.include)
    }

    fn is_item(&self, path: &str) -> bool {
        (path == skill::FILE_NAME || path.ends_with("/SKILL.md"))
            && self.covers(path)
            && !path.starts_with(".git/")
            && !tree::is_vendored(path)
    }

    fn fact(&self, checkout: &Checkout, folder: &str, bytes: &Bytes) -> Result<Fact, String> {
        let Checkout { repository, tree, licences } = checkout;
        let directory = directory(folder);
        let is_template = TEMPLATE_FOLDERS.contains(&directory);
        let read = skill::parse(directory, bytes);
        // Below `templates/` lie skills that make templates, too; their names tell.
        let is_copied = read.as_ref().is_ok_and(|skill| TEMPLATE_NAMES.iter().any(|part| skill.name.contains(part)));
        if is_template || is_copied && folder.split('/').any(|part| TEMPLATE_FOLDERS.contains(&part)) {
            return Err("is a template to copy, not a skill".into());
        }
        let mut skill = read?;
        skill.repository = Some(SkillRepository {
            url: repository.url.clone(),
            reference: Some(repository.reference.clone()),
            commit: tree.commit.clone(),
            path: Some(folder.to_owned()),
        });
        skill.files = files(tree, folder);
        let slug_path =
            repository.url.as_deref().and_then(|url| url.split_once("://")).and_then(|(_, rest)| rest.split_once('/'));
        let owner = slug_path.and_then(|(_, path)| path.split('/').next());
        let mut aliases: Vec<String> = slug_path.map(|(_, path)| format!("{path}/{folder}")).into_iter().collect();
        if !directory.is_empty() && directory != skill.name {
            aliases.push(directory.to_owned());
        }
        let tier = TIERS.iter().find(|(segment, ..)| folder.split('/').any(|part| part == *segment));
        let identity = Identity {
            same_as: repository.url.as_deref().and_then(|url| cards::skill_key(url, folder)).into_iter().collect(),
            ..Identity::default()
        };
        let licence = licences.of_item(folder, skill.license.as_deref());
        let (record, page) =
            (Record::Bytes(bytes.clone()), repository.file_page(&repo::below(folder, skill::FILE_NAME)));
        let fact = Fact {
            head: Head {
                id: skill.name.clone(),
                name: skill.name.clone(),
                vendor: self.target.option("vendor").or(owner).map(str::to_owned),
                status: tier.map_or(Status::Active, |(_, _, status)| *status),
                trust_tier: tier.map(|(_, tier, _)| *tier),
                aliases,
                language: None,
            },
            body: Body::Record,
            identity,
            ..Fact::new(key(folder), Item::Skill(skill), record, page)
        };
        Ok(license::applied(licence, fact, self.target.serve_restricted))
    }
}

/// The files below a skill's folder, with sizes and digests.
fn files(tree: &Tree, folder: &str) -> Vec<SkillFile> {
    let prefix = repo::below(folder, "");
    let inside = tree.files.range(prefix.clone()..).take_while(|(path, _)| path.starts_with(&prefix));
    let files = inside.take(FILES_MAX).map(|(path, bytes)| SkillFile {
        path: path[prefix.len()..].to_owned(),
        bytes: bytes.len() as u64,
        digest: refdesk_core::hash::content_hash(bytes),
    });
    files.collect()
}

/// What a marketplace lists: rejects for what the repository does not hold (a plugin's folder, or a skill's), each once, and counts for
/// the rest. The skills themselves are read wherever they lie.
fn listed(path: &str, tree: &Tree, batch: &mut Batch) {
    let Some(Ok(listing)) = tree.files.get(path).map(|bytes| json_text::value(json_text::without_mark(bytes))) else {
        batch.take(Err(Reject::new(format!("{path}#"), format!("{path} is not valid JSON"), "")));
        return;
    };
    let mut missing: BTreeMap<String, String> = BTreeMap::new();
    for plugin in listing["plugins"].as_array().into_iter().flatten() {
        let name = plugin["name"].as_str().unwrap_or("(unnamed)");
        let skills = || plugin["skills"].as_array().into_iter().flatten();
        let Some(source) = plugin["source"].as_str() else {
            batch.leave_out("listed plugins that live in another repository", 1);
            batch.leave_out("listed skills of plugins that the repository does not hold", skills().count());
            continue;
        };
        // Sources may be written from a folder that holds all plugins.
        let roots = ["", listing["metadata"]["pluginRoot"].as_str().unwrap_or("")];
        let folders = roots.map(|root| tree::joined("", format!("{root}/{source}").trim_start_matches('/')));
        let Some(folder) = folders.into_iter().flatten().find(|folder| tree.holds(folder)) else {
            let reason = format!("plugin `{name}` names the folder `{source}`, which the repository does not hold");
            miss(&mut missing, source.to_owned(), reason, batch);
            batch.leave_out("listed skills of plugins that the repository does not hold", skills().count());
            continue;
        };
        batch.leave_out("listed plugins", 1);
        for skill in skills() {
            let found = skill.as_str().and_then(|skill| tree::joined(&folder, skill));
            if found.is_some_and(|path| tree.holds(&path)) {
                batch.leave_out("listed skills", 1);
                continue;
            }
            let shown = skill.as_str().map_or_else(|| skill.to_string(), str::to_owned);
            let reason = format!("plugin `{name}` lists the skill `{shown}`, which the repository does not hold");
            miss(&mut missing, format!("{source}#{shown}"), reason, batch);
        }
    }
    missing.into_iter().for_each(|(key, reason)| batch.take(Err(Reject::new(format!("{path}#{key}"), reason, ""))));
}

/// Notes what is listed and missing; the second time it is only counted.
fn miss(missing: &mut BTreeMap<String, String>, key: String, reason: String, batch: &mut Batch) {
    match missing.entry(key) {
        Entry::Vacant(place) => {
            place.insert(reason);
        }
        Entry::Occupied(_) => batch.leave_out("second listings of something that the repository does not hold", 1),
    }
}
