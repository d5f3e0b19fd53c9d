//! `openrouter`: `OpenRouter`'s list of models, decimal strings per token.
//!
//! `-1` means that the price depends on the model that is routed to: unknown. `vendor/model:batch` states batch prices, which never
//! stand as plain ones: input and output have fields of their own, all others are meters of their own (`batch_cache_read`).
//! `~vendor/model-latest` names the model that it stands for in `alias_target`. What a price is for: [`prices`].

use std::collections::BTreeMap;

use refdesk_catalog::resolve::model::{StatedIdentity, bare_name, parse_identity, undated};
use refdesk_core::fact::{Identity, Provenance};
use refdesk_core::item::{Capabilities, Head, Item, Limits, Modalities, Model, Status};
use refdesk_core::{Fact, Kind};
use serde_json::{Map, Value};
use url::Url;

use crate::connectors::formats::json_fields::{self as fields, LeftOut, Reason};
use crate::connectors::formats::json_text;
use crate::connectors::models::modalities;
use crate::connectors::repository::public_url::public_url;
use crate::connectors::{Batch, Connector, CountMethod, JsonRule, ParseError, SingleRequestSession, Step, Target};

mod prices;

/// The connector.
pub const CONNECTOR: Connector = Connector {
    name: "openrouter",
    kinds: &[Kind::Model],
    description: "OpenRouter's /api/v1/models: the models it routes to, with its prices, limits and parameters",
    own_list_of: Some(PROVIDER),
    count: CountMethod::Json(JsonRule::Elements(&[Step::Key("data")])),
    open: |target| Ok(SingleRequestSession::open(target, parse)),
    reread: |target, _, record| fields::reread(record, |value| fact(value, target, &LeftOut::default())),
    ..Connector::RECORDS
};

const EXPECTED: &str = "OpenRouter's /api/v1/models: an object with a list `data`";

/// Fields that are read as texts, besides the id.
const TEXTS: [&str; 3] = ["name", "description", "canonical_slug"];
/// The field for the id of the published weights.
const WEIGHTS: &str = "hugging_face_id";

/// The seller of everything in the list.
const PROVIDER: &str = "openrouter";

fn parse(target: &Target, file: &[u8]) -> Result<Batch, ParseError> {
    let records = json_text::list_in(&json_text::object(file, EXPECTED)?, "data", EXPECTED)?;
    let mut batch = Batch::default();
    let left_out = LeftOut::default();
    let mut seen: BTreeMap<String, &[u8]> = BTreeMap::new();
    for (position, record) in records.into_iter().enumerate() {
        let read = json_text::read(record, |value| {
            let id = value.get("id").and_then(Value::as_str).unwrap_or_default();
            match seen.get(id) {
                Some(first) if *first == record => return Ok(None),
                Some(_) => {
                    return Err(format!("the id `{id}` is listed twice with different contents; the first counts"));
                }
                None => {}
            }
            let fact = fact(value, target, &left_out)?;
            seen.insert(id.to_owned(), record);
            Ok(Some(fact))
        });
        let key = format!("item {}", position + 1);
        batch.take_once(read.map_err(|reason| json_text::reject(key, reason, record, &["id"])));
    }
    left_out.add_to(&mut batch);
    batch.with_facts(format!("no model in the list; expected {EXPECTED}"))
}

fn fact(value: &Value, target: &Target, left_out: &LeftOut) -> Result<Fact, Reason> {
    let record = value.as_object().ok_or("the item is not an object")?;
    let id = fields::required(record, "id")?;
    let name = fields::text(record, "name").unwrap_or(id);
    // "Vendor: Name" everywhere; the vendor is told by the id.
    let name = name.split_once(": ").map_or(name, |(_, name)| name);
    let list = public_url(&target.source_id, &target.url);
    let item = Item::Model(model(record, id, &list, left_out)?);
    fields::count_others(record, &TEXTS, Value::is_string, left_out);
    let is_weights = |id: &Value| id.as_str().is_some_and(|id| id.trim().is_empty() || is_hub_id(id.trim()));
    fields::count_others(record, &[WEIGHTS], is_weights, left_out);
    fields::count_others(record, &["alias_target"], Value::is_object, left_out);
    let kept = fields::canonical_record(value)?;
    Ok(Fact {
        head: Head {
            id: bare_name(id),
            name: name.to_owned(),
            status: Status::Active,
            aliases: aliases(record, id),
            ..Head::default()
        },
        identity: Identity { same_as: same_as(record), ..Identity::of_offer(PROVIDER, id) },
        provenance: Provenance { references: details(record, &list), ..Provenance::default() },
        ..Fact::new(id, item, kept, list)
    })
}

/// The page that the item itself links, a path on the list's host.
fn details(record: &Map<String, Value>, list: &Url) -> Vec<String> {
    let path = record.get("links").and_then(|links| links.get("details")).and_then(Value::as_str);
    let path = path.filter(|path| !path.trim().is_empty());
    let page = path.and_then(|path| list.join(path).ok()).filter(|url| url.host() == list.host());
    page.map(|page| page.to_string()).into_iter().collect()
}

/// The id, and the canonical slug unless it is the dated name of a snapshot, which is an item of its own: one with a whole date, or with
/// another than the id.
fn aliases(record: &Map<String, Value>, id: &str) -> Vec<String> {
    let dated = |slug: &str| {
        slug.bytes().rev().take_while(|b| b.is_ascii_digit() || *b == b'-').filter(u8::is_ascii_digit).count() >= 8
    };
    let date = |id: &str| {
        let stated = StatedIdentity { provider: Some(PROVIDER), id, ..StatedIdentity::default() };
        undated(&parse_identity(stated)).map(|(_, date)| date)
    };
    let is_another = |slug: &str| dated(slug) || date(id).is_some_and(|of_id| date(slug) != Some(of_id));
    let canonical = fields::text(record, "canonical_slug").filter(|slug| *slug != id && !is_another(slug));
    std::iter::once(id).chain(canonical).map(str::to_owned).collect()
}

/// The target of an alias, else the id on Hugging Face.
fn same_as(record: &Map<String, Value>) -> Vec<String> {
    let target = record.get("alias_target").and_then(|target| target.get("slug")).and_then(Value::as_str);
    target.or_else(|| weights(record)).map(str::to_owned).into_iter().collect()
}

/// The id of the published weights on Hugging Face.
fn weights(record: &Map<String, Value>) -> Option<&str> {
    fields::text(record, WEIGHTS).filter(|id| is_hub_id(id))
}

/// `owner/name`: a placeholder (`N/A`) is no such id, and must not say that weights are published.
fn is_hub_id(id: &str) -> bool {
    let is_name = |part: &str| part.len() > 1 && !part.contains(|c: char| c == '/' || c.is_whitespace());
    id.split_once('/').is_some_and(|(owner, name)| is_name(owner) && is_name(name))
}

/// Whether a list has one of some words. It is complete where it is there: what it lacks is not supported, unless something in it cannot be
/// read, which might be that.
fn lists(record: &Map<String, Value>, field: &str, listed: &[String], words: &[&str]) -> Option<bool> {
    let has = listed.iter().any(|listed| words.contains(&listed.as_str()));
    let is_whole = fields::list(record, field).is_ok_and(|items| items.iter().all(Value::is_string));
    (has || is_whole && !listed.is_empty()).then_some(has)
}

/// A Markdown text whose links from the root of the list's site have that site: `[Anvil 2](/acme/anvil-2)` leads nowhere elsewhere.
fn with_whole_links(text: &str, list: &Url) -> String {
    let site = list.origin().ascii_serialization();
    let mut parts = text.split("](");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_from_root = part.starts_with('/') && !part.starts_with("//");
        whole.extend(["](", if is_from_root { site.as_str() } else { "" }, part]);
    }
    whole
}

fn model(record: &Map<String, Value>, id: &str, list: &Url, left_out: &LeftOut) -> Result<Model, Reason> {
    let (architecture, top_provider, priced) = (
        fields::object(record, "architecture")?,
        fields::object(record, "top_provider")?,
        fields::object(record, "pricing")?,
    );
    let parameters = fields::texts_or_counted(record, "supported_parameters", left_out);
    let takes = |parameter: &str| lists(record, "supported_parameters", &parameters, &[parameter]);
    let input = modalities(architecture, "input_modalities", left_out);
    let output = modalities(architecture, "output_modalities", left_out);
    Ok(Model {
        description: fields::text(record, "description").map(|text| with_whole_links(text, list)),
        retires_on: fields::date(record, "expiration_date", left_out),
        knowledge_cutoff: fields::date(record, "knowledge_cutoff", left_out),
        open_weights: weights(record).map(|_| true),
        limits: Limits {
            context_tokens: fields::limit(record, "context_length", left_out)?,
            input_tokens: None,
            output_tokens: fields::limit(top_provider, "max_completion_tokens", left_out)
                .map_err(fields::inside("top_provider"))?,
        },
        capabilities: Capabilities {
            reasoning: takes("reasoning"),
            tool_call: takes("tools"),
            structured_output: takes("structured_outputs"),
            attachments: lists(architecture, "input_modalities", &input, &["image", "file"]),
            prompt_caching: fields::is_charged(priced, "input_cache_read"),
            temperature: takes("temperature"),
            ..Capabilities::default()
        },
        modalities: Modalities { input, output },
        pricing: prices::parse(priced, id.ends_with(":batch"), left_out)
            .map_err(fields::inside("pricing"))?
            .or_unknown(),
        ..Model::default()
    })
}
