//! What a usage costs at each seller.

use super::super::Page;
use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use http::StatusCode;
use refdesk_core::Usd;
use refdesk_core::fact::{Identity, StoredFact};
use refdesk_core::item::{Item, Model, OtherPrice, PriceTier, Pricing};

#[tokio::test]
async fn the_form_of_costs_gives_what_rest_gives() {
    let bench = Bench::new();
    let query = "input_tokens=100k&output_tokens=1M";
    let page = Page::of(&bench, &format!("/models/nova-2?{query}")).await;
    let answer = bench.json("/v1/cost?model=nova-2&input_tokens=100k&output_tokens=1M").await;
    let sellers = answer["sellers"].as_array().unwrap();
    assert!(!sellers.is_empty());
    for seller in sellers {
        let total = seller["total"].as_f64().unwrap();
        assert!(page.words().contains(&format!("${total}")), "${total}: {}", page.words());
    }
    let data = "/v1/cost?model=nova-2&input_tokens=100k&output_tokens=1M".to_owned();
    assert!(page.links().contains(&data), "{:?}", page.links());
    assert!(!Page::of(&bench, "/models/nova-2").await.html().contains("/v1/cost"), "nothing was asked");
    let wrong = Page::refused(&bench, "/models/nova-2?input_tokens=many", StatusCode::BAD_REQUEST).await;
    let (html, words) = (wrong.html(), wrong.words());
    let field = html.split("<input").find(|tag| tag.contains("name=\"input_tokens\"")).unwrap();
    assert!(field.contains("value=\"many\"") && field.contains("aria-invalid=\"true\""), "{field}");
    assert!(words.contains("Input tokens : input_tokens is \"many\"; it takes a whole number"), "{words}");
    assert!(words.contains("Correct it in the form, or leave it empty."), "{words}");
    assert!(words.contains("Nova 2") && !words.contains("Send "), "the page is there: {words}");
}

/// A model that its maker sells dear, and others for less.
fn sold(others: u32) -> Vec<StoredFact> {
    let offer = |provider: &str, id: &str, input: u32| {
        let tier = PriceTier {
            above_context_tokens: 200_000,
            input: Usd::parse("90"),
            output: Usd::parse("1"),
            ..PriceTier::default()
        };
        let pricing = Pricing {
            input: Usd::parse(&input.to_string()),
            output: Usd::parse("1"),
            tiers: vec![tier],
            ..Pricing::default()
        };
        let mut stored = fact(
            &format!("{provider}/{id}"),
            "m",
            "M",
            &Item::Model(Model { pricing: Some(pricing), ..Model::default() }),
        );
        let (provider, api_model_id) = (Some(provider.into()), Some(id.into()));
        stored.identity = Identity { provider, api_model_id, maker: Some("acme".into()), ..Identity::default() };
        stored
    };
    let others = (0..others).map(|at| offer(&format!("hub-{at}"), "acme/m", at + 1));
    std::iter::once(offer("acme", "m", 80)).chain(others).collect()
}

fn part<'h>(html: &'h str, name: &str) -> &'h str {
    html.split_once(&format!("aria-label=\"{name}\"")).unwrap().1.split_once("</table>").unwrap().0
}

#[tokio::test]
async fn each_row_has_the_id_to_send_and_its_parts_and_the_maker_is_never_left_out() {
    let bench = Bench::over(unlimited(), &sold(14));
    let html = Page::of(&bench, "/models/m?input_tokens=1k&output_tokens=2M").await.html();
    let (first, more) = (part(&html, "Costs"), part(&html, "More costs"));
    assert!(first.contains("<code>acme/m</code>") && first.contains("<b>$2.001</b>"), "{first}");
    assert!(first.contains("<td class=\"n\">$0.001</td><td class=\"n\">$2</td>"), "{first}");
    assert!(first.contains(">maker<") && !more.contains(">maker<"), "{first}");
    assert_eq!((first.matches("<tr>").count(), more.matches("<tr>").count()), (12, 5), "with their heads");
    assert!(!first.contains(">Tier<"), "no tier counts");
    let html = Page::of(&bench, "/models/m?input_tokens=300k").await.html();
    let costs = part(&html, "Costs");
    assert!(costs.contains(">Tier<") && costs.contains("above 200,000 tokens"), "{costs}");
}

#[tokio::test]
async fn meters_are_words_and_an_empty_form_is_told_to_be_filled_in() {
    let bench = Bench::over(unlimited(), &sold(1));
    let batch = Page::of(&bench, "/models/m?input_tokens=1k&batch=true").await.words();
    assert!(batch.contains("Batch input") && !batch.contains("batch_input"), "{batch}");
    let empty = Page::refused(&bench, "/models/m?requests=5", StatusCode::BAD_REQUEST).await.words();
    assert!(empty.contains("Fill in at least one number of tokens.") && !empty.contains("leave it empty"), "{empty}");
}

#[tokio::test]
async fn offers_are_counted_as_lists_count_them() {
    let bench = Bench::over(unlimited(), &sold(3));
    let words = Page::of(&bench, "/models/m").await.words();
    assert!(words.contains("Offers (3)") && !words.contains("Sellers ("), "{words}");
    assert!(words.contains("The maker's offer and 3 others. What each seller charges"), "{words}");
    let alone = Page::of(&Bench::over(unlimited(), &sold(0)), "/models/m").await.words();
    assert!(alone.contains("Offers (0)") && alone.contains("Only the maker sells it, as far as"), "{alone}");
    assert!(Page::of(&bench, "/models?columns=sellers").await.html().contains("<td class=\"n\">3</td>"));
}

/// A dash would say that nobody knows the price, and the form asks for tokens that nobody bills.
#[tokio::test]
async fn who_bills_no_tokens_has_its_other_prices_and_no_form_for_tokens() {
    let painter = |provider: &str, id: &str, price: &str, output: Option<&str>| {
        let picture = OtherPrice { meter: "output_image".into(), unit: "image".into(), price: Usd::parse(price) };
        let output = output.and_then(Usd::parse);
        let pricing = Some(Pricing { output, other: vec![picture], ..Pricing::default() });
        let model = Item::Model(Model { pricing, ..Model::default() });
        let mut stored = fact(&format!("{provider}/{id}"), "painter", "Painter", &model);
        let (provider, api_model_id) = (Some(provider.into()), Some(id.into()));
        stored.identity = Identity { provider, api_model_id, maker: Some("acme".into()), ..Identity::default() };
        stored
    };
    // Some sources write a price of nothing for the tokens.
    let facts = [painter("acme", "painter", "0.04", None), painter("hub", "acme/painter", "0.05", Some("0"))];
    let bench = Bench::over(unlimited(), &facts);
    let page = Page::of(&bench, "/models/painter").await;
    let (words, html) = (page.words(), page.html());
    let offers = part(&html, "Offers");
    for price in ["output image: $0.04 per image", "output image: $0.05 per image"] {
        assert!(offers.contains("Other prices") && offers.contains(price), "{price}: {offers}");
    }
    assert!(!words.contains("lowest blended price") && !html.contains("aria-label=\"Meter\""), "{words}");
    assert!(!words.contains("What your usage costs") && !html.contains("href=\"#cost\""), "{words}");
    assert!(html.contains("id=\"cost\"") && words.contains("your usage cannot be priced here"), "{words}");
    let asked = Page::of(&bench, "/models/painter?input_tokens=1k").await.words();
    assert!(asked.contains("What your usage costs"), "whoever asks gets an answer: {asked}");
    let of_tokens = Page::of(&Bench::over(unlimited(), &sold(1)), "/models/m").await;
    assert!(of_tokens.html().contains("href=\"#cost\"") && !of_tokens.words().contains("Other prices"));
}
