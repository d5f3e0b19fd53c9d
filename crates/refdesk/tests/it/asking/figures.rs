//! Numbers, moments, kinds and words in what a person reads: alike in every view, and as the pages have them.

use crate::common::{Desk, tool};

/// Whether a text has a moment as JSON writes it: `2026-08-01T10:14:57Z`.
fn has_raw_moment(text: &str) -> bool {
    text.split_whitespace().any(|word| word.len() == 20 && word.ends_with('Z') && word.as_bytes()[10] == b'T')
}

/// `8,191`, as the page has it, and not `8191` below numbers such as `150,000`.
#[test]
fn numbers_have_their_thousands_apart_in_every_view() {
    let desk = Desk::new();
    let id = "claude-3-haiku-20240307";
    assert_eq!(desk.json(&["get", "model", id])["model"]["limits"]["output_tokens"], 4096);
    for args in [
        &["list", "model", "--ids", id, "--fields", "id,limits.output_tokens"][..],
        &["get", "model", id],
        &["compare", id, "claude-sonnet-4-5"],
    ] {
        let shown = desk.run(args).expect(0).out;
        assert!(shown.contains("4,096") && !shown.contains("  4096"), "{args:?}: {shown}");
    }
    let cost = desk.run(&["cost", id, "--input", "5000"]).expect(0).out;
    assert!(cost.contains("input 5,000 × "), "{cost}");
    // They can be typed as they are shown.
    assert_eq!(desk.run(&["cost", id, "--input", "5,000"]).expect(0).out, cost);
    let listed = |most: &str| desk.json(&["list", "model", "--context-tokens-lte", most])["total"].clone();
    assert_eq!(listed("150,000"), listed("150k"));
}

#[test]
fn the_flags_of_a_cost_have_the_names_of_rest_too() {
    let desk = Desk::new();
    let of = |flags: [&str; 3]| {
        let [input, output, cached] = flags;
        desk.json(&["cost", "gpt-5", input, "20k", output, "2k", cached, "1k"])
    };
    let cost = of(["--input", "--output", "--cache-read"]);
    assert_eq!(cost["request"]["cache_read_tokens"], 1_000);
    assert_eq!(of(["--input-tokens", "--output-tokens", "--cache-read-tokens"]), cost);
}

#[test]
fn moments_read_alike_in_every_view() {
    let desk = Desk::new();
    for args in
        [&["get", "model", "gpt-5"][..], &["compare", "gpt-5", "gpt-5-mini"], &["sources", "show", "starter-catalog"]]
    {
        let shown = desk.run(args).expect(0).out;
        assert!(!has_raw_moment(&shown), "{args:?}: {shown}");
    }
}

/// `document`, and not `doc`, as the type of a search is called in JSON.
#[test]
fn a_kind_is_called_as_commands_take_it() {
    let desk = Desk::new();
    let found = desk.run(&["search", "behind", "a", "proxy", "--type", "doc", "--limit", "1"]).expect(0).out;
    assert!(found.contains("  document "), "{found}");
    let resolved = desk.run(&["resolve", "refdesk-manual-operations"]).expect(0).out;
    assert!(resolved.contains("  document  "), "{resolved}");
    let source = desk.run(&["sources", "show", "starter-catalog"]).expect(0).out;
    assert!(source.contains("mcp-server, document, framework"), "{source}");
}

/// Of very many texts, here the commands of two tools, not every match is counted.
#[test]
fn a_total_that_is_a_least_one_says_so_as_the_page_does() {
    let commands = format!("commands:\n{}", "  - {name: c, summary: light}\n".repeat(7_000));
    let card = |id: &str| tool(id, "Gives light.") + &commands;
    let desk = Desk::with_cards(&[("lamp.yaml", &card("lamp")), ("wick.yaml", &card("wick"))]);
    desk.run(&["sync", "mine"]).expect(0);
    let args = ["search", "light", "--type", "tool", "--limit", "1"];
    let answer = desk.json(&args);
    assert_eq!(answer["total_relation"], "gte", "{answer}");
    let total = answer["total"].as_u64().unwrap();
    let told = desk.run(&args).expect(0).err;
    assert!(total < 1000 && told.contains(&format!("1 of {total}+; ")), "{told} {answer}");
}

#[test]
fn a_section_says_its_heading_once_and_no_line_ends_in_blanks() {
    let desk = Desk::new();
    let args = ["search", "behind", "a", "proxy", "--type", "document", "--passages", "1", "--limit", "1"];
    let heading = desk.json(&args)["results"][0]["passages"][0]["headings"].as_array().unwrap().last().unwrap().clone();
    let heading = heading.as_str().unwrap();
    let shown = desk.run(&args).expect(0).out;
    let with_marks = |line: &str| line.trim().starts_with('#') && line.ends_with(heading);
    assert!(shown.contains(heading) && !shown.lines().any(with_marks), "{shown}");
    assert_eq!(shown.lines().find(|line| *line != line.trim_end()), None, "{shown}");
}

#[test]
fn why_a_framework_fits_is_told_in_words() {
    let shown =
        Desk::new().run(&["route", "What could go wrong with our launch, and how do we prevent it?"]).expect(0).out;
    assert!(shown.contains("\n  example questions: ") && !shown.contains("example_questions: "), "{shown}");
}

/// `--type` tells kinds in the words of `get` and `list`.
#[test]
fn every_command_tells_a_misspelt_kind_with_the_one_that_is_meant() {
    let desk = Desk::new();
    for args in [
        &["list", "modle"][..],
        &["search", "x", "--type", "modle"],
        &["resolve", "x", "--type", "modle"],
        &["conflicts", "--type", "modle"],
        &["compare", "gpt-5", "gpt-5-mini", "--type", "modle"],
    ] {
        let told = desk.run(args).expect(2).err;
        assert!(told.contains("did you mean `model`?") && told.contains("mcp-server"), "{args:?}: {told}");
        assert_eq!(desk.json(args)["suggestions"], serde_json::json!(["model"]), "{args:?}");
    }
}

/// The beginning of their JSON would say nothing.
#[test]
fn objects_that_are_asked_for_are_told_by_what_they_state() {
    let desk = Desk::new();
    let limits = "context_tokens 400,000 · input_tokens 272,000 · output_tokens 128,000";
    let listed = desk.run(&["list", "model", "--ids", "gpt-5", "--fields", "id,limits"]).expect(0).out;
    assert!(listed.contains("\ngpt-5 ") && listed.ends_with(&format!("  {limits}\n")), "{listed}");
    let found = desk.run(&["search", "gpt-5", "--type", "model", "--fields", "limits", "--limit", "1"]).expect(0).out;
    assert!(found.starts_with("model gpt-5") && found.ends_with(&format!("\n    limits: {limits}\n")), "{found}");
}

/// Whoever sets a server up needs the name of each variable and header, however long what is said of the one before.
#[test]
fn every_variable_and_header_of_a_server_is_named() {
    let card = r#"
kind: mcp_server
id: inkwell
display_name: Inkwell
source_url: https://inkwell.example/mcp
name: example.inkwell/inkwell
description: Searches contracts.
packages:
  - registryType: npm
    identifier: inkwell-server
    version: 1.0.0
    transport: {type: stdio}
    environmentVariables:
      - {default: "30", description: "How many seconds it waits for an answer before it asks once more, and once more.", name: INKWELL_WAIT}
      - {description: "A token that reads contracts and nothing else, as the administrator gives it.", name: INKWELL_TOKEN}
      - {description: "How many.", name: INKWELL_LIMIT}
remotes:
  - type: streamable-http
    url: "https://inkwell.example/mcp"
    headers:
      - {description: "What the administrator of the contracts gave to whoever asks for them.", name: Authorization, value: "Bearer {token}"}
      - {name: X-Tenant, value: "{tenant}"}
"#;
    let desk = Desk::with_cards(&[("inkwell.yaml", card)]);
    desk.run(&["sync", "mine"]).expect(0);
    let shown = desk.run(&["get", "mcp-server", "inkwell"]).expect(0).out;
    let line = |label: &str| shown.lines().find(|line| line.starts_with(label)).unwrap_or_default();
    for (label, parts) in [
        (
            "packages ",
            [
                "inkwell-server · npm · 1.0.0 · transport stdio · environmentVariables INKWELL_WAIT · 30 · How many seconds",
                "; INKWELL_TOKEN · A token",
                "; INKWELL_LIMIT · How many.",
            ],
        ),
        (
            "remotes ",
            [
                "streamable-http · https://inkwell.example/mcp · headers Authorization · ",
                "Authorization · Bearer {token} · What",
                "; X-Tenant · {tenant}",
            ],
        ),
    ] {
        assert!(parts.iter().all(|part| line(label).contains(part)), "{shown}");
    }
    let asked = desk.run(&["list", "mcp-server", "--ids", "inkwell", "--fields", "packages"]).expect(0).out;
    assert!(["INKWELL_WAIT", "INKWELL_TOKEN", "INKWELL_LIMIT"].iter().all(|name| asked.contains(name)), "{asked}");
}

/// Cut to forty characters, a name or an address is neither.
#[test]
fn texts_that_are_asked_for_are_whole_in_a_pipe() {
    let desk = Desk::new();
    let listed = desk.run(&["list", "mcp-server", "--ids", "browserbase", "--fields", "name,vendor"]).expect(0).out;
    let name = "io.github.browserbase/mcp-server-browserbase";
    assert!(listed.contains("\nbrowserbase ") && listed.ends_with(&format!("  {name}  Browserbase\n")), "{listed}");
}

/// A screen of spellings does not stand before what a model is chosen by.
#[test]
fn aliases_come_after_what_an_item_states() {
    let shown = Desk::new().run(&["get", "model", "gpt-5"]).expect(0).out;
    let line = |label: &str| shown.lines().position(|line| line.starts_with(label)).unwrap();
    assert!(line("limits.context_tokens ") < line("aliases "), "{shown}");
}
