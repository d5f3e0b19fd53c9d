//! The parameters of a request, by name.

use super::{Allowed, Expected, LimitRule, QUERY_CHARS_MAX, QueryError, WARNINGS_MAX};
use crate::item::Domain;

/// Known names for a warning; filters of one field differ behind `__` and are named once.
fn listed(known: &[&str]) -> String {
    let (forms, names): (Vec<&str>, Vec<&str>) = known.iter().partition(|name| name.contains("__"));
    let names = names.join(", ");
    if forms.is_empty() { names } else { format!("{names}, and forms of them with __not, __gte, __lte, __isnull") }
}

/// Decoded name-value pairs of one request. The first of a repeated name counts.
#[derive(Debug, Default)]
pub struct Params<'a> {
    pairs: Vec<(&'a str, &'a str)>,
    /// Names that are not known.
    pub(super) unknown: Vec<&'a str>,
    /// Oddities for the answer's `warnings`.
    pub warnings: Vec<String>,
}

impl<'a> Params<'a> {
    /// Takes the pairs and notes names that are unknown or repeated.
    pub fn new(pairs: impl IntoIterator<Item = (&'a str, &'a str)>, known: &[&str]) -> Self {
        let mut params = Self::default();
        for (name, value) in pairs {
            if !known.contains(&name) {
                let shown = crate::clean::excerpt(name, 60);
                params.warn(format!("unknown query parameter `{shown}` was ignored; known: {}", listed(known)));
                params.unknown.push(name);
            } else if params.get(name).is_some() {
                params.warn(format!("`{name}` was given more than once; the first value counts"));
            } else {
                params.pairs.push((name, value));
            }
        }
        let chars = params.get("q").map_or(0, |text| text.trim().chars().count());
        if chars > QUERY_CHARS_MAX {
            params.warn(format!("`q` has {chars} characters; the first {QUERY_CHARS_MAX} are searched for"));
        }
        params
    }

    fn warn(&mut self, warning: String) {
        if self.warnings.len() < WARNINGS_MAX && !self.warnings.contains(&warning) {
            self.warnings.push(warning);
            if self.warnings.len() == WARNINGS_MAX {
                self.warnings.push("there were more; they are not listed".to_owned());
            }
        }
    }

    /// The first value of a name.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        self.pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// `q`: trimmed, not blank, its first [`QUERY_CHARS_MAX`] characters.
    pub(super) fn text(&self) -> Result<String, QueryError> {
        let text = self.get("q").unwrap_or_default().trim();
        if text.is_empty() {
            return Err(QueryError::new(
                "q is required",
                "q",
                "`q` is missing or blank.",
                "Send q=<what to look for>.",
            )
            .instead_of("nothing", Expected::Text));
        }
        // `new` warned of what is cut.
        Ok(text.chars().take(QUERY_CHARS_MAX).collect())
    }

    /// A trimmed text; none when it is absent or blank.
    pub(super) fn word(&self, name: &str) -> Option<String> {
        self.get(name).map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned)
    }

    /// A boolean; false when absent.
    pub(super) fn flag(&self, name: &'static str) -> Result<bool, QueryError> {
        self.flag_or(name, false)
    }

    /// A boolean: `true|false|1|0`, as they stand here.
    pub(super) fn flag_or(&self, name: &'static str, absent: bool) -> Result<bool, QueryError> {
        match self.get(name).map(str::trim) {
            None => Ok(absent),
            Some("false" | "0") => Ok(false),
            Some("true" | "1") => Ok(true),
            Some(other) => {
                let shown = format!("{:?}", crate::clean::excerpt(other, 60));
                let detail = format!("`{name}` is {shown}, not a boolean.");
                let hint = format!("Send {name}=true or {name}=false.");
                Err(QueryError::new(format!("invalid {name}"), name, detail, hint).instead_of(shown, Expected::Boolean))
            }
        }
    }

    /// A positive integer, clamped to the rule's maximum.
    pub(super) fn limit(&self, rule: LimitRule) -> Result<usize, QueryError> {
        self.limit_named("limit", rule)
    }

    /// The same under another name.
    pub(super) fn limit_named(&self, name: &'static str, rule: LimitRule) -> Result<usize, QueryError> {
        let expected = Expected::Number { from: 1, max: u16::try_from(rule.max).ok() };
        match self.integer(name, expected)? {
            None => Ok(rule.default),
            Some(value) if value <= 0 => {
                Err(Self::not_an_integer(name, "0 or less", "a whole number from 1", expected))
            }
            Some(value) => Ok(usize::try_from(value).unwrap_or(usize::MAX).min(rule.max)),
        }
    }

    /// An integer of 0 or more.
    pub(super) fn offset(&self) -> Result<usize, QueryError> {
        let expected = Expected::Number { from: 0, max: None };
        match self.integer("offset", expected)? {
            None => Ok(0),
            Some(value) if value < 0 => {
                Err(Self::not_an_integer("offset", "negative", "a whole number from 0", expected))
            }
            Some(value) => Ok(usize::try_from(value).unwrap_or(usize::MAX)),
        }
    }

    /// A whole number of any length: beyond 64 bits it saturates, so that a huge limit is clamped like a large one.
    fn integer(&self, name: &'static str, expected: Expected) -> Result<Option<i64>, QueryError> {
        let Some(text) = self.get(name).map(str::trim) else { return Ok(None) };
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            let shown = crate::clean::excerpt(text, 40);
            return Err(Self::not_an_integer(name, &format!("{shown:?}"), "a whole number", expected));
        }
        let saturated = if text.starts_with('-') { i64::MIN } else { i64::MAX };
        Ok(Some(text.parse().unwrap_or(saturated)))
    }

    fn not_an_integer(name: &'static str, found: &str, wanted: &str, expected: Expected) -> QueryError {
        QueryError::new(
            format!("invalid {name}"),
            name,
            format!("`{name}` is {found}."),
            format!("Send {name}=<{wanted}>."),
        )
        .instead_of(found, expected)
    }

    /// A framework domain of the closed list.
    pub(super) fn domain(&self) -> Result<Option<Domain>, QueryError> {
        let Some(text) = self.get("domain").map(str::trim) else { return Ok(None) };
        Domain::parse(text).map(Some).ok_or_else(|| {
            let shown = format!("{:?}", crate::clean::excerpt(text, 60));
            let detail = format!("`domain` is {shown}, which is not one of the domains.");
            QueryError::new("invalid domain", "domain", detail, "Send one of allowed_domains, or leave domain out.")
                .instead_of(shown, Expected::OneOf(Allowed::Domains))
        })
    }
}
