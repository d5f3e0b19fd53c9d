//! What a generation is built of: the stored facts, and the sources that may speak.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::fact::StoredFact;
use refdesk_core::{Kind, SourceInfo, Stamp};

use super::changes::Changes;
use crate::config::SourceConfig;
use crate::connectors;
use crate::store::{SourceState, Store, StoreError};

/// Facts and sources, ready for `refdesk_catalog::snapshot::Input`.
#[derive(Debug)]
pub struct Loaded {
    /// All facts of the sources below, by source, kind and key.
    pub facts: Vec<StoredFact>,
    /// The configured sources that are on, and imported ones that are not configured here.
    pub sources: Vec<SourceInfo>,
}

/// Reads the facts of all kinds. Facts of sources that are off, and of those that are neither configured nor imported, stay in the store
/// and are not shown.
///
/// # Errors
/// When the store cannot be read.
pub async fn load(store: &Store, configured: &[SourceConfig], now: Stamp) -> Result<Loaded, StoreError> {
    load_kinds(store, configured, &Kind::ALL, now).await
}

/// The same for some kinds.
pub(super) async fn load_kinds(
    store: &Store,
    configured: &[SourceConfig],
    kinds: &[Kind],
    now: Stamp,
) -> Result<Loaded, StoreError> {
    let sources = speaking(store, configured, now).await?;
    let shown: BTreeSet<Arc<str>> = sources.iter().map(|source| Arc::clone(&source.id)).collect();
    let mut facts = store.facts(kinds).await?;
    facts.retain(|fact| shown.contains(&fact.source_id));
    Ok(Loaded { facts, sources })
}

/// The kinds whose segments of `before` no longer say what the store does. Facts are read of those sources only whose states do not tell which
/// kinds changed.
pub(super) async fn outdated(
    store: &Store,
    configured: &[SourceConfig],
    before: &Arc<Snapshot>,
    changes: Changes,
    now: Stamp,
) -> Result<Vec<Kind>, StoreError> {
    let sources = speaking(store, configured, now).await?;
    let speaks = |id: &str| sources.iter().any(|source| *source.id == *id);
    let Changes { kinds, unmarked } = changes;
    // One that speaks no more makes a kind outdated by being named there.
    let mut outdated: BTreeSet<Kind> = kinds.into_iter().filter(|(id, _)| speaks(id)).map(|(_, kind)| kind).collect();
    let mut of_unmarked = Vec::new();
    for id in unmarked.iter().filter(|id| speaks(id)) {
        of_unmarked.extend(store.source_facts(id).await?);
    }
    let before = Arc::clone(before);
    let others = tokio::task::spawn_blocking(move || {
        let unmarked: Vec<&str> = unmarked.iter().map(String::as_str).collect();
        before.outdated(&of_unmarked, &unmarked, &sources, now)
    });
    outdated.extend(others.await.map_err(|error| StoreError::value("catalog", &error))?);
    Ok(outdated.into_iter().collect())
}

/// The configured sources that are on, and the imported ones that are not configured here.
pub(super) async fn speaking(
    store: &Store,
    configured: &[SourceConfig],
    now: Stamp,
) -> Result<Vec<SourceInfo>, StoreError> {
    let states: BTreeMap<String, SourceState> = store.source_states().await?.into_iter().collect();
    let known: BTreeSet<&str> = configured.iter().map(|source| source.id.as_str()).collect();
    let imported = store.imported_sources().await?.into_iter().filter(|source| !known.contains(&*source.id));
    let info = |source: &SourceConfig| SourceInfo {
        own_list_of: own_list_of(source, states.get(&source.id), now),
        ..source.info()
    };
    let on = configured.iter().filter(|source| source.enabled).map(info);
    Ok(on.chain(imported).collect())
}

/// The seller whose own list a source is, when that list is there and fresh: only then its silence says something.
fn own_list_of(source: &SourceConfig, state: Option<&SourceState>, now: Stamp) -> Option<String> {
    let seller = connectors::find(&source.connector)?.own_list_of?;
    let state = state.filter(|_| source.enabled)?;
    let verified = state.last_verified_at.filter(|at| !at.is_ahead_of(now))?;
    // A newer state that could not be taken does not make the last good one somebody else's.
    let is_fresh = now < verified.plus_secs(source.stale_after.as_stamp_secs());
    is_fresh.then(|| seller.to_owned())
}
