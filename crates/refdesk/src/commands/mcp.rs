//! `mcp`: the MCP server on standard input and output, from the local store or as a bridge to a running service.
//! Nothing but protocol reaches stdout.

use std::sync::Arc;

use anyhow::Context as _;
use refdesk_serve::Desk;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use crate::app::App;
use crate::cli;
use crate::config::Config;
use crate::exit::Exit;

/// `refdesk mcp`.
pub async fn run(config: Config, flags: cli::Mcp) -> anyhow::Result<Exit> {
    crate::commands::log::init(&config)?;
    let upstream = if let Some(url) = &flags.url {
        Upstream::Service(Bridge::new(url, flags.key)?)
    } else {
        let app = App::open(config).await?;
        super::sync::bundled(&app).await?;
        Upstream::Desk(super::serve::open_desk(&app, app.snapshot().await?, true).await?)
    };
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut stdout = tokio::io::stdout();
    while let Some(line) = lines.next_line().await.context("standard input cannot be read")? {
        if line.trim().is_empty() {
            continue;
        }
        if let Some(answer) = upstream.answer(&line).await {
            stdout.write_all(&answer).await?;
            stdout.write_all(b"\n").await?;
            stdout.flush().await?;
        }
    }
    Ok(Exit::Done)
}

enum Upstream {
    Desk(Arc<Desk>),
    Service(Bridge),
}

impl Upstream {
    async fn answer(&self, line: &str) -> Option<Vec<u8>> {
        match self {
            Self::Desk(desk) => refdesk_serve::mcp::handle_message(desk, None, line.as_bytes()).await,
            Self::Service(bridge) => bridge.answer(line).await,
        }
    }
}

/// Hands each message to `POST /mcp` of a running service.
struct Bridge {
    client: reqwest::Client,
    url: url::Url,
    key: Option<String>,
    /// The version that `initialize` agreed on; later messages of the older era name it in a header.
    version: std::sync::Mutex<Option<String>>,
}

/// Version key of the newer era's `_meta`.
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

impl Bridge {
    fn new(url: &str, key: Option<String>) -> anyhow::Result<Self> {
        let mut url =
            url::Url::parse(url).with_context(|| format!("--url {url}: is no URL; write it as https://host"))?;
        anyhow::ensure!(matches!(url.scheme(), "http" | "https"), "--url {url}: write it as https://host");
        if !url.path().ends_with("/mcp") {
            url.set_path(&format!("{}/mcp", url.path().trim_end_matches('/')));
        }
        refdesk_ingest::fetch::install_tls();
        Ok(Self { client: reqwest::Client::new(), url, key, version: std::sync::Mutex::default() })
    }

    async fn answer(&self, line: &str) -> Option<Vec<u8>> {
        let message: Value = serde_json::from_str(line).unwrap_or(Value::Null);
        match self.send(line, &message).await {
            Ok(body) => {
                if message["method"] == "initialize" {
                    let answer: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
                    let agreed = answer["result"]["protocolVersion"].as_str().map(str::to_owned);
                    *self.version.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = agreed;
                }
                // A message on stdio is one line; our own service answers on one line, another might not.
                let one_line: Vec<u8> = body.into_iter().filter(|byte| *byte != b'\n' && *byte != b'\r').collect();
                (!one_line.is_empty()).then_some(one_line)
            }
            Err(error) => {
                tracing::error!(%error, "the service cannot be reached");
                let id = message.get("id")?.clone();
                let error = serde_json::json!({"code": -32603, "message": "the refdesk service cannot be reached"});
                Some(serde_json::json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string().into_bytes())
            }
        }
    }

    async fn send(&self, line: &str, message: &Value) -> Result<Vec<u8>, reqwest::Error> {
        let mut request = self
            .client
            .post(self.url.clone())
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .body(line.to_owned());
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        let params = &message["params"];
        if let Some(version) = params["_meta"][META_VERSION].as_str() {
            request = request.header("MCP-Protocol-Version", version);
            if let Some(method) = message["method"].as_str() {
                request = request.header("Mcp-Method", method);
            }
            if let Some(name) = params["name"].as_str().or(params["uri"].as_str()) {
                request = request.header("Mcp-Name", header_text(name));
            }
        } else if let Some(version) = self.version.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone() {
            request = request.header("MCP-Protocol-Version", version);
        }
        Ok(request.send().await?.bytes().await?.to_vec())
    }
}

/// A header value as the protocol wants it: plain when it is printable ASCII, else in the Base64 sentinel form.
fn header_text(text: &str) -> String {
    use base64::Engine as _;
    let plain =
        text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) && text.trim() == text && !text.starts_with("=?base64?");
    if plain {
        text.to_owned()
    } else {
        format!("=?base64?{}?=", base64::engine::general_purpose::STANDARD.encode(text))
    }
}
