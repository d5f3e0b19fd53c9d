//! Questions that strangers asked in short: states apart from their days, abilities without objects, a kind and nothing else, yes or no.
//! `docs/api.md#search`.

use super::reading::named_things::{server, tool};
use super::reading::understanding::{asked, bench, ids, made_by};
use super::reading::wording::{check, read};
use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use refdesk_core::Stamp;
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Capabilities, Document, Item, McpServer, McpTool, Modalities, Model, Skill, Status};
use serde_json::{Value, json};

/// A model of Borealis that is in a state since a day, if one is told.
fn ended(name: &str, status: Status, since: Option<&str>) -> StoredFact {
    let since = since.map(str::to_owned);
    let mut model = Model { released_on: Some("2023-05".to_owned()), ..Model::default() };
    if status == Status::Retired {
        model.retires_on = since;
    } else {
        model.deprecated_on = since;
    }
    let mut stored = made_by("Borealis", name, model);
    stored.head.status = status;
    stored
}

#[tokio::test]
async fn a_period_is_of_the_state_that_other_words_stand_between() {
    let facts = [
        ended("quartz", Status::Retired, Some("2025-03-01")),
        ended("basalt", Status::Deprecated, Some("2025-07-01")),
        ended("slate", Status::Deprecated, Some("2024-07-01")),
    ];
    let bench = Bench::over(unlimited(), &facts);
    let in_2025 =
        |field: &str| json!({format!("{field}__gte"): "2025", format!("{field}__lte"): "2025", "vendor": "Borealis"});
    check(
        &bench,
        &[
            ("retired borealis models in 2025", in_2025("retires_on")),
            ("which borealis models in 2025 were retired", in_2025("retires_on")),
            ("models retired by borealis in 2025", in_2025("retires_on")),
            ("models shut down by borealis during 2025", in_2025("retires_on")),
            ("borealis models deprecated in 2025", in_2025("deprecated_on")),
            ("deprecated borealis models between may and december 2025", {
                json!({"deprecated_on__gte": "2025-05", "deprecated_on__lte": "2025-12", "vendor": "Borealis"})
            }),
            ("models retired in june", json!({"retires_on__gte": "2026-06", "retires_on__lte": "2026-06"})),
            ("deprecated models since june 2025", json!({"deprecated_on__gte": "2025-06"})),
            ("deprecated models before 2025", json!({"deprecated_on__lte": "2024-12-31"})),
            // What a model is from is its release.
            (
                "deprecated models from 2023",
                json!({"status": "deprecated", "released_on__gte": "2023", "released_on__lte": "2023"}),
            ),
            (
                "deprecated models released before 2024",
                json!({"status": "deprecated", "released_on__lte": "2023-12-31"}),
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_day_of_a_state_that_a_kind_has_none_of_is_no_day_of_a_change() {
    let (filters, _, rest) = read(&servers(), "deprecated mcp servers since june").await;
    assert_eq!((filters, rest), (json!({"status": "deprecated"}), json!("")));
}

#[tokio::test]
async fn what_ended_on_a_day_that_nobody_states_is_shown_where_no_day_fits() {
    let facts = [
        ended("quartz", Status::Retired, Some("2024-03-01")),
        ended("basalt", Status::Deprecated, None),
        ended("slate", Status::Deprecated, Some("2024-07-01")),
    ];
    let bench = Bench::over(unlimited(), &facts);
    let answer = asked(&bench, "models deprecated since june 2025").await;
    let told =
        "nothing is known to have been deprecated then; showing what is deprecated since a day that no source states";
    assert_eq!((ids(&answer), &answer["warnings"]), (vec!["basalt"], &json!([told])));
    assert_eq!(answer["understood"]["filters"]["deprecated_on__gte"], "2025-06", "that is what was asked");
    // Every retired model has its day, and what is to come is no matter of days that are unknown.
    for question in ["models retired in 2025", "models retiring next year"] {
        assert_eq!(ids(&asked(&bench, question).await), [""; 0], "{question}");
    }
}

#[tokio::test]
async fn behind_a_comma_another_condition_begins_unless_the_list_goes_on_with_or() {
    check(
        &bench(),
        &[
            ("models without reasoning, vision", json!({"capability": "!reasoning", "input_modalities": "image"})),
            ("no reasoning, tool calling models", json!({"capability": "!reasoning,tool_call"})),
            (
                "models without vision, under $1 input",
                json!({"input_modalities__not": "image", "price_input__lte": "1"}),
            ),
            (
                "models without vision, reasoning or tool calling",
                json!({"input_modalities__not": "image", "capability": "!reasoning,!tool_call"}),
            ),
        ],
    )
    .await;
    let able = |name: &str, reasoning: bool| {
        let capabilities =
            Capabilities { reasoning: Some(reasoning), tool_call: Some(true), ..Capabilities::default() };
        made_by("Borealis", name, Model { capabilities, ..Model::default() })
    };
    let bench = Bench::over(unlimited(), &[able("quartz", true), able("basalt", false)]);
    for question in ["no reasoning, tool calling", "tool calling, no reasoning"] {
        assert_eq!(ids(&asked(&bench, question).await), ["basalt"], "{question}");
    }
    // Of one ability, or of how something is done, texts tell.
    for question in ["no reasoning", "how to disable reasoning without streaming"] {
        assert_eq!(asked(&bench, question).await["understood"], Value::Null, "{question}");
    }
}

#[tokio::test]
async fn what_models_hear_see_and_say_needs_no_object() {
    check(
        &bench(),
        &[
            ("models that can hear", json!({"input_modalities": "audio"})),
            ("llms that listen", json!({"input_modalities": "audio"})),
            ("models that listen to sound", json!({"input_modalities": "audio"})),
            ("a model that speaks and listens", json!({"output_modalities": "audio", "input_modalities": "audio"})),
            ("models that can see, under $1 input", json!({"input_modalities": "image", "price_input__lte": "1"})),
            ("models that understand video and audio", json!({"input_modalities": "video,audio"})),
            ("models that cannot see", json!({"input_modalities__not": "image"})),
        ],
    )
    .await;
    assert_eq!(read(&bench(), "models that see through walls").await.0, json!({}));
}

#[tokio::test]
async fn videos_with_sound_are_searched_for_where_no_source_states_it() {
    let video = |name: &str, outputs: &[&str], says: &str| {
        let output = outputs.iter().map(|output| (*output).to_owned()).collect();
        let modalities = Modalities { input: vec!["text".to_owned()], output };
        made_by("Borealis", name, Model { modalities, description: Some(says.to_owned()), ..Model::default() })
    };
    let stated = [video("lynx", &["video"], "Clips."), video("otter", &["video", "audio"], "Clips.")];
    let bench = Bench::over(unlimited(), &stated);
    for question in ["video models with sound", "text to video models with audio", "models that make videos with sound"]
    {
        let (filters, ..) = read(&bench, question).await;
        assert_eq!(filters, json!({"output_modalities": "video,audio"}), "{question}");
    }
    let told = [video("lynx", &["video"], "Silent clips."), video("otter", &["video"], "Clips and the sound of them.")];
    let answer = asked(&Bench::over(unlimited(), &told), "video models with sound").await;
    assert_eq!(ids(&answer), ["otter"]);
    assert_eq!(answer["understood"]["filters"]["output_modalities"], "video");
    assert!(answer["warnings"][0].as_str().unwrap().starts_with("`with sound`: no source states"), "{answer}");
}

/// Servers that their makers publish, changed on a day, and one of somebody else that was changed last.
fn servers() -> Bench {
    let of = |id: &str, day: &str, official: Option<bool>| {
        let updated_at = Stamp::parse(day);
        fact(id, id, id, &Item::McpServer(McpServer { official, updated_at, ..McpServer::default() }))
    };
    let skill = fact("mcp-servers", "mcp-servers", "MCP servers", &Item::Skill(Skill::default()));
    let facts = [
        of("pier", "2026-01-01", Some(true)),
        of("quay", "2026-02-01", Some(true)),
        of("mcp-servers-list", "2026-03-01", None),
        skill,
    ];
    Bench::over(unlimited(), &facts)
}

/// Where no word names a thing, the words of the conditions are in texts about something else.
#[tokio::test]
async fn conditions_that_nothing_meets_are_not_searched_for_as_words() {
    let answer = asked(&servers(), "mcp servers updated this month").await;
    assert_eq!((ids(&answer), &answer["understood"]["kind"]), (vec![], &json!("MCP_SERVER")));
    let told = "nothing meets everything that was understood; `understand=false` searches for the words";
    assert_eq!(answer["warnings"], json!([told]));
}

#[tokio::test]
async fn a_kind_and_nothing_else_asks_for_what_many_know() {
    let bench = servers();
    let published = "these are those that their makers publish, updated last first: `all mcp servers` lists every one";
    for question in ["mcp", "mcp servers", "MCP server", "show me mcp servers"] {
        let answer = asked(&bench, question).await;
        assert_eq!((ids(&answer), &answer["warnings"]), (vec!["quay", "pier"], &json!([published])), "{question}");
        assert_eq!(answer["understood"]["sort"], "-updated_at", "{question}");
    }
    for question in ["all mcp servers", "how many mcp servers are there"] {
        let answer = asked(&bench, question).await;
        assert_eq!(ids(&answer), ["mcp-servers-list", "quay", "pier"], "{question}");
        assert_eq!((&answer["total"], &answer["warnings"]), (&json!(3), &json!([])), "{question}");
    }
    assert_eq!(ids(&asked(&bench, "skills").await), ["mcp-servers"]);
    // What else is said is searched for.
    assert_eq!(asked(&bench, "mcp server search").await["understood"]["filters"], json!({}));
}

#[tokio::test]
async fn what_no_source_measures_is_said_and_not_searched_for() {
    let bench = servers();
    for question in ["most popular mcp servers", "top 10 mcp servers", "mcp servers with the most stars"] {
        let answer = asked(&bench, question).await;
        assert_eq!(ids(&answer), ["quay", "pier"], "{question}");
        let told = answer["warnings"][0].as_str().unwrap();
        assert!(told.starts_with("no source measures which are ") && told.contains("their makers publish"), "{told}");
    }
    let topical = asked(&bench, "popular mcp servers for pier").await;
    assert_eq!((ids(&topical)[0], &topical["understood"]["rest"]), ("pier", &json!("pier")));
    assert_eq!(topical["warnings"], json!(["no source measures which are popular: what has the other words is shown"]));
    // One thing that is called so.
    assert_eq!(asked(&bench, "popular science mcp server").await["warnings"], json!([]));
}

#[tokio::test]
async fn yes_or_no_about_a_line_is_answered_by_its_models() {
    let of = |name: &str, sees: bool| {
        let mut model = Model { family: Some("llama".to_owned()), open_weights: Some(true), ..Model::default() };
        model.modalities.input = if sees { vec!["image".to_owned()] } else { vec!["text".to_owned()] };
        made_by("Meta", name, model)
    };
    let text =
        Document { summary: Some("Is llama open source, and can llama see images?".into()), ..Document::default() };
    let page = fact("about", "about-llama", "Open source images", &Item::Document(text));
    let facts = [of("llama-4-scout", true), of("llama-3.1-8b", false), page];
    let bench = Bench::over(unlimited(), &facts);
    for question in ["is llama 4 open source", "does llama 4 support vision?", "can the llama 4 models see images"] {
        let answer = asked(&bench, question).await;
        assert_eq!(ids(&answer), ["llama-4-scout", "llama-3.1-8b"], "{question}");
        assert_eq!(answer["understood"]["filters"]["series"], "llama", "{question}");
    }
    assert_eq!(ids(&asked(&bench, "can llama see images").await).len(), 2);
    // What no model is asked for by is a matter for others.
    assert_eq!(asked(&bench, "can llama book a flight").await["understood"], Value::Null);
}

#[tokio::test]
async fn a_digit_that_looks_like_a_letter_of_a_name_is_read_as_it() {
    let models = ["gpt-4o-mini", "o3-mini", "gemini-2.0-flash"];
    let bench = Bench::over(unlimited(), &models.map(|name| made_by("Borealis", name, Model::default())));
    for (typed, id) in [("gpt40 mini", "gpt-4o-mini"), ("gpt-40-mini", "gpt-4o-mini"), ("03 mini", "o3-mini")] {
        let answer = asked(&bench, typed).await;
        assert_eq!(ids(&answer)[0], id, "{typed}");
        assert!(answer["warnings"][0].as_str().unwrap().starts_with("searched for `"), "{typed}");
    }
    assert_eq!(asked(&bench, "gemini 2.0 flash").await["warnings"], json!([]));
}

#[tokio::test]
async fn who_asks_how_something_is_done_is_told_so_before_a_server_of_that_word() {
    let page = |id: &str, says: &str| {
        let document = Document { summary: Some(says.to_owned()), ..Document::default() };
        fact(id, id, "Operations", &Item::Document(document))
    };
    let facts = [
        server("backup", "Backup", "Backups."),
        server("redis", "Redis", "Key-value storage."),
        page("restoring", "How to restore a backup, and to cache prompts with redis."),
    ];
    let bench = Bench::over(unlimited(), &facts);
    for question in ["how do i restore a backup", "how to cache prompts with redis"] {
        assert_eq!(ids(&asked(&bench, question).await)[0], "restoring", "{question}");
    }
    // What a program does.
    assert_eq!(ids(&asked(&bench, "how can i query redis").await)[0], "redis");
}

#[tokio::test]
async fn what_does_something_comes_before_a_page_that_is_called_by_one_word_of_it() {
    let facts = [
        server("squeeze", "Squeeze", "Makes images smaller."),
        described("compress", "compress", "A command of old systems."),
        described("image-formats", "Image formats", "Which there are."),
    ];
    let bench = Bench::over(unlimited(), &facts);
    assert_eq!(ids(&asked(&bench, "compress images").await)[..2], ["squeeze", "compress"]);
    // What the page is called as a whole.
    assert_eq!(ids(&asked(&bench, "compress").await)[0], "compress");
}

/// Some things among pages about anything else, by which words are rare or common.
fn among_others(things: Vec<StoredFact>) -> Bench {
    let other = |at: usize| described(&format!("other-{at}"), &format!("Chapter {at}"), "A tool that nobody asks for.");
    Bench::over(unlimited(), &(0..20).map(other).chain(things).collect::<Vec<_>>())
}

fn described(id: &str, title: &str, says: &str) -> StoredFact {
    let document = Document { summary: Some(says.to_owned()), ..Document::default() };
    fact(id, id, title, &Item::Document(document))
}

#[tokio::test]
async fn a_word_for_a_kind_does_not_lift_what_lacks_most_of_the_other_words() {
    let bench = among_others(vec![
        server("locust", "Locust", "Runs load tests of sites."),
        server("shipyard", "Shipyard", "Cargo tests in a harbour."),
        described("cargo-test", "Cargo test", "Runs tests of cargo."),
        described("bun-test", "Bun test", "Runs tests of bun."),
    ]);
    for (question, first) in [
        ("locust tests documentation", "locust"),
        ("locust documentation tests", "locust"),
        // Where a page has the words, it is meant.
        ("cargo tests documentation", "cargo-test"),
        ("bun tests documentation", "bun-test"),
    ] {
        let answer = asked(&bench, question).await;
        assert_eq!((&answer["understood"]["kind"], ids(&answer)[0]), (&json!("DOC"), first), "{question}");
    }
}

#[tokio::test]
async fn no_score_is_above_the_one_before_it_where_two_kinds_stand_in_turn() {
    let bench = among_others(vec![
        tool("quill", "Quill", "Writes letters, and sometimes an invoice for export."),
        tool("ream", "Ream", "Sorts sheets by size, or an invoice by export."),
        server("ledger", "Ledger", "Invoice export: each export has an invoice."),
        server("abacus", "Abacus", "Export of an invoice."),
    ]);
    let answer = asked(&bench, "invoice export tool").await;
    let scores: Vec<f64> =
        answer["results"].as_array().unwrap().iter().map(|hit| hit["score"].as_f64().unwrap()).collect();
    let mut first = ids(&answer)[..4].to_vec();
    first.sort_unstable();
    assert_eq!(first, ["abacus", "ledger", "quill", "ream"]);
    assert!(scores.is_sorted_by(|first, next| first >= next), "{scores:?}");
}

#[tokio::test]
async fn what_only_a_page_is_called_by_is_no_filter_for_models() {
    let bench = Bench::over(
        unlimited(),
        &[
            made_by("Borealis", "falcon-2", Model::default()),
            made_by("Borealis", "sparrow-2", Model::default()),
            described("flair", "Using Flair at Borealis", "How models of Flair are shared."),
            described("kites", "Kites", "Flown by Borealis."),
        ],
    );
    let answer = asked(&bench, "flair models from borealis").await;
    let told = "no model meets what was understood and mentions `flair`; showing what has all words of the question";
    assert_eq!((ids(&answer)[0], &answer["warnings"][0]), ("flair", &json!(told)));
    assert_eq!(answer["understood"], Value::Null);
    // A page that does not have all words is none that is asked for, and no page is a substitute for a bound.
    for question in ["kites models from borealis", "flair models from borealis under $1"] {
        let filters = asked(&bench, question).await["understood"]["filters"].take();
        assert_eq!(filters["vendor"], "Borealis", "{question}");
    }
}

#[tokio::test]
async fn the_name_of_a_tool_finds_who_has_it_and_the_snippet_shows_it() {
    let with_tool = |id: &str, name: &str| {
        let tool = McpTool { name: name.to_owned(), description: Some("Sorts shells by size.".to_owned()) };
        let server = McpServer {
            description: Some("Looks after a beach.".to_owned()),
            tools: vec![tool],
            ..McpServer::default()
        };
        fact(id, id, id, &Item::McpServer(server))
    };
    let bench = Bench::over(
        unlimited(),
        &[
            with_tool("dune", "sort_shells"),
            with_tool("reef", "sort_shells_by_day"),
            server("sort-guide", "Sort shells guide", "Sort shells: how to sort shells."),
        ],
    );
    for question in ["sort_shells", "sortShells", "sort-shells"] {
        let answer = asked(&bench, question).await;
        let first = &answer["results"][0];
        assert_eq!((&first["id"], &first["matched"][0]), (&json!("dune"), &json!({"field": "tools", "how": "exact"})));
        let snippet = first["snippet"].as_str().unwrap();
        assert!(snippet.contains("<mark>shells</mark> by size"), "{question}: {snippet}");
    }
    assert_eq!(ids(&asked(&bench, "sort shells").await)[0], "sort-guide");
    assert_eq!(ids(&asked(&bench, "sort-guide").await)[0], "sort-guide");
}
