//! The trained router in a file of the catalog on disk. It follows from the cards, but reading it costs far less than training. It is no part of
//! their segment, whose bytes are the same on every machine: the weights are not.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use refdesk_catalog::snapshot::RouterCache;
use refdesk_core::codec::ImageError;
use refdesk_route::{Card, Router};

use super::files::{self, BUFFER_BYTES, UNFINISHED_SUFFIX};

/// Name of the file.
const ROUTER_FILE: &str = "frameworks.router";

/// The router of a catalog folder.
#[derive(Debug)]
pub(super) struct RouterFile {
    folder: PathBuf,
}

impl RouterFile {
    /// The one in the folder of a catalog.
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    fn open(&self, cards: &Arc<[Card]>) -> Result<Option<Router>, ImageError> {
        match File::open(self.folder.join(ROUTER_FILE)) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            file => Router::read(BufReader::with_capacity(BUFFER_BYTES, file?), Arc::clone(cards)),
        }
    }

    /// Written under another name first. Several processes may do so at a time: each has a name of its own.
    fn write(&self, router: &Router) -> Result<(), ImageError> {
        files::make_folder(&self.folder)?;
        let unfinished = self.folder.join(format!("{ROUTER_FILE}.{}{UNFINISHED_SUFFIX}", std::process::id()));
        let file = files::create(&unfinished)?;
        file.set_len(0)?;
        let out = BufWriter::with_capacity(BUFFER_BYTES, file);
        let written = router.write(out).and_then(|mut out| Ok(out.flush()?));
        let kept = written.and_then(|()| Ok(std::fs::rename(&unfinished, self.folder.join(ROUTER_FILE))?));
        if kept.is_err() {
            // A half-written one would only take up space; that it may not be there is no matter.
            let _ = std::fs::remove_file(&unfinished);
        }
        kept
    }
}

impl RouterCache for RouterFile {
    fn read(&self, cards: &Arc<[Card]>) -> Option<Router> {
        self.open(cards).unwrap_or_else(|error| {
            tracing::warn!(%error, "the router on disk cannot be read; it is trained anew");
            None
        })
    }

    fn keep(&self, router: &Router) {
        if let Err(error) = self.write(router) {
            tracing::debug!(%error, "the router cannot be kept on disk; whoever needs it next trains it");
        }
    }
}
