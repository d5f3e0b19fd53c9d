//! `sources add`: a `[[sources]]` entry by one line.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use refdesk_core::item::TrustTier;
use refdesk_ingest::config::{SourceConfig, default_sources};
use refdesk_ingest::connectors::REGISTRY;
use serde_json::json;
use toml::{Table, Value};

use crate::cli::AddedSource;
use crate::config::{Config, edit, file};
use crate::exit::Exit;
use crate::output::{self, Refusal};

/// `refdesk sources add ID`: writes an entry, or changes what is named in the one that the file has.
pub fn add(config: &Config, added: &AddedSource, json: bool) -> anyhow::Result<Exit> {
    let file = config.file_to_write();
    let _editing = file::editing(&file)?;
    let text = config.text_to_write()?;
    let is_named = edit::names(&text, &added.id)?;
    let entry = entry(added, &config.base_dir())?;
    let is_known = is_named || config.sources.iter().any(|source| source.id == added.id);
    if entry.len() == 1 && is_known {
        let id = &added.id;
        let told = format!(
            "{id} is among the sources already; name what is to change, such as --interval 12h, or switch it on with \
             `refdesk sources enable {id}`"
        );
        return Err(Refusal::invalid_argument(told).into());
    }
    check_words(added)?;
    if !is_named {
        is_complete(added)?;
    }
    let edited = if is_named { edit::changed(&text, &entry)? } else { edit::added(&text, &entry)? };
    let after = config.with_unwritten(&edited).map_err(Refusal::mistake)?;
    file::write(&file, &edited)?;
    let source = after.sources.iter().find(|source| source.id == added.id);
    let source = source.with_context(|| format!("{} is not among the sources after it was written", added.id))?;
    if json {
        output::json(&json!({"source": source.id, "added": !is_named, "enabled": source.enabled, "file": file}));
    } else {
        let what = if is_named { "changed" } else { "written" };
        output::print(&added_message(source, &after.base_dir(), what, &file));
    }
    Ok(Exit::Done)
}

/// Refuses a source that does not ship and does not name what only its owner knows.
fn is_complete(added: &AddedSource) -> anyhow::Result<()> {
    let shipped = default_sources()?;
    let known = || shipped.iter().map(|source| source.id.as_str());
    let missing: Vec<&str> = [("--connector", added.connector.is_none()), ("--url", added.url.is_none())]
        .into_iter()
        .filter_map(|(flag, is_missing)| is_missing.then_some(flag))
        .collect();
    if missing.is_empty() || known().any(|id| id == added.id) {
        return Ok(());
    }
    let (id, missing) = (&added.id, missing.join(" and "));
    let told = |near: &str, _: &str| {
        format!(
            "{id} is not a default source, so it needs {missing}: for a folder of cards --connector cards --url FOLDER{near}"
        )
    };
    Err(Refusal::unknown(Refusal::invalid_argument, id, known(), told).into())
}

/// Refuses what is one word of a few and none of them: in flags, before any of it is an entry of a file.
fn check_words(added: &AddedSource) -> anyhow::Result<()> {
    let connectors: Vec<&str> = REGISTRY.iter().map(|connector| connector.name).collect();
    for (flag, word, known) in
        [("--connector", &added.connector, &connectors[..]), ("--trust-tier", &added.trust_tier, &TrustTier::WORDS)]
    {
        let Some(word) = word.as_deref().filter(|word| !known.contains(word)) else { continue };
        let told = |near: &str, all: &str| format!("{flag} takes one of {all}; it was {word:?}{near}");
        return Err(Refusal::unknown(Refusal::invalid_argument, word, known.iter().copied(), told).into());
    }
    Ok(())
}

/// The path of a local source where there is neither a file nor a folder.
fn missing_path(source: &SourceConfig, base: &Path) -> Option<PathBuf> {
    let url = source.target_url(base).ok().filter(|url| url.scheme() == "file")?;
    url.to_file_path().ok().filter(|path| !path.exists())
}

fn added_message(source: &SourceConfig, base: &Path, what: &str, file: &Path) -> String {
    let preposition = if what == "changed" { "in" } else { "to" };
    let mut out = format!(
        "{} is {what} {preposition} {}; a running desk picks it up at its next start\n",
        source.id,
        file.display()
    );
    if let Some(token) = source.token().filter(|token| !token.is_set()) {
        out.push_str(&format!("{} is not set here: syncing {} needs it\n", token.variable, source.id));
    }
    if let Some(path) = missing_path(source, base) {
        out.push_str(&format!("{} does not exist yet: create it before you sync {}\n", path.display(), source.id));
    }
    if source.enabled {
        out.push_str(&format!("sync it now: refdesk sync {}\n", source.id));
    } else {
        out.push_str(&format!("it is off; switch it on: refdesk sources enable {}\n", source.id));
    }
    out
}

/// What was named, as an entry of the file.
fn entry(added: &AddedSource, base: &Path) -> anyhow::Result<Table> {
    let mut entry = Table::try_from(added)?;
    if let Some(url) = &added.url {
        entry.insert("url".into(), Value::String(written_url(url, base)?));
    }
    let mut options = Table::new();
    for pair in &added.options {
        let (key, value) = pair
            .split_once('=')
            .ok_or_else(|| Refusal::invalid_argument(format!("--option {pair}: write it as KEY=VALUE")))?;
        options.insert(key.trim().to_owned(), Value::String(value.trim().to_owned()));
    }
    if !options.is_empty() {
        entry.insert("options".into(), Value::Table(options));
    }
    Ok(entry)
}

/// An address as it is; a path, which was typed as seen from the working directory, as seen from where the file lies.
fn written_url(url: &str, base: &Path) -> anyhow::Result<String> {
    let path = Path::new(url);
    if !path.exists() || path.is_absolute() || base == Path::new(".") {
        return Ok(url.to_owned());
    }
    let absolute = std::path::absolute(path).with_context(|| format!("{url}: is not a usable path"))?;
    Ok(absolute.display().to_string())
}
