//! Why a desk has no answer, in the words of the command line.

use http::StatusCode;
use refdesk_catalog::answer::Unresolved;
use refdesk_core::Kind;
use serde_json::Value;

use crate::cli::kind_word;
use crate::exit::Exit;
use crate::output;
use crate::view::{array, words};

/// What a desk replies: the JSON that was asked for, or why there is none.
pub type Reply = Result<Value, Problem>;

/// A problem document of REST. `docs/errors.md`.
#[derive(Debug)]
pub struct Problem(Value);

impl Problem {
    /// An answer, or the problem that it is.
    ///
    /// # Errors
    /// When the desk failed to answer.
    pub fn or_answer(status: StatusCode, json: Value) -> anyhow::Result<Reply> {
        if status == StatusCode::OK {
            return Ok(Ok(json));
        }
        let problem = Self(json);
        if status.is_client_error() { Ok(Err(problem)) } else { Err(problem.into_error()) }
    }

    /// As the error of a command.
    pub fn into_error(self) -> anyhow::Error {
        anyhow::anyhow!("{} `refdesk doctor` looks for the cause.", self.detail())
    }

    /// What is wrong.
    pub fn detail(&self) -> &str {
        self.0["detail"].as_str().unwrap_or_default()
    }

    /// Whether it is the one that REST calls so for short.
    pub fn is(&self, error: &str) -> bool {
        self.0["error"] == error
    }

    /// What may have been meant.
    pub fn suggestions(&self) -> Vec<String> {
        words(&self.0, "suggestions").map(str::to_owned).collect()
    }

    /// What is said of an id for which there is no answer: what else it names, or how to look for it.
    pub fn told(&self, kind: Kind, spelling: &str) -> String {
        let mut told = lower_first(self.detail());
        if self.0["code"] == "only_stale" {
            return told + " Leave --fresh-only out to see it with its dates.";
        }
        let of_other_kinds: Vec<(Kind, &str)> = array(&self.0, "found_as")
            .filter_map(|found| Some((Kind::parse(found["type"].as_str()?)?, found["id"].as_str()?)))
            .collect();
        for (other, id) in &of_other_kinds {
            told += &format!(" It names {}: `refdesk get {} {id}`.", other.with_article(), kind_word(*other));
        }
        if of_other_kinds.is_empty() && words(&self.0, "suggestions").next().is_none() {
            told += &format!(" `{}` looks for it.", search(kind, spelling));
        }
        told
    }

    /// Tells it.
    pub fn tell(&self, kind: Kind, spelling: &str) -> Exit {
        output::not_found_near(&self.told(kind, spelling), self.suggestions())
    }
}

/// Tells that no item of a kind has an id, and what to do.
pub fn no_item(kind: Kind, spelling: &str, unresolved: Unresolved) -> Exit {
    let problem = refdesk_serve::http::problem::Problem::not_found(kind, spelling, unresolved, "");
    Problem(Value::Object(problem.document())).tell(kind, spelling)
}

/// Messages of commands begin with a small letter.
fn lower_first(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

/// The command that looks for something of a kind. What a shell would not take as one word stands for itself.
fn search(kind: Kind, spelling: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._:/@-".contains(c);
    let is_word = !spelling.is_empty() && !spelling.starts_with('-') && spelling.chars().all(is_plain);
    let words = if is_word { spelling } else { "WORDS" };
    if kind == Kind::Framework {
        format!("refdesk list {} --q {words}", kind_word(kind))
    } else {
        format!("refdesk search {words} --type {}", kind_word(kind))
    }
}
