//! Odd forms of what an upstream states: what they may not be taken for, and that files with a byte order mark are read as others are.

use std::error::Error;

use super::{fact, left_out, model, pricing, reasons, run};
use crate::tarball::{self, Outcome, run_tarball};
use bytes::Bytes;
use refdesk_core::Body;
use refdesk_core::item::Item;
use refdesk_ingest::connectors::Batch;
use serde_json::{Value, json};

const MODELS_DEV: &str = "https://models.dev/api.json";
const OPENROUTER: &str = "https://openrouter.ai/api/v1/models";
const HUB: &str = "https://huggingface.co/api/models?limit=2";

#[test]
fn words_of_a_list_are_read_in_any_case_and_once_each() {
    let list = r#"{"p": {"models": {"a": {"id": "a", "modalities": {"input": [" Text ", "IMAGE", "text", ""], "output": null}}}}}"#;
    let batch = run("models-dev", MODELS_DEV, &[], &[("api.json", list, None)]).unwrap();
    assert_eq!(model(&batch, "p/a").modalities.input, ["text", "image"]);
    assert_eq!(left_out(&batch), json!({}));
}

#[test]
fn a_mode_is_read_in_any_case() {
    let file = r#"{"lamp-embed": {"litellm_provider": "acme", "mode": "Embedding"}}"#;
    let batch = run("litellm", super::litellm::LITELLM, &[], &[("window.json", file, None)]).unwrap();
    let read = model(&batch, "lamp-embed");
    assert_eq!((read.mode.as_deref(), &read.modalities.output[..]), (Some("embedding"), &["embedding".to_owned()][..]));
}

#[test]
fn a_flag_where_models_dev_has_its_modes_rejects_no_model() {
    let list = r#"{"p": {"models": {"a": {"id": "a", "experimental": true, "cost": {"input": 3}}}}}"#;
    let batch = run("models-dev", MODELS_DEV, &[], &[("api.json", list, None)]).unwrap();
    assert_eq!(pricing(&batch, "p/a"), json!({"input": 3}));
    assert_eq!(left_out(&batch), json!({"values of another type than their field has, unknown": 1}));
}

#[test]
fn a_size_of_prompt_has_one_tier_and_the_first_of_two_counts() {
    let tier = |input: u8, size: u32| json!({"tier": {"type": "context", "size": size}, "input": input});
    let tiers = json!([tier(6, 200_000), tier(4, 100_000), tier(6, 200_000), tier(9, 100_000)]);
    let list = json!({"p": {"models": {"a": {"id": "a", "cost": {"input": 3, "tiers": tiers}}}}}).to_string();
    let batch = run("models-dev", MODELS_DEV, &[], &[("api.json", list.leak(), None)]).unwrap();
    let shown = pricing(&batch, "p/a")["tiers"].clone();
    let sizes = shown.as_array().unwrap().iter().map(|tier| (&tier["above_context_tokens"], &tier["input"]));
    assert_eq!(sizes.collect::<Vec<_>>(), [(&json!(100_000), &json!(4)), (&json!(200_000), &json!(6))]);
    assert_eq!(left_out(&batch), json!({"second prices of a tier": 1}));
}

#[test]
fn ranges_of_context_are_tiers_smallest_first_with_all_that_a_tier_has() {
    let file = r#"{"anvil": {"litellm_provider": "acme", "tiered_pricing": [
        {"range": [128000, 256000], "input_cost_per_token": 3e-6, "output_cost_per_reasoning_token": 9e-6},
        {"range": [0, 32000], "input_cost_per_token": 1e-6, "cache_creation_input_token_cost": 1.25e-6},
        {"range": [32000, 128000], "input_cost_per_token": 2e-6, "cache_creation_input_token_cost": 2.5e-6}
    ], "input_cost_per_token_batches": null}}"#;
    let batch = run("litellm", super::litellm::LITELLM, &[], &[("window.json", file, None)]).unwrap();
    let tier = |size: u32, input: u8, cache_write: Option<f64>| json!({"above_context_tokens": size, "input": input, "output": null, "cache_read": null, "cache_write": cache_write});
    assert_eq!(
        pricing(&batch, "anvil"),
        json!({"input": 1, "cache_write": 1.25, "tiers": [tier(32_000, 2, Some(2.5)), tier(128_000, 3, None)]})
    );
    assert_eq!(left_out(&batch), json!({"prices of tiers that no field shows": 1}));
    assert_eq!(model(&batch, "anvil").capabilities.batch, None, "null says nothing of batches");
}

#[test]
fn what_a_list_of_openrouter_cannot_tell_is_unknown_and_not_denied() {
    let list = r#"{"data": [
        {"id": "acme/a", "hugging_face_id": "N/A", "architecture": {"input_modalities": ["text", {"name": "image"}]},
         "supported_parameters": ["tools", 7], "links": {"details": ""},
         "pricing": {"prompt": "0.000001", "completion": "0.000002", "image": "0.000001", "image_token": null}},
        {"id": "acme/b", "hugging_face_id": " Acme/Anvil-2 ", "architecture": {"input_modalities": ["TEXT", "Image"]},
         "supported_parameters": ["tools"]}
    ]}"#;
    let batch = run("openrouter", OPENROUTER, &[], &[("models", list, None)]).unwrap();
    let (a, b) = (model(&batch, "acme/a"), model(&batch, "acme/b"));
    assert_eq!((a.open_weights, b.open_weights), (None, Some(true)), "a placeholder names no weights");
    assert_eq!(fact(&batch, "acme/a").identity.same_as, [""; 0]);
    assert_eq!(fact(&batch, "acme/b").identity.same_as, ["Acme/Anvil-2"]);
    assert_eq!((a.capabilities.attachments, b.capabilities.attachments), (None, Some(true)));
    assert_eq!((a.capabilities.tool_call, a.capabilities.reasoning), (Some(true), None));
    assert_eq!((b.capabilities.tool_call, b.capabilities.reasoning), (Some(true), Some(false)));
    assert_eq!(fact(&batch, "acme/a").provenance.references, [""; 0]);
    assert_eq!(
        pricing(&batch, "acme/a"),
        json!({"input": 1, "output": 2, "other": [{"meter": "input_image", "unit": "1M_tokens", "price": 1}]}),
        "a null beside a price says nothing of its unit"
    );
    assert_eq!(left_out(&batch), json!({"values of another type than their field has, unknown": 3}));
}

/// `OpenRouter` writes "0" for every meter without a price of its own.
#[test]
fn a_meter_of_0_beside_tokens_that_cost_something_is_not_priced_separately() {
    let list = r#"{"data": [
        {"id": "acme/a", "pricing": {"prompt": "0.000001", "completion": "0.000002", "request": "0", "image": "0", "web_search": "0",
         "internal_reasoning": "0", "input_cache_read": "0", "input_cache_write": "0.00000125",
         "overrides": [{"min_prompt_tokens": 200000, "prompt": "0.000002", "completion": "0", "input_cache_read": "0"}]}},
        {"id": "acme/b:batch", "pricing": {"prompt": "0", "completion": "0.000001", "internal_reasoning": 0, "image_token": "0"}},
        {"id": "acme/embed", "pricing": {"prompt": "0.000001", "completion": "0"}},
        {"id": "acme/free", "pricing": {"prompt": "0", "completion": "0", "request": "0", "internal_reasoning": "0"}},
        {"id": "acme/router", "pricing": {"prompt": "-1", "completion": "-1", "request": "0", "internal_reasoning": "0"}}
    ]}"#;
    let batch = run("openrouter", OPENROUTER, &[], &[("models", list, None)]).unwrap();
    assert_eq!(
        pricing(&batch, "acme/a"),
        json!({
            "input": 1, "output": 2, "cache_write": 1.25,
            "tiers": [{"above_context_tokens": 200_000, "input": 2, "output": 0, "cache_read": null, "cache_write": null}],
        })
    );
    assert_eq!(pricing(&batch, "acme/b:batch"), json!({"batch_input": 0, "batch_output": 1}));
    assert_eq!(pricing(&batch, "acme/embed"), json!({"input": 1, "output": 0}), "that of output is its own");
    let request = json!([{"meter": "request", "unit": "request", "price": 0}]);
    assert_eq!(pricing(&batch, "acme/free"), json!({"input": 0, "output": 0, "reasoning": 0, "other": request}));
    assert!(model(&batch, "acme/router").pricing.is_none(), "what it routes to costs something");
    assert_eq!(
        left_out(&batch),
        json!({
            "prices of 0 beside tokens that cost something: not priced separately, unknown": 10,
            "prices of -1, which depend on the request, unknown": 2,
        })
    );
}

#[test]
fn a_canonical_slug_of_another_date_is_no_alias() {
    let list = r#"{"data": [
        {"id": "google/gemini-2.5-pro-preview-05-06", "canonical_slug": "google/gemini-2.5-pro-preview-03-25"},
        {"id": "openai/gpt-4-0613", "canonical_slug": "openai/gpt-4"},
        {"id": "acme/anvil", "canonical_slug": "acme/anvil-0127"}
    ]}"#;
    let batch = run("openrouter", OPENROUTER, &[], &[("models", list, None)]).unwrap();
    let aliases = |key| fact(&batch, key).head.aliases.clone();
    assert_eq!(aliases("google/gemini-2.5-pro-preview-05-06"), ["google/gemini-2.5-pro-preview-05-06"]);
    assert_eq!(aliases("openai/gpt-4-0613"), ["openai/gpt-4-0613"]);
    assert_eq!(aliases("acme/anvil"), ["acme/anvil", "acme/anvil-0127"]);
}

#[test]
fn without_tags_a_model_of_the_hub_is_neither_chat_nor_base() {
    let page = r#"[{"id": "acme/a", "pipeline_tag": "text-generation"}, {"id": "acme/b", "pipeline_tag": "text-generation", "tags": ["gguf"]}]"#;
    let batch = run("huggingface", HUB, &[], &[("limit=2", page, None)]).unwrap();
    let mode = |key| model(&batch, key).mode.as_deref();
    assert_eq!((mode("acme/a"), mode("acme/b")), (None, Some("completion")));
    assert_eq!(reasons(&batch), []);
}

#[test]
fn a_byte_order_mark_hides_no_file() -> Outcome {
    let marked = |text: &str| [b"\xef\xbb\xbf", text.as_bytes()].concat();
    let github = |name: &str| format!("http://127.0.0.1:9900/x/codeload.github.com/lamp/{name}/tar.gz/main");

    let notebook = marked(
        r##"{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": ["# Lamps\n", "_Authored by: [Ada](https://lamp.example)_"]}]}"##,
    );
    let toctree = marked("- title: Start\n  sections:\n  - local: lamps\n    title: All lamps\n");
    let files: [(&str, &[u8]); 2] = [("notebooks/en/_toctree.yml", &toctree), ("notebooks/en/lamps.ipynb", &notebook)];
    let batch = run_tarball("hf-cookbook", &github("cookbook"), &[], &tarball::tarball(&files)?)?;
    let page = tarball::fact(&batch, "notebooks/en/lamps")?;
    let Item::Tutorial(tutorial) = &page.item else { return Err("no tutorial".into()) };
    assert_eq!((page.head.name.as_str(), tutorial.authors.as_slice()), ("All lamps", ["Ada".to_owned()].as_slice()));
    assert!(matches!(&page.body, Body::Markdown(text) if text.starts_with("# Lamps")), "{:?}", page.body);

    let strategy = marked(r#"{"description": "Step by step", "prompt": "Think step by step."}"#);
    let pattern = b"# IDENTITY\n\nYou trim lamps.\n";
    let files: [(&str, &[u8]); 2] = [("patterns/trim/system.md", pattern), ("strategies/cot.json", &strategy)];
    let batch = run_tarball("patterns-repo", &github("patterns"), &[], &tarball::tarball(&files)?)?;
    assert_eq!(tarball::fact(&batch, "strategies/cot.json")?.head.name, "Step by step");

    let listing =
        marked(r#"{"plugins": [{"name": "lamp", "source": "./", "skills": ["./skills/trim", "./skills/gone"]}]}"#);
    let skill = marked("---\nname: trim\ndescription: Trims lamps.\n---\nTrim.\n");
    let files: [(&str, &[u8]); 2] = [(".claude-plugin/marketplace.json", &listing), ("skills/trim/SKILL.md", &skill)];
    let batch = run_tarball("skills-repo", &github("skills"), &[], &tarball::tarball(&files)?)?;
    let told: Vec<&str> = batch.rejects.iter().map(|reject| reject.reason.as_str()).collect();
    assert_eq!(told, ["plugin `lamp` lists the skill `./skills/gone`, which the repository does not hold"]);

    let titles = marked(r#"{"cot": "Chain of lamps"}"#);
    let files: [(&str, &[u8]); 2] = [("pages/_meta.json", &titles), ("pages/cot.md", b"Words.\n")];
    let batch = run_tarball("markdown-docs", &github("docs"), &[], &tarball::tarball(&files)?)?;
    assert_eq!(tarball::fact(&batch, "pages/cot.md")?.head.name, "Chain of lamps");
    Ok(())
}

/// What a registry of one entry gives.
fn registry(entry: &Value) -> Result<Batch, Box<dyn Error>> {
    let target = tarball::target("http://127.0.0.1:9900/reg/registry.modelcontextprotocol.io", &[])?;
    let body = Bytes::from(json!({ "servers": [entry] }).to_string());
    Ok(tarball::run("mcp-registry", &target, |_| Some(body.clone()))?)
}

#[test]
fn a_time_that_cannot_be_read_is_counted() -> Outcome {
    let told = json!({ "publishedAt": "soon", "updatedAt": "2026-01-02T03:04:05+02:00" });
    let meta = json!({ "io.modelcontextprotocol.registry/official": told });
    let batch = registry(&json!({ "server": { "name": "com.lamp/a", "version": "1" }, "_meta": meta }))?;
    let fields = tarball::server(tarball::fact(&batch, "com.lamp/a")?)?;
    let updated_at = fields.updated_at.map(|at| at.to_string());
    assert_eq!((fields.published_at, updated_at.as_deref()), (None, Some("2026-01-02T01:04:05Z")));
    assert_eq!(left_out(&batch), json!({ "dates that cannot be, unknown": 1 }));
    Ok(())
}

#[test]
fn a_value_is_secret_however_its_mark_is_written() -> Outcome {
    for (mark, is_shown) in [
        (json!(true), false),
        (json!("true"), false),
        (json!(1), false),
        (json!(false), true),
        (json!("false"), true),
        (json!(null), true),
    ] {
        let variable = json!({ "name": "LAMP_ROOM", "isSecret": mark, "default": "attic-4711" });
        let package = json!({ "registryType": "npm", "identifier": "lamp", "environmentVariables": [variable] });
        let batch = registry(&json!({ "server": { "name": "com.lamp/a", "version": "1", "packages": [package] } }))?;
        let packages = json!(tarball::server(tarball::fact(&batch, "com.lamp/a")?)?.packages);
        assert_eq!(packages.to_string().contains("attic-4711"), is_shown, "{packages}");
    }
    Ok(())
}

#[test]
fn settings_of_docker_that_are_of_another_type_are_counted() -> Outcome {
    let lamp = b"name: lamp\nimage: mcp/lamp\nconfig:\n  secrets: [lamp.token]\n  env: {name: LAMP}\n";
    let files: [(&str, &[u8]); 1] = [("servers/lamp/server.yaml", lamp)];
    let url = "http://127.0.0.1:9900/x/codeload.github.com/lamp/docker-mcp/tar.gz/main";
    let batch = run_tarball("docker-mcp", url, &[], &tarball::tarball(&files)?)?;
    assert_eq!(tarball::server(tarball::fact(&batch, "lamp")?)?.secrets.len(), 0);
    assert_eq!(left_out(&batch), json!({ "values of another type than their field has, unknown": 2 }));
    Ok(())
}
