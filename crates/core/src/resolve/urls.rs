//! Addresses that are shown as addresses: `http` and `https` only. Anything else in a field for addresses (`javascript:`, `data:`, `file:`,
//! a word) is no statement about that field: it is shown as text, in `rejected_urls`, and another source may be heard instead.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::clean;
use crate::fact::StoredFact;

/// What a field for an address states that is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RejectedUrl {
    /// Dotted path of the field.
    pub path: String,
    /// What its source states.
    pub value: String,
}

/// Rejected addresses of one fact that are shown: enough to see what a source does.
pub const REJECTED_URLS_MAX: usize = 20;
/// Longest rejected address that is shown, in characters.
pub const REJECTED_URL_CHARS_MAX: usize = 200;

/// The addresses of a fact that are none: in its fields, and among the pages that it refers to.
pub fn rejected_of(fact: &StoredFact) -> Vec<RejectedUrl> {
    let mut rejected = Vec::new();
    let mut note = |path: &str, value: &str| {
        if rejected.len() < REJECTED_URLS_MAX {
            let value = clean::excerpt(value, REJECTED_URL_CHARS_MAX);
            rejected.push(RejectedUrl { path: path.to_owned(), value });
        }
    };
    for (name, value) in fact.fields.read().iter() {
        visit(name, name, value, &mut note);
    }
    for page in fact.provenance.references.iter().filter(|page| !is_web_address(page)) {
        note("references", page);
    }
    rejected
}

/// The fields of a fact without addresses that are none.
pub fn without_rejected(mut fields: Cow<'_, Map<String, Value>>) -> Cow<'_, Map<String, Value>> {
    let mut found = false;
    for (name, value) in fields.iter() {
        visit(name, name, value, &mut |_, _| found = true);
    }
    if found {
        fields.to_mut().iter_mut().for_each(|(name, value)| clear(name, value));
    }
    fields
}

/// True for what a browser may be sent to.
pub fn is_web_address(text: &str) -> bool {
    let begins = |scheme: &str| text.get(..scheme.len()).is_some_and(|front| front.eq_ignore_ascii_case(scheme));
    (begins("https://") || begins("http://")) && !text.chars().any(|c| c.is_whitespace() || clean::is_hidden(c))
}

/// Calls `rejected` with path and value of every address that is none.
fn visit(path: &str, name: &str, value: &Value, rejected: &mut impl FnMut(&str, &str)) {
    match value {
        Value::String(text) if is_rejected(name, text) => rejected(path, text),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(at, value)| visit(&format!("{path}.{at}"), name, value, rejected));
        }
        Value::Object(members) => {
            members.iter().for_each(|(name, value)| visit(&format!("{path}.{name}"), name, value, rejected));
        }
        _ => {}
    }
}

fn clear(name: &str, value: &mut Value) {
    match value {
        Value::String(text) if is_rejected(name, text) => *value = Value::Null,
        Value::Array(list) => list.iter_mut().for_each(|value| clear(name, value)),
        Value::Object(members) => members.iter_mut().for_each(|(name, value)| clear(name, value)),
        _ => {}
    }
}

/// Whether a field of this name is for an address and this is none. What its user completes is one (`{base}/mcp`, as registries write
/// them), and so is the place on the desk's own machine that an offer was read from.
fn is_rejected(name: &str, text: &str) -> bool {
    let is_local = || name == "source_url" && text.starts_with("local:");
    is_address_field(name) && !text.is_empty() && !is_web_address(text) && !text.starts_with('{') && !is_local()
}

/// `url`, `website_url`, `registryBaseUrl`, `documentation_uri`.
fn is_address_field(name: &str) -> bool {
    let ends = |end: &str| {
        name.len()
            .checked_sub(end.len())
            .and_then(|at| name.get(at..))
            .is_some_and(|tail| tail.eq_ignore_ascii_case(end))
    };
    ends("url") || ends("uri")
}
