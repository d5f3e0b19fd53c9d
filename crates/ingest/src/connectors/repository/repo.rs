//! Repositories as one gzipped tarball: what GitHub's codeload sends, and what the engine makes of a local folder.
//!
//! [`crate::connectors::formats::tree`] reads the archive; [`Repository`] tells the public page of each file (see [`crate::connectors::repository::public_url`]), at the commit that
//! the archive names; [`open_tarball`] is the pass of every connector that needs one tarball and nothing else.

use percent_encoding::utf8_percent_encode;
use refdesk_core::{Covers, Reject};
use url::Url;

pub use crate::connectors::formats::tree::{
    Tree, below, file_name, folder_of, is_below, is_below_any, stem, unpack, utf8, without_ending,
};
use crate::connectors::repository::license::Licences;
use crate::connectors::repository::public_url::{LOCAL, PATH, local_url, public_url};
use crate::connectors::{Batch, FetchSession, ParseError, SingleRequestSession, Target};

/// The scheme of what lies on this machine.
pub const FOLDER_SCHEME: &str = "file";

/// The options that all repository connectors understand.
pub const OPTIONS: [(&str, &str); 2] = [
    ("repository", "public URL of the repository, where the source's url does not tell it (a local folder, a mirror)"),
    ("ref", "branch, tag or commit that links to the repository name; default: the one in the url, else `main`"),
];

/// Where a repository can be read by people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// `https://github.com/owner/name`, or `None` when nothing tells it.
    pub url: Option<String>,
    /// Branch, tag or commit.
    pub reference: String,
    /// The commit that the archive names: what was read, and the address of it that never changes.
    pub commit: Option<String>,
    /// What stands in for the repository where `url` is unknown.
    pub(crate) fallback: Url,
}

impl Repository {
    /// Reads owner, name and ref from the source's public url; the options `repository` and `ref` win.
    pub fn from_target(target: &Target) -> Self {
        // The files of a folder, or of an archive, lie below the source itself.
        let public = match target.url.scheme() {
            FOLDER_SCHEME => local_url(&target.source_id, ""),
            _ => public_url(&target.source_id, &target.url),
        };
        let tarball = github_parts(&public).filter(|(.., file)| file.is_none());
        let (url, reference) = tarball.map(|(url, reference, _)| (url, reference)).unzip();
        Self {
            url: target
                .option("repository")
                .map(|url| url.trim_end_matches('/').trim_end_matches(".git").to_owned())
                .or(url),
            reference: target.text("ref").or(reference).unwrap_or_else(|| "main".into()),
            commit: None,
            fallback: public,
        }
    }

    /// The page of a file as it was read: at its commit, where that is known, else at the ref.
    pub fn file_page(&self, path: &str) -> String {
        self.page("blob", self.commit.as_deref().unwrap_or(&self.reference), path)
    }

    /// The page of a file at the ref, whatever commit it stands at: the address by which others name it.
    pub fn file_page_at_ref(&self, path: &str) -> String {
        self.page("blob", &self.reference, path)
    }

    /// The page of a folder; of the repository itself when `path` is empty.
    pub fn folder_page(&self, path: &str) -> String {
        self.page("tree", self.commit.as_deref().unwrap_or(&self.reference), path)
    }

    fn page(&self, kind: &str, at: &str, path: &str) -> String {
        let encoded = utf8_percent_encode(path, PATH);
        match &self.url {
            Some(url) => format!("{url}/{kind}/{at}/{encoded}").trim_end_matches('/').to_owned(),
            None if self.fallback.scheme() == LOCAL => {
                format!("{}/{encoded}", self.fallback.as_str().trim_end_matches('/')).trim_end_matches('/').to_owned()
            }
            None => format!("{}#{encoded}", self.fallback).trim_end_matches('#').to_owned(),
        }
    }

    /// Its owner, who publishes what it holds.
    pub fn owner(&self) -> Option<String> {
        let key = refdesk_catalog::resolve::repository::repository_key(self.url.as_deref()?)?;
        key.trim_start_matches("repo:").split('/').nth(1).map(str::to_owned)
    }
}

/// Repository url and ref of `GitHub`'s addresses of tarballs and raw files, and the path of such a file.
pub(super) fn github_parts(url: &Url) -> Option<(String, String, Option<String>)> {
    let path = percent_encoding::percent_decode_str(url.path()).decode_utf8().ok()?.into_owned();
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let (owner, name, reference, file) = match (url.host_str()?, parts.as_slice()) {
        ("codeload.github.com", [owner, name, "tar.gz", reference @ ..])
        | ("github.com", [owner, name, "archive", reference @ ..])
        | ("api.github.com", ["repos", owner, name, "tarball", reference @ ..]) => {
            let reference = reference.join("/");
            let reference = reference.trim_end_matches(".tar.gz").trim_start_matches("refs/heads/");
            (owner, name, reference.trim_start_matches("refs/tags/").to_owned(), None)
        }
        (
            "raw.githubusercontent.com",
            [owner, name, "refs", "heads" | "tags", reference, file @ ..] | [owner, name, reference, file @ ..],
        )
        | ("github.com", [owner, name, "raw", reference, file @ ..]) => {
            (owner, name, (*reference).to_owned(), Some(file.join("/")))
        }
        _ => return None,
    };
    let is_whole = !reference.is_empty() && file.as_deref() != Some("");
    is_whole.then(|| (format!("https://github.com/{owner}/{name}"), reference, file))
}

/// A repository that was read: where people find its files, the files, and the licences that hold for them.
#[derive(Debug)]
pub struct Checkout {
    /// Where it can be read by people.
    pub repository: Repository,
    /// Its files.
    pub tree: Tree,
    /// Their licences.
    pub licences: Licences,
}

impl Checkout {
    /// The repository of a target, of which nothing was read: a stored record is read again without it.
    pub fn unread(target: &Target) -> Self {
        Self { repository: Repository::from_target(target), tree: Tree::default(), licences: Licences::default() }
    }
}

/// What a repository connector does with its tarball.
pub trait TreeReader: Send {
    /// Whether the reader needs the file at `path`.
    fn wants(&self, path: &str) -> bool;
    /// Turns the files into facts.
    ///
    /// # Errors
    /// When the repository has not the shape of this upstream.
    fn read(&self, checkout: &Checkout) -> Result<Batch, ParseError>;
    /// The facts that a folder states which cannot be read; `None` when the reader needs nothing of it.
    fn covers_folder(&self, _repository: &Repository, path: &str) -> Option<Covers> {
        Some(Covers::Group(path.to_owned()))
    }
}

/// A pass that hands the tarball at the target's url to `reader`.
pub fn open_tarball(target: &Target, reader: impl TreeReader + 'static) -> Box<dyn FetchSession> {
    SingleRequestSession::open(target, move |target, body| read_tarball(&reader, target, body))
}

fn read_tarball(reader: &dyn TreeReader, target: &Target, body: &[u8]) -> Result<Batch, ParseError> {
    let tree = unpack(body, |path| reader.wants(path))?;
    // A folder of this machine may be empty: nobody but its owner empties it.
    if tree.file_count == 0 && target.url.scheme() != FOLDER_SCHEME {
        return Err(ParseError::new("the archive holds no file"));
    }
    let repository = Repository { commit: tree.commit.clone(), ..Repository::from_target(target) };
    let checkout = Checkout { repository, licences: Licences::from_tree(&tree), tree };
    let mut batch = reader.read(&checkout)?;
    for (path, reason) in &checkout.tree.unreadable_folders {
        let Some(covers) = reader.covers_folder(&checkout.repository, path) else { continue };
        batch.take(Err(Reject { covers, ..Reject::new(format!("{path}/"), reason.as_str(), "") }));
    }
    Ok(batch)
}

/// Comma- or blank-separated values of an option.
pub fn list_option(target: &Target, key: &str) -> Vec<String> {
    let value = target.option(key).unwrap_or_default();
    value
        .split([',', ' ', '\n'])
        .map(|part| part.trim().trim_matches('/').to_owned())
        .filter(|part| !part.is_empty())
        .collect()
}
