//! Headings of Markdown and MDX, line by line: no renderer is needed for an outline. The one reader of them for outlines, sections and what
//! an agent asks for by its heading. reStructuredText has its own reader, beside the connectors.

use std::borrow::Cow;

use pulldown_cmark::{BrokenLink, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::fence::Fence;

/// A heading outside of fenced code, comments, scripts and front matter.
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
    let mut at = text.len() - super::strip_front_matter(text).trim_start_matches('\u{feff}').len();
    let mut found = Vec::new();
    let (mut fence, mut verbatim) = (None::<Fence>, None);
    // The two lines above, and where they start.
    let mut above = [(at, ""); 2];
    for line in text[at..].split_inclusive('\n') {
        let start = at;
        at += line.len();
        let opened = verbatim.map(|end| (end, line)).or_else(|| opens_verbatim(line).filter(|_| fence.is_none()));
        verbatim = opened.and_then(|(end, inside)| (!inside.contains(end)).then_some(end));
        let is_code = fence.is_some();
        if opened.is_none() {
            fence = Fence::below(fence, line);
        }
        if opened.is_some() || is_code || fence.is_some() {
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

/// The blocks of HTML in which nothing is Markdown, by what opens them, and what closes them in the same line or further below (`CommonMark`,
/// section 4.6).
const VERBATIM: [(&str, &str); 4] =
    [("<!--", "-->"), ("<script", "</script>"), ("<style", "</style>"), ("<pre", "</pre>")];

/// What closes the verbatim block that a line opens, and the line behind its opening; one that stands further right belongs to a paragraph,
/// which a heading ends.
fn opens_verbatim(line: &str) -> Option<(&'static str, &str)> {
    let text = line.trim_start_matches(' ');
    let (open, close) = VERBATIM.into_iter().find(|(open, _)| text.starts_with(open))?;
    let inside = &text[open.len()..];
    let is_tag = open == "<!--" || inside.starts_with(|c: char| c == '>' || c.is_ascii_whitespace());
    (is_tag && line.len() - text.len() <= 3).then_some((close, inside))
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
        && !text.starts_with("export ")
        && !is_definition(text);
    (is_rule && is_paragraph).then_some((if mark == '=' { 1 } else { 2 }, text.trim()))
}

/// `[label]: address`, also as the comment `[//]: # (words)`: a line that is not shown.
fn is_definition(line: &str) -> bool {
    let label = line.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    label.is_some_and(|(_, behind)| behind.starts_with(':'))
}

/// The raw text of a heading without its id, and the id.
fn named(raw: &str) -> (&str, Option<&str>) {
    let (title, id) = super::split_attributes(raw);
    match title.strip_suffix("]]").and_then(|title| title.rsplit_once("[[")) {
        Some((title, anchor)) if id.is_none() => (title.trim_end(), Some(anchor)),
        _ => (title, id),
    }
}

/// The words of a heading, as `CommonMark` reads them in one line: link targets, emphasis, code marks, tags, `{/* … */}` and what [`named`]
/// takes off go, and so do images behind words, which are badges and icons.
pub fn plain(line: &str) -> String {
    let line = without_comments(named(line).0);
    let heading = format!("# {line}");
    let mut words = String::with_capacity(line.len());
    let defined = |link| defined_elsewhere(&heading, link);
    let parser = Parser::new_with_broken_link_callback(&heading, Options::ENABLE_STRIKETHROUGH, Some(defined));
    let (mut images, mut has_words) = (0_usize, false);
    for event in parser {
        let is_code = matches!(event, Event::Code(_));
        match event {
            Event::Start(Tag::Image { .. }) => images += 1,
            Event::End(TagEnd::Image) => images -= 1,
            Event::Text(text) | Event::Code(text) if images == 0 || !has_words => {
                // MyST writes the name of a role in braces in front of its code.
                let role = if is_code { before_role(&words) } else { None };
                words.truncate(role.unwrap_or(words.len()));
                words.push_str(role.map_or(&*text, |_| of_role(&text)));
                has_words |= images == 0 && text.contains(char::is_alphanumeric);
            }
            _ => {}
        }
    }
    crate::clean::line(&words)
}

/// What a reader sees of the text of a Sphinx role: `text <target>`, `~module.Name`.
pub fn of_role(text: &str) -> &str {
    let named = text.split_once(" <").filter(|(_, target)| target.ends_with('>'));
    named.map_or(text, |(name, _)| name).trim_start_matches(['~', '!'])
}

/// Where the name of a role begins that a text ends with: `{py:class}`.
fn before_role(text: &str) -> Option<usize> {
    let (before, name) = text.strip_suffix('}')?.rsplit_once('{')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b':' | b'.' | b'+'));
    is_name.then_some(before.len())
}

/// A `[text][label]` is a link: its definition may stand anywhere in the page. In `[optional]` the brackets are words, and in `[![badge]][label]`
/// an image's.
fn defined_elsewhere<'h>(heading: &str, link: BrokenLink<'h>) -> Option<(CowStr<'h>, CowStr<'h>)> {
    let is_badge = heading[link.span.clone()].starts_with('!') && heading[..link.span.start].ends_with('[');
    (link.link_type == LinkType::Reference || is_badge).then(|| (link.reference, CowStr::from("")))
}

/// A line without MDX's comments.
fn without_comments(line: &str) -> Cow<'_, str> {
    let mut line = Cow::Borrowed(line);
    while let Some((before, comment)) = line.split_once("{/*")
        && let Some((_, after)) = comment.split_once("*/}")
    {
        line = Cow::Owned([before, after].concat());
    }
    line
}

#[cfg(test)]
mod tests {
    use super::{headings, plain};

    #[test]
    fn code_in_a_heading_keeps_what_elsewhere_would_be_a_mark() {
        for (title, words) in [
            ("The `Vec<u8>` type", "The Vec<u8> type"),
            ("`a*b` and *c*", "a*b and c"),
            ("{meth}`~lamp.Lamp.light` and {doc}`oil <fill>`", "lamp.Lamp.light and oil"),
            ("{a b}`c`, {1}`d` and {e} `f <g>`", "{a b}c, {1}d and {e} f <g>"),
            ("`` a`b `` <b>c</b>", "a`b c"),
            ("an `open mark, 2 * 3 and ~~old~~", "an `open mark, 2 * 3 and old"),
        ] {
            assert_eq!(plain(title), words);
        }
    }

    #[test]
    fn a_character_reference_is_the_character_and_no_mark() {
        for (title, words) in [
            ("Questions &amp; answers", "Questions & answers"),
            ("The &lt;Tip&gt; component", "The <Tip> component"),
            ("It&#8217;s &#x41; &mdash; &ast;b&ast;", "It’s A — *b*"),
            ("`&amp;` in code, a&b; c &nothing; & d;", "&amp; in code, a&b; c &nothing; & d;"),
            ("AT&T; R&D", "AT&T; R&D"),
        ] {
            assert_eq!(plain(title), words, "{title}");
        }
    }

    #[test]
    fn brackets_and_underscores_go_where_they_mark_something() {
        for (title, words) in [
            ("Model Sources [optional]", "Model Sources [optional]"),
            ("[Date]: [what] is done", "[Date]: [what] is done"),
            ("See [the guide](https://e.x/a) [now]", "See the guide [now]"),
            ("[the guide][1] and [a [b]](c)", "the guide and a [b]"),
            ("![a lamp](a.png) [![b](b.png)](c) ![d]", "a lamp b ![d]"),
            ("Groups \\[all\\] [open", "Groups [all] [open"),
            ("Title[[id]]", "Title"),
            ("<https://lamp.example> {/* or */}lamp <Tip kind={a}>now</Tip>", "https://lamp.example lamp now"),
            ("Pull the _user_ prompt __now__", "Pull the user prompt now"),
            ("_Why does snake_case not work?_", "Why does snake_case not work?"),
            ("_helpers and my_file_name", "_helpers and my_file_name"),
            ("a _ b _c_", "a _ b c"),
            ("\\_a_ `_b_`", "_a_ _b_"),
            ("Lamp &emsp; [![Build Status]][ci] [![Oil: 5+]][Oil 5]", "Lamp"),
            ("Lamp ![Build](b.svg) [![Licence](l.svg)](LICENSE) 2", "Lamp 2"),
            ("[![Lamp](logo.png)](https://lamp.example)", "Lamp"),
        ] {
            assert_eq!(plain(title), words, "{title}");
        }
    }

    #[test]
    fn nothing_in_a_comment_and_no_definition_is_a_heading() {
        let page = "# Lamp\n<!-- # one -->\n<!--\n## Hidden\n```\nOil\n---\n-->\n## Wick\n\n[//]: # (A note)\n---\n\n\
                    [lamp]: https://lamp.example\n---\n\n```html\n<!--\n```\n### Glass\nwords <!-- and\n#### Base\n-->\n";
        let shown: Vec<_> = headings(page).iter().map(|h| plain(h.title)).collect();
        assert_eq!(shown, ["Lamp", "Wick", "Glass", "Base"]);
    }

    #[test]
    fn nothing_in_a_script_or_in_text_as_it_was_typed_is_a_heading() {
        let page = "<script setup>\nconst a = `\n# no\n`\n</script>\n# Lamp\n<style>h1 { a: b }</style>\n## Oil\n<pre>\n# no\n```\n</pre>\n\
                    <prefix>\n### Wick\n<p><pre>\n#### Glass\n```html\n<pre>\n```\n##### Base\n";
        let shown: Vec<_> = headings(page).iter().map(|h| plain(h.title)).collect();
        assert_eq!(shown, ["Lamp", "Oil", "Wick", "Glass", "Base"]);
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

    #[test]
    fn a_byte_order_mark_hides_no_heading() {
        let page = "\u{feff}# Lamp\n";
        let shown: Vec<_> = headings(page).iter().map(|h| (h.at, h.level, plain(h.title))).collect();
        assert_eq!(shown, [(3, 1, "Lamp".to_owned())]);
    }
}
