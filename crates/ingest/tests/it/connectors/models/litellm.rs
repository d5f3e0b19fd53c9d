//! `LiteLLM`'s price list: what becomes of its fields, and of entries that are odd.

use super::{fact, left_out, model, pricing, reasons, run};
use refdesk_ingest::connectors::Batch;
use serde_json::json;

pub(super) const LITELLM: &str =
    "https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json";

fn litellm() -> Batch {
    run("litellm", LITELLM, &[], &[("window.json", include_str!("../../../../fixtures/litellm.json"), None)]).unwrap()
}

#[test]
fn a_service_that_searches_is_named_by_whose_it_is() {
    let batch = litellm();
    let service = fact(&batch, "lantern_ai/search");
    assert_eq!(
        (service.head.name.as_str(), service.identity.api_model_id.as_deref()),
        ("lantern_ai/search", Some("search"))
    );
}

#[test]
fn litellm_gives_exact_prices_per_million_and_keeps_batch_apart_and_priority_out() {
    let batch = litellm();
    assert_eq!(
        pricing(&batch, "harbor-2-large"),
        json!({
            "input": 0.15, "output": 0.6, "cache_read": 0.075, "batch_input": 0.075, "batch_output": 0.3,
            "tiers": [{"above_context_tokens": 200_000, "input": 0.3, "output": 1.2, "cache_read": null, "cache_write": null}],
            "other": [
                {"meter": "web_search_low_context", "unit": "query", "price": 0.03},
                {"meter": "web_search_medium_context", "unit": "query", "price": 0.035},
            ],
        })
    );
    let model = model(&batch, "harbor-2-large");
    assert_eq!(
        (model.limits.context_tokens, model.limits.input_tokens, model.limits.output_tokens),
        (Some(200_000), None, Some(32_000)),
        "its input limit is the window, also as 200000.0"
    );
    assert_eq!(
        (model.deprecated_on.as_deref(), model.retires_on.as_deref(), model.mode.as_deref()),
        (None, Some("2027-01-31"), Some("chat")),
        "its deprecation is the shut-down"
    );
    assert_eq!(
        (model.capabilities.tool_call, model.capabilities.reasoning, model.capabilities.temperature),
        (Some(true), Some(false), None)
    );
    assert_eq!(model.modalities.input, ["text", "image"]);
    let fact = fact(&batch, "harbor-2-large");
    assert_eq!(fact.source_url, LITELLM, "the file that was read");
    assert_eq!(fact.provenance.references, ["https://vendor.example/harbor"], "a page that nobody fetched");
}

#[test]
fn litellm_modes_say_what_a_model_takes_and_gives() {
    let file = r#"{
        "lamp/voice": {"litellm_provider": "lamp", "mode": "audio_speech"},
        "lamp/ear": {"litellm_provider": "lamp", "mode": "audio_transcription", "supported_output_modalities": ["text", "json"]},
        "lamp/brush": {"litellm_provider": "lamp", "mode": "image_generation"},
        "lamp/retouch": {"litellm_provider": "lamp", "mode": "image_generation", "supports_vision": true},
        "lamp/film": {"litellm_provider": "lamp", "mode": "video_generation"},
        "lamp/vector": {"litellm_provider": "lamp", "mode": "embedding", "supports_embedding_image_input": true}
    }"#;
    let batch = run("litellm", LITELLM, &[], &[("window.json", file, None)]).unwrap();
    let (voice, ear) = (model(&batch, "lamp/voice"), model(&batch, "lamp/ear"));
    assert_eq!(voice.modalities.input, ["text"]);
    assert_eq!(voice.modalities.output, ["audio"]);
    assert_eq!(ear.modalities.input, ["audio"]);
    assert_eq!(ear.modalities.output, ["text", "json"], "what is listed goes first");
    assert_eq!(model(&batch, "lamp/brush").modalities.input, ["text"]);
    assert_eq!(model(&batch, "lamp/brush").modalities.output, ["image"]);
    assert_eq!(model(&batch, "lamp/retouch").modalities.input, ["text", "image"], "it edits what it sees");
    assert_eq!(model(&batch, "lamp/film").modalities.output, ["video"]);
    let vector = model(&batch, "lamp/vector");
    assert_eq!(vector.modalities.input, ["text", "image"]);
    assert_eq!(vector.modalities.output, ["embedding"]);
}

#[test]
fn a_flag_of_another_type_is_counted_once_however_many_fields_it_feeds() {
    let file = r#"{"lamp/eye": {"litellm_provider": "lamp", "mode": "chat", "supports_vision": "yes", "supports_pdf_input": true}}"#;
    let batch = run("litellm", LITELLM, &[], &[("window.json", file, None)]).unwrap();
    assert_eq!(model(&batch, "lamp/eye").modalities.input, ["text", "pdf"]);
    assert_eq!(left_out(&batch), json!({"values of another type than their field has, unknown": 1}));
}

#[test]
fn litellm_ids_lose_only_litellms_own_prefix() {
    let batch = litellm();
    let identity = |key: &str| {
        let identity = &fact(&batch, key).identity;
        (identity.provider.clone().unwrap(), identity.api_model_id.clone().unwrap())
    };
    assert_eq!(identity("groq/openai/gpt-oss-20b"), ("groq".into(), "openai/gpt-oss-20b".into()));
    let regional = "bedrock/us-east-1/anthropic.claude-instant-v1";
    assert_eq!(identity(regional), ("bedrock".into(), "us-east-1/anthropic.claude-instant-v1".into()));
    assert_eq!(identity("1024-x-1024/dall-e-2"), ("openai".into(), "1024-x-1024/dall-e-2".into()));
    assert_eq!(fact(&batch, "groq/openai/gpt-oss-20b").head.id, "gpt-oss-20b");
    assert!(fact(&batch, regional).head.aliases.contains(&regional.to_owned()));
    assert_eq!(fact(&batch, regional).source_url, LITELLM);
}

#[test]
fn litellm_prices_by_other_meters_and_ranges_are_kept_and_zero_is_free() {
    let batch = litellm();
    assert_eq!(pricing(&batch, "groq/openai/gpt-oss-20b"), json!({"input": 0.1, "output": 0}));
    let other = |meter: &str, unit: &str, price: f64| json!({"meter": meter, "unit": unit, "price": price});
    assert_eq!(
        pricing(&batch, "bedrock/us-east-1/anthropic.claude-instant-v1"),
        json!({"other": [other("output", "second", 0.011)]})
    );
    let pixels = pricing(&batch, "1024-x-1024/dall-e-2");
    assert_eq!(pixels["other"][0], other("input_image", "pixel", 0.000_000_019));
    let ranges = pricing(&batch, "dashscope/qwen-tide");
    assert_eq!((&ranges["input"], &ranges["tiers"][0]["input"]), (&json!(0.05), &json!(0.25)));
    assert_eq!(ranges["tiers"][0]["above_context_tokens"], 256_000);
}

#[test]
fn litellm_entries_that_are_no_models_are_counted_and_bad_ones_are_rejects() {
    let batch = litellm();
    assert_eq!((batch.items_upstream, batch.facts.len()), (9, 7));
    assert_eq!(
        left_out(&batch),
        json!({
            "documentation of the fields": 1, "rules for ids that are not listed": 1,
            "priority prices": 2, "flex prices": 1, "negative prices, unknown": 1,
            "dates that cannot be, unknown": 1, "limits of 0, unknown": 1,
        })
    );
    let odd = model(&batch, "odd/values");
    assert_eq!(
        (odd.limits.context_tokens, odd.limits.output_tokens, odd.retires_on.as_deref()),
        (None, Some(8_192), None),
        "what cannot be is unknown, the rest stands"
    );
    assert_eq!(pricing(&batch, "odd/values"), json!({"output": 6}));
    assert_eq!(
        reasons(&batch),
        [
            ("nowhere/model", "`litellm_provider` is missing or no text"),
            ("broken/price", "`input_cost_per_token` is \"soon\", which is not a price"),
        ]
    );
}

/// A text of digits spoilt its entry, with its prices.
#[test]
fn a_limit_may_be_a_text_of_digits() {
    let file = r#"{
        "a": {"litellm_provider": "x", "max_input_tokens": "128000", "output_cost_per_token": 2e-06},
        "b": {"litellm_provider": "x", "max_input_tokens": "128k"}, "c": {"litellm_provider": "x", "max_input_tokens": ""}
    }"#;
    let batch = run("litellm", LITELLM, &[], &[("window.json", file, None)]).unwrap();
    assert_eq!((model(&batch, "a").limits.context_tokens, pricing(&batch, "a")), (Some(128_000), json!({"output": 2})));
    assert_eq!(
        reasons(&batch),
        [
            ("b", "`max_input_tokens` is \"128k\", which is not a whole number of zero or more"),
            ("c", "`max_input_tokens` is \"\", which is not a whole number of zero or more"),
        ]
    );
}

#[test]
fn a_number_that_is_none_spoils_its_own_entry_and_not_the_file() {
    let file = r#"{
        "a": {"litellm_provider": "x \" NaN", "input_cost_per_token": NaN},
        "b": {"litellm_provider": "x", "output_cost_per_token": 1e999},
        "c": {"litellm_provider": "x", "max_input_tokens": -Infinity},
        "d": {"litellm_provider": "x", "input_cost_per_token": 1e-06, "deprecation_date": "99999-01-01"},
        "e": {"litellm_provider": "x", "input_cost_per_token": 1e23}
    }"#;
    let batch = run("litellm", LITELLM, &[], &[("window.json", file, None)]).unwrap();
    assert_eq!(
        reasons(&batch),
        [
            ("a", "`input_cost_per_token` is \"NaN\", which is not a price"),
            ("b", "`output_cost_per_token` is \"1e999\", which is not a price"),
            ("c", "`max_input_tokens` is \"-Infinity\", which is not a whole number of zero or more"),
            ("e", "`input_cost_per_token` is 100000000000000000000000 per token, which is too large"),
        ]
    );
    assert_eq!((pricing(&batch, "d"), model(&batch, "d").retires_on.as_deref()), (json!({"input": 1}), None));
}
