//! The definitions of `tools/list`: descriptions that say when to use a tool and when not, strict inputs, exact outputs.
//!
//! JSON Schema 2020-12, object roots, no references, no formats. The names of the arguments are those of REST, and the outputs are made of
//! the components of the OpenAPI document, so that every shape is described once.

mod inputs;
mod outputs;

use std::sync::OnceLock;

use refdesk_core::Kind;
use refdesk_core::query::{
    BUDGET_TOKENS, FRAMEWORK_LIST_LIMIT, FRAMEWORK_SEARCH_LIMIT, LIST_LIMIT, PASSAGES_LIMIT, SEARCH_LIMIT,
};
use serde_json::{Value, json};

use super::Tool;
use super::questions::SELLERS_SHOWN;
use super::read_document::{READ_CHARS, READABLE};
use crate::http::problem::Problem;
use outputs::{Citation, OutputSchemas};

/// Components of the details of all kinds, and of what `resolve` answers with.
const DETAIL_COMPONENTS: [&str; 8] = [
    "ModelDetail",
    "ToolDetail",
    "SkillDetail",
    "TutorialDetail",
    "McpServerDetail",
    "DocumentDetail",
    "FrameworkDetail",
    "ResolveAnswer",
];
/// Components of the lists of all kinds.
const LIST_COMPONENTS: [&str; 7] =
    ["ModelList", "ToolList", "SkillList", "TutorialList", "McpServerList", "DocumentList", "FrameworkList"];

/// The array of definitions as JSON, rendered once.
///
/// # Errors
/// 500 when the OpenAPI document lacks a component that a tool answers with.
pub(in crate::mcp) fn definitions() -> Result<&'static [u8], Problem> {
    static RENDERED: OnceLock<Vec<u8>> = OnceLock::new();
    if let Some(rendered) = RENDERED.get() {
        return Ok(rendered);
    }
    let outputs = OutputSchemas::new()?;
    let all = Tool::ALL.into_iter().map(|tool| definition(tool, &outputs)).collect::<Result<Vec<_>, _>>()?;
    Ok(RENDERED.get_or_init(|| Value::from_iter(all).to_string().into_bytes()))
}

fn definition(tool: Tool, outputs: &OutputSchemas) -> Result<Value, Problem> {
    match tool {
        Tool::SearchCatalog => search_catalog(outputs),
        Tool::GetItem => get_item(outputs),
        Tool::ListItems => list_items(outputs),
        Tool::ReadDocument => read_document(outputs),
        Tool::CompareItems => compare_items(outputs),
        Tool::EstimateCost => estimate_cost(outputs),
        Tool::SearchFrameworks => search_frameworks(outputs),
        Tool::RouteFramework => route_framework(outputs),
        Tool::GetFramework => get_framework(outputs),
        Tool::SourceStatus => source_status(outputs),
    }
}

fn tool(tool: Tool, title: &str, description: &str, input: &Value, required: &[&str], output: Value) -> Value {
    let mut schema = json!({"type": "object", "properties": input, "additionalProperties": false});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    json!({
        "name": tool.name(),
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

fn search_catalog(outputs: &OutputSchemas) -> Result<Value, Problem> {
    Ok(tool(
        Tool::SearchCatalog,
        "Search the catalog",
        "Find AI models, developer tools, agent skills, tutorials, MCP servers and documentation pages by name in any spelling, or by \
need in plain words (\"open-weights model for code\", \"MCP server for postgres\"). Use it first whenever you do not know the exact id. \
An empty `results` means that nothing relevant is known: read `suggestions` and try once more in other words, do not guess. \
Not for ways of working or thinking (use route_framework or search_frameworks), not to enumerate everything (list_items), not for an id that you \
already have (get_item). Results are best first; each has `cite_as` and its evidence.",
        &json!({
            "q": inputs::question("A name or a need, in plain words. Any characters; there is no query syntax."),
            "type": inputs::types(&Kind::SEARCHED, "Only this type."),
            "fresh_only": inputs::flag("Leave out what may be stale."),
            "include_markdown": inputs::flag("Add the full text to DOC results; long texts are cut. Prefer passages."),
            "passages": inputs::at_most(PASSAGES_LIMIT.max, "Add this many best sections of each document, skill and tutorial."),
            "budget_tokens": inputs::limit(BUDGET_TOKENS, "Tokens of all passages."),
            "limit": inputs::limit(SEARCH_LIMIT, "Most results."),
            "mode": inputs::mode(),
            "filters": inputs::filters("With a type."),
            "full": inputs::full()
        }),
        &["q"],
        outputs::of_hits(outputs.answer("SearchAnswer", 3, Citation::EachRow)?),
    ))
}

fn get_item(outputs: &OutputSchemas) -> Result<Value, Problem> {
    Ok(tool(
        Tool::GetItem,
        "Get one item",
        "Get everything known of one item: a model's prices, limits and offers, a tool's commands, an MCP server's packages and versions, a \
skill, tutorial or documentation page with its text, with evidence for each field and the conflicts between sources. Use it when you have an id from \
search_catalog or list_items, or an upstream spelling such as `anthropic/claude-sonnet-4.5`: every spelling resolves. An unknown id is an \
error with near ids in `suggestions`. Not for finding things (search_catalog), not for long texts (read_document pages through them).",
        &json!({
            "id": inputs::id("Id, upstream spelling, or refdesk:// address of the item."),
            "type": inputs::types(&Kind::ALL, "Its type. Left out: all types are looked through."),
            "fresh_only": inputs::flag("Only what is not out of date: stale fields are null."),
            "all_offers": inputs::flag("Models only: add the offers of the undated name and its snapshots."),
            "include_prompt": inputs::flag("Frameworks only: add the prompt that runs it."),
            "resolve": inputs::flag("Only tell which item the spelling names, how surely, and what else it may name."),
            "full": inputs::full()
        }),
        &["id"],
        outputs::projected(outputs.one_of(&DETAIL_COMPONENTS, 2, Citation::WholeIfAny)?),
    ))
}

fn list_items(outputs: &OutputSchemas) -> Result<Value, Problem> {
    let description = format!(
        "Page through all items of one type, ordered by id. Use it for inventories and counts (`total`), or to go on from `next_offset` until it is \
null. Not to find something by name or need: search_catalog is shorter and ranks. Long pages are cut: `limit` and `next_offset` show what was given. \
FRAMEWORK pages have {} rows by default, others {}.",
        FRAMEWORK_LIST_LIMIT.default, LIST_LIMIT.default
    );
    Ok(tool(
        Tool::ListItems,
        "List items of a type",
        &description,
        &json!({
            "type": inputs::types(&Kind::ALL, "Which items."),
            "limit": {"type": "integer", "minimum": 1, "maximum": LIST_LIMIT.max, "description": "Most rows; 10 to 30 is a good size."},
            "offset": {"type": "integer", "minimum": 0, "default": 0, "description": "Rows to skip; take it from next_offset."},
            "fresh_only": inputs::flag("Leave out what may be stale."),
            "include_candidates": inputs::flag("FRAMEWORK only: unfinished cards too."),
            "filters": inputs::filters(""),
            "sort": {"type": "string", "description": "Keys between commas, `-` for descending: price_input, -context_tokens, -released_on, name."},
            "full": inputs::full()
        }),
        &["type"],
        outputs::projected(outputs.one_of(&LIST_COMPONENTS, 2, Citation::EachRow)?),
    ))
}

fn read_document(outputs: &OutputSchemas) -> Result<Value, Problem> {
    Ok(tool(
        Tool::ReadDocument,
        "Read a full text",
        "Read the Markdown of a documentation page, skill or tutorial, piece by piece. Use it after search_catalog or get_item when the snippet is not \
enough; go on with offset=next_offset until `next_offset` is null. Offsets and sizes are characters. Not for models, tools, MCP servers or \
frameworks: those have no full text (get_item, get_framework).",
        &json!({
            "id": inputs::id("Id, upstream path, or refdesk:// address of the document."),
            "type": inputs::types(&READABLE, "Its type. Left out: documents, then skills, then tutorials."),
            "offset": {"type": "integer", "minimum": 0, "default": 0, "description": "Character to begin at; take it from next_offset."},
            "limit": {"type": "integer", "minimum": 1, "maximum": READ_CHARS.max, "default": READ_CHARS.default, "description": "Most characters."},
            "heading": {"type": "string", "description": "Only the section under this heading."},
            "budget_tokens": {"type": "integer", "minimum": 1, "description": "Most tokens, in place of limit."}
        }),
        &["id"],
        OutputSchemas::object(
            &json!({
                "type": {"type": "string"}, "id": {"type": "string"}, "title": {"type": "string"},
                "markdown": {"type": "string"}, "offset": {"type": "integer"}, "limit": {"type": "integer"},
                "total_chars": {"type": "integer"}, "next_offset": {"type": ["integer", "null"]},
                "source_url": {"type": "string"}, "evidence_key": {"type": "string"}, "stale": {"type": "boolean"},
                "evidence": outputs.component("Evidence", 1)?
            }),
            Citation::Whole,
        ),
    ))
}

fn compare_items(outputs: &OutputSchemas) -> Result<Value, Problem> {
    Ok(tool(
        Tool::CompareItems,
        "Compare items",
        "Put 2 to 10 items of one type side by side: every field, whether it differs, and which values are best (`best` has their positions in \
`ids`). Use it for \"A or B\", after you know the ids. Not for what a call costs (estimate_cost).",
        &json!({
            "ids": {"type": ["string", "array"], "items": {"type": "string"}, "description": "2 to 10 ids or spellings: a list, or a text with commas."},
            "type": inputs::types(&Kind::ALL, "Their type. Left out: that of the first."),
            "full": inputs::full()
        }),
        &["ids"],
        outputs::projected(outputs.answer("CompareAnswer", 3, Citation::None)?),
    ))
}

fn estimate_cost(outputs: &OutputSchemas) -> Result<Value, Problem> {
    let tokens = |what: &str| json!({"type": ["integer", "string"], "description": what});
    Ok(tool(
        Tool::EstimateCost,
        "Estimate what a call costs",
        "Compute exactly what requests to a model cost at its sellers, cheapest first. Use it instead of multiplying prices: it knows tiers, cache, \
batch and reasoning prices, and a price that nobody states is `missing`, never 0. Not for the prices themselves (get_item).",
        &json!({
            "model": inputs::id("Id or spelling of the model."),
            "input_tokens": tokens("Tokens read and not cached, of one request; 200k and 1m are understood."),
            "output_tokens": tokens("Tokens written, reasoning among them."),
            "cache_read_tokens": tokens("Tokens read from the cache."),
            "cache_write_tokens": tokens("Tokens written to the cache."),
            "reasoning_tokens": tokens("Those of output_tokens that are reasoning."),
            "requests": tokens("How many such requests; 1 when left out."),
            "batch": inputs::flag("At batch prices."),
            "seller": {"type": "string", "description": "Only this seller."},
            "limit": {"type": "integer", "minimum": 1, "default": SELLERS_SHOWN, "description": "Most sellers, the cheapest ones."},
            "full": inputs::full()
        }),
        &["model"],
        outputs::projected(outputs.answer("CostAnswer", 3, Citation::Whole)?),
    ))
}

fn search_frameworks(outputs: &OutputSchemas) -> Result<Value, Problem> {
    Ok(tool(
        Tool::SearchFrameworks,
        "Search frameworks",
        "Find frameworks (reusable ways of thinking or working: premortem, five whys, decision matrix, …) by name, alias or topic. Use it when the \
user names a method or asks which methods exist for a topic. Not for choosing a method for a concrete problem: route_framework decides and says \
why. Not for models, tools or documents (search_catalog).",
        &json!({
            "q": inputs::question("Name, alias or topic."),
            "domain": inputs::domain(),
            "include_candidates": inputs::flag("Unfinished cards too."),
            "include_prompt": inputs::flag("Add the prompts; get_framework is shorter for one card."),
            "limit": inputs::limit(FRAMEWORK_SEARCH_LIMIT, "Most cards.")
        }),
        &["q"],
        outputs.answer("FrameworkSearchAnswer", 3, Citation::EachRow)?,
    ))
}

fn route_framework(outputs: &OutputSchemas) -> Result<Value, Problem> {
    Ok(tool(
        Tool::RouteFramework,
        "Choose a framework for a problem",
        "Give a problem in the user's own words and get the one framework that fits it, why, and the next best. Use it before working on an open \
problem: a decision, a plan, a diagnosis, a conflict, a review. `decision` is `match` (go on with get_framework and include_prompt=true), `ambiguous` \
(ask the user `clarifying_question`) or `no_match` (work without one; do not force an alternative). Not for finding a method by its name \
(search_frameworks), not for facts (search_catalog).",
        &json!({
            "q": inputs::question("The problem or task as the user put it, with its circumstances."),
            "domain": inputs::domain(),
            "include_candidates": inputs::flag("Unfinished cards too."),
            "mode": inputs::mode()
        }),
        &["q"],
        outputs.answer("RouteAnswer", 3, Citation::WholeIfAny)?,
    ))
}

fn get_framework(outputs: &OutputSchemas) -> Result<Value, Problem> {
    Ok(tool(
        Tool::GetFramework,
        "Get a framework",
        "Get one framework card: when to use it and when not, inputs, steps, output, quality checks, failure modes, origin. With \
include_prompt=true also the prompt that runs it: gather its required inputs, then follow it. Use it after route_framework or search_frameworks. \
An unknown id is an error with near ids in `suggestions`.",
        &json!({
            "id": inputs::id("Id or alias of the framework."),
            "include_prompt": inputs::flag("Add the prompt that runs it.")
        }),
        &["id"],
        outputs.answer("FrameworkDetail", 2, Citation::Whole)?,
    ))
}

fn source_status(outputs: &OutputSchemas) -> Result<Value, Problem> {
    Ok(tool(
        Tool::SourceStatus,
        "Show where the data stand",
        "Show for each upstream source when it was last taken and checked, what failed and what is due. Use it when answers are stale or missing, or when \
the user asks how current the data are. Of sources that are well only the last sync is shown; full=true gives all. Not needed for a single answer: its evidence says the same of it.",
        &json!({"full": inputs::full()}),
        &[],
        outputs::projected(outputs.answer("SourcesAnswer", 2, Citation::None)?),
    ))
}
