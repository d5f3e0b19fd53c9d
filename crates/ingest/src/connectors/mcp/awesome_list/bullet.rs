//! One bullet of a Markdown list, with the lines that it is wrapped over: whether it is an entry, and its parts.

use refdesk_core::{clean, text};

/// What a line is to a list of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A bullet that opens with a bold link.
    Bold,
    /// A bullet that opens with a link.
    Plain,
    /// Something with a link, or a bullet, that is no entry; the name under which it is counted.
    Other(&'static str),
}

/// A bullet taken apart.
pub struct Bullet<'a> {
    /// The link's text.
    pub name: &'a str,
    /// Where it leads.
    pub link: &'a str,
    /// What follows it.
    pub rest: &'a str,
}

/// The class of a bullet, which its first line tells, and its text; `None` for prose.
pub fn classify(bullet: &str) -> Option<(Class, &str)> {
    let line = bullet.lines().next()?;
    let (class, text) = classify_line(line)?;
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
fn classify_line(line: &str) -> Option<(Class, &str)> {
    const NESTED: usize = 2;
    let inner = line.trim_start();
    let has_link = inner.contains("](");
    if inner.starts_with('|') {
        return has_link.then_some((Class::Other("rows of tables with a link"), inner));
    }
    let text = without_images(without_mark(inner)?);
    let class = match text {
        _ if line.starts_with('\t') || line.len() - inner.len() >= NESTED => Class::Other("bullets below bullets"),
        _ if !has_link => Class::Other("bullets without a link"),
        text if text.starts_with("**[") || text.starts_with("[**") || text.starts_with("__[") => Class::Bold,
        text if text.starts_with('[') => match text.split_once("](") {
            Some((_, link)) if link.starts_with('#') => Class::Other("bullets that link within the page"),
            Some((name, _)) if !name[1..].contains(']') => Class::Plain,
            _ => Class::Other("bullets whose link does not stand first"),
        },
        _ => Class::Other("bullets whose link does not stand first"),
    };
    Some((class, text))
}

/// What follows the mark of a bullet or the number of an item.
pub fn without_mark(line: &str) -> Option<&str> {
    let bullet = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark));
    bullet.or_else(|| {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let rest = line.get(digits..).filter(|_| digits > 0)?;
        rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "))
    })
}

/// A bullet's text without the images that stand before the name.
fn without_images(text: &str) -> &str {
    let mut text = text.trim_start();
    loop {
        if let Some((_, rest)) = text.strip_prefix("[![").and_then(|rest| rest.split_once(")](")) {
            // A badge: an image that is a link.
            text = rest.split_once(')').map_or("", |(_, rest)| rest).trim_start();
            continue;
        }
        let tag = text.strip_prefix("<img").and_then(after_tag);
        let image =
            text.strip_prefix("![").and_then(|rest| rest.split_once("](")).and_then(|(_, rest)| rest.split_once(')'));
        match tag.or(image.map(|(_, rest)| rest)) {
            Some(rest) => text = rest.trim_start(),
            None => return text,
        }
    }
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
pub fn bullet(text: &str) -> Result<Bullet<'_>, String> {
    let unlike = || "expected `**[Name](url)** - text`".to_owned();
    let text = text.strip_prefix("**").or_else(|| text.strip_prefix("__")).unwrap_or(text);
    let (name, rest) = text.strip_prefix('[').and_then(|rest| rest.split_once("](")).ok_or_else(unlike)?;
    // A link's own brackets are balanced: https://en.wikipedia.org/wiki/A_(b)
    let mut depth = 0_usize;
    let end = rest.char_indices().find_map(|(at, c)| match c {
        '(' => {
            depth += 1;
            None
        }
        ')' if depth == 0 => Some(at),
        ')' => {
            depth -= 1;
            None
        }
        _ => None,
    });
    let end = end.ok_or_else(unlike)?;
    let link = destination(rest[..end].trim());
    Ok(Bullet { name, link, rest: rest[end + 1..].trim_start_matches("**").trim_start_matches("__") })
}

/// The address in the parentheses of a link, without angle brackets and without the title.
fn destination(inside: &str) -> &str {
    if let Some((link, _)) = inside.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        return link.trim();
    }
    let title = [" \"", " '"].iter().filter_map(|mark| inside.find(mark)).min();
    inside[..title.unwrap_or(inside.len())].trim_end()
}

/// What follows the link, without the signs before its first word.
pub fn description(rest: &str) -> Option<String> {
    const OPENING: [char; 7] = ['(', '[', '"', '\'', '“', '«', '$'];
    /// Signs that words begin with: `.NET`, `@scope/name`, `#1`, `/command`.
    const OF_WORDS: [char; 4] = ['.', '@', '#', '/'];
    // Indented lines would be code.
    let lines: Vec<&str> = without_images(rest).lines().map(str::trim).collect();
    let line = clean::line(&text::plain(&lines.join(" ")));
    let begins = |(at, c): &(usize, char)| {
        let is_of_word = OF_WORDS.contains(c) && line[at + 1..].starts_with(char::is_alphanumeric);
        c.is_alphanumeric() || OPENING.contains(c) || is_of_word
    };
    let (start, _) = line.char_indices().find(begins)?;
    Some(line[start..].to_owned())
}
