//! What agents send otherwise than the schemas say: misspelt arguments, filters in another place, values in another form, and addresses that
//! are none of MCP.

use super::{ask, mistake, structured};
use crate::common::Bench;
use serde_json::{Value, json};

/// All names of the arguments were told, and not which of them was meant.
#[tokio::test]
async fn a_misspelt_argument_is_told_by_the_name_that_is_meant() {
    let bench = Bench::new();
    for (tool, arguments, hint) in [
        ("search_catalog", json!({"q": "nova", "limt": 3}), "Send limit instead."),
        ("search_catalog", json!({"querry": "nova"}), "Send q instead."),
        ("estimate_cost", json!({"model": "nova-2", "input_token": 5}), "Send input_tokens instead."),
        ("compare_items", json!({"first": "nova-2", "second": "orbit-1"}), "Send only: ids, type, full."),
    ] {
        let problem = mistake(&bench, tool, arguments.clone()).await;
        assert_eq!(problem["hint"], hint, "{tool} {arguments}");
        assert!(problem["allowed_arguments"].is_array(), "{tool} {arguments}: {problem}");
    }
}

/// Who did as the hint said got the next error.
#[tokio::test]
async fn a_hint_about_a_filter_leads_to_a_call_that_the_tool_takes() {
    let bench = Bench::new();
    for (tool, arguments, told) in [
        (
            "search_catalog",
            json!({"q": "nova", "vendor": "Acme"}),
            "It is a filter: send type, and filters={\"vendor\":\"Acme\"}.",
        ),
        // Nothing that this tool finds has a domain.
        (
            "search_catalog",
            json!({"q": "nova", "domain": "risk"}),
            " search_frameworks and route_framework take domain.",
        ),
        (
            "list_items",
            json!({"type": "FRAMEWORK", "domain": "risk"}),
            "It is a filter: send filters={\"domain\":\"risk\"}.",
        ),
        (
            "list_items",
            json!({"type": "MODEL", "max_price": 3}),
            " As a filter, send filters={\"price_input__lte\":\"…\"}.",
        ),
        (
            "list_items",
            json!({"type": "MODEL", "filters": {"q": "nova"}}),
            "This tool does not take q: search_catalog, search_frameworks and route_framework take it.",
        ),
    ] {
        let hint = mistake(&bench, tool, arguments.clone()).await["hint"].take();
        assert!(hint.as_str().is_some_and(|hint| hint.ends_with(told)), "{tool} {arguments}: {hint}");
    }
    let sent = json!({"q": "nova", "type": "MODEL", "filters": {"vendor": "Acme"}});
    assert_ne!(structured(&bench, "search_catalog", sent).await["count"], 0);
}

#[tokio::test]
async fn a_boolean_in_any_case_and_a_whole_number_of_any_size_are_taken() {
    let bench = Bench::new();
    for (tool, plain, sent) in [
        ("list_items", json!({"type": "MODEL", "fresh_only": true}), json!({"type": "MODEL", "fresh_only": "True"})),
        ("search_catalog", json!({"q": "nova", "full": true}), json!({"q": "nova", "full": "TRUE"})),
    ] {
        let answer = structured(&bench, tool, sent.clone()).await;
        assert_eq!(answer, structured(&bench, tool, plain).await, "{tool} {sent}");
    }
    let beyond = structured(&bench, "list_items", json!({"type": "MODEL", "offset": 1e30})).await;
    assert_eq!((&beyond["models"], &beyond["next_offset"]), (&json!([]), &Value::Null), "{beyond}");
    assert_eq!(mistake(&bench, "list_items", json!({"type": "MODEL", "limit": 2.5})).await["error"], "invalid limit");
}

/// They were refused, and a weak client cannot send them otherwise.
#[tokio::test]
async fn arguments_that_are_written_as_a_text_are_taken() {
    let bench = Bench::new();
    let told = |arguments: Value| {
        let bench = &bench;
        async move { ask(bench, "tools/call", json!({"name": "get_item", "arguments": arguments})).await }
    };
    let plain = told(json!({"id": "nova-2"})).await;
    assert_eq!(plain["result"]["structuredContent"]["model"]["id"], "nova-2", "{plain}");
    assert_eq!(told(json!("{\"id\": \"nova-2\"}")).await, plain);
    // A tool without required arguments is called with none.
    for none in [json!(" "), json!("{}"), json!("null"), Value::Null] {
        let status = structured(&bench, "source_status", none.clone()).await;
        assert!(status["sources"].is_array(), "{none}: {status}");
    }
    for wrong in [json!("nova-2"), json!("[1]"), json!("3"), json!([1]), json!(3)] {
        let refused = told(wrong.clone()).await;
        assert_eq!(refused["error"]["message"], "Invalid params: `arguments` must be an object.", "{wrong}");
    }
}

/// The instructions recommend `full` for every answer.
#[tokio::test]
async fn a_tool_that_always_gives_all_takes_full() {
    let bench = Bench::new();
    let mut arguments = json!({"q": "what could go wrong with our launch"});
    let plain = structured(&bench, "route_framework", arguments.clone()).await;
    arguments["full"] = json!(true);
    assert_eq!(structured(&bench, "route_framework", arguments).await, plain);
}

/// An optional argument with a typing error was left out of the prompt, and nobody was told.
#[tokio::test]
async fn a_prompt_names_the_argument_that_it_does_not_take() {
    let bench = Bench::new();
    for (arguments, told) in [
        (json!({"plan": "B", "plans": "C"}), "Prompt premortem has no argument plans; it has: plan."),
        (json!({"plan": 3}), "Invalid params: `arguments.plan` must be a string."),
        (json!({}), "Missing required arguments of prompt premortem: plan."),
    ] {
        let answer = ask(&bench, "prompts/get", json!({"name": "premortem", "arguments": arguments})).await;
        assert_eq!(answer["error"]["message"], told, "{answer}");
    }
}

#[tokio::test]
async fn what_names_an_item_otherwise_leads_to_its_address_and_its_id() {
    let bench = Bench::new();
    for uri in ["nova-2", "acme/nova-2", "https://desk.example.org/v1/models/nova-2"] {
        let error = ask(&bench, "resources/read", json!({"uri": uri})).await["error"].take();
        assert_eq!(error["data"]["suggestions"], json!(["refdesk://model/nova-2"]), "{uri}: {error}");
    }
    // An upstream spelling has its seller in front.
    let reference = json!({"type": "ref/resource", "uri": "refdesk://{kind}/{id}"});
    for typed in ["n", "acme/n"] {
        let argument = json!({"name": "id", "value": typed});
        let params = json!({"ref": reference, "argument": argument, "context": {"arguments": {"kind": "model"}}});
        let values = ask(&bench, "completion/complete", params).await["result"]["completion"]["values"].take();
        assert_eq!(values[0], "nova-2", "{typed}: {values}");
    }
}

/// A path is no call, and REST has as parameters what is in `filters` here.
#[tokio::test]
async fn a_candidate_that_is_named_is_told_by_the_call_that_gives_it() {
    let bench = Bench::new();
    let told = "`draft-canvas` is a candidate and was left out: add `include_candidates=true`, or look at get_framework with id=draft-canvas";
    for (tool, arguments) in [
        ("search_frameworks", json!({"q": "draft canvas"})),
        ("search_frameworks", json!({"q": "draft canvas", "full": true})),
        ("route_framework", json!({"q": "draft canvas"})),
        ("list_items", json!({"type": "FRAMEWORK", "filters": {"ids": "draft-canvas"}})),
    ] {
        assert_eq!(structured(&bench, tool, arguments.clone()).await["warnings"], json!([told]), "{tool} {arguments}");
    }
}
