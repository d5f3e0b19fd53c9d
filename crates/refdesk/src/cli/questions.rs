//! Commands that ask: search, one item, lists, comparisons, costs, names, conflicts, routing.

use clap::Args;

use super::asked::Question;
use super::flag::Takes::{Keys, Kind, Number, Switch, Text, Tokens, Word, Words};
use super::flag::{Flag, KIND};

/// Declares a type for each command, with its flags in the order of its help and whether the filters of the fields follow.
macro_rules! questions {
    ($($command:ident { filters: $filters:literal, flags: $flags:expr })*) => {$(
        #[doc = concat!("The command `", stringify!($command), "`.")]
        #[derive(Debug, Clone, Copy)]
        pub enum $command {}

        impl Question for $command {
            const FLAGS: &[&[Flag]] = $flags;
            const HAS_FILTERS: bool = $filters;
        }
    )*};
}

questions! {
    Search { filters: true, flags: &[
        &[
            Flag("q", Words("QUERY", " "), "What to look for"),
            Flag("type", Kind, "Only this kind: document, mcp-server, model, skill, tool or tutorial"),
            Flag("fresh-only", Switch("true"), "Leave stale facts out"),
            Flag("limit", Number("LIMIT"), "Maximum number of hits [default: 10, maximum 50]"),
            Flag("mode", Text("MODE"), "`lexical` or `hybrid`"),
            Flag("passages", Number("N"), "Show the N best passages of each document, skill and tutorial [maximum 5]"),
            Flag("budget-tokens", Number("N"), "Token budget for all passages; also turns passages on [default: 1500]"),
            Flag(
                "understand",
                Text("BOOL"),
                "Read limits, orders and kinds in the question: true or false [default: true]",
            ),
            Flag("collection", Text("ID"), "Only members of this collection of the configuration"),
        ],
        &SELECTION,
        &[Flag(
            "format",
            Text("FORMAT"),
            "With a type: write the hits, as many as --limit, as `ndjson` or `csv`; `json` is --json",
        )],
    ] }
    List { filters: true, flags: &[
        &[
            Flag(KIND, Word("KIND"), "model, tool, skill, tutorial, mcp-server, document or framework"),
            Flag("limit", Number("LIMIT"), "Page size [default: 100, frameworks 25, maximum 500]"),
            Flag("offset", Number("OFFSET"), "Start position"),
            Flag("fresh-only", Switch("true"), "Leave stale items out, and show stale fields of others as null"),
            Flag("include-candidates", Switch("true"), "Frameworks: candidates too"),
            Flag("q", Text("TEXT"), "Only what matches this text"),
            Flag("collection", Text("ID"), "Only members of this collection of the configuration"),
        ],
        &SELECTION,
        &[Flag("format", Text("FORMAT"), "Write the whole list as `ndjson` or `csv`; `json` is --json")],
    ] }
    Compare { filters: false, flags: &[&[
        Flag("ids", Words("IDS", ","), "2 to 10 ids, or any spellings of them"),
        Flag("type", Kind, "Kind of the items; default: the kind of the first id"),
    ]] }
    Cost { filters: false, flags: &[&[
        Flag("model", Word("MODEL"), "Id of the model, or any spelling of it"),
        Flag("input", Tokens("input-tokens"), "Uncached input tokens per request: 200000, 200k, 1m"),
        Flag("output", Tokens("output-tokens"), "Output tokens per request, reasoning included"),
        Flag("cache-read", Tokens("cache-read-tokens"), "Tokens read from the cache"),
        Flag("cache-write", Tokens("cache-write-tokens"), "Tokens written to the cache"),
        Flag("reasoning", Tokens("reasoning-tokens"), "Output tokens that are reasoning"),
        Flag("requests", Number("N"), "Number of requests [default: 1]"),
        Flag("batch", Switch("true"), "At batch prices"),
        Flag("seller", Text("SELLER"), "Only this seller; several are separated by commas"),
        Flag("sort", Text("SORT"), "`total` or `seller`"),
    ]] }
    Resolve { filters: false, flags: &[&[
        Flag("ids", Words("NAMES", ","), "Names in any spelling"),
        Flag("type", Kind, "Only this kind, such as model or mcp-server"),
    ]] }
    Conflicts { filters: false, flags: &[&[
        Flag("type", Kind, "Only this kind, such as model or mcp-server"),
        Flag("path", Text("PATH"), "Only this dotted path, and those below it"),
        Flag("min-percent", Number("PERCENT"), "Only numbers that differ by at least this many percent"),
        Flag("limit", Number("LIMIT"), "Page size [default: 100, maximum 500]"),
        Flag("offset", Number("OFFSET"), "Start position"),
    ]] }
    Route { filters: false, flags: &[&[
        Flag("q", Words("QUESTION", " "), "The problem, in your own words"),
        Flag("domain", Text("DOMAIN"), "Only this domain"),
        Flag("include-candidates", Switch("true"), "Include candidates"),
        Flag("mode", Text("MODE"), "`lexical` or `hybrid`"),
    ]] }
}

/// Which rows of a kind, in which order, and what is shown of them. The filters of the fields follow.
const SELECTION: [Flag; 8] = [
    Flag("ids", Text("IDS"), "Only these ids or spellings, comma-separated"),
    Flag("without-removed", Switch("false"), "Leave out items that no source lists any more"),
    Flag("stale", Text("BOOL"), "`true`: only stale items; `false`: only items that are not stale"),
    Flag("price-of", Text("SELLER"), "Models: whose prices to use: maker, cheapest, or a seller"),
    Flag("sort", Keys("FIELDS"), "Order: fields, comma-separated; `-` before one is descending"),
    Flag("fields", Text("PATHS"), "Only these members: dotted paths, comma-separated"),
    Flag(
        "facets",
        Text("FIELDS"),
        "Count the values of these fields, comma-separated; `type` in a search of all kinds",
    ),
    Flag("facet-size", Number("N"), "Maximum number of values per facet [default: 30, maximum 1000]"),
];

/// Flags of `get`.
#[derive(Debug, Clone, Args)]
pub struct Get {
    /// model, tool, skill, tutorial, mcp-server, document or framework.
    pub kind: String,
    /// Id, or any upstream spelling of it.
    pub id: String,
    /// Frameworks: print only the prompt; with --json the whole card and its prompt.
    #[arg(long)]
    pub prompt: bool,
    /// With --prompt: fill a variable of the prompt, repeatable; unfilled variables stay unchanged.
    #[arg(long, value_name = "NAME=VALUE", requires = "prompt")]
    pub var: Vec<String>,
    /// Fresh facts only: a stale item counts as not found, stale fields are null.
    #[arg(long)]
    pub fresh_only: bool,
    /// Models: the offers of the undated name and of all its dated snapshots, too.
    #[arg(long)]
    pub all_offers: bool,
    /// Print only the raw body, whose SHA-256 is `content_hash` where `hash_basis` is `bytes`.
    #[arg(long, conflicts_with = "record")]
    pub raw: bool,
    /// Print only the record behind the item: the exact bytes that hash to `content_hash`.
    #[arg(long)]
    pub record: bool,
    /// With --record: the record of this evidence key instead of the leading one.
    #[arg(long, value_name = "KEY", requires = "record")]
    pub evidence: Option<String>,
}
