//! Caches of finished answers: details ready to send, other bodies that took work, and rendered texts. Each has a bound in bytes; what was not asked
//! for again makes room (the Clock-PRO algorithm of the crate `quick_cache`).

mod detail;

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::settings::Settings;

pub(crate) use detail::{CachedDetail, DetailCache};

/// Entries that a cache has room for without growing its table.
const EXPECTED_ENTRIES_MAX: usize = 1_024;
/// About the bytes of an entry.
const EXPECTED_ENTRY_BYTES: usize = 4_096;

/// Bodies by target and entity tag: compressed ones, for compressing costs more than anything else about a list, and searches in any coding.
/// Equal requests of one generation have equal answers; the tag keeps bodies of old generations from new ones.
pub(crate) type BodyCache = Cache<String, Bytes, InBytes>;

/// Rendered texts, by the Markdown that they were rendered from; they outlive generations. Concurrent requests for one wait for a single
/// rendering.
pub(crate) type RenderedTextCache = Cache<RenderedTextKey, Arc<RenderedText>, InBytes>;

/// SHA-256 of a text and of where it comes from.
pub(crate) type RenderedTextKey = [u8; 32];

/// A text as sanitised HTML.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RenderedText {
    pub(crate) html: String,
    /// The headings that have an anchor, in their order.
    pub(crate) headings: Vec<Heading>,
}

/// A heading of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    /// As it is in the HTML: 2 is the highest, for a page has a heading of its own.
    pub(crate) level: u8,
    pub(crate) text: String,
    /// The `id` of its element.
    pub(crate) anchor: String,
}

/// Weighs an entry by its bytes, the key among them: it may be the longer one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InBytes;

impl Weighter<String, Bytes> for InBytes {
    fn weight(&self, key: &String, body: &Bytes) -> u64 {
        (key.len() + body.len()) as u64
    }
}

impl Weighter<RenderedTextKey, Arc<RenderedText>> for InBytes {
    fn weight(&self, key: &RenderedTextKey, text: &Arc<RenderedText>) -> u64 {
        let headings = text.headings.iter().map(|heading| heading.text.len() + heading.anchor.len());
        (key.len() + text.html.len() + headings.sum::<usize>()) as u64
    }
}

/// A cache of so many bytes. An entry of more than a shard of them is not kept; small caches have one shard.
fn cache_of<Key, Value>(bytes_max: usize) -> Cache<Key, Value, InBytes>
where
    Key: Eq + std::hash::Hash,
    Value: Clone,
    InBytes: Weighter<Key, Value>,
{
    let entries = (bytes_max / EXPECTED_ENTRY_BYTES).min(EXPECTED_ENTRIES_MAX);
    Cache::with_weighter(entries, bytes_max as u64, InBytes)
}

/// The caches that are not of one generation: rendered texts outlive generations, bodies are dropped when one is published. Details
/// belong to their [`Generation`](super::generation::Generation).
pub(crate) struct Caches {
    pub(crate) bodies: BodyCache,
    pub(crate) texts: RenderedTextCache,
    /// The OpenAPI document: rendered once, because anyone may ask for it without being counted.
    pub(crate) openapi_json: OnceLock<Bytes>,
    /// The same document as an HTML page.
    pub(crate) openapi_page: OnceLock<String>,
}

impl Caches {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            bodies: cache_of(settings.encoded_cache_bytes),
            texts: cache_of(settings.page_cache_bytes),
            openapi_json: OnceLock::new(),
            openapi_page: OnceLock::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;

    use super::{BodyCache, Heading, RenderedText, RenderedTextCache, cache_of};

    #[test]
    fn bodies_are_kept_within_their_bytes_the_key_among_them() {
        let cache: BodyCache = cache_of(1_000);
        for n in 0..100 {
            cache.insert(format!("key {n}"), Bytes::from(vec![b'x'; 90]));
            assert!(cache.weight() <= 1_000, "{n}");
        }
        assert!(cache.weight() > 800 && cache.get("key 99").is_some(), "what came last is there");
        cache.insert("k".repeat(1_001), Bytes::new());
        assert!(cache.get("k".repeat(1_001).as_str()).is_none(), "keys count");
        cache.clear();
        assert_eq!(cache.weight(), 0, "a new generation has room again");
    }

    #[test]
    fn texts_are_kept_within_their_bytes() {
        let texts: RenderedTextCache = cache_of(1_000);
        for n in 0..20 {
            let heading = Heading { level: 2, text: "h".repeat(50), anchor: "a".repeat(50) };
            texts.insert([n; 32], Arc::new(RenderedText { html: "x".repeat(100), headings: vec![heading] }));
            assert!(texts.weight() <= 1_000 && texts.weight() >= 32 + 200, "{n}: {}", texts.weight());
        }
        assert!(texts.len() <= 1_000 / (32 + 200));
    }

    #[tokio::test]
    async fn a_text_is_rendered_once_and_again_when_that_failed() {
        let texts: RenderedTextCache = cache_of(10_000);
        let text = Arc::new(RenderedText { html: "text".to_owned(), headings: Vec::new() });
        assert_eq!(texts.get_or_insert_async(&[1; 32], async { Err(()) }).await, Err(()));
        let first = texts.get_or_insert_async(&[1; 32], async { Ok::<_, ()>(Arc::clone(&text)) }).await;
        let second = texts.get_or_insert_async(&[1; 32], async { Err(()) }).await;
        assert_eq!((first, second), (Ok(Arc::clone(&text)), Ok(text)));
    }
}
