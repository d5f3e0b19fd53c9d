//! Where sources disagree, the widest apart first.

use maud::{Markup, html};
use refdesk_catalog::answer;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::query::{ConflictsQuery, Params, QueryError};
use serde_json::Value;

use crate::http::request::ApiRequest;
use crate::pages::answer::{kind_of, read};
use crate::pages::items::provenance;
use crate::pages::layout::form::{Control, Hints};
use crate::pages::layout::table::{heads, main_table, paging};
use crate::pages::layout::target::Target;
use crate::pages::layout::{Alternate, Page, Section, notices, plural, values};

/// The fields of the form.
const FIELDS: [&str; 3] = ["type", "path", "min_percent"];

/// All conflicts, by pages.
pub(crate) fn page(request: &ApiRequest) -> Page {
    let target = Target::new("/conflicts").with_pairs(request.pairs());
    let params = Params::new(target.pairs(), &ConflictsQuery::NAMES);
    let (found, wrong) = match ConflictsQuery::parse(&params) {
        Ok(query) => {
            let warnings = notices::of_params(target.pairs(), &ConflictsQuery::NAMES);
            (Some(read(&answer::conflicts(&request.snapshot, &query, &warnings).0)), None)
        }
        Err(error) => (None, Some(error)),
    };
    let body = html! {
        h1 { "Conflicts" }
        p { "Where sources disagree: the value shown, the rule by which it won, and what the other sources state." }
        (form(&target, wrong.as_ref()))
        @if let Some(answer) = &found { (table(&request.snapshot, answer, &target)) }
    };
    let mut page = Page::new(Section::Conflicts, title(&target), body);
    page.has_table = found.as_ref().is_some_and(|answer| !values::list(answer, "conflicts").is_empty());
    page.canonical = Some(target.clone());
    page.description = "Where sources disagree, and which value is shown.".to_owned();
    page.alternates = vec![Alternate::json(target.at("/v1/conflicts"))];
    if let Some(error) = wrong {
        page.refuse(error);
    }
    page
}

/// What tells the page from the others: its filters, and which rows it shows.
fn title(target: &Target) -> String {
    let sent = |name: &str| target.get(name).map(|value| values::excerpt(value, 40));
    let filters = [
        sent("type").map(|kind| Kind::parse(&kind).map_or(kind, |kind| plural(kind).to_owned())),
        sent("path").map(|path| values::path_in_words(&path)),
        sent("min_percent").map(|percent| format!("at least {percent} % apart")),
        sent("offset")
            .and_then(|offset| offset.parse::<u64>().ok())
            .map(|offset| format!("from row {}", values::count(offset.saturating_add(1)))),
    ];
    let filters: Vec<String> = filters.into_iter().flatten().collect();
    if filters.is_empty() { "Conflicts".to_owned() } else { format!("Conflicts: {}", filters.join(", ")) }
}

fn form(target: &Target, wrong: Option<&QueryError>) -> Markup {
    let control = |name: &'static str| {
        let is_wrong = wrong.is_some_and(|wrong| *wrong.param == *name);
        Control { name, sent: target.get(name).unwrap_or_default(), is_wrong }
    };
    let field = |name: &'static str, label: &str, placeholder: &str| {
        control(name).text(label, &Hints { placeholder: Some(placeholder), ..Hints::default() })
    };
    let kind = control("type");
    // In any spelling that the query takes.
    let sent = match Kind::parse(kind.sent) {
        Some(kind) => kind.search_type(),
        None => kind.sent,
    };
    let kind = Control { sent, ..kind };
    let kinds = Kind::ALL.map(|kind| (kind.search_type(), kind.label().to_owned()));
    html! {
        @if let Some(wrong) = wrong { (notices::refusal(wrong, target, FIELDS.contains(&&*wrong.param))) }
        form action="/conflicts" {
            div.filters {
                (kind.choice("Kind", "all", &kinds))
                (field("path", "Field", "pricing"))
                (field("min_percent", "Percent apart, at least", "10"))
                div { button { "Filter" } @if !target.is_plain() { " " a href="/conflicts" { "Clear" } } }
            }
        }
    }
}

fn table(snapshot: &Snapshot, answer: &Value, target: &Target) -> Markup {
    let conflicts = values::list(answer, "conflicts");
    let offset = answer["offset"].as_u64().unwrap_or_default();
    let total = answer["total"].as_u64().unwrap_or_default();
    html! {
        (notices::warnings(&notices::of_answer(answer), target))
        @if conflicts.is_empty() {
            p { @if total == 0 { "No sources disagree here." } @else { "There are " (values::count(total)) " conflicts; this page is past the end." } }
            (paging("Pages", target, answer))
        } @else {
            div.bar {
                p { (values::count(offset + 1)) "–" (values::count(offset + conflicts.len() as u64)) " of " b { (values::count(total)) } }
                (paging("Pages", target, answer))
            }
            (main_table("Conflicts", html! {
                table {
                    thead { tr { (heads(&["Item", "Field", "Shown", "Whose", "Others state"])) } }
                    tbody { @for conflict in conflicts { (row(snapshot, conflict)) } }
                }
            }))
            (paging("Pages, below the table", target, answer))
        }
    }
}

fn row(snapshot: &Snapshot, conflict: &Value) -> Markup {
    let kind = kind_of(conflict).unwrap_or(Kind::Model);
    let (id, path) = (conflict["id"].as_str().unwrap_or_default(), conflict["path"].as_str().unwrap_or_default());
    let others = values::list(conflict, "others");
    html! {
        tr {
            th scope="row" { a href={ (Target::item(kind, id).href()) "#conflicts" } { (name(snapshot, kind, id)) } }
            td.words { (values::path(path)) }
            td { (values::at_path(path, &conflict["value"])) }
            td.whose { (whose(conflict, kind, id)) @if let Some(rule) = values::text(conflict, "rule") { br; span.soft { (provenance::rule(rule)) } } (checked(conflict)) }
            td.wide {
                @for (at, other) in others.iter().enumerate() {
                    @if at > 0 { br; }
                    (values::at_path(path, &other["value"]))
                    @if other["withheld"] == true { " " b.stale { "withheld" } @if let Some(since) = values::text(other, "since") { " since " (values::date(since)) } }
                    @if let Some(reason) = values::text(other, "reason") { " (" (values::coded(reason)) ")" }
                    @if let Some(percent) = other["percent"].as_f64() { " (" (apart(percent)) " % apart)" }
                    " " (whose(other, kind, id)) (checked(other))
                }
            }
        }
    }
}

/// The source of a value, which leads to its evidence.
fn whose(stated: &Value, kind: Kind, id: &str) -> Markup {
    let source = values::any(&stated["source_id"]);
    match values::text(stated, "evidence_key") {
        Some(key) => html! { a href=(Target::evidence(key, kind, id).href()) { (source) } },
        None => source,
    }
}

/// When the source of a value was last checked.
fn checked(stated: &Value) -> Markup {
    html! {
        @if let Some(at) = values::text(stated, "last_verified_at") {
            span.soft { ", checked " (values::date(at)) @if stated["stale"] == true { ", stale" } }
        }
    }
}

/// What an item is called, as on its page.
fn name(snapshot: &Snapshot, kind: Kind, id: &str) -> Markup {
    let name = |ordinal| values::isolated(&values::excerpt(&snapshot.name(ordinal), 120));
    snapshot.find(kind, id).item().map_or_else(|| html! { (id) }, name)
}

/// A percentage: whole and in groups where it is large.
fn apart(percent: f64) -> String {
    if percent < 1_000.0 { percent.to_string() } else { values::count(percent.round() as u64) }
}
