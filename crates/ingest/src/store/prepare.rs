//! Turns a connector's fact into the form in which it is written: JSON, hashes, packed contents, plain text for the index.
//! Pure and done outside the transaction, so that the store is locked only while it writes.
//!
//! The commit of a repository is no part of what a fact states: every push would make every file of it "changed", though its bytes are the
//! same. The statement's hash is taken without it, so an unchanged fact keeps the address at the commit at which it last changed.

use std::borrow::Cow;
use std::collections::HashMap;

use refdesk_catalog::resolve::price::pending::{Last, after_sync};
use refdesk_core::fact::{PendingPrice, StoredFact};
use refdesk_core::parallel::{cores, in_parallel};
use refdesk_core::{Body, Fact, Kind, Stamp};
use serde_json::{Map, Value};

use super::error::StoreError;
use super::pack::Packer;
use super::types::{BodyState, FactContents, FactRow, PreparedFact};

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
    let threads = cores().min(facts.len() / FACTS_PER_THREAD).max(1);
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
    let text = |written: serde_json::Result<String>| written.map_err(|error| wrong(error.to_string()));
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
    let mut row = FactRow {
        kind: kind.singular().to_owned(),
        head: text(serde_json::to_string(&fact.head))?,
        fields: text(serde_json::to_string(&fields))?,
        identity: text(serde_json::to_string(&fact.identity))?,
        pending: text(serde_json::to_string(&pending))?,
        provenance: text(serde_json::to_string(&fact.provenance))?,
        content_hash: fact.record.content_hash(),
        hash_basis: fact.record.basis().as_str().to_owned(),
        body_state: body_state.as_str().to_owned(),
        body_missing,
        checked_on: fact.checked_on.map(|at| at.0),
        ..FactRow::default()
    };
    let verified_by_sync = fact.is_verified_by_sync();
    let contents = FactContents {
        record: packer.pack(fact.record.as_bytes()),
        body: body.map(|body| packer.pack(body)),
        text: markdown.map(|text| packer.pack(refdesk_core::text::plain(&text).as_bytes())),
    };
    row.source_url = fact.source_url;
    row.statement_hash = statement_hash(&row, body)?;
    row.key = fact.key;
    Ok(PreparedFact { kind, pending: pending.len(), verified_by_sync, row, contents })
}

/// The fields without the commit at which a skill was read; `None` when they name none.
fn timeless_fields(row: &FactRow) -> Result<Option<String>, StoreError> {
    if row.kind != Kind::Skill.singular() {
        return Ok(None);
    }
    let unreadable = |error: serde_json::Error| StoreError::value("fields", &error);
    let mut fields: Map<String, Value> = serde_json::from_str(&row.fields).map_err(unreadable)?;
    if fields.get("repository").and_then(|repository| repository.get("commit")).is_none_or(Value::is_null) {
        return Ok(None);
    }
    fields["repository"]["commit"] = Value::Null;
    serde_json::to_string(&fields).map(Some).map_err(unreadable)
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

/// Stands for everything that a fact says, as its row has it, with its unpacked body: what tells a change. Another than the stored one when
/// the row was changed by anything but a sync.
///
/// # Errors
/// When its fields are no JSON.
pub fn statement_hash(row: &FactRow, body: Option<&[u8]>) -> Result<String, StoreError> {
    let timeless = timeless_fields(row)?;
    let checked = row.checked_on.map(|at| Stamp(at).to_string()).unwrap_or_default();
    let body_hash = body.map(refdesk_core::hash::content_hash).unwrap_or_default();
    let parts = [
        row.head.as_str(),
        timeless.as_deref().unwrap_or(&row.fields),
        &row.identity,
        &row.pending,
        &without_commit(&row.source_url),
        &row.provenance,
        &row.content_hash,
        &row.body_state,
        row.body_missing.as_deref().unwrap_or_default(),
        &body_hash,
        &checked,
    ];
    Ok(refdesk_core::hash::short_key("", &parts))
}
