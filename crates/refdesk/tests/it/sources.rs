//! Sources switched off and on, removed, and left behind by the configuration: the file, the store, and a desk that runs.

use std::time::Duration;

use crate::common::{Desk, Server, tool};
use serde_json::{Value, json};

/// How soon a running desk follows.
const SOON: Duration = Duration::from_secs(5);

const OWN: &str = "# our desk\ndefault_sources = false\nretries_max = 1 # few\n\n[[sources]] # our cards\nid = \"mine\"\nconnector = \"cards\"\nurl = \"cards\"\ninterval = \"1h\"\n";

/// Two sources of its own with a card each.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("cards/lamp.yaml", &tool("lamp", "Gives light."));
    desk.write("more/wick.yaml", &tool("wick", "Burns."));
    desk.configure(&format!("{OWN}[[sources]]\nid = \"more\"\nconnector = \"cards\"\nurl = \"more\"\n"));
    desk.run(&["sync", "mine", "more"]).expect(0);
    desk
}

fn source(answer: &Value, id: &str) -> Value {
    let sources = answer["sources"].as_array().unwrap();
    sources.iter().find(|source| source["id"] == id).unwrap_or_else(|| panic!("{id} in {answer}")).clone()
}

fn status(server: &Server, id: &str) -> Value {
    source(&server.get("/v1/sources/status").json(), id)
}

fn shown_on_no_surface(desk: &Desk, server: &Server, id: &str) {
    assert_eq!(server.get(&format!("/v1/tools/{id}")).status, 404);
    let found = server.get(&format!("/v1/search?q={id}")).json();
    assert!(!found["results"].to_string().contains(&format!("\"{id}\"")), "{found}");
    desk.run(&["get", "tool", id]).expect(1);
}

#[test]
fn the_last_card_of_a_folder_goes_when_that_is_forced() {
    for left in [None, Some("README.md")] {
        let desk = desk();
        std::fs::remove_file(desk.path("more/wick.yaml")).unwrap();
        if let Some(name) = left {
            desk.write(&format!("more/{name}"), "Cards of ours.\n");
        }
        let report = &desk.json(&["sync", "more"])[0];
        assert_eq!(
            (&report["result"], &report["error"]["code"]),
            (&json!("quarantined"), &json!("zero_rows")),
            "{report}"
        );
        desk.run(&["get", "tool", "wick"]).expect(0);
        let report = &desk.json(&["sync", "--force", "more"])[0];
        assert_eq!((&report["result"], &report["counts"]["removed"]), (&json!("updated"), &json!(1)), "{report}");
        assert_eq!(desk.json(&["get", "tool", "wick"])["tool"]["status"], "removed");
        assert_eq!(desk.json(&["sync", "more"])[0]["result"], "confirmed", "it stays so");
    }
    let desk = Desk::with_cards(&[("notes.txt", "A folder of something else.")]);
    let done = desk.run(&["sync", "mine"]).expect(0);
    assert!(done.out.contains("mine: nothing was found there"), "{done:?}");
}

#[test]
fn who_reviews_a_source_instead_of_its_entries_is_told_how() {
    let desk = desk();
    std::fs::remove_file(desk.path("more/wick.yaml")).unwrap();
    assert_eq!(desk.json(&["sync", "more"])[0]["result"], "quarantined");
    let of_source = desk.run(&["sources", "review", "accept", "more"]).expect(2).err;
    assert!(of_source.contains("`more` is a source with 1 held back") && of_source.contains("--all --source more"));
    let misspelt = desk.run(&["sources", "review", "refuse", "--all", "--source", "mor"]).expect(2).err;
    assert!(misspelt.contains("`more`") && !misspelt.contains("nothing is held back"), "{misspelt}");
}

#[test]
fn a_source_that_is_switched_off_is_hidden_at_once_and_comes_back() {
    let desk = desk();
    let server = desk.serve(&["--offline", "--set", "sync=false"]);
    assert_eq!(server.get("/v1/tools/lamp").status, 200);
    let before = std::fs::read_to_string(desk.path("refdesk.toml")).unwrap();

    let done = desk.run(&["sources", "disable", "mine"]).expect(0);
    assert!(done.out.contains("mine is off") && done.out.contains("refdesk.toml"), "{done:?}");
    let took = server.until("it is hidden", |server| server.get("/v1/tools/lamp").status == 404);
    assert!(took < SOON, "{took:?}");
    shown_on_no_surface(&desk, &server, "lamp");
    assert_eq!(server.get("/v1/tools/wick").status, 200, "the other source is as it was");
    server.until("the status tells", |server| status(server, "mine")["status"] == "disabled");
    let off = status(&server, "mine");
    assert_eq!((&off["enabled"], &off["counts"]["total"]), (&json!(false), &json!(1)), "its facts are kept");
    let text = std::fs::read_to_string(desk.path("refdesk.toml")).unwrap();
    assert_eq!(
        text,
        before.replacen("interval = \"1h\"\n", "interval = \"1h\"\nenabled = false\n", 1),
        "comments stay"
    );
    assert_eq!(desk.json(&["sync", "mine"])[0]["result"], "skipped");
    let again = desk.run(&["sources", "disable", "mine"]).expect(0);
    assert!(again.out.contains("already off"), "{again:?}");

    desk.run(&["sources", "enable", "mine"]).expect(0);
    let took = server.until("it is back", |server| server.get("/v1/tools/lamp").status == 200);
    assert!(took < SOON, "{took:?}");
    let runs = desk.json(&["sources", "show", "mine"])["runs"].clone();
    let outcomes: Vec<&str> = runs.as_array().unwrap().iter().map(|run| run["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["enabled", "disabled", "updated"]);
    assert_eq!(server.stop().0, 0);
}

#[test]
fn a_default_source_is_switched_by_a_list_and_the_others_stay() {
    let desk = Desk::new();
    std::fs::remove_file(desk.path("refdesk.toml")).unwrap();
    let server = desk.serve(&["--offline"]);
    assert_eq!(server.get("/v1/frameworks/premortem").status, 200);
    let all = desk.json(&["sources"])["sources"].as_array().unwrap().len();
    desk.run(&["sources", "disable", "starter-catalog"]).expect(0);
    let text = std::fs::read_to_string(desk.path("refdesk.toml")).unwrap();
    assert_eq!(text, "disabled_sources = [\"starter-catalog\"]\n", "the file is made");
    let took = server.until("it is hidden", |server| server.get("/v1/frameworks/premortem").status == 404);
    assert!(took < SOON, "{took:?}");
    assert_eq!(desk.json(&["sources"])["sources"].as_array().unwrap().len(), all);
    let named = desk.run(&["sources", "enable", "openrouter", "--config", "other.toml"]).expect(0);
    assert!(named.err.contains("was off because"), "{named:?}");
    assert_eq!(std::fs::read_to_string(desk.path("other.toml")).unwrap(), "enabled_sources = [\"openrouter\"]\n");
    desk.run(&["sources", "enable", "starter-catalog"]).expect(0);
    server.until("it is back", |server| server.get("/v1/frameworks/premortem").status == 200);
    assert_eq!(server.stop().0, 0);
}

/// Before, each wrote what it had read with its own change and said that its source was off; the file had what the last two or three wrote.
#[test]
fn of_commands_that_edit_the_file_at_once_each_finds_what_the_others_did() {
    const IDS: [&str; 6] =
        ["litellm", "models-dev", "mcp-registry", "docker-mcp", "mcp-servers-readme", "starter-catalog"];
    let desk = Desk::stored();
    std::thread::scope(|threads| {
        let run = |args: &[&str]| drop(desk.run(args).expect(0));
        for id in IDS {
            threads.spawn(move || run(&["sources", "disable", id]));
        }
        threads.spawn(move || run(&["sources", "add", "own", "--connector", "cards", "--url", "cards"]));
    });
    let sources = desk.json(&["sources"]);
    for id in IDS {
        assert_eq!(source(&sources, id)["status"], "disabled", "{id}");
    }
    assert_eq!(source(&sources, "own")["enabled"], true);
}

#[test]
fn what_wins_over_the_file_is_named_and_the_file_stays() {
    let mut desk = desk();
    desk.environment.push(("REFDESK_DISABLED_SOURCES".into(), "mine".into()));
    let before = std::fs::read_to_string(desk.path("refdesk.toml")).unwrap();
    let done = desk.run(&["sources", "enable", "mine"]).expect(2);
    assert!(done.err.contains("REFDESK_DISABLED_SOURCES"), "{done:?}");
    assert_eq!(std::fs::read_to_string(desk.path("refdesk.toml")).unwrap(), before);
    desk.environment.clear();
    let wrong = desk.run(&["sources", "--set", "disabled_sources=litelm"]).expect(2);
    assert!(wrong.err.contains("did you mean `litellm`"), "{wrong:?}");
    let unknown = desk.run(&["sources", "disable", "min"]).expect(2);
    assert!(unknown.err.contains("`mine`"), "{unknown:?}");
}

#[test]
fn a_file_that_is_not_valid_any_more_changes_nothing_in_a_running_desk() {
    let desk = desk();
    let server = desk.serve(&["--offline", "--set", "sync=false"]);
    let good = std::fs::read_to_string(desk.path("refdesk.toml")).unwrap();
    desk.configure(&format!("{good}\nenabled = nonsense"));
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(server.get("/v1/tools/lamp").status, 200);
    desk.configure(&good.replacen("interval", "enabled = false\ninterval", 1));
    server.until("an edit by hand is followed", |server| server.get("/v1/tools/lamp").status == 404);
    assert_eq!(server.stop().0, 0);
}

#[tokio::test]
async fn a_removed_source_leaves_nothing_but_its_history_and_does_not_come_back() {
    let desk = desk();
    let server = desk.serve(&["--offline", "--set", "sync=false"]);
    let refused = desk.run(&["sources", "remove", "mine"]).expect(2);
    assert!(refused.err.contains("--yes") && refused.err.contains("1 fact of mine"), "{refused:?}");
    assert_eq!(server.get("/v1/tools/lamp").status, 200);
    desk.run(&["sources", "remove", "mine", "--yes"]).expect(0);
    let took = server.until("it is gone", |server| server.get("/v1/tools/lamp").status == 404);
    assert!(took < SOON, "{took:?}");
    shown_on_no_surface(&desk, &server, "lamp");
    assert_eq!(server.stop().0, 0);

    assert_eq!(desk.json(&["sync"]).as_array().unwrap().iter().filter(|run| run["result"] == "updated").count(), 0);
    let shown = desk.json(&["sources", "show", "mine"]);
    assert_eq!((&shown["source"]["status"], &shown["source"]["counts"]["total"]), (&json!("disabled"), &json!(0)));
    assert_eq!(shown["runs"][0]["outcome"], "removed");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(desk.store());
    let mut store = sqlx::ConnectOptions::connect(&options).await.unwrap();
    for table in ["facts", "standings", "rejects", "source_states"] {
        let query = sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {table} WHERE source_id = 'mine'"));
        let rows: i64 = sqlx::query_scalar(query).fetch_one(&mut store).await.unwrap();
        assert_eq!(rows, 0, "{table}");
    }
    sqlx::Connection::close(store).await.unwrap();
    let files = |folder: &str| std::fs::read_dir(desk.path(folder)).unwrap().map(|entry| entry.unwrap().path());
    for file in files("data").chain(files("data/catalog")).filter(|path| path.is_file()) {
        let bytes = std::fs::read(file).unwrap();
        assert!(!bytes.windows(12).any(|bytes| bytes == b"Gives light."), "its text lies in no file");
    }
    desk.run(&["sources", "enable", "mine"]).expect(0);
    assert_eq!(desk.json(&["sync", "mine"])[0]["counts"]["added"], 1);
}

#[test]
fn a_source_that_left_the_configuration_is_shown_as_orphaned_and_says_what_to_do() {
    let desk = desk();
    desk.configure(OWN);
    let server = desk.serve(&["--offline", "--set", "sync=false"]);
    shown_on_no_surface(&desk, &server, "wick");
    let answer = server.get("/v1/sources/status").json();
    let orphan = source(&answer, "more");
    assert_eq!((&orphan["status"], &orphan["enabled"]), (&json!("orphaned"), &json!(false)));
    assert_eq!((&orphan["counts"]["total"], &orphan["types"]), (&json!(1), &json!(["TOOL"])));
    assert!(orphan["disabled_reason"].as_str().unwrap().contains("refdesk sources remove more"), "{orphan}");
    assert_eq!(answer["summary"]["orphaned"], 1);
    assert_eq!(source(&desk.json(&["sources"]), "more"), orphan, "the command line says the same");
    assert_eq!(desk.json(&["sources"])["summary"], answer["summary"]);
    let doctor = desk.json(&["doctor"]);
    let told =
        doctor["checks"].as_array().unwrap().iter().any(|check| check["detail"].to_string().contains("remove more"));
    assert!(told && doctor["ok"] == true, "{doctor}");

    // Somebody else imports it: there it is shown, and orphaned all the same.
    desk.run(&["export", "all.refdesk"]).expect(0);
    let before = std::fs::read_to_string(desk.path("refdesk.toml")).unwrap();
    desk.run(&["sources", "remove", "more", "--yes"]).expect(0);
    assert_eq!(std::fs::read_to_string(desk.path("refdesk.toml")).unwrap(), before, "the file does not name it");
    server.until("it is gone", |server| server.get("/v1/sources/status").json()["summary"]["orphaned"] == 0);
    assert_eq!(server.stop().0, 0);
    let other = Desk::new();
    other.run(&["import", desk.path("all.refdesk").to_str().unwrap()]).expect(0);
    let orphan = source(&other.json(&["sources"]), "mine");
    assert_eq!(orphan["status"], "orphaned");
    assert!(orphan["disabled_reason"].as_str().unwrap().contains("are shown"), "{orphan}");
    other.run(&["get", "tool", "lamp"]).expect(0);
    other.run(&["sources", "remove", "mine", "--yes"]).expect(0);
    other.run(&["get", "tool", "lamp"]).expect(1);
    // Before, it was unknown by then, also where a warning said to remove it again.
    let again = other.run(&["sources", "remove", "mine", "--yes"]).expect(0);
    assert!(again.out.contains("mine: deleted 0 facts"), "{again:?}");
    other.run(&["sources", "remove", "never-there", "--yes"]).expect(2);
}

#[test]
fn an_address_of_a_card_that_is_none_is_warned_of_and_shown_as_text() {
    let desk = Desk::with_cards(&[
        (
            "lamp.yaml",
            &(tool("lamp", "Gives light.")
                + "homepage_url: javascript:alert(1)\nrepository_url: ftp://lamp.example/code\n"),
        ),
        ("wick.yaml", &(tool("wick", "Burns.") + "homepage_url: https://lamp.example/wick\n")),
    ]);
    desk.run(&["sync", "mine"]).expect(0);
    let shown = desk.run(&["sources", "show", "mine"]).expect(0).out;
    let warning = shown.split("warning: ").nth(1).unwrap_or_else(|| panic!("no warning in {shown}"));
    assert!(warning.contains("homepage_url") && warning.contains("javascript:alert(1)"), "{warning}");
    assert!(warning.contains("repository_url") && warning.contains("ftp://lamp.example/code"), "{warning}");
    assert!(!warning.contains("wick"), "{warning}");
    let urls = desk.json(&["sources", "show", "mine"])["rejected_urls"].clone();
    let named: Vec<&str> = urls.as_array().unwrap().iter().map(|url| url["path"].as_str().unwrap()).collect();
    assert_eq!(named, ["homepage_url", "repository_url"], "{urls}");
    let tool = desk.json(&["get", "tool", "lamp"])["tool"].clone();
    assert_eq!(tool["homepage_url"], Value::Null, "{tool}");
    assert_eq!(tool["rejected_urls"][0], json!({"path": "homepage_url", "value": "javascript:alert(1)"}), "{tool}");
}

/// The settings of a desk's file that say where its sources are.
fn ids(desk: &Desk) -> Vec<String> {
    let sources = desk.json(&["config", "show"])["sources"].clone();
    sources.as_array().unwrap().iter().map(|source| source["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_source_is_added_by_one_line_beside_the_default_ones() {
    let desk = Desk::stored();
    std::fs::remove_file(desk.path("refdesk.toml")).unwrap();
    let defaults = ids(&desk);
    desk.write("cards/lamp.yaml", &tool("lamp", "Gives light."));
    let added =
        desk.run(&["sources", "add", "mine", "--connector", "cards", "--url", "cards", "--rank", "5"]).expect(0);
    assert!(added.out.contains("refdesk sync mine"), "{added:?}");
    let text = std::fs::read_to_string(desk.path("refdesk.toml")).unwrap();
    let entry = "\n[[sources]]\nid = \"mine\"\nconnector = \"cards\"\nurl = \"cards\"\nrank = 5\n";
    assert_eq!(text, format!("default_sources = true\n{entry}"));
    assert_eq!(ids(&desk), [defaults, vec!["mine".to_owned()]].concat());
    let synced = desk.run(&["--offline", "sync", "--source", "mine"]).expect(0);
    assert!(synced.err.is_empty(), "no warning: {synced:?}");
    desk.run(&["--offline", "get", "tool", "lamp"]).expect(0);

    let again = desk.run(&["sources", "add", "mine"]).expect(2);
    assert!(again.err.contains("among the sources already"), "{again:?}");
    let changed = desk.run(&["sources", "add", "mine", "--rank", "6"]).expect(0);
    assert!(changed.out.starts_with("mine is changed in "), "{changed:?}");
    let text = text.replace("rank = 5", "rank = 6");
    assert_eq!(std::fs::read_to_string(desk.path("refdesk.toml")).unwrap(), text, "what is not named stays");
    let unnamed = desk.run(&["sources", "add", "litelm"]).expect(2);
    assert!(unnamed.err.contains("needs --connector and --url") && unnamed.err.contains("`litellm`"), "{unnamed:?}");
    let nothing = desk.run(&["sources", "add", "litellm"]).expect(2);
    assert!(nothing.err.contains("among the sources already"), "{nothing:?}");
    let wrong = desk.run(&["sources", "add", "litellm", "--interval", "often"]).expect(2);
    assert!(wrong.err.contains("often") || wrong.err.contains("duration"), "{wrong:?}");
    let pasted = desk.run(&["sources", "add", "litellm", "--token-env", "ghp-PLANTED"]).expect(2);
    assert!(pasted.err.contains("name of an environment variable") && !pasted.err.contains("PLANTED"), "{pasted:?}");
    assert_eq!(std::fs::read_to_string(desk.path("refdesk.toml")).unwrap(), text, "a mistake writes nothing");

    let early = desk.run(&["sources", "add", "mine", "--url", "later"]).expect(0);
    let path = std::path::absolute(desk.path("later")).unwrap();
    assert!(early.out.contains(&format!("{} does not exist yet", path.display())), "{early:?}");
    assert!(!changed.out.contains("does not exist"), "{changed:?}");

    desk.run(&["sources", "add", "litellm", "--interval", "6h", "--token-env", "NOT_SET_HERE"]).expect(0);
    assert_eq!(desk.json(&["sources", "add", "litellm", "--interval", "12h"])["added"], false);
    let sources = desk.json(&["config", "show"])["sources"].clone();
    let litellm = sources.as_array().unwrap().iter().find(|source| source["id"] == "litellm").unwrap();
    assert_eq!((&litellm["interval"], &litellm["rank"]), (&json!("12h"), &json!(20)), "what is not named stays");
    assert_eq!((&litellm["token_env"], &litellm["token_set"]), (&json!("NOT_SET_HERE"), &json!(false)));
}

#[test]
fn options_stand_in_the_entry_that_they_are_given_for() {
    let desk = Desk::stored();
    let entry = |id: &str| format!("[[sources]]\nid = \"{id}\"\nconnector = \"markdown-docs\"\nurl = \"docs-{id}\"\n");
    desk.write("refdesk.toml", &format!("default_sources = false\n\n{}\n{}", entry("one"), entry("two")));
    desk.run(&["sources", "add", "two", "--option", "include=guide"]).expect(0);
    let line = ["sources", "add", "three", "--connector", "markdown-docs", "--url", "docs-three", "--license", "MIT"];
    desk.run(&[&line[..], &["--option", "include=manual"]].concat()).expect(0);
    let sources = desk.json(&["config", "show"])["sources"].clone();
    let included: Vec<_> = sources
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|source| Some((source["id"].as_str()?, source["options"]["include"].as_str())))
        .filter(|(id, _)| ["one", "two", "three"].contains(id))
        .collect();
    assert_eq!(included, [("one", None), ("two", Some("guide")), ("three", Some("manual"))]);
}

#[test]
fn a_source_is_shown_in_words_with_its_numbers_below_each_other() {
    let desk = Desk::with_cards(&[("lamp.yaml", &tool("lamp", "Gives light.")), ("bad.yaml", "kind: tool\n")]);
    desk.run(&["sync", "mine"]).expect(0);
    let shown = desk.run(&["sources", "show", "mine"]).expect(0).out;
    let rows: Vec<(&str, &str)> =
        shown.lines().filter_map(|line| line.split_once("  ")).map(|(name, value)| (name, value.trim())).collect();
    for row in [
        ("source", "mine"),
        ("every", "1h"),
        ("facts", "1"),
        ("rejects", "1"),
        ("last sync", "1 added, 0 changed, 0 removed"),
    ] {
        assert!(rows.contains(&row), "{row:?}: {shown}");
    }
    assert!(!shown.contains("counts.") && !shown.contains('_'), "names of REST: {shown}");
    let runs: Vec<&str> = shown.lines().skip_while(|line| !line.starts_with("started")).take(2).collect();
    let end = |line: &str, column: &str| runs[0].find(column).map(|at| line[..at + column.len()].to_owned());
    assert!(end(runs[1], "added").is_some_and(|upto| upto.ends_with(" 1")), "{shown}");
}

#[test]
fn upstreams_that_are_not_reached_are_told_together_and_the_next_note_begins_a_line() {
    let desk = Desk::new();
    desk.configure(crate::common::UNREACHED);
    let told = desk.run(&["sync"]).expect(2).out;
    let (unreached, rest) = told.split_once("\n1 source is off").unwrap_or_else(|| panic!("{told}"));
    assert!(unreached.contains("2 sources were not reached (one, other)"), "{told}");
    assert_eq!(rest, "; `refdesk sources` lists them\n", "nobody said --offline: {told}");
}

#[test]
fn a_file_of_the_first_version_that_names_sources_is_told_what_to_write() {
    let desk = desk();
    let own = std::fs::read_to_string(desk.path("refdesk.toml")).unwrap();
    let before = desk.run(&["--offline", "sources"]).expect(0);
    assert!(!before.err.contains("warning"), "{before:?}");
    assert_eq!(ids(&desk), ["starter-catalog", "mine", "more"]);
    desk.configure(&own.replace("default_sources = false\n", ""));
    let warned = desk.run(&["--offline", "sources"]).expect(0);
    for part in ["warning: refdesk.toml", "default_sources = true", "default_sources = false"] {
        assert!(warned.err.contains(part), "{part}: {warned:?}");
    }
    assert!(ids(&desk).len() > 20);
    assert!(!desk.run(&["search", "lamp"]).expect(0).err.contains("warning"), "a look-up is not the place");
    let left_out = desk.run(&["sources", "disable", "litellm", "--set", "default_sources=false"]).expect(2);
    assert!(left_out.err.contains("`refdesk sources add litellm` takes it in"), "{left_out:?}");
}

#[test]
fn the_configuration_of_the_user_is_found_after_that_of_the_working_directory() {
    let mut desk = Desk::new();
    desk.environment.push(("XDG_CONFIG_HOME".into(), desk.path("config").display().to_string()));
    desk.write("config/refdesk/refdesk.toml", "listen = \"127.0.0.1:1\"\n");
    desk.write("refdesk.toml", "listen = \"127.0.0.1:2\"\n");
    let listen = |desk: &Desk| desk.json(&["config", "show"])["settings"]["listen"]["value"].clone();
    assert_eq!(listen(&desk), "127.0.0.1:2");
    std::fs::remove_file(desk.path("refdesk.toml")).unwrap();
    assert_eq!(listen(&desk), "127.0.0.1:1");
    let paths = desk.json(&["config", "show"])["paths"].clone();
    assert_eq!(paths["config"], desk.path("config/refdesk/refdesk.toml").display().to_string());
    assert_eq!(paths["store"], desk.store().display().to_string());
    desk.run(&["sources", "disable", "litellm"]).expect(0);
    let text = std::fs::read_to_string(desk.path("config/refdesk/refdesk.toml")).unwrap();
    assert!(text.contains("disabled_sources"), "the file in force is written: {text}");
}
