//! Local sources: a file is its bytes, a folder is a gzipped tarball made in memory, as a repository's would be.
//! Nothing outside of the configured file's folder, or of the configured folder, is read. Errors name files by their path below it: they
//! reach strangers, to whom the folders of the machine are no business.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use url::Url;

use super::error::{FetchCode, FetchError};

/// Most files of a folder.
const FILES_MAX: usize = 100_000;
/// Folders that hold no content of a repository.
const SKIPPED_FOLDERS: [&str; 4] = [".git", ".hg", "node_modules", "target"];

/// Reads `url`, which must lie where `source` is.
///
/// # Errors
/// When it cannot be read, lies elsewhere, or is larger than `bytes_max`. `Ok(None)` when there is nothing at that path.
pub(super) fn read(url: &Url, source: &Url, bytes_max: u64) -> Result<Option<Bytes>, FetchError> {
    let wrong = |reason: String| FetchError::new(FetchCode::File, url, reason);
    let path = path_of(url)?;
    let root = path_of(source)?;
    let root = if root.is_dir() { root } else { root.parent().map(Path::to_path_buf).unwrap_or_default() };
    let root = root.canonicalize().map_err(|error| wrong(format!("its folder cannot be read: {error}")))?;
    let real = match path.canonicalize() {
        Ok(real) => real,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(wrong(format!("cannot be read: {error}"))),
    };
    if !real.starts_with(&root) {
        return Err(wrong("lies outside of the source's folder".into()));
    }
    if real.is_dir() {
        return tarball(&real, bytes_max).map(Some).map_err(wrong);
    }
    let metadata = real.metadata().map_err(|error| wrong(error.to_string()))?;
    // Reading a pipe or a device may never end.
    if !metadata.is_file() {
        return Err(wrong("is neither a file nor a folder".into()));
    }
    let content = read_within(&real, bytes_max).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    let too_large = || {
        let reason = format!("has {} bytes, more than body_bytes_max = {bytes_max}", metadata.len());
        FetchError::new(FetchCode::TooLarge, url, reason)
    };
    content.map(|content| Some(Bytes::from(content))).ok_or_else(too_large)
}

/// The bytes of a file; `None` when there are more than `bytes_max`, which are not read.
fn read_within(path: &Path, bytes_max: u64) -> std::io::Result<Option<Vec<u8>>> {
    let file = File::open(path)?;
    if file.metadata()?.len() > bytes_max {
        return Ok(None);
    }
    let mut content = Vec::new();
    // It may grow while it is read.
    file.take(bytes_max.saturating_add(1)).read_to_end(&mut content)?;
    Ok(Some(content).filter(|content| content.len() as u64 <= bytes_max))
}

fn path_of(url: &Url) -> Result<PathBuf, FetchError> {
    let mut plain = url.clone();
    plain.set_query(None);
    plain.set_fragment(None);
    plain.to_file_path().map_err(|()| FetchError::new(FetchCode::File, url, "is not a path of this machine"))
}

/// The same bytes for the same folder: sorted, without times and owners.
fn tarball(folder: &Path, bytes_max: u64) -> Result<Bytes, String> {
    let mut files = Vec::new();
    collect(folder, folder, FILES_MAX, &mut files)?;
    files.sort();
    let top = folder.file_name().map_or_else(|| "folder".into(), |name| name.to_string_lossy().into_owned());
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let mut left = bytes_max;
    for path in files {
        let inner = path.strip_prefix(folder).map_err(|error| error.to_string())?;
        let content = read_within(&path, left).map_err(|error| format!("cannot read {}: {error}", inner.display()))?;
        let too_much = || format!("holds more than body_bytes_max = {bytes_max} bytes, {} among them", inner.display());
        let content = content.ok_or_else(too_much)?;
        left -= content.len() as u64;
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        let name = Path::new(&top).join(inner);
        builder.append_data(&mut header, name, content.as_slice()).map_err(|error| error.to_string())?;
    }
    let mut encoder = builder.into_inner().map_err(|error| error.to_string())?;
    encoder.flush().map_err(|error| error.to_string())?;
    encoder.finish().map(Bytes::from).map_err(|error| error.to_string())
}

/// All plain files below a folder; links are not followed, so that nothing outside comes in.
fn collect(root: &Path, folder: &Path, files_max: usize, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|error| {
        format!("cannot read the folder `{}`: {error}", folder.strip_prefix(root).unwrap_or(Path::new("")).display())
    })?;
    for entry in entries {
        let entry = entry.map_err(|error| error.to_string())?;
        let kind = entry.file_type().map_err(|error| error.to_string())?;
        if kind.is_dir() {
            if !SKIPPED_FOLDERS.iter().any(|skipped| entry.file_name() == *skipped) {
                collect(root, &entry.path(), files_max, files)?;
            }
        } else if kind.is_file() {
            files.push(entry.path());
            if files.len() > files_max {
                return Err(format!("holds more than {files_max} files"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failing unwrap is a failing test")]

    use super::{collect, read_within, tarball};

    #[test]
    fn a_file_that_is_too_large_is_told_before_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let large = folder.path().join("weights.md");
        // Takes no space on the disk; as an answer it would take four tebibytes of memory.
        std::fs::File::create(&large).unwrap().set_len(4 << 40).unwrap();
        assert_eq!(read_within(&large, 1_000).unwrap(), None);
        let told = "holds more than body_bytes_max = 1000 bytes, weights.md among them";
        assert_eq!(tarball(folder.path(), 1_000), Err(told.to_owned()));
        std::fs::write(&large, "x".repeat(1_000)).unwrap();
        assert_eq!(read_within(&large, 1_000).unwrap().map(|content| content.len()), Some(1_000));
        assert!(tarball(folder.path(), 1_000).is_ok());
        assert!(tarball(folder.path(), 999).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_socket_is_no_source() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lamp.json");
        let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
        let url = url::Url::from_file_path(&path).unwrap();
        let error = super::read(&url, &url, 1_000).unwrap_err();
        assert!(error.to_string().starts_with("is neither a file nor a folder"), "{error}");
    }

    #[test]
    fn a_folder_of_too_many_files_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("deep")).unwrap();
        for name in ["a", "b", "deep/c"] {
            std::fs::write(folder.path().join(name), "x").unwrap();
        }
        let root = folder.path();
        assert_eq!(collect(root, root, 3, &mut Vec::new()), Ok(()));
        assert_eq!(collect(root, root, 2, &mut Vec::new()), Err("holds more than 2 files".to_owned()));
    }
}
