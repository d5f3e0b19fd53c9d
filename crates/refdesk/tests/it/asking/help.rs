//! What `-h` and `--help` tell: examples that find something, and filters by the kinds that have them.

use crate::common::Desk;

/// The arguments of the examples in the help of a command.
fn examples(desk: &Desk, command: &str) -> Vec<Vec<String>> {
    let help = desk.run(&[command, "-h"]).expect(0).out;
    let (_, below) = help.split_once("\nExamples:\n").unwrap_or_else(|| panic!("{command} has none: {help}"));
    let arguments = |line: &str| -> Vec<String> {
        let parts = line.trim().strip_prefix("refdesk ").unwrap().split('\'').enumerate();
        // Within quotes is every second part.
        let words = parts.flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        });
        words.collect()
    };
    below.lines().map(arguments).collect()
}

#[test]
fn the_examples_of_commands_that_ask_find_something_on_a_new_desk() {
    let desk = Desk::stored();
    for command in ["search", "get", "list", "compare", "cost", "resolve", "route"] {
        for example in examples(&desk, command) {
            let args: Vec<&str> = example.iter().map(String::as_str).collect();
            assert!(!desk.run(&args).expect(0).out.trim().is_empty(), "{args:?}");
        }
    }
}

/// One list of 60 flags, each with its kinds and what it takes behind it, is read by nobody.
#[test]
fn filters_stand_by_their_kinds_and_the_short_help_has_what_tells_them_apart() {
    let desk = Desk::new();
    let (short, long) = (desk.run(&["list", "-h"]).expect(0).out, desk.run(&["list", "--help"]).expect(0).out);
    for heading in
        ["Filters of all kinds:", "Filters of models:", "Filters of several kinds:", "Filters of MCP servers:"]
    {
        assert!(short.contains(heading) && long.contains(heading), "{heading}: {short}");
    }
    let line = |flag: &str| short.lines().find(|line| line.trim_start().starts_with(flag)).unwrap().trim().to_owned();
    assert!(line("--price-input-lte ").ends_with("Input price: at most this, in USD per 1M tokens"), "{short}");
    let words = long.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Takes a price in USD per 1M tokens such as 0.15; 0 is free"), "{long}");
    assert!(!long.contains("(model)") && long.contains("(tool, MCP server)"), "{long}");
    let own = |help: &str| help.split("\nGlobal options:\n").next().unwrap().to_owned();
    assert!(own(&short).contains("--limit ") && !own(&short).contains("--data-dir"), "{short}");
}

#[test]
fn the_help_of_the_program_has_what_to_type_first() {
    let told = Desk::new().run(&["--help"]).expect(0).out;
    assert!(told.contains("\nExamples:\n  refdesk serve --open "), "{told}");
}
