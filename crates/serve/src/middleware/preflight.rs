//! Answers to OPTIONS: the methods of a path, and CORS preflight requests.

use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{HeaderValue, StatusCode, header};

use super::validation::REST_METHODS;
use crate::http::MCP_PATH;
use crate::http::scoped_path::ScopedPath;
use crate::policy::cors::CorsPolicy;
use crate::state::AppState;

/// The answer to any OPTIONS request.
pub(super) fn answer(state: &AppState, parts: &Parts) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    let allow = if ScopedPath::from_uri(&parts.uri).path == MCP_PATH { "POST, OPTIONS" } else { REST_METHODS };
    headers.insert(header::ALLOW, HeaderValue::from_static(allow));
    if parts.headers.get(header::ORIGIN).is_none_or(|origin| !state.policies.cors.allows(origin))
        && state.policies.cors != CorsPolicy::Any
    {
        return response;
    }
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD, OPTIONS, POST"));
    let allowed = "Accept, Authorization, Content-Type, If-None-Match, Mcp-Method, Mcp-Name, MCP-Protocol-Version, X-Api-Key, X-Request-Id";
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(allowed));
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    response
}
