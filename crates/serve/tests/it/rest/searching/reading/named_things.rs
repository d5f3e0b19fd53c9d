//! Questions about one named thing, needs in everyday words, and what points elsewhere. `docs/api.md#search`.

use super::understanding::{asked, bench, ids, made_by};
use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Document, Item, MANUAL_ID, McpServer, Model, Skill, Status, Tool};
use serde_json::{Value, json};

pub fn tool(id: &str, name: &str, says: &str) -> StoredFact {
    fact(id, id, name, &Item::Tool(Tool { description: Some(says.to_owned()), ..Tool::default() }))
}

pub fn server(id: &str, name: &str, says: &str) -> StoredFact {
    fact(id, id, name, &Item::McpServer(McpServer { description: Some(says.to_owned()), ..McpServer::default() }))
}

fn page(id: &str, name: &str, says: &str) -> StoredFact {
    fact(id, id, name, &Item::Document(Document { summary: Some(says.to_owned()), ..Document::default() }))
}

/// A tool and a server whose names stand in questions, beside texts with every other word of these.
fn named() -> Bench {
    Bench::over(
        unlimited(),
        &[
            tool("lantern", "Lantern", "Gives light."),
            server("harbor-mcp-server", "Harbor MCP server", "Ships in a harbor."),
            server("pier", "Pier", "Boats."),
            page(
                "variables",
                "Environment variables",
                "Which variables a program needs, and how to install it on Linux.",
            ),
            page("login", "Login and tools", "Which tools offer a login and need an api key, and what they support."),
        ],
    )
}

#[tokio::test]
async fn what_is_asked_of_a_named_thing_is_no_filter_and_the_thing_comes_first() {
    let bench = named();
    for (question, first) in [
        ("which environment variables does lantern need", "lantern"),
        ("how do I install lantern on linux", "lantern"),
        ("can lantern use a login?", "lantern"),
        ("what is the license of lantern", "lantern"),
        ("lantern license", "lantern"),
        ("lantern price per minute", "lantern"),
        ("batch discount lantern", "lantern"),
        ("environment variables lantern api key", "lantern"),
        ("price of lantern per 1k tokens", "lantern"),
        ("does the harbor mcp server need an api key", "harbor-mcp-server"),
        ("which tools does the harbor mcp server offer", "harbor-mcp-server"),
        ("list the tools of the harbor mcp server", "harbor-mcp-server"),
        ("harbor mcp server tools", "harbor-mcp-server"),
    ] {
        let answer = asked(&bench, question).await;
        assert_eq!((ids(&answer).first(), &answer["understood"]), (Some(&first), &Value::Null), "{question}");
    }
    // Who asks for things of a kind means no single one.
    let servers = asked(&bench, "mcp servers without login").await;
    assert_eq!(servers["understood"]["filters"]["auth"], "none");
}

/// Of names that begin alike the longest is meant, also where it ends with a word that asks or says nothing, or has many words.
#[tokio::test]
async fn the_longest_name_in_a_question_is_what_it_asks_of() {
    let names = ["kestrel-4", "kestrel-4-max", "kestrel-4-it", "kestrel-4-maverick-17b-128e-instruct-fp8"];
    let pages = names.map(|name| page(name, name, ""));
    let bench = Bench::over(unlimited(), &pages);
    for (question, first) in [
        ("kestrel 4 max", "kestrel-4-max"),
        ("kestrel 4 max api", "kestrel-4-max"),
        ("kestrel 4 it context window", "kestrel-4-it"),
        ("what is the price of kestrel 4 it", "kestrel-4-it"),
        ("is kestrel 4 maverick 17b 128e instruct fp8 multimodal", "kestrel-4-maverick-17b-128e-instruct-fp8"),
        ("kestrel 4 context window", "kestrel-4"),
    ] {
        assert_eq!(ids(&asked(&bench, question).await).first(), Some(&first), "{question}");
    }
}

#[tokio::test]
async fn who_asks_whether_a_model_is_still_there_sees_its_dated_snapshots() {
    let undated = made_by("Acme Labs", "kestrel-2", Model::default());
    let mut dated = made_by("Acme Labs", "kestrel-2-20240229", Model::default());
    dated.head.status = Status::Retired;
    let bench =
        Bench::over(unlimited(), &[undated, dated, page("birds", "Deprecated birds", "Is a kestrel deprecated?")]);
    let ids_of = async |question: &str| {
        ids(&asked(&bench, question).await).iter().take(2).map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(ids_of("is kestrel 2 deprecated?").await, ["kestrel-2", "kestrel-2-20240229"]);
    assert_eq!(ids_of("does kestrel 2 read birds?").await[0], "kestrel-2");
    assert_eq!(ids_of("cost of 3M input and 400k output tokens with kestrel 2").await[0], "kestrel-2");
}

#[tokio::test]
async fn a_word_that_many_have_is_no_name_within_a_question() {
    let pages = (0..60).map(|at| page(&format!("page-{at:02}"), "Agents at work", "How agents use memory."));
    let facts: Vec<StoredFact> = pages.chain([server("memory", "Memory", "Keeps notes.")]).collect();
    let bench = Bench::over(unlimited(), &facts);
    assert_eq!(ids(&asked(&bench, "memory").await).first(), Some(&"memory"));
    assert_ne!(ids(&asked(&bench, "how do I use memory in agents").await).first(), Some(&"memory"));
}

#[tokio::test]
async fn a_phrase_within_what_things_are_for_is_no_filter() {
    let bench = bench();
    for (question, filters) in [
        ("models for legacy code migration", json!({})),
        ("models for legal texts no vision", json!({"input_modalities__not": "image"})),
        ("models for tool calling and vision", json!({"capability": "tool_call", "input_modalities": "image"})),
        (
            "free models that support tools",
            json!({
                "price_input__lte": "0", "price_output__lte": "0", "capability": "tool_call",
                "output_modalities__not": "audio,image,video",
                "model_mode__not": "audio,embedding,image,moderation,ocr,realtime,rerank,search,vector_store,video",
            }),
        ),
        ("models that produce speech", json!({"output_modalities": "audio"})),
        ("models that accept audio input", json!({"input_modalities": "audio"})),
        ("models with prompt caching and batch", json!({"capability": "prompt_caching,batch"})),
        ("models with a knowledge cutoff after 2025-01-15", json!({"knowledge_cutoff__gte": "2025-01-16"})),
        ("models that accept pdf and images", json!({"input_modalities": "pdf,image"})),
        ("open models", json!({"open_weights": "true"})),
        ("closed models", json!({"open_weights": "false"})),
        (
            "models with neither vision nor audio",
            json!({"input_modalities__not": "image,audio", "output_modalities__not": "audio"}),
        ),
        ("image to text models", json!({"input_modalities": "image"})),
    ] {
        let mut expected = filters;
        if expected != json!({}) {
            expected["status__not"] = json!("retired");
            expected["include_removed"] = json!("false");
        }
        assert_eq!(asked(&bench, question).await["understood"]["filters"], expected, "{question}");
    }
    // Released on the day after, and not on the day itself; yesterday is one day.
    let yesterday = asked(&bench, "models released yesterday").await["understood"]["filters"].clone();
    assert_eq!(yesterday["released_on__gte"], yesterday["released_on__lte"]);
    assert!(yesterday["released_on__gte"].is_string(), "{yesterday}");
}

#[tokio::test]
async fn a_number_beyond_all_sense_is_text() {
    let answer = asked(&bench(), "from 100000000000000000000000 to 5").await;
    assert_eq!(answer["understood"], Value::Null);
}

#[tokio::test]
async fn a_need_is_met_by_what_says_so_and_not_by_a_long_text_that_has_the_words() {
    let words =
        "We keep the notes of every team in one place and send them to the right people when a meeting is over. ";
    let mut guide = fact("a", "guide", "Guide", &Item::Skill(Skill::default()));
    (guide.has_body, guide.body_text) = (true, words.repeat(3).into());
    let bench = Bench::over(
        unlimited(),
        &[
            guide,
            server("scribe", "Scribe", "Sends the notes of a meeting."),
            server("vault", "Vault", "Persistent memory."),
            server("tried-send-notes", "My MCP Server", "Description of my MCP server"),
        ],
    );
    assert_eq!(ids(&asked(&bench, "send the notes of our meeting").await).first(), Some(&"scribe"));
    let asks = "is there anything that can send the notes of our meeting (self hosted, open source)?";
    assert_eq!(ids(&asked(&bench, asks).await).first(), Some(&"scribe"), "how it is introduced and ends says nothing");
    assert_eq!(ids(&asked(&bench, "send notes").await).first(), Some(&"scribe"), "the other says nothing of itself");
    // In the words of the field: nothing of it is in the question.
    for kind in ["", "&type=MCP_SERVER"] {
        let forgets = bench.json(&format!("/v1/search?q=my+agent+forgets+everything+I+said{kind}")).await;
        assert_eq!(ids(&forgets).first(), Some(&"vault"), "{kind}");
        assert_eq!(forgets["results"][0]["matched"], json!([{"field": "description", "how": "synonym"}]), "{kind}");
    }
}

#[tokio::test]
async fn a_page_of_the_manual_that_says_how_stands_among_the_first() {
    let manual = format!("{MANUAL_ID}operations");
    let tools = ["a", "b", "c", "d", "e", "f"].map(|id| tool(id, "Backup", "Backs files up: back up, restore."));
    let facts: Vec<StoredFact> = tools
        .into_iter()
        .chain([page(&manual, "Operations", "How to back up and restore, running behind a proxy.")])
        .collect();
    let bench = Bench::over(unlimited(), &facts);
    for question in ["how do I back up?", "how do I restore a backup", "how can we run it behind a proxy?"] {
        let found = asked(&bench, question).await;
        assert!(ids(&found).iter().take(3).any(|id| *id == manual), "{question}: {:?}", ids(&found));
    }
    let found = asked(&bench, "how do I back up a lighthouse?").await;
    assert!(!ids(&found)[..3].contains(&manual.as_str()), "it says nothing of lighthouses");
    assert!(!ids(&asked(&bench, "back up").await)[..5].contains(&manual.as_str()), "who names a thing gets the thing");
}

#[tokio::test]
async fn a_framework_that_is_named_is_pointed_to() {
    let bench = Bench::new();
    let answer = asked(&bench, "premortem").await;
    assert_eq!(answer["warnings"], json!(["`premortem` is a framework: look at /v1/frameworks/premortem"]));
    assert_eq!(asked(&bench, "gpt").await["warnings"], json!([]));
}

#[tokio::test]
async fn what_is_not_wanted_is_not_searched_for() {
    let facts = [
        server("gannet", "Gannet", "Sends letters and mail."),
        server("post", "Post", "Sends mail."),
        server("letters", "Letters", "Sends mail."),
    ];
    let bench = Bench::over(unlimited(), &facts);
    for question in ["mcp servers to send mail other than gannet", "server to send mail that is not gannet"] {
        let answer = asked(&bench, question).await;
        let mut found = ids(&answer);
        found.sort_unstable();
        assert_eq!(found, ["letters", "post"], "{question}");
        let warned = answer["warnings"].to_string();
        assert!(
            warned.contains("gannet` names what is not wanted: its words are not searched for"),
            "{question}: {warned}"
        );
    }
    // What does not work is what help is wanted with, and `without` may say how.
    for question in ["server for mail that is not working", "servers to send mail without paper"] {
        assert_eq!(asked(&bench, question).await["warnings"], json!([]), "{question}");
    }
}

#[tokio::test]
async fn families_are_left_out_by_any_word_of_their_names() {
    let of_family =
        |family: &str, name: &str| made_by("Acme", name, Model { family: Some(family.to_owned()), ..Model::default() });
    let facts = [
        of_family("kestrel-swift", "kestrel-1"),
        of_family("kestrel-calm", "kestrel-2"),
        of_family("osprey", "osprey-1"),
        of_family("petrel-context", "petrel-1"),
    ];
    let bench = Bench::over(unlimited(), &facts);
    for (question, left_out) in [
        // `context` is a word of a field, not of that family.
        ("models with no context limit", Value::Null),
        ("models that are not swift", "kestrel-swift".into()),
        ("models not called osprey", "osprey".into()),
        ("models other than kestrel", "kestrel-calm,kestrel-swift".into()),
    ] {
        assert_eq!(asked(&bench, question).await["understood"]["filters"]["family__not"], left_out, "{question}");
    }
}

#[tokio::test]
async fn where_something_is_hosted_is_no_word_of_its_name() {
    let hosted = |id: &str, name: &str, says: &str| {
        let mut stored = server(id, name, says);
        stored.head.aliases = vec![format!("io.github.{name}"), format!("https://github.com/{name}")];
        stored
    };
    let bench = Bench::over(
        unlimited(),
        &[
            hosted("io.github.ann-weather", "ann/weather", "Weather of today."),
            hosted("io.github.bob-issues", "bob/issues", "Issues of GitHub."),
        ],
    );
    assert_eq!(ids(&asked(&bench, "github").await), ["io.github.bob-issues"]);
    for found in ["weather", "io.github.ann-weather", "io.github.ann/weather", "https://github.com/ann/weather"] {
        assert_eq!(ids(&asked(&bench, found).await).first(), Some(&"io.github.ann-weather"), "{found}");
    }
}

#[tokio::test]
async fn a_framework_is_pointed_to_behind_a_word_for_what_it_is() {
    let bench = Bench::new();
    for question in ["five whys", "five whys method", "Five Whys technique", "premortem exercise"] {
        let warnings = asked(&bench, question).await["warnings"].clone();
        let id = if question.starts_with('p') { "premortem" } else { "five-whys" };
        let told = format!("`{question}` is a framework: look at /v1/frameworks/{id}");
        assert_eq!(warnings[0], told, "{question}");
    }
    assert_eq!(asked(&bench, "five whys server").await["warnings"], json!([]));
}

#[tokio::test]
async fn who_asks_for_a_framework_and_not_for_which_software_is_told_of_the_router() {
    let bench = Bench::new();
    let told =
        "`framework` was read as software; for a way to think a problem through, describe it to /v1/frameworks/route";
    for (question, is_told) in [
        ("prioritise features framework", true),
        ("frameworks for decision making", true),
        ("agent framework for mail", false),
    ] {
        let warnings = asked(&bench, question).await["warnings"].take();
        assert_eq!(warnings.as_array().unwrap().contains(&json!(told)), is_told, "{question}: {warnings}");
    }
    // Software that has all words answers.
    for (question, is_told) in [("best framework for light", false), ("best framework for shade", true)] {
        let warnings = asked(&named(), question).await["warnings"].take();
        assert_eq!(warnings.as_array().unwrap().contains(&json!(told)), is_told, "{question}: {warnings}");
    }
}

#[tokio::test]
async fn official_is_said_of_what_has_a_name() {
    let pier = McpServer { description: Some("Boats.".into()), official: Some(true), ..McpServer::default() };
    let bench = Bench::over(unlimited(), &[fact("pier", "pier", "Pier", &Item::McpServer(pier))]);
    for (question, official, rest) in [
        ("official pier mcp", json!("true"), "pier"),
        ("official mcp servers for boats", json!("true"), "boats"),
        ("official boats mcp servers", json!("true"), "boats"),
        ("official statistics mcp", Value::Null, "official statistics"),
    ] {
        let understood = &asked(&bench, question).await["understood"];
        assert_eq!((&understood["filters"]["official"], &understood["rest"]), (&official, &json!(rest)), "{question}");
    }
    for (question, kind) in [("open source ide with mcp", "TOOL"), ("mcp server for my ide", "MCP_SERVER")] {
        assert_eq!(asked(&bench, question).await["understood"]["kind"], kind, "{question}");
    }
}

#[tokio::test]
async fn a_quantised_copy_comes_behind_the_model_that_it_is_called_as() {
    let mut copy = made_by("Borealis", "kestrel-7-70b-fp8", Model::default());
    copy.head.name = "Kestrel 7 70B".into();
    let mut whole = made_by("Acme Labs", "kestrel-7-70b-instruct", Model::default());
    whole.head.aliases = vec!["kestrel-7-70b".into()];
    let bench = Bench::over(unlimited(), &[copy, whole]);
    assert_eq!(ids(&asked(&bench, "kestrel 7 70b").await), ["kestrel-7-70b-instruct", "kestrel-7-70b-fp8"]);
    assert_eq!(ids(&asked(&bench, "kestrel 7 70b fp8").await).first(), Some(&"kestrel-7-70b-fp8"));
}

/// Servers for public transport do not come before the page about transports.
#[tokio::test]
async fn a_part_of_the_protocol_is_no_server() {
    let bench = bench();
    for question in ["mcp transports", "mcp elicitation", "mcp sampling", "mcp roots"] {
        assert_eq!(asked(&bench, question).await["understood"]["kind"], "DOC", "{question}");
    }
    assert_eq!(asked(&bench, "mcp for public transport").await["understood"]["kind"], "MCP_SERVER");
    // Servers are called so as well: nothing else may be named.
    for question in ["mcp resources", "mcp schema reference", "model context protocol authorization"] {
        assert_eq!(asked(&bench, question).await["understood"]["kind"], "DOC", "{question}");
    }
    assert_eq!(asked(&bench, "mcp resources of aws").await["understood"]["kind"], "MCP_SERVER");
}

/// Texts that tell of prices do not come before the models that have them.
#[tokio::test]
async fn who_asks_for_the_price_of_a_line_gets_its_current_models() {
    let of = |family: &str, name: &str, status: Status| {
        let mut stored = made_by("Acme", name, Model { family: Some(family.to_owned()), ..Model::default() });
        stored.head.status = status;
        stored
    };
    let facts = [
        of("gemini-swift", "gemini-2-swift", Status::Active),
        of("gemini-swift-lite", "gemini-2-swift-lite", Status::Active),
        of("gemini-calm", "gemini-2-calm", Status::Active),
        of("gemini-calm", "gemini-1-calm", Status::Deprecated),
    ];
    let bench = Bench::over(unlimited(), &facts);
    for (question, filter, value) in [
        ("gemini swift price", "family", "gemini-swift,gemini-swift-lite"),
        ("how much does gemini calm cost", "family", "gemini-calm"),
        ("calm pricing", "family", "gemini-calm"),
        ("price of gemini per million tokens", "series", "gemini"),
    ] {
        let answer = asked(&bench, question).await;
        let filters = &answer["understood"]["filters"];
        assert_eq!(
            (&filters[filter], &filters["status__not"]),
            (&json!(value), &json!("deprecated,retired")),
            "{question}"
        );
    }
    assert_eq!(ids(&asked(&bench, "calm pricing").await), ["gemini-2-calm"]);
    // Another word may name another thing.
    for question in ["gemini wallet price", "calm", "price of calm nights"] {
        assert_eq!(asked(&bench, question).await["understood"]["filters"]["family"], Value::Null, "{question}");
    }
    // So may the word alone, where other things have it.
    let others = [server("sea", "sea", "Calm weather."), server("sky", "sky", "Calm air.")];
    let bench = Bench::over(unlimited(), &[&facts[..], &others[..]].concat());
    assert_eq!(asked(&bench, "calm pricing").await["understood"]["filters"]["family"], Value::Null);
}

#[tokio::test]
async fn who_names_a_line_and_its_members_means_models() {
    let of = |name: &str, status: Status| {
        let mut stored = made_by("Acme", name, Model { family: Some("gemini-calm".to_owned()), ..Model::default() });
        stored.head.status = status;
        stored
    };
    let facts = [of("gemini-1-calm", Status::Deprecated), of("gemini-2-calm", Status::Active)];
    let bench = Bench::over(unlimited(), &facts);
    for question in ["gemini versions", "gemini 2 family", "all gemini-2 variants", "calm versions"] {
        assert_eq!(asked(&bench, question).await["understood"]["kind"], "MODEL", "{question}");
    }
    for question in ["gemini series rename script", "command line", "gemini wallet versions"] {
        assert_eq!(asked(&bench, question).await["understood"], Value::Null, "{question}");
    }
    assert_eq!(ids(&asked(&bench, "calm models").await)[0], "gemini-2-calm");
}

#[tokio::test]
async fn a_page_on_making_something_is_found_by_any_verb() {
    let facts = [
        page("build-an-mcp-client", "Build an MCP client", "A first client."),
        page("writing", "How an MCP client can write", "What clients write."),
        page("creating", "Create and write with an MCP client", "What clients create."),
    ];
    let bench = Bench::over(unlimited(), &facts);
    for question in ["how can I write an mcp client", "create an mcp client", "how to build an mcp client"] {
        assert_eq!(ids(&asked(&bench, question).await)[0], "build-an-mcp-client", "{question}");
    }
}
