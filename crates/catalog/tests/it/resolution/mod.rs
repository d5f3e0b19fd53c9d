//! The rule book of resolution through answers: what a reader is told is what a live source says now, and what is not is marked.

mod contradictions;
mod offers;
mod rule_book;
mod status;

use crate::common::{DAY, NOW, source};
use refdesk_catalog::answer::{self, DetailExtras};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::fact::{PendingPrice, SourceInfo, StoredFact, Verdict};
use refdesk_core::item::Status;
use refdesk_core::query::{DetailQuery, ListQuery, Params};
use refdesk_core::{Kind, Stamp, Usd};
use serde_json::{Value, json};

/// A model that was first seen long ago.
fn model(source: &str, seller: Option<&str>, id: &str, fields: Value) -> StoredFact {
    let mut fact = crate::common::model(source, seller, id, fields);
    fact.standing.first_seen_at = NOW.plus_secs(-100 * DAY);
    fact
}

/// The fact as its source left it so many days ago.
fn old(mut fact: StoredFact, days: i64) -> StoredFact {
    fact.standing.last_verified_at = Some(NOW.plus_secs(-days * DAY));
    fact.standing.last_synced_at = NOW.plus_secs(-days * DAY);
    fact
}

fn removed(mut fact: StoredFact) -> StoredFact {
    fact.standing.removed_at = Some(NOW.plus_secs(-DAY));
    fact
}

fn named(mut fact: StoredFact, status: Status) -> StoredFact {
    fact.head.status = status;
    fact
}

/// The price came with the last sync; before it was `before`.
fn pending(mut fact: StoredFact, before: Value) -> StoredFact {
    let before = Usd::from_json(&before);
    fact.pending = vec![PendingPrice { path: "pricing.input".into(), before, since: NOW, verdict: None }];
    fact
}

/// Source `a` outranks `b`, and `b` outranks `c`; all are stale after a week. `own` is openrouter's own list.
fn build_at(facts: &[StoredFact], now: Stamp) -> Snapshot {
    let own_list_of = facts.iter().any(|fact| &*fact.source_id == "own").then(|| "openrouter".to_owned());
    let own = SourceInfo { own_list_of, ..source("own", 9, 7 * DAY) };
    let sources = vec![source("a", 1, 7 * DAY), source("b", 2, 7 * DAY), source("c", 3, 7 * DAY), own];
    crate::common::build_at(facts, sources, now)
}

fn detail(snapshot: &Snapshot, id: &str, query: &[(&'static str, &'static str)]) -> Value {
    let params = Params::new(query.iter().copied(), DetailQuery::names(Kind::Model));
    let query = DetailQuery::parse(&params).unwrap();
    let Ok((ordinal, _)) = answer::resolve(snapshot, Kind::Model, id) else { return Value::Null };
    let extras = DetailExtras { query, ..DetailExtras::default() };
    serde_json::from_slice(&answer::detail(snapshot, ordinal, &extras)).unwrap()
}

/// The one model that the facts make.
fn only(facts: &[StoredFact]) -> Value {
    let snapshot = build_at(facts, NOW);
    assert_eq!(snapshot.item_count(), 1);
    detail(&snapshot, snapshot.id(0), &[])["model"].take()
}

fn price(input: impl Into<Value>) -> Value {
    json!({"pricing": {"input": input.into()}})
}

fn limits(context: impl Into<Value>, input: impl Into<Value>, output: impl Into<Value>) -> Value {
    json!({"limits": {"context_tokens": context.into(), "input_tokens": input.into(), "output_tokens": output.into()}})
}

fn conflict<'a>(model: &'a Value, path: &str) -> &'a Value {
    let conflicts = model["conflicts"].as_array().unwrap();
    conflicts.iter().find(|conflict| conflict["path"] == path).unwrap_or(&Value::Null)
}

#[test]
fn a_source_that_only_states_prices_takes_no_knowledge_away() {
    let model = only(&[
        model("a", Some("anthropic"), "claude-sonnet-4.5", price(3)),
        model(
            "b",
            Some("reseller"),
            "anthropic/claude-sonnet-4.5",
            json!({"limits": {"context_tokens": 200_000}, "family": "claude", "pricing": {"input": 4}}),
        ),
    ]);
    assert_eq!(model["pricing"]["input"], 3);
    assert_eq!((&model["limits"]["context_tokens"], &model["family"]), (&json!(200_000), &json!("claude")));
    assert_eq!(model["field_evidence"]["pricing.input"]["rule"], "maker");
}

#[test]
fn a_price_is_of_one_source_and_another_adds_only_what_agrees() {
    let of = |source: &str, pricing: Value| model(source, Some("openai"), "gpt-5", json!({ "pricing": pricing }));
    let model = only(&[
        of("a", json!({"input": 1.25, "output": 10})),
        of("b", json!({"input": 1.25, "output": 10, "batch_input": 0.625})),
        of("c", json!({"input": 2.5, "output": 10, "cache_read": 0.25})),
    ]);
    assert_eq!(model["pricing"], json!({"input": 1.25, "output": 10, "batch_input": 0.625}));
    assert_eq!(conflict(&model, "pricing.input")["value"], 2.5);
}

#[test]
fn a_licence_written_in_another_case_is_no_conflict() {
    let of = |source: &str, license: &str| model(source, Some("openai"), "gpt-5", json!({ "license": license }));
    let model = only(&[of("a", "mit"), of("b", "MIT"), of("c", "Apache-2.0")]);
    let conflicts = model["conflicts"].as_array().unwrap();
    let values: Vec<&str> = conflicts.iter().filter_map(|conflict| conflict["value"].as_str()).collect();
    assert_eq!((model["license"].as_str(), values.as_slice()), (Some("mit"), ["Apache-2.0"].as_slice()));
}

#[test]
fn a_free_offer_of_the_maker_does_not_make_a_model_free_that_others_sell() {
    let free = model("a", Some("nvidia"), "nvidia/nemotron-4", json!({"pricing": {"input": 0, "output": 0}}));
    let sold = model("a", Some("deepinfra"), "nvidia/nemotron-4", price(0.5));
    let alone = only(std::slice::from_ref(&free));
    assert_eq!(alone["pricing"]["input"], 0, "nobody asks for more");
    let both = only(&[free, sold]);
    assert_eq!(both["pricing"], Value::Null);
    assert_eq!(both["offers"].as_array().unwrap().len(), 2);
}

#[test]
fn a_sellers_own_list_outranks_any_copy_also_by_what_it_does_not_list() {
    let model = only(&[
        model("own", Some("openrouter"), "openai/gpt-oss-120b", price(0.2)),
        model("a", Some("openrouter"), "openai/gpt-oss-120b", price(0.1)),
        model("a", Some("openrouter"), "openai/gpt-oss-120b:nitro", price(0.9)),
    ]);
    let offers = model["offers"].as_array().unwrap();
    assert_eq!(offers.len(), 1, "{offers:?}");
    assert_eq!((&offers[0]["pricing"]["input"], &offers[0]["source_id"]), (&json!(0.2), &json!("own")));
    assert_eq!(conflict(&model, "offers.openrouter.openai/gpt-oss-120b.pricing.input")["value"], 0.1);
    let delisted = conflict(&model, "offers.openrouter.openai/gpt-oss-120b:nitro");
    assert!(delisted["reason"].as_str().unwrap().contains("own list does not have"), "{delisted}");
}

#[test]
fn a_stale_word_counts_only_where_nothing_fresh_states_the_field() {
    let facts = [
        old(
            model(
                "a",
                Some("openai"),
                "gpt-5",
                json!({"family": "gpt", "limits": {"context_tokens": 128_000}, "description": "old"}),
            ),
            100,
        ),
        model("b", Some("openai"), "gpt-5", json!({"limits": {"context_tokens": 400_000}})),
    ];
    let snapshot = build_at(&facts, NOW);
    let shown = detail(&snapshot, "gpt-5", &[])["model"].take();
    assert_eq!((&shown["stale"], &shown["limits"]["context_tokens"]), (&json!(false), &json!(400_000)));
    assert_eq!(shown["stale_fields"], json!(["family", "description"]));
    assert_eq!(shown["family"], "gpt");
    assert_eq!(conflict(&shown, "limits.context_tokens")["stale"], true);
    let fresh = detail(&snapshot, "gpt-5", &[("fresh_only", "true")])["model"].take();
    assert_eq!((&fresh["family"], &fresh["description"]), (&Value::Null, &Value::Null));
    assert_eq!(
        (&fresh["stale_fields"], &fresh["limits"]["context_tokens"]),
        (&json!(["family", "description"]), &json!(400_000))
    );
}

#[test]
fn a_stale_word_spells_no_name_of_a_fresh_item() {
    let spelt = |mut fact: StoredFact| {
        fact.head.name = "GPT-5".into();
        fact
    };
    let of = |source: &str| model(source, Some("openai"), "gpt-5", json!({}));
    assert_eq!(only(&[of("a"), spelt(of("b"))])["display_name"], "GPT-5");
    assert_eq!(only(&[of("a"), old(spelt(of("b")), 100)])["display_name"], "gpt-5");
    assert_eq!(only(&[old(of("a"), 100), old(spelt(of("b")), 100)])["display_name"], "GPT-5");
}

#[test]
fn fresh_only_leaves_stale_offers_and_stale_items_out_and_counts_them() {
    let facts = [
        model("a", Some("openai"), "gpt-5", price(1)),
        old(model("b", Some("reseller"), "openai/gpt-5", price(2)), 100),
        old(model("b", Some("openai"), "gpt-4", price(3)), 100),
    ];
    let snapshot = build_at(&facts, NOW);
    let all = detail(&snapshot, "gpt-5", &[])["model"].take();
    assert_eq!(
        (&all["offers"][0]["stale"], &all["offers"][0]["last_verified_at"]),
        (&json!(true), &json!(NOW.plus_secs(-100 * DAY).to_string()))
    );
    let fresh = detail(&snapshot, "gpt-5", &[("fresh_only", "true")])["model"].take();
    assert_eq!((&fresh["offers"], &fresh["stale_offers_excluded"]), (&json!([]), &json!(1)));
    let params = Params::new([("fresh_only", "true")], ListQuery::names(Kind::Model));
    let query = ListQuery::parse(Kind::Model, &params).unwrap();
    let page: Value =
        serde_json::from_slice(&answer::list(&snapshot, Kind::Model, &query, &[]).pieces.concat()).unwrap();
    let ids: Vec<&Value> = page["models"].as_array().unwrap().iter().map(|row| &row["id"]).collect();
    assert_eq!((ids, &page["total"], &page["excluded_stale"]), (vec![&json!("gpt-5")], &json!(1), &json!(1)));
}

#[test]
fn status_follows_the_makers_dates_and_the_clock() {
    let dated = |seller: &str, id: &str, dates: Value| model("a", Some(seller), id, dates);
    let facts = [
        dated("openai", "gpt-5", json!({"deprecated_on": "2026-10-01", "retires_on": "2026-12"})),
        dated("reseller", "openai/gpt-5", json!({"retires_on": "2026-01-01"})),
    ];
    let status =
        |now: &str| detail(&build_at(&facts, Stamp::parse(now).unwrap()), "gpt-5", &[])["model"]["status"].take();
    assert_eq!(status("2026-09-30T23:59:59Z"), "active", "a reseller's end is the end of its offer only");
    assert_eq!(status("2026-10-01T00:00:00Z"), "deprecated");
    assert_eq!(status("2026-12-31T23:59:59Z"), "deprecated");
    assert_eq!(status("2027-01-01T00:00:00Z"), "retired");
    let snapshot = build_at(&facts, NOW);
    let offer = detail(&snapshot, "gpt-5", &[])["model"]["offers"][0].take();
    assert_eq!((&offer["status"], &offer["retires_on"]), (&json!("retired"), &json!("2026-01-01")));
    assert_eq!(snapshot.next_change_at(), Some(NOW.plus_secs(7 * DAY)), "the facts are stale before");
    let last_day = build_at(&facts, Stamp::parse("2026-09-27T00:00:00Z").unwrap());
    let next = last_day.next_change_at().unwrap();
    assert!(next <= Stamp::parse("2026-10-01T00:00:00Z").unwrap(), "{next}");
}

#[test]
fn a_resellers_deprecation_does_not_mark_a_model_that_others_sell() {
    let of = |seller: &str, status| named(model("a", Some(seller), "openai/gpt-oss-120b", json!({})), status);
    let one = [of("aaa", Status::Deprecated), of("bbb", Status::Active)];
    assert_eq!(only(&one)["status"], "active");
    let all = [of("aaa", Status::Deprecated), of("bbb", Status::Deprecated)];
    assert_eq!(only(&all)["status"], "deprecated");
}

#[test]
fn a_removed_fact_gives_nothing_to_a_living_item_but_a_removed_offer() {
    let facts = [
        removed(model("a", Some("openai"), "gpt-5", json!({"description": "gone words", "family": "gone"}))),
        model("b", Some("reseller"), "openai/gpt-5", price(2)),
        removed(model("b", Some("closed"), "openai/gpt-5", price(1))),
    ];
    let snapshot = build_at(&facts, NOW);
    let shown = detail(&snapshot, "gpt-5", &[]);
    let text = shown.to_string();
    assert!(!text.contains("gone"), "{text}");
    let model = &shown["model"];
    assert_eq!((&model["status"], &model["removed_at"]), (&json!("active"), &Value::Null));
    let offers = model["offers"].as_array().unwrap();
    let of = |provider: &str| offers.iter().find(|offer| offer["provider"] == provider).unwrap();
    assert_eq!(
        (&of("closed")["status"], &of("closed")["removed_at"]),
        (&json!("removed"), &json!(NOW.plus_secs(-DAY).to_string()))
    );
    assert_eq!((&of("reseller")["status"], &of("reseller")["removed_at"]), (&json!("active"), &Value::Null));
    assert!(!model["aliases"].to_string().contains("closed/"), "{}", model["aliases"]);
    let gone = only(&[removed(facts[1].clone())]);
    assert_eq!((&gone["status"], &gone["removed_at"]), (&json!("removed"), &json!(NOW.plus_secs(-DAY).to_string())));
}

#[test]
fn a_time_ahead_of_the_clock_is_no_time() {
    let mut fact = model("a", Some("openai"), "gpt-5", json!({}));
    fact.standing.last_synced_at = NOW.plus_secs(DAY);
    fact.standing.last_verified_at = Some(NOW.plus_secs(DAY));
    let snapshot = build_at(&[fact.clone()], NOW);
    let shown = detail(&snapshot, "gpt-5", &[]);
    let evidence = &shown["evidence"];
    assert_eq!((&evidence["stale_reason"], &evidence["last_verified_at"]), (&json!("never_verified"), &Value::Null));
    assert_eq!(
        (&evidence["last_synced_at"], &evidence["stale_after"], &shown["model"]["stale"]),
        (&Value::Null, &Value::Null, &json!(true))
    );
    assert_eq!(snapshot.next_change_at(), Some(NOW.plus_secs(DAY - 300)), "from then on the time can be");
    fact.standing.last_verified_at = Some(NOW.plus_secs(300));
    let near = detail(&build_at(&[fact], NOW), "gpt-5", &[])["evidence"]["stale"].take();
    assert_eq!(near, false, "clocks differ by minutes");
}

#[test]
fn a_pending_price_is_judged_by_the_level_of_other_prices_and_not_by_its_step() {
    let others = [
        model("a", Some("one"), "openai/gpt-oss-120b", price(0.3)),
        model("a", Some("two"), "openai/gpt-oss-120b", price(0.4)),
    ];
    let shown = |input: Value, before: Value| {
        let mine = pending(model("b", Some("mine"), "openai/gpt-oss-120b", price(input)), before);
        only(&[&others[..], &[mine]].concat())
    };
    let offer = |model: &Value| {
        model["offers"].as_array().unwrap().iter().find(|offer| offer["provider"] == "mine").unwrap().clone()
    };
    let corrected = shown(json!(0.32), json!(3200));
    assert_eq!((&offer(&corrected)["pricing"]["input"], &corrected["warnings"]), (&json!(0.32), &Value::Null));
    let slipped = shown(json!(3200), json!(0.32));
    assert_eq!(offer(&slipped)["pricing"], Value::Null, "unknown is null");
    let told = conflict(&slipped, "offers.mine.openai/gpt-oss-120b.pricing.input");
    assert_eq!(
        (&told["withheld"], &told["value"], &told["since"]),
        (&json!(true), &json!(3200), &json!(NOW.to_string()))
    );
    assert!(
        slipped["warnings"][0].as_str().unwrap().contains("median of the other sellers"),
        "{}",
        slipped["warnings"]
    );
}

#[test]
fn a_price_in_the_place_of_zero_is_judged_as_a_new_one() {
    let others = ["one", "two"].map(|seller| model("a", Some(seller), "openai/gpt-oss-120b", price(0.3)));
    let shown = |input: Value| {
        let mine = pending(model("b", Some("mine"), "openai/gpt-oss-120b", price(input)), json!(0));
        let mut model = only(&[&others[..], &[mine]].concat());
        let offers = model["offers"].as_array().unwrap();
        let price = offers.iter().find(|offer| offer["provider"] == "mine").unwrap()["pricing"]["input"].clone();
        (price, model["warnings"].take())
    };
    assert_eq!(shown(json!(3)), (json!(3), Value::Null), "sellers differ by tens");
    let (price, warnings) = shown(json!(320));
    assert_eq!(price, Value::Null);
    assert!(warnings[0].as_str().unwrap().contains("100 times or more off 0.3"), "{warnings}");
}

#[test]
fn a_pending_price_is_believed_when_a_second_source_confirms_it_a_day_has_passed_or_an_operator_accepts() {
    let mine = || pending(model("b", Some("openai"), "gpt-5", price(1250)), json!(1.25));
    assert_eq!(only(&[mine()])["pricing"], Value::Null, "nothing but the price before tells its level");
    let confirmed = only(&[mine(), model("a", Some("openai"), "gpt-5", price(1250))]);
    assert_eq!((&confirmed["pricing"]["input"], &confirmed["warnings"]), (&json!(1250), &Value::Null));
    let mut waited = mine();
    waited.pending[0].since = NOW.plus_secs(-DAY);
    assert_eq!(only(&[waited])["pricing"]["input"], 1250);
    let mut reviewed = mine();
    reviewed.pending[0].verdict = Some(Verdict::Accepted);
    assert_eq!(only(&[reviewed.clone()])["pricing"]["input"], 1250);
    reviewed.pending[0].verdict = Some(Verdict::Refused);
    reviewed.pending[0].since = NOW.plus_secs(-50 * DAY);
    assert_eq!(only(&[reviewed])["pricing"], Value::Null);
}

#[test]
fn a_withheld_price_gives_way_to_what_another_source_says_of_the_same_seller() {
    let model = only(&[
        pending(model("a", Some("openai"), "gpt-5", price(1250)), json!(1.25)),
        model("b", Some("openai"), "gpt-5", price(1.25)),
    ]);
    assert_eq!(model["pricing"]["input"], 1.25);
    assert_eq!(model["field_evidence"]["pricing.input"]["source_id"], "b");
    assert_eq!(conflict(&model, "pricing.input")["withheld"], true);
}

#[test]
fn an_undated_name_and_its_snapshots_are_linked_and_their_offers_are_seen_together() {
    let facts = [
        model("a", Some("anthropic"), "claude-sonnet-4-5", price(3)),
        model("a", Some("anthropic"), "claude-sonnet-4-5-20250929", price(3)),
        model("a", Some("reseller"), "anthropic/claude-sonnet-4.5", price(4)),
        model("a", Some("other"), "claude-sonnet-4-5@20250929", price(5)),
    ];
    let snapshot = build_at(&facts, NOW);
    let undated = detail(&snapshot, "claude-sonnet-4-5", &[("all_offers", "true")]);
    assert_eq!(undated["model"]["snapshots"], json!([{"id": "claude-sonnet-4-5-20250929", "dated_on": "2025-09-29"}]));
    let dated = detail(&snapshot, "claude-sonnet-4-5-20250929", &[]);
    assert_eq!(dated["model"]["snapshot_of"], "claude-sonnet-4-5");
    assert_eq!(dated["all_offers"], Value::Null, "on request only");
    let offers: Vec<(&Value, &Value)> = undated["all_offers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|offer| (&offer["model_id"], &offer["pricing"]["input"]))
        .collect();
    let (alias, date) = (json!("claude-sonnet-4-5"), json!("claude-sonnet-4-5-20250929"));
    assert_eq!(offers, [(&alias, &json!(3)), (&alias, &json!(4)), (&date, &json!(3)), (&date, &json!(5))]);
}
