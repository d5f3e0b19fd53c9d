//! Keys and elements of JSON answers, counted while they stream by. Values are skipped, never built: a key that stands twice counts twice.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::CensusCount;
use crate::connectors::{JsonRule, Step};

impl JsonRule {
    /// Counts what an answer holds, and tells whether it could be read to its end.
    pub(super) fn count(self, body: &[u8], is_first: bool, counted: &mut CensusCount) -> bool {
        let (sort, steps, of): (_, &[Step], _) = match self {
            Self::FirstAnswer(_) if !is_first => return true,
            Self::Keys(steps) => ("keys", steps, Of::Keys),
            Self::Elements(steps) | Self::FirstAnswer(steps) => ("elements", steps, Of::Elements),
            Self::Registry if is_list(body) => ("elements", &[], Of::Elements),
            Self::Registry => ("elements", &[Step::Key("servers")], Of::Elements),
        };
        let (items, is_whole) = count(body, steps, of);
        counted.add(sort, items);
        is_whole
    }
}

fn is_list(body: &[u8]) -> bool {
    body.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[')
}

/// What is counted at the end of the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Keys,
    Elements,
}

/// Counts keys or elements at the end of `steps`, and tells whether the body could be read to its end.
pub(super) fn count(body: &[u8], steps: &[Step], of: Of) -> (usize, bool) {
    let mut count = 0;
    // A byte order mark is no part of the text.
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let mut reader = serde_json::Deserializer::from_slice(body);
    // What cannot be read is the connector's to report.
    let is_whole = (Walk { steps, of, count: &mut count }).deserialize(&mut reader).is_ok();
    if !is_whole {
        tracing::debug!("the accountant could not read an answer to its end");
    }
    (count, is_whole)
}

struct Walk<'a> {
    steps: &'a [Step],
    of: Of,
    count: &'a mut usize,
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// What is no object or list stands for one item that cannot be read.
macro_rules! leaves {
    ($($visit:ident: $value:ty),*) => {$(
        fn $visit<E>(self, _: $value) -> Result<(), E> {
            *self.count += 1;
            Ok(())
        }
    )*};
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Some((step, rest)) = self.steps.split_first() else {
            let mut keys = 0;
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
                keys += 1;
            }
            *self.count += if self.of == Of::Keys { keys } else { 1 };
            return Ok(());
        };
        let mut found = false;
        while let Some(key) = map.next_key::<std::borrow::Cow<'_, str>>()? {
            let is_way = match step {
                Step::Every => true,
                Step::Key(wanted) => key == *wanted,
            };
            if is_way {
                found = true;
                map.next_value_seed(Walk { steps: rest, of: self.of, count: self.count })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        *self.count += usize::from(!found && matches!(step, Step::Key(_)));
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let mut elements = 0;
        while seq.next_element::<IgnoredAny>()?.is_some() {
            elements += 1;
        }
        *self.count += if self.steps.is_empty() && self.of == Of::Elements { elements } else { 1 };
        Ok(())
    }

    leaves!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_unit<E>(self) -> Result<(), E> {
        *self.count += 1;
        Ok(())
    }
}

/// A list whose elements are counted, or anything else, which has none. For typed readers of other modules.
#[derive(Debug, serde::Deserialize)]
#[serde(untagged)]
pub(super) enum Elements {
    List(Vec<IgnoredAny>),
    Other(IgnoredAny),
}

impl Elements {
    pub(super) const fn count(&self) -> usize {
        if let Self::List(elements) = self { elements.len() } else { 0 }
    }
}

impl Default for Elements {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::{Of, count};
    use crate::connectors::Step;

    #[test]
    fn keys_and_elements_are_counted_where_they_stand_also_those_that_stand_twice() {
        assert_eq!(count(br#"{"a": {"x": [1, 2]}, "b": 1, "a": 2}"#, &[], Of::Keys), (3, true));
        assert_eq!(
            count(br#"{"data": [{"data": [1]}, 2, null], "x": [1]}"#, &[Step::Key("data")], Of::Elements),
            (3, true)
        );
        let nested = br#"{"p": {"models": {"m": {}, "n": {}}}, "q": {}, "r": {"models": {}}, "s": 1}"#;
        assert_eq!(
            count(nested, &[Step::Every, Step::Key("models")], Of::Keys),
            (4, true),
            "two, and two providers without any"
        );
        assert_eq!(count(b"[1, 2, 3]", &[], Of::Elements), (3, true));
        assert_eq!(count(b"[1, NaN, 3]", &[], Of::Elements), (0, false), "no JSON to its end");
    }
}
