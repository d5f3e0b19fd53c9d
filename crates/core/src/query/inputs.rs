//! Every input of the queries, once: its name, its shape with the limits, and what is said of it.
//!
//! The names that a query takes, the parameters of the OpenAPI document and the inputs of MCP's tools are all made of these tables. Filters
//! are inputs too, and come from the [table of fields](crate::field).

use super::input::{InputShape, QueryInput};
use super::{
    BUDGET_TOKENS, COMPARED, CONFLICTS_LIMIT, FACET_SIZE, FRAMEWORK_LIST_LIMIT, FRAMEWORK_SEARCH_LIMIT, LIST_LIMIT,
    LimitRule, PASSAGES_LIMIT, PATHS_MAX, RESOLVED_MAX, SEARCH_LIMIT, VALUES_MAX,
};
use crate::Kind;

const PAGE_SIZE: &str = "Page size, default {default}. A size over {max} is clamped to {max}.";
const MOST_HITS: &str = "Maximum number of hits, default {default}. More than {max} is clamped to {max}.";
const OFFSET: QueryInput = QueryInput::new(
    "offset",
    InputShape::Offset,
    "Start position, default 0.",
    "Rows to skip; take it from next_offset.",
);
const COLLECTION: QueryInput = QueryInput::new(
    "collection",
    InputShape::Word,
    "Only members of this collection, which the service's configuration defines.",
    "",
);
const DOMAIN: QueryInput =
    QueryInput::new("domain", InputShape::Domain, "Only this domain, in any case.", "Only frameworks of this domain.");
const CANDIDATES: &str = "Include candidates (cards below the publication score).";
const INCLUDE_CANDIDATES: QueryInput =
    QueryInput::new("include_candidates", InputShape::Flag, CANDIDATES, "Include unfinished cards.");
const ANY_TYPE: QueryInput =
    QueryInput::new("type", InputShape::Kinds(&Kind::ALL), "Only this kind, in any spelling.", "");

/// What every list takes. `include_candidates` is of frameworks.
pub const LIST: [QueryInput; 5] = list(LIST_LIMIT);
/// The same for frameworks.
pub const FRAMEWORK_LIST: [QueryInput; 5] = list(FRAMEWORK_LIST_LIMIT);

const fn list(rule: LimitRule) -> [QueryInput; 5] {
    [
        QueryInput::new("limit", InputShape::Size(rule), PAGE_SIZE, "Maximum rows."),
        OFFSET,
        QueryInput::new(
            "fresh_only",
            InputShape::Flag,
            "Leave out stale items (`excluded_stale` counts them); in the rest, stale fields are null and stale offers are left out.",
            "Leave out stale items.",
        ),
        QueryInput::new(
            "include_candidates",
            InputShape::Flag,
            CANDIDATES,
            "FRAMEWORK only: include unfinished cards.",
        ),
        COLLECTION,
    ]
}

/// Which rows of a kind, in which order, shown how. `price_of` is of models.
pub const SELECTION: [QueryInput; 10] = [
    QueryInput::new("q", InputShape::Word, "Only what matches this text; without `sort` the best match is first.", ""),
    QueryInput::new(
        "ids",
        InputShape::Values(VALUES_MAX),
        "Only these ids or spellings, separated by commas, at most {max}; `unresolved` lists the ones that name no item.",
        "",
    ),
    QueryInput::new(
        "include_removed",
        InputShape::Flag,
        "Include items that no source lists any more; default true.",
        "",
    ),
    QueryInput::new("stale", InputShape::Flag, "`true`: only stale items; `false`: only items that are not stale.", ""),
    QueryInput::new(
        "sort",
        InputShape::SortKeys,
        "At most {max} keys, separated by commas, in any case; `-` before one is descending. Unknown values are last; ties go by id. Keys: {names}.",
        "Keys between commas, `-` for descending: price_input, -context_tokens, -released_on, name.",
    ),
    QueryInput::new(
        "fields",
        InputShape::Values(PATHS_MAX),
        "Only these members of the rows, at most {max}: dotted paths, separated by commas. `id`, `evidence_key` and `stale` are always included.",
        "",
    ),
    QueryInput::new(
        "facets",
        InputShape::Facets,
        "Count the values of these fields, at most {max}, in any case, each under all other filters: {names}.",
        "",
    ),
    QueryInput::new(
        "facet_size",
        InputShape::Size(FACET_SIZE),
        "Maximum number of values per facet, default {default}. A size over {max} is clamped.",
        "",
    ),
    QueryInput::new(
        "format",
        InputShape::Format,
        "`json` (default), or `ndjson` or `csv`, in any case: the whole list, or the hits of a search within its `limit`. The header `Accept` works too.",
        "",
    ),
    QueryInput::new(
        "price_of",
        InputShape::Seller,
        "Whose prices are filtered, sorted and shown: `maker` (default), `cheapest` (the seller with the lowest price of three parts of input and one of output), or the id of a seller.",
        "",
    ),
];

/// A search of the catalog. With a `type` it takes what the list of that kind takes as well, but for `offset`.
pub const SEARCH: [QueryInput; 11] = [
    QueryInput::new(
        "q",
        InputShape::Question,
        "What to look for: a name in any spelling, or a need in a sentence. There is no query syntax. The first {max} characters count.",
        "A name or a need, in plain words. Any characters; there is no query syntax.",
    )
    .required(),
    QueryInput::new(
        "type",
        InputShape::Kinds(&Kind::SEARCHED),
        "Only this kind: `DOC`, `MCP_SERVER`, `MODEL`, `SKILL`, `TOOL` or `TUTORIAL`, in any spelling.",
        "Only this type.",
    ),
    QueryInput::new(
        "fresh_only",
        InputShape::Flag,
        "Leave out stale facts; `excluded_stale` counts them.",
        "Leave out stale items.",
    ),
    QueryInput::new(
        "include_markdown",
        InputShape::Flag,
        "Load the full Markdown of document hits.",
        "Add the full text to DOC results; long texts are cut. Prefer passages.",
    ),
    QueryInput::new(
        "passages",
        InputShape::SizeIfAsked(PASSAGES_LIMIT),
        "Return this many passages of each of the best 10 documents, skills and tutorials: the sections that fit the question best, with their headings and `offset`. More than {max} is clamped to {max}.",
        "Add this many best sections of each document, skill and tutorial.",
    ),
    QueryInput::new(
        "budget_tokens",
        InputShape::Size(BUDGET_TOKENS),
        "Token budget (4 characters each) for all passages together, default {default}, at most {max}; also turns passages on.",
        "Token budget for all passages.",
    ),
    QueryInput::new("limit", InputShape::Size(SEARCH_LIMIT), MOST_HITS, "Maximum results."),
    QueryInput::new(
        "mode",
        InputShape::Mode,
        "`lexical` (default) or `hybrid`, in any case; `hybrid` needs a local embedding model, which the operator sets up.",
        "How to rank; normally left out.",
    ),
    QueryInput::new(
        "understand",
        InputShape::Flag,
        "Read filters and an order from the question, default true; `understood` shows what was read.",
        "",
    ),
    COLLECTION,
    QueryInput::new(
        "facets",
        InputShape::Text,
        "Without `type`: `type`, which counts the hits of each kind. With `type`: as the `facets` of the kind's list.",
        "",
    ),
];

/// A search of frameworks.
pub const FRAMEWORK_SEARCH: [QueryInput; 6] = [
    QueryInput::new(
        "q",
        InputShape::Question,
        "A name, an alias or a topic. The first {max} characters count.",
        "Name, alias or topic.",
    )
    .required(),
    DOMAIN,
    INCLUDE_CANDIDATES,
    QueryInput::new(
        "include_prompt",
        InputShape::Flag,
        "Include the prompts.",
        "Add the prompts; get_framework is shorter for one card.",
    ),
    QueryInput::new("limit", InputShape::Size(FRAMEWORK_SEARCH_LIMIT), MOST_HITS, "Maximum cards."),
    COLLECTION,
];

/// A routing.
pub const ROUTE: [QueryInput; 4] = [
    QueryInput::new(
        "q",
        InputShape::Question,
        "The problem, in your own words. The first {max} characters count.",
        "The problem or task as the user put it, with its circumstances.",
    )
    .required(),
    DOMAIN,
    INCLUDE_CANDIDATES,
    QueryInput::new(
        "mode",
        InputShape::Mode,
        "`lexical` (default) or `hybrid`, in any case.",
        "How to rank; normally left out.",
    ),
];

const FRESH_DETAIL: &str = "Stale fields are null; a stale item is an error.";

/// A detail of any kind but the two below.
pub const DETAIL: [QueryInput; 1] = [QueryInput::new(
    "fresh_only",
    InputShape::Flag,
    "A stale item is a 404; stale fields are null, and `stale_fields` lists their paths.",
    FRESH_DETAIL,
)];
/// A detail of a model.
pub const MODEL_DETAIL: [QueryInput; 2] = [
    QueryInput::new(
        "fresh_only",
        InputShape::Flag,
        "A stale item is a 404; stale fields are null, and `stale_fields` lists their paths; stale offers are left out and counted.",
        FRESH_DETAIL,
    ),
    QueryInput::new(
        "all_offers",
        InputShape::Flag,
        "Add `all_offers`: the offers of the undated name and of all its dated snapshots, including the maker's own price.",
        "Models only: add the offers of the undated name and its snapshots.",
    ),
];
/// A detail of a framework.
pub const FRAMEWORK_DETAIL: [QueryInput; 2] = [
    DETAIL[0],
    QueryInput::new(
        "include_prompt",
        InputShape::Flag,
        "Include the prompt that runs the framework.",
        "Frameworks only: add the prompt that runs it.",
    ),
];

/// Items side by side.
pub const COMPARE: [QueryInput; 1] = [QueryInput::new(
    "ids",
    InputShape::Spellings(*COMPARED.start(), *COMPARED.end()),
    "{from} to {max} ids or spellings, separated by commas; an item that is named twice is compared once.",
    "2 to 10 ids or spellings: a list, or a text with commas.",
)
.required()];

/// What requests to a model cost.
pub const COST: [QueryInput; 10] = [
    QueryInput::new(
        "model",
        InputShape::Spelling,
        "The model: its id or any spelling of it.",
        "Id or spelling of the model.",
    )
    .required(),
    QueryInput::new(
        "input_tokens",
        InputShape::Tokens(0),
        "Uncached input tokens of one request, default 0; `200k` and `1m` work here and below. At least one of `input_tokens`, `output_tokens`, `cache_read_tokens` and `cache_write_tokens` is required.",
        "Uncached input tokens per request; 200k and 1m work too.",
    ),
    QueryInput::new(
        "output_tokens",
        InputShape::Tokens(0),
        "Output tokens of one request, reasoning included, default 0.",
        "Output tokens, reasoning included.",
    ),
    QueryInput::new(
        "cache_read_tokens",
        InputShape::Tokens(0),
        "Tokens read from the cache, default 0.",
        "Tokens read from the cache.",
    ),
    QueryInput::new(
        "cache_write_tokens",
        InputShape::Tokens(0),
        "Tokens written to the cache, default 0.",
        "Tokens written to the cache.",
    ),
    QueryInput::new(
        "reasoning_tokens",
        InputShape::Tokens(0),
        "How many of the `output_tokens` are reasoning, default 0; more than `output_tokens` is a 400.",
        "Reasoning tokens among output_tokens.",
    ),
    QueryInput::new(
        "requests",
        InputShape::Tokens(1),
        "Number of such requests, default 1.",
        "Number of such requests; default 1.",
    ),
    QueryInput::new("batch", InputShape::Flag, "At batch prices.", "At batch prices."),
    QueryInput::new(
        "seller",
        InputShape::Word,
        "Only this seller; several are separated by commas.",
        "Only this seller; several are separated by commas.",
    ),
    QueryInput::new("sort", InputShape::OneOf(&["total", "seller"]), "`total` (default) or `seller`, in any case.", ""),
];

/// Which items spellings name.
pub const RESOLVE: [QueryInput; 3] = [
    QueryInput::new("id", InputShape::Text, "A name in any spelling; required unless you send `ids`.", ""),
    QueryInput::new("ids", InputShape::Spellings(0, RESOLVED_MAX), "Up to {max} names, separated by commas.", ""),
    ANY_TYPE,
];

/// Where sources disagree.
pub const CONFLICTS: [QueryInput; 5] = [
    ANY_TYPE,
    QueryInput::new(
        "path",
        InputShape::Word,
        "Only this dotted path, and those below it: `pricing.input`, `limits`.",
        "",
    ),
    QueryInput::new(
        "min_percent",
        InputShape::Percent,
        "Only numbers that differ from the value shown by at least this many percent.",
        "",
    ),
    QueryInput::new("limit", InputShape::Size(CONFLICTS_LIMIT), PAGE_SIZE, ""),
    OFFSET,
];
