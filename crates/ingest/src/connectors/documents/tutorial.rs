//! A tutorial's file as the cookbook connectors read it: record, body and format by its ending.

use refdesk_core::{Body, Record};

use crate::connectors::formats::notebook;
use crate::connectors::repository::repo::{Tree, below, utf8};

/// The file that a path of a registry means: of a folder the page that describes it.
pub(super) fn file_of(tree: &Tree, path: &str) -> String {
    let pages = ["README.md", "readme.md", "index.md"].map(|page| below(path.trim_end_matches('/'), page));
    let page = pages.into_iter().find(|page| tree.files.contains_key(page) && !tree.files.contains_key(path));
    page.unwrap_or_else(|| path.to_owned())
}

/// The record and the body of the file at `path`; the record is `None` when the repository does not hold the file.
pub(super) fn content(tree: &Tree, path: &str) -> (Option<Record>, Body) {
    let Some(bytes) = tree.files.get(path) else {
        let reason = match tree.refused.get(path) {
            Some(reason) => format!("{path} {reason}"),
            None if format(path).is_none() && tree.holds(path) => {
                format!("{path} is neither a notebook nor a page of Markdown")
            }
            None => format!("the repository does not hold {path}"),
        };
        return (None, Body::Missing(reason));
    };
    let body = if format(path) == Some("notebook") {
        match notebook::to_markdown(bytes) {
            Ok(markdown) if markdown.is_empty() => Body::Missing("the notebook holds no text".into()),
            Ok(markdown) => Body::Markdown(markdown),
            Err(reason) => Body::Missing(reason),
        }
    } else {
        match utf8(bytes) {
            Ok(text) if text.trim().is_empty() => Body::Missing(format!("{path} is empty")),
            Ok(_) => Body::Record,
            Err(reason) => Body::Missing(format!("{path} {reason}")),
        }
    };
    (Some(Record::Bytes(bytes.clone())), body)
}

/// `notebook`, `markdown` or `mdx`; `None` for other files.
pub(super) fn format(path: &str) -> Option<&'static str> {
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("ipynb") => Some("notebook"),
        Some("md") => Some("markdown"),
        Some("mdx") => Some("mdx"),
        _ => None,
    }
}
