//! `openrouter`: `OpenRouter`'s list of models, decimal strings per token.
//!
//! `-1` means that the price depends on the model that is routed to: unknown. `vendor/model:batch` states batch prices, which never
//! stand as plain ones. `~vendor/model-latest` names the model that it stands for in `alias_target`.

use refdesk_core::fact::{Identity, Provenance};
use refdesk_core::item::{Capabilities, Head, Item, Limits, Modalities, Model, OtherPrice, PriceTier, Pricing, Status};
use refdesk_core::resolve::model::bare_name;
use refdesk_core::{Body, Fact, Kind, Record, Reject};
use serde_json::{Map, Value};

use super::json_fields::{self as fields, JsonFilePass, Reason};
use super::public_url::public_url;
use super::{Connector, Harvest, ParseError, Pass, Target};

/// The connector.
pub struct OpenRouter;

const EXPECTED: &str = "OpenRouter's /api/v1/models: an object with a list `data`";

/// The seller of everything in the list.
const PROVIDER: &str = "openrouter";

impl Connector for OpenRouter {
    fn name(&self) -> &'static str {
        "openrouter"
    }

    fn kinds(&self) -> &'static [Kind] {
        &[Kind::Model]
    }

    fn describe(&self) -> &'static str {
        "OpenRouter's /api/v1/models: the models it routes to, with its prices, limits and parameters"
    }

    fn own_list_of(&self) -> Option<&'static str> {
        Some(PROVIDER)
    }

    fn open(&self, target: &Target) -> Result<Box<dyn Pass>, ParseError> {
        Ok(Box::new(JsonFilePass::new(target, EXPECTED, read)))
    }
}

fn read(target: &Target, file: &Value) -> Result<Harvest, ParseError> {
    let Some(records) = file.get("data").and_then(Value::as_array) else {
        return Err(ParseError::new(format!("expected {EXPECTED}")));
    };
    let mut harvest = Harvest { items_upstream: records.len(), ..Harvest::default() };
    let mut seen = std::collections::BTreeSet::new();
    for (position, record) in records.iter().enumerate() {
        let read = fact(record, target).and_then(|fact| {
            if seen.insert(fact.key.clone()) { Ok(fact) } else { Err(format!("the id `{}` is listed twice", fact.key)) }
        });
        match read {
            Ok(fact) => harvest.facts.push(fact),
            Err(reason) => {
                harvest.rejects.push(Reject::new(format!("item {}", position + 1), reason, &record.to_string()));
            }
        }
    }
    if harvest.facts.is_empty() {
        return Err(ParseError::new(format!("no model in the list; expected {EXPECTED}")));
    }
    Ok(harvest)
}

fn fact(value: &Value, target: &Target) -> Result<Fact, Reason> {
    let record = value.as_object().ok_or("the item is no object")?;
    let id = fields::required(record, "id")?;
    let name = fields::text(record, "name").unwrap_or(id);
    // "Vendor: Name" everywhere; the vendor is told by the id.
    let name = name.split_once(": ").map_or(name, |(_, name)| name);
    Ok(Fact {
        key: id.to_owned(),
        head: Head {
            id: bare_name(id),
            name: name.to_owned(),
            status: Status::Active,
            aliases: aliases(record, id),
            ..Head::default()
        },
        item: Item::Model(model(record, id)?),
        source_url: page(record, target),
        record: Record::of_json(value).map_err(|error| format!("the item has no canonical form: {error}"))?,
        body: Body::None,
        identity: Identity {
            provider: Some(PROVIDER.to_owned()),
            api_model_id: Some(id.to_owned()),
            same_as: same_as(record),
            ..Identity::default()
        },
        provenance: Provenance::default(),
        checked_on: None,
    })
}

/// The page that the item itself links, or the list.
fn page(record: &Map<String, Value>, target: &Target) -> String {
    let public = public_url(&target.source_id, &target.url);
    let details = record.get("links").and_then(|links| links.get("details")).and_then(Value::as_str);
    details
        .and_then(|path| public.join(path).ok())
        .filter(|url| url.host() == public.host())
        .unwrap_or(public)
        .to_string()
}

/// The id, and the canonical slug unless it is the dated name of a snapshot, which is an item of its own.
fn aliases(record: &Map<String, Value>, id: &str) -> Vec<String> {
    let dated = |slug: &str| {
        slug.bytes().rev().take_while(|b| b.is_ascii_digit() || *b == b'-').filter(u8::is_ascii_digit).count() >= 8
    };
    let canonical = fields::text(record, "canonical_slug").filter(|slug| *slug != id && !dated(slug));
    std::iter::once(id).chain(canonical).map(str::to_owned).collect()
}

/// The target of an alias, else the id on Hugging Face.
fn same_as(record: &Map<String, Value>) -> Vec<String> {
    let target = record.get("alias_target").and_then(|target| target.get("slug")).and_then(Value::as_str);
    target.or_else(|| fields::text(record, "hugging_face_id")).map(str::to_owned).into_iter().collect()
}

fn model(record: &Map<String, Value>, id: &str) -> Result<Model, Reason> {
    let empty = Map::new();
    let object = |field: &str| record.get(field).and_then(Value::as_object).unwrap_or(&empty);
    let parameters = fields::texts(record, "supported_parameters");
    // The list is complete where it is there: what it lacks is not supported.
    let takes = |parameter: &str| (!parameters.is_empty()).then(|| parameters.iter().any(|listed| listed == parameter));
    let input = fields::texts(object("architecture"), "input_modalities");
    let output = fields::texts(object("architecture"), "output_modalities");
    let context_tokens = fields::count(record, "context_length")?.filter(|tokens| *tokens > 0);
    Ok(Model {
        description: fields::text(record, "description").map(str::to_owned),
        retires_on: fields::date(record, "expiration_date"),
        knowledge_cutoff: fields::date(record, "knowledge_cutoff"),
        open_weights: fields::text(record, "hugging_face_id").map(|_| true),
        limits: Limits {
            context_tokens,
            input_tokens: None,
            output_tokens: fields::count(object("top_provider"), "max_completion_tokens")?.filter(|tokens| *tokens > 0),
        },
        capabilities: Capabilities {
            reasoning: takes("reasoning"),
            tool_call: takes("tools"),
            structured_output: takes("structured_outputs"),
            attachments: (!input.is_empty()).then(|| input.iter().any(|kind| kind == "image" || kind == "file")),
            prompt_caching: object("pricing").contains_key("input_cache_read").then_some(true),
            temperature: takes("temperature"),
            ..Capabilities::default()
        },
        modalities: Modalities { input, output },
        pricing: pricing(object("pricing"), id.ends_with(":batch"))?.or_unknown(),
        ..Model::default()
    })
}

fn pricing(prices: &Map<String, Value>, batch: bool) -> Result<Pricing, Reason> {
    let per_token = |field: &str| fields::price_per_token(prices, field);
    let (input, output) = (per_token("prompt")?, per_token("completion")?);
    if batch {
        return Ok(Pricing { batch_input: input, batch_output: output, ..Pricing::default() });
    }
    let mut pricing = Pricing {
        input,
        output,
        cache_read: per_token("input_cache_read")?,
        cache_write: per_token("input_cache_write")?,
        reasoning: per_token("internal_reasoning")?,
        input_audio: per_token("audio")?,
        output_audio: per_token("audio_output")?,
        tiers: tiers(prices)?,
        ..Pricing::default()
    };
    let other = [
        ("input_image", "1M_tokens", per_token("image")?),
        ("output_image", "1M_tokens", per_token("image_output")?),
        ("cache_write_1h", "1M_tokens", per_token("input_cache_write_1h")?),
        ("cache_read_audio", "1M_tokens", per_token("input_audio_cache")?),
        ("web_search", "request", fields::price(prices, "web_search")?),
        ("request", "request", fields::price(prices, "request")?),
    ];
    for (meter, unit, price) in other {
        if price.is_some() {
            pricing.other.push(OtherPrice { meter: meter.to_owned(), unit: unit.to_owned(), price });
        }
    }
    Ok(pricing)
}

/// `overrides` by size of the prompt; those by time of day are no price of the model and are left to the record.
fn tiers(prices: &Map<String, Value>) -> Result<Vec<PriceTier>, Reason> {
    let mut tiers = Vec::new();
    for record in prices.get("overrides").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default() {
        let record = record.as_object().ok_or("`pricing.overrides` holds something that is no object")?;
        let Some(above_context_tokens) = fields::count(record, "min_prompt_tokens")? else { continue };
        tiers.push(PriceTier {
            above_context_tokens,
            input: fields::price_per_token(record, "prompt")?,
            output: fields::price_per_token(record, "completion")?,
            cache_read: fields::price_per_token(record, "input_cache_read")?,
            cache_write: fields::price_per_token(record, "input_cache_write")?,
        });
    }
    tiers.sort_by_key(|tier| tier.above_context_tokens);
    Ok(tiers)
}
