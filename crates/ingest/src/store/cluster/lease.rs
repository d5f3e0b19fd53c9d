//! Who may write: a row with an epoch that counts up with each holder. Times are those of the database's clock, so that nodes whose clocks
//! differ agree.
//!
//! In `PostgreSQL` a fence locks the row `FOR KEY SHARE`: renewals change no key and pass it, a take changes the epoch, which is part of a
//! unique index, and so waits for the commit in flight. In `SQLite` writers come one after the other anyway.

use std::time::Duration;

use crate::store::sql::{Operation, Session, Writes};
use crate::store::{Result, Store, StoreError};

/// The spelling of a statement for the engine of a session, with the clock of the database in milliseconds since the Unix epoch between its
/// parts: in `PostgreSQL` the moment of the statement and not of its transaction.
macro_rules! with_now {
    ($session:ident, $first:literal, $($next:literal),+) => {
        $session.spelled(
            concat!($first $(, "CAST(unixepoch('subsec') * 1000 AS INTEGER)", $next)+),
            concat!($first $(, "(extract(epoch FROM clock_timestamp()) * 1000)::bigint", $next)+),
        )
    };
}
pub(super) use with_now;

/// A lease that was taken: which, how often it changed hands, by whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Its name.
    pub name: String,
    /// Counts up with each holder.
    pub epoch: i64,
    /// Random for each process.
    pub holder: String,
}

/// What is known of a lease from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseState {
    /// Who had it last. The holder is empty when it was given up.
    pub lease: Lease,
    /// How long it still holds; `None` when it has expired or was given up.
    pub remaining: Option<Duration>,
}

impl LeaseState {
    /// Whether somebody holds it.
    pub const fn is_live(&self) -> bool {
        self.remaining.is_some()
    }
}

/// The row of a lease that nobody had yet. Many may try at once, and each conflict means that it is there: one on the name alone would leave
/// those on name and epoch an error.
const FREE: &str = "INSERT INTO leases (name, epoch, holder, expires_at) VALUES ($1, 0, '', 0) ON CONFLICT DO NOTHING";

impl Store {
    /// Takes a lease that is free, has expired or was given up, for `ttl`; `None` while somebody holds it, be it this holder.
    pub async fn take_lease(&self, name: &str, holder: &str, ttl: Duration) -> Result<Option<Lease>> {
        // Looked at first, because trying to take it locks the row, and so waits for what its holder writes.
        if self.lease(name).await?.is_some_and(|state| state.is_live()) {
            return Ok(None);
        }
        let mut session = self.writing(Operation::TakeLease, Writes::Little).await?;
        session.run(FREE, &[name.into()]).await?;
        let sql = with_now!(
            session,
            "UPDATE leases SET epoch = epoch + 1, holder = $2, expires_at = ",
            " + $3 WHERE name = $1 AND expires_at <= ",
            " RETURNING epoch"
        );
        let row = session.row(sql, &[name.into(), holder.into(), milliseconds(ttl).into()]).await?;
        session.commit().await?;
        let Some(row) = row else { return Ok(None) };
        let epoch = row.get(0)?;
        Ok(Some(Lease { name: name.to_owned(), epoch, holder: holder.to_owned() }))
    }

    /// Holds a lease for `ttl` from now on; false when it is another's by now. One that expired and that nobody took is held again.
    pub async fn renew_lease(&self, lease: &Lease, ttl: Duration) -> Result<bool> {
        let session = self.writing(Operation::RenewLease, Writes::Little).await?;
        let sql = with_now!(
            session,
            "UPDATE leases SET expires_at = ",
            " + $4 WHERE name = $1 AND epoch = $2 AND holder = $3"
        );
        let values = [(&lease.name).into(), lease.epoch.into(), (&lease.holder).into(), milliseconds(ttl).into()];
        Ok(session.run_alone(sql, &values).await? > 0)
    }

    /// Gives a lease up, so that another may take it at once. Nothing happens when it is another's by now.
    pub async fn release_lease(&self, lease: &Lease) -> Result<()> {
        let session = self.writing(Operation::ReleaseLease, Writes::Little).await?;
        let values = [(&lease.name).into(), lease.epoch.into(), (&lease.holder).into()];
        let sql = "UPDATE leases SET holder = '', expires_at = 0 WHERE name = $1 AND epoch = $2 AND holder = $3";
        session.run_alone(sql, &values).await.map(drop)
    }

    /// Fails when the lease of this handle is another's by now: for what its holder does outside of the database, just before it is done.
    pub async fn check_lease(&self) -> Result<()> {
        self.writing(Operation::CheckLease, Writes::Much).await?.commit().await
    }

    /// Who holds a lease or held it last; `None` when nobody ever took it.
    pub async fn lease(&self, name: &str) -> Result<Option<LeaseState>> {
        let mut session = self.engine.reading(Operation::ReadLease).await?;
        let sql = with_now!(session, "SELECT epoch, holder, expires_at - ", " FROM leases WHERE name = $1");
        let Some(row) = session.row(sql, &[name.into()]).await? else { return Ok(None) };
        let remaining: i64 = row.get(2)?;
        Ok(Some(LeaseState {
            lease: Lease { name: name.to_owned(), epoch: row.get(0)?, holder: row.get(1)? },
            remaining: u64::try_from(remaining).ok().filter(|left| *left > 0).map(Duration::from_millis),
        }))
    }
}

fn milliseconds(ttl: Duration) -> i64 {
    i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX / 2)
}

/// The first statement of a fenced transaction: fails when the lease is another's by now, else keeps it from changing hands until the
/// transaction ends.
pub(in crate::store) async fn check_fence(session: &mut Session, lease: &Lease) -> Result<()> {
    let sql = session.spelled(
        "SELECT epoch FROM leases WHERE name = $1 AND epoch = $2 AND holder = $3",
        "SELECT epoch FROM leases WHERE name = $1 AND epoch = $2 AND holder = $3 FOR KEY SHARE",
    );
    let row = session.row(sql, &[(&lease.name).into(), lease.epoch.into(), (&lease.holder).into()]).await?;
    if row.is_some() { Ok(()) } else { Err(StoreError::Deposed { epoch: lease.epoch }) }
}
