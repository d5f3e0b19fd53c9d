//! Turns a connector's fact into the form in which it is written: JSON, hashes, packed contents, plain text for the index.
//! Pure and done outside the transaction, so that the store is locked only while it writes.

use std::collections::BTreeMap;

use refdesk_core::resolve::plausible;
use refdesk_core::{Body, Fact, Kind, Record};
use serde_json::{Map, Value};

use super::error::StoreError;
use super::pack::Packer;
use super::types::{BodyState, PreparedFact};

/// The fields of the facts that the store holds of a source, to compare prices with: by kind and key.
pub type LastFields = BTreeMap<(Kind, String), Map<String, Value>>;

/// Prepares facts. With `last`, prices far off their last value are held back.
///
/// # Errors
/// When a fact cannot be written as JSON.
pub fn prepare(facts: Vec<Fact>, last: Option<&LastFields>) -> Result<Vec<PreparedFact>, StoreError> {
    let mut packer = Packer::new();
    facts.into_iter().map(|fact| prepare_one(fact, last, &mut packer)).collect()
}

fn prepare_one(fact: Fact, last: Option<&LastFields>, packer: &mut Packer) -> Result<PreparedFact, StoreError> {
    let kind = fact.kind();
    let wrong = |reason: String| StoreError::Prepare { what: format!("{kind} `{}`", fact.key), reason };
    let head = serde_json::to_string(&fact.head).map_err(|error| wrong(error.to_string()))?;
    let identity = serde_json::to_string(&fact.identity).map_err(|error| wrong(error.to_string()))?;
    let Value::Object(mut fields) = fact.item.to_json().map_err(|error| wrong(error.to_string()))? else {
        return Err(wrong("its fields are no JSON object".into()));
    };
    let quarantined = last
        .and_then(|last| last.get(&(kind, fact.key.clone())))
        .map(|last| plausible::hold_back(last, &mut fields))
        .unwrap_or_default();
    let (body_state, body_missing, body) = match &fact.body {
        Body::None => (BodyState::None, None, None),
        Body::Record => (BodyState::Record, None, None),
        Body::Markdown(text) => (BodyState::Markdown, None, Some(text.as_bytes())),
        Body::Missing(reason) => (BodyState::Missing, Some(reason.clone()), None),
    };
    let markdown = match &fact.body {
        Body::Markdown(text) => Some(text.clone()),
        Body::Record => Some(record_text(&fact.record)),
        Body::None | Body::Missing(_) => None,
    };
    let content_hash = fact.record.content_hash();
    let hash_basis = fact.record.basis();
    let fields_json = serde_json::to_string(&fields).map_err(|error| wrong(error.to_string()))?;
    let quarantined_json = serde_json::to_string(&quarantined).map_err(|error| wrong(error.to_string()))?;
    let checked = fact.checked_on.map(|at| at.to_string()).unwrap_or_default();
    let body_hash = body.map(refdesk_core::hash::content_hash).unwrap_or_default();
    let statement_hash = refdesk_core::hash::short_key(
        "",
        &[
            &head,
            &fields_json,
            &identity,
            &quarantined_json,
            &fact.source_url,
            &content_hash,
            body_state.as_str(),
            body_missing.as_deref().unwrap_or_default(),
            &body_hash,
            &checked,
        ],
    );
    Ok(PreparedFact {
        kind,
        head,
        fields,
        identity,
        quarantined,
        source_url: fact.source_url,
        content_hash,
        hash_basis,
        body_state,
        body_missing,
        checked_on: fact.checked_on,
        statement_hash,
        record: packer.pack(fact.record.as_bytes()),
        body: body.map(|body| packer.pack(body)),
        text: markdown.map(|text| packer.pack(refdesk_core::text::plain(&text).as_bytes())),
        key: fact.key,
    })
}

fn record_text(record: &Record) -> String {
    String::from_utf8_lossy(record.as_bytes()).into_owned()
}
