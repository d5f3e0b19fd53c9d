//! Collections: parts of the catalog that the operator names. Each has a page that says what it is of, and leads to its members; programs
//! have it under the same path.

use axum::response::Response;
use maud::{Markup, html};
use refdesk_catalog::collections::Collection;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;

use crate::http::problem::Problem;
use crate::http::request::ApiRequest;
use crate::pages::layout::table::{copied, facts};
use crate::pages::layout::target::Target;
use crate::pages::layout::{COLLECTIONS, Page, Section, described, plural, values};
use crate::pages::{redirect, respond_live};

/// Ids of a definition that are named.
const NAMED: usize = 20;

/// The page of a collection.
///
/// # Errors
/// 404 when there is no such collection.
pub(crate) fn collection(request: &ApiRequest) -> Result<Response, Problem> {
    // Its definition may change without a new generation of the catalog.
    let tail = request.tail(COLLECTIONS);
    // Lists of a collection are lists with a filter.
    if let Some((id, kind)) = tail.split_once('/').and_then(|(id, kind)| Some((id, Kind::of_path_segment(kind)?))) {
        request.shown(Some(id))?;
        return redirect(&request.state.settings, http::StatusCode::SEE_OTHER, &list(kind, id).href())
            .ok_or_else(Problem::unknown_endpoint);
    }
    if tail.contains('/') {
        return Err(Problem::unknown_endpoint());
    }
    let members = request.shown(Some(&*tail))?;
    let collections = request.state.collections();
    let defined = collections.iter().find(|collection| *collection.id == *tail);
    respond_live(request, &page(request, &tail, &members, defined))
}

fn page(request: &ApiRequest, id: &str, members: &Snapshot, defined: Option<&Collection>) -> Page {
    let title = title(members).unwrap_or(id);
    let counts = Kind::ALL.map(|kind| (kind, count(members, kind)));
    let total: usize = counts.iter().map(|(_, count)| count).sum();
    let origin = request.origin();
    let body = html! {
        p.soft { "Collection" }
        h1 dir=[values::direction(title)] { (values::shown(title)) }
        p { (copied(id)) " " b { (values::count(total)) } (if total == 1 { " item" } else { " items" }) " of this desk. A collection is a view of the catalog, not a limit of access." }
        ul.cards {
            @for (kind, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
                li { a href=(list(kind, id).href()) { (plural(kind)) } " " (values::count(count)) }
            }
        }
        @if let Some(defined) = defined { (definition(defined)) }
        h2 { "For programs" }
        (facts("Addresses", &[
            ("REST", copied(&format!("{origin}/{COLLECTIONS}/{id}/v1"))),
            ("MCP", copied(&format!("{origin}/{COLLECTIONS}/{id}/mcp"))),
        ]))
    };
    let mut page = Page::new(Section::Other, values::shown(title), body);
    page.canonical = Some(Target::below(COLLECTIONS, id));
    page
}

/// How many members of a kind the list shows.
fn count(members: &Snapshot, kind: Kind) -> usize {
    members.listed_rows(kind, false, false).count()
}

/// What makes an item a member.
fn definition(defined: &Collection) -> Markup {
    let pairs: Vec<(String, String)> = url::form_urlencoded::parse(defined.filter.as_bytes()).into_owned().collect();
    let kinds: Vec<Kind> = defined.kinds().collect();
    let only = if let [kind] = kinds[..] { Some(kind) } else { None };
    let filters = described::all(only, pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let ids = |ids: &[String]| {
        html! {
            @for (at, id) in ids.iter().take(NAMED).enumerate() { @if at > 0 { ", " } code { (values::shown(id)) } }
            @if ids.len() > NAMED { " and " (ids.len() - NAMED) " more" }
        }
    };
    let names: Vec<&str> = kinds.iter().copied().map(plural).collect();
    let mut rows = vec![("Kinds", html! { (names.join(", ")) })];
    if !defined.filter.is_empty() {
        let words = if filters.is_empty() { defined.filter.clone() } else { filters.join("; ") };
        rows.push(("Filter", html! { (values::shown(&words)) }));
    }
    for (label, named) in [("Members by id", defined.ids()), ("Left out", defined.excluded())] {
        if !named.is_empty() {
            rows.push((label, ids(named)));
        }
    }
    html! { h2 { "What belongs to it" } (facts("Definition", &rows)) }
}

/// The items of a kind in a collection.
fn list(kind: Kind, id: &str) -> Target {
    Target::new(format!("/{}", kind.path_segment())).with("collection", id)
}

/// The name for people of what a view shows; none of the whole catalog.
fn title(view: &Snapshot) -> Option<&str> {
    view.view().map(|view| &*view.title)
}

/// The collections of a desk, each with the number of its members.
pub(super) fn links(views: &[std::sync::Arc<Snapshot>]) -> Markup {
    let total = |view: &Snapshot| Kind::ALL.into_iter().map(|kind| count(view, kind)).sum::<usize>();
    let named = views.iter().filter_map(|view| Some((view.view()?, total(view))));
    html! {
        @if !views.is_empty() {
            h2 { "Collections" }
            ul {
                @for (view, total) in named {
                    li { a href=(Target::below(COLLECTIONS, &view.id).href()) { (values::isolated(&values::shown(&view.title))) } ": " (values::count(total)) }
                }
            }
        }
    }
}
