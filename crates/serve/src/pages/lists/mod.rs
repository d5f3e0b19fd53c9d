//! The table of a kind: filters as a form, facets as links, sort by header, columns by choice, pages by link. The same query as
//! `/v1/KIND/list`, which answers it.

mod columns;
mod facets;
pub(super) mod filters;
mod kind_page;
pub(super) mod near;
mod table;

use maud::{Markup, html};
use refdesk_catalog::answer::{self, ListAnswer};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::field;
use refdesk_core::query::{ListQuery, Params, QueryError, Selection, Warning};
use serde_json::Value;

use super::answer::{Facets, ListRead, read_list};
use super::layout::table::paging;
use super::layout::target::Target;
use super::layout::{
    Alternate, Page, ROUTER_PATH, Section, described, list_of, notices, plural, plural_in_text, values,
};
use crate::http::problem::Problem;
use crate::http::request::ApiRequest;
use crate::negotiation::{CSV, JSON, NDJSON};
use columns::Column;
use filters::FilterForm;
use kind_page::page_of;

/// Most rows of a page.
const ROWS_MAX: usize = 500;
/// Longest description of the filters in a title, in characters.
const TITLE_CHARS_MAX: usize = 100;
/// Parameters of a list that a page answers in its own way.
const NOT_FOR_PAGES: [&str; 4] = ["fields", "format", "facets", "facet_size"];
/// The parameter that only a page has.
const COLUMNS: &str = "columns";

/// The table of a kind.
pub(crate) fn page(request: &ApiRequest, kind: Kind) -> Result<Page, Problem> {
    let asked = ListAddress::read(request, kind);
    let parsed = ListQuery::parse(kind, &Params::new(asked.target.pairs(), ListQuery::names(kind)));
    match parsed {
        Ok(query) => listed(request, kind, &asked.showing(kind, &query.selection), query),
        Err(error) => Ok(refused(kind, &asked, error)),
    }
}

/// What the address asks for.
pub(super) struct ListAddress {
    /// The address with the parameters of the list.
    target: Target,
    /// The columns by name, when they were chosen.
    chosen: Vec<String>,
    shown: Vec<&'static Column>,
    /// What was passed over, in words.
    notices: Vec<String>,
}

impl ListAddress {
    fn read(request: &ApiRequest, kind: Kind) -> Self {
        let chosen: Vec<String> = request
            .pairs()
            .filter(|(name, _)| *name == COLUMNS)
            .flat_map(|(_, value)| value.split(','))
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect();
        let mut notices = Vec::new();
        let named = |name: &str| columns::named(kind, name);
        let mut shown: Vec<&Column> = Vec::new();
        // The name is the first column of every table.
        for name in chosen.iter().filter(|name| !matches!(name.as_str(), "id" | "name" | "title")) {
            match named(name) {
                Some(column) if shown.iter().all(|other| other.name != column.name) => shown.push(column),
                Some(_) => {}
                None => {
                    notices.push(format!("There is no column “{}”; it was ignored.", values::excerpt(name, 40)));
                }
            }
        }
        if shown.is_empty() {
            shown = page_of(kind).columns.iter().filter_map(|name| named(name)).collect();
        }
        for name in NOT_FOR_PAGES.into_iter().filter(|name| request.has(name)) {
            notices.push(format!("“{name}” is for programs, which ask {}.", Self::api_path(kind)));
        }
        let of_list = request.pairs().filter(|(name, _)| *name != COLUMNS && !NOT_FOR_PAGES.contains(name));
        let target = Target::new(format!("/{}", kind.path_segment())).with_pairs(of_list);
        Self { target, chosen, shown, notices }
    }

    /// With what the rows are ordered or bounded by, unless columns were chosen: else nobody sees why a row is where it is.
    fn showing(mut self, kind: Kind, selection: &Selection) -> Self {
        if self.chosen.is_empty() {
            let mut shown = columns::asked(kind, selection, &self.shown);
            shown.append(&mut self.shown);
            self.shown = shown;
        }
        self
    }

    fn api_path(kind: Kind) -> String {
        format!("/v1/{}/list", kind.path_segment())
    }

    /// The address of the page with the chosen columns, from which links are made.
    fn link(&self) -> Target {
        if self.chosen.is_empty() { self.target.clone() } else { self.target.with(COLUMNS, self.chosen.join(",")) }
    }
}

fn listed(request: &ApiRequest, kind: Kind, asked: &ListAddress, mut query: ListQuery) -> Result<Page, Problem> {
    let snapshot = request.shown(query.collection.as_deref())?;
    query.limit = query.limit.min(ROWS_MAX);
    let counted = page_of(kind).facets.iter().chain(filters::offered(kind));
    query.selection.facets = counted.filter_map(|name| field::named(kind, name)).collect();
    query.selection.facet_size = filters::CHOICES;
    let warnings = notices::of_params(asked.target.pairs(), ListQuery::names(kind));
    let ListAnswer { pieces, mut warnings, .. } = answer::list(&snapshot, kind, &query, &warnings);
    let mut paths = vec!["id", kind.name_key(), table::LANGUAGE, "stale_fields"];
    paths.extend(asked.shown.iter().flat_map(|column| column.paths()));
    let ListRead { mut rows, facets, rest: answer } = read_list(&pieces.concat(), kind, &paths);
    if asked.shown.iter().any(|column| column.name == columns::CONFLICTS) {
        for row in &mut rows {
            let count = answer::conflict_count(&snapshot, kind, row.text("id").unwrap_or_default());
            row.add(columns::CONFLICTS, count.into());
        }
    }
    let total = answer["total"].as_u64().unwrap_or_default();
    let missed = if total == 0 { near::missed(&snapshot, kind, &query) } else { Vec::new() };
    near::take_told(&mut warnings, &missed);
    let facet_links = facets::links(kind, asked, &facets, &facets::bounded(&snapshot, kind, &query));
    let body = html! {
        h1 { (plural(kind)) }
        (notices::of_collection(&snapshot, &asked.link()))
        (told(asked, &warnings))
        (unresolved(kind, &answer))
        (filters(kind, asked, None, &facets))
        div class=[(!facet_links.0.is_empty()).then_some("split")] {
            @if !facet_links.0.is_empty() {
                aside aria-label="Facets" { details.fold.wide { summary { "Filter by value" } (facet_links) } }
            }
            div {
                @if total > 0 { (filters::chosen(kind, &asked.link())) }
                div.bar {
                    @if !snapshot.segment(kind).is_empty() { (table::count(&answer, &query)) }
                    (paging("Pages", &asked.link(), &answer))
                    @if !rows.is_empty() { (table::compare_button()) }
                }
                @if kind == Kind::Framework { (hints_of_frameworks(&snapshot, asked, &query)) }
                @if query.offset == 0 && let Some(text) = &query.selection.text {
                    @if let Some(named) = answer::called(&snapshot, kind, text) { (near::left_out(&snapshot, named, &query, &asked.link())) }
                    @else { (near::spelling(&snapshot, kind, text, &rows)) }
                }
                @if total == 0 {
                    (near::told(&missed, &query, &asked.link().without("offset")))
                    (near::without_one_filter(&snapshot, kind, &asked.target, &asked.link()))
                    (search_for(kind, &query))
                }
                (table::table(kind, asked, &query, &rows))
                @if !rows.is_empty() { (paging("Pages, below the table", &asked.link(), &answer)) }
                (filters::columns(kind, asked))
            }
        }
    };
    let mut page = Page::new(Section::Kind(kind), title(kind, asked, &query, &snapshot), body);
    page.has_table = total > query.offset as u64;
    page.description = format!(
        "{} with prices, limits or texts, each with its source and when it was last checked.",
        values::counted(total, kind.label()),
    );
    page.searched = query.selection.text.unwrap_or_default();
    page.canonical = Some(asked.link());
    // It is told of all rows, of which filters leave a few.
    let is_of_all = query.collection.is_none() && described::all(Some(kind), asked.target.pairs()).is_empty();
    page.linked_data = is_of_all.then(|| dataset(request, kind, &page.description));
    page.alternates = alternates(kind, asked);
    Ok(page)
}

/// Where words that no row has may be understood.
fn search_for(kind: Kind, query: &ListQuery) -> Markup {
    html! {
        @if let Some(text) = &query.selection.text {
            p {
                a href=(Target::new("/search").with("q", text).with("type", kind.search_type()).href()) { "Search for “" (values::excerpt(text, 60)) "”" }
                ", which names what you may have meant."
            }
        }
    }
}

/// How many frameworks the list leaves out, and the router, which knows them all by what they are for.
fn hints_of_frameworks(snapshot: &Snapshot, asked: &ListAddress, query: &ListQuery) -> Markup {
    let count = |with_candidates: bool| snapshot.listed_rows(Kind::Framework, with_candidates, false).count();
    let candidates = count(true) - count(false);
    html! {
        p {
            @if candidates > 0 && !query.include_candidates {
                (values::counted(candidates, "candidate")) ", not yet complete enough to publish, " (if candidates == 1 { "is" } else { "are" }) " left out: "
                a href=(asked.link().without("offset").with("include_candidates", "true").href()) { "show them too" } ". "
            }
            a href=(ROUTER_PATH) { "Which framework fits my problem?" }
        }
    }
}

/// What tells the page from the others of its kind: its filters, and which rows it shows.
fn title(kind: Kind, asked: &ListAddress, query: &ListQuery, snapshot: &Snapshot) -> String {
    let mut title = plural(kind).to_owned();
    if let Some(view) = snapshot.view() {
        title = format!("{title} of {}", values::excerpt(&view.title, TITLE_CHARS_MAX));
    }
    let filters = described::all(Some(kind), asked.target.pairs());
    if !filters.is_empty() {
        title = format!("{title}: {}", values::excerpt(&filters.join("; "), TITLE_CHARS_MAX));
    }
    if query.offset > 0 {
        title = format!("{title}, from row {}", values::count(query.offset.saturating_add(1)));
    }
    title
}

/// The form of the filters, which small screens fold; what it does not show goes on with it.
fn filters(kind: Kind, asked: &ListAddress, wrong: Option<&str>, counted: &Facets) -> Markup {
    let clear = list_of(kind);
    let set = filters::set(kind, &asked.target);
    html! {
        details.fold open[wrong.is_some()] {
            summary { "Filters" @if set > 0 { " (" (set) " set)" } }
            (filters::form(&FilterForm { kind, target: &asked.link(), wrong, clear: &clear, counted, is_told: wrong.is_none() }))
        }
    }
}

/// The same rows as data.
fn alternates(kind: Kind, asked: &ListAddress) -> Vec<Alternate> {
    let data = asked.target.at(ListAddress::api_path(kind));
    vec![
        Alternate::json(data.clone()),
        Alternate { label: "CSV", media_type: CSV, target: data.with("format", "csv") },
        Alternate { label: "NDJSON", media_type: NDJSON, target: data.with("format", "ndjson") },
    ]
}

/// `Dataset` of schema.org.
fn dataset(request: &ApiRequest, kind: Kind, description: &str) -> String {
    let base = &request.state.settings.base_url;
    let distribution = |format: &str, media_type: &str| {
        serde_json::json!({
            "@type": "DataDownload",
            "encodingFormat": media_type,
            "contentUrl": format!("{base}{}?format={format}", ListAddress::api_path(kind)),
        })
    };
    serde_json::json!({
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": plural(kind),
        "description": description,
        "url": format!("{base}/{}", kind.path_segment()),
        "distribution": [distribution("json", JSON), distribution("csv", CSV), distribution("ndjson", NDJSON)],
    })
    .to_string()
}

fn told(asked: &ListAddress, warnings: &[Warning]) -> Markup {
    html! {
        @for notice in &asked.notices { p.notice { (notice) } }
        (notices::warnings(warnings, &asked.link()))
    }
}

/// The ids that were asked for and name nothing.
fn unresolved(kind: Kind, answer: &Value) -> Markup {
    let ids = values::list(answer, "unresolved").iter().filter_map(Value::as_str);
    html! { @for id in ids { p.notice { "No " (kind.label()) " has the id or alias “" (values::excerpt(id, 60)) "”." } } }
}

/// The page of a wrong filter: what was typed stays, and the field that is wrong says why.
fn refused(kind: Kind, asked: &ListAddress, error: QueryError) -> Page {
    let body = html! {
        h1 { (plural(kind)) }
        (notices::refusal(&error, &asked.link(), filters::has_field(kind, &error.param)))
        (filters(kind, asked, Some(&error.param), &Facets::new()))
        p { a href=(list_of(kind).href()) { "All " (plural_in_text(kind)) } }
    };
    let mut page = Page::new(Section::Kind(kind), plural(kind), body);
    page.refuse(error);
    page
}
