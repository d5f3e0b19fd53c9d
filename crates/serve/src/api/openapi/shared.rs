//! Answers that several operations give, errors above all: the OpenAPI document describes each once, among its components, and the operations
//! refer to it. Written out everywhere, they were half of the document. The page of the API reads the document without this.

use std::collections::HashMap;

use http::StatusCode;
use serde_json::{Map, Value, json};

/// Puts every answer that more than one operation gives among the components.
pub(super) fn refer(document: &mut Value) {
    let Some(Value::Object(paths)) = document.get_mut("paths") else { return };
    let mut counts: HashMap<String, usize> = HashMap::new();
    for (_, answer) in answers(paths) {
        *counts.entry(answer.to_string()).or_default() += 1;
    }
    let mut components = Map::new();
    for (status, answer) in answers(paths) {
        if counts.get(&answer.to_string()).is_some_and(|count| *count > 1) {
            let name = name(&components, status, answer);
            let reference = json!({"$ref": format!("#/components/responses/{name}")});
            components.insert(name, std::mem::replace(answer, reference));
        }
    }
    document["components"]["responses"] = Value::Object(components);
}

/// The answers of all operations, each with its status.
fn answers(paths: &mut Map<String, Value>) -> impl Iterator<Item = (&String, &mut Value)> {
    paths.values_mut().filter_map(|item| item.pointer_mut("/get/responses")?.as_object_mut()).flatten()
}

/// The name of an answer among the components: what its status means (`NotFound`), with a number where others have that name.
fn name(components: &Map<String, Value>, status: &str, answer: &Value) -> String {
    let reason = status.parse().ok().and_then(|status: StatusCode| status.canonical_reason()).unwrap_or(status);
    let reason = reason.replace(' ', "");
    let mut name = reason.clone();
    let mut number = 1;
    while components.get(&name).is_some_and(|other| other != answer) {
        number += 1;
        name = format!("{reason}{number}");
    }
    name
}
