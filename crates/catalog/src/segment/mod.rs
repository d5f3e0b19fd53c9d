//! A segment: everything of one kind that answers a request, immutable, built whole of that kind's facts.
//!
//! Facts affect each other only within their kind, so the kind is the unit of build, swap and disk. A sync builds the segments of the
//! kinds whose facts changed; generations share all others. A segment counts its items by row; what makes one catalog of
//! seven segments is [`crate::snapshot`]. Read on at [`build`], then `build/item_builder.rs`.

mod build;
mod chunks;
mod disk;
mod editions;
mod evidence;
mod indexed_text;
mod lookup;
mod record;
pub mod render;
mod rows;
mod short_names;
mod stated_paths;
mod stats;
mod texts;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use crate::columns::{self, Column, Columns, FreshColumns};
use crate::json;
use crate::resolve::Withheld;
use refdesk_core::field::{self, FieldDef};
use refdesk_core::query::PriceOf;
use refdesk_core::{Kind, SourceInfo, Stamp};
use refdesk_route::Card;
use refdesk_search::{Bitmap, SegmentIndex};
use serde_json::Value;

use chunks::Chunks;
use editions::Editions;
use evidence::Evidence;
use lookup::Lookup;
use rows::Rows;
use rows::listed::Published;
use stated_paths::StatedPaths;

pub use build::{NewTexts, SegmentInput};
pub use disk::{Extent, SEGMENT_FORMAT};
pub use evidence::times::Times;
pub use evidence::{ContentHash, EvidenceRecord};
pub use lookup::Found;
pub use record::{BodyOf, BodyRef, ItemRecord};
pub use rows::listed::Listed;
pub use short_names::without_version;
pub use stats::{SegmentStats, SourceStats, VerificationTimes};
pub use texts::Texts;

/// How much of an item's text is kept in memory to take snippets from, in characters.
pub const PASSAGE_CHARS_MAX: usize = 2_000;

/// What a segment is made of, and what is kept of it on disk. What does not follow from the times of facts is shared among segments that
/// differ in nothing else.
#[derive(Debug, Clone)]
struct SegmentParts {
    kind: Kind,
    /// Packed [`ItemRecord`]s by row.
    items: Arc<Chunks>,
    evidence: Evidence,
    /// Which paths facts state.
    stated_paths: Arc<StatedPaths>,
    rows: Rows,
    /// What rows are filtered and sorted by.
    columns: Columns,
    lookup: Arc<Lookup>,
    index: Arc<SegmentIndex>,
    /// Stands for everything that the index knows of the items.
    indexed: u64,
    /// Frameworks: the router's cards, and the row of each.
    cards: Arc<[Card]>,
    card_rows: Vec<u32>,
    withheld: Vec<Withheld>,
    /// What items have outside memory.
    texts: Option<Arc<dyn Texts>>,
    /// How much of it is texts; on disk the rows stand behind them.
    text_bytes: u64,
}

/// See the module.
#[derive(Debug)]
pub struct Segment {
    parts: SegmentParts,
    /// Hash of everything that is shown of it; equal on every machine with the same facts and clock.
    digest: [u8; 32],
    /// The rows that are stale.
    stale: Bitmap,
    /// The rows that are not, where some are.
    fresh: Option<Box<[u32]>>,
    /// The rows without candidates, where there are some.
    published: Option<Published>,
    /// Documents in several versions and languages.
    editions: Editions,
    built_at: Stamp,
    next_change_at: Option<Stamp>,
    stats: SegmentStats,
    /// Name of the file that has it, once there is one.
    file: OnceLock<Box<str>>,
    fresh_columns: FreshColumns,
}

impl Segment {
    /// The same segment, whose facts were confirmed at other times, as it is at `now`. `None` when these are not the times of so many facts.
    pub fn confirmed_at(&self, times: &Times, now: Stamp) -> Option<Self> {
        let parts = (times.len() == self.parts.evidence.len()).then(|| self.parts.clone().confirmed_at(times))?;
        Some(Self { file: self.file.clone(), ..Self::new(parts, now) })
    }

    /// When its facts were confirmed.
    pub const fn times(&self) -> &Times {
        self.parts.evidence.times()
    }

    /// An empty segment.
    pub fn empty(kind: Kind, now: Stamp) -> Self {
        let facts = Cow::Borrowed(&[][..]);
        Self::build(SegmentInput { kind, facts, sources: &[], now, before: None, texts: None })
    }

    /// Stands for a segment that is not read because nothing of it is asked for: without items, and with the digest of the one it stands
    /// for, so that the revision of the catalog is the same.
    pub fn unread(kind: Kind, now: Stamp, digest: [u8; 32]) -> Self {
        Self { digest, ..Self::empty(kind, now) }
    }

    /// What the sources that it names said of themselves when it was built.
    pub fn sources(&self) -> &[Arc<SourceInfo>] {
        self.all_evidence().sources()
    }

    /// Its kind.
    pub const fn kind(&self) -> Kind {
        self.parts.kind
    }

    /// Number of items; rows are below it.
    pub fn len(&self) -> u32 {
        self.parts.items.len() as u32
    }

    /// True when there is no item.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Hash of everything that is shown of it; equal on every machine with the same facts and clock.
    pub const fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// The next moment at which something in it is other than it says: a fact turns stale, a model reaches the end of its life.
    pub const fn next_change_at(&self) -> Option<Stamp> {
        self.next_change_at
    }

    /// The `now` it was built with.
    pub const fn built_at(&self) -> Stamp {
        self.built_at
    }

    /// Name of the file that has it, once there is one.
    pub fn file(&self) -> Option<&str> {
        self.file.get().map(|name| &**name)
    }

    /// Notes which file has it; only the first is kept, for what a segment is never changes.
    pub fn set_file(&self, name: &str) {
        let _ = self.file.set(name.into());
    }

    /// Figures.
    pub const fn stats(&self) -> &SegmentStats {
        &self.stats
    }

    /// Bytes of all rows.
    pub fn row_bytes(&self) -> usize {
        self.parts.rows.bytes()
    }

    /// Prices that are withheld, by source and key.
    pub fn withheld(&self) -> &[Withheld] {
        &self.parts.withheld
    }

    /// The router's cards.
    pub const fn cards(&self) -> &Arc<[Card]> {
        &self.parts.cards
    }

    /// The router's cards, with the row of each.
    pub fn cards_and_rows(&self) -> impl ExactSizeIterator<Item = (&Card, u32)> {
        self.parts.cards.iter().zip(self.parts.card_rows.iter().copied())
    }

    /// The row of a card of the router.
    pub fn card_row(&self, card: usize) -> u32 {
        self.parts.card_rows[card]
    }

    /// The search index over its items.
    pub const fn index(&self) -> &Arc<SegmentIndex> {
        &self.parts.index
    }

    /// The rows that are stale.
    pub const fn stale(&self) -> &Bitmap {
        &self.stale
    }

    /// Its evidence.
    pub(crate) const fn all_evidence(&self) -> &Evidence {
        &self.parts.evidence
    }

    /// The rendered row of an item.
    pub fn row(&self, row: u32) -> &[u8] {
        self.parts.rows.row(row as usize)
    }

    /// The row of an item for those who only want what is fresh.
    pub fn fresh_row(&self, row: u32) -> Cow<'_, [u8]> {
        let rendered = self.row(row);
        if self.item(row).partly_stale { Cow::Owned(render::fresh_row(rendered)) } else { Cow::Borrowed(rendered) }
    }

    /// What rows are filtered and sorted by.
    pub(crate) const fn columns(&self) -> &Columns {
        &self.parts.columns
    }

    /// The column of a field of its kind, by its name; of a price, that of makers.
    pub(crate) fn column(&self, name: &str) -> Option<&Column> {
        let kind = self.kind();
        self.columns().get(kind, field::named(kind, name)?, &PriceOf::Maker)
    }

    /// The distinct values of a field of its kind.
    pub(crate) fn values<'s>(&'s self, name: &str) -> impl Iterator<Item = &'s str> + use<'s> {
        self.column(name).into_iter().flat_map(|column| column.values.iter())
    }

    /// The rows of the same document in all its versions and languages, the current one in English first; empty where there is one alone.
    pub fn editions(&self, row: u32) -> &[u32] {
        self.editions.of(row)
    }

    /// How many more documents than texts there are: all editions but one of each.
    pub fn surplus_editions(&self) -> usize {
        self.editions.surplus()
    }

    /// Whether what a field says of an item is stale though the item is not.
    pub fn is_stale(&self, row: u32, field: &FieldDef) -> bool {
        self.item(row).partly_stale && render::is_stale_where(self.row(row), |path| field.is_told_of(path))
    }

    /// The words of a field that is a list of parts, as far as these are fresh; `None` where the column has them: of another field, and of an
    /// item of which nothing is stale.
    pub fn fresh_words(&self, row: u32, field: &FieldDef) -> Option<Vec<String>> {
        let is_partly = field.is_list_of_parts() && self.item(row).partly_stale;
        is_partly.then(|| columns::words_of_row(&json::read_own(&self.fresh_row(row)), field))
    }

    /// How many offers of a model are fresh; `None` where its column has the number, because nothing of the item is stale.
    pub fn fresh_offers(&self, row: u32) -> Option<usize> {
        let fresh: Value = self.item(row).partly_stale.then(|| json::read_own(&self.fresh_row(row)))?;
        Some(fresh.get("offers").and_then(Value::as_array).map_or(0, Vec::len))
    }

    /// Columns of what is fresh, as far as they were asked for.
    pub(crate) const fn fresh_columns(&self) -> &FreshColumns {
        &self.fresh_columns
    }

    /// Bytes of all columns.
    pub fn column_bytes(&self) -> usize {
        self.parts.columns.bytes()
    }

    /// What is kept of an item beside its row.
    pub fn item(&self, row: u32) -> ItemRecord<'_> {
        ItemRecord::decode(self.parts.items.get(row as usize))
    }

    /// The id to send to the maker of a model.
    pub fn makers_id(&self, row: u32) -> &str {
        self.item(row).makers_id.unwrap_or_else(|| self.id(row))
    }

    /// The id of an item.
    pub fn id(&self, row: u32) -> &str {
        render::id_of(self.row(row))
    }

    /// The name of an item.
    pub fn name(&self, row: u32) -> Cow<'_, str> {
        render::name_of(self.row(row), self.kind())
    }

    /// A plain text to take snippets from: an item's description, then the beginning of its body.
    pub fn passage(&self, row: u32) -> Cow<'_, str> {
        self.passage_of(&self.item(row), self.row(row))
    }

    pub(crate) fn passage_of<'a>(&'a self, item: &ItemRecord<'a>, row: &'a [u8]) -> Cow<'a, str> {
        let description = match item.description.of(row) {
            [] => Cow::Borrowed(""),
            json => render::text_at(json),
        };
        match item.passage.and_then(|text| text.read(self.parts.texts.as_deref())) {
            Some(passage) => Cow::Owned([description, passage].join("\n")),
            None => description,
        }
    }

    /// Where the body of an item is read, if it has one.
    pub fn body(&self, row: u32) -> Option<BodyRef> {
        let BodyOf { slot, key, verbatim } = self.item(row).body?;
        let source_id = Arc::clone(&self.parts.evidence.get(slot).source.id);
        Some(BodyRef { source_id, kind: self.kind(), key: key.into(), verbatim })
    }

    /// The evidence of an item.
    pub fn evidence_of(&self, row: u32) -> EvidenceRecord<'_> {
        self.parts.evidence.get(self.item(row).lead)
    }

    /// Whether an evidence record is of one of an item's facts.
    pub(crate) fn rests_on(&self, row: u32, slot: u32) -> bool {
        self.item(row).evidence().any(|own| own == slot)
    }

    /// The evidence of what an item says at a path, and the rule by which that was chosen.
    pub(crate) fn stated_by(&self, item: &ItemRecord<'_>, path: &str) -> Option<(EvidenceRecord<'_>, &str)> {
        let (slot, rule) = self.parts.stated_paths.of_path(item, path)?;
        Some((self.parts.evidence.get(slot), rule))
    }

    /// The evidence of what an item says at a path: of the value there, or of what that is a part of; that of the item where neither has any.
    pub(crate) fn evidence_at(&self, row: u32, path: &str) -> EvidenceRecord<'_> {
        let item = self.item(row);
        let mut wider = std::iter::successors(Some(path), |path| path.rsplit_once('.').map(|(parent, _)| parent));
        let stated = wider.find_map(|path| self.stated_by(&item, path));
        stated.map_or_else(|| self.parts.evidence.get(item.lead), |(record, _)| record)
    }

    /// Writes the object `field_evidence` of an item.
    pub(crate) fn write_field_evidence(&self, item: &ItemRecord<'_>, out: &mut Vec<u8>) {
        self.parts.stated_paths.write(item, &self.parts.evidence, out);
    }

    /// Finds an item by id or by any upstream spelling.
    pub fn find(&self, text: &str) -> Found {
        self.parts.lookup.find(&|row, id| render::has_id(self.row(row), id), text)
    }

    /// The items that are called so for short (`github-mcp-server`), by row. Neither an id nor an upstream's alias: see [`short_names`].
    pub fn short_named(&self, text: &str) -> Vec<u32> {
        self.parts.lookup.short_named(&short_names::written(text))
    }

    /// Finds an item by its id, as it is.
    pub fn by_id(&self, id: &str) -> Option<u32> {
        self.parts.lookup.by_id(&|row, id| render::has_id(self.row(row), id), id)
    }
}

impl SegmentParts {
    fn confirmed_at(self, times: &Times) -> Self {
        Self { evidence: self.evidence.confirmed_at(times.clone()), rows: self.rows.showing(times), ..self }
    }
}
