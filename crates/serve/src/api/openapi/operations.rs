//! Corrections of the operations of the OpenAPI document: parameters, the representations of full texts, and the headers of each answer.

use serde_json::{Map, Value, json};

use super::headers::{self, RECORD_PATH};
use super::parameters;
use crate::api::health;

/// Paths of items with a full text, which is also served as Markdown and as a page.
const FULL_TEXT_PATHS: [&str; 3] = ["/v1/documents/{id}", "/v1/skills/{id}", "/v1/tutorials/{id}"];

/// Values of parameters that every new service answers: path, parameter, value. A test asks each.
const EXAMPLES: [(&str, &str, &str); 20] = [
    ("/v1/search", "q", "cheapest vision model"),
    ("/v1/models/{id}", "id", "gpt-4o"),
    ("/v1/tools/{id}", "id", "claude-code"),
    ("/v1/skills/{id}", "id", "rag-implementation"),
    ("/v1/tutorials/{id}", "id", "hf-agentic-rag"),
    ("/v1/mcp-servers/{id}", "id", "github"),
    ("/v1/frameworks/{id}", "id", "premortem"),
    ("/v1/models/list", "capability", "tool_call"),
    ("/v1/models/list", "sort", "price_input"),
    ("/v1/models/compare", "ids", "gpt-4o,claude-sonnet-4-5"),
    ("/v1/tools/compare", "ids", "claude-code,aider"),
    ("/v1/skills/compare", "ids", "rag-implementation,hybrid-search-implementation"),
    ("/v1/tutorials/compare", "ids", "hf-agentic-rag,hf-code-search-qdrant"),
    ("/v1/mcp-servers/compare", "ids", "github,filesystem"),
    ("/v1/frameworks/compare", "ids", "premortem,five-whys"),
    ("/v1/cost", "model", "gpt-4o"),
    ("/v1/cost", "input_tokens", "100k"),
    ("/v1/resolve", "id", "openai/gpt-4o"),
    ("/v1/frameworks/search", "q", "root cause"),
    ("/v1/frameworks/route", "q", "we launch in two weeks and I worry about what could go wrong"),
];

/// Corrects all operations.
pub(super) fn correct(paths: &mut Map<String, Value>) {
    for (path, item) in paths {
        if let Some(Value::Object(operation)) = item.get_mut("get") {
            parameters::add(operation, path);
        }
        let mut is_in_collections = false;
        let parameters = item.pointer_mut("/get/parameters").and_then(Value::as_array_mut);
        for parameter in parameters.into_iter().flatten() {
            is_in_collections |= parameter["name"] == "collection";
            let is_of = |(of, name, _): &&(&str, &str, &str)| of == path && parameter["name"] == *name;
            if let Some((_, _, value)) = EXAMPLES.iter().find(is_of) {
                parameter["example"] = (*value).into();
            }
        }
        if let Some(Value::Object(responses)) = item.pointer_mut("/get/responses") {
            if is_in_collections && let Some(mut unknown) = responses.get("400").cloned() {
                unknown["description"] = "No such collection; `suggestions` lists the known ids.".into();
                responses.insert("404".into(), unknown);
            }
            correct_responses(path, responses);
        }
    }
}

fn correct_responses(path: &str, responses: &mut Map<String, Value>) {
    if health::PATHS.contains(&path) {
        responses.remove("304");
    }
    let text = json!({"schema": {"type": "string"}});
    if let Some(Value::Object(content)) = responses.get_mut("200").and_then(|ok| ok.get_mut("content")) {
        if FULL_TEXT_PATHS.contains(&path) {
            content.insert("text/markdown".into(), text.clone());
            content.insert("text/html".into(), text.clone());
        }
        if path == RECORD_PATH {
            content.insert("application/json".into(), json!({"schema": {}}));
        }
    }
    let own_503 = match path {
        "/health" => Some(("application/json", json!({"schema": {"$ref": "#/components/schemas/Health"}}))),
        "/readyz" => Some(("text/plain", text)),
        _ => None,
    };
    if let (Some((media, content)), Some(unavailable)) = (own_503, responses.get_mut("503")) {
        unavailable["content"][media] = content;
    }
    for (status, response) in responses {
        response["headers"] = headers::of(path, status);
    }
}
