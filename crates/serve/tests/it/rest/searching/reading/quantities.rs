//! Quantities as people say them: numbers in words, prices of nothing, who sells, what is near a number, what is unknown. `docs/api.md#search`.

use super::understanding::{asked, bench, ids, made_by};
use super::wording::{check, read};
use crate::common::{Bench, unlimited};
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Limits, Model};
use serde_json::{Value, json};

fn input(price: &str) -> Value {
    json!({ "price_input__lte": price })
}

fn each(price: &str) -> Value {
    json!({"price_input__lte": price, "price_output__lte": price})
}

fn context(tokens: &str) -> Value {
    json!({ "context_tokens__gte": tokens })
}

#[tokio::test]
async fn numbers_are_said_in_words() {
    check(
        &bench(),
        &[
            ("models under seven dollars output", json!({"price_output__lte": "7"})),
            ("models under fifteen dollars per million output tokens", json!({"price_output__lte": "15"})),
            ("models below thirty cents", each("0.3")),
            ("models under twenty-five cents input", input("0.25")),
            ("models under one dollar fifty per million input", input("1.5")),
            ("models under two dollars and twenty cents input", input("2.2")),
            ("models for one and a half dollars input or less", input("1.5")),
            ("models with seven hundred thousand tokens of context", context("700000")),
            ("models with two hundred and fifty thousand tokens of context", context("250000")),
            ("models with three quarters of a million tokens of context", context("750000")),
            ("models with a quarter million tokens of context", context("250000")),
            ("models with 1 mil context", context("1000000")),
            (
                "models with between one and two million tokens of context",
                json!({"context_tokens__gte": "1000000", "context_tokens__lte": "2000000"}),
            ),
            (
                "models between one dollar and five per million input tokens",
                json!({"price_input__gte": "1", "price_input__lte": "5"}),
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn bounds_are_said_in_many_ways_and_verbs_turn_them() {
    check(
        &bench(),
        &[
            ("sub-$1 models", each("1")),
            ("models north of 500k context", context("500001")),
            ("64k+ ctx models", context("64000")),
            ("models w/ 64k ctx window or more", context("64000")),
            ("models that reach 1M context", context("1000000")),
            ("models with 64k or more output tokens", json!({"output_tokens__gte": "64000"})),
            ("models with an output limit of 65536 or higher", json!({"output_tokens__gte": "65536"})),
            ("models with max output tokens above 60000", json!({"output_tokens__gte": "60001"})),
            ("models that generate at least 100k tokens of output", json!({"output_tokens__gte": "100000"})),
            ("models with 64k max output", json!({"output_tokens__gte": "64000"})),
            // What a model can do up to is its limit, which a number of the question bounds from above.
            ("models that output up to 64k tokens", json!({"output_tokens__gte": "64000"})),
            ("models supporting up to 64k tokens", context("64000")),
            ("models with up to 8k context", json!({"context_tokens__lte": "8192"})),
            (
                "models with output prices in the range 2 to 6 dollars",
                json!({"price_output__gte": "2", "price_output__lte": "6"}),
            ),
            ("models that ingest 1M tokens", context("1000000")),
            ("paid models", json!({"price_input__gte": "0.000001"})),
            ("models that don't cost more than $2 per million output tokens", json!({"price_output__lte": "2"})),
            ("models whose output price does not exceed $8", json!({"price_output__lte": "8"})),
            ("models that cannot cost more than $2 output", json!({"price_output__lte": "2"})),
            ("models that can't exceed $8 output", json!({"price_output__lte": "8"})),
            ("models that aren't over $5 output", json!({"price_output__lte": "5"})),
            ("models with input under 2 dollars a model", json!({"price_input__lte": "2"})),
            ("models with input from 10 to 50 cents", json!({"price_input__gte": "0.1", "price_input__lte": "0.5"})),
            ("models for 1-2 dollars input", json!({"price_input__gte": "1", "price_input__lte": "2"})),
            ("in: max $1, out: max $5 models", json!({"price_input__lte": "1", "price_output__lte": "5"})),
            (
                "input <$1, output <$4, ctx >=64k",
                json!({"price_input__lte": "1", "price_output__lte": "4", "context_tokens__gte": "64000"}),
            ),
            ("models for $0.000002 per token", each("2")),
            ("models for $3 per token", each("3")),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_number_beyond_all_sense_is_no_failure() {
    let bench = bench();
    let most = "79228162514264337593543950335";
    for question in [
        format!("models under {most} and a half dollars"),
        format!("models under {most} dollars fifty"),
        format!("models around {most} tokens of context"),
        format!("models from {most} sellers"),
    ] {
        let filters = read(&bench, &question).await.0.to_string();
        assert!(!filters.contains(most), "{question}: {filters}");
    }
}

#[tokio::test]
async fn what_is_near_a_number_is_within_a_fifth_of_it() {
    check(
        &bench(),
        &[
            (
                "models with about 200k context",
                json!({"context_tokens__gte": "160000", "context_tokens__lte": "240000"}),
            ),
            ("models around $1 input", json!({"price_input__gte": "0.8", "price_input__lte": "1.2"})),
            ("models for ~$5 output", json!({"price_output__gte": "4", "price_output__lte": "6"})),
        ],
    )
    .await;
    let (filters, ..) = read(&bench(), "models about physics").await;
    assert_eq!(filters, json!({}));
}

/// What a model that costs nothing has: what bills by the picture or the query has no price of tokens either.
fn free() -> Value {
    let mut filters = each("0");
    filters["output_modalities__not"] = json!("audio,image,video");
    filters["model_mode__not"] =
        json!("audio,embedding,image,moderation,ocr,realtime,rerank,search,vector_store,video");
    filters
}

#[tokio::test]
async fn what_costs_nothing_is_free_of_that_price() {
    check(
        &bench(),
        &[
            ("models with zero input price", input("0")),
            ("models with free input", input("0")),
            ("models that cost nothing for input", input("0")),
            ("models whose output tokens are free", json!({"price_output__lte": "0"})),
            ("models that cost nothing", free()),
            ("models at no cost", free()),
        ],
    )
    .await;
    for question in
        ["models with no cost tracking", "models with a free tier", "free input validation library", "zero shot models"]
    {
        let filters = asked(&bench(), question).await["understood"]["filters"].take();
        assert!(filters.get("price_input__lte").is_none(), "{question}: {filters}");
    }
}

/// A model of 9,000 tokens that its maker tells of and so many sell.
pub fn sold_by(name: &str, sellers: usize) -> Vec<StoredFact> {
    let limits = Limits { context_tokens: Some(9_000), ..Limits::default() };
    let model = Model { limits, ..Model::default() };
    let sold = |seller: usize| {
        let mut stored = made_by("Acme Labs", name, Model::default());
        stored.identity.provider = Some(format!("seller-{seller}"));
        stored.source_id = format!("source-{seller}").into();
        stored
    };
    std::iter::once(made_by("Acme Labs", name, model)).chain((0..sellers).map(sold)).collect()
}

#[tokio::test]
async fn sellers_are_counted() {
    let facts = [sold_by("ibis", 1), sold_by("egret", 2), sold_by("heron", 3)].concat();
    let bench = Bench::over(unlimited(), &facts);
    for (question, found) in [
        ("models sold by at least two sellers", vec!["heron", "egret"]),
        ("models with more than 2 providers", vec!["heron"]),
        ("models available from 2 or more sellers", vec!["heron", "egret"]),
        ("models from multiple providers", vec!["heron", "egret"]),
        ("models only sold by one provider", vec!["ibis"]),
        ("models not sold by more than two sellers", vec!["egret", "ibis"]),
        ("models not available from multiple providers", vec!["ibis"]),
        ("most widely available models", vec!["heron", "egret", "ibis"]),
        ("popular models", vec!["heron", "egret", "ibis"]),
    ] {
        let answer = asked(&bench, question).await;
        assert_eq!(ids(&answer), found, "{question}: {}", answer["understood"]);
    }
    let listed = bench.json("/v1/models/list?offers__gte=2&offers__lte=2").await;
    assert_eq!((&listed["total"], &listed["models"][0]["id"]), (&json!(1), &json!("egret")));
    let (filters, ..) = read(&bench, "mcp server for 5 providers").await;
    assert_eq!(filters, json!({}), "only models are sold");
}

#[tokio::test]
async fn what_nobody_states_is_asked_for_as_unknown() {
    let is_null = |field: &str, value: &str| json!({ format!("{field}__isnull"): value });
    check(
        &bench(),
        &[
            ("models with knowledge cutoff unknown", is_null("knowledge_cutoff", "true")),
            ("models with unknown price", is_null("price_input", "true")),
            ("models without a known price", is_null("price_input", "true")),
            ("models with a known context window", is_null("context_tokens", "false")),
            ("models whose license is not stated", is_null("license", "true")),
        ],
    )
    .await;
}

#[tokio::test]
async fn facts_are_fresh_where_the_question_says_so() {
    let fresh = || json!({"vendor": "Acme Labs", "fresh_only": "true"});
    check(
        &bench(),
        &[
            ("only fresh models from Acme Labs", fresh()),
            ("models from Acme Labs without stale facts", fresh()),
            ("Acme Labs models, no stale ones", fresh()),
        ],
    )
    .await;
}

#[tokio::test]
async fn orders_say_their_direction_and_their_count_behind() {
    let bench = bench();
    for (question, sort) in [
        ("reasoning models cheapest first", "price_blended,-offers"),
        ("vision models, newest first", "-released_on"),
        ("latest 2 models from Acme Labs", "-released_on"),
        ("models from cheapest to most expensive", "price_blended,-offers"),
        ("list models by price, highest first", "-price_blended,-offers"),
        ("rank Acme models by context", "-context_tokens,-offers"),
        ("order models by release date, oldest first", "released_on"),
        ("price of output lowest, models", "price_output,-offers"),
        ("cheapest model for 1M tokens of output", "price_output,-offers"),
        ("models as cheap as possible", "price_blended,-offers"),
        ("models with as much context as possible", "-context_tokens,-offers"),
        ("cheap vision models", "price_blended,-offers"),
        ("long context models", "-context_tokens,-offers"),
    ] {
        let (_, order, rest) = read(&bench, question).await;
        assert_eq!((order, rest), (json!(sort), json!("")), "{question}");
    }
    for question in ["models that are not expensive", "not too expensive models", "models that are not cheap"] {
        let (_, order, _) = read(&bench, question).await;
        assert_eq!(order, Value::Null, "{question}");
    }
    // What the model is for decides, and not that it is cheap.
    let (_, order, rest) = read(&bench, "cheap models for falconry").await;
    assert_eq!((order, rest), (Value::Null, json!("cheap for falconry")));
}

#[tokio::test]
async fn words_that_nothing_has_leave_a_list_in_its_natural_order() {
    let bench = Bench::over(unlimited(), &[sold_by("auk", 0), sold_by("wren", 2)].concat());
    let answer = asked(&bench, "models with 9k context unquestionably").await;
    assert_eq!(ids(&answer), ["wren", "auk"], "{answer}");
    assert_eq!(answer["understood"]["sort"], "-offers");
}

#[tokio::test]
async fn a_chat_model_answers_in_text() {
    let (filters, ..) = read(&bench(), "smallest context window chat model").await;
    assert_eq!(filters["output_modalities__not"], "audio,image,video");
}

#[tokio::test]
async fn what_gives_text_is_asked_for_with_a_verb() {
    check(
        &bench(),
        &[
            ("models that output text", json!({"output_modalities": "text"})),
            (
                "models which take images and return text under $1 input",
                json!({"input_modalities": "image", "output_modalities": "text", "price_input__lte": "1"}),
            ),
            (
                "models that read images and write text with at least 200k context",
                json!({"input_modalities": "image", "output_modalities": "text", "context_tokens__gte": "200000"}),
            ),
            ("audio input models that output text", json!({"input_modalities": "audio", "output_modalities": "text"})),
        ],
    )
    .await;
    let (filters, ..) = read(&bench(), "models that write image captions").await;
    assert_eq!(filters, json!({}), "what is written is text");
    let (filters, ..) = read(&bench(), "models that generate text summaries").await;
    assert_eq!(filters, json!({}), "the summaries are what they give");
    let (filters, ..) = read(&bench(), "models that do not output text").await;
    assert_eq!(filters, json!({}), "most that give something else give it, too");
}

#[tokio::test]
async fn a_model_that_is_open_has_nothing_left_of_its_weights_or_source() {
    let open = || json!({"open_weights": "true"});
    check(&bench(), &[("models that are open weights", open()), ("models that are open source", open())]).await;
    // Only models have weights.
    check(
        &bench(),
        &[
            ("open weights", open()),
            ("open weights not from Acme Labs", json!({"open_weights": "true", "vendor__not": "Acme Labs"})),
            ("open weights with vision", json!({"open_weights": "true", "input_modalities": "image"})),
        ],
    )
    .await;
    assert_eq!(asked(&bench(), "what are open weights").await["understood"]["kind"], "DOC");
    let (_, order, rest) = read(&bench(), "newest model that is open weights and under $1").await;
    assert_eq!((order, rest), (json!("-released_on"), json!("")));
}

#[tokio::test]
async fn what_negates_a_limit_turns_it_whatever_the_word_is() {
    let bench = bench();
    let at_most = |tokens: &str| json!({ "context_tokens__lte": tokens });
    check(
        &bench,
        &[
            ("models without prices over $1", each("1")),
            ("models excluding anything over $5", each("5")),
            ("exclude models over $5", each("5")),
            ("models, nothing over $5", each("5")),
            ("i don't want models over $5", each("5")),
            ("models priced not to exceed $5", each("5")),
            ("skip models under 32k context", context("32000")),
            ("models except those under $1", json!({"price_input__gte": "1"})),
            // As with `up to 200k`, what is of powers of two is meant as well.
            ("models without context over 200k", at_most("204800")),
            ("models without 1M context", at_most("999999")),
        ],
    )
    .await;
    let open = [
        "models that do not need 1M context",
        "models not between $1 and $3",
        "models with 128,000 or 200,000 context",
    ];
    for question in open {
        let (filters, ..) = read(&bench, question).await;
        assert_eq!(filters, json!({}), "{question}: what is wanted is left open");
    }
}

#[tokio::test]
async fn who_says_what_to_do_without_gets_the_others() {
    let but = |vendor: &str| json!({ "vendor__not": vendor });
    check(
        &bench(),
        &[
            ("avoid Acme models", but("Acme Labs")),
            ("models ignoring Acme", but("Acme Labs")),
            ("i don't want Borealis models", but("Borealis")),
            ("don't show me models from Borealis", but("Borealis")),
            ("hide deprecated models", json!({"status__not": "deprecated,retired"})),
            ("everything except Acme models", but("Acme Labs")),
            ("mcp servers without a key", json!({"auth": "none"})),
            ("tools that are not mcp clients", json!({"mcp_client": "false"})),
            ("tutorials in german or french", json!({"language": "de,fr"})),
        ],
    )
    .await;
    let (filters, _, rest) = read(&bench(), "mcp server to avoid conflicts").await;
    assert_eq!((filters, rest), (json!({}), json!("avoid conflicts")), "what it is for is not left out");
}

#[tokio::test]
async fn of_equally_long_contexts_the_cheaper_comes_first() {
    for question in ["cheap model with a large context", "long context models, cheap please"] {
        let answer = asked(&bench(), question).await;
        let read = (&answer["understood"]["sort"], ids(&answer));
        assert_eq!(
            read,
            (&json!("-context_tokens,price_blended,-offers"), vec!["sparrow", "heron", "falcon"]),
            "{question}"
        );
    }
    // What else is left is what the models are for.
    assert_eq!(read(&bench(), "cheap model with a large context for law").await.1, Value::Null);
}

/// What stood behind the preposition of `a budget of $2` only described it, the question behind it, too.
#[tokio::test]
async fn which_asks_for_a_kind_whatever_was_said_before() {
    let bench = bench();
    for question in [
        "I have a budget of $2 per million tokens, which model should I use",
        "given a budget of $2 per million tokens, which models have vision",
        "with a budget of $2, which model should I use",
    ] {
        let understood = asked(&bench, question).await["understood"].take();
        let read = (&understood["kind"], &understood["filters"]["price_input__lte"]);
        assert_eq!(read, (&json!("MODEL"), &json!("2")), "{question}");
    }
}
