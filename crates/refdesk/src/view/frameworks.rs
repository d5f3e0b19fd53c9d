//! Framework cards, and which of them fits.

use std::fmt::Write as _;

use serde_json::Value;

use super::{clean, name_of, notes, percent, text};
use crate::output::{Paint, Rendered, fold, prose_width};

/// A framework card, the way one would print it.
pub(super) fn card(paint: Paint, item: &Value, out: &mut String) {
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

/// The router's answer.
pub fn route(paint: Paint, answer: &Value) -> Rendered {
    let mut out = String::new();
    let selected = &answer["selected"];
    if selected.is_null() {
        out.push_str("No framework fits this question.\n");
    } else {
        let confidence = percent(selected["confidence"].as_f64().unwrap_or(0.0));
        let _ = writeln!(
            out,
            "{}  {}",
            paint.strong(&name_of(selected)),
            paint.dim(&format!("{} · {} · confidence {confidence}", text(selected, "id"), text(selected, "domain")))
        );
        out.push_str(&fold(&clean(text(selected, "summary")), prose_width() - 2, "  "));
        for reason in selected["reasons"].as_array().into_iter().flatten() {
            let terms: Vec<&str> = reason["terms"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let field = text(reason, "field").replace('_', " ");
            let _ = writeln!(out, "  {}", paint.dim(&format!("{field}: {}", terms.join(", "))));
        }
        let _ = writeln!(out, "  {}", paint.dim(&format!("refdesk get framework {} --prompt", text(selected, "id"))));
    }
    if let Some(question) = answer["clarifying_question"].as_str() {
        let _ = write!(out, "\n{}", fold(question, prose_width(), ""));
    }
    let others = answer["alternatives"].as_array().filter(|others| !others.is_empty());
    if let Some(others) = others {
        let _ = writeln!(out, "\n{}", paint.strong("Next best"));
        for other in others {
            let _ = writeln!(out, "  {}  {}", name_of(other), paint.dim(text(other, "id")));
            if let Some(why_not) = other["why_not"].as_str() {
                out.push_str(&fold(&clean(why_not), prose_width() - 4, "    "));
            }
        }
    }
    Rendered { text: out, notes: notes(answer) }
}
