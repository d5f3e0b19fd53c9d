//! Titles that a documentation's navigation gives to pages which have none of their own:
//! Nextra's `_meta.<lang>.json`, doc-builder's `_toctree.yml`, and objects with `title` and `href` in Mintlify's `docs.json`.

use std::collections::HashMap;

use serde_json::Value;

use crate::connectors::formats::json_text::RECORD_BYTES_MAX;
use crate::connectors::formats::yaml;
use crate::connectors::repository::repo::{Tree, below, file_name, folder_of, without_ending};

/// Titles by path without file ending: `pages/techniques/cot.jp`.
#[derive(Debug, Default)]
pub(super) struct Navigation {
    titles: HashMap<String, String>,
}

/// True for the files that [`Navigation::from_tree`] understands.
pub(super) fn is_navigation(path: &str) -> bool {
    let file = file_name(path);
    matches!(file, "_toctree.yml" | "_toctree.yaml" | "docs.json")
        || (file.starts_with("_meta.") && std::path::Path::new(file).extension().is_some_and(|ending| ending == "json"))
}

impl Navigation {
    /// Reads all navigation files of a tree. One that cannot be read gives no titles; pages have other sources for theirs.
    pub(super) fn from_tree(tree: &Tree) -> Self {
        let mut navigation = Self::default();
        for path in tree.files.keys().filter(|path| is_navigation(path)) {
            let Some(text) = tree.text(path).ok().filter(|text| text.len() <= RECORD_BYTES_MAX) else { continue };
            let text = text.trim_start_matches('\u{feff}');
            let (folder, file) = (folder_of(path), file_name(path));
            if let Some(middle) = file.strip_prefix("_meta.").and_then(|rest| rest.strip_suffix("json")) {
                navigation.add_meta(folder, middle.trim_end_matches('.'), text);
            } else if file == "docs.json" {
                navigation.add_objects(folder, &serde_json::from_str(text).unwrap_or_default());
            } else if let Ok(toctree) = yaml::value(text) {
                navigation.add_toctree(folder, &toctree);
            }
        }
        navigation
    }

    pub(super) fn title(&self, path: &str) -> Option<&str> {
        self.titles.get(without_ending(path)).map(String::as_str)
    }

    fn add(&mut self, folder: &str, stem: &str, title: &str) {
        self.titles.entry(below(folder, stem)).or_insert_with(|| title.trim().to_owned());
    }

    /// `{"cot": "Chain of thought", "about": {"title": "About"}}`
    fn add_meta(&mut self, folder: &str, language: &str, text: &str) {
        let Ok(Value::Object(entries)) = serde_json::from_str::<Value>(text) else { return };
        for (stem, value) in entries {
            if let Some(title) = value.as_str().or_else(|| value["title"].as_str()) {
                let stem = if language.is_empty() { stem } else { format!("{stem}.{language}") };
                self.add(folder, &stem, title);
            }
        }
    }

    /// `[{title, sections: [{local, title}]}]`
    fn add_toctree(&mut self, folder: &str, value: &Value) {
        for entry in value.as_array().into_iter().flatten() {
            if let (Some(local), Some(title)) = (entry["local"].as_str(), entry["title"].as_str()) {
                self.add(folder, local, title);
            }
            self.add_toctree(folder, &entry["sections"]);
        }
    }

    /// Objects anywhere in the navigation that carry a title and a page.
    fn add_objects(&mut self, folder: &str, value: &Value) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.add_objects(folder, value)),
            Value::Object(map) => {
                let page = map.get("href").or_else(|| map.get("page")).and_then(Value::as_str);
                if let (Some(title), Some(page)) = (map.get("title").and_then(Value::as_str), page)
                    && !page.contains("://")
                {
                    self.add(folder, page.trim_start_matches('/'), title);
                }
                map.values().for_each(|value| self.add_objects(folder, value));
            }
            _ => {}
        }
    }
}
