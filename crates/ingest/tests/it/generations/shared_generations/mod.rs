//! Generations that nodes share: files first, then the manifest; readers fetch what they lack and believe nothing unchecked. The database
//! is `SQLite` here, for what is tested is the same on both engines.

mod deleted_files;
mod lost_files;
mod writers;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use refdesk_catalog::snapshot::{Input, Snapshot};
use refdesk_core::{Kind, Stamp};
use refdesk_ingest::clock;
use refdesk_ingest::config::SourceConfig;
use refdesk_ingest::generation::{self, CatalogFolder, SharedGenerations};
use refdesk_ingest::segment_store::SegmentStore;
use refdesk_ingest::store::Store;

const NOW: Stamp = Stamp(1_790_000_000);

/// A database, a directory of segments, and the data directories of nodes.
struct Desks {
    folder: tempfile::TempDir,
    store: Store,
    sources: Vec<SourceConfig>,
}

impl Desks {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("cards")).unwrap();
        let cards = folder.path().join("cards").display().to_string();
        let store = Store::open_in_memory().await.unwrap();
        let desks = Self { folder, store, sources: vec![SourceConfig::new("mine", "cards", cards)] };
        desks.card("tool", "lamp").await;
        desks
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn segments(&self) -> PathBuf {
        self.path("segments")
    }

    async fn card(&self, kind: &str, id: &str) {
        let text = format!(
            "kind: {kind}\nid: {id}\ndisplay_name: {id}\nsource_url: https://lamp.example/{id}\ncategory: test\ndescription: Gives light.\n"
        );
        std::fs::write(self.path("cards").join(format!("{id}.yaml")), text).unwrap();
        self.sync().await;
    }

    async fn sync(&self) {
        super::sync(&self.store, &self.sources).await;
    }

    async fn built(&self, before: Option<&Snapshot>) -> Arc<Snapshot> {
        self.built_at(NOW, before).await
    }

    async fn built_at(&self, now: Stamp, before: Option<&Snapshot>) -> Arc<Snapshot> {
        let loaded = generation::load(&self.store, &self.sources, now).await.unwrap();
        let (facts, sources) = (&loaded.facts[..], loaded.sources);
        Arc::new(Snapshot::build(&Input { facts, sources, now, generation: 1, before, texts: None }))
    }

    fn node(&self, name: &str, segment_store: &str) -> SharedGenerations {
        let data = self.path(name);
        std::fs::create_dir_all(&data).unwrap();
        let files = SegmentStore::open(segment_store, &self.store).unwrap();
        SharedGenerations::new(self.store.clone(), files, CatalogFolder::of(&data, &self.sources))
    }

    fn nodes(&self) -> (SharedGenerations, SharedGenerations) {
        let shared = self.segments().display().to_string();
        (self.node("leader", &shared), self.node("reader", &shared))
    }
}

fn names(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = files.filter(|name| name.ends_with(".segment")).collect();
    names.sort();
    names
}

/// The same files, with the time when each was written.
fn written(folder: &Path) -> Vec<(String, SystemTime)> {
    let at = |name: &String| std::fs::metadata(folder.join(name)).unwrap().modified().unwrap();
    names(folder).into_iter().map(|name| (name.clone(), at(&name))).collect()
}

#[tokio::test]
async fn a_reader_shows_what_was_told_and_fetches_only_the_kinds_that_changed() {
    let desks = Desks::new().await;
    let (leader, reader) = desks.nodes();
    assert!(reader.newest().await.unwrap().is_none(), "nothing is told yet");
    let first = desks.built(None).await;
    let id = leader.tell(Arc::clone(&first), Vec::new()).await.unwrap();
    let told = reader.newest().await.unwrap().unwrap();
    assert_eq!(told.id, id);
    let taken = reader.take_up(&told, None).await.unwrap();
    assert_eq!((taken.fetched, taken.snapshot.revision()), (7, first.revision()));
    assert_eq!(taken.snapshot.generation(), id.unsigned_abs());
    assert_eq!(names(&desks.path("reader/catalog")), names(&desks.segments()), "the same files under the same names");

    desks.card("tool", "wick").await;
    let second = desks.built(None).await;
    leader.tell(Arc::clone(&second), Vec::new()).await.unwrap();
    let told = reader.newest().await.unwrap().unwrap();
    let before = Arc::new(taken.snapshot);
    let taken = reader.take_up(&told, Some(Arc::clone(&before))).await.unwrap();
    assert_eq!((taken.fetched, taken.snapshot.revision()), (1, second.revision()), "the tools alone changed");
    let shared = before.segments().iter().zip(taken.snapshot.segments()).filter(|(a, b)| Arc::ptr_eq(a, b)).count();
    assert_eq!(shared, 6, "what did not change is not read again");
}

#[tokio::test]
async fn a_sync_that_only_confirms_makes_a_new_manifest_and_no_new_segment() {
    let desks = Desks::new().await;
    let (leader, reader) = desks.nodes();
    let first = desks.built_at(clock::now(), None).await;
    leader.tell(Arc::clone(&first), Vec::new()).await.unwrap();
    let taken = reader.take_up(&reader.newest().await.unwrap().unwrap(), None).await.unwrap();
    let of_leader = desks.path("leader/catalog");
    let (files, written_before) = (names(&desks.segments()), written(&of_leader));

    // Times have whole seconds.
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    desks.sync().await;
    let second = desks.built_at(clock::now(), Some(&first)).await;
    assert_ne!(second.revision(), first.revision(), "it shows when it was confirmed");
    leader.tell(Arc::clone(&second), Vec::new()).await.unwrap();
    assert_eq!(names(&desks.segments()), files, "no file is new, and none is gone");
    assert_eq!(written(&of_leader), written_before, "none is written again");
    let told = reader.newest().await.unwrap().unwrap();
    let again = reader.take_up(&told, Some(Arc::new(taken.snapshot))).await.unwrap();
    assert_eq!((again.fetched, again.snapshot.revision()), (0, second.revision()));
    assert_eq!(again.snapshot.row(0), second.row(0));
    assert_ne!(second.row(0), first.row(0));
    let index = |snapshot: &Snapshot| Arc::clone(snapshot.segment(Kind::Tool).index());
    assert_eq!(index(&again.snapshot).len(), 1, "nothing else of it is lost");
    // And so a start without what was there before.
    let begun = desks.node("other", &desks.segments().display().to_string()).take_up(&told, None).await.unwrap();
    assert_eq!((begun.fetched, begun.snapshot.revision()), (7, second.revision()));
}

#[tokio::test]
async fn a_node_begins_with_what_it_took_up_last_when_there_is_no_database() {
    let desks = Desks::new().await;
    let (leader, reader) = desks.nodes();
    assert!(reader.last_here().await.unwrap().is_none());
    let first = desks.built(None).await;
    leader.tell(Arc::clone(&first), Vec::new()).await.unwrap();
    let told = reader.newest().await.unwrap().unwrap();
    reader.take_up(&told, None).await.unwrap();
    desks.store.close().await;
    let again = desks.node("reader", &desks.segments().display().to_string());
    assert!(again.newest().await.is_err(), "the database is gone");
    assert_eq!(again.last_here().await.unwrap().unwrap().revision(), first.revision());
}

/// Guards against a node that never ran and cannot start then, because only the database knows of generations.
#[tokio::test]
async fn without_a_database_a_new_node_begins_with_the_newest_whole_generation_of_the_segment_store() {
    let desks = Desks::new().await;
    let (leader, _) = desks.nodes();
    let begin = async |name: &str| {
        let node = desks.node(name, &desks.segments().display().to_string());
        let begun = node.newest_in_segment_store().await.unwrap();
        (begun.map(|snapshot| snapshot.revision().to_owned()), node)
    };
    assert!(begin("early").await.0.is_none());
    let first = desks.built(None).await;
    leader.tell(Arc::clone(&first), Vec::new()).await.unwrap();
    desks.card("tool", "wick").await;
    let second = desks.built(None).await;
    leader.tell(Arc::clone(&second), Vec::new()).await.unwrap();
    let newest = leader.newest().await.unwrap().unwrap().manifest;
    desks.store.close().await;
    let (begun, node) = begin("new").await;
    assert_eq!(begun.as_deref(), Some(second.revision()));
    assert_eq!(node.last_here().await.unwrap().unwrap().revision(), second.revision(), "it has it from then on");
    let tools = &newest.entry(Kind::Tool).unwrap().file;
    std::fs::remove_file(desks.segments().join(tools)).unwrap();
    assert_eq!(begin("other").await.0.as_deref(), Some(first.revision()), "the newest is not whole");
}

/// Before, a node whose disk was full showed no newer generation, though it had read it.
#[tokio::test]
async fn a_generation_is_taken_up_also_where_its_manifest_cannot_be_kept() {
    let desks = Desks::new().await;
    let (leader, reader) = desks.nodes();
    let first = desks.built(None).await;
    leader.tell(Arc::clone(&first), Vec::new()).await.unwrap();
    reader.take_up(&reader.newest().await.unwrap().unwrap(), None).await.unwrap();
    desks.card("tool", "wick").await;
    let second = desks.built(None).await;
    leader.tell(Arc::clone(&second), Vec::new()).await.unwrap();
    // A folder where the file is written first: as on a disk that is full, nothing can be.
    let unfinished = desks.path("reader/catalog/manifest.json.new");
    std::fs::create_dir(&unfinished).unwrap();
    let taken = reader.take_up(&reader.newest().await.unwrap().unwrap(), None).await.unwrap();
    assert_eq!(taken.snapshot.revision(), second.revision());
    assert_eq!(reader.last_here().await.unwrap().unwrap().revision(), first.revision(), "it is whole");
    std::fs::remove_dir(&unfinished).unwrap();
    reader.take_up(&reader.newest().await.unwrap().unwrap(), None).await.unwrap();
    assert_eq!(reader.last_here().await.unwrap().unwrap().revision(), second.revision());
}

#[tokio::test]
async fn segments_of_another_format_say_which_nodes_to_update() {
    let desks = Desks::new().await;
    let (leader, reader) = desks.nodes();
    leader.tell(desks.built(None).await, Vec::new()).await.unwrap();
    let mut told = reader.newest().await.unwrap().unwrap();
    told.manifest.format += 1;
    let refused = reader.take_up(&told, None).await.unwrap_err().to_string();
    assert!(refused.contains("update the nodes that are behind"), "{refused}");
}

#[tokio::test]
async fn the_database_holds_segments_for_who_has_no_other_place() {
    let desks = Desks::new().await;
    let files = SegmentStore::Database(desks.store.clone());
    let data = desks.path("leader");
    std::fs::create_dir_all(&data).unwrap();
    let leader = SharedGenerations::new(desks.store.clone(), files.clone(), CatalogFolder::of(&data, &desks.sources));
    let first = desks.built(None).await;
    leader.tell(Arc::clone(&first), Vec::new()).await.unwrap();
    assert_eq!(files.names().await.unwrap(), names(&data.join("catalog")));
    let data = desks.path("reader");
    std::fs::create_dir_all(&data).unwrap();
    let reader = SharedGenerations::new(desks.store.clone(), files, CatalogFolder::of(&data, &desks.sources));
    let told = reader.newest().await.unwrap().unwrap();
    assert_eq!(reader.take_up(&told, None).await.unwrap().snapshot.revision(), first.revision());
}
