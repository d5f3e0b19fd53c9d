//! `huggingface`: the Hub's list of models, page after page by the `Link` header.
//!
//! A model there is published weights: it sells nothing, so it is never an offer. Its id (`org/name`) is what other sources refer to.
//! The list has no end in practice, so a pass reads at most `items_max` models.

use std::collections::BTreeSet;

use refdesk_catalog::resolve::model::bare_name;
use refdesk_core::fact::{Identity, Provenance};
use refdesk_core::item::{Head, Item, Modalities, Model, Status};
use refdesk_core::{Fact, Kind, Reject};
use serde_json::{Map, Value};

use crate::connectors::formats::json_fields::{self as fields, LeftOut, Reason};
use crate::connectors::formats::json_text;
use crate::connectors::repository::public_url::{public_url, same_site};
use crate::connectors::{Answer, Batch, Connector, FetchSession, ParseError, Request, Target};

/// The connector.
pub const CONNECTOR: Connector = Connector {
    name: "huggingface",
    kinds: &[Kind::Model],
    description: "The Hugging Face Hub's /api/models: open-weight models with licence and task, page after page",
    options: &[("items_max", "stop after this many models; default: 1000")],
    open,
    reread: |target, _, record| fields::reread(record, |value| fact(value, target, &LeftOut::default())),
    ..Connector::RECORDS
};

const EXPECTED: &str = "a page of the Hub's /api/models: a list of models";

/// How many models a pass reads unless `items_max` says otherwise.
pub const ITEMS_MAX_DEFAULT: usize = 1_000;

fn open(target: &Target) -> Result<Box<dyn FetchSession>, ParseError> {
    let items_max = match target.options.get("items_max") {
        None => ITEMS_MAX_DEFAULT,
        Some(text) => text.parse().ok().filter(|count| *count > 0).ok_or_else(|| {
            ParseError::new(format!("option `items_max` is `{text}`; set a whole number of 1 or more"))
        })?,
    };
    Ok(Box::new(HubSession {
        target: target.clone(),
        items_max,
        batch: Batch::default(),
        listed: 0,
        seen: BTreeSet::new(),
        asked: BTreeSet::new(),
        left_out: LeftOut::default(),
    }))
}

struct HubSession {
    target: Target,
    items_max: usize,
    batch: Batch,
    /// How many entries came in, those that came twice included.
    listed: usize,
    /// Ids that are there; the list moves while it is read, so an id can come twice.
    seen: BTreeSet<String>,
    /// Pages that were asked for; a page that leads back to one of them would never end.
    asked: BTreeSet<String>,
    left_out: LeftOut,
}

impl FetchSession for HubSession {
    fn first(&mut self) -> Vec<Request> {
        self.asked.insert(self.target.url.to_string());
        vec![Request::get(self.target.url.clone(), "page")]
    }

    fn accept(&mut self, answer: Answer) -> Result<Vec<Request>, ParseError> {
        let records = json_text::list(&answer.body, EXPECTED)?;
        for (position, record) in records.iter().copied().enumerate() {
            if self.listed >= self.items_max {
                self.batch.leave_out("models beyond the most that are read", records.len() - position);
                return Ok(Vec::new());
            }
            self.take(record);
        }
        let Some(next) = answer.link.as_deref().and_then(next_link) else { return Ok(Vec::new()) };
        if records.is_empty() || self.listed >= self.items_max {
            return Ok(Vec::new());
        }
        let next = public_url(&self.target.source_id, &answer.url)
            .join(next)
            .map_err(|error| ParseError::new(format!("the next page `{next}` is not a URL: {error}")))?;
        let url = same_site(&answer.url, &next)
            .ok_or_else(|| ParseError::new(format!("the next page `{next}` is on another site than the list")))?;
        if !self.asked.insert(url.to_string()) {
            return Err(ParseError::new(format!("the next page `{next}` was already read; the list would never end")));
        }
        Ok(vec![Request::get(url, "page")])
    }

    fn finish(self: Box<Self>) -> Result<Batch, ParseError> {
        let mut batch = self.batch;
        self.left_out.add_to(&mut batch);
        batch.with_facts(format!("no model in the list; expected {EXPECTED}"))
    }
}

impl HubSession {
    fn take(&mut self, record: &[u8]) {
        self.listed += 1;
        let read = json_text::read(record, |record| fact(record, &self.target, &self.left_out));
        // The list moves while it is read.
        let read = read.map(|fact| self.seen.insert(fact.key.clone()).then_some(fact));
        self.batch.take_once(read.map_err(|reason| {
            let key = format!("item {}", self.listed);
            let id = json_text::text_at(record, &["id"]).or_else(|| json_text::text_at(record, &["modelId"]));
            Reject::new(key, reason, &json_text::shown(record)).of(id)
        }));
    }
}

/// The target of `rel="next"` in a `Link` header (RFC 8288).
fn next_link(header: &str) -> Option<&str> {
    let mut rest = header;
    while let Some((_, from)) = rest.split_once('<') {
        let (target, parameters) = from.split_once('>')?;
        let own = parameters.split_once('<').map_or(parameters, |(own, _)| own);
        let is_next = own.split(';').any(|parameter| {
            let parameter = parameter.trim().trim_end_matches(',').trim();
            parameter
                .strip_prefix("rel=")
                .is_some_and(|value| value.trim_matches('"').split(' ').any(|word| word == "next"))
        });
        if is_next {
            return Some(target);
        }
        rest = parameters;
    }
    None
}

fn fact(value: &Value, target: &Target, left_out: &LeftOut) -> Result<Fact, Reason> {
    let record = value.as_object().ok_or("the item is not an object")?;
    let id =
        fields::text(record, "id").or_else(|| fields::text(record, "modelId")).ok_or("`id` is missing or no text")?;
    let (_, name) = id.split_once('/').unwrap_or(("", id));
    // The list's own address: cursors of later pages hold for a moment only.
    let list = public_url(&target.source_id, &target.url);
    let page = list.join(&format!("/{id}")).ok().filter(|url| url.host() == list.host());
    let kept = fields::canonical_record(value)?;
    Ok(Fact {
        head: Head {
            id: bare_name(id),
            name: name.to_owned(),
            status: Status::Unknown,
            aliases: vec![id.to_owned()],
            ..Head::default()
        },
        identity: Identity { api_model_id: Some(id.to_owned()), same_as: vec![id.to_owned()], ..Identity::default() },
        provenance: Provenance {
            references: page.map(|page| page.to_string()).into_iter().collect(),
            ..Provenance::default()
        },
        ..Fact::new(id, Item::Model(model(record, left_out)), kept, list)
    })
}

fn model(record: &Map<String, Value>, left_out: &LeftOut) -> Model {
    fields::count_others(record, &["pipeline_tag"], Value::is_string, left_out);
    let tags = fields::texts_or_counted(record, "tags", left_out);
    // A model may be under several.
    let licences: Vec<&str> = tags.iter().filter_map(|tag| tag.strip_prefix("license:")).collect();
    let license = (!licences.is_empty()).then(|| licences.join(", "));
    // Without tags nothing tells a chat model from a base.
    let conversational = (!tags.is_empty()).then(|| tags.iter().any(|tag| tag == "conversational"));
    let (mode, input, output) = task(fields::text(record, "pipeline_tag").unwrap_or(""), conversational);
    Model {
        open_weights: fields::flag_or_counted(record, "private", left_out).map(|private| !private),
        license,
        modalities: Modalities { input: words(input), output: words(output) },
        mode: mode.map(str::to_owned),
        ..Model::default()
    }
}

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|word| (*word).to_owned()).collect()
}

/// Mode and modalities of the Hub's tasks; unknown for those that are not here.
fn task(
    pipeline_tag: &str,
    conversational: Option<bool>,
) -> (Option<&'static str>, &'static [&'static str], &'static [&'static str]) {
    match pipeline_tag {
        "text-generation" => {
            (conversational.map(|is_chat| if is_chat { "chat" } else { "completion" }), &["text"], &["text"])
        }
        "image-text-to-text" => (Some("chat"), &["text", "image"], &["text"]),
        "any-to-any" => (Some("chat"), &[], &[]),
        "feature-extraction" | "sentence-similarity" => (Some("embedding"), &["text"], &["embedding"]),
        "text-to-image" => (Some("image"), &["text"], &["image"]),
        "text-to-speech" => (Some("audio"), &["text"], &["audio"]),
        "automatic-speech-recognition" => (Some("audio"), &["audio"], &["text"]),
        "text-ranking" => (Some("rerank"), &["text"], &[]),
        "translation" | "summarization" => (None, &["text"], &["text"]),
        _ => (None, &[], &[]),
    }
}
