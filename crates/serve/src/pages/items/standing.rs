//! Whether an item is still kept and sold: a badge of its own colour, and at the top of the page what the sources say of its end.

use maud::{Markup, html};
use refdesk_core::item::Status;
use refdesk_core::{Kind, Stamp};
use serde_json::Value;

use super::provenance;
use crate::pages::layout::{freshness, values};

/// What sources write beside what is kept no longer.
const ARCHIVED: &str = "archived";

/// Whether a status says that nobody should begin with it any more.
pub(in crate::pages) fn is_outgoing(word: &str) -> bool {
    Status::parse(word).is_some_and(Status::is_outgoing)
}

/// The badge of a status. One that no source states says what is unknown.
pub(in crate::pages) fn badge(status: &str) -> Markup {
    html! {
        span.tag.over[is_outgoing(status)] {
            @if status == values::UNKNOWN { span.soft { "status: " } }
            (values::words(&values::shown(status)))
        }
    }
}

/// The dates of an end: what is said of a day that is to come, what of one that has passed, and the status that a passed one means.
const ENDS: [(&str, &str, &str, Status); 2] = [
    ("deprecated_on", "to be deprecated on", "deprecated on", Status::Deprecated),
    ("retires_on", "it stops answering on", "it stopped answering on", Status::Retired),
];

/// What stands before everything that invites to use the item, as of a moment: that of the snapshot, which is built anew when such a date
/// passes.
pub(super) fn notice(kind: Kind, item: &Value, now: Stamp) -> Markup {
    let status = values::text(item, "status").unwrap_or_default();
    if !is_outgoing(status) && !is_archived(item) {
        return html! {};
    }
    let status = if is_outgoing(status) { status } else { ARCHIVED };
    let has_passed = |day: &str| Stamp::date_passed_at(day).is_some_and(|at| at <= now);
    let follows = |(name, _, _, meant): (&str, &str, &str, Status)| {
        status == meant.as_str() && values::text(item, name).is_some_and(has_passed)
    };
    html! {
        p.notice role="note" {
            @if ENDS.into_iter().any(follows) { "This " } @else { "Its source states that this " }
            (kind.label()) " is " b { (status) }
            @if is_archived(item) && status != ARCHIVED { "; its source lists it as archived" }
            @for (name, to_come, passed, _) in ENDS {
                @if let Some(day) = values::text(item, name) {
                    "; " (if has_passed(day) { passed } else { to_come }) " " (values::date(day)) (freshness::stale_field(item, name))
                    // Whose word the day is, where the evidence below is another's.
                    @if let Some(stated) = provenance::stated(item, name).filter(|stated| stated["evidence_key"] != item["evidence_key"]) {
                        " (from " (provenance::source(kind, item, stated)) ")"
                    }
                }
            }
            ". " a href="#evidence" { "Evidence" }
        }
    }
}

/// Whether a source puts it among what is archived: by its name, its category, or the repository that holds it.
fn is_archived(item: &Value) -> bool {
    let is_in = |text: Option<&str>, words: &str| text.is_some_and(|text| text.to_lowercase().contains(words));
    let repository = values::text(&item["repository"], "url");
    is_in(values::text(item, "display_name"), "(archived)")
        || values::text(item, "category").is_some_and(|category| category.eq_ignore_ascii_case(ARCHIVED))
        || is_in(repository.and_then(|url| url.rsplit('/').next()), ARCHIVED)
}
