//! What a good and a bad day of an upstream leave behind.

use std::time::Duration;

use super::{Desk, HOUR};
use crate::support::{page, run};
use refdesk_core::Kind;
use refdesk_core::source_status::StatusWord;
use refdesk_ingest::connectors;
use refdesk_ingest::store::{Accept, Effect, Run, RunOutcome, SyncNote, Validators};
use refdesk_ingest::sync::SyncResult;
use serde_json::{Value, json};
use wiremock::matchers::{header_exists, path};
use wiremock::{Mock, Request, ResponseTemplate};

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
async fn what_another_version_read_is_read_again_though_nothing_changed_upstream() {
    let desk = Desk::new().await;
    let answer = ResponseTemplate::new(200).set_body_json(page(&["a", "b"])).insert_header("etag", "\"1\"");
    desk.upstream(answer.clone()).await;
    desk.sync().await;
    // As the version before left it, whose connectors read bytes another way.
    let (store, at) = (desk.engine.store(), desk.clock.now());
    let before = store.validators("toys").await.unwrap();
    let validators = Some(Validators { fingerprint: "fp_before".to_owned(), ..before });
    let note = SyncNote {
        source_id: "toys".to_owned(),
        state: store.source_state("toys").await.unwrap(),
        run: run("toys", at, RunOutcome::Confirmed),
        effect: Effect::Confirm { at, synced: true, validators },
    };
    store.note_sync(&note).await.unwrap();
    desk.server.reset().await;
    let unchanged = ResponseTemplate::new(304);
    Mock::given(header_exists("if-none-match")).respond_with(unchanged).with_priority(1).mount(&desk.server).await;
    Mock::given(path("/models")).respond_with(answer).with_priority(2).mount(&desk.server).await;
    desk.events.0.lock().unwrap().clear();
    let report = desk.sync().await;
    assert_eq!((report.counts.items_upstream, report.not_modified), (2, 0), "{report:?}");
    assert_eq!(*desk.events.0.lock().unwrap(), ["started", "fetched", "parsed", "finished"]);
    let report = desk.sync().await;
    assert_eq!((report.result, report.not_modified), (SyncResult::Confirmed, 1), "once");
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

/// A source that was read well told 404, that of the last of its links.
#[tokio::test]
async fn a_linked_page_that_is_missing_is_not_what_the_source_answered() {
    let desk = Desk::tuned(|source, options| {
        source.connector = "llms-txt".into();
        source.url = source.url.replace("/models", "/llms.txt");
        options.find = connectors::find;
    })
    .await;
    let index = "# Lamp\n\n- [Oil](/oil.md)\n- [Gone](/gone.md)\n";
    for (page, text) in [("/llms.txt", index), ("/oil.md", "# Oil\n")] {
        let answer = ResponseTemplate::new(200).set_body_string(text);
        Mock::given(path(page)).respond_with(answer).mount(&desk.server).await;
    }
    let counts = desk.sync().await.counts;
    assert_eq!((counts.added, counts.items_upstream), (2, 3), "the list, a page, and one that is not there");
    let status = desk.engine.statuses().await.unwrap().remove(0);
    assert_eq!((status.status, status.http_status), (StatusWord::Ok, Some(200)));
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
async fn a_configured_moment_that_the_upstream_refuses_makes_a_full_pass_of_the_same_sync() {
    let desk = Desk::tuned(|source, options| {
        source.connector = "mcp-registry".into();
        for (name, value) in [("mode", "incremental"), ("updated_since", "2020-01-02T00:00:00Z")] {
            source.options.insert(name.into(), value.into());
        }
        options.find = connectors::find;
    })
    .await;
    let has_moment = |request: &Request| request.url.query().is_some_and(|query| query.contains("updated_since"));
    Mock::given(has_moment).respond_with(ResponseTemplate::new(400)).mount(&desk.server).await;
    let page = json!({"servers": [{"server": {"name": "x/lamp", "version": "1"}}]});
    let answer = ResponseTemplate::new(200).set_body_json(page);
    Mock::given(path("/models/v0.1/servers")).respond_with(answer).mount(&desk.server).await;
    let report = desk.sync().await;
    assert_eq!((report.result, report.counts.added), (SyncResult::Updated, 1));
    let asked: Vec<bool> = desk.server.received_requests().await.unwrap().iter().map(has_moment).collect();
    assert_eq!(asked, [true, false], "refused once, then asked for all");
}

#[tokio::test]
async fn what_is_removed_while_it_is_synced_does_not_come_back() {
    let desk = Desk::new().await;
    desk.lists(&page(&["a", "b"])).await;
    desk.sync().await;
    let slow = ResponseTemplate::new(200).set_body_json(page(&["a", "b", "c"])).set_delay(Duration::from_secs(2));
    desk.upstream(slow).await;
    let requests = async || desk.server.received_requests().await.unwrap().len();
    let before = requests().await;
    let (engine, store) = (desk.engine.clone(), desk.engine.store());
    let syncing = tokio::spawn(async move { engine.sync_source("toys", &Accept::No).await });
    let asked = async {
        while requests().await == before {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), asked).await.expect("the upstream is asked");
    let run = Run::by_operator("toys", desk.clock.now(), RunOutcome::Removed, "removed");
    assert_eq!(store.remove_source("toys", &run).await.unwrap(), 2);
    assert!(matches!(syncing.await.unwrap().unwrap().result, SyncResult::Skipped { .. }));
    assert!(store.facts(&Kind::ALL).await.unwrap().is_empty() && store.source_states().await.unwrap().is_empty());
    let outcomes: Vec<RunOutcome> = store.runs("toys", 9).await.unwrap().iter().map(|run| run.outcome).collect();
    assert_eq!(outcomes, [RunOutcome::Removed, RunOutcome::Updated], "its history stays");
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
