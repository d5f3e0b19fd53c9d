//! What a snapshot is built from: the stored facts and the sources that may speak. Building it is `refdesk_core::snapshot`'s job.

use std::collections::BTreeSet;
use std::sync::Arc;

use refdesk_core::SourceInfo;
use refdesk_core::fact::StoredFact;

use crate::config::SourceConfig;
use crate::store::{Store, StoreError};

/// Facts and sources, ready for `refdesk_core::snapshot::Input`.
#[derive(Debug)]
pub struct Catalog {
    /// All facts of the sources below, by source, kind and key.
    pub facts: Vec<StoredFact>,
    /// The configured sources, and imported ones that are not configured here.
    pub sources: Vec<SourceInfo>,
}

/// Reads the catalog. Facts of sources that are neither configured nor imported stay in the store and are not shown; those of a
/// disabled source are shown and grow stale.
///
/// # Errors
/// When the store cannot be read.
pub async fn load(store: &Store, configured: &[SourceConfig]) -> Result<Catalog, StoreError> {
    let mut sources: Vec<SourceInfo> = configured.iter().map(SourceConfig::info).collect();
    let known: BTreeSet<Arc<str>> = sources.iter().map(|source| Arc::clone(&source.id)).collect();
    sources.extend(store.imported_sources().await?.into_iter().filter(|source| !known.contains(&source.id)));
    let shown: BTreeSet<Arc<str>> = sources.iter().map(|source| Arc::clone(&source.id)).collect();
    let mut facts = store.facts().await?;
    facts.retain(|fact| shown.contains(&fact.source_id));
    Ok(Catalog { facts, sources })
}
