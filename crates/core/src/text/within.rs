//! Caps on a text before anything parses it. Parsers of Markdown look at every open container on every line, so that a text nested as
//! deep as it is long takes them time by the square of its length: what is beyond the caps is not parsed. It stays a fact, with its bytes
//! and hash; headings, search and snippets take what lies before the place where it goes beyond, and a page shows it as it was written.

/// Most bytes of a text that are parsed.
pub const PARSED_BYTES_MAX: usize = 1024 * 1024;
/// Most containers (quotes, lists; on pages also elements) that may be open at one place of a text that is parsed.
pub const NESTING_MAX: usize = 100;

/// Why a text is not parsed as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beyond {
    /// It is longer than [`PARSED_BYTES_MAX`].
    Size,
    /// It nests deeper than [`NESTING_MAX`].
    Nesting,
}

/// The part of a Markdown text that lies within the caps, from its beginning to the end of a line (to a character, where the first line
/// alone is too long), and why the rest does not. One pass, whatever the text.
pub fn within(markdown: &str) -> (&str, Option<Beyond>) {
    let mut deepest = 0;
    let mut at = 0;
    for line in markdown.split_inclusive('\n') {
        let (marks, columns) = containers(line);
        // Lists nest by their indentation, of which each level has two columns at least, and no line opens more than its own marks.
        let depth = (marks + columns / 2).min(deepest + marks);
        deepest = deepest.max(depth);
        if deepest > NESTING_MAX {
            return (&markdown[..at], Some(Beyond::Nesting));
        }
        if at + line.len() > PARSED_BYTES_MAX {
            let end = if at == 0 { markdown.floor_char_boundary(PARSED_BYTES_MAX) } else { at };
            return (&markdown[..end], Some(Beyond::Size));
        }
        at += line.len();
    }
    (markdown, None)
}

/// The marks of quotes and list items that a line begins with, and the columns of white space among them. Never too few: what only looks
/// like a mark counts too.
fn containers(line: &str) -> (usize, usize) {
    let bytes = line.as_bytes();
    let (mut marks, mut columns, mut at) = (0, 0, 0);
    while let Some(byte) = bytes.get(at) {
        let (mark, blanks, length) = match byte {
            b' ' => (0, 1, 1),
            b'\t' => (0, 4, 1),
            b'>' => (1, 0, 1),
            b'-' | b'+' | b'*' if ends_mark(bytes, at + 1) => (1, 0, 1),
            b'0'..=b'9' => {
                let digits = bytes[at..].iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
                if !matches!(bytes.get(at + digits), Some(b'.' | b')')) || !ends_mark(bytes, at + digits + 1) {
                    break;
                }
                (1, 0, digits + 1)
            }
            // A footnote's definition holds what is indented below it.
            b'[' if bytes.get(at + 1) == Some(&b'^') => (1, 0, bytes.len()),
            _ => break,
        };
        marks += mark;
        columns += blanks;
        at += length;
    }
    (marks, columns)
}

fn ends_mark(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

#[cfg(test)]
mod tests {
    use super::{Beyond, NESTING_MAX, PARSED_BYTES_MAX, within};

    #[test]
    fn what_nests_too_deep_ends_before_the_line_that_does() {
        for deep in [
            ">".repeat(NESTING_MAX + 1),
            "> ".repeat(5_000),
            "- ".repeat(NESTING_MAX + 1),
            "1. ".repeat(5_000),
            ">-\t".repeat(200),
        ] {
            let text = format!("# Title\n\nBefore.\n{deep}x\nafter\n");
            assert_eq!(within(&text), ("# Title\n\nBefore.\n", Some(Beyond::Nesting)), "{}", &deep[..9]);
        }
        let stairs: String = (0..=NESTING_MAX).map(|level| format!("{}- a\n", "  ".repeat(level))).collect();
        assert_eq!(within(&stairs).1, Some(Beyond::Nesting));
        assert_eq!(within(&stairs).0.lines().count(), NESTING_MAX);
    }

    #[test]
    fn what_people_write_lies_within() {
        let code = format!("```\n{}- deep in code\n```\n", " ".repeat(300));
        let rules = "- - - - - - - - - -\n* * * * *\n> quoted\n> > twice\n1. one\n   - two\n     - three\n".repeat(200);
        let long_numbers = "1234567890123456789. not a list\n".repeat(200);
        for text in ["", "\n", "plain", &code, &rules, &long_numbers, &">".repeat(NESTING_MAX)] {
            assert_eq!(within(text), (text, None), "{}", &text[..text.len().min(20)]);
        }
    }

    #[test]
    fn what_is_too_long_ends_at_a_line_or_a_character() {
        let lines = "0123456789abcde\n".repeat(PARSED_BYTES_MAX / 16 + 3);
        assert_eq!(within(&lines), (&lines[..PARSED_BYTES_MAX], Some(Beyond::Size)));
        let line = "ü".repeat(PARSED_BYTES_MAX);
        let (within_caps, why) = within(&line);
        assert_eq!((within_caps.len(), why), (PARSED_BYTES_MAX, Some(Beyond::Size)));
    }
}
