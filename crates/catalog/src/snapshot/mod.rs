//! The snapshot: one generation of the catalog, a segment a kind, put together and swapped whole.
//!
//! A generation shares the segments of the kinds in which nothing changed with the one before ([`Snapshot::outdated`] tells which did);
//! [`crate::answer`] writes answers out of the rendered parts. Items are counted through by *ordinal*, segment after segment. Same facts
//! and same `now` give the same bytes and the same [`Snapshot::revision`] on every machine.

pub mod gazetteer;
mod near;
mod outdated;
mod stats;
mod view;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use foldhash::HashMap;
use gazetteer::Gazetteers;
use sha2::{Digest as _, Sha256};

use crate::resolve::Withheld;
use crate::segment::{BodyRef, EvidenceRecord, Found, ItemRecord, NewTexts, Segment, SegmentInput};
use refdesk_core::fact::StoredFact;
use refdesk_core::{Kind, SourceInfo, Stamp};
use refdesk_route::{Card, Router};
use refdesk_search::SearchIndex;
use refdesk_search::text::folded;

pub use stats::Stats;
pub use view::View;

/// Hexadecimal digits of a revision.
const REVISION_CHARS: usize = 16;

/// What a snapshot is built from.
pub struct Input<'a> {
    /// All stored facts.
    pub facts: &'a [StoredFact],
    /// All sources that facts may name.
    pub sources: Vec<SourceInfo>,
    /// The clock.
    pub now: Stamp,
    /// One more than the generation before.
    pub generation: u64,
    /// The snapshot before, whose unchanged parts are reused.
    pub before: Option<&'a Snapshot>,
    /// Where texts go of which snippets are cut; they stay in memory without it.
    pub texts: Option<NewTexts<'a>>,
}

/// Where trained routers are kept.
pub trait RouterCache: std::fmt::Debug + Send + Sync {
    /// The router over these cards, if it is there.
    fn read(&self, cards: &Arc<[Card]>) -> Option<Router>;
    /// Keeps a router that was trained.
    fn keep(&self, router: &Router);
}

/// One generation of the catalog; a copy of it shares all that is large.
#[derive(Debug, Clone)]
pub struct Snapshot {
    generation: u64,
    revision: String,
    built_at: Stamp,
    next_change_at: Option<Stamp>,
    /// By kind.
    segments: [Arc<Segment>; 7],
    /// Ordinal of the first item of each kind; one more for the end.
    firsts: [u32; 8],
    index: Arc<SearchIndex>,
    /// Read or trained when it is first asked for: a look-up of one command asks for none.
    router: OnceLock<Arc<Router>>,
    router_cache: Option<Arc<dyn RouterCache>>,
    /// Who publishes texts or makes models, by that name and by those of their tools, all folded; collected when it is first asked for.
    publishers: Arc<OnceLock<HashMap<String, String>>>,
    gazetteers: Arc<Gazetteers>,
    stats: Stats,
    view: Option<View>,
}

impl Snapshot {
    /// Builds a generation of all facts.
    pub fn build(input: &Input<'_>) -> Self {
        let Input { facts, sources, now, generation, before, texts } = input;
        let (now, texts) = (*now, *texts);
        let segment = |kind: Kind| {
            let before = before.map(|before| &*before.segments[kind.index()]);
            let facts = Cow::Borrowed(*facts);
            Arc::new(Segment::build(SegmentInput { kind, facts, sources, now, before, texts }))
        };
        Self::new(Kind::ALL.map(segment), now, *generation, *before)
    }

    /// A generation of segments, one of each kind in the order of [`Kind::ALL`].
    pub fn new(segments: [Arc<Segment>; 7], now: Stamp, generation: u64, before: Option<&Self>) -> Self {
        let mut firsts = [0; 8];
        for (at, segment) in segments.iter().enumerate() {
            firsts[at + 1] = firsts[at] + segment.len();
        }
        let indexes = segments.iter().map(|segment| (Arc::clone(segment.index()), segment.stale().clone()));
        let index = SearchIndex::new(indexes, before.map(|before| &*before.index));
        let known = before.and_then(|before| before.router.get());
        let cards = segments[Kind::Framework.index()].cards();
        let router = match known.filter(|known| known.cards() == cards) {
            Some(known) => OnceLock::from(Arc::clone(known)),
            None => OnceLock::new(),
        };
        Self {
            generation,
            revision: revision(&segments),
            built_at: now,
            next_change_at: segments.iter().filter_map(|segment| segment.next_change_at()).min(),
            stats: Stats::new(&segments, &index),
            segments,
            firsts,
            index: Arc::new(index),
            router,
            router_cache: None,
            publishers: Arc::default(),
            gazetteers: Arc::default(),
            view: None,
        }
    }

    /// Whether somebody who publishes documents or tutorials, or makes models, has a folded name.
    pub(crate) fn is_publisher(&self, name: &str) -> bool {
        self.publisher_called(name) == Some(name)
    }

    /// The folded name of who publishes documents or tutorials, or makes models, and has a folded name or a tool that is called so.
    pub(crate) fn publisher_called(&self, name: &str) -> Option<&str> {
        self.publishers.get_or_init(|| self.publishers_by_name()).get(name).map(String::as_str)
    }

    fn publishers_by_name(&self) -> HashMap<String, String> {
        let kinds = [Kind::Document, Kind::Tutorial, Kind::Model];
        let names = kinds.into_iter().flat_map(|kind| self.segment(kind).values("vendor")).map(folded);
        let mut publishers: HashMap<String, String> = names.map(|name| (name.clone(), name)).collect();
        let tools = self.segment(Kind::Tool);
        for row in 0..tools.len() {
            let vendor = tools.column("vendor").and_then(|column| column.value(row)).map(folded);
            let Some(vendor) = vendor.filter(|vendor| publishers.contains_key(vendor)) else { continue };
            for name in [folded(&tools.name(row)), folded(&tools.id(row).replace('-', " "))] {
                publishers.entry(name).or_insert_with(|| vendor.clone());
            }
        }
        publishers
    }

    /// The same catalog, whose router is looked for where others are kept before it is trained.
    #[must_use]
    pub fn with_router_cache(self, cache: Arc<dyn RouterCache>) -> Self {
        Self { router_cache: Some(cache), ..self }
    }

    /// The same catalog with the router over its cards.
    #[must_use]
    pub fn with_router(self, router: Arc<Router>) -> Self {
        Self { router: OnceLock::from(router), ..self }
    }

    /// The same catalog under another number: one that several nodes show has the number that it was told under.
    #[must_use]
    pub fn numbered(&self, generation: u64) -> Self {
        Self { generation, ..self.clone() }
    }

    /// An empty catalog.
    pub fn empty(now: Stamp) -> Self {
        Self::new(Kind::ALL.map(|kind| Arc::new(Segment::empty(kind, now))), now, 0, None)
    }

    /// Number of this generation.
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// Hash of everything in it; equal on every machine with the same facts and clock.
    pub fn revision(&self) -> &str {
        &self.revision
    }

    /// The `now` it was put together with.
    pub const fn built_at(&self) -> Stamp {
        self.built_at
    }

    /// The next moment at which something in it is other than it says: a fact turns stale, a model reaches the end of its life.
    pub const fn next_change_at(&self) -> Option<Stamp> {
        self.next_change_at
    }

    /// Figures.
    pub const fn stats(&self) -> &Stats {
        &self.stats
    }

    /// The segment of each kind.
    pub const fn segments(&self) -> &[Arc<Segment>; 7] {
        &self.segments
    }

    /// The segment of a kind.
    pub fn segment(&self, kind: Kind) -> &Segment {
        &self.segments[kind.index()]
    }

    /// The segment of an item, and its row there.
    pub fn locate(&self, ordinal: u32) -> (&Segment, u32) {
        let at = self.firsts[1..7].partition_point(|first| *first <= ordinal);
        (&self.segments[at], ordinal - self.firsts[at])
    }

    /// The ordinal of a row of a kind.
    pub fn ordinal(&self, kind: Kind, row: u32) -> u32 {
        self.firsts[kind.index()] + row
    }

    /// Prices that are withheld.
    pub fn withheld(&self) -> impl Iterator<Item = &Withheld> {
        self.segments.iter().flat_map(|segment| segment.withheld())
    }

    /// The row of an item for those who only want what is fresh.
    pub fn fresh_row(&self, ordinal: u32) -> Cow<'_, [u8]> {
        let (segment, row) = self.locate(ordinal);
        segment.fresh_row(row)
    }

    /// What is kept of an item beside its row.
    pub fn item(&self, ordinal: u32) -> ItemRecord<'_> {
        let (segment, row) = self.locate(ordinal);
        segment.item(row)
    }

    /// The id of an item.
    pub fn id(&self, ordinal: u32) -> &str {
        let (segment, row) = self.locate(ordinal);
        segment.id(row)
    }

    /// The name of an item.
    pub fn name(&self, ordinal: u32) -> Cow<'_, str> {
        let (segment, row) = self.locate(ordinal);
        segment.name(row)
    }

    /// Number of items; ordinals are below it.
    pub const fn item_count(&self) -> u32 {
        self.firsts[7]
    }

    /// The kind of an item.
    pub fn kind_of(&self, ordinal: u32) -> Kind {
        self.locate(ordinal).0.kind()
    }

    /// The rendered row of an item.
    pub fn row(&self, ordinal: u32) -> &[u8] {
        let (segment, row) = self.locate(ordinal);
        segment.row(row)
    }

    /// A plain text to take snippets from: an item's description, then the beginning of its body.
    pub fn passage(&self, ordinal: u32) -> Cow<'_, str> {
        let (segment, row) = self.locate(ordinal);
        segment.passage(row)
    }

    /// Where the body of an item is read, if it has one.
    pub fn body(&self, ordinal: u32) -> Option<BodyRef> {
        let (segment, row) = self.locate(ordinal);
        segment.body(row)
    }

    /// The evidence of an item.
    pub fn evidence_of(&self, ordinal: u32) -> EvidenceRecord<'_> {
        let (segment, row) = self.locate(ordinal);
        segment.evidence_of(row)
    }

    /// Finds an item that is shown by id or by any upstream spelling.
    pub fn find(&self, kind: Kind, text: &str) -> Found {
        let ordinal = |row| self.ordinal(kind, row);
        match self.segment(kind).find(text) {
            Found::Id(row) if self.shows(kind, row) => Found::Id(ordinal(row)),
            Found::Alias(row) if self.shows(kind, row) => Found::Alias(ordinal(row)),
            Found::Ambiguous(mut rows) => {
                rows.retain(|row| self.shows(kind, *row));
                match rows.as_slice() {
                    [] => Found::Unknown,
                    [row] => Found::Alias(ordinal(*row)),
                    _ => Found::Ambiguous(rows.into_iter().map(ordinal).collect()),
                }
            }
            _ => Found::Unknown,
        }
    }

    /// Whether a text is the id or a spelling of an item that the view leaves out: it never means another item, however alike their names.
    pub fn hides(&self, kind: Kind, text: &str) -> bool {
        self.segment(kind).find(text).item().is_some_and(|row| !self.shows(kind, row))
    }

    /// The items of a kind that are shown and called so for short: by the last part of a registry name, a repository or a package.
    pub fn short_named(&self, kind: Kind, text: &str) -> Vec<u32> {
        let rows = self.segment(kind).short_named(text).into_iter().filter(|row| self.shows(kind, *row));
        rows.map(|row| self.ordinal(kind, row)).collect()
    }

    /// Whether a word of letters is one of some name in the catalog.
    pub fn is_word_of_a_name(&self, word: &str) -> bool {
        self.index.is_word_of_a_name(word)
    }

    /// Up to `limit` ids near a text that names no item.
    pub fn suggest(&self, kind: Kind, text: &str, limit: usize) -> Vec<&str> {
        self.near(text, kind.into(), limit).into_iter().map(|(ordinal, _)| self.id(ordinal)).collect()
    }

    /// The framework router over the cards that are shown. The first call reads or trains it, unless a generation before had the same cards.
    pub fn router(&self) -> &Arc<Router> {
        self.router.get_or_init(|| {
            let frameworks = self.segment(Kind::Framework);
            let cards: Arc<[Card]> = if self.view.is_none() {
                Arc::clone(frameworks.cards())
            } else {
                let shown = frameworks.cards_and_rows().filter(|(_, row)| self.shows(Kind::Framework, *row));
                shown.map(|(card, _)| card.clone()).collect()
            };
            trained_router(cards, self.router_cache.as_deref())
        })
    }
}

/// The router over some cards: read from where others are kept, or trained and kept there.
pub fn trained_router(cards: Arc<[Card]>, cache: Option<&dyn RouterCache>) -> Arc<Router> {
    let cache = cache.filter(|_| !cards.is_empty());
    if let Some(known) = cache.and_then(|cache| cache.read(&cards)) {
        return Arc::new(known);
    }
    let trained = Router::build(cards);
    if let Some(cache) = cache {
        cache.keep(&trained);
    }
    Arc::new(trained)
}

/// Stands for everything that answers are written of, so that it can stand for them in entity tags.
fn revision(segments: &[Arc<Segment>; 7]) -> String {
    let mut hasher = Sha256::new();
    segments.iter().for_each(|segment| hasher.update(segment.digest()));
    short_hex(hasher)
}

fn short_hex(hasher: Sha256) -> String {
    let mut hex = refdesk_core::hash::hex(&hasher.finalize());
    hex.truncate(REVISION_CHARS);
    hex
}
