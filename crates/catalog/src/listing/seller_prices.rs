//! The prices of one seller: read out of the rows of what it sells, when a request asks for them.

use std::collections::HashMap;

use serde_json::Value;

use crate::columns::{Column, ColumnBuilder, ListedSeller, Prices, Sold};
use crate::json;
use crate::segment::Segment;
use refdesk_core::field::{self, FieldDef};
use refdesk_core::query::{PriceOf, Test};

/// Whose prices a row shows in place of the maker's.
#[derive(Debug, Clone, PartialEq)]
pub struct SellersPrice {
    /// The seller.
    pub seller: Value,
    /// Its name of the model.
    pub api_model_id: Value,
    /// Where its prices come from.
    pub evidence_key: Value,
    /// The prices; null when it states none.
    pub pricing: Value,
}

/// The price columns of a seller.
pub(super) fn columns(segment: &Segment, seller: &str) -> HashMap<&'static str, Column> {
    let kind = segment.kind();
    let prices = || field::of_kind(kind).filter(|field| field.is_price());
    let mut builders: Vec<(&'static FieldDef, ColumnBuilder)> =
        prices().map(|field| (field, ColumnBuilder::new(field.shape))).collect();
    let sellers = field::named(kind, "seller").and_then(|field| segment.columns().get(kind, field, &PriceOf::Maker));
    let sells = sellers.map(|column| (column, column.accepted(&Test::AnyOf(vec![seller.to_owned()]))));
    for row in 0..segment.len() {
        let is_seller = sells.as_ref().is_some_and(|(column, accepted)| accepted.contains(column.codes.get(row)));
        let parsed: Option<Value> = is_seller.then(|| json::read_own(segment.row(row)));
        let found = parsed.as_ref().and_then(|row| Sold::of_row(row).seller(seller));
        let prices = Prices::new(found.and_then(|seller| seller.pricing));
        for (field, builder) in &mut builders {
            builder.push(&prices.get(field).into_iter().collect::<Vec<_>>());
        }
    }
    builders.into_iter().map(|(field, builder)| (field.name, builder.finish())).collect()
}

/// Whose prices a row shows; none when they are the maker's, as they stand in it.
pub fn price_of_row(row: &Value, price_of: &PriceOf) -> Option<SellersPrice> {
    let sold = Sold::of_row(row);
    let seller = match price_of {
        PriceOf::Maker => return None,
        PriceOf::Seller(seller) => sold.seller(seller),
        PriceOf::Cheapest => sold.cheapest(),
    };
    // The maker's own id and evidence are those of the row.
    let (names, stated) = match seller {
        Some(ListedSeller { offer: None, .. }) => (["vendor", "id"], Some(row)),
        Some(ListedSeller { offer, .. }) => (["provider", "api_model_id"], offer),
        None => (["", ""], None),
    };
    let member = |name: &str| stated.and_then(|stated| stated.get(name)).cloned().unwrap_or_default();
    Some(SellersPrice {
        seller: member(names[0]),
        api_model_id: member(names[1]),
        evidence_key: member("evidence_key"),
        pricing: seller.and_then(|seller| seller.pricing).cloned().unwrap_or_default(),
    })
}
