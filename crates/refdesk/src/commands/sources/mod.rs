//! `sources` and `sources show`: the status of every source, what was rejected and why.

mod add;
mod review;
mod switch;

use std::sync::Arc;

use refdesk_core::Reject;
use refdesk_core::fact::{StoredFact, Verdict};
use refdesk_core::source_status::{SourceStatus, StatusWord};
use refdesk_ingest::fetch::FetchCode;
use refdesk_ingest::store::Run;
use refdesk_ingest::sync::{Silent, tell_unreached};
use refdesk_serve::api::sources::{SourcesAnswer, sources_answer};
use serde_json::json;

use super::settled;
use crate::app::{App, now};
use crate::background::{Refreshing, unreached};
use crate::cli::{self, ReviewCommand, SourcesCommand};
use crate::config::{Config, key};
use crate::exit::Exit;
use crate::output::{self, Fit, Paint, Refusal};
use crate::view;

/// How much of a reject's key is shown to people.
const KEY_SHOWN_CHARS: usize = 300;

/// Runs that `sources show` lists.
const RUNS_SHOWN: u32 = 10;

/// `refdesk sources`.
pub async fn run(config: Config, flags: cli::Sources, json: bool) -> anyhow::Result<Exit> {
    if let Some(SourcesCommand::Add(added)) = &flags.command {
        return add::add(&config, added, json);
    }
    let app = App::open(config).await?;
    app.sync_bundled().await?;
    let store = app.store.clone();
    let work = async {
        match flags.command {
            // Done above: it needs no store.
            None | Some(SourcesCommand::Add(_)) => list(&app, json).await,
            Some(SourcesCommand::Show { id, rejects }) => show(&app, &id, rejects, json).await,
            Some(SourcesCommand::Disable { id }) => switch::switch(app, &id, false, json).await,
            Some(SourcesCommand::Enable { id }) => switch::switch(app, &id, true, json).await,
            Some(SourcesCommand::Review { verdict: None, source }) => review::list(&app, source.as_deref(), json).await,
            Some(SourcesCommand::Review { verdict: Some(ReviewCommand::Accept(what)), .. }) => {
                review::decide(&app, Verdict::Accepted, &what, json).await
            }
            Some(SourcesCommand::Review { verdict: Some(ReviewCommand::Refuse(what)), .. }) => {
                review::decide(&app, Verdict::Refused, &what, json).await
            }
            Some(SourcesCommand::Remove { id, yes }) => switch::remove(app, &id, yes, json).await,
        }
    };
    settled(&store, Box::pin(work)).await
}

/// The status of every source: the answer of `/v1/sources/status`.
async fn stand(app: &App) -> anyhow::Result<SourcesAnswer> {
    let statuses = app.engine(Arc::new(Silent))?.statuses().await?;
    let snapshot = app.snapshot().await?;
    let unreached =
        if app.config.get(key::OFFLINE) { String::new() } else { unreached(&app.config.sources, &statuses) };
    let refreshing = format!("{} {unreached}", Refreshing::seen_by_command(&app.config, &app.store).told());
    Ok(sources_answer(statuses, snapshot.stats(), refreshing.trim_end(), now()))
}

async fn list(app: &App, json: bool) -> anyhow::Result<Exit> {
    let answer = stand(app).await?;
    if json {
        output::json(&serde_json::to_value(&answer)?);
        return Ok(Exit::Done);
    }
    let statuses = answer.sources;
    let paint = Paint::for_stdout();
    let mut heads = vec![
        ("source", Fit::Whole),
        ("status", Fit::Whole),
        ("facts", Fit::Number),
        ("verified", Fit::Whole),
        ("next", Fit::Optional),
        ("rejects", Fit::OptionalNumber),
        ("withheld", Fit::OptionalNumber),
        ("quarantined", Fit::OptionalNumber),
        ("uncounted", Fit::OptionalNumber),
        ("left out", Fit::OptionalNumber),
        ("connector", Fit::Optional),
    ];
    // In any width: else what was verified lately looks fresh.
    let has_stale = statuses.iter().any(|status| status.counts.stale > 0);
    let at = BEHIND_FACTS;
    heads.splice(at..at, has_stale.then_some(("stale", Fit::Number)));
    let mut rows = Vec::new();
    let mut told = String::new();
    let (mut unreached, mut off) = (Vec::new(), Vec::new());
    for status in &statuses {
        let mut cells = row(paint, status);
        cells.splice(at..at, has_stale.then(|| output::grouped(status.counts.stale)));
        rows.push(cells);
        match &status.error {
            Some(error) if status.enabled && FetchCode::is_unreachable(&error.code) => {
                unreached.push((status.id.as_str(), error.message.as_str()));
            }
            _ if status.status == StatusWord::Disabled && status.disabled_reason.is_some() => off.push(status),
            _ => told.push_str(&reason(status)),
        }
    }
    told.push_str(&why_off(&off));
    told.extend(tell_unreached(&unreached).map(|line| output::fold(&line, output::prose_width(), "")));
    let mut out = output::columns(paint, &heads, rows);
    out.text.push_str(&told);
    out.print();
    Ok(Exit::Done)
}

/// The place of the column that only a desk with stale facts has.
const BEHIND_FACTS: usize = 3;

/// A source in the columns of [`list`].
fn row(paint: Paint, status: &SourceStatus) -> Vec<String> {
    vec![
        status.id.clone(),
        view::source_state(paint, status.status),
        output::grouped(status.counts.total),
        view::moment_or_dash(status.last_verified_at),
        match status.next_due_at {
            _ if !status.enabled => "-".into(),
            // One that was never synced is due, too.
            at if at.is_none_or(|at| at <= now()) => "due".into(),
            at => view::moment_or_dash(at),
        },
        output::grouped(status.counts.rejects),
        output::grouped(status.counts.withheld),
        output::grouped(status.counts.quarantined),
        match status.counts.uncounted {
            0 => "0".to_owned(),
            off => paint.bad(&off.to_string()),
        },
        output::grouped(status.counts.left_out),
        status.kind.clone(),
    ]
}

/// Why a source is off or in trouble, on a line of its own.
fn reason(status: &SourceStatus) -> String {
    let told = match (&status.error, &status.disabled_reason) {
        (Some(error), _) if status.enabled => format!("{}: {} ({})", status.id, error.message, error.code),
        (_, Some(reason)) if status.status == StatusWord::Orphaned => format!("{}: {reason}", status.id),
        (_, Some(reason)) if !status.enabled => format!("{}: disabled, {reason}", status.id),
        _ => return String::new(),
    };
    output::fold(&told, output::prose_width(), "")
}

/// Why sources are off: of one in its words, of several where each says it. Seven ship so, and their reasons are longer than the table.
fn why_off(off: &[&SourceStatus]) -> String {
    if let [one] = off {
        return reason(one);
    }
    let ids: Vec<&str> = off.iter().map(|status| status.id.as_str()).collect();
    if ids.is_empty() {
        return String::new();
    }
    let told = format!(
        "{} sources are disabled ({}); `refdesk sources show ID` says why, `refdesk sources enable ID` switches one on",
        ids.len(),
        ids.join(", ")
    );
    output::fold(&told, output::prose_width(), "")
}

/// That no source has an id: an answer to a question, and an error of what would change something.
fn unknown(id: &str, statuses: &[SourceStatus]) -> Refusal {
    let known = statuses.iter().map(|status| status.id.as_str());
    let told = |near: &str, _: &str| format!("no source has the id {id:?}{near}; `refdesk sources` lists them");
    Refusal::unknown(Refusal::not_found, id, known, told)
}

/// An address of a fact that is none.
#[derive(serde::Serialize)]
struct FactUrl {
    key: String,
    path: String,
    value: String,
}

/// Most rejected addresses that `sources show` lists.
const REJECTED_URLS_SHOWN: usize = 50;

fn rejected_urls(facts: &[StoredFact]) -> Vec<FactUrl> {
    let of = |fact: &StoredFact| {
        let (key, rejected) = (fact.key.clone(), refdesk_catalog::resolve::urls::rejected_of(fact));
        rejected.into_iter().map(move |url| FactUrl { key: key.clone(), path: url.path, value: url.value })
    };
    let living = facts.iter().filter(|fact| fact.standing.removed_at.is_none());
    living.flat_map(of).take(REJECTED_URLS_SHOWN).collect()
}

async fn show(app: &App, id: &str, with_rejects: bool, json: bool) -> anyhow::Result<Exit> {
    let statuses = stand(app).await?.sources;
    let Some(status) = statuses.iter().find(|status| status.id == id) else {
        return Ok(output::missing(&unknown(id, &statuses)));
    };
    let rejects = app.store.rejects(id).await?;
    let rejected_urls = rejected_urls(&app.store.source_facts(id).await?);
    let runs = app.store.runs(id, RUNS_SHOWN).await?;
    let state = app.store.source_state(id).await?;
    let (left_out, unshown) = (state.ignored, state.unshown);
    if json {
        output::json(&json!({
            "source": status, "rejects": rejects, "left_out": left_out, "unshown": unshown, "runs": runs,
            "rejected_urls": rejected_urls
        }));
        return Ok(Exit::Done);
    }
    let paint = Paint::for_stdout();
    output::print(&view::source(paint, status));
    for (title, named) in [("left out", &left_out), ("values that no field shows", &unshown)] {
        if !named.is_empty() {
            let row = |(name, count): (&String, &usize)| vec![output::grouped(*count), name.clone()];
            let rows = named.iter().map(row).collect();
            output::print("\n");
            output::columns(paint, &[("count", Fit::Number), (title, Fit::Folded)], rows).print();
        }
    }
    if !rejected_urls.is_empty() {
        let rows: Vec<Vec<String>> =
            rejected_urls.iter().map(|url| vec![url.key.clone(), url.path.clone(), url.value.clone()]).collect();
        let told = "warning: values of address fields that are not http or https addresses; they are shown as text";
        let told = output::fold(told, output::prose_width(), "");
        output::print(&format!("\n{}\n{}", paint.warn(told.trim_end()), output::table(&rows)));
    }
    show_runs(paint, &runs)?;
    show_rejects(paint, &rejects, with_rejects);
    Ok(Exit::Done)
}

/// The last runs of a source, a row for each.
fn show_runs(paint: Paint, runs: &[Run]) -> anyhow::Result<()> {
    let heads = [
        ("started", Fit::Whole),
        ("outcome", Fit::Whole),
        ("added", Fit::Number),
        ("changed", Fit::Number),
        ("removed", Fit::Number),
        ("requests", Fit::OptionalNumber),
        ("unmodified", Fit::OptionalNumber),
        ("ms", Fit::OptionalNumber),
    ];
    let mut rows = Vec::new();
    for run in runs {
        let outcome = serde_json::to_value(run.outcome)?;
        let numbers = [
            run.counts.added as u64,
            run.counts.changed as u64,
            run.counts.removed as u64,
            run.requests,
            run.not_modified,
            run.duration_ms,
        ];
        let started = view::moment_or_dash(Some(run.started_at));
        let mut row = vec![started, outcome.as_str().unwrap_or_default().to_owned()];
        row.extend(numbers.map(output::grouped));
        rows.push(row);
    }
    output::print("\n");
    output::columns(paint, &heads, rows).print();
    Ok(())
}

/// What of a source could not be taken: how much, or each with its reason.
fn show_rejects(paint: Paint, rejects: &[Reject], all: bool) {
    if all {
        output::line(&format!("\n{}", output::counted(rejects.len(), "reject")));
        for reject in rejects {
            // The head has the key already.
            let reason = reject.reason.strip_prefix(&format!("{}: ", reject.key)).unwrap_or(&reject.reason);
            let reason = output::fold(&refdesk_core::clean::line(reason), output::prose_width() - 4, "    ");
            output::line(&format!(
                "{}\n{}",
                paint.strong(&refdesk_core::clean::excerpt(&reject.key, KEY_SHOWN_CHARS)),
                reason.trim_end()
            ));
        }
    } else if !rejects.is_empty() {
        output::line(&format!("\n{}; --rejects lists them", output::counted(rejects.len(), "reject")));
    }
}
