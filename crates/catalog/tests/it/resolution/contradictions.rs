//! Values that only make sense together, of limits, dates, modes and names: an impossible pair is never shown, and what is left out is told.

use super::*;
use crate::common::stored;
use refdesk_core::item::Head;

#[test]
fn limits_are_taken_together_and_a_pair_that_cannot_be_is_never_shown() {
    let model = only(&[
        model("a", Some("openai"), "gpt-5", limits(128_000, Value::Null, Value::Null)),
        model("b", Some("openai"), "gpt-5", limits(400_000, 272_000, 64_000)),
    ]);
    assert_eq!(model["limits"], json!({"context_tokens": 128_000, "input_tokens": null, "output_tokens": 64_000}));
    assert_eq!(conflict(&model, "limits.context_tokens")["value"], 400_000);
    let impossible = conflict(&model, "limits.input_tokens");
    assert_eq!((&impossible["value"], &impossible["source_id"]), (&json!(272_000), &json!("b")));
    assert!(impossible["reason"].as_str().unwrap().contains("contradicts the other values"), "{impossible}");
    assert_eq!(model["field_evidence"]["limits.output_tokens"]["source_id"], "b");
}

#[test]
fn a_model_that_its_maker_does_not_sell_has_the_limits_that_most_sellers_state() {
    let facts = [
        model("a", Some("aaa"), "openai/gpt-oss-120b", limits(8_000, Value::Null, 8_000)),
        model("a", Some("mmm"), "openai/gpt-oss-120b", limits(131_072, Value::Null, 32_000)),
        model("b", Some("zzz"), "openai/gpt-oss-120b", limits(131_072, Value::Null, 65_536)),
        model("b", Some("mmm"), "openai/gpt-oss-120b", limits(8_000, Value::Null, 65_536)),
    ];
    let shown = only(&facts);
    assert_eq!(shown["limits"]["context_tokens"], 131_072, "two sellers of three, each counted once");
    assert_eq!(shown["field_evidence"]["limits.context_tokens"]["rule"], "most_sellers");
    let weights =
        only(&[&facts[..], &[model("c", None, "openai/gpt-oss-120b", limits(131_000, Value::Null, 1_000))]].concat());
    assert_eq!(weights["limits"]["context_tokens"], 131_000, "the card of the weights is the maker's word");
    assert_eq!(weights["field_evidence"]["limits.context_tokens"]["rule"], "makers_weights");
}

#[test]
fn what_a_seller_takes_in_is_no_limit_of_a_model_whose_maker_states_the_context() {
    let makers = model("a", Some("openai"), "gpt-5", limits(400_000, Value::Null, 64_000));
    let resold = |seller| model("b", Some(seller), "openai/gpt-5", limits(128_000, 128_000, 16_000));
    let shown = only(&[makers, resold("github-copilot"), resold("aaa")]);
    assert_eq!(shown["limits"], json!({"context_tokens": 400_000, "input_tokens": null, "output_tokens": 64_000}));
    assert_eq!(shown["offers"][0]["limits"]["input_tokens"], 128_000, "it stands in the offer");
}

#[test]
fn among_sellers_an_input_limit_counts_that_more_than_half_state() {
    let sold = |seller, input: u64| model("b", Some(seller), "openai/gpt-oss-120b", limits(131_072, input, 32_000));
    let input = |facts: &[StoredFact]| only(facts)["limits"]["input_tokens"].clone();
    assert_eq!(input(&[sold("aaa", 72), sold("mmm", 124_000), sold("zzz", 131_072)]), Value::Null);
    assert_eq!(input(&[sold("aaa", 72), sold("mmm", 131_072), sold("zzz", 131_072)]), 131_072);
    assert_eq!(input(&[sold("aaa", 131_072)]), 131_072);
}

#[test]
fn an_input_limit_says_nothing_beside_a_context_on_which_sellers_are_tied() {
    let sold = |seller, context: u64, input: Value| {
        model("a", Some(seller), "openai/gpt-oss-120b", limits(context, input, Value::Null))
    };
    let input = |context: u64| {
        only(&[sold("aaa", 128_000, json!(128_000)), sold("zzz", context, Value::Null)])["limits"]["input_tokens"]
            .clone()
    };
    assert_eq!(input(160_000), Value::Null);
    assert_eq!(input(128_000), 128_000);
}

/// A list has one field for both, with the input limit of some models in it: of dated ones that was shown as their context.
#[test]
fn a_context_that_is_the_input_limit_of_the_undated_name_is_none() {
    let undated = model("a", Some("openai"), "gpt-5", limits(400_000, 272_000, 128_000));
    let shown = |undated: &StoredFact, context: u64| {
        let dated = model("b", Some("openai"), "gpt-5-2025-08-07", limits(context, Value::Null, 64_000));
        detail(&build_at(&[undated.clone(), dated], NOW), "gpt-5-2025-08-07", &[])["model"].take()
    };
    let mended = shown(&undated, 272_000);
    assert_eq!(mended["limits"], json!({"context_tokens": 400_000, "input_tokens": 272_000, "output_tokens": 64_000}));
    let by = &mended["field_evidence"]["limits.context_tokens"];
    assert_eq!((&by["source_id"], &by["rule"]), (&json!("a"), &json!("undated_name")));
    let told = conflict(&mended, "limits.context_tokens");
    assert_eq!((&told["value"], &told["source_id"]), (&json!(272_000), &json!("b")));
    assert_eq!(told["reason"], "it is the input limit of the model's undated name");
    let context = |undated: &StoredFact, context: u64| shown(undated, context)["limits"]["context_tokens"].take();
    assert_eq!(context(&undated, 200_000), 200_000, "a limit of its own");
    assert_eq!(context(&old(undated, 100), 272_000), 272_000, "a stale word");
}

#[test]
fn dates_that_cannot_stand_in_their_order_are_not_shown_beside_each_other() {
    let dated = |source: &str, fields: Value| model(source, Some("openai"), "gpt-5", fields);
    let shown = only(&[
        dated("a", json!({"released_on": "2024-02-27", "knowledge_cutoff": "2024-06"})),
        dated("b", json!({"released_on": "2024-12-13"})),
    ]);
    assert_eq!((&shown["released_on"], &shown["knowledge_cutoff"]), (&json!("2024-12-13"), &json!("2024-06")));
    assert_eq!(shown["field_evidence"]["released_on"]["source_id"], "b");
    assert_eq!(conflict(&shown, "released_on")["value"], "2024-02-27", "what gave way is told");

    let alone = only(&[dated("a", json!({"released_on": "2024-06-13", "knowledge_cutoff": "2024-08"}))]);
    assert_eq!((&alone["released_on"], &alone["knowledge_cutoff"]), (&json!("2024-06-13"), &Value::Null));
    let told = conflict(&alone, "knowledge_cutoff");
    assert_eq!((&told["value"], &told["reason"]), (&json!("2024-08"), &json!("it contradicts released_on")));

    let resold = model("b", Some("aaa"), "openai/gpt-5", json!({"released_on": "2026-04-27"}));
    let ended = only(&[dated("a", json!({"retires_on": "2026-01-28"})), resold]);
    assert_eq!((&ended["retires_on"], &ended["released_on"]), (&json!("2026-01-28"), &Value::Null), "the maker's word");
    let seller = |seller, fields: Value| model("b", Some(seller), "openai/gpt-5", fields);
    let guessed = seller("aaa", json!({"released_on": "2026-04-27"}));
    let other = seller("bbb", json!({"retires_on": "2027-01-01"}));
    let kept = only(&[dated("a", json!({"retires_on": "2026-01-28"})), guessed, other]);
    assert_eq!(
        (&kept["retires_on"], &kept["released_on"]),
        (&json!("2026-01-28"), &Value::Null),
        "only its maker ends it"
    );
    // What fits one date has to fit the others, too.
    let three = only(&[
        dated("a", json!({"released_on": "2024-02", "knowledge_cutoff": "2024-06", "retires_on": "2024-10"})),
        dated("b", json!({"released_on": "2024-12"})),
    ]);
    let shown = |field: &str| three[field].as_str().map(str::to_owned);
    assert_eq!(shown("released_on").as_deref(), Some("2024-02"));
    assert_eq!((shown("knowledge_cutoff"), shown("retires_on").as_deref()), (None, Some("2024-10")));
    let same_month = only(&[dated("a", json!({"released_on": "2024-06-13", "knowledge_cutoff": "2024-06"}))]);
    assert_eq!(same_month["knowledge_cutoff"], "2024-06", "compared as far as both tell");
}

#[test]
fn a_day_of_the_past_that_lies_more_than_a_year_ahead_is_a_slip() {
    let dated = |source: &str, fields: Value| model(source, Some("openai"), "gpt-5", fields);
    let slip = || dated("a", json!({"released_on": "2089-03-01", "knowledge_cutoff": "2089"}));
    let alone = only(&[slip()]);
    assert_eq!((&alone["released_on"], &alone["knowledge_cutoff"]), (&Value::Null, &Value::Null));
    let told = conflict(&alone, "released_on");
    assert_eq!((&told["value"], &told["source_id"]), (&json!("2089-03-01"), &json!("a")));
    assert!(told["reason"].as_str().unwrap().contains("more than a year ahead"), "{told}");
    let mended = only(&[slip(), dated("b", json!({"released_on": "2025-03-01"}))]);
    assert_eq!(mended["released_on"], "2025-03-01", "the next source speaks");
    let planned = only(&[dated("a", json!({"released_on": "2027-06-30", "retires_on": "2089-01-01"}))]);
    let shown = (&planned["released_on"], &planned["retires_on"]);
    assert_eq!(shown, (&json!("2027-06-30"), &json!("2089-01-01")), "what is planned stays");
}

#[test]
fn a_model_that_gives_images_alone_does_not_chat() {
    let sold = |seller: &str, mode: Value| {
        let output = json!({"mode": mode, "modalities": {"input": ["text"], "output": ["image"]}});
        model("a", Some(seller), "black-forest-labs/flux.1-schnell", output)
    };
    assert_eq!(only(&[sold("aaa", json!("chat")), sold("zzz", json!("image"))])["mode"], "image");
    assert_eq!(only(&[sold("aaa", json!("chat"))])["mode"], Value::Null);
}

#[test]
fn a_model_that_makes_embeddings_gives_no_text_and_no_tokens() {
    let of = |source: &str, seller: &str, fields: Value| model(source, Some(seller), "openai/text-embedding-9", fields);
    let filler =
        json!({"modalities": {"output": ["text"]}, "limits": {"context_tokens": 8_191, "output_tokens": 3_072}});
    let shown = only(&[
        of("a", "openai", filler.clone()),
        of("b", "aaa", json!({"mode": "embedding", "modalities": {"output": ["embedding"]}})),
    ]);
    assert_eq!(shown["mode"], "embedding", "a reseller's word, too");
    assert_eq!(shown["modalities"]["output"], json!(["embedding"]));
    assert_eq!(shown["limits"], json!({"context_tokens": 8_191, "output_tokens": null}));
    let told = conflict(&shown, "limits.output_tokens");
    assert_eq!((&told["value"], &told["reason"]), (&json!(3_072), &json!("it contradicts mode")));

    let unsaid = only(&[of("a", "openai", filler), of("b", "aaa", json!({"mode": "embedding"}))]);
    assert_eq!(unsaid["modalities"]["output"], json!([]), "nobody says what comes out");
    let zero = json!({"mode": "embedding", "limits": {"context_tokens": 8_191, "output_tokens": 0}});
    assert_eq!(only(&[of("a", "openai", zero)])["limits"]["output_tokens"], 0);
}

#[test]
fn a_server_that_is_called_archived_is_not_active() {
    let server = |source: &str, name: &str| StoredFact {
        head: Head { id: "lamp".into(), name: name.into(), status: Status::Active, ..Head::default() },
        ..stored(source, Kind::McpServer, "lamp", json!({}), NOW)
    };
    let status = |fact: StoredFact| {
        let snapshot = build_at(&[fact], NOW);
        serde_json::from_slice::<Value>(snapshot.row(0)).unwrap()["status"].clone()
    };
    assert_eq!(status(server("a", "Lamp (Archived)")), "deprecated");
    assert_eq!(status(server("a", "Archived lamps")), "active");
}

#[test]
fn two_services_of_one_company_are_two_sellers() {
    let facts = ["azure", "azure-cognitive-services"].map(|seller| model("a", Some(seller), "gpt-5", price(2)));
    let shown = only(&[&facts[..], &[model("a", Some("openai"), "gpt-5", price(1))]].concat());
    let sellers: Vec<&Value> = shown["offers"].as_array().unwrap().iter().map(|offer| &offer["provider"]).collect();
    assert_eq!(sellers, ["azure", "azure-cognitive-services"]);
}

/// A price list had the release of the version before in every dated one.
#[test]
fn a_release_before_the_date_in_the_name_gives_way_to_one_that_fits_it() {
    let dated =
        |source: &str, seller: &str, id: &str, day: &str| model(source, Some(seller), id, json!({"released_on": day}));
    let released = |facts: &[StoredFact]| only(facts)["released_on"].clone();
    let (large, r7b) = ("mistral-large-2512", "command-r7b-12-2024");
    let refuted = dated("a", "mistral", large, "2024-11-01");
    let card = dated("b", "mistral", large, "2025-12-02");
    let shown = only(&[refuted.clone(), card.clone()]);
    assert_eq!(shown["released_on"], "2025-12-02");
    let told = conflict(&shown, "released_on");
    assert_eq!((&told["value"], &told["source_id"]), (&json!("2024-11-01"), &json!("a")));
    assert_eq!(told["reason"], "it lies before the date in the model's name");
    assert_eq!(released(&[refuted.clone(), old(card, 100)]), "2025-12-02", "nothing fresh fits");
    assert_eq!(released(std::slice::from_ref(&refuted)), "2024-11-01", "nobody says anything else");
    assert_eq!(released(&[refuted.clone(), dated("b", "aaa", large, "2024-11-18")]), "2024-11-01");
    // Only those vote whose day fits the name.
    let resold = [("aaa", "2024-11-01"), ("bbb", "2024-11-01"), ("ccc", "2025-12-16")];
    let resold = resold.map(|(seller, day)| dated("a", seller, large, day));
    assert_eq!(released(&[&[refuted][..], &resold].concat()), "2025-12-16");
    let of = |id: &str, first: &str, second: &str| {
        let maker = if id == r7b { "cohere" } else { "mistral" };
        released(&[dated("a", maker, id, first), dated("b", maker, id, second)])
    };
    assert_eq!(of(r7b, "2024-02-27", "2024-12-13"), "2024-12-13");
    assert_eq!(of(r7b, "2023", "2024-12-13"), "2024-12-13");
    assert_eq!(of(r7b, "2024", "2024-12-13"), "2024", "its month may be that of the name");
    assert_eq!(of(large, "2025-12-01", "2025-12-02"), "2025-12-01");
    assert_eq!(of(large, "2026-01-15", "2025-12-02"), "2026-01-15", "a name may be older than its release");
    assert_eq!(of("mistral-large-3", "2024-11-01", "2025-12-02"), "2024-11-01", "a name without a date");
}

/// `family=yi` found only models of Tongyi, and `family=o` rankers and models of video.
#[test]
fn another_makers_family_needs_more_than_letters_inside_of_a_word() {
    let family = |seller: &str, id: &str, said: &str| {
        let mut shown = only(&[model("a", Some(seller), id, json!({"family": said}))]);
        let told = conflict(&shown, "family")["value"].clone();
        (shown["family"].take(), told)
    };
    for (seller, id, said) in [
        ("alibaba", "tongyi-deepresearch-30b", "yi"),
        ("openrouter", "kling/kling-v2", "ling"),
        ("alibaba", "wan2.1-t2v", "o"),
        ("cohere", "rerank-v3.5", "o"),
    ] {
        assert_eq!(family(seller, id, said), (Value::Null, json!(said)), "{id}");
    }
    for (seller, id, said) in [
        ("openai", "o3-mini", "o"),
        ("openai", "chatgpt-4o-latest", "gpt"),
        ("openrouter", "01-ai/yi-34b", "yi"),
        // What somebody made of another's model.
        ("openrouter", "aion-labs/aion-1.0", "llama"),
        ("openrouter", "phind/phind-codellama-34b", "llama"),
        ("openrouter", "deepseek/deepseek-r1-distill-llama-70b", "llama"),
    ] {
        assert_eq!(family(seller, id, said), (json!(said), Value::Null), "{id}");
    }
    let other = only(&[
        model("a", Some("alibaba"), "tongyi-deepresearch-30b", json!({"family": "yi"})),
        model("b", Some("alibaba"), "tongyi-deepresearch-30b", json!({"family": "tongyi"})),
    ]);
    assert_eq!((&other["family"], &conflict(&other, "family")["value"]), (&json!("tongyi"), &json!("yi")));
}
