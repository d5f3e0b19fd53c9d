//! Sources that are folders and files of this machine: what a card that is wrong, a file that cannot be read and a path that is not there
//! do to what was good before.

use std::process::Command;

use crate::common::{Desk, Done, done, tool};
use serde_json::{Value, json};

fn card(id: &str, status: &str) -> String {
    format!("kind: tool\nid: {id}\ndisplay_name: The {id}\nsource_url: https://lamp.example/{id}\nstatus: {status}\n")
}

/// A desk that has six good cards, in files that are not called by their ids.
fn desk() -> Desk {
    let cards = (1..=6).map(|n| (format!("f{n}.yaml"), card(&format!("lamp-{n}"), "active")));
    let cards: Vec<(String, String)> = cards.collect();
    let cards: Vec<(&str, &str)> = cards.iter().map(|(name, card)| (name.as_str(), card.as_str())).collect();
    let desk = Desk::with_cards(&cards);
    assert_eq!(desk.json(&["sync", "mine"])[0]["counts"]["added"], 6);
    desk
}

/// `added changed removed rejects` of a sync of the cards, after its result.
fn synced(desk: &Desk) -> (String, [u64; 4]) {
    let report = &desk.json(&["sync", "mine"])[0];
    let count = |name: &str| report["counts"][name].as_u64().unwrap();
    (report["result"].as_str().unwrap().to_owned(), ["added", "changed", "removed", "rejects"].map(count))
}

fn updated(counts: [u64; 4]) -> (String, [u64; 4]) {
    ("updated".to_owned(), counts)
}

fn status(desk: &Desk, id: &str) -> Value {
    desk.json(&["get", "tool", id])["tool"]["status"].clone()
}

/// File and reason of each reject.
fn rejects(desk: &Desk) -> Vec<(String, String)> {
    let shown = desk.json(&["sources", "show", "mine", "--rejects"]);
    let text = |reject: &Value, field: &str| reject[field].as_str().unwrap().to_owned();
    let rejects = shown["rejects"].as_array().unwrap().iter();
    rejects.map(|reject| (text(reject, "key"), text(reject, "reason"))).collect()
}

#[test]
fn cards_that_turned_wrong_are_held_back_and_keep_no_other_card_from_its_edit() {
    let desk = desk();
    for n in 1..=3 {
        desk.write(&format!("cards/f{n}.yaml"), &card(&format!("lamp-{n}"), "activ"));
    }
    desk.write("cards/f4.yaml", &card("lamp-4", "deprecated"));
    assert_eq!(synced(&desk), updated([0, 1, 0, 3]));
    assert_eq!([status(&desk, "lamp-1"), status(&desk, "lamp-4")], ["active", "deprecated"]);
    let reason = "`status` is `activ`, which is not one of active, preview, deprecated, retired, unknown";
    assert_eq!(rejects(&desk)[2], ("f3.yaml".to_owned(), format!("f3.yaml: {reason}")));
    for n in 4..=6 {
        desk.write(&format!("cards/f{n}.yaml"), &card(&format!("lamp-{n}"), "activ"));
    }
    assert_eq!(synced(&desk), updated([0, 0, 0, 6]), "also when none is left that is right");
    std::fs::remove_file(desk.path("cards/f1.yaml")).unwrap();
    assert_eq!(synced(&desk), updated([0, 0, 1, 5]), "one that is deleted goes");
    assert_eq!([status(&desk, "lamp-1"), status(&desk, "lamp-2")], ["removed", "active"]);
}

#[test]
fn a_card_of_which_nothing_can_be_read_is_known_by_its_file() {
    let desk = desk();
    desk.write("cards/f1.yaml", "kind: [\n");
    assert_eq!(synced(&desk), updated([0, 0, 0, 1]));
    assert_eq!([status(&desk, "lamp-1"), status(&desk, "lamp-2")], ["active", "active"]);
    std::fs::remove_file(desk.path("cards/f1.yaml")).unwrap();
    assert_eq!(synced(&desk), updated([0, 0, 1, 0]));
    assert_eq!(status(&desk, "lamp-1"), "removed");
}

#[test]
fn what_of_a_quarantined_state_could_not_be_taken_is_told_until_the_state_is_gone() {
    let desk = desk();
    desk.write("cards/f0.yaml", &card("lamp-0", "activ"));
    assert_eq!(synced(&desk), updated([0, 0, 0, 1]));
    desk.write("cards/f1.yaml", &card("lamp-1", "activ"));
    let gone: Vec<_> = (4..=6).map(|n| desk.path(&format!("cards/f{n}.yaml"))).collect();
    gone.iter().for_each(|path| std::fs::remove_file(path).unwrap());
    assert_eq!(synced(&desk), ("quarantined".to_owned(), [0, 0, 0, 2]));
    let files = |desk: &Desk| rejects(desk).into_iter().map(|(file, _)| file).collect::<Vec<_>>();
    assert_eq!(files(&desk), ["f0.yaml", "f1.yaml"]);
    let review = &desk.json(&["sources", "review"])["entries"][0]["reason"];
    let told = "2 records could not be taken: `refdesk sources show mine --rejects` says why";
    assert!(review.as_str().unwrap().starts_with("mass_removal: 3 of 6 facts would go"), "{review}");
    assert!(review.as_str().unwrap().ends_with(told), "{review}");
    let doctor = desk.json(&["doctor"]).to_string();
    assert!(doctor.contains(told), "{doctor}");
    let counted = || desk.json(&["sources"])["sources"].as_array().unwrap()[1]["counts"]["rejects"].clone();
    assert_eq!(counted(), 2);

    for n in [1, 4, 5, 6] {
        desk.write(&format!("cards/f{n}.yaml"), &card(&format!("lamp-{n}"), "active"));
    }
    assert_eq!(synced(&desk).0, "confirmed");
    assert_eq!((files(&desk), counted()), (vec!["f0.yaml".to_owned()], json!(1)), "those of the last good state");
}

#[test]
fn a_card_out_of_bounds_is_told_by_its_file() {
    let desk = desk();
    desk.write("cards/ahead.yaml", &(card("early", "active") + "checked_on: 2999-01-01\n"));
    desk.write("cards/long.yaml", &(card("lengthy", "active") + &format!("description: {}\n", "a".repeat(40_000))));
    assert_eq!(synced(&desk), updated([0, 0, 0, 2]));
    let reasons = [
        ("ahead.yaml", "`checked_on` is 2999-01-01, a date in the future; set it to the day of the check"),
        ("long.yaml", "`description` has 40000 bytes; at most 32768 are taken"),
    ];
    let reasons = reasons.map(|(file, reason)| (file.to_owned(), format!("{file}: {reason}")));
    assert_eq!(rejects(&desk), reasons);
}

/// A folder has no HTTP status, whatever came of its sync.
#[test]
fn a_folder_has_no_http_status() {
    let desk = desk();
    let status = || desk.json(&["sources", "show", "mine"])["source"]["http_status"].clone();
    assert_eq!(status(), Value::Null, "taken in");
    assert_eq!((synced(&desk).0.as_str(), status()), ("confirmed", Value::Null));
    (3..=6).for_each(|n| std::fs::remove_file(desk.path(&format!("cards/f{n}.yaml"))).unwrap());
    assert_eq!((synced(&desk).0.as_str(), status()), ("quarantined", Value::Null));
}

/// Before, the catalog stayed empty, and the command said that its facts are shown.
#[test]
fn the_bundled_cards_come_back_after_their_source_was_removed() {
    let desk = Desk::new();
    desk.run(&["get", "framework", "premortem"]).expect(0);
    desk.run(&["sources", "remove", "starter-catalog", "--yes"]).expect(0);
    desk.run(&["get", "framework", "premortem"]).expect(1);
    let told = desk.run(&["sources", "enable", "starter-catalog"]).expect(0).out;
    assert!(told.contains("is on: it has no facts yet; run `refdesk sync starter-catalog`"), "{told}");
    desk.run(&["get", "framework", "premortem"]).expect(0);
    desk.run(&["sources", "disable", "starter-catalog"]).expect(0);
    let told = desk.run(&["sources", "enable", "starter-catalog"]).expect(0).out;
    assert!(told.contains("is on: its facts are shown"), "{told}");
}

/// Whoever imports an archive shows nothing that was off where it comes from.
#[test]
fn a_source_that_is_off_stays_hidden_on_the_desk_that_imports_it() {
    let (desk, other) = (desk(), Desk::new());
    let archive = desk.path("all.refdesk");
    let handed_over = || {
        desk.run(&["export", "all.refdesk", "--force"]).expect(0);
        other.run(&["import", archive.to_str().unwrap()]).expect(0);
        let sources = other.json(&["sources"]);
        let mine = sources["sources"].as_array().unwrap().iter().find(|source| source["id"] == "mine").cloned();
        (other.run(&["get", "tool", "lamp-1"]).code, mine.unwrap())
    };
    desk.run(&["sources", "disable", "mine"]).expect(0);
    let (code, mine) = handed_over();
    assert_eq!((code, &mine["status"], &mine["counts"]["total"]), (1, &json!("orphaned"), &json!(6)), "{mine}");
    assert!(mine["disabled_reason"].as_str().unwrap().contains("kept and not shown"), "{mine}");
    desk.run(&["sources", "enable", "mine"]).expect(0);
    let (code, mine) = handed_over();
    assert_eq!(code, 0, "{mine}");
    desk.run(&["sources", "disable", "mine"]).expect(0);
    assert_eq!(handed_over().0, 1, "also where it was shown before");
}

/// Runs a command without the right of root to read what nobody may; `None` where that right cannot be given up.
#[cfg(unix)]
#[expect(clippy::print_stderr, reason = "says why a test proves nothing here")]
fn without_privileges(desk: &Desk, args: &[&str]) -> Option<Done> {
    const SETPRIV: &str = "/usr/bin/setpriv";
    const WITHOUT: &str = "-dac_override,-dac_read_search";
    let plain = desk.command(args);
    let may_read_all = std::fs::read(desk.path("sealed")).is_ok();
    if !may_read_all {
        return Some(desk.run(args));
    }
    if !std::path::Path::new(SETPRIV).exists() {
        eprintln!("skipped: the tests run as root, and {SETPRIV} is not there to give its rights up");
        return None;
    }
    let mut command = Command::new(SETPRIV);
    command.args([format!("--bounding-set={WITHOUT}"), format!("--inh-caps={WITHOUT}")]);
    command.arg(plain.get_program()).args(plain.get_args());
    Some(done(command.env_clear().envs(desk.environment.clone()).current_dir(desk.folder.path())))
}

#[cfg(unix)]
#[test]
fn a_file_and_a_folder_that_cannot_be_read_are_rejects_and_the_other_cards_are_taken() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = desk();
    desk.write("cards/deep/er/f7.yaml", &card("lamp-7", "active"));
    assert_eq!(synced(&desk), updated([1, 0, 0, 0]));
    desk.write("sealed", "");
    desk.write("cards/f2.yaml", &card("lamp-2", "deprecated"));
    let seal = |path: &str, mode: u32| {
        std::fs::set_permissions(desk.path(path), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    ["sealed", "cards/f1.yaml", "cards/deep"].iter().for_each(|path| seal(path, 0));
    let Some(done) = without_privileges(&desk, &["sync", "mine", "--json"]) else { return };
    let report = &done.expect(0).json()[0];
    let counts = ["changed", "removed", "rejects", "uncounted"].map(|name| report["counts"][name].clone());
    assert_eq!((&report["result"], counts), (&json!("updated"), [1, 0, 2, 0].map(|count| json!(count))), "{report}");
    let reason = "cannot be read: Permission denied; make it readable".to_owned();
    assert_eq!(rejects(&desk), [("f1.yaml".to_owned(), reason.clone()), ("deep/".to_owned(), reason)]);
    assert_eq!(["lamp-1", "lamp-2", "lamp-7"].map(|id| status(&desk, id)), ["active", "deprecated", "active"]);

    seal("cards", 0);
    let told = without_privileges(&desk, &["sync", "mine"]).unwrap().expect(2).out;
    assert!(told.contains("the folder cannot be read: Permission denied; make it readable (cards)"), "{told}");
    seal("cards", 0o755);
    ["cards/f1.yaml", "cards/deep"].iter().for_each(|path| seal(path, 0o755));
    assert_eq!(synced(&desk), updated([0, 0, 0, 0]), "all are there again");
}

#[test]
fn a_wrong_url_of_the_bundled_cards_stops_nothing_else() {
    let desk = Desk::with_cards(&[("lamp.yaml", &card("lamp", "active"))]);
    desk.run(&["sources", "add", "starter-catalog", "--url", "./x"]).expect(0);
    let done = desk.run(&["sync"]).expect(2);
    let told = "starter-catalog: there is no such file or folder; make it, or correct the `url` of the source (x)";
    let words = done.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(told), "{done:?}");
    assert_eq!(status(&desk, "lamp"), "active");
    let server = desk.serve(&["--offline", "--set", "sync=false"]);
    assert_eq!(server.get("/v1/tools/lamp").status, 200);
}

#[test]
fn a_price_below_zero_is_counted_where_it_is_left_out() {
    let desk = Desk::new();
    let cost = r#"{"acme": {"models": {"anvil": {"id": "anvil", "cost": {"input": 2, "output": -5}}}}}"#;
    desk.write("api.json", cost);
    desk.configure(
        "default_sources = false\n[[sources]]\nid = \"prices\"\nconnector = \"models-dev\"\nurl = \"api.json\"\n",
    );
    desk.run(&["sync", "prices"]).expect(0);
    let shown = desk.json(&["sources", "show", "prices"]);
    assert_eq!(
        (&shown["source"]["counts"]["unshown"], &shown["unshown"]),
        (&json!(1), &json!({"negative prices, unknown": 1}))
    );
    let shown = desk.run(&["sources", "show", "prices"]).expect(0).out;
    let row = shown.lines().find(|line| line.starts_with("not shown")).unwrap_or_else(|| panic!("{shown}"));
    assert_eq!(row.split_whitespace().last(), Some("1"));
}

#[test]
fn a_source_whose_facts_are_stale_before_its_next_sync_is_warned_of() {
    let desk = Desk::with_cards(&[("lamp.yaml", &tool("lamp", "Gives light."))]);
    let mine = "default_sources = false\n[[sources]]\nid = \"mine\"\nconnector = \"cards\"\nurl = \"cards\"\n";
    for (stale_after, is_told) in [("12h", true), ("1d", false)] {
        desk.configure(&format!("{mine}interval = \"1d\"\nstale_after = \"{stale_after}\"\n"));
        let done = desk.run(&["sources"]).expect(0);
        let told = "warning: source mine: stale_after (12h) is below interval (1d)";
        assert_eq!(done.err.contains(told), is_told, "{done:?}");
    }
}

/// "Nothing found" alone would not say why.
#[test]
fn a_look_up_says_that_the_bundled_cards_could_not_be_taken_in() {
    let desk = Desk::new();
    desk.configure("default_sources = false\nsync_memory_max = 1\n");
    let done = desk.run(&["list", "tool"]).expect(1);
    assert!(done.err.contains("warning: the bundled cards are not up to date in the store"), "{done:?}");
    assert!(done.err.contains("sync_memory_max = 1"), "{done:?}");
}
