//! The OpenAPI document: generated from the handlers and the types, then made exact where annotations cannot say it.
//!
//! What is made exact: which members of answers are always there, which representations a full text has, which headers an answer
//! carries, and which answers only data has. `tests/it/openapi.rs` holds all of it against real answers. The shapes are in
//! [`super::schema`].

use refdesk_core::Kind;
use refdesk_core::item::Domain;
use refdesk_core::query::Mode;
use serde_json::{Map, Value, json};
use utoipa::OpenApi;

use crate::desk::Settings;

/// The document, generated from the handlers.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "refdesk",
        description = "A read-only reference desk: what is true of models, tools, documents, skills, tutorials, MCP servers and working frameworks, with the evidence for it.",
        license(name = "MIT OR Apache-2.0")
    ),
    paths(
        super::search::search,
        super::catalog::list_models, super::catalog::get_model,
        super::catalog::list_tools, super::catalog::get_tool,
        super::catalog::list_skills, super::catalog::get_skill,
        super::catalog::list_tutorials, super::catalog::get_tutorial,
        super::catalog::list_mcp_servers, super::catalog::get_mcp_server,
        super::catalog::list_documents, super::catalog::get_document,
        super::catalog::get_evidence, super::record::get_record,
        super::frameworks::search_frameworks, super::frameworks::route_framework,
        super::frameworks::list_frameworks, super::frameworks::get_framework,
        super::sources::sources_status,
        super::health::health, super::health::livez, super::health::readyz, super::health::version, super::health::metrics,
        super::meta::openapi_json, super::meta::docs, super::meta::llms_txt,
    ),
    modifiers(&Security),
)]
struct Document;

/// Both forms of sending a key; a request without one is fine unless the operator requires keys.
struct Security;

impl utoipa::Modify for Security {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        use utoipa::openapi::security::{
            ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
        };
        let components = document.components.get_or_insert_default();
        components.add_security_scheme(
            "bearer",
            SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("rdk_…").build()),
        );
        components
            .add_security_scheme("api_key", SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new("x-api-key"))));
        let none: [&str; 0] = [];
        document.security = Some(vec![
            SecurityRequirement::default(),
            SecurityRequirement::new("bearer", none),
            SecurityRequirement::new("api_key", none),
        ]);
    }
}

/// Paths whose answers stand for a moment only: they have no entity tag.
const UNCACHED: [&str; 5] = ["/health", "/livez", "/readyz", "/version", "/metrics"];
/// Paths of items with a full text, which is also served as it is and as a page.
const WITH_BODY: [&str; 3] = ["/v1/documents/{id}", "/v1/skills/{id}", "/v1/tutorials/{id}"];
/// The path of the states of sources, which change without the catalog.
const STATES: &str = "/v1/sources/status";
/// How long an answer may be used, where that is known.
const LASTS: &str = "Ends at the next moment at which a fact turns stale; `private` with a key.";
/// The path of records as they are.
const RECORD: &str = "/v1/evidence/{key}/record";
/// Members that may be null and may also be absent; every other one that may be null is always there.
const OPTIONAL: [&str; 8] =
    ["language", "prompt", "input_schema", "output_schema", "config_schema", "markdown", "body_markdown", "body"];
/// The same of a seller's offer, which is told by the id to send to the seller.
const OPTIONAL_OF_OFFERS: [&str; 3] = ["deprecated_on", "retires_on", "removed_at"];
/// Schemas of fields that sources state: with `fresh_only` a stale one is null.
const MAY_BE_STALE: [&str; 9] =
    ["Model", "Modalities", "Pricing", "Tool", "Skill", "Tutorial", "McpServer", "Document", "Framework"];
/// The member by which it is told.
const OF_OFFERS: &str = "api_model_id";

/// The document for the configured public URLs.
pub fn document(settings: &Settings) -> Value {
    let mut document = Document::openapi();
    document.info.version = env!("CARGO_PKG_VERSION").into();
    let urls = [&settings.base_url, &settings.api_url].into_iter().filter(|url| !url.is_empty());
    let servers: Vec<_> = urls.map(utoipa::openapi::Server::new).collect();
    document.servers = Some(if servers.is_empty() { vec![utoipa::openapi::Server::new("/")] } else { servers });
    let mut document = serde_json::to_value(document).unwrap_or_default();
    if let Some(Value::Object(schemas)) = document.pointer_mut("/components/schemas") {
        schemas.values_mut().for_each(answer_schema);
        for name in MAY_BE_STALE {
            if let Some(schema) = schemas.get_mut(name) {
                fields_may_be_null(schema);
            }
        }
    }
    if let Some(Value::Object(paths)) = document.get_mut("paths") {
        for (path, item) in paths {
            if let Some(Value::Array(parameters)) = item.pointer_mut("/get/parameters") {
                parameters.iter_mut().for_each(exact_parameter);
            }
            if let Some(Value::Object(responses)) = item.pointer_mut("/get/responses") {
                exact_responses(path, responses);
            }
        }
    }
    document
}

/// White space as requests are trimmed of it (Unicode's, which `\\s` is not in every dialect), for a character class.
const BLANKS: &str = r"\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000";

/// States what is tolerated as it is: words in any case between blanks, whole numbers of any length.
fn exact_parameter(parameter: &mut Value) {
    let domains = || Domain::ALL.iter().map(|domain| domain.as_str()).collect::<Vec<_>>();
    let words = match parameter["name"].as_str() {
        Some("type") => Kind::SEARCHED.iter().map(|kind| kind.search_type()).collect(),
        Some("domain") => domains(),
        Some("mode") => vec![Mode::Lexical.as_str(), Mode::Hybrid.as_str()],
        Some("q") => {
            parameter["schema"]["pattern"] = format!("[^{BLANKS}]").into();
            return;
        }
        _ => {
            if let Some(schema) = parameter["schema"].as_object_mut() {
                schema.remove("format");
            }
            return;
        }
    };
    let described = parameter["description"].as_str().unwrap_or_default().to_owned();
    if !described.contains('`') {
        parameter["description"] = format!("{described} One of `{}`.", words.join("`, `")).into();
    }
    let words: Vec<String> = words.iter().map(|word| in_any_case(word)).collect();
    parameter["schema"]["pattern"] = format!("^[{BLANKS}]*({})[{BLANKS}]*$", words.join("|")).into();
}

/// `doc` gives `[Dd][Oo][Cc]`.
fn in_any_case(word: &str) -> String {
    word.chars().fold(String::new(), |mut pattern, c| {
        if c.is_ascii_alphabetic() {
            pattern.extend(['[', c.to_ascii_uppercase(), c.to_ascii_lowercase(), ']']);
        } else {
            pattern.push(c);
        }
        pattern
    })
}

/// Types are read leniently and written whole: in answers no member is left out for being null or its default.
fn answer_schema(schema: &mut Value) {
    match schema {
        Value::Array(parts) => parts.iter_mut().for_each(answer_schema),
        Value::Object(members) => {
            if members.get("additionalProperties") == Some(&Value::Bool(false)) {
                members.remove("additionalProperties");
            }
            if let Some(Value::Object(properties)) = members.get("properties") {
                let is_offer = properties.contains_key(OF_OFFERS);
                let may_lack = |name: &str| is_offer && OPTIONAL_OF_OFFERS.contains(&name);
                let always: Vec<Value> = properties
                    .iter()
                    .filter(|(name, property)| is_required(members, name) || is_written_whole(name, property))
                    .filter(|(name, _)| !may_lack(name))
                    .map(|(name, _)| json!(name))
                    .collect();
                if !always.is_empty() {
                    members.insert("required".into(), always.into());
                }
            }
            members.remove("default");
            members.values_mut().for_each(answer_schema);
        }
        _ => {}
    }
}

/// Lets every member of a schema be null.
fn fields_may_be_null(schema: &mut Value) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for property in properties.values_mut() {
        if let Some(Value::String(kind)) = property.get("type") {
            property["type"] = json!([kind, "null"]);
        } else if let Some(reference) = property.get("$ref").cloned() {
            let description = property.get("description").cloned();
            *property = json!({"oneOf": [{"type": "null"}, {"$ref": reference}]});
            if let Some(description) = description {
                property["description"] = description;
            }
        }
    }
}

fn is_required(schema: &Map<String, Value>, name: &str) -> bool {
    schema.get("required").and_then(Value::as_array).is_some_and(|required| required.iter().any(|known| known == name))
}

fn is_written_whole(name: &str, property: &Value) -> bool {
    let null = |schema: &Value| schema["type"] == "null";
    let nullable = property["type"].as_array().is_some_and(|types| types.iter().any(|name| name == "null"))
        || property["oneOf"].as_array().is_some_and(|parts| parts.iter().any(null));
    !OPTIONAL.contains(&name) && (nullable || property.get("default").is_some())
}

fn exact_responses(path: &str, responses: &mut Map<String, Value>) {
    if UNCACHED.contains(&path) {
        responses.remove("304");
    }
    let text = json!({"schema": {"type": "string"}});
    if WITH_BODY.contains(&path)
        && let Some(Value::Object(content)) = responses.get_mut("200").and_then(|ok| ok.get_mut("content"))
    {
        content.insert("text/markdown".into(), text.clone());
        content.insert("text/html".into(), text.clone());
    }
    if path == RECORD
        && let Some(Value::Object(content)) = responses.get_mut("200").and_then(|ok| ok.get_mut("content"))
    {
        content.insert("application/json".into(), json!({"schema": {}}));
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

/// The headers of an answer, by name.
fn headers(path: &str, status: &str) -> Value {
    let mut headers = Map::new();
    let mut add = |name: &str, description: &str| {
        headers.insert(name.into(), json!({"description": description, "schema": {"type": "string"}}));
    };
    add("X-Request-Id", "The id of the request, also in the log.");
    if !UNCACHED.contains(&path) && matches!(status, "200" | "304") {
        add("ETag", "Strong entity tag, for `If-None-Match`.");
        let lasts = if path == STATES { "`no-cache`: to be asked for each time." } else { LASTS };
        add("Cache-Control", lasts);
        add("Vary", "What else the answer depends on.");
    }
    if path == RECORD && status == "200" {
        add("Content-Disposition", "`attachment`, with the evidence key as the name of the file.");
        add("Content-Security-Policy", "`sandbox`: nothing of a record runs.");
    }
    if path.ends_with("/list") && status == "200" {
        add("Link", "`rel=\"next\"` when there is more.");
    }
    if path.starts_with("/v1/") || status == "429" {
        add("RateLimit-Policy", "The limit that counts: `\"anon\";q=120;w=60`. Absent where limits are off.");
        add("RateLimit", "Calls left, and seconds until all are there again: `\"anon\";r=119;t=42`.");
    }
    match status {
        "401" => add("WWW-Authenticate", "`Bearer`, and what is wrong with the key."),
        "405" => add("Allow", "The methods that are answered."),
        "429" | "503" => add("Retry-After", "Seconds to wait before the next try."),
        _ => {}
    }
    Value::Object(headers)
}
