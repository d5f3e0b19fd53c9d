//! Where the sources stand, and what became of one: its last runs, its error, and what of it could not become facts.

use axum::response::Response;
use maud::{Markup, html};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;

use crate::api::full_texts;
use crate::api::sources::{self, SourcesAnswer};
use crate::http::problem::{Problem, ProblemCode};
use crate::http::request::ApiRequest;
use crate::negotiation::JSON;
use crate::pages::layout::table::{copied, facts, heads, number_heads, tabular};
use crate::pages::layout::target::Target;
use crate::pages::layout::{Alternate, Page, Section, plural, values};
use crate::pages::respond_live;
use crate::state::{SourceHistory, SourceRun};
use refdesk_core::Reject;
use refdesk_core::fact::SourceInfo;
use refdesk_core::source_status::{SourceStatus, StatusWord};

/// Runs in the strip of a source.
const RUNS_SHOWN: u32 = 30;
/// Most rejects on a page.
const REJECTS_SHOWN_MAX: usize = 200;

/// All sources.
pub(crate) fn all(request: &ApiRequest) -> Page {
    let SourcesAnswer { sources, summary, .. } = sources::answer(&request.state);
    let body = html! {
        h1 { "Sources" }
        p {
            (summary.ok) " ok, " (summary.failed) " failed, " (summary.quarantined) " quarantined, " (summary.syncing) " syncing, "
            (summary.never) " never read, " (summary.disabled) " disabled. "
            (values::counted(summary.withheld, "price")) (if summary.withheld == 1 { " is" } else { " are" }) " withheld."
        }
        @if summary.never > 0 {
            p.notice.quiet { "Sources that were never read have no facts here yet. A desk with a network reads them by itself when they are due; " code { "refdesk sync" } " reads them now." }
        }
        p.soft { "A fact is what one source states about one item. It turns stale when its source has not confirmed it for too long. An item combines the facts of several sources, and is fresh while its leading source is; the first page counts items." }
        @if sources.iter().any(|source| is_of_cards(source) && source.counts.stale > 0) {
            p.soft { "Facts of cards age from the day on which a person last checked each card, not from the last sync: the page of such a source says how long they count as fresh." }
        }
        (tabular("Sources", html! {
            (heads(&["Source", "Status"])) (number_heads(&["Facts", "Stale facts", "Rejects"])) (heads(&["Last checked", "Next due", "Last error"]))
        }, html! { @for source in &sources { (row(source)) } }))
    };
    let mut page = Page::new(Section::Sources, "Sources", body);
    page.description = "What this desk reads, when it last did so, and what it could not use.".to_owned();
    page.canonical = Some(Target::new("/sources"));
    page.alternates = vec![Alternate::json(Target::new("/v1/sources/status"))];
    page
}

fn row(source: &SourceStatus) -> Markup {
    html! {
        tr {
            th scope="row" { a href=(Target::below("sources", &source.id).href()) { (values::shown(&source.name)) } " " code { (source.id) } }
            td { (status(source.status)) }
            td.n { (values::count(source.counts.total)) }
            td.n { (values::count(source.counts.stale)) }
            td.n { (values::count(source.counts.rejects)) }
            td { (moment(source.last_verified_at)) }
            td { (next_due(source)) }
            td { @if let Some(error) = &source.error { b.stale { (values::words(&error.code)) } ": " (values::excerpt(&error.message, 120)) } }
        }
    }
}

fn status(state: StatusWord) -> Markup {
    let word = state.as_str();
    match state {
        StatusWord::Ok => html! { span.yes { "✓ " (word) } },
        StatusWord::Failed | StatusWord::Quarantined => html! { b.stale { "✗ " (word) } },
        _ => html! { (word) },
    }
}

fn moment(stamp: Option<refdesk_core::Stamp>) -> Markup {
    stamp.map_or_else(|| html! { span.none { "never" } }, |stamp| values::moment(&stamp.to_string()))
}

/// When it will be read again.
fn next_due(source: &SourceStatus) -> Markup {
    html! {
        @match source.next_due_at.filter(|_| source.enabled) {
            Some(at) if source.refresh_due => { span.tag { "due" } " since " (values::moment(&at.to_string())) },
            Some(at) => (values::moment(&at.to_string())),
            None if source.refresh_due => span.tag { "due" },
            None => span.none { "not scheduled" },
        }
    }
}

/// One source.
pub(crate) async fn source(request: ApiRequest) -> Result<Response, Problem> {
    let id = request.tail("sources");
    let SourcesAnswer { sources, .. } = sources::answer(&request.state);
    let Some(source) = sources.iter().find(|source| *source.id == *id) else { return Err(not_found(&id, &sources)) };
    let history = request.state.store.history(&source.id, RUNS_SHOWN).await.map_err(full_texts::unavailable)?;
    respond_live(&request, &page(source, known_of(&request.snapshot, &source.id), &history))
}

fn not_found(id: &str, sources: &[SourceStatus]) -> Problem {
    let shown = refdesk_core::clean::excerpt(id, 100);
    let meant = refdesk_core::nearest::did_you_mean(&shown, sources.iter().map(|source| source.id.as_str()));
    Problem::new(ProblemCode::NotFound, "source not found", format!("No source has the id {shown:?}{meant}."))
        .hint("All are at /sources.")
}

/// What the facts that are shown know of a source; nothing where there are none.
fn known_of<'s>(snapshot: &'s Snapshot, id: &str) -> Option<&'s SourceInfo> {
    let mut all = Kind::ALL.into_iter().flat_map(|kind| snapshot.segment(kind).sources());
    all.find(|source| *source.id == *id).map(|source| &**source)
}

/// Whether a person checks what it states: then no sync makes it fresh.
fn is_of_cards(source: &SourceStatus) -> bool {
    source.kind == "cards"
}

fn page(source: &SourceStatus, known: Option<&SourceInfo>, history: &SourceHistory) -> Page {
    let name = values::shown(&source.name);
    let body = html! {
        p.soft { a href="/sources" { "Sources" } }
        h1 { (name) }
        p { (copied(&source.id)) " " (status(source.status)) }
        @if let Some(reason) = &source.disabled_reason { p.notice { (values::shown(reason)) } }
        @if let Some(error) = &source.error {
            p.notice { b.stale { "Last error" } " (" (values::words(&error.code)) @if let Some(at) = error.at { ", " (values::moment(&at.to_string())) } "): " (values::shown(&error.message)) }
        }
        @if let Some(known) = known.filter(|_| is_of_cards(source)) {
            p {
                "Its facts are cards, which a person checks. Each turns stale " (values::period(known.stale_after_secs.unsigned_abs())) " after the day that its card states as "
                code { "checked_on" } ", however often the files are read; only another check makes it fresh."
            }
        }
        (facts("Status", &about(source, known)))
        (runs(&history.runs))
        (rejects(&history.rejects))
    };
    let mut page = Page::new(Section::Sources, name, body);
    page.canonical = Some(Target::below("sources", &source.id));
    page.alternates =
        vec![Alternate { label: "JSON of all sources", media_type: JSON, target: Target::new("/v1/sources/status") }];
    page
}

fn about(source: &SourceStatus, known: Option<&SourceInfo>) -> [(&'static str, Markup); 17] {
    let attribution = known.and_then(|known| known.attribution.as_deref());
    let counts = &source.counts;
    let number = |value: usize| html! { (values::count(value)) };
    let told = |value: usize, words: &str| html! { (values::count(value)) @if value > 0 { span.soft { ": " (values::coded(words)) } } };
    [
        ("Address", values::outside(&source.url)),
        ("Connector", html! { (source.kind) }),
        ("License", source.license.as_ref().map_or_else(values::unknown, |license| html! { (values::shown(license)) })),
        ("Attribution", attribution.map_or_else(values::unknown, |text| html! { (values::shown(text)) })),
        ("States", html! { (states(source)) }),
        ("Last attempt", moment(source.last_attempt_at)),
        ("Last changed", moment(source.last_synced_at)),
        ("Last checked", moment(source.last_verified_at)),
        ("Next due", next_due(source)),
        ("Read every", html! { (values::period(source.interval_seconds)) }),
        ("Failures in a row", html! { (source.consecutive_failures) }),
        ("Facts", html! { (number(counts.total)) (items(source)) }),
        ("Stale facts", number(counts.stale)),
        ("Rejects", html! { @if counts.rejects > 0 { a href="#rejects" { (number(counts.rejects)) } } @else { "0" } }),
        ("Left out by name", told(counts.left_out, "entries that are not items; `refdesk sources show` names them")),
        (
            "Values not shown",
            told(
                counts.unshown,
                "values that no field can hold, such as a price below zero; `refdesk sources show` names them",
            ),
        ),
        ("Prices withheld", told(counts.withheld, "stated but not yet accepted; the pages of their models say so")),
    ]
}

/// The kinds of items that it states something of.
fn kinds(source: &SourceStatus) -> impl Iterator<Item = Kind> {
    source.types.iter().filter_map(|kind| Kind::parse(kind))
}

/// The same in words.
fn states(source: &SourceStatus) -> String {
    kinds(source).map(plural).collect::<Vec<_>>().join(", ")
}

/// The same as lists of these items.
fn items(source: &SourceStatus) -> Markup {
    html! {
        @if source.counts.total > 0 {
            @for kind in kinds(source) {
                " · " a href=(Target::new(format!("/{}", kind.path_segment())).with("source", &*source.id).href()) { (plural(kind)) }
            }
        }
    }
}

/// The strip of the last runs, the oldest first, with the same as a table.
fn runs(runs: &[SourceRun]) -> Markup {
    html! {
        h2 { "Last runs" }
        @if runs.is_empty() { p { "It was never run." } } @else {
            ol.strip aria-label="Last runs, the oldest first" {
                @for run in runs.iter().rev() {
                    li title={ (run.outcome) ", " (run.started_at) } { span aria-hidden="true" { (mark(run)) } span.hidden { (run.outcome) } }
                }
            }
            p.soft { "+ new facts, = still the same, ✗ failed, ! held back, · an operator." }
            (tabular("Runs", html! {
                (heads(&["Began", "Outcome"])) (number_heads(&["Seconds", "Added", "Changed", "Removed"])) (heads(&["Error"]))
            }, html! { @for run in runs { (run_row(run)) } }))
        }
    }
}

fn mark(run: &SourceRun) -> &'static str {
    match run.outcome {
        "updated" => "+",
        "confirmed" => "=",
        "failed" => "✗",
        "quarantined" => "!",
        _ => "·",
    }
}

fn run_row(run: &SourceRun) -> Markup {
    html! {
        tr {
            th scope="row" { (values::moment(&run.started_at.to_string())) }
            td { (run.outcome) }
            td.n { (run.duration_ms / 1000) "." (format!("{:03}", run.duration_ms % 1000)) }
            td.n { (values::count(run.added)) }
            td.n { (values::count(run.changed)) }
            td.n { (values::count(run.removed)) }
            td {
                @if let Some(error) = &run.error { b.stale { (values::words(&error.code)) } ": " (values::excerpt(&error.message, 300)) }
                @if let Some(note) = &run.note { (values::excerpt(note, 300)) }
            }
        }
    }
}

fn rejects(rejects: &[Reject]) -> Markup {
    html! {
        h2 #rejects { "Rejects" }
        @if rejects.is_empty() { p { "No rejected records." } } @else {
            p { "Rejected records, and why." @if rejects.len() > REJECTS_SHOWN_MAX { " The first " (REJECTS_SHOWN_MAX) " of " (rejects.len()) "." } }
            (tabular("Rejects", heads(&["Record", "Why", "Begins with"]), html! {
                @for reject in rejects.iter().take(REJECTS_SHOWN_MAX) {
                    tr { th scope="row" { (values::excerpt(&reject.key, 120)) } td { (values::coded(&reject.reason)) } td { @if reject.excerpt.trim().is_empty() { (values::unknown()) } @else { code { (values::excerpt(&reject.excerpt, 120)) } } } }
                }
            }))
        }
    }
}
