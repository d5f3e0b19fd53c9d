//! Questions as people type them: half sentences, verbs that are negated, what is not wanted. `docs/api.md#search`.

use super::named_things::server;
use super::sold_at;
use super::understanding::{asked, bench, ids, made_by};
use super::wording::{check, read};
use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Item, McpServer, Model, Pricing, Tool};
use refdesk_core::{Stamp, Usd};
use serde_json::{Value, json};

#[tokio::test]
async fn what_a_model_does_not_do_is_never_asked_for() {
    check(
        &bench(),
        &[
            ("models that don't do reasoning", json!({"capability": "!reasoning"})),
            ("models that do not reason", json!({"capability": "!reasoning"})),
            ("models that cannot output images", json!({"output_modalities__not": "image"})),
            ("models without a price", json!({"price_input__isnull": "true"})),
            ("models with no price published", json!({"price_input__isnull": "true"})),
        ],
    )
    .await;
}

#[tokio::test]
async fn half_sentences_are_read() {
    check(
        &bench(),
        &[
            (
                "gimme a model w/ 200k ctx, vision n tools",
                json!({"context_tokens__gte": "200000", "input_modalities": "image", "capability": "tool_call"}),
            ),
            ("a vision model I can run myself", json!({"input_modalities": "image", "open_weights": "true"})),
            ("text to speech models", json!({"output_modalities": "audio", "output_modalities__not": "text", "model_mode__not": "chat,realtime"})),
            (
                "speech to text models",
                json!({"model_mode": "audio", "input_modalities": "audio", "output_modalities__not": "audio"}),
            ),
            ("mcp servers i can install with pip", json!({"registry_type": "pypi"})),
            ("mcp servers that require an api key", json!({"auth": "required"})),
            ("npm installable mcp servers", json!({"registry_type": "npm"})),
            ("notebook tutorials", json!({"tutorial_format": "notebook"})),
            ("models with audio in and audio out", json!({"input_modalities": "audio", "output_modalities": "audio"})),
            ("with vision models, context at least 128k", json!({"input_modalities": "image", "context_tokens__gte": "128000"})),
            ("tools that support mcp", json!({"mcp_client": "true"})),
            ("models that can call functions", json!({"capability": "tool_call"})),
            ("models that hear audio and speak audio", json!({"input_modalities": "audio", "output_modalities": "audio"})),
            ("models with at least 64k input tokens", json!({"context_tokens__gte": "64000"})),
            ("models under 10 ct input", json!({"price_input__lte": "0.1"})),
            ("models trained after 2024", json!({"released_on__gte": "2025-01-01"})),
        ],
    )
    .await;
    for (question, order) in [
        ("top 5 most expensive models by output", "-price_output,-offers"),
        ("models with the most output tokens", "-output_tokens,-offers"),
        ("models with the most input tokens", "-context_tokens,-offers"),
        ("modelos ordenados por precio de salida", "price_output,-offers"),
        ("open weights models with a shutdown date", "retires_on"),
    ] {
        assert_eq!(read(&bench(), question).await.1, order, "{question}");
    }
    // An order that is said again is no text.
    let (_, order, rest) = read(&bench(), "newest models, latest first").await;
    assert_eq!((order, rest), (json!("-released_on"), json!("")));
}

#[tokio::test]
async fn what_is_moved_or_turned_into_something_is_not_what_is_asked_for() {
    for question in ["get library docs into the prompt", "convert models into gguf"] {
        assert_eq!(asked(&bench(), question).await["understood"], Value::Null, "{question}");
    }
}

#[tokio::test]
async fn models_are_dated_by_a_named_one_of_whatever_maker() {
    let bench = bench();
    for (question, name, day, sort) in [
        ("models newer than falcon", "released_on__gte", "2025-04-01", "-released_on"),
        ("what came out after falcon", "released_on__gte", "2025-04-01", "-released_on"),
        ("models after falcon", "released_on__gte", "2025-04-01", "-released_on"),
        ("models released since falcon", "released_on__gte", "2025-04-01", "-released_on"),
        ("models older than heron", "released_on__lte", "2026-01-31", "-released_on"),
        ("models released before heron", "released_on__lte", "2026-01-31", "-released_on"),
    ] {
        let (filters, order, rest) = read(&bench, question).await;
        assert_eq!((&filters[name], &order, &rest), (&json!(day), &json!(sort), &json!("")), "{question}");
        assert_eq!(filters["vendor"], Value::Null, "{question}");
    }
    assert_eq!(ids(&asked(&bench, "models newer than falcon").await), ["sparrow", "heron"]);
}

#[tokio::test]
async fn who_names_a_seller_means_its_prices() {
    let sold = |name: &str, provider: &str, input: &str| {
        let pricing = Pricing { input: Usd::parse(input), output: Usd::parse(input), ..Pricing::default() };
        let model = Model { pricing: Some(pricing), mode: Some("chat".to_owned()), ..Model::default() };
        sold_at(provider, "Acme Labs", name, model)
    };
    let kites =
        [("acme labs", "0.6"), ("groq", "0.4"), ("openrouter", "0.5")].map(|(by, input)| sold("kite", by, input));
    let bench = Bench::over(unlimited(), &[&kites[..], &[sold("qwen3-8b", "groq", "2")]].concat());
    for (question, seller) in [
        ("models on groq under $0.50 output", "groq"),
        ("groq models under $0.50 output", "groq"),
        ("cheapest model on openrouter", "openrouter"),
        ("models from openrouter under $0.5 input", "openrouter"),
    ] {
        let answer = asked(&bench, question).await;
        assert_eq!(answer["understood"]["filters"]["price_of"], seller, "{question}: {}", answer["understood"]);
        assert_eq!(ids(&answer), ["kite"], "{question}");
    }
    let both = asked(&bench, "which models are sold by both groq and openrouter").await;
    assert_eq!(both["understood"]["filters"]["seller"], "groq,openrouter");
    for question in ["qwen3 on groq", "qwen3 8b via Groq", "qwen3 on groq pricing"] {
        let answer = asked(&bench, question).await;
        assert_eq!(answer["understood"]["filters"]["seller"], "groq", "{question}: {}", answer["understood"]);
        assert_eq!(ids(&answer), ["qwen3-8b"], "{question}");
    }
    assert_eq!(asked(&bench, "qwen3 on windows").await["understood"], Value::Null);
}

#[tokio::test]
async fn only_one_transport_leaves_out_what_has_another_too() {
    let over = |id: &str, transports: &[&str]| {
        let remote = |transport: &&str| json!({"type": transport, "url": format!("https://{id}.example/{transport}")});
        let server = McpServer { remotes: transports.iter().map(remote).collect(), ..McpServer::default() };
        fact(id, id, id, &Item::McpServer(server))
    };
    let bench = Bench::over(unlimited(), &[over("gull", &["sse"]), over("tern", &["sse", "streamable-http"])]);
    assert_eq!(ids(&asked(&bench, "sse only mcp servers").await), ["gull"]);
    assert_eq!(ids(&asked(&bench, "mcp servers with sse").await), ["gull", "tern"]);
}

#[tokio::test]
async fn what_is_not_wanted_is_left_out_without_a_kind_as_well() {
    let bench = Bench::over(
        unlimited(),
        &[
            server("gannet", "Gannet", "Takes notes, and more notes."),
            server("plover", "Plover", "Takes notes."),
            server("code-notes", "Code notes", "Takes notes without code."),
        ],
    );
    for question in [
        "take notes, anything but gannet",
        "take notes but not with gannet",
        "take notes without using gannet",
        "take notes, no gannet please",
        "app to take notes that is not gannet",
    ] {
        let answer = asked(&bench, question).await;
        assert!(
            !ids(&answer).contains(&"gannet") && ids(&answer).contains(&"plover"),
            "{question}: {:?}",
            ids(&answer)
        );
        assert!(answer["warnings"].to_string().contains("names what is not wanted"), "{question}");
    }
    // Said of how, or of anything.
    for question in ["take notes without paper", "gannet is not a function"] {
        assert_eq!(asked(&bench, question).await["warnings"], json!([]), "{question}");
    }
}

#[tokio::test]
async fn what_a_server_does_is_no_request_to_search() {
    let bench = Bench::over(
        unlimited(),
        &[server("web3", "Web3 server", "Web wallets on the web."), server("finder", "Finder", "Web search.")],
    );
    assert_eq!(ids(&asked(&bench, "web search server").await)[0], "finder");
    assert_eq!(read(&bench, "web search server other than gull").await.2, "web search");
}

#[tokio::test]
async fn a_tool_may_be_a_server() {
    let tool = |id: &str| {
        fact(id, id, id, &Item::Tool(Tool { description: Some("Files issues.".to_owned()), ..Tool::default() }))
    };
    let bench =
        Bench::over(unlimited(), &[tool("create_issue"), server("issues", "Issues", "Files issues, reads issues.")]);
    assert_eq!(ids(&asked(&bench, "issues tool").await)[0], "issues");
    assert_eq!(ids(&asked(&bench, "library for filing").await)[0], "create_issue");
}

#[tokio::test]
async fn alternatives_without_a_category_have_the_words_of_the_description() {
    let bench = Bench::over(
        unlimited(),
        &[
            server("gannet", "Gannet", "MCP server for AI agents: extracts tables from pages."),
            server("gannet-two", "Gannet two", "Extracts tables from pages."),
            server("tern", "Tern", "Reads tables of pages."),
            server("plover", "Plover", "Plays music."),
        ],
    );
    let answer = asked(&bench, "alternatives to gannet").await;
    assert_eq!(ids(&answer), ["tern"]);
    assert!(answer["warnings"][0].as_str().unwrap().contains("`extracts tables pages`"), "{}", answer["warnings"]);
}

#[tokio::test]
async fn a_negation_holds_for_all_that_is_joined() {
    let family = |vendor: &str, family: &str, name: &str| {
        made_by(vendor, name, Model { family: Some(family.to_owned()), ..Model::default() })
    };
    let bench = Bench::over(
        unlimited(),
        &[
            family("Acme Labs", "kestrel-mini", "kestrel-1-mini"),
            family("Acme Labs", "kestrel-nano", "kestrel-1-nano"),
            family("Borealis", "osprey", "osprey-1"),
            server("tern", "Tern", "Databases."),
            server("gannet", "Gannet", "Databases."),
            server("plover", "Plover", "Databases."),
        ],
    );
    for (question, name, value) in [
        ("models that are not mini or nano", "family__not", "kestrel-mini,kestrel-nano"),
        ("models excluding osprey and Acme Labs", "vendor__not", "Acme Labs"),
        ("models other than osprey and Acme Labs", "family__not", "osprey"),
        ("models instead of Acme Labs", "vendor__not", "Acme Labs"),
    ] {
        assert_eq!(asked(&bench, question).await["understood"]["filters"][name], value, "{question}");
    }
    for question in ["database servers except tern and gannet", "database servers instead of tern or gannet"] {
        assert_eq!(ids(&asked(&bench, question).await), ["plover"], "{question}");
    }
}

#[tokio::test]
async fn totals_are_asked_for_by_how_many() {
    let many = asked(&bench(), "how many models support vision").await;
    assert_eq!((&many["understood"]["filters"]["input_modalities"], &many["total"]), (&json!("image"), &json!(2)));
}

#[tokio::test]
async fn servers_have_an_order_of_their_last_update() {
    let updated = |id: &str, day: &str| {
        let server = McpServer { updated_at: Stamp::parse(&format!("{day}T00:00:00Z")), ..McpServer::default() };
        fact(id, id, id, &Item::McpServer(server))
    };
    let bench = Bench::over(unlimited(), &[updated("gull", "2026-01-01"), updated("tern", "2026-05-01")]);
    for question in ["newest mcp servers", "mcp servers updated most recently"] {
        assert_eq!(ids(&asked(&bench, question).await), ["tern", "gull"], "{question}");
    }
    assert_eq!(read(&bench, "latest news mcp server").await.1, Value::Null);
}

#[tokio::test]
async fn orders_between_opposites_go_from_the_first() {
    for (question, sort) in [
        ("models from smallest to largest context", "context_tokens,-offers"),
        ("models sorted by price of output", "price_output,-offers"),
        ("models from old to new", "released_on"),
        ("newest to oldest models of Acme Labs", "-released_on"),
    ] {
        let (_, read, rest) = read(&bench(), question).await;
        assert_eq!((read, rest), (json!(sort), json!("")), "{question}");
    }
}

#[tokio::test]
async fn what_is_not_announced_is_not_known() {
    check(
        &bench(),
        &[
            ("models with no announced end of life", json!({"retires_on__isnull": "true"})),
            ("models with no planned shutdown", json!({"retires_on__isnull": "true"})),
            ("models without a retirement date", json!({"retires_on__isnull": "true"})),
        ],
    )
    .await;
}

#[tokio::test]
async fn makers_are_meant_by_where_they_have_their_seat() {
    let made = |vendor: &str, name: &str| made_by(vendor, name, Model { open_weights: Some(true), ..Model::default() });
    let facts = [made("DeepSeek", "deepseek-v9"), made("Mistral AI", "mistral-9"), made("OpenAI", "gpt-9")];
    let bench = Bench::over(unlimited(), &facts);
    for (question, found) in [
        ("chinese models", vec!["deepseek-v9"]),
        ("no chinese models", vec!["gpt-9", "mistral-9"]),
        ("open models not made in china", vec!["gpt-9", "mistral-9"]),
        ("models from outside china", vec!["gpt-9", "mistral-9"]),
        ("models from europe", vec!["mistral-9"]),
        ("european made llm with open weights", vec!["mistral-9"]),
        ("models made in the us", vec!["gpt-9"]),
    ] {
        let answer = asked(&bench, question).await;
        let mut hits = ids(&answer);
        hits.sort_unstable();
        assert_eq!(hits, found, "{question}: {}", answer["understood"]);
        assert!(answer["warnings"][0].as_str().unwrap().contains("where makers have their headquarters"), "{question}");
    }
    // A language, and a place where something runs.
    for question in ["models good at chinese", "models hosted in europe", "chinese documents"] {
        assert_eq!(asked(&bench, question).await["understood"]["filters"].get("vendor"), None, "{question}");
    }
}

#[tokio::test]
async fn what_is_going_to_be_retired_has_not_been_yet() {
    let still = || json!({"retires_on__gte": "2026-09-21", "retires_on__lte": "2026"});
    check(
        &bench(),
        &[
            ("models that are going to be retired this year", still()),
            ("models that will be retired in 2026", still()),
            ("models that will retire this year", still()),
            ("models that will be retired", json!({"retires_on__gte": "2026-09-21"})),
            ("welche Modelle werden bald abgeschaltet", json!({"retires_on__gte": "2026-09-21"})),
            (
                "models that are going to be retired in 2027",
                json!({"retires_on__gte": "2027", "retires_on__lte": "2027"}),
            ),
            ("models retired in 2026", json!({"retires_on__gte": "2026", "retires_on__lte": "2026"})),
        ],
    )
    .await;
}

#[tokio::test]
async fn capabilities_forms_and_verbs_are_read_as_what_they_say() {
    check(
        &bench(),
        &[
            ("models that don't support temperature", json!({"capability": "!temperature"})),
            ("what Acme Labs models take image input", json!({"input_modalities": "image", "vendor": "Acme Labs"})),
            ("tutorials as notebooks", json!({"tutorial_format": "notebook"})),
        ],
    )
    .await;
    let (filters, _, rest) = read(&bench(), "notebooks about storms").await;
    assert_eq!((filters, rest), (json!({"tutorial_format": "notebook"}), json!("storms")));
    let newest = read(&bench(), "which models came out last").await;
    assert_eq!(newest.1, "-released_on");
    let (filters, ..) = read(&bench(), "models released last month").await;
    assert_eq!(filters["released_on__gte"], "2026-08");
}

#[tokio::test]
async fn who_asks_what_a_seller_sells_means_models() {
    let bench = Bench::over(unlimited(), &[sold("groq", "ibis"), sold("acme labs", "egret")]);
    let answer = asked(&bench, "what models does groq sell").await;
    assert_eq!((ids(&answer), &answer["understood"]["filters"]["seller"]), (vec!["ibis"], &json!("groq")));
}

fn sold(provider: &str, name: &str) -> StoredFact {
    let pricing = Pricing { input: Usd::parse("1"), output: Usd::parse("1"), ..Pricing::default() };
    let mut stored = made_by("Acme Labs", name, Model { pricing: Some(pricing), ..Model::default() });
    stored.key = format!("{provider}/{name}");
    stored.identity.provider = Some(provider.to_owned());
    stored
}

#[tokio::test]
async fn units_and_names_of_fields_are_read_however_they_are_typed() {
    check(
        &bench(),
        &[
            ("models with output under 3 $/Mtok", json!({"price_output__lte": "3"})),
            ("models with input at most 0.5 USD/1M", json!({"price_input__lte": "0.5"})),
            ("models ctx>=1M out>=64k", json!({"context_tokens__gte": "1000000", "output_tokens__gte": "64000"})),
            ("models with an open source licence", json!({"open_weights": "true"})),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_no_source_measures_is_no_word_to_look_for() {
    let bench = bench();
    let of_offers = "what most sellers offer comes first";
    for (question, order, rest, warning) in [
        ("best model", json!("-offers"), "", format!("is best: {of_offers}")),
        ("fastest model from Acme Labs", json!("-offers"), "", format!("is fastest: {of_offers}")),
        ("top 5 models", json!("-offers"), "", format!("are top: {of_offers}")),
        ("best models 2026", json!("-released_on"), "", "is best: they are shown in the order of their days".into()),
        ("best model for poetry", Value::Null, "poetry", "is best: what has the other words is shown".into()),
    ] {
        let answer = asked(&bench, question).await;
        let understood = &answer["understood"];
        assert_eq!((&understood["sort"], &understood["rest"]), (&order, &json!(rest)), "{question}");
        assert_eq!(answer["warnings"][0], format!("no source measures which {warning}"), "{question}");
    }
    let practices = asked(&bench, "best practices for model evaluation").await;
    assert_eq!(practices["warnings"], json!([]));
    let second = asked(&bench, "second cheapest model").await;
    assert_eq!(second["understood"]["sort"], "price_blended,-offers");
    assert_eq!(second["warnings"][0], "you asked for the second: it is at that position in this list");
}
