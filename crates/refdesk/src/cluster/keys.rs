//! Follows the keys of the database, beside everything else that a node does: fetching a generation may take long, and a key that was
//! revoked must not work meanwhile.

use std::sync::Arc;
use std::time::Duration;

use refdesk_ingest::store::Store;
use refdesk_serve::AppState;

use crate::app;
use crate::background::{Pulse, refresh_keys};

/// How often is looked whether keys were made or revoked. A revoked key works no longer than this, while the database answers.
const LOOK: Duration = Duration::from_millis(500);

/// Follows for as long as it runs.
pub async fn run(desk: Arc<AppState>, store: Store, pulse: Pulse) {
    let mut seen = None;
    loop {
        pulse.beat();
        // Why the database does not answer is told by the watch of the store.
        if let Ok(head) = store.head().await {
            if seen == Some(head.keys_revision) {
                desk.node.keys_checked(app::now());
            } else if refresh_keys(&desk, &store).await {
                seen = Some(head.keys_revision);
            }
        }
        tokio::time::sleep(LOOK).await;
    }
}
