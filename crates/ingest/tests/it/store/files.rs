//! Stores in files of `SQLite`: opened again, of another version, and files that are no store.

use crate::support::{commit, model};
use refdesk_core::{Kind, Stamp};
use refdesk_ingest::store::{Store, StoreError};

const T0: Stamp = Stamp(1_000_000);
const T1: Stamp = Stamp(1_003_600);
const T2: Stamp = Stamp(1_007_200);

#[tokio::test]
async fn a_store_opened_again_has_what_was_committed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/er/catalog.sqlite3");
    let store = Store::open(&path).await.unwrap();
    store.commit_sync(&commit("s", T0, vec![model("a", "1")])).await.unwrap();
    let before = store.facts(&Kind::ALL).await.unwrap();
    store.close().await;
    let again = Store::open(&path).await.unwrap();
    assert_eq!(again.facts(&Kind::ALL).await.unwrap(), before);
    again.check_integrity().await.unwrap();
}

/// Before, several `refdesk mcp` that were started over a new data directory, or by a new version, made the same tables, and all but the
/// first ended with `table facts already exists`.
#[tokio::test(flavor = "multi_thread")]
async fn processes_that_start_at_once_make_a_store_one_after_the_other() {
    for round in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("catalog.sqlite3");
        let open = |path: std::path::PathBuf| tokio::spawn(async move { Store::open(&path).await });
        let opens: Vec<_> = (0..6).map(|_| open(path.clone())).collect();
        for opened in futures::future::join_all(opens).await {
            let store = opened.unwrap().unwrap_or_else(|error| panic!("round {round}: {error}"));
            assert_eq!(store.head().await.unwrap().revision, 0);
            store.close().await;
        }
    }
}

#[tokio::test]
async fn files_that_are_no_store_of_ours_are_refused_and_left_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalog.sqlite3");

    let garbage = b"this is no database, and much longer than the header of one would be, so that nobody can mistake it for one..";
    std::fs::write(&path, garbage).unwrap();
    let error = Store::open(&path).await.unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
    assert!(error.to_string().contains("catalog.sqlite3") && error.to_string().contains("--data-dir"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), garbage);

    std::fs::remove_file(&path).unwrap();
    let store = Store::open(&path).await.unwrap();
    store.close().await;
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
    let mut connection = sqlx::ConnectOptions::connect(&options).await.unwrap();
    sqlx::query("INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (99, 'later', 1, x'00', 0)")
        .execute(&mut connection)
        .await
        .unwrap();
    sqlx::Connection::close(connection).await.unwrap();
    let error = Store::open(&path).await.unwrap_err();
    assert!(matches!(error, StoreError::Newer { found: 99, .. }), "{error:?}");

    let error = Store::open(folder.path()).await.unwrap_err();
    assert!(matches!(error, StoreError::Open { .. }), "{error:?}");
}

/// Guards against making it writable without a word where others may read it.
#[cfg(unix)]
#[tokio::test]
async fn a_store_that_was_made_read_only_stays_so_and_one_that_others_may_read_is_closed_to_them() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalog.sqlite3");
    Store::open(&path).await.unwrap().close().await;
    let with_mode = |mode: u32| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    for read_only in [0o444, 0o440, 0o400] {
        with_mode(read_only);
        let error = Store::open(&path).await.unwrap_err();
        assert!(matches!(error, StoreError::Open { .. }), "{error:?}");
        let told = error.to_string();
        assert!(told.contains("is read-only") && told.contains(&format!("chmod u+w {}", path.display())), "{told}");
        assert_eq!(mode(), read_only);
    }
    with_mode(0o644);
    Store::open(&path).await.unwrap().close().await;
    assert_eq!(mode(), 0o600);
}

#[tokio::test]
async fn facts_of_a_store_of_an_earlier_version_may_have_changed_when_they_were_last_taken() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalog.sqlite3");
    let store = Store::open(&path).await.unwrap();
    store.commit_sync(&commit("s", T0, vec![model("a", "1")])).await.unwrap();
    store.commit_sync(&commit("s", T1, vec![model("a", "1")])).await.unwrap();
    store.close().await;
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
    let mut connection = sqlx::ConnectOptions::connect(&options).await.unwrap();
    for sql in ["ALTER TABLE standings DROP COLUMN changed_at", "DELETE FROM _sqlx_migrations WHERE version = 6"] {
        sqlx::query(sql).execute(&mut connection).await.unwrap();
    }
    sqlx::Connection::close(connection).await.unwrap();
    let store = Store::open(&path).await.unwrap();
    assert_eq!(store.facts(&Kind::ALL).await.unwrap()[0].standing.changed_at, T1);
    store.commit_sync(&commit("s", T2, vec![model("a", "1")])).await.unwrap();
    assert_eq!(store.facts(&Kind::ALL).await.unwrap()[0].standing.changed_at, T1, "from then on only a change counts");
}

#[tokio::test]
async fn the_mark_of_a_store_file_tells_that_another_process_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalog.sqlite3");
    let (store, other) = (Store::open(&path).await.unwrap(), Store::open(&path).await.unwrap());
    store.commit_sync(&commit("s", T0, vec![model("a", "1")])).await.unwrap();
    let before = store.write_mark();
    assert!(before.is_some());
    assert_eq!(other.facts(&Kind::ALL).await.unwrap().len(), 1);
    assert_eq!(store.write_mark(), before, "reading leaves no mark");
    other.commit_sync(&commit("s", T1, vec![model("a", "2"), model("b", "1")])).await.unwrap();
    assert_ne!(store.write_mark(), before);
    assert_eq!(Store::open_in_memory().await.unwrap().write_mark(), None);
}
