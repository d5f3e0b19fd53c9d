//! How questions are read as filters, orders and names.

mod bounds_and_days;
mod comparing;
mod everyday;
mod grammar;
mod languages;
pub mod named_things;
mod numbers;
mod phrasing;
mod quantities;
pub mod questions;
pub mod understanding;
mod values;
pub mod wording;

use refdesk_core::fact::StoredFact;
use refdesk_core::item::Model;
use understanding::made_by;

/// A model of a maker, as the source of somebody else tells of it who sells it.
fn offered_by(seller: &str, maker: &str, name: &str, model: Model) -> StoredFact {
    let mut stored = made_by(maker, name, model);
    stored.identity.provider = Some(seller.to_owned());
    stored.source_id = format!("source-{seller}").into();
    stored
}

/// The same under the seller's own key.
fn sold_at(seller: &str, maker: &str, name: &str, model: Model) -> StoredFact {
    StoredFact { key: format!("{seller}/{name}"), ..offered_by(seller, maker, name, model) }
}
