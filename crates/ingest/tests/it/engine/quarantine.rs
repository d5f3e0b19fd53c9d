//! What is held back until it is believed: mass removals, changed shapes, prices far off.

use super::{DAY, Desk, ids, listing};
use crate::support::page;
use refdesk_core::source_status::StatusWord;
use refdesk_core::{Kind, Usd};
use refdesk_ingest::store::{Accept, Effect, HeldState, Run, RunOutcome, SourceState, SyncNote};
use refdesk_ingest::sync::quarantine::{REMOVALS_NORMAL_SPAN, allowed_percent};
use refdesk_ingest::sync::{SyncReport, SyncResult};
use serde_json::{Value, json};

/// A desk that took so many models, and their ids.
async fn filled(count: usize) -> (Desk, Vec<String>) {
    let (desk, all) = (Desk::new().await, ids(count));
    desk.lists(&listing(&all)).await;
    desk.sync().await;
    (desk, all)
}

#[tokio::test]
async fn the_share_that_may_go_is_a_setting() {
    async fn check(percent: usize, left: usize, taken: bool) {
        let desk = Desk::tuned(|_, options| options.removed_percent_max = percent).await;
        let all = ids(10);
        desk.lists(&listing(&all)).await;
        desk.sync().await;
        desk.lists(&listing(&all[..left])).await;
        let result = desk.sync().await.result;
        assert_eq!(result == SyncResult::Updated, taken, "{percent} %, {left} of 10 left: {result:?}");
    }
    check(20, 8, true).await;
    check(20, 7, false).await;
    check(30, 7, true).await;
    check(30, 6, false).await;
    check(100, 1, true).await;
    check(0, 9, false).await;
}

#[tokio::test]
async fn a_mass_removal_is_held_back_until_it_is_forced() {
    let (desk, all) = filled(10).await;
    desk.lists(&listing(&all[..7])).await;
    let report = desk.sync().await;
    assert!(
        matches!(&report.result, SyncResult::Quarantined { error } if error.code == "mass_removal" && error.message.contains("--force toys"))
    );
    assert_eq!(desk.status().await.0, StatusWord::Quarantined);
    assert!(desk.standings().await.iter().all(|standing| standing.ends_with("=quarantined")));
    assert!(matches!(desk.sync().await.result, SyncResult::Quarantined { .. }), "it stays so");
    let report = desk.force().await;
    assert_eq!((report.result, report.counts.removed), (SyncResult::Updated, 3));
    let standings = desk.standings().await;
    assert_eq!(standings.len(), 10, "removed items are kept");
    assert_eq!(standings.iter().filter(|standing| standing.ends_with("=removed")).count(), 3);
    assert_eq!(standings.iter().filter(|standing| standing.ends_with("=fresh")).count(), 7);
}

#[test]
fn what_may_go_grows_with_the_time_since_the_last_good_sync_and_never_to_all() {
    let allowed = |percent, days| allowed_percent(percent, days * DAY, REMOVALS_NORMAL_SPAN);
    assert_eq!([allowed(20, 0), allowed(20, 30), allowed(20, 45), allowed(20, 90)], [20, 20, 30, 60]);
    assert_eq!(allowed(20, 3_000), 90, "a nearly empty list is looked at, however long the desk was off");
    assert_eq!([allowed(0, 3_000), allowed(100, 0), allowed(95, 300)], [0, 100, 95], "what the operator says stands");
    assert_eq!(allowed(20, -5), 20);
}

#[tokio::test]
async fn a_desk_that_was_off_for_months_takes_what_months_remove() {
    for (days, left, taken) in [(1, 74, false), (60, 74, true), (60, 55, false), (200, 11, true), (900, 9, false)] {
        let (desk, all) = filled(100).await;
        desk.clock.pass(days * DAY);
        desk.lists(&listing(&all[..left])).await;
        let result = desk.sync().await.result;
        assert_eq!(result == SyncResult::Updated, taken, "{days} days, {left} of 100 left: {result:?}");
    }
    let desk = Desk::new().await;
    desk.lists(&listing(&ids(100))).await;
    desk.sync().await;
    desk.clock.pass(900 * DAY);
    desk.lists(&page(&[])).await;
    assert!(matches!(&desk.sync().await.result, SyncResult::Quarantined { error } if error.code == "zero_rows"));
}

#[tokio::test]
async fn a_removal_that_the_source_repeats_a_day_later_with_other_bytes_is_believed() {
    let (desk, all) = filled(10).await;
    let quarantined = |report: &SyncReport| matches!(report.result, SyncResult::Quarantined { .. });
    desk.lists(&listing(&all[..5])).await;
    assert!(quarantined(&desk.sync().await));
    desk.clock.pass(3 * DAY);
    assert!(quarantined(&desk.sync().await), "equal bytes may be a file that was cut off and never mended");
    let with_price = |ids: &[String], price: u32| json!({"models": ids.iter().map(|id| json!({"id": id, "price": price})).collect::<Vec<_>>()});
    desk.lists(&with_price(&all[..5], 2)).await;
    let report = desk.sync().await;
    assert_eq!((report.result, report.counts.removed), (SyncResult::Updated, 5));
    assert!(desk.engine.store().missing_facts("toys").await.unwrap().is_empty());

    // What comes back in between is missing anew.
    let desk = Desk::new().await;
    desk.lists(&with_price(&all, 1)).await;
    desk.sync().await;
    desk.lists(&with_price(&all[..5], 1)).await;
    desk.sync().await;
    desk.clock.pass(DAY);
    desk.lists(&with_price(&all[5..], 2)).await;
    assert!(quarantined(&desk.sync().await), "the first half is back, the second is gone for the first time");
}

/// Accepting is not forcing: what the source says by then is another matter.
#[tokio::test]
async fn an_accepted_state_is_taken_and_no_other_that_came_in_its_place() {
    let (desk, all) = filled(10).await;
    desk.lists(&listing(&all[..5])).await;
    desk.sync().await;
    let store = desk.engine.store();
    let reviewed = store.source_state("toys").await.unwrap().held.unwrap().last_hash.unwrap();
    let accept = async || desk.engine.sync_source("toys", &Accept::State(reviewed.clone())).await.unwrap();

    desk.lists(&page(&[])).await;
    let report = accept().await;
    assert!(matches!(&report.result, SyncResult::Quarantined { error } if error.code == "zero_rows"), "{report:?}");
    assert!(desk.standings().await.iter().all(|standing| standing.ends_with("=quarantined")), "nothing is removed");
    desk.lists(&listing(&all[..5])).await;
    let report = accept().await;
    assert_eq!((report.result, report.counts.removed), (SyncResult::Updated, 5));
    assert_eq!(store.source_state("toys").await.unwrap().content_hash.as_ref(), Some(&reviewed));
}

#[tokio::test]
async fn a_refused_state_stays_held_back_and_is_not_told_again_until_it_changes() {
    let (desk, all) = filled(10).await;
    desk.lists(&listing(&all[..5])).await;
    desk.sync().await;
    let store = desk.engine.store();
    let told = store.source_state("toys").await.unwrap();
    let held = told.held.clone().map(|held| HeldState { refused: true, ..held });
    let note = SyncNote {
        source_id: "toys".into(),
        state: SourceState { held, ..told.clone() },
        run: Run::by_operator("toys", desk.clock.now(), RunOutcome::Reviewed, "refused"),
        effect: Effect::ForgetMissing,
    };
    store.note_sync(&note).await.unwrap();
    desk.clock.pass(400 * DAY);
    assert!(matches!(desk.sync().await.result, SyncResult::Quarantined { .. }), "time does not accept it");
    let after = store.source_state("toys").await.unwrap();
    assert_eq!((after.error, after.held.map(|held| held.refused)), (told.error, Some(true)));
    desk.lists(&listing(&all[..6])).await;
    assert_eq!(
        desk.sync().await.result,
        SyncResult::Updated,
        "other bytes are judged anew, by what 400 days may remove"
    );
    assert_eq!(store.source_state("toys").await.unwrap().held, None);
}

#[tokio::test]
async fn a_fifth_of_the_facts_may_go_and_a_small_source_may_lose_more_but_never_all() {
    let (desk, all) = filled(10).await;
    desk.lists(&listing(&all[..8])).await;
    assert_eq!(desk.sync().await.counts.removed, 2);
    desk.lists(&page(&[])).await;
    assert!(matches!(&desk.sync().await.result, SyncResult::Quarantined { error } if error.code == "zero_rows"));

    let desk = Desk::new().await;
    desk.lists(&page(&["a", "b", "c"])).await;
    desk.sync().await;
    desk.lists(&page(&["a"])).await;
    assert_eq!(desk.sync().await.counts.removed, 2);
}

#[tokio::test]
async fn a_field_that_vanishes_from_all_facts_is_a_changed_shape() {
    let (desk, all) = filled(30).await;
    let without: Vec<Value> = all.iter().map(|id| json!({"id": id, "price": null})).collect();
    desk.lists(&json!({"models": without})).await;
    let report = desk.sync().await;
    assert!(
        matches!(&report.result, SyncResult::Quarantined { error } if error.code == "shape_changed" && error.message.contains("pricing.input")),
        "{:?}",
        report.result
    );
    assert_eq!(desk.force().await.result, SyncResult::Updated);
}

#[tokio::test]
async fn a_price_far_off_its_last_value_is_kept_as_stated_and_pending_until_it_is_stated_again() {
    let desk = Desk::new().await;
    desk.lists(&json!({"models": [{"id": "a", "price": 3}, {"id": "b", "price": 3}]})).await;
    desk.sync().await;
    desk.lists(&json!({"models": [{"id": "a", "price": 3000}, {"id": "b", "price": 4}]})).await;
    let report = desk.sync().await;
    assert_eq!((report.result, report.counts.pending), (SyncResult::Updated, 1));
    let facts = desk.engine.store().facts(&Kind::ALL).await.unwrap();
    let price = |at: usize| facts[at].fields.read()["pricing"]["input"].to_string();
    assert_eq!((price(0), price(1)), ("3000".into(), "4".into()), "the store has what the source states");
    let pending = &facts[0].pending[0];
    assert_eq!(
        (pending.path.as_str(), pending.before, pending.since),
        ("pricing.input", Usd::parse("3"), desk.clock.now())
    );
    desk.lists(&json!({"models": [{"id": "a", "price": 3000}, {"id": "b", "price": 5}]})).await;
    assert_eq!(desk.sync().await.counts.pending, 0);
    assert_eq!(desk.engine.store().facts(&Kind::ALL).await.unwrap()[0].pending, []);
}
