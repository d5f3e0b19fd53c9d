//! Responses to what hyper could not parse as a request: problem documents in place of hyper's bare ones, written byte by byte because no
//! request is there that hyper would answer.

use std::net::IpAddr;

use futures::FutureExt as _;
use http::StatusCode;
use http_body_util::BodyExt as _;

use crate::middleware::Pipeline;

/// The whole response to bytes that could not be parsed, as it goes over the wire.
pub(super) fn refusal(pipeline: &Pipeline, peer: IpAddr, status: StatusCode) -> Vec<u8> {
    let (parts, body) = pipeline.refuse_malformed(peer, status).into_parts();
    // Problem documents are in memory, so collecting one neither waits nor fails.
    let body = body.collect().now_or_never().and_then(Result::ok);
    let body = body.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let reason = parts.status.canonical_reason().unwrap_or("Error");
    let mut wire = format!("HTTP/1.1 {} {reason}\r\n", parts.status.as_u16()).into_bytes();
    let mut line = |name: &str, value: &[u8]| {
        wire.extend_from_slice(name.as_bytes());
        wire.extend_from_slice(b": ");
        wire.extend_from_slice(value);
        wire.extend_from_slice(b"\r\n");
    };
    for (name, value) in &parts.headers {
        line(name.as_str(), value.as_bytes());
    }
    line("content-length", body.len().to_string().as_bytes());
    line("date", jiff::Timestamp::now().strftime("%a, %d %b %Y %H:%M:%S GMT").to_string().as_bytes());
    wire.extend_from_slice(b"\r\n");
    wire.extend_from_slice(&body);
    wire
}
