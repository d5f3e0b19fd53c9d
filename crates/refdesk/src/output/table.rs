//! Tables that fit the terminal: columns that can be missed are left out, ids that are longer than most stand on lines of their own, names are
//! cut, the last column is folded. Nothing is lost where the width is not known, as in a pipe.

use super::{Paint, Rendered, fold, shown_width, width};

/// Blanks between two columns.
const GAP: usize = 2;
/// Narrowest that a column is cut to.
const CUT_MIN: usize = 10;
/// Narrowest that the last column is folded to; a narrower rest starts on a line of its own. Names beside long ids have as much.
const FOLD_MIN: usize = 24;
const OWN_LINE_INDENT: usize = 4;

/// What ends a cell of [`Fit::Checked`] whose row is stale.
pub const STALE_END: &str = ", stale";
/// Stands behind a value that is stale, also where the value is cut.
pub const STALE_MARK: &str = " (stale)";
/// The same behind the best value of a row.
pub const BEST_MARK: &str = " *";

/// How a column gives way where a table is wider than the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// Not at all: ids and words.
    Whole,
    /// Not at all, and aligned at its end: numbers.
    Number,
    /// It is cut behind an ellipsis: names.
    Cut,
    /// It is left out; of several the last one first.
    Optional,
    /// It is left out in its turn, and aligned at its end where it is not: numbers.
    OptionalNumber,
    /// It is left out in its turn, but for the word of rows that are stale: when each was checked.
    Checked,
    /// It is folded: texts with blanks, in the last column.
    Folded,
}

impl Fit {
    const fn is_optional(self) -> bool {
        matches!(self, Self::Optional | Self::OptionalNumber | Self::Checked)
    }

    const fn is_number(self) -> bool {
        matches!(self, Self::Number | Self::OptionalNumber)
    }
}

/// Rows in aligned columns, without heads. Widths are columns of the terminal (a CJK character or an emoji takes two); the last column is folded
/// where the terminal is narrower, and what has no blank to fold at, such as an address, gets a line of its own.
pub fn table(rows: &[Vec<String>]) -> String {
    laid_out(rows, width())
}

/// Rows below heads, in columns that give way as their [`Fit`] says; nothing where there are none. A note tells what was left out.
pub fn columns(paint: Paint, heads: &[(&str, Fit)], rows: Vec<Vec<String>>) -> Rendered {
    columns_within(paint, heads, rows, width())
}

fn columns_within(paint: Paint, heads: &[(&str, Fit)], mut rows: Vec<Vec<String>>, within: Option<usize>) -> Rendered {
    if rows.is_empty() {
        return Rendered::default();
    }
    let mut heads: Vec<(&str, Fit)> = heads.to_vec();
    rows.insert(0, heads.iter().map(|(head, _)| paint.dim(head)).collect());
    align_numbers(&heads, &mut rows);
    let mut left_out = Vec::new();
    if let Some(within) = within {
        while total(&heads, &rows) > within
            && let Some(last) = heads.iter().rposition(|(_, fit)| fit.is_optional())
        {
            left_out.insert(0, leave_out(paint, &mut heads, &mut rows, last));
        }
        hang(&heads, &mut rows, within);
        cut(&heads, &mut rows, within);
    }
    let mut out = Rendered::from(laid_out(&rows, within));
    if !left_out.is_empty() {
        let told = format!("(without {}: a wider terminal or --json shows them)", left_out.join(", "));
        out.notes = fold(&told, within.unwrap_or(usize::MAX), "");
    }
    out
}

/// Takes a column out, and gives its head. Where it says that a row is stale, that word stays: nothing stale looks fresh in any width.
fn leave_out<'h>(paint: Paint, heads: &mut Vec<(&'h str, Fit)>, rows: &mut [Vec<String>], at: usize) -> &'h str {
    let (head, fit) = heads[at];
    let is_stale = |cell: &String| fit == Fit::Checked && super::without_codes(cell).ends_with(STALE_END);
    if rows.iter().filter_map(|row| row.get(at)).any(is_stale) {
        heads[at] = ("", Fit::Whole);
        for cell in rows.iter_mut().filter_map(|row| row.get_mut(at)) {
            *cell = if is_stale(cell) { paint.warn("stale") } else { String::new() };
        }
    } else {
        heads.remove(at);
        rows.iter_mut().filter(|row| row.len() > at).for_each(|row| drop(row.remove(at)));
    }
    head
}

/// Puts blanks before numbers, so that their last digits stand below each other. Marks stand behind them.
fn align_numbers(heads: &[(&str, Fit)], rows: &mut [Vec<String>]) {
    let width = |cell: &String| shown_width(without_marks(&super::without_codes(cell)));
    for at in (0..heads.len()).filter(|at| heads[*at].1.is_number()) {
        let widest = rows.iter().filter_map(|row| row.get(at)).map(width).max().unwrap_or_default();
        for cell in rows.iter_mut().filter_map(|row| row.get_mut(at)) {
            cell.insert_str(0, &" ".repeat(widest - width(cell)));
        }
    }
}

/// A text without the marks behind it.
fn without_marks(text: &str) -> &str {
    let shorter = [STALE_MARK, BEST_MARK].into_iter().find_map(|mark| text.strip_suffix(mark));
    shorter.map_or(text, without_marks)
}

/// Puts ids of the first column on lines of their own, above the rest of their rows, where the longest leave no room for the other columns:
/// else the last column of every row would go to the next line. Short ids go there, too, where nothing else makes the rows fit.
fn hang(heads: &[(&str, Fit)], rows: &mut Vec<Vec<String>>, within: usize) {
    let widths = widths(rows);
    let (Some((head, Fit::Whole)), Some(first)) = (heads.first(), widths.first().copied()) else { return };
    let rest = |cut_to: usize| -> usize {
        let least = |(at, width): (usize, &usize)| match heads.get(at) {
            Some((_, Fit::Cut)) => cut_to.min(*width),
            Some((_, Fit::Folded)) => FOLD_MIN.min(*width),
            _ => *width,
        };
        widths.iter().enumerate().skip(1).map(|column| GAP + least(column)).sum()
    };
    if widths.len() < 2 || first + rest(CUT_MIN) <= within {
        return;
    }
    // The head of the column stays in its place: where it leaves no room either, short ids would be moved for nothing.
    let is_room_below = shown_width(head) + rest(CUT_MIN) <= within;
    if first <= FOLD_MIN && !is_room_below {
        return;
    }
    let beside = if is_room_below { FOLD_MIN.min(within - rest(CUT_MIN)) } else { FOLD_MIN };
    let most = within.saturating_sub(rest(FOLD_MIN)).max(beside);
    for mut row in std::mem::take(rows) {
        if row.len() > 1 && shown_width(&row[0]) > most {
            rows.push(vec![std::mem::take(&mut row[0])]);
        }
        rows.push(row);
    }
}

/// Cuts the widest of the columns that may be cut, until the table fits or all are as narrow as they may be. What is folded goes below the
/// others before any of them is cut.
fn cut(heads: &[(&str, Fit)], rows: &mut [Vec<String>], within: usize) {
    loop {
        let fits = total(heads, rows) <= within;
        let over = if fits { 0 } else { total_below(heads, rows).saturating_sub(within) };
        let widths = widths(rows);
        let cuttable = heads.iter().zip(&widths).enumerate();
        let widest = cuttable.filter(|(_, ((_, fit), width))| *fit == Fit::Cut && **width > CUT_MIN);
        let Some((at, (_, width))) = widest.max_by_key(|(_, (_, width))| **width).filter(|_| over > 0) else { return };
        // To the next widest at most, so that no column is cut while a wider one is whole.
        let others = heads.iter().zip(&widths).filter(|((_, fit), other)| *fit == Fit::Cut && *other < width);
        let next = others.map(|(_, other)| *other).max().unwrap_or(CUT_MIN);
        // Columns of one width give way by the same.
        let equal = heads.iter().zip(&widths).filter(|((_, fit), other)| *fit == Fit::Cut && *other == width).count();
        let to = width.saturating_sub(over.div_ceil(equal)).max(next).max(CUT_MIN).min(width - 1);
        // What stands on a line of its own is beside no column.
        let in_columns = rows.iter_mut().filter(|row| row.len() > 1 || widths.len() < 2);
        for cell in in_columns.filter_map(|row| row.get_mut(at)) {
            *cell = shortened(cell, to);
        }
    }
}

/// A text of at most so many columns, with an ellipsis where it is longer, before its marks. Colours go with what is cut.
fn shortened(text: &str, columns: usize) -> String {
    if shown_width(text) <= columns {
        return text.to_owned();
    }
    let plain = super::without_codes(text);
    let (said, marks) = plain.split_at(without_marks(&plain).len());
    let room = columns.saturating_sub(shown_width(marks));
    if room == 0 {
        return marks.trim_start().to_owned();
    }
    let mut out = String::new();
    for c in said.chars() {
        if shown_width(&out) + shown_width(c.encode_utf8(&mut [0; 4])) >= room {
            break;
        }
        out.push(c);
    }
    out + "…" + marks
}

/// A row of one cell, beside which nothing stands, makes no column wider.
fn widths(rows: &[Vec<String>]) -> Vec<usize> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let beside = || rows.iter().filter(|row| row.len() > 1 || columns < 2);
    let width = |at: usize| beside().filter_map(|row| row.get(at)).map(|cell| shown_width(cell)).max();
    (0..columns).map(|at| width(at).unwrap_or_default()).collect()
}

/// Columns that the table takes at least, as long as nothing is cut.
fn total(heads: &[(&str, Fit)], rows: &[Vec<String>]) -> usize {
    let widths = widths(rows);
    let least = |(at, width): (usize, &usize)| match heads.get(at) {
        Some((_, Fit::Folded)) => FOLD_MIN.min(*width),
        _ => *width,
    };
    widths.iter().enumerate().map(least).sum::<usize>() + GAP * widths.len().saturating_sub(1)
}

/// The same with a last column that is folded on lines of its own, below the others.
fn total_below(heads: &[(&str, Fit)], rows: &[Vec<String>]) -> usize {
    match heads.split_last() {
        Some(((_, Fit::Folded), others)) if !others.is_empty() => {
            widths(rows).iter().take(others.len()).sum::<usize>() + GAP * (others.len() - 1)
        }
        _ => total(heads, rows),
    }
}

pub(super) fn laid_out(rows: &[Vec<String>], within: Option<usize>) -> String {
    let widths = widths(rows);
    let before_last: usize = widths.iter().rev().skip(1).map(|width| width + GAP).sum();
    let mut out = String::new();
    for row in rows {
        let mut text = String::new();
        for (at, cell) in row.iter().enumerate() {
            if at + 1 == widths.len() && within.is_some_and(|within| before_last + shown_width(cell) > within) {
                let rest = within.unwrap_or_default().saturating_sub(before_last);
                push_folded(&mut text, cell, rest, before_last);
                continue;
            }
            text.push_str(cell);
            if at + 1 < row.len() {
                text.extend(std::iter::repeat_n(' ', widths[at] - shown_width(cell) + GAP));
            }
        }
        out.push_str(text.trim_end());
        out.push('\n');
    }
    out
}

/// The last cell of a row: folded below itself, or on a line of its own where it cannot be folded.
fn push_folded(text: &mut String, cell: &str, rest: usize, before_last: usize) {
    let longest = cell.split_whitespace().map(shown_width).max().unwrap_or_default();
    if rest < FOLD_MIN || longest > rest {
        let trimmed = text.trim_end().len();
        text.truncate(trimmed);
        // Further entries of a list have nothing before them.
        if trimmed > 0 {
            text.push('\n');
        }
        let columns = (before_last + rest).saturating_sub(OWN_LINE_INDENT);
        text.push_str(fold(cell, columns, &" ".repeat(OWN_LINE_INDENT)).trim_end());
        return;
    }
    text.push_str(fold(cell, rest, &" ".repeat(before_last)).trim());
}

#[cfg(test)]
mod tests;
