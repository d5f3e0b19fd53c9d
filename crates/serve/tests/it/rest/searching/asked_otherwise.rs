//! Verbs of an order, values behind the kind or a comma, languages of texts, and kinds at the end of what shall be done.
//! `docs/api.md#search`.

use super::reading::understanding::{asked, bench, ids, made_by};
use super::reading::wording::{check, read};
use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Document, Item, Model, Tool};
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
