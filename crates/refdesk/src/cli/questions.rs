//! Commands that ask: search, one item, lists, comparisons, costs, names, conflicts, routing.

use clap::Args;

use super::filters;

/// Flags of `search`.
#[derive(Debug, Clone, Args)]
pub struct Search {
    /// What to look for.
    #[arg(required = true)]
    pub query: Vec<String>,
    /// Only this kind: document, mcp-server, model, skill, tool or tutorial.
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Option<String>,
    /// Leave stale facts out.
    #[arg(long)]
    pub fresh_only: bool,
    /// Maximum number of hits [default: 10, maximum 50].
    #[arg(long, allow_negative_numbers = true)]
    pub limit: Option<String>,
    /// `lexical` or `hybrid`.
    #[arg(long)]
    pub mode: Option<String>,
    /// Show the N best passages of each document, skill and tutorial [maximum 5].
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub passages: Option<String>,
    /// Token budget for all passages; also turns passages on [default: 1500].
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub budget_tokens: Option<String>,
    /// Read limits, orders and kinds in the question: true or false [default: true].
    #[arg(long, value_name = "BOOL")]
    pub understand: Option<String>,
    /// Only members of this collection of the configuration.
    #[arg(long, value_name = "ID")]
    pub collection: Option<String>,
    /// With a type: which of its rows.
    #[command(flatten)]
    pub selection: Selection,
    /// With a type: write the hits, as many as --limit, as `ndjson` or `csv`; `json` is --json.
    #[arg(long)]
    pub format: Option<String>,
}

/// Which rows of a kind, in which order, and what is shown of them.
#[derive(Debug, Clone, Args)]
pub struct Selection {
    /// Only these ids or spellings, comma-separated.
    #[arg(long)]
    pub ids: Option<String>,
    /// Leave out items that no source lists any more.
    #[arg(long)]
    pub without_removed: bool,
    /// `true`: only stale items; `false`: only items that are not stale.
    #[arg(long, value_name = "BOOL")]
    pub stale: Option<String>,
    /// Models: whose prices to use: maker, cheapest, or a seller.
    #[arg(long, value_name = "SELLER")]
    pub price_of: Option<String>,
    /// Order: fields, comma-separated; `-` before one is descending.
    #[arg(long, value_name = "FIELDS", allow_hyphen_values = true)]
    pub sort: Option<String>,
    /// Only these members: dotted paths, comma-separated.
    #[arg(long, value_name = "PATHS")]
    pub fields: Option<String>,
    /// Count the values of these fields, comma-separated; `type` in a search of all kinds.
    #[arg(long, value_name = "FIELDS")]
    pub facets: Option<String>,
    /// Maximum number of values per facet [default: 30, maximum 1000].
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub facet_size: Option<String>,
    /// Filters of the fields.
    #[command(flatten)]
    pub filters: filters::Filters,
}

impl Selection {
    /// As REST takes it.
    pub fn pairs(&self) -> Vec<(&str, &str)> {
        let own = [
            ("ids", self.ids.as_deref()),
            ("include_removed", self.without_removed.then_some("false")),
            ("stale", self.stale.as_deref()),
            ("price_of", self.price_of.as_deref()),
            ("sort", self.sort.as_deref()),
            ("fields", self.fields.as_deref()),
            ("facets", self.facets.as_deref()),
            ("facet_size", self.facet_size.as_deref()),
        ];
        let own = own.into_iter().filter_map(|(name, value)| Some((name, value?)));
        own.chain(self.filters.0.iter().map(|(name, value)| (*name, value.as_str()))).collect()
    }
}

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

/// Flags of `list`.
#[derive(Debug, Clone, Args)]
pub struct List {
    /// model, tool, skill, tutorial, mcp-server, document or framework.
    pub kind: String,
    /// Page size [default: 100, frameworks 25, maximum 500].
    #[arg(long, allow_negative_numbers = true)]
    pub limit: Option<String>,
    /// Start position.
    #[arg(long, allow_negative_numbers = true)]
    pub offset: Option<String>,
    /// Leave stale items out, and show stale fields of others as null.
    #[arg(long)]
    pub fresh_only: bool,
    /// Frameworks: candidates too.
    #[arg(long)]
    pub include_candidates: bool,
    /// Only what matches this text.
    #[arg(long, value_name = "TEXT")]
    pub q: Option<String>,
    /// Only members of this collection of the configuration.
    #[arg(long, value_name = "ID")]
    pub collection: Option<String>,
    /// Which rows.
    #[command(flatten)]
    pub selection: Selection,
    /// Write the whole list as `ndjson` or `csv`; `json` is --json.
    #[arg(long)]
    pub format: Option<String>,
}

/// Flags of `compare`.
#[derive(Debug, Clone, Args)]
pub struct Compare {
    /// 2 to 10 ids, or any spellings of them.
    #[arg(required = true)]
    pub ids: Vec<String>,
    /// Kind of the items; default: the kind of the first id.
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Option<String>,
}

/// Flags of `cost`.
#[derive(Debug, Clone, Args)]
pub struct Cost {
    /// Id of the model, or any spelling of it.
    pub model: String,
    /// Uncached input tokens per request: 200000, 200k, 1m.
    #[arg(long, alias = "input-tokens", value_name = "TOKENS", allow_negative_numbers = true)]
    pub input: Option<String>,
    /// Output tokens per request, reasoning included.
    #[arg(long, alias = "output-tokens", value_name = "TOKENS", allow_negative_numbers = true)]
    pub output: Option<String>,
    /// Tokens read from the cache.
    #[arg(long, alias = "cache-read-tokens", value_name = "TOKENS", allow_negative_numbers = true)]
    pub cache_read: Option<String>,
    /// Tokens written to the cache.
    #[arg(long, alias = "cache-write-tokens", value_name = "TOKENS", allow_negative_numbers = true)]
    pub cache_write: Option<String>,
    /// Output tokens that are reasoning.
    #[arg(long, alias = "reasoning-tokens", value_name = "TOKENS", allow_negative_numbers = true)]
    pub reasoning: Option<String>,
    /// Number of requests [default: 1].
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub requests: Option<String>,
    /// At batch prices.
    #[arg(long)]
    pub batch: bool,
    /// Only this seller; several are separated by commas.
    #[arg(long)]
    pub seller: Option<String>,
    /// `total` or `seller`.
    #[arg(long)]
    pub sort: Option<String>,
}

/// Flags of `resolve`.
#[derive(Debug, Clone, Args)]
pub struct Resolve {
    /// Names in any spelling.
    #[arg(required = true)]
    pub names: Vec<String>,
    /// Only this kind, such as model or mcp-server.
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Option<String>,
}

/// Flags of `conflicts`.
#[derive(Debug, Clone, Args)]
pub struct Conflicts {
    /// Only this kind, such as model or mcp-server.
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Option<String>,
    /// Only this dotted path, and those below it.
    #[arg(long)]
    pub path: Option<String>,
    /// Only numbers that differ by at least this many percent.
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    pub min_percent: Option<String>,
    /// Page size [default: 100, maximum 500].
    #[arg(long, allow_negative_numbers = true)]
    pub limit: Option<String>,
    /// Start position.
    #[arg(long, allow_negative_numbers = true)]
    pub offset: Option<String>,
}

/// Flags of `route`.
#[derive(Debug, Clone, Args)]
pub struct Route {
    /// The problem, in your own words.
    #[arg(required = true)]
    pub question: Vec<String>,
    /// Only this domain.
    #[arg(long)]
    pub domain: Option<String>,
    /// Include candidates.
    #[arg(long)]
    pub include_candidates: bool,
    /// `lexical` or `hybrid`.
    #[arg(long)]
    pub mode: Option<String>,
}
