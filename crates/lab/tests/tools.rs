//! The developers' tools on a fresh store of the starter catalog.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::Command;

/// What a tool prints that runs on a data folder.
fn printed(data: &std::path::Path, args: &[&str]) -> String {
    // Beside the folder of the test. Cargo's variable has a hyphen, which the shell of `scripts/rustc-trimmed.sh` does not pass on.
    let test = std::env::current_exe().unwrap();
    let mut command = Command::new(test.parent().unwrap().parent().unwrap().join("refdesk-lab"));
    command.args(args).arg("--offline").arg("--data-dir").arg(data).env_clear().current_dir(data);
    let done = command.output().unwrap();
    assert!(done.status.success(), "{args:?}: {done:?}");
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn known_items_are_asked_for_over_the_real_endpoint_and_exact_names_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let out = printed(folder.path(), &["known-items", "--queries", "40"]);
    let row = out.lines().find(|line| line.starts_with("| exact |")).unwrap();
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    assert_eq!((cells[2], cells[5]), ("10", "1.0000"), "each of ten is among the first ten: {out}");
}

#[test]
fn generated_rows_are_facts_that_a_second_run_changes() {
    let folder = tempfile::tempdir().unwrap();
    let made = printed(folder.path(), &["--json", "generate", "--rows", "40"]);
    assert!(made.contains("\"rows\": 40") && made.contains("generated.toml"), "{made}");
    assert!(printed(folder.path(), &["--json", "generate", "--rows", "40", "--touch", "3"]).contains("\"rows\": 3"));
}
