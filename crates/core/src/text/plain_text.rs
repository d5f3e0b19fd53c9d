//! The words of a Markdown text, from the events of pulldown-cmark. It takes 1.13 times the instructions of a reader of our own that knew
//! neither code spans nor tables nor escapes (300 texts of 3.8 MB in all), so there is none.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::{mdx, split_attributes, strip_front_matter};

const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS);

/// Takes Markdown's marks away and keeps what a reader reads: front matter, code fences' marks, HTML and JSX tags, link targets
/// and image targets go; words, link texts, headings and code stay. One line per source line, hidden characters removed. Takes what lies within
/// the caps on texts that are parsed ([`within`](crate::within)).
pub fn plain(markdown: &str) -> String {
    let markdown = mdx::readable(crate::within::within(strip_front_matter(markdown)).0);
    let mut words = Words { source: &markdown, at: 0, out: String::with_capacity(markdown.len()) };
    let (mut heading, mut is_fenced) = (0, false);
    for (event, range) in Parser::new_ext(&markdown, OPTIONS).into_offset_iter() {
        match event {
            Event::Text(text) => words.push(&text, range),
            Event::Code(code) => words.push(&code, range),
            // Comments and tags may go over several lines, so a block is taken whole, and its lines are none of their own.
            Event::Start(Tag::HtmlBlock) => words.push_html(range),
            Event::InlineHtml(_) => words.push_html(range),
            Event::SoftBreak | Event::HardBreak => words.push("\n", range),
            Event::Start(Tag::Heading { .. }) => {
                words.lines_to(range.start);
                heading = words.out.len();
            }
            Event::End(TagEnd::Heading(_)) => {
                let kept = split_attributes(&words.out[heading..]).0.len();
                words.out.truncate(heading + kept);
            }
            // The lines of the fences are none of the text.
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => {
                words.lines_to(range.start);
                words.at = words.line_after(range.start);
                is_fenced = true;
            }
            Event::End(TagEnd::CodeBlock) => {
                // A fence that nothing closes ends where its container does.
                let is_closed = is_fenced && !words.source[range.clone()].ends_with('\n');
                words.at = if is_closed { words.line_after(range.end) } else { range.end };
                is_fenced = false;
            }
            Event::End(TagEnd::TableCell) => words.out.push(' '),
            _ => {}
        }
    }
    words.lines_to(markdown.len());
    if !words.out.is_empty() && !words.out.ends_with('\n') {
        words.out.push('\n');
    }
    crate::clean::visible(&words.out).into_owned()
}

/// What is read so far.
struct Words<'s> {
    source: &'s str,
    /// How far the source is read.
    at: usize,
    out: String,
}

impl Words<'_> {
    fn push(&mut self, text: &str, range: Range<usize>) {
        self.lines_to(range.start);
        self.out.push_str(text);
        self.at = range.end;
    }

    /// HTML without its comments and tags; the lines that they take stay.
    fn push_html(&mut self, range: Range<usize>) {
        self.lines_to(range.start);
        let mut rest = &self.source[range.clone()];
        while let Some(at) = rest.find('<') {
            self.out.push_str(&rest[..at]);
            rest = &rest[at..];
            let is_tag = rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
            let (closing, shown) = match () {
                () if rest.starts_with("<!--") => ("-->", " "),
                () if is_tag => (">", " "),
                () => ("<", "<"),
            };
            let end = rest.find(closing).map_or(rest.len(), |end| end + closing.len());
            self.out.push_str(shown);
            self.out.extend(rest[..end].matches('\n').map(|_| '\n'));
            rest = &rest[end..];
        }
        self.out.push_str(rest);
        self.at = range.end;
    }

    fn line_after(&self, place: usize) -> usize {
        self.source[place..].find('\n').map_or(self.source.len(), |end| place + end + 1)
    }

    /// Ends as many lines as the source does on its way there.
    fn lines_to(&mut self, place: usize) {
        let passed = self.source.as_bytes().get(self.at..place).unwrap_or_default();
        self.out.extend(passed.iter().filter(|byte| **byte == b'\n').map(|_| '\n'));
        self.at = self.at.max(place);
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn markdown_and_mdx_become_the_words_a_reader_reads() {
        let page = "---\ntitle: T\n---\nimport { X } from 'y'\n# Head `code`\n\nSee [the **guide**](https://e.x/a) <Tip kind=\"a\">now</Tip>.\n```js\nlet a = 1;\n```\n| a | b |\n|---|---|\n| c | d |\n";
        assert_eq!(plain(page), "Head code\n\nSee the guide now.\nlet a = 1;\na b \n\nc d \n");
    }

    #[test]
    fn what_only_attributes_say_is_found_and_what_only_a_machine_reads_is_not() {
        let page = "import { Oil } from 'lamp'\n\n<Install packages=\"@lamp/oil\" />\n\n![A lamp](/a.png)\n\n````md\n```\n````\nEnd.\n";
        assert_eq!(plain(page), "\n@lamp/oil\n\n\nA lamp\n\n```\nEnd.\n");
    }

    #[test]
    fn code_escapes_and_entities_are_what_they_show() {
        for (markdown, words) in [
            ("A `Vec<u8>` and `a*b`.\n", "A Vec<u8> and a*b.\n"),
            ("`` a`b `` \\*not\\* 2 < 3 &amp; &lt;tag&gt;\n", "a`b *not* 2 < 3 & <tag>\n"),
            ("_so_ ~~gone~~ snake_case <https://e.x>\n", "so gone snake_case https://e.x\n"),
            ("- [x] done[^1]\n- two\n  three\n\n[^1]: note\n", "done\ntwo\nthree\n\nnote\n"),
            ("> said\n> twice\n\nOil\n===\n", "said\ntwice\n\nOil\n\n"),
            ("    code\n\n    more\n", "code\n\nmore\n"),
            (
                "<div\nid=\"a\">\none <b>two</b>\n</div>\n\n<!-- no\nword > of\nit -->\nEnd",
                " \n\none  two \n \n\n \n\n\nEnd\n",
            ),
            ("last", "last\n"),
            ("", ""),
        ] {
            assert_eq!(plain(markdown), words, "{markdown}");
        }
    }
}
