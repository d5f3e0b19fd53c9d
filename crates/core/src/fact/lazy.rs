//! Parts of stored facts that are read only when they are wanted: a catalog of a million facts is resolved item by item, and the
//! fields and texts of all of them at once would be most of its memory.

use std::borrow::Cow;

use serde::de::{Error as _, IgnoredAny};
use serde_json::{Map, Value};

/// The kind's own fields of a fact: a JSON object, read or still text.
#[derive(Debug, Clone)]
pub struct Fields(FieldsForm);

#[derive(Debug, Clone)]
enum FieldsForm {
    Read(Map<String, Value>),
    Json(Box<str>),
}

impl Fields {
    /// Fields as the store has them.
    ///
    /// # Errors
    /// When the text is no JSON object.
    pub fn of_json(text: impl Into<Box<str>>) -> Result<Self, serde_json::Error> {
        let text = text.into();
        serde_json::from_str::<IgnoredAny>(&text)?;
        if !text.trim_ascii_start().starts_with('{') {
            return Err(serde_json::Error::custom("expected a JSON object"));
        }
        Ok(Self(FieldsForm::Json(text)))
    }

    /// The fields.
    pub fn read(&self) -> Cow<'_, Map<String, Value>> {
        match &self.0 {
            FieldsForm::Read(fields) => Cow::Borrowed(fields),
            // Checked when it was made, so there is always an object to read.
            FieldsForm::Json(text) => Cow::Owned(serde_json::from_str(text).unwrap_or_default()),
        }
    }

    /// A text of the top level. Most facts lack it, and a catalog has a million of them: these are not read for it.
    pub fn top_level_text(&self, name: &str) -> Option<String> {
        if let FieldsForm::Json(text) = &self.0
            && !text.contains(&format!("\"{name}\":\""))
        {
            return None;
        }
        self.read().get(name).and_then(Value::as_str).map(str::to_owned)
    }
}

impl From<Map<String, Value>> for Fields {
    fn from(fields: Map<String, Value>) -> Self {
        Self(FieldsForm::Read(fields))
    }
}

impl PartialEq for Fields {
    fn eq(&self, other: &Self) -> bool {
        self.read() == other.read()
    }
}

/// Unpacks a text that a store keeps packed; `None` when the bytes are damaged, which whoever unpacks it tells.
pub type Unpack = fn(&[u8]) -> Option<String>;

/// A text, plain or as its store packs it.
#[derive(Debug, Clone)]
pub enum Text {
    /// The text.
    Plain(String),
    /// Packed bytes, and who can read them.
    Packed(Box<[u8]>, Unpack),
}

impl Text {
    /// The text; empty when there is none or its bytes are damaged (`refdesk verify` tells which).
    pub fn read(&self) -> Cow<'_, str> {
        match self {
            Self::Plain(text) => Cow::Borrowed(text),
            // Told where it is unpacked: one damaged text must not stop a catalog.
            Self::Packed(bytes, unpack) => Cow::Owned(unpack(bytes).unwrap_or_default()),
        }
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::Plain(String::new())
    }
}

impl<T: Into<String>> From<T> for Text {
    fn from(text: T) -> Self {
        Self::Plain(text.into())
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.read() == other.read()
    }
}

#[cfg(test)]
mod tests {
    use super::Fields;

    #[test]
    fn fields_are_checked_when_they_are_made_and_read_later() {
        for bad in ["", "[1]", "{\"a\":}", "{} {}", "null"] {
            assert!(Fields::of_json(bad).is_err(), "{bad}");
        }
        let fields = Fields::of_json("{\"a\": {\"b\": [1, null]}}").unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(fields.read()["a"]["b"][0], 1);
    }
}
