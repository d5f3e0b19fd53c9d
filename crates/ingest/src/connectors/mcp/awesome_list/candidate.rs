//! The lines of a list that may be entries, each with the heading that it stands under. Which of them are is for [`super`] to say.

use refdesk_core::text::fence::Fence;

use super::section::Section;
use crate::connectors::formats::bullet::{self, Class, Definitions};
use crate::connectors::formats::headings;

/// A bullet, a row of a table, or another line that holds a link.
pub(super) struct BulletCandidate<'a> {
    pub(super) class: Class,
    pub(super) text: &'a str,
    /// The bullet as it stands, with the lines that it goes on over.
    pub(super) lines: &'a str,
    pub(super) position: usize,
    /// Which of the outline's headings it stands under.
    pub(super) heading: usize,
    pub(super) section: Section,
}

/// Every bullet outside of code and comments, with every other line that holds a link, and where it stands.
pub(super) fn candidates<'a>(markdown: &'a str, defined: &Definitions<'_>) -> Vec<BulletCandidate<'a>> {
    let mut ahead = headings::placed(markdown).into_iter().peekable();
    let mut section = Section::default();
    let (mut fence, mut heading, mut in_comment) = (None::<Fence>, 0, false);
    let mut candidates: Vec<BulletCandidate<'_>> = Vec::new();
    // Where the last bullet begins, as long as its text may go on.
    let mut open: Option<usize> = None;
    let mut end = 0;
    for (position, whole) in markdown.split_inclusive('\n').enumerate() {
        let line = whole.trim_end_matches(['\n', '\r']);
        let start = end;
        end += whole.len();
        let goes_on = open.take().filter(|_| bullet::goes_on(line));
        if let Some((from, last)) = goes_on.zip(candidates.last_mut()) {
            let text = last.lines.len() - last.text.len();
            last.lines = &markdown[from..start + line.len()];
            last.text = &last.lines[text..];
            open = Some(from);
            continue;
        }
        let is_code = fence.is_some();
        fence = Fence::below(fence, line);
        if is_code {
            continue;
        }
        let bullet = bullet::classify(line, defined);
        let mut is_heading = false;
        while let Some((at, next)) = ahead.next_if(|(at, _)| *at <= start) {
            // An item over a rule is none.
            is_heading = at == start && bullet.is_none();
            if is_heading {
                section.enter(next.level, words(&next.text), next.slug);
                heading += 1;
            }
        }
        if is_heading {
            continue;
        }
        if let Some((class, text)) = bullet {
            let class = if in_comment { Class::Other("bullets in a comment") } else { class };
            let section = section.clone();
            open = Some(start).filter(|_| matches!(class, Class::Bold | Class::Plain));
            candidates.push(BulletCandidate { class, text, lines: line, position, heading, section });
        }
        in_comment = match (line.rfind("<!--"), line.rfind("-->")) {
            (Some(open), close) => close.is_none_or(|close| close < open),
            (None, Some(_)) => false,
            (None, None) => in_comment,
        };
    }
    candidates
}

/// A heading without emoji and other signs around its words.
fn words(title: &str) -> String {
    title.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '(' | ')')).to_owned()
}
