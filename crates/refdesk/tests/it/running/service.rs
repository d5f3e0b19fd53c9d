//! Look-ups through the running desk: found by its card, believed when it proves itself, and the same words as the store's.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;

use crate::common::{Desk, Server, tool};

fn card(desk: &Desk) -> PathBuf {
    desk.path("data/serve.json")
}

fn token(desk: &Desk) -> String {
    let card: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(card(desk)).unwrap()).unwrap();
    card["token"].as_str().unwrap().to_owned()
}

/// How often a route answered with success.
fn answered(server: &Server, route: &str) -> usize {
    let line = format!("refdesk_requests_total{{route=\"{route}\",status=\"2xx\"}} ");
    let text = server.get("/metrics").body;
    text.lines().find_map(|found| found.strip_prefix(&line)).map_or(0, |count| count.parse().unwrap())
}

/// Look-ups, and the route that answers each.
const LOOK_UPS: [(&[&str], &str); 12] = [
    (&["search", "premortem"], "/v1/search"),
    (&["search", "how", "do", "I", "back", "up", "--json"], "/v1/search"),
    (&["search", "qqzzxxyyww"], "/v1/search"),
    (&["get", "framework", "premortem"], "/v1/frameworks/{*id}"),
    (&["get", "framework", "premortem", "--prompt"], "/v1/frameworks/{*id}"),
    (&["list", "framework", "--limit", "3", "--json"], "/v1/frameworks/list"),
    (&["list", "models", "--format", "csv"], "/v1/models/list"),
    (&["route", "What could go wrong with our launch?", "--json"], "/v1/frameworks/route"),
    (&["resolve", "premortem", "no-such-thing-at-all", "--json"], "/v1/resolve"),
    (&["conflicts", "--json"], "/v1/conflicts"),
    (&["compare", "premortem", "five-whys", "--type", "framework"], "/v1/frameworks/compare"),
    (&["list", "documents", "--q", "back up", "--json"], "/v1/documents/list"),
];

#[test]
fn look_ups_through_the_running_desk_say_byte_for_byte_what_the_store_says() {
    let desk = Desk::stored();
    let with = |args: &[&str], how: &str| {
        let done = desk.run(&[args, &["--offline", "--set", how]].concat());
        (done.code, done.out, done.err)
    };
    let alone: Vec<_> = LOOK_UPS.iter().map(|(args, _)| with(args, "ask_service=false")).collect();
    let server = desk.serve(&["--offline", "--base-url", "https://desk.example.org"]);
    for ((args, route), alone) in LOOK_UPS.iter().zip(&alone) {
        assert_eq!(&with(args, "ask_service=false"), alone, "{args:?}");
        // A busy machine may not prove itself in time; then the store is read, and says the same.
        server.until("the desk is asked", |server| {
            let before = answered(server, route);
            assert_eq!(&with(args, "ask_service=true"), alone, "{args:?}");
            answered(server, route) > before
        });
    }
    assert_eq!(server.stop().0, 0);
    assert!(!card(&desk).exists(), "the card goes with the desk");
}

#[cfg(unix)]
#[test]
fn the_token_is_its_owners_alone_and_counts_on_loopback_instead_of_a_key() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = Desk::new();
    let server = desk.serve(&["--offline", "--require-key"]);
    assert_eq!(std::fs::metadata(card(&desk)).unwrap().permissions().mode() & 0o777, 0o600);
    let token = token(&desk);
    let ask = |header: &str| server.get_with("/v1/search?q=premortem", header).status;
    assert_eq!(ask(""), 401);
    assert_eq!(ask(&format!("Authorization: Bearer {token}\r\n")), 200);
    assert_eq!(ask(&format!("Authorization: Bearer {}x\r\n", &token[..token.len() - 1])), 401);
    assert_eq!(ask(&format!("Authorization: Bearer {token}\r\nX-Forwarded-For: 192.0.2.1\r\n")), 401, "by a proxy");
    let version = server.get("/version");
    assert!(!version.body.contains(&token), "{version:?}");
    assert_eq!(server.stop().0, 0);
}

#[test]
fn a_card_that_another_desk_does_not_prove_is_not_believed() {
    let (ours, others) = (Desk::with_cards(&[("a.yaml", &tool("lamp", "It shines."))]), Desk::new());
    ours.run(&["sync", "--offline"]).expect(0);
    let other = others.serve(&["--offline"]);
    // As if our desk had been killed and the other had taken its port.
    let ours_once = ours.serve(&["--offline"]);
    let left = std::fs::read_to_string(card(&ours)).unwrap();
    assert_eq!(ours_once.stop().0, 0);
    let address = left.split('"').find(|part| part.starts_with("127.")).unwrap();
    std::fs::write(card(&ours), left.replace(address, &other.address)).unwrap();
    let before = answered(&other, "/v1/tools/{*id}");
    let found = ours.run(&["get", "tool", "lamp", "--offline"]).expect(0);
    assert!(found.out.contains("It shines."), "{found:?}");
    assert_eq!(answered(&other, "/v1/tools/{*id}"), before, "nothing was asked of it");
    assert_eq!(other.stop().0, 0);
}

#[test]
fn who_syncs_and_then_looks_finds_what_was_synced_though_a_desk_runs() {
    let desk = Desk::with_cards(&[("a.yaml", &tool("lamp", "It shines."))]);
    desk.run(&["sync"]).expect(0);
    let server = desk.serve(&["--offline", "--set", "sync=false"]);
    for (turn, text) in ["It glows.", "It glimmers.", "It blinks."].into_iter().enumerate() {
        desk.write("cards/a.yaml", &tool("lamp", text));
        desk.run(&["sync", "mine"]).expect(0);
        let found = desk.run(&["get", "tool", "lamp"]).expect(0);
        assert!(found.out.contains(text), "turn {turn}: {found:?}");
    }
    let changed = desk.path("data/serve.changed");
    server.until("the desk takes the note away", |_| !changed.exists());
    for args in [&["sources"][..], &["sources", "show", "mine"], &["sources", "review"]] {
        desk.run(args).expect(0);
        assert!(!changed.exists(), "{args:?} only reads");
    }
    server.until("the desk shows it and says so", |_| !changed.exists());
    server.until("it is asked again", |server| {
        let before = answered(server, "/v1/tools/{*id}");
        assert!(desk.run(&["get", "tool", "lamp"]).out.contains("It blinks."));
        answered(server, "/v1/tools/{*id}") > before
    });
    assert_eq!(server.stop().0, 0);
}

#[test]
fn a_note_that_the_desk_cannot_read_is_taken_away_at_its_start() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("data")).unwrap();
    std::fs::write(desk.path("data/serve.changed"), b"\xff").unwrap();
    let server = desk.serve(&["--offline", "--set", "sync=false"]);
    assert!(!desk.path("data/serve.changed").exists());
    assert_eq!(server.stop().0, 0);
}

/// The owners of all files and folders of a folder.
#[cfg(unix)]
fn owners(folder: &std::path::Path) -> Vec<(PathBuf, u32)> {
    use std::os::unix::fs::MetadataExt as _;
    let mut found = vec![(folder.to_owned(), std::fs::metadata(folder).unwrap().uid())];
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(owners(&path));
        } else if let Ok(metadata) = std::fs::metadata(&path) {
            // One that was renamed since it was listed is listed under its name next time.
            found.push((path, metadata.uid()));
        }
    }
    found
}

/// Only root can give a file away: under another user this proves nothing, and ends at once.
#[cfg(unix)]
#[test]
fn what_root_makes_in_the_data_directory_of_a_service_is_the_services() {
    const SERVICE: u32 = 65_534;
    let desk = Desk::with_cards(&[("a.yaml", &tool("lamp", "It shines."))]);
    std::fs::create_dir(desk.path("data")).unwrap();
    if std::os::unix::fs::chown(desk.path("data"), Some(SERVICE), Some(SERVICE)).is_err() {
        return;
    }
    // As a service that runs leaves it: without it a command notes no change.
    desk.write("data/serve.json", "{}");
    std::os::unix::fs::chown(card(&desk), Some(SERVICE), Some(SERVICE)).unwrap();
    desk.run(&["sync", "mine"]).expect(0);
    let all = owners(&desk.path("data"));
    assert!(all.iter().any(|(path, _)| path.ends_with("serve.changed")), "{all:?}");
    desk.run(&["get", "tool", "lamp"]).expect(0);
    let server = desk.serve(&["--offline"]);
    let all = owners(&desk.path("data"));
    assert_eq!(server.stop().0, 0);
    assert!(all.iter().any(|(path, _)| path.ends_with("manifest.json")), "{all:?}");
    assert_eq!(all.iter().filter(|(_, owner)| *owner != SERVICE).collect::<Vec<_>>(), [] as [&(PathBuf, u32); 0]);
}

#[test]
fn a_desk_is_found_again_when_a_second_one_over_its_data_directory_ends() {
    let desk = Desk::new();
    let first = desk.serve(&["--offline", "--set", "sync=false"]);
    let second = desk.serve(&["--offline", "--set", "sync=false"]);
    assert!(std::fs::read_to_string(card(&desk)).unwrap().contains(&second.address));
    assert_eq!(second.stop().0, 0);
    first.until("its card is there again", |server| {
        std::fs::read_to_string(card(&desk)).is_ok_and(|card| card.contains(&server.address))
    });
    first.until("it is asked", |server| {
        let before = answered(server, "/v1/search");
        desk.run(&["search", "premortem", "--offline", "--set", "sync=false"]).expect(0);
        answered(server, "/v1/search") > before
    });
    assert_eq!(first.stop().0, 0);
    assert!(!card(&desk).exists());
}

/// What a program does that took the place of the desk and knows its token.
#[derive(Clone, Copy)]
enum Manner {
    /// It never says a word.
    Silent,
    /// It proves itself, and then never answers.
    Hanging,
    /// It proves itself, and answers without end.
    Endless,
}

/// Answers like a desk with this token, in its manner, for as long as the test runs.
fn impostor(proof: String, manner: Manner) -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let mut open = Vec::new();
        for stream in listener.incoming().flatten() {
            if matches!(manner, Manner::Silent) {
                open.push(stream);
                continue;
            }
            let proof = proof.clone();
            // Whoever asks goes away when it has enough.
            std::thread::spawn(move || drop(answer(stream, &proof, manner)));
        }
    });
    address
}

fn answer(mut stream: TcpStream, proof: &str, manner: Manner) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    while let Some(first) = lines.next().transpose()? {
        for line in lines.by_ref() {
            if line?.is_empty() {
                break;
            }
        }
        if first.starts_with("GET /version ") {
            let body = format!("{{\"local_token_sha256\":\"{proof}\"}}");
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())?;
        } else if matches!(manner, Manner::Endless) {
            write!(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")?;
            let piece = vec![b' '; 1 << 20];
            loop {
                stream.write_all(&piece)?;
            }
        }
    }
    Ok(())
}

#[test]
fn a_desk_that_does_not_keep_to_the_bounds_is_left_and_the_store_is_read() {
    let desk = Desk::with_cards(&[("a.yaml", &tool("lamp", "It shines."))]);
    desk.run(&["sync", "mine"]).expect(0);
    let server = desk.serve(&["--offline"]);
    let left = std::fs::read_to_string(card(&desk)).unwrap();
    let (address, token) = (server.address.clone(), token(&desk));
    assert_eq!(server.stop().0, 0);
    let proof = refdesk_serve::LocalToken::proof_of(&token);
    for manner in [Manner::Silent, Manner::Hanging, Manner::Endless] {
        let taken = impostor(proof.clone(), manner);
        std::fs::write(card(&desk), left.replace(&address, &taken.to_string())).unwrap();
        let found = desk.run(&["get", "tool", "lamp"]).expect(0);
        assert!(found.out.contains("It shines."), "{found:?}");
    }
    // A card longer than any is.
    std::fs::write(card(&desk), format!("{}{left}", " ".repeat(1 << 16))).unwrap();
    let found = desk.run(&["get", "tool", "lamp"]).expect(0);
    assert!(found.out.contains("It shines."), "{found:?}");
}
