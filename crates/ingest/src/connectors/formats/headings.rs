//! Headings of a Markdown or MDX page, with the anchors that GitHub gives them, or that an attribute list gives them (`{ #id }`).
//! Line-based: no renderer is needed for an outline. reStructuredText has its own reader, [`crate::connectors::formats::rst`].

use refdesk_core::item::Heading;
use refdesk_core::text::anchors::Anchors;
use refdesk_core::text::fence::Fence;
use refdesk_core::text::{split_attributes, strip_front_matter};
use refdesk_core::within::within;

/// Most headings that are kept of one page.
pub const HEADINGS_MAX: usize = 500;

/// The headings of a page in order, outside of code fences and front matter, as far as it lies within the caps on texts that are parsed.
pub fn of(markdown: &str) -> Vec<Heading> {
    let mut outline = Outline::default();
    let mut fence: Option<Fence> = None;
    // The two lines above: a paragraph of one line over `===` or `---` is a heading.
    let mut above = ["", ""];
    for line in within(strip_front_matter(markdown)).0.lines() {
        if let Some(open) = fence {
            fence = (!closes(line, open)).then_some(open);
            above = ["", ""];
            continue;
        }
        fence = opens(line);
        if fence.is_none() {
            if let Some((level, text)) = heading(line).or_else(|| underlined(above, line)) {
                outline.add(level, text);
                above = ["", ""];
                continue;
            }
            above = [above[1], line];
        }
    }
    outline.headings
}

/// The headings of a page while it is read.
#[derive(Default)]
pub(crate) struct Outline {
    pub(crate) headings: Vec<Heading>,
    anchors: Anchors,
}

impl Outline {
    /// Adds a heading; one without words is none.
    fn add(&mut self, level: u8, raw: &str) {
        let (text, id) = split_attributes(raw);
        // doc-builder writes `Title[[id]]`.
        let id = id.or_else(|| raw.trim_end().strip_suffix("]]")?.rsplit_once("[[").map(|(_, id)| id));
        let text = plain(text);
        if text.is_empty() || self.headings.len() == HEADINGS_MAX {
            return;
        }
        let slug = match id {
            Some(id) => {
                self.anchors.take(id);
                id.to_owned()
            }
            None => self.anchors.next(&text),
        };
        self.headings.push(Heading { level, text, slug });
    }
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

/// The code fence that a line opens.
pub fn opens(line: &str) -> Option<Fence> {
    Fence::opened_by(line)
}

/// True when the line closes the fence.
pub fn closes(line: &str, fence: Fence) -> bool {
    fence.is_closed_by(line)
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

/// A heading's words: link targets, emphasis, code marks, tags, `{/* … */}` and `[[id]]` go.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
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
    refdesk_core::clean::line(&out)
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn an_explicit_id_is_the_slug_and_never_part_of_the_words() {
        let page = "# First steps { #start }\n## Oil\n## Oil {: #which-oil .wide }\n## Oil\n## `{#if}` blocks\n";
        let shown: Vec<String> = of(page).iter().map(|h| format!("{} #{}", h.text, h.slug)).collect();
        assert_eq!(
            shown,
            ["First steps #start", "Oil #oil", "Oil #which-oil", "Oil #oil-1", "{#if} blocks #if-blocks"]
        );
    }

    #[test]
    fn an_underlined_line_is_a_heading_and_a_rule_is_none() {
        let page = "Lamps\n=====\n\nWords.\nMore words.\n---\n\nOil\n---\n\n| a |\n---\n\n---\n- item\n---\n";
        let shown: Vec<String> = of(page).iter().map(|h| format!("{} {}", h.level, h.text)).collect();
        assert_eq!(shown, ["1 Lamps", "2 Oil"]);
    }

    #[test]
    fn headings_carry_level_words_and_githubs_anchor() {
        let page = "---\ntitle: x\n---\n# The `serve` command\n\n```sh\n# no heading\n```\n## Usage & limits ##\n## Usage & limits\n\
                    ### See [the guide](https://e.x/#a) {#see}\n####### seven\n#tag\n## Überblick[[overview]]\n";
        let shown: Vec<String> = of(page).iter().map(|h| format!("{} {} #{}", h.level, h.text, h.slug)).collect();
        assert_eq!(
            shown,
            [
                "1 The serve command #the-serve-command",
                "2 Usage & limits #usage--limits",
                "2 Usage & limits #usage--limits-1",
                "3 See the guide #see",
                "2 Überblick #overview",
            ]
        );
    }
}
