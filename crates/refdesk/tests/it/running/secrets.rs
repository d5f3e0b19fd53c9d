//! Secrets stay inside: planted keys, tokens in urls and environment secrets stand in nothing that the program writes.

use std::io::{Read as _, Write as _};
use std::process::Stdio;

use crate::common::Desk;

const PLANTED: [&str; 8] = [
    "PLANTEDTOKEN",
    "PLANTEDUSER",
    "PLANTEDPASS",
    "PLANTEDSIG",
    "PLANTEDENV",
    "PLANTEDPROXY",
    "PLANTEDBAD",
    "PLANTEDREDIS",
];

/// An upstream that refuses every request, with a body that repeats what it was sent.
fn echoing_upstream() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let mut sent = [0_u8; 4096];
            let length = stream.read(&mut sent).unwrap_or(0);
            let body = &sent[..length];
            let _ = write!(stream, "HTTP/1.1 403 Forbidden\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
            let _ = stream.write_all(body);
        }
    });
    address
}

#[test]
fn nothing_that_is_written_holds_a_secret() {
    let mut desk = Desk::new();
    let upstream = echoing_upstream();
    desk.configure(&format!(
        "log = \"debug\"\ndefault_sources = false\nretries_max = 0\n\
         [[sources]]\nid = \"tokens\"\nconnector = \"litellm\"\nurl = \"http://{upstream}/prices.json?token=PLANTEDTOKEN&X-Signature=PLANTEDSIG\"\n\
         [[sources]]\nid = \"logins\"\nconnector = \"openrouter\"\nurl = \"http://PLANTEDUSER:PLANTEDPASS@{upstream}/models\"\n\
         [[sources]]\nid = \"composio\"\nconnector = \"composio\"\nurl = \"http://{upstream}/api/v3/toolkits\"\n"
    ));
    desk.environment.push(("COMPOSIO_API_KEY".into(), "PLANTEDENV".into()));
    // It refuses the login with what it was sent, as the upstream does.
    desk.environment.push(("REFDESK_REDIS_URL".into(), format!("redis://PLANTEDUSER:PLANTEDREDIS@{upstream}/0")));
    desk.environment.push(("REFDESK_DEPLOYMENT".into(), "planted".into()));
    let log = std::fs::File::create(desk.path("serve.log")).unwrap();
    let mut written: Vec<(String, String)> = Vec::new();
    let server = desk.serve_logging(&["--set", "sync_jitter_percent=0"], Stdio::from(log));
    let key = desk.json(&["keys", "create", "--name", "planted"])["key"].as_str().unwrap().to_owned();
    server.until("all three upstreams were asked", |server| {
        let status = server.get("/v1/sources/status").json();
        status["sources"].as_array().unwrap().iter().filter(|source| source["error"].is_object()).count() == 3
    });
    server.until("the key works", |server| {
        server.get_with("/v1/tools/list", &format!("Authorization: Bearer {key}\r\n")).status == 200
    });
    for target in ["/health", "/metrics", "/v1/sources/status", "/openapi.json", "/v1/tools/none"] {
        let sent = format!("x-api-key: {key}\r\nCookie: session=PLANTEDTOKEN\r\n");
        let answer = server.get_with(target, &sent);
        written.push((target.into(), answer.head + &answer.body));
    }
    let answer = server.get_with("/v1/tools/list", "Authorization: Bearer rdk_PLANTEDBAD\r\n");
    written.push(("401".into(), answer.head + &answer.body));
    let answer = server.get("/v1/tools/list?token=PLANTEDTOKEN");
    // Only the name of an unknown parameter is told, never its value.
    written.push(("unknown parameter".into(), answer.head + &answer.body));
    assert_eq!(server.stop().0, 0);
    written.push(("log".into(), std::fs::read_to_string(desk.path("serve.log")).unwrap()));
    let commands: [&[&str]; 8] = [
        &["config", "show"],
        &["config", "show", "--json"],
        &["sources"],
        &["sources", "show", "tokens", "--json"],
        &["sources", "show", "logins", "--rejects"],
        &["doctor"],
        &["keys", "list", "--json"],
        &["sync"],
    ];
    for args in commands {
        let done = desk.run(args);
        written.push((args.join(" "), done.out + &done.err));
    }
    desk.environment.push(("REFDESK_PROXY".into(), "http://u:PLANTEDPROXY@127.0.0.1:1".into()));
    for args in [["config", "show"], ["sync", "composio"]] {
        let done = desk.run(&args);
        written.push((args.join(" ") + " with a proxy", done.out + &done.err));
    }
    let bad = Desk::new();
    for text in [
        "[[sources]]\nid = \"a\"\nconnector = \"cards\"\nurl = \"https://x.example/?token=PLANTEDBAD\n",
        "[[sources]]\nid = \"a\"\nconnector = \"cards\"\nurl = \"ftp://PLANTEDUSER:PLANTEDPASS@x.example/\"\n",
        "[[sources]]\nid = \"a\"\nconnector = \"cards\"\nurl = \"http://x.example:bad/?token=PLANTEDBAD\"\n",
        "base_url = \"PLANTEDUSER:PLANTEDPASS@host\"\n",
        "redis_url = \"http://:PLANTEDREDIS@host\"\ndeployment = \"d\"\n",
        "redis_url = \"redis://:PLANTEDREDIS@host:bad\"\ndeployment = \"d\"\n",
        "redis_url = \"redis://:PLANTEDREDIS@host\"\n",
        "base_url = \"https://PLANTEDUSER:PLANTEDPASS@host\"\n",
    ] {
        bad.configure(text);
        let done = bad.run(&["serve", "--listen", "127.0.0.1:0"]).expect(2);
        written.push((text.replace("PLANTED", ""), done.out + &done.err));
    }
    let secret = &key[refdesk_core::key::DISPLAY_CHARS..];
    for (place, text) in &written {
        for planted in PLANTED.into_iter().chain([secret]) {
            assert!(!text.contains(planted), "{planted} stands in {place}:\n{text}");
        }
        // `user:pass` as the header that an HTTP client makes of it.
        assert!(!text.contains("UExBTlRFRFVTRVI6"), "a login stands in {place}");
    }
}

#[test]
fn who_asked_and_with_which_key_is_in_no_log_store_or_export() {
    const CALLER: &str = "203.0.113.77";
    let desk = Desk::new();
    let upstream = echoing_upstream();
    desk.configure(&format!(
        "default_sources = false\nretries_max = 0\n[[sources]]\nid = \"tokens\"\nconnector = \"litellm\"\nurl = \"http://{upstream}/prices.json?token=PLANTEDTOKEN\"\n"
    ));
    let log = std::fs::File::create(desk.path("serve.log")).unwrap();
    let levels = "log=refdesk=trace,refdesk_serve=trace,refdesk_ingest=trace,access=trace";
    let settings = ["--set", levels, "--trusted-proxies", "127.0.0.0/8", "--set", "rate_limit_anon=3"];
    let server = desk.serve_logging(&settings, Stdio::from(log));
    let key = desk.json(&["keys", "create", "--name", "planted"])["key"].as_str().unwrap().to_owned();
    let forwarded = format!("X-Forwarded-For: {CALLER}\r\n");
    let keyed = format!("{forwarded}Authorization: Bearer {key}\r\n");
    server.until("the key works", |server| server.get_with("/v1/tools/list", &keyed).status == 200);
    server.until("the address is counted", |server| server.get_with("/v1/tools/list", &forwarded).status == 429);
    server.until("the upstream was asked", |server| server.get("/health").body.contains("source tokens"));
    assert_eq!(server.stop().0, 0);
    let listed = desk.json(&["keys", "list"]);
    assert!(listed.to_string().contains("planted") && !listed.to_string().contains(&key), "{listed}");
    desk.run(&["export", "all.refdesk"]).expect(0);
    let other = Desk::new();
    other.run(&["import", desk.path("all.refdesk").to_str().unwrap()]).expect(0);
    assert!(!other.json(&["keys", "list"]).to_string().contains("planted"), "an export carries no keys");
    let log = desk.path("serve.log");
    assert!(std::fs::metadata(&log).unwrap().len() > 0);
    let folders = [desk.path("data"), other.path("data")];
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    for file in files.chain([log.clone()]).filter(|path| path.is_file()) {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::metadata(&file).unwrap().permissions().mode();
            assert!(file == log || mode & 0o777 == 0o600, "{} is open to others: {mode:o}", file.display());
        }
        let bytes = std::fs::read(&file).unwrap();
        for secret in [CALLER, &key[refdesk_core::key::DISPLAY_CHARS..], "PLANTEDTOKEN"] {
            let holds = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!holds, "{secret} stands in {}", file.display());
        }
    }
}
