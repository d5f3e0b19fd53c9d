//! What states the maker's prices of a model: a source may know the model and another one what its maker charges, so the evidence of the
//! model says nothing of its prices. An offer has evidence of its own.

use serde_json::Value;

use crate::segment::render::says_no_price;
use crate::segment::{EvidenceRecord, Segment};

/// The evidence of some of the maker's prices.
#[derive(Debug)]
pub struct PriceEvidence<'s> {
    /// That of the first of them; that of the model where there is none.
    pub record: EvidenceRecord<'s>,
    /// Whether any of them is stale.
    pub is_stale: bool,
}

impl<'s> PriceEvidence<'s> {
    /// Of the prices of a row by some meters, by their members in `pricing`.
    pub fn of_meters<'m>(segment: &'s Segment, row: u32, meters: impl IntoIterator<Item = &'m str>) -> Self {
        let mut records = meters.into_iter().map(|meter| segment.evidence_at(row, &format!("pricing.{meter}")));
        let record = records.next().unwrap_or_else(|| segment.evidence_of(row));
        let is_stale = |record: &EvidenceRecord<'_>| record.stale_reason.is_some();
        let is_stale = is_stale(&record) || records.any(|record| is_stale(&record));
        Self { record, is_stale }
    }

    /// Of all the prices of a row that are shown.
    pub fn of_pricing(segment: &'s Segment, row: u32, pricing: &Value) -> Self {
        let members = pricing.as_object().into_iter().flatten();
        let stated = members.filter(|(name, price)| !says_no_price(name, price));
        Self::of_meters(segment, row, stated.map(|(name, _)| name.as_str()))
    }
}
