//! The configuration: file < environment < flags, every value with its origin, every mistake with what to do.
//!
//! The settings themselves are rows of [`table`]; sources and collections are `[[sources]]` and `[[collections]]` [`entries`] of the file.

pub mod edit;
mod entries;
pub mod file;
mod folders;
pub mod nearest;
pub mod reload;
pub mod table;

use std::collections::BTreeMap;
use std::env::VarError;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use nearest::did_you_mean;
use refdesk_catalog::collections::Collection;
use refdesk_ingest::config::{FetchSettings, SourceConfig, Span, default_sources, effective_sources};
use table::{SETTINGS, Setting, Shape};

/// Name of the file that is looked for when `--config` names none.
pub const FILE_NAME: &str = "refdesk.toml";

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The built-in default.
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

/// A value from the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// Key of the setting.
    pub key: &'static str,
    /// Its value.
    pub value: String,
    /// What was typed for it, without the value: `--listen`, `--set log`.
    pub typed: String,
}

impl Given {
    /// By the flag that is named like the setting.
    pub fn by_flag(key: &'static str, value: impl Into<String>) -> Self {
        Self { key, value: value.into(), typed: format!("--{}", key.replace('_', "-")) }
    }

    /// By `--set KEY=VALUE`.
    pub fn by_set(key: &'static str, value: impl Into<String>) -> Self {
        Self { key, value: value.into(), typed: format!("--set {key}") }
    }
}

/// A mistake in the configuration: names the place, the key and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub String);

/// All values, checked.
#[derive(Debug, Clone)]
pub struct Config {
    /// The file that was read, if any.
    pub file: Option<PathBuf>,
    values: BTreeMap<&'static str, (String, Origin)>,
    /// The sources, bundled cards included.
    pub sources: Vec<SourceConfig>,
    /// The collections.
    pub collections: Vec<Collection>,
    /// Whether the file has any `[[sources]]`.
    names_sources: bool,
    /// What the command line set, for reading all of it again.
    flags: Vec<Given>,
}

impl Config {
    /// Reads the file (`path`, else the first of `refdesk.toml` in the working directory, the user's and the system's folder of
    /// configurations), the environment and the flags.
    ///
    /// # Errors
    /// On an unreadable or invalid file, an unknown key (naming the nearest), or a value of the wrong shape.
    pub fn load(path: Option<&Path>, flags: &[Given]) -> Result<Self, ConfigError> {
        let file = match path {
            Some(path) => Some(path.to_owned()),
            None => found(),
        };
        let text = file.as_deref().map(read).transpose()?;
        Self::of(file, text.as_deref(), flags)
    }

    /// The same for commands that write the file: it may be missing, and is then the working directory's.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn load_to_write(path: Option<&Path>, flags: &[Given]) -> Result<Self, ConfigError> {
        let file = path.map(Path::to_owned).or_else(found).unwrap_or_else(|| PathBuf::from(FILE_NAME));
        let text = if file.exists() { read(&file)? } else { String::new() };
        Self::of(Some(file), Some(&text), flags)
    }

    /// What this configuration would be with another text in its file, and the environment and flags as they are.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn with_text(&self, text: &str) -> Result<Self, ConfigError> {
        Self::of(Some(self.file_to_write()), Some(text), &self.flags)
    }

    /// The file in force, or the one that would be read if it were there.
    pub fn file_to_write(&self) -> PathBuf {
        self.file.clone().unwrap_or_else(|| PathBuf::from(FILE_NAME))
    }

    fn of(file: Option<PathBuf>, text: Option<&str>, flags: &[Given]) -> Result<Self, ConfigError> {
        let mut config = Self {
            file: file.clone(),
            values: SETTINGS.iter().map(|row| (row.key, (row.default.to_owned(), Origin::Default))).collect(),
            sources: Vec::new(),
            collections: Vec::new(),
            names_sources: false,
            flags: flags.to_vec(),
        };
        let configured = match (&file, text) {
            (Some(file), Some(text)) => config.take_file(file, text)?,
            _ => Vec::new(),
        };
        for row in SETTINGS {
            match std::env::var(row.variable()) {
                Ok(value) => config.set(row, value, Origin::Environment(row.variable()))?,
                Err(VarError::NotPresent) => {}
                Err(VarError::NotUnicode(_)) => {
                    return Err(ConfigError(format!("{} is not UTF-8; correct it or unset it", row.variable())));
                }
            }
        }
        for given in flags {
            if let Some(row) = table::find(given.key) {
                config.set(row, given.value.clone(), Origin::Flag(given.typed.clone()))?;
            }
        }
        config.names_sources = !configured.is_empty();
        config.sources = effective_sources(configured, config.flag("default_sources"))
            .map_err(|error| ConfigError(format!("the built-in sources do not read: {error}")))?;
        entries::check(&config.sources, config.file.as_deref(), &config.base_dir())?;
        config.switch()?;
        Ok(config)
    }

    /// What a person should know of the configuration although nothing is wrong with it.
    pub fn warning(&self) -> Option<String> {
        let file = self.file.as_deref().filter(|_| self.names_sources && !self.is_set("default_sources"))?;
        Some(format!(
            "{} names [[sources]] and does not say default_sources. Since 0.2 such a file adds to the default sources; before, it had only its \
             own. Write `default_sources = true` at its top to have both, or `default_sources = false` to have only its own.",
            file.display()
        ))
    }

    /// Switches sources as the lists say; `disabled_sources` has the last word.
    fn switch(&mut self) -> Result<(), ConfigError> {
        let shipped = default_sources().map_err(|error| ConfigError(error.to_string()))?;
        for (key, enabled) in [("enabled_sources", true), ("disabled_sources", false)] {
            for id in self.list(key) {
                let known = || self.sources.iter().chain(&shipped).map(|source| source.id.as_str());
                if !known().any(|known| known == id) {
                    return Err(ConfigError(format!(
                        "{}: `{key}` names `{id}`, and there is no such source{}; `refdesk sources` lists them",
                        self.origin(key),
                        did_you_mean(&id, known())
                    )));
                }
                for source in self.sources.iter_mut().filter(|source| source.id == id) {
                    if source.enabled && !enabled {
                        source.disabled_reason = Some(format!("it is switched off in {key}"));
                    }
                    source.enabled = enabled;
                }
            }
        }
        Ok(())
    }

    /// Whether somebody set it: the file, the environment or a flag.
    pub fn is_set(&self, key: &str) -> bool {
        self.values.get(key).is_some_and(|(_, origin)| *origin != Origin::Default)
    }

    /// Where a setting's value came from, for people.
    pub fn origin(&self, key: &str) -> String {
        match (self.values.get(key).map(|(_, origin)| origin), &self.file) {
            (Some(Origin::File), Some(file)) => file.display().to_string(),
            (Some(origin), _) => origin.to_string(),
            (None, _) => Origin::Default.to_string(),
        }
    }

    /// Takes the settings and collections of a file; returns its sources.
    fn take_file(&mut self, file: &Path, text: &str) -> Result<Vec<SourceConfig>, ConfigError> {
        let mut configured = Vec::new();
        let at = file.display();
        let parsed: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            // Its own rendering shows the line, and that may hold a secret.
            let line = error.span().map_or(0, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            ConfigError(format!(
                "{at}: is not valid TOML at line {line}: {}; correct that line",
                error.message().trim()
            ))
        })?;
        for (key, value) in parsed {
            if key == "sources" {
                configured = entries::sources(file, value)?;
                continue;
            }
            if key == "collections" {
                self.collections = entries::collections(file, value)?;
                continue;
            }
            let Some(row) = table::find(&key) else {
                let near = did_you_mean(&key, SETTINGS.iter().map(|row| row.key).chain(["sources", "collections"]));
                return Err(ConfigError(format!(
                    "{at}: unknown key `{key}`{near}; `refdesk config init` writes all keys with their defaults"
                )));
            };
            let text = written(row, &value).ok_or_else(|| {
                ConfigError(format!(
                    "{at}: `{key}` is {} {value}, but must be {}",
                    type_name(&value),
                    row.shape.wanted()
                ))
            })?;
            self.set(row, text, Origin::File)?;
        }
        Ok(configured)
    }

    fn set(&mut self, row: &'static Setting, value: String, origin: Origin) -> Result<(), ConfigError> {
        let wrong = match row.shape {
            Shape::Flag => parse_flag(&value).is_none(),
            Shape::Count => value.trim().parse::<u64>().is_err(),
            Shape::Duration => value.parse::<Span>().is_err(),
            Shape::Text | Shape::Path | Shape::List => false,
        };
        if wrong {
            let place = match (&origin, &self.file) {
                (Origin::File, Some(file)) => format!("{}: `{}`", file.display(), row.key),
                _ => origin.to_string(),
            };
            return Err(ConfigError(format!("{place} is {value:?}, but must be {}", row.shape.wanted())));
        }
        self.values.insert(row.key, (value, origin));
        Ok(())
    }

    fn raw(&self, key: &str) -> &str {
        self.values.get(key).map_or("", |(value, _)| value.as_str())
    }

    /// A text.
    pub fn text(&self, key: &str) -> &str {
        self.raw(key).trim()
    }

    /// A path, `None` when empty.
    pub fn path(&self, key: &str) -> Option<PathBuf> {
        Some(self.text(key)).filter(|text| !text.is_empty()).map(PathBuf::from)
    }

    /// A flag.
    pub fn flag(&self, key: &str) -> bool {
        parse_flag(self.raw(key)).unwrap_or_default()
    }

    /// A whole number.
    pub fn count(&self, key: &str) -> usize {
        self.raw(key).trim().parse().unwrap_or_default()
    }

    /// A whole number of 32 bits; larger ones are the largest.
    pub fn count32(&self, key: &str) -> u32 {
        u32::try_from(self.count(key)).unwrap_or(u32::MAX)
    }

    /// A duration.
    pub fn duration(&self, key: &str) -> Duration {
        self.span(key).0
    }

    /// A duration as the ingesting side takes it.
    pub fn span(&self, key: &str) -> Span {
        self.raw(key).parse().unwrap_or_default()
    }

    /// Several texts.
    pub fn list(&self, key: &str) -> Vec<String> {
        self.raw(key).split(',').map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned).collect()
    }

    /// Every setting with its value and where it came from.
    pub fn rows(&self) -> impl Iterator<Item = (&'static Setting, &str, &Origin)> {
        SETTINGS.iter().filter_map(|row| {
            let (value, origin) = self.values.get(row.key)?;
            Some((row, value.as_str(), origin))
        })
    }

    /// How upstreams are fetched.
    pub fn fetch_settings(&self) -> FetchSettings {
        FetchSettings {
            connect_timeout: self.span("connect_timeout"),
            read_timeout: self.span("read_timeout"),
            total_timeout: self.span("total_timeout"),
            body_bytes_max: self.count("body_bytes_max") as u64,
            pass_bytes_max: self.count("pass_bytes_max") as u64,
            pass_requests_max: self.count("pass_requests_max"),
            pass_timeout: self.span("pass_timeout"),
            sync_memory_max: self.count("sync_memory_max") as u64,
            retries_max: self.count32("retries_max"),
            backoff_base: self.span("retry_base"),
            backoff_max: self.span("retry_wait_max"),
            retry_after_max: self.span("retry_after_max"),
            redirects_max: self.count("redirects_max"),
            concurrency_max: self.count("sync_concurrency").max(1),
            source_concurrency_max: self.count("source_concurrency").max(1),
            proxy: Some(self.text("proxy").to_owned()).filter(|proxy| !proxy.is_empty()),
            ..FetchSettings::default()
        }
    }

    /// The folder from which relative paths in the configuration are meant.
    pub fn base_dir(&self) -> PathBuf {
        let parent = self.file.as_deref().and_then(Path::parent).filter(|parent| !parent.as_os_str().is_empty());
        parent.map_or_else(|| PathBuf::from("."), Path::to_owned)
    }

    /// The directory of the store: `data_dir`, else the platform's data directory.
    ///
    /// # Errors
    /// When none is set and the platform names none.
    pub fn data_dir(&self) -> Result<PathBuf, ConfigError> {
        self.path("data_dir").or_else(folders::data).ok_or_else(|| {
            ConfigError(
                "no data directory: set --data-dir, REFDESK_DATA_DIR or data_dir in the configuration file".into(),
            )
        })
    }
}

/// The first configuration file that there is.
fn found() -> Option<PathBuf> {
    let folders = folders::configuration().into_iter().map(|folder| folder.join(FILE_NAME));
    std::iter::once(PathBuf::from(FILE_NAME)).chain(folders).find(|file| file.is_file())
}

fn read(file: &Path) -> Result<String, ConfigError> {
    std::fs::read_to_string(file).map_err(|error| {
        ConfigError(format!("{}: cannot be read ({error}); name a readable file with --config", file.display()))
    })
}

fn parse_flag(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Some(true),
        "false" | "0" | "no" | "off" | "" => Some(false),
        _ => None,
    }
}

/// A TOML value in the form that the table keeps, when it has the right type.
fn written(row: &Setting, value: &toml::Value) -> Option<String> {
    match (row.shape, value) {
        (Shape::Flag, toml::Value::Boolean(flag)) => Some(flag.to_string()),
        (Shape::Count, toml::Value::Integer(count)) => Some(count.to_string()),
        (Shape::Text | Shape::Path | Shape::Duration, toml::Value::String(text)) => Some(text.clone()),
        (Shape::List, toml::Value::Array(items)) => {
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
