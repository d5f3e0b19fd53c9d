//! Cache of rendered texts, by the Markdown they were rendered from. Concurrent requests for one wait for a single rendering. Beyond the
//! limit in bytes the oldest are dropped.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::OnceCell;

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

impl RenderedText {
    fn bytes(&self) -> usize {
        self.html.len() + self.headings.iter().map(|heading| heading.text.len() + heading.anchor.len()).sum::<usize>()
    }
}

/// Rendered texts.
#[derive(Debug)]
pub(crate) struct RenderedTextCache {
    bytes_max: usize,
    cached: Mutex<CachedTexts>,
}

#[derive(Debug, Default)]
struct CachedTexts {
    bytes: usize,
    by_key: HashMap<RenderedTextKey, Arc<OnceCell<Arc<RenderedText>>>>,
    /// Keys and sizes of the rendered ones, the oldest first.
    order: VecDeque<(RenderedTextKey, usize)>,
}

impl RenderedTextCache {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { bytes_max, cached: Mutex::default() }
    }

    /// The text with a key, rendered by `render` unless it is cached.
    ///
    /// # Errors
    /// That of `render`, after which the next request tries again.
    pub(crate) async fn get_or_render<F, E>(
        &self,
        key: RenderedTextKey,
        render: impl FnOnce() -> F,
    ) -> Result<Arc<RenderedText>, E>
    where
        F: Future<Output = Result<Arc<RenderedText>, E>>,
    {
        let cell = Arc::clone(self.lock().by_key.entry(key).or_default());
        let render = || async {
            let text = render().await?;
            self.rendered(key, text.bytes());
            Ok(text)
        };
        let text = cell.get_or_try_init(render).await.cloned();
        if text.is_err() {
            self.lock().by_key.remove(&key);
        }
        text
    }

    /// Counts a text that was rendered, and drops the oldest while there are too many bytes.
    fn rendered(&self, key: RenderedTextKey, bytes: usize) {
        let mut cached = self.lock();
        cached.bytes += bytes;
        cached.order.push_back((key, bytes));
        while cached.bytes > self.bytes_max
            && let Some((oldest, bytes)) = cached.order.pop_front()
        {
            cached.bytes -= bytes;
            cached.by_key.remove(&oldest);
        }
    }

    fn lock(&self) -> MutexGuard<'_, CachedTexts> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{RenderedText, RenderedTextCache};

    fn text(html: String) -> Arc<RenderedText> {
        Arc::new(RenderedText { html, headings: Vec::new() })
    }

    #[tokio::test]
    async fn texts_are_kept_within_their_bytes_and_the_oldest_goes() {
        let texts = RenderedTextCache::new(600);
        let get = async |n: u8| {
            let html = n.to_string().repeat(250);
            let got = texts.get_or_render([n; 32], || async { Ok::<_, ()>(text(html.clone())) }).await;
            assert_eq!(got.map(|text| text.html.clone()), Ok(html));
        };
        for n in 0..10 {
            get(n).await;
            get(n).await;
        }
        let cached = texts.lock();
        assert!(cached.bytes <= 600 && cached.order.len() == cached.by_key.len() && !cached.order.is_empty());
        assert_eq!(cached.bytes, cached.order.iter().map(|(_, bytes)| bytes).sum::<usize>());
        assert_eq!(cached.order.back().map(|(key, _)| key[0]), Some(9), "the youngest stays");
    }

    #[tokio::test]
    async fn a_text_that_could_not_be_rendered_is_tried_again() {
        let texts = RenderedTextCache::new(600);
        assert_eq!(texts.get_or_render([1; 32], || async { Err(()) }).await, Err(()));
        assert!(texts.lock().by_key.is_empty());
        let got = texts.get_or_render([1; 32], || async { Ok::<_, ()>(text("text".to_owned())) }).await;
        assert_eq!(got.map(|text| text.html.clone()), Ok("text".to_owned()));
    }
}
