//! Turns a connector's fact into the form in which it is written: JSON, hashes, packed contents, plain text for the index.
//! Pure and done outside the transaction, so that the store is locked only while it writes.
//!
//! The commit of a repository is no part of what a fact states: every push would make every file of it "changed", though its bytes are the
//! same. The statement's hash is taken without it, so an unchanged fact keeps the address at the commit at which it last changed.

use std::borrow::Cow;
use std::collections::HashMap;

use refdesk_catalog::resolve::price::pending::{Last, after_sync};
use refdesk_core::fact::{PendingPrice, StoredFact};
use refdesk_core::parallel::in_parallel;
use refdesk_core::{Body, Fact, Kind, Stamp};
use serde_json::{Map, Value};

use super::error::StoreError;
use super::pack::Packer;
use super::types::{BodyState, FactRow, PreparedFact};

/// What the store holds of a source when a pass over it is prepared: prices far off their last value are pending.
#[derive(Debug)]
pub struct LastState<'a> {
    facts: HashMap<(Kind, &'a str), &'a StoredFact>,
    now: Stamp,
    new_bytes: bool,
}

impl<'a> LastState<'a> {
    /// The stored facts of the source; `new_bytes` tells that the pass read other bytes than the last one.
    pub fn new(stored: &'a [StoredFact], now: Stamp, new_bytes: bool) -> Self {
        let facts = stored.iter().map(|fact| ((fact.kind, fact.key.as_str()), fact)).collect();
        Self { facts, now, new_bytes }
    }

    fn pending(&self, kind: Kind, key: &str, fields: &serde_json::Map<String, Value>) -> Vec<PendingPrice> {
        let Some(stored) = self.facts.get(&(kind, key)).filter(|_| kind == Kind::Model) else { return Vec::new() };
        let last = Last { fields: &stored.fields.read(), pending: &stored.pending };
        after_sync(last, fields, self.now, self.new_bytes)
    }
}

/// Facts for which a thread more pays.
const FACTS_PER_THREAD: usize = 256;

/// Prepares facts, in their order, on as many threads as there are cores. Without `last` every price is taken as it is stated.
///
/// # Errors
/// When a fact cannot be written as JSON.
pub fn prepare(facts: Vec<Fact>, last: Option<&LastState<'_>>) -> Result<Vec<PreparedFact>, StoreError> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.min(facts.len() / FACTS_PER_THREAD).max(1);
    if threads == 1 {
        return prepare_all(facts, last);
    }
    let share = facts.len().div_ceil(threads);
    let mut facts = facts.into_iter();
    let parts: Vec<Vec<Fact>> = std::iter::repeat_with(|| facts.by_ref().take(share).collect()).take(threads).collect();
    let prepared = in_parallel(threads, parts, |part| prepare_all(part, last));
    Ok(prepared.into_iter().collect::<Result<Vec<_>, StoreError>>()?.into_iter().flatten().collect())
}

fn prepare_all(facts: Vec<Fact>, last: Option<&LastState<'_>>) -> Result<Vec<PreparedFact>, StoreError> {
    let mut packer = Packer::new();
    facts.into_iter().map(|fact| prepare_one(fact, last, &mut packer)).collect()
}

fn prepare_one(fact: Fact, last: Option<&LastState<'_>>, packer: &mut Packer) -> Result<PreparedFact, StoreError> {
    let kind = fact.kind();
    let wrong = |reason: String| StoreError::Prepare { what: format!("{kind} `{}`", fact.key), reason };
    let head = serde_json::to_string(&fact.head).map_err(|error| wrong(error.to_string()))?;
    let identity = serde_json::to_string(&fact.identity).map_err(|error| wrong(error.to_string()))?;
    let Value::Object(fields) = fact.item.to_json().map_err(|error| wrong(error.to_string()))? else {
        return Err(wrong("its fields are not a JSON object".into()));
    };
    let pending = last.map(|last| last.pending(kind, &fact.key, &fields)).unwrap_or_default();
    let (body_state, body_missing, body) = match &fact.body {
        Body::None => (BodyState::None, None, None),
        Body::Record => (BodyState::Record, None, None),
        Body::Markdown(text) => (BodyState::Markdown, None, Some(text.as_bytes())),
        Body::Missing(reason) => (BodyState::Missing, Some(reason.clone()), None),
    };
    let markdown = match &fact.body {
        Body::Markdown(text) => Some(text.clone()),
        Body::Record => Some(String::from_utf8_lossy(fact.record.as_bytes()).into_owned()),
        Body::None | Body::Missing(_) => None,
    };
    let verified_by_sync = fact.is_verified_by_sync();
    let content_hash = fact.record.content_hash();
    let hash_basis = fact.record.basis();
    let fields_json = serde_json::to_string(&fields).map_err(|error| wrong(error.to_string()))?;
    let pending_json = serde_json::to_string(&pending).map_err(|error| wrong(error.to_string()))?;
    let provenance = serde_json::to_string(&fact.provenance).map_err(|error| wrong(error.to_string()))?;
    let timeless = timeless_fields(kind, &fields)?;
    let statement_hash = Statement {
        head: &head,
        fields: timeless.as_deref().unwrap_or(&fields_json),
        identity: &identity,
        pending: &pending_json,
        source_url: &fact.source_url,
        provenance: &provenance,
        content_hash: &content_hash,
        body_state: body_state.as_str(),
        body_missing: body_missing.as_deref(),
        body,
        checked_on: fact.checked_on,
    }
    .hash();
    Ok(PreparedFact {
        kind,
        head,
        fields,
        identity,
        pending,
        source_url: fact.source_url,
        provenance,
        content_hash,
        hash_basis,
        body_state,
        body_missing,
        checked_on: fact.checked_on,
        verified_by_sync,
        statement_hash,
        record: packer.pack(fact.record.as_bytes()),
        body: body.map(|body| packer.pack(body)),
        text: markdown.map(|text| packer.pack(refdesk_core::text::plain(&text).as_bytes())),
        key: fact.key,
    })
}

/// The fields without the commit at which a skill was read; `None` when they name none.
fn timeless_fields(kind: Kind, fields: &Map<String, Value>) -> Result<Option<String>, StoreError> {
    let commit = fields.get("repository").and_then(|repository| repository.get("commit"));
    if kind != Kind::Skill || commit.is_none_or(Value::is_null) {
        return Ok(None);
    }
    let mut fields = fields.clone();
    fields["repository"]["commit"] = Value::Null;
    serde_json::to_string(&fields).map(Some).map_err(|error| StoreError::value("fields", &error))
}

/// The address of a file or folder without the commit in it: `…/blob/<40 hex>/path` becomes `…/blob/path`.
pub(crate) fn without_commit(url: &str) -> Cow<'_, str> {
    for mark in ["/blob/", "/tree/"] {
        let Some((before, after)) = url.split_once(mark) else { continue };
        let (at, path) = after.split_once('/').unwrap_or((after, ""));
        if matches!(at.len(), 40 | 64) && at.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Cow::Owned(format!("{before}{mark}{path}"));
        }
    }
    Cow::Borrowed(url)
}

/// Everything that a stored fact says, as it is written: what tells a change.
pub(super) struct Statement<'a> {
    pub(super) head: &'a str,
    pub(super) fields: &'a str,
    pub(super) identity: &'a str,
    pub(super) pending: &'a str,
    pub(super) source_url: &'a str,
    pub(super) provenance: &'a str,
    pub(super) content_hash: &'a str,
    pub(super) body_state: &'a str,
    pub(super) body_missing: Option<&'a str>,
    pub(super) body: Option<&'a [u8]>,
    pub(super) checked_on: Option<Stamp>,
}

impl Statement<'_> {
    pub(super) fn hash(&self) -> String {
        let checked = self.checked_on.map(|at| at.to_string()).unwrap_or_default();
        let body_hash = self.body.map(refdesk_core::hash::content_hash).unwrap_or_default();
        let parts = [
            self.head,
            self.fields,
            self.identity,
            self.pending,
            &without_commit(self.source_url),
            self.provenance,
            self.content_hash,
            self.body_state,
            self.body_missing.unwrap_or_default(),
            &body_hash,
            &checked,
        ];
        refdesk_core::hash::short_key("", &parts)
    }
}

/// The statement hash of a stored fact as it stands, with its unpacked body: another than the stored one when the row was changed by
/// anything but a sync.
///
/// # Errors
/// When its fields are no JSON.
pub fn statement_hash(row: &FactRow, body: Option<&[u8]>) -> Result<String, StoreError> {
    let timeless = timeless_text(&row.kind, &row.fields)?;
    let statement = Statement {
        head: &row.head,
        fields: timeless.as_deref().unwrap_or(&row.fields),
        identity: &row.identity,
        pending: &row.pending,
        source_url: &row.source_url,
        provenance: &row.provenance,
        content_hash: &row.content_hash,
        body_state: &row.body_state,
        body_missing: row.body_missing.as_deref(),
        body,
        checked_on: row.checked_on.map(Stamp),
    };
    Ok(statement.hash())
}

/// The same of fields as they are stored.
pub(super) fn timeless_text(kind: &str, fields: &str) -> Result<Option<String>, StoreError> {
    if kind != Kind::Skill.singular() {
        return Ok(None);
    }
    let fields: Map<String, Value> =
        serde_json::from_str(fields).map_err(|error| StoreError::value("fields", &error))?;
    timeless_fields(Kind::Skill, &fields)
}
