//! `export --format csv|ndjson|sqlite`: the rows of the catalog as they are shown, for other programs. Row by row: however long a table is,
//! one piece of it is in memory beside the catalog.

use std::io;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use refdesk_catalog::answer::Export;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::query::{Format, ListQuery, Params};
use refdesk_ingest::archive::tables;
use refdesk_ingest::generation::Part;
use serde_json::json;

use super::bad_request::wrong;
use super::export::{place_for, put_in_place, scratch_beside};
use super::lookup::kind_of;
use crate::cli::{self, ExportFormat};
use crate::client::{Extent, InProcess};
use crate::config::Config;
use crate::exit::Exit;
use crate::output::{self, Refusal};

/// `refdesk export FILE --format FORMAT`. Each file appears whole or not at all.
pub async fn export(config: Config, flags: &cli::Export, json: bool) -> anyhow::Result<Exit> {
    let kind = flags.kind.as_deref().map(kind_of).transpose()?;
    let kinds = kind.as_ref().map_or(&Kind::ALL[..], std::slice::from_ref);
    let to_stdout = flags.file == Path::new("-");
    let format = if flags.format == ExportFormat::Csv { Format::Csv } else { Format::Ndjson };
    refuse_unfit(flags, kind, format)?;
    let snapshot = InProcess::open(&config, Extent::Part(Part::Kinds(kinds))).await?.snapshot();
    if flags.format == ExportFormat::Sqlite {
        return sqlite(&snapshot, kinds, flags, json).await;
    }
    if to_stdout {
        for piece in rows(&snapshot, kinds[0], format)? {
            if !output::bytes(&piece)? {
                break;
            }
        }
        return Ok(Exit::Done);
    }
    let mut written = Vec::new();
    if kind.is_some() {
        written.push((kinds[0], flags.file.clone()));
    } else {
        std::fs::create_dir_all(&flags.file).with_context(|| {
            format!("{}: the tables need a folder, and none can be made there; name another one", flags.file.display())
        })?;
        let ending = format.as_str();
        written.extend(kinds.iter().map(|kind| (*kind, flags.file.join(format!("{}.{ending}", kind.collection())))));
    }
    let places = written.iter().map(|(_, file)| place_for(file, flags.force));
    let places = places.collect::<anyhow::Result<Vec<_>>>()?;
    let mut whole = Vec::with_capacity(written.len());
    for ((kind, file), place) in written.iter().zip(&places) {
        let mut scratch = scratch_beside(place)?;
        // The scratch file's own errors name that file, of which nobody knows.
        let rows = write_rows(&snapshot, *kind, format, &mut io::BufWriter::new(scratch.as_file_mut()));
        rows.with_context(|| format!("{}: cannot be written", file.display()))?;
        whole.push((scratch, place));
    }
    // Only now: on a disk that is full none of them stays.
    for (scratch, place) in whole {
        put_in_place(scratch, place, flags.force)?;
    }
    let told = written.iter().map(|(kind, file)| (file.as_path(), snapshot.segment(*kind).len() as usize));
    tell(told, json);
    Ok(Exit::Done)
}

/// Refuses a place that cannot take the tables, before the catalog is read for them.
fn refuse_unfit(flags: &cli::Export, kind: Option<Kind>, format: Format) -> anyhow::Result<()> {
    let refused = |told: &str| Err(Refusal::invalid_argument(told).into());
    if flags.with_withheld {
        return refused(
            "--with-withheld is for archives: tables hold the rows as they are shown; leave one of the two out",
        );
    }
    let is_sqlite = flags.format == ExportFormat::Sqlite;
    if flags.file == Path::new("-") && (kind.is_none() || is_sqlite) {
        return refused("standard output takes one table: pass --type, and --format csv or ndjson; or name a file");
    }
    if is_sqlite {
        return place_for(&flags.file, flags.force).map(drop);
    }
    let is_named_as_table = flags.file.extension().is_some_and(|ending| ending == format.as_str());
    if kind.is_none() && is_named_as_table && !flags.file.is_dir() {
        let file = flags.file.display();
        let told = format!("{file}: the tables of all kinds need a folder; name one, or pass --type for one table");
        return refused(&told);
    }
    Ok(())
}

async fn sqlite(snapshot: &Arc<Snapshot>, kinds: &[Kind], flags: &cli::Export, json: bool) -> anyhow::Result<Exit> {
    let file = flags.file.as_path();
    let place = place_for(file, flags.force)?;
    let scratch = scratch_beside(&place)?;
    let exports = kinds.iter().map(|kind| Ok((*kind, rows(snapshot, *kind, Format::Ndjson)?)));
    let exports = exports.collect::<anyhow::Result<Vec<_>>>()?;
    let rows = tables::write(scratch.path(), exports).await.with_context(|| format!("{}", file.display()))?;
    put_in_place(scratch, &place, flags.force)?;
    tell([(file, rows)].into_iter(), json);
    Ok(Exit::Done)
}

/// All rows of a kind, candidates among them.
fn rows(snapshot: &Arc<Snapshot>, kind: Kind, format: Format) -> anyhow::Result<Export> {
    let candidates = (kind == Kind::Framework).then_some(("include_candidates", "true"));
    let params = Params::new(candidates, ListQuery::names(kind));
    let mut query = ListQuery::parse(kind, &params).map_err(wrong)?;
    query.selection.format = format;
    Ok(Export::new(Arc::clone(snapshot), kind, query, usize::MAX))
}

fn write_rows(snapshot: &Arc<Snapshot>, kind: Kind, format: Format, out: &mut impl io::Write) -> anyhow::Result<()> {
    for piece in rows(snapshot, kind, format)? {
        out.write_all(&piece)?;
    }
    Ok(out.flush()?)
}

fn tell<'a>(files: impl Iterator<Item = (&'a Path, usize)>, json: bool) {
    if json {
        let files: Vec<_> = files.map(|(file, rows)| json!({"file": file, "rows": rows})).collect();
        output::json(&json!({"files": files}));
        return;
    }
    for (file, rows) in files {
        output::line(&format!("{}: {}", file.display(), output::counted(rows, "row")));
    }
}
