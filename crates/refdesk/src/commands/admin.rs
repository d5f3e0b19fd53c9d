//! `config`, `migrate`, `man`, `frameworks lint`.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::CommandFactory as _;
use refdesk_catalog::segment::SEGMENT_FORMAT;
use refdesk_ingest::fetch::redact_text;
use refdesk_ingest::lint::Linted;
use refdesk_ingest::store::{DatabaseSettings, Migrate, Store};
use serde_json::json;

use crate::app::App;
use crate::cli::Cli;
use crate::config::values::{TomlType, Value as _, typed};
use crate::config::{self, Config};
use crate::exit::Exit;
use crate::output::{self, Paint, Refusal};
use crate::reference;

/// `refdesk man`.
pub fn man(dir: &Path, json: bool) -> anyhow::Result<Exit> {
    let told = || format!("{}: the manual pages cannot be written there; name another folder", dir.display());
    std::fs::create_dir_all(dir).with_context(told)?;
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let pages = man_pages(command, dir).with_context(told)?;
    let told = format!("wrote {} into {}", output::counted(pages, "page"), dir.display());
    output::answer(json, &json!({"folder": dir, "pages": pages}), &told);
    Ok(Exit::Done)
}

/// The page of a command and those of all below it, and how many these are; each says in its footer what program it is of.
fn man_pages(mut command: clap::Command, dir: &Path) -> std::io::Result<usize> {
    let mut pages = 1;
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()).cloned() {
        pages += man_pages(inner, dir)?;
    }
    let usage = command.render_usage().to_string();
    let program = concat!("refdesk ", env!("CARGO_PKG_VERSION"));
    let man = clap_mangen::Man::new(command).source(program);
    let mut page = Vec::new();
    man.render(&mut page)?;
    std::fs::write(dir.join(man.get_filename()), in_usual_sections(&String::from_utf8_lossy(&page), &usage))?;
    Ok(pages)
}

/// A page whose synopsis is the usage of `--help`, not a hundred flags in a row, and whose examples stand below a heading of that name.
fn in_usual_sections(page: &str, usage: &str) -> String {
    const SYNOPSIS: &str = ".SH SYNOPSIS\n";
    let Some((front, flags)) = page.split_once(SYNOPSIS) else { return page.to_owned() };
    let behind = flags.find("\n.SH ").map_or("", |at| &flags[at + 1..]);
    let lines = usage.trim_start_matches("Usage:").lines().map(|line| line.trim().replace('-', "\\-"));
    let synopsis = lines.collect::<Vec<_>>().join("\n.br\n");
    let behind = behind.replace(".SH EXTRA\nExamples:\n", ".SH EXAMPLES\n");
    format!("{front}{SYNOPSIS}{synopsis}\n{behind}")
}

/// `refdesk config init`: the file that is named, else the one that `--config` or its variable names. Never overwrites; `-` is standard
/// output, as elsewhere.
pub fn config_init(file: Option<&Path>, configured: Option<&Path>, json: bool) -> anyhow::Result<Exit> {
    if file == Some(Path::new("-")) {
        output::print(&reference::example());
        return Ok(Exit::Done);
    }
    if let (Some(file), Some(configured)) = (file, configured)
        && file != configured
    {
        let (file, configured) = (file.display(), configured.display());
        let told = format!("{file}: --config (or REFDESK_CONFIG) names another file, {configured}; name one of them");
        return Err(Refusal::invalid_argument(told).into());
    }
    let file = file.or(configured).map_or_else(|| PathBuf::from(config::FILE_NAME), Path::to_owned);
    let is_there = file.symlink_metadata().is_ok();
    let created = config::file::create(&file, &reference::example());
    created.map_err(|error| if is_there { Refusal::mistake(error) } else { error.into() })?;
    output::answer(json, &json!({"file": file}), &format!("wrote {}", file.display()));
    Ok(Exit::Done)
}

/// `refdesk config show`: every value and where it came from. Credentials in URLs are not shown.
pub fn config_show(config: &Config, json: bool) -> Exit {
    if json {
        output::json(&config_as_json(config));
    } else {
        print_config(config);
    }
    Exit::Done
}

fn config_as_json(config: &Config) -> serde_json::Value {
    let settings: serde_json::Map<String, serde_json::Value> = config
        .rows()
        .map(|(row, value, origin)| {
            (row.key.to_owned(), json!({"value": redact_text(value), "from": origin.to_string()}))
        })
        .collect();
    let sources: Vec<_> = config
        .sources
        .iter()
        .map(|source| {
            let mut shown = source.clone();
            shown.url = redact_text(&shown.url);
            shown.options.values_mut().for_each(|value| *value = redact_text(value));
            let mut shown = json!(shown);
            if let Some(token) = source.token() {
                shown["token_set"] = json!(token.is_set());
            }
            shown
        })
        .collect();
    let file = config.file.as_deref().map(output::whole_path);
    let data_dir = config.data_dir().map(|dir| output::whole_path(&dir)).unwrap_or_default();
    let paths = json!({"config": file, "data_dir": data_dir, "store": App::store_place(config)});
    json!({"file": file, "paths": paths, "settings": settings, "sources": sources})
}

fn print_config(config: &Config) {
    let paint = Paint::for_stdout();
    let file = config.file.as_deref().map(output::whole_path);
    let file = file.unwrap_or_else(|| "none; defaults, environment and flags".to_owned());
    let data_dir = config.data_dir().map(|dir| output::whole_path(&dir)).unwrap_or_default();
    let paths = [("configuration", file), ("data", data_dir), ("store", App::store_place(config))];
    output::line("paths");
    output::print(&output::table(&paths.map(|(name, path)| vec![format!("  {name}"), path])));
    output::line("\nsettings");
    let rows: Vec<Vec<String>> = config
        .rows()
        .map(|(row, value, origin)| {
            // A list as it is in force: variables and flags write it with or without blanks.
            let list = (row.toml == TomlType::Array).then(|| typed::List::parse(value)).flatten();
            let value = list.map_or_else(|| value.to_owned(), |texts| texts.join(", "));
            let told = format!("{} {}", redact_text(&value), paint.dim(&format!("({origin})")));
            vec![format!("  {}", row.key), told.trim_start().to_owned()]
        })
        .collect();
    output::print(&output::table(&rows));
    let rows: Vec<Vec<String>> = config
        .sources
        .iter()
        .map(|source| {
            let state = if source.enabled { paint.good("on") } else { paint.dim("off") };
            let token = source.token().map_or_else(String::new, |token| {
                format!(" (token of {}: {})", token.variable, if token.is_set() { "set" } else { "unset" })
            });
            vec![format!("  {}", source.id), source.connector.clone(), state, redact_text(&source.url) + &token]
        })
        .collect();
    output::line(&format!("\nsources ({})", rows.len()));
    output::print(&output::table(&rows));
}

/// `refdesk frameworks lint DIR`.
pub fn lint(dir: &Path, json: bool) -> anyhow::Result<Exit> {
    let linted = refdesk_ingest::lint::lint_frameworks(dir);
    let told = || format!("{}: cannot be read; name a folder of framework cards", dir.display());
    let Linted { cards, findings } = linted.with_context(told).map_err(Refusal::mistake)?;
    if cards == 0 {
        let told = format!(
            "{}: there is no framework card to check; name the folder that holds the .md files, such as \
             catalog/frameworks",
            dir.display()
        );
        return Err(Refusal::invalid_argument(told).into());
    }
    if json {
        output::json(&serde_json::to_value(&findings)?);
    } else {
        for finding in &findings {
            output::line(&finding.to_string());
        }
        let verdict =
            if findings.is_empty() { "no findings".to_owned() } else { output::counted(findings.len(), "finding") };
        output::say(&format!("{} checked, {verdict}", output::counted(cards, "card")));
    }
    Ok(Exit::of_answer(findings.is_empty()))
}

/// `refdesk migrate`: the schema of the database is brought up to date, whatever `database_migrate` says. With `finish` nodes of the version
/// before can no longer join.
pub async fn migrate(config: Config, finish: bool, json: bool) -> anyhow::Result<Exit> {
    let store = match App::database(&config)? {
        Some(database) => Store::open_url(&DatabaseSettings { migrate: Migrate::Auto, ..database }).await?,
        None => App::open_file(&App::store_path(&config)?).await?,
    };
    if finish {
        store.set_min_version(env!("CARGO_PKG_VERSION")).await?;
        store.set_segment_format(i64::from(SEGMENT_FORMAT)).await?;
    }
    let head = store.head().await?;
    let place = store.place();
    let answer = json!({
        "store": place,
        "engine": store.engine(),
        "finished": finish,
        "min_version": Some(head.min_version).filter(|version| !version.is_empty()),
        "segment_format": (head.segment_format > 0).then_some(head.segment_format),
    });
    let finished = if finish { "; only this version and later ones may use it from now on" } else { "" };
    output::answer(json, &answer, &format!("the schema of {place} is up to date{finished}"));
    Ok(Exit::Done)
}
