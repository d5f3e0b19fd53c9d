//! Which facts speak of one model: names are put side by side by their words, and what the sources state decides which of them are one.
//!
//! Everything that decides lies within one cluster (maker and [`Words::stem`]) or is a source's own reference from one cluster to another.
//! The rules in words: `docs/model-identity.md`.

use std::collections::{BTreeMap, BTreeSet};

use foldhash::{HashMap, HashMapExt as _};
use serde_json::Value;

use super::super::FactSet;
use super::cluster::{NamedFact, Spelt, cluster_of};
use super::considered::api_id;
use super::makers::Channel;
use super::references::{Models, follow_references};
use super::words::{Tuned, Words};
use refdesk_core::fact::StoredFact;
use refdesk_core::{cooperative, parallel};

/// As many sellers make a name one that is in use, where its maker does not use it.
const SELLERS_IN_USE_MIN: usize = 3;

/// The facts of each model, as indices in ascending order; the models by their first fact.
pub fn groups(set: FactSet<'_>, of_kind: &[usize]) -> Vec<Vec<usize>> {
    let entries: Vec<NamedFact<'_>> = parallel::map(of_kind, |at| {
        let identity = &set.identities[*at];
        let (cluster, words) = cluster_of(identity);
        NamedFact { fact: &set.facts[*at], identity, cluster, words }
    });
    let mut clusters: HashMap<&str, Vec<usize>> = HashMap::new();
    for (position, entry) in entries.iter().enumerate() {
        clusters.entry(&entry.cluster).or_default().push(position);
    }
    let mut clusters: Vec<(&str, Vec<usize>)> = clusters.into_iter().collect();
    clusters.sort_unstable();
    let mut models = Models::default();
    let of_clusters = parallel::map(&clusters, |(_, positions)| split(&entries, positions));
    for ((cluster, _), of_cluster) in cooperative::yielding(clusters.iter().zip(of_clusters)) {
        models.add(cluster, of_cluster);
    }
    follow_references(&entries, &mut models);
    let mut groups: Vec<Vec<usize>> = models
        .groups
        .into_iter()
        .filter(|group| !group.is_empty())
        .flat_map(|group| apart_by_case(&entries, group))
        .collect();
    for group in &mut groups {
        for position in group.iter_mut() {
            *position = of_kind[*position];
        }
        group.sort_unstable();
    }
    groups.sort_unstable_by_key(|group| group[0]);
    groups
}

/// One spelling of a cluster (order of words aside), and who uses it.
#[derive(Default)]
struct Name {
    positions: Vec<usize>,
    /// Its maker sells it, by itself or on its platform.
    sold_by_maker: bool,
    /// Its maker publishes weights of it.
    published: bool,
    sellers: BTreeSet<String>,
    /// Those of them, and of the maker's own, whose offer has no variant.
    plain_sellers: BTreeSet<String>,
}

impl Name {
    fn new(entries: &[NamedFact<'_>], positions: Vec<usize>) -> Self {
        let mut name = Self { positions, ..Self::default() };
        for position in &name.positions {
            let identity = entries[*position].identity;
            name.plain_sellers.extend(identity.seller.clone().filter(|_| identity.variant.is_none()));
            match (&identity.seller, identity.channel) {
                (None, _) => name.published |= identity.first_party,
                (Some(_), Channel::Maker | Channel::Platform) => name.sold_by_maker = true,
                (Some(seller), _) => {
                    name.sellers.insert(seller.clone());
                }
            }
        }
        name
    }

    /// The maker uses the name, or several sellers do.
    fn in_use(&self) -> bool {
        self.sold_by_maker || self.published || self.sellers.len() >= SELLERS_IN_USE_MIN
    }

    /// In use, or not rarer than the other.
    fn is_common_beside(&self, other: &Self) -> bool {
        self.in_use() || self.sellers.len() >= other.sellers.len()
    }
}

/// The models of a cluster: its spellings, joined where the rules say so.
fn split(entries: &[NamedFact<'_>], positions: &[usize]) -> Vec<Spelt> {
    let mut by_words: BTreeMap<(&Words, bool), Vec<usize>> = BTreeMap::new();
    for position in positions {
        by_words.entry((&entries[*position].words, false)).or_default().push(*position);
    }
    if by_words.len() > 1 {
        set_bases_apart(entries, &mut by_words);
    }
    let keys: Vec<(&Words, bool)> = by_words.keys().copied().collect();
    let names: Vec<Name> = by_words.into_values().map(|positions| Name::new(entries, positions)).collect();
    let mut joined: Vec<usize> = (0..names.len()).collect();
    for (a, b) in pairs(entries, &keys, &names) {
        let (keep, gone) = (joined[a].min(joined[b]), joined[a].max(joined[b]));
        joined.iter_mut().filter(|root| **root == gone).for_each(|root| *root = keep);
    }
    let mut models: BTreeMap<usize, Spelt> = BTreeMap::new();
    for ((root, name), (words, base)) in joined.iter().zip(names).zip(&keys) {
        let model = models.entry(*root).or_default();
        model.0.push(((*words).clone(), *base));
        model.1.extend(name.positions);
    }
    models.into_values().collect()
}

/// Where a name is also in use with `instruct`, a plain one can mean the base model: weights, what completes texts, and where the maker
/// does not sell it so an id spelt as on Hugging Face, and the plain name of a seller that sells both.
fn set_bases_apart<'a>(entries: &'a [NamedFact<'_>], by_words: &mut BTreeMap<(&'a Words, bool), Vec<usize>>) {
    let keys: Vec<&Words> = by_words.keys().map(|(words, _)| *words).filter(|words| words.tuned.is_none()).collect();
    for words in keys {
        let Some(positions) = by_words.get(&(words, false)) else { continue };
        let is_tuned = |other: &Words| FORMS.iter().any(|form| *other == with_form(words, *form));
        let Some((_, tuned)) = by_words.iter().find(|((other, _), _)| is_tuned(other)) else {
            continue;
        };
        let (plain, tuned) = (Name::new(entries, positions.clone()), Name::new(entries, tuned.clone()));
        if !tuned.is_common_beside(&plain) {
            continue;
        }
        let is_base = |position: &usize| {
            let NamedFact { fact, identity, .. } = &entries[*position];
            let sells_both = identity.variant.is_none()
                && identity.seller.as_ref().is_some_and(|seller| tuned.plain_sellers.contains(seller));
            identity.seller.is_none()
                || completes(fact)
                || (!plain.sold_by_maker && (sells_both || is_repository_id(fact)))
        };
        let (base, rest): (Vec<usize>, Vec<usize>) = positions.iter().copied().partition(is_base);
        if base.is_empty() {
            continue;
        }
        by_words.insert((words, true), base);
        by_words.insert((words, false), rest);
    }
    by_words.retain(|_, positions| !positions.is_empty());
}

const FORMS: [Tuned; 2] = [Tuned::Instruct, Tuned::Chat];

fn with_form(words: &Words, form: Tuned) -> Words {
    Words { tuned: Some(form), ..words.clone() }
}

/// `Qwen/Qwen2.5-Coder-7B`: a seller's id that is spelt as the repository of the weights.
fn is_repository_id(fact: &StoredFact) -> bool {
    let name = api_id(fact).split_once('/').map(|(_, name)| name);
    name.is_some_and(|name| !name.contains('/') && name.bytes().any(|b| b.is_ascii_uppercase()))
}

fn completes(fact: &StoredFact) -> bool {
    fact.fields.top_level_text("mode").as_deref() == Some("completion")
}

fn reasons(fact: &StoredFact) -> bool {
    fact.fields.read().get("capabilities").and_then(|stated| stated.get("reasoning")) == Some(&Value::Bool(true))
}

/// Pairs of spellings that are one model.
fn pairs(entries: &[NamedFact<'_>], keys: &[(&Words, bool)], names: &[Name]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let place = |words: Words| keys.iter().position(|(other, base)| **other == words && !base);
    for (at, words) in keys.iter().enumerate().filter(|(_, (_, base))| !base).map(|(at, (words, _))| (at, *words)) {
        if words.tuned.is_none() {
            let mut tuned = FORMS.iter().filter_map(|form| place(with_form(words, *form)));
            if let (Some(tuned), None) = (tuned.next(), tuned.next())
                && plain_means_tuned(entries, &names[at], &names[tuned])
            {
                pairs.push((at, tuned));
            }
        }
        // What only resellers call so is what the maker sells as a preview, or under a name that moves within one version.
        let preview = (!words.preview).then(|| place(Words { preview: true, ..words.clone() })).flatten();
        let latest =
            (!words.latest && words.versioned()).then(|| place(Words { latest: true, ..words.clone() })).flatten();
        let of_maker = preview.into_iter().chain(latest).filter(|longer| is_makers_word(&names[at], &names[*longer]));
        pairs.extend(of_maker.map(|longer| (at, longer)));
        if words.number == 1 && !has_further_number(keys, words) {
            pairs.extend(place(Words { number: 0, ..words.clone() }).map(|plain| (at, plain)));
        }
        pairs.extend(fuller(keys, names, at).map(|fuller| (at, fuller)));
    }
    pairs
}

/// A plain name in a seller's list means the model that follows instructions, unless its maker sells a model of that name that reasons
/// (and `instruct` is then another one), or next to nobody calls the model so.
fn plain_means_tuned(entries: &[NamedFact<'_>], plain: &Name, tuned: &Name) -> bool {
    if plain.sold_by_maker {
        let of_maker =
            |position: &&usize| matches!(entries[**position].identity.channel, Channel::Maker | Channel::Platform);
        return !plain.positions.iter().filter(of_maker).any(|position| reasons(entries[*position].fact));
    }
    tuned.is_common_beside(plain)
}

/// The maker sells the longer name and does not use the plain one.
fn is_makers_word(plain: &Name, longer: &Name) -> bool {
    longer.sold_by_maker && !plain.sold_by_maker && !plain.published
}

/// A second stable version: then the plain name is an alias that moved, and the first is another model.
fn has_further_number(keys: &[(&Words, bool)], first: &Words) -> bool {
    let plain = Words { number: 0, ..first.clone() };
    keys.iter().any(|(words, _)| words.number > 1 && Words { number: 0, ..(*words).clone() } == plain)
}

/// The spelling in use that says all sizes of the model at `at`, where it leaves some out and only one model can be meant. A name
/// without any size may move on where it has no version, and is another model where its maker sells both (`gemini-1.5-flash-8b`).
fn fuller(keys: &[(&Words, bool)], names: &[Name], at: usize) -> Option<usize> {
    let words = keys[at].0;
    if words.sizes.is_empty() && !words.versioned() {
        return None;
    }
    let sold_whole = words.sizes.is_empty() && names[at].sold_by_maker;
    let same_but_sizes = |other: &Words| {
        Words { tuned: words.tuned, sizes: words.sizes.clone(), ..other.clone() } == *words
            && (words.tuned.is_none() || other.tuned.is_none() || words.tuned == other.tuned)
    };
    let says_more = |place: &usize| {
        let (other, base) = keys[*place];
        !base
            && names[*place].in_use()
            && same_but_sizes(other)
            && other.sizes.is_superset(&words.sizes)
            && other.sizes != words.sizes
    };
    let fuller: Vec<usize> = (0..keys.len()).filter(says_more).collect();
    let fullest = fuller.iter().map(|place| &keys[*place].0.sizes).max_by_key(|sizes| sizes.len())?;
    let one = fuller.iter().all(|place| keys[*place].0.sizes.is_subset(fullest));
    if !one || (sold_whole && fuller.iter().any(|place| names[*place].sold_by_maker)) {
        return None;
    }
    // `instruct` for `instruct`; a plain name means the same as where the sizes are told.
    fuller.iter().copied().find(|place| keys[*place].0.tuned == words.tuned).or_else(|| fuller.first().copied())
}

/// One seller's ids that are equal but for case are two items: the spelling that sorts first stays with the others.
fn apart_by_case(entries: &[NamedFact<'_>], positions: Vec<usize>) -> Vec<Vec<usize>> {
    let mut spellings: HashMap<(&str, &str, String), BTreeMap<&str, Vec<usize>>> = HashMap::new();
    if positions.len() > 1 {
        for position in &positions {
            let fact = entries[*position].fact;
            let (provider, id) = (fact.identity.provider.as_deref().unwrap_or(""), api_id(fact));
            let spelled = spellings.entry((&fact.source_id, provider, id.to_lowercase())).or_default();
            spelled.entry(id).or_default().push(*position);
        }
    }
    let apart: Vec<Vec<usize>> = spellings
        .into_values()
        .filter(|spelled| spelled.len() > 1)
        .flat_map(|spelled| spelled.into_values().skip(1))
        .collect();
    let kept: Vec<usize> =
        positions.into_iter().filter(|position| !apart.iter().any(|group| group.contains(position))).collect();
    std::iter::once(kept).chain(apart).filter(|group| !group.is_empty()).collect()
}
