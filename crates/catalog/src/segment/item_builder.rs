//! One item at a time: from its facts to its rendered row, its record and what the search index reads of it.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde_json::Value;

use super::evidence::{Evidence, EvidenceRecord};
use super::provenance::ListsBuilder;
use super::record::{BodyOf, ItemRecord, Span};
use super::texts::{ItemText, Texts};
use super::{PASSAGE_CHARS_MAX, render, tasks};
use crate::columns::Lead;
use crate::resolve::FieldEvidence;
use crate::resolve::{self, Context, Planned, ResolvedItem, Sources, Withheld};
use refdesk_core::fact::{EvidenceKey, HashBasis, KnownTimes, StoredFact};
use refdesk_core::hash::digest;
use refdesk_core::item::{Framework, Status, TrustTier};
use refdesk_core::{Kind, Stamp};
use refdesk_route::Card;
use refdesk_search::{DocInput, Field, NameKind};

/// Builds the items of a segment.
#[derive(Debug)]
pub struct ItemBuilder<'a> {
    /// The facts.
    pub facts: &'a [StoredFact],
    /// The segment's evidence.
    pub evidence: &'a Evidence,
    /// Where in it that of each fact stands.
    pub slots: &'a [u32],
    /// Whose facts they are.
    pub sources: &'a Sources,
    /// The clock.
    pub now: Stamp,
    /// Numbers lists of stated paths.
    pub lists: ListsBuilder,
    /// Takes the beginnings of bodies.
    pub texts: Option<Box<dyn Texts>>,
}

/// What the search index reads of an item.
#[derive(Debug)]
pub struct IndexedText {
    item: ResolvedItem,
    body_texts: Vec<String>,
}

/// An item, built.
#[derive(Debug)]
pub struct BuiltItem {
    /// Its packed [`ItemRecord`].
    pub record: Vec<u8>,
    /// Its row, with the comma that stands behind it in a list.
    pub row: Vec<u8>,
    /// The item before it was rendered.
    pub text: IndexedText,
}

impl<'a> ItemBuilder<'a> {
    /// Builds a planned item.
    pub fn build(&mut self, planned: &Planned, withheld: &mut Vec<Withheld>) -> BuiltItem {
        let context = self.context();
        let item = resolve::item(planned, context, withheld);
        let lead = self.evidence_of(item.lead);
        let mut row = Vec::with_capacity(1024);
        let description = render::row(&item, context, &lead, &mut row);
        let stale = lead.stale_reason.is_some();
        let body_texts = item.live.iter().map(|at| self.facts[*at].body_text.read().into_owned()).collect();
        let text = IndexedText { item, body_texts };
        let record = self.record(&text, stale, &row, description);
        row.push(b',');
        BuiltItem { record, row, text }
    }

    const fn context(&self) -> Context<'a> {
        Context { facts: self.facts, sources: self.sources, now: self.now }
    }

    /// What the fact that leads says of an item.
    pub fn lead(&self, item: &ResolvedItem) -> Lead<'a> {
        let evidence = self.evidence.get(self.slots[item.lead]);
        let KnownTimes { last_synced_at, last_verified_at, .. } = evidence.known();
        Lead { source_id: &self.facts[item.lead].source_id, last_synced_at, last_verified_at }
    }

    fn evidence_of(&self, fact: usize) -> EvidenceRecord<'_> {
        self.evidence.get(self.slots[fact])
    }

    fn record(&mut self, text: &IndexedText, stale: bool, row: &[u8], description: Span) -> Vec<u8> {
        let item = &text.item;
        let body = item.body.map(|at| {
            let fact = &self.facts[at];
            let verbatim = fact.hash_basis == HashBasis::Bytes && matches!(fact.kind, Kind::Document | Kind::Skill);
            BodyOf { slot: self.slots[at], key: &fact.key, verbatim }
        });
        let shown = item.body.and_then(|at| item.live.iter().position(|fact| *fact == at));
        let prompt = item.fields.get("prompt").filter(|prompt| !prompt.is_null()).map(ToString::to_string);
        let body_missing = item.live.iter().find_map(|at| self.facts[*at].body_missing.as_deref());
        let detail_tail = render::detail_tail(item, self.context(), &|fact| self.evidence_of(fact));
        // A framework's prompt is shown on request only, its evidence with it.
        let stated: Vec<&FieldEvidence> = item
            .field_evidence
            .iter()
            .filter(|stated| item.kind != Kind::Framework || stated.path != "prompt")
            .collect();
        let keys: Vec<EvidenceKey> = stated.iter().map(|stated| self.evidence.key(self.slots[stated.fact])).collect();
        let mut said: Vec<&[u8]> = vec![row, &detail_tail];
        said.extend([prompt.as_deref(), body_missing].map(|text| text.unwrap_or_default().as_bytes()));
        let of_field = |(stated, key): (&&'_ FieldEvidence, &'_ EvidenceKey)| {
            [stated.path.as_bytes(), stated.rule.as_bytes(), &key.0[..]].concat()
        };
        let fields: Vec<Vec<u8>> = stated.iter().zip(&keys).map(of_field).collect();
        said.extend(fields.iter().map(Vec::as_slice));
        let digest = digest(said);
        let lead = self.slots[item.lead];
        let stated_by: Vec<u32> = stated.iter().map(|stated| self.slots[stated.fact]).collect();
        let passage = passage(shown.map_or("", |at| &text.body_texts[at]));
        let record = ItemRecord {
            lead,
            others: item.facts.iter().filter(|at| **at != item.lead).map(|at| self.slots[*at]).collect(),
            candidate: item.status == Status::Candidate,
            partly_stale: !stale && render::is_partly_stale(item),
            head_end: render::head_end(row, item) as u32,
            description,
            hit_tail: &render::hit_tail(item),
            stated: self.lists.number(stated.iter().map(|stated| (stated.path.as_str(), stated.rule))),
            stated_by: if stated_by.iter().all(|slot| *slot == lead) { Vec::new() } else { stated_by },
            detail_tail: &detail_tail,
            passage: (!passage.is_empty()).then(|| ItemText::kept(passage, &mut self.texts)),
            body,
            body_missing,
            prompt: prompt.as_deref(),
        };
        record.packed(digest)
    }
}

/// As much of a body as is kept to take snippets from.
fn passage(body: &str) -> &str {
    body.char_indices().nth(PASSAGE_CHARS_MAX).map_or(body, |(end, _)| &body[..end])
}

impl IndexedText {
    /// What the search index reads.
    pub fn document(&self) -> DocInput<'_> {
        let item = &self.item;
        let names = names(item);
        let mut fields = vec![(Field::Title, item.name.as_str()), (Field::Description, render::description(item))];
        fields.extend(item.vendor.as_deref().map(|vendor| (Field::Keywords, vendor)));
        let mut passages = Vec::new();
        for (name, value) in &item.fields {
            texts(name, value, &mut fields, &mut passages);
        }
        if item.kind == Kind::Model {
            fields.extend(tasks::of(&item.id, &item.fields).map(|task| (Field::Keywords, task)));
        }
        fields.extend(self.body_texts.iter().filter(|text| !text.is_empty()).map(|text| (Field::Body, text.as_str())));
        DocInput { demotion: demotion(item), names, fields, passages }
    }

    /// Stands for everything that the index knows of the item.
    pub fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.document().hash(&mut hasher);
        hasher.finish()
    }
}

impl BuiltItem {
    /// The item before it was rendered.
    pub fn item(&self) -> &ResolvedItem {
        &self.text.item
    }

    /// The router's card of a framework.
    pub fn card(&self) -> Option<Card> {
        let item = self.item();
        if item.kind != Kind::Framework {
            return None;
        }
        let framework = serde_json::from_value::<Framework>(Value::Object(item.fields.clone())).ok()?;
        let (id, name, aliases) = (item.id.clone(), item.name.clone(), item.aliases.clone());
        Some(Card { id, name, aliases, framework, published: item.status != Status::Candidate })
    }
}

/// Steps by which an item ranks behind an equal one, see [`DocInput::demotion`]: what is current before what goes or is gone, a model
/// whose maker is known before one whose is not, and an MCP server that its maker publishes and that can be installed or called before
/// one of which only a link is known.
fn demotion(item: &ResolvedItem) -> u8 {
    let life = match item.status {
        Status::Active | Status::Preview | Status::Published | Status::Candidate | Status::Unknown => 0,
        Status::Deprecated => 3,
        Status::Retired | Status::Removed => 6,
    };
    let has = |field: &str| item.fields.get(field).and_then(Value::as_array).is_some_and(|list| !list.is_empty());
    match item.kind {
        Kind::McpServer => {}
        // A listing of which nobody can say who made it.
        // A listing of which nobody can say who made it, and what few sell.
        Kind::Model => return life + u8::from(item.vendor.is_none()) + seldom_sold(item),
        // Pages are about things: a thing of the same name comes first, and so does the page in the language of most.
        Kind::Document => {
            return life + 1 + u8::from(item.language.as_deref().is_some_and(|language| language != "en"));
        }
        _ => return life,
    }
    let official = item.trust_tier == TrustTier::Official || item.fields.get("official") == Some(&Value::Bool(true));
    life + u8::from(!official) + u8::from(!has("packages") && !has("remotes"))
}

/// What the item is called. The path of a page and the seller of an offer are no words of a name: whoever types such an address finds the
/// item by [`crate::snapshot::Snapshot::find`].
fn names(item: &ResolvedItem) -> Vec<(NameKind, &str)> {
    let id = match item.kind {
        Kind::Document | Kind::Tutorial => NameKind::Path,
        _ => NameKind::Id,
    };
    let mut names = vec![(id, item.id.as_str()), (NameKind::Name, item.name.as_str())];
    for alias in item.aliases.iter().map(String::as_str) {
        let name = match alias.rsplit_once('/') {
            None => alias,
            Some((path, name))
                if item.kind == Kind::Model
                    && item.vendor.as_deref().is_none_or(|vendor| !is_made_by(path, vendor)) =>
            {
                name
            }
            Some(_) if item.kind == Kind::Model || item.kind == Kind::Tool || item.kind == Kind::McpServer => alias,
            Some(_) => continue,
        };
        names.push((NameKind::Alias, name));
    }
    names
}

/// Whether the path in front of a model's name is its maker: `meta-llama` is of Meta.
fn is_made_by(path: &str, vendor: &str) -> bool {
    let letters =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let (path, vendor) = (letters(path), letters(vendor));
    path.starts_with(&vendor) || vendor.starts_with(&path)
}

/// Steps by which a model that few sell ranks behind one that many do: 0 from 16 offers on, 4 for none.
fn seldom_sold(item: &ResolvedItem) -> u8 {
    let offers = item.fields.get("offers").and_then(Value::as_array).map_or(0, Vec::len);
    [16, 8, 4, 1].iter().filter(|many| offers < **many).count() as u8
}

/// Sorts the kind-specific fields into what the index searches.
fn texts<'b>(name: &str, value: &'b Value, fields: &mut Vec<(Field, &'b str)>, passages: &mut Vec<(&'b str, &'b str)>) {
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
            passages.extend(list.iter().map(|tool| (text_of(tool, "name"), text_of(tool, "description"))));
        }
        ("commands", Value::Array(list)) => {
            passages.extend(list.iter().map(|command| (text_of(command, "name"), text_of(command, "summary"))));
        }
        ("when_to_use" | "example_questions" | "steps", Value::Array(list)) => {
            fields.extend(list.iter().filter_map(Value::as_str).map(|text| (Field::Body, text)));
        }
        _ => {}
    }
}
