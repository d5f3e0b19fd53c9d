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
    /// It is folded: texts with blanks, in the last column.
    Folded,
}

impl Fit {
    const fn is_optional(self) -> bool {
        matches!(self, Self::Optional | Self::OptionalNumber)
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
    let mut left_out = Vec::new();
    if let Some(within) = within {
        while total(&heads, &rows) > within
            && let Some(last) = heads.iter().rposition(|(_, fit)| fit.is_optional())
        {
            left_out.insert(0, heads.remove(last).0);
            rows.iter_mut().filter(|row| row.len() > last).for_each(|row| drop(row.remove(last)));
        }
        hang(&heads, &mut rows, within);
        cut(&heads, &mut rows, within);
    }
    align_numbers(&heads, &mut rows);
    let mut out = Rendered::from(laid_out(&rows, within));
    if !left_out.is_empty() {
        let told = format!("(without {}: a wider terminal or --json shows them)", left_out.join(", "));
        out.notes = fold(&told, within.unwrap_or(usize::MAX), "");
    }
    out
}

/// Puts blanks before numbers, so that their last digits stand below each other.
fn align_numbers(heads: &[(&str, Fit)], rows: &mut [Vec<String>]) {
    let widths = widths(rows);
    for at in (0..heads.len()).filter(|at| heads[*at].1.is_number()) {
        for cell in rows.iter_mut().filter_map(|row| row.get_mut(at)) {
            cell.insert_str(0, &" ".repeat(widths[at] - shown_width(cell)));
        }
    }
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
        for cell in rows.iter_mut().filter_map(|row| row.get_mut(at)) {
            *cell = shortened(cell, to);
        }
    }
}

/// A text of at most so many columns, with an ellipsis where it is longer. Colours go with what is cut.
fn shortened(text: &str, columns: usize) -> String {
    if shown_width(text) <= columns {
        return text.to_owned();
    }
    let plain = super::without_codes(text);
    let mut out = String::new();
    for c in plain.chars() {
        if shown_width(&out) + shown_width(c.encode_utf8(&mut [0; 4])) >= columns {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
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
mod tests {
    use super::{Fit, Paint, Rendered, columns_within, laid_out};

    fn rows(cells: &[&[&str]]) -> Vec<Vec<String>> {
        cells.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect()
    }

    #[test]
    fn columns_are_aligned_whatever_their_colours() {
        let rows = rows(&[&["a", "x"], &["\u{1b}[1mlong\u{1b}[0m", "y"]]);
        assert_eq!(laid_out(&rows, None), "a     x\n\u{1b}[1mlong\u{1b}[0m  y\n");
    }

    #[test]
    fn columns_are_aligned_behind_wide_characters() {
        let rows = rows(&[&["模型", "x"], &["🦀", "y"], &["abcd", "z"]]);
        assert_eq!(laid_out(&rows, None), "模型  x\n🦀    y\nabcd  z\n");
    }

    #[test]
    fn the_last_column_is_folded_and_an_address_gets_a_line_of_its_own() {
        let text = "one two three four five six seven eight nine";
        let rows = rows(&[&["name", text], &["url", "https://desk.example.org/a/rather/long/path"], &["id", "x"]]);
        assert_eq!(
            laid_out(&rows, Some(32)),
            "name  one two three four five\n      six seven eight nine\nurl\n    https://desk.example.org/a/rather/long/path\nid    x\n"
        );
        assert_eq!(laid_out(&rows, None).lines().count(), 3, "without a width nothing is folded");
    }

    #[test]
    fn numbers_end_below_each_other_and_long_words_of_a_list_leave_no_blank_line() {
        let heads = [("id", Fit::Whole), ("context", Fit::Number)];
        let numbers = rows(&[&["a", "1,048,576"], &["b", "512"]]);
        let shown = columns_within(Paint::plain(), &heads, numbers, None).text;
        assert_eq!(shown, "id    context\na   1,048,576\nb         512\n");
        let heads = [("id", Fit::Whole), ("bytes", Fit::OptionalNumber)];
        let bytes = || rows(&[&["a", "1,024"], &["b", "8"]]);
        let shown = |within: usize| columns_within(Paint::plain(), &heads, bytes(), Some(within)).text;
        assert_eq!((shown(9).as_str(), shown(8).as_str()), ("id  bytes\na   1,024\nb       8\n", "id\na\nb\n"));
        let long = "a-name-that-is-longer-than-a-line and-one-more";
        let names = rows(&[&["names", "short"], &["", long]]);
        assert_eq!(
            laid_out(&names, Some(30)),
            "names  short\n    a-name-that-is-longer-than-a-line\n    and-one-more\n"
        );
    }

    #[test]
    fn an_id_that_leaves_no_room_for_the_others_stands_on_a_line_of_its_own() {
        let heads = [("id", Fit::Whole), ("name", Fit::Cut), ("context", Fit::Number)];
        let cells = || {
            rows(&[
                &["short-id", "A name", "1,000"],
                &["a-much-longer-id-than-the-others-have", "Another name of a model", "99,000"],
            ])
        };
        let shown = |within: usize| columns_within(Paint::plain(), &heads, cells(), Some(within)).text;
        let hung = [
            "id        name                     context",
            "short-id  A name                     1,000",
            "a-much-longer-id-than-the-others-have",
            "          Another name of a model   99,000",
        ];
        assert_eq!(shown(50).lines().collect::<Vec<_>>(), hung);
        assert!(shown(60).contains("a-much-longer-id-than-the-others-have  Another nam…"), "{}", shown(60));
    }

    #[test]
    fn short_ids_stand_on_lines_of_their_own_where_the_numbers_leave_no_room_beside_them() {
        let heads =
            [("id", Fit::Whole), ("name", Fit::Cut), ("price input", Fit::Number), ("price output", Fit::Number)];
        let cells = || rows(&[&["nova", "Nova", "0.06", "0.24"], &["omni-latest", "Omni Moderation", "0", "0"]]);
        let shown = |within: usize| columns_within(Paint::plain(), &heads, cells(), Some(within)).text;
        let hung = [
            "id    name        price input  price output",
            "nova  Nova               0.06          0.24",
            "omni-latest",
            "      Omni Mode…            0             0",
        ];
        assert_eq!(shown(43).lines().collect::<Vec<_>>(), hung);
        assert!(shown(50).contains("omni-latest  Omni Mode…"), "{}", shown(50));
        // Nothing is won where the heads alone are too wide.
        assert!(shown(30).contains("omni-latest  Omni Mode…"), "{}", shown(30));
    }

    #[test]
    fn a_narrow_terminal_misses_optional_columns_first_and_cuts_names_then() {
        let heads = [("id", Fit::Whole), ("name", Fit::Cut), ("vendor", Fit::Optional), ("status", Fit::Optional)];
        let cells = || rows(&[&["claude-sonnet-4-5", "Claude Sonnet 4.5 (latest)", "Anthropic", "active"]]);
        let shown = |width: Option<usize>| {
            let Rendered { text, notes } = columns_within(Paint::plain(), &heads, cells(), width);
            text + &notes
        };
        let whole = "id                 name                        vendor     status\nclaude-sonnet-4-5  Claude Sonnet 4.5 (latest)  Anthropic  active\n";
        assert_eq!(shown(None), whole);
        assert_eq!(shown(Some(64)), whole);
        assert_eq!(
            shown(Some(60)),
            "id                 name                        vendor\nclaude-sonnet-4-5  Claude Sonnet 4.5 (latest)  Anthropic\n\
             (without status: a wider terminal or --json shows them)\n"
        );
        assert_eq!(
            shown(Some(40)),
            "id                 name\nclaude-sonnet-4-5  Claude Sonnet 4.5 (l…\n(without vendor, status: a wider\nterminal or --json shows them)\n"
        );
        let heads = [("", Fit::Whole), ("one", Fit::Cut), ("two", Fit::Cut)];
        let equal = rows(&[&["Context", "1,000,000 *", "1,000,000 *"], &["Family", &"a".repeat(24), &"b".repeat(24)]]);
        assert_eq!(
            columns_within(Paint::plain(), &heads, equal, Some(43)).text,
            "         one               two\nContext  1,000,000 *       1,000,000 *\nFamily   aaaaaaaaaaaaaaa…  bbbbbbbbbbbbbbb…\n"
        );
        let heads = [("seller", Fit::Cut), ("made of", Fit::Folded)];
        let sellers = rows(&[&["A seller of models", "input 1000000 × 1.25 + output 100000 × 10"]]);
        assert_eq!(
            columns_within(Paint::plain(), &heads, sellers, Some(45)).text,
            "seller              made of\nA seller of models  input 1000000 × 1.25 +\n                    output 100000 × 10\n"
        );
        let sellers = || rows(&[&["A seller of models", "input 1000000 × 1.25 + output 100000 × 10"]]);
        let shown = |within: usize| columns_within(Paint::plain(), &heads, sellers(), Some(within)).text;
        assert_eq!(
            shown(41),
            "seller              made of\nA seller of models\n    input 1000000 × 1.25 + output 100000\n    × 10\n",
            "no name is cut for what may as well stand below it"
        );
        assert!(shown(16).contains("\nA seller of mod…\n"), "{}", shown(16));
    }
}
