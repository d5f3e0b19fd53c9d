//! The prices of every seller, as columns of their own with a row for each seller of each item: `price_of` reads them for one seller without
//! reading the rendered rows.

use serde::{Deserialize, Serialize};

use super::{Accepted, Codes, Column, ColumnBuilder, Prices, PricesBuilder, Sold, UNKNOWN, prices};
use refdesk_core::Kind;
use refdesk_core::clean::line;
use refdesk_core::field::{FieldDef, Shape};

/// See the module.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct SoldColumns {
    /// Where the sellers of each item begin, and behind them where the last ones end.
    starts: Codes,
    /// The name of each seller.
    pub sellers: Column,
    /// 1 for the maker at its own price.
    makers: Codes,
    /// The prices of a kind, in the order of its fields.
    prices: Vec<Column>,
}

impl SoldColumns {
    /// Of some accepted sellers of an item the one that [`Sold::seller`] takes, as the number of its row here.
    pub fn seller(&self, kind: Kind, item: u32, accepted: &Accepted) -> Option<u32> {
        let blended = prices(kind).position(|field| !field.path.starts_with("pricing."))?;
        let sold = self.starts.get(item)..self.starts.get(item + 1);
        sold.filter(|at| accepted.contains(self.sellers.codes.get(*at))).min_by_key(|at| {
            // Prices are numbered in their order.
            let price = self.prices[blended].codes.get(*at);
            (self.makers.get(*at) == 0, price == UNKNOWN, price)
        })
    }

    /// A price of the seller in a row.
    pub fn price(&self, kind: Kind, field: &FieldDef, at: u32) -> Option<&str> {
        self.prices[prices(kind).position(|price| price.name == field.name)?].value(at)
    }

    /// Bytes in memory, about.
    pub(super) fn bytes(&self) -> usize {
        let columns = std::iter::once(&self.sellers).chain(&self.prices);
        self.starts.bytes() + self.makers.bytes() + columns.map(Column::bytes).sum::<usize>()
    }

    /// Whether every column has a value for each seller of each of so many items.
    pub(super) fn is_sound(&self, kind: Kind, items: usize) -> bool {
        let starts: Vec<u32> = (0..self.starts.len() as u32).map(|item| self.starts.get(item)).collect();
        let sold = self.makers.len();
        starts.len() == items + 1
            && starts.is_sorted()
            && (starts.first(), starts.last().copied()) == (Some(&0), u32::try_from(sold).ok())
            && self.prices.len() == prices(kind).count()
            && std::iter::once(&self.sellers).chain(&self.prices).all(|column| column.is_sound(sold))
    }
}

/// Takes the sellers of items, one by one.
#[derive(Debug)]
pub(super) struct SoldBuilder {
    starts: Vec<u32>,
    sellers: ColumnBuilder,
    makers: Vec<u32>,
    prices: PricesBuilder,
}

impl SoldBuilder {
    /// Columns of a kind.
    pub fn new(kind: Kind) -> Self {
        let sellers = ColumnBuilder::new(Shape::Word);
        Self { starts: vec![0], sellers, makers: Vec::new(), prices: PricesBuilder::new(kind) }
    }

    /// Adds the sellers of the next item.
    pub fn add(&mut self, sold: Sold<'_>) {
        for seller in sold.sellers() {
            let prices = Prices::new(seller.charged());
            self.sellers.push(&[line(seller.name)]);
            self.makers.push(seller.is_maker.into());
            self.prices.push(|field| prices.get(field));
        }
        self.starts.push(self.makers.len() as u32);
    }

    /// The columns.
    pub fn finish(self) -> SoldColumns {
        SoldColumns {
            starts: Codes::new(&self.starts),
            sellers: self.sellers.finish(),
            makers: Codes::new(&self.makers),
            prices: self.prices.finish().map(|(_, column)| column).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SoldBuilder, SoldColumns};
    use crate::columns::Sold;
    use refdesk_core::Kind;
    use refdesk_core::field;
    use refdesk_core::query::Test;
    use serde_json::json;

    fn sold() -> SoldColumns {
        let mut builder = SoldBuilder::new(Kind::Model);
        builder.add(Sold::of_row(&json!({
            "vendor": "Acme", "pricing": {"input": 2, "output": 2}, "offers": [
                {"provider": "acme", "pricing": {"input": 1, "output": 1}},
                {"provider": "shop", "pricing": {"input": 3, "output": 3}},
                {"provider": "shop", "pricing": {"input": 1.5, "output": 4}},
                {"provider": "shop"},
            ],
        })));
        builder.add(Sold::of_row(&json!({"vendor": "Acme", "offers": [{"provider": "other"}]})));
        builder.finish()
    }

    #[test]
    fn the_maker_goes_before_offers_and_the_cheapest_offer_before_others() {
        let sold = sold();
        let input = field::named(Kind::Model, "price_input").unwrap();
        let price = |seller: &str, item: u32| {
            let accepted = sold.sellers.accepted(&Test::AnyOf(vec![seller.to_owned()]));
            sold.seller(Kind::Model, item, &accepted).map(|at| sold.price(Kind::Model, input, at))
        };
        assert_eq!(price("acme", 0), Some(Some("2")));
        assert_eq!(price("shop", 0), Some(Some("1.5")));
        assert_eq!(price("other", 0), None);
        assert_eq!(price("other", 1), Some(None), "an offer without prices");
        assert_eq!(price("acme", 1), None, "the maker states no price");
    }

    #[test]
    fn columns_of_another_number_of_items_are_refused() {
        let sold = sold();
        assert!(sold.is_sound(Kind::Model, 2));
        assert!(!sold.is_sound(Kind::Model, 1) && !sold.is_sound(Kind::Model, 3) && !sold.is_sound(Kind::Tool, 2));
    }
}
