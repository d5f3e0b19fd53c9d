//! Headings of Markdown and MDX, line by line: no renderer is needed for an outline. The one reader of them for outlines, sections and what
//! an agent asks for by its heading. reStructuredText has its own reader, beside the connectors.

use pulldown_cmark::{Event, Parser};

use super::fence::Fence;

/// A heading outside of fenced code, comments and front matter.
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
    let (mut fence, mut in_comment) = (None::<Fence>, false);
    // The two lines above, and where they start.
    let mut above = [(at, ""); 2];
    for line in text[at..].split_inclusive('\n') {
        let start = at;
        at += line.len();
        let was_comment = in_comment;
        in_comment = fence.is_none() && is_comment_below(in_comment, line);
        let is_comment = was_comment || in_comment || fence.is_none() && opens_comment(line).is_some();
        let is_code = fence.is_some();
        if !is_comment {
            fence = Fence::below(fence, line);
        }
        if is_comment || is_code || fence.is_some() {
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

/// What stands behind the mark that opens a comment at the beginning of a line; one further right belongs to a paragraph, which a heading ends.
fn opens_comment(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(' ');
    text.strip_prefix("<!--").filter(|_| line.len() - text.len() <= 3)
}

/// Whether a comment is open below a line: it ends with the line that closes it.
fn is_comment_below(above: bool, line: &str) -> bool {
    let comment = if above { Some(line) } else { opens_comment(line) };
    comment.is_some_and(|text| !text.contains("-->"))
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

/// The words of one line: link targets, emphasis, code marks, tags, `{/* … */}` and `[[id]]` go. Code stays as it is, and so do brackets and
/// underscores that mark nothing.
pub fn plain(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let brackets = link_brackets(line);
    let mut emphasis = Emphasis::default();
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let at = line.len() - rest.len();
        let is_of_link = |at: usize| brackets.binary_search(&at).is_ok();
        if c == '`'
            && let Some((code, after)) = code_span(rest)
        {
            out.push_str(code);
            rest = after;
            continue;
        }
        if c == '&'
            && let Some((shown, after)) = character(rest)
        {
            out.push_str(&shown);
            rest = after;
            continue;
        }
        if c == '_' {
            let (run, after) = rest.split_at(rest.len() - rest.trim_start_matches('_').len());
            if !emphasis.is_mark(line, at, run.len()) {
                out.push_str(run);
            }
            rest = after;
            continue;
        }
        let skip = match c {
            '<' if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!') => {
                rest.find('>').map(|end| end + 1)
            }
            '[' => built_id(rest).or_else(|| is_of_link(at).then_some(1)),
            ']' if is_of_link(at) => target_end(rest).or(Some(1)),
            '!' if rest.starts_with("![") && is_of_link(at + 1) => Some(2),
            '{' if rest.starts_with("{/*") => rest.find('}').map(|end| end + 1),
            '`' | '*' => Some(1),
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

/// The character that a reference at the beginning of a text stands for (`&lt;`, `&#8217;`), and what follows.
fn character(rest: &str) -> Option<(String, &str)> {
    let name = rest.strip_prefix('&')?;
    let behind = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '#').strip_prefix(';')?;
    let reference = &rest[..rest.len() - behind.len()];
    let shown: String = Parser::new(reference)
        .filter_map(|event| if let Event::Text(text) = event { Some(text.into_string()) } else { None })
        .collect();
    (shown != reference).then_some((shown, behind))
}

/// The length of an `[[id]]`, as doc-builder writes it.
fn built_id(rest: &str) -> Option<usize> {
    rest.starts_with("[[").then(|| rest.find("]]")).flatten().map(|end| end + 2)
}

/// The length of what ends a link's text: `](address)` or `][label]`.
fn target_end(rest: &str) -> Option<usize> {
    let end = match rest.as_bytes() {
        [b']', b'(', ..] => rest.find(')'),
        [b']', b'[', ..] => rest[1..].find(']').map(|end| end + 1),
        _ => None,
    };
    end.map(|end| end + 1)
}

/// Where the brackets around the texts of links and images are, in order. Others are words: `Sources [optional]`.
fn link_brackets(line: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut open = Vec::new();
    // Looked up once: a line of brackets that nothing closes is passed over in time proportional to its length.
    let last = [')', ']'].map(|mark| line.rfind(mark).unwrap_or(0));
    let mut at = 0;
    while let Some(byte) = line.as_bytes().get(at) {
        let rest = &line.as_bytes()[at..];
        at += match byte {
            b'\\' => 2,
            b'`' => line.get(at..).and_then(code_span).map_or(1, |(_, after)| line.len() - after.len() - at),
            b'[' => {
                let id = line.get(at..).and_then(built_id);
                if id.is_none() {
                    open.push(at);
                }
                id.unwrap_or(1)
            }
            b']' => {
                let has_target = match rest {
                    [_, b'(', ..] => last[0] > at,
                    [_, b'[', ..] => last[1] > at + 1,
                    _ => false,
                };
                match open.pop().filter(|_| has_target) {
                    Some(start) => {
                        found.extend([start, at]);
                        line.get(at..).and_then(target_end).unwrap_or(1)
                    }
                    None => 1,
                }
            }
            _ => 1,
        };
    }
    found.sort_unstable();
    found
}

/// The longest run of underscores that marks something: `___strong and emphasised___`.
const LONGEST_RUN: usize = 3;

/// Emphasis by underscores, which inside of a word are a part of it (`snake_case`).
#[derive(Default)]
struct Emphasis {
    /// By the length of a run: where the one is that closes the open one.
    closing: [Option<usize>; LONGEST_RUN + 1],
    /// By the length of a run: no other one closes any more.
    is_over: [bool; LONGEST_RUN + 1],
}

impl Emphasis {
    /// Whether the run of underscores at a place opens or closes an emphasis.
    fn is_mark(&mut self, line: &str, at: usize, run: usize) -> bool {
        if run > LONGEST_RUN {
            return false;
        }
        let begins_word =
            !line[..at].ends_with(char::is_alphanumeric) && line[at + run..].starts_with(|c: char| !c.is_whitespace());
        match self.closing[run] {
            Some(end) if end == at => {
                self.closing[run] = None;
                true
            }
            Some(end) if end > at => false,
            _ if self.is_over[run] || !begins_word => false,
            _ => {
                self.closing[run] = closing_run(line, at + run, run);
                self.is_over[run] = self.closing[run].is_none();
                !self.is_over[run]
            }
        }
    }
}

/// The first run of so many underscores behind a place that ends a word.
fn closing_run(line: &str, mut at: usize, run: usize) -> Option<usize> {
    loop {
        at += line[at..].find('_')?;
        let after = line[at..].trim_start_matches('_');
        let found = line.len() - after.len() - at;
        let ends_word = !line[..at].ends_with(|c: char| c.is_whitespace() || c == '\\');
        if found == run && ends_word && !after.starts_with(char::is_alphanumeric) {
            return Some(at);
        }
        at += found;
    }
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
            ("Pull the _user_ prompt __now__", "Pull the user prompt now"),
            ("_Why does snake_case not work?_", "Why does snake_case not work?"),
            ("_helpers and my_file_name", "_helpers and my_file_name"),
            ("a _ b _c_", "a _ b c"),
            ("\\_a_ `_b_`", "_a_ _b_"),
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
