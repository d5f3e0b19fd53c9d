//! Questions understood as filters and an order. `docs/api.md#search`.

use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use refdesk_core::Usd;
use refdesk_core::fact::{Identity, StoredFact};
use refdesk_core::item::{
    Capabilities, Document, Item, Limits, MANUAL_ID, McpServer, Modalities, Model, Pricing, Skill, Status, Tool,
    Tutorial,
};
use serde_json::{Value, json};

/// Modes of models that do not answer in text.
const OTHER_THAN_CHAT: &str = "audio,embedding,image,moderation,ocr,realtime,rerank,search,vector_store,video";

/// A model: name, vendor, context, input and output price, whether it sees images, day of release.
fn model(name: &str, vendor: &str, context: u64, prices: (&str, &str), sees: bool, released_on: &str) -> StoredFact {
    let input = if sees { vec!["text".to_owned(), "image".to_owned()] } else { vec!["text".to_owned()] };
    let model = Model {
        limits: Limits { context_tokens: Some(context), ..Limits::default() },
        pricing: Some(Pricing { input: Usd::parse(prices.0), output: Usd::parse(prices.1), ..Pricing::default() }),
        capabilities: Capabilities { reasoning: Some(sees), ..Capabilities::default() },
        modalities: Modalities { input, output: vec!["text".to_owned()] },
        released_on: Some(released_on.to_owned()),
        ..Model::default()
    };
    made_by(vendor, name, model)
}

/// A model that its maker tells of.
pub fn made_by(vendor: &str, name: &str, model: Model) -> StoredFact {
    let mut stored = fact(&format!("{vendor}/{name}"), name, name, &Item::Model(model));
    stored.head.vendor = Some(vendor.to_owned());
    stored.identity = Identity {
        provider: Some(vendor.to_lowercase()),
        api_model_id: Some(format!("{vendor}/{name}")),
        maker: Some(vendor.to_lowercase()),
        ..Identity::default()
    };
    stored
}

/// Four models of two makers, one of them retired, and a server of a name that sounds like one.
pub fn bench() -> Bench {
    let mut old = model("quartz", "Borealis", 2_000_000, ("0.01", "0.01"), true, "2023-01");
    old.head.status = Status::Retired;
    let server = fact("mail", "mail-reader", "Mail Reader", &Item::McpServer(McpServer::default()));
    let facts = [
        model("falcon", "Acme Labs", 128_000, ("0.10", "0.40"), true, "2025-03"),
        model("heron", "Acme Labs", 1_000_000, ("3", "15"), true, "2026-02"),
        model("sparrow", "Borealis", 1_000_000, ("0.5", "0.5"), false, "2026-04"),
        old,
        server,
    ];
    Bench::over(unlimited(), &facts)
}

pub async fn asked(bench: &Bench, question: &str) -> Value {
    let question: String = url::form_urlencoded::byte_serialize(question.as_bytes()).collect();
    bench.json(&format!("/v1/search?q={question}")).await
}

pub fn ids(answer: &Value) -> Vec<&str> {
    answer["results"].as_array().unwrap().iter().map(|hit| hit["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_question_in_another_language_is_asked_in_english_and_says_so() {
    let bench = bench();
    let english = asked(&bench, "cheapest model with image input").await;
    let german = asked(&bench, "günstigstes Modell mit Bildeingabe").await;
    assert_eq!((ids(&german), &german["understood"]), (ids(&english), &english["understood"]));
    assert_eq!(german["query"], "günstigstes Modell mit Bildeingabe");
    let said = "searched for `cheapest model with image input`: `understand=false` takes the words as they are";
    assert_eq!((&german["warnings"], &english["warnings"]), (&json!([said]), &json!([])));
    let as_it_is = bench.json("/v1/search?q=Modell+mit+Bildeingabe&understand=false").await;
    assert_eq!((&as_it_is["understood"], &as_it_is["warnings"]), (&Value::Null, &json!([])));
}

#[tokio::test]
async fn one_word_is_an_order_where_a_parameter_names_the_kind() {
    let answer = bench().json("/v1/search?q=cheapest&type=MODEL").await;
    assert_eq!(answer["understood"]["sort"], "price_blended,-offers");
    assert_eq!(asked(&bench(), "cheapest").await["understood"], Value::Null);
}

#[tokio::test]
async fn the_word_for_a_kind_puts_things_of_that_kind_first() {
    // Of equal matches the skill comes first, the server behind it, as nobody says who made it, and the tool last, as it is deprecated.
    let mut tool = fact("b", "harbor-b", "Harbor", &Item::Tool(Tool::default()));
    tool.head.status = Status::Deprecated;
    let bench = Bench::over(
        unlimited(),
        &[
            fact("a", "harbor-a", "Harbor", &Item::Skill(Skill::default())),
            tool,
            fact("c", "harbor-c", "Harbor", &Item::McpServer(McpServer::default())),
        ],
    );
    assert_eq!(ids(&asked(&bench, "harbor").await), ["harbor-a", "harbor-c", "harbor-b"]);
    for (question, first) in [
        ("harbor server", "harbor-c"),
        ("harbor library", "harbor-b"),
        ("harbor vector database", "harbor-b"),
        ("harbor editor", "harbor-b"),
    ] {
        assert_eq!(ids(&asked(&bench, question).await).first(), Some(&first), "{question}");
    }
}

#[tokio::test]
async fn a_server_in_use_comes_before_a_deprecated_one_whose_id_is_the_name() {
    let server = |key: &str, id: &str| fact(key, id, "Harbor", &Item::McpServer(McpServer::default()));
    let mut old = server("a", "harbor");
    old.head.status = Status::Deprecated;
    let bench = Bench::over(unlimited(), &[old, server("b", "acme-harbor")]);
    assert_eq!(ids(&asked(&bench, "harbor").await), ["acme-harbor", "harbor"]);
}

#[tokio::test]
async fn a_guide_and_an_example_are_texts_and_no_words_to_look_for() {
    for (question, kind, rest) in [
        ("guide to prompt caching", "DOC", "prompt caching"),
        ("is there a guide on how to stream answers", "DOC", "stream answers"),
        ("example of function calling", "TUTORIAL", "function calling"),
        ("example of counting tokens", "TUTORIAL", "counting tokens"),
        ("I want to learn how to build a chatbot", "TUTORIAL", "build a chatbot"),
    ] {
        let understood = &asked(&bench(), question).await["understood"];
        assert_eq!((&understood["kind"], &understood["rest"]), (&json!(kind), &json!(rest)), "{question}");
    }
    assert_eq!(asked(&bench(), "guide dogs").await["understood"], Value::Null);
    assert_eq!(asked(&bench(), "examples of vision models").await["understood"]["kind"], "MODEL");
}

#[tokio::test]
async fn things_of_the_kind_that_is_named_go_before_others_that_have_its_words() {
    let skill = Skill {
        description: Some("Makes tables for people who calculate, among them spreadsheets with formulas.".into()),
        ..Skill::default()
    };
    // They have the word for the kind, too.
    let lesson = |at: usize| {
        let id = format!("lesson-{at}");
        let about = "Spreadsheets made by a skill: spreadsheets with skills.";
        fact(
            &id,
            &id,
            "How skills work",
            &Item::Tutorial(Tutorial { summary: Some(about.into()), ..Tutorial::default() }),
        )
    };
    let mut facts: Vec<StoredFact> = (0..20).map(lesson).collect();
    facts.push(fact("maker", "maker", "Table maker", &Item::Skill(skill)));
    let bench = Bench::over(unlimited(), &facts);
    assert_ne!(ids(&asked(&bench, "spreadsheets").await).first(), Some(&"maker"));
    let answer = asked(&bench, "spreadsheets skill").await;
    assert_eq!(ids(&answer).first(), Some(&"maker"));
    let scores: Vec<f64> =
        answer["results"].as_array().unwrap().iter().map(|hit| hit["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|first, next| first >= next), "{scores:?}");
}

#[tokio::test]
async fn what_a_kind_of_thing_is_a_text_tells() {
    let server = |id: &str| fact(id, id, "MCP", &Item::McpServer(McpServer::default()));
    let page = fact("intro", "intro", "Model Context Protocol (MCP)", &Item::Document(Document::default()));
    let bench = Bench::over(unlimited(), &[server("a-mcp"), server("b-mcp"), page]);
    for question in ["what is MCP?", "What's MCP", "what are MCP servers?"] {
        assert_eq!(ids(&asked(&bench, question).await).first(), Some(&"intro"), "{question}");
    }
    assert_ne!(ids(&asked(&bench, "mcp").await).first(), Some(&"intro"));
    for question in [
        "MCP explained",
        "introduction to MCP",
        "MCP vs plugins",
        "prompts vs resources vs tools",
        "what is the difference between a skill and MCP",
        "do I need an MCP server",
    ] {
        assert_eq!(asked(&bench, question).await["understood"]["kind"], "DOC", "{question}");
    }
    assert_eq!(asked(&bench, "is there an MCP server for plugins").await["understood"]["kind"], "MCP_SERVER");
}

#[tokio::test]
async fn a_model_is_compared_and_no_text_about_it() {
    let of = |name: &str| model(name, "Borealis", 1_000_000, ("0.5", "0.5"), false, "2026-04");
    let page = fact("page", "page", "Falcon 3", &Item::Document(Document::default()));
    let bench = Bench::over(unlimited(), &[of("falcon-3-mini"), of("sparrow"), page]);
    assert_eq!(ids(&asked(&bench, "falcon 3 vs sparrow").await)[..2], ["falcon-3-mini", "sparrow"]);
}

#[tokio::test]
async fn a_page_of_the_manual_ranks_behind_an_equal_one() {
    let page = |id: &str| fact(id, id, "Backup of vector stores", &Item::Document(Document::default()));
    // By their ids alone the manual's would be first.
    let (manual, other) = (format!("{MANUAL_ID}backup"), "zebra-backup");
    let bench = Bench::over(unlimited(), &[page(&manual), page(other)]);
    assert_eq!(ids(&asked(&bench, "backup of vector stores").await), [other, &*manual]);
}

#[tokio::test]
async fn questions_are_read_as_filters_and_an_order() {
    let bench = bench();
    // What does not answer in text has no price and no context to be compared with the others.
    let answers_in_text = |mut filters: Value| {
        filters["output_modalities__not"] = json!("audio,image,video");
        filters["model_mode__not"] = json!(OTHER_THAN_CHAT);
        filters["status__not"] = json!("deprecated,retired");
        filters
    };
    for (question, filters, sort, found) in [
        (
            "cheapest vision model with 1M context",
            answers_in_text(json!({"context_tokens__gte": "1000000", "input_modalities": "image"})),
            json!("price_blended,-offers"),
            vec!["heron"],
        ),
        (
            "cheapest vision model with a million tokens of context",
            answers_in_text(json!({"context_tokens__gte": "1000000", "input_modalities": "image"})),
            json!("price_blended,-offers"),
            vec!["heron"],
        ),
        (
            "models with more than 128k context",
            json!({"context_tokens__gte": "128001", "status__not": "retired"}),
            json!("-offers"),
            vec!["heron", "sparrow"],
        ),
        (
            "which models are under $0.50 per million input tokens?",
            json!({"price_input__lte": "0.5", "status__not": "retired"}),
            json!("-offers"),
            vec!["falcon", "sparrow"],
        ),
        (
            "models with at most 200k tokens of context",
            json!({"context_tokens__lte": "204800", "status__not": "retired"}),
            json!("-offers"),
            vec!["falcon"],
        ),
        (
            "newest from Acme",
            json!({"vendor": "Acme Labs", "status__not": "deprecated,retired"}),
            json!("-released_on"),
            vec!["heron", "falcon"],
        ),
        (
            "models that are not from Acme Labs",
            json!({"vendor__not": "Acme Labs", "status__not": "retired"}),
            json!("-offers"),
            vec!["sparrow"],
        ),
        (
            "models released since March 2026",
            json!({"released_on__gte": "2026-03", "status__not": "retired"}),
            json!("-released_on"),
            vec!["sparrow"],
        ),
        ("retired models", json!({"status": "retired"}), json!("-offers"), vec!["quartz"]),
        (
            "models without reasoning",
            json!({"capability": "!reasoning", "status__not": "retired"}),
            json!("-offers"),
            vec!["sparrow"],
        ),
        (
            "models with the longest context window",
            answers_in_text(json!({})),
            json!("-context_tokens,-offers"),
            vec!["heron", "sparrow", "falcon"],
        ),
    ] {
        let answer = asked(&bench, question).await;
        let understood = &answer["understood"];
        let mut expected = filters.clone();
        expected["include_removed"] = json!("false");
        assert_eq!((&understood["filters"], &understood["sort"]), (&expected, &sort), "{question}");
        assert_eq!(understood["kind"], "MODEL", "{question}");
        assert_eq!(ids(&answer), found, "{question}");
        assert_eq!((&answer["total"], &answer["total_relation"]), (&json!(found.len()), &json!("eq")), "{question}");
        let list = bench.json(understood["list_url"].as_str().unwrap()).await;
        let listed: Vec<&str> =
            list["models"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
        assert_eq!(listed, found, "the list that it equals: {question}");
    }
    // None of these is deprecated and still there.
    let deprecated = asked(&bench, "which models are deprecated").await;
    assert_eq!((ids(&deprecated), &deprecated["understood"]["filters"]["status"]), (vec!["quartz"], &json!("retired")));
    assert!(deprecated["warnings"].to_string().contains("showing what is retired"), "{}", deprecated["warnings"]);
    let fresh = bench.json("/v1/search?q=retired%20models&fresh_only=true").await;
    assert!(fresh["understood"]["list_url"].as_str().unwrap().ends_with("&fresh_only=true"), "{fresh}");
}

#[tokio::test]
async fn a_price_is_of_input_and_output_unless_the_models_have_no_output() {
    let price = Pricing { input: Usd::parse("0.02"), ..Pricing::default() };
    let vector = Model { mode: Some("embedding".to_owned()), pricing: Some(price), ..Model::default() };
    let embedding = made_by("Acme Labs", "vector", vector);
    let bench = Bench::over(
        unlimited(),
        &[model("falcon", "Acme Labs", 128_000, ("0.10", "0.40"), true, "2025-03"), embedding],
    );
    let chat = asked(&bench, "models under $0.6").await;
    assert_eq!((&chat["understood"]["filters"]["price_output__lte"], ids(&chat)), (&json!("0.6"), vec!["falcon"]));
    let embedding = asked(&bench, "embedding models under $0.3").await;
    assert_eq!(
        (&embedding["understood"]["filters"]["price_output__lte"], ids(&embedding)),
        (&Value::Null, vec!["vector"])
    );
}

#[tokio::test]
async fn what_is_not_surely_understood_stays_text() {
    let bench = bench();
    for question in ["cheap talk", "free will", "the context of 1M people", "falcon", "model context protocol"] {
        let answer = asked(&bench, question).await;
        assert_eq!(answer["understood"], Value::Null, "{question}");
    }
    let off = bench.json("/v1/search?q=cheapest+model&understand=false").await;
    assert_eq!(off["understood"], Value::Null);
}

#[tokio::test]
async fn absurd_and_contradicting_limits_stay_text_with_a_warning() {
    let bench = bench();
    for (question, warning) in [
        ("models with a context under $5", "a limit of tokens is not a sum of money"),
        ("models under 5 euros", "prices are in USD"),
        ("models with 999999999999999 tokens of context", "no model has this many tokens"),
        ("models with at least 200k context and at most 100k context", "contradict"),
    ] {
        let answer = asked(&bench, question).await;
        let warnings = answer["warnings"].to_string();
        assert!(warnings.contains(warning), "{question}: {warnings}");
    }
}

#[tokio::test]
async fn a_kind_that_is_said_comes_first() {
    let bench = bench();
    let answer = asked(&bench, "mcp server to read mail").await;
    assert_eq!(
        (&answer["understood"]["kind"], &answer["understood"]["rest"]),
        (&json!("MCP_SERVER"), &json!("read mail"))
    );
    assert_eq!(ids(&answer)[0], "mail-reader");
    let compared = asked(&bench, "falcon vs sparrow").await;
    assert_eq!(&ids(&compared)[..2], ["falcon", "sparrow"]);
    assert_eq!(compared["understood"]["compared"], json!(["falcon", "sparrow"]));
}

#[tokio::test]
async fn a_search_of_one_kind_takes_the_filters_of_its_list() {
    let bench = bench();
    let answer = bench.json("/v1/search?q=acme&type=MODEL&context_tokens__gte=1m&facets=vendor").await;
    assert_eq!(ids(&answer), ["heron"]);
    assert_eq!(answer["facets"]["vendor"]["results"][0]["count"], 1);
    let sorted = bench.json("/v1/search?q=acme&type=MODEL&sort=-price_input").await;
    assert_eq!(ids(&sorted), ["heron", "falcon"]);
    let chosen = bench.json("/v1/search?q=acme&type=MODEL&ids=falcon,nothing").await;
    assert_eq!((ids(&chosen), &chosen["unresolved"]), (vec!["falcon"], &json!(["nothing"])));
}

#[tokio::test]
async fn an_open_licence_in_front_of_the_word_for_models_is_theirs() {
    let licensed = |name: &str, license: &str| {
        let mut stored = made_by("Acme Labs", name, Model { license: Some(license.to_owned()), ..Model::default() });
        stored.head.vendor = Some("Acme Labs".to_owned());
        stored
    };
    let bench = Bench::over(unlimited(), &[licensed("ibis", "Apache-2.0"), licensed("egret", "MIT")]);
    for (question, found) in [("apache 2.0 models", "ibis"), ("MIT models", "egret")] {
        assert_eq!(ids(&asked(&bench, question).await), [found], "{question}");
    }
    let servers = asked(&bench, "apache mcp server").await;
    assert_eq!(servers["understood"]["filters"], json!({}), "a server of that name, not of that licence");
}

#[tokio::test]
async fn who_asks_of_today_or_for_an_app_wants_what_does_it() {
    let says = "The weather of today, a note taking app.";
    let page = Document { summary: Some(says.to_owned()), ..Document::default() };
    let tool = Tool { description: Some(says.to_owned()), ..Tool::default() };
    let bench = Bench::over(
        unlimited(),
        &[fact("a", "a", "Page", &Item::Document(page)), fact("b", "b", "Tool", &Item::Tool(tool))],
    );
    // How far the tool is ahead of a page that says the same.
    for (question, is_ahead) in [
        ("what is the weather today", true),
        ("note taking app", true),
        ("what is the weather", false),
        ("note taking", true),
        ("note taking guide", false),
    ] {
        let answer = asked(&bench, question).await;
        let score = |id: &str| {
            let hits = answer["results"].as_array().unwrap();
            hits.iter().find(|hit| hit["id"] == id).unwrap()["score"].as_f64().unwrap()
        };
        assert_eq!(score("b") > score("a") * 1.3, is_ahead, "{question}: {} {}", score("b"), score("a"));
    }
}
