//! The value of a setting: parsed once, when it is set, and kept beside the text that was written and where that came from.

use std::path::{Path, PathBuf};
use std::time::Duration;

use refdesk_ingest::config::Span;

/// What a setting's value looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Any text.
    Text,
    /// A path.
    Path,
    /// `true` or `false`.
    Flag,
    /// A whole number from 0.
    Count,
    /// `90d`, `12h`, `30m`, `10s`, `500ms`.
    Duration,
    /// Several texts: an array in the file, comma-separated elsewhere.
    List,
}

impl Shape {
    /// What to write, for people.
    pub const fn wanted(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Path => "a path",
            Self::Flag => "true or false",
            Self::Count => "a whole number from 0",
            Self::Duration => "a duration such as 90d, 12h, 30m, 10s or 500ms",
            Self::List => "a list of texts",
        }
    }
}

/// The type that holds a value of each [`Shape`], by the name of the shape.
pub mod typed {
    /// Without the blanks around it.
    pub type Text = String;
    /// `None` when empty.
    pub type Path = Option<std::path::PathBuf>;
    /// On or off.
    pub type Flag = bool;
    /// From 0.
    pub type Count = usize;
    /// To the millisecond.
    pub type Duration = std::time::Duration;
    /// Without empty texts.
    pub type List = Vec<String>;
}

/// A type of [`typed`]: how it is parsed and read.
pub trait Value: Default + 'static {
    /// What readers get: a copy, or a borrowed form.
    type Read<'a>;

    /// The value of a text, if the text has the right form.
    fn parse(text: &str) -> Option<Self>;

    /// The value for its readers.
    fn read(&self) -> Self::Read<'_>;
}

impl Value for typed::Text {
    type Read<'a> = &'a str;

    fn parse(text: &str) -> Option<Self> {
        Some(text.trim().to_owned())
    }

    fn read(&self) -> &str {
        self
    }
}

impl Value for typed::Path {
    type Read<'a> = Option<&'a Path>;

    fn parse(text: &str) -> Option<Self> {
        Some(Some(text.trim()).filter(|text| !text.is_empty()).map(PathBuf::from))
    }

    fn read(&self) -> Option<&Path> {
        self.as_deref()
    }
}

impl Value for typed::Flag {
    type Read<'a> = Self;

    fn parse(text: &str) -> Option<Self> {
        match text.trim().to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Some(true),
            "false" | "0" | "no" | "off" | "" => Some(false),
            _ => None,
        }
    }

    fn read(&self) -> Self {
        *self
    }
}

impl Value for typed::Count {
    type Read<'a> = Self;

    fn parse(text: &str) -> Option<Self> {
        text.trim().parse().ok()
    }

    fn read(&self) -> Self {
        *self
    }
}

impl Value for typed::Duration {
    type Read<'a> = Self;

    fn parse(text: &str) -> Option<Self> {
        text.parse::<Span>().ok().map(|span| span.0)
    }

    fn read(&self) -> Duration {
        *self
    }
}

impl Value for typed::List {
    type Read<'a> = &'a [String];

    fn parse(text: &str) -> Option<Self> {
        Some(text.split(',').map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned).collect())
    }

    fn read(&self) -> &[String] {
        self
    }
}

/// Where a value came from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Origin {
    /// The built-in default.
    #[default]
    Default,
    /// The configuration file.
    File,
    /// An environment variable.
    Environment(String),
    /// A flag of the command line.
    Flag(String),
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File => f.write_str("file"),
            Self::Environment(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}

/// A value in force.
#[derive(Debug, Clone, Default)]
pub struct Slot<T> {
    value: T,
    written: String,
    origin: Origin,
}

impl<T: Value> Slot<T> {
    /// The value.
    pub fn read(&self) -> T::Read<'_> {
        self.value.read()
    }
}

/// A [`Slot`] of whatever type.
pub trait AnySlot {
    /// The value as it was written.
    fn written(&self) -> &str;

    /// Where it came from.
    fn origin(&self) -> &Origin;

    /// Sets the value; `false`, and unchanged, when the text has another form.
    fn set(&mut self, text: &str, origin: Origin) -> bool;
}

impl<T: Value> AnySlot for Slot<T> {
    fn written(&self) -> &str {
        &self.written
    }

    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn set(&mut self, text: &str, origin: Origin) -> bool {
        let Some(value) = T::parse(text) else { return false };
        *self = Self { value, written: text.to_owned(), origin };
        true
    }
}
