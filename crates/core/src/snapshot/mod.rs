//! The snapshot: everything that answers a request, immutable, built whole and swapped whole.
//!
//! [`build`](Snapshot::build) resolves the stored facts, renders every row once and indexes the texts; [`answer`] writes answers out
//! of the rendered parts. Same facts and same `now` give the same bytes and the same [`Snapshot::revision`] on every machine.

pub mod answer;
pub mod json;
mod lookup;
mod record;
mod render;
mod table;

use std::collections::BTreeMap;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::fact::{HashBasis, StoredFact};
use crate::item::{Framework, Status};
use crate::resolve::{self, HeldBack, ResolvedItem};
use crate::route::{Card, Router};
use crate::search::{DocInput, Field, Index, IndexBuilder, NameKind};
use crate::{Kind, SourceInfo, Stamp};

pub use lookup::{Found, Lookup};
pub use record::{BodyRef, EvidenceRecord, ItemRecord};
pub use table::Table;

/// How much of an item's text is kept in memory to take snippets from, in characters.
pub const PASSAGE_CHARS_MAX: usize = 2_000;

/// One generation of the catalog.
#[derive(Debug)]
pub struct Snapshot {
    generation: u64,
    revision: String,
    built_at: Stamp,
    next_stale_at: Option<Stamp>,
    items: Vec<ItemRecord>,
    evidence: Vec<EvidenceRecord>,
    /// Positions in `evidence`, in the order of the keys.
    evidence_by_key: Vec<u32>,
    tables: [Table; 7],
    /// Frameworks without the candidates.
    published: Table,
    lookup: Lookup,
    /// Kinds of `Kind::SEARCHED`, by ordinal.
    index: Index,
    router: Arc<Router>,
    /// Ordinal of each card of the router.
    card_ordinals: Vec<u32>,
    stats: Stats,
    held_back: Vec<HeldBack>,
}

/// Figures of a snapshot for `/health`, `/v1/sources/status` and metrics.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stats {
    /// Items and stale items by kind.
    pub by_kind: [(usize, usize); 7],
    /// Items led by, and stale items led by, each source.
    pub by_source: BTreeMap<Arc<str>, SourceStats>,
    /// The oldest verification among live items.
    pub oldest_verified_at: Option<Stamp>,
    /// Bytes of all rendered rows.
    pub row_bytes: usize,
}

/// Figures of one source in a snapshot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SourceStats {
    /// Facts of the source.
    pub facts: usize,
    /// Stale facts of the source.
    pub stale: usize,
    /// Prices held back.
    pub quarantined: usize,
}

impl Stats {
    /// All items.
    pub fn total(&self) -> usize {
        self.by_kind.iter().map(|(total, _)| total).sum()
    }

    /// All stale items.
    pub fn stale(&self) -> usize {
        self.by_kind.iter().map(|(_, stale)| stale).sum()
    }
}

/// What a snapshot is built from.
#[derive(Debug)]
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
}

impl Snapshot {
    /// Builds a generation.
    pub fn build(input: &Input<'_>) -> Self {
        let sources: resolve::Sources =
            input.sources.iter().map(|source| (Arc::clone(&source.id), source.clone())).collect();
        let shared: BTreeMap<Arc<str>, Arc<SourceInfo>> =
            sources.iter().map(|(id, source)| (Arc::clone(id), Arc::new(source.clone()))).collect();
        let resolution = resolve::resolve(input.facts, &sources, input.now);
        let builder = Builder { facts: input.facts, sources: &shared, now: input.now };
        builder.finish(input, resolution)
    }

    /// An empty catalog.
    pub fn empty(now: Stamp) -> Self {
        Self::build(&Input { facts: &[], sources: Vec::new(), now, generation: 0, before: None })
    }

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

    /// The next moment at which one of its fresh facts turns stale.
    pub const fn next_stale_at(&self) -> Option<Stamp> {
        self.next_stale_at
    }

    /// Figures.
    pub const fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Prices that resolution held back.
    pub fn held_back(&self) -> &[HeldBack] {
        &self.held_back
    }

    /// The rows of a kind; frameworks without candidates unless asked for.
    pub fn table(&self, kind: Kind, include_candidates: bool) -> &Table {
        if kind == Kind::Framework && !include_candidates { &self.published } else { &self.tables[kind.index()] }
    }

    /// The item at an ordinal.
    pub fn item(&self, ordinal: u32) -> &ItemRecord {
        &self.items[ordinal as usize]
    }

    /// Number of items; ordinals are below it.
    pub const fn item_count(&self) -> u32 {
        self.items.len() as u32
    }

    /// The kind of the item at an ordinal.
    pub fn kind_of(&self, ordinal: u32) -> Kind {
        self.lookup.kind_of(ordinal)
    }

    /// Position of an item in its kind's table.
    fn position(&self, ordinal: u32) -> usize {
        ordinal as usize - self.lookup.first(self.kind_of(ordinal)) as usize
    }

    /// The rendered row of an item.
    pub fn row(&self, ordinal: u32) -> bytes::Bytes {
        self.tables[self.kind_of(ordinal).index()].row(self.position(ordinal))
    }

    /// The evidence of an item.
    pub fn evidence_of(&self, item: &ItemRecord) -> &EvidenceRecord {
        &self.evidence[item.evidence as usize]
    }

    /// The evidence record with a key.
    pub fn evidence(&self, key: &str) -> Option<&EvidenceRecord> {
        let at = self.evidence_by_key.binary_search_by(|at| (*self.evidence[*at as usize].key).cmp(key)).ok()?;
        Some(&self.evidence[self.evidence_by_key[at] as usize])
    }

    /// Finds an item by id or by any upstream spelling.
    pub fn find(&self, kind: Kind, text: &str) -> Found<'_> {
        self.lookup.find(&self.items, kind, text)
    }

    /// Up to `limit` ids near a text that names no item.
    pub fn suggest(&self, kind: Kind, text: &str, limit: usize) -> Vec<&str> {
        let near = self.index.near_names(text, 1 << kind.index(), limit);
        near.into_iter().map(|ordinal| &*self.item(ordinal).id).collect()
    }

    /// The search index over all kinds.
    pub const fn index(&self) -> &Index {
        &self.index
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

/// Holds what every step of a build needs.
struct Builder<'a> {
    facts: &'a [StoredFact],
    sources: &'a BTreeMap<Arc<str>, Arc<SourceInfo>>,
    now: Stamp,
}

impl Builder<'_> {
    fn finish(self, input: &Input<'_>, resolution: resolve::Resolution) -> Snapshot {
        let evidence: Vec<EvidenceRecord> = self.facts.iter().map(|fact| self.evidence(fact)).collect();
        let mut rows: Vec<Vec<u8>> = Vec::with_capacity(resolution.items.len());
        let mut items = Vec::with_capacity(resolution.items.len());
        let mut index = IndexBuilder::new();
        let mut stats = Stats::default();
        for item in &resolution.items {
            let lead = &evidence[item.lead];
            let mut row = Vec::with_capacity(1024);
            render::row(item, self.facts, lead, &mut row);
            rows.push(row);
            let stale = lead.stale_reason.is_some();
            let count = &mut stats.by_kind[item.kind.index()];
            *count = (count.0 + 1, count.1 + usize::from(stale));
            index.add(self.document(item, stale));
            items.push(self.record(item));
        }
        let lookup = Lookup::build(&resolution.items);
        let tables: [Table; 7] = Kind::ALL.map(|kind| {
            let range = lookup.range(kind);
            Table::build(range.map(|ordinal| (ordinal, rows[ordinal as usize].as_slice())))
        });
        let published = Table::build(
            lookup
                .range(Kind::Framework)
                .filter(|ordinal| resolution.items[*ordinal as usize].status != Status::Candidate)
                .map(|ordinal| (ordinal, rows[ordinal as usize].as_slice())),
        );
        drop(rows);
        self.count_sources(&mut stats, &evidence, &resolution.held_back);
        stats.row_bytes = tables.iter().map(Table::bytes).sum();
        let (router, card_ordinals) = router(&resolution.items, &lookup, input.before);
        let mut evidence_by_key: Vec<u32> = (0..evidence.len() as u32).collect();
        evidence_by_key.sort_by(|a, b| evidence[*a as usize].key.cmp(&evidence[*b as usize].key));
        Snapshot {
            generation: input.generation,
            revision: revision(&tables, &items, evidence_by_key.iter().map(|at| &evidence[*at as usize])),
            built_at: self.now,
            next_stale_at: next_stale_at(&evidence),
            items,
            evidence,
            evidence_by_key,
            tables,
            published,
            lookup,
            index: index.finish(),
            router,
            card_ordinals,
            stats,
            held_back: resolution.held_back,
        }
    }

    fn evidence(&self, fact: &StoredFact) -> EvidenceRecord {
        let unknown = || {
            Arc::new(SourceInfo {
                id: Arc::clone(&fact.source_id),
                name: fact.source_id.to_string(),
                license: None,
                attribution: None,
                trust_tier: crate::item::TrustTier::Unverified,
                rank: i32::MAX,
                stale_after_secs: 0,
            })
        };
        let source = self.sources.get(&fact.source_id).cloned().unwrap_or_else(unknown);
        EvidenceRecord::of(fact, &source, self.now)
    }

    fn record(&self, item: &ResolvedItem) -> ItemRecord {
        let body = item.body.map(|at| {
            let fact = &self.facts[at];
            Box::new(BodyRef {
                source_id: Arc::clone(&fact.source_id),
                kind: fact.kind,
                key: fact.key.as_str().into(),
                content_hash: fact.content_hash.as_str().into(),
                verbatim: fact.hash_basis == HashBasis::Bytes && matches!(fact.kind, Kind::Document | Kind::Skill),
            })
        });
        let prompt = item.fields.get("prompt").filter(|prompt| !prompt.is_null());
        ItemRecord {
            id: item.id.as_str().into(),
            name: crate::clean::line(&item.name).into(),
            evidence: item.lead as u32,
            hit_head: render::hit_head(item),
            detail_extra: render::detail_extra(item, self.facts, self.sources),
            passage: self.passage(item).into(),
            body_missing: item.facts.iter().find_map(|at| self.facts[*at].body_missing.as_deref()).map(Into::into),
            body,
            prompt: prompt.map(|prompt| prompt.to_string().into()),
        }
    }

    /// The text that snippets are taken from: the description, then as much of the body as is kept.
    fn passage(&self, item: &ResolvedItem) -> String {
        let description = render::description(item);
        let body = item.body.map_or("", |at| self.facts[at].body_text.as_str());
        let mut passage = String::with_capacity(description.len() + body.len().min(PASSAGE_CHARS_MAX * 4) + 1);
        passage.push_str(description);
        if !body.is_empty() {
            passage.push('\n');
            passage.extend(body.chars().take(PASSAGE_CHARS_MAX));
        }
        passage
    }

    /// What the search index knows of an item.
    fn document<'b>(&'b self, item: &'b ResolvedItem, stale: bool) -> DocInput<'b> {
        let mut names = vec![(NameKind::Id, item.id.as_str()), (NameKind::Name, item.name.as_str())];
        names.extend(item.aliases.iter().map(|alias| (NameKind::Alias, alias.as_str())));
        let mut fields = vec![(Field::Title, item.name.as_str()), (Field::Description, render::description(item))];
        fields.extend(item.vendor.as_deref().map(|vendor| (Field::Keywords, vendor)));
        let mut children = Vec::new();
        for (name, value) in &item.fields {
            texts(name, value, &mut fields, &mut children);
        }
        for at in &item.facts {
            let body = self.facts[*at].body_text.as_str();
            if !body.is_empty() {
                fields.push((Field::Body, body));
            }
        }
        DocInput { group: item.kind.index() as u8, stale, names, fields, children }
    }

    fn count_sources(&self, stats: &mut Stats, evidence: &[EvidenceRecord], held_back: &[HeldBack]) {
        for (fact, evidence) in self.facts.iter().zip(evidence) {
            let source = stats.by_source.entry(Arc::clone(&fact.source_id)).or_default();
            source.facts += 1;
            source.stale += usize::from(evidence.stale_reason.is_some());
            source.quarantined += fact.quarantined.len();
            if fact.standing.removed_at.is_none() {
                let verified = evidence.last_verified_at;
                stats.oldest_verified_at = match (stats.oldest_verified_at, verified) {
                    (Some(oldest), Some(verified)) => Some(oldest.min(verified)),
                    (oldest, verified) => oldest.or(verified),
                };
            }
        }
        for held in held_back {
            stats.by_source.entry(Arc::clone(&held.source_id)).or_default().quarantined += 1;
        }
    }
}

fn next_stale_at(evidence: &[EvidenceRecord]) -> Option<Stamp> {
    evidence.iter().filter(|record| record.stale_reason.is_none()).map(|record| record.stale_after).min()
}

/// Sorts the kind-specific fields into what the index searches.
fn texts<'b>(
    name: &str,
    value: &'b serde_json::Value,
    fields: &mut Vec<(Field, &'b str)>,
    children: &mut Vec<(&'b str, &'b str)>,
) {
    use serde_json::Value;
    let text_of = |value: &'b Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
    match (name, value) {
        ("category" | "family" | "mode" | "section" | "format" | "name", Value::String(text)) => {
            fields.push((Field::Keywords, text));
        }
        ("topics" | "tags" | "platforms", Value::Array(list)) => {
            fields.extend(list.iter().filter_map(Value::as_str).map(|text| (Field::Keywords, text)));
        }
        ("headings", Value::Array(list)) => {
            fields.extend(list.iter().map(|heading| (Field::Headings, text_of(heading, "text"))));
        }
        ("tools", Value::Array(list)) => {
            children.extend(list.iter().map(|tool| (text_of(tool, "name"), text_of(tool, "description"))));
        }
        ("commands", Value::Array(list)) => {
            children.extend(list.iter().map(|command| (text_of(command, "name"), text_of(command, "summary"))));
        }
        ("when_to_use" | "example_questions" | "steps", Value::Array(list)) => {
            fields.extend(list.iter().filter_map(Value::as_str).map(|text| (Field::Body, text)));
        }
        _ => {}
    }
}

/// The router over the framework items; the one before is kept when its cards are the same.
fn router(items: &[ResolvedItem], lookup: &Lookup, before: Option<&Snapshot>) -> (Arc<Router>, Vec<u32>) {
    let mut cards = Vec::new();
    let mut ordinals = Vec::new();
    for ordinal in lookup.range(Kind::Framework) {
        let item = &items[ordinal as usize];
        let fields = serde_json::Value::Object(item.fields.clone());
        let Ok(framework) = serde_json::from_value::<Framework>(fields) else { continue };
        let published = item.status != Status::Candidate;
        let (id, name, aliases) = (item.id.clone(), item.name.clone(), item.aliases.clone());
        cards.push(Card { id, name, aliases, framework, published });
        ordinals.push(ordinal);
    }
    if let Some(before) = before
        && before.router.cards() == cards
    {
        return (Arc::clone(&before.router), ordinals);
    }
    (Arc::new(Router::build(cards)), ordinals)
}

/// Hash over everything that answers are written of, so that it can stand for them in entity tags: rows, what details add to them,
/// and all evidence with its times.
fn revision<'a>(
    tables: &[Table; 7],
    items: &[ItemRecord],
    evidence: impl Iterator<Item = &'a EvidenceRecord>,
) -> String {
    let mut hasher = Sha256::new();
    for table in tables {
        hasher.update(table.page(0, usize::MAX));
        hasher.update([0]);
    }
    for item in items {
        for part in [&*item.detail_extra, bytes_of(item.prompt.as_deref()), bytes_of(item.body_missing.as_deref())] {
            hasher.update(part);
            hasher.update([0]);
        }
    }
    let mut written = Vec::with_capacity(512);
    for record in evidence {
        written.clear();
        record.write(&mut written);
        hasher.update(&written);
    }
    let mut hex = crate::hash::hex(&hasher.finalize());
    hex.truncate(16);
    hex
}

fn bytes_of(text: Option<&str>) -> &[u8] {
    text.unwrap_or_default().as_bytes()
}
