//! `sync`: takes sources into the store now, with a bar for each on a terminal and a table at the end.

use std::collections::{HashMap, HashSet};
use std::io::IsTerminal as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use indicatif::{HumanBytes, MultiProgress, ProgressBar, ProgressStyle};
use refdesk_core::parallel::locked;
use refdesk_ingest::fetch::FetchCode;
use refdesk_ingest::store::Accept;
use refdesk_ingest::sync::{Progress, Silent, SyncEvent, SyncReport, SyncResult, tell_unreached};

use super::settled;
use super::syncs::{self, AskedSyncs};
use crate::app::App;
use crate::cli;
use crate::config::{Config, key};
use crate::exit::Exit;
use crate::output::{self, Fit, Paint, Refusal, Rendered};

/// How often a bar turns.
const TICK: Duration = Duration::from_millis(100);

/// `refdesk sync`.
pub async fn run(config: Config, flags: &cli::Sync, json: bool) -> anyhow::Result<Exit> {
    are_known(&config, &named(flags))?;
    let passed_over = PassedOver::new(&config);
    let app = App::open(config).await?;
    let is_watched = std::io::stderr().is_terminal() && !json;
    let progress =
        |sources| -> Arc<dyn Progress> { if is_watched { Arc::new(Bars::new(sources)) } else { Arc::new(Silent) } };
    let reports = settled(&app.store, Box::pin(syncs::carry_out(&app, &asked(flags), &progress))).await?;
    if json {
        output::json(&serde_json::to_value(&reports)?);
    } else {
        table(&reports, &passed_over, !named(flags).is_empty()).print();
    }
    // Who names a source wants that one.
    let was_passed_over = |report: &SyncReport| matches!(report.result, SyncResult::Skipped { .. });
    let is_undone = !named(flags).is_empty() && reports.iter().any(was_passed_over);
    Ok(if is_undone || reports.iter().any(SyncReport::is_bad) { Exit::Failed } else { Exit::Done })
}

/// The sources that were named; none means all that are on.
fn named(flags: &cli::Sync) -> Vec<String> {
    [flags.sources.as_slice(), &flags.source, &flags.force].concat()
}

/// What the flags ask for: all that are on, unless some are named.
fn asked(flags: &cli::Sync) -> Vec<AskedSyncs> {
    let plain = AskedSyncs { ids: [flags.sources.as_slice(), &flags.source].concat(), accept: Accept::No };
    let forced = AskedSyncs { ids: flags.force.clone(), accept: Accept::Any };
    match (plain.ids.is_empty(), forced.ids.is_empty()) {
        (_, true) => vec![plain],
        (true, false) => vec![forced],
        (false, false) => vec![plain, forced],
    }
}

/// Refuses the id of a source that there is not.
fn are_known(config: &Config, ids: &[String]) -> anyhow::Result<()> {
    let known = || config.sources.iter().map(|source| source.id.as_str());
    let Some(id) = ids.iter().find(|id| known().all(|known| known != id.as_str())) else { return Ok(()) };
    let told = |near: &str, all: &str| format!("there is no source `{id}`{near}; the sources are {all}");
    Err(Refusal::unknown(Refusal::not_found, id, known(), told).into())
}

/// What a sync of all sources passes over as a matter of course.
struct PassedOver {
    /// Ids of the sources that are off.
    off: HashSet<String>,
    is_offline: bool,
}

impl PassedOver {
    fn new(config: &Config) -> Self {
        let off = config.sources.iter().filter(|source| !source.enabled).map(|source| source.id.clone()).collect();
        Self { off, is_offline: config.get(key::OFFLINE) }
    }

    /// The line that tells how many these were.
    fn told(&self, sources: usize) -> String {
        let (counted, are) = (output::counted(sources, "source"), if sources == 1 { "is" } else { "are" });
        let why = if self.is_offline { "off or not read offline" } else { "off" };
        format!("{counted} {are} {why}; `refdesk sources` lists them\n")
    }
}

/// One row a source; those that are off are left out unless they were named.
fn table(reports: &[SyncReport], passed_over: &PassedOver, named: bool) -> Rendered {
    let paint = Paint::for_stdout();
    let heads = [
        ("source", Fit::Whole),
        ("result", Fit::Whole),
        ("facts", Fit::Number),
        ("added", Fit::Number),
        ("changed", Fit::Number),
        ("removed", Fit::Number),
        ("seconds", Fit::OptionalNumber),
        ("rejects", Fit::OptionalNumber),
        ("pending prices", Fit::OptionalNumber),
        ("bytes", Fit::OptionalNumber),
    ];
    let mut rows = Vec::new();
    let mut told = String::new();
    let mut unreached = Vec::new();
    let mut skipped = 0;
    for report in reports {
        let result = match &report.result {
            SyncResult::Updated => paint.good("updated"),
            SyncResult::Confirmed => paint.good("unchanged"),
            SyncResult::Failed { error } if FetchCode::is_unreachable(&error.code) => {
                unreached.push((report.source_id.as_str(), error.message.as_str()));
                paint.bad("failed")
            }
            SyncResult::Failed { error } => {
                told.push_str(&format!("{}: {} ({})\n", report.source_id, error.message, error.code));
                paint.bad("failed")
            }
            SyncResult::Quarantined { error } => {
                told.push_str(&format!("{}: {} ({})\n", report.source_id, error.message, error.code));
                paint.warn("quarantined")
            }
            SyncResult::Skipped { reason } => {
                if named || !(passed_over.is_offline || passed_over.off.contains(&report.source_id)) {
                    told.push_str(&format!("{}: skipped, {reason}\n", report.source_id));
                } else {
                    skipped += 1;
                }
                continue;
            }
        };
        told.push_str(&doubts(report, named));
        let counts = &report.counts;
        let mut row = vec![report.source_id.clone(), result];
        row.extend([counts.facts, counts.added, counts.changed, counts.removed].map(output::grouped));
        row.push(format!("{:.1}", report.duration_ms as f64 / 1000.0));
        row.extend([counts.rejects, counts.pending].map(output::grouped));
        row.push(HumanBytes(report.bytes).to_string());
        rows.push(row);
    }
    told.extend(tell_unreached(&unreached).map(|line| line + "\n"));
    if skipped > 0 {
        told.push_str(&passed_over.told(skipped));
    }
    let mut out = if rows.is_empty() { Rendered::default() } else { output::columns(paint, &heads, rows) };
    out.text.push_str(&output::fold(&told, output::prose_width(), ""));
    out
}

/// What looks wrong about what a sync brought, a line for each. Rejects are told only for a source that was named, because its owner may ask:
/// public upstreams always have some, and nobody here can correct them.
fn doubts(report: &SyncReport, named: bool) -> String {
    let (id, counts) = (&report.source_id, &report.counts);
    let mut doubts = String::new();
    if counts.uncounted != 0 {
        doubts = format!(
            "{id}: {} items of the upstream are not accounted for; please report it (`refdesk sources show {id}` says what was left out)\n",
            counts.uncounted
        );
    }
    let went_well = matches!(report.result, SyncResult::Updated | SyncResult::Confirmed);
    if went_well && counts.facts == 0 && counts.rejects == 0 {
        doubts += &format!(
            "{id}: nothing was found there; is its `url` right? `refdesk sources show {id}` says what was left out\n"
        );
    }
    if named && counts.rejects > 0 {
        let rejects = output::counted(counts.rejects, "reject");
        doubts += &format!("{id}: {rejects}; `refdesk sources show {id} --rejects` says what to correct\n");
    }
    doubts
}

/// `12 of 30 requests`. One that is left is only the next page of how many nobody knows: `12 requests`.
fn told_requests(done: u64, pending: usize) -> String {
    let done = usize::try_from(done).unwrap_or(usize::MAX);
    match pending {
        0 | 1 => output::counted(done, "request"),
        _ => format!("{} of {}", output::grouped(done), output::counted(done.saturating_add(pending), "request")),
    }
}

/// A line for each source in flight, and one for all of them.
struct Bars {
    all: MultiProgress,
    done: ProgressBar,
    by_source: Mutex<HashMap<String, ProgressBar>>,
}

impl Bars {
    fn new(sources: usize) -> Self {
        let all = MultiProgress::new();
        let done = all.add(ProgressBar::new(sources as u64));
        if let Ok(style) = ProgressStyle::with_template("{pos} of {len} sources {bar:24} {elapsed}") {
            done.set_style(style);
        }
        Self { all, done, by_source: Mutex::default() }
    }

    fn with(&self, source_id: &str, change: impl FnOnce(&ProgressBar)) {
        let bars = locked(&self.by_source);
        if let Some(bar) = bars.get(source_id) {
            change(bar);
        }
    }
}

impl Progress for Bars {
    fn event(&self, event: SyncEvent<'_>) {
        match event {
            SyncEvent::Started { source_id, name } => {
                let bar = self.all.insert_before(&self.done, ProgressBar::new_spinner());
                if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix:32} {msg} {elapsed}") {
                    bar.set_style(style);
                }
                bar.set_prefix(name.to_owned());
                bar.enable_steady_tick(TICK);
                locked(&self.by_source).insert(source_id.to_owned(), bar);
            }
            SyncEvent::Fetched { source_id, requests, bytes, pending } => {
                let told = format!("{}, {}", told_requests(requests, pending), HumanBytes(bytes));
                self.with(source_id, |bar| bar.set_message(told));
            }
            SyncEvent::Parsed { source_id, facts, rejects } => {
                let told = format!("{}, {}", output::counted(facts, "fact"), output::counted(rejects, "reject"));
                self.with(source_id, |bar| bar.set_message(told));
            }
            SyncEvent::Finished(report) => {
                let bar = locked(&self.by_source).remove(&report.source_id);
                if let Some(bar) = bar {
                    bar.finish_and_clear();
                }
                self.done.inc(1);
                if self.done.position() >= self.done.length().unwrap_or_default() {
                    self.done.finish_and_clear();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::told_requests;

    #[test]
    fn a_total_is_told_where_it_is_known() {
        assert_eq!([told_requests(1, 0), told_requests(12, 1)], ["1 request", "12 requests"], "page after page");
        assert_eq!(told_requests(1_200, 18), "1,200 of 1,218 requests");
    }
}
