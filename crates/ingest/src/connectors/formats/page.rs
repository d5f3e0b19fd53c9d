//! A page of Markdown, MDX or reStructuredText as the connectors of documents read it: front matter, title, outline, size.
//! Where the page lives and what it is called when it does not say so itself is theirs to decide.

use refdesk_core::clean;
use refdesk_core::item::{Document, Heading};
use refdesk_core::text::fence::Fence;
use refdesk_core::text::headings::heading;
use refdesk_core::text::{self, FrontMatter, split_attributes};
use refdesk_core::within::within;
use serde_json::{Map, Value};

use crate::connectors::formats::headings;
use crate::connectors::formats::rst;
use crate::connectors::formats::yaml;

/// Longest title that is kept, in characters.
const TITLE_CHARS_MAX: usize = 300;
/// Lines of a page in which an HTML heading may stand that is its title.
const HTML_TITLE_LINES_MAX: usize = 60;
/// Longest summary that is kept, in characters.
const SUMMARY_CHARS_MAX: usize = 600;

/// What a page says of itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    /// `title` of the front matter.
    pub title: Option<String>,
    /// The first level-1 heading, of Markdown or as HTML.
    pub first_heading: Option<String>,
    /// `url` of the front matter, where it is a web address: where the page really lives.
    pub url: Option<String>,
    /// `url` or `path` of the front matter that starts with a slash: the page's address below its site.
    pub site_path: Option<String>,
    /// `slug` of the front matter: the last part of its address.
    pub slug: Option<String>,
    /// `license` of the front matter.
    pub license: Option<String>,
    /// `draft: true`.
    pub draft: bool,
    /// `deprecated: true`.
    pub deprecated: bool,
    /// Nothing stands after the front matter.
    pub body_is_empty: bool,
    /// The fields of a document that follow from the page alone. The summary is `description`, `summary` or `excerpt` of the front matter.
    pub document: Document,
}

impl Page {
    /// Reads a page of Markdown or MDX. Front matter that is not valid YAML or TOML is read entry by entry: one bad value must not hide
    /// a page.
    pub fn parse(text: &str) -> Self {
        let (front, body) = match FrontMatter::split(text) {
            Some((FrontMatter::Yaml(front), body)) => {
                let by_entry = || yaml::entries(front, ':', |entry| yaml::mapping(entry).ok());
                (yaml::mapping(front).unwrap_or_else(|_| by_entry().into_iter().collect()), body)
            }
            Some((FrontMatter::Toml(front), body)) => {
                let by_entry = || yaml::entries(front, '=', toml_mapping);
                (toml_mapping(front).unwrap_or_else(|| by_entry().into_iter().collect()), body)
            }
            Some((FrontMatter::Json(front), body)) => (serde_json::from_str(front).unwrap_or_default(), body),
            None => (Map::new(), text),
        };
        let page = Self::new(&front, headings::parse(text), body, text);
        Self { first_heading: html_title(body).or(page.first_heading), ..page }
    }

    /// Reads a page of reStructuredText; it has no front matter.
    pub fn read_rst(text: &str) -> Self {
        Self::new(&Map::new(), rst::headings(text), text, text)
    }

    fn new(front: &Map<String, Value>, headings: Vec<Heading>, body: &str, text: &str) -> Self {
        let word = |keys: &[&str]| {
            let found = keys.iter().find_map(|key| front.get(*key));
            found.and_then(scalar).map(|text| clean::line(&text)).filter(|text| !text.is_empty())
        };
        let title = word(&["title", "sidebarTitle"]).map(|title| split_attributes(&title).0.to_owned());
        let is_web = |url: &String| url.starts_with("https://") || url.starts_with("http://");
        let yes = |key: &str| front.get(key).is_some_and(|value| *value == Value::Bool(true) || value == "true");
        Self {
            title: title.map(|title| clean::excerpt(&title, TITLE_CHARS_MAX)),
            first_heading: first_heading(&headings),
            url: word(&["url"]).filter(is_web),
            site_path: word(&["url", "path"]).filter(|path| path.starts_with('/') && !path.starts_with("//")),
            slug: word(&["slug"]),
            license: ["license", "licence"].iter().find_map(|key| front.get(*key)).and_then(yaml::words),
            draft: yes("draft"),
            deprecated: yes("deprecated"),
            body_is_empty: body.trim().is_empty(),
            document: Document {
                summary: word(&["description", "summary", "excerpt"])
                    .map(|text| clean::excerpt(&text, SUMMARY_CHARS_MAX)),
                bytes: Some(text.len() as u64),
                token_estimate: Some(text.len() as u64 / 4),
                headings,
                ..Document::default()
            },
        }
    }

    /// The title that the page itself states: in its front matter, else as its first heading.
    pub fn own_title(&self) -> Option<&str> {
        self.title.as_deref().or(self.first_heading.as_deref())
    }

    /// The heading that its text opens with, where no other is of the same or a higher level: it stands for the whole page, as that of a
    /// chapter's section does.
    pub fn opening_heading(&self, text: &str) -> Option<String> {
        let (first, others) = self.document.headings.split_first()?;
        if others.iter().any(|other| other.level <= first.level) {
            return None;
        }
        let text = within(text).0;
        let at = refdesk_core::text::headings::headings(text).first()?.at;
        text::plain(&text[..at]).trim().is_empty().then(|| clean::excerpt(&first.text, TITLE_CHARS_MAX))
    }
}

fn first_heading(headings: &[Heading]) -> Option<String> {
    headings.iter().find(|heading| heading.level == 1).map(|heading| clean::excerpt(&heading.text, TITLE_CHARS_MAX))
}

/// The words of a level-1 heading in HTML that stands before any of Markdown, as READMEs have one to centre their title.
fn html_title(body: &str) -> Option<String> {
    let mut fence = None::<Fence>;
    let mut rest = body;
    for line in body.split_inclusive('\n').take(HTML_TITLE_LINES_MAX) {
        let is_code = fence.is_some();
        fence = Fence::below(fence, line);
        let is_underline = line.starts_with("==") && line.trim_end().bytes().all(|byte| byte == b'=');
        if !is_code && (is_underline || heading(line).is_some_and(|(level, _)| level == 1)) {
            return None;
        }
        let title = inside_h1(rest).filter(|_| !is_code).map(|inside| clean::line(&text::plain(inside)));
        if let Some(title) = title.filter(|title| !title.is_empty()) {
            return Some(clean::excerpt(&title, TITLE_CHARS_MAX));
        }
        rest = &rest[line.len()..];
    }
    None
}

/// What stands inside of an `<h1>` that a text begins with.
fn inside_h1(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let named = text.get(..3).filter(|name| name.eq_ignore_ascii_case("<h1"))?;
    let (attributes, inside) = text[named.len()..].split_once('>')?;
    let is_whole = attributes.is_empty() || attributes.starts_with(|c: char| c.is_ascii_whitespace());
    let end = inside.find("</h1>").or_else(|| inside.find("</H1>"))?;
    Some(&inside[..end]).filter(|_| is_whole)
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn toml_mapping(front: &str) -> Option<Map<String, Value>> {
    if front.len() > yaml::TEXT_BYTES_MAX { None } else { toml::from_str(front).ok() }
}

#[cfg(test)]
mod tests {
    use super::Page;

    #[test]
    fn a_page_with_broken_front_matter_keeps_its_title() {
        let page = Page::parse("---\ntitle: Lamps: a guide\ndescription: How: they shine\n---\n\n# Lamps\n");
        assert_eq!(page.title.as_deref(), Some("Lamps: a guide"));
        assert_eq!(page.first_heading.as_deref(), Some("Lamps"));
    }

    #[test]
    fn a_title_may_be_html_if_it_stands_before_all_of_markdown() {
        let title = |text: &str| Page::parse(text).own_title().map(str::to_owned);
        let lamps = Some("Lamps & oil".to_owned());
        assert_eq!(
            title("<p>\n<h1 align=\"center\">\n  <img src=\"l.png\"> Lamps &amp; <b>oil</b>\n</h1>\n\n# Install\n"),
            lamps
        );
        assert_eq!(title("<H1>Lamps &amp; oil</H1>\n\nText\n"), lamps);
        let install = Some("Install".to_owned());
        assert_eq!(title("<h1><img src=\"l.png\"></h1>\n\n# Install\n\n<h1>Late</h1>\n"), install);
        assert_eq!(title("```html\n<h1>Code</h1>\n```\n\n# Install\n"), install);
        assert_eq!(title("Install\n=======\n\n<h1>Late</h1>\n"), install);
        assert_eq!(title(&format!("{}<h1>Late</h1>\n", "text\n".repeat(super::HTML_TITLE_LINES_MAX))), None);
        assert_eq!(title("<h1x>Other</h1x>\nText\n"), None);
        assert_eq!(title("---\ntitle: Stated\n---\n<h1>Other</h1>\n").as_deref(), Some("Stated"));
    }

    #[test]
    fn toml_front_matter_is_read_as_yaml_is() {
        let page = Page::parse(
            "+++\ntitle = \"Lamps { #lamps }\"\ndescription = 'How they shine'\ndraft = true\nslug = \"shine\"\ndate = 2026-01-02\n\
             [extra]\ntitle = \"no\"\n+++\n\n# Other\n",
        );
        assert_eq!(page.title.as_deref(), Some("Lamps"));
        assert_eq!((page.document.summary.as_deref(), page.slug.as_deref()), (Some("How they shine"), Some("shine")));
        assert_eq!((page.draft, page.body_is_empty), (true, false));
        let broken = Page::parse("+++\ntitle = \"Lamps\"\nweight = 1 2\n+++\nWords.\n");
        assert_eq!(broken.title.as_deref(), Some("Lamps"));
    }

    #[test]
    fn a_page_that_only_points_elsewhere_is_empty() {
        let page = Page::parse("---\ntitle: Runtime\nurl: https://lamp.example/runtime/\n---");
        assert!(page.body_is_empty);
        assert_eq!(page.url.as_deref(), Some("https://lamp.example/runtime/"));
    }
}
