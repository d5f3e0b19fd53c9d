//! Clusters of model names: what has one maker and one stem of words. Whatever decides which facts are one model lies within a cluster.

use super::ModelIdentity;
use super::words::Words;
use refdesk_core::fact::StoredFact;

/// Key of the cluster that a name is in, and its words. A name without a maker is alone with its like.
pub(super) fn cluster_of(identity: &ModelIdentity) -> (String, Words) {
    let Some(maker) = &identity.maker else {
        let words = Words { stem: vec![identity.name.clone()], ..Words::default() };
        return (identity.key(), words);
    };
    let mut words = Words::parse(maker, &identity.name);
    if words.stem.is_empty() {
        words = Words { stem: vec![identity.name.clone()], ..Words::default() };
    }
    (format!("{maker}/{}", words.stem.join(" ")), words)
}

/// A fact with what the rules need of it.
pub(super) struct NamedFact<'a> {
    pub fact: &'a StoredFact,
    pub identity: &'a ModelIdentity,
    pub cluster: String,
    pub words: Words,
}

/// A model of a cluster: its spellings, with a mark at those that mean the base, and its facts.
pub(super) type Spelt = (Vec<(Words, bool)>, Vec<usize>);
