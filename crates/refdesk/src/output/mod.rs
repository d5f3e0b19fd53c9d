//! What reaches stdout and stderr: data on stdout, talk on stderr. The only place that prints.

mod problem;
mod table;

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use refdesk_core::clean::{is_hidden, is_needed_joiner};
use serde_json::Value;
use unicode_width::UnicodeWidthStr as _;

pub use problem::{Refusal, failed, meant, missing, not_found, not_found_near, speak_json, told};
pub use refdesk_core::figures::{counted, grouped};
pub use table::{BEST_MARK, Fit, STALE_END, STALE_MARK, columns, table};

/// Style of a piece of text; plain where [`has_colours`] says no.
#[derive(Debug, Clone, Copy)]
pub struct Paint {
    on: bool,
}

impl Paint {
    /// Colours when stdout is a terminal that wants them.
    pub fn for_stdout() -> Self {
        Self { on: has_colours(&io::stdout()) }
    }

    /// No colours.
    pub const fn plain() -> Self {
        Self { on: false }
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

/// Whether what is written there may have colours: as <https://bixense.com/clicolors> and <https://no-color.org> have it, and as clap's help does.
pub fn has_colours(stream: &impl IsTerminal) -> bool {
    wants_colours(stream.is_terminal(), |name| std::env::var_os(name).filter(|value| !value.is_empty()))
}

/// `variable` gives those that are set and not empty.
fn wants_colours(is_terminal: bool, variable: impl Fn(&str) -> Option<OsString>) -> bool {
    if variable("NO_COLOR").is_some() {
        return false;
    }
    let is_refused = |name: &str, word: &str| variable(name).is_some_and(|value| value == word);
    let is_forced = variable("CLICOLOR_FORCE").is_some_and(|value| value != "0");
    is_forced || is_terminal && !is_refused("TERM", "dumb") && !is_refused("CLICOLOR", "0")
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
    let mut from = 0;
    while let Some(at) = text[from..].find(is_bad).map(|at| from + at) {
        let bad = &text[at..];
        let bytes = bad.chars().next().map_or(0, char::len_utf8);
        let joiner = is_needed_joiner(text, at).then(|| &bad[..bytes]);
        let kept = joiner.or_else(|| CODES.into_iter().find(|code| bad.starts_with(code))).unwrap_or_default();
        out.push_str(&text[from..at]);
        out.push_str(kept);
        from = at + kept.len().max(bytes);
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

/// An answer for people: the answer itself, and notes about it.
#[derive(Debug, Default)]
pub struct Rendered {
    /// What was asked for, for stdout.
    pub text: String,
    /// How much there is beyond it, what was left out, what to try instead: for stderr.
    pub notes: String,
}

impl From<String> for Rendered {
    fn from(text: String) -> Self {
        Self { text, notes: String::new() }
    }
}

impl Rendered {
    /// Writes each to its stream.
    pub fn print(&self) {
        print(&self.text);
        if !self.notes.is_empty() {
            say(self.notes.trim_end());
        }
    }
}

/// Whether text for stdout is lost.
static LOST: AtomicBool = AtomicBool::new(false);

/// Writes text to stdout. What cannot be written is told once on stderr, and the program fails in the end ([`is_lost`]).
pub fn print(text: &str) {
    if let Err(error) = bytes(harmless(text).as_bytes())
        && !LOST.swap(true, Ordering::Relaxed)
    {
        say(&format!("error: {error}"));
    }
}

/// Whether text that was printed did not reach stdout.
pub fn is_lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Writes bytes to stdout as they are; false when whoever reads has enough (`| head`).
///
/// # Errors
/// When they cannot be written, on a full disk for example.
pub fn bytes(bytes: &[u8]) -> io::Result<bool> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(io::Error::new(error.kind(), format!("standard output cannot be written: {error}"))),
    }
}

/// Writes a line to stdout.
pub fn line(text: &str) {
    print(&format!("{text}\n"));
}

/// Writes JSON to stdout, indented for people, the way `jq` shows it.
pub fn json(value: &Value) {
    line(&serde_json::to_string_pretty(value).unwrap_or_default());
}

/// Writes an answer to stdout, for programs or as a line for people.
pub fn answer(as_json: bool, value: &Value, told: &str) {
    if as_json { json(value) } else { line(told) }
}

/// Says something to the person on stderr, folded where the terminal is narrower.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{}", harmless(&fitted(text, stderr_width())));
}

/// Says rows in aligned columns on stderr.
pub fn say_table(rows: &[Vec<String>]) {
    say(table::laid_out(rows, stderr_width()).trim_end());
}

/// A path as it is found from anywhere.
pub fn whole_path(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}

/// Columns that a text takes in a terminal. Colour codes take none.
fn shown_width(text: &str) -> usize {
    if text.contains('\u{1b}') { without_codes(text).width() } else { text.width() }
}

fn without_codes(text: &str) -> String {
    CODES.iter().fold(text.to_owned(), |plain, code| plain.replace(code, ""))
}

/// Narrowest width that is believed.
const WIDTH_MIN: usize = 20;
/// Longest line of prose, in columns.
const PROSE_MAX: usize = 88;

/// Columns that a line of stdout may have: `COLUMNS` where it is set, also in a pipe, else what its terminal has; in a file a line is as long
/// as it is, whatever terminal stderr and stdin have.
pub fn width() -> Option<usize> {
    width_of(terminal_size::terminal_size_of(io::stdout()))
}

/// The same of stderr.
fn stderr_width() -> Option<usize> {
    width_of(terminal_size::terminal_size_of(io::stderr()))
}

fn width_of(terminal: Option<(terminal_size::Width, terminal_size::Height)>) -> Option<usize> {
    let said = std::env::var("COLUMNS").ok().and_then(|text| text.trim().parse::<usize>().ok());
    let width = said.or_else(|| terminal.map(|(width, _)| usize::from(width.0)));
    width.filter(|width| *width > 0).map(|width| width.max(WIDTH_MIN))
}

/// Whether a line fits the terminal.
pub fn fits(line: &str) -> bool {
    width().is_none_or(|width| shown_width(line.trim_end()) <= width)
}

/// Columns of a line of prose.
pub fn prose_width() -> usize {
    width().map_or(PROSE_MAX, |width| width.min(PROSE_MAX))
}

/// Text whose longer lines are folded as prose, each behind its own indent; what fits stays as it is, and so does all where no width is known.
pub fn fitted(text: &str, width: Option<usize>) -> Cow<'_, str> {
    let Some(width) = width.filter(|width| text.lines().any(|line| shown_width(line) > *width)) else {
        return Cow::Borrowed(text);
    };
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    for line in text.split_inclusive('\n') {
        if shown_width(line.trim_end()) <= width {
            out.push_str(line);
            continue;
        }
        let indent = &line[..line.len() - line.trim_start().len()];
        let columns = width.min(PROSE_MAX).saturating_sub(shown_width(indent));
        let folded = fold(line.trim(), columns, indent);
        out.push_str(folded.trim_end_matches('\n'));
        out.push_str(if line.ends_with('\n') { "\n" } else { "" });
    }
    Cow::Owned(out)
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
    use super::{OsString, counted, fitted, fold, harmless, wants_colours};

    #[test]
    fn colours_are_for_terminals_and_variables_refuse_or_force_them() {
        type Variables = &'static [(&'static str, &'static str)];
        let cases: [(bool, Variables, bool); 10] = [
            (true, &[], true),
            (false, &[], false),
            (true, &[("TERM", "dumb")], false),
            (true, &[("CLICOLOR", "0")], false),
            (true, &[("CLICOLOR", "1")], true),
            (true, &[("NO_COLOR", "1")], false),
            (false, &[("CLICOLOR_FORCE", "1")], true),
            (false, &[("CLICOLOR_FORCE", "0")], false),
            (true, &[("CLICOLOR_FORCE", "1"), ("CLICOLOR", "0")], true),
            (true, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false),
        ];
        for (is_terminal, variables, wanted) in cases {
            let variable = |name: &str| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(*value))
            };
            assert_eq!(wants_colours(is_terminal, variable), wanted, "{is_terminal} {variables:?}");
        }
    }

    #[test]
    fn what_an_upstream_wrote_moves_no_cursor_and_reorders_nothing() {
        let text = "a\u{1b}[2J\u{1b}]0;title\u{7}b\u{9b}31mc\u{202e}d\re\u{1b}[1mf\u{1b}[0m\ttab\n";
        assert_eq!(harmless(text), "a[2J]0;titleb31mcde\u{1b}[1mf\u{1b}[0m\ttab\n");
        let joined = "\u{1b}[1m\u{1f469}\u{200d}\u{1f4bb}\u{1b}[0m p\u{200d}q";
        assert_eq!(harmless(joined), "\u{1b}[1m\u{1f469}\u{200d}\u{1f4bb}\u{1b}[0m pq");
    }

    #[test]
    fn counts_read_as_a_person_writes_them() {
        let shown = [0, 1, 999, 1_000, 16_312, 1_000_000].map(|count| counted(count, "fact"));
        assert_eq!(shown, ["0 facts", "1 fact", "999 facts", "1,000 facts", "16,312 facts", "1,000,000 facts"]);
    }

    #[test]
    fn text_is_folded_at_words() {
        assert_eq!(fold("one two three", 8, "  "), "  one two\n  three\n");
        assert_eq!(fold("模型 模型 ab", 9, ""), "模型 模型\nab\n");
    }

    #[test]
    fn what_fits_stays_and_longer_lines_are_folded_behind_their_indent() {
        let text = "name   aligned\n  one two three four five\n";
        assert_eq!(fitted(text, Some(20)), "name   aligned\n  one two three four\n  five\n");
        assert_eq!(fitted(text, Some(25)), text);
        assert_eq!(fitted(text, None), text);
        let long = "word ".repeat(40);
        let widest = fitted(&long, Some(150)).lines().map(str::len).max();
        assert!(widest <= Some(super::PROSE_MAX), "a long line is folded as prose: {widest:?}");
    }
}
