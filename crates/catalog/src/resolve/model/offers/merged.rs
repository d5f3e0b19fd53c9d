//! One offer of several sources: the best statement of it, and what only other sources state, as long as they agree on everything that both
//! state. A disagreement goes to `conflicts`, along with the rest of what that source states.

use serde_json::{Map, Value, json};

use super::{StatedOffer, offer_path};
use crate::resolve::leaves::{is_stated, same};
use crate::resolve::price::meters;
use crate::resolve::rules::Role;
use crate::resolve::{Conflict, FieldEvidence};

/// The parts of a context.
const PARTS: [&str; 2] = ["input_tokens", "output_tokens"];
/// Dates of an offer's end.
const DATES: [&str; 2] = ["deprecated_on", "retires_on"];

/// A stated value of an offer, by its path below it.
type Leaf = (String, Value);

/// What an offer is.
pub(super) struct MergedOffer<'o, 'a> {
    /// The best statement of it.
    pub(super) best: &'o StatedOffer<'a>,
    /// Its prices.
    pub(super) pricing: Map<String, Value>,
    /// Its limits.
    pub(super) limits: Map<String, Value>,
    /// Its dates, where they are stated.
    pub(super) dates: Map<String, Value>,
    /// Who states what the best statement does not.
    pub(super) evidence: Vec<FieldEvidence>,
}

impl<'o, 'a> MergedOffer<'o, 'a> {
    /// What the best statement says.
    pub(super) fn new(best: &'o StatedOffer<'a>) -> Self {
        Self {
            best,
            pricing: best.pricing.clone().unwrap_or_default(),
            limits: limits(best),
            dates: dates(best),
            evidence: Vec::new(),
        }
    }

    /// Adds what another source says of the same offer. A seller's own list is complete: what a copy has beside it is not offered.
    pub(super) fn add(&mut self, other: &StatedOffer<'_>, conflicts: &mut Vec<Conflict>) {
        let may_add = !other.is_doubted && other.stale == self.best.stale;
        let nothing = Map::new();
        let their_prices = other.pricing.as_ref().unwrap_or(&nothing);
        let groups = [
            (prices(&self.pricing), prices(their_prices)),
            (stated(&self.limits), stated(&limits(other))),
            (stated(&self.dates), stated(&dates(other))),
        ];
        for (ours, theirs) in groups {
            let known = |path: &str| ours.iter().find(|(known, _)| known == path).map(|(_, value)| value);
            let (shared, alone): (Vec<Leaf>, Vec<Leaf>) =
                theirs.into_iter().partition(|(path, _)| known(path).is_some());
            let differing: Vec<Leaf> =
                shared.into_iter().filter(|(path, value)| known(path).is_some_and(|ours| !same(ours, value))).collect();
            let alone = if self.best.own_list { Vec::new() } else { alone };
            let (added, refused) =
                if may_add && differing.is_empty() { (alone, Vec::new()) } else { (Vec::new(), alone) };
            for (path, value) in added {
                self.put(&path, value, their_prices);
                let path = offer_path(self.best.fact, &path);
                self.evidence.push(FieldEvidence { path, fact: other.at, rule: Role::Seller.as_str() });
            }
            let conflict = |(path, value): Leaf| Conflict::plain(offer_path(self.best.fact, &path), value, other.at);
            conflicts.extend(differing.into_iter().chain(refused).map(conflict));
        }
    }

    /// Takes out limits that cannot be: a part of the context that is above the whole.
    pub(super) fn take_impossible(&mut self, conflicts: &mut Vec<Conflict>) {
        let Some(whole) = self.limits.get("context_tokens").and_then(Value::as_u64) else { return };
        for part in PARTS {
            let Some(limit) = self.limits.get_mut(part).filter(|limit| limit.as_u64().is_some_and(|part| part > whole))
            else {
                continue;
            };
            let path = offer_path(self.best.fact, &format!("limits.{part}"));
            let added = self.evidence.iter().position(|stated| stated.path == path);
            let by = added.map_or(self.best.at, |added| self.evidence.remove(added).fact);
            let conflict = Conflict::plain(path, limit.take(), by);
            conflicts.push(conflict.because("it is above the context of the same offer"));
        }
    }

    fn put(&mut self, path: &str, value: Value, their_prices: &Map<String, Value>) {
        if path.starts_with("pricing.") {
            meters::put(&mut self.pricing, path, their_prices);
        } else if let Some(name) = path.strip_prefix("limits.") {
            self.limits.insert(name.to_owned(), value);
        } else {
            self.dates.insert(path.to_owned(), value);
        }
    }
}

fn limits(offer: &StatedOffer<'_>) -> Map<String, Value> {
    let unknown = || ["context_tokens"].iter().chain(&PARTS).map(|name| ((*name).to_owned(), Value::Null)).collect();
    offer.fields.get("limits").and_then(Value::as_object).cloned().unwrap_or_else(unknown)
}

fn dates(offer: &StatedOffer<'_>) -> Map<String, Value> {
    let date = |name: &&str| Some(((*name).to_owned(), offer.fields.get(*name)?.clone()));
    DATES.iter().filter_map(date).filter(|(_, date)| is_stated(date)).collect()
}

fn prices(pricing: &Map<String, Value>) -> Vec<Leaf> {
    meters::all(pricing).into_iter().map(|meter| (meter.path, json!(meter.price))).collect()
}

/// The stated members of limits or dates.
fn stated(members: &Map<String, Value>) -> Vec<Leaf> {
    let path = |name: &str| if DATES.contains(&name) { name.to_owned() } else { format!("limits.{name}") };
    members.iter().filter(|(_, value)| is_stated(value)).map(|(name, value)| (path(name), value.clone())).collect()
}
