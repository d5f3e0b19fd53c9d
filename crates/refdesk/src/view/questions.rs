//! Comparisons, costs, resolved names and conflicts as a person reads them in a terminal.

use std::fmt::Write as _;

use serde_json::Value;

use super::{clean, notes, text};
use crate::output::{Paint, table};

/// Longest text of a cell, in characters.
const CELL_CHARS_MAX: usize = 40;

/// A value in a cell.
pub fn cell(value: &Value) -> String {
    let whole = match value {
        Value::Null => "unknown".to_owned(),
        Value::String(text) => clean(text),
        Value::Array(list) => list.iter().map(cell).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    };
    refdesk_core::clean::excerpt(&whole, CELL_CHARS_MAX)
}

fn array<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value[name].as_array().into_iter().flatten()
}

/// Items side by side: differing rows have a mark before them, best values a star.
pub fn compare(paint: Paint, answer: &Value) -> String {
    let heads = array(answer, "ids").map(|id| paint.strong(&cell(id)));
    let mut rows = vec![std::iter::once(String::new()).chain(heads).collect::<Vec<_>>()];
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
    let mut out = table(&rows);
    for id in array(answer, "unresolved") {
        let _ = writeln!(out, "{}", paint.warn(&format!("nothing of this kind has the id {}", cell(id))));
    }
    out
}

/// What every seller asks for.
pub fn cost(paint: Paint, answer: &Value) -> String {
    let heads = ["seller", "its id of the model", "total USD", "how it is made up"];
    let mut rows = vec![heads.map(|head| paint.dim(head)).to_vec()];
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
    let mut out = table(&rows);
    if rows.len() == 1 {
        out.push_str("No seller is known.\n");
    }
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
    let heads = ["id", "field", "shown", "who says so", "others say"];
    let mut rows = vec![heads.map(|head| paint.dim(head)).to_vec()];
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
    let mut out = table(&rows);
    let next = answer["next_offset"].as_u64().map(|next| format!("; --offset {next} goes on")).unwrap_or_default();
    let _ = writeln!(out, "{}", paint.dim(&format!("{} of {}{next}", rows.len() - 1, answer["total"])));
    out
}
