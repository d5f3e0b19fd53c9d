//! What packages carry beside the program: its version, manual pages, completions, and files that name the same version.

use std::process::Command;

use crate::common::{Desk, done, tool};

const VERSION: &str = env!("CARGO_PKG_VERSION");

#[test]
fn the_version_names_the_commit_and_its_date_on_request_of_the_long_form() {
    let desk = Desk::new();
    let short = desk.run(&["-V"]).expect(0).out;
    assert_eq!(short, format!("refdesk {VERSION}\n"));
    let long = done(Command::new(env!("CARGO_BIN_EXE_refdesk")).arg("--version")).expect(0).out;
    let told = long.strip_prefix(&format!("refdesk {VERSION} (")).and_then(|rest| rest.strip_suffix(")\n"));
    let (commit, date) = told.and_then(|told| told.split_once(", ")).unwrap_or_else(|| panic!("{long:?}"));
    assert!(commit == "unknown" || commit.len() == 40 && commit.bytes().all(|b| b.is_ascii_hexdigit()), "{long:?}");
    assert!(date == "unknown" || date.len() == 20 && date.starts_with("20") && date.ends_with('Z'), "{long:?}");
    let version = desk.serve(&["--offline"]).get("/version").json();
    for (member, wanted) in [("version", VERSION), ("commit", commit), ("commit_date", date)] {
        assert_eq!(version[member], wanted);
    }
}

#[test]
fn the_changelog_and_the_registry_entry_are_of_this_version() {
    let changelog = include_str!("../../../../CHANGELOG.md");
    assert!(changelog.contains(&format!("\n## [{VERSION}] ")), "CHANGELOG.md has no section for {VERSION}");
    let entry: serde_json::Value = serde_json::from_str(include_str!("../../../../server.json")).unwrap();
    assert_eq!(entry["version"], VERSION);
}

#[test]
fn every_command_has_a_manual_page() {
    let desk = Desk::new();
    let done = desk.run(&["man", "pages/man1"]).expect(0);
    let files = std::fs::read_dir(desk.path("pages/man1")).unwrap().count();
    assert_eq!(done.out, format!("wrote {files} pages into pages/man1\n"));
    assert_eq!(desk.json(&["man", "pages/man1"]), serde_json::json!({"folder": "pages/man1", "pages": files}));
    let page = |name: &str| std::fs::read_to_string(desk.path(&format!("pages/man1/{name}.1"))).unwrap();
    assert!(page("refdesk").contains(".SH SUBCOMMANDS"));
    assert!(page("refdesk-serve").contains("\\-\\-listen"));
    assert!(page("refdesk-sources-add").contains("\\-\\-token\\-env"));
    assert!(page("refdesk-keys-create").contains(&format!("v{VERSION}")));
    for name in ["refdesk", "refdesk-get", "refdesk-sources-add"] {
        let page = page(name);
        let title = page.lines().find(|line| line.starts_with(".TH")).unwrap_or_default();
        assert!(title.trim_end().ends_with(&format!("\"refdesk {VERSION}\"")), "the footer names the program: {title}");
    }
    // A synopsis of a line, although the command has more than a hundred flags.
    let search = page("refdesk-search");
    assert!(search.contains(".SH SYNOPSIS\nrefdesk search [OPTIONS] <QUERY>...\n.SH DESCRIPTION\n"), "{search}");
    assert!(search.contains(".SH EXAMPLES\n") && !search.contains("EXTRA"), "{search}");
    assert!(page("refdesk-keys-create").contains("\nrefdesk keys create [OPTIONS] \\-\\-name <NAME>\n"));
    desk.write("file", "");
    let refused = desk.run(&["man", "file"]).expect(2);
    assert!(refused.err.contains("name another folder"), "{refused:?}");
}

/// What a shell would offer for a line: as its script asks for it, without a shell.
fn completed(desk: &Desk, line: &[&str]) -> Vec<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_refdesk"));
    command.arg("--").args(line).env_clear().current_dir(desk.folder.path()).env("REFDESK_COMPLETE", "bash");
    command.env("REFDESK_DATA_DIR", desk.path("data")).env("REFDESK_CONFIG", desk.path("refdesk.toml"));
    command.env("_CLAP_COMPLETE_INDEX", (line.len() - 1).to_string()).env("_CLAP_IFS", "\n");
    let told = done(&mut command).expect(0);
    assert_eq!(told.err, "", "{line:?}");
    told.out.lines().map(str::to_owned).collect()
}

#[test]
fn completions_know_kinds_ids_sources_and_settings() {
    let desk = Desk::with_cards(&[
        ("lantern.yaml", &tool("quillantern", "It lights the way.")),
        ("lanyard.yaml", &tool("quillanyard", "It holds the keys.")),
    ]);
    assert_eq!(completed(&desk, &["refdesk", "get", "tool", "quill"]), [""; 0], "nothing is on disk yet");
    assert!(!desk.path("data").exists(), "a completion made the data directory");
    desk.run(&["sync", "mine"]).expect(0);
    desk.run(&["get", "tool", "quillantern"]).expect(0);

    assert_eq!(completed(&desk, &["refdesk", "ge"]), ["get"]);
    assert_eq!(completed(&desk, &["refdesk", "get", "m"]), ["model", "mcp-server"]);
    assert_eq!(completed(&desk, &["refdesk", "list", "f"]), ["framework"]);
    assert_eq!(completed(&desk, &["refdesk", "search", "x", "--type", "f"]), [""; 0], "a search finds none of them");
    assert_eq!(completed(&desk, &["refdesk", "search", "x", "--type", "m"]), ["mcp-server", "model"]);
    assert_eq!(completed(&desk, &["refdesk", "list", "mcp-server", "--install-type", "p"]), ["package"]);
    assert_eq!(completed(&desk, &["refdesk", "list", "model", "--status", "dep"]), ["deprecated"]);
    assert_eq!(completed(&desk, &["refdesk", "route", "x", "--domain", "ri"]), ["risk"]);
    assert_eq!(completed(&desk, &["refdesk", "serve", "--role", "sy"]), ["syncer"]);
    assert_eq!(completed(&desk, &["refdesk", "list", "model", "--stale", "f"]), ["false"]);
    assert_eq!(completed(&desk, &["refdesk", "get", "tool", "quill"]), ["quillantern", "quillanyard"]);
    assert_eq!(completed(&desk, &["refdesk", "get", "model", "quill"]), [""; 0], "the kind that was typed counts");
    assert_eq!(completed(&desk, &["refdesk", "compare", "--type", "tool", "quillantern", "quillany"]), ["quillanyard"]);
    assert_eq!(completed(&desk, &["refdesk", "sources", "show", "mi"]), ["mine"]);
    assert_eq!(completed(&desk, &["refdesk", "sync", "mi"]), ["mine"]);
    assert_eq!(
        completed(&desk, &["refdesk", "sources", "add", "x", "--connector", "mcp-"]),
        ["mcp-registry", "mcp-servers-data"]
    );
    assert_eq!(completed(&desk, &["refdesk", "doctor", "--set", "base_"]), ["base_url="]);
    assert_eq!(completed(&desk, &["refdesk", "--config", "missing.toml", "sources", "show", "litel"]), ["litellm"]);
    desk.configure("listen = 3");
    assert_eq!(
        completed(&desk, &["refdesk", "sources", "show", "mi"]),
        [""; 0],
        "a wrong configuration is not told of"
    );
}

#[test]
fn bash_offers_ids_after_it_has_read_the_script() {
    let desk = Desk::with_cards(&[("lantern.yaml", &tool("quillantern", "It lights the way."))]);
    desk.run(&["sync", "mine"]).expect(0);
    desk.run(&["get", "tool", "quillantern"]).expect(0);
    let script = "source <(refdesk completions bash)\n\
                  COMP_WORDS=(refdesk get tool quill) COMP_CWORD=3 COMP_TYPE=9\n\
                  \"$(complete -p refdesk | sed 's/.*-F \\([^ ]*\\).*/\\1/')\" refdesk quill tool\n\
                  printf '%s\\n' \"${COMPREPLY[@]}\"\n";
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_refdesk")).parent().unwrap();
    let mut command = Command::new("bash");
    command.args(["--norc", "-c", script]).env_clear().current_dir(desk.folder.path());
    command.env("PATH", format!("{}:/usr/bin:/bin", folder.display()));
    command.env("REFDESK_DATA_DIR", desk.path("data")).env("REFDESK_CONFIG", desk.path("refdesk.toml"));
    assert_eq!(done(&mut command).expect(0).out, "quillantern\n");
}
