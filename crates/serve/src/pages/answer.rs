//! The answers of REST as values to render. Rows are read only as far as a table shows them: a row has far more than ten columns.

use std::fmt;

use refdesk_core::Kind;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// An answer, all of it. It was rendered by this service, so it is JSON.
pub(super) fn read(json: &[u8]) -> Value {
    serde_json::from_slice(json).unwrap_or_default()
}

/// The kind that the member `type` of an answer names.
pub(super) fn kind_of(answer: &Value) -> Option<Kind> {
    Kind::ALL.into_iter().find(|kind| answer["type"] == kind.search_type())
}

/// A list answer whose rows have only the members in `members`.
pub(super) fn read_rows(json: &[u8], rows: &str, members: &[&str]) -> Value {
    let mut reader = serde_json::Deserializer::from_slice(json);
    ListSeed { rows, members }.deserialize(&mut reader).unwrap_or_default()
}

/// Reads the list.
#[derive(Clone, Copy)]
struct ListSeed<'a> {
    rows: &'a str,
    members: &'a [&'a str],
}

/// Reads the array of rows.
#[derive(Clone, Copy)]
struct RowsSeed<'a>(&'a [&'a str]);

/// Reads one row.
#[derive(Clone, Copy)]
struct RowSeed<'a>(&'a [&'a str]);

impl<'de> DeserializeSeed<'de> for ListSeed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ListSeed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list answer")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            let value =
                if name == self.rows { map.next_value_seed(RowsSeed(self.members))? } else { map.next_value()? };
            members.insert(name, value);
        }
        Ok(Value::Object(members))
    }
}

impl<'de> DeserializeSeed<'de> for RowsSeed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for RowsSeed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<Value, A::Error> {
        let mut read = Vec::new();
        while let Some(row) = rows.next_element_seed(RowSeed(self.0))? {
            read.push(row);
        }
        Ok(Value::Array(read))
    }
}

impl<'de> DeserializeSeed<'de> for RowSeed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RowSeed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a row")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            if self.0.contains(&&*name) {
                members.insert(name.into_owned(), map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::read_rows;
    use serde_json::json;

    #[test]
    fn rows_are_read_as_far_as_they_are_shown() {
        let list = br#"{"models":[{"id":"a","offers":[{"id":1}],"vendor":null}],"total":7}"#;
        let read = read_rows(list, "models", &["id", "vendor"]);
        assert_eq!(read, json!({"models": [{"id": "a", "vendor": null}], "total": 7}));
    }
}
