//! The protocol era of a message, and whether its headers agree with it.
//!
//! Version 2026-07-28 states its version in `_meta` of each request and repeats it in headers; 2025-06-18 and 2025-11-25 start with
//! `initialize`. 2025-03-26 is not supported because it demands batches.

use base64::Engine;
use http::{HeaderMap, StatusCode};
use serde_json::{Map, Value, json};

use super::rpc::{INVALID_PARAMS, RpcError, RpcMessage};

/// The stateless version.
pub(crate) const MODERN_VERSION: &str = "2026-07-28";
/// The versions with `initialize`, the newest first.
pub(crate) const LEGACY_VERSIONS: [&str; 2] = ["2025-11-25", "2025-06-18"];
/// All versions, the newest first.
pub(crate) const SUPPORTED_VERSIONS: [&str; 3] = [MODERN_VERSION, LEGACY_VERSIONS[0], LEGACY_VERSIONS[1]];

const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const META_CLIENT: &str = "io.modelcontextprotocol/clientInfo";
/// Headers do not match the message, or are missing.
const HEADER_MISMATCH: i32 = -32020;
/// A version that this server does not support.
const UNSUPPORTED_VERSION: i32 = -32022;

/// How a message is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// With `initialize`.
    Legacy,
    /// With `_meta` in every request.
    Modern,
}

/// The era of a message on stdio, which has no headers: `_meta` decides.
pub(crate) fn on_stdio(message: &RpcMessage<'_>) -> Result<Era, RpcError> {
    match meta_version(&message.params)? {
        None => Ok(Era::Legacy),
        Some(version) => by_meta(version, &message.params),
    }
}

/// The era of a message over HTTP, where headers and `_meta` must agree.
pub(crate) fn on_http(message: &RpcMessage<'_>, headers: &HeaderMap) -> Result<Era, RpcError> {
    let header = header_text(headers, "mcp-protocol-version")?;
    let stated = if message.id.is_some() { meta_version(&message.params)? } else { None };
    let Some(stated) = stated else {
        return match header {
            None => Ok(Era::Legacy),
            Some(version) if LEGACY_VERSIONS.contains(&version) => Ok(Era::Legacy),
            // A notification has no metadata to check; it is accepted and has no effect.
            Some(MODERN_VERSION) if message.id.is_none() => Ok(Era::Modern),
            Some(MODERN_VERSION) => Err(missing(META_VERSION)),
            Some(version) => Err(unsupported(version)),
        };
    };
    match header {
        Some(header) if header != stated => Err(mismatch("MCP-Protocol-Version", header, stated)),
        None if !LEGACY_VERSIONS.contains(&stated) => Err(absent("MCP-Protocol-Version", stated)),
        _ => {
            let era = by_meta(stated, &message.params)?;
            if era == Era::Modern {
                check_mirrored_headers(message, headers)?;
            }
            Ok(era)
        }
    }
}

fn by_meta(version: &str, params: &Map<String, Value>) -> Result<Era, RpcError> {
    if LEGACY_VERSIONS.contains(&version) {
        return Ok(Era::Legacy);
    }
    if version != MODERN_VERSION {
        return Err(unsupported(version));
    }
    let meta = params.get("_meta").unwrap_or(&Value::Null);
    if !meta[META_CAPABILITIES].is_object() {
        return Err(missing(META_CAPABILITIES));
    }
    if !(meta[META_CLIENT].is_null() || meta[META_CLIENT].is_object()) {
        return Err(malformed(format!("Invalid params: `_meta` key {META_CLIENT} must be an object.")));
    }
    Ok(Era::Modern)
}

fn meta_version(params: &Map<String, Value>) -> Result<Option<&str>, RpcError> {
    match params.get("_meta").map(|meta| (meta.is_object(), meta.get(META_VERSION))) {
        None | Some((true, None)) => Ok(None),
        Some((true, Some(Value::String(version)))) => Ok(Some(version)),
        Some((true, Some(_))) => {
            Err(malformed(format!("Invalid params: `_meta` key {META_VERSION} must be a string.")))
        }
        Some((false, _)) => Err(malformed("Invalid params: `_meta` must be an object.".to_owned())),
    }
}

/// Checks `Mcp-Method` and, for the methods that name something, `Mcp-Name` against the message.
fn check_mirrored_headers(message: &RpcMessage<'_>, headers: &HeaderMap) -> Result<(), RpcError> {
    match header_text(headers, "mcp-method")? {
        None => return Err(absent("Mcp-Method", &message.method)),
        Some(header) if header != message.method => return Err(mismatch("Mcp-Method", header, &message.method)),
        Some(_) => {}
    }
    let source = match message.method.as_str() {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return Ok(()),
    };
    // A missing name is an error of the method, which has a better message.
    let Some(named) = message.params.get(source).and_then(Value::as_str) else { return Ok(()) };
    match header_text(headers, "mcp-name")? {
        None => Err(absent("Mcp-Name", named)),
        Some(header) if decode_base64_word(header).as_deref() == Some(named) => Ok(()),
        Some(header) => Err(mismatch("Mcp-Name", header, named)),
    }
}

/// The value of a header that may be wrapped as `=?base64?…?=`, for text that a header cannot hold.
fn decode_base64_word(header: &str) -> Option<String> {
    let Some(wrapped) = header.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) else {
        return Some(header.to_owned());
    };
    let bytes = base64::engine::general_purpose::STANDARD.decode(wrapped).ok()?;
    String::from_utf8(bytes).ok()
}

/// The one value of a header, in printable ASCII.
fn header_text<'a>(headers: &'a HeaderMap, name: &'static str) -> Result<Option<&'a str>, RpcError> {
    let mut values = headers.get_all(name).iter();
    let Some(first) = values.next() else { return Ok(None) };
    if values.any(|further| further != first) {
        return Err(bad_header(format!("Header mismatch: {name} was sent more than once with different values.")));
    }
    let text = first.to_str().map_err(|_| bad_header(format!("Header mismatch: {name} holds invalid characters.")))?;
    Ok(Some(text.trim()))
}

fn bad_header(message: String) -> RpcError {
    RpcError::new(StatusCode::BAD_REQUEST, HEADER_MISMATCH, message)
}

fn mismatch(name: &str, header: &str, body: &str) -> RpcError {
    let shown = |text: &str| refdesk_core::clean::excerpt(text, 100);
    bad_header(format!("Header mismatch: {name} is {:?}, the body says {:?}.", shown(header), shown(body)))
}

fn absent(name: &str, body: &str) -> RpcError {
    let shown = refdesk_core::clean::excerpt(body, 100);
    bad_header(format!("Header mismatch: {name} is missing; send it with {shown:?}."))
}

fn malformed(message: String) -> RpcError {
    RpcError::new(StatusCode::BAD_REQUEST, INVALID_PARAMS, message)
}

fn missing(key: &str) -> RpcError {
    malformed(format!("Invalid params: `_meta` lacks {key}, which every request of {MODERN_VERSION} carries."))
}

fn unsupported(version: &str) -> RpcError {
    let requested = refdesk_core::clean::excerpt(version, 100);
    RpcError::new(StatusCode::BAD_REQUEST, UNSUPPORTED_VERSION, "Unsupported protocol version")
        .with(json!({"supported": SUPPORTED_VERSIONS, "requested": requested}))
}

#[cfg(test)]
mod tests {
    #[test]
    fn wrapped_header_values_are_unwrapped_before_they_are_compared() {
        assert_eq!(super::decode_base64_word("plain").as_deref(), Some("plain"));
        assert_eq!(super::decode_base64_word("=?base64?w7w=?=").as_deref(), Some("ü"));
        assert_eq!(super::decode_base64_word("=?base64?!!?="), None);
    }
}
