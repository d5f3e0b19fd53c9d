//! Bad input of operators: each mistake gives one clear message that names the place and what to do, exit code 2, and loses nothing.

use crate::common::{Desk, tool};
use serde_json::Value;

/// The message names all of `parts`, stands on one line, and nothing reaches stdout.
fn refused(desk: &Desk, args: &[&str], parts: &[&str]) {
    let done = desk.run(args).expect(2);
    assert_eq!(done.out, "", "stdout is data only: {done:?}");
    assert_eq!(done.err.lines().count(), 1, "one message: {}", done.err);
    for part in parts {
        assert!(done.err.contains(part), "{part:?} is not told: {}", done.err);
    }
}

#[test]
fn mistakes_in_the_configuration_name_file_key_and_remedy() {
    let check = |text: &str, parts: &[&str]| {
        let desk = Desk::new();
        desk.configure(text);
        refused(&desk, &["list", "tool"], &[&["refdesk.toml"], parts].concat());
        assert!(!desk.store().exists(), "nothing is made before the configuration is right");
    };
    check("listn = \"127.0.0.1:1\"\n", &["unknown key `listn`", "did you mean `listen`", "config init"]);
    check("rate_limit_anon = \"many\"\n", &["`rate_limit_anon`", "a whole number from 0"]);
    check("rate_limit_anon = -1\n", &["`rate_limit_anon`", "a whole number from 0"]);
    check("connections_max = 0\n", &["`connections_max`", "\"0\"", "a whole number from 1"]);
    check("removals_percent_max = 200\n", &["`removals_percent_max`", "\"200\"", "a whole number from 0 to 100"]);
    check("database_timeout = \"0s\"\n", &["`database_timeout`", "\"0s\"", "longer than 0"]);
    check("database_migrate = \"later\"\n", &["`database_migrate`", "\"later\"", "auto or check"]);
    check("log_format = \"xml\"\n", &["`log_format`", "\"xml\"", "text or json"]);
    check("role = \"boss\"\n", &["`role`", "\"boss\"", "all, reader or syncer"]);
    check("rate_limit_on_failure = \"panic\"\n", &["`rate_limit_on_failure`", "local, open or closed"]);
    check("require_key = 1\n", &["`require_key`", "true or false"]);
    check("request_timeout = \"soon\"\n", &["`request_timeout`", "a duration such as"]);
    check("drain_delay = \"100000d\"\n", &["`drain_delay`", "\"100000d\"", "500ms: it is longer than a century"]);
    check("allowed_hosts = \"a\"\n", &["`allowed_hosts`", "a list of texts"]);
    for beyond in ["9223372036854775808", "99999999999999999999"] {
        check(
            &format!("log = \"warn\"\nrate_limit_anon = {beyond}\n"),
            &["not valid TOML at line 2", "a number is too large; the largest is 9223372036854775807"],
        );
    }
    check("log = 3\nlisten = = 4\n", &["not valid TOML at line 2"]);
    check("listen = 127.0.0.1:80\n", &["not valid TOML at line 1", "texts need quotes"]);
    check("log = \"warn\"\nlog = \"info\"\n", &["not valid TOML at line 2: the key `log` is there twice; keep one"]);
    check("sources = 3\n", &["`sources`", "[[sources]]"]);
    check(
        "[[sources]]\nid = \"a\"\nconector = \"cards\"\nurl = \"x\"\n",
        &["[[sources]] number 1", "unknown key `conector`", "did you mean `connector`"],
    );
    check(
        "[[sources]]\nid = \"a\"\nconector = \"cards\"\nurll = \"x\"\n",
        &["unknown key `conector`", "unknown key `urll`", "did you mean `url`", "needs a `connector` and a `url`"],
    );
    check(
        "[[sources]]\nid = \"a\"\nconnector = \"cards\"\nurl = \"x\"\ninterval = 5\nenabled = \"no\"\n",
        &[
            "`enabled` is the text \"no\", but must be true or false",
            "; and `interval` is the number 5, but must be text in quotes",
        ],
    );
    check(
        "[[sources]]\nid = \"a\"\nconnector = \"cards\"\nurl = \"x\"\nrank = \"5\"\noptions = \"y\"\n",
        &["`rank` is the text \"5\", but must be a whole number", "`options` is the text \"y\", but must be a table"],
    );
    check(
        "[[collections]]\nid = 3\nids = \"q-1\"\n",
        &["`id` is the number 3, but must be text in quotes", "; and `ids` is the text \"q-1\", but must be a list"],
    );
    check(
        "[[collections]]\nid = \"a\"\nqqqqq = 1\nzzzzz = 2\n",
        &["unknown key `qqqqq`; and unknown key `zzzzz`; the keys are id, title, kinds, filter, ids, exclude"],
    );
    check("[[sources]]\nid = \"a\"\nconnector = \"crads\"\nurl = \"x\"\n", &["`connector`", "crads", "cards"]);
    check("[[sources]]\nid = \"a\"\nconnector = \"cards\"\nurl = \"ftp://e.example\"\n", &["`url`", "use https"]);
    check("[[sources]]\nid = \"A b\"\nconnector = \"cards\"\nurl = \"x\"\n", &["`id`", "lower-case"]);
    check(
        "[[sources]]\nid = \"a\"\nconnector = \"cards\"\nurl = \"x\"\n[[sources]]\nid = \"a\"\nconnector = \"cards\"\nurl = \"y\"\n",
        &["`a`", "used twice"],
    );
    check(
        "[[sources]]\nid = \"a\"\nconnector = \"cards\"\nurl = \"x\"\n[sources.options]\nwidth = \"1\"\n",
        &["unknown key `width`"],
    );
}

#[test]
fn mistakes_in_the_configuration_name_the_line() {
    let check = |text: &str, told: &str| {
        let desk = Desk::new();
        desk.configure(text);
        refused(&desk, &["list", "tool"], &[told]);
    };
    check("# mine\n\nlisten = 8787\n", "refdesk.toml:3: `listen` is the number 8787");
    check("web = true\r\nretries_max = -1\r\n", "refdesk.toml:2: `retries_max` is \"-1\"");
    check("web = true\nlistn = 1\n", "refdesk.toml:2: unknown key `listn`");
    check("web = true\n[sources]\nid = \"a\"\n", "refdesk.toml:2: `sources` must be tables");
    let two = "[[sources]]\nid = \"litellm\"\n\n[[sources]] # mine\nid = \"a\"\nconnector = \"cards\"\nurl = \"ftp://a.example\"\n";
    check(two, "refdesk.toml:7: [[sources]] `a`: `url`");
    check(&two.replace("url = ", "rank = "), "refdesk.toml:4: [[sources]] number 2 (id a)");
    let one = "[[sources]]\nid = \"a\"\nconnector = \"cards\"\nurl = \"cards\"\n";
    check(&one.repeat(2), "refdesk.toml:6: [[sources]] `a`: `id` is used twice");
    check(
        "sources = [\n  { id = \"litellm\" },\n  { id = \"a\" },\n]\n",
        "refdesk.toml:3: [[sources]] number 2 (id a)",
    );
    check("\n[[collections]]\nid = \"a\"\nidz = 1\n", "refdesk.toml:2: [[collections]] number 1 (id a)");
}

/// TOML counts a line as part of the last table above it, and files of other programs have a section for everything.
#[test]
fn a_setting_in_a_section_is_told_where_it_belongs() {
    let check = |text: &str, told: &str| {
        let desk = Desk::new();
        desk.configure(text);
        refused(&desk, &["list", "tool"], &[told]);
    };
    let whole = "`default_sources` is a setting of the whole file: move it above the first line with [[ ]]";
    check("[[sources]]\nid = \"litellm\"\n\ndefault_sources = false\n", whole);
    check("[[collections]]\nid = \"a\"\nkinds = [\"model\"]\ndefault_sources = false\n", whole);
    check("[server]\nlisten = \"127.0.0.1:1\"\n", "unknown section `[server]`; settings stand at the top of the file");
    check("[[source]]\nid = \"litellm\"\n", "did you mean `sources`?");
}

/// It made a folder that is called `~`, below the working directory, and a desk without the data that was meant.
#[test]
fn a_path_that_only_a_shell_would_read_is_refused() {
    let desk = Desk::new();
    let remedy = "`~` is read by shells only: write the folder that it stands for";
    desk.configure("embedding_model = \"~/models\"\n");
    refused(&desk, &["list", "tool"], &["refdesk.toml:1: `embedding_model` is \"~/models\"", remedy]);
    desk.configure("[[sources]]\nid = \"a\"\nconnector = \"cards\"\nurl = \"~/cards\"\n");
    refused(&desk, &["list", "tool"], &["refdesk.toml:4: [[sources]] `a`: `url` `~/cards`", "write the folder"]);
    desk.configure("");
    refused(&desk, &["list", "tool", "--set", "embedding_model=~/models"], &["--set embedding_model", remedy]);
    assert!(!desk.path("~").exists());
    // A name that begins so is a name.
    desk.run(&["config", "show", "--set", "embedding_model=~models"]).expect(0);
}

/// A line number of a file that has no such line would lead nowhere.
#[test]
fn a_source_that_is_not_written_has_no_line() {
    let desk = Desk::new();
    desk.configure("web = true\n");
    let add = ["sources", "add", "a", "--connector", "cards", "--url", "ftp://a.example"];
    refused(&desk, &add, &["refdesk.toml: [[sources]] `a`: `url`"]);
}

#[test]
fn options_of_a_source_may_be_numbers_and_truth_values() {
    let desk = Desk::new();
    let hub = "default_sources = false\n[[sources]]\nid = \"hub\"\nconnector = \"huggingface\"\nurl = \"http://127.0.0.1:1/\"\n";
    desk.configure(&format!("{hub}[sources.options]\nitems_max = 5\n"));
    let shown = desk.json(&["config", "show"]);
    let hub_shown = shown["sources"].as_array().unwrap().iter().find(|source| source["id"] == "hub").unwrap();
    assert_eq!(hub_shown["options"]["items_max"], "5");
    desk.configure(&format!("{hub}[sources.options]\nitems_max = [5]\n"));
    refused(&desk, &["list", "tool"], &["`options`", "must be text in quotes"]);
}

#[test]
fn numbers_beyond_what_any_machine_has_are_no_limit() {
    let desk = Desk::with_cards(&[("lamp.yaml", &tool("lamp", "Gives light."))]);
    let most = |key: &str| format!("{key}={}", u64::MAX);
    desk.run(&["sync", "mine", "--set", &most("sync_concurrency")]).expect(0);
    let keys = ["connections_max", "requests_in_flight_max", "work_threads"].map(most);
    let args: Vec<&str> = keys.iter().flat_map(|set| ["--set", set.as_str()]).collect();
    let server = desk.serve(&args);
    assert_eq!(server.get("/v1/tools/lamp").status, 200);
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
                Accept: application/json, text/event-stream\r\nContent-Length: ";
    assert_eq!(server.send(&format!("{head}{}\r\n\r\n{ping}", ping.len())).status, 200, "the costly ones have threads");
    assert_eq!(server.stop().0, 0);
}

#[test]
fn limits_over_nodes_that_cannot_be_counted_are_refused_before_anything_is_made() {
    let check = |text: &str, parts: &[&str]| {
        let desk = Desk::new();
        desk.configure(text);
        refused(&desk, &["serve", "--listen", "127.0.0.1:0"], parts);
        assert!(!desk.store().exists(), "nothing is made before the settings are right");
    };
    check("redis_url = \"redis://127.0.0.1:1\"\n", &["deployment must name this deployment", "REFDESK_DEPLOYMENT"]);
    check("redis_url = \"redis://127.0.0.1:1\"\ndeployment = \"a b\"\n", &["deployment must name this deployment"]);
    check("redis_url = \"127.0.0.1:1\"\ndeployment = \"a\"\n", &["redis_url is not a URL", "redis://"]);
}

#[test]
fn mistakes_in_flags_and_variables_name_them() {
    let mut desk = Desk::stored();
    refused(&desk, &["list", "tool", "--set", "listn=1"], &["--set listn", "did you mean `listen`"]);
    refused(&desk, &["list", "tool", "--set", "retries_max=x"], &["--set retries_max", "a whole number"]);
    let beyond = "encoded_cache_bytes=99999999999999999999";
    refused(&desk, &["list", "tool", "--set", beyond], &["a whole number from 0 to 18446744073709551615"]);
    refused(&desk, &["list", "tool", "--set", "drain_delay=5 years"], &["the unit is missing or unknown"]);
    refused(&desk, &["list", "tool", "--config", "absent.toml"], &["absent.toml", "--config"]);
    refused(&desk, &["get", "banana", "x"], &["banana", "mcp-server"]);
    refused(&desk, &["list", "tool", "--limit", "none"], &["limit"]);
    refused(&desk, &["sync", "absent"], &["absent", "starter-catalog"]);
    refused(&desk, &["keys", "create", "--name", "a", "--expires", "soon"], &["--expires"]);
    refused(&desk, &["import", "absent.tar"], &["absent.tar"]);
    refused(&desk, &["serve", "--listen", "nowhere"], &["nowhere", "--listen", "written as 127.0.0.1:8787"]);
    refused(&desk, &["serve", "--set", "listen="], &["cannot listen on \"\"", "--listen"]);
    refused(
        &desk,
        &["serve", "--listen", "127.0.0.1:0", "--trusted-proxies", "many"],
        &["trusted_proxies", "10.0.0.0/8"],
    );
    for (network, bound) in
        [("10.0.0.0/33", "an IPv4 network is a number from 0 to 32"), ("fd00::/129", "from 0 to 128")]
    {
        let args = ["serve", "--listen", "127.0.0.1:0", "--trusted-proxies", network];
        refused(&desk, &args, &["trusted_proxies", "has the prefix", bound]);
    }
    refused(&desk, &["serve", "--open", "--set", "web=false"], &["--open", "switched off", "web = true"]);
    refused(&desk, &["serve", "--listen", "127.0.0.1:0", "--base-url", "host"], &["base_url", "https://host"]);
    refused(&desk, &["serve", "--set", "log_format=xml"], &["log_format", "text or json"]);
    desk.environment.push(("REFDESK_RETRIES_MAX".into(), "x".into()));
    refused(&desk, &["list", "tool"], &["REFDESK_RETRIES_MAX", "a whole number"]);
}

#[test]
fn doctor_is_red_wherever_serve_would_not_start_and_names_the_setting() {
    let desk = Desk::new();
    assert_eq!(desk.json(&["doctor"])["ok"], true);
    for (setting, named) in [
        ("listen=abc", "--listen"),
        ("base_url=abc", "base_url"),
        ("allowed_hosts=*", "allowed_hosts"),
        ("proxy=socks5://p:1", "proxy"),
        ("trusted_proxies=abc", "trusted_proxies"),
        ("redis_url=abc", "redis_url"),
        ("embedding_model=/nope", "embedding_model"),
        ("web_index=true", "base_url"),
    ] {
        desk.run(&["serve", "--set", "sync=false", "--set", "listen=127.0.0.1:0", "--set", setting]).expect(2);
        let told = desk.run(&["doctor", "--set", setting]).expect(1);
        let fix =
            told.out.lines().find(|line| line.starts_with("fix")).unwrap_or_else(|| panic!("{setting}: {told:?}"));
        assert!(fix.contains(named), "{setting}: {told:?}");
        assert!(told.out.contains("hashes"), "the rest is checked all the same: {told:?}");
    }
    let told = desk.run(&["doctor", "--set", "disk_free_bytes_min=9000000000000000"]).expect(1);
    assert!(told.out.contains("fix  disk") && told.out.contains("make room"), "{told:?}");
    let empty = Desk::new();
    let told = empty.run(&["doctor", "--set", "disabled_sources=starter-catalog"]).expect(1);
    assert!(told.out.contains("fix  catalog") && told.out.contains("refdesk sync"), "{told:?}");
}

/// It was green, and `serve` did not start.
#[test]
fn doctor_hints_at_an_address_that_is_taken_unless_its_own_desk_listens_there() {
    let desk = Desk::new();
    let is_told = |address: &str| {
        let told = desk.run(&["doctor", "--set", &format!("listen={address}")]).expect(0).out;
        told.lines().any(|line| line.contains("hint") && line.contains(&format!("{address} is taken")))
    };
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    assert!(is_told(&other.local_addr().unwrap().to_string()));
    assert!(!is_told("127.0.0.1:0"));
    let server = desk.serve(&["--offline"]);
    assert!(!is_told(&server.address));
    assert_eq!(server.stop().0, 0);
}

#[test]
fn a_port_in_use_and_a_data_directory_that_is_a_file_are_told() {
    let desk = Desk::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    refused(&desk, &["serve", "--listen", &address], &[&address, "--listen", "REFDESK_LISTEN"]);
    desk.write("data", "kept\n");
    refused(&desk, &["list", "tool"], &["data", "--data-dir", "REFDESK_DATA_DIR"]);
    assert_eq!(std::fs::read_to_string(desk.path("data")).unwrap(), "kept\n");
}

/// `--config` alone would be a flag that nobody typed.
#[test]
fn an_empty_variable_for_the_configuration_file_is_named() {
    let mut desk = Desk::new();
    desk.environment.push(("REFDESK_CONFIG".into(), String::new()));
    let done = desk.run(&["list", "tool"]).expect(2);
    assert!(done.err.contains("REFDESK_CONFIG is set and empty: unset it"), "{done:?}");
}

#[test]
fn a_collection_that_names_what_is_not_there_refuses_the_start_with_the_nearest_name() {
    let desk = Desk::with_cards(&[("lamp.yaml", &tool("lamp", "Gives light."))]);
    let sources = std::fs::read_to_string(desk.path("refdesk.toml")).unwrap();
    let with = |members: &str| desk.configure(&format!("{sources}\n[[collections]]\nid = \"team\"\n{members}\n"));
    with("ids = [\"lam\", \"premortem\"]");
    let health = desk.serve(&["--set", "sync=false"]).health();
    assert!(health["reasons"].to_string().contains("names `lam`"), "a sync may bring it: {health}");
    let checks = desk.json(&["doctor"])["checks"].to_string();
    assert!(checks.contains("collection `team` names `lam`"), "doctor tells of it, too: {checks}");
    desk.run(&["sync"]).expect(0);
    refused(
        &desk,
        &["serve", "--listen", "127.0.0.1:0"],
        &["collection `team` names `lam`", "did you mean `lamp`?", "[[collections]]"],
    );
    with("ids = [\"lamp\", \"premortem\"]");
    let answer = desk.serve(&[]).get("/c/team/v1/tools/list").json();
    assert_eq!((&answer["total"], &answer["tools"][0]["id"]), (&1.into(), &"lamp".into()));
    assert_eq!(desk.json(&["list", "tool", "--collection", "team"])["total"], 1);
    assert_eq!(desk.json(&["search", "premortem", "--collection", "team"])["results"][0]["id"], Value::Null);
    refused(&desk, &["list", "tool", "--collection", "taem"], &["--collection taem", "did you mean `team`?"]);
    with("filter = \"vendro=x\"");
    refused(&desk, &["list", "tool"], &["[[collections]] number 1 (id team)", "`vendro`"]);
    with("idz = [\"lamp\"]");
    refused(&desk, &["list", "tool"], &["unknown key `idz`", "did you mean `id`?"]);
}

#[test]
fn a_file_that_is_no_store_is_left_alone() {
    let desk = Desk::new();
    for rubbish in ["this is no database, it is a letter to a friend\n".repeat(100), "a letter".into()] {
        desk.write("data/refdesk.sqlite3", &rubbish);
        refused(&desk, &["list", "tool"], &["refdesk.sqlite3", "damaged or not a refdesk store", "move it away"]);
        assert_eq!(std::fs::read_to_string(desk.store()).unwrap(), rubbish, "nothing is changed");
    }
}

#[tokio::test]
async fn a_store_of_a_later_refdesk_is_left_alone() {
    let desk = Desk::new();
    desk.run(&["list", "tool"]).expect(0);
    let mut later = open(&desk).await;
    sqlx::query("INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (9999, 'later', true, x'00', 0)")
        .execute(&mut later)
        .await
        .unwrap();
    sqlx::Connection::close(later).await.unwrap();
    refused(&desk, &["list", "tool"], &["refdesk.sqlite3", "schema 9999", "newer refdesk"]);
    let mut same = open(&desk).await;
    let facts: i64 = sqlx::query_scalar("SELECT count(*) FROM facts").fetch_one(&mut same).await.unwrap();
    assert!(facts > 0, "nothing is lost");
}

async fn open(desk: &Desk) -> sqlx::SqliteConnection {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(desk.store());
    sqlx::ConnectOptions::connect(&options).await.unwrap()
}

#[test]
fn a_bad_card_is_a_reject_that_names_file_key_and_remedy_and_hides_no_other() {
    let desk = Desk::with_cards(&[
        ("good.yaml", &tool("lamp", "Gives light.")),
        ("missing.yaml", "kind: tool\ndisplay_name: No id\nsource_url: https://lamp.example/x\n"),
        ("unknown.yaml", &(tool("wick", "Burns.") + "descripton: twice\n")),
        ("broken.yaml", "kind: tool\nid: [unclosed\n"),
        ("z-twice.yaml", &tool("lamp", "Also gives light.")),
    ]);
    let report = &desk.json(&["sync", "mine"])[0];
    assert_eq!(
        (&report["result"], &report["counts"]["facts"], &report["counts"]["rejects"]),
        (&"updated".into(), &1.into(), &4.into())
    );
    let told = desk.run(&["sync", "mine"]).expect(0).out;
    assert!(told.contains("mine: 4 rejects; `refdesk sources show mine --rejects`"), "{told}");
    let all = desk.run(&["sync"]).expect(0).out;
    assert!(!all.contains("--rejects"), "only for who names the source: {all}");
    let shown = desk.run(&["sources", "show", "mine", "--rejects"]).expect(0).out;
    for parts in [
        ["missing.yaml", "missing key `id`"],
        ["unknown.yaml", "did you mean `description`"],
        ["broken.yaml", "line"],
        ["z-twice.yaml", "duplicate id `lamp`: good.yaml has it already"],
    ] {
        assert!(parts.iter().all(|part| shown.contains(part)), "{parts:?} is not told:\n{shown}");
    }
    assert_eq!(shown.matches("missing.yaml").count(), 1, "the file is named once:\n{shown}");
    desk.run(&["get", "tool", "lamp"]).expect(0);
    // A folder that went bad keeps the last good facts.
    std::fs::remove_dir_all(desk.path("cards")).unwrap();
    let report = &desk.json(&["sync", "mine"])[0];
    assert_eq!(report["result"], "failed", "{report}");
    desk.run(&["sync", "mine"]).expect(2);
    desk.run(&["get", "tool", "lamp"]).expect(0);
}
