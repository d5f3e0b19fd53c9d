//! What reaches stdout and stderr: data on stdout, talk on stderr. The only place that prints.

use std::io::{self, IsTerminal, Write};

use serde_json::Value;

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

/// Writes text to stdout. A reader that goes away (`| head`) is no error.
pub fn print(text: &str) {
    let _ = io::stdout().write_all(text.as_bytes());
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
    let _ = writeln!(io::stderr(), "{text}");
}

/// Rows in aligned columns. Widths count characters; the last column is as long as it is.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let widths: Vec<usize> = (0..columns)
        .map(|at| rows.iter().filter_map(|row| row.get(at)).map(|cell| shown_chars(cell)).max().unwrap_or_default())
        .collect();
    let mut out = String::new();
    for row in rows {
        let mut text = String::new();
        for (at, cell) in row.iter().enumerate() {
            text.push_str(cell);
            if at + 1 < row.len() {
                text.extend(std::iter::repeat_n(' ', widths[at] - shown_chars(cell) + 2));
            }
        }
        out.push_str(text.trim_end());
        out.push('\n');
    }
    out
}

/// Characters of a text without its colour codes.
fn shown_chars(text: &str) -> usize {
    let mut in_code = false;
    text.chars()
        .filter(|c| {
            let counted = !in_code && *c != '\u{1b}';
            in_code = (in_code || *c == '\u{1b}') && *c != 'm';
            counted
        })
        .count()
}

/// Text folded at `width` characters, each line behind `indent`.
pub fn fold(text: &str, width: usize, indent: &str) -> String {
    let mut out = String::new();
    for paragraph in text.lines() {
        let mut column = 0;
        out.push_str(indent);
        for word in paragraph.split_whitespace() {
            let chars = word.chars().count();
            if column > 0 && column + 1 + chars > width {
                out.push('\n');
                out.push_str(indent);
                column = 0;
            } else if column > 0 {
                out.push(' ');
                column += 1;
            }
            out.push_str(word);
            column += chars;
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{fold, table};

    #[test]
    fn columns_are_aligned_whatever_their_colours() {
        let rows = [vec!["a".to_owned(), "x".to_owned()], vec!["\u{1b}[1mlong\u{1b}[0m".to_owned(), "y".to_owned()]];
        assert_eq!(table(&rows), "a     x\n\u{1b}[1mlong\u{1b}[0m  y\n");
    }

    #[test]
    fn text_is_folded_at_words() {
        assert_eq!(fold("one two three", 8, "  "), "  one two\n  three\n");
    }
}
