//! Which model an upstream's id means: real hard cases as a table, and what becomes of everyone's prices.
//!
//! A row reads: seller, id to send, what the source says of maker or target → maker/name, variant, first-party.

use std::sync::Arc;

use crate::common::stored;
use refdesk_catalog::resolve::model::makers::Channel;
use refdesk_catalog::resolve::model::{Stated, bare_name, read};
use refdesk_catalog::resolve::{Context, Resolution, ResolvedItem, Sources, resolve};
use refdesk_core::fact::{Identity, SourceInfo, StoredFact};
use refdesk_core::item::{Head, Status, TrustTier};
use refdesk_core::{Kind, Stamp};
use serde_json::{Value, json};

const NOW: Stamp = Stamp(1_790_000_000);

/// Seller, id → key, variant, first-party.
type Case = (&'static str, &'static str, &'static str, Option<&'static str>, bool);

const CASES: &[Case] = &[
    // The maker's own ids, and the two ways to write a version.
    ("anthropic", "claude-sonnet-4-5", "anthropic/claude-sonnet-4.5", None, true),
    ("openrouter", "anthropic/claude-sonnet-4.5", "anthropic/claude-sonnet-4.5", None, false),
    ("openai", "gpt-4.1", "openai/gpt-4.1", None, true),
    ("github_copilot", "gpt-41-copilot", "openai/gpt-41-copilot", None, false),
    ("venice", "openai-gpt-54", "openai/gpt-54", None, false),
    ("litellm-proxy", "gpt-4-1", "openai/gpt-4.1", None, false),
    // The version before the tier, after it, behind it; and 4.0, which is 4.
    ("openrouter", "anthropic/claude-3.5-sonnet", "anthropic/claude-sonnet-3.5", None, false),
    ("anthropic", "claude-3-5-sonnet-20241022", "anthropic/claude-sonnet-3.5-20241022", None, true),
    ("anthropic", "claude-4.5-haiku", "anthropic/claude-haiku-4.5", None, true),
    ("cortecs", "claude-opus4-6", "anthropic/claude-opus-4.6", None, false),
    ("anthropic", "claude-sonnet-4-0", "anthropic/claude-sonnet-4", None, true),
    // Dated snapshots stay apart from their alias, however the date is written; `-latest` stays an alias of its own.
    ("anthropic", "claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4.5-20250929", None, true),
    ("vertex_ai-anthropic_models", "claude-sonnet-4-5@20250929", "anthropic/claude-sonnet-4.5-20250929", None, false),
    ("vertex_ai-anthropic_models", "claude-opus-4-8@default", "anthropic/claude-opus-4.8", None, false),
    ("openai", "gpt-5-2025-08-07", "openai/gpt-5-20250807", None, true),
    ("openai", "gpt-4-0613", "openai/gpt-4-0613", None, true),
    ("deepseek", "deepseek-v3-0324", "deepseek/deepseek-v3-0324", None, true),
    ("mistral", "mistral-large-latest", "mistral/mistral-large-latest", None, true),
    ("vertex_ai-mistral_models", "codestral@latest", "mistral/codestral-latest", None, false),
    // Bedrock: vendor and region before the name, the version of the packaging behind it, regions and commitments as folders.
    ("bedrock", "anthropic.claude-3-5-haiku-20241022-v1:0", "anthropic/claude-haiku-3.5-20241022", None, false),
    (
        "bedrock",
        "us.anthropic.claude-3-5-sonnet-20241022-v2:0",
        "anthropic/claude-sonnet-3.5-20241022",
        Some("us"),
        false,
    ),
    ("bedrock_converse", "global.anthropic.claude-opus-4-6-v1", "anthropic/claude-opus-4.6", Some("global"), false),
    (
        "bedrock_converse",
        "us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "anthropic/claude-sonnet-4.5-20250929",
        Some("us-gov"),
        false,
    ),
    (
        "bedrock",
        "*/1-month-commitment/cohere.command-text-v14",
        "cohere/command-text-v14",
        Some("*/1-month-commitment"),
        false,
    ),
    (
        "bedrock",
        "us-east-1/6-month-commitment/anthropic.claude-v2:1",
        "anthropic/claude-2.1",
        Some("us-east-1/6-month-commitment"),
        false,
    ),
    ("bedrock", "ap-northeast-1/deepseek.v3.2", "deepseek/deepseek-v3.2", Some("ap-northeast-1"), false),
    ("bedrock_converse", "us.deepseek.r1-v1:0", "deepseek/deepseek-r1", Some("us"), false),
    ("bedrock_converse", "amazon.nova-lite-v1:0", "amazon/nova-lite", None, true),
    ("amazon", "amazon-nova-lite", "amazon/nova-lite", None, true),
    ("bedrock_converse", "openai.gpt-oss-120b-1:0", "openai/gpt-oss-120b", None, false),
    ("bedrock", "mistral.mixtral-8x7b-instruct-v0:1", "mistral/mixtral-8x7b-instruct-v0.1", None, false),
    ("bedrock", "amazon.titan-embed-text-v2:0", "amazon/titan-embed-text-v2", None, true),
    ("bedrock", "meta.llama3-1-8b-instruct-v1:0", "meta/llama-3.1-8b-instruct", None, false),
    ("bedrock", "cohere.rerank-v3-5:0", "cohere/rerank-v3.5", None, false),
    ("bedrock_converse", "moonshot.kimi-k2-thinking", "moonshotai/kimi-k2-thinking", None, false),
    // Azure: regions, its own spelling of 3.5, sizes and qualities of images.
    ("azure", "eu/gpt-4o-2024-08-06", "openai/gpt-4o-20240806", Some("eu"), false),
    ("azure", "global-standard/gpt-4o-mini", "openai/gpt-4o-mini", Some("global-standard"), false),
    ("azure", "gpt-35-turbo", "openai/gpt-3.5-turbo", None, false),
    ("azure_ai", "Phi-4-mini-instruct", "microsoft/phi-4-mini-instruct", None, true),
    ("azure_ai", "cohere-rerank-v3.5", "cohere/rerank-v3.5", None, false),
    ("openai", "1024-x-1024/dall-e-2", "openai/dall-e-2", Some("1024-x-1024"), false),
    ("openai", "hd/1024-x-1792/dall-e-3", "openai/dall-e-3", Some("hd/1024-x-1792"), false),
    (
        "bedrock",
        "1024-x-1024/50-steps/stability.stable-diffusion-xl-v1",
        "stability/stable-diffusion-xl-v1",
        Some("1024-x-1024/50-steps"),
        false,
    ),
    ("azure", "speech/azure-tts", "microsoft/azure-tts", None, true),
    // Vertex, Fireworks, Together, DeepInfra, Cloudflare and other hosts.
    ("vertex_ai-language-models", "gemini-2.5-pro", "google/gemini-2.5-pro", None, true),
    ("gemini", "gemini-2.5-pro", "google/gemini-2.5-pro", None, true),
    ("vertex_ai-llama_models", "meta/llama-3.1-70b-instruct-maas", "meta/llama-3.1-70b-instruct", None, false),
    ("fireworks_ai", "accounts/fireworks/models/llama-v3p1-405b-instruct", "meta/llama-3.1-405b-instruct", None, false),
    ("fireworks-ai", "accounts/fireworks/models/glm-5p1", "zai/glm-5.1", None, false),
    (
        "fireworks_ai",
        "accounts/fireworks/models/qwen2p5-coder-32b-instruct",
        "alibaba/qwen2.5-coder-32b-instruct",
        None,
        false,
    ),
    ("together_ai", "meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo", "meta/llama-3.1-8b-instruct-turbo", None, false),
    ("deepinfra", "Qwen/Qwen3-30B-A3B", "alibaba/qwen3-30b-a3b", None, false),
    (
        "deepinfra",
        "mistralai/Mistral-Small-3.2-24B-Instruct-2506",
        "mistral/mistral-small-3.2-24b-instruct-2506",
        None,
        false,
    ),
    (
        "cloudflare-ai-gateway",
        "workers-ai/@cf/meta/llama-3.1-8b-instruct-fp8",
        "meta/llama-3.1-8b-instruct-fp8",
        None,
        false,
    ),
    ("clarifai", "deepseek-ai/deepseek-ocr/models/DeepSeek-OCR", "deepseek/deepseek-ocr", None, false),
    ("synthetic", "hf:zai-org/GLM-4.6", "zai/glm-4.6", None, false),
    ("sap-ai-core", "anthropic--claude-4.5-haiku", "anthropic/claude-haiku-4.5", None, false),
    ("databricks", "databricks-claude-opus-4-1", "anthropic/claude-opus-4.1", None, false),
    ("digitalocean", "alibaba-qwen3-32b", "alibaba/qwen3-32b", None, false),
    ("ollama", "llama3.1:70b", "meta/llama-3.1-70b", None, false),
    ("ollama", "gpt-oss:120b-cloud", "openai/gpt-oss-120b", Some("cloud"), false),
    ("chutes", "MiniMaxAI/MiniMax-M2.5-TEE", "minimax/minimax-m2.5", Some("tee"), false),
    // A number with a unit is a size and no part of the version.
    ("groq", "llama3-8b-8192", "meta/llama-3-8b", None, false),
    ("fireworks_ai", "accounts/fireworks/models/qwen3-0p6b", "alibaba/qwen3-0.6b", None, false),
    ("alibaba", "qwen2-5-vl-72b-instruct", "alibaba/qwen2.5-vl-72b-instruct", None, true),
    // Variants of the offer.
    ("openrouter", "z-ai/glm-5.2:free", "zai/glm-5.2", Some("free"), false),
    ("openrouter", "anthropic/claude-opus-5:batch", "anthropic/claude-opus-5", Some("batch"), false),
    ("openrouter", "qwen/qwen-plus-2025-07-28:thinking", "alibaba/qwen-plus-20250728", Some("thinking"), false),
    ("nano-gpt", "anthropic/claude-opus-4.6:thinking:low", "anthropic/claude-opus-4.6", Some("low/thinking"), false),
    ("nano-gpt", "claude-opus-4-1-thinking:32768", "anthropic/claude-opus-4.1", Some("32768/thinking"), false),
    ("opencode", "minimax-m2.1-free", "minimax/minimax-m2.1", Some("free"), false),
    ("zai-coding-plan", "glm-4.7", "zai/glm-4.7", Some("plan"), false),
    ("alibaba-cn", "qwen-max", "alibaba/qwen-max", Some("cn"), false),
    // Fine-tunes, quantised copies and routers are models of their own.
    ("openai", "ft:gpt-4o-2024-08-06", "openai/ft-gpt-4o-20240806", None, true),
    ("chutes", "unsloth/gemma-3-27b-it", "unsloth/gemma-3-27b-it", None, false),
    ("nebius", "zai-org/GLM-4.7-FP8", "zai/glm-4.7-fp8", None, false),
    ("kilo", "stealth/claude-opus-4.6", "stealth/claude-opus-4.6", None, false),
    ("tavily", "search", "?tavily/search", None, false),
    ("exa_ai", "search", "?exa-ai/search", None, false),
    ("morph", "auto", "morph/auto", None, true),
    ("llmgateway", "auto", "?llmgateway/auto", None, false),
    // One name of two makers.
    ("deepgram", "nova-2", "deepgram/nova-2", None, true),
    ("amazon-nova", "nova-2-lite-v1", "amazon/nova-2-lite", None, true),
    ("deepgram", "whisper-large", "openai/whisper-large", None, false),
    (
        "llama",
        "cerebras-llama-4-scout-17b-16e-instruct",
        "meta/llama-4-scout-17b-16e-instruct",
        Some("cerebras"),
        false,
    ),
    // Hosts in front, also in front of a vendor; a host's name behind; Groq's words for `instruct`.
    ("databricks", "databricks-meta-llama-3-3-70b-instruct", "meta/llama-3.3-70b-instruct", None, false),
    ("llmgateway", "gemma-2-27b-it-together", "google/gemma-2-27b-it", Some("together"), false),
    ("groq", "llama-3.3-70b-versatile", "meta/llama-3.3-70b-instruct", None, false),
    ("groq", "llama-3.1-8b-instant", "meta/llama-3.1-8b-instruct", None, false),
    ("cortecs", "cortecs/Llama-3.3-70B-Instruct-FP8-Dynamic", "meta/llama-3.3-70b-instruct-fp8-dynamic", None, false),
    // How a model runs is the offer's.
    ("nano-gpt", "claude-opus-4-6-thinking", "anthropic/claude-opus-4.6", Some("thinking"), false),
    ("poe", "openai/o3-mini-high", "openai/o3-mini", Some("high"), false),
    ("deepgram", "whisper-medium", "openai/whisper-medium", None, false),
    // What a maker puts in front of its names, or sells under two brands.
    ("mistral", "open-mixtral-8x7b", "mistral/mixtral-8x7b", None, true),
    ("qiniu-ai", "doubao-seed-2.0-lite", "bytedance/seed-2.0-lite", None, false),
    ("openrouter", "deepseek/deepseek-chat-v3.1", "deepseek/deepseek-v3.1", None, false),
    // A derivative of a family is not its maker's; its own maker is told by the id or by nothing.
    ("nano-gpt", "Qwen3.5-27B-BlueStar-Derestricted", "?/qwen3.5-27b-bluestar-derestricted", None, false),
    ("nano-gpt", "EVA-UNIT-01/EVA-Qwen2.5-32B-v0.2", "eva-unit-01/eva-qwen2.5-32b-v0.2", None, false),
    // A vendor that no table knows is its own maker.
    ("openrouter", "acme-ai/rocket-2", "acme-ai/rocket-2", None, false),
    ("nvidia", "nvidia/llama-3.1-nemotron-70b-instruct", "nvidia/llama-3.1-nemotron-70b-instruct", None, true),
    ("lambda_ai", "llama3.1-nemotron-70b-instruct-fp8", "nvidia/llama-3.1-nemotron-70b-instruct-fp8", None, false),
];

#[test]
fn every_upstream_id_means_the_model_that_the_rules_say() {
    assert!(CASES.len() >= 60);
    for (provider, id, key, variant, first_party) in CASES {
        let identity = read(Stated { provider: Some(provider), id, ..Stated::default() });
        assert_eq!(identity.keys(), [(*key).to_owned()], "{provider}: {id}");
        assert_eq!(identity.variant.as_deref(), *variant, "variant of {provider}: {id}");
        assert_eq!(identity.first_party, *first_party, "first-party of {provider}: {id}");
    }
}

#[test]
fn what_a_source_states_comes_before_what_an_id_looks_like() {
    let stated = Stated { provider: Some("x"), id: "llama-like-7b", maker: Some("Mistral AI"), target: None };
    assert_eq!(read(stated).keys(), ["mistral/llama-like-7b"]);
    let alias = Stated {
        provider: Some("openrouter"),
        id: "~openai/gpt-latest",
        maker: None,
        target: Some("openai/gpt-5.6-sol"),
    };
    assert_eq!(read(alias).keys(), ["openai/gpt-5.6-sol"]);
    assert_eq!(
        read(Stated { target: None, ..alias }).keys(),
        ["openai/gpt-latest"],
        "an alias that names no target stays one"
    );
    let weights = read(Stated { id: "Qwen/Qwen3-32B", ..Stated::default() });
    assert!(weights.first_party && weights.seller.is_none(), "published weights are the maker's word and no offer");
    assert!(!read(Stated { id: "mlx-community/Kimi-K2.5", ..Stated::default() }).keys()[0].starts_with("moonshotai"));
}

#[test]
fn a_maker_that_no_table_knows_sells_its_own_where_its_source_says_so() {
    let card = Stated { provider: Some("inkwell-labs"), id: "quill-2", maker: Some("Inkwell Labs"), target: None };
    let own = read(card);
    assert_eq!(
        (own.first_party, own.channel, own.keys()),
        (true, Channel::Maker, vec!["inkwell-labs/quill-2".to_owned()])
    );
    assert!(!read(Stated { provider: Some("resale"), ..card }).first_party, "someone else who sells it");
    let unsaid = Stated { id: "inkwell-labs/quill-2", maker: None, ..card };
    assert!(!read(unsaid).first_party, "an id that only looks like it");
}

#[test]
fn an_item_is_called_by_the_bare_name_of_its_lead() {
    for (id, name) in [
        ("us.anthropic.claude-3-5-haiku-20241022-v1:0", "claude-3-5-haiku-20241022"),
        ("accounts/fireworks/models/deepseek-v3p2", "deepseek-v3p2"),
        ("openai/gpt-oss-120b:free", "gpt-oss-120b"),
        ("1024-x-1024/dall-e-2", "dall-e-2"),
    ] {
        assert_eq!(bare_name(id), name);
    }
}

/// A fact of a source: seller, id, fields.
fn fact(source: &str, provider: Option<&str>, id: &str, fields: Value) -> StoredFact {
    StoredFact {
        head: Head { id: bare_name(id), name: id.into(), status: Status::Active, ..Head::default() },
        identity: Identity { provider: provider.map(Into::into), api_model_id: Some(id.into()), ..Identity::default() },
        ..stored(source, Kind::Model, &format!("{}/{id}", provider.unwrap_or("-")), fields, NOW)
    }
}

fn price(input: impl Into<Value>, output: impl Into<Value>) -> Value {
    let (input, output): (Value, Value) = (input.into(), output.into());
    json!({"pricing": {"currency": "USD", "unit": "1M_tokens", "input": input, "output": output}, "limits": {"context_tokens": 200_000}})
}

/// Source `a` outranks `b`, and `b` outranks `c`.
fn resolved(facts: &[StoredFact]) -> Resolution {
    let mut sources = Sources::new();
    for (rank, id) in [(1, "a"), (2, "b"), (3, "c")] {
        let source = SourceInfo {
            id: id.into(),
            name: id.to_uppercase(),
            license: None,
            attribution: None,
            trust_tier: TrustTier::Community,
            rank,
            stale_after_secs: 86_400,
            own_list_of: None,
        };
        sources.insert(Arc::from(id), source);
    }
    resolve(Context { facts, sources: &sources, now: NOW })
}

fn only(resolution: &Resolution) -> &ResolvedItem {
    assert_eq!(resolution.items.len(), 1, "{:?}", resolution.items.iter().map(|item| &item.id).collect::<Vec<_>>());
    &resolution.items[0]
}

/// Ids of the facts that each item has, items and ids sorted.
fn items(facts: &[StoredFact]) -> Vec<Vec<String>> {
    let ids = |item: &ResolvedItem| {
        let mut ids: Vec<String> = item.facts.iter().map(|at| facts[*at].key.clone()).collect();
        ids.sort();
        ids
    };
    let mut items: Vec<Vec<String>> = resolved(facts).items.iter().map(ids).collect();
    items.sort();
    items
}

fn sold(provider: &str, id: &str) -> StoredFact {
    fact("a", Some(provider), id, json!({}))
}

fn weights(id: &str) -> StoredFact {
    fact("c", None, id, json!({}))
}

#[test]
fn a_sellers_plain_name_is_the_instruct_model_and_weights_named_plainly_are_the_base() {
    let facts = [
        weights("meta-llama/Llama-3.1-8B"),
        weights("meta-llama/Llama-3.1-8B-Instruct"),
        sold("snowflake", "llama3.1-8b"),
        sold("groq", "llama-3.1-8b-instant"),
        sold("both", "llama-3.1-8b"),
        sold("both", "llama-3.1-8b-instruct"),
        fact("a", Some("texts"), "llama-3.1-8b", json!({"mode": "completion"})),
        sold("hub", "meta-llama/Llama-3.1-8B"),
    ];
    assert_eq!(
        items(&facts),
        [
            vec!["-/meta-llama/Llama-3.1-8B", "both/llama-3.1-8b", "hub/meta-llama/Llama-3.1-8B", "texts/llama-3.1-8b"],
            vec![
                "-/meta-llama/Llama-3.1-8B-Instruct",
                "both/llama-3.1-8b-instruct",
                "groq/llama-3.1-8b-instant",
                "snowflake/llama3.1-8b"
            ],
        ]
    );
}

#[test]
fn words_in_another_order_and_sizes_left_out_are_one_model_where_only_one_can_be_meant() {
    for (together, one, other) in vec![
        (true, sold("x", "gemini-flash-1.5"), sold("google", "gemini-1.5-flash")),
        (true, sold("y", "llama-4-scout"), weights("meta-llama/Llama-4-Scout-17B-16E-Instruct")),
        (true, sold("y", "qwen3-coder:480b"), weights("Qwen/Qwen3-Coder-480B-A35B-Instruct")),
        (true, sold("vertex_ai-ai21_models", "jamba-1.5-large@001"), sold("ai21", "jamba-1.5-large")),
        (true, sold("y", "gemini-3-pro"), sold("google", "gemini-3-pro-preview")),
        (true, sold("azure", "gpt-5.2-chat"), sold("openai", "gpt-5.2-chat-latest")),
        (false, sold("google", "gemini-2.5-pro"), sold("google", "gemini-2.5-pro-preview")),
        (false, sold("google", "gemini-1.5-flash"), sold("google", "gemini-1.5-flash-8b")),
        (false, sold("y", "mistral-large"), sold("mistral", "mistral-large-latest")),
        (false, sold("openai", "gpt-5"), sold("azure", "gpt-5-chat")),
        (false, sold("watsonx", "granite-13b-chat-v2"), sold("watsonx", "granite-13b-instruct-v2")),
        (false, sold("y", "deepseek-r1"), sold("x", "deepseek-r1:8b")),
    ] {
        let what = format!("{} {}", one.key, other.key);
        assert_eq!(items(&[one, other]).len(), if together { 1 } else { 2 }, "{what}");
    }
    let second =
        [sold("google", "gemini-1.5-pro"), sold("google", "gemini-1.5-pro-001"), sold("google", "gemini-1.5-pro-002")];
    assert_eq!(items(&second).len(), 3, "with a second stable version the plain name is an alias that moved");
}

#[test]
fn of_a_product_that_moves_on_only_the_offer_that_names_its_weights_is_those_weights() {
    let mut stated = fact("b", Some("openrouter"), "deepseek/deepseek-chat", json!({}));
    stated.identity.same_as = vec!["deepseek-ai/DeepSeek-V3".into()];
    let copy = sold("openrouter", "deepseek/deepseek-chat");
    let facts = [
        stated,
        copy,
        sold("deepseek", "deepseek-chat"),
        sold("kilo", "deepseek-chat"),
        weights("deepseek-ai/DeepSeek-V3"),
    ];
    assert_eq!(
        items(&facts),
        [
            vec!["-/deepseek-ai/DeepSeek-V3", "openrouter/deepseek/deepseek-chat", "openrouter/deepseek/deepseek-chat"],
            vec!["deepseek/deepseek-chat", "kilo/deepseek-chat"],
        ]
    );
}

#[test]
fn resellers_are_offers_and_the_maker_prices_the_model() {
    let resolution = resolved(&[
        fact("b", Some("openrouter"), "anthropic/claude-sonnet-4.5", price(3.3, 16)),
        fact("a", Some("amazon-bedrock"), "anthropic.claude-sonnet-4-5", price(3.1, 15.5)),
        fact("b", Some("anthropic"), "claude-sonnet-4-5", price(3, 15)),
        fact("c", Some("openrouter"), "anthropic/claude-sonnet-4.5:batch", json!({"pricing": {"batch_input": 1.5}})),
    ]);
    let item = only(&resolution);
    assert_eq!((item.id.as_str(), item.vendor.as_deref()), ("claude-sonnet-4-5", Some("Anthropic")));
    assert_eq!(item.fields["pricing"]["input"], json!(3));
    let offers: Vec<_> = item.fields["offers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|offer| (&offer["provider"], &offer["api_model_id"]))
        .collect();
    assert_eq!(
        offers,
        [
            (&json!("amazon-bedrock"), &json!("anthropic.claude-sonnet-4-5")),
            (&json!("openrouter"), &json!("anthropic/claude-sonnet-4.5")),
            (&json!("openrouter"), &json!("anthropic/claude-sonnet-4.5:batch")),
        ]
    );
    let bedrock = &item.fields["offers"][0];
    assert_eq!((&bedrock["pricing"]["output"], &bedrock["source_id"]), (&json!(15.5), &json!("a")));
    assert_eq!(bedrock["last_synced_at"], json!(NOW.to_string()));
    assert!(bedrock["evidence_key"].as_str().unwrap().starts_with("ev_"));
}

#[test]
fn a_model_that_its_maker_does_not_sell_has_no_price_of_its_own() {
    let resolution = resolved(&[
        fact("a", Some("groq"), "openai/gpt-oss-120b", price(0.15, 0.6)),
        fact("b", Some("cerebras"), "gpt-oss-120b", price(0.25, 0.69)),
    ]);
    let item = only(&resolution);
    assert_eq!(item.fields["pricing"], Value::Null);
    assert_eq!(item.fields["offers"].as_array().unwrap().len(), 2);
    assert!(!item.field_evidence.iter().any(|stated| stated.path.starts_with("pricing.")));
    assert!(!item.conflicts.iter().any(|conflict| conflict.path.starts_with("pricing")));
}

#[test]
fn the_same_offer_of_two_sources_is_one_and_their_difference_is_shown() {
    let resolution = resolved(&[
        fact("b", Some("together_ai"), "zai-org/GLM-5", price(1.1, 3.2)),
        fact("a", Some("togetherai"), "zai-org/GLM-5", price(1, 3.2)),
    ]);
    let item = only(&resolution);
    assert_eq!(item.fields["offers"].as_array().unwrap().len(), 1);
    assert_eq!(item.fields["offers"][0]["pricing"]["input"], json!(1));
    let conflict = item.conflicts.iter().find(|conflict| conflict.path.starts_with("offers.")).unwrap();
    assert_eq!(conflict.path, "offers.togetherai.zai-org/GLM-5.pricing.input");
    assert_eq!((&conflict.value, conflict.fact, &conflict.reason), (&json!(1.1), 0, &None));
}

/// A fact that its source lists for the first time.
fn new(mut fact: StoredFact) -> StoredFact {
    fact.standing.restated = false;
    fact
}

#[test]
fn a_new_price_far_off_the_same_seller_in_another_source_is_withheld_alone() {
    let resolution = resolved(&[
        fact("a", Some("wandb"), "openai/gpt-oss-20b", price(0.05, 0.2)),
        new(fact("b", Some("wandb"), "gpt-oss-20b", price(5000, 0.21))),
        fact("b", Some("groq"), "openai/gpt-oss-20b", price(500, 600)),
    ]);
    let offers = only(&resolution).fields["offers"].as_array().unwrap().clone();
    let wandb = offers.iter().find(|offer| offer["api_model_id"] == "gpt-oss-20b").unwrap();
    assert_eq!((&wandb["pricing"]["input"], &wandb["pricing"]["output"]), (&Value::Null, &json!(0.21)));
    let groq = offers.iter().find(|offer| offer["provider"] == "groq").unwrap();
    assert_eq!(groq["pricing"]["input"], json!(500), "what its source stated twice is shown at any level");
    let withheld: Vec<_> =
        resolution.withheld.iter().map(|of| (&*of.source_id, of.path.as_str(), of.value.as_str())).collect();
    assert_eq!(withheld, [("b", "pricing.input", "5000")]);
    let item = only(&resolution);
    let conflict = item.conflicts.iter().find(|conflict| conflict.withheld_since.is_some()).unwrap();
    assert_eq!((conflict.path.as_str(), &conflict.value), ("offers.wandb.gpt-oss-20b.pricing.input", &json!(5000)));
    assert!(item.warnings[0].contains("5000 of b is withheld"), "{:?}", item.warnings);
}

#[test]
fn a_new_price_of_the_maker_is_judged_too_and_zero_is_a_conflict_only() {
    let resolution = resolved(&[
        fact("a", Some("openai"), "gpt-5", price(1.25, 10)),
        new(fact("b", Some("openai"), "gpt-5", price(1_250_000, 0))),
    ]);
    let item = only(&resolution);
    assert_eq!((&item.fields["pricing"]["input"], &item.fields["pricing"]["output"]), (&json!(1.25), &json!(10)));
    let withheld = &resolution.withheld;
    assert_eq!((withheld.len(), withheld[0].others.as_deref()), (1, Some("1.25")));
    let is_withheld = |path: &str| {
        item.conflicts.iter().find(|conflict| conflict.path == path).map(|conflict| conflict.withheld_since.is_some())
    };
    assert_eq!((is_withheld("pricing.input"), is_withheld("pricing.output")), (Some(true), Some(false)));
}

#[test]
fn ids_of_one_seller_that_are_equal_but_for_case_stay_two_items() {
    let resolution = resolved(&[
        fact("a", Some("together_ai"), "BAAI/bge-base-en-v1.5", json!({})),
        fact("a", Some("together_ai"), "baai/bge-base-en-v1.5", json!({})),
        fact("b", Some("cloudflare"), "@cf/baai/bge-base-en-v1.5", json!({})),
    ]);
    let mut sizes: Vec<usize> = resolution.items.iter().map(|item| item.facts.len()).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [1, 2]);
    assert_ne!(resolution.items[0].id, resolution.items[1].id);
}

#[test]
fn a_cross_reference_joins_what_only_resellers_name_and_never_a_snapshot_or_the_makers_own_name() {
    let referring = |id: &str, target: &str| {
        let mut fact = fact("b", Some("openrouter"), id, json!({}));
        fact.identity.same_as = vec![target.into()];
        fact
    };
    let weights = |id: &str| fact("c", None, id, json!({"open_weights": true}));
    let joined = resolved(&[
        referring("meta-llama/llama-4-scout", "meta-llama/Llama-4-Scout-17B"),
        weights("meta-llama/Llama-4-Scout-17B"),
    ]);
    assert_eq!(only(&joined).fields["open_weights"], json!(true));
    let snapshot = resolved(&[
        referring("cohere/command-a", "CohereLabs/command-a-03-2025"),
        weights("CohereLabs/command-a-03-2025"),
    ]);
    assert_eq!(snapshot.items.len(), 2);
    let own = fact("a", Some("deepseek"), "deepseek-chat", json!({}));
    let product = resolved(&[
        own,
        referring("deepseek/deepseek-chat", "deepseek-ai/DeepSeek-V3"),
        weights("deepseek-ai/DeepSeek-V3"),
    ]);
    assert_eq!(product.items.len(), 2, "the maker's own product name moves on and is no fixed weights");
}
