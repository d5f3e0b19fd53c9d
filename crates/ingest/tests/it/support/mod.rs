//! Facts, commits and a connector of our own making for the tests of store, engine and archive.

#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "a failing unwrap is a failing test; not every test file uses all of it"
)]

pub mod desk;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use bytes::Bytes;
use refdesk_core::fact::{Identity, Provenance};
use refdesk_core::item::{Document, Head, Item, Model, Tool};
use refdesk_core::{Body, Fact, Kind, Record, Reject, Stamp};
use refdesk_ingest::Clock;
use refdesk_ingest::connectors::{
    Answer, Batch, Connector, CountMethod, FetchSession, JsonRule, ParseError, Request, Reread, Step, StoredKey, Target,
};
use refdesk_ingest::store::{
    Fault, KeyRecord, Run, RunOutcome, SourceState, SyncCommit, Validator, Validators, prepare,
};
use refdesk_ingest::sync::{SyncReport, SyncResult};
use serde_json::{Value, json};

fn fact(key: &str, item: Item, record: Record, body: Body) -> Fact {
    Fact {
        key: key.into(),
        head: Head { id: key.replace('/', "-"), name: key.into(), aliases: vec![key.into()], ..Head::default() },
        item,
        source_url: format!("https://e.example/{key}"),
        record,
        body,
        identity: Identity::default(),
        provenance: Provenance::default(),
        checked_on: None,
    }
}

/// A model with an input price.
pub fn model(key: &str, price: &str) -> Fact {
    let item: Model =
        serde_json::from_value(json!({"pricing": {"input": serde_json::from_str::<Value>(price).unwrap()}})).unwrap();
    let record = Record::of_json(&json!({"id": key, "input": price})).unwrap();
    let mut fact = fact(key, Item::Model(item), record, Body::None);
    fact.identity.provider = Some("seller".into());
    fact
}

/// A page whose bytes are its body.
pub fn document(key: &str, text: &str) -> Fact {
    let record = Record::Bytes(Bytes::copy_from_slice(text.as_bytes()));
    fact(key, Item::Document(Document { path: Some(key.into()), ..Document::default() }), record, Body::Record)
}

/// A tool with any body.
pub fn tool(key: &str, body: Body) -> Fact {
    let item = Tool { category: Some("test".into()), ..Tool::default() };
    fact(key, Item::Tool(item), Record::of_json(&json!({"id": key})).unwrap(), body)
}

/// A key without an end and without a limit of its own, which is as old as the first commit of the tests.
pub fn key(id: &str, number: u8) -> KeyRecord {
    KeyRecord {
        id: id.into(),
        fingerprint: [number; 32],
        prefix: "rdk_abcdefgh".into(),
        name: id.into(),
        created_at: Stamp(1_000_000),
        expires_at: None,
        revoked_at: None,
        last_used_at: None,
        limit_per_minute: None,
    }
}

/// Why a sync brought nothing.
pub fn error(report: &SyncReport) -> Fault {
    match &report.result {
        SyncResult::Failed { error } | SyncResult::Quarantined { error } => error.clone(),
        other => panic!("{other:?}"),
    }
}

/// A good pass of these facts.
pub fn commit(source_id: &str, now: Stamp, facts: Vec<Fact>) -> SyncCommit {
    SyncCommit {
        known: None,
        source_id: source_id.into(),
        now,
        facts: prepare(facts, None).unwrap(),
        rejects: Vec::new(),
        validators: Validators {
            fingerprint: "fp".into(),
            requests: vec![Validator {
                url: format!("https://e.example/{source_id}"),
                status: 200,
                etag: Some("\"1\"".into()),
                last_modified: None,
                content_hash: "sha256:0".into(),
                secret_headers: Vec::new(),
            }],
        },
        partial: false,
        new_bytes: true,
        state: SourceState {
            last_attempt_at: Some(now),
            last_synced_at: Some(now),
            outcome: Some(RunOutcome::Updated),
            ..SourceState::default()
        },
        run: run(source_id, now, RunOutcome::Updated),
    }
}

/// A run that began at `at`.
pub fn run(source_id: &str, at: Stamp, outcome: RunOutcome) -> Run {
    Run { duration_ms: 5, bytes: 10, requests: 1, ..Run::new(source_id, at, outcome) }
}

/// A clock that stands still until it is set.
#[derive(Clone)]
pub struct HandClock(Arc<AtomicI64>);

impl HandClock {
    pub fn at(secs: i64) -> Self {
        Self(Arc::new(AtomicI64::new(secs)))
    }

    pub fn pass(&self, secs: i64) {
        self.0.fetch_add(secs, Ordering::SeqCst);
    }

    pub fn now(&self) -> Stamp {
        Stamp(self.0.load(Ordering::SeqCst))
    }

    pub fn clock(&self) -> Clock {
        let clock = self.clone();
        Arc::new(move || clock.now())
    }
}

/// A connector of a made-up upstream: `{"models": {id: price}, "next": path?, "lost": n?}`; a price that is no number is a reject,
/// `"panic"` as an id breaks the connector.
const TOY: Connector = Connector {
    name: "toy",
    kinds: &[Kind::Model],
    description: "A made-up list of models",
    count: CountMethod::Json(JsonRule::Elements(&[Step::Key("models")])),
    open: |target| {
        Ok(Box::new(ToySession { start: Request::get(target.url.clone(), "page"), batch: Batch::default() }))
    },
    reread,
    ..Connector::RECORDS
};

fn reread(_: &Target, stored: StoredKey<'_>, record: &[u8]) -> Result<Reread, String> {
    assert_eq!(stored.kind, Kind::Model);
    let record: Value = serde_json::from_slice(record).unwrap();
    let price = record["input"].as_str().ok_or("`input` is not a text")?;
    Ok(Reread { fact: model(record["id"].as_str().unwrap(), price), not_in_record: &["license"] })
}

struct ToySession {
    start: Request,
    batch: Batch,
}

impl FetchSession for ToySession {
    fn first(&mut self) -> Vec<Request> {
        vec![self.start.clone()]
    }

    fn accept(&mut self, answer: Answer) -> Result<Vec<Request>, ParseError> {
        let page: Value = serde_json::from_slice(&answer.body).map_err(|error| ParseError::new(error.to_string()))?;
        let models = page["models"].as_array().ok_or_else(|| ParseError::new("`models` is not a list"))?;
        for entry in models {
            let id = entry["id"].as_str().ok_or_else(|| ParseError::new("an entry has no id"))?;
            assert!(id != "panic", "the toy connector breaks");
            self.batch.items_upstream += 1;
            match &entry["price"] {
                price @ (Value::Number(_) | Value::Null) => self.batch.facts.push(model(id, &price.to_string())),
                other => self.batch.rejects.push(Reject::new(id, "`price` is not a number", &other.to_string())),
            }
        }
        self.batch.items_upstream += usize::try_from(page["lost"].as_u64().unwrap_or(0)).unwrap();
        Ok(page["next"].as_str().map(|next| Request::get(answer.url.join(next).unwrap(), "page")).into_iter().collect())
    }

    fn finish(self: Box<Self>) -> Result<Batch, ParseError> {
        Ok(self.batch)
    }
}

/// Finds the toy connector.
pub fn find_toy(name: &str) -> Option<&'static Connector> {
    (name == "toy").then_some(&TOY)
}

/// A page of the toy upstream: ids with the price 1.
pub fn page(ids: &[&str]) -> Value {
    json!({"models": ids.iter().map(|id| json!({"id": id, "price": 1})).collect::<Vec<_>>()})
}
