//! What is wrong with a query, and what would be right.

use std::borrow::Cow;

use crate::nearest::nearest_parameter;

#[cfg(doc)]
use super::QUERY_CHARS_MAX;

/// A bad request: what is wrong with which parameter, and what to send.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct QueryError {
    /// Short and stable: `q is required`, `invalid type`.
    pub error: Box<str>,
    /// The parameter.
    pub param: Box<str>,
    /// What was wrong.
    pub detail: Box<str>,
    /// What to send instead.
    pub hint: Box<str>,
    /// The closed list, where there is one.
    pub allowed: Option<Allowed>,
    /// The values that are taken, where they are few.
    pub values: Box<[Cow<'static, str>]>,
    /// Which of these was meant, if one is near.
    pub meant: Option<Box<str>>,
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
    /// Another parameter: there is none of this name. [`QueryError::values`] has those that there are.
    Parameter,
    /// A `type` beside it: [`QueryError::found`] is the parameter that things of one kind have.
    TypeBeside,
    /// What `detail` and `hint` say.
    Described,
}

/// The closed list that a wrong value is not in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allowed {
    /// Search types.
    Types,
    /// All types, those with a search of their own among them.
    Kinds,
    /// Framework domains.
    Domains,
}

impl QueryError {
    pub(super) fn new(
        error: impl Into<Box<str>>,
        param: impl Into<Box<str>>,
        detail: impl Into<Box<str>>,
        hint: impl Into<Box<str>>,
    ) -> Self {
        Self {
            error: error.into(),
            param: param.into(),
            detail: detail.into(),
            hint: hint.into(),
            allowed: None,
            values: Box::default(),
            meant: None,
            found: Box::default(),
            expected: Expected::Text,
        }
    }

    /// What the parameter takes, in a few words; `None` where the error says it in a sentence of its own.
    pub fn takes(&self) -> Option<String> {
        match self.expected {
            Expected::Boolean => Some("true or false".to_owned()),
            Expected::Number { from, max: Some(max) } => Some(format!("a whole number from {from} to {max}")),
            Expected::Number { from, max: None } => Some(format!("a whole number from {from}")),
            Expected::Mode => Some(self.values.join(" or ")),
            _ => None,
        }
    }

    pub(super) fn instead_of(mut self, found: impl Into<Box<str>>, expected: Expected) -> Self {
        self.found = found.into();
        self.expected = expected;
        self.allowed = match expected {
            Expected::OneOf(allowed) => Some(allowed),
            Expected::TypeBeside => Some(Allowed::Types),
            _ => None,
        };
        self
    }

    /// The same with the values that are taken. Of a parameter the sentence itself says which is meant.
    pub(super) fn with_values(mut self, values: impl IntoIterator<Item = &'static str>) -> Self {
        self.values = values.into_iter().map(Cow::from).collect();
        if self.expected != Expected::Parameter {
            self.meant = self.value_meant();
        }
        self
    }

    /// The value that is near to what came, with the sign that came before it, unless that sign is what is wrong.
    fn value_meant(&self) -> Option<Box<str>> {
        let found = self.found.trim_matches('"');
        let word = found.trim_start_matches(['-', '!']);
        let sign = &found[..(found.len() - word.len()).min(1)];
        let (nearest, is_near) = nearest_parameter(word, self.values.iter().map(AsRef::as_ref))?;
        let meant = format!("{sign}{nearest}");
        is_near.then(|| if meant == found { nearest.into() } else { meant.into() })
    }
}
