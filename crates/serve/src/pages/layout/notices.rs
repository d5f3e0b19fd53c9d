//! What a page tells beside what it shows: oddities of a request, and why it was refused.

use maud::{Markup, html};
use refdesk_core::query::QueryError;
use serde_json::Value;

use super::values;

/// The anchor of a refusal, which the field that is wrong is described by.
pub(crate) const PROBLEM: &str = "problem";

/// The warnings of an answer.
pub(crate) fn warnings(answer: &Value) -> Markup {
    let warnings = answer["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
    html! { @for warning in warnings { p.notice { (values::shown(warning)) } } }
}

/// What is wrong with a request, and what to do.
pub(crate) fn refusal(error: &QueryError) -> Markup {
    html! {
        p.notice role="alert" id=(PROBLEM) { b { (error.error) } ": " (values::shown(&error.detail)) " " (values::shown(&error.hint)) }
    }
}
