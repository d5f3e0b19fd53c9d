//! Cache of compressed bodies. Compressing costs more than anything else about a list, and equal requests of one generation have equal
//! answers. A new generation empties it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

/// Compressed bodies by target and entity tag.
#[derive(Debug)]
pub(crate) struct EncodedBodyCache {
    bytes_max: usize,
    cached: Mutex<CachedBodies>,
}

#[derive(Debug, Default)]
struct CachedBodies {
    bytes: usize,
    by_key: HashMap<String, Bytes>,
}

impl EncodedBodyCache {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { bytes_max, cached: Mutex::default() }
    }

    pub(crate) fn get(&self, key: &str) -> Option<Bytes> {
        self.lock().by_key.get(key).cloned()
    }

    /// Stores a body while there is room. Nothing is evicted before the next generation: the first bodies asked for are the popular ones.
    pub(crate) fn put(&self, key: &str, body: &Bytes) {
        let mut cached = self.lock();
        if cached.bytes + body.len() <= self.bytes_max && !cached.by_key.contains_key(key) {
            cached.bytes += body.len();
            cached.by_key.insert(key.to_owned(), body.clone());
        }
    }

    pub(crate) fn clear(&self) {
        *self.lock() = CachedBodies::default();
    }

    fn lock(&self) -> MutexGuard<'_, CachedBodies> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::EncodedBodyCache;

    #[test]
    fn encoded_answers_are_kept_up_to_their_bytes() {
        let cache = EncodedBodyCache::new(10);
        for (key, body, is_kept) in
            [("a", "123456", true), ("b", "12345", false), ("c", "1234", true), ("d", "1", false)]
        {
            cache.put(key, &Bytes::from_static(body.as_bytes()));
            assert_eq!(cache.get(key).is_some(), is_kept, "{key}");
        }
        cache.clear();
        cache.put("b", &Bytes::from_static(b"12345"));
        assert!(cache.get("b").is_some() && cache.get("a").is_none(), "a new generation has room again");
    }
}
