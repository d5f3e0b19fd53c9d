//! Numbers, prices and days in questions, and what a number that is not understood says. `docs/api.md#search`.

use super::questions::named;
use super::understanding::{asked, bench, ids, made_by};
use super::wording::{check, read};
use crate::common::{Bench, unlimited};
use refdesk_core::Usd;
use refdesk_core::item::{Limits, Model, Pricing};
use serde_json::{Value, json};

/// `context_tokens__gte` of some tokens.
fn context(tokens: &str) -> Value {
    json!({ "context_tokens__gte": tokens })
}

#[tokio::test]
async fn thousands_are_separated_by_commas_points_and_blanks() {
    check(
        &bench(),
        &[
            ("models with 64.000 tokens of context", context("64000")),
            ("models with at least 32,768 tokens", context("32768")),
            ("models with 32,768 tokens", context("32768")),
            ("models with 256 000 tokens of context", context("256000")),
            ("models with 256\u{a0}000 tokens of context", context("256000")),
            ("models with 2\u{202f}000\u{202f}000 context", context("2000000")),
            ("models with 2.000.000 context", context("2000000")),
            ("models with 0.5M context", context("500000")),
            ("models with 1.250M context", context("1250000")),
            ("models under $1.250 input", json!({"price_input__lte": "1.25"})),
            ("models under $1.234,50 input", json!({"price_input__lte": "1234.5"})),
            ("models with half a million tokens of context", context("500000")),
            ("models with two hundred thousand tokens of context", context("200000")),
        ],
    )
    .await;
}

#[tokio::test]
async fn comparisons_are_words_and_signs_before_or_behind_the_number() {
    let at_most = |tokens: &str| json!({ "context_tokens__lte": tokens });
    check(
        &bench(),
        &[
            ("models with context ≥ 64k", context("64000")),
            ("models with context ≥64k", context("64000")),
            ("models with context>=64k", context("64000")),
            ("models with context >64k", context("64001")),
            ("models with context ≤ 9000", at_most("9000")),
            ("models with context longer than 64k", context("64001")),
            ("models with a context bigger than 64k", context("64001")),
            ("models with fewer than 9000 tokens", at_most("8999")),
            ("models with 64k context or more", context("64000")),
            ("models with 9000 tokens or fewer of context", at_most("9000")),
            (
                "models with a context of at least 64k and at most 1M",
                json!({"context_tokens__gte": "64000", "context_tokens__lte": "1048576"}),
            ),
            (
                "models with at least 64k and at most 1M context",
                json!({"context_tokens__gte": "64000", "context_tokens__lte": "1048576"}),
            ),
        ],
    )
    .await;
    let answer = asked(&bench(), "models with at least 900k and at most 300k context").await;
    assert_eq!(answer["understood"]["filters"], json!({}));
    assert!(answer["warnings"].to_string().contains("contradict"), "{}", answer["warnings"]);
}

#[tokio::test]
async fn money_bounds_prices_and_is_the_most_unless_said_otherwise() {
    let output = |price: &str| json!({ "price_output__lte": price });
    let each = |input: &str, output: &str| json!({"price_input__lte": input, "price_output__lte": output});
    check(
        &bench(),
        &[
            ("models with a $2 output price", output("2")),
            ("models at $2 output", output("2")),
            ("models with $2 output or less", output("2")),
            ("models with $2 output or more", json!({"price_output__gte": "2"})),
            ("models for $2/1M out", output("2")),
            ("models for 0.3 USD per MTok in", json!({"price_input__lte": "0.3"})),
            ("models priced at 0.3 input", json!({"price_input__lte": "0.3"})),
            ("models whose input price is exactly $2", json!({"price_input__gte": "2", "price_input__lte": "2"})),
            ("models under $2 in and $6 out", each("2", "6")),
            ("models under $2 input, $6 output", each("2", "6")),
            ("models with input under $2 and output under $6", each("2", "6")),
            (
                "models with an output price of at least $2 and at most $6",
                json!({"price_output__gte": "2", "price_output__lte": "6"}),
            ),
            ("models under 6 dollars per 1 million output tokens", output("6")),
            ("Modelle unter 6 Dollar pro Million Ausgabetoken", output("6")),
            ("modelos por menos de 6 dólares por milhão de tokens de saída", output("6")),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_number_without_a_meaning_is_no_filter() {
    let bench = bench();
    for (question, warning) in [
        ("models with context in dollars under 7", "`under 7`"),
        ("embedding models with 3072 dimensions", "`3072 dimensions`"),
        ("embedding models with up to 2048 dimensions", "`up to 2048 dimensions`"),
        ("mcp servers with more than 12 tools", "`more than 12 tools`"),
        ("models for -2 dollars", "`-2 dollars`"),
        ("Acme models with over 70 benchmarks", "`over 70 benchmarks`"),
    ] {
        let warnings = asked(&bench, question).await["warnings"].to_string();
        assert!(warnings.contains(warning), "{question}: {warnings}");
    }
    let (filters, ..) = read(&bench, "models per million output").await;
    assert_eq!(filters, json!({}), "what a price is per bounds nothing");
    assert_eq!(read(&bench, "models with input 4 output 12").await.0, json!({}));
    // What may be a second bound of the same makes the first one doubtful.
    let answer = asked(&bench, "models under $2 sometimes $6").await;
    assert_eq!((&answer["understood"]["filters"], &answer["understood"]["kind"]), (&json!({}), &json!("MODEL")));
    assert!(
        answer["warnings"].to_string().contains("no part of the question is used as a filter"),
        "{}",
        answer["warnings"]
    );
}

#[tokio::test]
async fn a_model_that_is_named_gives_the_bound_and_is_not_among_the_hits() {
    let model = |name: &str, tokens: u64, price: &str| {
        let limits = Limits { context_tokens: Some(tokens), ..Limits::default() };
        let pricing = Pricing { input: Usd::parse(price), output: Usd::parse(price), ..Pricing::default() };
        made_by("Acme Labs", name, Model { limits, pricing: Some(pricing), ..Model::default() })
    };
    let bench =
        Bench::over(unlimited(), &[model("plover-2", 100, "1"), model("ibis-3.5", 200, "2"), model("egret", 300, "3")]);
    for (question, found) in [
        ("models cheaper than ibis-3.5", vec!["plover-2"]),
        ("which models are more expensive than ibis 3.5", vec!["egret"]),
        ("models with a bigger context than ibis 3.5", vec!["egret"]),
        ("models with a smaller context window than ibis-3.5", vec!["plover-2"]),
        ("models with a lower output price than egret", vec!["ibis-3.5", "plover-2"]),
    ] {
        let answer = asked(&bench, question).await;
        let mut ids = ids(&answer);
        ids.sort_unstable();
        assert_eq!(ids, found, "{question}: {}", answer["understood"]);
    }
    let filters = asked(&bench, "models with a bigger context than ibis-3.5").await["understood"]["filters"].take();
    assert_eq!(filters["context_tokens__gte"], "201");
    // Two names side by side are compared.
    let compared = asked(&bench, "is egret cheaper than ibis-3.5").await["understood"]["compared"].take();
    assert_eq!(compared, json!(["egret", "ibis-3.5"]));
}

#[tokio::test]
async fn periods_are_of_the_calendar_and_end_today() {
    let bench = bench();
    let day = |value: &Value| value.as_str().unwrap().to_owned();
    let (filters, ..) = read(&bench, "models released in the past year").await;
    let (first, today) = (day(&filters["released_on__gte"]), day(&filters["released_on__lte"]));
    assert_eq!((first[..4].parse::<i32>().unwrap() + 1, &first[4..8]), (today[..4].parse().unwrap(), &today[4..8]));
    let (half, ..) = read(&bench, "models released in the last 12 months").await;
    assert_eq!(half, filters, "twelve months are a year, whatever days they have");
    for question in ["models older than a year", "models more than 12 months old", "models older than 12 months"] {
        assert_eq!(read(&bench, question).await.0, json!({ "released_on__lte": first }), "{question}");
    }
    for question in ["models newer than 1 year", "models not older than 1 year", "models less than a year old"] {
        assert_eq!(read(&bench, question).await.0, json!({ "released_on__gte": first }), "{question}");
    }
    let released = |first: &str, last: &str| json!({"released_on__gte": first, "released_on__lte": last});
    check(
        &bench,
        &[
            ("models released in the second half of 2025", released("2025-07", "2025-12")),
            ("models released in the third quarter of 2025", released("2025-07", "2025-09")),
            ("models released in autumn 2025", released("2025-09", "2025-11")),
            ("models released in winter 2025", released("2025-12", "2026-02")),
            ("models released in early 2025", released("2025-01", "2025-04")),
            ("models released in mid-2025", released("2025-05", "2025-08")),
            ("2025 models", released("2025", "2025")),
            ("models released after june 2025 and before september 2025", released("2025-07-01", "2025-08-31")),
            ("models with a cutoff in or after 2025", json!({"knowledge_cutoff__gte": "2025"})),
            ("models released at the end of 2025", released("2025-12", "2025-12")),
            ("models with training data up to June 2025", json!({"knowledge_cutoff__gte": "2025-06"})),
            ("models whose knowledge ends before 2024", json!({"knowledge_cutoff__lte": "2023-12-31"})),
            ("models that know about 2025 events", json!({"knowledge_cutoff__gte": "2025"})),
            ("models trained on data until at least June 2025", json!({"knowledge_cutoff__gte": "2025-06"})),
            ("models still active", json!({"status": "active"})),
        ],
    )
    .await;
    // A season is one of three months, the last that has ended.
    let (filters, ..) = read(&bench, "models released last winter").await;
    let (first, last) = (day(&filters["released_on__gte"]), day(&filters["released_on__lte"]));
    assert_eq!((&first[4..], &last[4..]), ("-12", "-02"));
    assert!(last < today, "{last}");
    let (filters, ..) = read(&bench, "models retiring before the end of the year").await;
    assert_eq!(filters, json!({"retires_on__gte": today, "retires_on__lte": &today[..4]}));
    assert_eq!(read(&bench, "which models get retired next").await.0, json!({"retires_on__gte": today}));
    let (filters, ..) = read(&bench, "models retiring within 60 days").await;
    assert!(day(&filters["retires_on__gte"]) == today && day(&filters["retires_on__lte"]) > today, "{filters}");
    let (filters, ..) = read(&bench, "models released in the last half year").await;
    let (first, last) = (day(&filters["released_on__gte"]), day(&filters["released_on__lte"]));
    assert!(last == today && first < today, "{filters}");
    // What is still to come ends on a day, and has not happened yet.
    let (filters, ..) = read(&bench, "models retiring before March 2099").await;
    assert_eq!(filters, json!({"retires_on__gte": today, "retires_on__lte": "2099-02-28"}));
    assert_eq!(read(&bench, "models retired before 2024").await.0, json!({"retires_on__lte": "2023-12-31"}));
    for question in [
        "models that go away before March 2099",
        "models gone before March 2099",
        "models that stop working before March 2099",
    ] {
        let (filters, ..) = read(&bench, question).await;
        assert_eq!(filters["retires_on__lte"], "2099-02-28", "{question}: {filters}");
    }
    // Nothing came out in days to come: what happens then is not known, and not taken for that.
    for question in ["models that vanish before 2099", "models that vanish by 2099", "models in 2099"] {
        let answer = asked(&bench, question).await;
        assert_eq!(
            answer["understood"]["filters"].as_object().map_or(0, serde_json::Map::len),
            0,
            "{question}: {answer}"
        );
        assert!(answer["warnings"].to_string().contains("say what happens then"), "{question}: {}", answer["warnings"]);
    }
    let servers = asked(&bench, "servers published since march 2026").await;
    assert!(
        servers["warnings"].to_string().contains("MCP server lists cannot be filtered by that date"),
        "{}",
        servers["warnings"]
    );
}

#[tokio::test]
async fn a_verb_says_what_tokens_are_of() {
    check(
        &bench(),
        &[
            ("models that can write at least 16k tokens in one answer", json!({"output_tokens__gte": "16000"})),
            ("models that generate more than 8,000 tokens", json!({"output_tokens__gte": "8001"})),
            ("models that take 400 thousand tokens", context("400000")),
            ("models that accept at least 200k tokens", context("200000")),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_price_is_of_the_tokens_that_are_named_before_it_or_of_the_input_and_the_output() {
    let both = |input: &str, output: &str| json!({"price_input__lte": input, "price_output__lte": output});
    check(
        &bench(),
        &[
            ("models where 1000 output tokens cost less than one cent", json!({"price_output__lte": "10"})),
            ("models where a million input tokens cost at most $2", json!({"price_input__lte": "2"})),
            ("models priced at $3/$15", both("3", "15")),
            ("models under $0.25/$1.25", both("0.25", "1.25")),
            ("which models charge under a dollar per million input tokens", json!({"price_input__lte": "1"})),
        ],
    )
    .await;
}

#[tokio::test]
async fn the_price_of_a_batch_is_one_of_its_own() {
    let of_batch =
        |input: &str, output: &str| json!({"price_batch_input__lte": input, "price_batch_output__lte": output});
    check(
        &bench(),
        &[
            ("models with batch prices under $2", of_batch("2", "2")),
            ("batch pricing below $1 per million output tokens", json!({"price_batch_output__lte": "1"})),
            ("models with batch prices under $1 input and $2 output", of_batch("1", "2")),
            (
                "models with batch prices between $1 and $2",
                json!({"price_batch_input__gte": "1", "price_batch_input__lte": "2"}),
            ),
            ("batch price around $1", json!({"price_batch_input__gte": "0.8", "price_batch_input__lte": "1.2"})),
            ("models without batch prices over $1", of_batch("1", "1")),
            (
                "models with batch, costing below $1",
                json!({"price_input__lte": "1", "price_output__lte": "1", "capability": "batch"}),
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_price_per_what_is_no_token_is_no_filter_and_says_so() {
    for question in ["models under $2 per image", "models under $1 per 1k requests", "models below $20 a month"] {
        let answer = asked(&bench(), question).await;
        assert_eq!(answer["understood"]["filters"], json!({}), "{question}");
        let said = answer["warnings"][0].as_str().unwrap();
        assert!(said.ends_with("was not understood: prices are per tokens"), "{question}: {said}");
    }
}

#[tokio::test]
async fn a_negated_period_is_the_rest_of_all_days_where_a_filter_says_that() {
    let bench = bench();
    let since = |first: &str| json!({ "released_on__gte": first });
    check(
        &bench,
        &[
            ("models not released before 2024", since("2024")),
            ("models excluding those released before 2025", since("2025")),
            ("models not older than 2025", since("2025")),
            ("models released no later than 2025", json!({"released_on__lte": "2025"})),
            ("models without a knowledge cutoff before 2024", json!({"knowledge_cutoff__gte": "2024"})),
            ("models trained on data until mid 2025 or later", json!({"knowledge_cutoff__gte": "2025-05"})),
        ],
    )
    .await;
    for (question, told) in [
        ("models not released in 2025", "`not released in 2025` was not understood: no filter leaves out a period"),
        ("models released on 2026-02-31", "`2026-02-31` was not understood: there is no such day"),
    ] {
        assert_eq!(read(&bench, question).await.0, json!({}), "{question}");
        let warnings = asked(&bench, question).await["warnings"].take();
        assert!(warnings.as_array().unwrap().contains(&json!(told)), "{question}: {warnings}");
    }
}

#[tokio::test]
async fn a_version_that_no_model_of_a_line_has_is_said_to_be_unknown() {
    let bench = Bench::over(unlimited(), &["gpt-4o", "gpt-5", "gpt-5.1-mini"].map(named));
    for (query, version) in [
        ("gpt-9", Some("9")),
        ("gpt-9%20price", Some("9")),
        ("gpt%209%20price", Some("9")),
        ("gpt%201", Some("1")),
        ("gpt%2051%20price", None),
        ("GPT-5.2%20context%20window", Some("5.2")),
        ("gpt-5%20price", None),
        ("gpt-4%20price", None),
        ("gpt-5.1%20price", None),
        ("gpt-5.0", None),
        ("does%20gpt%203%20still%20exist", Some("3")),
        ("is%20gpt-5%20still%20available", None),
        ("claude-9%20price", None),
        ("gpt%209%20million%20context", None),
        ("gpt-9%20plugin%20for%20editors", None),
    ] {
        let found = bench.json(&format!("/v1/search?q={query}")).await;
        let told: Vec<&str> = found["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let unknown = version.map(|version| format!("no model of `gpt` has the version `{version}`"));
        let said = told.iter().find(|warning| warning.contains("has the version")).map(|said| (*said).to_owned());
        assert_eq!(said, unknown, "{query}: {told:?}");
    }
    let later = Bench::over(unlimited(), &["gpt-4.5-mini"].map(named));
    let found = later.json("/v1/search?q=gpt-4.0%20price").await;
    assert!(found["warnings"].to_string().contains("has the version `4.0`"), "4.5 is no 4.0: {found}");
}

/// What is found then is another version, however much its name is like the one that was typed.
#[tokio::test]
async fn an_unknown_version_of_a_variant_is_said_to_be_unknown_and_known_ones_are_suggested() {
    let of = |name: &str, family: &str| {
        made_by("Anthropic", name, Model { family: Some(family.to_owned()), ..Model::default() })
    };
    let models = [
        of("claude-opus-4-7", "claude-opus"),
        of("claude-opus-4-8", "claude-opus"),
        of("claude-haiku-4-9", "claude-haiku"),
        of("anthropic-claude-opus-3", "claude-opus"),
    ];
    let bench = Bench::over(unlimited(), &models);
    for query in
        ["claude-opus-4.9", "claude-opus-4-9", "claude%20opus%204.9", "Claude%204.9%20Opus", "claude-opus-4.9%20price"]
    {
        let found = bench.json(&format!("/v1/search?q={query}")).await;
        let told = json!("no model of `claude opus` has the version `4.9`");
        assert!(found["warnings"].as_array().unwrap().contains(&told), "{query}: {}", found["warnings"]);
        let suggested = found["suggestions"].as_array().unwrap();
        let is_offered = |id: &str| found["results"][0]["id"] == id || suggested.contains(&json!(id));
        assert!(!suggested.is_empty() && is_offered("claude-opus-4-7") && is_offered("claude-opus-4-8"), "{found}");
    }
    for query in [
        "claude-opus-4.8",
        "claude%20opus%204.8%20price",
        "claude%20opus%204",
        "claude%20haiku%204.9",
        "claude%20opus%203",
        "claude%20sonnet%204.9",
        "claude%20opus%209%20plugin",
    ] {
        let found = bench.json(&format!("/v1/search?q={query}")).await;
        assert!(!found["warnings"].to_string().contains("has the version"), "{query}: {}", found["warnings"]);
    }
}

#[tokio::test]
async fn versions_of_lines_are_compared() {
    let bench = Bench::over(unlimited(), &["gpt-9-mini", "llama-3.3-70b", "qwen3-max"].map(named));
    for (question, compared) in [
        ("gpt 9 vs llama 3.3", json!(["gpt 9", "llama 3.3"])),
        ("gpt-9 or qwen3 max for coding", json!(["gpt-9", "qwen3 max"])),
        ("gpt 9 vs llama 7", Value::Null),
    ] {
        assert_eq!(asked(&bench, question).await["understood"]["compared"], compared, "{question}");
    }
}
