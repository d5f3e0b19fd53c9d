//! One item at a time: from its facts to its rendered row, its record and what the search index reads of it.

use serde_json::Value;

use crate::resolve::merge::merge;
use crate::resolve::{Context, FieldEvidence, Planned, ResolvedItem, Withheld};
use crate::segment::evidence::times::ShownTime;
use crate::segment::indexed_text::IndexedText;
use crate::segment::record::{BodyOf, ItemRecord};
use crate::segment::render::{Places, Slots};
use crate::segment::rows::blank;
use crate::segment::stated_paths::StatedPathsBuilder;
use crate::segment::texts::{ItemText, Texts};
use crate::segment::{PASSAGE_CHARS_MAX, editions, render};
use refdesk_core::Kind;
use refdesk_core::fact::HashBasis;
use refdesk_core::field;
use refdesk_core::hash::digest;
use refdesk_core::item::{Framework, Status};
use refdesk_core::text::first_chars;
use refdesk_route::Card;

/// Builds the items of a segment.
#[derive(Debug)]
pub struct ItemBuilder<'a> {
    /// What items are resolved from.
    pub context: Context<'a>,
    /// The segment's evidence.
    pub evidence: Slots<'a>,
    /// Numbers lists of stated paths.
    pub stated_paths: StatedPathsBuilder,
    /// Takes the beginnings of bodies.
    pub texts: Option<Box<dyn Texts>>,
}

/// An item, built.
#[derive(Debug)]
pub struct BuiltItem<'a> {
    /// Its packed [`ItemRecord`].
    pub record: Vec<u8>,
    /// Its row, with the comma that stands behind it in a list.
    pub row: Vec<u8>,
    /// The times that the row shows.
    pub times: Vec<ShownTime>,
    /// The item before it was rendered.
    pub text: IndexedText,
    /// The source of the fact that leads.
    pub lead_source: &'a str,
}

impl<'a> ItemBuilder<'a> {
    /// Builds a planned item.
    pub fn build(&mut self, planned: &Planned, withheld: &mut Vec<Withheld>) -> BuiltItem<'a> {
        let context = self.context;
        let item = merge(planned, context, withheld);
        let mut row = Vec::with_capacity(1024);
        let places = render::row(&item, context, self.evidence, &mut row);
        let body_texts = item.live.iter().map(|at| context.facts[*at].body_text.read().into_owned()).collect();
        let text = IndexedText { item, body_texts };
        let record = self.record(&text, &row, &places);
        row.push(b',');
        let lead_source = context.lead_source(&text.item);
        BuiltItem { record, row, times: places.times, text, lead_source }
    }

    fn record(&mut self, text: &IndexedText, row: &[u8], places: &Places) -> Vec<u8> {
        let (item, slot) = (&text.item, |fact: usize| self.evidence.slot(fact));
        let mut timeless = row.to_vec();
        blank(&mut timeless, &places.times);
        let body = item.body.map(|at| {
            let fact = &self.context.facts[at];
            let verbatim = fact.hash_basis == HashBasis::Bytes && matches!(fact.kind, Kind::Document | Kind::Skill);
            BodyOf { slot: slot(at), key: &fact.key, verbatim }
        });
        let shown = item.body.and_then(|at| item.live.iter().position(|fact| *fact == at));
        let prompt = item.fields.get("prompt").filter(|prompt| !prompt.is_null()).map(ToString::to_string);
        let body_missing = item.live.iter().find_map(|at| self.context.facts[*at].body_missing.as_deref());
        let detail_tail = render::detail_tail(item, self.context, self.evidence);
        // A framework's prompt is shown on request only, its evidence with it.
        let stated: Vec<&FieldEvidence> = item
            .field_evidence
            .iter()
            .filter(|stated| item.kind != Kind::Framework || stated.path != "prompt")
            .collect();
        let of_field = |stated: &&FieldEvidence| {
            let key = self.evidence.evidence.key(slot(stated.fact));
            [stated.path.as_bytes(), stated.rule.as_bytes(), &key.0[..]].concat()
        };
        let fields: Vec<Vec<u8>> = stated.iter().map(of_field).collect();
        let makers_id = self.makers_id(item);
        let texts = [prompt.as_deref(), body_missing, makers_id].map(|text| text.unwrap_or_default().as_bytes());
        let said = [&timeless[..], &detail_tail[..]].into_iter().chain(texts).chain(fields.iter().map(Vec::as_slice));
        let digest = digest(said);
        let lead = slot(item.lead);
        let stated_by: Vec<u32> = stated.iter().map(|stated| slot(stated.fact)).collect();
        let passage = first_chars(shown.map_or("", |at| &text.body_texts[at]), PASSAGE_CHARS_MAX);
        let line = render::model_line(item);
        let record = ItemRecord {
            lead,
            others: item.facts.iter().filter(|at| **at != item.lead).map(|at| slot(*at)).collect(),
            candidate: item.status == Status::Candidate,
            partly_stale: !places.stale && render::is_partly_stale(item),
            head_end: render::head_end(row, item) as u32,
            description: places.description,
            hit_tail: &render::hit_tail(item),
            work: editions::work(item, self.context.lead_source(item)),
            line: line.as_deref(),
            stated: self.stated_paths.number(stated.iter().map(|stated| (stated.path.as_str(), stated.rule))),
            stated_by: if stated_by.iter().all(|slot| *slot == lead) { Vec::new() } else { stated_by },
            detail_tail: &detail_tail,
            passage: (!passage.is_empty()).then(|| ItemText::kept(passage, &mut self.texts)),
            body,
            body_missing,
            prompt: prompt.as_deref(),
            makers_id,
        };
        record.packed(digest)
    }

    /// The id to send to the maker of a model, as what states its price has it, where that is not the item's: `ft:gpt-4o` of `ft-gpt-4o`.
    fn makers_id(&self, item: &ResolvedItem) -> Option<&'a str> {
        let priced = item.field_evidence.iter().find(|stated| field::is_within(&stated.path, "pricing"))?;
        let id = self.context.facts[priced.fact].identity.api_model_id.as_deref();
        id.filter(|id| *id != item.id)
    }
}

impl BuiltItem<'_> {
    /// The item before it was rendered.
    pub fn item(&self) -> &ResolvedItem {
        &self.text.item
    }

    /// The router's card of a framework; none of one whose fields are no card: the store may hold facts of an older release, and these must
    /// not keep a catalog from being built.
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
