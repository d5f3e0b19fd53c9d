//! What is deleted: generations that nobody needs, their files, and what processes left behind that were killed.

use super::*;

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
    assert_eq!((before.len(), before.first()), (4, Some(&ahead)), "what was told after it is named after it");
    leader.sweep(clock::now().plus_secs(2 * 3_600)).await.unwrap();
    assert_eq!(manifests(), before[1..], "those of the generations that are kept");
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
