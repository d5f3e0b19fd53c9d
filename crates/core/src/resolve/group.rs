//! Which facts speak of the same item.
//!
//! Models meet by maker and normalised name ([`super::model`]), also within one source: each further seller is an offer.
//! All other kinds meet across sources only, by a key that both state: a repository URL (with folder), a registry name, a page's
//! URL. A key that one source uses for many items (a monorepo of servers) joins nothing, because it does not tell them apart; a
//! source that has an item twice stays out of the joining by that key, and the others join.

use std::collections::{BTreeMap, HashMap};

use super::model;
use crate::fact::StoredFact;
use crate::{Kind, pace};

/// Groups of indices into `facts`, each in ascending order; groups ordered by their first member.
pub fn groups(kind: Kind, facts: &[StoredFact], of_kind: &[usize]) -> Vec<Vec<usize>> {
    if kind == Kind::Model {
        return model::groups(facts, of_kind);
    }
    let mut union = Union::new(of_kind.len());
    let mut by_key: HashMap<String, Vec<usize>> = HashMap::new();
    for (position, at) in pace::each(of_kind).enumerate() {
        for key in keys(&facts[*at]) {
            by_key.entry(key).or_default().push(position);
        }
    }
    let mut by_key: Vec<_> = by_key.into_iter().filter(|(_, positions)| positions.len() > 1).collect();
    by_key.sort();
    for (_, positions) in by_key {
        for pair in joinable(facts, of_kind, positions).windows(2) {
            union.join(pair[0], pair[1], |a, b| union_is_sound(facts, of_kind, a, b));
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (position, at) in of_kind.iter().enumerate() {
        groups.entry(union.root(position)).or_default().push(*at);
    }
    groups.into_values().collect()
}

/// All keys through which a fact can have to do with others of its kind.
pub fn meeting_keys(fact: &StoredFact) -> Vec<String> {
    if fact.kind == Kind::Model { model::meeting_keys(fact) } else { keys(fact) }
}

/// The keys under which a fact can meet others of its kind.
fn keys(fact: &StoredFact) -> Vec<String> {
    let mut keys: Vec<String> =
        fact.identity.same_as.iter().map(|key| format!("same:{}", key.to_lowercase())).collect();
    if let Some(repository) = &fact.identity.repository
        && let Some(repository) = repository_key(repository)
    {
        keys.push(repository);
    }
    keys
}

/// `repo:github.com/owner/name[#folder]`: scheme, `www.`, `.git`, trailing slashes and case do not tell repositories apart.
/// `None` for what is no repository URL (a host alone, or an owner alone).
pub fn repository_key(url: &str) -> Option<String> {
    let folded = url.trim().to_lowercase();
    let rest = folded.split_once("://").map_or(folded.as_str(), |(_, rest)| rest);
    let rest = rest.trim_start_matches("git@").trim_start_matches("www.").replacen("github.com:", "github.com/", 1);
    let (path, folder) = rest.split_once('#').unwrap_or((&rest, ""));
    let (path, folder) = match path.split_once("/tree/") {
        Some((repository, inside)) => (repository, inside.split_once('/').map_or("", |(_, folder)| folder)),
        None => (path, folder),
    };
    let path = path.split(['?']).next().unwrap_or(path).trim_end_matches('/').trim_end_matches(".git");
    let folder = folder.trim_matches('/');
    (path.split('/').count() >= 3 && path.split('/').all(|part| !part.is_empty()))
        .then(|| if folder.is_empty() { format!("repo:{path}") } else { format!("repo:{path}#{folder}") })
}

/// A source with this many items under one key shows that the key names a collection, not an item.
const COLLECTION_ITEMS_MIN: usize = 3;

/// The positions that a key joins: those of sources that use it once; none when a source uses it for a collection.
fn joinable(facts: &[StoredFact], of_kind: &[usize], mut positions: Vec<usize>) -> Vec<usize> {
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for at in &positions {
        *uses.entry(&facts[of_kind[*at]].source_id).or_default() += 1;
    }
    if uses.values().any(|uses| *uses >= COLLECTION_ITEMS_MIN) {
        return Vec::new();
    }
    positions.retain(|at| uses[&*facts[of_kind[*at]].source_id] == 1);
    positions
}

/// True when joining two groups would not put two facts of one source into one item.
fn union_is_sound(facts: &[StoredFact], of_kind: &[usize], a: &[usize], b: &[usize]) -> bool {
    a.iter().all(|x| b.iter().all(|y| facts[of_kind[*x]].source_id != facts[of_kind[*y]].source_id))
}

/// Union-find that keeps the members of each set.
struct Union {
    parent: Vec<usize>,
    members: Vec<Vec<usize>>,
}

impl Union {
    fn new(len: usize) -> Self {
        Self { parent: (0..len).collect(), members: (0..len).map(|at| vec![at]).collect() }
    }

    fn root(&self, mut at: usize) -> usize {
        while self.parent[at] != at {
            at = self.parent[at];
        }
        at
    }

    /// Joins the sets of `a` and `b` when `sound` says that their members may be one item.
    fn join(&mut self, a: usize, b: usize, sound: impl Fn(&[usize], &[usize]) -> bool) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b || !sound(&self.members[a], &self.members[b]) {
            return;
        }
        let (keep, gone) = if a < b { (a, b) } else { (b, a) };
        let moved = std::mem::take(&mut self.members[gone]);
        self.members[keep].extend(moved);
        self.parent[gone] = keep;
    }
}

#[cfg(test)]
mod tests {
    use super::repository_key;

    #[test]
    fn spellings_of_one_repository_give_one_key() {
        for (url, key) in [
            ("https://github.com/Owner/Repo.git", Some("repo:github.com/owner/repo")),
            ("http://www.github.com/owner/repo/", Some("repo:github.com/owner/repo")),
            ("git@github.com:owner/repo.git", Some("repo:github.com/owner/repo")),
            ("https://github.com/o/r/tree/main/src/fetch", Some("repo:github.com/o/r#src/fetch")),
            ("https://github.com/o/r#src/fetch", Some("repo:github.com/o/r#src/fetch")),
            ("https://github.com/owner", None),
            ("https://example.com", None),
            ("", None),
        ] {
            assert_eq!(repository_key(url).as_deref(), key, "{url}");
        }
    }
}
