//! Segment files as objects of S3, Google Cloud Storage or Azure, by the `object_store` crate.

use std::path::Path as FilePath;
use std::sync::Arc;

use futures::TryStreamExt as _;
use object_store::buffered::BufWriter;
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt as _};
use tokio::fs::File;
use tokio::io::AsyncWriteExt as _;
use url::Url;

use super::{Result, SegmentStoreError, file_error};

/// What the variables begin with that object stores are set up by; the crate knows them in lower case.
const VARIABLES: [&str; 3] = ["aws_", "google_", "azure_"];
/// How long a request may take, and how long a connection: names and values as the crate has them.
const TIMEOUTS: [(&str, &str); 2] = [("timeout", "120s"), ("connect_timeout", "5s")];

/// A prefix of a bucket. What can be told of it holds no key.
#[derive(Debug)]
pub struct Objects {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
}

impl Objects {
    pub(super) fn open(setting: &str) -> Result<Self> {
        let refused = |why: &dyn std::fmt::Display| SegmentStoreError::Setting(format!("{why}"));
        let url = Url::parse(setting).map_err(|error| refused(&error))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused(&"the address holds a login; give keys by AWS_…, GOOGLE_… or AZURE_… variables"));
        }
        let from_environment = std::env::vars().map(|(name, value)| (name.to_ascii_lowercase(), value));
        let known = from_environment.filter(|(name, _)| VARIABLES.iter().any(|prefix| name.starts_with(prefix)));
        let options = TIMEOUTS.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter().chain(known);
        // The crate makes its HTTP client at once.
        crate::fetch::install_tls();
        let (store, prefix) = object_store::parse_url_opts(&url, options).map_err(|error| {
            refused(&format!("{error}; write it as s3://BUCKET/FOLDER, gs://BUCKET/FOLDER or az://CONTAINER/FOLDER"))
        })?;
        Ok(Self { store: Arc::from(store), prefix })
    }

    fn path(&self, name: &str) -> Path {
        self.prefix.clone().join(name)
    }

    pub(super) async fn has(&self, name: &str) -> Result<bool> {
        match self.store.head(&self.path(name)).await {
            Ok(_) => Ok(true),
            Err(Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(object_error(&error)),
        }
    }

    /// Large files go up in parts, and show once they are whole.
    pub(super) async fn put(&self, name: &str, path: &FilePath) -> Result<()> {
        let mut from = File::open(path).await.map_err(file_error(name))?;
        let mut to = BufWriter::new(Arc::clone(&self.store), self.path(name));
        let copied = tokio::io::copy(&mut from, &mut to).await;
        let shut = match copied {
            Ok(_) => to.shutdown().await,
            Err(error) => {
                // The parts that are there would be paid for and never show. The first error is the one to tell.
                if let Err(left) = to.abort().await {
                    tracing::debug!(error = %object_error(&left), "the parts of a file that could not be put stay in the object store");
                }
                Err(error)
            }
        };
        shut.map_err(|error| object_error(&error))
    }

    pub(super) async fn fetch(&self, name: &str, to: &mut File) -> Result<()> {
        let found = self.store.get(&self.path(name)).await.map_err(|error| match error {
            Error::NotFound { .. } => SegmentStoreError::Missing(name.to_owned()),
            other => object_error(&other),
        })?;
        let mut chunks = found.into_stream();
        while let Some(chunk) = chunks.try_next().await.map_err(|error| object_error(&error))? {
            to.write_all(&chunk).await.map_err(file_error(name))?;
        }
        Ok(())
    }

    pub(super) async fn names(&self) -> Result<Vec<String>> {
        let listed =
            self.store.list(Some(&self.prefix)).try_collect::<Vec<_>>().await.map_err(|error| object_error(&error))?;
        Ok(listed.iter().filter_map(|object| object.location.filename()).map(str::to_owned).collect())
    }

    pub(super) async fn delete(&self, names: &[String]) -> Result<()> {
        for name in names {
            match self.store.delete(&self.path(name)).await {
                Ok(()) | Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(object_error(&error)),
            }
        }
        Ok(())
    }
}

/// An error without the request's address, which may be signed.
fn object_error(error: &impl ToString) -> SegmentStoreError {
    SegmentStoreError::Object(crate::fetch::redact_text(&error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::object_error;

    /// The address of an Azure object carries the signature of a token.
    #[test]
    fn an_error_of_the_object_store_tells_no_signature() {
        let error = std::io::Error::other("PUT https://desk.example/a.segment?sv=2024&sig=abc: no answer");
        let told = object_error(&error).to_string();
        assert_eq!(told, "the object store: PUT https://desk.example/a.segment");
    }
}
