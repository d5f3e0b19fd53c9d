//! The pages of sources and of evidence.

use super::Page;
use crate::common::{Bench, Mood, NOW};
use http::StatusCode;
use refdesk_core::Reject;
use refdesk_core::fact::{EvidenceKey, HashBasis, RecordWithheld};
use refdesk_core::source_status::{SourceCounts, SourceFault, SourceStatus, StatusWord};
use refdesk_serve::state::{RecordRead, SourceHistory, SourceRun};

pub fn source(id: &str, status: StatusWord) -> SourceStatus {
    SourceStatus {
        id: id.into(),
        name: format!("Source {id}"),
        kind: "cards".into(),
        url: "https://first.example/".into(),
        license: Some("MIT".into()),
        types: vec!["MODEL".into()],
        enabled: true,
        disabled_reason: None,
        status,
        last_attempt_at: Some(NOW),
        last_synced_at: Some(NOW),
        last_verified_at: None,
        next_due_at: Some(NOW.plus_secs(60)),
        refresh_due: false,
        interval_seconds: 7 * 86_400,
        consecutive_failures: 3,
        content_hash: None,
        http_status: Some(500),
        error: Some(SourceFault { code: "status".into(), message: "the upstream answered 500".into(), at: Some(NOW) }),
        counts: SourceCounts { total: 1234, rejects: 1, unshown: 5678, ..SourceCounts::default() },
    }
}

/// A desk that was just installed shows little, and says how it gets the rest.
#[tokio::test]
async fn sources_that_were_never_read_say_how_they_are_read() {
    let bench = Bench::new();
    for (status, is_told) in [(StatusWord::Never, true), (StatusWord::Ok, false)] {
        bench.desk.set_sources(vec![source("first", status)]);
        let words = Page::of(&bench, "/sources").await.words();
        assert_eq!(
            words.contains("Sources that were never read have no facts here yet. A desk with a network reads them by itself when they are due; refdesk sync reads them now."),
            is_told,
            "{words}"
        );
    }
}

/// The first page sends whoever asks why so much is stale to this one: no sync makes a card fresh that nobody checked again.
#[tokio::test]
async fn a_source_of_cards_says_from_which_day_they_age() {
    let bench = Bench::new();
    for (kind, is_told) in [("cards", true), ("litellm", false)] {
        let counts = SourceCounts { total: 5, stale: 3, ..SourceCounts::default() };
        bench.desk.set_sources(vec![SourceStatus { kind: kind.into(), counts, ..source("first", StatusWord::Ok) }]);
        bench.bodies.histories.lock().unwrap().insert("first".into(), SourceHistory::default());
        let all = Page::of(&bench, "/sources").await.words();
        assert_eq!(all.contains("Facts of cards age from the day on which a person last checked each card"), is_told);
        let one = Page::of(&bench, "/sources/first").await.words();
        assert_eq!(one.contains("Each turns stale 7 days after the day that its card states as checked_on"), is_told);
    }
}

#[tokio::test]
async fn a_source_shows_its_last_runs_its_error_and_what_it_could_not_take() {
    let bench = Bench::new();
    bench.desk.set_sources(vec![source("first", StatusWord::Failed)]);
    let run = |outcome, minutes: i64| SourceRun {
        started_at: NOW.plus_secs(-60 * minutes),
        duration_ms: 1234,
        outcome,
        added: 5432,
        changed: 6,
        removed: 7,
        error: (outcome == "failed").then(|| SourceFault {
            code: "status".into(),
            message: "the upstream answered 500".into(),
            at: None,
        }),
        note: None,
    };
    let runs: Vec<SourceRun> = ["failed", "confirmed", "updated", "quarantined"]
        .into_iter()
        .cycle()
        .zip(0..40)
        .map(|(outcome, minutes)| run(outcome, minutes))
        .collect();
    let reject = Reject::new("line 12", "`input` is not a price", "{\"input\":\"<b>\"}");
    bench.bodies.histories.lock().unwrap().insert("first".into(), SourceHistory { runs, rejects: vec![reject] });
    let list = Page::of(&bench, "/sources").await;
    assert!(
        list.words().contains("✗ failed") && list.words().contains("the upstream answered 500"),
        "{}",
        list.words()
    );
    let page = Page::of(&bench, "/sources/first").await;
    let words = page.words();
    assert!(words.contains("License MIT Attribution unknown"), "{words}");
    assert!(words.contains("5,678 : values that no field can hold"), "{words}");
    for link in ["/models?source=first", "#rejects", "/v1/sources/status"] {
        assert!(page.links().contains(&link.to_owned()), "{link}: {:?}", page.links());
    }
    bench.desk.set_sources(vec![source("first", StatusWord::Failed), source("second", StatusWord::Ok)]);
    bench.bodies.histories.lock().unwrap().insert("second".into(), SourceHistory::default());
    let second = Page::of(&bench, "/sources/second").await.words();
    assert!(second.contains("Attribution Data of second"), "{second}");
    assert_eq!(page.html().matches("<li title=").count(), 30, "the strip has the last 30 runs");
    for part in [
        "1,234",
        "Values not shown",
        "5,678",
        "7 days",
        "1.234",
        "5,432 6 7",
        "States Models",
        "line 12",
        "input is not a price",
        "{\"input\":\"<b>\"}",
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
    let bare = Reject::new("line 13", "nothing is there", " ");
    let history = SourceHistory { runs: Vec::new(), rejects: vec![bare] };
    bench.bodies.histories.lock().unwrap().insert("first".into(), history);
    let words = Page::of(&bench, "/sources/first?bare").await.words();
    assert!(words.contains("line 13 nothing is there unknown"), "{words}");
    let due = SourceStatus { next_due_at: None, refresh_due: true, ..source("first", StatusWord::Ok) };
    bench.desk.set_sources(vec![due]);
    let words = Page::of(&bench, "/sources").await.words();
    assert!(words.contains(" due ") && !words.contains("not scheduled"), "{words}");
    let unknown = Page::refused(&bench, "/sources/frist", StatusCode::NOT_FOUND).await;
    assert!(unknown.words().contains("No source has the id \"frist\" (did you mean"), "{}", unknown.words());
    let unlike = Page::refused(&bench, "/sources/nope", StatusCode::NOT_FOUND).await;
    assert!(!unlike.words().contains("did you mean"), "what is not alike is not suggested: {}", unlike.words());
    bench.bodies.set(Mood::Fails);
    let failed = Page::refused(&bench, "/sources/first", StatusCode::INTERNAL_SERVER_ERROR).await;
    failed.0.tells_nothing_of_the_inside();
}

#[tokio::test]
async fn evidence_tells_how_to_recompute_its_hash() {
    let bench = Bench::new();
    let key = bench.json("/v1/models/nova-2").await["evidence"]["key"].as_str().unwrap().to_owned();
    let page = Page::of(&bench, &format!("/evidence/{key}")).await;
    assert!(
        page.words().contains(&format!("curl -s http://localhost/v1/evidence/{key}/record | sha256sum")),
        "{}",
        page.words()
    );
    assert!(!page.links().contains(&format!("/evidence/{key}")), "no link leads to the page itself");
    let record = format!("/v1/evidence/{key}/record");
    assert!(!page.links().contains(&record), "the store has none");
    let set = |read| {
        let key = EvidenceKey::parse(&key).unwrap();
        bench.bodies.records.lock().unwrap().insert(key, read);
    };
    set(RecordRead::Found { bytes: "{}".into(), basis: HashBasis::Record, content_hash: "sha256:0".into() });
    assert!(Page::of(&bench, &format!("/evidence/{key}")).await.links().contains(&record));
    set(RecordRead::Withheld(RecordWithheld::Secret));
    let withheld = Page::of(&bench, &format!("/evidence/{key}?again=1")).await;
    assert!(withheld.words().contains("may not pass on the record itself (secret)"), "{}", withheld.words());
    assert!(!withheld.links().contains(&record) && !withheld.words().contains("sha256sum"), "{}", withheld.words());
    let fact = Page::of(&bench, "/documents/guide-start").await;
    let stored = fact.links().into_iter().find(|link| link.starts_with("/evidence/")).unwrap();
    bench.bodies.set(Mood::Fails);
    let failed = Page::refused(&bench, &stored, StatusCode::INTERNAL_SERVER_ERROR).await;
    failed.0.tells_nothing_of_the_inside();
    let none = Page::refused(&bench, "/evidence/ev_none", StatusCode::NOT_FOUND).await;
    assert!(none.words().contains("The page of an item links to all its evidence"), "{}", none.words());
    assert!(!none.words().contains("evidence_key"), "{}", none.words());
}

#[tokio::test]
async fn evidence_tells_the_item_and_the_fields_that_rest_on_it() {
    let bench = Bench::new();
    let answer = bench.json("/v1/models/nova-2").await;
    let stated = answer["model"]["field_evidence"]["limits.context_tokens"]["evidence_key"].as_str().unwrap();
    let page = Page::of(&bench, &format!("/evidence/{stated}?kind=models&id=nova-2")).await;
    assert!(page.links().contains(&"/models/nova-2".to_owned()), "{:?}", page.links());
    assert!(page.words().contains("Context 200,000"), "{}", page.words());
    // Who comes with the key alone, or with an item that does not rest on it, is told all the same.
    for query in ["", "?kind=tools&id=hammer", "?kind=models&id=orbit-1"] {
        let page = Page::of(&bench, &format!("/evidence/{stated}{query}")).await;
        assert!(page.words().contains("About the model Nova 2"), "{query}: {}", page.words());
    }
}
