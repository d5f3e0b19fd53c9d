//! Pages that were made, kept by what they were made of, up to a number of bytes; the oldest go first. Who asks for a page that is being
//! made waits for that one.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::OnceCell;

use crate::workroom::Workroom;

/// Stands for a title and a text.
type Key = [u8; 32];

/// Pages of full texts.
#[derive(Debug)]
pub(crate) struct Pages {
    bytes_max: usize,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    bytes: usize,
    pages: HashMap<Key, Arc<OnceCell<Bytes>>>,
    /// Those that are made, the oldest first.
    order: VecDeque<(Key, usize)>,
}

impl Pages {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { bytes_max, kept: Mutex::default() }
    }

    /// The page of a Markdown text. `None` when making it ended in a panic.
    pub(crate) async fn get(&self, workroom: &Workroom, title: String, markdown: String) -> Option<Bytes> {
        let key = key(&title, &markdown);
        let cell = Arc::clone(self.lock().pages.entry(key).or_default());
        let make = || async {
            let page = workroom.page(move || Bytes::from(super::page(&title, &markdown))).await.ok_or(())?;
            self.made(key, page.len());
            Ok::<_, ()>(page)
        };
        let made = cell.get_or_try_init(make).await.ok().cloned();
        if made.is_none() {
            self.lock().pages.remove(&key);
        }
        made
    }

    /// Counts a page that was made, and drops the oldest while there are too many bytes.
    fn made(&self, key: Key, bytes: usize) {
        let mut kept = self.lock();
        kept.bytes += bytes;
        kept.order.push_back((key, bytes));
        while kept.bytes > self.bytes_max
            && let Some((oldest, bytes)) = kept.order.pop_front()
        {
            kept.bytes -= bytes;
            kept.pages.remove(&oldest);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(title: &str, markdown: &str) -> Key {
    use sha2::Digest as _;
    let mut hash = sha2::Sha256::new();
    hash.update(title.len().to_be_bytes());
    hash.update(title);
    hash.update(markdown);
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::Pages;
    use crate::workroom::Workroom;

    #[tokio::test]
    async fn pages_are_kept_within_their_bytes_and_the_oldest_goes() {
        let (pages, workroom) = (Pages::new(600), Workroom::new(1));
        let get = async |n: usize| {
            let page = pages.get(&workroom, format!("T{n}"), "x".repeat(100)).await.unwrap_or_default();
            assert!(page.ends_with(b"</main></body></html>"), "{page:?}");
        };
        for n in 0..10 {
            get(n).await;
            get(n).await;
        }
        let kept = pages.lock();
        assert!(kept.bytes <= 600 && kept.order.len() == kept.pages.len() && !kept.order.is_empty(), "{kept:?}");
        assert_eq!(kept.bytes, kept.order.iter().map(|(_, bytes)| bytes).sum::<usize>());
    }
}
