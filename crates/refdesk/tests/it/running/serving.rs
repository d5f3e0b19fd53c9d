//! A running server: start and end, keys, syncs by another process, and the store taken away under it.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use crate::common::{Answer, Desk, Server, done, tool};

/// What no answer may hold: paths, SQL, backtraces.
fn leaks_nothing(desk: &Desk, answer: &Answer) {
    let folder = desk.folder.path().to_str().unwrap().to_owned();
    for inside in
        [folder.as_str(), "refdesk.sqlite3", "SELECT ", "INSERT ", "BEGIN ", "sqlx", "panicked", ".rs:", "disk image"]
    {
        assert!(!answer.body.contains(inside) && !answer.head.contains(inside), "{inside:?} shows: {answer:?}");
    }
}

/// Reads go on from the snapshot, and nothing inside shows.
fn reads_go_on(desk: &Desk, server: &Server) {
    for target in [
        "/v1/tools/list",
        "/v1/tools/lamp",
        "/v1/search?q=lamp",
        "/v1/frameworks/route?q=decide",
        "/v1/sources/status",
        "/metrics",
    ] {
        let answer = server.get(target);
        assert_eq!(answer.status, 200, "{target}: {answer:?}");
        leaks_nothing(desk, &answer);
    }
    let body = server.get("/v1/documents/guide");
    assert!(body.status == 200 || body.json()["code"] == "document_store_unavailable", "{body:?}");
    leaks_nothing(desk, &body);
    leaks_nothing(desk, &server.get("/health"));
}

fn degraded(server: &Server) -> bool {
    let health = server.health();
    health["status"] == "degraded" && health["reasons"].to_string().contains("store")
}

fn cards() -> Desk {
    let desk = Desk::with_cards(&[
        ("lamp.yaml", &tool("lamp", "Gives light.")),
        (
            "guide.md",
            "---\nkind: document\nid: guide\ntitle: Guide\nsource_url: https://lamp.example/guide\n---\n# Guide\n\nTrim the wick.\n",
        ),
    ]);
    desk.run(&["sync", "mine"]).expect(0);
    desk
}

#[test]
fn it_says_where_it_listens_answers_without_a_network_and_ends_on_the_signal() {
    let desk = Desk::new();
    let server = desk.serve(&["--offline"]);
    assert_eq!(server.get("/readyz").status, 200);
    assert_eq!(server.health()["status"], "ok");
    assert!(server.get("/v1/models/list?limit=1").json()["total"].as_u64().unwrap() >= 60);
    let (code, rest) = server.stop();
    assert_eq!((code, rest.as_str()), (0, ""), "stdout is data only");
    desk.run(&["verify"]).expect(0);
}

#[test]
fn the_examples_of_the_document_are_answered_by_a_new_desk() {
    let desk = Desk::new();
    let server = desk.serve(&["--offline"]);
    let document = server.get("/openapi.json").json();
    let mut asked = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        let parameters = item["get"]["parameters"].as_array().cloned().unwrap_or_default();
        let examples = parameters.iter().filter_map(|parameter| Some((parameter, parameter["example"].as_str()?)));
        let (mut target, mut query) = (path.clone(), url::form_urlencoded::Serializer::new(String::new()));
        for (parameter, example) in examples {
            let name = parameter["name"].as_str().unwrap();
            if parameter["in"] == "path" {
                target = target.replace(&format!("{{{name}}}"), example);
            } else {
                query.append_pair(name, example);
            }
        }
        let query = query.finish();
        if target == *path && query.is_empty() {
            continue;
        }
        let answer = server.get(&format!("{target}?{query}"));
        assert_eq!(answer.status, 200, "{target}?{query}: {answer:?}");
        asked += 1;
    }
    assert_eq!(asked, 18, "one for each operation that has one");
}

/// The schedule stops at the signal, while a connection that is open makes the server wait: that is no fault.
#[test]
fn a_server_that_ends_in_order_tells_of_no_fault() {
    let desk = cards();
    let log = std::fs::File::create(desk.path("log")).unwrap();
    let server = desk.serve_logging(&["--offline", "--set", "log_format=json"], log.into());
    server.until("it answers", |server| server.get("/livez").status == 200);
    let open = std::net::TcpStream::connect(&server.address).unwrap();
    assert_eq!(server.stop().0, 0);
    drop(open);
    let told = std::fs::read_to_string(desk.path("log")).unwrap();
    assert!(told.contains("stopping") && !told.contains("ERROR"), "{told}");
}

#[test]
fn a_sync_by_another_process_is_published() {
    let desk = cards();
    let server = desk.serve(&["--set", "sync=false"]);
    assert_eq!(server.get("/v1/tools/wick").status, 404);
    desk.write("cards/wick.yaml", &tool("wick", "Burns."));
    desk.run(&["sync", "mine"]).expect(0);
    server.until("the new card shows", |server| server.get("/v1/tools/wick").status == 200);
    assert_eq!(server.stop().0, 0);
}

/// What a search finds, by id: which of two equal hits stands first is no matter of this.
fn found(server: &Server) -> Vec<serde_json::Value> {
    let mut hits = server.get("/v1/search?q=light").json()["results"].as_array().unwrap().clone();
    hits.sort_by_key(|hit| hit["id"].to_string());
    hits
}

/// The files of the catalog on disk, each with the time at which it was written.
fn catalog_files(desk: &Desk) -> BTreeMap<String, SystemTime> {
    let Ok(files) = std::fs::read_dir(desk.path("data/catalog")) else { return BTreeMap::new() };
    let file = |file: std::fs::DirEntry| {
        (file.file_name().into_string().unwrap(), file.metadata().unwrap().modified().unwrap())
    };
    files.map(|entry| file(entry.unwrap())).filter(|(name, _)| !name.contains(".new")).collect()
}

/// The segment of a kind among them.
fn segment(files: &BTreeMap<String, SystemTime>, kind: &str) -> Option<(String, SystemTime)> {
    files.iter().find(|(name, _)| name.starts_with(kind)).map(|(name, at)| (name.clone(), *at))
}

/// A segment that is still true is left as it is; the others are written again.
#[test]
fn a_start_reads_the_catalog_and_builds_only_what_changed_since() {
    let desk = cards();
    let server = desk.serve(&["--offline"]);
    server.until("the catalog is on disk", |_| catalog_files(&desk).contains_key("manifest.json"));
    let before = found(&server);
    assert_eq!(server.stop().0, 0);
    let first = catalog_files(&desk);
    assert_eq!(
        first.len(),
        10,
        "a manifest, the lock of its writers, a segment for each kind, and the router: {first:?}"
    );

    desk.write("cards/wick.yaml", &tool("wick", "Burns."));
    desk.run(&["sync", "mine"]).expect(0);
    desk.run(&["get", "tool", "wick"]).expect(0);
    let server = desk.serve(&["--offline"]);
    assert_eq!(server.get("/v1/tools/wick").status, 200, "synced since the catalog was written");
    assert_eq!(found(&server), before);
    assert_eq!(server.stop().0, 0);
    let second = catalog_files(&desk);
    assert_eq!(second.len(), 10, "{second:?}");
    assert_eq!(second.get("frameworks.router"), first.get("frameworks.router"), "its cards are the same");
    // Documents and frameworks show when the bundled ones were confirmed, at each start.
    assert_eq!(segment(&second, "models"), segment(&first, "models"), "models did not change");
    assert_ne!(segment(&second, "tools"), segment(&first, "tools"), "tools did");

    let (models, _) = segment(&second, "models").unwrap();
    let file = desk.path("data/catalog").join(&models);
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    let server = desk.serve(&["--offline"]);
    assert_eq!(server.get("/v1/tools/wick").status, 200);
    server.until("the damaged segment is written again", |_| std::fs::read(&file).is_ok_and(|now| now == bytes));
    assert_eq!(server.stop().0, 0);

    for file in ["refdesk.sqlite3", "refdesk.sqlite3-wal", "refdesk.sqlite3-shm"] {
        // The last two are there only after a hard end.
        let _ = std::fs::remove_file(desk.path("data").join(file));
    }
    let server = desk.serve(&["--offline", "--set", "sync=false"]);
    assert_eq!(server.get("/v1/tools/wick").status, 404, "what the store no longer has is not shown from disk");
    assert!(server.get("/v1/models/list?limit=1").json()["total"].as_u64().unwrap() >= 60);
    assert_eq!(server.stop().0, 0);
    desk.run(&["sync", "mine"]).expect(0);

    std::fs::remove_dir_all(desk.path("data/catalog")).unwrap();
    let server = desk.serve(&["--offline", "--set", "catalog_image=false"]);
    assert_eq!(server.get("/v1/tools/wick").status, 200);
    assert_eq!(server.stop().0, 0);
    assert!(catalog_files(&desk).is_empty(), "none is wanted");
}

#[test]
fn a_command_with_other_sources_leaves_the_catalog_of_a_server_alone() {
    let desk = cards();
    desk.write("other.toml", "");
    let other = ["get", "tool", "lamp", "--config", "other.toml"];
    let written = || catalog_files(&desk).get("manifest.json").copied();
    let server = desk.serve(&["--offline"]);
    server.until("the catalog is on disk", |_| written().is_some());
    assert_eq!(server.stop().0, 0);
    let first = written();
    desk.run(&other).expect(1);
    let server = desk.serve(&["--offline"]);
    assert_eq!(server.get("/v1/tools/lamp").status, 200);
    assert_eq!(server.stop().0, 0);
    assert_eq!(written(), first, "neither the command nor the second start wrote it");

    std::fs::remove_dir_all(desk.path("data/catalog")).unwrap();
    desk.run(&other).expect(1);
    let of_other = written();
    assert!(of_other.is_some(), "where there is none, a command keeps what it built");
    desk.run(&["get", "tool", "lamp"]).expect(0);
    assert_eq!(written(), of_other, "and the next one leaves it alone");
    let server = desk.serve(&["--offline"]);
    assert_eq!(server.get("/v1/tools/lamp").status, 200);
    server.until("the server's catalog is there", |_| written() > of_other);
    assert_eq!(server.stop().0, 0);
}

#[test]
fn a_key_works_until_it_is_revoked_and_its_last_use_is_kept() {
    let desk = Desk::new();
    let server = desk.serve(&["--offline", "--require-key"]);
    assert_eq!(server.get("/v1/tools/list").status, 401);
    let key = desk.json(&["keys", "create", "--name", "ci", "--limit", "0"])["key"].as_str().unwrap().to_owned();
    let with = |key: &str| format!("Authorization: Bearer {key}\r\n");
    server.until("the key works", |server| server.get_with("/v1/tools/list", &with(&key)).status == 200);
    let other = server.get_with("/v1/tools/list", &format!("x-api-key: {key}\r\n"));
    assert_eq!(other.status, 200, "{other:?}");
    let short =
        desk.json(&["keys", "create", "--name", "short", "--expires", "1s"])["key"].as_str().unwrap().to_owned();
    server.until("the short one has expired", |server| {
        let answer = server.get_with("/v1/tools/list", &with(&short));
        answer.status == 401 && answer.json()["error"] == "expired API key"
    });
    server.until("the last use is kept", |_| desk.json(&["keys", "list"])["keys"][0]["last_used_at"].is_string());
    desk.run(&["keys", "revoke", "ci"]).expect(0);
    let waited =
        server.until("the key is refused", |server| server.get_with("/v1/tools/list", &with(&key)).status == 401);
    assert!(waited < Duration::from_secs(5), "{waited:?}");
    for refused in [key.as_str(), "rdk_x", "", "rdk_000000000000000000000000000000000000"] {
        let answer = server.get_with("/v1/tools/list", &with(refused));
        assert_eq!(answer.status, 401, "{refused:?}");
        assert!(answer.head.to_ascii_lowercase().contains("www-authenticate: bearer"), "{answer:?}");
    }
    desk.run(&["keys", "revoke", "absent"]).expect(2);
    let list = desk.run(&["keys", "list"]).expect(0).out;
    assert!(list.contains("revoked") && !list.contains(&key), "{list}");
    assert_eq!(server.stop().0, 0);
}

/// Sources that are files and folders of the machine, one of them missing: no answer tells where they lie.
#[test]
fn local_sources_are_shown_by_their_id_and_never_by_their_path() {
    let desk = Desk::new();
    desk.write("pages/guides/start.md", "# Start\n\nTrim the wick.\n");
    desk.write(
        "prices.json",
        r#"{"lamp-1": {"litellm_provider": "lamps", "mode": "chat", "input_cost_per_token": 1e-6, "output_cost_per_token": 1e-6}}"#,
    );
    desk.write("cards/guide.md", "---\nkind: document\nid: guide\ntitle: Guide\n---\n# Guide\n\nBuy oil.\n");
    let folder = desk.folder.path().to_str().unwrap().to_owned();
    desk.configure(&format!(
        "default_sources = false\n[[sources]]\nid = \"pages\"\nconnector = \"markdown-docs\"\nurl = \"pages\"\n\
         [[sources]]\nid = \"prices\"\nconnector = \"litellm\"\nurl = \"file://{folder}/prices.json\"\n\
         [[sources]]\nid = \"own\"\nconnector = \"cards\"\nurl = \"{folder}/cards\"\n\
         [[sources]]\nid = \"gone\"\nconnector = \"cards\"\nurl = \"{folder}/nowhere\"\n"
    ));
    desk.run(&["sync"]);
    let server = desk.serve(&["--offline", "--set", "sync=false"]);
    let url = |target: &str| {
        let answer = server.get(target);
        assert_eq!(answer.status, 200, "{target}: {answer:?}");
        leaks_nothing(&desk, &answer);
        assert!(!answer.body.contains("file:"), "{target}: {answer:?}");
        answer.json()["evidence"]["source_url"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(url("/v1/documents/pages-guides-start"), "local:pages/guides/start.md");
    assert_eq!(url("/v1/models/lamp-1"), "local:prices/prices.json");
    assert_eq!(url("/v1/documents/guide"), "local:own/guide.md");
    for target in ["/v1/documents/list", "/v1/models/list", "/v1/search?q=wick", "/health"] {
        url(target);
    }
    let status = server.get("/v1/sources/status");
    leaks_nothing(&desk, &status);
    let sources = status.json()["sources"].clone();
    let gone = sources.as_array().unwrap().iter().find(|source| source["id"] == "gone").unwrap().clone();
    assert_eq!((gone["url"].as_str(), gone["error"]["code"].as_str()), (Some("local:gone"), Some("file")), "{gone}");
    assert!(!status.body.contains("file:"), "{status:?}");
}

#[test]
fn a_deleted_store_is_told_loses_no_answer_and_recovers_when_it_is_back() {
    let desk = cards();
    let server = desk.serve(&["--offline"]);
    std::fs::rename(desk.path("data"), desk.path("away")).unwrap();
    server.until("health tells", degraded);
    reads_go_on(&desk, &server);
    std::fs::rename(desk.path("away"), desk.path("data")).unwrap();
    server.until("it recovers", |server| server.health()["status"] == "ok");
    assert_eq!(server.get("/v1/documents/guide").status, 200);
    desk.write("cards/wick.yaml", &tool("wick", "Burns."));
    desk.run(&["sync", "mine"]).expect(0);
    server.until("syncs are seen again", |server| server.get("/v1/tools/wick").status == 200);
    assert_eq!(server.stop().0, 0);
}

#[test]
fn a_store_replaced_by_rubbish_is_told_and_loses_no_answer() {
    for in_place in [true, false] {
        let desk = cards();
        let server = desk.serve(&["--offline"]);
        if !in_place {
            std::fs::remove_file(desk.store()).unwrap();
        }
        std::fs::write(desk.store(), "rubbish\n".repeat(10_000)).unwrap();
        server.until("health tells", degraded);
        reads_go_on(&desk, &server);
        assert_eq!(server.stop().0, 0, "it ends in order all the same");
    }
}

#[tokio::test]
async fn a_locked_store_is_told_and_is_well_again_when_the_lock_goes() {
    let desk = cards();
    let log = std::fs::File::create(desk.path("log")).unwrap();
    let server = desk.serve_logging(&["--offline", "--set", "log_format=json"], log.into());
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(desk.store());
    let mut other = sqlx::ConnectOptions::connect(&options).await.unwrap();
    sqlx::query("BEGIN EXCLUSIVE").execute(&mut other).await.unwrap();
    server.until("health tells", degraded);
    let reasons = server.health()["reasons"].to_string();
    assert!(reasons.contains("store: the store is locked by another process"), "{reasons}");
    let told = std::fs::read_to_string(desk.path("log")).unwrap();
    assert!(told.contains("\"code\":\"store_busy\""), "{told}");
    reads_go_on(&desk, &server);
    sqlx::query("ROLLBACK").execute(&mut other).await.unwrap();
    server.until("it recovers", |server| server.health()["status"] == "ok");
    sqlx::Connection::close(other).await.unwrap();
    assert_eq!(server.stop().0, 0);
}

/// The disk is full: writes beyond a file size fail, as `RLIMIT_FSIZE` makes them (with its signal ignored, as an error).
#[test]
fn a_full_disk_during_a_sync_loses_nothing() {
    let desk = cards();
    let before = desk.json(&["list", "tool", "--limit", "500"]);
    for number in 0..400 {
        desk.write(
            &format!("cards/t{number}.yaml"),
            &tool(&format!("t{number}"), &"Words that fill pages. ".repeat(60)),
        );
    }
    let limited = desk.command(&["sync", "mine"]);
    let words: Vec<String> = std::iter::once(limited.get_program())
        .chain(limited.get_args())
        .map(|word| word.to_str().unwrap().to_owned())
        .collect();
    // Blocks of 1 KiB. The store itself is smaller than its journal would become.
    let mut shell = std::process::Command::new("bash");
    shell.arg("-c").arg("trap '' XFSZ; ulimit -f 64; exec \"$@\"").arg("bash").args(&words);
    shell.env_clear().env("PATH", "/usr/bin:/bin").current_dir(desk.folder.path());
    let full = done(&mut shell);
    assert_eq!(full.code, 2, "{full:?}");
    assert_eq!(desk.json(&["list", "tool", "--limit", "500"]), before, "nothing is lost, nothing is half there");
    desk.run(&["verify"]).expect(0);
    assert_eq!(desk.json(&["sync", "mine"])[0]["counts"]["added"], 400, "the next sync brings it all");
}
