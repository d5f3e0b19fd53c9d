//! Plain text out of Markdown, notebooks' prose and MDX ([`mdx`]), for the search index and snippets. Not a renderer. Front matter is split off
//! here for every reader of pages: YAML between lines of `---`, as most write it, and TOML between lines of `+++`, as Hugo and Zola do.

pub mod anchors;
pub mod clean;
pub mod fence;
pub mod figures;
pub mod headings;
pub mod mdx;
pub mod nearest;
pub mod sections;
pub mod within;

use fence::Fence;

/// Longest heading whose attribute lists are looked for, in bytes.
const HEADING_BYTES_MAX: usize = 2_000;

/// Takes Markdown's marks away and keeps what a reader reads: front matter, code fences' marks, HTML and JSX tags, link targets
/// and image targets go; words, link texts, headings and code stay. One line per source line, hidden characters removed. Takes what lies within
/// the caps on texts that are parsed ([`within`]).
pub fn plain(markdown: &str) -> String {
    let markdown = mdx::readable(crate::within::within(strip_front_matter(markdown)).0);
    let mut out = String::with_capacity(markdown.len());
    let mut open: Option<Fence> = None;
    for line in markdown.lines() {
        let trimmed = line.trim_start();
        let ends = open.is_some_and(|fence| fence.is_closed_by(line));
        if ends || open.is_none() && Fence::opened_by(line).is_some() {
            open = if ends { None } else { Fence::opened_by(line) };
            continue;
        }
        if open.is_some() {
            out.push_str(trimmed);
        } else {
            let words = if trimmed.starts_with('#') { split_attributes(trimmed).0 } else { trimmed };
            inline(words.trim_start_matches(['#', '>', '-', '*', '+', ' ', '|']), &mut out);
        }
        out.push('\n');
    }
    crate::clean::visible(&out).0.into_owned()
}

/// The Markdown after its front matter, YAML or TOML, or all of it when it has none.
pub fn strip_front_matter(markdown: &str) -> &str {
    FrontMatter::split(markdown).map_or(markdown, |(_, body)| body)
}

/// The front matter of a page: a block at the very top that is closed by the mark that opens it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrontMatter<'a> {
    /// Between lines of `---`.
    Yaml(&'a str),
    /// Between lines of `+++`.
    Toml(&'a str),
}

impl<'a> FrontMatter<'a> {
    /// The front matter and the text after it; `None` when the text does not open with a closed front matter.
    pub fn split(text: &'a str) -> Option<(Self, &'a str)> {
        let yaml = between_lines(text, "---").map(|(front, body)| (Self::Yaml(front), body));
        yaml.or_else(|| between_lines(text, "+++").map(|(front, body)| (Self::Toml(front), body)))
    }
}

/// The YAML front matter and the Markdown after it; `None` when the text does not open with a closed front matter.
pub fn split_front_matter(markdown: &str) -> Option<(&str, &str)> {
    between_lines(markdown, "---")
}

/// What stands between a first line that is `mark` and the next such line, and what follows.
fn between_lines<'a>(text: &'a str, mark: &str) -> Option<(&'a str, &'a str)> {
    let text = text.trim_start_matches('\u{feff}');
    let (first, rest) = text.split_once('\n')?;
    if first.trim_end() != mark || !first.starts_with(mark) {
        return None;
    }
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == mark {
            return Some((&rest[..at], &rest[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

/// A heading without the attribute lists at its end, and the id that they give it: `{#id}`, `{ #id .class }`, `{: #id key="a b" }` and
/// MDX's `{/* #id */}`. Other text in braces belongs to the heading, and so does a list that is all of it. A line longer than any heading is
/// left whole.
pub fn split_attributes(heading: &str) -> (&str, Option<&str>) {
    let (mut text, mut id) = (heading.trim_end(), None);
    if text.len() > HEADING_BYTES_MAX {
        return (text, None);
    }
    while let Some((before, list)) = text.strip_suffix('}').and_then(|text| text.rsplit_once('{')) {
        let before = before.trim_end_matches('\\').trim_end();
        let list = list.strip_suffix('\\').unwrap_or(list).trim();
        let Some(attributes) = attributes(list) else { break };
        if before.trim_matches(['#', ' ']).is_empty() {
            break;
        }
        id = attributes.id.or(id);
        text = before;
    }
    (text, id)
}

/// An attribute list of a heading.
struct Attributes<'a> {
    id: Option<&'a str>,
}

/// The attribute list that a text in braces is, if it is one.
fn attributes(list: &str) -> Option<Attributes<'_>> {
    let comment = list.strip_prefix("/*").and_then(|list| list.strip_suffix("*/"));
    let marked = list.strip_prefix(':');
    let list = comment.or(marked).unwrap_or(list);
    let mut id = None;
    let mut is_list = marked.is_some();
    let mut quoted = false;
    for word in list.split_whitespace() {
        let inside = quoted;
        quoted ^= word.matches('"').count() % 2 == 1;
        let is_name = |name: &str| !name.is_empty() && !name.starts_with(['.', '#']);
        match word.as_bytes()[0] {
            _ if inside => {}
            b'#' if is_name(&word[1..]) => id = id.or(Some(&word[1..])),
            b'.' if is_name(&word[1..]) && comment.is_none() => {}
            _ if word.split_once('=').is_some_and(|(key, _)| is_key(key)) => continue,
            _ => return None,
        }
        is_list = true;
    }
    is_list.then_some(Attributes { id })
}

fn is_key(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b':'))
}

/// One line without inline marks: `[text](target)` gives `text`, `<Tag a="b">` gives nothing, `**bold**` gives `bold`.
fn inline(line: &str, out: &mut String) {
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        match c {
            '<' if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!') => {
                let end = rest.find('>').map_or(rest.len(), |at| at + 1);
                rest = &rest[end..];
                out.push(' ');
            }
            '!' if rest.starts_with("![") => rest = &rest[1..],
            ']' if rest.starts_with("](") => {
                let end = rest.find(')').map_or(rest.len(), |at| at + 1);
                rest = &rest[end..];
            }
            '*' | '`' | '[' | ']' | '|' => {
                if c == '|' {
                    out.push(' ');
                }
                rest = &rest[1..];
            }
            _ => {
                out.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FrontMatter, plain, split_attributes, split_front_matter, strip_front_matter};

    #[test]
    fn markdown_and_mdx_become_the_words_a_reader_reads() {
        let page = "---\ntitle: T\n---\nimport { X } from 'y'\n# Head `code`\n\nSee [the **guide**](https://e.x/a) <Tip kind=\"a\">now</Tip>.\n```js\nlet a = 1;\n```\n| a | b |\n";
        assert_eq!(plain(page), "Head code\n\nSee the guide now.\nlet a = 1;\na   b  \n");
    }

    #[test]
    fn what_only_attributes_say_is_found_and_what_only_a_machine_reads_is_not() {
        let page = "import { Oil } from 'lamp'\n\n<Install packages=\"@lamp/oil\" />\n\n![A lamp](/a.png)\n\n````md\n```\n````\nEnd.\n";
        assert_eq!(plain(page), "\n@lamp/oil\n\n\nA lamp\n\n```\nEnd.\n");
    }

    #[test]
    fn toml_front_matter_is_split_off_too() {
        let page = "+++\ntitle = \"Lamps\"\n+++\n# Lamps\n";
        assert_eq!(FrontMatter::split(page), Some((FrontMatter::Toml("title = \"Lamps\"\n"), "# Lamps\n")));
        assert_eq!((plain(page).as_str(), strip_front_matter(page)), ("Lamps\n", "# Lamps\n"));
        assert_eq!(FrontMatter::split("---\na: 1\n---\nb"), Some((FrontMatter::Yaml("a: 1\n"), "b")));
        assert_eq!(strip_front_matter("+++\ntitle = 1\nnever closed"), "+++\ntitle = 1\nnever closed");
    }

    #[test]
    fn attribute_lists_are_split_off_headings_and_other_braces_stay() {
        for (heading, text, id) in [
            ("Lamps { #lamps }", "Lamps", Some("lamps")),
            ("Lamps {#lamps}", "Lamps", Some("lamps")),
            ("Lamps {: #lamps .wide title=\"a b\" }", "Lamps", Some("lamps")),
            ("Lamps {: .wide}", "Lamps", None),
            ("Lamps {/* #lamps */}", "Lamps", Some("lamps")),
            ("Lamps \\{#lamps}", "Lamps", Some("lamps")),
            ("Lamps {#a} { .b }", "Lamps", Some("a")),
            ("The set {a, b}", "The set {a, b}", None),
            ("{#if ...}", "{#if ...}", None),
            ("Use {{name}}", "Use {{name}}", None),
        ] {
            assert_eq!(split_attributes(heading), (text, id), "{heading}");
        }
        assert_eq!(plain("## Lamps { #lamps }\n"), "Lamps\n");
    }

    #[test]
    fn front_matter_is_split_only_where_it_is_closed() {
        assert_eq!(split_front_matter("---\na: 1\n---\nbody"), Some(("a: 1\n", "body")));
        assert_eq!(split_front_matter("---\na: 1\nbody"), None);
        assert_eq!(split_front_matter("body\n---\n"), None);
    }
}
