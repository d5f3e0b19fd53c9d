//! `config`, `doctor`, `man`, `frameworks lint`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use clap::CommandFactory as _;
use refdesk_catalog::segment::SEGMENT_FORMAT;
use refdesk_ingest::fetch::FetchCode;
use refdesk_ingest::store::{DatabaseSettings, Migrate, Store};
use refdesk_ingest::sync::{Silent, StatusWord, tell_unreached};
use refdesk_ingest::verify::{Scope, verify};
use serde_json::json;

use crate::app::App;
use crate::cli::Cli;
use crate::config::{self, Config};
use crate::exit::Exit;
use crate::output::{self, Paint};
use crate::reference;

/// `refdesk man`.
pub fn man(dir: &Path) -> anyhow::Result<Exit> {
    let told = || format!("{}: the manual pages cannot be written there; name another folder", dir.display());
    std::fs::create_dir_all(dir).with_context(told)?;
    clap_mangen::generate_to(Cli::command(), dir).with_context(told)?;
    Ok(Exit::Done)
}

/// `refdesk config init`: never overwrites.
pub fn config_init(file: Option<&Path>) -> anyhow::Result<Exit> {
    let file = file.map_or_else(|| PathBuf::from(config::FILE_NAME), Path::to_owned);
    config::file::create(&file, &reference::example())?;
    output::line(&format!("wrote {}", file.display()));
    Ok(Exit::Done)
}

/// `refdesk config show`: every value and where it came from. Credentials in URLs are not shown.
pub fn config_show(config: &Config, json: bool) -> Exit {
    let redact = refdesk_ingest::fetch::redact_text;
    let data_dir = config.data_dir().map(|dir| dir.display().to_string()).unwrap_or_default();
    let store = App::store_place(config);
    if json {
        let settings: serde_json::Map<String, serde_json::Value> = config
            .rows()
            .map(|(row, value, origin)| {
                (row.key.to_owned(), json!({"value": redact(value), "from": origin.to_string()}))
            })
            .collect();
        let sources: Vec<_> = config
            .sources
            .iter()
            .map(|source| {
                let mut shown = source.clone();
                shown.url = redact(&shown.url).clone();
                shown.options.values_mut().for_each(|value| *value = redact(value).clone());
                let mut shown = json!(shown);
                if let Some(token) = source.token() {
                    shown["token_set"] = json!(token.is_set());
                }
                shown
            })
            .collect();
        let file = config.file.as_ref().map(|file| file.display().to_string());
        let paths = json!({"config": file, "data_dir": data_dir, "store": store});
        output::json(&json!({"file": file, "paths": paths, "settings": settings, "sources": sources}));
        return Exit::Done;
    }
    let paint = Paint::for_stdout();
    let file = config
        .file
        .as_ref()
        .map_or_else(|| "none; defaults, environment and flags".into(), |file| file.display().to_string());
    let paths = [("configuration", file), ("data", data_dir), ("store", store)];
    output::line("paths");
    output::print(&output::table(&paths.map(|(name, path)| vec![format!("  {name}"), path])));
    output::line("\nsettings");
    let rows: Vec<Vec<String>> = config
        .rows()
        .map(|(row, value, origin)| {
            vec![format!("  {}", row.key), redact(value).clone(), paint.dim(&format!("({origin})"))]
        })
        .collect();
    output::print(&output::table(&rows));
    let rows: Vec<Vec<String>> = config
        .sources
        .iter()
        .map(|source| {
            let state = if source.enabled { paint.good("on") } else { paint.dim("off") };
            let token = source.token().map_or_else(String::new, |token| {
                format!(" (token of {}: {})", token.variable, if token.is_set() { "set" } else { "unset" })
            });
            vec![format!("  {}", source.id), source.connector.clone(), state, redact(&source.url) + &token]
        })
        .collect();
    output::line(&format!("\nsources ({})", rows.len()));
    output::print(&output::table(&rows));
    Exit::Done
}

/// `refdesk frameworks lint DIR`.
pub fn lint(dir: &Path, json: bool) -> anyhow::Result<Exit> {
    let findings = refdesk_ingest::lint::lint_frameworks(dir).with_context(|| dir.display().to_string())?;
    if json {
        output::json(&serde_json::to_value(&findings)?);
    } else {
        for finding in &findings {
            output::line(&finding.to_string());
        }
        let verdict =
            if findings.is_empty() { "no findings".to_owned() } else { output::counted(findings.len(), "finding") };
        output::say(&verdict);
    }
    Ok(if findings.is_empty() { Exit::Done } else { Exit::NotFound })
}

/// `refdesk migrate`: the schema of the database is brought up to date, whatever `database_migrate` says. With `finish` nodes of the version
/// before can no longer join.
pub async fn migrate(config: Config, finish: bool, json: bool) -> anyhow::Result<Exit> {
    let store = match App::database(&config)? {
        Some(database) => Store::open_url(&DatabaseSettings { migrate: Migrate::Auto, ..database }).await?,
        None => Store::open(&App::store_path(&config)?).await?,
    };
    if finish {
        store.set_min_version(env!("CARGO_PKG_VERSION")).await?;
        store.set_segment_format(i64::from(SEGMENT_FORMAT)).await?;
    }
    let head = store.head().await?;
    let place = store.place();
    if json {
        output::json(&json!({
            "store": place,
            "engine": store.engine(),
            "finished": finish,
            "min_version": head.min_version,
            "segment_format": head.segment_format,
        }));
    } else {
        let finished = if finish { "; only this version and later ones may use it from now on" } else { "" };
        output::line(&format!("the schema of {place} is up to date{finished}"));
    }
    Ok(Exit::Done)
}

/// `refdesk doctor`: one line a check.
pub async fn doctor(config: Config, json: bool) -> anyhow::Result<Exit> {
    let mut checks: Vec<(&str, Result<String, String>)> = Vec::new();
    let file = config
        .file
        .as_ref()
        .map_or_else(|| "no file; defaults, environment and flags".to_owned(), |file| file.display().to_string());
    checks.push(("configuration", Ok(file)));
    match App::open(config).await {
        Err(error) => checks.push(("store", Err(crate::app::told(&error)))),
        Ok(app) => {
            checks.push(("store", Ok(format!("{} ({})", app.store.place(), app.store.engine()))));
            let sound = app.store.check_integrity().await;
            checks.push(("integrity", sound.map(|()| "sound".to_owned()).map_err(|error| error.to_string())));
            let verified = verify(&app.store, &app.readers(), Scope::All).await;
            checks.push((
                "hashes",
                match verified {
                    Ok(report) if report.differences.is_empty() => Ok(format!(
                        "{}, all hashes right; values of {} compared with their records",
                        output::counted(report.checked, "fact"),
                        report.compared
                    )),
                    Ok(report) => Err(format!(
                        "{} of {} differ; `refdesk verify` lists them",
                        report.differences.len(),
                        report.checked
                    )),
                    Err(error) => Err(error.to_string()),
                },
            ));
            let snapshot = app.snapshot().await?;
            let stats = snapshot.stats();
            checks.push((
                "catalog",
                Ok(format!("{}, {} stale", output::counted(stats.total(), "item"), output::grouped(stats.stale()))),
            ));
            let statuses = app.engine(Arc::new(Silent))?.statuses().await?;
            let unreached = statuses.iter().filter(|source| source.enabled).filter_map(|source| {
                let error = source.error.as_ref().filter(|error| FetchCode::is_unreachable(&error.code))?;
                Some((source.id.as_str(), error.message.as_str()))
            });
            checks.extend(tell_unreached(&unreached.collect::<Vec<_>>()).map(|told| ("sources", Err(told))));
            for source in statuses {
                let id = source.id;
                match (source.status, source.error, source.disabled_reason) {
                    // It is no fault: the operator decides.
                    (StatusWord::Orphaned, _, reason) => {
                        let reason = reason.unwrap_or_default();
                        checks.push((
                            "source",
                            Ok(format!("{id}: orphaned, {}; {reason}", output::counted(source.counts.total, "fact"))),
                        ));
                    }
                    (_, Some(error), _) if source.enabled && !FetchCode::is_unreachable(&error.code) => {
                        checks.push(("source", Err(format!("{id}: {} ({})", error.message, error.code))));
                    }
                    _ => {}
                }
            }
        }
    }
    let well = checks.iter().all(|(_, result)| result.is_ok());
    if json {
        let checks: Vec<_> = checks.iter().map(|(name, result)| json!({"check": name, "ok": result.is_ok(), "detail": result.as_ref().map_or_else(Clone::clone, Clone::clone)})).collect();
        output::json(&json!({"ok": well, "checks": checks}));
    } else {
        let paint = Paint::for_stdout();
        let rows: Vec<Vec<String>> = checks
            .into_iter()
            .map(|(name, result)| match result {
                Ok(detail) => vec![paint.good("ok"), name.to_owned(), detail],
                Err(detail) => vec![paint.bad("fix"), name.to_owned(), detail],
            })
            .collect();
        output::print(&output::table(&rows));
    }
    Ok(if well { Exit::Done } else { Exit::NotFound })
}
