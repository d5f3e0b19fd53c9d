//! Generations on disk, and shared by several nodes through a segment store.

mod catalog_folder;
mod segment_stores;
mod shared_generations;

use refdesk_ingest::config::SourceConfig;
use refdesk_ingest::store::{Accept, Store};
use refdesk_ingest::sync::{Engine, EngineOptions};

/// Reads the folder of cards anew.
async fn sync(store: &Store, sources: &[SourceConfig]) {
    let engine = Engine::new(store.clone(), sources.to_vec(), EngineOptions::default()).unwrap();
    engine.sync_source("mine", &Accept::Any).await.unwrap();
}
