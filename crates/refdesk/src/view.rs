//! Answers as a person reads them in a terminal. They come in as the JSON that REST answers, so nothing here looks anything up.

pub mod questions;

use std::fmt::Write as _;

use refdesk_core::Kind;
use refdesk_core::field;
use refdesk_core::query::ListQuery;
use refdesk_search::plain_text;
use serde_json::Value;

use crate::output::{Paint, fold, table};

/// Width of folded text, in characters.
const WIDTH: usize = 88;

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

/// A name without what could steer a terminal.
fn clean(text: &str) -> String {
    refdesk_core::clean::line(text)
}

fn name_of(value: &Value) -> String {
    clean(value["display_name"].as_str().or(value["title"].as_str()).unwrap_or_default())
}

/// `checked 2026-08-01`, with a warning when it is stale.
fn freshness(paint: Paint, value: &Value) -> String {
    let day = value["last_verified_at"].as_str().and_then(|at| at.get(..10));
    let checked = day.map_or_else(|| "never verified".to_owned(), |day| format!("checked {day}"));
    if value["stale"] == true { paint.warn(&format!("{checked}, stale")) } else { paint.dim(&checked) }
}

/// Hits of a search, with the members that were asked for below each.
pub fn search(paint: Paint, fields: &[String], answer: &Value) -> String {
    let mut out = understood(paint, &answer["understood"]);
    for hit in answer["results"].as_array().into_iter().flatten() {
        let kind = text(hit, "type").to_lowercase();
        if !fields.is_empty() {
            let _ = writeln!(out, "{} {}", paint.dim(&kind.replace('_', "-")), paint.strong(text(hit, "id")));
            for path in fields {
                let shown = format!("{path}: {}", questions::cell(at(hit, path)));
                out.push_str(&fold(&shown, WIDTH, "    "));
            }
            continue;
        }
        let _ = writeln!(
            out,
            "{}  {}  {}  {}",
            paint.strong(&name_of(hit)),
            paint.dim(&format!("{} {}", kind.replace('_', "-"), text(hit, "id"))),
            clean(text(hit, "vendor")),
            freshness(paint, hit)
        );
        let passage = hit["snippet"].as_str().map(plain_text).unwrap_or_default();
        let passage = if passage.is_empty() { clean(text(hit, "summary")) } else { clean(&passage) };
        out.push_str(&fold(&passage, WIDTH, "    "));
        let _ = writeln!(out, "    {}", paint.dim(text(hit, "source_url")));
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

/// What was counted, a line for each field.
fn facets(answer: &Value) -> String {
    let mut out = String::new();
    for (name, facet) in answer["facets"].as_object().into_iter().flatten() {
        let counts = facet["results"].as_array().into_iter().flatten();
        let counts: Vec<String> =
            counts.map(|count| format!("{} {}", questions::cell(&count["value"]), count["count"])).collect();
        out.push_str(&fold(&format!("{name}: {}", counts.join(", ")), WIDTH, ""));
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

/// Suggestions and warnings of an answer.
fn notes(paint: Paint, answer: &Value) -> String {
    let mut out = String::new();
    let words = |name: &str| -> Vec<String> {
        answer[name].as_array().into_iter().flatten().filter_map(Value::as_str).map(clean).collect()
    };
    let suggestions = words("suggestions");
    if !suggestions.is_empty() {
        let _ = writeln!(out, "Did you mean: {}", suggestions.join(", "));
    }
    for warning in words("warnings") {
        let _ = writeln!(out, "{}", paint.warn(&warning));
    }
    out
}

/// Columns of a list beside id and name: those that were filtered or sorted by, or asked for.
fn columns(kind: Kind, query: &ListQuery) -> Vec<(String, String)> {
    let selection = &query.selection;
    if !selection.fields.is_empty() {
        return selection.fields.iter().map(|path| (path.clone(), path.clone())).collect();
    }
    let used = selection.sort.iter().map(|key| key.field).chain(selection.conditions.iter().map(|c| c.field));
    let vendor = field::named(kind, "vendor").into_iter().chain(field::named(kind, "status"));
    let mut columns: Vec<(String, String)> = Vec::new();
    for field in vendor.chain(used).filter(|field| !field.path.is_empty() && field.name != "id") {
        if !columns.iter().any(|(path, _)| path == field.path) {
            columns.push((field.path.to_owned(), field.name.replace('_', " ")));
        }
    }
    columns
}

/// A page of a list.
pub fn list(paint: Paint, kind: Kind, query: &ListQuery, answer: &Value) -> String {
    let columns = columns(kind, query);
    let is_whole = query.selection.fields.is_empty();
    let heads = columns.iter().map(|(_, head)| head.as_str());
    let heads = ["id"].into_iter().chain(is_whole.then_some("name")).chain(heads).chain(is_whole.then_some("checked"));
    let mut rows: Vec<Vec<String>> = vec![heads.map(|head| paint.dim(head)).collect()];
    for row in answer[kind.collection()].as_array().into_iter().flatten() {
        let values = columns.iter().map(|(path, _)| match at(row, path) {
            Value::Null if path == "vendor" => String::new(),
            value => questions::cell(value),
        });
        let mut cells = vec![text(row, "id").to_owned()];
        cells.extend(is_whole.then(|| name_of(row)));
        cells.extend(values);
        cells.extend(is_whole.then(|| freshness(paint, row).replace("checked ", "")));
        rows.push(cells);
    }
    let mut out = table(&rows);
    let total = answer["total"].as_u64().unwrap_or(0);
    let next = answer["next_offset"].as_u64().map(|next| format!("; --offset {next} goes on")).unwrap_or_default();
    let _ = writeln!(out, "{}", paint.dim(&format!("{} of {total}{next}", rows.len() - 1)));
    out.push_str(&facets(answer));
    for id in answer["unresolved"].as_array().into_iter().flatten() {
        let _ = writeln!(out, "{}", paint.warn(&format!("nothing has the id {}", questions::cell(id))));
    }
    out.push_str(&notes(paint, answer));
    out
}

/// One item with its evidence.
pub fn detail(paint: Paint, kind: Kind, answer: &Value) -> String {
    let item = &answer[kind.singular()];
    let mut out = String::new();
    let vendor = clean(text(item, "vendor"));
    let by = if vendor.is_empty() { String::new() } else { format!("  {vendor}") };
    let _ = writeln!(out, "{}{by}", paint.strong(&name_of(item)));
    let _ = writeln!(
        out,
        "{}",
        paint.dim(&format!(
            "{} {} · {} · {}",
            kind.label(),
            text(item, "id"),
            text(item, "status"),
            text(item, "trust_tier")
        ))
    );
    if let Some(spelling) = answer["resolved_from"].as_str() {
        let _ = writeln!(out, "{}", paint.dim(&format!("found as {}", clean(spelling))));
    }
    out.push('\n');
    if kind == Kind::Framework {
        card(paint, item, &mut out);
    } else {
        fields(paint, kind, item, &mut out);
    }
    evidence(paint, answer, &mut out);
    out
}

/// Fields that stand elsewhere in a detail, or are too long for one.
const SHOWN_ELSEWHERE: [&str; 21] = [
    "id",
    "display_name",
    "title",
    "vendor",
    "status",
    "trust_tier",
    "source_url",
    "evidence_key",
    "first_seen_at",
    "last_synced_at",
    "last_verified_at",
    "stale",
    "field_evidence",
    "conflicts",
    "description",
    "summary",
    "markdown",
    "body_markdown",
    "body",
    "body_missing",
    "headings",
];
/// Entries of a list that are shown.
const ENTRIES_MAX: usize = 12;

fn fields(paint: Paint, kind: Kind, item: &Value, out: &mut String) {
    let prose = item["description"].as_str().or(item["summary"].as_str()).unwrap_or_default();
    if !prose.is_empty() {
        out.push_str(&fold(&clean(prose), WIDTH, ""));
        out.push('\n');
    }
    let mut rows = Vec::new();
    for (name, value) in item.as_object().into_iter().flatten() {
        if !SHOWN_ELSEWHERE.contains(&name.as_str()) {
            flatten(paint, name, value, &mut rows);
        }
    }
    out.push_str(&table(&rows));
    let body = refdesk_catalog::answer::body_key(kind).and_then(|key| item[key].as_str());
    if let Some(body) = body {
        let _ = writeln!(
            out,
            "\n{}\n",
            refdesk_core::clean::visible(refdesk_core::text::strip_front_matter(body)).0.trim()
        );
    } else if let Some(reason) = item["body_missing"].as_str() {
        let _ = writeln!(out, "{}", paint.dim(&format!("no full text: {}", clean(reason))));
    }
}

/// Stated values as rows of dotted path and value.
fn flatten(paint: Paint, path: &str, value: &Value, rows: &mut Vec<Vec<String>>) {
    match value {
        Value::Null => {}
        Value::Object(fields) => {
            for (name, value) in fields {
                flatten(paint, &format!("{path}.{name}"), value, rows);
            }
        }
        Value::Array(items) if items.is_empty() => {}
        Value::Array(items) => {
            for (at, entry) in items.iter().take(ENTRIES_MAX).enumerate() {
                let label = if at == 0 { paint.dim(path) } else { String::new() };
                rows.push(vec![label, one_line(entry)]);
            }
            if items.len() > ENTRIES_MAX {
                rows.push(vec![
                    String::new(),
                    paint.dim(&format!("and {} more; --json shows all", items.len() - ENTRIES_MAX)),
                ]);
            }
        }
        scalar => rows.push(vec![paint.dim(path), one_line(scalar)]),
    }
}

/// A value on one line: an object by its first texts.
fn one_line(value: &Value) -> String {
    match value {
        Value::String(text) => refdesk_core::clean::excerpt(text, 160),
        Value::Object(fields) => {
            let parts: Vec<String> = fields
                .iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| match value {
                    Value::String(text) => refdesk_core::clean::excerpt(text, 80),
                    Value::Object(_) | Value::Array(_) => refdesk_core::clean::excerpt(&format!("{name} {value}"), 100),
                    scalar => format!("{name} {scalar}"),
                })
                .collect();
            parts.join(" · ")
        }
        other => refdesk_core::clean::excerpt(&other.to_string(), 160),
    }
}

/// A framework card, the way one would print it.
fn card(paint: Paint, item: &Value, out: &mut String) {
    out.push_str(&fold(&clean(text(item, "summary")), WIDTH, ""));
    let domains: Vec<&str> = std::iter::once(text(item, "domain"))
        .chain(item["secondary_domains"].as_array().into_iter().flatten().filter_map(Value::as_str))
        .collect();
    let _ = writeln!(out, "{}", paint.dim(&domains.join(" · ")));
    for (title, name, mark) in [
        ("When to use", "when_to_use", "+"),
        ("When not to use", "when_not_to_use", "-"),
        ("Steps", "steps", "#"),
        ("Check", "quality_checks", "✓"),
        ("How it goes wrong", "failure_modes", "!"),
    ] {
        bullets(paint, title, &item[name], mark, out);
    }
    if let Some(inputs) = item["inputs"].as_array().filter(|inputs| !inputs.is_empty()) {
        let _ = writeln!(out, "\n{}", paint.strong("Inputs"));
        for input in inputs {
            let required = if input["required"] == true { "" } else { " (optional)" };
            let line = format!("{}{required}: {}", text(input, "name"), text(input, "description"));
            out.push_str(&fold(&clean(&line), WIDTH, "  "));
        }
    }
    if let Some(artifact) = item["output"]["artifact"].as_str() {
        let _ = writeln!(out, "\n{}\n{}", paint.strong("Output"), fold(&clean(artifact), WIDTH, "  ").trim_end());
    }
    if let Some(better) = item["anti_examples"].as_array().filter(|list| !list.is_empty()) {
        let _ = writeln!(out, "\n{}", paint.strong("Better served by another card"));
        for example in better {
            let line = format!("{} → {}", text(example, "question"), text(example, "better"));
            out.push_str(&fold(&clean(&line), WIDTH, "  "));
        }
    }
    let origin = &item["origin"];
    let year = origin["year"].as_i64().map(|year| year.to_string());
    let parts: Vec<String> =
        [origin["author"].as_str().map(str::to_owned), year, origin["work"].as_str().map(str::to_owned)]
            .into_iter()
            .flatten()
            .collect();
    if !parts.is_empty() {
        let _ =
            writeln!(out, "\n{}\n{}", paint.strong("Origin"), fold(&clean(&parts.join(", ")), WIDTH, "  ").trim_end());
    }
    match item["prompt"]["text"].as_str() {
        Some(prompt) => {
            let _ = writeln!(out, "\n{}\n\n{}", paint.strong("Prompt"), refdesk_core::clean::visible(prompt).0.trim());
        }
        None => {
            let _ = writeln!(
                out,
                "\n{}",
                paint.dim(&format!(
                    "refdesk get framework {} --prompt prints the prompt that runs it",
                    text(item, "id")
                ))
            );
        }
    }
}

fn bullets(paint: Paint, title: &str, list: &Value, mark: &str, out: &mut String) {
    let Some(items) = list.as_array().filter(|items| !items.is_empty()) else { return };
    let _ = writeln!(out, "\n{}", paint.strong(title));
    for (at, item) in items.iter().filter_map(Value::as_str).enumerate() {
        let head = if mark == "#" { format!("{}. ", at + 1) } else { format!("{mark} ") };
        let folded = fold(&clean(item), WIDTH - head.len(), &" ".repeat(2 + head.chars().count()));
        let _ = write!(out, "  {head}{}", folded.trim_start());
    }
}

fn evidence(paint: Paint, answer: &Value, out: &mut String) {
    let evidence = &answer["evidence"];
    let _ = writeln!(out, "\n{}  {}", paint.strong("Evidence"), freshness(paint, evidence));
    for (label, name) in [
        ("source", "source_url"),
        ("from", "source_id"),
        ("hash", "content_hash"),
        ("licence", "license"),
        ("stale", "stale_reason"),
    ] {
        if let Some(value) = evidence[name].as_str() {
            let _ = writeln!(out, "  {} {}", paint.dim(&format!("{label:8}")), clean(value));
        }
    }
    let kind = answer.as_object().into_iter().flatten().find_map(|(_, value)| value["conflicts"].as_array());
    for conflict in kind.into_iter().flatten() {
        let line = format!("{} says {} = {}", text(conflict, "source_id"), text(conflict, "path"), conflict["value"]);
        let _ = writeln!(out, "  {} {}", paint.warn("conflict"), refdesk_core::clean::excerpt(&line, 160));
    }
}

/// The router's answer.
pub fn route(paint: Paint, answer: &Value) -> String {
    let mut out = String::new();
    let selected = &answer["selected"];
    if selected.is_null() {
        out.push_str("No framework fits this question.\n");
    } else {
        let confidence = (selected["confidence"].as_f64().unwrap_or(0.0) * 100.0).round();
        let _ = writeln!(
            out,
            "{}  {}",
            paint.strong(&name_of(selected)),
            paint.dim(&format!("{} · {} · confidence {confidence} %", text(selected, "id"), text(selected, "domain")))
        );
        out.push_str(&fold(&clean(text(selected, "summary")), WIDTH, "  "));
        for reason in selected["reasons"].as_array().into_iter().flatten() {
            let terms: Vec<&str> = reason["terms"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let _ = writeln!(out, "  {}", paint.dim(&format!("{}: {}", text(reason, "field"), terms.join(", "))));
        }
        let _ = writeln!(out, "  {}", paint.dim(&format!("refdesk get framework {} --prompt", text(selected, "id"))));
    }
    if let Some(question) = answer["clarifying_question"].as_str() {
        let _ = write!(out, "\n{}", fold(question, WIDTH, ""));
    }
    let others = answer["alternatives"].as_array().filter(|others| !others.is_empty());
    if let Some(others) = others {
        let _ = writeln!(out, "\n{}", paint.strong(if selected.is_null() { "Nearest" } else { "Instead" }));
        for other in others {
            let _ = writeln!(out, "  {}  {}", name_of(other), paint.dim(text(other, "id")));
            if let Some(why_not) = other["why_not"].as_str() {
                out.push_str(&fold(&clean(why_not), WIDTH, "    "));
            }
        }
    }
    out.push_str(&notes(paint, answer));
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{ENTRIES_MAX, Paint, flatten};

    #[test]
    fn of_a_long_list_the_first_entries_are_shown_and_the_rest_is_counted() {
        let rows = |count: usize| {
            let mut rows = Vec::new();
            flatten(Paint::for_stdout(), "names", &json!((0..count).collect::<Vec<_>>()), &mut rows);
            rows
        };
        assert_eq!(rows(ENTRIES_MAX).len(), ENTRIES_MAX);
        let cut = rows(ENTRIES_MAX + 3);
        assert_eq!(cut.len(), ENTRIES_MAX + 1);
        assert!(cut[ENTRIES_MAX][1].contains("and 3 more; --json shows all"), "{cut:?}");
    }
}
