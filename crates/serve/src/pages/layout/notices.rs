//! What a page tells beside what it shows: oddities of a request, and why it was refused.

use maud::{Markup, html};
use refdesk_core::query::QueryError;
use serde_json::Value;

use super::{described, values};

/// The anchor of a refusal, which the field that is wrong is described by.
pub(crate) const PROBLEM: &str = "problem";

/// The warnings of an answer.
pub(crate) fn warnings(answer: &Value) -> Markup {
    let warnings = answer["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
    html! { @for warning in warnings { p.notice { (values::shown(warning)) } } }
}

/// What is wrong with a request, by the label of its field, and what to do. The hint of the error is for programs.
pub(crate) fn refusal(error: &QueryError) -> Markup {
    let label = described::label(&error.param);
    html! {
        p.notice role="alert" id=(PROBLEM) {
            @if let Some(label) = &label { b { (label) } ": " } @else { b { (values::sentence(&error.error)) } ": " }
            (values::shown(&error.detail))
            @if label.is_some() { " Correct it in the form, or leave it empty." } @else { " Take it out of the address of this page." }
        }
    }
}
