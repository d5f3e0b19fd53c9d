//! Balances HTML, so that a parser reads it in time and memory proportional to its length: only allowed tags, closed in the order they
//! were opened, nested no deeper than the cap, with few attributes, and without comments, declarations and scripts.
//!
//! This does not make a page safe: [`ammonia`] sanitises the output. HTML's parsing algorithm repairs wrong nesting by reopening elements
//! (the adoption agency algorithm), which can turn a megabyte into gigabytes; balanced elements need no repair.

use std::collections::HashSet;
use std::sync::LazyLock;

use refdesk_core::text::word_array;
use refdesk_core::within::NESTING_MAX;

use super::{LinkBase, RenderLimit, sanitiser};

/// Most elements of a page. Formatting that is open where a block begins counts again with each block, because a parser reopens it there.
pub(super) const NODES_MAX: usize = 300_000;
/// A tag with more attributes than this loses them: a parser compares each with all others.
const ATTRIBUTES_MAX: usize = 32;
/// Longest tag, in bytes; anything longer is text.
const TAG_BYTES_MAX: usize = 8 * 1024;
/// Most bytes scanned for each byte of the text: without it, many unclosed tags would be scanned again and again.
const SCANS_PER_BYTE: usize = 16;

/// Tags that pages may have.
static ALLOWED_TAGS: LazyLock<HashSet<&str>> = LazyLock::new(|| sanitiser(LinkBase::default()).clone_tags());

const VOID_ELEMENTS: [&str; 6] = ["area", "br", "col", "hr", "img", "wbr"];
/// Elements that are removed with their content.
const REMOVED_ELEMENTS: [&str; 2] = ["script", "style"];
/// Elements that a parser reopens when they were not closed in order.
const FORMATTING_ELEMENTS: [&str; 14] =
    ["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];
/// Elements that end an open paragraph where they begin.
const PARAGRAPH_ENDERS: [&str; 27] = word_array(
    "article aside blockquote center dd details div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr \
     nav ol p pre table ul",
);

/// The balanced form of an HTML text.
///
/// # Errors
/// The cap that it exceeds: nesting or elements.
pub(super) fn balanced(html: &str) -> Result<String, RenderLimit> {
    let mut balancer =
        Balancer { out: String::with_capacity(html.len() + html.len() / 8), open: Vec::new(), formatting: 0, nodes: 0 };
    let (mut at, mut scans_left) = (0, html.len() * SCANS_PER_BYTE + TAG_BYTES_MAX);
    while let Some(found) = html[at..].find('<') {
        balancer.out.push_str(&html[at..at + found]);
        at += found;
        let (piece, scanned) = Markup::scan(&html[at..]);
        scans_left = scans_left.checked_sub(scanned).ok_or(RenderLimit::Elements)?;
        at += match piece {
            Markup::Text => {
                balancer.out.push_str("&lt;");
                1
            }
            Markup::Removed(length) => length,
            Markup::Tag(tag) => {
                balancer.tag(&tag)?;
                tag.length
            }
        };
    }
    balancer.out.push_str(&html[at..]);
    while balancer.close_last() {}
    Ok(balancer.out)
}

struct Balancer {
    out: String,
    open: Vec<String>,
    /// How many of the open elements are formatting.
    formatting: usize,
    nodes: usize,
}

impl Balancer {
    fn tag(&mut self, tag: &HtmlTag<'_>) -> Result<(), RenderLimit> {
        // The tag and the text after it, with the formatting that a parser might reopen for it.
        self.nodes += 2 + self.formatting;
        if self.nodes > NODES_MAX {
            return Err(RenderLimit::Elements);
        }
        if tag.name == "img" {
            self.out.push_str(&tag.attribute("alt").unwrap_or_default().replace('<', "&lt;"));
            return Ok(());
        }
        if !ALLOWED_TAGS.contains(tag.name.as_str()) {
            return Ok(());
        }
        if tag.closes {
            self.close(&tag.name);
            return Ok(());
        }
        while self.open.last().is_some_and(|last| is_ended_by(last, &tag.name)) {
            self.close_last();
        }
        self.out.push('<');
        self.out.push_str(&tag.name);
        self.out.push_str(tag.attributes);
        self.out.push('>');
        if VOID_ELEMENTS.contains(&tag.name.as_str()) {
            return Ok(());
        }
        self.formatting += usize::from(FORMATTING_ELEMENTS.contains(&tag.name.as_str()));
        self.open.push(tag.name.clone());
        if self.open.len() > NESTING_MAX {
            return Err(RenderLimit::Nesting);
        }
        if tag.is_self_closed {
            self.close_last();
        }
        Ok(())
    }

    /// Closes an element and everything opened in it. A closing tag inside a table does not close what was opened outside.
    fn close(&mut self, name: &str) {
        let in_table =
            |name: &str| matches!(name, "table" | "caption" | "thead" | "tbody" | "tfoot" | "tr" | "td" | "th");
        let reached = self.open.iter().rposition(|open| open == name || (!in_table(name) && in_table(open)));
        if let Some(at) = reached.filter(|at| self.open[*at] == name) {
            while self.open.len() > at {
                self.close_last();
            }
        }
    }

    fn close_last(&mut self) -> bool {
        let Some(last) = self.open.pop() else { return false };
        self.formatting -= usize::from(FORMATTING_ELEMENTS.contains(&last.as_str()));
        self.out.push_str("</");
        self.out.push_str(&last);
        self.out.push('>');
        true
    }
}

/// Whether an element without a closing tag ends where another begins.
fn is_ended_by(open: &str, next: &str) -> bool {
    match open {
        "p" => PARAGRAPH_ENDERS.contains(&next),
        "li" => next == "li",
        "dt" | "dd" => matches!(next, "dt" | "dd"),
        "td" | "th" => matches!(next, "td" | "th" | "tr" | "tbody" | "thead" | "tfoot"),
        "tr" => matches!(next, "tr" | "tbody" | "thead" | "tfoot"),
        "thead" | "tbody" | "tfoot" => matches!(next, "tbody" | "thead" | "tfoot"),
        _ => false,
    }
}

/// What a `<` begins.
enum Markup<'a> {
    /// Plain text.
    Text,
    /// This many bytes to remove.
    Removed(usize),
    Tag(HtmlTag<'a>),
}

struct HtmlTag<'a> {
    /// In lower case.
    name: String,
    closes: bool,
    is_self_closed: bool,
    /// As written, with the space before them; empty when there are too many.
    attributes: &'a str,
    length: usize,
}

impl<'a> Markup<'a> {
    /// Scans what begins here. Also gives the number of bytes scanned.
    fn scan(html: &'a str) -> (Self, usize) {
        let end_of = |mark: &str| html.find(mark).map_or(html.len(), |at| at + mark.len());
        if html.starts_with("<!--") {
            let length = if html.starts_with("<!-->") { 5 } else { end_of("-->") };
            return (Self::Removed(length), length);
        }
        if html.starts_with("<!") || html.starts_with("<?") {
            let length = end_of(">");
            return (Self::Removed(length), length);
        }
        let Some(tag) = HtmlTag::parse(html) else { return (Self::Text, TAG_BYTES_MAX.min(html.len())) };
        if tag.closes || !REMOVED_ELEMENTS.contains(&tag.name.as_str()) {
            let scanned = tag.length;
            return (Self::Tag(tag), scanned);
        }
        let end = html.as_bytes()[tag.length..]
            .windows(tag.name.len() + 2)
            .position(|window| window.starts_with(b"</") && window[2..].eq_ignore_ascii_case(tag.name.as_bytes()));
        let length = end.map_or(html.len(), |at| tag.length + at);
        (Self::Removed(length), length)
    }
}

impl<'a> HtmlTag<'a> {
    /// Parses a tag by the rules of HTML's tokeniser.
    fn parse(html: &'a str) -> Option<Self> {
        let bytes = &html.as_bytes()[..html.len().min(TAG_BYTES_MAX)];
        let closes = bytes.get(1) == Some(&b'/');
        let start = 1 + usize::from(closes);
        if !bytes.get(start)?.is_ascii_alphabetic() {
            return None;
        }
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>');
        let after_name = start + bytes[start..].iter().position(is_end)?;
        let name = html.get(start..after_name)?.to_ascii_lowercase();
        let (mut at, mut count, mut after_slash) = (after_name, 0, false);
        loop {
            match bytes.get(at)? {
                b'>' => break,
                b'/' => {
                    after_slash = true;
                    at += 1;
                }
                byte if byte.is_ascii_whitespace() => at += 1,
                _ => {
                    after_slash = false;
                    count += 1;
                    at = attribute_end(bytes, at)?;
                }
            }
        }
        let attributes = html.get(after_name..at)?;
        let attributes = attributes.trim_end_matches(|c: char| c == '/' || c.is_ascii_whitespace());
        let attributes = if closes || count > ATTRIBUTES_MAX { "" } else { attributes };
        Some(Self { name, closes, is_self_closed: after_slash, attributes, length: at + 1 })
    }
}

impl HtmlTag<'_> {
    /// The value of an attribute, as it is written.
    fn attribute(&self, wanted: &str) -> Option<&str> {
        let bytes = self.attributes.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            if bytes[at].is_ascii_whitespace() || bytes[at] == b'/' {
                at += 1;
                continue;
            }
            let end = attribute_end(bytes, at).unwrap_or(bytes.len());
            let (name, value) = self.attributes.get(at..end)?.split_once('=').unwrap_or_default();
            if name.trim().eq_ignore_ascii_case(wanted) {
                return Some(value.trim().trim_matches(['"', '\'']));
            }
            at = end;
        }
        None
    }
}

/// Where an attribute ends. A `<` in its name begins the next tag.
fn attribute_end(bytes: &[u8], start: usize) -> Option<usize> {
    // A first `=` is part of the name.
    let mut at = start + 1;
    if bytes.get(start) == Some(&b'<') {
        return None;
    }
    loop {
        match bytes.get(at)? {
            b'<' => return None,
            b'=' => break,
            b'/' | b'>' => return Some(at),
            byte if byte.is_ascii_whitespace() => {
                let next = at + bytes[at..].iter().position(|byte| !byte.is_ascii_whitespace())?;
                if bytes[next] != b'=' {
                    return Some(next);
                }
                at = next;
            }
            _ => at += 1,
        }
    }
    at += 1;
    at += bytes.get(at..)?.iter().position(|byte| !byte.is_ascii_whitespace())?;
    match bytes[at] {
        quote @ (b'"' | b'\'') => bytes[at + 1..].iter().position(|byte| *byte == quote).map(|length| at + length + 2),
        b'>' => Some(at),
        _ => bytes[at..].iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'>').map(|length| at + length),
    }
}

#[cfg(test)]
mod tests {
    use super::{NODES_MAX, TAG_BYTES_MAX, balanced};
    use crate::markdown::RenderLimit;

    #[test]
    fn tags_are_closed_in_order_and_what_pages_may_not_have_is_left_out() {
        for (html, wanted) in [
            ("a < b <c d> & e", "a &lt; b  & e"),
            ("<b>x<i>y</b>z</i>", "<b>x<i>y</i></b>z"),
            ("<ul><li>a<li>b</ul>c", "<ul><li>a</li><li>b</li></ul>c"),
            ("<p>a<p>b", "<p>a</p><p>b</p>"),
            (
                "<table><tr><td>a<td>b<tr><td>c</table>",
                "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>",
            ),
            ("<div><table><tr><td></div>x</table></div>", "<div><table><tr><td>x</td></tr></table></div>"),
            ("<br>a<br/><hr />", "<br>a<br><hr>"),
            ("<span/>x", "<span></span>x"),
            ("<DIV Title=\"a>b\">x</Div>", "<div Title=\"a>b\">x</div>"),
            ("<a href=x title='<'>y</a>", "<a href=x title='<'>y</a>"),
            ("<a b=\"c", "&lt;a b=\"c"),
            ("<a <b>x", "&lt;a <b>x</b>"),
            ("x<!-- <b> -->y<!-->z", "xyz"),
            ("<script>if (a < b) {}</script><b>x", "<b>x</b>"),
            ("<Tip kind=\"a\">t</Tip><Card/>", "t"),
            ("</b></p>x", "x"),
        ] {
            assert_eq!(balanced(html).as_deref(), Ok(wanted), "{html}");
        }
    }

    #[test]
    fn too_deep_and_too_much_are_told() {
        assert!(balanced(&"<div>".repeat(100)).is_ok());
        assert_eq!(balanced(&"<div>".repeat(101)), Err(RenderLimit::Nesting));
        assert_eq!(balanced(&"<br>".repeat(NODES_MAX)), Err(RenderLimit::Elements));
        let many = format!("<a {}href=x>y</a>", "b ".repeat(40));
        assert_eq!(balanced(&many).as_deref(), Ok("<a>y</a>"));
    }

    #[test]
    fn a_tag_that_is_too_long_is_text() {
        let tag = |bytes: usize| format!("<b title=\"{}\">", "x".repeat(bytes - "<b title=\"\">".len()));
        let (fits, long) = (tag(TAG_BYTES_MAX), tag(TAG_BYTES_MAX + 1));
        assert_eq!(balanced(&fits), Ok(format!("{fits}</b>")));
        assert_eq!(balanced(&long), Ok(format!("&lt;{}", &long[1..])));
    }
}
