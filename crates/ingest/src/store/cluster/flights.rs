//! Which syncs are under way, for the nodes that do not run them. A flight counts only while its epoch is the one of a live lease, so that
//! a leader that died wedges nothing.

use refdesk_core::Stamp;

use super::lease::with_now;
use crate::store::sql::{Operation, Row, Writes};
use crate::store::{Result, Store};

/// A sync that is under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flight {
    /// The source.
    pub source_id: String,
    /// Epoch of the lease under which it runs.
    pub epoch: i64,
    /// When it began.
    pub started_at: Stamp,
}

impl Store {
    /// Notes that a sync begins. Without a fence nothing is noted: then nobody else looks.
    pub async fn begin_flight(&self, source_id: &str, started_at: Stamp) -> Result<()> {
        let Some(lease) = self.fence() else { return Ok(()) };
        let values = [source_id.into(), (&lease.name).into(), lease.epoch.into(), started_at.0.into()];
        let sql = "INSERT INTO flights (source_id, lease, epoch, started_at) VALUES ($1, $2, $3, $4) ON CONFLICT (source_id) \
                   DO UPDATE SET lease = excluded.lease, epoch = excluded.epoch, started_at = excluded.started_at";
        self.writing(Operation::NoteFlight, Writes::Much).await?.run_alone(sql, &values).await.map(drop)
    }

    /// Notes that a sync ended, however it did.
    pub async fn end_flight(&self, source_id: &str) -> Result<()> {
        let Some(lease) = self.fence() else { return Ok(()) };
        let sql = "DELETE FROM flights WHERE source_id = $1 AND epoch = $2";
        let values = [source_id.into(), lease.epoch.into()];
        self.writing(Operation::NoteFlight, Writes::Much).await?.run_alone(sql, &values).await.map(drop)
    }

    /// The syncs that are under way under a live lease, by source.
    pub async fn flights(&self) -> Result<Vec<Flight>> {
        let mut session = self.engine.reading(Operation::ReadFlights).await?;
        let sql = with_now!(
            session,
            "SELECT f.source_id, f.epoch, f.started_at FROM flights f JOIN leases l ON l.name = f.lease AND l.epoch = f.epoch \
             WHERE l.expires_at > ",
            " ORDER BY f.source_id"
        );
        let rows = session.rows(sql, &[]).await?;
        let read =
            |row: &Row| Ok(Flight { source_id: row.get(0)?, epoch: row.get(1)?, started_at: Stamp(row.get(2)?) });
        rows.iter().map(read).collect()
    }
}
