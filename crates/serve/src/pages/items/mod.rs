//! The page of an item: what it is, what is known of it and who says so, where sources disagree, and the evidence. Each kind has a file
//! with what only it has.

mod facts;
pub(super) mod framework;
mod install;
mod mcp_server;
pub(super) mod model;
pub(super) mod provenance;
mod skill;
pub(super) mod standing;
mod text;
mod tool;

use axum::response::Response;
use maud::{Markup, html};
use refdesk_catalog::answer::{self, DetailExtras};
use refdesk_core::Kind;
use refdesk_core::field;
use refdesk_core::query::{DetailQuery, QueryError};
use serde_json::Value;

use super::Holds;
use super::answer::read;
use super::layout::target::Target;
use super::layout::{Alternate, Page, Section, freshness, list_of, plural, table, values};
use crate::api::full_texts;
use crate::http::problem::Problem;
use crate::http::request::ApiRequest;

/// Longest description for link previews, in characters.
const DESCRIPTION_CHARS_MAX: usize = 200;
/// The member that names the vendor, and the filter by it.
const VENDOR: &str = "vendor";

/// What the sections of a page are made of.
struct Shown<'a> {
    kind: Kind,
    /// The item, as REST shows it.
    item: &'a Value,
    request: &'a ApiRequest,
    ordinal: u32,
    /// Its text, rendered.
    text: Option<&'a crate::state::cache::RenderedText>,
}

/// The page of an item.
pub(crate) async fn item(request: ApiRequest, kind: Kind) -> Result<Response, Problem> {
    let request = &request;
    let holds = if answer::body_key(kind).is_some() { Holds::Origin } else { Holds::Nothing };
    if let Some(ready) = super::ready(request, holds)? {
        return Ok(ready);
    }
    let spelling = request.tail(kind.path_segment());
    let snapshot = &request.snapshot;
    let (ordinal, alias) = request.item(kind, &spelling)?;
    if let Some(tidied) = super::tidied(request) {
        return Ok(tidied);
    }
    let text = match full_texts::markdown_of(&request.state, snapshot, ordinal).await? {
        Some(markdown) => Some(full_texts::rendered(&request.state, snapshot, ordinal, markdown).await?),
        None => None,
    };
    let query = DetailQuery { include_prompt: true, ..DetailQuery::default() };
    let extras = DetailExtras { query, resolved_from: alias, ..DetailExtras::default() };
    let answer = read(&answer::detail(snapshot, ordinal, &extras));
    let shown = Shown { kind, item: &answer[kind.singular()], request, ordinal, text: text.as_deref() };
    let page = page(&shown, &answer["evidence"], alias);
    let lacks_text = shown.text.is_none() && answer::body_key(kind).is_some() && snapshot.body(ordinal).is_some();
    if lacks_text { super::finish_incomplete(request, page) } else { super::finish(request, holds, page) }
}

fn page(shown: &Shown<'_>, evidence: &Value, alias: Option<&str>) -> Page {
    let Shown { kind, item, .. } = *shown;
    let id = item["id"].as_str().unwrap_or_default();
    let name = values::shown(values::text(item, kind.name_key()).unwrap_or(id));
    let stated = |path| values::text(item, path).map(|about| (path, about));
    let (about_path, about) = stated("description").or_else(|| stated("summary")).unzip();
    let (sections, refusal) = sections(shown);
    let body = html! {
        p.soft { a href=(list_of(kind).href()) { (plural(kind)) } }
        h1 lang=[values::language(item)] dir=[values::direction(&name)] { (name) }
        p.line {
            (table::copied(id)) " "
            @if let Some(vendor) = values::text(item, VENDOR) { "by " (others_of(kind, vendor)) " " }
            @if let Some(status) = values::text(item, "status") { (standing::badge(status)) " " }
            @if let Some(tier) = values::text(item, "trust_tier") { span.tag { span.soft { "trust: " } (values::words(tier)) } }
        }
        @if let Some(alias) = alias.filter(|alias| *alias != id) { p.notice { "Found as “" (values::excerpt(alias, 100)) "”." } }
        (standing::notice(kind, item, shown.request.snapshot.built_at()))
        // Of an item that is stale as a whole the next line says so.
        @if let Some(line) = answer::line_of(&shown.request.snapshot, shown.ordinal) {
            p.gist { (values::shown(line.text)) @if line.is_stale { (freshness::mark()) } }
        }
        (freshness::badge(evidence))
        @if let Some(about) = about {
            @let direction = values::direction(about);
            @let stale = stale_words(shown, about_path, evidence);
            // What is said of a text from right to left is none of it.
            p.about dir=[direction] { span lang=[values::language(item)] { (values::shown(about)) } @if direction.is_some() { bdi { (stale) } } @else { (stale) } }
        }
        p.jump {
            a href=(Target::new("/compare").with("kind", kind.path_segment()).with("ids", id).href()) { "Compare with another" }
            @for (anchor, label) in anchors(item, kind) { " · " a href={ "#" (anchor) } { (label) } }
        }
        (sections)
        (provenance::conflicts(kind, item))
        (provenance::evidence(kind, id, evidence))
        (provenance::aliases(item))
    };
    let target = Target::item(kind, id);
    let mut page = Page::new(Section::Kind(kind), name.clone(), body);
    page.description = values::excerpt(about.unwrap_or(&name), DESCRIPTION_CHARS_MAX);
    page.linked_data = Some(breadcrumbs(&shown.request.state.settings.base_url, kind, &name, &target));
    page.alternates = vec![Alternate::json(Target::below(&format!("v1/{}", kind.path_segment()), id))];
    page.canonical = Some(target);
    page.has_other_address = alias.is_some_and(|alias| alias != id);
    if let Some(error) = refusal {
        page.refuse(error);
    }
    page
}

/// A vendor, as a link to all that the desk has of it in the kind.
fn others_of(kind: Kind, vendor: &str) -> Markup {
    let list = Target::new(format!("/{}", kind.path_segment())).with(VENDOR, field::escaped(vendor));
    html! { a href=(list.href()) { (values::isolated(&values::shown(vendor))) } }
}

/// What is said of a text whose own source is stale: whose it is, and why. Where the item rests on the same record, its badge says it.
fn stale_words(shown: &Shown<'_>, path: Option<&str>, evidence: &Value) -> Markup {
    let Shown { kind, item, request, .. } = *shown;
    let Some(path) = path.filter(|path| field::is_stale(item, path)) else { return html! {} };
    let stated = provenance::stated(item, path);
    let member = |name: &str| stated.and_then(|stated| stated[name].as_str());
    if member("evidence_key").is_some_and(|key| evidence["key"] == *key) {
        return html! {};
    }
    let reason = member("evidence_key").and_then(|key| request.snapshot.evidence(key)?.stale_reason);
    html! {
        " " b.stale { "stale" }
        @if let (Some(source), Some(key)) = (member("source_id"), member("evidence_key")) {
            " (from " a href=(Target::evidence(key, kind, item["id"].as_str().unwrap_or_default()).href()) { (source) }
            @if let Some(reason) = reason { ": " (freshness::reason_in_words(reason.as_str())) }
            ")"
        }
    }
}

/// What the page has below: the anchor and the label of each part.
fn anchors(item: &Value, kind: Kind) -> Vec<(&'static str, String)> {
    let count = |member: &str| values::list(item, member).len();
    let has = |member: &str| count(member) > 0;
    let own: Vec<(&str, String, bool)> = match kind {
        Kind::Model => vec![
            ("price", "Price".to_owned(), true),
            ("offers", format!("Offers ({})", model::offers::count(item)), true),
            ("cost", "Cost of your usage".to_owned(), model::costs::can_be_told(item)),
            ("limits", "Limits".to_owned(), true),
            ("capabilities", "Capabilities".to_owned(), true),
        ],
        Kind::Tool => vec![
            ("install", "Install".to_owned(), has("install")),
            ("commands", format!("Commands ({})", count("commands")), has("commands")),
        ],
        Kind::Skill => vec![
            ("install", "Install".to_owned(), install::has_folder(item)),
            ("files", format!("Files ({})", count("files")), has("files")),
            ("text", "SKILL.md".to_owned(), true),
        ],
        Kind::McpServer => vec![
            ("install", "Install".to_owned(), true),
            ("tools", format!("Tools ({})", count("tools")), has("tools")),
            ("details", "Details".to_owned(), true),
        ],
        Kind::Framework => {
            vec![("prompt", "Prompt".to_owned(), values::text(&item["prompt"], "text").is_some())]
        }
        Kind::Tutorial | Kind::Document => Vec::new(),
    };
    let shared = [
        ("conflicts", format!("Conflicts ({})", count("conflicts")), has("conflicts")),
        ("evidence", "Evidence".to_owned(), true),
    ];
    let all = own.into_iter().chain(shared);
    all.filter(|(_, _, is_there)| *is_there).map(|(anchor, label, _)| (anchor, label)).collect()
}

/// What only a kind has, and what of a form in it could not be read.
fn sections(shown: &Shown<'_>) -> (Markup, Option<QueryError>) {
    let markup = match shown.kind {
        Kind::Model => return model::sections(shown),
        Kind::Tool => tool::sections(shown),
        Kind::Skill => skill::sections(shown),
        Kind::Tutorial => text::tutorial(shown),
        Kind::McpServer => mcp_server::sections(shown.item),
        Kind::Document => text::document(shown),
        Kind::Framework => framework::sections(shown),
    };
    (markup, None)
}

/// `BreadcrumbList` of schema.org.
fn breadcrumbs(base: &str, kind: Kind, name: &str, target: &Target) -> String {
    let entry = |position: u8, name: &str, url: String| serde_json::json!({"@type": "ListItem", "position": position, "name": name, "item": url});
    serde_json::json!({
        "@context": "https://schema.org",
        "@type": "BreadcrumbList",
        "itemListElement": [
            entry(1, plural(kind), format!("{base}/{}", kind.path_segment())),
            entry(2, name, format!("{base}{}", target.href())),
        ],
    })
    .to_string()
}
