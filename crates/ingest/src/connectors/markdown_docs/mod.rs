//! `markdown-docs`: the Markdown and MDX pages of a repository, read from its tarball.
//!
//! Every `.md` and `.mdx` below the included folders is an item. Title: front matter, else the first level-1 heading, else the
//! navigation ([`nav`]), else the file's name. [`path`] tells language, version and section. The raw bytes of the page are its
//! record and its body.

mod nav;
mod path;

use std::collections::HashSet;

use bytes::Bytes;
use refdesk_core::fact::{Identity, Provenance};
use refdesk_core::item::{Head, Item, Status};
use refdesk_core::slug::slugify;
use refdesk_core::{Body, Fact, Kind, Record, Reject};

use super::page::Page;
use super::repo::{self, Repository, TarballPass, Tree, TreeReader};
use super::{Connector, Harvest, ParseError, Pass, Target};
use nav::Navigation;
use path::Parts;

/// The connector.
pub struct MarkdownDocs;

impl Connector for MarkdownDocs {
    fn name(&self) -> &'static str {
        "markdown-docs"
    }

    fn kinds(&self) -> &'static [Kind] {
        &[Kind::Document]
    }

    fn describe(&self) -> &'static str {
        "The Markdown and MDX pages of a repository's documentation, as one tarball"
    }

    fn options(&self) -> &'static [(&'static str, &'static str)] {
        const OPTIONS: &[(&str, &str)] = &[
            repo::OPTIONS[0],
            repo::OPTIONS[1],
            ("include", "folders to read, separated by commas; default: all"),
            ("exclude", "folders to leave out, separated by commas"),
            (
                "site",
                "address of the public site, for canonical urls: the site, then the path without numbers and endings",
            ),
            ("root", "folder of the repository that the site's root shows; pages outside of it get no canonical url"),
            ("language", "language of pages whose path names none, as a BCP 47 tag; on the site it has no prefix"),
            ("vendor", "publisher of the documentation; default: the owner of the repository"),
        ];
        OPTIONS
    }

    fn open(&self, target: &Target) -> Result<Box<dyn Pass>, ParseError> {
        let option = |key: &str| target.options.get(key).filter(|value| !value.is_empty()).cloned();
        let reader = Reader {
            source_id: target.source_id.clone(),
            include: repo::list_option(target, "include"),
            exclude: repo::list_option(target, "exclude"),
            site: option("site").map(|site| site.trim_end_matches('/').to_owned()),
            site_root: option("root").map_or_else(String::new, |root| root.trim_matches('/').to_owned()),
            language: option("language"),
            vendor: option("vendor"),
        };
        Ok(Box::new(TarballPass::new(target.clone(), reader)))
    }
}

struct Reader {
    source_id: String,
    include: Vec<String>,
    exclude: Vec<String>,
    site: Option<String>,
    site_root: String,
    language: Option<String>,
    vendor: Option<String>,
}

impl TreeReader for Reader {
    fn wants(&self, path: &str) -> bool {
        (is_page(path) || nav::is_navigation(path))
            && (self.include.is_empty() || self.include.iter().any(|folder| repo::is_below(path, folder)))
            && !self.exclude.iter().any(|folder| repo::is_below(path, folder))
    }

    fn read(&self, repository: &Repository, tree: &Tree) -> Result<Harvest, ParseError> {
        let navigation = Navigation::read(tree);
        let mut harvest = Harvest::default();
        let named = path::numbered_by_name(tree.files.keys().map(String::as_str).filter(|path| is_page(path)));
        let mut ids = HashSet::new();
        for (path, bytes) in tree.files.iter().filter(|(path, _)| is_page(path)) {
            harvest.items_upstream += 1;
            let parts = path::parts(path, &named);
            match self.fact(repository, &navigation, path, &parts, bytes) {
                Ok(mut fact) => {
                    fact.head.id = self.id(path, &parts, &mut ids);
                    harvest.facts.push(fact);
                }
                Err(reason) => {
                    harvest.rejects.push(Reject::new(
                        path,
                        format!("{path} {reason}"),
                        &String::from_utf8_lossy(bytes),
                    ));
                }
            }
        }
        let refused = tree.rejects(is_page);
        harvest.items_upstream += refused.len();
        harvest.rejects.extend(refused);
        if harvest.items_upstream == 0 {
            return Err(ParseError::new(
                "no .md or .mdx page found; does the option `include` name an existing folder?",
            ));
        }
        Ok(harvest)
    }
}

/// Pages, but not those of hidden folders (`.github`) and of vendored code.
fn is_page(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    (ending.eq_ignore_ascii_case("md") || ending.eq_ignore_ascii_case("mdx"))
        && !path.split('/').any(|part| part.starts_with('.') || part == "node_modules")
}

impl Reader {
    fn fact(
        &self,
        repository: &Repository,
        navigation: &Navigation,
        path: &str,
        parts: &Parts,
        bytes: &Bytes,
    ) -> Result<Fact, String> {
        let text = repo::utf8(bytes)?;
        if text.trim().is_empty() {
            return Err("is empty".into());
        }
        let page = Page::read(text);
        let title = page.title.clone().or_else(|| page.first_heading.clone());
        let title = title.or_else(|| navigation.title(path).map(str::to_owned)).unwrap_or_else(|| parts.spoken());
        let mut document = page.document();
        document.path = Some(path.to_owned());
        document.canonical_url = page.url.clone().or_else(|| self.canonical_url(path, parts));
        document.section.clone_from(&parts.section);
        document.version.clone_from(&parts.version);
        let body = match &page.url {
            Some(url) if page.body_is_empty => Body::Missing(format!("this page only points to {url}")),
            None if page.body_is_empty => Body::Missing("this page has front matter and no text".into()),
            _ => Body::Record,
        };
        let owner = repository.key().and_then(|key| key.split('/').nth(1).map(str::to_owned));
        Ok(Fact {
            key: path.to_owned(),
            head: Head {
                name: title,
                vendor: self.vendor.clone().or(owner),
                status: match (page.deprecated, page.draft) {
                    (true, _) => Status::Deprecated,
                    (_, true) => Status::Preview,
                    _ => Status::Active,
                },
                language: parts.language.clone().or_else(|| self.language.clone()),
                ..Head::default()
            },
            item: Item::Document(document),
            source_url: repository.file_page(path),
            record: Record::Bytes(bytes.clone()),
            body,
            identity: Identity::default(),
            provenance: Provenance::default(),
            checked_on: None,
        })
    }

    /// An id of source and path: without generic roots, numbers and `index`, as long as no other page of the source has it.
    fn id(&self, path: &str, parts: &Parts, taken: &mut HashSet<String>) -> String {
        let language =
            parts.language.as_ref().filter(|_| parts.language_by_suffix).map_or(String::new(), |tag| format!(".{tag}"));
        let wanted = slugify(&format!("{}-{}{language}", self.source_id, parts.short_address()));
        let whole = || slugify(&format!("{}-{path}", self.source_id));
        let hashed = || slugify(&refdesk_core::hash::short_key(&format!("{}-", self.source_id), &[path]));
        let id = [wanted, whole(), hashed()].into_iter().find(|id| !taken.contains(id)).unwrap_or_else(hashed);
        taken.insert(id.clone());
        id
    }

    /// The page on the public site.
    fn canonical_url(&self, path: &str, parts: &Parts) -> Option<String> {
        let site = self.site.as_deref()?;
        if !self.site_root.is_empty() && !repo::is_below(path, &self.site_root) {
            return None;
        }
        let root_depth = self.site_root.split('/').filter(|part| !part.is_empty()).count();
        // doc-builder keeps pages in a folder `source` that its site does not show.
        let inside = parts.address.iter().skip(root_depth).map(String::as_str);
        let mut address: Vec<&str> = inside.filter(|part| *part != "source").collect();
        if parts.is_index() {
            address.pop();
        }
        if parts.language_by_suffix && parts.language != self.language {
            // The site writes its own code, which is the file's.
            let code = path.rsplit('.').nth(1)?;
            address.insert(0, code);
        }
        Some(format!("{site}/{}", address.join("/")).trim_end_matches('/').to_owned())
    }
}
