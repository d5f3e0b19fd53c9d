//! Requests, validated where they are built; nothing behind this file checks them again.
//!
//! [`Params`] takes decoded name-value pairs as they came (REST, MCP and the command line all have such pairs), the query types
//! parse them. What is wrong becomes a [`QueryError`]; what is merely odd (unknown or repeated names) becomes a warning.

mod error;
mod filter;
mod input;
pub mod inputs;
mod lookup;
mod params;
mod questions;
mod search;
mod selection;
mod values;
mod warning;

pub use error::{Allowed, Expected, QueryError};
pub use filter::{Condition, FilterParam, MeantFilter, Operator, Test, called_filter, filters, meant_filter};
pub use input::{InputShape, QueryInput, names};
pub use lookup::{DetailQuery, ListQuery};
pub use params::Params;
pub use questions::{
    COMPARED, CONFLICTS_LIMIT, CompareQuery, ConflictsQuery, CostQuery, RESOLVED_MAX, ResolveQuery, TOKENS_MAX,
};
pub use search::{FrameworkSearchQuery, KIND_FACET, Mode, RouteQuery, SearchQuery};
pub use selection::{
    FACET_SIZE, FACETS_MAX, FILTERS_MAX, Format, PATHS_MAX, PriceOf, SORT_KEYS_MAX, Selection, SortKey,
};
pub use values::VALUES_MAX;
pub use warning::{Advice, SEE_SUGGESTIONS, SOURCES_PATH, Warning};

/// How much of `q` is looked at, in characters after trimming.
pub const QUERY_CHARS_MAX: usize = 2_000;
/// Warnings that one answer lists.
pub const WARNINGS_MAX: usize = 10;
/// Search: page size when none is asked for, and the largest.
pub const SEARCH_LIMIT: LimitRule = LimitRule { default: 10, max: 50 };
/// Passages of each hit of a search when some are asked for; none are shown otherwise.
pub const PASSAGES_LIMIT: LimitRule = LimitRule { default: 1, max: 5 };
/// Tokens of all passages of an answer.
pub const BUDGET_TOKENS: LimitRule = LimitRule { default: 1_500, max: 20_000 };
/// What a token counts for in characters.
pub const CHARS_PER_TOKEN: usize = 4;
/// Lists: page size when none is asked for, and the largest.
pub const LIST_LIMIT: LimitRule = LimitRule { default: 100, max: 500 };
/// Framework list.
pub const FRAMEWORK_LIST_LIMIT: LimitRule = LimitRule { default: 25, max: 500 };
/// Framework search.
pub const FRAMEWORK_SEARCH_LIMIT: LimitRule = LimitRule { default: 8, max: 50 };

/// Default and ceiling of a `limit`; a larger one is clamped and the answer shows the size applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitRule {
    /// When none is asked for.
    pub default: usize,
    /// Larger ones are clamped to this.
    pub max: usize,
}

#[cfg(test)]
mod tests {
    use super::{ListQuery, Params, SearchQuery};
    use crate::Kind;

    fn search(pairs: &[(&'static str, &'static str)]) -> Result<SearchQuery, String> {
        let params = SearchQuery::params(pairs.iter().copied());
        SearchQuery::parse(&params).map_err(|error| error.error.into())
    }

    #[test]
    fn wrong_values_say_which_parameter_is_wrong() {
        assert_eq!(search(&[]).err().as_deref(), Some("q is required"));
        assert_eq!(search(&[("q", " \n ")]).err().as_deref(), Some("q is required"));
        assert_eq!(search(&[("q", "a"), ("type", "nope")]).err().as_deref(), Some("invalid type"));
        assert_eq!(search(&[("q", "a"), ("type", "FRAMEWORK")]).err().as_deref(), Some("invalid type"));
        assert_eq!(search(&[("q", "a"), ("fresh_only", "yes")]).err().as_deref(), Some("invalid fresh_only"));
        assert_eq!(search(&[("q", "a"), ("limit", "0")]).err().as_deref(), Some("invalid limit"));
        assert_eq!(search(&[("q", "a"), ("limit", "1.5")]).err().as_deref(), Some("invalid limit"));
    }

    #[test]
    fn odd_values_are_understood_and_large_ones_clamped() {
        let query = search(&[("q", " x "), ("type", "mcp_Server"), ("limit", "99999999999999999999")]);
        assert!(query.is_ok_and(|query| query.kind == Some(Kind::McpServer) && query.limit == 50 && query.text == "x"));
    }

    #[test]
    fn the_first_of_a_repeated_parameter_counts_and_unknown_ones_are_named() {
        let params = Params::new([("limit", "7"), ("limit", "8"), ("page", "2")], ListQuery::names(Kind::Model));
        assert_eq!(ListQuery::parse(Kind::Model, &params).map(|query| query.limit), Ok(7));
        assert_eq!(params.warnings.len(), 2);
        assert!(params.warnings[1].text.contains("`page`"), "{:?}", params.warnings);
    }
}
