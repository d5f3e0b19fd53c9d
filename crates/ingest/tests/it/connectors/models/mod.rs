//! The connectors of models: small files of our own making in each upstream's shape, and the values that must come out. `LiteLLM`'s list and
//! odd forms of values have modules of their own.

mod litellm;
mod odd_values;

use std::collections::BTreeMap;

use self::litellm::LITELLM;
use refdesk_core::Fact;
use refdesk_core::item::{Item, Limits, Model, Status};
use refdesk_ingest::connectors::{Answer, Batch, ParseError, Request, Target, find};
use serde_json::{Value, json};
use url::Url;

/// What a url answers: the url's end, the body, the `Link` header.
type Served = (&'static str, &'static str, Option<&'static str>);

/// Runs a pass over what is served; a url that is not served answers 404 where that is allowed.
fn run(connector: &str, url: &str, options: &[(&str, &str)], served: &[Served]) -> Result<Batch, ParseError> {
    let options: BTreeMap<String, String> =
        options.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    let target =
        Target { source_id: connector.into(), url: Url::parse(url).unwrap(), options, serve_restricted: false };
    let mut pass = (find(connector).unwrap().open)(&target)?;
    let mut waiting = pass.first();
    while let Some(Request { url, tag, may_be_missing, .. }) = waiting.pop() {
        let found = served.iter().find(|(end, _, _)| url.as_str().ends_with(end));
        assert!(found.is_some() || may_be_missing, "{url} was asked for");
        let (status, body, link) = found.map_or((404, "", None), |(_, body, link)| (200, *body, *link));
        let answer = Answer { tag, url, status, link: link.map(Into::into), body: body.into() };
        waiting.extend(pass.accept(answer)?);
    }
    let batch = pass.finish()?;
    assert_eq!(batch.facts.len() + batch.versions + batch.rejects.len(), batch.items_upstream, "nothing vanishes");
    Ok(batch)
}

fn fact<'a>(batch: &'a Batch, key: &str) -> &'a Fact {
    batch.facts.iter().find(|fact| fact.key == key).unwrap()
}

fn model<'a>(batch: &'a Batch, key: &str) -> &'a Model {
    let Item::Model(model) = &fact(batch, key).item else { unreachable!("the source gives models") };
    model
}

/// The prices that are stated, as JSON.
fn pricing(batch: &Batch, key: &str) -> Value {
    let mut pricing = serde_json::to_value(&model(batch, key).pricing).unwrap();
    if let Some(prices) = pricing.as_object_mut() {
        prices.retain(|field, value| {
            !value.is_null()
                && !matches!(field.as_str(), "currency" | "unit")
                && value.as_array().is_none_or(|list| !list.is_empty())
        });
    }
    pricing
}

/// What is counted by name, entries and values, as JSON.
fn left_out(batch: &Batch) -> Value {
    let named: BTreeMap<_, _> = batch.ignored.iter().chain(&batch.unshown).collect();
    json!(named)
}

fn reasons(batch: &Batch) -> Vec<(&str, &str)> {
    batch.rejects.iter().map(|reject| (reject.key.as_str(), reject.reason.as_str())).collect()
}

#[test]
fn models_dev_keys_are_provider_and_id_and_placeholders_are_unknown() {
    let url = "https://models.dev/api.json";
    let batch =
        run("models-dev", url, &[], &[("api.json", include_str!("../../../../fixtures/models_dev.json"), None)])
            .unwrap();
    let first = fact(&batch, "anthropic/claude-example-4-5");
    assert_eq!((first.source_url.as_str(), first.head.id.as_str()), (url, "claude-example-4-5"));
    assert_eq!(first.provenance.references, ["https://docs.example/models"]);
    assert_eq!(
        pricing(&batch, "anthropic/claude-example-4-5"),
        json!({
            "input": 0.15, "output": 15, "cache_read": 0.3,
            "tiers": [{"above_context_tokens": 200_000, "input": 6, "output": 22.5, "cache_read": null, "cache_write": null}],
        })
    );
    let stated = model(&batch, "anthropic/claude-example-4-5");
    assert_eq!(
        (stated.released_on.as_deref(), stated.knowledge_cutoff.as_deref()),
        (Some("2025-09-29"), Some("2025-07"))
    );
    assert_eq!((stated.limits.context_tokens, stated.capabilities.temperature), (Some(200_000), Some(false)));
    let free = "somewhere/anthropic/claude-example-4-5:free";
    let unknown = model(&batch, free);
    assert!(unknown.released_on.is_none() && unknown.limits == Limits::default() && unknown.pricing.is_none());
    let free = fact(&batch, free);
    assert_eq!((free.head.status.as_str(), free.source_url.as_str()), ("preview", url));
    assert_eq!(free.identity.api_model_id.as_deref(), Some("anthropic/claude-example-4-5:free"));
    let long = pricing(&batch, "somewhere/long-one");
    assert_eq!((&long["input"], &long["tiers"][0]["above_context_tokens"]), (&json!(0), &json!(200_000)));
    assert_eq!(batch.items_upstream, 5);
    assert_eq!(
        reasons(&batch),
        [
            ("somewhere/odd", "`limit.context` is -1, which is not a whole number of zero or more"),
            ("empty", "the provider has no `models` object"),
        ]
    );
}

#[test]
fn openrouter_prices_are_decimal_texts_and_minus_one_is_unknown() {
    let url = "http://127.0.0.1:9900/openrouter.ai/api/v1/models";
    let batch = run("openrouter", url, &[], &[("/models", include_str!("../../../../fixtures/openrouter.json"), None)])
        .unwrap();
    assert_eq!(
        pricing(&batch, "acme/anvil-2"),
        json!({
            "input": 0.03, "output": 0.11,
            "tiers": [{"above_context_tokens": 128_000, "input": 0.06, "output": 0.22, "cache_read": null, "cache_write": null}],
            "other": [{"meter": "web_search", "unit": "request", "price": 0.01}],
        })
    );
    assert_eq!(pricing(&batch, "acme/anvil-2:batch"), json!({"batch_input": 0.015, "batch_output": 0.055}));
    let tokens = |meter: &str, price: f64| json!({"meter": meter, "unit": "1M_tokens", "price": price});
    assert_eq!(
        pricing(&batch, "acme/eye:batch"),
        json!({
            "batch_input": 0.2, "batch_output": 1,
            "other": [
                tokens("batch_input_image", 0.2), tokens("batch_cache_read", 0.02), tokens("batch_cache_write", 0.25),
                {"meter": "batch_reasoning", "unit": "1M_tokens", "price": 1},
                {"meter": "web_search", "unit": "request", "price": 0.01},
                tokens("batch_input_above_200000", 0.4), tokens("batch_output_above_200000", 1.5),
            ],
        }),
        "an image price that is the one of a text token is per token"
    );
    assert_eq!(
        pricing(&batch, "acme/eye")["other"],
        json!([{"meter": "input_image", "unit": "image", "price": 0.0011}, tokens("input_image", 0.6)]),
        "beside a price per image token, the other is per image"
    );
    assert_eq!(pricing(&batch, "acme/old-eye"), json!({"input": 0.4}), "no unit is guessed");
    assert_eq!(
        left_out(&batch),
        json!({
            "image prices whose unit the record does not tell": 1, "negative prices, unknown": 1,
            "prices of -1, which depend on the request, unknown": 2, "listed twice": 1,
            "dates that cannot be, unknown": 2, "prices that hold by time of day or by another rule": 1,
            "`pricing.discount`, whose meter is not known": 1,
        })
    );
    assert!(model(&batch, "openrouter/auto").pricing.is_none());
    let first = fact(&batch, "acme/anvil-2");
    assert_eq!(first.source_url, "https://openrouter.ai/api/v1/models", "the list was read, not the page it links");
    assert_eq!(first.provenance.references, ["https://openrouter.ai/api/v1/models/acme/anvil-2-20260101/endpoints"]);
    assert_eq!(
        (first.head.name.as_str(), &first.head.aliases, &first.identity.same_as),
        ("Anvil 2", &vec!["acme/anvil-2".to_owned()], &vec!["Acme/Anvil-2".to_owned()])
    );
    let stated = model(&batch, "acme/anvil-2");
    assert_eq!((stated.capabilities.tool_call, stated.capabilities.structured_output), (Some(true), Some(false)));
    assert_eq!((stated.open_weights, stated.retires_on.as_deref()), (Some(true), None), "2098 is a placeholder");
    assert_eq!(model(&batch, "acme/anvil-2:batch").retires_on.as_deref(), Some("2026-12-31"));
    assert_eq!(fact(&batch, "~acme/anvil-latest").identity.same_as, ["acme/anvil-2"]);
    let text = "Sees what [Anvil 2](https://openrouter.ai/acme/anvil-2) does ([all](https://acme.example/all), \
                [more](//acme.example)). Not a [seller](https://openrouter.ai/sel...";
    assert_eq!(model(&batch, "acme/eye").description.as_deref(), Some(text), "links that leave the site name it");
    assert_eq!(
        reasons(&batch),
        [
            ("item 8", "`id` is missing or no text"),
            ("item 9", "the id `acme/anvil-2` is listed twice with different contents; the first counts"),
        ]
    );
}

#[test]
fn llm_prices_rows_for_long_prompts_are_tiers_and_a_double_id_stays_two_facts() {
    let url = "https://www.llm-prices.com/current-v1.json";
    let current = ("current-v1.json", include_str!("../../../../fixtures/llm_prices_current.json"), None);
    let history = ("historical-v1.json", include_str!("../../../../fixtures/llm_prices_history.json"), None);
    let batch = run("llm-prices", url, &[], &[current, history]).unwrap();
    assert_eq!((batch.items_upstream, batch.facts.len(), batch.versions, batch.rejects.len()), (11, 6, 3, 2));
    assert_eq!(left_out(&batch), json!({"dated rows of ids that are not current": 1}));
    let record: Value = serde_json::from_slice(fact(&batch, "gemini-tide").record.as_bytes()).unwrap();
    let dates: Vec<_> = record["history"].as_array().unwrap().iter().map(|row| row["to_date"].clone()).collect();
    assert_eq!((&record["current"]["input"], dates), (&json!(1.25), vec![json!("2026-05-01"), Value::Null]));
    let gust: Value = serde_json::from_slice(fact(&batch, "grok-gust (Grok Gust ≤128k)").record.as_bytes()).unwrap();
    assert_eq!(gust["history"][0]["input"], json!(0.3), "a dated row belongs to the row of its name");
    assert_eq!(pricing(&batch, "gemini-tide"), json!({"input": 1.25, "output": 10, "cache_read": 0.125}));
    assert_eq!(
        pricing(&batch, "gemini-tide-200k"),
        json!({"tiers": [{"above_context_tokens": 200_000, "input": 2.5, "output": 15, "cache_read": null, "cache_write": null}]})
    );
    let tier = fact(&batch, "gemini-tide-200k");
    assert_eq!((tier.identity.api_model_id.as_deref(), tier.head.name.as_str()), (Some("gemini-tide"), "Gemini Tide"));
    assert_eq!(tier.head.vendor.as_deref(), Some("google"), "its own word, for a maker that no table knows");
    assert_eq!(fact(&batch, "grok-gust (Grok Gust ≤128k)").head.id, "grok-gust");
    assert_eq!(
        pricing(&batch, "gpt-image-9-image")["other"][1],
        json!({"meter": "output_image", "unit": "1M_tokens", "price": 30})
    );
    assert_eq!(fact(&batch, "gpt-image-9-text").identity.api_model_id.as_deref(), Some("gpt-image-9"));
    let alone = run("llm-prices", url, &[], &[current]).unwrap();
    assert_eq!((alone.facts.len(), alone.versions), (6, 0), "the history may be missing");
}

const HUB: &str = "http://127.0.0.1:9900/huggingface.co/api/models?limit=2";
const NEXT: &str = "<https://huggingface.co/api/models?limit=2>; rel=\"first\", <https://huggingface.co/api/models?limit=2&cursor=p2>; rel=\"next\"";

#[test]
fn huggingface_pages_follow_the_link_header_through_the_mirror() {
    let pages = [
        ("limit=2", include_str!("../../../../fixtures/huggingface_1.json"), Some(NEXT)),
        ("cursor=p2", include_str!("../../../../fixtures/huggingface_2.json"), None),
    ];
    let batch = run("huggingface", HUB, &[], &pages).unwrap();
    let keys: Vec<_> = batch.facts.iter().map(|fact| fact.key.as_str()).collect();
    assert_eq!(keys, ["Acme/Anvil-2", "Acme/Anvil-Embed", "gpt9"]);
    assert_eq!((reasons(&batch), left_out(&batch)), (vec![], json!({"listed twice": 1})), "the list moves");
    let first = fact(&batch, "Acme/Anvil-2");
    assert_eq!(
        (first.source_url.as_str(), &first.identity.provider),
        ("https://huggingface.co/api/models?limit=2", &None)
    );
    assert_eq!(first.provenance.references, ["https://huggingface.co/Acme/Anvil-2"]);
    let stated = model(&batch, "Acme/Anvil-2");
    assert_eq!(
        (stated.license.as_deref(), stated.open_weights, stated.mode.as_deref()),
        (Some("apache-2.0"), Some(true), Some("chat"))
    );
    let two = run("huggingface", HUB, &[("items_max", "2")], &pages).unwrap();
    assert_eq!(two.items_upstream, 2);
}

#[test]
fn huggingface_never_leaves_its_site_and_never_goes_round() {
    let page = include_str!("../../../../fixtures/huggingface_1.json");
    for (link, reason) in [
        ("<https://elsewhere.example/api/models?cursor=2>; rel=next", "is on another site than the list"),
        ("<https://huggingface.co/api/models?limit=2>; rel=\"next\"", "the list would never end"),
    ] {
        let error = run("huggingface", HUB, &[], &[("limit=2", page, Some(link))]).unwrap_err();
        assert!(error.message.contains(reason), "{}", error.message);
    }
    let error = run("huggingface", HUB, &[("items_max", "many")], &[]).unwrap_err();
    assert!(error.message.contains("set a whole number"), "{}", error.message);
}

#[test]
fn a_file_of_another_shape_fails_the_pass_and_says_what_was_expected() {
    for (connector, url, end) in [
        ("litellm", LITELLM, "window.json"),
        ("models-dev", "https://models.dev/api.json", "api.json"),
        ("openrouter", "https://openrouter.ai/api/v1/models", "models"),
        ("llm-prices", "https://www.llm-prices.com/current-v1.json", "current-v1.json"),
        ("huggingface", HUB, "limit=2"),
    ] {
        for body in ["", "<html>", "[", "{}", "[]", "null", "{\"data\": {}}", "{\"prices\": 3}"] {
            let error = run(connector, url, &[], &[(end, body, None)]).map(|batch| batch.facts.len()).unwrap_err();
            assert!(error.message.contains("expected"), "{connector} over {body:?}: {}", error.message);
        }
    }
}

#[test]
fn a_text_of_another_type_is_told_and_a_status_is_read_in_any_case() {
    let wrong = |count: usize| json!({"values of another type than their field has, unknown": count});
    let models = r#"{"p": {"models": {
        "a": {"id": "a", "name": ["A"], "family": 5, "status": 1},
        "b": {"id": "b", "name": null, "status": "Deprecated"},
        "c": {"id": "c", "status": null}
    }}}"#;
    let batch = run("models-dev", "https://models.dev/api.json", &[], &[("api.json", models, None)]).unwrap();
    assert_eq!((fact(&batch, "p/a").head.name.as_str(), left_out(&batch)), ("a", wrong(3)));
    let status = |key| fact(&batch, key).head.status;
    assert_eq!((status("p/a"), status("p/b"), status("p/c")), (Status::Unknown, Status::Deprecated, Status::Active));
    let list = r#"{"data": [{"id": "acme/a", "name": 5, "description": {}, "alias_target": "acme/b", "hugging_face_id": null}]}"#;
    let batch = run("openrouter", "https://openrouter.ai/api/v1/models", &[], &[("models", list, None)]).unwrap();
    assert_eq!((fact(&batch, "acme/a").head.name.as_str(), left_out(&batch)), ("acme/a", wrong(3)));
    let page =
        r#"[{"id": "acme/a", "private": "no", "tags": ["license:mit", "license:apache-2.0"], "pipeline_tag": 1}]"#;
    let batch = run("huggingface", HUB, &[], &[("limit=2", page, None)]).unwrap();
    assert_eq!((model(&batch, "acme/a").license.as_deref(), left_out(&batch)), (Some("mit, apache-2.0"), wrong(2)));
}

#[test]
fn what_is_of_another_type_than_its_field_is_told_and_no_price_of_nothing_means_a_cache() {
    let models = r#"{"p": {"models": {
        "a": {"id": "a", "cost": "free"},
        "b": {"id": "b", "limit": 128000},
        "c": {"id": "c", "reasoning": "yes", "modalities": {"input": ["text", 5]}, "cost": {"input": 1, "cache_read": 0}},
        "d": {"id": "d", "cost": {"input": 1, "cache_read": 0.1, "tiers": [{"tier": {"type": "day", "size": 1}, "input": 2}]}}
    }}}"#;
    let batch = run("models-dev", "https://models.dev/api.json", &[], &[("api.json", models, None)]).unwrap();
    assert_eq!(
        reasons(&batch),
        [("p/a", "`cost` is a text, which is not a mapping"), ("p/b", "`limit` is a number, which is not a mapping")]
    );
    let caching = |key| model(&batch, key).capabilities.prompt_caching;
    assert_eq!((caching("p/c"), caching("p/d")), (None, Some(true)));
    assert_eq!(
        left_out(&batch),
        json!({"price tiers by something else than context": 1, "values of another type than their field has, unknown": 2})
    );
}
