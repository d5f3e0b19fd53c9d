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
use crate::desk::{Desk, Settings};
use crate::limits::Identified;
use crate::problem::Problem;
use crate::rest;

/// Answers one HTTP request on the MCP path. The answer is always JSON-RPC, or empty with 202 for a notification.
pub async fn endpoint(call: rest::Call, body: Body) -> Result<Response, Problem> {
    Ok(answer(&call, body).await)
}

async fn answer(call: &rest::Call, body: Body) -> Response {
    let bytes = match taken(call, body).await {
        Ok(bytes) => bytes,
        Err(error) => return refusal(None, &error),
    };
    let message = match rpc::parse(&bytes) {
        Ok(message) => message,
        Err(refused) => return refusal(refused.id.as_deref(), &refused.error),
    };
    let era = match era::on_http(&message, &call.headers) {
        Ok(era) => era,
        Err(error) => return refusal(message.id, &error),
    };
    let Some(id) = message.id else {
        let mut accepted = Response::new(Body::empty());
        *accepted.status_mut() = StatusCode::ACCEPTED;
        return accepted;
    };
    match answered(&call.desk, Some(&call.caller), &message, id, era).await {
        Ok((bytes, headers)) => {
            let mut response = json(StatusCode::OK, bytes);
            response.headers_mut().extend(headers);
            response
        }
        Err((error, headers)) => {
            let mut response = refusal(Some(id), &error);
            response.headers_mut().extend(headers);
            response
        }
    }
}

/// Answers one line of stdio: a JSON-RPC message in, at most one out (none for a notification), both without a line break.
/// `caller` is `None` for a local process, whose calls are not counted.
pub async fn handle_message(desk: &Desk, caller: Option<&Identified>, bytes: &[u8]) -> Option<Vec<u8>> {
    if bytes.len() > desk.settings.mcp_body_bytes_max {
        return Some(rpc::error_answer(None, &too_large(&desk.settings)));
    }
    let message = match rpc::parse(bytes) {
        Ok(message) => message,
        Err(refused) => return Some(rpc::error_answer(refused.id.as_deref(), &refused.error)),
    };
    let id = message.id?;
    let outcome = match era::on_stdio(&message) {
        Ok(era) => answered(desk, caller, &message, id, era).await.map_err(|(error, _)| error),
        Err(error) => Err(error),
    };
    Some(match outcome {
        Ok((bytes, _)) => bytes,
        Err(error) => rpc::error_answer(Some(id), &error),
    })
}

/// The whole answer to a request, and the headers of the rate limit where the call counts.
async fn answered(
    desk: &Desk,
    caller: Option<&Identified>,
    message: &Message<'_>,
    id: &str,
    era: Era,
) -> Result<(Vec<u8>, HeaderMap), (RpcError, HeaderMap)> {
    let mut headers = HeaderMap::new();
    if message.method == "tools/call"
        && let Some(caller) = caller
    {
        headers = caller.count(desk).map_err(limited)?;
    }
    let keyed = caller.is_some_and(Identified::keyed);
    let call = Call {
        desk,
        snapshot: desk.snapshot(),
        era,
        private: keyed || desk.settings.require_key,
        params: &message.params,
    };
    let mut out = rpc::open_result(id);
    match dispatch::answer(&call, &message.method, &mut out).await {
        Ok(()) => {
            out.push(b'}');
            Ok((out, headers))
        }
        Err(error) => Err((error, headers)),
    }
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
            "The Origin is not allowed. Operators: add its host with --allowed-hosts or REFDESK_ALLOWED_HOSTS.",
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
        return Err(too_large(settings));
    }
    let read = Limited::new(body, settings.mcp_body_bytes_max).collect();
    let Ok(read) = tokio::time::timeout(settings.body_timeout, read).await else {
        let message = "The body did not come in time. Send it whole, right after the headers.";
        return Err(RpcError::of_status(StatusCode::REQUEST_TIMEOUT, message));
    };
    match read {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => Err(too_large(settings)),
        Err(_) => {
            let message = "Parse error: the body ended before it was complete.";
            Err(RpcError::new(StatusCode::BAD_REQUEST, rpc::PARSE_ERROR, message))
        }
    }
}

fn too_large(settings: &Settings) -> RpcError {
    let message = format!("A message may have {} bytes.", settings.mcp_body_bytes_max);
    RpcError::of_status(StatusCode::PAYLOAD_TOO_LARGE, message)
}

/// A browser names the page it runs on: only pages of this service's own hosts and of this machine may call, whatever the Host is.
fn origin_allowed(desk: &Desk, headers: &HeaderMap) -> bool {
    headers.get_all(header::ORIGIN).iter().all(|origin| {
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
