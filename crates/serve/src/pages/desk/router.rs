//! The framework router: a question in a person's own words, the card that fits and why, the next best, and the prompt to copy.

use maud::{Markup, html};
use refdesk_catalog::answer::{self, DetailExtras};
use refdesk_core::Kind;
use refdesk_core::field;
use refdesk_core::item::Domain;
use refdesk_core::query::{DetailQuery, Params, QUERY_CHARS_MAX, QueryError, RouteQuery, Warning};
use refdesk_route::without_field;
use serde_json::Value;

use crate::http::request::ApiRequest;
use crate::pages::answer::read;
use crate::pages::items::framework;
use crate::pages::layout::form::Control;
use crate::pages::layout::notices::PROBLEM;
use crate::pages::layout::target::Target;
use crate::pages::layout::{Alternate, Page, ROUTER_PATH, Section, freshness, notices, values};
use crate::state::metrics::SearchKind;

/// A problem to begin with.
const EXAMPLE: &str = "We launch in two weeks. What could go wrong?";

/// The page of the router.
pub(crate) fn page(request: &ApiRequest) -> Page {
    let target = Target::new(ROUTER_PATH).with_pairs(request.pairs());
    let params = Params::new(target.pairs(), &RouteQuery::NAMES);
    let is_asked = target.get("q").is_some();
    let warnings = notices::of_params(target.pairs(), &RouteQuery::NAMES);
    let routed = is_asked.then(|| RouteQuery::parse(&params).map(|query| routed(request, &query, &warnings)));
    let (answer, wrong) = routed.transpose().map_or_else(|error| (None, Some(error)), |answer| (answer, None));
    let body = html! {
        h1 { "Which framework fits?" }
        p { "Describe the problem in your own words. The answer is the framework that fits, with a prompt to copy, or that no framework fits." }
        (form(&target, wrong.as_ref()))
        @if let Some((answer, warnings)) = &answer { (decision(request, &target, answer, warnings)) }
        @if !is_asked { p.soft { "Try " a href=(Target::new(ROUTER_PATH).with("q", EXAMPLE).href()) { (EXAMPLE) } } }
    };
    let title = match target.get("q") {
        Some(problem) => format!("Which framework fits “{}”?", values::excerpt(problem, 60)),
        None => "Which framework fits?".to_owned(),
    };
    let mut page = Page::new(Section::Router, title, body);
    page.description =
        "Describe a problem and get the working framework that fits, with reasons and a prompt.".to_owned();
    page.canonical = Some(target.clone());
    if let Some(error) = wrong {
        page.refuse(error);
    } else if is_asked {
        page.alternates = vec![Alternate::json(target.at("/v1/frameworks/route"))];
    }
    page
}

/// The answer, and its warnings with what they advise.
fn routed(request: &ApiRequest, query: &RouteQuery, warnings: &[Warning]) -> (Value, Vec<Warning>) {
    request.state.metrics.search(SearchKind::Route);
    let routed = answer::route(&request.snapshot, query, None, None, "", warnings);
    (read(&routed.json), routed.warnings)
}

fn form(target: &Target, wrong: Option<&QueryError>) -> Markup {
    let domain = target.get("domain").unwrap_or_default();
    // In any spelling that the query takes.
    let meant = field::named(Kind::Framework, "domain").and_then(|field| field.value_meant(domain.trim()));
    let sent = match meant.and_then(|word| Domain::parse(&word)) {
        Some(domain) => domain.as_str(),
        None => domain,
    };
    let domains = Domain::ALL.map(|domain| (domain.as_str(), domain.as_str().replace('-', " ")));
    let is_wrong = |name: &str| wrong.is_some_and(|wrong| *wrong.param == *name);
    html! {
        @if let Some(wrong) = wrong { (notices::refusal(wrong, target, is_wrong("q") || is_wrong("domain"))) }
        form action=(ROUTER_PATH) {
            p {
                label for="f-q" { "The problem" } br;
                textarea id="f-q" name="q" rows="3" cols="80" maxlength=(QUERY_CHARS_MAX) required aria-invalid=[is_wrong("q").then_some("true")] aria-describedby=[is_wrong("q").then_some(PROBLEM)] { (target.get("q").unwrap_or_default()) }
            }
            p {
                label for="f-domain" { "Domain " }
                (Control { name: "domain", sent, is_wrong: is_wrong("domain") }.select("any", &domains))
                " " button { "Find the framework" }
            }
        }
    }
}

fn decision(request: &ApiRequest, target: &Target, answer: &Value, warnings: &[Warning]) -> Markup {
    let selected = &answer["selected"];
    let alternatives = values::list(answer, "alternatives");
    html! {
        (notices::warnings(warnings, target))
        @match answer["decision"].as_str() {
            Some("match") => h2 { "It fits: " (name(selected)) },
            Some("ambiguous") => {
                h2 { "More than one may fit" }
                @if let Some(question) = values::text(answer, "clarifying_question") { p.notice { (values::shown(question)) } }
                @if selected.is_object() { h3 { "The likeliest: " (name(selected)) } }
            },
            _ => {
                h2 { "None fits" }
                p { "No card fits well enough to recommend it. Describe the problem in more detail, or look through " a href="/frameworks" { "all frameworks" } "." }
            },
        }
        @if selected.is_object() { (card(request, selected)) }
        @if !alternatives.is_empty() {
            h2 { @if selected.is_object() { "Next best" } @else { "Nearest, but none of them fits" } }
            ul.hits {
                @for card in alternatives {
                    li.hit {
                        (name(card))
                        @if let Some(why) = values::text(card, "why_not") { p.soft { "Why not: " (values::coded(without_field(why))) } }
                    }
                }
            }
        }
        @if answer["decision"] != "match" {
            p { a href=(Target::new("/search").with("q", target.get("q").unwrap_or_default()).with("type", Kind::Framework.search_type()).href()) { "Search the frameworks for these words" } }
        }
    }
}

fn name(card: &Value) -> Markup {
    let id = card["id"].as_str().unwrap_or_default();
    html! { a href=(Target::item(Kind::Framework, id).href()) { (values::shown(values::text(card, "display_name").unwrap_or(id))) } }
}

fn card(request: &ApiRequest, selected: &Value) -> Markup {
    let reasons = values::list(selected, "reasons");
    html! {
        @if let Some(summary) = values::text(selected, "summary") { p { (values::shown(summary)) } }
        p.soft { (freshness::cell(selected)) @if let Some(confidence) = selected["confidence"].as_f64() { " · confidence " (values::percent(confidence)) } }
        @if !reasons.is_empty() {
            h3 { "Why" }
            p.soft { "Words of your question, and where the framework has them:" }
            ul { @for reason in reasons { li { (values::words(reason["field"].as_str().unwrap_or_default())) ": " (values::any(&reason["terms"])) } } }
        }
        (prompt(request, selected["id"].as_str().unwrap_or_default()))
    }
}

fn prompt(request: &ApiRequest, id: &str) -> Markup {
    let Ok((ordinal, _)) = answer::resolve(&request.snapshot, Kind::Framework, id) else { return html! {} };
    let query = DetailQuery { include_prompt: true, ..DetailQuery::default() };
    let extras = DetailExtras { query, ..DetailExtras::default() };
    let detail = read(&answer::detail(&request.snapshot, ordinal, &extras));
    framework::prompt(&detail[Kind::Framework.singular()]["prompt"])
}
