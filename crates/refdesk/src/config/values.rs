//! The value of a setting: parsed once, when it is set, and kept beside the text that was written and where that came from.

use std::path::{Path, PathBuf};
use std::time::Duration;

use refdesk_ingest::config::Span;

/// How a value is written in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TomlType {
    /// `true`
    Boolean,
    /// `7`
    Integer,
    /// `"text"`
    String,
    /// `["text"]`
    Array,
}

/// What a setting's value looks like, as the rows of the table name it.
pub mod typed {
    pub use super::{LogFormat, Percent, Positive, Timeout};
    pub use refdesk_ingest::store::Migrate;
    pub use refdesk_serve::Role;
    pub use refdesk_serve::state::rate_counter::OnFailure;

    /// Without the blanks around it.
    pub type Text = String;
    /// `None` when empty.
    pub type Path = Option<std::path::PathBuf>;
    /// On or off.
    pub type Flag = bool;
    /// From 0.
    pub type Count = usize;
    /// `90d`, `12h`, `30m`, `10s`, `500ms`; `0s` is none.
    pub type Duration = std::time::Duration;
    /// Several texts, none of them empty: an array in the file, comma-separated elsewhere.
    pub type List = Vec<String>;
}

/// The largest number that a setting takes (a pebi), as good as no limit: what is computed with it stays within 64 bits, and semaphores
/// take it.
const NO_LIMIT: u64 = 1 << 50;

/// A number from 1, but for the 0 before anything is set.
#[derive(Debug, Clone, Copy, Default)]
pub struct Positive(usize);

/// A number up to 100.
#[derive(Debug, Clone, Copy, Default)]
pub struct Percent(usize);

/// A duration longer than none, but for the none before anything is set.
#[derive(Debug, Clone, Copy, Default)]
pub struct Timeout(Duration);

refdesk_core::closed_set! {
    /// How the log is written.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum LogFormat {
        /// A line for people.
        #[default]
        Text => "text",
        /// A JSON object a line.
        Json => "json",
    }
}

/// A type of [`typed`]: how it is parsed and read.
pub trait Value: Default + 'static {
    /// What to write, for people.
    const WANTED: &'static str;
    /// How it is written in the file.
    const TOML: TomlType = TomlType::String;

    /// What readers get: a copy, or a borrowed form.
    type Read<'a>;

    /// The value of a text, if the text has the right form.
    fn parse(text: &str) -> Option<Self>;

    /// Why a text that [`Value::parse`] does not take is none, where that says more than what to write.
    fn reason(_text: &str) -> Option<&'static str> {
        None
    }

    /// The value for its readers.
    fn read(&self) -> Self::Read<'_>;

    /// Resolves a relative path against the folder of the file that it is written in; every other value is the same in any file.
    fn resolve_from(&mut self, _folder: &Path) {}
}

impl Value for typed::Text {
    const WANTED: &'static str = "text in quotes";

    type Read<'a> = &'a str;

    fn parse(text: &str) -> Option<Self> {
        Some(text.trim().to_owned())
    }

    fn read(&self) -> &str {
        self
    }
}

impl Value for typed::Path {
    const WANTED: &'static str = "a path (`~` is read by shells only: write the folder that it stands for)";

    type Read<'a> = Option<&'a Path>;

    fn parse(text: &str) -> Option<Self> {
        let path = Some(text.trim()).filter(|text| !text.is_empty()).map(PathBuf::from);
        // Files, services and `--data-dir=~/desk` reach no shell; a folder of that name below the working one is nobody's wish.
        (!path.as_ref().is_some_and(|path| path.starts_with("~"))).then_some(path)
    }

    fn read(&self) -> Option<&Path> {
        self.as_deref()
    }

    fn resolve_from(&mut self, folder: &Path) {
        if let Some(path) = self {
            *path = folder.join(&*path);
        }
    }
}

/// Types that readers get a copy of, each with how it is written and how a text becomes one.
macro_rules! copied {
    ($($type:ty => $read:ty, $toml:ident $wanted:literal, $text:ident: $parse:expr, $value:ident: $copy:expr $(, reason: $reason:expr)?;)*) => {$(
        impl Value for $type {
            const WANTED: &'static str = $wanted;
            const TOML: TomlType = TomlType::$toml;

            type Read<'a> = $read;

            fn parse(text: &str) -> Option<Self> {
                let $text = text.trim();
                $parse
            }

            $(fn reason(text: &str) -> Option<&'static str> {
                $reason(text)
            })?

            fn read(&self) -> $read {
                let $value = *self;
                $copy
            }
        }
    )*};
}

copied! {
    typed::Flag => bool, Boolean "true or false", text: flag(text), value: value;
    typed::Count => usize, Integer "a whole number from 0 to 18446744073709551615", text: number(text), value: value;
    Positive => usize, Integer "a whole number from 1 to 18446744073709551615", text: number(text).filter(|number| *number > 0).map(Self), value: value.0;
    Percent => usize, Integer "a whole number from 0 to 100", text: text.parse().ok().filter(|number| *number <= 100).map(Self), value: value.0;
    typed::Duration => Duration, String "a duration such as 90d, 12h, 30m, 10s or 500ms", text: text.parse().ok().map(|Span(span)| span), value: value,
        reason: why_no_span;
    Timeout => Duration, String "a duration such as 12h, 30m, 10s or 500ms, longer than 0",
        text: text.parse().ok().filter(|Span(span)| !span.is_zero()).map(|Span(span)| Self(span)), value: value.0,
        reason: why_no_span;
    LogFormat => Self, String "text or json", text: Self::parse(text), value: value;
    typed::Migrate => Self, String "auto or check", text: match text {
        "auto" => Some(Self::Auto),
        "check" => Some(Self::Check),
        _ => None,
    }, value: value;
    typed::Role => Self, String "all, reader or syncer", text: Self::parse(text), value: value;
    typed::OnFailure => Self, String "local, open or closed", text: Self::parse(text), value: value;
}

/// A number from 0; one beyond [`NO_LIMIT`] is that.
fn number(text: &str) -> Option<usize> {
    text.parse::<u64>().ok().map(|number| usize::try_from(number.min(NO_LIMIT)).unwrap_or(usize::MAX))
}

fn why_no_span(text: &str) -> Option<&'static str> {
    text.parse::<Span>().err().map(|error| error.reason())
}

fn flag(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Some(true),
        "false" | "0" | "no" | "off" => Some(false),
        _ => None,
    }
}

impl Value for typed::List {
    const WANTED: &'static str = "a list of texts";
    const TOML: TomlType = TomlType::Array;

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

    /// Sets the value, which stays when the text has another form.
    ///
    /// # Errors
    /// [`Value::reason`].
    fn set(&mut self, text: &str, origin: Origin) -> Result<(), Option<&'static str>>;

    /// Resolves a relative path against the folder of the file that it is written in.
    fn resolve_from(&mut self, folder: &Path);
}

impl<T: Value> AnySlot for Slot<T> {
    fn written(&self) -> &str {
        &self.written
    }

    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn set(&mut self, text: &str, origin: Origin) -> Result<(), Option<&'static str>> {
        let value = T::parse(text).ok_or_else(|| T::reason(text))?;
        *self = Self { value, written: text.to_owned(), origin };
        Ok(())
    }

    fn resolve_from(&mut self, folder: &Path) {
        self.value.resolve_from(folder);
    }
}
