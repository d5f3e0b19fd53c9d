//! Questions that compare with a model that they name. `docs/api.md#search`.

use super::named_things::server;
use super::understanding::{asked, bench, ids, made_by};
use super::wording::read;
use crate::common::{Bench, unlimited};
use refdesk_core::Usd;
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Limits, Model, Pricing, Status};
use serde_json::{Value, json};

fn model(name: &str, tokens: u64, input: &str, output: &str) -> Model {
    let limits = Limits { context_tokens: Some(tokens), ..Limits::default() };
    let pricing = Pricing { input: Usd::parse(input), output: Usd::parse(output), ..Pricing::default() };
    let (family, released_on) =
        (name.rsplit_once('-').map(|(family, _)| family.to_owned()), Some("2025-01".to_owned()));
    Model { limits, pricing: Some(pricing), family, released_on, ..Model::default() }
}

fn fact(name: &str, tokens: u64, input: &str, output: &str) -> StoredFact {
    made_by("Acme Labs", name, model(name, tokens, input, output))
}

#[tokio::test]
async fn the_version_of_a_line_is_no_limit_and_what_tells_its_models_apart_is_a_filter() {
    let of_family = |name: &str, sees: bool| {
        let mut model = model(name, 100_000, "1", "1");
        model.family = Some("gemma".to_owned());
        if sees {
            model.modalities.input = vec!["image".to_owned()];
        }
        made_by("Google", name, model)
    };
    let bench = Bench::over(unlimited(), &[of_family("gemma-4-31b", true), of_family("gemma-3-2b", false)]);
    let (filters, _, rest) = read(&bench, "gemma family members with image input").await;
    assert_eq!((&filters["series"], &filters["input_modalities"], rest), (&json!("gemma"), &json!("image"), json!("")));
    let (filters, _, _) = read(&bench, "open source gemma with image input").await;
    assert_eq!((&filters["series"], &filters["open_weights"]), (&json!("gemma"), &json!("true")));
    let (filters, _, rest) = read(&bench, "gemma 4 context").await;
    assert_eq!(
        (&filters["series"], &filters["context_tokens__gte"], rest),
        (&json!("gemma"), &Value::Null, json!("4"))
    );
    let compared = asked(&bench, "gemma-4-31b or gemma-3-2b, which one has the bigger window?").await;
    assert_eq!(compared["understood"]["compared"], json!(["gemma-4-31b", "gemma-3-2b"]));
}

/// Four models, of which two are priced alike.
fn models() -> Bench {
    Bench::over(
        unlimited(),
        &[
            fact("plover-2", 100, "1", "4"),
            fact("ibis-3", 200, "2", "8"),
            fact("stilt-1", 300, "2", "8"),
            fact("egret-4", 400, "3", "15"),
        ],
    )
}

#[tokio::test]
async fn the_value_of_the_named_model_or_a_multiple_is_the_bound() {
    let prices = |input: &str, output: &str| json!({"price_input__lte": input, "price_output__lte": output});
    let bench = models();
    for (question, bounds) in [
        // What is as dear is not cheaper.
        ("models cheaper than ibis-3", prices("1.999999", "7.999999")),
        ("models costing less than ibis-3", prices("1.999999", "7.999999")),
        ("models priced below ibis-3", prices("1.999999", "7.999999")),
        ("models not more expensive than ibis-3", prices("2", "8")),
        ("models no more expensive than ibis-3", prices("2", "8")),
        ("models at least as cheap as ibis-3", prices("2", "8")),
        ("models half the price of ibis-3", prices("1", "4")),
        ("models at most half the price of ibis-3", prices("1", "4")),
        ("models that cost half as much as ibis-3", prices("1", "4")),
        ("models twice as cheap as ibis-3", prices("1", "4")),
        ("models 50% cheaper than ibis-3", prices("1", "4")),
        ("models 4x cheaper than ibis-3", prices("0.5", "2")),
        ("models priced 20% below ibis-3", prices("1.599999", "6.399999")),
        ("models not 50% more expensive than ibis-3", prices("3", "12")),
        ("models at most 50% more expensive than ibis-3", prices("3", "12")),
        ("models no more than 50% more expensive than ibis-3", prices("3", "12")),
        ("models less than twice as expensive as ibis-3", prices("3.999999", "15.999999")),
        ("models at least 50% cheaper than ibis-3", prices("1", "4")),
        (
            "models that cost at least half as much as ibis-3",
            json!({"price_input__gte": "1", "price_output__gte": "4"}),
        ),
        ("cheaper alternatives to ibis-3", prices("1.999999", "7.999999")),
        ("models cheaper than ibis-3 on output tokens", json!({"price_output__lte": "7.999999"})),
        ("models with cheaper input than ibis-3", json!({"price_input__lte": "1.999999"})),
        ("models with as much context as ibis-3", json!({"context_tokens__gte": "200"})),
        ("models with twice the context of ibis-3", json!({"context_tokens__gte": "400"})),
        ("models with less than half the context of egret-4", json!({"context_tokens__lte": "199"})),
        (
            "models with the same context window as ibis-3",
            json!({"context_tokens__gte": "200", "context_tokens__lte": "200"}),
        ),
        (
            "models cheaper than ibis-3 with a larger context",
            json!({"price_input__lte": "1.999999", "price_output__lte": "7.999999", "context_tokens__gte": "201"}),
        ),
        (
            "models with more context and lower prices than ibis-3",
            json!({"price_input__lte": "1.999999", "price_output__lte": "7.999999", "context_tokens__gte": "201"}),
        ),
        (
            "models with twice as much context as ibis-3 at half the price",
            json!({"context_tokens__gte": "400", "price_input__lte": "1", "price_output__lte": "4"}),
        ),
        (
            "models cheaper than ibis-3 with at least as much context",
            json!({"price_input__lte": "1.999999", "price_output__lte": "7.999999", "context_tokens__gte": "200"}),
        ),
        (
            "models cheaper than ibis-3 with the same context or more",
            json!({"price_input__lte": "1.999999", "price_output__lte": "7.999999", "context_tokens__gte": "200"}),
        ),
        ("models that beat ibis-3 on price", prices("1.999999", "7.999999")),
        ("models that undercut ibis-3", prices("1.999999", "7.999999")),
        ("models like ibis-3 but cheaper", prices("1.999999", "7.999999")),
        ("something similar to ibis-3, but with a bigger context window", json!({"context_tokens__gte": "201"})),
        ("Modelle mit mehr Kontext als ibis-3", json!({"context_tokens__gte": "201"})),
        ("modèles deux fois moins chers que ibis-3", prices("1", "4")),
        ("modelos con más contexto que ibis-3", json!({"context_tokens__gte": "201"})),
        ("modellen goedkoper dan ibis-3", prices("1.999999", "7.999999")),
    ] {
        let (mut filters, _, rest) = read(&bench, question).await;
        filters.as_object_mut().and_then(|filters| filters.remove("model_mode__not"));
        assert_eq!((&filters, &rest), (&bounds, &json!("")), "{question}");
    }
    assert_eq!(ids(&asked(&bench, "models cheaper than stilt-1").await), ["plover-2"], "ibis-3 costs as much");
    // A multiple beyond all numbers is text, and no failure.
    for absurd in ["models 79228162514264337593543950335 times the context of ibis-3", "models 0x the price of ibis-3"]
    {
        assert_eq!(bench.get(&format!("/v1/search?q={}", absurd.replace(' ', "+"))).await.status, 200, "{absurd}");
    }
    // What is asked of one model compares with none.
    assert_eq!(asked(&bench, "context window of ibis-3").await["understood"], Value::Null);
}

#[tokio::test]
async fn the_name_of_a_family_is_that_of_its_current_model() {
    let of = |id: &str, released_on: &str, price: &str, status: Status| {
        let mut model = model("kestrel-swift-0", 100, price, price);
        model.released_on = Some(released_on.to_owned());
        let mut stored = made_by("Acme Labs", id, model);
        stored.head.status = status;
        stored
    };
    let bench = Bench::over(
        unlimited(),
        &[
            of("kestrel-swift-1", "2024-01", "9", Status::Active),
            of("kestrel-swift-2", "2025-01", "5", Status::Active),
            of("kestrel-swift-3", "2025-06", "7", Status::Retired),
            fact("plover-2", 100, "1", "4"),
        ],
    );
    let answer = asked(&bench, "models cheaper than swift").await;
    assert_eq!(answer["understood"]["filters"]["price_input__lte"], "4.999999");
    assert_eq!(answer["warnings"], json!(["“swift” was read as `kestrel-swift-2`, its current one"]));
    assert_eq!(read(&bench, "models cheaper than average").await.0, json!({}), "no family is called so");
}

#[tokio::test]
async fn what_compares_with_nothing_is_text() {
    for question in ["half the price of success", "as much as I like", "bigger is better", "the same output as before"]
    {
        assert_eq!(asked(&bench(), question).await["understood"], Value::Null, "{question}");
    }
}

#[tokio::test]
async fn the_word_of_the_family_may_be_left_out_of_a_name_with_a_version() {
    let bench = Bench::over(unlimited(), &[fact("claude-heron-4.5", 200, "2", "8"), fact("plover-2", 100, "1", "4")]);
    assert_eq!(ids(&asked(&bench, "models cheaper than heron 4.5").await), ["plover-2"]);
}

#[tokio::test]
async fn a_comparison_may_say_of_what() {
    for question in [
        "whats the price difference between falcon and heron",
        "whats the knowledge cutoff difference between falcon and heron",
        "show me the difference between falcon and heron",
    ] {
        assert_eq!(asked(&bench(), question).await["understood"]["compared"], json!(["falcon", "heron"]), "{question}");
    }
}

#[tokio::test]
async fn what_is_compared_is_named_in_many_ways() {
    let bench = models();
    for question in [
        "compare plover-2 ibis-3",
        "compare prices plover-2 ibis-3 for coding",
        "plover-2 ibis-3 comparison",
        "plover-2 and ibis-3 side by side",
        "how does plover-2 compare with ibis-3",
        "how do plover-2 and ibis-3 compare",
        "plover-2 against ibis-3 price",
        "pros and cons of plover-2 versus ibis-3",
        "compare the context windows of plover-2 and ibis-3",
        "does plover-2 have a bigger context window than ibis-3",
        "is plover-2 still better value than ibis-3",
        "is plover-2 better than ibis-3 at coding",
        "price of plover-2 and ibis-3",
    ] {
        let answer = asked(&bench, question).await;
        assert_eq!(answer["understood"]["compared"], json!(["plover-2", "ibis-3"]), "{question}");
        assert_eq!(&ids(&answer)[..2], ["plover-2", "ibis-3"], "{question}");
    }
    // Who sells it is no other thing.
    for question in ["plover-2 on ibis-3 or stilt-1", "plover-2 at ibis-3 or stilt-1"] {
        assert_ne!(
            asked(&bench, question).await["understood"]["compared"],
            json!(["plover-2", "stilt-1"]),
            "{question}"
        );
    }
    for question in ["compare plover-2 ibis-3 and stilt-1", "plover-2, ibis-3 and stilt-1 side by side"] {
        let compared = asked(&bench, question).await["understood"]["compared"].take();
        assert_eq!(compared, json!(["plover-2", "ibis-3", "stilt-1"]), "{question}");
    }
}

/// Each word of `pdf files` may be what something is called.
#[tokio::test]
async fn words_in_a_row_are_names_only_if_each_has_a_number() {
    let facts = [
        server("pdf", "PDF", "Reads pages."),
        server("files", "Files", "Reads disks."),
        server("plover-actions", "Plover Actions", "Runs builds."),
    ];
    let bench = Bench::over(unlimited(), &facts);
    for question in ["compare pdf files", "compare plover actions pdf", "plover actions files side by side"] {
        assert_eq!(asked(&bench, question).await["understood"], Value::Null, "{question}");
    }
    assert_eq!(asked(&bench, "compare pdf and files").await["understood"]["compared"], json!(["pdf", "files"]));
    let same = asked(&bench, "compare pdf and PDF").await["understood"]["compared"].take();
    assert!(same.as_array().is_none_or(Vec::is_empty), "{same}");
}

#[tokio::test]
async fn alternatives_may_be_compared_with_what_they_are_to() {
    let bench = bench();
    for (question, name, bound) in [
        ("alternatives to falcon with a larger context", "context_tokens__gte", "128001"),
        ("alternatives to heron that are cheaper", "price_input__lte", "2.999999"),
        ("heron alternatives with at least as much context", "context_tokens__gte", "1000000"),
    ] {
        let (filters, _, rest) = read(&bench, question).await;
        assert_eq!((&filters[name], &filters["vendor__not"], rest), (&json!(bound), &json!("Acme Labs"), json!("")));
        assert_eq!(ids(&asked(&bench, question).await), ["sparrow"], "{question}");
    }
}

#[tokio::test]
async fn what_is_compared_may_be_called_by_the_end_of_its_name() {
    let stated = |name: &str, family: &str| {
        made_by("Acme Labs", name, Model { family: Some(family.to_owned()), ..Model::default() })
    };
    let bench = Bench::over(
        unlimited(),
        &[
            stated("ibis-3 mini", "ibis"),
            stated("ibis-3 nano", "ibis"),
            stated("egret quill 4.5", "egret-quill"),
            stated("egret quill 4.5 lite", "egret-quill"),
            stated("egret plume 2", "egret-plume"),
            stated("stilt plume 2", "stilt-plume"),
        ],
    );
    for (question, compared) in [
        ("ibis-3 mini vs nano", json!(["ibis-3 mini", "ibis-3 nano"])),
        ("ibis-3 mini vs nano price and context", json!(["ibis-3 mini", "ibis-3 nano"])),
        ("quill 4.5 vs ibis-3 mini", json!(["egret quill 4.5", "ibis-3 mini"])),
        ("quill vs ibis-3 mini", json!(["egret quill", "ibis-3 mini"])),
        ("egret quill 4.5 vs quill 4.5 lite", json!(["egret quill 4.5", "egret quill 4.5 lite"])),
        ("ibis-3 mini, ibis-3 nano", json!(["ibis-3 mini", "ibis-3 nano"])),
        ("ibis-3 mini, quill 4.5 and ibis-3 nano", json!(["ibis-3 mini", "egret quill 4.5", "ibis-3 nano"])),
        ("ibis-3 mini oder ibis-3 nano", json!(["ibis-3 mini", "ibis-3 nano"])),
        ("ibis-3 mini, documentation", json!([])),
    ] {
        let answer = asked(&bench, question).await;
        assert_eq!(answer["understood"]["compared"], compared, "{question}");
    }
    // A plume is of two lines.
    assert_eq!(asked(&bench, "plume vs ibis-3 mini").await["understood"], Value::Null);
    for question in ["quill 4.5 price", "how much does cached input cost for quill 4.5"] {
        assert_eq!(ids(&asked(&bench, question).await).first(), Some(&"egret-quill-4.5"), "{question}");
    }
}

/// Not every model of a maker has a family, and some of others have one: what their ids begin with tells which are meant.
#[tokio::test]
async fn the_models_of_a_line_are_told_by_what_their_ids_begin_with() {
    let of = |name: &str, price: &str, family: Option<&str>| {
        let mut model = model(name, 100_000, price, price);
        model.family = family.map(str::to_owned);
        made_by("xAI", name, model)
    };
    let facts =
        [of("grok-4", "3", Some("grok")), of("grok-4-fast", "0.2", None), of("eva-grok-2", "0.1", Some("grok"))];
    let bench = Bench::over(unlimited(), &facts);
    let answer = asked(&bench, "cheapest grok").await;
    assert_eq!(
        (&answer["understood"]["filters"]["series"], ids(&answer)),
        (&json!("grok"), vec!["grok-4-fast", "grok-4"])
    );
    let others = asked(&bench, "models other than grok").await;
    let filters = &others["understood"]["filters"];
    assert_eq!(
        (&filters["series__not"], &filters["family__not"], ids(&others)),
        (&json!("grok"), &json!("grok"), vec![])
    );
    let counted = bench.json("/v1/models/list?facets=series").await;
    let series = &counted["facets"]["series"]["results"];
    assert_eq!(
        (&series[0]["value"], &series[0]["count"], &series[1]["value"]),
        (&json!("grok"), &json!(2), &json!("eva"))
    );
}

/// Who types the name of a line means the models of it that many sell, whatever the others are called.
#[tokio::test]
async fn one_word_for_a_line_finds_the_best_known_models_first() {
    let of =
        |name: &str| made_by("xAI", name, Model { family: Some("grok".to_owned()), ..model(name, 100_000, "1", "1") });
    let mut resold = of("grok-2-large-instruct");
    resold.key = "openrouter/grok-2-large-instruct".into();
    resold.identity.provider = Some("openrouter".into());
    let facts = [of("grok-1"), of("grok-2-large-instruct"), resold];
    let bench = Bench::over(unlimited(), &facts);
    assert_eq!(ids(&asked(&bench, "grok").await)[..2], ["grok-2-large-instruct", "grok-1"]);
    let words = bench.json("/v1/search?q=grok&understand=false").await;
    assert_eq!(ids(&words)[..2], ["grok-1", "grok-2-large-instruct"], "by names alone");
}

#[tokio::test]
async fn the_end_of_a_models_name_is_enough_behind_another_one() {
    let facts = [
        fact("gemini-2.5-pro", 100, "1", "4"),
        fact("gemini-2.5-flash", 100, "1", "4"),
        server("flash", "Flash", "Takes pictures."),
    ];
    let answer = asked(&Bench::over(unlimited(), &facts), "gemini 2.5 pro or flash at coding").await;
    assert_eq!(answer["understood"]["compared"], json!(["gemini 2.5 pro", "gemini 2.5 flash"]));
    assert_eq!(&ids(&answer)[..2], ["gemini-2.5-pro", "gemini-2.5-flash"]);
}

#[tokio::test]
async fn lines_side_by_side_may_have_an_adjective_behind_and_days_are_those_of_a_maker() {
    let of = |vendor: &str, family: &str, name: &str| {
        let description = Some("For coding.".to_owned());
        made_by(vendor, name, Model { family: Some(family.to_owned()), description, ..Model::default() })
    };
    let facts = [of("Anthropic", "claude-opus", "claude-opus-8"), of("Google", "gemini-flash", "gemini-7-flash")];
    let bench = Bench::over(unlimited(), &facts);
    let (filters, _, rest) = read(&bench, "claude or gemini coding models").await;
    assert_eq!((filters, rest), (json!({"series": "claude,gemini"}), json!("coding")));
    let (filters, _, rest) = read(&bench, "upcoming retirements at anthropic").await;
    assert_eq!((&filters["vendor"], &filters["seller"], rest), (&json!("Anthropic"), &Value::Null, json!("")));
}

#[tokio::test]
async fn what_no_filter_says_of_opposites_and_alternatives_is_told() {
    let bench = models();
    let (filters, _, rest) = read(&bench, "models both with and without tool calling under $2").await;
    assert_eq!((filters, rest), (json!({"price_input__lte": "2", "price_output__lte": "2"}), json!("")));
    for (question, field, value, told) in [
        (
            "models with vision or tool calling",
            "capability",
            "tool_call",
            "`or tool calling` is read as `and`: no filter asks for either",
        ),
        (
            "models that accept images or pdf",
            "input_modalities",
            "image,pdf",
            "`or pdf` is read as `and`: no filter asks for either",
        ),
        (
            "image or audio input models",
            "input_modalities",
            "audio,image",
            "`or audio input` is read as `and`: no filter asks for either",
        ),
    ] {
        let answer = asked(&bench, question).await;
        assert_eq!(answer["understood"]["filters"][field], value, "{question}");
        assert!(answer["warnings"].as_array().unwrap().contains(&json!(told)), "{question}: {}", answer["warnings"]);
    }
    let answer = asked(&bench, "oldest and newest models").await;
    assert_eq!((&answer["understood"]["sort"], &answer["understood"]["rest"]), (&json!("released_on"), &json!("")));
    let told = "`newest` is the other end of the same list: it is in the order `released_on`";
    assert!(answer["warnings"].as_array().unwrap().contains(&json!(told)), "{}", answer["warnings"]);
    let answer = asked(&bench, "tts models that output text").await;
    assert_eq!(answer["understood"]["filters"], json!({}));
    let told = "`output_modalities` asks for something that is excluded as well: nothing can be left";
    assert!(answer["warnings"].to_string().contains(told), "{}", answer["warnings"]);
}
