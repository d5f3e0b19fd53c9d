//! The licence of an item of a repository: the nearest `LICENSE*`, `LICENCE*` or `COPYING*` file from the item's folder upwards, and
//! `license` in its front matter. It wins over the licence of the source.
//!
//! Texts are told by their telling lines ([`text`]), front matter by names ([`stated`]). Where a licence forbids to pass the item on, or
//! its file cannot be read, the body is withheld, unless the operator says otherwise (`serve_restricted`). When in doubt this module
//! says `unknown`, which withholds nothing: it never invents a prohibition.

mod stated;
mod text;

use std::collections::BTreeMap;

use refdesk_core::fact::RecordWithheld;
use refdesk_core::item::Item;
use refdesk_core::{Body, Fact};

pub use self::stated::NAME_CHARS_MAX;
use self::stated::Stated;
use crate::connectors::formats::tree::{Tree, file_name, folder_of, utf8, with_ancestors};

/// Largest licence file that is read. The longest licence in use has a tenth of it.
pub const FILE_BYTES_MAX: usize = 512 << 10;
/// The word by which a body that a licence withholds is said to be missing.
pub const BODY_MISSING: &str = "licence";
/// Beginnings of the names of licence files.
const NAMES: [&str; 4] = ["LICENSE", "LICENCE", "COPYING", "UNLICENSE"];
/// Endings of licence files that are no part of a licence's name.
const TEXT_ENDINGS: [&str; 4] = ["txt", "md", "rst", "markdown"];

/// What a licence lets others do with an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Licence {
    /// A licence by its SPDX id, or as the front matter names it.
    Named(String),
    /// There is a licence, and it is none that this module knows.
    Unknown,
    /// All rights are reserved, or passing on is forbidden.
    Proprietary,
    /// There is a licence file that cannot be read.
    Unreadable,
}

impl Licence {
    /// How it is shown.
    pub fn label(&self) -> &str {
        match self {
            Self::Named(name) => name,
            Self::Unknown => "unknown",
            Self::Proprietary => "proprietary",
            Self::Unreadable => "unreadable",
        }
    }

    /// True when the item may not be passed on, as far as anyone can tell.
    pub const fn withholds(&self) -> bool {
        matches!(self, Self::Proprietary | Self::Unreadable)
    }

    fn of_file(bytes: &[u8]) -> Self {
        match utf8(bytes) {
            Ok(text) if bytes.len() <= FILE_BYTES_MAX && !text.trim().is_empty() => text::licence(text),
            _ => Self::Unreadable,
        }
    }
}

/// The fact with its licence, where one is told: its name, and what follows from it for body and record.
pub fn applied(licence: Option<Licence>, mut fact: Fact, serve_restricted: bool) -> Fact {
    let Some(licence) = licence else { return fact };
    if licence.withholds() && !serve_restricted {
        fact.provenance.record_withheld = Some(RecordWithheld::Licence);
        if matches!(fact.body, Body::Record | Body::Markdown(_)) {
            fact.body = Body::Missing(BODY_MISSING.into());
        }
        if let Item::Framework(framework) = &mut fact.item {
            // A framework keeps its text in its fields.
            framework.prompt = None;
            framework.output = None;
            framework.steps.clear();
            fact.head.status = framework.publication_score().status();
        }
    }
    fact.provenance.license = Some(licence.label().to_owned());
    fact
}

/// True for the path of a licence file. In lower case, a page below the top folder (`docs/license.md`) is a page about licences.
pub fn is_file(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let upper = name.to_ascii_uppercase();
    let Some(rest) = NAMES.iter().find_map(|known| upper.strip_prefix(known)) else { return false };
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_text = TEXT_ENDINGS.contains(&ending.to_ascii_lowercase().as_str());
    let is_plain_name = ending.is_empty() || ending.eq_ignore_ascii_case("txt");
    let is_shouted = name.starts_with(|c: char| c.is_ascii_uppercase());
    // `LICENSE.MIT` names a licence, `license.py` is code.
    let ends_well = is_text || !ending.bytes().any(|b| b.is_ascii_lowercase());
    (rest.is_empty() || rest.starts_with(['.', '-', '_']))
        && ends_well
        && (folder.is_empty() || is_plain_name || is_shouted)
}

/// True for `LICENSE`, `LICENSE.txt`, …: the licence of the folder; `LICENSE-MIT` is one of several.
fn is_plain(path: &str) -> bool {
    let name = file_name(path);
    let stem = name.rsplit_once('.').filter(|(_, ending)| TEXT_ENDINGS.contains(&ending.to_ascii_lowercase().as_str()));
    let stem = stem.map_or(name, |(stem, _)| stem).to_ascii_uppercase();
    NAMES.contains(&stem.as_str())
}

/// The licences of a repository by folder.
#[derive(Debug, Default)]
pub struct Licences {
    by_folder: BTreeMap<String, Licence>,
}

impl Licences {
    /// Reads the licence files of a tree, also those that are links to others.
    pub fn from_tree(tree: &Tree) -> Self {
        let mut found: BTreeMap<String, Vec<(&str, Licence)>> = BTreeMap::new();
        let paths = tree.files.keys().chain(tree.refused.keys()).chain(tree.links.keys());
        for path in paths.filter(|path| is_file(path)) {
            let licence = tree.content(path).map_or(Licence::Unreadable, |bytes| Licence::of_file(bytes));
            let folder = folder_of(path);
            found.entry(folder.to_owned()).or_default().push((path, licence));
        }
        Self { by_folder: found.into_iter().map(|(folder, files)| (folder, together(files))).collect() }
    }

    /// The licence of what lies in `folder` and says `front_matter` of its licence; `None` when nothing tells it.
    pub fn of_item(&self, folder: &str, front_matter: Option<&str>) -> Option<Licence> {
        let own = self.by_folder.get(folder).filter(|licence| licence.withholds());
        match front_matter.and_then(stated::parse) {
            Some(Stated::Licence(stated)) => Some(own.cloned().unwrap_or(stated)),
            Some(Stated::SeeFile) => Some(self.nearest(folder).cloned().unwrap_or(Licence::Unknown)),
            None => self.nearest(folder).cloned(),
        }
    }

    fn nearest(&self, folder: &str) -> Option<&Licence> {
        with_ancestors(folder).find_map(|folder| self.by_folder.get(folder))
    }
}

/// The licence of a folder with several licence files: that of its plain ones; of `LICENSE-MIT` beside `LICENSE-APACHE`, either.
fn together(files: Vec<(&str, Licence)>) -> Licence {
    let has_plain = files.iter().any(|(path, _)| is_plain(path));
    let mut counted: Vec<Licence> = Vec::new();
    for (path, licence) in files {
        if (is_plain(path) || !has_plain) && !counted.contains(&licence) {
            counted.push(licence);
        }
    }
    if let Some(at) = counted.iter().position(Licence::withholds) {
        return counted.swap_remove(at);
    }
    match counted.as_slice() {
        [one] => one.clone(),
        several if !has_plain && several.iter().all(|licence| matches!(licence, Licence::Named(_))) => {
            Licence::Named(several.iter().map(Licence::label).collect::<Vec<_>>().join(" OR "))
        }
        _ => Licence::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::{is_file, is_plain};

    #[test]
    fn licence_files_are_told_from_code_and_pages() {
        for path in [
            "LICENSE",
            "license",
            "LICENSE.md",
            "a/LICENSE.txt",
            "a/LICENCE",
            "COPYING.LESSER",
            "LICENSE-MIT",
            "a/license",
        ] {
            assert!(is_file(path), "{path}");
        }
        for path in
            ["docs/license.md", "src/license.rs", "LICENSES.md", "license.py", "a/licensing.txt", "licenseheader.txt"]
        {
            assert!(!is_file(path), "{path}");
        }
        assert!(
            is_plain("a/LICENSE.txt")
                && is_plain("COPYING")
                && !is_plain("LICENSE-MIT")
                && !is_plain("LICENSE.enterprise")
        );
    }
}
