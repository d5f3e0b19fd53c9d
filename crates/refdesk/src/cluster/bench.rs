//! A node for tests, over a store of any kind.

#![allow(clippy::unwrap_used, reason = "a failing unwrap is a failing test")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use refdesk_catalog::snapshot::Snapshot;
use refdesk_ingest::segment_store::SegmentStore;
use refdesk_ingest::store::Store;
use refdesk_ingest::sync::Silent;
use refdesk_serve::Role;

use super::Cluster;
use crate::app::{self, App};
use crate::background::Background;
use crate::config::{Config, Given, key};
use crate::desk;

/// A node of its own over `store`, with a lease that holds for `lease_ttl`.
pub fn cluster(store: &Store, folder: &Path, config: &Config, lease_ttl: Duration) -> Cluster {
    let files = SegmentStore::open(folder.join("segments").to_str().unwrap(), store).unwrap();
    Cluster::new(Role::All, lease_ttl, store, files, config).unwrap()
}

/// What the tasks of a node work with, over an empty catalog.
pub async fn background(store: &Store, config: Config) -> Background {
    let app = Arc::new(App { config, store: store.clone() });
    let desk = desk::open(&app, Arc::new(Snapshot::empty(app::now()))).await.unwrap();
    let engine = app.engine(Arc::new(Silent)).unwrap();
    Background { app, desk, engine, announcement: None, reload: Arc::default() }
}

/// The configuration of a folder, without the default sources.
pub fn config(folder: &Path) -> Config {
    let file = folder.join("refdesk.toml");
    std::fs::write(&file, "default_sources = false\n").unwrap();
    let data_dir = folder.join("data");
    Config::load(Some(&file), &[Given::by_set(key::DATA_DIR.row, data_dir.to_str().unwrap())]).unwrap()
}
