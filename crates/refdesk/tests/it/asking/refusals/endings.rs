//! How a command ends: one rule of exit codes, problem documents with the members of REST, and what goes to which stream.

use super::refused;
use crate::common::{Desk, done, tool};
use serde_json::json;

#[test]
fn every_question_that_finds_nothing_ends_with_1_a_report_with_0_and_a_change_with_2() {
    let desk = Desk::with_cards(&[("lamp.yaml", &tool("lamp", "Gives light."))]);
    desk.run(&["sync", "mine"]).expect(0);
    for args in [
        &["search", "qqzzxxyyww"][..],
        &["list", "tool", "--vendor", "nobody"],
        &["list", "tool", "--vendor", "nobody", "--format", "csv"],
        &["list", "tool", "--vendor", "nobody", "--format", "ndjson"],
        &["list", "tool", "--vendor", "nobody", "--json"],
        &["conflicts", "--path", "no.such.path"],
        &["get", "tool", "no-such-thing-at-all"],
        &["resolve", "no-such-thing-at-all"],
    ] {
        desk.run(args).expect(1);
    }
    // What changes something has failed where there is nothing of the name, and what only shows it has not found it.
    for args in [
        &["sync", "nope"][..],
        &["sources", "enable", "nope"],
        &["sources", "disable", "nope"],
        &["sources", "remove", "nope", "--yes"],
        &["sources", "review", "accept", "nope"],
        &["sources", "review", "refuse", "--all", "--source", "nope"],
        &["keys", "revoke", "nope"],
    ] {
        let failed = refused(&desk, args, 2, &["error: ", "nope"]);
        assert_eq!(failed.out, "", "{failed:?}");
        let problem = desk.json(args);
        assert_eq!((&problem["code"], &problem["exit_code"]), (&json!("not_found"), &json!(2)), "{args:?}");
    }
    refused(&desk, &["sources", "show", "nope"], 1, &["nope"]);
    desk.run(&["list", "tool", "--vendor", "Lampworks", "--format", "csv"]).expect(0);
    desk.run(&["keys", "list"]).expect(0);
    desk.run(&["sources", "review"]).expect(0);
    std::fs::create_dir(desk.path("empty")).unwrap();
    refused(&desk, &["frameworks", "lint", "empty"], 2, &["empty", "no framework card"]);
}

#[test]
fn errors_as_json_have_the_members_that_rest_has() {
    let desk = Desk::new();
    let problem = |args: &[&str]| {
        let told = desk.json(args);
        assert!(told["detail"].is_string() && told["title"].is_string() && told["type"] == "about:blank", "{told}");
        (told["code"].clone(), told["status"].clone(), told["suggestions"].clone(), told["exit_code"].clone())
    };
    let of = |code: &str, status: u16, suggestions: &[&str], exit: u8| {
        (json!(code), json!(status), json!(suggestions), json!(exit))
    };
    assert_eq!(problem(&["list", "model", "--sort", "price_inputt"]), of("invalid_query", 400, &["price_input"], 2));
    assert_eq!(problem(&["search", "x", "--limit", "0"]), of("invalid_query", 400, &[], 2));
    assert_eq!(problem(&["search", "--nonsense"]), of("invalid_argument", 400, &[], 2));
    for args in [&["get", "modle", "x"][..], &["export", "-", "--format", "csv", "--type", "modle"]] {
        assert_eq!(problem(args), of("invalid_query", 400, &["model"], 2), "{args:?}");
    }
    assert_eq!(problem(&["list", "widget"]), of("invalid_query", 400, &[], 2));
    let alone =
        done(std::process::Command::new(env!("CARGO_BIN_EXE_refdesk")).args(["--json", "keys"])).expect(2).json();
    assert_eq!(alone["detail"], "`refdesk keys` takes a command: create, list, revoke");
    assert_eq!((&alone["code"], &alone["exit_code"]), (&json!("invalid_argument"), &json!(2)));
    assert_eq!(problem(&["sync", "litelm"]), of("not_found", 404, &["litellm"], 2));
    assert_eq!(problem(&["sync", "absent"]), of("not_found", 404, &[], 2));
    assert_eq!(problem(&["list", "model", "--collection", "x"]), of("not_found", 404, &[], 2));
    let prompt = ["get", "framework", "premortem", "--prompt", "--var"];
    let name = desk.json(&prompt[..4])["framework"]["prompt"]["variables"][0].as_str().unwrap().to_owned();
    for (args, near) in [
        (&["list", "model", "--set", "lisen=1"][..], &["listen"][..]),
        (&["list", "model", "--set", "foo=1"], &[]),
        (&["list", "model", "--set", "foo"], &[]),
        (&["list", "model", "--config", "missing.toml"], &[]),
        (&[&prompt[..], &["foo=1"]].concat(), &[]),
        (&[&prompt[..], &[&format!("{name}s=1")]].concat(), &[&name]),
        (&["sources", "add", "x", "--connector", "crads", "--url", "x"], &["cards"]),
        (&["sources", "add", "litelm"], &["litellm"]),
        (&["stauts"], &[]),
        // Mistakes in what was typed, though it is no parameter of REST.
        (&["keys", "create", "--name", ""], &[]),
        (&["keys", "create", "--name", "ci", "--expires", "soon"], &[]),
        (&["keys", "create", "--name", "ci", "--expires", "0s"], &[]),
        (&["serve", "--listen", "nowhere"], &[]),
        (&["serve", "--cors-origins", "app.example"], &[]),
        (&["serve", "--set", "base_url=desk.example"], &[]),
        (&["sources", "add", "litellm", "--interval", "often"], &[]),
        (&["export", "no/such/x.tar.zst"], &[]),
        (&["import", "missing.tar.zst"], &[]),
        (&["frameworks", "lint", "missing"], &[]),
        (&["mcp", "--url", "desk.example"], &[]),
    ] {
        assert_eq!(problem(args), of("invalid_argument", 400, near, 2), "{args:?}");
    }
    desk.write("there.toml", "");
    desk.write("there.tar.zst", "");
    for args in [&["config", "init", "there.toml"][..], &["export", "there.tar.zst"]] {
        assert_eq!(problem(args), of("invalid_argument", 400, &[], 2), "{args:?}");
    }
    let near = desk.json(&["get", "framework", "premortm"]);
    assert_eq!(
        (&near["code"], &near["status"], &near["suggestions"][0]),
        (&json!("not_found"), &json!(404), &json!("premortem"))
    );
}

#[test]
fn notes_go_to_stderr_and_stdout_has_the_answer_alone() {
    let mut desk = Desk::new();
    desk.environment.push(("COLUMNS".into(), "80".into()));
    let done = desk.run(&["list", "model", "--limit", "1"]).expect(0);
    assert_eq!(done.out.lines().count(), 2, "head and row: {done:?}");
    assert!(done.err.contains("1 of ") && done.err.contains("--offset 1 shows more"), "{done:?}");
    let most = desk.run(&["search", "model", "--limit", "50"]).expect(0);
    assert!(!most.err.contains("--limit shows more"), "50 is the most: {}", most.err);
    let asked = desk.run(&["list", "model", "--limit", "1", "--fields", "id,display_name"]).expect(0);
    assert_eq!(asked.out.lines().next().unwrap().split_whitespace().collect::<Vec<_>>(), ["id", "display_name"]);
    let json = desk.run(&["list", "model", "--limit", "1", "--format", "json"]).expect(0).json();
    assert_eq!(json["models"].as_array().map(Vec::len), Some(1));
    let read = desk.run(&["search", "cheapest models with vision"]).expect(0);
    assert!(read.err.contains("--sort=price_") && !read.err.contains("__"), "in flags: {read:?}");
    let sections = desk.run(&["search", "back", "up", "--type", "doc", "--passages", "9"]);
    assert!(sections.err.contains("`--passages` was reduced to 5, the maximum"), "{sections:?}");
    assert_eq!(sections.err.matches("--passages").count(), 1, "it is told once: {sections:?}");
}
