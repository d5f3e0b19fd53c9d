//! The snapshot: everything that answers a request, immutable, built whole and swapped whole.
//!
//! [`build`](Snapshot::build) resolves the stored facts, renders every row once and indexes the texts; [`update`](Snapshot::update)
//! makes the next generation of the one before and what changed since; [`answer`] writes answers out of the rendered parts. Same facts
//! and same `now` give the same bytes and the same [`Snapshot::revision`] on every machine, built or updated.

pub mod answer;
mod build;
mod chunks;
mod evidence;
mod image;
pub mod json;
mod lookup;
mod make;
mod meetings;
mod merge;
mod record;
mod render;
mod stated;
mod stats;
mod table;
mod texts;
mod update;

use std::borrow::Cow;
use std::sync::Arc;

use crate::resolve::Withheld;
use refdesk_core::fact::EvidenceKey;
use refdesk_core::query::ListQuery;
use refdesk_core::{Kind, Stamp};
use refdesk_route::Router;
use refdesk_search::Layered;

use chunks::Chunks;
use evidence::Evidence;
use meetings::Meetings;
use stated::Lists;

pub use build::Input;
pub use evidence::{ContentHash, EvidenceRecord};
pub use lookup::{Found, Lookup};
pub use record::{BodyOf, BodyRef, ItemRecord};
pub use refdesk_core::codec::ImageError;
pub use stats::{SourceStats, Stats};
pub use table::Table;
pub use texts::Texts;
pub use update::Changes;

/// How much of an item's text is kept in memory to take snippets from, in characters.
pub const PASSAGE_CHARS_MAX: usize = 2_000;

/// Ordinals of fresh items.
type FreshRows = Box<[u32]>;

/// One generation of the catalog.
#[derive(Debug)]
pub struct Snapshot {
    generation: u64,
    revision: String,
    built_at: Stamp,
    next_change_at: Option<Stamp>,
    sources: evidence::Shared,
    /// Packed [`ItemRecord`]s by ordinal.
    items: Chunks,
    evidence: Evidence,
    /// Which paths facts state.
    lists: Lists,
    tables: [Table; 7],
    /// Frameworks without the candidates.
    published: Table,
    /// The fresh items of each kind, where some are stale; frameworks without the candidates at the end.
    fresh: [Option<FreshRows>; 8],
    lookup: Lookup,
    meetings: Meetings,
    index: Layered,
    router: Arc<Router>,
    /// Ordinal of each card of the router.
    card_ordinals: Vec<u32>,
    stats: Stats,
    withheld: Vec<Withheld>,
    /// What items have outside memory.
    texts: Option<Arc<dyn Texts>>,
}

impl Snapshot {
    /// Number of this generation.
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// Hash of everything in it; equal on every machine with the same facts and clock.
    pub fn revision(&self) -> &str {
        &self.revision
    }

    /// The `now` it was built with.
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

    /// Prices that are withheld.
    pub fn withheld(&self) -> &[Withheld] {
        &self.withheld
    }

    /// The rows of a kind; frameworks without candidates unless asked for.
    pub fn table(&self, kind: Kind, include_candidates: bool) -> &Table {
        if kind == Kind::Framework && !include_candidates { &self.published } else { &self.tables[kind.index()] }
    }

    /// The ordinals of the fresh items of a kind, in the order of their ids; `None` when all are fresh.
    pub fn fresh(&self, kind: Kind, include_candidates: bool) -> Option<&[u32]> {
        let at = if kind == Kind::Framework && !include_candidates { Kind::ALL.len() } else { kind.index() };
        self.fresh[at].as_deref()
    }

    /// The ordinals of the rows that a list query pages through.
    pub fn listed(&self, kind: Kind, query: &ListQuery) -> &[u32] {
        let table = self.table(kind, query.include_candidates);
        let fresh = self.fresh(kind, query.include_candidates).filter(|_| query.fresh_only);
        fresh.unwrap_or_else(|| table.ordinals(0, table.len()))
    }

    /// The row of an item for those who only want what is fresh.
    pub fn fresh_row(&self, ordinal: u32) -> Cow<'_, [u8]> {
        let row = self.row(ordinal);
        if self.item(ordinal).partly_stale { Cow::Owned(render::fresh_row(row)) } else { Cow::Borrowed(row) }
    }

    /// What is kept of the item at an ordinal beside its row.
    pub fn item(&self, ordinal: u32) -> ItemRecord<'_> {
        ItemRecord::of(self.items.get(ordinal as usize))
    }

    /// The id of the item at an ordinal.
    pub fn id(&self, ordinal: u32) -> &str {
        render::id_of(self.row(ordinal))
    }

    /// The name of the item at an ordinal.
    pub fn name(&self, ordinal: u32) -> Cow<'_, str> {
        render::name_of(self.row(ordinal), self.kind_of(ordinal))
    }

    /// Number of items; ordinals are below it.
    pub fn item_count(&self) -> u32 {
        self.items.len() as u32
    }

    /// The kind of the item at an ordinal.
    pub fn kind_of(&self, ordinal: u32) -> Kind {
        self.lookup.kind_of(ordinal)
    }

    /// The rendered row of an item.
    pub fn row(&self, ordinal: u32) -> &[u8] {
        let kind = self.kind_of(ordinal);
        self.tables[kind.index()].row((ordinal - self.lookup.first(kind)) as usize)
    }

    /// A plain text to take snippets from: an item's description, then the beginning of its body.
    pub fn passage(&self, ordinal: u32) -> Cow<'_, str> {
        self.passage_of(&self.item(ordinal), self.row(ordinal))
    }

    fn passage_of<'a>(&'a self, item: &ItemRecord<'a>, row: &'a [u8]) -> Cow<'a, str> {
        let description = match item.description.of(row) {
            [] => Cow::Borrowed(""),
            json => render::text_at(json),
        };
        match item.passage.and_then(|text| text.read(self.texts.as_deref())) {
            Some(passage) => Cow::Owned([description, passage].join("\n")),
            None => description,
        }
    }

    /// Where the body of an item is read, if it has one.
    pub fn body(&self, ordinal: u32) -> Option<BodyRef> {
        let BodyOf { slot, key, verbatim } = self.item(ordinal).body?;
        let source_id = Arc::clone(&self.evidence.get(slot).source.id);
        Some(BodyRef { source_id, kind: self.kind_of(ordinal), key: key.into(), verbatim })
    }

    /// The evidence of an item.
    pub fn evidence_of(&self, ordinal: u32) -> EvidenceRecord<'_> {
        self.evidence.get(self.item(ordinal).lead)
    }

    /// The evidence record with a key.
    pub fn evidence(&self, key: &str) -> Option<EvidenceRecord<'_>> {
        Some(self.evidence.get(self.evidence.slot(EvidenceKey::parse(key)?)?))
    }

    /// Finds an item by id or by any upstream spelling.
    pub fn find(&self, kind: Kind, text: &str) -> Found {
        self.lookup.find(&|ordinal, id| render::has_id(self.row(ordinal), id), kind, text)
    }

    /// Up to `limit` ids near a text that names no item.
    pub fn suggest(&self, kind: Kind, text: &str, limit: usize) -> Vec<&str> {
        let near = self.index.similar_names(text, 1 << kind.index(), limit);
        near.into_iter().map(|ordinal| self.id(ordinal)).collect()
    }

    /// The search index over all kinds.
    pub const fn index(&self) -> &Layered {
        &self.index
    }

    /// Tells generations of one revision apart whose searches may weigh words differently: empty for one that was built, else the
    /// number of the update.
    pub fn search_mark(&self) -> String {
        if self.index.has_layers() { format!("update {}", self.generation) } else { String::new() }
    }

    /// The framework router.
    pub const fn router(&self) -> &Arc<Router> {
        &self.router
    }

    /// The ordinal of a card of the router.
    pub fn card_ordinal(&self, card: usize) -> u32 {
        self.card_ordinals[card]
    }
}
