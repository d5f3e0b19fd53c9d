//! The answers of REST as values to render. Rows are read only as far as a table shows them: a row has far more than ten columns.

use std::collections::HashMap;
use std::fmt;
use std::ops::Index;

use refdesk_catalog::answer::at;
use refdesk_catalog::json::{read_own, unreadable};
use refdesk_core::Kind;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// An answer, all of it.
pub(super) fn read(json: &[u8]) -> Value {
    read_own(json)
}

/// The kind that the member `type` of an answer names.
pub(super) fn kind_of(answer: &Value) -> Option<Kind> {
    Kind::ALL.into_iter().find(|kind| answer["type"] == kind.search_type())
}

/// A list answer, whose rows have the values that a table shows.
#[derive(Debug, Default)]
pub(super) struct ListRead {
    pub(super) rows: Vec<Row>,
    pub(super) facets: Facets,
    /// All other members.
    pub(super) rest: Value,
}

/// The counts of fields by name.
pub(super) type Facets = HashMap<String, Facet>;

/// The counts of a field, the most frequent value first.
#[derive(Debug, Deserialize)]
pub(super) struct Facet {
    pub(super) results: Vec<FacetValue>,
    /// Whether there are more values than are counted.
    pub(super) truncated: bool,
}

/// A value and how many rows have it.
#[derive(Debug, Deserialize)]
pub(super) struct FacetValue {
    /// As a filter takes it.
    pub(super) value: String,
    pub(super) count: u64,
    /// Whether a filter asks for it.
    pub(super) selected: bool,
}

/// The values of a row by dotted path. They are few, so they are looked for one by one.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Row(Vec<(&'static str, Value)>);

impl Row {
    /// The text at a path, when there is something in it.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self[path].as_str().filter(|text| !text.is_empty())
    }

    /// Adds a value that no answer has.
    pub(super) fn add(&mut self, path: &'static str, value: Value) {
        self.0.push((path, value));
    }

    fn get(&self, path: &str) -> Option<&Value> {
        self.0.iter().find(|(read, _)| *read == path).map(|(_, value)| value)
    }
}

/// The value at a path, null where a row has none.
impl Index<&str> for Row {
    type Output = Value;

    fn index(&self, path: &str) -> &Value {
        let below = || path.split_once('.').and_then(|(name, rest)| at(self.get(name)?, rest));
        self.get(path).or_else(below).unwrap_or(&Value::Null)
    }
}

/// A list answer, whose rows are read at `paths` only.
///
/// # Panics
/// When it cannot be read, as [`read_own`].
pub(super) fn read_list(json: &[u8], kind: Kind, paths: &[&'static str]) -> ListRead {
    let mut wanted = Vec::new();
    paths.iter().for_each(|path| Wanted::add(&mut wanted, path, path));
    let mut reader = serde_json::Deserializer::from_slice(json);
    let list = ListSeed { rows: kind.collection(), wanted: &wanted }.deserialize(&mut reader);
    list.unwrap_or_else(|error| unreadable(json, &error))
}

/// A member of an object that is read: whole, or some members of it.
#[derive(Debug)]
struct Wanted {
    name: &'static str,
    /// The path of a member that is read whole.
    path: Option<&'static str>,
    below: Vec<Wanted>,
}

impl Wanted {
    /// Adds what is left of a path.
    fn add(among: &mut Vec<Self>, left: &'static str, path: &'static str) {
        let (name, below) = left.split_once('.').map_or((left, None), |(name, below)| (name, Some(below)));
        let place = among.iter().position(|wanted| wanted.name == name).unwrap_or_else(|| {
            among.push(Self { name, path: None, below: Vec::new() });
            among.len() - 1
        });
        match below {
            Some(below) => Self::add(&mut among[place].below, below, path),
            None => among[place].path = Some(path),
        }
    }
}

/// Reads the list.
#[derive(Clone, Copy)]
struct ListSeed<'a> {
    rows: &'a str,
    wanted: &'a [Wanted],
}

/// Reads the array of rows.
#[derive(Clone, Copy)]
struct RowsSeed<'a>(&'a [Wanted]);

/// Reads members of an object into a row.
struct MembersSeed<'a> {
    wanted: &'a [Wanted],
    row: &'a mut Row,
}

/// Finds the name of a member among those that are read.
#[derive(Clone, Copy)]
struct NameSeed<'a>(&'a [Wanted]);

impl<'de> DeserializeSeed<'de> for ListSeed<'_> {
    type Value = ListRead;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<ListRead, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ListSeed<'_> {
    type Value = ListRead;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list answer")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ListRead, A::Error> {
        let (mut list, mut rest) = (ListRead::default(), Map::new());
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                name if name == self.rows => list.rows = map.next_value_seed(RowsSeed(self.wanted))?,
                "facets" => list.facets = map.next_value()?,
                _ => {
                    rest.insert(name, map.next_value()?);
                }
            }
        }
        list.rest = Value::Object(rest);
        Ok(list)
    }
}

impl<'de> DeserializeSeed<'de> for RowsSeed<'_> {
    type Value = Vec<Row>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<Row>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for RowsSeed<'_> {
    type Value = Vec<Row>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<Vec<Row>, A::Error> {
        let mut read = Vec::new();
        loop {
            let mut row = Row::default();
            match rows.next_element_seed(MembersSeed { wanted: self.0, row: &mut row })? {
                Some(()) => read.push(row),
                None => return Ok(read),
            }
        }
    }
}

impl<'de> DeserializeSeed<'de> for MembersSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for MembersSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or null")
    }

    /// What is unknown as a whole is null.
    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(wanted) = map.next_key_seed(NameSeed(self.wanted))? {
            match wanted {
                Some(Wanted { path: Some(path), .. }) => self.row.0.push((path, map.next_value()?)),
                Some(Wanted { below, .. }) => map.next_value_seed(MembersSeed { wanted: below, row: self.row })?,
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

impl<'de, 'a> DeserializeSeed<'de> for NameSeed<'a> {
    type Value = Option<&'a Wanted>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'a> Visitor<'_> for NameSeed<'a> {
    type Value = Option<&'a Wanted>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().find(|wanted| wanted.name == name))
    }
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
        assert_eq!([&row["pricing.input"], &row["limits.context_tokens"], &row["vendor"]], [&Value::Null; 3]);
        let [counted] = &list.facets["vendor"].results[..] else { panic!("one value") };
        assert_eq!((&*counted.value, counted.count, counted.selected), ("A", 7, true));
        assert_eq!(list.rest, json!({"total": 7}));
    }

    #[test]
    fn what_stands_below_a_member_that_is_read_whole_is_found_in_it() {
        let list = br#"{"models":[{"pricing":{"input":3}}]}"#;
        let list = read_list(list, Kind::Model, &["pricing.input", "pricing"]);
        assert_eq!(list.rows[0]["pricing"], json!({"input": 3}));
        assert_eq!(list.rows[0]["pricing.input"], 3);
    }
}
