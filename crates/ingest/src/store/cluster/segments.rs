//! Segment files in the database, in pieces, for who has neither a shared folder nor an object store. Names are content hashes, so a file
//! that is there is written again only where it is damaged; who reads one checks its hash.

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::store::sql::{Operation, Session, Writes};
use crate::store::{Result, Store, StoreError};

const DELETE: &str = "DELETE FROM segment_chunks WHERE name = $1";

/// Size of the pieces of a segment file: what a statement carries at once.
pub const SEGMENT_CHUNK_BYTES: usize = 1 << 20;

impl Store {
    /// Keeps a file under a name, whole or not at all; one that is there stays as it is.
    pub async fn put_segment_file(&self, name: &str, content: &mut (dyn AsyncRead + Send + Unpin)) -> Result<()> {
        self.write(Operation::WriteSegmentFile, Writes::Much, async |session| put_chunks(session, name, content).await)
            .await
    }

    /// Keeps a file in place of one of that name, whole or not at all; until it is whole, whoever reads finds the one before.
    pub async fn replace_segment_file(&self, name: &str, content: &mut (dyn AsyncRead + Send + Unpin)) -> Result<()> {
        self.write(Operation::WriteSegmentFile, Writes::Much, async |session| {
            session.run(DELETE, &[name.into()]).await?;
            put_chunks(session, name, content).await
        })
        .await
    }

    /// Copies a file out, piece by piece; how many bytes that were, `None` when there is no such file.
    pub async fn segment_file(&self, name: &str, to: &mut (dyn AsyncWrite + Send + Unpin)) -> Result<Option<u64>> {
        let mut session = self.engine.reading(Operation::ReadSegmentFile).await?;
        let mut bytes = None;
        for position in 0_i64.. {
            let row = session
                .row(
                    "SELECT content FROM segment_chunks WHERE name = $1 AND position = $2",
                    &[name.into(), position.into()],
                )
                .await?;
            let Some(row) = row else { break };
            let chunk: &[u8] = row.get(0)?;
            to.write_all(chunk).await.map_err(|error| unread(name, &error))?;
            *bytes.get_or_insert(0) += chunk.len() as u64;
        }
        to.flush().await.map_err(|error| unread(name, &error))?;
        Ok(bytes)
    }

    /// Whether a file is there.
    pub async fn has_segment_file(&self, name: &str) -> Result<bool> {
        let sql = "SELECT position FROM segment_chunks WHERE name = $1 LIMIT 1";
        Ok(self.row(Operation::ReadSegmentFile, sql, &[name.into()]).await?.is_some())
    }

    /// The names of all files.
    pub async fn segment_files(&self) -> Result<Vec<String>> {
        let rows = self
            .rows(Operation::ReadSegmentFile, "SELECT DISTINCT name FROM segment_chunks ORDER BY name", &[])
            .await?;
        rows.iter().map(|row| row.get(0)).collect()
    }

    /// Deletes files; those that are not there are no error.
    pub async fn delete_segment_files(&self, names: &[String]) -> Result<()> {
        self.write(Operation::DeleteSegmentFiles, Writes::Much, async |session| {
            for name in names {
                session.run(DELETE, &[name.into()]).await?;
            }
            Ok(())
        })
        .await
    }
}

/// Writes the pieces of a file that are not there.
async fn put_chunks(session: &mut Session, name: &str, content: &mut (dyn AsyncRead + Send + Unpin)) -> Result<()> {
    let mut chunk = Vec::new();
    for position in 0_i64.. {
        chunk.clear();
        let mut part = (&mut *content).take(SEGMENT_CHUNK_BYTES as u64);
        part.read_to_end(&mut chunk).await.map_err(|error| unread(name, &error))?;
        // An empty file is one empty piece.
        if chunk.is_empty() && position > 0 {
            break;
        }
        let values = [name.into(), position.into(), chunk.as_slice().into()];
        session
            .run(
                "INSERT INTO segment_chunks (name, position, content) VALUES ($1, $2, $3) \
                 ON CONFLICT (name, position) DO NOTHING",
                &values,
            )
            .await?;
        if chunk.len() < SEGMENT_CHUNK_BYTES {
            break;
        }
    }
    Ok(())
}

fn unread(name: &str, error: &std::io::Error) -> StoreError {
    StoreError::Prepare { what: format!("the segment file {name}"), reason: error.to_string() }
}
