//! Finds MDX in a text: tags outside of code, in pairs, and statements. Code is what `CommonMark` and MDX have in common: fences, code
//! between backticks, `<pre>` and `<code>`; and lines that four blanks indent, where no component and no list is open.

use std::ops::Range;

use super::shown::{self, Around};
use super::statement;
use super::tag::{Role, Tag};
use crate::text::fence::Fence;

/// Most components that are open at one place; of more, the outermost stay as they are written.
const MDX_NESTING_MAX: usize = 100;
/// Most bytes looked at for each byte of the text: without it, many unclosed tags would be read again and again.
const SCANS_PER_BYTE: usize = 16;
/// Elements of HTML whose content is code.
const CODE_ELEMENTS: [&str; 4] = ["pre", "code", "script", "style"];

#[derive(Debug, Default)]
pub(super) struct Found {
    /// What stands in place of tags and statements, in order of the text.
    pub(super) places: Vec<Place>,
    /// The lines between the two tags of a component that stand on lines of their own.
    pub(super) blocks: Vec<Range<usize>>,
    /// The lines inside of fences.
    pub(super) code: Vec<Range<usize>>,
}

/// A part of the text, and what is shown in its place.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

/// A tag that waits for its end.
struct Open<'t> {
    tag: Tag<'t>,
    range: Range<usize>,
    around: Around,
    /// Which child of its parent it is.
    position: usize,
    children: usize,
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    open: Vec<Open<'t>>,
    found: Found,
    scans_left: usize,
    /// Whether the last line that is not blank belongs to a list.
    in_list: bool,
    /// Whether a block may begin on this line: no paragraph goes on.
    after_block: bool,
    /// Whether nothing but blanks stands before the current place on its line.
    at_start: bool,
    /// Where that line ends.
    line_end: usize,
    /// Where the paragraph ends that was looked at last.
    paragraph_end: usize,
}

/// Reads a text from `start` on.
pub(super) fn scan(text: &str, start: usize) -> Found {
    let scans_left = text.len() * SCANS_PER_BYTE;
    let mut scanner = Scanner {
        text,
        at: start,
        open: Vec::new(),
        found: Found::default(),
        scans_left,
        in_list: false,
        after_block: true,
        at_start: true,
        line_end: start,
        paragraph_end: start,
    };
    while scanner.at < text.len() && scanner.line().is_some() {}
    let mut found = scanner.found;
    found.places.sort_by_key(|place| place.range.start);
    found.blocks.sort_by_key(|block| (block.start, std::cmp::Reverse(block.end)));
    found
}

impl<'t> Scanner<'t> {
    fn line_end(&self, at: usize) -> usize {
        self.text[at..].find('\n').map_or(self.text.len(), |end| at + end + 1)
    }

    /// Takes bytes from what may still be looked at; `None` when it is used up.
    fn looks_at(&mut self, bytes: usize) -> Option<()> {
        self.scans_left = self.scans_left.checked_sub(bytes)?;
        Some(())
    }

    fn put(&mut self, range: Range<usize>, text: String) {
        self.found.places.push(Place { range, text });
    }

    /// Reads a line, or the lines that what begins on it takes.
    fn line(&mut self) -> Option<()> {
        let (start, end) = (self.at, self.line_end(self.at));
        let line = &self.text[start..end];
        if let Some(fence) = Fence::opened_by(without_marks(line)) {
            self.fenced(fence, end);
            return Some(());
        }
        if line.trim().is_empty() {
            (self.at, self.after_block) = (end, true);
            return Some(());
        }
        let indented = line.len() - line.trim_start().len();
        let is_item = is_list_item(line.trim_start());
        self.in_list = is_item || self.in_list && (indented > 0 || !self.after_block);
        let is_code = indented >= 4 || line.starts_with('\t');
        if is_code && self.after_block && !self.in_list && self.open.is_empty() {
            self.at = end;
            return Some(());
        }
        if self.after_block && self.open.is_empty() {
            let (length, looked_at) = statement::length(&self.text[start..]);
            self.looks_at(looked_at)?;
            if let Some(length) = length {
                self.put(start..start + length, String::new());
                self.at = start + length;
                return Some(());
            }
        }
        self.words(end)?;
        self.after_block = line.starts_with('#') || line.trim_end().ends_with('>');
        Some(())
    }

    fn fenced(&mut self, fence: Fence, start: usize) {
        let mut at = start;
        while at < self.text.len() {
            let end = self.line_end(at);
            if fence.is_closed_by(&self.text[at..end]) {
                self.found.code.push(start..at);
                (self.at, self.after_block) = (end, true);
                return;
            }
            at = end;
        }
        self.found.code.push(start..at);
        self.at = at;
    }

    /// Reads what stands on a line, and on the lines that what begins on it goes on to.
    fn words(&mut self, end: usize) -> Option<()> {
        (self.line_end, self.at_start) = (end, true);
        while self.at < self.line_end {
            let rest = &self.text[self.at..self.line_end];
            let next = rest.find(['<', '{', '`', '\\']).unwrap_or(rest.len());
            self.at_start = self.at_start && rest[..next].trim_start().is_empty();
            self.at += next;
            if self.at == self.line_end {
                break;
            }
            let rest = &self.text[self.at..];
            self.at += match rest.as_bytes()[0] {
                b'\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
                b'`' => self.backticks()?,
                b'{' => self.braces()?,
                _ => self.angle()?,
            };
            self.at_start = false;
            if self.at > self.line_end {
                self.line_end = self.line_end(self.at);
            }
        }
        Some(())
    }

    /// Where the next blank line starts.
    fn end_of_paragraph(&self) -> usize {
        let mut at = self.line_end(self.at);
        while at < self.text.len() {
            let end = self.line_end(at);
            if self.text[at..end].trim().is_empty() {
                break;
            }
            at = end;
        }
        at
    }

    /// The length of code between backticks, within its paragraph; of the backticks alone when they do not close.
    fn backticks(&mut self) -> Option<usize> {
        if self.at >= self.paragraph_end {
            self.paragraph_end = self.end_of_paragraph();
        }
        let rest = &self.text[self.at..self.paragraph_end];
        let length = rest.bytes().take_while(|byte| *byte == b'`').count();
        let mut at = length;
        while let Some(next) = rest[at..].find('`') {
            let run = rest[at + next..].bytes().take_while(|byte| *byte == b'`').count();
            at += next + run;
            if run == length {
                self.looks_at(at)?;
                return Some(at);
            }
        }
        self.looks_at(rest.len())?;
        Some(length)
    }

    /// The length of what a brace begins. A comment goes, unless it is the id of a heading; a blank between braces is one; other braces
    /// are text.
    fn braces(&mut self) -> Option<usize> {
        let rest = &self.text[self.at..];
        if let Some(blank) = ["{' '}", "{\" \"}"].into_iter().find(|blank| rest.starts_with(blank)) {
            self.put(self.at..self.at + blank.len(), " ".into());
            return Some(blank.len());
        }
        if !rest.starts_with("{/*") {
            return Some(1);
        }
        let Some(end) = rest.find("*/}") else {
            self.looks_at(rest.len())?;
            return Some(1);
        };
        let length = end + 3;
        if rest[3..end.max(3)].trim_start().starts_with('#') {
            return Some(length);
        }
        self.looks_at(length)?;
        self.put(self.at..self.at + length, String::new());
        Some(length)
    }

    /// The length of what goes to the end of a mark, the mark included; `otherwise` when it does not come.
    fn up_to(&mut self, mark: &str, otherwise: usize) -> Option<usize> {
        let rest = &self.text[self.at..];
        let end = rest.find(mark);
        self.looks_at(end.unwrap_or(rest.len()))?;
        Some(end.map_or(otherwise, |end| end + mark.len()))
    }

    /// The length of what a `<` begins.
    fn angle(&mut self) -> Option<usize> {
        let rest = &self.text[self.at..];
        if rest.starts_with("<!--") {
            return self.up_to("-->", 4);
        }
        let name = rest[1..].strip_prefix('/').unwrap_or(&rest[1..]);
        // `Array<String>` is no tag.
        let closes = rest[1..].starts_with('/');
        let in_word = !closes && self.text[..self.at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if in_word || !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Some(1);
        }
        let (tag, looked_at) = Tag::parse(rest);
        self.looks_at(looked_at)?;
        let Some(tag) = tag else { return Some(1) };
        let length = tag.length;
        if tag.name.starts_with(|c: char| c.is_ascii_uppercase()) {
            self.component(tag);
        } else if tag.role == Role::Opens && CODE_ELEMENTS.contains(&tag.name) {
            return self.up_to(&format!("</{}>", tag.name), length);
        } else if tag.has_braces {
            let text = shown::element(&tag);
            self.put(self.at..self.at + length, text);
        }
        Some(length)
    }

    fn component(&mut self, tag: Tag<'t>) {
        let range = self.at..self.at + tag.length;
        let around = self.around(range.end);
        match tag.role {
            Role::Both => {
                if let Some(parent) = self.open.last_mut() {
                    parent.children += 1;
                }
                if let Some(text) = shown::alone(&tag, around) {
                    self.put(range, text);
                }
            }
            Role::Opens => {
                let position = self.open.last_mut().map_or(0, |parent| {
                    parent.children += 1;
                    parent.children - 1
                });
                if self.open.len() == MDX_NESTING_MAX {
                    self.open.remove(0);
                }
                self.open.push(Open { tag, range, around, position, children: 0 });
            }
            Role::Closes => {
                let Some(at) = self.open.iter().rposition(|open| open.tag.name == tag.name) else { return };
                self.open.truncate(at + 1);
                if let Some(open) = self.open.pop() {
                    self.pair(&open, range, around);
                }
            }
        }
    }

    fn pair(&mut self, open: &Open<'t>, close: Range<usize>, end: Around) {
        let parent = self.open.last().map(|parent| &parent.tag);
        let inner = &self.text[open.range.end..close.start];
        let (before, after) = shown::around_children(&open.tag, parent, open.position, open.around, inner);
        if open.around == Around::Nothing && end == Around::Nothing {
            let first = self.line_end(open.range.end);
            let last = close.start - margin(self.text, close.start).len();
            self.found.blocks.push(first..last.max(first));
        }
        self.put(open.range.clone(), before);
        self.put(close, after);
    }

    /// What else stands on the lines of the tag that begins at the current place and ends at `end`.
    fn around(&self, end: usize) -> Around {
        let line_end = if end <= self.line_end { self.line_end } else { self.line_end(end) };
        let is_alone = self.at_start && self.text[end..line_end].trim_start().is_empty();
        if is_alone { Around::Nothing } else { Around::Words }
    }
}

/// The blanks that the line of a place begins with, as far as the place.
pub(super) fn margin(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = &text[start..at];
    &line[..line.len() - line.trim_start().len()]
}

/// A line without the marks of list items that it begins with.
fn without_marks(line: &str) -> &str {
    let trimmed = line.trim_start();
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    if is_list_item(trimmed) { &trimmed[digits + 1..] } else { line }
}

fn is_list_item(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let mark = &line[digits..];
    let is_number = (1..=9).contains(&digits) && mark.starts_with(['.', ')']);
    (is_number || digits == 0 && mark.starts_with(['-', '*', '+'])) && mark[1..].starts_with([' ', '\t', '\n'])
}
