//! Which models are dated snapshots of which undated names: two items that are linked, because the undated name moves on.

use foldhash::{HashMap, HashMapExt as _};
use serde::{Deserialize, Serialize};

use super::model::undated;
use super::{FactSet, Planned};

/// How a model is linked with others of its name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dated {
    /// Id of the undated name that this is a snapshot of.
    pub snapshot_of: Option<String>,
    /// The snapshots of this undated name, the newest first: what the name means since the date of the first.
    pub snapshots: Vec<DatedSnapshot>,
}

/// A snapshot of an undated name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DatedSnapshot {
    /// Id of the model.
    pub id: String,
    /// The date in its name: `YYYY-MM-DD`, `YYYY-MM`, or `--MM-DD` where its maker leaves the year out.
    pub dated_on: String,
}

/// Links the planned models. Only live facts speak.
pub fn link(items: &mut [Planned], set: FactSet<'_>) {
    let mut by_key: HashMap<String, usize> = HashMap::new();
    let mut snapshots: Vec<(usize, String, String)> = Vec::new();
    for (place, item) in items.iter().enumerate() {
        let live = item.facts.iter().filter(|at| set.facts[**at].standing.removed_at.is_none());
        for (position, at) in live.enumerate() {
            let identity = &set.identities[*at];
            if position == 0
                && let Some((undated, date)) = undated(identity)
            {
                snapshots.push((place, undated, date));
            }
            by_key.entry(identity.key()).or_insert(place);
        }
    }
    for (place, undated, dated_on) in snapshots {
        let Some(of) = by_key.get(&undated).copied().filter(|of| *of != place) else { continue };
        items[place].dated.snapshot_of = Some(items[of].id.clone());
        items[place].undated = items[of].facts.clone();
        let snapshot = DatedSnapshot { id: items[place].id.clone(), dated_on };
        items[of].dated.snapshots.push(snapshot);
    }
    for item in items {
        item.dated.snapshots.sort_by(|a, b| (&b.dated_on, &a.id).cmp(&(&a.dated_on, &b.id)));
    }
}
