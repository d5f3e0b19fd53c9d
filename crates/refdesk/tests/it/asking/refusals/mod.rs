//! What the command line says to what it cannot do: in flags and with the nearest word that is known.

mod endings;

use crate::common::{Desk, Done, tool};
use serde_json::json;

/// The command fails with one line that has all of `parts` and none of the words of REST.
#[track_caller]
fn refused(desk: &Desk, args: &[&str], code: i32, parts: &[&str]) -> Done {
    let done = desk.run(args).expect(code);
    for part in parts {
        assert!(done.err.contains(part), "{part:?} is not told: {done:?}");
    }
    for word in ["Send ", "`allowed`", "`input_tokens`", "it was nothing"] {
        assert!(!done.err.contains(word), "{word:?} is a word of REST: {done:?}");
    }
    done
}

#[test]
fn parameters_are_told_as_the_flags_that_set_them() {
    let desk = Desk::new();
    refused(&desk, &["cost", "gpt-5", "--input", "1x"], 2, &["--input is \"1x\"", "200k"]);
    refused(
        &desk,
        &["cost", "gpt-5", "--input", "1", "--output", "1", "--reasoning", "2"],
        2,
        &["--reasoning", "--output"],
    );
    let sort =
        refused(&desk, &["list", "model", "--sort", "price_inputt"], 2, &["--sort", "Did you mean `price_input`?"]);
    assert_eq!(sort.err.matches("price_output").count(), 1, "the fields are listed once: {sort:?}");
    refused(
        &desk,
        &["list", "tool", "--context-tokens-gte", "5"],
        2,
        &["--context-tokens-gte does not apply here (only of: model)"],
    );
    refused(
        &desk,
        &["list", "tool", "--capability", "tool_call"],
        2,
        &["--capability does not apply here (only of: model)"],
    );
    for (args, parts) in [
        (&["--format", "csv"][..], &["--format needs --type"][..]),
        (&["--vendor", "x"], &["--vendor needs --type", "model"]),
        (&["--sort", "price_input"], &["--sort needs --type"]),
        (&["--facets", "vendor"], &["--facets needs --type"]),
    ] {
        refused(&desk, &[&["search", "foo"], args].concat(), 2, parts);
    }
    for ids in [&["gpt-5", "gpt-5", "--type", "model"][..], &["gpt-5"]] {
        let few = refused(&desk, &[&["compare"], ids].concat(), 2, &["2 to 10 ids", "gpt-5"]);
        assert!(!few.err.contains("--ids"), "a flag that nobody typed: {few:?}");
    }
    refused(&desk, &["list", "model", "--offset", "-1"], 2, &["--offset takes a whole number from 0"]);
    refused(&desk, &["keys", "create", "--name", "a", "--limit", "abc"], 2, &["whole number from 0"]);
    refused(&desk, &["keys", "create", "--name", "a\u{1b}[31mb"], 2, &["1 to 100 characters, none of them a control"]);
    refused(&desk, &["serve", "--rate-limit-anon", "many"], 2, &["write a whole number from 0"]);
    desk.write("letter.txt", "a letter");
    refused(&desk, &["import", "letter.txt"], 2, &["refdesk export"]);
    refused(&desk, &["export", "letter.txt", "--format", "csv"], 2, &["letter.txt", "folder"]);
    let nowhere =
        refused(&desk, &["export", "no/such/x.tar.zst"], 2, &["no/such: the folder does not exist; create it"]);
    assert!(!nowhere.err.contains(".tmp"), "a file that nobody named: {nowhere:?}");
    refused(&desk, &["config", "init", "no/such/x.toml"], 2, &["x.toml", "folder does not exist"]);
}

#[test]
fn a_cost_asks_for_tokens_and_names_the_sellers_that_there_are() {
    let desk = Desk::new();
    refused(&desk, &["cost", "gpt-5"], 2, &["--input", "--output"]);
    let known = desk.json(&["cost", "gpt-5", "--input", "1m"]);
    let seller = known["sellers"][0]["seller"].as_str().unwrap().to_owned();
    refused(&desk, &["cost", "gpt-5", "--input", "1m", "--seller", "nobody"], 1, &["nobody", &seller]);
    desk.run(&["cost", "gpt-5", "--input", "1m", "--seller", &seller]).expect(0);
    let server = desk.serve(&["--offline", "--set", "sync=false"]);
    refused(&desk, &["cost", "gpt-5", "--input", "1m", "--seller", "nobody"], 1, &["nobody", &seller]);
    refused(&desk, &["list", "model", "--price-of", "nobody"], 1, &["nobody", "--price-of"]);
    assert_eq!(server.stop().0, 0);
    refused(&desk, &["list", "model", "--price-of", "nobody"], 1, &["nobody", "--price-of"]);
}

#[test]
fn an_address_that_is_none_is_told_without_the_words_of_a_library() {
    let desk = Desk::new();
    for url in ["foo:", "desk.example", "ftp://desk.example"] {
        let told =
            format!("error: --url {url} is no URL of a desk; write it as http://127.0.0.1:8787 or https://host\n");
        assert_eq!(refused(&desk, &["mcp", "--url", url], 2, &[]).err, told);
    }
}

#[test]
fn only_a_word_that_is_near_is_suggested() {
    let desk = Desk::new();
    for args in [
        &["list", "model", "--set", "foo=1"][..],
        &["sources", "add", "our-cards"],
        &["sources", "add", "our-cards", "--url", "cards"],
    ] {
        assert!(!refused(&desk, args, 2, &[args[2]]).err.contains("did you mean"), "{args:?}");
    }
    refused(
        &desk,
        &["sources", "add", "our-cards"],
        2,
        &["--connector and --url", "our-cards is not a default source"],
    );
    refused(
        &desk,
        &["sources", "add", "a", "--connector", "cards", "--url", "x", "--trust-tier", "officiall"],
        2,
        &["did you mean `official`?"],
    );
    let add = ["sources", "add", "litellm", "--rank", "first"];
    refused(&desk, &add, 2, &["--rank", "write a whole number, such as 5"]);
    assert!(!refused(&desk, &["sources", "show", "nope"], 1, &["nope"]).err.contains("did you mean"));
    refused(&desk, &["sources", "show", "starter-catalogue"], 1, &["did you mean `starter-catalog`?"]);
    refused(&desk, &["sources", "review", "--source", "nope"], 1, &["nope"]);
    desk.configure("[[sources]]\nid = \"litellm\"\ntrust_tier = \"officiall\"\n");
    refused(&desk, &["list", "model"], 2, &["unknown word `officiall`", "did you mean `official`?"]);
}

/// Passed over, such a flag would leave its reader with an answer to another question.
#[test]
fn a_flag_of_another_kind_is_refused() {
    let desk = Desk::new();
    refused(
        &desk,
        &["list", "model", "--include-candidates"],
        2,
        &["--include-candidates does not apply here (only of: framework)"],
    );
    let document = ["get", "document", "refdesk-manual-operations", "--all-offers"];
    refused(&desk, &document, 2, &["--all-offers is for models; a document has none"]);
    refused(&desk, &["get", "mcp-server", "x", "--prompt"], 2, &["--prompt is for frameworks; an MCP server has none"]);
    desk.run(&["list", "framework", "--include-candidates", "--limit", "1"]).expect(0);
}

/// A baseline that was mistyped was told after the figures had been kept.
#[test]
fn files_that_an_evaluation_names_are_told_with_their_flag_before_anything_is_measured() {
    let desk = Desk::new();
    desk.write("letter.txt", "a letter");
    for (flag, file, told) in [
        ("--questions", "nowhere", "--questions nowhere: cannot be read; name a file that is there"),
        ("--baseline", "nowhere", "--baseline nowhere: cannot be read; name a file that is there"),
        ("--baseline", "letter.txt", "--baseline letter.txt: holds no figures of `refdesk eval routing --write`"),
    ] {
        let done = refused(&desk, &["eval", "routing", flag, file], 2, &[told]);
        assert_eq!(done.out, "", "{done:?}");
    }
    refused(&desk, &["verify", "planet"], 2, &["unknown kind \"planet\"", "model"]);
}

#[test]
fn programs_read_which_word_of_a_few_was_meant() {
    let desk = Desk::new();
    for (args, code, meant) in [
        (&["sources", "show", "litelm"][..], 1, "litellm"),
        (&["sources", "enable", "litelm"], 2, "litellm"),
        (&["sync", "litelm"], 2, "litellm"),
        (&["verify", "modle"], 2, "model"),
        (&["list", "model", "--set", "require_keey=true"], 2, "require_key"),
        (&["get", "framework", "premortem", "--prompt", "--var", "plen=x"], 2, "plan"),
    ] {
        let problem = desk.run(&[args, &["--json"]].concat()).expect(code).json();
        assert_eq!(problem["suggestions"], json!([meant]), "{problem}");
        assert!(problem["detail"].as_str().unwrap().contains(&format!("did you mean `{meant}`?")), "{problem}");
    }
}

#[test]
fn a_folder_that_is_no_labelled_set_is_a_mistake_of_who_named_it() {
    let desk = Desk::new();
    let problem = desk.run(&["eval", "search", "nowhere", "--json"]).expect(2).json();
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.starts_with("nowhere: is not a labelled set; name a folder with corpus.jsonl"), "{detail}");
    assert_eq!((&problem["code"], &problem["status"]), (&json!("invalid_argument"), &json!(400)));
}

#[test]
fn messages_say_what_is_and_leave_out_what_is_not() {
    let desk = Desk::new();
    let forever = desk.run(&["keys", "create", "--name", "a"]).expect(0);
    assert!(forever.err.contains("never expires"), "{forever:?}");
    let days = desk.run(&["keys", "create", "--name", "b", "--expires", "90d"]).expect(0);
    assert!(days.err.contains("expires at 20"), "{days:?}");
    let verified = desk.run(&["verify"]).expect(0);
    assert!(!verified.out.contains("of 0") && verified.out.contains("no differences"), "{verified:?}");
    let offline = desk.run(&["sync", "--offline"]).expect(0);
    assert!(offline.out.contains("off or not read offline"), "{offline:?}");
    let sources = desk.run(&["sources"]).expect(0);
    let never = sources.out.lines().find(|line| line.starts_with("litellm ")).unwrap_or_else(|| panic!("{sources:?}"));
    assert!(never.contains("never") && never.contains("due"), "one that was never synced is due: {never}");
    let lint =
        desk.run(&["frameworks", "lint", concat!(env!("CARGO_MANIFEST_DIR"), "/../../catalog/frameworks")]).expect(0);
    assert!(lint.err.contains("cards checked, no findings"), "{lint:?}");
}

#[test]
fn the_version_is_that_of_the_program_whatever_command_is_named() {
    let desk = Desk::new();
    let whole = desk.run(&["--version"]).expect(0).out;
    assert!(whole.starts_with("refdesk "), "{whole}");
    for command in ["get", "list", "search", "serve"] {
        let mut bare = std::process::Command::new(env!("CARGO_BIN_EXE_refdesk"));
        assert_eq!(crate::common::done(bare.args([command, "--version"])).expect(0).out, whole, "{command}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_directory_whose_name_is_not_utf_8_is_refused_and_no_other_is_made() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join(std::ffi::OsStr::from_bytes(b"a\xff"));
    let run = |command: &mut std::process::Command| {
        let ended = crate::common::done(command.args(["list", "tool"]).current_dir(folder.path()));
        assert!(ended.code == 2 && ended.err.contains("UTF-8"), "{ended:?}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    };
    run(std::process::Command::new(env!("CARGO_BIN_EXE_refdesk")).arg("--data-dir").arg(&name));
    run(std::process::Command::new(env!("CARGO_BIN_EXE_refdesk")).env("REFDESK_DATA_DIR", &name));
}

#[test]
fn a_comparison_with_an_unknown_id_ends_as_an_unknown_item_does() {
    let desk = Desk::stored();
    let told = desk.run(&["compare", "gpt-5", "gpt-5-mnii"]).expect(1);
    assert_eq!(told.out, "", "one item is not a comparison: {told:?}");
    let (detail, near) = told.err.split_once(" Did you mean: ").unwrap_or_else(|| panic!("{told:?}"));
    assert_eq!(
        (detail, near.contains("gpt-5-mini")),
        ("no model has the id or alias \"gpt-5-mnii\".", true),
        "{told:?}"
    );
    let problem = desk.run(&["compare", "gpt-5", "gpt-5-mnii", "--json"]).expect(1).json();
    assert_eq!(problem["code"], "not_found");
    assert!(problem["suggestions"].as_array().unwrap().contains(&json!("gpt-5-mini")), "{problem}");
    // Those that are known are still shown, and the kind is that of the first of them.
    let rest = desk.run(&["compare", "gpt-5-mnii", "gpt-5", "gpt-5-mini"]).expect(1);
    assert!(rest.out.contains("Vendor") && rest.err.contains("\"gpt-5-mnii\""), "{rest:?}");
    // A kind at the beginning, as `get` and `list` have it.
    let named = desk.run(&["compare", "mcp", "gpt-5", "gpt-5-mini"]).expect(2);
    assert!(named.err.contains("name it with `--type mcp`"), "something is called so: {}", named.err);
    let with_kind = desk.run(&["compare", "model", "gpt-5", "gpt-5-mini"]).expect(1);
    assert!(with_kind.out.contains("Vendor") && with_kind.err.contains("`--type model`"), "{with_kind:?}");
    assert!(!with_kind.err.contains("Did you mean"), "{with_kind:?}");
    let served = desk.serve(&["--offline"]);
    let asked = desk.run(&["compare", "gpt-5", "gpt-5-mnii", "--type", "model"]).expect(1);
    assert_eq!((asked.out, asked.err), (told.out, told.err), "a running desk changes nothing");
    drop(served);
}

#[test]
fn a_word_that_other_programs_take_leads_to_what_is_meant() {
    let desk = Desk::new();
    refused(&desk, &["sources", "list"], 2, &["`refdesk sources` by itself lists them"]);
    refused(&desk, &["keys", "create", "ci"], 2, &["`--name ci`"]);
}

#[test]
fn status_leads_to_the_commands_that_tell_it() {
    let told = refused(&Desk::new(), &["status"], 2, &["unrecognized subcommand 'status'"]);
    assert!(told.err.contains("`refdesk sources` shows where") && told.err.contains("`refdesk doctor`"), "{told:?}");
}

#[test]
fn a_page_behind_the_end_says_so() {
    let desk = Desk::stored();
    let done = desk.run(&["list", "tool", "--offset", "9999"]).expect(1);
    let total = desk.json(&["list", "tool", "--limit", "1"])["total"].as_u64().unwrap();
    assert_eq!(done.err, format!("there are only {total}; --offset 9,999 is past the end\n"));
}

#[test]
fn an_export_writes_over_nothing_unless_it_is_told_to() {
    let desk = Desk::new();
    for (file, there, format) in [
        ("all.tar.zst", "all.tar.zst", &[][..]),
        ("desk.sqlite", "desk.sqlite", &["--format", "sqlite"]),
        ("tables", "tables/models.csv", &["--format", "csv"]),
        ("tools.ndjson", "tools.ndjson", &["--format", "ndjson", "--type", "tool"]),
    ] {
        let args = [&["export", file], format].concat();
        desk.write(there, "precious");
        let refused = refused(&desk, &args, 2, &[there, "already exists", "--force"]);
        assert_eq!(refused.err.lines().count(), 1, "{refused:?}");
        assert_eq!(std::fs::read_to_string(desk.path(there)).unwrap(), "precious");
        if file == "tables" {
            assert_eq!(std::fs::read_dir(desk.path(file)).unwrap().count(), 1, "none of the others is written either");
        }
        desk.run(&[&args[..], &["--force"]].concat()).expect(0);
        assert_ne!(std::fs::read(desk.path(there)).unwrap(), b"precious");
    }
    refused(&desk, &["export", "tables", "--force"], 2, &["tables: is a folder; name a file in it"]);
}

/// Before, a device or a named pipe became a file, and a link was lost.
#[cfg(unix)]
#[test]
fn an_export_replaces_ordinary_files_alone_and_those_that_links_lead_to() {
    use std::os::unix::fs::{FileTypeExt as _, symlink};
    let desk = Desk::new();
    let pipe = desk.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    symlink(&pipe, desk.path("to-pipe")).unwrap();
    symlink("nowhere", desk.path("to-nothing")).unwrap();
    desk.write("kept/there", "before");
    symlink("kept/there", desk.path("link")).unwrap();
    for format in [&[][..], &["--format", "sqlite"], &["--format", "ndjson", "--type", "tool"]] {
        for file in ["pipe", "to-pipe", "to-nothing"] {
            let args = [&["export", file, "--force"], format].concat();
            refused(&desk, &args, 2, &[file, "is no ordinary file", "`-`"]);
        }
        let args = [&["export", "link"], format].concat();
        refused(&desk, &args, 2, &["link: already exists", "--force"]);
        desk.write("kept/there", "before");
        desk.run(&[&args[..], &["--force"]].concat()).expect(0);
        assert_ne!(std::fs::read(desk.path("kept/there")).unwrap(), b"before", "what it leads to is replaced");
        assert!(desk.path("link").symlink_metadata().unwrap().is_symlink());
    }
    assert!(pipe.symlink_metadata().unwrap().file_type().is_fifo());
}

#[test]
fn a_named_source_that_is_not_synced_is_a_failure() {
    let desk = Desk::new();
    let done = desk.run(&["sync", "litellm", "--offline"]).expect(2);
    assert!(done.out.contains("litellm: skipped, offline"), "{done:?}");
    desk.run(&["sync", "--offline"]).expect(0);
}

#[test]
fn doctor_hints_at_a_first_sync_and_is_well_all_the_same() {
    let desk = Desk::new();
    let told = desk.run(&["doctor"]).expect(0);
    let hint =
        told.out.lines().find(|line| line.trim_start().starts_with("hint")).unwrap_or_else(|| panic!("{told:?}"));
    assert!(hint.contains("sources were never synced") && hint.contains("are stale"), "{hint}");
    assert!(told.out.contains("run `refdesk sync`"), "{told:?}");
    let report = desk.json(&["doctor"]);
    assert!(report["checks"].as_array().unwrap().iter().any(|check| check["check"] == "hint"), "{report}");
    let filled = Desk::with_cards(&[("lamp.yaml", &tool("lamp", "Gives light."))]);
    assert!(filled.run(&["doctor"]).expect(0).out.contains("1 source was never synced"));
    filled.run(&["sync"]).expect(0);
    assert!(!filled.run(&["doctor"]).expect(0).out.contains("hint"));
}

#[test]
fn a_key_that_was_revoked_says_so_the_second_time() {
    let desk = Desk::new();
    desk.run(&["keys", "create", "--name", "ci"]).expect(0);
    let first = desk.run(&["keys", "revoke", "ci"]).expect(0);
    assert!(first.out.starts_with("revoked key_"), "{first:?}");
    let again = desk.run(&["keys", "revoke", "ci"]).expect(0);
    assert!(again.out.contains("was revoked already, at 20"), "{again:?}");
}

#[test]
fn totals_have_their_thousands_apart_and_confidence_is_a_percentage_everywhere() {
    let desk = Desk::new();
    let cost = desk.run(&["cost", "gpt-5", "--input", "1000m", "--output", "1m", "--requests", "100"]).expect(0);
    let total = desk.json(&["cost", "gpt-5", "--input", "1000m", "--output", "1m", "--requests", "100"])["sellers"][0]
        ["total"]
        .clone();
    assert!(total.as_f64().unwrap() >= 1000.0, "{total}");
    let whole = total.as_f64().unwrap() as u64;
    let grouped = format!("{},{:03}", whole / 1000, whole % 1000);
    assert!(cost.out.contains(&grouped), "{grouped}: {cost:?}");
    let resolved = desk.run(&["resolve", "gpt5"]).expect(0);
    let confidence = desk.json(&["resolve", "gpt5"])["results"][0]["confidence"].as_f64().unwrap();
    assert!(resolved.out.contains(&format!("{} %", (confidence * 100.0).round())), "{resolved:?}");
}

#[test]
fn a_misspelt_variable_is_told_with_the_setting_that_is_meant() {
    let mut desk = Desk::stored();
    for name in ["REFDESK_REQUIRE_KEYS", "REFDESK_PORT_80_TCP", "REFDESK_OFFLINE_NOTES_OF_MINE"] {
        desk.environment.push((name.to_owned(), "true".to_owned()));
    }
    let told = desk.run(&["sources"]).expect(0);
    let warnings: Vec<&str> = told.err.lines().filter(|line| line.starts_with("warning: ")).collect();
    assert_eq!(
        warnings,
        ["warning: unknown setting REFDESK_REQUIRE_KEYS (did you mean REFDESK_REQUIRE_KEY?); correct or unset it"]
    );
}
