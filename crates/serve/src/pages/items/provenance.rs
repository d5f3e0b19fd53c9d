//! Where what is shown comes from: conflicts with both values, the evidence record, and every spelling that leads here.

use maud::{Markup, html};
use refdesk_catalog::answer::{at_conflict, offer_at};
use refdesk_core::Kind;
use serde_json::Value;

use crate::pages::layout::table::{copied, heads, tabular};
use crate::pages::layout::target::Target;
use crate::pages::layout::{freshness, table, values};

/// Most conflicts and most aliases that are shown at once; the others are below a summary.
const SHOWN_AT_ONCE: usize = 25;

/// What other sources say instead.
pub(super) fn conflicts(kind: Kind, item: &Value) -> Markup {
    let conflicts = values::list(item, "conflicts");
    html! {
        @if !conflicts.is_empty() {
            h2 #conflicts { "Conflicts (" (conflicts.len()) ")" }
            p { "Sources disagree here. The first value is shown everywhere; the others are listed beside it." }
            @let (first, rest) = conflicts.split_at(conflicts.len().min(SHOWN_AT_ONCE));
            (conflict_table(kind, item, first))
            @if !rest.is_empty() { details { summary { (rest.len()) " more" } (conflict_table(kind, item, rest)) } }
        }
    }
}

fn conflict_table(kind: Kind, item: &Value, conflicts: &[Value]) -> Markup {
    // Only of what is withheld it is known since when.
    let has_since = conflicts.iter().any(|conflict| values::text(conflict, "since").is_some());
    let heads = html! { (heads(&["Field", "Shown", "Others state"])) @if has_since { (heads(&["Since"])) } };
    let rows = html! {
        // What is shown stands once beside all that is stated instead.
        @for of_field in conflicts.chunk_by(|a, b| a["path"] == b["path"]) {
            @for (at, conflict) in of_field.iter().enumerate() {
                @let path = conflict["path"].as_str().unwrap_or_default();
                tr {
                    @if at == 0 {
                        @let rows = Some(of_field.len()).filter(|rows| *rows > 1);
                        th scope="row" rowspan=[rows] { (values::path(path)) }
                        td.words rowspan=[rows] { (shown(kind, item, path)) }
                    }
                    td.whose {
                        @if conflict["withheld"] == true { b.stale { "withheld" } " " }
                        (values::at_path(path, &conflict["value"]))
                        @if let Some(reason) = values::text(conflict, "reason") { " (" (values::coded(reason)) ")" }
                        br; (source(kind, item, conflict)) @if conflict["stale"] == true { (freshness::mark()) }
                    }
                    @if has_since { td { @if let Some(since) = values::text(conflict, "since") { (values::date(since)) } } }
                }
            }
        }
    };
    tabular("Conflicts", heads, rows)
}

/// The value that won, whose it is, and by which rule.
fn shown(kind: Kind, item: &Value, path: &str) -> Markup {
    let value = at_conflict(item, path).unwrap_or(&Value::Null);
    let stated = offer_at(item, path).map(|(offer, _)| offer).or_else(|| stated(item, path));
    html! {
        (values::at_path(path, value))
        @if let Some(stated) = stated.filter(|_| !value.is_null()) {
            br; (source(kind, item, stated))
            @if let Some(rule) = values::text(stated, "rule") { span.soft { ", " (self::rule(rule)) } }
        }
    }
}

/// Where a field was read.
pub(super) fn stated<'i>(item: &'i Value, path: &str) -> Option<&'i Value> {
    // A list or an object may be stated as a whole.
    let mut parents = std::iter::successors(Some(path), |path| path.rsplit_once('.').map(|(parent, _)| parent));
    parents.find_map(|path| Some(&item["field_evidence"][path]).filter(|stated| stated.is_object()))
}

/// The source of a value as a link to its evidence; its title says by which rule the value is shown.
pub(super) fn source(kind: Kind, item: &Value, stated: &Value) -> Markup {
    let id = item["id"].as_str().unwrap_or_default();
    html! {
        @match (stated["source_id"].as_str(), stated["evidence_key"].as_str()) {
            (Some(source), Some(key)) => a href=(Target::evidence(key, kind, id).href()) title=[stated["rule"].as_str().map(rule)] { (source) },
            (Some(source), None) => (source),
            (None, _) => {},
        }
    }
}

/// Why a source's value is the one that is shown.
pub(in crate::pages) fn rule(rule: &str) -> String {
    match rule {
        "maker" => "stated for the maker's own API".to_owned(),
        "makers_platform" => "stated for the maker's own platform".to_owned(),
        "makers_weights" => "stated for the maker's published weights".to_owned(),
        "most_sellers" => "stated by most sellers".to_owned(),
        "undated_name" => "stated for the maker's undated name of the model".to_owned(),
        "best_source" => "stated by the source that ranks highest".to_owned(),
        other => values::words(other),
    }
}

/// Whether the value at a path is withheld: a source states one that cannot be.
pub(super) fn is_withheld(item: &Value, path: &str) -> bool {
    withheld_paths(item).any(|withheld| withheld == path)
}

/// The same of a price of an offer.
pub(super) fn is_withheld_of(item: &Value, offer: &Value, meter: &str) -> bool {
    let name = |member: &str| offer[member].as_str().unwrap_or_default();
    let is_of_offer = |path: &str| {
        let below = path.strip_prefix("offers.")?.strip_prefix(name("provider"))?.strip_prefix('.')?;
        Some(below.strip_prefix(name("api_model_id"))?.strip_prefix(".pricing.")? == meter)
    };
    withheld_paths(item).any(|path| is_of_offer(path) == Some(true))
}

fn withheld_paths(item: &Value) -> impl Iterator<Item = &str> {
    let conflicts = values::list(item, "conflicts").iter();
    conflicts.filter(|conflict| conflict["withheld"] == true).filter_map(|conflict| conflict["path"].as_str())
}

/// The record, and how anyone can recompute its hash.
pub(super) fn evidence(kind: Kind, id: &str, evidence: &Value) -> Markup {
    let key = evidence["key"].as_str().unwrap_or_default();
    html! {
        h2 #evidence { "Evidence" }
        (record(evidence))
        p { a href=(Target::evidence(key, kind, id).href()) { "This record" } ", what of this page rests on it, and how to recompute its hash." }
    }
}

/// The members of an evidence record.
pub(in crate::pages) fn record(evidence: &Value) -> Markup {
    let source = evidence["source_id"].as_str().unwrap_or_default();
    let hash = evidence["content_hash"].as_str().unwrap_or_default();
    let mut facts = vec![
        ("Source", html! { a href=(Target::below("sources", source).href()) { (source) } }),
        ("Address", values::outside(evidence["source_url"].as_str().unwrap_or_default())),
    ];
    for (name, label) in [("license", "License"), ("attribution", "Attribution")] {
        if let Some(text) = values::text(evidence, name) {
            facts.push((label, html! { (values::shown(text)) }));
        }
    }
    for (name, label) in
        [("last_synced_at", "Last changed"), ("last_verified_at", "Last checked"), ("stale_after", "Stale after")]
    {
        if let Some(stamp) = values::text(evidence, name) {
            facts.push((label, values::moment(stamp)));
        }
    }
    facts.push(("Hash", copied(hash)));
    facts.push(("Hash of", html! { @if evidence["hash_basis"] == "bytes" { "the bytes of the file" } @else { "the record as canonical JSON (RFC 8785)" } }));
    let references = values::list(evidence, "references");
    if !references.is_empty() {
        let links = html! { @for (at, url) in references.iter().filter_map(Value::as_str).enumerate() { @if at > 0 { br; } (values::outside(url)) } };
        facts.push(("The source refers to", links));
    }
    table::facts("Evidence", &facts)
}

/// How to recompute the hash of a record.
pub(in crate::pages) fn recompute(base: &str, evidence: &Value) -> Markup {
    let key = evidence["key"].as_str().unwrap_or_default();
    html! {
        h2 { "Recompute the hash" }
        p { "The desk keeps the record byte for byte. This command must print the hash above:" }
        (table::copied_lines(&format!("curl -s {base}/v1/evidence/{key}/record | sha256sum")))
    }
}

/// Every spelling that leads here.
pub(super) fn aliases(item: &Value) -> Markup {
    let aliases = values::list(item, "aliases");
    html! {
        @if !aliases.is_empty() {
            h2 { "Also found as" }
            details open[aliases.len() <= SHOWN_AT_ONCE] {
                summary { (values::counted(aliases.len(), "spelling")) }
                p { @for alias in aliases.iter().filter_map(Value::as_str) { code { (values::shown(alias)) } " " } }
            }
        }
    }
}
