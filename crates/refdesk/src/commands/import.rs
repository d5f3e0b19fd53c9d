//! `import`: an archive becomes the state of its sources. What comes slowly, standard input or a pipe, is received whole first: a store lets one
//! process write at a time, and a desk that runs on it waits for no sender. [`refdesk_ingest::archive`] reads what was received.

use std::fs::File;
use std::io::{self, Read, Seek as _};
use std::path::Path;

use anyhow::Context as _;
use refdesk_ingest::archive::{self, Summary};
use serde_json::json;

use super::export::held;
use super::settled;
use crate::app::App;
use crate::cluster::Cluster;
use crate::config::{Config, key};
use crate::exit::Exit;
use crate::output::{self, Refusal};

/// An archive before it is read.
enum Archive {
    /// A file of a disk, which is there to its end.
    AtRest(File),
    /// Standard input, a pipe or a device: its end may be waited for.
    Coming(Box<dyn Read + Send>),
}

/// `refdesk import FILE`. Where several nodes share a database and none leads, this process leads meanwhile, so that nobody else begins to.
pub async fn import(config: Config, file: &Path, json: bool) -> anyhow::Result<Exit> {
    // First, so that a mistyped name makes no store.
    let archive = opened(file)?;
    let app = App::open(config).await?;
    // Before the lease as well: whoever waits for a sender keeps no node from syncing.
    let archive = named(file, received(archive, &app.config).await)?;
    let work = async {
        let led = match Cluster::open(&app)? {
            Some(cluster) => cluster.lead_for(&app, async |led| take_in(led, archive.try_clone()?, file).await).await?,
            None => None,
        };
        match led {
            Some(summary) => Ok(summary),
            None => take_in(&app, archive, file).await,
        }
    };
    let summary = settled(&app.store, Box::pin(work)).await?;
    let Summary { sources, facts, withheld } = summary;
    let answer = json!({"sources": sources, "facts": facts, "withheld": withheld});
    output::answer(json, &answer, &format!("imported {}", held(summary)));
    Ok(Exit::Done)
}

async fn take_in(app: &App, archive: File, file: &Path) -> anyhow::Result<Summary> {
    // First, so that the archive's word on them, with its times, is the one that stays.
    app.sync_bundled().await?;
    let summary = named(file, archive::import(&app.store, archive).await.map_err(Into::into))?;
    // It was made before the archive said which sources are shown.
    app.drop_catalog()?;
    Ok(summary)
}

/// Names the file that an error is about, unless it is standard input.
fn named<T>(file: &Path, done: anyhow::Result<T>) -> anyhow::Result<T> {
    if file == Path::new("-") { done } else { done.with_context(|| file.display().to_string()) }
}

fn opened(file: &Path) -> anyhow::Result<Archive> {
    if file == Path::new("-") {
        return Ok(Archive::Coming(Box::new(io::stdin())));
    }
    let opened = File::open(file).with_context(|| format!("{}: cannot be read", file.display()));
    let opened = opened.map_err(Refusal::mistake)?;
    let is_at_rest = opened.metadata().is_ok_and(|metadata| metadata.is_file());
    Ok(if is_at_rest { Archive::AtRest(opened) } else { Archive::Coming(Box::new(opened)) })
}

/// The archive as a file of a disk. What comes from elsewhere is received into one without a name, beside the store, which needs as much room:
/// it is gone with this process, however that ends.
async fn received(archive: Archive, config: &Config) -> anyhow::Result<File> {
    let coming = match archive {
        Archive::AtRest(file) => return Ok(file),
        Archive::Coming(coming) => coming,
    };
    let (folder, bytes_max) = (config.data_dir()?, config.get(key::IMPORT_BYTES_MAX) as u64);
    let receive = move || {
        let mut begun = Copied { from: coming, to: Vec::new() };
        // What is no archive is refused at once, not at its end.
        archive::check_beginning(&mut begun)?;
        let whole = io::Cursor::new(begun.to).chain(begun.from);
        let kept = keep(whole, &folder, bytes_max);
        let kept = kept.with_context(|| format!("{}: the archive cannot be received there", folder.display()))?;
        kept.with_context(|| {
            let told = "the archive is larger than import_bytes_max, so nothing was imported: raise that setting";
            Refusal::invalid_argument(format!("{told}, or import it from a file"))
        })
    };
    tokio::task::spawn_blocking(receive).await?
}

/// What was read of something, in a file without a name in a folder; `None` when it is more than that many bytes.
fn keep(whole: impl Read, folder: &Path, bytes_max: u64) -> io::Result<Option<File>> {
    let mut file = tempfile::tempfile_in(folder)?;
    let bytes = io::copy(&mut whole.take(bytes_max.saturating_add(1)), &mut file)?;
    file.rewind()?;
    Ok((bytes <= bytes_max).then_some(file))
}

/// Keeps what is read of something.
struct Copied<R> {
    from: R,
    to: Vec<u8>,
}

impl<R: Read> Read for Copied<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.from.read(buffer)?;
        self.to.extend_from_slice(&buffer[..bytes]);
        Ok(bytes)
    }
}
