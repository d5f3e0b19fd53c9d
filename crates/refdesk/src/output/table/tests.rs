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
    assert_eq!(laid_out(&names, Some(30)), "names  short\n    a-name-that-is-longer-than-a-line\n    and-one-more\n");
}

#[test]
fn what_stands_on_a_line_of_its_own_is_not_cut_with_the_column_above_it() {
    let heads = [("seller", Fit::Cut), ("in", Fit::Number)];
    let cells = rows(&[&["a-seller-with-a-long-name", "1"], &["    an-id-that-is-longer-than-the-line"]]);
    assert_eq!(
        columns_within(Paint::plain(), &heads, cells, Some(20)).text,
        "seller            in\na-seller-with-a…   1\n    an-id-that-is-longer-than-the-line\n"
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
    let heads = [("id", Fit::Whole), ("name", Fit::Cut), ("price input", Fit::Number), ("price output", Fit::Number)];
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

/// The day of the check is the first to go, and with it went the only word that told a stale row from a fresh one.
#[test]
fn a_row_that_is_stale_says_so_in_any_width() {
    let heads = [("id", Fit::Whole), ("name", Fit::Cut), ("vendor", Fit::Optional), ("checked", Fit::Checked)];
    let shown = |second: &str, within: usize| {
        let cells = rows(&[&["a", "Name of a", "Acme", "2026-08-01"], &["b", "Name of b", "Acme", second]]);
        columns_within(Paint::plain(), &heads, cells, Some(within))
    };
    let wide = "id  name       vendor  checked\n\
                a   Name of a  Acme    2026-08-01\n\
                b   Name of b  Acme    2026-08-01, stale\n";
    assert_eq!(shown("2026-08-01, stale", 40).text, wide);
    let narrow = shown("2026-08-01, stale", 30);
    assert_eq!(narrow.text, "id  name       vendor\na   Name of a  Acme\nb   Name of b  Acme    stale\n");
    assert!(narrow.notes.starts_with("(without checked: "), "{}", narrow.notes);
    assert_eq!(shown("2026-08-01, stale", 20).text, "id  name\na   Name of a\nb   Name of b  stale\n");
    assert_eq!(shown("2026-08-01", 30).text, "id  name       vendor\na   Name of a  Acme\nb   Name of b  Acme\n");
}

#[test]
fn a_value_is_cut_before_its_marks_and_numbers_end_below_each_other_before_theirs() {
    let heads = [("", Fit::Whole), ("one", Fit::Cut)];
    let value = || rows(&[&["Price", "a-long-value-of-a-price (stale) *"]]);
    let shown = |within: usize| columns_within(Paint::plain(), &heads, value(), Some(within)).text;
    assert_eq!(shown(30), "       one\nPrice  a-long-value… (stale) *\n");
    assert_eq!(shown(17), "       one\nPrice  (stale) *\n", "rather the mark than the value");
    let heads = [("id", Fit::Whole), ("price", Fit::Number), ("vendor", Fit::Whole)];
    let prices = rows(&[&["a", "0.25 (stale)", "Acme"], &["b", "12", "Acme"]]);
    let aligned = "id  price          vendor\na    0.25 (stale)  Acme\nb      12          Acme\n";
    assert_eq!(columns_within(Paint::plain(), &heads, prices, None).text, aligned);
}
