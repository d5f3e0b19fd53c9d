//! How the command line finds the service of its data directory: a running desk writes its endpoint (`serve.json`) with its address and a
//! token, and look-ups ask it instead of reading the catalog from disk.
//!
//! The endpoint alone is not believed: it may be left over from a desk that was killed, or another program may have its port by now.
//! `/version` must answer with the hash of the token first. [`announcement`] is the desk's side, [`client`] that of the command line.

mod announcement;
mod client;

use std::path::{Path, PathBuf};

use refdesk_core::hash::content_hash;
use refdesk_ingest::generation::sources_hash;
use serde::{Deserialize, Serialize};

use crate::config::{Config, key};

pub use announcement::{Announcement, note_change, on_this_machine};
pub use client::{ANSWER_BYTES_MAX, Service};

/// Name of the endpoint in the data directory.
const ENDPOINT_FILE: &str = "serve.json";
/// Name of the note that a command wrote what the running desk does not show yet.
const CHANGED_FILE: &str = "serve.changed";

/// What a running desk says of itself to the command line of the same data directory.
#[derive(Debug, Serialize, Deserialize)]
struct Endpoint {
    /// Where it is reached from this machine.
    address: std::net::SocketAddr,
    pid: u32,
    /// Valid on loopback, for as long as it runs.
    token: String,
    version: String,
    /// Stands for all settings that decide what an answer says.
    answers: String,
}

fn endpoint_path(data_dir: &Path) -> PathBuf {
    data_dir.join(ENDPOINT_FILE)
}

fn changed_path(data_dir: &Path) -> PathBuf {
    data_dir.join(CHANGED_FILE)
}

/// Stands for all settings that decide what an answer says: a command with others asks its own store.
fn answers_of(config: &Config) -> String {
    let Config { sources, collections, .. } = config;
    let said = format!(
        "{} {collections:?} {} {:?}",
        sources_hash(sources),
        config.get(key::EXPORT_ROWS_MAX),
        config.get(key::EMBEDDING_MODEL)
    );
    content_hash(said.as_bytes())
}
