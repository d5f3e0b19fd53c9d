//! Every tool: the REST answer for the same question, its schema, and what a wrong argument is answered with.

use super::{ask, call, mistake, questions, structured};
use crate::common::{Bench, unlimited};
use crate::rest::items::sellers::sold;
use refdesk_core::item::Status;
use refdesk_serve::Settings;
use serde_json::{Value, json};

/// Takes away what MCP adds to an answer of REST.
fn without_additions(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.remove("cite_as");
            object.remove("data_notice");
            object.values_mut().for_each(without_additions);
        }
        Value::Array(list) => list.iter_mut().for_each(without_additions),
        _ => {}
    }
}

/// The tools that answer with a projection of the REST answer, unless `full` is asked for.
const PROJECTED: [&str; 8] = [
    "search_catalog",
    "get_item",
    "list_items",
    "compare_items",
    "estimate_cost",
    "search_frameworks",
    "get_framework",
    "source_status",
];

/// Paths of the members of a projection that REST does not have with the same value; what is cut is a part of it.
fn beyond(projected: &Value, rest: &Value, path: &str) -> Vec<String> {
    const ADDED: [&str; 5] = ["cite_as", "data_notice", "how_to_continue", "truncated", "snippet"];
    match (projected, rest) {
        (Value::Object(members), Value::Object(all)) => {
            let members = members.iter().filter(|(name, _)| !ADDED.contains(&name.as_str()));
            // The hits of REST have nothing of their rows.
            let of_rows = ["limits", "pricing", "stale_fields"];
            let members = members.filter(|(name, _)| {
                !path.contains("/results") || all.contains_key(*name) || !of_rows.contains(&name.as_str())
            });
            let found = members.flat_map(|(name, member)| beyond(member, &all[name], &format!("{path}/{name}")));
            found.collect()
        }
        (Value::Array(list), Value::Array(all)) if list.len() <= all.len() => {
            let found = list.iter().zip(all).flat_map(|(entry, whole)| beyond(entry, whole, path));
            found.collect()
        }
        (Value::String(text), Value::String(whole)) if whole.starts_with(text.trim_end_matches('…').trim_end()) => {
            Vec::new()
        }
        _ if projected == rest => Vec::new(),
        _ => vec![path.to_owned()],
    }
}

/// Paths of the members of an answer that its schema does not have, as deep as the schema goes.
pub(super) fn undescribed(schema: &Value, answer: &Value, path: &str) -> Vec<String> {
    let Some(members) = answer.as_object() else {
        let entries = answer.as_array().into_iter().flatten();
        return entries.flat_map(|entry| undescribed(&schema["items"], entry, path)).collect();
    };
    let Some(known) = schema["properties"].as_object() else { return Vec::new() };
    let found = members.iter().flat_map(|(name, member)| {
        let path = format!("{path}/{name}");
        known.get(name).map_or_else(|| vec![path.clone()], |schema| undescribed(schema, member, &path))
    });
    found.collect()
}

#[tokio::test]
async fn tool_calls_are_counted_by_tool_and_outcome() {
    let bench = Bench::new();
    structured(&bench, "source_status", json!({})).await;
    mistake(&bench, "get_item", json!({"id": "no-such-thing", "type": "MODEL"})).await;
    let text = bench.get("/metrics").await.text();
    for line in [
        "refdesk_mcp_tool_calls_total{outcome=\"ok\",tool=\"source_status\"} 1",
        "refdesk_mcp_tool_calls_total{outcome=\"error\",tool=\"get_item\"} 1",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
}

#[tokio::test]
async fn every_tool_answers_as_rest_does_field_by_field_and_as_its_schema_says() {
    let bench = Bench::with(Settings { base_url: "https://desk.example.org".into(), ..unlimited() });
    let tools = ask(&bench, "tools/list", json!({})).await["result"]["tools"].take();
    let mut seen = std::collections::BTreeSet::new();
    for (tool, mut arguments, path) in questions() {
        let rest = bench.json(path).await;
        if PROJECTED.contains(&tool) {
            let projected = structured(&bench, tool, arguments.clone()).await;
            assert_eq!(beyond(&projected, &rest, ""), [""; 0], "{tool} {arguments} as {path}");
            let (short, long) = (projected.to_string().len(), rest.to_string().len());
            assert!(short <= long + 200, "{tool} {arguments}: {short} of {long} bytes");
            arguments["full"] = json!(true);
        }
        let answer = structured(&bench, tool, arguments.clone()).await;
        let definition = tools.as_array().unwrap().iter().find(|known| known["name"] == tool).unwrap();
        let schema = jsonschema::validator_for(&definition["outputSchema"]).unwrap();
        let faults: Vec<String> =
            schema.iter_errors(&answer).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(faults.is_empty(), "{tool} {arguments}: {faults:?}");
        assert_eq!(undescribed(&definition["outputSchema"], &answer, ""), [""; 0], "{tool} {arguments}");
        assert!(
            answer["data_notice"].as_str().is_some_and(|notice| notice.contains("never as instructions")),
            "{tool}"
        );
        let mut plain = answer;
        without_additions(&mut plain);
        assert_eq!(plain, rest, "{tool} {arguments} as {path}");
        seen.insert(tool);
    }
    assert_eq!(seen.len() + 1, tools.as_array().unwrap().len(), "every tool but read_document is compared here");
}

#[tokio::test]
async fn hits_carry_a_citation_and_a_link_that_can_be_read() {
    let bench = Bench::new();
    let result = call(&bench, "search_catalog", json!({"q": "orbit-1"})).await;
    let hit = &result["structuredContent"]["results"][0];
    assert_eq!(hit["cite_as"], "Orbit 1 — https://acme.example/acme/orbit-1 (checked 2026-09-13, stale)");
    let link = &result["content"][1];
    assert_eq!((&link["type"], &link["uri"]), (&json!("resource_link"), &json!("refdesk://model/orbit-1")));
    let read = ask(&bench, "resources/read", json!({"uri": link["uri"]})).await;
    let text: Value = serde_json::from_str(read["result"]["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, bench.json("/v1/models/orbit-1").await);
}

#[tokio::test]
async fn a_wrong_argument_is_an_error_that_says_what_to_send() {
    let bench = Bench::new();
    let near = mistake(&bench, "get_item", json!({"id": "nova-3", "type": "MODEL"})).await;
    assert_eq!((&near["error"], &near["code"]), (&json!("model not found"), &json!("not_found")));
    assert!(near["suggestions"].as_array().unwrap().contains(&json!("nova-2")), "{near}");
    for (tool, arguments, error) in [
        ("search_catalog", json!({}), "q is required"),
        ("search_catalog", json!({"q": {"x": 1}}), "invalid q"),
        ("search_catalog", json!({"q": "a", "limit": 0}), "invalid limit"),
        ("search_catalog", json!({"q": "a", "limit": "many"}), "invalid limit"),
        ("search_catalog", json!({"q": "a", "type": "FRAMEWORK"}), "invalid type"),
        ("search_catalog", json!({"q": "a", "colour": "red"}), "unknown argument colour"),
        ("list_items", json!({}), "type is required"),
        ("list_items", json!({"type": "planets"}), "invalid type"),
        ("get_item", json!({"id": " "}), "id is required"),
        ("get_item", json!({"id": "Maps Server"}), "item not found"),
        ("read_document", json!({"id": "nova-2"}), "document, skill or tutorial not found"),
        ("route_framework", json!({"q": "a", "domain": "cooking"}), "invalid domain"),
        ("get_framework", json!({"id": "premortem", "include_prompt": "perhaps"}), "invalid include_prompt"),
        ("source_status", json!({"id": "x"}), "unknown argument id"),
        ("list_items", json!({"type": "MODEL", "filters": {"price": "1"}}), "invalid filters"),
        ("list_items", json!({"type": "MODEL", "filters": "cheap"}), "invalid filters"),
        ("search_catalog", json!({"q": "a", "filters": {"vendor": "Acme"}}), "type is required"),
        ("list_items", json!({"type": "MODEL", "filters": {"status": "foo"}}), "invalid status"),
        ("search_catalog", json!({"q": "a", "type": "MODEL", "filters": {"capability": "!x"}}), "invalid capability"),
        ("compare_items", json!({"ids": ["nova-2"]}), "invalid ids"),
        ("compare_items", json!({"ids": vec!["nova-2"; 11]}), "too many ids"),
        ("compare_items", json!({"ids": vec!["nova-2"; 201]}), "too many ids"),
        ("compare_items", json!({"ids": ["nova-2", "acme/nova-2"]}), "invalid ids"),
        ("estimate_cost", json!({"model": "nova-2"}), "tokens are required"),
        ("estimate_cost", json!({"model": "nova-2", "input_token": 5}), "unknown argument input_token"),
        ("estimate_cost", json!({"input_tokens": 1}), "model is required"),
        ("read_document", json!({"id": "guide-start", "heading": "Nowhere"}), "no such heading"),
        ("estimate_cost", json!({"model": "nova-2", "input_tokens": 1, "limit": 0}), "invalid limit"),
        ("estimate_cost", json!({"model": "refdesk://tool/nova-2", "input_tokens": 1}), "invalid type"),
        ("compare_items", json!({"ids": ["refdesk://model/nova-2", "refdesk://tool/orbit-1"]}), "invalid type"),
        ("compare_items", json!({"ids": ["refdesk://model/nova-2", "orbit-1"], "type": "TOOL"}), "invalid type"),
        ("get_item", json!({"id": "refdesk://tool/nova-2", "type": "MODEL"}), "invalid type"),
        ("get_framework", json!({"id": "refdesk://tool/premortem"}), "invalid type"),
        ("read_document", json!({"id": "/v1/models/guide-start"}), "invalid type"),
    ] {
        let problem = mistake(&bench, tool, arguments.clone()).await;
        assert_eq!(problem["error"], error, "{tool} {arguments}");
        let codes = ["invalid_argument", "invalid_query", "not_found"];
        assert!(codes.iter().any(|code| problem["code"] == *code), "{tool} {arguments}: {problem}");
        assert!(problem["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{tool} {arguments}: {problem}");
    }
    let unknown = mistake(&bench, "search_catalog", json!({"q": "a", "type": "x"})).await;
    assert_eq!(unknown["code"], "invalid_argument");
    assert!(unknown["allowed_types"].is_array());
}

#[tokio::test]
async fn an_error_says_what_to_send_and_points_to_nothing_that_is_empty() {
    let bench = Bench::new();
    for (arguments, filters) in [
        (json!({"type": "MODEL", "vendor": "Acme"}), json!({"vendor": "Acme"})),
        (json!({"type": "MODEL", "collection": "team"}), json!({"collection": "team"})),
        (
            json!({"type": "MODEL", "context_tokens__gte": 1000, "open_weights": true, "filters": {"vendor": "Acme"}}),
            json!({"vendor": "Acme", "context_tokens__gte": "1000", "open_weights": "true"}),
        ),
    ] {
        let problem = mistake(&bench, "list_items", arguments.clone()).await;
        let hint = problem["hint"].as_str().unwrap().strip_prefix("It is a filter: send filters=").unwrap();
        assert_eq!(serde_json::from_str::<Value>(hint.trim_end_matches('.')).unwrap(), filters, "{arguments}");
    }
    for (tool, arguments, told) in [
        ("list_items", json!({"type": "MODEL", "filters": ["vendor"]}), "Send filters={\"vendor\": \"OpenAI\"}"),
        ("list_items", json!({"type": "MODEL", "filters": {"sort": "id"}}), "Send sort beside filters: list_items"),
        ("list_items", json!({"type": "MODEL", "filters": {"bogus": "x"}}), "Use names of `allowed`."),
        ("search_catalog", json!({"q": "a", "sort": "id"}), ". list_items takes sort."),
        ("compare_items", json!({"ids": ["nova-2", {}]}), "Send ids as a list of plain values."),
        ("list_items", json!({"type": "MODEL", "filters": {"status": "foo"}}), "Send in filters: status=<"),
        (
            "list_items",
            json!({"type": "MODEL", "filters": {"modalities.input": "image"}}),
            "Send filters={\"input_modalities\":\"…\"}.",
        ),
        (
            "list_items",
            json!({"type": "MCP_SERVER", "filters": {"auth_required": "true"}}),
            "Send filters={\"auth\":\"…\"}.",
        ),
        ("search_catalog", json!({"q": "a", "type": "MODEL", "filters": {"vendor": ""}}), "Send in filters: vendor=<"),
    ] {
        let hint = mistake(&bench, tool, arguments).await["hint"].take();
        assert!(hint.as_str().unwrap().contains(told), "{tool}: {hint}");
    }
    for (tool, arguments, detail) in [
        ("search_catalog", json!({"q": "a", "limit": "many"}), "`limit` is \"many\", not a whole number."),
        ("search_catalog", json!({"q": "a", "mode": "fuzzy"}), "`mode` is \"fuzzy\", not lexical or hybrid."),
        ("read_document", json!({"id": "nova-2"}), "No document, skill or tutorial has the id or alias \"nova-2\"."),
        (
            "read_document",
            json!({"id": "/v1/models/guide-start"}),
            "\"/v1/models/guide-start\" is the address of a MODEL; meant here is DOC, SKILL or TUTORIAL.",
        ),
    ] {
        assert_eq!(mistake(&bench, tool, arguments).await["detail"], detail, "{tool}");
    }
    let least = mistake(&bench, "list_items", json!({"type": "MODEL", "offset": "x"})).await;
    assert_eq!(least["hint"], "Send offset=<a whole number from 0>.");
    for (tool, arguments, param) in [
        ("estimate_cost", json!({"model": "zzz-9", "input_tokens": 1}), "model"),
        ("compare_items", json!({"ids": ["zzz-9", "zzz-8"]}), "ids"),
        ("read_document", json!({"id": "zzz-9"}), "id"),
    ] {
        assert_eq!(mistake(&bench, tool, arguments).await["param"], param, "{tool}");
    }
    let elsewhere = mistake(&bench, "get_item", json!({"id": "nova-2", "vendor": "Acme"})).await;
    assert!(elsewhere["hint"].as_str().unwrap().starts_with("Send only: id, type"), "it has no filters: {elsewhere}");
    let nothing_near = mistake(&bench, "get_item", json!({"id": "zzz-9"})).await;
    assert_eq!((&nothing_near["suggestions"], &nothing_near["param"]), (&json!([]), &json!("id")));
    assert_eq!(nothing_near["hint"], "No known id is similar. Find it with search_catalog.");
    let near = mistake(&bench, "get_item", json!({"id": "nova-3", "type": "MODEL"})).await;
    assert_eq!(near["hint"], "Use one of `suggestions`, or find it with search_catalog.");
    let on_rest = bench.get("/v1/models/zzz-9").await.problem(404, "not_found");
    assert_eq!(on_rest["hint"], "No known id is similar. Find it with /v1/search?q=…&type=MODEL.");
    let model = mistake(&bench, "read_document", json!({"id": "nova-2"})).await;
    assert_eq!(model["hint"], "It names a model: get_item with type=MODEL and id=nova-2.");
    let tool = mistake(&bench, "estimate_cost", json!({"model": "hammer", "input_tokens": 1})).await;
    assert_eq!(tool["hint"], "It names a tool: get_item with type=TOOL and id=hammer.");
    let mixed = mistake(&bench, "compare_items", json!({"ids": ["nova-2", "hammer"]})).await;
    assert_eq!(mixed["hint"], "Send ids of one kind only; get_item with resolve=true shows the kind of each.");
    let cut = structured(&bench, "search_catalog", json!({"q": "nova", "limit": 1000})).await;
    assert_eq!(cut["warnings"], json!(["`limit` was reduced to 50, the maximum"]));
}

/// Models send several values as the list that they are.
#[tokio::test]
async fn a_filter_takes_a_list_of_values() {
    let bench = Bench::new();
    let of = async |vendors: Value| {
        structured(&bench, "list_items", json!({"type": "MODEL", "filters": {"vendor": vendors}})).await
    };
    let as_text = of(json!("Acme,Borealis")).await;
    assert_eq!(of(json!(["Acme", "Borealis"])).await, as_text);
    assert_eq!(of(json!("[\"Acme\", \"Borealis\"]")).await, as_text, "a list that a model wrote as a text");
    let compared = structured(&bench, "compare_items", json!({"ids": "[\"nova-2\", \"orbit-1\"]"})).await;
    assert_eq!(compared["ids"], json!(["nova-2", "orbit-1"]));
    assert_ne!(as_text["total"], 0, "{as_text}");
    let one = of(json!(["Acme, Inc."])).await["warnings"].take();
    assert!(one[0].as_str().unwrap().starts_with("`vendor`: nothing has the value `Acme, Inc.`"), "{one}");
}

/// Some clients send every argument that a schema offers, with nothing in most.
#[tokio::test]
async fn an_argument_with_nothing_in_it_is_left_out() {
    let bench = Bench::new();
    for (tool, plain, filled) in [
        (
            "search_catalog",
            json!({"q": "nova"}),
            json!({"q": "nova", "type": "", "limit": "", "filters": {}, "mode": " "}),
        ),
        ("search_catalog", json!({"q": "nova"}), json!({"q": ["nova"], "filters": {"vendor": null}, "passages": null})),
        (
            "list_items",
            json!({"type": "MODEL", "sort": "vendor,-name"}),
            json!({"types": ["MODEL"], "sort": ["vendor", "-name"], "offset": "", "filters": "", "include_candidates": false}),
        ),
        (
            "estimate_cost",
            json!({"model": "nova-2", "input_tokens": 5}),
            json!({"model": "nova-2", "input_tokens": 5, "output_tokens": "", "seller": "", "limit": null}),
        ),
    ] {
        let answer = structured(&bench, tool, filled.clone()).await;
        assert_eq!(answer, structured(&bench, tool, plain).await, "{tool} {filled}");
    }
}

/// A tool takes every argument that its schema offers.
#[tokio::test]
async fn every_argument_in_a_schema_is_taken() {
    let bench = Bench::new();
    let listed = ask(&bench, "tools/list", json!({})).await["result"].take();
    let mut tried = 0;
    for tool in listed["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let schema = &tool["inputSchema"];
        for (argument, of) in schema["properties"].as_object().unwrap() {
            let mut arguments =
                json!({"id": "nova-2", "q": "lamp", "type": "MODEL", "model": "nova-2", "ids": "nova-2,orbit-1"});
            let known = |name: &String, _: &mut Value| schema["properties"].get(name).is_some();
            arguments.as_object_mut().unwrap().retain(known);
            arguments[argument] = match of["type"].as_str() {
                Some("boolean") => json!(true),
                Some("integer") => json!(1),
                Some("object") => json!({"vendor": "Acme"}),
                _ if of["enum"].is_array() => arguments.get(argument).cloned().unwrap_or_else(|| of["enum"][0].clone()),
                _ => arguments.get(argument).cloned().unwrap_or_else(|| json!("1")),
            };
            let answer = call(&bench, name, arguments.clone()).await.to_string();
            assert!(!answer.contains("unknown argument"), "{name} {arguments}: {answer}");
            tried += 1;
        }
    }
    assert!(tried >= 25, "{tried} arguments were tried");
    let refused = call(&bench, "get_item", json!({"id": "nova-2", "colour": "red"})).await.to_string();
    assert!(refused.contains("unknown argument"), "{refused}");
    let offers = call(&bench, "get_item", json!({"id": "nova-2", "all_offers": true})).await;
    assert!(offers["structuredContent"]["all_offers"].is_array(), "{offers}");
}

#[tokio::test]
async fn tools_are_read_only_with_strict_inputs_and_lists_are_stable() {
    let bench = Bench::new();
    let tools = ask(&bench, "tools/list", json!({})).await["result"]["tools"].take();
    let names: Vec<&str> = tools.as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(
        names,
        [
            "search_catalog",
            "get_item",
            "list_items",
            "read_document",
            "compare_items",
            "estimate_cost",
            "search_frameworks",
            "route_framework",
            "get_framework",
            "source_status"
        ]
    );
    for tool in tools.as_array().unwrap() {
        let hints = &tool["annotations"];
        assert_eq!((&hints["readOnlyHint"], &hints["idempotentHint"]), (&json!(true), &json!(true)));
        assert_eq!((&hints["destructiveHint"], &hints["openWorldHint"]), (&json!(false), &json!(false)));
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{}", tool["name"]);
        // The keyword; a member of that name has an object as its schema.
        assert!(!tool.to_string().contains("\"format\":\"") && !tool.to_string().contains("$ref"));
        assert!(tool["description"].as_str().is_some_and(|text| text.contains("Use it") || text.contains("Not ")));
        if let Some(filters) = tool["inputSchema"]["properties"].get("filters") {
            let sent = json!({"vendor": ["Acme", "Borealis"], "context_tokens__gte": "1k"});
            assert!(jsonschema::validator_for(filters).unwrap().is_valid(&sent), "{filters}");
        }
        jsonschema::meta::validate(&tool["inputSchema"]).unwrap();
        jsonschema::meta::validate(&tool["outputSchema"]).unwrap();
    }
    assert_eq!(tools, ask(&bench, "tools/list", json!({})).await["result"]["tools"]);
}

#[tokio::test]
async fn every_tool_takes_the_names_that_rest_takes() {
    let bench = Bench::new();
    for (tool, arguments, member, id) in [
        ("get_item", json!({"id": "Nova 2", "type": "MODEL"}), "model", "nova-2"),
        ("estimate_cost", json!({"model": "Nova 2", "input_tokens": 1}), "model", "nova-2"),
    ] {
        let answer = structured(&bench, tool, arguments.clone()).await;
        let found = answer[member].get("id").unwrap_or(&answer[member]);
        assert_eq!(found, id, "{tool} {arguments}: {answer}");
    }
}

#[tokio::test]
async fn a_filter_by_another_name_is_told_by_its_own() {
    let bench = Bench::new();
    for (sent, hint) in [
        ("provider", "Send filters={\"seller\":\"…\"}."),
        ("vision", "Send filters={\"input_modalities\":\"image\"}."),
        ("max_price", "Send filters={\"price_input__lte\":\"…\"}."),
        ("tool_call", "Send filters={\"capability\":\"tool_call\"}."),
    ] {
        let problem = mistake(&bench, "list_items", json!({"type": "MODEL", "filters": {sent: "1"}})).await;
        assert_eq!(problem["hint"], hint, "{sent}");
    }
    let of_servers = mistake(&bench, "list_items", json!({"type": "MCP_SERVER", "filters": {"zzzz": "1"}})).await;
    assert!(!of_servers["allowed"].to_string().contains("price_of"), "{of_servers}");
}

#[tokio::test]
async fn warnings_name_calls_and_not_paths() {
    let bench = Bench::new();
    let hinted = structured(&bench, "search_catalog", json!({"q": "premortem"})).await;
    assert_eq!(hinted["warnings"], json!(["`premortem` is a framework: look at get_framework with id=premortem"]));
    let whole = structured(&bench, "search_catalog", json!({"q": "premortem", "full": true})).await;
    assert_eq!(whole["warnings"], hinted["warnings"]);
    let free = Bench::over(
        unlimited(),
        &[sold("plover", "acme", "0", Status::Active), sold("tern", "acme", "1", Status::Active)],
    );
    for (question, added) in [
        (json!({"q": "cheapest models"}), "`type=MODEL` and `filters={\"offers__gte\":\"1\"}`"),
        (json!({"q": "cheapest models", "type": "MODEL"}), "`filters={\"offers__gte\":\"1\"}`"),
    ] {
        let told =
            format!("`plover` is listed as free, with no other seller known: add {added} to leave such items out");
        assert_eq!(structured(&free, "search_catalog", question).await["warnings"], json!([told]));
    }
    let as_words = structured(&bench, "search_catalog", json!({"q": "cheapest model", "understand": false})).await;
    assert_eq!(as_words.get("understood"), None, "{as_words}");
}
