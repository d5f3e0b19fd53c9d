//! What a link to a code host tells: the repository, the folder in it, its owner, and the page of a raw file.
//!
//! Used by lists and catalogs of MCP servers, which give one link and mean a repository, and by sources that are one raw file.
//! Whether two links mean the same repository is decided by [`refdesk_catalog::resolve::repository`], not here.

use percent_encoding::percent_decode_str;
use refdesk_core::item::McpRepository;
use url::Url;

use crate::connectors::Target;
use crate::connectors::repository::public_url::public_url;
use crate::connectors::repository::repo::{Repository, github_parts};

/// Hosts whose links are read as repositories, and what the registry calls them.
const HOSTS: [(&str, &str); 4] =
    [("github.com", "github"), ("gitlab.com", "gitlab"), ("bitbucket.org", "bitbucket"), ("codeberg.org", "codeberg")];

/// The fewest segments of a path that name a repository.
const OWNER_AND_NAME: usize = 2;

/// First path segments of code hosts that are pages of the host, not owners.
const PAGES_OF_THE_HOST: [&str; 9] =
    ["orgs", "topics", "marketplace", "apps", "sponsors", "users", "features", "search", "collections"];

/// The repository that a web link points into; `None` when it leads elsewhere.
pub fn repository(link: &str) -> Option<McpRepository> {
    let url = Url::parse(link.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let host = url.host_str()?.trim_start_matches("www.");
    let source = HOSTS.iter().find(|(name, _)| *name == host)?.1;
    let path = percent_decode_str(url.path()).decode_utf8().ok()?.into_owned();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let (repository, inside) = parts.split_at_checked(depth(source, &parts))?;
    if repository.len() < OWNER_AND_NAME || PAGES_OF_THE_HOST.contains(&repository[0]) {
        return None;
    }
    let inside = inside.strip_prefix(&["-"]).unwrap_or(inside);
    let subfolder = match inside {
        ["tree" | "src", _, folder @ ..] => folder.join("/"),
        ["blob", _, path @ ..] => described_by(path).join("/"),
        _ => String::new(),
    };
    Some(McpRepository {
        url: Some(format!("https://{host}/{}", repository.join("/").trim_end_matches(".git"))),
        source: Some(source.to_owned()),
        id: None,
        subfolder: Some(subfolder).filter(|folder| !folder.is_empty()),
    })
}

/// How many segments of a path name the repository: owner and name, and at GitLab the groups between them too, up to what leads into it.
fn depth(source: &str, parts: &[&str]) -> usize {
    let leads_inside = |part: &&str| matches!(*part, "-" | "tree" | "blob" | "raw");
    match source {
        "gitlab" => parts.iter().position(leads_inside).unwrap_or(parts.len()),
        _ => OWNER_AND_NAME,
    }
}

/// What the page of a file stands for: the folder that a README describes, or else the path itself, because several files of one folder may
/// be pages of several things. A folder has a page of this form too, which the host forwards to the right one.
fn described_by<'a, 'p>(path: &'p [&'a str]) -> &'p [&'a str] {
    match path {
        [folder @ .., file] if file.split('.').next().is_some_and(|stem| stem.eq_ignore_ascii_case("readme")) => folder,
        _ => path,
    }
}

/// `url#folder`, by which servers meet across sources.
pub fn identity(repository: &McpRepository) -> Option<String> {
    let url = repository.url.as_deref().filter(|url| !url.is_empty())?;
    let folder = repository.subfolder.as_deref().unwrap_or_default().trim_start_matches("./").trim_matches('/');
    Some(if folder.is_empty() || folder == "." { url.to_owned() } else { format!("{url}#{folder}") })
}

/// Whether a repository, or a folder that the link leads into, is called an archive: `servers-archived`, `src/archived/lamp`.
pub fn is_archived(repository: &McpRepository) -> bool {
    let name = repository.url.as_deref().and_then(|url| url.rsplit('/').next());
    let folders = repository.subfolder.as_deref().unwrap_or_default().split('/');
    name.into_iter().chain(folders).map(str::to_lowercase).any(|name| name == "archived" || name.ends_with("-archived"))
}

/// The owner in a repository's url.
pub fn owner(repository_url: &str) -> Option<String> {
    let repository = repository(repository_url)?.url?;
    repository.split('/').nth(3).map(str::to_owned)
}

/// Where a source that is one raw file lives: its repository, and its path there when the url tells it.
/// The options `repository` and `ref` win, as for tarballs.
pub fn raw_file(target: &Target) -> (Repository, Option<String>) {
    let public = public_url(&target.source_id, &target.url);
    let mut repository = Repository::from_target(target);
    let Some((url, reference, Some(path))) = github_parts(&public) else { return (repository, None) };
    repository.url = repository.url.or(Some(url));
    if target.option("ref").is_none() {
        repository.reference = reference;
    }
    (repository, Some(path))
}

/// The page on which a person reads the source's raw file.
pub fn raw_file_page(target: &Target) -> String {
    match raw_file(target) {
        (repository, Some(path)) => repository.file_page(&path),
        (_, None) => public_url(&target.source_id, &target.url).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Target, identity, is_archived, owner, raw_file_page, repository};

    #[test]
    fn a_link_tells_its_repository_and_folder() {
        for (link, key) in [
            ("https://github.com/Owner/Repo.git", Some("https://github.com/Owner/Repo")),
            ("http://www.github.com/o/r/", Some("https://github.com/o/r")),
            ("https://github.com/o/r/tree/main", Some("https://github.com/o/r")),
            ("https://github.com/o/r/tree/main/src/a%20b", Some("https://github.com/o/r#src/a b")),
            ("https://gitlab.com/o/r/-/tree/main/src", Some("https://gitlab.com/o/r#src")),
            ("https://github.com/o/r/blob/main/README.md", Some("https://github.com/o/r")),
            ("https://github.com/o/r/blob/main/src/lamp", Some("https://github.com/o/r#src/lamp")),
            ("https://github.com/o/r/blob/main/src/lamp/readme.md", Some("https://github.com/o/r#src/lamp")),
            ("https://github.com/o/r/blob/main/docs/lamp.md", Some("https://github.com/o/r#docs/lamp.md")),
            ("https://gitlab.com/o/r/-/blob/main/src/lamp", Some("https://gitlab.com/o/r#src/lamp")),
            ("https://gitlab.com/group/team/lamp", Some("https://gitlab.com/group/team/lamp")),
            ("https://gitlab.com/group/team/lamp.git", Some("https://gitlab.com/group/team/lamp")),
            ("https://gitlab.com/group/team/lamp/-/tree/main/src", Some("https://gitlab.com/group/team/lamp#src")),
            ("https://gitlab.com/o/r/blob/main/src/lamp", Some("https://gitlab.com/o/r#src/lamp")),
            ("https://gitlab.com/o/-/blob/main", None),
            ("https://github.com/o/r/issues/7", Some("https://github.com/o/r")),
            ("https://github.com/o/r/blob/main", Some("https://github.com/o/r")),
            ("https://github.com/o", None),
            ("https://github.com/orgs/o/discussions", None),
            ("https://example.com/o/r", None),
            ("src/fetch", None),
        ] {
            assert_eq!(repository(link).as_ref().and_then(identity).as_deref(), key, "{link}");
        }
        assert_eq!(owner("https://github.com/Owner/Repo.git").as_deref(), Some("Owner"));
    }

    #[test]
    fn an_archive_is_told_by_its_name() {
        for (link, archived) in [
            ("https://github.com/lamps/servers-archived", true),
            ("https://github.com/lamps/servers/tree/main/servers-archived/wick", true),
            ("https://github.com/lamps/servers/tree/main/src/Archived", true),
            ("https://github.com/lamps/archived-pages/tree/main/src/archive", false),
        ] {
            assert_eq!(repository(link).as_ref().map(is_archived), Some(archived), "{link}");
        }
    }

    #[test]
    fn a_raw_file_is_shown_as_its_page() {
        for (url, page) in [
            ("https://raw.githubusercontent.com/o/r/main/data/a.json", "https://github.com/o/r/blob/main/data/a.json"),
            (
                "http://127.0.0.1:9900/s/raw.githubusercontent.com/o/r/refs/heads/dev/A.md",
                "https://github.com/o/r/blob/dev/A.md",
            ),
            ("https://example.com/list.md", "https://example.com/list.md"),
        ] {
            let target = url::Url::parse(url).map(|url| Target {
                source_id: "t".into(),
                url,
                options: std::collections::BTreeMap::new(),
                serve_restricted: false,
            });
            assert_eq!(target.as_ref().map(raw_file_page).as_deref(), Ok(page));
        }
    }
}
