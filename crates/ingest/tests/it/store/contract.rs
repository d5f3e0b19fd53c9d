//! The contract of the store: what every engine must do, written over [`Store`] and run for each engine. `engines()` is the
//! list of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::engines::engines;
use crate::support::{commit, document, key, model, run, tool};
use refdesk_core::fact::{HashBasis, StatedBy, Verdict};
use refdesk_core::{Body, Fact, Kind, StaleReason, Stamp};
use refdesk_ingest::store::{
    ChangeMark, Decision, Effect, KeyRecord, KnownFacts, Run, RunOutcome, SourceState, Store, SyncCommit, SyncNote,
    Validators, prepare,
};

const T0: Stamp = Stamp(1_000_000);
const T1: Stamp = Stamp(1_003_600);
const T2: Stamp = Stamp(1_007_200);

#[test]
fn many_facts_are_prepared_as_each_alone_and_in_their_order() {
    // More than one thread takes, where there are cores; the last of them gets fewer.
    let facts: Vec<_> = (0..1_001).map(|at| document(&format!("{at}.md"), &format!("page {at} ").repeat(50))).collect();
    let each = facts.iter().flat_map(|fact| prepare(vec![fact.clone()], None).unwrap());
    assert_eq!(prepare(facts.clone(), None).unwrap(), each.collect::<Vec<_>>());
}

#[tokio::test]
async fn a_committed_fact_comes_back_as_it_was_with_its_record_and_body() {
    for store in engines().await {
        let facts = vec![
            model("vendor/m-1", "3"),
            document("a/b.md", "# Title\r\n\r\nText\u{0}with\u{200b}odd bytes"),
            tool("t", Body::Markdown("made *markdown*".into())),
            tool("none", Body::Missing("the file is not in the repository".into())),
        ];
        let counts = store.commit_sync(&commit("s", T0, facts.clone())).await.unwrap();
        assert_eq!((counts.added, counts.changed, counts.unchanged, counts.removed), (4, 0, 0, 0));

        let stored = store.facts(&Kind::ALL).await.unwrap();
        assert_eq!(
            stored.iter().map(|fact| fact.key.as_str()).collect::<Vec<_>>(),
            ["a/b.md", "vendor/m-1", "none", "t"]
        );
        for fact in &facts {
            let found = stored.iter().find(|found| found.kind == fact.kind() && found.key == fact.key).unwrap();
            assert_eq!(found.head, fact.head);
            assert_eq!(serde_json::Value::Object(found.fields.read().into_owned()), fact.item.to_json().unwrap());
            assert_eq!(found.identity, fact.identity);
            assert_eq!(found.content_hash, fact.record.content_hash());
            assert_eq!(found.standing.first_seen_at, T0);
            assert_eq!(found.standing.last_verified_at, Some(T0));
            let record = store.record("s", fact.kind(), &fact.key).await.unwrap().unwrap();
            assert_eq!(record.bytes, fact.record.as_bytes());
            assert_eq!(record.content_hash, fact.record.content_hash());
        }
        let of = |key: &str| stored.iter().find(|fact| fact.key == key).unwrap();
        assert_eq!(of("a/b.md").hash_basis, HashBasis::Bytes);
        assert_eq!(of("a/b.md").body_text.read(), "Title\n\nTextwithodd bytes\n");
        assert_eq!(of("t").body_text.read(), "made markdown\n");
        assert_eq!(of("none").body_missing.as_deref(), Some("the file is not in the repository"));
        assert!(of("t").has_body && !of("none").has_body && !of("vendor/m-1").has_body);
        let body = async |kind, key| store.body("s", kind, key).await.unwrap();
        assert_eq!(
            body(Kind::Document, "a/b.md").await.as_deref(),
            Some("# Title\r\n\r\nText\u{0}with\u{200b}odd bytes")
        );
        assert_eq!(body(Kind::Tool, "t").await.as_deref(), Some("made *markdown*"));
        assert_eq!(body(Kind::Tool, "none").await, None);
        assert_eq!(body(Kind::Tool, "nowhere").await, None);
    }
}

#[tokio::test]
async fn a_second_sync_tells_added_changed_unchanged_and_removed_facts() {
    for store in engines().await {
        store
            .commit_sync(&commit("s", T0, vec![model("same", "1"), model("other", "1"), model("gone", "1")]))
            .await
            .unwrap();
        store.commit_sync(&commit("elsewhere", T0, vec![model("same", "1")])).await.unwrap();
        let second = vec![model("same", "1"), model("other", "2"), model("new", "1")];
        let counts = store.commit_sync(&commit("s", T1, second)).await.unwrap();
        assert_eq!((counts.added, counts.changed, counts.unchanged, counts.removed), (1, 1, 1, 1));

        let stored = store.facts(&Kind::ALL).await.unwrap();
        let standing = |source: &str, key: &str| {
            let fact = stored.iter().find(|fact| &*fact.source_id == source && fact.key == key).unwrap();
            (
                fact.standing.first_seen_at,
                fact.standing.last_synced_at,
                fact.standing.last_verified_at,
                fact.standing.removed_at,
            )
        };
        assert_eq!(standing("s", "same"), (T0, T1, Some(T1), None));
        assert_eq!(standing("s", "other"), (T0, T1, Some(T1), None));
        assert_eq!(standing("s", "new"), (T1, T1, Some(T1), None));
        assert_eq!(standing("s", "gone"), (T0, T0, Some(T0), Some(T1)));
        assert_eq!(standing("elsewhere", "same"), (T0, T0, Some(T0), None), "another source is not touched");
        let changed = ["same", "other", "new", "gone"]
            .map(|key| stored.iter().rfind(|fact| fact.key == key).unwrap().standing.changed_at);
        assert_eq!(changed, [T0, T1, T1, T0], "a sync that finds the same changes nothing");

        let counts = store.commit_sync(&commit("s", T2, vec![model("same", "1"), model("gone", "1")])).await.unwrap();
        assert_eq!(
            (counts.added, counts.removed),
            (1, 2),
            "what comes back is added, what was removed before is not removed again"
        );
        let back = store.source_facts("s").await.unwrap().into_iter().find(|fact| fact.key == "gone").unwrap();
        assert_eq!((back.standing.first_seen_at, back.standing.removed_at), (T0, None));
        assert_eq!(back.standing.changed_at, T2, "what comes back has changed");
        assert_eq!(store.source_facts("s").await.unwrap().len(), 4, "nothing is ever deleted");
    }
}

#[tokio::test]
async fn a_partial_pass_touches_only_what_it_names() {
    for store in engines().await {
        store.commit_sync(&commit("s", T0, vec![model("a", "1"), model("b", "1")])).await.unwrap();
        let mut partial = commit("s", T1, vec![model("b", "2")]);
        partial.partial = true;
        let counts = store.commit_sync(&partial).await.unwrap();
        assert_eq!((counts.changed, counts.removed), (1, 0));
        let facts = store.source_facts("s").await.unwrap();
        assert_eq!(facts[0].standing.last_verified_at, Some(T0));
        assert_eq!(facts[1].standing.last_verified_at, Some(T1));
    }
}

#[tokio::test]
async fn a_card_keeps_the_date_on_which_it_was_checked() {
    for store in engines().await {
        let mut card = tool("card", Body::None);
        card.checked_on = Some(Stamp(500_000));
        store.commit_sync(&commit("s", T0, vec![card.clone()])).await.unwrap();
        store.commit_sync(&commit("s", T1, vec![card])).await.unwrap();
        store.note_sync(&note("s", T2, Effect::Confirm { at: T2, synced: true, validators: None })).await.unwrap();
        let standing = store.facts(&Kind::ALL).await.unwrap()[0].standing;
        assert_eq!((standing.last_synced_at, standing.last_verified_at), (Stamp(500_000), Some(Stamp(500_000))));
        assert_eq!(standing.first_seen_at, T0);
    }
}

/// The time of the sync stood for the missing date, so that such a card was verified anew by every sync.
#[tokio::test]
async fn a_card_that_does_not_say_when_it_was_checked_is_never_verified() {
    for store in engines().await {
        let mut card = tool("card", Body::None);
        card.provenance.stated_by = Some(StatedBy::Card);
        card.provenance.record_url = Some("https://e.example/cards/card.yaml".into());
        let mut page = document("page", "# Page\n");
        page.provenance.stated_by = Some(StatedBy::Card);
        page.provenance.record_url = Some(page.source_url.clone());
        let pass = |at| commit("s", at, vec![page.clone(), card.clone()]);
        let times = async || {
            let stored = store.facts(&Kind::ALL).await.unwrap();
            let of = |key: &str| stored.iter().find(|fact| fact.key == key).unwrap().standing.confirmed();
            [of("card"), of("page")].map(|times| (times.last_synced_at, times.last_verified_at))
        };
        store.commit_sync(&pass(T0)).await.unwrap();
        assert_eq!(
            times().await,
            [(T0, None), (T0, Some(T0))],
            "a page that is its own source is verified by reading it"
        );
        store.commit_sync(&pass(T1)).await.unwrap();
        assert_eq!(times().await, [(T1, None), (T1, Some(T1))]);
        for synced in [true, false] {
            let confirm = Effect::Confirm { at: T2, synced, validators: None };
            store.note_sync(&note("s", T2, confirm)).await.unwrap();
            assert_eq!(times().await, [(T2, None), (T2, Some(T2))]);
        }
        card.checked_on = Some(T1);
        store.commit_sync(&commit("s", T2, vec![page.clone(), card.clone()])).await.unwrap();
        assert_eq!(times().await[0], (T1, Some(T1)), "until it says when");
    }
}

#[tokio::test]
async fn holding_back_and_confirming_change_standings_but_no_statement() {
    for store in engines().await {
        store.commit_sync(&commit("s", T0, vec![model("a", "1"), model("b", "1")])).await.unwrap();
        let before = store.facts(&Kind::ALL).await.unwrap();
        store.note_sync(&note("s", T1, Effect::HoldBack(StaleReason::Quarantined))).await.unwrap();
        let held = store.facts(&Kind::ALL).await.unwrap();
        assert!(held.iter().all(|fact| fact.standing.held_back == Some(StaleReason::Quarantined)));
        assert!(held.iter().zip(&before).all(|(held, before)| held.fields == before.fields));
        assert_eq!(store.figures().await.unwrap()[0].1.quarantined, 2);
        let validators = Validators { fingerprint: "fp".into(), requests: Vec::new() };
        let confirm = Effect::Confirm { at: T2, synced: true, validators: Some(validators.clone()) };
        store.note_sync(&note("s", T2, confirm)).await.unwrap();
        let after = store.facts(&Kind::ALL).await.unwrap();
        assert!(after.iter().all(|fact| fact.standing.held_back.is_none() && fact.standing.last_synced_at == T2));
        assert_eq!(store.validators("s").await.unwrap(), validators);
        let figures = store.figures().await.unwrap()[0].1;
        assert_eq!((figures.total, figures.live, figures.quarantined), (2, 2, 0));
    }
}

#[tokio::test]
async fn runs_and_states_are_kept_newest_first_and_up_to_a_limit() {
    for store in engines().await {
        for at in 0..205 {
            store.note_sync(&note("s", Stamp(at), Effect::None)).await.unwrap();
        }
        let runs = store.runs("s", 3).await.unwrap();
        assert_eq!(runs.iter().map(|run| run.started_at.0).collect::<Vec<_>>(), [204, 203, 202]);
        assert_eq!(store.runs("s", 1_000).await.unwrap().len(), 200);
        assert_eq!(store.source_state("s").await.unwrap().last_attempt_at, Some(Stamp(204)));
        assert_eq!(store.source_state("never").await.unwrap(), SourceState::default());
        assert_eq!(store.source_states().await.unwrap().len(), 1);
    }
}

#[tokio::test]
async fn keys_are_kept_revoked_once_and_touched_forward_only() {
    for store in engines().await {
        let key = KeyRecord { name: "agent".into(), limit_per_minute: Some(10), ..key("key_1", 7) };
        store.insert_key(&key).await.unwrap();
        assert_eq!(store.keys().await.unwrap(), std::slice::from_ref(&key));
        store.touch_keys(&[("key_1".into(), T2), ("nobody".into(), T2)]).await.unwrap();
        store.touch_keys(&[("key_1".into(), T1)]).await.unwrap();
        assert!(store.revoke_key("key_1", T1).await.unwrap());
        assert!(store.revoke_key("key_1", T2).await.unwrap());
        assert!(!store.revoke_key("nobody", T2).await.unwrap());
        let kept = store.keys().await.unwrap().remove(0);
        assert_eq!((kept.last_used_at, kept.revoked_at), (Some(T2), Some(T1)));
        assert!(store.insert_key(&KeyRecord { id: "key_2".into(), ..key }).await.is_err(), "a fingerprint is unique");
    }
}

#[tokio::test]
async fn named_values_and_embeddings_are_replaced_by_name() {
    for store in engines().await {
        assert_eq!(store.meta("eval").await.unwrap(), None);
        store.set_meta("eval", "1").await.unwrap();
        store.set_meta("eval", "2").await.unwrap();
        assert_eq!(store.meta("eval").await.unwrap().as_deref(), Some("2"));
        store.put_embeddings("m", &[("sha256:a".into(), vec![1, 2]), ("sha256:b".into(), vec![3])]).await.unwrap();
        store.put_embeddings("m", &[("sha256:a".into(), vec![9])]).await.unwrap();
        assert_eq!(store.embeddings("m").await.unwrap(), [("sha256:a".into(), vec![9]), ("sha256:b".into(), vec![3])]);
        assert_eq!(store.embeddings("other").await.unwrap(), []);
    }
}

#[tokio::test]
async fn a_sync_that_breaks_off_leaves_nothing_behind() {
    for store in engines().await {
        store.commit_sync(&commit("s", T0, vec![model("a", "1")])).await.unwrap();
        let before = store.facts(&Kind::ALL).await.unwrap();
        let mut broken = commit("s", T1, vec![model("a", "2"), model("b", "1"), model("c", "1")]);
        broken.facts[2].row.key = broken.facts[1].row.key.clone();
        assert!(store.commit_sync(&broken).await.is_err(), "two facts of one key cannot be written");
        assert_eq!(store.facts(&Kind::ALL).await.unwrap(), before);
        assert_eq!(store.runs("s", 10).await.unwrap().len(), 1);
    }
}

pub fn note(source_id: &str, at: Stamp, effect: Effect) -> SyncNote {
    let state = SourceState { last_attempt_at: Some(at), ..SourceState::default() };
    SyncNote { source_id: source_id.into(), state, run: run(source_id, at, RunOutcome::Confirmed), effect }
}

/// Every push gives every file of a repository another address; only what says something else is "changed".
#[tokio::test]
async fn a_new_commit_in_the_address_changes_no_statement() {
    let store = Store::open_in_memory().await.unwrap();
    let at = |digit: &str, body: &str| {
        let mut fact = document("docs/a.md", body);
        fact.source_url = format!("https://github.com/lamp/works/blob/{}/docs/a.md", digit.repeat(40));
        fact
    };
    store.commit_sync(&commit("s", Stamp(1), vec![at("a", "# One\n")])).await.unwrap();
    let counts = store.commit_sync(&commit("s", Stamp(2), vec![at("b", "# One\n")])).await.unwrap();
    assert_eq!((counts.changed, counts.unchanged), (0, 1));
    let counts = store.commit_sync(&commit("s", Stamp(3), vec![at("c", "# Two\n")])).await.unwrap();
    assert_eq!((counts.changed, counts.unchanged), (1, 0));
    let stored = store.facts(&Kind::ALL).await.unwrap();
    assert_eq!(stored[0].source_url, format!("https://github.com/lamp/works/blob/{}/docs/a.md", "c".repeat(40)));
}

/// What a sync read before it wrote is taken over only while nobody else wrote: rows would be changed that are others by now.
#[tokio::test]
async fn facts_that_a_sync_knows_are_read_again_when_another_wrote_in_between() {
    for store in engines().await {
        store.commit_sync(&commit("s", T0, vec![model("a", "1"), model("b", "1")])).await.unwrap();
        let state = store.source_state("s").await.unwrap();
        let marked: Vec<Kind> = state.changed.keys().copied().collect();
        assert_eq!((marked, state.changed[&Kind::Model].at), (vec![Kind::Model], T0));
        let known = KnownFacts::new(store.source_facts("s").await.unwrap(), &BTreeSet::new());
        let second = |facts| SyncCommit {
            known: Some(known.clone()),
            state: SourceState { changed: state.changed.clone(), ..SourceState::default() },
            ..commit("s", T2, facts)
        };
        // `b` is another row by now, and `c` is one that the sync does not know.
        store.remove_source("s", &run("s", T1, RunOutcome::Updated)).await.unwrap();
        store.commit_sync(&commit("s", T1, vec![model("b", "2"), model("c", "2")])).await.unwrap();
        let counts = store.commit_sync(&second(vec![model("b", "2"), model("c", "3")])).await.unwrap();
        assert_eq!((counts.added, counts.changed, counts.unchanged, counts.removed), (0, 1, 1, 0));
        let prices: Vec<_> = store
            .source_facts("s")
            .await
            .unwrap()
            .iter()
            .map(|fact| (fact.key.clone(), fact.fields.read()["pricing"]["input"].to_string()))
            .collect();
        assert_eq!(prices, [("b".into(), "2".into()), ("c".into(), "3".into())]);
    }
}

#[tokio::test]
async fn the_state_of_a_source_says_which_kinds_each_run_changed() {
    for store in engines().await {
        let marks = async || store.source_state("s").await.unwrap().changed;
        let at =
            |marks: &BTreeMap<Kind, ChangeMark>| marks.iter().map(|(kind, mark)| (*kind, mark.at)).collect::<Vec<_>>();
        let card = |checked_on| Fact { checked_on: Some(checked_on), ..tool("t", Body::None) };
        store.commit_sync(&commit("s", T0, vec![model("m", "1"), card(T0)])).await.unwrap();
        assert_eq!(at(&marks().await), [(Kind::Model, T0), (Kind::Tool, T0)]);

        let note = |effect, at| SyncNote {
            source_id: "s".into(),
            state: SourceState::default(),
            run: run("s", at, RunOutcome::Failed),
            effect,
        };
        store.note_sync(&note(Effect::None, T1)).await.unwrap();
        store.note_sync(&note(Effect::ForgetMissing, T1)).await.unwrap();
        assert_eq!(at(&marks().await), [(Kind::Model, T0), (Kind::Tool, T0)], "no fact changed");
        let mut some = commit("s", T1, vec![model("m", "2")]);
        some.partial = true;
        store.commit_sync(&some).await.unwrap();
        assert_eq!(at(&marks().await), [(Kind::Model, T1), (Kind::Tool, T0)]);
        store.note_sync(&note(Effect::HoldBack(StaleReason::ParseFailed), T2)).await.unwrap();
        let held = marks().await;
        assert_eq!(at(&held), [(Kind::Model, T2), (Kind::Tool, T2)]);
        store.note_sync(&note(Effect::HoldBack(StaleReason::ParseFailed), T2)).await.unwrap();
        assert_eq!(marks().await, held, "they were held back already");
        let confirm = |at| Effect::Confirm { at, synced: true, validators: None };
        store.note_sync(&note(confirm(T2), T2)).await.unwrap();
        let confirmed = marks().await;
        assert_ne!(confirmed[&Kind::Model], held[&Kind::Model], "two runs of one second differ by their number");
        store.note_sync(&note(confirm(T2), T2)).await.unwrap();
        assert_eq!(marks().await, confirmed, "the same times again");
    }
}

#[tokio::test]
async fn a_verdict_stands_beside_its_fact_changes_its_statement_and_moves_the_state() {
    for store in engines().await {
        store.commit_sync(&commit("s", T0, vec![model("m", "3"), model("other", "3")])).await.unwrap();
        let decision = |verdict| Decision { kind: Kind::Model, key: "m".into(), path: "pricing.input".into(), verdict };
        let reviewed = |at| Run::by_operator("s", at, RunOutcome::Reviewed, "said so");
        let before = store.source_facts("s").await.unwrap();
        store.decide("s", &[decision(Verdict::Refused)], T1, &reviewed(T1)).await.unwrap();
        let after = store.source_facts("s").await.unwrap();
        let pending = &after[0].pending[0];
        assert_eq!(
            (pending.path.as_str(), pending.since, pending.verdict),
            ("pricing.input", T0, Some(Verdict::Refused))
        );
        assert!(after[0].statement != before[0].statement && after[1] == before[1]);
        let state = store.source_state("s").await.unwrap();
        assert_eq!((state.reviewed_at, state.reviews), (Some(T1), 1));
        assert_eq!(store.runs("s", 1).await.unwrap()[0].note.as_deref(), Some("said so"));

        store.decide("s", &[decision(Verdict::Accepted)], T2, &reviewed(T2)).await.unwrap();
        let last = store.source_facts("s").await.unwrap();
        assert_eq!((last[0].pending.len(), last[0].pending[0].verdict), (1, Some(Verdict::Accepted)));
        let gone = Decision { key: "nowhere".into(), ..decision(Verdict::Refused) };
        store.decide("s", &[decision(Verdict::Refused), gone], T2, &reviewed(T2)).await.unwrap_err();
        assert_eq!(store.source_facts("s").await.unwrap(), last, "all or none");
    }
}
