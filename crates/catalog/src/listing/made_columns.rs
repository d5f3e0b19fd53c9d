//! What is no column of a segment: prices of a seller, and what is fresh of offers. It is read out of the rows when a request asks for it.

use serde_json::{Map, Value, json};

use super::price_evidence::PriceEvidence;
use super::spellings;
use crate::columns::{ColumnBuilder, ListedSeller, MadeColumns, Prices, PricesBuilder, Sold};
use crate::segment::Segment;
use crate::segment::render::{says_no_price, stale_fields};
use refdesk_core::field::{self, FieldDef};
use refdesk_core::query::{PriceOf, Test};

/// Whose prices a row shows in place of the maker's.
#[derive(Debug, Clone, PartialEq)]
pub struct SellersPrice {
    /// The member `priced_by` of a row: the seller, its name of the model, and where its prices come from.
    pub priced_by: Value,
    /// The prices; null when it states none.
    pub pricing: Value,
    /// What is stale in the row with these prices.
    stale_fields: Vec<String>,
}

impl SellersPrice {
    /// Puts them into the row, in place of the maker's.
    pub fn put_into(self, row: &mut Map<String, Value>) {
        row.insert("priced_by".to_owned(), self.priced_by);
        row.insert("pricing".to_owned(), self.pricing);
        row.shift_remove("stale_fields");
        if !self.stale_fields.is_empty() {
            row.insert("stale_fields".to_owned(), self.stale_fields.into());
        }
    }
}

/// The price columns of a seller, whose offers stand under any of some spellings.
pub(super) fn of_seller(segment: &Segment, spellings: &[String], fresh_only: bool) -> MadeColumns {
    let kind = segment.kind();
    let Some(sold) = segment.columns().sold() else { return MadeColumns::default() };
    let accepted = sold.sellers.accepted(&Test::AnyOf(spellings::of_sellers(&sold.sellers, spellings)));
    let mut columns = PricesBuilder::new(kind);
    for row in 0..segment.len() {
        let found = sold.seller(kind, row, &accepted);
        if fresh_only && found.is_some() && segment.item(row).partly_stale {
            let fresh: Value = crate::json::read_own(&segment.fresh_row(row));
            let prices = Prices::new(Sold::of_row(&fresh).seller(spellings).and_then(ListedSeller::charged));
            columns.push(|field| prices.get(field));
        } else {
            columns.push(|field| sold.price(kind, field, found?).map(str::to_owned));
        }
    }
    columns.finish().map(|(field, column)| (field.name, column)).collect()
}

/// The price columns of the cheapest among what is fresh. Those of the segment count stale prices, too.
pub(super) fn of_cheapest_fresh(segment: &Segment) -> &MadeColumns {
    segment.fresh_columns().cheapest.get_or_init(|| cheapest_fresh(segment))
}

fn cheapest_fresh(segment: &Segment) -> MadeColumns {
    let kind = segment.kind();
    let known = |field: &FieldDef, row: u32| {
        segment.columns().get(kind, field, &PriceOf::Cheapest)?.value(row).map(str::to_owned)
    };
    let mut columns = PricesBuilder::new(kind);
    for row in 0..segment.len() {
        if !segment.item(row).partly_stale {
            columns.push(|field| known(field, row));
            continue;
        }
        let fresh: Value = crate::json::read_own(&segment.fresh_row(row));
        let prices = Prices::new(Sold::of_row(&fresh).cheapest().and_then(ListedSeller::charged));
        columns.push(|field| prices.get(field));
    }
    columns.finish().map(|(field, column)| (field.name, column)).collect()
}

/// How many offers are fresh. The column of the segment counts stale ones, too.
pub(super) fn of_fresh_offers(segment: &Segment) -> &MadeColumns {
    segment.fresh_columns().offers.get_or_init(|| fresh_offers(segment))
}

fn fresh_offers(segment: &Segment) -> MadeColumns {
    let Some(field) = field::of_kind(segment.kind()).find(|field| field.is_offer_count()) else {
        return MadeColumns::default();
    };
    let counted = segment.columns().get(segment.kind(), field, &PriceOf::Maker);
    let mut builder = ColumnBuilder::new(field.shape);
    for row in 0..segment.len() {
        let fresh = segment.fresh_offers(row).map(|count| count.to_string());
        let all = || counted?.value(row).map(str::to_owned);
        builder.push(&fresh.or_else(all).into_iter().collect::<Vec<_>>());
    }
    std::iter::once((field.name, builder.finish())).collect()
}

/// The prices of a row that `price_of` asks for; `None` for the maker's, which the row has already.
pub fn price_of_row(segment: &Segment, at: u32, row: &Value, price_of: &PriceOf) -> Option<SellersPrice> {
    let sold = Sold::of_row(row);
    let seller = match price_of {
        PriceOf::Maker => return None,
        PriceOf::Seller(spellings) => sold.seller(spellings),
        PriceOf::Cheapest => sold.cheapest(),
    };
    let priced_by = json!({
        "seller": seller.map(ListedSeller::stated_name),
        "api_model_id": seller.map(|seller| seller.api_model_id(segment.makers_id(at))),
        "evidence_key": seller.map(|seller| evidence_key(segment, at, seller)),
    });
    let pricing = seller.and_then(ListedSeller::charged).cloned().unwrap_or_default();
    let stale_fields = stale_with(row, seller, &pricing);
    Some(SellersPrice { priced_by, pricing, stale_fields })
}

/// The key of the evidence of a seller's prices.
fn evidence_key(segment: &Segment, at: u32, seller: ListedSeller<'_>) -> Value {
    match seller.pricing.filter(|_| seller.is_maker) {
        Some(pricing) => PriceEvidence::of_pricing(segment, at, pricing).record.key.to_string().into(),
        None => seller.member("evidence_key").clone(),
    }
}

/// The paths of the stale values of a row that shows a seller's prices. An offer is stale as a whole, with all of its prices.
fn stale_with(row: &Value, seller: Option<ListedSeller<'_>>, pricing: &Value) -> Vec<String> {
    let is_makers = seller.is_some_and(|seller| seller.is_maker);
    let kept = stale_fields(row).filter(|path| is_makers || !field::is_within(path, "pricing"));
    let is_stale = seller.is_some_and(|seller| !seller.is_maker && *seller.member("stale") == true);
    let members = pricing.as_object().into_iter().flatten();
    let stated = members.filter(|(name, price)| is_stale && !says_no_price(name, price));
    kept.map(str::to_owned).chain(stated.map(|(name, _)| format!("pricing.{name}"))).collect()
}
