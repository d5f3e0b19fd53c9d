//! Named values, and the embeddings of contents.

use std::collections::BTreeMap;

use super::sql::{Column, Operation, Writes};
use super::{Result, Store, StoreError};

impl Store {
    /// A named value. One that cannot be read is as good as none: all of them can be found out anew.
    pub async fn meta(&self, name: &str) -> Result<Option<String>> {
        let row = self.row(Operation::ReadMeta, "SELECT value FROM meta WHERE name = $1", &[name.into()]).await?;
        let told = |error: &StoreError| tracing::warn!(name, %error, "a value of the store cannot be read and is found out anew");
        Ok(row.and_then(|row| row.get(0).inspect_err(told).ok()))
    }

    /// Sets a named value.
    pub async fn set_meta(&self, name: &str, value: &str) -> Result<()> {
        self.write(Operation::WriteMeta, Writes::Little, async |session| {
            let sql =
                "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
            session.run(sql, &[name.into(), value.into()]).await.map(drop)
        })
        .await
    }

    /// All vectors of a model: content hash and vector bytes.
    pub async fn embeddings(&self, model: &str) -> Result<Vec<(String, Vec<u8>)>> {
        let mut session = self.engine.snapshot(Operation::ReadEmbeddings).await?;
        let mut embeddings = Vec::new();
        {
            let mut rows = session.stream(
                "SELECT content_hash, vector FROM embeddings WHERE model = $1 ORDER BY content_hash",
                &[model.into()],
            )?;
            while let Some(row) = rows.next().await? {
                embeddings.push((row.get(0)?, row.get(1)?));
            }
        }
        session.commit().await?;
        Ok(embeddings)
    }

    /// Keeps vectors of a model; of one content each.
    pub async fn put_embeddings(&self, model: &str, vectors: &[(String, Vec<u8>)]) -> Result<()> {
        // `PostgreSQL` refuses a statement that writes a row twice.
        let vectors: BTreeMap<&str, &[u8]> = vectors.iter().map(|(hash, vector)| (&**hash, &**vector)).collect();
        self.write(Operation::PutEmbeddings, Writes::Much, async |session| {
            session
                .insert(
                    "embeddings",
                    &[
                        ("model", Column::texts(vectors.keys().map(|_| model))),
                        ("content_hash", Column::texts(vectors.keys().copied())),
                        ("vector", Column::Blobs(vectors.values().copied().collect())),
                    ],
                    "ON CONFLICT (model, content_hash) DO UPDATE SET vector = excluded.vector",
                )
                .await
        })
        .await
    }
}
