//! `litellm`: `LiteLLM`'s price list, one JSON object keyed by model id.
//!
//! Prices are floats per token and become exact decimals per million. Two keys are no models by the file's own design. Batch prices
//! stand apart; priority, flex and regional ones are counted and left to the record. `max_input_tokens` is the context window there,
//! and `deprecation_date` the day on which the model stops to answer. Identity is in `refdesk_catalog::resolve::model`.

use std::collections::{BTreeMap, BTreeSet};

use refdesk_catalog::resolve::model::bare_name;
use refdesk_core::fact::{Identity, Provenance};
use refdesk_core::item::{Capabilities, Head, Item, Limits, Modalities, Model, PriceTier, Pricing};
use refdesk_core::{Fact, Kind, Reject, Usd};
use serde_json::{Map, Value};

use crate::connectors::formats::json_fields::{self as fields, LeftOut, Reason};
use crate::connectors::formats::json_text;
use crate::connectors::models::{OF_TIERS_UNSHOWN, modalities as modalities_in, ordered, push_other};
use crate::connectors::repository::public_url::public_url;
use crate::connectors::{Batch, Connector, CountMethod, JsonRule, ParseError, SingleRequestSession, Target};

/// The connector.
pub const CONNECTOR: Connector = Connector {
    name: "litellm",
    kinds: &[Kind::Model],
    description: "LiteLLM's model_prices_and_context_window.json: prices and limits of models at every provider",
    count: CountMethod::Json(JsonRule::Keys(&[])),
    open: |target| Ok(SingleRequestSession::open(target, parse)),
    reread: |target, stored, record| {
        let page = public_url(&target.source_id, &target.url);
        fields::reread(record, |value| fact(stored.key, value, page.as_str(), &LeftOut::default()))
    },
    ..Connector::RECORDS
};

const EXPECTED: &str = "LiteLLM's model_prices_and_context_window.json: an object keyed by model id";

/// Keys that are no models, with the reason that is counted.
const NO_MODELS: [(&str, &str); 2] =
    [("sample_spec", "documentation of the fields"), ("fallback_generalizations", "rules for ids that are not listed")];

/// The field of a model's prices that holds one of them.
type PriceOf = fn(&mut Pricing) -> &mut Option<Usd>;
/// The same of a price tier.
type TierPriceOf = fn(&mut PriceTier) -> &mut Option<Usd>;

/// Prices per token that have a field of their own. Of two for one field the first that is stated counts.
const TOKEN_PRICES: [(&str, PriceOf); 10] = [
    ("input_cost_per_token", |pricing| &mut pricing.input),
    ("output_cost_per_token", |pricing| &mut pricing.output),
    ("cache_read_input_token_cost", |pricing| &mut pricing.cache_read),
    ("input_cost_per_token_cache_hit", |pricing| &mut pricing.cache_read),
    ("cache_creation_input_token_cost", |pricing| &mut pricing.cache_write),
    ("output_cost_per_reasoning_token", |pricing| &mut pricing.reasoning),
    ("input_cost_per_audio_token", |pricing| &mut pricing.input_audio),
    ("output_cost_per_audio_token", |pricing| &mut pricing.output_audio),
    ("input_cost_per_token_batches", |pricing| &mut pricing.batch_input),
    ("output_cost_per_token_batches", |pricing| &mut pricing.batch_output),
];

/// Prices that tiers have too.
const TIERED: [(&str, TierPriceOf); 4] = [
    ("input_cost_per_token", |tier| &mut tier.input),
    ("output_cost_per_token", |tier| &mut tier.output),
    ("cache_read_input_token_cost", |tier| &mut tier.cache_read),
    ("cache_creation_input_token_cost", |tier| &mut tier.cache_write),
];

/// Prices by a meter other than plain tokens: field, meter, unit. `1M_tokens` means that the field is per token.
const OTHER_PRICES: &[(&str, &str, &str)] = &[
    ("input_cost_per_image", "input_image", "image"),
    ("output_cost_per_image", "output_image", "image"),
    ("input_cost_per_image_token", "input_image", "1M_tokens"),
    ("output_cost_per_image_token", "output_image", "1M_tokens"),
    ("input_cost_per_pixel", "input_image", "pixel"),
    ("output_cost_per_pixel", "output_image", "pixel"),
    ("input_cost_per_second", "input", "second"),
    ("output_cost_per_second", "output", "second"),
    ("output_cost_per_second_1080p", "output_1080p", "second"),
    ("input_cost_per_audio_per_second", "input_audio", "second"),
    ("input_cost_per_video_per_second", "input_video", "second"),
    ("output_cost_per_video_per_second", "output_video", "second"),
    ("output_cost_per_video_token", "output_video", "1M_tokens"),
    ("input_cost_per_character", "input", "character"),
    ("output_cost_per_character", "output", "character"),
    ("input_cost_per_query", "query", "query"),
    ("input_cost_per_request", "request", "request"),
    ("ocr_cost_per_page", "ocr", "page"),
    ("ocr_cost_per_credit", "ocr", "credit"),
    ("annotation_cost_per_page", "annotation", "page"),
    ("citation_cost_per_token", "citation", "1M_tokens"),
    ("cache_creation_input_audio_token_cost", "cache_write_audio", "1M_tokens"),
    ("cache_read_input_audio_token_cost", "cache_read_audio", "1M_tokens"),
    ("cache_creation_input_token_cost_above_1hr", "cache_write_1h", "1M_tokens"),
    ("code_interpreter_cost_per_session", "code_interpreter", "session"),
];

fn parse(target: &Target, file: &[u8]) -> Result<Batch, ParseError> {
    let page = public_url(&target.source_id, &target.url).to_string();
    let mut batch = Batch::default();
    let left_out = LeftOut::default();
    let mut seen = BTreeSet::new();
    for member in json_text::object(file, EXPECTED)? {
        let key = member.key();
        if let Some((_, reason)) = NO_MODELS.iter().find(|(name, _)| key.as_deref() == Ok(*name)) {
            batch.leave_out(reason, 1);
            continue;
        }
        let read = key.and_then(|key| {
            if !seen.insert(key.clone()) {
                return Err("the key appears twice in the file; the first entry counts".to_owned());
            }
            json_text::read(member.value, |record| fact(&key, record, &page, &left_out))
        });
        batch.take(read.map_err(|reason| Reject::new(member.shown_key(), reason, &json_text::shown(member.value))));
    }
    left_out.add_to(&mut batch);
    batch.with_facts(format!("no model in the file; expected {EXPECTED}"))
}

fn fact(key: &str, value: &Value, page: &str, left_out: &LeftOut) -> Result<Fact, Reason> {
    let record = value.as_object().ok_or("the entry is not an object")?;
    let provider = fields::required(record, "litellm_provider")?;
    let api_model_id = api_model_id(key, provider);
    // A service that searches has no name of its own: `exa_ai/search`, `tavily/search`.
    let is_service = record.get("mode").is_some_and(|mode| mode == "search");
    let name = if is_service { key.to_owned() } else { bare_name(api_model_id) };
    let mut aliases = vec![key.to_owned()];
    if api_model_id != key {
        aliases.push(api_model_id.to_owned());
    }
    let item = Item::Model(model(record, left_out)?);
    fields::count_others(record, &["mode"], Value::is_string, left_out);
    let kept = fields::canonical_record(value)?;
    Ok(Fact {
        head: Head { id: name.clone(), name, aliases, ..Head::default() },
        identity: Identity::of_offer(provider, api_model_id),
        provenance: Provenance { references: fields::web_page(record.get("source")), ..Provenance::default() },
        ..Fact::new(key, item, kept, page)
    })
}

/// `LiteLLM` puts its own name of the provider before most ids; the provider's API wants the rest.
fn api_model_id<'a>(key: &'a str, provider: &str) -> &'a str {
    let Some((front, rest)) = key.split_once('/') else { return key };
    let fold = |text: &str| text.to_lowercase().replace('_', "-");
    let (front, provider) = (fold(front), fold(provider));
    let names_provider = provider == front || provider.strip_prefix(&front).is_some_and(|end| end.starts_with('-'));
    if names_provider && !rest.is_empty() { rest } else { key }
}

fn model(record: &Map<String, Value>, left_out: &LeftOut) -> Result<Model, Reason> {
    let mode = fields::text(record, "mode").map(mode);
    let limits = Limits {
        context_tokens: fields::limit(record, "max_input_tokens", left_out)?,
        input_tokens: None,
        // An embedding model says 0 here, and means it.
        output_tokens: fields::limit_or_zero(record, "max_output_tokens", left_out)?,
    };
    count_unshown(record, left_out);
    let flags = InputFlags::read(record, left_out);
    Ok(Model {
        retires_on: fields::date(record, "deprecation_date", left_out),
        limits,
        modalities: modalities(record, mode.as_deref(), &flags, left_out),
        capabilities: capabilities(record, &flags, left_out),
        pricing: pricing(record, left_out)?.or_unknown(),
        mode,
        ..Model::default()
    })
}

/// `LiteLLM`'s modes in the words of the catalog, which are of lower case.
fn mode(mode: &str) -> String {
    let mode = mode.to_lowercase();
    match mode.as_str() {
        "responses" => "chat",
        "image_generation" | "image_edit" => "image",
        "audio_transcription" | "audio_speech" => "audio",
        "video_generation" => "video",
        other => other,
    }
    .to_owned()
}

/// Modes that say what a model takes and gives.
const OF_MODES: [(&str, &str, &str); 5] = [
    ("embedding", "text", "embedding"),
    ("audio_speech", "text", "audio"),
    ("audio_transcription", "audio", "text"),
    ("image_generation", "text", "image"),
    ("video_generation", "text", "video"),
];

/// What an entry says that it takes in besides text. Each flag is read once: reading counts what is none.
struct InputFlags {
    vision: Option<bool>,
    pdf: Option<bool>,
    audio: Option<bool>,
    video: Option<bool>,
    /// Of an embedding model.
    embedded_image: Option<bool>,
}

impl InputFlags {
    fn read(record: &Map<String, Value>, left_out: &LeftOut) -> Self {
        let flag = |field: &str| fields::flag_or_counted(record, field, left_out);
        Self {
            vision: flag("supports_vision"),
            pdf: flag("supports_pdf_input"),
            audio: flag("supports_audio_input"),
            video: flag("supports_video_input"),
            embedded_image: flag("supports_embedding_image_input"),
        }
    }
}

/// What the entry lists, or else what its mode or its flags of a chat model say.
fn modalities(record: &Map<String, Value>, mode: Option<&str>, flags: &InputFlags, left_out: &LeftOut) -> Modalities {
    let mut input = modalities_in(record, "supported_modalities", left_out);
    let said = [(flags.vision, "image"), (flags.pdf, "pdf"), (flags.audio, "audio"), (flags.video, "video")];
    let said: Vec<&str> = said.iter().filter(|(flag, _)| *flag == Some(true)).map(|(_, word)| *word).collect();
    if input.is_empty() && mode == Some("chat") && !said.is_empty() {
        input = ["text"].into_iter().chain(said.iter().copied()).map(str::to_owned).collect();
    }
    let mut output = modalities_in(record, "supported_output_modalities", left_out);
    let own_mode = fields::text(record, "mode").map(str::to_lowercase);
    if let Some((_, takes, gives)) = OF_MODES.iter().find(|(known, ..)| own_mode.as_deref() == Some(*known)) {
        if input.is_empty() {
            let embedded = (flags.embedded_image == Some(true)).then_some("image");
            for word in [*takes].into_iter().chain(said).chain(embedded) {
                if !input.iter().any(|known| known == word) {
                    input.push(word.to_owned());
                }
            }
        }
        if output.is_empty() {
            output.push((*gives).to_owned());
        }
    }
    Modalities { input, output }
}

fn capabilities(record: &Map<String, Value>, flags: &InputFlags, left_out: &LeftOut) -> Capabilities {
    let flag = |field: &str| fields::flag_or_counted(record, field, left_out);
    let either = |a: Option<bool>, b: Option<bool>| match (a, b) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    };
    Capabilities {
        reasoning: flag("supports_reasoning"),
        tool_call: flag("supports_function_calling"),
        structured_output: either(flag("supports_response_schema"), flag("supports_native_structured_output")),
        attachments: either(flags.vision, flags.pdf),
        prompt_caching: flag("supports_prompt_caching"),
        batch: record.get("input_cost_per_token_batches").is_some_and(|price| !price.is_null()).then_some(true),
        streaming: flag("supports_native_streaming"),
        temperature: None,
    }
}

/// Counts the prices that no field of an answer shows; the record keeps them.
fn count_unshown(record: &Map<String, Value>, left_out: &LeftOut) {
    let is_shown = |field: &str| {
        TOKEN_PRICES.iter().any(|(known, _)| *known == field)
            || OTHER_PRICES.iter().any(|(known, ..)| *known == field)
            || tier_of(field).is_some()
    };
    let unshown =
        record.iter().filter(|(field, value)| field.contains("cost") && value.is_number() && !is_shown(field));
    for (field, _) in unshown {
        left_out.count(match field.rsplit('_').next() {
            Some("priority") => "priority prices",
            Some("flex") => "flex prices",
            _ => "prices by meters that no field shows",
        });
    }
}

fn pricing(record: &Map<String, Value>, left_out: &LeftOut) -> Result<Pricing, Reason> {
    let per_token = |field: &str| fields::price_per_token(record, field, left_out);
    let mut pricing = Pricing { tiers: tiers(record, left_out)?, ..Pricing::default() };
    for (field, price_of) in TOKEN_PRICES {
        let price = price_of(&mut pricing);
        if price.is_none() {
            *price = per_token(field)?;
        }
    }
    ranges(record, &mut pricing, left_out)?;
    pricing.tiers = ordered(pricing.tiers, left_out);
    for (field, meter, unit) in OTHER_PRICES {
        let price = if *unit == "1M_tokens" { per_token(field)? } else { fields::price(record, field, left_out)? };
        push_other(&mut pricing, *meter, unit, price);
    }
    if let Some(search) = record.get("search_context_cost_per_query").and_then(Value::as_object) {
        for size in ["low", "medium", "high"] {
            let price = fields::price(search, &format!("search_context_size_{size}"), left_out)
                .map_err(fields::inside("search_context_cost_per_query"))?;
            push_other(&mut pricing, format!("web_search_{size}_context"), "query", price);
        }
    }
    Ok(pricing)
}

/// What `input_cost_per_token_above_200k_tokens` states: which price of a tier, and the size of context.
fn tier_of(field: &str) -> Option<(TierPriceOf, u64)> {
    let (base, size) = field.strip_suffix("k_tokens")?.split_once("_above_")?;
    let (_, price_of) = TIERED.iter().find(|(known, _)| *known == base)?;
    Some((*price_of, size.parse::<u64>().ok()?.saturating_mul(1_000)))
}

/// `input_cost_per_token_above_200k_tokens` and its kin, smallest context first.
fn tiers(record: &Map<String, Value>, left_out: &LeftOut) -> Result<Vec<PriceTier>, Reason> {
    let mut tiers: BTreeMap<u64, PriceTier> = BTreeMap::new();
    for field in record.keys() {
        let Some((price_of, above_context_tokens)) = tier_of(field) else { continue };
        let tier = tiers
            .entry(above_context_tokens)
            .or_insert_with(|| PriceTier { above_context_tokens, ..PriceTier::default() });
        *price_of(tier) = fields::price_per_token(record, field, left_out)?;
    }
    tiers.retain(|_, tier| {
        tier.input.is_some() || tier.output.is_some() || tier.cache_read.is_some() || tier.cache_write.is_some()
    });
    Ok(tiers.into_values().collect())
}

/// `tiered_pricing`: prices by range of context. The first range is the plain price where the entry states no other.
fn ranges(record: &Map<String, Value>, pricing: &mut Pricing, left_out: &LeftOut) -> Result<(), Reason> {
    let per_token = |range: &Map<String, Value>, field: &str| {
        fields::price_per_token(range, field, left_out).map_err(fields::inside("tiered_pricing"))
    };
    for range in fields::list(record, "tiered_pricing")? {
        let range = range.as_object().ok_or("`tiered_pricing` holds something that is not an object")?;
        let Some(from) = range.get("range").and_then(|bounds| bounds.get(0)).and_then(Value::as_f64) else {
            left_out.count("price ranges by something else than context");
            continue;
        };
        let mut tier = PriceTier { above_context_tokens: from.max(0.0) as u64, ..PriceTier::default() };
        for (field, price_of) in TIERED {
            *price_of(&mut tier) = per_token(range, field)?;
        }
        if from <= 0.0 {
            pricing.input = pricing.input.or(tier.input);
            pricing.output = pricing.output.or(tier.output);
            pricing.cache_read = pricing.cache_read.or(tier.cache_read);
            pricing.cache_write = pricing.cache_write.or(tier.cache_write);
            if pricing.reasoning.is_none() {
                pricing.reasoning = per_token(range, "output_cost_per_reasoning_token")?;
            }
            continue;
        }
        let is_shown = |field: &str| TIERED.iter().any(|(known, _)| *known == field);
        let unshown =
            range.iter().filter(|(field, price)| field.contains("cost") && price.is_number() && !is_shown(field));
        unshown.for_each(|_| left_out.count(OF_TIERS_UNSHOWN));
        pricing.tiers.push(tier);
    }
    Ok(())
}
