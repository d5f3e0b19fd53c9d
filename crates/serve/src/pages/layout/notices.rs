//! What a page tells beside what it shows: oddities of a request, and why it was refused.

use std::borrow::Cow;

use maud::{Markup, html};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::field;
use refdesk_core::nearest::nearest_parameter;
use refdesk_core::query::{Advice, Expected, ListQuery, Params, QueryError, SearchQuery, Warning, filters};
use refdesk_core::text::enumerated;
use serde_json::Value;

use super::target::Target;
use super::{COLLECTIONS, ROUTER_PATH, described, plural, plural_in_text, values};

/// The anchor of a refusal, which the field that is wrong is described by.
pub(crate) const PROBLEM: &str = "problem";
/// The parameter that names a kind.
const TYPE: &str = "type";
/// The path of the search, which takes the filters of a kind when it is asked for that kind.
const SEARCH: &str = "/search";

/// The oddities of the parameters that a page knows. Of the others it names the filters alone: links bring names from elsewhere
/// (`utm_source`), and they change nothing.
pub(crate) fn of_params<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>, known: &[&'static str]) -> Vec<Warning> {
    let pairs: Vec<(&str, &str)> = pairs.collect();
    let passed_over = of_others(pairs.iter().copied(), known);
    let known_pairs = pairs.into_iter().filter(|(name, _)| known.contains(name));
    Params::new(known_pairs, known).warnings.into_iter().chain(passed_over).collect()
}

/// The same of those alone that a page does not know.
pub(crate) fn of_others<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>, known: &[&'static str]) -> Vec<Warning> {
    let others = described::first_of_each(pairs).filter(|(name, _)| !known.contains(name));
    let labels = others.filter_map(|(name, _)| described::label(name));
    labels.map(|label| Warning::from(format!("“{label}” has no effect here and was ignored."))).collect()
}

/// The warnings of an answer that gives no advice.
pub(crate) fn of_answer(answer: &Value) -> Vec<Warning> {
    values::list(answer, "warnings").iter().filter_map(Value::as_str).map(Warning::from).collect()
}

/// The warnings of the answer that `page` shows.
pub(crate) fn warnings(warnings: &[Warning], page: &Target) -> Markup {
    html! { @for warning in warnings { p.notice { (in_words(warning, page)) } } }
}

/// A warning as people read it, with a link as its advice. A member of the answer is no advice for them.
fn in_words(warning: &Warning, page: &Target) -> Markup {
    html! {
        (values::sentence(&quoted(&labelled(&values::shown(&warning.text)))))
        @match &warning.advice {
            Some(Advice::Framework(id)) => { " " a href=(Target::item(Kind::Framework, id).href()) { "its page" } "." },
            Some(Advice::Router(problem)) => {
                " " a href=(Target::new(ROUTER_PATH).with("q", problem).href()) { "the router" } "."
            },
            Some(Advice::Cost { model, usage }) => {
                @let usage = usage.iter().map(|(name, value)| (*name, value.as_str()));
                " " a href={ (Target::item(Kind::Model, model).with_pairs(usage).href()) "#cost" } { "what your usage costs" } "."
            },
            Some(Advice::AsTyped(_)) => {
                ". " a href=(page.with("understand", "false").href()) { "Look for the words as they are" } "."
            },
            Some(Advice::LeaveOut(params)) => {
                @let page = params.iter().fold(page.clone(), |page, (name, value)| page.with(name, *value));
                ". " a href=(page.href()) { "Leave such items out" } "."
            },
            Some(Advice::Sources) => { " " a href="/sources" { "Sources" } "." },
            Some(Advice::Suggestions | Advice::OtherValue(_)) | None => {},
        }
    }
}

/// With labels in place of the parameters between marks of code: of what a sentence begins with, and of what only a parameter is spelt like.
/// Elsewhere a value stands there, or what was typed.
fn labelled(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(at, part)| {
        let is_param = at % 2 == 1 && (part.contains("__") || at == 1 && text.starts_with('`'));
        described::label(part).filter(|_| is_param).unwrap_or_else(|| part.to_owned())
    });
    parts.collect::<Vec<_>>().join("`")
}

/// With quotation marks in place of the marks of code.
pub(crate) fn quoted(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts.map(|(at, part)| if at % 2 == 1 { format!("“{part}”") } else { part.to_owned() }).collect()
}

/// On a page of a collection: which it is, and the way out of it.
pub(crate) fn of_collection(view: &Snapshot, page: &Target) -> Markup {
    html! {
        @if let Some(view) = view.view() {
            p.notice {
                "Only the collection " a href=(Target::below(COLLECTIONS, &view.id).href()) { (values::shown(&view.title)) } ". "
                a href=(page.without("collection").without("offset").href()) { "Look through the whole catalog" }
            }
        }
    }
}

/// What is wrong with a request, in words of the page's own.
pub(crate) fn problem(told: Markup) -> Markup {
    html! { p.notice role="alert" id=(PROBLEM) { (told) } }
}

/// What is wrong with a request, by the label of its field, and what to do. The hint of the error is for programs. Where the page has no
/// field to correct it in, a link leads to `page` without it.
pub(crate) fn refusal(error: &QueryError, page: &Target, has_field: bool) -> Markup {
    refusal_of(described::label(&error.param), error, page, has_field)
}

/// The same of a field that a page has a label of its own for.
pub(crate) fn refusal_of(label: Option<String>, error: &QueryError, page: &Target, has_field: bool) -> Markup {
    let (owners, meant) = (owners(error), meant(error, page));
    // What was meant is a link below.
    let detail = match (owners, &meant) {
        (Some(owners), _) => Cow::Owned(format!("`{}` is a filter of {owners}, and nothing here has it.", error.param)),
        (None, Some(_)) => Cow::Owned(format!("`{}` is not a parameter here.", error.param)),
        (None, None) => Cow::Borrowed(&*error.detail),
    };
    html! {
        p.notice role="alert" id=(PROBLEM) {
            b { (label.unwrap_or_else(|| values::sentence(&error.error))) } ": " (values::coded(&detail)) " "
            @if let Some(takes) = error.takes().filter(|takes| !detail.contains(takes.as_str())) { "It takes " (takes) ". " }
            (kinds(error, page))
            @if has_field { "Correct it in the form, or leave it empty." }
            @else {
                @if let Some((name, meant)) = &meant { "Did you mean " a href=(meant.href()) { code { (name) } } "? " }
                a href=(without(error, page).href()) { "Go on without it" }
            }
        }
    }
}

/// The page without what is wrong: where a kind is missing, without what only some kinds have.
pub(crate) fn without(error: &QueryError, page: &Target) -> Target {
    page.without(if error.expected == Expected::TypeBeside { &error.found } else { &error.param })
}

/// Whose filter a parameter is that the page does not take: what is spelt right has no other spelling.
fn owners(error: &QueryError) -> Option<String> {
    let has = |kind: &Kind| ListQuery::names(*kind).contains(&&*error.param);
    let kinds: Vec<Kind> =
        Kind::ALL.into_iter().filter(|_| error.expected == Expected::Parameter).filter(has).collect();
    if kinds == Kind::ALL {
        return Some("lists".to_owned());
    }
    let kinds: Vec<String> = kinds.into_iter().map(plural_in_text).collect();
    (!kinds.is_empty()).then(|| enumerated(&kinds, "and"))
}

/// The page with the parameter that was meant by one that is misspelt.
fn meant<'e>(error: &'e QueryError, page: &Target) -> Option<(&'e str, Target)> {
    let value = page.get(&error.param).filter(|_| error.expected == Expected::Parameter && owners(error).is_none())?;
    // A search of all kinds asks for a kind where a filter is spelt right.
    let is_of_all = page.path() == SEARCH && page.get(TYPE).is_none();
    let of_kinds = Kind::SEARCHED.into_iter().filter(|_| is_of_all).flat_map(filters).map(|filter| &*filter.name);
    let (name, _) = nearest_parameter(&error.param, error.values.iter().map(|name| &**name).chain(of_kinds))?;
    Some((name, page.without(&error.param).with(name, value)))
}

/// The kinds to choose among, where none of them was sent: those that have what was asked for.
fn kinds(error: &QueryError, page: &Target) -> Markup {
    let kinds: Vec<Kind> = if error.expected == Expected::TypeBeside {
        let asked = &*error.found;
        let has =
            |kind: &Kind| SearchQuery::names(Some(*kind)).contains(&asked) || field::named(*kind, asked).is_some();
        Kind::SEARCHED.into_iter().filter(has).collect()
    } else {
        Kind::ALL.to_vec()
    };
    let link = |kind: Kind| html! { a href=(page.with(TYPE, kind.search_type()).href()) { (plural(kind)) } };
    html! { @if *error.param == *TYPE { (values::joined(" · ", kinds.into_iter().map(link))) ". " } }
}

#[cfg(test)]
mod tests {
    use super::{Advice, Target, Warning, in_words};

    #[test]
    fn a_warning_leads_to_pages_and_names_no_member_of_an_answer() {
        let page = Target::new("/search").with("q", "a");
        let usage = vec![("input_tokens", "1M".to_owned()), ("output_tokens", "2k".to_owned())];
        for (warning, in_rest, shown) in [
            (
                Warning::new("nothing is named `gpt-77`", Advice::Suggestions),
                "nothing is named `gpt-77`; see `suggestions`",
                "Nothing is named “gpt-77”",
            ),
            (
                Warning::new("`premortem` is a framework: look at", Advice::Framework("premortem".to_owned())),
                "`premortem` is a framework: look at /v1/frameworks/premortem",
                "“premortem” is a framework: look at <a href=\"/frameworks/premortem\">its page</a>.",
            ),
            (
                Warning::new("describe it to", Advice::Router("a b".to_owned())),
                "describe it to /v1/frameworks/route",
                "Describe it to <a href=\"/frameworks/route?q=a+b\">the router</a>.",
            ),
            (
                Warning::new("for the prices of every seller of `o3`:", Advice::Cost { model: "o3".to_owned(), usage }),
                "for the prices of every seller of `o3`: /v1/cost?model=o3&input_tokens=1M&output_tokens=2k",
                "For the prices of every seller of “o3”: <a href=\"/models/o3?input_tokens=1M&amp;output_tokens=2k#cost\">what your usage costs</a>.",
            ),
            (
                Warning::new("the catalog has no skills: see", Advice::Sources),
                "the catalog has no skills: see /v1/sources/status",
                "The catalog has no skills: see <a href=\"/sources\">Sources</a>.",
            ),
            // What was typed is quoted, and leads nowhere.
            (
                Warning::from("`vendor`: nothing has the value `a look at /v1/frameworks/premortem`"),
                "`vendor`: nothing has the value `a look at /v1/frameworks/premortem`",
                "“Vendor”: nothing has the value “a look at /v1/frameworks/premortem”",
            ),
            // Parameters have the labels of the form, and a value stays as it was typed.
            (
                Warning::from("`price_input__gte` is above `price_input__lte`: nothing is called `vendor`"),
                "`price_input__gte` is above `price_input__lte`: nothing is called `vendor`",
                "“Input price, at least” is above “Input price, at most”: nothing is called “vendor”",
            ),
            (
                Warning::new("searched for `b`", Advice::AsTyped(": `understand=false` takes the words as they are")),
                "searched for `b`: `understand=false` takes the words as they are",
                "Searched for “b”. <a href=\"/search?q=a&amp;understand=false\">Look for the words as they are</a>.",
            ),
            (
                Warning::new("`b` is free", Advice::LeaveOut(&[("type", "MODEL"), ("offers__gte", "1")])),
                "`b` is free: add `type=MODEL` and `offers__gte=1` to leave such items out",
                "“b” is free. <a href=\"/search?q=a&amp;type=MODEL&amp;offers__gte=1\">Leave such items out</a>.",
            ),
        ] {
            assert_eq!(warning.to_string(), in_rest);
            assert_eq!(in_words(&warning, &page).into_string(), shown);
        }
    }
}
