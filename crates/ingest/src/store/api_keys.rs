//! API keys: everything but the keys themselves.

use std::array::TryFromSliceError;

use refdesk_core::Stamp;
use sqlx::error::BoxDynError;

use super::cluster::bump_keys;
use super::error::StoreError;
use super::sql::{Column, Operation, Row, Writes};
use super::{KeyRecord, Result, Store};

/// A use that is noted further ahead of a new one than this was noted by a clock that was wrong, and gives way. Uses come out of order by
/// much less.
const USE_AHEAD_SECS_MAX: i64 = 86_400;

impl Store {
    /// Keeps a new key. When this returns, the disk has it.
    pub async fn insert_key(&self, key: &KeyRecord) -> Result<()> {
        self.write(Operation::PutKey, Writes::Durably, async |session| {
            session
                .run(
                    "INSERT INTO api_keys (id, fingerprint, prefix, name, created_at, expires_at, revoked_at, last_used_at, \
                     limit_per_minute) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
                    &[
                        (&key.id).into(),
                        key.fingerprint.as_slice().into(),
                        (&key.prefix).into(),
                        (&key.name).into(),
                        key.created_at.0.into(),
                        key.expires_at.map(|at| at.0).into(),
                        key.revoked_at.map(|at| at.0).into(),
                        key.last_used_at.map(|at| at.0).into(),
                        key.limit_per_minute.map(i64::from).into(),
                    ],
                )
                .await?;
            bump_keys(session).await
        })
        .await
    }

    /// All keys, oldest first.
    pub async fn keys(&self) -> Result<Vec<KeyRecord>> {
        let sql = "SELECT id, fingerprint, prefix, name, created_at, expires_at, revoked_at, last_used_at, limit_per_minute \
                   FROM api_keys ORDER BY created_at, id";
        let rows = self.rows(Operation::ReadKeys, sql, &[]).await?;
        // A key that cannot be read does not work; the others do. One that was revoked need not be read to be refused.
        let known = rows.iter().enumerate().filter_map(|(number, row)| {
            let id = row.get(0).unwrap_or_else(|_| format!("number {number}"));
            let read = key(row);
            if read.is_err() && row.has(6).unwrap_or(false) {
                self.unreadable.forget("key", &id);
                return None;
            }
            self.unreadable.pass_over("key", "", &id, read)
        });
        Ok(known.collect())
    }

    /// Marks a key as revoked; the first revocation's time stays. When this returns, the disk has it, and a standby that is waited for
    /// shows it.
    pub async fn revoke_key(&self, id: &str, at: Stamp) -> Result<bool> {
        self.write(Operation::RevokeKey, Writes::Durably, async |session| {
            let touched = session
                .run(
                    "UPDATE api_keys SET revoked_at = COALESCE(revoked_at, $2) WHERE id = $1",
                    &[id.into(), at.0.into()],
                )
                .await?;
            bump_keys(session).await?;
            Ok(touched > 0)
        })
        .await
    }

    /// Notes that keys were used; a later use never gives way to an earlier one.
    pub async fn touch_keys(&self, uses: &[(String, Stamp)]) -> Result<()> {
        self.write(Operation::NoteKeyUses, Writes::Little, async |session| {
            session
                .run_with(
                    &[
                        ("id", Column::texts(uses.iter().map(|(id, _)| id.as_str()))),
                        ("at", Column::ints(uses.iter().map(|(_, used_at)| used_at.0))),
                        ("ahead", Column::ints(uses.iter().map(|(_, used_at)| used_at.plus_secs(USE_AHEAD_SECS_MAX).0))),
                    ],
                    "UPDATE api_keys SET last_used_at = n.at \
                     FROM (SELECT id, max(at) AS at, max(ahead) AS ahead FROM n GROUP BY id) AS n \
                     WHERE api_keys.id = n.id AND (last_used_at IS NULL OR last_used_at < n.at OR last_used_at > n.ahead)",
                )
                .await
        })
        .await
    }
}

fn key(row: &Row) -> Result<KeyRecord> {
    let undecoded = |error: BoxDynError| StoreError::at(Operation::ReadKeys.as_str())(sqlx::Error::Decode(error));
    // A key is refused rather than used with another fingerprint or without its limit.
    let limit = row.get::<Option<i64>>(8)?.map(u32::try_from).transpose().map_err(|error| undecoded(error.into()))?;
    let fingerprint = row.get::<&[u8]>(1)?.try_into().map_err(|error: TryFromSliceError| undecoded(error.into()))?;
    Ok(KeyRecord {
        id: row.get(0)?,
        fingerprint,
        prefix: row.get(2)?,
        name: row.get(3)?,
        created_at: Stamp(row.get(4)?),
        expires_at: row.get::<Option<i64>>(5)?.map(Stamp),
        revoked_at: row.get::<Option<i64>>(6)?.map(Stamp),
        last_used_at: row.get::<Option<i64>>(7)?.map(Stamp),
        limit_per_minute: limit,
    })
}
