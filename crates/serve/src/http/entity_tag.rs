//! Entity tags and conditional requests (RFC 9110, sections 8.8.3 and 13.1.2).
//!
//! A tag is `"REVISION-HASH-CODING"`: the revision of the catalog, a hash of the request and of whatever else the answer depends on, and the
//! content coding. It is known before the answer is, so a client that has the answer gets a 304 without any work. The hash distinguishes
//! representations of one target, never two targets, so it need not be collision-resistant against an attacker.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use http::{HeaderMap, HeaderValue, header};

use super::problem::Problem;
use crate::negotiation::ContentEncoding;

/// Stands for every tag.
const ANY: &str = "*";

/// The entity tags of one answer, one for each content coding.
pub(super) struct EntityTags<'a> {
    revision: &'a str,
    hash: String,
}

impl<'a> EntityTags<'a> {
    /// The tags of an answer. `request` is all of the request and its circumstances that the answer depends on; `seed` has consumed the
    /// settings.
    pub(super) fn new(seed: &DefaultHasher, revision: &'a str, request: (&str, &str, &str)) -> Self {
        let mut hasher = seed.clone();
        request.hash(&mut hasher);
        Self { revision, hash: refdesk_core::hash::hex(&hasher.finish().to_be_bytes()) }
    }

    /// The tag of the answer in a content coding.
    pub(super) fn of(&self, encoding: ContentEncoding) -> String {
        ["\"", self.revision, "-", &self.hash, encoding.tag_suffix(), "\""].concat()
    }
}

/// The tag that `If-None-Match` names, among those that the client would get: in the coding it prefers, or in none.
pub(super) fn matching(
    headers: &HeaderMap,
    preferred: ContentEncoding,
    tag: impl Fn(ContentEncoding) -> String,
) -> Option<String> {
    let sent: Vec<&str> = sent(headers).collect();
    if sent.is_empty() {
        return None;
    }
    let ours = [preferred, ContentEncoding::Identity].map(tag);
    ours.into_iter().find(|tag| sent.iter().any(|sent| *sent == tag.as_str() || *sent == ANY))
}

/// Whether `If-None-Match` names every answer, whatever its tag.
pub(super) fn names_any(headers: &HeaderMap) -> bool {
    sent(headers).any(|tag| tag == ANY)
}

/// The tags of `If-None-Match`, compared weakly.
fn sent(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let values = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(|tag| tag.trim().trim_start_matches("W/"))
}

/// A tag as a header.
///
/// # Errors
/// 500 for a tag with characters that a header must not have: an empty or shortened tag would match other answers.
pub(super) fn header_value(tag: String) -> Result<HeaderValue, Problem> {
    HeaderValue::try_from(tag).map_err(|_| Problem::internal().because("an entity tag is not a header value"))
}
