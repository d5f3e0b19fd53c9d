//! Search: the hits of `/v1/search` and `/v1/frameworks/search`, with a tab for each kind.

mod hit;
mod suggest;
mod understood;

use std::sync::Arc;

use axum::response::Response;
use maud::{Markup, html};
use refdesk_catalog::answer::{self, FrameworkAnswer, HitTexts, SearchAnswer};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::query::{FrameworkSearchQuery, Params, QueryError, SEARCH_LIMIT, SearchQuery, Warning};
use refdesk_search::SearchOutcome;
use serde_json::Value;

use self::hit::KnownOfHit;
use super::home::examples;
use crate::http::problem::Problem;
use crate::http::request::ApiRequest;
use crate::pages::answer::{Facets, read};
use crate::pages::layout::target::Target;
use crate::pages::layout::{Alternate, Page, ROUTER_PATH, Section, described, list_of, notices, plural, values};
use crate::pages::lists::filters::{self, FilterForm};
use crate::pages::lists::near;
use crate::pages::respond;
use crate::state::metrics::SearchKind;

/// Hits of a page when no number is asked for.
const HITS: usize = 20;
/// The parameter by which the script asks for suggestions, with the rights of a page.
const SUGGEST: &str = "suggest";

/// The page of hits, or for the script what is suggested while somebody types.
pub(crate) fn search(request: &ApiRequest) -> Result<Response, Problem> {
    if request.has(SUGGEST) {
        return suggest::suggestions(request);
    }
    respond(request, page)
}

/// What is looked through: a kind, or all but frameworks, ranked together.
type Tab = Option<Kind>;

/// The tab that `type` names.
fn tab_named(sent: &Target) -> Tab {
    sent.get("type").and_then(Kind::parse)
}

/// The kind whose filters a tab has. Frameworks are searched without.
fn kind_with_filters(tab: Tab) -> Tab {
    tab.filter(|kind| *kind != Kind::Framework)
}

/// The parameters with which every tab asks the same. The filters of a kind say nothing of another.
const SAME: [&str; 5] = ["q", "collection", "fresh_only", "understand", "limit"];
/// Those without which nothing is asked.
const WORDS: [&str; 2] = ["q", "collection"];

/// A tab with some of the parameters that were sent.
fn tab_target(tab: Tab, kept: &[&str], sent: &Target) -> Target {
    let kept = kept.iter().filter_map(|name| Some((*name, sent.get(name)?)));
    let all = Target::new("/search").with_pairs(kept);
    match tab {
        None => all,
        Some(kind) => all.with("type", kind.search_type()),
    }
}

/// What a search looks through: all of the catalog, or what a collection shows of it.
struct Scope {
    snapshot: Arc<Snapshot>,
    /// The address with the parameters that were sent.
    target: Target,
}

fn page(request: &ApiRequest) -> Result<Page, Problem> {
    let scope = Scope::of(request)?;
    let target = &scope.target;
    let text = target.get("q").unwrap_or_default().to_owned();
    let mut page = if text.is_empty() {
        Page::new(
            Section::Other,
            "Search",
            html! { h1 { "Search" } p { "Type a name in any spelling, or what you need, into the box above." } (examples()) },
        )
    } else {
        let asked = scope.asked();
        let metrics = &request.state.metrics;
        let found = if tab_named(target) == Some(Kind::Framework) {
            metrics.search(SearchKind::Frameworks);
            scope.frameworks(&asked)
        } else {
            metrics.search(SearchKind::Catalog);
            scope.catalog(&asked)
        };
        match found {
            Ok(found) => hits(&scope, found),
            Err(error) => refused(target, error),
        }
    };
    page.searched = text;
    Ok(page)
}

/// An answer, and how many hits are of each kind.
struct FoundPage {
    tab: Tab,
    answer: Value,
    /// What else is known of each hit.
    known: Vec<KnownOfHit>,
    warnings: Vec<Warning>,
    /// `None` when only one kind was looked through.
    counts: Option<KindCounts>,
}

/// How many hits are of each kind, in the order of [`Kind::ALL`].
struct KindCounts {
    by_kind: Vec<usize>,
    are_exact: bool,
}

impl KindCounts {
    /// The number of a kind. Where counting ended early, nothing is known of a kind of which no hit was counted.
    fn told(&self, kind: Kind) -> Option<String> {
        let count = self.by_kind[kind.index()] as u64;
        (self.are_exact || count > 0).then(|| at_least(count, self.are_exact))
    }
}

impl From<SearchOutcome> for KindCounts {
    fn from(outcome: SearchOutcome) -> Self {
        Self { by_kind: outcome.by_segment, are_exact: outcome.total_is_exact }
    }
}

impl Scope {
    /// # Errors
    /// 404 when there is no such collection.
    fn of(request: &ApiRequest) -> Result<Self, Problem> {
        let sent = request.pairs().filter(|(name, _)| *name != SUGGEST);
        let target = Target::new("/search").with_pairs(sent);
        Ok(Self { snapshot: request.shown(target.get("collection").map(str::trim))?, target })
    }

    /// What the page asks for: the parameters that were sent, with its own number of hits where none is.
    fn asked(&self) -> Target {
        let target = &self.target;
        if target.get("limit").is_some() { target.clone() } else { target.with("limit", HITS.to_string()) }
    }

    fn catalog(&self, asked: &Target) -> Result<FoundPage, QueryError> {
        let params = SearchQuery::params(asked.pairs());
        let query = SearchQuery::parse(&params)?;
        let searched = answer::find(&self.snapshot, &query, None);
        let warnings = notices::of_params(asked.pairs(), &SearchQuery::names(query.kind));
        let SearchAnswer { json, warnings } =
            answer::search(&self.snapshot, &query, &searched, &HitTexts::default(), "", &warnings);
        let known = searched.outcome.hits.iter().map(|hit| KnownOfHit::new(&self.snapshot, hit.ordinal)).collect();
        let is_of_all = query.kind.is_none() && searched.understood.params.is_empty();
        let counts = is_of_all.then(|| searched.outcome.into());
        Ok(FoundPage { tab: query.kind, answer: read(&json), known, warnings, counts })
    }

    fn frameworks(&self, asked: &Target) -> Result<FoundPage, QueryError> {
        let asked = asked.without("type");
        let params = Params::new(asked.pairs(), &FrameworkSearchQuery::NAMES);
        let query = FrameworkSearchQuery::parse(&params)?;
        let warnings = notices::of_params(asked.pairs(), &FrameworkSearchQuery::NAMES);
        let FrameworkAnswer { json, warnings, .. } = answer::framework_search(&self.snapshot, &query, "", &warnings);
        Ok(FoundPage { tab: Some(Kind::Framework), answer: read(&json), known: Vec::new(), warnings, counts: None })
    }

    /// How many hits each of the other tabs has: those of the words alone. None where more than words was understood, because each tab
    /// understands them in its own way.
    fn counts(&self) -> Option<KindCounts> {
        let sent = tab_target(None, &SAME, &self.target).with("limit", HITS.to_string());
        let query = SearchQuery::parse(&SearchQuery::params(sent.pairs())).ok()?;
        let searched = answer::find(&self.snapshot, &query, None);
        searched.understood.params.is_empty().then(|| searched.outcome.into())
    }

    /// How many frameworks have the words.
    fn framework_count(&self) -> Option<String> {
        let sent = Target::new("/search").with("q", self.target.get("q")?).with("limit", "1");
        Some(total(&self.frameworks(&sent).ok()?.answer))
    }
}

fn hits(scope: &Scope, found: FoundPage) -> Page {
    let FoundPage { tab, answer, mut known, warnings, counts } = found;
    known.resize_with(results_of(&answer, tab).len(), KnownOfHit::default);
    let (answer, target) = (&answer, &scope.target);
    let of_frameworks = tab == Some(Kind::Framework);
    let results = results_of(answer, tab);
    let text = target.get("q").unwrap_or_default();
    let body = html! {
        h1 { "Search for “" (values::excerpt(text, 100)) "”" }
        (tabs(scope, tab, answer, counts.or_else(|| scope.counts())))
        (notices::of_collection(&scope.snapshot, target))
        (understood::understood(answer, tab, target))
        (notices::warnings(&warnings, target))
        (filters(target, tab, None))
        @if results.is_empty() {
            (nothing(scope, tab, answer))
        } @else {
            ol.hits { @for (hit, known) in results.iter().zip(&known) { (hit::hit(hit, known, tab)) } }
        }
        (suggestions(target, answer))
        (further(target, tab, answer, results.len()))
    };
    let mut page = Page::new(Section::Other, title(target, tab), body);
    let asked = scope.asked();
    let data = if of_frameworks { asked.without("type").at("/v1/frameworks/search") } else { asked.at("/v1/search") };
    page.alternates = vec![Alternate::json(data)];
    page
}

/// The hits of an answer.
fn results_of(answer: &Value, tab: Tab) -> &[Value] {
    values::list(answer, if tab == Some(Kind::Framework) { "frameworks" } else { "results" })
}

/// Where else to look.
fn nothing(scope: &Scope, tab: Tab, answer: &Value) -> Markup {
    let target = &scope.target;
    let text = target.get("q").unwrap_or_default();
    let list = understood::listed(answer);
    html! {
        @if filters_set(target, tab) > 0 {
            p { a href=(tab_target(tab, &WORDS, target).href()) { "Look for the same words without the filters" } }
        }
        // That nothing meets what was understood is said above.
        @if let Some((kind, list)) = &list { (near::without_one_filter(&scope.snapshot, *kind, list, list)) }
        p { @if list.is_none() { "Nothing was found. " } "Browse the lists, or describe your problem to the router." }
        ul {
            @for kind in Kind::ALL { li { a href=(list_of(kind).href()) { (plural(kind)) } } }
            li { a href=(Target::new(ROUTER_PATH).with("q", text).href()) { "Which framework fits “" (values::excerpt(text, 100)) "”?" } }
        }
    }
}

/// What tells the page from the others: its words, its kind, its filters.
fn title(target: &Target, tab: Tab) -> String {
    let filters = described::all(tab, target.pairs().filter(|(name, _)| *name != "q"));
    let parts = tab.map(|kind| plural(kind).to_owned()).into_iter().chain(filters);
    let words = format!("Search for {}", values::excerpt(target.get("q").unwrap_or_default(), 60));
    std::iter::once(words).chain(parts).collect::<Vec<_>>().join(", ")
}

/// A tab for each kind, with how many hits it has.
fn tabs(scope: &Scope, current: Tab, answer: &Value, counts: Option<KindCounts>) -> Markup {
    let count = |tab: Tab| match tab {
        _ if tab == current => Some(total(answer)),
        None => None,
        Some(Kind::Framework) => counts.as_ref().and_then(|_| scope.framework_count()),
        Some(kind) => counts.as_ref()?.told(kind),
    };
    let kinds = Kind::ALL.into_iter().map(Some);
    html! {
        nav.tabs aria-label="Kinds" {
            ul {
                @for tab in std::iter::once(None).chain(kinds) {
                    li {
                        a href=(tab_target(tab, &SAME, &scope.target).href()) aria-current=[(tab == current).then_some("page")] {
                            (tab.map_or("All", plural))
                            @if let Some(count) = count(tab) { " " span.soft { (count) } }
                        }
                    }
                }
            }
        }
    }
}

/// The filters of a kind, as on its table.
fn filters(sent: &Target, tab: Tab, wrong: Option<&str>) -> Markup {
    let Some(kind) = kind_with_filters(tab) else { return html! {} };
    let (clear, set) = (tab_target(tab, &WORDS, sent), filters_set(sent, tab));
    html! {
        details.unprinted open[set > 0 || wrong.is_some()] {
            summary { "Filters" @if set > 0 { " (" (set) " set)" } }
            (filters::form(&FilterForm { kind, target: sent, wrong, clear: &clear, counted: &Facets::new(), is_told: false }))
        }
    }
}

/// How many filters are set beside the words.
fn filters_set(target: &Target, tab: Tab) -> usize {
    kind_with_filters(tab).map_or(0, |kind| filters::set(kind, &target.without("q")))
}

/// `701+` where there may be more.
fn total(answer: &Value) -> String {
    at_least(answer["total"].as_u64().unwrap_or_default(), answer["total_relation"] != "gte")
}

fn at_least(total: u64, is_exact: bool) -> String {
    format!("{}{}", values::count(total), if is_exact { "" } else { "+" })
}

fn suggestions(target: &Target, answer: &Value) -> Markup {
    let suggestions = values::list(answer, "suggestions");
    let links = suggestions.iter().filter_map(Value::as_str);
    let links = links.map(|name| html! { a href=(target.with("q", name).href()) { (values::excerpt(name, 80)) } });
    html! { @if !suggestions.is_empty() { p { "Did you mean " (values::joined(", ", links)) "?" } } }
}

/// More hits on this page, and the table that has all, with filters.
fn further(target: &Target, tab: Tab, answer: &Value, shown: usize) -> Markup {
    let has_more = answer["total"].as_u64().is_some_and(|total| total > shown as u64) && shown < SEARCH_LIMIT.max;
    let is_fresh_only = target.is_on("fresh_only");
    html! {
        @if has_more && shown > 0 { p { a href=(target.with("limit", SEARCH_LIMIT.max.to_string()).href()) { "The best " (SEARCH_LIMIT.max) } } }
        @if let Some(kind) = tab {
            p { a href=(target.without("type").without("limit").at(format!("/{}", kind.path_segment())).href()) { (plural(kind)) " with these words as a table" } ", with filters, sorting and pages." }
        }
        @if tab != Some(Kind::Framework) && (is_fresh_only || shown > 0) {
            p {
                @if is_fresh_only {
                    (answer["excluded_stale"].as_u64().unwrap_or_default()) " stale left out; " a href=(target.without("fresh_only").href()) { "show them too" }
                } @else { a href=(target.with("fresh_only", "true").href()) { "Only fresh items" } }
            }
        }
    }
}

fn refused(sent: &Target, error: QueryError) -> Page {
    let tab = tab_named(sent);
    let has_field = kind_with_filters(tab).is_some_and(|kind| filters::has_field(kind, &error.param));
    let words_alone = tab_target(None, &WORDS, sent);
    let is_another_way = has_field || notices::without(&error, sent) != words_alone;
    let body = html! {
        h1 { "Search" }
        (notices::refusal(&error, sent, has_field))
        (filters(sent, tab, Some(&error.param)))
        @if is_another_way { p { a href=(words_alone.href()) { "Search for the words alone" } } }
    };
    let mut page = Page::new(Section::Other, "Search", body);
    page.refuse(error);
    page
}

#[cfg(test)]
mod tests {
    use super::KindCounts;
    use refdesk_core::Kind;

    /// A search of very many hits ends counting when the best are found, and then has counted none of some kinds.
    #[test]
    fn a_kind_of_which_none_was_counted_has_no_number_unless_all_were_counted() {
        let mut by_kind = vec![0; Kind::ALL.len()];
        by_kind[Kind::Model.index()] = 1_200;
        let told = |are_exact: bool| {
            let counts = KindCounts { by_kind: by_kind.clone(), are_exact };
            [Kind::Model, Kind::Document].map(|kind| counts.told(kind))
        };
        assert_eq!(told(false), [Some("1,200+".to_owned()), None]);
        assert_eq!(told(true), [Some("1,200".to_owned()), Some("0".to_owned())]);
    }
}
