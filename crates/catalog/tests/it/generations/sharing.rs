//! A generation that shares segments with the one before is the one that building everything would make, and so is one from disk: the
//! same revision, rows, details, look-ups and searches.

use std::sync::Arc;

use super::*;
use serde_json::Value;

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_generation_that_shares_segments_is_what_a_build_would_be(
        first in prop::collection::vec(said(), 1..40),
        then in prop::collection::vec(said(), 0..8),
        hours in 0..30_i64,
    ) {
        let before = build(&facts(&first), NOW);
        let from_disk = through_disk(&before);
        prop_assert_eq!((shown(&from_disk), from_disk.revision()), (shown(&before), before.revision()));
        let synced: Vec<u8> = then.iter().map(|said| said.source).collect();
        let all = facts(&[first, then].concat());
        let now = NOW.plus_secs(hours * HOUR);
        let (next, built) = (next(&from_disk, &all, &synced, now), build(&all, now));
        for (next, built) in shown(&next).iter().zip(&shown(&built)) {
            prop_assert_eq!(next, built);
        }
        prop_assert_eq!(next.revision(), built.revision());
        for kind in Kind::ALL {
            prop_assert!(written(next.segment(kind)) == written(built.segment(kind)), "{:?}", kind);
        }
    }
}

#[test]
fn a_changed_price_builds_the_models_anew_and_shares_all_else() {
    let said = |price| [(0..12).map(|thing| priced(thing, 3)).collect(), vec![priced(5, price), server(1)]].concat();
    let before = build(&facts(&said(3)), NOW);
    let all = facts(&said(4));
    assert_eq!(outdated(&before, &all, &[0], NOW), [Kind::Model]);
    let after = next(&before, &all, &[0], NOW);
    assert_eq!(after.revision(), build(&all, NOW).revision());
    assert_ne!(after.revision(), before.revision());
    for kind in Kind::ALL {
        let shared = Arc::ptr_eq(&before.segments()[kind.index()], &after.segments()[kind.index()]);
        assert_eq!(shared, kind != Kind::Model, "{kind:?}");
    }
    let row = |snapshot: &Snapshot| -> Value {
        let Ok((ordinal, _)) = answer::resolve(snapshot, Kind::Model, "acme/nova-5") else {
            unreachable!("the model is there")
        };
        serde_json::from_slice(snapshot.row(ordinal)).unwrap()
    };
    let price = |snapshot: &Snapshot| row(snapshot)["offers"][0]["pricing"]["input"].clone();
    assert_eq!((price(&before), price(&after)), (json!(3), json!(4)));
}

#[test]
fn a_segment_is_outdated_by_facts_hours_and_sources_and_by_nothing_else() {
    let all = facts(&[(0..4).map(|thing| priced(thing, 3)).collect(), vec![server(1)]].concat());
    let before = build(&all, NOW);
    assert_eq!(outdated(&before, &all, &[0, 1, 2], NOW), []);
    assert_eq!(outdated(&before, &all, &[], NOW.plus_secs(23 * HOUR)), []);
    assert_eq!(outdated(&before, &all, &[], NOW.plus_secs(24 * HOUR)), [Kind::Model, Kind::McpServer]);
    assert_eq!(outdated(&before, &all[1..], &[0], NOW), [Kind::McpServer], "a fact is gone");
    let mut others = sources();
    others[0].stale_after_secs += 1;
    assert_eq!(before.outdated(&[], &[], &others, NOW), [Kind::Model, Kind::McpServer], "a source is described anew");
    assert_eq!(before.outdated(&[], &[], &others[1..], NOW), [Kind::Model, Kind::McpServer], "a source is gone");
    others[0] = sources().remove(0);
    others.pop();
    assert_eq!(before.outdated(&[], &[], &others, NOW), [], "a source without facts is gone");
}

#[test]
fn facts_that_were_only_confirmed_keep_the_search_index() {
    let all = facts(&(0..4).map(|thing| priced(thing, 3)).collect::<Vec<_>>());
    let before = build(&all, NOW);
    let mut confirmed = all.clone();
    for fact in &mut confirmed {
        fact.standing.last_verified_at = Some(NOW.plus_secs(HOUR));
    }
    let later = NOW.plus_secs(HOUR);
    let after = next(&before, &confirmed, &[0], later);
    let index = |snapshot: &Snapshot| Arc::clone(snapshot.segment(Kind::Model).index());
    assert!(Arc::ptr_eq(&index(&before), &index(&after)));
    assert_eq!(after.revision(), build(&confirmed, later).revision());
    assert_ne!(after.revision(), before.revision(), "times are shown");
    let (before_models, after_models) = (before.segment(Kind::Model), after.segment(Kind::Model));
    assert!(written(before_models) == written(after_models), "a file has no times");
    // What another machine does that has the file, and is told the times.
    let told = serde_json::to_string(after_models.times()).unwrap();
    assert_eq!(told, format!(r#"[{{"last_synced_at":"{NOW}","last_verified_at":"{later}","facts":"0-3"}}]"#));
    let taken_up = before_models.confirmed_at(&serde_json::from_str(&told).unwrap(), later).unwrap();
    let snapshot = |models| {
        let mut segments = after.segments().clone();
        segments[Kind::Model.index()] = models;
        Snapshot::new(segments, later, 2, None)
    };
    assert_eq!(shown(&snapshot(Arc::new(taken_up))), shown(&after));
    let of_disk = read_at(&written(before_models), Kind::Model, (after_models.times(), later)).unwrap();
    assert_eq!(shown(&snapshot(Arc::new(of_disk))), shown(&after));
    let renamed: Vec<StoredFact> = all.iter().cloned().map(|fact| StoredFact { statement: 7, ..fact }).collect();
    let after = next(&before, &renamed, &[0], NOW);
    assert!(!Arc::ptr_eq(&index(&before), &index(&after)), "what they say is another");
}

#[test]
fn a_generation_from_disk_finds_what_was_written() {
    let all: Vec<StoredFact> = (0..6).map(|thing| described(thing, "counts sheep in the meadow")).collect();
    let built = build(&all, NOW);
    let from_disk = through_disk(&built);
    for text in ["sheep", "sheap", "server-1-4", "thing 3 meadow", "cow"] {
        assert_eq!(found(&from_disk, text), found(&built, text), "{text}");
    }
    assert_eq!(found(&from_disk, "sheap").len(), 6);
    let mut changed = all;
    changed[2] = described(2, "paints ships in bottles");
    changed.push(described(7, "counts sheep at night"));
    let after = next(&from_disk, &changed, &[0], NOW);
    assert_eq!(found(&after, "ships"), ["thing-2"]);
    assert_eq!(found(&after, "meadow"), ["thing-0", "thing-1", "thing-3", "thing-4", "thing-5"]);
    assert_eq!(found(&after, "night"), ["thing-7"]);
    assert_eq!(after.near("server-1-7x", Kind::McpServer.into(), 1)[0].0, 6);
}
