//! Searches: of the catalog, of frameworks, and for the framework that fits a question.

use std::sync::LazyLock;

use super::input::names;
use super::inputs;
use super::lookup::COLLECTION_EXPECTED;
use super::values::refused;
use super::{
    Allowed, BUDGET_TOKENS, Expected, FACET_SIZE, FRAMEWORK_SEARCH_LIMIT, ListQuery, PASSAGES_LIMIT, Params,
    QueryError, SEARCH_LIMIT, Selection, Warning,
};
use crate::Kind;
use crate::item::Domain;

crate::closed_set! {
    /// How a search ranks.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Mode {
        /// By words and names alone.
        #[default]
        Lexical => "lexical",
        /// Words and names, fused with a local sentence-embedding model.
        Hybrid => "hybrid",
    }
}

impl Mode {
    fn of_params(params: &Params<'_>) -> Result<Self, QueryError> {
        let Some(text) = params.get("mode").map(|mode| mode.trim().to_ascii_lowercase()) else {
            return Ok(Self::default());
        };
        Self::parse(&text).ok_or_else(|| {
            let hint = "Send mode=lexical or mode=hybrid.";
            refused("mode", &text, ", not lexical or hybrid.", hint, Expected::Mode).with_values(Self::WORDS)
        })
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
    /// Passages of each full text that was found; 0 for none.
    pub passages: usize,
    /// Tokens of all passages together.
    pub budget_tokens: usize,
    /// Most hits.
    pub limit: usize,
    /// How to rank.
    pub mode: Mode,
    /// Read the question as filters and an order where it says such.
    pub understand: bool,
    /// Only members of this collection of the configuration.
    pub collection: Option<String>,
    /// With a kind: which of its rows, in which order, what is counted. Its text is [`SearchQuery::text`].
    pub selection: Selection,
    /// Without a kind: how many hits are of each are counted.
    pub count_kinds: bool,
    /// What was applied in place of what was asked for.
    pub warnings: Vec<Warning>,
}

/// What `facets` takes in a search of all kinds.
pub const KIND_FACET: &str = "type";

/// What every search takes.
const SEARCH_NAMES: [&str; 11] = names(&inputs::SEARCH);
/// What a list takes and a search does not: it shows the best hits only.
const LIST_ONLY: [&str; 1] = ["offset"];

impl SearchQuery {
    /// Names it understands, with the filters of the kind that `type` names.
    pub fn names(kind: Option<Kind>) -> Vec<&'static str> {
        let of_kind = kind.into_iter().flat_map(ListQuery::names).copied();
        let of_kind = of_kind.filter(|name| !LIST_ONLY.contains(name) && !SEARCH_NAMES.contains(name));
        SEARCH_NAMES.into_iter().chain(of_kind).collect()
    }

    /// Takes the pairs of a query. Which are known depends on the `type` among them.
    pub fn params<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Params<'a> {
        let pairs: Vec<(&str, &str)> = pairs.into_iter().collect();
        let kind = pairs.iter().find(|(name, _)| *name == "type").and_then(|(_, kind)| Self::searched(kind));
        // Without a kind, the names of every kind's filters say that one is missing.
        let elsewhere = if kind.is_none() { Self::of_all_kinds() } else { &[] };
        Params::among(pairs, &Self::names(kind), elsewhere)
    }

    /// What a search takes with one kind or another.
    fn of_all_kinds() -> &'static [&'static str] {
        static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
            let mut names: Vec<&str> = Kind::SEARCHED.iter().flat_map(|kind| SearchQuery::names(Some(*kind))).collect();
            names.sort_unstable();
            names.dedup();
            names
        });
        &NAMES
    }

    fn searched(text: &str) -> Option<Kind> {
        Kind::parse(text).filter(|kind| Kind::SEARCHED.contains(kind))
    }

    /// Parses the query.
    ///
    /// # Errors
    /// On a missing `q`, a wrong `type`, boolean, `limit`, `mode`, or a wrong [`Selection`].
    pub fn parse(params: &Params<'_>) -> Result<Self, QueryError> {
        let kind = Self::kind(params)?;
        params.refuse_misspelt()?;
        Ok(Self {
            text: params.text()?,
            kind,
            understand: params.flag_or("understand", true)?,
            collection: params.word("collection", COLLECTION_EXPECTED)?,
            count_kinds: kind.is_none() && Self::counts_kinds(params)?,
            selection: match kind {
                Some(kind) => Selection { text: None, ..Selection::parse(kind, params)? },
                None => Self::without_kind(params)?,
            },
            fresh_only: params.flag("fresh_only")?,
            include_markdown: params.flag("include_markdown")?,
            passages: Self::passages(params)?,
            budget_tokens: params.limit_named("budget_tokens", BUDGET_TOKENS)?,
            limit: params.limit(SEARCH_LIMIT)?,
            mode: Mode::of_params(params)?,
            warnings: params.clamped(&[
                ("limit", SEARCH_LIMIT),
                ("passages", PASSAGES_LIMIT),
                ("budget_tokens", BUDGET_TOKENS),
                ("facet_size", FACET_SIZE),
            ]),
        })
    }

    /// A budget alone asks for passages, too.
    fn passages(params: &Params<'_>) -> Result<usize, QueryError> {
        let is_asked = params.get("passages").or(params.get("budget_tokens")).is_some();
        if is_asked { params.limit_named("passages", PASSAGES_LIMIT) } else { Ok(0) }
    }

    /// Filters say nothing without a kind, and must not be passed over: what was to be left out would be found.
    fn without_kind(params: &Params<'_>) -> Result<Selection, QueryError> {
        let kinds_of = |unknown: &str| {
            // A field that is no parameter by itself is refused once its kind is known.
            let takes = |kind: &Kind| {
                Self::names(Some(*kind)).contains(&unknown) || crate::field::named(*kind, unknown).is_some()
            };
            Kind::SEARCHED.into_iter().filter(takes).map(Kind::search_type).collect::<Vec<_>>()
        };
        let filter = params.unknown.iter().find_map(|unknown| {
            let kinds = kinds_of(unknown);
            (!kinds.is_empty()).then_some((unknown, kinds))
        });
        let Some((name, kinds)) = filter else { return Ok(Selection::default()) };
        let hint = format!("Send type={} too, or leave {name} out.", kinds.join(" or type="));
        Err(Self::needs_kind(name, format!("`{name}` needs a `type`"), hint))
    }

    /// Whether a search of all kinds counts them: the only thing that it can count.
    fn counts_kinds(params: &Params<'_>) -> Result<bool, QueryError> {
        let Some(text) = params.get("facets") else { return Ok(false) };
        if text.trim() == KIND_FACET {
            return Ok(true);
        }
        let shown = crate::clean::quoted(text);
        let hint = format!("Send facets={KIND_FACET}, or a type and facets of that kind.");
        Err(Self::needs_kind(
            "facets",
            format!("`facets` is {shown:?}; without a `type` it takes only {KIND_FACET}"),
            hint,
        ))
    }

    fn needs_kind(parameter: &str, what: String, hint: String) -> QueryError {
        QueryError::new("type is required", "type", format!("{what}, and this search covers all kinds."), hint)
            .instead_of(parameter, Expected::TypeBeside)
    }

    fn kind(params: &Params<'_>) -> Result<Option<Kind>, QueryError> {
        let Some(text) = params.get("type").map(str::trim) else { return Ok(None) };
        Self::searched(text).map(Some).ok_or_else(|| {
            let hint = if Kind::parse(text) == Some(Kind::Framework) {
                "Frameworks have a search of their own: /v1/frameworks/search, over MCP search_frameworks. Or send one of allowed_types."
            } else {
                "Send one of allowed_types, or leave type out."
            };
            refused("type", text, ", which is not one of the types.", hint, Expected::OneOf(Allowed::Types))
                .with_values(Kind::SEARCHED.map(Kind::search_type))
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
    /// Only members of this collection of the configuration.
    pub collection: Option<String>,
    /// What was applied in place of what was asked for.
    pub warnings: Vec<Warning>,
}

impl FrameworkSearchQuery {
    /// Names it understands.
    pub const NAMES: [&'static str; 6] = names(&inputs::FRAMEWORK_SEARCH);

    /// Parses the query.
    ///
    /// # Errors
    /// On a missing `q`, a wrong `domain`, boolean or `limit`, and a blank `collection`.
    pub fn parse(params: &Params<'_>) -> Result<Self, QueryError> {
        params.refuse_misspelt()?;
        Ok(Self {
            text: params.text()?,
            domain: params.domain()?,
            include_candidates: params.flag("include_candidates")?,
            include_prompt: params.flag("include_prompt")?,
            limit: params.limit(FRAMEWORK_SEARCH_LIMIT)?,
            collection: params.word("collection", COLLECTION_EXPECTED)?,
            warnings: params.clamped(&[("limit", FRAMEWORK_SEARCH_LIMIT)]),
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
    pub const NAMES: [&'static str; 4] = names(&inputs::ROUTE);

    /// Parses the query.
    ///
    /// # Errors
    /// On a missing `q`, a wrong `domain`, boolean or `mode`.
    pub fn parse(params: &Params<'_>) -> Result<Self, QueryError> {
        params.refuse_misspelt()?;
        Ok(Self {
            text: params.text()?,
            domain: params.domain()?,
            include_candidates: params.flag("include_candidates")?,
            mode: Mode::of_params(params)?,
        })
    }
}
