//! Repositories as one gzipped tarball: what GitHub's codeload sends, and what the engine makes of a local folder.
//!
//! [`unpack`] reads the archive from memory within named limits and never writes to disk; [`Repository`] tells the public page of
//! each file (see [`super::public_url`]); [`TarballPass`] is the pass of every connector that needs one tarball and nothing else.

use std::collections::BTreeMap;
use std::io::Read;

use bytes::Bytes;
use flate2::read::GzDecoder;
use percent_encoding::utf8_percent_encode;
use refdesk_core::Reject;
use url::Url;

use super::public_url::{LOCAL, PATH, local_url, public_url};
use super::{Answer, Harvest, ParseError, Pass, Request, Target};

/// Most entries (files, folders, links) of one archive.
pub const ENTRIES_MAX: usize = 200_000;
/// Largest file that is kept; a larger one that a connector wants becomes a reject.
pub const FILE_BYTES_MAX: u64 = 16 << 20;
/// Most bytes of all kept files together.
pub const KEPT_BYTES_MAX: u64 = 512 << 20;
/// Most bytes that an archive may unpack to, kept or not: a bomb is stopped here.
pub const UNPACKED_BYTES_MAX: u64 = 4 << 30;

/// The options that all repository connectors understand.
pub const OPTIONS: [(&str, &str); 2] = [
    ("repository", "public URL of the repository, where the source's url does not tell it (a local folder, a mirror)"),
    ("ref", "branch, tag or commit that links to the repository name; default: the one in the url, else `main`"),
];

/// The files of a repository that a connector asked for.
#[derive(Debug, Default, Clone)]
pub struct Tree {
    /// The commit that the archive names (GitHub does), if any.
    pub commit: Option<String>,
    /// Contents by path below the top folder, with `/`.
    pub files: BTreeMap<String, Bytes>,
    /// Wanted files that could not be taken, each with the reason.
    pub refused: BTreeMap<String, String>,
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

    /// A reject for each refused file for which `matters` holds.
    pub fn rejects(&self, matters: impl Fn(&str) -> bool) -> Vec<Reject> {
        let refused = self.refused.iter().filter(|(path, _)| matters(path));
        refused.map(|(path, reason)| Reject::new(path.as_str(), reason.as_str(), "")).collect()
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
/// When the bytes are no complete `tar.gz`, hold no file at all, or exceed a limit of this module.
pub fn unpack(body: &[u8], wants: impl Fn(&str) -> bool) -> Result<Tree, ParseError> {
    let mut archive = tar::Archive::new(GzDecoder::new(body).take(UNPACKED_BYTES_MAX));
    let mut tree = Tree::default();
    let (mut entries, mut seen_files, mut kept) = (0_usize, 0_usize, 0_u64);
    for entry in archive.entries().map_err(|error| broken(&error))? {
        let mut entry = entry.map_err(|error| broken(&error))?;
        entries += 1;
        if entries > ENTRIES_MAX {
            return Err(ParseError::new(format!("the archive has more than {ENTRIES_MAX} entries")));
        }
        if entry.header().entry_type().is_pax_global_extensions() {
            tree.commit = commit_comment(&mut entry).or(tree.commit);
            continue;
        }
        if !entry.header().entry_type().is_file() {
            continue;
        }
        seen_files += 1;
        let raw_path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let path = match inner_path(&raw_path) {
            Ok(path) => path,
            Err(reason) => {
                tree.refused.insert(raw_path, reason);
                continue;
            }
        };
        if !wants(&path) {
            continue;
        }
        let size = entry.size();
        if size > FILE_BYTES_MAX {
            tree.refused.insert(path, format!("is {size} bytes long; at most {FILE_BYTES_MAX} are read"));
            continue;
        }
        kept += size;
        if kept > KEPT_BYTES_MAX {
            return Err(ParseError::new(format!("the files of the archive exceed {KEPT_BYTES_MAX} bytes")));
        }
        let mut content = Vec::with_capacity(size as usize);
        entry.read_to_end(&mut content).map_err(|error| broken(&error))?;
        tree.files.insert(path, Bytes::from(content));
    }
    // What follows the last entry carries the checksum: reading it tells a cut archive from a whole one.
    std::io::copy(&mut archive.into_inner(), &mut std::io::sink()).map_err(|error| broken(&error))?;
    if seen_files == 0 {
        return Err(ParseError::new("the archive holds no file"));
    }
    Ok(tree)
}

fn broken(error: &std::io::Error) -> ParseError {
    ParseError::new(format!("expected a gzipped tar archive of a repository: {error}"))
}

/// GitHub writes the commit as the comment of the archive's global header: `52 comment=<sha>`.
fn commit_comment(entry: &mut impl Read) -> Option<String> {
    const HEADER_BYTES_MAX: u64 = 4096;
    let mut text = String::new();
    entry.take(HEADER_BYTES_MAX).read_to_string(&mut text).ok()?;
    let (_, rest) = text.split_once(" comment=")?;
    let commit = rest.lines().next()?.trim();
    (commit.len() >= 40 && commit.bytes().all(|b| b.is_ascii_hexdigit())).then(|| commit.to_owned())
}

/// The path below the top folder, when it is one that stays inside.
fn inner_path(raw: &str) -> Result<String, String> {
    let path = raw.trim_start_matches("./");
    if path.starts_with('/') || path.contains('\\') || path.contains('\0') {
        return Err("its path in the archive is absolute or malformed".into());
    }
    let inside = path.split_once('/').map_or(path, |(_, inside)| inside);
    if inside.split('/').any(|part| matches!(part, ".." | "." | "")) {
        return Err("its path in the archive leads out of the repository".into());
    }
    Ok(inside.to_owned())
}

/// Where a repository can be read by people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// `https://github.com/owner/name`, or `None` when nothing tells it.
    pub url: Option<String>,
    /// Branch, tag or commit.
    pub reference: String,
    /// What stands in for the repository where `url` is unknown.
    pub(super) fallback: Url,
}

impl Repository {
    /// Reads owner, name and ref from the source's public url; the options `repository` and `ref` win.
    pub fn of(target: &Target) -> Self {
        // The files of a folder, or of an archive, lie below the source itself.
        let public = match target.url.scheme() {
            "file" => local_url(&target.source_id, ""),
            _ => public_url(&target.source_id, &target.url),
        };
        let (url, reference) = match github(&public) {
            Some((url, reference)) => (Some(url), Some(reference)),
            None => (None, None),
        };
        let option = |key: &str| target.options.get(key).filter(|value| !value.is_empty());
        Self {
            url: option("repository").map(|url| url.trim_end_matches('/').trim_end_matches(".git").to_owned()).or(url),
            reference: option("ref").cloned().or(reference).unwrap_or_else(|| "main".into()),
            fallback: public,
        }
    }

    /// The page of a file.
    pub fn file_page(&self, path: &str) -> String {
        self.page("blob", path)
    }

    /// The page of a folder; of the repository itself when `path` is empty.
    pub fn folder_page(&self, path: &str) -> String {
        self.page("tree", path)
    }

    fn page(&self, kind: &str, path: &str) -> String {
        let encoded = utf8_percent_encode(path, PATH);
        match &self.url {
            Some(url) => format!("{url}/{kind}/{}/{encoded}", self.reference).trim_end_matches('/').to_owned(),
            None if self.fallback.scheme() == LOCAL => {
                format!("{}/{encoded}", self.fallback.as_str().trim_end_matches('/')).trim_end_matches('/').to_owned()
            }
            None => format!("{}#{encoded}", self.fallback).trim_end_matches('#').to_owned(),
        }
    }

    /// `github.com/owner/name`, by which facts of the same repository meet across sources.
    pub fn key(&self) -> Option<String> {
        let key = refdesk_core::resolve::group::repository_key(self.url.as_deref()?)?;
        Some(key.trim_start_matches("repo:").to_owned())
    }
}

/// Repository url and ref of GitHub's tarball addresses.
fn github(url: &Url) -> Option<(String, String)> {
    let path = percent_encoding::percent_decode_str(url.path()).decode_utf8().ok()?.into_owned();
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let (owner, name, reference) = match (url.host_str()?, parts.as_slice()) {
        ("codeload.github.com", [owner, name, "tar.gz", reference @ ..])
        | ("github.com", [owner, name, "archive", reference @ ..])
        | ("api.github.com", ["repos", owner, name, "tarball", reference @ ..]) => (owner, name, reference.join("/")),
        _ => return None,
    };
    let reference = reference.trim_end_matches(".tar.gz");
    let reference = reference.trim_start_matches("refs/heads/").trim_start_matches("refs/tags/");
    (!reference.is_empty()).then(|| (format!("https://github.com/{owner}/{name}"), reference.to_owned()))
}

/// What a repository connector does with its tarball.
pub trait TreeReader: Send {
    /// Whether the reader needs the file at `path`.
    fn wants(&self, path: &str) -> bool;
    /// Turns the files into facts.
    ///
    /// # Errors
    /// When the repository has not the shape of this upstream.
    fn read(&self, repository: &Repository, tree: &Tree) -> Result<Harvest, ParseError>;
}

/// A pass of one request: the tarball at the source's url.
pub struct TarballPass<R> {
    target: Target,
    reader: R,
    harvest: Option<Harvest>,
}

impl<R: TreeReader> TarballPass<R> {
    /// A pass that hands the tarball at the target's url to `reader`.
    pub const fn new(target: Target, reader: R) -> Self {
        Self { target, reader, harvest: None }
    }
}

impl<R: TreeReader> Pass for TarballPass<R> {
    fn first(&mut self) -> Vec<Request> {
        vec![Request::get(self.target.url.clone(), "tarball")]
    }

    fn accept(&mut self, answer: Answer) -> Result<Vec<Request>, ParseError> {
        let tree = unpack(&answer.body, |path| self.reader.wants(path))?;
        self.harvest = Some(self.reader.read(&Repository::of(&self.target), &tree)?);
        Ok(Vec::new())
    }

    fn finish(self: Box<Self>) -> Result<Harvest, ParseError> {
        self.harvest.ok_or_else(|| ParseError::new("the repository's tarball never arrived"))
    }
}

/// Comma- or blank-separated values of an option.
pub fn list_option(target: &Target, key: &str) -> Vec<String> {
    let value = target.options.get(key).map_or("", String::as_str);
    value
        .split([',', ' ', '\n'])
        .map(|part| part.trim().trim_matches('/').to_owned())
        .filter(|part| !part.is_empty())
        .collect()
}

/// True when `path` is `folder` or lies below it.
pub fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
