//! What the command line says to do next: of an id that names nothing, of a word that is blank, and of a store that was not there.

use crate::common::{Desk, Done, tool};

/// The command finds nothing and says all of `parts`.
#[track_caller]
fn not_found(desk: &Desk, args: &[&str], parts: &[&str]) -> Done {
    let done = desk.run(args).expect(1);
    for part in parts {
        assert!(done.err.contains(part), "{part:?} is not told: {done:?}");
    }
    done
}

#[test]
fn an_id_that_names_nothing_comes_with_what_to_do() {
    let desk = Desk::new();
    for (args, part) in [
        (&["get", "model", "gtp-5"][..], "Did you mean: gpt-5"),
        (&["get", "model", "zzz-9"], "`refdesk search zzz-9 --type model` looks for it."),
        (&["get", "model", "zzz 9; x"], "`refdesk search WORDS --type model` looks for it."),
        (&["get", "framework", "zzz-9"], "`refdesk list framework --q zzz-9` looks for it."),
        (&["cost", "zzz-9", "--input", "1"], "`refdesk search zzz-9 --type model` looks for it."),
        (&["verify", "model", "zzz-9"], "`refdesk search zzz-9 --type model` looks for it."),
        (&["compare", "gpt-5", "zzz-9"], "`refdesk search zzz-9 --type model` looks for it."),
        (&["get", "tool", "gpt-5"], "It names a model: `refdesk get model gpt-5`."),
        (&["cost", "premortem", "--input", "1"], "It names a framework: `refdesk get framework premortem`."),
    ] {
        let told = not_found(&desk, args, &[part]);
        let json = desk.run(&[args, &["--json"]].concat()).expect(1).json();
        let said = format!("{} {}", json["detail"], json["suggestions"]);
        assert!(said.contains(part.trim_start_matches("Did you mean: ")), "{args:?}: {said} {told:?}");
    }
    desk.run(&["get", "model", "gpt-5"]).expect(0);
    desk.run(&["list", "framework", "--q", "premortem"]).expect(0);
}

#[test]
fn a_blank_word_is_called_as_the_help_calls_it() {
    let desk = Desk::new();
    for (args, word) in
        [(&["resolve", ""][..], "NAMES is missing"), (&["cost", "", "--input", "1"], "MODEL is missing")]
    {
        let told = desk.run(args).expect(2).err;
        assert!(told.contains(word) && !told.contains("--id") && !told.contains("--model"), "{told}");
    }
}

#[test]
fn get_with_one_word_says_that_the_kind_comes_first() {
    let desk = Desk::new();
    let told = desk.run(&["get", "gpt-5"]).expect(2).err;
    assert!(told.contains("the kind comes first: `refdesk get model gpt-5`"), "{told}");
    let other = desk.run(&["sources", "show"]).expect(2).err;
    assert!(!other.contains("the kind comes first"), "only `get` takes a kind: {other}");
}

/// A mistyped directory would otherwise look like one whose facts are gone.
#[test]
fn a_new_store_is_told_once_with_its_place() {
    let desk = Desk::new();
    let first = desk.run(&["get", "model", "gpt-5", "--json"]).expect(0);
    assert!(first.err.contains("created a new store at ") && first.err.contains("refdesk.sqlite3"), "{}", first.err);
    first.json();
    let second = desk.run(&["get", "model", "gpt-5"]).expect(0);
    assert!(!second.err.contains("new store"), "{}", second.err);
}

/// Before, an empty store, as a start that was cut off leaves it, began anew without a word. Beside a catalog it is damage.
#[test]
fn an_empty_store_is_told_as_a_new_one() {
    let desk = Desk::stored();
    assert!(!desk.run(&["sources"]).expect(0).err.contains("created a new store"));
    std::fs::write(desk.store(), "").unwrap();
    std::fs::remove_dir_all(desk.path("data/catalog")).unwrap();
    let told = desk.run(&["sources"]).expect(0).err;
    assert!(told.contains("created a new store at ") && told.contains("refdesk.sqlite3"), "{told}");
}

#[test]
fn doctor_counts_the_facts_that_a_new_store_begins_with() {
    let desk = Desk::new();
    let told = desk.run(&["doctor"]).expect(0).out;
    assert!(!told.contains(" 0 facts"), "{told}");
    assert_eq!(desk.run(&["doctor"]).expect(0).out, told, "the second run says the same");
}

/// It does not take a sync that failed.
#[test]
fn doctor_names_a_local_folder_that_is_missing_once_and_says_what_to_do() {
    let desk = Desk::with_cards(&[("lamp.yaml", &tool("lamp", "Gives light."))]);
    desk.run(&["sync", "mine"]).expect(0);
    desk.run(&["doctor"]).expect(0);
    std::fs::rename(desk.path("cards"), desk.path("elsewhere")).unwrap();
    for _ in 0..2 {
        let doctor = desk.json(&["doctor"]);
        let checks = doctor["checks"].as_array().unwrap();
        let bad: Vec<_> = checks.iter().filter(|check| check["ok"] == false).collect();
        assert!(doctor["ok"] == false && bad.len() == 1, "{doctor}");
        let told = bad[0]["detail"].as_str().unwrap();
        assert!(told.starts_with(&format!("mine: {} is missing", desk.path("cards").display())), "{told}");
        assert!(told.contains("correct `url`") && told.contains("`refdesk sources disable mine`"), "{told}");
        desk.run(&["sync", "mine"]).expect(2);
    }
    desk.run(&["sources", "disable", "mine"]).expect(0);
    assert!(!desk.run(&["doctor"]).out.contains("is missing"), "who switched it off knows");
}

#[test]
fn list_without_a_kind_says_which_there_are() {
    let told = Desk::new().run(&["list"]).expect(2).err;
    assert!(told.contains("the kinds are model, tool, skill, tutorial, mcp-server, document, framework"), "{told}");
}

/// The message for people has the usage, and what was meant is only a part of its text.
#[test]
fn a_mistyped_word_is_told_to_programs_in_a_sentence_with_what_was_meant() {
    let desk = Desk::new();
    for (args, detail, meant) in [
        (&["serach", "x"][..], "unrecognized subcommand 'serach'; tip: ", "search"),
        (&["list", "model", "--vender", "x"], "unexpected argument '--vender' found; tip: ", "--vendor"),
        (&["completions", "tcsh"], "invalid value 'tcsh' for '<SHELL>' [possible values: bash, ", "zsh"),
    ] {
        let problem = desk.json(args);
        assert_eq!(problem["suggestions"][0], meant, "{problem}");
        let told = problem["detail"].as_str().unwrap();
        assert!(told.starts_with(detail) && !told.contains('\n') && !told.contains("Usage"), "{told}");
    }
}

/// No table of heads alone, and no `0 of 0`.
#[test]
fn where_there_is_nothing_a_sentence_says_so_and_stdout_is_empty() {
    let desk = Desk::stored();
    for (args, code, told) in [
        (&["keys", "list"][..], 0, "no keys; `refdesk keys create --name NAME` makes one\n"),
        (&["list", "tool", "--vendor", "nobody"], 1, "nothing found\n"),
        (&["conflicts", "--path", "no.such.path"], 1, "nothing found\n"),
    ] {
        let done = desk.run(args).expect(code);
        assert!(done.out.is_empty() && done.err.contains(told), "{done:?}");
    }
    assert_eq!(desk.json(&["keys", "list"])["keys"], serde_json::json!([]));
}

/// "Nothing found. Try other words" sent people to look for words where there was nothing to find.
#[test]
fn a_desk_without_anything_says_so_and_where_to_look() {
    let desk = Desk::new();
    desk.configure("default_sources = false\n[[sources]]\nid = \"starter-catalog\"\nenabled = false\n");
    for (args, told) in [
        (&["list", "tool"][..], "the catalog has no tools: see `refdesk sources`"),
        (&["search", "sonnet"], "the catalog is empty: see `refdesk sources`"),
        (&["search", "sonnet", "--type", "model"], "the catalog has no models: see `refdesk sources`"),
        (&["route", "what could go wrong"], "the catalog has no frameworks: see `refdesk sources`"),
    ] {
        not_found(&desk, args, &[told]);
    }
    let full = Desk::new().run(&["search", "xyzzyplugh"]).expect(1);
    assert!(full.out.starts_with("Nothing found.") && !full.err.contains("the catalog "), "{full:?}");
}

/// Else it would make a folder `models.csv` with the tables of all kinds in it.
#[test]
fn an_export_of_all_kinds_to_what_looks_like_one_table_says_what_to_add() {
    let desk = Desk::stored();
    let told = desk.run(&["export", "models.csv", "--format", "csv"]).expect(2).err;
    assert!(told.contains("models.csv: the tables of all kinds need a folder") && told.contains("--type"), "{told}");
    assert!(!desk.path("models.csv").exists());
    desk.run(&["export", "models.csv", "--format", "csv", "--type", "model"]).expect(0);
}

/// A pasted file may be longer than a request.
#[test]
fn what_no_request_can_hold_is_refused_and_what_one_can_is_answered() {
    let desk = Desk::new();
    let cut = desk.run(&["search", &"premortem ".repeat(5_000), "--limit", "1"]).expect(0);
    assert!(cut.err.contains("the text to look for has 49,999 characters; only the first 2,000 count"), "{cut:?}");
    not_found(&desk, &["get", "model", &"x".repeat(40_000)], &["no model has the id or alias \"xxx"]);
    let refused = desk.run(&["search", &"premortem ".repeat(7_000)]).expect(2);
    let told =
        "takes 70013 bytes of a request, which has at most 65534; of a question the first 2000 characters are read";
    assert!(refused.err.contains(told), "{refused:?}");
}

/// Paths of REST have other answers at these words, and none for an empty one.
#[test]
fn an_id_that_is_a_word_of_a_path_or_empty_is_told_as_any_other_that_names_nothing() {
    let desk = Desk::new();
    for id in ["list", "search", "route", "compare", ""] {
        let told = format!("no framework has the id or alias \"{id}\".");
        not_found(&desk, &["get", "framework", id], &[&told, "looks for it"]);
    }
    let both = ["compare", "list", "premortem", "--type", "framework"];
    not_found(&desk, &both, &["no framework has the id or alias \"list\".", "looks for it"]);
    let server = desk.serve(&["--offline", "--set", "sync=false"]);
    not_found(&desk, &["get", "framework", "search"], &["no framework has the id or alias \"search\"."]);
    not_found(&desk, &both, &["no framework has the id or alias \"list\"."]);
    assert_eq!(server.stop().0, 0);
}
