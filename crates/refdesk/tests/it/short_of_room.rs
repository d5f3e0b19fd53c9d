//! A machine that gives too little, files that may be open or room on a disk: what that ends is told with what to raise, and loses nothing.

use std::process::Command;

use crate::common::{Desk, Server, done, tool};

/// A command under a limit that bash sets first, such as `ulimit -n 300`.
fn limited(desk: &Desk, limit: &str, args: &[&str]) -> Command {
    let mut shell = Command::new("bash");
    shell.arg("-c").arg(format!("{limit}; exec \"$@\"")).args(["bash", env!("CARGO_BIN_EXE_refdesk")]);
    shell.args(args).arg("--data-dir").arg(desk.path("data"));
    shell.env_clear().env("PATH", "/usr/bin:/bin").current_dir(desk.folder.path());
    shell
}

/// Before any of them is missing: the words of the system (`Too many open files`) name no limit. 256 of the 300 files are left to all else.
#[test]
fn a_server_that_may_open_too_few_files_says_what_to_raise_and_takes_fewer_connections() {
    let desk = Desk::stored();
    let mut serve = limited(&desk, "ulimit -n 300", &["serve", "--offline", "--listen", "127.0.0.1:0"]);
    let server = Server::started(serve.stderr(std::fs::File::create(desk.path("log")).unwrap()));
    let log = std::fs::read_to_string(desk.path("log")).unwrap();
    let told = log.lines().find(|line| line.contains("too few open files")).unwrap_or_else(|| panic!("{log}"));
    for part in ["raise its limit (ulimit -n, LimitNOFILE)", "connections_max=4096", "possible=44"] {
        assert!(told.contains(part), "{part:?} is not told: {told}");
    }
    assert_eq!(server.get("/v1/models/list?limit=1").status, 200);
}

/// A full disk is made of `RLIMIT_FSIZE`, with its signal ignored; nobody may write to `/proc`, not even root.
#[test]
fn a_server_whose_store_cannot_be_written_does_not_start_and_says_what_to_do() {
    let program = env!("CARGO_BIN_EXE_refdesk");
    let serve = |data: &str, file_blocks_max: &str| {
        let mut shell = Command::new("bash");
        shell.arg("-c").arg(format!("trap '' XFSZ; ulimit -f {file_blocks_max}; exec \"$@\"")).arg("bash");
        shell.args([program, "serve", "--listen", "127.0.0.1:0", "--offline", "--data-dir", data]);
        shell.env_clear().env("PATH", "/usr/bin:/bin");
        let ended = done(&mut shell).expect(2);
        assert_eq!(ended.out, "", "it does not listen: {ended:?}");
        assert_eq!(ended.err.lines().count(), 1, "{ended:?}");
        for part in ["refdesk.sqlite3", "can be written", "has room", "--data-dir", "REFDESK_DATA_DIR"] {
            assert!(ended.err.contains(part), "{part:?} is not told: {}", ended.err);
        }
    };
    let desk = Desk::with_cards(&[("lamp.yaml", &tool("lamp", "Gives light."))]);
    serve("/proc/refdesk", "unlimited");
    serve(desk.path("fresh").to_str().unwrap(), "0");
    desk.run(&["sync", "mine"]).expect(0);
    serve(desk.path("data").to_str().unwrap(), "0");
    desk.run(&["get", "tool", "lamp"]).expect(0);
}

/// A full disk is made of `RLIMIT_FSIZE`, below the size of the frameworks. The name of a temporary file would tell nobody anything, and the
/// tables that are whole would pass for an export.
#[test]
fn an_export_to_a_full_disk_names_its_file_and_leaves_nothing() {
    let desk = Desk::stored();
    desk.run(&["list", "framework"]).expect(0);
    for (args, file) in [
        (&["export", "tables", "--format", "ndjson"][..], "tables/frameworks.ndjson: cannot be written"),
        (&["export", "all.tar.zst"], "all.tar.zst: "),
    ] {
        let ended = done(&mut limited(&desk, "trap '' XFSZ; ulimit -f 512", args)).expect(2);
        assert!(ended.err.contains(file) && !ended.err.contains(".tmp"), "{ended:?}");
    }
    assert_eq!(std::fs::read_dir(desk.path("tables")).unwrap().count(), 0);
    assert!(!desk.path("all.tar.zst").exists());
}

/// A full disk is made of `RLIMIT_FSIZE`, below the size of the file; the store is smaller.
#[test]
fn a_full_disk_leaves_the_configuration_file_as_it_was() {
    let desk = Desk::with_cards(&[("lamp.yaml", &tool("lamp", "Gives light."))]);
    desk.run(&["list", "tool"]).expect(0);
    let full = |kibibytes: &str, args: &[&str]| {
        let ended = done(&mut limited(&desk, &format!("trap '' XFSZ; ulimit -f {kibibytes}"), args)).expect(2);
        assert!(ended.err.contains("disk is full") && ended.err.contains("make room"), "{ended:?}");
    };
    full("4", &["config", "init", "new.toml"]);
    assert!(!desk.path("new.toml").exists(), "half a configuration is none");

    let small = std::fs::read_to_string(desk.path("refdesk.toml")).unwrap();
    let store_kibibytes = std::fs::metadata(desk.store()).unwrap().len() / 1024 + 4096;
    let before = format!("{small}# {}\n", "long ".repeat(usize::try_from(store_kibibytes * 1024 / 5).unwrap()));
    desk.configure(&before);
    let kept = desk.path("kept.toml");
    std::fs::rename(desk.path("refdesk.toml"), &kept).unwrap();
    std::os::unix::fs::symlink(&kept, desk.path("refdesk.toml")).unwrap();
    std::fs::set_permissions(&kept, std::os::unix::fs::PermissionsExt::from_mode(0o640)).unwrap();
    for args in
        [&["sources", "disable", "mine"][..], &["sources", "add", "ours", "--connector", "cards", "--url", "cards"]]
    {
        full(&store_kibibytes.to_string(), args);
        assert!(std::fs::read_to_string(&kept).unwrap() == before, "{args:?} changed it");
    }
    let names = std::fs::read_dir(desk.folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.filter_map(|name| name.into_string().ok()).collect();
    names.sort();
    assert_eq!(names, ["cards", "data", "kept.toml", "refdesk.toml"], "nothing half-written is left");

    desk.run(&["sources", "disable", "mine"]).expect(0);
    let after = std::fs::metadata(&kept).unwrap();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&after.permissions()) & 0o777, 0o640);
    assert!(std::fs::read_to_string(&kept).unwrap().contains("enabled = false"), "through the link");
    assert!(std::fs::symlink_metadata(desk.path("refdesk.toml")).unwrap().is_symlink());
}
