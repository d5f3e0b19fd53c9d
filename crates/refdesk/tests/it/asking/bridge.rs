//! `refdesk mcp --url`: what a client of it is told when the desk refuses, or when no desk answers.

use std::io::{Read as _, Write as _};
use std::process::Stdio;

use crate::common::Desk;

/// A server that answers every request with a body that has no end.
fn endless() -> std::net::SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            std::thread::spawn(move || {
                let _ = stream.read(&mut [0; 4096]);
                let mut sent = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n");
                while sent.is_ok() {
                    sent = stream.write_all(&[b' '; 1 << 12]);
                }
            });
        }
    });
    address
}

#[test]
fn the_bridge_tells_its_client_what_the_desk_refuses_and_where_none_answers() {
    let desk = Desk::new();
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = format!("http://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let key = desk.json(&["keys", "create", "--name", "bridge"])["key"].as_str().unwrap().to_owned();
    let server = desk.serve(&["--offline", "--require-key"]);
    let open = format!("http://{}", server.address);
    let says = |url: &str, more: &[&str]| -> String {
        let mut command = desk.command(&["mcp", "--url", url]);
        let mut child =
            command.args(more).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let lines = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\"}\n";
        child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        let done = child.wait_with_output().unwrap();
        let text = String::from_utf8(done.stdout).unwrap();
        let answers: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(answers.len(), 1, "a request has one answer, a notification none: {text}");
        assert_eq!((&answers[0]["jsonrpc"], &answers[0]["id"]), (&"2.0".into(), &7.into()), "{text}");
        answers[0]["error"]["message"].as_str().unwrap_or("tools").to_owned()
    };
    assert!(says(&open, &[]).ends_with("/mcp answers 401, API key required; give a key with --key or REFDESK_API_KEY"));
    assert!(says(&open, &["--key", "rdk_wrong"]).contains("answers 401, invalid API key"));
    for url in [open.clone(), format!("{open}/"), format!("{open}/mcp"), format!("{open}/mcp/")] {
        assert_eq!(says(&url, &["--key", &key]), "tools", "{url}");
    }
    let elsewhere = says(&format!("{open}/v1"), &["--key", &key]);
    assert!(elsewhere.contains("/v1/mcp answers 405") && elsewhere.contains("without a path behind it"), "{elsewhere}");
    let long = says(&format!("http://{}", endless()), &[]);
    assert!(long.contains("its answer has more than 67108864 bytes"), "{long}");
    let nothing = says(&closed, &[]);
    assert!(nothing.starts_with(&format!("no refdesk answers at {closed}/mcp (")), "{nothing}");
    assert!(nothing.contains("efused") && nothing.contains("check --url, its http or https"), "{nothing}");
}
