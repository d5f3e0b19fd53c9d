//! One item with all that is stated of it, and its evidence.

use std::fmt::Write as _;

use refdesk_core::Kind;
use refdesk_core::field;
use refdesk_core::item::Status;
use refdesk_core::text::{mdx, strip_front_matter, word_array};
use serde_json::Value;

use super::frameworks::card;
use super::one_line::one_line;
use super::sellers::{offers, own_offer};
use super::{clean, freshness, markdown, name_of, text};
use crate::output::{Paint, Rendered, STALE_MARK, fits, fold, prose_width, table, width};

/// One item with its evidence.
pub fn detail(paint: Paint, kind: Kind, answer: &Value) -> Rendered {
    let item = &answer[kind.singular()];
    let mut out = String::new();
    let mut told = String::new();
    let vendor = clean(text(item, "vendor"));
    let by = if vendor.is_empty() { String::new() } else { format!("  {vendor}") };
    let _ = writeln!(out, "{}{by}", paint.strong(&name_of(item)));
    let [id, status, tier] = ["id", "status", "trust_tier"].map(|name| text(item, name));
    let status = Status::outgoing(item).map_or_else(|| paint.dim(status), |status| paint.warn(status.as_str()));
    let stale = if item["stale"] == true { paint.dim(" · ") + &paint.warn("stale") } else { String::new() };
    let (before, after) = (paint.dim(&format!("{} {id} · ", kind.label())), paint.dim(&format!(" · {tier}")));
    let _ = writeln!(out, "{before}{status}{after}{stale}");
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
const SHOWN_ELSEWHERE: [&str; 23] = word_array(
    "id display_name title vendor status trust_tier source_url evidence_key first_seen_at last_synced_at \
     last_verified_at stale stale_fields field_evidence conflicts description summary markdown body_markdown body body_missing \
     headings offers",
);

/// Entries of a list that are shown.
const ENTRIES_MAX: usize = 12;

/// Longest text that stands among others on a line.
const SHORT_CHARS_MAX: usize = 40;

fn fields(paint: Paint, kind: Kind, answer: &Value, out: &mut String, told: &mut String) {
    let item = &answer[kind.singular()];
    // An item that is stale as a whole says so once, above.
    let mark = |path: &str| if item["stale"] != true && field::is_stale(item, path) { STALE_MARK } else { "" };
    let prose = ["description", "summary"].into_iter().find(|name| !text(item, name).is_empty());
    if let Some(name) = prose {
        out.push_str(&fold(&(clean(text(item, name)) + mark(name)), prose_width(), ""));
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
    out.push_str(&stated(paint, &rest, &mark));
    told.push_str(&offers(paint, item, own_offer(answer, item), out));
    let body = refdesk_catalog::answer::body_key(kind).and_then(|key| item[key].as_str());
    if let Some(body) = body {
        let read = mdx::readable(strip_front_matter(body));
        let shown = refdesk_core::clean::visible(&read).trim().to_owned();
        let shown = markdown::below_heading(&shown, &name_of(item));
        let shown = if width().is_some() { markdown::folded(shown, prose_width()) } else { shown.to_owned() };
        let _ = writeln!(out, "\n{}\n", shown.trim_end());
    } else if let Some(reason) = item["body_missing"].as_str() {
        let _ = writeln!(out, "{}", paint.dim(&format!("no full text: {}", clean(reason))));
    }
}

/// What stands behind the value at a path: the mark of what is stale, or nothing.
type Mark<'m> = &'m dyn Fn(&str) -> &'static str;

/// All that an object states, a row for each value.
fn stated(paint: Paint, value: &Value, mark: Mark<'_>) -> String {
    let mut rows = Vec::new();
    for (name, value) in value.as_object().into_iter().flatten() {
        flatten(paint, name, value, mark, &mut rows);
    }
    table(&rows)
}

/// Stated values as rows of dotted path and value.
fn flatten(paint: Paint, path: &str, value: &Value, mark: Mark<'_>, rows: &mut Vec<Vec<String>>) {
    match value {
        Value::Null => {}
        Value::Object(fields) => {
            for (name, value) in fields {
                flatten(paint, &format!("{path}.{name}"), value, mark, rows);
            }
        }
        Value::Array(items) if items.is_empty() => {}
        Value::Array(items) if items.iter().all(is_short) => {
            let mut shown = items.iter().take(ENTRIES_MAX).map(one_line).collect::<Vec<_>>().join(", ");
            if items.len() > ENTRIES_MAX {
                shown.push_str(&paint.dim(&format!(", and {} more; --json shows all", items.len() - ENTRIES_MAX)));
            }
            rows.push(vec![paint.dim(path), shown + mark(path)]);
        }
        Value::Array(items) => {
            for (at, entry) in items.iter().take(ENTRIES_MAX).enumerate() {
                let label = if at == 0 { paint.dim(path) } else { String::new() };
                rows.push(vec![label, one_line(entry) + mark(path)]);
            }
            if items.len() > ENTRIES_MAX {
                rows.push(vec![
                    String::new(),
                    paint.dim(&format!("and {} more; --json shows all", items.len() - ENTRIES_MAX)),
                ]);
            }
        }
        scalar => rows.push(vec![paint.dim(path), one_line(scalar) + mark(path)]),
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
    let conflicts = answer.as_object().into_iter().flatten().find_map(|(_, value)| value["conflicts"].as_array());
    let conflicts = conflicts.map_or(&[][..], Vec::as_slice);
    for conflict in conflicts.iter().take(ENTRIES_MAX) {
        let value = one_line(&conflict["value"]);
        let line = format!("{} says {} = {value}", text(conflict, "source_id"), text(conflict, "path"));
        let withheld = if conflict["withheld"] == true { ", withheld" } else { "" };
        let stale = if conflict["stale"] == true { STALE_MARK } else { "" };
        let line = refdesk_core::clean::excerpt(&line, 160) + withheld + stale;
        let told = fold(&format!("{} {line}", paint.warn("conflict")), prose_width() - 4, "    ");
        let _ = writeln!(out, "  {}", told.trim());
    }
    if conflicts.len() > ENTRIES_MAX {
        let left = crate::output::counted(conflicts.len() - ENTRIES_MAX, "more conflict");
        let _ = writeln!(out, "  {}", paint.dim(&format!("and {left}; --json shows all")));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{ENTRIES_MAX, Kind, Paint, detail, evidence, flatten};

    #[test]
    fn of_a_long_list_the_first_entries_are_shown_and_the_rest_is_counted() {
        let rows = |count: usize| {
            let mut rows = Vec::new();
            flatten(
                Paint::for_stdout(),
                "names",
                &json!((0..count).map(|at| json!({"at": at})).collect::<Vec<_>>()),
                &|_| "",
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
        flatten(Paint::plain(), "packages", &packages, &|_| "", &mut rows);
        assert_eq!(rows, [["packages", "x · env TOKEN · secret true · transport stdio"]]);
        let mut rows = Vec::new();
        let versions = json!([{"version": "0.24.1", "published_at": "2025-12-08T10:19:24Z"}]);
        flatten(Paint::plain(), "versions", &versions, &|_| "", &mut rows);
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

    #[test]
    fn what_is_stale_is_marked_beside_its_value_and_an_item_that_is_stale_as_a_whole_says_so_once() {
        let shown = |stale: bool| {
            let model = json!({
                "id": "m", "display_name": "M", "status": "retired", "trust_tier": "community", "stale": stale,
                "description": "Sees.", "license": "MIT", "pricing": {"input": 2, "cache_read": 0.5},
                "stale_fields": ["description", "pricing.cache_read"],
            });
            detail(Paint::plain(), Kind::Model, &json!({"model": model, "evidence": {}})).text
        };
        let partly = shown(false);
        assert!(partly.contains("model m · retired · community\n\nSees. (stale)\n"), "{partly}");
        assert!(partly.contains("pricing.input       2\npricing.cache_read  0.5 (stale)\n"), "{partly}");
        assert!(!partly.contains("stale_fields"), "{partly}");
        let whole = shown(true);
        assert!(whole.contains("model m · retired · community · stale\n"), "{whole}");
        assert!(whole.contains("pricing.cache_read  0.5\n") && !whole.contains("(stale)"), "{whole}");
    }

    #[test]
    fn of_many_conflicts_the_first_are_shown_and_a_value_that_is_withheld_says_so() {
        let shown = |count: usize| {
            let conflict = |at: usize| json!({"source_id": "hub", "path": "mode", "value": at, "withheld": at == 0});
            let conflicts: Vec<Value> = (0..count).map(conflict).collect();
            let mut out = String::new();
            evidence(Paint::plain(), &json!({"model": {"conflicts": conflicts}, "evidence": {}}), &mut out);
            out
        };
        let whole = shown(ENTRIES_MAX);
        assert!(whole.contains("hub says mode = 0, withheld\n") && whole.contains("hub says mode = 1\n"), "{whole}");
        assert_eq!((whole.matches("hub says").count(), whole.contains("more")), (ENTRIES_MAX, false));
        let cut = shown(ENTRIES_MAX + 2);
        assert_eq!(cut.matches("hub says").count(), ENTRIES_MAX);
        assert!(cut.contains("and 2 more conflicts; --json shows all"), "{cut}");
    }
}
