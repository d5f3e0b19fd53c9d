//! Addresses that are shown as addresses: `http` and `https` only. Anything else in a field for addresses (`javascript:`, `data:`, `file:`,
//! a word) is no statement about that field: it is shown as text, in `rejected_urls`, and another source may be considered instead.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use refdesk_core::clean;
use refdesk_core::fact::StoredFact;

/// A value of an address field that is not an address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RejectedUrl {
    /// Dotted path of the field.
    pub path: String,
    /// What its source states.
    pub value: String,
}

impl RejectedUrl {
    fn new(path: &str, value: &str) -> Self {
        Self { path: path.to_owned(), value: clean::excerpt(value, REJECTED_URL_CHARS_MAX) }
    }
}

/// Rejected addresses of one fact that are shown: enough to see what a source does.
pub const REJECTED_URLS_MAX: usize = 20;
/// Longest rejected address that is shown, in characters.
pub const REJECTED_URL_CHARS_MAX: usize = 200;

/// The addresses of a fact that are none: in its fields, and among the pages that it refers to.
pub fn rejected_of(fact: &StoredFact) -> Vec<RejectedUrl> {
    take_rejected(fact, &mut fact.fields.read())
}

/// The same, taken out of `fields`, the fact's own: there they become null.
pub fn take_rejected(fact: &StoredFact, fields: &mut Cow<'_, Map<String, Value>>) -> Vec<RejectedUrl> {
    let mut rejected = Vec::new();
    // Hardly a fact has one: most are looked through and left as they are.
    if fields.iter().any(|(name, value)| has_rejected(name, value)) {
        for (name, value) in fields.to_mut() {
            take(name, name, value, &mut rejected);
        }
    }
    let pages = fact.provenance.references.iter().filter(|page| !is_web_address(page));
    rejected.extend(pages.map(|page| RejectedUrl::new("references", page)));
    rejected.truncate(REJECTED_URLS_MAX);
    rejected
}

/// True for what a browser may be sent to.
pub fn is_web_address(text: &str) -> bool {
    let begins = |scheme: &str| text.get(..scheme.len()).is_some_and(|front| front.eq_ignore_ascii_case(scheme));
    (begins("https://") || begins("http://")) && !text.chars().any(|c| c.is_whitespace() || clean::is_hidden(c))
}

fn has_rejected(name: &str, value: &Value) -> bool {
    match value {
        Value::String(text) => is_rejected(name, text),
        Value::Array(list) => list.iter().any(|value| has_rejected(name, value)),
        Value::Object(members) => members.iter().any(|(name, value)| has_rejected(name, value)),
        _ => false,
    }
}

fn take(path: &str, name: &str, value: &mut Value, rejected: &mut Vec<RejectedUrl>) {
    match value {
        Value::String(text) if is_rejected(name, text) => {
            rejected.push(RejectedUrl::new(path, text));
            *value = Value::Null;
        }
        Value::Array(list) => {
            list.iter_mut().enumerate().for_each(|(at, value)| take(&format!("{path}.{at}"), name, value, rejected));
        }
        Value::Object(members) => {
            members.iter_mut().for_each(|(name, value)| take(&format!("{path}.{name}"), name, value, rejected));
        }
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
