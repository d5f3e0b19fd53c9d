//! Two to five items of a kind side by side: which they are, and the form to choose them. [`table`] is what they have.

mod table;

use maud::{Markup, html};
use refdesk_catalog::answer;
use refdesk_core::Kind;
use serde_json::Value;

use crate::http::request::ApiRequest;
use crate::pages::answer::read;
use crate::pages::layout::target::Target;
use crate::pages::layout::{Alternate, Page, Section, list_of, plural, values};

/// Most items on a page; REST compares more.
const COMPARED_MAX: usize = 5;
/// Fewest items that can be compared.
const COMPARED_MIN: usize = 2;

/// What is to be compared, and what cannot be.
struct ComparedIds {
    /// As they were typed, without repetition: what the form keeps, to be corrected.
    typed: Vec<String>,
    /// Those of them that name items of the kind.
    ids: Vec<String>,
    /// What was typed once more.
    repeated: Vec<String>,
    kind: Option<Kind>,
    notices: Vec<Markup>,
}

/// The comparison.
pub(crate) fn page(request: &ApiRequest) -> Page {
    let mut asked = read_ids(request);
    let compared = asked.kind.filter(|_| asked.ids.len() >= COMPARED_MIN).and_then(|kind| {
        // What is of another kind was taken out, so only spellings of one item are refused.
        let json = answer::compare(&request.snapshot, kind, &asked.ids, &[]).ok()?;
        Some((kind, read(&json)))
    });
    if compared.is_none() && asked.kind.is_some() && asked.ids.len() >= COMPARED_MIN {
        asked.notices.push(html! { "These ids all name one item: add another." });
    }
    if let Some((_, answer)) = &compared {
        let repeated = asked.repeated.iter().filter(|id| asked.ids.contains(*id)).count();
        if ids(answer).len() < asked.ids.len() + repeated {
            asked.notices.push(html! { "An item that is named more than once is shown once." });
        }
    }
    let link = Target::new("/compare").with_pairs(request.pairs());
    let body = html! {
        h1 { "Compare" }
        @for notice in &asked.notices { p.notice { (notice) } }
        @if let Some((kind, answer)) = &compared { (table::comparison(&link, *kind, answer)) }
        (form(&asked))
    };
    let mut page = Page::new(Section::Compare, "Compare", body);
    if let Some((kind, answer)) = &compared {
        let ids: Vec<&str> = ids(answer);
        page.title = format!("Compare {}", ids.join(", "));
        page.description = format!("{} side by side: {}.", plural(*kind), ids.join(", "));
        let data = Target::new(format!("/v1/{}/compare", kind.path_segment())).with("ids", ids.join(","));
        page.alternates = vec![Alternate::json(data)];
    }
    page
}

/// Ids come in one parameter or in several, as a form sends them.
fn read_ids(request: &ApiRequest) -> ComparedIds {
    let sent = request.pairs().filter(|(name, _)| *name == "ids").flat_map(|(_, ids)| ids.split(','));
    let (mut ids, mut repeated): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for id in sent.map(str::trim).filter(|id| !id.is_empty()) {
        let is_known = ids.iter().any(|other| other == id);
        (if is_known { &mut repeated } else { &mut ids }).push(id.to_owned());
    }
    let mut notices = Vec::new();
    if ids.len() > COMPARED_MAX {
        notices.push(html! {
            "A page compares up to " (COMPARED_MAX) "; the first " (COMPARED_MAX) " of " (ids.len()) " are shown."
        });
        ids.truncate(COMPARED_MAX);
    }
    let named = request.pairs().find(|(name, _)| *name == "kind").map(|(_, kind)| kind.trim());
    let kind = match named.filter(|kind| !kind.is_empty()) {
        Some(named) => {
            let kind = Kind::of_path_segment(named);
            if kind.is_none() {
                let kinds = Kind::ALL.map(Kind::path_segment).join(", ");
                notices.push(html! { "Unknown kind “" (values::excerpt(named, 40)) "”: it is one of " (kinds) "." });
            }
            kind
        }
        None => kind_of(request, &ids, &mut notices),
    };
    let typed = ids.clone();
    if let Some(kind) = kind {
        ids.retain(|id| is_of(request, kind, id, &typed, &mut notices));
    }
    if ids.is_empty() && notices.is_empty() && request.has("kind") {
        notices.push(html! {
            "Nothing is chosen: tick two to " (COMPARED_MAX) " items of a list, or name their ids below."
        });
    }
    if ids.len() == 1 {
        notices.push(html! { "One item is not a comparison: name another." });
    }
    ComparedIds { typed, ids, repeated, kind, notices }
}

/// The kind that holds all ids, or else the one that holds the most.
fn kind_of(request: &ApiRequest, ids: &[String], notices: &mut Vec<Markup>) -> Option<Kind> {
    let holds = |kind: Kind| ids.iter().filter(|id| is_known(request, kind, id)).count();
    let most = Kind::ALL.into_iter().map(holds).max().filter(|most| *most > 0);
    let Some(most) = most else {
        if !ids.is_empty() {
            notices.push(html! { "Unknown id" @if ids.len() > 1 { "s" } ": " (quoted(ids)) "." });
        }
        return None;
    };
    let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| holds(*kind) == most).collect();
    if let [kind] = kinds[..] {
        return Some(kind);
    }
    let names: Vec<&str> = kinds.into_iter().map(plural).collect();
    notices.push(html! { "These ids are of several kinds (" (names.join(", ")) "): choose one below." });
    None
}

/// Whether a spelling names an item of the kind: as sources spell it, or, where no kind has it so, as people do (`gpt 4o`).
fn is_known(request: &ApiRequest, kind: Kind, id: &str) -> bool {
    let is_spelt = |kind: Kind| request.snapshot.find(kind, id).item().is_some();
    is_spelt(kind) || !Kind::ALL.into_iter().any(is_spelt) && answer::resolve(&request.snapshot, kind, id).is_ok()
}

/// Whether an id is of the kind; where it is of none or of another, a notice says so, with ids in its place that may be meant.
fn is_of(request: &ApiRequest, kind: Kind, id: &str, typed: &[String], notices: &mut Vec<Markup>) -> bool {
    if is_known(request, kind, id) {
        return true;
    }
    let shown = values::excerpt(id, 60);
    if let Some(other) = Kind::ALL.into_iter().find(|other| is_known(request, *other, id)) {
        notices.push(html! { "“" (shown) "” is of another kind (" (other.label()) ") and was left out." });
        return false;
    }
    let mut near = answer::Unresolved::new(&request.snapshot, &[kind], id).suggestions;
    near.retain(|near| !typed.contains(near));
    let link = |near: &str| {
        let ids: Vec<&str> = typed.iter().map(|other| if other == id { near } else { other.as_str() }).collect();
        Target::new("/compare").with("kind", kind.path_segment()).with("ids", ids.join(",")).href()
    };
    notices.push(html! {
        "No " (kind.label()) " has the id “" (shown) "”; it was left out."
        @if !near.is_empty() {
            " Did you mean "
            (values::joined(", ", near.iter().map(|near| html! { a href=(link(near)) { (near) } })))
            "?"
        }
    });
    false
}

fn quoted(ids: &[String]) -> String {
    ids.iter().map(|id| format!("“{}”", values::excerpt(id, 60))).collect::<Vec<_>>().join(", ")
}

fn ids(answer: &Value) -> Vec<&str> {
    values::list(answer, "ids").iter().filter_map(Value::as_str).collect()
}

fn form(asked: &ComparedIds) -> Markup {
    html! {
        div.unprinted {
            h2 { "What to compare" }
            form action="/compare" {
                div.filters {
                    div {
                        label for="f-kind" { "Kind" }
                        select id="f-kind" name="kind" {
                            option value="" selected[asked.kind.is_none()] { "by the ids" }
                            @for kind in Kind::ALL { option value=(kind.path_segment()) selected[asked.kind == Some(kind)] { (plural(kind)) } }
                        }
                    }
                    @for at in 0..COMPARED_MAX {
                        div {
                            label for={ "f-id-" (at) } { "Id " (at + 1) }
                            input id={ "f-id-" (at) } name="ids" value=(asked.typed.get(at).map_or("", String::as_str)) autocomplete="off";
                        }
                    }
                    div { button { "Compare" } }
                }
            }
            p.soft {
                "An id, or any spelling of it. Or tick items in a list: "
                @for (at, kind) in Kind::ALL.into_iter().enumerate() {
                    @if at > 0 { " · " }
                    a href=(list_of(kind).href()) { (plural(kind)) }
                }
            }
        }
    }
}
