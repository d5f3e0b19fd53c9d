//! Folders of repositories that hold many servers. A list that was read from such a repository itself, its README, names the folders that
//! are there. Another source most of whose folders in it that list does not name made them up: they tell nothing of where a server is.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::resolve::names::letters;
use crate::resolve::repository::{before_archive, repository_key, whole_repository};
use refdesk_core::fact::{StatedBy, StoredFact};

/// So many folders in a repository's own list show that it names what is there, and so many that it does not know that a source errs.
const FOLDERS_MIN: usize = 3;

/// What the own lists of repositories name, and who names something else there.
#[derive(Debug, Default)]
pub struct Folders {
    /// The keys of the folders that are in a repository, by its key.
    own: HashMap<String, HashSet<String>>,
    /// Sources and the repositories in which most of their folders are made up.
    mistaken: HashSet<(Arc<str>, String)>,
}

impl Folders {
    /// Those that the entries of some servers tell of.
    pub fn new<'a>(servers: impl Iterator<Item = &'a StoredFact>) -> Self {
        let mut own: HashMap<String, HashSet<String>> = HashMap::new();
        let mut stated: HashMap<(Arc<str>, String), HashSet<String>> = HashMap::new();
        for server in servers {
            let Some((repository, key)) = folder(server) else { continue };
            // A person names the page of a card, and lists nothing.
            let is_list = server.provenance.stated_by != Some(StatedBy::Card);
            let read_from = whole_repository(&server.source_url).filter(|_| is_list);
            let mut keys = std::iter::once(key.clone()).chain(before_archive(&key));
            let own_key = keys.find(|key| key.split('#').next() == read_from.as_deref());
            match (own_key, read_from) {
                (Some(own_key), Some(read_from)) => own.entry(read_from).or_default().insert(own_key),
                _ => stated.entry((Arc::clone(&server.source_id), repository)).or_default().insert(key),
            };
        }
        own.retain(|_, folders| folders.len() >= FOLDERS_MIN);
        stated.retain(|(_, repository), folders| {
            let unknown = own.get(repository).map_or(0, |own| folders.difference(own).count());
            unknown >= FOLDERS_MIN && unknown * 2 > folders.len()
        });
        Self { own, mistaken: stated.into_keys().collect() }
    }

    /// The key of the repository that an entry states, with the folder; `None` where it states none, or a folder that is made up. One that
    /// is called as a folder that is there is that folder.
    pub fn key(&self, entry: &StoredFact) -> Option<String> {
        let key = repository_key(entry.identity.repository.as_deref()?)?;
        match self.made_up(entry) {
            Some(own) => own.iter().filter(|own| last_part(own) == last_part(&key)).min().cloned(),
            None => Some(key),
        }
    }

    /// Whether an entry states a folder that is not there.
    pub fn is_made_up(&self, entry: &StoredFact) -> bool {
        self.made_up(entry).is_some()
    }

    /// The folders that are there, where the entry states another and its source is not to be believed.
    fn made_up(&self, entry: &StoredFact) -> Option<&HashSet<String>> {
        // So it is for every kind but servers, whose addresses need not be read then.
        if self.mistaken.is_empty() {
            return None;
        }
        let (repository, key) = folder(entry)?;
        let own = self.own.get(&repository).filter(|own| !own.contains(&key))?;
        self.mistaken.contains(&(Arc::clone(&entry.source_id), repository)).then_some(own)
    }
}

/// The key of the repository that an entry states, and the same with the folder; `None` without a folder.
fn folder(entry: &StoredFact) -> Option<(String, String)> {
    let key = repository_key(entry.identity.repository.as_deref()?)?;
    Some((key.split_once('#')?.0.to_owned(), key))
}

/// The letters of the last part of a folder.
fn last_part(key: &str) -> String {
    letters(key.rsplit(['/', '#']).next().unwrap_or(key))
}
