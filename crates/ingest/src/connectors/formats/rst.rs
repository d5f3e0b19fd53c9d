//! The outline of a reStructuredText page (<https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html#sections>): a line of text
//! over a line of equal punctuation marks, or between two. Levels follow the order in which the styles of marks appear. Not a renderer:
//! the page's body stays as it is written.

use std::collections::HashMap;

use refdesk_core::item::Heading;
use refdesk_core::text::headings::of_role;

use crate::connectors::formats::headings::HEADINGS_MAX;

/// Marks that docutils takes for adornments of section titles.
const MARKS: &str = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
/// An adornment shorter than its title is an error to docutils, unless it has this many marks.
const ADORNMENT_CHARS_MIN: usize = 4;

/// The sections of a page, in order, with the ids that docutils gives them.
pub fn headings(text: &str) -> Vec<Heading> {
    let lines: Vec<&str> = refdesk_core::within::within(text.trim_start_matches('\u{feff}')).0.lines().collect();
    let defined: HashMap<&str, &str> =
        lines.iter().filter_map(|line| line.strip_prefix(".. |")?.split_once("| replace::")).collect();
    let mut styles: Vec<(char, bool)> = Vec::new();
    let mut headings = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut at = 0;
    while at + 1 < lines.len() && headings.len() < HEADINGS_MAX {
        let Some((title, style, next)) = section(&lines, at) else {
            at += 1;
            continue;
        };
        at = next;
        let level = styles.iter().position(|known| *known == style).unwrap_or_else(|| {
            styles.push(style);
            styles.len() - 1
        });
        let text = plain(&substituted(title, &defined));
        if text.is_empty() {
            continue;
        }
        let slug = id(&text);
        let count = seen.entry(slug.clone()).or_insert(0);
        *count += 1;
        let slug = if *count == 1 { slug } else { format!("{slug}-{}", *count - 1) };
        headings.push(Heading { level: (level + 1).min(6) as u8, text, slug });
    }
    headings
}

/// The section title that begins at a line, its style (mark, with a line above), and the line after it.
fn section<'a>(lines: &[&'a str], at: usize) -> Option<(&'a str, (char, bool), usize)> {
    let fits = |mark: &str, title: &str| {
        let length = mark.trim_end().chars().count();
        length >= title.trim_end().chars().count() || length >= ADORNMENT_CHARS_MIN
    };
    if let Some(mark) = adornment(lines[at]) {
        let (title, below) = (lines.get(at + 1)?, lines.get(at + 2)?);
        let is_section = adornment(below) == Some(mark) && lines[at].trim_end() == below.trim_end();
        let is_title = !title.trim().is_empty() && adornment(title).is_none() && fits(below, title.trim());
        return (is_section && is_title).then_some((title.trim(), (mark, true), at + 3));
    }
    let (title, below) = (lines[at], lines[at + 1]);
    let opens_block = at == 0 || lines[at - 1].trim().is_empty();
    let mark = adornment(below)?;
    let is_title = !title.trim().is_empty() && !title.starts_with([' ', '\t']) && !title.starts_with(".. ");
    (opens_block && is_title && fits(below, title)).then_some((title.trim(), (mark, false), at + 2))
}

/// The mark of a line that is nothing but one mark, twice or more.
fn adornment(line: &str) -> Option<char> {
    let line = line.trim_end();
    let mark = line.chars().next().filter(|mark| MARKS.contains(*mark))?;
    (line.len() >= 2 && line.chars().all(|c| c == mark)).then_some(mark)
}

/// A title with what its page defines for each `|name|`.
fn substituted(title: &str, defined: &HashMap<&str, &str>) -> String {
    let (mut out, mut rest) = (String::with_capacity(title.len()), title);
    while let Some((before, behind)) = rest.split_once('|') {
        out.push_str(before);
        let named = behind.split_once('|').and_then(|(name, behind)| Some((*defined.get(name)?, behind)));
        let (text, behind) = named.unwrap_or(("|", behind));
        out.push_str(text.trim());
        rest = behind;
    }
    out + rest
}

/// A title's words: `:role:` marks, targets of references, backticks, emphasis and escapes go.
fn plain(title: &str) -> String {
    let mut out = String::with_capacity(title.len());
    let mut rest = title;
    while let Some(c) = rest.chars().next() {
        let role = rest.strip_prefix(':').and_then(|rest| rest.split_once(":`"));
        if let Some((_, after)) = role.filter(|(name, _)| is_role(name)) {
            rest = &rest[rest.len() - after.len() - 1..];
        } else if c == '`' {
            let body = rest.trim_start_matches('`');
            let (quoted, after) = body.split_once('`').unwrap_or((body, ""));
            out.push_str(of_role(quoted));
            rest = after.trim_start_matches('`').trim_start_matches('_');
        } else {
            if !matches!(c, '*' | '|' | '\\') {
                out.push(c);
            }
            rest = &rest[c.len_utf8()..];
        }
    }
    refdesk_core::clean::line(&out)
}

fn is_role(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b':' | b'.' | b'+'))
}

/// docutils' id of a section: lower case, runs of other characters become one `-`.
fn id(text: &str) -> String {
    let mut id = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            id.push(c);
        } else if !id.is_empty() && !id.ends_with('-') {
            id.push('-');
        }
    }
    id.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::headings;

    #[test]
    fn a_name_in_a_title_is_what_the_page_defines_for_it() {
        let page =
            ".. |oil| replace:: Whale *oil*\n\n|oil| for |lamps|\n=================\n\n``a|oil`` | or\n-------------\n";
        let shown: Vec<String> = headings(page).iter().map(|h| format!("{} #{}", h.text, h.slug)).collect();
        assert_eq!(shown, ["Whale oil for lamps #whale-oil-for-lamps", "a|oil or #a-oil-or"]);
    }

    #[test]
    fn sections_carry_the_level_of_their_style_and_docutils_id() {
        let page = ".. _top:\n\n=======\nLamps\n=======\n\nOil & wick\n----------\n\nWords.\n\n``light()`` calls\n~~~~~~~~~~~~~~~~~\n\n\
                    See :class:`~lamps.Lamp`\n------------------------\n\n=====  =====\na      b\n=====  =====\n\nOil & wick\n----------\n";
        let shown: Vec<String> = headings(page).iter().map(|h| format!("{} {} #{}", h.level, h.text, h.slug)).collect();
        assert_eq!(
            shown,
            [
                "1 Lamps #lamps",
                "2 Oil & wick #oil-wick",
                "3 light() calls #light-calls",
                "2 See lamps.Lamp #see-lamps-lamp",
                "2 Oil & wick #oil-wick-1",
            ]
        );
    }
}
