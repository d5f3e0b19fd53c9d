//! Makers and authors: in every spelling that the catalog has of one. `docs/api.md#search`.

use super::super::understanding::{asked, bench, ids, made_by};
use super::super::wording::{check, read};
use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Item, McpServer, Model, Status, Tool, Tutorial};
use serde_json::{Value, json};

/// A server under its registry name, as whose a source states it.
fn server_of(vendor: &str, name: &str) -> StoredFact {
    let mut stored = fact(name, name, name, &Item::McpServer(McpServer::default()));
    stored.head.vendor = Some(vendor.to_owned());
    stored
}

/// The servers of some makers, of which registries know some by a domain.
fn of_makers() -> Bench {
    Bench::over(
        unlimited(),
        &[
            server_of("Gannet", "gannet-pay"),
            server_of("gannet", "gannet-bank"),
            server_of("gannet.com", "com.gannet/mcp"),
            server_of("plover.ai", "ai.plover/one"),
            server_of("plover-ai", "plover-two"),
            server_of("Bright Tern", "tern-desk"),
            server_of("brighttern.example", "example.brighttern.mcp/tern"),
            // The name of a library is no namespace of a registry.
            server_of("lamp.js", "lamp-kit"),
            server_of("Lamp", "lamp-desk"),
        ],
    )
}

#[tokio::test]
async fn a_maker_is_asked_for_in_all_spellings_and_by_its_domain() {
    let bench = of_makers();
    check(
        &bench,
        &[
            ("mcp servers by gannet", json!({"vendor": "Gannet,gannet.com"})),
            ("mcp servers from gannet.com", json!({"vendor": "Gannet,gannet.com"})),
            ("mcp servers by plover", json!({"vendor": "plover-ai,plover.ai"})),
            ("mcp servers not by plover", json!({"vendor__not": "plover-ai,plover.ai"})),
            ("mcp servers by bright tern", json!({"vendor": "Bright Tern,brighttern.example"})),
            ("mcp servers by lamp", json!({"vendor": "Lamp"})),
            ("gannet's mcp servers", json!({"vendor": "Gannet,gannet.com"})),
            ("mcp servers of vendor gannet", json!({"vendor": "Gannet,gannet.com"})),
            ("MCP-Server von Plover", json!({"vendor": "plover-ai,plover.ai"})),
            ("mcp servers by gannet or plover", json!({"vendor": "Gannet,gannet.com,plover-ai,plover.ai"})),
        ],
    )
    .await;
    let mut own = asked(&bench, "mcp servers by gannet").await;
    let own = own["results"].take();
    assert_eq!(own.as_array().map(Vec::len), Some(3), "{own}");
}

/// A tutorial that some people wrote.
fn written_by(id: &str, title: &str, authors: &[&str], summary: &str) -> StoredFact {
    let authors = authors.iter().map(|author| (*author).to_owned()).collect();
    let tutorial = Tutorial { authors, summary: Some(summary.to_owned()), ..Tutorial::default() };
    fact(id, id, title, &Item::Tutorial(tutorial))
}

#[tokio::test]
async fn a_tutorial_is_found_by_who_wrote_it() {
    let bench = Bench::over(
        unlimited(),
        &[
            written_by("agents", "Agents", &["Ada Heron", "Bo Tern"], "How agents are built."),
            written_by("herons", "Herons", &["Cy Wren"], "How herons, of which Ada Lovelace wrote, are counted."),
            written_by("tables", "Wren tutorials by Wren", &[], "How a wren is counted by wren tutorials."),
        ],
    );
    for question in ["Ada Heron", "tutorials by Ada Heron", "tutorials by Bo Tern", "agent tutorial by ada heron"] {
        let answer = asked(&bench, question).await;
        assert_eq!(ids(&answer).first(), Some(&"agents"), "{question}");
    }
    // A title with the name is not what that author wrote.
    let wrote = asked(&bench, "tutorials by wren").await;
    assert_eq!(ids(&wrote)[..2], ["herons", "tables"], "{wrote}");
}

/// A model of a maker in a family.
fn in_family(vendor: &str, family: &str, name: &str) -> StoredFact {
    made_by(vendor, name, Model { family: Some(family.to_owned()), ..Model::default() })
}

#[tokio::test]
async fn a_word_of_another_line_is_no_family_of_the_line_that_was_read() {
    let bench = Bench::over(
        unlimited(),
        &[
            in_family("Alibaba", "qwen", "qwen-8-coder"),
            in_family("Kwaipilot", "kat-coder", "kat-coder-8"),
            in_family("Google", "gemini-flash", "gemini-8-flash"),
            in_family("OpenAI", "gpt-image", "gpt-image-8"),
            in_family("NVIDIA", "nemotron", "nemotron-8-nano"),
            in_family("Google", "nano-banana", "nano-banana-8"),
        ],
    );
    for (question, found, other) in [
        ("newest nemotron nano", "nemotron-8-nano", "nano-banana"),
        ("newest qwen coder", "qwen-8-coder", "kat-coder"),
        ("newest gemini image", "gemini-8-flash", "gpt-image"),
    ] {
        let answer = asked(&bench, question).await;
        assert!(ids(&answer).contains(&found), "{question}: {answer}");
        let understood = answer["understood"].to_string();
        assert!(!understood.contains(other), "{question}: {understood}");
    }
    // The line itself has one of that name.
    let (filters, _, rest) = read(&bench, "newest gemini flash").await;
    assert_eq!((&filters["family"], rest), (&json!("gemini-flash"), json!("")), "{filters}");
}

#[tokio::test]
async fn whether_each_price_is_known_is_asked_by_its_own_name() {
    check(
        &bench(),
        &[
            ("models with cache read price known", json!({"price_cache_read__isnull": "false"})),
            ("models with unknown batch output price", json!({"price_batch_output__isnull": "true"})),
            ("models with unknown input price", json!({"price_input__isnull": "true"})),
            ("models with price conflicts", json!({"has_conflicts": "true"})),
            ("models without conflicting prices", json!({"has_conflicts": "false"})),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_whole_name_and_its_maker_is_a_name_and_no_filter() {
    let mut retired = made_by("Borealis", "quartz-2", Model::default());
    retired.head.status = Status::Retired;
    let guide = "Exports events of the actions library to calendars.";
    let tool = Tool { description: Some("A library of calendars and actions.".to_owned()), ..Tool::default() };
    let bench = Bench::over(
        unlimited(),
        &[
            made_by("OpenAI", "gpt-4o-mini-realtime-preview-2024-12-17", Model::default()),
            made_by("OpenAI", "gpt-4o-mini", Model::default()),
            made_by("DeepSeek", "deepseek-r1-distill-llama-70b", Model::default()),
            made_by("Meta", "llama-3-70b", Model::default()),
            retired,
            written_by("calendars", "Actions library for calendars", &[], guide),
            fact("almanac", "almanac", "Almanac", &Item::Tool(tool)),
        ],
    );
    let realtime = "gpt-4o-mini-realtime-preview-2024-12-17";
    for (question, kind, first) in [
        ("openai gpt 4o mini realtime preview 2024 12 17", "&type=MODEL", realtime),
        ("gpt 4o mini realtime preview 2024 12 17 by OpenAI", "&type=MODEL", realtime),
        ("gpt-4o-mini-realtime-preview-2024-12-17 from openai", "", realtime),
        ("deepseek r1 distill llama 70b by deepseek", "&type=MODEL", "deepseek-r1-distill-llama-70b"),
        ("quartz-2 by borealis", "&type=MODEL", "quartz-2"),
        ("actions library for calendars by acme", "", "calendars"),
    ] {
        let typed = question.replace(' ', "+");
        let answer = bench.json(&format!("/v1/search?q={typed}{kind}")).await;
        assert_eq!((ids(&answer)[0], &answer["understood"]), (first, &Value::Null), "{question}");
    }
    // What several have, or another maker's name, is none; and what the request selects is kept to.
    for question in ["models+by+openai", "llama+3+70b+by+openai"] {
        let answer = bench.json(&format!("/v1/search?q={question}&type=MODEL")).await;
        assert_eq!(answer["understood"]["filters"]["vendor"], "OpenAI", "{question}");
    }
    let active = bench.json("/v1/search?q=quartz-2+by+borealis&type=MODEL&status=active").await;
    assert!(!ids(&active).contains(&"quartz-2"), "{active}");
}
