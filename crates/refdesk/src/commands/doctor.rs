//! `doctor`: whether a desk can start with this configuration and store, and what to do where it cannot. The checks of the settings are those
//! that `serve` begins with (`serve::faults`), so that what is green here starts there.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::source_status::{SourceStatus, StatusWord};
use refdesk_ingest::fetch::FetchCode;
use refdesk_ingest::store::StoreError;
use refdesk_ingest::sync::{Silent, tell_unreached};
use refdesk_ingest::verify::{Scope, Verification, verify};
use serde_json::json;

use super::export::read_otherwise;
use super::serve;
use crate::app::App;
use crate::background;
use crate::config::{Config, key};
use crate::exit::Exit;
use crate::output::{self, Paint, told};
use crate::service::Service;
use crate::{desk, semantic, skipped_rows};

/// The name of what is no fault and still worth doing.
const HINT: &str = "hint";

/// What a check found, or what to do.
type CheckResult = Result<String, String>;
/// The checks in the order in which they are shown.
type Checks = Vec<(&'static str, CheckResult)>;

/// `refdesk doctor`: one line a check.
pub async fn run(config: Config, json: bool) -> anyhow::Result<Exit> {
    let mut checks = of_configuration(&config).await;
    let can_start = checks.iter().all(|(_, found)| found.is_ok());
    match App::open(config).await {
        Err(error) => checks.push(("store", Err(told(&error)))),
        Ok(app) => of_store(&app, can_start, &mut checks).await,
    }
    let is_well = checks.iter().all(|(_, found)| found.is_ok());
    if json {
        let checks: Vec<_> = checks
            .iter()
            .map(|(name, found)| {
                json!({"check": name, "ok": found.is_ok(), "detail": found.as_ref().map_or_else(Clone::clone, Clone::clone)})
            })
            .collect();
        output::json(&json!({"ok": is_well, "checks": checks}));
    } else {
        let paint = Paint::for_stdout();
        let row = |(name, found): (&str, CheckResult)| match found {
            Ok(detail) if name == HINT => vec![String::new(), paint.warn(HINT), detail],
            Ok(detail) => vec![paint.good("ok"), name.to_owned(), detail],
            Err(detail) => vec![paint.bad("fix"), name.to_owned(), detail],
        };
        output::print(&output::table(&checks.into_iter().map(row).collect::<Vec<_>>()));
    }
    Ok(Exit::of_answer(is_well))
}

/// What can be said without the store.
async fn of_configuration(config: &Config) -> Checks {
    let mut faults = serve::faults(config).await;
    let mut taken = Vec::new();
    if faults.is_empty() {
        match serve::taken_addresses(config).await {
            Ok(addresses) => taken = addresses,
            Err(fault) => faults.push(fault),
        }
    }
    let mut checks: Checks = faults.iter().map(|fault| ("configuration", Err(told(fault)))).collect();
    if checks.is_empty() {
        let file = config.file.as_ref();
        let named = file
            .map_or_else(|| "no file; defaults, environment and flags".to_owned(), |file| file.display().to_string());
        checks.push(("configuration", Ok(named)));
    }
    // No fault: a desk that no command can ask, such as one of another host name, may be this one.
    if !taken.is_empty() && !Service::runs_at(config, &taken).await {
        let told = format!(
            "{} is taken, and not by a desk of this data directory that answers: `serve` starts there once it is free, or choose another \
             address with --listen, REFDESK_LISTEN or listen in the configuration file",
            config.get(key::LISTEN)
        );
        checks.push((HINT, Ok(told)));
    }
    if let Some(model) = config.get(key::EMBEDDING_MODEL) {
        let read = semantic::open(config).await;
        checks.push(("model", read.map(|_| model.display().to_string()).map_err(|error| told(&error))));
    }
    checks
}

/// What the store says. A check that fails ends none of the others.
async fn of_store(app: &App, can_start: bool, checks: &mut Checks) {
    checks.push(("store", Ok(format!("{} ({})", app.store.place(), app.store.engine()))));
    checks.push(("disk", of_disk(app).await));
    checks.push(("integrity", of_integrity(app).await));
    // Before the facts are counted: a new store has none until it has these.
    if let Err(error) = app.sync_bundled().await {
        checks.push(("bundled cards", Err(told(&error))));
    }
    of_hashes(app, checks).await;
    let snapshot = app.snapshot().await;
    checks.push(("catalog", snapshot.as_ref().map_err(told).and_then(|snapshot| of_catalog(snapshot))));
    // What it would refuse of the configuration stands above already.
    if let Ok(snapshot) = snapshot.as_ref()
        && can_start
    {
        checks.extend(of_desk(app, Arc::clone(snapshot)).await);
    }
    checks.extend(app.store.keys().await.err().map(|error| ("keys", Err(error.to_string()))));
    // After all that reads rows.
    checks.extend(skipped_rows::named(&app.store.unreadable()).into_iter().map(|told| ("rows", Err(told))));
    let statuses = statuses(app).await;
    if let (Ok(snapshot), Ok(statuses)) = (&snapshot, &statuses) {
        checks.extend(hint(snapshot, statuses).map(|hint| (HINT, Ok(hint))));
    }
    let missing = missing_places(&app.config);
    checks.extend(missing.values().map(|told| ("source", Err(told.clone()))));
    match statuses {
        Ok(statuses) => of_sources(statuses, &missing, checks),
        Err(error) => checks.push(("source", Err(told(&error)))),
    }
}

async fn statuses(app: &App) -> anyhow::Result<Vec<SourceStatus>> {
    Ok(app.engine(Arc::new(Silent))?.statuses().await?)
}

async fn of_integrity(app: &App) -> CheckResult {
    let checked = app.store.check_integrity().await;
    checked.map(|()| "sound".to_owned()).map_err(|error| match error {
        StoreError::Corrupt { .. } | StoreError::Damaged { .. } => {
            format!("{error}; `refdesk export` may still save what can be read")
        }
        error => error.to_string(),
    })
}

/// What only `serve` opens. An item that a collection names may come while a source was never synced; until then the collection lacks it.
async fn of_desk(app: &App, snapshot: Arc<Snapshot>) -> Checks {
    match desk::open(app, snapshot).await {
        Err(error) => vec![("configuration", Err(told(&error)))],
        Ok(desk) => {
            let unknown = desk.unknown_members().into_iter();
            unknown
                .map(|member| (HINT, Ok(format!("{member}; if no sync brings it, correct `ids` and `exclude`"))))
                .collect()
        }
    }
}

/// What a desk that was never filled lacks: it is well, and knows only what it came with.
fn hint(snapshot: &Snapshot, statuses: &[SourceStatus]) -> Option<String> {
    let never = statuses.iter().filter(|source| source.enabled && source.status == StatusWord::Never).count();
    if never == 0 {
        return None;
    }
    let stale = match snapshot.stats().stale() {
        0 => String::new(),
        stale => format!(
            ", and {} of {} are stale",
            output::grouped(stale),
            output::counted(snapshot.stats().total(), "item")
        ),
    };
    let were = if never == 1 { "was" } else { "were" };
    Some(format!("{} {were} never synced{stale}: run `refdesk sync`", output::counted(never, "source")))
}

/// Whether the store and the data directory take a few bytes, and the disk has room for more.
async fn of_disk(app: &App) -> CheckResult {
    app.store.probe(true).await.map_err(|error| error.to_string())?;
    let dir = app.config.data_dir().map_err(|error| error.to_string())?;
    takes_a_file(&dir)?;
    let room_min = app.config.get(key::DISK_FREE_BYTES_MIN) as u64;
    background::nearly_full(&app.store, room_min).map_or_else(
        || Ok(format!("{} can be written", dir.display())),
        |fault| Err(format!("{}: {fault}", dir.display())),
    )
}

fn takes_a_file(dir: &Path) -> Result<(), String> {
    let written = tempfile::tempfile_in(dir).and_then(|mut file| std::io::Write::write_all(&mut file, b"refdesk"));
    written.map_err(|error| {
        format!(
            "{} cannot be written ({error}); make room, give it to this user, or choose another with --data-dir or REFDESK_DATA_DIR",
            dir.display()
        )
    })
}

async fn of_hashes(app: &App, checks: &mut Checks) {
    match verify(&app.store, &app.readers(), Scope::All).await {
        Err(error) => checks.push(("hashes", Err(error.to_string()))),
        Ok(report) => {
            checks.push(("hashes", verified(&report)));
            checks.extend(read_otherwise(&report).map(|told| (HINT, Ok(told))));
        }
    }
}

fn verified(report: &Verification) -> CheckResult {
    let checked = output::counted(report.checked, "fact");
    if report.differences.is_empty() {
        let compared = output::grouped(report.compared);
        return Ok(format!(
            "{checked}, every hash is right; the values of {compared} were compared with their records"
        ));
    }
    Err(format!(
        "{} of {checked} differ; `refdesk verify` lists them. Import an export that was good, or `refdesk sources remove` their source and sync it again",
        output::grouped(report.differences.len())
    ))
}

fn of_catalog(snapshot: &Snapshot) -> CheckResult {
    let stats = snapshot.stats();
    if stats.total() == 0 {
        return Err(
            "it is empty, so that /health and /readyz answer 503: `refdesk sources` says why, `refdesk sync` fills it"
                .into(),
        );
    }
    Ok(format!("{}, {} stale", output::counted(stats.total(), "item"), output::grouped(stats.stale())))
}

/// The sources that are on and whose local file or folder is not there, each with what to do.
fn missing_places(config: &Config) -> BTreeMap<String, String> {
    let missing = config.sources.iter().filter(|source| source.enabled && !source.is_remote()).filter_map(|source| {
        let url = source.target_url(&config.base_dir()).ok().filter(|url| url.scheme() == "file")?;
        let path = url.to_file_path().ok().filter(|path| matches!(path.try_exists(), Ok(false)))?;
        let id = &source.id;
        let told = format!(
            "{id}: {} is missing, so there is nothing to sync; make it, correct `url` of the source, or `refdesk sources disable {id}`",
            path.display()
        );
        Some((id.clone(), told))
    });
    missing.collect()
}

/// What the last syncs left behind; nothing more of those whose place is `missing`.
fn of_sources(statuses: Vec<SourceStatus>, missing: &BTreeMap<String, String>, checks: &mut Checks) {
    let unreached = statuses.iter().filter(|source| source.enabled).filter_map(|source| {
        let error = source.error.as_ref().filter(|error| FetchCode::is_unreachable(&error.code))?;
        Some((source.id.as_str(), error.message.as_str()))
    });
    checks.extend(tell_unreached(&unreached.collect::<Vec<_>>()).map(|told| ("upstreams", Err(told))));
    for source in statuses.into_iter().filter(|source| !missing.contains_key(&source.id)) {
        let id = source.id;
        match (source.status, source.error, source.disabled_reason) {
            // It is no fault: the operator decides.
            (StatusWord::Orphaned, _, reason) => {
                let facts = output::counted(source.counts.total, "fact");
                checks.push(("source", Ok(format!("{id}: orphaned, {facts}; {}", reason.unwrap_or_default()))));
            }
            (status, Some(error), _) if source.enabled && !FetchCode::is_unreachable(&error.code) => {
                // Why a state is held back says already who takes it.
                let remedy = match status {
                    StatusWord::Quarantined => String::new(),
                    _ => format!("; `refdesk sources show {id}` shows details, `refdesk sync {id}` tries again"),
                };
                checks.push(("source", Err(format!("{id}: {} ({}){remedy}", error.message, error.code))));
            }
            _ => {}
        }
    }
}
