//! Reading again only some members of JSON that this crate rendered. What nobody wants is skipped, and becomes no tree of values: a row or a
//! hit has dozens of members, of which a table or a model is shown a few. The names of members are our own, and have no escapes.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::json::unreadable;

/// The wanted members of an object.
///
/// # Panics
/// When it cannot be read, as [`crate::json::read_own`].
pub fn read_members(rendered: &[u8], is_wanted: &dyn Fn(&str) -> bool) -> Value {
    read(rendered, Members { is_wanted })
}

/// An answer with all of its members; of the objects in its `list` only the wanted ones.
///
/// # Panics
/// When it cannot be read, as [`crate::json::read_own`].
pub fn read_answer(rendered: &[u8], list: &str, is_wanted: &dyn Fn(&str) -> bool) -> Map<String, Value> {
    read(rendered, Answer { list, entries: Members { is_wanted } })
}

fn read<'de, S: DeserializeSeed<'de>>(rendered: &'de [u8], seed: S) -> S::Value {
    let read = seed.deserialize(&mut serde_json::Deserializer::from_slice(rendered));
    read.unwrap_or_else(|error| unreadable(rendered, &error))
}

/// Reads the wanted members of an object, or of each object of a list.
#[derive(Clone, Copy)]
struct Members<'a> {
    is_wanted: &'a dyn Fn(&str) -> bool,
}

impl<'de> DeserializeSeed<'de> for Members<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Members<'_> {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object or a list of objects")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<&str>()? {
            if (self.is_wanted)(name) {
                object.insert(name.to_owned(), members.next_value()?);
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Value::Object(object))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(entry) = entries.next_element_seed(self)? {
            list.push(entry);
        }
        Ok(Value::Array(list))
    }
}

/// Reads an answer with a list.
struct Answer<'a> {
    list: &'a str,
    entries: Members<'a>,
}

impl<'de> DeserializeSeed<'de> for Answer<'_> {
    type Value = Map<String, Value>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Answer<'_> {
    type Value = Map<String, Value>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<&str>()? {
            let value =
                if name == self.list { members.next_value_seed(self.entries)? } else { members.next_value()? };
            object.insert(name.to_owned(), value);
        }
        Ok(object)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{read_answer, read_members};

    #[test]
    fn what_is_not_wanted_is_skipped_in_an_object_and_in_the_entries_of_a_list() {
        let row = br#"{"id":"a","limits":{"context_tokens":8},"description":"\"}","offers":[{"id":"b"}]}"#;
        let wanted = |name: &str| ["id", "limits"].contains(&name);
        assert_eq!(read_members(row, &wanted), json!({"id": "a", "limits": {"context_tokens": 8}}));
        let answer = br#"{"limits":2,"results":[{"id":"a","offers":[]},{"score":1}],"note":{"score":1},"next":null}"#;
        let read = read_answer(answer, "results", &wanted);
        assert_eq!(
            Value::from(read),
            json!({"limits": 2, "results": [{"id": "a"}, {}], "note": {"score": 1}, "next": null})
        );
    }
}
