//! Archives: a catalog survives export and import, also where one comes slowly, from standard input or a pipe: nobody who writes waits for it, and
//! what is too large or none is refused.

use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::{Desk, tool};
use serde_json::Value;

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

/// Every item with its evidence and body, without what only the moment of asking decides.
fn catalog(desk: &Desk) -> Vec<(String, Value)> {
    let server = desk.serve(&["--offline", "--set", "sync=false"]);
    let mut items = Vec::new();
    for kind in ["models", "tools", "skills", "tutorials", "mcp-servers", "documents", "frameworks"] {
        let more = if kind == "frameworks" { "&include_candidates=true" } else { "" };
        let mut offset = Some(0);
        while let Some(at) = offset {
            let page = server.get(&format!("/v1/{kind}/list?limit=500&offset={at}{more}")).json();
            for row in page[kind.replace('-', "_")].as_array().unwrap() {
                let id = row["id"].as_str().unwrap();
                let prompt = if kind == "frameworks" { "?include_prompt=true" } else { "" };
                let detail = server.get(&format!("/v1/{kind}/{id}{prompt}"));
                assert_eq!(detail.status, 200, "{detail:?}");
                items.push((format!("{kind}/{id}"), detail.json()));
            }
            offset = page["next_offset"].as_u64();
        }
    }
    items
}

#[test]
fn export_and_import_lose_nothing() {
    let desk = Desk::with_cards(&[
        ("lamp.yaml", &tool("lamp", "Gives light.")),
        (
            "guide.md",
            "---\nkind: document\nid: guide\ntitle: Guide\nsource_url: https://lamp.example/guide\n---\n# Guide\n\nTrim the wick.\n",
        ),
    ]);
    desk.run(&["sync", "mine"]).expect(0);
    desk.run(&["export", "all.refdesk"]).expect(0);
    let other = Desk::new();
    other.run(&["import", desk.path("all.refdesk").to_str().unwrap()]).expect(0);
    let (before, after) = (catalog(&desk), catalog(&other));
    assert!(before.len() > 200, "{}", before.len());
    let names = |items: &[(String, Value)]| items.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&before), names(&after));
    for ((name, before), (_, after)) in before.iter().zip(&after) {
        assert_eq!(before, after, "{name}");
    }
    assert_eq!(other.json(&["verify"])["differences"], Value::Array(Vec::new()));
    // A damaged archive changes nothing.
    let mut bytes = std::fs::read(desk.path("all.refdesk")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    std::fs::write(other.path("bad.refdesk"), &bytes[..]).unwrap();
    let done = other.run(&["import", "bad.refdesk"]);
    assert_eq!(done.code, 2, "{done:?}");
    other.run(&["get", "tool", "lamp"]).expect(0);
}

/// Before, a mistyped name left a new store behind.
#[test]
fn an_archive_that_is_not_there_makes_no_store() {
    let desk = Desk::new();
    let done = desk.run(&["import", "nowhere.refdesk"]).expect(2);
    assert!(done.err.contains("nowhere.refdesk: cannot be read"), "{done:?}");
    assert!(!desk.store().exists());
}

/// The facts of the source `mine` in the store of a desk.
async fn imported(desk: &Desk) -> i64 {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(desk.store());
    let Ok(mut store) = sqlx::ConnectOptions::connect(&options).await else { return 0 };
    let count = sqlx::query_scalar("SELECT count(*) FROM facts WHERE source_id = 'mine'").fetch_one(&mut store).await;
    sqlx::Connection::close(store).await.unwrap();
    // Killed before the tables were made.
    count.unwrap_or(0)
}

/// Starts an import, feeds it that much of an archive, and kills it: as soon as it has taken what it was fed, or, when `whole`, so much
/// later.
async fn killed_import(archive: &[u8], whole: Option<Duration>) -> i64 {
    let other = Desk::new();
    let mut import = other.command(&["import", "-"]);
    let mut child = import.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(archive).unwrap();
    if let Some(later) = whole {
        drop(input);
        std::thread::sleep(later);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let left = imported(&other).await;
    assert_eq!(other.json(&["verify"])["differences"], Value::Array(Vec::new()));
    // What an interrupted import leaves does not block the next one.
    std::fs::write(other.path("all.refdesk"), archive).unwrap();
    if whole.is_some() {
        other.run(&["import", "all.refdesk"]).expect(0);
        assert_eq!(imported(&other).await, CARDS);
    }
    left
}

const CARDS: i64 = 1500;

#[tokio::test]
async fn a_killed_import_leaves_all_or_nothing() {
    // Texts that do not compress, so that the archive is larger than what a pipe holds.
    let words = |number: i64| {
        let hash = |part: i64| refdesk_core::hash::content_hash(format!("{number} {part}").as_bytes());
        (0..8).map(hash).collect::<Vec<_>>().join(" ")
    };
    let cards: Vec<(String, String)> = (0..CARDS)
        .map(|number| (format!("t{number}.yaml"), tool(&format!("t{number}"), &format!("\"{}\"", words(number)))))
        .collect();
    let desk = Desk::with_cards(&cards.iter().map(|(name, text)| (&**name, &**text)).collect::<Vec<_>>());
    desk.run(&["sync", "mine"]).expect(0);
    desk.run(&["export", "all.refdesk"]).expect(0);
    let archive = std::fs::read(desk.path("all.refdesk")).unwrap();
    assert!(archive.len() > 500_000, "{}", archive.len());
    for eighths in [1, 4, 7] {
        let part = &archive[..archive.len() * eighths / 8];
        assert_eq!(killed_import(part, None).await, 0, "{eighths}/8 of the archive");
    }
    // Around the commit either may be, and nothing between.
    for later_ms in [0, 30, 100, 300, 1000] {
        let left = killed_import(&archive, Some(Duration::from_millis(later_ms))).await;
        assert!(left == 0 || left == CARDS, "{left} facts after {later_ms} ms");
    }
}

#[tokio::test]
async fn verify_finds_a_record_that_was_tampered_with() {
    let desk =
        Desk::with_cards(&[("lamp.yaml", &tool("lamp", "Gives light.")), ("wick.yaml", &tool("wick", "Burns."))]);
    desk.run(&["sync", "mine"]).expect(0);
    desk.run(&["verify", "tool", "lamp"]).expect(0);
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(desk.store());
    let mut store = sqlx::ConnectOptions::connect(&options).await.unwrap();
    let swapped = sqlx::query(
        "UPDATE records SET content = (SELECT r.content FROM records r JOIN facts f ON f.id = r.fact_id WHERE f.source_id = 'mine' AND f.key = 'wick') \
         WHERE fact_id = (SELECT id FROM facts WHERE source_id = 'mine' AND key = 'lamp')",
    );
    assert_eq!(swapped.execute(&mut store).await.unwrap().rows_affected(), 1);
    sqlx::Connection::close(store).await.unwrap();
    let done = desk.run(&["verify"]).expect(1);
    assert!(done.out.contains("lamp") && done.out.contains("1 difference"), "{done:?}");
    desk.run(&["verify", "tool", "lamp"]).expect(1);
    desk.run(&["verify", "tool", "wick"]).expect(0);
}

#[tokio::test]
async fn a_record_that_the_store_lost_is_told_and_not_an_empty_text() {
    let desk = Desk::with_cards(&[("lamp.yaml", &tool("lamp", "Gives light."))]);
    desk.run(&["sync", "mine"]).expect(0);
    let args = ["get", "document", "refdesk-manual-operations", "--raw"];
    assert!(!desk.run(&args).expect(0).out.is_empty());
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(desk.store());
    let mut store = sqlx::ConnectOptions::connect(&options).await.unwrap();
    let lost = "DELETE FROM records WHERE fact_id IN (SELECT id FROM facts WHERE kind = 'document')";
    assert!(sqlx::query(lost).execute(&mut store).await.unwrap().rows_affected() > 0);
    sqlx::Connection::close(store).await.unwrap();
    let done = desk.run(&args).expect(1);
    assert!(done.out.is_empty() && done.err.contains("the store does not have this record"), "{done:?}");
}
