//! The catalog on disk: a file a segment, and nothing that is damaged, foreign or of another format is taken for it.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use refdesk_catalog::snapshot::{Input, Snapshot};
use refdesk_core::{Kind, Stamp};
use refdesk_ingest::config::SourceConfig;
use refdesk_ingest::generation::{self, CatalogFolder, Changes, Generations, SourceStates};
use refdesk_ingest::store::{STORE_FILE, SourceState, Store};
use serde_json::{Value, json};

const NOW: Stamp = Stamp(1_790_000_000);

fn card(kind: &str, id: &str) -> String {
    format!(
        "kind: {kind}\nid: {id}\ndisplay_name: {id}\nsource_url: https://lamp.example/{id}\ncategory: test\ndescription: Gives light.\n"
    )
}

/// A store with a tool and a skill, and the folder of their cards.
struct Bench {
    folder: tempfile::TempDir,
    store: Store,
    sources: Vec<SourceConfig>,
}

impl Bench {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let cards = folder.path().join("cards");
        std::fs::create_dir(&cards).unwrap();
        std::fs::write(cards.join("lamp.yaml"), card("tool", "lamp")).unwrap();
        let sources = vec![SourceConfig::new("mine", "cards", cards.display().to_string())];
        let store = Store::open(&folder.path().join(STORE_FILE)).await.unwrap();
        let bench = Self { folder, store, sources };
        bench.sync().await;
        bench
    }

    async fn sync(&self) {
        super::sync(&self.store, &self.sources).await;
    }

    fn data(&self) -> &Path {
        self.folder.path()
    }

    fn generations(&self) -> Generations {
        Generations::new(self.store.clone(), self.sources.clone(), Some(self.data()))
    }

    async fn built(&self) -> Snapshot {
        let loaded = generation::load(&self.store, &self.sources, NOW).await.unwrap();
        let (facts, sources) = (&loaded.facts[..], loaded.sources);
        Snapshot::build(&Input { facts, sources, now: NOW, generation: 1, before: None, texts: None })
    }

    fn files(&self) -> Vec<String> {
        let names = std::fs::read_dir(self.data().join("catalog")).unwrap().map(|file| file.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.retain(|name| !name.contains(".new") && name != "writer.lock");
        names.sort();
        names
    }

    /// Changes the manifest.
    fn with_manifest(&self, change: impl FnOnce(&mut Value)) {
        let path = self.data().join("catalog/manifest.json");
        let mut manifest: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        change(&mut manifest);
        std::fs::write(&path, manifest.to_string()).unwrap();
    }
}

#[tokio::test]
async fn only_segments_that_changed_are_written_and_what_is_not_named_is_deleted() {
    let bench = Bench::new().await;
    let folder = CatalogFolder::new(bench.data(), "these".into());
    assert!(folder.read().unwrap().is_none(), "nothing is there yet");
    let first = bench.built().await;
    folder.write(&first, &SourceStates::new()).unwrap();
    let before = bench.files();
    assert_eq!(before.len(), 8, "{before:?}");
    let (read, states) = folder.read().unwrap().unwrap();
    assert_eq!((read.revision(), read.item_count(), states), (first.revision(), 1, SourceStates::new()));

    std::fs::write(bench.data().join("cards/wick.yaml"), card("tool", "wick")).unwrap();
    bench.sync().await;
    let second = bench.built().await;
    folder.write(&second, &SourceStates::new()).unwrap();
    assert_eq!(bench.files().len(), 9, "the tools of before stay until they are deleted");
    folder.delete_unnamed().unwrap();
    let after = bench.files();
    let gone: Vec<&String> = before.iter().filter(|name| !after.contains(name)).collect();
    assert!(matches!(gone[..], [name] if name.starts_with("tools-")), "{gone:?}");
    assert_eq!(after.len(), 8, "the tools of before are deleted: {after:?}");
    assert_eq!(folder.read().unwrap().unwrap().0.revision(), second.revision());
    CatalogFolder::delete(bench.data()).unwrap();
    CatalogFolder::delete(bench.data()).unwrap();
    assert!(folder.read().unwrap().is_none());
}

/// A lock on the file that becomes the manifest would not do: whoever opens it just before it is renamed truncates the manifest in force.
#[tokio::test]
async fn writers_lock_a_file_that_stays_where_it_is_and_who_comes_second_writes_nothing() {
    let bench = Bench::new().await;
    let folder = CatalogFolder::new(bench.data(), "these".into());
    let snapshot = bench.built().await;
    folder.write(&snapshot, &SourceStates::new()).unwrap().unwrap();
    let (lock, manifest) = (bench.data().join("catalog/writer.lock"), bench.data().join("catalog/manifest.json"));
    let before = std::fs::read(&manifest).unwrap();
    let others = File::open(&lock).unwrap();
    others.lock().unwrap();
    let states = vec![("mine".to_owned(), SourceState::default())];
    assert!(folder.write(&snapshot, &states).unwrap().is_none(), "another writes");
    assert_eq!(std::fs::read(&manifest).unwrap(), before);
    others.unlock().unwrap();
    folder.write(&snapshot, &states).unwrap().unwrap();
    assert_ne!(std::fs::read(&manifest).unwrap(), before);
    others.lock().unwrap();
    assert!(folder.write(&snapshot, &states).unwrap().is_none(), "it is still the file that writers lock");
}

#[tokio::test]
async fn a_catalog_of_others_and_of_another_format_is_left_alone() {
    let bench = Bench::new().await;
    let folder = CatalogFolder::new(bench.data(), "these".into());
    folder.write(&bench.built().await, &SourceStates::new()).unwrap();
    let others = CatalogFolder::new(bench.data(), "others".into());
    assert!(others.read().unwrap().is_none() && others.is_of_others() && !folder.is_of_others());
    bench.with_manifest(|manifest| manifest["format"] = json!(manifest["format"].as_u64().unwrap() + 1));
    assert!(folder.read().unwrap().is_none());
}

#[tokio::test]
async fn a_manifest_that_names_what_is_not_there_is_refused() {
    let bench = Bench::new().await;
    let folder = CatalogFolder::new(bench.data(), "these".into());
    let refused = |change: &dyn Fn(&mut Value)| {
        folder.write(&bench_snapshot(&folder), &SourceStates::new()).unwrap();
        bench.with_manifest(change);
        folder.read().unwrap_err().to_string()
    };
    folder.write(&bench.built().await, &SourceStates::new()).unwrap();
    assert!(
        refused(&|manifest| drop(manifest["segments"].as_array_mut().unwrap().pop())).contains("names no frameworks")
    );
    assert!(
        refused(&|manifest| manifest["segments"][0]["file"] = json!("../models.segment"))
            .contains("no name of a segment")
    );
    assert!(refused(&|manifest| manifest["segments"][0]["file"] = json!("models-0.segment")).contains("No such file"));
    let other_kind = |manifest: &mut Value| manifest["segments"][0]["file"] = manifest["segments"][1]["file"].clone();
    assert!(refused(&other_kind).contains("format"), "the file of another kind");
}

/// What the folder has, to be written again.
fn bench_snapshot(folder: &CatalogFolder) -> Snapshot {
    match folder.read() {
        Ok(Some((snapshot, _))) => snapshot,
        _ => Snapshot::empty(NOW),
    }
}

#[tokio::test]
async fn a_manifest_that_is_too_long_is_refused() {
    let bench = Bench::new().await;
    let folder = CatalogFolder::new(bench.data(), "these".into());
    folder.write(&bench.built().await, &SourceStates::new()).unwrap();
    let path = bench.data().join("catalog/manifest.json");
    let text = [" ".repeat(64 << 20).into_bytes(), std::fs::read(&path).unwrap()].concat();
    std::fs::write(&path, text).unwrap();
    assert!(folder.read().unwrap_err().to_string().contains("manifest.json"));
}

#[tokio::test]
async fn a_first_generation_is_read_and_takes_in_what_was_synced_since() {
    let bench = Bench::new().await;
    let first = bench.generations().first().await.unwrap();
    assert!(first.built);
    bench.generations().keep(first.snapshot.clone(), first.states).await;
    let again = bench.generations().first().await.unwrap();
    assert!(!again.built, "all of it is from disk");
    assert_eq!(again.snapshot.revision(), first.snapshot.revision());

    std::fs::write(bench.data().join("cards/wick.yaml"), card("tool", "wick")).unwrap();
    bench.sync().await;
    let next = bench.generations().first().await.unwrap();
    assert!(next.built);
    assert_eq!(next.snapshot.segment(Kind::Tool).len(), 2);
    // Whether the state of a source tells of its facts or they are looked at: nothing changed since.
    for unmarked in [vec![], vec!["mine".to_owned()]] {
        let changes = Changes { unmarked, ..Changes::default() };
        assert!(bench.generations().next(next.snapshot.clone(), Some(changes)).await.unwrap().is_none());
    }
    let changes =
        Changes { kinds: vec![("other".into(), Kind::Model), ("mine".into(), Kind::Tool)], ..Changes::default() };
    let built = bench.generations().next(next.snapshot.clone(), Some(changes)).await.unwrap().unwrap();
    let is_new = |kind: Kind| !Arc::ptr_eq(&built.segments()[kind.index()], &next.snapshot.segments()[kind.index()]);
    assert_eq!(Kind::ALL.map(is_new), Kind::ALL.map(|kind| kind == Kind::Tool), "`other` speaks not here");
    let all = bench.generations().next(next.snapshot.clone(), None).await.unwrap().unwrap();
    assert_eq!((all.revision(), all.generation()), (next.snapshot.revision(), next.snapshot.generation() + 1));
}

/// Which file stands under the name of the router: writing makes another one.
#[cfg(unix)]
fn router_file(bench: &Bench) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(bench.data().join("catalog/frameworks.router")).ok().map(|file| file.ino())
}

#[cfg(unix)]
#[tokio::test]
async fn the_router_is_trained_once_for_a_set_of_cards() {
    let bench = Bench::new().await;
    let add = |card: &str| {
        let cards = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalog/frameworks");
        std::fs::copy(cards.join(card), bench.data().join("cards").join(card.replace('/', "-"))).unwrap();
    };
    let question = "We start in a month. How could this go wrong?";
    let route = |snapshot: &Snapshot| snapshot.router().route(question, refdesk_route::Filter::default());
    add("risk/premortem.md");
    add("people/raci.md");
    bench.sync().await;
    let first = bench.generations().first().await.unwrap();
    assert_eq!(router_file(&bench), None, "nobody asked for it");
    let answer = route(&first.snapshot);
    bench.generations().keep(first.snapshot.clone(), first.states).await;
    let kept = router_file(&bench).unwrap();

    let again = bench.generations().first().await.unwrap();
    assert_eq!(route(&again.snapshot), answer);
    assert_eq!(router_file(&bench), Some(kept), "it was read");

    add("strategy/swot.md");
    bench.sync().await;
    let next = bench.generations().first().await.unwrap();
    assert_eq!(next.snapshot.router().cards().len(), 3);
    let of_three = router_file(&bench).unwrap();
    assert_ne!(of_three, kept, "it was trained on the cards that are there now");

    std::fs::write(bench.data().join("catalog/frameworks.router"), "no router").unwrap();
    let next = bench.generations().first().await.unwrap();
    assert_eq!(next.snapshot.router().cards().len(), 3);
    assert_ne!(router_file(&bench), Some(of_three), "one that cannot be read is replaced");
    assert!(bench.files().iter().all(|name| !name.contains("router.")), "nothing unfinished is left");
}

/// Before, a start waited for ever for somebody to write into the pipe.
#[cfg(unix)]
#[tokio::test]
async fn a_pipe_in_the_place_of_a_file_is_passed_over_and_replaced() {
    let bench = Bench::new().await;
    let first = bench.generations().first().await.unwrap();
    bench.generations().keep(Arc::clone(&first.snapshot), first.states).await;
    let tools = bench.files().into_iter().find(|name| name.starts_with("tools-")).unwrap();
    for name in [&tools, "manifest.json"] {
        let path = bench.data().join("catalog").join(name);
        std::fs::remove_file(&path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let again = tokio::time::timeout(Duration::from_mins(1), async {
            let again = bench.generations().first().await.unwrap();
            bench.generations().keep(Arc::clone(&again.snapshot), again.states).await;
            (again.snapshot, again.built)
        });
        let (snapshot, built) = again.await.unwrap();
        assert_eq!((snapshot.stats().total(), built), (first.snapshot.stats().total(), true), "{name}");
        assert!(path.metadata().unwrap().is_file(), "{name}");
    }
}

/// Before, times that a disk had changed were shown until the next sync of their source.
#[tokio::test]
async fn a_manifest_that_was_changed_on_disk_is_not_believed() {
    let bench = Bench::new().await;
    let first = bench.generations().first().await.unwrap();
    bench.generations().keep(Arc::clone(&first.snapshot), first.states).await;
    assert!(!bench.generations().first().await.unwrap().built, "it is read as it was written");
    let path = bench.data().join("catalog/manifest.json");
    let mut text = std::fs::read_to_string(&path).unwrap();
    // A century later, of a time of the last segment.
    let time = "\"last_synced_at\": \"20";
    let year = text.rfind(time).unwrap() + time.len() - 1;
    text.replace_range(year..=year, "1");
    std::fs::write(&path, text).unwrap();
    let folder = CatalogFolder::of(bench.data(), &bench.sources);
    let refused = folder.read().unwrap_err().to_string();
    assert!(refused.contains("manifest.json: its checksum is another"), "{refused}");
    assert!(bench.generations().first().await.unwrap().built);
}
