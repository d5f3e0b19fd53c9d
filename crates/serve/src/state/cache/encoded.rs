//! Cache of compressed bodies. Compressing costs more than anything else about a list, and equal requests of one generation have equal
//! answers. The entity tag in the key keeps bodies of old generations from new ones; publishing drops them to make room.

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

    /// Stores a body while there is room for it and its key, which may be the longer one. Nothing is evicted before the next generation: the first bodies asked for are the popular ones.
    pub(crate) fn put(&self, key: &str, body: &Bytes) {
        let mut cached = self.lock();
        let size = key.len() + body.len();
        if cached.bytes + size <= self.bytes_max && !cached.by_key.contains_key(key) {
            cached.bytes += size;
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
            [("a", "12345", true), ("b", "1234", false), ("c", "123", true), ("d", "", false), ("a", "1", true)]
        {
            cache.put(key, &Bytes::from_static(body.as_bytes()));
            assert_eq!(cache.get(key).is_some(), is_kept, "{key}");
        }
        cache.clear();
        cache.put("b", &Bytes::from_static(b"1234"));
        assert!(cache.get("b").is_some() && cache.get("a").is_none(), "a new generation has room again");
        cache.put("a long key", &Bytes::new());
        assert!(cache.get("a long key").is_none(), "keys count");
    }
}
