//! `skills-repo`: a repository of `SKILL.md` trees (<https://agentskills.io>), read from its tarball.
//!
//! Every `SKILL.md` is an item: a fact, or a reject with its reason (templates to copy are rejects too). Paths that a
//! `marketplace.json` lists and the repository does not hold are rejects. The tier comes from the path where it has one.

use std::collections::BTreeMap;

use bytes::Bytes;
use refdesk_core::fact::{Identity, Provenance};
use refdesk_core::item::{Head, Item, SkillFile, SkillRepository, Status, TrustTier};
use refdesk_core::{Body, Fact, Kind, Record, Reject};
use serde_json::Value;

use super::repo::{self, Repository, TarballPass, Tree, TreeReader};
use super::{Connector, Harvest, ParseError, Pass, Target, cards, skill};

/// Most files that are listed of one skill.
const FILES_MAX: usize = 1_000;
/// Folders whose skills are patterns to copy.
const TEMPLATE_FOLDERS: [&str; 4] = ["template", "templates", "_template", "skill-template"];
/// Folders that tell how far a repository stands behind its skills.
const TIERS: [(&str, TrustTier, Status); 3] = [
    (".system", TrustTier::Official, Status::Active),
    (".curated", TrustTier::Verified, Status::Active),
    (".experimental", TrustTier::Community, Status::Preview),
];

/// The connector.
pub struct SkillsRepo;

impl Connector for SkillsRepo {
    fn name(&self) -> &'static str {
        "skills-repo"
    }

    fn kinds(&self) -> &'static [Kind] {
        &[Kind::Skill]
    }

    fn describe(&self) -> &'static str {
        "A repository of agent skills: every folder with a SKILL.md, as one tarball"
    }

    fn options(&self) -> &'static [(&'static str, &'static str)] {
        const OPTIONS: &[(&str, &str)] = &[
            repo::OPTIONS[0],
            repo::OPTIONS[1],
            ("include", "folders to read, separated by commas; default: all"),
            ("vendor", "publisher of the skills; default: the owner of the repository"),
        ];
        OPTIONS
    }

    fn open(&self, target: &Target) -> Result<Box<dyn Pass>, ParseError> {
        let reader =
            Reader { include: repo::list_option(target, "include"), vendor: target.options.get("vendor").cloned() };
        Ok(Box::new(TarballPass::new(target.clone(), reader)))
    }
}

struct Reader {
    include: Vec<String>,
    vendor: Option<String>,
}

impl TreeReader for Reader {
    fn wants(&self, path: &str) -> bool {
        !path.starts_with(".git/")
            && (self.include.is_empty()
                || path.ends_with("marketplace.json")
                || self.include.iter().any(|folder| repo::is_below(path, folder)))
    }

    fn read(&self, repository: &Repository, tree: &Tree) -> Result<Harvest, ParseError> {
        let mut harvest = Harvest::default();
        let is_skill = |path: &str| path == skill::FILE_NAME || path.ends_with("/SKILL.md");
        for (path, bytes) in tree.files.iter().filter(|(path, _)| is_skill(path)) {
            harvest.items_upstream += 1;
            let folder = path.trim_end_matches(skill::FILE_NAME).trim_end_matches('/');
            match self.fact(repository, tree, folder, bytes) {
                Ok(fact) => harvest.facts.push(fact),
                Err(reason) => {
                    harvest.rejects.push(Reject::new(
                        path,
                        format!("{path} {reason}"),
                        &String::from_utf8_lossy(bytes),
                    ));
                }
            }
        }
        let refused = tree.rejects(is_skill);
        harvest.items_upstream += refused.len();
        harvest.rejects.extend(refused);
        if harvest.items_upstream == 0 {
            return Err(ParseError::new("no SKILL.md found; is this a repository of agent skills?"));
        }
        for path in tree.files.keys().filter(|path| path.ends_with(".claude-plugin/marketplace.json")) {
            dangling(path, tree, &mut harvest);
        }
        Ok(harvest)
    }
}

impl Reader {
    fn fact(&self, repository: &Repository, tree: &Tree, folder: &str, bytes: &Bytes) -> Result<Fact, String> {
        if folder.split('/').any(|part| TEMPLATE_FOLDERS.contains(&part)) {
            return Err("is a template to copy, not a skill".into());
        }
        let mut skill = skill::read(bytes)?;
        let directory = folder.rsplit('/').next().unwrap_or("");
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
        Ok(Fact {
            key: if folder.is_empty() { ".".into() } else { folder.to_owned() },
            head: Head {
                id: skill.name.clone(),
                name: skill.name.clone(),
                vendor: self.vendor.clone().or_else(|| owner.map(str::to_owned)),
                status: tier.map_or(Status::Active, |(_, _, status)| *status),
                trust_tier: tier.map(|(_, tier, _)| *tier),
                aliases,
                language: None,
            },
            item: Item::Skill(skill),
            source_url: repository.folder_page(folder),
            record: Record::Bytes(bytes.clone()),
            body: Body::Record,
            identity,
            provenance: Provenance::default(),
            checked_on: None,
        })
    }
}

/// The files below a skill's folder, with sizes and digests.
fn files(tree: &Tree, folder: &str) -> Vec<SkillFile> {
    let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let inside = tree.files.range(prefix.clone()..).take_while(|(path, _)| path.starts_with(&prefix));
    let files = inside.take(FILES_MAX).map(|(path, bytes)| SkillFile {
        path: path[prefix.len()..].to_owned(),
        bytes: bytes.len() as u64,
        digest: refdesk_core::hash::content_hash(bytes),
    });
    files.collect()
}

/// Rejects for what a marketplace lists and the repository does not hold: a plugin's folder, or a skill's.
fn dangling(path: &str, tree: &Tree, harvest: &mut Harvest) {
    let Some(Ok(listing)) = tree.files.get(path).map(|bytes| serde_json::from_slice::<Value>(bytes)) else {
        harvest.items_upstream += 1;
        harvest.rejects.push(Reject::new(path, format!("{path} is not valid JSON"), ""));
        return;
    };
    let mut seen = BTreeMap::new();
    for plugin in listing["plugins"].as_array().into_iter().flatten() {
        let name = plugin["name"].as_str().unwrap_or("(unnamed)");
        let Some(source) = plugin["source"].as_str() else {
            *harvest.ignored.entry("a plugin that lives in another repository".into()).or_default() += 1;
            continue;
        };
        let skills: Vec<&str> = plugin["skills"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if folder_of(&[source]).is_none_or(|folder| !is_folder(tree, &folder)) {
            seen.entry(source.to_owned()).or_insert_with(|| {
                format!("plugin `{name}` names the folder `{source}`, which the repository does not hold")
            });
            continue;
        }
        for listed in skills {
            let found = folder_of(&[source, listed]).is_some_and(|folder| is_folder(tree, &folder));
            if !found {
                let reason = format!("plugin `{name}` lists the skill `{listed}`, which the repository does not hold");
                seen.entry(format!("{source}#{listed}")).or_insert(reason);
            }
        }
    }
    for (key, reason) in seen {
        harvest.items_upstream += 1;
        harvest.rejects.push(Reject::new(format!("{path}#{key}"), reason, ""));
    }
}

/// Relative paths joined and normalised; `None` when they lead out of the repository.
fn folder_of(parts: &[&str]) -> Option<String> {
    let mut folder: Vec<&str> = Vec::new();
    for part in parts.iter().flat_map(|part| part.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                folder.pop()?;
            }
            part => folder.push(part),
        }
    }
    Some(folder.join("/"))
}

fn is_folder(tree: &Tree, folder: &str) -> bool {
    let prefix = format!("{folder}/");
    folder.is_empty() || tree.files.range(prefix.clone()..).next().is_some_and(|(path, _)| path.starts_with(&prefix))
}
