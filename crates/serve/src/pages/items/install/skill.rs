//! How the folder of a skill is fetched from the repository that its source states, and where clients look for it.

use maud::{Markup, html};
use serde_json::Value;

use super::{client_name, shell_word};
use crate::pages::layout::table::copied_lines;
use crate::pages::layout::{freshness, values};

/// The clients by the folder in which they look for skills, below the home folder and below that of a project.
const FOLDERS: [(&str, &str); 2] =
    [("Claude Code", ".claude/skills"), ("Codex, OpenCode and others that look in .agents/skills", ".agents/skills")];
/// The folder that the repository is fetched into.
const FETCHED: &str = "skill-source";

/// The lines that put a skill in its place; nothing where its source states no repository that can be fetched.
pub(in crate::pages::items) fn skill(item: &Value) -> Markup {
    let Some(Folder { fetch, path, name }) = Folder::from_item(item) else { return html! {} };
    let source = shell_word(&path.map_or_else(|| FETCHED.to_owned(), |path| format!("{FETCHED}/{path}")));
    html! {
        h2 #install { "Install" (freshness::stale_field(item, "repository")) }
        p { "A skill is a folder. Fetch it from its repository:" }
        (copied_lines(&fetch))
        p { "Then put it where your client looks for skills." }
        @for (clients, folder) in FOLDERS {
            h3 { (clients) }
            @for (place, folder) in [("For all projects:", format!("~/{folder}")), ("For the project of this folder:", folder.to_owned())] {
                p { (place) }
                (copied_lines(&format!("mkdir -p {folder} && cp -R {source} {folder}/{name}")))
            }
        }
    }
}

/// Whether there are lines for a skill.
pub(in crate::pages::items) fn has_folder(item: &Value) -> bool {
    Folder::from_item(item).is_some()
}

/// The folder of a skill: the lines that fetch it, its path below the repository, and the name that it needs.
struct Folder {
    fetch: String,
    path: Option<String>,
    name: String,
}

impl Folder {
    fn from_item(item: &Value) -> Option<Self> {
        let repository = &item["repository"];
        let url = values::text(repository, "url").filter(|url| url.starts_with("https://"))?;
        let path = values::text(repository, "path").map(|path| values::shown(path.trim_matches('/')));
        let path = path.filter(|path| !path.is_empty());
        if path.as_ref().is_some_and(|path| path.split('/').any(|part| part == "..")) {
            return None;
        }
        let commit = values::text(repository, "commit").filter(|commit| commit.bytes().all(|b| b.is_ascii_hexdigit()));
        // A branch or tag can be fetched alone; a commit is looked for in all of them.
        let from = match (commit, values::text(repository, "ref")) {
            (Some(_), _) => String::new(),
            (None, Some(reference)) => format!(" --depth 1 --branch={}", shell_word(&values::shown(reference))),
            (None, None) => " --depth 1".to_owned(),
        };
        let fetch = format!(
            "git clone --filter=blob:none --no-checkout{from} {} {FETCHED}\ngit -C {FETCHED} checkout {} -- {}",
            shell_word(&values::shown(url)),
            commit.unwrap_or("HEAD"),
            shell_word(path.as_deref().unwrap_or(".")),
        );
        let own = values::text(item, "name").or_else(|| values::text(item, "id")).unwrap_or_default();
        let name = client_name::of_path(path.as_deref().unwrap_or(own));
        Some(Self { fetch, path, name })
    }
}

#[cfg(test)]
mod tests {
    use super::Folder;
    use serde_json::json;

    #[test]
    fn a_folder_is_fetched_at_the_branch_or_commit_that_is_stated() {
        for (repository, fetch) in [
            (
                json!({"url": "https://h.x/o/r", "ref": "main", "path": "skills/pdf"}),
                "git clone --filter=blob:none --no-checkout --depth 1 --branch=main https://h.x/o/r skill-source\ngit -C skill-source checkout HEAD -- skills/pdf",
            ),
            (
                json!({"url": "https://h.x/o/r", "ref": "main", "commit": "0123abcd"}),
                "git clone --filter=blob:none --no-checkout https://h.x/o/r skill-source\ngit -C skill-source checkout 0123abcd -- .",
            ),
        ] {
            let item = json!({"id": "o/pdf", "repository": repository});
            let folder = Folder::from_item(&item).expect("a folder");
            assert_eq!((&*folder.fetch, &*folder.name), (fetch, "pdf"));
        }
    }

    #[test]
    fn what_is_no_folder_of_a_repository_has_no_lines() {
        for repository in [
            json!({"url": "https://h.x/o/r", "path": "../../etc"}),
            json!({"url": "--upload-pack=x", "path": "a"}),
            json!({"path": "a"}),
        ] {
            assert!(Folder::from_item(&json!({"id": "x", "repository": repository})).is_none(), "{repository}");
        }
        let item = json!({"id": "x", "repository": {"url": "https://h.x/$(id)", "ref": "a;b", "path": "a b/'c"}});
        let fetch = Folder::from_item(&item).expect("a folder").fetch;
        assert!(fetch.contains("--branch='a;b' 'https://h.x/$(id)' "), "{fetch}");
        assert!(fetch.ends_with(" -- 'a b/'\\''c'"), "{fetch}");
    }
}
