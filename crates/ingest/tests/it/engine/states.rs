//! When a source is due, which sources are synced, and what is told of it.

use std::sync::Arc;
use std::time::Duration;

use super::{DAY, Desk, START};
use crate::support::{HandClock, find_toy, page};
use refdesk_core::source_status::StatusWord;
use refdesk_ingest::config::{SourceConfig, Span};
use refdesk_ingest::generation;
use refdesk_ingest::store::{Accept, RunOutcome, Store};
use refdesk_ingest::sync::{Engine, EngineOptions, Progress, SyncResult};
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

/// With the default share of six hours a source would start up to 20 s late; six that all start within 8 are no luck.
#[tokio::test]
async fn without_jitter_what_is_due_is_started_at_once() {
    let mut desks = Vec::new();
    for _ in 0..6 {
        let desk = Desk::tuned(|_, options| options.jitter_percent = 0).await;
        desk.lists(&page(&["a"])).await;
        desks.push(desk);
    }
    let deadline = std::time::Instant::now() + Duration::from_secs(8);
    for desk in &desks {
        tokio::spawn(refdesk_ingest::schedule::run_schedule(desk.engine.clone(), std::future::pending()));
    }
    for desk in &desks {
        while desk.status().await.0 == StatusWord::Never {
            assert!(std::time::Instant::now() < deadline, "it was not started at once");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test]
async fn a_stored_time_ahead_of_the_clock_is_absent_and_the_source_is_due_at_once() {
    let desk = Desk::new().await;
    desk.lists(&page(&["a"])).await;
    desk.sync().await;
    assert!(desk.engine.due().await.unwrap().is_empty());
    desk.clock.pass(-200);
    assert!(desk.engine.due().await.unwrap().is_empty(), "clocks differ by minutes");
    desk.clock.pass(-30 * DAY);
    let status = desk.engine.statuses().await.unwrap().remove(0);
    assert_eq!((status.last_attempt_at, status.last_synced_at, status.last_verified_at), (None, None, None));
    assert_eq!((status.next_due_at, status.refresh_due), (None, true));
    assert_eq!(desk.engine.due().await.unwrap(), ["toys"]);
    desk.sync().await;
    let status = desk.engine.statuses().await.unwrap().remove(0);
    assert_eq!(status.last_verified_at, Some(desk.clock.now()));
    assert!(desk.engine.due().await.unwrap().is_empty());
}

#[tokio::test]
async fn facts_of_a_source_that_is_switched_off_are_not_in_the_catalog_until_it_is_on_again() {
    let desk = Desk::new().await;
    desk.lists(&page(&["a"])).await;
    desk.sync().await;
    let mut sources = desk.engine.sources().to_vec();
    let shown = async |sources: &[SourceConfig]| {
        generation::load(desk.engine.store(), sources, desk.clock.now()).await.unwrap().facts.len()
    };
    assert_eq!(shown(&sources).await, 1);
    sources[0].enabled = false;
    desk.engine.switch(&sources);
    assert_eq!(shown(&desk.engine.sources()).await, 0);
    assert_eq!(desk.status().await.0, StatusWord::Disabled);
    assert!(matches!(desk.sync().await.result, SyncResult::Skipped { .. }));
    sources[0].enabled = true;
    desk.engine.switch(&sources);
    assert_eq!(shown(&desk.engine.sources()).await, 1);
}

#[tokio::test]
async fn failures_wait_longer_each_time_and_never_longer_than_the_interval() {
    let desk = Desk::new().await;
    desk.upstream(ResponseTemplate::new(500)).await;
    let mut waits = Vec::new();
    for _ in 0..11 {
        desk.sync().await;
        let due = desk.engine.statuses().await.unwrap()[0].next_due_at.unwrap();
        waits.push(due.secs_since(desk.clock.now()));
    }
    assert_eq!(waits, [60, 120, 240, 480, 960, 1_920, 3_840, 7_680, 15_360, 21_600, 21_600]);
    desk.upstream(ResponseTemplate::new(503).insert_header("retry-after", "86400")).await;
    desk.sync().await;
    let due = desk.engine.statuses().await.unwrap()[0].next_due_at.unwrap();
    assert_eq!(due.secs_since(desk.clock.now()), 86_400, "what the upstream asks for is honoured");
}

#[tokio::test]
async fn runs_are_recorded_and_changes_are_told() {
    let desk = Desk::new().await;
    let changes = desk.engine.changes();
    desk.lists(&page(&["a"])).await;
    desk.sync().await;
    assert_eq!((changes.borrow().revision, changes.borrow().statements), (1, 1));
    desk.sync().await;
    assert_eq!((changes.borrow().revision, changes.borrow().statements), (2, 1), "a confirmation publishes only times");
    desk.upstream(ResponseTemplate::new(500)).await;
    desk.sync().await;
    let runs = desk.engine.store().runs("toys", 10).await.unwrap();
    let outcomes: Vec<RunOutcome> = runs.iter().map(|run| run.outcome).collect();
    assert_eq!(outcomes, [RunOutcome::Failed, RunOutcome::Confirmed, RunOutcome::Updated]);
    assert_eq!(runs[0].requests, 2, "with its retry");
    assert_eq!(runs[2].counts.added, 1);
}

#[tokio::test]
async fn a_sync_that_cannot_even_be_begun_in_the_store_is_told_by_its_status_and_not_as_started() {
    let desk = Desk::new().await;
    let store = desk.engine.store().clone();
    let lease = store.take_lease("leader", "a", Duration::from_mins(1)).await.unwrap().unwrap();
    let options = EngineOptions { find: find_toy, clock: desk.clock.clock(), ..EngineOptions::default() };
    let options = EngineOptions { progress: Arc::clone(&desk.events) as Arc<dyn Progress>, ..options };
    let sources = desk.engine.sources().to_vec();
    let engine = Engine::new(store.fenced(lease.clone()), sources, options).unwrap();
    store.release_lease(&lease).await.unwrap();
    store.take_lease("leader", "b", Duration::from_mins(1)).await.unwrap().unwrap();
    assert!(engine.sync_source("toys", &Accept::No).await.is_err(), "another leads by now");
    assert_eq!(*desk.events.0.lock().unwrap(), [""; 0], "nothing was started");
    let status = engine.statuses().await.unwrap().remove(0);
    assert_eq!((status.status, status.error.unwrap().code.as_str()), (StatusWord::Failed, "store_deposed"));
}

#[tokio::test]
async fn a_disabled_an_offline_and_an_unknown_source_are_told_apart() {
    let desk = Desk::tuned(|source, _| {
        source.enabled = false;
        source.disabled_reason = Some("no licence".into());
    })
    .await;
    assert_eq!(desk.sync().await.result, SyncResult::Skipped { reason: "no licence".into() });
    assert_eq!(*desk.events.0.lock().unwrap(), ["finished"], "who counts sources hears of this one, too");
    assert_eq!(desk.status().await.0, StatusWord::Disabled);
    assert!(desk.engine.due().await.unwrap().is_empty());
    let error = desk.engine.sync_source("nobody", &Accept::No).await.unwrap_err();
    assert_eq!(error.to_string(), "there is no source `nobody`; the sources are toys");
}

/// That a url begins with `http` says nothing; its parsed scheme does.
#[tokio::test]
async fn offline_a_folder_called_httpd_docs_is_synced_and_an_upper_case_https_is_not() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("httpd-docs")).unwrap();
    std::fs::write(folder.path().join("httpd-docs/models"), page(&["a"]).to_string()).unwrap();
    let sources = vec![
        SourceConfig::new("local", "toy", "httpd-docs/models"),
        SourceConfig::new("remote", "toy", "HTTPS://toys.example/models"),
    ];
    let options = EngineOptions {
        find: find_toy,
        clock: HandClock::at(START).clock(),
        offline: true,
        base: folder.path().to_owned(),
        ..EngineOptions::default()
    };
    let engine = Engine::new(Store::open_in_memory().await.unwrap(), sources, options).unwrap();
    assert_eq!(engine.due().await.unwrap(), ["local"]);
    let reports = engine.sync_all(None, &[]).await.unwrap();
    assert_eq!(reports[0].result, SyncResult::Updated);
    assert_eq!(reports[1].result, SyncResult::Skipped { reason: "offline: no connection is opened".into() });
    assert_eq!(engine.next_due(&["local".to_owned()].into()).await.unwrap(), None, "the remote one is never due");
}

#[tokio::test]
async fn one_source_is_never_synced_twice_at_once() {
    let desk = Desk::new().await;
    desk.upstream(ResponseTemplate::new(200).set_body_json(page(&["a"])).set_delay(Duration::from_millis(200))).await;
    let (first, second) =
        tokio::join!(desk.engine.sync_source("toys", &Accept::No), desk.engine.sync_source("toys", &Accept::No));
    assert_eq!(first.unwrap().result, SyncResult::Updated);
    assert!(matches!(second.unwrap().result, SyncResult::Skipped { .. }));
    assert_eq!(desk.server.received_requests().await.unwrap().len(), 1);
}

#[tokio::test]
async fn all_sources_are_synced_beside_each_other_and_reported_in_their_order() {
    let server = MockServer::start().await;
    Mock::given(path("/good"))
        .respond_with(ResponseTemplate::new(200).set_body_json(page(&["a"])))
        .mount(&server)
        .await;
    let source = |id: &str, at: &str| SourceConfig::new(id, "toy", format!("{}{at}", server.uri()));
    let sources = vec![source("z", "/good"), source("y", "/missing"), source("x", "/good")];
    let options = EngineOptions { find: find_toy, clock: HandClock::at(START).clock(), ..EngineOptions::default() };
    let engine = Engine::new(Store::open_in_memory().await.unwrap(), sources, options).unwrap();
    let reports = engine.sync_all(None, &[]).await.unwrap();
    let told: Vec<(&str, bool)> = reports.iter().map(|report| (report.source_id.as_str(), report.is_bad())).collect();
    assert_eq!(told, [("z", false), ("y", true), ("x", false)]);
    let only = engine.sync_all(Some(&["x".to_owned()]), &[]).await.unwrap();
    assert_eq!(only.len(), 1);
}

#[tokio::test]
async fn the_schedule_syncs_what_is_due_and_stops_when_told() {
    let desk = Desk::tuned(|source, _| source.interval = Span::secs(1)).await;
    desk.lists(&page(&["a"])).await;
    let mut changes = desk.engine.changes();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let schedule = tokio::spawn(refdesk_ingest::schedule::run_schedule(desk.engine.clone(), async {
        let _ = stopped.await;
    }));
    tokio::time::timeout(Duration::from_secs(10), changes.changed()).await.unwrap().unwrap();
    assert_eq!(desk.status().await.0, StatusWord::Ok);
    stop.send(()).unwrap();
    tokio::time::timeout(Duration::from_secs(5), schedule).await.unwrap().unwrap();
}

#[test]
fn sources_that_cannot_work_are_refused_with_their_id_and_key() {
    let check = |change: fn(&mut SourceConfig), part: &str| {
        let mut source = SourceConfig::new("toys", "toy", "https://e.example/");
        change(&mut source);
        let error = refdesk_ingest::config::check_sources(&[source], find_toy, std::path::Path::new("/")).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    };
    check(|source| source.id = "Toys!".into(), "`id` must be");
    check(|source| source.connector = "nope".into(), "`connector` is `nope`");
    check(|source| source.url = "http://e.example/".into(), "`url` is plain http");
    check(|source| source.interval = Span::millis(1), "`interval` is 1ms");
    check(|source| drop(source.options.insert("colour".into(), "red".into())), "unknown key `colour`");
}
