//! `POST /mcp`: what HTTP decides (origin, method, media types, sizes, status), and the same messages as lines on stdio.

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use http_body_util::{BodyExt, Limited};
use serde_json::Value;

use super::dispatch::{self, Call};
use super::era::{self, Era};
use super::rpc::{self, Message, RpcError};
use crate::desk::Desk;
use crate::problem::Problem;
use crate::rest;

/// The body of a request that may be answered at all, or the refusal.
pub(crate) async fn received(call: &rest::Call, body: Body) -> Result<Bytes, Response> {
    taken(call, body).await.map_err(|error| refusal(None, &error))
}

/// Answers one HTTP request on the MCP path. The answer is always JSON-RPC, or empty with 202 for a notification.
pub(crate) async fn endpoint(call: rest::Call, body: Bytes) -> Result<Response, Problem> {
    Ok(answer(&call, &body).await)
}

async fn answer(call: &rest::Call, bytes: &[u8]) -> Response {
    let message = rpc::parse(bytes);
    let id = message.as_ref().map_or_else(|refused| refused.id.as_deref(), |message| message.id);
    // Before anything is looked up; what is long costs by being read, whatever stands in it.
    let counts = bytes.len() > FREE_MESSAGE_BYTES_MAX || message.as_ref().is_ok_and(costs);
    let headers = match counts.then(|| call.caller.count(&call.desk)).transpose() {
        Ok(headers) => headers.unwrap_or_default(),
        Err(problem) => {
            let (error, headers) = limited(problem);
            let mut response = refusal(id, &error);
            response.headers_mut().extend(headers);
            return response;
        }
    };
    let mut response = match message {
        Ok(message) => answer_message(call, &message).await,
        Err(refused) => refusal(refused.id.as_deref(), &refused.error),
    };
    response.headers_mut().extend(headers);
    response
}

/// Methods whose answers are the same for everybody and lie ready.
const FREE_METHODS: [&str; 5] = ["initialize", "ping", "server/discover", "tools/list", "resources/templates/list"];
/// Longest message that counts by its method alone, in bytes.
const FREE_MESSAGE_BYTES_MAX: usize = 16 * 1024;

/// Whether a message counts against the limit a minute: a request for anything that is looked up. A notification is only taken.
fn costs(message: &Message<'_>) -> bool {
    message.id.is_some() && !FREE_METHODS.contains(&message.method.as_str())
}

async fn answer_message(call: &rest::Call, message: &Message<'_>) -> Response {
    let era = match era::on_http(message, &call.headers) {
        Ok(era) => era,
        Err(error) => return refusal(message.id, &error),
    };
    let Some(id) = message.id else {
        let mut accepted = Response::new(Body::empty());
        *accepted.status_mut() = StatusCode::ACCEPTED;
        return accepted;
    };
    match answered(&call.desk, call.caller.keyed(), message, id, era).await {
        Ok(bytes) => json(StatusCode::OK, bytes),
        Err(error) => refusal(Some(id), &error),
    }
}

/// The answer to a line of stdio that is longer than a message may be.
pub fn line_too_long(bytes_max: usize) -> Vec<u8> {
    rpc::error_answer(None, &too_large(bytes_max))
}

/// Answers one line of stdio: a JSON-RPC message in, at most one out (none for a notification), both without a line break. The calls of a
/// local process are not counted.
pub async fn handle_message(desk: &Desk, bytes: &[u8]) -> Option<Vec<u8>> {
    if bytes.len() > desk.settings.mcp_body_bytes_max {
        return Some(line_too_long(desk.settings.mcp_body_bytes_max));
    }
    let message = match rpc::parse(bytes) {
        Ok(message) => message,
        Err(refused) => return Some(rpc::error_answer(refused.id.as_deref(), &refused.error)),
    };
    let id = message.id?;
    let outcome = match era::on_stdio(&message) {
        Ok(era) => answered(desk, false, &message, id, era).await,
        Err(error) => Err(error),
    };
    Some(match outcome {
        Ok(bytes) => bytes,
        Err(error) => rpc::error_answer(Some(id), &error),
    })
}

/// The whole answer to a request.
async fn answered(desk: &Desk, keyed: bool, message: &Message<'_>, id: &str, era: Era) -> Result<Vec<u8>, RpcError> {
    let call = Call {
        desk,
        snapshot: desk.snapshot(),
        era,
        private: keyed || desk.settings.require_key,
        params: &message.params,
    };
    let mut out = rpc::open_result(id);
    dispatch::answer(&call, &message.method, &mut out).await?;
    out.push(b'}');
    Ok(out)
}

/// The 429 as JSON-RPC, with the same members and headers as on REST.
fn limited(problem: Problem) -> (RpcError, HeaderMap) {
    let data = Value::Object(*problem.extensions);
    (RpcError::of_status(problem.status, format!("{}: {}", problem.error, problem.detail)).with(data), *problem.headers)
}

/// The body of a request that may be answered at all.
async fn taken(call: &rest::Call, body: Body) -> Result<Bytes, RpcError> {
    let (settings, headers) = (&call.desk.settings, &call.headers);
    if !origin_allowed(&call.desk, headers) {
        return Err(RpcError::of_status(
            StatusCode::FORBIDDEN,
            "The Origin is not allowed. Operators: add it with --cors-origins or REFDESK_CORS_ORIGINS.",
        ));
    }
    if call.method != Method::POST {
        return Err(RpcError::of_status(StatusCode::METHOD_NOT_ALLOWED, "Send JSON-RPC messages with POST."));
    }
    if !is_json(headers) {
        let message = "Send the message with Content-Type: application/json.";
        return Err(RpcError::of_status(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
    }
    if !accepts_json(headers) {
        let message = "The answer is JSON: send Accept: application/json, text/event-stream.";
        return Err(RpcError::of_status(StatusCode::NOT_ACCEPTABLE, message));
    }
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > settings.mcp_body_bytes_max as u64) {
        return Err(too_large(settings.mcp_body_bytes_max));
    }
    let read = Limited::new(body, settings.mcp_body_bytes_max).collect();
    let Ok(read) = tokio::time::timeout(settings.body_timeout, read).await else {
        let message = "The body did not come in time. Send it whole, right after the headers.";
        return Err(RpcError::of_status(StatusCode::REQUEST_TIMEOUT, message));
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
    let message = format!("A message may have {bytes_max} bytes.");
    RpcError::of_status(StatusCode::PAYLOAD_TOO_LARGE, message)
}

/// A browser names the page it runs on: only pages of this service's own hosts, of this machine and of `cors_origins` may call, whatever
/// the Host is.
fn origin_allowed(desk: &Desk, headers: &HeaderMap) -> bool {
    headers.get_all(header::ORIGIN).iter().all(|origin| {
        if desk.cors.allows(origin) {
            return true;
        }
        let url = origin.to_str().ok().and_then(|text| url::Url::parse(text).ok());
        let host = url.as_ref().and_then(url::Url::host_str);
        host.is_some_and(|host| desk.hosts.known(host))
    })
}

fn is_json(headers: &HeaderMap) -> bool {
    let sent = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    sent.split(';').next().is_some_and(|media| media.trim().eq_ignore_ascii_case("application/json"))
}

/// True without an Accept header, or when one of its media ranges covers JSON.
fn accepts_json(headers: &HeaderMap) -> bool {
    let mut ranges = headers.get_all(header::ACCEPT).iter().peekable();
    if ranges.peek().is_none() {
        return true;
    }
    ranges.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')).any(|range| {
        let mut parts = range.split(';').map(str::trim);
        let media = parts.next().unwrap_or_default().to_ascii_lowercase();
        let refused = parts.any(|part| matches!(part, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"));
        !refused && matches!(media.as_str(), "application/json" | "application/*" | "*/*")
    })
}

fn refusal(id: Option<&str>, error: &RpcError) -> Response {
    let mut response = json(error.status, rpc::error_answer(id, error));
    if error.status == StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
    }
    response
}

fn json(status: StatusCode, bytes: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(bytes));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(crate::reply::JSON));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
