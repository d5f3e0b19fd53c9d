//! The keys of repositories and of folders in them.

/// What such a key begins with.
pub(super) const REPOSITORY: &str = "repo:";

/// `repo:github.com/owner/name[#folder]`: scheme, `www.`, `.git`, trailing slashes and case do not tell repositories apart.
/// `None` for what is no repository URL (a host alone, or an owner alone).
pub fn repository_key(url: &str) -> Option<String> {
    let folded = url.trim().to_lowercase();
    let rest = folded.split_once("://").map_or(folded.as_str(), |(_, rest)| rest);
    let rest = rest.trim_start_matches("git@").trim_start_matches("www.").replacen("github.com:", "github.com/", 1);
    let (path, folder) = rest.split_once('#').unwrap_or((&rest, ""));
    let folder = if folder.starts_with("readme") { "" } else { folder };
    // GitLab has `/-` between a repository and what is in it.
    let (path, folder) = match path.split_once("/tree/").or_else(|| path.split_once("/blob/")) {
        Some((repository, inside)) => (repository, folder_of(inside)),
        None => (path, folder),
    };
    let path =
        path.split(['?']).next().unwrap_or(path).trim_end_matches("/-").trim_end_matches('/').trim_end_matches(".git");
    let folder = folder.trim_matches('/');
    (path.split('/').count() >= 3 && path.split('/').all(|part| !part.is_empty()))
        .then(|| if folder.is_empty() { format!("{REPOSITORY}{path}") } else { format!("{REPOSITORY}{path}#{folder}") })
}

/// The folder in `branch/folder` or `branch/folder/README.md`.
fn folder_of(inside: &str) -> &str {
    let folder = inside.split_once('/').map_or("", |(_, folder)| folder);
    match folder.rsplit_once('/') {
        Some((folder, file)) if file.starts_with("readme.") => folder,
        None if folder.starts_with("readme.") => "",
        _ => folder,
    }
}

/// The key of the repository that a URL leads to or into, without the folder.
pub(super) fn whole_repository(url: &str) -> Option<String> {
    repository_key(url)?.split('#').next().map(str::to_owned)
}

/// Where a folder of an archive was before: `owner/name#folder` of `owner/name-archived#folder`. Without a folder the name tells too
/// little.
pub(super) fn before_archive(repository: &str) -> Option<String> {
    let (name, folder) = repository.split_once('#')?;
    Some(format!("{}#{folder}", name.strip_suffix("-archived")?))
}

/// The name in the key of a repository, or of a folder in one.
pub(super) fn repository_name(key: &str) -> Option<&str> {
    key.strip_prefix(REPOSITORY)?.rsplit(['/', '#']).next()
}

#[cfg(test)]
mod tests {
    use super::repository_key;

    #[test]
    fn spellings_of_one_repository_give_one_key() {
        for (url, key) in [
            ("https://github.com/Owner/Repo.git", Some("repo:github.com/owner/repo")),
            ("http://www.github.com/owner/repo/", Some("repo:github.com/owner/repo")),
            ("git@github.com:owner/repo.git", Some("repo:github.com/owner/repo")),
            ("https://github.com/o/r/tree/main/src/fetch", Some("repo:github.com/o/r#src/fetch")),
            ("https://github.com/o/r#src/fetch", Some("repo:github.com/o/r#src/fetch")),
            ("https://github.com/o/r/blob/main/src/fetch/README.md", Some("repo:github.com/o/r#src/fetch")),
            ("https://gitlab.com/o/r/-/tree/main/src/fetch", Some("repo:gitlab.com/o/r#src/fetch")),
            ("https://gitlab.com/o/r/-/blob/main/README.md", Some("repo:gitlab.com/o/r")),
            ("https://github.com/o/r#readme", Some("repo:github.com/o/r")),
            ("https://github.com/owner", None),
            ("https://example.com", None),
            ("", None),
        ] {
            assert_eq!(repository_key(url).as_deref(), key, "{url}");
        }
    }
}
