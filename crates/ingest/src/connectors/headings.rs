//! Headings of a Markdown or MDX page, with the anchors that GitHub gives them. Line-based: no renderer is needed for an outline.

use std::collections::HashMap;

use refdesk_core::item::Heading;
use refdesk_core::text::split_front_matter;

/// Most headings that are kept of one page.
pub const HEADINGS_MAX: usize = 500;

/// The headings of a page in order, outside of code fences and front matter.
pub fn of(markdown: &str) -> Vec<Heading> {
    let body = split_front_matter(markdown).map_or(markdown, |(_, body)| body);
    let mut headings = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut fence: Option<(char, usize)> = None;
    for line in body.lines() {
        if let Some(open) = fence {
            if closes(line, open) {
                fence = None;
            }
            continue;
        }
        fence = opens(line);
        if fence.is_some() {
            continue;
        }
        let Some((level, text)) = heading(line) else { continue };
        let text = plain(text);
        if text.is_empty() || headings.len() == HEADINGS_MAX {
            continue;
        }
        let slug = anchor(&text, &mut seen);
        headings.push(Heading { level, text, slug });
    }
    headings
}

/// Splits a line of a fence: its character and length, when the line opens a code fence.
pub fn opens(line: &str) -> Option<(char, usize)> {
    let trimmed = line.trim_start();
    let mark = trimmed.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = trimmed.chars().take_while(|c| *c == mark).count();
    let info = &trimmed[length..];
    (length >= 3 && !(mark == '`' && info.contains('`'))).then_some((mark, length))
}

/// True when the line closes the fence.
pub fn closes(line: &str, (mark, length): (char, usize)) -> bool {
    let trimmed = line.trim();
    trimmed.chars().count() >= length && trimmed.chars().all(|c| c == mark)
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

/// A heading's words: link targets, emphasis, code marks, tags, `{#id}`, `{/* … */}` and `[[id]]` go.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skip = match c {
            '<' if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!') => {
                rest.find('>').map(|end| end + 1)
            }
            '[' if rest.starts_with("[[") => rest.find("]]").map(|end| end + 2),
            '{' if rest.starts_with("{#") || rest.starts_with("{/*") => rest.find('}').map(|end| end + 1),
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

/// GitHub's anchor: lower case, letters, digits, `-` and `_` stay, blanks become `-`; a repeated one gets `-1`, `-2`, …
fn anchor(text: &str, seen: &mut HashMap<String, usize>) -> String {
    let mut slug = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        match c {
            ' ' => slug.push('-'),
            '-' | '_' => slug.push(c),
            c if c.is_alphanumeric() => slug.push(c),
            _ => {}
        }
    }
    let count = seen.entry(slug.clone()).or_insert(0);
    *count += 1;
    if *count == 1 { slug } else { format!("{slug}-{}", *count - 1) }
}

#[cfg(test)]
mod tests {
    use super::of;

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
                "3 See the guide #see-the-guide",
                "2 Überblick #überblick",
            ]
        );
    }
}
