//! References from one model to another: a source says which published weights it sells.
//!
//! [`mod@super::groups`] has put the spellings of every cluster together before; here whole models, or of a product that moves on single
//! offers, go to the weights that a source names.

use std::collections::{BTreeMap, BTreeSet};

use foldhash::HashMap;

use super::cluster::{NamedFact, Spelt, cluster_of};
use super::words::Words;
use super::{ModelIdentity, StatedIdentity, parse_identity};

/// All models, and which spelling belongs to which.
#[derive(Default)]
pub(super) struct Models {
    pub groups: Vec<Vec<usize>>,
    /// Models by cluster, words, and whether these mean the base.
    by_words: HashMap<(String, Words, bool), usize>,
    of: HashMap<usize, usize>,
}

impl Models {
    pub fn add(&mut self, cluster: &str, models: Vec<Spelt>) {
        for (spellings, positions) in models {
            let model = self.groups.len();
            let spelt = spellings.into_iter().map(|(words, base)| ((cluster.to_owned(), words, base), model));
            self.by_words.extend(spelt);
            self.of.extend(positions.iter().map(|position| (*position, model)));
            self.groups.push(positions);
        }
    }

    /// The model that a reference to weights means: of a plain name the base, where it is told apart.
    fn meant(&self, target: &ModelIdentity) -> Option<usize> {
        let (cluster, words) = cluster_of(target);
        let of = |base| self.by_words.get(&(cluster.clone(), words.clone(), base));
        of(true).or_else(|| of(false)).copied()
    }

    fn join(&mut self, model: usize, target: usize) {
        let moved = std::mem::take(&mut self.groups[model]);
        self.of.extend(moved.iter().map(|position| (*position, target)));
        self.groups[target].extend(moved);
    }

    fn move_offer(&mut self, position: usize, target: usize) {
        if let Some(model) = self.of.insert(position, target) {
            self.groups[model].retain(|other| *other != position);
            self.groups[target].push(position);
        }
    }
}

/// A source's own reference to another id (published weights) joins two models of one maker when only one model refers to it. A name
/// without a version that the maker itself sells moves on (`deepseek-chat`): of it only the offers that state the reference move.
pub(super) fn follow_references(entries: &[NamedFact<'_>], models: &mut Models) {
    let mut referring: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let mut offers: Vec<(usize, usize)> = Vec::new();
    for (position, entry) in entries.iter().enumerate() {
        let alias = entry.identity.variant.as_deref().is_some_and(|variant| variant.contains("alias"));
        for id in entry.fact.identity.same_as.iter().filter(|_| !alias) {
            let target = parse_identity(StatedIdentity { id, ..StatedIdentity::default() });
            let (Some(model), Some(meant)) = (models.of.get(&position).copied(), models.meant(&target)) else {
                continue;
            };
            if model == meant || target.maker != entry.identity.maker {
                continue;
            }
            let sold = models.groups[model]
                .iter()
                .any(|at| entries[*at].identity.first_party && entries[*at].identity.seller.is_some());
            let fixed = entry.words.versioned() || entry.words.dated() || !entry.words.sizes.is_empty();
            let snapshot = cluster_of(&target).1.is_snapshot_of(&entry.words);
            if snapshot && (sold || !fixed) {
                // The alias is another item than what it stands for today.
            } else if sold && !fixed {
                offers.push((position, meant));
            } else {
                referring.entry(meant).or_default().insert(model);
            }
        }
    }
    for (position, target) in offers {
        for copy in copies(entries, models, position) {
            models.move_offer(copy, target);
        }
    }
    for (target, referring) in referring {
        let mut referring = referring.into_iter();
        if let (Some(model), None) = (referring.next(), referring.next())
            && !models.groups[target].is_empty()
        {
            models.join(model, target);
        }
    }
}

/// The same offer in every source: one seller's same id.
fn copies(entries: &[NamedFact<'_>], models: &Models, position: usize) -> Vec<usize> {
    let offer = |at: usize| {
        (&entries[at].identity.seller, entries[at].fact.identity.api_model_id.as_deref().map(str::to_lowercase))
    };
    let Some(model) = models.of.get(&position) else { return Vec::new() };
    models.groups[*model].iter().copied().filter(|at| offer(*at) == offer(position)).collect()
}
