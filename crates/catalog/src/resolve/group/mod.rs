//! Which facts speak of the same item.
//!
//! Models meet by maker and the words of their name ([`super::model`]). All other kinds meet by a key that both state: a registry name, a
//! page's URL, a package, an address, a repository with its folder. A key that one source uses for many items (a monorepo of servers)
//! names a collection and joins nothing but what is also called alike; an item that lists the addresses of several others is a bundle
//! of them and none of them. A server of which nothing is stated by which it could meet others meets those with its name and its words
//! ([`alike`]). The rules in words: `docs/model-identity.md`.

mod alike;

use std::collections::{BTreeMap, BTreeSet};

use foldhash::{HashMap, HashMapExt as _};

use super::names::{letters, telling_words};
use super::repository::{REPOSITORY, before_archive, repository_key, repository_name, whole_repository};
use super::server::Folders;
use super::{FactSet, model};
use refdesk_core::fact::StoredFact;
use refdesk_core::text::words;
use refdesk_core::{Kind, cooperative};

/// Groups of indices into `facts`, each in ascending order; groups ordered by their first member.
pub fn groups(kind: Kind, set: FactSet<'_>, of_kind: &[usize]) -> Vec<Vec<usize>> {
    if kind == Kind::Model {
        return model::groups(set, of_kind);
    }
    let entries: Vec<KeyedFact<'_>> =
        cooperative::yielding(of_kind).map(|at| KeyedFact::new(&set.facts[*at], &set.servers.folders)).collect();
    let mut by_key: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (position, entry) in entries.iter().enumerate() {
        for key in &entry.keys {
            by_key.entry(key).or_default().push(position);
        }
    }
    let with_folders: BTreeSet<&str> =
        by_key.keys().filter_map(|key| Some(key.split_once('#').filter(|_| key.starts_with(REPOSITORY))?.0)).collect();
    by_key.retain(|_, positions| positions.len() > 1);
    let bundles = bundles(&entries, &by_key);
    let mut union = Union::new(entries.len());
    for (key, positions) in &by_key {
        let runs = runs_it(key);
        let positions = positions.iter().copied().filter(|position| !runs || !bundles.contains(position)).collect();
        let name = (!with_folders.contains(key)).then(|| repository_name(key)).flatten();
        for alike in joinable(&entries, positions, name) {
            union.join_all(&entries, &alike);
        }
    }
    for alike in with_and_without_folder(&entries) {
        union.join_all(&entries, &alike);
    }
    if kind == Kind::McpServer {
        for (nameless, alike) in alike::described_alike(&entries, |position| union.root(position)) {
            union.join(nameless, alike, |_, _| true);
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (position, at) in of_kind.iter().enumerate() {
        groups.entry(union.root(position)).or_default().push(*at);
    }
    groups.into_values().collect()
}

/// A fact with the keys under which it can meet others of its kind.
struct KeyedFact<'a> {
    fact: &'a StoredFact,
    keys: Vec<String>,
}

impl<'a> KeyedFact<'a> {
    fn new(fact: &'a StoredFact, folders: &Folders) -> Self {
        Self { fact, keys: keys(fact, folders) }
    }

    fn source(&self) -> &'a str {
        &self.fact.source_id
    }
}

/// Packages that only carry the traffic of another server: many servers name them.
const BRIDGES: [&str; 4] = ["npm:mcp-remote", "npm:supergateway", "npm:mcp-proxy", "pypi:mcp-proxy"];

/// Both are without a date and a version, which tell two states of one item apart and not two items.
const PACKAGE: &str = "package:";
const REMOTE: &str = "remote:";

fn keys(fact: &StoredFact, folders: &Folders) -> Vec<String> {
    let identity = &fact.identity;
    let same = identity.same_as.iter().map(|key| format!("same:{}", key.to_lowercase()));
    let packages = identity.packages.iter().map(|package| package.to_lowercase());
    let packages =
        packages.filter(|package| !BRIDGES.contains(&package.as_str())).map(|package| format!("{PACKAGE}{package}"));
    let remotes = identity.remotes.iter().map(|remote| format!("{REMOTE}{}", address(&remote.to_lowercase())));
    let mut keys: BTreeSet<String> = same.chain(packages).chain(remotes).collect();
    let repository = folders.key(fact);
    keys.extend(repository.as_deref().and_then(before_archive));
    keys.extend(repository);
    keys.into_iter().collect()
}

/// Whether nothing is stated of an item by which it could meet others.
pub(super) fn is_keyless(fact: &StoredFact, folders: &Folders) -> bool {
    keys(fact, folders).is_empty()
}

/// An address without the transport that its end tells: `/sse` and `/mcp` of one server are one.
fn address(remote: &str) -> &str {
    let remote = remote.trim_end_matches('/');
    remote.strip_suffix("/sse").or_else(|| remote.strip_suffix("/mcp")).unwrap_or(remote)
}

/// True for a key that says what runs: a package or an address.
fn runs_it(key: &str) -> bool {
    key.starts_with(PACKAGE) || key.starts_with(REMOTE)
}

/// A source with this many items under one key shows that the key names a collection, not an item.
const COLLECTION_ITEMS_MIN: usize = 3;

/// So long a word is no part of another by chance.
const PART_BYTES: usize = 4;

/// The sets of positions that a key joins: all of them, or of a collection those that are called alike. `name` is that of a folder, or of a
/// repository in which nobody names one: where no source has entries of it that run different things, it holds one server, and who is called
/// as it is is that.
fn joinable(entries: &[KeyedFact<'_>], positions: Vec<usize>, name: Option<&str>) -> Vec<Vec<usize>> {
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for position in &positions {
        *uses.entry(entries[*position].source()).or_default() += 1;
    }
    if uses.values().all(|uses| *uses < COLLECTION_ITEMS_MIN) {
        return vec![positions];
    }
    let own = name.map(telling_words).filter(|own| !own.is_empty());
    let own = own.filter(|_| (1..positions.len()).all(|at| is_sound(entries, &positions[..at], &positions[at..=at])));
    let mut alike: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for position in positions {
        let called = entries[position].fact.head.name.to_lowercase();
        let spelt = letters(&called);
        let has =
            |own: &&str| words(&called).any(|word| word == *own) || own.len() >= PART_BYTES && spelt.contains(own);
        let name = own.as_ref().filter(|own| own.iter().all(has)).map(|own| own.join(" "));
        alike.entry(name.unwrap_or_else(|| name_words(entries[position].fact))).or_default().push(position);
    }
    alike.into_iter().filter(|(name, _)| !name.is_empty()).map(|(_, positions)| positions).collect()
}

/// What an item is called, without the words that many names have, and without the owner of its repository where more is left.
fn name_words(fact: &StoredFact) -> String {
    let name = fact.head.name.to_lowercase();
    let repository = fact.identity.repository.as_deref().and_then(repository_key).unwrap_or_default();
    let owner = repository.split('/').nth(1).unwrap_or_default();
    let words = telling_words(&name);
    let own: Vec<&str> = words.iter().copied().filter(|word| *word != owner).collect();
    if own.is_empty() { words.join(" ") } else { own.join(" ") }
}

/// Items whose packages and addresses are those of several items of another source: a gateway with an address for each.
fn bundles(entries: &[KeyedFact<'_>], by_key: &BTreeMap<&str, Vec<usize>>) -> BTreeSet<usize> {
    let mut met: HashMap<(usize, &str), BTreeSet<usize>> = HashMap::new();
    for (_, positions) in by_key.iter().filter(|(key, _)| runs_it(key)) {
        for a in positions {
            let others = positions.iter().filter(|b| entries[**b].source() != entries[*a].source());
            for b in others {
                met.entry((*a, entries[*b].source())).or_default().insert(*b);
            }
        }
    }
    let several = |met: &BTreeSet<usize>| {
        met.iter().any(|a| met.iter().any(|b| a < b && !may_be_one(&entries[*a], &entries[*b])))
    };
    met.into_iter().filter(|(_, met)| several(met)).map(|((position, _), _)| position).collect()
}

/// Items of one repository, some with a folder and some without: one item where there is but one folder, and no source has more than
/// one item with it or without.
fn with_and_without_folder(entries: &[KeyedFact<'_>]) -> Vec<Vec<usize>> {
    let mut by_repository: BTreeMap<String, BTreeMap<Option<&str>, Vec<usize>>> = BTreeMap::new();
    for (position, entry) in entries.iter().enumerate() {
        let repository = entry.fact.identity.repository.as_deref().and_then(whole_repository);
        let key = entry.keys.iter().find(|key| key.starts_with(REPOSITORY));
        if let (Some(repository), Some(key)) = (repository, key) {
            let folder = key.split_once('#').map(|(_, folder)| folder);
            by_repository.entry(repository).or_default().entry(folder).or_default().push(position);
        }
    }
    let alone = |positions: &[usize]| {
        positions.iter().map(|position| entries[*position].source()).collect::<BTreeSet<_>>().len() == positions.len()
    };
    let one = |folders: &BTreeMap<Option<&str>, Vec<usize>>| {
        folders.len() == 2 && folders.contains_key(&None) && folders.values().all(|positions| alone(positions))
    };
    by_repository.into_values().filter(one).map(|folders| folders.into_values().flatten().collect()).collect()
}

/// True when two facts of one source can still be one item, listed twice: they state a key in common and nothing that sets them apart, or
/// one states nothing but where the server answers and the other nothing but how it is started.
fn may_be_one(a: &KeyedFact<'_>, b: &KeyedFact<'_>) -> bool {
    let of = |entry: &KeyedFact<'_>, what: &str| -> BTreeSet<String> {
        entry.keys.iter().filter(|key| key.starts_with(what)).cloned().collect()
    };
    let common = a.keys.iter().any(|key| b.keys.contains(key));
    let is_apart = |what: &&str| {
        let (a, b) = (of(a, what), of(b, what));
        !a.is_empty() && !b.is_empty() && a.is_disjoint(&b)
    };
    let states = |entry: &KeyedFact<'_>| [PACKAGE, REPOSITORY, REMOTE].map(|what| !of(entry, what).is_empty());
    let is_reached = |entry: &KeyedFact<'_>| matches!(states(entry), [false, false, true]);
    let is_started = |entry: &KeyedFact<'_>| matches!(states(entry), [true, _, false] | [_, true, false]);
    if common {
        ![PACKAGE, REMOTE, REPOSITORY].iter().any(is_apart)
    } else {
        is_reached(a) && is_started(b) || is_started(a) && is_reached(b)
    }
}

/// True when joining two groups puts no two facts of one source into one item that cannot be the same.
fn is_sound(entries: &[KeyedFact<'_>], a: &[usize], b: &[usize]) -> bool {
    a.iter().all(|x| {
        b.iter().all(|y| {
            let (x, y) = (&entries[*x], &entries[*y]);
            x.source() != y.source() || may_be_one(x, y)
        })
    })
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

    /// Joins the sets of all positions, each with the first before it that it may be one with.
    fn join_all(&mut self, entries: &[KeyedFact<'_>], positions: &[usize]) {
        for (at, later) in positions.iter().enumerate().skip(1) {
            for earlier in &positions[..at] {
                self.join(*earlier, *later, |a, b| is_sound(entries, a, b));
            }
        }
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
