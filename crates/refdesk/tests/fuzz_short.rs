//! Fuzzing of everything that reads what strangers wrote: each target takes mutated seeds for some seconds and must not panic.
//!
//! The short form is part of the suite (`REFDESK_FUZZ_SECONDS`, default 2 for each target). The long form is the same program:
//! `scripts/fuzz.py --seconds 120` runs it and keeps its figures; `REFDESK_FUZZ_SEED` repeats a run.
//! A finding becomes a case in the tests of the code that was at fault.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[allow(dead_code, missing_docs, reason = "only its reading is tested here")]
#[path = "../src/config/mod.rs"]
mod config;
#[path = "fuzz_short/stored.rs"]
mod stored;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use refdesk_catalog::answer::{self, HitTexts};
use refdesk_catalog::segment::BodyRef;
use refdesk_catalog::snapshot::{Input, Snapshot};
use refdesk_core::fact::{EvidenceKey, HashBasis};
use refdesk_core::query::{DetailQuery, ListQuery, Params, RouteQuery, SearchQuery};
use refdesk_core::{Kind, Stamp};
use refdesk_ingest::config::{BUNDLED_SOURCE_ID, default_sources};
use refdesk_ingest::connectors::formats::json_text;
use refdesk_ingest::connectors::formats::tarball;
use refdesk_ingest::connectors::formats::tree;
use refdesk_ingest::connectors::repository::license::{Licences, NAME_CHARS_MAX};
use refdesk_ingest::connectors::{Answer, Connector, REGISTRY, Target};
use refdesk_ingest::sync::{Engine, EngineOptions};
use refdesk_ingest::{Store, generation};
use refdesk_serve::state::{RecordRead, SourceHistory, StoreReadError};
use refdesk_serve::{AppState, Settings, StoreReader};
use tower::ServiceExt as _;

/// Longest input.
const INPUT_BYTES_MAX: usize = 64 * 1024;
/// Most answers that one pass of a connector is given.
const ANSWERS_MAX: usize = 24;

/// Pieces that readers treat in a special way.
const PIECES: [&[u8]; 40] = [
    b"\0",
    b"\xff",
    b"\xc3",
    b"\n---\n",
    b"---",
    b"\"",
    b"'",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"null",
    b"-1",
    b"1e999",
    b"18446744073709551616",
    b"NaN",
    b"true",
    b"../",
    b"%2e%2e%2f",
    b"://",
    b"javascript:",
    b"<script>alert(1)</script>",
    b"<img src=x onerror=alert(1)>",
    b"](",
    b"```",
    b"&a [*a]",
    b"\xe2\x80\xae",
    b"\xef\xbb\xbf",
    b"\xf0\x9f\x92\xa9",
    b"[[",
    b"{{x}}",
    b"\"jsonrpc\":\"2.0\"",
    b"\"id\":1",
    b"\"cursor\":\"x\"",
    b"rdk_",
];

/// A small generator; what matters is that a seed repeats a run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// A seed with some of its bytes changed, cut, doubled or mixed with another's.
    fn mutated(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = self.pick(seeds).clone();
        for _ in 0..self.below(6) {
            let at = self.below(bytes.len() + 1);
            let length = self.below(32).min(bytes.len() - at);
            match self.below(7) {
                0 => drop(bytes.drain(at..at + length)),
                1 => drop(bytes.splice(at..at, self.pick(&PIECES).to_vec())),
                2 => drop(bytes.splice(at..at + length, self.pick(&PIECES).to_vec())),
                3 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                4 => {
                    let part = bytes[at..at + length].to_vec();
                    drop(bytes.splice(at..at, part));
                }
                5 => bytes.truncate(at),
                _ => {
                    let other = self.pick(seeds).clone();
                    let from = self.below(other.len() + 1);
                    bytes.truncate(at);
                    bytes.extend_from_slice(&other[from..]);
                }
            }
        }
        bytes.truncate(INPUT_BYTES_MAX);
        bytes
    }
}

/// Findings after which a target is given up: one fault is often hit by many inputs.
const FINDINGS_MAX: usize = 5;

/// Gives a target mutated seeds until its time is up, and says how many made it panic. Each is told with its input and the seed; the others go
/// on, so that one finding does not cost a night. The last line is read by `scripts/fuzz.py`.
#[must_use]
#[expect(clippy::print_stderr, reason = "findings and figures of a long run are read by a person")]
fn fuzz(name: &str, seeds: &[Vec<u8>], mut target: impl FnMut(&[u8], &mut Random)) -> usize {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seconds = number("REFDESK_FUZZ_SECONDS").unwrap_or(2);
    let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let seed = number("REFDESK_FUZZ_SEED").unwrap_or(clock.as_nanos() as u64) | 1;
    let mut random = Random(seed);
    let started = Instant::now();
    let (mut cases, mut findings) = (0_u64, 0);
    while started.elapsed() < Duration::from_secs(seconds) && findings < FINDINGS_MAX {
        let input = random.mutated(seeds);
        if catch_unwind(AssertUnwindSafe(|| target(&input, &mut random))).is_err() {
            findings += 1;
            eprintln!("{name} fails in case {cases} of REFDESK_FUZZ_SEED={seed} on \"{}\"", input.escape_ascii());
        }
        cases += 1;
    }
    assert!(cases > 0);
    eprintln!("fuzzed {name} seconds={} cases={cases} findings={findings} seed={seed}", started.elapsed().as_secs());
    findings
}

fn texts(seeds: &[&str]) -> Vec<Vec<u8>> {
    seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect()
}

/// Bodies that a target sets.
#[derive(Default)]
struct Bodies(Mutex<String>);

#[async_trait::async_trait]
impl StoreReader for Bodies {
    async fn markdown(&self, _: &BodyRef) -> Result<Option<String>, StoreReadError> {
        Ok(Some(self.0.lock().unwrap().clone()))
    }

    async fn raw(&self, _: &BodyRef) -> Result<Option<Bytes>, StoreReadError> {
        Ok(Some(self.0.lock().unwrap().clone().into()))
    }

    async fn record(&self, _: i64, _: EvidenceKey) -> Result<RecordRead, StoreReadError> {
        let bytes = Bytes::from(self.0.lock().unwrap().clone());
        let content_hash = refdesk_core::hash::content_hash(&bytes);
        Ok(RecordRead::Found { bytes, basis: HashBasis::Bytes, content_hash })
    }

    async fn history(&self, _: &str, _: u32) -> Result<SourceHistory, StoreReadError> {
        Ok(SourceHistory::default())
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// A desk over the bundled cards.
async fn desk(bodies: Arc<Bodies>) -> Arc<AppState> {
    let store = Store::open_in_memory().await.unwrap();
    let sources: Vec<_> =
        default_sources().unwrap().into_iter().filter(|source| source.id == BUNDLED_SOURCE_ID).collect();
    let engine = Engine::new(store.clone(), sources.clone(), EngineOptions::default()).unwrap();
    engine.sync_source(BUNDLED_SOURCE_ID, true).await.unwrap();
    let generation::Loaded { facts, sources } = generation::load(&store, &sources, Stamp(1_790_000_000)).await.unwrap();
    let now = Stamp(1_790_000_000);
    let snapshot = Snapshot::build(&Input { facts: &facts, sources, now, generation: 1, before: None, texts: None });
    let settings = Settings { anon_per_minute: 0, key_per_minute: 0, ..Settings::default() };
    Arc::new(AppState::new(snapshot, bodies, Arc::new(move || now), settings))
}

#[test]
fn queries() {
    let desk = runtime().block_on(desk(Arc::default()));
    let snapshot = desk.snapshot();
    let seeds = texts(&[
        "gpt-4o mini price",
        "\"a b\" AND (c OR d)*",
        "what could go wrong?",
        "claude sonnet 4.5",
        "日本語 프롬프트",
        "a'); DROP TABLE facts;--",
    ]);
    let findings = fuzz("queries", &seeds, |input, random| {
        let text = String::from_utf8_lossy(input);
        let value = ["true", "0", "50", "-1", "MODEL", "doc", "lexical", "decision"][random.below(8)];
        let name =
            ["limit", "offset", "type", "fresh_only", "mode", "domain", "include_prompt", &text][random.below(8)];
        let given = || [("q", &*text), (name, value), (name, &*text)];
        if let Ok(query) = SearchQuery::read(&SearchQuery::params(given())) {
            let outcome = answer::find(&snapshot, &query, None);
            let bytes = answer::search(&snapshot, &query, &outcome, &HitTexts::default(), "", &[]);
            assert!(serde_json::from_slice::<serde_json::Value>(&bytes).is_ok());
        }
        if let Ok(query) = RouteQuery::read(&Params::new(given(), &RouteQuery::NAMES)) {
            let routed = answer::Routed { query: &query, near: None, eval: None };
            assert!(serde_json::from_slice::<serde_json::Value>(&answer::route(&snapshot, &routed, "", &[])).is_ok());
        }
        for kind in Kind::ALL {
            let _ = ListQuery::read(kind, &Params::new(given(), ListQuery::names(kind)));
            let _ = DetailQuery::read(&Params::new(given(), DetailQuery::names(kind)));
            let _ = answer::resolve(&snapshot, kind, &text);
        }
    });
    assert_eq!(findings, 0);
}

#[test]
fn keys() {
    let mut next = 7_u8;
    let good = refdesk_core::key::generate(|| {
        next = next.wrapping_mul(31).wrapping_add(17);
        next
    });
    let ring = refdesk_serve::state::keys::KeyRing::default();
    let findings = fuzz("keys", &[good.clone().into_bytes(), b"rdk_".to_vec(), b"sk-1".to_vec()], |input, _| {
        let text = String::from_utf8_lossy(input);
        if refdesk_core::key::is_well_formed(&text) && text != good {
            // A mutation that hits a right checksum is one in 2^32; only re-built ones may pass.
            assert!(text.len() == good.len() && text.is_ascii());
        }
        assert!(ring.check(&text, Stamp(0)).is_err(), "an empty ring knows no key");
        let _ = refdesk_core::key::display_prefix(&text);
    });
    assert_eq!(findings, 0);
}

/// Every file below a folder, by its path inside.
fn files(root: &Path, folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(root, &path, found);
        } else {
            found.insert(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned(), std::fs::read(&path).unwrap());
        }
    }
}

fn tarball(files: &BTreeMap<String, Vec<u8>>) -> Vec<u8> {
    let mut archive = tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
    for (path, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        archive.append_data(&mut header, format!("repo-main/{path}"), content.as_slice()).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

/// One pass over whatever bytes: an error, or a harvest that lost nothing.
fn pass(connector: &dyn Connector, url: &str, mut body: impl FnMut(&mut Random) -> Vec<u8>, random: &mut Random) {
    let url = url::Url::parse(url).unwrap();
    let target = Target { source_id: "fuzz".into(), url, options: BTreeMap::new(), serve_restricted: false };
    let Ok(mut pass) = connector.open(&target) else { return };
    let mut open = pass.first();
    let mut answers = 0;
    while let Some(request) = open.pop() {
        answers += 1;
        let status = if request.may_be_missing && random.below(3) == 0 { 404 } else { 200 };
        let link = (random.below(8) == 0).then(|| "<https://hub.example/api?cursor=x>; rel=\"next\"".to_owned());
        let answer = Answer { tag: request.tag, url: request.url, status, link, body: body(random).into() };
        match pass.accept(answer) {
            Ok(more) if answers < ANSWERS_MAX => open.extend(more),
            Ok(_) => {}
            Err(_) => return,
        }
    }
    if let Ok(harvest) = pass.finish() {
        let found = harvest.facts.len() + harvest.versions + harvest.rejects.len();
        // A pass that was cut off owes what it was not given.
        assert!(
            answers >= ANSWERS_MAX || harvest.items_upstream == found,
            "{}: {} in, {found} out",
            connector.name(),
            harvest.items_upstream
        );
    }
}

#[test]
fn connectors() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ingest/fixtures");
    let mut all = BTreeMap::new();
    files(&root, &root, &mut all);
    // Names of fixtures begin with the connector's, spelled with `-` or `_`.
    let own = |name: &str| -> BTreeMap<String, Vec<u8>> {
        let is_own = |path: &str| path.replace('_', "-").starts_with(name);
        all.iter().filter(|(path, _)| is_own(path)).map(|(path, bytes)| (path.clone(), bytes.clone())).collect()
    };
    let any: Vec<Vec<u8>> = all.values().cloned().collect();
    let mut findings = 0;
    for connector in REGISTRY {
        let files = own(connector.name());
        let seeds: Vec<Vec<u8>> = if files.is_empty() { any.clone() } else { files.values().cloned().collect() };
        let folder: BTreeMap<String, Vec<u8>> = files
            .iter()
            .map(|(path, bytes)| {
                (path.split_once('/').map_or(path.as_str(), |(_, rest)| rest).to_owned(), bytes.clone())
            })
            .collect();
        findings += fuzz(connector.name(), &seeds, |input, random| {
            pass(
                *connector,
                "https://api.example/v1/data.json",
                |random| if random.below(2) == 0 { input.to_vec() } else { random.mutated(&seeds) },
                random,
            );
            let mut tree = folder.clone();
            tree.extend(
                ["cards/a.yaml", "docs/a.md", "a/SKILL.md", "x.json"].map(|path| (path.to_owned(), input.to_vec())),
            );
            if let Some(changed) = tree.keys().nth(random.below(tree.len())).cloned() {
                tree.insert(changed, input.to_vec());
            }
            let mut archive = tarball(&tree);
            if random.below(4) == 0 {
                archive = random.mutated(&[archive]);
            }
            pass(*connector, "https://codeload.github.com/lamp/x/tar.gz/main", |_| archive.clone(), random);
        });
    }
    assert_eq!(findings, 0);
}

/// A text is cut into its records without reading them; what the cut calls whole must be what a parser finds there.
#[test]
fn records_of_json() {
    let seeds = texts(&[
        r#"{"a": {"b": [1, {"c": "}]\""}], "b": 2}, "a": null, "\u0061": -1.5e3}"#,
        r#"[{"id": "x", "n": 1e400}, {"id": NaN}, "\ud800", [[[]]], true]"#,
        r#"{"servers": [{"server": {"name": "a"}}], "metadata": {"nextCursor": "c"}}"#,
    ]);
    let findings = fuzz("json-records", &seeds, |input, _| {
        let whole = serde_json::from_slice::<serde_json::Value>(input).ok();
        let members = json_text::members(input).ok().flatten();
        let elements = json_text::elements(input).ok().flatten();
        if let Some(serde_json::Value::Array(items)) = &whole {
            let read: Vec<serde_json::Value> =
                elements.as_ref().unwrap().iter().map(|item| serde_json::from_slice(item).unwrap()).collect();
            assert_eq!(*items, read);
        }
        if let Some(serde_json::Value::Object(known)) = &whole {
            // The parser keeps the last of equal keys, the cut has all.
            let members = members.as_ref().unwrap();
            let read: serde_json::Map<_, _> = members
                .iter()
                .filter_map(|member| {
                    Some((
                        member.key().ok()?.into_owned(),
                        serde_json::from_slice::<serde_json::Value>(member.value).unwrap(),
                    ))
                })
                .collect();
            assert!(read == *known || members.iter().any(|member| member.key().is_err()));
            let _ = (json_text::cursor(members, "metadata.nextCursor"), json_text::list_in(members, "servers", "x"));
        }
        for part in elements.into_iter().flatten().chain(members.into_iter().flatten().map(|member| member.value)) {
            if let Ok(value) = json_text::read(part, |value| Ok(value.clone())) {
                assert_eq!(serde_json::from_slice::<serde_json::Value>(part).unwrap(), value);
            }
        }
    });
    assert_eq!(findings, 0);
}

/// Archives with their headers changed: an error or a tree, and never more memory than the names' bound beside what is kept.
#[test]
fn tarballs() {
    let mut files = BTreeMap::new();
    files.insert("a.md".to_owned(), b"# A\n".to_vec());
    files.insert(format!("{}/b.md", "long".repeat(60)), b"# B\n".repeat(200));
    let packed = tarball(&files);
    let mut seed = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(packed.as_slice()), &mut seed).unwrap();
    let findings = fuzz("tarball", &[seed], |input, _| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packer, input).unwrap();
        if let Ok(tree) = tree::unpack(&packer.finish().unwrap(), |_| true) {
            for path in tree.files.keys().chain(tree.refused.keys()).chain(&tree.unread) {
                let stays = !path.starts_with('/') && !path.split('/').any(|part| matches!(part, ".." | "." | ""));
                assert!(stays && path.len() <= 3 * tarball::PATH_BYTES_MAX, "{path}");
            }
        }
    });
    assert_eq!(findings, 0);
}

#[test]
fn licences() {
    let seeds: Vec<Vec<u8>> = [
        "MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a copy\0license: MIT",
        "Apache License\nVersion 2.0, January 2004\n\0Apache-2.0 OR MIT",
        "Copyright (c) 2026 Lamp Ltd. All rights reserved.\nYou may not distribute these materials to any third party.\0see LICENSE",
        "GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007\0GPL-3.0-or-later WITH Classpath-exception-2.0",
    ]
    .map(|seed| seed.as_bytes().to_vec())
    .into();
    let findings = fuzz("licences", &seeds, |input, _| {
        let (text, stated) = input.split_at(input.iter().position(|byte| *byte == 0).unwrap_or(input.len()));
        let files = BTreeMap::from([("LICENSE".to_owned(), text.to_vec()), ("a/SKILL.md".to_owned(), b"# A".to_vec())]);
        let licences = Licences::of(&tree::unpack(&tarball(&files), |_| true).unwrap());
        let of_file = licences.of_item("a", None).unwrap();
        assert!(std::str::from_utf8(text).is_ok() || of_file.withholds(), "a file that cannot be read withholds");
        let of_item = licences.of_item("a", Some(&String::from_utf8_lossy(stated))).unwrap();
        for licence in [of_file, of_item] {
            // What was cut ends in an ellipsis.
            assert!((1..=NAME_CHARS_MAX + 1).contains(&licence.label().chars().count()), "{licence:?}");
        }
    });
    assert_eq!(findings, 0);
}

#[test]
fn markdown_rendering() {
    let bodies = Arc::<Bodies>::default();
    let runtime = runtime();
    let desk = runtime.block_on(desk(Arc::clone(&bodies)));
    let snapshot = desk.snapshot();
    let list: serde_json::Value = serde_json::from_slice(
        &answer::list(
            &snapshot,
            Kind::Document,
            &ListQuery::read(Kind::Document, &Params::new([], ListQuery::names(Kind::Document))).unwrap(),
            &[],
        )
        .pieces
        .concat(),
    )
    .unwrap();
    let id = list["documents"][0]["id"].as_str().unwrap().to_owned();
    let router = refdesk_serve::router(desk);
    let manual: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/manual");
    let mut pages = BTreeMap::new();
    files(&manual, &manual, &mut pages);
    let mut seeds: Vec<Vec<u8>> = pages.into_values().collect();
    seeds.extend(texts(&[
        "[a](javascript:alert(1))",
        "<svg onload=alert(1)>",
        "| a |\n|---|\n| <b onclick=x> |",
        "[^1]: <iframe src=x>\n\n[^1]",
    ]));
    let findings = fuzz("markdown", &seeds, |input, _| {
        *bodies.0.lock().unwrap() = String::from_utf8_lossy(input).into_owned();
        let request = http::Request::get(format!("/v1/documents/{id}"))
            .header("Host", "localhost")
            .header("Accept", "text/html")
            .body(axum::body::Body::empty())
            .unwrap();
        let response = runtime.block_on(router.clone().oneshot(request)).unwrap();
        assert_eq!(response.status(), 200);
        let page = runtime.block_on(axum::body::to_bytes(response.into_body(), usize::MAX)).unwrap();
        let page = String::from_utf8(page.to_vec()).unwrap().to_ascii_lowercase();
        for tag in ["<script", "<iframe", "<svg", "<object", "<img", "<form", "href=\"javascript:"] {
            assert!(!page.contains(tag), "{tag} in the page");
        }
    });
    assert_eq!(findings, 0);
}

#[test]
fn the_json_rpc_gate() {
    let runtime = runtime();
    let desk = runtime.block_on(desk(Arc::default()));
    let seeds = texts(&[
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"cursor":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{"q":"claude","limit":5,"type":"MODEL"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"refdesk://model/x"}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a","value":"b"}}}"#,
    ]);
    let findings = fuzz("json-rpc", &seeds, |input, _| {
        if let Some(answer) = runtime.block_on(refdesk_serve::mcp::handle_message(&desk, input)) {
            assert!(!answer.contains(&b'\n'), "an answer is one line");
            let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap();
            assert_eq!(answer["jsonrpc"], "2.0");
            assert!(answer.get("result").is_some() != answer.get("error").is_some(), "{answer}");
        }
    });
    assert_eq!(findings, 0);
}

#[test]
fn configurations() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("refdesk.toml");
    let mut seeds = vec![include_str!("../../../refdesk.example.toml").replace("\n# ", "\n").into_bytes()];
    seeds.extend(texts(&[
        "listen = \"127.0.0.1:1\"\nretries_max = 4\nmax_age = \"60s\"\nallowed_hosts = [\"a\"]\n",
        "[[sources]]\nid = \"a\"\nconnector = \"cards\"\nurl = \"x\"\ninterval = \"1h\"\n[sources.options]\ninclude = \"a\"\n",
    ]));
    let findings = fuzz("config", &seeds, |input, _| {
        std::fs::write(&file, input).unwrap();
        match config::Config::load(Some(&file), &[]) {
            Ok(config) => {
                let _ = (config.fetch_settings(), config.rows().count(), config.duration("request_timeout"));
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    });
    assert_eq!(findings, 0);
}
