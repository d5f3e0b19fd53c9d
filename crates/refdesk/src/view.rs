//! Answers as a person reads them in a terminal. They come in as the JSON that REST answers, so nothing here looks anything up.

pub mod questions;

use std::fmt::Write as _;

use refdesk_core::Kind;
use refdesk_core::field;
use refdesk_core::query::ListQuery;
use refdesk_search::plain_text;
use serde_json::Value;

use crate::output::{Fit, Paint, columns, fits, fold, prose_width, table};

pub use questions::moment;

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
        let counts: Vec<String> =
            counts.map(|count| format!("{} {}", questions::cell(&count["value"]), count["count"])).collect();
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
            value => questions::cell(value),
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
const SHOWN_ELSEWHERE: [&str; 22] = [
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
    "offers",
];
/// Entries of a list that are shown.
const ENTRIES_MAX: usize = 12;
/// Longest text that stands among others on a line.
const SHORT_CHARS_MAX: usize = 40;
/// Sellers of a model that are shown.
const OFFERS_MAX: usize = 20;

fn fields(paint: Paint, kind: Kind, item: &Value, out: &mut String) {
    let prose = item["description"].as_str().or(item["summary"].as_str()).unwrap_or_default();
    if !prose.is_empty() {
        out.push_str(&fold(&clean(prose), prose_width(), ""));
        out.push('\n');
    }
    let mut rest = item.clone();
    if let Some(members) = rest.as_object_mut() {
        members.retain(|name, _| !SHOWN_ELSEWHERE.contains(&name.as_str()));
    }
    out.push_str(&stated(paint, &rest));
    offers(paint, item, out);
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

/// All that an object states, a row for each value.
pub fn stated(paint: Paint, value: &Value) -> String {
    let mut rows = Vec::new();
    for (name, value) in value.as_object().into_iter().flatten() {
        flatten(paint, name, value, &mut rows);
    }
    table(&rows)
}

/// Who sells a model, and for what.
fn offers(paint: Paint, item: &Value, out: &mut String) {
    let offers = item["offers"].as_array().map(Vec::as_slice).unwrap_or_default();
    if offers.is_empty() {
        return;
    }
    let heads = [
        ("seller", Fit::Cut),
        ("its id of the model", Fit::Cut),
        ("in", Fit::Whole),
        ("out", Fit::Whole),
        ("context", Fit::Whole),
        ("cache", Fit::Optional),
        ("checked", Fit::Optional),
    ];
    let known = |value: &Value| if value.is_null() { "-".to_owned() } else { questions::cell(value) };
    let row = |offer: &Value| {
        let price = &offer["pricing"];
        let checked = offer["last_verified_at"].as_str().or(offer["last_synced_at"].as_str());
        let day = checked.and_then(|at| at.get(..10)).unwrap_or("-");
        vec![
            known(&offer["provider"]),
            known(&offer["api_model_id"]),
            known(&price["input"]),
            known(&price["output"]),
            known(&offer["limits"]["context_tokens"]),
            known(&price["cache_read"]),
            if offer["stale"] == true { paint.warn(&format!("{day}, stale")) } else { day.to_owned() },
        ]
    };
    let shown = offers.iter().take(OFFERS_MAX);
    let _ = writeln!(out, "\n{}  {}", paint.strong("Sellers"), paint.dim("USD per 1M tokens"));
    out.push_str(&columns(paint, &heads, shown.map(row).collect()));
    if offers.len() > OFFERS_MAX {
        let left = crate::output::counted(offers.len() - OFFERS_MAX, "more seller");
        let told = format!("and {left}; `refdesk cost {}` and --json show all", text(item, "id"));
        let _ = writeln!(out, "{}", paint.dim(&told));
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
        Value::Array(items) if items.iter().all(is_short) => {
            let mut shown = items.iter().take(ENTRIES_MAX).map(one_line).collect::<Vec<_>>().join(", ");
            if items.len() > ENTRIES_MAX {
                shown.push_str(&paint.dim(&format!(", and {} more; --json shows all", items.len() - ENTRIES_MAX)));
            }
            rows.push(vec![paint.dim(path), shown]);
        }
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

/// Whether a value can stand among others on a line.
fn is_short(value: &Value) -> bool {
    match value {
        Value::String(text) => text.chars().count() <= SHORT_CHARS_MAX && !text.contains(", "),
        other => !other.is_object() && !other.is_array(),
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
    out.push_str(&fold(&clean(text(item, "summary")), prose_width(), ""));
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
            out.push_str(&fold(&clean(&line), prose_width() - 2, "  "));
        }
    }
    if let Some(artifact) = item["output"]["artifact"].as_str() {
        let _ = writeln!(
            out,
            "\n{}\n{}",
            paint.strong("Output"),
            fold(&clean(artifact), prose_width() - 2, "  ").trim_end()
        );
    }
    if let Some(better) = item["anti_examples"].as_array().filter(|list| !list.is_empty()) {
        let _ = writeln!(out, "\n{}", paint.strong("Better served by another card"));
        for example in better {
            let line = format!("{} → {}", text(example, "question"), text(example, "better"));
            out.push_str(&fold(&clean(&line), prose_width() - 2, "  "));
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
        let _ = writeln!(
            out,
            "\n{}\n{}",
            paint.strong("Origin"),
            fold(&clean(&parts.join(", ")), prose_width() - 2, "  ").trim_end()
        );
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
        let folded = fold(&clean(item), prose_width() - 2 - head.len(), &" ".repeat(2 + head.chars().count()));
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
        out.push_str(&fold(&clean(text(selected, "summary")), prose_width() - 2, "  "));
        for reason in selected["reasons"].as_array().into_iter().flatten() {
            let terms: Vec<&str> = reason["terms"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let _ = writeln!(out, "  {}", paint.dim(&format!("{}: {}", text(reason, "field"), terms.join(", "))));
        }
        let _ = writeln!(out, "  {}", paint.dim(&format!("refdesk get framework {} --prompt", text(selected, "id"))));
    }
    if let Some(question) = answer["clarifying_question"].as_str() {
        let _ = write!(out, "\n{}", fold(question, prose_width(), ""));
    }
    let others = answer["alternatives"].as_array().filter(|others| !others.is_empty());
    if let Some(others) = others {
        let _ = writeln!(out, "\n{}", paint.strong(if selected.is_null() { "Nearest" } else { "Instead" }));
        for other in others {
            let _ = writeln!(out, "  {}  {}", name_of(other), paint.dim(text(other, "id")));
            if let Some(why_not) = other["why_not"].as_str() {
                out.push_str(&fold(&clean(why_not), prose_width() - 4, "    "));
            }
        }
    }
    out.push_str(&notes(paint, answer));
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{ENTRIES_MAX, OFFERS_MAX, Paint, flatten, offers};

    #[test]
    fn of_a_long_list_the_first_entries_are_shown_and_the_rest_is_counted() {
        let rows = |count: usize| {
            let mut rows = Vec::new();
            flatten(
                Paint::for_stdout(),
                "names",
                &json!((0..count).map(|at| json!({"at": at})).collect::<Vec<_>>()),
                &mut rows,
            );
            rows
        };
        assert_eq!(rows(ENTRIES_MAX).len(), ENTRIES_MAX);
        let cut = rows(ENTRIES_MAX + 3);
        assert_eq!(cut.len(), ENTRIES_MAX + 1);
        assert!(cut[ENTRIES_MAX][1].contains("and 3 more; --json shows all"), "{cut:?}");
    }

    #[test]
    fn of_many_sellers_the_first_are_shown_and_the_rest_is_counted() {
        let shown = |count: usize| {
            let offer = |at: usize| json!({"provider": format!("seller-{at}"), "pricing": {"input": 1, "output": 2.5}});
            let item = json!({"id": "m", "offers": (0..count).map(offer).collect::<Vec<_>>()});
            let mut out = String::new();
            offers(Paint::plain(), &item, &mut out);
            out
        };
        assert_eq!(shown(0), "");
        assert!(shown(1).contains("seller-0  -                    1   2.5  -"), "{}", shown(1));
        let whole = shown(OFFERS_MAX);
        assert_eq!((whole.matches("seller-").count(), whole.contains("more seller")), (OFFERS_MAX, false));
        let cut = shown(OFFERS_MAX + 2);
        assert_eq!(cut.matches("seller-").count(), OFFERS_MAX);
        assert!(cut.contains("and 2 more sellers; `refdesk cost m` and --json show all"), "{cut}");
    }
}
