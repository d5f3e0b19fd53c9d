//! A node for tests, over a store of any kind.

#![allow(clippy::unwrap_used, reason = "a failing unwrap is a failing test")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use refdesk_ingest::generation::{SharedGenerations, node_folder};
use refdesk_ingest::segment_store::SegmentStore;
use refdesk_ingest::store::Store;
use refdesk_serve::Role;
use tokio_util::sync::CancellationToken;

use super::Cluster;
use crate::background::{LiveConfig, Shown};
use crate::config::{Config, Given, key};

/// A node of its own over `store`, with a lease that holds for `lease_ttl`.
pub fn cluster(store: &Store, folder: &Path, config: &Config, lease_ttl: Duration) -> Cluster {
    let files = SegmentStore::open(folder.join("segments").to_str().unwrap(), store).unwrap();
    let shared =
        SharedGenerations::new(store.clone(), files, node_folder(&config.data_dir().unwrap(), &config.sources));
    Cluster {
        role: Role::All,
        lease_ttl,
        shared,
        shown: Shown::default(),
        began_late: Arc::default(),
        syncing: Arc::default(),
        heads: tokio::sync::watch::Sender::new(None),
        live: LiveConfig::new(config.clone()),
        resigned: CancellationToken::new(),
    }
}

/// The configuration of a folder, without the default sources.
pub fn config(folder: &Path) -> Config {
    let file = folder.join("refdesk.toml");
    std::fs::write(&file, "default_sources = false\n").unwrap();
    let data_dir = folder.join("data");
    Config::load(Some(&file), &[Given::by_set(key::DATA_DIR.row, data_dir.to_str().unwrap())]).unwrap()
}
