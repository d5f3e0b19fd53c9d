//! What the path of a page tells: language, version, section, and the page's address without order numbers and file endings. Some of it only
//! the paths of the other pages tell ([`Neighbours`]).

use std::collections::{HashMap, HashSet};

use crate::connectors::repository::repo::without_ending;

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

/// The codes of the languages that are read from paths.
const LANGUAGES: [&str; 21] = [
    "ar", "bn", "cs", "en", "es", "fi", "fr", "hu", "ja", "ko", "nl", "pl", "pt", "ro", "ru", "sv", "th", "tr", "uk",
    "vi", "zh",
];
/// Codes that are also words or names: `api/id` is about ids, unless another language has the same place.
const ORDINARY_WORDS: [&str; 10] = ["ca", "da", "de", "el", "fa", "he", "hi", "id", "it", "no"];
/// Codes of the languages in which few write documentation: most folders of these names are something else (`ml`, `az`), and tell nothing
/// of each other.
const RARE: [&str; 40] = [
    "af", "am", "az", "be", "bg", "bs", "cy", "et", "eu", "ga", "gl", "gu", "hr", "hy", "is", "ka", "kk", "km", "kn",
    "lt", "lv", "mk", "ml", "mn", "mr", "ms", "my", "nb", "ne", "nn", "pa", "si", "sk", "sl", "sq", "sr", "ta", "te",
    "tl", "ur",
];

/// The BCP 47 tag of a language code as paths write it (`jp`, `zh_TW`, `en-us`).
pub fn language_tag(code: &str) -> Option<String> {
    let folded = code.to_ascii_lowercase().replace('_', "-");
    let (language, region) = folded.split_once('-').map_or((folded.as_str(), None), |(code, rest)| (code, Some(rest)));
    let language = match language {
        // Codes of the countries, which many take for those of the languages.
        "jp" => "ja",
        "kr" => "ko",
        language => language,
    };
    let known = LANGUAGES.iter().chain(&ORDINARY_WORDS).chain(&RARE).find(|known| **known == language)?;
    match region {
        None => Some((*known).to_owned()),
        Some("hans") => Some(format!("{known}-Hans")),
        Some("hant") => Some(format!("{known}-Hant")),
        Some(region) if region.len() == 2 && region.bytes().all(|b| b.is_ascii_alphabetic()) => {
            Some(format!("{known}-{}", region.to_ascii_uppercase()))
        }
        Some(_) => None,
    }
}

/// Whether the language of a tag is one of these.
fn is_of(tag: &str, languages: &[&str]) -> bool {
    languages.contains(&tag.split('-').next().unwrap_or(tag))
}

/// The language code that a folder's name is or ends with, and what stands before it: (`pages`, `de`) of `pages.de`.
fn code_of_folder(folder: &str, depth: usize) -> Option<(&str, String)> {
    let whole = language_tag(folder).filter(|_| depth < LANGUAGE_FOLDER_DEPTH).map(|tag| ("", tag));
    whole.or_else(|| folder.split_once('.').and_then(|(base, code)| Some((base, language_tag(code)?))))
}

/// The same of a file's name without its ending.
fn code_of_stem(stem: &str) -> Option<(&str, String)> {
    stem.rsplit_once('.').and_then(|(base, code)| Some((base, language_tag(code)?)))
}

/// Each part of a path that may name a language: the place in which it could be another one, and its code, or "" for none.
fn places(path: &str) -> Vec<(String, String)> {
    let (folders, file) = path.rsplit_once('/').map_or(("", path), |(folders, file)| (folders, file));
    let mut places = Vec::new();
    let mut above = String::new();
    for (depth, folder) in folders.split('/').filter(|folder| !folder.is_empty()).enumerate() {
        let (base, tag) = code_of_folder(folder, depth).unwrap_or((folder, String::new()));
        places.push((place(&above, base), tag));
        above = format!("{above}{folder}/");
    }
    let stem = without_ending(file);
    let (base, tag) = code_of_stem(stem).unwrap_or((stem, String::new()));
    places.push((place(&above, base), tag));
    places
}

/// `docs/` and `start` of `docs/start.de.md`; `docs/` and nothing of `docs/de/start.md`.
fn place(above: &str, base: &str) -> String {
    format!("{above}{base}.")
}

/// Whether a code is also a word or a name.
fn is_word(tag: &str) -> bool {
    is_of(tag, &ORDINARY_WORDS) || is_of(tag, &RARE)
}

/// Whether a path has a part that only its neighbours tell to be a language.
pub(super) fn is_ambiguous(path: &str) -> bool {
    places(path).iter().any(|(_, tag)| is_word(tag))
}

/// What the paths of a source tell about each other.
#[derive(Debug, Default)]
pub(super) struct Neighbours<'a> {
    /// Folders of [`numbered_by_name`].
    numbered: HashSet<&'a str>,
    /// The codes in the places of those that are words; "" is a page without one.
    codes: HashMap<String, HashSet<String>>,
}

impl<'a> Neighbours<'a> {
    pub(super) fn of(paths: impl Iterator<Item = &'a str> + Clone) -> Self {
        let words = paths.clone().flat_map(places).filter(|(_, tag)| is_word(tag));
        let mut codes: HashMap<String, HashSet<String>> = words.map(|(at, _)| (at, HashSet::new())).collect();
        for (at, tag) in paths.clone().flat_map(places) {
            if let Some(codes) = codes.get_mut(&at) {
                codes.insert(tag);
            }
        }
        Self { numbered: numbered_by_name(paths), codes }
    }

    /// Whether a code names a language where it stands: one that is a word as well only beside another, or where languages are kept.
    fn is_language(&self, above: &str, base: &str, tag: &str) -> bool {
        let tells = |other: &String| other != tag && !is_of(other, &RARE);
        !is_word(tag)
            || above.ends_with("i18n/")
            || self.codes.get(&place(above, base)).is_some_and(|codes| codes.iter().any(tells))
    }
}

/// Folders whose files carry numbers that are names, not an order: one of them has four digits or more (`1024-security.md`).
fn numbered_by_name<'a>(paths: impl Iterator<Item = &'a str>) -> HashSet<&'a str> {
    let long = paths.filter_map(|path| {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        let digits = file.bytes().take_while(u8::is_ascii_digit).count();
        let rest = file[digits..].trim_start_matches('-');
        (digits >= 4 && rest.starts_with(|c: char| c.is_alphabetic())).then_some(folder)
    });
    long.collect()
}

/// Takes a path apart.
pub(super) fn parts(path: &str, neighbours: &Neighbours<'_>) -> Parts {
    let (folders, file) = path.rsplit_once('/').map_or(("", path), |(folders, file)| (folders, file));
    let mut parts = Parts::default();
    let mut section: Vec<&str> = Vec::new();
    let mut above = String::new();
    for (depth, folder) in folders.split('/').filter(|folder| !folder.is_empty()).enumerate() {
        let name = without_number(folder);
        let code = code_of_folder(folder, depth).filter(|(base, tag)| neighbours.is_language(&above, base, tag));
        if is_version(name) {
            parts.version = Some(name.strip_prefix(VERSION).unwrap_or(name).to_owned());
        } else if let Some((_, tag)) = code {
            parts.language = Some(tag);
        } else if !(section.is_empty() && ROOTS.contains(&name)) {
            section.push(name);
        }
        parts.address.push(name.to_owned());
        above = format!("{above}{folder}/");
    }
    let stem = without_ending(file);
    let stem = match code_of_stem(stem).filter(|(base, tag)| neighbours.is_language(&above, base, tag)) {
        Some((stem, tag)) => {
            parts.language = Some(tag);
            parts.language_by_suffix = true;
            stem
        }
        None => stem,
    };
    parts.stem = if neighbours.numbered.contains(folders) { stem.to_owned() } else { without_number(stem).to_owned() };
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

/// What Docusaurus writes before versions: `version-2.0`.
const VERSION: &str = "version-";

/// `2025-06-18`, `draft`, `v2`, `v1.2`, `1.2.x`, `version-2`.
fn is_version(name: &str) -> bool {
    let is_date = name.len() == 10 && refdesk_core::Stamp::from_date(name).is_some();
    let marked = name.strip_prefix(VERSION).or_else(|| name.strip_prefix('v'));
    let number = marked.unwrap_or(name).trim_end_matches(".x");
    let is_number = number.starts_with(|c: char| c.is_ascii_digit())
        && number.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && (marked.is_some() || name.contains('.'));
    is_date || is_number || name == "draft"
}

#[cfg(test)]
mod tests {
    use super::{Neighbours, parts};

    fn check(path: &str, section: Option<&str>, language: Option<&str>, version: Option<&str>, address: &str) {
        check_among(
            &["seps/1024-security.md", "seps/990-policy.md", "docs/2025-06-18/a.md"],
            path,
            section,
            language,
            version,
            address,
        );
    }

    fn check_among(
        paths: &[&str],
        path: &str,
        section: Option<&str>,
        language: Option<&str>,
        version: Option<&str>,
        address: &str,
    ) {
        let parts = parts(path, &Neighbours::of(paths.iter().copied().chain([path])));
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
        check(
            "versioned_docs/version-2.0.x/a.md",
            Some("versioned_docs"),
            None,
            Some("2.0.x"),
            "versioned_docs/version-2.0.x/a",
        );
        check("docs/3.10/a.md", None, None, Some("3.10"), "docs/3.10/a");
        check("docs/3/2.x/a.x/b.md", Some("3/a.x"), None, Some("2.x"), "docs/3/2.x/a.x/b");
        check("files/en-us/web/a.md", Some("files/web"), Some("en-US"), None, "files/en-us/web/a");
        check("i18n/zh_hant/a.md", Some("i18n"), Some("zh-Hant"), None, "i18n/zh_hant/a");
        check("docs/a.pt-br.md", None, Some("pt-BR"), None, "docs/a");
        check("docs/no-op/en-core/a.md", Some("no-op/en-core"), None, None, "docs/no-op/en-core/a");
    }

    #[test]
    fn a_word_is_a_language_only_beside_another_one_or_among_translations() {
        check("api/id/index.md", Some("api/id"), None, None, "api/id/index");
        check("docs/yes-or.no.md", None, None, None, "docs/yes-or.no");
        check("pages.it/tar.md", Some("pages.it"), None, None, "pages.it/tar");
        for (beside, path, section, language, address) in [
            ("api/ja/index.md", "api/id/index.md", Some("api"), Some("id"), "api/id/index"),
            ("api/index.md", "api/id/index.md", Some("api/id"), None, "api/id/index"),
            ("docs/it/b.md", "docs/de/a.md", None, Some("de"), "docs/de/a"),
            ("docs/en/b.md", "docs/api/id/a.md", Some("api/id"), None, "docs/api/id/a"),
            ("docs/start.fr.md", "docs/start.no.md", None, Some("no"), "docs/start"),
            ("docs/start.md", "docs/start.no.md", None, Some("no"), "docs/start"),
            ("docs/other.fr.md", "docs/start.no.md", None, None, "docs/start.no"),
            ("docs/fr/b.md", "docs/de-de/a.md", None, Some("de-DE"), "docs/de-de/a"),
            ("docs/en/b.md", "docs/sk/a.md", None, Some("sk"), "docs/sk/a"),
            ("docs/az/b.md", "docs/ml/a.md", Some("ml"), None, "docs/ml/a"),
            ("pages/tar.md", "pages.it/tar.md", None, Some("it"), "pages.it/tar"),
            ("docs/a.md", "i18n/de/current/a.md", Some("i18n/current"), Some("de"), "i18n/de/current/a"),
        ] {
            check_among(&[beside], path, section, language, None, address);
        }
    }
}
