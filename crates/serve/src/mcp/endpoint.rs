//! The MCP transports: `POST /mcp` with what HTTP decides (origin, method, media types, sizes, status), and lines on stdio.

use std::sync::Arc;

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use http_body_util::{BodyExt, Limited};
use serde_json::Value;

use super::methods;
use super::protocol::era;
use super::protocol::request::McpRequest;
use super::protocol::rpc::{self, RpcError, RpcMessage};
use crate::http::problem::Problem;
use crate::http::rate_limit;
use crate::http::request::ApiRequest;
use crate::negotiation::{JSON, weighted_values};
use crate::state::AppState;

/// Reads the body of a request, or gives the refusal of one that cannot be answered.
pub(crate) async fn read_body(request: &ApiRequest, body: Body) -> Result<Bytes, Response> {
    checked_body(request, body).await.map_err(|error| refusal(None, &error))
}

/// Answers one HTTP request. The answer is always JSON-RPC, or empty with 202 for a notification.
pub(crate) async fn endpoint(request: ApiRequest, body: Bytes) -> Result<Response, Problem> {
    Ok(answer(&request, &body).await)
}

async fn answer(request: &ApiRequest, bytes: &[u8]) -> Response {
    let message = rpc::parse(bytes);
    let id = message.as_ref().map_or_else(|refused| refused.id.as_deref(), |message| message.id);
    // Counted before anything is looked up. Parsing a long message is expensive, whatever its method.
    let counts = bytes.len() > FREE_MESSAGE_BYTES_MAX || message.as_ref().is_ok_and(is_counted);
    let counted = if counts { rate_limit::count(&request.state, &request.caller).await } else { Ok(HeaderMap::new()) };
    let headers = match counted {
        Ok(headers) => headers,
        Err(problem) => {
            let (error, headers) = rate_limited(problem);
            let mut response = refusal(id, &error);
            response.headers_mut().extend(headers);
            return response;
        }
    };
    let mut response = match message {
        Ok(message) => answer_message(request, &message).await,
        Err(refused) => refusal(refused.id.as_deref(), &refused.error),
    };
    response.headers_mut().extend(headers);
    response
}

/// Methods whose answers are the same for everybody and rendered already.
const FREE_METHODS: [&str; 5] = ["initialize", "ping", "server/discover", "tools/list", "resources/templates/list"];
/// Longest message that can be free of the rate limit, in bytes.
const FREE_MESSAGE_BYTES_MAX: usize = 16 * 1024;

/// Whether a message counts against the rate limit: a request for anything that is looked up. A notification has no effect.
fn is_counted(message: &RpcMessage<'_>) -> bool {
    message.id.is_some() && !FREE_METHODS.contains(&message.method.as_str())
}

async fn answer_message(request: &ApiRequest, message: &RpcMessage<'_>) -> Response {
    let era = match era::on_http(message, &request.headers) {
        Ok(era) => era,
        Err(error) => return refusal(message.id, &error),
    };
    let Some(id) = message.id else {
        return StatusCode::ACCEPTED.into_response();
    };
    let mcp_request = McpRequest {
        state: &request.state,
        generation: Arc::clone(&request.generation),
        snapshot: Arc::clone(&request.snapshot),
        base: request.base(),
        era,
        is_private: request.caller.has_key() || request.state.settings.require_key,
        params: &message.params,
    };
    match answered(&mcp_request, message, id).await {
        Ok(bytes) => json_response(StatusCode::OK, bytes),
        Err(error) => refusal(Some(id), &error),
    }
}

/// The answer to a line of stdio that is longer than a message may be.
pub fn line_too_long(bytes_max: usize) -> Vec<u8> {
    rpc::error_answer(None, &too_large(bytes_max))
}

/// Answers one line of stdio: a JSON-RPC message in, at most one out (none for a notification), both without a line break. Messages of a
/// local process are not counted.
pub async fn handle_message(state: &AppState, bytes: &[u8]) -> Option<Vec<u8>> {
    if bytes.len() > state.settings.mcp_body_bytes_max {
        return Some(line_too_long(state.settings.mcp_body_bytes_max));
    }
    let message = match rpc::parse(bytes) {
        Ok(message) => message,
        Err(refused) => return Some(rpc::error_answer(refused.id.as_deref(), &refused.error)),
    };
    let id = message.id?;
    let outcome = match era::on_stdio(&message) {
        Ok(era) => {
            let generation = state.held_generation();
            let request = McpRequest {
                state,
                snapshot: Arc::clone(&generation.snapshot),
                generation,
                base: &state.settings.base_url,
                era,
                is_private: state.settings.require_key,
                params: &message.params,
            };
            answered(&request, &message, id).await
        }
        Err(error) => Err(error),
    };
    Some(match outcome {
        Ok(bytes) => bytes,
        Err(error) => rpc::error_answer(Some(id), &error),
    })
}

/// The whole answer to a request.
async fn answered(request: &McpRequest<'_>, message: &RpcMessage<'_>, id: &str) -> Result<Vec<u8>, RpcError> {
    let mut out = rpc::open_result(id);
    let mut result = request.open_result(&mut out);
    methods::answer(request, &message.method, &mut result).await?;
    result.close();
    out.push(b'}');
    Ok(out)
}

/// The 429 as JSON-RPC, with the same members and headers as on REST.
fn rate_limited(problem: Problem) -> (RpcError, HeaderMap) {
    let data = Value::Object(*problem.extensions);
    (
        RpcError::from_status(problem.code.status(), format!("{}: {}", problem.error, problem.detail)).with(data),
        *problem.headers,
    )
}

/// Checks what HTTP decides before and while it reads the body.
async fn checked_body(request: &ApiRequest, body: Body) -> Result<Bytes, RpcError> {
    let (settings, headers) = (&request.state.settings, &request.headers);
    if !origin_allowed(&request.state, headers) {
        return Err(RpcError::from_status(
            StatusCode::FORBIDDEN,
            "The Origin is not allowed. Operators: add it with --cors-origins or REFDESK_CORS_ORIGINS.",
        ));
    }
    if request.method != Method::POST {
        return Err(RpcError::from_status(StatusCode::METHOD_NOT_ALLOWED, "Send JSON-RPC messages with POST."));
    }
    if !is_json(headers) {
        let message = "Send the message with Content-Type: application/json.";
        return Err(RpcError::from_status(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
    }
    if is_compressed(headers) {
        let message = "Send the message as it is, without Content-Encoding.";
        return Err(RpcError::from_status(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
    }
    if !accepts_json(headers) {
        let message = "The answer is JSON: send Accept: application/json, text/event-stream.";
        return Err(RpcError::from_status(StatusCode::NOT_ACCEPTABLE, message));
    }
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > settings.mcp_body_bytes_max as u64) {
        return Err(too_large(settings.mcp_body_bytes_max));
    }
    let read = Limited::new(body, settings.mcp_body_bytes_max).collect();
    let Ok(read) = tokio::time::timeout(settings.body_timeout, read).await else {
        let message = "The body did not come in time. Send it whole, right after the headers.";
        return Err(RpcError::from_status(StatusCode::REQUEST_TIMEOUT, message));
    };
    match read {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => Err(too_large(settings.mcp_body_bytes_max)),
        Err(_) => {
            let message = "Parse error: the body ended before it was complete.";
            Err(RpcError::new(StatusCode::BAD_REQUEST, rpc::PARSE_ERROR, message))
        }
    }
}

fn too_large(bytes_max: usize) -> RpcError {
    let message = format!("A message may have at most {bytes_max} bytes.");
    RpcError::from_status(StatusCode::PAYLOAD_TOO_LARGE, message)
}

/// Whether the page that a browser sends the request from may do so: only pages of this service's own hosts, of this machine and of
/// `cors_origins`, whatever the Host is.
fn origin_allowed(state: &AppState, headers: &HeaderMap) -> bool {
    headers.get_all(header::ORIGIN).iter().all(|origin| {
        if state.policies.cors.allows(origin) {
            return true;
        }
        let url = origin.to_str().ok().and_then(|text| url::Url::parse(text).ok());
        let host = url.as_ref().and_then(url::Url::host_str);
        host.is_some_and(|host| state.policies.hosts.is_own(host))
    })
}

/// Whether a body is in a coding: nothing here decodes one, whose size is not known before it is decoded.
fn is_compressed(headers: &HeaderMap) -> bool {
    let mut codings = headers.get_all(header::CONTENT_ENCODING).iter();
    codings.any(|coding| !coding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"identity"))
}

fn is_json(headers: &HeaderMap) -> bool {
    let sent = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    sent.split(';').next().is_some_and(|media| media.trim().eq_ignore_ascii_case("application/json"))
}

/// True without an `Accept` header, or when one of its media ranges covers JSON.
fn accepts_json(headers: &HeaderMap) -> bool {
    let covers_json = |range: &str| [JSON, "application/*", "*/*"].iter().any(|json| range.eq_ignore_ascii_case(json));
    !headers.contains_key(header::ACCEPT)
        || weighted_values(headers, &header::ACCEPT).any(|range| range.weight > 0 && covers_json(range.name))
}

fn refusal(id: Option<&str>, error: &RpcError) -> Response {
    let mut response = json_response(error.status, rpc::error_answer(id, error));
    if error.status == StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
    }
    response
}

fn json_response(status: StatusCode, bytes: Vec<u8>) -> Response {
    (status, [(header::CONTENT_TYPE, JSON), (header::CACHE_CONTROL, "no-store")], bytes).into_response()
}
