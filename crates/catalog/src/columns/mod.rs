//! Columns of a segment: the value of every filterable and sortable field of every row, dictionary-encoded as in a column store. A
//! column keeps its distinct values in their order, and for each row the number of its value, so that a filter tests each distinct value
//! once, an order compares numbers, and a facet counts them.

mod auth;
mod codes;
mod extract;
mod matching;
mod moments;
mod sold;

use std::sync::{Arc, OnceLock};

use foldhash::{HashMap, HashMapExt as _};
use serde::{Deserialize, Serialize};

use crate::resolve::ResolvedItem;
use moments::is_moment;
use refdesk_core::codec::TextList;
use refdesk_core::field::{self, FieldDef, Shape};
use refdesk_core::query::PriceOf;
use refdesk_core::{Kind, Stamp};

pub use codes::Codes;
pub use extract::{ListedSeller, Prices, Sold, is_called, is_included, words_of_row};
pub use matching::{Accepted, is_same_word, meets};
use sold::SoldBuilder;
pub use sold::SoldColumns;

/// The number that stands for an unknown value.
pub const UNKNOWN: u32 = 0;

/// One field of all rows.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Column {
    /// For each row the number of its value, from 1; or of its set of values.
    pub codes: Codes,
    /// The distinct values in their order; that of number n is at n − 1. Empty where only the order counts.
    pub values: TextList,
    /// Where rows have several values: the distinct sets of them, as numbers of values.
    pub sets: Option<Sets>,
}

impl Column {
    /// The value of a row, where rows have one.
    pub fn value(&self, row: u32) -> Option<&str> {
        Some(self.codes.get(row)).filter(|code| *code != UNKNOWN).map(|number| self.numbered(number))
    }

    /// The value of a number.
    pub fn numbered(&self, number: u32) -> &str {
        self.values.get(number as usize - 1)
    }

    /// The numbers of the values of a row, where rows have several.
    pub fn set(&self, row: u32) -> &[u32] {
        self.sets.as_ref().map_or(&[], |sets| sets.get(self.codes.get(row)))
    }

    /// Bytes in memory, about.
    fn bytes(&self) -> usize {
        let of_sets = |sets: &Sets| sets.iter().map(|set| set.len() * 4 + 24).sum::<usize>();
        self.codes.bytes() + self.values.bytes() + self.sets.as_ref().map_or(0, of_sets)
    }

    /// Whether there is a value, or none, for each of so many rows.
    fn is_sound(&self, rows: usize) -> bool {
        let values = self.values.len() as u32;
        let most = self.sets.as_ref().map_or(values, |sets| sets.0.len() as u32);
        let is_ranked = values == 0 && self.sets.is_none();
        self.codes.len() == rows
            && self.values.is_sound()
            && (is_ranked || self.codes.max() <= most)
            && self.sets.iter().flat_map(Sets::iter).flatten().all(|value| (1..=values).contains(value))
    }

    /// The numbers of those values of a row that are among some words.
    pub fn among(&self, row: u32, words: &[String]) -> Vec<u32> {
        let is_among = |number: &&u32| words.iter().any(|word| word == self.numbered(**number));
        self.set(row).iter().filter(is_among).copied().collect()
    }
}

/// Distinct sets of values.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Sets(Vec<Vec<u32>>);

impl Sets {
    /// The numbers of the values in the set of a number from 1; nothing for what is unknown.
    pub fn get(&self, code: u32) -> &[u32] {
        (code as usize).checked_sub(1).and_then(|at| self.0.get(at)).map_or(&[], Vec::as_slice)
    }

    /// All sets, from number 1.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.0.iter().map(Vec::as_slice)
    }
}

/// The columns of a segment.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Columns {
    /// By the position of the field among those of the kind; then the prices of the cheapest seller. That of [`moments`] is empty
    /// until it is put in.
    columns: Vec<Arc<Column>>,
    /// The prices of every seller; none for kinds that nobody sells.
    sold: Option<Arc<SoldColumns>>,
}

/// How many columns a kind has for its fields.
fn field_count(kind: Kind) -> usize {
    field::of_kind(kind).count()
}

/// The prices of a kind.
fn prices(kind: Kind) -> impl Iterator<Item = &'static FieldDef> {
    field::of_kind(kind).filter(|field| field.is_price())
}

/// Whether things of a kind have sellers.
fn is_sold(kind: Kind) -> bool {
    prices(kind).next().is_some()
}

impl Columns {
    /// The column of a field of a kind; that of another seller's prices is made by `listing`.
    pub fn get(&self, kind: Kind, field: &FieldDef, price_of: &PriceOf) -> Option<&Column> {
        let at = match price_of {
            PriceOf::Cheapest if field.is_price() => {
                field_count(kind) + prices(kind).position(|price| price.name == field.name)?
            }
            _ => field::of_kind(kind).position(|known| known.name == field.name)?,
        };
        self.columns.get(at).map(|column| &**column)
    }

    /// The prices of every seller; none for kinds that nobody sells.
    pub fn sold(&self) -> Option<&SoldColumns> {
        self.sold.as_deref()
    }

    /// Bytes in memory, about.
    pub fn bytes(&self) -> usize {
        let of_fields: usize = self.columns.iter().map(|column| column.bytes()).sum();
        of_fields + self.sold().map_or(0, SoldColumns::bytes)
    }

    /// Whether every column that is kept on disk has a value for each of so many rows.
    pub fn is_sound(&self, kind: Kind, rows: usize) -> bool {
        self.columns.len() == field_count(kind) + prices(kind).count()
            && (self.columns.iter().enumerate())
                .all(|(at, column)| field::of_kind(kind).nth(at).is_some_and(is_moment) || column.is_sound(rows))
            && self.sold.is_some() == is_sold(kind)
            && self.sold().is_none_or(|sold| sold.is_sound(kind, rows))
    }

    /// Puts in when the facts that lead were last verified, by row, which is not kept on disk.
    pub fn put_moments(&mut self, kind: Kind, verified_at: &[Option<Stamp>]) {
        for (column, field) in self.columns.iter_mut().zip(field::of_kind(kind)) {
            if is_moment(field) {
                *column = Arc::new(moments::column(verified_at));
            }
        }
    }

    /// The same without them, as on disk.
    #[must_use]
    pub fn without_moments(&self, kind: Kind) -> Self {
        let mut columns = self.clone();
        for (column, field) in columns.columns.iter_mut().zip(field::of_kind(kind)) {
            if is_moment(field) {
                *column = Arc::default();
            }
        }
        columns
    }
}

/// Columns that are made when a request asks for them, by the names of their fields.
pub type MadeColumns = HashMap<&'static str, Column>;

/// Columns of what is fresh in a segment: they hold as long as it does, and are kept from when they are first asked for.
#[derive(Debug, Default)]
pub struct FreshColumns {
    /// How many offers there are.
    pub offers: OnceLock<MadeColumns>,
    /// The prices of the cheapest seller.
    pub cheapest: OnceLock<MadeColumns>,
}

/// Takes the values of one field, row by row.
#[derive(Debug)]
pub struct ColumnBuilder {
    shape: Shape,
    /// Number of each value in the order of its first row.
    numbers: HashMap<Box<str>, u32>,
    set_numbers: HashMap<Vec<u32>, u32>,
    codes: Vec<u32>,
}

impl ColumnBuilder {
    /// A column of values of a shape.
    pub fn new(shape: Shape) -> Self {
        Self { shape, numbers: HashMap::new(), set_numbers: HashMap::new(), codes: Vec::new() }
    }

    fn number(&mut self, value: &str) -> u32 {
        if let Some(number) = self.numbers.get(value) {
            return *number;
        }
        let number = self.numbers.len() as u32 + 1;
        self.numbers.insert(value.into(), number);
        number
    }

    /// Adds the values of the next row; none when unknown.
    pub fn push(&mut self, values: &[String]) {
        let code = match (self.shape, values) {
            (_, []) => UNKNOWN,
            (Shape::Words { .. }, values) => {
                let mut set: Vec<u32> = values.iter().map(|value| self.number(value)).collect();
                set.sort_unstable();
                set.dedup();
                let next = self.set_numbers.len() as u32 + 1;
                *self.set_numbers.entry(set).or_insert(next)
            }
            (_, [value, ..]) => self.number(value),
        };
        self.codes.push(code);
    }

    /// The column, its values in their order.
    pub fn finish(self) -> Column {
        let Self { shape, numbers, set_numbers, codes } = self;
        let mut values: Vec<(Box<str>, u32)> = numbers.into_iter().collect();
        let compared = if shape == Shape::Rank { Shape::Word } else { shape };
        values.sort_unstable_by(|(a, _), (b, _)| compared.compare(a, b));
        let renumbered = new_numbers(&values);
        let dictionary =
            if shape == Shape::Rank { TextList::default() } else { values.iter().map(|(value, _)| &**value).collect() };
        if !matches!(shape, Shape::Words { .. }) {
            let codes = codes.into_iter().map(|code| renumbered[code as usize]).collect::<Vec<_>>();
            return Column { codes: Codes::new(&codes), values: dictionary, sets: None };
        }
        let mut sets: Vec<(Vec<u32>, u32)> = set_numbers.into_iter().collect();
        for (set, _) in &mut sets {
            set.iter_mut().for_each(|value| *value = renumbered[*value as usize]);
            set.sort_unstable();
        }
        sets.sort_unstable();
        let set_renumbered = new_numbers(&sets);
        let codes = codes.into_iter().map(|code| set_renumbered[code as usize]).collect::<Vec<_>>();
        let sets = Sets(sets.into_iter().map(|(set, _)| set).collect());
        Column { codes: Codes::new(&codes), values: dictionary, sets: Some(sets) }
    }
}

/// By the number before of each value or set the number that its place gives it, from 1.
fn new_numbers<T>(ordered: &[(T, u32)]) -> Vec<u32> {
    let mut numbers = vec![UNKNOWN; ordered.len() + 1];
    for ((_, before), number) in ordered.iter().zip(1..) {
        numbers[*before as usize] = number;
    }
    numbers
}

/// Takes the prices of rows, one by one.
#[derive(Debug)]
pub struct PricesBuilder(Vec<(&'static FieldDef, ColumnBuilder)>);

impl PricesBuilder {
    /// A column for each price of a kind.
    pub fn new(kind: Kind) -> Self {
        Self(prices(kind).map(|field| (field, ColumnBuilder::new(field.shape))).collect())
    }

    /// Adds the prices of the next row.
    pub fn push(&mut self, price: impl Fn(&FieldDef) -> Option<String>) {
        for (field, column) in &mut self.0 {
            column.push(price(field).as_slice());
        }
    }

    /// The columns.
    pub fn finish(self) -> impl Iterator<Item = (&'static FieldDef, Column)> {
        self.0.into_iter().map(|(field, column)| (field, column.finish()))
    }
}

/// Takes the rows of a segment, one by one.
#[derive(Debug)]
pub struct ColumnsBuilder {
    fields: Vec<(&'static FieldDef, ColumnBuilder)>,
    cheapest: PricesBuilder,
    sold: Option<SoldBuilder>,
}

impl ColumnsBuilder {
    /// The columns of a kind.
    pub fn new(kind: Kind) -> Self {
        let fields = field::of_kind(kind).map(|field| (field, ColumnBuilder::new(field.shape))).collect();
        Self { fields, cheapest: PricesBuilder::new(kind), sold: is_sold(kind).then(|| SoldBuilder::new(kind)) }
    }

    /// Adds the next row.
    pub fn add(&mut self, item: &ResolvedItem, lead_source: &str) {
        let own = Prices::new(item.fields.get("pricing"));
        for (field, column) in &mut self.fields {
            // Rows stand in the order of their ids.
            if field.name != "id" && !is_moment(field) {
                column.push(&extract::values(item, lead_source, field, own));
            }
        }
        if let Some(sellers) = &mut self.sold {
            let sold = Sold::of_item(item);
            let prices = Prices::new(sold.cheapest().and_then(ListedSeller::charged));
            self.cheapest.push(|field| prices.get(field));
            sellers.add(sold);
        }
    }

    /// The columns.
    pub fn finish(self) -> Columns {
        let rows = self.fields.iter().map(|(_, column)| column.codes.len()).max().unwrap_or_default();
        let column = |(field, column): (&FieldDef, ColumnBuilder)| match field.name {
            "id" => Column { codes: Codes::new(&(1..=rows as u32).collect::<Vec<_>>()), ..Column::default() },
            _ => column.finish(),
        };
        let cheapest = self.cheapest.finish().map(|(_, column)| column);
        Columns {
            columns: self.fields.into_iter().map(column).chain(cheapest).map(Arc::new).collect(),
            sold: self.sold.map(|sold| Arc::new(sold.finish())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Codes, Column, Columns, field_count, prices};
    use refdesk_core::Kind;
    use refdesk_core::codec::{ImageReader, ImageWriter, List, TextList};

    /// One value, `ab`, that is kept as one with this end.
    fn value_that_ends_at(end: u32) -> TextList {
        let mut image = Vec::new();
        let mut writer = ImageWriter::new(&mut image);
        writer.put(&("ab", List(&[end][..]))).unwrap();
        writer.finish().unwrap();
        ImageReader::new(&mut &image[..]).take().unwrap()
    }

    #[test]
    fn columns_whose_values_do_not_end_where_their_text_does_are_refused() {
        let count = field_count(Kind::Tool) + prices(Kind::Tool).count();
        for (end, is_sound) in [(2, true), (1, false), (3, false)] {
            let column = |_| Column { codes: Codes::new(&[1]), values: value_that_ends_at(end), sets: None };
            let columns = Columns { columns: (0..count).map(column).map(Arc::new).collect(), sold: None };
            assert_eq!(columns.is_sound(Kind::Tool, 1), is_sound, "{end}");
        }
    }
}
