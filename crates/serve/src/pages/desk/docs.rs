//! The OpenAPI document as a page: what is asked first comes first, each operation with a line to try and its parameters.

use std::borrow::Cow;

use axum::response::Response;
use maud::{Markup, html};
use refdesk_core::Kind;
use serde_json::Value;

use crate::api::openapi;
use crate::http::problem::Problem;
use crate::http::request::ApiRequest;
use crate::pages::layout::table::copied_lines;
use crate::pages::layout::target::Target;
use crate::pages::layout::{Page, Section, notices, values};
use crate::pages::{Holds, ready, send};

/// The operations in groups, the most important first; one that is named nowhere comes last.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Look up", &["/v1/search", "/list", "/{id}", "/v1/resolve"]),
    ("Compare and decide", &["/compare", "/v1/cost", "/v1/conflicts", "/v1/frameworks/route", "/v1/frameworks/search"]),
    ("Trust an answer", &["/v1/evidence/", "/v1/sources/status"]),
    ("Operate", &["/health", "/livez", "/readyz", "/version", "/metrics"]),
    ("About", &["/openapi.json", "/llms.txt", "/docs"]),
];

/// The title of a group, and its operations by their paths.
type Group<'a> = (&'static str, Vec<(&'a String, &'a Value)>);

/// Stands for the address of the desk in the page that is kept.
const ORIGIN: &str = "{origin}";

/// The page, also where the others are switched off. It is rendered once, because anyone may ask for it without being counted; only the
/// address and the ids of its lines are filled in each time.
pub(crate) fn docs(request: &ApiRequest) -> Result<Response, Problem> {
    if let Some(ready) = ready(request, Holds::OriginAndIds)? {
        return Ok(ready);
    }
    let (settings, cache) = (&request.state.settings, &request.state.caches.openapi_page);
    let html = if let Some(html) = cache.get() {
        html
    } else {
        let document = openapi::document(settings).map_err(|error| Problem::internal().because(error.to_string()))?;
        cache.get_or_init(|| page(&document).render(settings, &[]))
    };
    send(request, Holds::OriginAndIds, filled(html, request).into())
}

/// The lines with the address by which the client came, and with ids of this catalog where no id is in every catalog and the caller may read
/// them.
fn filled(html: &str, request: &ApiRequest) -> String {
    let html = if request.may_read() { Cow::Owned(with_ids(html, request)) } else { Cow::Borrowed(html) };
    html.replace(ORIGIN, &request.origin())
}

fn with_ids(html: &str, request: &ApiRequest) -> String {
    let snapshot = &request.snapshot;
    let rows = snapshot.listed_rows(Kind::Document, false, false).take(2);
    let documents: Vec<&str> = rows.map(|row| snapshot.id(snapshot.ordinal(Kind::Document, row))).collect();
    let mut html = html.to_owned();
    let mut fill = |path: &str, value: &str, id: &str| {
        html = html.replace(&format!("{ORIGIN}{path}"), &format!("{ORIGIN}{}", path.replace(value, id)));
    };
    if let Some(id) = documents.first() {
        fill("/v1/documents/{id}'", "{id}", Target::below("", id).path().trim_start_matches('/'));
    }
    if let [one, other] = documents[..] {
        let ids = Target::new("").with("ids", format!("{one},{other}")).href();
        fill("/v1/documents/compare?ids={ids}'", "?ids={ids}", &ids);
    }
    if snapshot.stats().total() > 0 {
        fill("/v1/evidence/{key}", "{key}", &snapshot.evidence_of(0).key.to_string());
    }
    html
}

/// The page of a document.
fn page(document: &Value) -> Page {
    let paths: Vec<(&String, &Value)> = document["paths"].as_object().into_iter().flatten().collect();
    let groups = GROUPS.iter().enumerate().map(|(at, (title, _))| {
        let mut of_group: Vec<(&String, &Value)> =
            paths.iter().copied().filter(|(path, _)| group_of(path) == at).collect();
        // Models are asked for the most.
        of_group.sort_by_key(|(path, _)| (place_in(at, path), !path.starts_with("/v1/models/"), (*path).clone()));
        (*title, of_group)
    });
    let groups: Vec<Group<'_>> = groups.collect();
    let of_all = answers_of_all(&paths);
    let body = html! {
        h1 { "API" }
        p { "Every operation is a GET and answers JSON. The machine-readable form is " a href="/openapi.json" { "/openapi.json" } "; agents read " a href="/llms.txt" { "/llms.txt" } "." }
        div.split {
            (contents(&groups))
            div {
                details { summary { "Answers that every operation can give" } (answers(&of_all)) }
                @for (title, operations) in &groups {
                    h2 { (title) }
                    @for (path, item) in operations { (operation(path, &item["get"], &of_all)) }
                }
            }
        }
    };
    let mut page = Page::new(Section::Docs, "API", body);
    page.description = "Every path of this desk, with its parameters.".to_owned();
    page.canonical = Some(Target::new("/docs"));
    page
}

/// All operations, beside them where there is room.
fn contents(groups: &[Group<'_>]) -> Markup {
    html! {
        aside.toc aria-label="Contents" tabindex="0" {
            details.fold.wide {
                summary { "On this page" }
                @for (title, operations) in groups {
                    p { b { (title) } }
                    ul.facet { @for (path, _) in operations { li { a href={ "#" (anchor(path)) } { (path) } } } }
                }
            }
        }
    }
}

/// The part of the page's address that leads to an operation: `v1-models-id`.
fn anchor(path: &str) -> String {
    let words = path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

/// The first group that names the path whole, or else the first that names a part of it.
fn group_of(path: &str) -> usize {
    let whole = |(_, names): &(&str, &[&str])| names.contains(&path);
    let part = |(_, names): &(&str, &[&str])| names.iter().any(|name| path.starts_with(name) || path.ends_with(name));
    GROUPS.iter().position(whole).or_else(|| GROUPS.iter().position(part)).unwrap_or(GROUPS.len() - 1)
}

fn place_in(group: usize, path: &str) -> usize {
    let names = GROUPS[group].1;
    names.iter().position(|name| path.starts_with(name) || path.ends_with(name)).unwrap_or(names.len())
}

/// An answer by its status, and what it means.
type Answer<'a> = (&'a str, &'a str);

/// The answers of an operation.
fn answers_of(operation: &Value) -> impl Iterator<Item = Answer<'_>> {
    let responses = operation["responses"].as_object().into_iter().flatten();
    responses.map(|(status, response)| (status.as_str(), text(&response["description"])))
}

/// The answers that all operations give with the same meaning: they are told once.
fn answers_of_all<'a>(paths: &[(&String, &'a Value)]) -> Vec<Answer<'a>> {
    let Some((_, first)) = paths.first() else { return Vec::new() };
    let is_of_all =
        |answer: &Answer<'_>| paths.iter().all(|(_, item)| answers_of(&item["get"]).any(|one| one == *answer));
    answers_of(&first["get"]).filter(is_of_all).collect()
}

fn answers(answers: &[Answer<'_>]) -> Markup {
    html! { ul { @for (status, meaning) in answers { li { (status) ": " (notices::quoted(meaning)) } } } }
}

fn operation(path: &str, operation: &Value, of_all: &[Answer<'_>]) -> Markup {
    let parameters = values::list(operation, "parameters");
    let own: Vec<Answer<'_>> = answers_of(operation).filter(|answer| !of_all.contains(answer)).collect();
    html! {
        h3 id=(anchor(path)) { code { "GET " (path) } }
        p { (values::coded(text(&operation["summary"]))) }
        (copied_lines(&format!("curl -s '{ORIGIN}{}'", example(path, parameters))))
        @if !parameters.is_empty() {
            details {
                summary { (values::counted(parameters.len(), "parameter")) }
                dl.parameters { @for parameter in parameters { (described(parameter)) } }
            }
        }
        details { summary { "Answers" } (answers(&own)) }
    }
}

fn described(parameter: &Value) -> Markup {
    html! {
        dt { (text(&parameter["name"])) @if parameter["in"] == "path" { " (in the path)" } @else if parameter["required"] == true { " (required)" } }
        dd { (values::coded(text(&parameter["description"]))) }
    }
}

/// The path with what the document gives as examples of what has to be sent.
fn example(path: &str, parameters: &[Value]) -> String {
    let value = |parameter: &Value| {
        let example = &parameter["example"];
        example.as_str().map_or_else(|| example.to_string(), str::to_owned)
    };
    let required = parameters.iter().filter(|parameter| !parameter["example"].is_null());
    let (in_path, in_query): (Vec<&Value>, Vec<&Value>) = required.partition(|parameter| parameter["in"] == "path");
    let path = in_path.into_iter().fold(path.to_owned(), |path, parameter| {
        path.replace(&format!("{{{}}}", text(&parameter["name"])), &value(parameter))
    });
    let href = in_query
        .into_iter()
        .fold(Target::new(path), |target, parameter| target.with(text(&parameter["name"]), value(parameter)))
        .href();
    // What has to be sent and has no example stands there by its name.
    let is_open = |parameter: &&Value| {
        parameter["in"] == "query" && parameter["required"] == true && parameter["example"].is_null()
    };
    parameters.iter().filter(is_open).fold(href, |href, parameter| {
        let name = text(&parameter["name"]);
        let separator = if href.contains('?') { '&' } else { '?' };
        format!("{href}{separator}{name}={{{name}}}")
    })
}

/// A part without a text is empty; a test asserts that each has one.
fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
