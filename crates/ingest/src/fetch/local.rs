//! Local sources: a file is its bytes, a folder is a gzipped tarball made in memory, as a repository's would be.
//! Nothing outside of the configured file's folder, or of the configured folder, is read. Errors name files by their path below it: they
//! reach strangers, to whom the folders of the machine are no business.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use url::Url;

use super::error::{FetchCode, FetchError};
use crate::connectors::formats::tarball::UnreadableEntry;
use crate::files::if_there;

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
    let unreadable = |error: std::io::Error| wrong(format!("cannot be read: {error}"));
    let Some(real) = if_there(path.canonicalize()).map_err(unreadable)? else { return Ok(None) };
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
    let content = read_within(&real, bytes_max).map_err(unreadable)?;
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

/// The same bytes for the same folder: sorted, without times and owners. What cannot be read is told in its place: the rest of the folder
/// is as good as it was.
fn tarball(folder: &Path, bytes_max: u64) -> Result<Bytes, String> {
    let mut found = Found::default();
    let entries = std::fs::read_dir(folder)
        .map_err(|error| format!("the folder cannot be read: {}; make it readable", reason(&error)))?;
    collect(entries, FILES_MAX, &mut found)?;
    let top = folder.file_name().map_or_else(|| "folder".into(), |name| name.to_string_lossy().into_owned());
    let builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let mut packing = Packing { builder, left: bytes_max, bytes_max };
    for (path, unreadable) in found {
        let inner = path.strip_prefix(folder).map_err(|error| error.to_string())?;
        let name = Path::new(&top).join(inner);
        match unreadable {
            Some(reason) => packing.put(UnreadableEntry::Folder.entry_type(), &name, reason.as_bytes())?,
            None => packing.add(&path, inner, &name)?,
        }
    }
    let mut encoder = packing.builder.into_inner().map_err(|error| error.to_string())?;
    encoder.flush().map_err(|error| error.to_string())?;
    encoder.finish().map(Bytes::from).map_err(|error| error.to_string())
}

/// An archive of a folder while it is made.
struct Packing {
    builder: tar::Builder<GzEncoder<Vec<u8>>>,
    /// Bytes that may still come, of all that may.
    left: u64,
    bytes_max: u64,
}

impl Packing {
    /// Adds a file or a link; one that is gone since it was listed is left out.
    fn add(&mut self, path: &Path, inner: &Path, name: &Path) -> Result<(), String> {
        let read = if path.is_symlink() {
            std::fs::read_link(path).map(|target| self.link(name, &target))
        } else {
            read_within(path, self.left).map(|content| {
                let too_much = || {
                    format!("holds more than body_bytes_max = {} bytes, {} among them", self.bytes_max, inner.display())
                };
                let content = content.ok_or_else(too_much)?;
                self.left -= content.len() as u64;
                self.put(tar::EntryType::Regular, name, &content)
            })
        };
        match read {
            Ok(added) => added,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => self.put(UnreadableEntry::File.entry_type(), name, reason(&error).as_bytes()),
        }
    }

    fn link(&mut self, name: &Path, target: &Path) -> Result<(), String> {
        let mut header = tar::Header::new_gnu();
        header.set_mode(0o644);
        header.set_entry_type(tar::EntryType::Symlink);
        header.set_size(0);
        self.builder.append_link(&mut header, name, target).map_err(|error| error.to_string())
    }

    fn put(&mut self, entry_type: tar::EntryType, name: &Path, content: &[u8]) -> Result<(), String> {
        let mut header = tar::Header::new_gnu();
        header.set_mode(0o644);
        header.set_entry_type(entry_type);
        header.set_size(content.len() as u64);
        self.builder.append_data(&mut header, name, content).map_err(|error| error.to_string())
    }
}

/// Why something cannot be read, without the number that the system has for it.
fn reason(error: &std::io::Error) -> String {
    let told = error.to_string();
    told.split(" (os error").next().unwrap_or(&told).to_owned()
}

/// What a folder holds, by path: files and links, and with the reason the folders that cannot be read.
type Found = BTreeMap<PathBuf, Option<String>>;

/// All plain files and links below a folder. No link is followed, so that nothing outside comes in; whoever reads the archive counts them.
fn collect(entries: std::fs::ReadDir, found_max: usize, found: &mut Found) -> Result<(), String> {
    for entry in entries {
        let entry = entry.map_err(|error| error.to_string())?;
        let kind = entry.file_type().map_err(|error| error.to_string())?;
        if kind.is_dir() {
            if SKIPPED_FOLDERS.iter().any(|skipped| entry.file_name() == *skipped) {
                continue;
            }
            match std::fs::read_dir(entry.path()) {
                Ok(entries) => collect(entries, found_max, found)?,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => drop(found.insert(entry.path(), Some(reason(&error)))),
            }
        } else if kind.is_file() || kind.is_symlink() {
            found.insert(entry.path(), None);
        }
        if found.len() > found_max {
            return Err(format!("holds more than {found_max} files"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Found, collect, read_within, tarball};

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
    fn a_link_is_told_of_and_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("own.md"), "own").unwrap();
        std::os::unix::fs::symlink("/etc/hostname", folder.path().join("outside.md")).unwrap();
        let packed = tarball(folder.path(), 1_000).unwrap();
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(packed.as_ref()));
        let entries: Vec<_> = archive
            .entries()
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|entry| {
                (entry.path().unwrap().file_name().unwrap().to_owned(), entry.header().entry_type(), entry.size())
            })
            .collect();
        let expected =
            [("outside.md".into(), tar::EntryType::Symlink, 0), ("own.md".into(), tar::EntryType::Regular, 3)];
        assert_eq!(entries, expected);
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
        let collect = |files_max| collect(folder.path().read_dir().unwrap(), files_max, &mut Found::default());
        assert_eq!(collect(3), Ok(()));
        assert_eq!(collect(2), Err("holds more than 2 files".to_owned()));
    }
}
