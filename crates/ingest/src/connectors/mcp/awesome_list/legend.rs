//! What a list's own legend says of the signs of its entries: `🎖️ – official implementation`. Only the sign of official servers is read,
//! for which servers have a field; what language or system another stands for is left to the record.

use refdesk_core::text::fence::Fence;

use crate::connectors::formats::bullet::{without_mark, without_tags};

/// Stands behind a sign and asks for its coloured form; lists write it or leave it out.
const VARIATION: char = '\u{fe0f}';
/// What stands between a sign and its meaning.
const SEPARATORS: [char; 7] = ['-', '–', '—', ':', '=', '|', '→'];

/// The lines that explain a sign of official servers.
#[derive(Debug)]
pub(super) struct Legend<'a>(Vec<Explanation<'a>>);

#[derive(Debug)]
struct Explanation<'a> {
    sign: String,
    line: &'a str,
}

impl<'a> Legend<'a> {
    /// The legend of a list, wherever it stands outside of code.
    pub(super) fn parse(markdown: &'a str) -> Self {
        Self(Fence::lines_outside(markdown).filter_map(explanation).collect())
    }

    /// The line by which an entry is official: that of a sign which it bears.
    pub(super) fn of_official(&self, entry: &str) -> Option<&'a str> {
        let entry = without_variation(entry);
        self.0.iter().find(|known| entry.contains(&known.sign)).map(|known| known.line)
    }
}

/// A line that explains a sign of official servers: a bullet, a row of a table, or one by itself.
fn explanation(line: &str) -> Option<Explanation<'_>> {
    let is_frame = |c: char| c.is_whitespace() || matches!(c, '|' | '>');
    let line = line.trim_matches(is_frame);
    let line = without_mark(line).unwrap_or(line).trim_start();
    let inside = without_tags(line);
    let end = inside.find(|c: char| c.is_ascii() || c.is_alphanumeric() || SEPARATORS.contains(&c))?;
    let (sign, rest) = inside.split_at(end);
    let rest = without_tags(rest);
    // Tags around a sign part it from its meaning, too: `<sup>⭐</sup> Official`.
    let is_parted = inside.len() < line.len();
    let meaning = rest.strip_prefix(SEPARATORS).or(is_parted.then_some(rest))?.trim_start_matches([' ', '*', '_', '-']);
    let word = meaning.split(|c: char| !c.is_alphanumeric()).next()?;
    let sign = without_variation(sign);
    (!sign.is_empty() && word.eq_ignore_ascii_case("official")).then_some(Explanation { sign, line })
}

fn without_variation(text: &str) -> String {
    text.replace(VARIATION, "")
}
