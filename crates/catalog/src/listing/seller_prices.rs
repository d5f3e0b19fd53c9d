//! The prices of one seller: read out of the rows that have an offer of it, when a request asks for them.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

use crate::columns::{Column, ColumnBuilder, Prices, cheapest, price_object};
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

fn seller_of(offer: &Value) -> &str {
    offer.get("provider").and_then(Value::as_str).unwrap_or_default()
}

/// What is read of a row.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Offers {
    offers: Vec<Value>,
}

/// The offer of a seller with the lowest blended price; one without prices when it has no other.
fn offer_of<'a>(offers: impl Iterator<Item = &'a Value>, seller: &str) -> Option<&'a Value> {
    let own = offers.filter(|offer| seller_of(offer).eq_ignore_ascii_case(seller));
    own.min_by_key(|offer| {
        let price = Prices::new(price_object(offer)).blended();
        (price.is_none(), price)
    })
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
        let has_offer = sells.as_ref().is_some_and(|(column, accepted)| accepted.contains(column.codes.get(row)));
        let Offers { offers } = if has_offer { json::read_own(segment.row(row)) } else { Offers::default() };
        let pricing = offer_of(offers.iter(), seller).and_then(price_object);
        let prices = Prices::new(pricing);
        for (field, builder) in &mut builders {
            builder.push(&prices.get(field).into_iter().collect::<Vec<_>>());
        }
    }
    builders.into_iter().map(|(field, builder)| (field.name, builder.finish())).collect()
}

/// Whose prices a row shows; none when they are the maker's, as they stand in it.
pub fn price_of_row(row: &Value, price_of: &PriceOf) -> Option<SellersPrice> {
    let of_offer = |offer: Option<&Value>| {
        let member = |name: &str| offer.and_then(|offer| offer.get(name)).cloned().unwrap_or_default();
        SellersPrice {
            seller: member("provider"),
            api_model_id: member("api_model_id"),
            evidence_key: member("evidence_key"),
            pricing: offer.and_then(price_object).cloned().unwrap_or_default(),
        }
    };
    let offers = || row.get("offers").and_then(Value::as_array).into_iter().flatten();
    let sold = offers().filter_map(|offer| Some((offer, price_object(offer)?)));
    match price_of {
        PriceOf::Maker => None,
        PriceOf::Seller(seller) => Some(of_offer(offer_of(offers(), seller))),
        PriceOf::Cheapest => match cheapest(row.get("pricing"), sold) {
            Some((None, _)) => Some(SellersPrice {
                seller: row.get("vendor").cloned().unwrap_or_default(),
                api_model_id: row.get("id").cloned().unwrap_or_default(),
                evidence_key: row.get("evidence_key").cloned().unwrap_or_default(),
                pricing: row.get("pricing").cloned().unwrap_or_default(),
            }),
            found => Some(of_offer(found.and_then(|(offer, _)| offer))),
        },
    }
}
