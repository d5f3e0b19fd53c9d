//! What `tools/list` says of the tools: descriptions that tell when to use a tool and when not, strict inputs, true outputs.
//!
//! JSON Schema 2020-12, object roots, no references, no formats. The names of the arguments are those of REST.

use std::sync::OnceLock;

use refdesk_core::Kind;
use refdesk_core::item::Domain;
use refdesk_core::query::{
    FRAMEWORK_LIST_LIMIT, FRAMEWORK_SEARCH_LIMIT, LIST_LIMIT, LimitRule, QUERY_CHARS_MAX, SEARCH_LIMIT,
};
use serde_json::{Value, json};

use super::arguments::ID_CHARS_MAX;
use super::read_document::{READ_CHARS, READABLE};

/// The array of definitions as JSON, rendered once.
pub(in crate::mcp) fn definitions() -> &'static [u8] {
    static RENDERED: OnceLock<Vec<u8>> = OnceLock::new();
    RENDERED.get_or_init(|| Value::Array(all()).to_string().into_bytes())
}

fn all() -> Vec<Value> {
    vec![
        search_catalog(),
        get_item(),
        list_items(),
        read_document(),
        search_frameworks(),
        route_framework(),
        get_framework(),
        source_status(),
    ]
}

fn tool(name: &str, title: &str, description: &str, input: &Value, required: &[&str], output: &Value) -> Value {
    let mut schema = json!({"type": "object", "properties": input, "additionalProperties": false});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    json!({
        "name": name,
        "title": title,
        "description": description,
        "inputSchema": schema,
        "outputSchema": output,
        "annotations": {
            "title": title,
            "readOnlyHint": true,
            "destructiveHint": false,
            "idempotentHint": true,
            "openWorldHint": false
        }
    })
}

fn question(description: &str) -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": QUERY_CHARS_MAX, "description": description})
}

fn flag(description: &str) -> Value {
    json!({"type": "boolean", "default": false, "description": description})
}

fn limit(rule: LimitRule, what: &str) -> Value {
    json!({"type": "integer", "minimum": 1, "maximum": rule.max, "default": rule.default, "description": what})
}

fn id(description: &str) -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": ID_CHARS_MAX, "description": description})
}

fn types(kinds: &[Kind], description: &str) -> Value {
    let names: Vec<&str> = kinds.iter().map(|kind| kind.search_type()).collect();
    json!({"type": "string", "enum": names, "description": description})
}

fn domain() -> Value {
    let names: Vec<&str> = Domain::ALL.iter().map(|domain| domain.as_str()).collect();
    json!({"type": "string", "enum": names, "description": "Only frameworks of this domain."})
}

fn mode() -> Value {
    json!({"type": "string", "enum": ["lexical", "hybrid"], "default": "lexical", "description": "How to rank; leave it out normally."})
}

fn text() -> Value {
    json!({"type": "string"})
}

fn maybe_text() -> Value {
    json!({"type": ["string", "null"]})
}

fn count() -> Value {
    json!({"type": "integer", "minimum": 0})
}

fn texts() -> Value {
    json!({"type": "array", "items": {"type": "string"}})
}

fn evidence() -> Value {
    json!({
        "type": "object",
        "description": "Where the answer comes from and whether it can still be relied on.",
        "properties": {
            "source_url": text(), "key": text(), "content_hash": text(), "hash_basis": text(),
            "last_synced_at": maybe_text(), "last_verified_at": maybe_text(), "stale": {"type": "boolean"},
            "stale_reason": maybe_text(), "stale_after": maybe_text(), "source_id": text(), "license": maybe_text(),
            "attribution": maybe_text(), "references": texts(), "record_url": text(), "stated_by": text(),
            "record_withheld": text(), "removed_at": text()
        },
        "required": ["source_url", "key", "content_hash", "last_synced_at", "last_verified_at", "stale", "source_id"]
    })
}

/// An object with the members that every answer may have beside its own.
fn output(mut own: Value, required: &[&str]) -> Value {
    if let Some(properties) = own.as_object_mut() {
        properties.insert("warnings".into(), texts());
        properties
            .insert("truncated".into(), json!({"type": "boolean", "description": "There when the answer was cut."}));
        properties.insert(
            "how_to_continue".into(),
            json!({"type": "string", "description": "Which call brings what was cut off."}),
        );
        properties.insert("data_notice".into(), text());
    }
    let mut all: Vec<&str> = required.to_vec();
    all.push("data_notice");
    json!({"type": "object", "properties": own, "required": all})
}

/// Members that hits, rows and cards share.
fn hit(name: &[&str], more: Value) -> Value {
    let mut properties = json!({
        "id": text(), "display_name": text(), "title": text(), "vendor": maybe_text(), "status": text(), "trust_tier": text(),
        "source_url": text(), "evidence_key": text(), "last_synced_at": maybe_text(), "last_verified_at": maybe_text(),
        "stale": {"type": "boolean"}, "cite_as": text()
    });
    if let (Some(properties), Value::Object(more)) = (properties.as_object_mut(), more) {
        properties.extend(more);
    }
    let mut required = vec!["id", "status", "trust_tier", "source_url", "evidence_key", "last_synced_at", "stale"];
    required.extend(name);
    json!({"type": "object", "properties": properties, "required": required})
}

fn matched() -> Value {
    json!({"type": "array", "items": {"type": "object", "properties": {"field": text(), "how": text()}, "required": ["field", "how"]}})
}

fn search_catalog() -> Value {
    let result = hit(
        &["type", "url", "cite_as", "evidence"],
        json!({
            "type": text(), "summary": maybe_text(), "snippet": maybe_text(), "score": {"type": "number"}, "matched": matched(),
            "url": text(), "evidence": evidence(), "markdown": text()
        }),
    );
    tool(
        "search_catalog",
        "Search the catalog",
        "Find AI models, developer tools, agent skills, tutorials, MCP servers and documentation pages by name in any spelling, or by \
need in plain words (\"open-weights model for code\", \"MCP server for postgres\"). Use it first whenever you do not know the exact id. \
An empty `results` means that nothing relevant is known: read `suggestions` and try once more in other words, do not guess. \
Not for ways of working or thinking (use route_framework or search_frameworks), not to enumerate everything (list_items), not for an id that you \
already have (get_item). Results are best first; each has `cite_as` and its evidence.",
        &json!({
            "q": question("A name or a need, in plain words. Any characters; there is no query syntax."),
            "type": types(&Kind::SEARCHED, "Only this type."),
            "fresh_only": flag("Leave out what may be out of date."),
            "include_markdown": flag("Add the full text to DOC results; long texts are cut. Prefer read_document."),
            "limit": limit(SEARCH_LIMIT, "Most results."),
            "mode": mode()
        }),
        &["q"],
        &output(
            json!({
                "query": text(), "type": maybe_text(), "fresh_only": {"type": "boolean"}, "include_markdown": {"type": "boolean"},
                "mode": text(), "limit": count(), "count": count(), "total": count(),
                "results": {"type": "array", "items": result},
                "suggestions": texts(), "excluded_stale": count(), "catalog_revision": text()
            }),
            &["query", "limit", "count", "total", "results", "suggestions", "excluded_stale", "catalog_revision"],
        ),
    )
}

/// An item with its evidence; the item stands under the name of its kind.
fn detail(kinds: &[Kind]) -> Value {
    let mut own = json!({
        "resolved_from": {"type": "string", "description": "The spelling that was sent, when it is not the id."},
        "evidence": evidence(), "cite_as": text()
    });
    for kind in kinds {
        own[kind.singular()] = hit(
            &[kind.name_key(), "field_evidence", "conflicts"],
            json!({
                "aliases": texts(),
                "field_evidence": {"type": "object", "description": "Dotted path of a field: who states it."},
                "conflicts": {"type": "array", "description": "What other sources say instead.", "items": {"type": "object"}}
            }),
        );
    }
    for kind in Kind::ALL {
        own[format!("related_{}", kind.collection())] = json!({"type": "array"});
    }
    let mut schema = output(own, &["evidence", "cite_as"]);
    if let [kind] = kinds {
        schema["required"] = json!(["evidence", "cite_as", "data_notice", kind.singular()]);
    }
    schema
}

fn get_item() -> Value {
    tool(
        "get_item",
        "Get one item",
        "Get everything known of one item: a model's prices, limits and offers, a tool's commands, an MCP server's packages and versions, a \
skill, tutorial or documentation page with its text, with evidence for each field and the conflicts between sources. Use it when you have an id from \
search_catalog or list_items, or an upstream spelling such as `anthropic/claude-sonnet-4.5`: every spelling resolves. An unknown id is an \
error with near ids in `suggestions`. Not for finding things (search_catalog), not for long texts (read_document pages through them).",
        &json!({
            "id": id("Id, upstream spelling, or refdesk:// address of the item."),
            "type": types(&Kind::ALL, "Its type. Left out: all types are looked through."),
            "fresh_only": flag("Only what is not out of date: stale fields are null."),
            "all_offers": flag("Models only: add the offers of the undated name and its snapshots."),
            "include_prompt": flag("Frameworks only: add the prompt that runs it.")
        }),
        &["id"],
        &detail(&Kind::ALL),
    )
}

fn list_items() -> Value {
    let row = hit(&["cite_as"], json!({"aliases": texts()}));
    let mut own =
        json!({"limit": count(), "offset": count(), "total": count(), "next_offset": {"type": ["integer", "null"]}});
    for kind in Kind::ALL {
        own[kind.collection()] = json!({"type": "array", "items": row});
    }
    let description = format!(
        "Page through all items of one type, ordered by id. Use it for inventories and counts (`total`), or to go on from `next_offset` until it is \
null. Not to find something by name or need: search_catalog is shorter and ranks. Long pages are cut: `limit` and `next_offset` show what was given. \
FRAMEWORK pages have {} rows by default, others {}.",
        FRAMEWORK_LIST_LIMIT.default, LIST_LIMIT.default
    );
    tool(
        "list_items",
        "List items of a type",
        &description,
        &json!({
            "type": types(&Kind::ALL, "Which items."),
            "limit": {"type": "integer", "minimum": 1, "maximum": LIST_LIMIT.max, "description": "Most rows; 10 to 30 is a good size."},
            "offset": {"type": "integer", "minimum": 0, "default": 0, "description": "Rows to skip; take it from next_offset."},
            "fresh_only": flag("Leave out what may be out of date."),
            "include_candidates": flag("FRAMEWORK only: unfinished cards too.")
        }),
        &["type"],
        &output(own, &["limit", "offset", "total", "next_offset"]),
    )
}

fn read_document() -> Value {
    tool(
        "read_document",
        "Read a full text",
        "Read the Markdown of a documentation page, skill or tutorial, piece by piece. Use it after search_catalog or get_item when the snippet is not \
enough; go on with offset=next_offset until `next_offset` is null. Offsets and sizes are characters. Not for models, tools, MCP servers or \
frameworks: those have no full text (get_item, get_framework).",
        &json!({
            "id": id("Id, upstream path, or refdesk:// address of the document."),
            "type": types(&READABLE, "Its type. Left out: documents, then skills, then tutorials."),
            "offset": {"type": "integer", "minimum": 0, "default": 0, "description": "Character to begin at; take it from next_offset."},
            "limit": {"type": "integer", "minimum": 1, "maximum": READ_CHARS.max, "default": READ_CHARS.default, "description": "Most characters."}
        }),
        &["id"],
        &output(
            json!({
                "type": text(), "id": text(), "title": text(), "markdown": text(), "offset": count(), "limit": count(),
                "total_chars": count(), "next_offset": {"type": ["integer", "null"]}, "source_url": text(),
                "evidence_key": text(), "stale": {"type": "boolean"}, "evidence": evidence(), "cite_as": text()
            }),
            &[
                "type",
                "id",
                "title",
                "markdown",
                "offset",
                "total_chars",
                "next_offset",
                "source_url",
                "stale",
                "evidence",
                "cite_as",
            ],
        ),
    )
}

fn card(more: Value) -> Value {
    let mut own = json!({"domain": text(), "secondary_domains": texts(), "summary": maybe_text(), "url": text(), "score": {"type": "number"}});
    if let (Some(own), Value::Object(more)) = (own.as_object_mut(), more) {
        own.extend(more);
    }
    hit(&["display_name", "domain", "summary", "url", "score"], own)
}

fn search_frameworks() -> Value {
    let found = card(json!({"matched": matched(), "snippet": maybe_text(), "prompt": {"type": ["object", "null"]}}));
    tool(
        "search_frameworks",
        "Search frameworks",
        "Find frameworks (reusable ways of thinking or working: premortem, five whys, decision matrix, …) by name, alias or topic. Use it when the \
user names a method or asks which methods exist for a topic. Not for choosing a method for a concrete problem: route_framework decides and says \
why. Not for models, tools or documents (search_catalog).",
        &json!({
            "q": question("Name, alias or topic."),
            "domain": domain(),
            "include_candidates": flag("Unfinished cards too."),
            "include_prompt": flag("Add the prompts; get_framework is shorter for one card."),
            "limit": limit(FRAMEWORK_SEARCH_LIMIT, "Most cards.")
        }),
        &["q"],
        &output(
            json!({
                "query": text(), "domain": maybe_text(), "include_candidates": {"type": "boolean"},
                "include_prompt": {"type": "boolean"}, "limit": count(), "count": count(), "total": count(),
                "frameworks": {"type": "array", "items": found}, "suggestions": texts(), "catalog_revision": text()
            }),
            &["query", "limit", "count", "total", "frameworks", "suggestions", "catalog_revision"],
        ),
    )
}

fn route_framework() -> Value {
    let mut selected =
        card(json!({"confidence": {"type": "number"}, "reasons": {"type": "array", "items": {"type": "object"}}}));
    selected["type"] = json!(["object", "null"]);
    let alternative = json!({
        "type": "object",
        "properties": {
            "id": text(), "display_name": text(), "domain": text(), "score": {"type": "number"}, "why_not": maybe_text(),
            "stale": {"type": "boolean"}, "url": text()
        },
        "required": ["id", "display_name", "domain", "score"]
    });
    tool(
        "route_framework",
        "Choose a framework for a problem",
        "Give a problem in the user's own words and get the one framework that fits it, why, and the next best. Use it before working on an open \
problem: a decision, a plan, a diagnosis, a conflict, a review. `decision` is `match` (go on with get_framework and include_prompt=true), `ambiguous` \
(ask the user `clarifying_question`) or `no_match` (work without one; do not force an alternative). Not for finding a method by its name \
(search_frameworks), not for facts (search_catalog).",
        &json!({
            "q": question("The problem or task as the user put it, with its circumstances."),
            "domain": domain(),
            "include_candidates": flag("Unfinished cards too."),
            "mode": mode()
        }),
        &["q"],
        &output(
            json!({
                "query": text(), "domain": maybe_text(), "include_candidates": {"type": "boolean"},
                "decision": {"type": "string", "enum": ["match", "ambiguous", "no_match"]},
                "selected": selected, "alternatives": {"type": "array", "items": alternative},
                "clarifying_question": maybe_text(), "router": {"type": "object"}, "cite_as": text()
            }),
            &["query", "decision", "selected", "alternatives", "clarifying_question", "router"],
        ),
    )
}

fn get_framework() -> Value {
    tool(
        "get_framework",
        "Get a framework",
        "Get one framework card: when to use it and when not, inputs, steps, output, quality checks, failure modes, origin. With \
include_prompt=true also the prompt that runs it: gather its required inputs, then follow it. Use it after route_framework or search_frameworks. \
An unknown id is an error with near ids in `suggestions`.",
        &json!({
            "id": id("Id or alias of the framework."),
            "include_prompt": flag("Add the prompt that runs it.")
        }),
        &["id"],
        &detail(&[Kind::Framework]),
    )
}

fn source_status() -> Value {
    let source = json!({
        "type": "object",
        "properties": {
            "id": text(), "name": text(), "kind": text(), "url": text(), "types": texts(), "enabled": {"type": "boolean"},
            "status": text(), "last_attempt_at": maybe_text(), "last_synced_at": maybe_text(), "last_verified_at": maybe_text(),
            "next_due_at": maybe_text(), "refresh_due": {"type": "boolean"}, "interval_seconds": count(),
            "consecutive_failures": count(), "error": {"type": ["object", "null"]}, "counts": {"type": "object"}
        },
        "required": ["id", "status", "enabled", "refresh_due", "counts"]
    });
    tool(
        "source_status",
        "Show where the data stand",
        "Show for each upstream source when it was last taken and checked, what failed and what is due. Use it when answers are stale or missing, or when \
the user asks how current the data are. Not needed for a single answer: its evidence says the same of it.",
        &json!({}),
        &[],
        &output(
            json!({"sources": {"type": "array", "items": source}, "summary": {"type": "object"}}),
            &["sources", "summary"],
        ),
    )
}
