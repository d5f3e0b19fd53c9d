//! One offer of several sources, and values of which no seller is better than another.

use super::*;

/// The offer of a seller.
fn offer<'a>(model: &'a Value, seller: &str) -> &'a Value {
    model["offers"].as_array().unwrap().iter().find(|offer| offer["provider"] == seller).unwrap()
}

fn sold(source: &str, fields: Value) -> StoredFact {
    model(source, Some("bedrock"), "openai/gpt-oss-120b", fields)
}

#[test]
fn what_one_source_alone_states_of_an_offer_is_added_where_both_agree() {
    let tiers =
        json!([{"above_context_tokens": 200_000, "input": 6, "output": null, "cache_read": null, "cache_write": null}]);
    let best = json!({"pricing": {"input": 3, "output": 15, "tiers": [], "other": []}});
    let other = json!({
        "pricing": {"input": 3, "output": 15, "cache_read": 0.3, "tiers": tiers,
            "other": [{"meter": "web_search", "unit": "query", "price": 0.01}]},
        "limits": {"context_tokens": 131_072}, "retires_on": "2026-04-30"
    });
    let shown = only(&[sold("a", best), sold("b", other.clone())]);
    let offer = offer(&shown, "bedrock");
    assert_eq!((&offer["source_id"], &offer["pricing"]["input"]), (&json!("a"), &json!(3)));
    assert_eq!((&offer["pricing"]["cache_read"], &offer["pricing"]["tiers"]), (&json!(0.3), &tiers));
    assert_eq!(offer["pricing"]["other"], other["pricing"]["other"]);
    assert_eq!(offer["limits"]["context_tokens"], 131_072);
    assert_eq!((&offer["retires_on"], &offer["status"]), (&json!("2026-04-30"), &json!("retired")));
    let stated = &shown["field_evidence"]["offers.bedrock.openai/gpt-oss-120b.pricing.cache_read"];
    assert_eq!((&stated["source_id"], &stated["rule"]), (&json!("b"), &json!("most_sellers")));
    assert_eq!(shown["conflicts"], json!([]));
}

#[test]
fn an_id_that_two_sources_write_in_another_case_is_one_offer() {
    let of = |source: &str, id: &str| model(source, Some("ovhcloud"), id, price(0.1));
    let shown = only(&[of("a", "llama-3.1-8b-instruct"), of("b", "Llama-3.1-8B-Instruct")]);
    let ids: Vec<&Value> = shown["offers"].as_array().unwrap().iter().map(|offer| &offer["api_model_id"]).collect();
    assert_eq!(ids, ["llama-3.1-8b-instruct"]);
}

#[test]
fn an_offer_of_which_the_best_source_states_no_price_has_that_of_the_next() {
    let shown = only(&[sold("a", json!({})), sold("b", json!({"pricing": {"input": 1.35, "output": 5.4}}))]);
    let offer = offer(&shown, "bedrock");
    assert_eq!((&offer["pricing"], &offer["source_id"]), (&json!({"input": 1.35, "output": 5.4}), &json!("b")));
}

#[test]
fn what_does_not_agree_stands_in_conflicts_with_what_its_source_states_beside_it() {
    let shown = only(&[
        sold("a", json!({"pricing": {"input": 3, "output": 15}})),
        sold("b", json!({"pricing": {"input": 4, "output": 15, "cache_read": 0.4}})),
    ]);
    assert_eq!(offer(&shown, "bedrock")["pricing"], json!({"input": 3, "output": 15}));
    let path = |meter: &str| format!("offers.bedrock.openai/gpt-oss-120b.pricing.{meter}");
    assert_eq!(conflict(&shown, &path("input"))["value"], 4);
    assert_eq!(conflict(&shown, &path("cache_read"))["value"], 0.4);
}

#[test]
fn a_limit_above_the_context_of_its_offer_is_told_and_not_shown() {
    let shown = only(&[sold("a", limits(20_000, Value::Null, 64_000))]);
    assert_eq!(offer(&shown, "bedrock")["limits"]["output_tokens"], Value::Null);
    let told = conflict(&shown, "offers.bedrock.openai/gpt-oss-120b.limits.output_tokens");
    assert_eq!(
        (&told["value"], &told["reason"]),
        (&json!(64_000), &json!("it is above the context of the same offer"))
    );
    let of_two =
        only(&[sold("a", limits(20_000, Value::Null, Value::Null)), sold("b", limits(20_000, Value::Null, 64_000))]);
    let told = conflict(&of_two, "offers.bedrock.openai/gpt-oss-120b.limits.output_tokens");
    assert_eq!(told["source_id"], "b", "who states it");
}

#[test]
fn of_values_that_equally_many_sellers_state_none_is_shown_and_all_are_told() {
    let of = |source: &str, seller: &str, fields: Value| model(source, Some(seller), "openai/gpt-oss-120b", fields);
    let shown = only(&[
        of("a", "aaa", json!({"released_on": "2025-08-05", "limits": {"context_tokens": 400_000}})),
        of("a", "zzz", json!({"released_on": "2025-09-07", "limits": {"context_tokens": 480}})),
    ]);
    assert_eq!((&shown["released_on"], &shown["limits"]["context_tokens"]), (&Value::Null, &Value::Null));
    let told: Vec<(&Value, &Value)> =
        shown["conflicts"].as_array().unwrap().iter().map(|told| (&told["path"], &told["value"])).collect();
    for (path, value) in [
        ("released_on", json!("2025-08-05")),
        ("released_on", json!("2025-09-07")),
        ("limits.context_tokens", json!(400_000)),
        ("limits.context_tokens", json!(480)),
    ] {
        assert!(told.contains(&(&json!(path), &value)), "{path} {value}: {told:?}");
    }
    let reason = conflict(&shown, "released_on")["reason"].as_str().unwrap();
    assert!(reason.contains("as many sellers state another value"), "{reason}");
    let better = only(&[
        of("a", "zzz", json!({"released_on": "2025-08-07"})),
        of("b", "aaa", json!({"released_on": "2025-08-05"})),
    ]);
    assert_eq!(better["released_on"], "2025-08-07", "the better source decides between equally many");
}

#[test]
fn of_limits_that_differ_only_as_they_are_rounded_the_smallest_is_shown() {
    let of = |seller: &str, context: u64| {
        model("a", Some(seller), "openai/gpt-oss-120b", limits(context, Value::Null, Value::Null))
    };
    assert_eq!(only(&[of("aaa", 131_072), of("zzz", 128_000)])["limits"]["context_tokens"], 128_000);
}

#[test]
fn a_list_that_says_where_the_weights_are_outweighs_who_says_that_there_are_none() {
    let of =
        |seller: &str, is_open: bool| model("a", Some(seller), "zai-org/glm-5.1", json!({"open_weights": is_open}));
    let mut named = of("openrouter", true);
    named.identity.same_as = vec!["zai-org/GLM-5.1".into()];
    let shown = only(&[of("zai", false), of("aaa", false), named]);
    assert_eq!(shown["open_weights"], true);
    assert_eq!(shown["field_evidence"]["open_weights"]["rule"], "makers_weights");
    assert_eq!(conflict(&shown, "open_weights")["value"], false);
}

#[test]
fn the_end_of_one_sellers_offer_is_not_that_of_the_model() {
    let of = |seller: &str| named(model("a", Some(seller), "openai/gpt-oss-120b", json!({})), Status::Retired);
    let one = only(&[of("aaa")]);
    assert_eq!((&one["status"], &one["offers"][0]["status"]), (&json!("unknown"), &json!("retired")));
    assert_eq!(only(&[of("aaa"), of("bbb")])["status"], "retired");
}

#[test]
fn one_price_that_is_far_too_low_withholds_no_other() {
    let new = |seller: &str, input: f64| {
        let mut fact = model("a", Some(seller), "openai/gpt-oss-120b", price(input));
        (fact.standing.first_seen_at, fact.standing.restated) = (NOW, false);
        fact
    };
    let shown = only(&[new("deepinfra", 0.0025), new("fireworks", 2.5), new("groq", 2.5)]);
    let input = |seller: &str| offer(&shown, seller)["pricing"]["input"].clone();
    assert_eq!((input("fireworks"), input("groq")), (json!(2.5), json!(2.5)));
    assert_eq!(offer(&shown, "deepinfra")["pricing"], Value::Null);
    let warning = shown["warnings"][0].as_str().unwrap();
    assert!(warning.contains("100 times or more off 2.5, the median of the other sellers"), "{warning}");
}

#[test]
fn a_price_at_the_top_is_added_to_meter_by_meter() {
    let tier = |cache_write: Value| json!([{"above_context_tokens": 200_000, "input": 6, "output": null, "cache_read": null, "cache_write": cache_write}]);
    let other = |price: f64| json!({"meter": "web_search", "unit": "query", "price": price});
    let own = |source: &str, pricing: Value| model(source, Some("openai"), "gpt-5", json!({ "pricing": pricing }));
    let first = own("a", json!({"input": 3, "tiers": tier(Value::Null), "other": [other(0.01)]}));
    let image = json!({"meter": "input_image", "unit": "image", "price": 0.5});
    let second =
        own("b", json!({"input": 3, "cache_read": 0.3, "tiers": tier(json!(7.5)), "other": [image, other(0.01)]}));
    let shown = only(&[first.clone(), second]);
    assert_eq!(shown["conflicts"], json!([]), "what one states and the other does not is no disagreement");
    assert_eq!((&shown["pricing"]["tiers"], &shown["pricing"]["cache_read"]), (&tier(json!(7.5)), &json!(0.3)));
    assert_eq!(shown["pricing"]["other"], json!([other(0.01), image]));
    let evidence = &shown["field_evidence"];
    let by = |path: &str| evidence[path]["source_id"].clone();
    assert_eq!((by("pricing.tiers"), by("pricing.tiers.200000.cache_write")), (json!("a"), json!("b")));
    assert_eq!((by("pricing.input"), by("pricing.other.input_image/image")), (json!("a"), json!("b")));

    let dearer = own("b", json!({"input": 3, "cache_read": 0.3, "tiers": tier(Value::Null), "other": [other(0.02)]}));
    let shown = only(&[first, dearer]);
    assert_eq!(conflict(&shown, "pricing.other.web_search/query")["value"], 0.02);
    assert_eq!((shown["conflicts"].as_array().unwrap().len(), &shown["pricing"]["cache_read"]), (1, &Value::Null));
}

#[test]
fn a_month_and_a_day_in_it_are_no_disagreement() {
    let of = |source: &str, seller: &str, day: &str| {
        model(source, Some(seller), "openai/gpt-oss-120b", json!({ "released_on": day }))
    };
    let shown = only(&[of("a", "openai", "2025-08"), of("b", "openai", "2025-08-05"), of("c", "openai", "2025-09")]);
    assert_eq!(shown["released_on"], "2025-08");
    let told: Vec<&Value> = shown["conflicts"].as_array().unwrap().iter().map(|told| &told["value"]).collect();
    assert_eq!(told, ["2025-09"]);

    let tied = only(&[of("a", "groq", "2025-08-05"), of("a", "bedrock", "2025-08")]);
    assert_eq!(tied["released_on"], "2025-08", "so much both of them state");
    let torn = only(&[of("a", "groq", "2025-08-05"), of("a", "bedrock", "2025-09-05")]);
    assert_eq!((&torn["released_on"], torn["conflicts"].as_array().unwrap().len()), (&Value::Null, 2));
}

/// A model whose sellers are torn between two days of a month had no release at all, and stood behind all others in every order by it.
#[test]
fn of_two_days_of_one_month_the_month_is_shown_and_both_days_are_told() {
    let of = |seller: &str, day: &str| {
        model("a", Some(seller), "openai/gpt-oss-120b", json!({ "released_on": day, "knowledge_cutoff": day }))
    };
    let shown = only(&[of("aaa", "2025-08-05"), of("mmm", "2025-08-07"), of("zzz", "2025-08-29")]);
    assert_eq!((&shown["released_on"], &shown["knowledge_cutoff"]), (&json!("2025-08"), &json!("2025-08")));
    let told = shown["conflicts"].as_array().unwrap().iter().filter(|told| told["path"] == "released_on");
    let mut days: Vec<&str> = told.map(|told| told["value"].as_str().unwrap()).collect();
    days.sort_unstable();
    assert_eq!(days, ["2025-08-05", "2025-08-07", "2025-08-29"]);
    let reason = conflict(&shown, "released_on")["reason"].as_str().unwrap();
    assert!(reason.contains("only what all of them state is shown"), "{reason}");
    let most = only(&[of("aaa", "2025-08-05"), of("mmm", "2025-08-07"), of("zzz", "2025-08-07")]);
    assert_eq!(most["released_on"], "2025-08-07", "most sellers state it");
}

#[test]
fn a_seller_with_another_limit_than_the_makers_confirms_no_model() {
    let of_maker = || model("a", Some("openai"), "openai/gpt-oss-120b", limits(400_000, Value::Null, 128_000));
    let tier =
        |context: u64| only(&[of_maker(), sold("b", limits(context, Value::Null, 128_000))])["trust_tier"].clone();
    assert_eq!([400_000, 409_600, 272_000].map(tier), ["verified", "verified", "community"]);
}

/// Two lists of a reseller's price made a model less trusted that all of them describe alike.
#[test]
fn who_differs_about_a_resellers_offer_agrees_on_its_model() {
    let of_maker = model("a", Some("openai"), "openai/gpt-oss-120b", limits(400_000, Value::Null, 128_000));
    let at = |source: &str, input: u64| sold(source, json!({"pricing": {"input": input, "output": 15}}));
    let shown = only(&[of_maker, at("b", 3), at("c", 4)]);
    assert_eq!(conflict(&shown, "offers.bedrock.openai/gpt-oss-120b.pricing.input")["value"], 4);
    assert_eq!(shown["trust_tier"], "verified");
    let at =
        |source: &str, seller: &str, input: Value| model(source, Some(seller), "openai/gpt-oss-120b", price(input));
    let far_off = pending(at("b", "mine", json!(3_200)), json!(0.32));
    let withheld = only(&[at("a", "one", json!(0.3)), at("a", "two", json!(0.4)), far_off]);
    assert_eq!(withheld["trust_tier"], "community", "a price that is not believed");
}

/// What sellers of one model say that it takes in, each once: what is shown, and what `conflicts` lists.
fn taken_in(said: &[(&str, Value)]) -> (Value, Vec<Value>) {
    let of = |(seller, input): &(&str, Value)| {
        model("a", Some(seller), "openai/gpt-oss-120b", json!({"modalities": {"input": input, "output": ["text"]}}))
    };
    let mut shown = only(&said.iter().map(of).collect::<Vec<_>>());
    let conflicts = shown["conflicts"].as_array_mut().unwrap();
    let told = conflicts.iter_mut().filter(|told| told["path"] == "modalities.input").map(|told| told["value"].take());
    let told = told.collect();
    (shown["modalities"]["input"].take(), told)
}

/// A tie of `text` and `text, image` left nothing to show, though both sellers say that the model reads text.
#[test]
fn of_lists_that_equally_many_sellers_state_what_all_of_them_have_is_shown() {
    let (text, image, audio) = (json!(["text"]), json!(["text", "image"]), json!(["audio", "text"]));
    let tied = [("aaa", image.clone()), ("zzz", text.clone())];
    assert_eq!(taken_in(&tied), (text.clone(), vec![image.clone()]));
    let three = [("aaa", image.clone()), ("mmm", audio.clone()), ("zzz", text.clone())];
    assert_eq!(taken_in(&three), (text.clone(), vec![image.clone(), audio]));
    assert_eq!(taken_in(&[&tied[..], &[("mmm", image.clone())]].concat()).0, image, "most sellers state it");
    let apart = [("aaa", json!(["image"])), ("zzz", text.clone())];
    assert_eq!(taken_in(&apart), (json!([]), vec![json!(["image"]), text]), "unknown, as where nobody says anything");
}

#[test]
fn files_and_pdfs_are_one_in_a_vote_and_are_shown_as_most_sources_call_them() {
    let (file, pdf, text) = (json!(["file", "text"]), json!(["text", "pdf"]), json!(["text"]));
    let input = |said: &[&Value]| {
        let sellers = ["aaa", "bbb", "ccc", "ddd", "eee"].into_iter();
        taken_in(&sellers.zip(said).map(|(seller, list)| (seller, (*list).clone())).collect::<Vec<_>>()).0
    };
    assert_eq!(input(&[&file, &text, &pdf]), pdf, "two of three");
    assert_eq!(input(&[&file, &text, &file]), file, "nobody says what the files are");
    assert_eq!(input(&[&json!(["text", "file", "image"]), &json!(["audio", "pdf", "text"])]), json!(["pdf", "text"]));
}
