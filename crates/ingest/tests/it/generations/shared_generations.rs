//! Generations that nodes share: files first, then the manifest; readers fetch what they lack and believe nothing unchecked. The database
//! is `SQLite` here, for what is tested is the same on both engines.

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

#[tokio::test]
async fn a_file_that_is_not_what_its_name_states_is_never_taken_up() {
    let desks = Desks::new().await;
    let (leader, reader) = desks.nodes();
    leader.tell(desks.built(None).await, Vec::new()).await.unwrap();
    let told = reader.newest().await.unwrap().unwrap();
    let file = desks.segments().join(&told.manifest.segments[0].file);
    let good = std::fs::read(&file).unwrap();
    std::fs::write(&file, [&good[..], b"x"].concat()).unwrap();
    let refused = reader.take_up(&told, None).await.unwrap_err().to_string();
    assert!(refused.contains("another hash than its name states"), "{refused}");
    assert!(!names(&desks.path("reader/catalog")).contains(&told.manifest.segments[0].file), "nothing of it is left");
    std::fs::remove_file(&file).unwrap();
    let missing = reader.take_up(&told, None).await.unwrap_err().to_string();
    assert!(missing.contains("the segment store has no"), "{missing}");
    std::fs::write(&file, good).unwrap();
    let well_again = reader.take_up(&told, None).await.unwrap();
    assert!(well_again.fetched > 0);
    assert_eq!(names(&desks.path("reader/catalog")).len(), 7);
}

/// Guards against a file that stays damaged until its kind changes, because what is there is never put again.
#[tokio::test]
async fn a_damaged_file_of_the_segment_store_is_put_again_from_a_whole_copy_only() {
    let desks = Desks::new().await;
    let (leader, reader) = desks.nodes();
    leader.tell(desks.built(None).await, Vec::new()).await.unwrap();
    let told = reader.newest().await.unwrap().unwrap();
    let [stored, own] = ["segments", "leader/catalog"].map(|at| desks.path(at).join(&told.manifest.segments[0].file));
    let good = std::fs::read(&stored).unwrap();
    std::fs::write(&stored, "damaged").unwrap();
    std::fs::write(&own, "damaged here, too").unwrap();
    leader.repair().await.unwrap();
    assert_eq!(std::fs::read(&stored).unwrap(), b"damaged", "nobody found it yet");
    reader.take_up(&told, None).await.unwrap_err();
    let why = leader.repair().await.unwrap_err().to_string();
    assert!(why.contains("restart this node"), "{why}");
    assert_eq!(std::fs::read(&stored).unwrap(), b"damaged", "the copy is no better");
    std::fs::write(&own, &good).unwrap();
    reader.take_up(&told, None).await.unwrap_err();
    leader.repair().await.unwrap();
    assert_eq!(std::fs::read(&stored).unwrap(), good);
    reader.take_up(&told, None).await.unwrap();
}

/// Guards against readers that are never ready because files were deleted: what was named once was not put again.
#[tokio::test]
async fn all_files_that_the_segment_store_lost_are_put_again_once_a_node_misses_one() {
    let desks = Desks::new().await;
    let directory = SegmentStore::open(desks.segments().to_str().unwrap(), &desks.store).unwrap();
    for files in [directory, SegmentStore::Database(desks.store.clone())] {
        let node = |name: &str| {
            let data = desks.path(&format!("{name} of a {}", files.kind()));
            std::fs::create_dir_all(&data).unwrap();
            SharedGenerations::new(desks.store.clone(), files.clone(), CatalogFolder::of(&data, &desks.sources))
        };
        let (leader, reader) = (node("leader"), node("reader"));
        let first = desks.built(None).await;
        leader.tell(Arc::clone(&first), Vec::new()).await.unwrap();
        let told = reader.newest().await.unwrap().unwrap();
        let all: Vec<String> = told.manifest.segments.iter().map(|entry| entry.file.clone()).collect();
        files.delete(&all).await.unwrap();
        reader.take_up(&told, None).await.unwrap_err();
        leader.repair().await.unwrap();
        assert_eq!(reader.take_up(&told, None).await.unwrap().snapshot.revision(), first.revision());
    }
}

/// Guards against a leader that deletes the only copies of what it told last, because it built the next and could not tell that.
#[tokio::test]
async fn a_generation_that_could_not_be_told_leaves_the_files_of_the_one_before() {
    let desks = Desks::new().await;
    let (leader, reader) = desks.nodes();
    let first = desks.built(None).await;
    leader.tell(Arc::clone(&first), Vec::new()).await.unwrap();
    let told = reader.newest().await.unwrap().unwrap();

    let lease = desks.store.take_lease("syncer", "this node", Duration::ZERO).await.unwrap().unwrap();
    desks.store.take_lease("syncer", "another", Duration::from_mins(1)).await.unwrap().unwrap();
    desks.card("tool", "wick").await;
    let second = desks.built(None).await;
    let deposed = leader.under(&desks.store.fenced(lease)).tell(Arc::clone(&second), Vec::new()).await.unwrap_err();
    assert!(deposed.to_string().contains("another process has taken over the lease"), "{deposed}");
    assert_eq!(names(&desks.path("leader/catalog")).len(), 8, "the tools of both");

    std::fs::remove_dir_all(desks.segments()).unwrap();
    reader.take_up(&told, None).await.unwrap_err();
    leader.repair().await.unwrap();
    assert_eq!(reader.take_up(&told, None).await.unwrap().snapshot.revision(), first.revision());
    leader.tell(second, Vec::new()).await.unwrap();
    assert_eq!(names(&desks.path("leader/catalog")).len(), 7, "what was told in place of it is deleted");
}

/// Guards against a node that never shows a generation because its disk damaged a file, and a reader that begins with it and is never ready.
#[tokio::test]
async fn a_file_that_the_disk_of_a_node_damaged_is_fetched_again() {
    let desks = Desks::new().await;
    let (leader, reader) = desks.nodes();
    let first = desks.built(None).await;
    leader.tell(Arc::clone(&first), Vec::new()).await.unwrap();
    let told = reader.newest().await.unwrap().unwrap();
    reader.take_up(&told, None).await.unwrap();
    let file = desks.path("reader/catalog").join(&told.manifest.segments[0].file);
    let good = std::fs::read(&file).unwrap();
    std::fs::write(&file, &good[..good.len() / 2]).unwrap();
    let again = reader.take_up(&told, None).await.unwrap();
    assert_eq!((again.fetched, again.snapshot.revision()), (1, first.revision()));
    assert_eq!(std::fs::read(&file).unwrap(), good);
}

/// Before, it was deleted first: of a process that had too many files open for a moment all segments were, and with the database down its
/// next start had no catalog.
#[tokio::test]
async fn a_file_that_cannot_be_read_stays_until_another_is_there_in_its_place() {
    let desks = Desks::new().await;
    let (leader, reader) = desks.nodes();
    leader.tell(desks.built(None).await, Vec::new()).await.unwrap();
    let told = reader.newest().await.unwrap().unwrap();
    reader.take_up(&told, None).await.unwrap();
    let name = &told.manifest.segments[0].file;
    let [own, stored] = ["reader/catalog", "segments"].map(|folder| desks.path(folder).join(name));
    let good = std::fs::read(&own).unwrap();
    std::fs::write(&own, &good[..good.len() / 2]).unwrap();
    std::fs::rename(&stored, desks.path("elsewhere")).unwrap();
    let missing = reader.take_up(&told, None).await.unwrap_err().to_string();
    assert!(missing.contains("the segment store has no"), "{missing}");
    assert_eq!(std::fs::read(&own).unwrap(), good[..good.len() / 2]);
    std::fs::rename(desks.path("elsewhere"), &stored).unwrap();
    assert_eq!(reader.take_up(&told, None).await.unwrap().fetched, 1);
    assert_eq!(std::fs::read(&own).unwrap(), good);
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

/// A node and each `refdesk mcp` beside it fetch into one folder. Before, they wrote into one unfinished file, and told each other's half as
/// damage of the segment store.
#[tokio::test(flavor = "multi_thread")]
async fn processes_of_one_data_directory_fetch_the_same_files_at_once() {
    let desks = Desks::new().await;
    let (leader, _) = desks.nodes();
    let first = desks.built(None).await;
    leader.tell(Arc::clone(&first), Vec::new()).await.unwrap();
    let told = leader.newest().await.unwrap().unwrap();
    let shared = desks.segments().display().to_string();
    for round in 0..10 {
        let name = format!("reader {round}");
        let processes: Vec<SharedGenerations> = (0..3).map(|_| desks.node(&name, &shared)).collect();
        let fetches = processes.iter().map(|process| process.fetch(&told));
        for fetched in futures::future::join_all(fetches).await {
            fetched.unwrap();
        }
        assert_eq!(names(&desks.path(&name).join("catalog")), names(&desks.segments()), "round {round}");
    }
    assert_eq!(desks.store.meta("damaged_segment_file").await.unwrap(), None, "nothing was damaged");
}

#[tokio::test]
async fn what_a_killed_process_left_half_fetched_is_deleted_after_an_hour() {
    let desks = Desks::new().await;
    let (leader, reader) = desks.nodes();
    leader.tell(desks.built(None).await, Vec::new()).await.unwrap();
    let told = reader.newest().await.unwrap().unwrap();
    reader.fetch(&told).await.unwrap();
    let [old, young] =
        ["old", "young"].map(|name| desks.path("reader/catalog").join(format!("tools-1.{name}.fetched")));
    for path in [&old, &young] {
        std::fs::write(path, "half").unwrap();
    }
    let hours_ago = SystemTime::now() - Duration::from_hours(2);
    std::fs::File::options().write(true).open(&old).unwrap().set_modified(hours_ago).unwrap();
    reader.take_up(&told, None).await.unwrap();
    assert_eq!((old.exists(), young.exists()), (false, true), "another process may still write to the young one");
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

#[tokio::test]
async fn files_that_only_old_generations_name_are_deleted_and_the_last_three_stay() {
    let desks = Desks::new().await;
    let (leader, _) = desks.nodes();
    let mut told = Vec::new();
    for id in ["a", "b", "c", "d"] {
        desks.card("tool", id).await;
        leader.tell(desks.built(None).await, Vec::new()).await.unwrap();
        told.push(leader.newest().await.unwrap().unwrap());
    }
    let before = names(&desks.segments());
    assert_eq!(before.len(), 6 + 4, "the tools of each generation, and six kinds that never changed");
    // All of them were told a moment ago: a reader may be fetching the oldest.
    let now = refdesk_ingest::clock::now();
    leader.sweep(now).await.unwrap();
    assert_eq!(names(&desks.segments()), before);
    // A file that cannot be deleted keeps its generation, which is tried again.
    let later = now.plus_secs(2 * 3_600);
    let old = before.iter().find(|name| told[1..].iter().all(|told| !told.manifest.names(name))).unwrap();
    std::fs::remove_file(desks.segments().join(old)).unwrap();
    std::fs::create_dir(desks.segments().join(old)).unwrap();
    assert!(leader.sweep(later).await.is_err());
    assert_eq!(desks.store.generations().await.unwrap().len(), 4);
    std::fs::remove_dir(desks.segments().join(old)).unwrap();
    std::fs::write(desks.segments().join(old), "").unwrap();
    leader.sweep(later).await.unwrap();
    assert_eq!(desks.store.generations().await.unwrap().len(), 3);
    let after = names(&desks.segments());
    let gone: Vec<&String> = before.iter().filter(|name| !after.contains(name)).collect();
    assert!(matches!(gone[..], [name] if told[0].manifest.names(name)), "{gone:?}");
    let files = std::fs::read_dir(desks.segments()).unwrap().map(|file| file.unwrap().path());
    assert_eq!(files.filter(|path| path.extension().is_some_and(|it| it == "manifest")).count(), 3);
    assert_eq!(leader.newest().await.unwrap().unwrap().id, told[3].id);
}

/// Before, what a leader had put that was killed before it told of it stayed in the database for good.
#[tokio::test]
async fn files_of_the_database_that_no_generation_names_are_deleted() {
    let desks = Desks::new().await;
    let files = SegmentStore::Database(desks.store.clone());
    let data = desks.path("leader");
    std::fs::create_dir_all(&data).unwrap();
    let leader = SharedGenerations::new(desks.store.clone(), files.clone(), CatalogFolder::of(&data, &desks.sources));
    leader.tell(desks.built(None).await, Vec::new()).await.unwrap();
    let told = files.names().await.unwrap();
    desks.store.put_segment_file("tools-untold.segment", &mut &b"left behind"[..]).await.unwrap();
    leader.sweep(clock::now()).await.unwrap();
    assert_eq!(files.names().await.unwrap(), told);
    assert_eq!(told.len(), 7);
}

/// Before, it was one of the three that stay, in the place of a newer one, for as long as its time lay ahead.
#[tokio::test]
async fn a_manifest_that_a_clock_named_which_was_ahead_goes_with_its_generation() {
    let desks = Desks::new().await;
    let (leader, _) = desks.nodes();
    let manifests = || {
        let files = std::fs::read_dir(desks.segments()).unwrap().map(|file| file.unwrap().path());
        let mut manifests: Vec<PathBuf> =
            files.filter(|path| path.extension().is_some_and(|it| it == "manifest")).collect();
        manifests.sort();
        manifests
    };
    leader.tell(desks.built(None).await, Vec::new()).await.unwrap();
    let first = manifests().remove(0);
    let (_, rest) = first.file_name().unwrap().to_str().unwrap().split_once('-').unwrap();
    let ahead = desks.segments().join(format!("{:012}-{rest}", clock::now().plus_secs(366 * 86_400).0));
    std::fs::rename(&first, &ahead).unwrap();
    for id in ["wick", "oil", "match"] {
        desks.card("tool", id).await;
        leader.tell(desks.built(None).await, Vec::new()).await.unwrap();
    }
    let before = manifests();
    assert_eq!((before.len(), before.last()), (4, Some(&ahead)));
    leader.sweep(clock::now().plus_secs(2 * 3_600)).await.unwrap();
    assert_eq!(manifests(), before[..3], "those of the generations that are kept");
}

/// What is told names files that are there already; deleting what nobody names may run at that moment.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_told_again_is_never_deleted_meanwhile() {
    let desks = Desks::new().await;
    let (leader, _) = desks.nodes();
    let (mut others, again) = (Vec::new(), desks.built(None).await);
    for id in ["a", "b", "c"] {
        desks.card("tool", id).await;
        others.push(desks.built(None).await);
    }
    leader.tell(Arc::clone(&again), Vec::new()).await.unwrap();
    for round in 0..40 {
        for other in &others {
            leader.tell(Arc::clone(other), Vec::new()).await.unwrap();
        }
        let (telling, sweeping) = (leader.clone(), leader.under(&desks.store));
        let told = tokio::spawn({
            let again = Arc::clone(&again);
            async move { telling.tell(again, Vec::new()).await.unwrap() }
        });
        tokio::time::sleep(Duration::from_micros(250 * (round % 20))).await;
        sweeping.sweep(clock::now().plus_secs(2 * 3_600)).await.unwrap();
        told.await.unwrap();
        let newest = leader.newest().await.unwrap().unwrap();
        let there = names(&desks.segments());
        let gone = newest.manifest.segments.iter().find(|entry| !there.contains(&entry.file));
        assert!(gone.is_none(), "round {round}: {gone:?} was named and deleted");
    }
}
