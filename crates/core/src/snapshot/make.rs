//! One item at a time: from its facts to its rendered row, its record and what the search index reads of it.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use serde_json::Value;

use super::record::{BodyRef, EvidenceRecord, ItemRecord, Span, digest};
use super::stated::Lists;
use super::{PASSAGE_CHARS_MAX, render};
use crate::fact::{HashBasis, StoredFact};
use crate::item::{Framework, Status, TrustTier};
use crate::resolve::{self, HeldBack, Planned, ResolvedItem, Sources};
use crate::route::Card;
use crate::search::{DocInput, Field, NameKind};
use crate::{Kind, SourceInfo, Stamp};

/// What evidence records say of their sources, shared among them.
pub type Shared = BTreeMap<Arc<str>, Arc<SourceInfo>>;

/// Makes items of some facts.
#[derive(Debug)]
pub struct Maker<'a> {
    /// The facts.
    pub facts: &'a [StoredFact],
    /// Their evidence, in the same order.
    pub evidence: &'a [Arc<EvidenceRecord>],
    /// Where in the snapshot the evidence of each stands.
    pub slots: &'a [u32],
    /// Whose facts they are.
    pub sources: &'a Sources,
    /// Shared lists of paths.
    pub lists: Lists,
}

/// What the search index reads of an item.
#[derive(Debug)]
pub struct Readable {
    item: ResolvedItem,
    /// Its evidence says that it is stale.
    stale: bool,
    body_texts: Vec<String>,
}

/// An item, made.
#[derive(Debug)]
pub struct Made {
    /// What the snapshot keeps of it.
    pub record: ItemRecord,
    /// Its row.
    pub row: Vec<u8>,
    /// The item before it was rendered.
    pub readable: Readable,
}

/// The evidence of facts at `now`.
pub fn evidence(facts: &[StoredFact], sources: &Shared, now: Stamp) -> Vec<Arc<EvidenceRecord>> {
    let of = |fact: &StoredFact| Arc::new(EvidenceRecord::of(fact, &source(sources, &fact.source_id), now));
    facts.iter().map(of).collect()
}

/// The source with an id; one that nobody trusts when it is not known.
pub fn source(sources: &Shared, id: &str) -> Arc<SourceInfo> {
    let unknown = || {
        Arc::new(SourceInfo {
            id: id.into(),
            name: id.to_owned(),
            license: None,
            attribution: None,
            trust_tier: TrustTier::Unverified,
            rank: i32::MAX,
            stale_after_secs: 0,
        })
    };
    sources.get(id).cloned().unwrap_or_else(unknown)
}

impl Maker<'_> {
    /// Makes a planned item.
    pub fn make(&self, planned: &Planned, held_back: &mut Vec<HeldBack>) -> Made {
        let item = resolve::item(planned, self.facts, self.sources, held_back);
        let lead = &self.evidence[item.lead];
        let stale = lead.stale_reason.is_some();
        let mut row = Vec::with_capacity(1024);
        let description = render::row(&item, self.facts, lead, &mut row);
        let body_texts: Vec<String> =
            item.facts.iter().map(|at| self.facts[*at].body_text.read().into_owned()).collect();
        let mut record = self.record(&item, &row, &body_texts);
        record.description = description;
        let readable = Readable { item, stale, body_texts };
        record.indexed = readable.digest();
        Made { record, row, readable }
    }

    fn record(&self, item: &ResolvedItem, row: &[u8], body_texts: &[String]) -> ItemRecord {
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
        let shown = item.body.and_then(|at| item.facts.iter().position(|fact| *fact == at));
        let prompt = item.fields.get("prompt").filter(|prompt| !prompt.is_null());
        let prompt: Option<Box<str>> = prompt.map(|prompt| prompt.to_string().into());
        let body_missing: Option<Box<str>> =
            item.facts.iter().find_map(|at| self.facts[*at].body_missing.as_deref()).map(Into::into);
        let detail_tail = render::detail_tail(item, self.facts, self.evidence);
        // A framework's prompt is shown on request only, its evidence with it.
        let stated: Vec<(&str, usize)> = item
            .field_evidence
            .iter()
            .filter(|(path, _)| item.kind != Kind::Framework || path != "prompt")
            .map(|(path, at)| (path.as_str(), *at))
            .collect();
        let mut said: Vec<&[u8]> = vec![row, &detail_tail];
        said.extend([&prompt, &body_missing].map(|text| text.as_deref().unwrap_or_default().as_bytes()));
        said.extend(stated.iter().flat_map(|(path, at)| [path.as_bytes(), self.evidence[*at].key.as_bytes()]));
        let digest = digest(said);
        ItemRecord {
            id: item.id.as_str().into(),
            name: crate::clean::line(&item.name).into(),
            evidence: item.facts.iter().map(|at| self.slots[*at]).collect(),
            candidate: item.status == Status::Candidate,
            head_end: render::head_end(row, item) as u32,
            description: Span::default(),
            hit_tail: render::hit_tail(item),
            passage: passage(shown.map_or("", |at| &body_texts[at])).into(),
            digest,
            stated: self.lists.stated(stated.iter().map(|(path, at)| (*path, self.slots[*at]))),
            indexed: 0,
            detail_tail,
            body_missing,
            body,
            prompt,
        }
    }
}

/// As much of a body as is kept to take snippets from.
fn passage(body: &str) -> &str {
    body.char_indices().nth(PASSAGE_CHARS_MAX).map_or(body, |(end, _)| &body[..end])
}

impl Readable {
    /// What the search index reads.
    pub fn document(&self) -> DocInput<'_> {
        let item = &self.item;
        let mut names = vec![(NameKind::Id, item.id.as_str()), (NameKind::Name, item.name.as_str())];
        names.extend(item.aliases.iter().map(|alias| (NameKind::Alias, alias.as_str())));
        let mut fields = vec![(Field::Title, item.name.as_str()), (Field::Description, render::description(item))];
        fields.extend(item.vendor.as_deref().map(|vendor| (Field::Keywords, vendor)));
        let mut children = Vec::new();
        for (name, value) in &item.fields {
            texts(name, value, &mut fields, &mut children);
        }
        fields.extend(self.body_texts.iter().filter(|text| !text.is_empty()).map(|text| (Field::Body, text.as_str())));
        DocInput { group: item.kind.index() as u8, stale: self.stale, names, fields, children }
    }

    fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.document().hash(&mut hasher);
        hasher.finish()
    }
}

impl Made {
    /// The item before it was rendered.
    pub fn item(&self) -> &ResolvedItem {
        &self.readable.item
    }

    /// Kind of the item.
    pub fn kind(&self) -> Kind {
        self.readable.item.kind
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

/// Sorts the kind-specific fields into what the index searches.
fn texts<'b>(name: &str, value: &'b Value, fields: &mut Vec<(Field, &'b str)>, children: &mut Vec<(&'b str, &'b str)>) {
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
