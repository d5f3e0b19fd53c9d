//! The life of a generation: which segments are outdated, building them of the store, keeping them on disk and reading them again.
//!
//! Resolving, rendering and indexing is the work of `refdesk_catalog::segment`; publishing is that of whoever serves.

mod background;
mod changes;
mod disk;
mod load;
mod manifest;
mod passage_file;
mod router_file;
mod shared;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use refdesk_catalog::segment::{NewTexts, SEGMENT_FORMAT, Segment, SegmentInput};
use refdesk_catalog::snapshot::{Snapshot, trained_router};
use refdesk_core::codec::ImageError;
use refdesk_core::fact::StoredFact;
use refdesk_core::parallel::in_parallel;
use refdesk_core::{Kind, SourceInfo};
use refdesk_route::Card;

use crate::clock;
use crate::config::SourceConfig;
use crate::segment_store::SegmentStoreError;
use crate::store::{SourceState, Store, StoreError};

pub use changes::{Changes, changes_since};
pub use disk::{CatalogFolder, Part};
pub use load::{Loaded, load};
pub use manifest::{Manifest, SegmentEntry};
pub use passage_file::PassageFile;
pub use shared::{SharedGenerations, TakenUp, ToldGeneration};

/// Buffer between a file and what is read from it or written to it.
const BUFFER_BYTES: usize = 1 << 16;

/// Every source and how its last sync went: what is the same as before has brought nothing new.
pub type SourceStates = Vec<(String, SourceState)>;

/// Why a generation could not be built or kept.
#[derive(Debug, thiserror::Error)]
pub enum GenerationError {
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file of the catalog on disk could not be read or written.
    #[error(transparent)]
    Disk(#[from] ImageError),
    /// A file or thread could not be had.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A segment file could not be shared or fetched.
    #[error(transparent)]
    Segments(#[from] SegmentStoreError),
    /// This node cannot write what it built into its own data directory.
    #[error("the catalog folder of this node cannot be written: {0}")]
    Unwritten(Box<GenerationError>),
    /// Another process writes the catalog of this data directory just now.
    #[error("another process writes the catalog of this data directory; refdesk will try again")]
    FolderBusy,
    /// Its segments are of another version of refdesk.
    #[error(
        "the segments are of format {found}, and this version reads format {SEGMENT_FORMAT}: update the nodes that are behind"
    )]
    Format {
        /// The format of the segments.
        found: u32,
    },
    /// The thread that built it panicked.
    #[error("building the catalog ended unexpectedly; please report it with the log")]
    BrokeOff,
}

/// What keeps one node from writing into its own data directory: another node may well do what this one cannot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeFault {
    /// It cannot be written.
    Unwritten,
    /// Another process writes the catalog in it.
    FolderBusy,
}

impl GenerationError {
    /// What it is of the data directory of this node; `None` where that is not at fault.
    pub const fn node_fault(&self) -> Option<NodeFault> {
        match self {
            Self::Unwritten(_) => Some(NodeFault::Unwritten),
            Self::FolderBusy => Some(NodeFault::FolderBusy),
            _ => None,
        }
    }
}

fn content(what: String) -> GenerationError {
    GenerationError::Disk(ImageError::Content(what))
}

/// Makes generations of a store and the sources of a configuration.
#[derive(Debug, Clone)]
pub struct Generations {
    store: Store,
    sources: Vec<SourceConfig>,
    folder: Option<CatalogFolder>,
    /// See [`Self::with_router`].
    trains_router: bool,
}

/// The generation that a server begins with.
#[derive(Debug)]
pub struct First {
    /// The catalog.
    pub snapshot: Arc<Snapshot>,
    /// The states of the sources when it was read from the store.
    pub states: SourceStates,
    /// Whether any of it was built, so that it is to be kept on disk.
    pub built: bool,
}

impl Generations {
    /// Generations of a store; with a data directory they are kept on disk there.
    pub fn new(store: Store, sources: Vec<SourceConfig>, data_dir: Option<&Path>) -> Self {
        let folder = data_dir.map(|dir| CatalogFolder::of(dir, &sources));
        Self { store, sources, folder, trains_router: false }
    }

    /// The same, and the framework router is trained while other segments are built: who serves needs it at once, a command that answers one
    /// question mostly does not.
    #[must_use]
    pub fn with_router(self) -> Self {
        Self { trains_router: true, ..self }
    }

    /// The first generation: read from disk, with the segments built anew that are outdated.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn first(&self) -> Result<First, GenerationError> {
        // Before anything is read: what is synced meanwhile is looked at again.
        let states = self.store.source_states().await?;
        let Some((known, states_then)) = self.read_disk().await else {
            let snapshot = self.build(Kind::ALL.to_vec(), None).await?;
            return Ok(First { snapshot: Arc::new(snapshot), states, built: true });
        };
        let known = Arc::new(known);
        let changes = changes_since(&states_then, &states);
        let next = self.after(Arc::clone(&known), changes).await?;
        let built = next.is_some();
        Ok(First { snapshot: next.map_or(known, Arc::new), states, built })
    }

    /// What one look-up needs of the catalog on disk, where nothing of the whole changed since it was kept: the answers are those of the
    /// whole. `None` says that [`Self::first`] is to be asked.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn part(&self, part: Part<'_>) -> Result<Option<Snapshot>, GenerationError> {
        let Some(folder) = &self.folder else { return Ok(None) };
        let (states, now) = (self.store.source_states().await?, clock::now());
        let speaking = load::speaking(&self.store, &self.sources, now).await?;
        Ok(folder.read_part(part, &states, &speaking, now).unwrap_or_else(|error| {
            tracing::debug!(%error, "a part of the catalog on disk cannot be read");
            None
        }))
    }

    /// The generation after `before`, when that is what the states of the sources tell of since (`None`: not known). `None` when nothing that
    /// is shown changed. Reading the store for it and all the work give way to requests.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn next(
        &self,
        before: Arc<Snapshot>,
        changes: Option<Changes>,
    ) -> Result<Option<Snapshot>, GenerationError> {
        let behind = Self { store: self.store.for_reading(), ..self.clone() };
        background::behind_requests(async move { behind.after(before, changes).await }).await?
    }

    /// Keeps a catalog on disk that was built of the store as `states` tells. Failing costs the next start time, and nothing else.
    pub async fn keep(&self, snapshot: Arc<Snapshot>, states: SourceStates) {
        let Some(folder) = self.folder.clone() else { return };
        let skipped = self.store.unreadable_facts();
        let kept = background::behind_requests(async move {
            folder.keep_skipped(&skipped)?;
            let _ = folder.write(&snapshot, &states)?;
            folder.delete_unnamed()
        })
        .await;
        if let Err(error) = kept.and_then(|kept| kept) {
            tracing::warn!(%error, "the catalog cannot be kept on disk; the next start builds it");
        }
    }

    /// Whether the catalog on disk is of other sources.
    pub fn is_of_others(&self) -> bool {
        self.folder.as_ref().is_some_and(CatalogFolder::is_of_others)
    }

    /// The catalog on disk. One that cannot be read is told of and passed over.
    async fn read_disk(&self) -> Option<(Snapshot, SourceStates)> {
        let folder = self.folder.clone()?;
        let read = background::on_a_thread(async move { folder.read() }).await.and_then(|read| read);
        read.unwrap_or_else(|error| {
            tracing::warn!(%error, "the catalog on disk cannot be read; it is built from the store");
            None
        })
    }

    async fn after(
        &self,
        before: Arc<Snapshot>,
        changes: Option<Changes>,
    ) -> Result<Option<Snapshot>, GenerationError> {
        let kinds = match changes {
            Some(changes) => load::outdated(&self.store, &self.sources, &before, changes, clock::now()).await?,
            None => Kind::ALL.to_vec(),
        };
        if kinds.is_empty() {
            return Ok(None);
        }
        self.build(kinds, Some(before)).await.map(Some)
    }

    /// Builds the segments of some kinds, and shares the others with `before`.
    async fn build(&self, kinds: Vec<Kind>, before: Option<Arc<Snapshot>>) -> Result<Snapshot, GenerationError> {
        let loaded = load::load_kinds(&self.store, &self.sources, &kinds, clock::now()).await?;
        let (folder, trains_router) = (self.folder.clone(), self.trains_router);
        background::on_a_thread(async move {
            let passages = || folder.as_ref().and_then(CatalogFolder::new_passages);
            let router_cache = folder.as_ref().map(CatalogFolder::router_cache);
            let router = OnceLock::new();
            let train = |cards: &Arc<[Card]>| {
                router.get_or_init(|| trained_router(Arc::clone(cards), router_cache.as_deref()));
            };
            let mut built = build(loaded, &kinds, before.as_deref(), &passages, trains_router.then_some(&train));
            if let Some(router) = router.into_inner() {
                built = built.with_router(router);
            }
            match router_cache {
                Some(cache) => built.with_router_cache(cache),
                None => built,
            }
        })
        .await
    }
}

/// Trains the framework router over some cards.
type TrainRouter<'a> = &'a (dyn Fn(&Arc<[Card]>) + Sync);

/// Threads that build segments: each has one beside it that collects what it builds.
const BUILDERS: usize = 2;

fn build(
    loaded: Loaded,
    kinds: &[Kind],
    before: Option<&Snapshot>,
    texts: NewTexts<'_>,
    train: Option<TrainRouter<'_>>,
) -> Snapshot {
    let Loaded { facts, sources } = loaded;
    let now = clock::now();
    let mut by_kind: BTreeMap<Kind, Vec<StoredFact>> = kinds.iter().map(|kind| (*kind, Vec::new())).collect();
    facts.into_iter().for_each(|fact| by_kind.entry(fact.kind).or_default().push(fact));
    let known = |kind: Kind| before.map(|before| &before.segments()[kind.index()]);
    let mut waiting: Vec<(Kind, Vec<StoredFact>)> = by_kind.into_iter().collect();
    // The largest is begun first.
    waiting.sort_by_key(|(_, facts)| Reverse(facts.len()));
    let built = in_parallel(BUILDERS, waiting, |(kind, facts)| {
        let (facts, sources, before) = (Cow::Owned(facts), &sources[..], known(kind).map(|known| &**known));
        let segment = Segment::build(SegmentInput { kind, facts, sources, now, before, texts: Some(texts) });
        // Over the same cards as before the router stays.
        if kind == Kind::Framework && before.is_none_or(|before| before.cards() != segment.cards()) {
            train.iter().for_each(|train| train(segment.cards()));
        }
        Arc::new(segment)
    });
    let segments = Kind::ALL.map(|kind| {
        let built = built.iter().find(|segment| segment.kind() == kind);
        let segment = built.or_else(|| known(kind)).map(Arc::clone);
        segment.unwrap_or_else(|| Arc::new(Segment::empty(kind, now)))
    });
    let generation = before.map_or(1, |before| before.generation() + 1);
    Snapshot::new(segments, now, generation, before)
}

/// The items of one kind as they are on disk in a data directory; `None` where there is no catalog of these sources. For what needs to be fast
/// rather than new, such as completions: the store is not asked.
///
/// # Errors
/// When there is one and it cannot be read.
pub fn kept_segment(data_dir: &Path, sources: &[SourceConfig], kind: Kind) -> Result<Option<Segment>, GenerationError> {
    CatalogFolder::of(data_dir, sources).read_kind(kind)
}

/// Stands for what a configuration says of its sources.
pub fn sources_hash(sources: &[SourceConfig]) -> String {
    let said: Vec<(SourceInfo, bool)> = sources.iter().map(|source| (source.info(), source.enabled)).collect();
    // Texts, numbers and flags always become JSON; should they not, the error matches no catalog that was kept.
    let said = serde_json::to_string(&said).unwrap_or_else(|error| error.to_string());
    refdesk_core::hash::content_hash(said.as_bytes())
}
