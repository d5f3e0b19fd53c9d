//! A refusal as a page: what is wrong, what to do, and what may have been meant.

use http::header;
use maud::{Markup, html};
use refdesk_core::Kind;
use serde_json::Value;

use crate::http::problem::{Problem, ProblemCode};
use crate::pages::layout::target::Target;
use crate::pages::layout::{Page, Section, described, plural_in_text, values};

/// The page of a problem with the path `path`.
pub(in crate::pages) fn page(path: &str, problem: &Problem, request_id: &str) -> Page {
    let decoded = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
    let (segment, id) =
        decoded.trim_start_matches('/').split_once('/').unwrap_or((decoded.trim_start_matches('/'), ""));
    let kind = Kind::of_path_segment(segment);
    let title = match problem.code {
        ProblemCode::UnknownEndpoint => "Page not found".to_owned(),
        _ => values::sentence(&problem.error),
    };
    let detail =
        if problem.code == ProblemCode::UnknownEndpoint { "Nothing is at this address." } else { &problem.detail };
    let needs_key = problem.code == ProblemCode::KeyRequired;
    let body = html! {
        h1 { (title) }
        p { (in_words(problem)) (values::coded(detail)) }
        p { (remedy(problem, segment, id)) }
        @if let Some(seconds) = problem.headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()) {
            p.notice role="alert" { "Come back in " b { (seconds) " seconds" } "." }
        }
        (found_as(problem))
        (suggestions(kind, problem))
        p {
            // Every other page is refused, too.
            @if needs_key { a href="/docs" { "How the API is called" } } @else {
                @if let Some(kind) = kind { a href=(format!("/{segment}")) { "All " (plural_in_text(kind)) } " · " }
                a href="/" { "The first page" }
            }
        }
        @if problem.code.status().is_server_error() { p.soft { "The operator finds the cause in the log under the request id " code { (request_id) } "." } }
    };
    let mut page = Page::new(kind.map_or(Section::Other, Section::Kind), title, body);
    page.status = problem.code.status();
    // Of a page that there is, only the id may be a question.
    let words = if kind.is_some() || problem.code != ProblemCode::UnknownEndpoint { id } else { &*decoded };
    if !needs_key {
        page.searched = values::excerpt(&words.replace('/', " "), 200).trim().to_owned();
    }
    page
}

/// Before what is wrong: which field it is, by its label.
fn in_words(problem: &Problem) -> Markup {
    let param = problem.extensions.get("param").and_then(Value::as_str);
    html! { @if let Some(label) = param.and_then(described::label) { b { (label) } ": " } }
}

/// What a person can do in a browser. The hint of a problem is for programs, and stands only where it is for everyone.
fn remedy(problem: &Problem, segment: &str, id: &str) -> Markup {
    // Without an id it is not the item that was not found, but the collection whose items the page was to show.
    let is_of_kind = Kind::of_path_segment(segment).is_some() && !id.is_empty();
    let hint = problem.extensions.get("hint").and_then(Value::as_str).unwrap_or_default();
    html! {
        @match problem.code {
            ProblemCode::UnknownEndpoint => "Search with the box above, or start at the first page.",
            ProblemCode::NotFound if is_of_kind => "Search with the box above, by name or by what it does.",
            ProblemCode::NotFound if segment == "sources" => { a href="/sources" { "All sources" } " are on one page." },
            ProblemCode::NotFound if segment == "evidence" => "The page of an item links to all its evidence.",
            ProblemCode::KeyRequired => {
                "Browsers send no key. If a proxy in front of this desk signs people in, its operator can open the pages to them with "
                code { "web_open = true" } " (" code { "REFDESK_WEB_OPEN=true" } "). The API still needs a key."
            },
            ProblemCode::RateLimited => {
                "Every page counts as a call. Wait, and load the page again. The operator of the desk can raise the limit: "
                code { "rate_limit_anon" } "."
            },
            ProblemCode::InvalidQuery => "Correct it in the address of this page, or leave it out.",
            _ => (values::coded(hint)),
        }
    }
}

fn listed<'p>(problem: &'p Problem, name: &str) -> impl Iterator<Item = &'p Value> {
    problem.extensions.get(name).and_then(Value::as_array).into_iter().flatten()
}

/// What of other kinds has the id, as links.
fn found_as(problem: &Problem) -> Markup {
    let named = listed(problem, "found_as")
        .filter_map(|item| Some((Kind::parse(item["type"].as_str()?)?, item["id"].as_str()?)));
    html! {
        @for (kind, id) in named {
            p { "It names " (kind.with_article()) ": " a href=(Target::item(kind, id).href()) { (values::shown(id)) } }
        }
    }
}

/// What may have been meant, as links.
fn suggestions(kind: Option<Kind>, problem: &Problem) -> Markup {
    let suggested: Vec<&str> = listed(problem, "suggestions").filter_map(Value::as_str).collect();
    html! {
        @if let Some(kind) = kind.filter(|_| !suggested.is_empty()) {
            p { "Did you mean one of these?" }
            ul { @for id in suggested { li { a href=(Target::item(kind, id).href()) { (values::shown(id)) } } } }
        }
    }
}
