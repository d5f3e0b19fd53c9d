//! Plain text out of Markdown, notebooks' prose and MDX, for the search index and snippets. Not a renderer.

/// Takes Markdown's marks away and keeps what a reader reads: front matter, code fences' marks, HTML and JSX tags, link targets
/// and image targets go; words, link texts, headings and code stay. One line per source line, hidden characters removed.
pub fn plain(markdown: &str) -> String {
    let markdown = strip_front_matter(markdown);
    let mut out = String::with_capacity(markdown.len());
    let mut in_fence = false;
    for line in markdown.lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            in_fence = !in_fence;
            continue;
        }
        if in_fence {
            out.push_str(trimmed);
        } else if is_mdx_statement(trimmed) {
            continue;
        } else {
            inline(trimmed.trim_start_matches(['#', '>', '-', '*', '+', ' ', '|']), &mut out);
        }
        out.push('\n');
    }
    crate::clean::visible(&out).0.into_owned()
}

/// The Markdown after its YAML front matter (`---` … `---` at the very top), or all of it when it has none.
pub fn strip_front_matter(markdown: &str) -> &str {
    split_front_matter(markdown).map_or(markdown, |(_, body)| body)
}

/// The YAML front matter and the Markdown after it; `None` when the text does not open with a closed front matter.
pub fn split_front_matter(markdown: &str) -> Option<(&str, &str)> {
    let text = markdown.trim_start_matches('\u{feff}');
    let rest = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"))?;
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((&rest[..at], &rest[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

/// `import …` and `export …` lines of MDX.
fn is_mdx_statement(line: &str) -> bool {
    (line.starts_with("import ") && (line.contains(" from ") || line.contains('"') || line.contains('\'')))
        || line.starts_with("export const ")
        || line.starts_with("export default ")
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
    use super::{plain, split_front_matter};

    #[test]
    fn markdown_and_mdx_become_the_words_a_reader_reads() {
        let page = "---\ntitle: T\n---\nimport { X } from 'y'\n# Head `code`\n\nSee [the **guide**](https://e.x/a) <Tip kind=\"a\">now</Tip>.\n```js\nlet a = 1;\n```\n| a | b |\n";
        assert_eq!(plain(page), "Head code\n\nSee the guide  now .\nlet a = 1;\na   b  \n");
    }

    #[test]
    fn front_matter_is_split_only_where_it_is_closed() {
        assert_eq!(split_front_matter("---\na: 1\n---\nbody"), Some(("a: 1\n", "body")));
        assert_eq!(split_front_matter("---\na: 1\nbody"), None);
        assert_eq!(split_front_matter("body\n---\n"), None);
    }
}
