//! What the path of a page tells: language, version, section, and the page's address without order numbers and file endings.

use std::collections::HashSet;

/// A path taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Parts {
    /// Folders without numeric prefixes, languages, versions and generic roots: `ai-sdk-core`.
    pub section: Option<String>,
    /// BCP 47 tag.
    pub language: Option<String>,
    /// True when the language stands in the file's name (`index.zh.mdx`).
    pub language_by_suffix: bool,
    /// `2025-06-18`, `v2`, `draft`.
    pub version: Option<String>,
    /// The file's name without prefix, language and ending: `generating-text`.
    pub stem: String,
    /// Address below the repository: every folder and the stem without numeric prefixes and language suffix.
    pub address: Vec<String>,
}

/// Folders that only say "here are the pages".
const ROOTS: [&str; 6] = ["docs", "content", "src", "pages", "source", "doc"];
/// A language folder stands near the top.
const LANGUAGE_FOLDER_DEPTH: usize = 4;

/// The BCP 47 tags of the languages that are read from paths.
const LANGUAGES: [&str; 36] = [
    "ar", "bn", "ca", "cs", "da", "de", "el", "en", "es", "fa", "fi", "fr", "he", "hi", "hu", "id", "it", "ja", "ko",
    "nl", "no", "pl", "pt", "pt-BR", "ro", "ru", "sv", "th", "tr", "uk", "vi", "zh", "zh-CN", "zh-TW", "zh-Hans",
    "zh-Hant",
];

/// The BCP 47 tag of a language code as paths write it (`jp`, `zh_TW`).
pub(super) fn language_tag(code: &str) -> Option<&'static str> {
    let folded = code.to_ascii_lowercase().replace('_', "-");
    let tag = match folded.as_str() {
        // Codes of the countries, which many take for those of the languages.
        "jp" => "ja",
        "kr" => "ko",
        tag => tag,
    };
    LANGUAGES.into_iter().find(|known| known.eq_ignore_ascii_case(tag))
}

/// Folders whose files carry numbers that are names, not an order: one of them has four digits or more (`1024-security.md`).
pub(super) fn numbered_by_name<'a>(paths: impl Iterator<Item = &'a str>) -> HashSet<&'a str> {
    let long = paths.filter_map(|path| {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        let digits = file.bytes().take_while(u8::is_ascii_digit).count();
        let rest = file[digits..].trim_start_matches('-');
        (digits >= 4 && rest.starts_with(|c: char| c.is_alphabetic())).then_some(folder)
    });
    long.collect()
}

/// Takes a path apart. `named` are the folders of [`numbered_by_name`].
pub(super) fn parts(path: &str, named: &HashSet<&str>) -> Parts {
    let (folders, file) = path.rsplit_once('/').map_or(("", path), |(folders, file)| (folders, file));
    let mut parts = Parts::default();
    let mut section: Vec<&str> = Vec::new();
    for (depth, folder) in folders.split('/').filter(|folder| !folder.is_empty()).enumerate() {
        let name = without_number(folder);
        if is_version(name) {
            parts.version = Some(name.to_owned());
        } else if let Some(tag) = language_tag(folder).filter(|_| depth < LANGUAGE_FOLDER_DEPTH) {
            parts.language = Some(tag.to_owned());
        } else if let Some(tag) = folder.split_once('.').and_then(|(_, code)| language_tag(code)) {
            parts.language = Some(tag.to_owned());
        } else if !(section.is_empty() && ROOTS.contains(&name)) {
            section.push(name);
        }
        parts.address.push(name.to_owned());
    }
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let stem = match stem.rsplit_once('.').and_then(|(stem, code)| Some((stem, language_tag(code)?))) {
        Some((stem, tag)) => {
            parts.language = Some(tag.to_owned());
            parts.language_by_suffix = true;
            stem
        }
        None => stem,
    };
    parts.stem = if named.contains(folders) { stem.to_owned() } else { without_number(stem).to_owned() };
    parts.address.push(parts.stem.clone());
    parts.section = (!section.is_empty()).then(|| section.join("/"));
    parts
}

impl Parts {
    /// What an id is made of: the address without a generic root folder, and without `index`.
    pub(super) fn short_address(&self) -> String {
        let mut address: Vec<&str> = self.address.iter().map(String::as_str).collect();
        if address.len() > 1 && ROOTS.contains(&address[0]) {
            address.remove(0);
        }
        if address.len() > 1 && self.is_index() {
            address.pop();
        }
        address.join("-")
    }

    /// True for the page of a folder.
    pub(super) fn is_index(&self) -> bool {
        matches!(self.stem.as_str(), "index" | "_index" | "README" | "readme")
    }

    /// The name that a reader would give the page when nothing else does: `generating text`.
    pub(super) fn spoken(&self) -> String {
        let folder = self.address.len().checked_sub(2).and_then(|at| self.address.get(at));
        let name = if self.is_index() { folder.unwrap_or(&self.stem) } else { &self.stem };
        name.replace(['-', '_'], " ")
    }
}

/// `03-ai-sdk-core` without its order. A date and a bare number stay.
fn without_number(name: &str) -> &str {
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    match name[digits..].strip_prefix(['-', '_']) {
        Some(rest) if (1..=3).contains(&digits) && rest.starts_with(|c: char| c.is_alphabetic()) => rest,
        _ => name,
    }
}

/// `2025-06-18`, `draft`, `v2`, `v1.2`.
fn is_version(name: &str) -> bool {
    let is_date = name.len() == 10 && refdesk_core::Stamp::from_date(name).is_some();
    let is_number = name.strip_prefix('v').is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_digit()) && rest.bytes().all(|b| b.is_ascii_digit() || b == b'.')
    });
    is_date || is_number || name == "draft"
}

#[cfg(test)]
mod tests {
    use super::{numbered_by_name, parts};

    fn check(path: &str, section: Option<&str>, language: Option<&str>, version: Option<&str>, address: &str) {
        let named =
            numbered_by_name(["seps/1024-security.md", "seps/990-policy.md", "docs/2025-06-18/a.md"].into_iter());
        let parts = parts(path, &named);
        assert_eq!(
            (
                parts.section.as_deref(),
                parts.language.as_deref(),
                parts.version.as_deref(),
                parts.address.join("/").as_str()
            ),
            (section, language, version, address),
            "{path}"
        );
    }

    #[test]
    fn a_path_tells_section_language_version_and_address() {
        check("content/docs/03-core/05-text.mdx", Some("core"), None, None, "content/docs/core/text");
        check(
            "docs/specification/2025-06-18/basic/index.mdx",
            Some("specification/basic"),
            None,
            Some("2025-06-18"),
            "docs/specification/2025-06-18/basic/index",
        );
        check(
            "docs/specification/draft/index.mdx",
            Some("specification"),
            None,
            Some("draft"),
            "docs/specification/draft/index",
        );
        check("pages/techniques/cot.jp.mdx", Some("techniques"), Some("ja"), None, "pages/techniques/cot");
        check("pages/index.kr.mdx", None, Some("ko"), None, "pages/index");
        check("pages.zh_TW/common/tar.md", Some("common"), Some("zh-TW"), None, "pages.zh_TW/common/tar");
        check("docs/pt-BR/start.md", None, Some("pt-BR"), None, "docs/pt-BR/start");
        check("seps/1024-security.md", Some("seps"), None, None, "seps/1024-security");
        check("seps/990-policy.md", Some("seps"), None, None, "seps/990-policy");
        check("blog/2025-07-29-prompts.md", Some("blog"), None, None, "blog/2025-07-29-prompts");
        check("README.md", None, None, None, "README");
    }
}
