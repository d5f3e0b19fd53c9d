//! Controls of forms that GET a page: each keeps what was sent, and leads to why it was refused. What is around them is the page's.

use maud::{Markup, html};

use super::notices::PROBLEM;
use super::values;

/// A parameter that a form sends.
pub(crate) struct Control<'a> {
    pub(crate) name: &'a str,
    /// What was sent as it, or nothing.
    pub(crate) sent: &'a str,
    /// Whether that could not be read.
    pub(crate) is_wrong: bool,
}

/// What helps to fill in a text.
#[derive(Default)]
pub(crate) struct Hints<'a> {
    pub(crate) placeholder: Option<&'a str>,
    /// What is typed (`inputmode`).
    pub(crate) mode: Option<&'a str>,
    /// What may be written there, where that is known.
    pub(crate) choices: &'a [String],
}

impl Control<'_> {
    /// One of a few values, with a label. `open` is what is said where none is chosen.
    pub(crate) fn choice(&self, label: &str, open: &str, words: &[(&str, String)]) -> Markup {
        html! {
            div {
                label for={ "f-" (self.name) } { (label) }
                (self.select(open, words))
            }
        }
    }

    /// The same without its label. What was sent stays, also when it is several of the values or none.
    pub(crate) fn select(&self, open: &str, words: &[(&str, String)]) -> Markup {
        let Self { name, sent, is_wrong } = *self;
        let chosen = words.iter().position(|(value, _)| value.eq_ignore_ascii_case(sent.trim()));
        html! {
            select id={ "f-" (name) } name=(name) aria-invalid=[is_wrong.then_some("true")] aria-describedby=[is_wrong.then_some(PROBLEM)] {
                option value="" selected[sent.is_empty()] { (open) }
                @if !sent.is_empty() && chosen.is_none() { option value=(sent) selected { (values::shown(sent)) } }
                @for (at, (value, word)) in words.iter().enumerate() {
                    option value=(value) selected[chosen == Some(at)] { (word) }
                }
            }
        }
    }

    /// A text, with a label.
    pub(crate) fn text(&self, label: &str, hints: &Hints<'_>) -> Markup {
        let Self { name, sent, is_wrong } = *self;
        let list = (!hints.choices.is_empty()).then(|| format!("l-{name}"));
        html! {
            div {
                label for={ "f-" (name) } { (label) }
                input id={ "f-" (name) } name=(name) value=(sent) list=[list.as_deref()] inputmode=[hints.mode] placeholder=[hints.placeholder]
                    aria-invalid=[is_wrong.then_some("true")] aria-describedby=[is_wrong.then_some(PROBLEM)];
                @if let Some(list) = &list {
                    datalist id=(list) { @for choice in hints.choices { option value=(choice) {} } }
                }
            }
        }
    }
}
