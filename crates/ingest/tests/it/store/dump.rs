//! What an archive reads of a store.

use crate::engines::engines;
use crate::support::{commit, model};
use refdesk_core::Stamp;
use refdesk_ingest::archive::{ExportOptions, export, import};
use refdesk_ingest::store::Store;

const T0: Stamp = Stamp(1_000_000);
const T1: Stamp = Stamp(1_003_600);

/// An archive of rows from before and after a sync could not be read again: a fact that is replaced gets another number.
#[tokio::test]
async fn a_dump_shows_one_state_whatever_is_written_meanwhile() {
    // The store in memory, the first, has one connection: nothing is written beside a dump.
    for store in engines().await.into_iter().skip(1) {
        let facts = ["a", "b", "c"].map(|key| model(key, "1"));
        store.commit_sync(&commit("s", T0, facts.to_vec())).await.unwrap();
        let mut dump = store.dump().await.unwrap();
        let first = dump.fact_rows(0, 1).await.unwrap();
        store.commit_sync(&commit("s", T1, vec![model("a", "2"), model("d", "1")])).await.unwrap();
        store.commit_sync(&commit("later", T1, vec![model("e", "1")])).await.unwrap();
        let rest = dump.fact_rows(first[0].0.id, 10).await.unwrap();
        let keys: Vec<&str> = first.iter().chain(&rest).map(|(row, _)| row.key.as_str()).collect();
        assert_eq!(keys, ["a", "b", "c"]);
        let sources = dump.source_rows().await.unwrap();
        assert_eq!(sources.iter().map(|source| &*source.source_id).collect::<Vec<_>>(), ["s"]);
        dump.end().await.unwrap();
        let now = store.dump().await.unwrap().fact_rows(0, 10).await.unwrap();
        let mut keys: Vec<&str> = now.iter().map(|(row, _)| row.key.as_str()).collect();
        keys.sort_unstable();
        assert_eq!(keys, ["a", "b", "c", "d", "e"], "what a source lacks once is kept");
    }
}

/// An archive is given away; the store it comes from is not.
#[tokio::test]
async fn an_archive_holds_no_secret_of_the_url_of_a_source() {
    let store = Store::open_in_memory().await.unwrap();
    let mut keyed = commit("keyed", T0, vec![model("a", "1")]);
    keyed.validators.requests[0].url = "https://e.example/keyed?access_token=hunter-2".into();
    store.commit_sync(&keyed).await.unwrap();
    store.commit_sync(&commit("plain", T0, vec![model("b", "1")])).await.unwrap();
    let path = tempfile::tempdir().unwrap().keep().join("archive");
    let file = std::fs::File::create(&path).unwrap();
    export(&store, &[], file, T1, ExportOptions::default()).await.unwrap();
    let other = Store::open_in_memory().await.unwrap();
    import(&other, std::fs::File::open(&path).unwrap()).await.unwrap();
    assert!(other.validators("keyed").await.unwrap().requests.is_empty());
    assert_eq!(other.validators("plain").await.unwrap().requests.len(), 1);
}
