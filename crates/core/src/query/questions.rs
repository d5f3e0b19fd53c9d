//! Questions about several items or one in depth: compare, cost, resolve, conflicts.

use super::input::names;
use super::inputs;
use super::values::{invalid, too_many, words};
use super::{Allowed, Expected, LimitRule, Params, QueryError, Warning};
use crate::Kind;

/// Fewest and most items that are compared.
pub const COMPARED: std::ops::RangeInclusive<usize> = 2..=10;
/// What the ids of a comparison are, as errors say it.
const COMPARED_EXPECTED: &str = "2 to 10 ids of different items, separated by commas";
/// Most spellings that are resolved at once.
pub const RESOLVED_MAX: usize = 200;
/// Most tokens of a meter, and most requests, in a cost.
pub const TOKENS_MAX: u64 = 1_000_000_000_000;
/// Conflicts: page size when none is asked for, and the largest.
pub const CONFLICTS_LIMIT: LimitRule = LimitRule { default: 100, max: 500 };

/// `GET /v1/<kind>/compare`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompareQuery {
    /// Ids or spellings, in the order asked; an item that is named twice is compared once.
    pub ids: Vec<String>,
}

impl CompareQuery {
    /// Names it understands.
    pub const NAMES: [&'static str; 1] = names(&inputs::COMPARE);

    /// Parses the query.
    ///
    /// # Errors
    /// On fewer or more ids than [`COMPARED`].
    pub fn parse(params: &Params<'_>) -> Result<Self, QueryError> {
        params.refuse_misspelt()?;
        let given = params.get("ids").filter(|ids| !ids.trim().is_empty());
        let counted = given.map_or(0, |ids| crate::field::split(ids).len());
        if counted > *COMPARED.end() {
            return Err(too_many("ids", counted, *COMPARED.end(), "ids"));
        }
        let ids = given.map(|ids| words("ids", ids)).transpose()?.unwrap_or_default();
        if ids.is_empty() {
            return Err(params.missing("ids", COMPARED_EXPECTED));
        }
        if ids.len() < *COMPARED.start() {
            return Err(params.with_repetition(Self::too_few(&ids)));
        }
        Ok(Self { ids })
    }

    /// The error of ids that name fewer items than are compared.
    pub fn too_few(ids: &[String]) -> QueryError {
        invalid("ids", &ids.join(","), COMPARED_EXPECTED)
    }
}

/// `GET /v1/cost`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CostQuery {
    /// Id or spelling of the model.
    pub model: String,
    /// Tokens of one request that are read and not cached.
    pub input_tokens: u64,
    /// Tokens of one request that are written, reasoning among them.
    pub output_tokens: u64,
    /// Tokens read from the cache.
    pub cache_read_tokens: u64,
    /// Tokens written to the cache.
    pub cache_write_tokens: u64,
    /// Those of `output_tokens` that are reasoning.
    pub reasoning_tokens: u64,
    /// How many such requests.
    pub requests: u64,
    /// At batch prices.
    pub batch: bool,
    /// Only these sellers; all when empty.
    pub sellers: Vec<String>,
    /// By name of the seller instead of the total.
    pub by_seller: bool,
}

/// Parameters of which a cost needs one.
const METERS: [&str; 4] = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"];

impl CostQuery {
    /// Names it understands.
    pub const NAMES: [&'static str; 10] = names(&inputs::COST);
    /// Those of them that tell the usage: all but the model and the order.
    pub const USAGE: &'static [&'static str] = {
        let [_model, usage @ .., _sort] = &Self::NAMES;
        usage
    };

    /// Parses the query.
    ///
    /// # Errors
    /// On a missing model, no tokens of any meter, a wrong number, boolean or order, a blank seller, and more reasoning than output.
    pub fn parse(params: &Params<'_>) -> Result<Self, QueryError> {
        params.refuse_misspelt()?;
        let model = params.get("model").unwrap_or_default().trim();
        if model.is_empty() {
            return Err(params.missing("model", "the id of a model, or any spelling of it"));
        }
        let tokens = |name: &str| params.get(name).map_or(Ok(0), |text| tokens(name, text, 0));
        let (output_tokens, reasoning_tokens) = (tokens("output_tokens")?, tokens("reasoning_tokens")?);
        if reasoning_tokens > output_tokens {
            let found = reasoning_tokens.to_string();
            return Err(invalid("reasoning_tokens", &found, "a number no larger than output_tokens, which include it"));
        }
        let by_seller = match params.get("sort").map(|sort| sort.trim().to_ascii_lowercase()).as_deref() {
            None | Some("total") => false,
            Some("seller") => true,
            Some(other) => return Err(invalid("sort", other, "total or seller").with_values(["total", "seller"])),
        };
        let query = Self {
            model: model.to_owned(),
            input_tokens: tokens("input_tokens")?,
            output_tokens,
            cache_read_tokens: tokens("cache_read_tokens")?,
            cache_write_tokens: tokens("cache_write_tokens")?,
            reasoning_tokens,
            requests: params.get("requests").map_or(Ok(1), |text| self::tokens("requests", text, 1))?,
            batch: params.flag("batch")?,
            sellers: sellers(params)?,
            by_seller,
        };
        let is_metered = METERS.iter().any(|name| params.get(name).is_some());
        is_metered.then_some(query).ok_or_else(Self::no_tokens)
    }

    /// The error of a cost of nothing, which would be 0 at every seller.
    fn no_tokens() -> QueryError {
        QueryError::new(
            "tokens are required",
            METERS[0],
            format!("No tokens were sent: at least one of {} is needed.", METERS.join(", ")),
            "Send input_tokens=<a whole number> and output_tokens=<a whole number>.",
        )
        .instead_of("nothing", Expected::Described)
    }
}

/// The sellers between commas. Commas alone are a name that no seller has.
fn sellers(params: &Params<'_>) -> Result<Vec<String>, QueryError> {
    let Some(text) = params.word("seller", "the id of a seller")? else { return Ok(Vec::new()) };
    if crate::field::split(&text).is_empty() {
        return Ok(vec![text]);
    }
    words("seller", &text)
}

/// A number of tokens, with or without a unit.
fn tokens(name: &str, text: &str, least: u64) -> Result<u64, QueryError> {
    use crate::field::{ParsedValue, Shape, Side};
    match Shape::Count.bound(text, Side::Least) {
        Some(ParsedValue::Count(count)) if (least..=TOKENS_MAX).contains(&count) => Ok(count),
        _ => Err(invalid(
            name,
            text,
            &format!("a whole number from {least} to {TOKENS_MAX}, such as 200000, 200k or 1m"),
        )),
    }
}

/// `GET /v1/resolve`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolveQuery {
    /// Spellings, in the order asked; blank ones among them keep the place of the others.
    pub spellings: Vec<String>,
    /// Only this kind.
    pub kind: Option<Kind>,
}

impl ResolveQuery {
    /// Names it understands.
    pub const NAMES: [&'static str; 3] = names(&inputs::RESOLVE);

    /// Parses the query.
    ///
    /// # Errors
    /// On no spelling, more than [`RESOLVED_MAX`], or a wrong `type`.
    pub fn parse(params: &Params<'_>) -> Result<Self, QueryError> {
        params.refuse_misspelt()?;
        let one = params.get("id").map(str::trim).filter(|id| !id.is_empty());
        let mut spellings: Vec<String> = one.into_iter().map(str::to_owned).collect();
        spellings.extend(params.get("ids").into_iter().flat_map(crate::field::split_with_blanks));
        if spellings.iter().all(String::is_empty) {
            let name = if params.get("ids").is_some() { "ids" } else { "id" };
            return Err(params.missing(name, "a name in any spelling"));
        }
        if spellings.len() > RESOLVED_MAX {
            return Err(too_many("ids", spellings.len(), RESOLVED_MAX, "ids"));
        }
        Ok(Self { spellings, kind: any_kind(params)? })
    }
}

/// `GET /v1/conflicts`.
#[derive(Debug, Clone, PartialEq)]
pub struct ConflictsQuery {
    /// Only this kind.
    pub kind: Option<Kind>,
    /// Only this path, or those below it; sent also as the name or the label of a field.
    pub path: Option<String>,
    /// Only where numbers differ by so many percent.
    pub min_percent: Option<rust_decimal::Decimal>,
    /// Page size applied.
    pub limit: usize,
    /// Start position.
    pub offset: usize,
    /// What was applied in place of what was asked for.
    pub warnings: Vec<Warning>,
}

impl ConflictsQuery {
    /// Names it understands.
    pub const NAMES: [&'static str; 5] = names(&inputs::CONFLICTS);

    /// Parses the query.
    ///
    /// # Errors
    /// On a wrong `type`, `min_percent`, `limit` or `offset`.
    pub fn parse(params: &Params<'_>) -> Result<Self, QueryError> {
        params.refuse_misspelt()?;
        let min_percent = match params.get("min_percent") {
            None => None,
            Some(text) => {
                let parsed = crate::Usd::parse(text).filter(|percent| !percent.is_negative());
                Some(parsed.ok_or_else(|| invalid("min_percent", text, "a number from 0"))?.decimal())
            }
        };
        let kind = any_kind(params)?;
        let path = params.word("path", "a dotted path of a row, such as pricing.input")?;
        Ok(Self {
            kind,
            path: path.map(|path| crate::field::path_meant(kind, &path)),
            min_percent,
            limit: params.limit(CONFLICTS_LIMIT)?,
            offset: params.offset()?,
            warnings: params.clamped(&[("limit", CONFLICTS_LIMIT)]),
        })
    }
}

/// A kind by its `type`, frameworks among them.
fn any_kind(params: &Params<'_>) -> Result<Option<Kind>, QueryError> {
    let Some(text) = params.get("type").map(str::trim) else { return Ok(None) };
    let types = || Kind::ALL.map(Kind::search_type).join(", ");
    Kind::parse(text).map(Some).ok_or_else(|| {
        let mut error = invalid("type", text, &format!("one of {}", types()));
        (error.expected, error.allowed) = (Expected::OneOf(Allowed::Kinds), Some(Allowed::Kinds));
        error.with_values(Kind::ALL.map(Kind::search_type))
    })
}
