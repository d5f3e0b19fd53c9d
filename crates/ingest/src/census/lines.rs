//! Bullets and links of a text, told line by line.

use super::CensusCount;
use crate::connectors::LineRule;

impl LineRule {
    /// Counts what a text holds.
    pub(super) fn count(self, body: &[u8]) -> CensusCount {
        let text = String::from_utf8_lossy(body);
        let mut counted = CensusCount::default();
        match self {
            Self::Bullets => {
                counted.add("bullets", outside_of_fences(&text).filter(|line| is_bullet(line)).count());
            }
            Self::LinksOfIndex => {
                counted.add("texts", 1);
                counted.add("lines with a link", outside_of_fences(&text).filter(|line| line.contains("](")).count());
            }
        }
        counted
    }
}

/// The lines that no code fence quotes.
fn outside_of_fences(text: &str) -> impl Iterator<Item = &str> {
    let mut fence = "";
    text.lines().filter(move |line| {
        let line = line.trim_start();
        let marks = line.len() - line.trim_start_matches(['`', '~']).len();
        if fence.is_empty() {
            let opens = (line.starts_with("```") && !line[marks..].contains('`')) || line.starts_with("~~~");
            if opens {
                fence = &line[..marks];
            }
            return !opens;
        }
        if line.trim_end().len() == marks && line.starts_with(fence) {
            fence = "";
        }
        false
    })
}

fn is_bullet(line: &str) -> bool {
    let line = line.trim_start();
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = numbered.len() < line.len() && (numbered.starts_with(". ") || numbered.starts_with(") "));
    let is_row = line.starts_with('|') && line.contains("](");
    is_row || is_numbered || ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::{is_bullet, outside_of_fences};

    #[test]
    fn bullets_stand_outside_of_fences() {
        let text = "- a\n* [b](c): d\n  - [e](f)\n-g\n````\n- no\n```\n````\n- h\n";
        assert_eq!(outside_of_fences(text).filter(|line| is_bullet(line)).count(), 4);
    }
}
