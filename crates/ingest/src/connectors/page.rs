//! A Markdown or MDX page as the connectors of documents read it: front matter, title, outline, size.
//! Where the page lives and what it is called when it does not say so itself is theirs to decide.

use refdesk_core::clean;
use refdesk_core::item::{Document, Heading};
use refdesk_core::text::split_front_matter;
use serde_json::{Map, Value};

use super::{headings, yaml};

/// Longest title and summary that are kept, in characters.
const TITLE_CHARS_MAX: usize = 300;
const SUMMARY_CHARS_MAX: usize = 600;

/// What a page says of itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    /// `title` of the front matter.
    pub title: Option<String>,
    /// The first level-1 heading.
    pub first_heading: Option<String>,
    /// `description`, `summary` or `excerpt` of the front matter.
    pub summary: Option<String>,
    /// `url` of the front matter, where it is a web address: where the page really lives.
    pub url: Option<String>,
    /// `draft: true`.
    pub draft: bool,
    /// `deprecated: true`.
    pub deprecated: bool,
    /// Nothing stands after the front matter.
    pub body_is_empty: bool,
    /// The outline.
    pub headings: Vec<Heading>,
    /// Size of the page.
    pub bytes: u64,
}

impl Page {
    /// Reads a page. Front matter that is not valid YAML is read line by line: one bad value must not hide a page.
    pub fn read(text: &str) -> Self {
        let (front, body) = split_front_matter(text).map_or((None, text), |(front, body)| (Some(front), body));
        let front = front.map_or_else(Map::new, |front| yaml::mapping(front).unwrap_or_else(|_| line_by_line(front)));
        let headings = headings::of(text);
        let word = |keys: &[&str]| {
            let found = keys.iter().find_map(|key| front.get(*key));
            found.and_then(scalar).map(|text| clean::line(&text)).filter(|text| !text.is_empty())
        };
        let yes = |key: &str| front.get(key).is_some_and(|value| *value == Value::Bool(true) || value == "true");
        Self {
            title: word(&["title", "sidebarTitle"]).map(|title| clean::excerpt(&title, TITLE_CHARS_MAX)),
            first_heading: first_heading(&headings),
            summary: word(&["description", "summary", "excerpt"]).map(|text| clean::excerpt(&text, SUMMARY_CHARS_MAX)),
            url: word(&["url"]).filter(|url| url.starts_with("https://") || url.starts_with("http://")),
            draft: yes("draft"),
            deprecated: yes("deprecated"),
            body_is_empty: body.trim().is_empty(),
            headings,
            bytes: text.len() as u64,
        }
    }

    /// The fields of a document that follow from the page alone.
    pub fn document(&self) -> Document {
        Document {
            summary: self.summary.clone(),
            bytes: Some(self.bytes),
            token_estimate: Some(self.bytes / 4),
            headings: self.headings.clone(),
            ..Document::default()
        }
    }
}

fn first_heading(headings: &[Heading]) -> Option<String> {
    headings.iter().find(|heading| heading.level == 1).map(|heading| clean::excerpt(&heading.text, TITLE_CHARS_MAX))
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// `key: value` lines of front matter that is no YAML.
fn line_by_line(front: &str) -> Map<String, Value> {
    let pairs = front
        .lines()
        .filter_map(|line| line.split_once(':'))
        .filter(|(key, _)| !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'));
    pairs
        .map(|(key, value)| (key.to_owned(), Value::String(value.trim().trim_matches(['"', '\'']).to_owned())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::Page;

    #[test]
    fn a_page_with_broken_front_matter_keeps_its_title() {
        let page = Page::read("---\ntitle: Lamps: a guide\ndescription: How: they shine\n---\n\n# Lamps\n");
        assert_eq!(page.title.as_deref(), Some("Lamps: a guide"));
        assert_eq!(page.first_heading.as_deref(), Some("Lamps"));
    }

    #[test]
    fn a_page_that_only_points_elsewhere_is_empty() {
        let page = Page::read("---\ntitle: Runtime\nurl: https://lamp.example/runtime/\n---");
        assert!(page.body_is_empty);
        assert_eq!(page.url.as_deref(), Some("https://lamp.example/runtime/"));
    }
}
