//! Corrections of the schemas of the OpenAPI document: which members are always there, and which may be null.

use serde_json::{Map, Value, json};

/// Nullable members that may also be absent; every other nullable member is always there.
const OPTIONAL_MEMBERS: [&str; 8] =
    ["language", "prompt", "input_schema", "output_schema", "config_schema", "markdown", "body_markdown", "body"];
/// The same for a seller's offer.
const OPTIONAL_OFFER_MEMBERS: [&str; 3] = ["deprecated_on", "retires_on", "removed_at"];
/// The member that only an offer has.
const OFFER_MEMBER: &str = "api_model_id";
/// Schemas of fields that sources state: with `fresh_only`, a stale one is null.
const SCHEMAS_WITH_STALE_FIELDS: [&str; 9] =
    ["Model", "Modalities", "Pricing", "Tool", "Skill", "Tutorial", "McpServer", "Document", "Framework"];

/// Corrects all schemas.
pub(super) fn correct(schemas: &mut Map<String, Value>) {
    schemas.values_mut().for_each(answer_schema);
    for name in SCHEMAS_WITH_STALE_FIELDS {
        if let Some(schema) = schemas.get_mut(name) {
            fields_may_be_null(schema);
        }
    }
}

/// Types are parsed leniently and written in full: an answer omits no member for being null or its default.
fn answer_schema(schema: &mut Value) {
    match schema {
        Value::Array(parts) => parts.iter_mut().for_each(answer_schema),
        Value::Object(members) => {
            if members.get("additionalProperties") == Some(&Value::Bool(false)) {
                members.remove("additionalProperties");
            }
            if let Some(Value::Object(properties)) = members.get("properties") {
                let is_offer = properties.contains_key(OFFER_MEMBER);
                let may_lack = |name: &str| is_offer && OPTIONAL_OFFER_MEMBERS.contains(&name);
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
    !OPTIONAL_MEMBERS.contains(&name) && (nullable || property.get("default").is_some())
}
