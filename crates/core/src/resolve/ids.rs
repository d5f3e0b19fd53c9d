//! What each item is called: a slug of the lead source's own id, qualified only where two items would share it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use super::{Planned, merge};
use crate::Stamp;
use crate::fact::StoredFact;
use crate::slug::slugify;

/// Sort key of a claim to an id; the smallest wins.
type Claim<'a> = (bool, Option<Stamp>, Reverse<usize>, &'a str, &'a str);

/// Gives every item its id. Of items that would share one, the one with the best [`claim`] keeps it; the others are qualified with
/// the vendor, then the source, then a hash; nothing is dropped.
pub fn assign(items: &mut [Planned], facts: &[StoredFact]) {
    let wanted: Vec<String> = items.iter().map(|item| slugify(wanted_id(item, facts))).collect();
    let mut by_id: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, id) in wanted.iter().enumerate() {
        by_id.entry(id).or_default().push(at);
    }
    let mut taken: HashSet<String> = HashSet::new();
    let mut contested = Vec::new();
    for (id, mut holders) in by_id {
        holders.sort_by_key(|at| claim(&items[*at], facts, id));
        items[holders[0]].id = id.to_owned();
        taken.insert(id.to_owned());
        contested.extend(holders.into_iter().skip(1));
    }
    contested.sort_unstable();
    for at in contested {
        let id = qualified(&items[at], facts, &wanted[at], &taken);
        taken.insert(id.clone());
        items[at].id = id;
    }
}

fn wanted_id<'a>(item: &Planned, facts: &'a [StoredFact]) -> &'a str {
    wanted_by(&facts[item.facts[0]])
}

/// What a fact would like its item to be called.
pub fn wanted_by(lead: &StoredFact) -> &str {
    if lead.head.id.is_empty() { &lead.key } else { &lead.head.id }
}

/// Who keeps a contested id: the item that spells it exactly so, then the one that was here first (an id that people use stays what it
/// names), then the one with more sources, then by source and key.
fn claim<'a>(item: &Planned, facts: &'a [StoredFact], id: &str) -> Claim<'a> {
    let lead = &facts[item.facts[0]];
    let first_seen = item.facts.iter().map(|at| facts[*at].standing.first_seen_at).min();
    (wanted_id(item, facts) != id, first_seen, Reverse(item.facts.len()), &lead.source_id, &lead.key)
}

fn qualified(item: &Planned, facts: &[StoredFact], wanted: &str, taken: &HashSet<String>) -> String {
    let lead = &facts[item.facts[0]];
    let vendor = merge::vendor(item.kind, facts, &item.facts).map(|vendor| slugify(&format!("{vendor}-{wanted}")));
    let by_source = slugify(&format!("{}-{wanted}", lead.source_id));
    let by_key = slugify(&format!("{}-{}", lead.source_id, lead.key));
    vendor.into_iter().chain([by_source.clone(), by_key]).find(|id| !taken.contains(id)).unwrap_or_else(|| {
        // A key that is equal but for characters a slug cannot hold: its hash tells it apart, whatever else is there.
        crate::hash::short_key(&format!("{by_source}-"), &[&lead.key])
    })
}
