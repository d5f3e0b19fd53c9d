//! Documents that are there in several versions and languages, by their paths: `docs/2025-06-18/intro.mdx` and `docs/draft/intro.mdx`,
//! `cot.de.mdx` and `cot.en.mdx`. A search shows one of them and names the others.

use std::cmp::Reverse;

use serde_json::Value;

use crate::columns::{Column, Columns};
use crate::resolve::ResolvedItem;
use refdesk_core::query::PriceOf;
use refdesk_core::{Kind, field, hash, text};

/// The language that is shown before others between equals.
const FIRST_LANGUAGE: &str = "en";

/// The folder of a repository whose files are published as pages.
const PAGES_FOLDER: &str = "docs";
/// Endings of files with Markdown.
const MARKDOWN: [&str; 2] = ["md", "mdx"];

/// Rows of a segment by what they are editions of.
#[derive(Debug, Default)]
pub struct Editions {
    /// Rows, the editions of a work one after the other.
    members: Box<[u32]>,
    /// By rising row: where the editions of its work begin and end among the members.
    works: Box<[(u32, [u32; 2])]>,
    /// Members less one of each work.
    surplus: usize,
}

impl Editions {
    /// Those of some rows, each with what stands for its work, that are not alone.
    pub fn new(mut works: Vec<(u64, u32)>, kind: Kind, columns: &Columns) -> Self {
        works.sort_unstable();
        let [languages, versions] =
            ["language", "version"].map(|name| columns.get(kind, field::named(kind, name)?, &PriceOf::Maker));
        let preference = |row: &u32| {
            let is_other = languages
                .and_then(|column: &Column| column.value(*row))
                .is_some_and(|language| language != FIRST_LANGUAGE);
            let version = versions.and_then(|column: &Column| column.value(*row)).map_or(vec![u64::MAX], numbers);
            (is_other, Reverse(version), *row)
        };
        let (mut members, mut of_rows, mut surplus) = (Vec::new(), Vec::new(), 0);
        for group in works.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
            let start = members.len();
            surplus += group.len() - 1;
            members.extend(group.iter().map(|(_, row)| *row));
            members[start..].sort_by_cached_key(preference);
            let place = [start as u32, members.len() as u32];
            of_rows.extend(group.iter().map(|(_, row)| (*row, place)));
        }
        of_rows.sort_unstable();
        Self { members: members.into(), works: of_rows.into(), surplus }
    }

    /// How many more editions than works there are.
    pub fn surplus(&self) -> usize {
        self.surplus
    }

    /// The editions of the work of a row, the one to prefer first; none when the row is alone.
    pub fn of(&self, row: u32) -> &[u32] {
        let Ok(at) = self.works.binary_search_by_key(&row, |(row, _)| *row) else { return &[] };
        let [start, end] = self.works[at].1;
        &self.members[start as usize..end as usize]
    }
}

/// The numbers of a version, to compare it with others; none of a `draft`.
fn numbers(version: &str) -> Vec<u64> {
    text::numbers(version).filter_map(|digits| digits.parse().ok()).collect()
}

/// Stands for what a document of a source is an edition of: its path without version, language, and what tells a text from its page.
pub fn work(item: &ResolvedItem, source: &str) -> Option<u64> {
    let text = |name: &str| item.fields.get(name).and_then(Value::as_str);
    let path = text("path").filter(|_| item.kind == Kind::Document)?;
    let (version, language) = (text("version"), item.language.as_deref());
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let is_of_edition = |folder: &&str| Some(*folder) == version || Some(*folder) == language;
    let mut parts: Vec<&str> = folders.split('/').filter(|folder| !is_of_edition(folder)).collect();
    // A repository may keep a text and publish it as a page: `seps/1-x.md` and `docs/seps/1-x.mdx`. Every folder has a README of its own.
    let is_twin = parts.len() > 1 && !file.to_lowercase().starts_with("readme.");
    if is_twin && parts[0] == PAGES_FOLDER {
        parts.remove(0);
    }
    let mut names: Vec<&str> = file.split('.').collect();
    // `cot.jp.mdx`, `intro.pt-BR.md`: between the name and its extension.
    let is_mark = |name: &str| {
        let letters = |part: &str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_alphabetic());
        name.split_once(['-', '_']).map_or(letters(name), |(language, country)| letters(language) && letters(country))
    };
    if language.is_some() && names.len() > 2 && is_mark(names[names.len() - 2]) {
        names.remove(names.len() - 2);
    }
    if names.len() > 1 && MARKDOWN.contains(&names[names.len() - 1]) {
        names.pop();
    }
    let name = names.join(".");
    parts.push(&name);
    let digest = hash::digest([source.as_bytes(), parts.join("/").as_bytes()]);
    Some(u64::from_le_bytes(std::array::from_fn(|at| digest[at])))
}
