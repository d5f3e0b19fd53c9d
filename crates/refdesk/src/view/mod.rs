//! Answers as a person reads them in a terminal. They come in as the JSON that REST answers, so nothing here looks anything up.

mod detail;
mod frameworks;
mod lists;
mod markdown;
mod one_line;
pub mod questions;
mod sellers;
mod sources;

use std::fmt::Write as _;

use serde_json::Value;

use refdesk_catalog::json::text_of as text;
use refdesk_core::Kind;
use refdesk_core::figures::percent;
use refdesk_core::query::SEE_SUGGESTIONS;

use crate::cli::kind_word;
use crate::output::{Paint, STALE_END, fits, fold, grouped, prose_width};

pub use detail::detail;
pub use frameworks::route;
pub use lists::{list, search};
pub use questions::moment_or_dash;
pub use sources::{source, state as source_state};

/// The entries of a list; none where there is no list.
pub fn array<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value[name].as_array().into_iter().flatten()
}

/// The texts of a list.
pub fn words<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a str> {
    array(value, name).filter_map(Value::as_str)
}

/// A name without what could steer a terminal.
fn clean(text: &str) -> String {
    refdesk_core::clean::line(text)
}

/// The kind of a hit, as commands take it: `mcp-server`.
fn kind_of(hit: &Value) -> String {
    Kind::parse(text(hit, "type")).map(kind_word).unwrap_or_default()
}

fn name_of(value: &Value) -> String {
    clean(value["display_name"].as_str().or(value["title"].as_str()).unwrap_or_default())
}

/// `checked 2026-08-01`, with a warning when it is stale.
fn freshness(paint: Paint, value: &Value) -> String {
    let checked = checked(value);
    if value["stale"] == true { paint.warn(&checked) } else { paint.dim(&checked) }
}

/// `checked 2026-08-01`, or `checked 2026-08-01, stale`.
fn checked(value: &Value) -> String {
    let day = value["last_verified_at"].as_str().and_then(|at| at.get(..10));
    let checked = day.map_or_else(|| "never verified".to_owned(), |day| format!("checked {day}"));
    if value["stale"] == true { checked + STALE_END } else { checked }
}

/// A name and what is said of it: on one line, or on two where the terminal is narrow.
fn headed(name: &str, about: &str) -> String {
    let one = format!("{name}  {about}\n");
    let below = format!("    {about}\n");
    match (fits(&one), fits(&below)) {
        (true, _) => one,
        (false, true) => format!("{name}\n{below}"),
        (false, false) => format!("{name}\n{}", fold(about, prose_width() - 4, "    ")),
    }
}

/// Suggestions and warnings of an answer.
fn notes(answer: &Value) -> String {
    let mut out = String::new();
    let suggestions: Vec<String> = words(answer, "suggestions").map(clean).collect();
    if !suggestions.is_empty() {
        let _ = writeln!(out, "Did you mean: {}", suggestions.join(", "));
    }
    for warning in words(answer, "warnings") {
        // They are above.
        let warning = warning.strip_suffix(SEE_SUGGESTIONS).unwrap_or(warning);
        let _ = writeln!(out, "{}", crate::cli::parameters::in_commands(&clean(warning)));
    }
    out
}

fn count_of(answer: &Value, name: &str) -> usize {
    answer[name].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or_default()
}

/// `100 of 2,129; --offset 100 shows more`.
fn page_of(count: usize, answer: &Value) -> String {
    let (offset, total) = (count_of(answer, "offset"), count_of(answer, "total"));
    if total == 0 {
        return "nothing found\n".to_owned();
    }
    if count == 0 && offset >= total {
        return format!("there are only {}; --offset {} is past the end\n", grouped(total), grouped(offset));
    }
    let next = answer["next_offset"].as_u64().map(|next| format!("; --offset {next} shows more")).unwrap_or_default();
    format!("{} of {}{next}\n", grouped(count), grouped(total))
}
