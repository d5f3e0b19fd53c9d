//! `export`, `import`, `verify`: the catalog with its evidence as one file, and the proof that its hashes hold.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use anyhow::Context as _;
use refdesk_core::Kind;
use refdesk_core::resolve::plan;
use refdesk_core::snapshot::answer::{self, Resolved};
use refdesk_ingest::archive;
use refdesk_ingest::rebuild::{self, Catalog};
use refdesk_ingest::verify::{Scope, verify as verify_store};
use serde_json::json;

use crate::app::{App, now};
use crate::cli;
use crate::config::Config;
use crate::exit::Exit;
use crate::output;

/// `refdesk export FILE`. The file appears whole or not at all.
pub async fn export(config: Config, file: &Path, json: bool) -> anyhow::Result<Exit> {
    let app = App::open(config).await?;
    super::sync::bundled(&app).await?;
    let infos: Vec<_> = app.config.sources.iter().map(refdesk_ingest::SourceConfig::info).collect();
    if file == Path::new("-") {
        archive::export(&app.store, &infos, io::stdout(), now()).await?;
        return Ok(Exit::Done);
    }
    let folder = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut scratch =
        tempfile::NamedTempFile::new_in(folder).with_context(|| format!("{}: cannot be written", folder.display()))?;
    let summary = archive::export(&app.store, &infos, scratch.reopen()?, now()).await?;
    scratch.flush()?;
    scratch.persist(file).with_context(|| format!("{}: cannot be written", file.display()))?;
    if json {
        output::json(&json!({"file": file, "sources": summary.sources, "facts": summary.facts}));
    } else {
        output::line(&format!("{}: {} facts of {} sources", file.display(), summary.facts, summary.sources));
    }
    Ok(Exit::Done)
}

/// `refdesk import FILE`.
pub async fn import(config: Config, file: &Path, json: bool) -> anyhow::Result<Exit> {
    let app = App::open(config).await?;
    // First, so that the archive's word on them, with its times, is the one that stays.
    super::sync::bundled(&app).await?;
    let summary = if file == Path::new("-") {
        archive::import(&app.store, io::stdin()).await?
    } else {
        let opened = File::open(file).with_context(|| format!("{}: cannot be read", file.display()))?;
        archive::import(&app.store, opened).await?
    };
    if json {
        output::json(&json!({"sources": summary.sources, "facts": summary.facts}));
    } else {
        output::line(&format!("imported {} facts of {} sources", summary.facts, summary.sources));
    }
    Ok(Exit::Done)
}

/// Source and upstream key of every fact that an item was resolved from.
async fn facts_of(app: &App, kind: Kind, id: &str) -> anyhow::Result<Vec<(String, String)>> {
    let Catalog { facts, sources } = rebuild::load(&app.store, &app.config.sources, now()).await?;
    let sources = sources.into_iter().map(|source| (source.id.clone(), source)).collect();
    let plan = plan(&facts, &sources);
    let item = plan.iter().find(|item| item.kind == kind && item.id == id);
    let members = item.map(|item| item.facts.as_slice()).unwrap_or_default();
    Ok(members.iter().map(|at| (facts[*at].source_id.to_string(), facts[*at].key.clone())).collect())
}

/// `refdesk verify [KIND ID]`.
pub async fn verify(config: Config, flags: &cli::Verify, json: bool) -> anyhow::Result<Exit> {
    let app = App::open(config).await?;
    super::sync::bundled(&app).await?;
    let verification = match (&flags.kind, &flags.id) {
        (Some(kind), Some(id)) => {
            let kind = Kind::parse(kind).with_context(|| format!("{kind:?} is no kind; see `refdesk list --help`"))?;
            let snapshot = app.snapshot().await?;
            let Resolved::Item(ordinal, _) = answer::resolve(&snapshot, kind, id) else {
                output::say(&format!("no {} has the id or alias {id:?}", kind.label()));
                return Ok(Exit::NotFound);
            };
            let facts = facts_of(&app, kind, snapshot.id(ordinal)).await?;
            let mut all = refdesk_ingest::verify::Verification::default();
            for (source_id, key) in facts {
                let one = verify_store(&app.store, Scope::One { kind, key: &key, source_id: Some(&source_id) }).await?;
                all.checked += one.checked;
                all.differences.extend(one.differences);
            }
            all
        }
        _ => verify_store(&app.store, Scope::All).await?,
    };
    let sound = verification.differences.is_empty();
    if json {
        output::json(&serde_json::to_value(&verification)?);
    } else {
        for difference in &verification.differences {
            output::line(&format!(
                "{} {} {}: {} (stored {}, computed {})",
                difference.source_id,
                difference.kind,
                difference.key,
                difference.reason,
                difference.stored,
                difference.computed
            ));
        }
        let word =
            if sound { "no differences".to_owned() } else { format!("{} differences", verification.differences.len()) };
        output::line(&format!("{} facts checked, {word}", verification.checked));
    }
    Ok(if sound { Exit::Done } else { Exit::NotFound })
}
