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
    let heads: Vec<&str> = whole.lines().next().unwrap().split("  ").map(str::trim).filter(|h| !h.is_empty()).collect();
    assert_eq!(heads, ["id", "name", "context", "in $/1M", "out $/1M", "vendor", "status", "checked"]);
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
    assert!(
        told.contains("(without ") && widest(&told) <= 80 && narrow.contains("in $/1M  out $/1M"),
        "{told}{narrow}"
    );
    for id in whole.lines().skip(1).take(40).map(|line| line.split("  ").next().unwrap()) {
        assert!(narrow.contains(id), "ids stay whole: {id}");
    }
    assert!(shown(&desk).contains("\n    https://") || shown(&desk).contains("source   https://"), "{}", shown(&desk));
}

fn lines_with<'t>(text: &'t str, beginning: &str) -> Vec<&'t str> {
    text.lines().filter(|line| line.starts_with(beginning)).collect()
}

/// The last column alone does not give all of its room, and with it the star and the end of its id.
#[test]
fn compared_items_of_one_width_give_way_alike_and_keep_ids_and_stars() {
    let mut desk = Desk::new();
    let (one, two) = ("claude-sonnet-4-5", "claude-opus-4-1");
    let best = |text: &str| text.matches(" *").count();
    let whole = desk.run(&["compare", one, two]).expect(0);
    assert!(whole.err.contains(&format!("all of it is stale: {one}")) && !whole.out.contains("(stale)"), "{whole:?}");
    let whole = whole.out;
    let (differing, half_known) = (lines_with(&whole, "≠ "), lines_with(&whole, "? "));
    assert!(!differing.is_empty() && differing.iter().all(|line| !line.contains("unknown")), "{whole}");
    assert!(!half_known.is_empty() && half_known.iter().all(|line| line.contains("unknown")), "{whole}");
    desk.environment.push(("COLUMNS".into(), "80".into()));
    let narrow = desk.run(&["compare", one, two]).expect(0).out;
    assert!(narrow.lines().next().unwrap().ends_with(two) && narrow.contains(one), "{narrow}");
    // A group says its unit, so that labels leave room for two items beside each other.
    assert!(narrow.contains("\nPrices, USD per 1M tokens\n") && narrow.contains("Input price  "), "{narrow}");
    assert_eq!((best(&narrow), best(&whole) > 0), (best(&whole), true), "{narrow}");
}

#[test]
fn ids_and_fields_of_conflicts_are_whole_in_80_columns() {
    let mut desk = Desk::new();
    let card = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../catalog/models/anthropic/claude-sonnet-4-5.yaml"
    ));
    let card = card.unwrap().replace("context_tokens: ", "context_tokens: 9");
    desk.write("cards/mine.yaml", &card);
    desk.configure("default_sources = true\n[[sources]]\nid = \"mine\"\nconnector = \"cards\"\nurl = \"cards\"\ninterval = \"1h\"\n");
    desk.run(&["sync", "mine"]).expect(0);
    let whole = desk.run(&["conflicts", "--path", "limits"]).expect(0).out;
    assert_eq!(whole.matches("2026-08-01").count(), 2, "when each side was checked: {whole}");
    desk.environment.push(("COLUMNS".into(), "80".into()));
    let shown = desk.run(&["conflicts", "--path", "limits"]).expect(0).out;
    assert!(shown.contains("claude-sonnet-4-5") && shown.contains("limits.context_tokens"), "{shown}");
    assert!(widest(&shown) <= 80 && !shown.contains('…'), "{shown}");
    desk.environment.push(("COLUMNS".into(), "70".into()));
    let shown = desk.run(&["conflicts", "--path", "limits"]).expect(0).out;
    let lines: Vec<&str> = shown.lines().collect();
    assert!(widest(&shown) <= 70, "{shown}");
    assert_eq!(lines[0], "claude-sonnet-4-5  limits.context_tokens", "{shown}");
    assert!(lines[1].starts_with("    shown: ") && lines[2].starts_with("    other: "), "{shown}");
    assert!(lines[1].contains("starter-catalog, checked 2026-08-01, stale"), "whose it is: {shown}");
    let unknown = desk.run(&["conflicts", "--path", "limits.contxt"]).expect(1).err.replace('\n', " ");
    assert!(unknown.contains("the nearest path is `limits.context_tokens`"), "{unknown}");
}

/// It is there to be copied.
#[test]
fn an_id_to_send_that_has_no_room_beside_its_seller_stands_below_it() {
    let mut desk = Desk::new();
    let shown = |desk: &Desk| desk.run(&["get", "model", "claude-sonnet-4-5"]).expect(0).out;
    assert!(shown(&desk).contains("Anthropic (maker)  claude-sonnet-4-5 "), "{}", shown(&desk));
    desk.environment.push(("COLUMNS".into(), "60".into()));
    let narrow = shown(&desk);
    let lines: Vec<&str> = narrow.lines().collect();
    let seller =
        lines.iter().position(|line| line.starts_with("Anthropic (maker)  ")).unwrap_or_else(|| panic!("{narrow}"));
    assert!(lines[seller].ends_with("stale") && lines[seller].len() <= 60, "{narrow}");
    assert_eq!(lines[seller + 1], "    claude-sonnet-4-5", "{narrow}");
}

#[test]
fn notes_on_stderr_fit_80_columns_and_stay_on_a_line_where_no_width_is_known() {
    let mut desk = Desk::new();
    desk.configure("[[sources]]\nid = \"litellm\"\nrank = 3\n");
    let asked: [(&[&str], i32, &str); 8] = [
        (&["cost", "gpt-5", "--input", "900k", "--output", "200k"], 0, "900,000 tokens are more than the "),
        (&["search", "cheapest open models with vision and tools and more than 100k context"], 0, "understood: "),
        (&["compare", "gpt-5", "no-such-model-at-all", "nor-this-one-with-a-long-name"], 1, "nor-this-one"),
        (&["sources", "--offline"], 0, "does not say default_sources"),
        (&["sync", "nope"], 2, "there is no source `nope`"),
        (&["get", "modle", "x"], 2, "unknown kind"),
        (&["list", "model", "--price-of", "nobody"], 1, "takes maker, cheapest or a seller"),
        (&["list", "model", "--sort", "nothing"], 2, "--sort"),
    ];
    for (args, code, part) in asked {
        let told = desk.run(args).expect(code).err;
        assert!(told.lines().any(|line| line.len() > 80 && line.contains(part)), "{args:?}: {told}");
    }
    desk.environment.push(("COLUMNS".into(), "80".into()));
    for (args, code, part) in asked {
        let told = desk.run(args).expect(code).err;
        let words = told.split_whitespace().collect::<Vec<_>>().join(" ");
        // A flag that is longer than a line stands alone, to be copied.
        let lines: Vec<&str> = told.lines().filter(|line| line.contains(' ')).collect();
        assert!(widest(&lines.join("\n")) <= 80 && words.contains(part), "{args:?}: {told}");
    }
    assert!(widest(&desk.run(&["verify"]).expect(0).out) <= 80);
}

#[test]
fn a_text_is_folded_and_its_code_and_tables_stay_as_they_are() {
    let mut desk = Desk::new();
    let id = desk.json(&["search", "behind a proxy", "--type", "doc"])["results"][0]["id"].as_str().unwrap().to_owned();
    let body = |desk: &Desk| desk.run(&["get", "document", &id]).expect(0).out;
    let whole = body(&desk);
    desk.environment.push(("COLUMNS".into(), "80".into()));
    let folded = body(&desk);
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let is_prose = |text: &str| {
        let mut is_code = false;
        let prose = |line: &&str| {
            is_code ^= line.starts_with("```");
            !is_code && !line.starts_with('|') && !line.contains("://")
        };
        text.lines().filter(prose).collect::<Vec<_>>().join("\n")
    };
    assert!(widest(&is_prose(&whole)) > 120 && widest(&is_prose(&folded)) <= 80, "{folded}");
    assert_eq!(words(&folded), words(&whole), "no word is lost");
    for line in whole.lines().filter(|line| line.starts_with("    proxy") || line.starts_with('|')) {
        assert!(folded.contains(line), "code and tables: {line}");
    }
}

/// It stands above the text already.
#[test]
fn the_title_of_a_document_is_not_repeated_as_the_first_heading_of_its_text() {
    let card = "---\nkind: document\nid: guide\ntitle: Guide\n---\n# Guide\n\nTrim the wick.\n\n# Oil\n";
    let desk = Desk::with_cards(&[("guide.md", card)]);
    desk.run(&["sync", "mine"]).expect(0);
    let shown = desk.run(&["get", "document", "guide"]).expect(0).out;
    assert!(shown.starts_with("Guide") && shown.contains("\nTrim the wick.\n\n# Oil\n"), "{shown}");
    assert!(!shown.contains("# Guide"), "{shown}");
    assert!(desk.json(&["get", "document", "guide"])["document"]["markdown"].as_str().unwrap().contains("# Guide"));
}

/// `script` is a terminal around a command; it comes with every Linux.
#[cfg(target_os = "linux")]
#[test]
fn a_table_is_cut_for_the_terminal_that_it_goes_to_and_never_in_a_file() {
    let desk = Desk::new();
    desk.run(&["list", "model"]).expect(0);
    let (program, data) = (env!("CARGO_BIN_EXE_refdesk"), desk.path("data"));
    let shown = |rest: &str| {
        let line = format!("stty cols 80 rows 24; {program} --data-dir {} list model --limit 9 {rest}", data.display());
        let mut script = std::process::Command::new("script");
        script.args(["-qec", &line, "/dev/null"]).env_clear().env("PATH", "/usr/bin:/bin").env("TERM", "dumb");
        crate::common::done(script.current_dir(desk.folder.path())).expect(0).out
    };
    let table = |text: &str| text.lines().take(10).map(str::to_owned).collect::<Vec<_>>().join("\n");
    let narrow = table(&shown(""));
    assert!(widest(&narrow) <= 80, "{narrow}");
    let noted = shown("> list.txt");
    let file = std::fs::read_to_string(desk.path("list.txt")).unwrap();
    assert!(widest(&file) > 80 && file.contains("vendor") && !noted.contains("(without "), "{noted}{file}");
    let archive = format!("{program} --data-dir {} export -", data.display());
    let mut script = std::process::Command::new("script");
    script.args(["-qec", &archive, "/dev/null"]).env_clear().env("PATH", "/usr/bin:/bin");
    let refused = crate::common::done(&mut script).expect(2).out;
    assert!(refused.contains("an archive is compressed, and this is a terminal"), "{refused}");
}

#[test]
fn what_no_price_is_known_of_stands_last_and_sellers_and_ids_are_whole() {
    let mut desk = Desk::new();
    desk.environment.push(("COLUMNS".into(), "80".into()));
    let args = ["cost", "gpt-5", "--input", "1M", "--output", "100k", "--batch"];
    let (shown, answer) = (desk.run(&args).expect(0).out, desk.json(&args));
    let sellers = answer["sellers"].as_array().unwrap();
    let lacking = sellers.iter().find(|seller| !seller["missing"].as_array().unwrap().is_empty()).expect("one without");
    let row = shown.lines().position(|line| line.starts_with(lacking["seller"].as_str().unwrap())).unwrap();
    let cells: Vec<&str> =
        shown.lines().nth(row).unwrap().split("  ").map(str::trim).filter(|c| !c.is_empty()).collect();
    assert_eq!(cells[..3], [lacking["seller"].as_str().unwrap(), lacking["api_model_id"].as_str().unwrap(), "-"]);
    assert!(cells[3].starts_with("no price of batch_"), "{shown}");
    assert!(widest(&shown) <= 80 && !shown.contains('…'), "{shown}");
}

#[test]
fn the_configuration_is_shown_within_80_columns_and_with_whole_paths() {
    let mut desk = Desk::new();
    desk.environment.push(("COLUMNS".into(), "80".into()));
    let ids = desk.json(&["sources"])["sources"].as_array().unwrap().clone();
    let ids: Vec<&str> = ids.iter().map(|source| source["id"].as_str().unwrap()).collect();
    desk.configure(&format!("enabled_sources = {ids:?}\n"));
    let mut show = std::process::Command::new(env!("CARGO_BIN_EXE_refdesk"));
    show.args(["config", "show", "--data-dir", "d"]).env_clear().env("COLUMNS", "80").current_dir(desk.folder.path());
    let shown = crate::common::done(&mut show).expect(0).out;
    let settings = shown.split("\nsources (").next().unwrap();
    let (paths, settings) = settings.split_once("settings").unwrap();
    for name in ["refdesk.toml", "d", "d/refdesk.sqlite3"] {
        assert!(paths.contains(&desk.path(name).display().to_string()), "{name}: {paths}");
    }
    assert!(widest(settings) <= 80, "{settings}");
    let words = settings.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&format!("enabled_sources {} (file)", ids.join(", "))), "{settings}");
}

/// A service whose working directory is another one must not begin with an empty store there.
#[test]
fn a_path_in_the_configuration_is_relative_to_the_file_and_one_of_a_flag_to_where_it_is_typed() {
    let desk = Desk::new();
    desk.write("elsewhere/refdesk.toml", "data_dir = \"kept\"\n");
    let store = |more: &[&str]| {
        let mut show = std::process::Command::new(env!("CARGO_BIN_EXE_refdesk"));
        show.args(["config", "show", "--config", "elsewhere/refdesk.toml"]).args(more);
        show.env_clear().current_dir(desk.folder.path());
        let shown = crate::common::done(&mut show).expect(0).out;
        shown.lines().find(|line| line.trim_start().starts_with("store ")).unwrap_or_default().to_owned()
    };
    let ends_with = |line: &str, path: &str| line.ends_with(&desk.path(path).display().to_string());
    assert!(ends_with(&store(&[]), "elsewhere/kept/refdesk.sqlite3"), "{}", store(&[]));
    let typed = store(&["--data-dir", "kept"]);
    assert!(ends_with(&typed, "kept/refdesk.sqlite3") && !typed.contains("elsewhere"), "{typed}");
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

/// Not every caller of a desk whose pages are open needs a key.
#[test]
fn serve_says_who_needs_a_key() {
    let desk = Desk::new();
    for (open, who) in
        [("false", "every caller needs a key"), ("true", "REST and MCP need a key, the web page is open")]
    {
        let log = std::fs::File::create(desk.path("serve.log")).unwrap();
        let open = format!("web_open={open}");
        let flags = ["--offline", "--require-key", "--set", &open];
        let server = desk.serve_logging(&flags, std::process::Stdio::from(log));
        let told = || std::fs::read_to_string(desk.path("serve.log")).unwrap();
        server.until("it is told", |_| told().contains("\nsources "));
        assert_eq!(server.stop().0, 0);
        assert!(told().contains(&format!("calls a minute for each key; {who}\n")), "{}", told());
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
        format!("settings  {}; `refdesk config show` lists all\n", desk.path("refdesk.toml").display()),
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

#[test]
fn serve_says_when_another_process_syncs_and_when_no_browser_is_there() {
    let desk = Desk::with_cards(&[("lamp.yaml", &tool("lamp", "Gives light."))]);
    let first = desk.serve(&[]);
    first.until("it syncs", |server| server.get("/v1/tools/lamp").status == 200);
    let own = std::fs::read_to_string(desk.path("refdesk.toml")).unwrap();
    desk.write("more.toml", &format!("{own}[[sources]]\nid = \"more\"\nconnector = \"cards\"\nurl = \"cards\"\n"));
    let log = std::fs::File::create(desk.path("serve.log")).unwrap();
    let second = desk.serve_logging(&["--open", "--config", "more.toml"], std::process::Stdio::from(log));
    let told = || std::fs::read_to_string(desk.path("serve.log")).unwrap();
    second.until("it is told", |_| told().contains("browser"));
    let told = told();
    assert!(
        told.contains("sources   3 of 3 on; 1 is due, and another process of this data directory syncs it\n"),
        "{told}"
    );
    assert!(
        told.contains(&format!("no browser could be started here; open http://{}/ in one", second.address)),
        "{told}"
    );
    assert_eq!((second.stop().0, first.stop().0), (0, 0));
}

/// All reasons together are half as long as the table.
#[test]
fn sources_that_are_off_are_told_on_a_line_and_each_says_why() {
    let desk = Desk::new();
    let told = desk.run(&["sources", "--offline"]).expect(0).out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.starts_with("source status facts stale verified next "), "cards that nobody checked again: {told}");
    assert!(told.contains("7 sources are disabled (openrouter, llm-prices, "), "{told}");
    assert!(told.contains("`refdesk sources show ID` says why") && !told.contains("states no license"), "{told}");
    assert!(desk.run(&["sources", "show", "openrouter"]).expect(0).out.contains("states no license"));
    desk.configure("default_sources = false\ndisabled_sources = [\"starter-catalog\"]\n");
    let one = desk.run(&["sources"]).expect(0).out;
    assert!(one.contains("starter-catalog: disabled, it is switched off in disabled_sources\n"), "{one}");
}
