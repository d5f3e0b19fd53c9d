//! JSON-RPC 2.0 messages, parsed as strictly as the protocol asks, and the errors and envelopes that answer them.
//!
//! Knows nothing of MCP methods. An id is kept as the JSON text that was sent, so that it is echoed exactly.

use http::StatusCode;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// Invalid JSON.
pub(crate) const PARSE_ERROR: i32 = -32700;
/// JSON that is not a request or notification.
pub(crate) const INVALID_REQUEST: i32 = -32600;
/// No such method in this era.
pub(crate) const METHOD_NOT_FOUND: i32 = -32601;
/// Wrong parameters of a known method.
pub(crate) const INVALID_PARAMS: i32 = -32602;
/// The service failed.
pub(crate) const INTERNAL_ERROR: i32 = -32603;

/// Longest id that is echoed, in bytes of JSON.
const ID_BYTES_MAX: usize = 1024;

/// A request, or a notification when it has no id.
#[derive(Debug)]
pub(crate) struct RpcMessage<'a> {
    /// The id as JSON: `1` or `"abc"`.
    pub(crate) id: Option<&'a str>,
    pub(crate) method: String,
    pub(crate) params: Map<String, Value>,
}

/// An error answer, and the HTTP status that goes with it.
#[derive(Debug)]
pub(crate) struct RpcError {
    pub(crate) code: i32,
    pub(crate) message: String,
    pub(crate) data: Option<Box<Value>>,
    pub(crate) status: StatusCode,
}

impl RpcError {
    pub(crate) fn new(status: StatusCode, code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None, status }
    }

    pub(crate) fn with(mut self, data: Value) -> Self {
        self.data = Some(Box::new(data));
        self
    }

    fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, INVALID_REQUEST, message)
    }

    /// Wrong parameters of a well-formed request. This is an answer, so the HTTP status is 200.
    pub(crate) fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(StatusCode::OK, INVALID_PARAMS, message)
    }

    /// A refusal by HTTP status. Its code is the status, which is outside the range that JSON-RPC reserves.
    pub(crate) fn from_status(status: StatusCode, message: impl Into<String>) -> Self {
        Self::new(status, i32::from(status.as_u16()), message)
    }

    /// `advice` says what to send instead.
    pub(crate) fn unknown_method(method: &str, advice: &str) -> Self {
        let shown = refdesk_core::clean::excerpt(method, 100);
        Self::new(StatusCode::NOT_FOUND, METHOD_NOT_FOUND, format!("Method not found: {shown}. {advice}"))
    }

    pub(crate) fn internal() -> Self {
        Self::new(StatusCode::OK, INTERNAL_ERROR, "The service failed to answer this request; try again later.")
    }
}

/// A message that is refused, with its id if that could be parsed.
#[derive(Debug)]
pub(crate) struct RejectedMessage {
    pub(crate) id: Option<String>,
    pub(crate) error: RpcError,
}

/// All members as raw JSON, so that parsing fails on invalid JSON only.
#[derive(Default, Deserialize)]
struct RawMessage<'a> {
    #[serde(default, borrow, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    params: Option<&'a RawValue>,
}

/// Distinguishes `null` from absent.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Parses one message.
///
/// # Errors
/// -32700 when it is not JSON in UTF-8; -32600 when it is not a single request or notification; -32602 when its params are not an object.
pub(crate) fn parse(bytes: &[u8]) -> Result<RpcMessage<'_>, RejectedMessage> {
    let nameless = |error: RpcError| RejectedMessage { id: None, error };
    let not_json = |detail: String| {
        nameless(RpcError::new(StatusCode::BAD_REQUEST, PARSE_ERROR, format!("Parse error: {detail}")))
    };
    let text = std::str::from_utf8(bytes).map_err(|_| not_json("the body is not UTF-8".to_owned()))?;
    if !text.trim_start().starts_with('{') {
        serde_json::from_str::<serde::de::IgnoredAny>(text).map_err(|error| not_json(error.to_string()))?;
        let what = if text.trim_start().starts_with('[') { "batches are not supported" } else { "not an object" };
        return Err(nameless(RpcError::invalid_request(format!("Invalid request: {what}; send one JSON-RPC object."))));
    }
    let envelope: RawMessage<'_> = serde_json::from_str(text).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => nameless(RpcError::invalid_request(format!("Invalid request: {error}"))),
        _ => not_json(error.to_string()),
    })?;
    let id = envelope.id.map(|id| checked_id(id.get())).transpose().map_err(nameless)?;
    parse_envelope(&envelope, id).map_err(|error| RejectedMessage { id: id.map(str::to_owned), error })
}

/// The error of params that are no object, or one that cannot be taken: nested too deeply, or with a number that is out of range.
fn bad_params(params: &RawValue, error: &serde_json::Error) -> RpcError {
    let told = if params.get().starts_with('{') {
        format!("Invalid params: `params` cannot be taken: {error}")
    } else {
        "Invalid params: `params` must be a JSON object.".to_owned()
    };
    RpcError::new(StatusCode::BAD_REQUEST, INVALID_PARAMS, told)
}

fn parse_envelope<'a>(envelope: &RawMessage<'a>, id: Option<&'a str>) -> Result<RpcMessage<'a>, RpcError> {
    if envelope.jsonrpc.is_none_or(|version| version.get() != "\"2.0\"") {
        return Err(RpcError::invalid_request("Invalid request: `jsonrpc` must be \"2.0\"."));
    }
    let method = envelope.method.ok_or_else(|| {
        RpcError::invalid_request(
            "Invalid request: `method` is missing; this server takes requests and notifications only.",
        )
    })?;
    let method = serde_json::from_str::<String>(method.get())
        .map_err(|_| RpcError::invalid_request("Invalid request: `method` must be a string."))?;
    let params = match envelope.params {
        None => Map::new(),
        Some(params) => serde_json::from_str(params.get()).map_err(|error| bad_params(params, &error))?,
    };
    Ok(RpcMessage { id, method, params })
}

/// A string or an integer, not null, of at most [`ID_BYTES_MAX`].
fn checked_id(id: &str) -> Result<&str, RpcError> {
    if id.len() > ID_BYTES_MAX {
        let told = format!("Invalid request: `id` has {} bytes; the most is {ID_BYTES_MAX}.", id.len());
        return Err(RpcError::invalid_request(told));
    }
    let whole = |id: &str| {
        let digits = id.strip_prefix('-').unwrap_or(id);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    if whole(id) || serde_json::from_str::<String>(id).is_ok() {
        Ok(id)
    } else {
        Err(RpcError::invalid_request("Invalid request: `id` must be a string or an integer."))
    }
}

/// The beginning of a result message; the result and one `}` follow.
pub(crate) fn open_result(id: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(1024);
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    out.extend_from_slice(id.as_bytes());
    out.extend_from_slice(b",\"result\":");
    out
}

/// An error message. Without an id it has none, as the protocol demands.
pub(crate) fn error_answer(id: Option<&str>, error: &RpcError) -> Vec<u8> {
    let mut inner = json!({"code": error.code, "message": error.message});
    if let Some(data) = &error.data {
        inner["data"] = (**data).clone();
    }
    let id = id.map_or_else(String::new, |id| format!("\"id\":{id},"));
    format!("{{\"jsonrpc\":\"2.0\",{id}\"error\":{inner}}}").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::{ID_BYTES_MAX, parse};

    #[test]
    fn an_id_that_is_too_long_is_not_echoed() {
        let message = |bytes: usize| {
            let id = "i".repeat(bytes - 2);
            format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"ping"}}"#)
        };
        assert_eq!(check(&message(ID_BYTES_MAX)).0, 0);
        assert_eq!(check(&message(ID_BYTES_MAX + 1)), (-32600, None));
        let told = parse(message(ID_BYTES_MAX + 1).as_bytes()).unwrap_err().error.message;
        assert_eq!(told, "Invalid request: `id` has 1025 bytes; the most is 1024.");
    }

    #[test]
    fn an_object_that_is_nested_too_deeply_is_not_said_to_be_none() {
        let told = |params: &str| {
            let message = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{params}}}"#);
            parse(message.as_bytes()).unwrap_err().error.message
        };
        let deep = told(&format!("{{\"a\":{}{}}}", "[".repeat(200), "]".repeat(200)));
        assert!(deep.starts_with("Invalid params: `params` cannot be taken: recursion limit exceeded"), "{deep}");
        assert_eq!(told("[1]"), "Invalid params: `params` must be a JSON object.");
    }

    fn check(text: &str) -> (i32, Option<String>) {
        match parse(text.as_bytes()) {
            Ok(message) => (0, message.id.map(str::to_owned)),
            Err(rejected) => (rejected.error.code, rejected.id),
        }
    }

    #[test]
    fn what_is_no_message_is_told_apart_and_keeps_its_id() {
        for (text, code, id) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#, 0, Some("7")),
            (r#"{"jsonrpc":"2.0","method":"ping","id":"a\u0041"}"#, 0, Some(r#""a\u0041""#)),
            (r#"{"jsonrpc":"2.0","method":"note"}"#, 0, None),
            (r#"{"jsonrpc":"#, -32700, None),
            ("", -32700, None),
            ("[1", -32700, None),
            ("[]", -32600, None),
            ("42", -32600, None),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, None),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, None),
            (r#"{"jsonrpc":"2.0","id":"x"}"#, -32600, Some("\"x\"")),
            (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, -32600, None),
            (r#"{"id":3,"method":"ping"}"#, -32600, Some("3")),
            (r#"{"jsonrpc":"2.0","id":4,"method":"ping","params":[1]}"#, -32602, Some("4")),
        ] {
            assert_eq!(check(text), (code, id.map(str::to_owned)), "{text}");
        }
    }
}
