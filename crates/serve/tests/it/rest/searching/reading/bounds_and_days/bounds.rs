//! Limits behind a negated verb, which are never their opposite, and none at all. `docs/api.md#search`.

use crate::rest::searching::reading::understanding::{asked, bench};
use crate::rest::searching::reading::wording::{check, read};
use serde_json::{Value, json};

fn input(price: &str) -> Value {
    json!({ "price_input__lte": price })
}

fn output(price: &str) -> Value {
    json!({ "price_output__lte": price })
}

/// A limit of models that see images.
fn of_vision(mut limit: Value) -> Value {
    limit["input_modalities"] = json!("image");
    limit
}

#[tokio::test]
async fn a_negated_verb_turns_the_comparison_behind_it_whatever_stands_between() {
    let context = |tokens: &str| json!({ "context_tokens__lte": tokens });
    check(
        &bench(),
        &[
            ("vision models, I can't pay more than $2 per million input", of_vision(input("2"))),
            ("vision models, I don't want to pay more than $1 per million output", of_vision(output("1"))),
            ("won't spend over $3 on output, need vision model", of_vision(output("3"))),
            ("models that shouldn't exceed $2 output", output("2")),
            ("models that couldn’t cost more than $2 output", output("2")),
            ("models that won't run me more than $1 per million output", output("1")),
            ("we cannot go above $2 per 1M output; which models do vision", of_vision(output("2"))),
            ("vision models, I refuse to pay more than $2 for output", of_vision(output("2"))),
            ("vision models, we are not willing to spend more than $2 on input", of_vision(input("2"))),
            ("I never pay over $3 output, vision models", of_vision(output("3"))),
            ("models that never go below $5 output", json!({"price_output__gte": "5"})),
            // As with `up to 32k`, what is of powers of two is meant as well.
            ("models that can't handle more than 32k context", context("32768")),
            ("models that can't work with more than 32k context", context("32768")),
            ("models that can't handle 1M context", context("999999")),
            ("modelos de visión, no quiero pagar más de 2 dólares input", of_vision(input("2"))),
            ("je ne veux pas payer plus de 2 dollars", json!({"price_input__lte": "2", "price_output__lte": "2"})),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_is_not_needed_or_is_not_of_the_number_leaves_the_limit_as_it_is() {
    let context = |tokens: &str| json!({ "context_tokens__gte": tokens });
    check(
        &bench(),
        &[
            ("models, I don't need more than 32k context", context("32000")),
            (
                "models not from Acme over 100k context",
                json!({"context_tokens__gte": "100001", "vendor__not": "Acme Labs"}),
            ),
            (
                "models that don't reason with more than 100k context",
                json!({"context_tokens__gte": "100001", "capability": "!reasoning"}),
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_limit_behind_another_negated_verb_is_no_filter_and_a_warning_says_so() {
    for (question, unread) in [
        ("vision models that don't hallucinate over 100k context", "don't hallucinate over 100k context"),
        ("vision models, I'm not comfortable paying over $5", "not comfortable paying over $5"),
    ] {
        let answer = asked(&bench(), question).await;
        let filters = &answer["understood"]["filters"];
        assert_eq!(filters["input_modalities"], "image", "{question}: {filters}");
        let is_limit = |name: &String| name.starts_with("context_") || name.starts_with("price_");
        assert!(!filters.as_object().unwrap().keys().any(is_limit), "{question}: {filters}");
        let told = format!("`{unread}` was not understood: say `at most` or `at least` in front of the number");
        assert!(answer["warnings"].as_array().unwrap().contains(&json!(told)), "{question}: {}", answer["warnings"]);
    }
}

#[tokio::test]
async fn exactly_stands_behind_the_number_as_well() {
    let exact = json!({"context_tokens__gte": "128000", "context_tokens__lte": "128000"});
    check(&bench(), &[("models with 128,000 context exactly", exact)]).await;
}

#[tokio::test]
async fn none_is_a_number_of_sellers() {
    let none = || json!({"offers__lte": "0"});
    check(&bench(), &[("models with no sellers", none()), ("models with zero sellers", none())]).await;
    let (filters, ..) = read(&bench(), "models with no provider lockdown").await;
    assert_eq!(filters["offers__lte"], Value::Null, "{filters}");
}
