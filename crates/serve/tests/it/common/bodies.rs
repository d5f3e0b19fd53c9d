//! The store of the tests: texts and records in memory, and a mood in which it answers.

use bytes::Bytes;
use refdesk_catalog::segment::BodyRef;
use refdesk_core::Kind;
use refdesk_core::fact::{EvidenceKey, HashBasis};
use refdesk_serve::StoreReader;
use refdesk_serve::state::{RecordRead, SourceHistory, StoreReadError};
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Semaphore;

/// How the body reader behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Mood {
    Works,
    Fails,
    Panics,
    /// Answers when the test calls [`Bodies::release`].
    Waits,
    /// Never answers.
    Hangs,
}

/// A body reader over a map, steered by a test.
pub struct Bodies {
    pub texts: Mutex<HashMap<(Kind, String), (String, Bytes)>>,
    /// Records that are not those of texts.
    pub records: Mutex<HashMap<EvidenceKey, RecordRead>>,
    pub histories: Mutex<HashMap<String, SourceHistory>>,
    mood: AtomicU8,
    reads: AtomicUsize,
    releases: Semaphore,
}

impl Default for Bodies {
    fn default() -> Self {
        Self {
            texts: Mutex::default(),
            records: Mutex::default(),
            histories: Mutex::default(),
            mood: AtomicU8::new(Mood::Works as u8),
            reads: AtomicUsize::new(0),
            releases: Semaphore::new(0),
        }
    }
}

impl Bodies {
    /// Lets every read that waits go on, and those after it.
    pub fn release(&self) {
        self.releases.close();
    }

    /// Waits until a body was asked for so many times.
    pub async fn wait_for_reads(&self, reads: usize) {
        let deadline = tokio::time::Instant::now() + super::socket::PATIENCE;
        while self.reads() < reads {
            assert!(tokio::time::Instant::now() < deadline, "{} of {reads} requests ran", self.reads());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    pub fn set(&self, mood: Mood) {
        self.mood.store(mood as u8, Ordering::SeqCst);
    }

    /// How often a body was asked for.
    pub fn reads(&self) -> usize {
        self.reads.load(Ordering::SeqCst)
    }

    pub fn put(&self, kind: Kind, key: &str, markdown: &str, raw: &[u8]) {
        self.texts.lock().unwrap().insert((kind, key.into()), (markdown.into(), Bytes::copy_from_slice(raw)));
    }

    async fn read(&self, body: &BodyRef) -> Result<Option<(String, Bytes)>, StoreReadError> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        match self.mood.load(Ordering::SeqCst) {
            mood if mood == Mood::Fails as u8 => {
                return Err(StoreReadError(
                    "SELECT raw FROM facts: /var/lib/refdesk/desk.sqlite: disk I/O error".into(),
                ));
            }
            mood if mood == Mood::Panics as u8 => panic!("planted-secret in a panic"),
            // A closed semaphore lets everybody go on, and tells it as an error.
            mood if mood == Mood::Waits as u8 => drop(self.releases.acquire().await),
            mood if mood == Mood::Hangs as u8 => std::future::pending().await,
            _ => {}
        }
        Ok(self.texts.lock().unwrap().get(&(body.kind, body.key.to_string())).cloned())
    }
}

#[async_trait::async_trait]
impl StoreReader for Bodies {
    async fn markdown(&self, body: &BodyRef) -> Result<Option<String>, StoreReadError> {
        Ok(self.read(body).await?.map(|(markdown, _)| markdown))
    }

    async fn raw(&self, body: &BodyRef) -> Result<Option<Bytes>, StoreReadError> {
        Ok(self.read(body).await?.map(|(_, raw)| raw))
    }

    async fn record(&self, _: i64, key: EvidenceKey) -> Result<RecordRead, StoreReadError> {
        let known = self.records.lock().unwrap().get(&key).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let named = |(kind, name): &&(Kind, String)| EvidenceKey::new("first", *kind, name) == key;
        let body = self.texts.lock().unwrap().keys().find(named).cloned();
        let Some((kind, name)) = body else { return Ok(RecordRead::Gone) };
        let body = BodyRef { source_id: "first".into(), kind, key: name.as_str().into(), verbatim: true };
        Ok(match self.read(&body).await? {
            Some((_, bytes)) => {
                let content_hash = refdesk_core::hash::content_hash(&bytes);
                RecordRead::Found { bytes, basis: HashBasis::Bytes, content_hash }
            }
            None => RecordRead::Gone,
        })
    }

    async fn history(&self, source_id: &str, runs: u32) -> Result<SourceHistory, StoreReadError> {
        if self.mood.load(Ordering::SeqCst) == Mood::Fails as u8 {
            return Err(StoreReadError("SELECT run FROM runs: /var/lib/refdesk/desk.sqlite: disk I/O error".into()));
        }
        let mut history = self.histories.lock().unwrap().get(source_id).cloned().unwrap_or_default();
        history.runs.truncate(runs as usize);
        Ok(history)
    }
}
