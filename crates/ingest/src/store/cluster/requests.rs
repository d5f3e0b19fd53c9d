//! What operators ask of whoever syncs: `refdesk sync` on any node leaves a request, the leader takes it and tells how it went.

use refdesk_core::Stamp;

use crate::store::sql::{Operation, Row, Writes};
use crate::store::{Accept, Result, Store, StoreError};

/// A query of requests, with the columns that [`request`] takes.
macro_rules! requests {
    ($rest:literal) => {
        concat!("SELECT id, source_ids, force, requested_at, done_at, outcome, reviewed FROM sync_requests ", $rest)
    };
}

/// Requests kept once they are done; older ones are dropped.
pub const SYNC_REQUESTS_MAX: i64 = 1_000;

/// A request for syncs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncRequest {
    /// Counts up.
    pub id: i64,
    /// The sources; none means all.
    pub source_ids: Vec<String>,
    /// What is taken past a quarantine.
    pub accept: Accept,
    /// When it was asked for.
    pub requested_at: Stamp,
    /// When it was done.
    pub done_at: Option<Stamp>,
    /// How it went, as whoever did it told.
    pub outcome: Option<String>,
}

impl Store {
    /// Asks for syncs of these sources, of all when none is named; the request's id. It needs no lease.
    pub async fn request_sync(&self, source_ids: &[String], accept: &Accept, requested_at: Stamp) -> Result<i64> {
        let ids = serde_json::to_string(source_ids)
            .map_err(|error| StoreError::Prepare { what: "a request".into(), reason: error.to_string() })?;
        let force = i64::from(*accept == Accept::Any);
        let reviewed = match accept {
            Accept::State(hash) => Some(hash.as_str()),
            Accept::No | Accept::Any => None,
        };
        self.write(Operation::AskForSync, Writes::Little, async |session| {
            session
                .run(
                    "DELETE FROM sync_requests WHERE done_at IS NOT NULL AND id NOT IN \
                     (SELECT id FROM sync_requests ORDER BY id DESC LIMIT $1)",
                    &[(SYNC_REQUESTS_MAX - 1).into()],
                )
                .await?;
            let row = session
                .row(
                    "INSERT INTO sync_requests (source_ids, force, reviewed, requested_at) VALUES ($1, $2, $3, $4) RETURNING id",
                    &[(&ids).into(), force.into(), reviewed.into(), requested_at.0.into()],
                )
                .await?
                .ok_or_else(|| StoreError::value("request", &"it got no id"))?;
            row.get(0)
        })
        .await
    }

    /// The requests that nobody has done yet, oldest first.
    pub async fn sync_requests_waiting(&self) -> Result<Vec<SyncRequest>> {
        let rows = self.rows(Operation::ReadSyncRequests, requests!("WHERE done_at IS NULL ORDER BY id"), &[]).await?;
        rows.iter().map(request).collect()
    }

    /// Tells how a request went. The first word stands. Under the fence, where there is one: whoever was deposed while it synced leaves the
    /// request to the next that leads.
    pub async fn finish_sync_request(&self, id: i64, done_at: Stamp, outcome: &str) -> Result<()> {
        self.write(Operation::FinishRequest, Writes::Much, async |session| {
            let sql = "UPDATE sync_requests SET done_at = $2, outcome = $3 WHERE id = $1 AND done_at IS NULL";
            session.run(sql, &[id.into(), done_at.0.into(), outcome.into()]).await.map(drop)
        })
        .await
    }

    /// The request that has this id.
    pub async fn sync_request(&self, id: i64) -> Result<Option<SyncRequest>> {
        let row = self.row(Operation::ReadSyncRequests, requests!("WHERE id = $1"), &[id.into()]).await?;
        row.as_ref().map(request).transpose()
    }
}

fn request(row: &Row) -> Result<SyncRequest> {
    let source_ids: &str = row.get(1)?;
    Ok(SyncRequest {
        id: row.get(0)?,
        source_ids: serde_json::from_str(source_ids).map_err(|error| StoreError::value("request", &error))?,
        accept: match (row.get::<i64>(2)?, row.get(6)?) {
            (_, Some(reviewed)) => Accept::State(reviewed),
            (0, None) => Accept::No,
            _ => Accept::Any,
        },
        requested_at: Stamp(row.get(3)?),
        done_at: row.get::<Option<i64>>(4)?.map(Stamp),
        outcome: row.get(5)?,
    })
}
