//! Headings of Markdown and MDX, line by line: no renderer is needed for an outline. The one reader of them for outlines, sections and what
//! an agent asks for by its heading. reStructuredText has its own reader, beside the connectors.

use super::fence::Fence;

/// A heading outside of fenced code and front matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkdownHeading<'t> {
    /// Byte at which its line starts.
    pub at: usize,
    /// 1 to 6.
    pub level: u8,
    /// As it is written, without the marks around it, attribute lists and `[[id]]`; [`plain`] has its words.
    pub title: &'t str,
    /// The id that an attribute list (`{ #id }`) or doc-builder's `[[id]]` gives it.
    pub id: Option<&'t str>,
}

/// The headings of a text, in order: `## Title`, and a paragraph of one line over `===` or `---`. One without words is none.
pub fn headings(text: &str) -> Vec<MarkdownHeading<'_>> {
    let mut at = text.len() - super::strip_front_matter(text).len();
    let mut found = Vec::new();
    let mut fence = None::<Fence>;
    // The two lines above, and where they start.
    let mut above = [(at, ""); 2];
    for line in text[at..].split_inclusive('\n') {
        let start = at;
        at += line.len();
        let is_code = fence.is_some();
        fence = Fence::below(fence, line);
        if is_code || fence.is_some() {
            above = [(at, ""); 2];
            continue;
        }
        let marked = heading(line).map(|(level, raw)| (start, level, raw));
        let [before, nearest] = above;
        let found_here =
            marked.or_else(|| underlined([before.1, nearest.1], line).map(|(level, raw)| (nearest.0, level, raw)));
        let Some((start, level, raw)) = found_here else {
            above = [nearest, (start, line)];
            continue;
        };
        above = [(at, ""); 2];
        let (title, id) = named(raw);
        if !plain(title).is_empty() {
            found.push(MarkdownHeading { at: start, level, title, id });
        }
    }
    found
}

/// Level and raw text of an ATX heading.
pub fn heading(line: &str) -> Option<(u8, &str)> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let line = line.trim();
    let level = line.bytes().take_while(|b| *b == b'#').count();
    let rest = &line[level..];
    if indent > 3 || !(1..=6).contains(&level) || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let rest = rest.trim();
    let closed = rest.trim_end_matches('#');
    let text = if closed.len() < rest.len() && (closed.is_empty() || closed.ends_with(' ')) {
        closed.trim_end()
    } else {
        rest
    };
    Some((level as u8, text))
}

/// A paragraph of one line that `===` (level 1) or `---` (level 2) below it makes a heading.
fn underlined<'a>([before, text]: [&'a str; 2], line: &str) -> Option<(u8, &'a str)> {
    let rule = line.trim_end();
    let mark = rule.chars().next().filter(|mark| matches!(mark, '=' | '-'))?;
    let is_rule = rule.len() >= 2 && rule.chars().all(|c| c == mark);
    let is_paragraph = before.trim().is_empty()
        && text.starts_with(|c: char| !c.is_whitespace() && !matches!(c, '|' | '>' | '-' | '*' | '+' | '<' | '{'))
        && !text.starts_with("import ")
        && !text.starts_with("export ");
    (is_rule && is_paragraph).then_some((if mark == '=' { 1 } else { 2 }, text.trim()))
}

/// The raw text of a heading without its id, and the id.
fn named(raw: &str) -> (&str, Option<&str>) {
    let (title, id) = super::split_attributes(raw);
    match title.strip_suffix("]]").and_then(|title| title.rsplit_once("[[")) {
        Some((title, anchor)) if id.is_none() => (title.trim_end(), Some(anchor)),
        _ => (title, id),
    }
}

/// The words of one line: link targets, emphasis, code marks, tags, `{/* … */}` and `[[id]]` go. Code stays as it is.
pub fn plain(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        if c == '`'
            && let Some((code, after)) = code_span(rest)
        {
            out.push_str(code);
            rest = after;
            continue;
        }
        let skip = match c {
            '<' if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!') => {
                rest.find('>').map(|end| end + 1)
            }
            '[' if rest.starts_with("[[") => rest.find("]]").map(|end| end + 2),
            '{' if rest.starts_with("{/*") => rest.find('}').map(|end| end + 1),
            ']' if rest.starts_with("](") => rest.find(')').map(|end| end + 1),
            '!' if rest.starts_with("![") => Some(2),
            '[' | ']' | '`' | '*' => Some(1),
            '\\' if rest[1..].starts_with(|c: char| c.is_ascii_punctuation()) => {
                out.extend(rest[1..].chars().next());
                Some(2)
            }
            _ => None,
        };
        if let Some(bytes) = skip {
            rest = &rest[bytes..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    crate::clean::line(&out)
}

/// The code between two equal runs of backticks, and what follows.
fn code_span(line: &str) -> Option<(&str, &str)> {
    let inside = line.trim_start_matches('`');
    let marks = line.len() - inside.len();
    let mut at = 0;
    loop {
        at += inside[at..].find('`')?;
        let after = inside[at..].trim_start_matches('`');
        let found = inside.len() - at - after.len();
        if found == marks {
            return Some((&inside[..at], after));
        }
        at += found;
    }
}

#[cfg(test)]
mod tests {
    use super::{headings, plain};

    #[test]
    fn code_in_a_heading_keeps_what_elsewhere_would_be_a_mark() {
        for (title, words) in [
            ("The `Vec<u8>` type", "The Vec<u8> type"),
            ("`a*b` and *c*", "a*b and c"),
            ("`` a`b `` <b>c</b>", "a`b c"),
            ("an `open mark", "an open mark"),
        ] {
            assert_eq!(plain(title), words);
        }
    }

    #[test]
    fn headings_are_marked_or_underlined_and_start_where_their_words_do() {
        let page = "---\ntitle: x\n# no heading\n---\n# The `serve` command ##\n\n```sh\n# no heading\n```\n\nOil\n---\n\
                    ##\tWick {#wick}\n   ### Lamp[[lamp]]\n    #### code\n####### seven\n#tag\n## ##\n";
        let shown: Vec<_> =
            headings(page).iter().map(|h| (&page[h.at..h.at + 3], h.level, plain(h.title), h.id)).collect();
        let wanted = [
            ("# T", 1, "The serve command", None),
            ("Oil", 2, "Oil", None),
            ("##\t", 2, "Wick", Some("wick")),
            ("   ", 3, "Lamp", Some("lamp")),
        ];
        assert_eq!(shown, wanted.map(|(at, level, words, id)| (at, level, words.to_owned(), id)));
    }
}
