//! What `serve` tells a person when it answers, on stderr: where things are, what is in the catalog and how old, what is limited, what is
//! synced. The first line of stdout stays the address alone, for programs.

use std::net::SocketAddr;

use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_ingest::sync::Engine;

use crate::app::{App, now};
use crate::config::{Config, key, table::Key, values::LogFormat};
use crate::output::{self, counted};
use crate::service::on_this_machine;

/// The address of the web page, as somebody on this machine opens it.
pub fn page_url(config: &Config, address: SocketAddr) -> String {
    let base_url = config.get(key::BASE_URL).trim_end_matches('/');
    if !base_url.is_empty() {
        return format!("{base_url}/");
    }
    format!("http://{}/", on_this_machine(address))
}

/// Who syncs the sources of a desk.
#[derive(Debug, Clone, Copy)]
pub enum Syncer {
    /// This process.
    This,
    /// Another process of this data directory.
    OtherProcess,
    /// The node that leads, out of several.
    Leader,
}

/// Tells it, unless the log is for programs: then stderr is. `engine` says what is due, `by` who syncs it.
pub async fn announce(
    app: &App,
    snapshot: &Snapshot,
    address: SocketAddr,
    engine: &Engine,
    by: Syncer,
) -> anyhow::Result<()> {
    if app.config.get(key::LOG_FORMAT) == LogFormat::Json {
        return Ok(());
    }
    let url = page_url(&app.config, address);
    let file = app.config.file.as_ref().map_or_else(|| "no file".to_owned(), |file| output::whole_path(file));
    let mut rows = vec![("catalog", catalog(snapshot))];
    if app.config.get(key::WEB) {
        rows.push(("web page", url.clone()));
    }
    rows.extend([
        ("API", format!("{url}docs")),
        ("MCP", format!("{url}mcp")),
        ("data", output::whole_path(&app.config.data_dir()?)),
        ("settings", format!("{file}; `refdesk config show` lists all")),
        ("limits", limits(&app.config)),
        ("sources", sources(app, engine, by).await),
    ]);
    let rows: Vec<Vec<String>> = rows.into_iter().map(|(name, text)| vec![name.to_owned(), text]).collect();
    output::say_table(&rows);
    Ok(())
}

/// `16,312 items: 2,356 models, …; 812 stale, oldest check 2026-06-13`.
fn catalog(snapshot: &Snapshot) -> String {
    let stats = snapshot.stats();
    let kinds = Kind::ALL.iter().map(|kind| (*kind, stats.by_kind[kind.index()].0)).filter(|(_, count)| *count > 0);
    let kinds: Vec<String> = kinds.map(|(kind, count)| counted(count, kind.label())).collect();
    if kinds.is_empty() {
        return "empty; `refdesk sources` and /health say why".to_owned();
    }
    let mut told = format!("{}: {}", counted(stats.total(), "item"), kinds.join(", "));
    if let Some(oldest) = stats.verified.oldest_of_item {
        let day = oldest.to_string();
        told.push_str(&format!(
            "; {} stale, oldest check {}",
            output::grouped(stats.stale()),
            day.get(..10).unwrap_or(&day)
        ));
    }
    told
}

fn limits(config: &Config) -> String {
    let per_minute = |key: Key<usize>, whom: &str| match config.count32(key) {
        0 => format!("no limit for {whom}"),
        limit => format!("{} calls a minute for {whom}", output::grouped(limit)),
    };
    let mut told = format!(
        "{}, {}",
        per_minute(key::RATE_LIMIT_ANON, "each address"),
        per_minute(key::RATE_LIMIT_KEY, "each key")
    );
    if !config.is_set(key::RATE_LIMIT_ANON) {
        told.push_str("; no limit on this machine");
    }
    if !config.get(key::REDIS_URL).is_empty() {
        told.push_str(&format!("; counted in Redis over all nodes of {}", config.get(key::DEPLOYMENT)));
    }
    if config.get(key::REQUIRE_KEY) {
        let is_open = config.get(key::WEB) && config.get(key::WEB_OPEN);
        let who = if is_open { "REST and MCP need a key, the web page is open" } else { "every caller needs a key" };
        told.push_str(&format!("; {who}"));
    }
    told
}

async fn sources(app: &App, engine: &Engine, by: Syncer) -> String {
    let sources = engine.sources();
    let on = sources.iter().filter(|source| source.enabled).count();
    let switched = format!("{on} of {} on", sources.len());
    if app.config.get(key::OFFLINE) {
        return format!("{switched}; offline: only local ones are read");
    }
    if !app.config.get(key::SYNC) {
        return format!("{switched}; sync = false: nothing is synced");
    }
    // A store that cannot be read is told of by its watch.
    let due = engine.due().await.map_or(0, |due| due.len());
    if due > 0 {
        let (are, them) = if due == 1 { ("is", "it") } else { ("are", "them") };
        let synced = match by {
            Syncer::This => " and synced in the background; `refdesk sources` follows",
            Syncer::OtherProcess => ", and another process of this data directory syncs",
            Syncer::Leader => ", and the node that leads syncs",
        };
        return format!("{switched}; {due} {are} due{synced} {them}");
    }
    let next = engine.next_due(&std::collections::BTreeSet::new()).await.ok().flatten();
    let minutes = next.map(|next| usize::try_from(next.secs_since(now()) / 60).unwrap_or(0));
    match minutes {
        Some(0) => format!("{switched}; the next sync is due within a minute"),
        Some(minutes) if minutes < 120 => format!("{switched}; the next sync is due in {}", counted(minutes, "minute")),
        Some(minutes) => format!("{switched}; the next sync is due in {}", counted(minutes.div_ceil(60), "hour")),
        None => switched,
    }
}
