//! Cache of rendered pages, by the text they were rendered from. Concurrent requests for one page wait for a single rendering. Beyond the
//! limit in bytes the oldest pages are dropped.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::OnceCell;

/// SHA-256 of the title and the text of a page.
pub(crate) type PageKey = [u8; 32];

/// Rendered pages.
#[derive(Debug)]
pub(crate) struct PageCache {
    bytes_max: usize,
    cached: Mutex<CachedPages>,
}

#[derive(Debug, Default)]
struct CachedPages {
    bytes: usize,
    by_key: HashMap<PageKey, Arc<OnceCell<Bytes>>>,
    /// Keys and sizes of the rendered ones, the oldest first.
    order: VecDeque<(PageKey, usize)>,
}

impl PageCache {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { bytes_max, cached: Mutex::default() }
    }

    /// The page with a key, rendered by `render` unless it is cached. `None` when rendering fails.
    pub(crate) async fn get_or_render<F>(&self, key: PageKey, render: impl FnOnce() -> F) -> Option<Bytes>
    where
        F: Future<Output = Option<Bytes>>,
    {
        let cell = Arc::clone(self.lock().by_key.entry(key).or_default());
        let render = || async {
            let page = render().await.ok_or(())?;
            self.rendered(key, page.len());
            Ok::<_, ()>(page)
        };
        let page = cell.get_or_try_init(render).await.ok().cloned();
        if page.is_none() {
            self.lock().by_key.remove(&key);
        }
        page
    }

    /// Counts a page that was rendered, and drops the oldest while there are too many bytes.
    fn rendered(&self, key: PageKey, bytes: usize) {
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

    fn lock(&self) -> MutexGuard<'_, CachedPages> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::PageCache;

    #[tokio::test]
    async fn pages_are_kept_within_their_bytes_and_the_oldest_goes() {
        let pages = PageCache::new(600);
        let get = async |n: u8| {
            let page = pages.get_or_render([n; 32], || async { Some(Bytes::from(vec![n; 250])) }).await;
            assert_eq!(page.as_deref(), Some(&[n; 250][..]));
        };
        for n in 0..10 {
            get(n).await;
            get(n).await;
        }
        let cached = pages.lock();
        assert!(cached.bytes <= 600 && cached.order.len() == cached.by_key.len() && !cached.order.is_empty());
        assert_eq!(cached.bytes, cached.order.iter().map(|(_, bytes)| bytes).sum::<usize>());
        assert_eq!(cached.order.back().map(|(key, _)| key[0]), Some(9), "the youngest stays");
    }

    #[tokio::test]
    async fn a_page_that_could_not_be_rendered_is_tried_again() {
        let pages = PageCache::new(600);
        assert_eq!(pages.get_or_render([1; 32], || async { None }).await, None);
        let page = pages.get_or_render([1; 32], || async { Some(Bytes::from_static(b"page")) }).await;
        assert_eq!(page.as_deref(), Some(&b"page"[..]));
    }
}
