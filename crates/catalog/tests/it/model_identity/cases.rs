//! Real hard cases as a table. A row reads: seller, id to send, what the source says of maker or target → maker/name, variant, first-party.

use refdesk_catalog::resolve::model::makers::Channel;
use refdesk_catalog::resolve::model::{StatedIdentity, bare_name, parse_identity};

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
    // What only one seller has is one model under all of its plans.
    ("umans-ai", "umans-coder", "?umans-ai/umans-coder", None, false),
    ("umans-ai-coding-plan", "umans-coder", "?umans-ai/umans-coder", Some("plan"), false),
    // A maker of models sells another's too.
    ("groq", "playai-tts", "playai/playai-tts", None, false),
    // Fine-tunes, quantised copies and routers are models of their own.
    ("openai", "ft:gpt-4o-2024-08-06", "openai/ft-gpt-4o-20240806", None, true),
    ("chutes", "unsloth/gemma-3-27b-it", "unsloth/gemma-3-27b-it", None, false),
    ("nebius", "zai-org/GLM-4.7-FP8", "zai/glm-4.7-fp8", None, false),
    ("kilo", "stealth/claude-opus-4.6", "stealth/claude-opus-4.6", None, false),
    ("tavily", "search", "?tavily/search", None, false),
    ("exa_ai", "search", "?exa-ai/search", None, false),
    ("morph", "auto", "morph/auto", None, true),
    ("llmgateway", "auto", "?llmgateway/auto", None, false),
    // Kilo sells on what OpenRouter calls so: the id names whose it is.
    ("openrouter", "openrouter/auto", "?openrouter/auto", None, false),
    ("kilo", "openrouter/auto", "?openrouter/auto", None, false),
    ("kilo", "openrouter/owl-alpha", "?openrouter/owl-alpha", None, false),
    // One name of two makers.
    ("deepgram", "nova-2", "deepgram/nova-2", None, true),
    ("amazon-nova", "nova-2-lite-v1", "amazon/nova-2-lite", None, true),
    ("deepgram", "whisper-large", "openai/whisper-large", None, false),
    // A vendor in front of a family of its own, which another maker has, too.
    ("deepgram", "deepgram-nova-3", "deepgram/nova-3", None, true),
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
        let identity = parse_identity(StatedIdentity { provider: Some(provider), id, ..StatedIdentity::default() });
        assert_eq!(identity.key(), *key, "{provider}: {id}");
        assert_eq!(identity.variant.as_deref(), *variant, "variant of {provider}: {id}");
        assert_eq!(identity.first_party, *first_party, "first-party of {provider}: {id}");
    }
}

#[test]
fn what_a_source_states_comes_before_what_an_id_looks_like() {
    let stated = StatedIdentity {
        provider: Some("x"),
        id: "llama-like-7b",
        maker: Some("Mistral AI"),
        ..StatedIdentity::default()
    };
    assert_eq!(parse_identity(stated).key(), "mistral/llama-like-7b");
    let alias = StatedIdentity {
        provider: Some("openrouter"),
        id: "~openai/gpt-latest",
        target: Some("openai/gpt-5.6-sol"),
        ..StatedIdentity::default()
    };
    assert_eq!(parse_identity(alias).key(), "openai/gpt-5.6-sol");
    assert_eq!(
        parse_identity(StatedIdentity { target: None, ..alias }).key(),
        "openai/gpt-latest",
        "an alias that names no target stays one"
    );
    let weights = parse_identity(StatedIdentity { id: "Qwen/Qwen3-32B", ..StatedIdentity::default() });
    assert!(weights.first_party && weights.seller.is_none(), "published weights are the maker's word and no offer");
    assert!(
        !parse_identity(StatedIdentity { id: "mlx-community/Kimi-K2.5", ..StatedIdentity::default() })
            .key()
            .starts_with("moonshotai")
    );
}

#[test]
fn a_name_for_people_tells_where_the_points_of_a_version_are_that_an_id_leaves_out() {
    for (id, name, key) in [
        ("openai-gpt-54", "GPT-5.4", "openai/gpt-5.4"),
        ("openai-gpt-54-mini", "GPT 5.4 Mini", "openai/gpt-5.4-mini"),
        ("claude-opus-41", "Anthropic: Claude Opus 4.1", "anthropic/claude-opus-4.1"),
        ("minimax-m25", "MiniMax M2.5", "minimax/minimax-m2.5"),
        ("mistralai/mistral-7b-instruct-v03", "Mistral-7B-Instruct-v0.3", "mistral/mistral-7b-instruct-v0.3"),
        // A name without the point tells nothing, and neither does another number, a size, or one behind another word.
        ("openai-gpt-54", "Openai GPT 54", "openai/gpt-54"),
        ("openai-gpt-54", "GPT-5.5", "openai/gpt-54"),
        ("acme/rocket-15b", "Rocket 1.5B", "acme/rocket-15b"),
        ("acme/rocket-15", "Rocket by Acme 1.5", "acme/rocket-15"),
        // A date is no version, however it is written for people.
        ("codestral-2508", "Codestral 25.08", "mistral/codestral-2508"),
        ("mistral-large-2411", "Mistral Large 24.11", "mistral/mistral-large-2411"),
    ] {
        let stated = StatedIdentity { provider: Some("venice"), id, name: Some(name), ..StatedIdentity::default() };
        assert_eq!(parse_identity(stated).key(), key, "{id}, called {name}");
    }
}

#[test]
fn a_maker_that_no_table_knows_sells_its_own_where_its_source_says_so() {
    let card = StatedIdentity {
        provider: Some("inkwell-labs"),
        id: "quill-2",
        maker: Some("Inkwell Labs"),
        ..StatedIdentity::default()
    };
    let own = parse_identity(card);
    assert_eq!((own.first_party, own.channel, own.key().as_str()), (true, Channel::Maker, "inkwell-labs/quill-2"));
    assert!(
        !parse_identity(StatedIdentity { provider: Some("resale"), ..card }).first_party,
        "someone else who sells it"
    );
    let unsaid = StatedIdentity { id: "inkwell-labs/quill-2", maker: None, ..card };
    assert!(!parse_identity(unsaid).first_party, "an id that only looks like it");
}

#[test]
fn an_item_is_called_by_the_bare_name_of_its_lead() {
    for (id, name) in [
        ("us.anthropic.claude-3-5-haiku-20241022-v1:0", "claude-3-5-haiku-20241022"),
        ("accounts/fireworks/models/deepseek-v3p2", "deepseek-v3p2"),
        ("openai/gpt-oss-120b:free", "gpt-oss-120b"),
        ("1024-x-1024/dall-e-2", "dall-e-2"),
        // What ends in a slash is a folder of models, and none of them.
        ("accounts/fireworks/models/", "accounts/fireworks/models"),
        ("gpt-4o/", "gpt-4o"),
    ] {
        assert_eq!(bare_name(id), name);
    }
}
