//! The first page: a search box, how much there is of each kind, and how fresh it is.

use axum::response::Response;
use maud::{Markup, html};
use refdesk_core::Kind;

use super::collections;
use crate::http::problem::Problem;
use crate::http::request::ApiRequest;
use crate::pages::layout::{Page, ROUTER_PATH, Section, plural, search_form, title_of_desk, values};
use crate::pages::respond;

/// The first page.
pub(crate) fn home(request: &ApiRequest) -> Result<Response, Problem> {
    respond(request, || Ok(page(request)))
}

fn page(request: &ApiRequest) -> Page {
    let settings = &request.state.settings;
    let body = html! {
        h1 { (title_of_desk(settings)) }
        p { "Facts about models, tools, documents, skills, tutorials, MCP servers and working frameworks, each with its source." }
        (search_form("find home", "sonnet 4.5, cheapest vision model, postgres server …", ""))
        (freshness(request))
        ul.cards {
            @for kind in Kind::ALL { (card(request, kind)) }
        }
        (collections::links(&request.generation.views))
        h2 { "Look further" }
        ul {
            li { a href=(ROUTER_PATH) { "Which framework fits my problem?" } " Describe it in your own words." }
            li { a href="/compare" { "Compare" } " two to five items of a kind side by side." }
            li { a href="/conflicts" { "Conflicts" } ": where sources disagree, and whose value is shown." }
            li { a href="/sources" { "Sources" } ": what the desk reads, when it last did, and what it could not take." }
            li { a href="/connect" { "Connect" } " an agent over MCP, or a program over REST." }
        }
    };
    let mut page = Page::new(Section::Home, "", body);
    page.description =
        "A reference desk for people and agents who build with AI; every answer names its source.".to_owned();
    page.canonical = Some(crate::pages::layout::target::Target::new("/"));
    page
}

/// In one line: how much of all is fresh, and how old the oldest check is.
fn freshness(request: &ApiRequest) -> Markup {
    let stats = request.snapshot.stats();
    let (total, stale) = (stats.total(), stats.stale());
    if total == 0 {
        return html! { p.notice { "The catalog is empty: no source has been read yet. See " a href="/sources" { "Sources" } "." } };
    }
    // Rounded down: what is not wholly fresh never says so.
    let percent = (total - stale) * 100 / total;
    html! {
        p {
            b { (values::count(total as u64)) } " items, " (percent) " % of them fresh"
            @if let Some(oldest) = stats.oldest_verified_at { "; the least recently checked was on " (values::date(&oldest.to_string())) }
            "."
        }
    }
}

fn card(request: &ApiRequest, kind: Kind) -> Markup {
    let (total, stale) = request.snapshot.stats().by_kind[kind.index()];
    // Lists leave them out.
    let listed = |candidates| request.snapshot.listed_rows(Kind::Framework, candidates, false).count();
    let candidates = if kind == Kind::Framework { listed(true) - listed(false) } else { 0 };
    html! {
        li {
            a href=(format!("/{}", kind.path_segment())) { (plural(kind)) }
            br;
            (values::count((total - candidates) as u64))
            @if candidates > 0 { span.soft { ", and " (values::counted(candidates, "candidate")) } }
            @if stale > 0 { span.soft { ", " (values::count(stale as u64)) " stale" } }
        }
    }
}
