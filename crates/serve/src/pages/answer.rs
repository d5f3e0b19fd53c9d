//! The answers of REST as values to render. Of rows only the members are read that a table shows: a row has far more than ten columns.

use std::collections::HashMap;
use std::ops::Index;

use refdesk_catalog::answer::at;
use refdesk_catalog::json::{read_own, unreadable};
use refdesk_catalog::partial_json::read_answer;
use refdesk_core::Kind;
use serde::Deserialize;
use serde_json::Value;

use crate::api::schema::FacetCounts;

/// An answer, all of it.
pub(super) fn read(json: &[u8]) -> Value {
    read_own(json)
}

/// The kind that the member `type` of an answer names.
pub(super) fn kind_of(answer: &Value) -> Option<Kind> {
    Kind::ALL.into_iter().find(|kind| answer["type"] == kind.search_type())
}

/// A list answer, whose rows have the values that a table shows.
#[derive(Debug)]
pub(super) struct ListRead {
    pub(super) rows: Vec<Row>,
    pub(super) facets: Facets,
    /// All other members.
    pub(super) rest: Value,
}

/// The counts of fields by name.
pub(super) type Facets = HashMap<String, FacetCounts>;

/// The members of a row that a table shows, as an object.
#[derive(Debug)]
pub(super) struct Row(Value);

impl Row {
    /// The text at a path, when there is something in it.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self[path].as_str().filter(|text| !text.is_empty())
    }

    /// The object.
    pub(super) const fn value(&self) -> &Value {
        &self.0
    }

    /// Adds a member that no answer has.
    pub(super) fn add(&mut self, name: &str, value: Value) {
        self.0[name] = value;
    }
}

/// The value at a dotted path, null where a row has none.
impl Index<&str> for Row {
    type Output = Value;

    fn index(&self, path: &str) -> &Value {
        at(&self.0, path).unwrap_or(&Value::Null)
    }
}

/// A list answer, of whose rows the members are read that `paths` begin with.
///
/// # Panics
/// When it cannot be read, as [`read_own`].
pub(super) fn read_list(json: &[u8], kind: Kind, paths: &[&str]) -> ListRead {
    let shown: Vec<&str> = paths.iter().filter_map(|path| path.split('.').next()).collect();
    let mut rest = read_answer(json, kind.collection(), &|member| shown.contains(&member));
    let rows = match rest.shift_remove(kind.collection()) {
        Some(Value::Array(rows)) => rows.into_iter().map(Row).collect(),
        _ => Vec::new(),
    };
    let facets = rest.shift_remove("facets").map(Facets::deserialize).transpose();
    let facets = facets.unwrap_or_else(|error| unreadable(json, &error)).unwrap_or_default();
    ListRead { rows, facets, rest: rest.into() }
}

#[cfg(test)]
mod tests {
    use super::read_list;
    use refdesk_core::Kind;
    use serde_json::{Value, json};

    #[test]
    fn rows_are_read_as_far_as_they_are_shown() {
        let list = br#"{"models":[{"id":"a","offers":[{"id":1}],"pricing":{"input":3,"output":15},"limits":null}],
            "facets":{"vendor":{"results":[{"value":"A","label":"A","count":7,"selected":true}],"missing":0,"truncated":false}},
            "total":7}"#;
        let list = read_list(list, Kind::Model, &["id", "pricing.output", "limits.context_tokens", "vendor"]);
        let [row] = &list.rows[..] else { panic!("one row") };
        assert_eq!(row.text("id"), Some("a"));
        assert_eq!(row["pricing.output"], 15);
        assert_eq!([&row["offers"], &row["limits.context_tokens"], &row["vendor"]], [&Value::Null; 3]);
        let [counted] = &list.facets["vendor"].results[..] else { panic!("one value") };
        assert_eq!((&*counted.value, counted.count, counted.selected), ("A", 7, true));
        assert_eq!(list.rest, json!({"total": 7}));
    }

    #[test]
    fn a_member_is_read_once_however_many_paths_lead_into_it() {
        let list = br#"{"models":[{"pricing":{"input":3}}]}"#;
        let list = read_list(list, Kind::Model, &["pricing.input", "pricing"]);
        assert_eq!(list.rows[0]["pricing"], json!({"input": 3}));
        assert_eq!(list.rows[0]["pricing.input"], 3);
    }
}
