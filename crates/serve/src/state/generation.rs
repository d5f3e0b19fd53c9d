//! The current generation of the catalog: one immutable snapshot with the answers cached for it, replaced by a single pointer swap.
//!
//! A snapshot and its response cache are swapped together, so an answer of one generation can never be served for another.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::{ArcSwap, ArcSwapOption, Guard};
use refdesk_catalog::answer::RouterEval;
use refdesk_catalog::snapshot::Snapshot;

use super::cache::DetailCache;

/// Pause between two checks whether a replaced generation is still in use.
const RETIRE_LOOK: Duration = Duration::from_millis(100);
/// Most of these checks; then the memory is freed by whoever drops the last reference.
const RETIRE_LOOKS_MAX: u32 = 600;

/// The last evaluation of the framework router, with the hash of the cards it measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluated {
    /// [`refdesk_route::Router::cards_hash`] of the cards.
    pub cards_hash: String,
    /// The figures.
    pub figures: RouterEval,
}

/// One generation and what belongs to it.
pub(crate) struct Generation {
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) details: DetailCache,
    /// Hash of the router's cards.
    cards_hash: String,
}

impl Generation {
    fn new(snapshot: Arc<Snapshot>, detail_cache_bytes: usize) -> Self {
        Self {
            details: DetailCache::new(snapshot.item_count() as usize, detail_cache_bytes),
            cards_hash: snapshot.router().cards_hash(),
            snapshot,
        }
    }
}

/// The current generation and the last evaluation of the router.
pub(super) struct Generations {
    current: ArcSwap<Generation>,
    evaluated: ArcSwapOption<Evaluated>,
    detail_cache_bytes: usize,
}

impl Generations {
    pub(super) fn new(first: Arc<Snapshot>, detail_cache_bytes: usize) -> Self {
        Self {
            current: ArcSwap::from_pointee(Generation::new(first, detail_cache_bytes)),
            evaluated: ArcSwapOption::empty(),
            detail_cache_bytes,
        }
    }

    /// Replaces the current generation. Running requests keep the one they hold.
    pub(super) fn replace(&self, next: Arc<Snapshot>) {
        let replaced = self.current.swap(Arc::new(Generation::new(next, self.detail_cache_bytes)));
        retire(Arc::clone(&replaced.snapshot));
    }

    pub(super) fn current(&self) -> Guard<Arc<Generation>> {
        self.current.load()
    }

    pub(super) fn set_evaluated(&self, evaluated: Option<Evaluated>) {
        self.evaluated.store(evaluated.map(Arc::new));
    }

    /// The figures of the last evaluation if it measured exactly the current cards.
    pub(super) fn evaluation(&self) -> Option<RouterEval> {
        let evaluated = self.evaluated.load_full()?;
        (evaluated.cards_hash == self.current.load().cards_hash).then(|| evaluated.figures.clone())
    }
}

/// Frees a replaced generation on a thread of its own once no request holds it: it is millions of small allocations, and no request
/// should pay for freeing them.
fn retire(old: Arc<Snapshot>) {
    let free = move || {
        for _ in 0..RETIRE_LOOKS_MAX {
            if Arc::strong_count(&old) == 1 {
                break;
            }
            std::thread::sleep(RETIRE_LOOK);
        }
        drop(old);
    };
    if let Err(error) = std::thread::Builder::new().name("retire".to_owned()).spawn(free) {
        // The closure was dropped with its reference, so whoever holds the last one frees the memory.
        tracing::debug!(%error, "no thread to free the replaced generation");
    }
}
