//! Whether what is shown was checked lately: in words, with dates and the reason.

use maud::{Markup, html};
use refdesk_core::field::is_stale;
use serde_json::Value;

use super::values::{date, day, text};

/// In a cell of a table, of what has the members `stale` and `last_verified_at`.
pub(crate) fn cell(of: &Value) -> Markup {
    html! {
        @if of["stale"] == true { b.stale { "stale" } } @else { "fresh" }
        @if let Some(at) = of["last_verified_at"].as_str() { " " time datetime=(at) { (day(at)) } }
    }
}

/// On the page of an item, of its evidence: by days. The table of the evidence has the moments.
pub(crate) fn badge(evidence: &Value) -> Markup {
    let verified = text(evidence, "last_verified_at");
    html! {
        p.freshness {
            @if evidence["stale"] == true {
                b.stale { "stale" }
                @if let Some(reason) = text(evidence, "stale_reason") { ": " (reason_in_words(reason)) }
            } @else {
                b.fresh { "fresh" }
            }
            @if let Some(at) = verified { ", last checked " (date(at)) }
            @if let Some(at) = text(evidence, "stale_after") {
                @if evidence["stale"] == true { ", stale since " } @else { ", stale from " }
                (date(at))
                @if evidence["stale"] != true { " on unless it is checked again" }
            }
            "."
        }
    }
}

/// The mark of a value before it that is stale. It is set apart: `no stale` reads as `not stale`.
pub(crate) fn mark() -> Markup {
    html! { span.hidden { ";" } " " b.stale.badge { "stale" } }
}

/// The mark of a field that [is stale](is_stale).
pub(crate) fn stale_field(row: &Value, path: &str) -> Markup {
    stale_fields(row, &[path])
}

/// The mark of what is made of several paths, where any of them is such a field.
pub(crate) fn stale_fields(row: &Value, paths: &[&str]) -> Markup {
    html! { @if paths.iter().any(|path| is_stale(row, path)) { (mark()) } }
}

/// Why a fact is stale, in words; the reasons are those of [`refdesk_core::StaleReason`].
pub(crate) fn reason_in_words(reason: &str) -> &str {
    match reason {
        "expired" => "no recent check confirms it",
        "parse_failed" => "its source changed and could not be read; this is the last good state",
        "quarantined" => "its source changed beyond belief and is held back; this is the last good state",
        "removed" => "its source removed or moved it",
        "never_verified" => "it was never confirmed",
        other => other,
    }
}
