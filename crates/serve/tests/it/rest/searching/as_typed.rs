//! Questions in the words of programs, and such as name no kind or several things in one. `docs/api.md#search`.

use super::reading::named_things::server;
use super::reading::understanding::{asked, bench, ids, made_by};
use super::reading::wording::{check, read};
use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Capabilities, Document, Item, McpServer, Modalities, Model, Status, Tool};
use serde_json::{Value, json};

/// A model that gives something, with open weights or without, under a licence.
fn giving(name: &str, output: &str, is_open: bool, license: &str) -> StoredFact {
    let model = Model {
        open_weights: Some(is_open),
        license: Some(license.to_owned()),
        modalities: Modalities { input: vec!["text".to_owned()], output: vec![output.to_owned()] },
        ..Model::default()
    };
    made_by("Acme Labs", name, model)
}

/// Two models that speak, of which the weights of one are open, and two that answer.
fn speaking() -> Bench {
    Bench::over(
        unlimited(),
        &[
            giving("lark", "audio", true, "MIT"),
            giving("wren", "audio", false, "proprietary"),
            giving("heron", "text", true, "Apache-2.0"),
            giving("stork", "text", false, "proprietary"),
        ],
    )
}

#[tokio::test]
async fn filters_may_be_typed_as_programs_write_them() {
    check(
        &bench(),
        &[
            ("vendor:Acme capability:reasoning", json!({"vendor": "Acme Labs", "capability": "reasoning"})),
            (
                "price_input<=0.5 context_tokens>=200k",
                json!({"price_input__lte": "0.5", "context_tokens__gte": "200k"}),
            ),
            (
                "context_tokens > 128000 and vendor != Borealis",
                json!({"context_tokens__gte": "128001", "vendor__not": "Borealis"}),
            ),
            (
                "released_on__gte=2026 input_modalities=image",
                json!({"released_on__gte": "2026", "input_modalities": "image"}),
            ),
            ("capability:!reasoning", json!({"capability": "!reasoning"})),
        ],
    )
    .await;
    assert_eq!(ids(&asked(&bench(), "status:retired vendor:Borealis").await), ["quartz"]);
    // What the catalog has no such field or value of stays text.
    for question in ["license:nobody", "colour:red", "vendor:Acme is good", "https://acme.example/heron", "status:500"]
    {
        assert_eq!(asked(&bench(), question).await["understood"], Value::Null, "{question}");
    }
}

#[tokio::test]
async fn what_only_models_do_and_are_needs_no_word_for_them() {
    let bench = speaking();
    let open = json!({
        "open_weights": "true", "output_modalities": "audio", "output_modalities__not": "text", "model_mode__not": "chat,realtime",
    });
    check(&bench, &[("open source tts", open.clone()), ("open-source text to speech that runs locally", open)]).await;
    assert_eq!(ids(&asked(&bench, "open source tts").await), ["lark"]);
    // Nothing is so, or more is said.
    for question in ["open source ocr", "open source tts plugin", "open source culture"] {
        assert_eq!(asked(&bench, question).await["understood"], Value::Null, "{question}");
    }
}

#[tokio::test]
async fn what_runs_at_home_has_open_weights() {
    let open = || json!({"open_weights": "true"});
    check(
        &speaking(),
        &[
            ("local models", open()),
            ("offline llms", open()),
            ("on-device models", open()),
            ("models with published weights", open()),
            ("models I can download", open()),
            ("models with weights available", open()),
        ],
    )
    .await;
}

#[tokio::test]
async fn any_of_several_licences_will_do() {
    let either = || json!({"license": "MIT,Apache-2.0"});
    check(
        &speaking(),
        &[
            ("MIT or Apache licensed models", either()),
            ("models under MIT or Apache license", either()),
            ("models with license MIT or Apache", either()),
            ("mit, apache models", either()),
            ("models under the MIT license", json!({"license": "MIT"})),
        ],
    )
    .await;
}

#[tokio::test]
async fn text_is_taken_or_given_beside_something_else() {
    let given = |both: &str| json!({"output_modalities": both});
    check(
        &bench(),
        &[
            ("models that output images and text", given("image,text")),
            ("models that output text and audio", given("text,audio")),
            ("models that accept text and images", json!({"input_modalities": "image"})),
            ("models that accept images and text", json!({"input_modalities": "image"})),
            (
                "models that take text and image and return video",
                json!({"input_modalities": "image", "output_modalities": "video"}),
            ),
            ("video to text models", json!({"input_modalities": "video", "output_modalities": "text"})),
        ],
    )
    .await;
    let (filters, ..) = read(&bench(), "models that generate text and image embeddings").await;
    assert_eq!(filters, json!({"model_mode": "embedding"}), "they give neither");
}

#[tokio::test]
async fn cents_are_named_in_several_ways() {
    check(
        &bench(),
        &[
            ("under 30 ct/M input", json!({"price_input__lte": "0.3"})),
            ("models under 30 cent/Mtok input", json!({"price_input__lte": "0.3"})),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_day_of_something_else_is_not_that_of_a_release() {
    check(
        &bench(),
        &[
            ("models trained on data after june 2025", json!({"knowledge_cutoff__gte": "2025-07-01"})),
            ("models trained on information since 2025", json!({"knowledge_cutoff__gte": "2025"})),
            ("models introduced since 2025", json!({"released_on__gte": "2025"})),
        ],
    )
    .await;
    for (question, shown) in [
        ("models benchmarked in 2025", "benchmarked in 2025"),
        ("models unchanged since january 2026", "unchanged since january 2026"),
    ] {
        let answer = asked(&bench(), question).await;
        assert_eq!(answer["understood"]["filters"], json!({}), "{question}");
        let told = answer["warnings"].to_string();
        assert!(told.contains(&format!("`{shown}` was not understood: no field has that day")), "{question}: {told}");
    }
}

#[tokio::test]
async fn what_a_thing_has_is_not_what_is_asked_for() {
    let merge = Tool { description: Some("Merges pdfs.".to_owned()), ..Tool::default() };
    let bench = Bench::over(
        unlimited(),
        &[
            server("press", "Press", "Has a tool to merge pdfs."),
            fact("joiner", "joiner", "joiner", &Item::Tool(merge)),
        ],
    );
    for question in ["which mcp server has a tool to merge pdfs", "what servers offer tools that merge pdfs"] {
        let answer = asked(&bench, question).await;
        assert_eq!((&answer["understood"]["kind"], ids(&answer)[0]), (&json!("MCP_SERVER"), "press"), "{question}");
    }
    assert_eq!(asked(&bench, "which tool can merge pdfs").await["understood"]["kind"], "TOOL");
}

#[tokio::test]
async fn what_is_like_a_server_is_another_one() {
    let bench = Bench::over(
        unlimited(),
        &[
            server("gannet", "Gannet", "MCP server for AI agents: extracts tables from pages."),
            server("tern", "Tern", "Extracts tables of pages."),
            server("plover", "Plover", "Plays music."),
        ],
    );
    for question in [
        "alternatives to gannet mcp",
        "alternatives to the gannet mcp server",
        "competitors of gannet",
        "mcp servers similar to gannet",
        "mcp server like gannet",
        "something like gannet",
        "a tool similar to gannet",
    ] {
        let answer = asked(&bench, question).await;
        assert_eq!(ids(&answer), ["tern"], "{question}");
        assert!(
            answer["warnings"].to_string().contains("no field says what the alternatives to `Gannet` are"),
            "{question}"
        );
    }
}

#[tokio::test]
async fn what_alternatives_are_to_be_is_searched_for_among_them() {
    let bench = Bench::over(
        unlimited(),
        &[
            server("gannet", "Gannet", "Extracts tables from pages."),
            server("auk", "Auk", "Extracts tables of pages."),
            server("tern", "Tern", "Extracts tables of pages. Open source, runs locally."),
            server("plover", "Plover", "Plays music."),
        ],
    );
    for question in [
        "open source alternative to gannet",
        "what are some open source alternatives to the gannet mcp server?",
        "alternatives to gannet that are open source",
        "gannet alternatives which run locally",
    ] {
        let answer = asked(&bench, question).await;
        assert_eq!(ids(&answer), ["tern", "auk"], "{question}");
    }
    let answer = asked(&bench, "alternatives to gannet without tables").await;
    assert_ne!(answer["understood"]["kind"], "MCP_SERVER", "what they are not to be is no text to look for");
}

#[tokio::test]
async fn servers_are_compared_with_the_word_for_their_kind() {
    let bench = Bench::over(
        unlimited(),
        &[
            server("plover", "Plover", "Compares gannet mcp vs tern mcp."),
            server("gannet", "Gannet", "Extracts tables."),
            server("tern", "Tern", "Reads tables."),
        ],
    );
    for question in ["gannet mcp vs tern mcp", "compare gannet mcp server and tern mcp"] {
        let answer = asked(&bench, question).await;
        assert_eq!(answer["understood"]["compared"], json!(["gannet", "tern"]), "{question}");
        assert_eq!(ids(&answer)[..2], ["gannet", "tern"], "{question}");
    }
    let classes = asked(&bench, "compare gannet mcp servers and tern mcp servers").await;
    assert_eq!(classes["understood"]["kind"], "MCP_SERVER", "{}", classes["understood"]);
}

#[tokio::test]
async fn who_makes_a_line_is_told_by_its_models() {
    let of = |vendor: &str, family: &str, name: &str| {
        made_by(vendor, name, Model { family: Some(family.to_owned()), ..Model::default() })
    };
    let bench = Bench::over(
        unlimited(),
        &[of("Anthropic", "claude-opus", "claude-opus-8"), of("Google", "gemini-flash", "gemini-8-flash")],
    );
    for (question, found) in [
        ("who makes claude opus", "claude-opus-8"),
        ("who develops the gemini models", "gemini-8-flash"),
        ("which company is behind gemini", "gemini-8-flash"),
        ("maker of opus", "claude-opus-8"),
    ] {
        let answer = asked(&bench, question).await;
        assert_eq!((ids(&answer), &answer["understood"]["kind"]), (vec![found], &json!("MODEL")), "{question}");
    }
    let (filters, _, rest) = read(&bench, "license of gemini 8").await;
    assert_eq!((filters, rest), (json!({"series": "gemini"}), json!("8")));
    assert_eq!(asked(&bench, "who makes tables").await["understood"], Value::Null);
}

#[tokio::test]
async fn the_package_that_a_command_starts_leads() {
    let says = "Run npx -y @acme/gannet-kit@latest, then docker run -i --rm acme/gannet-kit";
    let page = Document { summary: Some(says.to_owned()), ..Document::default() };
    let package = json!({"registryType": "npm", "identifier": "@acme/gannet-kit"});
    let kit = Item::McpServer(McpServer { packages: vec![package], ..McpServer::default() });
    let bench = Bench::over(
        unlimited(),
        &[
            fact("page", "starting-gannet-kit", "Starting gannet-kit", &Item::Document(page)),
            fact("harbor", "harbor", "Harbor", &kit),
        ],
    );
    for question in [
        "npx -y @acme/gannet-kit@latest",
        "claude mcp add harbor npx @acme/gannet-kit",
        "npm install @acme/gannet-kit",
        "@acme/gannet-kit@1.2.3",
    ] {
        assert_eq!(ids(&asked(&bench, question).await)[0], "harbor", "{question}");
    }
    assert_ne!(ids(&asked(&bench, "npx -y @acme/other").await).first(), Some(&"harbor"));
}

#[tokio::test]
async fn what_a_source_spells_so_is_not_translated() {
    let spelt = "azure_ai/Lark.1-Kontext-pro";
    let bench = Bench::over(unlimited(), &[fact(spelt, "lark-1", "Lark 1", &Item::Model(Model::default()))]);
    let answer = asked(&bench, spelt).await;
    assert_eq!((ids(&answer), &answer["warnings"]), (vec!["lark-1"], &json!([])));
}

#[tokio::test]
async fn a_whole_title_is_meant_whatever_it_names() {
    let page = |id: &str, title: &str| {
        let document = Document { path: Some(format!("docs/{id}.md")), ..Document::default() };
        fact(id, id, title, &Item::Document(document))
    };
    let tool = |id: &str| fact(id, id, id, &Item::Tool(Tool::default()));
    let bench = Bench::over(
        unlimited(),
        &[tool("git"), tool("ssh"), page("over", "Git over SSH"), page("what", "What is Git?"), page("x", "Git")],
    );
    for (title, first) in [("Git over SSH", "over"), ("What is Git?", "what"), ("compare git and ssh", "git")] {
        assert_eq!(ids(&asked(&bench, title).await)[0], first, "{title}");
    }
}

#[tokio::test]
async fn the_very_id_comes_before_what_is_spelt_like_it() {
    let server = |id: &str| fact(id, id, id, &Item::McpServer(McpServer::default()));
    let mut tool = fact("lark-max", "lark-max", "Lark Max", &Item::Tool(Tool::default()));
    tool.head.status = Status::Deprecated;
    let bench = Bench::over(unlimited(), &[server("lark_max"), tool]);
    for (id, other) in [("lark-max", "lark_max"), ("lark_max", "lark-max")] {
        let answer = asked(&bench, id).await;
        assert_eq!(ids(&answer), [id, other]);
        assert_eq!(answer["results"][0]["matched"][0], json!({"field": "id", "how": "exact"}));
    }
}

#[tokio::test]
async fn a_word_that_few_models_have_is_told() {
    let thinking = |name: &str| {
        let capabilities = Capabilities { reasoning: Some(true), ..Capabilities::default() };
        made_by("Acme", name, Model { capabilities, ..Model::default() })
    };
    let names = (0..11).map(|n| format!("lark-{n}")).chain(["heron-labs".to_owned()]);
    let bench = Bench::over(unlimited(), &names.map(|name| thinking(&name)).collect::<Vec<_>>());
    let answer = asked(&bench, "which labs released reasoning models").await;
    assert_eq!(ids(&answer), ["heron-labs"]);
    assert_eq!(answer["warnings"], json!(["`labs` leaves 1 of the 12 that meet the filters"]));
}

#[tokio::test]
async fn among_what_meets_filters_the_words_of_the_field_are_searched_too() {
    let notes = McpServer {
        description: Some("Memory for agents.".into()),
        packages: vec![json!({"registryType": "pypi", "identifier": "notes"})],
        ..McpServer::default()
    };
    let notes = fact("notes", "notes", "Notes", &Item::McpServer(notes));
    let bench = Bench::over(unlimited(), &[notes, server("memo", "Memo", "Remembers things between sessions.")]);
    let answer = asked(&bench, "pypi mcp servers that remember between sessions").await;
    assert_eq!((ids(&answer), &answer["warnings"]), (vec!["notes"], &json!([])));
}

#[tokio::test]
async fn a_title_may_stand_behind_who_publishes_it() {
    let published = |id: &str, title: &str, vendor: &str| {
        let document = Document { path: Some(format!("docs/{id}.md")), ..Document::default() };
        let mut page = fact(id, id, title, &Item::Document(document));
        page.head.vendor = Some(vendor.to_owned());
        page
    };
    let bench = Bench::over(
        unlimited(),
        &[
            published("own", "Gated models", "Acme Labs"),
            published("others", "Gated models", "Borealis"),
            server("acme-labs", "Acme Labs", "The server of Acme Labs."),
            made_by("Acme Labs", "falcon", Model::default()),
        ],
    );
    for (question, first) in [
        ("acme labs gated models", "own"),
        ("acme labs docs gated models", "own"),
        ("borealis gated models", "others"),
        ("acme labs models", "falcon"),
    ] {
        assert_eq!(ids(&asked(&bench, question).await)[0], first, "{question}");
    }
}
