//! The table itself, with headers that sort, and the links to the pages before and after.

use maud::{Markup, html};
use refdesk_core::Kind;
use refdesk_core::query::ListQuery;
use serde_json::Value;

use super::columns::{ABOUT, FRESHNESS};
use super::{Column, ListAddress};
use crate::pages::answer::Row;
use crate::pages::layout::table::main_table;
use crate::pages::layout::target::Target;
use crate::pages::layout::{freshness, plural, values};

/// The path of the language that an item is written in.
pub(super) const LANGUAGE: &str = "language";

/// The form whose boxes are ticked; one of its buttons stands outside of it.
const ROWS: &str = "rows";

/// Which rows of how many.
pub(super) fn count(answer: &Value, query: &ListQuery) -> Markup {
    let total = number(&answer["total"]);
    let last = query.offset.saturating_add(query.limit).min(total);
    html! {
        p {
            @if total == 0 { "Nothing matches these filters." }
            @else if query.offset >= total { "There are " (values::count(total)) " rows; this page is past the end." }
            @else { (values::count(query.offset + 1)) "–" (values::count(last)) " of " b { (values::count(total)) } }
        }
    }
}

pub(super) fn table(kind: Kind, asked: &ListAddress, query: &ListQuery, rows: &[Row]) -> Markup {
    if rows.is_empty() {
        return html! {};
    }
    let table = main_table(
        plural(kind),
        html! {
            table {
                thead { tr {
                    td.pick {}
                    (header("Name", Some("name"), None, asked, query))
                    @for column in &asked.shown { (header(column.label, column.sort, class_of(column), asked, query)) }
                } }
                tbody { @for row in rows { (self::row(kind, &asked.shown, row)) } }
            }
        },
    );
    html! {
        form.rows id=(ROWS) action="/compare" {
            input type="hidden" name="kind" value=(kind.path_segment());
            (table)
            (compare_button())
        }
    }
}

/// Compares the ticked rows. It stands above and below them, and not in sight all the time: a bar that stays would lie over boxes.
pub(super) fn compare_button() -> Markup {
    html! { p.ticked { button form=(ROWS) { "Compare selected" } } }
}

/// Numbers are set flush right, and texts get room: the header of a column holds for its width.
fn class_of(column: &Column) -> Option<&'static str> {
    if column.name == ABOUT { Some(ABOUT) } else { column.is_number.then_some("n") }
}

fn header(label: &str, sort: Option<&str>, class: Option<&str>, asked: &ListAddress, query: &ListQuery) -> Markup {
    let Some(name) = sort else { return html! { th scope="col" class=[class] { (label) } } };
    let sorted = query.selection.sort.first().filter(|key| key.field.name == name).map(|key| key.descending);
    // From ascending to descending, and from there to the order without a choice.
    let (order, next) = match sorted {
        None => (None, Some(name.to_owned())),
        Some(false) => (Some("ascending"), Some(format!("-{name}"))),
        Some(true) => (Some("descending"), None),
    };
    let link = asked.link().without("offset");
    let link = match next {
        Some(sort) => link.with("sort", sort),
        None => link.without("sort"),
    };
    html! {
        th scope="col" class=[class] aria-sort=[order] {
            a href=(link.href()) { (label) @match sorted { None => "", Some(false) => " ↑", Some(true) => " ↓" } }
        }
    }
}

fn row(kind: Kind, columns: &[&Column], row: &Row) -> Markup {
    let id = row["id"].as_str().unwrap_or_default();
    let name = row.text(kind.name_key()).unwrap_or(id);
    let language = row.text(LANGUAGE).filter(|tag| values::is_foreign(tag));
    // Of a row that is stale as a whole one word is enough, where its column stands.
    let is_said = row["stale"] == true && columns.iter().any(|column| column.name == FRESHNESS);
    html! {
        tr {
            td.pick { input type="checkbox" name="ids" value=(id) aria-label={ "Compare " (values::excerpt(name, 120)) }; }
            th scope="row" {
                @if name == id {
                    a href=(Target::item(kind, id).href()) data-copy { (values::breakable(id)) }
                } @else {
                    a href=(Target::item(kind, id).href()) lang=[language] { (values::isolated(&values::excerpt(name, 120))) }
                    " " code.id data-copy { (values::breakable(id)) }
                }
            }
            @for column in columns { (cell(column, row, language.filter(|_| column.name == ABOUT), is_said)) }
        }
    }
}

/// Marks what is unknown on the cell itself: a table of a hundred rows would have hundreds of elements more.
fn cell(column: &Column, row: &Row, language: Option<&str>, is_said: bool) -> Markup {
    let is_stale = !is_said && column.is_stale(row);
    let alignment = column.is_number.then_some("n");
    html! {
        @match column.cell(row) {
            Some(shown) => td class=[alignment] lang=[language] { (shown) @if is_stale { (freshness::mark()) } },
            None => td class=(if column.is_number { "n unknown" } else { "unknown" }) { (values::UNKNOWN) },
        }
    }
}

fn number(value: &Value) -> usize {
    value.as_u64().and_then(|value| usize::try_from(value).ok()).unwrap_or_default()
}
