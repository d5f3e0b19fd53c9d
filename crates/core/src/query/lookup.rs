//! Look-ups: a page of a kind, and one item.

use super::{FRAMEWORK_LIST_LIMIT, LIST_LIMIT, Params, QueryError};
use crate::Kind;

/// `GET /v1/<kind>/list`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListQuery {
    /// Page size applied.
    pub limit: usize,
    /// Start position.
    pub offset: usize,
    /// Leave stale items out, and show stale fields of others as null.
    pub fresh_only: bool,
    /// Frameworks only: candidates too.
    pub include_candidates: bool,
}

impl ListQuery {
    /// Names it understands for a kind.
    pub const fn names(kind: Kind) -> &'static [&'static str] {
        match kind {
            Kind::Framework => &["limit", "offset", "fresh_only", "include_candidates"],
            _ => &["limit", "offset", "fresh_only"],
        }
    }

    /// Reads the query.
    ///
    /// # Errors
    /// On a `limit` or `offset` that is no whole number or out of range, or a wrong boolean.
    pub fn read(kind: Kind, params: &Params<'_>) -> Result<Self, QueryError> {
        let rule = if kind == Kind::Framework { FRAMEWORK_LIST_LIMIT } else { LIST_LIMIT };
        Ok(Self {
            limit: params.limit(rule)?,
            offset: params.offset()?,
            fresh_only: params.flag("fresh_only")?,
            include_candidates: params.flag("include_candidates")?,
        })
    }
}

/// A detail: `GET /v1/<kind>/:id`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DetailQuery {
    /// Only what is fresh: a stale item is not found, stale fields of others are null.
    pub fresh_only: bool,
    /// Models only: the offers of the undated name and of all its snapshots, too.
    pub all_offers: bool,
    /// Frameworks only: the prompt too.
    pub include_prompt: bool,
}

impl DetailQuery {
    /// Names it understands for a kind.
    pub const fn names(kind: Kind) -> &'static [&'static str] {
        match kind {
            Kind::Framework => &["fresh_only", "include_prompt"],
            Kind::Model => &["fresh_only", "all_offers"],
            _ => &["fresh_only"],
        }
    }

    /// Reads the query.
    ///
    /// # Errors
    /// On a wrong boolean.
    pub fn read(params: &Params<'_>) -> Result<Self, QueryError> {
        Ok(Self {
            fresh_only: params.flag("fresh_only")?,
            all_offers: params.flag("all_offers")?,
            include_prompt: params.flag("include_prompt")?,
        })
    }
}
