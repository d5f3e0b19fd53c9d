//! `models-dev`: models.dev's `api.json`, providers with the models that each sells.
//!
//! Prices are per million tokens. The same id stands under many providers, so the key is `provider/id`. A limit of 0 and a date of 1970
//! are placeholders there and mean unknown; the price of a faster mode is no plain price and is left out (the record keeps it).

use std::borrow::Cow;
use std::collections::BTreeSet;

use refdesk_catalog::resolve::model::bare_name;
use refdesk_core::fact::{Identity, Provenance};
use refdesk_core::item::{Capabilities, Head, Item, Limits, Modalities, Model, PriceTier, Pricing, Status};
use refdesk_core::{Fact, Kind, Reject};
use serde_json::{Map, Value};

use crate::connectors::formats::json_fields::{self as fields, LeftOut, Reason};
use crate::connectors::formats::json_text::{self, Member};
use crate::connectors::models::{OF_TIERS_UNSHOWN, modalities as modalities_in, ordered};
use crate::connectors::repository::public_url::public_url;
use crate::connectors::{
    Batch, Connector, CountMethod, JsonRule, ParseError, Reread, SingleRequestSession, Step, StoredKey, Target,
};

/// The connector.
pub const CONNECTOR: Connector = Connector {
    name: "models-dev",
    kinds: &[Kind::Model],
    description: "models.dev's api.json: models of each provider with limits, modalities, capabilities and prices",
    count: CountMethod::Json(JsonRule::Keys(&[Step::Every, Step::Key("models")])),
    open: |target| Ok(SingleRequestSession::open(target, parse)),
    reread,
    ..Connector::RECORDS
};

const EXPECTED: &str = "models.dev's api.json: providers by id, each with its `models` by id";

/// Where models.dev's extra price for long prompts begins when it names no tier.
const LONG_CONTEXT_TOKENS: u64 = 200_000;

fn reread(target: &Target, stored: StoredKey<'_>, record: &[u8]) -> Result<Reread, String> {
    let page = public_url(&target.source_id, &target.url);
    let (provider, id) =
        stored.key.split_once('/').ok_or_else(|| format!("the key `{}` is not `provider/id`", stored.key))?;
    fields::reread(record, |value| fact(provider, id, value, page.as_str(), None, &LeftOut::default()))
}

fn parse(target: &Target, file: &[u8]) -> Result<Batch, ParseError> {
    let page = public_url(&target.source_id, &target.url).to_string();
    let mut batch = Batch::default();
    let left_out = LeftOut::default();
    let mut seen = BTreeSet::new();
    for provider in json_text::object(file, EXPECTED)? {
        match models_of(&provider) {
            Ok((name, models, doc)) => {
                for entry in models {
                    let read = entry.key().and_then(|id| {
                        if !seen.insert(format!("{name}/{id}")) {
                            return Err("the key appears twice in the file; the first entry counts".to_owned());
                        }
                        json_text::read(entry.value, |model| fact(&name, &id, model, &page, doc.as_ref(), &left_out))
                    });
                    batch.take(read.map_err(|reason| {
                        let key = format!("{name}/{}", entry.shown_key());
                        Reject::new(key, reason, &json_text::shown(entry.value))
                    }));
                }
            }
            Err(reason) => {
                let shown = json_text::shown(provider.value);
                let name = provider.shown_key();
                batch.take(Err(Reject::new(name.as_str(), reason, &shown).of_group(name)));
            }
        }
    }
    left_out.add_to(&mut batch);
    batch.with_facts(format!("no model in the file; expected {EXPECTED}"))
}

/// A provider's key, its models, and the documentation that it refers to.
type Provider<'a> = (Cow<'a, str>, Vec<Member<'a>>, Option<Value>);

fn models_of<'a>(provider: &Member<'a>) -> Result<Provider<'a>, Reason> {
    const NONE: &str = "the provider has no `models` object";
    let members = json_text::members(provider.value)?.ok_or(NONE)?;
    let mut models = None;
    for value in json_text::named(&members, "models") {
        models.get_or_insert_with(Vec::new).extend(json_text::members(value)?.ok_or(NONE)?);
    }
    let doc = json_text::named(&members, "doc").next().and_then(|doc| json_text::value(doc).ok());
    Ok((provider.key()?, models.ok_or(NONE)?, doc))
}

/// The fact of a model that a provider sells; `page` is the file, `doc` the documentation that the provider refers to.
fn fact(
    provider: &str,
    id: &str,
    value: &Value,
    page: &str,
    doc: Option<&Value>,
    left_out: &LeftOut,
) -> Result<Fact, Reason> {
    let record = value.as_object().ok_or("the model is not an object")?;
    let api_model_id = fields::text(record, "id").unwrap_or(id);
    let key = format!("{provider}/{id}");
    let bare = bare_name(api_model_id);
    let name = fields::text(record, "name").map_or_else(|| bare.clone(), str::to_owned);
    let item = Item::Model(model(record, left_out)?);
    fields::count_others(record, &["name", "family", "status"], Value::is_string, left_out);
    let kept = fields::canonical_record(value)?;
    Ok(Fact {
        head: Head {
            id: bare,
            name,
            status: status(record),
            aliases: vec![key.clone(), api_model_id.to_owned()],
            ..Head::default()
        },
        identity: Identity::of_offer(provider, api_model_id),
        provenance: Provenance { references: fields::web_page(doc), ..Provenance::default() },
        ..Fact::new(key, item, kept, page)
    })
}

fn status(record: &Map<String, Value>) -> Status {
    match fields::text(record, "status").map(str::to_ascii_lowercase).as_deref() {
        Some("deprecated") => Status::Deprecated,
        Some("alpha" | "beta") => Status::Preview,
        None if record.get("status").is_none_or(|stated| stated.is_null() || stated == "") => Status::Active,
        _ => Status::Unknown,
    }
}

fn model(record: &Map<String, Value>, left_out: &LeftOut) -> Result<Model, Reason> {
    let (limits, modalities, cost) =
        (fields::object(record, "limit")?, fields::object(record, "modalities")?, fields::object(record, "cost")?);
    let limit = |field: &str| fields::limit(limits, field, left_out).map_err(fields::inside("limit"));
    let flag = |field: &str| fields::flag_or_counted(record, field, left_out);
    count_modes(record, left_out);
    Ok(Model {
        family: fields::text(record, "family").map(str::to_owned),
        released_on: fields::date(record, "release_date", left_out),
        knowledge_cutoff: fields::date(record, "knowledge", left_out),
        open_weights: flag("open_weights"),
        limits: Limits {
            context_tokens: limit("context")?,
            input_tokens: limit("input")?,
            output_tokens: limit("output")?,
        },
        modalities: Modalities {
            input: modalities_in(modalities, "input", left_out),
            output: modalities_in(modalities, "output", left_out),
        },
        capabilities: Capabilities {
            reasoning: flag("reasoning"),
            tool_call: flag("tool_call"),
            structured_output: flag("structured_output"),
            attachments: flag("attachment"),
            prompt_caching: fields::is_charged(cost, "cache_read"),
            temperature: flag("temperature"),
            ..Capabilities::default()
        },
        pricing: pricing(cost, left_out).map_err(fields::inside("cost"))?.or_unknown(),
        ..Model::default()
    })
}

/// Counts the modes below `experimental`, of which no field shows anything. A flag in their place is counted and rejects no model.
fn count_modes(record: &Map<String, Value>, left_out: &LeftOut) {
    fields::count_others(record, &["experimental"], Value::is_object, left_out);
    let modes = record.get("experimental").and_then(|experimental| experimental.get("modes"));
    let modes = modes.and_then(Value::as_object).map_or(0, Map::len);
    (0..modes).for_each(|_| left_out.count("prices of faster modes"));
}

fn pricing(cost: &Map<String, Value>, left_out: &LeftOut) -> Result<Pricing, Reason> {
    let price = |field: &str| fields::price(cost, field, left_out);
    Ok(Pricing {
        input: price("input")?,
        output: price("output")?,
        cache_read: price("cache_read")?,
        cache_write: price("cache_write")?,
        reasoning: price("reasoning")?,
        input_audio: price("input_audio")?,
        output_audio: price("output_audio")?,
        tiers: tiers(cost, left_out)?,
        ..Pricing::default()
    })
}

/// Members of a tier that are shown, and what it is by.
const SHOWN_OF_TIER: [&str; 5] = ["tier", "input", "output", "cache_read", "cache_write"];

/// `tiers` by size of context, or the older `context_over_200k`.
fn tiers(cost: &Map<String, Value>, left_out: &LeftOut) -> Result<Vec<PriceTier>, Reason> {
    let tier = |record: &Map<String, Value>, above_context_tokens: u64| -> Result<PriceTier, Reason> {
        Ok(PriceTier {
            above_context_tokens,
            input: fields::price(record, "input", left_out)?,
            output: fields::price(record, "output", left_out)?,
            cache_read: fields::price(record, "cache_read", left_out)?,
            cache_write: fields::price(record, "cache_write", left_out)?,
        })
    };
    let mut tiers = Vec::new();
    for record in fields::list(cost, "tiers")? {
        let record = record.as_object().ok_or("`tiers` holds something that is not an object")?;
        let is_unshown = |field: &&String| !SHOWN_OF_TIER.contains(&field.as_str());
        record.keys().filter(is_unshown).for_each(|_| left_out.count(OF_TIERS_UNSHOWN));
        let by = record.get("tier").and_then(Value::as_object);
        let by = by.filter(|by| by.get("type").is_some_and(|what| what == "context"));
        if let Some(size) = by.and_then(|by| fields::limit_or_zero(by, "size", left_out).ok().flatten()) {
            tiers.push(tier(record, size).map_err(fields::inside("tiers"))?);
        } else {
            left_out.count("price tiers by something else than context");
        }
    }
    if tiers.is_empty()
        && let Some(record) = cost.get("context_over_200k").and_then(Value::as_object)
    {
        tiers.push(tier(record, LONG_CONTEXT_TOKENS).map_err(fields::inside("context_over_200k"))?);
    }
    Ok(ordered(tiers, left_out))
}
