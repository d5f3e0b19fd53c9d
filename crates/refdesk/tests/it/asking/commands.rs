//! The commands as a script sees them: exit codes, JSON on stdout, talk on stderr.

use std::process::Stdio;

use crate::common::{Desk, tool};
use serde_json::Value;

const KINDS: [&str; 7] = ["model", "tool", "skill", "tutorial", "mcp-server", "document", "framework"];

#[test]
fn exit_codes_tell_found_from_not_found_from_wrong() {
    let desk = Desk::new();
    let check = |args: &[&str], code: i32| {
        let done = desk.run(args).expect(code);
        assert_eq!(done.out.is_empty(), code == 2 || args[0] == "get" && code == 1, "{args:?}: {done:?}");
    };
    check(&["search", "premortem", "mcp"], 0);
    check(&["search", "qqzzxxyyww"], 1);
    check(&["search", "x", "--limit", "x"], 2);
    check(&["get", "framework", "premortem"], 0);
    check(&["get", "framework", "no-such-thing-at-all"], 1);
    check(&["get", "thing", "premortem"], 2);
    check(&["list", "model"], 0);
    check(&["list", "model", "--limit", "-1"], 2);
    check(&["route", "What could go wrong with our launch, and how do we prevent it?"], 0);
    check(&["route", "qqzzxxyyww"], 1);
    check(&["route", "x", "--domain", "gardening"], 2);
    check(&["sources", "show", "starter-catalog"], 0);
    check(&["nonsense"], 2);
}

#[test]
fn a_table_has_its_warnings_on_stderr_with_and_without_a_service() {
    let desk = Desk::new();
    let args = ["list", "model", "--format", "csv", "--vendor", "OpenAI,Nobody-9", "--fields", "id"];
    let told = || {
        let done = desk.run(&args).expect(0);
        assert!(done.out.starts_with("id,source_url,"), "{done:?}");
        done.err
    };
    assert!(told().contains("`--vendor`: nothing has the value `Nobody-9`"), "{}", told());
    // Hits as rows have warnings of their own.
    let search = ["search", "gpt-5", "--type", "model", "--format", "csv", "--fields", "nosuch", "--facets", "vendor"];
    let of_hits = || desk.run(&search).expect(0).err;
    let warnings = ["no row has `nosuch`", "`--facets`: a table has no place for counts"];
    assert!(warnings.iter().all(|warning| of_hits().contains(warning)), "{}", of_hits());
    let server = desk.serve(&["--offline"]);
    assert!(told().contains("`--vendor`: nothing has the value `Nobody-9`"), "{}", told());
    assert!(warnings.iter().all(|warning| of_hits().contains(warning)), "{}", of_hits());
    assert_eq!(server.stop().0, 0);
}

/// Every way of writing to stdout: text, JSON, rows, bytes.
#[test]
fn an_answer_that_is_lost_is_a_failure_and_one_that_is_read_enough_of_is_none() {
    let desk = Desk::new();
    desk.run(&["list", "model"]).expect(0);
    for args in [
        &["list", "model"][..],
        &["list", "model", "--json"],
        &["list", "model", "--format", "csv"],
        &["export", "-", "--format", "ndjson", "--type", "model"],
        &["get", "document", "refdesk-manual-operations", "--raw"],
        &["get", "document", "refdesk-manual-operations", "--record"],
        &["--version"],
        &["--help"],
    ] {
        if cfg!(target_os = "linux") {
            let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
            let done =
                desk.command(args).stdout(full).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
            let told = String::from_utf8(done.stderr).unwrap();
            assert_eq!(done.status.code(), Some(2), "{args:?}: {told}");
            assert_eq!(told.matches("standard output cannot be written").count(), 1, "{args:?}: {told}");
        }
        let mut child = desk.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let done = child.wait_with_output().unwrap();
        assert_eq!(
            (done.status.code(), String::from_utf8_lossy(&done.stderr).contains("error")),
            (Some(0), false),
            "{args:?}"
        );
    }
}

#[test]
fn a_domain_that_there_is_not_is_answered_with_those_that_there_are() {
    let done = Desk::new().run(&["route", "x", "--domain", "gardening"]).expect(2);
    for part in ["\"gardening\"", "agent-workflow", "problem-solving", "thinking", "--domain"] {
        assert!(done.err.contains(part), "{part}: {done:?}");
    }
    assert!(!done.err.contains("allowed_domains"), "that is a member of HTTP answers: {done:?}");
}

#[test]
fn errors_of_the_command_line_speak_of_flags() {
    let desk = Desk::new();
    let check = |args: &[&str], told: &str| {
        let done = desk.run(args).expect(2);
        assert_eq!(done.err, format!("error: {told}\n"));
    };
    check(&["list", "model", "--limit", "x"], "--limit takes a whole number from 1 to 500; it was \"x\"");
    check(&["search", "x", "--limit", "0"], "--limit takes a whole number from 1 to 50; it was 0 or less");
    check(&["list", "model", "--offset", "1.5"], "--offset takes a whole number from 0; it was \"1.5\"");
    check(&["search", "x", "--mode", "deep"], "--mode takes lexical or hybrid; it was \"deep\"");
    check(&["search", " "], "the text to look for is blank");
}

#[test]
fn a_type_that_there_is_not_is_answered_with_those_that_there_are() {
    let desk = Desk::new();
    let done = desk.run(&["search", "x", "--type", "framework"]).expect(2);
    // As the argument of `list` and `get` is called.
    for args in [&["search", "x", "--kind", "framework"][..], &["export", "-", "--kind", "framework"]] {
        assert!(!desk.run(args).expect(2).err.contains("unexpected argument"), "{args:?}");
    }
    for part in ["\"framework\"", "document, mcp-server, model, skill, tool, tutorial", "--type", "refdesk route"] {
        assert!(done.err.contains(part), "{part}: {done:?}");
    }
    assert!(!done.err.contains("allowed_types") && !done.err.contains("FRAMEWORK"), "{done:?}");
}

#[test]
fn json_of_every_command_parses_and_nothing_else_is_on_stdout() {
    let desk = Desk::with_cards(&[("lamp.yaml", &tool("lamp", "Gives light."))]);
    assert_eq!(desk.json(&["sync", "mine"])[0]["result"], "updated");
    for kind in KINDS {
        assert!(desk.json(&["list", kind, "--limit", "2"])["total"].as_u64().unwrap() > 0, "{kind}");
    }
    assert_eq!(desk.json(&["get", "tool", "lamp"])["tool"]["display_name"], "The lamp");
    assert_eq!(desk.json(&["search", "lamp"])["results"][0]["id"], "lamp");
    assert_eq!(desk.json(&["search", "lamp", "--facets", "type"])["facets"]["type"]["results"][0]["value"], "TOOL");
    assert!(desk.json(&["route", "How do I decide between options?"])["decision"].is_string());
    let sources = desk.json(&["sources"])["sources"].clone();
    let ids: Vec<&str> = sources.as_array().unwrap().iter().map(|source| source["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["starter-catalog", "mine"]);
    assert_eq!(desk.json(&["sources", "show", "mine"])["source"]["id"], "mine");
    assert_eq!(desk.json(&["verify"])["differences"], Value::Array(Vec::new()));
    assert_eq!(desk.json(&["verify", "tool", "lamp"])["checked"], 1);
    let [tools, models, all] = [&["verify", "tools"][..], &["verify", "model"], &["verify"]]
        .map(|args| desk.json(args)["checked"].as_u64().unwrap());
    let listed = |kind: &str| desk.json(&["list", kind, "--limit", "1"])["total"].as_u64().unwrap();
    assert!(tools >= listed("tool") && models >= listed("model") && tools + models < all, "{tools} {models} {all}");
    assert!(desk.json(&["keys", "create", "--name", "a"])["key"].as_str().unwrap().starts_with("rdk_"));
    assert_eq!(desk.json(&["keys", "list"])["keys"].as_array().unwrap().len(), 1);
    assert_eq!(desk.json(&["keys", "revoke", "a"])["revoked"]["name"], "a");
    assert!(desk.json(&["config", "show"])["settings"]["listen"].is_object());
    assert_eq!(desk.json(&["doctor"])["ok"], true);
    assert!(desk.json(&["export", "all.refdesk"])["facts"].as_u64().unwrap() > 100);
    assert!(desk.json(&["import", "all.refdesk"])["facts"].as_u64().unwrap() > 100);
    desk.write("frames/x.md", "---\nkind: framework\nid: x\n---\n");
    assert!(!desk.json(&["frameworks", "lint", "frames"]).as_array().unwrap().is_empty());
    let lint = desk.run(&["frameworks", "lint", "frames"]).expect(1);
    assert!(lint.out.contains("x.md"), "{lint:?}");
}

/// A link that led in a circle was followed to the end, and what a sync passes over was checked.
#[cfg(unix)]
#[test]
fn the_lint_reads_the_files_that_a_sync_takes() {
    let desk = Desk::new();
    for name in ["frames/X.MD", "frames/.drafts/y.md"] {
        desk.write(name, "---\nkind: framework\nid: x\n---\n");
    }
    std::os::unix::fs::symlink(".", desk.path("frames/again")).unwrap();
    let lint = desk.run(&["frameworks", "lint", "frames"]).expect(1);
    assert!(lint.out.contains("X.MD") && !lint.out.contains("y.md") && !lint.out.contains("again"), "{lint:?}");
}

/// Somebody's own cards lie in a folder of their own, and are shown beside those that ship.
#[test]
fn the_lint_knows_the_frameworks_that_ship() {
    let desk = Desk::new();
    let linted = |better: &str| {
        let card = "---\nkind: framework\nid: two-lists\ndisplay_name: Two lists\ndomain: decision\n\
            source_url: https://example.org/two-lists\nsummary: Write both lists.\n\
            anti_examples:\n  - {question: Which of nine is best?, better: BETTER}\n\
            inputs:\n  - {name: question, required: true, description: What is asked}\n\
            output:\n  artifact: Two lists\nprompt:\n  version: 1.0.0\n  variables: [question]\n---\n\
            # Prompt\n\nAnswer {{question}}.\n\n# Output template\n\n| for | against |\n";
        desk.write("frames/two-lists.md", &card.replace("BETTER", better));
        desk.run(&["frameworks", "lint", "frames"]).expect(1).out
    };
    let shipped = linted("premortem");
    assert!(shipped.contains("it needs a summary of 80 characters or more; 3 or more when_to_use"), "{shipped}");
    assert!(!shipped.contains("no such card"), "{shipped}");
    let unknown = linted("no-such-way");
    assert!(unknown.contains("names `no-such-way` as a better card, but there is no such card"), "{unknown}");
}

#[test]
fn a_hit_that_is_over_says_so_beside_its_name() {
    let old = tool("lamp", "Gives light.") + "status: deprecated\n";
    let desk = Desk::with_cards(&[("lamp.yaml", &old), ("torch.yaml", &tool("torch", "Gives light."))]);
    desk.run(&["sync", "mine"]).expect(0);
    let asked = ["search", "gives light", "--type", "tool", "--understand", "false", "--limit", "50"];
    let shown = desk.run(&asked).expect(0).out;
    assert!(shown.contains("tool lamp  deprecated  Lampworks  checked"), "{shown}");
    assert!(shown.contains("tool torch  Lampworks  checked"), "{shown}");
}

#[test]
fn completions_of_each_shell_are_printed() {
    let desk = Desk::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let done = desk.run(&["completions", shell]).expect(0);
        assert!(done.out.contains("refdesk") && done.err.is_empty(), "{shell}");
    }
}

#[test]
fn the_example_configuration_reads_and_is_never_overwritten() {
    let desk = Desk::new();
    desk.run(&["config", "init", "own.toml"]).expect(0);
    let done = desk.run(&["config", "init", "own.toml"]).expect(2);
    assert!(done.err.contains("own.toml"), "{done:?}");
    let text = std::fs::read_to_string(desk.path("own.toml")).unwrap();
    let printed = desk.run(&["config", "init", "-"]).expect(0);
    assert!(printed.out == text && !desk.path("-").exists(), "{printed:?}");
    assert_eq!(desk.json(&["config", "init", "other.toml"]), serde_json::json!({"file": "other.toml"}));
    // Before, `--config` was not heeded, and `refdesk.toml` was written, or refused because it was there.
    assert_eq!(desk.json(&["config", "init", "--config", "named.toml"]), serde_json::json!({"file": "named.toml"}));
    desk.run(&["config", "init", "same.toml", "--config", "same.toml"]).expect(0);
    let two = desk.run(&["config", "init", "one.toml", "--config", "two.toml"]).expect(2);
    assert!(two.err.contains("one.toml: --config (or REFDESK_CONFIG) names another file, two.toml"), "{two:?}");
    assert!(!desk.path("one.toml").exists() && !desk.path("two.toml").exists());
    // Every commented setting, uncommented, is a configuration with the defaults and one collection.
    let head = text.split("\n# Sources.").next().unwrap();
    let is_setting = |line: &&str| line.contains(" = ") || line.starts_with("[[");
    let settings: Vec<&str> = head.lines().filter_map(|line| line.strip_prefix("# ")).filter(is_setting).collect();
    assert!(settings.len() > 35, "{}", settings.len());
    desk.configure(&settings.join("\n"));
    let shown = desk.json(&["config", "show"]);
    assert_eq!(shown["settings"]["listen"], serde_json::json!({"value": "127.0.0.1:8787", "from": "file"}));
}

/// Where a variable had blanks, there were two of them between its texts.
#[test]
fn config_show_shows_the_texts_of_a_list_however_they_are_written() {
    let mut desk = Desk::new();
    let shown = |desk: &Desk| {
        let shown = desk.run(&["config", "show"]).expect(0).out;
        let line = shown.lines().find(|line| line.trim_start().starts_with("allowed_hosts "));
        line.and_then(|line| line.split_once("allowed_hosts")).map(|(_, value)| value.trim().to_owned())
    };
    assert_eq!(shown(&desk).as_deref(), Some("(default)"));
    for written in ["a.example,b.example", " a.example , b.example,"] {
        desk.environment = vec![("REFDESK_ALLOWED_HOSTS".into(), written.into())];
        assert_eq!(shown(&desk).as_deref(), Some("a.example, b.example (REFDESK_ALLOWED_HOSTS)"), "{written:?}");
    }
}

/// What `config show` shows may be a setting that no service starts with.
#[test]
fn config_show_warns_of_what_a_service_refuses() {
    let desk = Desk::new();
    desk.configure("base_url = \"desk.example\"\n");
    let shown = desk.run(&["config", "show"]).expect(0);
    let told = "warning: base_url: \"desk.example\" is not a URL; write it as https://host\n";
    assert!(shown.err.starts_with(told), "and nothing of a library: {shown:?}");
    assert!(shown.out.contains("desk.example"), "{shown:?}");
    desk.configure("base_url = \"https://desk.example\"\n");
    assert_eq!(desk.run(&["config", "show"]).expect(0).err, "");
}

#[test]
fn flags_win_over_variables_and_those_over_the_file() {
    let mut desk = Desk::new();
    let check = |desk: &Desk, args: &[&str], value: &str, from: &str| {
        let shown = desk.json(&[&["config", "show"], args].concat());
        assert_eq!(shown["settings"]["retries_max"], serde_json::json!({"value": value, "from": from}));
    };
    check(&desk, &[], "3", "default");
    desk.configure("retries_max = 4\n");
    check(&desk, &[], "4", "file");
    desk.environment.push(("REFDESK_RETRIES_MAX".into(), "5".into()));
    check(&desk, &[], "5", "REFDESK_RETRIES_MAX");
    check(&desk, &["--set", "retries_max=6"], "6", "--set retries_max");
}
