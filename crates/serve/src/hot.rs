//! Details that were asked for in the current generation, kept as they were written. Bounded: each item has one place it can take,
//! the first that asks gets it, and what is beyond the limit is written anew for each request.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

/// Most details that are kept.
const PLACES_MAX: usize = 16_384;

/// The details of one generation.
#[derive(Debug)]
pub(crate) struct HotDetails {
    generation: u64,
    places: Box<[OnceLock<(u32, Bytes)>]>,
    /// Bytes that may still be kept.
    left: AtomicUsize,
}

impl HotDetails {
    /// An empty cache for a generation of so many items, of at most so many bytes.
    pub(crate) fn new(generation: u64, items: usize, bytes_max: usize) -> Self {
        let places = (0..items.clamp(1, PLACES_MAX)).map(|_| OnceLock::new()).collect();
        Self { generation, places, left: AtomicUsize::new(bytes_max) }
    }

    /// The detail of an item of a generation, written by `write` unless it is kept.
    pub(crate) fn get(&self, generation: u64, ordinal: u32, write: impl FnOnce() -> Bytes) -> Bytes {
        if generation != self.generation {
            return write();
        }
        let place = &self.places[ordinal as usize % self.places.len()];
        if let Some((kept, bytes)) = place.get()
            && *kept == ordinal
        {
            return bytes.clone();
        }
        let bytes = write();
        let take = |left: usize| left.checked_sub(bytes.len());
        if place.get().is_none() && self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok() {
            // Who comes second keeps nothing; the few bytes it took from the limit come back with the next generation.
            let _ = place.set((ordinal, bytes.clone()));
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::HotDetails;

    #[test]
    fn details_are_kept_within_the_limit_and_for_their_generation_only() {
        let hot = HotDetails::new(7, 2, 10);
        let ask = |generation, ordinal, text: &'static str| {
            hot.get(generation, ordinal, || Bytes::from_static(text.as_bytes()))
        };
        assert_eq!(ask(7, 0, "first"), "first");
        assert_eq!(ask(7, 0, "again"), "first", "kept");
        assert_eq!(ask(8, 0, "later"), "later", "of another generation");
        assert_eq!(ask(7, 2, "other"), "other", "the place is taken");
        assert_eq!(ask(7, 1, "longer"), "longer");
        assert_eq!(ask(7, 1, "anew"), "anew", "beyond the limit nothing is kept");
    }
}
