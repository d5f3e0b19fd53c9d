//! Problem documents, and the statuses that every operation can answer with.

use serde::Serialize;
use utoipa::{IntoResponses, ToSchema};

/// An error: RFC 9457.
#[derive(Serialize, ToSchema)]
pub struct ProblemDocument {
    /// Always `about:blank`; `code` tells the kind.
    pub r#type: String,
    pub title: String,
    pub status: u16,
    pub detail: String,
    /// Path of the request.
    pub instance: String,
    /// Stable machine-readable code.
    pub code: String,
    /// Short plain text.
    pub error: String,
    pub request_id: String,
    /// What to do.
    #[schema(required = false)]
    pub hint: String,
    /// The parameter that is wrong.
    #[schema(required = false)]
    pub param: String,
    #[schema(required = false)]
    pub allowed_types: Vec<String>,
    #[schema(required = false)]
    pub allowed_domains: Vec<String>,
    /// What to send instead: the values of a closed set, or the names of parameters.
    #[schema(required = false)]
    pub allowed: Vec<String>,
    #[schema(required = false)]
    pub suggestions: Vec<String>,
    /// Items of other types that the id names.
    #[schema(required = false)]
    pub found_as: Vec<FoundAs>,
    #[schema(required = false)]
    pub limit_per_minute: u32,
    #[schema(required = false)]
    pub retry_after_seconds: u64,
    /// The limit that was exceeded: `anon` or `key`.
    #[schema(required = false)]
    pub scope: String,
    /// Why a record is withheld: `licence` or `secret`.
    #[schema(required = false)]
    pub reason: String,
}

/// An item of another type than was asked for.
#[derive(Serialize, ToSchema)]
pub struct FoundAs {
    pub r#type: String,
    pub id: String,
}

/// Statuses that every operation can answer with.
#[derive(IntoResponses)]
pub enum CommonErrors {
    /// Not modified: the client's entity tag is current.
    #[response(status = 304)]
    NotModified,
    /// A wrong parameter; `param` and `hint` say what to send.
    #[response(status = 400, content_type = "application/problem+json")]
    BadRequest(ProblemDocument),
    /// The API key is malformed, unknown, revoked or expired, or a key is required.
    #[response(status = 401, content_type = "application/problem+json")]
    Unauthorized(ProblemDocument),
    /// The service does not answer for this Host or Origin.
    #[response(status = 403, content_type = "application/problem+json")]
    Forbidden(ProblemDocument),
    /// Only GET, HEAD and OPTIONS are allowed.
    #[response(status = 405, content_type = "application/problem+json")]
    MethodNotAllowed(ProblemDocument),
    /// The path or URI is too long.
    #[response(status = 414, content_type = "application/problem+json")]
    UriTooLong(ProblemDocument),
    /// Too many calls in this minute; `Retry-After` says when to try again.
    #[response(status = 429, content_type = "application/problem+json")]
    TooManyRequests(ProblemDocument),
    /// The headers are too large.
    #[response(status = 431, content_type = "application/problem+json")]
    HeadersTooLarge(ProblemDocument),
    /// An unexpected failure; the log has the cause under the request id.
    #[response(status = 500, content_type = "application/problem+json")]
    Internal(ProblemDocument),
    /// Overloaded or shutting down; `Retry-After` says when to try again.
    #[response(status = 503, content_type = "application/problem+json")]
    Unavailable(ProblemDocument),
}
