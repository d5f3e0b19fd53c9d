//! What is wrong with a query, and what would be right.

#[cfg(doc)]
use super::QUERY_CHARS_MAX;

/// A bad request: what is wrong with which parameter, and what to send.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct QueryError {
    /// Short and stable: `q is required`, `invalid type`.
    pub error: String,
    /// The parameter.
    pub param: &'static str,
    /// What was wrong.
    pub detail: String,
    /// What to send instead.
    pub hint: String,
    /// The closed list, where there is one.
    pub allowed: Option<Allowed>,
    /// What came, as it may be shown: `"x"`, `0 or less`.
    pub found: Box<str>,
    /// What the parameter takes, for surfaces that say it in words of their own.
    pub expected: Expected,
}

/// What a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// A text that is not blank, of at most [`QUERY_CHARS_MAX`] characters.
    Text,
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Number {
        /// The smallest.
        from: u16,
        /// Larger ones count as this.
        max: Option<u16>,
    },
    /// A [`Mode`](super::Mode).
    Mode,
    /// A word of a closed list.
    OneOf(Allowed),
}

/// The closed list that a wrong value is not in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allowed {
    /// Search types.
    Types,
    /// Framework domains.
    Domains,
}

impl QueryError {
    pub(super) fn new(
        error: impl Into<String>,
        param: &'static str,
        detail: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        let (found, expected) = (Box::default(), Expected::Text);
        Self { error: error.into(), param, detail: detail.into(), hint: hint.into(), allowed: None, found, expected }
    }

    pub(super) fn instead_of(mut self, found: impl Into<Box<str>>, expected: Expected) -> Self {
        self.found = found.into();
        self.expected = expected;
        self.allowed = match expected {
            Expected::OneOf(allowed) => Some(allowed),
            _ => None,
        };
        self
    }
}
