//! The filters of lists: one parameter for each field and operator of the table of fields, and what its value must be.

use std::sync::LazyLock;

use super::values::{flag, invalid, words};
use super::{Allowed, QueryError};
use crate::Kind;
use crate::field::{self, FieldDef, ParsedValue, Shape, Side};
use crate::item::Domain;
use crate::nearest::nearest_parameter;

/// One filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The field.
    pub field: &'static FieldDef,
    /// What must hold of its value.
    pub test: Test,
}

/// What must hold of a value. What is unknown meets none of them but `IsNull(true)` and `NoneOf`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// One of these words.
    AnyOf(Vec<String>),
    /// All of these words.
    AllOf(Vec<String>),
    /// None of these words.
    NoneOf(Vec<String>),
    /// True or false.
    Is(bool),
    /// On the inner side of a bound.
    Within(ParsedValue, Side),
    /// Unknown, or known.
    IsNull(bool),
}

impl Test {
    /// Whether it goes on to bound the rows where a value is added to the filters of its field: each of `AllOf` must be there, and what is
    /// excluded stays so. A value more widens `AnyOf`, and takes the place of `Is`.
    pub const fn bounds_other_values(&self) -> bool {
        !matches!(self, Self::AnyOf(_) | Self::Is(_))
    }
}

/// What a parameter does with its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// Equal, or one of.
    Equals,
    /// None of.
    Not,
    /// At least.
    Gte,
    /// At most.
    Lte,
    /// Unknown or known.
    IsNull,
}

/// A filter parameter.
#[derive(Debug, PartialEq, Eq)]
pub struct FilterParam {
    /// Its name: `price_input__lte`.
    pub name: String,
    /// The field.
    pub field: &'static FieldDef,
    /// What it does.
    pub operator: Operator,
}

impl FilterParam {
    fn new(field: &'static FieldDef, operator: Operator) -> Self {
        let name = match (field.name, operator) {
            ("updated_at", Operator::Gte) => "updated_since".to_owned(),
            ("last_verified_at", Operator::Gte) => "verified_since".to_owned(),
            (name, Operator::Equals) => name.to_owned(),
            (name, Operator::Not) => format!("{name}__not"),
            (name, Operator::Gte) => format!("{name}__gte"),
            (name, Operator::Lte) => format!("{name}__lte"),
            (name, Operator::IsNull) => format!("{name}__isnull"),
        };
        Self { name, field, operator }
    }

    /// What it means, for documents.
    pub fn description(&self) -> String {
        let label = self.field.label;
        let unit = self.field.unit.map(|unit| format!(", in {unit}")).unwrap_or_default();
        let allowed = match self.field.allowed {
            [] => String::new(),
            allowed => format!(" They are: {}.", allowed.join(", ")),
        };
        match (self.operator, self.field.shape) {
            (Operator::Equals, Shape::Flag) => format!("{label}: true or false."),
            (Operator::Equals, Shape::Words { all: true }) => {
                format!("{label}: all of these, separated by commas, in any case.{allowed}{}", negation(self.field))
            }
            (Operator::Equals, _) => format!("{label}: one of these, separated by commas, in any case.{allowed}"),
            (Operator::Not, _) => format!("{label}: none of these, separated by commas, in any case.{allowed}"),
            (Operator::Gte, _) => format!("{label}: at least this{unit}. Takes {}.", self.field.shape.expected()),
            (Operator::Lte, _) => format!("{label}: at most this{unit}. Takes {}.", self.field.shape.expected()),
            (Operator::IsNull, _) => format!("{label}: true for unknown, false for known."),
        }
    }

    pub(super) fn condition(&'static self, text: &str) -> Result<Condition, QueryError> {
        let wrong = || self.wrong(text);
        let test = match (self.operator, self.field.shape) {
            (Operator::Equals, Shape::Flag) => Test::Is(flag(text).ok_or_else(wrong)?),
            (Operator::IsNull, _) => Test::IsNull(flag(text).ok_or_else(wrong)?),
            (Operator::Equals, Shape::Words { all: true }) => Test::AllOf(self.words(text)?),
            (Operator::Equals, _) => Test::AnyOf(self.words(text)?),
            (Operator::Not, _) => Test::NoneOf(self.words(text)?),
            (Operator::Gte, shape) => Test::Within(shape.bound(text, Side::Least).ok_or_else(wrong)?, Side::Least),
            (Operator::Lte, shape) => Test::Within(shape.bound(text, Side::Most).ok_or_else(wrong)?, Side::Most),
        };
        Ok(Condition { field: self.field, test })
    }

    /// Values between commas; those of a closed set only.
    fn words(&self, text: &str) -> Result<Vec<String>, QueryError> {
        let words = words(&self.name, text)?;
        words.iter().map(|word| self.field.value_meant(word).ok_or_else(|| self.not_allowed(word))).collect()
    }

    /// A value that is not in the closed set of the field.
    fn not_allowed(&self, word: &str) -> QueryError {
        let allowed = self.field.allowed;
        let also = if self.field.has_negation() { ", each also with `!` before it" } else { "" };
        let error = invalid(&self.name, word, &format!("one or more of: {}{also}", allowed.join(", ")));
        let mut error = error.with_values(allowed.iter().copied());
        error.hint = format!("Send {}=<one or more of `allowed`, separated by commas>.", self.name).into();
        let others = if self.operator == Operator::Equals { taken_by_others(self.field, word) } else { Vec::new() };
        if !others.is_empty() {
            error.detail = format!("{} {} asks for it.", error.detail, others.join(" or ")).into();
            error.meant = None;
        }
        if allowed == Domain::WORDS {
            error.allowed = Some(Allowed::Domains);
            error.hint = format!("Send {}=<one or more of allowed_domains, separated by commas>.", self.name).into();
        }
        error
    }

    fn wrong(&self, text: &str) -> QueryError {
        let expected = match self.operator {
            Operator::IsNull => Shape::Flag.expected(),
            _ => self.field.shape.expected(),
        };
        invalid(&self.name, text, expected)
    }
}

/// How what is known not to be there is asked for.
fn negation(field: &FieldDef) -> &'static str {
    if field.has_negation() { " `!x`: known not to have x." } else { "" }
}

/// A filter that is meant by a name that is none, and its value where the name says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeantFilter {
    /// The name of the parameter.
    pub name: &'static str,
    /// Its value.
    pub value: Option<&'static str>,
}

/// Names that people and models send for filters.
const OTHER_NAMES: [(&str, &str, Option<&str>); 17] = [
    ("provider", "seller", None),
    ("maker", "vendor", None),
    ("company", "vendor", None),
    ("creator", "vendor", None),
    ("vision", "input_modalities", Some("image")),
    ("modality", "input_modalities", None),
    ("tool_calling", "capability", Some("tool_call")),
    ("function_calling", "capability", Some("tool_call")),
    ("tool_use", "capability", Some("tool_call")),
    ("json_mode", "capability", Some("structured_output")),
    ("context", "context_tokens__gte", None),
    ("context_window", "context_tokens__gte", None),
    ("free", "price_input__lte", Some("0")),
    ("price", "price_input__lte", None),
    ("cost", "price_input__lte", None),
    ("deprecated", "status", Some("deprecated")),
    ("install", "install_type", None),
];

/// The filter that a name means, among those of a kind: what it is called otherwise, or else one of a similar spelling.
pub fn meant_filter(kind: Kind, name: &str) -> Option<MeantFilter> {
    called_filter(kind, name).or_else(|| {
        let names = filters(kind).iter().map(|filter| &*filter.name);
        let (nearest, is_near) = nearest_parameter(&name.to_lowercase(), names)?;
        is_near.then_some(MeantFilter { name: nearest, value: None })
    })
}

/// The filter of a kind that a name stands for, however it is spelt: another common name for it, one of its values, or the path of a member
/// of rows.
pub fn called_filter(kind: Kind, name: &str) -> Option<MeantFilter> {
    let name = name.to_lowercase();
    let of_kind = filters(kind);
    let named = |wanted: &str| of_kind.iter().find(|filter| filter.name == wanted).map(|filter| &*filter.name);
    let called = OTHER_NAMES.iter().find(|(other, ..)| *other == name);
    if let Some((called, value)) = called.and_then(|(_, filter, value)| Some((named(filter)?, *value))) {
        return Some(MeantFilter { name: called, value });
    }
    let with_value = of_kind.iter().filter(|filter| filter.operator == Operator::Equals).find_map(|filter| {
        let value = filter.field.allowed.iter().find(|value| **value == name)?;
        Some(MeantFilter { name: &filter.name, value: Some(value) })
    });
    with_value.or_else(|| of_member(kind, &name))
}

/// The filter for the member of rows at a path, or for a member below it. For a price it is the upper bound, as in questions. `id` has none:
/// nobody who writes it means the series that is derived from it.
fn of_member(kind: Kind, path: &str) -> Option<MeantFilter> {
    let is_meant = |field: &&'static FieldDef| path != "id" && field.is_filter() && field.is_of_member(path);
    let field = field::of_kind(kind).find(is_meant)?;
    let of_field = || filters(kind).iter().filter(move |filter| filter.field == field);
    let bound = if field.is_price() { Operator::Lte } else { Operator::Equals };
    let meant = of_field().find(|filter| filter.operator == bound).or_else(|| of_field().next())?;
    Some(MeantFilter { name: &meant.name, value: None })
}

/// Filters that take a value which the closed set of a field does not have, as an error says them: of a capability `vision` it is
/// `` `input_modalities=image` ``. All kinds that have the field have them. A field of other kinds with the name of this is none: who asks means it.
fn taken_by_others(of: &FieldDef, word: &str) -> Vec<String> {
    let word = word.trim().to_lowercase().replace([' ', '-'], "_");
    let is_of_all = |name: &str| {
        let mut kinds = Kind::ALL.into_iter().filter(|kind| of.is_of(*kind));
        kinds.all(|kind| filters(kind).iter().any(|filter| filter.name == name))
    };
    let called = OTHER_NAMES.iter().filter(|(other, ..)| *other == word);
    let called = called.filter_map(|(_, name, value)| Some((*name, (*value)?)));
    let of_sets = field::FIELDS.iter().filter(|field| field.is_filter()).filter_map(|field| {
        if field.shape == Shape::Flag && field.name == word {
            return Some((field.name, "true"));
        }
        field.allowed.iter().find(|value| **value == word).map(|value| (field.name, *value))
    });
    let others = called.chain(of_sets.filter(|(name, _)| *name != of.name)).filter(|(name, _)| is_of_all(name));
    let mut others: Vec<String> = others.map(|(name, value)| format!("`{name}={value}`")).collect();
    others.dedup();
    others
}

/// The filter that a name means among known parameters, as a warning says it: of lists and searches of a kind any of its filters, elsewhere
/// what people call by another name.
pub(super) fn called_otherwise(name: &str, known: &[&'static str]) -> Option<String> {
    let of_name = || {
        let (_, filter, value) = OTHER_NAMES.iter().find(|(other, ..)| other.eq_ignore_ascii_case(name))?;
        known.contains(filter).then_some(MeantFilter { name: filter, value: *value })
    };
    let meant = kind_filtered(known).and_then(|kind| meant_filter(kind, name)).or_else(of_name)?;
    Some(match meant.value {
        Some(value) => format!("`{}={value}` asks for it", meant.name),
        None => format!("the filter is `{}`", meant.name),
    })
}

/// The kind whose filters are all among known parameters; of several the one with the most.
fn kind_filtered(known: &[&'static str]) -> Option<Kind> {
    let is_known = |filter: &FilterParam| known.iter().any(|name| *name == filter.name);
    let kinds = Kind::ALL.into_iter().filter(|kind| filters(*kind).iter().all(is_known));
    kinds.max_by_key(|kind| filters(*kind).len())
}

/// The filter parameters of each kind, in the order of the table of fields.
pub fn filters(kind: Kind) -> &'static [FilterParam] {
    static FILTERS: LazyLock<[Vec<FilterParam>; 7]> = LazyLock::new(|| {
        Kind::ALL.map(|kind| {
            let of_field = |field: &'static FieldDef| {
                let operators: &[Operator] = match field.shape {
                    Shape::Word | Shape::Words { .. } => &[Operator::Equals, Operator::Not, Operator::IsNull],
                    Shape::Flag => &[Operator::Equals, Operator::IsNull],
                    Shape::Count | Shape::Price | Shape::Date => &[Operator::Gte, Operator::Lte, Operator::IsNull],
                    Shape::Time => &[Operator::Gte],
                    Shape::Rank => &[],
                };
                operators.iter().map(move |operator| FilterParam::new(field, *operator))
            };
            field::of_kind(kind).filter(|field| field.is_filter()).flat_map(of_field).collect()
        })
    });
    &FILTERS[kind.index()]
}

#[cfg(test)]
mod tests {
    use super::{MeantFilter, meant_filter};
    use crate::Kind;

    #[test]
    fn a_name_that_is_no_filter_tells_the_one_that_is_meant() {
        let meant = |kind, name| meant_filter(kind, name).map(|MeantFilter { name, value }| (name, value));
        for (kind, name, expected) in [
            (Kind::Model, "provider", Some(("seller", None))),
            (Kind::Model, "vision", Some(("input_modalities", Some("image")))),
            (Kind::Model, "tool_call", Some(("capability", Some("tool_call")))),
            (Kind::Model, "max_price", Some(("price_input__lte", None))),
            (Kind::Model, "context_gte", Some(("context_tokens__gte", None))),
            (Kind::Model, "modalities.output", Some(("output_modalities", None))),
            (Kind::Model, "pricing.output", Some(("price_output__lte", None))),
            (Kind::Model, "limits.context_tokens", Some(("context_tokens__gte", None))),
            (Kind::Model, "function_calling", Some(("capability", Some("tool_call")))),
            (Kind::Model, "mode", Some(("model_mode", None))),
            (Kind::Model, "id", None),
            (Kind::McpServer, "remotes", Some(("install_type", None))),
            (Kind::McpServer, "auth_required", Some(("auth", None))),
            (Kind::McpServer, "install", Some(("install_type", None))),
            (Kind::McpServer, "free", None),
            (Kind::Model, "zzzz", None),
        ] {
            assert_eq!(meant(kind, name), expected, "{name}");
        }
    }
}
