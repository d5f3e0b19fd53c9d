//! What operators rely on: the configuration read anew, the access log, exports as tables, a purge that leaves nothing.

use std::path::Path;
use std::process::Stdio;
#[cfg(unix)]
use std::time::{Duration, Instant};

use serde_json::json;

use crate::common::{Desk, Server, tool};
#[cfg(unix)]
use crate::common::{PATIENCE, hang_up};

#[cfg(unix)]
#[test]
fn at_sighup_what_can_be_taken_over_is_and_the_rest_is_named() {
    let cards = [("a.yaml", tool("lamp", "It shines.")), ("b.yaml", tool("torch", "It burns."))];
    let desk = Desk::with_cards(&cards.each_ref().map(|(name, text)| (*name, text.as_str())));
    desk.run(&["sync"]).expect(0);
    let log = std::fs::File::create(desk.path("log")).unwrap();
    let server = desk.serve_logging(&["--offline"], Stdio::from(log));
    let source = "default_sources = false\n[[sources]]\nid = \"mine\"\nconnector = \"cards\"\nurl = \"cards\"\n";
    desk.configure(&format!(
        "rate_limit_key = 7\nmax_age = \"1s\"\n{source}interval = \"3h\"\nrank = 4\n[[collections]]\nid = \"few\"\ntitle = \"Few\"\nids = [\"lamp\"]\n"
    ));
    server.hang_up();
    server.until("the limit is in force", |server| {
        server.health()["runtime"]["rate_limit"]["key_limit_per_minute"] == json!(7)
    });
    server.until("the collection is there", |server| {
        server.get("/c/few/v1/tools/lamp").status == 200 && server.get("/c/few/v1/tools/torch").status == 404
    });
    server.until("the interval is in force", |server| {
        let sources = server.get("/v1/sources/status").json()["sources"].clone();
        sources.as_array().unwrap().iter().any(|source| source["interval_seconds"] == json!(3 * 3600))
    });
    let told = std::fs::read_to_string(desk.path("log")).unwrap();
    let line = told.lines().find(|line| line.contains("configuration reloaded")).unwrap_or_else(|| panic!("{told}"));
    let (applied, restart) = line.split_once("needs_a_restart").unwrap();
    assert!(applied.contains("applied=\""), "{line}");
    assert!(
        applied.contains("rate_limit_key") && applied.contains("collections") && applied.contains("mine"),
        "{line}"
    );
    assert!(restart.contains("max_age") && restart.contains("source mine"), "{line}");

    desk.configure("rate_limit_key = nonsense");
    server.hang_up();
    server.until("it is told", |_| {
        std::fs::read_to_string(desk.path("log")).unwrap().contains("was not applied; the one in force stays")
    });
    assert_eq!(server.health()["runtime"]["rate_limit"]["key_limit_per_minute"], json!(7));
    assert_eq!(server.stop().0, 0);
}

/// Until it listened for the signal, it ended the process, which a service manager takes for an end in order: the desk stayed down.
#[cfg(unix)]
#[test]
fn a_desk_that_is_told_to_reload_while_it_starts_goes_on_starting_and_reloads_then() {
    let desk = Desk::new();
    let mut command = desk.command(&["serve", "--offline", "--listen", "127.0.0.1:0"]);
    let server = Server::started_while(command.stderr(Stdio::null()), |child| {
        // It is there before the bundled cards are in it, and before the first build.
        while !desk.store().exists() {
            std::thread::sleep(Duration::from_millis(1));
        }
        desk.configure("rate_limit_key = 7\n");
        hang_up(child);
    });
    server.until("the limit is in force", |server| {
        server.health()["runtime"]["rate_limit"]["key_limit_per_minute"] == json!(7)
    });
    assert_eq!(server.stop().0, 0);
}

/// The manual says to evaluate after cards were added, and that `/health` has the figures; a running desk had them after its next start.
#[test]
fn a_running_desk_tells_an_evaluation_that_was_made_meanwhile() {
    let desk = Desk::stored();
    let server = desk.serve(&["--offline"]);
    let quality = |server: &Server| server.health()["data_quality"].clone();
    let before = quality(&server);
    desk.write(
        "questions.jsonl",
        "{\"id\": \"r001\", \"question\": \"We launch in two weeks, what could go wrong?\", \
         \"acceptable\": [\"premortem\"], \"domain\": \"risk\", \"style\": \"name\"}\n",
    );
    desk.run(&["eval", "routing", "--questions", "questions.jsonl"]).expect(0);
    server.until("the new figures are told", |server| quality(server)["eval_at"] != before["eval_at"]);
    let after = quality(&server);
    assert_eq!(after["latest_eval_status"], "OK", "{after}");
    assert!(after["eval_n"].as_u64().is_some_and(|questions| questions <= 1), "of that one question: {after}");
    assert_eq!(server.stop().0, 0);
}

/// Lines of the log with one of these parts, once one has come and nothing more is to come.
#[cfg(unix)]
fn logged(desk: &Desk, parts: &[&str]) -> Vec<String> {
    let lines = || -> Vec<String> {
        let told = std::fs::read_to_string(desk.path("log")).unwrap();
        told.lines().filter(|line| parts.iter().any(|part| line.contains(part))).map(str::to_owned).collect()
    };
    let begun = Instant::now();
    while lines().is_empty() && begun.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(100));
    }
    std::thread::sleep(Duration::from_millis(2_500));
    lines()
}

#[cfg(unix)]
#[test]
fn without_its_file_a_desk_goes_on_as_it_was_and_says_so_once() {
    // Its store has what is switched off.
    let desk = Desk::stored();
    desk.configure("rate_limit_key = 7\ndisabled_sources = [\"starter-catalog\"]\n");
    let server = desk.serve_logging(&["--offline"], Stdio::from(std::fs::File::create(desk.path("log")).unwrap()));
    assert_eq!(server.get("/v1/frameworks/premortem").status, 404);
    // As an editor cuts it off before it writes it, or a full disk.
    desk.configure("");
    server.hang_up();
    let told = logged(&desk, &["is empty", "reloaded"]);
    assert!(told.len() == 1 && told[0].contains("is empty; put it back"), "{told:?}");
    std::fs::remove_file(desk.path("refdesk.toml")).unwrap();
    server.hang_up();
    let told = logged(&desk, &["is gone", "not valid", "cannot be read", "reloaded"]);
    assert!(told.len() == 1 && told[0].contains("is gone; put it back"), "{told:?}");
    assert_eq!(server.health()["runtime"]["rate_limit"]["key_limit_per_minute"], json!(7));
    assert_eq!(server.get("/v1/frameworks/premortem").status, 404, "what was switched off stays off");
    assert_eq!(server.stop().0, 0);
}

#[cfg(unix)]
#[test]
fn at_sighup_a_mistake_is_told_once_and_what_a_list_switches_needs_no_restart() {
    let desk = Desk::new();
    let server = desk.serve_logging(&["--offline"], Stdio::from(std::fs::File::create(desk.path("log")).unwrap()));
    desk.configure("rate_limit_key = nonsense");
    server.hang_up();
    let told = logged(&desk, &["not valid TOML"]);
    assert_eq!(told.len(), 1, "{told:?}");
    // What the next start would refuse changes nothing, not even in part.
    let settings = [
        "base_url = \"foo\"",
        "log = \"foo=bar=baz\"",
        "base_url = \"ftp://desk.example\"",
        "proxy = \"socks5://p:1\"",
    ];
    let hosts = ["allowed_hosts = [\"*\"]", "allowed_hosts = [\"https://x.example\"]"];
    for wrong in settings.into_iter().chain(hosts) {
        desk.configure(&format!("rate_limit_anon = 77\n{wrong}\n"));
        server.hang_up();
        let told = logged(&desk, &["reloaded", wrong.split(' ').next().unwrap()]);
        assert!(told.last().is_some_and(|line| line.contains("the one in force stays")), "{told:?}");
        assert_ne!(server.health()["runtime"]["rate_limit"]["anon_limit_per_minute"], json!(77));
    }
    desk.configure("enabled_sources = [\"openrouter\"]\ndisabled_sources = [\"starter-catalog\"]\n");
    server.until("it is switched", |server| server.get("/v1/frameworks/premortem").status == 404);
    server.hang_up();
    let told = logged(&desk, &["configuration reloaded"]);
    assert!(told.len() == 1 && told[0].contains("needs_a_restart=\"nothing\""), "{told:?}");
    assert_eq!(server.stop().0, 0);
}

/// Before, it was said to need a restart.
#[cfg(unix)]
#[test]
fn at_sighup_why_a_source_is_off_is_taken_over_although_it_stays_off() {
    let desk = Desk::new();
    desk.write("cards/lamp.yaml", &crate::common::tool("lamp", "Gives light."));
    let config = |why: &str| {
        format!(
            "default_sources = false\n[[sources]]\nid = \"mine\"\nconnector = \"cards\"\nurl = \"cards\"\nenabled = false\n\
             disabled_reason = \"{why}\"\n"
        )
    };
    desk.configure(&config("it is too long"));
    let server = desk.serve_logging(&["--offline"], Stdio::from(std::fs::File::create(desk.path("log")).unwrap()));
    desk.configure(&config("it is too short"));
    server.hang_up();
    server.until("the reason is told", |server| {
        let status = server.get("/v1/sources/status").json();
        let mut sources = status["sources"].as_array().unwrap().iter();
        sources.any(|source| source["id"] == "mine" && source["disabled_reason"] == "it is too short")
    });
    let told = logged(&desk, &["configuration reloaded"]);
    assert!(told.len() == 1 && told[0].contains("applied=\"source mine\" needs_a_restart=\"nothing\""), "{told:?}");
    assert_eq!(server.stop().0, 0);
}

#[cfg(unix)]
#[test]
fn at_sighup_a_collection_that_a_start_would_refuse_changes_nothing() {
    let desk = Desk::new();
    let config = |id: &str| {
        format!("default_sources = false\n[[collections]]\nid = \"team\"\nkinds = [\"framework\"]\nids = [\"{id}\"]\n")
    };
    desk.configure(&config("premortem"));
    let server = desk.serve_logging(&["--offline"], Stdio::from(std::fs::File::create(desk.path("log")).unwrap()));
    desk.configure(&config("nowhere-9"));
    server.hang_up();
    let told = logged(&desk, &["nowhere-9", "reloaded"]);
    assert!(told.len() == 1 && told[0].contains("the one in force stays"), "{told:?}");
    assert_eq!(server.get("/c/team/v1/frameworks/premortem").status, 200);
    assert_eq!(server.stop().0, 0);
}

/// Whoever opens the log, or closes it, sees that the signal was heard.
#[cfg(unix)]
#[test]
fn at_sighup_a_log_tells_what_opens_it_and_what_closes_it() {
    let desk = Desk::new();
    let level = |level: &str| desk.configure(&format!("default_sources = false\nlog = \"{level}\"\n"));
    level("error");
    let server = desk.serve_logging(&["--offline"], Stdio::from(std::fs::File::create(desk.path("log")).unwrap()));
    for (times, new) in [(1, "info"), (2, "error")] {
        level(new);
        server.hang_up();
        let told = logged(&desk, &["configuration reloaded"]);
        assert!(told.len() == times && told[times - 1].contains("applied=\"log\""), "{new}: {told:?}");
    }
    assert_eq!(server.stop().0, 0);
}

#[test]
fn the_access_log_names_caller_bytes_and_client_where_the_setting_says_so_and_never_what_was_asked() {
    let desk = Desk::new();
    let key = desk.json(&["keys", "create", "--name", "bench"])["key"].as_str().unwrap().to_owned();
    let lines = |access_log: &str| {
        let log = std::fs::File::create(desk.path("log")).unwrap();
        let args = ["--offline", "--set", access_log, "--set", "log=warn,access=info"];
        let server = desk.serve_logging(&args, Stdio::from(log));
        server.until("the key is known", |server| {
            let headers = format!("User-Agent: bench/1\r\nAuthorization: Bearer {key}\r\n");
            server.get_with("/v1/search?q=planted-words", &headers).status == 200
        });
        server.get_with("/livez", &format!("User-Agent: {}\r\n", "a".repeat(300)));
        assert_eq!(server.stop().0, 0);
        let log = std::fs::read_to_string(desk.path("log")).unwrap();
        assert!(!log.contains("planted-words") && !log.contains(&key), "{log}");
        log
    };
    let quiet = lines("access_log=false");
    assert!(quiet.contains("/v1/search") && !quiet.contains("bench/") && !quiet.contains("127.0.0.1 "), "{quiet}");
    let full = lines("access_log=true");
    let search = full.lines().find(|line| line.contains("/v1/search") && line.contains("status=200")).unwrap();
    assert!(search.contains(&format!("caller=\"{}", &key[..8])), "{search}");
    assert!(search.contains("agent=\"bench/1\"") && search.contains("bytes="), "{search}");
    let plain = full.lines().find(|line| line.contains("/livez")).unwrap();
    assert!(plain.contains("caller=\"127.0.0.1\"") && plain.contains("bytes=3"), "{plain}");
    let log = std::fs::File::create(desk.path("log")).unwrap();
    let args = ["--offline", "--require-key", "--set", "access_log=true", "--set", "log=warn,access=info"];
    let server = desk.serve_logging(&args, Stdio::from(log));
    assert_eq!(server.get("/v1/search?q=x").status, 401);
    assert_eq!(server.send("DELETE /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").status, 405);
    assert_eq!(server.send("GET /livez HTTP/1.1\r\nHost: localhost\r\nno header\r\n\r\n").status, 400);
    assert_eq!(server.stop().0, 0);
    let log = std::fs::read_to_string(desk.path("log")).unwrap();
    for status in ["status=400", "status=401", "status=405"] {
        let line = log.lines().find(|line| line.contains(status)).unwrap();
        assert!(line.contains("caller=\"127.0.0.1\""), "who was refused is named, too: {line}");
    }
    let agent = plain.split("agent=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    assert!(agent.chars().count() <= 201 && agent.ends_with('…'), "{agent}");
}

#[tokio::test]
async fn the_catalog_is_exported_as_tables_for_other_programs() {
    let desk = Desk::new();
    let rows = desk.json(&["list", "framework", "--include-candidates", "--limit", "1"])["total"].as_u64().unwrap();
    desk.run(&["export", "tables", "--format", "csv", "--offline"]).expect(0);
    let csv = std::fs::read_to_string(desk.path("tables/frameworks.csv")).unwrap();
    assert!(csv.starts_with("id,display_name,"), "{}", &csv[..60]);
    assert!(csv.contains("\r\npremortem,"), "{}", &csv[..300]);
    let all = desk.json(&["export", "rows", "--format", "ndjson", "--offline"]);
    let told = all["files"].as_array().unwrap().iter().find(|file| file["file"] == "rows/frameworks.ndjson").unwrap();
    assert_eq!(told["rows"], json!(rows));
    let ndjson = std::fs::read_to_string(desk.path("rows/frameworks.ndjson")).unwrap();
    assert_eq!(ndjson.lines().count() as u64, rows);
    let one = desk.run(&["export", "-", "--format", "ndjson", "--type", "frameworks", "--offline"]).expect(0);
    assert_eq!(one.out, ndjson, "to standard output");
    desk.run(&["export", "desk.sqlite", "--format", "sqlite", "--offline"]).expect(0);
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(desk.path("desk.sqlite"));
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    let (count, name): (i64, String) = sqlx::query_as(
        "SELECT (SELECT count(*) FROM frameworks), json_extract(row, '$.display_name') FROM frameworks WHERE id = 'premortem'",
    )
    .fetch_one(&pool)
    .await
    .unwrap();
    assert_eq!((count as u64, name.as_str()), (rows, "Pre-mortem"));
    let numbers: (i64,) = sqlx::query_as(
        "SELECT count(*) FROM models WHERE typeof(\"limits.context_tokens\") NOT IN ('integer', 'null')",
    )
    .fetch_one(&pool)
    .await
    .unwrap();
    assert_eq!(numbers.0, 0, "numbers are numbers");
    for wrong in [
        &["export", "-", "--format", "csv"][..],
        &["export", "x", "--type", "model"],
        &["export", "x", "--format", "csv", "--with-withheld"],
    ] {
        desk.run(wrong).expect(2);
    }
}

/// Files below a folder in which a text stands, as it is.
fn holding(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(holding(&path, text));
        } else if let Ok(bytes) = std::fs::read(&path)
            // One that went since it was listed holds nothing.
            && bytes.windows(text.len()).any(|part| part == text.as_bytes())
        {
            found.push(path.display().to_string());
        }
    }
    found
}

fn on_no_surface(desk: &Desk, server: Option<&Server>, words: [&str; 2]) {
    for word in words {
        assert_eq!(holding(&desk.path("data"), word), [""; 0], "{word} is on disk");
        for args in [
            &["search", word, "--json"][..],
            &["list", "tools", "--json"],
            &["resolve", word, "--json"],
            &["export", "-", "--format", "ndjson", "--type", "tool"],
        ] {
            let mut said = desk.run(args);
            // What was asked for is repeated, in its own place.
            said.out = said.out.replace(&format!("\"{word}\""), "");
            assert!(!said.out.contains(word), "{args:?}: {said:?}");
        }
        for target in ["/v1/tools/list", "/v1/tools/list?format=csv", "/v1/conflicts", "/tools", "/llms.txt"] {
            let Some(server) = server else { continue };
            let said = server.get(target);
            assert!(!said.body.contains(word), "{target}: {said:?}");
        }
    }
    for (name, format) in [("out", "csv"), ("out.sqlite", "sqlite")] {
        desk.run(&["export", name, "--format", format, "--force"]).expect(0);
    }
    desk.run(&["export", "out.tar.zst", "--force"]).expect(0);
    for word in words {
        assert_eq!(holding(&desk.path("out"), word), [""; 0]);
        assert!(
            !std::fs::read(desk.path("out.sqlite")).unwrap().windows(word.len()).any(|part| part == word.as_bytes())
        );
        let archive = zstd::decode_all(std::fs::File::open(desk.path("out.tar.zst")).unwrap());
        assert!(!archive.unwrap().windows(word.len()).any(|part| part == word.as_bytes()));
    }
}

#[test]
fn a_removed_source_is_found_nowhere_in_store_segments_exports_and_answers() {
    let planted = ["plantedlampword", "plantedtorchword"];
    let cards = planted.map(|word| (format!("{word}.yaml"), tool(word, &format!("It says {word} twice, {word}."))));
    let desk = Desk::with_cards(&cards.each_ref().map(|(name, text)| (name.as_str(), text.as_str())));
    assert_eq!(desk.json(&["sync", "mine"])[0]["counts"]["facts"], json!(2));
    let server = desk.serve(&["--offline", "--set", "sync=false"]);
    assert_eq!(server.get(&format!("/v1/tools/{}", planted[0])).status, 200);
    server.until("the catalog is on disk", |_| {
        let data = desk.path("data");
        holding(&data, planted[0]).iter().any(|file| file.contains("catalog"))
    });
    assert!(!holding(&desk.path("data"), planted[1]).is_empty(), "or the search below proves nothing");

    desk.run(&["sources", "remove", "mine", "--yes"]).expect(0);
    server.until("it is gone", |server| server.get(&format!("/v1/tools/{}", planted[0])).status == 404);
    on_no_surface(&desk, Some(&server), planted);
    assert_eq!(server.stop().0, 0);
    on_no_surface(&desk, None, planted);
}

fn leads(server: &Server) -> bool {
    let leads = server.health()["runtime"]["leader"] == true;
    let metric = format!("refdesk_leader {}", u8::from(leads));
    leads && server.get("/metrics").body.lines().any(|line| line == metric)
}

/// Both said that they synced.
#[test]
fn of_two_desks_over_one_data_directory_the_one_that_syncs_leads() {
    let desk = Desk::with_cards(&[("lamp.yaml", &tool("lamp", "It shines."))]);
    desk.run(&["sync"]).expect(0);
    let first = desk.serve(&["--offline"]);
    first.until("it leads", leads);
    let second = desk.serve(&["--offline"]);
    second.until("it waits for its turn", |server| server.get("/v1/tools/lamp").status == 200);
    assert!(!leads(&second) && second.get("/metrics").body.contains("\nrefdesk_leader 0\n"));
    assert!(leads(&first));
    assert_eq!(first.stop().0, 0);
    second.until("it takes over", leads);
    let unsynced = desk.serve(&["--offline", "--set", "sync=false"]);
    assert!(!leads(&unsynced), "it syncs nothing");
}

/// It ended before there were metrics.
#[test]
fn the_sync_of_the_bundled_cards_at_the_start_is_in_the_metrics() {
    let desk = Desk::new();
    let server = desk.serve(&["--offline"]);
    let page = server.get("/metrics").body;
    let is_counted = |line: &str| {
        line.starts_with("refdesk_source_syncs_total{")
            && line.contains("source=\"starter-catalog\"")
            && line.contains("result=\"updated\"")
            && line.ends_with(" 1")
    };
    assert!(page.lines().any(is_counted), "{page}");
    assert!(page.contains("refdesk_source_sync_seconds{source=\"starter-catalog\"}"), "{page}");
}
