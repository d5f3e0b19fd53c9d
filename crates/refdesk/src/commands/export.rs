//! `export`, `verify`: the catalog with its evidence as one file, and the proof that its hashes hold. [`super::import`] takes such a file in.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use refdesk_catalog::answer;
use refdesk_catalog::resolve::{plan, sources_by_id};
use refdesk_core::Kind;
use refdesk_ingest::archive::{self, ExportOptions, Summary};
use refdesk_ingest::files;
use refdesk_ingest::generation::{self, Loaded};
use refdesk_ingest::verify::{Difference, Scope, Verification, verify as verify_store};
use serde_json::json;

use super::lookup::kind_of;
use crate::app::{App, now};
use crate::cli;
use crate::client::no_item;
use crate::config::Config;
use crate::exit::Exit;
use crate::output::{self, Refusal};

/// `refdesk export FILE`. The file appears whole or not at all.
pub async fn export(config: Config, flags: &cli::Export, json: bool) -> anyhow::Result<Exit> {
    if flags.kind.is_some() {
        let told = "--type: an archive holds all kinds; leave it out, or pass --format csv, ndjson or sqlite";
        return Err(Refusal::invalid_argument(told).into());
    }
    if flags.file == Path::new("-") && io::stdout().is_terminal() {
        let told = "an archive is compressed, and this is a terminal: name a file, or lead standard output into one";
        return Err(Refusal::invalid_argument(told).into());
    }
    let cli::Export { file, with_withheld, .. } = flags;
    let (file, with_withheld) = (file.as_path(), *with_withheld);
    let to_stdout = file == Path::new("-");
    let place = if to_stdout { file.to_owned() } else { place_for(file, flags.force)? };
    let app = App::open(config).await?;
    app.sync_bundled().await?;
    let sources = &app.config.sources;
    let options = ExportOptions { with_withheld };
    if to_stdout {
        archive::export(&app.store, sources, io::stdout(), now(), options).await?;
        return Ok(Exit::Done);
    }
    let mut scratch = scratch_beside(&place)?;
    let summary = archive::export(&app.store, sources, scratch.reopen()?, now(), options).await;
    let summary = summary.with_context(|| file.display().to_string())?;
    scratch.flush()?;
    put_in_place(scratch, &place, flags.force)?;
    let Summary { sources, facts, withheld } = summary;
    let answer = json!({"file": file, "sources": sources, "facts": facts, "withheld": withheld});
    output::answer(json, &answer, &format!("{}: {}", file.display(), held(summary)));
    Ok(Exit::Done)
}

/// Where an export is written: it takes the place of nothing unless it was told to, and of an ordinary file alone. Of a link what it leads to
/// is replaced, so that it stays one.
pub(super) fn place_for(file: &Path, force: bool) -> anyhow::Result<PathBuf> {
    let refused = |told: &str| {
        let told = format!("{}: {told}", file.display());
        Err(Refusal::invalid_argument(told).into())
    };
    let Ok(there) = file.symlink_metadata() else { return Ok(file.to_owned()) };
    let place = if there.is_symlink() { std::fs::canonicalize(file).ok() } else { Some(file.to_owned()) };
    match place.and_then(|place| Some((place.metadata().ok()?, place))) {
        Some((there, _)) if there.is_dir() => refused("is a folder; name a file in it"),
        Some((there, place)) if there.is_file() && force => Ok(place),
        Some((there, _)) if there.is_file() => {
            refused("already exists; name another file, or pass --force to overwrite it")
        }
        _ => refused(
            "is no ordinary file, so it is not replaced; name another file, or `-` and lead standard output into it",
        ),
    }
}

/// What the names of files end with that are being written.
const UNFINISHED_SUFFIX: &str = ".unfinished";
/// An unfinished file that nobody locks is what a process left that was ended, when nobody wrote to it for so long.
const UNFINISHED_KEPT_FOR: Duration = Duration::from_mins(1);

/// A file that becomes the wanted one when it is whole, locked for as long. What exports left that were ended is deleted.
pub(super) fn scratch_beside(file: &Path) -> anyhow::Result<tempfile::NamedTempFile> {
    let folder = files::folder_of(file);
    let mut prefix = OsString::from(".");
    prefix.push(file.file_name().unwrap_or_default());
    delete_unfinished(folder, &prefix);
    let scratch = tempfile::Builder::new().prefix(&prefix).suffix(UNFINISHED_SUFFIX).tempfile_in(folder);
    // Where there are no locks, nothing is deleted either.
    let locked = scratch.inspect(|scratch| drop(scratch.as_file().try_lock()));
    // The error of the scratch file names that file, of which nobody knows.
    locked.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            let told = format!("{}: the folder does not exist; create it, or name a file in another", folder.display());
            Refusal::invalid_argument(told).into()
        }
        kind => anyhow::anyhow!("{}: cannot be written ({kind}); name a file in another folder", folder.display()),
    })
}

/// Deletes unfinished files whose names begin so and whose processes are gone.
fn delete_unfinished(folder: &Path, prefix: &OsStr) {
    files::sweep(folder, |file| {
        let name = file.file_name();
        let is_named = name.as_encoded_bytes().starts_with(prefix.as_encoded_bytes())
            && name.as_encoded_bytes().ends_with(UNFINISHED_SUFFIX.as_bytes());
        let is_left = || std::fs::File::open(file.path()).is_ok_and(|left| left.try_lock().is_ok());
        is_named && files::is_idle(file, UNFINISHED_KEPT_FOR) && is_left()
    });
}

/// Gives a file that is whole its name.
pub(super) fn put_in_place(scratch: tempfile::NamedTempFile, file: &Path, force: bool) -> anyhow::Result<()> {
    // The disk must have it first: after a power cut neither the backup that it replaces nor a whole new one might be there.
    scratch.as_file().sync_all().with_context(|| format!("{}: cannot be written", file.display()))?;
    let placed = if force { scratch.persist(file) } else { scratch.persist_noclobber(file) };
    placed.map(drop).with_context(|| format!("{}: cannot be written", file.display()))
}

/// What an archive holds, in words.
pub(super) fn held(summary: Summary) -> String {
    let Summary { sources, facts, withheld } = summary;
    let without = if withheld > 0 { format!(", {withheld} without their record (withheld)") } else { String::new() };
    format!("{} of {}{without}", output::counted(facts, "fact"), output::counted(sources, "source"))
}

/// Source and upstream key of every fact that an item was resolved from.
async fn facts_of(app: &App, kind: Kind, id: &str) -> anyhow::Result<Vec<(String, String)>> {
    let Loaded { facts, sources } = generation::load(&app.store, &app.config.sources, now()).await?;
    let plan = plan(kind, &facts, &sources_by_id(&sources));
    let item = plan.items.iter().find(|item| item.kind == kind && item.id == id);
    let members = item.map(|item| item.facts.as_slice()).unwrap_or_default();
    Ok(members.iter().map(|at| (facts[*at].source_id.to_string(), facts[*at].key.clone())).collect())
}

/// `refdesk verify [KIND] [ID]`.
pub async fn verify(config: Config, flags: &cli::Verify, json: bool) -> anyhow::Result<Exit> {
    let app = App::open(config).await?;
    app.sync_bundled().await?;
    let readers = app.readers();
    let verification = match (&flags.kind, &flags.id) {
        (Some(kind), Some(id)) => {
            let kind = kind_of(kind)?;
            let snapshot = app.snapshot().await?;
            let ordinal = match answer::resolve(&snapshot, kind, id) {
                Ok((ordinal, _)) => ordinal,
                Err(unresolved) => return Ok(no_item(kind, id, unresolved)),
            };
            let facts = facts_of(&app, kind, snapshot.id(ordinal)).await?;
            let mut all = refdesk_ingest::verify::Verification::default();
            for (source_id, key) in facts {
                let scope = Scope::One { kind, key: &key, source_id: &source_id };
                all.extend(verify_store(&app.store, &readers, scope).await?);
            }
            all
        }
        (Some(kind), None) => verify_store(&app.store, &readers, Scope::Kind(kind_of(kind)?)).await?,
        (None, _) => verify_store(&app.store, &readers, Scope::All).await?,
    };
    let sound = verification.differences.is_empty();
    if json {
        output::json(&serde_json::to_value(&verification)?);
    } else {
        output::print(&output::fitted(&verification_report(&verification), output::width()));
    }
    Ok(Exit::of_answer(sound))
}

/// A line for each difference, and what was checked.
fn verification_report(verification: &Verification) -> String {
    let mut out = String::new();
    for Difference { source_id, kind, key, path, stored, computed, reason } in &verification.differences {
        let at = path.as_ref().map(|path| format!(" {path}")).unwrap_or_default();
        let _ = writeln!(out, "{source_id} {kind} {key}{at}: {reason} (stored {stored}, computed {computed})");
    }
    let Verification { checked, compared, not_compared, withheld, differences, .. } = verification;
    let word = if differences.is_empty() {
        "no differences".to_owned()
    } else {
        output::counted(differences.len(), "difference")
    };
    let not = match not_compared {
        0 => String::new(),
        some => format!("; {} could not be compared", output::counted(*some, "fact")),
    };
    let (checked, compared) = (output::counted(*checked, "fact"), output::counted(*compared, "fact"));
    let _ = writeln!(out, "{checked} checked, {word}; the values of {compared} were compared with their records{not}");
    if *withheld > 0 {
        let facts = output::counted(*withheld, "fact");
        let _ = writeln!(out, "{facts} withheld, not in this archive: they came without their record");
    }
    if let Some(told) = read_otherwise(verification) {
        let _ = writeln!(out, "{told}");
    }
    out
}

/// What another refdesk read and this one would read otherwise, and what to do; nothing of it is damaged.
pub(super) fn read_otherwise(verification: &Verification) -> Option<String> {
    let facts: usize = verification.read_otherwise.values().sum();
    let sources: Vec<&str> = verification.read_otherwise.keys().map(String::as_str).collect();
    let told = || {
        let facts = output::counted(facts, "fact");
        let sources = sources.join(" ");
        format!(
            "{facts} read by another refdesk, otherwise than this one reads their records: run `refdesk sync {sources}`"
        )
    };
    (facts > 0).then(told)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failing unwrap is a failing test")]
mod tests {
    use super::*;

    /// After an update they are no damage, and a sync is all that they need.
    #[test]
    fn values_that_another_refdesk_read_are_told_with_the_sync_that_takes_them_anew() {
        let by_source = [("litellm".to_owned(), 2), ("models-dev".to_owned(), 1)];
        let sound = Verification { checked: 9, compared: 9, ..Verification::default() };
        assert_eq!(read_otherwise(&sound), None);
        let report = verification_report(&Verification { read_otherwise: by_source.into(), ..sound });
        assert!(report.contains("9 facts checked, no differences"), "{report}");
        assert!(report.contains("3 facts read by another refdesk"), "{report}");
        assert!(report.contains("run `refdesk sync litellm models-dev`"), "{report}");
    }

    /// An export that is not synced to disk must not replace the backup before it.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_cannot_be_synced_replaces_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("all.refdesk");
        std::fs::write(&file, "the backup before").unwrap();
        let scratch = || scratch_beside(&file).unwrap();
        // No disk is behind it, so that nothing is synced.
        let unsynced = std::fs::File::open("/dev/null").unwrap();
        let unsynced = tempfile::NamedTempFile::from_parts(unsynced, scratch().into_temp_path());
        let error = put_in_place(unsynced, &file, true).unwrap_err().to_string();
        assert!(error.contains("all.refdesk: cannot be written"), "{error}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "the backup before");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nor is anything left behind");
        put_in_place(scratch(), &file, true).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "");
    }

    /// Before, each export that was ended left a file behind for good, as large as what it had written.
    #[test]
    fn what_an_ended_export_left_is_deleted_by_the_next_and_what_another_writes_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("all.refdesk");
        let long_ago = std::time::SystemTime::now() - UNFINISHED_KEPT_FOR * 2;
        let writing = scratch_beside(&file).unwrap();
        writing.as_file().set_modified(long_ago).unwrap();
        let (ended, left) = scratch_beside(&file).unwrap().keep().unwrap();
        ended.set_modified(long_ago).unwrap();
        drop(ended);
        let own = folder.path().join(".all.refdesk.unfinished.txt");
        std::fs::write(&own, "").unwrap();
        let next = scratch_beside(&file).unwrap();
        assert_eq!(
            [left.as_path(), writing.path(), next.path(), own.as_path()].map(Path::exists),
            [false, true, true, true]
        );
    }
}
