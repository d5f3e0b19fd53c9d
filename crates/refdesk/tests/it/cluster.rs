//! Several nodes over one database: one leads, all show one revision, a node that ends is followed by another, and a node starts without the
//! database. Tests that need a server are ignored unless they are asked for (`scripts/postgres.py` with `--run-ignored all`).

use std::time::{Duration, Instant};

use crate::common::{Desk, Server, tool};
use crate::database::administer;
use serde_json::Value;

#[test]
fn a_role_without_a_database_is_refused() {
    let desk = Desk::new();
    for (set, told) in [
        ("role=reader", "set database_url (REFDESK_DATABASE_URL)"),
        ("role=boss", "must be all, reader or syncer"),
        ("segment_store=postgres", "set database_url (REFDESK_DATABASE_URL)"),
    ] {
        let done = desk.run(&["serve", "--offline", "--listen", "127.0.0.1:0", "--set", set]).expect(2);
        assert!(done.err.contains(told) && done.out.is_empty(), "{set}: {done:?}");
    }
    let done = desk.run(&["serve", "--offline", "--listen", "127.0.0.1:0", "--role", "reader"]).expect(2);
    assert!(done.err.contains("role and segment_store are for several nodes"), "{done:?}");
}

#[test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
fn a_lease_that_is_too_short_is_refused() {
    let nodes = Nodes::new("short");
    let done =
        nodes.desk("a").run(&["serve", "--offline", "--listen", "127.0.0.1:0", "--set", "lease_ttl=1s"]).expect(2);
    assert!(done.err.contains("lease_ttl: a lease holds at least 3 s"), "{done:?}");
}

/// A database, and desks over it.
struct Nodes {
    url: String,
    name: String,
}

impl Nodes {
    fn new(name: &str) -> Self {
        let name = format!("nodes_{name}_{}", std::process::id());
        let server = administer(format!("CREATE DATABASE {name}"));
        Self { url: format!("{server}/{name}"), name }
    }

    /// A node with a card of its own folder; all nodes have the same configuration.
    fn desk(&self, card: &str) -> Desk {
        let mut desk = Desk::with_cards(&[("lamp.yaml", &tool(card, "Gives light."))]);
        desk.environment.extend([
            ("REFDESK_DATABASE_URL".into(), self.url.clone()),
            ("REFDESK_LEASE_TTL".into(), "3s".into()),
            ("REFDESK_DRAIN_DELAY".into(), "0s".into()),
            ("REFDESK_DATABASE_TIMEOUT".into(), "2s".into()),
        ]);
        desk
    }
}

fn leads(server: &Server) -> bool {
    server.health()["runtime"]["leader"] == true
}

fn revision(server: &Server) -> String {
    server.health()["catalog_revision"].as_str().unwrap().to_owned()
}

#[test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
fn one_node_leads_all_show_its_revision_and_another_follows_when_it_ends() {
    let nodes = Nodes::new("lead");
    let desks = [nodes.desk("lamp"), nodes.desk("lamp"), nodes.desk("lamp")];
    let first = desks[0].serve(&["--offline"]);
    first.until("the first node leads", leads);
    first.until("it shows the cards", |server| server.get("/v1/tools/lamp").status == 200);
    let second = desks[1].serve(&["--offline"]);
    let reader = desks[2].serve(&["--offline", "--set", "role=reader"]);
    for server in [&second, &reader] {
        server.until("all show one revision", |server| revision(server) == revision(&first));
        assert!(!leads(server), "one leads");
        let (theirs, ours) = (server.get("/v1/models/list").body, first.get("/v1/models/list").body);
        assert_eq!(theirs, ours, "byte for byte");
    }
    assert_eq!(reader.health()["runtime"]["role"], "reader");
    let epoch = first.health()["runtime"]["lease_epoch"].as_i64().unwrap();

    let begun = Instant::now();
    assert_eq!(first.stop().0, 0);
    second.until("the second takes over at once, because the first gave the lease up", leads);
    assert!(begun.elapsed().as_secs() < 15, "{:?}", begun.elapsed());
    assert_eq!(second.health()["runtime"]["lease_epoch"], epoch + 1);
    assert!(!leads(&reader), "a reader never leads");
}

#[test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
fn an_operator_syncs_through_the_node_that_leads() {
    let nodes = Nodes::new("ask");
    let desk = nodes.desk("lamp");
    let server = desk.serve(&["--offline"]);
    server.until("it leads and shows the card", |server| server.get("/v1/tools/lamp").status == 200);
    // The one that leads reads its own folder, not that of whoever asks.
    desk.write("cards/wick.yaml", &tool("wick", "Burns."));
    let asking = nodes.desk("other");
    let reports = asking.json(&["sync", "mine"]);
    assert_eq!((&reports[0]["result"], &reports[0]["counts"]["added"]), (&"updated".into(), &1.into()), "{reports}");
    server.until("what was synced is shown", |server| server.get("/v1/tools/wick").status == 200);
    let forced = asking.json(&["sync", "--force", "mine"]);
    assert_eq!(forced[0]["source_id"], "mine", "{forced}");
    drop(server);
    // The lease of a node that was killed runs out; until then the command waits, then it leads itself.
    let alone = desk.json(&["sync", "mine"]);
    assert_eq!(alone[0]["source_id"], "mine", "{alone}");
}

/// A node that starts during an import must not sync into it.
#[test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
fn an_import_holds_the_lease_where_nobody_leads() {
    let nodes = Nodes::new("import");
    let desk = nodes.desk("lamp");
    desk.json(&["sync", "mine"]);
    let file = desk.path("desk.tar.zst");
    for command in ["export", "import"] {
        desk.run(&[command, file.to_str().unwrap()]).expect(0);
    }
    let server = desk.serve(&["--offline"]);
    server.until("it leads", leads);
    assert_eq!(server.health()["runtime"]["lease_epoch"], 3, "the sync and the import had it before");
}

/// The process of the command must not sync by itself, beside the node that leads and from a folder of its own.
#[test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
fn an_operator_accepts_a_quarantined_state_through_the_node_that_leads() {
    let nodes = Nodes::new("review");
    let desk = nodes.desk("lamp");
    let server = desk.serve(&["--offline"]);
    server.until("it leads and shows the card", |server| server.get("/v1/tools/lamp").status == 200);
    std::fs::remove_file(desk.path("cards/lamp.yaml")).unwrap();
    let asking = nodes.desk("other");
    assert_eq!(asking.json(&["sync", "mine"])[0]["error"]["code"], "zero_rows");
    let id = asking.json(&["sources", "review"])["entries"][0]["id"].as_str().unwrap().to_owned();
    let done = asking.run(&["sources", "review", "accept", &id]).expect(0);
    assert!(done.err.contains("another node leads"), "{done:?}");
    server.until("the card is removed", |server| server.get("/v1/tools/lamp").json()["tool"]["status"] == "removed");
    assert_eq!(server.get("/v1/tools/other").status, 404, "the folder of whoever asks is not read");
    let runs = asking.json(&["sources", "show", "mine"])["runs"].clone();
    assert_eq!(
        (&runs[0]["outcome"], &runs[1]["outcome"], &runs[1]["forced"]),
        (&"reviewed".into(), &"updated".into(), &true.into()),
        "{runs}"
    );
    // Where nobody leads, the command does.
    drop(server);
    let alone = nodes.desk("wick");
    assert_eq!(alone.json(&["sync", "mine"])[0]["result"], "updated");
}

#[test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
fn keys_are_known_and_revoked_on_every_node() {
    let nodes = Nodes::new("keys");
    let (one, two) = (nodes.desk("lamp"), nodes.desk("lamp"));
    let servers = [one.serve(&["--offline"]), two.serve(&["--offline"])];
    let key = one.json(&["keys", "create", "--name", "ci"])["key"].as_str().unwrap().to_owned();
    let header = format!("x-api-key: {key}\r\n");
    for server in &servers {
        server.until("the key is known", |server| server.get_with("/v1/tools/list", &header).status == 200);
    }
    two.run(&["keys", "revoke", "ci"]).expect(0);
    for server in &servers {
        server.until("the key is revoked", |server| server.get_with("/v1/tools/list", &header).status == 401);
    }
}

#[test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
fn a_node_starts_without_the_database_from_what_it_took_up_last() {
    let nodes = Nodes::new("gone");
    let desk = nodes.desk("lamp");
    let server = desk.serve(&["--offline"]);
    server.until("it shows the card", |server| server.get("/v1/tools/lamp").status == 200);
    let shown = revision(&server);
    server.stop();
    administer(format!("DROP DATABASE {} WITH (FORCE)", nodes.name));
    let mut cut_off = nodes.desk("lamp");
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    cut_off.environment.retain(|(name, _)| name != "REFDESK_DATABASE_URL");
    cut_off.environment.push(("REFDESK_DATABASE_URL".into(), format!("postgres://u@{free}/d")));
    let refused = cut_off.run(&["serve", "--offline", "--listen", "127.0.0.1:0"]).expect(2);
    assert!(
        refused.err.contains("REFDESK_DATABASE_URL"),
        "without a catalog there is nothing to begin with: {refused:?}"
    );
    std::fs::create_dir_all(cut_off.path("data")).unwrap();
    std::fs::rename(desk.path("data/catalog"), cut_off.path("data/catalog")).unwrap();
    let server = cut_off.serve(&["--offline"]);
    assert_eq!((revision(&server), server.get("/readyz").status), (shown, 200));
    assert_eq!(server.get("/v1/tools/lamp").status, 200);
    server.until("it says what is wrong", |server| server.health()["status"] == "degraded");
}

/// Somebody looks at the schema later, too: without it the node never leads.
#[test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
fn a_node_that_started_without_the_database_brings_its_schema_up_to_date_once_it_is_there() {
    let nodes = Nodes::new("back");
    let desk = nodes.desk("lamp");
    let server = desk.serve(&["--offline"]);
    server.until("it shows the card", |server| server.get("/v1/tools/lamp").status == 200);
    server.stop();
    administer(format!("DROP DATABASE {} WITH (FORCE)", nodes.name));
    let server = desk.serve(&["--offline"]);
    server.until("it says what is wrong", |server| server.health()["status"] == "degraded");
    administer(format!("CREATE DATABASE {}", nodes.name));
    server.until("it leads", leads);
    server.until("it shows its own", |server| !server.health()["reasons"].to_string().contains("generation"));
    server.until("of all sources", |server| server.get("/v1/tools/lamp").status == 200);
}

/// Not only a node that ran before can start then.
#[test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
fn a_new_node_starts_without_the_database_from_the_segment_store() {
    let nodes = Nodes::new("fresh");
    let (desk, fresh) = (nodes.desk("lamp"), nodes.desk("lamp"));
    let segments = format!("segment_store={}", desk.path("segments").display());
    let server = desk.serve(&["--offline", "--set", &segments]);
    server.until("it shows the card", |server| server.get("/v1/tools/lamp").status == 200);
    let shown = revision(&server);
    server.stop();
    administer(format!("DROP DATABASE {} WITH (FORCE)", nodes.name));
    let server = fresh.serve(&["--offline", "--set", &segments]);
    assert_eq!((revision(&server), server.get("/readyz").status), (shown, 200));
    let reasons = server.health()["reasons"].to_string();
    assert!(reasons.contains("generation: at the start the database did not answer"), "{reasons}");
    std::fs::remove_dir_all(desk.path("segments")).unwrap();
    let refused = nodes.desk("lamp").run(&["serve", "--offline", "--listen", "127.0.0.1:0", "--set", &segments]);
    let told = refused.expect(2).err;
    assert!(told.contains("neither this node nor the segment store has a catalog"), "{told}");
}

#[test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
fn a_reader_without_a_generation_is_not_ready_and_begins_with_the_first() {
    let nodes = Nodes::new("reader");
    let (reading, leading) = (nodes.desk("lamp"), nodes.desk("lamp"));
    let reader = reading.serve(&["--offline", "--set", "role=reader"]);
    assert_eq!(reader.get("/readyz").status, 503, "there is nothing to show yet");
    let syncer = leading.serve(&["--offline", "--set", "role=syncer"]);
    reader.until("it is ready", |server| server.get("/readyz").status == 200);
    reader.until("it shows what the syncer built", |server| server.get("/v1/tools/lamp").status == 200);
    assert_eq!(syncer.get("/v1/tools/lamp").status, 503, "a syncer answers health and metrics only");
    assert_eq!(syncer.get("/health").status, 200);
}

fn mine(server: &Server) -> Value {
    let answer = server.get("/v1/sources/status").json();
    answer["sources"].as_array().unwrap().iter().find(|source| source["id"] == "mine").unwrap().clone()
}

fn configured(more: &str) -> String {
    let source = "default_sources = false\nsync_interval_min = \"1s\"\n[[sources]]\nid = \"mine\"\nconnector = \"cards\"\nurl = \"cards\"\n";
    format!("{source}{more}\n")
}

#[test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
fn nodes_take_over_intervals_and_switches_of_sources_without_a_restart_and_keep_to_them() {
    let nodes = Nodes::new("reload");
    let (leading, following) = (nodes.desk("lamp"), nodes.desk("lamp"));
    let leader = leading.serve(&["--offline"]);
    leader.until("it leads and has synced", |server| leads(server) && mine(server)["status"] == "ok");
    let follower = following.serve(&["--offline", "--set", "role=reader"]);
    follower.until("it shows the card", |server| server.get("/v1/tools/lamp").status == 200);
    let before = mine(&leader)["last_attempt_at"].clone();
    for (desk, server) in [(&leading, &leader), (&following, &follower)] {
        assert_eq!(mine(server)["interval_seconds"], 3_600);
        desk.configure(&configured("interval = \"2s\""));
        server.hang_up();
        server.until("the interval is in force", |server| mine(server)["interval_seconds"] == 2);
    }
    leader.until("it is synced by it", |server| mine(server)["last_attempt_at"] != before);
    follower.until("and all are told", |server| mine(server)["last_attempt_at"] != before);
    // Without a signal, by the one that leads.
    leading.configure(&configured("interval = \"2s\"\nenabled = false"));
    for server in [&leader, &follower] {
        server.until("nothing of it is shown", |server| server.get("/v1/tools/lamp").status == 404);
    }
    leader.until("it is told as off", |server| mine(server)["status"] == "disabled");
    // Longer than a follower waits before it tells the sources anew.
    let switched = Instant::now();
    while switched.elapsed() < Duration::from_secs(7) {
        assert_eq!(mine(&leader)["status"], "disabled", "{:?}", switched.elapsed());
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Segment files that a node fetches are in a directory, and one of them is a pipe that nobody writes to: fetching it never ends.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
fn a_key_is_revoked_on_a_node_that_is_still_taking_up_a_generation() {
    use rustix::fs::{CWD, Mode, OFlags, mkfifoat, open};

    let nodes = Nodes::new("fetch");
    let (leading, reading) = (nodes.desk("lamp"), nodes.desk("lamp"));
    let (theirs, own) = (leading.path("segments"), reading.path("segments"));
    std::fs::create_dir_all(&own).unwrap();
    let stored_in = |folder: &std::path::Path| format!("segment_store={}", folder.display());
    let reader = reading.serve(&["--offline", "--set", "role=reader", "--set", &stored_in(&own)]);
    let leader = leading.serve(&["--offline", "--set", &stored_in(&theirs)]);
    leader.until("it tells a generation", |server| server.get("/v1/tools/lamp").status == 200);
    let key = leading.json(&["keys", "create", "--name", "ci"])["key"].as_str().unwrap().to_owned();
    let header = format!("x-api-key: {key}\r\n");
    reader.until("the key is known", |server| server.get_with("/v1/tools/list", &header).status == 200);
    let begun = Instant::now();
    let _pipe = loop {
        for file in std::fs::read_dir(&theirs).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()) {
            let path = own.join(&file);
            if file.contains("tool") && !path.exists() {
                mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).unwrap();
            } else if !path.exists() {
                std::fs::copy(theirs.join(&file), &path).unwrap();
            }
        }
        let pipes = std::fs::read_dir(&own).unwrap().map(|file| file.unwrap().path());
        // It can be opened once the node reads from it.
        let open_pipe = |path: std::path::PathBuf| open(&path, OFlags::WRONLY | OFlags::NONBLOCK, Mode::empty()).ok();
        let mut pipes = pipes.filter(|path| path.to_string_lossy().contains("tool"));
        if let Some(pipe) = pipes.find_map(open_pipe) {
            break pipe;
        }
        assert!(begun.elapsed() < Duration::from_mins(1), "the node fetches nothing");
        std::thread::sleep(Duration::from_millis(100));
    };
    leading.run(&["keys", "revoke", "ci"]).expect(0);
    reader.until("the key is revoked", |server| server.get_with("/v1/tools/list", &header).status == 401);
    assert_eq!(reader.get("/readyz").status, 503, "it is still fetching");
}
