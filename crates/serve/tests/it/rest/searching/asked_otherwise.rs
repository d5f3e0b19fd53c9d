//! Verbs of an order, values behind the kind or a comma, languages of texts, and kinds at the end of what shall be done.
//! `docs/api.md#search`.

use super::reading::named_things::server;
use super::reading::understanding::{asked, bench, ids, made_by};
use super::reading::wording::{check, read};
use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Document, Item, McpServer, Model, Tool};
use serde_json::{Value, json};

#[tokio::test]
async fn a_value_behind_the_word_for_the_kind_is_no_second_word_for_it() {
    let open = json!({"input_modalities": "image", "open_weights": "true"});
    check(&bench(), &[("vision model open weights", open.clone()), ("open weights vision model", open)]).await;
}

#[tokio::test]
async fn what_models_cost_write_and_take_in_the_most_of_is_an_order() {
    for (question, order) in [
        ("which model costs the least", "price_blended,-offers"),
        ("models that cost least", "price_blended,-offers"),
        ("least costly model", "price_blended,-offers"),
        ("which model costs the most", "-price_blended,-offers"),
        ("which model charges the least for output", "price_output,-offers"),
        ("model that outputs the most tokens", "-output_tokens,-offers"),
        ("which model accepts the longest prompts", "-context_tokens,-offers"),
        ("model with the most recent knowledge", "-knowledge_cutoff"),
    ] {
        let (_, sort, rest) = read(&bench(), question).await;
        assert_eq!((sort, rest), (json!(order), json!("")), "{question}");
    }
    // What costs the most tokens is not the most expensive.
    assert_eq!(read(&bench(), "which model costs the most tokens").await.1, Value::Null);
}

#[tokio::test]
async fn what_models_take_and_give_is_said_once_for_both() {
    let both = || json!({"input_modalities": "audio", "output_modalities": "audio"});
    check(
        &bench(),
        &[
            ("models with audio input and output", both()),
            ("models with audio output and input", both()),
            ("models accepting audio input and video", json!({"input_modalities": "audio,video"})),
            ("vision and audio models", json!({"input_modalities": "image,audio"})),
            ("audio models", json!({"model_mode": "audio"})),
        ],
    )
    .await;
}

#[tokio::test]
async fn behind_a_comma_a_question_goes_on_with_the_models() {
    let bench = bench();
    let sees = json!({"input_modalities": "image"});
    assert_eq!(read(&bench, "model for coding, vision").await.0, sees);
    assert_eq!(read(&bench, "model for coding, vision research").await.0, json!({}), "all of it is the topic");
    assert_eq!(read(&bench, "model for coding and vision").await.0, json!({}), "all of it is the topic");
}

/// A page in a language.
fn page(path: &str, language: &str) -> StoredFact {
    let document = Document { path: Some(path.to_owned()), ..Document::default() };
    let mut stored = fact(path, &path.replace(['/', '.'], "-"), "Lifecycle of a connection", &Item::Document(document));
    stored.head.language = Some(language.to_owned());
    stored
}

#[tokio::test]
async fn a_guide_in_a_language_is_a_text_of_it() {
    let pages =
        ["ar", "ca", "de", "en", "fi", "tr"].map(|language| page(&format!("guide/lifecycle.{language}.mdx"), language));
    let bench = Bench::over(unlimited(), &pages);
    for (question, language) in [
        ("lifecycle guide in german", "de"),
        ("guide in turkish on the lifecycle", "tr"),
        ("lifecycle overview in finnish", "fi"),
        ("documentation in catalan", "ca"),
        ("arabic documentation", "ar"),
    ] {
        let answer = asked(&bench, question).await;
        assert_eq!(answer["understood"]["kind"], "DOC", "{question}");
        assert_eq!(answer["understood"]["filters"]["language"], language, "{question}");
        assert_eq!(ids(&answer), [format!("guide-lifecycle-{language}-mdx")], "{question}");
    }
}

#[tokio::test]
async fn a_text_is_shown_in_the_language_that_the_question_names() {
    let pages = ["de", "en", "tr"].map(|language| page(&format!("guide/lifecycle.{language}.mdx"), language));
    let bench = Bench::over(unlimited(), &pages);
    for (question, id) in [
        ("lifecycle connection", "guide-lifecycle-en-mdx"),
        ("lifecycle connection in german", "guide-lifecycle-de-mdx"),
        ("lifecycle connection in turkish", "guide-lifecycle-tr-mdx"),
        ("lifecycle connection in japanese", "guide-lifecycle-en-mdx"),
        ("lifecycle connection not in german", "guide-lifecycle-en-mdx"),
    ] {
        let answer = asked(&bench, question).await;
        assert_eq!(ids(&answer), [id], "{question}");
        assert_eq!(answer["results"][0]["variants"].as_array().map(Vec::len), Some(2), "{question}");
    }
}

#[tokio::test]
async fn whose_documentation_it_is_stands_before_the_word_for_it() {
    let of = |vendor: &str, path: &str, title: &str| {
        let document = Document { path: Some(path.to_owned()), ..Document::default() };
        let mut stored = fact(path, path, title, &Item::Document(document));
        stored.head.vendor = Some(vendor.to_owned());
        stored
    };
    let pages = [
        of("Borealis", "incoming-hooks", "Incoming webhooks"),
        of("Acme Labs", "hooks-elsewhere", "Webhooks of Borealis elsewhere"),
    ];
    let bench = Bench::over(unlimited(), &pages);
    for question in ["borealis docs about webhooks", "borealis documentation webhooks"] {
        let answer = asked(&bench, question).await;
        assert_eq!(answer["understood"]["filters"]["vendor"], "Borealis", "{question}");
        assert_eq!(ids(&answer), ["incoming-hooks"], "{question}");
    }
    // What they are about, and all of them, which is no list in the order of their ids.
    for question in ["docs about borealis webhooks", "borealis docs"] {
        assert_eq!(asked(&bench, question).await["understood"]["filters"], json!({}), "{question}");
    }
}

#[tokio::test]
async fn the_word_for_a_text_or_a_skill_ends_what_shall_be_done() {
    for (question, kind) in [
        ("make powerpoint slides skill", json!("SKILL")),
        ("build a voice agent tutorial", json!("TUTORIAL")),
        ("how to fine-tune llama tutorial", json!("TUTORIAL")),
        ("create a custom skill", Value::Null),
        ("how to write a good skill", Value::Null),
        ("deploy a streamlit notebook", Value::Null),
        ("build a weather mcp server", Value::Null),
    ] {
        assert_eq!(asked(&bench(), question).await["understood"]["kind"], kind, "{question}");
    }
}

#[tokio::test]
async fn a_version_of_a_line_and_its_parameters_are_compared() {
    let names = [("Meta", "llama-3.3-70b-instruct"), ("Alibaba", "qwen2.5-72b-instruct"), ("Alibaba", "qwen2.5-7b")];
    let facts = names.map(|(vendor, name)| made_by(vendor, name, Model::default()));
    let bench = Bench::over(unlimited(), &facts);
    for question in ["compare llama 3.3 70b and qwen 2.5 72b", "llama 3.3 70b vs qwen 2.5 72b"] {
        assert_eq!(
            ids(&asked(&bench, question).await)[..2],
            ["llama-3.3-70b-instruct", "qwen2.5-72b-instruct"],
            "{question}"
        );
    }
}

#[tokio::test]
async fn when_a_version_of_a_line_came_is_asked_of_its_models() {
    let names = ["llama-4-scout", "llama-3.1-8b"].map(|name| made_by("Meta", name, Model::default()));
    let text = page("guide/llama.mdx", "en");
    let bench = Bench::over(unlimited(), &[&names[..], &[text]].concat());
    for question in
        ["when was llama 4 released", "release date of llama 4", "llama 4 release date", "when did llama 4 come out"]
    {
        let answer = asked(&bench, question).await;
        assert_eq!((&answer["understood"]["kind"], ids(&answer)[0]), (&json!("MODEL"), "llama-4-scout"), "{question}");
    }
    assert_eq!(asked(&bench, "llama 4 release notes").await["understood"]["kind"], Value::Null);
    let facts = ["qwen3-32b", "llama-3.1-8b"].map(|name| made_by("Alibaba", name, Model::default()));
    let bench = Bench::over(unlimited(), &facts);
    for question in ["license of qwen3", "qwen3 license", "qwen3 release date"] {
        let answer = asked(&bench, question).await;
        assert_eq!((&answer["understood"]["kind"], ids(&answer)[0]), (&json!("MODEL"), "qwen3-32b"), "{question}");
    }
}

#[tokio::test]
async fn a_tool_is_compared_and_no_page_that_is_called_after_it() {
    let tool = |id: &str, name: &str| fact(id, id, name, &Item::Tool(Tool::default()));
    let mut page = page("guide/heron.mdx", "en");
    page.head.name = "Heron Index".into();
    let facts = [tool("heron-index", "Heron Index Toolkit"), tool("sparrow", "Sparrow"), page];
    let bench = Bench::over(unlimited(), &facts);
    assert_eq!(ids(&asked(&bench, "sparrow vs heron index").await)[..2], ["sparrow", "heron-index"]);
}

#[tokio::test]
async fn how_something_is_not_so_stands_between_the_negation_and_the_value() {
    check(
        &bench(),
        &[
            ("models not available as open weights", json!({"open_weights": "false"})),
            ("models that are not currently open source", json!({"open_weights": "false"})),
            ("models that don't yet support tool calling", json!({"capability": "!tool_call"})),
            ("models lacking tool support", json!({"capability": "!tool_call"})),
            ("no-reasoning models", json!({"capability": "!reasoning"})),
            ("no-auth servers", json!({"auth": "none"})),
        ],
    )
    .await;
    // What no value follows is a word: `no-code` is no negation.
    assert_eq!(asked(&bench(), "no-code servers").await["understood"]["rest"], "no-code");
}

#[tokio::test]
async fn what_a_model_takes_and_gives_is_said_with_more_than_its_name() {
    check(
        &bench(),
        &[
            ("models taking pictures as input", json!({"input_modalities": "image"})),
            ("models that analyze pdf documents", json!({"input_modalities": "pdf"})),
            ("models that take voice input", json!({"input_modalities": "audio"})),
            ("models that return valid json", json!({"capability": "structured_output"})),
            (
                "models with json output under $2",
                json!({"capability": "structured_output", "price_input__lte": "2", "price_output__lte": "2"}),
            ),
            ("models with extended thinking", json!({"capability": "reasoning"})),
            (
                "vision + reasoning + tools under $2 input",
                json!({"price_input__lte": "2", "input_modalities": "image", "capability": "reasoning,tool_call"}),
            ),
        ],
    )
    .await;
    // Without a price, tools are what is asked for.
    assert_eq!(asked(&bench(), "vision tools").await["understood"]["kind"], "TOOL");
    let of_mode = |mode: &str| made_by("Acme Labs", mode, Model { mode: Some(mode.to_owned()), ..Model::default() });
    let bench = Bench::over(unlimited(), &["realtime", "search"].map(of_mode));
    check(&bench, &[("realtime models", json!({"model_mode": "realtime"}))]).await;
    assert_eq!(asked(&bench, "search models").await["understood"]["filters"]["model_mode"], Value::Null);
}

#[tokio::test]
async fn what_has_no_day_of_its_own_is_ordered_by_its_last_change() {
    let bench = Bench::over(
        unlimited(),
        &[page("guide/a.md", "en"), page("guide/b.md", "en"), fact("t", "t", "T", &Item::Tool(Tool::default()))],
    );
    for (question, kind, sort) in [
        ("newest documents", "DOC", "-updated_at"),
        ("oldest documents", "DOC", "updated_at"),
        ("latest tools", "TOOL", "-updated_at"),
    ] {
        let answer = asked(&bench, question).await;
        let understood = &answer["understood"];
        assert_eq!(
            (&understood["kind"], &understood["sort"], &understood["rest"]),
            (&json!(kind), &json!(sort), &json!("")),
            "{question}"
        );
        assert!(
            answer["warnings"][0].as_str().unwrap().starts_with("no source states when these came out"),
            "{answer}"
        );
    }
    let answer = asked(&bench, "recently changed docs").await;
    assert_eq!((&answer["understood"]["sort"], &answer["warnings"]), (&json!("-updated_at"), &json!([])));
    assert_eq!(asked(&bench, "recently updated models").await["understood"]["sort"], "-updated_at");
    // In front of another word it says which one is meant.
    assert_eq!(asked(&bench, "latest release notes tools").await["understood"]["sort"], Value::Null);
}

#[tokio::test]
async fn a_licence_in_front_of_several_things_is_theirs() {
    let licensed = |id: &str, license: &str| {
        let server = McpServer { license: Some(license.to_owned()), ..McpServer::default() };
        fact(id, id, id, &Item::McpServer(server))
    };
    let bench = Bench::over(unlimited(), &[licensed("heron", "Apache-2.0"), licensed("wren", "MIT")]);
    check(
        &bench,
        &[("apache 2.0 mcp servers", json!({"license": "Apache-2.0"})), ("mit servers", json!({"license": "MIT"}))],
    )
    .await;
    // The name of the foundation alone, and one server.
    for question in ["apache mcp servers", "mit mcp server"] {
        assert_eq!(asked(&bench, question).await["understood"]["filters"]["license"], Value::Null, "{question}");
    }
}

#[tokio::test]
async fn whose_successor_it_is_may_be_said_before_it() {
    for question in ["falcon's successor", "falcon’s replacement", "successor of falcon"] {
        let answer = asked(&bench(), question).await;
        let understood = &answer["understood"];
        assert_eq!((ids(&answer), &understood["rest"]), (vec!["heron"], &json!("")), "{question}");
        assert_eq!(understood["filters"]["released_on__gte"], "2025-04-01", "{question}");
    }
    // Only what is left of the question is its rest: the line of the model says which come first.
    let lines = ["gpt-4", "gpt-5", "o5-mini"];
    let of_day = |(name, day): (&str, &str)| {
        made_by("OpenAI", name, Model { released_on: Some(day.to_owned()), ..Model::default() })
    };
    let facts: Vec<StoredFact> = lines.into_iter().zip(["2023-03", "2025-08", "2026-01"]).map(of_day).collect();
    let answer = asked(&Bench::over(unlimited(), &facts), "what replaced gpt-4").await;
    assert_eq!((ids(&answer), &answer["understood"]["rest"]), (vec!["gpt-5", "o5-mini"], &json!("")));
}

#[tokio::test]
async fn a_maker_and_who_sells_its_models_need_no_word_for_them() {
    let sold_by = |provider: &str| {
        let mut stored = made_by("OpenAI", "heron", Model::default());
        stored.identity.provider = Some(provider.to_owned());
        stored.key = format!("{provider}/heron");
        if provider != "openai" {
            stored.source_id = "second".into();
        }
        stored
    };
    let bench = Bench::over(unlimited(), &["openai", "azure"].map(sold_by));
    check(
        &bench,
        &[
            ("openai at azure", json!({"vendor": "OpenAI", "seller": "azure"})),
            ("openai on azure pricing", json!({"vendor": "OpenAI", "seller": "azure", "price_of": "azure"})),
        ],
    )
    .await;
    // What else is said of them is looked for in texts; and nothing of the maker is sold there.
    for question in ["openai on azure with terraform", "openai at groq"] {
        assert_eq!(asked(&bench, question).await["understood"], Value::Null, "{question}");
    }
}

#[tokio::test]
async fn the_way_to_do_something_with_a_thing_is_told_by_a_text() {
    let others: Vec<StoredFact> = (0..120).map(|number| page(&format!("page/{number}.md"), "en")).collect();
    let text = |id: &str, summary: &str| {
        fact(id, id, "Recipe", &Item::Document(Document { summary: Some(summary.to_owned()), ..Document::default() }))
    };
    let facts = [
        server("redis", "Redis", "Key-value storage."),
        fact("heron", "heron", "Heron", &Item::Tool(Tool::default())),
        server("search", "Semantic search", "Finds."),
        text("caching", "How to cache prompts with redis."),
        text("chaining", "How to use heron with redis."),
        text("searching", "How to do semantic search with redis."),
    ];
    let bench = Bench::over(unlimited(), &[&facts[..], &others].concat());
    for (question, first) in [
        ("how to cache prompts with redis", "caching"),
        ("how do I use heron with redis", "chaining"),
        ("how to do semantic search with redis", "searching"),
        // One thing alone is what is asked about.
        ("how do I use heron", "heron"),
    ] {
        assert_eq!(ids(&asked(&bench, question).await)[0], first, "{question}");
    }
}

#[tokio::test]
async fn everyday_words_around_a_filter_are_part_of_it() {
    let bench = bench();
    let (filters, _, rest) = read(&bench, "models released so far this year").await;
    assert_eq!((filters["released_on__gte"].is_string(), rest), (true, json!("")));
    let (filters, ..) = read(&bench, "models released in the last month").await;
    let (past, ..) = read(&bench, "models released in the past month").await;
    assert_eq!(filters, past);
    check(
        &bench,
        &[
            ("tools that act as an mcp server", json!({"mcp_server": "true"})),
            ("mcp servers that list their tools", json!({"has_tools": "true"})),
            ("mcp servers distributed as container images", json!({"registry_type": "oci"})),
            ("mcp servers available remotely and as a package", json!({"install_type": "remote,package"})),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_is_done_to_a_thing_at_the_end_of_a_question_asks_for_no_such_thing() {
    let bench = bench();
    for question in [
        "security of mcp servers",
        "security of remote mcp servers",
        "error handling in mcp servers",
        "authentication for remote mcp servers",
        "generate data with llms",
        "versioning of skills",
        "structure of a skill",
        "fine tuning of open weight models",
    ] {
        assert_eq!(asked(&bench, question).await["understood"], Value::Null, "{question}");
    }
    for (question, kind) in [
        ("license of open weight models", "MODEL"),
        ("list of remote mcp servers", "MCP_SERVER"),
        ("something with vision models", "MODEL"),
    ] {
        assert_eq!(asked(&bench, question).await["understood"]["kind"], kind, "{question}");
    }
}
