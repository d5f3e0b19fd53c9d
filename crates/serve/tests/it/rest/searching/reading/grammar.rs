//! The grammar of questions: ranges, orders, successors, comparisons, kinds. `docs/api.md#search`.

use super::understanding::{asked, bench, ids, made_by};
use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use refdesk_core::Usd;
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Document, Item, McpServer, Model, Pricing, Status, Tool};
use serde_json::{Value, json};

/// A model of a price.
fn priced(name: &str, price: &str) -> StoredFact {
    let pricing = Pricing { input: Usd::parse(price), output: Usd::parse(price), ..Pricing::default() };
    made_by("Acme Labs", name, Model { pricing: Some(pricing), ..Model::default() })
}

#[tokio::test]
async fn words_beside_an_order_put_first_what_has_them_all() {
    let bench = bench();
    let by_price = ["falcon", "sparrow", "heron"];
    assert_eq!(ids(&asked(&bench, "cheapest model").await), by_price);
    let unknown = asked(&bench, "cheapest model for falconry").await;
    assert_eq!(
        (&unknown["understood"]["sort"], &unknown["understood"]["rest"]),
        (&json!("price_blended,-offers"), &json!("falconry"))
    );
    assert_eq!(ids(&unknown), by_price);
    assert!(unknown["warnings"].to_string().contains("has all words of `falconry`"), "{}", unknown["warnings"]);
    let known = asked(&bench, "cheapest sparrow model").await;
    assert_eq!((ids(&known), &known["warnings"]), (vec!["sparrow", "falcon", "heron"], &json!([])));
    let chosen = bench.json("/v1/search?q=cheapest+sparrow+model&type=MODEL&ids=heron,falcon").await;
    assert_eq!(ids(&chosen), ["falcon", "heron"], "what the request leaves out stays out");
    assert!(chosen["warnings"].to_string().contains("has all words of `sparrow`"), "{}", chosen["warnings"]);
    assert!(!known["understood"]["list_url"].as_str().unwrap().contains("q="), "{}", known["understood"]);
}

#[tokio::test]
async fn ranges_and_exceptions_are_what_they_say() {
    let bench = bench();
    for (question, filters) in [
        ("models between $0.2 and $3 input", json!({"price_input__gte": "0.2", "price_input__lte": "3"})),
        ("models from $1 to $3", json!({"price_input__gte": "1", "price_input__lte": "3"})),
        ("models with 200k to 1M context", json!({"context_tokens__gte": "200000", "context_tokens__lte": "1000000"})),
        (
            "models with a context of 100-200k",
            json!({"context_tokens__gte": "100000", "context_tokens__lte": "200000"}),
        ),
        (
            "models with context over 200k and less than 500k",
            json!({"context_tokens__gte": "200001", "context_tokens__lte": "499999"}),
        ),
        ("models with exactly 128k context", json!({"context_tokens__gte": "128000", "context_tokens__lte": "131072"})),
        ("models with more than 500k tokens", json!({"context_tokens__gte": "500001"})),
        ("models not under $5 input", json!({"price_input__gte": "5"})),
        ("models with a batch input price below $0.10", json!({"price_batch_input__lte": "0.1"})),
        ("models for less than a dollar", json!({"price_input__lte": "1", "price_output__lte": "1"})),
        ("models costing less than 50 cents", json!({"price_input__lte": "0.5", "price_output__lte": "0.5"})),
        ("models from anyone but Acme Labs", json!({"vendor__not": "Acme Labs"})),
        ("models not made by Acme Labs", json!({"vendor__not": "Acme Labs"})),
        ("models with a knowledge cutoff in 2025 or later", json!({"knowledge_cutoff__gte": "2025"})),
        ("models released since 1 July 2025", json!({"released_on__gte": "2025-07-01"})),
    ] {
        let answer = asked(&bench, question).await;
        let mut expected = filters;
        expected["status__not"] = json!("retired");
        expected["include_removed"] = json!("false");
        assert_eq!(
            (&answer["understood"]["filters"], &answer["understood"]["rest"]),
            (&expected, &json!("")),
            "{question}"
        );
    }
    // The day of a release is not known of servers: it does not become another day.
    let servers = asked(&bench, "servers released in 2026").await;
    assert_eq!(servers["understood"]["filters"], json!({}));
}

#[tokio::test]
async fn a_question_goes_by_what_it_is_to_be_sorted_by() {
    let bench = bench();
    for (question, sort, found) in [
        ("top 2 newest models", "-released_on", ["sparrow", "heron", "falcon"]),
        ("new models", "-released_on", ["sparrow", "heron", "falcon"]),
        ("models sorted by price", "price_blended,-offers", ["falcon", "sparrow", "heron"]),
        ("3 cheapest chat models", "price_blended,-offers", ["falcon", "sparrow", "heron"]),
        ("models with the lowest output price", "price_output,-offers", ["falcon", "sparrow", "heron"]),
    ] {
        let answer = asked(&bench, question).await;
        assert_eq!((&answer["understood"]["sort"], ids(&answer)), (&json!(sort), found.to_vec()), "{question}");
    }
}

#[tokio::test]
async fn what_came_after_a_model_is_what_its_maker_released_later() {
    let bench = bench();
    for question in
        ["what replaced falcon", "successor of falcon", "falcon replacement", "which model should replace falcon"]
    {
        let answer = asked(&bench, question).await;
        assert_eq!(
            (ids(&answer)[0], &answer["understood"]["filters"]["vendor"]),
            ("heron", &json!("Acme Labs")),
            "{question}"
        );
        assert_eq!(answer["suggestions"], json!([]), "{question}: the line of a model is nothing that was typed");
    }
    // Not falcon itself, which its own day would let in.
    assert_eq!(ids(&asked(&bench, "what replaced falcon").await), ["heron"]);
}

#[tokio::test]
async fn the_rest_of_a_question_narrows_and_orders_what_came_after_a_thing_or_is_there_in_its_place() {
    let bench = bench();
    for (question, sort, found) in [
        ("cheapest model released after falcon", "price_blended,-offers", vec!["sparrow", "heron"]),
        ("falcon replacement with 1M context", "-released_on", vec!["heron"]),
        ("Borealis models newer than falcon", "-released_on", vec!["sparrow"]),
        ("what should I use instead of falcon", "-released_on", vec!["heron"]),
        ("cheapest alternative to sparrow", "price_blended,-offers", vec!["falcon", "heron"]),
        ("alternatives to sparrow with vision under $1 input", "-offers", vec!["falcon"]),
        ("Alternativen zu sparrow mit vision unter $1 input", "-offers", vec!["falcon"]),
        ("alternativas a sparrow con vision under $1 input", "-offers", vec!["falcon"]),
        ("which sparrow alternatives have 1M context", "-offers", vec!["heron"]),
        ("models without reasoning as alternatives to falcon", "-offers", vec!["sparrow"]),
    ] {
        let answer = asked(&bench, question).await;
        assert_eq!((ids(&answer), &answer["understood"]["sort"]), (found, &json!(sort)), "{question}");
    }
    let others = asked(&bench, "Borealis models newer than falcon").await;
    let filters = &others["understood"]["filters"];
    assert_eq!((&filters["vendor"], &filters["released_on__gte"]), (&json!("Borealis"), &json!("2025-04-01")));
    let words = asked(&bench, "alternatives to sparrow for falconry").await;
    assert_eq!(words["understood"]["rest"], "falconry");
}

#[tokio::test]
async fn what_things_are_asked_for_beside_is_not_counted_either() {
    let tool =
        |id: &str| fact(id, id, id, &Item::Tool(Tool { category: Some("lights".to_owned()), ..Tool::default() }));
    let bench = Bench::over(unlimited(), &["candle", "lantern", "torch"].map(tool));
    let answer = bench.json("/v1/search?q=alternatives+to+torch&type=TOOL&limit=1&facets=category").await;
    assert_eq!((ids(&answer), &answer["total"]), (vec!["candle"], &json!(2)));
    assert_eq!(answer["facets"]["category"]["results"][0]["count"], 2);
}

#[tokio::test]
async fn words_that_nothing_has_are_given_up_only_for_something() {
    let bench = bench();
    let nothing = asked(&bench, "newest models with 5m context foo").await;
    assert_eq!((ids(&nothing), &nothing["understood"]["rest"]), (Vec::new(), &json!("foo")));
    let warnings = nothing["warnings"].to_string();
    assert!(!warnings.contains("showing everything that meets them"), "{warnings}");
    assert!(warnings.contains("nothing meets everything that was understood"), "{warnings}");
}

#[tokio::test]
async fn what_a_server_is_for_counts_more_than_filters_that_leave_nothing_of_it() {
    let of = |vendor: &str, name: &str| {
        let mut stored = fact(name, name, name, &Item::McpServer(McpServer::default()));
        stored.head.vendor = Some(vendor.to_owned());
        stored
    };
    let bench = Bench::over(unlimited(), &[of("Borealis", "payments"), of("Acme Labs", "weather")]);
    let otherwise = asked(&bench, "mcp servers for payments from Acme Labs").await;
    assert_eq!((ids(&otherwise)[0], &otherwise["understood"]["filters"]), ("payments", &json!({})));
    let told = otherwise["warnings"].to_string();
    assert!(told.contains("showing what is called so without them"), "{told}");
    let nowhere = asked(&bench, "mcp servers for horses from Acme Labs").await;
    assert_eq!(ids(&nowhere), ["weather"]);
}

#[tokio::test]
async fn the_cheapest_with_a_common_word_is_the_cheapest_of_all_that_have_it() {
    let others = (0..600).map(|at| priced(&format!("nimbus-{at}"), "2"));
    let cheapest = priced("a-model-of-many-words-with-nimbus-among-them", "1");
    let bench = Bench::over(unlimited(), &others.chain([cheapest]).collect::<Vec<_>>());
    assert_eq!(ids(&asked(&bench, "cheapest nimbus model").await)[0], "a-model-of-many-words-with-nimbus-among-them");
}

#[tokio::test]
async fn alternatives_are_of_the_same_category_or_of_another_maker_and_never_the_thing_itself() {
    let tool = |id: &str, category: &str| {
        fact(id, id, id, &Item::Tool(Tool { category: Some(category.to_owned()), ..Tool::default() }))
    };
    // A server that is called after a tool is none of its kind, and goes before one that is on its way out.
    let mut lantern = tool("lantern", "lights");
    lantern.head.status = Status::Deprecated;
    let tools = [
        fact("lantern-server", "lantern", "lantern", &Item::McpServer(McpServer::default())),
        lantern,
        tool("torch", "lights"),
        tool("hammer", "tools"),
        tool("hammer-drill", "drills"),
    ];
    let tools = Bench::over(unlimited(), &tools);
    for question in [
        "alternatives to lantern",
        "lantern alternative",
        "what are good alternatives to lantern?",
        "tools similar to lantern",
        "something like lantern",
    ] {
        let answer = asked(&tools, question).await;
        assert_eq!((ids(&answer), &answer["total"]), (vec!["torch"], &json!(1)), "{question}");
        assert_eq!(answer["understood"]["filters"]["category"], "lights", "{question}");
    }
    assert_eq!(ids(&tools.json("/v1/search?q=alternatives+to+lantern&limit=1").await), ["torch"]);
    let none = tools.json("/v1/search?q=alternatives+to+hammer&limit=1").await;
    assert!(
        none["warnings"].to_string().contains("nothing meets everything that was understood"),
        "{}",
        none["warnings"]
    );
    assert_eq!(ids(&none).len(), 1, "the hits for the words keep to the limit as well");
    for question in ["alternatives to falcon", "models similar to falcon but from another vendor"] {
        assert_eq!(ids(&asked(&bench(), question).await), ["sparrow"], "{question}");
    }
}

#[tokio::test]
async fn names_that_are_weighed_against_each_other_are_compared() {
    let bench = bench();
    for question in [
        "falcon or sparrow",
        "which is better falcon or sparrow",
        "is falcon cheaper than sparrow",
        "how much cheaper is falcon than sparrow",
        "why falcon over sparrow",
    ] {
        let answer = asked(&bench, question).await;
        assert_eq!(answer["understood"]["compared"], json!(["falcon", "sparrow"]), "{question}");
        assert_eq!(&ids(&answer)[..2], ["falcon", "sparrow"], "{question}");
    }
    for question in ["compare falcon, heron and sparrow on price", "compare falcon, heron, sparrow"] {
        let compared = asked(&bench, question).await["understood"]["compared"].take();
        assert_eq!(compared, json!(["falcon", "heron", "sparrow"]), "{question}");
    }
    let of = |name: &str, family: &str| {
        made_by("Anthropic", name, Model { family: Some(family.to_owned()), ..Model::default() })
    };
    let lines = [of("claude-opus-8", "claude-opus"), of("claude-haiku-8", "claude-haiku")];
    let lines = Bench::over(unlimited(), &lines);
    for question in ["claude opus or claude haiku?", "opus or haiku for coding", "claude opus vs claude haiku"] {
        let compared = asked(&lines, question).await["understood"]["compared"].take();
        assert_eq!(compared, json!(["claude opus", "claude haiku"]), "{question}");
    }
    let no_names = asked(&bench, "read or write mail").await;
    assert_eq!(no_names["understood"], Value::Null);
    for question in ["compare falcon with sparrow for coding", "which is cheaper, falcon vs sparrow?"] {
        assert_eq!(asked(&bench, question).await["understood"]["compared"], json!(["falcon", "sparrow"]), "{question}");
    }
    // What is no name is no thing to compare: the question is one for models.
    let models = asked(&bench, "compare models with vision").await;
    assert_eq!((&models["understood"]["compared"], ids(&models)), (&json!([]), vec!["falcon", "heron"]));
}

#[tokio::test]
async fn a_kind_that_something_else_is_of_or_is_done_to_is_not_what_is_asked_for() {
    let bench = bench();
    for question in [
        "turn a web page into markdown for an LLM",
        "one proxy for many llm providers",
        "let the model execute code",
        "gui to debug an mcp server",
        "look at errors from my editor",
        "run open models on my laptop",
        "local llm runner with a gui",
    ] {
        assert_eq!(asked(&bench, question).await["understood"], Value::Null, "{question}");
    }
    for (question, kind) in [
        ("I need a tool that reads mail", "TOOL"),
        ("which is the best free model", "MODEL"),
        ("text to speech model", "MODEL"),
        ("fast and cheap models", "MODEL"),
        ("is there an mcp server for mail", "MCP_SERVER"),
        ("looking for a skill about slides", "SKILL"),
        ("crash course on mcp servers", "TUTORIAL"),
    ] {
        assert_eq!(asked(&bench, question).await["understood"]["kind"], kind, "{question}");
    }
}

#[tokio::test]
async fn who_says_what_is_to_be_done_gets_what_does_it() {
    let text = "Reads the calendar and books appointments in it";
    let page = Document { summary: Some(text.to_owned()), ..Document::default() };
    let server = McpServer { description: Some(text.to_owned()), ..McpServer::default() };
    let bench = Bench::over(
        unlimited(),
        &[
            fact("a", "agenda-guide", "Agenda guide", &Item::Document(page)),
            fact("z", "agenda-server", "Agenda server", &Item::McpServer(server)),
        ],
    );
    for question in [
        "let my assistant book appointments in the calendar",
        "book appointments",
        "appointment booking",
        "einen Termin im Kalender buchen",
    ] {
        assert_eq!(ids(&asked(&bench, question).await)[0], "agenda-server", "{question}");
    }
    // So does who types no more than a topic, unless it is for reading.
    assert_eq!(ids(&asked(&bench, "appointments calendar").await)[0], "agenda-server");
    assert_eq!(ids(&asked(&bench, "appointments calendar guide").await)[0], "agenda-guide");
}

#[tokio::test]
async fn of_a_document_in_several_versions_and_languages_the_current_one_in_english_is_a_hit() {
    let page = |path: &str, version: Option<&str>, language: &str| {
        let mut stored = fact(
            path,
            &path.replace(['/', '.'], "-"),
            "Lifecycle of a connection",
            &Item::Document(Document {
                path: Some(path.to_owned()),
                version: version.map(str::to_owned),
                ..Document::default()
            }),
        );
        stored.head.language = Some(language.to_owned());
        stored
    };
    let bench = Bench::over(
        unlimited(),
        &[
            page("docs/2024-11-05/lifecycle.mdx", Some("2024-11-05"), "en"),
            page("docs/2025-06-18/lifecycle.mdx", Some("2025-06-18"), "en"),
            page("docs/draft/lifecycle.mdx", Some("draft"), "en"),
            page("guide/lifecycle.de.mdx", None, "de"),
            page("guide/lifecycle.en.mdx", None, "en"),
            page("other/lifecycle.mdx", None, "en"),
        ],
    );
    let answer = asked(&bench, "lifecycle connection").await;
    assert_eq!((&answer["total"], &answer["total_relation"]), (&json!(3), &json!("eq")), "editions are not counted");
    let first = bench.json("/v1/search?q=lifecycle+connection&limit=1").await;
    assert_eq!((ids(&first).len(), &first["total"], &first["total_relation"]), (1, &json!(3), &json!("eq")));
    let hits: Vec<(&Value, &Value)> =
        answer["results"].as_array().unwrap().iter().map(|hit| (&hit["id"], &hit["variants"])).collect();
    assert_eq!(
        hits,
        [
            (
                &json!("docs-2025-06-18-lifecycle-mdx"),
                &json!(["docs-2024-11-05-lifecycle-mdx", "docs-draft-lifecycle-mdx"])
            ),
            (&json!("guide-lifecycle-en-mdx"), &json!(["guide-lifecycle-de-mdx"])),
            (&json!("other-lifecycle-mdx"), &Value::Null),
        ]
    );
    let older = asked(&bench, "docs lifecycle of a connection 2024-11-05").await;
    assert_eq!(older["understood"]["filters"]["version"], "2024-11-05");
    assert_eq!(ids(&older), ["docs-2024-11-05-lifecycle-mdx"]);
}

#[tokio::test]
async fn a_text_and_its_page_are_one_hit_and_each_folder_has_a_readme_of_its_own() {
    let page = |path: &str| {
        let document = Document { path: Some(path.to_owned()), ..Document::default() };
        fact(path, &path.replace(['/', '.'], "-"), "Elicitation of values", &Item::Document(document))
    };
    let paths = [
        "seps/7-elicit.md",
        "docs/seps/7-elicit.mdx",
        "tools/README.md",
        "docs/tools/README.md",
        "docs/elicit.md",
        "elicit.md",
    ];
    let bench = Bench::over(unlimited(), &paths.map(page));
    let answer = asked(&bench, "elicitation of values").await;
    let mut hits: Vec<(&str, &Value)> = answer["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| (hit["id"].as_str().unwrap(), &hit["variants"]))
        .collect();
    hits.sort_by_key(|(id, _)| *id);
    let alone = Value::Null;
    let variants = json!(["seps-7-elicit-md"]);
    assert_eq!(
        hits,
        [
            ("docs-elicit-md", &alone),
            ("docs-seps-7-elicit-mdx", &variants),
            ("docs-tools-readme-md", &alone),
            ("elicit-md", &alone),
            ("tools-readme-md", &alone),
        ]
    );
}

#[tokio::test]
async fn the_word_for_a_kind_is_compared_with_nothing_though_something_is_called_so() {
    let named = fact("models", "models", "Models", &Item::Tool(Tool::default()));
    let facts = [named, made_by("Acme", "falcon-4o", Model::default()), made_by("Acme", "heron-2", Model::default())];
    let answer = asked(&Bench::over(unlimited(), &facts), "models or heron-2").await;
    assert_eq!(answer["understood"]["compared"], json!([]));
}
