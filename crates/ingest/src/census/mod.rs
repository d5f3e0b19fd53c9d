//! An accountant that did not do the reading: for every connector an independent count of what the upstream's answers hold.
//!
//! Items counted here = facts + versions + rejects + what was left out by name, or [`SyncCounts::uncounted`] says how many are missing.
//! Nothing of this module calls a connector or its readers: JSON is counted while it streams by ([`json`]), archives by their entries
//! ([`tarball`]), lists by their lines ([`lines`]). So a key that stands twice in an object, which a parser drops silently, shows.
//! A count that is off refuses nothing, for that would freeze the source; it is told in the log, the report and the status.
//!
//! [`SyncCounts::uncounted`]: crate::store::SyncCounts::uncounted

mod json;
mod lines;
mod tarball;

use std::collections::BTreeMap;

use crate::connectors::{Answer, Target};

/// What an upstream holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CensusCount {
    /// All items.
    pub items: usize,
    /// The same by sort.
    pub by: BTreeMap<&'static str, usize>,
}

impl CensusCount {
    fn add(&mut self, sort: &'static str, count: usize) {
        if count > 0 {
            self.items += count;
            *self.by.entry(sort).or_default() += count;
        }
    }

    /// How many items are missing from `accounted`; fewer than none when more came out than went in.
    pub fn missing_from(&self, accounted: usize) -> i64 {
        let whole = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        whole(self.items) - whole(accounted)
    }

    /// `120 keys, 3 files`, for people.
    pub fn shown(&self) -> String {
        self.by.iter().map(|(sort, count)| format!("{count} {sort}")).collect::<Vec<_>>().join(", ")
    }
}

/// How the items of a connector are counted.
#[derive(Debug, Clone, Copy)]
enum CountMethod {
    /// Keys or elements of a JSON answer.
    Json(json::JsonRule),
    /// Entries of a repository's tarball.
    Tarball(tarball::TarballRule),
    /// Lines of a text.
    Lines(lines::LineRule),
}

/// The method of every connector, by its name.
const METHODS: [(&str, CountMethod); 20] = [
    ("cards", CountMethod::Tarball(tarball::TarballRule::Cards)),
    ("huggingface", CountMethod::Json(json::JsonRule::Elements(&[]))),
    ("litellm", CountMethod::Json(json::JsonRule::Keys(&[]))),
    ("llm-prices", CountMethod::Json(json::JsonRule::Elements(&[json::Step::Key("prices")]))),
    ("models-dev", CountMethod::Json(json::JsonRule::Keys(&[json::Step::Every, json::Step::Key("models")]))),
    ("openrouter", CountMethod::Json(json::JsonRule::Elements(&[json::Step::Key("data")]))),
    ("cookbook", CountMethod::Tarball(tarball::TarballRule::Cookbook)),
    ("hf-cookbook", CountMethod::Tarball(tarball::TarballRule::Toctrees)),
    ("llms-txt", CountMethod::Lines(lines::LineRule::LinksOfIndex)),
    ("markdown-docs", CountMethod::Tarball(tarball::TarballRule::Files)),
    ("skills-repo", CountMethod::Tarball(tarball::TarballRule::Skills)),
    ("skills-wellknown", CountMethod::Json(json::JsonRule::FirstAnswer(&[json::Step::Key("skills")]))),
    ("awesome-list", CountMethod::Lines(lines::LineRule::Bullets)),
    ("composio", CountMethod::Json(json::JsonRule::Elements(&[json::Step::Key("items")]))),
    ("docker-mcp", CountMethod::Tarball(tarball::TarballRule::Servers)),
    ("mcp-registry", CountMethod::Json(json::JsonRule::Registry)),
    ("mcp-servers-data", CountMethod::Tarball(tarball::TarballRule::Entries)),
    ("mental-models", CountMethod::Json(json::JsonRule::Elements(&[json::Step::Key("models")]))),
    ("methods-csv", CountMethod::Tarball(tarball::TarballRule::Tables)),
    ("patterns-repo", CountMethod::Tarball(tarball::TarballRule::Patterns)),
];

/// Counts what the answers of one pass hold, without the connector's code.
pub struct Census {
    method: CountMethod,
    target: Target,
    /// `None` before the first answer that could be counted.
    counted: Option<CensusCount>,
    /// An answer could not be read to its end: what was counted of it is no count of what it holds.
    is_broken: bool,
}

/// The census of a connector's pass; `None` for a connector that is not registered.
pub fn find(connector: &str, target: &Target) -> Option<Census> {
    let (_, method) = METHODS.iter().find(|(name, _)| *name == connector)?;
    Some(Census { method: *method, target: target.clone(), counted: None, is_broken: false })
}

impl Census {
    /// Sees an answer, as the pass gets it.
    pub fn see(&mut self, answer: &Answer) {
        if answer.status != 200 {
            return;
        }
        let is_first = self.counted.is_none();
        let counted = self.counted.get_or_insert_default();
        match self.method {
            CountMethod::Json(rule) => self.is_broken |= !rule.count(&answer.body, is_first, counted),
            CountMethod::Tarball(rule) => *counted = rule.count(&self.target, answer),
            CountMethod::Lines(rule) if is_first => *counted = rule.count(&answer.body),
            CountMethod::Lines(_) => {}
        }
    }

    /// What the answers held. `None` when none came that could be counted.
    pub fn counted(self) -> Option<CensusCount> {
        self.counted.filter(|_| !self.is_broken)
    }
}
