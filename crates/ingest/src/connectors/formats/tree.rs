//! The files of a repository out of its gzipped tarball. [`unpack`] reads the archive from memory within named limits and never writes
//! to disk. Whatever it does not hand to the connector it names, so that [`Tree::leave_out`] can count it: files that nobody asked for,
//! symbolic links, second files of one path, paths that lead out of the archive.

use std::collections::BTreeMap;
use std::io::Read;

use bytes::Bytes;
use refdesk_core::{Covers, Reject};

use crate::connectors::formats::tarball::{PATH_BYTES_MAX, UnreadableEntry, broken, each};
use crate::connectors::{Batch, ParseError};
use crate::memory_budget::charge;

/// Largest file that is kept; a larger one that a connector wants becomes a reject.
pub const FILE_BYTES_MAX: u64 = 16 << 20;
/// Most bytes of all kept files together, where the memory of the sync does not set less.
pub const KEPT_BYTES_MAX: u64 = 512 << 20;
/// What a path takes in memory beside its text, in bytes.
const PATH_BYTES: u64 = 100;

/// The files of a repository that a connector asked for.
#[derive(Debug, Default, Clone)]
pub struct Tree {
    /// The commit that the archive names (GitHub does), if any.
    pub commit: Option<String>,
    /// How many files the archive holds, wanted or not.
    pub file_count: usize,
    /// Contents by path below the top folder, with `/`.
    pub files: BTreeMap<String, Bytes>,
    /// Wanted files that could not be taken, each with the reason.
    pub refused: BTreeMap<String, String>,
    /// Folders that could not be read, each with the reason: what they hold is not known.
    pub unreadable_folders: BTreeMap<String, String>,
    /// Symbolic and hard links: where each leads inside of the repository; `None` when it leads out of it.
    pub links: BTreeMap<String, Option<String>>,
    /// Paths of the files that were not asked for, sorted.
    pub unread: Vec<String>,
    /// Files whose path in the archive is malformed or leads out of the repository.
    pub malformed: usize,
    /// Files of a path that the archive had already: the last one counts, as it does for whoever unpacks it.
    pub repeated: usize,
}

impl Tree {
    /// The text of a file.
    ///
    /// # Errors
    /// `None` when there is no such file, else the reason why it is no text.
    pub fn text(&self, path: &str) -> Result<&str, Option<String>> {
        let bytes = self.files.get(path).ok_or(None)?;
        utf8(bytes).map_err(Some)
    }

    /// The content of a file, also when it is a symbolic link to a file of the tree.
    pub fn content(&self, path: &str) -> Option<&Bytes> {
        self.files.get(path).or_else(|| self.files.get(self.links.get(path)?.as_deref()?))
    }

    /// True when the archive has something at this path or below it, read or not.
    pub fn holds(&self, path: &str) -> bool {
        // A listing may name a hundred thousand paths, so each is found by bisection.
        let below = format!("{path}/");
        let at = self.unread.partition_point(|known| known.as_str() < path);
        let within = self.unread.partition_point(|known| *known < below);
        path.is_empty()
            || has(&self.files, path, &below)
            || has(&self.refused, path, &below)
            || has(&self.links, path, &below)
            || self.unread.get(at).is_some_and(|known| known == path)
            || self.unread.get(within).is_some_and(|known| known.starts_with(&below))
    }

    /// Counts every entry of the archive that is no item, under the name that `name_of` gives to its path. `item_links` is what links in
    /// place of items are called.
    pub fn leave_out(
        &self,
        batch: &mut Batch,
        is_item: impl Fn(&str) -> bool,
        item_links: &'static str,
        name_of: impl Fn(&str) -> &'static str,
    ) {
        let read = self.files.keys().chain(self.refused.keys()).filter(|path| !is_item(path));
        for path in read.chain(&self.unread) {
            batch.leave_out(name_of(path), 1);
        }
        for link in self.links.keys() {
            batch.leave_out(if is_item(link) { item_links } else { "symbolic links" }, 1);
        }
        batch.leave_out("files whose path in the archive is malformed", self.malformed);
        batch.leave_out("second files of one path", self.repeated);
    }

    /// Counts each refused file of which `covers` tells its facts as an item that was rejected.
    pub fn reject_refused(&self, batch: &mut Batch, covers: impl Fn(&str) -> Option<Covers>) {
        for (path, reason) in &self.refused {
            let Some(covers) = covers(path) else { continue };
            batch.take(Err(Reject { covers, ..Reject::new(path.as_str(), reason.as_str(), "") }));
        }
    }
}

/// The text of bytes, or where they stop being UTF-8.
pub fn utf8(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes)
        .map_err(|error| format!("is not UTF-8 text (byte {}); save it as UTF-8", error.valid_up_to()))
}

/// Reads the wanted files of a gzipped tarball. The top folder of every path is stripped.
///
/// # Errors
/// When the bytes are no complete `tar.gz`, or exceed a limit of this module.
pub fn unpack(body: &[u8], wants: impl Fn(&str) -> bool) -> Result<Tree, ParseError> {
    unpack_within(KEPT_BYTES_MAX, body, wants)
}

/// The same with another bound on all kept files together, in bytes.
///
/// # Errors
/// As [`unpack`].
pub fn unpack_within(kept_max: u64, body: &[u8], wants: impl Fn(&str) -> bool) -> Result<Tree, ParseError> {
    let mut reading = ArchiveReading { tree: Tree::default(), kept: 0, kept_max };
    each(body, |entry| reading.entry(entry, &wants))?;
    reading.tree.unread.sort_unstable();
    Ok(reading.tree)
}

struct ArchiveReading {
    tree: Tree,
    /// Bytes of the kept ones, and how many they may have.
    kept: u64,
    kept_max: u64,
}

impl ArchiveReading {
    fn entry<R: Read>(
        &mut self,
        entry: &mut tar::Entry<'_, R>,
        wants: &dyn Fn(&str) -> bool,
    ) -> Result<(), ParseError> {
        let kind = entry.header().entry_type();
        if kind.is_pax_global_extensions() {
            self.tree.commit = commit_comment(entry).or_else(|| self.tree.commit.take());
            return Ok(());
        }
        let unreadable = UnreadableEntry::of(kind);
        if !(kind.is_file() || kind.is_symlink() || kind.is_hard_link() || unreadable.is_some()) {
            return Ok(());
        }
        self.tree.file_count += usize::from(kind.is_file());
        let raw = entry.path_bytes();
        let path = (raw.len() <= PATH_BYTES_MAX).then(|| inner_path(&String::from_utf8_lossy(&raw))).flatten();
        let Some(path) = path else {
            self.tree.malformed += 1;
            return Ok(());
        };
        charge(PATH_BYTES + path.len() as u64)?;
        if let Some(unreadable) = unreadable {
            let reason = UnreadableEntry::reason(entry).map_err(|error| broken(&error))?;
            match unreadable {
                UnreadableEntry::Folder => drop(self.tree.unreadable_folders.insert(path, reason)),
                UnreadableEntry::File if wants(&path) => drop(self.tree.refused.insert(path, reason)),
                UnreadableEntry::File => self.tree.unread.push(path),
            }
            return Ok(());
        }
        if !kind.is_file() {
            let target = entry.link_name_bytes().filter(|name| name.len() <= PATH_BYTES_MAX);
            let target = target.map(|name| String::from_utf8_lossy(&name).into_owned());
            let target = target.and_then(|target| {
                if kind.is_symlink() { joined(folder_of(&path), &target) } else { inner_path(&target) }
            });
            self.tree.repeated += usize::from(self.tree.links.insert(path, target).is_some());
            return Ok(());
        }
        if !wants(&path) {
            self.tree.unread.push(path);
            return Ok(());
        }
        let size = entry.size();
        self.keep(path, entry, size)
    }

    fn keep(&mut self, path: String, entry: &mut impl Read, size: u64) -> Result<(), ParseError> {
        let tree = &mut self.tree;
        if tree.files.remove(&path).is_some() || tree.refused.remove(&path).is_some() {
            tree.repeated += 1;
        }
        if size > FILE_BYTES_MAX {
            tree.refused.insert(path, format!("is {size} bytes long; at most {FILE_BYTES_MAX} are read"));
            return Ok(());
        }
        self.kept += size;
        if self.kept > self.kept_max {
            return Err(ParseError::too_large(format!("the files of the archive exceed {} bytes", self.kept_max)));
        }
        charge(size)?;
        let mut content = Vec::with_capacity(size as usize);
        entry.read_to_end(&mut content).map_err(|error| broken(&error))?;
        tree.files.insert(path, Bytes::from(content));
        Ok(())
    }
}

/// GitHub writes the commit as the comment of the archive's global header: `52 comment=<sha>`.
fn commit_comment(entry: &mut impl Read) -> Option<String> {
    /// How much of a global header is read.
    const HEADER_BYTES_MAX: u64 = 4096;
    let mut text = String::new();
    entry.take(HEADER_BYTES_MAX).read_to_string(&mut text).ok()?;
    let (_, rest) = text.split_once(" comment=")?;
    let commit = rest.lines().next()?.trim();
    (commit.len() >= 40 && commit.bytes().all(|b| b.is_ascii_hexdigit())).then(|| commit.to_owned())
}

/// Whether a file or a folder above it is hidden, such as `.github`.
pub fn is_hidden(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('.'))
}

/// Whether a file belongs to a package that the repository only uses.
pub fn is_vendored(path: &str) -> bool {
    path.split('/').any(|part| part == "node_modules")
}

/// The path below the top folder, when it is one that stays inside.
fn inner_path(raw: &str) -> Option<String> {
    let path = raw.trim_start_matches("./");
    if path.starts_with('/') || path.contains('\\') || path.contains('\0') {
        return None;
    }
    let inside = path.split_once('/').map_or(path, |(_, inside)| inside);
    let stays = !inside.split('/').any(|part| matches!(part, ".." | "." | ""));
    stays.then(|| inside.to_owned())
}

/// Where a relative path leads from `folder`; `None` when it leads out of the repository.
pub fn joined(folder: &str, relative: &str) -> Option<String> {
    if relative.starts_with('/') {
        return None;
    }
    let mut path: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                path.pop()?;
            }
            part => path.push(part),
        }
    }
    Some(path.join("/"))
}

/// True when a map has an entry at `path` or below it.
fn has<T>(map: &BTreeMap<String, T>, path: &str, below: &str) -> bool {
    map.contains_key(path) || map.range(below.to_owned()..).next().is_some_and(|(known, _)| known.starts_with(below))
}

/// True when `path` is `folder` or lies below it.
pub fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// True when `path` is one of the folders or lies below it; without folders all of the repository is meant.
pub fn is_below_any(path: &str, folders: &[String]) -> bool {
    folders.is_empty() || folders.iter().any(|folder| is_below(path, folder))
}

/// The path of something in a folder; the folder is empty for the top one.
pub fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The name of a file without its folder.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A path without the ending of its file's name.
pub fn without_ending(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(stem, _)| stem)
}

/// The name of a file, without its folder and ending.
pub fn stem(path: &str) -> &str {
    without_ending(file_name(path))
}

/// A folder and all above it, the nearest first; the last is the top one.
pub fn with_ancestors(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |&folder| (!folder.is_empty()).then(|| folder_of(folder)))
}

/// The folder of a file; empty for the top one.
pub fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
