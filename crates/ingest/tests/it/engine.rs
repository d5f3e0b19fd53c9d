//! The sync engine over a made-up upstream: what each kind of day leaves behind, and that no fact is ever lost.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::{HandClock, find_toy, page};
use refdesk_core::{Kind, StaleReason};
use refdesk_ingest::config::{FetchSettings, SourceConfig, Span};
use refdesk_ingest::generation;
use refdesk_ingest::store::{Effect, HeldState, Run, RunOutcome, SourceState, Store, SyncNote};
use refdesk_ingest::sync::quarantine::{REMOVALS_NORMAL_SPAN, allowed_percent};
use refdesk_ingest::sync::{Engine, EngineOptions, Progress, StatusWord, SyncEvent, SyncReport, SyncResult};
use serde_json::{Value, json};
use wiremock::matchers::{header_exists, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

struct Desk {
    server: MockServer,
    engine: Engine,
    clock: HandClock,
    events: Arc<Events>,
}

#[derive(Default)]
struct Events(Mutex<Vec<String>>);

impl Progress for Events {
    fn event(&self, event: SyncEvent<'_>) {
        let word = match event {
            SyncEvent::Started { .. } => "started",
            SyncEvent::Fetched { .. } => "fetched",
            SyncEvent::Parsed { .. } => "parsed",
            SyncEvent::Finished(_) => "finished",
        };
        self.0.lock().unwrap().push(word.to_owned());
    }
}

const START: i64 = 1_700_000_000;
const HOUR: i64 = 3_600;

impl Desk {
    async fn new() -> Self {
        Self::with(|_| {}).await
    }

    async fn with(change: impl FnOnce(&mut SourceConfig)) -> Self {
        let server = MockServer::start().await;
        let clock = HandClock::at(START);
        let mut source = SourceConfig::new("toys", "toy", format!("{}/models", server.uri()));
        source.interval = Span::secs(6 * 3_600);
        change(&mut source);
        Self::with_options(server, clock, source, |_| {}).await
    }

    /// With the engine's own settings, too.
    async fn tuned(tune: impl FnOnce(&mut EngineOptions)) -> Self {
        let server = MockServer::start().await;
        let mut source = SourceConfig::new("toys", "toy", format!("{}/models", server.uri()));
        source.interval = Span::secs(6 * 3_600);
        Self::with_options(server, HandClock::at(START), source, tune).await
    }

    async fn with_options(
        server: MockServer,
        clock: HandClock,
        source: SourceConfig,
        tune: impl FnOnce(&mut EngineOptions),
    ) -> Self {
        let events = Arc::new(Events::default());
        let mut options = EngineOptions {
            fetch: FetchSettings {
                retries_max: 1,
                backoff_base: Span::millis(1),
                total_timeout: Span::millis(500),
                ..FetchSettings::default()
            },
            clock: clock.clock(),
            find: find_toy,
            progress: Arc::clone(&events) as Arc<dyn Progress>,
            ..EngineOptions::default()
        };
        tune(&mut options);
        let engine = Engine::new(Store::open_in_memory().await.unwrap(), vec![source], options).unwrap();
        Self { server, engine, clock, events }
    }

    /// From now on `/models` answers so.
    async fn upstream(&self, answer: ResponseTemplate) {
        self.server.reset().await;
        Mock::given(method("GET")).and(path("/models")).respond_with(answer).mount(&self.server).await;
    }

    async fn lists(&self, value: &Value) {
        self.upstream(ResponseTemplate::new(200).set_body_json(value)).await;
    }

    async fn sync(&self) -> SyncReport {
        self.clock.pass(HOUR);
        self.engine.sync_source("toys", false).await.unwrap()
    }

    async fn force(&self) -> SyncReport {
        self.clock.pass(HOUR);
        self.engine.sync_source("toys", true).await.unwrap()
    }

    /// `key=standing` of each fact, in order.
    async fn standings(&self) -> Vec<String> {
        let facts = self.engine.store().facts(&Kind::ALL).await.unwrap();
        let word = |reason: Option<StaleReason>| reason.map_or("fresh", StaleReason::as_str);
        facts
            .iter()
            .map(|fact| format!("{}={}", fact.key, word(fact.standing.stale_reason(14 * 86_400, self.clock.now()))))
            .collect()
    }

    async fn status(&self) -> (StatusWord, Option<String>, u32) {
        let status = self.engine.statuses().await.unwrap().remove(0);
        (status.status, status.error.map(|error| error.code), status.consecutive_failures)
    }
}

fn ids(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("m{n:02}")).collect()
}

fn listing(ids: &[String]) -> Value {
    page(&ids.iter().map(String::as_str).collect::<Vec<_>>())
}

#[tokio::test]
async fn a_first_sync_takes_the_facts_and_a_second_one_transfers_nothing_new() {
    let desk = Desk::new().await;
    assert_eq!(desk.status().await, (StatusWord::Never, None, 0));
    desk.upstream(ResponseTemplate::new(200).set_body_json(page(&["a", "b"])).insert_header("etag", "\"1\"")).await;
    let report = desk.sync().await;
    assert_eq!(report.result, SyncResult::Updated);
    assert_eq!((report.counts.items_upstream, report.counts.added, report.requests), (2, 2, 1));
    assert_eq!(*desk.events.0.lock().unwrap(), ["started", "fetched", "parsed", "finished"]);

    desk.server.reset().await;
    let unchanged = ResponseTemplate::new(304);
    Mock::given(header_exists("if-none-match")).respond_with(unchanged).mount(&desk.server).await;
    let before = desk.engine.store().facts(&Kind::ALL).await.unwrap();
    let report = desk.sync().await;
    assert_eq!(report.result, SyncResult::Confirmed);
    assert_eq!((report.bytes, report.requests, report.not_modified), (0, 1, 1));
    let after = desk.engine.store().facts(&Kind::ALL).await.unwrap();
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(
            (&before.head, &before.fields, before.standing.last_synced_at),
            (&after.head, &after.fields, after.standing.last_synced_at)
        );
        assert_eq!(
            after.standing.last_verified_at.unwrap().secs_since(before.standing.last_verified_at.unwrap()),
            HOUR
        );
    }
    assert_eq!(desk.status().await, (StatusWord::Ok, None, 0));
}

#[tokio::test]
async fn equal_bytes_without_validators_confirm_and_count_as_taken() {
    let desk = Desk::new().await;
    desk.lists(&page(&["a"])).await;
    desk.sync().await;
    let report = desk.sync().await;
    assert_eq!((report.result, report.not_modified), (SyncResult::Confirmed, 1));
    let standing = desk.engine.store().facts(&Kind::ALL).await.unwrap()[0].standing;
    assert_eq!(standing.last_synced_at, desk.clock.now());
    assert_eq!(standing.first_seen_at, standing.last_synced_at.plus_secs(-HOUR));
}

#[tokio::test]
async fn pages_are_followed_and_a_change_on_the_second_one_reuses_what_came() {
    let desk = Desk::new().await;
    let mut first = page(&["a"]);
    first["next"] = json!("/page2");
    let mount = async |second: Value| {
        desk.server.reset().await;
        let answer = |value: &Value| ResponseTemplate::new(200).set_body_json(value);
        Mock::given(path("/models")).respond_with(answer(&first)).mount(&desk.server).await;
        Mock::given(path("/page2")).respond_with(answer(&second)).mount(&desk.server).await;
    };
    mount(page(&["b"])).await;
    assert_eq!(desk.sync().await.counts.added, 2);
    mount(page(&["b", "c"])).await;
    let report = desk.sync().await;
    assert_eq!((report.result, report.counts.added, report.counts.unchanged), (SyncResult::Updated, 1, 2));
    assert_eq!(report.requests, 2, "both pages came while looking and are not fetched again");
}

#[tokio::test]
async fn every_bad_day_keeps_all_facts_names_its_error_and_the_next_good_sync_recovers() {
    let slow = ResponseTemplate::new(200).set_body_json(page(&["x"])).set_delay(Duration::from_secs(3));
    let bad_days = [
        (ResponseTemplate::new(500), "status", "fresh"),
        (ResponseTemplate::new(404), "status", "fresh"),
        (ResponseTemplate::new(429), "status", "fresh"),
        (ResponseTemplate::new(302).insert_header("location", "http://127.0.0.1:1/"), "blocked_address", "fresh"),
        (slow, "timeout", "fresh"),
        (ResponseTemplate::new(200).set_body_bytes(vec![7, 255, 0, 9]), "parse_failed", "parse_failed"),
        (ResponseTemplate::new(200), "parse_failed", "parse_failed"),
        (
            ResponseTemplate::new(200).set_body_string("<!doctype html><title>Just a moment...</title>"),
            "parse_failed",
            "parse_failed",
        ),
        (ResponseTemplate::new(200).set_body_json(json!({"renamed": []})), "parse_failed", "parse_failed"),
        (ResponseTemplate::new(200).set_body_json(json!({"models": [], "lost": 3})), "count_mismatch", "parse_failed"),
        (ResponseTemplate::new(200).set_body_json(page(&["panic"])), "connector_panic", "parse_failed"),
    ];
    for (bad, code, standing) in bad_days {
        let desk = Desk::new().await;
        desk.lists(&page(&["a", "b"])).await;
        desk.sync().await;
        desk.upstream(bad).await;
        let report = desk.sync().await;
        assert!(
            matches!(&report.result, SyncResult::Failed { error } if error.code == code),
            "{code}: {:?}",
            report.result
        );
        assert_eq!(desk.standings().await, [format!("a={standing}"), format!("b={standing}")], "{code}");
        assert_eq!(desk.status().await, (StatusWord::Failed, Some(code.to_owned()), 1));
        desk.lists(&page(&["a", "b"])).await;
        assert_eq!(desk.sync().await.result, SyncResult::Confirmed, "{code}");
        assert_eq!(desk.standings().await, ["a=fresh", "b=fresh"]);
        assert_eq!(desk.status().await, (StatusWord::Ok, None, 0));
    }
}

#[tokio::test]
async fn a_first_sync_that_fails_leaves_an_empty_catalog_and_says_why() {
    let desk = Desk::new().await;
    desk.upstream(ResponseTemplate::new(200).set_body_string("<html>")).await;
    desk.sync().await;
    assert_eq!(desk.status().await, (StatusWord::Failed, Some("parse_failed".into()), 1));
    assert!(desk.engine.store().facts(&Kind::ALL).await.unwrap().is_empty());
}

#[tokio::test]
async fn the_share_that_may_go_is_a_setting() {
    async fn check(percent: usize, left: usize, taken: bool) {
        let desk = Desk::tuned(|options| options.removed_percent_max = percent).await;
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

/// With the default share of six hours a source would start up to 20 s late; six that all start within 8 are no luck.
#[tokio::test]
async fn without_jitter_what_is_due_is_started_at_once() {
    let mut desks = Vec::new();
    for _ in 0..6 {
        let desk = Desk::tuned(|options| options.jitter_percent = 0).await;
        desk.lists(&page(&["a"])).await;
        desks.push(desk);
    }
    let deadline = std::time::Instant::now() + Duration::from_secs(8);
    for desk in &desks {
        tokio::spawn(refdesk_ingest::schedule::run_schedule(desk.engine.clone(), std::future::pending()));
    }
    for desk in &desks {
        while desk.status().await.0 == StatusWord::Never {
            assert!(std::time::Instant::now() < deadline, "it was not started at once");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test]
async fn a_mass_removal_is_held_back_until_it_is_forced() {
    let desk = Desk::new().await;
    let all = ids(10);
    desk.lists(&listing(&all)).await;
    desk.sync().await;
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

const DAY: i64 = 86_400;

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
        let desk = Desk::new().await;
        let all = ids(100);
        desk.lists(&listing(&all)).await;
        desk.sync().await;
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
    let desk = Desk::new().await;
    let all = ids(10);
    desk.lists(&listing(&all)).await;
    desk.sync().await;
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

#[tokio::test]
async fn an_old_cursor_that_is_answered_with_an_error_makes_a_full_pass_of_the_same_sync() {
    let desk = Desk::new().await;
    let mut first = page(&["a"]);
    first["next"] = json!("/old-cursor");
    let mount = async |first: &Value, cursor: &str, status: u16| {
        desk.server.reset().await;
        let answer = ResponseTemplate::new(200).set_body_json(first);
        Mock::given(path("/models")).respond_with(answer).mount(&desk.server).await;
        let answer = ResponseTemplate::new(status).set_body_json(page(&["b"]));
        Mock::given(path(cursor)).respond_with(answer).mount(&desk.server).await;
    };
    mount(&first, "/old-cursor", 200).await;
    assert_eq!(desk.sync().await.counts.added, 2);
    // The upstream pages anew, and the old cursor is an error of the server's own.
    desk.server.reset().await;
    first["next"] = json!("/new-cursor");
    let answer = |value: &Value| ResponseTemplate::new(200).set_body_json(value);
    Mock::given(path("/models")).respond_with(answer(&first)).mount(&desk.server).await;
    Mock::given(path("/new-cursor")).respond_with(answer(&page(&["b"]))).mount(&desk.server).await;
    Mock::given(path("/old-cursor")).respond_with(ResponseTemplate::new(500)).mount(&desk.server).await;
    let report = desk.sync().await;
    assert_eq!((report.result, report.counts.unchanged), (SyncResult::Updated, 2));
}

#[tokio::test]
async fn a_refused_state_stays_held_back_and_is_not_told_again_until_it_changes() {
    let desk = Desk::new().await;
    let all = ids(10);
    desk.lists(&listing(&all)).await;
    desk.sync().await;
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
async fn a_stored_time_ahead_of_the_clock_is_absent_and_the_source_is_due_at_once() {
    let desk = Desk::new().await;
    desk.lists(&page(&["a"])).await;
    desk.sync().await;
    assert!(desk.engine.due().await.unwrap().is_empty());
    desk.clock.pass(-200);
    assert!(desk.engine.due().await.unwrap().is_empty(), "clocks differ by minutes");
    desk.clock.pass(-30 * DAY);
    let status = desk.engine.statuses().await.unwrap().remove(0);
    assert_eq!((status.last_attempt_at, status.last_synced_at, status.last_verified_at), (None, None, None));
    assert_eq!((status.next_due_at, status.refresh_due), (None, true));
    assert_eq!(desk.engine.due().await.unwrap(), ["toys"]);
    desk.sync().await;
    let status = desk.engine.statuses().await.unwrap().remove(0);
    assert_eq!(status.last_verified_at, Some(desk.clock.now()));
    assert!(desk.engine.due().await.unwrap().is_empty());
}

#[tokio::test]
async fn what_is_removed_while_it_is_synced_does_not_come_back() {
    let desk = Desk::new().await;
    desk.lists(&page(&["a", "b"])).await;
    desk.sync().await;
    let slow = ResponseTemplate::new(200).set_body_json(page(&["a", "b", "c"])).set_delay(Duration::from_millis(300));
    desk.upstream(slow).await;
    let (engine, store) = (desk.engine.clone(), desk.engine.store());
    let syncing = tokio::spawn(async move { engine.sync_source("toys", false).await });
    tokio::time::sleep(Duration::from_millis(100)).await;
    let run = Run::by_operator("toys", desk.clock.now(), RunOutcome::Removed, "removed");
    assert_eq!(store.remove_source("toys", &run).await.unwrap(), 2);
    assert!(matches!(syncing.await.unwrap().unwrap().result, SyncResult::Skipped { .. }));
    assert!(store.facts(&Kind::ALL).await.unwrap().is_empty() && store.source_states().await.unwrap().is_empty());
    let outcomes: Vec<RunOutcome> = store.runs("toys", 9).await.unwrap().iter().map(|run| run.outcome).collect();
    assert_eq!(outcomes, [RunOutcome::Removed, RunOutcome::Updated], "its history stays");
}

#[tokio::test]
async fn facts_of_a_source_that_is_switched_off_are_not_in_the_catalog_until_it_is_on_again() {
    let desk = Desk::new().await;
    desk.lists(&page(&["a"])).await;
    desk.sync().await;
    let mut sources = desk.engine.sources().to_vec();
    let shown = async |sources: &[SourceConfig]| {
        generation::load(desk.engine.store(), sources, desk.clock.now()).await.unwrap().facts.len()
    };
    assert_eq!(shown(&sources).await, 1);
    sources[0].enabled = false;
    desk.engine.switch(&sources);
    assert_eq!(shown(&desk.engine.sources()).await, 0);
    assert_eq!(desk.status().await.0, StatusWord::Disabled);
    assert!(matches!(desk.sync().await.result, SyncResult::Skipped { .. }));
    sources[0].enabled = true;
    desk.engine.switch(&sources);
    assert_eq!(shown(&desk.engine.sources()).await, 1);
}

#[tokio::test]
async fn a_fifth_of_the_facts_may_go_and_a_small_source_may_lose_more_but_never_all() {
    let desk = Desk::new().await;
    let all = ids(10);
    desk.lists(&listing(&all)).await;
    desk.sync().await;
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
    let desk = Desk::new().await;
    let all = ids(30);
    desk.lists(&listing(&all)).await;
    desk.sync().await;
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
    assert_eq!((pending.path.as_str(), &pending.before, pending.since), ("pricing.input", &json!(3), desk.clock.now()));
    desk.lists(&json!({"models": [{"id": "a", "price": 3000}, {"id": "b", "price": 5}]})).await;
    assert_eq!(desk.sync().await.counts.pending, 0);
    assert_eq!(desk.engine.store().facts(&Kind::ALL).await.unwrap()[0].pending, []);
}

#[tokio::test]
async fn duplicate_keys_and_bad_records_become_rejects_and_the_sums_hold() {
    let desk = Desk::new().await;
    desk.lists(&json!({"models": [{"id": "a", "price": 1}, {"id": "a", "price": 2}, {"id": "b", "price": "free"}]}))
        .await;
    let counts = desk.sync().await.counts;
    assert_eq!((counts.items_upstream, counts.facts, counts.rejects), (3, 1, 2));
    let rejects = desk.engine.store().rejects("toys").await.unwrap();
    assert_eq!(rejects.iter().map(|reject| reject.key.as_str()).collect::<Vec<_>>(), ["b", "a"]);
    assert_eq!(
        desk.engine.store().facts(&Kind::ALL).await.unwrap()[0].fields.read()["pricing"]["input"],
        json!(1),
        "the first entry is taken"
    );
}

#[tokio::test]
async fn failures_wait_longer_each_time_and_never_longer_than_the_interval() {
    let desk = Desk::new().await;
    desk.upstream(ResponseTemplate::new(500)).await;
    let mut waits = Vec::new();
    for _ in 0..11 {
        desk.sync().await;
        let due = desk.engine.statuses().await.unwrap()[0].next_due_at.unwrap();
        waits.push(due.secs_since(desk.clock.now()));
    }
    assert_eq!(waits, [60, 120, 240, 480, 960, 1_920, 3_840, 7_680, 15_360, 21_600, 21_600]);
    desk.upstream(ResponseTemplate::new(503).insert_header("retry-after", "86400")).await;
    desk.sync().await;
    let due = desk.engine.statuses().await.unwrap()[0].next_due_at.unwrap();
    assert_eq!(due.secs_since(desk.clock.now()), 86_400, "what the upstream asks for is honoured");
}

#[tokio::test]
async fn runs_are_recorded_and_changes_are_told() {
    let desk = Desk::new().await;
    let changes = desk.engine.changes();
    desk.lists(&page(&["a"])).await;
    desk.sync().await;
    assert_eq!((changes.borrow().revision, changes.borrow().statements), (1, 1));
    desk.sync().await;
    assert_eq!((changes.borrow().revision, changes.borrow().statements), (2, 1), "a confirmation publishes only times");
    desk.upstream(ResponseTemplate::new(500)).await;
    desk.sync().await;
    let runs = desk.engine.store().runs("toys", 10).await.unwrap();
    let outcomes: Vec<RunOutcome> = runs.iter().map(|run| run.outcome).collect();
    assert_eq!(outcomes, [RunOutcome::Failed, RunOutcome::Confirmed, RunOutcome::Updated]);
    assert_eq!(runs[0].requests, 2, "with its retry");
    assert_eq!(runs[2].counts.added, 1);
}

#[tokio::test]
async fn a_disabled_an_offline_and_an_unknown_source_are_told_apart() {
    let desk = Desk::with(|source| {
        source.enabled = false;
        source.disabled_reason = Some("no licence".into());
    })
    .await;
    assert_eq!(desk.sync().await.result, SyncResult::Skipped { reason: "no licence".into() });
    assert_eq!(desk.status().await.0, StatusWord::Disabled);
    assert!(desk.engine.due().await.unwrap().is_empty());
    let error = desk.engine.sync_source("nobody", false).await.unwrap_err();
    assert_eq!(error.to_string(), "there is no source `nobody`; the sources are toys");
}

#[tokio::test]
async fn one_source_is_never_synced_twice_at_once() {
    let desk = Desk::new().await;
    desk.upstream(ResponseTemplate::new(200).set_body_json(page(&["a"])).set_delay(Duration::from_millis(200))).await;
    let (first, second) = tokio::join!(desk.engine.sync_source("toys", false), desk.engine.sync_source("toys", false));
    assert_eq!(first.unwrap().result, SyncResult::Updated);
    assert!(matches!(second.unwrap().result, SyncResult::Skipped { .. }));
    assert_eq!(desk.server.received_requests().await.unwrap().len(), 1);
}

#[tokio::test]
async fn all_sources_are_synced_beside_each_other_and_reported_in_their_order() {
    let server = MockServer::start().await;
    Mock::given(path("/good"))
        .respond_with(ResponseTemplate::new(200).set_body_json(page(&["a"])))
        .mount(&server)
        .await;
    let source = |id: &str, at: &str| SourceConfig::new(id, "toy", format!("{}{at}", server.uri()));
    let sources = vec![source("z", "/good"), source("y", "/missing"), source("x", "/good")];
    let options = EngineOptions { find: find_toy, clock: HandClock::at(START).clock(), ..EngineOptions::default() };
    let engine = Engine::new(Store::open_in_memory().await.unwrap(), sources, options).unwrap();
    let reports = engine.sync_all(None, &[]).await.unwrap();
    let told: Vec<(&str, bool)> = reports.iter().map(|report| (report.source_id.as_str(), report.is_bad())).collect();
    assert_eq!(told, [("z", false), ("y", true), ("x", false)]);
    let only = engine.sync_all(Some(&["x".to_owned()]), &[]).await.unwrap();
    assert_eq!(only.len(), 1);
}

#[tokio::test]
async fn the_schedule_syncs_what_is_due_and_stops_when_told() {
    let desk = Desk::with(|source| source.interval = Span::secs(1)).await;
    desk.lists(&page(&["a"])).await;
    let mut changes = desk.engine.changes();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let schedule = tokio::spawn(refdesk_ingest::schedule::run_schedule(desk.engine.clone(), async {
        let _ = stopped.await;
    }));
    tokio::time::timeout(Duration::from_secs(10), changes.changed()).await.unwrap().unwrap();
    assert_eq!(desk.status().await.0, StatusWord::Ok);
    stop.send(()).unwrap();
    tokio::time::timeout(Duration::from_secs(5), schedule).await.unwrap().unwrap();
}

#[test]
fn sources_that_cannot_work_are_refused_with_their_id_and_key() {
    let check = |change: fn(&mut SourceConfig), part: &str| {
        let mut source = SourceConfig::new("toys", "toy", "https://e.example/");
        change(&mut source);
        let error = refdesk_ingest::config::check_sources(&[source], find_toy, std::path::Path::new("/")).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    };
    check(|source| source.id = "Toys!".into(), "`id` must be");
    check(|source| source.connector = "nope".into(), "`connector` is `nope`");
    check(|source| source.url = "http://e.example/".into(), "`url` is plain http");
    check(|source| source.interval = Span::millis(1), "`interval` is 1ms");
    check(|source| drop(source.options.insert("colour".into(), "red".into())), "unknown key `colour`");
}
