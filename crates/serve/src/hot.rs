//! Details that were asked for in the current generation, kept as they were sent: who asks again is answered without looking the item
//! up. Bounded: a detail has few places it can take, the first that come get them, and beyond the limits nothing is kept.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use bytes::Bytes;
use http::HeaderValue;

use crate::encode::Encoding;

/// Most details that are kept.
const DETAILS_MAX: usize = 16_384;
/// Places that a detail can take.
const WAYS: usize = 4;

/// The details of one generation. They stand close together and the table that finds them is small, because what such an answer costs
/// is memory that is not in the cache.
#[derive(Debug)]
pub(crate) struct HotDetails {
    /// By hash: one more than the numbers of details, or 0.
    places: Box<[[AtomicU32; WAYS]]>,
    details: Box<[OnceLock<HotDetail>]>,
    /// Details that took a number.
    taken: AtomicUsize,
    /// Bytes that may still be kept.
    left: AtomicUsize,
}

/// The answer to a target for clients that accept an encoding.
#[derive(Debug)]
pub(crate) struct HotDetail {
    /// Target, entity tag and body in one piece of memory.
    bytes: Bytes,
    target_end: usize,
    tag_end: usize,
    accepted: Encoding,
    /// The encoding that the body has: a small one has none, whatever is accepted.
    pub(crate) encoding: Encoding,
}

impl HotDetail {
    /// Copies what stands in an answer.
    pub(crate) fn new(target: &str, accepted: Encoding, encoding: Encoding, tag: &HeaderValue, body: &[u8]) -> Self {
        let bytes = [target.as_bytes(), tag.as_bytes(), body].concat().into();
        let target_end = target.len();
        Self { bytes, target_end, tag_end: target_end + tag.len(), accepted, encoding }
    }

    fn is_of(&self, target: &str, accepted: Encoding) -> bool {
        self.accepted == accepted && self.bytes[..self.target_end] == *target.as_bytes()
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

impl HotDetails {
    /// None yet, of a generation of so many items; there will be at most so many bytes.
    pub(crate) fn new(items: usize, bytes_max: usize) -> Self {
        let most = items.clamp(1, DETAILS_MAX);
        Self {
            // Twice as many places as details, so that few find all of theirs taken.
            places: (0..(2 * most).div_ceil(WAYS)).map(|_| Default::default()).collect(),
            details: (0..most).map(|_| OnceLock::new()).collect(),
            taken: AtomicUsize::new(0),
            left: AtomicUsize::new(bytes_max),
        }
    }

    /// What is kept for a target and the encoding that the client accepts.
    pub(crate) fn get(&self, target: &str, accepted: Encoding) -> Option<&HotDetail> {
        let numbers =
            self.places(target, accepted).iter().filter_map(|place| place.load(Ordering::Acquire).checked_sub(1));
        let mut details = numbers.filter_map(|number| self.details.get(number as usize)?.get());
        details.find(|detail| detail.is_of(target, accepted))
    }

    /// Keeps a detail while there is room. What one that comes too late took of the limits comes back with the next generation.
    pub(crate) fn put(&self, target: &str, detail: HotDetail) {
        let places = self.places(target, detail.accepted);
        let free = places.iter().any(|place| place.load(Ordering::Relaxed) == 0);
        let take = |left: usize| left.checked_sub(detail.bytes.len());
        if !free
            || self.get(target, detail.accepted).is_some()
            || self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err()
        {
            return;
        }
        let number = self.taken.fetch_add(1, Ordering::Relaxed);
        if self.details.get(number).is_some_and(|free| free.set(detail).is_ok()) {
            let set =
                |place: &AtomicU32| place.compare_exchange(0, number as u32 + 1, Ordering::Release, Ordering::Relaxed);
            let _ = places.iter().any(|place| set(place).is_ok());
        }
    }

    fn places(&self, target: &str, accepted: Encoding) -> &[AtomicU32; WAYS] {
        let mut hasher = DefaultHasher::new();
        (target, accepted).hash(&mut hasher);
        &self.places[hasher.finish() as usize % self.places.len()]
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::{DETAILS_MAX, HotDetail, HotDetails};
    use crate::encode::Encoding;

    fn put(hot: &HotDetails, target: &str, accepted: Encoding, body: &'static str) {
        let tag = HeaderValue::from_static("\"1\"");
        hot.put(target, HotDetail::new(target, accepted, Encoding::Identity, &tag, body.as_bytes()));
    }

    #[test]
    fn a_detail_is_kept_for_its_target_and_encoding() {
        let hot = HotDetails::new(1000, 1000);
        put(&hot, "/a", Encoding::Identity, "first");
        put(&hot, "/a", Encoding::Identity, "second");
        put(&hot, "/a", Encoding::Gzip, "packed");
        let kept = |target, accepted| hot.get(target, accepted).map(|kept| (kept.tag(), kept.body()));
        let (tag, body) = kept("/a", Encoding::Identity).unwrap_or_else(|| unreachable!("it was kept"));
        assert_eq!((tag.as_bytes(), &body[..]), (&b"\"1\""[..], &b"first"[..]));
        assert_eq!(kept("/a", Encoding::Gzip).map(|(_, body)| body).as_deref(), Some(&b"packed"[..]));
        assert_eq!(kept("/a", Encoding::Zstd), None);
        assert_eq!(kept("/b", Encoding::Identity), None);
    }

    #[test]
    fn a_catalog_of_any_size_keeps_no_more_details_than_the_limit() {
        let hot = HotDetails::new(10 * DETAILS_MAX, 1 << 30);
        let targets: Vec<String> = (0..2 * DETAILS_MAX).map(|n| format!("/{n}")).collect();
        targets.iter().for_each(|target| put(&hot, target, Encoding::Identity, "x"));
        let kept = targets.iter().filter(|target| hot.get(target, Encoding::Identity).is_some()).count();
        assert!((DETAILS_MAX / 2..=DETAILS_MAX).contains(&kept), "{kept}");
    }

    #[test]
    fn their_number_and_bytes_are_bounded() {
        let crowded = HotDetails::new(1, 1000);
        put(&crowded, "/a", Encoding::Identity, "first");
        put(&crowded, "/b", Encoding::Identity, "one was the limit");
        assert!(crowded.get("/a", Encoding::Identity).is_some() && crowded.get("/b", Encoding::Identity).is_none());
        let narrow = HotDetails::new(1000, 10);
        put(&narrow, "/a", Encoding::Identity, "six by");
        assert!(narrow.get("/a", Encoding::Identity).is_none(), "2 bytes of target, 3 of tag, 6 of body");
        put(&narrow, "/a", Encoding::Identity, "five.");
        assert!(narrow.get("/a", Encoding::Identity).is_some());
    }
}
