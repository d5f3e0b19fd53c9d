//! Which offers of many sellers are one model, and whose price it has.

use super::{items, only, price, resolved};
use crate::common::model;
use refdesk_core::fact::StoredFact;
use serde_json::{Value, json};

fn sold(provider: &str, id: &str) -> StoredFact {
    model("a", Some(provider), id, json!({}))
}

fn weights(id: &str) -> StoredFact {
    model("c", None, id, json!({}))
}

#[test]
fn a_sellers_plain_name_is_the_instruct_model_and_weights_named_plainly_are_the_base() {
    let facts = [
        weights("meta-llama/Llama-3.1-8B"),
        weights("meta-llama/Llama-3.1-8B-Instruct"),
        sold("snowflake", "llama3.1-8b"),
        sold("groq", "llama-3.1-8b-instant"),
        sold("both", "llama-3.1-8b"),
        sold("both", "llama-3.1-8b-instruct"),
        model("a", Some("texts"), "llama-3.1-8b", json!({"mode": "completion"})),
        sold("hub", "meta-llama/Llama-3.1-8B"),
    ];
    assert_eq!(
        items(&facts),
        [
            vec!["-/meta-llama/Llama-3.1-8B", "both/llama-3.1-8b", "hub/meta-llama/Llama-3.1-8B", "texts/llama-3.1-8b"],
            vec![
                "-/meta-llama/Llama-3.1-8B-Instruct",
                "both/llama-3.1-8b-instruct",
                "groq/llama-3.1-8b-instant",
                "snowflake/llama3.1-8b"
            ],
        ]
    );
}

#[test]
fn words_in_another_order_and_sizes_left_out_are_one_model_where_only_one_can_be_meant() {
    for (together, one, other) in vec![
        (true, sold("x", "gemini-flash-1.5"), sold("google", "gemini-1.5-flash")),
        (true, sold("y", "llama-4-scout"), weights("meta-llama/Llama-4-Scout-17B-16E-Instruct")),
        (true, sold("y", "qwen3-coder:480b"), weights("Qwen/Qwen3-Coder-480B-A35B-Instruct")),
        (true, sold("vertex_ai-ai21_models", "jamba-1.5-large@001"), sold("ai21", "jamba-1.5-large")),
        (true, sold("y", "gemini-3-pro"), sold("google", "gemini-3-pro-preview")),
        (true, sold("azure", "gpt-5.2-chat"), sold("openai", "gpt-5.2-chat-latest")),
        (false, sold("google", "gemini-2.5-pro"), sold("google", "gemini-2.5-pro-preview")),
        (false, sold("google", "gemini-1.5-flash"), sold("google", "gemini-1.5-flash-8b")),
        (false, sold("y", "mistral-large"), sold("mistral", "mistral-large-latest")),
        (false, sold("openai", "gpt-5"), sold("azure", "gpt-5-chat")),
        (false, sold("watsonx", "granite-13b-chat-v2"), sold("watsonx", "granite-13b-instruct-v2")),
        (false, sold("y", "deepseek-r1"), sold("x", "deepseek-r1:8b")),
    ] {
        let what = format!("{} {}", one.key, other.key);
        assert_eq!(items(&[one, other]).len(), if together { 1 } else { 2 }, "{what}");
    }
    let second =
        [sold("google", "gemini-1.5-pro"), sold("google", "gemini-1.5-pro-001"), sold("google", "gemini-1.5-pro-002")];
    assert_eq!(items(&second).len(), 3, "with a second stable version the plain name is an alias that moved");
}

#[test]
fn of_a_product_that_moves_on_only_the_offer_that_names_its_weights_is_those_weights() {
    let mut stated = model("b", Some("openrouter"), "deepseek/deepseek-chat", json!({}));
    stated.identity.same_as = vec!["deepseek-ai/DeepSeek-V3".into()];
    let copy = sold("openrouter", "deepseek/deepseek-chat");
    let facts = [
        stated,
        copy,
        sold("deepseek", "deepseek-chat"),
        sold("kilo", "deepseek-chat"),
        weights("deepseek-ai/DeepSeek-V3"),
    ];
    assert_eq!(
        items(&facts),
        [
            vec!["-/deepseek-ai/DeepSeek-V3", "openrouter/deepseek/deepseek-chat", "openrouter/deepseek/deepseek-chat"],
            vec!["deepseek/deepseek-chat", "kilo/deepseek-chat"],
        ]
    );
}

#[test]
fn resellers_are_offers_and_the_maker_prices_the_model() {
    let resolution = resolved(&[
        model("b", Some("openrouter"), "anthropic/claude-sonnet-4.5", price(3.3, 16)),
        model("a", Some("amazon-bedrock"), "anthropic.claude-sonnet-4-5", price(3.1, 15.5)),
        model("b", Some("anthropic"), "claude-sonnet-4-5", price(3, 15)),
        model("c", Some("openrouter"), "anthropic/claude-sonnet-4.5:batch", json!({"pricing": {"batch_input": 1.5}})),
    ]);
    let item = only(&resolution);
    assert_eq!((item.id.as_str(), item.vendor.as_deref()), ("claude-sonnet-4-5", Some("Anthropic")));
    assert_eq!(item.fields["pricing"]["input"], json!(3));
    let offers: Vec<(&str, &str)> =
        item.offers.iter().map(|offer| (offer.provider.as_str(), offer.api_model_id.as_str())).collect();
    assert_eq!(
        offers,
        [
            ("amazon-bedrock", "anthropic.claude-sonnet-4-5"),
            ("openrouter", "anthropic/claude-sonnet-4.5"),
            ("openrouter", "anthropic/claude-sonnet-4.5:batch"),
        ]
    );
    let bedrock = &item.offers[0];
    assert_eq!((bedrock.fact, &bedrock.pricing["output"]), (1, &json!(15.5)));
}

#[test]
fn a_model_that_its_maker_does_not_sell_has_no_price_of_its_own() {
    let resolution = resolved(&[
        model("a", Some("groq"), "openai/gpt-oss-120b", price(0.15, 0.6)),
        model("b", Some("cerebras"), "gpt-oss-120b", price(0.25, 0.69)),
    ]);
    let item = only(&resolution);
    assert_eq!(item.fields["pricing"], Value::Null);
    assert_eq!(item.offers.len(), 2);
    assert!(!item.field_evidence.iter().any(|stated| stated.path.starts_with("pricing.")));
    assert!(!item.conflicts.iter().any(|conflict| conflict.path.starts_with("pricing")));
}

#[test]
fn the_same_offer_of_two_sources_is_one_and_their_difference_is_shown() {
    let resolution = resolved(&[
        model("b", Some("together_ai"), "zai-org/GLM-5", price(1.1, 3.2)),
        model("a", Some("togetherai"), "zai-org/GLM-5", price(1, 3.2)),
    ]);
    let item = only(&resolution);
    assert_eq!(item.offers.len(), 1);
    assert_eq!(item.offers[0].pricing["input"], json!(1));
    let conflict = item.conflicts.iter().find(|conflict| conflict.path.starts_with("offers.")).unwrap();
    assert_eq!(conflict.path, "offers.togetherai.zai-org/GLM-5.pricing.input");
    assert_eq!((&conflict.value, conflict.fact, &conflict.reason), (&json!(1.1), 0, &None));
}

/// A fact that its source lists for the first time.
fn new(mut fact: StoredFact) -> StoredFact {
    fact.standing.restated = false;
    fact
}

#[test]
fn a_new_price_far_off_the_same_seller_in_another_source_is_withheld_alone() {
    let resolution = resolved(&[
        model("a", Some("wandb"), "openai/gpt-oss-20b", price(0.05, 0.2)),
        new(model("b", Some("wandb"), "gpt-oss-20b", price(5000, 0.21))),
        model("b", Some("groq"), "openai/gpt-oss-20b", price(500, 600)),
    ]);
    let offers = &only(&resolution).offers;
    let wandb = offers.iter().find(|offer| offer.api_model_id == "gpt-oss-20b").unwrap();
    assert_eq!((&wandb.pricing["input"], &wandb.pricing["output"]), (&Value::Null, &json!(0.21)));
    let groq = offers.iter().find(|offer| offer.provider == "groq").unwrap();
    assert_eq!(groq.pricing["input"], json!(500), "what its source stated twice is shown at any level");
    let withheld: Vec<_> =
        resolution.withheld.iter().map(|of| (&*of.source_id, of.path.as_str(), of.value.as_str())).collect();
    assert_eq!(withheld, [("b", "pricing.input", "5000")]);
    let item = only(&resolution);
    let conflict = item.conflicts.iter().find(|conflict| conflict.withheld_since.is_some()).unwrap();
    assert_eq!((conflict.path.as_str(), &conflict.value), ("offers.wandb.gpt-oss-20b.pricing.input", &json!(5000)));
    assert!(item.warnings[0].contains("5000 of b is withheld"), "{:?}", item.warnings);
}

#[test]
fn a_new_price_of_the_maker_is_judged_too_and_zero_is_a_conflict_only() {
    let resolution = resolved(&[
        model("a", Some("openai"), "gpt-5", price(1.25, 10)),
        new(model("b", Some("openai"), "gpt-5", price(1_250_000, 0))),
    ]);
    let item = only(&resolution);
    assert_eq!((&item.fields["pricing"]["input"], &item.fields["pricing"]["output"]), (&json!(1.25), &json!(10)));
    let withheld = &resolution.withheld;
    assert_eq!((withheld.len(), withheld[0].others.as_deref()), (1, Some("1.25")));
    let is_withheld = |path: &str| {
        item.conflicts.iter().find(|conflict| conflict.path == path).map(|conflict| conflict.withheld_since.is_some())
    };
    assert_eq!((is_withheld("pricing.input"), is_withheld("pricing.output")), (Some(true), Some(false)));
}

#[test]
fn a_new_price_above_what_models_cost_is_withheld_though_nothing_else_tells_its_level() {
    let shown = |input: u32| resolved(&[new(model("a", Some("openai"), "gpt-5", price(input, 8)))]);
    let dear = shown(600);
    assert_eq!((&only(&dear).fields["pricing"]["input"], dear.withheld.len()), (&json!(600), 0));
    // A price for a thousand tokens where one for a token belongs.
    let slip = shown(3_200);
    assert_eq!(only(&slip).fields["pricing"]["input"], Value::Null);
    assert_eq!(only(&slip).fields["pricing"]["output"], json!(8));
    assert!(slip.withheld[0].reason.starts_with("it is above 1000, "), "{}", slip.withheld[0].reason);
    let stated_again = resolved(&[model("a", Some("openai"), "gpt-5", price(3_200, 8))]);
    assert_eq!(only(&stated_again).fields["pricing"]["input"], json!(3_200));
}

#[test]
fn ids_of_one_seller_that_are_equal_but_for_case_stay_two_items() {
    let resolution = resolved(&[
        model("a", Some("together_ai"), "BAAI/bge-base-en-v1.5", json!({})),
        model("a", Some("together_ai"), "baai/bge-base-en-v1.5", json!({})),
        model("b", Some("cloudflare"), "@cf/baai/bge-base-en-v1.5", json!({})),
    ]);
    let mut sizes: Vec<usize> = resolution.items.iter().map(|item| item.facts.len()).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [1, 2]);
    assert_ne!(resolution.items[0].id, resolution.items[1].id);
}

#[test]
fn a_cross_reference_joins_what_only_resellers_name_and_never_a_snapshot_or_the_makers_own_name() {
    let referring = |id: &str, target: &str| {
        let mut fact = model("b", Some("openrouter"), id, json!({}));
        fact.identity.same_as = vec![target.into()];
        fact
    };
    let weights = |id: &str| model("c", None, id, json!({"open_weights": true}));
    let joined = resolved(&[
        referring("meta-llama/llama-4-scout", "meta-llama/Llama-4-Scout-17B"),
        weights("meta-llama/Llama-4-Scout-17B"),
    ]);
    assert_eq!(only(&joined).fields["open_weights"], json!(true));
    let snapshot = resolved(&[
        referring("cohere/command-a", "CohereLabs/command-a-03-2025"),
        weights("CohereLabs/command-a-03-2025"),
    ]);
    assert_eq!(snapshot.items.len(), 2);
    let own = model("a", Some("deepseek"), "deepseek-chat", json!({}));
    let product = resolved(&[
        own,
        referring("deepseek/deepseek-chat", "deepseek-ai/DeepSeek-V3"),
        weights("deepseek-ai/DeepSeek-V3"),
    ]);
    assert_eq!(product.items.len(), 2, "the maker's own product name moves on and is no fixed weights");
}

#[test]
fn a_model_whose_first_source_repeats_the_id_is_spelt_as_the_next_one_spells_it() {
    let called = |name: &str| {
        let (mut maker, mut seller) = (sold("anthropic", "claude-opus-5"), sold("market", "claude-opus-5"));
        maker.head.name = "claude-opus-5".to_owned();
        seller.head.name = name.to_owned();
        let resolution = resolved(&[maker, seller]);
        let model = only(&resolution);
        let named_by =
            model.field_evidence.iter().find(|stated| stated.path == "display_name").map(|stated| stated.fact);
        (model.name.clone(), named_by)
    };
    assert_eq!(called("Claude Opus 5"), ("Claude Opus 5".to_owned(), Some(1)));
    assert_eq!(called("Opus, the fifth"), ("claude-opus-5".to_owned(), None), "another name is no spelling of it");
}

#[test]
fn a_model_is_not_called_after_the_only_offer_of_it() {
    let mut free = model("a", Some("openrouter"), "baidu/cobuddy:free", json!({}));
    free.head.name = "Baidu: CoBuddy (free)".to_owned();
    let resolution = resolved(&[free]);
    let model = only(&resolution);
    assert_eq!((model.name.as_str(), model.vendor.as_deref()), ("CoBuddy", Some("Baidu")));
    assert_eq!(model.aliases, ["openrouter/baidu/cobuddy:free"], "its key still names it");
}
