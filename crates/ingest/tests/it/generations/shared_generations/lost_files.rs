//! Files that the segment store or the disk of a node lost or damaged: none is believed, and each is put back from a whole copy.

use super::*;

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
    assert!(
        missing.contains("the segment store has no") && missing.contains("give all nodes one `segment_store`"),
        "{missing}"
    );
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
