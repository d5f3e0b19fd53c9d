//! What went wrong, for people on stderr and, with `--json`, as a problem document (RFC 9457) with the members that REST has.

use std::sync::atomic::{AtomicBool, Ordering};

use refdesk_core::nearest;
use serde_json::json;

use super::{json, say};
use crate::exit::Exit;

/// The chain of an error on one line, each cause once.
pub fn told(error: &anyhow::Error) -> String {
    let mut parts: Vec<String> = Vec::new();
    for cause in error.chain() {
        let text = cause.to_string();
        if !parts.iter().any(|part| part.contains(&text)) {
            parts.push(text);
        }
    }
    parts.join(": ")
}

/// Whether the program that asked wants JSON, errors included.
static JSON: AtomicBool = AtomicBool::new(false);

/// From now on errors are written to stdout as problem documents, too.
pub fn speak_json() {
    JSON.store(true, Ordering::Relaxed);
}

/// A request that is refused, as programs tell it from other errors. `docs/errors.md`.
#[derive(Debug, thiserror::Error)]
#[error("{detail}")]
pub struct Refusal {
    /// Stable, for programs, as REST has it: `invalid_query`, `not_found`.
    pub code: &'static str,
    /// What REST would answer.
    pub status: u16,
    /// What is wrong, and what to do.
    pub detail: String,
    /// What may have been meant.
    pub suggestions: Vec<String>,
}

impl Refusal {
    /// A parameter that is wrong.
    pub fn invalid_query(detail: impl Into<String>) -> Self {
        Self { code: "invalid_query", status: 400, detail: detail.into(), suggestions: Vec::new() }
    }

    /// A flag, a word or a configuration that the command line does not take.
    pub fn invalid_argument(detail: impl Into<String>) -> Self {
        Self { code: "invalid_argument", status: 400, detail: detail.into(), suggestions: Vec::new() }
    }

    /// An error that is a mistake in what was typed or configured, with what it is about and its causes.
    pub fn mistake(error: impl Into<anyhow::Error>) -> anyhow::Error {
        Self::invalid_argument(told(&error.into())).into()
    }

    /// Nothing has the name that was given.
    pub fn not_found(detail: impl Into<String>) -> Self {
        Self { code: "not_found", status: 404, detail: detail.into(), suggestions: Vec::new() }
    }

    /// A word that is none of the known ones, refused as `refuse` does it. `told` makes the sentence of what may be meant (` (did you mean `…`?)`,
    /// or nothing) and of all that are known.
    pub fn unknown<'a>(
        refuse: fn(String) -> Self,
        word: &str,
        known: impl IntoIterator<Item = &'a str>,
        told: impl FnOnce(&str, &str) -> String,
    ) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        let meant = nearest::meant(word, known.iter().copied());
        let told = told(&nearest::did_you_mean(word, meant), &known.join(", "));
        Self { suggestions: meant.map(str::to_owned).into_iter().collect(), ..refuse(told) }
    }

    fn tell(&self, title: &str, exit_code: u8) {
        if JSON.load(Ordering::Relaxed) {
            let Self { code, status, detail, suggestions } = self;
            json(&json!({
                "type": "about:blank", "title": title, "status": status, "code": code, "detail": detail,
                "suggestions": suggestions, "exit_code": exit_code
            }));
        }
    }
}

/// Tells that there is nothing of the kind that was asked for.
pub fn not_found(detail: &str) -> Exit {
    missing(&Refusal::not_found(detail))
}

/// The same with what may have been meant, which the sentence does not say.
pub fn not_found_near(detail: &str, suggestions: Vec<String>) -> Exit {
    say(&format!("{detail}{}", meant(&suggestions)));
    Refusal { suggestions, ..Refusal::not_found(detail) }.tell("Not found", 1);
    Exit::NotFound
}

/// Tells a refusal that is an answer: there is none.
pub fn missing(refusal: &Refusal) -> Exit {
    say(&refusal.detail);
    refusal.tell("Not found", 1);
    Exit::NotFound
}

/// What may have been meant, after a sentence; nothing where nothing is near.
pub fn meant(suggestions: &[String]) -> String {
    if suggestions.is_empty() { String::new() } else { format!(" Did you mean: {}?", suggestions.join(", ")) }
}

/// Tells what went wrong.
pub fn failed(error: &anyhow::Error) -> Exit {
    let detail = told(error);
    say(&format!("error: {detail}"));
    if let Some(refusal) = error.downcast_ref::<Refusal>() {
        refusal.tell("The command failed", 2);
    } else {
        let failed = Refusal { code: "command_failed", status: 500, detail, suggestions: Vec::new() };
        failed.tell("The command failed", 2);
    }
    Exit::Failed
}
