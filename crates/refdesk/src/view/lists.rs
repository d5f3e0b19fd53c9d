//! Hits of a search, and pages of a list.

use std::fmt::{Display, Write as _};

use refdesk_catalog::answer::{at, blended};
use refdesk_core::Kind;
use refdesk_core::field::{self, FieldDef, Shape};
use refdesk_core::item::Status;
use refdesk_core::query::{ListQuery, SEARCH_LIMIT};
use refdesk_search::plain_text;
use serde_json::Value;

use super::one_line::one_line;
use super::questions::{amount, cell, moment};
use super::{array, clean, count_of, freshness, headed, kind_of, markdown, name_of, notes, page_of, text, words};
use crate::cli::parameters::flag;
use crate::output::{Fit, Paint, Rendered, STALE_MARK, columns, fold, grouped, prose_width, width};

/// Hits of a search, with the members that were asked for below each.
pub fn search(paint: Paint, fields: &[String], answer: &Value) -> Rendered {
    let mut out = String::new();
    let mut told = understood(&answer["understood"]);
    for hit in array(answer, "results") {
        let kind = kind_of(hit);
        if !fields.is_empty() {
            let head = format!("{} {}  {}", paint.dim(&kind), paint.strong(text(hit, "id")), stale_word(paint, hit));
            let _ = writeln!(out, "{}", head.trim_end());
            for path in fields {
                let value = at(hit, path).unwrap_or(&Value::Null);
                let is_stale = !value.is_null() && hit["stale"] != true && field::is_stale(hit, path);
                let shown = format!("{path}: {}{}", asked_value(value), if is_stale { STALE_MARK } else { "" });
                out.push_str(&fold(&shown, prose_width() - 4, "    "));
            }
            continue;
        }
        let about = [
            paint.dim(&format!("{kind} {}", text(hit, "id"))),
            Status::outgoing(hit).map(|status| paint.warn(status.as_str())).unwrap_or_default(),
            clean(text(hit, "vendor")),
            freshness(paint, hit),
        ];
        let about: Vec<String> = about.into_iter().filter(|part| !part.is_empty()).collect();
        out.push_str(&headed(&paint.strong(&name_of(hit)), &about.join("  ")));
        let passage = hit["snippet"].as_str().map(plain_text).unwrap_or_default();
        let passage = if passage.is_empty() { clean(text(hit, "summary")) } else { clean(&passage) };
        out.push_str(&fold(&passage, prose_width() - 4, "    "));
        let _ = writeln!(out, "    {}", paint.dim(text(hit, "source_url")));
        for passage in array(hit, "passages") {
            out.push_str(&section(paint, passage));
        }
    }
    let (count, total) = (count_of(answer, "count"), count_of(answer, "total"));
    if count == 0 {
        out.push_str("Nothing found. Try other words, or `refdesk list KIND`.\n");
    } else if total > count {
        let more = if count < SEARCH_LIMIT.max {
            "--limit shows more"
        } else {
            "that is the maximum; add words, --type or filters to narrow the search"
        };
        // Where only the best are counted, there may be more, as the page says, too.
        let plus = if answer["total_relation"] == "gte" { "+" } else { "" };
        let _ = writeln!(told, "{} of {}{plus}; {more}", grouped(count), grouped(total));
    }
    out.push_str(&facets(answer));
    told.push_str(&notes(answer));
    Rendered { text: out, notes: told }
}

/// Said once of what is stale as a whole, where nothing tells when it was checked.
fn stale_word(paint: Paint, row: &Value) -> String {
    if row["stale"] == true { paint.warn("stale") } else { String::new() }
}

/// A section of a text below its headings, of which the last is not said twice.
fn section(paint: Paint, passage: &Value) -> String {
    let headings: Vec<String> = words(passage, "headings").map(clean).collect();
    let mut out = format!("\n{}", fold(&paint.strong(&headings.join(" › ")), prose_width() - 4, "    "));
    let shown = refdesk_core::clean::visible(text(passage, "text")).trim().to_owned();
    let shown = markdown::below_heading(&shown, headings.last().map_or("", String::as_str));
    let shown = if width().is_some() { markdown::folded(shown, prose_width() - 4) } else { shown.to_owned() };
    for line in shown.lines() {
        let _ = writeln!(out, "{}", format!("    {line}").trim_end());
    }
    out.push('\n');
    out
}

/// What was counted, a line for each field.
fn facets(answer: &Value) -> String {
    let mut out = String::new();
    for (name, facet) in answer["facets"].as_object().into_iter().flatten() {
        let counted = |count: &Value| format!("{} {}", cell(&count["value"]), amount(&count["count"]));
        let counts: Vec<String> = array(facet, "results").map(counted).collect();
        out.push_str(&fold(&format!("{name}: {}", counts.join(", ")), prose_width(), ""));
    }
    out
}

/// A value that `--fields` asks for: a text as long as it is, lists and objects by what they state, as the view of an item has them.
fn asked_value(value: &Value) -> String {
    match value {
        Value::String(text) => moment(text).unwrap_or_else(|| clean(text)),
        Value::Array(_) | Value::Object(_) => one_line(value),
        _ => cell(value),
    }
}

/// What was understood as filters or an order: the hits are those of a list, and whoever asked must see it.
fn understood(understood: &Value) -> String {
    let filters = understood["filters"].as_object();
    let said = filters.into_iter().flatten().filter_map(|(name, value)| {
        let flag = flag(name);
        // It is a flag without a value.
        Some(if name == "include_removed" { flag } else { format!("{flag}={}", clean(value.as_str()?)) })
    });
    let sort = understood["sort"].as_str().map(|sort| format!("--sort={sort}"));
    let said: Vec<String> = said.chain(sort).collect();
    if said.is_empty() {
        return String::new();
    }
    format!("understood: {}; --understand false looks for the words\n", said.join(" "))
}

/// Fields that a list of models shows without being asked: what models are chosen by.
const OF_MODELS: [&str; 3] = ["context_tokens", "price_input", "price_output"];

/// Columns of a list beside id and name, as path and head: what was filtered or sorted by, and what is of use; or what was asked for.
fn columns_of(kind: Kind, query: &ListQuery) -> Vec<(String, String, Fit)> {
    let selection = &query.selection;
    if !selection.fields.is_empty() {
        // The id is there in any case.
        let asked: Vec<&String> = selection.fields.iter().filter(|path| *path != "id").collect();
        // Texts of any length: the last is folded, those before it are cut.
        let fit = |at: usize, path: &str| match fit_of(kind, path) {
            Fit::Whole if at + 1 == asked.len() => Fit::Folded,
            Fit::Whole => Fit::Cut,
            number => number,
        };
        let column = |(at, path): (usize, &&String)| ((*path).clone(), (*path).clone(), fit(at, path.as_str()));
        return asked.iter().enumerate().map(column).collect();
    }
    let used = selection.sort.iter().map(|key| key.field).chain(selection.conditions.iter().map(|c| c.field));
    let of_kind = if kind == Kind::Model { OF_MODELS.as_slice() } else { &[] };
    let of_kind = of_kind.iter().filter_map(|name| field::named(kind, name));
    let others = ["vendor", "status"].into_iter().filter_map(|name| field::named(kind, name));
    // A row has its offers, which can be counted, and the prices of which one is blended. Other fields without a path are in no single
    // member, so they have no column.
    let is_made = |field: &FieldDef| field.is_offer_count() || field.path.is_empty() && field.is_price();
    let path = |field: &'static FieldDef| if is_made(field) { field.name } else { field.path };
    let fit = |field: &'static FieldDef| (field, if is_made(field) { Fit::Number } else { fit_of(kind, field.path) });
    let all = used.chain(of_kind).map(fit).chain(others.map(|field| (field, Fit::Optional)));
    let mut columns: Vec<(String, String, Fit)> = Vec::new();
    for (field, fit) in all.filter(|(field, _)| !path(field).is_empty() && field.name != "id") {
        if !columns.iter().any(|(known, ..)| known == path(field)) {
            columns.push((path(field).to_owned(), head_of(field), fit));
        }
    }
    columns
}

/// The head of a field's column. Of prices it is short, so that names keep their room: `in $/1M`.
fn head_of(field: &FieldDef) -> String {
    let words = field.name.trim_end_matches("_tokens").replace('_', " ");
    match words.strip_prefix("price ") {
        Some(meter) => format!("{} $/1M", meter.replace("input", "in").replace("output", "out")),
        None => words,
    }
}

/// Numbers end below each other.
fn fit_of(kind: Kind, path: &str) -> Fit {
    let is_number = |field: &FieldDef| field.path == path && matches!(field.shape, Shape::Count | Shape::Price);
    if field::of_kind(kind).any(is_number) { Fit::Number } else { Fit::Whole }
}

/// The price of a row that no member of it has, because two are blended in it.
fn blended_at(kind: Kind, row: &Value, name: &str) -> Option<impl Display> {
    field::named(kind, name).filter(|field| field.path.is_empty() && field.is_price())?;
    blended(&row["pricing"])
}

/// Whether what a column says of a row is stale, or something that it is told from.
fn is_any_stale(kind: Kind, row: &Value, path: &str) -> bool {
    let told_of = field::named(kind, path).map_or(&[][..], |field| field.told_of);
    field::is_stale(row, path) || told_of.iter().any(|read| field::is_stale(row, read))
}

/// A page of a list.
pub fn list(paint: Paint, kind: Kind, query: &ListQuery, answer: &Value) -> Rendered {
    let chosen = columns_of(kind, query);
    let is_whole = query.selection.fields.is_empty();
    let tells_stale = !is_whole && array(answer, kind.collection()).any(|row| row["stale"] == true);
    let mut heads = vec![("id", Fit::Whole)];
    heads.extend(tells_stale.then_some(("", Fit::Whole)));
    heads.extend(is_whole.then_some(("name", Fit::Cut)));
    heads.extend(chosen.iter().map(|(_, head, fit)| (head.as_str(), *fit)));
    heads.extend(is_whole.then_some(("checked", Fit::Checked)));
    let mut rows: Vec<Vec<String>> = Vec::new();
    for row in array(answer, kind.collection()) {
        // A row that is stale as a whole says so once.
        let is_stale = |path: &str| row["stale"] != true && is_any_stale(kind, row, path);
        let values = chosen.iter().map(|(path, _, fit)| {
            let value = match (at(row, path), fit) {
                (None, Fit::Number) if let Some(price) = blended_at(kind, row, path) => grouped(price),
                (None | Some(Value::Null), _) => return "-".to_owned(),
                (Some(Value::Array(offers)), Fit::Number) => grouped(offers.len()),
                (Some(value), Fit::Number) => amount(value),
                (Some(value), _) => asked_value(value),
            };
            if is_stale(path) { value + STALE_MARK } else { value }
        });
        let mut cells = vec![text(row, "id").to_owned()];
        cells.extend(tells_stale.then(|| stale_word(paint, row)));
        cells.extend(is_whole.then(|| name_of(row)));
        cells.extend(values);
        cells.extend(is_whole.then(|| freshness(paint, row).replace("checked ", "")));
        rows.push(cells);
    }
    let count = rows.len();
    let mut out = columns(paint, &heads, rows);
    out.text.push_str(&facets(answer));
    out.notes.push_str(&page_of(count, answer));
    for id in array(answer, "unresolved") {
        let _ = writeln!(out.notes, "nothing has the id {}", cell(id));
    }
    out.notes.push_str(&notes(answer));
    out
}

#[cfg(test)]
mod tests {
    use refdesk_core::Kind;
    use refdesk_core::query::{ListQuery, Params};
    use serde_json::json;

    use super::{Paint, list};

    fn shown(asked: &[(&str, &str)], rows: &serde_json::Value) -> String {
        let params = Params::new(asked.iter().copied(), ListQuery::names(Kind::Model));
        let query = ListQuery::parse(Kind::Model, &params).unwrap();
        list(Paint::plain(), Kind::Model, &query, &json!({"models": rows, "total": 2, "offset": 0})).text
    }

    fn row(id: &str, input: f64) -> serde_json::Value {
        json!({
            "id": id, "display_name": id.to_uppercase(), "vendor": "Acme", "status": "active", "stale": false,
            "limits": {"context_tokens": 128_000}, "pricing": {"input": input, "output": 15},
            "last_verified_at": "2026-11-30T10:00:00Z",
        })
    }

    /// The day of the row is that of what knows the item best, and the price is of another source.
    #[test]
    fn a_value_that_is_stale_is_marked_beside_a_fresh_day() {
        let (mut stale, fresh) = (row("m", 0.2), row("n", 12.5));
        stale["stale_fields"] = json!(["pricing"]);
        stale["pricing"]["output"] = json!(null);
        let rows = "id  name  context  in $/1M          out $/1M  vendor  status  checked\n\
                    m   M     128,000      0.2 (stale)         -  Acme    active  2026-11-30\n\
                    n   N     128,000     12.5                15  Acme    active  2026-11-30\n";
        assert_eq!(shown(&[], &json!([stale, fresh])), rows);
    }

    #[test]
    fn the_number_of_offers_is_seen_where_rows_are_chosen_by_it() {
        let mut sold = row("m", 0.2);
        sold["offers"] = json!([{"provider": "a"}, {"provider": "b"}]);
        let rows = json!([sold]);
        let seen = "id  name  offers  context  in $/1M  out $/1M  vendor  status  checked\n\
                    m   M          2  128,000      0.2        15  Acme    active  2026-11-30\n";
        for asked in [("sort", "-offers"), ("offers__gte", "1")] {
            assert_eq!(shown(&[asked], &rows), seen);
        }
    }

    /// It is three parts of input and one of output: no member of a row, and as stale as what it is made of.
    #[test]
    fn the_blended_price_is_seen_where_rows_are_in_its_order() {
        let (mut stale, mut unknown) = (row("m", 0.2), row("n", 1.5));
        stale["stale_fields"] = json!(["pricing.output"]);
        unknown["pricing"]["output"] = json!(null);
        let seen = "id  name  blended $/1M  context  in $/1M         out $/1M  vendor  status  checked\n\
                    m   M     3.9 (stale)   128,000      0.2         15 (stale)  Acme    active  2026-11-30\n\
                    n   N               -   128,000      1.5                -  Acme    active  2026-11-30\n";
        let shown = shown(&[("sort", "price_blended")], &json!([stale, unknown]));
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&shown), words(seen), "{shown}");
    }

    #[test]
    fn a_row_that_is_stale_as_a_whole_says_so_once() {
        let mut stale = row("m", 0.2);
        stale["stale"] = true.into();
        stale["stale_fields"] = json!(["pricing.input"]);
        let rows = json!([stale]);
        let whole = shown(&[], &rows);
        assert!(whole.ends_with("2026-11-30, stale\n") && !whole.contains("(stale)"), "{whole}");
        let asked = shown(&[("fields", "vendor,pricing.output")], &rows);
        assert_eq!(asked, "id         vendor  pricing.output\nm   stale  Acme                15\n");
    }
}
