//! Comparisons, costs, resolved names and conflicts as a person reads them in a terminal.

use std::fmt::Write as _;

use serde_json::Value;

use super::{clean, notes, text};
use crate::output::{Fit, Paint, columns, table};

/// Longest text of a cell, in characters.
const CELL_CHARS_MAX: usize = 40;

/// A value in a cell.
pub fn cell(value: &Value) -> String {
    let whole = match value {
        Value::Null => "unknown".to_owned(),
        Value::String(text) => moment(text).unwrap_or_else(|| clean(text)),
        Value::Array(list) => list.iter().map(cell).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    };
    refdesk_core::clean::excerpt(&whole, CELL_CHARS_MAX)
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

fn array<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value[name].as_array().into_iter().flatten()
}

/// Items side by side: differing rows have a mark before them, best values a star.
pub fn compare(paint: Paint, answer: &Value) -> String {
    let ids: Vec<String> = array(answer, "ids").map(cell).collect();
    let heads = std::iter::once(("", Fit::Whole)).chain(ids.iter().map(|id| (id.as_str(), Fit::Cut)));
    let heads: Vec<(&str, Fit)> = heads.collect();
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut group = "";
    for row in array(answer, "rows") {
        if text(row, "group") != group {
            group = text(row, "group");
            rows.push(vec![paint.dim(group)]);
        }
        let unit = row["unit"].as_str().map(|unit| format!(", {unit}")).unwrap_or_default();
        let mark = if row["differs"] == true { "≠" } else { " " };
        let best: Vec<u64> = array(row, "best").filter_map(Value::as_u64).collect();
        let values = array(row, "values").zip(0..).map(|(value, at)| {
            if best.contains(&at) { paint.strong(&format!("{} *", cell(value))) } else { cell(value) }
        });
        let label = format!("{mark} {}{}", clean(text(row, "label")), paint.dim(&unit));
        rows.push(std::iter::once(label).chain(values).collect());
    }
    let mut out = columns(paint, &heads, rows);
    for id in array(answer, "unresolved") {
        let _ = writeln!(out, "{}", paint.warn(&format!("nothing of this kind has the id {}", cell(id))));
    }
    out
}

/// What every seller asks for.
pub fn cost(paint: Paint, answer: &Value) -> String {
    let heads = [
        ("seller", Fit::Cut),
        ("its id of the model", Fit::Cut),
        ("total USD", Fit::Whole),
        ("how it is made up", Fit::Folded),
    ];
    let mut rows = Vec::new();
    for seller in array(answer, "sellers") {
        let lines = array(seller, "lines")
            .map(|line| format!("{} {} × {}", text(line, "meter"), line["tokens"], line["price_per_1m"]))
            .collect::<Vec<_>>();
        let missing: Vec<&str> = array(seller, "missing").filter_map(Value::as_str).collect();
        let total = if missing.is_empty() {
            paint.strong(&seller["total"].to_string())
        } else {
            paint.warn(&format!("no price of {}", missing.join(", ")))
        };
        let tier = seller["tier"]["above_context_tokens"]
            .as_u64()
            .map(|above| format!("; tier above {above} tokens"))
            .unwrap_or_default();
        let stale = if seller["stale"] == true { paint.warn("; stale") } else { String::new() };
        rows.push(vec![
            cell(&seller["seller"]),
            cell(&seller["api_model_id"]),
            total,
            format!("{}{tier}{stale}", lines.join(" + ")),
        ]);
    }
    let mut out = if rows.is_empty() { "No seller is known.\n".to_owned() } else { columns(paint, &heads, rows) };
    out.push_str(&notes(paint, answer));
    out
}

/// What each name means.
pub fn resolve(paint: Paint, answer: &Value) -> String {
    let mut rows = vec![["name", "means", "kind", "how sure"].map(|head| paint.dim(head)).to_vec()];
    for result in array(answer, "results") {
        let others: Vec<&str> = array(result, "candidates").map(|candidate| text(candidate, "id")).collect();
        let means = match result["id"].as_str() {
            Some(id) => paint.strong(id),
            None if others.is_empty() => "nothing".to_owned(),
            None => format!("perhaps {}", others.join(", ")),
        };
        let kind = text(result, "type").to_lowercase().replace('_', "-");
        let sure = format!("{} {}", text(result, "status"), result["confidence"]);
        rows.push(vec![cell(&result["query"]), means, kind, sure]);
    }
    table(&rows)
}

/// Where sources disagree.
pub fn conflicts(paint: Paint, answer: &Value) -> String {
    let heads = [
        ("id", Fit::Cut),
        ("field", Fit::Whole),
        ("shown", Fit::Cut),
        ("who says so", Fit::Optional),
        ("others say", Fit::Folded),
    ];
    let mut rows = Vec::new();
    for conflict in array(answer, "conflicts") {
        let others = array(conflict, "others").map(|other| {
            let percent = other["percent"].as_f64().map(|percent| format!(" ({percent} %)")).unwrap_or_default();
            let withheld = if other["withheld"] == true { ", withheld" } else { "" };
            format!("{}{percent} {}{withheld}", cell(&other["value"]), text(other, "source_id"))
        });
        rows.push(vec![
            text(conflict, "id").to_owned(),
            text(conflict, "path").to_owned(),
            cell(&conflict["value"]),
            text(conflict, "source_id").to_owned(),
            others.collect::<Vec<_>>().join("; "),
        ]);
    }
    let count = rows.len();
    let mut out = columns(paint, &heads, rows);
    let next = answer["next_offset"].as_u64().map(|next| format!("; --offset {next} goes on")).unwrap_or_default();
    let _ = writeln!(out, "{}", paint.dim(&format!("{count} of {}{next}", answer["total"])));
    out
}
