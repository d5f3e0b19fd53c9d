//! An operator's word on a quarantined source: what was reviewed is taken, and nothing else; what was not done is not told as done.

use crate::common::{Desk, tool};
use serde_json::{Value, json};

const CARDS: usize = 10;

/// A desk whose source `mine` had ten cards, and of which six are gone, so that it is quarantined.
fn desk() -> Desk {
    let desk = Desk::with_cards(&[]);
    for number in 0..CARDS {
        desk.write(&format!("cards/{}", file(number)), &tool(&format!("lamp-{number}"), "Gives light."));
    }
    desk.run(&["sync", "mine"]).expect(0);
    remove(&desk, 4..CARDS);
    assert_eq!(desk.json(&["sync", "mine"])[0]["error"]["code"], "mass_removal");
    desk
}

fn file(number: usize) -> String {
    format!("lamp-{number}.yaml")
}

fn remove(desk: &Desk, numbers: std::ops::Range<usize>) {
    numbers.for_each(|number| std::fs::remove_file(desk.path("cards").join(file(number))).unwrap());
}

fn entry(desk: &Desk) -> Value {
    let entries = desk.json(&["sources", "review"])["entries"].clone();
    assert_eq!(entries.as_array().unwrap().len(), 1, "{entries}");
    entries[0].clone()
}

fn outcomes(desk: &Desk) -> Vec<String> {
    let runs = desk.json(&["sources", "show", "mine"])["runs"].clone();
    runs.as_array().unwrap().iter().map(|run| run["outcome"].as_str().unwrap().to_owned()).collect()
}

fn status_of(desk: &Desk, id: &str) -> Value {
    desk.json(&["get", "tool", id])["tool"]["status"].clone()
}

#[test]
fn what_was_reviewed_is_accepted_and_noted() {
    let desk = desk();
    let id = entry(&desk)["id"].as_str().unwrap().to_owned();
    let done = desk.json(&["sources", "review", "accept", &id]);
    assert_eq!(done, json!({"verdict": "accepted", "entries": [id], "failed": []}));
    assert_eq!(outcomes(&desk), ["reviewed", "updated", "quarantined", "updated"]);
    assert_eq!((status_of(&desk, "lamp-3"), status_of(&desk, "lamp-4")), (json!("unknown"), json!("removed")));
}

/// Accepting is no forced sync, which takes whatever the source says by then.
#[test]
fn a_state_that_nobody_reviewed_is_not_accepted_in_the_place_of_one_that_was() {
    let desk = desk();
    let id = entry(&desk)["id"].as_str().unwrap().to_owned();
    remove(&desk, 0..4);
    let done = desk.run(&["sources", "review", "accept", &id]).expect(2);
    assert!(done.err.contains("says something else by now than what was reviewed"), "{done:?}");
    assert!(done.err.contains("zero_rows") && done.out.is_empty(), "{done:?}");
    assert_eq!(outcomes(&desk)[0], "quarantined", "nothing is noted as accepted");
    assert_ne!(status_of(&desk, "lamp-3"), "removed");
    let anew = entry(&desk);
    assert_ne!(anew["id"], id.as_str());
    assert!(anew["reason"].as_str().unwrap().starts_with("zero_rows"), "{anew}");
    desk.run(&["sources", "review", "accept", anew["id"].as_str().unwrap()]).expect(0);
    assert_eq!(status_of(&desk, "lamp-3"), "removed");
}

/// A sync that is passed over accepts nothing.
#[test]
fn accepting_what_is_not_synced_fails_with_the_reason_and_is_not_noted() {
    for (url, told) in
        [("https://cards.example/", "offline: no connection is opened"), ("gone", "its state could not be taken")]
    {
        let desk = desk();
        let id = entry(&desk)["id"].as_str().unwrap().to_owned();
        let text = std::fs::read_to_string(desk.path("refdesk.toml")).unwrap();
        desk.configure(&text.replace("\"cards\"\ninterval", &format!("\"{url}\"\ninterval")));
        let done = desk.run(&["--offline", "sources", "review", "accept", &id]).expect(2);
        assert!(done.err.contains("mine was not accepted") && done.err.contains(told), "{done:?}");
        assert_eq!(done.out, "", "nothing is told as accepted");
        assert!(!outcomes(&desk).contains(&"reviewed".to_owned()), "nothing is noted as accepted");
    }
}

/// They are not "held back": prices that wait to be stated again are mostly shown.
#[test]
fn the_table_of_a_sync_calls_pending_prices_what_they_are() {
    let card = |price: u32| {
        format!(
            "kind: model\nid: lamp\ndisplay_name: Lamp\nvendor: Lampworks\nsource_url: https://lamp.example/\nchecked_on: 2026-08-01\n\
             description: Gives light.\npricing:\n  input: {price}\n  output: {price}\n"
        )
    };
    let desk = Desk::with_cards(&[("lamp.yaml", &card(1))]);
    desk.run(&["sync", "mine"]).expect(0);
    desk.write("cards/lamp.yaml", &card(1_000));
    let table = desk.run(&["sync", "mine"]).expect(0).out;
    let mut lines = table.lines().map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()));
    let (heads, row): (Vec<_>, Vec<_>) = (lines.next().unwrap().collect(), lines.next().unwrap().collect());
    let at = heads.iter().position(|head| *head == "pending prices").unwrap_or_else(|| panic!("{table}"));
    assert_eq!((row[1], row[at]), ("updated", "2"), "{table}");
    assert!(!table.contains("held back"), "{table}");
}
