//! Where an entry of a list stands, and whether servers stand there.

use std::collections::BTreeSet;

/// What headings call servers of the makers of what they serve, and of others.
pub(super) const OFFICIAL: &str = "official";
pub(super) const COMMUNITY: &str = "community";

/// The headings above an entry, outermost first.
#[derive(Default, Clone)]
pub(super) struct Section {
    pub(super) path: Vec<(u8, String)>,
    pub(super) anchor: String,
}

impl Section {
    /// A section by the titles of its headings, outermost first.
    pub(super) fn new(titles: Vec<String>) -> Self {
        Self { path: titles.into_iter().map(|title| (0, title)).collect(), anchor: String::new() }
    }

    pub(super) fn enter(&mut self, level: u8, title: String, anchor: String) {
        self.path.retain(|(above, _)| *above < level);
        self.path.push((level, title));
        self.anchor = anchor;
    }

    /// The innermost heading without its emoji.
    pub(super) fn title(&self) -> &str {
        self.path.last().map_or("", |(_, title)| title)
    }

    /// Whether entries below these headings are neither servers nor tools: one of them is called as one of `others` (in lower case), and none
    /// above it speaks of servers, other than the title of the page. Whether `Community` stands for people to talk to or for whose servers they
    /// are, tells an `Official` beside it; `beside_official` are the [`Section::beside_official`] of the list.
    pub(super) fn lists_others(&self, others: &[String], beside_official: &BTreeSet<Vec<(u8, String)>>) -> bool {
        for (at, (level, title)) in self.path.iter().enumerate() {
            let title = title.to_lowercase();
            if is_of(&title, others) {
                return !(title == COMMUNITY && beside_official.contains(&self.path[..at]));
            }
            let mut words = title.split(|c: char| !c.is_alphanumeric());
            if *level > 1 && words.any(|word| matches!(word, "server" | "servers")) {
                return false;
            }
        }
        false
    }

    /// The headings above one that says `Official` and no more: one of `Official Servers` would be beside `Community Servers`.
    pub(super) fn beside_official(&self) -> Option<Vec<(u8, String)>> {
        let at = self.path.iter().position(|(_, title)| title.to_lowercase() == OFFICIAL)?;
        Some(self.path[..at].to_vec())
    }

    pub(super) fn has(&self, test: impl Fn(&str) -> bool) -> bool {
        self.path.iter().any(|(_, title)| test(&title.to_lowercase()))
    }
}

/// Whether a title (in lower case) is one of these, or several of them in one: `MCP Tutorials & Articles`.
fn is_of(title: &str, names: &[String]) -> bool {
    let is_name = |title: &str| names.iter().any(|name| name == title);
    let each = || title.split([',', '&', '/']).flat_map(|part| part.split(" and ")).map(str::trim);
    is_name(title) || each().all(|part| is_name(part) || is_name(part.strip_prefix("mcp ").unwrap_or(part)))
}
