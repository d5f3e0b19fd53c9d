//! Errors as clients see them: problem documents (RFC 9457), one shape everywhere. `docs/api.md#errors`.

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use refdesk_catalog::answer::Unresolved;
use refdesk_core::item::Domain;
use refdesk_core::query::{Allowed, QueryError};
use refdesk_core::text::first_chars;
use refdesk_core::{Kind, StaleReason};
use serde_json::{Map, Value, json};
use tokio::task::JoinError;

/// Characters of an id that is quoted in an error.
const ID_SHOWN_CHARS: usize = 100;
/// The media type of problem documents.
pub const PROBLEM_MEDIA_TYPE: &str = "application/problem+json";

refdesk_core::closed_set! {
    /// The kind of an error, for programs; it never changes. `docs/errors.md` lists all of them.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[allow(missing_docs, reason = "docs/errors.md describes each, and a test compares")]
    pub enum ProblemCode {
        InvalidQuery => "invalid_query",
        InvalidArgument => "invalid_argument",
        MalformedRequest => "malformed_request",
        MalformedKey => "malformed_key",
        UnknownKey => "unknown_key",
        RevokedKey => "revoked_key",
        ExpiredKey => "expired_key",
        KeyRequired => "key_required",
        HostNotAllowed => "host_not_allowed",
        NotFound => "not_found",
        OnlyStale => "only_stale",
        RecordWithheld => "record_withheld",
        UnknownEndpoint => "unknown_endpoint",
        MethodNotAllowed => "method_not_allowed",
        RequestTimeout => "request_timeout",
        UriTooLong => "uri_too_long",
        RateLimited => "rate_limited",
        HeadersTooLarge => "headers_too_large",
        DocumentStoreUnavailable => "document_store_unavailable",
        InternalError => "internal_error",
        Busy => "busy",
        NotServing => "not_serving",
        KeysUnknown => "keys_unknown",
    }
}

impl ProblemCode {
    /// The HTTP status of an answer with it.
    pub const fn status(self) -> StatusCode {
        match self {
            Self::InvalidQuery | Self::InvalidArgument | Self::MalformedRequest => StatusCode::BAD_REQUEST,
            Self::MalformedKey | Self::UnknownKey | Self::RevokedKey | Self::ExpiredKey | Self::KeyRequired => {
                StatusCode::UNAUTHORIZED
            }
            Self::HostNotAllowed => StatusCode::FORBIDDEN,
            Self::NotFound | Self::OnlyStale | Self::RecordWithheld | Self::UnknownEndpoint => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::UriTooLong => StatusCode::URI_TOO_LONG,
            Self::RateLimited => StatusCode::TOO_MANY_REQUESTS,
            Self::HeadersTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::DocumentStoreUnavailable | Self::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Busy | Self::NotServing | Self::KeysUnknown => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

/// An error answer.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The kind of error.
    pub code: ProblemCode,
    /// Short plain string: `q is required`.
    pub error: String,
    /// One sentence of explanation.
    pub detail: String,
    /// Further members: `hint`, `param`, `suggestions`, …
    pub extensions: Box<Map<String, Value>>,
    /// Further headers.
    pub headers: Box<HeaderMap>,
    /// The internal cause: for the log, under the request id, never for the client.
    pub cause: Option<String>,
}

impl Problem {
    /// A problem without extensions.
    pub fn new(code: ProblemCode, error: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            code,
            error: error.into(),
            detail: detail.into(),
            extensions: Box::default(),
            headers: Box::default(),
            cause: None,
        }
    }

    /// Adds the internal cause for the log.
    #[must_use]
    pub fn because(mut self, cause: impl Into<String>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// Adds a member.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.extensions.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a hint: what to do.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        self.with("hint", hint.into())
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// 404 for a path that is not in the route table.
    pub fn unknown_endpoint() -> Self {
        Self::new(
            ProblemCode::UnknownEndpoint,
            "unknown endpoint",
            "There is no such path. The service answers the paths that /openapi.json lists.",
        )
        .hint("See /docs or /llms.txt for the paths.")
    }

    /// The same, where another path is meant.
    pub(crate) fn unknown_endpoint_near(path: String) -> Self {
        Self::unknown_endpoint()
            .hint(format!("Use {path}; see /docs or /llms.txt for the paths."))
            .with("suggestions", vec![path])
    }

    /// 404 for a collection that is none of those that are known.
    pub(crate) fn unknown_collection(id: &str, known: &[&str]) -> Self {
        let hint = if known.is_empty() {
            "The configuration of this service defines no collection.".to_owned()
        } else {
            format!("Use one of `suggestions`: {}.", known.join(", "))
        };
        let detail = format!("No collection has the id {:?}.", refdesk_core::clean::quoted(id));
        Self::new(ProblemCode::NotFound, "collection not found", detail).hint(hint).with("suggestions", known)
    }

    /// 404 for an id that names no item of a kind; the paths it names begin with `base`, that of the collection asked in.
    pub fn not_found(kind: Kind, id: &str, unresolved: Unresolved, base: &str) -> Self {
        let get = |kind: Kind, id: &str| format!("{base}/v1/{}/{id}", kind.path_segment());
        Self::no_item(kind.label(), id, unresolved, &format!("{base}/v1/{}", search_path(kind)), get)
    }

    /// The same for an item of any kind, or of several. `search` is where it can be looked up, and `get` how an item of another kind is read.
    pub(crate) fn no_item(
        label: &str,
        id: &str,
        unresolved: Unresolved,
        search: &str,
        get: impl Fn(Kind, &str) -> String,
    ) -> Self {
        let Unresolved { suggestions, is_ambiguous, of_other_kinds } = unresolved;
        let cleaned = refdesk_core::clean::excerpt(id, ID_SHOWN_CHARS);
        // Of control characters alone nothing would be left to quote.
        let shown = if cleaned.is_empty() { first_chars(id.trim(), ID_SHOWN_CHARS) } else { &cleaned };
        let of_other_kind =
            |(kind, id): &(Kind, String)| format!("It names {}: {}.", kind.with_article(), get(*kind, id));
        let hint = if !of_other_kinds.is_empty() {
            of_other_kinds.iter().map(of_other_kind).collect::<Vec<_>>().join(" ")
        } else if is_ambiguous {
            "Use one of `suggestions`.".to_owned()
        } else if suggestions.is_empty() {
            format!("No known id is similar. Find it with {search}.")
        } else {
            format!("Use one of `suggestions`, or find it with {search}.")
        };
        let problem = Self::new(
            ProblemCode::NotFound,
            format!("{label} not found"),
            if is_ambiguous {
                format!("Several items have the alias {shown:?}, so it names no single {label}.")
            } else {
                format!("No {label} has the id or alias {shown:?}.")
            },
        )
        .with("suggestions", suggestions)
        .hint(hint);
        if of_other_kinds.is_empty() {
            return problem;
        }
        let named = of_other_kinds.iter().map(|(kind, id)| json!({"type": kind.search_type(), "id": id}));
        problem.with("found_as", named.collect::<Vec<Value>>())
    }

    /// 404 for a stale item when `fresh_only` was sent.
    pub fn only_stale(kind: Kind, id: &str, reason: StaleReason) -> Self {
        let label = kind.label();
        let shown = refdesk_core::clean::excerpt(id, ID_SHOWN_CHARS);
        Self::new(
            ProblemCode::OnlyStale,
            format!("{label} is stale"),
            format!("What is known of the {label} {shown:?} is stale ({}).", reason.as_str()),
        )
        .hint("Leave fresh_only out to see it with its dates.")
    }

    /// 405 with the methods that the path answers.
    pub fn method_not_allowed(allow: &'static str) -> Self {
        Self::new(
            ProblemCode::MethodNotAllowed,
            "method not allowed",
            format!("This path answers {allow} only; the service is read-only."),
        )
        // MCP clients with a wrong path, or that try OAuth after a 401, end here and show what is said.
        .hint("MCP clients POST to /mcp. There is no OAuth: where a key is needed, send it as Authorization: Bearer.")
        .header(header::ALLOW, HeaderValue::from_static(allow))
    }

    /// 500 for a full text that could not be read; rows, lists and search still answer.
    pub fn document_store_unavailable() -> Self {
        Self::new(
            ProblemCode::DocumentStoreUnavailable,
            "document store unavailable",
            "The full text could not be read just now; the row, lists and search still answer.",
        )
        .hint("Try again later; /health shows when it is back.")
    }

    /// 500 without any internals.
    pub fn internal() -> Self {
        Self::new(
            ProblemCode::InternalError,
            "internal error",
            "The service failed to answer this request. The operator finds the cause in the log under the request id.",
        )
    }
}

fn search_path(kind: Kind) -> String {
    match kind {
        Kind::Framework => "frameworks/search?q=…".to_owned(),
        kind => format!("search?q=…&type={}", kind.search_type()),
    }
}

/// Kinds as `type` names them.
pub(crate) fn types_of(kinds: &[Kind]) -> Vec<&'static str> {
    kinds.iter().map(|kind| kind.search_type()).collect()
}

/// 500 of work that ended with the runtime it ran on.
impl From<JoinError> for Problem {
    fn from(_: JoinError) -> Self {
        Self::internal().because("the request was cancelled")
    }
}

impl From<QueryError> for Problem {
    fn from(invalid: QueryError) -> Self {
        let mut problem = Self::new(ProblemCode::InvalidQuery, invalid.error, invalid.detail)
            .with("param", &*invalid.param)
            .hint(invalid.hint);
        if let Some(meant) = invalid.meant {
            problem.detail = format!("{}; the nearest is `{meant}`.", problem.detail.trim_end_matches('.'));
            problem = problem.with("suggestions", vec![String::from(meant)]);
        }
        match invalid.allowed {
            Some(Allowed::Types) => problem = problem.with("allowed_types", types_of(&Kind::SEARCHED)),
            Some(Allowed::Kinds) => problem = problem.with("allowed_types", types_of(&Kind::ALL)),
            Some(Allowed::Domains) => problem = problem.with("allowed_domains", Domain::WORDS),
            None if !invalid.values.is_empty() => {
                let values: Vec<Value> = invalid.values.iter().map(|value| json!(value)).collect();
                problem = problem.with("allowed", values);
            }
            None => {}
        }
        problem
    }
}

impl Problem {
    /// The problem document without `instance` and `request_id`, which the middleware adds.
    pub fn document(&self) -> Map<String, Value> {
        let mut document = Map::new();
        document.insert("type".into(), json!("about:blank"));
        document.insert("title".into(), json!(self.code.status().canonical_reason().unwrap_or("Error")));
        document.insert("status".into(), json!(self.code.status().as_u16()));
        document.insert("detail".into(), json!(self.detail));
        document.insert("code".into(), json!(self.code.as_str()));
        document.insert("error".into(), json!(self.error));
        document.extend((*self.extensions).clone());
        document
    }
}
