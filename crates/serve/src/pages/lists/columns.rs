//! The columns of the tables: those that a kind is shown with, and those that can be added. Most are fields of the one table of fields;
//! the others put several members of a row into one cell.

use std::sync::LazyLock;

use maud::{Markup, html};
use refdesk_catalog::answer::blended;
use refdesk_core::Kind;
use refdesk_core::field::{self, FieldDef, Shape};
use refdesk_core::query::{PriceOf, Selection};
use serde_json::Value;

use crate::pages::answer::Row;
use crate::pages::items::model::offers;
use crate::pages::items::standing;
use crate::pages::layout::{freshness, values};

/// A column of a table of items.
pub(super) struct Column {
    /// Its name in `columns=`.
    pub(super) name: &'static str,
    pub(super) label: &'static str,
    /// The field that its header sorts by.
    pub(super) sort: Option<&'static str>,
    /// Numbers are set flush right.
    pub(super) is_number: bool,
    cell: Cell,
}

/// What stands in a cell.
enum Cell {
    /// The value of a field.
    Field(&'static FieldDef),
    /// Several values of the row, by their paths.
    Of(&'static [&'static str], fn(&Row) -> Option<Markup>),
}

/// The column of how many other values sources state. No row has that: it is told by the catalog.
pub(super) const CONFLICTS: &str = "conflicts";
/// The column of what an item says of itself, in its own language.
pub(super) const ABOUT: &str = "about";
/// The column of whether a row was checked lately.
pub(super) const FRESHNESS: &str = "freshness";
/// The column of the cheapest seller, whose price may be an offer's: the cell marks it.
const CHEAPEST: &str = "cheapest";
/// The column of the seller whose prices a row shows.
const PRICED_BY: &str = "priced_by";
/// Longest text of a cell, in characters.
const CELL_CHARS_MAX: usize = 140;
/// Most words of a cell.
const CELL_WORDS_MAX: usize = 6;
/// What stands for capabilities that are all known not to be there.
const NONE: &str = "none";

impl Column {
    fn field(field: &'static FieldDef) -> Self {
        Self {
            name: field.name,
            label: if field.is_price() { price_label(field) } else { field.label },
            sort: field.is_sort_key().then_some(field.name),
            is_number: matches!(field.shape, Shape::Count | Shape::Price),
            cell: Cell::Field(field),
        }
    }

    const fn new(
        name: &'static str,
        label: &'static str,
        sort: Option<&'static str>,
        paths: &'static [&'static str],
        cell: fn(&Row) -> Option<Markup>,
    ) -> Self {
        Self { name, label, sort, is_number: false, cell: Cell::Of(paths, cell) }
    }

    /// The same with numbers in its cells.
    const fn of_numbers(self) -> Self {
        Self { is_number: true, ..self }
    }

    /// The paths of a row that it needs.
    pub(super) fn paths(&self) -> &[&'static str] {
        match &self.cell {
            Cell::Field(field) => std::slice::from_ref(&field.path),
            Cell::Of(paths, _) => paths,
        }
    }

    /// Whether anything that it shows of a row is stale.
    pub(super) fn is_stale(&self, row: &Row) -> bool {
        self.name != CHEAPEST && self.paths().iter().any(|path| field::is_stale(row.value(), path))
    }

    /// What it shows of a row; nothing where that is unknown.
    pub(super) fn cell(&self, row: &Row) -> Option<Markup> {
        match &self.cell {
            Cell::Field(field) => field_cell(field.shape, &row[field.path]),
            Cell::Of(_, cell) => cell(row),
        }
    }
}

/// Prices say what they are for in their header, so that the cells are short.
fn price_label(field: &FieldDef) -> &'static str {
    match field.name {
        "price_input" => "Input $/1M",
        "price_output" => "Output $/1M",
        "price_cache_read" => "Cache read $/1M",
        "price_cache_write" => "Cache write $/1M",
        "price_batch_input" => "Batch input $/1M",
        "price_batch_output" => "Batch output $/1M",
        _ => field.label,
    }
}

fn field_cell(shape: Shape, value: &Value) -> Option<Markup> {
    Some(match (shape, value) {
        (_, Value::Null) => return None,
        // No source says that there is none.
        (Shape::Words { .. }, Value::Array(words)) if words.is_empty() => return None,
        // A status that no source states is a word of its own, and looks like all else that is unknown.
        (_, Value::String(word)) if word == values::UNKNOWN => return None,
        (Shape::Price, price) => html! { (values::dollars(price).unwrap_or_default()) },
        (Shape::Time | Shape::Date, Value::String(stamp)) => values::date(stamp),
        (Shape::Words { .. }, Value::Array(words)) => some_words(words),
        (_, Value::String(text)) if standing::is_outgoing(text) => standing::badge(text),
        (_, Value::String(text)) => values::isolated(&values::excerpt(text, CELL_CHARS_MAX)),
        (_, value) => values::any(value),
    })
}

fn some_words(words: &[Value]) -> Markup {
    html! {
        @for (at, word) in words.iter().take(CELL_WORDS_MAX).enumerate() { @if at > 0 { ", " } (values::any(word)) }
        @if words.len() > CELL_WORDS_MAX { " and " (words.len() - CELL_WORDS_MAX) " more" }
    }
}

/// All columns of a kind: those that are no field of their own, then the fields.
pub(super) fn all(kind: Kind) -> &'static [Column] {
    static COLUMNS: LazyLock<[Vec<Column>; 7]> = LazyLock::new(|| {
        Kind::ALL.map(|kind| {
            let mut columns = own_columns(kind);
            let own: Vec<&str> = columns.iter().map(|column| column.name).collect();
            let is_column =
                |field: &&FieldDef| !field.path.is_empty() && field.name != "id" && !own.contains(&field.name);
            columns.extend(field::of_kind(kind).filter(is_column).map(Column::field));
            columns
        })
    });
    &COLUMNS[kind.index()]
}

/// The column with a name, or else the one that shows what a list is sorted by with that name: `offers` are how many sellers there are.
pub(super) fn named(kind: Kind, name: &str) -> Option<&'static Column> {
    let by_name = all(kind).iter().find(|column| column.name == name);
    by_name.or_else(|| all(kind).iter().find(|column| column.sort == Some(name)))
}

/// The columns of what a list is ordered by first, of what it bounds and of whose prices it shows, other than those that are `shown`.
pub(super) fn asked(kind: Kind, selection: &Selection, shown: &[&Column]) -> Vec<&'static Column> {
    let ordered = selection.sort.first().map(|key| key.field);
    let bounded = selection.conditions.iter().map(|condition| condition.field);
    let bounded = bounded.filter(|field| !matches!(field.shape, Shape::Flag | Shape::Word | Shape::Words { .. }));
    let seller = (selection.price_of == Some(PriceOf::Cheapest)).then_some(PRICED_BY);
    let mut asked: Vec<&Column> = Vec::new();
    for field in ordered.into_iter().chain(bounded) {
        let is_of_field = |column: &&Column| column.sort == Some(field.name);
        if !shown.iter().chain(&asked).any(is_of_field) {
            asked.extend(all(kind).iter().find(is_of_field));
        }
    }
    asked.extend(all(kind).iter().filter(|column| Some(column.name) == seller));
    asked
}

/// The columns that are no field of their own.
fn own_columns(kind: Kind) -> Vec<Column> {
    let mut columns =
        vec![Column::new(FRESHNESS, "Freshness", Some("last_verified_at"), &["stale", "last_verified_at"], |row| {
            Some(freshness::cell(row.value()))
        })];
    match kind {
        Kind::Model => columns.extend([
            Column::new(CHEAPEST, "Cheapest seller", None, &SOLD_PATHS, cheapest),
            Column::new("capabilities", "Capabilities", None, &CAPABILITY_PATHS, capabilities),
            Column::new("sellers", "Offers", Some("offers"), &["offers"], |row| Some(length(&row["offers"])))
                .of_numbers(),
            Column::new("price_blended", "Blended $/1M", Some("price_blended"), &BLENDED_PATHS, |row| {
                let price = values::dollars(&Value::from(blended(&row["pricing"])?.to_string()))?;
                Some(html! { (price) })
            })
            .of_numbers(),
            Column::new(PRICED_BY, "Priced by", None, &["priced_by.seller"], |row| {
                row.text("priced_by.seller").map(|seller| html! { (values::shown(seller)) })
            }),
        ]),
        Kind::Tool | Kind::McpServer => {
            columns.push(Column::new(ABOUT, "About", None, &["description"], |row| about(row, "description")));
        }
        Kind::Skill => {
            columns.push(Column::new(ABOUT, "About", None, &["description"], |row| about(row, "description")));
            let files = Column::new("files", "Files", None, &["files"], |row| Some(length(&row["files"])));
            columns.push(files.of_numbers());
        }
        Kind::Tutorial | Kind::Document => {
            columns.push(Column::new(ABOUT, "About", None, &["summary"], |row| about(row, "summary")));
        }
        Kind::Framework => {
            columns.push(Column::new(ABOUT, "About", None, &["summary"], |row| about(row, "summary")));
            columns.push(Column::new("domain", "Domain", None, &["domain"], |row| {
                row.text("domain").map(|domain| html! { (values::words(domain).replace('-', " ")) })
            }));
            columns.push(Column::new("origin", "Origin", None, &["origin.author", "origin.year"], origin));
        }
    }
    let conflicts = Column::new(CONFLICTS, "Conflicts", None, &[], |row| Some(html! { (row[CONFLICTS]) }));
    columns.push(conflicts.of_numbers());
    if kind == Kind::McpServer {
        columns.push(Column::new("transports", "Runs", None, &["packages", "remotes"], transports));
    }
    columns
}

/// How many members a list has.
fn length(list: &Value) -> Markup {
    html! { (list.as_array().map_or(0, Vec::len)) }
}

/// The capabilities that most people look for.
const CAPABILITY_PATHS: [&str; 3] =
    ["capabilities.tool_call", "capabilities.reasoning", "capabilities.structured_output"];

fn capabilities(row: &Row) -> Option<Markup> {
    let word = |path: &str| values::words(path.trim_start_matches("capabilities."));
    let has: Vec<String> = CAPABILITY_PATHS.into_iter().filter(|path| row[*path] == true).map(word).collect();
    let is_known = CAPABILITY_PATHS.into_iter().any(|path| row[path].is_boolean());
    match (has.is_empty(), is_known) {
        (false, _) => Some(html! { (has.join(", ")) }),
        (true, true) => Some(html! { (NONE) }),
        (true, false) => None,
    }
}

/// The prices that a blended one is made of.
const BLENDED_PATHS: [&str; 2] = ["pricing.input", "pricing.output"];

/// What is read of a row for [`cheapest`].
const SOLD_PATHS: [&str; 5] = ["vendor", "status", "pricing", "priced_by", "offers"];

/// The seller with the lowest blended price, and its prices. Where the table shows the prices of another seller, the row has these in place of
/// the maker's.
fn cheapest(row: &Row) -> Option<Markup> {
    let is_stale = BLENDED_PATHS.into_iter().any(|path| field::is_stale(row.value(), path));
    let own = if row["priced_by"].is_object() {
        Some((&row["priced_by"]["seller"], &row["pricing"], is_stale))
    } else {
        (!offers::ends_sale(row.value())).then_some((&row["vendor"], &row["pricing"], is_stale))
    };
    let sold = row["offers"].as_array().into_iter().flatten().filter(|offer| offers::may_be_cheapest(offer));
    let sold = own.into_iter().chain(sold.map(|offer| (&offer["provider"], &offer["pricing"], offer["stale"] == true)));
    let priced = sold.filter_map(|(seller, pricing, is_stale)| Some((blended(pricing)?, seller, pricing, is_stale)));
    let (_, seller, pricing, is_stale) = priced.min_by_key(|(blended, ..)| *blended)?;
    let price = |meter: &str| values::dollars(&pricing[meter]).unwrap_or_default();
    Some(
        html! { (values::any(seller)) ", " (price("input")) " in, " (price("output")) " out" @if is_stale { (freshness::mark()) } },
    )
}

/// Who thought of a framework, and when.
fn origin(row: &Row) -> Option<Markup> {
    let (author, year) = (row.text("origin.author"), row["origin.year"].as_i64());
    (author.is_some() || year.is_some()).then(|| {
        html! {
            @if let Some(author) = author { (values::shown(author)) }
            @if let Some(year) = year { @if author.is_some() { ", " } (year) }
        }
    })
}

/// The registries of a server's packages, and whether it is reached over the network.
fn transports(row: &Row) -> Option<Markup> {
    let packages = row["packages"].as_array().into_iter().flatten();
    let remote = row["remotes"].as_array().is_some_and(|remotes| !remotes.is_empty()).then_some("remote");
    let mut ways: Vec<&str> = packages.filter_map(|package| package["registryType"].as_str()).collect();
    ways.sort_unstable();
    ways.dedup();
    ways.extend(remote);
    (!ways.is_empty()).then(|| html! { (values::shown(&ways.join(", "))) })
}

fn about(row: &Row, path: &str) -> Option<Markup> {
    row.text(path).map(|text| values::isolated(&values::excerpt(text, CELL_CHARS_MAX)))
}
