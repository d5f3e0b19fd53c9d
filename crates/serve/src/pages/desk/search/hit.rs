//! A hit of a search, as its page shows it, with the marks of what is over and of what is stale in it.

use maud::{Markup, PreEscaped, html};
use refdesk_catalog::answer;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::item::Status;
use refdesk_search::plain_text;
use serde_json::Value;

use super::Tab;
use crate::pages::answer::kind_of;
use crate::pages::items::standing;
use crate::pages::layout::target::Target;
use crate::pages::layout::{freshness, values};

/// Longest text of a hit without a snippet, in characters.
const HIT_CHARS_MAX: usize = 200;

/// What the answer does not say of a hit.
#[derive(Default)]
pub(super) struct KnownOfHit {
    /// What is known of it in one line.
    line: Option<String>,
    /// Whether any of that is stale.
    is_line_stale: bool,
    /// Whether the text that describes it is.
    is_text_stale: bool,
}

impl KnownOfHit {
    pub(super) fn new(snapshot: &Snapshot, ordinal: u32) -> Self {
        let line = answer::line_of(snapshot, ordinal);
        Self {
            is_line_stale: line.is_some_and(|line| line.is_stale),
            line: line.map(|line| line.text.to_owned()),
            is_text_stale: answer::is_description_stale(snapshot, ordinal),
        }
    }
}

/// A hit of a tab: its name, its text or what else is known of it, and when it was checked.
pub(super) fn hit(hit: &Value, known: &KnownOfHit, tab: Tab) -> Markup {
    let KnownOfHit { line, is_line_stale, is_text_stale } = known;
    let line = line.as_deref();
    let Some(kind) = tab.or_else(|| kind_of(hit)) else { return html! {} };
    let id = hit["id"].as_str().unwrap_or_default();
    let name = values::text(hit, kind.name_key()).unwrap_or(id);
    // The line begins with the vendor, too.
    let told = line.or_else(|| values::text(hit, "vendor")).filter(|told| !begins_with(hit, told));
    // Where the line is all that is said of it, when it was checked ends the line.
    let is_line = line.is_some() && told.is_none();
    let is_told_stale = if is_line { *is_line_stale } else { *is_text_stale };
    let language = values::language(hit);
    let text = match (values::text(hit, "snippet"), values::text(hit, "summary")) {
        // Escaped by the search itself; it holds `<mark>` and no other element.
        (Some(snippet), _) => Some((values::direction(snippet), PreEscaped(snippet.to_owned()))),
        (None, Some(summary)) => {
            Some((values::direction(summary), html! { (values::excerpt(summary, HIT_CHARS_MAX)) }))
        }
        (None, None) => None,
    };
    let checked = freshness::cell(hit);
    html! {
        li.hit {
            a href=(Target::item(kind, id).href()) lang=[language] { (values::isolated(&values::excerpt(name, 120))) }
            " " span.tag { (kind.label()) } @if name != id { " " code { (id) } }
            @if let Some(status) = Status::outgoing(hit) { " " (standing::badge(status.as_str())) }
            @if let Some((direction, text)) = text {
                p lang=[language] dir=[direction] {
                    (text)
                    @if is_told_stale { bdi { (freshness::mark()) } }
                    @if is_line { span.soft { " · " (checked) } }
                }
            }
            @if !is_line {
                p.soft {
                    @if let Some(told) = told { (values::shown(told)) @if line.is_some() && *is_line_stale { (freshness::mark()) } " · " }
                    span.soft { (checked) }
                }
            }
        }
    }
}

/// Whether the text of a hit says this first.
fn begins_with(hit: &Value, known: &str) -> bool {
    let text = values::text(hit, "snippet").map(plain_text);
    let text = text.as_deref().or_else(|| values::text(hit, "summary")).unwrap_or_default();
    text.starts_with(known)
}
