//! Look-ups: a page of a kind, and one item.

use std::sync::LazyLock;

use super::inputs;
use super::{
    FACET_SIZE, FRAMEWORK_LIST_LIMIT, LIST_LIMIT, Params, QueryError, QueryInput, Selection, Warning, filters, names,
};
use crate::Kind;

/// What `collection` takes.
pub(super) const COLLECTION_EXPECTED: &str = "the id of a collection";

/// `GET /v1/<kind>/list`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListQuery {
    /// Page size applied.
    pub limit: usize,
    /// The size that was asked for: an export has so many rows, however many a page may have.
    pub limit_asked: Option<usize>,
    /// Start position.
    pub offset: usize,
    /// Leave stale items out, and show stale fields of others as null.
    pub fresh_only: bool,
    /// Frameworks only: candidates too.
    pub include_candidates: bool,
    /// Only members of this collection of the configuration.
    pub collection: Option<String>,
    /// Which rows, in which order, shown how.
    pub selection: Selection,
    /// What was applied in place of what was asked for.
    pub warnings: Vec<Warning>,
}

impl ListQuery {
    /// Its inputs for a kind, but for the filters.
    pub fn inputs(kind: Kind) -> impl Iterator<Item = &'static QueryInput> {
        let own = if kind == Kind::Framework { &inputs::FRAMEWORK_LIST } else { &inputs::LIST };
        own.iter().chain(&inputs::SELECTION).filter(move |input| match input.name {
            "include_candidates" => kind == Kind::Framework,
            "price_of" => kind == Kind::Model,
            _ => true,
        })
    }

    /// Names it understands for a kind.
    pub fn names(kind: Kind) -> &'static [&'static str] {
        static NAMES: LazyLock<[Vec<&'static str>; 7]> = LazyLock::new(|| {
            Kind::ALL.map(|kind| {
                let own = ListQuery::inputs(kind).map(|input| input.name);
                own.chain(filters(kind).iter().map(|filter| &*filter.name)).collect()
            })
        });
        &NAMES[kind.index()]
    }

    /// Parses the query.
    ///
    /// # Errors
    /// On a `limit` or `offset` that is no whole number or out of range, a wrong boolean, a blank `collection`, and a wrong
    /// [`Selection`].
    pub fn parse(kind: Kind, params: &Params<'_>) -> Result<Self, QueryError> {
        let rule = if kind == Kind::Framework { FRAMEWORK_LIST_LIMIT } else { LIST_LIMIT };
        let selection = Selection::parse(kind, params)?;
        Ok(Self {
            limit: params.limit(rule)?,
            limit_asked: params.asked("limit"),
            offset: params.offset()?,
            fresh_only: params.flag("fresh_only")?,
            // Who asks for what is a candidate means candidates.
            include_candidates: params.flag("include_candidates")?
                || kind == Kind::Framework && selection.asks_for("status", "candidate"),
            collection: params.word("collection", COLLECTION_EXPECTED)?,
            selection,
            warnings: params.clamped(&[("limit", rule), ("facet_size", FACET_SIZE)]),
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
            Kind::Framework => &const { names(&inputs::FRAMEWORK_DETAIL) },
            Kind::Model => &const { names(&inputs::MODEL_DETAIL) },
            _ => &const { names(&inputs::DETAIL) },
        }
    }

    /// Its inputs for a kind.
    pub const fn inputs(kind: Kind) -> &'static [QueryInput] {
        match kind {
            Kind::Framework => &inputs::FRAMEWORK_DETAIL,
            Kind::Model => &inputs::MODEL_DETAIL,
            _ => &inputs::DETAIL,
        }
    }

    /// Parses the query.
    ///
    /// # Errors
    /// On a wrong boolean, and a name that looks like a misspelt one.
    pub fn parse(params: &Params<'_>) -> Result<Self, QueryError> {
        params.refuse_misspelt()?;
        Ok(Self {
            fresh_only: params.flag("fresh_only")?,
            all_offers: params.flag("all_offers")?,
            include_prompt: params.flag("include_prompt")?,
        })
    }
}
