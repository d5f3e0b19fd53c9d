//! Output schemas of tools, made of the components of the OpenAPI document: references are inlined up to a depth, below it an object is only
//! an object, and descriptions and formats are left out. A whole detail would be over a hundred kilobytes.

use refdesk_core::Kind;
use refdesk_core::field::{FIELDS, Shape};
use serde_json::{Map, Value, json};

use crate::api::openapi;
use crate::http::problem::Problem;
use crate::mcp::tools::filters::{self, OFFER_COUNT};

/// Where an answer has a `cite_as`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Citation {
    /// Nowhere.
    None,
    /// At its root.
    Whole,
    /// At its root, unless it shows nothing that can be cited.
    WholeIfAny,
    /// In each object of its lists of rows, cards or hits.
    EachRow,
}

/// Members of rows, cards and hits by which their lists are recognised.
const EVIDENCE_KEY: &str = "evidence_key";

/// The components of the OpenAPI document.
pub(in crate::mcp::tools) struct OutputSchemas {
    components: Map<String, Value>,
}

impl OutputSchemas {
    pub(super) fn new() -> Result<Self, Problem> {
        let components = openapi::component_schemas();
        Ok(Self { components: components.map_err(|error| Problem::internal().because(error.to_string()))? })
    }

    /// The output of a tool that answers with a component.
    pub(super) fn answer(&self, component: &str, depth: usize, citation: Citation) -> Result<Value, Problem> {
        Ok(with_additions(self.component(component, depth)?, citation))
    }

    /// The output of a tool that answers with one of several components. It requires what all of them require.
    pub(super) fn one_of(&self, components: &[&str], depth: usize, citation: Citation) -> Result<Value, Problem> {
        let (mut properties, mut required) = (Map::new(), None);
        for component in components {
            let schema = self.component(component, depth)?;
            properties.extend(members(&schema));
            let own = required_of(&schema);
            let common = required.get_or_insert_with(|| own.clone());
            common.retain(|name| own.contains(name));
        }
        let schema = json!({"type": "object", "properties": properties, "required": required.unwrap_or_default()});
        Ok(with_additions(schema, citation))
    }

    /// The output of a tool whose answer REST does not have. Every member is required.
    pub(super) fn object(properties: &Value, citation: Citation) -> Value {
        let required: Vec<&String> = properties.as_object().into_iter().flat_map(Map::keys).collect();
        with_additions(json!({"type": "object", "required": required, "properties": properties}), citation)
    }

    /// A component with its references inlined up to a depth.
    pub(super) fn component(&self, name: &str, depth: usize) -> Result<Value, Problem> {
        let schema = self.components.get(name);
        let missing = || Problem::internal().because(format!("the OpenAPI document has no component {name}"));
        self.inlined(schema.ok_or_else(missing)?, depth)
    }

    fn inlined(&self, schema: &Value, depth: usize) -> Result<Value, Problem> {
        if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
            return self.component(name, depth);
        }
        if let Some(parts) = schema["allOf"].as_array() {
            let parts = parts.iter().map(|part| self.inlined(part, depth)).collect::<Result<Vec<_>, _>>()?;
            let properties: Map<String, Value> = parts.iter().flat_map(members).collect();
            let required: Vec<String> = parts.iter().flat_map(required_of).collect();
            return Ok(if properties.is_empty() {
                json!({"type": "object"})
            } else {
                json!({"type": "object", "properties": properties, "required": required})
            });
        }
        if let Some(variants) = schema["oneOf"].as_array() {
            let mut others = variants.iter().filter(|variant| variant["type"] != "null");
            // Variants of an object differ in their members, which a model sees in the answer.
            return match (others.next(), others.next()) {
                (Some(only), None) if variants.len() > 1 => Ok(nullable(self.inlined(only, depth)?)),
                _ => Ok(json!({})),
            };
        }
        let mut inlined = Map::new();
        for member in ["type", "enum"] {
            inlined.extend(schema.get(member).map(|value| (member.to_owned(), value.clone())));
        }
        if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
            inlined.insert("items".into(), self.inlined(items, depth)?);
        }
        if let Some(properties) = schema["properties"].as_object()
            && depth > 0
        {
            let properties =
                properties.iter().map(|(name, schema)| Ok((name.clone(), self.inlined(schema, depth - 1)?)));
            inlined.insert("properties".into(), Value::Object(properties.collect::<Result<_, Problem>>()?));
            inlined.insert("required".into(), required_of(schema).into());
        }
        Ok(Value::Object(inlined))
    }
}

fn members(schema: &Value) -> Map<String, Value> {
    schema["properties"].as_object().cloned().unwrap_or_default()
}

fn required_of(schema: &Value) -> Vec<String> {
    let names = schema["required"].as_array().into_iter().flatten();
    names.filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

fn nullable(mut schema: Value) -> Value {
    let null = || json!("null");
    match &mut schema["type"] {
        Value::String(kind) => schema["type"] = json!([kind, "null"]),
        Value::Array(kinds) if !kinds.contains(&null()) => kinds.push(null()),
        // Without a type it may be null already.
        _ => return json!({}),
    }
    if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        values.push(Value::Null);
    }
    schema
}

/// Adds the members that tools add to the answers of REST.
fn with_additions(mut schema: Value, citation: Citation) -> Value {
    let text = json!({"type": "string"});
    let mut add = |name: &str, member: Value| schema["properties"][name] = member;
    add("warnings", json!({"type": "array", "items": text}));
    add("truncated", json!({"type": "boolean", "description": "There when the answer was cut."}));
    add("how_to_continue", json!({"type": "string", "description": "The call that returns the rest."}));
    add("data_notice", text.clone());
    require(&mut schema, "data_notice");
    match citation {
        Citation::None => {}
        Citation::Whole => {
            schema["properties"]["cite_as"] = text;
            require(&mut schema, "cite_as");
        }
        Citation::WholeIfAny => schema["properties"]["cite_as"] = text,
        Citation::EachRow => {
            let lists = schema["properties"].as_object_mut().into_iter().flat_map(Map::values_mut);
            for row in lists.filter_map(|list| list.get_mut("items")) {
                if row["properties"].get(EVIDENCE_KEY).is_some() {
                    row["properties"]["cite_as"] = text.clone();
                    require(row, "cite_as");
                }
            }
        }
    }
    schema
}

/// A schema of a projection: any member may be absent.
pub(super) fn projected(mut schema: Value) -> Value {
    if let Some(object) = schema.as_object_mut() {
        object.remove("required");
        if let Some(Value::Object(members)) = object.get_mut("properties") {
            members.values_mut().for_each(|member| *member = projected(member.take()));
        }
        if let Some(items) = object.get_mut("items") {
            *items = projected(items.take());
        }
    }
    schema
}

/// The same for hits, which have of their rows what is stale, what is asked for, and of models limits and prices.
pub(super) fn of_hits(schema: Value) -> Value {
    let mut schema = projected(schema);
    let hit = &mut schema["properties"]["results"]["items"]["properties"];
    for field in FIELDS {
        let Some(path) = filters::figure_path(field) else { continue };
        let (member, is_whole) = path.split_once('.').map_or((path, true), |(member, _)| (member, false));
        if hit.get(member).is_none() {
            hit[member] = match field.shape {
                Shape::Date | Shape::Time if is_whole => json!({"type": "string"}),
                _ if is_whole => json!({"type": "integer"}),
                _ => json!({"type": "object"}),
            };
        }
    }
    hit["priced_by"] = json!({"type": "object"});
    hit["stale_fields"] = json!({"type": "array", "items": {"type": "string"}});
    schema
}

/// The same for lists of rows: of models with the number of their offers.
pub(super) fn of_rows(schema: Value) -> Value {
    let mut schema = projected(schema);
    schema["properties"][Kind::Model.collection()]["items"]["properties"][OFFER_COUNT] = json!({"type": "integer"});
    schema
}

fn require(schema: &mut Value, name: &str) {
    let mut required = required_of(schema);
    required.push(name.to_owned());
    schema["required"] = required.into();
}
