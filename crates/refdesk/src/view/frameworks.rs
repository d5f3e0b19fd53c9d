//! Framework cards, and which of them fits.

use std::fmt::Write as _;

use refdesk_route::without_field;
use serde_json::Value;

use super::{array, clean, name_of, notes, percent, text, words};
use crate::output::{Paint, Rendered, fold, prose_width};

/// A framework card, the way one would print it.
pub(super) fn card(paint: Paint, item: &Value, out: &mut String) {
    out.push_str(&fold(&clean(text(item, "summary")), prose_width(), ""));
    let domains: Vec<&str> = std::iter::once(text(item, "domain")).chain(words(item, "secondary_domains")).collect();
    let _ = writeln!(out, "{}", paint.dim(&domains.join(" · ")));
    for (title, name, mark) in [
        ("When to use", "when_to_use", "+"),
        ("When not to use", "when_not_to_use", "-"),
        ("Steps", "steps", "#"),
        ("Check", "quality_checks", "✓"),
        ("How it goes wrong", "failure_modes", "!"),
    ] {
        bullets(paint, title, words(item, name), mark, out);
    }
    let inputs = array(item, "inputs").map(|input| {
        let required = if input["required"] == true { "" } else { " (optional)" };
        format!("{}{required}: {}", text(input, "name"), text(input, "description"))
    });
    section(paint, "Inputs", inputs, out);
    section(paint, "Output", item["output"]["artifact"].as_str().map(str::to_owned), out);
    let better = array(item, "anti_examples");
    let better = better.map(|example| format!("{} → {}", text(example, "question"), text(example, "better")));
    section(paint, "Better served by another card", better, out);
    let origin = &item["origin"];
    let year = origin["year"].as_i64().map(|year| year.to_string());
    let of_text = |name: &str| origin[name].as_str().map(str::to_owned);
    let parts: Vec<String> = [of_text("author"), year, of_text("work")].into_iter().flatten().collect();
    section(paint, "Origin", (!parts.is_empty()).then(|| parts.join(", ")), out);
    if let Some(prompt) = item["prompt"]["text"].as_str() {
        let _ = writeln!(out, "\n{}\n\n{}", paint.strong("Prompt"), refdesk_core::clean::visible(prompt).trim());
    } else {
        let told = format!("refdesk get framework {} --prompt prints the prompt that runs it", text(item, "id"));
        let _ = writeln!(out, "\n{}", paint.dim(&told));
    }
}

/// Lines below a title; nothing where there are none.
fn section(paint: Paint, title: &str, lines: impl IntoIterator<Item = String>, out: &mut String) {
    for (at, line) in lines.into_iter().enumerate() {
        if at == 0 {
            let _ = writeln!(out, "\n{}", paint.strong(title));
        }
        out.push_str(&fold(&clean(&line), prose_width() - 2, "  "));
    }
}

fn bullets<'a>(paint: Paint, title: &str, lines: impl Iterator<Item = &'a str>, mark: &str, out: &mut String) {
    for (at, line) in lines.enumerate() {
        if at == 0 {
            let _ = writeln!(out, "\n{}", paint.strong(title));
        }
        let head = if mark == "#" { format!("{}. ", at + 1) } else { format!("{mark} ") };
        let folded = fold(&clean(line), prose_width() - 2 - head.len(), &" ".repeat(2 + head.chars().count()));
        let _ = write!(out, "  {head}{}", folded.trim_start());
    }
}

/// What is left to do where no framework fits.
const NONE_FITS: &str =
    "No framework fits this question.\nDescribe the problem in more detail, or see `refdesk list framework`.\n";

/// The router's answer.
pub fn route(paint: Paint, answer: &Value) -> Rendered {
    let mut out = String::new();
    let selected = &answer["selected"];
    if selected.is_null() {
        out.push_str(NONE_FITS);
    } else {
        let confidence = percent(selected["confidence"].as_f64().unwrap_or(0.0));
        let _ = writeln!(
            out,
            "{}  {}",
            paint.strong(&name_of(selected)),
            paint.dim(&format!("{} · {} · confidence {confidence}", text(selected, "id"), text(selected, "domain")))
        );
        out.push_str(&fold(&clean(text(selected, "summary")), prose_width() - 2, "  "));
        for reason in array(selected, "reasons") {
            let terms: Vec<&str> = words(reason, "terms").collect();
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
        let title = if selected.is_null() { "Nearest, but none of them fits" } else { "Next best" };
        let _ = writeln!(out, "\n{}", paint.strong(title));
        for other in others {
            let _ = writeln!(out, "  {}  {}", name_of(other), paint.dim(text(other, "id")));
            if let Some(why_not) = other["why_not"].as_str() {
                out.push_str(&fold(&clean(without_field(why_not)), prose_width() - 4, "    "));
            }
        }
    }
    Rendered { text: out, notes: notes(answer) }
}
