//! Response cache of details: answers as they were sent, so that a repeated request is answered before routing, without a look-up.

use bytes::Bytes;
use http::HeaderValue;
use quick_cache::sync::Cache;
use quick_cache::{Equivalent, Weighter};

use super::{InBytes, cache_of};
use crate::negotiation::ContentEncoding;

/// The cached details of one generation.
pub(crate) struct DetailCache(Cache<OwnedKey, CachedDetail, InBytes>);

/// A request target and the content coding that the client prefers.
#[derive(PartialEq, Eq, Hash)]
struct OwnedKey {
    target: Box<str>,
    preferred: ContentEncoding,
}

/// The same, borrowed from a request: a `Box<str>` hashes as the `&str` of its text.
#[derive(Hash)]
struct Key<'a> {
    target: &'a str,
    preferred: ContentEncoding,
}

impl Equivalent<OwnedKey> for Key<'_> {
    fn equivalent(&self, key: &OwnedKey) -> bool {
        self.preferred == key.preferred && *self.target == *key.target
    }
}

/// An answer as it was sent.
#[derive(Debug, Clone)]
pub(crate) struct CachedDetail {
    pub(crate) tag: HeaderValue,
    /// The coding of the body: a small one is not compressed, whatever the client prefers.
    pub(crate) encoding: ContentEncoding,
    pub(crate) body: Bytes,
    /// The target also has a full text, which a client that prefers Markdown or HTML to JSON gets.
    pub(crate) is_negotiated: bool,
}

impl Weighter<OwnedKey, CachedDetail> for InBytes {
    fn weight(&self, key: &OwnedKey, detail: &CachedDetail) -> u64 {
        (key.target.len() + detail.tag.len() + detail.body.len()) as u64
    }
}

impl DetailCache {
    /// An empty cache of so many bytes.
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self(cache_of(bytes_max))
    }

    /// The cached answer to a target in the coding that the client prefers.
    pub(crate) fn get(&self, target: &str, preferred: ContentEncoding) -> Option<CachedDetail> {
        self.0.get(&Key { target, preferred })
    }

    /// Stores a detail.
    pub(crate) fn put(&self, target: &str, preferred: ContentEncoding, detail: CachedDetail) {
        self.0.insert(OwnedKey { target: target.into(), preferred }, detail);
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::HeaderValue;

    use super::{CachedDetail, DetailCache};
    use crate::negotiation::ContentEncoding;

    fn put(cache: &DetailCache, target: &str, preferred: ContentEncoding, body: &str) {
        let (tag, body) = (HeaderValue::from_static("\"1\""), Bytes::copy_from_slice(body.as_bytes()));
        let detail = CachedDetail { tag, encoding: ContentEncoding::Identity, body, is_negotiated: false };
        cache.put(target, preferred, detail);
    }

    #[test]
    fn a_detail_is_kept_for_its_target_and_encoding() {
        let cache = DetailCache::new(1_000);
        put(&cache, "/a", ContentEncoding::Identity, "plain");
        put(&cache, "/a", ContentEncoding::Gzip, "packed");
        let cached = |target, preferred| cache.get(target, preferred).map(|detail| (detail.tag, detail.body));
        let expected = |body| Some((HeaderValue::from_static("\"1\""), Bytes::from_static(body)));
        assert_eq!(cached("/a", ContentEncoding::Identity), expected(b"plain"));
        assert_eq!(cached("/a", ContentEncoding::Gzip), expected(b"packed"));
        assert_eq!(cached("/a", ContentEncoding::Zstd), None);
        assert_eq!(cached("/b", ContentEncoding::Identity), None);
    }

    #[test]
    fn what_is_asked_for_again_and_again_outlives_what_was_asked_for_once() {
        let cache = DetailCache::new(10_000);
        put(&cache, "/often", ContentEncoding::Identity, &"x".repeat(90));
        for n in 0..1_000 {
            assert!(cache.get("/often", ContentEncoding::Identity).is_some(), "after {n} others");
            put(&cache, &format!("/{n}"), ContentEncoding::Identity, &"x".repeat(90));
            assert!(cache.0.weight() <= 10_000);
        }
        let kept = (0..1_000).filter(|n| cache.get(&format!("/{n}"), ContentEncoding::Identity).is_some()).count();
        // 96 to 99 bytes each.
        assert!((50..10_000 / 96).contains(&kept), "{kept}");
    }
}
