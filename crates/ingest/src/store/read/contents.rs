//! Full texts and records, one by one: what requests ask for. They are read off a replica where there is one, and off the primary where the
//! replica has none, or does not answer.

use refdesk_core::Kind;

use crate::store::error::StoreError;
use crate::store::pack::unpack;
use crate::store::sql::row::{basis_of, body_state_of, kind_of, withheld_of};
use crate::store::sql::{Operation, Row, Session};
use crate::store::{BodyState, RecordAt, Result, Store, StoredRecord};

/// Asks the replica first, and the primary when that has nothing to say.
macro_rules! from_nearest {
    ($store:ident, $doing:expr, $read:ident ( $($argument:expr),* )) => {{
        if let Some(session) = $store.engine.replica($doing).await
            && let Ok(Some(found)) = $read(session, $($argument),*).await
        {
            return Ok(Some(found));
        }
        $read($store.engine.reading($doing).await?, $($argument),*).await
    }};
}

impl Store {
    /// The full Markdown of a fact; `None` when it has none.
    pub async fn body(&self, source_id: &str, kind: Kind, key: &str) -> Result<Option<String>> {
        from_nearest!(self, Operation::ReadBody, body(source_id, kind, key))
    }

    /// The record of a fact, verbatim.
    pub async fn record(&self, source_id: &str, kind: Kind, key: &str) -> Result<Option<StoredRecord>> {
        from_nearest!(self, Operation::ReadRecord, record(source_id, kind, key))
    }

    /// The fact that has this number ([`refdesk_core::fact::StoredFact::row`]), with its record.
    pub async fn record_at(&self, row: i64) -> Result<Option<RecordAt>> {
        from_nearest!(self, Operation::ReadRecord, record_at(row))
    }
}

async fn body(mut session: Session, source_id: &str, kind: Kind, key: &str) -> Result<Option<String>> {
    let row = session
        .row(
            "SELECT f.body_state, b.content, r.content, f.provenance FROM facts f LEFT JOIN bodies b ON b.fact_id = f.id \
             LEFT JOIN records r ON r.fact_id = f.id AND f.body_state = 'record' \
             WHERE f.source_id = $1 AND f.kind = $2 AND f.key = $3",
            &[source_id.into(), kind.singular().into(), key.into()],
        )
        .await?;
    let Some(row) = row else { return Ok(None) };
    if withheld_of(row.get(3)?)?.is_some() {
        return Ok(None);
    }
    let content: Option<&[u8]> = match body_state_of(row.get(0)?)? {
        BodyState::None | BodyState::Missing => return Ok(None),
        BodyState::Markdown => row.get(1)?,
        BodyState::Record => row.get(2)?,
    };
    let content = content.ok_or_else(|| StoreError::value("body", &"its content is missing"))?;
    Ok(Some(String::from_utf8_lossy(&unpack(content)?).into_owned()))
}

async fn record(mut session: Session, source_id: &str, kind: Kind, key: &str) -> Result<Option<StoredRecord>> {
    let row = session
        .row(
            "SELECT r.content, f.hash_basis, f.content_hash, f.provenance FROM facts f JOIN records r ON r.fact_id = f.id \
             WHERE f.source_id = $1 AND f.kind = $2 AND f.key = $3",
            &[source_id.into(), kind.singular().into(), key.into()],
        )
        .await?;
    row.as_ref().map_or(Ok(None), stored_record)
}

async fn record_at(mut session: Session, row: i64) -> Result<Option<RecordAt>> {
    let found = session
        .row(
            "SELECT r.content, f.hash_basis, f.content_hash, f.provenance, f.source_id, f.kind, f.key \
             FROM facts f LEFT JOIN records r ON r.fact_id = f.id WHERE f.id = $1",
            &[row.into()],
        )
        .await?;
    let Some(row) = found else { return Ok(None) };
    Ok(Some(RecordAt {
        source_id: row.get(4)?,
        kind: kind_of(row.get(5)?)?,
        key: row.get(6)?,
        withheld: withheld_of(row.get(3)?)?,
        record: stored_record(&row)?,
    }))
}

/// The record in a row that begins with content, basis and hash of it, and the provenance of its fact; `None` when it has no content.
fn stored_record(row: &Row) -> Result<Option<StoredRecord>> {
    let Some(content) = row.get::<Option<&[u8]>>(0)? else { return Ok(None) };
    Ok(Some(StoredRecord {
        bytes: unpack(content)?,
        hash_basis: basis_of(row.get(1)?)?,
        content_hash: row.get(2)?,
        withheld: withheld_of(row.get(3)?)?,
    }))
}
