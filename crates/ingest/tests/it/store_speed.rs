//! How fast a large catalog is read back; a figure to look at, not a gate: `cargo test --release -- --ignored --nocapture`.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a failing unwrap is a failing test; the figure is the result"
)]

use std::time::Instant;

use crate::support::{commit, document, model};
use refdesk_core::{Kind, Stamp};
use refdesk_ingest::store::Store;

const MODELS: usize = 90_000;
const DOCUMENTS: usize = 10_000;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes a while and prints a figure"]
async fn a_hundred_thousand_facts_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("catalog.sqlite3")).await.unwrap();
    let mut facts: Vec<_> = (0..MODELS).map(|n| model(&format!("vendor/model-{n}"), "3")).collect();
    facts
        .extend((0..DOCUMENTS).map(|n| {
            document(&format!("d/{n}.md"), &format!("# Page {n}\n\n{}", "Some words of a page. ".repeat(80)))
        }));
    let begun = Instant::now();
    let first = commit("s", Stamp(1), facts);
    eprintln!("prepared in {:?}", begun.elapsed());
    let begun = Instant::now();
    store.commit_sync(&first).await.unwrap();
    eprintln!("written in {:?}", begun.elapsed());
    let begun = Instant::now();
    store.commit_sync(&first).await.unwrap();
    eprintln!("confirmed one by one in {:?}", begun.elapsed());
    let begun = Instant::now();
    let read = store.facts(&Kind::ALL).await.unwrap();
    eprintln!("{} facts read in {:?}", read.len(), begun.elapsed());
    assert_eq!(read.len(), MODELS + DOCUMENTS);
}
