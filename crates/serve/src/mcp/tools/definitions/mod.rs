//! The tools, each a row of [`TOOLS`], and the definitions of `tools/list`: descriptions that say when to use a tool and when not, strict
//! inputs, exact outputs.
//!
//! JSON Schema 2020-12, object roots, no references, no formats. The names of the arguments are those of REST, and the outputs are made of
//! the components of the OpenAPI document, so that every shape is described once.

mod inputs;
mod outputs;

use std::future::ready;
use std::sync::OnceLock;

use futures::future::BoxFuture;
use refdesk_core::Kind;
use refdesk_core::query::InputShape::{Flag, Kinds, Offset, Size, Spelling, Word};
use refdesk_core::query::inputs::{
    COMPARE, COST, FRAMEWORK_DETAIL, FRAMEWORK_SEARCH, LIST, MODEL_DETAIL, ROUTE, SEARCH, SELECTION,
};
use refdesk_core::query::{LIST_LIMIT, LimitRule, QueryInput};
use refdesk_core::text::word_array;
use serde_json::{Map, Value, json};

use super::answer::ToolAnswer;
use super::arguments::Arguments;
use super::items::{self, ROWS_SHOWN};
use super::questions::{self, SELLERS_SHOWN};
use super::read_document::{self, READ_CHARS, READABLE};
use super::{frameworks, search, source_status};
use crate::http::problem::Problem;
use crate::mcp::protocol::request::McpRequest;
use inputs::Inputs::{self, Of, One, Untold};
use inputs::{FULL, own};
use outputs::{Citation, OutputSchemas};

/// Components of the details of all kinds, and of what `resolve` answers with.
const DETAIL_COMPONENTS: [&str; 8] = word_array(
    "ModelDetail ToolDetail SkillDetail TutorialDetail McpServerDetail DocumentDetail FrameworkDetail ResolveAnswer",
);
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
    let all = TOOLS.iter().map(|tool| definition(tool, &outputs)).collect::<Result<Vec<_>, _>>()?;
    Ok(RENDERED.get_or_init(|| Value::from_iter(all).to_string().into_bytes()))
}

/// What `tools/list` says of a tool.
fn definition(tool: &Tool, outputs: &OutputSchemas) -> Result<Value, Problem> {
    let input: Map<String, Value> = tool.inputs.iter().flat_map(Inputs::schemas).collect();
    let mut schema = json!({"type": "object", "properties": input, "additionalProperties": false});
    if !tool.required.is_empty() {
        schema["required"] = json!(tool.required);
    }
    Ok(json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description.replace("{ROWS_SHOWN}", &ROWS_SHOWN.to_string()),
        "inputSchema": schema,
        "outputSchema": (tool.output)(outputs)?,
        "annotations": {
            "title": tool.title,
            "readOnlyHint": true,
            "destructiveHint": false,
            "idempotentHint": true,
            "openWorldHint": false
        }
    }))
}

/// A tool.
pub(super) struct Tool {
    pub(super) name: &'static str,
    title: &'static str,
    description: &'static str,
    /// The arguments that it takes, in the order of `tools/list`.
    inputs: &'static [Inputs],
    required: &'static [&'static str],
    output: fn(&OutputSchemas) -> Result<Value, Problem>,
    pub(super) call: for<'a> fn(&'a McpRequest<'a>, &'a Arguments) -> BoxFuture<'a, Result<ToolAnswer, Problem>>,
}

impl Tool {
    /// The names of its arguments.
    pub(super) fn arguments(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.inputs.iter().flat_map(Inputs::names)
    }
}

/// What a list takes, of which fewer rows are shown unless more are asked for.
const ROWS: [QueryInput; 5] = {
    let mut inputs = LIST;
    inputs[0].shape = Size(LimitRule { default: ROWS_SHOWN, ..LIST_LIMIT });
    inputs
};

/// All of them, in the order of `tools/list`.
pub(super) static TOOLS: [Tool; 10] = [
    Tool {
        name: "search_catalog",
        title: "Search the catalog",
        description: "Find AI models, developer tools, agent skills, tutorials, MCP servers and documentation pages by name in any spelling, or by \
need in plain words (\"open-weights model for code\", \"MCP server for postgres\"). Use it first whenever you do not know the exact id. \
An empty `results` means that nothing relevant is known: read `suggestions` and try once more in other words, do not guess. \
Not for ways of working or thinking (route_framework, search_frameworks), not to enumerate everything (list_items), not for an id that you \
already have (get_item). Results are best first; each has `cite_as` and its evidence.",
        inputs: &[Of(&SEARCH), One("filters", || inputs::filters("Needs type.")), Of(&[FULL]), Untold("understand")],
        required: &["q"],
        output: |outputs| Ok(outputs::of_hits(outputs.answer("SearchAnswer", 3, Citation::EachRow)?)),
        call: |request, arguments| Box::pin(search::search_catalog(request, arguments)),
    },
    Tool {
        name: "get_item",
        title: "Get one item",
        description: "Get everything known about one item, with its evidence and the conflicts between sources: a model's prices, limits and offers, a tool's \
commands, an MCP server's packages and versions, the text of a skill, tutorial or documentation page. Use it when you have an id from \
search_catalog or list_items, or an upstream spelling such as `anthropic/claude-sonnet-4.5`; no need to search first. An unknown id is an \
error with near ids in `suggestions`. Not for finding things (search_catalog), not for long texts (read_document pages through them).",
        inputs: &[
            Of(&[
                own("id", Spelling, "Id, upstream spelling, or refdesk:// address of the item."),
                own("type", Kinds(&Kind::ALL), "Its type. Default: all types are tried."),
            ]),
            Of(&MODEL_DETAIL),
            Of(&[
                FRAMEWORK_DETAIL[1],
                own("resolve", Flag, "Only say which item the spelling names, how surely, and what else it may name."),
                FULL,
            ]),
        ],
        required: &["id"],
        output: |outputs| Ok(outputs::projected(outputs.one_of(&DETAIL_COMPONENTS, 2, Citation::WholeIfAny)?)),
        call: |request, arguments| Box::pin(items::get_item(request, arguments)),
    },
    Tool {
        name: "list_items",
        title: "List items of a type",
        description: "Page through the items of one type that meet `filters`, ordered by id or `sort`. Use it for inventories and counts (`total`), to choose \
within limits (price, context, capability), or to rerun the `filters` and `sort` in the `understood` of a search. A page has {ROWS_SHOWN} rows unless `limit` \
asks for more; a long page may be cut, so continue with offset=next_offset until `next_offset` is null. Not to find something by name or need \
(search_catalog).",
        inputs: &[
            Of(&[own("type", Kinds(&Kind::ALL), "Which items.")]),
            Of(&ROWS),
            One("filters", || inputs::filters("")),
            Of(&SELECTION),
            Of(&[FULL]),
        ],
        required: &["type"],
        output: |outputs| Ok(outputs::of_rows(outputs.one_of(&LIST_COMPONENTS, 2, Citation::EachRow)?)),
        call: |request, arguments| Box::pin(ready(items::list_items(request, arguments))),
    },
    Tool {
        name: "read_document",
        title: "Read a full text",
        description: "Read the Markdown of a documentation page, skill or tutorial, piece by piece. Use it after search_catalog or get_item when the snippet is not \
enough; continue with offset=next_offset until `next_offset` is null. Offsets and sizes are characters. Not for models, tools, MCP servers or \
frameworks: they have no full text (get_item, get_framework).",
        inputs: &[
            Of(&[
                own("id", Spelling, "Id, upstream path, or refdesk:// address of the document."),
                own("type", Kinds(&READABLE), "Its type. Default: documents, then skills, then tutorials."),
                own("offset", Offset, "Character to begin at; take it from next_offset."),
                own("limit", Size(READ_CHARS), "Maximum characters."),
                own("heading", Word, "Only the section under this heading or slug."),
            ]),
            One(
                "budget_tokens",
                || json!({"type": "integer", "minimum": 1, "description": "Maximum tokens, instead of limit."}),
            ),
        ],
        required: &["id"],
        output: |outputs| {
            Ok(OutputSchemas::object(
                &json!({
                    "type": {"type": "string"}, "id": {"type": "string"}, "title": {"type": "string"},
                    "markdown": {"type": "string"}, "offset": {"type": "integer"}, "limit": {"type": "integer"},
                    "total_chars": {"type": "integer"}, "next_offset": {"type": ["integer", "null"]},
                    "source_url": {"type": "string"}, "evidence_key": {"type": "string"}, "stale": {"type": "boolean"},
                    "evidence": outputs.component("Evidence", 1)?
                }),
                Citation::Whole,
            ))
        },
        call: |request, arguments| Box::pin(read_document::read_document(request, arguments)),
    },
    Tool {
        name: "compare_items",
        title: "Compare items",
        description: "Put 2 to 10 items of one type side by side: every field, whether it differs, and which values are best (`best` has their positions in \
`ids`). Use it for \"A or B\", after you know the ids. Not for what a call costs (estimate_cost).",
        inputs: &[Of(&COMPARE), Of(&[own("type", Kinds(&Kind::ALL), "Their type. Default: that of the first."), FULL])],
        required: &["ids"],
        output: |outputs| Ok(outputs::projected(outputs.answer("CompareAnswer", 3, Citation::None)?)),
        call: |request, arguments| Box::pin(ready(questions::compare_items(request, arguments))),
    },
    Tool {
        name: "estimate_cost",
        title: "Estimate what a call costs",
        description: "Compute exactly what requests to a model cost at its sellers, cheapest first. Use it instead of multiplying prices yourself: it applies tiers, cache, \
batch and reasoning prices, and lists a price that nobody states as `missing`, never as 0. Not for the prices themselves (get_item).",
        inputs: &[
            Of(&COST),
            One(
                "limit",
                || json!({"type": "integer", "minimum": 1, "default": SELLERS_SHOWN, "description": "Maximum sellers, cheapest first."}),
            ),
            Of(&[FULL]),
        ],
        required: &["model"],
        output: |outputs| Ok(outputs::projected(outputs.answer("CostAnswer", 3, Citation::Whole)?)),
        call: |request, arguments| Box::pin(ready(questions::estimate_cost(request, arguments))),
    },
    Tool {
        name: "search_frameworks",
        title: "Search frameworks",
        description: "Find frameworks (reusable ways of thinking or working: premortem, five whys, decision matrix, …) by name, alias or topic. Use it when the \
user names a method or asks which methods exist for a topic. Not for choosing a method for a concrete problem: route_framework decides and says \
why. Not for models, tools or documents (search_catalog).",
        inputs: &[Of(&FRAMEWORK_SEARCH), Of(&[FULL])],
        required: &["q"],
        output: |outputs| Ok(outputs::projected(outputs.answer("FrameworkSearchAnswer", 3, Citation::EachRow)?)),
        call: |request, arguments| Box::pin(ready(frameworks::search_frameworks(request, arguments))),
    },
    Tool {
        name: "route_framework",
        title: "Choose a framework for a problem",
        description: "Give a problem in the user's own words and get the one framework that fits it, why, and the next best. Use it before working on an open \
problem: a decision, a plan, a diagnosis, a conflict, a review. `decision` is `match` (go on with get_framework and include_prompt=true), `ambiguous` \
(ask the user `clarifying_question`) or `no_match` (work without one; do not force an alternative). Not for finding a method by its name \
(search_frameworks), not for facts (search_catalog).",
        inputs: &[Of(&ROUTE), Untold("full")],
        required: &["q"],
        output: |outputs| outputs.answer("RouteAnswer", 3, Citation::WholeIfAny),
        call: |request, arguments| Box::pin(frameworks::route_framework(request, arguments)),
    },
    Tool {
        name: "get_framework",
        title: "Get a framework",
        description: "Get one framework card: when to use it and when not, inputs, steps, output, quality checks, failure modes, origin. With \
include_prompt=true also the prompt that runs it: gather its required inputs, then follow it. Use it after route_framework or search_frameworks. \
An unknown id is an error with near ids in `suggestions`.",
        inputs: &[
            Of(&[
                own("id", Spelling, "Id or alias of the framework."),
                own("include_prompt", Flag, "Add the prompt that runs it."),
            ]),
            Untold("full"),
        ],
        required: &["id"],
        output: |outputs| Ok(outputs::projected(outputs.answer("FrameworkDetail", 2, Citation::Whole)?)),
        call: |request, arguments| Box::pin(items::get_framework(request, arguments)),
    },
    Tool {
        name: "source_status",
        title: "Show the status of the sources",
        description: "Show when each upstream source was last synced and checked, what failed and what is due. Use it when answers are stale or missing, or when \
the user asks how current the data is. Healthy sources show only their last sync; full=true shows all. Not needed for a single answer, whose evidence says how old it is.",
        inputs: &[Of(&[FULL])],
        required: &[],
        output: |outputs| Ok(outputs::projected(outputs.answer("SourcesAnswer", 2, Citation::None)?)),
        call: |request, arguments| Box::pin(ready(source_status(request, arguments))),
    },
];
