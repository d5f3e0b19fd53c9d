//! What reaches stdout and stderr: data on stdout, talk on stderr. The only place that prints.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use refdesk_core::clean::is_hidden;
use serde_json::Value;
use unicode_width::UnicodeWidthStr as _;

/// Style of a piece of text; plain where stdout is no terminal or `NO_COLOR` is set.
#[derive(Debug, Clone, Copy)]
pub struct Paint {
    on: bool,
}

impl Paint {
    /// Colours when stdout is a terminal that wants them.
    pub fn for_stdout() -> Self {
        Self { on: io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none() }
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.on { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// For names and headings.
    pub fn strong(self, text: &str) -> String {
        self.wrap("1", text)
    }

    /// For what can be passed over.
    pub fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }

    /// For what is well.
    pub fn good(self, text: &str) -> String {
        self.wrap("32", text)
    }

    /// For what wants attention.
    pub fn warn(self, text: &str) -> String {
        self.wrap("33", text)
    }

    /// For what is wrong.
    pub fn bad(self, text: &str) -> String {
        self.wrap("31", text)
    }
}

/// The colour codes of [`Paint`], the only control sequences that reach a terminal.
const CODES: [&str; 6] = ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[33m"];

/// A text as it may reach a terminal: whatever an upstream wrote into it, it moves no cursor, rings no bell and reorders nothing.
fn harmless(text: &str) -> Cow<'_, str> {
    let is_bad = |c: char| is_hidden(c) || c == '\r';
    if !text.contains(is_bad) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(is_bad) {
        let (front, back) = rest.split_at(at);
        let code = CODES.iter().find(|code| back.starts_with(**code)).copied().unwrap_or_default();
        out.push_str(front);
        out.push_str(code);
        rest = &back[code.len().max(back.chars().next().map_or(0, char::len_utf8))..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Writes text to stdout. A reader that goes away (`| head`) is no error.
pub fn print(text: &str) {
    let _ = io::stdout().write_all(harmless(text).as_bytes());
    let _ = io::stdout().flush();
}

/// Writes a line to stdout.
pub fn line(text: &str) {
    print(&format!("{text}\n"));
}

/// Writes JSON to stdout, indented for people, the way `jq` shows it.
pub fn json(value: &Value) {
    line(&serde_json::to_string_pretty(value).unwrap_or_default());
}

/// Says something to the person on stderr.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{}", harmless(text));
}

/// Rows in aligned columns. Widths are columns of the terminal (a CJK character or an emoji takes two); the last column is as long as it is.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let widths: Vec<usize> = (0..columns)
        .map(|at| rows.iter().filter_map(|row| row.get(at)).map(|cell| shown_width(cell)).max().unwrap_or_default())
        .collect();
    let mut out = String::new();
    for row in rows {
        let mut text = String::new();
        for (at, cell) in row.iter().enumerate() {
            text.push_str(cell);
            if at + 1 < row.len() {
                text.extend(std::iter::repeat_n(' ', widths[at] - shown_width(cell) + 2));
            }
        }
        out.push_str(text.trim_end());
        out.push('\n');
    }
    out
}

/// Columns that a text takes in a terminal. Colour codes take none.
fn shown_width(text: &str) -> usize {
    let mut plain = text.to_owned();
    for code in CODES {
        plain = plain.replace(code, "");
    }
    plain.width()
}

/// Text folded at `width` columns of the terminal, each line behind `indent`.
pub fn fold(text: &str, width: usize, indent: &str) -> String {
    let mut out = String::new();
    for paragraph in text.lines() {
        let mut column = 0;
        out.push_str(indent);
        for word in paragraph.split_whitespace() {
            let columns = shown_width(word);
            if column > 0 && column + 1 + columns > width {
                out.push('\n');
                out.push_str(indent);
                column = 0;
            } else if column > 0 {
                out.push(' ');
                column += 1;
            }
            out.push_str(word);
            column += columns;
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{fold, harmless, table};

    #[test]
    fn what_an_upstream_wrote_moves_no_cursor_and_reorders_nothing() {
        let text = "a\u{1b}[2J\u{1b}]0;title\u{7}b\u{9b}31mc\u{202e}d\re\u{1b}[1mf\u{1b}[0m\ttab\n";
        assert_eq!(harmless(text), "a[2J]0;titleb31mcde\u{1b}[1mf\u{1b}[0m\ttab\n");
    }

    #[test]
    fn columns_are_aligned_whatever_their_colours() {
        let rows = [vec!["a".to_owned(), "x".to_owned()], vec!["\u{1b}[1mlong\u{1b}[0m".to_owned(), "y".to_owned()]];
        assert_eq!(table(&rows), "a     x\n\u{1b}[1mlong\u{1b}[0m  y\n");
    }

    #[test]
    fn columns_are_aligned_behind_wide_characters() {
        let rows = [
            ["模型".to_owned(), "x".to_owned()],
            ["🦀".to_owned(), "y".to_owned()],
            ["abcd".to_owned(), "z".to_owned()],
        ];
        assert_eq!(table(&rows.map(Vec::from)), "模型  x\n🦀    y\nabcd  z\n");
        assert_eq!(fold("模型 模型 ab", 9, ""), "模型 模型\nab\n");
    }

    #[test]
    fn text_is_folded_at_words() {
        assert_eq!(fold("one two three", 8, "  "), "  one two\n  three\n");
    }
}
