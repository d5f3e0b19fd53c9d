//! All default sources through the engine, from recorded upstreams into an empty store, twice.
//!
//! Runs where `REFDESK_REPLAY` is the address of a running replay of the recordings (`http://127.0.0.1:9900`); elsewhere it says
//! nothing. The counts of each source are the connectors' tests; here the engine's promises are checked over all of them.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a failing unwrap is a failing test; --nocapture shows the table"
)]

use refdesk_core::Kind;
use std::path::PathBuf;
use std::time::Instant;

use refdesk_ingest::config::{SourceConfig, default_sources};
use refdesk_ingest::store::Store;
use refdesk_ingest::sync::{Engine, EngineOptions, SyncReport, SyncResult};
use refdesk_ingest::verify::{Readers, Scope, verify};
use refdesk_ingest::{archive, generation};

/// Recordings whose name is not that of the source.
const NAMES: [(&str, &str); 4] = [
    ("huggingface", "hf-models"),
    ("docker-mcp", "docker-mcp-registry"),
    ("mcp-servers-data", "awesome-mcp-servers-data"),
    ("mental-models", "hummbl-base120"),
];

fn replayed(mut source: SourceConfig, replay: &str) -> SourceConfig {
    let name = NAMES.iter().find(|(id, _)| *id == source.id).map_or(source.id.as_str(), |(_, name)| name);
    if let Some(rest) = source.url.strip_prefix("https://") {
        source.url = format!("{replay}/{name}/{}", rest.replace("limit=100&full", "limit=40&full"));
    }
    source.enabled = !source.id.starts_with("composio");
    source
}

fn show(report: &SyncReport) {
    let counts = &report.counts;
    eprintln!(
        "{:<26} {:<30} upstream {:>5} facts {:>5} versions {:>5} rejects {:>4} ignored {:>4} unchanged {:>5} {:>6} ms {:>9} bytes {:>4} requests",
        report.source_id,
        format!("{:?}", report.result).chars().take(120).collect::<String>(),
        counts.items_upstream,
        counts.facts,
        counts.versions,
        counts.rejects,
        counts.ignored,
        counts.unchanged,
        report.duration_ms,
        report.bytes,
        report.requests,
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn every_recording_syncs_nothing_is_lost_and_a_second_sync_transfers_nothing() {
    let Ok(replay) = std::env::var("REFDESK_REPLAY") else { return };
    let sources: Vec<SourceConfig> =
        default_sources().unwrap().into_iter().map(|source| replayed(source, replay.trim_end_matches('/'))).collect();
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("catalog.sqlite3")).await.unwrap();
    let engine = Engine::new(store.clone(), sources.clone(), EngineOptions::default()).unwrap();

    let begun = Instant::now();
    let first = engine.sync_all(None, &[]).await.unwrap();
    eprintln!("first sync of all in {:?}", begun.elapsed());
    first.iter().for_each(show);
    for report in first.iter().filter(|report| !matches!(report.result, SyncResult::Skipped { .. })) {
        assert_eq!(report.result, SyncResult::Updated, "{}", report.source_id);
        let counts = &report.counts;
        assert_eq!(counts.items_upstream, counts.facts + counts.versions + counts.rejects, "{}", report.source_id);

        // The recording of skills-wellknown has the index only; its pages are rejects.
        assert!(counts.facts + counts.rejects > 0, "{}", report.source_id);
    }
    let before = store.facts(&Kind::ALL).await.unwrap();

    let begun = Instant::now();
    let second = engine.sync_all(None, &[]).await.unwrap();
    eprintln!("second sync of all in {:?}", begun.elapsed());
    for report in second.iter().filter(|report| !matches!(report.result, SyncResult::Skipped { .. })) {
        assert_eq!(report.result, SyncResult::Confirmed, "{}", report.source_id);
        // Only the short texts of pages that are missing come again: a 404 has no validator.
        assert!(report.bytes < 200, "{} transferred {} bytes", report.source_id, report.bytes);
    }
    let after = store.facts(&Kind::ALL).await.unwrap();
    assert_eq!(before.len(), after.len());
    for (before, after) in before.iter().zip(after) {
        assert_eq!((&before.key, &before.head, &before.fields), (&after.key, &after.head, &after.fields));
    }

    let begun = Instant::now();
    let verification = verify(&store, &Readers::default(), Scope::All).await.unwrap();
    eprintln!("{} facts verified in {:?}", verification.checked, begun.elapsed());
    assert_eq!((verification.checked, verification.differences), (before.len(), Vec::new()));

    let begun = Instant::now();
    let path: PathBuf = folder.path().join("catalog.tar.zst");
    archive::export(
        &store,
        &sources,
        std::fs::File::create(&path).unwrap(),
        engine.now(),
        archive::ExportOptions::default(),
    )
    .await
    .unwrap();
    let bytes = std::fs::metadata(&path).unwrap().len();
    eprintln!("exported {bytes} bytes in {:?}", begun.elapsed());
    let other = Store::open_in_memory().await.unwrap();
    let begun = Instant::now();
    archive::import(&other, std::fs::File::open(&path).unwrap()).await.unwrap();
    eprintln!("imported in {:?}", begun.elapsed());
    assert_eq!(store.facts(&Kind::ALL).await.unwrap(), other.facts(&Kind::ALL).await.unwrap());
    assert_eq!(generation::load(&other, &[], engine.now()).await.unwrap().facts.len(), before.len());
}
