//! A server on a real socket, and clients that speak HTTP byte by byte.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use refdesk_serve::{ServerLimits, Settings};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{Bench, unlimited};

/// A body that the tests make slow: its detail waits for the body reader.
pub const SLOW: &str = "/v1/documents/guide-start";
/// Longer than anything should take here.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A server on a port of its own.
pub struct Running {
    pub bench: Bench,
    pub address: SocketAddr,
    pub stop: CancellationToken,
    pub served: JoinHandle<()>,
}

impl Running {
    pub async fn start(limits: ServerLimits) -> Self {
        Self::with(limits, unlimited()).await
    }

    pub async fn with(limits: ServerLimits, settings: Settings) -> Self {
        let bench = Bench::with(settings);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = CancellationToken::new();
        let served = tokio::spawn(refdesk_serve::serve(listener, Arc::clone(&bench.desk), limits, stop.clone()));
        Self { bench, address, stop, served }
    }

    pub async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// One request on a connection of its own, answered and closed.
    pub async fn get(&self, target: &str) -> Answered {
        let mut stream = self.connect().await;
        stream.write_all(request(target, "close").as_bytes()).await.unwrap();
        Answered::read(stream).await
    }

    /// Asserts that other clients are answered, and soon.
    pub async fn answers_others(&self) {
        let answered = tokio::time::timeout(Duration::from_secs(5), self.get("/v1/models/list")).await;
        assert_eq!(answered.expect("others are answered").status, 200);
    }
}

pub fn request(target: &str, connection: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nhost: localhost\r\nconnection: {connection}\r\n\r\n")
}

/// An answer as it came over the wire.
#[derive(Debug)]
pub struct Answered {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answered {
    /// Reads until the server closes; a connection that ends without an answer has status 0.
    pub async fn read(mut stream: TcpStream) -> Self {
        let mut bytes = Vec::new();
        let _ = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut bytes)).await.expect("the server closes");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        Self { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    #[track_caller]
    pub fn is_busy(&self) {
        assert_eq!(self.status, 503, "{self:?}");
        assert!(self.head.contains("retry-after: 1\r\n"), "{self:?}");
        assert!(self.head.contains("content-type: application/problem+json"), "{self:?}");
        let problem: Value = serde_json::from_str(&self.body).unwrap();
        assert_eq!((problem["code"].as_str(), problem["error"].as_str()), (Some("busy"), Some("service busy")));
        assert_eq!(problem["retry_after_seconds"], 1);
    }
}

/// What a metric counts, with its labels as they stand.
pub fn metric(page: &str, name: &str) -> u64 {
    let line = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.map_or(0, |count| count.parse().unwrap())
}
