//! What an operator's command does where several nodes are over one database: it asks the one that leads, or leads for as long as it takes.

use std::time::Duration;

use anyhow::Context as _;
use refdesk_ingest::store::{Accept, Lease, Store};
use refdesk_ingest::sync::SyncReport;
use tokio_util::task::AbortOnDropHandle;

use super::{Cluster, LEASE};
use crate::app::{App, now};

/// How often is looked whether a request was answered.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

impl Cluster {
    /// Leads for the length of some work of a command; `None` when another node leads. Everything that the store of its `App` writes stands
    /// under the fence of the lease.
    ///
    /// # Errors
    /// When the database does not answer, or the work fails. That the lease could not be given up afterwards takes nothing from what was
    /// done: it is told, and the lease runs out by itself.
    pub async fn lead_for<T>(
        &self,
        app: &App,
        work: impl AsyncFnOnce(&App) -> anyhow::Result<T>,
    ) -> anyhow::Result<Option<T>> {
        let (store, ttl) = (&app.store, self.lease_ttl);
        let holder = format!("command-{:016x}", rand::random::<u64>());
        let Some(lease) = store.take_lease(LEASE, &holder, ttl).await? else { return Ok(None) };
        let renewing = self.renew(store.with_own_connections(), lease.clone());
        let led = App { config: app.config.clone(), store: store.fenced(lease.clone()) };
        let done = work(&led).await;
        drop(renewing);
        if let Err(error) = store.release_lease(&lease).await {
            tracing::warn!(%error, "the lease could not be given up; it runs out by itself");
        }
        done.map(Some)
    }

    /// Renews a lease until the task is dropped.
    fn renew(&self, store: Store, lease: Lease) -> AbortOnDropHandle<()> {
        let ttl = self.lease_ttl;
        AbortOnDropHandle::new(tokio::spawn(async move {
            loop {
                tokio::time::sleep(ttl / super::RENEWALS).await;
                // Should it be lost, the fence refuses the next write, and the command says so.
                if let Err(error) = store.renew_lease(&lease, ttl).await {
                    tracing::warn!(%error, "the lease could not be renewed");
                }
            }
        }))
    }

    /// Asks the node that leads for syncs of these sources, of all that are on when none is named, and waits for them; of those that are named
    /// `accept` is taken. `None` when nobody leads any more: the request is taken back.
    ///
    /// # Errors
    /// When the database does not answer, or the syncs could not be begun.
    pub async fn ask_for_syncs(
        &self,
        app: &App,
        ids: &[String],
        accept: &Accept,
    ) -> anyhow::Result<Option<Vec<SyncReport>>> {
        let request = app.store.request_sync(ids, accept, now()).await?;
        loop {
            let asked = app.store.sync_request(request).await?.context("the request is gone; send it again")?;
            if let Some(outcome) = asked.outcome {
                return reports(&outcome).map(Some);
            }
            if !app.store.lease(LEASE).await?.is_some_and(|state| state.is_live()) {
                let taken_back = serde_json::json!({ "error": "no node was leading, so the request was withdrawn" });
                app.store.finish_sync_request(request, now(), &taken_back.to_string()).await?;
                return Ok(None);
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }
}

fn reports(outcome: &str) -> anyhow::Result<Vec<SyncReport>> {
    let mut outcome: serde_json::Value = serde_json::from_str(outcome).context("the answer of the node that leads")?;
    if let Some(error) = outcome["error"].as_str() {
        anyhow::bail!("{error}");
    }
    serde_json::from_value(outcome["reports"].take()).context("the answer of the node that leads")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failing unwrap is a failing test")]
mod tests {
    use std::time::Duration;

    use refdesk_ingest::store::{DatabaseSettings, Store};
    use sqlx::ConnectOptions as _;

    use crate::app::App;
    use crate::cluster::{LEASE, bench};

    /// The error does not take the place of the reports of syncs that went well.
    #[tokio::test]
    async fn what_was_done_is_told_also_when_the_lease_cannot_be_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let config = bench::config(folder.path());
        let store = Store::open_in_memory().await.unwrap();
        let cluster = bench::cluster(&store, folder.path(), &config, Duration::from_mins(1));
        let app = App { config, store };
        let done = cluster.lead_for(&app, async |led| {
            led.store.close().await;
            Ok("reports")
        });
        assert_eq!(done.await.unwrap(), Some("reports"));
    }

    /// Before, the renewal waited behind the work for a connection, and another node led in the middle of it.
    #[tokio::test]
    #[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
    async fn a_command_keeps_the_lease_while_its_work_has_all_connections_of_its_store() {
        let server = std::env::var("REFDESK_TEST_POSTGRES").unwrap();
        let name = format!("command_{}", std::process::id());
        let mut admin = server.parse::<sqlx::postgres::PgConnectOptions>().unwrap().connect().await.unwrap();
        sqlx::query(sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"))).execute(&mut admin).await.unwrap();
        let url = format!("{}/{name}", server.rsplit_once('/').unwrap().0);
        let store = Store::open_url(&DatabaseSettings::new(url)).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let (config, ttl) = (bench::config(folder.path()), Duration::from_secs(3));
        let cluster = bench::cluster(&store, folder.path(), &config, ttl);
        let (app, beside) = (App { config, store: store.clone() }, store.with_own_connections());
        let done = cluster.lead_for(&app, async |led| {
            let mut held = Vec::new();
            while let Ok(Ok(dump)) = tokio::time::timeout(Duration::from_secs(1), led.store.dump()).await {
                held.push(dump);
            }
            tokio::time::sleep(ttl * 2).await;
            let state = beside.lease(LEASE).await?.unwrap();
            Ok((held.len(), state.lease.epoch, state.is_live()))
        });
        assert_eq!(done.await.unwrap(), Some((8, 1, true)), "connections, epoch of the lease, whether it holds");
    }
}
