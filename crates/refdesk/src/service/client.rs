//! The side of the command line: one connection to the desk, which has to prove itself before it is asked anything.

use std::io::Read as _;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, StatusCode, header};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use refdesk_serve::LocalToken;
use serde_json::Value;

use super::{Endpoint, answers_of, changed_path, endpoint_path, on_this_machine};
use crate::config::{Config, key};

/// A desk that has not proved itself within this time is not asked: reading the catalog takes about as long.
const PROOF_TIMEOUT: Duration = Duration::from_millis(20);
/// A desk that has proved itself answers within this time, or the command reads the catalog itself.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest endpoint that is read, in bytes.
const ENDPOINT_BYTES_MAX: u64 = 1 << 16;
/// Longest JSON answer that is taken, in bytes.
pub const ANSWER_BYTES_MAX: usize = 64 << 20;

/// The running desk of a data directory.
#[derive(Debug)]
pub struct Service {
    sender: SendRequest<Empty<Bytes>>,
    endpoint: Endpoint,
}

pub(super) fn endpoint(data_dir: &Path) -> Option<Endpoint> {
    let mut text = String::new();
    refdesk_ingest::files::open_regular(&endpoint_path(data_dir))
        .ok()?
        .take(ENDPOINT_BYTES_MAX)
        .read_to_string(&mut text)
        .ok()?;
    serde_json::from_str(&text).ok()
}

impl Service {
    /// The desk that runs on the data directory of a configuration and answers by the same settings, once it has proved itself.
    pub async fn find(config: &Config) -> Option<Self> {
        if !config.get(key::ASK_SERVICE) {
            return None;
        }
        let data_dir = config.data_dir().ok()?;
        let endpoint = endpoint(&data_dir)?;
        let is_same = endpoint.version == env!("CARGO_PKG_VERSION") && endpoint.answers == answers_of(config);
        if !is_same || !endpoint.address.ip().is_loopback() || changed_path(&data_dir).exists() {
            return None;
        }
        tokio::time::timeout(PROOF_TIMEOUT, Self::proved(endpoint)).await.ok().flatten()
    }

    /// Whether the desk of a data directory runs at one of some addresses, whatever settings it answers by.
    pub async fn runs_at(config: &Config, addresses: &[SocketAddr]) -> bool {
        let announced = config.data_dir().ok().and_then(|data_dir| endpoint(&data_dir));
        let is_there = |found: &Endpoint| addresses.iter().any(|address| on_this_machine(*address) == found.address);
        let Some(announced) = announced.filter(is_there) else { return false };
        tokio::time::timeout(ANSWER_TIMEOUT, Self::proved(announced)).await.is_ok_and(|desk| desk.is_some())
    }

    /// Connects, and asks for the proof; the token is not sent before.
    async fn proved(endpoint: Endpoint) -> Option<Self> {
        let stream = tokio::net::TcpStream::connect(endpoint.address).await.ok()?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await.ok()?;
        tokio::spawn(connection);
        let mut service = Self { sender, endpoint };
        let answer = service.send("/version", None).await?;
        let version: Value = serde_json::from_slice(&collected(answer).await?).ok()?;
        let proof = LocalToken::proof_of(&service.endpoint.token);
        (version["local_token_sha256"].as_str() == Some(proof.as_str())).then_some(service)
    }

    async fn send(&mut self, target: &str, token: Option<&str>) -> Option<http::Response<Incoming>> {
        let mut request = Request::get(target)
            .header(header::HOST, self.endpoint.address.to_string())
            .header(header::ACCEPT, "application/json");
        if let Some(token) = token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let request = request.body(Empty::new()).ok()?;
        self.sender.ready().await.ok()?;
        self.sender.send_request(request).await.ok()
    }

    /// The answer to a path with its parameters. `None` when there is none, or only that it cannot be given now: then the command finds out
    /// itself.
    pub async fn answer(&mut self, target: &str) -> Option<http::Response<Incoming>> {
        let token = self.endpoint.token.clone();
        let answer = tokio::time::timeout(ANSWER_TIMEOUT, self.send(target, Some(&token))).await.ok()??;
        matches!(answer.status(), StatusCode::OK | StatusCode::BAD_REQUEST | StatusCode::NOT_FOUND).then_some(answer)
    }

    /// The same as JSON, whole, with its status.
    pub async fn json(&mut self, target: &str) -> Option<(StatusCode, Value)> {
        let answer = self.answer(target).await?;
        let status = answer.status();
        let body = tokio::time::timeout(ANSWER_TIMEOUT, collected(answer)).await.ok()??;
        Some((status, serde_json::from_slice(&body).ok()?))
    }
}

async fn collected(answer: http::Response<Incoming>) -> Option<Bytes> {
    let body = Limited::new(answer.into_body(), ANSWER_BYTES_MAX);
    Some(body.collect().await.ok()?.to_bytes())
}
