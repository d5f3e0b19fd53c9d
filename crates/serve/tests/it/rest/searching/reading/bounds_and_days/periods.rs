//! Periods beside the word for the kind, in digits, and of another day than that of release. `docs/api.md#search`.

use crate::rest::searching::reading::understanding::{asked, bench};
use crate::rest::searching::reading::wording::{check, read};
use serde_json::{Value, json};

fn released(first: &str, last: &str) -> Value {
    json!({"released_on__gte": first, "released_on__lte": last})
}

/// What was released in a period, with another filter.
fn released_and(first: &str, last: &str, field: &str, value: &str) -> Value {
    let mut filters = released(first, last);
    filters[field] = json!(value);
    filters
}

#[tokio::test]
async fn a_period_in_front_of_the_kind_is_read_whole() {
    check(
        &bench(),
        &[
            ("march 2025 models", released("2025-03", "2025-03")),
            ("summer 2025 models", released("2025-06", "2025-08")),
            ("fall of 2025 models", released("2025-09", "2025-11")),
            ("q1 2026 models with vision", released_and("2026-01", "2026-03", "input_modalities", "image")),
            ("early 2026 models", released("2026-01", "2026-04")),
            ("first half of 2026 models", released("2026-01", "2026-06")),
            ("H2 2025 model releases", released("2025-07", "2025-12")),
            ("end of 2025 models", released("2025-12", "2025-12")),
            ("last month's models", released("2026-08", "2026-08")),
            ("march 2025 tutorials", json!({"published_on__gte": "2025-03", "published_on__lte": "2025-03"})),
        ],
    )
    .await;
    // What has not begun yet released nothing, and its year is not what is asked for.
    let (filters, _, rest) = read(&bench(), "december 2026 models").await;
    assert_eq!((filters, rest), (json!({}), json!("december 2026")));
}

#[tokio::test]
async fn values_may_stand_between_a_period_and_the_kind() {
    let of_acme = |first: &str, last: &str| released_and(first, last, "vendor", "Acme Labs");
    check(
        &bench(),
        &[
            ("2025 Acme models", of_acme("2025", "2025")),
            ("Q2 2025 Acme models", of_acme("2025-04", "2025-06")),
            ("last year's Acme models", of_acme("2025", "2025")),
            ("this year's vision models", released_and("2026", "2026", "input_modalities", "image")),
            ("2025 reasoning models", released_and("2025", "2025", "capability", "reasoning")),
            ("2025年のAcmeモデル", of_acme("2025", "2025")),
            ("Modelle von 2025 mit Vision", released_and("2025", "2025", "input_modalities", "image")),
            ("Acme models 2024-2025", of_acme("2024", "2025")),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_year_that_is_left_out_is_not_asked_for() {
    let answer = asked(&bench(), "excluding 2023 models").await;
    assert_eq!(answer["understood"]["filters"]["released_on__gte"], Value::Null);
    let told = "`excluding 2023` was not understood: no filter leaves out a period";
    assert!(answer["warnings"].as_array().unwrap().contains(&json!(told)), "{}", answer["warnings"]);
}

#[tokio::test]
async fn no_earlier_than_is_said_of_what_stands_in_front() {
    check(
        &bench(),
        &[
            ("models with a knowledge cutoff no earlier than june 2025", json!({"knowledge_cutoff__gte": "2025-06"})),
            ("models with a cutoff no later than 2023", json!({"knowledge_cutoff__lte": "2023"})),
            ("models with a cutoff not older than 2025", json!({"knowledge_cutoff__gte": "2025"})),
            ("retirement date no later than june 2026", json!({"retires_on__lte": "2026-06"})),
            ("models retired not before 2026", json!({"retires_on__gte": "2026"})),
            ("models released not after june 2025", json!({"released_on__lte": "2025-06"})),
            ("models not before 2025", json!({"released_on__gte": "2025"})),
            ("models released prior to 2025", json!({"released_on__lte": "2024-12-31"})),
        ],
    )
    .await;
    // Those that stay until then, and not those that go.
    let (filters, ..) = read(&bench(), "which models don't get retired before 2027").await;
    assert_eq!(filters["retires_on__gte"], "2027");
}

#[tokio::test]
async fn days_are_written_as_in_other_countries() {
    check(
        &bench(),
        &[
            ("models released on 07.08.2025", released("2025-08-07", "2025-08-07")),
            ("Modelle seit dem 1.7.2026", json!({"released_on__gte": "2026-07-01"})),
            ("models released in 07/2026", released("2026-07", "2026-07")),
            ("models released after 31/12/2025", json!({"released_on__gte": "2026-01-01"})),
            ("models released after 12/31/2025", json!({"released_on__gte": "2026-01-01"})),
            ("models released less than 5 months ago", json!({"released_on__gte": "2026-04-21"})),
            ("models released over a year ago", json!({"released_on__lte": "2025-09-21"})),
        ],
    )
    .await;
    let answer = asked(&bench(), "models released after 07/08/2025").await;
    let told = "`07/08/2025` was not understood: it may be of two months; say `2026-05-31`";
    assert!(answer["warnings"].as_array().unwrap().contains(&json!(told)), "{}", answer["warnings"]);
}

#[tokio::test]
async fn a_period_is_of_any_number_in_words() {
    check(
        &bench(),
        &[
            ("models released in the last seven days", released("2026-09-14", "2026-09-21")),
            ("models released in the last twenty days", released("2026-09-01", "2026-09-21")),
            ("models released within eight months", released("2026-01-21", "2026-09-21")),
            ("models released in the last three quarters", released("2025-12-21", "2026-09-21")),
            ("models last three months", released("2026-06-21", "2026-09-21")),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_has_reached_its_end_is_told_by_the_status() {
    let retired = json!({"status": "retired"});
    check(
        &bench(),
        &[
            ("models that reached end of life", retired.clone()),
            ("models that have reached their end of life", retired.clone()),
            ("models past EOL", retired),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_else_happened_at_a_time_is_no_release() {
    let bench = bench();
    for said in [
        "ended in 2026",
        "died in 2025",
        "left in 2025",
        "went away in 2026",
        "stopped working in 2025",
        "lost support in 2026",
        "fell out of support in 2026",
        "were withdrawn in 2026",
        "still alive after 2025",
    ] {
        let answer = asked(&bench, &format!("Acme models that {said}")).await;
        let filters = json!({"vendor": "Acme Labs", "status__not": "retired", "include_removed": "false"});
        assert_eq!(answer["understood"]["filters"], filters, "{said}");
        let shown = said.trim_start_matches("were ");
        let told = format!(
            "`{shown}` was not understood: no field has that day; say `released in 2025` for the day of release"
        );
        assert!(answer["warnings"].as_array().unwrap().contains(&json!(told)), "{said}: {}", answer["warnings"]);
        assert_eq!(answer["understood"]["rest"], "", "{said}");
    }
    check(
        &bench,
        &[
            ("Acme models made in 2025", released_and("2025", "2025", "vendor", "Acme Labs")),
            ("models from Acme in 2025", released_and("2025", "2025", "vendor", "Acme Labs")),
            ("models with vision support in 2025", released_and("2025", "2025", "input_modalities", "image")),
            ("models available since 2025", json!({"released_on__gte": "2025"})),
            ("models no longer available since 2025", json!({"retires_on__gte": "2025"})),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_can_be_turned_off_is_not_retired() {
    let answer = asked(&bench(), "models whose reasoning can be turned off").await;
    let filters = &answer["understood"]["filters"];
    assert_eq!((&filters["capability"], &filters["status"]), (&json!("reasoning"), &Value::Null), "{filters}");
    let told = "`can be turned off` was not understood: no field says what can be done to a model";
    assert!(answer["warnings"].as_array().unwrap().contains(&json!(told)), "{}", answer["warnings"]);
}

#[tokio::test]
async fn a_list_of_periods_is_one_if_no_time_lies_between() {
    check(
        &bench(),
        &[
            ("models released in 2023, 2024 or 2025", released("2023", "2025")),
            ("models released in 2023, 2024 and 2025", released("2023", "2025")),
            ("models released in january, february or march 2025", released("2025-01", "2025-03")),
        ],
    )
    .await;
    assert_eq!(read(&bench(), "models released in 2021, 2023 or 2024").await.0, json!({}));
}

#[tokio::test]
async fn what_models_know_of_a_time_is_their_cutoff() {
    let cutoff = |day: &str| json!({ "knowledge_cutoff__gte": day });
    check(
        &bench(),
        &[
            ("models that know about events after March 2025", cutoff("2025-04-01")),
            ("models that know about things since June 2025", cutoff("2025-06")),
            ("models that know what happened in 2025", cutoff("2025")),
            ("models aware of 2025 events", cutoff("2025")),
        ],
    )
    .await;
    let answer = asked(&bench(), "models that know about events before 2024").await;
    assert_eq!(answer["understood"]["filters"]["released_on__lte"], Value::Null, "{answer}");
    assert!(answer["warnings"].to_string().contains("`know about events before 2024` was not understood"), "{answer}");
}
