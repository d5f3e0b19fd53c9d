//! One item with all that is stated of it, and its evidence.

use std::fmt::Write as _;

use refdesk_core::Kind;
use refdesk_core::item::Status;
use refdesk_core::text::{mdx, strip_front_matter, word_array};
use serde_json::Value;

use super::frameworks::card;
use super::one_line::one_line;
use super::questions::amount;
use super::{array, clean, freshness, markdown, name_of, text};
use crate::output::{Fit, Paint, Rendered, STALE_END, columns, fits, fold, prose_width, table, width};

/// One item with its evidence.
pub fn detail(paint: Paint, kind: Kind, answer: &Value) -> Rendered {
    let item = &answer[kind.singular()];
    let mut out = String::new();
    let mut told = String::new();
    let vendor = clean(text(item, "vendor"));
    let by = if vendor.is_empty() { String::new() } else { format!("  {vendor}") };
    let _ = writeln!(out, "{}{by}", paint.strong(&name_of(item)));
    let [id, status, tier] = ["id", "status", "trust_tier"].map(|name| text(item, name));
    let _ = writeln!(out, "{}", paint.dim(&format!("{} {id} · {status} · {tier}", kind.label())));
    if let Some(spelling) = answer["resolved_from"].as_str() {
        let _ = writeln!(out, "{}", paint.dim(&format!("found as {}", clean(spelling))));
    }
    out.push('\n');
    if kind == Kind::Framework {
        card(paint, item, &mut out);
    } else {
        fields(paint, kind, answer, &mut out, &mut told);
    }
    evidence(paint, answer, &mut out);
    Rendered { text: out, notes: told }
}

/// Fields that stand elsewhere in a detail, or are too long for one.
const SHOWN_ELSEWHERE: [&str; 22] = word_array(
    "id display_name title vendor status trust_tier source_url evidence_key first_seen_at last_synced_at \
     last_verified_at stale field_evidence conflicts description summary markdown body_markdown body body_missing \
     headings offers",
);

/// Entries of a list that are shown.
const ENTRIES_MAX: usize = 12;

/// Longest text that stands among others on a line.
const SHORT_CHARS_MAX: usize = 40;

/// Sellers of a model that are shown.
const OFFERS_MAX: usize = 20;

fn fields(paint: Paint, kind: Kind, answer: &Value, out: &mut String, told: &mut String) {
    let item = &answer[kind.singular()];
    let prose = item["description"].as_str().or(item["summary"].as_str()).unwrap_or_default();
    if !prose.is_empty() {
        out.push_str(&fold(&clean(prose), prose_width(), ""));
        out.push('\n');
    }
    let mut rest = item.clone();
    if let Some(members) = rest.as_object_mut() {
        members.retain(|name, _| !SHOWN_ELSEWHERE.contains(&name.as_str()));
        // The longest and least asked for, last.
        if let Some(aliases) = members.shift_remove("aliases") {
            members.insert("aliases".to_owned(), aliases);
        }
    }
    out.push_str(&stated(paint, &rest));
    told.push_str(&offers(paint, item, own_offer(answer, item), out));
    let body = refdesk_catalog::answer::body_key(kind).and_then(|key| item[key].as_str());
    if let Some(body) = body {
        let read = mdx::readable(strip_front_matter(body));
        let shown = refdesk_core::clean::visible(&read).trim().to_owned();
        let shown = if width().is_some() { markdown::folded(&shown, prose_width()) } else { shown };
        let _ = writeln!(out, "\n{}\n", shown.trim_end());
    } else if let Some(reason) = item["body_missing"].as_str() {
        let _ = writeln!(out, "{}", paint.dim(&format!("no full text: {}", clean(reason))));
    }
}

/// All that an object states, a row for each value.
fn stated(paint: Paint, value: &Value) -> String {
    let mut rows = Vec::new();
    for (name, value) in value.as_object().into_iter().flatten() {
        flatten(paint, name, value, &mut rows);
    }
    table(&rows)
}

/// What the maker itself asks for a model, among the offers of the model and of those that it is linked with.
fn own_offer<'a>(answer: &'a Value, item: &Value) -> Option<&'a Value> {
    array(answer, "all_offers").find(|offer| offer["first_party"] == true && offer["model_id"] == item["id"])
}

/// Who sells a model, and for what; a note tells what the terminal has no room for.
fn offers(paint: Paint, item: &Value, own: Option<&Value>, out: &mut String) -> String {
    // The cheapest first, as on the page, and what is sold no longer last: what is cut of many is what nobody looks for.
    let input = |offer: &Value| offer["pricing"]["input"].as_f64().unwrap_or(f64::INFINITY);
    let is_over = |offer: &Value| Status::of(offer).is_some_and(Status::ends_sale);
    let mut others: Vec<&Value> = array(item, "offers").collect();
    others.sort_by(|one, other| input(one).total_cmp(&input(other)));
    let mut offers: Vec<&Value> = own.into_iter().chain(others).collect();
    offers.sort_by_key(|offer| is_over(offer));
    if offers.is_empty() {
        return String::new();
    }
    let shown = offers.iter().take(OFFERS_MAX);
    let told_status = |offer: &Value| Status::of(offer).filter(|status| status.is_told());
    let has_status = shown.clone().any(|offer| told_status(offer).is_some());
    let mut heads = vec![("seller", Fit::Cut)];
    heads.extend(has_status.then_some(("status", Fit::Whole)));
    heads.extend([
        ("id to send", Fit::Cut),
        ("in", Fit::Number),
        ("out", Fit::Number),
        ("context", Fit::Number),
        ("cache", Fit::OptionalNumber),
        ("checked", Fit::Checked),
    ]);
    let known = |value: &Value| if value.is_null() { "-".to_owned() } else { amount(value) };
    let row = |offer: &&Value| {
        let price = &offer["pricing"];
        let checked = offer["last_verified_at"].as_str().or(offer["last_synced_at"].as_str());
        let day = checked.and_then(|at| at.get(..10)).unwrap_or("-");
        let maker = if offer["first_party"] == true { " (maker)" } else { "" };
        let mut cells = vec![known(&offer["provider"]) + maker];
        cells.extend(has_status.then(|| paint.warn(told_status(offer).map_or("", Status::as_str))));
        cells.extend([
            known(&offer["api_model_id"]),
            known(&price["input"]),
            known(&price["output"]),
            known(&offer["limits"]["context_tokens"]),
            known(&price["cache_read"]),
            if offer["stale"] == true { paint.warn(&format!("{day}{STALE_END}")) } else { day.to_owned() },
        ]);
        cells
    };
    let _ = writeln!(out, "\n{}  {}", paint.strong("Sellers"), paint.dim("USD per 1M tokens"));
    let table = columns(paint, &heads, shown.map(row).collect());
    out.push_str(&table.text);
    if offers.len() > OFFERS_MAX {
        let left = crate::output::counted(offers.len() - OFFERS_MAX, "more seller");
        let told = format!("and {left}; `refdesk cost {}` and --json show all", text(item, "id"));
        let _ = writeln!(out, "{}", paint.dim(&told));
    }
    table.notes
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

fn evidence(paint: Paint, answer: &Value, out: &mut String) {
    let evidence = &answer["evidence"];
    let _ = writeln!(out, "\n{}  {}", paint.strong("Evidence"), freshness(paint, evidence));
    for (label, name) in [
        ("source", "source_url"),
        ("from", "source_id"),
        ("hash", "content_hash"),
        ("license", "license"),
        ("stale", "stale_reason"),
    ] {
        if let Some(value) = evidence[name].as_str() {
            let (label, value) = (paint.dim(&format!("{label:8}")), clean(value));
            let one = format!("  {label} {value}");
            let line = if fits(&one) { one } else { format!("  {}\n    {value}", label.trim_end()) };
            let _ = writeln!(out, "{line}");
        }
    }
    let kind = answer.as_object().into_iter().flatten().find_map(|(_, value)| value["conflicts"].as_array());
    for conflict in kind.into_iter().flatten() {
        let value = one_line(&conflict["value"]);
        let line = format!("{} says {} = {value}", text(conflict, "source_id"), text(conflict, "path"));
        let line = refdesk_core::clean::excerpt(&line, 160);
        let told = fold(&format!("{} {line}", paint.warn("conflict")), prose_width() - 4, "    ");
        let _ = writeln!(out, "  {}", told.trim());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{ENTRIES_MAX, OFFERS_MAX, Paint, evidence, flatten, offers};

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
    fn nested_lists_are_told_in_words_and_conflicts_are_folded() {
        let mut rows = Vec::new();
        let packages =
            json!([{"env": [{"key": "TOKEN", "secret": true}], "name": "x", "transport": {"type": "stdio"}}]);
        flatten(Paint::plain(), "packages", &packages, &mut rows);
        assert_eq!(rows, [["packages", "x · env TOKEN · secret true · transport stdio"]]);
        let mut rows = Vec::new();
        let versions = json!([{"version": "0.24.1", "published_at": "2025-12-08T10:19:24Z"}]);
        flatten(Paint::plain(), "versions", &versions, &mut rows);
        let shown: &str = &rows[0][1];
        assert!(shown.contains("0.24.1") && shown.contains("published_at 2025-12-08 10:19"), "{shown}");
        assert!(!shown.contains('T'), "{shown}");
        let value = "a word and another one ".repeat(6);
        let conflicts = json!([{"source_id": "litellm", "path": "limits.context_tokens", "value": value}]);
        let mut out = String::new();
        evidence(Paint::plain(), &json!({"model": {"conflicts": conflicts}, "evidence": {}}), &mut out);
        let widest = out.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(super::prose_width()) && out.contains("conflict litellm says"), "{out}");
    }

    /// In the order of their names, the cheapest of many would be cut.
    #[test]
    fn sellers_are_in_the_order_of_their_price_and_those_without_one_last() {
        let offer = |name: &str, input: Value| json!({"provider": name, "pricing": {"input": input}});
        let offers_of =
            [offer("a", Value::Null), offer("b", json!(1.25)), offer("c", json!(1.07)), offer("d", json!(1.25))];
        let mut out = String::new();
        offers(Paint::plain(), &json!({"id": "m", "offers": offers_of}), None, &mut out);
        let order: Vec<&str> = out.lines().skip(3).filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(order, ["c", "b", "d", "a"], "{out}");
    }

    #[test]
    fn what_a_seller_sells_no_longer_says_so_and_stands_last() {
        let offer = |name: &str, status: &str, input: f64| json!({"provider": name, "status": status, "pricing": {"input": input}});
        let offers_of = [offer("a", "retired", 0.5), offer("b", "active", 1.25), offer("c", "deprecated", 1.0)];
        let own = json!({"provider": "maker", "first_party": true, "status": "removed", "pricing": {"input": 0.1}});
        let mut out = String::new();
        offers(Paint::plain(), &json!({"id": "m", "offers": offers_of}), Some(&own), &mut out);
        let rows = out.lines().skip(3).map(|line| line.split_whitespace().collect::<Vec<_>>());
        let shown: Vec<String> = rows.map(|words| words[..3].join(" ")).collect();
        assert_eq!(shown, ["c deprecated -", "b - 1.25", "maker (maker) removed", "a retired -"], "{out}");
    }

    #[test]
    fn of_many_sellers_the_first_are_shown_and_the_rest_is_counted() {
        let shown = |count: usize| {
            let offer = |at: usize| json!({"provider": format!("seller-{at}"), "pricing": {"input": 1, "output": 2.5}});
            let item = json!({"id": "m", "offers": (0..count).map(offer).collect::<Vec<_>>()});
            let mut out = String::new();
            offers(Paint::plain(), &item, None, &mut out);
            out
        };
        assert_eq!(shown(0), "");
        assert!(shown(1).contains("seller-0  -            1  2.5        -"), "{}", shown(1));
        let whole = shown(OFFERS_MAX);
        assert_eq!((whole.matches("seller-").count(), whole.contains("more seller")), (OFFERS_MAX, false));
        let cut = shown(OFFERS_MAX + 2);
        assert_eq!(cut.matches("seller-").count(), OFFERS_MAX);
        assert!(cut.contains("and 2 more sellers; `refdesk cost m` and --json show all"), "{cut}");
    }
}
