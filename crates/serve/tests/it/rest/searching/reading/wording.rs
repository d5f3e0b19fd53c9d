//! Ways of saying a filter or an order, in English and in other languages. `docs/api.md#search`.

use super::offered_by;
use super::understanding::{asked, bench, ids};
use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Item, McpServer, Model, Tool};
use serde_json::{Value, json};

/// What a question is read as: its filters but for what every list leaves out, its order and what is left.
pub async fn read(bench: &Bench, question: &str) -> (Value, Value, Value) {
    let mut understood = asked(bench, question).await["understood"].take();
    if let Some(filters) = understood["filters"].as_object_mut() {
        filters.remove("include_removed");
        if filters.get("status__not").is_some_and(|gone| gone == "retired") {
            filters.remove("status__not");
        }
    }
    (understood["filters"].take(), understood["sort"].take(), understood["rest"].take())
}

/// Checks that questions are read as filters, with nothing left over.
pub async fn check(bench: &Bench, questions: &[(&str, Value)]) {
    for (question, filters) in questions {
        let (read, _, rest) = read(bench, question).await;
        assert_eq!((&read, &rest), (filters, &json!("")), "{question}");
    }
}

#[tokio::test]
async fn verbs_that_hold_a_question_together_are_not_looked_for() {
    let there = json!({"vendor": "Acme Labs", "status__not": "deprecated,retired"});
    check(
        &bench(),
        &[
            ("models that are still supported by Acme Labs", there.clone()),
            ("models from Acme Labs still available", there),
            ("active models from Acme Labs", json!({"vendor": "Acme Labs", "status": "active"})),
            ("models I can already use from Acme Labs", json!({"vendor": "Acme Labs"})),
            ("supported Acme models", json!({"vendor": "Acme Labs"})),
            ("mcp servers installable with npm", json!({"registry_type": "npm"})),
            ("mcp servers using sse transport", json!({"transport": "sse"})),
            ("mcp servers requiring authentication", json!({"auth": "required"})),
        ],
    )
    .await;
    let (_, sort, rest) = read(&bench(), "oldest model still available").await;
    assert_eq!((sort, rest), (json!("released_on"), json!("")));
}

#[tokio::test]
async fn what_is_shut_down_on_a_day_is_what_retires_then() {
    let in_2026 = || json!({"retires_on__gte": "2026", "retires_on__lte": "2026"});
    check(
        &bench(),
        &[
            (
                "which models shut down in december 2026",
                json!({"retires_on__gte": "2026-12", "retires_on__lte": "2026-12"}),
            ),
            ("models discontinued in 2026", in_2026()),
            ("welche Modelle werden 2026 abgeschaltet", in_2026()),
            ("models with a shutdown date", json!({"retires_on__isnull": "false"})),
            ("models with no retirement date", json!({"retires_on__isnull": "true"})),
            ("models that were shut down", json!({"status": "retired"})),
            ("models that are gone", json!({"status": "retired"})),
            ("models taken offline", json!({"status": "retired"})),
        ],
    )
    .await;
    for question in ["upcoming shutdowns next 3 months", "models that will be shut down in the next months"] {
        let (filters, _, rest) = read(&bench(), question).await;
        assert!(filters["retires_on__gte"].is_string() && filters["retires_on__lte"].is_string(), "{filters}");
        assert_eq!(rest, "");
    }
}

#[tokio::test]
async fn a_price_is_of_a_million_tokens_whatever_it_is_said_per() {
    let input = |price: &str| json!({"price_input__lte": price});
    let both = |price: &str| json!({"price_input__lte": price, "price_output__lte": price});
    check(
        &bench(),
        &[
            ("models below $0.50/M output", json!({"price_output__lte": "0.5"})),
            ("models under $1/MTok", both("1")),
            ("models under $0.50/1M input", input("0.5")),
            (
                "models under $0.20/M input and context over 100k",
                json!({"price_input__lte": "0.2", "context_tokens__gte": "100001"}),
            ),
            ("models that cost at most $0.001 per 1k tokens", both("1")),
            ("less than $0.0005 per 1k input tokens", input("0.5")),
            ("models under $0.002/1k", both("2")),
            ("models under 0.5 cents per 1000 output tokens", json!({"price_output__lte": "5"})),
            ("models under $1 a million tokens", both("1")),
            ("modèles à moins de 1 dollar par million de tokens", both("1")),
            ("Modelle für weniger als 0,50 USD", both("0.5")),
            ("models under $1,000", both("1000")),
            ("models with 1,5M context", json!({"context_tokens__gte": "1500000"})),
        ],
    )
    .await;
    let (filters, ..) = read(&bench(), "models under $1,2,3").await;
    assert_eq!(filters, json!({}), "no number at all");
}

#[tokio::test]
async fn a_rounded_most_is_also_what_it_is_of_powers_of_two() {
    check(
        &bench(),
        &[
            (
                "models with exactly 32k context",
                json!({"context_tokens__gte": "32000", "context_tokens__lte": "32768"}),
            ),
            ("models with no more than 8k context", json!({"context_tokens__lte": "8192"})),
            ("models with less than 8k context", json!({"context_tokens__lte": "7999"})),
            ("models with at most 8000 tokens of context", json!({"context_tokens__lte": "8000"})),
        ],
    )
    .await;
}

#[tokio::test]
async fn periods_have_a_beginning_and_an_end() {
    let released = |first: &str, last: &str| json!({"released_on__gte": first, "released_on__lte": last});
    check(
        &bench(),
        &[
            ("models released between march and june 2025", released("2025-03", "2025-06")),
            ("models from march to june 2025", released("2025-03", "2025-06")),
            ("models released between 2026-01-01 and 2026-03-31", released("2026-01-01", "2026-03-31")),
            ("models between 2023 and 2024", released("2023", "2024")),
            ("models released in 2024 or 2025", released("2024", "2025")),
            ("models released in 2024 or in 2025", released("2024", "2025")),
            ("models released in h1 2025", released("2025-01", "2025-06")),
            ("models of 2025", released("2025", "2025")),
            ("models from 2024", released("2024", "2024")),
            ("models from 2024 on", json!({"released_on__gte": "2024"})),
            ("models released before July 4th, 2025", json!({"released_on__lte": "2025-07-03"})),
            ("models older than 2024", json!({"released_on__lte": "2023-12-31"})),
            ("2025年发布的模型", released("2025", "2025")),
            ("2025年にリリースされたモデル", released("2025", "2025")),
            ("2025년에 출시된 모델", released("2025", "2025")),
        ],
    )
    .await;
    // No list has two periods with time between them.
    assert_eq!(read(&bench(), "models released in 2021 or 2025").await.0, json!({}));
    let twice = asked(&bench(), "models released in 2023 and released in 2025").await;
    let warnings = twice["warnings"].to_string();
    assert!(warnings.contains("a second period of `released_on` was not understood"), "{warnings}");
    let (filters, sort, _) = read(&bench(), "new models this month").await;
    assert!(filters["released_on__gte"].is_string() && filters["released_on__gte"] == filters["released_on__lte"]);
    assert_eq!(sort, "-released_on");
    let (filters, ..) = read(&bench(), "models released in recent months").await;
    assert!(filters["released_on__gte"].is_string(), "{filters}");
}

#[tokio::test]
async fn what_was_released_long_ago_may_be_gone_by_now() {
    let bench = bench();
    assert_eq!(ids(&asked(&bench, "models released in 2023").await), ["quartz"]);
    assert_eq!(ids(&asked(&bench, "oldest model").await)[0], "quartz");
    assert_eq!(ids(&asked(&bench, "cheapest model").await)[0], "falcon", "the best of some kind stays");
    let retired = (json!({"status": "retired"}), json!("-retires_on"), json!(""));
    assert_eq!(read(&bench, "recently retired models").await, retired);
}

#[tokio::test]
async fn fields_are_called_by_many_names() {
    let bench = bench();
    check(
        &bench,
        &[
            ("max output at least 64k", json!({"output_tokens__gte": "64000"})),
            ("models with max output at least 64k tokens", json!({"output_tokens__gte": "64000"})),
            ("training data cutoff 2025 or later", json!({"knowledge_cutoff__gte": "2025"})),
            ("models with training data after 2025", json!({"knowledge_cutoff__gte": "2026-01-01"})),
            (
                "models with context >= 200k and tools",
                json!({"context_tokens__gte": "200000", "capability": "tool_call"}),
            ),
            ("models with vision and tools", json!({"input_modalities": "image", "capability": "tool_call"})),
            ("models that support images", json!({"input_modalities": "image"})),
            ("models that don't support streaming", json!({"capability": "!streaming"})),
            ("non-reasoning models", json!({"capability": "!reasoning"})),
            ("non-Borealis models", json!({"vendor__not": "Borealis"})),
            ("non-deprecated models", json!({"status__not": "deprecated,retired"})),
        ],
    )
    .await;
    for (question, sort) in [
        ("most recent Acme release", "-released_on"),
        ("latest knowledge cutoff", "-knowledge_cutoff"),
        ("model with the latest knowledge cutoff", "-knowledge_cutoff"),
        ("sort models by output price descending", "-price_output,-offers"),
        ("cheapest model per million tokens", "price_blended,-offers"),
        ("lowest priced model per 1k output tokens", "price_output,-offers"),
        ("上下文最长的模型", "-context_tokens,-offers"),
        ("上下文最大的模型", "-context_tokens,-offers"),
        ("último modelo de Acme", "-released_on"),
        ("dernier modèle", "-released_on"),
        ("top 3 cheapest models by input price", "price_input,-offers"),
        ("most expensive models by output cost", "-price_output,-offers"),
        ("largest models by context", "-context_tokens,-offers"),
        ("smallest models by context length", "context_tokens,-offers"),
        ("top 5 models by price", "price_blended,-offers"),
        ("models by release date", "-released_on"),
        ("nouveaux modèles", "-released_on"),
    ] {
        let (_, read, rest) = read(&bench, question).await;
        assert_eq!((read, rest), (json!(sort), json!("")), "{question}");
    }
}

#[tokio::test]
async fn other_languages_say_the_same() {
    let not_acme = || json!({"vendor__not": "Acme Labs"});
    check(
        &bench(),
        &[
            ("modelos que no son de Acme", not_acme()),
            ("Modelle nicht von Acme", not_acme()),
            ("modelos que não são da Acme", not_acme()),
            ("modèles qui ne sont pas d'Acme", not_acme()),
            ("modelli non di Acme", not_acme()),
            ("модели не от Acme", not_acme()),
            ("不是Acme的模型", not_acme()),
            ("Acme以外のモデル", not_acme()),
            ("Acme가 아닌 모델", not_acme()),
            ("modèles d'Acme", json!({"vendor": "Acme Labs"})),
            ("modèles obsolètes de Acme", json!({"vendor": "Acme Labs", "status": "deprecated"})),
            ("modèles dépréciés de Acme", json!({"vendor": "Acme Labs", "status": "deprecated"})),
            ("offene Modelle mit Werkzeugaufruf", json!({"open_weights": "true", "capability": "tool_call"})),
            ("модель с поддержкой изображений", json!({"input_modalities": "image"})),
            (
                "modelos gratuitos com ferramentas",
                json!({
                    "price_input__lte": "0", "price_output__lte": "0", "capability": "tool_call",
                    "output_modalities__not": "audio,image,video",
                    "model_mode__not": "audio,embedding,image,moderation,ocr,realtime,rerank,search,vector_store,video",
                }),
            ),
            ("модель с инструментами", json!({"capability": "tool_call"})),
            ("servidores mcp oficiales", json!({"official": "true"})),
            ("serveurs mcp distants sans authentification", json!({"install_type": "remote", "auth": "none"})),
            ("MCP Server ohne Authentifizierung", json!({"auth": "none"})),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_negation_holds_over_the_list_that_it_begins() {
    let neither = || json!({"vendor__not": "Acme Labs,Borealis"});
    check(
        &bench(),
        &[
            ("models not from Acme, Borealis", neither()),
            ("models not by Acme or by Borealis", neither()),
            ("models from neither Acme nor Borealis", neither()),
            ("models other than Acme's", json!({"vendor__not": "Acme Labs"})),
            ("models other than those from Acme", json!({"vendor__not": "Acme Labs"})),
            ("models except those made by Acme and Borealis", neither()),
            ("Borealis's models", json!({"vendor": "Borealis"})),
            ("models without streaming, caching or batch", json!({"capability": "!streaming,!prompt_caching,!batch"})),
        ],
    )
    .await;
    let answer = asked(&bench(), "Acme models without parrots").await;
    assert_eq!(
        (&answer["understood"]["filters"]["vendor"], &answer["understood"]["rest"]),
        (&json!("Acme Labs"), &json!(""))
    );
    assert!(answer["warnings"].to_string().contains("`without parrots` was not understood"), "{}", answer["warnings"]);
    // Nothing else is said: all are asked for.
    let answer = asked(&bench(), "models that do not support parrots").await;
    assert_eq!((ids(&answer).len(), &answer["understood"]["rest"]), (3, &json!("")));
}

#[tokio::test]
async fn a_number_that_one_warning_quotes_is_told_of_again_where_it_stands_for_something_else() {
    let warnings =
        asked(&bench(), "mcp servers released in 2020 with more than 20 tools").await["warnings"].to_string();
    for told in ["`released in 2020` was not understood", "`more than 20 tools` was not understood"] {
        assert!(warnings.contains(told), "{told}: {warnings}");
    }
}

#[tokio::test]
async fn a_field_that_is_named_says_what_the_value_beside_it_is_of() {
    let tool = |id: &str, category: &str, platform: &str| {
        let item =
            Tool { category: Some(category.to_owned()), platforms: vec![platform.to_owned()], ..Tool::default() };
        fact(id, id, id, &Item::Tool(item))
    };
    let bench = Bench::over(unlimited(), &[tool("kiln", "pottery", "linux"), tool("loom", "weaving", "windows")]);
    check(
        &bench,
        &[
            ("tools that run on linux", json!({"platform": "linux"})),
            ("tools not running on windows", json!({"platform__not": "windows"})),
            ("tools not running on windows and linux", json!({"platform__not": "windows,linux"})),
            ("tools that run on linux or on windows", json!({"platform": "linux,windows"})),
            ("tools in the pottery category", json!({"category": "pottery"})),
            ("tools whose category is weaving", json!({"category": "weaving"})),
            ("which tools are MCP clients", json!({"mcp_client": "true"})),
            ("skills with files", json!({"has_files": "true"})),
            ("skills without files", json!({"has_files": "false"})),
            ("documents in Chinese", json!({"language": "zh"})),
            ("Chinese documentation", json!({"language": "zh"})),
            ("non-english documentation", json!({"language__not": "en"})),
        ],
    )
    .await;
    // What the thing is about is no value.
    assert_eq!(read(&bench, "tools to sign documents").await.0, json!({}));
    assert_eq!(asked(&bench, "search documents in a drive").await["understood"], Value::Null);
}

#[tokio::test]
async fn a_noun_in_front_of_a_server_is_what_it_is_about() {
    check(
        &bench(),
        &[
            ("mcp servers remote without authentication", json!({"install_type": "remote", "auth": "none"})),
            ("mcp servers with api key", json!({"auth": "required"})),
            ("mcp servers without api key", json!({"auth": "none"})),
            ("mcp server docker image", json!({"registry_type": "oci"})),
            ("mcp servers as docker image", json!({"registry_type": "oci"})),
            ("npm mcp servers", json!({"registry_type": "npm"})),
            ("local mcp servers", json!({"install_type": "package"})),
            ("stdio mcp servers", json!({"transport": "stdio"})),
        ],
    )
    .await;
    for (question, rest) in [
        ("secrets mcp server", "secrets"),
        ("npm mcp server", "npm"),
        ("bank account mcp server", "bank account"),
        ("local weather mcp server", "local weather"),
        ("mcp authorization", "mcp authorization"),
    ] {
        let (filters, _, left) = read(&bench(), question).await;
        assert_eq!((filters, left), (json!({}), json!(rest)), "{question}");
    }
}

#[tokio::test]
async fn a_name_within_a_topic_is_no_maker_and_no_seller() {
    let sold = |seller: &str, name: &str| offered_by(seller, "Meta", name, Model::default());
    let facts = [sold("bedrock", "robin"), sold("amazon-bedrock", "finch"), sold("tencent-coding-plan", "wren")];
    let bench = Bench::over(unlimited(), &facts);
    for question in ["model for meta analysis", "models good at coding"] {
        assert_eq!(read(&bench, question).await.0, json!({}), "{question}");
    }
    check(&bench, &[("models by Meta", json!({"vendor": "Meta"}))]).await;
    let (filters, ..) = read(&bench, "models on bedrock").await;
    let sellers: std::collections::BTreeSet<&str> = filters["seller"].as_str().unwrap().split(',').collect();
    assert_eq!(sellers, ["amazon-bedrock", "bedrock"].into(), "all spellings of one seller");
    check(&bench, &[("models not on tencent coding plan", json!({"seller__not": "tencent-coding-plan"}))]).await;
    let (filters, ..) = read(&bench, "models on bedrock or tencent coding plan").await;
    assert_eq!(filters["seller"].as_str().unwrap().split(',').count(), 3, "{filters}");
}

#[tokio::test]
async fn a_misspelt_word_of_an_order_is_read_with_a_warning() {
    let bench = bench();
    for (question, sort, warning) in [
        ("cheepest modle", "price_blended,-offers", "“cheepest” was read as “cheapest”"),
        ("chep modle", "price_blended,-offers", "“chep” was read as “cheap”"),
        ("newst Acme model", "-released_on", "“newst” was read as “newest”"),
        ("largest max ouput tokens", "-output_tokens,-offers", "“ouput” was read as “output”"),
        ("larget context window", "-context_tokens,-offers", "“larget” was read as “largest”"),
    ] {
        let answer = asked(&bench, question).await;
        assert_eq!(answer["understood"]["sort"], sort, "{question}");
        assert!(answer["warnings"].to_string().contains(warning), "{question}: {}", answer["warnings"]);
    }
    let (filters, ..) = read(&bench, "depracated models").await;
    assert_eq!(filters, json!({"status": "retired"}), "none is deprecated and still there");
    // A word that several things have is one, however near it is to another.
    assert_eq!(read(&bench, "remotr mcp servers").await.0, json!({"install_type": "remote"}));
    let server = |at: usize| {
        let item = McpServer { description: Some("Speaks to a remotr.".to_owned()), ..McpServer::default() };
        fact(&format!("s{at}"), &format!("s{at}"), &format!("Box {at}"), &Item::McpServer(item))
    };
    let facts: Vec<StoredFact> = (0..6).map(server).collect();
    let (filters, _, rest) = read(&Bench::over(unlimited(), &facts), "remotr mcp servers").await;
    assert_eq!((filters, rest), (json!({}), json!("remotr")));
}
