//! Reads the head of the database, one row, for all tasks of a node, and follows its keys: fetching a generation may take long, and a key that
//! was revoked must not work meanwhile.

use std::sync::Arc;
use std::time::{Duration, Instant};

use refdesk_ingest::store::{Head, Migrate, Store, StoreError};
use refdesk_serve::AppState;
use tokio::sync::watch;

use super::candidate::PART as VERSION_PART;
use crate::background::{Pulse, refresh_keys};

/// How often the head is read. A revoked key works no longer than this, while the database answers.
const POLL: Duration = Duration::from_millis(500);

/// A migration may take so long before the task is taken for stuck: an hour, and ten minutes in which it waits for another node's.
const MIGRATE_MAX: Duration = Duration::from_mins(70);

/// Looks at the schema where a start without the database could not, and returns when it can be used: no task of the node begins before it
/// has a head.
pub async fn settle_schema(store: &Store, desk: &AppState, migrate: Migrate, pulse: &Pulse) {
    let mut told = String::new();
    loop {
        pulse.work_for(MIGRATE_MAX);
        let error = match store.settle_schema(migrate).await {
            // A version that is too old to lead follows all the same, and the candidate tells it.
            Ok(()) | Err(StoreError::NewerSchema { .. }) => break,
            Err(error) => error,
        };
        if told != error.to_string() {
            tracing::warn!(%error, "this node goes on with the catalog that it began with");
            told = error.to_string();
        }
        // That the database does not answer is told by the watch of the store.
        let is_answer = matches!(error, StoreError::Older { .. }) || store.probe(false).await.is_ok();
        desk.set_fault(VERSION_PART, is_answer.then(|| error.public_message()));
        tokio::time::sleep(POLL).await;
    }
    desk.set_fault(VERSION_PART, None);
}

/// Polls for as long as it runs, and tells each head that it read. `keyed` is the desk that lets keys in, where a network is served.
pub async fn run(store: Store, keyed: Option<Arc<AppState>>, heads: watch::Sender<Option<Head>>, pulse: Pulse) {
    let mut keys_seen = None;
    loop {
        pulse.beat();
        let asked = Instant::now();
        // Why the database does not answer is told by the watch of the store.
        if let Ok(head) = store.head().await {
            if let Some(desk) = &keyed {
                if keys_seen == Some(head.keys_revision) {
                    desk.node.keys_checked(asked);
                } else if refresh_keys(desk, &store).await {
                    keys_seen = Some(head.keys_revision);
                }
            }
            heads.send_replace(Some(head));
        }
        tokio::time::sleep(POLL).await;
    }
}
