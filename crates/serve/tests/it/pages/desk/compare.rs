//! Items side by side: what differs is what people see differ.

use super::super::Page;
use crate::common::catalog::{card, fact};
use crate::common::{Bench, NOW, unlimited};
use refdesk_core::Usd;
use refdesk_core::fact::{Identity, StoredFact};
use refdesk_core::item::{Capabilities, Domain, Framework, Item, Model, Pricing, Status};
use serde_json::{Value, json};

#[tokio::test]
async fn a_comparison_marks_in_words_what_differs() {
    let bench = Bench::new();
    let page = Page::of(&bench, "/compare?kind=models&ids=nova-2,orbit-1").await;
    let answer = bench.json("/v1/models/compare?ids=nova-2,orbit-1").await;
    let rows = answer["rows"].as_array().unwrap();
    let is_known = |value: &&Value| !value.is_null() && **value != json!([]);
    let has_all = |row: &&Value| row["values"].as_array().unwrap().iter().filter(is_known).count() == 2;
    let named = rows.iter().filter(|row| row["path"] != "display_name");
    let differing = named.filter(|row| row["differs"] == true).filter(has_all);
    // Moments of one day look the same.
    let differing = differing
        .filter(|row| {
            row["values"][0].as_str().map(|at| &at[..10]) != row["values"][1].as_str().map(|at| &at[..10])
                || !row["path"].as_str().unwrap().ends_with("_at")
        })
        .count();
    assert!(page.words().contains(&format!("{differing} of {} fields differ.", rows.len() - 1)), "{}", page.words());
    assert_eq!(page.html().matches("<td>differs</td>").count(), differing);
    let fresh = |id: &str| {
        let evidence = &answer["evidence"][id];
        let word = if evidence["stale"] == true { "stale" } else { "fresh" };
        format!("{word} {}", &evidence["last_verified_at"].as_str().unwrap()[..10])
    };
    let head = format!("Field Nova 2 nova-2 {} Orbit 1 orbit-1 {} Differs", fresh("nova-2"), fresh("orbit-1"));
    assert!(head.contains("fresh") && head.contains("stale") && page.words().contains(&head), "{}", page.words());
    assert!(page.words().contains("Tool call ") && !page.words().contains("1M_tokens"), "{}", page.words());
    let only = Page::of(&bench, "/compare?kind=models&ids=nova-2&ids=orbit-1&diff=1").await;
    assert_eq!(only.html().matches("<tr class=\"differs\">").count(), differing);
    assert!(!only.html().contains("<span class=\"soft\">same</span>"));
}

#[tokio::test]
async fn what_cannot_be_compared_is_told_and_the_rest_is_shown() {
    let bench = Bench::new();
    for (target, told, is_table) in [
        ("/compare", "What to compare", false),
        ("/compare?ids=nova-2", "One item is not a comparison", false),
        ("/compare?ids=nova-2,nova-2", "One item is not a comparison", false),
        ("/compare?ids=nova-2,orbit-1", "fields differ", true),
        ("/compare?ids=%22nova-2%22,orbit-1", "fields differ", true),
        ("/compare?kind=models&ids=%22nova-2%22,orbit-1", "fields differ", true),
        ("/compare?ids=nova-2,orbit-1,alto-1,zenith-9,nova-2,a,b", "compares up to 5", true),
        ("/compare?ids=nova-2,orbit-1,hammer", "of another kind (tool) and was left out", true),
        ("/compare?kind=models&ids=nova-2,orbit-1,nothing", "has the id “nothing”; it was left out", true),
        ("/compare?kind=chairs&ids=nova-2,orbit-1", "Unknown kind “chairs”", false),
        ("/compare?ids=x-none", "Unknown id:", false),
        ("/compare?ids=x-none,y-none", "Unknown ids:", false),
        ("/compare?ids=nova-2,acme/nova-2", "These ids all name one item", false),
        ("/compare?ids=nova-2,orbit-1,nova-2", "named more than once is shown once", true),
        ("/compare?ids=nova-2,acme/nova-2,orbit-1", "named more than once is shown once", true),
        ("/compare?ids=nova-2,orbit-1,zzz,zzz", "has the id “zzz”; it was left out", true),
    ] {
        let page = Page::of(&bench, target).await;
        assert!(page.words().contains(told), "{target}: {}", page.words());
        let is_one = told.starts_with("These");
        assert_eq!(page.words().contains("name one item"), is_one, "{target}: {}", page.words());
        let is_repeated = is_table && target.matches("nova-2").count() > 1;
        assert_eq!(page.words().contains("shown once"), is_repeated, "{target}: {}", page.words());
        assert_eq!(page.html().contains("aria-label=\"Comparison\""), is_table, "{target}");
    }
}

#[tokio::test]
async fn an_unknown_id_stays_in_the_form_beside_links_to_what_may_be_meant() {
    let page = Page::of(&Bench::new(), "/compare?kind=models&ids=orbit-1,nova-3").await;
    assert!(page.html().contains("name=\"ids\" value=\"nova-3\""), "{}", page.html());
    assert!(page.words().contains("“nova-3”; it was left out. Did you mean"), "{}", page.words());
    assert!(page.links().contains(&"/compare?kind=models&ids=orbit-1%2Cnova-2".to_owned()), "{:?}", page.links());
}

fn made_by_acme(id: &str) -> Identity {
    let (provider, maker) = (Some("acme".into()), Some("acme".into()));
    Identity { provider, api_model_id: Some(id.into()), maker, ..Identity::default() }
}

/// Two models of one maker, checked in different hours of a day.
fn models() -> [StoredFact; 2] {
    let of = |id: &str, hours: i64, cache_write: Option<Usd>| {
        let pricing = Pricing { input: Usd::parse("1"), output: Usd::parse("2"), cache_write, ..Pricing::default() };
        let model = Model { pricing: Some(pricing), ..Model::default() };
        let mut stored = fact(id, id, id, &Item::Model(model));
        stored.standing.last_verified_at = Some(NOW.plus_secs(-hours * 3600));
        stored.identity = made_by_acme(id);
        stored
    };
    [of("alpha", 1, Usd::parse("6.25")), of("beta", 2, None)]
}

/// The row of a label, as words.
fn row(page: &Page, label: &str) -> String {
    let html = page.html();
    let rows = html.split("<tr").map(|row| row.split("</tr>").next().unwrap().to_owned());
    rows.into_iter().find(|row| row.contains(&format!("scope=\"row\">{label}"))).unwrap_or_default()
}

#[tokio::test]
async fn equal_days_and_what_is_unknown_do_not_differ() {
    let page = Page::of(&Bench::over(unlimited(), &models()), "/compare?ids=alpha,beta").await;
    assert!(row(&page, "Last verified").contains(">same<"), "{}", row(&page, "Last verified"));
    assert!(row(&page, "Cache write price").contains(">one known<"), "{}", row(&page, "Cache write price"));
    assert!(page.words().contains("0 of "), "{}", page.words());
    assert!(row(&page, "Blended price").contains("$1.25"), "{}", row(&page, "Blended price"));
    assert!(row(&page, "Name").is_empty(), "the head has it");
}

#[tokio::test]
async fn a_status_that_no_source_states_differs_from_nothing() {
    let [mut unstated, active] = models();
    unstated.head.status = Status::Unknown;
    let page = Page::of(&Bench::over(unlimited(), &[unstated, active]), "/compare?ids=alpha,beta").await;
    let status = row(&page, "Status");
    assert!(status.contains("<span class=\"unknown\">unknown</span>") && status.contains(">one known<"), "{status}");
    assert!(page.words().contains("0 of "), "{}", page.words());
}

#[tokio::test]
async fn a_stale_no_does_not_read_as_not_stale() {
    let of = |source: &str, hours: i64, capabilities: Capabilities| {
        let mut stored =
            fact(&format!("{source}/m"), "m", "M", &Item::Model(Model { capabilities, ..Model::default() }));
        stored.source_id = source.into();
        stored.identity = made_by_acme("m");
        stored.standing.last_verified_at = Some(NOW.plus_secs(-hours * 3600));
        stored
    };
    let stale = Capabilities { streaming: Some(false), ..Capabilities::default() };
    let [other, _] = models();
    let bench = Bench::over(unlimited(), &[of("first", 1, Capabilities::default()), of("second", 800, stale), other]);
    for target in ["/compare?ids=m,alpha", "/models/m"] {
        let words = Page::of(&bench, target).await.words();
        assert!(words.contains("no ; stale"), "{target}: {words}");
    }
}

#[tokio::test]
async fn sentences_stand_on_lines_of_their_own_and_long_texts_are_folded() {
    let stated = |id: &str, steps: &[&str]| {
        let steps = steps.iter().map(|step| (*step).to_owned()).collect();
        let item = Item::Framework(Framework { steps, ..card(id, id, Domain::Risk, &"word ".repeat(80)) });
        let mut stored = fact(id, id, id, &item);
        stored.head.status = Status::Published;
        stored
    };
    let facts = [stated("one", &["First, look", "Then, leap"]), stated("two", &["Leap"])];
    let page = Page::of(&Bench::over(unlimited(), &facts), "/compare?kind=frameworks&ids=one,two").await;
    let steps = row(&page, "Steps");
    assert!(steps.contains("<ul class=\"lines\"><li>First, look</li><li>Then, leap</li></ul>"), "{steps}");
    let summary = row(&page, "Summary");
    assert!(
        summary.contains("<details class=\"long\">") && summary.contains(&"word ".repeat(80).trim_end().to_owned()),
        "{summary}"
    );
    assert!(summary.contains("<span class=\"less\">less</span></summary>"), "open, it still has a name: {summary}");
}

#[tokio::test]
async fn a_form_without_a_tick_says_so() {
    let words = Page::of(&Bench::new(), "/compare?kind=models").await.words();
    assert!(words.contains("Nothing is chosen: tick two to 5 items of a list"), "{words}");
}
