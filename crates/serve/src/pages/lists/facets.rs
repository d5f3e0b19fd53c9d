//! Facets: the values of some fields with how many rows have them, as links that add a value to the filters or take it away.

use maud::{Markup, html};
use refdesk_core::Kind;
use refdesk_core::field;
use serde_json::Value;

use super::Asked;
use crate::pages::layout::target::Target;
use crate::pages::layout::values;

/// The fields whose values a kind's page counts.
pub(super) const fn of_kind(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Model => &["vendor", "capability", "input_modalities", "status", "license"],
        Kind::Tool => &["category", "platform", "vendor", "status"],
        Kind::Skill => &["vendor", "license", "has_files"],
        Kind::Tutorial => &["topic", "tutorial_format", "vendor", "language"],
        Kind::McpServer => &["category", "transport", "registry_type", "official", "status"],
        Kind::Document => &["vendor", "section", "language", "version"],
        Kind::Framework => &["domain", "status"],
    }
}

/// All facets of a page.
pub(super) fn links(kind: Kind, asked: &Asked, facets: &Value) -> Markup {
    // A facet changes which rows there are, so the page begins with the first.
    let page = asked.link().without("offset");
    html! {
        @for name in of_kind(kind) {
            @let counted = &facets[*name];
            @let values = counted["results"].as_array().map_or(&[][..], Vec::as_slice);
            @if let Some(field) = field::named(kind, name).filter(|_| !values.is_empty()) {
                h2 { (field.label) }
                ul.facet {
                    @for value in values {
                        @let word = value["label"].as_str().unwrap_or_default();
                        @let is_selected = value["selected"] == true;
                        li {
                            a href=(toggled(&page, name, word, is_selected).href()) aria-current=[is_selected.then_some("true")] {
                                span { @if is_selected { "✓ " } (values::shown(word)) }
                                span.soft { (values::count(value["count"].as_u64().unwrap_or_default())) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The page with a value added to a filter, or taken away from it.
fn toggled(target: &Target, name: &str, word: &str, is_selected: bool) -> Target {
    let mut words = field::split(target.get(name).unwrap_or_default());
    words.retain(|sent| sent.to_lowercase() != word.to_lowercase());
    if !is_selected {
        words.push(word.to_owned());
    }
    let words: Vec<String> = words.iter().map(|word| field::escaped(word)).collect();
    if words.is_empty() { target.without(name) } else { target.with(name, words.join(",")) }
}
