//! The contract of what several processes share in one store: head, leases and the fence, flights, generations, requests, segment files.

use std::time::Duration;

use crate::engines::engines;
use crate::support::{commit, document, key, model, run};
use refdesk_core::fact::Verdict;
use refdesk_core::{Kind, Stamp};
use refdesk_ingest::store::{
    Accept, Decision, Effect, Flight, Head, Lease, RunOutcome, SEGMENT_CHUNK_BYTES, SYNC_REQUESTS_MAX, SourceState,
    Store, StoreError, SyncNote,
};

const T0: Stamp = Stamp(1_000_000);
const T1: Stamp = Stamp(1_003_600);
const LONG: Duration = Duration::from_mins(10);

/// Takes a lease that is free.
async fn take(store: &Store, holder: &str) -> Lease {
    store.take_lease("leader", holder, LONG).await.unwrap().unwrap()
}

#[tokio::test]
async fn a_lease_is_held_by_one_until_it_expires_or_is_given_up_and_its_epoch_counts_up() {
    for store in engines().await {
        assert_eq!(store.lease("leader").await.unwrap(), None);
        let first = take(&store, "a").await;
        assert_eq!((first.epoch, first.holder.as_str()), (1, "a"));
        assert_eq!(store.take_lease("leader", "b", LONG).await.unwrap(), None, "it is held");
        assert_eq!(store.take_lease("leader", "a", LONG).await.unwrap(), None, "by the holder as well");
        assert!(store.take_lease("other", "b", LONG).await.unwrap().is_some(), "another name is another lease");
        let known = store.lease("leader").await.unwrap().unwrap();
        assert_eq!(known.lease, first);
        assert!(known.remaining.unwrap() <= LONG && known.remaining.unwrap() > LONG / 2);

        assert!(store.renew_lease(&first, Duration::ZERO).await.unwrap());
        assert!(!store.lease("leader").await.unwrap().unwrap().is_live(), "it holds no longer");
        assert!(store.renew_lease(&first, LONG).await.unwrap(), "nobody took it");
        assert!(store.renew_lease(&first, Duration::ZERO).await.unwrap());
        let second = take(&store, "b").await;
        assert_eq!(second.epoch, 2);
        assert!(!store.renew_lease(&first, LONG).await.unwrap(), "it is another's");
        store.release_lease(&first).await.unwrap();
        assert!(store.lease("leader").await.unwrap().unwrap().is_live(), "nobody gives up what is another's");

        store.release_lease(&second).await.unwrap();
        let given_up = store.lease("leader").await.unwrap().unwrap();
        assert_eq!((given_up.is_live(), given_up.lease.holder.as_str()), (false, ""));
        assert!(!store.renew_lease(&second, LONG).await.unwrap());
        assert_eq!(take(&store, "b").await.epoch, 3);
    }
}

#[tokio::test]
async fn of_many_who_take_a_lease_at_once_one_gets_it() {
    for store in engines().await {
        let takes = (0..16).map(|number| {
            let store = store.clone();
            async move { store.take_lease("leader", &format!("h{number}"), LONG).await.unwrap() }
        });
        let taken: Vec<_> = futures::future::join_all(takes).await.into_iter().flatten().collect();
        assert_eq!(taken.len(), 1);
        assert_eq!(taken[0].epoch, 1);
    }
}

#[tokio::test]
async fn whoever_lost_the_lease_writes_nothing_more_and_the_next_holder_does() {
    for store in engines().await {
        let first = take(&store, "a").await;
        let deposed = store.fenced(first.clone());
        deposed.commit_sync(&commit("s", T0, vec![model("m", "1")])).await.unwrap();
        store.release_lease(&first).await.unwrap();
        let second = take(&store, "b").await;
        let before = (store.facts(&Kind::ALL).await.unwrap(), store.runs("s", 10).await.unwrap(), head(&store).await);

        let is_deposed = |error: StoreError| match error {
            StoreError::Deposed { epoch } => assert_eq!(epoch, first.epoch),
            other => panic!("{other:?}"),
        };
        let operator = run("s", T1, RunOutcome::Removed);
        let decision = Decision { kind: Kind::Model, key: "m".into(), path: "p".into(), verdict: Verdict::Refused };
        is_deposed(deposed.commit_sync(&commit("s", T1, vec![model("m", "2")])).await.unwrap_err());
        is_deposed(deposed.note_sync(&note("s")).await.unwrap_err());
        is_deposed(deposed.remove_source("s", &operator).await.unwrap_err());
        is_deposed(deposed.note_run(&operator).await.unwrap_err());
        is_deposed(deposed.decide("s", &[decision], T1, &operator).await.unwrap_err());
        is_deposed(deposed.restore().await.err().unwrap());
        is_deposed(deposed.put_embeddings("m", &[]).await.unwrap_err());
        is_deposed(deposed.put_generation("r", "{}", T1).await.unwrap_err());
        is_deposed(deposed.generations_before(1, T1).await.unwrap_err());
        is_deposed(deposed.delete_generations_until(1).await.unwrap_err());
        is_deposed(deposed.begin_flight("s", T1).await.unwrap_err());
        is_deposed(deposed.put_segment_file("f", &mut &b"x"[..]).await.unwrap_err());
        is_deposed(deposed.replace_segment_file("f", &mut &b"x"[..]).await.unwrap_err());
        is_deposed(deposed.delete_segment_files(&["f".into()]).await.unwrap_err());
        is_deposed(deposed.set_segment_format(9).await.unwrap_err());
        is_deposed(deposed.check_lease().await.unwrap_err());
        let after = (store.facts(&Kind::ALL).await.unwrap(), store.runs("s", 10).await.unwrap(), head(&store).await);
        assert_eq!(after, before, "nothing of it stands");

        // What belongs to a node or to its operator is written all the same.
        store.check_lease().await.unwrap();
        deposed.set_meta("name", "value").await.unwrap();
        deposed.insert_key(&key("k", 1)).await.unwrap();
        let request = deposed.request_sync(&[], &Accept::No, T1).await.unwrap();
        is_deposed(deposed.finish_sync_request(request, T1, "deposed").await.unwrap_err());
        assert_eq!(store.sync_requests_waiting().await.unwrap().len(), 1, "whoever leads now does it");

        let counts = store.fenced(second).commit_sync(&commit("s", T1, vec![model("m", "2")])).await.unwrap();
        assert_eq!(counts.changed, 1);
    }
}

async fn head(store: &Store) -> Head {
    store.head().await.unwrap()
}

fn note(source_id: &str) -> SyncNote {
    SyncNote {
        source_id: source_id.into(),
        state: SourceState::default(),
        run: run(source_id, T1, RunOutcome::Confirmed),
        effect: Effect::None,
    }
}

#[tokio::test]
async fn the_head_moves_with_what_readers_show_and_apart_with_keys() {
    for store in engines().await {
        assert_eq!(head(&store).await, Head::default());
        let mut revision = 0;
        let mut moved = async |store: &Store| {
            revision += 1;
            assert_eq!(head(store).await.revision, revision);
        };
        store.commit_sync(&commit("s", T0, vec![model("m", "1")])).await.unwrap();
        moved(&store).await;
        store.note_sync(&note("s")).await.unwrap();
        moved(&store).await;
        let operator = run("s", T1, RunOutcome::Reviewed);
        store.decide("s", &[], T1, &operator).await.unwrap();
        moved(&store).await;
        store.remove_source("s", &operator).await.unwrap();
        moved(&store).await;
        store.restore().await.unwrap().commit().await.unwrap();
        moved(&store).await;

        let before = head(&store).await;
        store.set_meta("name", "value").await.unwrap();
        store.touch_keys(&[("k".into(), T0)]).await.unwrap();
        store.note_run(&operator).await.unwrap();
        assert_eq!(head(&store).await, before);
        store.insert_key(&key("k", 1)).await.unwrap();
        assert_eq!(head(&store).await, Head { keys_revision: 1, ..before.clone() });
        store.revoke_key("k", T1).await.unwrap();
        store.set_min_version("0.2.0").await.unwrap();
        store.set_segment_format(7).await.unwrap();
        store.set_catalog_version("0.3.1").await.unwrap();
        let told = Head {
            keys_revision: 2,
            min_version: "0.2.0".into(),
            segment_format: 7,
            catalog_version: "0.3.1".into(),
            ..before
        };
        assert_eq!(head(&store).await, told);
    }
}

#[tokio::test]
async fn a_flight_shows_only_while_its_epoch_is_the_live_leases() {
    for store in engines().await {
        store.begin_flight("unfenced", T0).await.unwrap();
        assert_eq!(store.flights().await.unwrap(), [], "who has no lease is alone");
        let first = take(&store, "a").await;
        let leader = store.fenced(first.clone());
        leader.begin_flight("s", T0).await.unwrap();
        leader.begin_flight("r", T1).await.unwrap();
        let flight = |source_id: &str, epoch, started_at| Flight { source_id: source_id.into(), epoch, started_at };
        assert_eq!(store.flights().await.unwrap(), [flight("r", 1, T1), flight("s", 1, T0)]);
        leader.end_flight("r").await.unwrap();
        assert_eq!(store.flights().await.unwrap(), [flight("s", 1, T0)]);

        store.renew_lease(&first, Duration::ZERO).await.unwrap();
        assert_eq!(store.flights().await.unwrap(), [], "its leader is gone");
        let second = store.fenced(take(&store, "b").await);
        assert_eq!(store.flights().await.unwrap(), [], "another leader does not fly it");
        second.begin_flight("s", T1).await.unwrap();
        assert_eq!(store.flights().await.unwrap(), [flight("s", 2, T1)]);
    }
}

#[tokio::test]
async fn generations_count_up_are_named_by_the_head_and_old_ones_go_but_the_last() {
    for store in engines().await {
        assert_eq!(store.latest_generation().await.unwrap(), None);
        let leader = store.fenced(take(&store, "a").await);
        let mut ids = Vec::new();
        for number in 0..5 {
            let manifest = format!("{{\"n\":{number}}}");
            ids.push(leader.put_generation(&format!("rev{number}"), &manifest, T0.plus_secs(number)).await.unwrap());
            assert_eq!(head(&store).await.generation, ids[ids.len() - 1]);
        }
        assert!(ids.is_sorted());
        let last = store.latest_generation().await.unwrap().unwrap();
        assert_eq!((last.id, last.revision.as_str(), last.epoch), (ids[4], "rev4", 1));
        assert_eq!((last.manifest.as_str(), last.created_at), ("{\"n\":4}", T0.plus_secs(4)));
        assert_eq!(store.generations().await.unwrap().last(), Some(&last));
        for (keep_last, older_than, old) in
            [(3, T0, 0), (3, T0.plus_secs(1), 1), (3, Stamp::MAX, 2), (0, Stamp::MAX, 4), (9, Stamp::MAX, 0)]
        {
            let found = leader.generations_before(keep_last, older_than).await.unwrap();
            assert_eq!(found.iter().map(|stored| stored.id).collect::<Vec<_>>(), ids[..old], "{keep_last}");
        }
        leader.delete_generations_until(ids[3]).await.unwrap();
        assert_eq!(store.generations().await.unwrap(), [last], "the newest never goes");
        assert!(leader.put_generation("rev5", "{}", T0).await.unwrap() > ids[4]);
        // Before, one that was told while a clock was a year ahead kept all that came after it for a year.
        let ahead = leader.put_generation("rev6", "{}", T0.plus_secs(366 * 86_400)).await.unwrap();
        let [next, last] = [7, 8].map(|number| (format!("rev{number}"), T0.plus_secs(number)));
        let next = leader.put_generation(&next.0, "{}", next.1).await.unwrap();
        leader.put_generation(&last.0, "{}", last.1).await.unwrap();
        let found = leader.generations_before(1, T0.plus_secs(8)).await.unwrap();
        assert_eq!(found.iter().map(|stored| stored.id).collect::<Vec<_>>()[2..], [ahead, next]);
        assert_eq!(leader.generations_before(1, T0.plus_secs(7)).await.unwrap().len(), 2, "none after it is old");
    }
}

#[tokio::test]
async fn requests_for_syncs_wait_are_done_once_and_old_ones_are_dropped() {
    for store in engines().await {
        let all = store.request_sync(&[], &Accept::No, T0).await.unwrap();
        let some = store.request_sync(&["a".into(), "b".into()], &Accept::Any, T1).await.unwrap();
        let waiting = store.sync_requests_waiting().await.unwrap();
        assert_eq!(waiting.iter().map(|request| request.id).collect::<Vec<_>>(), [all, some]);
        assert_eq!(
            (waiting[1].source_ids.join(","), waiting[1].accept.clone(), waiting[1].requested_at),
            ("a,b".into(), Accept::Any, T1)
        );
        let reviewed = Accept::State("sha256:1".into());
        let state = store.request_sync(&["a".into()], &reviewed, T1).await.unwrap();
        assert_eq!(store.sync_request(state).await.unwrap().unwrap().accept, reviewed);
        store.finish_sync_request(state, T1, "well").await.unwrap();
        store.finish_sync_request(some, T1, "well").await.unwrap();
        store.finish_sync_request(some, T0, "badly").await.unwrap();
        let done = store.sync_request(some).await.unwrap().unwrap();
        assert_eq!((done.done_at, done.outcome.as_deref()), (Some(T1), Some("well")));
        assert_eq!(store.sync_requests_waiting().await.unwrap().len(), 1);
        assert_eq!(store.sync_request(some + 100).await.unwrap(), None);
        for _ in 0..SYNC_REQUESTS_MAX {
            store.request_sync(&[], &Accept::No, T1).await.unwrap();
        }
        assert_eq!(store.sync_request(some).await.unwrap(), None, "it was done and is beyond the limit");
        assert!(store.sync_request(all).await.unwrap().is_some(), "nobody has done it yet");
    }
}

#[tokio::test]
async fn segment_files_come_back_as_they_were_whole_or_not_at_all() {
    for store in engines().await {
        let large: Vec<u8> = (0..=255).cycle().take(2 * SEGMENT_CHUNK_BYTES + 17).collect();
        let exact = vec![7; SEGMENT_CHUNK_BYTES];
        let files: [(&str, &[u8]); 4] = [("large", &large), ("exact", &exact), ("small", b"x"), ("void", b"")];
        for (name, content) in files {
            assert!(!store.has_segment_file(name).await.unwrap());
            store.put_segment_file(name, &mut &*content).await.unwrap();
            store.put_segment_file(name, &mut &b"another"[..]).await.unwrap();
            let mut read = Vec::new();
            assert_eq!(store.segment_file(name, &mut read).await.unwrap(), Some(content.len() as u64), "{name}");
            assert!(read == content, "{name}");
        }
        let mut read = Vec::new();
        assert_eq!(store.segment_file("nowhere", &mut read).await.unwrap(), None);
        let mut broken = Broken;
        store.put_segment_file("broken", &mut broken).await.unwrap_err();
        assert_eq!(store.segment_files().await.unwrap(), ["exact", "large", "small", "void"]);
        // Before, it was deleted first, and whoever read it then told it missing.
        store.replace_segment_file("large", &mut broken).await.unwrap_err();
        store.segment_file("large", &mut read).await.unwrap();
        assert!(read == large, "what should have taken its place was not whole");
        store.replace_segment_file("large", &mut &b"anew"[..]).await.unwrap();
        read.clear();
        store.segment_file("large", &mut read).await.unwrap();
        assert_eq!(read, b"anew");
        store.delete_segment_files(&["large".into(), "nowhere".into()]).await.unwrap();
        assert_eq!(store.segment_files().await.unwrap(), ["exact", "small", "void"]);
    }
}

/// A file that breaks off after its first piece.
struct Broken;

impl tokio::io::AsyncRead for Broken {
    fn poll_read(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
        _: &mut tokio::io::ReadBuf<'_>,
    ) -> std::task::Poll<std::io::Result<()>> {
        std::task::Poll::Ready(Err(std::io::Error::other("the disk broke")))
    }
}

/// A file whose text would sort otherwise under the rules of a language, and keys that differ by case alone.
#[tokio::test]
async fn facts_come_in_the_order_of_their_bytes() {
    for store in engines().await {
        let keys = ["B", "a", "Z", "ä", "a-b", "aB", "ab", "_", "A"];
        let facts = keys.iter().map(|key| document(key, "text")).collect();
        store.commit_sync(&commit("s", T0, facts)).await.unwrap();
        let mut sorted = keys;
        sorted.sort_unstable();
        let found: Vec<String> = store.source_facts("s").await.unwrap().into_iter().map(|fact| fact.key).collect();
        assert_eq!(found, sorted);
    }
}
