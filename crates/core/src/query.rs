//! Requests, validated where they are built; nothing behind this file checks them again.
//!
//! [`Params`] takes decoded name-value pairs as they came (REST, MCP and the command line all have such pairs), the query types
//! read them. What is wrong becomes a [`QueryError`]; what is merely odd (unknown or repeated names) becomes a warning.

use crate::Kind;
use crate::item::Domain;

/// Longest accepted `q`, in characters after trimming.
pub const QUERY_CHARS_MAX: usize = 2_000;
/// Warnings that one answer lists.
pub const WARNINGS_MAX: usize = 10;
/// Search: page size when none is asked for, and the largest.
pub const SEARCH_LIMIT: LimitRule = LimitRule { default: 10, max: 50 };
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

/// A bad request: what is wrong with which parameter, and what to send.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct QueryError {
    /// Short and stable: `q is required`, `invalid type`.
    pub error: String,
    /// The parameter.
    pub param: &'static str,
    /// What was wrong.
    pub detail: String,
    /// What to send instead.
    pub hint: String,
    /// The closed list, where there is one.
    pub allowed: Option<Allowed>,
    /// What came, as it may be shown: `"x"`, `0 or less`.
    pub found: Box<str>,
    /// What the parameter takes, for surfaces that say it in words of their own.
    pub expected: Expected,
}

/// What a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// A text that is not blank, of at most [`QUERY_CHARS_MAX`] characters.
    Text,
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Number {
        /// The smallest.
        from: u16,
        /// Larger ones count as this.
        max: Option<u16>,
    },
    /// A [`Mode`].
    Mode,
    /// A word of a closed list.
    OneOf(Allowed),
}

/// The closed list that a wrong value is not in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allowed {
    /// Search types.
    Types,
    /// Framework domains.
    Domains,
}

impl QueryError {
    fn new(error: impl Into<String>, param: &'static str, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        let (found, expected) = (Box::default(), Expected::Text);
        Self { error: error.into(), param, detail: detail.into(), hint: hint.into(), allowed: None, found, expected }
    }

    fn instead_of(mut self, found: impl Into<Box<str>>, expected: Expected) -> Self {
        self.found = found.into();
        self.expected = expected;
        self.allowed = match expected {
            Expected::OneOf(allowed) => Some(allowed),
            _ => None,
        };
        self
    }
}

/// Decoded name-value pairs of one request. The first of a repeated name counts.
#[derive(Debug, Default)]
pub struct Params<'a> {
    pairs: Vec<(&'a str, &'a str)>,
    /// Oddities for the answer's `warnings`.
    pub warnings: Vec<String>,
}

impl<'a> Params<'a> {
    /// Takes the pairs and notes names that are unknown or repeated.
    pub fn new(pairs: impl IntoIterator<Item = (&'a str, &'a str)>, known: &[&str]) -> Self {
        let mut params = Self::default();
        for (name, value) in pairs {
            if !known.contains(&name) {
                let shown = crate::clean::excerpt(name, 60);
                params.warn(format!("unknown query parameter `{shown}` was ignored; known: {}", known.join(", ")));
            } else if params.get(name).is_some() {
                params.warn(format!("`{name}` was given more than once; the first value counts"));
            } else {
                params.pairs.push((name, value));
            }
        }
        params
    }

    fn warn(&mut self, warning: String) {
        if self.warnings.len() < WARNINGS_MAX && !self.warnings.contains(&warning) {
            self.warnings.push(warning);
            if self.warnings.len() == WARNINGS_MAX {
                self.warnings.push("there were more; they are not listed".to_owned());
            }
        }
    }

    /// The first value of a name.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        self.pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// `q`: trimmed, 1 to [`QUERY_CHARS_MAX`] characters.
    fn text(&self) -> Result<String, QueryError> {
        let text = self.get("q").unwrap_or_default().trim();
        if text.is_empty() {
            return Err(QueryError::new(
                "q is required",
                "q",
                "`q` is missing or blank.",
                "Send q=<what to look for>.",
            )
            .instead_of("nothing", Expected::Text));
        }
        let chars = text.chars().count();
        if chars > QUERY_CHARS_MAX {
            return Err(QueryError::new(
                "q is too long",
                "q",
                format!("`q` has {chars} characters; the most is {QUERY_CHARS_MAX}."),
                "Shorten the question to what matters.",
            )
            .instead_of(format!("{chars}"), Expected::Text));
        }
        Ok(text.to_owned())
    }

    /// A boolean: `true|false|1|0`, as they stand here; false when absent.
    fn flag(&self, name: &'static str) -> Result<bool, QueryError> {
        match self.get(name).map(str::trim) {
            None | Some("false" | "0") => Ok(false),
            Some("true" | "1") => Ok(true),
            Some(other) => {
                let shown = format!("{:?}", crate::clean::excerpt(other, 60));
                let detail = format!("`{name}` is {shown}, not a boolean.");
                let hint = format!("Send {name}=true or {name}=false.");
                Err(QueryError::new(format!("invalid {name}"), name, detail, hint).instead_of(shown, Expected::Boolean))
            }
        }
    }

    /// A positive integer, clamped to the rule's maximum.
    fn limit(&self, rule: LimitRule) -> Result<usize, QueryError> {
        let expected = Expected::Number { from: 1, max: u16::try_from(rule.max).ok() };
        match self.integer("limit", expected)? {
            None => Ok(rule.default),
            Some(value) if value <= 0 => {
                Err(Self::not_an_integer("limit", "0 or less", "a whole number from 1", expected))
            }
            Some(value) => Ok(usize::try_from(value).unwrap_or(usize::MAX).min(rule.max)),
        }
    }

    /// An integer of 0 or more.
    fn offset(&self) -> Result<usize, QueryError> {
        let expected = Expected::Number { from: 0, max: None };
        match self.integer("offset", expected)? {
            None => Ok(0),
            Some(value) if value < 0 => {
                Err(Self::not_an_integer("offset", "negative", "a whole number from 0", expected))
            }
            Some(value) => Ok(usize::try_from(value).unwrap_or(usize::MAX)),
        }
    }

    /// A whole number of any length: beyond 64 bits it saturates, so that a huge limit is clamped like a large one.
    fn integer(&self, name: &'static str, expected: Expected) -> Result<Option<i64>, QueryError> {
        let Some(text) = self.get(name).map(str::trim) else { return Ok(None) };
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            let shown = crate::clean::excerpt(text, 40);
            return Err(Self::not_an_integer(name, &format!("{shown:?}"), "a whole number", expected));
        }
        let saturated = if text.starts_with('-') { i64::MIN } else { i64::MAX };
        Ok(Some(text.parse().unwrap_or(saturated)))
    }

    fn not_an_integer(name: &'static str, found: &str, wanted: &str, expected: Expected) -> QueryError {
        QueryError::new(
            format!("invalid {name}"),
            name,
            format!("`{name}` is {found}."),
            format!("Send {name}=<{wanted}>."),
        )
        .instead_of(found, expected)
    }

    /// A framework domain of the closed list.
    fn domain(&self) -> Result<Option<Domain>, QueryError> {
        let Some(text) = self.get("domain").map(str::trim) else { return Ok(None) };
        Domain::parse(text).map(Some).ok_or_else(|| {
            let shown = format!("{:?}", crate::clean::excerpt(text, 60));
            let detail = format!("`domain` is {shown}, which is not one of the domains.");
            QueryError::new("invalid domain", "domain", detail, "Send one of allowed_domains, or leave domain out.")
                .instead_of(shown, Expected::OneOf(Allowed::Domains))
        })
    }
}

/// How a search ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// By words and names alone.
    #[default]
    Lexical,
    /// Words and names, fused with a local sentence-embedding model.
    Hybrid,
}

impl Mode {
    /// The word in requests and answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lexical => "lexical",
            Self::Hybrid => "hybrid",
        }
    }

    fn read(params: &Params<'_>) -> Result<Self, QueryError> {
        match params.get("mode").map(|mode| mode.trim().to_ascii_lowercase()).as_deref() {
            None | Some("lexical") => Ok(Self::Lexical),
            Some("hybrid") => Ok(Self::Hybrid),
            Some(other) => {
                let shown = format!("{:?}", crate::clean::excerpt(other, 60));
                let detail = format!("`mode` is {shown}.");
                Err(QueryError::new("invalid mode", "mode", detail, "Send mode=lexical or mode=hybrid.")
                    .instead_of(shown, Expected::Mode))
            }
        }
    }
}

/// `GET /v1/search`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchQuery {
    /// Trimmed text.
    pub text: String,
    /// Only this kind.
    pub kind: Option<Kind>,
    /// Leave stale facts out.
    pub fresh_only: bool,
    /// Load the Markdown of documents.
    pub include_markdown: bool,
    /// Most hits.
    pub limit: usize,
    /// How to rank.
    pub mode: Mode,
}

impl SearchQuery {
    /// Names it understands.
    pub const NAMES: [&'static str; 6] = ["q", "type", "fresh_only", "include_markdown", "limit", "mode"];

    /// Reads the query.
    ///
    /// # Errors
    /// On a missing or too long `q`, a wrong `type`, boolean, `limit` or `mode`.
    pub fn read(params: &Params<'_>) -> Result<Self, QueryError> {
        Ok(Self {
            text: params.text()?,
            kind: Self::kind(params)?,
            fresh_only: params.flag("fresh_only")?,
            include_markdown: params.flag("include_markdown")?,
            limit: params.limit(SEARCH_LIMIT)?,
            mode: Mode::read(params)?,
        })
    }

    fn kind(params: &Params<'_>) -> Result<Option<Kind>, QueryError> {
        let Some(text) = params.get("type").map(str::trim) else { return Ok(None) };
        let found = Kind::SEARCHED.into_iter().find(|kind| kind.search_type().eq_ignore_ascii_case(text));
        found.map(Some).ok_or_else(|| {
            let shown = format!("{:?}", crate::clean::excerpt(text, 60));
            let detail = format!("`type` is {shown}, which is not one of the types.");
            QueryError::new("invalid type", "type", detail, "Send one of allowed_types, or leave type out.")
                .instead_of(shown, Expected::OneOf(Allowed::Types))
        })
    }
}

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

/// `GET /v1/frameworks/search`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameworkSearchQuery {
    /// Trimmed text.
    pub text: String,
    /// Only this domain.
    pub domain: Option<Domain>,
    /// Candidates too.
    pub include_candidates: bool,
    /// Prompts too.
    pub include_prompt: bool,
    /// Most hits.
    pub limit: usize,
}

impl FrameworkSearchQuery {
    /// Names it understands.
    pub const NAMES: [&'static str; 5] = ["q", "domain", "include_candidates", "include_prompt", "limit"];

    /// Reads the query.
    ///
    /// # Errors
    /// On a missing or too long `q`, a wrong `domain`, boolean or `limit`.
    pub fn read(params: &Params<'_>) -> Result<Self, QueryError> {
        Ok(Self {
            text: params.text()?,
            domain: params.domain()?,
            include_candidates: params.flag("include_candidates")?,
            include_prompt: params.flag("include_prompt")?,
            limit: params.limit(FRAMEWORK_SEARCH_LIMIT)?,
        })
    }
}

/// `GET /v1/frameworks/route`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteQuery {
    /// Trimmed text.
    pub text: String,
    /// Only this domain.
    pub domain: Option<Domain>,
    /// Candidates too.
    pub include_candidates: bool,
    /// How to rank.
    pub mode: Mode,
}

impl RouteQuery {
    /// Names it understands.
    pub const NAMES: [&'static str; 4] = ["q", "domain", "include_candidates", "mode"];

    /// Reads the query.
    ///
    /// # Errors
    /// On a missing or too long `q`, a wrong `domain`, boolean or `mode`.
    pub fn read(params: &Params<'_>) -> Result<Self, QueryError> {
        Ok(Self {
            text: params.text()?,
            domain: params.domain()?,
            include_candidates: params.flag("include_candidates")?,
            mode: Mode::read(params)?,
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

#[cfg(test)]
mod tests {
    use super::{ListQuery, Params, SearchQuery};
    use crate::Kind;

    fn search(pairs: &[(&'static str, &'static str)]) -> Result<SearchQuery, String> {
        let params = Params::new(pairs.iter().copied(), &SearchQuery::NAMES);
        SearchQuery::read(&params).map_err(|error| error.error)
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
        assert_eq!(ListQuery::read(Kind::Model, &params).map(|query| query.limit), Ok(7));
        assert_eq!(params.warnings.len(), 2);
        assert!(params.warnings[1].contains("`page`"), "{:?}", params.warnings);
    }
}
