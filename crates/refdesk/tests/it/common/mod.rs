//! The bench of the binary's tests: a desk in a folder of its own, commands with a clean environment, a running server and a bare
//! HTTP client. It knows nothing of what the commands do.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Longest wait for something that a server does within seconds.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// Longest wait for a command to end by itself, on a machine that does much else.
const COMMAND_PATIENCE: Duration = Duration::from_mins(2);

/// A configuration of two sources whose upstreams nobody answers for, and one that is off.
pub const UNREACHED: &str = r#"default_sources = false
retries_max = 0
[[sources]]
id = "one"
connector = "litellm"
url = "http://127.0.0.1:1/one.json"
[[sources]]
id = "other"
connector = "litellm"
url = "http://127.0.0.1:1/other.json"
[[sources]]
id = "off"
connector = "litellm"
url = "http://127.0.0.1:1/off.json"
enabled = false
"#;

/// What a command left behind.
#[derive(Debug)]
pub struct Done {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Done {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }
}

/// A desk with its own folder, data directory and configuration file.
pub struct Desk {
    pub folder: tempfile::TempDir,
    pub environment: Vec<(String, String)>,
}

impl Desk {
    pub fn new() -> Self {
        let desk = Self { folder: tempfile::tempdir().unwrap(), environment: Vec::new() };
        desk.configure("");
        desk
    }

    /// The same with its store, so that no command tells that it made one.
    pub fn stored() -> Self {
        let desk = Self::new();
        desk.run(&["sources"]).expect(0);
        desk
    }

    /// A desk with one source, `mine`: the cards of its folder `cards`.
    pub fn with_cards(cards: &[(&str, &str)]) -> Self {
        let desk = Self::new();
        for (name, text) in cards {
            desk.write(&format!("cards/{name}"), text);
        }
        desk.configure("default_sources = false\n[[sources]]\nid = \"mine\"\nconnector = \"cards\"\nurl = \"cards\"\ninterval = \"1h\"\n");
        desk
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn store(&self) -> PathBuf {
        self.path("data/refdesk.sqlite3")
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn configure(&self, text: &str) {
        self.write("refdesk.toml", text);
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_refdesk"));
        command.args(args).env_clear().envs(self.environment.clone()).current_dir(self.folder.path());
        command.arg("--data-dir").arg(self.path("data"));
        command
    }

    pub fn run(&self, args: &[&str]) -> Done {
        done(&mut self.command(args))
    }

    /// With `--json`, which must parse whatever the exit code.
    pub fn json(&self, args: &[&str]) -> Value {
        let mut args = args.to_vec();
        args.push("--json");
        self.run(&args).json()
    }

    pub fn serve(&self, args: &[&str]) -> Server {
        self.serve_logging(args, Stdio::null())
    }

    pub fn serve_logging(&self, args: &[&str], log: Stdio) -> Server {
        let mut all = vec!["serve", "--listen", "127.0.0.1:0", "--rate-limit-anon", "0"];
        all.extend(args);
        Server::started(self.command(&all).stderr(log))
    }
}

pub fn done(command: &mut Command) -> Done {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (name, id) = (format!("{command:?}"), child.id());
    let (ended, waiting) = mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        if waiting.recv_timeout(COMMAND_PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
            let told = format!("{name} does not end; its threads wait in:\n{}", waits(id));
            let _ = Command::new("kill").args(["-KILL", &id.to_string()]).status();
            panic!("{told}");
        }
    });
    let output = child.wait_with_output().unwrap();
    drop(ended);
    watch.join().expect("the command ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Done { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

/// The threads of a process, each with the system call and the place in the kernel that it waits in, where the system tells of them.
fn waits(process: u32) -> String {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let told = |thread: &Path, what| std::fs::read_to_string(thread.join(what)).unwrap_or_default().trim().to_owned();
    threads.map(|thread| ["comm", "syscall", "wchan"].map(|what| told(&thread.path(), what)).join(" ") + "\n").collect()
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Sends SIGHUP.
#[cfg(unix)]
pub fn hang_up(child: &Child) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-HUP", &id]).status().unwrap().success());
}

/// A running server; killed when dropped.
pub struct Server {
    pub address: String,
    pub child: Child,
    stdout: BufReader<std::process::ChildStdout>,
}

impl Server {
    /// What the command started, as soon as it listens.
    pub fn started(command: &mut Command) -> Self {
        Self::started_while(command, |_| {})
    }

    /// The same, with what happens while it starts.
    pub fn started_while(command: &mut Command, meanwhile: impl FnOnce(&Child)) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        meanwhile(&child);
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://").unwrap_or_else(|| panic!("first line {line:?}"));
        Self { address: address.to_owned(), child, stdout }
    }

    /// Has the server read its configuration anew.
    #[cfg(unix)]
    pub fn hang_up(&self) {
        hang_up(&self.child);
    }

    pub fn get(&self, target: &str) -> Answer {
        self.get_with(target, "")
    }

    /// `headers` are whole lines, each with its line break.
    pub fn get_with(&self, target: &str, headers: &str) -> Answer {
        self.send(&format!("GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n"))
    }

    pub fn send(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut raw = Vec::new();
        stream.read_to_end(&mut raw).unwrap();
        let raw = String::from_utf8_lossy(&raw).into_owned();
        let (head, body) = raw.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {raw:?}"));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap();
        let body = if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
            dechunk(body)
        } else {
            body.to_owned()
        };
        Answer { status, head: head.to_owned(), body }
    }

    /// Asks until the answer is as wanted.
    pub fn until(&self, what: &str, wanted: impl Fn(&Self) -> bool) -> Duration {
        let started = Instant::now();
        while !wanted(self) {
            assert!(started.elapsed() < PATIENCE, "not within {PATIENCE:?}: {what}");
            std::thread::sleep(Duration::from_millis(100));
        }
        started.elapsed()
    }

    pub fn health(&self) -> Value {
        self.get("/health").json()
    }

    /// Ends it with the termination signal; the exit code and what else it wrote to stdout.
    pub fn stop(mut self) -> (i32, String) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        let started = Instant::now();
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None => assert!(started.elapsed() < PATIENCE, "it does not end"),
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        (status.code().unwrap_or(-1), rest)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn dechunk(mut rest: &str) -> String {
    let mut body = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 {
            break;
        }
        body.push_str(after.get(..size).unwrap_or(after));
        rest = after.get(size + 2..).unwrap_or("");
    }
    body
}

/// A card of a tool.
pub fn tool(id: &str, summary: &str) -> String {
    format!(
        "kind: tool\nid: {id}\ndisplay_name: The {id}\nvendor: Lampworks\nsource_url: https://lamp.example/{id}\nchecked_on: 2026-08-01\ncategory: test\ndescription: {summary}\n"
    )
}
