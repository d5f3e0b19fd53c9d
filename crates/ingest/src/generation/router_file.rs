//! The trained router in a file of the catalog on disk. It follows from the cards, but reading it costs far less than training. It is no part of
//! their segment, whose bytes are the same on every machine: the weights are not.

use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use refdesk_catalog::snapshot::RouterCache;
use refdesk_core::codec::ImageError;
use refdesk_route::{Card, Router};

use super::BUFFER_BYTES;
use crate::files;

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
        let Some(file) = files::if_there(files::open_regular(&self.folder.join(ROUTER_FILE)))? else { return Ok(None) };
        Router::read(&mut BufReader::with_capacity(BUFFER_BYTES, file), Arc::clone(cards))
    }

    /// Several processes may do so at a time: the unfinished file of each has a name of its own.
    fn write(&self, router: &Router) -> Result<(), ImageError> {
        files::make_subfolder(&self.folder)?;
        let unfinished = format!("{ROUTER_FILE}.{}", std::process::id());
        let written = files::write_whole(&self.folder, &unfinished, |file| {
            router.write(&mut BufWriter::with_capacity(BUFFER_BYTES, file))?;
            Ok(ROUTER_FILE.to_owned())
        });
        written.map(drop)
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
