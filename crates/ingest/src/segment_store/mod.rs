//! The segment store: immutable files named by their content, which several machines share. The leader puts them there, readers fetch what
//! they lack.
//!
//! A directory, an object store (S3, Google Cloud Storage, Azure), or the database itself. A file never changes under its name, so nothing
//! is conditional and nothing needs a lock; what is fetched is held against the SHA-256 in its name, and one that is damaged or missing is put
//! again.

mod directory;
mod object;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use refdesk_core::hash::{hex, sha256_of_reader};

use crate::files::{folder_of, if_there, unfinished_in};
use crate::store::{Store, StoreError};
use directory::Directory;
use object::Objects;

/// Longest time that a file may take on its way.
const FILE_TIMEOUT: Duration = Duration::from_mins(10);
/// The same for a question of a few bytes.
const QUESTION_TIMEOUT: Duration = Duration::from_secs(10);
/// What the names of files end with that are being fetched.
pub(crate) const FETCHED_SUFFIX: &str = ".fetched";
/// What the urls of object stores begin with.
const SCHEMES: [&str; 3] = ["s3:", "gs:", "az:"];
/// What the database is called in `segment_store`.
const DATABASE: &str = "postgres";

/// Why a file could not be put, fetched, found or deleted. Texts hold no secret: they come from settings that name none.
#[derive(Debug, thiserror::Error)]
pub enum SegmentStoreError {
    /// The setting names no store that there is.
    #[error("segment_store: {0}")]
    Setting(String),
    /// It did not answer in time.
    #[error("the segment store did not answer within {} s", .0.as_secs())]
    Slow(Duration),
    /// The file is not there.
    #[error(
        "the segment store has no {0}; if it stays away, give all nodes one `segment_store` that all of them reach"
    )]
    Missing(String),
    /// A file that is lost there cannot be put again from here.
    #[error(
        "the segment store lost {0}, and the copy on this node is missing or damaged, too: restart this node, and it builds the file anew"
    )]
    NoCopy(String),
    /// The bytes are not those that the name states.
    #[error("{0}: its bytes have another hash than its name states; it is not used")]
    Damaged(String),
    /// A file here could not be read or written.
    #[error("{file}: {error}")]
    File {
        /// Its name.
        file: String,
        /// Why.
        error: std::io::Error,
    },
    /// The object store refused or could not be reached.
    #[error("the object store: {0}")]
    Object(String),
    /// The database refused or could not be reached.
    #[error(transparent)]
    Database(#[from] StoreError),
}

type Result<T> = std::result::Result<T, SegmentStoreError>;

/// A place for segment files. Cheap to clone.
#[derive(Debug, Clone)]
pub enum SegmentStore {
    /// A directory, shared by a network file system or by nodes of one machine.
    Directory(Directory),
    /// Objects of S3 or the like.
    Objects(Arc<Objects>),
    /// Rows of the database.
    Database(Store),
}

impl SegmentStore {
    /// The store that `segment_store` names: `s3://…`, `gs://…` or `az://…`, `postgres`, else a directory. Keys, regions and endpoints of
    /// object stores come from their usual variables (`AWS_…`, `GOOGLE_…`, `AZURE_…`).
    ///
    /// # Errors
    /// When the setting is no store, or names one that this build does not know.
    pub fn open(setting: &str, store: &Store) -> Result<Self> {
        match setting {
            DATABASE if store.path().is_some() => Err(SegmentStoreError::Setting(
                "`postgres` needs database_url; name a directory or an object store instead".to_owned(),
            )),
            DATABASE => Ok(Self::Database(store.clone())),
            // One slash too few is no directory.
            url if url.contains("://") || SCHEMES.iter().any(|scheme| url.starts_with(scheme)) => {
                Objects::open(url).map(|objects| Self::Objects(Arc::new(objects)))
            }
            path => Ok(Self::Directory(Directory::new(PathBuf::from(path)))),
        }
    }

    /// Whether a setting names the database, or nothing, which means the database, too.
    pub fn is_in_database(setting: &str) -> bool {
        matches!(setting, "" | DATABASE)
    }

    /// What it is, for people: without keys or hosts.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Directory(_) => "directory",
            Self::Objects(_) => "object store",
            Self::Database(_) => "database",
        }
    }

    /// Whether a file is there, whole or damaged.
    ///
    /// # Errors
    /// When the store cannot be asked.
    pub async fn has(&self, name: &str) -> Result<bool> {
        match self {
            Self::Directory(directory) => in_time(QUESTION_TIMEOUT, directory.has(name)).await,
            Self::Objects(objects) => in_time(QUESTION_TIMEOUT, objects.has(name)).await,
            Self::Database(store) => Ok(store.has_segment_file(name).await?),
        }
    }

    /// Puts a file there, unless it is there; returns when it is whole.
    ///
    /// # Errors
    /// When it cannot be read here or written there.
    pub async fn put(&self, name: &str, path: &Path) -> Result<()> {
        if self.has(name).await? { Ok(()) } else { self.write(name, path).await }
    }

    /// Puts a file in place of one that is damaged or missing there: only bytes that are what the name states.
    ///
    /// # Errors
    /// When it is missing or damaged here, too, or cannot be read here or written there.
    pub async fn replace(&self, name: &str, stated_hash: &str, path: &Path) -> Result<()> {
        let hash = if_there(hash_of(path).await).map_err(file_error(name))?;
        if hash.as_deref() != Some(stated_hash) {
            return Err(SegmentStoreError::NoCopy(name.to_owned()));
        }
        match self {
            Self::Database(store) => {
                let mut file = tokio::fs::File::open(path).await.map_err(file_error(name))?;
                Ok(store.replace_segment_file(name, &mut file).await?)
            }
            // What is written there takes the place of what is there.
            Self::Directory(_) | Self::Objects(_) => self.write(name, path).await,
        }
    }

    async fn write(&self, name: &str, path: &Path) -> Result<()> {
        match self {
            Self::Directory(directory) => in_time(FILE_TIMEOUT, directory.put(name, path)).await,
            Self::Objects(objects) => in_time(FILE_TIMEOUT, objects.put(name, path)).await,
            Self::Database(store) => {
                let mut file = tokio::fs::File::open(path).await.map_err(file_error(name))?;
                Ok(store.put_segment_file(name, &mut file).await?)
            }
        }
    }

    /// Fetches a file to a path, and holds it against the hash of its name: on an error nothing stands there.
    ///
    /// # Errors
    /// When it is not there, cannot be fetched or written, or is damaged.
    pub async fn fetch(&self, name: &str, stated_hash: &str, path: &Path) -> Result<()> {
        // Of its own: other tasks, and other processes of the data directory, may fetch the same file just now.
        let unfinished = unfinished_in(folder_of(path), &format!("{name}."), FETCHED_SUFFIX);
        // Deleted when it goes out of scope: also where the caller waits no longer.
        let (file, unfinished) = unfinished.map_err(file_error(name))?.into_parts();
        self.fetch_to(name, stated_hash, tokio::fs::File::from_std(file), &unfinished).await?;
        unfinished.persist(path).map_err(|failed| file_error(name)(failed.error))
    }

    async fn fetch_to(&self, name: &str, stated_hash: &str, mut file: tokio::fs::File, path: &Path) -> Result<()> {
        match self {
            Self::Directory(directory) => in_time(FILE_TIMEOUT, directory.fetch(name, &file)).await?,
            Self::Objects(objects) => in_time(FILE_TIMEOUT, objects.fetch(name, &mut file)).await?,
            Self::Database(store) => {
                let bytes = store.segment_file(name, &mut file).await?;
                bytes.ok_or_else(|| SegmentStoreError::Missing(name.to_owned()))?;
            }
        }
        file.sync_all().await.map_err(file_error(name))?;
        let is_stated = hash_of(path).await.map_err(file_error(name))? == stated_hash;
        if is_stated { Ok(()) } else { Err(SegmentStoreError::Damaged(name.to_owned())) }
    }

    /// The names of all files.
    ///
    /// # Errors
    /// When it cannot be asked.
    pub async fn names(&self) -> Result<Vec<String>> {
        match self {
            Self::Directory(directory) => in_time(FILE_TIMEOUT, directory.names()).await,
            Self::Objects(objects) => in_time(FILE_TIMEOUT, objects.names()).await,
            Self::Database(store) => Ok(store.segment_files().await?),
        }
    }

    /// Deletes files; those that are not there are no error.
    ///
    /// # Errors
    /// When one cannot be deleted.
    pub async fn delete(&self, names: &[String]) -> Result<()> {
        match self {
            Self::Directory(directory) => in_time(FILE_TIMEOUT, directory.delete(names)).await,
            Self::Objects(objects) => in_time(FILE_TIMEOUT, objects.delete(names)).await,
            Self::Database(store) => Ok(store.delete_segment_files(names).await?),
        }
    }
}

/// The SHA-256 of a file in hexadecimal digits.
async fn hash_of(path: &Path) -> std::io::Result<String> {
    let path = path.to_owned();
    let hashed = tokio::task::spawn_blocking(move || sha256_of_reader(std::fs::File::open(path)?));
    Ok(hex(&hashed.await.map_err(std::io::Error::other)??))
}

fn file_error(name: &str) -> impl Fn(std::io::Error) -> SegmentStoreError {
    move |error| SegmentStoreError::File { file: name.to_owned(), error }
}

async fn in_time<T>(most: Duration, work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::time::timeout(most, work).await.unwrap_or(Err(SegmentStoreError::Slow(most)))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{SegmentStoreError, in_time};

    #[tokio::test]
    async fn a_segment_store_that_does_not_answer_is_given_up() {
        let hangs = std::future::pending::<Result<(), SegmentStoreError>>();
        let given_up = in_time(Duration::from_millis(10), hangs).await;
        assert!(matches!(given_up, Err(SegmentStoreError::Slow(_))), "{given_up:?}");
    }
}
