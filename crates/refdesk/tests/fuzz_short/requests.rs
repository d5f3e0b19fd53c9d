//! Fuzz targets for what a client sends or reads: queries, keys, Markdown, JSON-RPC.

use super::{files, fuzz, runtime, texts};
use axum::body::Bytes;
use refdesk_catalog::answer::{self, HitTexts};
use refdesk_catalog::segment::BodyRef;
use refdesk_catalog::snapshot::{Input, Snapshot};
use refdesk_core::fact::{EvidenceKey, HashBasis};
use refdesk_core::query::{DetailQuery, ListQuery, Params, RouteQuery, SearchQuery};
use refdesk_core::{Kind, Stamp};
use refdesk_ingest::config::{BUNDLED_SOURCE_ID, default_sources};
use refdesk_ingest::store::Accept;
use refdesk_ingest::sync::{Engine, EngineOptions};
use refdesk_ingest::{Store, generation};
use refdesk_serve::state::{RecordRead, SourceHistory, StoreReadError};
use refdesk_serve::{AppState, RateLimits, Settings, StoreReader};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tower::ServiceExt as _;

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

/// A desk over the bundled cards.
async fn desk(bodies: Arc<Bodies>) -> Arc<AppState> {
    let store = Store::open_in_memory().await.unwrap();
    let sources: Vec<_> =
        default_sources().unwrap().into_iter().filter(|source| source.id == BUNDLED_SOURCE_ID).collect();
    let engine = Engine::new(store.clone(), sources.clone(), EngineOptions::default()).unwrap();
    engine.sync_source(BUNDLED_SOURCE_ID, &Accept::Any).await.unwrap();
    let generation::Loaded { facts, sources } = generation::load(&store, &sources, Stamp(1_790_000_000)).await.unwrap();
    let now = Stamp(1_790_000_000);
    let snapshot = Snapshot::build(&Input { facts: &facts, sources, now, generation: 1, before: None, texts: None });
    let settings = Settings {
        limits: RateLimits { anon_per_minute: 0, key_per_minute: 0, ..RateLimits::default() },
        ..Settings::default()
    };
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
        if let Ok(query) = SearchQuery::parse(&SearchQuery::params(given())) {
            let outcome = answer::find(&snapshot, &query, None);
            let bytes = answer::search(&snapshot, &query, &outcome, &HitTexts::default(), "", &[]).json;
            assert!(serde_json::from_slice::<serde_json::Value>(&bytes).is_ok());
        }
        if let Ok(query) = RouteQuery::parse(&Params::new(given(), &RouteQuery::NAMES)) {
            let bytes = answer::route(&snapshot, &query, None, None, "", &[]).json;
            assert!(serde_json::from_slice::<serde_json::Value>(&bytes).is_ok());
        }
        for kind in Kind::ALL {
            let _ = ListQuery::parse(kind, &Params::new(given(), ListQuery::names(kind)));
            let _ = DetailQuery::parse(&Params::new(given(), DetailQuery::names(kind)));
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
            &ListQuery::parse(Kind::Document, &Params::new([], ListQuery::names(Kind::Document))).unwrap(),
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
