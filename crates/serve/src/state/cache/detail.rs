//! Response cache of details: a set-associative table of answers as they were sent, so that a repeated request is answered without a
//! look-up. A detail can take one of four slots; there is no eviction before the next generation, and beyond the limits nothing is stored.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use bytes::Bytes;
use http::HeaderValue;

use crate::negotiation::ContentEncoding;

/// Most cached details.
const CACHED_DETAILS_MAX: usize = 16_384;
/// Slots that a detail can take.
const SLOTS_PER_DETAIL: usize = 4;

/// The cached details of one generation. The details are stored side by side and the table of slots is small, because the cost of such an
/// answer is cache misses.
#[derive(Debug)]
pub(crate) struct DetailCache {
    /// By hash: the index of a detail plus one, or 0 for a free slot.
    slots: Box<[[AtomicU32; SLOTS_PER_DETAIL]]>,
    details: Box<[OnceLock<CachedDetail>]>,
    /// Entries of `details` that are taken.
    taken: AtomicUsize,
    /// Bytes that may still be stored.
    bytes_left: AtomicUsize,
}

/// The answer to a request target for clients that prefer a content coding.
#[derive(Debug)]
pub(crate) struct CachedDetail {
    /// Target, entity tag and body in one allocation.
    bytes: Bytes,
    target_end: usize,
    tag_end: usize,
    preferred: ContentEncoding,
    /// The coding of the body: a small one is not compressed, whatever the client prefers.
    pub(crate) encoding: ContentEncoding,
}

impl CachedDetail {
    /// Copies the parts of an answer.
    pub(crate) fn new(
        target: &str,
        preferred: ContentEncoding,
        encoding: ContentEncoding,
        tag: &HeaderValue,
        body: &[u8],
    ) -> Self {
        let bytes = [target.as_bytes(), tag.as_bytes(), body].concat().into();
        let target_end = target.len();
        Self { bytes, target_end, tag_end: target_end + tag.len(), preferred, encoding }
    }

    fn is_of(&self, target: &str, preferred: ContentEncoding) -> bool {
        self.preferred == preferred && self.bytes[..self.target_end] == *target.as_bytes()
    }

    /// The entity tag.
    pub(crate) fn tag(&self) -> HeaderValue {
        let tag = self.bytes.slice(self.target_end..self.tag_end);
        HeaderValue::from_maybe_shared(tag).unwrap_or_else(|_| unreachable!("it was one"))
    }

    /// The body, not copied.
    pub(crate) fn body(&self) -> Bytes {
        self.bytes.slice(self.tag_end..)
    }
}

impl DetailCache {
    /// An empty cache for a generation of `items` items.
    pub(crate) fn new(items: usize, bytes_max: usize) -> Self {
        let details_max = items.clamp(1, CACHED_DETAILS_MAX);
        Self {
            // Twice as many slots as details, so that few details find all of theirs taken.
            slots: (0..(2 * details_max).div_ceil(SLOTS_PER_DETAIL)).map(|_| Default::default()).collect(),
            details: (0..details_max).map(|_| OnceLock::new()).collect(),
            taken: AtomicUsize::new(0),
            bytes_left: AtomicUsize::new(bytes_max),
        }
    }

    /// The cached answer to a target in the coding that the client prefers.
    pub(crate) fn get(&self, target: &str, preferred: ContentEncoding) -> Option<&CachedDetail> {
        let numbers =
            self.slots(target, preferred).iter().filter_map(|slot| slot.load(Ordering::Acquire).checked_sub(1));
        let mut details = numbers.filter_map(|number| self.details.get(number as usize)?.get());
        details.find(|detail| detail.is_of(target, preferred))
    }

    /// Stores a detail while there is room. A detail that loses a race for its slot still uses up its share until the next generation.
    pub(crate) fn put(&self, target: &str, detail: CachedDetail) {
        let slots = self.slots(target, detail.preferred);
        let free = slots.iter().any(|slot| slot.load(Ordering::Relaxed) == 0);
        let take = |left: usize| left.checked_sub(detail.bytes.len());
        if !free
            || self.get(target, detail.preferred).is_some()
            || self.bytes_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err()
        {
            return;
        }
        let number = self.taken.fetch_add(1, Ordering::Relaxed);
        if self.details.get(number).is_some_and(|free| free.set(detail).is_ok()) {
            let set =
                |slot: &AtomicU32| slot.compare_exchange(0, number as u32 + 1, Ordering::Release, Ordering::Relaxed);
            // When other details took the slots in the meantime, this one is never found.
            let _ = slots.iter().any(|slot| set(slot).is_ok());
        }
    }

    fn slots(&self, target: &str, preferred: ContentEncoding) -> &[AtomicU32; SLOTS_PER_DETAIL] {
        let mut hasher = DefaultHasher::new();
        (target, preferred).hash(&mut hasher);
        &self.slots[hasher.finish() as usize % self.slots.len()]
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::{CACHED_DETAILS_MAX, CachedDetail, DetailCache};
    use crate::negotiation::ContentEncoding;

    fn put(cache: &DetailCache, target: &str, preferred: ContentEncoding, body: &'static str) {
        let tag = HeaderValue::from_static("\"1\"");
        cache.put(target, CachedDetail::new(target, preferred, ContentEncoding::Identity, &tag, body.as_bytes()));
    }

    #[test]
    fn a_detail_is_kept_for_its_target_and_encoding() {
        let cache = DetailCache::new(1000, 1000);
        put(&cache, "/a", ContentEncoding::Identity, "first");
        put(&cache, "/a", ContentEncoding::Identity, "second");
        put(&cache, "/a", ContentEncoding::Gzip, "packed");
        let cached = |target, preferred| cache.get(target, preferred).map(|detail| (detail.tag(), detail.body()));
        let (tag, body) = cached("/a", ContentEncoding::Identity).unwrap_or_else(|| unreachable!("it was kept"));
        assert_eq!((tag.as_bytes(), &body[..]), (&b"\"1\""[..], &b"first"[..]));
        assert_eq!(cached("/a", ContentEncoding::Gzip).map(|(_, body)| body).as_deref(), Some(&b"packed"[..]));
        assert_eq!(cached("/a", ContentEncoding::Zstd), None);
        assert_eq!(cached("/b", ContentEncoding::Identity), None);
    }

    #[test]
    fn a_catalog_of_any_size_keeps_no_more_details_than_the_limit() {
        let cache = DetailCache::new(10 * CACHED_DETAILS_MAX, 1 << 30);
        let targets: Vec<String> = (0..2 * CACHED_DETAILS_MAX).map(|n| format!("/{n}")).collect();
        targets.iter().for_each(|target| put(&cache, target, ContentEncoding::Identity, "x"));
        let kept = targets.iter().filter(|target| cache.get(target, ContentEncoding::Identity).is_some()).count();
        assert!((CACHED_DETAILS_MAX / 2..=CACHED_DETAILS_MAX).contains(&kept), "{kept}");
    }

    #[test]
    fn their_number_and_bytes_are_bounded() {
        let crowded = DetailCache::new(1, 1000);
        put(&crowded, "/a", ContentEncoding::Identity, "first");
        put(&crowded, "/b", ContentEncoding::Identity, "one was the limit");
        assert!(
            crowded.get("/a", ContentEncoding::Identity).is_some()
                && crowded.get("/b", ContentEncoding::Identity).is_none()
        );
        let narrow = DetailCache::new(1000, 10);
        put(&narrow, "/a", ContentEncoding::Identity, "six by");
        assert!(narrow.get("/a", ContentEncoding::Identity).is_none(), "2 bytes of target, 3 of tag, 6 of body");
        put(&narrow, "/a", ContentEncoding::Identity, "five.");
        assert!(narrow.get("/a", ContentEncoding::Identity).is_some());
    }
}
