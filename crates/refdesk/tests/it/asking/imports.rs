//! Archives that come slowly, from standard input or a pipe: nobody who writes waits for them, and what is too large or none is refused.

use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::{Desk, tool};

/// A desk with a card, and the archive of its catalog.
fn exported() -> Vec<u8> {
    let desk = Desk::with_cards(&[("lamp.yaml", &tool("lamp", "Gives light."))]);
    desk.run(&["sync", "mine"]).expect(0);
    desk.run(&["export", "all.refdesk"]).expect(0);
    std::fs::read(desk.path("all.refdesk")).unwrap()
}

/// Before, whoever wrote waited until the archive had come to its end, and failed.
#[test]
fn while_an_archive_comes_slowly_others_write_and_then_it_is_imported() {
    let archive = exported();
    let desk = Desk::with_cards(&[("saw.yaml", &tool("saw", "Cuts."))]);
    desk.run(&["sync", "mine"]).expect(0);
    let mut import = desk.command(&["import", "-", "--json"]);
    let mut child = import.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // All but the end: enough for every part that could be written before it.
    let (most, end) = archive.split_at(archive.len() - 200);
    input.write_all(most).unwrap();
    std::thread::sleep(Duration::from_secs(2));
    let begun = Instant::now();
    desk.run(&["keys", "create", "--name", "ada"]).expect(0);
    desk.write("cards/saw.yaml", &tool("saw", "Cuts wood."));
    assert_eq!(desk.json(&["sync", "mine"])[0]["counts"]["changed"], 1);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    desk.run(&["get", "tool", "lamp"]).expect(1);
    input.write_all(end).unwrap();
    drop(input);
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success(), "{ended:?}");
    desk.run(&["get", "tool", "lamp"]).expect(0);
    desk.run(&["get", "tool", "saw"]).expect(1);
}

/// What an import from standard input says of some bytes.
fn refused(desk: &Desk, bytes: &[u8], set: &str) -> String {
    let mut import = desk.command(&["import", "-", "--set", set]);
    let mut child = import.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The command may have ended before it read all of them.
    let _ = child.stdin.take().unwrap().write_all(bytes);
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    String::from_utf8(ended.stderr).unwrap()
}

#[test]
fn an_archive_that_comes_is_refused_when_it_is_too_large_and_at_once_when_it_is_none() {
    let archive = exported();
    let desk = Desk::stored();
    let told = refused(&desk, &archive, &format!("import_bytes_max={}", archive.len() - 1));
    assert!(told.contains("larger than import_bytes_max") && told.contains("nothing was imported"), "{told}");
    let told = refused(&desk, &vec![b'y'; 1 << 20], "offline=true");
    assert!(told.contains("does not begin as a file of `refdesk export` does"), "{told}");
    let told = refused(&desk, &archive[..archive.len() / 2], "offline=true");
    assert!(told.contains("not a complete refdesk archive"), "{told}");
    desk.run(&["get", "tool", "lamp"]).expect(1);
    let left: Vec<_> = std::fs::read_dir(desk.path("data")).unwrap().map(|file| file.unwrap().file_name()).collect();
    let is_known = |name: &std::ffi::OsString| {
        let name = name.to_string_lossy();
        name.starts_with("refdesk.sqlite3") || ["catalog", "sync.lock"].contains(&&*name)
    };
    assert!(left.iter().all(is_known), "{left:?}");
    std::fs::write(desk.path("all.refdesk"), &archive).unwrap();
    desk.run(&["import", "all.refdesk", "--set", "import_bytes_max=1"]).expect(0);
    desk.run(&["get", "tool", "lamp"]).expect(0);
}

/// A named pipe is a file by its name, and comes as slowly as whoever writes into it.
#[cfg(unix)]
#[test]
fn a_named_pipe_is_received_as_standard_input_is() {
    let archive = exported();
    let desk = Desk::stored();
    let pipe = desk.path("all.refdesk");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut import = desk.command(&["import", "all.refdesk"]);
    let child = import.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut writing = std::fs::File::options().write(true).open(&pipe).unwrap();
    writing.write_all(&archive[..archive.len() - 200]).unwrap();
    desk.run(&["keys", "create", "--name", "ada"]).expect(0);
    writing.write_all(&archive[archive.len() - 200..]).unwrap();
    drop(writing);
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success(), "{ended:?}");
    desk.run(&["get", "tool", "lamp"]).expect(0);
}
