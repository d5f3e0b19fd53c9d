//! `refdesk mcp` without a service: it keeps its facts up to date, one of several processes syncs, and it says how old they are.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::common::{Desk, PATIENCE, UNREACHED, tool};

/// A client's connection to `refdesk mcp`.
struct Client {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Client {
    fn start(desk: &Desk, args: &[&str]) -> Self {
        let mut all = vec!["mcp"];
        all.extend(args);
        let mut command = desk.command(&all);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, stdin, stdout }
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        writeln!(self.stdin, "{message}").unwrap();
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    fn instructions(&mut self) -> String {
        let client =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let answer = self.ask("initialize", &client);
        answer["result"]["instructions"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))["result"].clone()
    }

    fn until(&mut self, what: &str, mut wanted: impl FnMut(&mut Self) -> bool) {
        let started = Instant::now();
        while !wanted(self) {
            assert!(started.elapsed() < PATIENCE, "not within {PATIENCE:?}: {what}");
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
    }

    fn refreshing(&mut self) -> String {
        let status = self.call("source_status", &json!({"full": true}));
        status["structuredContent"]["refreshing"].as_str().unwrap_or_else(|| panic!("{status}")).to_owned()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn says(client: &mut Client, text: &str) -> bool {
    client.call("get_item", &json!({"id": "lamp", "type": "TOOL"})).to_string().contains(text)
}

#[test]
fn what_is_overdue_is_synced_in_the_background_and_new_facts_are_shown() {
    let desk = Desk::with_cards(&[("a.yaml", &tool("lamp", "It shines."))]);
    // Nothing was ever synced: all is overdue.
    let mut client = Client::start(&desk, &["--set", "sync_jitter_percent=0"]);
    client.until("it is synced", |client| says(client, "It shines."));
    let told = client.instructions();
    assert!(told.contains("were last checked between") && told.contains("synced in the background"), "{told}");
    desk.write("cards/a.yaml", &tool("lamp", "It glows."));
    desk.run(&["sync", "mine"]).expect(0);
    client.until("what another process synced is shown", |client| says(client, "It glows."));
}

#[test]
fn one_process_of_a_data_directory_syncs_and_the_next_takes_over_when_it_ends() {
    let desk = Desk::with_cards(&[("a.yaml", &tool("lamp", "It shines."))]);
    let mut first = Client::start(&desk, &[]);
    first.until("the first syncs", |client| client.refreshing().starts_with("Sources are synced"));
    first.until("it has synced", |client| says(client, "It shines."));
    let seen_by_command = || desk.json(&["sources"])["refreshing"].as_str().unwrap().to_owned();
    let told = seen_by_command();
    assert!(told.starts_with("Another refdesk process syncs"), "{told}");
    let mut second = Client::start(&desk, &[]);
    second.until("the second leaves it to the first", |client| client.refreshing().starts_with("Another"));
    assert!(second.instructions().contains("Another refdesk process"));
    drop(first);
    second.until("it takes over", |client| client.refreshing().starts_with("Sources are synced"));
    drop(second);
    let told = seen_by_command();
    assert!(told.starts_with("Nothing is synced in the background: no refdesk process"), "{told}");
}

#[test]
fn without_a_network_it_says_that_nothing_is_fetched() {
    let desk = Desk::with_cards(&[("a.yaml", &tool("lamp", "It shines."))]);
    desk.run(&["sync"]).expect(0);
    let mut client = Client::start(&desk, &["--offline"]);
    let told = client.instructions();
    assert!(told.contains("runs with --offline") && told.contains("refdesk sync"), "{told}");
}

#[test]
fn without_a_network_it_says_that_no_upstream_was_reached_and_what_to_do() {
    let desk = Desk::new();
    desk.configure(UNREACHED);
    let mut client = Client::start(&desk, &[]);
    client.until("the upstreams were tried", |client| client.refreshing().contains("No upstream was reached"));
    let told = client.refreshing();
    assert!(told.starts_with("Sources are synced in the background") && told.contains("--offline"), "{told}");
    assert!(client.instructions().contains("behind a proxy, set `proxy`; without a network, pass --offline"));
    drop(client);
    assert!(desk.json(&["sources"])["refreshing"].as_str().unwrap().contains("No upstream was reached"));
}

#[test]
fn a_client_that_reads_no_more_ends_it_without_an_error() {
    let desk = Desk::stored();
    let mut command = desk.command(&["mcp", "--offline"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        // It may end before it reads this.
        let _ = writeln!(stdin, r#"{{"jsonrpc": "2.0", "id": 1, "method": "ping"}}"#);
        assert!(started.elapsed() < PATIENCE, "it goes on for nobody");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let done = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&done.stderr);
    assert_eq!((done.status.code(), told.contains("error")), (Some(0), false), "{told}");
}

/// Who types the command to see what it does would look at an empty line.
#[cfg(target_os = "linux")]
#[test]
fn in_a_terminal_it_says_who_starts_it_and_how_it_ends() {
    let desk = Desk::stored();
    let line = format!("{} mcp --offline --data-dir {}", env!("CARGO_BIN_EXE_refdesk"), desk.path("data").display());
    let mut script = std::process::Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).env_clear().env("PATH", "/usr/bin:/bin");
    let told = crate::common::done(script.current_dir(desk.folder.path())).expect(0).out;
    assert!(told.contains("this speaks MCP") && told.contains("Ctrl-D ends it"), "{told}");
}
