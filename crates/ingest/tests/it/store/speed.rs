//! How fast a large catalog is written and read back on each engine; a figure to look at, not a gate: `cargo test --release -- --ignored --nocapture`.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a failing unwrap is a failing test; the figure is the result"
)]

use std::time::Instant;

use crate::engines::postgres;
use crate::support::{commit, document, model};
use refdesk_core::{Kind, Stamp};
use refdesk_ingest::archive::{ExportOptions, export, import};
use refdesk_ingest::store::Store;

const MODELS: usize = 90_000;
const DOCUMENTS: usize = 10_000;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes a while and prints a figure"]
async fn a_hundred_thousand_facts_are_written_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut stores = vec![Store::open(&folder.path().join("catalog.sqlite3")).await.unwrap()];
    if let Some(settings) = postgres().await {
        stores.push(Store::open_url(&settings).await.unwrap());
    }
    let mut facts: Vec<_> = (0..MODELS).map(|n| model(&format!("vendor/model-{n}"), "3")).collect();
    facts
        .extend((0..DOCUMENTS).map(|n| {
            document(&format!("d/{n}.md"), &format!("# Page {n}\n\n{}", "Some words of a page. ".repeat(80)))
        }));
    let begun = Instant::now();
    let first = commit("s", Stamp(1), facts);
    eprintln!("prepared in {:?}", begun.elapsed());
    let changed = commit("s", Stamp(2), (0..MODELS).map(|n| model(&format!("vendor/model-{n}"), "4")).collect());
    for store in stores {
        let engine = store.engine();
        let said = |what: &str, begun: Instant| eprintln!("{engine}: {what} in {:?}", begun.elapsed());
        let begun = Instant::now();
        store.commit_sync(&first).await.unwrap();
        said("written", begun);
        let begun = Instant::now();
        store.commit_sync(&first).await.unwrap();
        said("confirmed", begun);
        let begun = Instant::now();
        let read = store.facts(&Kind::ALL).await.unwrap();
        said(&format!("{} facts read", read.len()), begun);
        assert_eq!(read.len(), MODELS + DOCUMENTS);
        let begun = Instant::now();
        let counts = store.commit_sync(&changed).await.unwrap();
        said(&format!("{} changed, {} removed", counts.changed, counts.removed), begun);
        assert_eq!((counts.changed, counts.removed), (MODELS, DOCUMENTS));
        let mut file = tempfile::tempfile().unwrap();
        export(&store, &[], file.try_clone().unwrap(), Stamp(3), ExportOptions::default()).await.unwrap();
        std::io::Seek::rewind(&mut file).unwrap();
        let begun = Instant::now();
        import(&store, file).await.unwrap();
        said("imported over itself", begun);
    }
}
