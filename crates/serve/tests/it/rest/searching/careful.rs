//! Questions with words that are values of fields elsewhere: read as filters, they would hide what is asked for. `docs/api.md#search`.

use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use crate::rest::searching::reading::understanding::{asked, bench, made_by};
use refdesk_core::Usd;
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Document, Item, McpServer, Model, Pricing, Status};
use serde_json::{Value, json};

/// The filters that a question is read as, but for those that every list has.
async fn filters(bench: &Bench, question: &str) -> Value {
    let mut filters = asked(bench, question).await["understood"]["filters"].take();
    if let Some(filters) = filters.as_object_mut() {
        filters.retain(|name, _| !["status__not", "include_removed"].contains(&name.as_str()));
    }
    filters
}

fn first(answer: &Value) -> &Value {
    &answer["results"][0]["id"]
}

/// A server that is installed, or called at an address.
fn server(id: &str, name: &str, is_remote: bool) -> StoredFact {
    let package = json!({"registryType": "npm", "identifier": id});
    let address = json!({"type": "sse", "url": format!("https://{id}.example/sse")});
    let (packages, remotes) = if is_remote { (vec![], vec![address]) } else { (vec![package], vec![]) };
    fact(id, id, name, &Item::McpServer(McpServer { packages, remotes, ..McpServer::default() }))
}

fn page(id: &str, title: &str) -> StoredFact {
    fact(id, id, title, &Item::Document(Document::default()))
}

fn model(vendor: &str, name: &str, price: &str) -> StoredFact {
    let pricing = Pricing { input: Usd::parse(price), output: Usd::parse(price), ..Pricing::default() };
    made_by(vendor, name, Model { pricing: Some(pricing), ..Model::default() })
}

fn servers() -> Bench {
    Bench::over(
        unlimited(),
        &[
            server("gitlab", "GitLab", false),
            server("kestrel", "Kestrel", true),
            server("slack-mcp-server", "Slack MCP server", false),
        ],
    )
}

#[tokio::test]
async fn what_one_hosts_oneself_is_not_hosted_elsewhere() {
    let bench = servers();
    let package = json!({"install_type": "package"});
    for question in [
        "self hosted mcp server",
        "self-hosted mcp servers",
        "mcp server self hosted",
        "locally hosted mcp server",
        "selbst gehosteter MCP Server",
        "serveur mcp auto-hébergé",
    ] {
        assert_eq!(filters(&bench, question).await, package, "{question}");
    }
    // A server for what is hosted so need not be, and a place of one's own is not far away.
    for question in ["self hosted gitlab mcp server", "mcp server hosted on my own machine"] {
        assert_eq!(filters(&bench, question).await, json!({}), "{question}");
    }
    assert_eq!(filters(&bench, "hosted mcp servers").await, json!({"install_type": "remote"}));
}

#[tokio::test]
async fn remote_is_said_of_a_server_only_where_no_topic_stands_between() {
    let bench = servers();
    assert_eq!(filters(&bench, "remote kestrel mcp server").await, json!({"install_type": "remote"}));
    assert_eq!(filters(&bench, "remote control mcp server").await, json!({}));
}

#[tokio::test]
async fn what_a_thing_is_called_is_its_name() {
    let bench = servers();
    for question in ["mcp server named kestrel", "mcp server called kestrel"] {
        let answer = asked(&bench, question).await;
        assert_eq!(
            (first(&answer), &answer["understood"]["rest"]),
            (&json!("kestrel"), &json!("kestrel")),
            "{question}"
        );
    }
    let by = asked(&bench, "mcp server called by kestrel").await;
    assert_eq!(by["understood"]["rest"], "called by kestrel");
}

#[tokio::test]
async fn where_something_is_taken_from_is_not_who_makes_what_takes_it() {
    let bench = servers();
    for question in [
        "mcp server that reads issues from acme",
        "mcp server to pull data from acme",
        "mcp server for migrating from acme",
        "mcp server for the docs of acme",
    ] {
        assert_eq!(filters(&bench, question).await, json!({}), "{question}");
    }
    for question in [
        "mcp servers of acme",
        "mcp servers from acme",
        "mcp servers that come from acme",
        "mcp server to send mail, from acme",
    ] {
        assert_eq!(filters(&bench, question).await["vendor"], "Acme", "{question}");
    }
}

#[tokio::test]
async fn who_tells_what_is_wrong_asks_for_no_such_thing() {
    let bench = servers();
    for question in [
        "mcp server not found",
        "mcp error -32602",
        "tools are not showing up",
        "tool not called by model",
        "mcp server fails to start",
        "claude desktop does not see my mcp server",
    ] {
        assert_eq!(asked(&bench, question).await["understood"], Value::Null, "{question}");
    }
    for question in ["mcp server for error monitoring", "mcp server that finds errors"] {
        assert_eq!(asked(&bench, question).await["understood"]["kind"], "MCP_SERVER", "{question}");
    }
}

#[tokio::test]
async fn what_something_shows_in_place_of_something_is_searched_for() {
    let pages =
        [page("zeros", "Stream output contains 0 instead of text"), page("charts", "Charts"), page("text", "Text")];
    let bench = Bench::over(unlimited(), &pages);
    let told = asked(&bench, "my stream output contains 0: instead of text").await;
    assert_eq!((first(&told), &told["warnings"]), (&json!("zeros"), &json!([])));
    let wanted = asked(&bench, "page that shows charts instead of text").await;
    assert!(wanted["warnings"].to_string().contains("names what is not wanted"), "{}", wanted["warnings"]);
}

#[tokio::test]
async fn adjectives_of_other_things_are_no_filters() {
    let bench = Bench::over(unlimited(), &[server("gitlab", "GitLab", false), model("Acme Labs", "falcon", "1")]);
    for question in [
        "model trained on open source code",
        "model for free text",
        "mcp server that finds deprecated packages",
        "mcp server for news since 2020",
    ] {
        assert_eq!(filters(&bench, question).await, json!({}), "{question}");
    }
}

#[tokio::test]
async fn limits_of_parameters_hide_nothing_and_are_told() {
    let bench = Bench::over(unlimited(), &[model("Acme Labs", "kestrel-7b", "1"), model("Borealis", "tern-7b", "1")]);
    for question in ["Acme Labs models under 10B parameters", "Acme Labs models with 3b or more"] {
        let answer = asked(&bench, question).await;
        assert_eq!((first(&answer), &answer["understood"]["rest"]), (&json!("kestrel-7b"), &json!("")), "{question}");
        assert!(answer["warnings"].to_string().contains("no field says how many parameters"), "{}", answer["warnings"]);
    }
}

#[tokio::test]
async fn a_line_that_is_compared_with_a_model_is_not_compared_as_one() {
    let bench = Bench::over(
        unlimited(),
        &[
            model("Anthropic", "claude-opus-8", "5"),
            model("Anthropic", "claude-haiku-8", "1"),
            model("Acme Labs", "falcon", "1"),
        ],
    );
    let answer = asked(&bench, "claude cheaper than claude-opus-8").await;
    assert_eq!((first(&answer), &answer["total"]), (&json!("claude-haiku-8"), &json!(1)), "{}", answer["understood"]);
    assert_eq!(answer["understood"]["compared"], json!([]));
}

#[tokio::test]
async fn what_a_server_must_not_need_is_no_question_about_the_one_of_that_name() {
    let bench = servers();
    for question in ["slack mcp server without login", "slack mcp server no api key"] {
        assert_eq!(filters(&bench, question).await, json!({"auth": "none"}), "{question}");
    }
    let about = asked(&bench, "slack mcp server api key").await;
    assert_eq!((first(&about), &about["understood"]), (&json!("slack-mcp-server"), &Value::Null));
}

#[tokio::test]
async fn tokens_in_some_time_are_no_window() {
    let bench = Bench::over(unlimited(), &[model("Acme Labs", "kestrel", "1"), model("Borealis", "tern", "1")]);
    for question in ["Acme Labs models with 200 tokens per second", "Acme Labs models over 100 tokens per second"] {
        let answer = asked(&bench, question).await;
        assert_eq!(filters(&bench, question).await, json!({"vendor": "Acme Labs"}), "{question}");
        assert_eq!(answer["understood"]["rest"], "", "{question}");
        assert!(answer["warnings"].to_string().contains("no field says how many tokens"), "{}", answer["warnings"]);
    }
}

#[tokio::test]
async fn a_word_in_front_of_a_line_names_no_other_one() {
    let of = |vendor: &str, family: &str, name: &str| {
        let (family, released_on) = (Some(family.to_owned()), Some("2026-01-01".to_owned()));
        made_by(vendor, name, Model { family, released_on, ..Model::default() })
    };
    let bench = Bench::over(
        unlimited(),
        &[of("Stability AI", "stable-diffusion", "stable-diffusion-3"), of("Google", "gemini-pro", "gemini-8-pro")],
    );
    let answer = asked(&bench, "latest stable gemini").await;
    let is_found = answer["results"].as_array().unwrap().iter().any(|hit| hit["id"] == "gemini-8-pro");
    assert!(is_found, "{}", answer["understood"]);
}

#[tokio::test]
async fn the_last_months_are_a_period_behind_the_kind() {
    let bench = Bench::over(unlimited(), &[model("Acme Labs", "kestrel", "1")]);
    let within = async |question: &str| {
        let read = filters(&bench, question).await;
        (read["released_on__gte"].clone(), read["released_on__lte"].clone())
    };
    let of = within("models of the last 6 months").await;
    assert_eq!(of, within("models from the last 6 months").await);
    assert!(of.0.is_string(), "{of:?}");
}

#[tokio::test]
async fn how_the_weights_of_a_file_were_rounded_is_no_part_of_the_name_of_its_model() {
    let weights = page("weights", "What q4_K_M means");
    let bench = Bench::over(unlimited(), &[model("Acme Labs", "kestrel-7b-instruct", "1"), weights]);
    for (typed, name) in [
        ("kestrel:7b-instruct-q4_K_M", "kestrel:7b-instruct"),
        ("kestrel-7b-instruct.Q8_0.gguf", "kestrel-7b-instruct"),
    ] {
        let answer = asked(&bench, typed).await;
        assert_eq!((first(&answer), &answer["query"]), (&json!("kestrel-7b-instruct"), &json!(typed)));
        let said = format!("searched for `{name}`: `understand=false` takes the words as they are");
        assert_eq!(answer["warnings"], json!([said]));
    }
    assert_eq!(first(&asked(&bench, "what is q4_K_M").await), "weights");
}

#[tokio::test]
async fn what_is_left_out_in_other_words_is_not_required() {
    let bench = bench();
    let without = || json!({"vendor__not": "Acme Labs"});
    for (question, said) in [
        ("models besides acme labs", without()),
        ("models apart from acme labs", without()),
        ("models aside from acme labs", without()),
        ("models unless from acme labs", without()),
        ("Modelle außer Acme Labs", without()),
        ("modèles sauf Acme Labs", without()),
        ("除了Acme Labs的模型", without()),
        ("Borealisを除くモデル", json!({"vendor__not": "Borealis"})),
        ("models unable to reason", json!({"capability": "!reasoning"})),
        ("models incapable of reasoning", json!({"capability": "!reasoning"})),
        ("models that reason", json!({"capability": "reasoning"})),
        ("mcp servers not on npm", json!({"registry_type__not": "npm"})),
        ("mcp servers that are not via npm", json!({"registry_type__not": "npm"})),
        ("mcp servers not over stdio", json!({"transport__not": "stdio"})),
    ] {
        assert_eq!(filters(&bench, question).await, said, "{question}");
    }
    assert_eq!(asked(&bench, "what else besides falcon").await["results"][0]["id"], "falcon", "it is there already");
}

#[tokio::test]
async fn a_line_that_is_called_by_a_word_of_another_language_is_not_translated() {
    let bench = Bench::over(unlimited(), &[made_by("Google", "imagen-4", Model::default())]);
    assert_eq!(asked(&bench, "newest imagen").await["warnings"], json!([]));
    let spanish = asked(&bench, "precio de imagen").await;
    let told = spanish["warnings"][0].as_str().unwrap_or_default();
    assert!(told.starts_with("searched for `price image`"), "{spanish}");
}

#[tokio::test]
async fn a_version_of_the_protocol_is_said_beside_a_part_of_it() {
    let page = |version: &str| {
        let path = format!("specification/{version}/transports.md");
        let document = Document { version: Some(version.into()), path: Some(path.clone()), ..Document::default() };
        fact(&path, &path.replace(['/', '.'], "-"), "Transports", &Item::Document(document))
    };
    let bench = Bench::over(unlimited(), &[page("2025-03-26"), page("2025-11-25")]);
    for question in ["transports spec 2025-03-26", "mcp transports 2025-03-26"] {
        let answer = asked(&bench, question).await;
        assert_eq!(answer["understood"]["kind"], "DOC", "{question}");
        assert_eq!(filters(&bench, question).await, json!({"version": "2025-03-26"}), "{question}");
        assert_eq!(first(&answer), "specification-2025-03-26-transports-md", "{question}");
    }
    let spec = asked(&bench, "mcp spec transports").await;
    assert_eq!(spec["understood"]["rest"], "transports mcp specification", "as its pages write it");
}

#[tokio::test]
async fn what_describes_things_is_a_part_of_a_whole_name_with_the_word_for_its_kind() {
    let mut facts = vec![
        made_by("Acme Labs", "Heron 2 Thinking Preview", Model::default()),
        made_by("Acme Labs", "free", Model::default()),
        server("brant", "Brant Remote", true),
    ];
    // Of each there are many whose values the words name.
    facts.extend((0..6).map(|at| {
        let mut preview = made_by("Borealis", &format!("vole-{at}"), Model::default());
        preview.head.status = Status::Preview;
        preview
    }));
    let bench = Bench::over(unlimited(), &facts);
    for question in [
        "Heron 2 Thinking Preview model",
        "tell me about the model Heron 2 Thinking Preview",
        "the Heron 2 Thinking Preview llm",
        "Heron 2 Thinking Preview model price",
    ] {
        assert_eq!(first(&asked(&bench, question).await), "heron-2-thinking-preview", "{question}");
        assert_eq!(filters(&bench, question).await, Value::Null, "{question}");
    }
    assert_eq!(first(&asked(&bench, "Brant Remote mcp server").await), "brant");
    assert_eq!(filters(&bench, "preview models").await, json!({"status": "preview"}));
    let free = filters(&bench, "free model").await;
    assert_eq!(free["price_input__lte"], "0", "a single word stays a value, although a model is called so: {free}");
}

#[tokio::test]
async fn what_a_record_is_stored_or_described_at_is_no_name() {
    let mut gannet = server("gannet", "Gannet", false);
    gannet.head.aliases =
        ["data/quill-notes/quill-notes.yml", "servers/gannet/server.yaml", "https://docs.gannet.example/build"]
            .map(str::to_owned)
            .to_vec();
    let bench = Bench::over(unlimited(), &[gannet]);
    for question in ["yml", "data quill notes", "servers yaml", "docs build", "example build"] {
        let answer = asked(&bench, question).await;
        let hits = answer["results"].as_array().unwrap();
        assert!(hits.iter().all(|hit| hit["score"].as_f64().unwrap() <= 1.0), "{question}: {answer}");
    }
    for question in ["quill-notes", "data/quill-notes/quill-notes.yml", "https://docs.gannet.example/build"] {
        let answer = asked(&bench, question).await;
        assert!(answer["results"][0]["score"].as_f64().unwrap() > 1.5, "{question}: {answer}");
    }
}
