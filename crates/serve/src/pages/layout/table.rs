//! Tables that scroll in a region of their own, so that a page never does sideways.

use maud::{Markup, html};

/// A region that holds a table, with a name, and reachable by keyboard.
pub(crate) fn scrolled(name: &str, table: Markup) -> Markup {
    html! { div.scroll role="region" aria-label=(name) tabindex="0" { (table) } }
}

/// A table of names and values.
pub(crate) fn facts(name: &str, facts: &[(String, Markup)]) -> Markup {
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

/// Lines that people copy.
pub(crate) fn copied_lines(text: &str) -> Markup {
    html! { pre tabindex="0" data-copy { code { (text) } } }
}
