//! No answer is longer than a model can read, and each says how to go on.

use super::{ask, call, long_facts, structured};
use crate::common::{Bench, catalog, unlimited};
use crate::rest::items::sellers::sold;
use refdesk_core::fact::{Identity, StoredFact};
use refdesk_core::item::{
    Domain, Framework, Input, Item, Limits, McpServer, McpTool, Model, OtherPrice, Pricing, Prompt, Status,
};
use refdesk_core::{Kind, Usd};
use refdesk_serve::mcp::ANSWER_CHARS_MAX;
use serde_json::{Value, json};

#[tokio::test]
async fn no_answer_is_longer_than_a_model_can_read_and_each_says_how_to_go_on() {
    let bench = Bench::over(unlimited(), &long_facts());
    let text = "\"Zeile\"\nmit ü ".repeat(40_000);
    bench.bodies.put(Kind::Document, "long.md", &text, text.as_bytes());
    for (tool, arguments) in [
        ("list_items", json!({"type": "MODEL", "limit": 500})),
        ("search_catalog", json!({"q": "long", "limit": 50, "include_markdown": true})),
        ("search_catalog", json!({"q": "long page", "type": "DOC", "include_markdown": true})),
        ("get_item", json!({"id": "long-page"})),
        ("read_document", json!({"id": "long-page", "limit": 50_000})),
    ] {
        let result = call(&bench, tool, arguments.clone()).await;
        let shown: usize = result["content"]
            .as_array()
            .unwrap()
            .iter()
            .map(|block| {
                block["text"].as_str().map_or_else(|| block.to_string().chars().count(), |text| text.chars().count())
            })
            .sum();
        assert!(shown <= ANSWER_CHARS_MAX, "{tool} {arguments}: {shown}");
        let answer = &result["structuredContent"];
        if shown > 50_000 || tool == "get_item" {
            assert_eq!(answer["truncated"], true, "{tool} {arguments}: {shown}");
            assert!(answer["how_to_continue"].as_str().is_some_and(|how| !how.is_empty()), "{tool}");
        }
        assert!(!result.to_string().contains('\u{202e}'), "{tool}: hidden characters are gone");
    }
    // The pages of a cut list are gapless.
    let (mut ids, mut offset) = (Vec::new(), json!(0));
    while !offset.is_null() {
        let page = structured(&bench, "list_items", json!({"type": "MODEL", "limit": 500, "offset": offset})).await;
        ids.extend(crate::common::ids(&page["models"]).into_iter().map(str::to_owned));
        offset = page["next_offset"].clone();
    }
    let rest = bench.json("/v1/models/list?limit=500").await;
    assert_eq!(ids, crate::common::ids(&rest["models"]));
}

#[tokio::test]
async fn long_lists_of_an_item_are_cut_and_say_so() {
    let mut many = crate::common::catalog::facts();
    let model = many.iter_mut().find(|fact| fact.kind == Kind::Model && fact.key.contains("nova-2")).unwrap();
    model.head.aliases = (0..9).map(|at| format!("nova-two-{at}")).collect();
    let bench = Bench::over(unlimited(), &many);
    let short = structured(&bench, "get_item", json!({"id": "nova-2", "type": "MODEL"})).await;
    assert_eq!(short["model"]["aliases"].as_array().map(Vec::len), Some(8));
    assert!(short["how_to_continue"].as_str().is_some_and(|how| how.contains("model.aliases (8 of ")), "{short}");
    let whole = structured(&bench, "get_item", json!({"id": "nova-2", "type": "MODEL", "full": true})).await;
    assert!(whole["model"]["aliases"].as_array().is_some_and(|all| all.len() >= 9) && whole["truncated"] != true);
}

/// `nova-2` at so many sellers, each dearer than the one before.
fn sold_by(sellers: usize) -> Vec<StoredFact> {
    let of_seller = |at: usize| {
        let input = Usd::parse(&format!("{}", at + 1));
        let pricing = Pricing { input, cache_read: Usd::parse("0.1"), ..Pricing::default() };
        let limits = Limits { output_tokens: Some(8_000), ..Limits::default() };
        let model = Model { pricing: Some(pricing), limits, ..Model::default() };
        let mut sold = catalog::fact(&format!("s{at:02}/acme/nova-2"), "nova-2", "Nova 2", &Item::Model(model));
        sold.identity = Identity {
            provider: Some(format!("s{at:02}")),
            api_model_id: Some("acme/nova-2".into()),
            maker: Some("acme".into()),
            ..Identity::default()
        };
        sold
    };
    catalog::facts().into_iter().chain((0..sellers).map(of_seller)).collect()
}

#[tokio::test]
async fn a_cost_shows_the_cheapest_sellers_and_says_how_to_get_the_others() {
    let bench = Bench::over(unlimited(), &sold_by(60));
    let sellers = |answer: &Value| -> Vec<String> {
        let sellers = answer["sellers"].as_array().unwrap().iter();
        sellers.map(|seller| seller["seller"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let all = sellers(&bench.json("/v1/cost?model=nova-2&input_tokens=1000").await);
    assert!(all.len() >= 60 && all.contains(&"s59".to_owned()), "{all:?}");
    let asked = json!({"model": "nova-2", "input_tokens": 1000});
    let short = structured(&bench, "estimate_cost", asked.clone()).await;
    assert_eq!(sellers(&short), all[..8]);
    assert!(short.to_string().len() < 4_000, "{}", short.to_string().len());
    let how = short["how_to_continue"].as_str().unwrap();
    assert!(how.contains(&format!("limit={} gives all of them", all.len())), "{how}");
    let with = |name: &str, value: Value| {
        let mut asked = asked.clone();
        asked[name] = value;
        asked
    };
    assert_eq!(sellers(&structured(&bench, "estimate_cost", with("limit", json!(all.len()))).await), all);
    assert_eq!(sellers(&structured(&bench, "estimate_cost", with("limit", json!(1))).await), all[..1]);
    assert_eq!(sellers(&structured(&bench, "estimate_cost", with("seller", json!("s59"))).await), ["s59"]);
    let two = with("seller", json!(["s59", all[0]]));
    assert_eq!(sellers(&structured(&bench, "estimate_cost", two).await), [all[0].as_str(), "s59"]);
    assert_eq!(structured(&bench, "estimate_cost", with("seller", json!("nobody"))).await["sellers"], json!([]));
    let whole = structured(&bench, "estimate_cost", with("full", json!(true))).await;
    assert_eq!((sellers(&whole).len(), &whole["truncated"]), (all.len(), &Value::Null));
}

#[tokio::test]
async fn an_offer_keeps_every_price_and_limit_that_it_states() {
    let bench = Bench::over(unlimited(), &sold_by(1));
    let item = structured(&bench, "get_item", json!({"id": "nova-2", "type": "MODEL"})).await;
    let offers = item["model"]["offers"].as_array().unwrap();
    let offer = offers.iter().find(|offer| offer["provider"] == "s00").unwrap();
    assert_eq!(offer["pricing"], json!({"input": 1, "cache_read": 0.1}));
    assert_eq!(offer["limits"], json!({"output_tokens": 8_000}));
}

/// A framework with a prompt of so many characters, and an input that the prompt does not name.
fn framework(id: &str, prompt_chars: usize) -> StoredFact {
    let prompt = Prompt {
        version: "1".into(),
        sha256: refdesk_core::hash::hex(&[0; 32]),
        text: format!("Think. {}", "word ".repeat(prompt_chars / 5)),
        variables: Vec::new(),
    };
    let note = Input { name: "note".into(), required: false, description: "Anything else".into() };
    let card = catalog::card(id, "Lantern method", Domain::Risk, "Look at a plan by the light of a lantern");
    let framework = Framework { prompt: Some(prompt), inputs: vec![note], ..card };
    let mut fact = catalog::fact(id, id, "Lantern method", &Item::Framework(framework));
    fact.head.status = Status::Published;
    fact
}

#[tokio::test]
async fn a_search_of_frameworks_is_counted_once_however_often_it_is_cut() {
    let facts: Vec<StoredFact> = ["one", "two", "three"].map(|id| framework(id, 60_000)).into();
    let bench = Bench::over(unlimited(), &facts);
    let asked = json!({"q": "lantern method", "include_prompt": true});
    let cut = structured(&bench, "search_frameworks", asked).await;
    assert_eq!(cut["truncated"], true, "else nothing is tried");
    let how = cut["how_to_continue"].as_str().unwrap();
    assert!(how.ends_with("frameworks.prompt.text cut; get_framework gives one card in full"), "{how}");
    let text = bench.get("/metrics").await.text();
    assert!(text.contains("refdesk_searches_total{search=\"frameworks\"} 1\n"), "{text}");
}

/// A framework with a long prompt and a long summary.
fn wordy_framework(id: &str) -> StoredFact {
    let mut long = framework(id, 7_000);
    let mut fields = long.fields.read().into_owned();
    fields.insert("summary".into(), json!("light ".repeat(400)));
    long.fields = refdesk_core::fact::Fields::of_json(Value::from(fields).to_string()).unwrap();
    long.head.name = format!("Lantern method {id}");
    long
}

#[tokio::test]
async fn ten_frameworks_are_as_short_as_ten_hits() {
    let facts: Vec<StoredFact> = (0..10).map(|at| wordy_framework(&format!("lantern-{at}"))).collect();
    let bench = Bench::over(unlimited(), &facts);
    let asked = json!({"q": "lantern method", "limit": 10});
    let (ten, cards) = tokens(&bench, "search_frameworks", asked).await;
    assert!(ten <= 1_400, "{ten}");
    assert_eq!((cards["frameworks"].as_array().map(Vec::len), cards.get("query")), (Some(10), None));
    assert_eq!(cards["frameworks"][0]["domain"], "risk", "{cards}");
    let none = structured(&bench, "search_frameworks", json!({"q": "zzqx wqpv"})).await;
    assert_eq!((&none["frameworks"], &none["count"]), (&json!([]), &json!(0)), "{none}");
}

/// Before, cards were measured with what is left out of them, and some were dropped that would have fitted.
#[tokio::test]
async fn cards_are_measured_as_they_are_shown() {
    let facts: Vec<StoredFact> = (0..40).map(|at| wordy_framework(&format!("lantern-{at}"))).collect();
    let bench = Bench::over(unlimited(), &facts);
    let asked = json!({"q": "lantern method", "limit": 40});
    let shown = structured(&bench, "search_frameworks", asked.clone()).await;
    assert_eq!((shown["frameworks"].as_array().map(Vec::len), &shown["truncated"]), (Some(40), &Value::Null));
    let mut in_full = asked;
    in_full["full"] = json!(true);
    let fewer = structured(&bench, "search_frameworks", in_full).await;
    let kept = fewer["frameworks"].as_array().map(Vec::len).unwrap();
    assert!((10..40).contains(&kept), "{kept}");
    assert_eq!((&fewer["count"], &fewer["limit"], &fewer["total"]), (&json!(kept), &json!(kept), &json!(40)));
    let how = format!("only the best {kept} cards are shown; get_framework gives one in full, domain narrows them");
    assert_eq!(fewer["how_to_continue"], how);
}

/// A hit has the figures of a model as members; its snippet says what the model is.
#[tokio::test]
async fn a_list_takes_what_a_search_understood_and_a_hit_says_nothing_twice() {
    let pricing = Pricing { input: Usd::parse("1"), output: Usd::parse("1"), ..Pricing::default() };
    let description = Some("A kite for gentle winds.".to_owned());
    let item = Item::Model(Model { description, pricing: Some(pricing), ..Model::default() });
    let mut kite = sold("kite", "acme", "1", Status::Active);
    kite.fields = catalog::fact("kite", "kite", "kite", &item).fields;
    let bench = Bench::over(unlimited(), &[sold("merlin", "acme", "2", Status::Active), kite]);
    let hits = structured(&bench, "search_catalog", json!({"q": "cheapest models"})).await;
    let understood = &hits["understood"];
    assert_eq!(understood.get("list_url"), None, "a path of REST is no call: {hits}");
    assert_eq!(crate::common::ids(&hits["results"]), ["kite", "merlin"]);
    assert_eq!(hits["results"][0]["snippet"], "A kite for gentle winds.");
    assert_eq!(hits["results"][0]["pricing"], json!({"input": 1, "output": 1}));
    let same =
        json!({"type": understood["kind"], "filters": understood["filters"], "sort": understood["sort"], "limit": 1});
    let list = structured(&bench, "list_items", same).await;
    assert_eq!((crate::common::ids(&list["models"]), &list["total"]), (vec!["kite"], &hits["total"]));
}

/// Who asks for the newest models sees their dates.
#[tokio::test]
async fn a_row_and_a_hit_show_the_values_that_are_bounded_or_sorted_by() {
    let bench = Bench::new();
    let filters = json!({"output_tokens__gte": "8000", "released_on__gte": "2026"});
    for (tool, list, asked) in [
        ("list_items", "models", json!({"type": "MODEL", "filters": filters})),
        ("search_catalog", "results", json!({"q": "nova", "type": "MODEL", "filters": filters})),
    ] {
        let shown = structured(&bench, tool, asked).await[list][0].take();
        assert_eq!((&shown["id"], &shown["released_on"]), (&json!("nova-2"), &json!("2026-03-01")), "{tool}: {shown}");
        assert_eq!(shown["limits"]["output_tokens"], 8_192, "{tool}: {shown}");
    }
}

#[tokio::test]
async fn a_prompt_that_is_asked_for_comes_whole_and_other_texts_end_in_an_ellipsis() {
    let bench = Bench::over(unlimited(), &[wordy_framework("lantern")]);
    let asked = structured(&bench, "get_item", json!({"id": "lantern", "include_prompt": true})).await;
    let prompt = asked["framework"]["prompt"]["text"].as_str().unwrap();
    assert_eq!(prompt, format!("Think. {}", "word ".repeat(1_400)));
    assert!(asked["framework"]["summary"].as_str().unwrap().ends_with('…'), "{asked}");
    let unasked = structured(&bench, "get_item", json!({"id": "lantern"})).await;
    assert_eq!(unasked["framework"]["prompt"]["text"], Value::Null);
}

#[tokio::test]
async fn an_optional_input_of_a_prompt_that_is_blank_is_left_out() {
    let bench = Bench::over(unlimited(), &[framework("lantern", 5)]);
    for (note, text) in [(json!("late"), "Think. word \n\nnote: late"), (json!(" \n"), "Think. word ")] {
        let got = ask(&bench, "prompts/get", json!({"name": "lantern", "arguments": {"note": note}})).await;
        assert_eq!(got["result"]["messages"][0]["content"]["text"], text);
    }
    let wrong = ask(&bench, "prompts/get", json!({"name": "lantern", "arguments": [1]})).await;
    assert_eq!(wrong["error"]["message"], "Invalid params: `arguments` must be an object of strings.");
}

/// Tokens of the text of an answer.
async fn tokens(bench: &Bench, tool: &str, arguments: Value) -> (usize, Value) {
    let mut result = call(bench, tool, arguments).await;
    let chars = result["content"][0]["text"].as_str().unwrap().chars().count();
    (chars.div_ceil(4), result["structuredContent"].take())
}

/// Models and servers as long as upstreams write them: names, addresses, descriptions, many sellers, spellings and tools.
fn wordy() -> Vec<StoredFact> {
    let words = |at: usize| {
        format!("Searches a library of lanterns number {at} and lists what burns in them, {}", "word ".repeat(60))
    };
    let mut facts = sold_by(40);
    for at in 0..30 {
        let id = format!("io.github.long-company/lantern-library-{at:02}");
        let tools =
            (0..30).map(|tool| McpTool { name: format!("find_lantern_{tool}"), description: Some(words(tool)) });
        let server = McpServer { description: Some(words(at)), tools: tools.collect(), ..McpServer::default() };
        let name = format!("Lantern Library of a Long Company {at}");
        let mut fact = catalog::fact(&id, &id, &name, &Item::McpServer(server));
        fact.source_url = format!("https://registry.example/v0.1/servers/{id}/versions/latest");
        fact.head.aliases = (0..20).map(|alias| format!("lantern {at} {alias}")).collect();
        facts.push(fact);
    }
    facts
}

#[tokio::test]
async fn an_answer_has_the_tokens_that_are_promised() {
    let bench = Bench::over(unlimited(), &wordy());
    let (ten, hits) = tokens(&bench, "search_catalog", json!({"q": "lantern library"})).await;
    let results = hits["results"].as_array().unwrap();
    let snippets = results.iter().filter_map(|hit| hit["snippet"].as_str()).map(|text| text.chars().count());
    let snippets: Vec<usize> = snippets.collect();
    assert!(ten <= 1_400 && ten > 1_000, "ten hits: {ten}");
    assert_eq!((results.len(), snippets.len()), (10, 10), "none is left out");
    assert!(snippets.iter().all(|chars| (24..160).contains(chars)), "they share what is left: {snippets:?}");
    let (three, hits) = tokens(&bench, "search_catalog", json!({"q": "lantern library", "limit": 3})).await;
    let texts = hits["results"].as_array().unwrap().iter().filter_map(|hit| hit["snippet"].as_str());
    let longest = texts.map(|text| text.chars().count()).max();
    assert!(three < 700 && longest > snippets.iter().copied().max(), "three have room: {three}, {longest:?}");
    let (list, _) = tokens(&bench, "list_items", json!({"type": "MCP_SERVER", "limit": 20})).await;
    assert!(list <= 1_600 && list > 1_000, "a list of 20: {list}");
    for id in ["nova-2", "io.github.long-company/lantern-library-00", "guide-start"] {
        let (item, _) = tokens(&bench, "get_item", json!({"id": id})).await;
        assert!(item <= 1_500, "{id}: {item}");
    }
}

#[tokio::test]
async fn a_row_tells_what_tokens_cost_or_the_first_other_meter_and_whose_prices_they_are() {
    let other = |meter: &str| OtherPrice { meter: meter.into(), unit: "query".into(), price: Usd::parse("0.01") };
    let model = |name: &str, input: Option<&str>| {
        let others = vec![other("web_search"), other("file_search")];
        let pricing = Pricing { input: input.and_then(Usd::parse), other: others, ..Pricing::default() };
        let mut own = sold(name, "acme", "1", Status::Active);
        let item = Item::Model(Model { pricing: Some(pricing), ..Model::default() });
        own.fields = catalog::fact(name, name, name, &item).fields;
        own
    };
    let bench = Bench::over(unlimited(), &[model("kite", Some("2")), model("merlin", None)]);
    let list = structured(&bench, "list_items", json!({"type": "MODEL"})).await;
    let rows = &list["models"];
    assert_eq!(rows[0]["pricing"], json!({"input": 2}), "{list}");
    assert_eq!(rows[1]["pricing"]["other"].as_array().map(Vec::len), Some(1), "{list}");
    let hits = structured(&bench, "search_catalog", json!({"q": "kite"})).await;
    assert_eq!(
        (&hits["results"][0]["id"], &hits["results"][0]["pricing"]),
        (&json!("kite"), &json!({"input": 2})),
        "as its row"
    );
    let of_sellers = Bench::over(unlimited(), &[sold("own", "market", "3", Status::Active)]);
    let list =
        structured(&of_sellers, "list_items", json!({"type": "MODEL", "filters": {"price_of": "cheapest"}})).await;
    let by: Vec<&String> = list["models"][0]["priced_by"].as_object().unwrap().keys().collect();
    assert_eq!(by, ["seller", "api_model_id", "evidence_key"], "{list}");
    let nothing = structured(&bench, "list_items", json!({"type": "MODEL", "filters": {"vendor": "Nobody"}})).await;
    assert_eq!((&nothing["models"], &nothing["total"]), (&json!([]), &json!(0)), "{nothing}");
    let none = structured(&bench, "search_catalog", json!({"q": "zzqx wqpv"})).await;
    assert_eq!((&none["count"], &none["total"]), (&json!(0), &json!(0)), "{none}");
}

#[tokio::test]
async fn what_a_model_reads_of_the_tools_before_it_asks_is_short() {
    let tools = ask(&Bench::new(), "tools/list", json!({})).await["result"]["tools"].take();
    let chars = |tool: &Value| tool["inputSchema"].to_string().chars().count();
    let tokens = tools.as_array().unwrap().iter().map(chars).sum::<usize>().div_ceil(4);
    assert!(tokens <= 1_900, "input schemas: {tokens}");
}

#[tokio::test]
async fn a_comparison_has_no_empty_members() {
    let bench = Bench::new();
    let answer = structured(&bench, "compare_items", json!({"ids": ["five-whys", "premortem"]})).await;
    let rows = answer["rows"].as_array().unwrap();
    assert!(
        rows.iter().all(|row| row.get("unit") != Some(&Value::Null) && row.get("best") != Some(&json!([]))),
        "{answer}"
    );
    let steps = rows.iter().find(|row| row["path"] == "steps").unwrap();
    assert_eq!(steps["values"][1][0], "Imagine the failure");
    let name = rows.iter().find(|row| row["path"] == "display_name").unwrap();
    assert_eq!(
        name,
        &json!({"path": "display_name", "label": "Name", "values": ["Five whys", "Premortem"], "differs": true})
    );
}

#[tokio::test]
async fn a_comparison_has_a_value_for_each_item() {
    let facts: Vec<_> =
        (0..10).map(|at| sold(&format!("m{at}"), "acme", &(20 - at).to_string(), Status::Active)).collect();
    let bench = Bench::over(unlimited(), &facts);
    let ids: Vec<String> = (0..10).map(|at| format!("m{at}")).collect();
    let answer = structured(&bench, "compare_items", json!({"ids": ids})).await;
    let row = answer["rows"].as_array().unwrap().iter().find(|row| row["path"] == "pricing.input").unwrap();
    assert_eq!(row["values"], json!([20, 19, 18, 17, 16, 15, 14, 13, 12, 11]));
    assert_eq!(row["best"], json!([9]));
}

#[tokio::test]
async fn an_address_is_resolved_as_the_item_that_it_is_of() {
    let bench = Bench::new();
    for id in ["refdesk://model/nova-2", "/v1/models/nova-2", "nova-2"] {
        let answer = structured(&bench, "get_item", json!({"id": id, "resolve": true})).await;
        assert_eq!(answer["results"][0]["id"], "nova-2", "{id}: {answer}");
    }
}

#[tokio::test]
async fn many_items_side_by_side_are_cut_further_than_two() {
    let ids: Vec<String> = (0..10).map(|at| format!("lantern-{at}")).collect();
    let card = |id: &String| {
        let mut card = framework(id, 5);
        let mut fields = card.fields.read().into_owned();
        fields.insert("when_to_use".into(), json!(vec!["light ".repeat(50); 9]));
        card.fields = refdesk_core::fact::Fields::of_json(Value::from(fields).to_string()).unwrap();
        card
    };
    let bench = Bench::over(unlimited(), &ids.iter().map(card).collect::<Vec<_>>());
    for (items, entries, chars) in [(2, 8, 300), (10, 4, 160)] {
        let (tokens, answer) = tokens(&bench, "compare_items", json!({"ids": ids[..items]})).await;
        assert!(tokens <= 3_500, "{items} items: {tokens}");
        let row = answer["rows"].as_array().unwrap().iter().find(|row| row["path"] == "when_to_use").unwrap();
        let values = row["values"].as_array().unwrap();
        assert_eq!(values.len(), items, "a value for each item");
        for value in values {
            assert_eq!(value.as_array().map(Vec::len), Some(entries), "{items} items: {value}");
            assert!(value[0].as_str().unwrap().chars().count() <= chars, "{items} items: {value}");
        }
        assert_eq!(answer["how_to_continue"], "when_to_use cut; full=true gives all of it", "named once");
    }
}
