//! The tools of a server in Docker's catalog: `tools.json`, or the list inside `server.yaml` of servers that are commands.
//!
//! A tool states its input as a JSON Schema (`inputSchema`, `parameters`) or as a list of `arguments`, which is turned into one.

use std::collections::BTreeMap;

use refdesk_core::item::{Head, Item, McpTool, Tool, ToolAnnotations};
use refdesk_core::{Fact, Reject, clean};
use serde_json::{Map, Value, json};

use super::Batch;
use crate::connectors::formats::json_fields::{canonical_record, flag, required, stored, text};
use crate::connectors::formats::json_text;
use crate::connectors::formats::stated_status::stated_status;
use crate::connectors::repository::repo::Tree;

/// Largest list of the tools of a server, in bytes.
const LIST_BYTES_MAX: usize = 2 << 20;

fn within_bound(list: &[u8]) -> Result<(), String> {
    if list.len() > LIST_BYTES_MAX {
        return Err(format!("it has {} bytes; at most {LIST_BYTES_MAX} are read", list.len()));
    }
    Ok(())
}

/// What all tools of one list share.
pub struct Owner<'a> {
    /// Folder of the server.
    pub server: &'a str,
    /// Maker of the server.
    pub vendor: Option<&'a str>,
    /// The file that lists them.
    pub path: &'a str,
    /// Its public page.
    pub page: &'a str,
}

/// The list in the `tools.json` of a server's folder; `None` when there is none. An unreadable file is one reject.
pub fn listed(tree: &Tree, path: &str, server: &str, batch: &mut Batch) -> Option<Value> {
    let bytes = tree.files.get(path)?;
    let read = within_bound(bytes).and_then(|()| json_text::elements(bytes));
    let reason = match read {
        Ok(Some(tools)) => {
            let mut read = Vec::new();
            for (position, tool) in tools.into_iter().enumerate() {
                match json_text::read(tool, |tool| Ok(tool.clone())) {
                    Ok(tool) => read.push(tool),
                    Err(reason) => {
                        let key = format!("{path} item {}", position + 1);
                        let fact = json_text::text_at(tool, &["name"]).map(|name| key_of(server, &name));
                        batch.take(Err(Reject::new(key, reason, &json_text::shown(tool)).of(fact)));
                    }
                }
            }
            return Some(Value::Array(read));
        }
        Ok(None) => format!("{path} is not a list of tools"),
        Err(reason) => format!("{path} is not JSON: {reason}"),
    };
    batch.take(Err(Reject::new(path, reason, &json_text::shown(bytes)).of_group(server)));
    None
}

/// Adds a fact or a reject for each tool of a list; gives the server's own short list of them. `seen` holds the tools of the server's
/// lists so far, by name.
pub fn read<'a>(
    list: &'a Value,
    owner: &Owner<'_>,
    seen: &mut BTreeMap<String, &'a Value>,
    batch: &mut Batch,
) -> Vec<McpTool> {
    let mut short = Vec::new();
    for (position, tool) in list.as_array().into_iter().flatten().enumerate() {
        let read = fact(tool, owner).and_then(|(name, fact)| match seen.get(name) {
            Some(first) if *first == tool => Ok(None),
            Some(_) => Err(format!("the tool `{name}` is listed twice with different contents; the first counts")),
            None => Ok(Some((name, fact))),
        });
        if let Ok(Some((name, fact))) = &read
            && let Item::Tool(fields) = &fact.item
        {
            short.push(McpTool { name: (*name).to_owned(), description: fields.description.clone() });
            seen.insert((*name).to_owned(), tool);
        }
        let read = read.map(|tool| tool.map(|(_, fact)| fact)).map_err(|reason| {
            let key = format!("{} item {}", owner.path, position + 1);
            let fact = tool["name"].as_str().map(|name| key_of(owner.server, name));
            Reject::new(key, reason, &tool.to_string()).of(fact)
        });
        batch.take_once(read);
    }
    short
}

/// Reads a stored tool again.
pub fn reread(key: &str, record: &[u8], page: &str) -> Result<Fact, String> {
    let (server, _) = key.split_once('/').ok_or("the key is not `<server>/<tool>`")?;
    let tool = stored(record)?;
    fact(&tool, &Owner { server, vendor: None, path: page, page }).map(|(_, fact)| fact)
}

fn key_of(server: &str, name: &str) -> String {
    format!("{server}/{name}")
}

fn fact<'a>(tool: &'a Value, owner: &Owner<'_>) -> Result<(&'a str, Fact), String> {
    let stated = tool.as_object().ok_or("the tool is not an object")?;
    let name = required(stated, "name")?;
    let key = key_of(owner.server, name);
    let description = text(stated, "description");
    let item = Item::Tool(Tool {
        category: Some("mcp-tool".into()),
        description: description.map(str::to_owned),
        input_schema: schema(stated),
        output_schema: stated.get("outputSchema").filter(|schema| schema.is_object()).cloned(),
        annotations: annotations(stated),
        ..Tool::default()
    });
    let record = canonical_record(tool)?;
    let fact = Fact {
        head: Head {
            id: format!("{}.{name}", owner.server),
            name: clean::line(name),
            vendor: owner.vendor.map(str::to_owned),
            status: stated_status(name, description),
            aliases: vec![key.clone()],
            ..Head::default()
        },
        ..Fact::new(key, item, record, owner.page)
    };
    Ok((name, fact))
}

/// The hints, as the Model Context Protocol has them.
fn annotations(tool: &Map<String, Value>) -> Option<ToolAnnotations> {
    let hints = tool.get("annotations")?.as_object()?;
    let hint = |name: &str| flag(hints, name);
    ToolAnnotations {
        read_only: hint("readOnlyHint"),
        destructive: hint("destructiveHint"),
        idempotent: hint("idempotentHint"),
        open_world: hint("openWorldHint"),
    }
    .or_unknown()
}

/// The JSON Schema of the input, stated or made of the arguments; `None` when neither is there.
fn schema(tool: &Map<String, Value>) -> Option<Value> {
    let stated =
        ["inputSchema", "parameters"].iter().find_map(|key| tool.get(*key)).filter(|schema| schema.is_object());
    if stated.is_some() {
        return stated.cloned();
    }
    let arguments = tool.get("arguments")?.as_array()?;
    let mut properties = Map::new();
    let mut needed = Vec::new();
    for argument in arguments.iter().filter_map(Value::as_object) {
        let Some(name) = text(argument, "name") else { continue };
        let mut property = Map::new();
        for (from, to) in
            [("type", "type"), ("desc", "description"), ("description", "description"), ("items", "items")]
        {
            if let Some(value) = argument.get(from).filter(|value| !value.is_null()) {
                property.insert(to.into(), value.clone());
            }
        }
        properties.insert(name.to_owned(), Value::Object(property));
        // An argument is needed unless it says otherwise, as the catalog's own format has it.
        if flag(argument, "required").unwrap_or(flag(argument, "optional") != Some(true)) {
            needed.push(name);
        }
    }
    Some(json!({ "type": "object", "properties": properties, "required": needed }))
}
