//! Where a model stands: by its maker's word and dates, by what its sellers say, and where its published weights outlive the maker's API.

use super::*;

/// 99 models that others sell were `unknown`, since a list of their makers' offers has no status.
#[test]
fn a_maker_that_states_no_status_leaves_it_to_the_sellers() {
    let silent = |fields: Value| named(model("b", Some("openai"), "openai/gpt-oss-120b", fields), Status::Unknown);
    let sold = |status| named(model("a", Some("groq"), "openai/gpt-oss-120b", json!({})), status);
    let status = |facts: &[StoredFact]| only(facts)["status"].clone();
    assert_eq!(status(&[silent(json!({}))]), "unknown");
    assert_eq!(status(&[silent(json!({})), sold(Status::Active)]), "active");
    assert_eq!(status(&[silent(json!({})), sold(Status::Retired)]), "unknown", "the end of one offer only");
    assert_eq!(status(&[silent(json!({})), old(sold(Status::Active), 100)]), "unknown", "a stale word");
    let ended = silent(json!({"retires_on": "2026-01-01"}));
    assert_eq!(status(&[ended, sold(Status::Active)]), "retired", "a date is the maker's word");
}

/// Kimi K2 was `retired` while 38 sellers had it, since the API of its maker had ended.
#[test]
fn published_weights_outlive_the_api_of_their_maker() {
    let of =
        |source: &str, seller: &str, fields: Value| model(source, Some(seller), "moonshotai/kimi-k2-thinking", fields);
    let own = |is_open: bool| of("a", "moonshotai", json!({"open_weights": is_open, "pricing": {"input": 0.6}}));
    let ended = of("b", "moonshot", json!({"retires_on": "2026-05-25"}));
    let resold = of("a", "groq", price(0.7));

    let shown = only(&[own(true), ended.clone(), resold.clone()]);
    assert_eq!((&shown["status"], &shown["retires_on"]), (&json!("active"), &Value::Null));
    assert_eq!(shown["pricing"], Value::Null, "its price is that of an offer that is over");
    assert_eq!(shown["field_evidence"]["retires_on"], Value::Null);
    let offers = shown["offers"].as_array().unwrap();
    let offer = offers.iter().find(|offer| offer["provider"] == "moonshotai").unwrap();
    assert_eq!((&offer["status"], &offer["retires_on"]), (&json!("retired"), &json!("2026-05-25")));
    assert_eq!(offer["pricing"]["input"], 0.6);

    let closed = only(&[own(false), ended.clone(), resold.clone()]);
    assert_eq!((&closed["status"], &closed["retires_on"]), (&json!("retired"), &json!("2026-05-25")));
    assert_eq!(closed["pricing"]["input"], 0.6);
    let alone = only(&[own(true), ended.clone()]);
    assert_eq!(
        (&alone["status"], &alone["pricing"]["input"]),
        (&json!("retired"), &json!(0.6)),
        "nobody else sells it"
    );
    let over = only(&[own(true), ended, named(resold.clone(), Status::Retired)]);
    assert_eq!((&over["status"], &over["retires_on"]), (&json!("retired"), &json!("2026-05-25")));
    let by_word = only(&[named(own(true), Status::Retired), resold]);
    assert_eq!((&by_word["status"], &by_word["pricing"]), (&json!("active"), &Value::Null));
}
