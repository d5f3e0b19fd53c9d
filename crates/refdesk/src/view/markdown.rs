//! Markdown as it was written, for a terminal: prose is folded at words, each line behind its own marker; code, tables and HTML stay as they
//! are. It is not rendered: pages do that.

use pulldown_cmark::{Event, Options, Parser, Tag};
use refdesk_core::within::within;

use crate::output::{fitted, fold};

/// Folds lines of prose that are longer than so many columns. What lies beyond the caps on parsing stays as it is.
pub fn folded(markdown: &str, columns: usize) -> String {
    let parsed = within(markdown).0;
    let events = Parser::new_ext(parsed, Options::ENABLE_TABLES).into_offset_iter();
    let as_it_is =
        |event: &Event<'_>| matches!(event, Event::Start(Tag::CodeBlock(_) | Tag::Table(_) | Tag::HtmlBlock));
    let kept: Vec<_> = events.filter_map(|(event, range)| as_it_is(&event).then_some(range)).collect();
    let mut out = String::with_capacity(markdown.len() + markdown.len() / 16);
    let mut start = 0;
    for line in markdown.split_inclusive('\n') {
        let end = start + line.len();
        // None lies in another: they are in order by their ends, too.
        let next = kept.partition_point(|range| range.end <= start);
        let is_kept = start >= parsed.len() || kept.get(next).is_some_and(|range| range.start < end);
        out.push_str(&if is_kept { line.to_owned() } else { folded_line(line, columns) });
        start = end;
    }
    out
}

/// A text below the heading that it begins with, where that says once more what stands above it.
pub fn below_heading<'t>(markdown: &'t str, said: &str) -> &'t str {
    match markdown.split_once('\n') {
        Some((first, rest))
            if first.starts_with('#') && first.trim_matches(['#', ' ', '\r']).to_lowercase() == said.to_lowercase() =>
        {
            rest.trim_start_matches(['\r', '\n'])
        }
        _ => markdown,
    }
}

/// A line of prose; its further lines begin below its text, and in a quotation with the mark of one.
fn folded_line(line: &str, columns: usize) -> String {
    if fitted(line, Some(columns)) == line {
        return line.to_owned();
    }
    let (first, text) = line.trim_end().split_at(marker_length(line));
    let further: String = first.chars().map(|c| if c == '>' { c } else { ' ' }).collect();
    let width = columns.saturating_sub(further.len()).max(columns / 2);
    let below = fold(text, width, &further);
    format!("{first}{}\n", below[further.len()..].trim_end())
}

/// Bytes of what a line begins with before its text: blanks, marks of quotations, and one of a list.
fn marker_length(line: &str) -> usize {
    let quoted = line.len() - line.trim_start_matches([' ', '\t', '>']).len();
    let text = &line[quoted..];
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let is_item = if digits > 0 { text[digits..].starts_with(['.', ')']) } else { text.starts_with(['-', '*', '+']) };
    if is_item && text[digits + 1..].starts_with(' ') { quoted + digits + 2 } else { quoted }
}

#[cfg(test)]
mod tests {
    use super::{below_heading, folded};

    #[test]
    fn a_heading_that_repeats_what_stands_above_is_left_out_and_no_other() {
        for (text, said, shown) in [
            ("# Backing up\n\nCopy it.\n", "Backing Up", "Copy it.\n"),
            ("## Keys ##\r\n\r\nMake one.", "Keys", "Make one."),
            ("# Other\n\nText.", "Keys", "# Other\n\nText."),
            ("Keys\n\nText.", "Keys", "Keys\n\nText."),
            ("# Keys", "Keys", "# Keys"),
        ] {
            assert_eq!(below_heading(text, said), shown);
        }
    }

    #[test]
    fn prose_is_folded_behind_its_marker_and_code_and_tables_stay() {
        let long = "one two three four five six";
        let code = format!("```sh\n{long}\n```\n");
        let table = format!("| {long} | b |\n|---|---|\n| {long} | d |\n");
        let text = format!("# Title\n\n{long}\n\n- {long}\n  10. {long}\n\n> {long}\n\n{code}\n    {long}\n\n{table}");
        assert_eq!(
            folded(&text, 16),
            format!(
                "# Title\n\none two three\nfour five six\n\n- one two three\n  four five six\n  10. one two\n      three four\n      \
                 five six\n\n> one two three\n> four five six\n\n{code}\n    {long}\n\n{table}"
            )
        );
        assert_eq!(folded(&text, 80), text);
    }

    #[test]
    fn what_is_not_parsed_stays_as_it_is() {
        let deep = format!("{}{}", "> ".repeat(200), "word ".repeat(40));
        assert_eq!(folded(&deep, 40), deep);
    }
}
