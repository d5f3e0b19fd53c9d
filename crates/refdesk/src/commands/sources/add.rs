//! `sources add`: a `[[sources]]` entry by one line.

use refdesk_core::nearest::did_you_mean;
use std::path::Path;

use anyhow::Context as _;
use refdesk_core::item::TrustTier;
use refdesk_ingest::config::{SourceConfig, default_sources};
use serde_json::json;
use toml::{Table, Value};

use crate::cli::AddedSource;
use crate::config::{Config, edit, file};
use crate::exit::Exit;
use crate::output;

/// `refdesk sources add ID`.
pub fn add(config: &Config, added: &AddedSource, json: bool) -> anyhow::Result<Exit> {
    let file = config.file_to_write();
    let text = edit::text_of(&file)?;
    anyhow::ensure!(
        !edit::names(&text, &added.id)?,
        "{} has an entry with the id {} already; edit it there",
        file.display(),
        added.id
    );
    let entry = entry(added, &config.base_dir())?;
    let default = config.sources.iter().find(|source| source.id == added.id);
    anyhow::ensure!(
        entry.len() > 1 || default.is_none(),
        "{} is among the sources already; name what is to change, such as --interval 12h, or switch it on with `refdesk sources enable {}`",
        added.id,
        added.id
    );
    check_flags(added)?;
    let edited = edit::added(&text, &entry)?;
    let after = config.with_text(&edited)?;
    file::write(&file, &edited)?;
    let source = after.sources.iter().find(|source| source.id == added.id);
    let source = source.with_context(|| format!("{} is not among the sources after it was written", added.id))?;
    if json {
        output::json(&json!({"source": source.id, "added": true, "enabled": source.enabled, "file": file}));
    } else {
        output::print(&told(source, &file));
    }
    Ok(Exit::Done)
}

/// What a source that does not ship must name, and what is one word of a few: in flags, before any of it is an entry of a file.
fn check_flags(added: &AddedSource) -> anyhow::Result<()> {
    let shipped = default_sources().unwrap_or_default();
    let known = || shipped.iter().map(|source| source.id.as_str());
    let missing: Vec<&str> = [("--connector", added.connector.is_none()), ("--url", added.url.is_none())]
        .into_iter()
        .filter_map(|(flag, is_missing)| is_missing.then_some(flag))
        .collect();
    anyhow::ensure!(
        missing.is_empty() || known().any(|id| id == added.id),
        "{} is not a default source, so it needs {}: for a folder of cards --connector cards --url FOLDER{}",
        added.id,
        missing.join(" and "),
        did_you_mean(&added.id, known())
    );
    if let Some(tier) = &added.trust_tier {
        let parsed = serde_json::from_value::<TrustTier>(serde_json::Value::String(tier.clone()));
        let tiers = ["official", "verified", "community", "unverified"];
        anyhow::ensure!(
            parsed.is_ok(),
            "--trust-tier takes one of {}; it was {tier:?}{}",
            tiers.join(", "),
            did_you_mean(tier, tiers.into_iter())
        );
    }
    Ok(())
}

fn told(source: &SourceConfig, file: &Path) -> String {
    let mut out =
        format!("{} is written to {}; a desk that runs takes it at its next start\n", source.id, file.display());
    if let Some(token) = source.token().filter(|token| !token.is_set()) {
        out.push_str(&format!("{} is not set here: a sync of {} needs it\n", token.variable, source.id));
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
    let url = added.url.as_deref().map(|url| written_url(url, base)).transpose()?;
    let texts = [
        ("id", Some(added.id.clone())),
        ("connector", added.connector.clone()),
        ("url", url),
        ("name", added.name.clone()),
        ("interval", added.interval.clone()),
        ("stale_after", added.stale_after.clone()),
        ("trust_tier", added.trust_tier.clone()),
        ("license", added.license.clone()),
        ("attribution", added.attribution.clone()),
        ("token_env", added.token_env.clone()),
        ("token_header", added.token_header.clone()),
    ];
    let named = texts.into_iter().filter_map(|(key, text)| Some((key.to_owned(), Value::String(text?))));
    let mut entry: Table = named.collect();
    if let Some(rank) = added.rank {
        entry.insert("rank".into(), Value::Integer(rank.into()));
    }
    if added.allow_private {
        entry.insert("allow_private".into(), Value::Boolean(true));
    }
    let mut options = Table::new();
    for pair in &added.options {
        let (key, value) = pair.split_once('=').with_context(|| format!("--option {pair}: write it as KEY=VALUE"))?;
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
