//! `hf-cookbook`: notebooks and pages listed in doc-builder's nested `_toctree.yml`, as the Hugging Face cookbook keeps them.
//!
//! Every `local` of every `notebooks/<lang>/_toctree.yml` is an item, and so is every page beside it that no toctree lists.
//! A listed page whose file is absent is a fact with its body missing. A toctree that cannot be read is a reject: the pages beside it are read
//! all the same, and those that only it lists stay as they are.

use std::collections::BTreeSet;

use bytes::Bytes;
use refdesk_core::fact::{Identity, Provenance};
use refdesk_core::item::{Head, Item, Status, Tutorial};
use refdesk_core::slug::slugify;
use refdesk_core::{Body, Fact, Kind, Record, Reject, clean};
use serde_json::{Value, json};

use crate::connectors::documents::markdown_docs::path::language_tag;
use crate::connectors::documents::tutorial;
use crate::connectors::formats::headings;
use crate::connectors::formats::json_text::without_mark;
use crate::connectors::formats::yaml;
use crate::connectors::repository::license;
use crate::connectors::repository::repo::{
    self, Checkout, Tree, TreeReader, below, file_name, folder_of, open_tarball, without_ending,
};
use crate::connectors::{Batch, Connector, CountMethod, ParseError, Reread, StoredKey, TarballRule, Target};

/// File that lists the pages of its folder.
const TOCTREE: &str = "_toctree.yml";
/// The cookbook's public site.
const SITE: &str = "https://huggingface.co/learn/cookbook";
/// What a page does not state of itself: its place in the toctree, and its ending.
const OF_THE_TREE: &[&str] = &["name", "language", "topics", "path", "format"];
/// How deep sections may nest.
const DEPTH_MAX: usize = 8;

/// The connector.
pub const CONNECTOR: Connector = Connector {
    name: "hf-cookbook",
    kinds: &[Kind::Tutorial],
    description: "Notebooks listed in nested _toctree.yml files, as the Hugging Face cookbook keeps them",
    options: &[
        repo::OPTIONS[0],
        repo::OPTIONS[1],
        ("site", "address of the public site; default: https://huggingface.co/learn/cookbook"),
        ("vendor", "publisher; default: the owner of the repository"),
    ],
    count: CountMethod::Tarball(TarballRule::Toctrees),
    open: |target| Ok(open_tarball(target, HfCookbookReader::from_target(target))),
    reread,
    ..Connector::ARCHIVE
};

fn reread(target: &Target, stored: StoredKey<'_>, record: &[u8]) -> Result<Reread, String> {
    let mut checkout = Checkout::unread(target);
    let value = serde_json::from_slice::<Value>(without_mark(record)).ok();
    // What a toctree says of an absent page is its record; else the record is the page, whose ending only the tree knows.
    let listed = value.as_ref().filter(|value| value["local"].is_string());
    let (page, not_in_record): (ListedPage, &[&str]) = match listed {
        Some(listed) => (ListedPage::of_record(listed), &[]),
        None => (ListedPage::beside(file_name(stored.key)), OF_THE_TREE),
    };
    let folder = stored.key.strip_suffix(&page.local);
    let folder = folder.ok_or_else(|| format!("the key `{}` is not that of `{}`", stored.key, page.local))?;
    let path = listed.is_none().then(|| {
        let path = format!("{}.{}", stored.key, if value.is_some() { "ipynb" } else { "md" });
        checkout.tree.files.insert(path.clone(), Bytes::copy_from_slice(record));
        path
    });
    let read = HfCookbookReader::from_target(target).fact(
        &checkout,
        folder.trim_end_matches('/'),
        stored.key.to_owned(),
        path,
        &page,
    );
    read.map(|fact| Reread { fact, not_in_record })
}

struct HfCookbookReader {
    target: Target,
    site: String,
}

struct ListedPage {
    local: String,
    title: Option<String>,
    sections: Vec<String>,
    /// False for a page that only stands beside the toctree.
    by_toctree: bool,
}

impl ListedPage {
    /// A page that only stands beside the toctree.
    fn beside(local: &str) -> Self {
        Self { local: local.to_owned(), title: None, sections: Vec::new(), by_toctree: false }
    }

    /// What was stored of a page whose file is absent.
    fn of_record(record: &Value) -> Self {
        let texts = record["sections"].as_array().into_iter().flatten().filter_map(Value::as_str);
        Self {
            local: record["local"].as_str().unwrap_or_default().to_owned(),
            title: record["title"].as_str().map(str::to_owned),
            sections: texts.map(str::to_owned).collect(),
            by_toctree: true,
        }
    }
}

impl TreeReader for HfCookbookReader {
    fn wants(&self, path: &str) -> bool {
        file_name(path) == TOCTREE || tutorial::format(path).is_some() || license::is_file(path)
    }

    fn read(&self, checkout: &Checkout) -> Result<Batch, ParseError> {
        let tree = &checkout.tree;
        let mut batch = Batch::default();
        let mut taken: BTreeSet<String> = BTreeSet::new();
        let mut read: BTreeSet<String> = BTreeSet::new();
        let mut unreadable = None;
        let mut toctrees = 0;
        for path in toctrees_of(tree) {
            let folder = folder_of(path);
            let mut listed = Vec::new();
            match toctree(tree, path) {
                Ok(toctree) => {
                    toctrees += 1;
                    let too_deep = collect(&toctree, &mut Vec::new(), &mut listed);
                    batch.leave_out("pages of sections that are nested too deep", too_deep);
                }
                Err(reason) => {
                    batch.take(Err(Reject::new(path.as_str(), reason.as_str(), "").of_group(folder)));
                    unreadable.get_or_insert(format!("{path} {reason}"));
                }
            }
            let unlisted = unlisted(tree, folder, &listed);
            for page in listed.into_iter().chain(unlisted) {
                let key = below(folder, &page.local);
                if !page.by_toctree && taken.contains(&key) {
                    continue;
                }
                if !taken.insert(key.clone()) {
                    let reason = format!("`{}` is listed twice in {path}; the first one counts", page.local);
                    batch.take(Err(Reject::new(format!("{key} (again)"), reason, "")));
                    continue;
                }
                let path = file_of(tree, folder, &page.local);
                read.extend(path.clone());
                let read = self.fact(checkout, folder, key, path, &page);
                batch.take(read.map_err(|reason| Reject::new(below(folder, &page.local), reason, "")));
            }
        }
        let others = tree.files.keys().chain(tree.refused.keys());
        let others = others.filter(|path| tutorial::format(path).is_some() && !read.contains(path.as_str()));
        batch.leave_out("notebooks and pages that no toctree lists and none stands beside", others.count());
        if let Some(reason) = unreadable.filter(|_| toctrees == 0) {
            return Err(ParseError::new(reason));
        }
        if batch.items_upstream == 0 {
            return Err(ParseError::new("no _toctree.yml with pages found; is this a doc-builder cookbook?"));
        }
        Ok(batch)
    }
}

/// Paths of the toctrees, those that could not be taken included.
fn toctrees_of(tree: &Tree) -> impl Iterator<Item = &String> {
    tree.files.keys().chain(tree.refused.keys()).filter(|path| file_name(path) == TOCTREE)
}

/// What a toctree says, or why it cannot be read.
fn toctree(tree: &Tree, path: &str) -> Result<Value, String> {
    let refused = || tree.refused.get(path).cloned().unwrap_or_default();
    let text = tree.text(path).map_err(|reason| reason.unwrap_or_else(refused))?;
    yaml::value(text).map_err(|error| format!("is not valid YAML: {error}"))
}

/// The leaves of a toctree with the titles of the sections above them; gives back how many lie too deep.
fn collect(value: &Value, above: &mut Vec<String>, listed: &mut Vec<ListedPage>) -> usize {
    let mut too_deep = 0;
    // One section may stand by itself, outside of a list.
    for entry in value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice) {
        let title = yaml::scalar(&entry["title"]).map(|title| clean::line(&title)).filter(|title| !title.is_empty());
        if let Some(local) = entry["local"].as_str() {
            if above.len() > DEPTH_MAX {
                too_deep += 1;
                continue;
            }
            listed.push(ListedPage {
                local: local.trim().to_owned(),
                title: title.clone(),
                sections: above.clone(),
                by_toctree: true,
            });
        }
        if entry["sections"].is_array() {
            above.push(title.unwrap_or_default());
            too_deep += collect(&entry["sections"], above, listed);
            above.pop();
        }
    }
    too_deep
}

/// The notebook or page of a `local`.
fn file_of(tree: &Tree, folder: &str, local: &str) -> Option<String> {
    let known = |path: &String| tree.files.contains_key(path) || tree.refused.contains_key(path);
    let stem = below(folder, local);
    ["ipynb", "md", "mdx"].map(|ending| format!("{stem}.{ending}")).into_iter().find(known)
}

/// Pages beside the toctree that it does not list, each once; those below another toctree are that one's.
fn unlisted(tree: &Tree, folder: &str, listed: &[ListedPage]) -> Vec<ListedPage> {
    let prefix = below(folder, "");
    let others = toctrees_of(tree).filter_map(|path| path.strip_suffix(TOCTREE));
    let deeper: Vec<&str> = others.filter(|other| other.len() > prefix.len() && other.starts_with(&prefix)).collect();
    let is_ours =
        |path: &&String| tutorial::format(path).is_some() && !deeper.iter().any(|other| path.starts_with(other));
    let inside = tree.files.keys().filter(is_ours).filter_map(|path| path.strip_prefix(&prefix));
    let stems: BTreeSet<&str> = inside.map(without_ending).collect();
    let unknown = stems.into_iter().filter(|stem| !listed.iter().any(|page| page.local == **stem));
    unknown.map(ListedPage::beside).collect()
}

impl HfCookbookReader {
    fn from_target(target: &Target) -> Self {
        let site = target.option("site").map_or(SITE, |site| site.trim_end_matches('/')).to_owned();
        Self { target: target.clone(), site }
    }

    fn fact(
        &self,
        checkout: &Checkout,
        folder: &str,
        key: String,
        path: Option<String>,
        page: &ListedPage,
    ) -> Result<Fact, String> {
        let Checkout { repository, tree, licences } = checkout;
        let stem = below(folder, &page.local);
        let (record, body) = match &path {
            Some(path) => tutorial::content(tree, path),
            None => (None, Body::Missing(format!("{TOCTREE} lists {stem}, which the repository does not hold"))),
        };
        let markdown = match (&body, &record) {
            (Body::Markdown(markdown), _) => markdown.as_str(),
            (Body::Record, Some(record)) => std::str::from_utf8(record.as_bytes()).unwrap_or(""),
            _ => "",
        };
        let first_heading =
            || headings::parse(markdown).into_iter().find(|heading| heading.level == 1).map(|heading| heading.text);
        let title = page.title.clone().or_else(first_heading).unwrap_or_else(|| page.local.replace(['_', '-'], " "));
        let authors = authors(markdown);
        let record = match record {
            Some(record) => record,
            None => Record::of_json(&json!({"local": page.local, "title": page.title, "sections": page.sections}))
                .map_err(|error| format!("{stem} has no canonical form: {error}"))?,
        };
        // A toctree may lie in a folder that names no language.
        let stated = folder.rsplit('/').next().and_then(language_tag);
        let language = stated.as_deref().unwrap_or("en");
        let site = format!("{}/{}", self.site, page.local);
        let site_of_language = format!("{}/{language}/{}", self.site, page.local);
        let shown = if language == "en" { site.clone() } else { site_of_language.clone() };
        // Without its file a page is known from the toctree only.
        let toctree = below(folder, TOCTREE);
        let read = path.as_ref().filter(|path| tree.files.contains_key(*path)).unwrap_or(&toctree);
        let source_url = repository.file_page(read);
        let mut same_as = vec![format!("url:{site_of_language}")];
        same_as.extend((language == "en").then(|| format!("url:{site}")));
        same_as.extend(path.as_ref().map(|path| format!("url:{}", repository.file_page_at_ref(path))));
        let inside = path.as_ref().and_then(|path| path.rsplit_once('/')).map_or(folder, |(inside, _)| inside);
        let licence = licences.of_item(inside, None);
        let aliases = path.iter().cloned().collect();
        let item = Item::Tutorial(Tutorial {
            topics: page.sections.iter().filter(|section| !section.is_empty()).cloned().collect(),
            authors,
            format: path.as_deref().and_then(tutorial::format).map(str::to_owned),
            path,
            ..Tutorial::default()
        });
        let fact = Fact {
            head: Head {
                id: slugify(&match language {
                    "en" => format!("{}-{}", self.target.source_id, page.local),
                    other => format!("{}-{other}-{}", self.target.source_id, page.local),
                }),
                name: title,
                vendor: self.target.text("vendor").or_else(|| repository.owner()),
                status: Status::Active,
                aliases,
                language: stated,
                ..Head::default()
            },
            body,
            identity: Identity { same_as, ..Identity::default() },
            provenance: Provenance { references: vec![shown], ..Provenance::default() },
            ..Fact::new(key, item, record, source_url)
        };
        Ok(license::applied(licence, fact, self.target.serve_restricted))
    }
}

/// The names of the line `_Authored by: [A](…), [B](…)_`.
fn authors(markdown: &str) -> Vec<String> {
    const LINES_READ: usize = 30;
    let line = markdown.lines().take(LINES_READ).find_map(|line| line.split_once("uthored by"));
    let Some((_, line)) = line else { return Vec::new() };
    let plain = refdesk_core::text::headings::plain(line.trim_start_matches([':', ' ']));
    let names = plain.split([',', '&']).flat_map(|part| part.split(" and "));
    names.map(|name| name.trim().trim_matches('_').trim().to_owned()).filter(|name| !name.is_empty()).collect()
}
