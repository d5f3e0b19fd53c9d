//! Questions whose words hang together: pairs of prices, names of fields, endings that negate, compounds, counts, topics and whose they are.
//! `docs/api.md#search`.

use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use crate::rest::searching::reading::understanding::{asked, bench, ids, made_by};
use crate::rest::searching::reading::wording::{check, read};
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Document, Item, McpServer, Modalities, Model, Skill, Tool, Tutorial};
use serde_json::{Value, json};

fn from(vendor: &str, id: &str, item: &Item) -> StoredFact {
    let mut stored = fact(id, id, id, item);
    stored.head.vendor = Some(vendor.to_owned());
    stored
}

/// Servers that need a key and that need none, a page of the protocol, and what two makers publish.
fn shelf() -> Bench {
    let keyed = json!({"type": "sse", "url": "https://tern.example/sse", "headers": [{"name": "X-Api-Key", "isRequired": true, "isSecret": true}]});
    let open = json!({"type": "sse", "url": "https://gull.example/sse"});
    let server = |remote: &Value| Item::McpServer(McpServer { remotes: vec![remote.clone()], ..McpServer::default() });
    let page = |id: &str, title: &str| fact(id, id, title, &Item::Document(Document::default()));
    let tutorial = fact("voice", "voice", "Build voice agents", &Item::Tutorial(Tutorial::default()));
    Bench::over(
        unlimited(),
        &[
            fact("tern", "tern", "Weather reports", &server(&keyed)),
            fact("gull", "gull", "Weather maps", &server(&open)),
            fact("progress-tracker", "progress-tracker", "Progress notifications tracker", &server(&open)),
            page("basic-progress", "Progress notifications of the protocol"),
            page("gated", "Request access to gated models"),
            from("Anthropic", "slides", &Item::Skill(Skill::default())),
            from("OpenAI", "sheets", &Item::Skill(Skill::default())),
            tutorial,
        ],
    )
}

#[tokio::test]
async fn a_sum_behind_a_slash_is_the_second_price_however_it_is_said() {
    let both = json!({"price_input__lte": "0.2", "price_output__lte": "0.8"});
    check(
        &bench(),
        &[
            ("models under 20 cents in / 80 cents out", both.clone()),
            ("20c in / 80c out", both),
            (
                "max 50 cents input / 2 dollars output models",
                json!({"price_input__lte": "0.5", "price_output__lte": "2"}),
            ),
            ("models at 2 dollars / 10 dollars", json!({"price_input__lte": "2", "price_output__lte": "10"})),
            // What a price is per is no second one.
            ("models under $2 / 1m tokens", json!({"price_input__lte": "2", "price_output__lte": "2"})),
        ],
    )
    .await;
}

#[tokio::test]
async fn thousands_without_a_unit_are_tokens_of_context() {
    check(
        &bench(),
        &[
            ("at most $5 out and at least 128k", json!({"price_output__lte": "5", "context_tokens__gte": "128000"})),
            ("models >= 200k && vision", json!({"context_tokens__gte": "200000", "input_modalities": "image"})),
            ("models over 100k", json!({"context_tokens__gte": "100001"})),
        ],
    )
    .await;
    for question in ["models over 100k downloads", "models under 8k", "mcp servers over 100k"] {
        assert_eq!(read(&bench(), question).await.0["context_tokens__gte"], Value::Null, "{question}");
    }
}

#[tokio::test]
async fn names_of_fields_are_read_as_their_words() {
    check(
        &bench(),
        &[
            (
                "price_output under 3 and context over 100k",
                json!({"price_output__lte": "3", "context_tokens__gte": "100001"}),
            ),
            ("models with context_tokens at least 200k", json!({"context_tokens__gte": "200000"})),
            ("models with price_cache_read below $1", json!({"price_cache_read__lte": "1"})),
            ("open_weights models", json!({"open_weights": "true"})),
        ],
    )
    .await;
    // What is no field stays one word.
    assert_eq!(asked(&bench(), "create_price under 3").await["understood"], Value::Null);
}

#[tokio::test]
async fn the_price_of_a_batch_is_an_order_as_well() {
    for (question, order) in [
        ("cheapest batch price", "price_batch_input,-offers"),
        ("lowest batch pricing", "price_batch_input,-offers"),
        ("most expensive batch price for output", "-price_batch_output,-offers"),
        ("cheapest batch input price", "price_batch_input,-offers"),
    ] {
        let (filters, sort, rest) = read(&bench(), question).await;
        assert_eq!((&sort, &rest, &filters["capability"]), (&json!(order), &json!(""), &Value::Null), "{question}");
    }
}

#[tokio::test]
async fn what_came_out_first_is_the_oldest() {
    let (_, sort, rest) = read(&bench(), "which models were released first in 2026").await;
    assert_eq!((sort, rest), (json!("released_on"), json!("")));
}

#[tokio::test]
async fn words_for_countries_that_are_other_words_count_beside_makers() {
    let of = |vendor: &str| made_by(vendor, &vendor.to_lowercase().replace(' ', "-"), Model::default());
    let bench = Bench::over(unlimited(), &["OpenAI", "Mistral AI", "Alibaba", "Cohere"].map(of));
    for (question, vendor) in [
        ("models by us companies", "OpenAI"),
        ("models from French startups", "Mistral AI"),
        ("models by companies in canada", "Cohere"),
        ("models from labs based in china", "Alibaba"),
    ] {
        assert_eq!(read(&bench, question).await.0, json!({ "vendor": vendor }), "{question}");
    }
    for question in ["show us providers of models", "french models", "models for companies in germany"] {
        assert_eq!(read(&bench, question).await.0["vendor"], Value::Null, "{question}");
    }
}

#[tokio::test]
async fn an_ending_says_that_there_is_none_of_something() {
    let none = json!({"auth": "none"});
    check(
        &shelf(),
        &[
            ("keyless mcp servers", none.clone()),
            ("authless mcp servers", none.clone()),
            ("login-free mcp servers", none.clone()),
            ("keyless hosted mcp servers", json!({"auth": "none", "install_type": "remote"})),
            ("mcp servers without sign up", none),
        ],
    )
    .await;
    assert_eq!(ids(&asked(&shelf(), "keyless mcp server for weather").await)[0], "gull");
    for question in ["keyless", "serverless mcp server", "headless browser mcp server", "keyless signing mcp server"] {
        assert_eq!(read(&shelf(), question).await.0["auth"], Value::Null, "{question}");
    }
}

#[tokio::test]
async fn who_names_parts_of_the_protocol_reads_about_them() {
    for question in [
        "mcp progress notifications",
        "progress notifications in mcp",
        "mcp spec capability negotiation",
        "mcp error codes",
        "mcp auth",
        "oauth in mcp",
        "mcp authentication",
    ] {
        let answer = asked(&shelf(), question).await;
        assert_eq!(answer["understood"]["kind"], "DOC", "{question}");
    }
    assert_eq!(ids(&asked(&shelf(), "mcp progress notifications").await)[0], "basic-progress");
    // What names something else is what a server is for.
    for question in ["mcp progress tracker", "mcp notifications", "mcp server for progress notifications"] {
        assert_eq!(asked(&shelf(), question).await["understood"]["kind"], "MCP_SERVER", "{question}");
    }
}

#[tokio::test]
async fn a_word_for_a_kind_may_only_modify_what_is_named_behind_it() {
    for question in ["gated models access request", "models rate limits", "models download stats"] {
        assert_eq!(asked(&shelf(), question).await["understood"], Value::Null, "{question}");
    }
    assert_eq!(ids(&asked(&shelf(), "gated models access request").await)[0], "gated");
    // What stands behind the word for a text is what that is about.
    let about = asked(&shelf(), "voice tutorial agents").await;
    assert_eq!((&about["understood"]["kind"], ids(&about)[0]), (&json!("TUTORIAL"), "voice"));
    check(&bench(), &[("models context limit 200k", json!({"context_tokens__gte": "200000"}))]).await;
}

#[tokio::test]
async fn the_number_of_things_is_not_searched_for() {
    for (question, rest) in [
        ("5 mcp servers for weather", "weather"),
        ("give me three mcp servers for weather", "weather"),
        ("list 10 skills", ""),
        ("3d printing mcp servers", "3d printing"),
        ("2 factor login mcp servers", "2 factor login"),
    ] {
        assert_eq!(read(&shelf(), question).await.2, rest, "{question}");
    }
    // Behind the name of a line it is a version.
    let line = Bench::over(unlimited(), &[made_by("Anthropic", "claude-4-sonnet", Model::default())]);
    assert_eq!(read(&line, "claude 4 models").await.2, "claude 4");
    let (_, sort, rest) = read(&bench(), "3 cheap models with vision").await;
    assert_eq!((sort, rest), (json!("price_blended,-offers"), json!("")));
}

#[tokio::test]
async fn a_maker_is_asked_for_what_it_has() {
    let (filters, _, rest) = read(&shelf(), "how many skills does anthropic have").await;
    assert_eq!((filters, rest), (json!({"vendor": "Anthropic"}), json!("")));
}

#[tokio::test]
async fn what_is_taken_and_given_says_that_models_are_meant() {
    let sounds = || vec!["audio".to_owned()];
    let speaker = Model { modalities: Modalities { input: sounds(), output: sounds() }, ..Model::default() };
    let bench = Bench::over(unlimited(), &[made_by("Acme Labs", "parrot", speaker)]);
    check(&bench, &[("audio in and audio out", json!({"input_modalities": "audio", "output_modalities": "audio"}))])
        .await;
    assert_eq!(asked(&bench, "audio in the car").await["understood"], Value::Null);
}

#[tokio::test]
async fn what_calls_tools_is_no_tool_and_a_kind_that_is_named_twice_is_one() {
    check(
        &bench(),
        &[
            ("models calling tools", json!({"capability": "tool_call"})),
            ("llm calling tools under $1 input", json!({"capability": "tool_call", "price_input__lte": "1"})),
            ("models missing tool support", json!({"capability": "!tool_call"})),
            ("Borealis models or models under $1 input", json!({"vendor": "Borealis", "price_input__lte": "1"})),
        ],
    )
    .await;
    // Behind another word it belongs to that.
    let (_, _, rest) = read(&shelf(), "mcp servers for weather and game servers").await;
    assert_eq!(rest, json!("weather and game servers"));
}

#[tokio::test]
async fn a_version_of_the_protocol_and_its_changes_are_in_documents() {
    for question in
        ["mcp changelog 2025-06-18", "mcp release notes 2025-11-25", "latest mcp changelog", "mcp spec 2025-06-18"]
    {
        assert_eq!(asked(&shelf(), question).await["understood"]["kind"], "DOC", "{question}");
    }
    assert_eq!(asked(&shelf(), "mcp changelog generator").await["understood"]["kind"], "MCP_SERVER");
}

/// A page of a publisher.
fn page_of(vendor: &str, id: &str, title: &str, says: &str) -> StoredFact {
    let document = Document { summary: Some(says.to_owned()), ..Document::default() };
    let mut page = fact(id, id, title, &Item::Document(document));
    page.head.vendor = Some(vendor.to_owned());
    page
}

#[tokio::test]
async fn a_page_that_is_called_by_the_topic_comes_before_those_that_repeat_whose_it_is() {
    let repeats = "Borealis SDK streaming: traces of the Borealis SDK, and streaming with the Borealis SDK.";
    let bench = Bench::over(
        unlimited(),
        &[
            from("Borealis", "borealis-sdk", &Item::Tool(Tool::default())),
            page_of("Borealis", "watch", "Watchtower", repeats),
            page_of("Borealis", "streams", "Streaming", "Parts of an answer as they come."),
            page_of("Acme Labs", "elsewhere", "Streaming", "Parts of an answer as they come."),
        ],
    );
    for (question, first) in [
        ("streaming in the borealis sdk", "streams"),
        ("borealis sdk streaming", "streams"),
        ("how do i stream with borealis", "streams"),
        ("acme labs stream", "elsewhere"),
        // No page is called so.
        ("borealis sdk", "borealis-sdk"),
    ] {
        assert_eq!(ids(&asked(&bench, question).await)[0], first, "{question}");
    }
}

#[tokio::test]
async fn what_is_called_by_the_topic_itself_stays_before_pages_on_it() {
    let relay = fact("relay", "relay", "Borealis streaming relay", &Item::McpServer(McpServer::default()));
    let page = page_of("Borealis", "streams", "Streaming values", "Parts of an answer as they come.");
    let bench = Bench::over(unlimited(), &[relay, page]);
    assert_eq!(ids(&asked(&bench, "borealis streaming").await), ["relay", "streams"]);
}

#[tokio::test]
async fn a_skill_that_says_it_is_for_something_comes_before_one_that_mentions_it() {
    let skill = |id: &str, says: &str, text: &str| {
        let mut skill =
            fact(id, id, id, &Item::Skill(Skill { description: Some(says.to_owned()), ..Skill::default() }));
        (skill.has_body, skill.body_text) = (true, text.to_owned().into());
        skill
    };
    let bench = Bench::over(
        unlimited(),
        &[
            skill("ledger", "Keeps accounts of ports.", "Deploy an app. Deploy an app."),
            skill("harbour", "Deploy an app.", "Boats moor here over night and by day all year."),
        ],
    );
    assert_eq!(ids(&asked(&bench, "skill to deploy an app").await), ["harbour", "ledger"]);
    assert_eq!(ids(&bench.json("/v1/search?q=deploy+an+app&type=SKILL").await), ["harbour", "ledger"]);
    let as_typed = bench.json("/v1/search?q=deploy+an+app&type=SKILL&understand=false").await;
    assert_eq!(ids(&as_typed), ["ledger", "harbour"], "words count alike wherever they stand");
}
