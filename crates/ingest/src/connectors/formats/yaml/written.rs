//! YAML with every number as the text that stands there: `version: 1.10` is not 1.1.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use serde_saphyr::Spanned;

/// A value and where it stands.
pub(super) type Node = Spanned<Shape>;

/// A value whose numbers are still to be looked up in the text.
pub(super) enum Shape {
    /// Text, a boolean or null.
    Plain(Value),
    /// A number as JSON has it.
    Number(Value),
    List(Vec<Node>),
    Mapping(Vec<(String, Node)>),
}

/// The value of a node of a text.
pub(super) fn value(node: Node, text: &str) -> Value {
    match node.value {
        Shape::Plain(value) => value,
        Shape::Number(number) => {
            let span = node.defined.span();
            let place = span.byte_offset().zip(span.byte_len());
            let place = place.and_then(|(start, len)| {
                Some(usize::try_from(start).ok()?..usize::try_from(start.checked_add(len)?).ok()?)
            });
            place.and_then(|place| text.get(place)).map_or_else(|| number.to_string().into(), |text| text.trim().into())
        }
        Shape::List(nodes) => nodes.into_iter().map(|node| value(node, text)).collect(),
        Shape::Mapping(nodes) => {
            Value::Object(nodes.into_iter().map(|(key, node)| (key, value(node, text))).collect::<Map<_, _>>())
        }
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ShapeVisitor)
    }
}

struct ShapeVisitor;

impl<'de> Visitor<'de> for ShapeVisitor {
    type Value = Shape;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Shape, E> {
        Ok(Shape::Plain(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Shape, E> {
        Ok(Shape::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Shape, E> {
        Ok(Shape::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Shape, E> {
        Ok(Shape::Number(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Shape, E> {
        Ok(Shape::Plain(value.into()))
    }

    fn visit_unit<E>(self) -> Result<Shape, E> {
        Ok(Shape::Plain(Value::Null))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Shape, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = list.next_element()? {
            nodes.push(node);
        }
        Ok(Shape::List(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut mapping: A) -> Result<Shape, A::Error> {
        let mut nodes = Vec::new();
        while let Some(entry) = mapping.next_entry()? {
            nodes.push(entry);
        }
        Ok(Shape::Mapping(nodes))
    }
}
