//! `sources disable`, `enable` and `remove`; [`crate::background`] has the watch that a running desk keeps on the first two.
//!
//! Whether a source is on stands in the configuration file and nowhere else: the commands edit it, every command reads it, and a running
//! desk looks at it every second. The store only keeps in its history that somebody did.

use std::io::{BufRead as _, IsTerminal as _};

use anyhow::Context as _;
use refdesk_ingest::store::{Run, RunOutcome};
use serde_json::json;

use crate::app::{App, now};
use crate::config::{Config, edit, file, key};
use crate::exit::Exit;
use crate::output::{self, Refusal};

/// `refdesk sources disable ID` and `enable ID`.
pub async fn switch(mut app: App, id: &str, enabled: bool, json: bool) -> anyhow::Result<Exit> {
    let Some(source) = app.config.sources.iter().find(|source| source.id == id) else {
        return Err(unknown(&app, id)?.into());
    };
    let word = if enabled { "on" } else { "off" };
    let why_off = source.disabled_reason.clone();
    let changed = source.enabled != enabled;
    let file = app.config.file_to_write();
    if changed {
        app.config = write_switch(&app.config, id, enabled)?;
        let outcome = if enabled { RunOutcome::Enabled } else { RunOutcome::Disabled };
        // What fails from here on leaves the switch in force.
        let is_written = || format!("{id} is {word} now, as {} says; and yet", file.display());
        let run = Run::by_operator(id, now(), outcome, format!("switched {word}"));
        app.store.note_run(&run).await.map_err(anyhow::Error::from).with_context(is_written)?;
        app.drop_catalog().with_context(is_written)?;
    }
    if json {
        output::json(&json!({"source": id, "enabled": enabled, "changed": changed, "file": file}));
        return Ok(Exit::Done);
    }
    if !changed {
        output::line(&format!("{id} is already {word}"));
        return Ok(Exit::Done);
    }
    if enabled {
        if let Some(reason) = why_off {
            output::say(&format!("{id} was off because: {reason}"));
        }
        let has_facts = app.store.figures().await?.iter().any(|(source, figures)| source == id && figures.total > 0);
        let facts = if has_facts {
            "its facts are shown, and it is synced when it is due".to_owned()
        } else {
            format!("it has no facts yet; run `refdesk sync {id}`")
        };
        output::line(&format!("{id} is on: {facts}"));
    } else {
        output::line(&format!("{id} is off: it is not synced, and its facts are hidden"));
    }
    output::line(&format!("written to {}; a desk running with this file picks it up within seconds", file.display()));
    Ok(Exit::Done)
}

/// Edits the file so that a source is on or off.
fn write_switch(config: &Config, id: &str, enabled: bool) -> anyhow::Result<Config> {
    let file = config.file_to_write();
    let _editing = file::editing(&file)?;
    let text = config.text_to_write()?;
    let edited = edit::switched(&text, id, enabled).with_context(|| file.display().to_string())?;
    // What stands in the environment or in flags wins over the file: then writing it would change nothing.
    let after = config.with_unwritten(&edited)?;
    if let Some(source) = after.sources.iter().find(|source| source.id == id) {
        let key = if source.enabled { key::ENABLED_SOURCES } else { key::DISABLED_SOURCES };
        anyhow::ensure!(
            source.enabled == enabled,
            "{id} is switched by {} ({}), which wins over {}; change it there",
            key.row.key,
            after.origin(key),
            file.display()
        );
    }
    if edited != text {
        file::write(&file, &edited)?;
    }
    Ok(after)
}

/// That there is nothing to change: an error, as in every command that changes something.
fn unknown(app: &App, id: &str) -> anyhow::Result<Refusal> {
    let shipped = refdesk_ingest::config::default_sources()?;
    if shipped.iter().any(|source| source.id == id) {
        return Ok(Refusal::not_found(format!(
            "{id} is a default source, and this configuration has default_sources = false; `refdesk sources add {id}` takes it in"
        )));
    }
    let known = app.config.sources.iter().map(|source| source.id.as_str());
    let told = |near: &str, _: &str| {
        format!(
            "no configured source has the id {id:?}{near}; `refdesk sources` lists them, and `refdesk sources remove ID` \
             deletes what an unconfigured source left"
        )
    };
    Ok(Refusal::unknown(Refusal::not_found, id, known, told))
}

/// `refdesk sources remove ID`.
pub async fn remove(mut app: App, id: &str, yes: bool, json: bool) -> anyhow::Result<Exit> {
    let facts =
        app.store.figures().await?.into_iter().find(|(source, _)| source == id).map(|(_, figures)| figures.total);
    let is_stored = facts.is_some() || app.store.source_states().await?.iter().any(|(source, _)| source == id);
    let is_configured = app.config.sources.iter().any(|source| source.id == id);
    // Its runs stay: a removal that was ended half-way, or could not write the file anew, is asked for again.
    let was_stored = !app.store.runs(id, 1).await?.is_empty();
    if !is_stored && !is_configured && !was_stored {
        return Err(unknown(&app, id)?.into());
    }
    let facts = facts.unwrap_or_default();
    if !yes && !confirmed(id, facts)? {
        return Ok(output::not_found("nothing was changed"));
    }
    let file = app.config.file_to_write();
    // First, so that no desk syncs it again in between.
    let switched_off = app.config.sources.iter().any(|source| source.id == id && source.enabled);
    if switched_off {
        app.config = write_switch(&app.config, id, false)?;
    }
    let note = format!("removed {facts} facts with their records, rejects and state");
    let removed = app.store.remove_source(id, &Run::by_operator(id, now(), RunOutcome::Removed, note)).await?;
    app.drop_catalog()?;
    if json {
        let file = switched_off.then_some(file);
        output::json(&json!({"source": id, "removed_facts": removed, "switched_off_in": file}));
        return Ok(Exit::Done);
    }
    output::line(&format!(
        "{id}: deleted {}, with all records, texts, rejects and the state; the history of its runs stays",
        output::counted(removed, "fact")
    ));
    if switched_off {
        output::line(&format!(
            "it is off in {}, so that it does not come back; `refdesk sources enable {id}` undoes that",
            file.display()
        ));
    }
    Ok(Exit::Done)
}

fn confirmed(id: &str, facts: usize) -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() {
        let told = format!(
            "`sources remove` deletes {} of {id}, and there is no terminal to confirm on; pass --yes",
            output::counted(facts, "fact")
        );
        return Err(output::Refusal::invalid_argument(told).into());
    }
    output::say(&format!(
        "Delete {} of {id} with their records, texts, rejects and state? They cannot be brought back. [y/N]",
        output::counted(facts, "fact")
    ));
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}
