//! Entries that could not be read: their facts are held back until they can be, whatever happens to the source in between.

use refdesk_core::{Reject, StaleReason, Stamp};
use refdesk_ingest::store::Effect;

use super::contract::note;
use crate::engines::engines;
use crate::support::{commit, model};

const T0: Stamp = Stamp(1_000_000);
const T1: Stamp = Stamp(1_003_600);
const T2: Stamp = Stamp(1_007_200);

#[tokio::test]
async fn a_fact_whose_record_turned_bad_is_kept_and_held_back() {
    for store in engines().await {
        store.commit_sync(&commit("s", T0, vec![model("good", "1"), model("bad", "1")])).await.unwrap();
        let mut second = commit("s", T1, vec![model("good", "1")]);
        second.rejects = vec![Reject::new("bad", "`limit` is not a number; write one", "{\"limit\": \"x\"}")];
        let counts = store.commit_sync(&second).await.unwrap();
        assert_eq!((counts.removed, counts.rejects), (0, 1));
        assert_eq!(store.rejects("s").await.unwrap(), second.rejects);
        let bad = store.source_facts("s").await.unwrap().into_iter().find(|fact| fact.key == "bad").unwrap();
        assert_eq!(bad.standing.removed_at, None);
        assert_eq!(bad.standing.held_back, Some(StaleReason::ParseFailed));
        assert_eq!(bad.standing.last_verified_at, Some(T0));

        // A confirmation of the same bytes confirms the reject as well, so the fact stays held back.
        store.note_sync(&note("s", T2, Effect::Confirm { at: T2, synced: false, validators: None })).await.unwrap();
        let facts = store.source_facts("s").await.unwrap();
        let of = |key: &str| facts.iter().find(|fact| fact.key == key).unwrap().standing;
        assert_eq!(of("bad").held_back, Some(StaleReason::ParseFailed));
        assert_eq!((of("good").last_synced_at, of("good").last_verified_at), (T1, Some(T2)));
        assert_eq!((of("good").changed_at, of("bad").changed_at), (T0, T0));
    }
}

#[tokio::test]
async fn a_reject_holds_its_fact_back_however_its_key_is_written() {
    let long = "k".repeat(1_024);
    for store in engines().await {
        let keys = ["two  blanks", " at\tits end ", "hidden\u{200b}", long.as_str()];
        store.commit_sync(&commit("s", T0, keys.iter().map(|key| model(key, "1")).collect())).await.unwrap();
        let mut second = commit("s", T1, Vec::new());
        second.rejects = keys.iter().map(|key| Reject::new(*key, "it is not a model", "{}")).collect();
        assert_eq!(store.commit_sync(&second).await.unwrap().removed, 0);
        store.note_sync(&note("s", T2, Effect::Confirm { at: T2, synced: false, validators: None })).await.unwrap();
        for fact in store.source_facts("s").await.unwrap() {
            let standing = (fact.standing.removed_at, fact.standing.held_back);
            assert_eq!(standing, (None, Some(StaleReason::ParseFailed)), "{:?}", fact.key);
        }
    }
}

#[tokio::test]
async fn whatever_confirms_the_bytes_does_not_confirm_what_could_not_be_read_in_them() {
    let confirm = |synced: bool| Effect::Confirm { at: T2, synced, validators: None };
    for store in engines().await {
        for effects in [
            vec![confirm(true)],
            vec![confirm(false)],
            vec![Effect::HoldBack(StaleReason::Quarantined), confirm(false)],
            vec![Effect::HoldBack(StaleReason::ParseFailed), confirm(true)],
        ] {
            store.commit_sync(&commit("s", T0, vec![model("good", "1"), model("bad", "1")])).await.unwrap();
            let mut second = commit("s", T1, vec![model("good", "1")]);
            second.rejects =
                vec![Reject::new("item 2", "`limit` is not a number; write one", "{\"limit\": \"x\"}").of(Some("bad"))];
            assert_eq!(store.commit_sync(&second).await.unwrap().removed, 0, "it is still listed");
            for effect in effects.clone() {
                store.note_sync(&note("s", T2, effect)).await.unwrap();
            }
            let facts = store.source_facts("s").await.unwrap();
            let of = |key: &str| facts.iter().find(|fact| fact.key == key).unwrap().standing;
            assert_eq!(of("bad").held_back, Some(StaleReason::ParseFailed), "{effects:?}");
            assert_eq!((of("bad").last_verified_at, of("bad").last_synced_at), (Some(T0), T0), "{effects:?}");
            assert_eq!((of("good").held_back, of("good").last_verified_at), (None, Some(T2)), "{effects:?}");
        }
        store.commit_sync(&commit("s", T2, vec![model("good", "1"), model("bad", "1")])).await.unwrap();
        let facts = store.source_facts("s").await.unwrap();
        assert!(facts.iter().all(|fact| fact.standing.held_back.is_none()), "what can be read again stands as before");
        store.note_sync(&note("s", T2, Effect::HoldBack(StaleReason::ParseFailed))).await.unwrap();
        store.note_sync(&note("s", T2, confirm(false))).await.unwrap();
        let facts = store.source_facts("s").await.unwrap();
        assert!(facts.iter().all(|fact| fact.standing.held_back.is_none()), "and is confirmed like the others");
    }
}

#[tokio::test]
async fn a_fact_that_is_listed_twice_recovers_with_the_others() {
    for store in engines().await {
        let mut twice = commit("s", T0, vec![model("one", "1"), model("two", "1")]);
        twice.rejects = vec![Reject::new("two", "it is listed twice; the first entry counts", "{}")];
        store.commit_sync(&twice).await.unwrap();
        store.note_sync(&note("s", T1, Effect::HoldBack(StaleReason::ParseFailed))).await.unwrap();
        store.note_sync(&note("s", T2, Effect::Confirm { at: T2, synced: false, validators: None })).await.unwrap();
        let facts = store.source_facts("s").await.unwrap();
        let standings: Vec<_> =
            facts.iter().map(|fact| (fact.standing.held_back, fact.standing.last_verified_at)).collect();
        assert_eq!(standings, [(None, Some(T2)), (None, Some(T2))]);
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_read_holds_all_its_facts_back() {
    for store in engines().await {
        let keys = ["a.csv#one", "a.csv#two", "lamp/light", "lamp", "lamps"];
        store.commit_sync(&commit("s", T0, keys.iter().map(|key| model(key, "1")).collect())).await.unwrap();
        let mut second = commit("s", T1, Vec::new());
        second.rejects = vec![
            Reject::new("a.csv", "has no header", "").of_group("a.csv"),
            Reject::new("lamp/server.yaml", "has no name", "").of_group("lamp"),
        ];
        assert_eq!(store.commit_sync(&second).await.unwrap().removed, 1, "lamps is another one");
        for fact in store.source_facts("s").await.unwrap() {
            assert_eq!(fact.standing.removed_at.is_some(), fact.key == "lamps", "{}", fact.key);
        }
    }
}
