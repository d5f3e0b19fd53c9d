//! Corrections of the operations of the OpenAPI document: parameters, the representations of full texts, and the headers of each answer.

use serde_json::{Map, Value, json};

use super::parameters;

/// Paths whose answers are valid for a moment only: they have no entity tag.
const UNCACHED_PATHS: [&str; 5] = ["/health", "/livez", "/readyz", "/version", "/metrics"];
/// Paths of items with a full text, which is also served as Markdown and as a page.
const FULL_TEXT_PATHS: [&str; 3] = ["/v1/documents/{id}", "/v1/skills/{id}", "/v1/tutorials/{id}"];
/// Path of the statuses of sources, which change without the catalog.
const SOURCES_STATUS_PATH: &str = "/v1/sources/status";
/// Description of `Cache-Control`.
const CACHE_CONTROL_DESCRIPTION: &str = "Ends when the next fact turns stale; `private` with a key.";
/// How the paths end of answers that come in pages.
const PAGED_PATHS_END: [&str; 2] = ["/list", "/conflicts"];
/// Path of verbatim records.
const RECORD_PATH: &str = "/v1/evidence/{key}/record";

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
    ("/v1/cost", "input_tokens", "1M"),
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
    if UNCACHED_PATHS.contains(&path) {
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
        response["headers"] = headers(path, status);
    }
}

/// Of which answers `Refdesk-Warnings` has the warnings, where those have no place for them.
fn warnings_description(path: &str) -> Option<&'static str> {
    if path.ends_with("/list") || path == "/v1/search" {
        return Some("For CSV and NDJSON: the warnings, as a JSON list of texts.");
    }
    let takes_none = path == SOURCES_STATUS_PATH || path.starts_with("/v1/evidence/");
    takes_none.then_some("Parameters that were sent and ignored, as a JSON list of texts; this path takes none.")
}

/// The headers of an answer with their descriptions. No handler states any: they would be written over.
fn headers(path: &str, status: &str) -> Value {
    let mut headers = Map::new();
    let mut add = |name: &str, description: &str| {
        headers.insert(name.into(), json!({"description": description, "schema": {"type": "string"}}));
    };
    add("X-Request-Id", "The request id, by which the operator finds the log entry.");
    if !UNCACHED_PATHS.contains(&path) && matches!(status, "200" | "304") {
        add("ETag", "Strong entity tag, for `If-None-Match`.");
        let description =
            if path == SOURCES_STATUS_PATH { "`no-cache`: revalidate every time." } else { CACHE_CONTROL_DESCRIPTION };
        add("Cache-Control", description);
        add("Vary", "Request headers that the answer depends on.");
    }
    if path == RECORD_PATH && status == "200" {
        add("Content-Disposition", "`attachment`, with the evidence key as the file name.");
        add("Content-Security-Policy", "`sandbox`: nothing in a record runs.");
    }
    if PAGED_PATHS_END.iter().any(|end| path.ends_with(end)) && status == "200" {
        add("Link", "`rel=\"next\"` if there is a next page.");
    }
    if let Some(description) = warnings_description(path)
        && status == "200"
    {
        add("Refdesk-Warnings", description);
    }
    if path.starts_with("/v1/") || status == "429" {
        add("RateLimit-Policy", "The limit that applies: `\"anon\";q=120;w=60`. Absent if limits are off.");
        add("RateLimit", "Calls left, and seconds until the whole quota is back: `\"anon\";r=119;t=42`.");
    }
    match status {
        "401" => add("WWW-Authenticate", "`Bearer`, and what is wrong with the key."),
        "405" => add("Allow", "The methods that are allowed."),
        "429" | "503" => add("Retry-After", "Seconds to wait before the next try."),
        _ => {}
    }
    Value::Object(headers)
}
