//! Hits of a search, and pages of a list.

use std::fmt::Write as _;

use refdesk_core::Kind;
use refdesk_core::field;
use refdesk_core::query::ListQuery;
use refdesk_search::plain_text;
use serde_json::Value;

use super::questions::cell;
use super::{clean, freshness, name_of, notes, text};
use crate::output::{Fit, Paint, columns, fits, fold, prose_width};

/// Hits of a search, with the members that were asked for below each.
pub fn search(paint: Paint, fields: &[String], answer: &Value) -> String {
    let mut out = understood(paint, &answer["understood"]);
    for hit in answer["results"].as_array().into_iter().flatten() {
        let kind = text(hit, "type").to_lowercase();
        if !fields.is_empty() {
            let _ = writeln!(out, "{} {}", paint.dim(&kind.replace('_', "-")), paint.strong(text(hit, "id")));
            for path in fields {
                let shown = format!("{path}: {}", cell(at(hit, path)));
                out.push_str(&fold(&shown, prose_width() - 4, "    "));
            }
            continue;
        }
        let about = [
            paint.dim(&format!("{} {}", kind.replace('_', "-"), text(hit, "id"))),
            clean(text(hit, "vendor")),
            freshness(paint, hit),
        ];
        let about: Vec<String> = about.into_iter().filter(|part| !part.is_empty()).collect();
        out.push_str(&headed(&paint.strong(&name_of(hit)), &about.join("  ")));
        let passage = hit["snippet"].as_str().map(plain_text).unwrap_or_default();
        let passage = if passage.is_empty() { clean(text(hit, "summary")) } else { clean(&passage) };
        out.push_str(&fold(&passage, prose_width() - 4, "    "));
        let _ = writeln!(out, "    {}", paint.dim(text(hit, "source_url")));
        for passage in hit["passages"].as_array().into_iter().flatten() {
            let headings = passage["headings"].as_array().into_iter().flatten().filter_map(Value::as_str).map(clean);
            let _ = writeln!(out, "\n    {}", paint.strong(&headings.collect::<Vec<_>>().join(" › ")));
            for line in refdesk_core::clean::visible(text(passage, "text")).0.trim().lines() {
                let _ = writeln!(out, "    {line}");
            }
            out.push('\n');
        }
    }
    let (count, total) = (answer["count"].as_u64().unwrap_or(0), answer["total"].as_u64().unwrap_or(0));
    if count == 0 {
        out.push_str("Nothing found.\n");
    } else if total > count {
        let _ = writeln!(out, "{}", paint.dim(&format!("{count} of {total}; --limit shows more")));
    }
    out.push_str(&facets(answer));
    out.push_str(&notes(paint, answer));
    out
}

/// A name and what is said of it: on one line, or on two where the terminal is narrow.
fn headed(name: &str, about: &str) -> String {
    let one = format!("{name}  {about}\n");
    if fits(&one) { one } else { format!("{name}\n    {about}\n") }
}

/// What was counted, a line for each field.
fn facets(answer: &Value) -> String {
    let mut out = String::new();
    for (name, facet) in answer["facets"].as_object().into_iter().flatten() {
        let counts = facet["results"].as_array().into_iter().flatten();
        let counts: Vec<String> = counts.map(|count| format!("{} {}", cell(&count["value"]), count["count"])).collect();
        out.push_str(&fold(&format!("{name}: {}", counts.join(", ")), prose_width(), ""));
    }
    out
}

/// The value at a dotted path; null when there is none.
fn at<'a>(row: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(row, |value, name| &value[name])
}

/// What was understood as filters or an order: the hits are those of a list, and whoever asked must see it.
fn understood(paint: Paint, understood: &Value) -> String {
    let filters = understood["filters"].as_object();
    let said =
        filters.into_iter().flatten().filter_map(|(name, value)| Some(format!("{name}={}", clean(value.as_str()?))));
    let sort = understood["sort"].as_str().map(|sort| format!("sort={sort}"));
    let said: Vec<String> = said.chain(sort).collect();
    if said.is_empty() {
        return String::new();
    }
    format!("{}\n", paint.dim(&format!("understood: {}; --understand false looks for the words", said.join(" "))))
}

/// Fields that a list of models shows without being asked: what models are chosen by.
const OF_MODELS: [&str; 3] = ["context_tokens", "price_input", "price_output"];

/// Columns of a list beside id and name, as path and head: what was filtered or sorted by, and what is of use; or what was asked for.
fn columns_of(kind: Kind, query: &ListQuery) -> Vec<(String, String, Fit)> {
    let selection = &query.selection;
    if !selection.fields.is_empty() {
        return selection.fields.iter().map(|path| (path.clone(), path.clone(), Fit::Whole)).collect();
    }
    let used = selection.sort.iter().map(|key| key.field).chain(selection.conditions.iter().map(|c| c.field));
    let of_kind = if kind == Kind::Model { OF_MODELS.as_slice() } else { &[] };
    let of_kind = of_kind.iter().filter_map(|name| field::named(kind, name));
    let others = ["vendor", "status"].into_iter().filter_map(|name| field::named(kind, name));
    let all = used.chain(of_kind).map(|field| (field, Fit::Whole)).chain(others.map(|field| (field, Fit::Optional)));
    let mut columns: Vec<(String, String, Fit)> = Vec::new();
    for (field, fit) in all.filter(|(field, _)| !field.path.is_empty() && field.name != "id") {
        if !columns.iter().any(|(path, ..)| path == field.path) {
            columns.push((field.path.to_owned(), field.name.trim_end_matches("_tokens").replace('_', " "), fit));
        }
    }
    columns
}

/// A page of a list.
pub fn list(paint: Paint, kind: Kind, query: &ListQuery, answer: &Value) -> String {
    let chosen = columns_of(kind, query);
    let is_whole = query.selection.fields.is_empty();
    let mut heads = vec![("id", Fit::Whole)];
    heads.extend(is_whole.then_some(("name", Fit::Cut)));
    heads.extend(chosen.iter().map(|(_, head, fit)| (head.as_str(), *fit)));
    heads.extend(is_whole.then_some(("checked", Fit::Optional)));
    let mut rows: Vec<Vec<String>> = Vec::new();
    for row in answer[kind.collection()].as_array().into_iter().flatten() {
        let values = chosen.iter().map(|(path, ..)| match at(row, path) {
            Value::Null if path == "vendor" => String::new(),
            Value::Null if is_whole => "-".to_owned(),
            value => cell(value),
        });
        let mut cells = vec![text(row, "id").to_owned()];
        cells.extend(is_whole.then(|| name_of(row)));
        cells.extend(values);
        cells.extend(is_whole.then(|| freshness(paint, row).replace("checked ", "")));
        rows.push(cells);
    }
    let count = rows.len();
    let mut out = columns(paint, &heads, rows);
    let total = answer["total"].as_u64().unwrap_or(0);
    let next = answer["next_offset"].as_u64().map(|next| format!("; --offset {next} goes on")).unwrap_or_default();
    let _ = writeln!(out, "{}", paint.dim(&format!("{count} of {total}{next}")));
    out.push_str(&facets(answer));
    for id in answer["unresolved"].as_array().into_iter().flatten() {
        let _ = writeln!(out, "{}", paint.warn(&format!("nothing has the id {}", cell(id))));
    }
    out.push_str(&notes(paint, answer));
    out
}
