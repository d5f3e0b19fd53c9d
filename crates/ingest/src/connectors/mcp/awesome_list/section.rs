//! Where an entry of a list stands.

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

    pub(super) fn has(&self, test: impl Fn(&str) -> bool) -> bool {
        self.path.iter().any(|(_, title)| test(&title.to_lowercase()))
    }
}
