//! Disagreements about what sellers take: whose value is shown, whose is not, and what is withheld.

use super::Page;
use crate::common::catalog::fact;
use crate::common::{Bench, DAY, NOW, unlimited};
use refdesk_core::Usd;
use refdesk_core::fact::{Identity, PendingPrice, StoredFact};
use refdesk_core::item::{Item, Model, Pricing};
use serde_json::json;

/// What a source says that a seller takes for a model.
fn offer(source: &str, seller: &str, id: &str, input: &str) -> StoredFact {
    let pricing = Pricing { input: Usd::parse(input), output: Usd::parse("0.2"), ..Pricing::default() };
    let model = Item::Model(Model { pricing: Some(pricing), ..Model::default() });
    let mut stored = fact(&format!("{source}/{seller}/{id}"), "gpt-oss-20b", "gpt-oss-20b", &model);
    stored.source_id = source.into();
    stored.identity = Identity { provider: Some(seller.into()), api_model_id: Some(id.into()), ..Identity::default() };
    stored
}

#[tokio::test]
async fn the_price_of_a_seller_is_shown_beside_what_another_source_states() {
    let model = "openai/gpt-oss-20b";
    let facts = [offer("first", "hub_a", model, "0.5"), offer("second", "hub_a", model, "0.6")];
    let bench = Bench::over(unlimited(), &facts);
    for query in ["path=offers", "min_percent=20"] {
        let conflict = bench.json(&format!("/v1/conflicts?{query}")).await["conflicts"][0].take();
        assert_eq!(conflict["path"], "offers.hub_a.openai/gpt-oss-20b.pricing.input", "{query}");
        assert_eq!((&conflict["value"], &conflict["source_id"]), (&json!(0.5), &json!("first")));
        assert_eq!(conflict["rule"], "best_source", "{query}: by which the value of the offer is shown");
        assert_eq!((&conflict["others"][0]["value"], &conflict["others"][0]["percent"]), (&json!(0.6), &json!(20)));
        for stated in [&conflict, &conflict["others"][0]] {
            let key = stated["evidence_key"].as_str().unwrap();
            let evidence = bench.json(&format!("/v1/evidence/{key}")).await;
            for name in ["source_id", "last_verified_at", "stale"] {
                assert_eq!(stated[name], evidence[name], "{query}: {name} of {key}");
            }
            assert!(stated["last_verified_at"].is_string() && stated["stale"] == false, "{query}: {stated}");
        }
    }
    let words = Page::of(&bench, "/conflicts?path=offers").await.words();
    let row = "Offer hub_ a. openai/ gpt-oss-20b : input price $0.5 first";
    assert!(words.contains(row) && words.contains("$0.6 (20 % apart)"), "{words}");
    let checked = format!("second , checked {}", NOW.plus_secs(-DAY).to_string().split_at(10).0);
    assert!(words.contains(&checked), "{checked}: {words}");
    let links = Page::of(&bench, "/conflicts?path=offers").await.links();
    let to_evidence = |link: &&String| link.starts_with("/evidence/");
    assert_eq!(links.iter().filter(to_evidence).count(), 2, "of the value that is shown, and of the other: {links:?}");
    let of_item = Page::of(&bench, "/models/gpt-oss-20b").await.words();
    assert!(of_item.contains(&format!("{row} $0.6 second")), "whose each is: {of_item}");
    let counted = Page::of(&bench, "/models?columns=conflicts,cheapest").await;
    assert!(counted.html().contains("<td class=\"n\">1</td><td>hub_a, $0.5 in, $0.2 out</td>"), "{}", counted.html());
}

/// Before, the shown value was repeated in the row of each value that a source states instead.
#[tokio::test]
async fn what_several_state_otherwise_stands_beside_what_is_shown_once() {
    let model = "openai/gpt-oss-20b";
    let mut again = offer("second", "hub_a", model, "0.7");
    again.key = "second/again".into();
    let facts = [offer("first", "hub_a", model, "0.5"), offer("second", "hub_a", model, "0.6"), again];
    let bench = Bench::over(unlimited(), &facts);
    let html = Page::of(&bench, "/models/gpt-oss-20b").await.html();
    let table = html.split_once("aria-label=\"Conflicts\"").unwrap().1.split_once("</table>").unwrap().0;
    assert_eq!(table.matches("<th scope=\"row\" rowspan=\"2\">").count(), 1, "{table}");
    assert_eq!(["$0.5", "$0.6", "$0.7"].map(|price| table.matches(price).count()), [1, 1, 1], "{table}");
    assert!(html.contains("Conflicts (2)"), "each is counted: {html}");
}

#[tokio::test]
async fn a_withheld_price_says_so_in_its_place_and_since_when() {
    let mut odd = offer("second", "hub", "gpt-oss-20b", "5000");
    let before = refdesk_core::Usd::parse("0.05");
    odd.pending = vec![PendingPrice { path: "pricing.input".into(), before, since: NOW, verdict: None }];
    let facts = [offer("first", "hub", "openai/gpt-oss-20b", "0.05"), odd];
    let bench = Bench::over(unlimited(), &facts);
    let page = Page::of(&bench, "/models/gpt-oss-20b").await;
    let html = page.html();
    let sellers = html.split_once("aria-label=\"Offers\"").unwrap().1.split_once("</table>").unwrap().0;
    assert_eq!(sellers.matches("<b class=\"stale\">withheld</b>").count(), 1, "{sellers}");
    assert_eq!(sellers.matches("<span class=\"hidden\"> cheapest</span>").count(), 1, "{sellers}");
    let conflict = &bench.json("/v1/models/gpt-oss-20b").await["model"]["conflicts"][0];
    let (since, reason) = (conflict["since"].as_str().unwrap(), conflict["reason"].as_str().unwrap());
    let all = Page::of(&bench, "/conflicts").await.words();
    assert!(page.words().contains(&since[..10]) && all.contains(&format!("withheld since {}", &since[..10])), "{all}");
    let reason = reason.split('`').next().unwrap().trim();
    assert!(page.words().contains(reason) && all.contains(reason), "{all}");
}
