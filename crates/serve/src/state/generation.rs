//! The current generation of the catalog: one immutable snapshot with the answers cached for it, replaced by a single pointer swap.
//!
//! A snapshot and its response cache are swapped together, so an answer of one generation can never be served for another.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use arc_swap::{ArcSwap, ArcSwapOption, Guard};
use refdesk_catalog::answer::RouterEval;
use refdesk_catalog::collections::{Collection, UnknownMember};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::parallel::locked;
use serde::{Deserialize, Serialize};

use super::cache::DetailCache;

/// Pause between two checks whether a replaced generation is still in use.
const RETIRE_LOOK: Duration = Duration::from_millis(100);
/// Most of these checks; then the memory is freed by whoever drops the last reference.
const RETIRE_LOOKS_MAX: u32 = 600;

/// The last evaluation of the framework router, with the hash of the cards it measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluated {
    /// [`refdesk_route::Router::cards_hash`] of the cards.
    pub cards_hash: String,
    /// The figures.
    #[serde(flatten)]
    pub figures: RouterEval,
}

/// How generations are made, by the settings of these names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Options {
    pub(super) detail_cache_bytes: usize,
    pub(super) train_routers: bool,
}

/// One generation and what belongs to it.
pub(crate) struct Generation {
    pub(crate) snapshot: Arc<Snapshot>,
    /// What each collection shows of it.
    pub(crate) views: Vec<Arc<Snapshot>>,
    /// Ids of the definitions of collections that name nothing in it.
    pub(crate) unknown_members: Vec<UnknownMember>,
    pub(crate) details: DetailCache,
}

impl Generation {
    fn new(snapshot: Arc<Snapshot>, collections: &[Collection], before: Option<&Self>, options: Options) -> Self {
        // Before the views, which take it over where they show the same cards.
        if options.train_routers {
            snapshot.router();
        }
        let (mut views, mut unknown_members) = (Vec::new(), Vec::new());
        for collection in collections {
            let (view, unknown) =
                collection.of(&snapshot, before.and_then(|before| before.view(&collection.id)).map(AsRef::as_ref));
            if options.train_routers {
                view.router();
            }
            views.push(Arc::new(view));
            unknown_members.extend(unknown);
        }
        Self { views, unknown_members, details: DetailCache::new(options.detail_cache_bytes), snapshot }
    }

    /// The ids of all collections.
    pub(crate) fn collection_ids(&self) -> impl Iterator<Item = &str> {
        self.views.iter().filter_map(|view| view.view()).map(|view| &*view.id)
    }

    /// What a collection shows of it.
    pub(crate) fn view(&self, collection: &str) -> Option<&Arc<Snapshot>> {
        self.views.iter().find(|snapshot| snapshot.view().is_some_and(|view| view.id == collection))
    }
}

/// The current generation and the last evaluation of the router.
pub(super) struct Generations {
    current: ArcSwap<Generation>,
    evaluated: ArcSwapOption<Evaluated>,
    collections: ArcSwap<Vec<Collection>>,
    /// Held while the next one is made out of the current one and the collections, so that none is made out of what is replaced meanwhile.
    swapping: Mutex<()>,
    options: Options,
}

impl Generations {
    pub(super) fn new(first: Arc<Snapshot>, collections: Vec<Collection>, options: Options) -> Self {
        Self {
            current: ArcSwap::from_pointee(Generation::new(first, &collections, None, options)),
            evaluated: ArcSwapOption::empty(),
            collections: ArcSwap::from_pointee(collections),
            swapping: Mutex::default(),
            options,
        }
    }

    /// Replaces the current generation. Running requests keep the one they hold.
    pub(super) fn replace(&self, next: Arc<Snapshot>) {
        let _swapping = locked(&self.swapping);
        let collections = self.collections.load();
        let next = Generation::new(next, &collections, Some(&self.current.load()), self.options);
        let replaced = self.current.swap(Arc::new(next));
        retire(replaced);
    }

    /// Shows the current generation by other collections.
    pub(super) fn set_collections(&self, collections: Vec<Collection>) {
        let _swapping = locked(&self.swapping);
        self.collections.store(Arc::new(collections));
        let current = self.current.load_full();
        let snapshot = Arc::clone(&current.snapshot);
        // A view that is defined otherwise now has nothing to take over from the one of its name.
        let shown = Generation::new(snapshot, &self.collections.load(), None, self.options);
        self.current.store(Arc::new(shown));
    }

    pub(super) fn collections(&self) -> Guard<Arc<Vec<Collection>>> {
        self.collections.load()
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
        (evaluated.cards_hash == self.current.load().snapshot.router().cards_hash()).then(|| evaluated.figures.clone())
    }
}

/// Frees a replaced generation on a thread of its own once no request holds it: it is millions of small allocations, and no request
/// should pay for freeing them.
fn retire(old: Arc<Generation>) {
    let free = move || {
        for _ in 0..RETIRE_LOOKS_MAX {
            if Arc::strong_count(&old) == 1 && Arc::strong_count(&old.snapshot) == 1 {
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
