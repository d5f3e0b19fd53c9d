//! Standing, leading, and how leading ends, over a store in memory.

use std::sync::atomic::{AtomicUsize, Ordering};

use std::sync::Mutex;

use refdesk_ingest::config::SourceConfig;
use refdesk_ingest::generation::{CatalogFolder, SharedGenerations};
use refdesk_ingest::segment_store::SegmentStore;
use tokio::io::AsyncWriteExt as _;

use super::*;
use crate::background::{self, LiveConfig, Looked, SILENT_MAX, Shown, Task};
use crate::cluster::bench;

/// The last wait and the last renewal end with it, too: beyond it another leads.
#[tokio::test]
async fn who_cannot_renew_the_lease_leads_no_longer_than_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    let (config, ttl) = (bench::config(folder.path()), Duration::from_secs(3));
    let store = Store::open_in_memory().await.unwrap();
    let cluster = bench::cluster(&store, folder.path(), &config, ttl);
    let candidate = Candidate::new(store.clone(), bench::background(&store, config).await.desk, cluster);
    let asked = Instant::now();
    let lease = store.take_lease(LEASE, &candidate.holder, ttl).await.unwrap().unwrap();
    // A write that never ends has the only connection, so that renewals wait for it.
    let (mut bytes, mut unfinished) = tokio::io::duplex(1);
    let writing = tokio::spawn(async move { store.put_segment_file("unfinished", &mut unfinished).await });
    bytes.write_all(b"ab").await.unwrap(); // the second once the first is read
    let beyond = async {
        tokio::time::sleep_until((asked + ttl).into()).await;
        // From when this goes on: where a busy machine lets both wait, the other goes on then, too.
        tokio::time::sleep(ttl / 6).await;
    };
    let end = tokio::select! {
        biased;
        end = candidate.hold(&lease, asked) => Some(end),
        () = beyond => None,
    };
    assert_eq!(end, Some(End::CutOff), "it leads on beyond its lease");
    writing.abort();
}

/// One failed call neither keeps the bundled cards of a new version away nor makes everything be built anew.
#[tokio::test]
async fn what_a_leader_begins_with_is_tried_again() {
    let mut calls = 0;
    let begun = tried(|| {
        calls += 1;
        std::future::ready(if calls == 1 { Err("the database cannot be reached") } else { Ok(calls) })
    });
    assert_eq!(begun.await, Ok(2));
}

/// A start that did not reach the database could not look at its version.
#[tokio::test]
async fn who_is_older_than_the_database_lets_in_says_so_and_leads_only_while_it_is_let_in() {
    let folder = tempfile::tempdir().unwrap();
    let config = bench::config(folder.path());
    let store = Store::open_in_memory().await.unwrap();
    store.set_min_version("99.0.0").await.unwrap();
    let cluster = bench::cluster(&store, folder.path(), &config, Duration::from_mins(1));
    let work = bench::background(&store, config).await;
    let desk = Arc::clone(&work.desk);
    let tasks = background::start(&work, cluster.tasks(&work), Looked { room_min: 0, alone: false });
    let begun = Instant::now();
    while !desk.faults().contains_key(PART) {
        assert!(begun.elapsed() < Duration::from_mins(1), "nothing is told");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(store.lease(LEASE).await.unwrap(), None, "nobody ever took it");
    store.set_min_version("").await.unwrap();
    while store.lease(LEASE).await.unwrap().is_none() {
        assert!(begun.elapsed() < Duration::from_mins(1), "it does not lead");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(!desk.faults().contains_key(PART), "{:?}", desk.faults());
    // Before, one that led when the last old node was said to be gone led on.
    store.set_min_version("99.0.0").await.unwrap();
    while store.lease(LEASE).await.unwrap().is_none_or(|state| state.is_live()) || !desk.faults().contains_key(PART) {
        assert!(begun.elapsed() < Duration::from_mins(1), "it leads on");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    tasks.abort();
}

#[tokio::test]
async fn who_cannot_do_the_work_gives_the_lease_up_and_leaves_it_to_others_for_a_while() {
    let folder = tempfile::tempdir().unwrap();
    let config = bench::config(folder.path());
    let mut broken = config.clone();
    broken.sources.push(SourceConfig::new("mine", "no-such-connector", "https://lamp.example"));
    let store = Store::open_in_memory().await.unwrap();
    let cluster = bench::cluster(&store, folder.path(), &broken, Duration::from_mins(1));
    let work = bench::background(&store, config).await;
    let tasks = background::start(&work, cluster.tasks(&work), Looked { room_min: 0, alone: false });
    // When it was not given up yet: what is seen late only makes the time from then on longer.
    let (begun, mut before) = (Instant::now(), Instant::now());
    loop {
        assert!(begun.elapsed() < Duration::from_mins(1), "the lease was not taken, given up and taken again");
        let looked = Instant::now();
        match store.lease(LEASE).await.unwrap() {
            // Taken again, although it was for a minute the first time.
            Some(state) if state.lease.epoch > 1 => break,
            Some(state) if !state.is_live() => {}
            None | Some(_) => before = looked,
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(before.elapsed() >= FAILURE_WAIT, "it was taken again after {:?}", before.elapsed());
    tasks.abort();
}

/// Guards against a leader of a large catalog that loses its lease because it shows a generation.
#[tokio::test(flavor = "multi_thread")]
async fn the_lease_is_renewed_while_a_step_of_the_work_takes_long() {
    let renewals = Arc::new(AtomicUsize::new(0));
    let renewed = Arc::clone(&renewals);
    let holding = async move {
        for _ in 0..10_000 {
            tokio::time::sleep(Duration::from_millis(5)).await;
            renewed.fetch_add(1, Ordering::SeqCst);
        }
        End::CutOff
    };
    let counted = Arc::clone(&renewals);
    let work = async move {
        let begun = Instant::now();
        while counted.load(Ordering::SeqCst) < 3 && begun.elapsed() < Duration::from_secs(30) {
            std::thread::sleep(Duration::from_millis(5));
        }
        End::Failed
    };
    assert_eq!(while_held(holding, work).await, End::Failed);
    assert!(renewals.load(Ordering::SeqCst) >= 3, "it was not renewed in half a minute");
}

/// Before, a node whose task was ended while it led said for good that it leads, and took up no generation any more.
#[tokio::test]
async fn a_node_whose_task_is_ended_while_it_leads_says_so_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let config = bench::config(folder.path());
    let store = Store::open_in_memory().await.unwrap();
    let cluster = bench::cluster(&store, folder.path(), &config, Duration::from_mins(1));
    let work = bench::background(&store, config).await;
    let desk = Arc::clone(&work.desk);
    let tasks = background::start(&work, cluster.tasks(&work), Looked { room_min: 0, alone: false });
    let begun = Instant::now();
    while desk.node.lease_epoch().is_none() {
        assert!(begun.elapsed() < Duration::from_mins(1), "it does not lead");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    desk.set_fault(CATALOG_PART, Some("it could not be rebuilt".to_owned()));
    tasks.abort();
    while desk.node.is_leader() {
        assert!(begun.elapsed() < Duration::from_mins(1), "it says that it leads");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(!desk.faults().contains_key(CATALOG_PART), "the next that leads builds it: {:?}", desk.faults());
    assert!(cluster.syncing().is_none());
}

/// Waits for something that a node does within half a minute.
async fn until(what: &str, wanted: impl AsyncFn() -> bool) {
    let begun = Instant::now();
    while !wanted().await {
        assert!(begun.elapsed() < Duration::from_mins(2), "{what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Before, it led for ever, and nothing that was synced was shown on any node.
#[tokio::test]
async fn who_cannot_write_its_data_directory_leaves_the_lease_to_others_until_it_can() {
    let (folder, other_folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = Store::open_in_memory().await.unwrap();
    let config = bench::config(folder.path());
    std::fs::create_dir(folder.path().join("data")).unwrap();
    // Nothing can be written into a folder that is a file.
    let in_the_way = folder.path().join("data/catalog");
    std::fs::write(&in_the_way, "").unwrap();
    let ttl = Duration::from_secs(3);
    let cluster = bench::cluster(&store, folder.path(), &config, ttl);
    let work = bench::background(&store, config).await;
    let desk = Arc::clone(&work.desk);
    let tasks = background::start(&work, cluster.tasks(&work), Looked { room_min: 0, alone: false });
    until("it stands aside", async || desk.faults().contains_key(aside::PART)).await;
    let told = desk.faults()[aside::PART].clone();
    assert!(told.contains("does not lead") && told.contains("make room"), "{told}");
    assert!(desk.metrics.render().contains("refdesk_fault{part=\"data_dir\"} 1"));
    assert!(!store.lease(LEASE).await.unwrap().unwrap().is_live() && !desk.node.is_leader());
    assert_eq!(store.latest_generation().await.unwrap(), None);

    let other_config = bench::config(other_folder.path());
    std::fs::create_dir(other_folder.path().join("data")).unwrap();
    let other_cluster = bench::cluster(&store, folder.path(), &other_config, ttl);
    let other_work = bench::background(&store, other_config).await;
    let other = Arc::clone(&other_work.desk);
    let looked = Looked { room_min: 0, alone: false };
    let other_tasks = background::start(&other_work, other_cluster.tasks(&other_work), looked);
    until("another leads and tells", async || {
        other.node.is_leader() && store.latest_generation().await.unwrap().is_some()
    })
    .await;
    other_tasks.abort();
    until("the other is gone", async || !other.node.is_leader()).await;

    std::fs::remove_file(&in_the_way).unwrap();
    until("it leads again", async || desk.node.is_leader()).await;
    assert!(!desk.faults().contains_key(aside::PART), "{:?}", desk.faults());
    tasks.abort();
}

/// Before, it was told to make room on a disk that had plenty.
#[tokio::test]
async fn whose_catalog_another_process_writes_is_told_that_and_leads_once_it_is_let_go() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_in_memory().await.unwrap();
    let config = bench::config(folder.path());
    let catalog = folder.path().join("data/catalog");
    std::fs::create_dir_all(&catalog).unwrap();
    let held = std::fs::File::create(catalog.join("writer.lock")).unwrap();
    held.lock().unwrap();
    let cluster = bench::cluster(&store, folder.path(), &config, Duration::from_secs(3));
    let work = bench::background(&store, config).await;
    let desk = Arc::clone(&work.desk);
    let tasks = background::start(&work, cluster.tasks(&work), Looked { room_min: 0, alone: false });
    until("it stands aside", async || desk.faults().contains_key(aside::PART)).await;
    let told = desk.faults()[aside::PART].clone();
    assert!(told.contains("another process") && told.contains("does not lead") && !told.contains("room"), "{told}");
    assert!(!store.lease(LEASE).await.unwrap().unwrap().is_live() && !desk.node.is_leader());
    drop(held);
    until("it tells", async || store.latest_generation().await.unwrap().is_some()).await;
    assert!(!desk.faults().contains_key(aside::PART), "{:?}", desk.faults());
    tasks.abort();
}

/// The store's only writing connection is another's, as it is where a network is slow.
#[tokio::test]
async fn who_tells_a_generation_has_half_an_hour_for_it_and_no_more_than_before_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    let config = bench::config(folder.path());
    std::fs::create_dir(folder.path().join("data")).unwrap();
    let store = Store::open(&folder.path().join("data/desk.sqlite3")).await.unwrap();
    let files = SegmentStore::Database(store.clone());
    let catalog = CatalogFolder::of(&folder.path().join("data"), &config.sources);
    let generations = SharedGenerations::new(store.clone(), files, catalog);
    let work = bench::background(&store, config.clone()).await;
    let (mut bytes, mut unfinished) = tokio::io::duplex(1);
    let writer = store.clone();
    let writing = tokio::spawn(async move { writer.put_segment_file("unfinished", &mut unfinished).await });
    bytes.write_all(b"ab").await.unwrap(); // the second once the first is read
    let seen = Arc::new(Mutex::new(None));
    let (publishing, noted) = (work.clone(), Arc::clone(&seen));
    let task = Task::new("publisher", move |pulse| {
        *noted.lock().unwrap() = Some(pulse.clone());
        let share = Share { generations: generations.clone(), shown: Shown::default() };
        let configs = LiveConfig::new(config.clone()).follow();
        let publisher = Publisher::new(publishing.clone(), configs, None, Some(share));
        async move {
            publisher.run(pulse).await;
        }
    });
    let tasks = background::start(&work, vec![task], Looked { room_min: 0, alone: false });
    let granted = || seen.lock().unwrap().as_ref().map(Pulse::granted);
    until("it waits for the segment store", async || granted() == Some(Duration::from_mins(30))).await;
    assert_eq!(store.latest_generation().await.unwrap(), None);
    writing.abort();
    until("it is told", async || store.latest_generation().await.unwrap().is_some()).await;
    until("it is done", async || granted() == Some(SILENT_MAX)).await;
    tasks.abort();
}
