//! Every search that the README or the manual shows finds on a fresh desk what it is shown for, among the first five.

use std::path::{Path, PathBuf};

use crate::common::Desk;

/// The words of each search, and an id that it is to find.
const SHOWN: [(&str, &str); 5] = [
    ("how do I back up", "refdesk-manual-operations"),
    ("postgres mcp server", "postgres"),
    ("sonnet 4.5", "claude-sonnet-4-5"),
    ("tool for vector search", "qdrant"),
    ("vector search in postgres", "pgvector"),
];

fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let manual = std::fs::read_dir(root.join("docs/manual")).unwrap().map(|entry| entry.unwrap().path());
    manual.chain([root.join("README.md")]).collect()
}

/// The words of `refdesk search WORDS --flag VALUE # comment`, on a line or between backticks of it, and the flags.
fn search(line: &str) -> Option<(String, Vec<String>)> {
    let (_, typed) = line.split_once("refdesk search ")?;
    let typed = typed.split('`').next().unwrap_or(typed);
    let typed = typed.split(" #").next().unwrap_or(typed).replace('\'', "");
    let (words, flags) = typed.split_once(" --").map_or((typed.as_str(), None), |(words, rest)| (words, Some(rest)));
    let flags = flags.map(|rest| format!("--{rest}").split_whitespace().map(str::to_owned).collect());
    Some((words.trim().to_owned(), flags.unwrap_or_default()))
}

#[test]
fn every_search_that_is_shown_finds_what_it_is_shown_for_among_the_first_five() {
    let desk = Desk::new();
    let mut shown = Vec::new();
    for document in documents() {
        let text = std::fs::read_to_string(&document).unwrap();
        for (words, flags) in text.lines().filter_map(search) {
            let Some((_, wanted)) = SHOWN.iter().find(|(known, _)| *known == words) else {
                panic!("{}: say in this test what `refdesk search {words}` is to find", document.display());
            };
            let flags: Vec<&str> = flags.iter().map(String::as_str).filter(|flag| *flag != "--json").collect();
            let args = [&["search"], words.split(' ').collect::<Vec<_>>().as_slice(), &flags, &["--offline"]].concat();
            let found = desk.json(&args);
            let ids: Vec<&str> =
                found["results"].as_array().unwrap().iter().take(5).map(|hit| hit["id"].as_str().unwrap()).collect();
            assert!(ids.contains(wanted), "{words}: {ids:?}");
            shown.push(words);
        }
    }
    for (words, _) in SHOWN {
        assert!(shown.iter().any(|known| known == words), "{words} is shown nowhere any more");
    }
}

/// Who sees ten rows would take them for all that there are.
#[test]
fn a_table_of_hits_says_how_many_more_were_found() {
    let desk = Desk::new();
    let asked = |limit: &str, format: &str| {
        let args = ["search", "openai model", "--type", "model", "--understand", "false", "--limit", limit];
        desk.run(&[&args[..], &["--format", format]].concat()).expect(0)
    };
    let total = asked("3", "json").json()["total"].as_u64().unwrap();
    assert!(total > 3, "{total}");
    for format in ["csv", "ndjson"] {
        let table = asked("3", format);
        assert_eq!(table.out.lines().count(), if format == "csv" { 4 } else { 3 }, "{table:?}");
        let told = |line: &str| line.starts_with("3 of ") && line.ends_with("; a larger `--limit` shows more");
        assert!(table.err.lines().any(told), "{table:?}");
    }
    let all = desk.run(&["search", "gpt-5", "--type", "model", "--ids", "gpt-5", "--format", "csv"]).expect(0);
    assert_eq!((all.out.lines().count(), all.err.as_str()), (2, ""), "{all:?}");
}
