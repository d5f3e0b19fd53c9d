//! Tables that scroll in a region of their own, so that a page never does sideways.

use maud::{Markup, Render, html};
use serde_json::Value;

use super::target::Target;

/// A region that holds a table, with a name, and reachable by keyboard.
pub(crate) fn scrolled(name: &str, table: Markup) -> Markup {
    html! { div.scroll role="region" aria-label=(name) tabindex="0" { (table) } }
}

/// A table with a name: the headings of its columns, where it has any, and its rows.
pub(crate) fn tabular(name: &str, heads: Markup, rows: Markup) -> Markup {
    scrolled(name, html! { table { @if !heads.0.is_empty() { thead { tr { (heads) } } } tbody { (rows) } } })
}

/// The headings of columns that hold no numbers.
pub(crate) fn heads(labels: &[&str]) -> Markup {
    html! { @for label in labels { th scope="col" { (label) } } }
}

/// The headings of columns of numbers, which are set flush right.
pub(crate) fn number_heads(labels: &[&str]) -> Markup {
    html! { @for label in labels { th.n scope="col" { (label) } } }
}

/// The anchor of the table that a page is about.
pub(crate) const TABLE: &str = "table";

/// The same for the table that a page is about, which the second skip link leads to.
pub(crate) fn main_table(name: &str, table: Markup) -> Markup {
    html! { div.scroll #(TABLE) role="region" aria-label=(name) tabindex="0" { (table) } }
}

/// The pages before and after, of an answer that has pages. `name` tells this navigation from others of the page.
pub(crate) fn paging(name: &str, page: &Target, answer: &Value) -> Markup {
    let number = |name: &str| answer[name].as_u64().unwrap_or_default();
    let next = answer["next_offset"].as_u64();
    let (offset, limit) = (number("offset"), number("limit").max(1));
    // Behind the end, the page before is the last that has rows.
    let last = number("total").saturating_sub(1) / limit * limit;
    let previous = offset.saturating_sub(limit).min(last);
    let link = |offset: u64| {
        let first = page.without("offset");
        if offset == 0 { first } else { first.with("offset", offset.to_string()) }
    };
    html! {
        @if next.is_some() || offset > 0 {
            nav.paging aria-label=(name) {
                @if offset > 0 { a rel="prev" href=(link(previous).href()) { "← Previous" } }
                @if let Some(offset) = next { a rel="next" href=(link(offset).href()) { "Next →" } }
            }
        }
    }
}

/// A table of names and values.
pub(crate) fn facts(name: &str, facts: &[(impl Render, Markup)]) -> Markup {
    html! {
        @if !facts.is_empty() {
            (scrolled(name, html! {
                table.facts { tbody { @for (label, value) in facts { tr { th scope="row" { (label) } td { (value) } } } } }
            }))
        }
    }
}

/// A text that people copy; the script adds a button to it.
pub(crate) fn copied(text: &str) -> Markup {
    html! { code data-copy { (text) } }
}

/// A text of paragraphs that people copy: its lines are folded.
pub(crate) fn copied_text(text: &str) -> Markup {
    html! { pre.folded tabindex="0" dir=[super::values::direction(text)] data-copy { code { (text) } } }
}

/// Lines that people copy.
pub(crate) fn copied_lines(text: &str) -> Markup {
    html! { pre tabindex="0" data-copy { code { (text) } } }
}
