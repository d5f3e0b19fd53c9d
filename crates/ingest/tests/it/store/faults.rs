//! A store that is damaged in one place, full, or open to others: one row stops no other, and every write works again when it can.

use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crate::support::{commit, key, model, run};
use refdesk_core::fact::Verdict;
use refdesk_core::{Kind, Stamp};
use refdesk_ingest::store::{Decision, KeyRecord, Run, RunOutcome, SourceState, Store, StoreError, Validators};
use refdesk_ingest::verify::{Readers, Scope, verify};
use sqlx::{ConnectOptions as _, Connection as _};

const T0: Stamp = Stamp(1_000_000);
const T1: Stamp = Stamp(1_003_600);

async fn store() -> (Store, PathBuf) {
    let path = tempfile::tempdir().unwrap().keep().join("data/catalog.sqlite3");
    (Store::open(&path).await.unwrap(), path)
}

/// Another program writes into the file.
async fn meddle(path: &Path, statement: &'static str) {
    let mut other = sqlx::sqlite::SqliteConnectOptions::new().filename(path).connect().await.unwrap();
    sqlx::query(statement).execute(&mut other).await.unwrap();
    other.close().await.unwrap();
}

/// Before, one that gave up while its connection was tried took the only one with it, and so the whole store.
#[tokio::test]
async fn a_store_in_memory_outlives_callers_that_give_up() {
    let store = Store::open_in_memory().await.unwrap();
    store.commit_sync(&commit("kept", T0, vec![model("m", "1")])).await.unwrap();
    for steps in 0..20 {
        tokio::select! {
            biased;
            _ = store.source_states() => {}
            () = steps_of_others(steps) => {}
        }
        assert_eq!(store.source_states().await.unwrap().len(), 1, "given up after {steps} steps");
    }
}

/// Lets the runtime's other tasks go on so often.
async fn steps_of_others(count: usize) {
    for _ in 0..count {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_state_that_cannot_be_read_is_never_and_stops_no_other() {
    let (store, path) = store().await;
    let state = SourceState { last_synced_at: Some(T0), outcome: Some(RunOutcome::Updated), ..SourceState::default() };
    for id in ["good", "bad", "worse"] {
        let mut good = commit(id, T0, vec![model("m", "1")]);
        good.state = state.clone();
        store.commit_sync(&good).await.unwrap();
    }
    for statement in [
        "UPDATE source_states SET state = '{\"next_due_at\": \"soon\"}', validators = '[' WHERE source_id = 'bad'",
        "UPDATE source_states SET state = x'ff00' WHERE source_id = 'worse'",
        "UPDATE runs SET run = '{' WHERE source_id = 'bad'",
    ] {
        meddle(&path, statement).await;
    }
    let states = store.source_states().await.unwrap();
    let synced: Vec<_> = states.iter().map(|(id, state)| (id.as_str(), state.last_synced_at)).collect();
    assert_eq!(synced, [("bad", None), ("good", Some(T0)), ("worse", None)]);
    assert_eq!(store.source_state("bad").await.unwrap().outcome, None);
    assert_eq!(store.validators("bad").await.unwrap(), Validators::default(), "it is read in full");
    assert_eq!(store.runs("bad", 10).await.unwrap(), []);
    assert_eq!(store.dump().await.unwrap().source_rows().await.unwrap().len(), 3, "an export goes on");
    assert!(store.unreadable().len() >= 3);

    for id in ["bad", "worse"] {
        let mut next = commit(id, T1, vec![model("m", "2")]);
        next.state = SourceState { last_synced_at: Some(T1), ..store.source_state(id).await.unwrap() };
        store.commit_sync(&next).await.unwrap();
        assert_eq!(store.source_state(id).await.unwrap().last_synced_at, Some(T1));
    }
}

/// A verdict must not write over what the state of its source says of syncs and quarantines.
#[tokio::test]
async fn a_verdict_waits_while_the_state_of_its_source_cannot_be_read() {
    let (store, path) = store().await;
    store.commit_sync(&commit("s", T0, vec![model("m", "1")])).await.unwrap();
    let before = store.source_facts("s").await.unwrap();
    meddle(&path, "UPDATE source_states SET state = '{' WHERE source_id = 's'").await;
    let decision =
        Decision { kind: Kind::Model, key: "m".into(), path: "pricing.input".into(), verdict: Verdict::Refused };
    let run = Run::by_operator("s", T1, RunOutcome::Reviewed, "refused");
    let refused = store.decide("s", std::slice::from_ref(&decision), T1, &run).await;
    assert!(refused.unwrap_err().to_string().contains("source state"));
    assert_eq!(store.source_facts("s").await.unwrap(), before);
    store.commit_sync(&commit("s", T1, vec![model("m", "1")])).await.unwrap();
    store.decide("s", &[decision], T1, &run).await.unwrap();
    assert_eq!(store.source_state("s").await.unwrap().reviews, 1);
}

#[tokio::test]
async fn a_fact_that_cannot_be_read_is_passed_over_told_and_written_anew_by_the_next_sync() {
    for damage in [
        "UPDATE facts SET head = '{' WHERE key = 'bad'",
        "UPDATE facts SET provenance = x'ff' WHERE key = 'bad'",
        "UPDATE facts SET body_state = 'other' WHERE key = 'bad'",
        "UPDATE facts SET statement_hash = 'lost' WHERE key = 'bad'",
        // Before, the sync was refused: it took the fact for a new one.
        "UPDATE facts SET statement_hash = x'ff' WHERE key = 'bad'",
        "UPDATE standings SET last_synced_at = 1.5 WHERE fact_id = (SELECT id FROM facts WHERE key = 'bad')",
        "UPDATE standings SET last_verified_at = 'now' WHERE fact_id = (SELECT id FROM facts WHERE key = 'bad')",
        // Before, these stayed as they were, and so the fact was passed over for good.
        "UPDATE standings SET first_seen_at = x'00' WHERE fact_id = (SELECT id FROM facts WHERE key = 'bad')",
        "UPDATE standings SET restated = 'yes' WHERE fact_id = (SELECT id FROM facts WHERE key = 'bad')",
        "UPDATE standings SET held_back = 'why' WHERE fact_id = (SELECT id FROM facts WHERE key = 'bad')",
    ] {
        let (store, path) = store().await;
        let facts = || vec![model("bad", "1"), model("good", "1")];
        store.commit_sync(&commit("s", T0, facts())).await.unwrap();
        meddle(&path, damage).await;
        let keys =
            |facts: Vec<refdesk_core::fact::StoredFact>| facts.into_iter().map(|fact| fact.key).collect::<Vec<_>>();
        assert_eq!(keys(store.facts(&Kind::ALL).await.unwrap()), ["good"], "{damage}");
        assert_eq!(
            store.unreadable().iter().map(|row| (row.what, row.source_id.as_str())).collect::<Vec<_>>(),
            [("fact", "s")]
        );
        assert!(!verify(&store, &Readers::default(), Scope::All).await.unwrap().differences.is_empty(), "{damage}");
        let counts = store.commit_sync(&commit("s", T1, facts())).await.unwrap();
        assert_eq!((counts.changed, counts.unchanged), (1, 1), "{damage}");
        assert_eq!(keys(store.facts(&Kind::ALL).await.unwrap()), ["bad", "good"], "{damage}");
        assert_eq!(store.unreadable(), [], "{damage}");
    }
}

/// Before, no command went on: the first thing that each asks is which bundled cards the store has.
#[tokio::test]
async fn a_named_value_that_cannot_be_read_is_none_until_it_is_set_again() {
    let (store, path) = store().await;
    store.set_meta("digest", "1").await.unwrap();
    meddle(&path, "UPDATE meta SET value = x'ff' WHERE name = 'digest'").await;
    assert_eq!(store.meta("digest").await.unwrap(), None);
    store.set_meta("digest", "2").await.unwrap();
    assert_eq!(store.meta("digest").await.unwrap().as_deref(), Some("2"));
}

#[tokio::test]
async fn a_key_that_cannot_be_read_does_not_work_and_the_others_do() {
    let (store, path) = store().await;
    for number in 0..4 {
        let key = KeyRecord { limit_per_minute: Some(60), ..key(&format!("key_{number}"), number) };
        store.insert_key(&key).await.unwrap();
    }
    for damage in [
        "UPDATE api_keys SET expires_at = 'soon' WHERE id = 'key_0'",
        "UPDATE api_keys SET fingerprint = x'00' WHERE id = 'key_2'",
        "UPDATE api_keys SET limit_per_minute = 4294967296 WHERE id = 'key_3'",
    ] {
        meddle(&path, damage).await;
    }
    let ids: Vec<_> = store.keys().await.unwrap().into_iter().map(|key| key.id).collect();
    assert_eq!(ids, ["key_1"]);
}

/// A clock that was ten years ahead when the source was removed must not refuse its syncs for ten years.
#[tokio::test]
async fn a_removal_refuses_what_began_before_it_by_the_order_of_runs_and_not_by_the_clock() {
    let (store, _) = store().await;
    store.commit_sync(&commit("s", T0, vec![model("m", "1")])).await.unwrap();
    let under_way = store.source_state("s").await.unwrap();
    store.remove_source("s", &run("s", T0.plus_secs(315_360_000), RunOutcome::Removed)).await.unwrap();
    let mut late = commit("s", T1, vec![model("m", "1")]);
    late.state = under_way;
    assert!(matches!(store.commit_sync(&late).await, Err(StoreError::Removed { .. })));
    let mut next = commit("s", T1, vec![model("m", "1")]);
    next.state = store.source_state("s").await.unwrap();
    assert_eq!(store.commit_sync(&next).await.unwrap().added, 1);
}

/// Overwriting what a removal deletes is not enough: what a sync replaced lies in pages that were free by then.
#[tokio::test]
async fn a_removal_leaves_no_copy_in_the_file_of_what_the_source_ever_stated() {
    let (store, path) = store().await;
    let mut first = model("m", "1");
    first.head.name = "zanzibar ".repeat(10_000);
    store.commit_sync(&commit("kept", T0, vec![model("k", "1")])).await.unwrap();
    store.commit_sync(&commit("s", T0, vec![first])).await.unwrap();
    store.commit_sync(&commit("s", T1, vec![model("m", "2")])).await.unwrap();
    let occurrences = || {
        let files = ["", "-wal"].map(|ending| PathBuf::from(format!("{}{ending}", path.display())));
        let bytes: Vec<u8> = files.iter().filter_map(|file| std::fs::read(file).ok()).flatten().collect();
        bytes.windows(8).filter(|window| *window == b"zanzibar").count()
    };
    assert!(occurrences() > 1_000, "the file holds what was replaced");
    assert_eq!(store.remove_source("s", &run("s", T1, RunOutcome::Removed)).await.unwrap(), 1);
    assert_eq!(occurrences(), 0);
    assert_eq!(store.facts(&Kind::ALL).await.unwrap().len(), 1, "the other source keeps its own");
}

#[cfg(unix)]
#[tokio::test]
async fn the_store_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let (store, path) = store().await;
    store.commit_sync(&commit("s", T0, vec![model("m", "1")])).await.unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    for ending in ["", "-wal", "-shm"] {
        assert_eq!(mode(Path::new(&format!("{}{ending}", path.display()))), 0o600, "{ending}");
    }
    store.close().await;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    Store::open(&path).await.unwrap();
    assert_eq!(mode(&path), 0o600, "one that was open to others is closed");
}

/// What a small file system does to writes, with and without one: see also the binary's tests.
#[tokio::test]
async fn a_write_that_failed_is_told_until_one_goes_well() {
    let (store, path) = store().await;
    store.commit_sync(&commit("s", T0, vec![model("m", "1")])).await.unwrap();
    assert_eq!(store.write_fault(), None);
    meddle(&path, "CREATE TRIGGER full BEFORE INSERT ON runs BEGIN SELECT raise(ABORT, 'no more'); END").await;
    store.commit_sync(&commit("s", T1, vec![model("m", "2")])).await.unwrap_err();
    assert_eq!(store.write_fault().unwrap().code, "store_failed");
    assert_eq!(store.facts(&Kind::ALL).await.unwrap()[0].standing.last_synced_at, T0, "nothing of it stands");
    meddle(&path, "DROP TRIGGER full").await;
    store.probe(true).await.unwrap();
    assert_eq!(store.write_fault(), None);
    assert_eq!(store.commit_sync(&commit("s", T1, vec![model("m", "2")])).await.unwrap().changed, 1);

    // Before, a look that left the file to a write which was under way passed for one that went well.
    meddle(&path, "CREATE TRIGGER full BEFORE INSERT ON runs BEGIN SELECT raise(ABORT, 'no more'); END").await;
    store.commit_sync(&commit("s", T1, vec![model("m", "3")])).await.unwrap_err();
    let under_way = store.restore().await.unwrap();
    store.probe(true).await.unwrap();
    assert!(store.write_fault().is_some(), "nothing was written");
    under_way.commit().await.unwrap();
    assert_eq!(store.write_fault(), None);
}

/// Zeroes the page of a file at which a table begins; gives where it is, and what was there.
async fn zero_root(path: &Path, table: &'static str) -> (u64, Vec<u8>) {
    let mut other = sqlx::sqlite::SqliteConnectOptions::new().filename(path).connect().await.unwrap();
    let page: i64 = sqlx::query_scalar("SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = $1")
        .bind(table)
        .fetch_one(&mut other)
        .await
        .unwrap();
    let size: i64 = sqlx::query_scalar("PRAGMA page_size").fetch_one(&mut other).await.unwrap();
    other.close().await.unwrap();
    let at = u64::try_from((page - 1) * size).unwrap();
    let mut file = std::fs::OpenOptions::new().read(true).write(true).open(path).unwrap();
    let mut was = vec![0; usize::try_from(size).unwrap()];
    file.seek(SeekFrom::Start(at)).unwrap();
    file.read_exact(&mut was).unwrap();
    write_at(path, at, &vec![0; was.len()]);
    (at, was)
}

fn write_at(path: &Path, at: u64, bytes: &[u8]) {
    let mut file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(bytes).unwrap();
}

/// Full texts of a damaged store failed for ever while nothing told of it.
#[tokio::test]
async fn damage_that_a_read_met_is_told_until_the_file_is_found_sound() {
    let (store, path) = store().await;
    store.commit_sync(&commit("s", T0, vec![model("m", "1")])).await.unwrap();
    // So that all of it is in the file itself, and nothing in memory.
    store.close().await;
    let (at, was) = zero_root(&path, "records").await;
    let store = Store::open(&path).await.unwrap();
    assert_eq!(store.disk_fault(), None);
    let damaged = store.record("s", Kind::Model, "m").await.unwrap_err();
    assert!(matches!(damaged, StoreError::Damaged { .. }) && !damaged.to_string().contains("export"), "{damaged}");
    let code = || store.disk_fault().map(|fault| fault.code);
    assert_eq!(code(), Some("store_corrupt"));
    assert_eq!(store.source_states().await.unwrap().len(), 1, "another part is sound");
    store.probe(true).await.unwrap();
    store.check_integrity().await.unwrap_err();
    assert_eq!(code(), Some("store_corrupt"), "it does not go away by itself");
    write_at(&path, at, &was);
    store.check_integrity().await.unwrap();
    assert_eq!(store.disk_fault(), None);
}
