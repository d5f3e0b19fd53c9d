//! Loading a configuration: file < environment < flags.

use refdesk_core::nearest::did_you_mean;
use std::env::VarError;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use refdesk_ingest::config::{SourceConfig, default_sources, effective_sources};

use super::lines::{Lines, line_at};
use super::table::{self, SETTINGS, Setting, key};
use super::values::{Origin, TomlType};
use super::{Config, ConfigError, FILE_NAME, Given, entries, folders};

impl Config {
    /// Reads the file (`path`, else the first of `refdesk.toml` in the working directory, the user's and the system's folder of
    /// configurations), the environment and the flags.
    ///
    /// # Errors
    /// On an unreadable or invalid file, an unknown key (naming the nearest), or a value of the wrong shape.
    pub fn load(path: Option<&Path>, flags: &[Given]) -> Result<Self, ConfigError> {
        let file = path.map(Path::to_owned).or_else(found);
        let text = file.as_deref().map(read).transpose()?;
        Self::parse(file, text.as_deref(), &lines(text.as_deref()), flags)
    }

    /// The same for commands that write the file: it may be missing, and is then the working directory's.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn load_to_write(path: Option<&Path>, flags: &[Given]) -> Result<Self, ConfigError> {
        let file = path.map(Path::to_owned).or_else(found).unwrap_or_else(|| PathBuf::from(FILE_NAME));
        let text = read_if_there(&file)?;
        Self::parse(Some(file), Some(&text), &Lines::new(&text), flags)
    }

    /// The text of the file that commands write; a missing one is empty.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    pub fn text_to_write(&self) -> Result<String, ConfigError> {
        read_if_there(&self.file_to_write())
    }

    /// What this configuration is with the text that its file has by now, and the environment and flags as they are.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn with_text(&self, text: &str) -> Result<Self, ConfigError> {
        Self::parse(Some(self.file_to_write()), Some(text), &Lines::new(text), &self.flags)
    }

    /// What it would be with a text that is not written yet.
    ///
    /// # Errors
    /// As [`Config::load`], without lines.
    pub fn with_unwritten(&self, text: &str) -> Result<Self, ConfigError> {
        Self::parse(Some(self.file_to_write()), Some(text), &Lines::unwritten(), &self.flags)
    }

    fn parse(
        file: Option<PathBuf>,
        text: Option<&str>,
        lines: &Lines<'_>,
        flags: &[Given],
    ) -> Result<Self, ConfigError> {
        let mut config = Self {
            file: file.clone(),
            values: Box::default(),
            sources: Vec::new(),
            collections: Vec::new(),
            names_sources: false,
            flags: flags.to_vec(),
        };
        for row in SETTINGS {
            config.set(row, row.default, Origin::Default)?;
        }
        let configured = match (&file, text) {
            (Some(file), Some(text)) => config.take_file(file, text, lines)?,
            _ => Vec::new(),
        };
        for row in SETTINGS {
            match std::env::var(row.variable()) {
                Ok(value) => config.set(row, &value, Origin::Environment(row.variable()))?,
                Err(VarError::NotPresent) => {}
                Err(VarError::NotUnicode(_)) => {
                    return Err(ConfigError(format!("{} is not UTF-8; correct it or unset it", row.variable())));
                }
            }
        }
        for given in flags {
            config.set(given.row, &given.value, Origin::Flag(given.typed.clone()))?;
        }
        config.names_sources = !configured.is_empty();
        config.sources = effective_sources(configured, config.get(key::DEFAULT_SOURCES))
            .map_err(|error| ConfigError(format!("the built-in sources do not read: {error}")))?;
        entries::check(&config.sources, config.file.as_deref(), lines, &config.base_dir())?;
        config.switch()?;
        Ok(config)
    }

    /// Switches sources as the lists say; `disabled_sources` has the last word.
    fn switch(&mut self) -> Result<(), ConfigError> {
        let shipped = default_sources().map_err(|error| ConfigError(error.to_string()))?;
        for (key, enabled) in [(key::ENABLED_SOURCES, true), (key::DISABLED_SOURCES, false)] {
            let name = key.row.key;
            for id in self.get(key).to_vec() {
                let known = || self.sources.iter().chain(&shipped).map(|source| source.id.as_str());
                if !known().any(|known| known == id) {
                    return Err(ConfigError(format!(
                        "{}: `{name}` names `{id}`, but there is no such source{}; `refdesk sources` lists them",
                        self.origin(key),
                        did_you_mean(&id, known())
                    )));
                }
                for source in self.sources.iter_mut().filter(|source| source.id == id) {
                    if source.enabled && !enabled {
                        source.disabled_reason = Some(format!("it is switched off in {name}"));
                    }
                    source.enabled = enabled;
                }
            }
        }
        Ok(())
    }

    /// Takes the settings and collections of a file; returns its sources.
    fn take_file(&mut self, file: &Path, text: &str, lines: &Lines<'_>) -> Result<Vec<SourceConfig>, ConfigError> {
        let mut configured = Vec::new();
        let parsed: toml::Table = text.parse().map_err(|error| not_toml(file, text, &error))?;
        for (key, value) in parsed {
            match key.as_str() {
                SOURCES => configured = entries::sources(file, lines, value)?,
                COLLECTIONS => self.collections = entries::collections(file, lines, value)?,
                _ => self.take_setting(file, lines, &key, &value)?,
            }
        }
        Ok(configured)
    }

    fn take_setting(
        &mut self,
        file: &Path,
        lines: &Lines<'_>,
        key: &str,
        value: &toml::Value,
    ) -> Result<(), ConfigError> {
        let place = lines.of_key(file, key);
        let row = table::find(key).ok_or_else(|| ConfigError(format!("{place}: {}", unknown(key, value))))?;
        let text = written(row, value).ok_or_else(|| {
            ConfigError(format!("{place}: `{key}` is {} {value}, but must be {}", type_name(value), row.wanted))
        })?;
        let slot = (row.slot_mut)(&mut self.values);
        slot.set(&text, Origin::File).map_err(|reason| wrong(&format!("{place}: `{key}`"), &text, row, reason))?;
        if let Some(folder) = file.parent() {
            slot.resolve_from(folder);
        }
        Ok(())
    }

    pub(super) fn set(&mut self, row: &Setting, value: &str, origin: Origin) -> Result<(), ConfigError> {
        (row.slot_mut)(&mut self.values).set(value, origin.clone()).map_err(|reason| {
            let place = match (&origin, &self.file) {
                (Origin::Default, _) => format!("the default of `{}`", row.key),
                (Origin::File, Some(file)) => format!("{}: `{}`", file.display(), row.key),
                _ => origin.to_string(),
            };
            wrong(&place, value, row, reason)
        })
    }
}

/// The arrays of tables of a file.
const SOURCES: &str = "sources";
const COLLECTIONS: &str = "collections";

fn lines(text: Option<&str>) -> Lines<'_> {
    text.map_or_else(Lines::unwritten, Lines::new)
}

fn wrong(place: &str, value: &str, row: &Setting, reason: Option<&str>) -> ConfigError {
    let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
    ConfigError(format!("{place} is {value:?}, but must be {}{reason}", row.wanted))
}

/// What is wrong with a key that there is not: settings stand in no section, as they do in the files of other programs.
fn unknown(key: &str, value: &toml::Value) -> String {
    let near = did_you_mean(key, SETTINGS.iter().map(|row| row.key).chain([SOURCES, COLLECTIONS]));
    match value {
        toml::Value::Table(_) if near.is_empty() => {
            format!("unknown section `[{key}]`; settings stand at the top of the file, in no section")
        }
        _ => format!("unknown key `{key}`{near}; `refdesk config init` writes all keys with their defaults"),
    }
}

/// What is wrong with a text that is not TOML. The library's own rendering shows the line, and that may hold a secret.
fn not_toml(file: &Path, text: &str, error: &toml::de::Error) -> ConfigError {
    let message = error.message().trim();
    let span = error.span().unwrap_or_default();
    // What the library says of numbers beyond the signed 64 bits, beyond 64 and beyond 128.
    let is_beyond = ["u64 value was too large", "invalid type: integer", "integer number overflowed"];
    let is_beyond = is_beyond.iter().any(|begins| message.starts_with(begins));
    let (at, line) = (file.display(), line_at(text, span.start));
    let is_name = |key: &&str| !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let twice = text.get(span).filter(|_| message == "duplicate key").filter(is_name);
    let told = match twice {
        Some(key) => format!("the key `{key}` is there twice; keep one of them"),
        None if is_beyond => {
            format!("a number is too large; the largest is {}", i64::MAX)
        }
        None => format!("{message}; correct that line (texts need quotes)"),
    };
    ConfigError(format!("{at}: is not valid TOML at line {line}: {told}"))
}

/// The first configuration file that there is.
fn found() -> Option<PathBuf> {
    let folders = folders::configuration().into_iter().map(|folder| folder.join(FILE_NAME));
    std::iter::once(PathBuf::from(FILE_NAME)).chain(folders).find(|file| file.is_file())
}

fn read_if_there(file: &Path) -> Result<String, ConfigError> {
    if file.exists() { read(file) } else { Ok(String::new()) }
}

fn read(file: &Path) -> Result<String, ConfigError> {
    std::fs::read_to_string(file).map_err(|error| {
        let at = file.display();
        ConfigError(match error.kind() {
            ErrorKind::InvalidData => format!("{at}: cannot be read, since it is not UTF-8; save it in that encoding"),
            _ => format!("{at}: cannot be read ({error}); name a readable file with --config"),
        })
    })
}

/// A TOML value in the form that the table keeps, when it has the right type.
fn written(row: &Setting, value: &toml::Value) -> Option<String> {
    match (row.toml, value) {
        (TomlType::Boolean, toml::Value::Boolean(flag)) => Some(flag.to_string()),
        (TomlType::Integer, toml::Value::Integer(count)) => Some(count.to_string()),
        (TomlType::String, toml::Value::String(text)) => Some(text.clone()),
        (TomlType::Array, toml::Value::Array(items)) => {
            let texts: Option<Vec<&str>> = items.iter().map(toml::Value::as_str).collect();
            texts.map(|texts| texts.join(","))
        }
        _ => None,
    }
}

fn type_name(value: &toml::Value) -> &'static str {
    match value {
        toml::Value::String(_) => "the text",
        toml::Value::Integer(_) => "the number",
        toml::Value::Float(_) => "the fraction",
        toml::Value::Boolean(_) => "the truth value",
        toml::Value::Datetime(_) => "the time",
        toml::Value::Array(_) => "the list",
        toml::Value::Table(_) => "the table",
    }
}
