//! Upstreams that are crafted to do harm: what each may cost, and that no fact of a good day goes for it. `scripts/hostile_upstream.py`
//! attacks every connector of the built binary and measures its memory; here are the rules, one by one.

use refdesk_core::Kind;
use refdesk_core::fact::RecordWithheld;
use std::io::Write as _;
use std::time::Duration;

use crate::support::desk::Desk;
use crate::support::error;
use refdesk_ingest::config::Span;
use refdesk_ingest::connectors::formats::json_text::RECORD_BYTES_MAX;
use refdesk_ingest::connectors::formats::tarball::{NAMES_BYTES_MAX, PATH_BYTES_MAX};
use refdesk_ingest::store::Accept;
use refdesk_ingest::sync::{SyncReport, SyncResult};
use serde_json::{Value, json};
use wiremock::matchers::{header_exists, method};
use wiremock::{Mock, ResponseTemplate};

const DAY: i64 = 86_400;

impl Desk {
    async fn lists(&self, ids: &[String], price: u32) -> SyncReport {
        let models: Vec<Value> = ids.iter().map(|id| json!({"id": id, "price": price})).collect();
        self.sends(json!({"models": models}).to_string()).await
    }

    async fn keys(&self) -> Vec<String> {
        let facts = self.engine.store().facts(&Kind::ALL).await.unwrap();
        facts.into_iter().filter(|fact| fact.standing.removed_at.is_none()).map(|fact| fact.key).collect()
    }

    async fn rejects(&self) -> Vec<(String, String)> {
        let rejects = self.engine.store().rejects("lamps").await.unwrap();
        rejects.into_iter().map(|reject| (reject.key, reject.reason)).collect()
    }
}

fn ids(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|n| format!("m{n:05}")).collect()
}

#[tokio::test]
async fn no_header_silences_a_source_for_more_than_a_day() {
    const FOR_EVER: [(&str, &str); 4] = [
        ("retry-after", "99999999999999"),
        ("retry-after", "18446744073709551615"),
        ("retry-after", "999999999999999999999999999"),
        ("retry-after", "Fri, 31 Dec 9999 23:59:59 GMT"),
    ];
    for interval in [Span::secs(60), Span::secs(6 * 3_600), Span::days(7)] {
        for (name, value) in FOR_EVER {
            let desk = Desk::tuned("toy", |source, _| source.interval = interval).await;
            desk.upstream(ResponseTemplate::new(429).insert_header(name, value)).await;
            assert_eq!(error(&desk.sync().await).code, "status");
            let due = desk.engine.statuses().await.unwrap().remove(0).next_due_at.unwrap();
            let waits = due.secs_since(desk.clock.now());
            assert!((1..=DAY).contains(&waits), "{interval}, {value}: due in {waits} s");
            desk.clock.pass(DAY + 1);
            assert_eq!(desk.engine.due().await.unwrap(), ["lamps"], "{interval}, {value}");
        }
    }
    let desk = Desk::new("toy").await;
    desk.upstream(ResponseTemplate::new(429).insert_header("retry-after", "7200")).await;
    desk.sync().await;
    let due = desk.engine.statuses().await.unwrap().remove(0).next_due_at.unwrap();
    assert_eq!(due.secs_since(desk.clock.now()), 7_200, "what is asked within the bound is granted");
}

#[tokio::test]
async fn a_mass_addition_is_held_back_until_it_is_forced_or_repeated_a_day_later_with_other_bytes() {
    let desk = Desk::new("toy").await;
    assert_eq!(
        desk.lists(&ids(0..300), 1).await.result,
        SyncResult::Updated,
        "a first sync has nothing to be compared with"
    );
    assert_eq!(desk.lists(&ids(0..600), 1).await.result, SyncResult::Updated, "as many again may come");
    let report = desk.lists(&ids(0..1_300), 1).await;
    assert_eq!(error(&report).code, "mass_addition");
    assert!(
        error(&report).message.contains("700 facts would come to 600")
            && error(&report).message.contains("sync --force lamps")
    );
    assert_eq!(desk.keys().await, ids(0..600));
    desk.clock.pass(3 * DAY);
    assert_eq!(error(&desk.lists(&ids(0..1_300), 1).await).code, "mass_addition", "equal bytes, however long");
    assert_eq!(desk.lists(&ids(0..1_300), 2).await.result, SyncResult::Updated, "other bytes, days later");
    assert_eq!(desk.keys().await.len(), 1_300);

    let desk = Desk::new("toy").await;
    desk.lists(&ids(0..10), 1).await;
    assert_eq!(desk.lists(&ids(0..260), 1).await.result, SyncResult::Updated, "250 are never too many");
    assert_eq!(error(&desk.lists(&ids(0..9_000), 1).await).code, "mass_addition");
    // Another reason to be held back does not make its day shorter.
    assert_eq!(error(&desk.lists(&ids(0..9), 1).await).code, "mass_removal");
    desk.clock.pass(2 * DAY);
    assert_eq!(error(&desk.lists(&ids(0..9_001), 1).await).code, "mass_addition");
    let forced = desk.engine.sync_source("lamps", &Accept::Any).await.unwrap();
    assert_eq!((forced.result, forced.counts.added), (SyncResult::Updated, 8_741));
}

#[tokio::test]
async fn how_much_may_come_is_a_setting_and_grows_with_the_time_without_a_good_sync() {
    let check = async |percent: usize, days: i64, count: usize, taken: bool| {
        let desk = Desk::tuned("toy", |_, options| options.added_percent_max = percent).await;
        desk.lists(&ids(0..400), 1).await;
        desk.clock.pass(days * DAY);
        let result = desk.lists(&ids(0..count), 1).await.result;
        assert_eq!(result == SyncResult::Updated, taken, "{percent} %, {days} days, {count}: {result:?}");
    };
    check(100, 0, 800, true).await;
    check(100, 0, 801, false).await;
    check(200, 0, 1_200, true).await;
    check(0, 0, 9_000, true).await;
    check(100, 90, 1_600, true).await;
    check(100, 90, 1_700, false).await;
}

#[tokio::test]
async fn an_upstream_that_always_says_not_modified_is_asked_without_conditions_after_a_week() {
    let desk = Desk::new("toy").await;
    desk.upstream(
        ResponseTemplate::new(200).set_body_json(crate::support::page(&["a"])).insert_header("etag", "\"1\""),
    )
    .await;
    desk.sync().await;
    desk.server.reset().await;
    let lie = Mock::given(header_exists("if-none-match")).respond_with(ResponseTemplate::new(304)).with_priority(1);
    lie.mount(&desk.server).await;
    let changed = ResponseTemplate::new(200).set_body_json(crate::support::page(&["a", "b"]));
    Mock::given(method("GET")).respond_with(changed).mount(&desk.server).await;
    assert_eq!(desk.sync().await.result, SyncResult::Confirmed);
    desk.clock.pass(8 * DAY);
    assert_eq!(desk.sync().await.result, SyncResult::Updated);
    assert_eq!(desk.keys().await, ["a", "b"]);
}

#[tokio::test]
async fn an_upstream_that_refuses_to_be_asked_with_its_own_tag_is_asked_without_it_next() {
    let desk = Desk::new("toy").await;
    desk.upstream(
        ResponseTemplate::new(200).set_body_json(crate::support::page(&["a"])).insert_header("etag", "\"1\""),
    )
    .await;
    desk.sync().await;
    desk.server.reset().await;
    let refusal = Mock::given(header_exists("if-none-match")).respond_with(ResponseTemplate::new(412)).with_priority(1);
    refusal.mount(&desk.server).await;
    let changed = ResponseTemplate::new(200).set_body_json(crate::support::page(&["a", "b"]));
    Mock::given(method("GET")).respond_with(changed).mount(&desk.server).await;
    let refused = desk.sync().await.result;
    assert!(matches!(refused, SyncResult::Failed { .. }), "{refused:?}");
    assert_eq!(desk.sync().await.result, SyncResult::Updated);
    assert_eq!(desk.keys().await, ["a", "b"]);
}

#[tokio::test]
async fn a_secret_in_a_description_is_not_shown_and_its_record_is_withheld() {
    let desk = Desk::new("openrouter").await;
    let entry = |id: &str, description: &str| json!({"id": id, "name": id, "description": description, "pricing": {"prompt": "0.000001"}});
    let leak = entry("lamp/leak", "Ask with `Bearer ghp_Zt4kP9qLm2Xv7Bn8Wd3RyU5c`.\nThen wait.");
    let good = entry("lamp/good", "Ask with `Bearer ghp_YOUR_TOKEN_HERE_0123456789`.");
    let report = desk.sends(json!({"data": [leak, good]}).to_string()).await;
    assert_eq!(report.counts.facts, 2, "{report:?}");
    let facts = desk.engine.store().facts(&Kind::ALL).await.unwrap();
    let mut told: Vec<_> =
        facts.iter().map(|fact| (fact.fields.read()["description"].clone(), fact.provenance.record_withheld)).collect();
    told.sort_by_key(|(_, withheld)| withheld.is_none());
    assert_eq!(
        told,
        [
            (json!("Ask with `Bearer REDACTED`.\nThen wait."), Some(RecordWithheld::Secret)),
            (json!("Ask with `Bearer ghp_YOUR_TOKEN_HERE_0123456789`."), None),
        ]
    );
}

#[tokio::test]
async fn a_record_that_is_too_much_is_a_reject_and_the_others_stand() {
    let entry =
        |key: &str, more: &str| format!("{}: {{\"litellm_provider\": \"lamp\", \"mode\": \"chat\"{more}}}", json!(key));
    let name = "n".repeat(2_000);
    let bad = [
        ("1e400", "it holds `1e400`, which is not a JSON number", entry("1e400", ", \"x\": 1e400")),
        (
            "deep",
            "the record is not JSON: recursion limit exceeded",
            entry("deep", &format!(", \"x\": {}1{}", "[".repeat(9_000), "]".repeat(9_000))),
        ),
        ("twice", "the record is not JSON: the key `mode` appears twice", entry("twice", ", \"mode\": \"chat\"")),
        ("good", "the key appears twice in the file; the first entry counts", entry("good", "")),
        ("large", "the record has ", entry("large", &format!(", \"x\": \"{}\"", "x".repeat(RECORD_BYTES_MAX)))),
        ("nnnnn", "its key has 2002 bytes; at most 1024 are read", entry(&name, "")),
        (
            "source",
            "one of its references has 9018 bytes",
            entry("source", &format!(", \"source\": \"https://a.example/{}\"", "x".repeat(9_000))),
        ),
    ];
    let entries: Vec<String> = [entry("good", "")]
        .into_iter()
        .chain(bad.iter().map(|(_, _, text)| text.clone()))
        .chain([entry("last", "")])
        .collect();
    let desk = Desk::new("litellm").await;
    let report = desk.sends(format!("\u{feff}{{{}}}", entries.join(","))).await;
    assert_eq!(
        (&report.result, report.counts.facts, report.counts.rejects, report.counts.uncounted),
        (&SyncResult::Updated, 2, 7, 0)
    );
    assert_eq!(desk.keys().await, ["good", "last"]);
    for (key, reason, _) in &bad {
        let rejects = desk.rejects().await;
        let found = rejects.iter().any(|(found, why)| found.starts_with(key) && why.starts_with(reason));
        assert!(found, "{key}: {rejects:?}");
    }
}

#[tokio::test]
async fn a_card_that_was_checked_on_a_day_to_come_is_a_reject() {
    let card = |name: &str, day: &str| {
        format!(
            "kind: tool\nid: {name}\ndisplay_name: {name}\nsource_url: https://lamp.example/\nchecked_on: {day}\ndescription: Lights.\n"
        )
    };
    // The clock stands at 2023-11-14T22:13:20Z and an hour.
    let (today, tomorrow, later) =
        (card("today", "2023-11-14"), card("tomorrow", "2023-11-15"), card("later", "2023-11-16"));
    let files = [("a.yaml", today.as_bytes()), ("b.yaml", tomorrow.as_bytes()), ("c.yaml", later.as_bytes())];
    let desk = Desk::new("cards").await;
    let report = desk.sends(crate::tarball::tarball(&files).unwrap()).await;
    assert_eq!((report.counts.facts, report.counts.rejects), (2, 1), "tomorrow has begun in the east");
    let rejects = desk.rejects().await;
    assert!(
        rejects[0].0 == "c.yaml" && rejects[0].1.contains("`checked_on` is 2023-11-16, a date in the future"),
        "{rejects:?}"
    );
}

#[tokio::test]
async fn a_sync_never_takes_more_memory_than_the_setting_leaves_to_one_source() {
    let desk = Desk::tuned("litellm", |_, options| options.fetch.sync_memory_max = 4 << 20).await;
    let body = |count: usize| {
        let entries: Vec<String> =
            (0..count).map(|n| format!("\"m{n}\": {{\"litellm_provider\": \"lamp\"}}")).collect();
        format!("{{{}}}", entries.join(","))
    };
    assert_eq!(desk.sends(body(100)).await.result, SyncResult::Updated);
    let told = error(&desk.sends(body(1_000)).await);
    assert_eq!(told.code, "too_large");
    assert!(told.message.contains("sync_memory_max = 4194304"), "{}", told.message);
    let told = error(&desk.sends(vec![b' '; 5 << 20]).await);
    assert_eq!(told.code, "too_large", "{}", told.message);
    assert_eq!((desk.keys().await.len(), desk.sends(body(101)).await.result), (100, SyncResult::Updated));
}

#[tokio::test]
async fn names_of_any_length_in_an_archive_cost_no_memory() {
    let archive = |kind: tar::EntryType, name: usize| {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(name as u64);
        header.set_path("././@LongLink").unwrap();
        header.set_cksum();
        packed.write_all(header.as_bytes()).unwrap();
        packed.write_all(&vec![b'n'; name.next_multiple_of(512)]).unwrap();
        let mut inner = tar::Builder::new(&mut packed);
        let mut file = tar::Header::new_gnu();
        file.set_size(4);
        inner.append_data(&mut file, "repo-main/a.md", &b"# A\n"[..]).unwrap();
        inner.append_data(&mut file, "repo-main/b.md", &b"# B\n"[..]).unwrap();
        inner.into_inner().unwrap();
        packed.finish().unwrap()
    };
    let desk = Desk::new("markdown-docs").await;
    for kind in [tar::EntryType::GNULongName, tar::EntryType::GNULongLink, tar::EntryType::XHeader] {
        let told = error(&desk.sends(archive(kind, 1 << 20)).await);
        assert_eq!(told.code, "too_large", "{kind:?}");
        assert!(told.message.contains(&NAMES_BYTES_MAX.to_string()), "{}", told.message);
    }
    let report = desk.sends(archive(tar::EntryType::GNULongName, PATH_BYTES_MAX + 1)).await;
    assert_eq!(
        (report.counts.facts, report.counts.ignored, report.counts.uncounted),
        (1, 1, 0),
        "it is left out by name"
    );
}

#[tokio::test]
async fn a_sync_that_only_takes_time_ends_and_leaves_others_their_turn() {
    let desk = Desk::tuned("toy", |_, options| options.fetch.pass_timeout = Duration::from_millis(300)).await;
    let slow =
        ResponseTemplate::new(200).set_body_json(crate::support::page(&["a"])).set_delay(Duration::from_secs(10));
    desk.upstream(slow).await;
    for _ in 0..2 {
        let begun = std::time::Instant::now();
        let told = error(&desk.sync().await);
        assert!(told.code == "timeout" && told.message.contains("pass_timeout = 300ms"), "{}", told.message);
        assert!(begun.elapsed() < Duration::from_secs(8));
    }
    desk.lists(&ids(0..1), 1).await;
    assert_eq!(desk.keys().await, ids(0..1));
}

#[tokio::test]
async fn what_an_upstream_wrote_stands_in_messages_without_control_characters() {
    let cursor = "c\u{202e}\u{9b}31m\u{1b}[2J\u{200b}x";
    let desk = Desk::new("mcp-registry").await;
    let told = error(&desk.sends(json!({"servers": [], "metadata": {"nextCursor": cursor}}).to_string()).await);
    assert!(told.message.contains("c31m[2Jx") && told.message.contains("came a second time"), "{:?}", told.message);
    let desk = Desk::new("litellm").await;
    desk.sends(json!({"a\u{202e}\u{1b}[0m": {}, "b": {"litellm_provider": "lamp"}}).to_string()).await;
    // A key is not shown as it is stored: by it the fact is found whose record turned bad.
    let (key, reason) = desk.rejects().await.swap_remove(0);
    assert_eq!((key.as_str(), reason.contains('\u{1b}')), ("a\u{202e}\u{1b}[0m", false));
}
