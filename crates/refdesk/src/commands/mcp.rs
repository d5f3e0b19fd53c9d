//! `mcp`: the MCP server on standard input and output, from the local store or as a bridge to a running service.
//! Nothing but protocol reaches stdout.

use std::io::IsTerminal as _;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use refdesk_core::parallel::locked;
use refdesk_ingest::sync::Silent;
use refdesk_serve::AppState;
use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio_util::sync::CancellationToken;

use super::serve::{First, first};
use crate::app::App;
use crate::background::{self, Background, Looked};
use crate::cli;
use crate::cluster::Cluster;
use crate::config::{Config, key};
use crate::exit::Exit;
use crate::output::{self, Refusal};
use crate::service::ANSWER_BYTES_MAX;

/// `refdesk mcp`.
pub async fn run(config: Config, flags: cli::Mcp) -> anyhow::Result<Exit> {
    crate::log::init(&config)?;
    let line_bytes_max = config.get(key::MCP_BODY_BYTES_MAX);
    let shutdown = CancellationToken::new();
    let (upstream, tasks) = if let Some(url) = &flags.url {
        (Upstream::Service(Bridge::new(ANSWER_TIMEOUT, url, flags.key)?), None)
    } else {
        let (desk, tasks) = own_desk(config, &shutdown).await?;
        (Upstream::Desk(desk), Some(tasks))
    };
    if std::io::stdin().is_terminal() {
        output::say(
            "this speaks MCP, one JSON message a line; MCP clients start it (`refdesk get document refdesk-manual-clients` shows how), \
             and Ctrl-D ends it",
        );
    }
    let mut lines = Lines::new(BufReader::new(tokio::io::stdin()), line_bytes_max);
    let mut stdout = tokio::io::stdout();
    while let Some(line) = lines.next().await.context("standard input cannot be read")? {
        let answer = match line {
            Line::Whole(line) if line.trim_ascii().is_empty() => continue,
            Line::Whole(line) => upstream.answer(&line).await,
            Line::TooLong => Some(refdesk_serve::mcp::line_too_long(line_bytes_max)),
        };
        if let Some(answer) = answer
            && !written(&mut stdout, answer).await?
        {
            break;
        }
    }
    // A sync that runs leaves nothing behind: it is one transaction.
    shutdown.cancel();
    if let Some(tasks) = tasks {
        tasks.abort();
    }
    Ok(Exit::Done)
}

/// Writes a message as a line; false when its client is gone.
async fn written(stdout: &mut tokio::io::Stdout, mut message: Vec<u8>) -> anyhow::Result<bool> {
    message.push(b'\n');
    let done = async {
        stdout.write_all(&message).await?;
        stdout.flush().await
    };
    match done.await {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error).context("standard output cannot be written"),
    }
}

/// A desk of its own over the local store. As a service does, it syncs what is due in the background, unless another process does, and
/// shows what is new; so nobody who only ever starts this reads facts that no longer change.
async fn own_desk(
    config: Config,
    shutdown: &CancellationToken,
) -> anyhow::Result<(Arc<AppState>, tokio::task::JoinHandle<()>)> {
    let app = Arc::new(App::open(config).await?);
    let cluster = Cluster::open(&app)?;
    let First { snapshot, mut published, .. } = first(&app, cluster.as_ref()).await?;
    let desk = crate::desk::open(&app, snapshot).await?;
    let engine = app.engine(Arc::new(Silent))?;
    background::tell_sources(&desk, &engine).await;
    // One of other sources is a server's; it is left alone.
    published.kept |= app.generations().is_of_others();
    let looked = Looked { room_min: 0, alone: cluster.is_none() };
    let work = Background { app, desk: Arc::clone(&desk), engine, announcement: None, reload: Arc::default() };
    let tasks = match &cluster {
        // It ends with its client, so it is none to lead.
        Some(cluster) => cluster.tasks_of_reader(&work),
        None => background::alone(&work, published, shutdown),
    };
    Ok((desk, background::start(&work, tasks, looked)))
}

enum Upstream {
    Desk(Arc<AppState>),
    Service(Bridge),
}

impl Upstream {
    async fn answer(&self, line: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Desk(desk) => refdesk_serve::mcp::handle_message(desk, line).await,
            // What is no text is not JSON either, and the service says so.
            Self::Service(bridge) => bridge.answer(&String::from_utf8_lossy(line)).await,
        }
    }
}

/// A line of standard input, without its end.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Whole(Vec<u8>),
    /// It has more bytes than a message may have; they were dropped as they came.
    TooLong,
}

/// Lines of which no more is kept than a message may have.
struct Lines<R> {
    reader: R,
    bytes_max: usize,
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    const fn new(reader: R, bytes_max: usize) -> Self {
        Self { reader, bytes_max }
    }

    /// The next line; `None` at the end.
    async fn next(&mut self) -> std::io::Result<Option<Line>> {
        // One byte more than a message may have: the end of its line.
        let most = self.bytes_max as u64 + 1;
        let mut line = Vec::new();
        if (&mut self.reader).take(most).read_until(b'\n', &mut line).await? == 0 {
            return Ok(None);
        }
        if line.pop_if(|last| *last == b'\n').is_some() || line.len() <= self.bytes_max {
            return Ok(Some(Line::Whole(line)));
        }
        while !line.ends_with(b"\n") {
            line.clear();
            if (&mut self.reader).take(most).read_until(b'\n', &mut line).await? == 0 {
                break;
            }
        }
        Ok(Some(Line::TooLong))
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

/// A service that takes no connection within this time does not answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// An answer is there, whole, within this time: several times as long as a service lets a request take by default.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(2);
/// Version key of the newer era's `_meta`.
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

impl Bridge {
    fn new(timeout: Duration, url: &str, key: Option<String>) -> anyhow::Result<Self> {
        let example = "write it as http://127.0.0.1:8787 or https://host";
        let parsed = url::Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let Some(mut url) = parsed else {
            return Err(Refusal::invalid_argument(format!("--url {url} is no URL of a desk; {example}")).into());
        };
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&if path.ends_with("/mcp") { path } else { format!("{path}/mcp") });
        refdesk_ingest::fetch::install_tls();
        let client = reqwest::Client::builder().connect_timeout(CONNECT_TIMEOUT).timeout(timeout).build()?;
        Ok(Self { client, url, key, version: std::sync::Mutex::default() })
    }

    async fn answer(&self, line: &str) -> Option<Vec<u8>> {
        let message: Value = serde_json::from_str(line).unwrap_or(Value::Null);
        match self.send(line, &message).await {
            Ok((status, body)) if !status.is_success() && !is_message(&body) => {
                refusal(&message, self.refused(status, &body))
            }
            Ok((_, body)) => {
                if message["method"] == "initialize" {
                    let answer: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
                    let agreed = answer["result"]["protocolVersion"].as_str().map(str::to_owned);
                    *locked(&self.version) = agreed;
                }
                // A message on stdio is one line; our own service answers on one line, another might not.
                let one_line: Vec<u8> = body.into_iter().filter(|byte| *byte != b'\n' && *byte != b'\r').collect();
                (!one_line.is_empty()).then_some(one_line)
            }
            Err(error) => {
                let told = format!(
                    "no refdesk answers at {} ({}); check --url, its http or https, and that `refdesk serve` runs there",
                    self.place(),
                    error.root_cause()
                );
                refusal(&message, told)
            }
        }
    }

    /// Where it asks, without what a URL may hold besides.
    fn place(&self) -> String {
        format!("{}{}", self.url.origin().ascii_serialization(), self.url.path())
    }

    /// What an answer outside of the protocol says: a problem document, or the page of some other server.
    fn refused(&self, status: reqwest::StatusCode, body: &[u8]) -> String {
        let problem: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
        let error = problem["error"].as_str().unwrap_or("no refdesk");
        let hint = match status.as_u16() {
            401 => "give a key with --key or REFDESK_API_KEY",
            404 | 405 => "--url is the address of a desk, without a path behind it unless its `base_url` has one",
            _ => problem["hint"].as_str().unwrap_or("check --url"),
        };
        format!("{} answers {}, {error}; {hint}", self.place(), status.as_u16())
    }

    async fn send(&self, line: &str, message: &Value) -> anyhow::Result<(reqwest::StatusCode, Vec<u8>)> {
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
        } else if let Some(version) = locked(&self.version).clone() {
            request = request.header("MCP-Protocol-Version", version);
        }
        let mut answer = request.send().await?;
        let mut body = Vec::new();
        while let Some(piece) = answer.chunk().await? {
            anyhow::ensure!(
                body.len() + piece.len() <= ANSWER_BYTES_MAX,
                "its answer has more than {ANSWER_BYTES_MAX} bytes"
            );
            body.extend_from_slice(&piece);
        }
        Ok((answer.status(), body))
    }
}

/// Whether a body is a message of the protocol. Errors of the MCP endpoint itself are, whatever their status.
fn is_message(body: &[u8]) -> bool {
    serde_json::from_slice::<Value>(body).is_ok_and(|body| body["jsonrpc"] == "2.0")
}

/// The answer to a request that the service did not take, without which a client would wait until it gives up; the log has it too, as some
/// clients show only that. A notification has no answer.
fn refusal(message: &Value, told: String) -> Option<Vec<u8>> {
    tracing::error!("{told}");
    let id = message.get("id")?.clone();
    let error = serde_json::json!({"code": -32603, "message": told});
    Some(serde_json::json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string().into_bytes())
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Bridge, Line, Lines};

    #[tokio::test]
    async fn a_service_that_does_not_answer_is_given_up() {
        let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", silent.local_addr().expect("its address"));
        let bridge = Bridge::new(Duration::from_millis(50), &url, None).expect("a bridge");
        let answer = bridge.answer("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}").await.expect("an answer");
        let told = String::from_utf8(answer).expect("text");
        assert!(told.contains("no refdesk answers at") && told.contains("timed out"), "{told}");
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_told_and_the_next_one_is_read() {
        let text = b"one\r\n\n12345678\n123456789\nlast".as_slice();
        // As if it came in small pieces.
        let mut lines = Lines::new(tokio::io::BufReader::with_capacity(3, text), 8);
        let mut read = Vec::new();
        while let Ok(Some(line)) = lines.next().await {
            read.push(line);
        }
        let whole = |line: &str| Line::Whole(line.as_bytes().to_vec());
        assert_eq!(read, [whole("one\r"), whole(""), whole("12345678"), Line::TooLong, whole("last")]);
    }
}
