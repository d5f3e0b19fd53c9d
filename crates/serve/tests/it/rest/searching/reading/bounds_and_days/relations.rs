//! Comparisons with several models, each with its own. `docs/api.md#search`.

use crate::common::{Bench, unlimited};
use crate::rest::searching::reading::understanding::{asked, ids, made_by};
use crate::rest::searching::reading::wording::read;
use refdesk_core::Usd;
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Limits, Model, Pricing};
use serde_json::json;

/// Context, output, input and output price, month of release and of knowledge.
type Told<'a> = (u64, u64, &'a str, &'a str, &'a str, &'a str);

fn model(name: &str, (context, written, input, output, released_on, cutoff): Told<'_>) -> StoredFact {
    let model = Model {
        limits: Limits { context_tokens: Some(context), output_tokens: Some(written), ..Limits::default() },
        pricing: Some(Pricing { input: Usd::parse(input), output: Usd::parse(output), ..Pricing::default() }),
        released_on: Some(released_on.to_owned()),
        knowledge_cutoff: Some(cutoff.to_owned()),
        ..Model::default()
    };
    made_by("Acme Labs", name, model)
}

/// Four models, each larger and later than the one before.
fn models() -> Bench {
    let facts = [
        model("plover-2", (100, 10, "1", "4", "2025-01", "2024-01")),
        model("ibis-3", (200, 20, "2", "8", "2025-03", "2024-06")),
        model("stilt-1", (300, 30, "2.5", "9", "2025-06", "2024-10")),
        model("egret-4", (400, 40, "3", "15", "2025-09", "2025-03")),
    ];
    Bench::over(unlimited(), &facts)
}

#[tokio::test]
async fn each_comparison_is_with_the_model_that_it_names() {
    let bench = models();
    for (question, found) in [
        ("models cheaper than egret-4 but more expensive than plover-2", vec!["ibis-3", "stilt-1"]),
        ("cheaper than egret-4 with more context than ibis-3", vec!["stilt-1"]),
        ("models cheaper than stilt-1 and with a bigger context than plover-2", vec!["ibis-3"]),
        ("newer than plover-2 and cheaper than egret-4", vec!["ibis-3", "stilt-1"]),
        ("models cheaper than egret-4 released after ibis-3", vec!["stilt-1"]),
        ("models cheaper than egret-4 released in june 2025", vec!["stilt-1"]),
        ("models released after plover-2 but before egret-4", vec!["ibis-3", "stilt-1"]),
        ("models released between egret-4 and plover-2", vec!["ibis-3", "stilt-1"]),
        ("models newer than plover-2 but before june 2025", vec!["ibis-3"]),
        ("models cheaper than egret-4 and cheaper than ibis-3", vec!["plover-2"]),
        ("models like ibis-3 but released in june 2025", vec!["stilt-1"]),
        ("models like plover-2 but from Acme Labs", vec!["egret-4", "ibis-3", "stilt-1"]),
        // One that names none goes on with the same.
        ("models cheaper than stilt-1 with less context", vec!["ibis-3", "plover-2"]),
    ] {
        let answer = asked(&bench, question).await;
        let mut ids = ids(&answer);
        ids.sort_unstable();
        assert_eq!((ids, &answer["understood"]["rest"]), (found, &json!("")), "{question}: {}", answer["understood"]);
    }
}

#[tokio::test]
async fn a_comparison_with_a_model_that_nobody_knows_is_told() {
    let answer = asked(&models(), "models newer than plover-2 and cheaper than bittern 9").await;
    assert_eq!(answer["understood"]["filters"]["released_on__gte"], "2025-02-01");
    let told = "`cheaper than bittern 9` was not understood: no model of that name states what is compared";
    assert!(answer["warnings"].as_array().unwrap().contains(&json!(told)), "{}", answer["warnings"]);
}

#[tokio::test]
async fn what_is_compared_may_stand_in_front_and_be_a_knowledge_cutoff() {
    let bench = models();
    for (question, field, bound) in [
        ("models with an output limit larger than ibis-3", "output_tokens__gte", "21"),
        ("models whose context window is bigger than ibis-3", "context_tokens__gte", "201"),
        ("models with an output price lower than ibis-3", "price_output__lte", "7.999999"),
        ("models with a later knowledge cutoff than ibis-3", "knowledge_cutoff__gte", "2024-07-01"),
        ("models with an earlier knowledge cutoff than ibis-3", "knowledge_cutoff__lte", "2024-05-31"),
        ("models with a knowledge cutoff later than ibis-3", "knowledge_cutoff__gte", "2024-07-01"),
    ] {
        let (filters, ..) = read(&bench, question).await;
        assert_eq!(filters[field], bound, "{question}: {filters}");
        assert_eq!(filters.get("released_on__gte"), None, "{question}: {filters}");
    }
}
