//! The limits of the store, of archives and of keys: how long is waited for a lock, how much is read back. `docs/limits.md` names these tests.

use std::io::{Cursor, Write};
use std::time::{Duration, Instant};

use crate::support::{commit, document, tool};
use refdesk_core::{Body, Kind, Stamp};
use refdesk_ingest::archive::{ArchiveBounds, ArchiveError, ExportOptions, export, import, import_within};
use refdesk_ingest::keys::{self, KeyError, NAME_CHARS_MAX};
use refdesk_ingest::store::pack::{CONTENT_BYTES_MAX, unpack};
use refdesk_ingest::store::{Patience, Store, StoreError};
use serde_json::json;

async fn archive() -> Vec<u8> {
    let store = Store::open_in_memory().await.unwrap();
    let facts = vec![document("d.md", &"text\n".repeat(2_000)), tool("t", Body::None)];
    store.commit_sync(&commit("s", Stamp(100), facts)).await.unwrap();
    let mut file = tempfile::tempfile().unwrap();
    export(&store, &[], file.try_clone().unwrap(), Stamp(400), ExportOptions::default()).await.unwrap();
    let mut bytes = Vec::new();
    std::io::Seek::rewind(&mut file).unwrap();
    std::io::Read::read_to_end(&mut file, &mut bytes).unwrap();
    bytes
}

#[tokio::test]
async fn an_archive_that_holds_more_than_is_read_changes_nothing() {
    let archive = archive().await;
    let whole = ArchiveBounds::default();
    for (bounds, told) in [
        (ArchiveBounds { entries_max: 3, ..whole }, "it has too many entries"),
        (ArchiveBounds { list_bytes_max: 300, ..whole }, "an entry is larger than 300 bytes"),
        (ArchiveBounds { content_bytes_max: 9_000, ..whole }, "an entry is larger than 9000 bytes"),
    ] {
        let store = Store::open_in_memory().await.unwrap();
        let refused = import_within(&store, Cursor::new(archive.clone()), bounds).await;
        assert!(matches!(&refused, Err(ArchiveError::Damaged(reason)) if reason == told), "{told}: {refused:?}");
        assert_eq!(store.facts(&Kind::ALL).await.unwrap(), []);
        assert_eq!(import_within(&store, Cursor::new(archive.clone()), whole).await.unwrap().facts, 2);
    }
}

/// An archive of the format before checksums, with so many bytes after its end.
fn padded(bytes: usize) -> Vec<u8> {
    let mut tar = tar::Builder::new(zstd::Encoder::new(Vec::new(), 1).unwrap());
    let summary = json!({"sources": 0, "facts": 0, "withheld": 0});
    for (name, content) in [
        (
            "manifest.json",
            json!({"format": "refdesk-archive", "version": 2, "created_at": "2026-01-01T00:00:00Z", "created_by": "a"}),
        ),
        ("end.json", summary),
    ] {
        let content = content.to_string();
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, content.as_bytes()).unwrap();
    }
    let mut out = tar.into_inner().unwrap();
    out.write_all(&vec![0; bytes]).unwrap();
    out.finish().unwrap()
}

#[tokio::test]
async fn what_follows_the_end_of_an_archive_is_read_up_to_a_limit() {
    let store = Store::open_in_memory().await.unwrap();
    let read = import(&store, Cursor::new(padded((1 << 20) - 1_024))).await;
    assert!(read.is_ok(), "{read:?}");
    let refused = import(&store, Cursor::new(padded((1 << 20) + 1))).await;
    assert!(matches!(&refused, Err(ArchiveError::Damaged(told)) if told == "something follows its end"), "{refused:?}");
}

#[test]
fn a_content_that_states_too_great_a_length_is_damaged_and_takes_no_memory() {
    let stating = |bytes: u32| [&[1_u8][..], &bytes.to_le_bytes(), b"squeezed"].concat();
    let told = unpack(&stating(CONTENT_BYTES_MAX as u32 + 1)).unwrap_err().to_string();
    assert!(told.contains("its length 1073741825 is beyond the limit"), "{told}");
    assert!(!unpack(&stating(8)).unwrap_err().to_string().contains("beyond the limit"));
}

#[tokio::test]
async fn a_writer_waits_for_a_lock_and_for_a_connection_no_longer_than_it_should() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.sqlite3");
    let short = Duration::from_millis(500);
    let patience = Patience { busy_timeout: short, acquire_timeout: short };
    let store = Store::open_with(&path, patience).await.unwrap();
    let write = async || {
        let begun = Instant::now();
        let result = store.touch_keys(&[("key".into(), Stamp(1))]).await;
        assert!(begun.elapsed() >= short / 2 || result.is_ok(), "it waits");
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
        result
    };
    // The lock of another process.
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
    let mut other = sqlx::ConnectOptions::connect(&options).await.unwrap();
    sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    assert!(matches!(write().await, Err(StoreError::Busy { .. })));
    sqlx::query("ROLLBACK").execute(&mut other).await.unwrap();
    // The one connection that writes.
    let restore = store.restore().await.unwrap();
    let told = write().await.unwrap_err();
    assert!(!matches!(told, StoreError::Busy { .. }), "{told}");
    drop(restore);
    write().await.unwrap();
}

#[tokio::test]
async fn readers_beyond_their_number_wait_and_all_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("s.sqlite3")).await.unwrap();
    let facts = (0..200).map(|n| tool(&format!("t{n}"), Body::None)).collect();
    store.commit_sync(&commit("s", Stamp(100), facts)).await.unwrap();
    let reads = (0..32).map(|_| async { store.facts(&Kind::ALL).await.map(|facts| facts.len()) });
    for read in futures::future::join_all(reads).await {
        assert_eq!(read.unwrap(), 200);
    }
}

#[tokio::test]
async fn a_use_of_a_key_that_a_wrong_clock_noted_gives_way() {
    let store = Store::open_in_memory().await.unwrap();
    let (_, key) = keys::create(&store, "agent", None, None, Stamp(1_000)).await.unwrap();
    let used = async |at: i64| {
        store.touch_keys(&[(key.id.clone(), Stamp(at))]).await.unwrap();
        store.keys().await.unwrap().remove(0).last_used_at.unwrap().0
    };
    let now = 1_000_000;
    assert_eq!(used(now + 86_400).await, now + 86_400);
    assert_eq!(used(now).await, now + 86_400, "uses come out of order by a day at most");
    assert_eq!(used(now + 86_402).await, now + 86_402);
    assert_eq!(used(now).await, now);
}

#[tokio::test]
async fn a_key_with_too_long_a_name_is_not_made() {
    let store = Store::open_in_memory().await.unwrap();
    let make = async |chars: usize| keys::create(&store, &"ü".repeat(chars), None, None, Stamp(1)).await;
    assert!(matches!(make(NAME_CHARS_MAX + 1).await, Err(KeyError::Name)));
    let with_escape = keys::create(&store, "ev\u{1b}[31mil", None, None, Stamp(1)).await;
    assert!(matches!(with_escape, Err(KeyError::Name)), "a terminal would obey it");
    assert!(make(NAME_CHARS_MAX).await.is_ok());
}
