//! What an operator's command does where several nodes are over one database: it asks the one that leads, or leads for as long as it takes.

use std::time::Duration;

use anyhow::Context as _;
use refdesk_ingest::store::{Lease, Store};
use refdesk_ingest::sync::SyncReport;
use tokio_util::sync::CancellationToken;

use super::{Cluster, LEASE};
use crate::app::{App, now};

/// How often is looked whether a request was answered.
const LOOK: Duration = Duration::from_millis(500);

/// The lease, held for the length of a command.
pub struct Held {
    store: Store,
    lease: Lease,
    over: CancellationToken,
}

impl Cluster {
    /// Takes the lease for a command, when nobody holds it. Everything that `app`'s store writes then stands under its fence.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn lead_for_a_command(&self, app: &App) -> anyhow::Result<Option<(App, Held)>> {
        let (store, ttl) = (app.store.clone(), self.lease_ttl);
        let holder = format!("command-{:016x}", rand::random::<u64>());
        let Some(lease) = store.take_lease(LEASE, &holder, ttl).await? else { return Ok(None) };
        let over = CancellationToken::new();
        let (renewing, renewed, done) = (store.clone(), lease.clone(), over.clone());
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    () = done.cancelled() => return,
                    () = tokio::time::sleep(ttl / super::RENEWALS) => {}
                }
                // Should it be lost, the fence refuses the next write, and the command says so.
                if let Err(error) = renewing.renew_lease(&renewed, ttl).await {
                    tracing::warn!(%error, "the lease could not be renewed");
                }
            }
        });
        let led = App { config: app.config.clone(), store: store.fenced(lease.clone()) };
        Ok(Some((led, Held { store, lease, over })))
    }

    /// Asks the node that leads for syncs of these sources, of all that are on when none is named, and waits for them. `None` when nobody
    /// leads any more: the request is taken back.
    ///
    /// # Errors
    /// When the database does not answer, or the syncs could not be begun.
    pub async fn ask_for_syncs(
        &self,
        app: &App,
        ids: &[String],
        force: bool,
    ) -> anyhow::Result<Option<Vec<SyncReport>>> {
        let request = app.store.request_sync(ids, force, now()).await?;
        loop {
            let asked = app.store.sync_request(request).await?.context("the request is gone; send it again")?;
            if let Some(outcome) = asked.outcome {
                return reports(&outcome).map(Some);
            }
            if !app.store.lease(LEASE).await?.is_some_and(|state| state.is_live()) {
                let taken_back = serde_json::json!({ "error": "nobody led, so the request was taken back" });
                app.store.finish_sync_request(request, now(), &taken_back.to_string()).await?;
                return Ok(None);
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

impl Held {
    /// Gives the lease up, so that a node may lead at once.
    ///
    /// # Errors
    /// When the database does not answer; then it runs out by itself.
    pub async fn release(self) -> anyhow::Result<()> {
        self.over.cancel();
        Ok(self.store.release_lease(&self.lease).await?)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.over.cancel();
    }
}

fn reports(outcome: &str) -> anyhow::Result<Vec<SyncReport>> {
    let mut outcome: serde_json::Value = serde_json::from_str(outcome).context("the answer of the node that leads")?;
    if let Some(error) = outcome["error"].as_str() {
        anyhow::bail!("{error}");
    }
    serde_json::from_value(outcome["reports"].take()).context("the answer of the node that leads")
}
