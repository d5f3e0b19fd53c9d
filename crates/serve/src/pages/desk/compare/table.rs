//! The table of a comparison: a row for each field, and which of its known values differ as they are shown.

use maud::{Markup, html};
use refdesk_core::Kind;
use serde_json::Value;

use super::ids;
use crate::pages::layout::table::scrolled;
use crate::pages::layout::target::Target;
use crate::pages::layout::{freshness, values};

/// The parameter that leaves out the rows in which all are equal.
const ONLY_DIFFERENCES: &str = "diff";
/// Longest text of a cell that is shown at once, in characters.
const CELL_CHARS_MAX: usize = 240;
/// Characters from which an entry of a list has a line of its own.
const SENTENCE_CHARS: usize = 30;
/// Lists whose order says something.
const ORDERED: [&str; 1] = ["steps"];

/// What the known values of a row say together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Agreement {
    Same,
    /// All that are known are equal.
    SameWhereKnown,
    OneKnown,
    Differs,
}

impl Agreement {
    /// Of values as people see them: two moments of one day are equal. What is unknown does not differ from anything.
    fn of(path: &str, values: &[Value]) -> Self {
        let known: Vec<&Value> = values.iter().filter(|value| is_known(path, value)).collect();
        let mut seen: Vec<String> = known.iter().map(|value| seen(path, value)).collect();
        seen.sort_unstable();
        seen.dedup();
        match (seen.len(), known.len()) {
            (2.., _) => Self::Differs,
            (_, known) if known == values.len() => Self::Same,
            (_, 1) => Self::OneKnown,
            _ => Self::SameWhereKnown,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::SameWhereKnown => "same where known",
            Self::OneKnown => "one known",
            Self::Differs => "differs",
        }
    }
}

fn is_known(path: &str, value: &Value) -> bool {
    match value {
        Value::Null => false,
        value if values::is_unstated(path, value) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(entries) => !entries.is_empty(),
        _ => true,
    }
}

/// A value as it is seen. `text, image` is seen as `image, text`.
fn seen(path: &str, value: &Value) -> String {
    let entries = match value {
        Value::Array(entries) => entries,
        Value::String(stamp) if values::is_date(path) => return values::day(stamp).to_owned(),
        value => return values::at_path(path, value).into_string(),
    };
    let mut entries: Vec<String> = entries.iter().map(|entry| values::any(entry).into_string()).collect();
    if !ORDERED.contains(&path) {
        entries.sort();
    }
    entries.join("\n")
}

/// A field of the comparison.
struct Row<'a> {
    line: &'a Value,
    path: &'a str,
    values: &'a [Value],
    agreement: Agreement,
}

impl<'a> Row<'a> {
    fn new(line: &'a Value) -> Self {
        let path = line["path"].as_str().unwrap_or_default();
        let values = values::list(line, "values");
        Self { line, path, values, agreement: Agreement::of(path, values) }
    }

    /// Whether the place of an item is among those of a member.
    fn has(&self, member: &str, at: usize) -> bool {
        self.line[member].as_array().into_iter().flatten().any(|place| place.as_u64() == Some(at as u64))
    }
}

/// The comparison, on the page at `link`.
pub(super) fn comparison(link: &Target, kind: Kind, answer: &Value) -> Markup {
    let ids = ids(answer);
    let (names, all): (Vec<Row<'_>>, Vec<Row<'_>>) =
        values::list(answer, "rows").iter().map(Row::new).partition(|row| row.path == kind.name_key());
    let name = |at: usize| names.first().and_then(|row| row.values.get(at)?.as_str());
    let differing = all.iter().filter(|row| row.agreement == Agreement::Differs).count();
    let only_differences = link.get(ONLY_DIFFERENCES) == Some("1");
    let shown = all.iter().filter(|row| !only_differences || row.agreement == Agreement::Differs);
    html! {
        p {
            (differing) " of " (all.len()) " fields differ. "
            @if only_differences { a href=(link.without(ONLY_DIFFERENCES).href()) { "Show all fields" } }
            @else { a href=(link.with(ONLY_DIFFERENCES, "1").href()) { "Show only what differs" } }
        }
        (scrolled("Comparison", html! {
            table.compared {
                thead { tr {
                    th scope="col" { "Field" }
                    @for (at, id) in ids.iter().enumerate() {
                        th scope="col" {
                            @let name = name(at).filter(|name| name != id);
                            a href=(Target::item(kind, id).href()) { (values::isolated(&values::excerpt(name.unwrap_or(id), 120))) }
                            @if name.is_some() { " " code { (id) } }
                            br; (freshness::cell(&answer["evidence"][*id]))
                        }
                    }
                    th scope="col" { "Differs" }
                } }
                tbody { @for row in shown { (self::row(row)) } }
            }
        }))
        p.soft { "✓ marks the best value where one can be said to be: the lowest price, the largest limit. What is unknown does not differ." }
    }
}

fn row(row: &Row<'_>) -> Markup {
    let differs = row.agreement == Agreement::Differs;
    html! {
        tr.differs[differs] {
            th scope="row" {
                (values::shown(row.line["label"].as_str().unwrap_or_default()))
                @if let Some(unit) = values::text(row.line, "unit") { " " span.soft { (values::shown(unit)) } }
            }
            @for (at, value) in row.values.iter().enumerate() {
                td.best[row.has("best", at)] {
                    (cell(row.path, value))
                    @if row.has("best", at) { span.hidden { " best" } }
                    @if row.has("stale", at) { (freshness::mark()) }
                }
            }
            td { @if differs { (row.agreement.word()) } @else { span.soft { (row.agreement.word()) } } }
        }
    }
}

/// A value: a list on lines of its own where its entries are sentences, and folded where it is long.
fn cell(path: &str, value: &Value) -> Markup {
    let markup = match value {
        Value::Array(entries) if entries.iter().any(is_sentence) => {
            html! { ul.lines { @for entry in entries { li { (values::any(entry)) } } } }
        }
        Value::String(_) if is_sentence(value) => html! { span.sentence { (values::at_path(path, value)) } },
        value => values::at_path(path, value),
    };
    let text = text(value);
    if text.chars().count() <= CELL_CHARS_MAX {
        return markup;
    }
    html! { details.long { summary { span.begin { (values::excerpt(&text, CELL_CHARS_MAX / 2)) } span.less { "less" } } div { (markup) } } }
}

fn is_sentence(entry: &Value) -> bool {
    let text = text(entry);
    text.contains(", ") || text.chars().count() > SENTENCE_CHARS
}

/// All texts of a value, one behind the other.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(entries) => entries.iter().map(text).collect::<Vec<_>>().join("; "),
        Value::Object(members) => members.values().map(text).collect::<Vec<_>>().join("; "),
        _ => String::new(),
    }
}
