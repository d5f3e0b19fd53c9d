//! What each item is called: a slug of the lead source's own id, qualified only where that is another item's spelling.

use foldhash::{HashSet, HashSetExt as _};

use super::spellings::Owners;
use super::{FactSet, Planned, merge};
use refdesk_core::fact::StoredFact;
use refdesk_core::parallel;
use refdesk_core::slug::slugify;

/// Gives every item its id, and says which of its spellings are another's ([`Owners`]). An item whose wished-for id is another's is
/// qualified with the vendor, then the source, then a hash; nothing is dropped.
pub fn assign(items: &mut [Planned], set: FactSet<'_>) {
    let facts = set.facts;
    let wanted = parallel::map(items, |item| slugify(wanted_by(&facts[item.facts[0]])));
    let owners = Owners::new(items, &wanted, set);
    let places: Vec<usize> = (0..items.len()).collect();
    let settled =
        parallel::map(&places, |at| (owners.lost(*at, &items[*at], facts), owners.is_of_another(&wanted[*at], *at)));
    let mut taken: HashSet<String> = HashSet::with_capacity(items.len());
    let mut contested = Vec::new();
    for (at, ((item, id), (lost, is_of_another))) in items.iter_mut().zip(wanted).zip(settled).enumerate() {
        item.lost = lost;
        // Two items that own one id can only be two of one hash.
        if is_of_another || !taken.insert(id.clone()) {
            contested.push((at, id));
        } else {
            item.id = id;
        }
    }
    for (at, wanted) in contested {
        let is_free = |id: &String| !taken.contains(id) && !owners.is_of_another(id, at);
        let id = qualified(&items[at], set, &wanted, is_free);
        taken.insert(id.clone());
        items[at].id = id;
    }
}

/// What a fact would like its item to be called.
pub fn wanted_by(lead: &StoredFact) -> &str {
    if lead.head.id.is_empty() { &lead.key } else { &lead.head.id }
}

fn qualified(item: &Planned, set: FactSet<'_>, wanted: &str, is_free: impl Fn(&String) -> bool) -> String {
    let lead = &set.facts[item.facts[0]];
    let vendor = merge::vendor(set, &item.facts).map(|vendor| slugify(&format!("{vendor}-{wanted}")));
    let by_source = slugify(&format!("{}-{wanted}", lead.source_id));
    let by_key = slugify(&format!("{}-{}", lead.source_id, lead.key));
    vendor.into_iter().chain([by_source.clone(), by_key]).find(is_free).unwrap_or_else(|| {
        // A key that is equal but for characters a slug cannot hold: its hash tells it apart, whatever else is there.
        refdesk_core::hash::short_key(&format!("{by_source}-"), &[&lead.key])
    })
}
