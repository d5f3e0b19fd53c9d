//! Sums of money: what compares them, whose price they are, ranges of them, what they are per, how they are written. `docs/api.md#search`.

use crate::rest::searching::reading::understanding::{asked, bench};
use crate::rest::searching::reading::wording::check;
use serde_json::{Value, json};

fn each(input: &str, output: &str) -> Value {
    json!({"price_input__lte": input, "price_output__lte": output})
}

fn output(price: &str) -> Value {
    json!({ "price_output__lte": price })
}

fn output_range(least: &str, most: &str) -> Value {
    json!({"price_output__gte": least, "price_output__lte": most})
}

fn at_least(price: &str) -> Value {
    json!({ "price_input__gte": price })
}

#[tokio::test]
async fn what_compares_with_a_named_model_compares_with_a_sum_as_well() {
    check(
        &bench(),
        &[
            ("models more expensive than $20", at_least("20")),
            ("models steeper than $20", at_least("20")),
            ("models at least as expensive as $10", at_least("10")),
            ("models higher in price than $20", at_least("20")),
            ("models with a price superior to $20", at_least("20")),
            ("models pricier than $20 per million output", json!({"price_output__gte": "20"})),
            ("models with a higher output price than $20", json!({"price_output__gte": "20"})),
            ("models surpassing $30 output", json!({"price_output__gte": "30"})),
            ("models no more expensive than $5", each("5", "5")),
            ("models with a longer context than 64k", json!({"context_tokens__gte": "64001"})),
            ("Modelle teurer als 20 Dollar", at_least("20")),
            ("modelos más caros que 20 dólares", at_least("20")),
            ("modelos con precio mayor a 20 dólares", at_least("20")),
            ("модели дороже 20 долларов", at_least("20")),
            ("输出价格贵于20美元的模型", json!({"price_output__gte": "20"})),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_sum_behind_words_that_may_compare_is_no_upper_bound_and_a_warning_says_so() {
    for (question, unread) in [
        ("output price tops $50 models", "output price tops $50"),
        ("models topping $50 per million output", "topping $50 per million output"),
        ("models that outstrip $50", "outstrip $50"),
    ] {
        let answer = asked(&bench(), question).await;
        assert_eq!(answer["understood"]["filters"], json!({}), "{question}");
        let told = format!("`{unread}` was not understood: say `at most` or `at least` in front of the number");
        assert!(answer["warnings"].as_array().unwrap().contains(&json!(told)), "{question}: {}", answer["warnings"]);
    }
    let of_vision = json!({"price_input__lte": "1", "price_output__lte": "1", "input_modalities": "image"});
    check(&bench(), &[("vision $1 models", of_vision), ("models charging $5 output", output("5"))]).await;
}

#[tokio::test]
async fn a_price_is_of_the_word_in_front_of_it_where_each_has_one() {
    check(
        &bench(),
        &[
            ("in < $1 out < $4", each("1", "4")),
            ("models in under $1 out under $4", each("1", "4")),
            ("in max $1 out max $4 models", each("1", "4")),
            ("input ≤ $1 output ≤ $4", each("1", "4")),
            ("models with input under $1 output under $4", each("1", "4")),
            ("input price above $3 output below $20", json!({"price_input__gte": "3", "price_output__lte": "20"})),
            (
                "models with output price over $20 input price under $5",
                json!({"price_output__gte": "20", "price_input__lte": "5"}),
            ),
            // Where none is in front, they are behind.
            ("models with $1 in $5 out", each("1", "5")),
            ("models under $1 input under $4 output", each("1", "4")),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_range_has_the_price_that_is_named_behind_it() {
    check(
        &bench(),
        &[
            ("models from $1 up to $5 output", output_range("1", "5")),
            ("models with prices from $1 upto $5 output", output_range("1", "5")),
            ("models for $1 to $2 output", output_range("1", "2")),
            ("models priced at $1 to $2 output", output_range("1", "2")),
            ("models at least $1 up to $5 output", output_range("1", "5")),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_price_per_any_number_of_tokens_is_the_price_per_million() {
    check(
        &bench(),
        &[
            ("models under $10 per 5 million output tokens", output("2")),
            ("models under $30 per ten million output tokens", output("3")),
            ("models under $20 per billion tokens", each("0.02", "0.02")),
            ("models under $1 per two million tokens", each("0.5", "0.5")),
            ("models under $1 per 250k input tokens", json!({"price_input__lte": "4"})),
        ],
    )
    .await;
    let answer = asked(&bench(), "models under $3 per two tokens").await;
    assert_eq!(answer["understood"]["filters"], json!({}));
    assert_eq!(answer["warnings"][0], "`$3` was not understood: prices are per tokens");
}

#[tokio::test]
async fn an_equals_sign_bounds_on_both_sides() {
    let context = |least: &str, most: &str| json!({"context_tokens__gte": least, "context_tokens__lte": most});
    check(
        &bench(),
        &[
            ("models with context_tokens = 128000", context("128000", "128000")),
            // As with `exactly`, what is of powers of two is meant as well.
            ("models with context == 1m", context("1000000", "1048576")),
            ("models with input price = $3", json!({"price_input__gte": "3", "price_input__lte": "3"})),
            ("models with context = at least 64k", json!({"context_tokens__gte": "64000"})),
            ("models with context=64k", context("64000", "65536")),
            ("context=64k models", context("64000", "65536")),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_a_number_hangs_on_is_the_name_of_its_measure() {
    let written = |tokens: &str| json!({ "output_tokens__gte": tokens });
    check(
        &bench(),
        &[
            ("ctx:64k models", json!({"context_tokens__gte": "64000"})),
            ("models in:$1 out:$4", each("1", "4")),
            ("models input:$1 output:$4", each("1", "4")),
            ("models input < $1, output < $4", each("1", "4")),
            ("models with output_price<=2", output("2")),
            ("max_output>=64k models", written("64000")),
            ("models with max_output_tokens >= 64k", written("64000")),
            ("models with output limits above 32k", written("32001")),
            ("models with output token limits above 32k", written("32001")),
        ],
    )
    .await;
    // Neither an address nor the version of a name has a measure in front of it.
    for question in ["mcp server at localhost:8080", "llama3.1:8b"] {
        assert_ne!(
            asked(&bench(), question).await["understood"]["filters"]["context_tokens__gte"],
            "8080",
            "{question}"
        );
    }
}

#[tokio::test]
async fn a_sum_may_be_of_both_prices() {
    let range = json!({
        "price_input__gte": "1", "price_input__lte": "3", "price_output__gte": "1", "price_output__lte": "3"
    });
    check(
        &bench(),
        &[
            ("models under $1 in and out", each("1", "1")),
            ("models under $2 per million input and output tokens", each("2", "2")),
            ("models with input and output under $2", each("2", "2")),
            ("models where input and output cost less than $2", each("2", "2")),
            ("models with input/output prices under $2", each("2", "2")),
            ("models with input and output prices between $1 and $3", range),
            ("models over $3 input and output", json!({"price_input__gte": "3", "price_output__gte": "3"})),
            // Each has a number of its own.
            ("models under $3 in and $15 out", each("3", "15")),
            ("models under $3 input and output under $15", each("3", "15")),
            (
                "models under $2 input and output over 8k tokens",
                json!({"price_input__lte": "2", "output_tokens__gte": "8001"}),
            ),
            ("models under $3 in output", output("3")),
            ("models over $3 in output", json!({"price_output__gte": "3"})),
        ],
    )
    .await;
}

#[tokio::test]
async fn dollars_are_written_with_their_country_and_their_code() {
    check(
        &bench(),
        &[
            ("models under US$3 output", output("3")),
            ("models under 3USD output", output("3")),
            ("models under $3USD output", output("3")),
            ("models under 3USD/M output", output("3")),
            ("models under 3 US dollars output", output("3")),
            (
                "models with 1m input and 64k output",
                json!({"context_tokens__gte": "1000000", "output_tokens__gte": "64000"}),
            ),
        ],
    )
    .await;
}
