//! Comparisons, costs, resolved names and conflicts as a person reads them in a terminal.

use serde_json::Value;

use super::{array, checked, clean, headed, kind_of, notes, page_of, percent, text, words};
use crate::output::{BEST_MARK, Fit, Paint, Rendered, STALE_MARK, columns, fold, grouped, prose_width, width};

/// Longest text of a cell, in characters.
const CELL_CHARS_MAX: usize = 40;
/// The smallest number whose thousands are set apart.
const GROUPED_FROM: u64 = 10_000;

/// A value in a cell.
pub fn cell(value: &Value) -> String {
    let whole = match value {
        Value::Null => "unknown".to_owned(),
        Value::String(text) => moment(text).unwrap_or_else(|| clean(text)),
        Value::Array(list) => list.iter().map(cell).collect::<Vec<_>>().join(", "),
        Value::Number(number) => {
            // Four digits are as often a year.
            number.as_u64().filter(|count| *count >= GROUPED_FROM).map_or_else(|| number.to_string(), grouped)
        }
        other => other.to_string(),
    };
    refdesk_core::clean::excerpt(&whole, CELL_CHARS_MAX)
}

/// A value that counts or costs something. Its thousands are apart however few they are, because it is no year: `8,191`, `1,234.5`.
pub fn amount(value: &Value) -> String {
    if value.is_number() { grouped(value) } else { cell(value) }
}

/// A time as people write it: `2026-06-13 08:30`, and midnight as the day.
pub fn moment(text: &str) -> Option<String> {
    let (day, time) = text.strip_suffix('Z')?.split_once('T')?;
    let is_number = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    let is_moment =
        day.len() == 10 && day.split('-').all(is_number) && time.len() == 8 && time.split(':').all(is_number);
    let time = time.get(..5).filter(|_| is_moment)?;
    Some(if time == "00:00" { day.to_owned() } else { format!("{day} {time}") })
}

/// A time that may be missing, in a cell.
pub fn moment_or_dash(at: Option<refdesk_core::Stamp>) -> String {
    at.map_or_else(|| "-".to_owned(), |at| moment(&at.to_string()).unwrap_or_else(|| at.to_string()))
}

/// Narrowest column of an item: a day with the mark of the best value.
const ITEM_WIDTH_MIN: usize = 14;
/// Blanks between two columns.
const GAP: usize = 2;
/// Least room for what is said of a conflict: a value, and those of others.
const SAID_WIDTH_MIN: usize = 36;

/// Items side by side: differing rows have a [`mark`] before them, best values a star. More than the terminal has room for follow below.
pub fn compare(paint: Paint, answer: &Value) -> Rendered {
    let ids: Vec<String> = words(answer, "ids").map(clean).collect();
    let labels = array(answer, "rows").map(|row| label(Paint::plain(), row, unit_of_group(answer, text(row, "group"))));
    let label_width = labels.map(|label| label.chars().count()).max().unwrap_or_default();
    let room = width().map_or(usize::MAX, |width| {
        let room = width.saturating_sub(label_width);
        // Whole ids, as long as two items have room beside each other.
        let longest = ids.iter().map(|id| id.chars().count()).max().unwrap_or_default();
        let item_width = longest.min((room / 2).saturating_sub(GAP)).max(ITEM_WIDTH_MIN);
        room / (item_width + GAP)
    });
    let mut out = Rendered::default();
    for first in (0..ids.len()).step_by(room.clamp(1, ids.len().max(1))) {
        let some: Vec<usize> = (first..ids.len().min(first.saturating_add(room.max(1)))).collect();
        if first > 0 {
            out.text.push('\n');
        }
        let part = side_by_side(paint, answer, &ids, &some);
        out.text.push_str(&part.text);
        out.notes.push_str(&part.notes);
    }
    let is_stale = |id: &&Value| answer["evidence"][id.as_str().unwrap_or_default()]["stale"] == true;
    let stale: Vec<String> = array(answer, "ids").filter(is_stale).map(cell).collect();
    if !stale.is_empty() {
        out.notes.push_str(&fold(&format!("all of it is stale: {}", stale.join(", ")), prose_width(), ""));
    }
    out
}

/// The unit of all rows of a group that have one: the group says it once, which leaves room for the items.
fn unit_of_group<'a>(answer: &'a Value, group: &str) -> Option<&'a str> {
    let mut units =
        array(answer, "rows").filter(|row| text(row, "group") == group).filter_map(|row| row["unit"].as_str());
    let unit = units.next()?;
    units.all(|other| other == unit).then_some(unit)
}

fn label(paint: Paint, row: &Value, of_group: Option<&str>) -> String {
    let unit = row["unit"].as_str().filter(|unit| Some(*unit) != of_group);
    let unit = unit.map(|unit| format!(", {unit}")).unwrap_or_default();
    format!("{} {}{}", mark(row), clean(text(row, "label")), paint.dim(&unit))
}

/// `≠` before known values that differ, `?` where all that are known are equal and others are unknown.
fn mark(row: &Value) -> char {
    let mut known = array(row, "values").filter(|value| !value.is_null());
    let first = known.next();
    match (row["differs"] == true, known.any(|value| Some(value) != first)) {
        (false, _) => ' ',
        (true, false) => '?',
        (true, true) => '≠',
    }
}

/// Some of the items, by their places.
fn side_by_side(paint: Paint, answer: &Value, ids: &[String], some: &[usize]) -> Rendered {
    let heads = some.iter().filter_map(|at| Some((ids.get(*at)?.as_str(), Fit::Cut)));
    let heads: Vec<(&str, Fit)> = std::iter::once(("", Fit::Whole)).chain(heads).collect();
    let mut rows: Vec<Vec<String>> = Vec::new();
    let (mut group, mut unit) = ("", None);
    for row in array(answer, "rows") {
        if text(row, "group") != group {
            group = text(row, "group");
            unit = unit_of_group(answer, group);
            rows.push(vec![paint.dim(&[Some(group), unit].into_iter().flatten().collect::<Vec<_>>().join(", "))]);
        }
        let is_among = |name: &str, at: usize| array(row, name).any(|place| place.as_u64() == Some(at as u64));
        let shown: fn(&Value) -> String = if row["unit"].is_string() { amount } else { cell };
        let values = some.iter().map(|at| {
            let mut value = shown(&row["values"][*at]);
            if is_among("stale", *at) {
                value.push_str(STALE_MARK);
            }
            if is_among("best", *at) { paint.strong(&(value + BEST_MARK)) } else { value }
        });
        rows.push(std::iter::once(label(paint, row, unit)).chain(values).collect());
    }
    columns(paint, &heads, rows)
}

/// What every seller asks for.
pub fn cost(paint: Paint, answer: &Value) -> Rendered {
    let heads =
        [("seller", Fit::Cut), ("id to send", Fit::Cut), ("total USD", Fit::Number), ("calculation", Fit::Folded)];
    let mut rows = Vec::new();
    for seller in array(answer, "sellers") {
        let lines = array(seller, "lines")
            .map(|line| format!("{} {} × {}", text(line, "meter"), amount(&line["tokens"]), line["price_per_1m"]))
            .collect::<Vec<_>>();
        let mut told = vec![lines.join(" + ")];
        let missing: Vec<&str> = words(seller, "missing").collect();
        let total = if missing.is_empty() { paint.strong(&amount(&seller["total"])) } else { paint.warn("-") };
        if !missing.is_empty() {
            told.push(paint.warn(&format!("no price of {}", missing.join(", "))));
        }
        let above = &seller["tier"]["above_context_tokens"];
        told.extend((!above.is_null()).then(|| format!("tier above {} tokens", amount(above))));
        told.extend((seller["stale"] == true).then(|| paint.warn("stale")));
        told.retain(|part| !part.is_empty());
        rows.push(vec![cell(&seller["seller"]), clean(text(seller, "api_model_id")), total, told.join("; ")]);
    }
    let mut out = columns(paint, &heads, rows);
    out.notes.push_str(&notes(answer));
    out
}

/// What each name means.
pub fn resolve(paint: Paint, answer: &Value) -> Rendered {
    let heads = [("name", Fit::Cut), ("kind", Fit::Whole), ("confidence", Fit::Whole), ("means", Fit::Folded)];
    let mut rows = Vec::new();
    for result in array(answer, "results") {
        let others: Vec<&str> = array(result, "candidates").map(|candidate| text(candidate, "id")).collect();
        let means = match result["id"].as_str() {
            Some(id) => paint.strong(id),
            None if others.is_empty() => "nothing".to_owned(),
            None => format!("perhaps {}", others.join(", ")),
        };
        let sure = match result["confidence"].as_f64() {
            Some(confidence) if !result["id"].is_null() => {
                format!("{} {}", text(result, "status"), percent(confidence))
            }
            _ => text(result, "status").to_owned(),
        };
        rows.push(vec![cell(&result["query"]), kind_of(result), sure, means]);
    }
    columns(paint, &heads, rows)
}

/// Where sources disagree. Ids and fields are whole, because they are what a person looks up next; where they leave no room for the rest
/// beside them, it stands below.
pub fn conflicts(paint: Paint, answer: &Value) -> Rendered {
    let longest = |name: &str| array(answer, "conflicts").map(|conflict| text(conflict, name).chars().count()).max();
    let names = longest("id").unwrap_or_default() + longest("path").unwrap_or_default() + 2 * GAP;
    let is_narrow = width().is_some_and(|width| width < names + SAID_WIDTH_MIN);
    let mut out = if is_narrow {
        Rendered::from(array(answer, "conflicts").map(|conflict| conflict_below(paint, conflict)).collect::<String>())
    } else {
        let heads = [
            ("id", Fit::Whole),
            ("field", Fit::Whole),
            ("shown", Fit::Cut),
            ("source", Fit::Optional),
            ("checked", Fit::Checked),
            ("others say", Fit::Folded),
        ];
        columns(paint, &heads, array(answer, "conflicts").map(conflict_row).collect())
    };
    out.notes.push_str(&notes(answer));
    out.notes.push_str(&page_of(array(answer, "conflicts").count(), answer));
    out
}

fn conflict_row(conflict: &Value) -> Vec<String> {
    let others: Vec<String> = array(conflict, "others").map(other_says).collect();
    let day = checked_of_shown(conflict).unwrap_or_default().trim_start_matches("checked ").to_owned();
    let (id, path, source) = (text(conflict, "id"), text(conflict, "path"), text(conflict, "source_id"));
    vec![id.to_owned(), path.to_owned(), amount(&conflict["value"]), source.to_owned(), day, others.join("; ")]
}

/// A conflict with a line for what is shown and one for what each other source says.
fn conflict_below(paint: Paint, conflict: &Value) -> String {
    let source = conflict["source_id"].as_str().map(str::to_owned);
    let whose: Vec<String> = source.into_iter().chain(checked_of_shown(conflict)).collect();
    let shown = format!("shown: {} {}", amount(&conflict["value"]), whose.join(", "));
    let others = array(conflict, "others").map(|other| format!("other: {}", other_says(other)));
    let lines = std::iter::once(shown.trim_end().to_owned()).chain(others);
    let below: String = lines.map(|line| fold(&line, prose_width() - 4, "    ")).collect();
    headed(&paint.strong(text(conflict, "id")), text(conflict, "path")) + &below
}

/// A value of another source, whose it is, and when it was checked.
fn other_says(other: &Value) -> String {
    let percent = other["percent"].as_f64().map(|percent| format!(" ({percent} %)")).unwrap_or_default();
    let withheld = if other["withheld"] == true { ", withheld" } else { "" };
    format!("{}{percent} {}{withheld}, {}", amount(&other["value"]), text(other, "source_id"), checked(other))
}

/// Where sources are tied, nothing is shown that could have been checked.
fn checked_of_shown(conflict: &Value) -> Option<String> {
    conflict["source_id"].is_string().then(|| checked(conflict))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Paint, conflicts};

    #[test]
    fn of_a_value_that_is_not_shown_nothing_says_when_it_was_checked() {
        let other = json!({"value": "2026-01-19", "source_id": "b", "last_verified_at": "2026-11-28T10:14:57Z"});
        let tied = json!({"id": "m", "path": "released_on", "value": null, "source_id": null, "others": [other]});
        let told = conflicts(Paint::plain(), &json!({"total": 1, "conflicts": [tied]})).text;
        assert!(told.contains("unknown") && told.contains("2026-01-19"), "{told}");
        assert!(!told.contains("never verified"), "{told}");
    }
}
