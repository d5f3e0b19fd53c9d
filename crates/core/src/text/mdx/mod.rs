//! MDX and JSX in a text, as a reader reads them: statements and tags go, children stay, and a component that is all attributes becomes
//! the text, code or link that it shows. Code stays as it is, and so does whatever is not understood: no prose is lost.
//!
//! [`scan`] finds the places, [`tag`] and [`literal`] read a tag, [`shown`] says what stands in its place, [`indentation`] takes back what
//! children were indented by, because Markdown reads four blanks as code. The stored text stays verbatim: a [`Readable`] is a list of
//! edits, so that a part of a text can be shown by its place in the whole.

mod indentation;
mod literal;
mod scan;
mod shown;
mod statement;
mod tag;

use std::borrow::Cow;
use std::ops::Range;

use crate::within::PARSED_BYTES_MAX;

/// What stands in place of a part of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Edit {
    range: Range<usize>,
    text: String,
}

/// A Markdown text, and what a reader reads in place of its MDX.
#[derive(Debug, Clone)]
pub struct Readable<'t> {
    text: &'t str,
    /// In order, none in another.
    edits: Vec<Edit>,
}

impl<'t> Readable<'t> {
    /// Reads a text in time proportional to its length. Its front matter, and a text beyond the cap on what is parsed, stay as they are.
    pub fn new(text: &'t str) -> Self {
        let body = text.len() - super::strip_front_matter(text).len();
        // Most texts have nothing of it.
        let has_some = text.contains('<') || text.contains('{') || text.contains("import ") || text.contains("export ");
        let edits = if has_some && text.len() <= PARSED_BYTES_MAX { edits(text, body) } else { Vec::new() };
        Self { text, edits }
    }

    /// All of it, with its front matter.
    pub fn whole(&self) -> Cow<'t, str> {
        self.part(0..self.text.len())
    }

    /// What stands at these bytes of the text. What begins before them belongs to the part before.
    pub fn part(&self, range: Range<usize>) -> Cow<'t, str> {
        let first = self.edits.partition_point(|edit| edit.range.end <= range.start);
        let mut edits = self.edits[first..].iter().take_while(|edit| edit.range.start < range.end).peekable();
        if edits.peek().is_none() {
            return Cow::Borrowed(&self.text[range]);
        }
        let (mut out, mut at) = (String::with_capacity(range.len()), range.start);
        for edit in edits {
            if edit.range.start >= range.start {
                out.push_str(&self.text[at..edit.range.start]);
                out.push_str(&edit.text);
            }
            at = edit.range.end;
        }
        out.push_str(self.text.get(at..range.end).unwrap_or_default());
        Cow::Owned(out)
    }
}

/// The text as a reader reads it.
pub fn readable(text: &str) -> Cow<'_, str> {
    Readable::new(text).whole()
}

fn edits(text: &str, body: usize) -> Vec<Edit> {
    let found = scan::scan(text, body);
    let mut edits = indentation::edits(text, &found);
    // What a line loses is known by where it starts.
    let lost = |at: usize| {
        let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
        edits.binary_search_by_key(&line, |edit| edit.range.start).map_or(0, |at| edits[at].range.len())
    };
    let places: Vec<Edit> = found
        .places
        .iter()
        .map(|place| {
            let (range, mut shown) = (place.range.clone(), place.text.clone());
            if shown.contains('\n') {
                let margin = scan::margin(text, range.start).len().saturating_sub(lost(range.start));
                shown = shown.replace('\n', &format!("\n{}", " ".repeat(margin)));
            }
            Edit { range, text: shown }
        })
        .collect();
    edits.extend(places);
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    edits
}

#[cfg(test)]
mod tests;
