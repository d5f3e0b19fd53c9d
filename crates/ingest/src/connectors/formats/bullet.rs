//! A bullet of a Markdown list, with the lines that it is wrapped over, or a row of a table: whether it opens with a link, and its parts.
//! Where a link leads may stand elsewhere in the text ([`Definitions`]).

use std::collections::HashMap;

use refdesk_core::text::fence::Fence;
use refdesk_core::{clean, text};

/// What a line is to a list of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A bullet that opens with a bold link.
    Bold,
    /// A bullet that opens with a link.
    Plain,
    /// A row of a table that opens with a link.
    Row,
    /// Something with a link, or a bullet, that is no entry; the name under which it is counted.
    Other(&'static str),
}

/// What rows of tables are counted as that are no entries.
pub const ROWS: &str = "rows of tables with a link";

/// A bullet or row taken apart.
pub struct Bullet<'a> {
    /// The link's text.
    pub name: &'a str,
    /// Where it leads.
    pub link: &'a str,
    /// What follows it.
    pub rest: &'a str,
    /// The line that says where it leads, where that is another.
    pub definition: Option<&'a str>,
}

/// The lines `[label]: address` of a text, by their labels (`CommonMark`, section 4.7).
#[derive(Debug, Default)]
pub struct Definitions<'a>(HashMap<String, &'a str>);

impl<'a> Definitions<'a> {
    /// Those of a text outside of code; the first of a label counts.
    pub fn parse(markdown: &'a str) -> Self {
        let mut all = HashMap::new();
        for line in Fence::lines_outside(markdown) {
            let defined = line.trim_start().strip_prefix('[').and_then(|line| line.split_once("]:"));
            let Some((label, address)) = defined else { continue };
            // A footnote is no link, and one within the page no entry.
            if !label.starts_with('^') && !label.contains(']') && !address.trim().starts_with('#') {
                all.entry(folded(label)).or_insert(line.trim());
            }
        }
        Self(all)
    }

    /// A text that opens with `[name][label]`, `[name][]` or `[name]`, taken apart.
    fn link<'t>(&self, text: &'t str) -> Option<Bullet<'t>>
    where
        'a: 't,
    {
        // What opens with an image is a badge.
        let (name, behind) = enclosed(text, '[', ']').filter(|(name, _)| !name.starts_with('!'))?;
        let (label, rest) = enclosed(behind, '[', ']').unwrap_or((name, behind));
        let line = self.0.get(&folded(if label.is_empty() { name } else { label }))?;
        let (_, address) = line.split_once("]:")?;
        let link = destination(address.trim());
        (!link.is_empty()).then_some(Bullet { name, link, rest, definition: Some(*line) })
    }
}

/// A label without what tells no two apart: case, and runs of blanks.
fn folded(label: &str) -> String {
    label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The class of a bullet, which its first line tells, and its text; `None` for prose.
pub fn classify<'a>(bullet: &'a str, defined: &Definitions<'_>) -> Option<(Class, &'a str)> {
    let line = bullet.lines().next()?;
    let (class, text) = classify_line(line, defined)?;
    Some((class, &bullet[line.len() - text.len()..]))
}

/// Whether a line goes on with the text of the bullet before it: it is indented, and begins nothing of its own.
pub fn goes_on(line: &str) -> bool {
    let inner = line.trim_start();
    let is_own = inner.starts_with(['#', '|', '>', '<', '`', '~', '!']) || without_mark(inner).is_some();
    let is_comment = inner.contains("<!--") || inner.contains("-->");
    inner.len() < line.len() && inner.contains(char::is_alphanumeric) && !is_own && !is_comment
}

/// The same of a single line.
fn classify_line<'a>(line: &'a str, defined: &Definitions<'_>) -> Option<(Class, &'a str)> {
    const NESTED: usize = 2;
    let inner = line.trim_start();
    let has_link = inner.contains("](");
    if let Some(cells) = inner.strip_prefix('|') {
        let cell = from_name(cells);
        let class = if bullet(cell, defined).is_ok() { Class::Row } else { Class::Other(ROWS) };
        return has_link.then_some((class, cell));
    }
    let text = from_name(without_mark(inner)?);
    let opens = bullet(text, defined);
    let is_defined = opens.as_ref().is_ok_and(|bullet| bullet.definition.is_some());
    let class = match text {
        _ if line.starts_with('\t') || line.len() - inner.len() >= NESTED => Class::Other("bullets below bullets"),
        _ if !has_link && !is_defined => Class::Other("bullets without a link"),
        text if text.starts_with("**[") || text.starts_with("[**") || text.starts_with("__[") => Class::Bold,
        _ if is_defined => Class::Plain,
        text if text.starts_with('[') => match text.split_once("](") {
            Some((_, link)) if link.starts_with('#') => Class::Other("bullets that link within the page"),
            Some((name, _)) if opens.is_ok() || !name[1..].contains(']') => Class::Plain,
            _ => Class::Other("bullets whose link does not stand first"),
        },
        _ => Class::Other("bullets whose link does not stand first"),
    };
    Some((class, text))
}

/// What follows the mark of a bullet or the number of an item, and the box of a task.
pub fn without_mark(line: &str) -> Option<&str> {
    let bullet = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark));
    let text = bullet.or_else(|| {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let rest = line.get(digits..).filter(|_| digits > 0)?;
        rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "))
    })?;
    Some(["[ ] ", "[x] ", "[X] "].iter().find_map(|task| text.strip_prefix(task)).unwrap_or(text))
}

/// A text from where its name begins: without the images before it, and the signs (`⭐`) right before a link.
pub fn from_name(text: &str) -> &str {
    let text = without_images(text);
    let behind = text.trim_start_matches(|c: char| !c.is_ascii() && !c.is_alphanumeric()).trim_start();
    if behind.starts_with(['[', '*', '_']) { without_images(behind) } else { text }
}

/// A text without the images and badges (images that are links) that it begins with.
fn without_images(text: &str) -> &str {
    let mut text = text.trim_start();
    loop {
        let behind = match text.strip_prefix('!') {
            Some(image) => link(image).map(|(.., behind)| behind),
            None if text.starts_with("[![") => link(text).map(|(.., behind)| behind),
            None => text.strip_prefix("<img").and_then(after_tag),
        };
        let Some(behind) = behind else { return text };
        text = behind.trim_start();
    }
}

/// A text without the tags that it begins with.
pub fn without_tags(text: &str) -> &str {
    let mut text = text.trim_start();
    while let Some(rest) = text.strip_prefix('<').and_then(after_tag) {
        text = rest.trim_start();
    }
    text
}

/// What follows a tag; a `>` inside quotes does not close it.
fn after_tag(rest: &str) -> Option<&str> {
    let mut quote = None;
    let end = rest.char_indices().find(|(_, c)| match (quote, c) {
        (None, '"' | '\'') => {
            quote = Some(*c);
            false
        }
        (None, c) => *c == '>',
        (Some(open), c) => {
            if open == *c {
                quote = None;
            }
            false
        }
    });
    end.map(|(at, _)| &rest[at + 1..])
}

/// Takes `**[Name](link)** rest` apart; the closing `**` may be forgotten.
///
/// # Errors
/// What was expected.
pub fn bullet<'a>(text: &'a str, defined: &Definitions<'a>) -> Result<Bullet<'a>, String> {
    let text = text.strip_prefix("**").or_else(|| text.strip_prefix("__")).unwrap_or(text);
    let inline = link(text).map(|(name, link, rest)| (name, destination(link.trim()), rest));
    let inline = inline.map(|(name, link, rest)| Bullet { name, link, rest, definition: None });
    let bullet = inline.or_else(|| defined.link(text)).ok_or("expected `**[Name](url)** - text`")?;
    Ok(Bullet { rest: bullet.rest.trim_start_matches("**").trim_start_matches("__"), ..bullet })
}

/// A text that opens with a link, as the link's text, its target and the rest. Brackets inside a target are balanced:
/// `https://en.wikipedia.org/wiki/A_(b)`.
fn link(text: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = enclosed(text, '[', ']')?;
    let (link, rest) = enclosed(rest, '(', ')')?;
    Some((name, link, rest))
}

fn enclosed(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    let inside = text.strip_prefix(open)?;
    let mut depth = 0_usize;
    let end = inside.char_indices().find(|(_, c)| {
        let is_end = *c == close && depth == 0;
        depth += usize::from(*c == open);
        depth -= usize::from(*c == close && !is_end);
        is_end
    });
    end.map(|(at, _)| (&inside[..at], &inside[at + 1..]))
}

/// The address in the parentheses of a link, without angle brackets and without the title.
fn destination(inside: &str) -> &str {
    if let Some((link, _)) = inside.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        return link.trim();
    }
    let title = [" \"", " '"].iter().filter_map(|mark| inside.find(mark)).min();
    inside[..title.unwrap_or(inside.len())].trim_end()
}

/// The first cell with words behind that of the name, by what follows the name of a row.
pub fn next_cell(rest: &str) -> &str {
    let bars = rest.match_indices('|').map(|(at, _)| at).filter(|at| !rest[..*at].ends_with('\\'));
    let ends: Vec<usize> = bars.chain([rest.len()]).collect();
    let cells = ends.windows(2).filter_map(|ends| rest.get(ends[0] + 1..ends[1]));
    cells.map(str::trim).find(|cell| cell.contains(char::is_alphanumeric)).unwrap_or("")
}

/// What follows the link, without the signs before its first word.
pub fn description(rest: &str) -> Option<String> {
    const OPENING: [char; 7] = ['(', '[', '"', '\'', '“', '«', '$'];
    /// Signs that words begin with: `.NET`, `@scope/name`, `#1`, `/command`.
    const OF_WORDS: [char; 4] = ['.', '@', '#', '/'];
    // Indented lines would be code.
    let lines: Vec<&str> = without_images(behind_dash(rest)).lines().map(str::trim).collect();
    let line = clean::line(&text::plain(&lines.join(" ")));
    let begins = |(at, c): &(usize, char)| {
        let is_of_word = OF_WORDS.contains(c) && line[at + 1..].starts_with(char::is_alphanumeric);
        c.is_alphanumeric() || OPENING.contains(c) || is_of_word
    };
    let (start, _) = line.char_indices().find(begins)?;
    Some(line[start..].to_owned())
}

/// What follows the dash where no words stand before it, but signs, numbers of several of one name (`<sup>2</sup>`) or further links.
fn behind_dash(rest: &str) -> &str {
    let dash = [" - ", " – ", " — "].iter().filter_map(|dash| rest.find(dash)).min();
    let (mut before, behind) = rest.split_at(dash.unwrap_or_default());
    while let Some(c) = before.chars().next() {
        let after = match c {
            '[' => link(before).map(|(.., after)| after),
            '<' => after_tag(&before[1..]),
            c if c.is_alphabetic() => None,
            c => Some(&before[c.len_utf8()..]),
        };
        let Some(after) = after else { return rest };
        before = after;
    }
    behind
}
