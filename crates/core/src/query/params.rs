//! The parameters of a request, by name. A name that looks like a misspelt one is refused: what it was to leave out would be shown.

use super::filter::{called_otherwise, filters};
use super::{Allowed, Expected, LimitRule, QUERY_CHARS_MAX, QueryError, WARNINGS_MAX, Warning};
use crate::Kind;
use crate::figures::grouped;
use crate::item::Domain;
use crate::nearest::nearest_parameter;
use crate::text::enumerated;

/// The parameter that restricts lists and searches to members of a collection.
const COLLECTION: &str = "collection";

/// What other services call parameters of this one.
const CALLED_ELSEWHERE: [(&str, &str); 11] = [
    ("per_page", "limit"),
    ("page_size", "limit"),
    ("size", "limit"),
    ("top_k", "limit"),
    ("max_results", "limit"),
    ("skip", "offset"),
    ("start", "offset"),
    ("order", "sort"),
    ("order_by", "sort"),
    ("sort_by", "sort"),
    ("select", "fields"),
];

/// The parameter that other services call so, as a warning says it.
fn elsewhere_called(name: &str, known: &[&str]) -> Option<String> {
    let (_, here) = CALLED_ELSEWHERE.iter().find(|(other, _)| other.eq_ignore_ascii_case(name))?;
    known.contains(here).then(|| format!("here it is called `{here}`"))
}

/// Known names for a warning; filters of one field differ behind `__` and are named once.
fn listed(known: &[&str]) -> String {
    if known.is_empty() {
        return "there are none here".to_owned();
    }
    let (forms, names): (Vec<&str>, Vec<&str>) = known.iter().partition(|name| name.contains("__"));
    let forms = if forms.is_empty() { "" } else { ", and forms of them with __not, __gte, __lte, __isnull" };
    format!("known: {}{forms}", names.join(", "))
}

/// Decoded name-value pairs of one request. The first of a repeated name counts.
#[derive(Debug, Default)]
pub struct Params<'a> {
    pairs: Vec<(&'a str, &'a str)>,
    /// Names that are not known.
    pub(super) unknown: Vec<&'a str>,
    /// Names that were given more than once.
    repeated: Vec<&'a str>,
    /// What is wrong with the first of them that looks like a known one.
    misspelt: Option<Box<QueryError>>,
    /// Oddities for the answer's `warnings`.
    pub warnings: Vec<Warning>,
}

impl<'a> Params<'a> {
    /// Takes the pairs and notes names that are unknown or repeated.
    pub fn new(pairs: impl IntoIterator<Item = (&'a str, &'a str)>, known: &[&'static str]) -> Self {
        Self::among(pairs, known, &[])
    }

    /// The same where further names are known elsewhere, such as with a `type`: a misspelling of one is refused, too.
    pub(super) fn among(
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
        known: &[&'static str],
        elsewhere: &[&'static str],
    ) -> Self {
        let mut params = Self::default();
        for (name, value) in pairs {
            if !known.contains(&name) {
                let shown = crate::clean::quoted(name);
                let called = elsewhere_called(name, known);
                let is_misspelt = called.is_none() && !elsewhere.contains(&name);
                let advice = called.or_else(|| called_otherwise(name, known)).unwrap_or_else(|| listed(known));
                params.warn(format!("unknown query parameter `{shown}` was ignored; {advice}"));
                params.unknown.push(name);
                if params.misspelt.is_none() && is_misspelt {
                    params.misspelt = misspelt(name, known, elsewhere).map(Box::new);
                }
            } else if params.get(name).is_some() {
                params.warn(format!("`{name}` was given more than once; the first value counts"));
                params.repeated.push(name);
            } else {
                params.pairs.push((name, value));
            }
        }
        let chars = params.get("q").map_or(0, |text| text.trim().chars().count());
        if chars > QUERY_CHARS_MAX {
            let (chars, counted) = (grouped(chars), grouped(QUERY_CHARS_MAX));
            params.warn(format!("the text to look for has {chars} characters; only the first {counted} count"));
        }
        params
    }

    fn warn(&mut self, warning: String) {
        let warning = Warning::from(warning);
        if self.warnings.len() < WARNINGS_MAX && !self.warnings.contains(&warning) {
            self.warnings.push(warning);
            if self.warnings.len() == WARNINGS_MAX {
                self.warnings.push("there were more; they are not listed".into());
            }
        }
    }

    /// Refuses what looks like a misspelt name; every query is parsed with it.
    ///
    /// # Errors
    /// On such a name, and on a filter that must not be passed over.
    pub fn refuse_misspelt(&self) -> Result<(), QueryError> {
        self.misspelt.as_deref().cloned().map_or(Ok(()), Err)
    }

    /// A size as it was asked for, when it is a number.
    pub(super) fn asked(&self, name: &str) -> Option<usize> {
        let digits = self.get(name)?.trim().trim_start_matches('+');
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        // What no 64 bits hold is more than there is of anything.
        is_number.then(|| digits.parse().unwrap_or(usize::MAX))
    }

    /// Warnings of sizes that are above the most of their rule, and were reduced to it.
    pub(super) fn clamped(&self, rules: &[(&'static str, LimitRule)]) -> Vec<Warning> {
        let is_above =
            |(name, rule): &&(&'static str, LimitRule)| self.asked(name).is_some_and(|asked| asked > rule.max);
        let warning = |(name, rule): &(&'static str, LimitRule)| {
            Warning::from(format!("`{name}` was reduced to {}, the maximum", rule.max))
        };
        rules.iter().filter(is_above).map(warning).collect()
    }

    /// The first value of a name.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        self.pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// `q`: trimmed, not blank, its first [`QUERY_CHARS_MAX`] characters.
    pub(super) fn text(&self) -> Result<String, QueryError> {
        let text = self.get("q").unwrap_or_default().trim();
        if text.is_empty() {
            let other = self.unknown.iter().find(|name| ["query", "text", "search", "question"].contains(name));
            let detail = match other {
                Some(other) => format!("`q` is missing: what is looked for is sent as `q`, not as `{other}`."),
                None => format!("`q` is missing or blank.{}", self.sent_otherwise("q")),
            };
            return Err(QueryError::new("q is required", "q", detail, "Send q=<what to look for>.")
                .instead_of("nothing", Expected::Text));
        }
        // `new` warned of what is cut.
        Ok(text.chars().take(QUERY_CHARS_MAX).collect())
    }

    /// The error of a required value that is not there, or blank.
    pub(super) fn missing(&self, name: &str, expected: &str) -> QueryError {
        let detail = format!("`{name}` is missing or blank; it takes {expected}.{}", self.sent_otherwise(name));
        let hint = format!("Send {name}=<{expected}>.");
        QueryError::new(format!("{name} is required"), name.to_owned(), detail, hint)
            .instead_of("nothing", Expected::Described)
    }

    /// A sentence about a name that is not known: the value that is missing may have been sent under it.
    fn sent_otherwise(&self, missing: &str) -> String {
        let other = self.unknown.first().filter(|_| self.get(missing).is_none());
        let shown = other.copied().map(crate::clean::quoted);
        shown.map(|other| format!(" There is no parameter `{other}` here.")).unwrap_or_default()
    }

    /// The error of a value that has too few parts; where its name was sent again, it also says that only the first value counts.
    pub(super) fn with_repetition(&self, error: QueryError) -> QueryError {
        if !self.repeated.contains(&&*error.param) {
            return error;
        }
        let detail = format!("{} It was sent more than once, and only the first value counts.", error.detail);
        QueryError { detail: detail.into(), ..error }
    }

    /// A trimmed text; none when it is absent. A blank one is refused: it would ask for everything.
    pub(super) fn word(&self, name: &'static str, expected: &str) -> Result<Option<String>, QueryError> {
        match self.get(name).map(str::trim) {
            Some("") => Err(super::values::invalid(name, "", expected)),
            word => Ok(word.map(str::to_owned)),
        }
    }

    /// A boolean; false when absent.
    pub(super) fn flag(&self, name: &'static str) -> Result<bool, QueryError> {
        self.flag_or(name, false)
    }

    /// A boolean: `true|false|1|0`, as they stand here.
    pub(super) fn flag_or(&self, name: &'static str, absent: bool) -> Result<bool, QueryError> {
        let Some(text) = self.get(name).map(str::trim) else { return Ok(absent) };
        super::values::flag(text).ok_or_else(|| {
            let hint = format!("Send {name}=true or {name}=false.");
            super::values::refused(name, text, ", not a boolean.", hint, Expected::Boolean)
        })
    }

    /// A positive integer, clamped to the rule's maximum.
    pub(super) fn limit(&self, rule: LimitRule) -> Result<usize, QueryError> {
        self.limit_named("limit", rule)
    }

    /// The same under another name.
    pub(super) fn limit_named(&self, name: &'static str, rule: LimitRule) -> Result<usize, QueryError> {
        let size = self.integer(name, (1, "0 or less"), u16::try_from(rule.max).ok())?;
        Ok(size.map_or(rule.default, |size| size.min(rule.max)))
    }

    /// An integer of 0 or more.
    pub(super) fn offset(&self) -> Result<usize, QueryError> {
        Ok(self.integer("offset", (0, "negative"), None)?.unwrap_or(0))
    }

    /// A whole number of any length from the least that is taken, below which it is called so: beyond 64 bits it saturates, so that a huge
    /// limit is clamped like a large one.
    fn integer(
        &self,
        name: &'static str,
        (from, below): (u16, &str),
        max: Option<u16>,
    ) -> Result<Option<usize>, QueryError> {
        let Some(text) = self.get(name).map(str::trim) else { return Ok(None) };
        let wrong = |found: &str, said: &str| {
            let detail = format!("`{name}` is {found}{said}.");
            let hint = format!("Send {name}=<a whole number from {from}>.");
            let error = QueryError::new(format!("invalid {name}"), name, detail, hint);
            Err(error.instead_of(found, Expected::Number { from, max }))
        };
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return wrong(&format!("{:?}", crate::clean::excerpt(text, 40)), ", not a whole number");
        }
        let saturated = if text.starts_with('-') { i64::MIN } else { i64::MAX };
        let value: i64 = text.parse().unwrap_or(saturated);
        if value < i64::from(from) {
            return wrong(below, "");
        }
        Ok(Some(usize::try_from(value).unwrap_or(usize::MAX)))
    }

    /// A framework domain of the closed list, as lists take it.
    pub(super) fn domain(&self) -> Result<Option<Domain>, QueryError> {
        let Some(text) = self.get("domain").map(str::trim) else { return Ok(None) };
        let meant = crate::field::named(Kind::Framework, "domain").and_then(|field| field.value_meant(text));
        meant.and_then(|word| Domain::parse(&word)).map(Some).ok_or_else(|| {
            let said = ", which is not one of the domains.";
            let hint = "Send one of allowed_domains, or leave domain out.";
            super::values::refused("domain", text, said, hint, Expected::OneOf(Allowed::Domains))
                .with_values(Domain::WORDS)
        })
    }
}

/// The error of a filter that only things of other kinds have: passed over, it would leave nothing out.
fn of_other_kinds(unknown: &str, known: &[&'static str], elsewhere: &[&'static str]) -> Option<QueryError> {
    let takes_filters = known.iter().chain(elsewhere).any(|name| name.contains("__"));
    let of: Vec<&str> = Kind::ALL
        .into_iter()
        .filter(|kind| takes_filters && (is_filter(*kind, unknown) || unknown == "price_of" && *kind == Kind::Model))
        .map(Kind::search_type)
        .collect();
    if of.is_empty() {
        return None;
    }
    let detail = format!("`{unknown}` filters only {}.", enumerated(&of, "and"));
    let hint = format!("Leave {unknown} out, or send one of `allowed`.");
    let error = QueryError::new("unknown filter", unknown.to_owned(), detail, hint);
    Some(error.instead_of(format!("`{unknown}`"), Expected::Parameter).with_values(known.iter().copied()))
}

fn is_filter(kind: Kind, name: &str) -> bool {
    filters(kind).iter().any(|filter| filter.name == name)
}

/// The error of the restriction to a collection where only the address can say it: passed over, it would leave nothing out.
fn of_lists() -> QueryError {
    QueryError::new(
        "unknown filter",
        COLLECTION,
        "`collection` restricts only lists and searches.",
        "Leave collection out, and ask below /c/ID/, where only the members of the collection exist.",
    )
    .instead_of("`collection`", Expected::Parameter)
}

/// The unit that names of meters end with. Answers call the meters without it: passed over, `cache_read` would make a total too low.
const METER_UNIT: &str = "_tokens";

/// The error of a name that has the form of a filter, is like a known one or is one without its unit, is a filter in capitals, or restricts
/// lists only.
fn misspelt(unknown: &str, known: &[&'static str], elsewhere: &[&'static str]) -> Option<QueryError> {
    if unknown == COLLECTION {
        return Some(of_lists());
    }
    if let Some(error) = of_other_kinds(unknown, known, elsewhere) {
        return Some(error);
    }
    let all = || known.iter().chain(elsewhere).copied();
    // Passed over like `LIMIT`, `VENDOR` would leave nothing out.
    let lower_case = unknown.to_lowercase();
    let is_in_capitals =
        |name: &str| name == lower_case && Kind::ALL.into_iter().any(|kind| is_filter(kind, &lower_case));
    let is_like = all().any(|name| strsim::osa_distance(unknown, name) <= typos(name) || is_in_capitals(name));
    let with_unit = all().find(|name| name.strip_suffix(METER_UNIT) == Some(unknown));
    if with_unit.is_none() && !is_like && !unknown.contains("__") {
        return None;
    }
    let nearest = with_unit.or_else(|| Some(nearest_parameter(unknown, all())?.0))?;
    let shown = crate::clean::quoted(unknown);
    let error = QueryError::new(
        "unknown filter",
        shown.clone(),
        format!("`{shown}` is not a parameter here; the nearest is `{nearest}`."),
        format!("Send {nearest}, or one of `allowed`."),
    );
    Some(error.instead_of(format!("`{shown}`"), Expected::Parameter).with_values(known.iter().copied()))
}

/// How many typing errors a name of this length may have and still be meant.
const fn typos(name: &str) -> usize {
    match name.len() {
        0..4 => 0,
        4 => 1,
        _ => 2,
    }
}
