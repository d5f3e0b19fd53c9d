//! The "all offers" view of a model: what everyone asks for the undated name and for each of its dated snapshots, side by side.

use serde_json::{Map, Value, json};

use crate::columns::Prices;
use crate::json;
use crate::listing::PriceEvidence;
use crate::segment::Found;
use crate::snapshot::Snapshot;
use refdesk_core::Kind;

/// The offers of a model and of those that it is linked with as snapshot or undated name, each with the id of its model. The maker's own
/// price is one of them, marked `first_party`.
pub fn all(snapshot: &Snapshot, ordinal: u32, fresh_only: bool) -> Vec<Value> {
    let linked = linked(snapshot, ordinal);
    linked.into_iter().flat_map(|ordinal| of_model(snapshot, ordinal, fresh_only)).collect()
}

fn row(snapshot: &Snapshot, ordinal: u32, fresh_only: bool) -> Map<String, Value> {
    let row = if fresh_only { snapshot.fresh_row(ordinal) } else { snapshot.row(ordinal).into() };
    json::read_own(&row)
}

/// The undated name and its snapshots, this model among them.
fn linked(snapshot: &Snapshot, ordinal: u32) -> Vec<u32> {
    let own = row(snapshot, ordinal, false);
    let undated = own.get("snapshot_of").and_then(Value::as_str).and_then(|id| by_id(snapshot, id)).unwrap_or(ordinal);
    let mut linked = vec![undated];
    linked.extend(snapshots_of(snapshot, &row(snapshot, undated, false)));
    if !linked.contains(&ordinal) {
        linked.push(ordinal);
    }
    linked
}

/// The dated snapshots of a model, given its row.
pub fn snapshots_of(snapshot: &Snapshot, row: &Map<String, Value>) -> Vec<u32> {
    let snapshots = row.get("snapshots").and_then(Value::as_array).into_iter().flatten();
    let ids = snapshots.filter_map(|dated| dated.get("id")?.as_str());
    ids.filter_map(|id| by_id(snapshot, id)).collect()
}

fn by_id(snapshot: &Snapshot, id: &str) -> Option<u32> {
    match snapshot.find(Kind::Model, id) {
        Found::Id(ordinal) => Some(ordinal),
        _ => None,
    }
}

/// What the maker itself asks for a model, given its row, in the form of an offer; `None` where it has no price of its own. It rests on what
/// states its prices: another source may know the model best.
pub fn makers_offer(snapshot: &Snapshot, ordinal: u32, row: &Map<String, Value>) -> Option<Map<String, Value>> {
    let pricing = row.get("pricing").filter(|pricing| pricing.is_object())?;
    let (segment, at) = snapshot.locate(ordinal);
    let PriceEvidence { record, is_stale } = PriceEvidence::of_pricing(segment, at, pricing);
    let known = record.known();
    let member = |name: &str| row.get(name).cloned().unwrap_or_default();
    let mut own = Map::new();
    own.insert("first_party".to_owned(), true.into());
    own.insert("provider".to_owned(), member("vendor").as_str().unwrap_or_default().into());
    own.insert("api_model_id".to_owned(), segment.makers_id(at).into());
    for name in ["limits", "pricing", "status"] {
        own.insert(name.to_owned(), member(name));
    }
    for (name, value) in [
        ("source_url", json!(record.source_url)),
        ("last_synced_at", json!(known.last_synced_at)),
        ("last_verified_at", json!(known.last_verified_at)),
        ("stale", is_stale.into()),
        ("source_id", record.source.id.to_string().into()),
        ("evidence_key", record.key.to_string().into()),
    ] {
        own.insert(name.to_owned(), value);
    }
    Some(own)
}

/// Whether prices say what tokens cost.
pub fn has_token_price(pricing: &Value) -> bool {
    pricing.as_object().is_some_and(|pricing| pricing.values().any(Value::is_number)) && !bills_no_tokens(pricing)
}

/// Whether only what is not counted in tokens costs anything.
pub fn bills_no_tokens(pricing: &Value) -> bool {
    let prices = Prices::new(Some(pricing));
    prices.charged_others().next().is_some() && !prices.charges_tokens()
}

fn of_model(snapshot: &Snapshot, ordinal: u32, fresh_only: bool) -> Vec<Value> {
    if fresh_only && snapshot.evidence_of(ordinal).stale_reason.is_some() {
        return Vec::new();
    }
    let model = row(snapshot, ordinal, fresh_only);
    let id = model.get("id").cloned().unwrap_or_default();
    let mut offers = Vec::new();
    if let Some(mut own) = makers_offer(snapshot, ordinal, &model) {
        own.insert("model_id".to_owned(), id.clone());
        offers.push(Value::Object(own));
    }
    for offer in model.get("offers").and_then(Value::as_array).into_iter().flatten() {
        let mut offer = offer.clone();
        if let Value::Object(offer) = &mut offer {
            offer.insert("model_id".to_owned(), id.clone());
            offer.insert("first_party".to_owned(), false.into());
        }
        offers.push(offer);
    }
    offers
}
