//! Reads the head of the database, one row, for all tasks of a node, and follows its keys: fetching a generation may take long, and a key that
//! was revoked must not work meanwhile.

use std::sync::Arc;
use std::time::Duration;

use refdesk_ingest::store::{Head, Store};
use refdesk_serve::AppState;
use tokio::sync::watch;

use crate::app;
use crate::background::{Pulse, refresh_keys};

/// How often the head is read. A revoked key works no longer than this, while the database answers.
const POLL: Duration = Duration::from_millis(500);

/// Polls for as long as it runs, and tells each head that it read. `keyed` is the desk that lets keys in, where a network is served.
pub async fn run(store: Store, keyed: Option<Arc<AppState>>, heads: watch::Sender<Option<Head>>, pulse: Pulse) {
    let mut keys_seen = None;
    loop {
        pulse.beat();
        // Why the database does not answer is told by the watch of the store.
        if let Ok(head) = store.head().await {
            if let Some(desk) = &keyed {
                if keys_seen == Some(head.keys_revision) {
                    desk.node.keys_checked(app::now());
                } else if refresh_keys(desk, &store).await {
                    keys_seen = Some(head.keys_revision);
                }
            }
            heads.send_replace(Some(head));
        }
        tokio::time::sleep(POLL).await;
    }
}
