//! `markdown-docs`: the Markdown, MDX and reStructuredText pages of a repository, read from its tarball.
//!
//! Every page below the included folders is an item. Title: front matter, else the first level-1 heading, else the navigation ([`nav`]),
//! else the heading that the page opens with, else the file's name. [`path`] tells language, version and section. The raw bytes of the page are its record and its body. Every
//! other file is counted under a name ([`DocsReader::left_out_as`]).

mod nav;
pub(super) mod path;

use std::collections::HashSet;

use bytes::Bytes;
use refdesk_core::item::{Head, Item, Status};
use refdesk_core::slug::slugify;
use refdesk_core::{Body, Covers, Fact, Kind, Record, Reject};

use crate::connectors::formats::page::Page;
use crate::connectors::formats::tree::{is_hidden, is_vendored};
use crate::connectors::repository::license;
use crate::connectors::repository::repo::{self, Checkout, TreeReader, folder_of, open_tarball};
use crate::connectors::{Batch, Connector, ParseError, Reread, StoredKey, Target};
use nav::Navigation;
use path::{Neighbours, Parts};

/// The connector.
pub const CONNECTOR: Connector = Connector {
    name: "markdown-docs",
    kinds: &[Kind::Document],
    description: "The Markdown, MDX and reStructuredText pages of a repository's documentation, as one tarball",
    options: &[
        repo::OPTIONS[0],
        repo::OPTIONS[1],
        ("include", "folders to read, separated by commas; default: all"),
        ("exclude", "folders to leave out, separated by commas"),
        (
            "site",
            "address of the public site, for canonical urls and links from `/`: the site, then the path without numbers and endings",
        ),
        ("root", "folder of the repository that the site's root shows; pages outside of it get no canonical url"),
        ("language", "language of pages whose path names none, as a BCP 47 tag; on the site it has no prefix"),
        ("vendor", "publisher of the documentation; default: the owner of the repository"),
    ],
    open: |target| Ok(open_tarball(target, DocsReader::from_target(target))),
    reread,
    ..Connector::ARCHIVE
};

fn reread(target: &Target, stored: StoredKey<'_>, record: &[u8]) -> Result<Reread, String> {
    let reader = DocsReader::from_target(target);
    let parts = path::parts(stored.key, &Neighbours::default());
    let (checkout, bytes) = (Checkout::unread(target), Bytes::copy_from_slice(record));
    let read = reader.fact(&checkout, &Navigation::default(), stored.key, &parts, &bytes);
    read.map(|fact| {
        // The address, and whether a word in the path is a language, depend on the other pages. A page without a title has that of the
        // navigation.
        let has_title = repo::utf8(record).is_ok_and(|text| page_of(stored.key, text).own_title().is_some());
        let not_in_record: &[&str] = match (has_title, path::is_ambiguous(stored.key)) {
            (true, false) => &["canonical_url"],
            (false, false) => &["canonical_url", "name"],
            (true, true) => &["canonical_url", "section", "language"],
            (false, true) => &["canonical_url", "section", "language", "name"],
        };
        Reread { fact, not_in_record }
    })
}

struct DocsReader {
    target: Target,
    include: Vec<String>,
    exclude: Vec<String>,
    site: Option<String>,
    site_root: String,
    language: Option<String>,
}

impl TreeReader for DocsReader {
    fn wants(&self, path: &str) -> bool {
        self.is_item(path) || self.covers(path) && nav::is_navigation(path) || license::is_file(path)
    }

    fn read(&self, checkout: &Checkout) -> Result<Batch, ParseError> {
        let tree = &checkout.tree;
        let navigation = Navigation::from_tree(tree);
        let mut batch = Batch::default();
        let neighbours = Neighbours::of(tree.files.keys().map(String::as_str).filter(|path| self.is_item(path)));
        let mut ids = HashSet::new();
        for (path, bytes) in tree.files.iter().filter(|(path, _)| self.is_item(path)) {
            let parts = path::parts(path, &neighbours);
            let read = self.fact(checkout, &navigation, path, &parts, bytes).map(|mut fact| {
                fact.head.id = self.id(path, &parts, &mut ids);
                fact
            });
            batch.take(
                read.map_err(|reason| Reject::new(path, format!("{path} {reason}"), &String::from_utf8_lossy(bytes))),
            );
        }
        tree.reject_refused(&mut batch, |path| self.is_item(path).then_some(Covers::SameKey));
        tree.leave_out(&mut batch, |path| self.is_item(path), "symbolic links to pages", |path| self.left_out_as(path));
        if batch.items_upstream == 0 {
            return Err(ParseError::new(
                "no .md, .mdx or .rst page found; does the option `include` name an existing folder?",
            ));
        }
        Ok(batch)
    }
}

/// The file's ending in lower case.
fn ending(path: &str) -> String {
    repo::file_name(path).rsplit_once('.').map_or_else(String::new, |(_, ending)| ending.to_ascii_lowercase())
}

fn has_page_ending(path: &str) -> bool {
    matches!(ending(path).as_str(), "md" | "mdx" | "markdown" | "rst")
}

/// Whether a file is a part of other pages or lists them, by the names that generators of sites from Markdown give such: `_partial.mdx`,
/// `_sidebar.md`, `SUMMARY.md`. `_index.md` is the page of its folder, and `__init__.md` that of a module.
fn is_part(path: &str) -> bool {
    let name = repo::file_name(path);
    let is_marked = name.starts_with('_') && !["__", "_index."].iter().any(|page| name.starts_with(page));
    is_marked && ending(path) != "rst" || name == "SUMMARY.md"
}

/// The page of a file, by the format that its ending names.
fn page_of(path: &str, text: &str) -> Page {
    if ending(path) == "rst" { Page::read_rst(text) } else { Page::parse(text) }
}

impl DocsReader {
    fn from_target(target: &Target) -> Self {
        Self {
            target: target.clone(),
            include: repo::list_option(target, "include"),
            exclude: repo::list_option(target, "exclude"),
            site: target.option("site").map(|site| site.trim_end_matches('/').to_owned()),
            site_root: target.option("root").unwrap_or_default().trim_matches('/').to_owned(),
            language: target.text("language"),
        }
    }

    /// True below the folders that the options name.
    fn covers(&self, path: &str) -> bool {
        repo::is_below_any(path, &self.include) && !self.exclude.iter().any(|folder| repo::is_below(path, folder))
    }

    /// Pages, but not those of hidden folders (`.github`) and of vendored code.
    fn is_item(&self, path: &str) -> bool {
        has_page_ending(path) && !is_hidden(path) && !is_vendored(path) && !is_part(path) && self.covers(path)
    }

    /// What a file that is no item is counted as.
    fn left_out_as(&self, path: &str) -> &'static str {
        match ending(path).as_str() {
            _ if !self.covers(path) => "files outside of the folders that are read",
            _ if has_page_ending(path) && is_vendored(path) => "pages of vendored packages",
            _ if has_page_ending(path) && is_hidden(path) => "pages in hidden folders",
            _ if has_page_ending(path) => "parts and lists of pages",
            _ if nav::is_navigation(path) => "navigation files",
            _ if license::is_file(path) => "licence files",
            "adoc" | "asciidoc" => "pages of another format (.adoc)",
            "html" | "htm" => "pages of another format (.html)",
            "ipynb" => "pages of another format (.ipynb)",
            "org" => "pages of another format (.org)",
            "txt" => "text files (.txt)",
            _ => "files that are not pages",
        }
    }

    fn fact(
        &self,
        checkout: &Checkout,
        navigation: &Navigation,
        path: &str,
        parts: &Parts,
        bytes: &Bytes,
    ) -> Result<Fact, String> {
        let text = repo::utf8(bytes)?;
        if text.trim().is_empty() {
            return Err("is empty".into());
        }
        let Checkout { repository, licences, .. } = checkout;
        let page = page_of(path, text);
        let title = page.own_title().or_else(|| navigation.title(path)).map(str::to_owned);
        let title = title.or_else(|| page.opening_heading(text)).unwrap_or_else(|| parts.spoken());
        let mut document = page.document.clone();
        document.path = Some(path.to_owned());
        document.canonical_url = page.url.clone().or_else(|| self.canonical_url(path, parts, &page));
        document.section.clone_from(&parts.section);
        document.version.clone_from(&parts.version);
        let body = match &page.url {
            Some(url) if page.body_is_empty => Body::Missing(format!("this page only points to {url}")),
            None if page.body_is_empty => Body::Missing("this page has front matter and no text".into()),
            _ => Body::Record,
        };
        let (record, source_url) = (Record::Bytes(bytes.clone()), repository.file_page(path));
        let fact = Fact {
            head: Head {
                name: title,
                vendor: self.target.text("vendor").or_else(|| repository.owner()),
                status: match (page.deprecated, page.draft) {
                    (true, _) => Status::Deprecated,
                    (_, true) => Status::Preview,
                    _ => Status::Active,
                },
                language: parts.language.clone().or_else(|| self.language.clone()),
                ..Head::default()
            },
            body,
            ..Fact::new(path, Item::Document(document), record, source_url)
        };
        let licence = licences.of_item(folder_of(path), page.license.as_deref());
        Ok(license::applied(licence, fact, self.target.serve_restricted))
    }

    /// An id of source and path: without generic roots, numbers and `index`, as long as no other page of the source has it.
    fn id(&self, path: &str, parts: &Parts, taken: &mut HashSet<String>) -> String {
        let language =
            parts.language.as_ref().filter(|_| parts.language_by_suffix).map_or(String::new(), |tag| format!(".{tag}"));
        let source_id = &self.target.source_id;
        let wanted = slugify(&format!("{source_id}-{}{language}", parts.short_address()));
        let whole = || slugify(&format!("{source_id}-{path}"));
        let hashed = || slugify(&refdesk_core::hash::short_key(&format!("{source_id}-"), &[path]));
        let id = [wanted, whole(), hashed()].into_iter().find(|id| !taken.contains(id)).unwrap_or_else(hashed);
        taken.insert(id.clone());
        id
    }

    /// The page on the public site.
    fn canonical_url(&self, path: &str, parts: &Parts, page: &Page) -> Option<String> {
        let site = self.site.as_deref()?;
        if !self.site_root.is_empty() && !repo::is_below(path, &self.site_root) {
            return None;
        }
        let slug = page.slug.as_deref();
        if let Some(address) = page.site_path.as_deref().or_else(|| slug.filter(|slug| slug.starts_with('/'))) {
            return Some(format!("{site}{address}").trim_end_matches('/').to_owned());
        }
        let root_depth = self.site_root.split('/').filter(|part| !part.is_empty()).count();
        // doc-builder keeps pages in a folder `source` that its site does not show.
        let inside = parts.address.iter().skip(root_depth).map(String::as_str);
        let mut address: Vec<&str> = inside.filter(|part| *part != "source").collect();
        if parts.is_index() {
            address.pop();
        } else if let Some(slug) = slug {
            address.pop();
            address.push(slug.trim_matches('/'));
        }
        if parts.language_by_suffix && parts.language != self.language {
            // The site writes its own code, which is the file's.
            let code = path.rsplit('.').nth(1)?;
            address.insert(0, code);
        }
        Some(format!("{site}/{}", address.join("/")).trim_end_matches('/').to_owned())
    }
}
