//! The parameters of a list that a question says: the name of a field, with what is asked of it behind `__`, and a value.

use refdesk_core::Kind;
use refdesk_core::query::{ListQuery, Params};

/// A name and a value.
pub type Param = (String, String);

/// A parameter.
pub fn param(name: &str, value: &str) -> Param {
    (name.to_owned(), value.to_owned())
}

/// The value of a parameter.
pub fn value<'p>(params: &'p [Param], name: &str) -> Option<&'p str> {
    params.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// The field of a parameter.
pub fn field_of(name: &str) -> &str {
    name.split_once("__").map_or(name, |(field, _)| field)
}

/// Whether a parameter bounds something on one side.
pub fn is_bound(name: &str) -> bool {
    name.ends_with("__gte") || name.ends_with("__lte")
}

/// The list that parameters say; none where they are not valid.
pub fn list<'p>(kind: Kind, pairs: impl IntoIterator<Item = (&'p str, &'p str)>) -> Option<ListQuery> {
    ListQuery::parse(kind, &Params::new(pairs, ListQuery::names(kind))).ok()
}
