//! Searches: of the catalog, of frameworks, and for the framework that fits a question.

use super::{Allowed, Expected, FRAMEWORK_SEARCH_LIMIT, Params, QueryError, SEARCH_LIMIT};
use crate::Kind;
use crate::item::Domain;

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
