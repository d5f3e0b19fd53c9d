//! What a person sees in a terminal of a width, and what a program reads that asked for JSON.

use crate::common::{Desk, tool};

/// Widest line of an output, in characters.
fn widest(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or_default()
}

#[test]
fn tables_fit_80_columns_and_lose_nothing_in_a_pipe_without_a_width() {
    let mut desk = Desk::new();
    let listed = |desk: &Desk| desk.run(&["list", "model", "--limit", "40"]).expect(0).out;
    let shown = |desk: &Desk| desk.run(&["get", "model", "claude-sonnet-4-5"]).expect(0).out;
    let whole = listed(&desk);
    let heads: Vec<&str> = whole.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(heads, ["id", "name", "context", "price", "input", "price", "output", "vendor", "status", "checked"]);
    desk.run(&["keys", "create", "--name", "the continuous integration of the frontend", "--expires", "90d"]).expect(0);
    desk.environment.push(("COLUMNS".into(), "80".into()));
    for args in [
        &["list", "model", "--limit", "40"][..],
        &["list", "mcp-server", "--limit", "40"],
        &["sources"],
        &["sources", "show", "starter-catalog"],
        &["search", "sonnet"],
        &["compare", "gpt-5", "claude-sonnet-4-5", "claude-opus-4-1"],
        &[
            "compare",
            "gpt-5",
            "gpt-5-mini",
            "gpt-4o",
            "claude-sonnet-4-5",
            "claude-opus-4-1",
            "claude-3-haiku-20240307",
        ],
        &["resolve", "sonnet", "gpt"],
        &["get", "model", "claude-sonnet-4-5"],
        &["search", "github", "--limit", "50"],
        &["keys", "list"],
        &["cost", "gpt-5", "--input", "1M", "--output", "100k"],
        &["route", "what could go wrong with our launch"],
    ] {
        let done = desk.run(args);
        let lines: Vec<&str> = done.out.lines().filter(|line| !line.contains("https://")).collect();
        assert!(widest(&lines.join("\n")) <= 80, "{args:?}: {}", done.out);
    }
    let narrow = listed(&desk);
    let told = desk.run(&["list", "model", "--limit", "40"]).expect(0).err;
    assert!(told.contains("(without ") && widest(&told) <= 80 && narrow.contains("price input"), "{told}{narrow}");
    for id in whole.lines().skip(1).take(40).map(|line| line.split("  ").next().unwrap()) {
        assert!(narrow.contains(id), "ids stay whole: {id}");
    }
    assert!(shown(&desk).contains("\n    https://") || shown(&desk).contains("source   https://"), "{}", shown(&desk));
}

#[test]
fn a_prompt_is_printed_alone_and_filled() {
    let desk = Desk::new();
    let bare = desk.run(&["get", "framework", "premortem", "--prompt"]).expect(0);
    let stated = desk.json(&["get", "framework", "premortem", "--prompt"])["framework"]["prompt"].clone();
    assert_eq!(bare.out.trim_end(), stated["text"].as_str().unwrap().trim_end());
    let name = stated["variables"][0].as_str().unwrap();
    assert!(bare.err.contains(&format!("still to fill in: {name}")), "{bare:?}");
    let value = format!("{name}=launch in two weeks");
    let filled = desk.run(&["get", "framework", "premortem", "--prompt", "--var", &value]).expect(0);
    assert!(
        filled.out.contains("launch in two weeks") && !filled.out.contains(&format!("{{{{{name}}}}}")),
        "{filled:?}"
    );
    let both = desk.json(&["get", "framework", "premortem", "--prompt", "--var", &value]);
    assert_eq!(both["framework"]["prompt"]["filled"].as_str().unwrap().trim_end(), filled.out.trim_end());
    let wrong = desk.run(&["get", "framework", "premortem", "--prompt", "--var", "wish=x"]).expect(2);
    assert!(wrong.err.contains("no such variable") && wrong.err.contains(name), "{wrong:?}");
    let tool = desk.run(&["get", "tool", "ruff", "--prompt"]).expect(2);
    assert!(tool.err.contains("--prompt is for frameworks"), "{tool:?}");
}

#[test]
fn errors_are_problem_documents_on_stdout_where_json_is_asked_for() {
    let desk = Desk::with_cards(&[("lamp.yaml", &tool("lamp", "Gives light."))]);
    for (args, code, title, detail) in [
        (&["get", "tool", "lampp", "--json"][..], 1, "Not found", "no tool has the id or alias \"lampp\""),
        (&["sources", "show", "min", "--json"], 1, "Not found", "did you mean `mine`"),
        (&["list", "model", "--limit", "x", "--json"], 2, "The command failed", "--limit takes a whole number"),
        (&["list", "--json"], 2, "The command failed", "required arguments"),
        (&["nonsense", "--json"], 2, "The command failed", "nonsense"),
    ] {
        let done = desk.run(args).expect(code);
        let problem = done.json();
        assert_eq!((&problem["title"], &problem["exit_code"]), (&title.into(), &code.into()), "{args:?}");
        assert!(problem["detail"].as_str().unwrap().contains(detail), "{args:?}: {problem}");
        assert!(done.err.contains(detail), "{args:?}: {done:?}");
    }
}

#[test]
fn serve_says_where_things_are_and_stdout_has_the_address_alone() {
    let desk = Desk::with_cards(&[("lamp.yaml", &tool("lamp", "Gives light."))]);
    let log = std::fs::File::create(desk.path("serve.log")).unwrap();
    let server = desk.serve_logging(&["--offline"], std::process::Stdio::from(log));
    let told = || std::fs::read_to_string(desk.path("serve.log")).unwrap();
    server.until("it is told", |_| told().contains("\nsources "));
    let address = server.address.clone();
    let (code, rest) = server.stop();
    assert_eq!((code, rest.as_str()), (0, ""));
    let told = told();
    for line in [
        format!("web page  http://{address}/\n"),
        format!("API       http://{address}/docs\n"),
        format!("MCP       http://{address}/mcp\n"),
        format!("data      {}\n", desk.path("data").display()),
        "settings  refdesk.toml; `refdesk config show` lists all\n".into(),
        "limits    no limit for each address, 600 calls a minute for each key\n".into(),
        "sources   2 of 2 on; offline: only local ones are read\n".into(),
    ] {
        assert!(told.contains(&line), "{line:?}: {told}");
    }
    // Said at the start: the background has published the lamp since, or not yet. So the total is held against the kinds beside it.
    let catalog = told.lines().find_map(|line| line.strip_prefix("catalog   ")).expect(&told);
    let (total, kinds) = catalog.split(';').next().and_then(|counts| counts.split_once(" items: ")).expect(catalog);
    let counted =
        |kind: &str| kind.trim().split_once(' ').and_then(|(count, _)| count.parse::<u32>().ok()).expect(kind);
    assert_eq!(total.parse::<u32>().expect(total), kinds.split(',').map(counted).sum::<u32>(), "{catalog}");
    assert!(kinds.starts_with("160 models, "), "{catalog}");
    assert!(!told.contains('\u{1b}'), "a file has no colours: {told:?}");
}
