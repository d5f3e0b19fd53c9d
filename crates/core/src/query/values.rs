//! Values of parameters, and what is said of wrong ones.

use super::{Expected, QueryError};
use crate::field::Shape;

/// Most values of one filter, and most ids.
pub const VALUES_MAX: usize = 200;

/// The error of a value that a parameter does not take. `said` ends the sentence that shows the value; `hint` says what to send.
pub(super) fn refused(
    name: &str,
    found: &str,
    said: &str,
    hint: impl Into<Box<str>>,
    expected: Expected,
) -> QueryError {
    let shown = format!("{:?}", crate::clean::quoted(found));
    let detail = format!("`{name}` is {shown}{said}");
    QueryError::new(format!("invalid {name}"), name.to_owned(), detail, hint).instead_of(shown, expected)
}

/// The same, said in the words of what the parameter takes.
pub(super) fn invalid(name: &str, found: &str, expected: &str) -> QueryError {
    let (said, hint) = (format!("; it takes {expected}."), format!("Send {name}=<{expected}>."));
    refused(name, found, &said, hint, Expected::Described)
}

pub(super) fn too_many(name: &str, found: usize, max: usize, of: &str) -> QueryError {
    QueryError::new(
        format!("too many {of}"),
        name.to_owned(),
        format!("There are {found} {of}; the most is {max}."),
        format!("Send at most {max} {of}."),
    )
    .instead_of(found.to_string(), Expected::Described)
}

/// `true|false|1|0`.
pub(super) fn flag(text: &str) -> Option<bool> {
    match text.trim() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// Values between commas, at least one. A comma within a value is written `\,`.
pub(super) fn words(name: &str, text: &str) -> Result<Vec<String>, QueryError> {
    let words = crate::field::split(text);
    if words.is_empty() {
        return Err(invalid(name, text, Shape::Word.expected()));
    }
    if words.len() > VALUES_MAX {
        return Err(too_many(name, words.len(), VALUES_MAX, "values"));
    }
    Ok(words)
}
