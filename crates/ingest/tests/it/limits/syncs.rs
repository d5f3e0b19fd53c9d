//! The limits of a sync: what one fact may hold, what one pass may bring, how long an upstream is waited for. What lies beyond is a reject,
//! a failure that names the limit, or waits for its turn. `docs/limits.md` names these tests.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::support::desk::Desk;
use crate::support::{error, find_toy, page, tool};
use refdesk_core::item::{Item, Tool};
use refdesk_core::{Body, Fact, Kind};
use refdesk_ingest::config::{FetchSettings, SourceConfig, Span};
use refdesk_ingest::connectors::{self, Answer, Batch, Connector, FetchSession, ParseError, Request};
use refdesk_ingest::store::Store;
use refdesk_ingest::sync::bounds;
use refdesk_ingest::sync::{Engine, EngineOptions, SyncResult};
use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, ResponseTemplate};

/// A connector whose answer is taken for the name of a case below.
const CRAFTED: Connector = Connector {
    name: "crafted",
    kinds: &[Kind::Model, Kind::Tool],
    description: "Facts that hold too much",
    open: |target| Ok(Box::new(CraftedSession(Request::get(target.url.clone(), "page"), Batch::default()))),
    ..Connector::RECORDS
};

struct CraftedSession(Request, Batch);

impl FetchSession for CraftedSession {
    fn first(&mut self) -> Vec<Request> {
        vec![self.0.clone()]
    }
    fn accept(&mut self, answer: Answer) -> Result<Vec<Request>, ParseError> {
        if answer.body.starts_with(b"fail") {
            return Err(ParseError::new("word ".repeat(5_000)));
        }
        for (name, _, change) in TOO_MUCH {
            let mut fact = tool(name, Body::None);
            change(&mut fact);
            self.1.facts.push(fact);
        }
        self.1.facts.push(tool("good", Body::None));
        self.1.items_upstream = TOO_MUCH.len() + 1;
        Ok(Vec::new())
    }
    fn finish(self: Box<Self>) -> Result<Batch, ParseError> {
        Ok(self.1)
    }
}

async fn crafted_desk() -> Desk {
    Desk::tuned("crafted", |_, options| options.find = |name| (name == "crafted").then_some(&CRAFTED)).await
}

fn long(bytes_max: usize) -> String {
    "x".repeat(bytes_max + 1)
}

/// The item of a fact whose fields hold this.
fn holding(fact: &mut Fact, schema: Value) {
    fact.item = Item::Tool(Tool { input_schema: Some(schema), ..Tool::default() });
}

type Case = (&'static str, &'static str, fn(&mut Fact));

/// What goes beyond or below each bound of a fact, and what its reject says.
const TOO_MUCH: [Case; 18] = [
    ("blank key", "its key has no visible character", |fact| fact.key = " \u{200b}".into()),
    ("blank name", "its name has no visible character", |fact| fact.head.name = "\u{202e}\t".into()),
    ("key", "its key has 1025 bytes", |fact| fact.key = long(bounds::KEY_BYTES_MAX)),
    ("NUL in the key", "its key has a NUL character", |fact| fact.key = "a\0b".into()),
    ("NUL in the address", "its address has a NUL character", |fact| fact.source_url = "https://a.example/\0".into()),
    ("NUL in a reason", "why its body is missing has a NUL character", |fact| fact.body = Body::Missing("\0".into())),
    ("id", "its id has 1025 bytes", |fact| fact.head.id = long(bounds::NAME_BYTES_MAX)),
    ("name", "its name has 1025 bytes", |fact| fact.head.name = long(bounds::NAME_BYTES_MAX)),
    ("vendor", "its vendor has 1025 bytes", |fact| fact.head.vendor = Some(long(bounds::NAME_BYTES_MAX))),
    ("alias", "one of its aliases has 1025 bytes", |fact| fact.head.aliases.push(long(bounds::NAME_BYTES_MAX))),
    ("aliases", "it has 1001 aliases", |fact| {
        fact.head.aliases = (0..=bounds::ALIASES_MAX).map(|n| n.to_string()).collect();
    }),
    ("address", "its address has 8193 bytes", |fact| fact.source_url = long(bounds::ADDRESS_BYTES_MAX)),
    ("packages", "it has 1001 packages", |fact| {
        fact.identity.packages = (0..=bounds::ALIASES_MAX).map(|n| n.to_string()).collect();
    }),
    ("repository", "what it is known by has 8193 bytes", |fact| {
        fact.identity.repository = Some(long(bounds::ADDRESS_BYTES_MAX));
    }),
    ("text", "`input_schema` has 32769 bytes", |fact| holding(fact, json!({"a": long(bounds::TEXT_BYTES_MAX)}))),
    ("name in a field", "a name in `input_schema` has 1025 bytes", |fact| {
        holding(fact, json!({long(bounds::NAME_BYTES_MAX): 1}));
    }),
    ("list", "`input_schema` has 10001 entries", |fact| {
        holding(fact, json!({"a": vec![1; bounds::LIST_ITEMS_MAX + 1]}));
    }),
    ("fields", "its fields have 2", |fact| holding(fact, json!({"a": vec!["x".repeat(30_000); 75]}))),
];

#[tokio::test]
async fn a_fact_that_holds_too_much_is_a_reject_that_says_what_and_the_others_stand() {
    let desk = crafted_desk().await;
    let report = desk.sends("cases").await;
    assert_eq!((report.counts.facts, report.counts.rejects), (1, TOO_MUCH.len()), "{:?}", report.result);
    let rejects = desk.engine.store().rejects("lamps").await.unwrap();
    for (name, reason, _) in TOO_MUCH {
        assert!(rejects.iter().any(|reject| reject.reason.starts_with(reason)), "{name}: {rejects:?}");
    }
}

#[tokio::test]
async fn a_prompt_may_be_longer_than_other_texts_and_has_its_own_bound() {
    let desk = Desk::tuned("patterns-repo", |source, _| source.url = source.url.replace("/lamps", "/x/lamps")).await;
    let prompt = |bytes: usize| format!("# IDENTITY\n\n{}\n", "word ".repeat(bytes / 5)).into_bytes();
    let (fits, large) = (prompt(900_000), prompt(bounds::PROMPT_BYTES_MAX + 100));
    let files = [("patterns/fits/system.md", &fits[..]), ("patterns/large/system.md", &large[..])];
    let report = desk.sends(crate::tarball::tarball(&files).unwrap()).await;
    assert_eq!((report.counts.facts, report.counts.rejects), (1, 1), "{:?}", report.result);
    let rejects = desk.engine.store().rejects("lamps").await.unwrap();
    assert!(rejects[0].reason.contains("at most 1048576 are taken"), "{rejects:?}");
}

#[tokio::test]
async fn a_pass_that_needs_too_many_requests_or_bytes_fails_and_says_which_setting() {
    let desk = Desk::tuned("toy", |_, options| {
        options.fetch.pass_requests_max = 2;
        options.fetch.pass_bytes_max = 1_000;
    })
    .await;
    let mut first = page(&["a"]);
    first["next"] = json!("/second");
    let mount = async |second: &Value| {
        desk.server.reset().await;
        for (at, body) in [("/lamps", &first), ("/second", second), ("/third", &page(&["c"]))] {
            let answer = ResponseTemplate::new(200).set_body_json(body);
            Mock::given(path(at)).respond_with(answer).mount(&desk.server).await;
        }
    };
    mount(&page(&["b"])).await;
    assert_eq!(desk.sync().await.result, SyncResult::Updated, "two requests may be made");
    let mut second = page(&["b"]);
    second["next"] = json!("/third");
    mount(&second).await;
    let told = error(&desk.sync().await);
    assert!(told.code == "too_large" && told.message.contains("pass_requests_max = 2"), "{}", told.message);
    let mut second = page(&["b"]);
    second["more"] = json!("x".repeat(1_000));
    mount(&second).await;
    let told = error(&desk.sync().await);
    assert!(told.code == "too_large" && told.message.contains("pass_bytes_max = 1000"), "{}", told.message);
}

/// A server that states a length and sends nothing of it.
fn announcing(bytes: u64) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(format!("HTTP/1.1 200 OK\r\ncontent-length: {bytes}\r\n\r\n").as_bytes());
        }
    });
    format!("http://{address}/lamps")
}

#[tokio::test]
async fn a_body_beyond_the_bound_of_its_connector_is_not_read() {
    for (connector, bytes_max, bound) in [
        ("litellm", connectors::RECORDS_BODY_BYTES_MAX, "the source's bound = 67108864"),
        ("awesome-list", connectors::LINES_BODY_BYTES_MAX, "the source's bound = 8388608"),
        ("markdown-docs", 256 << 20, "body_bytes_max = 268435456"),
    ] {
        for (bytes, is_read) in [(bytes_max, true), (bytes_max + 1, false)] {
            let url = announcing(bytes);
            let desk = Desk::tuned(connector, |source, _| source.url = url).await;
            let told = error(&desk.sync().await);
            assert_eq!(told.code != "too_large", is_read, "{connector}, {bytes}: {}", told.message);
            assert!(is_read || told.message.contains(bound), "{connector}: {}", told.message);
        }
    }
}

#[tokio::test]
async fn a_validator_that_is_too_long_is_not_kept() {
    let desk = Desk::new("toy").await;
    for (chars, conditions) in [(1_024, 1), (1_025, 0)] {
        desk.server.reset().await;
        let tag = format!("\"{}\"", "e".repeat(chars - 2));
        let answer = ResponseTemplate::new(200).set_body_json(page(&["a"])).insert_header("etag", tag.as_str());
        Mock::given(method("GET")).respond_with(answer).mount(&desk.server).await;
        desk.sync().await;
        desk.server.reset().await;
        desk.sends(page(&["a"]).to_string()).await;
        let requests = desk.server.received_requests().await.unwrap();
        let asked = requests.iter().filter(|request| request.headers.contains_key("if-none-match")).count();
        assert_eq!(asked, conditions, "{chars}");
    }
}

#[tokio::test]
async fn waits_after_failures_stop_doubling() {
    let desk = Desk::tuned("toy", |source, _| source.interval = Span::days(365)).await;
    Mock::given(method("GET")).respond_with(ResponseTemplate::new(500)).mount(&desk.server).await;
    let mut waits = Vec::new();
    for _ in 0..15 {
        desk.sync().await;
        let due = desk.engine.statuses().await.unwrap()[0].next_due_at.unwrap();
        waits.push(due.secs_since(desk.clock.now()));
    }
    assert_eq!(waits[10..], [61_440, 122_880, 245_760, 245_760, 245_760]);
}

#[tokio::test]
async fn the_message_of_a_failure_is_cut() {
    let desk = crafted_desk().await;
    let told = error(&desk.sends("fail").await);
    assert!(told.message.ends_with('…') && told.message.chars().count() <= 1_001, "{}", told.message.len());
}

#[tokio::test]
async fn a_field_that_few_facts_or_half_of_them_stated_may_vanish() {
    let check = async |stated: usize, unstated: usize, held: bool| {
        let desk = Desk::new("toy").await;
        let list = |stated: usize, all: usize| {
            let models: Vec<Value> =
                (0..all).map(|n| json!({"id": format!("m{n}"), "price": (n < stated).then_some(1)})).collect();
            json!({"models": models}).to_string()
        };
        let all = stated + unstated;
        desk.sends(list(stated, all)).await;
        let result = desk.sends(list(0, all)).await.result;
        assert_eq!(result != SyncResult::Updated, held, "{stated} of {all}: {result:?}");
    };
    check(20, 0, true).await;
    check(19, 0, false).await;
    check(11, 10, true).await;
    check(10, 11, false).await;
}

#[tokio::test]
async fn a_connection_that_is_not_made_in_time_is_a_failure() {
    // Nobody accepts, and the queue of the system is full.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let connect = || std::net::TcpStream::connect_timeout(&address, Duration::from_millis(50));
    let waiting: Vec<_> = std::iter::from_fn(|| connect().ok()).take(64).collect();
    assert!(waiting.len() < 64, "the queue is full");
    let desk = Desk::tuned("toy", |source, options| {
        source.url = format!("http://{address}/lamps");
        options.fetch.connect_timeout = Duration::from_millis(100);
    })
    .await;
    let begun = Instant::now();
    let told = error(&desk.sync().await);
    assert!(["connect", "timeout"].contains(&told.code.as_str()), "{}: {}", told.code, told.message);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn no_more_sources_are_synced_at_once_than_the_setting_says() {
    let (open, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (seen, peak) = (Arc::clone(&open), Arc::clone(&most));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, open, peak) = (stream.unwrap(), Arc::clone(&seen), Arc::clone(&peak));
            std::thread::spawn(move || {
                let _ = stream.read(&mut [0; 4096]);
                peak.fetch_max(open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(60));
                open.fetch_sub(1, Ordering::SeqCst);
                let answer = "HTTP/1.1 200 OK\r\ncontent-length: 13\r\nconnection: close\r\n\r\n{\"models\":[]}";
                let _ = stream.write_all(answer.as_bytes());
            });
        }
    });
    let sources = (0..8).map(|n| SourceConfig::new(format!("s{n}"), "toy", format!("http://{address}/{n}"))).collect();
    let options = EngineOptions {
        fetch: FetchSettings { concurrency_max: 2, ..FetchSettings::default() },
        find: find_toy,
        ..EngineOptions::default()
    };
    let engine = Engine::new(Store::open_in_memory().await.unwrap(), sources, options).unwrap();
    assert_eq!(engine.sync_all(None, &[]).await.unwrap().len(), 8);
    assert_eq!(most.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_scheduled_sync_that_takes_too_long_is_given_up_and_told() {
    let desk = Desk::tuned("toy", |_, options| {
        options.jitter_percent = 0;
        options.sync_time_max = Duration::from_millis(100);
    })
    .await;
    let slow = ResponseTemplate::new(200).set_body_json(page(&["a"])).set_delay(Duration::from_secs(15));
    Mock::given(method("GET")).respond_with(slow).mount(&desk.server).await;
    let schedule =
        tokio::spawn(refdesk_ingest::schedule::run_schedule(desk.engine.clone(), std::future::pending::<()>()));
    let told = async {
        loop {
            if let Some(error) = desk.engine.statuses().await.unwrap().remove(0).error {
                return error;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let told = tokio::time::timeout(Duration::from_secs(10), told).await.unwrap();
    assert!(told.code == "sync_timeout" && told.message.contains("sync_time_max"), "{}: {}", told.code, told.message);
    schedule.abort();
}

#[test]
fn an_id_of_a_source_that_is_too_long_or_an_interval_that_is_too_short_is_refused() {
    let check = |id: usize, interval: Span| {
        let mut source = SourceConfig::new("a".repeat(id), "toy", "https://e.example/");
        source.interval = interval;
        refdesk_ingest::config::check_sources(&[source], find_toy, std::path::Path::new("/")).map_err(|e| e.to_string())
    };
    assert!(check(64, Span::secs(1)).is_ok());
    assert!(check(65, Span::secs(1)).is_err_and(|told| told.contains("`id`")));
    assert!(check(64, Span::millis(999)).is_err_and(|told| told.contains("`interval` is 999ms; the shortest is 1s")));
}
