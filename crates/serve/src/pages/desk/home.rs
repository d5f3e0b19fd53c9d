//! The first page: a search box, how much there is of each kind, and how fresh it is.

use maud::{Markup, html};
use refdesk_core::Kind;

use super::collections;
use crate::http::request::ApiRequest;
use crate::pages::layout::target::Target;
use crate::pages::layout::{Page, ROUTER_PATH, Section, list_of, plural, search_form, title_of_desk, values};

/// The first page.
pub(crate) fn page(request: &ApiRequest) -> Page {
    let settings = &request.state.settings;
    let body = html! {
        h1 { (title_of_desk(settings)) }
        p {
            "Facts about models, tools, documents, skills, tutorials, MCP servers and working frameworks, each with its source and when it was last checked. "
            "Agents ask over MCP, programs over REST: " a href="/connect" { "connect yours" } "."
        }
        (search_form("find home", "A name, or what you need", ""))
        (examples())
        (freshness(request))
        ul.cards {
            @for kind in Kind::ALL { (card(request, kind)) }
        }
        (collections::links(&request.generation.views))
        h2 { "Look further" }
        ul {
            li { a href=(ROUTER_PATH) { "Which framework fits my problem?" } " Describe it in your own words." }
            li { a href="/compare" { "Compare" } " two to five items of a kind side by side." }
            li { a href="/conflicts" { "Conflicts" } ": where sources disagree, and which value is shown." }
            li { a href="/sources" { "Sources" } ": what this desk reads, when it last did so, and what it could not use." }
            li { a href="/connect" { "Connect" } " an agent over MCP, or a program over REST." }
        }
    };
    let mut page = Page::new(Section::Home, "", body);
    page.description =
        "A reference desk for people and agents who build with AI; every answer names its source.".to_owned();
    page.canonical = Some(Target::new("/"));
    page
}

/// Searches to begin with: by a name, by a need, by a task, by two names.
const EXAMPLES: [&str; 4] =
    ["sonnet 4.5", "cheapest vision model", "postgres MCP server", "claude sonnet 4.5 vs gpt-5"];

/// What can be asked, as links.
pub(super) fn examples() -> Markup {
    html! {
        p.soft {
            "Try "
            @for (at, words) in EXAMPLES.into_iter().enumerate() {
                @if at > 0 { " · " }
                a href=(Target::new("/search").with("q", words).href()) { (words) }
            }
        }
    }
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
        p.line {
            b { (values::count(total)) } " items, " (percent) " % of them fresh"
            @if let Some(oldest) = stats.verified.oldest_of_item { "; the oldest check was on " (values::date(&oldest.to_string())) }
            "."
            @if stale > 0 { " " a href="/sources" { "Why the others are stale" } }
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
            a href=(list_of(kind).href()) { (plural(kind)) }
            " " (values::count(total - candidates))
            @if candidates > 0 { span.soft { ", and " (values::counted(candidates, "candidate")) } }
            // The frameworks that are candidates are among them.
            @if stale > 0 { span.soft { ", " a href=(stale_of(kind).href()) { (values::count(stale)) " stale" } } }
            p.soft { (known_of(kind)) }
        }
    }
}

/// The stale items of a kind.
fn stale_of(kind: Kind) -> Target {
    let list = list_of(kind).with("stale", "true");
    if kind == Kind::Framework { list.with("include_candidates", "true") } else { list }
}

/// What the desk knows of the items of a kind, for who sees it for the first time.
const fn known_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Model => "Prices, limits and capabilities, from the maker and from every seller.",
        Kind::Tool => "Coding agents, SDKs, and functions that agents call.",
        Kind::Skill => "Folders of instructions for agents, with commands to install them.",
        Kind::Tutorial => "Notebooks and guides of vendors, to read here.",
        Kind::McpServer => "What each server needs, and how to add it to your client.",
        Kind::Document => "Pages of documentation, to read here or as Markdown.",
        Kind::Framework => "Methods for thinking a problem through, each with a prompt.",
    }
}
