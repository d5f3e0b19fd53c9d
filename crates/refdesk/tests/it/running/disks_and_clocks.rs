//! A running desk on a disk that is full, and under a clock that is wrong: told by `/health`, and over without a restart. The long form is
//! `scripts/disks_and_clocks.py`.

use std::process::Command;

use crate::common::{Desk, Server, tool};

const YEAR_SECS: i64 = 31_557_600;

fn desk(interval: &str) -> Desk {
    let desk = Desk::with_cards(&[("lamp.yaml", &tool("lamp", "Gives light."))]);
    desk.write("offset", "0");
    desk.configure(&format!(
        "clock_offset_file = \"{}\"\ndefault_sources = false\n[[sources]]\nid = \"mine\"\nconnector = \"cards\"\nurl = \"cards\"\ninterval = \"{interval}\"\n",
        desk.path("offset").display()
    ));
    desk.run(&["sync", "mine"]).expect(0);
    desk
}

fn source(server: &Server) -> serde_json::Value {
    let answer = server.get("/v1/sources/status").json();
    answer["sources"].as_array().unwrap().iter().find(|source| source["id"] == "mine").unwrap().clone()
}

fn reasons(server: &Server) -> String {
    server.health()["reasons"].to_string()
}

/// Sets the soft limit of the size of files for a process that runs: what a full disk is for whoever may not mount one.
fn limit_file_size(server: &Server, limit: &str) {
    let id = server.child.id().to_string();
    let set = Command::new("prlimit").args(["--pid", &id, &format!("--fsize={limit}:")]).status();
    assert!(set.is_ok_and(|status| status.success()), "prlimit (util-linux) is needed");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_by_health_and_source_and_metric_and_the_next_sync_works_when_there_is_room() {
    let desk = desk("1s");
    // The log goes to the same disk: that it cannot be written stops nobody.
    let log = std::fs::File::create(desk.path("log")).unwrap();
    let server = desk.serve_logging(&["--offline"], log.into());
    server.until("it is well", |server| !reasons(server).contains("store"));
    let failed_calls = |server: &Server| -> Vec<u64> {
        let page = server.get("/metrics").body;
        let counts = page.lines().filter(|line| line.starts_with("refdesk_store_errors_total{"));
        counts.map(|line| line.rsplit(' ').next().unwrap().parse().unwrap()).collect()
    };
    let before = failed_calls(&server);
    assert!(before.len() > 40 && before.iter().all(|count| *count == 0), "each begins at 0: {before:?}");
    limit_file_size(&server, "0");
    desk.write("cards/wick.yaml", &tool("wick", "Burns."));
    server.until("health tells of the store", |server| reasons(server).contains("store: the disk of the store"));
    server.until("the source tells", |server| source(server)["error"]["code"].to_string().contains("store_"));
    assert!(server.get("/metrics").body.contains("refdesk_fault{part=\"store\"} 1"));
    server.until("failed calls are counted", |server| failed_calls(server).iter().any(|count| *count > 0));
    assert_eq!(server.get("/v1/tools/lamp").status, 200, "answers go on");
    assert_eq!(server.get("/v1/tools/wick").status, 404);
    limit_file_size(&server, "unlimited");
    server.until("the sync is made up for", |server| server.get("/v1/tools/wick").status == 200);
    server.until("all is well again", |server| !reasons(server).contains("store") && source(server)["error"].is_null());
    assert_eq!(server.stop().0, 0);
    desk.run(&["verify"]).expect(0);
}

#[cfg(target_os = "linux")]
#[test]
fn too_little_room_on_the_disk_is_told_before_a_sync_needs_it() {
    let desk = desk("1h");
    let more_than_any_disk_has = format!("disk_free_bytes_min={}", 1_u64 << 60);
    let server = desk.serve(&["--offline", "--set", &more_than_any_disk_has]);
    let health = server.health();
    assert_eq!(health["status"], "degraded", "{health}");
    let told = reasons(&server);
    assert!(told.contains("store: its disk has") && told.contains("make room"), "{told}");
    assert_eq!(server.get("/v1/tools/lamp").status, 200, "answers go on");
    assert_eq!(server.stop().0, 0);
    let server = desk.serve(&["--offline", "--set", "disk_free_bytes_min=0"]);
    assert!(!reasons(&server).contains("disk"), "0 does not look");
    assert_eq!(server.stop().0, 0);
}

#[test]
fn a_clock_that_was_ten_years_ahead_for_a_while_leaves_nothing_behind() {
    for between_runs in [false, true] {
        let desk = desk("2s");
        let mut server = desk.serve(&["--offline"]);
        let verified = |server: &Server| server.get("/v1/tools/lamp").json()["evidence"]["last_verified_at"].clone();
        let set = |server: Server, offset: i64| {
            if !between_runs {
                desk.write("offset", &offset.to_string());
                return server;
            }
            assert_eq!(server.stop().0, 0);
            desk.write("offset", &offset.to_string());
            desk.serve(&["--offline"])
        };
        let ahead = |at: &serde_json::Value| at.as_str().is_some_and(|at| at > "2030");
        server = set(server, 10 * YEAR_SECS);
        server.until("it is synced under the wrong clock", |server| ahead(&source(server)["last_verified_at"]));
        server = set(server, 0);
        server.until("no time of the source is ahead", |server| {
            let source = source(server);
            ["last_attempt_at", "last_synced_at", "last_verified_at", "next_due_at"]
                .iter()
                .all(|name| !ahead(&source[name]))
        });
        server.until("it is synced again", |server| source(server)["last_verified_at"].is_string());
        server.until("the fact is fresh or has the card's own date", |server| !ahead(&verified(server)));
        desk.write("cards/wick.yaml", &tool("wick", "Burns."));
        server.until("syncs go on", |server| server.get("/v1/tools/wick").status == 200);
        // Each is due in its interval and no more at once.
        assert!(source(&server)["next_due_at"].is_string());
        assert_eq!(server.stop().0, 0);
    }
}

/// Another program writes into the store.
fn meddle(desk: &Desk, statement: &'static str) {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(desk.store());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut other = sqlx::ConnectOptions::connect(&options).await.unwrap();
        sqlx::query(statement).execute(&mut other).await.unwrap();
        sqlx::Connection::close(other).await.unwrap();
    });
}

/// The second start read the catalog and not the facts, and `refdesk sync` believed that nothing had changed.
#[test]
fn a_fact_that_a_catalog_lacks_is_told_by_each_start_and_written_anew_by_the_next_sync() {
    let desk = desk("1h");
    desk.write("cards/wick.yaml", &tool("wick", "Burns."));
    desk.run(&["sync", "mine"]).expect(0);
    meddle(&desk, "UPDATE facts SET fields = '{' WHERE key = 'lamp'");
    let _ = std::fs::remove_dir_all(desk.path("data/catalog"));
    for start in ["it builds the catalog", "it reads the catalog"] {
        let server = desk.serve(&["--offline"]);
        server.until(start, |server| reasons(server).contains("cannot be read"));
        assert_eq!(server.get("/v1/tools/lamp").status, 404, "{start}");
        assert_eq!(server.get("/v1/tools/wick").status, 200, "{start}");
        assert!(server.get("/metrics").body.contains("refdesk_store_unreadable_rows 1"), "{start}");
        server.until("the catalog is kept", |_| desk.path("data/catalog/manifest.json").exists());
        assert_eq!(server.stop().0, 0);
    }
    assert_eq!(desk.json(&["sync", "mine"])[0]["result"], "updated");
    let server = desk.serve(&["--offline"]);
    server.until("it is whole again", |server| server.get("/v1/tools/lamp").status == 200);
    assert!(!reasons(&server).contains("cannot be read"));
    assert_eq!(server.stop().0, 0);
}

/// `/health` told of rows that a sync would write anew, and `doctor` of nothing.
#[test]
fn a_key_that_cannot_be_read_is_told_as_a_key_until_it_is_revoked() {
    let desk = desk("1h");
    let made = desk.json(&["keys", "create", "--name", "agent"]);
    let id = made["record"]["id"].as_str().unwrap();
    meddle(&desk, "UPDATE api_keys SET created_at = 'abc'");
    let server = desk.serve(&["--offline"]);
    server.until("the key is told", |server| {
        reasons(server).contains("store: 1 API key cannot be read and is refused: `refdesk doctor` names it")
    });
    let doctor = desk.json(&["doctor"]);
    let revoke = format!("`refdesk keys revoke {id}`");
    let is_named = |check: &serde_json::Value| check["ok"] == false && check["detail"].to_string().contains(&revoke);
    assert!(doctor["ok"] == false && doctor["checks"].as_array().unwrap().iter().any(is_named), "{doctor}");
    assert!(desk.run(&["keys", "revoke", id]).expect(0).out.contains(id));
    server.until("it is over", |server| !reasons(server).contains("API key"));
    assert_eq!(desk.json(&["doctor"])["ok"], true);
    assert_eq!(server.stop().0, 0);
}

/// It ended with one line, and as JSON without any check.
#[test]
fn a_check_of_doctor_that_fails_ends_none_of_the_others() {
    let desk = desk("1h");
    meddle(&desk, "ALTER TABLE rejects RENAME TO elsewhere");
    let doctor = desk.json(&["doctor"]);
    let ok_of = |name: &str, told: &str| {
        let checks = doctor["checks"].as_array().unwrap();
        let is_it = |check: &&serde_json::Value| check["check"] == name && check["detail"].to_string().contains(told);
        checks.iter().find(is_it).and_then(|check| check["ok"].as_bool())
    };
    assert_eq!(ok_of("source", "counting facts"), Some(false), "{doctor}");
    assert_eq!(ok_of("catalog", "1 item"), Some(true), "{doctor}");
}

/// Before, it was taken for a new store, and keys and cards were gone without a fault.
#[test]
fn an_empty_store_beside_a_catalog_is_damage() {
    let desk = desk("1h");
    desk.run(&["get", "tool", "lamp"]).expect(0);
    assert!(desk.path("data/catalog/manifest.json").exists());
    std::fs::write(desk.store(), "").unwrap();
    for command in ["migrate", "sources"] {
        let told = desk.run(&[command]).expect(2).err;
        let damaged = "is damaged or not a refdesk store (it is empty";
        assert!(told.contains(damaged) && told.contains("move it away"), "{command}: {told}");
        assert!(desk.path("data/catalog/manifest.json").exists() && desk.store().metadata().unwrap().len() == 0);
    }
    std::fs::remove_file(desk.store()).unwrap();
    assert!(desk.run(&["sources"]).expect(0).err.contains("created a new store"));
}

/// Before, it was in the journal beside the file, and a copy of the file alone had neither facts nor keys.
#[test]
fn what_a_command_wrote_is_in_the_store_file_when_it_ends() {
    let desk = desk("1h");
    let copied = || {
        let copy = Desk::with_cards(&[]);
        std::fs::create_dir(copy.path("data")).unwrap();
        std::fs::copy(desk.store(), copy.store()).unwrap();
        copy
    };
    copied().run(&["get", "tool", "lamp"]).expect(0);
    desk.run(&["keys", "create", "--name", "agent"]).expect(0);
    assert_eq!(copied().json(&["keys", "list"])["keys"][0]["name"], "agent");
}

#[test]
fn a_state_that_cannot_be_read_stops_no_start_and_no_command() {
    let desk = desk("1h");
    meddle(
        &desk,
        "UPDATE source_states SET state = replace(state, '\"next_due_at\":\"2', '\"next_due_at\":\"never 2')",
    );
    desk.run(&["sources"]).expect(0);
    let server = desk.serve(&["--offline"]);
    server.until("it is synced again", |server| source(server)["last_verified_at"].is_string());
    server.until("all can be read again", |server| !reasons(server).contains("cannot be read"));
    assert_eq!(server.stop().0, 0);
}
